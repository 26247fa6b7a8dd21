"""What a run returned, as measures see it: arrays over results, topic by topic, best first.

Results for topics that were not assessed have been left out, and so have duplicates, unless they
were to be kept. A kept duplicate is a repeat: it takes its rank and is as large as before, but it
stands for no element, no tree and no relevant document, since readers have seen it in full. What
several measures need (relevant characters, new ones) is computed when a measure first asks for it,
and kept. What new text gains is in `new_text`, what elements gain in `elements`.

Large runs are scored in blocks of whole topics. The ranking of a block is held against the whole
ground truth; its `topics` are those to score, and only for those a score need be right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Floats, Ints, sum_by_group
from doxeval.documents import Collection, Trees
from doxeval.measures.base import TOLERANCE
from doxeval.measures.caching import Memory, once
from doxeval.measures.ground_truth import GroundTruth, rows_of_topics
from doxeval.messages import plural
from doxeval.runs import Kind, ResolvedRun
from doxeval.spans import Spans, new_lengths, new_parts, shared_lengths, shared_parts

if TYPE_CHECKING:
    from doxeval.assessments import AssessedElements

# Whole numbers or fractions; what comes in is what goes out.
Numbers: TypeAlias = npt.NDArray[Any]


class ResultText(NamedTuple):
    """Spans of the text of results: which result each is part of, and the spans, in groups."""

    row: Ints
    text: Spans


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranking(Memory):
    """The results of a run, or of some of its topics, and the ground truth they are held against.

    topics: the numbers of the assessed topics to score, ascending: all, or those of a block.
    topic: the topic of each result, by number; results are sorted by it. pair: the judged pair of
    topic and document, -1 if the document was not judged. level: results of a topic that share a
    level are tied. is_repeat: whether each result was returned before; None if none was.
    are_documents: whether the results are known to be whole documents, each returned once.
    """

    truth: GroundTruth
    topics: Ints
    topic: Ints
    pair: Ints
    resolved: ResolvedRun
    level: Ints
    is_repeat: Bools | None = None
    are_documents: bool = False

    def __len__(self) -> int:
        return len(self.topic)

    def __repr__(self) -> str:
        topics = plural(int((self.counts > 0).sum()), "topic")
        return f"Ranking({plural(len(self), 'result')} for {topics})"

    # Results

    @cached_property
    def node(self) -> Ints:
        """Each result's element in the collection, -1 if it is none, or a repeat."""
        node = self.resolved.node
        return node if self.is_repeat is None else np.where(self.is_repeat, -1, node)

    @property
    def document(self) -> Ints:
        """A number for each result's document, judged or not."""
        return self.resolved.run.document

    @property
    def document_names(self) -> Sequence[str]:
        """The names of documents, by their numbers."""
        return self.resolved.run.documents

    @property
    def start(self) -> Ints:
        """Where each result's first span begins, -1 if that is not known."""
        return self.resolved.start

    @property
    def end(self) -> Ints:
        """Where each result's first span ends, -1 if that is not known."""
        return self.resolved.end

    @property
    def size(self) -> Ints:
        """The number of characters of each result, in all its spans."""
        return self.resolved.sizes

    @cached_property
    def rank(self) -> Ints:
        """The rank of each result in its topic, from 1."""
        return np.arange(1, len(self) + 1) - self.begin[self.topic]

    @cached_property
    def begin(self) -> Ints:
        """Where each topic's results begin; one more than there are topics."""
        return np.searchsorted(self.topic, np.arange(len(self.truth.topics) + 1))

    @cached_property
    def counts(self) -> Ints:
        """The number of results of each topic."""
        return np.diff(self.begin)

    @property
    def distinct_counts(self) -> Ints:
        """The number of results of each topic without repeats."""
        if self.is_repeat is None:
            return self.counts
        return self.counts - np.bincount(self.topic[self.is_repeat], minlength=len(self.counts))

    @cached_property
    def is_relevant(self) -> Bools:
        """Whether the document of each result is relevant; that of a repeat no longer is."""
        is_relevant = (self.pair >= 0) & self.truth.is_relevant[self.pair]
        return is_relevant if self.is_repeat is None else is_relevant & ~self.is_repeat

    # Results as trees of elements

    @cached_property
    def trees(self) -> Trees:
        """Each result as a set of elements, which is empty for repeats and unresolved results."""
        trees = self.returned_trees
        return trees if self.is_repeat is None else trees.emptied(self.is_repeat)

    @cached_property
    def returned_trees(self) -> Trees:
        """Each result as a set of elements, repeats too, for those who count what is read."""
        return self.resolved.as_trees(self.truth.known_collection)

    @cached_property
    def tree_documents(self) -> Ints:
        """The document of each tree in the collection, -1 for one without elements."""
        return tree_documents(self.truth.known_collection, self.trees)

    @once
    def rows_in(self, elements: AssessedElements) -> Ints:
        """Return each result's row among assessed elements, -1 if it is none, or a repeat."""
        if elements.forest is None:
            return elements.find(self.topic, self.node)
        run, forest = self.resolved.run, elements.forest
        topics = [elements.topics[topic] for topic in self.topic.tolist()]
        names = [self.document_names[document] for document in self.document.tolist()]
        documents = forest.find_documents(list(zip(topics, names, strict=True)))
        known_paths = [*(paths[0] for paths in run.paths), ""]
        node = forest.find_nodes(documents, [known_paths[at] for at in run.path.tolist()])
        whole = run.kind == Kind.DOCUMENT
        if whole.any():
            node[whole] = forest.find_roots(documents[whole])
        if self.is_repeat is not None:
            node[self.is_repeat] = -1
        return elements.find(self.topic, node)

    # Results as text

    def text_of(self, rows: Ints, group: Ints) -> ResultText:
        """Return the spans of some results, each result in a group.

        group: one for each row. Results are given by their position among `rows`.
        """
        row, start, end = self.resolved.pieces(rows)
        return ResultText(row, Spans(group if len(row) == len(group) else group[row], start, end))

    @cached_property
    def highlights(self) -> Spans:
        """The highlighted spans of the topics to score, grouped by judged pair."""
        rows = rows_of_topics(self.truth.highlight_begin, self.topics)
        return Spans(*(column[rows] for column in self.truth.highlights))

    @cached_property
    def in_relevant_text(self) -> Ints:
        """The rows whose document has highlighted text for their topic."""
        rows = np.flatnonzero(self.pair >= 0)
        return rows[self.truth.highlighted[self.pair[rows]] > 0]

    def text_in_relevant(self) -> ResultText:
        """Return the text of the results whose document has highlighted text for their topic."""
        rows = self.in_relevant_text
        row, text = self.text_of(rows, self.pair[rows])
        return ResultText(rows[row], text)

    @cached_property
    def relevant(self) -> Ints:
        """The number of highlighted characters in each result."""
        row, text = self.text_in_relevant()
        return sum_by_group(row, shared_lengths(text, self.highlights), len(self))

    @cached_property
    def new_text(self) -> ResultText:
        """The relevant text that no earlier result of the topic has, in the order of reading."""
        row, text = self.text_in_relevant()
        # Only relevant text is looked through for what is new: that is much less.
        relevant = shared_parts(text, self.highlights)
        part, new = new_parts(Spans(text.group[relevant.row], relevant.start, relevant.end))
        return ResultText(row[relevant.row[part]], new)

    @cached_property
    def new_relevant(self) -> Ints:
        """The number of highlighted characters that no earlier result of the topic has."""
        return sum_by_group(self.new_text.row, self.new_text.text.lengths(), len(self))

    @cached_property
    def new_size(self) -> Ints:
        """The number of characters that no earlier result of the topic has."""
        return self._new_lengths(np.arange(len(self)), self.article)

    @cached_property
    def new_size_in_relevant(self) -> Ints:
        """New characters where the document has relevant text, the whole size elsewhere."""
        rows = self.in_relevant_text
        size = self.size.copy()
        size[rows] = self._new_lengths(rows, self.pair[rows])
        return size

    def _new_lengths(self, rows: Ints, group: Ints) -> Ints:
        """Count the characters of some results that no earlier one of the same group has."""
        row, text = self.text_of(rows, group)
        return sum_by_group(row, new_lengths(text), len(rows))

    @property
    def without_whitespace(self) -> Ranking:
        """The same ranking with white space ignored, if the texts are known."""
        # A ranking must not keep itself alive.
        is_same = self.truth.without_whitespace is self.truth
        return self if is_same else self._count_non_space()

    @once
    def _count_non_space(self) -> Ranking:
        from doxeval.measures.whitespace import NonSpaceOffsets

        truth = self.truth.without_whitespace
        resolved = NonSpaceOffsets(truth.known_texts, strict=False).resolved(self.resolved)
        return replace(self, truth=truth, resolved=resolved)

    # The ranking of documents

    @cached_property
    def _distinct_documents(self) -> tuple[Ints, Ints]:
        """The first row of each topic and document, and the number of these for each result."""
        keys = self.topic * (int(self.document.max(initial=0)) + 1) + self.document
        _, first, number = np.unique(keys, return_index=True, return_inverse=True)
        return first, number

    @property
    def article(self) -> Ints:
        """A number for each result's topic and document, from 0."""
        return self._distinct_documents[1]

    @cached_property
    def articles(self) -> Ranking:
        """The first result of each document in its topic: the ranking of documents.

        If the first does not resolve but a later one does, the later one stands for the document:
        what a bad reference points to is unknown, but its document is not.
        """
        if self.are_documents:
            return replace(self)  # a ranking must not keep itself alive
        return self.rows(self._first_of_documents[1])

    @cached_property
    def articles_and_repeats(self) -> Ranking:
        """The ranking of documents, in which repeats take ranks of their own."""
        if self.is_repeat is None:
            return self.articles
        position, row = self._first_of_documents
        again = np.flatnonzero(self.is_repeat)
        order = np.argsort(np.append(position, again), kind="stable")
        return self.rows(np.append(row, again)[order])

    @cached_property
    def _first_of_documents(self) -> tuple[Ints, Ints]:
        """Where the first result of each document stands, and the row that stands for it."""
        first, article = self._distinct_documents
        row = first.copy()
        known = np.flatnonzero(self.pair >= 0)[::-1]
        row[article[known]] = known  # from the last to the first, which stays
        order = np.argsort(first)
        return first[order], row[order]

    def rows(self, rows: Ints) -> Ranking:
        """Return the ranking of only some of the results."""
        is_repeat = None if self.is_repeat is None else self.is_repeat[rows]
        return Ranking(
            truth=self.truth,
            topics=self.topics,
            topic=self.topic[rows],
            pair=self.pair[rows],
            resolved=self.resolved.rows(rows),
            level=self.level[rows],
            is_repeat=is_repeat if is_repeat is not None and is_repeat.any() else None,
            are_documents=self.are_documents,
        )

    def first(self, k: int | None) -> Ranking:
        """Return the ranking of the first k results of each topic; without k, of all of them."""
        # A ranking must not keep itself alive.
        is_whole = k is None or int(self.counts.max(initial=0)) <= k
        return self if k is None or is_whole else self._cut(k)

    @once
    def _cut(self, k: int) -> Ranking:
        return self.rows(np.flatnonzero(self.rank <= k))

    # Arithmetic by topic

    def by_topic(self, values: Numbers) -> list[Numbers]:
        """Return the values of each topic; topics that are not to be scored have none."""
        lists = [values[:0]] * len(self.truth.topics)
        for topic, of_topic in self.lists(values):
            lists[topic] = of_topic
        return lists

    def lists(self, values: Numbers) -> Iterator[tuple[int, Numbers]]:
        """Yield the number of each topic to score, and its values, which may be none."""
        edges = (self.topics, self.begin[self.topics], self.begin[self.topics + 1])
        for topic, begin, end in zip(*(column.tolist() for column in edges), strict=True):
            yield topic, values[begin:end]

    def sums(self, values: Numbers) -> Floats:
        """Return the sum of the values of each topic."""
        sums = np.zeros(len(self.truth.topics))
        for topic, of_topic in self.lists(values):
            sums[topic] = of_topic.sum()
        return sums

    def cumulated(self, values: Numbers) -> Numbers:
        """Return the sum of values up to each result of a topic."""
        if np.issubdtype(values.dtype, np.floating):  # a sum over all topics would be rounded
            sums = [np.cumsum(of_topic) for _, of_topic in self.lists(values)]
            return np.concatenate(sums) if sums else values
        total = np.append(np.zeros(1, dtype=values.dtype), np.cumsum(values))
        cumulated: Numbers = total[1:] - total[self.begin[self.topic]]
        return cumulated

    def at(self, cut_off: int | Ints, cumulated: Numbers) -> Numbers:
        """Return cumulated values at a cut-off, one for each topic; beyond the list they stay.

        cut_off: for all topics, or one for each; nothing is cumulated at 0.
        """
        count = np.minimum(self.counts, cut_off)
        last = self.begin[:-1] + count - 1
        values = np.zeros(len(self.counts), dtype=cumulated.dtype)
        has_results = count > 0
        values[has_results] = cumulated[last[has_results]]
        return values


