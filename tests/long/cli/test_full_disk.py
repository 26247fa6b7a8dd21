"""Every verb that writes, on a disk that is full at some step: one line, and nothing half done."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

import full_disk
from helpers import doxeval

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits on the size of files")


SIZES = "0,1,100,1000,5000,20000,100000"


def tried(directory: Path, steps: str, *words: object, sizes: str = SIZES) -> tuple[int, int]:
    """The numbers of steps that were taken, and of those that failed."""
    command = [sys.executable, full_disk.__file__, str(directory), steps, sizes, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    taken, failed = done.stdout.split()[-2:]
    return int(taken), int(failed)


@pytest.fixture(scope="module")
def demo_data() -> Path:
    return Path(str(resources.files("doxeval") / "demo_data"))


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory, demo_data: Path) -> Path:
    from doxeval.documents import build_collection

    out = tmp_path_factory.mktemp("demo") / "collection"
    build_collection([str(demo_data / "articles")], out)
    return out


@pytest.mark.parametrize("is_there", [False, True])
def test_building_a_collection(tmp_path: Path, demo_data: Path, is_there: bool) -> None:
    from doxeval.documents import build_collection

    out = tmp_path / ("c" if is_there else "new/parents/c")
    if is_there:
        build_collection([str(demo_data / "articles" / "tides.xml")], out)
    words = ("collection", "build", demo_data / "articles", "--out", out, "--force", "--jobs", "1")
    taken, failed = tried(tmp_path, ":", *words)
    assert taken > 20
    assert failed >= taken


def test_merging_collections(tmp_path: Path, demo_data: Path, collection: Path) -> None:
    from doxeval.documents import build_collection

    other = tmp_path.with_name(f"{tmp_path.name}-other")
    (tmp_path / "other.xml").write_text("<article>another</article>")
    build_collection(tmp_path / "other.xml", other)
    (tmp_path / "other.xml").unlink()
    words = ("collection", "merge", collection, other, "--out", tmp_path / "new/c")
    taken, failed = tried(tmp_path, ":", *words)
    assert taken > 20
    assert failed >= taken


def test_indexing_a_collection(tmp_path: Path, collection: Path) -> None:
    words = ("index", "build", collection, "--out", tmp_path / "new/i", "--jobs", "1")
    taken, failed = tried(tmp_path, ":", *words)
    assert taken > 10
    assert failed >= taken


def test_searching(tmp_path: Path, demo_data: Path, collection: Path) -> None:
    from doxeval.retrieve import build_index

    index = build_index(collection, tmp_path.with_name(f"{tmp_path.name}-index")).directory
    words = ("search", collection, demo_data / "topics.xml", "--index", index)
    _, failed = tried(tmp_path, ":", *words, "--out", tmp_path / "a.run")
    assert failed >= 3


@pytest.fixture
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions and chunks of a document, in many lines."""
    folder = tmp_path_factory.mktemp("study")
    sentences = [f"Sentence {number} tells of tides." for number in range(300)]
    (folder / "sea.md").write_text(" ".join(sentences))
    needs = [{"spans": [{"doc": "sea", "quote": sentence}]} for sentence in sentences]
    asked = [{"id": str(at), "question": "?", "needs": [need]} for at, need in enumerate(needs)]
    cut = [{"doc": "sea", "text": sentence} for sentence in sentences]
    samples = [{"user_input": "?", "retrieved_contexts": [sentence]} for sentence in sentences]
    for name, records in (("asked", asked), ("cut", cut), ("samples", samples)):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (folder / f"{name}.jsonl").write_text(lines)
    return folder


def test_finding_gold(tmp_path: Path, study: Path) -> None:
    words = ("chunks", "gold", study / "asked.jsonl", "--docs", study / "sea.md")
    both = ("--out", tmp_path / "j.jsonl", "--topics-out", tmp_path / "t.jsonl")
    _, failed = tried(tmp_path, ":", *words, *both)
    assert failed >= 3


def test_cutting_documents(tmp_path: Path, study: Path) -> None:
    cuts = ("--by", "sentences:1:0", "--by", "words:10:0")
    words = ("chunks", "split", study / "sea.md", *cuts, "--out", tmp_path / "cuts")
    _, failed = tried(tmp_path, ":", *words)
    assert failed >= 3


def test_locating_chunks(tmp_path: Path, study: Path) -> None:
    words = ("chunks", "locate", study / "cut.jsonl", "--docs", study / "sea.md")
    _, failed = tried(tmp_path, ":", *words, "--out", tmp_path / "l.jsonl")
    assert failed >= 3


def test_contexts_that_were_retrieved(tmp_path: Path, study: Path) -> None:
    words = ("chunks", "retrieved", study / "samples.jsonl", "--docs", study / "sea.md")
    _, failed = tried(tmp_path, ":", *words, "--out", tmp_path / "r.jsonl")
    assert failed >= 3


def test_pooling(tmp_path: Path, demo_data: Path) -> None:
    runs = [demo_data / "runs" / f"{name}.run" for name in ("careful", "clerk")]
    words = ("pool", *runs, "--depth", "20", "--out", tmp_path / "new.jsonl")
    _, failed = tried(tmp_path, ":", *words)
    assert failed >= 3


