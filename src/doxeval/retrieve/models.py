"""The retrieval models by name: `lm`, `bm25`, and those that users and packages add.

>>> from doxeval.retrieve.models import bm25, lm
>>> lm(prior=1), bm25(k1=1.2, b=0.75)
(lm(prior=1), bm25(k1=1.2,b=0.75))

A model of your own is a frozen dataclass below `Model`; `register_model` makes it known by its
name. Packages offer models under the entry-point group `doxeval.models`.
"""

from __future__ import annotations

from typing import TypeVar

from doxeval.named import Noun, Registry
from doxeval.retrieve.language_model import LanguageModel
from doxeval.retrieve.model import Model
from doxeval.retrieve.okapi import BM25

ENTRY_POINTS = "doxeval.models"
BUILT_IN: tuple[type[Model], ...] = (LanguageModel, BM25)
M = TypeVar("M", bound=type[Model])

lm = LanguageModel()
bm25 = BM25()
# The model of articles, A(d), unless another is asked for.
ARTICLES = BM25(k1=0.9, b=0.4, pivot="mean", context=0.0, idf="documents")

_NOUN = Noun(
    "model",
    "NAME or NAME(key=value,…)",
    "bm25(k1=1.2)",
    {
        "okapi": "bm25 is Okapi's formula",
        "bm25f": "doxeval has none; bm25 has no weights for fields",
        "bm25l": "doxeval has none; bm25 is the form that Lucene uses",
        "bm25plus": "doxeval has none; bm25 is the form that Lucene uses",
        "tfidf": "doxeval has none; bm25 also weighs occurrences by rarity",
        "tf_idf": "doxeval has none; bm25 also weighs occurrences by rarity",
        "ql": "lm is query likelihood",
        "qld": "lm is query likelihood, smoothed by fixed weights instead of Dirichlet's",
        "dirichlet": "lm is query likelihood, smoothed by fixed weights instead of Dirichlet's",
        "qljm": "lm is query likelihood with these fixed weights",
        "lmjm": "lm is query likelihood with these fixed weights",
        "hiemstra_lm": "lm(article=0) is Hiemstra's model for single elements",
    },
)


MODELS: Registry[Model] = Registry(Model, _NOUN, lambda: BUILT_IN, ENTRY_POINTS)


def register_model(kind: M) -> M:
    """Make a retrieval model of your own known by its name, as a decorator or by a call.

    The command line finds models of installed packages (entry-point group `doxeval.models`). A
    model need not be registered to be used as a value.

    >>> from dataclasses import dataclass
    >>> from doxeval import Model
    >>> @register_model
    ... @dataclass(frozen=True)
    ... class Coordination(Model):
    ...     '''How many of the items occur.'''
    ...
    ...     name = "coordination"
    ...
    ...     def by_item(self, evidence):
    ...         for item, weight in enumerate(evidence.weight):
    ...             yield weight * (evidence.tf[:, item] > 0)
    >>> model_named("coordination") == Coordination()
    True
    >>> MODELS.unregister("coordination")
    """
    return MODELS.register(kind)


def model_named(text: str) -> Model:
    """A model by its name.

    >>> str(model_named("lm(prior=.5)"))
    'lm(element=0.2,article=0.4,prior=0.5)'
    >>> model_named("bm52")
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no model 'bm52'; did you mean bm25?
    """
    return MODELS.named(text)


def as_model(given: str | Model | type[Model]) -> Model:
    """A model given as a value, as a name, or as a class, which stands for its defaults.

    >>> as_model("bm25") == as_model(BM25) == bm25
    True
    """
    return MODELS.value_of(given)
