"""Checks of a run against a task. Each finds all problems of its kind, in the order of the file.

All of them work on the numbers of the run (see Run), sorted so that what may clash are neighbours;
a problem is put into words only where there is one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents.paths import format_path, parse_path
from doxeval.documents.patterns import PathPattern
from doxeval.documents.summary import NO_PARENT, SummaryBuilder
from doxeval.errors import SyntaxProblem
from doxeval.runs import Kind, ResolvedRun, Run
from doxeval.tasks.problems import Problem
from doxeval.tasks.task import Task


def problems_of(
    run: Run,
    task: Task,
    *,
    resolved: ResolvedRun | None = None,
    topics: Collection[str] | None = None,
    targets: Mapping[str, str] | None = None,
) -> list[Problem]:
    """All problems of a run, most serious kind first.

    With a resolved run, references are checked and overlap is that of text; without, overlap is
    found from offsets and paths alone. `topics` are those that there are; `targets` give for a
    topic the path pattern that its results must have if the task is strict about it.

    >>> from doxeval.runs.builder import run_of
    >>> from doxeval.runs.run import Result
    >>> from doxeval.tasks.task import TASKS
    >>> run = run_of([Result("1", "a", Kind.PASSAGE, 0, 9), Result("1", "a", Kind.PASSAGE, 5, 20)])
    >>> [problem.message for problem in problems_of(run, TASKS["focused"])]
    ['lines 1 and 2 overlap in document a']
    """
    found = [
        *_split_topics(run),
        *_unknown_topics(run, topics),
        *_unresolved(run, resolved),
        *_duplicates(run),
        *_too_many(run, task),
    ]
    if not task.may_overlap:
        found += _overlaps(run, resolved)
    if task.strict_target:
        found += _off_target(run, targets or {})
    if task.together:
        found += _interleaved(run)
    if task.one_per_article:
        found += _second_results(run)
    return [*found, *_ranks(run), *_scores(run)]


def _split_topics(run: Run) -> Iterator[Problem]:
    """Topics that come back after another one."""
    begins = np.flatnonzero(np.diff(run.topic, prepend=-1))
    ends = np.append(begins[1:], len(run)) - 1
    last_end: dict[int, int] = {}
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        number = int(run.topic[begin])
        if number in last_end:
            before, here, until = (int(run.line[row]) for row in (last_end[number], begin, end))
            topic = run.topics[number]
            message = f"topic {topic} ends on line {before} and comes back on lines {here}–{until}"
            yield Problem("split topic", "error", topic, (before, here, until), message)
        last_end[number] = end


def _unknown_topics(run: Run, topics: Collection[str] | None) -> Iterator[Problem]:
    if topics is None:
        return
    for number, topic in enumerate(run.topics):
        if topic not in topics:
            rows = np.flatnonzero(run.topic == number)
            line = int(run.line[rows[0]])
            message = f"topic {topic} is not known ({len(rows)} results, the first on line {line})"
            yield Problem("unknown topic", "warning", topic, (line,), message, tuple(rows.tolist()))


def _unresolved(run: Run, resolved: ResolvedRun | None) -> Iterator[Problem]:
    for row, line, reason in () if resolved is None else resolved.unresolved:
        message = f"line {line}: {reason}"
        yield Problem("unresolved", "error", _topic(run, row), (line,), message, (row,))


def _duplicates(run: Run) -> Iterator[Problem]:
    """Results that were there before: the same unit of the same document for the same topic."""
    same_place = _canonical_places(run)
    columns = (run.topic, run.document, run.kind, same_place, run.start, run.end)
    order = np.lexsort(columns[::-1])
    same = np.ones(len(run), dtype=np.bool_)
    same[:1] = False
    for column in columns:
        same[1:] &= np.diff(column[order]) == 0
    first = np.maximum.accumulate(np.where(same, 0, np.arange(len(run))))
    pairs = [(int(order[at]), int(order[first[at]])) for at in np.flatnonzero(same).tolist()]
    for row, earlier in sorted(pairs):
        lines = (int(run.line[earlier]), int(run.line[row]))
        message = f"line {lines[1]} repeats line {lines[0]}"
        yield Problem("duplicate", "error", _topic(run, row), lines, message, (row,))


def _canonical_places(run: Run) -> Ints:
    """The places of results, numbered so that other spellings of a path have the same number."""
    numbers: dict[tuple[str, ...], int] = {}
    canonical = [
        numbers.setdefault(tuple(map(_spelt, place)), len(numbers)) for place in run.places
    ]
    return np.array([*canonical, -1], dtype=np.int64)[run.place]


def _spelt(path: str) -> str:
    try:
        return format_path(parse_path(path))
    except SyntaxProblem:
        return path


def _too_many(run: Run, task: Task) -> Iterator[Problem]:
    for number, topic in enumerate(run.topics):
        rows = np.flatnonzero(run.topic == number)
        if len(rows) > task.most_results:
            over = rows[task.most_results :]
            line = int(run.line[over[0]])
            message = (
                f"topic {topic} has {len(rows)} results, {len(over)} more than "
                f"{task.most_results}, from line {line} on"
            )
            yield Problem(
                "too many results", "error", topic, (line,), message, tuple(over.tolist())
            )


def _overlaps(run: Run, resolved: ResolvedRun | None) -> Iterator[Problem]:
    """Results that share text with an earlier line of the same document."""
    for rows, start, end in _comparable(run, resolved):
        order = np.lexsort((-end, start, run.document[rows], run.topic[rows]))
        pairs = _overlapping(order, rows, start, end, run)
        for first, second in sorted((min(pair), max(pair)) for pair in pairs):
            if _same_unit(run, first, second):
                continue  # reported as a duplicate
            lines = (int(run.line[first]), int(run.line[second]))
            document = run.documents[int(run.document[second])]
            message = f"lines {lines[0]} and {lines[1]} overlap in document {document}"
            yield Problem("overlap", "error", _topic(run, second), lines, message, (second,))


def _overlapping(
    order: Ints, rows: Ints, start: Ints, end: Ints, run: Run
) -> Iterator[tuple[int, int]]:
    """Pairs of rows that overlap, each row with the range before it that reaches furthest."""
    group = None
    reach, reach_start, holder = -1, -1, -1
    for at in order.tolist():
        row = int(rows[at])
        begin, after = int(start[at]), int(end[at])
        own_group = (int(run.topic[row]), int(run.document[row]))
        if own_group != group:
            group, reach = own_group, -1
        # An empty range overlaps only what it is strictly inside of.
        if begin < reach and (after > begin or begin > reach_start):
            yield holder, row
        if after > reach:
            reach, reach_start, holder = after, begin, row


def _comparable(run: Run, resolved: ResolvedRun | None) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Rows with ranges that can be compared with each other: of text, or of places in a tree."""
    if resolved is not None:
        rows = np.flatnonzero((resolved.start >= 0) & (run.kind != Kind.POINT))
        yield rows, resolved.start[rows], resolved.end[rows]
        return
    in_characters = np.flatnonzero((run.start >= 0) & (run.kind == Kind.PASSAGE))
    yield in_characters, run.start[in_characters], run.end[in_characters]
    elements = np.flatnonzero((run.kind == Kind.ELEMENT) | (run.kind == Kind.DOCUMENT))
    start, end = _ranges_of_paths(run, elements)
    yield elements, start, end


