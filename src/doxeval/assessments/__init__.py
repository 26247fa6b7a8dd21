"""Assessments: judgments and their formats, grades, and how a grade becomes a number."""

from doxeval.assessments.assessments import Assessments
from doxeval.assessments.judgment import Judgment
from doxeval.assessments.read_write import read_assessments, write_assessments

__all__ = ["Assessments", "Judgment", "read_assessments", "write_assessments"]
