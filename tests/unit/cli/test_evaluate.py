"""`doxeval evaluate` and `doxeval measures`, as a user calls them, and scores as files."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from doxeval import evaluate as scored_by
from doxeval import read_assessments
from doxeval.comparison import compare, correlate
from doxeval.measures import MEASURES, PRESETS, measure_named
from helpers import CONFORMANCE, Builder, doxeval, needs_conformance, write_files

QRELS = "7 Q0 a 200 1000 0 0:200\n7 Q0 b 0 900\n8 Q0 c 100 500 100 100:100\n9 Q0 a 0 1000\n"
RUN = (
    "7 Q0 a 1 9 mine 100 200\n7 Q0 x 2 8 mine 0 100\n8 Q0 c 1 7 mine 100 100\n5 Q0 c 1 7 mine 0 9\n"
)
REAL = CONFORMANCE / "inex_eval-3.1" / "real"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return write_files(tmp_path, {"qrels.txt": QRELS, "my.run": RUN})


def evaluate(files: Path, *arguments: object) -> str:
    result = doxeval("evaluate", files / "my.run", "-a", files / "qrels.txt", *arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_a_table_of_means_with_warnings(files: Path) -> None:
    result = doxeval(
        "evaluate", files / "my.run", "-a", files / "qrels.txt", "-m", "iP[.01]", "-m", "cR@5"
    )
    assert result.exit_code == 0
    assert result.stdout == "run   iP[.01]    cR@5\nmine   0.7500  0.7500\n"
    assert "1 topic of the run is not assessed and is ignored: 5" in result.stderr
    assert "no results for 1 of 3 assessed topics, which count as empty lists: 9" in result.stderr
    assert result.stderr.count("undefined") == 1, "one line for a run"
    assert "all 2 measures undefined for 1 of 3 topics (9)" in result.stderr


def test_json_has_everything_under_the_names_as_typed(files: Path) -> None:
    found = json.loads(evaluate(files, "-m", "iP[.01]", "--format", "json", "--per-topic"))
    assert found["measures"] == ["iP[.01]"]
    assert found["canonical"] == {"iP[.01]": "iP[0.01](alpha=0,resize=full)"}
    (run,) = found["runs"]
    assert run["mean"] == {"iP[.01]": 0.75}
    assert run["topics"] == {
        "7": {"iP[.01]": 0.5},
        "8": {"iP[.01]": 1.0},
        "9": {"iP[.01]": None},
    }
    assert run["undefined"] == {"iP[.01]": ["9"]}
    assert run["warnings"] == [
        "1 topic of the run is not assessed and is ignored: 5",
        "no results for 1 of 3 assessed topics, which count as empty lists: 9",
    ]
    short = json.loads(evaluate(files, "-m", "MAiP", "--format", "json", "--curves"))["runs"][0]
    assert "topics" not in short
    assert len(short["curves"][0]["mean"]) == 101


def test_other_formats(files: Path, tmp_path: Path) -> None:
    rows = list(csv.reader(io.StringIO(evaluate(files, "-m", "cP@1", "--format", "csv"))))
    assert rows == [["run", "topic", "measure", "value"], ["mine", "all", "cP@1", "0.75"]]
    assert evaluate(files, "-m", "cP@1", "--format", "trec", "--per-topic").splitlines() == [
        "runid\tall\tmine",
        "cP@1\t7\t0.5",
        "cP@1\t8\t1.0",
        "cP@1\t9\tnan",
        "cP@1\tall\t0.75",
    ]
    latex = evaluate(files, "-m", "cP@1", "--format", "latex")
    assert "mine & \\textbf{0.7500} \\\\" in latex
    out = tmp_path / "scores.parquet"
    assert evaluate(files, "-m", "cP@1", "--out", out) == ""
    assert pq.read_table(out).to_pylist()[-1] == {
        "run": "mine",
        "topic": "all",
        "measure": "cP@1",
        "value": 0.75,
    }


def test_topics_with_results_only(files: Path) -> None:
    write_files(files, {"my.run": "7 Q0 a 1 9 mine 0 200\n"})
    assert "1.0000" in evaluate(files, "-m", "cP@1", "--average-over", "retrieved")
    assert "0.5000" in evaluate(files, "-m", "cP@1")


def test_several_runs_and_topics_in_a_table(files: Path) -> None:
    write_files(files, {"other.run": RUN.replace("mine", "other")})
    text = doxeval(
        "evaluate", files / "my.run", files / "other.run", "-a", files / "qrels.txt",
        "-m", "cP@1", "--per-topic",
    ).stdout  # fmt: skip
    assert text.splitlines()[:3] == ["run      cP@1", "mine   0.7500", "other  0.7500"]
    assert "9           —" in text


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        ((), "say what to measure", 2),
        (("-m", "iq[.01]"), "no measure 'iq'", 1),
        (("-m", "nxCG@10"), "nxCG@10 is about elements, and", 1),
        (("-m", "MAep", "--order", "nonsense"), "Invalid value for '--order'", 2),
        (("--preset", "inex2009"), "no preset 'inex2009'; did you mean inex2", 1),
        (("-m", "BEPD"), "BEPD needs the mean length of a document", 1),
        (("-m", "ng(quant=spec)"), "ng(quant=spec) needs a collection", 1),
        (("-m", "cP@1", "--task", "focused"), "--task goes with --compat", 2),
        (("--compat", "inex_eval-3.1"), "--compat needs the --task", 2),
        (
            ("--compat", "inex_eval-3.1", "--task", "focused", "-m", "cP"),
            "--compat prints the measures of its task",
            2,
        ),
    ],
)
def test_what_cannot_be_done_is_said(
    files: Path, arguments: tuple[str, ...], message: str, code: int
) -> None:
    result = doxeval("evaluate", files / "my.run", "-a", files / "qrels.txt", *arguments)
    assert (result.exit_code, message in result.stderr) == (code, True), result.stderr


def test_bad_references_are_listed(files: Path, build: Builder) -> None:
    write_files(files, {"my.run": "7 Q0 a 1 9 mine 0 2000\n7 Q0 a 2 8 mine 100 100\n"})
    result = doxeval("evaluate", files / "my.run", "-a", files / "qrels.txt", "-m", "cP@2")
    assert result.exit_code == 1
    assert "my.run:1: [0, 2,000) is not inside the document's 1,000 characters" in result.stderr
    assert "--unresolved irrelevant" in result.stderr
    scores = evaluate(
        files, "-m", "cP@2", "--unresolved", "irrelevant", "--average-over", "retrieved"
    )
    assert f"{100 / 2100:.4f}" in scores


def test_elements_in_a_collection(tmp_path: Path, build: Builder) -> None:
    collection = build({"a.xml": "<a><s>12345</s><s><p>67890</p>abcde</s></a>"})
    files = write_files(
        tmp_path,
        {
            "j.jsonl": '{"topic": "7", "doc": "a", "start": 5, "end": 10}\n',
            "my.run": "7 Q0 a 1 9 mine /a[1]/s[2]\n7 Q0 a 2 8 mine /a[1]/s[2]/p[1]\n",
        },
    )
    names = ["nxCG@1", "nxCG@2", "MAep", "cP@1", "ERRU@1", "inex_eval"]
    result = doxeval(
        "evaluate", files / "my.run", "-a", files / "j.jsonl",
        "--collection", collection.directory, "--format", "json",
        *(word for name in names for word in ("-m", name)),
    )  # fmt: skip
    mean = json.loads(result.stdout)["runs"][0]["mean"]
    assert (mean["nxCG@1"], mean["nxCG@2"], mean["cP@1"]) == (0.5, 1.0, 0.5)
    canonical = json.loads(result.stdout)["canonical"]["inex_eval"]
    settled = "quant=spec,ignore=none,interpolation=intuitive,unretrieved=level"
    assert canonical == f"inex_eval({settled})"


def test_every_preset_is_made_of_measures_there_are() -> None:
    for preset in PRESETS.values():
        for name in preset.measures:
            assert measure_named(name).name in MEASURES


def test_measures_are_listed_and_explained() -> None:
    listing = doxeval("measures").stdout
    assert [name for name in MEASURES if f"  {name}" not in listing] == []
    assert MEASURES["nxCG"].facts.title in doxeval("measures", "nxCG").stdout
    assert "inex2006-focused" in doxeval("measures", "--presets").stdout
    assert "### gP" in doxeval("measures", "in_context").stdout
    wrong = doxeval("measures", "nxcgg")
    assert (wrong.exit_code, wrong.stderr) == (1, "Error: no measure 'nxcgg'; did you mean nxCG?\n")


def test_a_measure_is_explained_as_it_was_asked_for() -> None:
    plain, ideal = (doxeval("measures", name).stdout for name in ("MAep", "MAep(base=ideal)"))
    assert "**Range** 0 to 1; higher is better." in plain
    assert "**Here**" not in plain
    assert (
        "; no run scores higher" in plain or "**Laws** (checked on random worlds) no run" in plain
    )
    assert "**Range** 0 to ∞; higher is better." in ideal
    assert "**Here** `MAep(base=ideal," in ideal
    assert "with some other parameters, no run scores higher than the ideal run" in ideal


CASES = {
    "focused.bert_1.q.txt": ("bert_1.run", {"AiP": "MAiP", "iP[0.01]": "iP[.01]"}),
    "ric.ric_1.q.txt": (
        "ric_1.run",
        {"AgP": "MAgP(beta=0.25)", "gP[10]": "gP@10(beta=.25)", "gR[50]": "gR@50"},
    ),
    "ricT2I300.ric_1.q.txt": ("ric_1.run", {"AgP": "MAgP(score=t2i)"}),
    "bic.bic_1.q.txt": ("bic_1.run", {"AgP": "MAgP(score=bep)"}),
}


@needs_conformance
@pytest.mark.parametrize("case", CASES)
def test_our_own_measures_agree_with_inex_eval_on_real_runs(case: str) -> None:
    """On these runs its quirks (recall bins one low, cut-offs beyond the list) change nothing."""
    run, labels = CASES[case]
    expected: dict[str, dict[str, float]] = {}
    for line in (REAL / case).read_text().splitlines():
        label, *rest = line.replace("\t\t", "\t").split("\t")
        if len(rest) == 2 and rest[0] != "all":
            expected.setdefault(label, {})[rest[0]] = float(rest[1])
    result = doxeval(
        "evaluate", REAL / run, "-a", REAL / "qrels.txt", "--average-over", "retrieved",
        "--per-topic", "--format", "json", "--unresolved", "irrelevant",
        *(word for name in labels.values() for word in ("-m", name)),
    )  # fmt: skip
    topics = json.loads(result.stdout)["runs"][0]["topics"]
    compared = 0
    for theirs, ours in labels.items():
        for topic, value in expected.get(theirs, {}).items():
            assert topics[topic][ours] == pytest.approx(value, abs=1e-9), (topic, ours)
            compared += 1
    assert compared >= 50


def test_data_frames_and_notebooks(files: Path) -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    table = scored_by(files / "my.run", read_assessments(files / "qrels.txt"), ["cP@1", "MAiP"])
    frame = table.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["measure"].tolist() == ["cP@1", "MAiP"] * 3
    assert isinstance(table.to_polars(), polars.DataFrame)
    assert table.to_polars()["value"].null_count() == 2
    page = table._repr_html_()
    assert "0.7500" in page
    both = replace(table, runs=(table.runs[0], replace(table.runs[0], run="other")))
    assert "other" in compare(both, "cP@1")._repr_html_()
    assert "cP@1 and MAiP" in correlate(both)._repr_html_()
    hostile = replace(table, runs=(replace(table.runs[0], run="<script>"),))
    assert "<script>" not in hostile._repr_html_()
