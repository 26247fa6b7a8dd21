"""Runs of TREC Genomics 2006–07: what is recognised, read, refused, written and validated."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.errors import FormatError, OutputError
from doxeval.runs import Run, losses, read_open_run, read_run, run_blocks, write_run
from doxeval.tasks import problems_of, task_named
from helpers import doxeval, write_files

LINES = "200 10229231 1 36697 1090 mine\n200 10229231 2 0 9 mine\n201 11 1 5 4 mine\n"


def read(text: str) -> Run:
    return read_open_run(io.BytesIO(text.encode()), "a.run", "genomics")


def places(run: Run) -> list[tuple[str, str, int | None, int | None]]:
    return [(each.topic, each.document, each.start, each.end) for each in run]


def test_passages_are_read() -> None:
    run = read(LINES)
    assert run.run_id == "mine"
    assert run.score is None
    assert run.facts == {"task": "genomics"}
    assert places(run) == [
        ("200", "10229231", 36697, 37787),
        ("200", "10229231", 0, 9),
        ("201", "11", 5, 9),
    ]


@pytest.mark.parametrize("separator", [" ", "\t", "   ", " \t "])
def test_any_white_space_separates(separator: str) -> None:
    assert places(read(LINES.replace(" ", separator))) == places(read(LINES))


def test_the_order_is_rank_document_offset_and_length() -> None:
    lines = ["7 b 2 0 5 m", "7 a 2 9 5 m", "7 a 2 9 4 m", "7 a 2 1 9 m", "7 10 2 0 5 m"]
    lines += ["7 9 2 0 5 m", "7 z 1 0 5 m"]
    run = read("\n".join(lines))
    assert [(each.document, each.start, each.end) for each in run] == [
        ("z", 0, 5),
        ("10", 0, 5),  # documents are text, so 10 comes before 9
        ("9", 0, 5),
        ("a", 1, 10),
        ("a", 9, 13),
        ("a", 9, 14),
        ("b", 0, 5),
    ]
    assert run.line.tolist() == [7, 5, 6, 4, 3, 2, 1]


SHUFFLED = st.permutations(
    [f"{topic} d{rank % 2} {rank} {rank} 3 m" for topic in "78" for rank in (1, 2, 3)]
)


@given(SHUFFLED)
def test_the_order_of_lines_is_irrelevant(lines: list[str]) -> None:
    found = places(read("\n".join(lines)))
    assert [each for each in found if each[0] == "7"] == [
        ("7", "d1", 1, 4),
        ("7", "d0", 2, 5),
        ("7", "d1", 3, 6),
    ]
    assert [topic for topic, *_ in found] in (list("777888"), list("888777"))


def test_the_tag_may_be_missing_and_what_is_behind_it_is_ignored() -> None:
    assert read("7 a 1 0 5\n").run_id == "a"  # the file's name
    run = read("7 a 1 0 5 mine and more\n7 b 2 0 5\n")
    assert (run.run_id, len(run)) == ("mine", 2)
    run = read("7 a 1 0 5 mine\n7 b 2 0 5 yours\n")
    assert run.warnings == ("2 run ids in one file: mine, yours",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("7 a 1 0", "4 fields; expected 5 or more"),
        ("7 a first 0 5 m", "'first' is not a rank"),
        ("7 a -1 0 5 m", "'-1' is not a rank"),
        ("7 a 1 0.93 1572 27 m", "'0.93' is not an offset"),
        ("7 a 1 -5 5 m", "'-5' is not an offset"),
        ("7 a 1 5 five m", "'five' is not a length"),
        ("7 a 1 5 -5 m", "'-5' is not a length"),
        ("7 a 1 5 " + 19 * "9" + " m", "is not a length"),
        ("7 a\x00b 1 0 5 m", "control character 0x00"),
    ],
)
def test_a_bad_line_is_named(line: str, message: str) -> None:
    with pytest.raises(FormatError, match=f"^a.run:3: .*{message}"):
        read(f"7 a 1 0 5 m\n\n{line}\n7 x x x x\n")


def test_bytes_that_are_not_text_are_refused() -> None:
    with pytest.raises(FormatError, match=r"a.run:2: byte 0xff is not UTF-8 text"):
        read_open_run(io.BytesIO(b"7 a 1 0 5 m\n7 \xff 2 0 5 m\n"), "a.run", "genomics")


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(FormatError, match="no results in the file"):
        read("\n\n")


# Recognition

GENOMICS = [
    LINES,
    LINES.replace(" ", "\t"),
    "7 a 1 0 5\n",
    "7 a 0 0 5 m\n",
    "7 a 9 0 5 m\n7 b 8 0 5 m\n",
    "\ufeff" + LINES,
    "\n\n" + LINES,
]
OTHER = [
    "7 Q0 12 1 9 mine\n",
    "7 q0 1 1 9 mine\n7 q0 2 2 8 mine\n",
    "7 0 1 1 9 mine\n",
    "7 Q0 12 1 9 mine 100 50\n",
    "7 run 12 1 9 mine\n7 run 13 2 8 mine\n",  # something else in place of Q0, on every line
]


@pytest.mark.parametrize("text", GENOMICS)
@pytest.mark.parametrize("name", ["a.run", "a.txt", "a"])
def test_a_file_is_recognised_by_its_lines(text: str, name: str, tmp_path: Path) -> None:
    run = read_run(write_files(tmp_path, {name: text}) / name)
    assert run.facts == {"task": "genomics"}
    assert next(run_blocks(tmp_path / name, 1)).run.facts == run.facts


@pytest.mark.parametrize("text", OTHER)
def test_other_runs_are_not_taken_for_one(text: str, tmp_path: Path) -> None:
    assert not read_run(write_files(tmp_path, {"a.run": text}) / "a.run").facts


def test_gold_passages_are_not_taken_for_a_run(tmp_path: Path) -> None:
    write_files(tmp_path, {"gold.txt": "7\ta\t0\t9\tserum proteins|x\n7\tb\t0\t9\ty\n"})
    with pytest.raises(FormatError, match=r"looks like assessments \(gold passages of TREC Geno"):
        read_run(tmp_path / "gold.txt")


def test_blocks_are_whole_topics(tmp_path: Path) -> None:
    lines = [f"{topic} d{n} {n} 0 5 m" for topic in range(6) for n in (2, 1)]
    write_files(tmp_path, {"a.run": "\n".join(lines)})
    blocks = [block.run for block in run_blocks(tmp_path / "a.run", 4)]
    assert len(blocks) > 1
    assert [each for run in blocks for each in places(run)] == places(read("\n".join(lines)))


# Writing


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    run = read("7 b 3 0 5 m\n7 a 1 9 4 m\n8 a 1 9 4 m\n8 b 1 0 0 m\n")
    write_run(run, tmp_path / "a.run", "genomics")
    assert read_run(tmp_path / "a.run") == run


def test_ranks_are_numbered_where_there_are_none(tmp_path: Path) -> None:
    run = Run.from_arrays([7, 8, 7], ["b", "a", "a"], start=[0, 0, 1], end=[5, 5, 5], run_id="m")
    write_run(run, tmp_path / "a.run", "genomics")
    assert (tmp_path / "a.run").read_text() == (
        "7\tb\t1\t0\t5\tm\n8\ta\t1\t0\t5\tm\n7\ta\t2\t1\t4\tm\n"
    )


@pytest.mark.parametrize(
    ("run", "lost"),
    [
        (Run.from_dict({"7": ["a"]}), "results that are not passages by offsets"),
        (Run.from_arrays([7], ["a"], offset=[3]), "results that are not passages by offsets"),
        (Run.from_arrays([7], ["a b"], start=[0], end=[5]), "white space, like 'a b'"),
        (
            Run.from_arrays([7, 7], ["a", "b"], start=[0, 0], end=[5, 5], rank=[2, 1]),
            "lists in another order than that of their ranks",
        ),
        (
            Run.from_arrays([7, 7], ["b", "a"], start=[0, 0], end=[5, 5], rank=[1, 1]),
            "lists in another order than that of their ranks",
        ),
    ],
)
def test_what_cannot_be_held_is_refused(run: Run, lost: str, tmp_path: Path) -> None:
    assert lost in "; ".join(losses(run, "genomics"))
    with pytest.raises(OutputError, match="the format genomics cannot hold"):
        write_run(run, tmp_path / "a.run", "genomics")
    assert not (tmp_path / "a.run").exists()


# Verbs


def test_validate_knows_the_format_and_its_limit(tmp_path: Path) -> None:
    lines = [f"7 d{n} {n} 0 5 m" for n in range(1, 1003)]
    write_files(tmp_path, {"a.run": "\n".join(lines), "b.run": "\n".join(lines[:1000])})
    result = doxeval("validate", tmp_path / "a.run")
    assert result.exit_code == 1
    assert "as genomics" in result.output
    assert "topic 7 has 1002 results, 2 more than 1000, from line 1001 on" in result.output
    assert doxeval("validate", tmp_path / "b.run").exit_code == 0
    fixed = doxeval("validate", tmp_path / "a.run", "--fix", tmp_path / "c.run")
    assert fixed.exit_code == 1
    assert read_run(tmp_path / "c.run") == read_run(tmp_path / "b.run")


def test_other_results_than_passages_are_warned_about() -> None:
    (problem,) = problems_of(Run.from_dict({"7": ["a"]}), task_named("genomics"))
    assert (problem.severity, problem.kind) == ("warning", "not a passage")


def test_convert_in_and_out(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.run": LINES})
    assert doxeval("convert", tmp_path / "a.run", tmp_path / "b.jsonl").exit_code == 0
    to = ("--to", "genomics")
    assert doxeval("convert", tmp_path / "b.jsonl", tmp_path / "c.run", *to).exit_code == 0
    assert (tmp_path / "c.run").read_text() == LINES.replace(" ", "\t")
    result = doxeval("convert", "--from", "genomics", tmp_path / "c.run", tmp_path / "d.txt", *to)
    assert result.exit_code == 0
    assert (tmp_path / "d.txt").read_bytes() == (tmp_path / "c.run").read_bytes()


def test_scores_are_left_out_with_a_note(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.run": "7 Q0 a 1 0.5 m 0 9\n"})
    result = doxeval("convert", tmp_path / "a.run", tmp_path / "b.run", "--to", "genomics")
    assert result.exit_code == 0
    assert "left out, as genomics does not hold it: scores" in result.output
