"""The drop-in for inex_eval 3.1: its own output, small cases worked out by hand, and refusals."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import CONFORMANCE, DATA, needs_conformance, write_files
from doxeval.compat import InexEvalOptions, InexEvalTask, inex_eval_lines
from doxeval.compat.focused import thorough_scores
from doxeval.compat.in_context import tolerance_score
from doxeval.compat.java import java_double
from doxeval.compat.judgments import JudgedArticle, JudgedTopic
from doxeval.compat.submission import Passage, TopicResults
from doxeval.compat.task_rules import check_no_overlap
from doxeval.errors import FormatError, InputError

MINI = DATA / "inex_eval-3.1"
REAL = CONFORMANCE / "inex_eval-3.1" / "real"
TASKS = {
    "-t": InexEvalTask.THOROUGH,
    "-f": InexEvalTask.FOCUSED,
    "-r": InexEvalTask.RELEVANT_IN_CONTEXT,
    "-b": InexEvalTask.BEST_IN_CONTEXT,
    "-i": InexEvalTask.T2I,
}
REAL_CASES = {
    "focused.bert_1.q": "-f -q",
    "focused.bert_1.c": "-f -c",
    "thorough.thorough_1.q": "-t -q",
    "ric.ric_1.q": "-r -q",
    "ricbeta1.ric_1": "-r -beta 1",
    "ricT2I300.ric_1.q": "-i -q -irr 300",
    "ricT2I1000.ric_1": "-i -irr 1000",
    "bic.bic_1.q": "-b -q",
    "bicn1000.bic_1": "-b -n 1000",
}


def options(arguments: str) -> InexEvalOptions:
    """The options that the tool's own arguments stand for."""
    given: dict[str, Any] = {}
    words = iter(arguments.split())
    for word in words:
        if word in TASKS:
            given["task"] = TASKS[word]
        elif word in ("-n", "-irr"):
            given[word[1:]] = int(next(words))
        elif word == "-beta":
            given["beta"] = float(next(words))
        else:
            given[{"-c": "all_topics", "-q": "per_topic"}[word]] = True
    return InexEvalOptions(**given)


def assert_same(found: list[str], expected: list[str]) -> None:
    """Labels, topics and layout are the same, and values to 1e-12."""
    assert [line.rpartition("\t")[0] for line in found] == [
        line.rpartition("\t")[0] for line in expected
    ]
    for one, other in zip(found, expected, strict=True):
        if one != other:
            value = pytest.approx(float(other.split("\t")[-1]), rel=0, abs=1e-12, nan_ok=True)
            assert float(one.split("\t")[-1]) == value, f"{one!r} is not {other!r}"


CASES = sorted(path.parent for path in MINI.glob("*/expected.txt"))


def test_there_are_small_cases_of_the_tool() -> None:
    assert len(CASES) == 24


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_small_cases_of_the_tool(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(case)
    chosen = options(Path("args.txt").read_text())
    expected = Path("expected.txt").read_text().splitlines()
    if expected[0].lower().startswith("error"):
        with pytest.raises(FormatError, match=r"^run\.txt:\d"):
            inex_eval_lines("run.txt", ["qrels.txt"], chosen)
    else:
        assert_same(inex_eval_lines("run.txt", ["qrels.txt"], chosen), expected)


@needs_conformance
@pytest.mark.parametrize("name", REAL_CASES)
def test_real_cases_of_the_tool(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REAL)
    run = f"{name.split('.')[1]}.run"
    found = inex_eval_lines(run, ["qrels.txt"], options(REAL_CASES[name]))
    assert_same(found, Path(f"{name}.txt").read_text().splitlines())


@needs_conformance
def test_a_real_topic_in_two_blocks_is_refused_where_the_tool_scores_it_wrongly() -> None:
    with pytest.raises(FormatError) as refused:
        inex_eval_lines(REAL / "bert_dup-topic.run", [REAL / "qrels.txt"], options("-f"))
    assert "topic 2009079 is in two separate blocks, lines 15687 to 15935 and from line 32582" in (
        refused.value.message
    )


@needs_conformance
def test_all_real_cases_of_the_tool_are_met() -> None:
    outputs = {path.stem for path in REAL.glob("*.txt")} - {"qrels"}
    assert outputs - set(REAL_CASES) == {"focused.bert_dup-topic"}


Evaluate = Callable[..., list[str]]

# Topic 7 has 50 relevant characters in two articles, topic 8 has 10 in one, topic 9 has none.
QRELS = """\
7 Q0 a 40 100 10 0:40
7 Q0 b 0 80
7 Q0 d 10 50 40 40:10
8 Q0 e 10 20 0 0:10
9 Q0 f 0 30
"""


@pytest.fixture
def evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Evaluate]:
    """Evaluate a run, given as text without its constant columns, against QRELS or others."""
    monkeypatch.chdir(tmp_path)

    def evaluator(arguments: str, run: str | bytes, qrels: str | bytes = QRELS) -> list[str]:
        write_files(tmp_path, {"run.txt": run, "qrels.txt": qrels})
        return inex_eval_lines("run.txt", ["qrels.txt"], options(arguments))

    yield evaluator


