"""From a run to the ranking that measures see, step by step:

    order          results as listed, or by rank or score; and which are tied
    topics         only assessed topics count
    resolution     where results are: in the collection, or as the run states it
    duplicates     only the first of several equal results of a topic gains anything

What is noticed on the way is part of the outcome, as diagnostics.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints, distinct, repeated_rows
from doxeval.errors import InputError
from doxeval.evaluation.diagnostics import (
    MOST_SHOWN,
    DocumentTies,
    OrderConflict,
    ResultLine,
    ResultLines,
    RunDiagnostics,
)
from doxeval.evaluation.inputs import RunOptions
from doxeval.measures import GroundTruth, Measure, Ranking
from doxeval.messages import plural
from doxeval.runs import (
    Kind,
    Order,
    ResolvedRun,
    Run,
    Unresolved,
    path_numbers,
    resolve,
    resolve_without_collection,
    span_numbers,
    unit_kinds,
    unit_numbers,
)

# Numbers below this belong to unresolved results; no element or path has one.
_FAR_BELOW = -(1 << 60)


class RunRanking(NamedTuple):
    """A run that is ready for measures, what was noticed about it, and warnings.

    with_repeats: the same with results that were returned before, for measures that count them.
    """

    ranking: Ranking
    with_repeats: Ranking
    diagnostics: RunDiagnostics
    warnings: tuple[str, ...] = ()

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of its results."""
        return self.diagnostics.kinds

    def seen_by(self, measure: Measure) -> Ranking:
        """Return the ranking as a measure takes it."""
        return self.with_repeats if measure.repeats == "keep" else self.ranking

    def __repr__(self) -> str:
        return f"RunRanking({self.ranking!r}, {plural(len(self.warnings), 'warning')})"


class RankedBy(NamedTuple):
    """What orders the results of a run: the list itself, their ranks, or their scores (rsv).

    is_required: whether a run without these is an error; otherwise it is taken as listed.
    """

    order: Order = "list"
    is_required: bool = True


def build_ranking(
    run: Run,
    truth: GroundTruth,
    options: RunOptions = RunOptions(),
    ranked_by: RankedBy = RankedBy(),
    policies: Collection[str] = ("drop",),
) -> RunRanking:
    """Order a run, keep what is about assessed topics, resolve its results, find duplicates.

    policies: what the measures do with duplicates if the options leave it to them.

    >>> from doxeval.assessments import Assessments, Judgment
    >>> from doxeval.runs import Result
    >>> truth = GroundTruth.of(Assessments([Judgment("7", "a", ((0, 9),), document_length=20)]))
    >>> run = Run.from_results([Result("7", "a", Kind.PASSAGE, 5, 15)] * 2)
    >>> ranking = build_ranking(run, truth)
    >>> ranking.ranking.relevant.tolist(), ranking.warnings
    ([4], ('1 duplicate was left out, the first on line 2',))
    """
    ranking = rank_block(run, truth, options, ranked_by, np.arange(len(truth.topics)))
    messages = ranking.diagnostics.messages(truth.topics, options, policies, run.origin)
    return ranking._replace(warnings=(*run.warnings, *messages))


def rank_block(
    run: Run, truth: GroundTruth, options: RunOptions, ranked_by: RankedBy, topics: Ints
) -> RunRanking:
    """Do the same for a block of a run: warnings and errors wait for the other blocks.

    topics: the numbers of the topics to score, to which all its results belong that are assessed.
    """
    order, unordered = _choose_order(run, ranked_by)
    results = select_assessed(_order_run(run, order), truth.topic_numbers)
    resolved = resolve_results(results.run, results.topic, truth, options)
    is_repeat = find_duplicates(resolved, results.topic)
    every = Ranking(
        truth=truth,
        topics=topics,
        topic=results.topic,
        pair=resolved.pair,
        resolved=_without_whitespace(resolved.resolved, truth),
        level=tie_levels(results.run, results.topic, order),
        is_repeat=is_repeat,
        are_documents=is_repeat is None
        and not len(resolved.unresolved)
        and bool((results.run.kind == Kind.DOCUMENT).all()),
    )
    once = every
    if is_repeat is not None and options.duplicates != "keep":
        once = every.rows(np.flatnonzero(~is_repeat))
    diagnostics = RunDiagnostics(
        _kinds(results.run),
        bool((once.start < 0).any()),
        bool((once.end < 0).any()),
        order,
        unordered,
        order_conflicts(run, order),
        results.unassessed,
        results.split,
        _unresolved_lines(results, resolved.problems),
        _duplicate_lines(results, is_repeat),
    )
    return RunRanking(once, once if options.duplicates == "drop" else every, diagnostics)


def _kinds(run: Run) -> frozenset[Kind]:
    present = np.bincount(run.kind, minlength=len(Kind)) if len(run) else np.zeros(len(Kind))
    return frozenset(kind for kind in Kind if present[kind])


