"""The figures that papers report of a run: how long, how deep, and how much of it overlaps.

Two results overlap if they share a character of the same document: one element inside another, a
passage that runs into another one, or the same part returned twice. A span without characters
overlaps another if it lies strictly inside it, as an empty element does. Entry points have no text,
so they overlap nothing.

Without a collection, elements are compared by their paths and passages by their offsets. An element
and a passage then cannot be compared, unless the element is the whole document.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges, repeated_rows
from doxeval.columns import LARGEST_WHOLE
from doxeval.documents import Collection, parse_path
from doxeval.errors import InputError, SyntaxProblem
from doxeval.messages import Parameter, plural
from doxeval.named import checked
from doxeval.runs.columns import Kind, RowSpans, spans_by_row
from doxeval.runs.read_write import RunGiven, as_run
from doxeval.runs.resolution import ResolvedRun, resolve, subtree_spans, unit_kinds, unit_numbers
from doxeval.runs.run import Run
from doxeval.spans import TOO_LONG, Spans, merge_spans

# Where the span of a whole document ends if its length is not known: beyond every offset.
_NO_END = LARGEST_WHOLE


class OverlappingResults(NamedTuple):
    """Which results could be compared with others, and which of them overlap another one."""

    is_compared: Bools
    is_overlapping: Bools


def overlap_of(
    run: Run, resolved: ResolvedRun | None = None, collection: Collection | None = None
) -> OverlappingResults:
    """Return which results overlap another result of the same topic and document.

    >>> run = Run.from_dict({"7": [("d", "/a/s[1]"), ("d", "/a/s[1]/p[2]"), ("d", "/a/s[2]")]})
    >>> overlap_of(run).is_overlapping.tolist()
    [True, True, False]
    """
    if resolved is None or collection is None:
        scales = [_by_paths(run), _by_offsets(run)]
    else:
        scales = [text_extents(resolved, collection)]
    is_compared = np.zeros(len(run), dtype=np.bool_)
    is_overlapping = np.zeros(len(run), dtype=np.bool_)
    group = article_numbers(run)
    for extents in scales:
        is_compared[extents.row] = True
        is_overlapping[_overlapping_rows(extents, group)] = True
    return OverlappingResults(is_compared, is_overlapping)


def article_numbers(run: Run) -> Ints:
    """Return a number for each result's topic and document together.

    >>> article_numbers(Run.from_dict({"7": ["a", "b"], "8": ["b"]})).tolist()
    [0, 1, 2]
    """
    pairs = run.topic.astype(np.int64) * max(len(run.documents), 1) + run.document
    return np.asarray(np.unique(pairs, return_inverse=True)[1], dtype=np.int64)


def text_extents(resolved: ResolvedRun, collection: Collection) -> RowSpans:
    """Return the text spans of all results that resolve; of a tree, those of its elements.

    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.runs.resolution import resolve
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> run = Run.from_dict({"1": [("a", "/s/p[2]"), ("a", 2, 6)]})
    >>> text_extents(resolve(run, collection), collection).start.tolist()
    [4, 2]
    """
    kind = resolved.run.kind
    single = np.flatnonzero((resolved.start >= 0) & (kind != Kind.POINT) & (kind != Kind.TREE))
    spans = resolved.pieces(single)
    trees = resolved.trees
    several = np.flatnonzero(trees.counts > 0)
    nodes = trees.nodes[concatenated_ranges(trees.begin[several], trees.counts[several])]
    of_trees = merge_spans(
        Spans(
            np.repeat(several, trees.counts[several]),
            collection.nodes.start[nodes].astype(np.int64),
            collection.nodes.end[nodes].astype(np.int64),
        )
    )
    return RowSpans(
        np.concatenate([single[spans.row], of_trees.group]),
        np.concatenate([spans.start, of_trees.start]),
        np.concatenate([spans.end, of_trees.end]),
    )


def _by_paths(run: Run) -> RowSpans:
    """Return elements, trees of them and whole documents, as spans of paths in order."""
    rows = np.flatnonzero(np.isin(run.kind, (Kind.ELEMENT, Kind.TREE, Kind.DOCUMENT)))
    numbers, which = np.unique(run.path[rows], return_inverse=True)
    trees = [("",) if number < 0 else run.paths[number] for number in numbers.tolist()]
    start, end = subtree_spans([path for tree in trees for path in tree])
    counts = np.array([len(tree) for tree in trees], dtype=np.int64)
    first = np.cumsum(counts) - counts
    paths = concatenated_ranges(first[which], counts[which])
    return RowSpans(*merge_spans(Spans(np.repeat(rows, counts[which]), start[paths], end[paths])))


def _by_offsets(run: Run) -> RowSpans:
    """Return passages that are given in characters, one or several, and whole documents."""
    is_passage = ((run.kind == Kind.PASSAGE) | (run.kind == Kind.SPANS)) & (run.start >= 0)
    is_document = run.kind == Kind.DOCUMENT
    roots = [len(paths) == 1 and paths[0].strip().count("/") == 1 for paths in run.paths]
    is_document |= (run.kind == Kind.ELEMENT) & np.array([*roots, False])[run.path]
    rows = np.flatnonzero(is_passage | is_document)
    start = np.where(is_document[rows], 0, run.start[rows])
    end = np.where(is_document[rows], _NO_END, run.end[rows])
    spans = spans_by_row(start, end, None if run.spans is None else run.spans.rows(rows))
    return spans._replace(row=rows[spans.row])


def _overlapping_rows(extents: RowSpans, group_of: Ints) -> Ints:
    """Return the rows that overlap another; the spans of each row are apart from each other."""
    edges, rank = np.unique(
        np.concatenate([extents.start, extents.end]), return_inverse=True
    )  # offsets may be huge; only their order counts
    group = group_of[extents.row] * len(edges)
    begin, after = group + rank[: len(group)], group + rank[len(group) :]
    filled = np.flatnonzero(after > begin)
    filled = filled[np.argsort(begin[filled], kind="stable")]
    empty = np.flatnonzero(after == begin)
    points = np.sort(begin[empty])
    # Groups follow each other, so the spans before one extend into it only within its group.
    start, end = begin[filled], after[filled]
    furthest = np.maximum.accumulate(np.append(0, end))
    into_earlier = furthest[:-1] > start
    into_later = np.append(start[1:] < end[:-1], False)[: len(start)]
    around_empty = np.searchsorted(points, end, "left") > np.searchsorted(points, start, "right")
    before = np.searchsorted(start, begin[empty], "left")  # spans that begin before a point
    is_inside = furthest[before] > begin[empty]
    return np.concatenate(
        [
            extents.row[filled[into_earlier | into_later | around_empty]],
            extents.row[empty[is_inside]],
        ]
    )


@dataclass(frozen=True)
class Spread:
    """How some whole numbers are spread.

    >>> Spread.of(np.array([1, 2, 9]))
    Spread(count=3, total=12, least=1, median=2.0, most=9)
    >>> Spread.of(np.array([1, 2, 9])).mean
    4.0
    """

    count: int
    total: int
    least: int
    median: float
    most: int

    @classmethod
    def of(cls, values: Ints) -> Spread | None:
        """Return the spread of some values; None if there are none."""
        if not len(values):
            return None
        least, most = int(values.min()), int(values.max())
        return cls(len(values), int(values.sum()), least, float(np.median(values)), most)

    @property
    def mean(self) -> float:
        """Their mean."""
        return self.total / self.count

    def to_dict(self) -> dict[str, float]:
        """Return everything as plain values, for JSON."""
        return asdict(self) | {"mean": self.mean}


@dataclass(frozen=True)
class RunStatistics:
    """Counts of a run's results.

    documents: distinct ones. kinds: how many results are documents, elements, passages, points,
    trees or spans (several together). duplicates: results that repeat an earlier one of their
    topic. unresolved: results that the collection does not have; None without a collection.
    compared: results whose location in their document is known; overlapping: those that overlap
    another result of the same topic's list, a repeated result included. topic_overlap: the mean
    of the topics' shares of overlapping results.
    sizes: in characters, of the results whose text is known. distinct_characters: of that text,
    counting what a topic's results share once.
    depths, tags: of elements, a root being at depth 1; the most frequent tag comes first. A whole
    document is its root, whose tag only a collection knows.
    """

    run: str
    results: int
    topics: int
    documents: int
    per_topic: Spread | None
    kinds: dict[str, int]
    duplicates: int
    unresolved: int | None
    compared: int
    overlapping: int
    topic_overlap: float | None
    sizes: Spread | None
    distinct_characters: int | None
    depths: dict[int, int]
    tags: dict[str, int]

    @property
    def overlap(self) -> float | None:
        """The share of compared results that overlap another one."""
        return self.overlapping / self.compared if self.compared else None

    @property
    def repeated_text(self) -> float | None:
        """The share of the returned characters that the topic's list has elsewhere already."""
        if self.sizes is None or self.distinct_characters is None or not self.sizes.total:
            return None
        return 1 - self.distinct_characters / self.sizes.total

    @property
    def mean_depth(self) -> float | None:
        """The mean depth of the elements."""
        count = sum(self.depths.values())
        total = sum(depth * elements for depth, elements in self.depths.items())
        return total / count if count else None

    def __repr__(self) -> str:
        share = "unknown" if self.overlap is None else f"{self.overlap:.1%}"
        results = f"{plural(self.results, 'result')} for {plural(self.topics, 'topic')}"
        return f"RunStatistics({self.run!r}: {results}, overlap {share})"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        spreads = {"per_topic": self.per_topic, "sizes": self.sizes}
        return {
            **asdict(self),
            **{name: spread and spread.to_dict() for name, spread in spreads.items()},
            "depths": {str(depth): count for depth, count in self.depths.items()},
            "overlap": self.overlap,
            "repeated_text": self.repeated_text,
            "mean_depth": self.mean_depth,
        }


