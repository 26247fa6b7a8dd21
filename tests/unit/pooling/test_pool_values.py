"""Pools as values: what they refuse, and how they compare."""

from __future__ import annotations

import pickle

import pytest

from doxeval.errors import InputError
from doxeval.pooling import Pool, PooledDocument, PooledElement, PoolFacts


@pytest.mark.parametrize(
    "given", [(None, None, None), ("/a[1]", 0, 5), (None, 5, None), (None, 9, 5), (None, -1, 5)]
)
def test_an_element_is_a_path_or_a_range(given: tuple[str | None, int | None, int | None]) -> None:
    with pytest.raises(InputError, match=r"a path, or a range|expected a start of 0 or more"):
        PooledElement(*given)


def test_a_document_is_in_the_pool_of_a_topic_once() -> None:
    with pytest.raises(InputError, match="document 'a' is in the pool of topic '7' twice"):
        Pool({"7": (PooledDocument("a"), PooledDocument("a", 0.5))})
    assert len(Pool({"7": (PooledDocument("a"),), "8": (PooledDocument("a"),)})) == 2


def test_pools_compare_by_what_they_hold_but_not_by_the_date() -> None:
    made = {"7": (PooledDocument("a", 0.5, (PooledElement(start=0, end=5),), (("mine", 1),)),)}
    pool = Pool(made, PoolFacts("depth", depth=5, date="2026-05-04T00:00:00Z"), ("a warning",))
    again = pickle.loads(pickle.dumps(pool))
    assert again == pool and hash(again) == hash(pool) and again.warnings == pool.warnings
    assert pool == Pool(made, PoolFacts("depth", depth=5, date="2027-01-01T00:00:00Z"))
    assert pool != Pool(made, PoolFacts("depth", depth=6))
    assert repr(pool) == "Pool(1 topic, 1 document, by depth)"
