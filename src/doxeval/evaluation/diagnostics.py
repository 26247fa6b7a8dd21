"""What is noticed about a run while it is scored, and the warnings that users get about it.

Every block of a run gives its diagnostics, which name lines and topics of the run. Those of all
blocks together are those of the run. Only then are warnings made of them, so that users are warned
once, in the same words, however the run was divided.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools
from doxeval.errors import InputError, UnknownReference
from doxeval.evaluation.inputs import AverageOver, RunOptions
from doxeval.measures import Measure, Ranking
from doxeval.messages import Parameter, join_names, plural
from doxeval.runs import Kind, Order
from doxeval.scores import JUDGED_DEPTH, JudgedSummary
from doxeval.storage import foreign_code

MOST_SHOWN = 20  # results that an error about unresolved ones lists


class ResultLine(NamedTuple):
    """A result, by the number of its topic and its line; and what is wrong with it, if anything."""

    topic: int
    line: int
    reason: str = ""


class ResultLines(NamedTuple):
    """How many results have something in common, and the first of them, in the order of topics."""

    total: int = 0
    first: tuple[ResultLine, ...] = ()

    @classmethod
    def joined(cls, parts: Sequence[ResultLines]) -> ResultLines:
        """Join parts that have no topic in common."""
        first = sorted(chain.from_iterable(part.first for part in parts), key=lambda at: at.topic)
        return cls(sum(part.total for part in parts), tuple(first[:MOST_SHOWN]))

    def shifted(self, lines: int) -> ResultLines:
        """Return the same so many lines further down in the file."""
        return self._replace(first=tuple(at._replace(line=at.line + lines) for at in self.first))


class OrderConflict(NamedTuple):
    """Ranks or scores that contradict the list: what they do, how often, and where first."""

    what: str
    times: int
    line: int

    @property
    def message(self) -> str:
        """The warning: the list is the ranking."""
        times = "once" if self.times == 1 else f"{self.times:,} times"
        return (
            f"{self.what} down the list {times}, first on line {self.line}; the list is the "
            "ranking, unless another order is asked for"
        )


class DocumentTies(NamedTuple):
    """How many documents share their score with another one of their topic, in how many topics."""

    documents: int = 0
    topics: int = 0

    def warnings(self, order: Order) -> tuple[str, ...]:
        """Return a warning that says how they are ranked, if there are any.

        >>> DocumentTies(3, 1).warnings("list")
        ('3 documents in 1 topic share their score with another one: they are ranked as listed, \
trec_eval would rank them by document id',)
        """
        if not self.documents or order == "trec":
            return ()
        where = f"{plural(self.documents, 'document')} in {plural(self.topics, 'topic')}"
        how = "by their ranks" if order == "rank" else "as listed"
        return (
            f"{where} share their score with another one: they are ranked {how}, trec_eval would "
            "rank them by document id",
        )


# Shares of up to ten documents in whole numbers: sums do not depend on how a run is divided.
_WHOLE_SHARE = math.lcm(*range(1, JUDGED_DEPTH + 1))


class JudgedDocuments(NamedTuple):
    """How many documents were judged: topics with results, and sums over these.

    shares: of the judged share of the first documents, each times `_WHOLE_SHARE`. documents,
    unjudged: of all documents, and of those that were not judged.
    """

    topics: int = 0
    shares: int = 0
    documents: int = 0
    unjudged: int = 0

    @classmethod
    def of(cls, articles: Ranking) -> JudgedDocuments:
        """Count the documents of a ranking of documents.

        Where the assessments list only relevant documents, nothing says what was judged.
        """
        truth = articles.truth
        if truth.is_relevant.all():
            return cls()
        is_judged = (articles.pair >= 0) & (truth.grade[articles.pair] >= 0)
        first = np.flatnonzero(articles.rank <= JUDGED_DEPTH)
        judged = np.bincount(articles.topic[first][is_judged[first]], minlength=len(truth.topics))
        some = np.flatnonzero(articles.counts)
        parts = _WHOLE_SHARE // np.minimum(articles.counts[some], JUDGED_DEPTH)
        unjudged = int(np.count_nonzero(~is_judged))
        return cls(len(some), int((judged[some] * parts).sum()), len(articles), unjudged)

    @property
    def share(self) -> JudgedSummary | None:
        """How much of the run was judged; None if that is not known."""
        if not self.topics:
            return None
        first = self.shares / (_WHOLE_SHARE * self.topics)
        return JudgedSummary(first, self.documents, self.unjudged)


class RunDiagnostics(NamedTuple):
    """What was noticed about a run, or about a block of it.

    kinds: of its results. unknown_starts, unknown_ends: whether it is unknown where some result
    begins or ends. order: what its results are ordered by. unordered: a warning that it has no
    column to be ordered by, and is taken as listed. conflicts: ranks and scores that contradict the
    list. unassessed: topics that are not assessed. split: the numbers of topics in several places.
    unresolved, duplicates: results that name nothing, and those that were returned before. ties:
    documents with equal scores, for measures that rank documents. judged: how many documents were
    judged, if that was counted.
    """

    kinds: frozenset[Kind] = frozenset()
    unknown_starts: bool = False
    unknown_ends: bool = False
    order: Order = "list"
    unordered: tuple[str, ...] = ()
    conflicts: tuple[OrderConflict, ...] = ()
    unassessed: tuple[str, ...] = ()
    split: tuple[int, ...] = ()
    unresolved: ResultLines = ResultLines()
    duplicates: ResultLines = ResultLines()
    ties: DocumentTies = DocumentTies()
    judged: JudgedDocuments = JudgedDocuments()

    @classmethod
    def joined(cls, parts: Sequence[RunDiagnostics]) -> RunDiagnostics:
        """Join those of all blocks of a run, which have no assessed topic in common.

        >>> lines = [ResultLines(2, (ResultLine(topic, 7),)) for topic in (4, 1)]
        >>> joined = RunDiagnostics.joined([RunDiagnostics(duplicates=part) for part in lines])
        >>> joined.duplicates.total, joined.duplicates.first[0].topic
        (4, 1)
        """
        if len(parts) == 1:
            return parts[0]
        unordered = [part for part in parts if part.unordered]
        return cls(
            frozenset().union(*(part.kinds for part in parts)),
            any(part.unknown_starts for part in parts),
            any(part.unknown_ends for part in parts),
            (unordered or parts)[0].order,
            tuple(dict.fromkeys(chain.from_iterable(part.unordered for part in parts))),
            _joined_conflicts(chain.from_iterable(part.conflicts for part in parts)),
            tuple(dict.fromkeys(chain.from_iterable(part.unassessed for part in parts))),
            tuple(sorted(chain.from_iterable(part.split for part in parts))),
            ResultLines.joined([part.unresolved for part in parts]),
            ResultLines.joined([part.duplicates for part in parts]),
            DocumentTies(
                sum(part.ties.documents for part in parts), sum(part.ties.topics for part in parts)
            ),
            JudgedDocuments(*map(sum, zip(*(part.judged for part in parts), strict=True))),
        )

    def shifted(self, lines: int) -> RunDiagnostics:
        """Return the same so many lines further down in the file."""
        return self._replace(
            conflicts=tuple(
                conflict._replace(line=conflict.line + lines) for conflict in self.conflicts
            ),
            unresolved=self.unresolved.shifted(lines),
            duplicates=self.duplicates.shifted(lines),
        )

    def messages(
        self,
        topics: Sequence[str],
        options: RunOptions,
        policies: Collection[str],
        origin: str | None,
    ) -> tuple[str, ...]:
        """Return the warnings; unresolved results are an error, unless the options allow them.

        policies: what the measures do with duplicates, if the options leave it to them.
        """
        policies = policies if options.duplicates == "auto" else {options.duplicates}
        return (
            *self.unordered,
            *(conflict.message for conflict in self.conflicts),
            *self.ties.warnings(self.order),
            *_unassessed_warnings(self.unassessed),
            *_split_warnings([topics[number] for number in self.split]),
            *_unresolved_warnings(self.unresolved, options, origin),
            *_duplicate_warnings(self.duplicates, policies),
        )


def _joined_conflicts(conflicts: Iterable[OrderConflict]) -> tuple[OrderConflict, ...]:
    """Join conflicts of the same kind; ranks come before scores, as in each block."""
    by_kind: dict[str, list[OrderConflict]] = {}
    for conflict in conflicts:
        by_kind.setdefault(conflict.what, []).append(conflict)
    return tuple(
        OrderConflict(what, sum(c.times for c in same), min(c.line for c in same))
        for what, same in sorted(by_kind.items())
    )


def _unassessed_warnings(topics: Sequence[str]) -> Iterator[str]:
    """Yield a warning about topics that are not assessed, if there are any.

    >>> list(_unassessed_warnings(["8"]))
    ['1 topic of the run is not assessed and is ignored: 8']
    """
    if topics:
        few = "1 topic of the run is not assessed and is ignored"
        many = f"{len(topics):,} topics of the run are not assessed and are ignored"
        yield f"{few if len(topics) == 1 else many}: {join_names(topics)}"


def _split_warnings(topics: Sequence[str]) -> Iterator[str]:
    if topics:
        yield f"topics in several separate blocks: {join_names(topics)}"


def _unresolved_warnings(
    unresolved: ResultLines, options: RunOptions, origin: str | None
) -> Iterator[str]:
    """Yield a warning about results that name nothing; or raise it, as the options say."""
    count = unresolved.total
    if not count:
        return
    lines = [str(InputError(at.reason, origin, at.line)) for at in unresolved.first]
    if count > len(lines):
        lines.append(f"… and {count - len(lines):,} more")
    what = f"{count:,} result{' does' if count == 1 else 's do'} not resolve"
    if options.unresolved == "error":
        policy = Parameter("unresolved", "irrelevant")
        message = f"{what}; " + policy + " keeps such results as not relevant"
        raise UnknownReference(message + "".join(f"\n  {line}" for line in lines))
    yield f"{what} and count as not relevant; the first: {lines[0]}"


def _duplicate_warnings(duplicates: ResultLines, policies: Collection[str]) -> Iterator[str]:
    """Yield a warning about duplicates, by what measures do with them: drop, keep, or both.

    >>> list(_duplicate_warnings(ResultLines(1, (ResultLine(0, 7),)), {"drop"}))
    ['1 duplicate was left out, the first on line 7']
    """
    count = duplicates.total
    if not count or not policies:
        return
    where = f"the first on line {duplicates.first[0].line}"
    if len(set(policies)) > 1:
        what = "1 duplicate counts" if count == 1 else f"{count:,} duplicates count"
        others = "is" if count == 1 else "are"
        yield (
            f"{what} as read by measures that keep them and {others} left out by the others, "
            f"{where}; " + Parameter("duplicates", "keep") + " or drop treats all measures alike"
        )
    elif "drop" in policies:
        what = "1 duplicate was" if count == 1 else f"{count:,} duplicates were"
        yield f"{what} left out, {where}"
    else:
        what = (
            "1 duplicate keeps its rank" if count == 1 else f"{count:,} duplicates keep their ranks"
        )
        yield f"{what} without gain, {where}"


def missing_topics_warnings(
    has_results: Bools, topics: Sequence[str], average_over: AverageOver
) -> Iterator[str]:
    """Yield a warning about assessed topics for which a run has no results, if there are any."""
    missing = [topics[number] for number in np.flatnonzero(~has_results).tolist()]
    if missing:
        outcome = "are left out" if average_over == "retrieved" else "count as empty lists"
        yield (
            f"no results for {len(missing):,} of {len(topics):,} assessed topics, which {outcome}: "
            f"{join_names(missing)}"
        )


def same_file_warnings(run: str | None, assessments: Iterable[str]) -> Iterator[str]:
    """Yield a warning if the file of a run is one of the files of the assessments.

    >>> list(same_file_warnings("runs/a.run", ["runs/judged.jsonl"]))
    []
    """
    if run is None:
        return
    path = os.path.realpath(run)
    if any(os.path.realpath(file) == path for file in assessments):
        yield "this run is a file of the assessments: the answers themselves are scored"


class MeasureNotes(NamedTuple):
    """What a measure notes about a block: in how many topics, or in words of its own."""

    topics: int = 0
    words: tuple[str, ...] = ()

    @classmethod
    def of(cls, measure: Measure, ranking: Ranking) -> MeasureNotes:
        """Ask a measure; words are for measures of users, which may say what they like."""
        if type(measure).warnings is Measure.warnings:
            return cls(measure.concerns(ranking))
        return cls(words=tuple(measure.warnings(ranking)))


def measure_warnings(measure: Measure, notes: Sequence[MeasureNotes]) -> list[str]:
    """Return the warnings of a measure, from its notes about all blocks of a run."""
    with foreign_code(measure):
        warnings = measure.about(sum(note.topics for note in notes))
    return [*warnings, *chain.from_iterable(note.words for note in notes)]
