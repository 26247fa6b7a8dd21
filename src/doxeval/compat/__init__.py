"""Drop-in replacements for other programs: same input, same lines out, quirks and all."""

from __future__ import annotations

from doxeval.doors import door

__all__ = [
    "InexEvalOptions",
    "InexEvalTask",
    "RelevanceEvaluator",
    "TrecEvalError",
    "TrecEvalOptions",
    "TrecEvalScores",
    "inex_eval_lines",
    "read_trec_qrels",
    "trec_eval",
    "trec_eval_lines",
]

__getattr__, __dir__ = door(__name__, __file__)
