"""Explanations for people: a score in parts, the snippet that shows a result, a model in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple, get_args

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.errors import InputError
from doxeval.messages import join_names, quoted, truncate
from doxeval.named import parameters_in_words
from doxeval.retrieve.index import Index
from doxeval.retrieve.matches import MatchBlock
from doxeval.retrieve.models import Evidence, Model, ModelExample, UnitKind
from doxeval.retrieve.query import parse_keywords
from doxeval.retrieve.ranking import round_scores
from doxeval.retrieve.searching import QueryScorer, Searcher
from doxeval.retrieve.units import ChunkUnits, MatchingUnits, PassageUnits, UnitSpans
from doxeval.topics import Term

SNIPPET_WORDS = 30
_SPAN = re.compile(r"([0-9]{1,12})-([0-9]{1,12})")
_MOST_SHOWN = 5
_WHITE_SPACE = re.compile(r"\s+")
_MARKS = (
    "verified: we read it, at least its abstract or its code; recalled: from memory, not checked"
)


# A score in parts


class ItemShare(NamedTuple):
    """An item: its weight, how often it occurs where, and what it adds to the score."""

    text: str
    weight: float
    tf: float
    article_tf: float
    documents: int
    occurrences: float
    share: float


@dataclass(frozen=True)
class Explanation:
    """The score of one unit in parts.

    path: of an element. span: the characters of a window, a passage or a chunk. words: how many it
    has. segment_words: of a passage, how many of them its segment has, which is what is scored.
    """

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
    span: tuple[int, int] | None = None
    segment_words: int | None = None


def explain(
    searcher: Searcher, words: str | tuple[Term, ...], document: str, where: str | None = None
) -> Explanation:
    """Explain the score of a unit for a query; without `where`, that of a document.

    where: the path of an element; of a window, a passage or a chunk its characters, as START-END.
    A chunk may also be given by its id, instead of the document.

    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.retrieve import SearchOptions, build_index, open_searcher
    >>> collection = example_collection({"a": "<article><p>Fog horn.</p><p>A horn.</p></article>"})
    >>> index = build_index(collection).directory
    >>> searcher = open_searcher(index, SearchOptions(task="focused", model="lm(least=1)"))
    >>> explanation = explain(searcher, "fog horn", "a", "/article[1]/p[2]")
    >>> explanation.words, [(item.text, item.tf) for item in explanation.items]
    (2, [('fog', 0), ('horn', 1)])
    >>> explanation.score == round(sum(item.share for item in explanation.items), 8)
    True
    >>> searcher = open_searcher(index, SearchOptions(units="windows(2,1)"))
    >>> explain(searcher, "fog horn", "a", "4-10").items[1].tf
    1
    """
    terms = parse_keywords(words) if isinstance(words, str) else words
    options, collection = searcher.options, searcher.index.collection
    if options.rules.interpretation is not None:
        raise InputError(
            f"scores of {options.task} are put together from several: explain them by a task "
            "without structure, such as thorough"
        )
    if isinstance(searcher.units, ChunkUnits):
        document, where = _span_of_chunk(searcher.units, document, where)
    number = collection.document(document)
    scorer = QueryScorer(searcher, searcher.occurrences(terms))
    block = scorer.occurrences.in_document(number)
    if not len(block.documents):
        raise InputError(f"no word of the query occurs in {document}")
    if where is None or options.unit.kind == "elements":
        return _explain_node(scorer, block, number, where)
    if options.unit.kind == "documents":
        raise InputError(f"{truncate(where)}: documents are explained as a whole")
    return _explain_span(scorer, block, number, _parse_span(where, options.unit.kind))


def _explain_node(
    scorer: QueryScorer, block: MatchBlock, document: int, path: str | None
) -> Explanation:
    """Explain the score of an element, or of a document."""
    unit = _unit(scorer.index, block, document, path)
    evidence = scorer.evidence(block, unit)
    if path is not None:
        return _by_model(scorer, scorer.unit_model, evidence, document)(path=path)
    articles = scorer.article_evidence(block)
    scored = articles.with_articles_scored(np.asarray(evidence.article_score))
    return _by_model(scorer, scorer.article_model, scored, document)(path=None)


def _explain_span(
    scorer: QueryScorer, block: MatchBlock, document: int, span: tuple[int, int]
) -> Explanation:
    """Explain the score of a window, a passage or a chunk."""
    kind = scorer.units
    passages = scorer.passages(kind, block) if isinstance(kind, PassageUnits) else None
    units = scorer.matching(block) if passages is None else passages.units
    spans = kind.spans(units, np.full(len(units.number), document))
    known = list(zip(spans.start.tolist(), spans.end.tolist(), strict=True))
    if span not in known:
        near = sorted(known, key=lambda other: (abs(other[0] - span[0]), other))[:_MOST_SHOWN]
        shown = join_names([f"{start}-{end}" for start, end in sorted(near)])
        raise InputError(
            f"no result from {span[0]} to {span[1]} of {scorer.index.collection.id_of(document)}"
            + (f"; there are {shown}" if near else ", or anywhere else in it")
        )
    which = known.index(span)
    unit = units.some(np.array([which]))
    evidence = scorer.evidence(block, unit)
    if passages is None or not isinstance(kind, PassageUnits):
        return _by_model(scorer, scorer.unit_model, evidence, document)(path=None, span=span)
    begin, end = int(passages.begin[which]), int(passages.end[which])
    parts = scorer.parts_of_segment(kind, block, begin, end)
    article = float(np.asarray(evidence.article_score)[0] * scorer.article_share)
    explained = _explanation(
        scorer,
        evidence,
        document,
        str(scorer.options.unit),
        parts.items,
        {"words": parts.words, "article": article},
        float(passages.total[which]) + article,
    )
    items = [
        item._replace(tf=tf) for item, tf in zip(explained.items, parts.tf.tolist(), strict=True)
    ]
    return replace(explained, span=span, items=tuple(items), segment_words=end - begin)


def _by_model(
    scorer: QueryScorer, model: Model, evidence: Evidence, document: int
) -> Callable[..., Explanation]:
    """Return the explanation of the first unit of some evidence, without its place."""
    besides = {name: float(part[0]) for name, part in model.besides(evidence).items()}
    shares, score = model.shares(evidence)[0], float(model.scores(evidence)[0])
    explained = _explanation(scorer, evidence, document, str(model), shares, besides, score)
    return partial(replace, explained)


def _explanation(
    scorer: QueryScorer,
    evidence: Evidence,
    document: int,
    model: str,
    shares: Floats,
    besides: dict[str, float],
    score: float,
) -> Explanation:
    items = map(
        ItemShare,
        evidence.items,
        evidence.weight.tolist(),
        evidence.tf[0].tolist(),
        evidence.article_tf[0].tolist(),
        evidence.df.tolist(),
        evidence.cf.tolist(),
        shares.tolist(),
    )
    first = scorer.index.documents_first
    return Explanation(
        scorer.index.collection.id_of(document),
        None,
        model,
        int(evidence.words_of_units[0]),
        int(first[document + 1] - first[document]),
        tuple(items),
        besides,
        float(round_scores(np.array([score]))[0]),
        str(scorer.article_model),
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


def _span_of_chunk(chunks: ChunkUnits, document: str, where: str | None) -> tuple[str, str | None]:
    """Return the document and the span of a chunk that is given by its id, or what was given."""
    name = document if where is None else where
    if where is not None and _SPAN.fullmatch(where):
        return document, where
    chunk = chunks.find(name, None if where is None else document)
    if chunk is not None:
        return chunk
    if where is None and chunks.index.collection.find_documents([document])[0] >= 0:
        return document, None
    raise InputError(f"no chunk {quoted(name)} in {chunks.origin}")


def _parse_span(where: str, kind: UnitKind) -> tuple[int, int]:
    match = _SPAN.fullmatch(where)
    if match is None:
        raise InputError(
            f"{truncate(where)}: {kind} are given by their characters, such as 120-240"
        )
    return int(match[1]), int(match[2])


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
    >>> explain_model(bm25(k1=1.2)).split("\\n\\n")[7].startswith("**Here** `bm25(k1=1.2,b=auto,")
    True
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
