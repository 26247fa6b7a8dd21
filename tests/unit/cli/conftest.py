"""The demo collection, and campaigns made by the verbs: once, and copied for each test."""

from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path

import pytest

from campaign_fixtures import quick_hashes, quick_passwords, sqlite_without_waiting  # noqa: F401
from campaigns_by_hand import Sources, make_campaign, make_sources
from helpers import doxeval


@pytest.fixture(scope="session")
def demo_data() -> Path:
    """The data of the demo as they are in the package."""
    return Path(str(resources.files("doxeval") / "demo_data"))


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory, demo_data: Path) -> Path:
    """The collection of the demo, without an index; nobody changes it."""
    out = tmp_path_factory.mktemp("demo") / "collection"
    assert doxeval("collection", "build", demo_data / "articles", "--out", out).exit_code == 0
    return out


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Sources:
    """What a campaign is made of; nobody changes it."""
    return make_sources(tmp_path_factory.mktemp("sources"))


@pytest.fixture(scope="session")
def new_campaign(tmp_path_factory: pytest.TempPathFactory, sources: Sources) -> Path:
    """A campaign in which nobody has judged anything; nobody changes it."""
    with quick_hashes():
        return make_campaign(tmp_path_factory.mktemp("new") / "campaign", sources)


@pytest.fixture
def campaign(new_campaign: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(new_campaign, tmp_path / "campaign"))


@pytest.fixture
def moveable(sources: Sources, tmp_path: Path) -> tuple[Path, Path]:
    """A campaign, and a copy of the collection that is its own."""
    collection = Path(shutil.copytree(sources.collection, tmp_path / "collection"))
    own = sources._replace(collection=collection)
    return make_campaign(tmp_path / "moveable", own), collection
