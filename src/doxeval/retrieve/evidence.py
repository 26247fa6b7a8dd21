"""What a model sees of one query: the units that match it, their articles, the collection.

A unit is whatever is ranked: an element, a document, a window, a chunk. An item is a word of the
query, or a phrase. Everything is counted in words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class UnitStatistics:
    """Counts over all units of the collection, where units are chunks or windows.

    count: how many units there are. df: in how many of them each item occurs. mean_length: their
    words on average.
    """

    count: int
    df: Ints
    mean_length: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Evidence:
    """The counts for T items, n units and the m articles that these units belong to.

    items, weight (T): the query in its order, as written, and how much each item counts.
    tf (n, T), length (n): occurrences of each item in each unit, and the unit's words.
    article (n): the row of each unit's article in `article_tf` (m, T), `article_length` (m) and
    `article_score` (m), which is None while the articles themselves are scored.
    documents, words, mean_article: of the collection; the last is its mean number of words in a
    document. df, cf (T): documents with each item, and its occurrences in the collection.
    units: where units are chunks or windows, the counts over all of them.

    Arrays cannot be written to.

    >>> evidence = Evidence(
    ...     items=("fog",), weight=[1.0], tf=[[2], [6]], length=[20, 400], article=[0, 0],
    ...     article_tf=[[6]], article_length=[400], documents=100, words=40_000, mean_article=400,
    ...     df=[40], cf=[200],
    ... )
    >>> evidence
    Evidence(1 item, 2 units, 1 article)
    >>> evidence.articles.tf.tolist()
    [[6]]
    """

    items: tuple[str, ...]
    weight: Floats
    tf: Ints
    length: Ints
    article: Ints
    article_tf: Ints
    article_length: Ints
    article_score: Floats | None = None
    documents: int
    words: int
    df: Ints
    cf: Ints
    mean_article: float
    units: UnitStatistics | None = None

    def __post_init__(self) -> None:
        items, units, articles = len(self.items), len(self.length), len(self.article_length)
        shapes: dict[str, tuple[int, ...]] = {
            "weight": (items,),
            "tf": (units, items),
            "length": (units,),
            "article": (units,),
            "article_tf": (articles, items),
            "article_length": (articles,),
            "article_score": (articles,),
            "df": (items,),
            "cf": (items,),
        }
        for name, shape in shapes.items():
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, _frozen(given, shape, name))

    def __repr__(self) -> str:
        counts = {"item": len(self.items), "unit": len(self), "article": len(self.article_length)}
        shown = (f"{number:,} {noun}{'s' * (number != 1)}" for noun, number in counts.items())
        return f"Evidence({', '.join(shown)})"

    def __len__(self) -> int:
        """How many units there are."""
        return len(self.length)

    @property
    def articles(self) -> Evidence:
        """The evidence for the articles, as units of their own."""
        return replace(
            self,
            tf=self.article_tf,
            length=self.article_length,
            article=np.arange(len(self.article_length)),
            article_score=None,
            units=None,
        )

    def with_articles_scored(self, scores: Floats) -> Evidence:
        """The same, with the scores of the articles."""
        return replace(self, article_score=scores)


def _frozen(given: Any, shape: tuple[int, ...], name: str) -> npt.NDArray[Any]:
    array = np.asarray(given).view()
    if array.shape != shape:
        raise ValueError(f"{name} has the shape {array.shape}: expected {shape}")
    array.flags.writeable = False
    return array
