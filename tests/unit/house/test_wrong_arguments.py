"""Raw errors of Python on plausible input: every public function names what is wrong."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest

import doxeval
from doxeval import chunks
from doxeval.documents import example_collection
from doxeval.errors import DoxevalError

# Classes without arguments of users, records whose fields are checked in runs and assessments,
# and decorators of classes.
_NOT_CALLED = {
    *("BuildOptions", "ChunkTable", "Element", "Kind", "Measure", "Model", "Navigation"),
    *("NeededSpan", "Pool", "Result", "Run", "ScoreTable", "register", "register_model"),
    *("DoxevalError", "DoxevalWarning", "__version__", "chunks"),
    *("ChunkRun", "Chunks", "Documents", "ChunkingLimits", "Questions", "Study"),
}
# Functions of users, whose errors are theirs.
_CALLBACKS = {"progress", "planned", "on_broken", "keep", "executor", "engine", "patience", "jobs"}
_DOCS = {"terms": "Thirty days. Unused goods only."}
_NEED = {"spans": [{"doc": "terms", "quote": "Thirty days"}]}


def plausible(folder: Path) -> dict[str, Any]:
    """Values that somebody could give in place of the right one."""
    file = folder / "file.txt"
    file.write_text("7 Q0 a 1 0.5 mine\n")
    frame = {"qid": ["7"], "docno": ["a"], "score": [0.5]}
    return {
        "None": None,
        "no file": "nowhere.txt",
        "no text": "",
        "a path": file,
        "a folder": folder,
        "a number as text": "4",
        "grades": {"7": {"a": 1}},
        "scores": {"7": {"a": 0.5}},
        "texts": {"a": "b"},
        "empty dict": {},
        "a list of texts": ["a"],
        "a list of tuples": [("a", 0, 1)],
        "a list of numbers": [1, 2],
        "empty list": [],
        "a whole number": 3,
        "a negative number": -1,
        "a number": 0.5,
        "bytes": b"x",
        "a frame": pandas.DataFrame(frame),
        "a frame of polars": polars.DataFrame(frame),
        "an empty frame": pandas.DataFrame(),
        "an object": object(),
        "a run": doxeval.Run.from_dict({"7": ["a"]}),
        "assessments": doxeval.Assessments.from_dict({"7": {"a": 1}}),
    }


def good_arguments(folder: Path) -> dict[str, dict[str, Any]]:
    """What functions are called with apart from one bad argument."""
    collection = example_collection({"a": "<s><p>Fog.</p><p>A horn.</p></s>"})
    directory = doxeval.build_index(collection, folder / "index").directory
    index = doxeval.Index(directory, collection)
    judged = doxeval.Assessments.from_dict({"7": {"a": 1}, "8": {"a": 0}})
    run = doxeval.Run.from_dict({"7": {"a": 0.5}})
    table = doxeval.evaluate({"x": run, "y": run}, judged, ["AP", "P@1"])
    topics = [doxeval.Topic("7", title="fog")]
    docs = chunks.documents(_DOCS)
    gold = chunks.questions([{"id": "1", "question": "How long?", "needs": [_NEED]}], docs)
    cut = chunks.split(docs, "sentences:1:0")
    own = {"run": chunks.search(cut, gold), "chunks": cut}
    compared: dict[str, Any] = {"docs": docs, "gold": gold, "chunkings": "sentences:1:0"}
    sample = {"user_input": "How long?", "retrieved_contexts": ["Thirty days."]}
    return {
        "Assessments": {},
        "Collection": {},
        "Counting": {},
        "Evaluation": {"assessments": judged, "measures": "AP"},
        "Index": {"directory": directory},
        "Keep": {},
        "Judgment": {"topic": "7", "document": "a"},
        "RunOptions": {},
        "Topic": {"id": "7"},
        "assessment_statistics": {"assessments": judged},
        "build_collection": {"sources": folder / "file.txt", "out": folder / "c", "force": True},
        "build_index": {"collection": collection, "out": folder / "i", "force": True},
        "compare": {"table": table, "measure": "AP", "resamples": 10},
        "correlate": {"table": table, "resamples": 10},
        "evaluate": {"runs": run, "assessments": judged, "measures": "AP"},
        "fuse": {"runs": [run, run]},
        "merge_collections": {"collections": [collection], "out": folder / "m", "force": True},
        "parse_nexi": {},
        "pool_runs": {"runs": [run], "depth": 1},
        "read_assessments": {},
        "read_chunks": {},
        "read_navigation": {},
        "read_pool": {},
        "read_run": {},
        "read_scores": {"scores": table.to_pandas()},
        "read_topics": {},
        "report": {"table": table},
        "run_statistics": {"run": run},
        "search": {"index": index, "topics": topics},
        "search_words": {"index": index, "words": "fog"},
        "significant_agreement": {"table": table, "resamples": 10},
        "simulate": {"assessments": judged, "collection": collection, "system": "perfect"},
        "topic_statistics": {"topics": topics},
        "write_assessments": {"assessments": judged, "path": folder / "q", "format": "trec"},
        "write_pool": {"pool": doxeval.pool_runs([run], depth=1), "path": folder / "p"},
        "write_run": {"run": run, "path": folder / "o.run"},
        "write_topics": {"topics": topics, "path": folder / "o.tsv"},
        "chunks.budget": {**own, "units": 5},
        "chunks.compare": compared,
        "chunks.split": {"docs": docs},
        "chunks.dedupe": own,
        "chunks.dense": {},
        "chunks.documents": {},
        "chunks.evaluate": {"runs": own["run"], "gold": gold, "docs": docs},
        "chunks.expand": own,
        "chunks.grid": {**compared, "k": [1], "measures": ["cR"]},
        "chunks.hybrid": {},
        "chunks.join": own,
        "chunks.limits": {"chunks": cut, "gold": gold},
        "chunks.locate": {"docs": docs, "chunks": ["Thirty days."]},
        "chunks.merge": own,
        "chunks.oracle": {"chunks": cut, "gold": gold},
        "chunks.questions": {"source": gold, "docs": docs},
        "chunks.read_chunks": {},
        "chunks.retrieve": {"retriever": len, "gold": gold, "chunks": cut, "progress": False},
        "chunks.retrieved": {"source": [sample], "docs": docs},
        "chunks.search": {"chunks": cut, "gold": gold},
        "chunks.tree": {"chunks": cut, "out": folder / "t", "force": True},
    }


def _public() -> dict[str, Callable[..., Any]]:
    own = {name: getattr(doxeval, name) for name in doxeval.__all__}
    own |= {f"chunks.{name}": getattr(chunks, name) for name in chunks.__all__}
    return {
        name: function
        for name, function in own.items()
        if name.removeprefix("chunks.") not in _NOT_CALLED
    }


def _is_clear(error: Exception, function: Callable[..., Any]) -> bool:
    """Whether an error names what is wrong: ours, or Python's about missing arguments."""
    if isinstance(error, DoxevalError):
        return True
    message = str(error)
    is_about_arguments = "required" in message or "unexpected keyword" in message
    return isinstance(error, TypeError) and is_about_arguments and "argument" in message


