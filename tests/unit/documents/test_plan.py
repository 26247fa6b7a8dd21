"""The plan of a build: every document once, in order, however large shards and batches are."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import (
    BuildOptions,
    BuildReport,
    Collection,
    Contents,
    IdRule,
    Plan,
    RawDocument,
    Shard,
    Sizes,
    batches,
    build_collection,
    documents_of,
    is_text,
)
from doxeval.errors import DocumentError, SourceError
from helpers import doxeval, write_files
from levels import examples
from mixed_sources import json_lines, mixed_files
from seams import change

TINY = Sizes(batch_bytes=200, batch_documents=3, shard_batches=2, shards_until_larger=2)
PATHS = BuildOptions(id_rule=IdRule("path"), skip_broken=True)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("source"), mixed_files())


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def as_parts(report: BuildReport) -> tuple[object, ...]:
    return (
        report.documents,
        report.source_bytes,
        list(map(str, report.broken)),
        report.passed_over.most_common(),
        report.suffixes_kept,
        report.selector_use,
    )


def test_any_number_of_jobs_reads_archives_alike(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, build_sizes=TINY)
    found = []
    for jobs in (1, 3):
        broken: list[DocumentError] = []
        seen: list[tuple[int, int]] = []
        totals: list[int] = []
        report = build_collection(
            source,
            tmp_path / str(jobs),
            PATHS,
            jobs=jobs,
            progress=lambda *step, seen=seen: seen.append(step),
            planned=totals.append,
            on_broken=broken.append,
        )
        assert broken == report.broken
        assert len(broken) == 2
        assert sum(count for _, count in seen) == report.documents
        assert sum(size for size, _ in seen) <= totals[0]
        found.append(as_parts(report))
    assert found[0] == found[1]
    assert contents(tmp_path / "1") == contents(tmp_path / "3")
    collection = Collection(tmp_path / "1")
    assert collection.verify().problems == ()
    assert len([name for name in contents(tmp_path / "1") if is_text(name)]) > 5
    origins = (tmp_path / "1" / "documents.origins.txt").read_text().splitlines()
    lines = [origin for origin in origins if "large.jsonl" in origin]
    assert lines == [f"{source}/b/large.jsonl:{1 + 2 * at}" for at in range(40)]


sizes = st.builds(
    Sizes, st.integers(1, 400), st.integers(1, 5), st.integers(1, 4), st.integers(1, 3)
)


@examples(30)
@given(sizes)
def test_shards_hold_all_documents_in_order(source: Path, own: Sizes) -> None:
    plan = Plan([str(source)], PATHS, own)
    shards = list(plan.shards())
    expected = [(raw.origin, raw.name, raw.content) for raw in documents_of([str(source)], PATHS)]
    found = list(read_apart(shards))
    assert [(raw.origin, raw.name, raw.content) for raw in found] == expected
    assert [shard.number for shard in shards] == list(range(len(shards)))
    again = Plan([str(source)], PATHS, own)
    assert again.walked() == sum(shard.weight for shard in shards)
    assert list(again.shards()) == shards


def read_apart(shards: list[Shard]) -> Iterator[RawDocument]:
    for shard in shards:
        yield from Contents(PATHS).documents(shard.files)


def test_shards_of_small_files_are_whole_batches(tmp_path: Path) -> None:
    source = write_files(tmp_path, {f"{at:03}.xml": "<a>text</a>" for at in range(100)})
    shards = list(Plan([str(source)], BuildOptions(), TINY).shards())
    assert [len(shard.files) for shard in shards][:4] == [6, 6, 9, 9]
    together = batches(documents_of([str(source)], BuildOptions()), TINY)
    apart = [
        batch
        for shard in shards
        for batch in batches(Contents(BuildOptions()).documents(shard.files), TINY)
    ]
    assert list(together) == apart


lines = st.lists(st.sampled_from([b"", b"\n", b" \n", b"x\n", b"longer\n", b"y" * 30 + b"\n"]))


@examples(30)
@given(lines, st.integers(1, 20))
def test_ranges_of_lines_keep_their_numbers(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], size: int
) -> None:
    path = tmp_path_factory.mktemp("lines") / "a.jsonl"
    path.write_bytes(b"".join(lines) + b"end")
    own = Sizes(batch_bytes=size, shard_batches=1)
    whole = list(documents_of([str(path)], PATHS))
    shards = list(Plan([str(path)], PATHS, own).shards())
    assert [one._replace(weight=0) for one in read_apart(shards)] == [
        one._replace(weight=0) for one in whole
    ]
    weights = [sum(one.weight for one in read_apart([shard])) for shard in shards]
    assert all(weight <= shard.weight for weight, shard in zip(weights, shards, strict=True))


def test_a_pipe_is_read_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes may not have it, and whoever opens it first takes what is in it."""
    change(monkeypatch, build_sizes=TINY)
    files = {"a.jsonl": json_lines("a", 30), "c.jsonl": json_lines("c", 30)}
    source = write_files(tmp_path / "s", files)
    end, beginning = os.pipe()
    os.write(beginning, json_lines("b", 30).encode())
    os.close(beginning)
    sources = [f"{source}/a.jsonl", f"/dev/fd/{end}", f"{source}/c.jsonl"]
    options = BuildOptions(format="jsonl")
    report = build_collection(sources, tmp_path / "c", options, jobs=2)
    os.close(end)
    assert report.documents == 90


@pytest.mark.parametrize("jobs", [1, 2])
def test_errors_come_in_the_order_of_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    change(monkeypatch, build_sizes=TINY)
    good = json_lines("a", 30)
    files = {"a.jsonl": good, "b.jsonl": '{"id": "b"}\n' + json_lines("b", 30)}
    source = write_files(tmp_path / "s", files)
    with pytest.raises(DocumentError, match=r"b\.jsonl:1: expected a JSON object"):
        build_collection([source, "no/such/place"], tmp_path / "c", jobs=jobs)
    (source / "b.jsonl").write_text(good)
    with pytest.raises(DocumentError, match=r"b\.jsonl:1: duplicate.*first given to .*a\.jsonl:1"):
        build_collection([source, "no/such/place"], tmp_path / "c", jobs=jobs)
    with pytest.raises(SourceError, match="no/such/place"):
        build_collection([source / "a.jsonl", "no/such/place"], tmp_path / "c", jobs=jobs)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s"]


def test_the_bar_knows_its_end(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, is_watched=lambda: True)
    arguments = ("--id", "path", "--skip-broken", "--jobs", 1)
    result = doxeval("collection", "build", source, "--out", tmp_path / "c", *arguments)
    assert result.exit_code == 0
    assert "documents" in result.stdout
