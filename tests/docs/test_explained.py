"""A measure is explained as it was asked for, with the range, laws and needs of its parameters."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, fields

from click.testing import CliRunner

from doxeval.assessments import LINKS
from doxeval.cli import main
from doxeval.measures import (
    MEASURES,
    Facts,
    Law,
    Measure,
    effect_of_parameters,
    explain_measure,
    measure_named,
    parameter,
)


def part(text: str, title: str) -> str:
    """What is said under a bold title."""
    return next((p for p in text.split("\n\n") if p.startswith(f"**{title}**")), "")


def asked(name: str) -> str:
    result = CliRunner().invoke(main, ["measures", name])
    assert result.exit_code == 0, result.output
    return result.output


def test_an_instance_has_its_own_range_and_laws() -> None:
    text = asked("MAep(base=ideal)")
    assert part(text, "Here").startswith("**Here** `MAep(base=ideal,quant=")
    assert part(text, "By default").startswith("**By default** `MAep(base=full,")
    assert "(here ideal; default full)" in text
    assert part(text, "Range") == "**Range** 0 to ∞; higher is better. By default it is 0 to 1."
    laws = part(text, "Laws")
    assert f"with some other parameters, {Law.IDEAL_IS_BEST.value}" in laws
    assert laws.count(Law.IDEAL_IS_BEST.value) == 1


def test_overlap_has_no_upper_bound() -> None:
    text = asked("nxCG@10(overlap=on,base=full)")
    assert "**Range** 0 to ∞" in text
    assert "(here on; default off)" in text
    assert "**Range** 0 to 1;" in asked("nxCG@20(base=full)")


def test_defaults_say_where_other_parameters_differ() -> None:
    text = asked("MAep")
    assert not part(text, "Here")
    assert "0 to 1" in part(text, "Range")
    assert "It is 0 to ∞ with `base=ideal`, or `overlap=on`" in part(text, "Range")
    assert f"{Law.IDEAL_IS_BEST.value} (not with `base=ideal`, or `overlap=on`)" in part(
        text, "Laws"
    )
    assert "It is 0 to ∞ with `base=full` and `overlap=on`" in part(asked("nxCG"), "Range")


def test_a_cut_off_alone_is_an_instance_too() -> None:
    text = asked("cR@3")
    assert "**Here** `cR@3(" in text
    assert "(here 3; default 10)" in text
    assert "By default it is" not in text


def test_what_is_printed_of_a_default_is_what_its_instances_say() -> None:
    """Every instance that differs by one choice is covered by the words on the page."""
    for kind in MEASURES.values():
        check_choices(kind)


def check_choices(kind: type[Measure]) -> None:
    usual = kind()
    words = part(explain_measure(kind), "Range")
    for spec in fields(kind):
        for value in spec.metadata.get("choices") or ():
            try:
                measure = kind(**{spec.name: value})
            except ValueError:
                continue
            is_named = f"`{spec.name}={value}`" in words or f"`{spec.name}` other than" in words
            assert is_named or measure.highest == usual.highest, str(measure)


def test_names_of_other_programs_are_said() -> None:
    names = "`recip_rank` (`RR(unit=document)`), `mrr`, `MRR`"
    assert part(asked("MRR"), "Also called") == f"**Also called** {names}"
    assert not part(asked("MAep"), "Also called")


def test_every_default_is_explained() -> None:
    for name, kind in MEASURES.items():
        text = explain_measure(measure_named(name))
        assert text == explain_measure(kind), name
        assert part(text, "Range"), name


@dataclass(frozen=True)
class _Odd(Measure):
    """Unbounded for two of four combinations, and for one number."""

    name = "Odd"
    facts = Facts("odd", laws=frozenset({Law.TAIL_IS_FREE}))
    a: str = parameter("x", "", ("x", "y", "z"))
    b: bool = parameter(False, "")
    c: float = parameter(0.0, "")

    @property
    def highest(self) -> float | None:
        return None if (self.b and self.a == "z") or self.c else 1.0

    @property
    def laws(self) -> frozenset[Law]:
        return frozenset() if self.a != "x" else self.facts.laws


def test_differences_are_found_with_the_fewest_parameters() -> None:
    found = effect_of_parameters(_Odd, lambda measure: measure.highest)
    assert found == {None: "`c` other than `0`, or `a=z` and `b=on`"}
    lost = effect_of_parameters(_Odd, lambda measure: measure.laws)
    assert lost == {frozenset(): "`a` other than `x`"}


def test_no_pair_of_choices_is_forgotten() -> None:
    """What the words say of nxCG is what all pairs of its parameters say."""
    kind = MEASURES["nxCG"]
    unbounded = set()
    for base, overlap in itertools.product(("ideal", "full"), (False, True)):
        try:
            if kind(base=base, overlap=overlap).highest is None:  # type: ignore[call-arg]
                unbounded.add((base, overlap))
        except ValueError:
            continue
    assert unbounded == {("full", True)}


def test_the_tags_that_links_stand_for_are_listed() -> None:
    line = next(
        line for line in explain_measure(MEASURES["nxCG"]).splitlines() if "`ignore`" in line
    )
    assert all(tag in line for tag in LINKS)
