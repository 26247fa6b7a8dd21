"""Names that are not UTF-8, of sources, files, members and collections; paths of all kinds."""

from __future__ import annotations

import glob
import inspect
import io
import json
import os
import sys
import tarfile
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import BuildOptions, Collection, IdRule, build_collection, glob_files
from doxeval.errors import DocumentError, InputError, SourceError
from helpers import doxeval, needs_named_pipes, write_files

BAD = os.fsdecode(b"\xff")  # no UTF-8 text, and a fine name for a file
BY_PATH = BuildOptions(id_rule=IdRule.parse("path"))
BY_ELEMENT = BuildOptions(id_rule=IdRule.parse("//a"))


@pytest.fixture(autouse=True)
def needs_names_of_bytes(tmp_path: Path) -> None:
    try:
        (tmp_path / f"{BAD}.try").write_bytes(b"")
    except OSError:
        pytest.skip("this file system allows only names in UTF-8")


def test_directories_may_have_names_of_bytes(tmp_path: Path) -> None:
    source = write_files(tmp_path / BAD, {"a.xml": "<a>one</a>", f"{BAD}/b.xml": "<a>two</a>"})
    out = tmp_path / f"{BAD}out"
    assert build_collection([source], out, jobs=2).documents == 2
    collection = Collection(out)
    assert list(collection.ids()) == ["b", "a"] or list(collection.ids()) == ["a", "b"]
    recorded = json.loads((out / "manifest.json").read_bytes())["sources"]
    assert recorded == [str(tmp_path) + "/\\xff"]


def test_an_id_must_be_unicode(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {f"{BAD}.xml": "<a>one</a>", "b.xml": "<a>two</a>"})
    message = r"the id '\\udcff' is not Unicode; rename the file in UTF-8, or take ids from inside"
    with pytest.raises(DocumentError, match=message):
        build_collection(source, tmp_path / "c")
    report = build_collection(source, tmp_path / "c", BuildOptions(skip_broken=True))
    assert (report.documents, len(report.broken)) == (1, 1)
    build_collection(source, tmp_path / "d", BY_ELEMENT)
    assert sorted(Collection(tmp_path / "d").ids()) == ["one", "two"]
    nested = write_files(tmp_path / "t", {f"{BAD}/b.xml": "<a/>"})
    with pytest.raises(DocumentError, match=r"the id '\\udcff/b' is not Unicode"):
        build_collection(nested, tmp_path / "e", BY_PATH)


def test_a_duplicate_id_among_names_of_bytes_is_told(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {f"{BAD}/a.xml": "<a/>", "b/a.xml": "<a/>"})
    result = doxeval("collection", "build", source, "--out", tmp_path / "c")
    assert result.exit_code == 1
    assert "duplicate document id 'a'" in result.stderr


def test_members_may_have_names_of_bytes(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / f"{BAD}.tar", "w") as archive:
        for name in (f"{BAD}/a.xml", f"{BAD}/b.jsonl"):
            data = b'{"id": "b", "text": "x"}' if "jsonl" in name else b"<a/>"
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    assert build_collection(tmp_path / f"{BAD}.tar", tmp_path / "c").documents == 2
    with pytest.raises(DocumentError, match="is not Unicode"):
        build_collection(tmp_path / f"{BAD}.tar", tmp_path / "d", BY_PATH)


def test_messages_about_names_of_bytes_can_be_written(tmp_path: Path) -> None:
    source = write_files(tmp_path / BAD, {"a.xml": "<a>", f"{BAD}.pdf": "x"})
    with pytest.raises(DocumentError, match="no element found") as told:
        build_collection(source, tmp_path / "c")
    assert BAD in str(told.value)
    result = doxeval("collection", "build", source, "--out", tmp_path / "c")
    assert (result.exit_code, "Traceback" in result.output) == (1, False)
    result = doxeval("collection", "build", tmp_path / f"no{BAD}", "--out", tmp_path / "c")
    assert (result.exit_code, "no such file" in result.stderr) == (1, True)
    for odd in ("\ud800", "a\0b", "\ud800*"):
        with pytest.raises(SourceError):
            build_collection([odd], tmp_path / "c")


