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
from doxeval.chunks import (
    Chunks,
    Costs,
    Documents,
    Questions,
    Study,
    cheaper_choice,
    metric_names,
)
from doxeval.comparison import mean_interval
from doxeval.errors import DoxevalError, DoxevalWarning, InputError
from doxeval.reports import contents_of
from doxeval.runs import Kind, Result, Run
from doxeval.scores import MeasureFacts, RunScores, ScoreTable
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


def vowels(texts: list[str]) -> Any:
    return np.array([[text.count(letter) for letter in "aeiou"] for text in texts])


SEARCHES = {"words": "bm25", "vectors": vowels}


@pytest.fixture(scope="module")
def grid_study(docs: Documents, gold: Questions) -> Study:
    cuts = {"sent": "sentences:1:0", "own": my_split}
    return chunks.grid(docs, gold, cuts, SEARCHES, budget=80, reference="bR@20", k=(1, 2))


def test_a_grid_is_a_study_of_chunkings_searches_and_numbers_of_results(
    grid_study: Study, docs: Documents, gold: Questions
) -> None:
    assert list(grid_study) == [
        f"{cut}/{search}@{k}" for cut in ("sent", "own") for search in SEARCHES for k in (1, 2)
    ]
    for (name, choice), (cut, by) in zip(
        [item for item in grid_study.choices.items() if item[1].search == "words"],
        [("sent", "sentences:1:0")] * 2 + [("own", my_split)] * 2,
        strict=True,
    ):
        assert choice.chunking == cut
        run = chunks.search(chunks.split(docs, by), gold, k=choice.k)
        expected = chunks.evaluate(run, gold, ["bR@20", "cR@5"], docs=docs)["bm25"]
        assert dict(expected) == {label: grid_study[name][label] for label in expected}
    printed = str(grid_study)
    assert "2 chunkings × words, vectors × 1, 2 results" in printed
    assert "choices that share a letter" in printed
    assert {"choice", "chunking", "search", "k", "letters"} <= grid_study.rows()[0].keys()
    for name in grid_study:
        loss = grid_study.loss(name)
        assert loss.shown + loss.chunking + loss.retrieval == pytest.approx(1)
    assert "sent/words@2" in re.sub(r"<[^>]+>", "", grid_study.report().html)


def test_a_grid_of_one_search_is_a_comparison(
    study: Study, docs: Documents, gold: Questions
) -> None:
    cuts = {"sent": "sentences:1:0", "words": "words:8:0", "all": "words:500:0"}
    same = chunks.grid(docs, gold, cuts, budget=80, reference="bR@20")
    assert same.to_pandas().equals(study.to_pandas())
    assert str(same) == str(study)


def test_sizes_and_overlaps_are_a_heat_map_of_the_report(docs: Documents, gold: Questions) -> None:
    class Splitter:
        def __init__(self, size: int, overlap: int) -> None:
            self.chunk_size, self.chunk_overlap = size, overlap

        def split_text(self, text: str) -> list[str]:
            name = f"words:{self.chunk_size}:{self.chunk_overlap}"
            return list(chunks.split({"a": text}, name).texts)

    cuts: dict[str, Any] = {"small": "words:4:0", "small, twice": "words:4:2", "large": "words:8:2"}
    cuts |= {f"mine {size}": Splitter(size, 0) for size in (4, 8)}
    study = chunks.grid(docs, gold, cuts, ["bm25", "lm"], budget=80, reference="bR@20")
    assert study.choices["mine 8/lm"].size == ("Splitter", 8, 0)
    html = study.report().html
    assert 'id="sizes"' in html and "is best of 6 sizes and overlaps" in html
    assert '"words/bm25"' in html and '"Splitter/bm25"' not in html


