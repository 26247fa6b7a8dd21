"""The options for building a collection, and the limits for each document.

Limits keep a hostile or broken document from using up memory or time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from doxeval.documents.ids import IdRule
from doxeval.errors import DocumentError, InputError
from doxeval.messages import Parameter, join_names, quoted, short_repr
from doxeval.named import check_options, option

# The node table sorts depths as 16-bit integers, so no document may be deeper than this.
DEEPEST_POSSIBLE = 30_000
# The node table has 32-bit integers for elements and characters of a document.
MOST_ELEMENTS_OF_A_DOCUMENT = 1 << 30
LONGEST_DOCUMENT = (1 << 31) - 1
# A topic and an element of a collection fit into one number of 64 bits, for 2^23 topics.
MOST_ELEMENTS = 1 << 40
MOST_TOPICS = 1 << 23
# When a collection is opened, so much of it is compared with its hashes, the smallest files first
# and the text left out. Hashing it takes a fraction of a second.
VERIFIED_BYTES = 256 << 20
# Far longer than any path; an id is kept in memory and in every line that refers to it.
LONGEST_ID = 10_000
_SUFFIX = re.compile(r"\.[^./\\\s]+")


@dataclass(frozen=True)
class Limits:
    """Upper limits for one document.

    >>> Limits(depth=50).depth
    50
    >>> Limits(depth=40_000)
    Traceback (most recent call last):
    doxeval.errors.InputError: depth=40000: expected a whole number from 1 to 30,000
    """

    depth: int = option(
        1000,
        "Maximum depth of nested elements.",
        at_least=1,
        at_most=DEEPEST_POSSIBLE,
        shown_default="1,000",
        flags=("--max-depth",),
    )
    bytes: int = option(
        64 << 20,
        "Maximum number of bytes of a document.",
        at_least=1,
        at_most=LONGEST_DOCUMENT,
        shown_default="64 MiB",
        flags=("--max-bytes",),
    )
    elements: int = option(
        4_000_000,
        "Maximum number of elements of a document.",
        at_least=1,
        at_most=MOST_ELEMENTS_OF_A_DOCUMENT,
        shown_default="4,000,000",
        flags=("--max-elements",),
    )
    lines: int = option(  # the parser takes some ten microseconds for each
        100_000,
        "Maximum number of lines of a Markdown document.",
        at_least=1,
        shown_default="100,000",
        flags=("--max-lines",),
    )
    expansion: int = option(
        10,
        "How many times longer than its bytes entities may make the text of a document.",
        at_least=1,
    )
    expansion_allowance: int = option(
        10_000,
        "Characters that come on top of that, for short documents with a long entity.",
        at_least=0,
    )

    def __post_init__(self) -> None:
        check_options(self)


def check_limit(
    name: Literal["bytes", "elements", "lines"], count: int, limits: Limits, origin: str
) -> None:
    """Refuse a document that has more of something than a limit allows.

    >>> check_limit("lines", 7, Limits(lines=5), "a.md")
    Traceback (most recent call last):
    doxeval.errors.DocumentError: a.md: more than 5 lines of Markdown in one document; lines= sets \
