"""Checks of a run against a task. Each finds all problems of its kind, in the order of the file.

They work on the columns of the run (see Run), sorted so that results that may clash stand next to
each other; words are found only for problems that are there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents.paths import parse_path
from doxeval.documents.patterns import PathPattern
from doxeval.documents.summary import NO_PARENT, SummaryBuilder
from doxeval.errors import SyntaxProblem
from doxeval.runs import Kind, ResolvedRun, Run
from doxeval.runs.spelling import kinds_of_places, numbered_places, spelt
from doxeval.tasks.articles import coming_back, first_rows
from doxeval.tasks.problems import INTERLEAVED, SPLIT_TOPIC, Problem
from doxeval.tasks.task import MOST_RESULTS, Task


def problems_of(
    run: Run,
    task: Task,
    *,
    resolved: ResolvedRun | None = None,
    topics: Collection[str] | None = None,
    targets: Mapping[str, str] | None = None,
) -> list[Problem]:
    """All problems of a run, most serious kind first.

    With a resolved run, references are checked and overlap is that of text; without one, overlap
    is found from offsets and paths alone. `topics` are the topics there are. `targets` give, by
    topic, the path pattern that results must match if the task is strict about it.

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
    if not len(run):
        return
    begins = np.flatnonzero(np.diff(run.topic, prepend=-1))
    ends = np.append(begins[1:], len(run)) - 1
    last_end: dict[int, int] = {}
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        number = int(run.topic[begin])
        if number in last_end:
            before, here, until = (int(run.line[row]) for row in (last_end[number], begin, end))
            topic = run.topics[number]
            message = f"topic {topic} ends on line {before} and comes back on lines {here}–{until}"
            yield Problem(SPLIT_TOPIC, "error", topic, (before, here, until), message)
        last_end[number] = end


def _unknown_topics(run: Run, topics: Collection[str] | None) -> Iterator[Problem]:
    if topics is None:
        return
    for number, topic in enumerate(run.topics):
        if topic not in topics:
            rows = np.flatnonzero(run.topic == number)
            line = int(run.line[rows[0]])
            results = f"{len(rows)} result{'' if len(rows) == 1 else 's'}"
            message = f"topic {topic} is not known ({results}, the first on line {line})"
            yield Problem("unknown topic", "warning", topic, (line,), message, tuple(rows.tolist()))


def _unresolved(run: Run, resolved: ResolvedRun | None) -> Iterator[Problem]:
    for row, line, reason in () if resolved is None else resolved.unresolved:
        message = f"line {line}: {reason}"
        yield Problem("unresolved", "error", _topic(run, row), (line,), message, (row,))


def _units(run: Run) -> tuple[Ints, ...]:
    """The columns by which results of one topic and document are duplicates."""
    return kinds_of_places(run), numbered_places(run), run.start, run.end


def _duplicates(run: Run) -> Iterator[Problem]:
    """Results that repeat an earlier one: the same unit of the same document for the same topic."""
    columns = (run.topic, run.document, *_units(run))
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
    """Results that share text with an earlier result of the same document.

    A repair drops a result that overlaps an earlier one which stays. A result that overlaps only
    dropped ones is reported as well: whoever repairs the run by hand may drop another line.
    """
    units = _units(run)
    for rows, start, end in _comparable(run, resolved):
        for first, second, goes in _clashes(run, rows, start, end):
            if all(column[first] == column[second] for column in units):
                continue  # reported as a duplicate
            lines = (int(run.line[first]), int(run.line[second]))
            document = run.documents[int(run.document[second])]
            message = f"lines {lines[0]} and {lines[1]} overlap in document {document}"
            dropped = (second,) if goes else ()
            yield Problem("overlap", "error", _topic(run, second), lines, message, dropped)


def _clashes(run: Run, rows: Ints, start: Ints, end: Ints) -> Iterator[tuple[int, int, bool]]:
    """Each row that overlaps an earlier one: the earlier row, the row, and whether it is dropped.

    The first 1500 dropped rows of a document are remembered; more results than that are an error
    anyway.
    """
    gone: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    kept: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for row, begin, after in zip(rows.tolist(), start.tolist(), end.tolist(), strict=True):
        article = (int(run.topic[row]), int(run.document[row]))
        stays, goes = kept.setdefault(article, []), gone.setdefault(article, [])
        at = bisect_left(stays, (begin, after))
        # Rows that stay do not overlap each other, so only the nearest ones can reach this range.
        near = [other for other in stays[max(at - 2, 0) : at + 2] if _share((begin, after), other)]
        if near:
            yield min(row_of for _, _, row_of in near), row, True
            if len(goes) < MOST_RESULTS:
                goes.append((begin, after, row))
            continue
        stays.insert(at, (begin, after, row))
        other = next((other for other in goes if _share((begin, after), other)), None)
        if other is not None:
            yield other[2], row, False


def _share(one: tuple[int, int], other: tuple[int, int, int]) -> bool:
    """Whether two ranges overlap; an empty one does only strictly inside the other."""
    (begin, after), (other_begin, other_after, _) = one, other
    if begin == after:
        return other_begin < begin < other_after
    if other_begin == other_after:
        return begin < other_begin < after
    return begin < other_after and other_begin < after


def _comparable(run: Run, resolved: ResolvedRun | None) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Rows with ranges that can be compared: ranges of text, or of positions in a tree."""
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
    """A range of numbers for each path, which includes the ranges of all paths below it."""
    places = run.place[rows]
    paths = {
        number: "" if number < 0 else spelt(run.places[number][0])
        for number in np.unique(places).tolist()
    }
    # Each step ends in the character that sorts first, so everything below a path follows it.
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
    """Elements that do not match the target of their topic."""
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
    """The number of an element's path in a summary of all of them; -1 if it is not a path."""
    path = NO_PARENT
    try:
        for tag, _ in parse_path(place[0]):
            path = builder.child(path, builder.tag(tag))
    except SyntaxProblem:
        return -1
    return path


def _interleaved(run: Run) -> Iterator[Problem]:
    """Results of articles that come back after another one."""
    rows = np.flatnonzero(coming_back(run.topic, run.document))
    if not len(rows):
        return
    first = first_rows(run.topic, run.document)
    others = np.delete(np.arange(len(run)), rows)
    last = np.zeros(len(run), dtype=np.int64)
    last[first[others]] = others  # of each article, the last result before it was left
    for row in rows.tolist():
        lines = (int(run.line[last[first[row]]]), int(run.line[row]))
        document = run.documents[int(run.document[row])]
        message = f"document {document} comes back on line {lines[1]} after line {lines[0]}"
        yield Problem(INTERLEAVED, "error", _topic(run, row), lines, message, (row,))


def _second_results(run: Run) -> Iterator[Problem]:
    """More than one result for an article."""
    first = first_rows(run.topic, run.document)
    for row in np.flatnonzero(first != np.arange(len(run))).tolist():
        lines = (int(run.line[first[row]]), int(run.line[row]))
        document = run.documents[int(run.document[row])]
        message = (
            f"line {lines[1]} is a second result for document {document}, after line {lines[0]}"
        )
        yield Problem("second result", "error", _topic(run, row), lines, message, (row,))


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
