"""The options for building a collection."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from doxeval.documents.ids import IdRule
from doxeval.documents.limits import Limits
from doxeval.errors import InputError
from doxeval.wording import brief, in_brief

Format = Literal["xml", "html", "markdown", "text", "jsonl"]
Whitespace = Literal["keep", "strip"]
# The unit of offsets in a file of runs or assessments.
Offsets = Literal["characters", "bytes"]
TextStorage = Literal["plain", "compressed", "none"]


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
}


@dataclass(frozen=True)
class BuildOptions:
    """How a collection is built from its sources.

    whitespace says how text points number text nodes (`strip` skips those that are only white
    space); it never changes the text. inline has the tags that do not end a line or a word.

    >>> BuildOptions(id_rule=IdRule.parse("//id"), text="compressed").recorded()["id"]
    '//id'
    """

    id_rule: IdRule = field(default_factory=lambda: IdRule("stem"))
    record: str | None = None
    format: Format | None = None
    encoding: str | None = None
    whitespace: Whitespace = "keep"
    inline: frozenset[str] = INLINE_TAGS
    text: TextStorage = "plain"
    skip_broken: bool = False
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        for name, value in self.recorded().items():
            choices = _CHOICES.get(name)
            if choices is not None and value not in choices:
                shown = ", ".join(map(str, choices))
                raise InputError(f"{name}={brief(value)}: expected one of {shown}")
            for text in value if isinstance(value, list) else [value]:
                _check_unicode(name, text)

    def __repr__(self) -> str:
        return in_brief(self)

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
            "skip_broken": self.skip_broken,
        }


def _check_unicode(name: str, value: object) -> None:
    """Refuse text that no file can hold, such as bytes of a command line that are not UTF-8."""
    try:
        str(value).encode()
    except UnicodeEncodeError:
        raise InputError(f"{name}={brief(value)}: expected text in Unicode") from None
