"""Runs as values: in and out of arrays, dicts and data frames, equality, and how they show."""

from __future__ import annotations

import gc
import pickle
import sys
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.errors import DoxevalError, FormatError, InputError
from doxeval.runs import Kind, Result, Run, read_run, write_run
from helpers import write_files
from levels import examples
from strategies import results

UNITS_OF_ARRAYS = [Kind.DOCUMENT, Kind.ELEMENT, Kind.PASSAGE, Kind.POINT]
SCORES = st.dictionaries(
    st.sampled_from(["7", "076", "76"]),
    st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0.5, 1.0, -2.5]), min_size=1),
)


def fields_of(wanted: list[Result], *, missing: Any) -> dict[str, Any]:
    """Results of the kinds that arrays can hold, as arguments of `Run.from_arrays`."""
    return {
        "start": [missing if r.kind == Kind.POINT or r.start is None else r.start for r in wanted],
        "end": [missing if r.end is None else r.end for r in wanted],
        "offset": [r.start if r.kind == Kind.POINT else missing for r in wanted],
        "path": [r.paths[0] if r.paths else None for r in wanted],
        "rank": [r.rank for r in wanted],
        "score": [r.score for r in wanted],
    }


@examples(150)
@given(
    st.lists(results(UNITS_OF_ARRAYS, by_points=False), max_size=8),
    st.sampled_from([-1, None]),
    st.booleans(),
)
def test_arrays_hold_documents_elements_passages_and_points(
    wanted: list[Result], missing: Any, as_arrays: bool
) -> None:
    fields = fields_of(wanted, missing=missing)
    topics, documents = [r.topic for r in wanted], [r.document for r in wanted]
    if as_arrays:
        text = np.array(topics, dtype=object), np.array(documents or [""])[: len(documents)]
        arrays: dict[str, Any] = {name: np.array(values) for name, values in fields.items()}
        run = Run.from_arrays(*text, **arrays)
    else:
        run = Run.from_arrays(topics, documents, **fields)
    assert run == Run.from_results(wanted)
    assert run.warnings == ()


@pytest.mark.parametrize(
    "make", [list, tuple, np.array, pandas.Series, polars.Series, lambda v: iter(v)]
)
def test_any_sequence_will_do(make: Callable[[Any], Any]) -> None:
    run = Run.from_arrays(
        make([7, 7]),
        make(["./a.xml", "b"]),
        start=make([0, 3]),
        end=make([5, 9]),
        score=make([2, 1]),
    )
    assert list(run) == [
        Result("7", "a", Kind.PASSAGE, 0, 5, score=2.0),
        Result("7", "b", Kind.PASSAGE, 3, 9, score=1.0),
    ]


@pytest.mark.parametrize(
    "start",
    [
        np.array([1.0, np.nan]),
        np.array([1, -1], dtype=np.int8),
        pandas.Series([1, None], dtype="Int64"),
        pandas.Series([1, None]),
        polars.Series([1, None]),
        [np.int32(1), None],
        [1.0, float("nan")],
    ],
)
def test_a_missing_number_may_be_spelt_in_many_ways(start: Any) -> None:
    run = Run.from_arrays(["7", "7"], ["a", "b"], start=start, end=[5, -1])
    assert [result.kind for result in run] == [Kind.PASSAGE, Kind.DOCUMENT]
    assert run.start.tolist() == [1, -1]


