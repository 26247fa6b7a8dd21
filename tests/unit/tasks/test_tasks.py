"""Tasks: what is wrong with a run, found all at once, and repaired."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import example_collection
from doxeval.errors import SyntaxProblem
from doxeval.runs import Kind, Result, Run, resolve
from doxeval.tasks import TASKS, problems_of, repaired, task_named
from helpers import doxeval, write_files
from levels import examples
from strategies import results


def kinds(run: Run, task: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(problem.kind, problem.lines) for problem in problems_of(run, TASKS[task])]


def test_every_kind_of_problem() -> None:
    run = Run.from_results(
        [
            Result("1", "a", Kind.PASSAGE, 0, 10, rank=1, score=0.9),
            Result("1", "b", Kind.PASSAGE, 0, 10, rank=2, score=0.8),
            Result("1", "a", Kind.PASSAGE, 5, 20, rank=3, score=0.8),
            Result("1", "a", Kind.PASSAGE, 0, 10, rank=3, score=0.85),
            Result("2", "a", Kind.PASSAGE, 0, 10, rank=1, score=0.9),
            Result("1", "c", Kind.PASSAGE, 0, 10, rank=5, score=0.1),
        ]
    )
    common = [("split topic", (4, 6, 6)), ("duplicate", (1, 4))]
    order = [("rank order", (3, 4)), ("score order", (3, 4))]
    overlap = ("overlap", (1, 3))
    returns = [("interleaved", (1, 3)), ("interleaved", (1, 4))]
    assert kinds(run, "thorough") == [*common, *order]
    assert kinds(run, "focused") == [*common, overlap, *order]
    assert kinds(run, "relevant-in-context") == [*common, overlap, *returns, *order]
    assert kinds(run, "fetch-browse") == [*common, *returns, *order]
    second = [("second result", (1, 3)), ("second result", (1, 4))]
    assert kinds(run, "best-in-context") == [*common, *second, *order]


def test_limits_and_unknown_topics() -> None:
    run = Run.from_results([Result("1", f"d{n}") for n in range(1503)] + [Result("2", "a")])
    found = problems_of(run, TASKS["thorough"], topics={"1"})
    assert [problem.message for problem in found] == [
        "unknown topic 2 (1 result, the first on line 1504)",
        "topic 1 has 1503 results, 3 more than 1500, from line 1501 on",
    ]
    assert [problem.severity for problem in found] == ["warning", "error"]


def _overlap(first: Result, second: Result) -> bool:
    """By the definition, for results of the same topic and document."""
    own, others = _ranges(first), _ranges(second)
    if own and others:
        return any(_ranges_overlap(one, other) for one in own for other in others)
    tree = (Kind.DOCUMENT, Kind.ELEMENT)
    if first.kind in tree and second.kind in tree:
        paths = ["".join(result.paths) + "/" for result in (first, second)]
        return paths[0].startswith(paths[1]) or paths[1].startswith(paths[0]) or "/" in paths
    return False


def _ranges(result: Result) -> list[tuple[int, int]]:
    if result.kind == Kind.PASSAGE and not result.paths:
        assert result.start is not None and result.end is not None
        return [(result.start, result.end)]
    return list(result.spans)


def _ranges_overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    a, b = sorted((one, other))
    for empty, around in ((a, b), (b, a)):
        if empty[0] == empty[1]:
            return around[0] < empty[0] < around[1]
    return b[0] < a[1]


def _unit(result: Result) -> object:
    """What a result returns: a whole document is its root, a tree is a set of elements."""
    if result.kind == Kind.DOCUMENT:
        return "root"
    if result.kind == Kind.ELEMENT and result.paths[0].count("/") == 1:
        return "root"
    if result.kind == Kind.TREE:
        roots = len(set(result.paths)) == 1 and result.paths[0].count("/") == 1
        return (result.kind, "root" if roots else frozenset(result.paths))
    return (*result[2:6], result.spans)


@examples(120)
@given(st.lists(results(), min_size=1, max_size=8))
def test_overlap_and_duplicates_agree_with_comparing_all_pairs(wanted: list[Result]) -> None:
    run = Run.from_results(wanted)
    found = problems_of(run, TASKS["focused"])
    duplicates, overlapping = set(), set()
    for (i, first), (j, second) in combinations(enumerate(wanted, 1), 2):
        if (first.topic, first.document) != (second.topic, second.document):
            continue
        if _unit(first) == _unit(second):
            duplicates.add(j)
        elif _overlap(first, second):
            overlapping |= {(i, j)}
    assert {problem.lines[1] for problem in found if problem.kind == "duplicate"} == duplicates
    named = {problem.lines for problem in found if problem.kind == "overlap"}
    assert named <= overlapping
    # Every result that overlaps an earlier one is named, unless it is a duplicate.
    assert {second for _, second in named} | duplicates >= {second for _, second in overlapping}
    # Without what a repair drops, no two results overlap.
    gone = {row + 1 for problem in found for row in problem.rows}
    assert all(first in gone or second in gone for first, second in overlapping)


@examples(120)
@given(st.lists(results(), min_size=1, max_size=8), st.sampled_from(sorted(TASKS)))
def test_a_repaired_run_has_no_errors_of_lines(wanted: list[Result], task: str) -> None:
    run = Run.from_results(wanted)
    run, _ = repaired(run, problems_of(run, TASKS[task]))
    assert not [p for p in problems_of(run, TASKS[task]) if p.severity == "error"]
    left = list(run.results())
    assert left[0][:6] == wanted[0][:6]  # what comes first is never at fault
    assert {(r.topic, r.document) for r in left} <= {(r.topic, r.document) for r in wanted}


@examples(120)
@given(st.lists(results(), min_size=1, max_size=9))
def test_results_of_an_article_are_moved_together(wanted: list[Result]) -> None:
    """Fetch-browse lets results overlap, so that only duplicates go."""
    run = Run.from_results(wanted)
    found = problems_of(run, TASKS["fetch-browse"])
    fixed, done = repaired(run, found)
    gone = {row for problem in found if problem.kind != "interleaved" for row in problem.rows}
    left = [(result[:6], row) for row, result in enumerate(wanted) if row not in gone]
    expected = []
    for topic in dict.fromkeys(unit[0] for unit, _ in left):
        own = [(unit, row) for unit, row in left if unit[0] == topic]
        for document in dict.fromkeys(unit[1] for unit, _ in own):
            expected += [unit for unit, _ in own if unit[1] == document]
    assert [result[:6] for result in fixed.results()] == expected
    is_moved = any("moved" in line for line in done)
    by_topic = sorted(left, key=lambda one: run.topics.index(one[0][0]))
    assert is_moved == (expected != [unit for unit, _ in by_topic])


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=12))
def test_articles_that_come_back(pairs: list[tuple[int, int]]) -> None:
    current: dict[int, int] = {}
    last: dict[tuple[int, int], int] = {}  # before another article began
    expected = []
    for row, (topic, name) in enumerate(pairs, 1):
        if (topic, name) not in last:
            current[topic] = name
        if current[topic] == name:
            last[topic, name] = row
        else:
            expected.append((last[topic, name], row))
    run = Run.from_results(
        [
            Result(str(topic), str(name), Kind.PASSAGE, 10 * row, 10 * row + 5)
            for row, (topic, name) in enumerate(pairs)
        ]
    )
    problems = problems_of(run, TASKS["fetch-browse"])
    assert [p.lines for p in problems if p.kind == "interleaved"] == expected


def test_overlap_by_text_and_references() -> None:
    collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    run = Run.from_results(
        [
            Result("1", "a", Kind.ELEMENT, paths=("/s[1]/p[1]",)),
            Result("1", "a", Kind.PASSAGE, 2, 6),
            Result("1", "a", Kind.ELEMENT, paths=("/s[1]/p[3]",)),
            Result("1", "a", Kind.ELEMENT, paths=("/s/p[2]",)),
        ]
    )
    found = problems_of(run, TASKS["focused"], resolved=resolve(run, collection))
    assert [problem.message for problem in found] == [
        "line 3: nothing at /s[1]/p[3] in a: /s[1] has 2 p",
        "lines 1 and 2 overlap in document a",
        "lines 2 and 4 overlap in document a",
    ]


def test_strict_targets() -> None:
    run = Run.from_results(
        [
            Result("1", "a", Kind.ELEMENT, paths=("/article[1]/sec[2]",)),
            Result("1", "a", Kind.ELEMENT, paths=("/article[1]/p[2]",)),
            Result("2", "a", Kind.ELEMENT, paths=("/article[1]/p[2]",)),
        ]
    )
    targets = {"1": "//article//(sec|ss1)"}
    found = problems_of(run, TASKS["sscas"], targets=targets)
    assert [problem.message for problem in found] == [
        "line 2: /article[1]/p[2] is not a //article//(sec|ss1)"
    ]
    assert problems_of(run, TASKS["vvcas"], targets=targets) == []


@pytest.mark.parametrize(
    ("name", "most"), [("CO", 1500), ("CAS", 1500), ("co-2002", 100), ("cas-2002", 100)]
)
def test_runs_of_2002_to_2004_may_overlap_and_have_a_limit(name: str, most: int) -> None:
    elements = [
        Result("1", "a", Kind.ELEMENT, paths=(f"/article[1]/p[{n}]",)) for n in range(1, most)
    ]
    nested = [Result("1", "a"), *elements, Result("1", "a", Kind.ELEMENT, paths=("/article/p/b",))]
    found = problems_of(Run.from_results(nested), task_named(name))
    assert [(one.kind, one.lines) for one in found] == [("too many results", (most + 1,))]
    assert problems_of(Run.from_results(nested[:-1]), task_named(name)) == []


def test_results_of_2002_to_2004_are_elements() -> None:
    run = Run.from_results(
        [Result("1", "a"), Result("1", "a", Kind.PASSAGE, 0, 9), Result("1", "b", Kind.POINT, 3)]
    )
    found = problems_of(run, TASKS["co"])
    assert [(one.severity, one.message) for one in found] == [
        ("warning", "line 2 is a passage, and results of co are elements"),
        ("warning", "line 3 is a point, and results of co are elements"),
    ]


def test_cas_is_strict_about_targets_and_co_is_not() -> None:
    run = Run.from_results([Result("1", "a", Kind.ELEMENT, paths=("/article[1]/p[2]",))])
    targets = {"1": "//sec"}
    for name, expected in (("cas", ["off target"]), ("cas-2002", ["off target"]), ("co", [])):
        found = problems_of(run, TASKS[name], targets=targets)
        assert [problem.kind for problem in found] == expected


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("CO.Thorough", "thorough"),
        ("COS.Focussed", "focused"),
        ("Focused", "focused"),
        ("RelevantInContext", "relevant-in-context"),
        ("VVCAS", "vvcas"),
        ("SCAS", "sscas"),
        ("CO.FetchBrowse", "fetch-browse"),
        ("best-in-context", "best-in-context"),
        ("Focused 2007", "focused"),
        ("CO", "co"),
        ("CAS", "cas"),
        ("CO-2002", "co-2002"),
        ("cas 2002", "cas-2002"),
        ("VCAS", "vvcas"),
    ],
)
def test_names_of_tasks_in_the_wild(name: str, task: str) -> None:
    assert task_named(name).name == task


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(
        SyntaxProblem, match="no task 'nonsense': expected one of thorough, focused"
    ):
        task_named("nonsense")


def test_the_verb_reports_and_repairs(tmp_path: Path) -> None:
    lines = ["7 Q0 a 1 .9 r 0 10", "7 Q0 a 2 .8 r 5 10", "7 Q0 b 3 .7 r 0 5", "7 Q0 b 4 .7 r 0 5"]
    write_files(tmp_path, {"bad.run": "\n".join(lines)})
    result = doxeval("validate", tmp_path / "bad.run", "--task", "focused")
    assert result.exit_code == 1
    assert "lines 1 and 2 overlap in document a" in result.stdout
    assert "line 4 repeats line 3" in result.stdout
    assert "2 errors, 0 warnings" in result.stdout
    result = doxeval("validate", tmp_path / "bad.run", "--task", "focused", "--format", "json")
    assert [p["kind"] for p in json.loads(result.stdout)[0]["problems"]] == ["duplicate", "overlap"]
    out = tmp_path / "good.run"
    result = doxeval("validate", tmp_path / "bad.run", "--task", "focused", "--fix", out)
    assert f"{out}: dropped 1 result: overlap" in result.stderr
    assert out.read_text() == "7 Q0 a 1 0.9 r 0 10\n7 Q0 b 2 0.7 r 0 5\n"
    assert doxeval("validate", out, "--task", "focused").exit_code == 0
    result = doxeval("validate", tmp_path / "bad.run", "--task", "focused", "--fix", out)
    assert result.exit_code == 1
    assert "--force replaces it" in result.stderr
    assert doxeval("validate", out).exit_code == 2
    assert doxeval("validate", out, "--task", "nonsense").exit_code == 1


def test_the_verb_shortens_what_is_repeated(tmp_path: Path) -> None:
    lines = [
        f"{topic} Q0 a {rank} .5 r {at} 10" for topic in range(120) for rank, at in ((1, 0), (2, 5))
    ]
    write_files(tmp_path, {"bad.run": "\n".join(lines)})
    command = ["validate", tmp_path / "bad.run", "--task", "focused"]
    assert doxeval(*command).stdout.splitlines() == [
        f"{tmp_path}/bad.run: run r, 240 results for 120 topics, as focused",
        "  error: overlap: 120 in 120 topics",
        "    lines 1 and 2 overlap in document a",
        "    lines 3 and 4 overlap in document a",
        "    lines 5 and 6 overlap in document a",
        "    … and 117 more (--all lists them)",
        "  120 errors, 0 warnings",
    ]
    every = doxeval(*command, "--all").stdout.splitlines()
    assert len(every) == 123 and "lines 239 and 240 overlap in document a" in every[-2]
    (report,) = json.loads(doxeval(*command, "--format", "json").stdout)
    assert len(report["problems"]) == 120
    assert (report["task"], report["results"], report["topics"]) == ("focused", 240, 120)


def test_the_verb_regroups_articles(tmp_path: Path) -> None:
    lines = ["7 Q0 a 1 .9 r 0 10", "7 Q0 b 2 .8 r 0 10", "7 Q0 a 3 .7 r 50 10"]
    write_files(tmp_path, {"bad.run": "\n".join(lines)})
    out = tmp_path / "good.run"
    result = doxeval("validate", tmp_path / "bad.run", "--task", "ric", "--fix", out)
    assert f"{out}: moved 1 result up to the first result of its article" in result.stderr
    assert "dropped 1 result" not in result.stderr
    assert [line.split()[2] for line in out.read_text().splitlines()] == ["a", "a", "b"]
    assert doxeval("validate", out, "--task", "ric").exit_code == 0


def test_options_of_the_verb_beside_each_other(tmp_path: Path) -> None:
    topics = (
        '{"id": "7", "castitle": "//article[about(., x)]//sec"}\n{"id": "8", "title": "plain"}\n'
    )
    broken = '{"id": "7", "castitle": "//article["}\n'
    run = '{"topic": "7", "doc": "a", "path": "/article[1]/p[1]"}\n{"topic": "8", "doc": "a"}\n'
    write_files(tmp_path, {"t.jsonl": topics, "broken.jsonl": broken, "a.jsonl": run})
    command = ["validate", tmp_path / "a.jsonl", "--task", "sscas"]
    unchecked = doxeval(*command)
    assert unchecked.exit_code == 0
    assert "warning: sscas is strict about targets, which are only checked with" in unchecked.stdout
    assert "0 errors, 1 warning" in unchecked.stdout
    checked = doxeval(*command, "--topics", tmp_path / "t.jsonl", "--format", "json")
    assert checked.exit_code == 1
    (report,) = json.loads(checked.stdout)
    assert [problem["kind"] for problem in report["problems"]] == ["off target"]
    assert report["warnings"] == ["topics without a structured query have no target to check: 8"]
    refused = doxeval(*command, "--topics", tmp_path / "broken.jsonl")
    assert refused.exit_code == 1
    assert "broken.jsonl:1: the query of topic 7: column" in refused.stderr
    lax = doxeval(*command[:2], "--task", "thorough", "--topics", tmp_path / "broken.jsonl")
    assert lax.exit_code == 0  # the query plays no part there
    assert doxeval(*command, "--force").exit_code == 2
    both = doxeval(*command, tmp_path / "a.jsonl", "--fix", tmp_path / "out.run")
    assert both.exit_code == 2 and "one run at a time" in both.stderr


def test_the_verb_converts(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.run": "7 Q0 a 1 0.9 r 0 10\n7 Q0 b 2 0.8 r 5 10\n"})
    for name in ("b.jsonl", "c.csv", "d.xml", "e.parquet"):
        assert doxeval("convert", tmp_path / "a.run", tmp_path / name).exit_code == 0
        back = tmp_path / f"{name}.run"
        assert doxeval("convert", tmp_path / name, back).exit_code == 0
        assert back.read_text() == (tmp_path / "a.run").read_text()
    result = doxeval("convert", tmp_path / "a.run", tmp_path / "b.jsonl")
    assert result.exit_code == 1
    assert "--force replaces it" in result.stderr
    write_files(tmp_path, {"tree.jsonl": '{"topic": "1", "doc": "a", "nodes": ["/p[1]"]}'})
    result = doxeval("convert", tmp_path / "tree.jsonl", tmp_path / "tree.run")
    assert result.exit_code == 1
    assert "the format text cannot hold trees" in result.stderr
    assert not (tmp_path / "tree.run").exists()


def test_a_document_and_its_root_are_duplicates() -> None:
    results = [Result("1", "a"), Result("1", "a", Kind.ELEMENT, paths=("/article",))]
    found = problems_of(Run.from_results(results), TASKS["thorough"])
    assert [(problem.kind, problem.lines) for problem in found] == [("duplicate", (1, 2))]


def test_a_run_of_documents_has_whole_documents_each_once() -> None:
    whole, part = Result("7", "a"), Result("7", "b", Kind.ELEMENT, paths=("/p[1]",))
    run = Run.from_results([whole, part, Result("7", "a")])
    found = kinds(run, "documents")
    assert ("duplicate", (1, 3)) in found
    assert ("not a document", (2,)) in found
    assert kinds(Run.from_results([whole]), "documents") == []
