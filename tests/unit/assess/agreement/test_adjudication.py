"""One judgment made of several, by a rule: against sets of characters and sorted grades."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import median_high, median_low

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assess.agreement import adjudicated_by, votes
from doxeval.assess.judging import (
    MODES,
    Article,
    Mode,
    State,
    holds_passage,
    inconsistencies,
    problems,
    touched,
)
from doxeval.assessments import MERGES, Merge, count_ties
from doxeval.documents import example_collection
from doxeval.errors import InputError
from strategies.judged import states_on
from strategies.judging import articles

LEVELS = {None: 0, "?": 1, 1: 2, 2: 3}
PICK: dict[str, Callable[[Iterable[int]], int]] = {
    "union": max,
    "intersection": min,
    "majority": median_low,
}


def characters(state: State) -> set[int]:
    return {at for start, end in state.highlights for at in range(start, end)}


def runs(places: set[int]) -> list[list[int]]:
    """Places that follow each other without a gap."""
    found: list[list[int]] = []
    for at in sorted(places):
        if at - 1 in places:
            found[-1].append(at)
        else:
            found.append([at])
    return found


def expected_characters(states: list[State], rule: Merge, article: Article) -> set[int]:
    """The characters that enough assessors have, joined over white space."""
    enough = {"union": 1, "intersection": len(states), "majority": len(states) // 2 + 1}[rule]
    votes = [sum(at in characters(state) for state in states) for at in range(len(article.text))]
    kept = {at for at, count in enumerate(votes) if count >= enough}
    for run in runs(kept):
        if article.is_white(run[0], run[-1] + 1):
            kept = kept - set(run)
    for gap in runs(set(range(len(votes))) - kept):
        between = gap[0] - 1 in kept and gap[-1] + 1 in kept
        if between and article.is_white(gap[0], gap[-1] + 1):
            kept = kept | set(gap)
    return kept


@pytest.mark.parametrize("mode", MODES)
@given(data=st.data(), rule=st.sampled_from(MERGES))
def test_rules_are_as_counted_one_by_one(mode: Mode, rule: Merge, data: st.DataObject) -> None:
    article = data.draw(articles())
    states = data.draw(st.lists(states_on(article, mode), min_size=1, max_size=4))
    found = adjudicated_by(rule, states, article, mode)
    assert characters(found) == expected_characters(states, rule, article)
    entries = [state.bep for state in states if state.bep is not None]
    if mode == "2006" and found.highlights and entries:
        most = max(map(entries.count, entries))
        assert found.bep == min(bep for bep in entries if entries.count(bep) == most)
    else:
        assert found.bep is None
    for row, path in enumerate(map(article.path_of, range(len(article)))):
        check_grade(found, states, path, row, rule, article, mode)
    done = all(state.status == "validated" for state in states)
    assert (found.status == "validated") == (done and not problems(found, article, mode))


def check_grade(
    found: State,
    states: list[State],
    path: str,
    row: int,
    rule: Merge,
    article: Article,
    mode: Mode,
) -> None:
    said = [state.grades.get(path) for state in states]
    if mode == "2003" and any(said):
        pairs = [grade if isinstance(grade, tuple) else (0, 0) for grade in said]
        assert found.grades[path] == tuple(PICK[rule](level) for level in zip(*pairs, strict=True))
        givers = [state for state in states if path in state.grades]
        assert (path in found.inferred) == all(path in state.inferred for state in givers)
    elif mode == "2005":
        level = PICK[rule](LEVELS[one] for one in said)  # type: ignore[index]
        kept = touched(found.highlights, article)[row] and level
        if level == 1 and holds_passage(found.highlights, article)[row]:
            kept = False
        assert LEVELS[found.grades.get(path)] == (level if kept else 0)  # type: ignore[index]
    else:
        assert path not in found.grades


@given(data=st.data(), rule=st.sampled_from(MERGES))
def test_valid_judgments_of_2005_make_no_contradiction(rule: Merge, data: st.DataObject) -> None:
    article = data.draw(articles())
    drawn = data.draw(st.lists(states_on(article, "2005"), min_size=2, max_size=3))
    states = [state for state in drawn if not inconsistencies(state, article, "2005")]
    if states:
        found = adjudicated_by(rule, states, article, "2005")
        assert not inconsistencies(found, article, "2005")


@given(data=st.data(), mode=st.sampled_from(MODES), rule=st.sampled_from(MERGES))
def test_one_validated_judgment_stays_what_it_is(
    mode: Mode, rule: Merge, data: st.DataObject
) -> None:
    article = data.draw(articles())
    state = data.draw(states_on(article, mode))
    found = adjudicated_by(rule, [state, state], article, mode)
    assert (found.highlights, found.grades) == (state.highlights, state.grades)
    if state.status == "validated":
        assert (found.bep, found.status) == (state.bep, "validated")


def test_a_grade_that_the_rules_refuse_is_left_out_and_nothing_validated() -> None:
    """Where only part of a passage is agreed on, an element may come to hold all that is left."""
    article = Article.of(example_collection({"a": "<s><p>Low</p><p>tide</p></s>"}), "a")
    one = State(
        ((0, 7),), grades={"/s[1]": 1, "/s[1]/p[1]": "?", "/s[1]/p[2]": 1}, status="validated"
    )
    other = State(((0, 3),), grades={"/s[1]": 2, "/s[1]/p[1]": 2}, status="validated")
    found = adjudicated_by("intersection", [one, other], article, "2005")
    assert found.highlights == ((0, 3),)
    assert found.grades == {"/s[1]": 1}
    assert found.status == "open"


@pytest.mark.parametrize("mode", MODES)
@given(data=st.data())
def test_ties_are_as_counted_one_by_one(mode: Mode, data: st.DataObject) -> None:
    article = data.draw(articles())
    states = data.draw(st.lists(states_on(article, mode), min_size=3, max_size=6))
    ties = count_ties([votes("7", "a", states)], "")
    half = len(states) / 2
    counts = [sum(at in characters(state) for state in states) for at in range(len(article.text))]
    assert ties.characters == sum(count == half for count in counts)
    tied = 0
    for path in {path for state in states for path in state.grades}:
        given_ = [state.grades.get(path) for state in states]
        pairs = [one if isinstance(one, tuple) else (LEVELS[one],) for one in given_]
        width = max(map(len, pairs))
        filled = [one if len(one) == width else (0,) * width for one in pairs]
        for level in zip(*filled, strict=True):
            tied += median_low(level) != median_high(level)
    assert ties.grades == tied
    assert ties.documents == bool(ties.characters or tied)


def test_nothing_cannot_be_adjudicated() -> None:
    article = Article.of(example_collection({"a": "<s>Low</s>"}), "a")
    with pytest.raises(InputError, match="no judgments"):
        adjudicated_by("union", [], article, "2006")
