"""The twins by the names of their measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from typing import Any, TypeVar

from brute_force.numbers import Score
from brute_force.recall_bases import usual_quantisation
from brute_force.scene import Scene
from doxeval.measures import Measure

Twin = Callable[..., Score]
T = TypeVar("T", bound=Twin)
TWINS: dict[str, Twin] = {}


def twin(name: str) -> Callable[[T], T]:
    """Register the twin of a measure."""

    def registered(function: T) -> T:
        if name in TWINS:
            raise ValueError(f"{name} has two twins")
        TWINS[name] = function
        return function

    return registered


def score_of(measure: Measure, scene: Scene) -> Score:
    """What the twin of a measure says, with the measure's parameters."""
    parameters = {spec.name: _exact(getattr(measure, spec.name)) for spec in fields(measure)}
    if parameters.get("quant") == "auto":
        parameters["quant"] = usual_quantisation(scene)
    return TWINS[measure.name](scene, **parameters)


def _exact(value: Any) -> Any:
    """A number as it is written: 0.1 is a tenth."""
    return Fraction(repr(value)) if isinstance(value, float) else value
