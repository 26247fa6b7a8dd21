"""The options for building a collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from doxeval.documents.ids import IdRule
from doxeval.documents.limits import Limits
from doxeval.errors import InputError
from doxeval.messages import Parameter, quoted, short_repr

Format = Literal["xml", "html", "markdown", "text", "jsonl"]
Whitespace = Literal["keep", "strip"]
# The unit of offsets in a file of runs or assessments.
Offsets = Literal["characters", "bytes"]
TextStorage = Literal["plain", "compressed", "none"]
# What makes sections of HTML and Markdown.
Sections = Literal["headings", "none"]
# What becomes of a page of HTML in which `root` selects nothing.
RootMissing = Literal["whole", "error"]


# Tags of elements within a line of text, in HTML and in the collections of INEX. A word may
# continue across the edge of such an element; any other element ends it.
INLINE_TAGS = frozenset(
    (
        # HTML
        "a abbr b big cite code del dfn em font i ins kbd mark q s samp small span strike strong "
        "sub sup tt u var "
        # the IEEE articles of 2002 to 2005
        "bi emph emph2 emph3 emph4 it ref rm scp "
        # the Wikipedia of 2006 to 2010
        "collectionlink imagelink languagelink link outsidelink redirectlink unknownlink weblink "
        "wikipedialink"
    ).split()
)


_CHOICES = {
    "format": (*get_args(Format), None),
    "whitespace": get_args(Whitespace),
    "text": get_args(TextStorage),
    "sections": get_args(Sections),
    "root_missing": get_args(RootMissing),
}


@dataclass(frozen=True)
class BuildOptions:
    """How a collection is built from its sources.

    whitespace says how text points number text nodes (`strip` skips those that are only white
    space); it never changes the text. inline has the tags that do not end a line or a word.
    sections says whether headings of HTML and Markdown make sections. root and drop are CSS
    selectors, for HTML alone: the first element that root selects becomes the document, without
    the elements that one of drop selects. A page in which root selects nothing is taken whole, and
    counted in the report, or is an error, as root_missing says.

    >>> BuildOptions(id_rule=IdRule.parse("//id"), text="compressed").recorded()["id"]
    '//id'
    >>> BuildOptions(root="main", drop=["nav", ".advertisement"]).drop
    ('nav', '.advertisement')
    """

    id_rule: IdRule = field(default_factory=lambda: IdRule("stem"))
    record: str | None = None
    format: Format | None = None
    encoding: str | None = None
    whitespace: Whitespace = "keep"
    inline: frozenset[str] = INLINE_TAGS
    text: TextStorage = "plain"
    sections: Sections = "headings"
    root: str | None = None
    drop: Sequence[str] = ()
    root_missing: RootMissing = "whole"
    skip_broken: bool = False
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        drop = (self.drop,) if isinstance(self.drop, str) else tuple(self.drop)
        object.__setattr__(self, "drop", drop)
        for name, value in self.recorded().items():
            choices = _CHOICES.get(name)
            if choices is not None and value not in choices:
                shown = ", ".join(map(str, choices))
                raise InputError(Parameter(name, value) + f": expected one of {shown}")
            for text in value if isinstance(value, list) else [value]:
                _check_unicode(name, text)
        self._check_selectors()

    def _check_selectors(self) -> None:
        """Refuse selectors that cannot be read, or that would have no effect."""
        given = [] if self.root is None else [("root", self.root)]
        given += [("drop", selector) for selector in self.drop]
        if given and self.format not in (None, "html"):
            raise InputError(
                Parameter(given[0][0]) + f" is for HTML, and the format is {self.format}"
            )
        for name, selector in given:
            from doxeval.documents.selectors import parse_selector  # needs a parser of HTML

            if not isinstance(selector, str):
                raise InputError(Parameter(name, selector) + ": expected a CSS selector")
            try:
                parse_selector(selector)
            except InputError as error:
                raise InputError(Parameter(name, selector) + f": {error.message}") from None

    def __repr__(self) -> str:
        return short_repr(self)

    def recorded(self) -> dict[str, Any]:
        """The options as the manifest of the collection records them."""
        return {
            "id": self.id_rule.text,
            "suffixes": "where needed" if self.id_rule.text == "path" else "never",
            "record": self.record,
            "format": self.format,
            "encoding": self.encoding,
            "whitespace": self.whitespace,
            "inline": sorted(self.inline),
            "text": self.text,
            "sections": self.sections,
            "root": self.root,
            "drop": list(self.drop),
            "root_missing": self.root_missing,
            "skip_broken": self.skip_broken,
        }


def _check_unicode(name: str, value: object) -> None:
    """Refuse text that no file can hold, such as bytes of a command line that are not UTF-8."""
    try:
        str(value).encode()
    except UnicodeEncodeError:
        raise InputError(f"{name}={quoted(value)}: expected text in Unicode") from None