def _without_whitespace(resolved: ResolvedRun, truth: GroundTruth) -> ResolvedRun:
    if not truth.ignore_whitespace:
        return resolved
    from doxeval.measures import NonSpaceOffsets

    return NonSpaceOffsets(truth.known_texts, strict=True).resolved(resolved)


# Order


def _choose_order(run: Run, ranked_by: RankedBy) -> tuple[Order, tuple[str, ...]]:
    """Return an order that the run can be put in, and a warning if it is not the usual one."""
    order, is_required = ranked_by
    column = {"rank": run.rank, "rsv": run.score, "trec": run.score}.get(order)
    if order == "list" or column is not None or is_required or not len(run):
        return order, ()
    return "list", (f"there is no {order}: ranked as listed",)


def _order_run(run: Run, order: Order) -> Run:
    try:
        return run.ordered(order)
    except ValueError as error:
        raise InputError(str(error), run.origin) from None


def tie_levels(run: Run, topic: Ints, order: Order) -> Ints:
    """Return a number for each result, the same for results of a topic that are tied.

    Results are tied if they are sorted by a rank or score that they share; in a list, and in the
    order of trec_eval, none are.
    """
    column = {"rank": run.rank, "rsv": run.score}.get(order)
    if column is None or not len(run):
        return np.arange(len(run))
    return np.cumsum(np.append(True, (np.diff(column) != 0) | (np.diff(topic) != 0))) - 1


def order_conflicts(run: Run, order: Order) -> tuple[OrderConflict, ...]:
    """Return how ranks and scores contradict the list, if that is the ranking.

    Runs of TREC Genomics are sorted when they are read: their format orders equal ranks.
    """
    if order != "list" or len(run) < 2:
        return ()
    same_topic = run.topic[1:] == run.topic[:-1]
    checks: list[tuple[str, Bools]] = []
    if run.rank is not None and run.facts.get("task") != "genomics":
        checks.append(("ranks do not rise", run.rank[1:] <= run.rank[:-1]))
    if run.score is not None:
        checks.append(("scores rise", run.score[1:] > run.score[:-1]))
    wrong = [(what, np.flatnonzero(is_wrong & same_topic)) for what, is_wrong in checks]
    return tuple(
        OrderConflict(what, len(rows), int(run.line[rows[0] + 1]))
        for what, rows in wrong
        if len(rows)
    )


def tied_documents(articles: Ranking) -> DocumentTies:
    """Count the tied documents of a ranking of documents; there are none without scores."""
    score, topic = articles.resolved.run.score, articles.topic
    if score is None or len(topic) < 2:
        return DocumentTies()
    if ((score[1:] > score[:-1]) & (topic[1:] == topic[:-1])).any():  # else ties are neighbours
        order = np.lexsort((score, topic))
        score, topic = score[order], topic[order]
    same = (score[1:] == score[:-1]) & (topic[1:] == topic[:-1])
    is_tied = np.append(same, False) | np.append(False, same)
    tied = topic[is_tied]
    return DocumentTies(len(tied), len(distinct(tied)))


# Topics


class AssessedResults(NamedTuple):
    """Results of assessed topics, sorted by topic, and the number of each one's topic.

    unassessed: the other topics of the run. split: the numbers of topics whose results stand in
    several separate places of the run.
    """

    run: Run
    topic: Ints
    unassessed: tuple[str, ...]
    split: tuple[int, ...]


def select_assessed(run: Run, numbers: Mapping[str, int]) -> AssessedResults:
    """Return the results of a run that belong to assessed topics, given the numbers of these.

    >>> from doxeval.runs import Result
    >>> run = Run.from_results([Result("8", "a"), Result("7", "b")])
    >>> results = select_assessed(run, {"7": 0})
    >>> len(results.run), results.topic.tolist(), results.unassessed
    (1, [0], ('8',))
    """
    number_of = np.array([numbers.get(topic, -1) for topic in run.topics] + [-1], dtype=np.int64)
    topic = number_of[run.topic]
    unassessed = tuple(name for name in run.topics if name not in numbers)
    if not unassessed and (np.diff(topic) >= 0).all():
        return AssessedResults(run, topic, (), ())
    rows = np.flatnonzero(topic >= 0)
    rows = rows[np.argsort(topic[rows], kind="stable")]
    return AssessedResults(run.rows(rows), topic[rows], unassessed, _split_topics(topic))


def _split_topics(topic: Ints) -> tuple[int, ...]:
    """Return the topics whose results stand in more than one place."""
    places = topic[np.append(True, np.diff(topic) != 0)] if len(topic) else topic
    numbers, counts = np.unique(places[places >= 0], return_counts=True)
    return tuple(numbers[counts > 1].tolist())


# Resolution


