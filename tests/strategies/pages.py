"""Random Markdown texts and HTML pages."""

from __future__ import annotations

from hypothesis import strategies as st


def markdown_texts() -> st.SearchStrategy[str]:
    """Markdown built from difficult lines."""
    lines = st.sampled_from(
        [
            "# One",
            "## Two",
            "### Three 😀",
            "Setext",
            "======",
            "------",
            "- item",
            "  - nested",
            "    continued",
            "1. first",
            "> quoted",
            "> # heading in a quotation",
            "> - list in it",
            "```",
            "    code",
            "| a | b |",
            "|---|---|",
            "| 1 | é |",
            "<div>",
            "***",
            "[ref]: /target",
            "text with *emphasis*",
            "",
            "   ",
            "- - - x",
            "\tindented",
        ]
    )
    ends = st.sampled_from(["\n", "\r\n", "\n\n", "\r"])
    return st.lists(st.tuples(lines, ends).map("".join), max_size=14).map("".join)


def html_pages() -> st.SearchStrategy[str]:
    """Pages with missing, misplaced and unknown tags.

    Tables come whole: html5lib, which these pages are compared with, does not follow the
    standard for other things inside them.
    """
    parts = st.sampled_from(
        [
            "<p>",
            "</p>",
            "<div>",
            "</div>",
            "<b>",
            "</b>",
            "<i>",
            "</i>",
            "<ul>",
            "<li>",
            "</ul>",
            "<table>loose<tr><td>1<td>2</table>",
            "<table><tr><td>a</td></tr></table>",
            "<h1>",
            "</h1>",
            "<pre>\n",
            "</pre>",
            "<br>",
            "<!-- note -->",
            "<title>",
            "</title>",
            "<custom-tag>",
            "text",
            " ",
            "\n",
            "\r\n",
            "&amp;",
            "&eacute;",
            "&nosuch;",
            "&#x1F600;",
            "&lt;p&gt;",
            "😀",
            "é",
            "<a href='x'>",
            "</a>",
        ]
    )
    return st.lists(parts, max_size=20).map("".join)