def lines(*results: str) -> str:
    """A run of `topic article offset length` each."""
    rows = (result.split() for result in results)
    return "".join(
        f"{topic} Q0 {article} {rank} {1 / rank} mine {offset} {length}\n"
        for rank, (topic, article, offset, length) in enumerate(rows, 1)
    )


def values(printed: list[str], topic: str) -> dict[str, float]:
    """The values printed for a topic, by their labels."""
    rows = (line.split("\t") for line in printed if "\t" in line)
    return {row[0]: float(row[-1]) for row in rows if row[-2] == topic}


def near(value: float) -> Any:
    return pytest.approx(value, rel=0, abs=1e-12, nan_ok=True)


def test_focused(evaluate: Evaluate) -> None:
    # 20 of 40 characters, 20 of 80, 40 of 100: recall .4 with precision .5, .8 with .4.
    found = evaluate("-f -q", lines("7 a 20 40", "7 b 0 40", "7 a 0 20"))
    assert_same(
        found[:18],
        [
            '<eval run-id="mine" file="run.txt">',
            "num_ret\t\t7\t2",
            "num_rel\t\t7\t2",
            "num_rel_ret\t7\t1",
            "ret_size\t7\t100",
            "rel_size\t7\t50",
            "rel_ret_size\t7\t40",
            "art_prec\t7\t0.5",
            "art_rec\t\t7\t0.5",
            "art_f1\t\t7\t0.5",
            "char_prec\t7\t0.4",
            "char_rec\t7\t0.8",
            "char_f1\t\t7\t0.5333333333333333",
            "iP[0.00]\t7\t0.5",
            "iP[0.01]\t7\t0.5",
            "iP[0.05]\t7\t0.5",
            "iP[0.10]\t7\t0.5",
            "AiP\t\t7\t0.36138613861386137",  # (41 · .5 + 40 · .4) / 101
        ],
    )
    assert found[18] == "num_q\t\tall\t1"
    assert_same(found[35:36], ["MAiP\t\tall\t0.36138613861386137"])
    curve = [0.5] * 41 + [0.4] * 40 + [0.0] * 20
    assert_same(
        found[36:],
        [f"ircl_prn.{n / 100:.2f}\tall\t{precision}" for n, precision in enumerate(curve)]
        + ["</eval>"],
    )


def test_thorough_counts_new_text_where_there_is_relevant_text_and_all_elsewhere(
    evaluate: Evaluate,
) -> None:
    found = values(
        evaluate("-t", lines("7 a 20 40", "7 a 0 60", "7 b 0 40", "7 b 0 40", "7 a X X")), "all"
    )
    # New in a are 40 and 20 characters, 20 relevant each; b costs 40 twice, X in a nothing.
    assert (found["ret_size"], found["rel_ret_size"]) == (140, 40)
    assert found["char_prec"] == near(40 / 140)
    assert found["iP[0.00]"] == near(40 / 60)


