"""Cases for the laws of measures: measures with random parameters, in random worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import Field, dataclass, fields
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

from doxeval.assessments import QUANTISATIONS, Scale
from doxeval.measures import MEASURES, Law, Measure
from doxeval.runs import Result
from scenes import SLACK, Scene, Scores, scenes


def candidates(spec: Field[Any], scale: Scale) -> Sequence[Any]:
    """Some values of a parameter, small as the worlds are."""
    choices = spec.metadata.get("choices", ())
    if spec.name == "quant":
        fitting = [name for name, one in QUANTISATIONS.items() if scale in one.scales]
        return [name for name in choices if name in (*fitting, "auto")]
    if spec.metadata.get("sign") == "@":
        return [spec.default, 1, 2, 3, 5]
    if spec.metadata.get("sign") == "[":
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


def varied(kind: type[Measure], scale: Scale, random: Random, **settled: Any) -> Measure | None:
    """The measure with random parameters that go together; None if there are none."""
    for _ in range(20):
        values = {
            spec.name: [settled[spec.name]] if spec.name in settled else candidates(spec, scale)
            for spec in fields(kind)
        }
        if not all(values.values()):
            return None
        try:
            return kind(**{name: random.choice(among) for name, among in values.items()})
        except ValueError:
            continue
    return None


@dataclass(frozen=True)
class Case:
    """A measure and a run in a world, for a law to be tried on."""

    scene: Scene
    measure: Measure
    results: tuple[Result, ...]

    @property
    def scores(self) -> Scores:
        """The scores of the run."""
        return self.scene.scores(self.measure, self.results)

    def told(self, *more: object) -> str:
        """The case in words, for the message of a test that fails."""
        return "\n".join(map(str, (self.measure, self.scene, *self.results, *more)))


def cases(
    name: str,
    year: str = "highlights",
    variants: int = 2,
    law: Law | None = None,
    **settled: Any,
) -> Iterator[Case]:
    """Cases for a measure (that obeys a law); there must be some if the text is highlighted."""
    found = 0
    for number, scene in enumerate(scenes(year)):
        random = Random(f"{name} {number}")
        for _ in range(variants if year == "highlights" else 1):
            measure = varied(MEASURES[name], scene.scale, random, **settled)
            if measure is not None and scene.takes(measure) and scene.obeys(measure, law):
                for results in scene.runs(measure):
                    found += 1
                    yield Case(scene, measure, results)
    assert found or year != "highlights", f"no world for {name}"


def declaring(law: Law) -> list[str]:
    """The measures that declare a law."""
    return [name for name, kind in MEASURES.items() if law in kind.facts.laws]


def with_parameter(place: str) -> list[str]:
    return [
        name
        for name, kind in MEASURES.items()
        if any(spec.metadata.get("sign") == place for spec in fields(kind))
    ]


def swaps(results: Sequence[Result]) -> Iterator[tuple[Result, Result, list[Result]]]:
    """Every pair of neighbours of a topic, the list with the two exchanged."""
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
                assert after[topic] >= score - SLACK, case.told("exchanged:", upper, lower)
