"""Building collections: sources, ids, options, several processes, and what is left behind."""

from __future__ import annotations

import bz2
import errno
import gzip
import hashlib
import io
import lzma
import os
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Builder, write_files
from doxeval.documents import BuildOptions, Collection, IdRule, Limits, build_collection, writer
from doxeval.documents.html import read_html
from doxeval.documents.markdown import read_markdown
from doxeval.documents.nodes import NodeTable, tabulate
from doxeval.documents.raw import RawDocument
from doxeval.documents.sources import Walk
from doxeval.errors import DocumentError, MissingText, OutputError, SourceError, SyntaxProblem
from doxeval.files import zstd
from strategies import Node, collections_of, html_pages, markdown_texts

ARTICLES = {
    "co/1999/r1.xml": "<article><id> first </id><p>Eins</p></article>",
    "co/2000/r2.xml": "<article><id>second</id><p>Zwei — 2</p></article>",
}


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def leftovers(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir() if path.name.startswith(".")]


@settings(max_examples=25)
@given(collections_of())
def test_what_is_built_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, documents: list[Node]
) -> None:
    directory = tmp_path_factory.mktemp("build")
    for number, document in enumerate(documents):
        (directory / f"{number}.xml").write_bytes(document.source.encode())
    kinds: list[Literal["plain", "compressed"]] = ["plain", "compressed"]
    for text in kinds:
        out = directory / text
        build_collection([f"{directory}/*.xml"], out, BuildOptions(text=text))
        collection = Collection(out)
        assert list(collection.ids()) == [str(number) for number in range(len(documents))]
        for number, document in enumerate(documents):
            assert collection.root(str(number)).text == document.text
            assert collection.text_of(number) == document.text


def _rows(table: NodeTable) -> list[tuple[object, ...]]:
    labels = [table.summary.label(path) for path in table.columns.path.tolist()]
    rest = [column.tolist() for column in table.columns[1:]]
    return list(zip(labels, *rest, strict=True))


@settings(max_examples=40)
@given(st.lists(html_pages(), min_size=1, max_size=3), st.lists(markdown_texts(), max_size=3))
def test_html_and_markdown_are_read_as_they_were_built(
    tmp_path_factory: pytest.TempPathFactory, pages: list[str], texts: list[str]
) -> None:
    directory = tmp_path_factory.mktemp("build")
    expected = []
    for number, page in enumerate(pages):
        (directory / f"a{number}.html").write_bytes(page.encode())
        expected.append(read_html(page, Limits(), "a.html"))
    for number, text in enumerate(texts):
        (directory / f"b{number}.md").write_bytes(text.encode())
        expected.append(read_markdown(text, Limits(), "a.md"))
    build_collection([str(directory)], directory / "c")
    collection = Collection(directory / "c")
    everything = NodeTable(collection.nodes, collection.rows, collection.summary)
    assert _rows(everything) == [row for marks in expected for row in _rows(tabulate(marks))]
    for number, marks in enumerate(expected):
        assert collection.text_of(number).encode() == b"".join(marks.texts)
        root = collection.node(int(collection.rows[number]))
        assert root.sha256 == hashlib.sha256(b"".join(marks.texts)).hexdigest()


@pytest.mark.parametrize("rule", ["stem", "path", "//id", "//article/id"])
def test_ids(build: Builder, rule: str) -> None:
    expected = {"stem": ["r1", "r2"], "path": ["co/1999/r1", "co/2000/r2"]}
    collection = build(ARTICLES, id_rule=IdRule.parse(rule))
    assert list(collection.ids()) == expected.get(rule, ["first", "second"])


def test_ids_from_attributes(build: Builder) -> None:
    files = {
        "a.xml": '<doc><x id="no"/><name lang="en" id="n&eacute;1"/></doc>',
        "b.html": '<p><name id="n2">',
    }
    assert list(build(files, id_rule=IdRule.parse("//name/@id")).ids()) == ["né1", "n2"]
    assert list(build(files, id_rule=IdRule.parse("//@id")).ids()) == ["no", "n2"]


def test_a_reference_to_a_document_is_normalised(build: Builder) -> None:
    collection = build(ARTICLES, id_rule=IdRule.parse("path"))
    asked = [" ./co/1999/r1.xml ", "co/2000/r2", "r2", "CO/2000/r2", ""]
    assert collection.find_documents(asked).tolist() == [0, 1, -1, -1, -1]


def test_a_wrong_id_rule_is_refused() -> None:
    with pytest.raises(SyntaxProblem, match="expected stem, path, or an XPath"):
        IdRule.parse("name")


