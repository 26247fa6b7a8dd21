"""`doxeval convert`: options that would have no effect are refused, and what is chosen is said."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from doxeval.errors import FormatError, OutputError
from doxeval.runs import Run, read_run, write_run
from helpers import doxeval, write_files

FILES = {
    "a.run": "7 Q0 a 1 0.9 r 0 10\n",
    "a.jsonl": '{"topic": "7", "doc": "a"}\n',
    "q.txt": "7 Q0 a 5 18 2 2:5\n7 Q0 b 0 9\n",
    "a.xml": (
        '<inex-submission participant-id="12" run-id="r" task="Focused"><description>x'
        '</description><topic topic-id="7"><result><file>a</file></result></topic>'
        "</inex-submission>"
    ),
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return write_files(tmp_path, FILES)


@pytest.mark.parametrize(
    ("source", "out", "options", "message"),
    [
        ("a.run", "x", [], "the name 'x' does not say in which format to write; --to names it"),
        ("a.run", "x.dat", [], "the name 'x.dat' does not say in which format to write"),
        ("a.run", "x.csv", ["--pool", "3"], "--pool is about assessments, and csv is a format of"),
        ("a.run", "x.csv", ["--merge", "union"], "--merge is about assessments"),
        (
            "a.run",
            "x.csv",
            ["--whitespace-nodes", "keep"],
            "--whitespace-nodes is about assessments",
        ),
        ("a.run", "x.csv", ["--offsets", "characters"], "--offsets is about assessments"),
        ("a.run", "x.csv", ["--collection", "c"], "--collection is about assessments"),
        (
            "a.run",
            "x.csv",
            ["--lossy"],
            "--lossy is about assessments, and csv is a format of runs",
        ),
        ("a.run", "x", ["--to", "jsonl", "--lossy"], "--lossy is about assessments, and jsonl is"),
        ("a.jsonl", "x.csv", ["--columns", "start-length"], "--columns is about text runs, and IN"),
        ("a.run", "x.csv", ["--from", "inex", "--columns", "start-end"], "and IN is inex"),
        ("q.txt", "x", ["--to", "trec", "--columns", "start-end"], "--columns is about runs, and"),
        (
            "q.txt",
            "x",
            ["--to", "trec", "--from", "text"],
            "--from is about runs, and --to trec is",
        ),
        (
            "q.txt",
            "x",
            ["--to", "trec", "--whitespace-nodes", "keep"],
            "which only --collection can",
        ),
        ("q.txt", "x.jsonl", [], "q.txt looks like assessments, not a run; for assessments --to"),
        ("a.run", "x", ["--to", "qrels"], "a.run is a run (1 result), and --to qrels is a format"),
    ],
)
def test_what_has_no_effect_is_refused(
    files: Path, source: str, out: str, options: list[str], message: str
) -> None:
    result = doxeval("convert", files / source, files / out, *options)
    assert result.exit_code == 2, result.output
    assert message in " ".join(result.stderr.split())
    assert not (files / out).exists()


def test_it_says_what_it_wrote_and_left_out(files: Path) -> None:
    result = doxeval("convert", files / "a.xml", files / "b.txt")
    assert result.exit_code == 0
    assert result.stdout == f"{files / 'b.txt'}: 1 result for 1 topic, written as text\n"
    assert result.stderr == (
        "left out, as text does not hold it: participant_id, task, description\n"
    )
    result = doxeval("convert", files / "a.xml", files / "b.xml")
    assert result.stderr == ""
    assert read_run(files / "b.xml").facts == read_run(files / "a.xml").facts
    result = doxeval("convert", files / "q.txt", files / "q.jsonl", "--to", "judgments")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.endswith("2 judgments for 1 topic, written as judgments\n")
    result = doxeval("convert", files / "a.run", files / "e.csv", "--columns", "start-end")
    assert (files / "e.csv").read_text().splitlines()[1] == "7,a,0,10,1,0.9,r"


def test_parquet_without_pyarrow(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    result = doxeval("convert", files / "a.run", files / "x.parquet")
    assert result.exit_code == 1
    assert (
        "Parquet needs pyarrow: install doxeval with its extra, doxeval[parquet]" in result.stderr
    )
    assert sorted(path.name for path in files.iterdir()) == sorted(FILES)


def test_compressed_files_are_read_and_not_written(files: Path) -> None:
    result = doxeval("convert", files / "a.run", files / "x.jsonl.gz")
    assert result.exit_code == 1
    assert "runs are not written compressed; write" in result.stderr
    with pytest.raises(OutputError, match=r"x\.run\.gz: runs are not written compressed; write"):
        write_run(Run.from_dict({"7": ["a"]}), files / "x.run.gz")
    assert sorted(path.name for path in files.iterdir()) == sorted(FILES)


def test_a_format_that_there_is_not_is_refused(files: Path) -> None:
    with pytest.raises(FormatError, match="no format 'trec' of runs; there are text, inex"):
        read_run(files / "a.run", "trec")  # type: ignore[arg-type]
    with pytest.raises(FormatError, match="no format 'trec' of runs"):
        write_run(Run.from_dict({"7": ["a"]}), files / "x", "trec")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (Run.from_dict({"7": ["a"]}, "my run"), "a run id that holds white space, like 'my run'"),
        (Run.from_dict({"7": ["a"]}, ""), "a run id that holds nothing"),
        (Run.from_dict({"7": [("a", "/p[1] x")]}), "paths that hold white space, like '/p"),
        (Run.from_frame, "entry points that are text points"),
    ],
)
def test_text_cannot_hold_some_runs(files: Path, run: object, message: str) -> None:
    if not isinstance(run, Run):
        import pandas

        points = {"topic": ["7"], "doc": ["a"], "point": ["/p[1]/text()[1].3"]}
        run = Run.from_frame(pandas.DataFrame(points))
    with pytest.raises(OutputError, match=f"the format text cannot hold {message}"):
        write_run(run, files / "x.run")


# Formats of other programs


@pytest.mark.parametrize(
    ("out", "options", "written", "left_out"),
    [
        ("x.tsv", [], "7\ta\t1\n7\tb\t2\n", "left out, as msmarco does not hold it: scores, "),
        ("x", ["--to", "msmarco"], "7\ta\t1\n7\tb\t2\n", "the run's id\n"),
        (
            "x.json",
            [],
            '{\n  "7": {\n    "a": 0.9,\n    "b": 0.5\n  }\n}\n',
            "left out, as ranx does not hold it: ranks, the run's id\n",
        ),
    ],
)
def test_runs_for_other_programs(
    tmp_path: Path, out: str, options: list[str], written: str, left_out: str
) -> None:
    write_files(tmp_path, {"a.run": "7 Q0 a 1 0.9 mine\n7 Q0 b 2 0.5 mine\n"})
    result = doxeval("convert", tmp_path / "a.run", tmp_path / out, *options)
    assert result.exit_code == 0, result.output
    assert (tmp_path / out).read_text() == written
    assert left_out in result.stderr
    again = doxeval("convert", tmp_path / out, tmp_path / "b.run")
    assert again.exit_code == 0, again.output
    assert [line.split()[:4] for line in (tmp_path / "b.run").read_text().splitlines()] == [
        ["7", "Q0", "a", "1"],
        ["7", "Q0", "b", "2"],
    ]


@pytest.mark.parametrize(
    ("format_", "written"),
    [
        ("trec", "7 0 a 2\n7 0 b 0\n"),
        ("msmarco-qrels", "7\t0\ta\t2\n7\t0\tb\t0\n"),
        ("beir", "query-id\tcorpus-id\tscore\n7\ta\t2\n7\tb\t0\n"),
        ("ranx-qrels", '{\n  "7": {\n    "a": 2,\n    "b": 0\n  }\n}\n'),
    ],
)
def test_qrels_for_other_programs(tmp_path: Path, format_: str, written: str) -> None:
    write_files(tmp_path, {"q.txt": "7 0 a 2\n7 0 b 0\n"})
    result = doxeval("convert", tmp_path / "q.txt", tmp_path / "x", "--to", format_)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "x").read_text() == written
    back = doxeval("convert", tmp_path / "x", tmp_path / "y", "--to", "trec")
    assert back.exit_code == 0, back.output
    assert (tmp_path / "y").read_text() == "7 0 a 2\n7 0 b 0\n"


def test_parts_of_documents_are_not_written_for_them(files: Path) -> None:
    for name in ("x.tsv", "x.json"):
        result = doxeval("convert", files / "a.run", files / name)
        assert result.exit_code == 1
        assert "cannot hold parts of documents" in result.stderr
        assert not (files / name).exists()


def test_qrels_of_beir_without_a_format_are_refused(tmp_path: Path) -> None:
    write_files(tmp_path, {"test.tsv": "query-id\tcorpus-id\tscore\n7\ta\t2\n"})
    result = doxeval("convert", tmp_path / "test.tsv", tmp_path / "x.jsonl")
    assert result.exit_code == 2
    assert "looks like assessments, not a run; for assessments --to" in result.stderr
