"""Checking a run against a task: each check finds all problems of its kind, in file order.

The checks work on the columns of the run (see Run), sorted so that conflicting results are
neighbours. Messages are only made for actual problems. An article here is a document together with
its results for one topic.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, last_true
from doxeval.documents import NO_PARENT, PathPatterns, SummaryBuilder, parse_path
from doxeval.errors import SyntaxProblem
from doxeval.messages import plural, short_path, truncate
from doxeval.runs import (
    Kind,
    ResolvedRun,
    Run,
    resolve_without_collection,
    subtree_spans,
    unit_kinds,
    unit_numbers,
)
from doxeval.tasks.task import MAX_RESULTS, Task

Severity = Literal["error", "warning"]
# For these kinds of problems a repair moves results; for all others it drops them.
SPLIT_TOPIC = "split topic"
INTERLEAVED = "interleaved"


def problems_of(
    run: Run,
    task: Task,
    *,
    resolved: ResolvedRun | None = None,
    topics: Collection[str] | None = None,
    targets: Mapping[str, str] | None = None,
) -> list[Problem]:
    """Return all problems of a run, the most serious kinds first.

    With a resolved run, references are checked and results overlap if they share text; without
    one, overlap is found from offsets and paths alone. `topics` are the known topics. `targets`
    has, by topic, the path pattern that results must match if the task is strict about targets.

    >>> from doxeval.runs import Result, Run
    >>> from doxeval.tasks import TASKS
    >>> passages = [(0, 9), (5, 20)]
    >>> run = Run.from_results([Result("1", "a", Kind.PASSAGE, *each) for each in passages])
    >>> [problem.message for problem in problems_of(run, TASKS["focused"])]
    ['lines 1 and 2 overlap in document a']
    """
    problems = list(_split_topics(run))
    if topics is not None:
        problems += _unknown_topics(run, topics)
    if resolved is not None:
        problems += _unresolved(run, resolved)
    problems += [*_duplicates(run), *_too_many(run, task)]
    if not task.may_overlap:
        problems += _overlaps(run, resolved)
    if task.only_elements:
        problems += _not_of_kind(run, task, "element", (Kind.ELEMENT, Kind.DOCUMENT))
    if task.only_documents:
        problems += _not_of_kind(run, task, "document", (Kind.DOCUMENT,))
    if task.only_passages:
        problems += _not_of_kind(run, task, "passage", (Kind.PASSAGE,))
    if task.strict_target:
        problems += _off_target(run, targets or {})
    if task.together:
        problems += _interleaved(run)
    if task.one_per_article:
        problems += _second_results(run)
    if run.rank is not None:
        problems += _disorder(run, "rank", "does not rise", run.rank, np.diff(run.rank) <= 0)
    if run.score is not None:
        problems += _disorder(run, "score", "rises", run.score, np.diff(run.score) > 0)
    return problems


def by_kind(problems: Iterable[Problem]) -> list[ProblemKind]:
    """Return problems grouped by kind, in the order in which the kinds first occur.

    >>> problems = [Problem(kind, "error", "7", (), "") for kind in ("overlap", "rank", "overlap")]
    >>> [str(kind) for kind in by_kind(problems)]
    ['overlap: 2 in topic 7', 'rank: 1 in topic 7']
    """
    groups: dict[tuple[str, Severity], list[Problem]] = {}
    for problem in problems:
        groups.setdefault((problem.kind, problem.severity), []).append(problem)
    return [ProblemKind(kind, severity, tuple(same)) for (kind, severity), same in groups.items()]


@dataclass(frozen=True)
class Problem:
    """One problem: its kind, its lines in the file, and a message.

    rows are the rows of the run that a repair drops or moves.

    >>> Problem("duplicate", "error", "7", (3, 9), "line 9 repeats line 3", (8,)).as_dict()["lines"]
    [3, 9]
    """

    kind: str
    severity: Severity
    topic: str
    lines: tuple[int, ...]
    message: str
    rows: tuple[int, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the problem as plain values, for JSON."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "topic": self.topic,
            "lines": list(self.lines),
            "message": self.message,
        }


@dataclass(frozen=True)
class ProblemKind:
    """All problems of one kind.

    >>> overlap = Problem("overlap", "error", "7", (1, 2), "lines 1 and 2 overlap")
    >>> str(ProblemKind("overlap", "error", (overlap, overlap)))
    'overlap: 2 in topic 7'
    """

    kind: str
    severity: Severity
    problems: tuple[Problem, ...]

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics with such problems."""
        return tuple(dict.fromkeys(problem.topic for problem in self.problems))

    def __str__(self) -> str:
        topics = self.topics
        where = f"topic {truncate(topics[0])}" if len(topics) == 1 else f"{len(topics):,} topics"
        return f"{self.kind}: {len(self.problems):,} in {where}"