def test_duplicate_ids_stop_the_build_and_name_both(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"a/x.xml": "<a/>", "b/x.xml": "<a/>"})
    with pytest.raises(DocumentError, match=r"b/x\.xml: duplicate document id 'x', first given to"):
        build_collection([str(source)], tmp_path / "c")
    assert not (tmp_path / "c").exists()
    build_collection([str(source)], tmp_path / "c", BuildOptions(id_rule=IdRule.parse("path")))


def test_duplicate_ids_are_noticed_across_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("doxeval.documents.build._BATCH_DOCUMENTS", 3)
    files = {f"{n // 10}/{n}.xml": "<a/>" for n in range(40)}
    source = write_files(tmp_path / "s", {**files, "z/17.xml": "<a/>"})
    with pytest.raises(DocumentError, match=r"z/17\.xml.*first given to .*/1/17\.xml"):
        build_collection([str(source)], tmp_path / "c")


def _tar(path: Path, mode: str, files: dict[str, str]) -> None:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        link = tarfile.TarInfo("link.xml")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        for name, text in files.items():
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tgz", "a.tar.xz", "a.tar.zst", "a.zip"])
def test_archives(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name.endswith(".zip"):
        with zipfile.ZipFile(path, "w") as archive:
            for member, text in ARTICLES.items():
                archive.writestr(member, text)
    elif name.endswith(".zst"):
        _tar(tmp_path / "plain.tar", "w", ARTICLES)
        path.write_bytes(zstd().compress((tmp_path / "plain.tar").read_bytes()))
    else:
        modes = {".gz": "w:gz", ".tgz": "w:gz", ".xz": "w:xz"}
        _tar(path, modes.get(path.suffix, "w"), ARTICLES)
    options = BuildOptions(id_rule=IdRule.parse("path"))
    build_collection([str(path)], tmp_path / "c", options)
    collection = Collection(tmp_path / "c")
    assert list(collection.ids()) == ["co/1999/r1", "co/2000/r2"]
    assert collection.root("co/2000/r2").text == "secondZwei — 2"


def test_archives_inside_a_directory(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    _tar(tmp_path / "s" / "part.tar", "w", ARTICLES)
    build_collection([str(tmp_path / "s")], tmp_path / "c", BuildOptions(id_rule=IdRule("path")))
    assert list(Collection(tmp_path / "c").ids()) == ["part/co/1999/r1", "part/co/2000/r2"]


def test_files_of_many_documents_inside_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("lines.jsonl", '{"id": "one", "text": "1"}\n{"id": "two", "text": "2"}\n')
        archive.writestr("dump.xml.gz", gzip.compress(b"<d><p><id>three</id></p><p/></d>"))
        archive.writestr("picture.png", b"x")
    options = BuildOptions(record="p", id_rule=IdRule.parse("//id"), skip_broken=True)
    report = build_collection([str(path)], tmp_path / "c", options)
    assert list(Collection(tmp_path / "c").ids()) == ["one", "two", "three"]
    assert [str(error) for error in report.broken] == [
        f"{path}!dump.xml.gz:1: --id //id finds nothing in it"
    ]
    assert report.passed_over == {".png": 1}


def test_a_line_that_is_too_long_can_be_skipped(tmp_path: Path) -> None:
    long = '{"id": "b", "text": "' + "x" * 3_000_000 + '"}'
    lines = ['{"id": "a", "text": "1"}', long, '{"id": "c", "text": "3"}']
    source = write_files(tmp_path / "s", {"a.jsonl": "\n".join(lines)})
    options = BuildOptions(skip_broken=True, limits=Limits(bytes=1_000_000))
    report = build_collection([str(source)], tmp_path / "c", options)
    assert list(Collection(tmp_path / "c").ids()) == ["a", "c"]
    assert [error.origin for error in report.broken] == [f"{source}/a.jsonl:2"]


def test_broken_records_end_their_file_but_not_the_build(tmp_path: Path) -> None:
    files = {
        "a.xml": "<d><p><id>1</id></p><p>&nosuch;</p><p><id>lost</id></p></d>",
        "b.xml": "<d><p><id>2</id></p></d>",
    }
    source = write_files(tmp_path / "s", files)
    options = BuildOptions(record="p", id_rule=IdRule.parse("//id"), skip_broken=True)
    report = build_collection([str(source)], tmp_path / "c", options)
    assert "undefined entity &nosuch;" in str(report.broken[0])
    assert list(Collection(tmp_path / "c").ids()) == ["1", "2"]


def test_links_that_lead_nowhere_are_counted(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"a.xml": "<a/>"})
    (source / "b.xml").symlink_to(tmp_path / "nowhere.xml")
    (source / "loop").symlink_to(source)
    report = build_collection([str(source)], tmp_path / "c")
    assert (report.documents, report.passed_over) == (1, {"links and special files": 2})


def test_a_file_that_vanishes_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_files(tmp_path / "s", {"a.xml": "<a/>"})
    real = Walk.documents

    def vanishing(self: Walk) -> Iterator[RawDocument]:
        documents = list(real(self))
        (source / "a.xml").unlink()
        return iter(documents)

    monkeypatch.setattr(Walk, "documents", vanishing)
    with pytest.raises(DocumentError, match=r"a\.xml: No such file"):
        build_collection([str(source)], tmp_path / "c")


def test_compressed_files(build: Builder) -> None:
    text = b"<a>caf\xc3\xa9</a>"
    collection = build(
        {
            "a.xml.gz": gzip.compress(text),
            "b.xml.bz2": bz2.compress(text),
            "c.xml.xz": lzma.compress(text),
            "d.xml.zst": zstd().compress(text) + zstd().compress(b""),
        }
    )
    assert list(collection.ids()) == ["a", "b", "c", "d"]
    assert {collection.root(name).text for name in collection.ids()} == {"café"}


@pytest.mark.parametrize("name", ["a.xml.gz", "a.xml.bz2", "a.xml.xz", "a.xml.zst"])
def test_damaged_compression_is_told(build: Builder, name: str) -> None:
    compress = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
    suffix = name.rpartition(".")[2]
    text = b"<a>" + bytes(range(65, 90)) * 99 + b"</a>"
    whole = compress.get(suffix, zstd().compress)(text)
    with pytest.raises(DocumentError, match=rf"{name}: "):
        build({name: whole[:-9]})
    with pytest.raises(DocumentError, match=rf"{name}: "):
        build({name: b"this is not compressed"})


def test_records_of_one_file(tmp_path: Path) -> None:
    dump = (
        '<?xml version="1.0"?>\n<!DOCTYPE dump [<!ENTITY who "W&#233;lt">]>\n'
        "<dump><about>no</about>\n"
        + "".join(
            f'<page n="{n}">\n<id>p{n}</id> Hallo &who;&nbsp;{n}<page>inner</page></page>\n'
            for n in range(50)
        )
        + "</dump>"
    )
    path = tmp_path / "dump.xml.gz"
    path.write_bytes(gzip.compress(dump.encode()))
    for rule, first in (("/page/id", "p0"), ("/page/@n", "0")):
        options = BuildOptions(record="page", id_rule=IdRule.parse(rule))
        build_collection([str(path)], tmp_path / "c", options, force=True, jobs=2)
        collection = Collection(tmp_path / "c")
        assert len(collection) == 50
        assert next(collection.ids()) == first
        assert collection.root(first).text == "\np0 Hallo Wélt\u00a00inner"
        assert collection.element(first, "/page[1]/page[1]").text == "inner"


def test_records_need_an_id_and_a_tag_that_occurs(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"d.xml": "<dump><page>a</page></dump>"})
    with pytest.raises(SourceError, match="--record needs --id"):
        build_collection([str(source)], tmp_path / "c", BuildOptions(record="page"))
    options = BuildOptions(record="doc", id_rule=IdRule.parse("//id"))
    with pytest.raises(SourceError, match=r"d\.xml: no element <doc> in the file"):
        build_collection([str(source)], tmp_path / "c", options)
    options = BuildOptions(record="page", id_rule=IdRule.parse("//id"))
    with pytest.raises(DocumentError, match=r"d\.xml:1: --id //id finds nothing in it"):
        build_collection([str(source)], tmp_path / "c", options)


