"""Fixtures: collections made on the spot, and the command line called as a user would."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from doxeval.documents import BuildOptions, Collection, build_collection
from helpers import Builder, write_files

pytest_plugins = ["levels", "skipping_hooks", "leftovers", "slowest"]
# They hold fixtures, not examples; as modules with examples they would all have the same name.
collect_ignore_glob = ["*/conftest.py"]


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests need not survive a power failure."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


# Thousands of tests and their modules stay alive: garbage is not looked for among them.
gc.disable()


def pytest_collection_finish() -> None:
    """Collect garbage from here on, among what the tests themselves make."""
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser. Each module has its own, because an open one keeps others from using asyncio."""
    automation = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is not installed")
    with automation.sync_playwright() as started:
        # Without --disable-gpu, it waits for a graphics card that is not there.
        flags = ["--no-sandbox", "--disable-gpu"]
        opened = started.chromium.launch(executable_path=program, args=flags)
        yield opened
        opened.close()


@pytest.fixture
def build(tmp_path: Path) -> Builder:
    """Build a collection of files given as {name: contents}."""
    made = 0

    def builder(files: Mapping[str, str | bytes], jobs: int = 1, **options: Any) -> Collection:
        nonlocal made
        made += 1
        source = tmp_path / f"source{made}"
        write_files(source, files)
        out = tmp_path / f"collection{made}"
        build_collection([str(source)], out, BuildOptions(**options), jobs=jobs)
        return Collection(out)

    return builder


@pytest.fixture(scope="session", autouse=True)
def _no_cache_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing is downloaded into the home of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("DOXEVAL_CACHE", str(tmp_path_factory.mktemp("downloads")))
        yield


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of its own for collections at URLs, and a far store without faults."""
    from far_store import FarStore

    monkeypatch.setenv("DOXEVAL_CACHE", str(tmp_path / "cache"))
    FarStore.reset()
    yield tmp_path / "cache"
    FarStore.reset()
