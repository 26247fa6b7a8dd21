"""Measures explained in words, from the facts that their classes state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from doxeval.assessments import LINKS
from doxeval.measures.base import Law, Measure, Need
from doxeval.measures.registry import FAMILIES, Family
from doxeval.measures.variants import where_different
from doxeval.named import parameters_in_words, shown


def explained(given: Measure | type[Measure]) -> str:
    """A measure explained, as Markdown that also reads well in a terminal.

    Of a class, or a measure with its defaults, it is also said which parameters change its range,
    its laws and its needs. Any other measure is explained as it is, with its own values:

    >>> from doxeval.measures import MAep
    >>> print(explained(MAep).split("\\n\\n")[0])
    ### MAep: average effort-precision
    >>> print(explained(MAep(base="ideal")).split("\\n\\n")[7])
    **Range** 0 to ∞; higher is better. By default it is 0 to 1.
    """
    measure = given() if isinstance(given, type) else given
    kind, facts, default = type(measure), measure.facts, type(measure)()
    parts = [
        f"### {kind.name}: {measure.title}",
        (kind.__doc__ or "").strip(),
        f"    {facts.formula}" if facts.formula else "",
        f"**By default** `{default}`",
        "" if measure == default else f"**Here** `{measure}`",
        parameters_in_words(measure, {"ignore": links_in_words()}),
        _range(measure),
        _needs(measure),
        f"**Edge cases** {facts.edge_cases}" if facts.edge_cases else "",
        *_laws(measure),
        f"**Source** {facts.cite}" if facts.cite else "",
        *_example(measure),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def links_in_words() -> str:
    """Which tags `ignore=links` leaves out.

    >>> links_in_words()[:40]
    'links are collectionlink, imagelink, lan'
    """
    return f"links are {', '.join(sorted(LINKS))}"


def _is_default(measure: Measure) -> bool:
    return measure == type(measure)()


# Range, needs and laws: of the measure as it is, and what other parameters change


def _bounds(measure: Measure) -> str:
    highest = "∞" if measure.highest is None else shown(measure.highest)
    return f"{shown(measure.facts.lowest)} to {highest}"


def _range(measure: Measure) -> str:
    usual, own = _bounds(type(measure)()), _bounds(measure)
    better = "higher" if measure.facts.higher_is_better else "lower"
    said = f"**Range** {own}; {better} is better."
    said += f" By default it is {usual}." if own != usual else ""
    if _is_default(measure):
        changed = where_different(type(measure), _bounds)
        said += "".join(f" It is {bounds} with {where}." for bounds, where in changed.items())
    return said


def _needs(measure: Measure) -> str:
    said = f"**Needs** {_listed(measure.needs)}."
    if _is_default(measure):
        changed = where_different(type(measure), lambda one: one.needs)
        said += "".join(f" With {where}: {_listed(needs)}." for needs, where in changed.items())
    return said


def _listed(needs: frozenset[Need]) -> str:
    return "; ".join(sorted(need.value for need in needs)) or "nothing special"


def _laws(measure: Measure) -> Iterator[str]:
    usual, own = type(measure)().laws, measure.laws
    if _is_default(measure):
        said = [_law(measure, law) for law in Law if law in own]
        said += [f"with {where}: {law.value}" for law, where in _gained(measure)]
    else:
        said = [law.value for law in Law if law in own]
        said += [f"with some other parameters, {law.value}" for law in Law if law in usual - own]
    if said:
        yield "**Laws** (checked on random worlds) " + "; ".join(sorted(said)) + "."


def _obeys(law: Law, measure: Measure) -> bool:
    return law in measure.laws


def _law(measure: Measure, law: Law) -> str:
    lost = where_different(type(measure), partial(_obeys, law)).get(False)
    return law.value + (f" (not with {lost})" if lost else "")


def _gained(measure: Measure) -> Iterator[tuple[Law, str]]:
    for law in Law:
        where = where_different(type(measure), partial(_obeys, law))
        if True in where:
            yield law, where[True]


def _example(measure: Measure) -> Iterator[str]:
    example = measure.facts.example
    if example is None:
        return
    yield f"**Example** `{example.name}` = {example.value:.4f}. {example.why}"
    if example.documents:
        yield "\n".join(f"    {name}.xml   {xml}" for name, xml in example.documents.items())
    if example.chunks:
        yield _indented("chunks", example.chunks)
    yield _indented("assessments", example.assessments)
    yield _indented("run", example.run)


def _indented(title: str, text: str) -> str:
    return "\n".join([f"    # {title}", *(f"    {line}" for line in text.splitlines())])


# Families and lists


def family_page(family: Family, introduction: str) -> str:
    """The documentation of a family: a hand-written introduction, then the reference."""
    reference = "\n".join(explained(kind) for kind in family.measures)
    return f"# {family.title}\n\n{introduction.strip()}\n\n## Reference\n\n{reference}"


def listing() -> Iterator[tuple[Family, list[tuple[str, str]]]]:
    """All built-in families with the default name and title of each measure."""
    for family in FAMILIES:
        yield family, names_and_titles(family.measures)


def names_and_titles(kinds: Iterable[type[Measure]]) -> list[tuple[str, str]]:
    """The default name and the title of each measure."""
    return [(str(kind()), kind().title) for kind in kinds]