def _raw_errors(
    function: Callable[..., Any], good: Mapping[str, Any], values: Mapping[str, Any]
) -> list[str]:
    found = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in _CALLBACKS or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            continue
        for label, value in values.items():
            try:
                function(**{**good, name: value})
            except Exception as error:
                if not _is_clear(error, function):
                    found.append(f"{name}={label}: {type(error).__name__}: {error}")
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("arguments")


@pytest.fixture(scope="module")
def values(folder: Path) -> dict[str, Any]:
    return plausible(folder)


@pytest.fixture(scope="module")
def good(folder: Path, values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return good_arguments(folder)


def test_every_public_function_is_tried(good: Mapping[str, Any]) -> None:
    assert set(_public()) == set(good)


@pytest.mark.parametrize("name", sorted(_public()))
def test_wrong_arguments_are_named(
    name: str,
    good: Mapping[str, dict[str, Any]],
    values: Mapping[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)  # some values are good names of files to write
    given = values
    if name == "Judgment":  # a record that is made for every line
        given = {label: value for label, value in values.items() if "frame" not in label}
    assert _raw_errors(_public()[name], good[name], given) == []


@pytest.mark.parametrize("name", ["from_dict", "from_frame", "from_results", "from_arrays"])
def test_wrong_arguments_of_runs_are_named(name: str, values: Mapping[str, Any]) -> None:
    good = {"document": ["a"]} if name == "from_arrays" else {}
    assert _raw_errors(getattr(doxeval.Run, name), good, values) == []


@pytest.mark.parametrize("name", ["from_dict", "from_frame"])
def test_wrong_arguments_of_assessments_are_named(name: str, values: Mapping[str, Any]) -> None:
    assert _raw_errors(getattr(doxeval.Assessments, name), {}, values) == []


def test_what_was_meant_works(folder: Path, good: Mapping[str, dict[str, Any]]) -> None:
    collection = good["simulate"]["collection"]
    (folder / "qrels").write_text("7 0 a 1\n")
    for judged in (folder / "qrels", os.fspath(folder / "qrels"), {"7": {"a": 1}}):
        assert doxeval.simulate(judged, collection.location, "document").topics == ("7",)
        assert doxeval.assessment_statistics(judged).topics.keys() == {"7"}
    assert doxeval.run_statistics({"7": ["a"]}, collection.location).results == 1
    doxeval.build_index(collection, force=True)
    assert doxeval.search_words(collection, "fog") == doxeval.search_words(
        collection.location, "fog"
    )


_ANYTHING: Any = doxeval  # whose functions take what type checkers would refuse
_CHUNKS: Any = chunks


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: _ANYTHING.compare({"a": 1}), "table is {'a': 1}: expected a ScoreTable"),
        (lambda: _ANYTHING.Assessments({"7": {"a": 1}}), "judgments is .*: expected a list"),
        (lambda: _ANYTHING.evaluate({}, {"7": {"a": 1}}, "AP", jobs="4"), "jobs is '4'"),
        (lambda: _ANYTHING.Collection(3), "location is 3: expected a path"),
        (lambda: _CHUNKS.search("chunks.jsonl", {}), "expected a Chunks"),
    ],
)
def test_errors_say_what_was_expected(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(DoxevalError, match=message):
        call()
