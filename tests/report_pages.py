"""Tables of scores by chance, and a report whose names and texts are hostile, as fixtures."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import to_builtins

from doxeval.assessments import Assessments, Judgment
from doxeval.documents import Collection, example_collection
from doxeval.evaluation import Evaluation, Keep
from doxeval.measures import PROFILE
from doxeval.reports import Contents, document_data, document_views, page
from doxeval.runs import Run
from doxeval.scores import Curve, MeasureFacts, RunScores, ScoreTable
from helpers import write_files
from making import passage, paths

SECTIONS = (
    "summary warnings leaderboard curves shares differences head-to-head topics scatter tau "
    "difficulty documents"
).split()
CHUNKED = "# Goods\n\nOne two three. Four five six seven.\n\nEight, nine; ten eleven twelve."
HOSTILE = "<script>alert(1)</script>\"'&<img src=x onerror=alert(2)>"
MEASURES = ["MAiP", "iP[0.01]", "nxCG@10"]


def synthetic(runs: int = 3, topics: int = 8, measures: int = 3, name: str = "run{}") -> ScoreTable:
    """Scores by chance, with some undefined, and a curve."""
    random = np.random.default_rng(7)
    facts = tuple(MeasureFacts(f"M{m}", f"M{m}(a=1)", f"measure {m}") for m in range(measures))
    x = np.linspace(0, 1, 101)
    found = []
    for run in range(runs):
        values = random.random((measures, topics)) * (0.4 + run / runs / 2)
        values[0, topics // 2] = np.nan
        lines = np.sort(random.random((topics, 101)))[:, ::-1]
        curves = (Curve("M0", "recall", "precision", x, lines),)
        counted = np.ones(topics, dtype=np.bool_)
        found.append(RunScores(name.format(run), values, counted, None, curves, ("one is odd",)))
    return ScoreTable(facts, tuple(f"topic{t}" for t in range(topics)), tuple(found))


@pytest.fixture(scope="session")
def hostile_collection() -> Collection:
    section = "<sec><title>Part {0}</title><p>Text {0} of <b>one</b>.</p><p>More {0}.</p></sec>"
    body = "".join(section.format(n) for n in range(4))
    strange = escape(HOSTILE)
    return example_collection(
        {
            "a": f"<article><title>Title</title>{body}</article>",
            "b": f"<article><p>{strange}</p><p>harmless</p></article>",
        }
    )


@pytest.fixture(scope="session")
def hostile_judged(hostile_collection: Collection) -> Assessments:
    second = hostile_collection.element("a", "/article[1]/sec[2]/p[1]")
    whole = hostile_collection.element("b", "/article[1]/p[1]")
    return Assessments(
        [
            Judgment("7", "a", ((second.start, second.end),)),
            Judgment("7", "b", ((whole.start, whole.end),)),
            Judgment("8", "a"),
        ]
    )


@pytest.fixture(scope="session")
def hostile_runs() -> dict[str, Run]:
    exact = [
        *paths("/article[1]/sec[2]/p[1]", "/article[1]/sec[4]"),
        *paths("/article[1]/p[1]", document="b"),
    ]
    near = [*paths("/article[1]/sec[2]"), *paths("/article[1]/p[2]", document="b")]
    return {
        "exact": Run.from_results(exact, "exact"),
        HOSTILE: Run.from_results(near, HOSTILE),
        "far": Run.from_results([*paths("/article[1]/sec[4]/p[2]"), passage("b", 0, 3)], "far"),
    }


@pytest.fixture(scope="session")
def hostile_contents(
    hostile_collection: Collection, hostile_judged: Assessments, hostile_runs: dict[str, Run]
) -> Contents:
    """What a report of them shows."""
    elements = [run for name, run in hostile_runs.items() if name != "far"]
    evaluation = Evaluation(
        hostile_judged,
        MEASURES,
        collection=hostile_collection,
        where_possible=PROFILE,
        keep=Keep(curves=True, results=True),
    )
    whole = evaluation.score_all(elements)
    table, profile = whole.only(measures=MEASURES), whole.only(measures=PROFILE)
    views = document_views(evaluation.truth, {scores.run: scores.results for scores in whole.runs})
    return Contents(table, f"Report of {HOSTILE}", HOSTILE, profile, views, ("a note",))


@pytest.fixture(scope="session")
def hostile_page(hostile_contents: Contents) -> str:
    return page(hostile_contents)


def data_of(markup: str) -> dict[str, Any]:
    """The data that the page carries for its script."""
    (found,) = re.findall(
        r'<script type="application/json" id="report-data">(.*?)</script>', markup
    )
    data: dict[str, Any] = json.loads(found)
    return data


def documents_of(contents: Contents) -> list[dict[str, Any]]:
    """The documents as the page carries them, each with its text, as the script reads them."""
    documents: list[dict[str, Any]] = json.loads(json.dumps(to_builtins(document_data(contents))))
    for document in documents:
        if "textOf" in document:
            document["text"] = documents[document["textOf"]]["text"]
    return documents


@pytest.fixture
def chunk_files(tmp_path: Path) -> Path:
    """A text, what is relevant in it, and two runs of chunks with their chunks."""

    def lines(*records: dict[str, Any]) -> str:
        return "".join(json.dumps(record) + "\n" for record in records)

    def span(start: int, end: int, **more: Any) -> dict[str, Any]:
        return {"doc": "a", "start": start, "end": end, **more}

    return write_files(
        tmp_path,
        {
            "docs/a.txt": CHUNKED,
            "judged.jsonl": lines(span(9, 23, topic="7")),
            "x.jsonl": lines(span(9, 23, topic="7"), span(24, 46, topic="7")),
            "y.jsonl": lines(span(0, 30, topic="7")),
            "x-chunks.jsonl": lines(span(9, 23, id="1"), span(24, 46, id="2")),
            "y-chunks.jsonl": lines(span(0, 30, id="1"), span(30, 46, id="2")),
        },
    )
