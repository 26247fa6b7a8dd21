"""Retrieval models: what a model sees of a query, what a model is, and the models there are.

A model is a named value that scores the retrieval units which match a query. It says of itself what
it is (title, formula, sources), declares its parameters as fields, and computes what each item of
the query adds to the score of each unit. Help and documentation are made from that.

>>> from doxeval.retrieve.models import bm25, lm
>>> lm(prior=1), bm25(k1=1.2, b=0.75)
(lm(prior=1), bm25(k1=1.2,b=0.75))

A model of your own is a frozen dataclass below `Model`; `register_model` makes it known by its
name. Packages offer models under the entry-point group `doxeval.models`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Floats, Ints
from doxeval.errors import InputError
from doxeval.messages import plural
from doxeval.named import Named, Noun, Registry, parameter


@dataclass(frozen=True, eq=False)
class UnitStatistics:
    """Counts over all retrieval units of the collection, where these are chunks or windows.

    count: how many units there are. df: in how many of them each item occurs. mean_length: their
    words on average.
    """

    count: int
    df: Ints
    mean_length: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Evidence:
    """What a model sees of a query: counts for T items, n units and their m articles.

    A unit is whatever is ranked: an element, a document, a window, a chunk. An item is a word of
    the query, or a phrase. Everything is counted in words.

    items, weight (T): the query in its order, as written, and how much each item counts.
    tf (n, T), length (n): occurrences of each item in each unit, and the unit's words. If a model
    weighs fields, both count words of titles as if these stood there several times, and so does
    everything else that is counted in words; plain_length (n) does not. It is None if no field
    counts more than others.
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
    tf: Ints | Floats
    length: Ints | Floats
    article: Ints
    article_tf: Ints | Floats
    article_length: Ints | Floats
    article_score: Floats | None = None
    documents: int
    words: float
    df: Ints
    cf: Ints | Floats
    mean_article: float
    units: UnitStatistics | None = None
    plain_length: Ints | None = None

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
            "plain_length": (units,),
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
        """Return the number of units."""
        return len(self.length)

    @property
    def words_of_units(self) -> Ints | Floats:
        """The words of each unit, each counted once."""
        return self.length if self.plain_length is None else self.plain_length

    @property
    def articles(self) -> Evidence:
        """The evidence for the articles, as units themselves."""
        return replace(
            self,
            tf=self.article_tf,
            length=self.article_length,
            article=np.arange(len(self.article_length)),
            article_score=None,
            units=None,
            plain_length=None,
        )

    def with_articles_scored(self, scores: Floats) -> Evidence:
        """Return the same evidence with the scores of the articles."""
        return replace(self, article_score=scores)


def _frozen(given: Any, shape: tuple[int, ...], name: str) -> npt.NDArray[Any]:
    array = np.asarray(given).view()
    if array.shape != shape:
        raise ValueError(f"{name} has the shape {array.shape}: expected {shape}")
    array.flags.writeable = False
    return array


# For worked examples: a paragraph and the section around it, in an article of average length.
EXAMPLE = Evidence(
    items=("fog", "horn"),
    weight=np.ones(2),
    tf=np.array([[2, 0], [4, 1]]),
    length=np.array([20, 100]),
    article=np.zeros(2, dtype=np.int64),
    article_tf=np.array([[6, 1]]),
    article_length=np.array([400]),
    documents=100,
    words=40_000,
    df=np.array([40, 9]),
    cf=np.array([200, 20]),
    mean_article=400.0,
)
EXAMPLE_UNITS = ("paragraph", "section")


UnitKind = Literal["elements", "documents", "windows", "passages", "chunks"]


class Source(NamedTuple):
    """Where a model or a parameter comes from, and what is said there.

    is_verified: whether we read it, at least its abstract or its code. What we only remember is
    marked as such wherever it is shown.
    """

    where: str
    what: str
    is_verified: bool