def test_relevant_in_context(evaluate: Evaluate) -> None:
    # a: 40 of 60 characters, all 40 relevant ones: P 2/3, R 1. d: 10 of 10 characters.
    found = evaluate("-r -q -beta 1", lines("7 a 20 40", "7 a 0 20", "7 b 0 40", "7 d 40 10"))
    by_topic = values(found, "7")
    assert [by_topic[f"gP[{k}]"] for k in (1, 2, 3, 5)] == [
        near(0.8),
        near(0.4),
        near(0.6),
        near(0.6),
    ]
    assert [by_topic[f"gR[{k}]"] for k in (1, 2, 3, 5)] == [0.5, 0.5, 1, 1]
    assert by_topic["AgP"] == near((0.8 + 0.6) / 2)
    total = values(found, "all")
    assert (total["num_ret"], total["num_rel"], total["rel_size"]) == (3, 3, 60)
    curve = [total[f"ircl_prn.{n / 10:.2f}"] for n in range(11)]
    assert curve == [near(0.8)] * 6 + [near(0.6)] * 5
    labels = [line.split("\t")[0] for line in found]
    assert labels.index("MAgP") == labels.index("gP[1]", labels.index("num_q")) - 1


def test_relevant_in_context_weighs_recall_by_beta(evaluate: Evaluate) -> None:
    # P 1/2, R 1: F = 1.0625 · .5 / (.0625 · .5 + 1)
    found = values(evaluate("-r", lines("7 a 0 80")), "all")
    assert found["gP[1]"] == near(0.53125 / 1.03125)


def test_best_in_context(evaluate: Evaluate) -> None:
    # Entry points are at 10 and 40: distances 110 and 0 of n = 200.
    found = values(
        evaluate("-b -n 200", lines("7 a 120 1", "7 b 10 1", "7 d 40 1", "8 e X 1")), "all"
    )
    assert (found["ret_size"], found["rel_ret_size"], found["num_rel_ret"]) == (0, 0, 3)
    assert found["gP[1]"] == near((0.45 + 0) / 2)
    assert found["MAgP"] == near(((0.45 + 1.45 / 3) / 2 + 0) / 2)


def test_t2i_reads_passages_by_offset_then_the_rest(evaluate: Evaluate) -> None:
    # 60–80 irrelevant, then from the start 40 relevant, then 10 more irrelevant: 30 are borne.
    found = values(evaluate("-i -irr 30", lines("7 a 60 10", "7 a 70 10")), "all")
    assert found["gP[1]"] == near(40 / 70)
    # An article that ends before the reader gives up: 10 relevant, 10 not.
    found = values(evaluate("-i", lines("8 e 0 5")), "all")
    assert found["gP[1]"] == near(10 / 20)


@pytest.mark.parametrize(("task", "size"), [("-f", 18), ("-r", 18), ("-i", 18), ("-t", 0)])
def test_a_passage_that_is_nowhere_has_a_size_but_no_text(
    evaluate: Evaluate, task: str, size: int
) -> None:
    for offset in ("X", "-1"):
        found = values(evaluate(task, lines(f"7 a {offset} -1")), "all")
        assert (found["ret_size"], found["rel_ret_size"]) == (size, 0)


def test_recall_falls_into_bins_by_floating_point(evaluate: Evaluate) -> None:
    qrels = "7 Q0 a 100 100 0 0:100\n"
    for found, last_bin in ((29, 28), (30, 30), (57, 56), (58, 57)):
        curve = values(evaluate("-f", lines(f"7 a 0 {found}"), qrels), "all")
        filled = [n for n in range(101) if curve[f"ircl_prn.{n / 100:.2f}"] == 1]
        assert filled == list(range(last_bin + 1))


def test_topics_without_relevant_text_are_not_a_number(evaluate: Evaluate) -> None:
    found = values(evaluate("-f -q", lines("9 f 0 10", "7 a 0 40")), "9")
    assert found["art_rec"] == near(float("nan")) == found["char_rec"]
    assert {found[label] for label in ("art_prec", "art_f1", "char_f1", "iP[0.00]", "AiP")} == {0}
    found = values(evaluate("-r -q", lines("9 f 0 10", "7 a 0 40")), "all")
    assert found["MAgP"] == near(float("nan")) == found["gR[1]"]
    assert found["gP[1]"] == near(0.5)
    found = values(evaluate("-r -q -c", lines("7 a 0 40")), "9")
    assert (found["AgP"], found["gR[1]"]) == (near(float("nan")), 0)


