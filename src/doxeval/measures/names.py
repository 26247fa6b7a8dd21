"""Measures by name: `nxCG@10(base=full)` to a value, with help where a name is wrong."""

from __future__ import annotations

from collections.abc import Mapping

from doxeval.measures.base import Measure
from doxeval.named import Noun, parse

# What people call measures elsewhere, and what comes nearest here.
_RECALL = "R@10 counts documents, cR@10 characters, sR@10 needs; bR@1000 is recall at a budget"
_PRECISION = "P@10 counts documents, cP@10 highlighted characters"
_RANK = (
    "did you mean RR@10, the reciprocal rank of the first answered need? It needs highlighted text "
    "or gold; that of the first relevant document is not available yet"
)
_CHARACTERS = "cP@10, cR@10, iP[0.01] and MAiP count highlighted characters as it does"
_PRECALL = "did you mean inex_eval? Its generalised form is inex_eval(quant=gen)"
_GAIN = "nxCG@10 is its counterpart for elements, sDCG@10 for chunks"
_HIT = "did you mean hit@10? It asks for a whole need, hit@10(cover=0) for any part of one"
KNOWN_ELSEWHERE = {
    **dict.fromkeys(("recall", "context_recall", "recall_at_k", "coverage"), _RECALL),
    **dict.fromkeys(("precision", "context_precision", "precision_at_k"), _PRECISION),
    "f1": "cF@10 balances precision and recall in characters",
    "fmeasure": "cF@10 balances precision and recall in characters",
    "map": "AP is its value for a topic; MAiP is its counterpart for highlighted text",
    "gmap": "AP gives the values by topic",
    "rprec": "AP, or P@k with a cut-off of your choice",
    **dict.fromkeys(("mrr", "rr", "recip_rank", "reciprocal_rank"), _RANK),
    **dict.fromkeys(("ndcg", "ndcg_cut", "dcg"), _GAIN),
    "ir": "did you mean cR@10, the recall of highlighted characters?",
    "hixeval": _CHARACTERS,
    **dict.fromkeys(("precall", "grp"), _PRECALL),
    "t2i": "did you mean MAgP(score=t2i), by tolerance to irrelevance?",
    "rbp": "doxeval has none; rank-biased precision is not available yet",
    "err": "ERRU@10 is the expected ratio of relevant units; expected reciprocal rank is not here",
    **dict.fromkeys(("iou", "jaccard"), "did you mean IoU@5?"),
    **dict.fromkeys(("hit_rate", "hitrate", "hit", "hits", "success"), _HIT),
    "all_hit": "did you mean all@5?",
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
    doxeval.errors.SyntaxProblem: no measure 'recall': R@10 counts documents, cR@10 characters, \
sR@10 needs; bR@1000 is recall at a budget
    """
    return parse(text, known, MEASURE)
