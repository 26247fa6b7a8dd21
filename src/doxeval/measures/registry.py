"""All measures there are, by family and by name."""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

from doxeval.measures import (
    bepd,
    documents,
    erru,
    esr,
    hixeval,
    in_context,
    inex_eval,
    ng,
    prum,
    xcg,
)
from doxeval.measures.base import Measure
from doxeval.measures.names import parse_measure


class Family(NamedTuple):
    """A family of measures: the module that explains and computes them."""

    name: str
    title: str
    module: ModuleType

    @property
    def measures(self) -> tuple[type[Measure], ...]:
        """Its measures."""
        found: tuple[type[Measure], ...] = self.module.MEASURES
        return found


FAMILIES = (
    Family("documents", "Documents as units", documents),
    Family("inex_eval", "inex_eval: precision at recall over elements", inex_eval),
    Family("ng", "ng: recall and precision with size and overlap", ng),
    Family("xcg", "XCG: cumulated gain over elements", xcg),
    Family("hixeval", "HiXEval: highlighted characters", hixeval),
    Family("in_context", "In context: documents that are pointed into", in_context),
    Family("bepd", "BEPD: nearness to best entry points", bepd),
    Family("prum", "PRUM and EPRUM: users who browse", prum),
    Family("erru", "ERRU: expected ratio of relevant units", erru),
    Family("esr", "ESR: hits, misses and near-misses under navigation", esr),
)
MEASURES: dict[str, type[Measure]] = {
    measure.name: measure for family in FAMILIES for measure in family.measures
}


def measure_named(text: str) -> Measure:
    """A measure by its name.

    >>> str(measure_named("cP@5"))
    'cP@5(alpha=0,resize=full)'
    """
    return parse_measure(text, MEASURES)