@checked
def run_statistics(
    run: RunGiven | ResolvedRun, collection: Collection | str | os.PathLike[str] | None = None
) -> RunStatistics:
    """Return the statistics of a run, more of them with its collection.

    The run is given as for `evaluate`, and the collection as a value or by its location.
    A run that is resolved already is given together with the collection it was resolved against.

    >>> run = Run.from_dict({"7": [("d", "/a/s[1]"), ("d", "/a/s[1]/p[2]"), ("d", "/a/s[2]")]})
    >>> statistics = run_statistics(run)
    >>> statistics
    RunStatistics('run': 3 results for 1 topic, overlap 66.7%)
    >>> statistics.depths, statistics.tags
    ({2: 2, 3: 1}, {'s': 2, 'p': 1})
    """
    if isinstance(collection, str | os.PathLike):
        collection = Collection(collection)
    if isinstance(run, ResolvedRun):
        if collection is None:
            raise InputError(
                "the statistics of a resolved run take its collection: " + Parameter("collection")
            )
        resolved: ResolvedRun | None = run
        run = run.run
    else:
        run = as_run(run)
        resolved = None if collection is None else resolve(run, collection)
    is_compared, is_overlapping = overlap_of(run, resolved, collection)
    units = (unit_kinds(run), unit_numbers(run), run.start, run.end)
    sizes, distinct = _characters(run, resolved, collection)
    depths, tags = _depths_and_tags(run, resolved, collection)
    return RunStatistics(
        run=run.run_id,
        results=len(run),
        topics=len(run.topics),
        documents=len(run.documents),
        per_topic=Spread.of(np.bincount(run.topic, minlength=len(run.topics))),
        kinds=_kinds(run),
        duplicates=len(repeated_rows(run.topic, run.document, *units)) if len(run) else 0,
        unresolved=None if resolved is None else len(resolved.unresolved),
        compared=int(is_compared.sum()),
        overlapping=int(is_overlapping.sum()),
        topic_overlap=_mean_share(run, np.flatnonzero(is_compared), np.flatnonzero(is_overlapping)),
        sizes=Spread.of(sizes),
        distinct_characters=distinct,
        depths=depths,
        tags=tags,
    )