def tree_documents(collection: Collection, trees: Trees) -> Ints:
    """Return the document of each tree in the collection, -1 for one without elements."""
    filled = np.flatnonzero(trees.counts > 0)
    document = np.full(len(trees), -1, dtype=np.int64)
    document[filled] = collection.documents_of(trees.nodes[trees.begin[:-1][filled]])
    return document


def ratio(part: Numbers, whole: Numbers) -> Floats:
    """Divide part by whole, element by element; 0 where the whole is 0.

    >>> ratio(np.array([1, 0, 3]), np.array([2, 0, 0])).tolist()
    [0.5, 0.0, 0.0]
    """
    quotient: Floats = np.divide(
        part, whole, out=np.zeros(np.shape(whole), dtype=np.float64), where=whole != 0
    )
    return quotient


def defined(values: Floats, total: Numbers) -> Floats:
    """Return the values of topics; nan where there is nothing to be had, and so no score.

    >>> defined(np.array([0.5, 0.0]), np.array([2, 0])).tolist()
    [0.5, nan]
    """
    return np.where(total == 0, np.nan, values)


def interpolated(recall: Floats, precision: Floats, points: Floats) -> Floats:
    """Return the best precision at any recall that is at least as high, for each point.

    >>> interpolated(np.array([0.5, 1.0]), np.array([1.0, 0.6]), np.array([0.5, 0.6])).tolist()
    [1.0, 0.6]
    """
    order = np.argsort(recall, kind="stable")
    best = np.append(np.maximum.accumulate(precision[order][::-1])[::-1], 0.0)
    return best[np.searchsorted(recall[order], points - TOLERANCE)]
