"""One name means one thing: in functions of chunks, in their verbs, and in the plugin of pytest."""

from __future__ import annotations

import csv
import inspect
import io
import json
from pathlib import Path
from typing import Any

import pytest

from doxeval import chunks
from doxeval.chunks import check_questions, scores_of_chunks
from doxeval.cli import main
from doxeval.errors import InputError
from helpers import doxeval, write_files

TEXTS = {
    "fees.md": "# Fees\n\nA card costs two euros. A lost card costs five euros.\n",
    "loans.html": "<h1>Loans</h1><p>Books may be kept for four weeks. Films for one week.</p>",
}
ASKED = [
    ("q1", "What does a card cost?", "fees", "A card costs two euros.", ["money"]),
    ("q2", "What does a lost card cost?", "fees", "A lost card costs five euros.", ["money"]),
    ("q3", "How long may I keep books?", "loans", "Books may be kept for four weeks.", ["time"]),
]
STUDIES = (chunks.compare, chunks.grid)
SCORING = (chunks.evaluate, scores_of_chunks)
# By name: where it is, and its default. None: whatever is there, or as documents and runs have it.
MEANINGS: dict[str, dict[Any, tuple[Any, ...]]] = {
    "search": {"bm25": (*STUDIES, chunks.search)},
    "k": {100: (*STUDIES, chunks.search, chunks.retrieve), None: (*SCORING, chunks.retrieved)},
    "budget": {4000: STUDIES, None: SCORING},
    "unit": {
        "words": (*STUDIES, chunks.limits, chunks.oracle, chunks.budget, check_questions),
        "auto": SCORING,
    },
    "tokens": {None: (*STUDIES, *SCORING, chunks.limits, chunks.oracle, chunks.budget)},
    "max_missing": {0: (*STUDIES, *SCORING, chunks.limits, chunks.oracle, chunks.questions)},
    "min_score": {None: (*STUDIES, *SCORING)},
    "measures": {(): (*STUDIES, *SCORING)},
}
IN_ORDER = ("docs", "chunks", "runs", "gold", "chunkings", "search", "measures", "budget", "unit")


@pytest.mark.parametrize("name", MEANINGS)
def test_an_argument_has_one_name_and_default(name: str) -> None:
    for default, functions in MEANINGS[name].items():
        for function in functions:
            assert inspect.signature(function).parameters[name].default == default


@pytest.mark.parametrize("function", [*STUDIES, *SCORING, chunks.search, chunks.oracle])
def test_arguments_come_in_one_order(function: Any) -> None:
    parameters = inspect.signature(function).parameters.values()
    places = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    known = [name for name in places if name in IN_ORDER]
    assert known == [name for name in IN_ORDER if name in places]


def test_the_names_of_arguments_are_those_of_options() -> None:
    group: Any = main.get_command(None, "chunks")  # type: ignore[arg-type]
    options = {
        verb: {flag for each in group.get_command(None, verb).params for flag in each.opts}
        for verb in group.list_commands(None)
    }
    expected = {
        ("--search", "--model"): {"try", "search"},
        ("-k", "--max-results"): {"try", "search", "evaluate", "retrieved"},
        ("--budget",): {"try", "evaluate", "rewrite"},
        ("--unit",): {"try", "evaluate", "rewrite", "limits", "questions"},
        ("--min-score",): {"try", "search", "evaluate", "rewrite"},
        ("-m", "--measure"): {"try", "evaluate"},
        ("--copies",): {"try", "questions"},
        ("--similar",): {"try", "questions"},
        ("--max-missing",): {"try", "evaluate", "limits", "questions", "locate", "retrieved"},
    }
    for flags, there in expected.items():
        for flag in flags:
            assert {verb for verb, known in options.items() if flag in known} == there, flag


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, {f"docs/{name}": text for name, text in TEXTS.items()})
    records = [
        {"id": name, "question": asked, "tags": tags,
         "needs": [{"spans": [{"doc": document, "quote": quote}]}]}
        for name, asked, document, quote, tags in ASKED
    ]  # fmt: skip
    documents = chunks.documents("docs")
    names = {name.partition(".")[0]: name for name in documents}
    for record in records:
        span = record["needs"][0]["spans"][0]  # type: ignore[index]
        span["doc"] = names[span["doc"]]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    write_files(tmp_path, {"questions.jsonl": lines})
    made = ("chunks", "split", "docs", "--by", "sentences:1:0", "--out", "made")
    assert doxeval(*made).exit_code == 0
    searched = ("chunks", "search", "made/sentences-1-0.jsonl", "questions.jsonl")
    assert doxeval(*searched, "--out", "first.jsonl").exit_code == 0
    assert doxeval(*searched, "--search", "lm", "--out", "second.jsonl").exit_code == 0
    return tmp_path


EVALUATE = ("chunks", "evaluate", "first.jsonl", "-g", "questions.jsonl", "--docs", "docs")


def scores(*options: str) -> dict[str, float]:
    """The means that the command prints."""
    found = doxeval(*EVALUATE, *options, "--format", "csv")
    assert found.exit_code == 0, found.stderr
    rows = csv.DictReader(io.StringIO(found.stdout))
    return {row["measure"]: round(float(row["value"]), 9) for row in rows}


