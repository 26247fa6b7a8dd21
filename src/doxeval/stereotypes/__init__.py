"""Stereotypes: simulated systems that know the assessments and make known kinds of mistakes."""

from __future__ import annotations

from doxeval.doors import door

__all__ = ["SYSTEMS", "RankedElements", "Situation", "System", "simulate", "system_named"]

__getattr__, __dir__ = door(__name__, __file__)
