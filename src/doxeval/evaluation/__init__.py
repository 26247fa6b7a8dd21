"""Evaluation: assessments, measures and a collection, opened and resolved once, score runs."""

from doxeval.evaluation.evaluation import Evaluation, evaluate
from doxeval.evaluation.options import RunOptions

__all__ = ["Evaluation", "RunOptions", "evaluate"]