class ModelExample(NamedTuple):
    """A worked example that runs: a model, counts of some units, their scores, and why.

    If the model takes the context of articles into account, they are scored as search does it.
    """

    name: str
    units: tuple[str, ...]
    evidence: Evidence
    scores: tuple[float, ...]
    why: str


@dataclass(frozen=True)
class ModelFacts:
    """What there is to know about a model besides its parameters.

    letters: what the letters of the formula stand for.
    """

    title: str = ""
    formula: str = ""
    letters: str = ""
    sources: tuple[Source, ...] = ()
    edge_cases: str = ""
    example: ModelExample | None = None


class Feedback(NamedTuple):
    """How a query is expanded by its best results: how many, by how many terms, how strongly."""

    results: int
    terms: int
    weight: float


class FieldWeights(NamedTuple):
    """How many times a word of a title, of a heading and of an abstract counts."""

    titles: float = 1.0
    headings: float = 1.0
    abstracts: float = 1.0


PLAIN_TEXT = FieldWeights()


@dataclass(frozen=True)
class Model(Named):
    """A retrieval model with its parameters.

    Subclasses are frozen dataclasses with a `name`, `facts`, and the method `by_item`. This one
    counts how many items of the query a unit holds:

    >>> @dataclass(frozen=True)
    ... class Coordination(Model):
    ...     '''How many of the items occur.'''
    ...
    ...     name = "coordination"
    ...
    ...     def by_item(self, evidence):
    ...         for item, weight in enumerate(evidence.weight):
    ...             yield weight * (evidence.tf[:, item] > 0)
    >>> from doxeval.retrieve.models import EXAMPLE
    >>> Coordination().scores(EXAMPLE).tolist()
    [1.0, 2.0]
    """

    facts: ClassVar[ModelFacts] = ModelFacts()

    def by_item(self, evidence: Evidence) -> Iterator[Floats]:
        """Yield what each item adds to the score of each unit, item after item."""
        raise NotImplementedError

    def besides(self, evidence: Evidence) -> dict[str, Floats]:
        """Return what else is in the score of each unit, such as a length prior, by name."""
        return {}

    def scores(self, evidence: Evidence) -> Floats:
        """Return the score of each unit: what the items add, in query order, and the rest.

        Sums are taken column by column, so that they are the same on every machine.
        """
        total = np.zeros(len(evidence))
        for share in self.by_item(evidence):
            total += share
        for share in self.besides(evidence).values():
            total += share
        return total

    def shares(self, evidence: Evidence) -> Floats:
        """Return what each item (column) adds to the score of each unit (row).

        The rest of the score is in `besides`.
        """
        columns = [np.asarray(share, dtype=np.float64) for share in self.by_item(evidence)]
        return np.stack(columns, axis=1) if columns else np.zeros((len(evidence), 0))

    def resolve_auto(self, units: UnitKind, task: str | None = None) -> Self:
        """Return the model with those parameters filled in that depend on what is ranked."""
        return self

    @property
    def feedback_settings(self) -> Feedback | None:
        """How it expands queries, if it does; `without_feedback` then makes the first ranking."""
        return None

    @property
    def without_feedback(self) -> Model:
        """The same model, which takes queries as they are."""
        return self

    @property
    def field_weights(self) -> FieldWeights:
        """How much the words of fields count."""
        return PLAIN_TEXT

    @property
    def without_effect(self) -> frozenset[str]:
        """The parameters that change nothing as they are."""
        return frozenset()

    @property
    def needs_article_scores(self) -> bool:
        """Whether it may look at `Evidence.article_score`; if not, articles need not be scored."""
        return True

    def warnings(self, evidence: Evidence) -> list[str]:
        """Return warnings about the scores."""
        return []

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return self.facts.title or (type(self).__doc__ or self.name).split("\n")[0].rstrip(".")


