"""The front door: all public names are there, and their values behave as values do."""

from __future__ import annotations

import pickle
import re
from datetime import UTC, datetime
from typing import Any

import pytest

import doxeval
from doxeval import (
    Assessments,
    BuildOptions,
    Collection,
    Evaluation,
    Judgment,
    Kind,
    Result,
    Run,
    Topic,
    compare,
    correlate,
    pool_runs,
    significant_agreement,
)
from doxeval.documents import example_collection
from doxeval.evaluation import Keep
from doxeval.measures import nxCG
from doxeval.runs import resolve


def test_every_public_name_is_there() -> None:
    first = {name: getattr(doxeval, name) for name in doxeval.__all__}
    changed = [name for name, value in first.items() if getattr(doxeval, name) is not value]
    assert not changed, "the same however often, whatever else was imported"
    assert set(first) <= set(dir(doxeval))


def test_functions_are_not_hidden_by_rooms() -> None:
    import doxeval.comparison
    import doxeval.evaluation
    import doxeval.reports

    for name in ("compare", "correlate", "evaluate", "report", "simulate", "register"):
        assert callable(getattr(doxeval, name)), name


def test_what_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(doxeval, "nothing")  # noqa: B009  # the type checker knows that it is not there


def _run(name: str, path: str) -> Run:
    return Run.from_results([Result("7", "a", Kind.ELEMENT, paths=(path,), score=0.5)], name)


def values(collection: Collection) -> dict[str, Any]:
    """A value of every kind that users hold in their hands."""
    judgment = Judgment("7", "a", ((4, 8),), 4)
    assessments = Assessments([judgment, Judgment("8", "a", ((0, 4),), 0)])
    run, other = _run("mine", "/s[1]/p[2]"), _run("other", "/s[1]")
    evaluation = Evaluation(
        assessments, ["MAiP", "ESRR@10"], collection=collection, keep=Keep(curves=True)
    )
    table = evaluation.score_all([run, other])
    found = evaluation.ranking(run)
    return {
        "collection": collection,
        "element": collection.element("a", "/s[1]/p[2]"),
        "options": BuildOptions(),
        "topic": Topic("7", title="two"),
        "run": run,
        "result": next(iter(run)),
        "kind": Kind.PASSAGE,
        "resolved run": resolve(run, collection),
        "judgment": judgment,
        "assessments": assessments,
        "measure": nxCG(quant="gen") @ 5,
        "evaluation": evaluation,
        "ground truth": evaluation.truth,
        "ranked run": found,
        "ranking": found.ranking,
        "scores": table,
        "scores of a run": table["mine"],
        "run scores": table.runs[0],
        "facts": table.measures[0],
        "curve": table.runs[0].curves[0],
        "comparison": compare(table, "MAiP"),
        "correlations": correlate(table),
        "agreement": significant_agreement(table),
        "pool": pool_runs([run, other], depth=5, date=datetime(2026, 5, 4, tzinfo=UTC)),
        "verdicts": significant_agreement(table).pairs[0],
    }


def test_no_value_shows_arrays_or_addresses() -> None:
    for name, value in values(example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})).items():
        shown = repr(value)
        assert len(shown) < 400, (name, shown)
        assert not re.search(r"array\(|0x[0-9a-f]{6}|None, None", shown), (name, shown)


def test_values_pickle_and_compare() -> None:
    by_identity = {"evaluation", "ground truth", "ranked run", "ranking", "resolved run"}
    for name, value in values(example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})).items():
        again = pickle.loads(pickle.dumps(value))
        assert type(again) is type(value)
        if name not in by_identity:
            assert again == value, name
            if name != "scores of a run":  # a mapping, as unhashable as a dict
                assert hash(again) == hash(value), name
            assert value != "something else"


def test_an_evaluation_scores_the_same_after_pickling() -> None:
    evaluation = values(example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"}))["evaluation"]
    again = pickle.loads(pickle.dumps(evaluation))
    run = _run("mine", "/s[1]/p[2]")
    assert again.score_all(run) == evaluation.score_all(run)
