"""Cuts compared: scores, letters, oracle and loss; three chunkers in ten lines."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval import chunks, compare
from doxeval.assessments import Assessments, Judgment, NeededSpan
from doxeval.chunks import Chunks, Documents, Questions, Study
from doxeval.errors import DoxevalError, DoxevalWarning, InputError
from doxeval.reports import contents_of
from doxeval.runs import Kind, Result, Run
from levels import examples
from strategies.chunked import repeating_texts

# Three chunkers compared with tests and a report.
EXAMPLE = """
from doxeval import chunks
docs = chunks.documents("handbook")
gold = chunks.questions("questions.jsonl", docs)
cuts = {"rec": Recursive(chunk_size=80), "sent": "sentences:1:0", "own": my_split}
study = chunks.compare(docs, gold, cuts, search="bm25", budget=400, unit="words")
print(study)
study.report("chunks.html"); frame = study.to_pandas()
assert study["sent"]["bR@100"] > .85
"""
HANDBOOK = """# Delivery

## Times

Orders that reach us before noon leave the warehouse on the same day. All other orders leave on the
next working day. A parcel within the country is on its way for one or two days.

## Cost

Delivery costs 4 euros. Orders above 50 euros are delivered free of charge. For bulky goods, such as
tables and wardrobes, we charge 30 euros.
"""
QUOTES = {
    "What does delivery cost?": "Delivery costs 4 euros.",
    "How long is a parcel on its way?": "A parcel within the country is on its way for one or two",
    "When do orders leave the warehouse?": "Orders that reach us before noon leave the warehouse",
    "When is delivery free of charge?": "Orders above 50 euros are delivered free of charge.",
}


class Recursive:
    """As a splitter of LangChain."""

    def __init__(self, chunk_size: int) -> None:
        self.size = chunk_size

    def split_text(self, text: str) -> list[str]:
        return [text[at : at + self.size] for at in range(0, len(text), self.size)]


def my_split(text: str) -> list[str]:
    return text.split("\n\n")


def records() -> list[dict[str, Any]]:
    return [
        {
            "id": str(number),
            "question": question,
            "needs": [{"spans": [{"doc": "delivery", "quote": quote}]}],
        }
        for number, (question, quote) in enumerate(QUOTES.items())
    ]


@pytest.fixture(scope="module")
def docs() -> Documents:
    return chunks.documents({"delivery": HANDBOOK})


@pytest.fixture(scope="module")
def gold(docs: Documents) -> Questions:
    return chunks.questions(records(), docs)


@pytest.fixture(scope="module")
def study(docs: Documents, gold: Questions) -> Study:
    cuts = {"sent": "sentences:1:0", "words": "words:8:0", "all": "words:500:0"}
    return chunks.compare(docs, gold, cuts, budget=80, reference="bR@20")


def test_three_chunkers_in_ten_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [line for part in EXAMPLE.strip().splitlines() for line in part.split(";")]
    assert len(lines) <= 10
    monkeypatch.chdir(tmp_path)
    Path("handbook").mkdir()
    Path("handbook/delivery.md").write_text(HANDBOOK)
    Path("questions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records()))
    known: dict[str, Any] = {"Recursive": Recursive, "my_split": my_split}
    exec(EXAMPLE, known)
    printed = capsys.readouterr().out
    for word in ("rec", "sent", "own", "bR@100", "lost by chunking", "oracle", "best: "):
        assert word in printed
    assert "<html" in Path("chunks.html").read_text().lower()
    assert list(known["frame"]["chunking"]) == ["rec", "sent", "own"]


def test_losses_add_up(study: Study) -> None:
    for cut in study:
        for measure in ("bR@20", "bR@80"):
            loss = study.loss(cut, measure)
            assert loss.chunking + loss.retrieval == pytest.approx(1 - loss.shown)
            assert loss.chunking >= 0


def test_letters_are_those_of_the_comparison(study: Study) -> None:
    found = compare(study.scores, "bR@20").letters
    rows = {line.split()[0]: line.split() for line in str(study).splitlines()[2:5]}
    for cut, letters in found.items():
        assert letters in rows[cut]
    assert [row["letters"] for row in study.rows()] == [found[cut] for cut in study]


def test_one_chunk_for_everything_is_lost_by_cutting(study: Study) -> None:
    assert study.loss("all").chunking > 0.5
    assert study.loss("sent").chunking == pytest.approx(0)
    assert study.best == "sent"
    assert study.limits["all"].intact == 1


def test_units_read_are_those_of_five_results(study: Study) -> None:
    import re as regex

    words = len(regex.findall(r"\w+|[^\w\s]", HANDBOOK))
    assert study.units_read["all"] == words


@pytest.mark.parametrize("unit", ["characters", "tokens"])
def test_other_units_keep_the_names_of_measures(unit: str) -> None:
    docs = chunks.documents({"delivery": HANDBOOK})
    gold = chunks.questions(records(), docs)
    tokens = None
    if unit == "tokens":
        tokens = lambda text: [one.start() for one in re.finditer(r"\S+", text)]  # noqa: E731
    found = chunks.compare(docs, gold, ["sentences:1:0"], budget=400, unit=unit, tokens=tokens)
    assert found["sentences:1:0"]["bR@100"] is not None
    assert f"unit={unit}" in found.scores.measures[0].canonical


def test_a_single_cut_and_a_single_question() -> None:
    docs = chunks.documents({"delivery": HANDBOOK})
    gold = chunks.questions(records()[:1], docs)
    found = chunks.compare(docs, gold, "paragraphs", budget=80)
    assert found.compare() is None
    assert "paragraphs" in str(found)


def test_notebooks_show_a_table(study: Study) -> None:
    shown = study._repr_html_()
    assert shown.count("<tr") == 4
    assert "lost by chunking" in shown


def test_gold_may_be_named_by_its_source(tmp_path: Path, study: Study) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records()))
    found = chunks.evaluate(study.runs["sent"], path, ["bR@20"], docs={"delivery": HANDBOOK})
    assert found["sent"]["bR@20"] == study["sent"]["bR@20"]


def test_wrong_names_are_told(study: Study) -> None:
    with pytest.raises(DoxevalError, match="did you mean sent"):
        study["snet"]
    docs = chunks.documents({"delivery": HANDBOOK})
    with pytest.raises(InputError, match="no chunkings"):
        chunks.compare(docs, chunks.questions(records(), docs), {})
    with pytest.raises(InputError, match="unit is 'letters'"):
        chunks.compare(docs, chunks.questions(records(), docs), "paragraphs", unit="letters")
    with pytest.raises(InputError, match="gives no chunks"):
        chunks.compare(docs, chunks.questions(records(), docs), {"none": lambda text: []})


def test_a_grid_has_a_row_for_every_score() -> None:
    docs = chunks.documents({"delivery": HANDBOOK})
    gold = chunks.questions(records(), docs)
    frame = chunks.grid(
        docs,
        gold,
        {"sent": "sentences:1:0", "own": my_split},
        searches={
            "bm25": "bm25",
            "dense": lambda texts: np.array(
                [[text.count(one) for one in "aeiou"] for text in texts]
            ),
        },
        k=(1, 2),
        measures=["cR", "all"],
        budgets=[20],
    )
    assert list(frame.columns) == ["chunking", "search", "k", "measure", "topic", "value"]
    assert len(frame) == 2 * 2 * (2 * 2 + 1) * 4
    one = frame[(frame.chunking == "sent") & (frame.search == "bm25") & (frame.measure == "cR@2")]
    run = chunks.search(chunks.split(docs, "sentences:1:0"), gold, 2)
    mean = chunks.evaluate(run, gold, ["cR@2"], docs=docs)["bm25"]["cR@2"]
    assert one.value.mean() == pytest.approx(mean)
    assert set(one.k) == {2}
    assert frame[frame.measure == "bR@20"].k.isna().all()


def test_copies_count_wherever_they_are_retrieved() -> None:
    text = "The fee is 5 euros. Other words stand here. The fee is 5 euros. And more."
    docs = chunks.documents({"a": text})
    need = {"spans": [{"doc": "a", "quote": "The fee is 5 euros."}]}
    record = {"id": "1", "question": "What is the fee?", "needs": [need]}
    cut = chunks.split(docs, "sentences:1:0")
    choices: list[tuple[Literal["same", "place"], float]] = [("same", 1.0), ("place", 0.0)]
    for copies, expected in choices:
        gold = chunks.questions([record], docs, copies)
        run = chunks.retrieve(lambda _: [("a", 44, 63)], gold, cut)
        assert chunks.evaluate(run, gold, ["all@1"], docs=docs)["retriever"]["all@1"] == expected
        assert len(chunks.oracle(cut, gold)) == 1


# White space at the edges of chunks


def test_white_space_at_the_edges_of_chunks_is_never_lost() -> None:
    """A quote over two paragraphs, which lose two line breaks where they are cut."""
    docs = chunks.documents({"a": "One two three.\n\nFour five six.", "b": "Other words."})
    need = {"spans": [{"doc": "a", "quote": "two three.\n\nFour five"}]}
    gold = chunks.questions([{"id": "1", "question": "two five", "needs": [need]}], docs)
    for unit in ("words", "characters"):
        study = chunks.compare(docs, gold, {"par": "paragraphs"}, budget=1000, unit=unit)
        # The measure itself counts characters of the quote, of which white space is a part.
        assert study["par"]["bR@1000"] == study.oracle["par"]["bR@1000"] == 19 / 21
        assert study.loss("par", "bR@1000")[2:] == (1, 0, 0)
        assert "of the missing 0.000, 0.000 is lost by chunking and 0.000 by retrieval" in str(
            study
        )


@given(repeating_texts(), st.integers(0, 2**32).map(Random))
@examples(60)
def test_chunks_that_only_lack_white_space_lose_nothing_by_cutting(
    text: str, random: Random
) -> None:
    """Cut anywhere, each chunk stripped: the oracle shows everything but white space."""
    if not text.strip():
        return
    docs = chunks.documents({"a": text})
    edges = sorted({0, len(text), *(random.randrange(len(text)) for _ in range(4))})
    pieces = [(start, end, text[start:end]) for start, end in pairwise(edges)]
    spans = [
        [(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))]
        for start, _, piece in pieces
        if piece.strip()
    ]
    cut = Chunks.of(docs, ["a"] * len(spans), spans)
    begin, after = sorted(random.sample(range(len(text) + 1), 2))
    if not text[begin:after].strip():
        return
    needs = (NeededSpan("x", begin, after), NeededSpan("x", 0, len(text)))
    gold = Assessments([Judgment("1", "a", needs=needs[: random.randint(1, 2)])])
    run = chunks.oracle(cut, gold, unit="words")
    scores = chunks.evaluate(run, gold, ["bR@9999"], docs=docs, ignore_whitespace=True)["oracle"]
    assert scores["bR@9999"] == pytest.approx(1, abs=1e-12)


# Chunks that are returned twice


def test_a_chunk_that_is_returned_twice_is_read_twice_by_all_measures() -> None:
    docs = chunks.documents({"a": "One two three. Four five."})
    need = {"spans": [{"doc": "a", "quote": "One two three."}]}
    gold = chunks.questions([{"id": "1", "question": "two", "needs": [need]}], docs)
    run = Run.from_results([Result("1", "a", Kind.PASSAGE, 0, 14)] * 2, "twice")
    names = ["cP@5", "cR@5", "Red@5", "read@5"]
    found = chunks.evaluate(run, gold, names, docs=docs)
    assert found.mean()["twice"] == {"cP@5": 0.5, "cR@5": 1, "Red@5": 0.5, "read@5": 8}
    assert chunks.evaluate(run, gold, docs=docs)["twice"]["cP@5"] == 0.5
    dropped = chunks.evaluate(run, gold, names, docs=docs, duplicates="drop")
    assert dropped.labels == tuple(f"{name}(duplicates=drop)" for name in names)
    assert dropped["twice"]["cP@5"] == 1


# The reference measure


@pytest.mark.parametrize(
    ("options", "reference"),
    [
        ({}, "bR@1000"),
        ({"budget": 1000}, "bR@1000"),
        ({"budget": 3000}, "bR@1000"),
        ({"budget": 400}, "bR@400"),
        ({"budget": 400, "reference": "bR@50"}, "bR@50"),
        ({"budget": 400, "reference": "cR@2", "unit": "characters"}, "cR@2"),
    ],
)
def test_one_reference_measure_for_study_letters_and_oracle(
    docs: Documents, gold: Questions, options: dict[str, Any], reference: str
) -> None:
    cuts = {"sent": "sentences:1:0", "small": "words:8:0", "all": "paragraphs"}
    found = chunks.compare(docs, gold, cuts, **options)
    assert found.headline == found.scores.reference == reference
    assert f"best: {found.best} by {reference} (" in str(found)
    assert f"oracle {reference}" in str(found)
    row = next(row for row in found.rows() if row["chunking"] == found.best)
    comparison = found.compare()
    assert comparison is not None
    assert comparison.measure.label == reference
    assert row["letters"] == comparison.letters[found.best]
    assert row["lost by chunking"] == found.loss(found.best, reference).chunking


def test_the_report_names_the_reference_measure(docs: Documents, gold: Questions) -> None:
    cuts = {"sent": "sentences:1:0", "small": "words:8:0", "all": "paragraphs"}
    found = chunks.compare(docs, gold, cuts, budget=400, reference="bR@50")
    page = re.sub(r"<[^>]+>", "", found.report().html)
    assert f"{found.best}, sent share the best bR@50, 1.00" in page


def test_equal_cuts_have_the_same_winner_in_study_and_report(
    docs: Documents, gold: Questions
) -> None:
    found = chunks.compare(docs, gold, {"two": "sentences:1:0", "one": "sentences:1:0"})
    assert found.best == contents_of(found.scores, "", None, None).ranking[0] == "one"


def test_a_reference_measure_must_be_a_share(docs: Documents, gold: Questions) -> None:
    with pytest.raises(InputError, match=r"reference is read@5: expected a measure from 0 to 1"):
        chunks.compare(docs, gold, "paragraphs", reference="read@5")


def test_what_is_said_of_gold_is_said_once_however_many_cuts_there_are() -> None:
    docs = chunks.documents({"a": "One two. Three four. One two. Five six."})
    need = {"spans": [{"doc": "a", "quote": "One two."}]}
    with pytest.warns(DoxevalWarning, match="stands 2 times"):
        gold = chunks.questions([{"id": "1", "question": "two", "needs": [need]}], docs)
    study = chunks.compare(docs, gold, ["sentences:1:0", "words:2:0"], budget=40)
    assert sum("stands 2 times" in warning for warning in study.warnings) == 1
