"""What is relevant, as measures see it: arrays over all topics, made once for all runs.

The rows are the judged documents of all topics ("pairs" of topic and document), sorted by topic;
highlights, best entry points and lengths belong to pairs. Three more views follow from them, each
made when a measure first asks for it, and kept:

    needs                text by what it answers, any of several alternatives (`assessments.Needs`)
    relevance_weights    what that text is worth, character by character (`new_text`)
    relevant, base       elements with their grades, and the recall bases chosen from them
                         (`assessments.RelevantElements`); `elements` makes gains of them

What a family of measures makes of all this for itself is kept in its `memory`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, concatenated_ranges, positions_in, sum_by_group
from doxeval.assessments import Assessments, JudgmentColumns
from doxeval.columns import NameIndex
from doxeval.documents import MOST_ELEMENTS, MOST_TOPICS, Collection
from doxeval.errors import InputError, MissingInput
from doxeval.measures.caching import Memory, once
from doxeval.messages import Parameter
from doxeval.spans import Spans

if TYPE_CHECKING:  # what is about elements is loaded when a measure asks for elements
    from doxeval.assessments import (
        AssessedElements,
        Needs,
        RecallBase,
        RelevantElements,
        SpecificityFrom,
    )
    from doxeval.documents import PathPatterns
    from doxeval.measures.new_text import RelevanceWeights
    from doxeval.measures.texts import Texts, UnitStarts
    from doxeval.navigation import Navigation
    from doxeval.runs import ChunkTable


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GroundTruth(Memory):
    """Assessments as arrays, and all that follows from them.

    columns: the judged pairs; see JudgmentColumns.
    specificity: where the specificity of listed elements comes from.
    navigation: the model of navigation that was given, if one was.
    targets: by topic, the paths that relevant elements must match (strict CAS).
    texts: the texts of documents, if they are known.
    ignore_whitespace: offsets count non-space characters only; those of `columns` do so already.
    chunks: all chunks that systems could return, if they are known.
    """

    assessments: Assessments
    collection: Collection | None
    columns: JudgmentColumns
    specificity: SpecificityFrom
    navigation: Navigation | None = None
    targets: Mapping[str, PathPatterns] = field(default_factory=dict)
    texts: Texts | None = None
    ignore_whitespace: bool = False
    chunks: ChunkTable | None = None

    @classmethod
    def of(
        cls,
        assessments: Assessments,
        collection: Collection | None = None,
        *,
        specificity: SpecificityFrom | None = None,
        navigation: Navigation | None = None,
        targets: Mapping[str, PathPatterns] | None = None,
        texts: Texts | None = None,
        ignore_whitespace: bool = False,
        chunks: ChunkTable | None = None,
    ) -> GroundTruth:
        """Return the ground truth of assessments (resolved against the collection, if any).

        >>> from doxeval.assessments import Judgment
        >>> relevant, other = Judgment("7", "a", ((0, 5), (9, 12))), Judgment("7", "b")
        >>> truth = GroundTruth.of(Assessments([relevant, other]))
        >>> truth.highlighted.tolist(), truth.relevant_characters.tolist()
        ([8, 0], [8])
        """
        if len(assessments.columns.topics) > MOST_TOPICS:
            raise InputError(f"more than {MOST_TOPICS:,} topics in one evaluation")
        if texts is None and collection is not None:
            from doxeval.measures.texts import Texts

            texts = Texts(collection)
        truth = cls(
            assessments=assessments,
            collection=collection,
            columns=assessments.columns,
            specificity=specificity or ("file" if collection is None else "passages"),
            navigation=navigation,
            targets=targets or {},
            texts=texts,
            chunks=chunks,
        )
        if not ignore_whitespace:
            return truth
        if texts is None:
            raise MissingInput(
                Parameter("ignore_whitespace", True)
                + " needs the texts of documents: "
                + Parameter("texts")
                + " or a collection"
            )
        return truth._count_non_space(strict=True)

    def __repr__(self) -> str:
        return f"GroundTruth({self.assessments!r}, {self.collection!r})"

    # Topics

    @property
    def topics(self) -> tuple[str, ...]:
        """The assessed topics."""
        return self.columns.topics

    @cached_property
    def topic_numbers(self) -> dict[str, int]:
        """The number of each assessed topic."""
        return {topic: number for number, topic in enumerate(self.topics)}

    @cached_property
    def is_unanswerable(self) -> Bools:
        """Whether each topic is known to have no answer."""
        unanswerable = self.assessments.unanswerable
        return np.array([topic in unanswerable for topic in self.topics], dtype=np.bool_)

    def nothing(self) -> Floats:
        """Return an undefined score for every topic."""
        return np.full(len(self.topics), np.nan)

    def sum_by_topic(self, values: Ints) -> Ints:
        """Sum whole numbers of pairs for each topic."""
        return sum_by_group(self.topic, values, len(self.topics))

    @cached_property
    def pair_begin(self) -> Ints:
        """Where the pairs of each topic begin; one more than there are topics."""
        return np.searchsorted(self.topic, np.arange(len(self.topics) + 1))

    @cached_property
    def highlight_begin(self) -> Ints:
        """Where the highlighted spans of each topic begin; one more than there are topics."""
        return np.searchsorted(self.highlights.group, self.pair_begin)

    @cached_property
    def need_begin(self) -> Ints:
        """Where the needs of each topic begin; one more than there are topics."""
        return np.searchsorted(self.needs.topic, np.arange(len(self.topics) + 1))

    # Judged pairs of topic and document

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """The judged documents, each once."""
        return tuple(self.columns.documents)

    @cached_property
    def document_index(self) -> NameIndex:
        """The judged documents, as runs look up their documents among them."""
        return NameIndex(self.documents)

    @property
    def topic(self) -> Ints:
        """The topic of each pair, as its place in `topics`."""
        return self.columns.topic

    @property
    def document(self) -> Ints:
        """The document of each pair, as its place in `documents`."""
        return self.columns.document

    @property
    def is_relevant(self) -> Bools:
        """Whether anything in the document of each pair is relevant."""
        return self.columns.is_relevant

    @cached_property
    def grade(self) -> Ints:
        """The grade of the document of each pair; at least 1 if anything in it is relevant."""
        return self.columns.document_grades()

    @property
    def length(self) -> Ints:
        """The length of the document of each pair, -1 where it is not known."""
        return self.columns.length

    @property
    def entry(self) -> Ints:
        """The best entry point of each pair, -1 where there is none."""
        return self.columns.entry

    @cached_property
    def relevant_documents(self) -> Ints:
        """The number of relevant documents of each topic."""
        return self.sum_by_topic(self.is_relevant.astype(np.int64))

    def pairs_of(self, topic: Ints, documents: Ints) -> Ints:
        """Return the judged pairs of topics and documents of the collection, -1 for no pair."""
        numbers, order = self._collection_numbers
        at = positions_in(numbers, documents)
        order = np.append(order, -1)  # for what is not there
        return self.find_pairs(topic, order[np.where((at < 0) | (documents < 0), -1, at)])

    def find_pairs(self, topic: Ints, place: Ints) -> Ints:
        """Return the judged pairs of topics and places in `documents`, -1 for no pair."""
        keys, rows = self._pair_keys
        pairs = np.full(len(topic), -1, dtype=np.int64)
        known = np.flatnonzero(place >= 0)
        at = positions_in(keys, topic[known] * len(self.documents) + place[known])
        pairs[known] = np.where(at < 0, -1, rows[at])
        return pairs

    @cached_property
    def _pair_keys(self) -> tuple[Ints, Ints]:
        """Topic and document as one number, ascending, and the pair of each."""
        keys = self.topic * len(self.documents) + self.document
        order = np.argsort(keys)
        return keys[order], order

    @cached_property
    def _collection_numbers(self) -> tuple[Ints, Ints]:
        """The collection's numbers of the judged documents, ascending, and the place of each."""
        numbers = self.assessments.document_numbers(self.known_collection)
        order = np.argsort(numbers)
        return numbers[order], order

    # Text

    @property
    def highlights(self) -> Spans:
        """The highlighted spans, grouped by the row of the pair."""
        return self.columns.highlights

    @property
    def has_highlights(self) -> bool:
        """Whether any text is highlighted."""
        return self.relevant.has_highlights

    @cached_property
    def has_judged_documents_only(self) -> bool:
        """Whether no part of a document was judged relevant, only documents as a whole.

        With a collection, the text of a document that is relevant as a whole is highlighted.
        """
        if self.columns.have("needs"):
            return False
        is_highlighted = self.highlighted > 0
        is_whole = (self.columns.grade > 0) & (self.highlighted == self.length)
        return not (is_highlighted & ~is_whole).any()

    @cached_property
    def highlighted(self) -> Ints:
        """The number of highlighted characters of each pair."""
        return sum_by_group(self.highlights.group, self.highlights.lengths(), len(self.topic))

    @cached_property
    def relevant_characters(self) -> Ints:
        """The number of highlighted characters of each topic."""
        return self.sum_by_topic(self.highlighted)

    @cached_property
    def needs(self) -> Needs:
        """The needs of all topics."""
        from doxeval.assessments import Needs

        needs = Needs.of(self.assessments)
        if not self.ignore_whitespace:
            return needs
        from doxeval.measures.whitespace import NonSpaceOffsets

        return NonSpaceOffsets(self.known_texts, strict=False).needs(needs, self.columns)

    @cached_property
    def relevance_weights(self) -> RelevanceWeights:
        """What relevant text is worth, by the needs of its topic."""
        from doxeval.measures.new_text import relevance_weights

        return relevance_weights(self)

    @property
    def known_texts(self) -> Texts:
        """The texts of documents; without them the measure cannot be computed."""
        if self.texts is None:
            raise MissingInput(
                "the measure needs the texts of documents: "
                + Parameter("texts")
                + " or a collection"
            )
        return self.texts

    def unit_starts(self, documents: Sequence[str], unit: str) -> UnitStarts:
        """Return where words or tokens of some documents begin, as offsets are counted here."""
        from doxeval.measures.texts import UnitStarts

        ignore = self.ignore_whitespace
        return UnitStarts(self.known_texts, documents, unit, ignore_whitespace=ignore)

    @property
    def without_whitespace(self) -> GroundTruth:
        """The same with white space ignored, if the texts of documents are known."""
        if self.ignore_whitespace or self.texts is None:
            return self
        return self._count_non_space(strict=False)

    @once
    def _count_non_space(self, *, strict: bool) -> GroundTruth:
        """Return the same in non-space characters; strict: each document must have its text."""
        from doxeval.measures.whitespace import NonSpaceOffsets

        columns = NonSpaceOffsets(self.known_texts, strict=strict).columns(self.columns)
        return replace(self, columns=columns, ignore_whitespace=True)

    # Elements

    @cached_property
    def relevant(self) -> RelevantElements:
        """The assessed elements, and recall bases chosen from them."""
        from doxeval.assessments import RelevantElements

        return RelevantElements(self.assessments, self.collection, self.specificity, self.targets)

    @property
    def has_grades(self) -> bool:
        """Whether elements were graded one by one."""
        return self.relevant.has_grades

    def elements(self, quant: str) -> AssessedElements:
        """Return the elements that a quantisation can be used on."""
        from doxeval.assessments import find_quantisation

        return self.relevant.elements(find_quantisation(quant))

    def base(self, kind: str, quant: str, ignore: str = "none") -> RecallBase:
        """Return the full or ideal recall base; ignore: the tags that `ignored_tags` explains."""
        from doxeval.assessments import find_quantisation

        return self.relevant.base(kind, find_quantisation(quant), ignored_tags(ignore))

    # The collection, and how readers navigate in it

    @property
    def known_collection(self) -> Collection:
        """The collection; without one the measure cannot be computed."""
        if self.collection is None:
            raise MissingInput("the measure needs the collection")
        return self.collection

    @property
    def mean_length(self) -> float | None:
        """The mean length of the collection's documents in characters."""
        if self.collection is None or not len(self.collection):
            return None
        return self.collection.text_totals.characters / len(self.collection)

    @once
    def model(self, name: str) -> Navigation:
        """Return a model of navigation: one that needs no file, or the one that was given."""
        from doxeval.navigation import navigation_named

        if self.navigation is not None and self.navigation.name == name:
            return self.navigation
        model = navigation_named(name)
        if model is None:
            raise MissingInput(
                f"nav={name} needs a file of that model, read as navigation=read_navigation(file)"
            )
        return model


