"""Measures with parameters drawn at random, from what their classes say about them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import Field, fields
from fractions import Fraction
from random import Random
from typing import Any

from doxeval.measures import Measure

# Values of the parameters that have no list of choices; of a single measure by NAME.parameter.
SAMPLES: dict[str, list[Any]] = {
    "k": [1, 2, 3, 5, 20],
    "B": [1, 3, 10, 40],
    "cover": [0.0, 0.3, 0.5, 1.0],
    "x": [Fraction(x) for x in ("0", "0.01", "0.1", "0.33", "0.5", "0.9", "1")],
    "A": [0.01, 0.1, 1.0, 10.0],
    "L": ["collection", 7.0, 20.5],
    "alpha": [0.0, 0.5, 1.0],
    "beta": [1.0, 0.25, 2.0],
    "NRBP.beta": [0.5, 0.25, 0.8],
    "exponents": ["0.875+0.75+0.5", "0.5+0.75+1.5"],
    "ignore": ["none", "links", "p", "sec+collectionlink", "article"],
    "irr": [1, 3, 8, 300],
    "l": [1.0, 0.5],
    "m": [10.0, 2.0, 1.0],
    "max": [4, 6],
    "n": [1, 4, 10, 500],
    "p": [0.8, 0.5, 0.0],
    "penalty": [1.0, 0.5, 0.0],
    "rel": [1, 2],
}


def values_of(kind: type[Measure], spec: Field[Any], quants: Collection[str]) -> list[Any]:
    """The values that a parameter may be drawn from; of quantisations, those that fit."""
    if spec.name == "quant":
        return [quant for quant in spec.metadata["choices"] if quant in (*quants, "auto")]
    if spec.metadata.get("choices") and not spec.metadata["number"]:
        return list(spec.metadata["choices"])
    samples = SAMPLES.get(f"{kind.name}.{spec.name}") or SAMPLES.get(spec.name)
    if samples:
        return [*([None] if spec.default is None else []), *samples]
    if isinstance(spec.default, bool):
        return [False, True]
    raise AssertionError(
        f"{kind.name} has a parameter {spec.name} without choices: add some values of it to "
        "SAMPLES in tests/brute_force/sampling.py"
    )


def drawn(kind: type[Measure], random: Random, quants: Collection[str]) -> Measure | None:
    """A measure with parameters that go together; None if no quantisation fits."""
    possible = {spec.name: values_of(kind, spec, quants) for spec in fields(kind)}
    if not all(possible.values()):
        return None
    for _ in range(200):
        try:
            return kind(**{name: random.choice(values) for name, values in possible.items()})
        except ValueError:
            continue
    raise AssertionError(f"no parameters of {kind.name} go together")
