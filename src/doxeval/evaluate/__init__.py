"""Evaluate: assessments, runs and measures to a table of scores, on any executor."""

from doxeval.evaluate.evaluation import evaluate
from doxeval.evaluate.prepare import Reading

__all__ = ["Reading", "evaluate"]