def test_the_long_frame_has_a_row_for_every_score(grid_study: Study) -> None:
    frame = grid_study.to_pandas(long=True)
    assert list(frame.columns) == ["chunking", "search", "k", "measure", "topic", "value"]
    assert len(frame) == len(grid_study) * len(grid_study.scores.labels) * len(QUOTES)
    chosen = frame[(frame.chunking == "own") & (frame.search == "vectors") & (frame.k == 2)]
    mean = chosen[chosen.measure == "cR@5"].value.mean()
    assert mean == pytest.approx(grid_study["own/vectors@2"]["cR@5"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": [2, 0]}, "k is 0: expected 1 or more"),
        ({"k": []}, "k has no number"),
        ({"search": []}, "no searches"),
        ({"columns": ["latencies"]}, "no column"),
    ],
)
def test_wrong_grids_are_refused(
    docs: Documents, gold: Questions, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        chunks.grid(docs, gold, "paragraphs", **options)


# What follows from a study


def test_costs_are_columns_on_request(docs: Documents, gold: Questions, study: Study) -> None:
    cuts = {"sent": "sentences:1:0", "twice": "words:8:4"}
    searches = {**SEARCHES, "both": chunks.hybrid("bm25", vowels)}
    found = chunks.grid(
        docs, gold, cuts, searches, budget=80, columns=("read", "latency", "index"), k=2
    )
    shown = set(found.as_table().header)
    assert {"ms p50", "ms p95", "index s", "index words", "words read"} <= shown
    assert not {"ms p50", "index s", "words read"} & set(study.as_table().header)
    for name, timing in found.timings.items():
        assert len(timing.questions) == len(QUOTES)
        assert (timing.questions >= 0).all()
        assert 0 < timing.latency(50) <= timing.latency(95)
        assert timing.building > 0
        words = sum(len(re.findall(r"\w+|[^\w\s]", text)) for text in found.chunks[name].texts)
        assert found.costs[name].indexed == words
    row = found.rows()[0]
    assert {"seconds p50", "seconds p95", "index seconds", "index units", "units read"} <= set(row)


def test_what_the_reference_measure_reads(docs: Documents, gold: Questions) -> None:
    for reference, measure, limit in (("bR@20", "read@100", 20), ("cR@2", "read@2", 10**9)):
        found = chunks.compare(
            docs, gold, ["sentences:1:0"], budget=80, reference=reference, measures=[measure]
        )
        read = [scores[measure] for scores in found["sentences:1:0"].topics.values()]
        expected = np.mean([min(units, limit) for units in read if units is not None])
        assert found.costs["sentences:1:0"].read == pytest.approx(expected)


costs = st.builds(
    Costs,
    st.sampled_from([100.0, 95.0, 90.0, 50.0, 120.0]),
    st.sampled_from([1000.0, 900.0, 1200.0]),
    st.sampled_from([10, 9, 20]),
)


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=9, max_size=9), min_size=2,
             max_size=4),
    st.lists(costs, min_size=4, max_size=4),
)  # fmt: skip
@examples(60)
def test_a_recommended_choice_is_not_shown_to_differ_and_saves(
    scores: list[list[float]], prices: list[Costs]
) -> None:
    facts = MeasureFacts("P", "P", "precision")
    runs = tuple(
        RunScores(str(number), np.array([values]), np.ones(9, dtype=bool))
        for number, values in enumerate(scores)
    )
    table = ScoreTable((facts,), tuple(map(str, range(9))), runs)
    by_name = dict(zip(table, prices, strict=False))
    comparison, best = compare(table, "P"), table.ranking("P")[0]
    means = {name: of_run["P"] for name, of_run in table.mean().items()}
    cheaper = cheaper_choice(best, means, by_name, comparison)
    worth = []
    for name in table:
        pairs = [pair for pair in comparison.pairs if {pair.first, pair.second} == {best, name}]
        if not pairs or pairs[0].significant or pairs[0].p is None:
            continue
        if np.mean(scores[int(name)]) <= 0.9 * np.mean(scores[int(best)]):
            continue
        for at, cost in enumerate(Costs._fields):
            ratios = [by_name[name][n] / by_name[best][n] for n in range(at + 1)]
            if ratios[at] <= 0.9 + 1e-9 and all(ratio < 1.1 - 1e-9 for ratio in ratios[:at]):
                worth.append((at, round(ratios[at], 9), cost, name))
    if cheaper is None:
        assert not worth
        return
    at, ratio, cost, _ = min(worth)
    assert cheaper.cost == cost
    assert cheaper.saved == pytest.approx(1 - ratio)
    assert (at, ratio, cost, cheaper.choice) in worth