def _places(run: Run, *rows: Sequence[int] | Ints) -> Iterator[tuple[int, str, tuple[int, ...]]]:
    """Yield problems that are each about one or more rows: the last row, the topic, all lines."""
    columns = [np.asarray(column, dtype=np.int64) for column in rows]
    topics = (run.topics[number] for number in run.topic[columns[-1]].tolist())
    lines = zip(*(run.line[column].tolist() for column in columns), strict=True)
    return zip(columns[-1].tolist(), topics, lines, strict=True)


def _document(run: Run, row: int) -> str:
    """Return the document of a row, as messages show it."""
    return f"document {truncate(run.documents[int(run.document[row])])}"


# Topics and references


def _split_topics(run: Run) -> Iterator[Problem]:
    """Find topics that come back after another one."""
    begins = np.flatnonzero(np.diff(run.topic, prepend=-1))
    ends = np.append(begins[1:], len(run)) - 1
    last_end: dict[int, int] = {}
    split: list[tuple[int, int, int]] = []
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=False):  # no begin, but one end
        number = int(run.topic[begin])
        if number in last_end:
            split.append((last_end[number], begin, end))
        last_end[number] = end
    for _, topic, lines in _places(run, *np.array(split, dtype=np.int64).reshape(-1, 3).T):
        message = (
            f"topic {truncate(topic)} ends on line {lines[0]} and comes back on lines "
            f"{lines[1]}–{lines[2]}"
        )
        yield Problem(SPLIT_TOPIC, "error", topic, lines, message)


def _unknown_topics(run: Run, topics: Collection[str]) -> Iterator[Problem]:
    for number, topic in enumerate(run.topics):
        if topic not in topics:
            rows = np.flatnonzero(run.topic == number)
            line = int(run.line[rows[0]])
            results = plural(len(rows), "result")
            message = f"unknown topic {truncate(topic)} ({results}, the first on line {line})"
            yield Problem("unknown topic", "warning", topic, (line,), message, tuple(rows.tolist()))


def _unresolved(run: Run, resolved: ResolvedRun) -> Iterator[Problem]:
    for row, line, reason in resolved.unresolved:
        topic = run.topics[int(run.topic[row])]
        yield Problem("unresolved", "error", topic, (line,), f"line {line}: {reason}", (row,))


# Duplicates and overlap


def _units(run: Run) -> tuple[Ints, ...]:
    """Return the columns in which two duplicates of one topic and document agree."""
    return unit_kinds(run), unit_numbers(run), run.start, run.end


def _duplicates(run: Run) -> Iterator[Problem]:
    """Find results that repeat an earlier one: the same part of a document for the same topic."""
    first = first_rows(run.topic, run.document, *_units(run))
    rows = np.flatnonzero(first != np.arange(len(run)))
    for row, topic, lines in _places(run, first[rows], rows):
        message = f"line {lines[1]} repeats line {lines[0]}"
        yield Problem("duplicate", "error", topic, lines, message, (row,))


def _too_many(run: Run, task: Task) -> Iterator[Problem]:
    for number, topic in enumerate(run.topics):
        rows = np.flatnonzero(run.topic == number)
        if len(rows) > task.most_results:
            over = rows[task.most_results :]
            line = int(run.line[over[0]])
            message = (
                f"topic {truncate(topic)} has {len(rows)} results, {len(over)} more than "
                f"{task.most_results}, from line {line} on"
            )
            yield Problem(
                "too many results", "error", topic, (line,), message, tuple(over.tolist())
            )


