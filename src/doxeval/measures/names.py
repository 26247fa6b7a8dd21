"""Measures by name: `nxCG@10(base=full)` to a value, with help where a name is wrong."""

from __future__ import annotations

from collections.abc import Mapping

from doxeval.measures.base import Measure
from doxeval.named import Noun, parse

# What people call measures elsewhere, and what comes nearest here.
KNOWN_ELSEWHERE = {
    "recall": "R@10 counts documents, cR@10 highlighted characters",
    "precision": "P@10 counts documents, cP@10 highlighted characters",
    "f1": "cF@10 balances precision and recall in characters",
    "fmeasure": "cF@10 balances precision and recall in characters",
    "map": "AP is its value for a topic; MAiP is its counterpart for highlighted text",
    "gmap": "AP gives the values by topic",
    "rprec": "AP, or P@k with a cut-off of your choice",
    "mrr": "doxeval has none; AP and P@1 also look at the first relevant documents",
    "rr": "doxeval has none; AP and P@1 also look at the first relevant documents",
    "recip_rank": "doxeval has none; AP and P@1 also look at the first relevant documents",
    "ndcg": "nxCG@10 is its counterpart for elements",
    "ndcg_cut": "nxCG@10 is its counterpart for elements",
    "dcg": "nxCG@10 is its counterpart for elements",
    "err": "ERRU@10 is the expected ratio of relevant units; expected reciprocal rank is not here",
    "iou": "doxeval has none; cF@10 also compares returned with highlighted text",
    "hit_rate": "R@10 and P@1 count documents",
    "hit": "Hits@10 is the expected gain from hits; R@10 counts documents",
    "success": "R@10 and P@1 count documents",
    "bpref": "doxeval has none; unjudged documents count as not relevant",
    "aip": "MAiP gives its values by topic",
    "agp": "MAgP gives its values by topic",
}
MEASURE = Noun(
    "measure", "NAME, NAME@10, NAME[0.01] or NAME(key=value,…)", "nxCG@10", KNOWN_ELSEWHERE
)


def parse_measure(text: str, known: Mapping[str, type[Measure]]) -> Measure:
    """The measure of a name, given all measures there are.

    >>> from doxeval.measures.registry import MEASURES
    >>> str(parse_measure("iP[.01]", MEASURES))
    'iP[0.01](alpha=0,resize=full)'
    >>> parse_measure("nxGC@10", MEASURES)
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no measure 'nxGC'; did you mean nxCG?
    >>> parse_measure("recall@10", MEASURES)
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no measure 'recall': R@10 counts documents, cR@10 highlighted \
characters
    """
    return parse(text, known, MEASURE)