def test_the_recommendation_says_what_is_cheaper(docs: Documents, gold: Questions) -> None:
    cuts = {"sent": "sentences:1:0", "small": "words:8:0", "all": "words:500:0"}
    found = chunks.compare(docs, gold, cuts, budget=80, reference="cR@2")
    assert found.best == "all"
    assert found.cheaper is not None
    assert found.cheaper.cost == "read"
    saved = 1 - found.costs[found.cheaper.choice].read / found.costs["all"].read
    assert found.cheaper.saved == pytest.approx(saved)
    sentence = found.recommendation
    assert sentence.startswith("all with bm25: cR@2 1.000; ")
    assert sentence.endswith(f"is not shown to differ and reads {saved:.0%} less")
    printed = " ".join(str(found).split("\n\n")[0].split())
    assert f"recommended: {sentence}" in printed
    single = chunks.compare(docs, gold, "paragraphs", budget=80)
    assert single.recommendation == (
        "paragraphs with bm25: 1.000 of what is needed in the first 80 words"
    )


def test_groups_have_counts_and_intervals_of_their_own(docs: Documents) -> None:
    tags = [["cost"], ["time", "cost"], ["time"], []]
    tagged = [{**record, "tags": of} for record, of in zip(records(), tags, strict=True)]
    gold = chunks.questions(tagged, docs)
    found = chunks.compare(docs, gold, ["sentences:1:0", "paragraphs"], budget=80)
    by_tag = found.by_tag("bR@20")
    assert by_tag.facts.label == "bR@20"
    for tag, topics in {"cost": ["0", "1"], "time": ["1", "2"]}.items():
        rows = [row for row in by_tag.rows if row.group == tag]
        assert {row.choice for row in rows} == set(found)
        for row in rows:
            values = [found[row.choice].topics[topic]["bR@20"] for topic in topics]
            assert row.questions == 2
            assert row.mean == pytest.approx(np.mean([value or 0 for value in values]))
            at = found.scores.measures[found.scores.index_of_measure("bR@20")]
            assert row.interval == mean_interval(np.array(values, dtype=float), at)
    frame = by_tag.to_pandas()
    assert list(frame.columns) == [
        "tag", "chunking", "measure", "questions", "mean", "from", "to",
    ]  # fmt: skip
    untagged = chunks.compare(docs, chunks.questions(records(), docs), "paragraphs", budget=80)
    with pytest.raises(InputError, match="no tags"):
        untagged.by_tag()
    with pytest.raises(InputError, match="types of the documents are not known"):
        untagged.by_type()


def test_types_of_documents_are_stated_or_suffixes(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# One\n\nThe fee is 5 euros.\n")
    (tmp_path / "b.html").write_text("<p>The fine is 9 euros.</p>")
    of_folder = chunks.documents(tmp_path)
    assert dict(of_folder.types) == {"a": "md", "b": "html"}
    stated = [{"id": "a", "text": "The fee is 5 euros.", "type": "manual"},
              {"id": "b", "text": "The fine is 9 euros."}]  # fmt: skip
    assert dict(chunks.documents(stated).types) == {"a": "manual"}
    quotes = {"1": ("a", "5 euros"), "2": ("b", "9 euros")}
    gold = chunks.questions(
        [
            {"id": name, "question": "How many euros?",
             "needs": [{"spans": [{"doc": doc, "quote": quote}]}]}
            for name, (doc, quote) in quotes.items()
        ],
        of_folder,
    )  # fmt: skip
    found = chunks.compare(of_folder, gold, "paragraphs", budget=80).by_type()
    assert [(row.group, row.questions) for row in found.rows] == [("md", 1), ("html", 1)]


def test_metrics_have_names_that_trackers_allow(grid_study: Study) -> None:
    found = grid_study.metrics()
    assert found["bR_20/sent-words-2"] == grid_study["sent/words@2"]["bR@20"]
    assert found["lost_by_chunking/sent-words-2"] == grid_study.loss("sent/words@2").chunking
    assert len({name.lower() for name in found}) == len(found)
    for name, value in found.items():
        assert re.fullmatch(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+", name)
        assert type(value) is float
        assert np.isfinite(value)
    assert len(found) == len(grid_study) * (len(grid_study.scores.labels) + 5)


@given(st.lists(st.text(max_size=6), min_size=1, max_size=6, unique=True))
@examples(60)
def test_names_of_metrics_are_different_for_different_choices(names: list[str]) -> None:
    made = metric_names(["bR@5", "bR@50"], names)
    assert len({name.lower() for name in made.values()}) == 2 * len(names)
    assert all(re.fullmatch(r"[\w.-]+/[\w.-]+", name, re.ASCII) for name in made.values())


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