def _overlaps(run: Run, resolved: ResolvedRun | None) -> Iterator[Problem]:
    """Find results that share text with an earlier result of the same document.

    A repair drops a result that overlaps an earlier one that is kept. A result that overlaps only
    dropped ones is reported as well, for those who repair the run by hand and may drop other lines.
    """
    units = _units(run)
    for rows, start, end in _comparable_ranges(run, resolved):
        pairs = [
            (first, second, is_dropped)
            for first, second, is_dropped in _overlapping(run, rows, start, end)
            if any(column[first] != column[second] for column in units)  # or it is a duplicate
        ]
        earlier, later, dropped = np.array(pairs, dtype=np.int64).reshape(-1, 3).T
        places = _places(run, earlier, later)
        for (row, topic, lines), is_dropped in zip(places, dropped.tolist(), strict=True):
            message = f"lines {lines[0]} and {lines[1]} overlap in {_document(run, row)}"
            yield Problem("overlap", "error", topic, lines, message, (row,) if is_dropped else ())


def _overlapping(run: Run, rows: Ints, start: Ints, end: Ints) -> Iterator[tuple[int, int, bool]]:
    """Yield each row that overlaps an earlier one: the earlier row, the row, if it is dropped.

    Only the first 1500 dropped rows of an article are remembered; more results than that are an
    error anyway.
    """
    kept_in: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    dropped_in: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for row, begin, after in zip(rows.tolist(), start.tolist(), end.tolist(), strict=True):
        article = (int(run.topic[row]), int(run.document[row]))
        kept, dropped = kept_in.setdefault(article, []), dropped_in.setdefault(article, [])
        at = bisect_left(kept, (begin, after))
        # Kept rows do not overlap each other, so only the nearest ones can overlap this range.
        near = [
            other for other in kept[max(at - 2, 0) : at + 2] if _share_text((begin, after), other)
        ]
        if near:
            yield min(earlier for _, _, earlier in near), row, True
            if len(dropped) < MAX_RESULTS:
                dropped.append((begin, after, row))
            continue
        kept.insert(at, (begin, after, row))
        other = next((other for other in dropped if _share_text((begin, after), other)), None)
        if other is not None:
            yield other[2], row, False


def _share_text(span: tuple[int, int], other: tuple[int, int, int]) -> bool:
    """Return whether two spans overlap; an empty span overlaps another only strictly inside it."""
    (begin, after), (other_begin, other_after, _) = span, other
    if begin == after:
        return other_begin < begin < other_after
    if other_begin == other_after:
        return begin < other_begin < after
    return begin < other_after and other_begin < after


