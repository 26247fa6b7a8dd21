"""Assessments: judgments and their formats, grades, and how a grade becomes a number."""