OPTIONS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"budget": 16}, ("--budget", "16")),
    ({"budget": 16, "measures": ["hit@1"]}, ("--budget", "16", "-m", "hit@1")),
    ({"budget": 80, "unit": "characters"}, ("--budget", "80", "--unit", "characters")),
    ({"k": 1}, ("-k", "1")),
    ({"k": 2, "measures": ["bR@9", "cP@5"]}, ("-k", "2", "-m", "bR@9", "-m", "cP@5")),
    ({"min_score": 0.5, "measures": ["cR@5"]}, ("--min-score", ".5", "-m", "cR@5")),
]


@pytest.mark.parametrize(("options", "words"), OPTIONS)
def test_command_function_and_plugin_agree(
    folder: Path, options: dict[str, Any], words: tuple[str, ...]
) -> None:
    documents = chunks.documents("docs")
    gold = chunks.questions("questions.jsonl", documents)
    table = chunks.evaluate("first.jsonl", gold, docs=documents, **options)
    means = {name: round(value or 0, 9) for name, value in table["first"].items()}
    view = scores_of_chunks("questions.jsonl", "first.jsonl", docs="docs", **options)
    assert {name: round(value or 0, 9) for name, value in view.items()} == means
    assert scores(*words) == means


def test_a_budget_has_the_scores_of_a_study(folder: Path) -> None:
    documents = chunks.documents("docs")
    gold = chunks.questions("questions.jsonl", documents)
    for unit in ("words", "characters"):
        study = chunks.compare(documents, gold, "sentences:1:0", "bm25", 32, unit, k=2)
        table = chunks.evaluate("first.jsonl", gold, (), 32, unit, docs=documents, k=2)
        assert dict(table["first"]) == dict(study["sentences:1:0"])


def test_runs_are_called_by_their_files(folder: Path) -> None:
    lines = Path("first.jsonl").read_text().splitlines()
    assert {json.loads(line)["run"] for line in lines} == {"first"}
    more = ("chunks", "rewrite", "first.jsonl", "--chunks", "made/sentences-1-0.jsonl")
    assert doxeval(*more, "--expand", "1", "--out", "wide.jsonl").exit_code == 0
    write_files(folder, {"other/wide.jsonl": Path("first.jsonl").read_text()})
    runs = ("first.jsonl", "other/wide.jsonl", "wide.jsonl", "mine=second.jsonl")
    gold = ("-g", "questions.jsonl", "--docs", "docs", "-m", "bR@16", "--format", "json")
    found = doxeval("chunks", "evaluate", *runs, *gold)
    names = [run["run"] for run in json.loads(found.stdout)["runs"]]
    assert names == ["first", "wide (other/wide.jsonl)", "wide (wide.jsonl)", "mine"]
    table = chunks.evaluate([*runs[:3], ("mine", "second.jsonl")], "questions.jsonl", docs="docs")
    assert list(table) == names


def test_several_searches_and_depths_are_a_grid(folder: Path) -> None:
    words = ("chunks", "try", "docs", "questions.jsonl", "--budget", "16", "--format", "json")
    by = ("--by", "sentences:1:0", "--by", "paragraphs")
    found = doxeval(*words, *by, "--search", "bm25", "--model", "lm", "-k", "2", "-k", "1")
    documents = chunks.documents("docs")
    gold = chunks.questions("questions.jsonl", documents)
    study = chunks.grid(
        documents, gold, ["sentences:1:0", "paragraphs"], ["bm25", "lm"], 16, k=[1, 2]
    )
    assert [row["choice"] for row in json.loads(found.stdout)] == list(study)
    for row in json.loads(found.stdout):
        assert row["bR@16"] == pytest.approx(study[row["choice"]]["bR@16"])


def test_groups_have_numbers_and_intervals(folder: Path) -> None:
    both = doxeval(*EVALUATE, "-m", "bR@8", "-m", "all@2", "--by", "tag")
    rows = [line.split() for line in both.stdout.splitlines() if line.startswith("first  ")]
    money = next(row for row in rows if "money" in row)
    assert money[2] == "2"
    table = chunks.evaluate("first.jsonl", "questions.jsonl", ["bR@8", "all@2"], docs="docs")
    of_topics = table["first"].topics
    mean = sum(of_topics[name]["bR@8"] or 0 for name in ("q1", "q2")) / 2
    assert float(money[3]) == pytest.approx(mean, abs=5e-5)
    assert float(money[4]) <= float(money[3]) <= float(money[5])
    by_type = doxeval(*EVALUATE, "-m", "bR@8", "--by", "type").stdout
    assert "  md  " in by_type and " html " in by_type and "mean of types" in by_type
    refused = doxeval(*EVALUATE, "-m", "bR@8", "--by", "tag", "--format", "json")
    assert refused.exit_code == 2 and "--by prints a table" in refused.stderr


def test_what_has_no_effect_is_refused(folder: Path) -> None:
    for options, message in (
        ({"k": 0}, "k is 0"),
        ({"budget": 0}, "budget is 0"),
        ({"workers": 4}, "for retrievers"),
    ):
        with pytest.raises(InputError, match=message):
            scores_of_chunks("questions.jsonl", "first.jsonl", docs="docs", **options)  # type: ignore[arg-type]
