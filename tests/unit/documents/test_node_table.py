"""The node table against what the documents were made of, and against another parser."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from doxeval.documents import BuildOptions, DocumentBatch, Limits, RawDocument, read_batch
from levels import examples
from strategies import Node, collections_of, located, named_entities, nodes, pieces


def parsed(documents: list[Node], limits: Limits | None = None) -> DocumentBatch:
    raw = [
        RawDocument(f"{number}.xml", str(number), "xml", document.source.encode(), 1)
        for number, document in enumerate(documents)
    ]
    return read_batch(raw, BuildOptions(limits=limits or Limits()))


@examples(300)
@given(collections_of())
def test_rows_are_the_elements_that_were_written(documents: list[Node]) -> None:
    batch = parsed(documents)
    columns, summary = batch.table.columns, batch.table.summary
    texts = b"".join(batch.texts).decode()
    row = text_at = 0
    for document, rows in zip(documents, batch.table.rows.tolist(), strict=True):
        expected = located(document)
        assert rows == len(expected)
        assert texts[text_at : text_at + len(document.text)] == document.text
        place = {element.path: number for number, element in enumerate(expected)}
        for number, element in enumerate(expected):
            at = row + number
            inside = [other for other in expected if other.path.startswith(element.path + "/")]
            assert columns.start[at] == element.start
            assert columns.end[at] == element.end
            assert columns.ordinal[at] == element.ordinal
            assert columns.size[at] == 1 + len(inside)
            assert columns.parent[at] == (-1 if element.parent is None else place[element.parent])
            assert summary.tag(int(columns.path[at])) == element.tag
            assert summary.depth_of[columns.path[at]] == element.path.count("/")
        row += rows
        text_at += len(document.text)
    assert text_at == len(texts)


@examples(200)
@given(nodes())
def test_offsets_are_those_of_an_independent_parser(document: Node) -> None:
    parser = etree.XMLParser(resolve_entities=False, strip_cdata=True, huge_tree=False)
    root = etree.fromstring(document.source.encode(), parser)
    expected: list[tuple[str, int, int]] = []
    at = 0

    def walk(element: etree._Element) -> None:
        nonlocal at
        mine = len(expected)
        tag = element.tag
        is_element = isinstance(tag, str)
        if is_element:
            expected.append((tag, at, -1))
            at += len(element.text or "")
            for child in element:
                walk(child)
                at += len(child.tail or "")
            expected[mine] = (tag, expected[mine][1], at)

    walk(root)
    table = parsed([document]).table
    found = [
        (table.summary.tag(int(path)), int(start), int(end))
        for path, start, end in zip(
            table.columns.path, table.columns.start, table.columns.end, strict=True
        )
    ]
    assert found == expected


@examples(100)
@given(nodes(st.one_of(pieces(), named_entities())))
def test_named_entities_need_no_declaration(document: Node) -> None:
    assert b"".join(parsed([document]).texts).decode() == document.text


@examples(60)
@given(collections_of(most=4), st.integers(1, 3))
def test_a_batch_is_the_same_however_it_is_cut(documents: list[Node], size: int) -> None:
    whole = parsed(documents)
    cut = [parsed(documents[at : at + size]) for at in range(0, len(documents), size)]
    for name in ("ordinal", "parent", "size", "start", "end"):
        column = np.concatenate([getattr(part.table.columns, name) for part in cut])
        assert column.tolist() == getattr(whole.table.columns, name).tolist()
    labels = [
        part.table.summary.label(int(path)) for part in cut for path in part.table.columns.path
    ]
    assert labels == [whole.table.summary.label(int(path)) for path in whole.table.columns.path]
    assert b"".join(part.hashes for part in cut) == whole.hashes


def test_many_tags_sort_like_few() -> None:
    """More tags than fit in 16 bits take another way through the code."""
    count = 33_000
    source = "<r>" + "".join(f"<t{n}/>" for n in range(count)) + "<t7/></r>"
    raw = [RawDocument("a.xml", "a", "xml", source.encode(), 1)]
    table = read_batch(raw, BuildOptions()).table
    assert len(table.columns.path) == count + 2
    assert table.columns.ordinal[-1] == 2
    assert set(table.columns.ordinal[:-1].tolist()) == {1}


def test_a_large_document_is_read_in_pieces_to_the_same_rows() -> None:
    inner = "<p>héllo 😀</p>" * 100_000
    table = read_batch(
        [RawDocument("a.xml", "a", "xml", f"<r>{inner}</r>".encode(), 1)], BuildOptions()
    ).table
    assert len(table.columns.path) == 100_001
    assert table.columns.ordinal[-1] == 100_000
    assert table.columns.end[0] == 100_000 * len("héllo 😀")
    assert np.all(np.diff(table.columns.start[1:]) == len("héllo 😀"))
