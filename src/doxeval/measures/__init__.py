"""Measures: self-describing values that score a ranking against the ground truth.

Every measure is here by its name, as a value with default parameters:

>>> from doxeval.measures import MAgP, iP, nxCG
>>> nxCG @ 5, iP[0.05], MAgP(score="bep")
(nxCG@5, iP[0.05], MAgP(score=bep))

A measure of your own is a frozen dataclass below `Measure`; `parameter`, `cut_off` and `point`
declare its parameters, and `register` makes it known by its name.
"""

from __future__ import annotations

from doxeval.doors import door

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_load, _names = door(__name__, __file__)

__all__ = [
    "MEASURES",
    "Example",
    "Facts",
    "Law",
    "Measure",
    "Need",
    "as_measure",
    "cut_off",
    "level",
    "measure_named",
    "parameter",
    "point",
    "register",
]


def __getattr__(name: str) -> Any:
    if name in _names():
        return _load(name)
    measures = _load("MEASURES")
    if name.startswith("_") or name not in measures:
        raise AttributeError(f"module 'doxeval.measures' has no attribute or measure {name!r}")
    return measures[name]()


def __dir__() -> list[str]:
    return sorted({*__all__, *_load("MEASURES")})
