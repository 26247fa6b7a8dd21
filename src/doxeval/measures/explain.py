"""Measures explained in words, from the facts that their classes state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields

from doxeval.measures.base import Measure, shown
from doxeval.measures.registry import FAMILIES, Family


def explained(kind: type[Measure]) -> str:
    """A measure explained, as Markdown that also reads well in a terminal.

    >>> from doxeval.measures.registry import MEASURES
    >>> print(explained(MEASURES["cR"]).split("\\n\\n")[0])
    ### cR: recall in characters
    """
    facts, default = kind.facts, kind()
    bounds = f"{shown(facts.lowest)} to {'∞' if facts.highest is None else shown(facts.highest)}"
    better = "higher" if facts.higher_is_better else "lower"
    needs = "; ".join(sorted(need.value for need in facts.needs)) or "nothing special"
    parts = [
        f"### {kind.name}: {default.title}",
        (kind.__doc__ or "").strip(),
        f"    {facts.formula}" if facts.formula else "",
        f"**By default** `{default}`",
        *_parameters(kind),
        f"**Range** {bounds}; {better} is better.",
        f"**Needs** {needs}.",
        f"**Edge cases** {facts.edge_cases}" if facts.edge_cases else "",
        *_laws(kind),
        f"**Source** {facts.cite}" if facts.cite else "",
        *_example(kind),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _parameters(kind: type[Measure]) -> Iterator[str]:
    lines = []
    for spec in fields(kind):
        name = {"@": "@k", "[": "[x]"}.get(spec.metadata.get("sign", ""), spec.name)
        value = "" if spec.default is None else f" (default {shown(spec.default)})"
        choices = spec.metadata.get("choices") or ()
        among = f": {', '.join(choices)}" if choices else ""
        lines.append(f"- `{name}` {spec.metadata.get('help', '')}{among}{value}")
    if lines:
        yield "**Parameters**\n\n" + "\n".join(lines)


def _laws(kind: type[Measure]) -> Iterator[str]:
    laws = sorted(law.value for law in kind.facts.laws)
    if laws:
        yield "**Laws** (checked on random worlds) " + "; ".join(laws) + "."


def _example(kind: type[Measure]) -> Iterator[str]:
    example = kind.facts.example
    if example is None:
        return
    yield f"**Example** `{example.name}` = {example.value:.4f}. {example.why}"
    if example.documents:
        yield "\n".join(f"    {name}.xml   {xml}" for name, xml in example.documents.items())
    yield _indented("assessments", example.assessments)
    yield _indented("run", example.run)


def _indented(title: str, text: str) -> str:
    return "\n".join([f"    # {title}", *(f"    {line}" for line in text.splitlines())])


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