def test_topics_are_those_with_results_or_all_sorted_as_strings(evaluate: Evaluate) -> None:
    qrels = QRELS + "10 Q0 g 1 9 0 0:1\n"
    found = evaluate("-f -q", lines("8 e 0 10", "6 a 0 1", "10 g 0 1"), qrels)
    assert [line for line in found if line.startswith(("num_ret", "num_q"))] == [
        "num_ret\t\t10\t1",
        "num_ret\t\t8\t1",
        "num_q\t\tall\t2",
        "num_ret\t\tall\t2",
    ]
    assert values(found, "all")["num_rel"] == 2
    found = evaluate("-f -c", lines("8 e 0 10"), qrels)
    assert (values(found, "all")["num_q"], values(found, "all")["num_rel"]) == (4, 4)


def test_a_run_without_assessed_topics_has_no_means(evaluate: Evaluate) -> None:
    for task in ("-f", "-r"):
        found = evaluate(task, lines("6 a 0 1"))
        assert found[0] == '<eval run-id="" file="run.txt">'
        assert values(found, "all")["ircl_prn.0.00"] == near(float("nan"))
        assert values(found, "all")["num_rel"] == (0 if task == "-f" else 3)


def test_the_run_is_named_by_the_last_line_of_an_assessed_topic(evaluate: Evaluate) -> None:
    run = "7 Q0 a 1 1 first 0 1\n7 Q0 b 2 1 last 0 1\n6 Q0 a 1 1 other 0 1\n"
    assert evaluate("-f", run)[0] == '<eval run-id="last" file="run.txt">'


def test_only_the_number_of_fields_counts_in_topics_without_assessments(
    evaluate: Evaluate,
) -> None:
    run = lines("7 a 0 1", "6 a huge -5", "6 a 0 9", "6 a 0 9")
    assert values(evaluate("-b", run), "all")["num_ret"] == 1


def test_assessments_are_not_checked_against_themselves(evaluate: Evaluate) -> None:
    # rsize says 20, the passages have 40 + 10 (twice): recall 60/20 is impossible.
    qrels = "7 Q0 a 20 30 0 0:40 30:10\n7 Q0 b 5 10\n7 Q0 c 5 10 0\n"
    found = evaluate("-f", lines("7 a 0 10", "7 a 10 30"), qrels)
    assert found[0] == "Impossible recall point: 166"
    assert found[1] == '<eval run-id="mine" file="run.txt">'
    total = values(found, "all")
    assert (total["rel_size"], total["rel_ret_size"], total["num_rel"]) == (30, 50, 3)
    assert total["iP[0.10]"] == 1
    # An article that is judged twice keeps its first rsize.
    found = evaluate("-f", lines("7 a 0 9"), "7 Q0 a 0 9\n7 Q0 a 5 9 0 0:5\n")
    assert (values(found, "all")["rel_size"], values(found, "all")["num_rel_ret"]) == (5, 0)


def test_lines_end_and_fields_are_separated_as_in_java(evaluate: Evaluate) -> None:
    run = "7\tQ0\x0ba  1 .5 mine +0 040 \r8 Q0 \x85é 1 .5 mine 0 1\r\n".encode()
    assert values(evaluate("-f -q", run), "7")["rel_ret_size"] == 40


def test_compressed_files_are_read_and_several_files_of_assessments(tmp_path: Path) -> None:
    run = gzip.compress(lines("7 a 0 40", "8 e 0 10").encode())
    first, second = QRELS[: QRELS.index("8 Q0")], QRELS[QRELS.index("8 Q0") :]
    write_files(tmp_path, {"run.txt.gz": run, "1": first, "2.gz": gzip.compress(second.encode())})
    found = inex_eval_lines(
        tmp_path / "run.txt.gz", [tmp_path / "1", tmp_path / "2.gz"], options("-f")
    )
    assert values(found, "all")["rel_ret_size"] == 50


ONCE = "7 Q0 a 1 1 mine "


