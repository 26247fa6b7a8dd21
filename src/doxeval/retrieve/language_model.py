"""`lm`: how likely the query's words are in an element and its article, compared with elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from doxeval.arrays import Floats
from doxeval.named import parameter
from doxeval.retrieve.evidence import Evidence
from doxeval.retrieve.examples import EXAMPLE, EXAMPLE_UNITS
from doxeval.retrieve.model import Example, Facts, Model, Source


@dataclass(frozen=True)
class LanguageModel(Model):
    """How much more often the query's words are in the element and its article than elsewhere.

    Each item is worth the logarithm of a ratio: how likely it is in a mixture of the element, its
    article and the whole collection, compared with the collection alone. A rare word is worth more
    than a common one, and an element without a word can still gain by its article.
    """

    name: ClassVar[str] = "lm"
    facts: ClassVar[Facts] = Facts(
        "language model of element, article and collection",
        "score(e) = Σ w · ln(1 + mixed / expected) + prior · ln len_e\n"
        "mixed    = element · tf_e / len_e + article · tf_d / len_d\n"
        "expected = (1 − element − article) · cf / T",
        "The sum is over the items of the query: w is an item's weight; tf_e and tf_d are its "
        "occurrences in the element e (or other unit) and in its article d, which have len_e and "
        "len_d words; cf are its occurrences in the collection, which has T words.",
        (
            Source(
                "D. Hiemstra: Using language models for information retrieval. PhD thesis, "
                "University of Twente, 2001",
                "the model for documents: a mixture with the collection, as a sum of logarithms "
                "over matching words",
                False,
            ),
            Source(
                "B. Sigurbjörnsson, J. Kamps, M. de Rijke: University of Amsterdam at INEX 2003 to "
                "2005",
                "the mixture of element, article and collection; the default weights here are our "
                "own",
                False,
            ),
            Source(
                "J. Kamps, M. de Rijke, B. Sigurbjörnsson: The importance of length normalization "
                "for XML retrieval. Information Retrieval 8(4), 2005 (abstract)",
                "elements need an extreme bias towards length; leaving out short elements does not "
                "replace it",
                True,
            ),
            Source(
                "DCU and ISI at INEX 2010",
                "element and article together do better than the element alone",
                True,
            ),
        ),
        "An item that does not occur in the collection adds nothing. An item that occurs in the "
        "article only adds something, the same for all elements of that article.",
        Example(
            "lm(element=0.2,article=0.4,prior=0)",
            EXAMPLE_UNITS,
            EXAMPLE,
            (math.log(84), math.log(128)),
            "In the paragraph fog is worth ln(1 + (0.2·2/20 + 0.4·6/400) / (0.4·200/40000)) = "
            "ln 14, and horn, by the article alone, ln(1 + (0.4·1/400) / (0.4·20/40000)) = ln 6. "
            "In the section they are worth ln 8 and ln 16: it has both, and wins.",
        ),
    )
    element: float = parameter(0.2, "how much the element's own words count")
    article: float = parameter(0.4, "how much the words of the whole article count")
    prior: float = parameter(
        0.0,
        "how much long elements are preferred: 0 not at all, 1 in proportion to their length; "
        "search uses 1 for the thorough task, unless told otherwise",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.element + self.article >= 1:
            raise ValueError(
                "element + article must be below 1; what they leave is the collection's part"
            )

    def by_item(self, evidence: Evidence) -> Iterator[Floats]:
        """The logarithm of each item's ratio."""
        collection = 1 - self.element - self.article
        own = self.element / np.maximum(evidence.length, 1)
        around = self.article / np.maximum(evidence.article_length, 1)
        for item, (weight, cf) in enumerate(zip(evidence.weight, evidence.cf, strict=True)):
            if cf == 0:
                yield np.zeros(len(evidence))
                continue
            article = (around * evidence.article_tf[:, item])[evidence.article]
            expected = collection * int(cf) / evidence.words
            yield weight * np.log1p((own * evidence.tf[:, item] + article) / expected)

    def besides(self, evidence: Evidence) -> dict[str, Floats]:
        """The length prior."""
        if self.prior == 0:
            return {}
        return {"length": self.prior * np.log(np.maximum(evidence.length, 1))}
