"""CSS selectors: the part of a page that becomes the document."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from doxeval.documents import (
    LONGEST_SELECTOR,
    BuildOptions,
    Collection,
    Limits,
    build_collection,
    read_html,
)
from doxeval.errors import DocumentError, InputError, SourceError
from helpers import Builder, doxeval, write_files
from levels import examples
from strategies import css_selectors, html_pages

# Elements whose text no reader sees.
UNSEEN = frozenset(
    "audio canvas datalist iframe noembed noframes noscript rp script style template video".split()
)
NAVIGATED = "<title>T</title><nav>N<p>n</nav><main>one<p class='ad x'>two</p><p>three</main>"


def texts(page: str, root: str | None = None, drop: tuple[str, ...] = (), **more: Any) -> str:
    events = read_html(page, Limits(), "a.html", root=root, drop=drop, **more)
    return events.texts[0].decode()


@examples(500)
@given(html_pages(), css_selectors())
def test_selectors_find_what_the_parser_finds(page: str, selector: str) -> None:
    """Of the elements of a page, those are left that its selectors do not find."""
    tree = LexborHTMLParser(page)
    gone = {node.mem_id for node in tree.css(selector)}

    def left(node: Any) -> list[str]:
        if node.mem_id in gone or not node.is_element_node:
            return []
        below = [] if node.tag in UNSEEN else map(left, node.iter())
        return [node.tag, *chain.from_iterable(below)]

    expected = left(tree.root)
    if expected:
        events = read_html(page, Limits(), "a.html", drop=(selector,), sections="none")
        assert [name for name in events.names if name] == expected
    else:
        with pytest.raises(DocumentError, match="drop= selects the root of the page"):
            texts(page, drop=(selector,))


@examples(300)
@given(html_pages(), css_selectors(), st.lists(css_selectors(), min_size=1, max_size=3))
def test_the_document_is_the_first_root_without_what_is_dropped(
    page: str, root: str, drops: list[str]
) -> None:
    tree = LexborHTMLParser(page)
    drop = tuple(drops)
    gone = {node.mem_id for selector in drop for node in tree.css(selector)}
    roots = {node.mem_id for node in tree.css(root)}

    def shown(node: object) -> str:
        if node.mem_id in gone or node.tag in UNSEEN:  # type: ignore[attr-defined]
            return ""
        if node.is_text_node:  # type: ignore[attr-defined]
            return str(node.text_content)  # type: ignore[attr-defined]
        return "".join(map(shown, node.iter(include_text=True)))  # type: ignore[attr-defined]

    def first(node: object) -> object | None:
        if node.mem_id in gone:  # type: ignore[attr-defined]
            return None
        if node.mem_id in roots:  # type: ignore[attr-defined]
            return node
        if node.tag in UNSEEN:  # type: ignore[attr-defined]
            return None
        children = node.iter()  # type: ignore[attr-defined]
        return next(filter(None, map(first, children)), None)

    top = first(tree.root)
    if top is None:
        with pytest.raises(DocumentError, match=r"a\.html: root=.* selects nothing in the page"):
            texts(page, root, drop, root_missing="error")
        if tree.root is not None and tree.root.mem_id not in gone:
            assert texts(page, root, drop) == shown(tree.root), "taken whole"
    else:
        assert texts(page, root, drop) == shown(top)


def test_root_and_drop() -> None:
    assert texts(NAVIGATED) == "TNnonetwothree"
    assert texts(NAVIGATED, "main") == "onetwothree"
    assert texts(NAVIGATED, None, ("nav", ".ad")) == "Tonethree"
    assert texts(NAVIGATED, "main > p", ("p.ad",)) == "three", "what is left out is no root"
    assert texts(NAVIGATED, "p", ("nav",)) == "two", "the first in document order"
    assert texts(NAVIGATED, "nav + main p + p", ("nav", ".ad")) == "three", "as it was written"


@pytest.mark.parametrize(
    ("selector", "reason"),
    [
        ("", "it is empty"),
        ("  ", "it is empty"),
        ("div[", r"at character 4: '\['"),
        ("p,", "at character 3: it ends there"),
        ("> p", "at character 1: '> p'"),
        ("p::before", "at character 2: '::before'"),
        ("p:nth-child(2)", r"at character 2: ':nth-child\(2\)'"),
        ("p:first-childish", "at character 2: ':first-childish'"),
        ("div:has(p)", "at character 4"),
        ("p:not(a b)", "at character 2"),
        ("p:not(:not(b))", "at character 2"),
        ("a*", r"at character 1: 'a\*'"),
        ("a /* b */ c", "at character 3"),
        ("\x1b[2J", r"at character 1: '\\x1b\[2J'"),
        ("a" * (LONGEST_SELECTOR + 1), "at most 1,000 characters"),
        ("\ud800", "expected text in Unicode"),
    ],
)
def test_bad_selectors_are_refused_at_once(selector: str, reason: str) -> None:
    with pytest.raises(InputError, match=f"^root=.*{reason}"):
        BuildOptions(root=selector)
    with pytest.raises(InputError, match=f"^drop=.*{reason}"):
        BuildOptions(drop=["p", selector])


def test_selectors_that_are_no_text_are_refused() -> None:
    with pytest.raises(InputError, match="drop=3: expected a CSS selector"):
        BuildOptions(drop=[3])  # type: ignore[list-item]
    with pytest.raises(InputError, match="root=3: expected a CSS selector"):
        BuildOptions(root=3)  # type: ignore[arg-type]
    assert BuildOptions(drop=".nav").drop == (".nav",), "one selector is not its characters"


def test_selectors_are_for_html(build: Builder) -> None:
    with pytest.raises(InputError, match="root='main' is a CSS selector, for HTML; the format"):
        BuildOptions(root="main", format="xml")
    with pytest.raises(SourceError, match="drop='nav' is for HTML, and there are no documents in"):
        build({"a.xml": "<a/>"}, drop=["nav"])
    mixed = build({"a.xml": "<a><nav>x</nav></a>", "b.html": NAVIGATED}, drop=["nav"])
    assert (mixed.root("a").text, mixed.root("b").text) == ("x", "Tonetwothree")


def test_a_page_without_its_root_is_named(build: Builder, tmp_path: Path) -> None:
    pages = {"a.html": NAVIGATED, "b.html": "<p>x"}
    with pytest.raises(DocumentError, match=r"b\.html: root='main' selects nothing in the page"):
        build(pages, root="main", root_missing="error")
    with pytest.raises(DocumentError, match=r"a\.html: drop= selects the root of the page"):
        build(pages, drop=["html"])
    source = write_files(tmp_path / "s", pages)
    options = BuildOptions(root="main", root_missing="error", skip_broken=True)
    report = build_collection(source, tmp_path / "c", options)
    assert (report.documents, len(report.broken), report.selector_use.pages) == (1, 1, 1)


def test_pages_without_their_root_are_taken_whole_and_counted(tmp_path: Path) -> None:
    pages = {"a.html": NAVIGATED, "b.html": "<nav>y</nav><p>x", "c.html": "<p>z"}
    source = write_files(tmp_path / "s", pages)
    options = BuildOptions(root="main", drop=["nav"])
    report = build_collection(source, tmp_path / "c", options)
    collection = Collection(tmp_path / "c")
    assert [collection.root(name).text for name in "abc"] == ["onetwothree", "x", "z"]
    assert report.selector_use.without_root == 2
    assert report.warnings == ("root='main' selects nothing in 2 of 3 pages: taken whole",)
    with pytest.raises(SourceError, match="root='aside' selects nothing in any page"):
        build_collection(source, tmp_path / "d", BuildOptions(root="aside"))
    with pytest.raises(InputError, match="root_missing='leave': expected one of whole, error"):
        BuildOptions(root_missing="leave")  # type: ignore[arg-type]


def test_the_command_line_counts_pages_without_their_root(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"a.html": NAVIGATED, "b.html": "<p>x"})
    build = ("collection", "build", source, "--out", tmp_path / "c")
    made = doxeval(*build, "--root", "main")
    assert made.exit_code == 0
    assert "warning: --root main selects nothing in 1 of 2 pages: taken whole" in made.stderr
    strict = doxeval(*build, "--force", "--root", "main", "--root-missing", "error")
    assert strict.exit_code == 1
    assert "b.html: --root main selects nothing in the page" in strict.stderr
    alone = doxeval(*build, "--force", "--root-missing", "error")
    assert alone.exit_code == 2 and "has no effect without --root" in alone.stderr


def test_selectors_are_recorded_and_paths_begin_at_the_root(build: Builder) -> None:
    collection = build({"a.html": NAVIGATED}, root="main", drop=["nav", ".ad"])
    options = collection.manifest["options"]
    assert (options["root"], options["drop"]) == ("main", ["nav", ".ad"])
    assert collection.element("a", "/main[1]/p[1]").text == "three"


def test_the_command_line_says_what_selectors_did(tmp_path: Path) -> None:
    pages = {"a.html": "<main>1</main><main>2</main>", "b.html": "<main>3<main>4</main></main>"}
    source = write_files(tmp_path / "s", pages)
    build = ("collection", "build", source, "--out", tmp_path / "c", "--root", "main")
    made = doxeval(*build, "--drop", ".ad", "--drop", "b")
    assert made.exit_code == 0
    assert "--root selects several elements in 1 document; the first was kept" in made.stderr
    assert "--drop .ad selects nothing in any document" in made.stderr
    info = doxeval("collection", "info", tmp_path / "c").stdout
    assert [line.split() for line in info.splitlines() if "main" in line][-1] == ["root", "main"]
    assert "drop                       .ad, b" in info
    wrong = doxeval(*build, "--force", "--drop", "div[")
    assert wrong.exit_code == 1
    assert "Error: --drop div[: expected a CSS selector" in wrong.stderr
