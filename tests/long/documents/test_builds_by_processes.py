"""Builds in several processes, interrupted ones, and those that the system itself stops."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from building import contents, in_small_batches, unfinished_in
from doxeval.documents import (
    BuildOptions,
    BuildReport,
    Collection,
    IdRule,
    Limits,
    build_collection,
    text_parts,
)
from doxeval.errors import DocumentError, SourceError
from helpers import Builder, write_files
from mixed_sources import json_lines, mixed_files

TINY = {"batch_bytes": 200, "batch_documents": 3, "shard_batches": 2, "shards_until_larger": 2}
PATHS = BuildOptions(id_rule=IdRule("path"), skip_broken=True)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("source"), mixed_files())


def test_the_result_does_not_depend_on_the_number_of_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_small_batches(monkeypatch, batch_documents=7)
    files = {f"{n}.xml": f"<a>{'<b>x é</b>' * n}<c{n % 5}/></a>" for n in range(60)}
    source = write_files(tmp_path / "s", {**files, "broken.xml": "<a>"})
    options = BuildOptions(skip_broken=True)
    reports = [
        build_collection([str(source)], tmp_path / f"c{jobs}", options, jobs=jobs)
        for jobs in (1, 2, 3)
    ]
    assert contents(tmp_path / "c1") == contents(tmp_path / "c2") == contents(tmp_path / "c3")
    assert [len(report.broken) for report in reports] == [1, 1, 1]
    assert (tmp_path / "c1" / "manifest.json").stat().st_size > 0


def test_errors_come_back_from_other_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_small_batches(monkeypatch, batch_documents=2)
    files = {f"{n:02}.xml": "<a/>" for n in range(30)}
    source = write_files(tmp_path / "s", {**files, "15.xml": "<a>\n&nosuch;</a>"})
    with pytest.raises(DocumentError, match=r"15\.xml:2:1: undefined entity &nosuch;"):
        build_collection([str(source)], tmp_path / "c", jobs=2)
    assert unfinished_in(tmp_path) == []


def test_a_limit_on_file_size_leaves_nothing(tmp_path: Path) -> None:
    """The system itself refuses to write, in the middle of the text."""
    source = write_files(tmp_path / "s", {"a.txt": "x" * 200_000})
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000));"
        "from doxeval.cli import main; main()"
    )
    command = [sys.executable, "-c", script, "collection", "build", str(source), "--out"]
    done = subprocess.run([*command, str(tmp_path / "c")], capture_output=True, text=True)
    assert done.returncode == 1
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_leaves_nothing(tmp_path: Path, jobs: int) -> None:
    source = tmp_path / "s"
    paragraph = "<p>" + "word " * 50 + "</p>"
    write_files(source, {f"{n}.xml": f"<a>{paragraph * 4000}</a>" for n in range(60)})
    command = [sys.executable, "-m", "doxeval", "collection", "build", str(source)]
    command += ["--jobs", str(jobs), "--out", str(tmp_path / "c")]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 20
    while not unfinished_in(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert unfinished_in(tmp_path), "the build never started"
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (130, "Interrupted\n")
    assert unfinished_in(tmp_path) == []
    assert not (tmp_path / "c").exists()


def test_a_polite_kill_leaves_nothing(tmp_path: Path) -> None:
    source = write_files(
        tmp_path / "s", {f"{n}.xml": f"<a>{'<p>x</p>' * 90000}</a>" for n in range(9)}
    )
    command = [sys.executable, "-m", "doxeval", "collection", "build", str(source), "--jobs", "1"]
    process = subprocess.Popen([*command, "--out", str(tmp_path / "c")], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while not unfinished_in(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.terminate()
    assert process.wait(timeout=30) == 143
    assert unfinished_in(tmp_path) == []


def test_the_deepest_document_there_can_be(build: Builder) -> None:
    deepest = "<a>" * 30_000 + "x" + "</a>" * 30_000
    collection = build({"a.xml": deepest}, limits=Limits(depth=30_000))
    assert collection.statistics.deepest == 30_000
    assert collection.node(29_999).depth == 30_000
    path = collection.path_of(29_999)
    assert path == "/a[1]" * 30_000
    assert collection.element("a", path).text == "x"
    with pytest.raises(DocumentError, match="elements nested more than 30,000 deep; depth="):
        build({"a.xml": f"<b>{deepest}</b>"}, limits=Limits(depth=30_000))


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
    in_small_batches(monkeypatch, **TINY)
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
    assert len(text_parts(contents(tmp_path / "1"))) > 5
    origins = (tmp_path / "1" / "documents.origins.txt").read_text().splitlines()
    lines = [origin for origin in origins if "large.jsonl" in origin]
    assert lines == [f"{source}/b/large.jsonl:{1 + 2 * at}" for at in range(40)]


def test_a_pipe_is_read_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes may not have it, and whoever opens it first takes what is in it."""
    in_small_batches(monkeypatch, **TINY)
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


def test_a_document_in_a_pipe_is_read_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_small_batches(monkeypatch, **TINY)
    source = write_files(tmp_path / "s", {f"a{at:02}.xml": "<a>text</a>" for at in range(40)})
    end, beginning = os.pipe()
    os.write(beginning, b"<a>piped</a>")
    os.close(beginning)
    options = BuildOptions(format="xml")
    build_collection([source, f"/dev/fd/{end}"], tmp_path / "c", options, jobs=2)
    os.close(end)
    assert Collection(tmp_path / "c").text_of(40) == "piped"


@pytest.mark.parametrize("jobs", [1, 2])
def test_errors_come_in_the_order_of_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    in_small_batches(monkeypatch, **TINY)
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


def test_any_number_of_jobs_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_small_batches(monkeypatch, batch_documents=2)
    pages = {
        f"{n:03}.html": f"<nav>{n}</nav><main><h1>{n}</h1>{'<h2>x</h2><p>word ' * n}</main>"
        for n in range(20)
    }
    xml = {f"x{n}.xml": f"<a dir='rtl'><info>{n}</info><p>{n}</p></a>" for n in range(9)}
    single = {"020.html": "<p lang=he>x", "021.html": "<nav>y</nav>z"}
    source = write_files(tmp_path / "s", {**pages, **single, **xml})
    options = BuildOptions(root="main", drop=["h2:first-child", "nav", "//info"])
    reports = [
        build_collection(source, tmp_path / f"c{jobs}", options, jobs=jobs) for jobs in (1, 2)
    ]
    assert Collection(tmp_path / "c1") == Collection(tmp_path / "c2")
    assert reports[0].selector_use == reports[1].selector_use
    assert reports[0].pattern_use == reports[1].pattern_use
    assert reports[0].pattern_use.dropped == (9,)
    assert reports[0].selector_use.without_root == 2
    warning = "root='main' selects nothing in 2 of 22 pages: taken whole"
    assert reports[0].warnings == reports[1].warnings
    assert warning in reports[0].warnings
