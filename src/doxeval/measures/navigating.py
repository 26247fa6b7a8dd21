"""The model of navigation that a measure names."""

from __future__ import annotations

from doxeval.errors import MissingInput
from doxeval.measures.judged import Judged
from doxeval.navigation.files import BY_NAME, NAMES
from doxeval.navigation.model import Navigation

__all__ = ["NAMES", "model_named"]


def model_named(name: str, judged: Judged) -> Navigation:
    """A model by its name: one that needs no file, or the one that was given."""
    given = judged.navigation
    if given is not None and given.name == name:
        return given
    if name in BY_NAME:
        return BY_NAME[name]()
    raise MissingInput(f"nav={name} needs a file of that model: --navigation FILE")