def score_units(model: Model, evidence: Evidence) -> Floats:
    """Return the scores of units by a model; an error if they are not usable.

    The model may be a user's.

    >>> from doxeval.retrieve.models import EXAMPLE
    >>> from doxeval.retrieve.models import lm
    >>> score_units(lm, EXAMPLE).round(3).tolist()
    [4.431, 4.852]
    """
    scores = np.asarray(model.scores(evidence), dtype=np.float64)
    if scores.shape != (len(evidence),):
        raise InputError(
            f"{model.label} gives scores of shape {scores.shape}: "
            f"expected one for each of the {len(evidence):,} units"
        )
    if not np.isfinite(scores).all():
        wrong = scores[~np.isfinite(scores)][0]
        raise InputError(f"{model.label} gives a unit the score {wrong}: expected a finite number")
    return scores


# What both models have in common

# Chosen by the trials of docs/studies/baselines.md.
LEAST_FOCUSED = 10
_LEAST = {"focused": LEAST_FOCUSED, "relevant-in-context": LEAST_FOCUSED}
_MOST_FIELD_WEIGHT = 100

_LEAST_HELP = (
    "the number of words below which the score of a unit falls in proportion to its length, so "
    f"that headings do not come first (auto: {LEAST_FOCUSED} for elements where results may not "
    "overlap, that is in the tasks focused and relevant-in-context; else 1)"
)
_TITLES_HELP = "how many times a word in the title of a document counts"
_HEADINGS_HELP = "how many times a word in any other heading counts"
_ABSTRACTS_HELP = "how many times a word in an abstract counts"
_FEEDBACK_HELP = (
    "how many of the best results expand the query, without those that share text with a better "
    "one; with 0 it stays as it is"
)
_TERMS_HELP = "with feedback, how many terms of these results are added at most"
_WEIGHT_HELP = "with feedback, the share of these terms in the weight of the query"

_FEEDBACK_SOURCE = Source(
    "V. Lavrenko, W. B. Croft: Relevance-based language models. SIGIR 2001; N. Abdul-Jaleel and "
    "others: UMass at TREC 2004, novelty and HARD",
    "feedback: RM3, a model of relevance from the best results, mixed with the query; the results "
    "count by their scores, as in Anserini",
    False,
)
_FIELDS_SOURCE = Source(
    "S. Robertson, H. Zaragoza, M. Taylor: Simple BM25 extension to multiple weighted fields. "
    "CIKM 2004",
    "field weights: as if the text of a field were repeated",
    False,
)
_COMMON_FORMULA = (
    "\nshort    = min(1, len / least) where w > 0, else 1"
    "\nw        = (1 − weight) · v + weight · V · p where v > 0 and there is feedback, else v"
    "\np        = Σ s · tf / len, over as many of the best results as feedback says; of its terms "
    "the likeliest, which add up to 1"
    "\ntf, len  count a word of titles, headings and abstracts so many times"
)
_COMMON_LETTERS = (
    "\n\nv is the weight of an item in the query as it was, and V the sum of all positive ones; s "
    "is the share of a result in the sum of the scores of the best; stop words are no terms of p. "
    "In short, every word counts once."
)


