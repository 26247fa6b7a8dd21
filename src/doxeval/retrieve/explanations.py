"""Why a document or an element has its score: counts, lengths, and what each item adds.

Snippets: the part of a result that shows best why it was found.

Models explained in words, from the facts that their classes state.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np

from doxeval.arrays import Ints
from doxeval.errors import InputError
from doxeval.named import parameters_in_words
from doxeval.retrieve.index import Index
from doxeval.retrieve.matches import Matches
from doxeval.retrieve.models import Evidence, Example, Model, UnitKind
from doxeval.retrieve.options import Options
from doxeval.retrieve.query import terms_of_text
from doxeval.retrieve.ranking import rounded
from doxeval.retrieve.searcher import Scoring, Searcher
from doxeval.retrieve.searching import searcher_for
from doxeval.retrieve.units import Units
from doxeval.topics import Term

if TYPE_CHECKING:
    from doxeval.retrieve.units import Place


class ItemShare(NamedTuple):
    """An item: its weight, how often it occurs where, and what it adds to the score."""

    text: str
    weight: float
    tf: int
    article_tf: int
    documents: int
    occurrences: int
    share: float


@dataclass(frozen=True)
class Explanation:
    """The score of one unit in parts."""

    document: str
    path: str | None
    model: str
    words: int
    article_words: int
    items: tuple[ItemShare, ...]
    besides: dict[str, float]
    score: float
    article_model: str
    article_score: float


def explain(
    index: Index | str | os.PathLike[str],
    words: str | tuple[Term, ...],
    document: str,
    path: str | None = None,
    *,
    task: str = "focused",
    **options: Any,
) -> Explanation:
    """The score of an element for a query; without a path, that of a document.

    Options are those of `search`.

    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.retrieve.index_build import build_index
    >>> collection = example_collection({"a": "<article><p>Fog horn.</p><p>A horn.</p></article>"})
    >>> index = Index(build_index(collection).directory, collection)
    >>> found = explain(index, "fog horn", "a", "/article[1]/p[2]")
    >>> found.model, found.words, [(item.text, item.tf) for item in found.items]
    ('lm(element=0.2,article=0.4,prior=0)', 2, [('fog', 0), ('horn', 1)])
    >>> found.score == round(sum(item.share for item in found.items), 8)
    True
    """
    searcher = searcher_for(index, Options.of({"task": task} | options))
    terms = terms_of_text(words) if isinstance(words, str) else words
    chosen = searcher.options
    if chosen.rules.interpretation is not None:
        raise InputError(
            f"scores of {task} are put together from several: explain them by a task without "
            "structure, such as thorough"
        )
    if chosen.unit_name.kind not in ("elements", "documents"):
        raise InputError("only scores of elements and documents can be explained")
    number = searcher.index.collection.document(document)
    occurrences = searcher.occurrences(terms)
    matches = occurrences.within(number)
    article = len(matches.documents) - 1
    if article < 0:
        raise InputError(f"no word of the query occurs in {document}")
    units = _unit(searcher, matches, number, path)
    scoring = Scoring(searcher, occurrences)
    evidence = scoring.evidence(matches, units)
    model = chosen.article_model if path is None else chosen.unit_model
    seen = evidence.articles if path is None else evidence
    return _explained(searcher, model, seen, evidence, document, path)


def _unit(searcher: Searcher, matches: Matches, document: int, path: str | None) -> Units:
    """An element, or the root of a document."""
    index, collection = searcher.index, searcher.index.collection
    if path is None:
        row = int(collection.rows[document])
    else:
        row = collection.element(collection.id_of(document), path).node
    rows = np.array([row])
    first, after = index.elements_first[rows], index.elements_after[rows]
    return Units(rows, np.zeros_like(rows), first, after, matches.tf(first, after))


def _explained(
    searcher: Searcher,
    model: Model,
    seen: Evidence,
    evidence: Evidence,
    document: str,
    path: str | None,
) -> Explanation:
    shares = model.shares(seen)[0].tolist()
    besides = {name: float(part[0]) for name, part in model.besides(seen).items()}
    items = tuple(
        map(
            ItemShare,
            seen.items,
            seen.weight.tolist(),
            seen.tf[0].tolist(),
            seen.article_tf[0].tolist(),
            seen.df.tolist(),
            seen.cf.tolist(),
            shares,
        )
    )
    articles = np.asarray(evidence.article_score)
    return Explanation(
        document,
        path,
        str(model),
        int(seen.length[0]),
        int(seen.article_length[0]),
        items,
        besides,
        float(rounded(model.scores(seen))[0]),
        str(searcher.options.article_model),
        float(rounded(articles)[0]),
    )


WORDS = 30


class Snippet(NamedTuple):
    """Some text on one line, and where the words of the query are in it."""

    text: str
    found: tuple[tuple[int, int], ...] = ()


def find_snippets(
    searcher: Searcher, terms: tuple[Term, ...], places: list[Place], words: int = WORDS
) -> list[Snippet]:
    """A snippet of each place: the words around most different items of the query."""
    index = searcher.index
    occurrences = searcher.occurrences(terms)
    found = []
    for place in places:
        text = index.collection.text_of(place.document)
        cut = index.cut(place.document)
        first, after = np.searchsorted(cut.start, [place.start, place.end]).tolist()
        borders = index.borders.borders(place.document)
        if first == after:
            found.append(_snippet(text, place.start, place.end, [], borders))
            continue
        base = int(index.documents_first[place.document])
        matches = occurrences.within(place.document)
        inside = slice(*np.searchsorted(matches.at, [base + first, base + after]).tolist())
        at = matches.at[inside].astype(np.int64) - base
        item = matches.item[inside]
        begin = _best_window(at, item, words) if len(at) else first
        begin = max(first, min(begin - words // 5, after - words))
        beyond = min(after, begin + words)
        shown = {
            word
            for word, one in zip(at.tolist(), item.tolist(), strict=True)
            for word in range(word, word + len(occurrences.items[one].terms))
            if begin <= word < beyond
        }
        ranges = [(int(cut.start[word]), int(cut.end[word])) for word in sorted(shown)]
        start = place.start if begin == first else int(cut.start[begin])
        end = place.end if beyond == after else int(cut.end[beyond - 1])
        found.append(_snippet(text, start, end, ranges, borders, begin > first, beyond < after))
    return found


def _best_window(at: Ints, item: Ints, words: int) -> int:
    """Where a window begins that has the most different items, and then the most occurrences."""
    until = np.searchsorted(at, at + words)
    best, where = (0, 0), int(at[0])
    for low, high in enumerate(until.tolist()):
        own = (len(set(item[low:high].tolist())), high - low)
        if own > best:
            best, where = own, int(at[low])
    return where


def _snippet(
    text: str,
    start: int,
    end: int,
    ranges: list[tuple[int, int]],
    borders: Ints,
    is_cut_before: bool = False,
    is_cut_after: bool = False,
) -> Snippet:
    """Text on one line: white space of any kind, and the borders of blocks, become one space."""
    shown, found = "… " if is_cut_before else "", []
    words = {low for low, _ in ranges}
    inside = borders[(start < borders) & (borders < end)].tolist()
    edges = sorted({start, end, *inside, *(edge for pair in ranges for edge in pair)})
    for low, high in pairwise(edges):
        piece = _one_line(text[low:high])
        if low == start or shown.endswith(" "):
            piece = piece.lstrip()
        elif low in inside and not piece.startswith(" "):
            shown += " "
        if low in words:
            found.append((len(shown), len(shown) + len(piece)))
        shown += piece
    shown = shown.rstrip()
    return Snippet(f"{shown} …" if is_cut_after else shown, tuple(found))


def _one_line(text: str) -> str:
    """Text with single spaces, also at its ends."""
    words = " ".join(text.split())
    before = " " if text[:1].isspace() else ""
    after = " " if words and text[-1:].isspace() else ""
    return f"{before}{words}{after}"


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
        *(_example_lines(facts.example) if facts.example else ()),
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


def _example_lines(example: Example) -> Iterator[str]:
    found = zip(example.units, example.scores, strict=True)
    scores = ", ".join(f"{unit} {score:.4f}" for unit, score in found)
    yield f"**Example** `{example.name}`: {scores}. {example.why}"
    yield "\n".join(f"    {row}" for row in _count_rows(example))


def _count_rows(example: Example) -> Iterator[str]:
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
