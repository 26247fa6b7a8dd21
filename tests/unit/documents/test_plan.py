"""Every document is read once, in order, however a build is divided into shards and batches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from building import contents, in_small_batches
from doxeval.documents import (
    BuildOptions,
    BuildReport,
    Collection,
    IdRule,
    build_collection,
    text_parts,
)
from helpers import doxeval, write_files
from levels import examples
from mixed_sources import mixed_files
from seams import change

PATHS = BuildOptions(id_rule=IdRule("path"), skip_broken=True)
SIZES = st.fixed_dictionaries(
    {
        "batch_bytes": st.integers(1, 400),
        "batch_documents": st.integers(1, 5),
        "shard_batches": st.integers(1, 4),
        "shards_until_larger": st.integers(1, 3),
    }
)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("source"), mixed_files())


@pytest.fixture(scope="module")
def whole(source: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    """What a build at once gives: all documents are in one batch."""
    out = tmp_path_factory.mktemp("whole") / "c"
    return what_was_built(out, build_collection([str(source)], out, PATHS))


def what_was_built(out: Path, report: BuildReport) -> tuple[object, ...]:
    collection = Collection(out)
    return (
        list(collection.ids()),
        origins(out),
        [collection.text_of(number) for number in range(len(collection))],
        list(map(str, report.broken)),
        report.passed_over,
        report.suffixes_kept,
        report.source_bytes,
    )


def origins(out: Path) -> list[str]:
    return (out / "documents.origins.txt").read_text().splitlines()


@examples(30)
@given(SIZES, st.booleans())
def test_shards_hold_all_documents_in_order(
    source: Path,
    whole: tuple[object, ...],
    tmp_path_factory: pytest.TempPathFactory,
    sizes: dict[str, int],
    is_planned: bool,
) -> None:
    """With a bar, the sources are walked before anything is read."""
    out = tmp_path_factory.mktemp("build") / "c"
    done: list[int] = []
    totals: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        in_small_batches(patch, **sizes)
        report = build_collection(
            [str(source)],
            out,
            PATHS,
            progress=lambda size, _: done.append(size),
            planned=totals.append if is_planned else None,
        )
    assert what_was_built(out, report) == whole
    assert len(totals) == is_planned
    assert all(sum(done) <= total for total in totals)


def test_shards_of_small_files_are_whole_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each shard has a part of the text, and shards grow with their number."""
    in_small_batches(
        monkeypatch, batch_bytes=200, batch_documents=3, shard_batches=2, shards_until_larger=2
    )
    source = write_files(tmp_path / "s", {f"{at:03}.xml": "<a>text</a>" for at in range(100)})
    build_collection(source, tmp_path / "c")
    files = contents(tmp_path / "c")
    documents = [len(files[part]) // len("text") for part in text_parts(files)]
    assert documents == [6, 6, 9, 9, 12, 12, 15, 15, 16]


LINES = st.sampled_from(["", " ", "x", "broken " * 4, "document", "longer document"])


@examples(60)
@given(st.lists(LINES), st.integers(1, 60))
def test_ranges_of_lines_keep_their_numbers(
    tmp_path_factory: pytest.TempPathFactory, kinds: list[str], size: int
) -> None:
    directory = tmp_path_factory.mktemp("lines")
    path, out = directory / "a.jsonl", directory / "c"
    lines = [
        json.dumps({"id": str(number), "text": kind}) if "document" in kind else kind
        for number, kind in enumerate([*kinds, "document"], 1)
    ]
    path.write_text("\n".join(lines))
    done: list[int] = []
    totals: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        in_small_batches(patch, batch_bytes=size, shard_batches=1)
        report = build_collection(
            [str(path)],
            out,
            PATHS,
            progress=lambda size, _: done.append(size),
            planned=totals.append,
        )
    numbers = [number for number, line in enumerate(lines, 1) if line.startswith("{")]
    assert list(Collection(out).ids()) == list(map(str, numbers))
    assert origins(out) == [f"{path}:{number}" for number in numbers]
    broken = [n for n, line in enumerate(lines, 1) if line.strip() and not line.startswith("{")]
    assert [error.origin for error in report.broken] == [f"{path}:{number}" for number in broken]
    assert sum(done) <= totals[0]


def test_the_bar_knows_its_end(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, is_watched=lambda: True)
    arguments = ("--id", "path", "--skip-broken", "--jobs", 1)
    result = doxeval("collection", "build", source, "--out", tmp_path / "c", *arguments)
    assert result.exit_code == 0
    assert "documents" in result.stdout
