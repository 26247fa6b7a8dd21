"""Every command and function that takes a collection takes its URL, with the same results."""

from __future__ import annotations

from pathlib import Path

import fsspec
import pytest

from doxeval import build_collection, evaluate
from doxeval.cli import copy_data
from doxeval.documents import Collection
from doxeval.evaluation import Evaluation
from doxeval.scores import ScoreTable
from helpers import doxeval
from ranged_server import served

MEASURES = ("MAiP", "MAgP", "ESRR@10", "nxCG@10")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("demo")
    copy_data(directory)
    build_collection([str(directory / "articles")], directory / "collection")
    return directory


@pytest.fixture
def url(data: Path, own_cache: Path) -> str:
    return f"far://{data}/collection"


def runs(data: Path) -> list[str]:
    return [str(data / "runs" / f"{name}.run") for name in ("careful", "clerk", "collector")]


def scores(data: Path, collection: str | Path, jobs: int = 1) -> ScoreTable:
    given = (runs(data), str(data / "assessments.jsonl"), MEASURES)
    return evaluate(*given, collection=collection, jobs=jobs)


def test_scores_are_the_same(data: Path, url: str) -> None:
    far = scores(data, url)
    assert far.runs == scores(data, data / "collection").runs
    assert far.collection == url
    assert url in repr(Evaluation(str(data / "assessments.jsonl"), MEASURES, collection=url))


def test_other_processes_read_texts_over_connections_of_their_own(
    data: Path, own_cache: Path
) -> None:
    pytest.importorskip("aiohttp", reason="aiohttp is not installed")
    with served(data / "collection") as url:
        assert scores(data, url, jobs=2).runs == scores(data, data / "collection").runs


def test_processes_need_no_store_of_their_own(data: Path, own_cache: Path) -> None:
    """Nobody but this process has its memory: the others open the cache by the checksum."""
    memory = fsspec.filesystem("memory")
    memory.put(f"{data}/collection/", "/remote-evaluation/", recursive=True)
    given = (runs(data), str(data / "assessments.jsonl"), ("MAiP", "nxCG@10"))
    try:
        far = evaluate(*given, collection="memory://remote-evaluation", jobs=2)
        texts = Collection("memory://remote-evaluation")
        near = Collection(data / "collection")
        assert [texts.text_of(n) for n in range(3)] == [near.text_of(n) for n in range(3)]
    finally:
        memory.rm("/remote-evaluation", recursive=True)
    near_scores = evaluate(*given, collection=near)
    assert far.runs == near_scores.runs


def test_commands_take_a_url(data: Path, url: str, tmp_path: Path) -> None:
    run, judged, page = runs(data)[0], ("-a", data / "assessments.jsonl"), tmp_path / "page.html"
    commands: list[tuple[object, ...]] = [
        ("evaluate", run, *judged, "-m", "MAiP", "--format", "json"),
        ("validate", run, "--task", "focused"),
        ("assessments", data / "assessments.jsonl"),
        ("navigation", "depth", "--doc", "tides"),
        ("pool", run, "--depth", 5, "--out", tmp_path / "pool.jsonl"),
        ("simulate", *judged, "--system", "perfect", "--out", tmp_path / "perfect.run"),
        ("report", run, *judged, "-m", "MAiP", "--out", page),
    ]
    for words in commands:
        far = doxeval(*words, "--collection", url)
        assert far.exit_code == 0, far.stderr
        if "--out" not in words:
            near = doxeval(*words, "--collection", data / "collection")
            assert far.stdout.replace(url, str(data / "collection")) == near.stdout
    assert Collection(url).checksum[:12] in page.read_text(encoding="utf-8")
