"""Fixtures: collections made on the spot, and the command line called as a user would."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, settings

from doxeval.cli import main
from doxeval.cli.ending import UNEXPECTED
from doxeval.documents import BuildOptions, Collection, build_collection

# Every run tries the same examples, so that a failure is a failure for everybody. `make fuzz` tries
# fresh ones (pytest --hypothesis-profile=explore).
settings.register_profile(
    "doxeval",
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
settings.register_profile(
    "explore",
    settings.get_profile("doxeval"),
    derandomize=False,
    max_examples=500,
    print_blob=True,
)
settings.load_profile("doxeval")

pytest_plugins = ["skipping_hooks", "leftovers"]
Builder = Callable[..., Collection]

# Small cases of our own making; tests/data/README.md tells where each comes from.
DATA = Path(__file__).resolve().parent / "data"
# Large real inputs and other programs' answers. They are not ours to copy, so they are used where
# they lie beside the project.
CONFORMANCE = Path(__file__).resolve().parents[2] / "shared" / "conformance"
needs_conformance = pytest.mark.skipif(
    not CONFORMANCE.is_dir(),
    reason="the real conformance data (../shared/conformance) are not beside the project",
)


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests need not survive a power failure."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def pytest_collection_finish() -> None:
    """Leave thousands of tests and their modules alone when garbage is collected."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser. Each module has its own, because an open one keeps others from using asyncio."""
    automation = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is not installed")
    with automation.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
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


def write_files(directory: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, contents in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
    return directory


def doxeval(*arguments: object) -> Result:
    """Call the command line; an exception that nobody expected fails the test."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert UNEXPECTED not in result.stderr, result.stderr
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result
