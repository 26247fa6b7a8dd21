"""The order of a run's results: as listed, or by rank or score; and which results are tied.

The part of a run that is about assessed topics.

Where the results of a run are: resolved against the collection, or as the run states it.

Results that a run returns more than once for a topic: only the first of them gains anything.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints, repeated_rows
from doxeval.errors import InputError
from doxeval.evaluation.inputs import RunOptions
from doxeval.measures import GroundTruth, Ranking
from doxeval.messages import Parameter, join_names, plural
from doxeval.runs import (
    Kind,
    Order,
    ResolvedRun,
    Run,
    Unresolved,
    numbered_paths,
    numbered_spans,
    numbered_units,
    resolve,
    stated,
    unit_kinds,
)


def orderable(run: Run, options: RunOptions) -> tuple[RunOptions, tuple[str, ...]]:
    """The options with an order that the run can be put in, and a warning if it is another one."""
    has_column = {"list": True, "rank": run.rank is not None, "rsv": run.score is not None}
    if has_column[options.order] or not options.list_if_unordered or not len(run):
        return options, ()
    return replace(options, order="list"), (f"there is no {options.order}: ranked as listed",)


def ordered(run: Run, order: Order) -> Run:
    """The run in the order asked for; a run without ranks or scores to sort by is an error."""
    try:
        return run.ordered(order)
    except ValueError as error:
        raise InputError(str(error), run.origin) from None


def tie_levels(run: Run, topic: Ints, order: Order) -> Ints:
    """A number for each result, the same for results of a topic that are tied.

    Results are tied if they are sorted by a rank or score that they share; in a list, none are.
    """
    column = {"list": None, "rank": run.rank, "rsv": run.score}[order]
    if column is None or not len(run):
        return np.arange(len(run))
    return np.cumsum(np.append(True, (np.diff(column) != 0) | (np.diff(topic) != 0))) - 1


class Against(NamedTuple):
    """Ranks or scores that contradict the list: what they do, how often, and where first."""

    what: str
    times: int
    line: int

    def told(self) -> str:
        """A warning; the list is the ranking."""
        return (
            f"{self.what} down the list {_times(self.times)}, first on line {self.line}; the list "
            "is the ranking, unless another order is asked for"
        )


def contradictions(run: Run, order: Order) -> tuple[Against, ...]:
    """How ranks and scores contradict the list, if that is the ranking."""
    if order != "list" or len(run) < 2:
        return ()
    same_topic = run.topic[1:] == run.topic[:-1]
    checks: list[tuple[str, Bools]] = []
    if run.rank is not None:
        checks.append(("ranks do not rise", run.rank[1:] <= run.rank[:-1]))
    if run.score is not None:
        checks.append(("scores rise", run.score[1:] > run.score[:-1]))
    wrong = [(what, np.flatnonzero(is_wrong & same_topic)) for what, is_wrong in checks]
    return tuple(
        Against(what, len(rows), int(run.line[rows[0] + 1])) for what, rows in wrong if len(rows)
    )


class Ties(NamedTuple):
    """How many documents share their score with another one of their topic, in how many topics."""

    documents: int = 0
    topics: int = 0

    def about(self, order: Order) -> tuple[str, ...]:
        """A warning, if there are any, that says how they are ranked.

        >>> Ties(3, 1).about("list")
        ('3 documents in 1 topic share their score with another one: they are ranked as listed, \
trec_eval would rank them by document id',)
        """
        if not self.documents:
            return ()
        where = f"{plural(self.documents, 'document')} in {plural(self.topics, 'topic')}"
        how = "by their ranks" if order == "rank" else "as listed"
        return (
            f"{where} share their score with another one: they are ranked {how}, trec_eval would "
            "rank them by document id",
        )


def ties_in(articles: Ranking) -> Ties:
    """The tied documents of a ranking of documents; none where there are no scores."""
    score, topic = articles.resolved.run.score, articles.topic
    if score is None or len(topic) < 2:
        return Ties()
    if ((score[1:] > score[:-1]) & (topic[1:] == topic[:-1])).any():  # else ties are neighbours
        order = np.lexsort((score, topic))
        score, topic = score[order], topic[order]
    same = (score[1:] == score[:-1]) & (topic[1:] == topic[:-1])
    is_tied = np.append(same, False) | np.append(False, same)
    tied = topic[is_tied]
    return Ties(len(tied), len(np.unique(tied)))


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


class AssessedPart(NamedTuple):
    """Results of assessed topics, sorted by topic, and each one's topic by number.

    unknown: the topics that are not assessed. split: the numbers of topics whose results stand in
    several separate places of the run.
    """

    run: Run
    topic: Ints
    unknown: tuple[str, ...]
    split: tuple[int, ...]


def assessed_part(run: Run, numbers: Mapping[str, int]) -> AssessedPart:
    """The results of a run that belong to assessed topics, given the numbers of these.

    >>> from doxeval.runs import run_of
    >>> from doxeval.runs.run import Result
    >>> part = assessed_part(run_of([Result("8", "a"), Result("7", "b")]), {"7": 0})
    >>> len(part.run), part.topic.tolist(), part.unknown
    (1, [0], ('8',))
    """
    found = np.array([numbers.get(topic, -1) for topic in run.topics] + [-1], dtype=np.int64)
    topic = found[run.topic]
    unknown = tuple(name for name in run.topics if name not in numbers)
    if not unknown and (np.diff(topic) >= 0).all():
        return AssessedPart(run, topic, (), ())
    rows = np.flatnonzero(topic >= 0)
    rows = rows[np.argsort(topic[rows], kind="stable")]
    return AssessedPart(run.rows(rows), topic[rows], unknown, _split_topics(topic))


def _split_topics(topic: Ints) -> tuple[int, ...]:
    """The topics whose results stand in more than one place."""
    places = topic[np.append(True, np.diff(topic) != 0)] if len(topic) else topic
    numbers, counts = np.unique(places[places >= 0], return_counts=True)
    return tuple(numbers[counts > 1].tolist())


def about_unknown(unknown: Sequence[str]) -> tuple[str, ...]:
    """A warning about topics of a run that are not assessed, if there are any.

    >>> about_unknown(["8"])
    ('1 topic of the run is not assessed and is ignored: 8',)
    """
    if not unknown:
        return ()
    few = "1 topic of the run is not assessed and is ignored"
    many = f"{len(unknown):,} topics of the run are not assessed and are ignored"
    return (f"{few if len(unknown) == 1 else many}: {join_names(unknown)}",)


def about_split(split: Sequence[int], topics: Sequence[str]) -> tuple[str, ...]:
    """A warning about topics in several separate places, if there are any.

    >>> about_split([0], ["7", "8"])
    ('topics in several separate blocks: 7',)
    """
    if not split:
        return ()
    return (f"topics in several separate blocks: {join_names([topics[one] for one in split])}",)


def about_missing(has_results: Bools, topics: Sequence[str], average_over: str) -> tuple[str, ...]:
    """A warning about assessed topics for which a run has no results, if there are any."""
    missing = [topics[number] for number in np.flatnonzero(~has_results).tolist()]
    if not missing:
        return ()
    outcome = "are left out" if average_over == "retrieved" else "count as empty lists"
    return (
        f"no results for {len(missing):,} of {len(topics):,} assessed topics, which {outcome}: "
        f"{join_names(missing)}",
    )


class PlacedRun(NamedTuple):
    """Results that were looked up, and each one's judged pair (-1: not judged).

    unresolved: the rows of results that name nothing; they are kept as not relevant.
    problems: why they do not resolve.
    """

    resolved: ResolvedRun
    pair: Ints
    unresolved: Ints
    in_collection: bool
    problems: Sequence[Unresolved]


def placed(run: Run, topic: Ints, truth: GroundTruth, options: RunOptions) -> PlacedRun:
    """Find every result: in the collection if there is one, else among the judged documents."""
    if truth.collection is not None:
        return _in_collection(run, topic, truth, options)
    if options.offsets == "bytes":
        raise InputError("offsets in bytes can only be converted with the collection", run.origin)
    return _among_judged(run, topic, truth)


def _in_collection(run: Run, topic: Ints, truth: GroundTruth, options: RunOptions) -> PlacedRun:
    resolved = resolve(
        run, truth.known_collection, offsets=options.offsets, whitespace=options.whitespace
    )
    bad = np.array([one.row for one in resolved.unresolved], dtype=np.int64)
    if len(bad):  # what they state about their sizes is still read by the user
        start, end = resolved.start.copy(), resolved.end.copy()
        start[bad] = 0
        end[bad] = np.maximum(stated(run).sizes[bad], 0)
        resolved = replace(resolved, start=start, end=end)
    pair = truth.pairs_of(topic, resolved.document)
    return PlacedRun(resolved, pair, bad, True, resolved.unresolved)


def _among_judged(run: Run, topic: Ints, truth: GroundTruth) -> PlacedRun:
    """Without a collection, only judged documents have known lengths."""
    pair = truth.find_pairs(topic, run.document_labels.find(truth.document_index))
    resolved = stated(run)
    whole = np.flatnonzero(run.kind == Kind.DOCUMENT)
    if len(whole):
        start, end = resolved.start.copy(), resolved.end.copy()
        start[whole] = 0
        end[whole] = np.where(pair[whole] < 0, -1, truth.length[pair[whole]])
        resolved = replace(resolved, start=start, end=end)
    judged = np.flatnonzero(pair >= 0)
    length = truth.length[pair[judged]]
    bad = judged[(length >= 0) & (_ends(resolved, judged) > length)]
    problems = [_beyond_the_end(run, row, truth.length[pair[row]]) for row in bad.tolist()]
    pair[bad] = -1
    return PlacedRun(resolved, pair, bad, False, problems)


def _ends(resolved: ResolvedRun, rows: Ints) -> Ints:
    """Where the last range of each result ends."""
    end = resolved.end[rows]
    if resolved.spans is not None:
        last = resolved.spans.begin[1:][rows] - 1
        end = np.where(resolved.spans.counts[rows] > 0, resolved.spans.end[last], end)
    return end


def _beyond_the_end(run: Run, row: int, length: int) -> Unresolved:
    start, end = run.start[row], run.end[row]
    if run.spans is not None and run.spans.counts[row]:
        start, end = (column[run.spans.begin[row + 1] - 1] for column in run.spans[1:])
    given = f"[{start:,}, {end:,})"
    if run.kind[row] == Kind.POINT:
        given = f"offset {run.start[row]:,}"
    reason = f"{given} is not inside the document's {length:,} characters"
    return Unresolved(row, int(run.line[row]), reason)


# Numbers below this belong to unresolved results; no element or path has one.
_FAR_BELOW = -(1 << 60)


def repeats_in(placed: PlacedRun, topic: Ints) -> Bools | None:
    """Whether each result is a duplicate of an earlier result of its topic; None if none is.

    Passages and entry points are the same if their ranges are, all of them, elements and trees if
    their nodes are, and a document is the same as its root. Unresolved results never count as
    duplicates of each other.
    """
    run = placed.resolved.run
    kind = unit_kinds(run)
    by_range = (kind == Kind.PASSAGE) | (kind == Kind.POINT) | (kind == Kind.SPANS)
    start = np.where(by_range, placed.resolved.start, 0)
    end = np.where(by_range, placed.resolved.end, 0)
    unit = (kind, start, end, _units(placed))
    again = repeated_rows(topic, run.document_labels.keys(), *unit)
    if len(again):  # documents by their keys are almost surely told apart, by numbers surely
        again = repeated_rows(topic, run.document, *unit)
    if not len(again):
        return None
    is_repeat = np.zeros(len(run), dtype=np.bool_)
    is_repeat[again] = True
    return is_repeat


def about_repeats(count: int, line: int, policies: Collection[str]) -> str:
    """A warning about duplicates, by what measures do with them: drop, keep, or both.

    >>> about_repeats(1, 7, {"drop"})
    '1 duplicate was left out, the first on line 7'
    """
    if len(set(policies)) > 1:
        what = "1 duplicate counts" if count == 1 else f"{count:,} duplicates count"
        others = "is" if count == 1 else "are"
        return (
            f"{what} as read by measures of chunks and {others} left out by the others, the first "
            f"on line {line}; "
            + Parameter("duplicates", "keep")
            + " or drop treats all measures alike"
        )
    if "drop" in policies:
        what = "1 duplicate was" if count == 1 else f"{count:,} duplicates were"
        return f"{what} left out, the first on line {line}"
    what = "1 duplicate keeps its rank" if count == 1 else f"{count:,} duplicates keep their ranks"
    return f"{what} without gain, the first on line {line}"


def _units(placed: PlacedRun) -> Ints:
    """A number for each result's node, paths or ranges; for an unresolved result one of its own."""
    run, node = placed.resolved.run, placed.resolved.node
    if placed.in_collection:
        found = numbered_spans(run)
        found = np.where(node >= 0, -1 - node, found)
        trees = np.flatnonzero(run.kind == Kind.TREE)
        if len(trees):
            found[trees] = numbered_paths(run)[trees]
        found[placed.unresolved] = _FAR_BELOW - placed.unresolved
        return found
    if (run.path >= 0).any():
        return numbered_units(run)
    return numbered_spans(run)