def _ranges_of_paths(run: Run, rows: Ints) -> tuple[Ints, Ints]:
    """Numbers for paths such that a path's range holds those of all paths below it."""
    places = run.place[rows]
    paths = {
        number: "" if number < 0 else _spelt(run.places[number][0])
        for number in np.unique(places).tolist()
    }
    # With a character behind each step that sorts first, everything below a path follows it.
    keys = sorted({path.replace("/", "\x00") + "\x00" for path in paths.values()})
    place_of = {key: at for at, key in enumerate(keys)}
    ends = {key: _end_of(keys, at) for at, key in enumerate(keys)}
    key_of = {number: path.replace("/", "\x00") + "\x00" for number, path in paths.items()}
    start = np.array([place_of[key_of[n]] for n in places.tolist()], dtype=np.int64)
    end = np.array([ends[key_of[n]] for n in places.tolist()], dtype=np.int64)
    return start, end


def _end_of(keys: list[str], at: int) -> int:
    """The place after the last key that begins with the key at `at`."""
    return bisect_left(keys, keys[at][:-1] + "\x01", at)


def _off_target(run: Run, targets: Mapping[str, str]) -> Iterator[Problem]:
    """Elements that are not of the kind that the topic asks for."""
    builder = SummaryBuilder()
    path_of_place = [_summary_path(builder, place) for place in run.places]
    summary = builder.finish()
    for number, topic in enumerate(run.topics):
        if topic not in targets:
            continue
        fits = np.append(PathPattern.parse(targets[topic]).matches(summary), False)
        for row in np.flatnonzero((run.topic == number) & (run.kind == Kind.ELEMENT)).tolist():
            if not fits[path_of_place[int(run.place[row])]]:
                line = int(run.line[row])
                message = f"line {line}: {run.result(row).place[0]} is not a {targets[topic]}"
                yield Problem("off target", "error", topic, (line,), message, (row,))