def _comparable_ranges(run: Run, resolved: ResolvedRun | None) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Yield rows whose ranges can be compared: of text, or of paths in document order."""
    if resolved is not None:
        rows = np.flatnonzero((resolved.start >= 0) & (run.kind != Kind.POINT))
        yield _spans_of_rows(rows, resolved)
        return
    is_text = (run.kind == Kind.PASSAGE) | (run.kind == Kind.SPANS)
    yield _spans_of_rows(
        np.flatnonzero((run.start >= 0) & is_text), resolve_without_collection(run)
    )
    elements = np.flatnonzero((run.kind == Kind.ELEMENT) | (run.kind == Kind.DOCUMENT))
    # A range of numbers for each path, which holds those of all paths below; the last is for -1,
    # a whole document.
    start, end = subtree_spans([*(paths[0] for paths in run.paths), ""])
    path = run.path[elements]
    yield elements, start[path], end[path]


def _spans_of_rows(rows: Ints, resolved: ResolvedRun) -> tuple[Ints, Ints, Ints]:
    """Return rows with their spans, a row once for each of its spans."""
    which, start, end = resolved.pieces(rows)
    return rows[which], start, end


# Kinds and targets

_KINDS_IN_WORDS = {
    Kind.DOCUMENT: "a whole document",
    Kind.PASSAGE: "a passage",
    Kind.POINT: "an entry point",
    Kind.TREE: "a tree",
    Kind.SPANS: "several ranges of text",
}


def _not_of_kind(run: Run, task: Task, expected: str, kinds: tuple[Kind, ...]) -> Iterator[Problem]:
    """Find results of other kinds than a task allows, such as passages instead of elements."""
    for row, topic, lines in _places(run, np.flatnonzero(~np.isin(run.kind, kinds))):
        result = _with_article(Kind(int(run.kind[row])).name.lower())
        message = f"line {lines[0]} is {result}, and results of {task.name} are {expected}s"
        kind = f"not {_with_article(expected)}"
        yield Problem(kind, "warning", topic, lines, message, (row,))


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _off_target(run: Run, targets: Mapping[str, str]) -> Iterator[Problem]:
    """Find results that do not match the target of their topic.

    A whole document is its root, whose tag is not known here: it is off target if the target lies
    below other elements. Passages, entry points and trees are not elements and match nothing.
    """
    builder = SummaryBuilder()
    summary_path_of = [_summary_path(builder, paths[0]) for paths in run.paths]
    summary = builder.finish()
    for number, topic in enumerate(run.topics):
        if topic not in targets:
            continue
        patterns = PathPatterns.parse(targets[topic])
        matches = np.append(patterns.matches(summary), False)
        may_be_root = any(len(pattern.steps) == 1 for pattern in patterns.patterns)
        for row in np.flatnonzero(run.topic == number).tolist():
            kind = Kind(int(run.kind[row]))
            if kind == Kind.ELEMENT:
                is_on_target = matches[summary_path_of[int(run.path[row])]]
            else:
                is_on_target = kind == Kind.DOCUMENT and may_be_root
            if not is_on_target:
                line = int(run.line[row])
                what = _KINDS_IN_WORDS.get(kind) or run.result(row).paths[0]
                message = f"line {line}: {what} is not a {short_path(targets[topic])}"
                yield Problem("off target", "error", topic, (line,), message, (row,))


def _summary_path(builder: SummaryBuilder, path: str) -> int:
    """Return the number of a path in the summary; -1 if it does not parse."""
    number = NO_PARENT
    try:
        for tag, _ in parse_path(path):
            number = builder.child(number, builder.tag(tag))
    except SyntaxProblem:
        return -1
    return number


# Articles


def first_rows(*columns: Ints) -> Ints:
    """Return for each row the first row that has the same values in all columns.

    >>> topic, document = np.array([0, 0, 0, 1]), np.array([5, 6, 5, 5])
    >>> first_rows(topic, document).tolist()
    [0, 1, 0, 3]
    """
    order = np.lexsort(columns[::-1])
    is_new = np.zeros(len(order), dtype=np.bool_)
    is_new[:1] = True
    for column in columns:
        is_new[1:] |= np.diff(column[order]) != 0
    first = np.empty(len(order), dtype=np.int64)
    first[order] = order[last_true(is_new)]
    return first


def coming_back(topic: Ints, document: Ints) -> Bools:
    """Return which rows come back to an article after results of another article.

    >>> coming_back(np.array([0, 0, 0, 0]), np.array([5, 6, 5, 6])).tolist()
    [False, False, True, False]
    """
    first = first_rows(topic, document)
    order = np.argsort(topic, kind="stable")
    begins = first == np.arange(len(first))
    # Within a topic, a row must belong to the article that began last.
    current = np.empty(len(first), dtype=np.int64)
    current[order] = order[last_true(begins[order])]
    return np.asarray(first != current, dtype=np.bool_)


def _interleaved(run: Run) -> Iterator[Problem]:
    """Find results that come back to an article after results of another article."""
    rows = np.flatnonzero(coming_back(run.topic, run.document))
    first = first_rows(run.topic, run.document)
    others = np.delete(np.arange(len(run)), rows)
    last = np.zeros(len(run), dtype=np.int64)
    last[first[others]] = others  # the last result of each article before another one began
    for row, topic, lines in _places(run, last[first[rows]], rows):
        message = f"{_document(run, row)} comes back on line {lines[1]} after line {lines[0]}"
        yield Problem(INTERLEAVED, "error", topic, lines, message, (row,))


def _second_results(run: Run) -> Iterator[Problem]:
    """Find results after the first one of an article."""
    first = first_rows(run.topic, run.document)
    rows = np.flatnonzero(first != np.arange(len(run)))
    for row, topic, lines in _places(run, first[rows], rows):
        message = (
            f"line {lines[1]} is a second result for {_document(run, row)}, after line {lines[0]}"
        )
        yield Problem("second result", "error", topic, lines, message, (row,))


# Order


def _disorder(
    run: Run, what: str, how: str, values: Ints | Floats, is_wrong: Bools
) -> Iterator[Problem]:
    """Find neighbours in one topic between which ranks do not rise, or scores do."""
    rows = np.flatnonzero(is_wrong & (np.diff(run.topic) == 0))
    for row, topic, lines in _places(run, rows, rows + 1):
        before, value = values[row - 1].item(), values[row].item()
        message = (
            f"the {what} {how} from line {lines[0]} ({before!r}) to line {lines[1]} "
            f"({value!r}); the order of the lines counts"
        )
        yield Problem(f"{what} order", "warning", topic, lines, message)
