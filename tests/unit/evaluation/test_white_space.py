"""White space ignored: by an evaluation as a whole, or besides the scores, from one ranking."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assessments import Assessments, Judgment
from doxeval.errors import InputError, MissingInput
from doxeval.evaluation import Counting, Evaluation, Keep
from doxeval.measures import as_measure
from doxeval.runs import Kind, Result, Run

TEXT = "a bc  d\n\nefg h"
TEXTS = {"a": TEXT, "b": TEXT[::-1]}
MEASURES = [
    "cR@2",
    "cP@2",
    "IoU@2",
    "all@2",
    "RR@2",
    "Red@2",
    "read@2",
    "bR@3",
    "bR@5(unit=characters)",
    "U@4",
]
KEPT = ("cR", "cP", "IoU", "all", "RR", "bR", "U")
spans = st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT))).map(
    lambda edges: (min(edges), max(edges))
)
placed = st.tuples(st.sampled_from("78"), st.sampled_from("ab"), spans)


def judged(*pairs: tuple[str, str, tuple[int, int]], length: int | None = None) -> Assessments:
    by_pair = {
        (topic, document): Judgment(topic, document, (span,), document_length=length)
        for topic, document, span in pairs
    }
    return Assessments(by_pair.values())


def run_of(*results: tuple[str, str, tuple[int, int]]) -> Run:
    passages = (Result(topic, name, Kind.PASSAGE, *span) for topic, name, span in results)
    return Run.from_results(sorted(passages, key=lambda result: result.topic), "mine")


@given(st.lists(placed, min_size=1, max_size=4), st.lists(placed, max_size=5))
def test_the_same_ranking_gives_the_scores_of_an_evaluation_that_ignores_white_space(
    gold: list[tuple[str, str, tuple[int, int]]], results: list[tuple[str, str, tuple[int, int]]]
) -> None:
    run, assessments = run_of(*results), judged(*gold, length=len(TEXT))
    both = Evaluation(
        assessments, MEASURES, counting=Counting(TEXTS), keep=Keep(without_whitespace=KEPT)
    ).score_all([run])
    ignoring = Evaluation(
        assessments, MEASURES, counting=Counting(TEXTS, ignore_whitespace=True)
    ).score_all([run])
    kept = both.without_whitespace().runs[0].values
    rows = np.array([type(as_measure(name)).name in KEPT for name in MEASURES])
    assert np.array_equal(kept[rows], ignoring.runs[0].values[rows], equal_nan=True)
    assert np.isnan(kept[~rows]).all()
    assert both.only(measures="bR@3").without_whitespace().mean() == {
        "mine": {"bR@3": ignoring["mine"]["bR@3"]}
    }


def test_results_at_the_end_of_a_document_of_stated_length_resolve() -> None:
    """The length is that of the text with its white space, and so are the offsets of results."""
    end = len(TEXT)
    counting = Counting(TEXTS, ignore_whitespace=True)
    evaluation = Evaluation(
        judged(("7", "a", (9, end)), length=end), ["cR@1", "cP@1"], counting=counting
    )
    assert evaluation.score(run_of(("7", "a", (9, end)))).mean == {"cR@1": 1.0, "cP@1": 1.0}
    whole = evaluation.score(Run.from_results([Result("7", "a")]))
    assert whole.mean == {"cR@1": 1.0, "cP@1": 4 / 8}


def test_without_texts_the_scores_are_the_same() -> None:
    evaluation = Evaluation(judged(("7", "a", (0, 4))), "cR@1", keep=Keep(without_whitespace=KEPT))
    table = evaluation.score_all([run_of(("7", "a", (0, 3)))])
    assert table.without_whitespace().mean() == table.mean() == {"mine": {"cR@1": 0.75}}


@pytest.mark.parametrize("unknown", ["judged", "returned"])
def test_a_text_that_is_not_known_is_an_error(unknown: str) -> None:
    name = {"judged": "a", "returned": "a"} | {unknown: "c"}
    evaluation = Evaluation(
        judged(("7", name["judged"], (0, 4))),
        "cR@1",
        counting=Counting(TEXTS),
        keep=Keep(without_whitespace=KEPT),
    )
    with pytest.raises(MissingInput, match="the text of document 'c' is not known"):
        evaluation.score(run_of(("7", name["returned"], (0, 3))))


@pytest.mark.parametrize("names", ["bR", True])
def test_measures_are_named_in_a_list(names: object) -> None:
    with pytest.raises(InputError, match="expected a list of names of measures"):
        Keep(without_whitespace=names)  # type: ignore[arg-type]
