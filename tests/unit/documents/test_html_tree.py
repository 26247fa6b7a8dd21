"""HTML: its text, its sections, and the part of a page that becomes the document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import html5lib
import pytest
from hypothesis import given
from selectolax.lexbor import LexborHTMLParser

from doxeval.documents import Limits, TagEvents, read_html, tabulate
from doxeval.errors import DocumentError
from helpers import Builder
from levels import examples
from strategies import html_pages

UNSEEN = set(
    "audio canvas datalist iframe noembed noframes noscript rp script style template video".split()
)
INLINE = set("a b i br script style".split())  # of those that occur in html_pages


@dataclass
class Branch:
    """An element as an ordinary tree, for the brute force."""

    tag: str
    parts: list[Branch | str] = field(default_factory=list)

    @property
    def branches(self) -> list[Branch]:
        return [part for part in self.parts if isinstance(part, Branch)]

    def all(self) -> Iterator[Branch]:
        yield self
        for branch in self.branches:
            yield from branch.all()

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)


def parsed(page: str) -> Branch:
    """The tree of another parser, without what no browser displays."""

    def convert(element: Any) -> Branch:
        branch = Branch(element.tag)
        if element.tag in UNSEEN:
            return branch
        branch.parts.append(element.text or "")
        for child in element:
            if isinstance(child.tag, str):  # not a comment
                branch.parts.append(convert(child))
            branch.parts.append(child.tail or "")
        return branch

    return convert(html5lib.parse(page, treebuilder="etree", namespaceHTMLElements=False))


def is_heading(branch: Branch) -> bool:
    return bool(re.fullmatch("h[1-6]", branch.tag))


def level(branch: Branch) -> int:
    """The level of the heading that an element is or stands for, or 0."""
    if is_heading(branch):
        return int(branch.tag[1])
    if branch.tag in ("header", "hgroup", "summary", "legend"):
        return first_level(branch)
    headings = [child for child in branch.branches if level(child)]
    others = [child for child in branch.branches if not level(child)]
    if (
        branch.tag in {"div", *INLINE}
        and sum(map(is_heading, branch.all())) == 1
        and len(headings) == 1
        and all(child.tag in INLINE for child in others)
        and not any(part.strip() for part in branch.parts if isinstance(part, str))
    ):
        return level(headings[0])
    return 0


def first_level(branch: Branch) -> int:
    for child in branch.branches:
        if child.tag in ("article", "aside", "nav", "section"):
            continue
        if found := level(child) or first_level(child):
            return found
    return 0


def sectioned(branch: Branch) -> Branch:
    """The tree with its sections, by cutting the list of children at headings."""
    levels = [level(part) if isinstance(part, Branch) else 0 for part in branch.parts]
    own = -1
    if branch.tag == "section" and any(levels):
        own = next(index for index, one in enumerate(levels) if one)
        before = "".join(p if isinstance(p, str) else p.text for p in branch.parts[:own])
        rivals = [one for one in levels[own + 1 :] if one]
        if before.strip() or any(one <= levels[own] for one in rivals):
            own = -1

    def grouped(begin: int, end: int) -> list[Branch | str]:
        result: list[Branch | str] = []
        index = begin
        while index < end:
            part = branch.parts[index]
            if isinstance(part, str):
                result.append(part)
            elif not levels[index]:
                result.append(sectioned(part))
            elif index == own:
                result.append(part)
            else:
                after = index + 1
                while after < end and not 0 < levels[after] <= levels[index]:
                    after += 1
                result.append(Branch("section", [part, *grouped(index + 1, after)]))
                index = after
                continue
            index += 1
        return result

    return Branch(branch.tag, grouped(0, len(branch.parts)))


def flat(branch: Branch, at: int = 0) -> list[tuple[str, int, int]]:
    rows = [(branch.tag, at, at + len(branch.text))]
    for part in branch.parts:
        if isinstance(part, Branch):
            rows += flat(part, at)
            at += len(part.text)
        else:
            at += len(part)
    return rows


def rows(events: TagEvents) -> list[tuple[str, int, int]]:
    table = tabulate(events)
    tags = [table.summary.tag(path) for path in table.columns.path.tolist()]
    columns = table.columns
    return list(zip(tags, columns.start.tolist(), columns.end.tolist(), strict=True))


def outline(page: str, **options: Any) -> str:
    """The tree inside the body (or the root), in brackets, with its text."""
    events = read_html(page, Limits(), "a.html", **options)
    text = events.texts[0].decode()
    shown, before = "", 0
    for name, at in zip(events.names, events.positions.tolist(), strict=True):
        shown += text[before:at] + (f"{name}(" if name else ")")
        before = at
    return shown.removeprefix("html(head()body(").removesuffix("))")


@examples(300)
@given(html_pages())
def test_html_is_what_another_html5_parser_builds(page: str) -> None:
    events = read_html(page, Limits(), "a.html", sections="none")
    expected = parsed(page)
    assert events.texts[0].decode() == expected.text
    assert rows(events) == flat(expected)


@examples(500)
@given(html_pages())
def test_headings_make_sections(page: str) -> None:
    events = read_html(page, Limits(), "a.html")
    expected = sectioned(parsed(page))
    assert events.texts[0].decode() == expected.text
    assert rows(events) == flat(expected)


@pytest.mark.parametrize("tag", sorted(UNSEEN))
def test_what_no_browser_displays_is_no_text(tag: str) -> None:
    assert outline(f"<p>a<{tag}>x<b>y</b></{tag}>b<!-- c -->d") == f"p(a{tag}()bd)"


def test_the_title_is_text() -> None:
    assert read_html("<title>T</title>x", Limits(), "a").texts == [b"Tx"]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("a<h1>A</h1>b<h2>B</h2>c<h1>C</h1>d",
         "asection(h1(A)bsection(h2(B)c))section(h1(C)d)"),
        ("<h3>A</h3>a<h2>B</h2>b", "section(h3(A)a)section(h2(B)b)"),
        ("<div><h2>A</h2><p>a</div><p>b", "div(section(h2(A)p(a)))p(b)"),
        ("<div><h2>A</h2> <a>#</a></div><p>b", "section(div(h2(A) a(#))p(b))"),
        ("<a><h2>A</h2></a>b", "section(a(h2(A))b)"),
        ("<div><div><h2>A</h2></div></div>b", "section(div(div(h2(A)))b)"),
        ("<div><h2>A</h2><h3>B</h3></div>b", "div(section(h2(A)section(h3(B))))b"),
        ("<article><header><p>x<h1>A</h1></header><p>a<h2>B</h2>b</article>c",
         "article(section(header(p(x)h1(A))p(a)section(h2(B)b)))c"),
        ("<header><nav><h4>N</h4></nav><h1>A</h1></header>a",
         "section(header(nav(h4(N))h1(A))a)"),
        ("<header><nav><h4>N</h4></nav></header>a", "header(nav(section(h4(N))))a"),
        ("<details><summary><h3>A</h3></summary>a</details>",
         "details(section(summary(h3(A))a))"),
        ("<section> <h2>A</h2>a<h3>B</h3>b</section>c",
         "section( h2(A)asection(h3(B)b))c"),
        ("<section>x<h2>A</h2>a</section>", "section(xsection(h2(A)a))"),
        ("<section><h2>A</h2>a<h2>B</h2>b</section>",
         "section(section(h2(A)a)section(h2(B)b))"),
        ("<h1>A</h1><section><h2>B</h2>b</section>", "section(h1(A)section(h2(B)b))"),
        ("<ul><li><h3>A</h3>a<li>b</ul>", "ul(li(section(h3(A)a))li(b))"),
    ],
)  # fmt: skip
def test_sections_of_typical_pages(page: str, expected: str) -> None:
    assert outline(page) == expected
    plain = outline(page, sections="none")
    assert plain.count("section(") == page.count("<section>")


def test_sections_count_for_the_limits_of_depth_and_elements() -> None:
    page = "".join(f"<h{level}>x</h{level}>" for level in range(1, 7))
    assert read_html(page, Limits(depth=9), "a").names.count("section") == 6
    with pytest.raises(DocumentError, match="nested more than 8 deep"):
        read_html(page, Limits(depth=8), "a")
    assert read_html(page, Limits(elements=15), "a")
    with pytest.raises(DocumentError, match="more than 14 elements"):
        read_html(page, Limits(elements=14), "a")


def test_paths_and_attributes_of_a_page_with_sections(build: Builder) -> None:
    page = "<body><h1>One</h1><p>a<h2>Two</h2><p data-id='x7'>b<script>no</script>c"
    collection = build({"a.html": page})
    last = collection.element("a", "/html[1]/body[1]/section[1]/section[1]/p[1]")
    assert (last.text, last.start, last.end) == ("bc", 7, 9)
    by_attribute = build({"a.html": page}, id_rule=_rule("//section/section/p/@data-id"))
    assert list(by_attribute.ids()) == ["x7"]
    plain = build({"a.html": page}, sections="none")
    assert plain.element("a", "/html[1]/body[1]/p[2]").text == "bc"
    assert plain.manifest["options"]["sections"] == "none"


def _rule(text: str) -> Any:
    from doxeval.documents import IdRule

    return IdRule.parse(text)


def test_the_tree_of_lexbor_is_not_harmed_by_removal() -> None:
    """Removed elements may hold millions of others."""
    page = "<main>" + "<nav>" * 500 + "x" + "</nav>" * 500 + "y</main>" + "<nav>z</nav>" * 5000
    assert outline(page, root="main", drop=("nav",)) == "main(y)"
    assert len(LexborHTMLParser(page).css("nav")) == 5500
