"""HTML, Markdown, plain text and JSONL."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import (
    Limits,
    NodeTable,
    TagEvents,
    read_html,
    read_markdown,
    read_plain,
    tabulate,
)
from doxeval.errors import DocumentError
from helpers import Builder
from levels import examples
from strategies import markdown_texts


def text_of(events: TagEvents) -> str:
    return b"".join(events.texts).decode()


def ranges(table: NodeTable) -> list[tuple[str, int, int, int]]:
    columns = table.columns
    return [
        (table.summary.tag(path), start, end, parent)
        for path, start, end, parent in zip(
            columns.path.tolist(),
            columns.start.tolist(),
            columns.end.tolist(),
            columns.parent.tolist(),
            strict=True,
        )
    ]


def assert_nested(events: TagEvents) -> None:
    """Children lie inside their parents and do not overlap."""
    rows = ranges(tabulate(events))
    last_end: dict[int, int] = {}
    for _, start, end, parent in rows:
        assert start <= end
        if parent >= 0:
            assert rows[parent][1] <= start
            assert end <= rows[parent][2]
            assert last_end.get(parent, 0) <= start
            last_end[parent] = end


@examples(300)
@given(markdown_texts())
def test_markdown_is_its_own_text_with_nested_ranges(text: str) -> None:
    events = read_markdown(text, Limits(), "a.md")
    assert text_of(events) == text
    assert_nested(events)
    rows = ranges(tabulate(events))
    for tag, start, end, _ in rows:
        inner = text[start:end]
        if re.fullmatch("h[1-6]", tag):
            assert inner.strip()
        if tag == "section":
            assert any(row[1] == start and re.fullmatch("h[1-6]", row[0]) for row in rows)


def test_markdown_sections_reach_to_the_next_heading_of_their_level() -> None:
    text = "intro\n\n# A\n\none\n\n## B\n\n- two\n- three\n\n# C\n\nfour\n"
    rows = ranges(tabulate(read_markdown(text, Limits(), "a.md")))
    assert [(tag, text[start:end]) for tag, start, end, _ in rows] == [
        ("document", text),
        ("p", "intro"),
        ("section", "# A\n\none\n\n## B\n\n- two\n- three"),
        ("h1", "# A"),
        ("p", "one"),
        ("section", "## B\n\n- two\n- three"),
        ("h2", "## B"),
        ("ul", "- two\n- three"),
        ("li", "- two"),
        ("p", "- two"),
        ("li", "- three"),
        ("p", "- three"),
        ("section", "# C\n\nfour"),
        ("h1", "# C"),
        ("p", "four"),
    ]


def test_markdown_without_sections_is_its_blocks() -> None:
    text = "# A\n\none\n\n## B\n"
    events = read_markdown(text, Limits(), "a.md", "none")
    assert [name for name in events.names if name] == ["document", "h1", "p", "h2"]


def test_markdown_tables_have_rows() -> None:
    text = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"
    events = read_markdown(text, Limits(), "a.md")
    assert [name for name in events.names if name] == [
        "document",
        "table",
        "thead",
        "tr",
        "tbody",
        "tr",
        "tr",
    ]


@examples(300)
@given(st.text(st.sampled_from("ab \t\n\ré😀\x1b\x01"), max_size=40))
def test_plain_text_keeps_every_character(text: str) -> None:
    events = read_plain(text, Limits(), "a.txt")
    assert text_of(events) == text
    assert_nested(events)
    paragraphs = [text[start:end] for tag, start, end, _ in ranges(tabulate(events)) if tag == "p"]
    assert all(p == p.strip() and p for p in paragraphs)
    for paragraph in paragraphs:
        assert not re.search(r"\n[ \t]*\n", paragraph.replace("\r\n", "\n").replace("\r", "\n"))
    assert "".join("".join(paragraphs).split()) == "".join(text.split())


@given(st.text(st.sampled_from("ab \t\n\f\v\x85\u2028é"), max_size=40))
def test_texts_without_carriage_returns_have_the_same_paragraphs(text: str) -> None:
    """A simpler pattern finds them."""
    found = read_plain(text, Limits(), "a.txt")
    other = read_plain(text + "\n\n\r", Limits(), "a.txt")
    assert found.names == other.names
    assert found.positions.tolist()[:-1] == other.positions.tolist()[:-1]


def test_every_format_in_one_collection(build: Builder) -> None:
    collection = build(
        {
            "a.xml": "<article><p>XML</p></article>",
            "b.html": "<p>HTML <b>bold",
            "c.md": "# Markdown\n\ntext",
            "d.txt": "plain\r\n\r\ntext",
            "e.jsonl": '{"id": "e1", "text": "one"}\n\n{"id": 2, "text": "two"}\n',
            "f.htm": b'<meta charset="iso-8859-1"><p>caf\xe9',
        }
    )
    assert list(collection.ids()) == ["a", "b", "c", "d", "e1", "2", "f"]
    assert collection.root("a").text == "XML"
    assert collection.element("b", "/html[1]/body[1]/p[1]/b[1]").text == "bold"
    assert collection.element("c", "/document[1]/section[1]/h1[1]").text == "# Markdown"
    assert collection.element("d", "/document[1]/p[2]").start == 9
    assert collection.root("2").text == "two"
    assert collection.root("f").text == "café"


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        "[]",
        "nonsense",
        '{"id": "a"}',
        '{"id": "a", "text": 3}',
        '{"id": null, "text": "x"}',
        '{"id": "a", "text": "\\ud800"}',
    ],
)
def test_bad_lines_of_jsonl_are_named(build: Builder, line: str) -> None:
    good = json.dumps({"id": "g", "text": "x"})
    with pytest.raises(DocumentError, match=r'a\.jsonl:2: expected a JSON object with "id"'):
        build({"a.jsonl": f"{good}\n{line}\n"})


def test_html_tags_that_are_no_path_steps_are_renamed() -> None:
    assert "a_1_" in read_html("<a[1]>x", Limits(), "a.html").names
