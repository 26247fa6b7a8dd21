"""Evaluate: assessments, runs and measures to a table of scores, on any executor."""

from doxeval.evaluation.evaluate import evaluate
from doxeval.evaluation.prepare import Reading

__all__ = ["Reading", "evaluate"]