def _kinds(run: Run) -> dict[str, int]:
    counts = np.bincount(run.kind, minlength=len(Kind)).tolist()
    return {kind.name.lower(): counts[kind] for kind in Kind if counts[kind]}


def _mean_share(run: Run, compared: Ints, overlapping: Ints) -> float | None:
    """Return the mean share of overlapping results over the topics with compared results."""
    of_topic = np.bincount(run.topic[compared], minlength=len(run.topics))
    shared = np.bincount(run.topic[overlapping], minlength=len(run.topics))
    known = of_topic > 0
    return float((shared[known] / of_topic[known]).mean()) if known.any() else None


def _characters(
    run: Run, resolved: ResolvedRun | None, collection: Collection | None
) -> tuple[Ints, int | None]:
    """Return the size of each result whose text is known, and the distinct characters."""
    if resolved is not None and collection is not None:
        row, start, end = text_extents(resolved, collection)
    else:
        is_possible = (run.start >= 0) & (run.end < TOO_LONG)
        is_text = (run.kind == Kind.PASSAGE) | (run.kind == Kind.SPANS)
        rows = np.flatnonzero(is_text & is_possible)
        spans = None if run.spans is None else run.spans.rows(rows)
        row, start, end = spans_by_row(run.start[rows], run.end[rows], spans)
        row = rows[row]
    if not len(row):
        return row, None
    rows, which = np.unique(row, return_inverse=True)
    sizes = np.zeros(len(rows), dtype=np.int64)
    np.add.at(sizes, which, end - start)
    once = merge_spans(Spans(article_numbers(run)[row], start, end))
    return sizes, int(once.lengths().sum())


def _depths_and_tags(
    run: Run, resolved: ResolvedRun | None, collection: Collection | None
) -> tuple[dict[int, int], dict[str, int]]:
    """Return how many elements have each depth and each tag."""
    depths: Counter[int] = Counter()
    tags: Counter[str] = Counter()
    elements = run.path[run.kind == Kind.ELEMENT]
    for number, count in enumerate(np.bincount(elements, minlength=len(run.paths)).tolist()):
        if count:
            try:
                steps = parse_path(run.paths[number][0])
            except SyntaxProblem:
                continue  # such an element does not exist, which checking the run says
            depths[len(steps)] += count
            tags[steps[-1].tag] += count
    documents = run.kind == Kind.DOCUMENT
    if documents.any():
        depths[1] += int(documents.sum())
    if resolved is not None and collection is not None:
        tags.update(_root_tags(resolved.node[documents], collection))
    by_count = sorted(tags.items(), key=lambda item: (-item[1], item[0]))
    return dict(sorted(depths.items())), dict(by_count)


def _root_tags(nodes: Ints, collection: Collection) -> dict[str, int]:
    summary = collection.summary
    tag = summary.tag_of[collection.nodes.path[nodes[nodes >= 0]]]
    counts = np.bincount(tag, minlength=len(summary.tags))
    return {summary.tags[number]: int(counts[number]) for number in np.flatnonzero(counts)}
