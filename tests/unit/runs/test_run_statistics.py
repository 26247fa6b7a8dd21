"""Statistics of runs, against counting characters one by one."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.cli import statistics_figures
from doxeval.documents import Collection, example_collection
from doxeval.errors import InputError
from doxeval.runs import Kind, Result, Run, overlap_of, resolve, run_statistics
from helpers import Builder, doxeval, write_files
from levels import examples
from strategies import World, results, worlds


def nested(one: str, other: str) -> bool:
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def is_whole(result: Result) -> bool:
    return result.kind == Kind.DOCUMENT or (
        result.kind == Kind.ELEMENT and result.paths[0].count("/") == 1
    )


def share_a_character(one: tuple[int, int], other: tuple[int, int]) -> bool:
    for empty, around in ((one, other), (other, one)):
        if empty[0] == empty[1]:
            return around[0] < empty[0] < around[1]
    return bool(set(range(*one)) & set(range(*other)))


def overlap_as_stated(one: Result, other: Result) -> bool:
    """By paths and offsets alone, for results of the same topic and document."""
    if is_whole(one) and is_whole(other):
        return True
    by_paths = (Kind.DOCUMENT, Kind.ELEMENT, Kind.TREE)
    if one.kind in by_paths and other.kind in by_paths:
        if Kind.DOCUMENT in (one.kind, other.kind):
            return True
        return any(nested(path, further) for path in one.paths for further in other.paths)
    own, others = stated_ranges(one), stated_ranges(other)
    if own and others:
        return any(share_a_character(range_, further) for range_ in own for further in others)
    for whole, ranges in ((one, others), (other, own)):
        if is_whole(whole) and ranges:
            return any(start < end or start > 0 for start, end in ranges)
    return False


def stated_ranges(result: Result) -> list[tuple[int, int]]:
    """The ranges of a result that is given in characters."""
    if result.kind == Kind.PASSAGE and not result.paths:
        return [(result.start or 0, result.end or 0)]
    text = characters(result.spans)  # ranges that touch are one
    begins = sorted(at for at in text if at - 1 not in text)
    return list(zip(begins, sorted(at + 1 for at in text if at + 1 not in text), strict=True))


@examples(120)
@given(st.lists(results(), max_size=7))
def test_overlap_without_a_collection(wanted: list[Result]) -> None:
    expected = [False] * len(wanted)
    for (i, one), (j, other) in combinations(enumerate(wanted), 2):
        if one[:2] == other[:2] and overlap_as_stated(one, other):
            expected[i] = expected[j] = True
    found = overlap_of(Run.from_results(wanted))
    assert found.is_overlapping.tolist() == expected
    assert found.is_compared.tolist() == [
        result.kind != Kind.POINT and not (result.kind == Kind.PASSAGE and result.paths)
        for result in wanted
    ]


def ranges_of(result: Result, collection: Collection) -> list[tuple[int, int]]:
    if result.kind == Kind.POINT:
        return []
    if result.kind in (Kind.PASSAGE, Kind.SPANS):
        return stated_ranges(result)
    paths = result.paths or (collection.root(result.document).path,)
    elements = [collection.element(result.document, path) for path in paths]
    return [(element.start, element.end) for element in elements]


def characters(ranges: Sequence[tuple[int, int]]) -> set[int]:
    return {place for one in ranges for place in range(*one)}


Ranges = list[tuple[int, int]]


def overlap_in_text(one: Result, other: Result, own: Ranges, others: Ranges) -> bool:
    """Whether two results of a topic and document overlap, given the ranges of each."""
    if Kind.TREE not in (one.kind, other.kind) and own and others:
        return any(share_a_character(range_, further) for range_ in own for further in others)
    if characters(own) & characters(others):
        return True
    # An empty element strictly inside a piece of a tree.
    for single, ranges, tree in ((one, own, others), (other, others, own)):
        if single.kind != Kind.TREE and ranges and ranges[0][0] == ranges[0][1]:
            text = characters(tree)
            return ranges[0][0] in text and ranges[0][0] - 1 in text
    return False


@examples(30)
@given(worlds(), st.randoms(use_true_random=False))
def test_everything_with_a_collection(world: World, random: object) -> None:
    collection = world.collection()
    known = {document for document, _ in world.documents}
    wanted = [
        result
        for result in (*world.elements, *world.passages, *world.trees, *world.chunks)
        if result.document in known
    ]
    wanted.append(Result("1", next(iter(known)), Kind.POINT, 0))
    random.shuffle(wanted)  # type: ignore[attr-defined]
    run = Run.from_results([result._replace(rank=None, score=None) for result in wanted])
    resolved = resolve(run, collection)
    fine = [row for row in range(len(run)) if resolved.document[row] >= 0]
    ranges = {row: ranges_of(wanted[row], collection) for row in fine}
    overlapping = set()
    for i, j in combinations(fine, 2):
        one, other = wanted[i], wanted[j]
        if one[:2] == other[:2] and overlap_in_text(one, other, ranges[i], ranges[j]):
            overlapping |= {i, j}
    found = run_statistics(resolved, collection)
    assert found == run_statistics(run, collection)
    assert found.unresolved == len(run) - len(fine)
    assert found.overlapping == len(overlapping)
    placed = [row for row in fine if wanted[row].kind != Kind.POINT]
    texts = {row: characters(ranges[row]) for row in placed}
    compared = [row for row in placed if wanted[row].kind != Kind.TREE or texts[row]]
    assert found.compared == len(compared)
    if not compared:
        assert (found.sizes, found.overlap, found.topic_overlap) == (None, None, None)
        return
    assert found.overlap == len(overlapping) / len(compared)
    shares = [
        Fraction(len(overlapping & set(own)), len(own))
        for topic in dict.fromkeys(result.topic for result in wanted)
        if (own := [row for row in compared if wanted[row].topic == topic])
    ]
    assert found.topic_overlap == pytest.approx(float(sum(shares) / len(shares)))
    assert found.sizes is not None
    sizes = sorted(len(texts[row]) for row in compared)
    assert (found.sizes.count, found.sizes.total) == (len(sizes), sum(sizes))
    assert (found.sizes.least, found.sizes.most) == (sizes[0], sizes[-1])
    middle = (sizes[(len(sizes) - 1) // 2] + sizes[len(sizes) // 2]) / 2
    assert found.sizes.median == middle
    seen = {(*wanted[row][:2], place) for row in compared for place in texts[row]}
    assert found.distinct_characters == len(seen)
    elements = [result for result in wanted if result.kind in (Kind.DOCUMENT, Kind.ELEMENT)]
    steps = [(result.paths or ("/r",))[0].strip("/").split("/") for result in elements]
    assert found.depths == dict(sorted(Counter(map(len, steps)).items()))


def test_the_figures_of_a_small_run() -> None:
    """Three of five elements overlap: a section with its paragraph, and the section again."""
    paths = ["/a[1]/s[1]", "/a[1]/s[1]/p[1]", "/a[1]/s[2]", "/a[1]/s[1]"]
    run = Run.from_dict({"7": [("d", path) for path in paths], "8": [("d", "/a/s[1]")]}, "mine")
    collection = example_collection({"d": "<a><s><p>One.</p> two</s><s>Three</s></a>"})
    for found in (run_statistics(run), run_statistics(run, collection)):
        assert (found.overlapping, found.compared, found.overlap) == (3, 5, 0.6)
        assert found.topic_overlap == 0.375
        assert found.duplicates == 1
        assert (found.depths, found.tags) == ({2: 4, 3: 1}, {"s": 4, "p": 1})
        assert found.mean_depth == 2.2
        assert found.kinds == {"element": 5}
        assert repr(found) == "RunStatistics('mine': 5 results for 2 topics, overlap 60.0%)"
    assert found.sizes is not None
    assert (found.sizes.total, found.distinct_characters) == (8 + 4 + 5 + 8 + 8, 8 + 5 + 8)
    assert found.repeated_text == pytest.approx(12 / 33)
    assert run_statistics(run).sizes is None


def test_whole_documents_are_their_roots() -> None:
    collection = example_collection({"d": "<a><s>One</s></a>", "e": "<b/>"})
    run = Run.from_dict({"7": ["d", ("d", "/a/s[1]"), "e", "gone"]})
    with_texts = run_statistics(run, collection)
    assert with_texts.tags == {"a": 1, "b": 1, "s": 1}
    assert (with_texts.unresolved, with_texts.overlapping, with_texts.compared) == (1, 2, 3)
    assert run_statistics(run).tags == {"s": 1}
    assert run_statistics(run).depths == {1: 3, 2: 1}


def test_a_resolved_run_needs_its_collection() -> None:
    collection = example_collection({"d": "<a>One</a>"})
    with pytest.raises(InputError, match="take its collection"):
        run_statistics(resolve(Run.from_dict({"7": ["d"]}), collection))


def test_offsets_beyond_any_text() -> None:
    huge = (1 << 62) - 1
    run = Run.from_dict({"7": [("d", 0, huge), ("d", 5, 9), ("e", 0, huge)]})
    found = run_statistics(run)
    assert found.overlapping == 2
    assert found.sizes is not None and found.sizes.total == 4


RUN = """<inex-submission run-id="mine" task="CO"><topic topic-id="7">
<result><file>d</file><path>/a[1]/s[1]</path></result>
<result><file>d</file><path>/a[1]/s[1]/p[1]</path></result>
<result><file>d</file><path>/a[1]/s[2]</path></result></topic></inex-submission>"""


class TestTheVerb:
    def test_table_json_and_csv(self, tmp_path: Path, build: Builder) -> None:
        file = write_files(tmp_path, {"mine.xml": RUN}) / "mine.xml"
        collection = build({"d.xml": "<a><s><p>One.</p> two</s><s>Three</s></a>"}).directory
        command = ("validate", file, "--statistics", "--collection", collection)
        result = doxeval(*command)
        assert result.exit_code == 0, result.stderr
        assert result.stdout.splitlines() == [
            f"{file}: run mine, 3 results for 1 topic, as co",
            "  0 errors, 0 warnings",
            "  results          3 elements of 1 document",
            "  results a topic  mean 3.0, median 3, from 3 to 3",
            "  overlapping      66.7% of 3 results (mean of the topics: 66.7%)",
            "  repeated text    23.5% of 17 characters",
            "  characters       mean 5.7, median 5, from 4 to 8",
            "  depths           2: 2 (66.7%), 3: 1 (33.3%); mean 2.33",
            "  tags             s: 2 (66.7%), p: 1 (33.3%)",
        ]
        (report,) = json.loads(doxeval(*command, "--format", "json").stdout)
        found = report["statistics"]
        assert (found["overlapping"], found["overlap"]) == (2, pytest.approx(2 / 3))
        assert found["tags"] == {"s": 2, "p": 1}
        assert found["sizes"]["mean"] == pytest.approx(17 / 3)
        rows = list(csv.DictReader(io.StringIO(doxeval(*command, "--format", "csv").stdout)))
        assert {(row["file"], row["run"]) for row in rows} == {(str(file), "mine")}
        values = {(row["statistic"], row["of"]): row["value"] for row in rows}
        assert values["tags", "s"] == "2"
        assert values["depths", "3"] == "1"
        assert values["overlapping", ""] == "2"
        assert float(values["sizes", "mean"]) == pytest.approx(17 / 3)

    def test_no_task_is_needed(self, tmp_path: Path) -> None:
        lines = "7 Q0 a 1 .9 r 0 10\n7 Q0 a 2 .8 r 0 10\n8 Q0 a 1 .9 r 5 5\n"
        file = write_files(tmp_path, {"a.run": lines}) / "a.run"
        assert doxeval("validate", file).exit_code == 2
        result = doxeval("validate", file, "--statistics")
        assert result.exit_code == 1, "a duplicate is an error in every task"
        assert "run r, 3 results for 2 topics, as any task" in result.stdout
        assert "overlapping      66.7% of 3 results (mean of the topics: 50.0%)" in result.stdout

    def test_csv_is_for_statistics(self, tmp_path: Path) -> None:
        file = write_files(tmp_path, {"mine.xml": RUN}) / "mine.xml"
        result = doxeval("validate", file, "--format", "csv")
        assert result.exit_code == 2
        assert "--format csv is for --statistics" in result.stderr
        assert (
            "statistics" not in json.loads(doxeval("validate", file, "--format", "json").stdout)[0]
        )


def test_results_with_several_ranges_are_told_in_words() -> None:
    run = Run.from_arrays(
        [7, 7, 7], ["a"] * 3, spans=[[(0, 2), (4, 6)], [(0, 2)], [(0, 1), (5, 7)]]
    )
    _, value = next(statistics_figures(run_statistics(run)))
    assert value == "1 passage, 2 results with several ranges of 1 document"
