"""`doxeval evaluate --per-document`, as a user calls it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from helpers import doxeval, write_files

QRELS = "7 Q0 a 200 1000 0 0:200\n7 Q0 b 0 900\n8 Q0 c 100 500 100 100:100\n"
RUN = "7 Q0 a 1 9 mine 100 200\n7 Q0 x 2 8 mine 0 100\n8 Q0 c 1 7 mine 100 100\n"
HEADER = (
    "run,topic,document,rank,scored_by,score,precision,recall,distance,retrieved,"
    "relevant_retrieved,relevant"
)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return write_files(tmp_path, {"qrels.txt": QRELS, "my.run": RUN})


def evaluate(files: Path, *arguments: object, fails: int = 0) -> str:
    result = doxeval(
        "evaluate", files / "my.run", "-a", files / "qrels.txt", "--per-document", *arguments
    )
    assert result.exit_code == fails, result.stderr
    return result.stderr if fails else result.stdout


def test_a_table_after_the_means(files: Path) -> None:
    lines = evaluate(files, "-m", "MAgP").splitlines()
    assert lines[:4] == ["run     MAgP", "mine  0.7500", "", "mine: documents by F(beta=1)"]
    assert [line.split() for line in lines[4:]] == [
        "topic rank document score precision recall retrieved relevant_retrieved relevant".split(),
        "7 1 a 0.5000 0.5000 0.5000 200 100 200".split(),
        "7 2 x 0.0000 0.0000 0.0000 100 0 0".split(),
        "8 1 c 1.0000 1.0000 1.0000 100 100 100".split(),
    ]


def test_files_of_documents_alone(files: Path, tmp_path: Path) -> None:
    text = evaluate(files, "-m", "MAgP(score=bep)", "--format", "csv")
    assert text.splitlines() == [
        HEADER,
        "mine,7,a,1,bep(n=500),0.8,,,100,,,200",
        "mine,7,x,2,bep(n=500),0.0,,,,,,0",
        "mine,8,c,1,bep(n=500),1.0,,,0,,,100",
    ]
    rows = list(csv.DictReader(io.StringIO(evaluate(files, "-m", "MAgP", "--format", "csv"))))
    assert [row["retrieved"] for row in rows] == ["200", "100", "100"]
    out = tmp_path / "documents.parquet"
    evaluate(files, "-m", "MAgP", "--out", out)
    read = pq.read_table(out)
    assert ",".join(read.column_names) == HEADER
    assert read.column("relevant_retrieved").to_pylist() == [100, 0, 100]
    assert [str(read.schema.field(name).type) for name in ("run", "rank", "recall")] == [
        "string", "int64", "double",
    ]  # fmt: skip


def test_json_has_documents_beside_the_scores(files: Path) -> None:
    (run,) = json.loads(evaluate(files, "-m", "MAgP", "--per-topic", "--format", "json"))["runs"]
    assert run["mean"] == {"MAgP": 0.75}
    assert run["topics"]["8"] == {"MAgP": 1.0}
    assert run["documents"][0] == {
        "topic": "7", "document": "a", "rank": 1, "scored_by": "F(beta=1)", "score": 0.5,
        "precision": 0.5, "recall": 0.5, "distance": None, "retrieved": 200,
        "relevant_retrieved": 100, "relevant": 200,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("-m", "MAiP"), 1, "--per-document needs a measure that averages scores of documents: gP"),
        (("-m", "MAgP", "--format", "trec"), 2, "--per-document needs a format that holds it"),
        (
            ("-m", "MAgP", "--format", "csv", "--per-topic"),
            2,
            "--per-document and --per-topic do not fit into one file of csv",
        ),
        (
            ("-m", "MAgP", "--format", "csv", "--curves"),
            2,
            "--per-document and --curves do not fit into one file of csv",
        ),
        (("--compat", "inex_eval-3.1", "--task", "t2i"), 2, "--per-document has no meaning for"),
    ],
)
def test_refusals(files: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    assert message in evaluate(files, *arguments, fails=code)
