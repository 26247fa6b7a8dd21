"""Three small documents, judgments of one of them, and runs."""

from __future__ import annotations

from typing import Any

from doxeval.assessments import Assessments, Judgment
from doxeval.evaluation import Keep, evaluate
from doxeval.runs import Run
from making import passage

DOCUMENTS = {
    "a": "<a><s><p>1234</p><p>5678</p></s><s>1234567890</s></a>",
    "b": "<a><s>1234567890</s></a>",
    "c": "<a><s>1234567890</s></a>",
}
HIGHLIGHTED = [Judgment("7", "a", ((0, 8),))]
TWO_TOPICS = [Judgment(topic, "a", ((0, 50),), 0, 100) for topic in ("7", "8")]


def several_tables(**options: Any) -> dict[str, Any]:
    """Return the scores of several runs by several measures, and the curves."""
    lists = [[passage("a", 0, 60)], [passage("a", 40, 90), passage("a", 0, 10, "8")], []]
    runs = [Run.from_results(results, f"run {number}") for number, results in enumerate(lists)]
    measures = ["cP@1", "iP[.01]", "MAgP", "BEPD(L=100)", "AP"]
    assessments = Assessments([*TWO_TOPICS, Judgment("9", "a")])
    return evaluate(runs, assessments, measures, **options, keep=Keep(curves=True)).to_dict()