class _TextModel(Model):
    """What the parameters do that both models have."""

    least: str | float
    titles: float
    headings: float
    abstracts: float
    feedback: int
    terms: int
    weight: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.least == 0:
            raise ValueError("least must be above 0")
        for name, value in self.field_weights._asdict().items():
            if not 0 < value <= _MOST_FIELD_WEIGHT:
                raise ValueError(f"{name} must be above 0, and at most {_MOST_FIELD_WEIGHT}")
        if self.weight > 1:
            raise ValueError("weight must be between 0 and 1")
        for name, value in (("feedback", self.feedback), ("terms", self.terms)):
            if value != int(value):
                raise ValueError(f"{name} must be a whole number")
        if self.feedback and not self.terms:
            raise ValueError("feedback needs at least one of its terms")

    def _resolved_least(self, units: UnitKind, task: str | None) -> str | float:
        if self.least != "auto" or (units == "elements" and task is None):
            return self.least
        return float(_LEAST.get(task or "", 1) if units == "elements" else 1)

    @property
    def feedback_settings(self) -> Feedback | None:
        """How it expands queries, if it does."""
        return Feedback(self.feedback, self.terms, self.weight) if self.feedback else None

    @property
    def without_feedback(self) -> Self:
        """The same model, which takes queries as they are."""
        return self._with({"feedback": 0})

    @property
    def field_weights(self) -> FieldWeights:
        """How much the words of fields count."""
        return FieldWeights(self.titles, self.headings, self.abstracts)

    @property
    def without_effect(self) -> frozenset[str]:
        """The parameters that change nothing as they are."""
        names = {name for name, value in self.field_weights._asdict().items() if value == 1}
        names |= {"least"} if self.least == 1 else set()
        return frozenset(names | (set() if self.feedback else {"feedback", "terms", "weight"}))

    def _reduction(self, evidence: Evidence) -> Floats | float:
        """Return the share of each unit's wanted items that counts: less in very short units."""
        if self.least in ("auto", 1):
            return 1.0
        return np.minimum(1.0, evidence.words_of_units / float(self.least))


# The language model


@dataclass(frozen=True)
class LanguageModel(_TextModel):
    """How much more often the query's words are in the element and its article than elsewhere.

    Each item is worth the logarithm of a ratio: how likely it is in a mixture of the element, its
    article and the whole collection, compared with the collection alone. A rare word is worth more
    than a common one, and an element without a word can still gain by its article.
    """

    name: ClassVar[str] = "lm"
    facts: ClassVar[ModelFacts] = ModelFacts(
        "language model of element, article and collection",
        "score(e) = Σ short · w · ln(1 + mixed / expected) + prior · ln len_e\n"
        "mixed    = element · tf_e / len_e + article · tf_d / len_d\n"
        "expected = (1 − element − article) · cf / T" + _COMMON_FORMULA,
        "The sum is over the items of the query: w is an item's weight; tf_e and tf_d are its "
        "occurrences in the element e (or other unit) and in its article d, which have len_e and "
        "len_d words; cf are its occurrences in the collection, which has T words."
        + _COMMON_LETTERS,
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
            _FEEDBACK_SOURCE,
            _FIELDS_SOURCE,
        ),
        "An item that does not occur in the collection adds nothing. An item that occurs in the "
        "article only adds something, the same for all elements of that article.",
        ModelExample(
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
        "search uses 1 for the thorough task by default",
    )
    least: str | float = parameter("auto", _LEAST_HELP, ("auto",), number=True)
    titles: float = parameter(1.0, _TITLES_HELP)
    headings: float = parameter(1.0, _HEADINGS_HELP)
    abstracts: float = parameter(1.0, _ABSTRACTS_HELP)
    feedback: int = parameter(0, _FEEDBACK_HELP)
    terms: int = parameter(20, _TERMS_HELP)
    weight: float = parameter(0.2, _WEIGHT_HELP)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.element + self.article >= 1:
            raise ValueError(
                "element + article must be below 1; what they leave is the collection's part"
            )

    def resolve_auto(self, units: UnitKind, task: str | None = None) -> Self:
        """Return the model with the least number of words for what is ranked."""
        return replace(self, least=self._resolved_least(units, task))

    def by_item(self, evidence: Evidence) -> Iterator[Floats]:
        """Yield the logarithm of each item's ratio."""
        collection = 1 - self.element - self.article
        element_part = self.element / np.maximum(evidence.length, 1)
        article_part = self.article / np.maximum(evidence.article_length, 1)
        reduction = self._reduction(evidence)
        for item, (weight, cf) in enumerate(zip(evidence.weight, evidence.cf, strict=True)):
            if cf == 0:
                yield np.zeros(len(evidence))
                continue
            article = (article_part * evidence.article_tf[:, item])[evidence.article]
            expected = collection * float(cf) / evidence.words
            counted = weight * reduction if weight > 0 else weight
            yield counted * np.log1p((element_part * evidence.tf[:, item] + article) / expected)

    def besides(self, evidence: Evidence) -> dict[str, Floats]:
        """Return the length prior."""
        if self.prior == 0:
            return {}
        return {"length": self.prior * np.log(np.maximum(evidence.words_of_units, 1))}