def test_a_source_may_be_any_kind_of_path(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"a.xml": "<a/>", "b.xml": "<a/>"})
    one, two = source / "a.xml", source / "b.xml"
    mixed: list[str | Path] = [one, str(two)]
    several: list[Any] = [source, str(source), os.fsencode(source)]
    several += [mixed, (one, two), iter([one, two])]
    for at, sources in enumerate(several):
        build_collection(sources, str(tmp_path / f"c{at}"))
        assert list(Collection(tmp_path / f"c{at}").ids()) == ["a", "b"]
        assert all(json.loads((tmp_path / f"c{at}" / "manifest.json").read_bytes())["sources"])
    with pytest.raises(InputError, match=r"sources is \[7\]: expected a path or a list"):
        build_collection([7], tmp_path / "c")  # type: ignore[list-item]
    with pytest.raises(SourceError, match="no documents found"):
        build_collection([], tmp_path / "c")


def test_directories_may_be_nested_deeply(tmp_path: Path) -> None:
    """More deeply than functions may call each other."""
    depth = 250
    source = write_files(tmp_path / "s", {"b.txt": ""})
    build_collection(source, tmp_path / "c")  # imports what it needs
    usual = sys.getrecursionlimit()
    below = [os.open(source, os.O_RDONLY)]
    try:
        for _ in range(depth):
            os.mkdir("d", dir_fd=below[-1])
            below.append(os.open("d", os.O_RDONLY, dir_fd=below[-1]))
            os.close(below.pop(-2))
        os.close(os.open("a.txt", os.O_CREAT | os.O_WRONLY, dir_fd=below[-1]))
        sys.setrecursionlimit(len(inspect.stack()) + 150)
        assert build_collection(source, tmp_path / "c", force=True).documents == 2
    finally:
        sys.setrecursionlimit(usual)
        os.close(below[-1])


def test_a_link_to_itself_is_passed_over(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"a.xml": "<a/>"})
    (source / "b.xml").symlink_to(source / "b.xml")
    report = build_collection(source, tmp_path / "c")
    assert (report.documents, report.passed_over) == (1, {"links and special files": 1})


def test_links_do_not_multiply_what_a_glob_finds(tmp_path: Path) -> None:
    """Two links to their own directory have a path for every sequence of left and right."""
    source = write_files(tmp_path / "s", {"a.xml": "<a/>", "d/b.xml": "<a/>", ".h/c.xml": "<a/>"})
    for name in ("left", "right"):
        (source / name).symlink_to(source)
    report = build_collection(f"{source}/**/*.xml", tmp_path / "c")
    assert sorted(Collection(tmp_path / "c").ids()) == ["a", "b"]
    assert report.passed_over == {"links and special files": 2}
    build_collection(f"{source}/left/d/*.xml", tmp_path / "e")
    assert list(Collection(tmp_path / "e").ids()) == ["b"]


NAMES = st.sampled_from(["a", "b", ".a", "ab", "a.xml", "b.xml", ".x.xml", "[a"])
PARTS = st.sampled_from(["**", "*", "?", "a*", "*.xml", "[ab]", ".*", "a", "**b", "a.xml", "[!a]"])


@given(
    st.lists(st.lists(NAMES, min_size=1, max_size=4), max_size=8),
    st.lists(PARTS, min_size=1, max_size=4),
)
def test_a_glob_finds_what_the_standard_library_finds(
    paths: list[list[str]], parts: list[str]
) -> None:
    with TemporaryDirectory() as directory:
        for path in paths:
            file = Path(directory, *path)
            with suppress(OSError):  # one path may need a directory where another has a file
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch()
        pattern = os.path.join(directory, *parts)
        expected = {path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path)}
        assert glob_files(pattern) == (sorted(expected), 0)


@needs_named_pipes
def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    from threading import Thread

    pipe = tmp_path / "a.txt"
    os.mkfifo(pipe)
    writer = Thread(target=lambda: pipe.write_bytes(b"x" * 300_000))
    writer.start()
    build_collection([pipe], tmp_path / "c")
    writer.join()
    assert len(Collection(tmp_path / "c").root("a").text) == 300_000
