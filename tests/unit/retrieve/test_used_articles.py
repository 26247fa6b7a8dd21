"""Models of articles are named, and have warnings, only where the scores of articles matter."""

from __future__ import annotations

from typing import Any

import pytest

from doxeval.documents import example_collection
from doxeval.retrieve import Index, build_index, search
from doxeval.topics import Topic

DOCUMENTS = {"a": "<article><p>Fog on the sea.</p><p>A horn.</p></article>"}


@pytest.fixture(scope="module")
def index() -> Index:
    collection = example_collection(DOCUMENTS)
    return Index(build_index(collection).directory, collection)


@pytest.mark.parametrize(
    ("options", "are_used"),
    [
        ({}, False),
        ({"task": "thorough"}, False),
        ({"task": "vvcas"}, False),
        ({"model": "bm25(idf=words)"}, True),
        ({"model": "bm25(context=0,idf=words)"}, False),
        ({"units": "windows(3,1)"}, False),
        ({"units": "passages"}, True),
        ({"task": "relevant-in-context", "model": "lm"}, True),
        ({"task": "documents"}, False),
    ],
)
def test_articles_are_mentioned_only_where_they_matter(
    index: Index, options: dict[str, Any], are_used: bool
) -> None:
    topic = Topic("1", title="fog", castitle="//p[about(., fog)]")
    run = search(index, [topic], **options)
    assert len(run) > 0
    assert ("articles" in run.facts) == are_used
    # With one document, idf=documents, the default for articles, has a warning.
    is_warned = any("idf=words counts" in warning for warning in run.warnings)
    assert is_warned == (are_used or run.facts["units"] == "documents")
