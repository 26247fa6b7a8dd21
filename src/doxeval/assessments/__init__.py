"""Assessments: judgments and their formats, grades, and how a grade becomes a number."""

from __future__ import annotations

from doxeval.doors import door

__all__ = [
    "Assessments",
    "Judgment",
    "NeededSpan",
    "as_assessments",
    "read_assessments",
    "write_assessments",
]

__getattr__, __dir__ = door(__name__, __file__)
