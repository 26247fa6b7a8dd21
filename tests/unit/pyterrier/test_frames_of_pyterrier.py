"""Frames as PyTerrier has them: results in any order, passages of its sliding windows, topics."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path
from typing import Any

import ir_measures
import pandas
import polars
import pytest

import doxeval
from doxeval import Collection, DoxevalError, DoxevalWarning, Run, build_index, evaluate
from doxeval.pyterrier import passages
from helpers import write_files

WORLDS = range(50)
LIBRARIES = pytest.mark.parametrize("library", [pandas, polars])
WORDS = ("fog", "sea", "horn", "a", "é", "tide\u2003")


def split(text: str, length: int, stride: int) -> list[str]:
    """What `SlidingWindowPassager.transform` makes of a text, from its source."""
    words = re.split(r"\s+", text)
    if len(words) < length:
        return [" ".join(words)]
    starts = range(0, len(words), stride)
    return [" ".join(words[at : at + length]) for at in starts if at + length <= len(words)]


def world(seed: int) -> tuple[dict[str, str], int, int]:
    chance = random.Random(f"passages {seed}")
    docs = {
        name: chance.choice(["", " ", "\n"])
        + "".join(
            chance.choice(WORDS) + chance.choice([" ", "  ", "\n", "\t"])
            for _ in range(chance.randrange(14))
        )
        for name in "abc"
    }
    return docs, chance.randint(1, 5), chance.randint(1, 5)


def passaged(
    docs: dict[str, str], length: int, stride: int, title: str = ""
) -> dict[str, list[Any]]:
    """The frame that the passager makes of a result for each document, by column."""
    rows = [
        ("q1", "words", f"{name}%p{number}", title + text)
        for name, whole in docs.items()
        for number, text in enumerate(split(whole, length, stride))
    ]
    columns = dict(
        zip(("qid", "query", "docno", "text"), map(list, zip(*rows, strict=True)), strict=True)
    )
    return {**columns, "score": [float(len(rows) - at) for at in range(len(rows))]}


# Results and judgments


def frames(seed: int) -> tuple[Any, Any, Any]:
    """Results whose rows are in any order, judgments, and topics."""
    chance = random.Random(f"experiment {seed}")
    topics = pandas.DataFrame({"qid": ["1", "2", "3"], "query": ["fog", "sea", "tide"]})
    rows = [
        (qid, document, score)
        for qid in topics["qid"]
        for document, score in zip(
            chance.sample("abcdefgh", 6), chance.sample(range(90), 6), strict=True
        )
    ]
    results = pandas.DataFrame(rows, columns=["qid", "docno", "score"])
    results["rank"] = results.groupby("qid")["score"].rank(ascending=False).astype(int) - 1
    judged = [
        (qid, document, chance.choice([0, 0, 1, 2]))
        for qid in topics["qid"]
        for document in chance.sample("abcdefghij", 7)
    ]
    judged += [(qid, "sure", 1) for qid in topics["qid"]]
    qrels = pandas.DataFrame(judged, columns=["qid", "docno", "label"])
    return results.sample(frac=1, random_state=seed), qrels, topics


def test_results_and_qrels_go_in_as_they_are() -> None:
    """With the numbers of Experiment, which renames the columns and asks ir_measures."""
    names = ["AP", "nDCG@3", "P@5", "RR", "Rprec"]
    measures = [ir_measures.parse_measure(name) for name in names]
    renamed = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    for seed in WORLDS:
        results, qrels, _ = frames(seed)
        expected = ir_measures.calc_aggregate(
            measures, qrels.rename(columns=renamed), results.rename(columns=renamed)
        )
        found = evaluate({"mine": results}, qrels, names).mean()["mine"]
        for name, measure in zip(names, measures, strict=True):
            value = found[name]
            assert value is not None and math.isclose(value, expected[measure]), (seed, name)


@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
def test_judgments_and_results_may_be_passages() -> None:
    results = pandas.DataFrame(
        {"qid": ["1"], "docno": ["a"], "score": [2.0], "start": [25], "end": [125]}
    )
    qrels = pandas.DataFrame(
        {"qid": ["1"], "docno": ["a"], "label": [1], "start": [0], "end": [50]}
    )
    assert evaluate(results, qrels, "cP@1").mean()["run"] == {"cP@1": 0.25}


def test_numbered_passages_that_nobody_located_are_told() -> None:
    frame = pandas.DataFrame({"qid": ["1", "1"], "docno": ["a%p0", "a%p12"], "score": [2.0, 1.0]})
    with pytest.warns(DoxevalWarning, match=r"2 documents are numbered .* \(a%p0\); doxeval.pyt"):
        Run.from_frame(frame)


# Passages of sliding windows


@LIBRARIES
def test_passages_are_where_the_rule_puts_them(library: Any) -> None:
    for seed in WORLDS:
        docs, length, stride = world(seed)
        columns = passaged(docs, length, stride)
        texts = columns.pop("text")
        located = passages(library.DataFrame(columns), docs, length=length, stride=stride)
        rows = zip(*(located[name].to_list() for name in ("docno", "start", "end")), strict=True)
        shown = [" ".join(re.split(r"\s+", docs[name][start:end])) for name, start, end in rows]
        assert shown == texts, seed
        assert list(located.columns) == ["qid", "query", "docno", "score", "start", "end"]


def test_texts_confirm_the_rule() -> None:
    for seed in WORLDS:
        docs, length, stride = world(seed)
        for title in ("", "A title "):
            frame = pandas.DataFrame(passaged(docs, length, stride, title))
            plain = passages(frame.drop(columns="text"), docs, length=length, stride=stride)
            again = passages(frame, docs, length=length, stride=stride)
            assert again.drop(columns="text").equals(plain), seed


def test_texts_alone_say_where_passages_are() -> None:
    docs = {"a": "one two three four five six seven eight nine ten", "b": "Eleven.\n Twelve."}
    frame = pandas.DataFrame(passaged(docs, 4, 3)).iloc[[2, 0, 3]]
    located = passages(frame, docs)
    spans = zip(located["docno"], located["start"], located["end"], strict=True)
    assert [docs[name][start:end] for name, start, end in spans] == [
        "seven eight nine ten",
        "one two three four",
        "Eleven.\n Twelve.",
    ]
    assert list(located.index) == [2, 0, 3]


def test_a_repeated_text_is_told_apart_by_its_number() -> None:
    docs = {"a": "one two one two one two"}
    frame = pandas.DataFrame(passaged(docs, 2, 2))
    assert list(passages(frame, docs)["start"]) == [0, 8, 16]


def test_another_tokeniser_is_noticed_and_its_texts_are_located() -> None:
    docs = {"a": "Fog-horns are heard far out at sea, at night."}
    texts = ["Fog-horns are heard", "heard far out at", "at sea, at night."]
    frame = pandas.DataFrame(
        {"qid": "1", "docno": [f"a%p{at}" for at in range(3)], "body": texts, "score": 1.0}
    )
    with pytest.warns(DoxevalWarning, match="2 of 3 passages have another text than length=3"):
        located = passages(frame, docs, length=3, stride=2)
    spans = zip(located["start"], located["end"], strict=True)
    assert [docs["a"][start:end] for start, end in spans] == texts


def test_passages_that_are_not_there_are_refused_or_stay_apart() -> None:
    docs = {"a": "Fog on the sea.", "b": "Tides turn."}
    frame = pandas.DataFrame(
        {"qid": "1", "docno": ["a%p0", "b%p0"], "text": ["Fog on", "Quite another text"]}
    )
    with pytest.raises(DoxevalError, match="1 of 2 chunks"):
        passages(frame, docs)
    with pytest.warns(DoxevalWarning):
        located = passages(frame, docs, max_missing=1)
    assert located["docno"].to_list() == ["a", "b%p0"]
    assert located["end"].to_list() == [6, len("Quite another text")]


@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
def test_located_passages_are_scored_as_text() -> None:
    docs = {"a": "one two three four five six"}
    frame = pandas.DataFrame(passaged(docs, 2, 2))
    gold = {"q1": {"a": [(8, 13)]}}
    located = passages(frame, docs, length=2, stride=2)
    assert evaluate(located, gold, ["cR@1", "cR@2"]).mean()["run"] == {"cR@1": 0.0, "cR@2": 1.0}


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"docno": ["a%p0"]}, {}, r"length= and stride= of the passager say where"),
        ({"docno": ["a%p0"]}, {"length": 2}, r"length= and stride= of the passager say where"),
        ({"docno": ["a%p9"]}, {"length": 2, "stride": 2}, r"a%p9: with .* has 2 passages"),
        ({"docno": ["x%p0"]}, {"length": 2, "stride": 2}, r"'x%p0': no document 'x'"),
        ({"docno": ["a"]}, {"length": 2, "stride": 2}, r"no docno ends in %p and a number"),
        ({"docno": ["a%p0"]}, {"length": 0, "stride": 2}, r"length=0: expected 1 or more"),
        ({"docno": ["a%p0"]}, {"text": "body"}, r"text='body': the frame has no such column"),
        ({"name": ["a%p0"]}, {"length": 2, "stride": 2}, r"no column docno among name"),
    ],
)
def test_what_cannot_be_located_is_an_error(
    columns: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(DoxevalError, match=message):
        passages(pandas.DataFrame(columns), {"a": "one two three four"}, **options)


def test_an_empty_frame_keeps_its_columns() -> None:
    empty = pandas.DataFrame({"qid": [], "docno": [], "score": []})
    located = passages(empty, {"a": "one"}, length=2, stride=1)
    assert list(located.columns) == ["qid", "docno", "score", "start", "end"]


# Search in a pipeline


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = write_files(
        tmp_path_factory.mktemp("pipeline"),
        {
            "a.xml": "<a><p>Fog on the sea.</p><p>A horn.</p></a>",
            "b.xml": "<a><p>Fog horns.</p></a>",
        },
    )
    doxeval.build_collection([sources / "a.xml", sources / "b.xml"], sources / "c")
    build_index(sources / "c")
    return sources / "c"


@LIBRARIES
def test_a_frame_of_topics_becomes_a_frame_of_results(library: Any, indexed: Path) -> None:
    topics = library.DataFrame(
        {"qid": ["1", "2"], "query": ["fog horn", "sea"], "lang": ["en", "fr"]}
    )
    results = doxeval.search(indexed, topics)
    run = doxeval.search(indexed, {"1": "fog horn", "2": "sea"})
    assert type(results) is type(topics)
    assert list(results.columns) == ["qid", "query", "lang", "docno", "path", "score", "rank"]
    assert results["lang"].to_list() == ["en", "en", "en", "fr"]
    assert results["rank"].to_list() == [0, 1, 2, 0]
    assert results["score"].to_list() == [result.score for result in run]
    assert [*zip(results["docno"].to_list(), results["path"].to_list(), strict=True)] == [
        (result.document, result.paths[0]) for result in run
    ]


@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
def test_results_of_search_are_scored_as_the_run_is(indexed: Path) -> None:
    topics = pandas.DataFrame({"query_id": ["1", "2"], "text": ["fog horn", "sea"]})
    gold = {"1": {"b": [(0, 9)]}, "2": {"a": [(0, 15)]}}
    for options in ({"task": "documents"}, {"units": "windows(2,1)"}, {"task": "focused"}):
        frame = doxeval.search(indexed, topics, **options)
        run = doxeval.search(indexed, {"1": "fog horn", "2": "sea"}, **options)
        assert "doc_id" in frame.columns and frame["rank"].min() == 1
        measures = ["AP", "MAiP"]
        collection = Collection(indexed)
        one, two = (
            evaluate({"run": each}, gold, measures, collection=collection) for each in (frame, run)
        )
        assert one.mean() == two.mean()


def test_no_topics_no_results_but_columns(indexed: Path) -> None:
    topics = pandas.DataFrame({"qid": ["1"], "query": ["fog"]})
    results = doxeval.search(indexed, topics[:0], "documents")
    assert list(results.columns) == ["qid", "query", "docno", "score", "rank"]
    assert len(results) == 0


def test_columns_that_are_missing_are_named(indexed: Path) -> None:
    with pytest.raises(DoxevalError, match="no column of queries among qid, x: expected query, "):
        doxeval.search(indexed, pandas.DataFrame({"qid": ["1"], "x": ["fog"]}))
    with pytest.raises(DoxevalError, match="no column of ids of topics among query"):
        doxeval.search(indexed, pandas.DataFrame({"query": ["fog"]}))
    with pytest.raises(DoxevalError, match="expected description"):
        doxeval.search(
            indexed, pandas.DataFrame({"qid": ["1"], "query": ["fog"]}), query="description"
        )