def test_the_result_does_not_depend_on_the_number_of_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("doxeval.documents.build._BATCH_DOCUMENTS", 7)
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
    monkeypatch.setattr("doxeval.documents.build._BATCH_DOCUMENTS", 2)
    files = {f"{n:02}.xml": "<a/>" for n in range(30)}
    source = write_files(tmp_path / "s", {**files, "15.xml": "<a>\n&nosuch;</a>"})
    with pytest.raises(DocumentError, match=r"15\.xml:2:1: undefined entity &nosuch;"):
        build_collection([str(source)], tmp_path / "c", jobs=2)
    assert leftovers(tmp_path) == []


def test_broken_documents_are_skipped_only_on_request(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.xml": "<a>",
        "b.xml": "<b>fine</b>",
        "c.txt": b"\xff",
        "d.xml": "<d></d>",
    }
    source = write_files(tmp_path / "s", files)
    with pytest.raises(DocumentError, match=r"a\.xml:1:4: no element found"):
        build_collection([str(source)], tmp_path / "c")
    assert not (tmp_path / "c").exists()
    report = build_collection([str(source)], tmp_path / "c", BuildOptions(skip_broken=True))
    assert [error.origin for error in report.broken] == [f"{source}/a.xml", f"{source}/c.txt"]
    collection = Collection(tmp_path / "c")
    assert list(collection.ids()) == ["b", "d"]
    assert collection.manifest["broken"] == 2