@pytest.mark.parametrize(
    ("arguments", "run", "message"),
    [
        ("-f", "", "run.txt: no results in the file"),
        ("-f", ONCE + "1", "run.txt:1: 7 fields; expected 8: topic Q0 article rank rsv run-id"),
        ("-f", ONCE + "1 2 3", "run.txt:1: 9 fields; expected 8"),
        ("-f", "6 Q0 a\n", "run.txt:1: 3 fields; expected 8"),
        ("-f", ONCE + "1 2\n\n", "run.txt:2: a blank line; expected 8"),
        ("-f", " " + ONCE + "1 2\n", "run.txt:1: begins with white space"),
        ("-f", ONCE + "1 -2", "run.txt:1: a negative length, -2; expected 0 or more"),
        ("-b", ONCE + "x 2", "run.txt:1: 'x' is not an offset: expected a whole number"),
        ("-f", ONCE + "1 1_0", "run.txt:1: '1_0' is not a length: expected a whole number"),
        ("-f", ONCE + "1 ٣", "run.txt:1: '٣' is not a length"),
        ("-f", ONCE + "1 2147483648", "of at most 2147483647"),
        ("-f", ONCE + "1 " + "9" * 5000, "run.txt:1: '9999"),
        ("-f", ONCE + "2147483647 1", "run.txt:1: the passage ends at 2147483648"),
        ("-f", lines("7 a 0 9", "7 a 5 9"), "topic 7, article a: the passage overlaps that of"),
        ("-r", lines("7 b 0 9", "7 b 0 9"), "run.txt:2: topic 7, article b: the passage overlaps"),
        ("-i", lines("7 a 0 9", "7 a 5 0"), "run.txt:2: topic 7, article a: the passage overlaps"),
        ("-r", lines("7 a 0 1", "7 b 0 1", "7 a 5 1"), "comes back after another article"),
        ("-i", lines("7 a 0 1", "7 b 0 1", "7 a 5 1"), "run.txt:3: topic 7, article a: comes"),
        ("-b", lines("7 a 0 1", "7 b 0 1", "7 a 5 1"), "run.txt:3: topic 7, article a: a second"),
        ("-b", lines("7 a 0 1", "7 a 0 1"), "run.txt:2: topic 7, article a: a second result"),
        (
            "-t",
            lines("7 a 0 1", "7 a 9 1", "8 e 0 1", "7 b 0 1"),
            "run.txt:4: topic 7 is in two separate blocks, lines 1 to 2 and from line 4: expected",
        ),
        ("-f", b"7 Q0 a 1 1 \xff 0 1\n", "run.txt:1: byte 0xff is not UTF-8 text"),
        ("-f", b"\xef\xbb\xbf7 Q0 a 1 1 mine 0 1\n", "run.txt:1: begins with a byte order mark"),
    ],
)
def test_runs_that_are_refused(
    evaluate: Evaluate, arguments: str, run: str | bytes, message: str
) -> None:
    with pytest.raises(FormatError) as refused:
        evaluate(arguments, run)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ("", "qrels.txt: no assessments in the file"),
        ("\n \n", "qrels.txt: no assessments in the file"),
        ("7 Q0 a 1", "qrels.txt:1: 4 fields; expected topic Q0 article rsize length"),
        (" 7 Q0 a 1 2", "qrels.txt:1: begins with white space"),
        ("7 Q0 a some 9", "qrels.txt:1: 'some' is not an rsize: expected a whole number"),
        ("7 Q0 a 1 99999999999", "qrels.txt:1: '99999999999' is not a length"),
        ("7 Q0 a 1 9 x 0:1", "qrels.txt:1: 'x' is not a best entry point"),
        ("7 Q0 a 1 9 0 12", "qrels.txt:1: '12' is not a passage: expected off:len"),
        ("7 Q0 a 1 9 0 1:", "qrels.txt:1: '' is not a length"),
        ("7 Q0 a 1 9 0 5:-1", "qrels.txt:1: the passage 5:-1 is outside the possible range"),
        (b"7 Q0 \xe9 1 9\n", "qrels.txt:1: byte 0xe9 is not UTF-8 text"),
    ],
)
def test_assessments_that_are_refused(evaluate: Evaluate, qrels: str | bytes, message: str) -> None:
    with pytest.raises(FormatError) as refused:
        evaluate("-f", lines("7 a 0 1"), qrels)
    assert message in str(refused.value)


