"""The demo collection with an index, which nobody changes."""

from __future__ import annotations

from pathlib import Path

import pytest

import doxeval
from doxeval.documents import Collection, build_collection
from doxeval.retrieve import Index, build_index


@pytest.fixture(scope="session")
def sea(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo collection; its index is beside it."""
    articles = Path(doxeval.__file__).parent / "demo_data" / "articles"
    out = tmp_path_factory.mktemp("demo") / "sea"
    build_collection([str(articles)], out, jobs=1)
    build_index(Collection(out), jobs=1)
    return out


@pytest.fixture(scope="session")
def index(sea: Path) -> Index:
    return Index(f"{sea}.index", Collection(sea))
