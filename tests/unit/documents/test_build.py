"""Building collections: sources, ids, options, several processes, and what is left behind."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from building import contents, in_small_batches, unfinished_in
from doxeval.documents import (
    BuildOptions,
    Collection,
    IdRule,
    Limits,
    NodeTable,
    TagEventsBuilder,
    build_collection,
    read_html,
    read_markdown,
    tabulate,
)
from doxeval.errors import DocumentError, InputError, MissingText, OutputError, SyntaxProblem
from helpers import Builder, doxeval, write_files
from levels import examples
from seams import change
from strategies import Node, collections_of, html_pages, markdown_texts

ARTICLES = {
    "co/1999/r1.xml": "<article><id> first </id><p>Eins</p></article>",
    "co/2000/r2.xml": "<article><id>second</id><p>Zwei — 2</p></article>",
}


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
    assert _rows(everything) == [row for events in expected for row in _rows(tabulate(events))]
    for number, events in enumerate(expected):
        assert collection.text_of(number).encode() == b"".join(events.texts)
        root = collection.node(int(collection.rows[number]))
        assert root.sha256 == hashlib.sha256(b"".join(events.texts)).hexdigest()


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
    in_small_batches(monkeypatch, batch_documents=3)
    files = {f"{n // 10}/{n}.xml": "<a/>" for n in range(40)}
    source = write_files(tmp_path / "s", {**files, "z/17.xml": "<a/>"})
    with pytest.raises(DocumentError, match=r"z/17\.xml.*first given to .*/1/17\.xml"):
        build_collection([str(source)], tmp_path / "c")


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
    assert unfinished_in(tmp_path) == []


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
    assert unfinished_in(tmp_path) == []


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object, values: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    source = write_files(tmp_path / "s", {"a.xml": "<a/>"})
    change(monkeypatch, append_column=full)
    with pytest.raises(OutputError, match="No space left on device"):
        build_collection([str(source)], tmp_path / "c")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s"]


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


@pytest.mark.parametrize("levels", [30_001, 40_000, 70_000])
def test_no_node_table_is_deeper_than_possible(levels: int) -> None:
    events = TagEventsBuilder()
    for _ in range(levels):
        events.open("a", 0)
    for _ in range(levels):
        events.close(0)
    with pytest.raises(DocumentError, match="elements nested more than 30,000 deep"):
        tabulate(events.finish(""))


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
