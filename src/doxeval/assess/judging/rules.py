"""The rules of judging: what an operation makes of a state, in each mode.

    2006   highlights and a best entry point
    2005   highlights, then the exhaustivity of the elements that they touch
    2003   exhaustivity and specificity of elements (2003–04)

A campaign has one mode from beginning to end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from doxeval.arrays import Ints
from doxeval.assess.judging import element_grades, exhaustivity
from doxeval.assess.judging.article import NO_ROW, Article
from doxeval.assess.judging.exhaustivity import (
    allowed_grades,
    regraded,
    touched,
    unknown_problems,
)
from doxeval.assess.judging.highlighting import highlighted, unhighlighted
from doxeval.assess.judging.inference import HIGHEST
from doxeval.assess.judging.operations import Operation
from doxeval.assess.judging.refusals import Refused
from doxeval.assess.judging.state import Grade, Mode, State, grade_from_json
from doxeval.messages import quoted, short_path

Rule = Callable[[Operation, State, Article, Mode], State]


def apply(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    """The state after an operation; Refused explains why it is not allowed.

    Undoing and redoing take the history, which is not kept here: see changes.py.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<p>Low tide.</p>"}), "a")
    >>> highlight = Operation("1", 0, "highlight", start=4, end=8, quote="tide")
    >>> state = apply(highlight, State(), article, "2006")
    >>> state.highlights, problems(state, article, "2006")
    (((4, 8),), ('The best entry point is missing.',))
    >>> apply(Operation("2", 1, "validate"), state, article, "2006")
    Traceback (most recent call last):
        ...
    doxeval.assess.judging.refusals.Refused: The best entry point is missing.
    """
    rule = _RULES.get(operation.kind)
    if rule is None:
        raise ValueError(f"{operation.kind} needs the history of the judgment")
    return rule(operation, state, article, mode)


def problems(state: State, article: Article, mode: Mode) -> tuple[str, ...]:
    """Why the state cannot be validated, as sentences; none if it can."""
    if mode == "2005":
        return unknown_problems(state, article)
    if mode == "2006" and (state.bep is None) == bool(state.highlights):
        if state.highlights:
            return ("The best entry point is missing.",)
        return ("There is a best entry point, but nothing is highlighted.",)
    return ()


def gradable(state: State, article: Article, mode: Mode) -> Ints:
    """The rows of the elements that can be graded.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<s><p>Low</p><p>High</p></s>"}), "a")
    >>> state = State(highlights=((3, 7),))
    >>> [gradable(state, article, mode).tolist() for mode in ("2006", "2005", "2003")]
    [[], [0, 2], [0, 1, 2]]
    """
    if mode == "2003":
        return np.arange(len(article))
    return np.flatnonzero(touched(state.highlights, article) & (mode == "2005"))


def allowed(state: State, article: Article, mode: Mode, rows: Ints) -> list[tuple[Grade, ...]]:
    """The values that each of these elements may be graded with: all others would be refused.

    In mode 2003 they are the values of exhaustivity, and the same ones of specificity.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<s><p>Low</p><p>High</p></s>"}), "a")
    >>> allowed(State(highlights=((2, 7),)), article, "2005", np.array([0, 1]))
    [(2, 1), (2, 1, '?')]
    """
    if mode == "2005":
        return allowed_grades(state, rows, article)
    return [tuple(range(HIGHEST + 1)) if mode == "2003" else ()] * len(rows)


def _edited(state: State, after: State) -> State:
    """The state after an edit: open again if the edit changed anything."""
    return state if after == state else replace(after, status="open")


def _highlight(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    if mode == "2003":
        raise Refused("mode", "Nothing is highlighted here: elements are graded instead.")
    change = highlighted if operation.kind == "highlight" else unhighlighted
    start, end = _place(operation.start), _place(operation.end)
    ranges = change(state.highlights, start, end, article)
    return _edited(
        state,
        replace(
            state,
            highlights=ranges,
            grades=regraded(state, ranges, article) if mode == "2005" else state.grades,
        ),
    )


def _set_bep(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    if mode != "2006":
        raise Refused("mode", "There are no best entry points here.")
    bep = None
    if operation.kind == "bep":
        bep = _place(operation.start)
        if bep >= len(article.text):
            raise Refused("outside", "The best entry point has to stand before some text.")
    return _edited(state, replace(state, bep=bep))


def _grade(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    if mode == "2006":
        raise Refused("mode", "Elements are not graded here: highlight the relevant text.")
    path, grade = operation.path or "", _as_grade(operation.value)
    if mode == "2005":
        return _edited(
            state, replace(state, grades=exhaustivity.graded(state, path, grade, article))
        )
    grades, inferred = element_grades.graded(state, path, grade, article)
    return _edited(state, replace(state, grades=grades, inferred=inferred))


def _as_grade(value: object) -> Grade | None:
    grade = None if value is None else grade_from_json(value)
    if grade is None and value is not None:
        raise Refused("value", f"{quoted(value)} is no grade.")
    return grade


def _place(offset: int | None) -> int:
    if offset is None:
        raise Refused("place", "The operation does not say where.")
    return offset


def _validate(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    if reasons := problems(state, article, mode):
        raise Refused("not-valid", " ".join(reasons))
    return replace(state, status="validated", skipped=False)


def _not_relevant(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    if state.highlights:
        raise Refused("relevant", "Something is highlighted: remove the highlights first.")
    if state.is_relevant:
        raise Refused("relevant", "Something is graded above 0: change those grades first.")
    return _validate(operation, state, article, mode)


def _reopen(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    return replace(state, status="open")


def _note(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    return replace(state, note=operation.value)


def _problem(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    return replace(state, problem=operation.value)


def _skip(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    return replace(state, skipped=operation.value)


def _import(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    """A whole state from elsewhere, as it is, if it can be a judgment of this article at all."""
    after = State.from_json(operation.value)
    if after.highlights and after.highlights[-1][1] > len(article.text):
        raise Refused("outside", "A highlight ends after the end of the document.")
    if after.bep is not None and after.bep >= len(article.text):
        raise Refused("outside", "The best entry point is after the end of the document.")
    if after.highlights and mode == "2003":
        raise Refused("mode", "There are no highlights here.")
    if after.bep is not None and mode != "2006":
        raise Refused("mode", "There are no best entry points here.")
    scale = {"2006": (), "2005": (int, str), "2003": (tuple,)}[mode]
    for path, grade in after.grades.items():
        if not isinstance(grade, scale):
            raise Refused("mode", f"{short_path(path)} has the grade {grade}, of another scale.")
        if article.row_of(path) == NO_ROW or article.path_of(article.row_of(path)) != path:
            raise Refused("no-element", f"There is no element {short_path(path)} in the document.")
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
    "problem": _problem,
    "skip": _skip,
    "import": _import,
}
