"""The model of navigation that a measure names."""

from __future__ import annotations

from doxeval.errors import MissingInput
from doxeval.measures.ground_truth import GroundTruth
from doxeval.navigation.model import Navigation
from doxeval.navigation.read import BY_NAME, NAMES

__all__ = ["NAMES", "model_named"]


def model_named(name: str, truth: GroundTruth) -> Navigation:
    """A model by its name: one that needs no file, or the one that was given."""
    given = truth.navigation
    if given is not None and given.name == name:
        return given
    if name in BY_NAME:
        return BY_NAME[name]()
    raise MissingInput(f"nav={name} needs a file of that model: --navigation FILE")
