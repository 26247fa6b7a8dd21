"""Assessments: judgments and their formats, grades, and how a grade becomes a number."""

from doxeval.assessments.files import read_assessments, write_assessments
from doxeval.assessments.judgment import Assessments, Judgment

__all__ = ["Assessments", "Judgment", "read_assessments", "write_assessments"]
