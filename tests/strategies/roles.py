"""Documents of all roles, as their authors write them, with the display facts that come out.

Headings, paragraphs, preformatted text, inline code, emphasis, small print, superscripts, ordered
lists that begin anywhere, definition lists, quotes, footnotes, figures with captions, tables with
heads and spans, line breaks, rules and mathematics, in scripts that run to the left or to the
right, with characters beyond the first plane and combining ones: the same in HTML, in DocBook and
in JATS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args
from xml.sax.saxutils import escape, quoteattr

from hypothesis import strategies as st

Vocabulary = Literal["html", "docbook", "jats"]
# An element, counted from the root, a name and a value.
Fact = tuple[int, str, str]
# What an attribute is, and the fact that follows; None if its value is none that is kept.
_Attribute = tuple[str, str, tuple[str, str] | None]

WORDS = [
    "tide", "The moon", "pulls", "0x1F", "a_b", "if x:", "שלום", "עולם 5", "العربية", "مدّ وجزر",
    "潮汐", "かな漢字", "𝔘𝔫𝔦", "😀", "👩\u200d👧", "e\u0301", "n\u0303a", "\u202bab\u202c",
    "ﬃ", "&", "<", ">", '"', "'", "]]", "\u00a0", "\ufeff", "\u2028",
]  # fmt: skip
SPACES = [" ", " ", " ", "  ", "\n", "\t", "\n    ", ""]


@dataclass(frozen=True)
class RoleDocument:
    """A document of one vocabulary: its source, its text, and the facts of its elements.

    bare: the source without any attributes.
    """

    vocabulary: Vocabulary
    source: str
    bare: str
    text: str
    facts: tuple[Fact, ...]
    tags: tuple[str, ...]

    @property
    def name(self) -> str:
        """A name with the suffix of its format."""
        return "a.html" if self.vocabulary == "html" else "a.xml"


@dataclass
class _Source:
    """A source that is being written, with what a reader should make of it."""

    vocabulary: Vocabulary
    parts: list[str] = field(default_factory=list)
    bare: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)

    def open(self, tag: str, attributes: Sequence[_Attribute] = ()) -> None:
        """Write a start tag, whose facts come in the order of display facts."""
        written = "".join(f" {name}={quoteattr(value)}" for name, value, _ in attributes)
        facts = [fact for _, _, fact in attributes if fact is not None]
        self.facts += [(len(self.tags), *fact) for fact in sorted(facts, key=_order)]
        self.markup(f"<{tag}{written}>", f"<{tag}>")
        self.tags.append(tag)

    def close(self, tag: str) -> None:
        """Write an end tag."""
        self.markup(f"</{tag}>")

    def markup(self, markup: str, bare: str | None = None) -> None:
        """Write markup, or what it is without attributes."""
        self.parts.append(markup)
        self.bare.append(markup if bare is None else bare)

    def empty(self, tag: str, attributes: Sequence[_Attribute] = ()) -> None:
        """Write an element without contents."""
        self.open(tag, attributes)
        if self.vocabulary != "html" or tag not in ("img", "br", "hr"):
            self.close(tag)

    def text(self, text: str) -> None:
        """Write text."""
        if self.vocabulary == "html" and self.parts[-1].startswith("<pre"):
            self.markup("\n")  # HTML ignores a line end there
        self.markup(escape(text))
        self.texts.append(text)

    def finish(self) -> RoleDocument:
        """Return the document."""
        return RoleDocument(
            self.vocabulary,
            "".join(self.parts),
            "".join(self.bare),
            "".join(self.texts),
            tuple(self.facts),
            tuple(self.tags),
        )


_ORDER = (
    "dir", "lang", "rowspan", "colspan", "start", "value", "reversed", "numbering", "header",
    "style", "display", "picture", "alt",
)  # fmt: skip


def _order(fact: tuple[str, str]) -> int:
    return _ORDER.index(fact[0])


def role_texts() -> st.SearchStrategy[str]:
    """Text in several scripts, with white space of all kinds."""
    pairs = st.tuples(st.sampled_from(WORDS), st.sampled_from(SPACES)).map("".join)
    return st.lists(pairs, min_size=1, max_size=5).map("".join)


# The tags of inline elements by vocabulary, and facts that come with them.
_INLINE: dict[str, dict[Vocabulary, tuple[str, Sequence[_Attribute]]]] = {
    "code": {"html": ("code", ()), "docbook": ("literal", ()), "jats": ("monospace", ())},
    "emphasis": {"html": ("em", ()), "docbook": ("emphasis", ()), "jats": ("italic", ())},
    "strong": {
        "html": ("strong", ()),
        "docbook": ("emphasis", [("role", "bold", ("style", "strong"))]),
        "jats": ("bold", ()),
    },
    "small": {"html": ("small", ()), "docbook": ("phrase", ()), "jats": ("sc", ())},
    "superscript": {"html": ("sup", ()), "docbook": ("superscript", ()), "jats": ("sup", ())},
    "subscript": {"html": ("sub", ()), "docbook": ("subscript", ()), "jats": ("sub", ())},
    "phrase": {"html": ("span", ()), "docbook": ("phrase", ()), "jats": ("styled-content", ())},
}  # fmt: skip
_NUMERATION = {
    "1": ("arabic", "order"),
    "a": ("loweralpha", "alpha-lower"),
    "A": ("upperalpha", "alpha-upper"),
    "i": ("lowerroman", "roman-lower"),
    "I": ("upperroman", "roman-upper"),
}
_PICTURES = [
    ("figures/tide.png", "figures/tide.png"),
    ("./a%20b.jpg?v=2#x", "a b.jpg"),
    ("x/../y.gif", "y.gif"),
    ("../secret.png", None),
    ("/etc/a.png", None),
    ("https://example.org/a.png", None),
    ("data:image/png;base64,AAAA", None),
    ("%2e%2e/a.png", None),
    ("a\\b.png", None),
    ("", None),
]


class _Writer:
    """Writes random documents of one vocabulary."""

    def __init__(self, draw: st.DrawFn, vocabulary: Vocabulary) -> None:
        self._draw = draw
        self._source = _Source(vocabulary)
        self._vocabulary = vocabulary
        self._is_html = vocabulary == "html"

    def document(self, most_blocks: int) -> RoleDocument:
        """Return a document of a few blocks."""
        source = self._source
        if self._is_html:
            source.markup("<!DOCTYPE html>")
            source.open("html", self._common())
            source.open("head")
            source.open("title")
            source.text(self._draw(role_texts()))
            source.close("title")
            source.close("head")
            source.open("body", self._common())
        else:
            source.open("article", self._common())
        self._blocks(most_blocks, depth=0)
        if self._is_html:
            source.close("body")
            source.close("html")
        else:
            source.close("article")
        return source.finish()

    # Attributes

    def _is(self, chance: int = 2) -> bool:
        return self._draw(st.integers(1, chance)) == 1

    def _pick(self, values: Sequence[_Attribute]) -> _Attribute:
        return self._draw(st.sampled_from(values))

    def _common(self) -> list[_Attribute]:
        """Direction and language, sometimes, and attributes that are not kept."""
        lang = "lang" if self._is_html else "xml:lang"
        attributes: list[_Attribute] = []
        if self._is(3):
            attributes.append(
                self._pick(
                    [
                        ("dir", "rtl", ("dir", "rtl")),
                        ("dir", " LTR", ("dir", "ltr")),
                        ("dir", "auto", ("dir", "auto")),
                        ("dir", "up", None),
                    ]
                )
            )
        if self._is(3):
            attributes.append(
                self._pick(
                    [
                        (lang, "he", ("lang", "he")),
                        (lang, "pt_BR", ("lang", "pt-BR")),
                        (lang, "zh-Hant-TW", ("lang", "zh-Hant-TW")),
                        (lang, "x\" onload='1'", None),
                        (lang, "", None),
                    ]
                )
            )
        if self._is(3):
            attributes.insert(0, ("title", "dir='rtl' lang = \"he\" > 1", None))
        return attributes

    def _number(self, name: str, fact: str) -> _Attribute:
        return self._pick(
            [
                (name, "7", (fact, "7")),
                (name, " 12x", (fact, "12")),
                (name, "-3", (fact, "-3")),
                (name, "many", None),
                (name, "9" * 20, None),
            ]
        )

    # Inline

    def _inline(self, depth: int = 0) -> None:
        source = self._source
        for _ in range(self._draw(st.integers(1, 3))):
            source.text(self._draw(role_texts()))
            if depth > 2 or self._is():
                continue
            kind = self._draw(st.sampled_from([*_INLINE, "break", "math", "picture"]))
            if kind == "break":
                if self._vocabulary != "docbook":
                    source.empty("br" if self._is_html else "break")
            elif kind == "math":
                self._math()
            elif kind == "picture":
                self._picture()
            else:
                tag, attributes = _INLINE[kind][self._vocabulary]
                source.open(tag, [*attributes, *self._common()])
                self._inline(depth + 1)
                source.close(tag)

    def _math(self) -> None:
        source, prefix = self._source, "" if self._is_html else "mml:"
        is_block = self._is()
        attributes: list[_Attribute] = (
            [("display", "block", ("display", "block"))] if is_block else []
        )
        if prefix:
            attributes.append(("xmlns:mml", "http://www.w3.org/1998/Math/MathML", None))
        source.open(prefix + "math", attributes)
        source.open(prefix + "mfrac")
        for tag in ("mi", "mn"):
            source.open(prefix + tag)
            source.text(self._draw(st.sampled_from(["x", "12", "α", "𝑦"])))
            source.close(prefix + tag)
        source.close(prefix + "mfrac")
        source.close(prefix + "math")

    def _picture(self) -> None:
        reference, name = self._draw(st.sampled_from(_PICTURES))
        fact = None if name is None else ("picture", name)
        if self._vocabulary == "docbook":
            self._source.open("mediaobject")
            self._source.open("imageobject")
            self._source.empty("imagedata", [("fileref", reference, fact), *self._common()])
            self._source.close("imageobject")
            self._source.open("textobject")
            self._source.text(self._draw(role_texts()))
            self._source.close("textobject")
            self._source.close("mediaobject")
        elif self._is_html:
            alt = self._draw(role_texts())
            line = " ".join(alt.split()).replace("\u2028", "")
            attributes: list[_Attribute] = [("src", reference, fact)]
            if self._is():
                attributes.append(("alt", alt, ("alt", line) if line else None))
            self._source.empty("img", [*attributes, *self._common()])
        else:
            attributes = [("xlink:href", reference, fact)]
            self._source.empty("graphic", [*attributes, *self._common()])

    # Blocks

    def _blocks(self, most: int, depth: int) -> None:
        kinds: list[Callable[[int], None]] = [
            self._heading, self._paragraph, self._preformatted, self._ordered, self._unordered,
            self._definitions, self._quote, self._footnote, self._figure, self._table, self._rule,
        ]  # fmt: skip
        for _ in range(self._draw(st.integers(1, most))):
            kind = self._draw(st.sampled_from(kinds if depth < 2 else kinds[1:3]))
            kind(depth)
            if self._is():
                self._source.text(self._draw(st.sampled_from([" ", "\n", "\n\n\t"])))

    def _wrapped(self, tag: str, attributes: Sequence[_Attribute] = ()) -> None:
        self._source.open(tag, [*attributes, *self._common()])
        self._inline()
        self._source.close(tag)

    def _holding(self, tag: str, depth: int, attributes: Sequence[_Attribute] = ()) -> None:
        self._source.open(tag, [*attributes, *self._common()])
        self._blocks(2, depth + 1)
        self._source.close(tag)

    def _named(self, html: str, docbook: str, jats: str) -> str:
        return {"html": html, "docbook": docbook, "jats": jats}[self._vocabulary]

    def _heading(self, depth: int) -> None:
        self._wrapped(self._named(f"h{depth + 1}", "title", "title"))

    def _paragraph(self, depth: int) -> None:
        self._wrapped(self._named("p", "para", "p"))

    def _preformatted(self, depth: int) -> None:
        tag = self._named("pre", "programlisting", "preformat")
        self._source.open(tag, self._common())
        self._source.text(
            self._draw(st.sampled_from(["\n", "    ", ""])) + self._draw(role_texts())
        )
        self._source.close(tag)

    def _ordered(self, depth: int) -> None:
        tag = self._named("ol", "orderedlist", "list")
        kind = self._draw(st.sampled_from(list(_NUMERATION)))
        docbook, jats = _NUMERATION[kind]
        name, value = {
            "html": ("type", kind),
            "docbook": ("numeration", docbook),
            "jats": ("list-type", jats),
        }[self._vocabulary]
        attributes: list[_Attribute] = [(name, value, ("numbering", kind))] if self._is() else []
        if self._is_html:
            attributes += [self._number("start", "start")] if self._is() else []
            attributes += [("reversed", "", ("reversed", "yes"))] if self._is(4) else []
        if self._vocabulary == "docbook":
            attributes += [self._number("startingnumber", "start")] if self._is() else []
        self._source.open(tag, [*attributes, *self._common()])
        for _ in range(self._draw(st.integers(1, 2))):
            own = [self._number("value", "value")] if self._is_html and self._is(3) else []
            self._holding(self._named("li", "listitem", "list-item"), depth, own)
        self._source.close(tag)

    def _unordered(self, depth: int) -> None:
        tag = self._named("ul", "itemizedlist", "list")
        self._source.open(tag, self._common())
        self._holding(self._named("li", "listitem", "list-item"), depth)
        self._source.close(tag)

    def _definitions(self, depth: int) -> None:
        tag = self._named("dl", "variablelist", "def-list")
        self._source.open(tag, self._common())
        entry = self._named("", "varlistentry", "def-item")
        if entry:
            self._source.open(entry)
        self._wrapped(self._named("dt", "term", "term"))
        self._holding(self._named("dd", "listitem", "def"), depth)
        if entry:
            self._source.close(entry)
        self._source.close(tag)

    def _quote(self, depth: int) -> None:
        self._holding(self._named("blockquote", "blockquote", "disp-quote"), depth)

    def _footnote(self, depth: int) -> None:
        self._holding(self._named("aside", "footnote", "fn"), depth)

    def _figure(self, depth: int) -> None:
        tag = self._named("figure", "figure", "fig")
        self._source.open(tag, self._common())
        self._picture()
        self._wrapped(self._named("figcaption", "title", "caption"))
        self._source.close(tag)

    def _rule(self, depth: int) -> None:
        if self._vocabulary != "docbook":
            self._source.empty("hr", self._common())

    def _table(self, depth: int) -> None:
        if self._vocabulary == "docbook":
            self._cals_table()
            return
        self._source.open("table", self._common())
        if self._is():
            self._wrapped("caption")
        for part, cell in (("thead", "th"), ("tbody", "td")):
            self._source.open(part)
            for _ in range(self._draw(st.integers(1, 2))):
                self._source.open("tr")
                for _ in range(self._draw(st.integers(1, 3))):
                    self._wrapped(cell, self._spans())
                self._source.close("tr")
            self._source.close(part)
        self._source.close("table")

    def _spans(self) -> list[_Attribute]:
        attributes: list[_Attribute] = []
        if self._is(3):
            attributes.append(
                self._pick(
                    [
                        ("rowspan", "2", ("rowspan", "2")),
                        ("rowspan", "0", ("rowspan", "0")),
                        ("rowspan", "1", None),
                        ("rowspan", "99999999", ("rowspan", "65534")),
                    ]
                )
            )
        if self._is(3):
            attributes.append(
                self._pick(
                    [
                        ("colspan", "3", ("colspan", "3")),
                        ("colspan", "0", None),
                        ("colspan", "5000", ("colspan", "1000")),
                        ("colspan", "two", None),
                    ]
                )
            )
        return attributes

    def _cals_table(self) -> None:
        source = self._source
        columns = self._draw(st.integers(1, 4))
        source.open("informaltable", self._common())
        source.open("tgroup", [("cols", str(columns), None)])
        for number in range(columns):
            source.empty("colspec", [("colname", f"c{number}", None)])
        for part in ("thead", "tbody"):
            source.open(part)
            for _ in range(self._draw(st.integers(1, 2))):
                source.open("row")
                at = 0
                while at < columns:
                    width = self._draw(st.integers(1, columns - at))
                    attributes: list[_Attribute] = []
                    if width > 1 or self._is():
                        fact = ("colspan", str(width)) if width > 1 else None
                        attributes += [
                            ("namest", f"c{at}", fact),
                            ("nameend", f"c{at + width - 1}", None),
                        ]
                    if self._is(3):
                        attributes.append(("morerows", "2", ("rowspan", "3")))
                    self._wrapped("entry", attributes)
                    at += width
                source.close("row")
            source.close(part)
        source.close("tgroup")
        source.close("informaltable")


@st.composite
def role_documents(
    draw: st.DrawFn, vocabulary: Vocabulary | None = None, most_blocks: int = 4
) -> RoleDocument:
    """Documents of all roles, of one vocabulary or of any.

    What a page of HTML says of its elements is true if it is read without sections.
    """
    vocabularies: tuple[Vocabulary, ...] = get_args(Vocabulary)
    chosen = draw(st.sampled_from(vocabularies)) if vocabulary is None else vocabulary
    return _Writer(draw, chosen).document(most_blocks)