def test_unsigned_numbers_are_numbers() -> None:
    start = np.array([1, 2], dtype=np.uint64)
    assert Run.from_arrays([7, 7], ["a", "b"], start=start, end=start).start.tolist() == [1, 2]
    with pytest.raises(InputError, match="row 0: start is 18446744073709551615: expected a whole"):
        Run.from_arrays([7, 7], ["a", "b"], start=start - np.uint64(2), end=start)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"topic": ["7"]}, "not of the same length: 1 of topic, 2 of document"),
        ({"topic": "77"}, "topic is a str: expected a sequence with a value for each result"),
        ({"score": 5}, "score is a int: expected a sequence"),
        ({"start": np.zeros((2, 2))}, "start is a ndarray: expected a sequence"),
        ({"start": [0, 9], "end": [5, 5]}, "row 1: the passage ends at 5 before it starts at 9"),
        ({"start": [0, -5], "end": [5, 5]}, "row 1: start is -5: expected a whole number"),
        ({"start": [0.5, 1], "end": [5, 5]}, r"row 0: start is 0\.5: expected a whole number"),
        ({"start": [True, 1], "end": [5, 5]}, "row 0: start is True: expected a whole number"),
        ({"start": [0, 1]}, "row 0: fields start together: expected start and end"),
        ({"start": [0, 1], "end": [5, -1]}, "row 1: fields start together"),
        ({"path": ["/p", "/q"], "offset": [-1, 3]}, "row 1: fields offset, path together"),
        ({"path": ["/p", 1.5]}, "row 1: path is missing or not a string"),
        ({"score": [1, float("nan")]}, "row 1: score is nan: expected a number"),
        ({"score": np.array([np.inf, 1])}, "row 0: score is inf: expected a number"),
        ({"score": ["1", "2"]}, "row 0: score is '1': expected a number"),
        ({"rank": [1, -2]}, "row 1: rank is -2: expected a whole number"),
        ({"topic": ["7", None]}, "row 1: topic is missing or not a string"),
        ({"document": ["a", " "]}, "row 1: document is missing or not a string"),
        ({"document": ["a", 1.5]}, "row 1: document is missing or not a string"),
        ({"document": [b"a", b"b"]}, "row 0: document is missing or not a string"),
        ({"rank": [1, 1 << 62]}, "row 1: rank is 4611686018427387904: expected a whole number"),
        ({"rank": [1, 10**30]}, "row 1: rank is 10+: expected a whole number"),
    ],
)
def test_bad_arrays_are_refused_with_their_row(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Run.from_arrays(**{"topic": ["7", "7"], "document": ["a", "b"], **fields})


def test_ranks_and_scores_that_some_results_lack_are_not_used() -> None:
    run = Run.from_arrays([7, 7], ["a", "b"], rank=[1, -1], score=[0.5, None])
    assert (run.rank, run.score) == (None, None)
    assert run.warnings == (
        "some results have no rank; the ranks are not used",
        "some results have no score; the scores are not used",
    )


def test_arrays_are_copied_and_cannot_be_written_to() -> None:
    start = np.array([1, 2])
    run = Run.from_arrays([7, 7], ["a", "b"], start=start, end=start, score=np.array([1.0, 0.5]))
    start[0] = 9
    assert run.start.tolist() == [1, 2]
    for column in (run.kind, run.start, run.end, run.score, run.line):
        assert column is not None
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 3


# Dicts


@given(SCORES)
def test_a_dict_of_scores_is_ranked_by_falling_score(given_: dict[str, dict[str, float]]) -> None:
    run = Run.from_dict(given_, "mine")
    expected = []
    for topic, scores in given_.items():
        places = {document: place for place, document in enumerate(scores)}
        ranked = sorted(scores, key=lambda document: (-scores[document], places[document]))
        expected += [
            Result(topic, document, rank=rank, score=scores[document])
            for rank, document in enumerate(ranked, 1)
        ]
    assert list(run) == expected
    assert run.to_dict() == given_
    assert Run.from_dict(run.to_dict(), "mine") == run


@given(st.lists(results([Kind.DOCUMENT, Kind.ELEMENT, Kind.PASSAGE], by_points=False), max_size=8))
def test_a_dict_of_lists_is_in_ranking_order(wanted: list[Result]) -> None:
    given_: dict[str, list[Any]] = {}
    expected: dict[str, list[Result]] = {}
    for result in wanted:
        unit: Any = result.document
        if result.kind == Kind.PASSAGE:
            unit = (result.document, result.start, result.end)
        elif result.kind == Kind.ELEMENT:
            unit = (result.document, result.paths[0])
        given_.setdefault(result.topic, []).append(unit)
        own = expected.setdefault(result.topic, [])
        own.append(result._replace(rank=len(own) + 1, score=None))
    found = Run.from_dict(given_)
    assert list(found) == [result for results_ in expected.values() for result in results_]


def test_ids_and_scores_of_a_dict_may_be_numbers_of_numpy() -> None:
    run = Run.from_dict({7: {1: np.float32(0.5), 2: np.int64(3)}})
    assert run.to_dict() == {"7": {"2": 3.0, "1": 0.5}}
    assert Run.from_dict({7: [(1, np.int64(3), np.int64(5)), np.int64(4)]}).end.tolist() == [5, -1]


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ([1], r"results is \[1\]: expected a dict"),
        ({"7": {"a": float("nan")}}, "topic '7', document 'a': score is nan: expected a number"),
        ({"7": {"b": 1, "a": "1"}}, "topic '7', document 'a': score is '1': expected a number"),
        ({"7": {"a": None}}, "score is None: expected a number"),
        ({"7": "a"}, "topic '7' has 'a': expected {document: score}, or a list of documents"),
        ({"7": [("a", 0.5)]}, r"topic '7' has \('a', 0.5\): expected {document: score}"),
        ({"7": [("a", 5)]}, r"topic '7' has \('a', 5\): expected {document: score}"),
        ({"7": [("a", 5, 3)]}, r"\('a', 5, 3\): expected a start of 0 or more, and an end that"),
        ({"7": [("a", -5, 3)]}, r"\('a', -5, 3\): expected a start of 0 or more"),
        ({"7": [None]}, "topic '7' has None: expected"),
        ({"7": {"a": 1, " ": 1}}, "topic '7', document ' ': doc is missing or not a string"),
    ],
)
def test_bad_dicts_are_refused(given_: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Run.from_dict(given_)


def test_runs_that_are_no_dict_of_scores() -> None:
    with pytest.raises(DoxevalError, match=r"this run has parts of documents: to_pandas\(\)"):
        Run.from_dict({"7": [("a", 0, 9)]}).to_dict()
    with pytest.raises(DoxevalError, match="document 'a' is there twice for topic '7'"):
        Run.from_dict({"7": ["a", "b", "a"]}).to_dict()
    assert Run.from_dict({"7": ["a", "b"]}).to_dict() == {"7": {"a": 1.0, "b": 0.5}}
    assert Run.from_dict({}).to_dict() == Run.from_dict({"7": {}}).to_dict() == {}


# Data frames


@pytest.mark.parametrize("library", ["pandas", "polars"])
@examples(100)
@given(st.lists(results(), min_size=1, max_size=8), st.booleans(), st.booleans())
def test_frames_hold_every_run(
    library: str, wanted: list[Result], ranks: bool, scores: bool
) -> None:
    run = Run.from_results(
        [
            r._replace(rank=r.rank if ranks else None, score=r.score if scores else None)
            for r in wanted
        ],
        "mine",
    )
    frame = run.to_pandas() if library == "pandas" else run.to_polars()
    assert len(frame) == len(run)
    assert Run.from_frame(frame) == run
    assert Run.from_frame(frame, "yours") == run.with_id("yours")


def test_frames_of_an_empty_run() -> None:
    run = Run.from_results([], "mine")
    for frame in (run.to_pandas(), run.to_polars()):
        assert list(frame.columns) == ["topic", "doc", "run"]
        assert Run.from_frame(frame, "mine") == run


def test_frames_as_other_programs_make_them() -> None:
    merged = pandas.DataFrame(
        {
            "q_id": ["7", "7"],
            "Q0": ["Q0", "Q0"],
            "document": ["a", "b"],
            "path": ["/p[1]", np.nan],
            "start": [np.nan, 3.0],
            "end": [np.nan, 9.0],
        }
    )
    assert list(Run.from_frame(merged)) == [
        Result("7", "a", Kind.ELEMENT, paths=("/p[1]",)),
        Result("7", "b", Kind.PASSAGE, 3, 9),
    ]
    trees = {"topic_id": [7, 7], "docno": ["a", "a"], "nodes": ["/p[1] /p[2]", None]}
    for frame in (pandas.DataFrame(trees), polars.DataFrame(trees)):
        assert [result.paths for result in Run.from_frame(frame)] == [("/p[1]", "/p[2]"), ()]
    categories = pandas.DataFrame({"qid": ["7", "7"], "docno": ["a", "b"]}, dtype="category")
    assert Run.from_frame(categories) == Run.from_arrays(["7", "7"], ["a", "b"])


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"qid": [7], "docno": ["a"], "doc_id": ["a"]}, "columns 'docno' and 'doc_id' are both"),
        ({"doc": ["a"]}, r"no column topic \(or topic_id, qid, query_id, q_id, query-id\)"),
        ({"qid": ["7"], "docno": [None]}, "row 0: docno is missing or not a string"),
        ({"qid": [7], "doc": ["a"], "start": [3.5], "end": [9]}, r"row 0: start is 3\.5: expected"),
    ],
)
def test_bad_frames_are_refused(frame: dict[str, Any], message: str) -> None:
    for made in (pandas.DataFrame(frame), polars.DataFrame(frame)):
        with pytest.raises(InputError, match=message):
            Run.from_frame(made)


