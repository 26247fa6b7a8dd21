"""What runs are, in words: comments of text runs, INEX's descriptions, and lines of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from doxeval.errors import FormatError
from doxeval.evaluation import evaluate
from doxeval.runs import read_descriptions, read_run, run_blocks

COMMENT = "# right elements,\n#\n#  best article first \n\n"


def write(directory: Path, name: str, text: str) -> Path:
    path = directory / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("mine.run", "7 Q0 a 1 0.5 mine\n"),
        ("mine.run", "7 Q0 a 1 0.5 mine /article[1]\n"),
        ("mine", "7 a 1\n"),
        ("mine.tsv", "7\ta\t1\n"),
        ("mine.run", "160 a 1 100 50 0.9 mine\n"),
    ],
)
def test_a_comment_before_the_results_describes_a_run(tmp_path: Path, name: str, line: str) -> None:
    commented = read_run(write(tmp_path, name, f"\ufeff{COMMENT}{line}"))
    assert commented.facts["description"] == "right elements, best article first"
    assert commented.line.tolist() == [5]
    plain = read_run(write(tmp_path, name, line))
    assert commented == plain
    assert "description" not in plain.facts
    windows = f"{COMMENT}{line}".replace("\n", "\r\n")
    assert read_run(write(tmp_path, name, windows)).facts == commented.facts


def test_the_first_block_has_the_comment(tmp_path: Path) -> None:
    lines = "".join(f"{topic} Q0 a 1 0.5 mine\n" for topic in range(100))
    path = write(tmp_path, "mine.run", f"{'# ' + 'word ' * 200}\n{lines}")
    blocks = list(run_blocks(path, 1))
    assert sum(len(block.run) for block in blocks) == 100
    assert [bool(block.facts.description) for block in blocks][:3] == [True, False, False]
    assert blocks[-1].run.line.tolist()[-1] == 101


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("7 Q0 a 1 0.5 mine\n# behind\n", r"mine.run:2: 2 fields; expected 6 fields as before"),
        ("#1 Q0 a 1 0.5\n", r"mine.run:1: 5 fields; expected 6, 7 or 8"),
        ("# nothing else\n", r"mine.run: no results in the file"),
        ("# first\n7 Q0 a one 0.5 mine\n", r"mine.run:2: 'one' is not a rank"),
        ("# first\n7 0 a 1\n", r"mine.run:2: this looks like assessments"),
        ("# " + "x" * 70_000 + "\n7 Q0 a 1 0.5 mine\n", r"mine.run:1: 2 fields"),
    ],
)
def test_what_is_no_comment_is_an_error_in_its_line(
    tmp_path: Path, text: str, problem: str
) -> None:
    with pytest.raises(FormatError, match=problem):
        read_run(write(tmp_path, "mine.run", text))


def test_a_topic_may_begin_with_a_hash(tmp_path: Path) -> None:
    assert list(read_run(write(tmp_path, "mine.run", "#1 Q0 a 1 0.5 mine\n")).topics) == ["#1"]


def test_descriptions_arrive_in_the_table(tmp_path: Path) -> None:
    text = write(tmp_path, "mine.run", f"{COMMENT}7 Q0 a 1 0.5 mine\n")
    inex = write(
        tmp_path,
        "yours.xml",
        '<inex-submission run-id="yours"><description> whole\n documents </description>'
        '<topic topic-id="7"><result><file>a</file></result></topic></inex-submission>',
    )
    long = write(tmp_path, "long.run", f"# {'word ' * 500}\n7 Q0 a 1 0.5 long\n")
    bare = write(tmp_path, "bare.run", "7 Q0 a 1 0.5 bare\n")
    table = evaluate([text, inex, long, bare], {"7": {"a": 1}}, "AP")
    assert list(table.descriptions) == ["mine", "yours", "long"]
    assert table["mine"].description == "right elements, best article first"
    assert table["yours"].description == "whole documents"
    assert len(table["long"].description) == 200
    assert table["bare"].description == ""
    assert table.only(runs="yours").described({"yours": ""}).descriptions == {}
    assert [run.get("description") for run in table.to_dict()["runs"]][1] == "whole documents"
    in_processes = evaluate([text, inex], {"7": {"a": 1}}, "AP", jobs=2)
    assert in_processes.descriptions == table.only(runs=["mine", "yours"]).descriptions


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: x\nb\n", r"runs.txt:2: expected NAME: text, not 'b'"),
        (": x\n", r"runs.txt:1: expected NAME: text"),
        ("a: x\na: y\n", r"runs.txt:2: 'a' is described twice"),
        ("\n# nothing\n", r"runs.txt: no lines of the form NAME: text"),
    ],
)
def test_lines_that_describe_nothing_are_errors(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "runs.txt").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=problem):
        read_descriptions(tmp_path / "runs.txt")
