"""The rules of judging: what an operation makes of a state, in each mode.

    2006   highlights and a best entry point
    2005   highlights, then the exhaustivity of the elements that they touch
    2003   exhaustivity and specificity of elements (2003–04)

A campaign has one mode from beginning to end.

Highlighting changes only what is at its place. A new highlight becomes one with those that it
overlaps or touches, and with its neighbours if only white space stands between: otherwise a
section that is highlighted paragraph by paragraph would never be highlighted as a whole. For the
same reason a highlight is not split where nothing but white space would come out of it. White
space alone is never a highlight.

"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from doxeval.arrays import Ints
from doxeval.assess.choices import Mode
from doxeval.assess.judging import mode2003, mode2005
from doxeval.assess.judging.article import NO_ROW, Article
from doxeval.assess.judging.operations import Operation
from doxeval.assess.judging.state import (
    MOST_COMMENTS,
    Grade,
    OperationRefused,
    Range,
    State,
    grade_from_json,
)
from doxeval.assessments import (
    Grades2005,
    contradictions_of_2003,
    contradictions_of_2005,
)
from doxeval.messages import quoted, short_path

Ranges: TypeAlias = tuple[Range, ...]
Rule = Callable[[Operation, State, Article, Mode], State]


def apply(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    """Return the state after an operation; OperationRefused explains why it is not allowed.

    Undoing and redoing take the history, which is not kept here: see `Change`.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<p>Low tide.</p>"}), "a")
    >>> highlight = Operation("1", 0, "highlight", start=4, end=8, quote="tide")
    >>> state = apply(highlight, State(), article, "2006")
    >>> state.highlights, problems(state, article, "2006")
    (((4, 8),), ('The best entry point is missing.',))
    >>> apply(Operation("2", 1, "validate"), state, article, "2006")
    Traceback (most recent call last):
        ...
    doxeval.assess.judging.state.OperationRefused: The best entry point is missing.
    """
    rule = _RULES.get(operation.kind)
    if rule is None:
        raise ValueError(f"{operation.kind} needs the history of the judgment")
    return rule(operation, state, article, mode)


def problems(state: State, article: Article, mode: Mode) -> tuple[str, ...]:
    """Return why the state cannot be validated, as sentences; none if it can."""
    if mode == "2005":
        return mode2005.unknown_problems(state, article)
    if mode == "2006" and (state.bep is None) == bool(state.highlights):
        if state.highlights:
            return ("The best entry point is missing.",)
        return ("There is a best entry point, but nothing is highlighted.",)
    return ()


def gradable(state: State, article: Article, mode: Mode) -> Ints:
    """Return the rows of the elements that can be graded.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<s><p>Low</p><p>High</p></s>"}), "a")
    >>> state = State(highlights=((3, 7),))
    >>> [gradable(state, article, mode).tolist() for mode in ("2006", "2005", "2003")]
    [[], [0, 2], [0, 1, 2]]
    """
    if mode == "2003":
        return np.arange(len(article))
    return np.flatnonzero(mode2005.touched(state.highlights, article) & (mode == "2005"))


def allowed(state: State, article: Article, mode: Mode, rows: Ints) -> list[tuple[Grade, ...]]:
    """Return the values that each of these elements may be graded with; others are refused.

    In mode 2003 they are the values of exhaustivity, and the same ones of specificity.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<s><p>Low</p><p>High</p></s>"}), "a")
    >>> allowed(State(highlights=((2, 7),)), article, "2005", np.array([0, 1]))
    [(2, 1), (2, 1, '?')]
    """
    if mode == "2005":
        return mode2005.allowed_grades(state, rows, article)
    return [tuple(range(mode2003.HIGHEST + 1)) if mode == "2003" else ()] * len(rows)


# Grades that contradict each other: shown to the assessor, never changed


def inconsistencies(state: State, article: Article, mode: Mode) -> tuple[tuple[str, str], ...]:
    """Return the path of each element with a contradiction, and a sentence about it.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<s><p>Low</p><p>High</p></s>"}), "a")
    >>> inconsistencies(State(grades={"/s[1]/p[2]": (2, 0)}), article, "2003")
    (('/s[1]/p[2]', '/s[1]/p[2] is (2,0)'),)
    """
    if not state.grades or mode == "2006":
        return ()
    if mode == "2003":
        of_2003, rows = mode2003.for_contradictions(state.grades, article)
        violations = contradictions_of_2003(of_2003, lambda row: article.path_of(int(rows[row])))
    else:
        levels = mode2005.levels_of(state.grades, article)
        is_graded = levels != mode2005.UNKNOWN
        rows = np.flatnonzero(is_graded)
        nearest = mode2003.nearest_graded(is_graded, article)[rows]
        of_2005 = Grades2005(
            levels[rows],
            np.where(nearest >= 0, np.searchsorted(rows, nearest), -1),
            mode2005.holds_passage(state.highlights, article)[rows],
            mode2005.touched(state.highlights, article)[rows],
        )
        violations = contradictions_of_2005(of_2005, lambda row: article.path_of(int(rows[row])))
    return tuple((violation.path, violation.message) for violation in violations)


# Highlighting


def highlighted(ranges: Ranges, start: int, end: int, article: Article) -> Ranges:
    """Return the highlights with one more.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<s><p>Low</p> <p>High</p> tide</s>"}), "a")
    >>> highlighted(((0, 3),), 4, 8, article)
    ((0, 8),)
    """
    check_range(start, end, article)
    if article.is_white(start, end):
        raise OperationRefused("white-space", "Only white space is selected: select some text.")
    first, after = _shared(ranges, start, end)
    if first < after:
        start, end = min(start, ranges[first][0]), max(end, ranges[after - 1][1])
    while first and article.is_white(ranges[first - 1][1], start):
        first -= 1
        start = ranges[first][0]
    while after < len(ranges) and article.is_white(end, ranges[after][0]):
        end = ranges[after][1]
        after += 1
    return (*ranges[:first], (start, end), *ranges[after:])


def unhighlighted(ranges: Ranges, start: int, end: int, article: Article) -> Ranges:
    """Return the highlights without the text of a range.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<p>Low or high tide</p>"}), "a")
    >>> unhighlighted(((0, 16),), 4, 11, article)
    ((0, 4), (11, 16))
    """
    check_range(start, end, article)
    first, after = _shared(ranges, start, end)
    if first == after:
        return ranges
    left = (ranges[first][0], min(start, ranges[first][1]))
    right = (max(end, ranges[after - 1][0]), ranges[after - 1][1])
    kept = [part for part in (left, right) if not article.is_white(*part)]
    if len(kept) == 2 and article.is_white(left[1], right[0]):
        raise OperationRefused(
            "white-space",
            "White space between highlighted words stays highlighted: select the words to remove.",
        )
    return (*ranges[:first], *kept, *ranges[after:])


def check_range(start: int, end: int, article: Article) -> None:
    """Refuse a range that is empty or not in the document."""
    if start >= end:
        raise OperationRefused("empty", "Nothing is selected: select some text.")
    if end > len(article.text):
        raise OperationRefused(
            "outside",
            f"The document has {len(article.text):,} characters, and the selection ends at "
            f"{end:,}.",
        )


def _shared(ranges: Ranges, start: int, end: int) -> tuple[int, int]:
    """Return the first range that shares text with [start, end), and the first after those."""
    first = bisect_right(ranges, start, key=lambda pair: pair[1])
    return first, bisect_left(ranges, end, lo=first, key=lambda pair: pair[0])


# Each kind of operation


def _edited(state: State, after: State) -> State:
    """Return the state after an edit: open again if the edit changed anything."""
    return state if after == state else replace(after, status="open")


def _highlight(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    if mode == "2003":
        raise OperationRefused("mode", "Nothing is highlighted here: elements are graded instead.")
    change = highlighted if operation.kind == "highlight" else unhighlighted
    start, end = _place(operation.start), _place(operation.end)
    ranges = change(state.highlights, start, end, article)
    return _edited(
        state,
        replace(
            state,
            highlights=ranges,
            grades=mode2005.regraded(state, ranges, article) if mode == "2005" else state.grades,
        ),
    )


def _set_bep(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    if mode != "2006":
        raise OperationRefused("mode", "There are no best entry points here.")
    bep = None
    if operation.kind == "bep":
        bep = _place(operation.start)
        if bep >= len(article.text):
            raise OperationRefused("outside", "The best entry point has to stand before some text.")
    return _edited(state, replace(state, bep=bep))


def _grade(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    if mode == "2006":
        raise OperationRefused("mode", "Elements are not graded here: highlight the relevant text.")
    path, grade = operation.path or "", _as_grade(operation.value)
    if mode == "2005":
        return _edited(state, replace(state, grades=mode2005.graded(state, path, grade, article)))
    grades, inferred = mode2003.graded(state, path, grade, article)
    return _edited(state, replace(state, grades=grades, inferred=inferred))


def _as_grade(value: object) -> Grade | None:
    grade = None if value is None else grade_from_json(value)
    if grade is None and value is not None:
        raise OperationRefused("value", f"{quoted(value)} is no grade.")
    return grade


def _place(offset: int | None) -> int:
    if offset is None:
        raise OperationRefused("place", "The operation does not say where.")
    return offset


def _validate(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    if reasons := problems(state, article, mode):
        raise OperationRefused("not-valid", " ".join(reasons))
    return replace(state, status="validated", skipped=False)


def _not_relevant(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    if state.highlights:
        raise OperationRefused("relevant", "Something is highlighted: remove the highlights first.")
    if state.is_relevant:
        raise OperationRefused(
            "relevant", "Something is graded above 0: change those grades first."
        )
    return _validate(operation, state, article, mode)


def _reopen(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    return replace(state, status="open")


def _note(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    return replace(state, note=operation.value)


def _comment(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    start, end = _place(operation.start), _place(operation.end)
    check_range(start, end, article)
    others = [comment for comment in state.comments if comment[:2] != (start, end)]
    if len(others) >= MOST_COMMENTS:
        raise OperationRefused("too-many", f"There are {MOST_COMMENTS:,} comments already.")
    text = operation.value.strip()
    comments = [*others, (start, end, text)] if text else others
    return replace(state, comments=tuple(sorted(comments)))


def _problem(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    return replace(state, problem=operation.value)


def _skip(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    return replace(state, skipped=operation.value)


def _import(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    """Take a whole state from elsewhere as it is, if it can be a judgment of this article."""
    after = State.from_json(operation.value)
    if after.highlights and after.highlights[-1][1] > len(article.text):
        raise OperationRefused("outside", "A highlight ends after the end of the document.")
    if any(end > len(article.text) for _, end, _ in after.comments):
        raise OperationRefused("outside", "A comment is on text after the end of the document.")
    if after.bep is not None and after.bep >= len(article.text):
        raise OperationRefused("outside", "The best entry point is after the end of the document.")
    if after.highlights and mode == "2003":
        raise OperationRefused("mode", "There are no highlights here.")
    if after.bep is not None and mode != "2006":
        raise OperationRefused("mode", "There are no best entry points here.")
    scale = {"2006": (), "2005": (int, str), "2003": (tuple,)}[mode]
    for path, grade in after.grades.items():
        if not isinstance(grade, scale):
            raise OperationRefused(
                "mode", f"{short_path(path)} has the grade {grade}, of another scale."
            )
        if article.row_of(path) == NO_ROW or article.path_of(article.row_of(path)) != path:
            raise OperationRefused(
                "no-element", f"There is no element {short_path(path)} in the document."
            )
    return after


_RULES: Mapping[str, Rule] = {
    "highlight": _highlight,
    "unhighlight": _highlight,
    "bep": _set_bep,
    "clear-bep": _set_bep,
    "grade": _grade,
    "validate": _validate,
    "not-relevant": _not_relevant,
    "reopen": _reopen,
    "note": _note,
    "comment": _comment,
    "problem": _problem,
    "skip": _skip,
    "import": _import,
}
