"""What is wrong with an evaluation's options is an error before anything is read."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from doxeval.assessments import Assessments, Judgment
from doxeval.documents import example_collection
from doxeval.errors import InputError, MissingInput
from doxeval.evaluation import Counting, Evaluation, RunOptions, evaluate
from doxeval.navigation import NoNavigation
from doxeval.runs import Run
from making import passage

JUDGED = Assessments([Judgment("7", "a", ((0, 5),), document_length=9)])
RUN = Run.from_results([passage("a", 0, 5)])
SCORED = partial(evaluate, RUN, JUDGED, "cP@1")


@pytest.mark.parametrize(
    ("make", "options", "told"),
    [
        (SCORED, {"order": "score"}, "order='score': expected one of list, rank, rsv"),
        (RunOptions, {"offsets": "words"}, "offsets='words': expected one of characters"),
        (
            RunOptions,
            {"unresolved": "skip"},
            "unresolved='skip': expected one of error, irrelevant",
        ),
        (
            RunOptions,
            {"duplicates": "error"},
            "duplicates='error': expected one of auto, drop, keep",
        ),
        (RunOptions, {"whitespace": "drop"}, "whitespace='drop': expected one of keep"),
        (
            SCORED,
            {"average_over": "all"},
            "average_over='all': expected one of assessed, retrieved",
        ),
        (
            Counting,
            {"specificity": "both"},
            "specificity='both': expected one of passages, file",
        ),
        (Counting, {"texts": "a.txt"}, "texts is 'a.txt': expected a dict of texts"),
        (SCORED, {"jobs": 0}, "jobs is 0: expected 1 or more"),
    ],
)
def test_wrong_values_are_refused(
    make: Callable[..., object], options: dict[str, Any], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        make(**options)


def test_an_executor_and_jobs_exclude_each_other() -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(InputError, match="not both"):
        evaluate(RUN, JUDGED, "cP@1", jobs=2, executor=pool)


def test_optional_measures_are_left_out_with_a_warning() -> None:
    table = Evaluation(JUDGED, "cP@1", where_possible=["BEPD(L=9)", "cR@1"]).score_all(RUN)
    assert table.labels == ("cP@1", "cR@1")
    assert any(
        "BEPD(L=9) is left out: BEPD(L=9) needs best entry points" in w for w in table.warnings
    )
    with pytest.raises(MissingInput, match="none of the measures can be computed"):
        Evaluation(JUDGED, [], where_possible=["BEPD(L=9)"])
    with pytest.raises(InputError, match="no measures to evaluate by"):
        Evaluation(JUDGED, [])


def test_a_model_of_navigation_without_effect_is_warned_about() -> None:
    without = Evaluation(JUDGED, "cP@1", navigation=NoNavigation())
    assert without.warnings == (
        "none of the measures takes a model of navigation; it has no effect",
    )
    collection = example_collection({"a": "<p>123456789</p>"})
    taken = Evaluation(JUDGED, "ESRP@1", navigation=NoNavigation(), collection=collection)
    assert taken.warnings == ()


def test_evaluate_has_all_options_of_an_evaluation_and_of_scoring() -> None:
    options = dict(inspect.signature(evaluate).parameters)
    expected = {
        **inspect.signature(Evaluation).parameters,
        **inspect.signature(Evaluation.score_all).parameters,
    }
    del expected["self"], expected["progress"], options["progress"]  # a lambda each
    assert options == expected


def test_an_argument_that_is_an_option_of_a_group_is_pointed_to_its_group() -> None:
    told = r"evaluate\(\) has no argument 'unresolved'; give run_options=RunOptions\(unresolved=…\)"
    options: dict[str, Any] = {"unresolved": "irrelevant"}
    with pytest.raises(TypeError, match=told):
        SCORED(**options)
    with pytest.raises(TypeError, match=r"Evaluation\(\) has no argument 'curves'; give keep=Keep"):
        Evaluation(JUDGED, "AP", curves=True)  # type: ignore[call-arg]
