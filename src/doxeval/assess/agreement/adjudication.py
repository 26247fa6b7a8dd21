"""One judgment made of those of several assessors, by a rule.

    union           relevant is what any assessor says is relevant
    intersection    what all of them say
    majority        what more than half of them say; two who differ have none

Highlights are compared character by character; then the rules of judging join those with only
white space between them. The best entry point is the one that most assessors set; of several that
were set equally often, the first in the text. Of grades the largest, the smallest or the median is
taken (with an even number of them, the lower of the two in the middle), on the scale not relevant
< ? < 1 < 2 in mode 2005; an element that an assessor gave no grade counts as not relevant to them.
A grade that the rules of judging do not allow together with the new highlights is left out, and
then the judgment is not validated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce

from doxeval.assess.judging import (
    Article,
    Grade,
    Mode,
    Range,
    State,
    highlighted,
    holds_passage,
    problems,
    touched,
)
from doxeval.assessments import Merge, Votes, chosen_value, needed_assessors, shared_by
from doxeval.errors import InputError

_LEVELS: dict[Grade, int] = {"?": 1, 1: 2, 2: 3}
_GRADES: dict[int, Grade] = {level: grade for grade, level in _LEVELS.items()}


def adjudicated_by(rule: Merge, states: Sequence[State], article: Article, mode: Mode) -> State:
    """Return the state that a rule makes of several.

    It is validated if all of them are and the rules of judging allow it.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<p>Low or high tide</p>"}), "a")
    >>> one = State(highlights=((0, 6),), bep=0, status="validated")
    >>> other = State(highlights=((4, 11),), bep=4, status="validated")
    >>> union = adjudicated_by("union", [one, other], article, "2006")
    >>> union.highlights, union.bep, union.status
    (((0, 11),), 0, 'validated')
    >>> adjudicated_by("intersection", [one, other], article, "2006").highlights
    ((4, 6),)
    """
    if not states:
        raise InputError("no judgments to make one of")
    needed = needed_assessors(rule, len(states))
    shared = shared_by([state.highlights for state in states], needed)
    highlights = _joined(shared, article)
    grades = _levels(rule, states, highlights, article) if mode == "2005" else {}
    if mode == "2003":
        grades = _grades(rule, states)
    merged = State(
        highlights=highlights,
        bep=_entry_point(states) if highlights and mode == "2006" else None,
        grades=grades,
        inferred=frozenset(path for path in grades if _is_inferred(path, states)),
    )
    done = all(state.status == "validated" for state in states)
    valid = done and not problems(merged, article, mode)
    return replace(merged, status="validated") if valid else merged


def votes(topic: str, document: str, states: Sequence[State]) -> Votes:
    """Return what several assessors say of a document, for `counted_ties`.

    >>> votes("7", "a", [State(((0, 3),), 0), State()]).highlights
    [((0, 3),), ()]
    """
    values: list[tuple[list[int], int]] = []
    for path in _paths(states):
        given = [state.grades[path] for state in states if path in state.grades]
        of_both = [grade for grade in given if isinstance(grade, tuple)]
        levels = [_LEVELS[grade] for grade in given if not isinstance(grade, tuple)]
        values += [(list(level), len(states)) for level in zip(*of_both, strict=True)]
        values.append((levels, len(states)))
    return Votes(topic, document, [state.highlights for state in states], values)


def _joined(ranges: Iterable[Range], article: Article) -> tuple[Range, ...]:
    """Return highlights as the rules of judging keep them; white space alone is none."""
    nothing: tuple[Range, ...] = ()
    with_text = [pair for pair in ranges if not article.is_white(*pair)]
    return reduce(
        lambda made, pair: highlighted(made, pair[0], pair[1], article), with_text, nothing
    )


def _entry_point(states: Iterable[State]) -> int | None:
    entries = Counter(state.bep for state in states if state.bep is not None)
    return min(entries, key=lambda entry: (-entries[entry], entry), default=None)


def _is_inferred(path: str, states: Iterable[State]) -> bool:
    """Tell whether no assessor gave an element its grade themselves."""
    return all(path in state.inferred for state in states if path in state.grades)


def _paths(states: Iterable[State]) -> list[str]:
    return list(dict.fromkeys(path for state in states for path in state.grades))


def _grades(rule: Merge, states: Sequence[State]) -> dict[str, Grade]:
    """Return exhaustivity and specificity of mode 2003."""
    grades: dict[str, Grade] = {}
    for path in _paths(states):
        given = [grade for state in states if isinstance(grade := state.grades.get(path), tuple)]
        e, s = (chosen_value(rule, list(level), len(states)) for level in zip(*given, strict=True))
        grades[path] = (e, s)
    return grades


def _levels(
    rule: Merge, states: Sequence[State], highlights: tuple[Range, ...], article: Article
) -> dict[str, Grade]:
    """Return exhaustivity of mode 2005, of the elements that the highlights touch."""
    paths = _paths(states)
    rows = article.rows_of(paths)
    is_touched = touched(highlights, article)[rows].tolist()
    holds = holds_passage(highlights, article)[rows].tolist()
    grades: dict[str, Grade] = {}
    for path, counts, holds_one in zip(paths, is_touched, holds, strict=True):
        given = [_LEVELS[state.grades[path]] for state in states if path in state.grades]
        level = chosen_value(rule, given, len(states))
        if counts and level and not (holds_one and _GRADES[level] == "?"):
            grades[path] = _GRADES[level]
    return grades
