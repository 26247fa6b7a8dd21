"""Building collections: sources, ids, options, several processes, and what is left behind."""

from __future__ import annotations

import errno
import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import (
    BuildOptions,
    Collection,
    IdRule,
    Limits,
    MarksBuilder,
    NodeTable,
    Sizes,
    build_collection,
    read_html,
    read_markdown,
    tabulate,
)
from doxeval.errors import DocumentError, InputError, MissingText, OutputError, SyntaxProblem
from doxeval.sealed import ColumnFile
from helpers import Builder, doxeval, write_files
from levels import examples
from seams import change
from strategies import Node, collections_of, html_pages, markdown_texts

ARTICLES = {
    "co/1999/r1.xml": "<article><id> first </id><p>Eins</p></article>",
    "co/2000/r2.xml": "<article><id>second</id><p>Zwei — 2</p></article>",
}


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def leftovers(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir() if path.name.startswith(".")]


@examples(25)
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


@examples(40)
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
    change(monkeypatch, build_sizes=Sizes(batch_documents=3))
    files = {f"{n // 10}/{n}.xml": "<a/>" for n in range(40)}
    source = write_files(tmp_path / "s", {**files, "z/17.xml": "<a/>"})
    with pytest.raises(DocumentError, match=r"z/17\.xml.*first given to .*/1/17\.xml"):
        build_collection([str(source)], tmp_path / "c")


def test_the_result_does_not_depend_on_the_number_of_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, build_sizes=Sizes(batch_documents=7))
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
    change(monkeypatch, build_sizes=Sizes(batch_documents=2))
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
    with pytest.raises(OutputError, match="force=True replaces"):
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
    def full(self: ColumnFile, values: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    source = write_files(tmp_path / "s", {"a.xml": "<a/>"})
    monkeypatch.setattr(ColumnFile, "append", full, raising=True)
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
    assert (process.returncode, errors) == (130, "Interrupted\n")
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


@pytest.mark.parametrize("depth", [0, 30_001, 40_000, 1.5])
def test_impossible_limits_are_refused(depth: int) -> None:
    with pytest.raises(
        InputError, match=rf"depth={depth}: expected a whole number from 1 to 30,000"
    ):
        Limits(depth=depth)
    with pytest.raises(InputError, match="bytes=0: expected a whole number from 1 to"):
        Limits(bytes=0)


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


@pytest.mark.parametrize("levels", [30_001, 40_000, 70_000])
def test_no_node_table_is_deeper_than_possible(levels: int) -> None:
    marks = MarksBuilder()
    for _ in range(levels):
        marks.open("a", 0)
    for _ in range(levels):
        marks.close(0)
    with pytest.raises(DocumentError, match="elements nested more than 30,000 deep"):
        tabulate(marks.finish(""))


def test_the_command_line_names_its_options(tmp_path: Path) -> None:
    source = write_files(
        tmp_path / "s",
        {"deep.xml": "<a><b><c/></b></a>", "wide.xml": "<a><b/><b/></a>", "odd.txt": b"\xe9\n"},
    )
    deep, wide, odd = (source / name for name in ("deep.xml", "wide.xml", "odd.txt"))
    cases: list[tuple[list[object], str]] = [
        (
            [deep, "--max-depth", "2"],
            "deep.xml:1:7: elements nested more than 2 deep; --max-depth sets the limit",
        ),
        (
            [wide, "--max-elements", "2"],
            "more than 2 elements in one document; --max-elements sets",
        ),
        (
            [wide, "--max-bytes", "2"],
            "more than 2 bytes in one document; --max-bytes sets the limit",
        ),
        ([odd], "byte 0xe9 is not UTF-8 text; --encoding names the right one"),
        ([deep, "--id", "//id"], "deep.xml: --id //id finds no id in it"),
        ([deep, "--id", "id"], "--id id: expected stem, path, or an XPath like //id"),
        ([deep, "--record", "b"], "--record needs --id with an XPath"),
        ([deep, "--record", "x", "--id", "//id"], "no element <x> in the file; --record names"),
    ]
    for arguments, told in cases:
        result = doxeval("collection", "build", *arguments, "--out", tmp_path / "c")
        assert result.exit_code == 1
        assert told in result.stderr
    records = write_files(tmp_path, {"r.xml": "<d><a><b><c/></b></a></d>"}) / "r.xml"
    command = ["collection", "build", records, "--record", "a", "--id", "//b", "--max-depth", "2"]
    result = doxeval(*command, "--out", tmp_path / "c")
    assert "r.xml:1:10: elements nested more than 2 deep; --max-depth sets" in result.stderr
    skipped = doxeval("collection", "build", source, "--skip-broken", "--out", tmp_path / "c")
    assert "skipped: " in skipped.stderr and "--encoding names" in skipped.stderr
    again = doxeval("collection", "build", source, "--out", tmp_path / "c")
    assert again.stderr.endswith("/c exists; --force replaces a collection\n")
    none = doxeval("collection", "build", deep, "--text", "none", "--out", tmp_path / "none")
    assert none.exit_code == 0
    shown = doxeval("collection", "show", tmp_path / "none", "deep", "/a[1]")
    assert "was built without its text (--text none)" in shown.stderr


def test_the_command_line_says_that_ids_keep_suffixes(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"a.xml": "<a/>", "a.html": "x", "b.html": "y"})
    result = doxeval("collection", "build", source, "--id", "path", "--out", tmp_path / "c")
    assert "ids with a suffix, needed to tell files of the same name apart: 1" in result.stderr
    assert list(Collection(tmp_path / "c").ids()) == ["a.html", "a", "b"]
