"""Evaluation: assessments, measures and a collection, opened and resolved once, score runs."""

from __future__ import annotations

from doxeval.doors import door

__all__ = ["Counting", "Evaluation", "Keep", "RunOptions", "evaluate", "read_scores"]

__getattr__, __dir__ = door(__name__, __file__)
