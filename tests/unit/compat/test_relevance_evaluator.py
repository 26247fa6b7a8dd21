"""The drop-in for pytrec_eval's class: arguments and keys; `tests/long` compares values."""

from __future__ import annotations

import math

import pytest

from doxeval.compat import RelevanceEvaluator

QRELS = {"q2": {"a": 1, "b": 0, "c": 2}, "q1": {"a": 0}, "q3": {}}
RUN = {"q2": {"a": 1.0, "x": 3.0}, "q1": {"a": 0.5}, "q9": {"a": 1.0}}


def test_keys_and_values() -> None:
    evaluator = RelevanceEvaluator(QRELS, {"map", "P_5", "P.2,1", "gm_map", "num_q", "runid"})
    found = evaluator.evaluate(RUN)
    assert set(found) == {"q1", "q2"}
    assert found["q2"] == {
        "runid": 0.0,
        "num_q": 1.0,
        "map": 0.25,
        "gm_map": math.log(0.25),
        "P_1": 0.0,
        "P_2": 0.5,
        "P_5": 0.2,
    }
    assert found["q1"]["gm_map"] == math.log(0.00001)


def test_level_and_judged_documents() -> None:
    level = RelevanceEvaluator(QRELS, ["map"], relevance_level=2)
    assert level.evaluate({"q2": {"a": 2.0, "c": 1.0}}) == {"q2": {"map": 0.5}}
    judged = RelevanceEvaluator(QRELS, ["map"], 1, True)
    assert judged.evaluate(RUN)["q2"] == {"map": 0.5}


def test_nothing_to_score() -> None:
    evaluator = RelevanceEvaluator(QRELS, ["map"])
    assert evaluator.evaluate({}) == evaluator.evaluate({"q9": {"a": 1.0}}) == {}
    empty = RelevanceEvaluator(QRELS, ["iprec_at_recall.0", "P.1"]).evaluate({"q2": {}})
    assert math.isnan(empty["q2"]["iprec_at_recall_0.00"])
    assert empty["q2"]["P_1"] == 0


@pytest.mark.parametrize("name", ["MAP", "ndcg@10", "yaap", "map.x", "prefs_simp"])
def test_unknown_measures(name: str) -> None:
    with pytest.raises(ValueError, match="unsupported measure"):
        RelevanceEvaluator(QRELS, {name})


def test_one_name_is_not_several() -> None:
    with pytest.raises(ValueError, match="expected several names"):
        RelevanceEvaluator(QRELS, "map")


def test_a_level_is_positive() -> None:
    with pytest.raises(TypeError, match="relevance_level is 0: expected 1 or more"):
        RelevanceEvaluator(QRELS, ["map"], 0)