the limit
    """
    most: int = getattr(limits, name)
    if count > most:
        counted = "lines of Markdown" if name == "lines" else name
        message = f"more than {most:,} {counted} in one document; "
        raise DocumentError(message + Parameter(name) + " sets the limit", origin)


def too_deep(limits: Limits) -> str:
    """Return the message about a document that is too deep."""
    message = f"elements nested more than {limits.depth:,} deep; "
    return message + Parameter("depth") + " sets the limit"


Format = Literal["xml", "html", "markdown", "text", "jsonl", "pdf"]
Whitespace = Literal["keep", "strip"]
# The unit of offsets in a file of runs or assessments.
Offsets = Literal["characters", "bytes"]
TextStorage = Literal["plain", "compressed", "none"]
# What makes sections of HTML and Markdown.
Sections = Literal["headings", "none"]
# What becomes of a page of HTML in which `root` selects nothing.
RootMissing = Literal["whole", "error"]


# The formats of which parts may be left out, and what says so for each.
PartFormat = Literal["html", "xml"]
_PARTS: dict[PartFormat, str] = {
    "html": "a CSS selector, for HTML",
    "xml": "a path pattern, for XML",
}


def part_format(text: str) -> PartFormat:
    """Return the format for which a selector or a pattern is: patterns begin with a slash.

    >>> part_format("main > nav"), part_format("//page/info")
    ('html', 'xml')
    """
    return "xml" if text.lstrip().startswith("/") else "html"


def _parse_part(text: str) -> None:
    """Raise the error about a selector or a pattern that cannot be read."""
    from doxeval.documents.patterns import PathPatterns
    from doxeval.documents.readers.selectors import LONGEST_SELECTOR, parse_selector

    if part_format(text) == "xml":
        if len(text) > LONGEST_SELECTOR:
            raise InputError(f"expected a path pattern of at most {LONGEST_SELECTOR:,} characters")
        PathPatterns.parse(text)
        return
    try:
        parse_selector(text)
    except InputError as error:
        raise InputError(f"{error.message}; a path pattern, for XML, begins with /") from None


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


@dataclass(frozen=True)
class BuildOptions:
    """How a collection is built from its sources.

    whitespace says how text points number text nodes (`strip` skips those that are only white
    space); it never changes the text. inline has the tags that do not end a line or a word.
    sections says whether headings of HTML and Markdown make sections. root and drop are CSS
    selectors for HTML, and path patterns, which begin with a slash, for XML: the first element that
    root selects becomes the document, without the elements that one of drop selects. root may have
    one of each kind. A document in which root selects nothing is taken whole, and counted in the
    report, or is an error, as root_missing says.

    >>> BuildOptions(id_rule=IdRule.parse("//id"), text="compressed").recorded()["id"]
    '//id'
    >>> BuildOptions(root="main", drop=["nav", ".advertisement"]).drop
    ('nav', '.advertisement')
    >>> BuildOptions(drop=["nav", "//info, //credit"]).parts_of("xml")
    (None, ('//info, //credit',))
    """

    id_rule: IdRule = field(default_factory=lambda: IdRule("stem"))
    record: str | None = option(
        None,
        "Make a document of each element TAG of an XML file. Needs --id with an XPath.",
        metavar="TAG",
    )
    format: Format | None = option(None, "Format of the files.", choices=get_args(Format))
    suffixes: Sequence[str] = option(
        (),
        "Read files with this suffix as this format, such as .page=xml. May be repeated.",
        metavar=".SUFFIX=FORMAT",
        flags=("--suffix",),
    )
    encoding: str | None = option(
        None,
        "Encoding of files that do not declare one.",
        metavar="NAME",
        shown_default="UTF-8",
    )
    whitespace: Whitespace = option(
        "keep",
        "Whether text points count text nodes that are only white space. The text itself stays the "
        "same.",
        choices=get_args(Whitespace),
        flags=("--whitespace-nodes",),
    )
    inline: frozenset[str] = INLINE_TAGS
    text: TextStorage = option(
        "plain", "How to store the text of the documents.", choices=get_args(TextStorage)
    )
    sections: Sections = option(
        "headings",
        "Whether headings of HTML and Markdown make sections: elements that hold a heading and "
        "what belongs to it.",
        choices=get_args(Sections),
    )
    root: Sequence[str] = option(
        (),
        "Of each document, keep only the first element that this selects: a CSS selector for HTML, "
        "or a path pattern such as //body for XML. May be given once for each.",
        metavar="SELECTOR|PATTERN",
    )
    drop: Sequence[str] = option(
        (),
        "Leave out the elements that this selects: a CSS selector for HTML, such as nav, or a path "
        "pattern for XML, such as //page/info. May be repeated.",
        metavar="SELECTOR|PATTERN",
    )
    root_missing: RootMissing = option(
        "whole",
        "Whether a document in which --root selects nothing is taken whole, or is an error.",
        choices=get_args(RootMissing),
    )
    skip_broken: bool = option(False, "Report broken documents and leave them out.")
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        for name in ("root", "drop", "suffixes"):
            given = getattr(self, name)
            is_one = isinstance(given, str) or not isinstance(given, Iterable | None)
            given = (given,) if is_one else tuple(given or ())
            object.__setattr__(self, name, given)
        check_options(self)
        for name, value in self.recorded().items():
            for text in value if isinstance(value, list) else [value]:
                try:
                    str(text).encode()
                except UnicodeEncodeError:  # bytes of a command line that are not UTF-8
                    raise InputError(f"{name}={quoted(text)}: expected text in Unicode") from None
        if self.suffixes and self.format is not None:
            raise InputError(
                Parameter("suffixes") + " has no effect where " + Parameter("format") + " is given"
            )
        _ = self.formats_by_suffix
        self._check_selectors()

    @property
    def formats_by_suffix(self) -> dict[str, Format]:
        """The formats of files by their suffixes, as far as the options say them.

        >>> BuildOptions(suffixes=[".page=xml"]).formats_by_suffix
        {'.page': 'xml'}
        """
        formats: dict[str, Format] = {}
        for given in self.suffixes:
            suffix, _, name = given.lower().rpartition("=")
            format_ = next((known for known in get_args(Format) if known == name), None)
            if not _SUFFIX.fullmatch(suffix) or format_ is None:
                expected = (
                    f"expected .SUFFIX=FORMAT, with a format of {join_names(get_args(Format))}"
                )
                raise InputError(Parameter("suffixes", given) + ": " + expected)
            if formats.get(suffix, format_) != format_:
                message = f": {suffix} was given as {formats[suffix]} before"
                raise InputError(Parameter("suffixes", given) + message)
            formats[suffix] = format_
        return formats

    def parts_of(self, kind: PartFormat) -> tuple[str | None, tuple[str, ...]]:
        """Return what `root` and `drop` say for documents of a format."""
        root = [text for text in self.root if part_format(text) == kind]
        drop = tuple(text for text in self.drop if part_format(text) == kind)
        return (root[0] if root else None), drop

    def _check_selectors(self) -> None:
        """Refuse selectors and patterns that cannot be read, or that would have no effect."""
        given = [("root", text) for text in self.root] + [("drop", text) for text in self.drop]
        for name, text in given:
            if not isinstance(text, str):
                raise InputError(
                    Parameter(name, text) + ": expected a CSS selector or a path pattern"
                )
            kind: PartFormat = part_format(text)
            if self.format not in (None, kind):
                what = _PARTS[kind] if self.format in _PARTS else "for HTML and XML"
                raise InputError(Parameter(name, text) + f" is {what}; the format is {self.format}")
            try:
                _parse_part(text)
            except InputError as error:
                raise InputError(Parameter(name, text) + f": {error.message}") from None
        kinds = [part_format(text) for text in self.root]
        for kind, words in _PARTS.items():
            if kinds.count(kind) > 1:
                raise InputError(Parameter("root") + f" is given twice as {words}")

    def __repr__(self) -> str:
        return short_repr(self)

    def recorded(self) -> dict[str, Any]:
        """Return the options as the manifest of the collection records them."""
        return {
            "id": self.id_rule.text,
            "suffixes": "where needed" if self.id_rule.text == "path" else "never",
            "record": self.record,
            "format": self.format,
            "formats": list(self.suffixes),
            "encoding": self.encoding,
            "whitespace": self.whitespace,
            "inline": sorted(self.inline),
            "text": self.text,
            "sections": self.sections,
            "root": list(self.root) if len(self.root) > 1 else next(iter(self.root), None),
            "drop": list(self.drop),
            "root_missing": self.root_missing,
            "skip_broken": self.skip_broken,
        }
