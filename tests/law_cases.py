"""Cases for the laws of measures: measures with random parameters, in random worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from random import Random
from typing import Any, Literal

from doxeval.assessments import QUANTISATIONS, Scale
from doxeval.measures import MEASURES, Law, Measure, Need
from doxeval.runs import Result
from scenes import SLACK, Scene, Scores, scenes

KINDS = dict(MEASURES)
RunName = Literal["elements", "passages", "chunks"]
_TRIES = 4  # some models of navigation come from files, and some quantisations do not fit


def candidates(spec: Field[Any], scale: Scale) -> Sequence[Any]:
    """Return some values of a parameter, small as the worlds are."""
    choices = spec.metadata.get("choices", ())
    if spec.name == "quant":
        fitting = [name for name, quant in QUANTISATIONS.items() if scale in quant.scales]
        return [name for name in choices if name in (*fitting, "auto")]
    if spec.metadata.get("sign") == "@" and "at_most" not in spec.metadata:
        return [spec.default, 1, 2, 3, 5]
    if "sign" in spec.metadata:
        return [spec.default, *(Fraction(n, 10) for n in (0, 1, 3, 5, 10))]
    if isinstance(spec.default, bool):
        return [False, True]
    if isinstance(spec.default, int):
        return [spec.default, 1, 3]
    if isinstance(spec.default, float):
        return [spec.default, 0.0, 0.25, 0.5, 1.0]
    if spec.name == "ignore":
        return [spec.default, "p", "sec+b", "links"]
    return choices or [spec.default]


def varied(kind: type[Measure], scale: Scale, random: Random, **fixed: Any) -> Measure | None:
    """Return the measure with random parameters that go together; None if there are none."""
    for _ in range(20):
        values = {
            spec.name: [fixed[spec.name]] if spec.name in fixed else candidates(spec, scale)
            for spec in fields(kind)
        }
        if not all(values.values()):
            return None
        try:
            return kind(**{name: random.choice(among) for name, among in values.items()})
        except ValueError:
            continue
    return None


@dataclass(frozen=True, eq=False)
class Case:
    """A measure and a run in a world, for a law to be tried on."""

    scene: Scene
    measure: Measure
    run: RunName = "elements"
    variant: int = 0

    @property
    def results(self) -> tuple[Result, ...]:
        """The results of the run."""
        results: tuple[Result, ...] = getattr(self.scene.world, self.run)
        return results

    @cached_property
    def resolved(self) -> Measure:
        """The measure with those parameters filled in that depend on the assessments."""
        return self.measure.resolve_auto(self.scene.truth)

    @cached_property
    def scores(self) -> Scores:
        """The scores of the run."""
        return self.scene.scores(self.measure, self.results)

    @property
    def sign(self) -> int:
        """1 if more is better, else -1."""
        return 1 if self.measure.facts.higher_is_better else -1

    def __str__(self) -> str:
        return "\n".join(map(str, (self.measure, self.scene, *self.results)))


@lru_cache(maxsize=64)
def cases_of(
    name: str, year: str, run: RunName | None, variants: int, fixed: tuple[tuple[str, Any], ...]
) -> list[Case]:
    """Return cases of a measure, with some parameters fixed, in the worlds of a year."""
    listed = []
    for number, scene in enumerate(scenes(year)):
        random = Random(f"{name} {number}")
        for variant in range(variants):
            measure = fitting(KINDS[name], scene, run or "elements", random, dict(fixed))
            if measure is not None:
                runs = runs_for(measure) if run is None else [run]
                listed += [Case(scene, measure, run_name, variant) for run_name in runs]
    return listed


def fitting(
    kind: type[Measure], scene: Scene, run: RunName, random: Random, fixed: Mapping[str, Any]
) -> Measure | None:
    """Return the measure with random parameters that a world has what is needed for."""
    for _ in range(_TRIES):
        measure = varied(kind, scene.scale, random, **fixed)
        if measure is not None and scene.takes(measure, getattr(scene.world, run)):
            return measure
    return None


def cases(name: str, year: str = "highlights", **fixed: Any) -> list[Case]:
    """Return cases of a measure in the worlds of a year, two in each where text is highlighted."""
    variants = 2 if year == "highlights" else 1
    return cases_of(name, year, None, variants, tuple(sorted(fixed.items())))


def runs_for(measure: Measure) -> list[RunName]:
    """Return the runs that a measure can score."""
    if Need.RETRIEVED_ELEMENTS in measure.needs:
        return ["elements"]
    return ["elements", "passages"]


def declaring(law: Law) -> list[str]:
    """Return the measures that declare a law."""
    return [name for name, kind in KINDS.items() if law in kind.facts.laws]


def has_sign(kind: type[Measure], sign: str) -> bool:
    """Whether a measure has a cut-off (@) or a point ([)."""
    return any(spec.metadata.get("sign") == sign for spec in fields(kind))


def swaps(results: Sequence[Result]) -> Iterator[tuple[Result, Result, list[Result]]]:
    """Yield every pair of neighbours of a topic, and the list with the two exchanged."""
    for at, (upper, lower) in enumerate(pairwise(results)):
        if upper.topic == lower.topic:
            yield upper, lower, [*results[:at], lower, upper, *results[at + 2 :]]


def better_up(case: Case, results: Sequence[Result], worth: Callable[[Result], float]) -> None:
    """Hold that a result that is worth more than the one above it loses nothing by moving up."""
    before = case.scene.scores(case.measure, results)
    for upper, lower, exchanged in swaps(results):
        if worth(lower) > worth(upper) + SLACK:
            after = case.scene.scores(case.measure, exchanged)
            for topic, score in before.items():
                assert after[topic] >= score - SLACK, f"exchanged: {upper} {lower}\n{case}"
