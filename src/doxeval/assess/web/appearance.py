"""What organisers give their campaign: instructions in Markdown, and a colour.

Instructions become HTML by markdown-it, with HTML in them shown as text. Links lead to http, https
and mailto alone, and pictures become links, so that nothing is fetched from elsewhere. Headings
stand below that of the page, and no level is left out.

The colour of links and buttons is the campaign's own, made darker for light pages and lighter for
dark ones until it can be read on everything that it stands on.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markupsafe import Markup

if TYPE_CHECKING:
    from markdown_it.token import Token

_SCHEMES = ("http://", "https://", "mailto:")
_TOP = 3  # the page has a title and a heading above the instructions
Colour = tuple[float, float, float]  # red, green, blue from 0 to 1

# What links and buttons stand on, or what stands on them; as base.css and site.css have it.
ON_LIGHT = ("#ffffff", "#f5f7fa", "#fdf3d9", "#fdecea")
ON_DARK = ("#15181d", "#1d2229", "#372c10", "#3a1d1b", "#10151c")
_CONTRAST = 4.8  # a little more than WCAG wants, as colours are rounded
_STEPS = 100


@lru_cache(8)
def rendered(text: str) -> Markup:
    """Return Markdown as HTML for a page.

    >>> rendered("# Rules\\n\\nRead *all* <b>of</b> it, [here](https://a.example).")
    Markup('<h3>Rules</h3>\\n<p>Read <em>all</em> &lt;b&gt;of&lt;/b&gt; it, \
<a href="https://a.example" rel="noreferrer">here</a>.</p>\\n')
    """
    parser = _InstructionsParser()
    tokens = parser.parse(text)
    _lower_headings(tokens)
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704


class _InstructionsParser(MarkdownIt):
    """Markdown without HTML, pictures and links to anything but pages and people."""

    def __init__(self) -> None:
        super().__init__("commonmark", {"html": False})
        self.enable("table").disable("image")
        self.add_render_rule("link_open", _open_link)

    def validateLink(self, url: str) -> bool:  # noqa: N802
        """Tell whether a link may lead to an address; otherwise it stays text."""
        return url.strip().lower().startswith(_SCHEMES)


def _open_link(self: object, tokens: list[Token], place: int, *_: object) -> str:
    address = str(tokens[place].attrs["href"])
    return Markup('<a href="{}" rel="noreferrer">').format(address)


def _lower_headings(tokens: Iterable[Token]) -> None:
    """Let headings begin below those of the page; each is at most one below the one before."""
    before = _TOP - 1
    for token in tokens:
        if token.type == "heading_open":
            before = min(int(token.tag[1:]) + _TOP - 1, before + 1, 6)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{before}"


@lru_cache(8)
def stylesheet(colour: str) -> str:
    """Return the style of a campaign of a colour, such as "#1a7f5a".

    >>> print(stylesheet("#ffe000").splitlines()[0])
    :root { --brand: #ffe000; --accent: #786900; --link: #786900; }
    """
    light, dark = readable(colour, ON_LIGHT, "#000000"), readable(colour, ON_DARK, "#ffffff")
    root = ":root {{ --brand: {0}; --accent: {1}; --link: {1}; }}"
    return (
        f"{root.format(colour, light)}\n"
        f"@media (prefers-color-scheme: dark) {{ {root.format(colour, dark)} }}\n"
    )


def readable(colour: str, backgrounds: Iterable[str], towards: str) -> str:
    """Return a colour mixed with black or white as little as lets it be read on backgrounds."""
    start, end, under = _parsed(colour), _parsed(towards), list(backgrounds)
    for step in range(_STEPS + 1):
        share = step / _STEPS
        red, green, blue = (
            round(255 * ((1 - share) * a + share * b)) for a, b in zip(start, end, strict=True)
        )
        mixed = f"#{red:02x}{green:02x}{blue:02x}"
        if all(contrast_between(mixed, each) >= _CONTRAST for each in under):
            break
    return mixed


def contrast_between(one: str, other: str) -> float:
    """Return the contrast of two colours as WCAG 2.2 defines it, from 1 to 21.

    >>> contrast_between("#000000", "#ffffff")
    21.0
    """
    bright, dark = sorted((_luminance(_parsed(one)), _luminance(_parsed(other))), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: Colour) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _parsed(colour: str) -> Colour:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue
