"""Where documents come from: archives, compressed files, records, lines, directories."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import (
    BuildOptions,
    Collection,
    IdRule,
    Limits,
    build_collection,
    distinct_paths,
    normalise_id,
    strip_suffixes,
)
from doxeval.errors import DocumentError, SourceError
from doxeval.files import uncompressed_name, zstd
from helpers import Builder, doxeval, write_files
from making import ids_may_have_white_space

ARTICLES = {
    "co/1999/r1.xml": "<article><id> first </id><p>Eins</p></article>",
    "co/2000/r2.xml": "<article><id>second</id><p>Zwei — 2</p></article>",
}


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


CLASHES = {
    "a.xml": "<a>1</a>",
    "a.html": "<p>2",
    "b/a.md": "3",
    "b/a.txt": "4",
    "b/c.html": "<p>5",
    "d.txt": "6",
    "d.txt.gz": gzip.compress(b"7").decode("latin-1"),
    "d.png": "no document",
}
PATHS = {
    "a": "1",
    "a.html": "2",
    "b/a.md": "3",
    "b/a.txt": "4",
    "b/c": "5",
    "d.txt": "6",
    "d.txt.gz": "7",
}


@pytest.mark.parametrize("kind", ["directory", "glob", "files", "tar", "zip"])
def test_paths_keep_suffixes_that_tell_files_apart(tmp_path: Path, kind: str) -> None:
    files = {name: text.encode("latin-1") for name, text in CLASHES.items()}
    source = write_files(tmp_path / "s", files)
    expected = PATHS
    sources = [str(source)]
    if kind == "glob":
        sources = [f"{source}/**/*.[xhmtg]*"]
    elif kind == "files":
        sources = [str(source / name) for name in CLASHES if "/" not in name and "png" not in name]
        expected = {name: text for name, text in PATHS.items() if "/" not in name}
    elif kind == "tar":
        sources = [str(tmp_path / "a.tar.gz")]
        with tarfile.open(sources[0], "w:gz") as archive:
            for name in files:
                archive.add(source / name, f"./{name}")
    elif kind == "zip":
        sources = [str(tmp_path / "a.zip")]
        with zipfile.ZipFile(sources[0], "w") as zipped:
            for name in files:
                zipped.write(source / name, name)
    options = BuildOptions(id_rule=IdRule.parse("path"))
    report = build_collection(sources, tmp_path / "c", options)
    collection = Collection(tmp_path / "c")
    assert {name: collection.root(name).text for name in collection.ids()} == expected
    kept = sum(name.endswith((".html", ".md", ".txt", ".gz")) for name in expected)
    assert report.suffixes_kept == collection.manifest["suffixes_kept"] == kept
    assert collection.manifest["options"]["suffixes"] == "where needed"
    assert collection.root("a.xml").text == "1"


NAMES = st.lists(
    st.builds(
        "".join,
        st.tuples(
            st.sampled_from(["a", "b/a", "a.html"]),
            st.sampled_from(["", ".xml", ".html", ".md", ".html.md"]),
            st.sampled_from(["", ".gz", ".zst"]),
        ),
    ),
    max_size=8,
    unique=True,
)


@given(NAMES)
def test_paths_are_distinct_wherever_names_are(names: list[str]) -> None:
    ids = [normalise_id(path) for path in distinct_paths(names)]
    full = [normalise_id(name) for name in names]
    if len(set(full)) == len(full):
        assert len(set(ids)) == len(ids)
    short = [normalise_id(strip_suffixes(name)) for name in names]
    for name, own, stem in zip(names, ids, short, strict=True):
        assert normalise_id(name).startswith(own) or own.startswith(stem)
        # A suffix is kept only where another file would have this id too, in one of its forms.
        others = [other for other in names if other != name]
        forms: list[Callable[[str], str]] = [strip_suffixes, uncompressed_name, str]
        assert own == stem or stem in {normalise_id(f(other)) for other in others for f in forms}
    if len(set(short)) == len(short):
        assert ids == short


def test_a_clash_that_suffixes_cannot_cure(tmp_path: Path) -> None:
    for name in ("x", "y"):
        write_files(tmp_path / name, {"a.xml": "<a/>"})
    sources = [str(tmp_path / "x"), str(tmp_path / "y")]
    with pytest.raises(DocumentError, match="to tell them apart, give a directory above both"):
        build_collection(sources, tmp_path / "c", BuildOptions(id_rule=IdRule("path")))
    with pytest.raises(DocumentError, match=r"id_rule='path' tells files of different"):
        build_collection([str(tmp_path)], tmp_path / "c")
    build_collection([str(tmp_path)], tmp_path / "c", BuildOptions(id_rule=IdRule("path")))
    assert list(Collection(tmp_path / "c").ids()) == ["x/a", "y/a"]


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
        f"{path}!dump.xml.gz:1: id_rule='//id' finds no id in it"
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


def test_a_file_that_vanishes_is_told(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"a.xml": "<a/>"})

    def planned(_: int) -> None:
        (source / "a.xml").unlink()

    with pytest.raises(DocumentError, match=r"a\.xml: No such file"):
        build_collection([str(source)], tmp_path / "c", planned=planned)


def test_lines_in_archives_count_for_progress(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name in "xy":
            lines = [f'{{"id": "{name}{number}", "text": "One."}}' for number in range(9)]
            archive.writestr(f"{name}.jsonl", "\n".join(lines))
        contained = sum(entry.compress_size for entry in archive.infolist())
    steps: list[tuple[int, int]] = []
    build_collection(
        [str(tmp_path / "a.zip")], tmp_path / "c", progress=lambda *step: steps.append(step)
    )
    assert [sum(counts) for counts in zip(*steps, strict=True)] == [contained, 18]


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
    with pytest.raises(SourceError, match="record= needs id_rule="):
        build_collection([str(source)], tmp_path / "c", BuildOptions(record="page"))
    options = BuildOptions(record="doc", id_rule=IdRule.parse("//id"))
    with pytest.raises(SourceError, match=r"d\.xml: no element <doc> in the file"):
        build_collection([str(source)], tmp_path / "c", options)
    options = BuildOptions(record="page", id_rule=IdRule.parse("//id"))
    with pytest.raises(DocumentError, match=r"d\.xml:1: id_rule='//id' finds no id in it"):
        build_collection([str(source)], tmp_path / "c", options)


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


def test_a_pattern_longer_than_any_path_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="20,001 characters, at most 4,096"):
        build_collection("*" + "[" * 20_000, tmp_path / "out")


def test_files_that_are_not_read_are_counted_by_suffix(tmp_path: Path) -> None:
    files = dict.fromkeys(("a.txt", "b.png", "c.png", "sub/d.rst"), "x")
    source = write_files(tmp_path / "s", files)
    report = build_collection(source, tmp_path / "c")
    assert report.warnings == ("3 files were not read: .png (2), .rst (1)",)
    made = doxeval("collection", "build", source, "--out", tmp_path / "d")
    assert "warning: 3 files were not read: .png (2), .rst (1)\n" in made.stderr
    assert build_collection(source / "a.txt", tmp_path / "e").warnings == ()


@pytest.mark.parametrize(
    ("files", "rule", "message"),
    [
        ({"my notes.txt": "x"}, "stem", "my notes.txt: the id 'my notes' has white space, which"),
        ({"my dir/a.txt": "x"}, "path", "the id 'my dir/a' has white space, which runs and assess"),
        ({"my dir/a\u00a0b.html": "x"}, "stem", r"the id 'a\\xa0b' has white space, which"),
        ({"a.xml": "<a><t>One two</t></a>"}, "//t", "the id 'One two' has white space, which"),
        ({"a.jsonl": '{"id": "a b", "text": ""}'}, "stem", "a.jsonl:1: the id 'a b' has white"),
    ],
)
def test_ids_with_white_space_are_refused_where_the_collection_is_built(
    tmp_path: Path, files: dict[str, str], rule: str, message: str
) -> None:
    source = write_files(tmp_path / "s", files)
    options = BuildOptions(id_rule=IdRule.parse(rule))
    with pytest.raises(DocumentError, match=message.replace(".", r"\.")) as refused:
        build_collection(source, tmp_path / "c", options)
    assert ("id_rule=" in str(refused.value)) == ("a.jsonl" not in files)
    assert not (tmp_path / "c").exists()


def test_the_command_line_says_where_other_ids_come_from(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"a b.txt": "x", "c.txt": "y", "my dir/d.txt": "z"})
    build = ("collection", "build", source, "--out", tmp_path / "c")
    refused = doxeval(*build)
    assert refused.exit_code == 1
    assert "rename it, or take ids from elsewhere with --id" in refused.stderr
    assert doxeval(*build, "--skip-broken").exit_code == 0
    assert list(Collection(tmp_path / "c").ids()) == ["c", "d"]


def test_a_collection_that_has_ids_with_white_space_still_opens(tmp_path: Path) -> None:
    """As collections have that were built before such ids were refused."""
    source = write_files(tmp_path / "s", {"a b.txt": "Low tide."})
    with ids_may_have_white_space():
        build_collection(source, tmp_path / "c")
    assert Collection(tmp_path / "c").root("a b").text == "Low tide."
