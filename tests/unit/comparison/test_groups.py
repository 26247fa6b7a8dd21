"""Many pairs: Holm's correction, and groups of runs that do not differ."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparing import random_scores, table_of
from doxeval.comparison import TESTS, Test, compare, groups, holm, letters


class TestManyPairs:
    def test_holm_by_hand(self) -> None:
        # .005 · 4, .01 · 3, .03 · 2, then .04 · 1, which may not be less than before
        assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
        assert holm([0.9, None, 0.6]) == [1.0, None, 1.0]
        assert holm([]) == []

    @given(st.integers(1, 9), st.data())
    def test_two_runs_share_a_letter_iff_they_do_not_differ(
        self, count: int, data: st.DataObject
    ) -> None:
        runs = [f"r{place}" for place in range(count)]
        every = [frozenset(pair) for pair in combinations(runs, 2)]
        different = {pair for pair in every if data.draw(st.booleans())}
        found = groups(runs, different)
        spelt = letters(found)
        assert set(spelt) == set(runs)
        for one, other in combinations(runs, 2):
            is_shared = bool(set(spelt[one]) & set(spelt[other]))
            assert is_shared == (frozenset((one, other)) not in different)
        assert spelt["r0"][0] == "a"
        firsts = [runs.index(group[0]) for group in found]
        assert firsts == sorted(firsts)

    def test_letters_of_a_chain(self) -> None:
        different = {frozenset(pair) for pair in ("ac", "ad", "bd")}
        assert groups("abcd", different) == [("a", "b"), ("b", "c"), ("c", "d")]
        assert groups("ab", set()) == [("a", "b")]
        assert groups("ab", {frozenset("ab")}) == [("a",), ("b",)]

    def test_more_groups_than_letters(self) -> None:
        spelt = letters([(str(place),) for place in range(60)])
        assert (spelt["0"], spelt["51"], spelt["52"]) == ("a", "Z", "a2")
        assert len(set(spelt.values())) == 60

    @pytest.mark.parametrize("test", TESTS)
    def test_groups_follow_from_corrected_probabilities(self, test: Test) -> None:
        found = compare(table_of(random_scores(6, 30)), "M", test, resamples=5000)
        assert [run.mean for run in found.ranking] == sorted(
            (run.mean or 0 for run in found.ranking), reverse=True
        )
        assert len(found.pairs) == 15
        assert [p.corrected for p in found.pairs] == holm([p.p for p in found.pairs])
        for pair in found.pairs:
            assert pair.significant == ((pair.corrected or 0) < 0.05)
            is_together = any({pair.first, pair.second} <= set(group) for group in found.groups)
            assert is_together == (not pair.significant)
        assert any(pair.significant for pair in found.pairs)
        assert not all(pair.significant for pair in found.pairs)