# BM25


class _OkapiDefaults(NamedTuple):
    """What auto stands for."""

    k1: float
    b: float
    pivot: str | float
    context: float
    idf: str


# By what is ranked. The pivot of elements is a number of words: with the mean length of articles,
# paragraphs of long articles would have no chance.
_OKAPI_OF_ELEMENTS = _OkapiDefaults(4.0, 0.8, 400.0, 1.0, "documents")
_OKAPI_OF_CHUNKS = _OkapiDefaults(1.2, 0.75, "mean", 0.0, "units")
_OKAPI: dict[UnitKind, _OkapiDefaults] = {
    "elements": _OKAPI_OF_ELEMENTS,
    "passages": _OKAPI_OF_ELEMENTS,
    "documents": _OkapiDefaults(0.9, 0.4, "mean", 0.0, "documents"),
    "windows": _OKAPI_OF_CHUNKS,
    "chunks": _OKAPI_OF_CHUNKS,
}
_WORDS_OF_A_PIECE = 100
_FEW_DOCUMENTS = 20
# In place of a damping of 0, so that 0 / 0 is 0; no other sum is changed by it.
_NEXT_TO_NOTHING = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class BM25(_TextModel):
    """BM25 over units of any kind, with the score of the article mixed in.

    Occurrences of an item count less and less the more there are, long units count less than short
    ones with as many occurrences, and rare items count more than common ones.
    """

    name: ClassVar[str] = "bm25"
    facts: ClassVar[ModelFacts] = ModelFacts(
        "BM25, with the article as context",
        "score(e) = (S(e) + context · short · A(d)) / (1 + context)\n"
        "S(e)     = Σ short · w · idf · tf · (k1 + 1) / (tf + k1 · (1 − b + b · len / pivot))\n"
        "idf      = ln(1 + (N − n + 0.5) / (n + 0.5))" + _COMMON_FORMULA,
        "The sum is over the items of the query: w is an item's weight; tf are its occurrences in "
        "the unit e, which has len words; n of N documents (or whatever idf counts) have the item. "
        "A(d) is the score of the article d, by default `bm25` for documents." + _COMMON_LETTERS,
        (
            Source(
                "S. Robertson and others: Okapi at TREC-3. TREC 1994",
                "the formula, for documents",
                False,
            ),
            Source(
                "University of Waterloo at INEX 2007 to 2009",
                "BM25 applied to elements; our default k1 and b follow what we remember of it, and "
                "our pivot does not",
                False,
            ),
            Source(
                "P. Arvola, M. Junkkari, J. Kekäläinen: Generalized contextualization method for "
                "XML information retrieval. CIKM 2005 (abstract)",
                "mixing in the scores of surrounding elements is significantly better than not "
                "doing so; the root of the document is the best such context",
                True,
            ),
            Source(
                "ATIRE, a search engine (its source code)",
                "k1=0.9 and b=0.4, with which A(d) is computed by default: trained on the "
                "Wikipedia collection of INEX and its queries of 2009",
                True,
            ),
            Source(
                "bm25s 0.3, method lucene (run beside it)",
                "the same scores of chunks, divided by k1 + 1",
                True,
            ),
            _FEEDBACK_SOURCE,
            _FIELDS_SOURCE,
        ),
        "Documents have no context. Below "
        f"{_FEW_DOCUMENTS} documents, idf=documents hardly tells rare words from common ones, and "
        "there is a warning. With idf=words, n is N at most, so that no item counts against a "
        "unit that has it.",
        ModelExample(
            "bm25(k1=4,b=0.8,pivot=400,context=1,idf=documents)",
            EXAMPLE_UNITS,
            EXAMPLE,
            (3.4804, 5.8415),
            "idf is ln(101/40.5) = 0.9138 for fog and ln(101/9.5) = 2.3638 for horn. The paragraph "
            "has S = 0.9138·2·5/(2 + 4·(0.2 + 0.8·20/400)) = 3.0872, the section, which has "
            "both words, S = 7.8095. Their article has A = 3.8736, and with context=1 the score is "
            "the mean of S and A.",
        ),
    )
    k1: str | float = parameter(
        "auto",
        "how much an item's further occurrences count: with 0 not at all (auto: 4 for elements and "
        "passages, 0.9 for documents, 1.2 for chunks and windows)",
        ("auto",),
        number=True,
    )
    b: str | float = parameter(
        "auto",
        "how much length matters: 0 not at all, 1 in full (auto: 0.8 for elements and passages, "
        "0.4 for documents, 0.75 for chunks and windows)",
        ("auto",),
        number=True,
    )
    pivot: str | float = parameter(
        "auto",
        "the number of words at which length makes no difference (mean: that of all units, or of "
        "all articles where elements or passages are ranked; auto: 400 for elements and passages, "
        "else mean)",
        ("auto", "mean"),
        number=True,
    )
    context: str | float = parameter(
        "auto",
        "how much the article's score A(d) counts besides the unit's own; documents have none "
        "(auto: 1 for elements, 0 for chunks and windows)",
        ("auto",),
        number=True,
    )
    idf: str = parameter(
        "auto",
        "what N and n count (words: pieces of 100 words, so that N = T/100 and n = cf; units: the "
        "ranked units themselves, which must be chunks or windows; auto: units for those, else "
        "documents)",
        ("auto", "documents", "words", "units"),
    )

    least: str | float = parameter("auto", _LEAST_HELP, ("auto",), number=True)
    titles: float = parameter(1.0, _TITLES_HELP)
    headings: float = parameter(1.0, _HEADINGS_HELP)
    abstracts: float = parameter(1.0, _ABSTRACTS_HELP)
    feedback: int = parameter(0, _FEEDBACK_HELP)
    terms: int = parameter(20, _TERMS_HELP)
    weight: float = parameter(0.2, _WEIGHT_HELP)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.b != "auto" and float(self.b) > 1:
            raise ValueError("b must be between 0 and 1")
        if self.pivot == 0:
            raise ValueError("pivot must be above 0")

    def resolve_auto(self, units: UnitKind, task: str | None = None) -> Self:
        """Return the model with what is auto filled in; documents have no context.

        >>> from doxeval.retrieve.models import bm25
        >>> bm25.resolve_auto("documents")(least="auto")
        bm25(k1=0.9,b=0.4,pivot=mean,context=0,idf=documents)
        >>> bm25(k1=2).resolve_auto("chunks")(least="auto")
        bm25(k1=2,b=0.75,pivot=mean,context=0,idf=units)
        """
        defaults = _OKAPI[units]
        if self.idf == "units" and defaults.idf != "units":
            raise InputError(
                f"{self.name}: idf=units is for chunks and windows; for {units} it is documents or "
                "words"
            )
        filled = {
            name: value
            for name, value in defaults._asdict().items()
            if getattr(self, name) == "auto"
        }
        if units == "documents":
            filled["context"] = 0.0
        return replace(self, least=self._resolved_least(units, task), **filled)

    def by_item(self, evidence: Evidence) -> Iterator[Floats]:
        """Yield the share of each item in S(e) / (1 + context)."""
        model = self._as_for(evidence)
        k1, b, context = float(model.k1), float(model.b), float(model.context)
        length = evidence.length / model._pivot_of(evidence)
        damping = np.maximum(k1 * (1 - b + b * length), _NEXT_TO_NOTHING)
        reduction = model._reduction(evidence)
        for item, weight in enumerate(evidence.weight):
            tf = evidence.tf[:, item]
            highest = weight * model._idf_of(evidence, item) * (k1 + 1) / (1 + context)
            yield (highest * reduction if weight > 0 else highest) * (tf / (tf + damping))

    @property
    def needs_article_scores(self) -> bool:
        """Whether articles are context."""
        return self.context != 0

    def besides(self, evidence: Evidence) -> dict[str, Floats]:
        """Return the article's part of the score."""
        model = self._as_for(evidence)
        context = float(model.context)
        if context == 0:
            return {}
        if evidence.article_score is None:
            raise InputError(f"{self.label}: context={context:g} needs scores of the articles")
        part = (context * evidence.article_score / (1 + context))[evidence.article]
        # What is below zero is not made better by being short.
        return {"article": np.minimum(part, part * model._reduction(evidence))}

    def warnings(self, evidence: Evidence) -> list[str]:
        """Warn about too few documents for the default idf."""
        is_by_documents = self._as_for(evidence).idf == "documents"
        if not is_by_documents or evidence.documents >= _FEW_DOCUMENTS:
            return []
        return [
            f"{self.label}: with {plural(evidence.documents, 'document')}, idf=documents hardly "
            "tells rare words from common ones; idf=words counts pieces of 100 words instead"
        ]

    def _as_for(self, evidence: Evidence) -> Self:
        """Return the model itself, or, if `resolve_auto` was not called, as the evidence allows."""
        if "auto" not in (self.k1, self.b, self.pivot, self.context, self.idf):
            return self
        return self.resolve_auto("elements" if evidence.units is None else "chunks")

    def _pivot_of(self, evidence: Evidence) -> float:
        if self.pivot != "mean":
            return float(self.pivot)
        return evidence.mean_article if evidence.units is None else evidence.units.mean_length

    def _idf_of(self, evidence: Evidence, item: int) -> float:
        if self.idf == "words":
            count: float = evidence.words / _WORDS_OF_A_PIECE
            n: float = min(float(evidence.cf[item]), count)
        elif self.idf == "documents":
            count, n = evidence.documents, int(evidence.df[item])
        elif evidence.units is not None:
            count, n = evidence.units.count, int(evidence.units.df[item])
        else:
            raise InputError(f"{self.label}: idf=units is for chunks and windows")
        return math.log(1 + (count - n + 0.5) / (n + 0.5))


# Models by name

ENTRY_POINTS = "doxeval.models"
BUILT_IN: tuple[type[Model], ...] = (LanguageModel, BM25)
M = TypeVar("M", bound=type[Model])

lm = LanguageModel()
bm25 = BM25()
# The model of articles, A(d), unless another is given.
ARTICLES = bm25.resolve_auto("documents")

_NOUN = Noun(
    "model",
    "NAME or NAME(key=value,…)",
    "bm25(k1=1.2)",
    {
        "okapi": "bm25 is Okapi's formula",
        "bm25f": "bm25 has weights for fields, such as bm25(titles=3)",
        "rm3": "lm and bm25 have its feedback, such as bm25(feedback=10)",
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
    """Return a model by its name.

    >>> model_named("lm(prior=.5)")
    lm(prior=0.5)
    >>> model_named("bm52")
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no model 'bm52'; did you mean bm25?
    """
    return MODELS.named(text)


def as_model(given: str | Model | type[Model]) -> Model:
    """Return a model given as a value, as a name, or as a class, which stands for its defaults.

    >>> as_model("bm25") == as_model(BM25) == bm25
    True
    """
    return MODELS.value_of(given)