class ResolvedResults(NamedTuple):
    """Results that were looked up, and the judged pair of each (-1: not judged).

    unresolved: the rows of results that name nothing; they are kept as not relevant.
    problems: why they do not resolve.
    """

    resolved: ResolvedRun
    pair: Ints
    unresolved: Ints
    in_collection: bool
    problems: Sequence[Unresolved]


def resolve_results(
    run: Run, topic: Ints, truth: GroundTruth, options: RunOptions
) -> ResolvedResults:
    """Find every result: in the collection if there is one, else among the judged documents."""
    if truth.collection is not None:
        return _resolve_in_collection(run, topic, truth, options)
    if options.offsets == "bytes":
        raise InputError("offsets in bytes can only be converted with the collection", run.origin)
    return _find_judged(run, topic, truth)


def _resolve_in_collection(
    run: Run, topic: Ints, truth: GroundTruth, options: RunOptions
) -> ResolvedResults:
    resolved = resolve(
        run, truth.known_collection, offsets=options.offsets, whitespace=options.whitespace
    )
    bad = np.array([problem.row for problem in resolved.unresolved], dtype=np.int64)
    if len(bad):  # what they state about their sizes is still read by the user
        start, end = resolved.start.copy(), resolved.end.copy()
        start[bad] = 0
        end[bad] = np.maximum(resolve_without_collection(run).sizes[bad], 0)
        resolved = replace(resolved, start=start, end=end)
    pair = truth.pairs_of(topic, resolved.document)
    return ResolvedResults(resolved, pair, bad, True, resolved.unresolved)


def _find_judged(run: Run, topic: Ints, truth: GroundTruth) -> ResolvedResults:
    """Take results as the run states them: only judged documents have known lengths."""
    lengths = truth.assessments.columns.length  # in characters, whether or not white space counts
    pair = truth.find_pairs(topic, run.document_labels.find(truth.document_index))
    resolved = resolve_without_collection(run)
    whole = np.flatnonzero(run.kind == Kind.DOCUMENT)
    if len(whole):
        start, end = resolved.start.copy(), resolved.end.copy()
        start[whole] = 0
        end[whole] = np.where(pair[whole] < 0, -1, lengths[pair[whole]])
        resolved = replace(resolved, start=start, end=end)
    judged = np.flatnonzero(pair >= 0)
    length = lengths[pair[judged]]
    bad = judged[(length >= 0) & (_last_ends(resolved, judged) > length)]
    problems = [_beyond_the_end(run, row, lengths[pair[row]]) for row in bad.tolist()]
    pair[bad] = -1
    return ResolvedResults(resolved, pair, bad, False, problems)


def _last_ends(resolved: ResolvedRun, rows: Ints) -> Ints:
    """Return where the last span of each result ends."""
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


def _unresolved_lines(results: AssessedResults, problems: Sequence[Unresolved]) -> ResultLines:
    first = (
        ResultLine(int(results.topic[problem.row]), problem.line, problem.reason)
        for problem in problems[:MOST_SHOWN]
    )
    return ResultLines(len(problems), tuple(first))


# Duplicates


def find_duplicates(results: ResolvedResults, topic: Ints) -> Bools | None:
    """Return whether each result repeats an earlier result of its topic; None if none does.

    Passages and entry points are the same if their spans are, all of them, elements and trees if
    their nodes are, and a document is the same as its root. Unresolved results never count as
    duplicates of each other.
    """
    run = results.resolved.run
    kind = unit_kinds(run)
    by_span = (kind == Kind.PASSAGE) | (kind == Kind.POINT) | (kind == Kind.SPANS)
    start = np.where(by_span, results.resolved.start, 0)
    end = np.where(by_span, results.resolved.end, 0)
    what = (kind, start, end, _number_results(results))
    again = repeated_rows(topic, run.document_labels.keys(), *what)
    if len(again):  # keys of documents almost surely differ where documents do, numbers surely
        again = repeated_rows(topic, run.document, *what)
    if not len(again):
        return None
    is_repeat = np.zeros(len(run), dtype=np.bool_)
    is_repeat[again] = True
    return is_repeat


def _number_results(results: ResolvedResults) -> Ints:
    """Number the nodes, paths or spans of results; each unresolved result has its own number."""
    run, node = results.resolved.run, results.resolved.node
    if results.in_collection:
        numbers = np.where(node >= 0, -1 - node, span_numbers(run))
        trees = np.flatnonzero(run.kind == Kind.TREE)
        if len(trees):
            numbers[trees] = path_numbers(run)[trees]
        numbers[results.unresolved] = _FAR_BELOW - results.unresolved
        return numbers
    if (run.path >= 0).any():
        return unit_numbers(run)
    return span_numbers(run)


def _duplicate_lines(results: AssessedResults, is_repeat: Bools | None) -> ResultLines:
    if is_repeat is None:
        return ResultLines()
    row = int(np.argmax(is_repeat))
    first = ResultLine(int(results.topic[row]), int(results.run.line[row]))
    return ResultLines(int(is_repeat.sum()), (first,))
