"""Stereotypes: simulated systems that know the assessments and make known kinds of mistakes."""

from doxeval.stereotypes.simulate import simulate
from doxeval.stereotypes.systems import SYSTEMS, System, system_named

__all__ = ["SYSTEMS", "System", "simulate", "system_named"]