def test_passages_that_touch_and_empty_ones_at_an_edge_do_not_overlap(evaluate: Evaluate) -> None:
    run = lines("7 a 0 9", "7 a 9 5", "7 a 9 0", "7 a 9 0", "7 a X X", "7 a X X")
    assert values(evaluate("-f", run), "all")["ret_size"] == 14 + 36


@pytest.mark.parametrize(
    "wrong", [{"n": 0}, {"n": 1 << 40}, {"irr": 0}, {"beta": -1.0}, {"beta": float("nan")}]
)
def test_options_have_bounds(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"{next(iter(wrong))} is .*: expected a number"):
        InexEvalOptions(InexEvalTask.FOCUSED, **wrong)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1 / 3, "0.3333333333333333"),
        (0.001, "0.001"),
        (0.0009999, "9.999E-4"),
        (7.119099690176781e-4, "7.119099690176781E-4"),
        (-1e-5, "-1.0E-5"),
        (1e-300, "1.0E-300"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (-123456789.5, "-1.234567895E8"),
        (1.5e22, "1.5E22"),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_numbers_are_printed_as_java_prints_them(value: float, text: str) -> None:
    assert java_double(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_printed_numbers_keep_their_value(value: float) -> None:
    text = java_double(value)
    assert float(text) == value
    assert ("E" in text) == (value != 0 and not 1e-3 <= abs(value) < 1e7)


RANGES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 8)), max_size=8)


def placed(ranges: list[tuple[int, int]]) -> list[Passage]:
    return [
        Passage(b"a", start, start + size, size, line)
        for line, (start, size) in enumerate(ranges, 1)
    ]


@given(RANGES, st.tuples(st.integers(-5, 40), st.integers(0, 40)))
def test_relevant_characters_count_as_often_as_passages_have_them(
    passages: list[tuple[int, int]], wanted: tuple[int, int]
) -> None:
    article = JudgedArticle(1, 99, passages=[(start, start + size) for start, size in passages])
    start, end = wanted[0], sum(wanted)
    by_character = sum(
        start <= at < end for first, size in passages for at in range(first, first + size)
    )
    assert article.relevant_in(start, end) == by_character


@given(RANGES, RANGES)
def test_thorough_counts_each_character_once(
    passages: list[tuple[int, int]], ranges: list[tuple[int, int]]
) -> None:
    topic = JudgedTopic()
    article = topic.add(b"a", 1000, 50)
    relevant = {at for start, size in passages for at in range(start, start + size)}
    article.passages += [(at, at + 1) for at in relevant]
    seen = {at for start, size in ranges for at in range(start, start + size)}
    counts = thorough_scores(placed(ranges), topic).counts
    assert (counts.ret_size, counts.rel_ret_size) == (len(seen), len(seen & relevant))


def overlap(one: Passage, other: Passage) -> bool:
    return one.start < other.end and other.start < one.end


@given(RANGES)
def test_the_first_line_that_overlaps_an_earlier_one_is_named(
    ranges: list[tuple[int, int]],
) -> None:
    results = placed(ranges)
    faulty = [
        result.line
        for at, result in enumerate(results)
        if any(overlap(result, earlier) for earlier in results[:at])
    ]
    try:
        check_no_overlap(TopicResults(b"7", 1, b"mine", results), "run.txt")
    except FormatError as error:
        assert error.line == faulty[0]
    else:
        assert not faulty


@given(RANGES, RANGES, st.integers(1, 40), st.integers(0, 40))
def test_t2i_reads_character_by_character(
    passages: list[tuple[int, int]],
    ranges: list[tuple[int, int]],
    tolerance: int,
    length: int,
) -> None:
    results: list[Passage] = []
    for result in placed(ranges):
        if not any(overlap(result, other) for other in results):
            results.append(result)
    relevant = {at for start, size in passages for at in range(start, start + size)}
    returned = [at for one in sorted(results, key=lambda r: r.start) for at in range(*one[1:3])]
    found = wasted = 0
    for at in [*returned, *(at for at in range(length) if at not in set(returned))]:
        if wasted == tolerance:
            break
        found += at in relevant
        wasted += at not in relevant
    article = JudgedArticle(1, length, passages=[(start, start + size) for start, size in passages])
    expected = found / (found + wasted) if found + wasted else 0.0
    assert tolerance_score(tolerance)(article, results) == expected
