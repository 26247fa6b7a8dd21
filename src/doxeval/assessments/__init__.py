"""Assessments: judgments and their formats, grades, and how a grade becomes a number."""

from doxeval.assessments.assessments import Assessments
from doxeval.assessments.judgment import Judgment, NeededSpan
from doxeval.assessments.read_write import as_assessments, read_assessments, write_assessments

__all__ = [
    "Assessments",
    "Judgment",
    "NeededSpan",
    "as_assessments",
    "read_assessments",
    "write_assessments",
]
