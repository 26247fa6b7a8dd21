"""Models explained in words, from the facts that their classes state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import get_args

from doxeval.errors import InputError
from doxeval.named import parameters_in_words
from doxeval.retrieve.model import Example, Model, UnitKind

_MARKS = (
    "verified: we read it, at least its abstract or its code; recalled: from memory, not checked"
)


def explained(given: Model | type[Model]) -> str:
    """A model explained, as Markdown that also reads well in a terminal.

    >>> from doxeval.retrieve.models import bm25, lm
    >>> print(explained(lm).split("\\n\\n")[0])
    ### lm: language model of element, article and collection
    >>> print(explained(bm25(k1=1.2)).split("\\n\\n")[6])
    **Here** `bm25(k1=1.2,b=0.8,pivot=auto,context=1,idf=auto)`
    """
    model = given() if isinstance(given, type) else given
    facts, default = model.facts, type(model)()
    parts = [
        f"### {model.name}: {model.title}",
        (type(model).__doc__ or "").strip().replace("\n    ", "\n"),
        "\n".join(f"    {line}" for line in facts.formula.splitlines()),
        facts.letters,
        f"**By default** `{default}`",
        "" if model == default else f"**Here** `{model}`",
        _settled(model),
        parameters_in_words(model),
        f"**Edge cases** {facts.edge_cases}" if facts.edge_cases else "",
        _sources(model),
        *(_example(facts.example) if facts.example else ()),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _settled(model: Model) -> str:
    """What the model is for each kind of units, if that makes a difference."""
    kinds: dict[str, list[str]] = {}
    for units in get_args(UnitKind):
        try:
            kinds.setdefault(str(model.settled(units)), []).append(units)
        except InputError:
            continue  # not a model for such units
    if list(kinds) == [str(model)]:
        return ""
    lines = [f"- {', '.join(units)}: `{name}`" for name, units in kinds.items()]
    return "**As used** for each kind of units\n\n" + "\n".join(lines)


def _sources(model: Model) -> str:
    if not model.facts.sources:
        return ""
    lines = [
        f"- {'verified' if source.is_verified else 'recalled'}: {source.what}. {source.where}."
        for source in model.facts.sources
    ]
    return f"**Sources** ({_MARKS})\n\n" + "\n".join(lines)


def _example(example: Example) -> Iterator[str]:
    found = zip(example.units, example.scores, strict=True)
    scores = ", ".join(f"{unit} {score:.4f}" for unit, score in found)
    yield f"**Example** `{example.name}`: {scores}. {example.why}"
    yield "\n".join(f"    {row}" for row in _counts(example))


def _counts(example: Example) -> Iterator[str]:
    """The counts behind an example as a table: words, and occurrences of each item."""
    evidence = example.evidence
    rows: list[tuple[object, ...]] = [("", "words", *evidence.items)]
    lengths, counts = evidence.length.tolist(), evidence.tf.tolist()
    rows += [(unit, n, *tf) for unit, n, tf in zip(example.units, lengths, counts, strict=True)]
    lengths, counts = evidence.article_length.tolist(), evidence.article_tf.tolist()
    rows += [("article", n, *tf) for n, tf in zip(lengths, counts, strict=True)]
    rows.append(("collection", evidence.words, *evidence.cf.tolist()))
    rows.append((f"of {evidence.documents} documents", "", *evidence.df.tolist()))
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(rows[0]))]
    for first, *rest in rows:
        cells = (f"{cell!s:>{width}}" for cell, width in zip(rest, widths[1:], strict=True))
        yield "  ".join((f"{first!s:<{widths[0]}}", *cells)).rstrip()


def models_page(kinds: Iterable[type[Model]], introduction: str) -> str:
    """The documentation of the models: a hand-written introduction, then the reference."""
    reference = "\n".join(explained(kind) for kind in kinds)
    return f"# Retrieval models\n\n{introduction.strip()}\n\n## Reference\n\n{reference}"