def _summary_path(builder: SummaryBuilder, place: tuple[str, ...]) -> int:
    """The place of an element's path in a summary of all of them; -1 for what is no path."""
    path = NO_PARENT
    try:
        for tag, _ in parse_path(place[0]):
            path = builder.child(path, builder.tag(tag))
    except SyntaxProblem:
        return -1
    return path


def _same_unit(run: Run, first: int, second: int) -> bool:
    return run.result(first)[:6] == run.result(second)[:6]


def _interleaved(run: Run) -> Iterator[Problem]:
    """Articles that come back after another one."""
    last: dict[tuple[int, int], int] = {}
    previous = None
    pairs = zip(run.topic.tolist(), run.document.tolist(), strict=True)
    for row, article in enumerate(pairs):
        if article != previous and article in last:
            lines = (int(run.line[last[article]]), int(run.line[row]))
            document = run.documents[article[1]]
            message = f"document {document} comes back on line {lines[1]} after line {lines[0]}"
            yield Problem("interleaved", "error", _topic(run, row), lines, message, (row,))
        else:
            last[article] = row
        previous = article


def _second_results(run: Run) -> Iterator[Problem]:
    """More than one result for an article."""
    first: dict[tuple[int, int], int] = {}
    for row, article in enumerate(zip(run.topic.tolist(), run.document.tolist(), strict=True)):
        if article in first:
            lines = (int(run.line[first[article]]), int(run.line[row]))
            document = run.documents[article[1]]
            message = (
                f"line {lines[1]} is a second result for document {document}, after line {lines[0]}"
            )
            yield Problem("second result", "error", _topic(run, row), lines, message, (row,))
        else:
            first[article] = row


def _ranks(run: Run) -> Iterator[Problem]:
    if run.rank is not None:
        yield from _disorder(run, np.diff(run.rank) <= 0, "rank", lambda r: str(run.result(r).rank))


def _scores(run: Run) -> Iterator[Problem]:
    if run.score is not None:
        wrong = np.diff(run.score) > 0
        yield from _disorder(run, wrong, "score", lambda r: repr(run.result(r).score))


def _disorder(
    run: Run,
    wrong: np.ndarray[tuple[int], np.dtype[np.bool_]],
    what: str,
    value: Callable[[int], str],
) -> Iterator[Problem]:
    """Neighbours of one topic whose ranks do not rise, or whose scores do."""
    how = "does not rise" if what == "rank" else "rises"
    for row in np.flatnonzero(wrong & (np.diff(run.topic) == 0)).tolist():
        lines = (int(run.line[row]), int(run.line[row + 1]))
        message = (
            f"the {what} {how} from line {lines[0]} ({value(row)}) to line {lines[1]} "
            f"({value(row + 1)}); the order of the lines counts"
        )
        yield Problem(f"{what} order", "warning", _topic(run, row), lines, message)


def _topic(run: Run, row: int) -> str:
    return run.topics[int(run.topic[row])]
