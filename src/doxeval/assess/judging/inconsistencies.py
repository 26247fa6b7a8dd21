"""Grades that contradict each other: shown to the assessor, never changed."""

from __future__ import annotations

import numpy as np

from doxeval.assess.judging.article import Article
from doxeval.assess.judging.element_grades import for_contradictions
from doxeval.assess.judging.exhaustivity import UNKNOWN, holds_passage, levels_of, touched
from doxeval.assess.judging.inference import nearest_graded
from doxeval.assess.judging.state import Mode, State
from doxeval.assessments import (
    Grades2005,
    Violation,
    contradictions_of_2003,
    contradictions_of_2005,
)


def inconsistencies(state: State, article: Article, mode: Mode) -> tuple[tuple[str, str], ...]:
    """The path of each element with a contradiction, and a sentence about it.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<s><p>Low</p><p>High</p></s>"}), "a")
    >>> inconsistencies(State(grades={"/s[1]/p[2]": (2, 0)}), article, "2003")
    (('/s[1]/p[2]', '/s[1]/p[2] is (2,0)'),)
    """
    if not state.grades or mode == "2006":
        return ()
    found = _of_2003(state, article) if mode == "2003" else _of_2005(state, article)
    return tuple((one.path, one.message) for one in found)


def _of_2003(state: State, article: Article) -> list[Violation]:
    grades, rows = for_contradictions(state.grades, article)
    return contradictions_of_2003(grades, lambda row: article.path_of(int(rows[row])))


def _of_2005(state: State, article: Article) -> list[Violation]:
    levels = levels_of(state.grades, article)
    is_graded = levels != UNKNOWN
    rows = np.flatnonzero(is_graded)
    nearest = nearest_graded(is_graded, article)[rows]
    grades = Grades2005(
        levels[rows],
        np.where(nearest >= 0, np.searchsorted(rows, nearest), -1),
        holds_passage(state.highlights, article)[rows],
        touched(state.highlights, article)[rows],
    )
    return contradictions_of_2005(grades, lambda row: article.path_of(int(rows[row])))
