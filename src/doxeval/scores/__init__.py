"""Scores: what an evaluation gives, and the forms in which it leaves the program."""

from doxeval.scores.table import Curve, MeasureFacts, RunScores, ScoreTable

__all__ = ["Curve", "MeasureFacts", "RunScores", "ScoreTable"]
