"""The rules of judging: what an operation makes of a state, in each mode.

2006   highlights and a best entry point
2005   highlights, then the exhaustivity of the elements that they touch
2003   exhaustivity and specificity of elements (2003–04)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from doxeval.assess.judging.article import Article
from doxeval.assess.judging.highlighting import highlighted, unhighlighted
from doxeval.assess.judging.operations import Operation
from doxeval.assess.judging.refusals import Refused
from doxeval.assess.judging.state import Mode, State

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
    if mode == "2006":
        if state.highlights and state.bep is None:
            return ("The best entry point is missing.",)
        if state.bep is not None and not state.highlights:
            return ("There is a best entry point, but nothing is highlighted.",)
    return ()


def _edited(state: State, after: State) -> State:
    """The state after an edit: open again if the edit changed anything."""
    same = (after.highlights, after.bep, after.grades) == (
        state.highlights,
        state.bep,
        state.grades,
    )
    return state if same else replace(after, status="open")


def _highlight(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    change = highlighted if operation.kind == "highlight" else unhighlighted
    start, end = _place(operation.start), _place(operation.end)
    return _edited(state, replace(state, highlights=change(state.highlights, start, end, article)))


def _set_bep(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    bep = _place(operation.start)
    if bep >= len(article.text):
        raise Refused("outside", "The best entry point has to stand before some text.")
    return _edited(state, replace(state, bep=bep))


def _clear_bep(operation: Operation, state: State, article: Article, mode: Mode) -> State:
    return _edited(state, replace(state, bep=None))


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
    return State.from_json(operation.value)


_RULES: Mapping[str, Rule] = {
    "highlight": _highlight,
    "unhighlight": _highlight,
    "bep": _set_bep,
    "clear-bep": _clear_bep,
    "validate": _validate,
    "not-relevant": _not_relevant,
    "reopen": _reopen,
    "note": _note,
    "problem": _problem,
    "skip": _skip,
    "import": _import,
}
