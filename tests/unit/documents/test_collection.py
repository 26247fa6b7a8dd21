"""An open collection as a value: its checksum, pickles, counts, and what keeps it alive."""

from __future__ import annotations

import gc
import pickle
import shutil
import weakref
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from doxeval.documents import Collection, build_collection, example_collection
from doxeval.errors import CollectionError
from helpers import Builder
from levels import examples
from strategies import Node, collections_of

FILES = {"a.xml": "<a>one<b>two</b><b/></a>", "b.xml": "<a>three</a>"}


def test_a_collection_is_equal_to_its_copy(build: Builder, tmp_path: Path) -> None:
    one = build(FILES)
    shutil.copytree(one.directory, tmp_path / "copy")
    copy = Collection(tmp_path / "copy")
    other = build({**FILES, "b.xml": "<a>thrice</a>"})
    assert one == copy and hash(one) == hash(copy) and one.checksum == copy.checksum
    assert one != other and one.checksum != other.checksum
    assert one != "a collection"
    assert len({one, copy, other}) == 2
    assert one.root("b") == copy.root("b") != other.root("b")


def test_a_collection_is_pickled_by_its_place_and_seal(
    build: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = build(FILES)
    monkeypatch.chdir(tmp_path)
    collection = Collection(built.directory.relative_to(tmp_path))
    element = collection.element("a", "/a[1]/b[1]")
    assert element.text == "two"
    data = pickle.dumps((collection, element))
    assert len(data) < 1000
    monkeypatch.chdir("/")
    again, same = pickle.loads(data)
    assert again == collection and same == element and same.text == "two"
    built.directory.rename(tmp_path / "elsewhere")
    with pytest.raises(CollectionError, match="no such directory"):
        pickle.loads(data)
    source = tmp_path / "s"
    source.mkdir()
    (source / "a.xml").write_text("<a>another</a>")
    build_collection([str(source)], built.directory)
    with pytest.raises(CollectionError, match="is not the one that was pickled"):
        pickle.loads(data)


def test_nothing_but_its_users_keeps_a_collection_alive(build: Builder) -> None:
    collection = build(FILES)
    text = collection.root("a").text + collection.text_of(1)
    point = collection.points().offset("a", "/a[1]/b[1]/text()[1].1")
    found = collection.find_nodes(collection.find_documents(["a", "b"]), ["/a[1]", "/a[1]"])
    assert (text, point, found.tolist()) == ("onetwothree", 4, [0, 3])
    _ = collection.statistics, collection.summary.child(0, 0), collection.elements_by_path
    _ = collection.why_not("a", "/a[1]/c[1]"), collection.matching("//b"), list(collection.ids())
    gone = weakref.ref(collection)
    gc.disable()
    try:
        del collection
        assert gone() is None
    finally:
        gc.enable()


def test_texts_are_remembered(build: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    collection = build(FILES)
    assert collection.text_of(0) is collection.text_of(0)


@examples(30)
@given(collections_of())
def test_elements_are_counted_by_path(documents: list[Node]) -> None:
    collection = example_collection({str(n): node.source for n, node in enumerate(documents)})
    counts = collection.elements_by_path
    assert len(counts) == len(collection.summary)
    for path, count in enumerate(counts.tolist()):
        assert count == np.count_nonzero(collection.nodes.path == path)
    assert collection.statistics.elements == counts.sum()
    with pytest.raises(ValueError, match="read-only"):
        counts[0] = 1


def test_what_a_terminal_shows(build: Builder) -> None:
    collection = build(FILES)
    assert repr(collection) == f"Collection('{collection.directory}'): 2 documents"
    assert repr(collection.root("a")) == "<Element a /a[1], characters 0 to 6>"
