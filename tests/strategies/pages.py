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


# Headings, and what may stand around them.
SECTIONING = [
    *(f"<{slash}{tag}>" for tag in ("h1", "h2", "h3", "section", "header") for slash in ("", "/")),
    "<h2>Two</h2>",
    "<div><h2>Two</h2><a>edit</a></div>",
    "<div><h3>Three</h3>loose</div>",
    "<hgroup><p>over</p><h1>One</h1></hgroup>",
    "<nav><h2>Menu</h2></nav>",
]


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
            *SECTIONING,
            "<script>if (a<b) '</p>'</script>",
            "<style>p { }</style>",
            "<video>old browser <b>",
            "</video>",
            "<noscript>no <i>script</i></noscript>",
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


def css_selectors() -> st.SearchStrategy[str]:
    """Selectors that may find something in `html_pages`."""
    simple = st.sampled_from(
        ["p", "div", "b", "a", "*", "li", "h1", "[href]", "[href='x']", "[href^=\"x\"]", ":empty",
         "section", ":first-child", "p:last-child", ":only-child", ":not(p, b)", ":is(h1, h2)",
         "b:not(:first-child)", "body", ":root", "custom-tag"]
    )  # fmt: skip
    combinators = st.sampled_from([" ", ">", " > ", "+", " ~ ", "~ ", ", ", " ,"])
    rest = st.lists(st.tuples(combinators, simple).map("".join), max_size=4).map("".join)
    return st.tuples(simple, rest).map("".join)