def test_pooling_to_a_directory(tmp_path: Path, demo_data: Path) -> None:
    run = demo_data / "runs" / "careful.run"
    words = ("pool", run, "--depth", "20", "--format", "inex", "--out", tmp_path / "pool")
    taken, failed = tried(tmp_path, ":", *words)
    assert taken > 3
    assert failed >= taken


def test_converting_a_run(tmp_path: Path, demo_data: Path) -> None:
    run = demo_data / "runs" / "careful.run"
    _, failed = tried(tmp_path, ":", "convert", run, tmp_path / "a.jsonl")
    assert failed >= 3 + 3


def test_converting_assessments_to_a_directory(
    tmp_path: Path, demo_data: Path, collection: Path
) -> None:
    words = ("convert", demo_data / "assessments.jsonl", tmp_path / "a", "--to", "highlights")
    taken, failed = tried(tmp_path, ":", *words, "--collection", collection, "--lossy")
    assert taken > 3
    assert failed >= taken


def test_simulating_several_systems(tmp_path: Path, demo_data: Path, collection: Path) -> None:
    given = ("-a", demo_data / "assessments.jsonl", "--collection", collection)
    words = ("simulate", "--system", "perfect", "--system", "document", *given)
    _, failed = tried(tmp_path, ":", *words, "--out", tmp_path / "runs")
    assert failed >= 6


def test_evaluating_to_a_file(tmp_path: Path, demo_data: Path) -> None:
    run, given = demo_data / "runs" / "careful.run", ("-a", demo_data / "assessments.jsonl")
    _, failed = tried(
        tmp_path, ":", "evaluate", run, *given, "-m", "P@5", "--out", tmp_path / "a.csv"
    )
    assert failed >= 3 + 2


def test_a_report_with_figures(tmp_path: Path, demo_data: Path) -> None:
    runs = [demo_data / "runs" / f"{name}.run" for name in ("careful", "clerk")]
    given = ("-a", demo_data / "assessments.jsonl", "-m", "P@5")
    places = ("--out", tmp_path / "report.html", "--figures", tmp_path / "new/figures")
    words = ("report", *runs, *given, *places)
    _, failed = tried(tmp_path, "::4", *words, sizes="1000,40000")
    assert failed >= 4


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory, demo_data: Path, collection: Path) -> Path:
    """A campaign in which somebody has judged everything that the demo has judgments of."""
    folder = tmp_path_factory.mktemp("assess")
    pool, directory = folder / "pool.jsonl", folder / "campaign"
    runs = [demo_data / "runs" / f"{name}.run" for name in ("careful", "clerk")]
    given = ("--collection", collection, "--topics", demo_data / "topics.xml", "--pool", pool)
    judged = demo_data / "assessments.jsonl"
    for words in (
        ("pool", *runs, "--depth", 5, "--collection", collection, "--out", pool),
        ("assess", "init", directory, *given),
        ("assess", "user", "add", directory, "ann"),
        ("assess", "import", directory, judged, "--assessor", "ann"),
    ):
        done = doxeval(*words)
        assert done.exit_code == 0, done.stderr
    return directory


def test_making_a_campaign(
    tmp_path: Path, demo_data: Path, collection: Path, campaign: Path
) -> None:
    pool = campaign.with_name("pool.jsonl")
    given = ("--collection", collection, "--topics", demo_data / "topics.xml", "--pool", pool)
    taken, failed = tried(tmp_path, ":", "assess", "init", tmp_path / "new/campaign", *given)
    assert taken > 3
    assert failed >= taken + 3


@pytest.mark.parametrize("format_", ["jsonl", "inex2005", "annotations", "log"])
def test_exporting_judgments(tmp_path: Path, campaign: Path, format_: str) -> None:
    words = ("assess", "export", campaign, "--format", format_, "--out", tmp_path / "out")
    two_topics = ("--topic", "301", "--topic", "302")
    taken, failed = tried(tmp_path, ":", *words, *two_topics)
    assert taken > 1
    assert failed >= taken


def test_backing_up_and_restoring_a_campaign(tmp_path: Path, campaign: Path) -> None:
    out = tmp_path / "backup.jsonl"
    _, failed = tried(tmp_path, ":", "assess", "backup", campaign, "--out", out)
    assert failed >= 3 + 5
    backup = tmp_path.with_name(f"{tmp_path.name}.jsonl")
    assert doxeval("assess", "backup", campaign, "--out", backup).exit_code == 0
    words = ("assess", "restore", backup, tmp_path / "new/campaign")
    taken, failed = tried(tmp_path, ":", *words)
    assert failed >= taken + 3


def test_importing_judgments(tmp_path: Path, campaign: Path, demo_data: Path) -> None:
    directory = Path(shutil.copytree(campaign, tmp_path / "campaign"))
    assert doxeval("assess", "user", "add", directory, "bob").exit_code == 0
    words = ("assess", "import", directory, demo_data / "assessments.jsonl", "--assessor", "bob")
    _, failed = tried(tmp_path, ":", *words)
    assert failed >= 3


def test_the_demo(tmp_path: Path) -> None:
    words = ("demo", "--out", tmp_path / "new" / "demo")
    _, failed = tried(tmp_path, "4:130:60", *words, sizes="100,100000")
    assert failed == 5