def test_a_document_without_id_counts_as_broken(tmp_path: Path) -> None:
    files = {"a.xml": "<a><id>1</id></a>", "b.xml": "<a>x</a>", "c.xml": "<a><id>3</id></a>"}
    source = write_files(tmp_path / "s", files)
    options = BuildOptions(skip_broken=True, id_rule=IdRule.parse("//id"))
    report = build_collection([str(source)], tmp_path / "c", options)
    assert [error.origin for error in report.broken] == [f"{source}/b.xml"]
    collection = Collection(tmp_path / "c")
    assert [collection.root(name).text for name in ("1", "3")] == ["1", "3"]


def test_files_that_are_no_documents_are_counted(tmp_path: Path) -> None:
    files = {"a.xml": "<a/>", "b.png": "x", "c.dtd": "x", "d.dtd": "y", ".hidden.xml": "<"}
    source = write_files(tmp_path / "s", files)
    report = build_collection([str(source)], tmp_path / "c")
    assert report.documents == 1
    assert report.passed_over == {".png": 1, ".dtd": 2}


def test_a_forced_format_reads_files_of_any_name(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"a.sgm": "<a>x</a>", "b": "<b>y</b>"})
    build_collection([str(source)], tmp_path / "c", BuildOptions(format="xml"))
    assert list(Collection(tmp_path / "c").ids()) == ["a", "b"]


def test_a_collection_without_text_says_so(build: Builder) -> None:
    collection = build({"a.xml": "<a>x <b>y</b></a>"}, text="none")
    assert collection.element("a", "/a[1]/b[1]").start == 2
    with pytest.raises(MissingText, match="built without its text"):
        _ = collection.root("a").text
    with pytest.raises(MissingText):
        collection.points("strip").point("a", 0)


def test_nothing_is_overwritten_without_force(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"a.xml": "<a/>"})
    out = tmp_path / "c"
    build_collection([str(source)], out)
    before = contents(out)
    with pytest.raises(OutputError, match="--force replaces"):
        build_collection([str(source)], out)
    assert contents(out) == before
    (source / "b.xml").write_text("<b/>")
    build_collection([str(source)], out, force=True)
    assert len(Collection(out)) == 2
    assert leftovers(tmp_path) == []


def test_force_never_replaces_what_is_not_a_collection(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"a.xml": "<a/>"})
    precious = write_files(tmp_path / "precious", {"thesis.tex": "…"})
    with pytest.raises(OutputError, match="not a collection; it is not replaced"):
        build_collection([str(source)], precious, force=True)
    assert (precious / "thesis.tex").exists()


def test_a_failed_replacement_leaves_the_old_collection(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"a.xml": "<a/>"})
    build_collection([str(source)], tmp_path / "c")
    before = contents(tmp_path / "c")
    (source / "b.xml").write_text("<b>")
    with pytest.raises(DocumentError):
        build_collection([str(source)], tmp_path / "c", force=True)
    assert contents(tmp_path / "c") == before
    assert leftovers(tmp_path) == []


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: writer.ColumnFile, values: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    source = write_files(tmp_path / "s", {"a.xml": "<a/>"})
    monkeypatch.setattr(writer.ColumnFile, "append", full, raising=True)
    with pytest.raises(OutputError, match="No space left on device"):
        build_collection([str(source)], tmp_path / "c")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s"]


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
    while not leftovers(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert leftovers(tmp_path), "the build never started"
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "Traceback" not in errors
    assert leftovers(tmp_path) == []
    assert not (tmp_path / "c").exists()


def test_a_polite_kill_leaves_nothing(tmp_path: Path) -> None:
    source = write_files(
        tmp_path / "s", {f"{n}.xml": f"<a>{'<p>x</p>' * 90000}</a>" for n in range(9)}
    )
    command = [sys.executable, "-m", "doxeval", "collection", "build", str(source), "--jobs", "1"]
    process = subprocess.Popen([*command, "--out", str(tmp_path / "c")], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while not leftovers(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.terminate()
    assert process.wait(timeout=30) == 143
    assert leftovers(tmp_path) == []


def test_limits_can_be_set(build: Builder) -> None:
    with pytest.raises(DocumentError, match="more than 10 bytes"):
        build({"a.xml": "<a>hello world</a>"}, limits=Limits(bytes=10))
    with pytest.raises(DocumentError, match="more than 2 elements"):
        build({"a.txt": "a\n\nb\n\nc"}, limits=Limits(elements=2))
