"""Assessments: grades, and how a grade becomes a number."""