def ignored_tags(ignore: str) -> frozenset[str]:
    """Return the tags that a parameter `ignore` names: none, links, or tags joined by +.

    >>> sorted(ignored_tags("p+b")), ignored_tags("none")
    (['b', 'p'], frozenset())
    """
    from doxeval.assessments import LINKS

    if ignore == "none":
        return frozenset()
    return LINKS if ignore == "links" else frozenset(ignore.split("+"))


# Tables by topic


def pair_keys(topic: Ints, other: Ints) -> Ints:
    """Return topic and document (or node) as one number.

    >>> pair_keys(np.array([0, 1]), np.array([7, 7])).tolist()
    [7, 1099511627783]
    """
    keys: Ints = topic.astype(np.int64) * MOST_ELEMENTS + other.astype(np.int64)
    return keys


def rows_of_topics(begin: Ints, topics: Ints) -> slice | Ints:
    """Return the rows of some topics in a table that is sorted by topic.

    begin: where the rows of each topic begin; one more than there are topics.

    >>> rows_of_topics(np.array([0, 2, 3, 7]), np.array([1, 2]))
    slice(2, 7, None)
    >>> rows_of_topics(np.array([0, 2, 3, 7]), np.array([0, 2])).tolist()
    [0, 1, 3, 4, 5, 6]
    """
    first, end = begin[topics], begin[topics + 1]
    if (first[1:] == end[:-1]).all():  # a slice makes no copies
        return slice(int(first[0]), int(end[-1])) if len(topics) else slice(0)
    return concatenated_ranges(first, end - first)
