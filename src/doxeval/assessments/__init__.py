"""Assessments: judgments and their formats, grades, and how a grade becomes a number."""

from doxeval.assessments.assessments import Assessments
from doxeval.assessments.judgment import Judgment, NeededSpan
from doxeval.assessments.read_write import read_assessments, write_assessments

__all__ = ["Assessments", "Judgment", "NeededSpan", "read_assessments", "write_assessments"]
