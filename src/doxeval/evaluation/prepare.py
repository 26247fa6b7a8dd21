"""From a run to what measures see: assessed topics only, in ranking order, each result once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges
from doxeval.assessments.assessed_elements import AssessedElements
from doxeval.documents import Collection
from doxeval.documents.options import Offsets, Whitespace
from doxeval.documents.trees import Trees
from doxeval.errors import InputError, MissingInput, UnknownReference
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking
from doxeval.runs import Kind, ResolvedRun, Run, resolve
from doxeval.runs.run import Order
from doxeval.runs.spelling import kinds_of_places, numbered_places

OnUnresolved = Literal["error", "irrelevant"]
_SHOWN = 20
_MIX = np.uint64(0x9E3779B97F4A7C15)
_ODD = np.array(
    [
        0x9E3779B97F4A7C15,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0x27D4EB2F165667C5,
        0xD6E8FEB86659FD93,
        0xFF51AFD7ED558CCD,
    ],
    dtype=np.uint64,
)
_SOME_BITS = (1 << 20) - 1


@dataclass(frozen=True)
class Reading:
    """How runs are read: what ranks them, what offsets count, what becomes of bad references."""

    order: Order = "list"
    offsets: Offsets = "characters"
    whitespace: Whitespace | None = None
    unresolved: OnUnresolved = "error"
    ends: bool = False


class Prepared(NamedTuple):
    """A run that is ready for measures, the kinds of its results, and what to say about it."""

    ranking: Ranking
    kinds: frozenset[Kind]
    warnings: list[str]


class _Places(NamedTuple):
    """Where results are: pair, node, range; and what tells them apart within a document."""

    pair: Ints
    node: Ints
    start: Ints
    end: Ints
    identity: Ints
    trees: Callable[[], Trees]

    def rows(self, rows: Ints) -> _Places:
        """Only some of the results."""
        return _Places(
            self.pair[rows],
            self.node[rows],
            self.start[rows],
            self.end[rows],
            self.identity[rows],
            lambda: self.trees().rows(rows),
        )


def prepare(run: Run, truth: GroundTruth, reading: Reading) -> Prepared:
    """Make a run ready.

    >>> from doxeval.assessments import Assessments, Judgment
    >>> from doxeval.runs.builder import run_of
    >>> from doxeval.runs.run import Result
    >>> truth = GroundTruth.of(Assessments([Judgment("7", "a", ((0, 9),), document_length=20)]))
    >>> results = [Result("7", "a", Kind.PASSAGE, 5, 15), Result("7", "a", Kind.PASSAGE, 5, 15)]
    >>> prepared = prepare(run_of(results), truth, Reading())
    >>> prepared.ranking.relevant.tolist(), prepared.warnings
    ([4], ['1 duplicate was left out, the first on line 2'])
    """
    warnings = [*run.warnings, *_disagreements(run, reading.order)]
    run, topic = _assessed(_ordered(run, reading.order), truth, warnings)
    places = _places(run, topic, truth, reading, warnings)
    level = _levels(run, topic, reading.order)
    kept = _without_duplicates(run, topic, places, warnings)
    if kept is not None:
        run, topic, level = run.rows(kept), topic[kept], level[kept]
        places = places.rows(kept)
    ranking = Ranking(
        truth,
        topic,
        places.pair,
        places.node,
        places.start,
        places.end,
        level,
        lambda: run.document,
        _Finder(run, topic, places.node),
        places.trees,
    )
    return Prepared(ranking, _kinds(run), warnings)


def _disagreements(run: Run, order: Order) -> Iterator[str]:
    """Ranks and scores that say otherwise than the list, which is what counts."""
    if order != "list" or len(run) < 2:
        return
    same_topic = run.topic[1:] == run.topic[:-1]
    told: list[tuple[str, Bools]] = []
    if run.rank is not None:
        told.append(("ranks do not rise", run.rank[1:] <= run.rank[:-1]))
    if run.score is not None:
        told.append(("scores rise", run.score[1:] > run.score[:-1]))
    for what, is_wrong in told:
        against = np.flatnonzero(is_wrong & same_topic)
        if len(against):
            line = int(run.line[against[0] + 1])
            yield (
                f"{what} down the list in {len(against):,} places, the first on line {line}; the "
                "list is the ranking, unless --order says otherwise"
            )


def _kinds(run: Run) -> frozenset[Kind]:
    present = np.bincount(run.kind, minlength=len(Kind)) if len(run) else np.zeros(len(Kind))
    return frozenset(kind for kind in Kind if present[kind])


def _ordered(run: Run, order: Order) -> Run:
    try:
        return run.ordered(order)
    except ValueError as error:
        raise InputError(str(error), run.origin) from None


def _assessed(run: Run, truth: GroundTruth, warnings: list[str]) -> tuple[Run, Ints]:
    """The results of assessed topics, sorted by topic, and the topic of each."""
    places = {topic: place for place, topic in enumerate(truth.topics)}
    found = np.array([places.get(topic, -1) for topic in run.topics] + [-1], dtype=np.int64)
    unknown = [topic for topic, place in zip(run.topics, found.tolist(), strict=False) if place < 0]
    if unknown:
        what = "1 topic is" if len(unknown) == 1 else f"{len(unknown)} topics are"
        warnings.append(f"{what} not assessed and ignored: {', '.join(unknown[:10])}")
    topic = found[run.topic]
    steps = np.diff(topic)
    if not unknown and (steps >= 0).all():
        return run, topic
    rows = np.flatnonzero(topic >= 0)
    rows = rows[np.argsort(topic[rows], kind="stable")]
    split = _split_topics(topic, truth)
    if split:
        warnings.append(f"topics in several separate blocks: {', '.join(split[:10])}")
    return run.rows(rows), topic[rows]


def _split_topics(topic: Ints, truth: GroundTruth) -> list[str]:
    blocks = topic[np.append(True, np.diff(topic) != 0)] if len(topic) else topic
    names, counts = np.unique(blocks[blocks >= 0], return_counts=True)
    return [truth.topics[name] for name in names[counts > 1].tolist()]


def _levels(run: Run, topic: Ints, order: Order) -> Ints:
    """Tie levels: equal values of what the run is ordered by; else each result its own."""
    if order == "list":
        return np.arange(len(run))
    column = run.rank if order == "rank" else run.score
    if column is None or not len(run):
        return np.arange(len(run))
    return np.cumsum(np.append(True, (np.diff(column) != 0) | (np.diff(topic) != 0))) - 1


# Places


def _places(
    run: Run, topic: Ints, truth: GroundTruth, reading: Reading, warnings: list[str]
) -> _Places:
    if truth.collection is not None:
        return _in_collection(run, topic, truth, reading, warnings)
    if reading.offsets == "bytes":
        raise InputError("offsets in bytes can only be converted with the collection", run.origin)
    return _by_names(run, topic, truth, reading, warnings)


def _in_collection(
    run: Run, topic: Ints, truth: GroundTruth, reading: Reading, warnings: list[str]
) -> _Places:
    collection = truth.known_collection
    resolved = resolve(run, collection, offsets=reading.offsets, whitespace=reading.whitespace)
    bad = np.array([one.row for one in resolved.unresolved], dtype=np.int64)
    start, end = resolved.start.copy(), resolved.end.copy()
    _tell_unresolved(
        run, [(one.line, one.reason) for one in resolved.unresolved], reading.unresolved, warnings
    )
    start[bad] = 0
    end[bad] = np.maximum(run.end[bad] - run.start[bad], 0)
    identity = np.where(resolved.node >= 0, -1 - resolved.node, 0)
    trees = np.flatnonzero(run.kind == Kind.TREE)
    if len(trees):
        identity[trees] = numbered_places(run)[trees]
    identity[bad] = _unlike(bad)
    pair = truth.pairs_of(topic, resolved.document)
    return _Places(pair, resolved.node, start, end, identity, _trees(resolved, collection))


def _by_names(
    run: Run, topic: Ints, truth: GroundTruth, reading: Reading, warnings: list[str]
) -> _Places:
    """Without a collection: the documents are those that were truth, and passages are known."""
    document = run.document_labels.find(truth.documents)
    pair = truth.find_pairs(topic, document)
    start, end = run.start, np.where(run.kind == Kind.POINT, run.start, run.end)
    whole = np.flatnonzero(run.kind == Kind.DOCUMENT)
    if len(whole):
        start, end = start.copy(), end.copy()
        start[whole] = 0
        end[whole] = np.where(pair[whole] < 0, -1, truth.length[pair[whole]])
    judged_rows = np.flatnonzero(pair >= 0)
    length = truth.length[pair[judged_rows]]
    beyond = judged_rows[(length >= 0) & (end[judged_rows] > length)]
    if len(beyond):
        told = [
            (
                int(run.line[row]),
                f"{_given(run, row)} is not inside the document's "
                f"{truth.length[pair[row]]:,} characters",
            )
            for row in beyond.tolist()
        ]
        _tell_unresolved(run, told, reading.unresolved, warnings)
        pair[beyond] = -1
    nothing = np.full(len(run), -1, dtype=np.int64)
    identity = numbered_places(run) if (run.place >= 0).any() else np.zeros(len(run), np.int64)
    return _Places(pair, nothing, start, end, identity, _no_trees)


def _trees(resolved: ResolvedRun, collection: Collection) -> Callable[[], Trees]:
    """What each result is as a tree: its elements, or the innermost one around a passage."""

    def made() -> Trees:
        run = resolved.run
        node = resolved.node.copy()
        ranges = np.flatnonzero((run.kind == Kind.PASSAGE) | (run.kind == Kind.POINT))
        node[ranges] = collection.innermost(
            resolved.document[ranges], resolved.start[ranges], resolved.end[ranges]
        )
        counts = np.diff(resolved.tree_begin)
        single = np.flatnonzero((counts == 0) & (node >= 0))
        counts = counts.copy()
        counts[single] = 1
        begin = np.append(0, np.cumsum(counts))
        nodes = np.empty(int(begin[-1]), dtype=np.int64)
        nodes[begin[single]] = node[single]
        trees = np.flatnonzero(np.diff(resolved.tree_begin) > 0)
        places = concatenated_ranges(begin[trees], counts[trees])
        nodes[places] = resolved.tree_nodes
        return Trees(nodes, begin)

    return made


def _given(run: Run, row: int) -> str:
    if run.kind[row] == Kind.POINT:
        return f"offset {run.start[row]:,}"
    return f"[{run.start[row]:,}, {run.end[row]:,})"


def _unlike(rows: Ints) -> Ints:
    """Numbers that no element and no place has: what does not resolve is like nothing else."""
    return -(1 << 60) - rows


def _no_trees() -> Trees:
    raise MissingInput("what results have in common as trees is known to the collection alone")


def _tell_unresolved(
    run: Run,
    unresolved: list[tuple[int, str]],
    what_then: OnUnresolved,
    warnings: list[str],
) -> None:
    """All references that name nothing: an error, or a warning if they are to be kept."""
    if not unresolved:
        return
    lines = [str(InputError(reason, run.origin, line)) for line, reason in unresolved[:_SHOWN]]
    if len(unresolved) > _SHOWN:
        lines.append(f"… and {len(unresolved) - _SHOWN:,} more")
    count = f"{len(unresolved):,} result{'s do' if len(unresolved) > 1 else ' does'} not resolve"
    if what_then == "error":
        hint = "--unresolved irrelevant keeps such results as not relevant"
        raise UnknownReference("\n  ".join([f"{count}; {hint}", *lines]))
    warnings.append(f"{count} and count as not relevant, the first: {lines[0]}")


# Duplicates


def _without_duplicates(run: Run, topic: Ints, places: _Places, warnings: list[str]) -> Ints | None:
    """The rows that stay if later duplicates go; None if there are none."""
    kind = kinds_of_places(run)
    by_range = (kind == Kind.PASSAGE) | (kind == Kind.POINT)
    start, end = np.where(by_range, places.start, 0), np.where(by_range, places.end, 0)
    suspects = _suspects(run, topic, start, end, places.identity, kind)
    if not len(suspects):
        return None
    again = _repeated(suspects, (topic, run.document, kind, start, end, places.identity))
    if not again:
        return None
    stays: Bools = np.ones(len(run), dtype=np.bool_)
    stays[again] = False
    count = "1 duplicate was" if len(again) == 1 else f"{len(again):,} duplicates were"
    warnings.append(f"{count} left out, the first on line {run.line[again[0]]}")
    return np.flatnonzero(stays)


def _suspects(run: Run, topic: Ints, *columns: Ints) -> Ints:
    """The rows that may have a duplicate: those whose keys are not unique.

    Keys are first counted by some of their bits: only where these are the same are they compared.
    """
    key = run.document_labels.keys().view(np.uint64) * _MIX
    for number, column in enumerate((topic, *columns)):
        if column.any():  # each in its own way, so that no two make up for each other
            key += column.view(np.uint64) * _ODD[number]
    key ^= key >> np.uint64(29)
    bits = key.astype(np.int64) & _SOME_BITS
    rows = np.flatnonzero(np.bincount(bits, minlength=_SOME_BITS + 1)[bits] > 1)
    own = key[rows]
    in_order = np.sort(own)
    twice = in_order[1:][in_order[1:] == in_order[:-1]]
    return rows[np.isin(own, twice)] if len(twice) else rows[:0]


def _repeated(rows: Ints, columns: tuple[Ints, ...]) -> list[int]:
    seen: set[tuple[int, ...]] = set()
    again = []
    for row, *values in zip(rows.tolist(), *(c[rows].tolist() for c in columns), strict=True):
        if tuple(values) in seen:
            again.append(row)
        seen.add(tuple(values))
    return again


# Elements


class _Finder:
    """Finds results among assessed elements: by node in a collection, by path without one."""

    def __init__(self, run: Run, topic: Ints, node: Ints) -> None:
        self._run = run
        self._topic = topic
        self._node = node
        # Asked for by several measures; elements cannot be keys, but they live as long as we do.
        self._known: dict[int, Ints] = {}

    def __call__(self, elements: AssessedElements) -> Ints:
        if id(elements) not in self._known:
            self._known[id(elements)] = self._find(elements)
        return self._known[id(elements)]

    def _find(self, elements: AssessedElements) -> Ints:
        if elements.forest is None:
            return elements.find(self._topic, self._node)
        topics = [elements.topics[topic] for topic in self._topic.tolist()]
        names = [self._run.documents[document] for document in self._run.document.tolist()]
        documents = elements.forest.find_documents(list(zip(topics, names, strict=True)))
        places = [*(place[0] for place in self._run.places), ""]
        paths = [places[place] for place in self._run.place.tolist()]
        node = elements.forest.find_nodes(documents, paths)
        whole = self._run.kind == Kind.DOCUMENT
        if whole.any():
            node[whole] = elements.forest.find_roots(documents[whole])
        return elements.find(self._topic, node)
