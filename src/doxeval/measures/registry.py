"""All measures there are, by family and by name.

A family is loaded when one of its measures is looked for, so that a command that needs one family
does not wait for the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import NamedTuple

from doxeval.measures.base import Measure
from doxeval.measures.names import parse_measure


class Family(NamedTuple):
    """A family of measures; the module of its name explains and computes them."""

    name: str
    title: str

    @property
    def measures(self) -> tuple[type[Measure], ...]:
        """Its measures."""
        module = import_module(f"doxeval.measures.families.{self.name}")
        found: tuple[type[Measure], ...] = module.MEASURES
        return found


FAMILIES = (
    Family("documents", "Documents as units"),
    Family("hixeval", "HiXEval: highlighted characters"),
    Family("in_context", "In context: documents that are pointed into"),
    Family("xcg", "XCG: cumulated gain over elements"),
    Family("inex_eval", "inex_eval: precision at recall over elements"),
    Family("ng", "ng: recall and precision with size and overlap"),
    Family("bepd", "BEPD: nearness to best entry points"),
    Family("prum", "PRUM and EPRUM: users who browse"),
    Family("erru", "ERRU: expected ratio of relevant units"),
    Family("esr", "ESR: hits, misses and near-misses under navigation"),
)


class _Measures(Mapping[str, type[Measure]]):
    """The measures by name, family after family."""

    def __getitem__(self, name: str) -> type[Measure]:
        for family in FAMILIES:
            for measure in family.measures:
                if measure.name == name:
                    return measure
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (measure.name for family in FAMILIES for measure in family.measures)

    def __len__(self) -> int:
        return sum(len(family.measures) for family in FAMILIES)


MEASURES: Mapping[str, type[Measure]] = _Measures()


def measure_named(text: str) -> Measure:
    """A measure by its name.

    >>> str(measure_named("cP@5"))
    'cP@5(alpha=0,resize=full)'
    """
    return parse_measure(text, MEASURES)
