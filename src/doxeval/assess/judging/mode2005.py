"""Mode 2005: how exhaustive the elements are that highlights touch.

Grades rise from ? (too small) over 1 to 2. An element without a grade is unknown, which is none of
them. After every operation:

1. Only elements that share text with a highlight are graded.
2. An element is at least as exhaustive as everything graded inside it.
3. Everything around an element graded 2 is graded 2.
4. Everything highlighted inside an element graded ? is graded ?.
5. No element that holds a whole passage is graded ?.

A new grade wins over older ones that contradict it: those become unknown again, unless these rules
force another grade on them. A grade 1 or 2 is supported by a child that has the same grade. When an
operation takes away the last such child, nobody knows whether the element earned its grade without
it, so it becomes unknown too. An element that never had such a child keeps its grade: several
parts that discuss few aspects each (1) can discuss most of them together (2).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.assess.judging.article import NO_ROW, Article
from doxeval.assess.judging.state import Grade, OperationRefused, Range, State
from doxeval.messages import plural, short_path

# Grades as levels, in rising order.
UNKNOWN, TOO_SMALL, PARTLY, HIGHLY = range(4)
_GRADES: tuple[Grade, ...] = ("", "?", 1, 2)
_LEVELS: Mapping[Grade, int] = {"?": TOO_SMALL, 1: PARTLY, 2: HIGHLY}


def touched(highlights: tuple[Range, ...], article: Article) -> Bools:
    """Tell whether each element shares text with a highlight.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<s><p>Low</p><p>High</p></s>"}), "a")
    >>> touched(((4, 7),), article).tolist()
    [True, False, True]
    """
    starts, ends = _columns(highlights)
    first = np.searchsorted(ends, article.start, side="right")  # the first that ends after it
    shares: Bools = np.append(starts, len(article.text))[first] < article.end
    return shares & (article.start < article.end)


def holds_passage(highlights: tuple[Range, ...], article: Article) -> Bools:
    """Tell whether each element holds a highlight from its beginning to its end.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<s><p>Low</p><p>High</p></s>"}), "a")
    >>> holds_passage(((2, 7),), article).tolist()
    [True, False, False]
    """
    starts, ends = _columns(highlights)
    first = np.searchsorted(starts, article.start)  # the first that begins in it or after it
    inside: Bools = np.append(ends, len(article.text) + 1)[first] <= article.end
    return inside


def _columns(highlights: tuple[Range, ...]) -> tuple[Ints, Ints]:
    both = np.array(highlights, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def graded(state: State, path: str, grade: Grade | None, article: Article) -> dict[str, Grade]:
    """Return the grades after one element is graded; None makes it unknown again."""
    row = article.row_of(path)
    if row == NO_ROW:
        raise OperationRefused(
            "no-element", f"There is no element {short_path(path)} in the document."
        )
    if not touched(state.highlights, article)[row]:
        raise OperationRefused(
            "not-highlighted",
            "Nothing in this element is highlighted: only elements with highlighted text are "
            "graded.",
        )
    before = levels_of(state.grades, article)
    after = before.copy()
    if grade is None:
        _clear(row, after, article)
    else:
        _grade(row, _level(grade), after, state.highlights, article)
    _reset_unsupported(before, after, article)
    return _grades(state.grades, before, after, article)


def regraded(state: State, highlights: tuple[Range, ...], article: Article) -> Mapping[str, Grade]:
    """Return the grades that remain, or are forced, when the highlights become others."""
    if not state.grades:
        return state.grades
    before = levels_of(state.grades, article)
    is_touched = touched(highlights, article)
    after = np.where(is_touched, before, UNKNOWN)
    after[(after == TOO_SMALL) & holds_passage(highlights, article)] = UNKNOWN
    _spread_too_small(is_touched, after, article)
    _reset_unsupported(before, after, article)
    return _grades(state.grades, before, after, article)


def allowed_grades(state: State, rows: Ints, article: Article) -> list[tuple[Grade, ...]]:
    """Return the grades that each element may get.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<s><p>Low</p><p>High</p></s>"}), "a")
    >>> allowed_grades(State(highlights=((2, 7),)), np.array([0, 1]), article)
    [(2, 1), (2, 1, '?')]
    """
    held = holds_passage(state.highlights, article)[rows].tolist()
    return [(2, 1) if holds else (2, 1, "?") for holds in held]


def unknown_problems(state: State, article: Article) -> tuple[str, ...]:
    """Return that elements have no grade yet, if any have none."""
    unknown = touched(state.highlights, article)
    unknown &= levels_of(state.grades, article) == UNKNOWN
    missing = int(unknown.sum())
    if not missing:
        return ()
    first = short_path(article.path_of(int(unknown.argmax())))
    have = "has" if missing == 1 else "have"
    return (
        f"{plural(missing, 'element')} with highlighted text {have} no grade yet; "
        f"the first is {first}.",
    )


def levels_of(grades: Mapping[str, Grade], article: Article) -> Ints:
    """Return the level of every element of the article, UNKNOWN without a grade."""
    levels = np.zeros(len(article), dtype=np.int64)
    if grades:
        rows = article.rows_of(list(grades))
        given = np.array(list(map(_LEVELS.__getitem__, grades.values())), dtype=np.int64)
        levels[rows[rows >= 0]] = given[rows >= 0]
    return levels


def _level(grade: Grade) -> int:
    level = _LEVELS.get(grade)
    if level is None:
        raise OperationRefused("value", "Exhaustivity is 2, 1 or ? (too small).")
    return level


def _grade(
    row: int, level: int, levels: Ints, highlights: tuple[Range, ...], article: Article
) -> None:
    """Grade one element, and change the elements around and inside it as the rules say."""
    inside = slice(row + 1, row + int(article.size[row]))
    above = _ancestors(row, article)
    if level == TOO_SMALL:
        if holds_passage(highlights, article)[row]:
            raise OperationRefused(
                "holds-passage",
                "This element holds a whole highlighted passage, so it cannot be too small (?).",
            )
        levels[inside][touched(highlights, article)[inside]] = TOO_SMALL
    elif level == PARTLY:
        levels[inside][levels[inside] > PARTLY] = UNKNOWN
        levels[above[levels[above] == TOO_SMALL]] = UNKNOWN
    else:
        levels[above] = HIGHLY
    levels[row] = level


def _clear(row: int, levels: Ints, article: Article) -> None:
    """Make one element unknown, unless another grade forces its grade on it."""
    inside = levels[row + 1 : row + int(article.size[row])]
    if (inside == HIGHLY).any():
        raise OperationRefused(
            "forced",
            "Something in this element is graded 2, so this element is 2 too: change that grade "
            "first.",
        )
    parent = int(article.parent[row])
    if parent >= 0 and levels[parent] == TOO_SMALL:
        raise OperationRefused(
            "forced",
            "The element around this one is too small (?), so this one is too: change that grade "
            "first.",
        )
    levels[row] = UNKNOWN


def _spread_too_small(is_touched: Bools, levels: Ints, article: Article) -> None:
    """Grade ? what is highlighted and unknown inside elements graded ?."""
    too_small = levels == TOO_SMALL
    outermost = too_small & ~np.append(False, too_small[article.parent[1:]])
    for row in np.flatnonzero(outermost).tolist():
        inside = slice(row + 1, row + int(article.size[row]))
        levels[inside][is_touched[inside] & (levels[inside] == UNKNOWN)] = TOO_SMALL


def _ancestors(row: int, article: Article) -> Ints:
    """Return the rows around an element, innermost first."""
    above = []
    row = int(article.parent[row])
    while row >= 0:
        above.append(row)
        row = int(article.parent[row])
    return np.array(above, dtype=np.int64)


def _reset_unsupported(before: Ints, after: Ints, article: Article) -> None:
    """Make the elements unknown that lost the last child to support their grade."""
    kept = (after == before) & (after >= PARTLY)
    supporters = _supporters(after, article)
    waiting = kept & (_supporters(before, article) > 0)
    unsupported = np.flatnonzero(waiting & (supporters == 0)).tolist()
    while unsupported:
        row = unsupported.pop()
        parent = int(article.parent[row])
        if parent >= 0 and after[parent] == after[row]:
            supporters[parent] -= 1
            if supporters[parent] == 0 and waiting[parent]:
                unsupported.append(parent)
        after[row] = UNKNOWN


def _supporters(levels: Ints, article: Article) -> Ints:
    """Count how many children of each element have the grade of the element itself."""
    parents = article.parent[1:]
    same = levels[1:] == levels[parents]
    return np.bincount(parents[same], minlength=len(article))


def _grades(
    grades: Mapping[str, Grade], before: Ints, after: Ints, article: Article
) -> dict[str, Grade]:
    """Return the grades, with the elements changed whose level is another than before."""
    changed = dict(grades)
    rows = np.flatnonzero(before != after)
    for path, level in zip(article.paths_of(rows), after[rows].tolist(), strict=True):
        if level == UNKNOWN:
            changed.pop(path, None)
        else:
            changed[path] = _GRADES[level]
    return changed