def test_what_is_no_frame() -> None:
    with pytest.raises(InputError, match="a lazy frame of polars"):
        Run.from_frame(polars.LazyFrame({"topic": ["7"], "doc": ["a"]}))
    with pytest.raises(InputError, match="a dict: expected a data frame"):
        Run.from_frame({"topic": ["7"], "doc": ["a"]})


def test_several_run_ids_in_a_frame_are_told() -> None:
    frame = pandas.DataFrame({"topic": [1, 1], "doc": ["a", "b"], "run": ["x", "y"]})
    assert Run.from_frame(frame).warnings == ("2 run ids in one data frame: x, y",)
    assert Run.from_frame(frame, "z").warnings == ()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_that_is_missing_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(FormatError, match=f"needs {library}: install {library}"):
        getattr(Run.from_dict({"7": ["a"]}), f"to_{library}")()


# Results


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (Result("7", "a", Kind.ELEMENT), "result 2: the element has no path"),
        (Result("7", "a", Kind.TREE), "result 2: the tree has no path"),
        (Result("7", "a", Kind.PASSAGE), "result 2: the passage has neither a start nor text"),
        (Result("7", "a", Kind.PASSAGE, 5), "result 2: the passage ends before it starts, or has"),
        (Result("7", "a", Kind.PASSAGE, 5, 3), "result 2: the passage ends before it starts"),
        (Result("7", "a", Kind.POINT), "result 2: the point has neither a start nor text points"),
        (Result("7", "a", Kind.ELEMENT, paths="/p[1]"), "result 2: paths is '/p.1.': expected a"),  # type: ignore[arg-type]
    ],
)
def test_results_that_do_not_say_where_they_are(result: Result, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Run.from_results([Result("7", "a"), result])


@given(st.lists(results(), max_size=8))
def test_results_go_in_and_come_out(wanted: list[Result]) -> None:
    run = Run.from_results(wanted)
    assert list(run) == list(run.results()) == wanted
    assert [run.result(row) for row in range(len(run))] == wanted


# Equality


def changed(result: Result) -> list[Result]:
    """The result with each thing that counts changed."""
    return [
        result._replace(topic="x"),
        result._replace(document="x"),
        result._replace(rank=(result.rank or 0) + 1),
        result._replace(score=(result.score or 0.0) + 1),
        Result(result.topic, result.document, Kind.PASSAGE, 77, 88, (), result.rank, result.score),
        Result(result.topic, result.document, Kind.TREE, None, None, ("/x", "/y"), *result[6:8]),
        Result(result.topic, result.document, Kind.SPANS, spans=((70, 77), (80, 88))),
        Result(result.topic, result.document, Kind.SPANS, spans=((70, 77), (81, 88))),
        result._replace(tokens=1 if result.tokens is None else None),
        result._replace(added=1 if result.added is None else None),
    ]


@given(st.lists(results(), min_size=1, max_size=6), st.data())
def test_runs_are_equal_if_what_they_returned_is(wanted: list[Result], data: st.DataObject) -> None:
    run = Run.from_results(wanted, "mine")
    again = replace(Run.from_results(list(wanted), "mine"), origin="x", warnings=("y",))
    assert run == again
    assert hash(run) == hash(again)
    assert run != run.with_id("yours")
    assert run != Run.from_results(wanted[:-1], "mine")
    row = data.draw(st.integers(0, len(wanted) - 1))
    for other in changed(wanted[row]):
        assert run != Run.from_results([*wanted[:row], other, *wanted[row + 1 :]], "mine")
    assert run != "mine"


@given(st.lists(results(), min_size=1, max_size=8), st.data())
def test_rows_of_a_run_are_a_run_of_these_results(
    wanted: list[Result], data: st.DataObject
) -> None:
    run = Run.from_results(wanted)
    rows = data.draw(st.lists(st.integers(0, len(wanted) - 1)))
    some = run.rows(np.array(rows, dtype=np.int64))
    expected = Run.from_results([wanted[row] for row in rows])
    assert list(some) == list(expected)
    assert list(some.topics) == list(expected.topics)
    assert list(some.documents) == list(expected.documents)
    if rows:
        assert some == expected
        assert hash(some) == hash(expected)


def test_equal_runs_from_different_formats_are_equal(tmp_path: Path) -> None:
    run = Run.from_dict({"7": [("a", 0, 9), ("b", 3, 5)], "8": [("a", 1, 2)]}, "mine")
    run = replace(run, score=np.array([1.0, 0.5, 1.0]))
    for suffix in ("run", "jsonl", "csv", "parquet", "xml"):
        path = tmp_path / f"mine.{suffix}"
        write_run(run, path)
        assert read_run(path) == run
        assert hash(read_run(path)) == hash(run)


def test_zeros_of_both_signs_are_equal() -> None:
    plus, minus = ({"7": {"a": score}} for score in (0.0, -0.0))
    assert Run.from_dict(plus) == Run.from_dict(minus)
    assert hash(Run.from_dict(plus)) == hash(Run.from_dict(minus))


# Pickles and memory


@given(st.lists(results(), max_size=8))
def test_runs_pickle(wanted: list[Result]) -> None:
    run = Run.from_results(wanted, "mine")
    assert pickle.loads(pickle.dumps(run)) == run


def test_text_runs_pickle_without_their_file(tmp_path: Path) -> None:
    lines = "".join(f"7 Q0 d{n % 3} {n} 1 mine /p[{n % 2 + 1}]\n" for n in range(1000))
    write_files(tmp_path, {"a.run": lines})
    run = read_run(tmp_path / "a.run")
    data = pickle.dumps(run)
    assert pickle.loads(data) == run
    assert b"Q0" not in data


@pytest.mark.parametrize("suffix", ["run", "jsonl", "xml"])
def test_runs_are_freed_without_the_collector(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    write_run(Run.from_dict({"7": [("a", "/p[1]"), ("b", "/p[1]")]}, "mine"), path)
    gc.disable()
    try:
        run = read_run(path)
        some = run.rows(np.array([1]))
        _ = (run.topics, run.documents, run.paths, some.topics, some.document, run.by_field())
        _ = run.document_labels.find(["a"]), run.document_labels.keys(), repr(run), hash(run)
        gone: list[Any] = [weakref.ref(run), weakref.ref(some), weakref.ref(run.document_labels)]
        del run, some
        assert [reference() for reference in gone] == [None] * 3
    finally:
        gc.enable()


# How they show


def test_a_run_shows_itself_on_one_line() -> None:
    many = Run.from_arrays(np.arange(94_400) // 829, ["a"] * 94_400, run_id="mine")
    assert repr(many) == "Run('mine': 94,400 results for 114 topics, documents)"
    assert repr(Run.from_results([], "mine")) == "Run('mine': no results)"
    kinds = [
        Result("1", "a"),
        Result("1", "a", Kind.ELEMENT, paths=("/p[1]",)),
        Result("1", "a", Kind.PASSAGE, 0, 9),
        Result("1", "a", Kind.POINT, 3),
        Result("1", "a", Kind.TREE, paths=("/p[1]", "/p[2]")),
    ]
    assert repr(Run.from_results(kinds)) == (
        "Run('run': 5 results for 1 topic, documents, elements, passages, entry points and trees)"
    )


def test_a_notebook_shows_the_first_results_and_no_markup_of_theirs() -> None:
    run = Run.from_dict({"7": [f"<b>{n}</b>" for n in range(25)]}, "<i>")
    shown = run._repr_html_()
    assert "<td>&lt;b&gt;9&lt;/b&gt;</td>" in shown
    assert "&lt;b&gt;10" not in shown
    assert "<td>… 15 more</td>" in shown
    assert "Run(&#x27;&lt;i&gt;&#x27;: 25 results for 1 topic, documents)" in shown
    parts = Run.from_dict({"7": [("a", 1234, 5678), ("b", "/p[1]")]})._repr_html_()
    assert "<td>[1234, 5678)</td>" in parts
    assert "<td>/p[1]</td>" in parts
    assert "Run(&#x27;run&#x27;: no results)" in Run.from_results([])._repr_html_()
