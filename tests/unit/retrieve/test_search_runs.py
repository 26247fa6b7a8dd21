"""Runs made by search: their laws, what they say of themselves, and hostile queries."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import doxeval
from doxeval import read_run, read_topics, search, search_words, write_run
from doxeval.documents import example_collection
from doxeval.errors import FormatError, InputError
from doxeval.retrieve import (
    ARTICLES,
    Index,
    Model,
    SearchOptions,
    as_model,
    bm25,
    build_index,
    explain,
    find_snippets,
    lm,
    model_named,
    open_searcher,
    parse_keywords,
    round_scores,
)
from doxeval.retrieve import TASKS as SEARCH_TASKS
from doxeval.runs import Kind, resolve
from doxeval.tasks import TASKS, problems_of
from doxeval.topics import Topic, target_of

DEMO = Path(doxeval.__file__).parent / "demo_data"
CAS = ["sscas", "svcas", "vscas", "vvcas"]


@pytest.fixture(scope="module")
def topics() -> list[Topic]:
    return read_topics(DEMO / "topics.xml")


# Every way of searching that has rules of its own.
WAYS: list[dict[str, Any]] = [
    *({"task": task} for task in sorted(SEARCH_TASKS)),
    *(
        {"task": task, "units": units}
        for task in sorted(SEARCH_TASKS.keys() - {"documents", *CAS})
        for units in ("windows(50,20)", "passages(80)")
    ),
    *({"task": task, "overlap": "none"} for task in CAS),
    {"task": "relevant-in-context", "articles": "best"},
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(way.values()))
def test_runs_keep_the_rules_of_their_task(
    index: Index, topics: list[Topic], way: dict[str, Any]
) -> None:
    rules = TASKS["focused" if "overlap" in way else way["task"]]
    run = search(index, topics, **way)
    assert len(run) > 100
    targets = {topic.id: target for topic in topics if (target := target_of(topic)) is not None}
    problems = problems_of(
        run,
        rules,
        resolved=resolve(run, index.collection),
        topics={topic.id for topic in topics},
        targets={} if "overlap" in way else targets,
    )
    assert problems == []


def test_the_same_search_gives_the_same_run(
    index: Index, topics: list[Topic], tmp_path: Path
) -> None:
    for name in ("one.jsonl", "two.jsonl"):
        write_run(search(index, topics), tmp_path / name)
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_runs_say_how_they_were_made(index: Index, topics: list[Topic], tmp_path: Path) -> None:
    run = search(index, topics, "relevant-in-context", "bm25(k1=2)", keep=0.6)
    assert run.run_id == "relevant-in-context-bm25(k1=2)"
    facts = run.facts
    assert facts["task"] == "relevant-in-context"
    fields = "titles=1,headings=1,abstracts=1,feedback=0,terms=20,weight=0.2)"
    assert facts["model"] == f"bm25(k1=2,b=0.8,pivot=400,context=1,idf=documents,least=10,{fields}"
    articles = f"bm25(k1=0.9,b=0.4,pivot=mean,context=0,idf=documents,least=1,{fields}"
    assert facts["articles"] == articles
    assert facts["topic_fields"] == {"title": "yes"}
    assert (facts["index"], facts["collection"]) == (index.checksum, index.collection.checksum)
    assert (facts["keep"], facts["doxeval"]) == ("0.6", doxeval.__version__)
    write_run(run, tmp_path / "run.xml")
    read = read_run(tmp_path / "run.xml")
    assert read == run
    assert read.facts["description"] == facts["description"]
    for part in ("task relevant-in-context", facts["model"], "query title", index.checksum):
        assert part in facts["description"]


def test_defaults_depend_on_the_task(index: Index) -> None:
    runs = {task: search(index, {"1": "fog"}, task) for task in SEARCH_TASKS if task not in CAS}
    models = {task: model_named(run.facts["model"]) for task, run in runs.items()}
    okapi = bm25(k1=4, b=0.8, pivot=400, idf="documents", context=0)
    assert models["thorough"] == lm(prior=1, least=1)
    assert models["focused"] == lm(least=10)
    assert models["relevant-in-context"] == okapi(least=10)
    assert models["fetch-browse"] == models["best-in-context"] == okapi(least=1)
    assert models["documents"] == ARTICLES
    assert "articles" not in runs["documents"].facts
    short = search(index, {"1": "fog"}, model="bm25")
    assert model_named(short.facts["model"]) == okapi(context=1, least=10)


def test_documents_have_any_model(index: Index) -> None:
    """Whichever of two options names it."""
    default = search(index, {"1": "fog horn"}, "documents")
    for model in ("bm25", "bm25(k1=.9,b=.4)"):
        assert list(search(index, {"1": "fog horn"}, "documents", model)) == list(default)
    others: list[Any] = ["lm", "bm25(k1=3)", "bm25(feedback=2)", Longest()]
    for model in others:
        run = search(index, {"1": "fog horn"}, "documents", model)
        assert run == search(index, {"1": "fog horn"}, "documents", articles=model)
        assert run.run_id == f"documents-{as_model(model).label}"
        assert run.facts["units"] == "documents"
        assert [one.score for one in run] != [one.score for one in default]


# Every task with every kind of unit and some models: it works, or one sentence says what to do.
@pytest.mark.parametrize("task", SEARCH_TASKS)
@pytest.mark.parametrize("model", ["lm", "bm25", "bm25(feedback=2,terms=3)", "lm(titles=2)"])
@pytest.mark.parametrize("units", [None, "windows(20,20)", "passages(50)"])
def test_tasks_and_models(index: Index, task: str, model: str, units: str | None) -> None:
    topics = [Topic("1", title="fog horn", castitle="//sec[about(., fog)]")]
    try:
        run = search(index, topics, task, model, units=units)
    except InputError as error:
        is_of_elements = task in CAS or task == "documents"
        assert units is not None and (is_of_elements or units.startswith("passages"))
        told = str(error)
        assert told.startswith("units=" if is_of_elements else "model=")
        assert "has no effect" in told or "is not for" in told
    else:
        assert len(run) > 0 and as_model(run.facts["model"])


@dataclass(frozen=True)
class Longest(Model):
    """The longest first."""

    name = "longest"

    def by_item(self, evidence: Any) -> Any:
        yield evidence.length.astype(float)


def test_a_model_of_ones_own(index: Index) -> None:
    run = search(index, {"1": "fog"}, "thorough", Longest())
    assert run.run_id == "thorough-longest"
    lengths = [result.score or 0.0 for result in run]
    assert lengths == sorted(lengths, reverse=True) and len(set(lengths)) > 5


def test_topics_may_be_a_file_or_titles(index: Index, topics: list[Topic]) -> None:
    assert search(index, DEMO / "topics.xml", max_results=3) == search(index, topics, max_results=3)
    assert len(search(str(index.directory), {"x": "fog"}, max_results=3)) == 3


def test_a_topic_without_a_known_word_has_an_empty_list_and_a_warning(index: Index) -> None:
    run = search(index, {"1": "fog", "2": "qwertz", "3": "", "4": "-fog"})
    assert list(run.topics) == ["1"]
    assert run.warnings == ("topics for which nothing was found, whose lists are empty: 2, 3, 4",)
    assert len(search(index, {"2": "qwertz"})) == 0


def test_hostile_queries(index: Index) -> None:
    words = [index.analysis.terms(index.collection.text_of(0))[at] for at in range(200)]
    assert len(search(index, {"1": " ".join(words)}, max_results=10)) == 10
    repeated = search_words(index, '"fog signal" ' * 10_000, task="thorough")
    assert [one.paths for one in repeated] == [
        one.paths for one in search_words(index, '"fog signal"', task="thorough")
    ]
    assert len(repeated) == 10
    assert search_words(index, '"' + "fog " * 10_000 + '"', phrases="only") == []
    assert len(search_words(index, "the of and")) == 10
    assert search_words(index, "\x00\ud800 ' \" - + 東京") == []


def test_phrases_find_only_phrases(index: Index) -> None:
    found = search_words(index, '"lead line"', phrases="only", task="thorough", max_results=1000)
    texts = [
        index.collection.element(result.document, result.paths[0]).text.lower() for result in found
    ]
    assert texts and all("lead line" in " ".join(text.split()) for text in texts)


def test_words_as_results(index: Index) -> None:
    results = search_words(index, "fog horn")
    assert len(results) == 10
    assert [result.rank for result in results] == list(range(1, 11))
    assert {result.topic for result in results} == {"fog horn"}
    structured = search_words(index, "//sec[about(., fog)]", task="sscas", max_results=3)
    assert all(result.paths[0].rpartition("/")[2].startswith("sec[") for result in structured)


def test_entry_points_are_where_elements_start(index: Index) -> None:
    points = search(index, {"1": "fog"}, "best-in-context")
    assert set(points.kind.tolist()) == {Kind.POINT}
    best = search_words(index, "fog", task="fetch-browse", keep=1.0, max_results=1)[0]
    element = index.collection.element(best.document, best.paths[0])
    assert (points.result(0).document, points.result(0).start) == (best.document, element.start)


def test_inline_elements_are_returned_only_if_they_are_named(index: Index) -> None:
    def tags(**options: Any) -> set[str]:
        run = search(index, {"1": "sea ship fog"}, "thorough", **options)
        return {path.rpartition("/")[2].partition("[")[0] for (path,) in run.paths}

    inline = index.collection.inline_tags
    used = inline & set(index.collection.summary.tags)
    assert used
    assert not tags() & inline
    assert not tags(elements="//*") & inline
    name = next(tag for tag in sorted(used) if tags(elements=f"//{tag}"))
    assert tags(elements=f"//{name}, //p") <= {name, "p"}


# Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "focussed"}, "no task 'focussed' of search; did you mean focused?"),
        ({"model": "bm52"}, "no model 'bm52'; did you mean bm25?"),
        ({"units": "sentences"}, "units='sentences': expected elements, windows"),
        ({"units": "windows(10)"}, "expected elements, windows"),
        ({"units": "windows(10,20)"}, "a step from 1 to the number of words"),
        ({"units": "passages(0)"}, "expected 1 or more"),
        ({"max_results": 0}, "max_results=0: expected a whole number, 1 or more"),
        ({"min_words": True}, "min_words=True: expected a whole number, 1 or more"),
        ({"phrases": "all"}, "phrases='all': expected one of extra, only, words"),
        ({"task": "vvcas", "hint": -0.1}, "hint=-0.1: expected a number, 0 or more"),
        ({"task": "vvcas", "hint": float("nan")}, "hint=nan: expected a number, 0 or more"),
        ({"task": "vvcas", "hint": float("inf")}, "hint=inf: expected a number, 0 or more"),
        ({"keep": 0.5}, "keep= has no effect on focused"),
        ({"hint": 0.5}, "hint= is for vscas and vvcas"),
        ({"overlap": "none"}, "overlap= is for tasks with structure"),
        ({"articles": "bm25"}, "articles= has no effect"),
        ({"articles": "best"}, "articles= best ranks articles, and focused ranks units"),
        ({"task": "documents", "min_words": 3}, "min_words= has no effect on documents, which"),
        (
            {"task": "documents", "model": "lm", "articles": "bm25"},
            "articles= has no effect: model= ranks documents",
        ),
        ({"model": "lm(abstracts=2)"}, "the collection has no abstracts that could have a weight"),
        ({"units": "passages", "model": "lm"}, "model= has no effect on passages"),
        ({"units": "windows(9,3)", "min_words": 2}, "min_words= is for elements"),
        ({"task": "sscas", "units": "windows(9,3)"}, "units= is not for sscas"),
        ({"task": "fetch-browse", "keep": 2}, "keep=2: expected a number from 0 to 1"),
        ({"stop": "no such file"}, "stop='no such file': expected english, none or a file"),
        ({"elements": "sec"}, "path pattern 'sec', column 1"),
        ({"query": "titel"}, "no field 'titel' of topics; did you mean title?"),
        ({"task": "sscas", "query": "title"}, "query= is not for sscas"),
    ],
)
def test_what_is_wrong_or_has_no_effect_is_an_error(
    index: Index, options: dict[str, Any], message: str
) -> None:
    topics = [Topic("1", title="fog", castitle="//sec[about(., fog)]")]
    with pytest.raises(InputError) as caught:
        search(index, topics, **options)
    assert message in str(caught.value)


def test_stop_words_of_a_file_and_of_ones_own(index: Index, tmp_path: Path) -> None:
    (tmp_path / "stop.txt").write_text("fog\nthe\n", encoding="utf-8")
    expected = search(index, {"1": "horn"})
    assert list(search(index, {"1": "fog horn"}, stop=tmp_path / "stop.txt")) == list(expected)
    assert list(search(index, {"1": "fog horn"}, stop=["Fog"])) == list(expected)
    (tmp_path / "stop.txt").write_bytes(b"\xff")
    with pytest.raises(InputError, match="expected words in UTF-8"):
        search(index, {"1": "fog"}, stop=str(tmp_path / "stop.txt"))


# Chunks


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"doc": "nowhere", "start": 0, "end": 5}', "chunks.jsonl:2: no document 'nowhere'"),
        ('{"doc": "fog", "start": 0, "end": 99999999}', "chunks.jsonl:2: the chunk ends at"),
        ('{"doc": "fog", "start": 9, "end": 5}', "chunks.jsonl:2: the chunk ends at 5 before"),
        ('{"doc": "fog", "start": -1, "end": 5}', "chunks.jsonl:2: start is -1: expected a whole"),
        ('{"doc": "fog", "start": 1.5, "end": 5}', "chunks.jsonl:2: start is 1.5"),
        ('{"doc": "fog", "start": true, "end": 5}', "chunks.jsonl:2: start is True"),
        ('{"doc": "fog", "start": 1}', "chunks.jsonl:2: end is None"),
        ('{"start": 1, "end": 5}', "chunks.jsonl:2: doc is None: expected the id of a document"),
        ("[1]", "chunks.jsonl:2: expected an object like"),
        ("{", "chunks.jsonl:2: expected an object like"),
    ],
)
def test_bad_chunks_are_told_with_file_and_line(
    index: Index, tmp_path: Path, line: str, message: str
) -> None:
    file = tmp_path / "chunks.jsonl"
    file.write_text(f'{{"doc": "fog", "start": 0, "end": 5}}\n{line}\n', encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        search(index, {"1": "fog"}, units=str(file))
    assert message in str(caught.value)


def test_chunks_are_returned_as_given_and_once(index: Index, tmp_path: Path) -> None:
    file = tmp_path / "chunks.jsonl"
    given = [("fog", 0, 200), ("fog", 100, 2000), ("fog", 0, 200)]
    lines = [json.dumps({"doc": d, "start": s, "end": e}) for d, s, e in given]
    file.write_text("\n".join(lines), encoding="utf-8")
    run = search(index, {"1": "fog"}, "thorough", "bm25", units=str(file))
    assert {(one.document, one.start, one.end) for one in run} == set(given)
    assert len(run) == 2
    assert run.facts["model"].startswith("bm25(k1=1.2,b=0.75,pivot=mean,context=0,idf=units,")
    assert any("1 chunk given before, on the lines 3" in warning for warning in run.warnings)
    file.write_text("", encoding="utf-8")
    with pytest.raises(FormatError, match="no chunks in the file"):
        search(index, {"1": "fog"}, units=str(file))


# Explaining


@pytest.mark.parametrize("model", ["lm(prior=1)", "bm25", "bm25(context=0,idf=words)"])
def test_the_parts_of_a_score_add_up_to_the_score_of_the_run(index: Index, model: str) -> None:
    words = 'fog +horn -sea "lead line"'
    searcher = open_searcher(index, SearchOptions("thorough", model))
    for result in search_words(index, words, task="thorough", model=model):
        explanation = explain(searcher, words, result.document, result.paths[0])
        assert explanation.score == result.score
        shares = [item.share for item in explanation.items]
        total = sum(shares) + sum(explanation.besides.values())
        assert total == pytest.approx(explanation.score)
        row = index.collection.element(result.document, result.paths[0]).node
        words_inside = int(index.elements_after[row]) - int(index.elements_first[row])
        assert explanation.words == words_inside


def test_the_score_of_a_document_is_explained(index: Index) -> None:
    result = search_words(index, "fog horn", task="documents")[0]
    searcher = open_searcher(index, SearchOptions("documents"))
    assert explain(searcher, "fog horn", result.document).score == result.score


def chunk_file(index: Index, directory: Path) -> str:
    """Chunks of 300 characters that overlap, with ids."""
    collection = index.collection
    chunks = [
        {"id": f"{name}-{start}", "doc": name, "start": start, "end": min(start + 300, length)}
        for name in collection.ids()
        for length in [collection.root(name).end]
        for start in range(0, length, 200)
    ]
    file = directory / "chunks.jsonl"
    file.write_text("".join(json.dumps(chunk) + "\n" for chunk in chunks), encoding="utf-8")
    return str(file)


EXPANDED = "feedback=3,terms=6,weight=.4"
EXPANDED_ARTICLES = f"bm25(titles=3,{EXPANDED})"  # which count where the model looks at them
SPANS = [
    *[
        (units, model, None)
        for units in ("windows(30,10)", "chunks")
        for model in ("lm(prior=.5)", "bm25(context=1)", f"bm25({EXPANDED})")
    ],
    *[(units, "bm25(context=1)", EXPANDED_ARTICLES) for units in ("windows(30,10)", "chunks")],
    *[("passages(60)", None, articles) for articles in (None, EXPANDED_ARTICLES)],
]


@pytest.mark.parametrize(("units", "model", "articles"), SPANS)
def test_the_parts_of_the_score_of_any_span_add_up_to_it(
    index: Index,
    topics: list[Topic],
    tmp_path: Path,
    units: str,
    model: str | None,
    articles: str | None,
) -> None:
    units = chunk_file(index, tmp_path) if units == "chunks" else units
    options: dict[str, Any] = {"model": model, "units": units, "articles": articles}
    options["max_results"] = 15
    searcher = open_searcher(index, SearchOptions("thorough", **options))
    for words in ('fog +horn -sea "lead line"', *(topic.title or "" for topic in topics[:3])):
        results = search_words(index, words, task="thorough", **options)
        assert len(results) == 15
        for result in results:
            explained = explain(searcher, words, result.document, f"{result.start}-{result.end}")
            assert explained.score == result.score
            assert explained.span == (result.start, result.end)
            parts = [*(item.share for item in explained.items), *explained.besides.values()]
            assert round_scores(np.array([sum(parts)]))[0] == result.score
            assert explained.words > 0 and any(item.tf > 0 for item in explained.items)
            assert (explained.segment_words is None) == (model is not None)
            if units.endswith(".jsonl"):
                name = f"{result.document}-{result.start}"
                assert explain(searcher, words, name) == explained
                assert explain(searcher, words, result.document, name) == explained


@pytest.mark.parametrize(
    "model", ["lm(feedback=3,titles=2)", "bm25(feedback=2,headings=3)", "lm(least=40)"]
)
def test_the_parts_of_expanded_and_weighted_scores_add_up(index: Index, model: str) -> None:
    words = 'fog +horn -sea "lead line"'
    searcher = open_searcher(index, SearchOptions("focused", model))
    for result in search_words(index, words, task="focused", model=model):
        explained = explain(searcher, words, result.document, result.paths[0])
        parts = [*(item.share for item in explained.items), *explained.besides.values()]
        assert round_scores(np.array([sum(parts)]))[0] == explained.score == result.score


def test_what_cannot_be_explained(index: Index, tmp_path: Path) -> None:
    chunks = chunk_file(index, tmp_path)
    for options, where, message in (
        (SearchOptions("sscas"), None, "put together from several"),
        (SearchOptions("documents"), "0-10", "documents are explained as a whole"),
        (SearchOptions(units="passages"), "/article[1]", "passages are given by their characters"),
        (SearchOptions(units="windows(20,20)"), "3-4", "no result from 3 to 4 of fog; there are"),
        (SearchOptions(units=chunks), "fog-1", "no chunk 'fog-1' in"),
        (SearchOptions(units=chunks), "0-301", "no result from 0 to 301 of fog; there are 0-300"),
    ):
        with pytest.raises(InputError, match=message):
            explain(open_searcher(index, options), "fog", "fog", where)
    with pytest.raises(InputError, match="no chunk 'nosuch' in"):
        explain(open_searcher(index, SearchOptions(units=chunks)), "fog", "nosuch")
    with pytest.raises(InputError, match="no word of the query occurs in fog"):
        explain(open_searcher(index), "qwertz", "fog")


def test_snippets_are_one_line_with_the_words_of_the_query_marked() -> None:
    text = "".join(f"<p>word{number}</p>" for number in range(40))
    collection = example_collection(
        {"a": f"<s>{text}<p>fog\n horn</p></s>", "b": "<s><p>…</p></s>"}
    )
    searcher = open_searcher(Index(build_index(collection).directory, collection))
    terms = parse_keywords("fog")
    spans = searcher.answer(terms).spans._replace(
        document=np.array([0, 1]),
        start=np.array([0, 0]),
        end=collection.nodes.end[collection.rows[:2]],
        paths=None,
    )
    whole, without_words = find_snippets(searcher, terms, spans)
    assert whole.text.startswith("… word")
    assert whole.text.endswith("word39 fog horn")
    assert [whole.text[start:end] for start, end in whole.marked] == ["fog"]
    assert without_words == ("…", ())


def test_feedback_adds_no_word_that_is_as_common_as_a_stop_word() -> None:
    """Whoever searches in a language without a list of stop words is not slowed down by them."""
    filler = " ".join(["le"] * 600)
    texts = [f"<a>brouillard {filler} corne</a>", f"<a>mer {filler} corne</a>"]
    collection = example_collection({str(number): text for number, text in enumerate(texts)})
    index = Index(build_index(collection).directory, collection)
    options = SearchOptions("documents", "bm25(feedback=1,terms=3)")
    explained = explain(open_searcher(index, options), "brouillard", "0")
    assert [item.text for item in explained.items] == ["brouillard", "corne"]
