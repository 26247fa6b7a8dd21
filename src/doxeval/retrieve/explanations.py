"""Explanations for people: a score in parts, the snippet that shows a result, a model in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, get_args

import numpy as np

from doxeval.arrays import Ints
from doxeval.errors import InputError
from doxeval.named import parameters_in_words
from doxeval.retrieve.index import Index
from doxeval.retrieve.matches import MatchBlock
from doxeval.retrieve.models import Model, ModelExample, UnitKind
from doxeval.retrieve.query import parse_keywords
from doxeval.retrieve.ranking import round_scores
from doxeval.retrieve.searching import QueryScorer, Searcher
from doxeval.retrieve.units import MatchingUnits, UnitSpans
from doxeval.topics import Term

SNIPPET_WORDS = 30
_WHITE_SPACE = re.compile(r"\s+")
_MARKS = (
    "verified: we read it, at least its abstract or its code; recalled: from memory, not checked"
)


# A score in parts


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
    searcher: Searcher, words: str | tuple[Term, ...], document: str, path: str | None = None
) -> Explanation:
    """Explain the score of an element for a query; without a path, that of a document.

    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.retrieve import SearchOptions, build_index, open_searcher
    >>> collection = example_collection({"a": "<article><p>Fog horn.</p><p>A horn.</p></article>"})
    >>> index = build_index(collection).directory
    >>> searcher = open_searcher(index, SearchOptions(task="focused"))
    >>> explanation = explain(searcher, "fog horn", "a", "/article[1]/p[2]")
    >>> explanation.model, explanation.words
    ('lm(element=0.2,article=0.4,prior=0)', 2)
    >>> [(item.text, item.tf) for item in explanation.items]
    [('fog', 0), ('horn', 1)]
    >>> explanation.score == round(sum(item.share for item in explanation.items), 8)
    True
    """
    terms = parse_keywords(words) if isinstance(words, str) else words
    options = searcher.options
    if options.rules.interpretation is not None:
        raise InputError(
            f"scores of {options.task} are put together from several: explain them by a task "
            "without structure, such as thorough"
        )
    if options.unit.kind not in ("elements", "documents"):
        raise InputError("only scores of elements and documents can be explained")
    number = searcher.index.collection.document(document)
    occurrences = searcher.occurrences(terms)
    block = occurrences.in_document(number)
    if not len(block.documents):
        raise InputError(f"no word of the query occurs in {document}")
    unit = _unit(searcher.index, block, number, path)
    evidence = QueryScorer(searcher, occurrences).evidence(block, unit)
    model, seen = options.unit_model, evidence
    if path is None:
        model, seen = options.article_model, evidence.articles
    items = map(
        ItemShare,
        seen.items,
        seen.weight.tolist(),
        seen.tf[0].tolist(),
        seen.article_tf[0].tolist(),
        seen.df.tolist(),
        seen.cf.tolist(),
        model.shares(seen)[0].tolist(),
    )
    return Explanation(
        document,
        path,
        str(model),
        int(seen.length[0]),
        int(seen.article_length[0]),
        tuple(items),
        {name: float(part[0]) for name, part in model.besides(seen).items()},
        float(round_scores(model.scores(seen))[0]),
        str(options.article_model),
        float(round_scores(np.asarray(evidence.article_score))[0]),
    )


def _unit(index: Index, block: MatchBlock, document: int, path: str | None) -> MatchingUnits:
    """Return an element, or the root of a document, as a unit."""
    collection = index.collection
    if path is None:
        row = int(collection.rows[document])
    else:
        row = collection.element(collection.id_of(document), path).node
    rows = np.array([row])
    first, after = index.elements_first[rows], index.elements_after[rows]
    return MatchingUnits(rows, np.zeros_like(rows), first, after, block.tf(first, after))


# Snippets


class Snippet(NamedTuple):
    """Some text on one line, and where the words of the query are in it."""

    text: str
    marked: tuple[tuple[int, int], ...] = ()


def find_snippets(
    searcher: Searcher,
    terms: tuple[Term, ...],
    spans: UnitSpans,
    words: int = SNIPPET_WORDS,
) -> list[Snippet]:
    """Return a snippet of each result: the words around most different items of the query."""
    index = searcher.index
    occurrences = searcher.occurrences(terms)
    snippets = []
    for document, result_start, result_end, _ in spans.rows():
        text = index.collection.text_of(document)
        starts, ends = index.word_spans(document)
        first, after = np.searchsorted(starts, [result_start, result_end]).tolist()
        base = int(index.documents_first[document])
        block = occurrences.in_document(document)
        inside = slice(*np.searchsorted(block.at, [base + first, base + after]).tolist())
        at = block.at[inside].astype(np.int64) - base
        item = block.item[inside]
        begin = _best_window(at, item, words) if len(at) else first
        begin = max(first, min(begin - words // 5, after - words))
        beyond = min(after, begin + words)
        shown = {
            word
            for place, number in zip(at.tolist(), item.tolist(), strict=True)
            for word in range(place, place + len(occurrences.items[number].terms))
            if begin <= word < beyond
        }
        marked = [(int(starts[word]), int(ends[word])) for word in sorted(shown)]
        start = result_start if begin == first else int(starts[begin])
        end = result_end if beyond == after else int(ends[beyond - 1])
        edges = index.block_edges(document)
        snippets.append(_snippet(text, start, end, marked, edges, begin > first, beyond < after))
    return snippets


def _best_window(at: Ints, item: Ints, words: int) -> int:
    """Return where a window begins with most different items, and then most occurrences."""
    until = np.searchsorted(at, at + words)
    best, where = (0, 0), int(at[0])
    for low, high in enumerate(until.tolist()):
        counts = (len(set(item[low:high].tolist())), high - low)
        if counts > best:
            best, where = counts, int(at[low])
    return where


def _snippet(
    text: str,
    start: int,
    end: int,
    marked: list[tuple[int, int]],
    block_edges: Ints,
    is_cut_before: bool,
    is_cut_after: bool,
) -> Snippet:
    """Put text on one line: white space of any kind, and edges of blocks, become one space."""
    shown, places = "… " if is_cut_before else "", []
    words = {low for low, _ in marked}
    inside = block_edges[(start < block_edges) & (block_edges < end)].tolist()
    edges = sorted({start, end, *inside, *(edge for pair in marked for edge in pair)})
    for low, high in pairwise(edges):
        part = _WHITE_SPACE.sub(" ", text[low:high])
        if low == start or shown.endswith(" "):
            part = part.lstrip()
        elif low in inside and not part.startswith(" "):
            shown += " "
        if low in words:
            places.append((len(shown), len(shown) + len(part)))
        shown += part
    shown = shown.rstrip()
    return Snippet(f"{shown} …" if is_cut_after else shown, tuple(places))


# Models in words


def explain_model(given: Model | type[Model]) -> str:
    """Explain a model in Markdown that also reads well in a terminal.

    >>> from doxeval.retrieve.models import bm25, lm
    >>> print(explain_model(lm).split("\\n\\n")[0])
    ### lm: language model of element, article and collection
    >>> print(explain_model(bm25(k1=1.2)).split("\\n\\n")[6])
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
        _by_unit_kind(model),
        parameters_in_words(model),
        f"**Edge cases** {facts.edge_cases}" if facts.edge_cases else "",
        _sources(model),
        *(_example_lines(facts.example) if facts.example else ()),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _by_unit_kind(model: Model) -> str:
    """Show the model for each kind of units, if that makes a difference."""
    kinds: dict[str, list[str]] = {}
    for units in get_args(UnitKind):
        try:
            kinds.setdefault(str(model.resolve_auto(units)), []).append(units)
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


def _example_lines(example: ModelExample) -> Iterator[str]:
    pairs = zip(example.units, example.scores, strict=True)
    scores = ", ".join(f"{unit} {score:.4f}" for unit, score in pairs)
    yield f"**Example** `{example.name}`: {scores}. {example.why}"
    yield "\n".join(f"    {row}" for row in _count_rows(example))


def _count_rows(example: ModelExample) -> Iterator[str]:
    """Yield the counts behind an example as a table: words, and occurrences of each item."""
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
    """Return the documentation of the models: an introduction written by hand, the reference."""
    reference = "\n".join(explain_model(kind) for kind in kinds)
    return f"# Retrieval models\n\n{introduction.strip()}\n\n## Reference\n\n{reference}"
