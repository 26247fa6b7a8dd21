"""Why a document or an element has its score: counts, lengths, and what each item adds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from doxeval.errors import InputError
from doxeval.retrieve.answer import Scoring, Searcher
from doxeval.retrieve.evidence import Evidence
from doxeval.retrieve.index import Index
from doxeval.retrieve.matches import Matches
from doxeval.retrieve.model import Model
from doxeval.retrieve.options import Options
from doxeval.retrieve.present import rounded
from doxeval.retrieve.query import terms_of_text
from doxeval.retrieve.search import searcher_for
from doxeval.retrieve.units import Units
from doxeval.topics import Term


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
    >>> from doxeval.retrieve.build import build_index
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
