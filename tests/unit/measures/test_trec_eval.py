"""Measures of documents against trec_eval itself, by pytrec-eval-terrier, on random worlds."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest

from doxeval.assessments import Assessments
from doxeval.evaluation import evaluate
from levels import LEVEL

pytrec_eval = pytest.importorskip("pytrec_eval")

WORLDS = 60 if LEVEL == "unit" else 300
# trec_eval applies -l to neither.
WITHOUT_REL = ("ndcg", "ndcg_cut", "ndcg_rel", "G", "num_ret")
NAMES = (
    "map gm_map Rprec bpref recip_rank infAP set_P set_recall set_F set_map set_relative_P num_ret "
    "num_rel num_rel_ret num_nonrel_judged_ret ndcg ndcg_rel Rndcg binG G utility 11pt_avg "
    "gm_bpref P recall success ndcg_cut map_cut relative_P iprec_at_recall Rprec_mult"
).split()
Graded = dict[str, dict[str, Any]]


def random_world(random: Random) -> tuple[Graded, Graded]:
    """Qrels with grades from -1 to 4, and a run with unjudged documents, without some topics."""
    qrels: Graded = {}
    run: Graded = {}
    for topic in map(str, range(1, random.randint(2, 5))):
        documents = [f"d{number}" for number in range(random.randint(1, 40))]
        grades = [random.choice([-1, 0, 0, 0, 1, 1, 2, 3, 4]) for _ in documents]
        judged = dict(zip(documents, grades, strict=True))
        qrels[topic] = {name: judged[name] for name in documents if random.random() < 0.8}
        qrels[topic].setdefault("d0", 0)  # trec_eval fails where no grade is 0 or more
        if topic == "1" or random.random() < 0.9:
            unjudged = [f"x{number}" for number in range(5)]
            ranked = random.sample([*documents, *unjudged], random.randint(1, len(documents) + 5))
            run[topic] = {name: 100.0 - at for at, name in enumerate(ranked)}
    return qrels, run


@pytest.mark.filterwarnings("ignore::doxeval.errors.DoxevalWarning")
@pytest.mark.parametrize("seed", range(WORLDS))
def test_values_are_those_of_trec_eval(seed: int) -> None:
    random = Random(seed)
    qrels, run = random_world(random)
    rel, judged_only = random.choice([1, 1, 2, 3]), random.random() < 0.3
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, set(NAMES), relevance_level=rel, judged_docs_only_flag=judged_only
    )
    expected = evaluator.evaluate(run)
    theirs = sorted({name for values in expected.values() for name in values})
    only = "on" if judged_only else "off"
    ours = {
        name: f"{name}(judged_only={only})"
        if name.rstrip("0123456789").rstrip("_") in WITHOUT_REL
        else f"{name}(rel={rel},judged_only={only})"
        for name in theirs
    }
    table = evaluate(run, Assessments.from_dict(qrels), list(ours.values()))
    (scores,) = table.topics().values()
    for topic, values in expected.items():
        for name, value in values.items():
            score = scores[topic][ours[name]]
            if score is None:  # trec_eval gives 0 where nothing is relevant, or its logarithm
                assert value in (0, math.log(0.00001)) or math.isnan(value), name
            elif not math.isnan(value):  # a list without judged documents
                assert score == pytest.approx(value, abs=1e-12), f"{topic} {name}"
