"""A hardened expat: it drops no entity, opens no other file, and stops entity bombs.

Plain expat silently drops an entity that it does not know, which would shift every later offset.
Here every entity is either replaced by its characters or refused with an error that names it:

- entities declared in the document itself are replaced, if their value is plain text;
- the named entities of HTML (`&nbsp;`, `&eacute;`) are replaced, declared or not;
- all others (external, parameter, nested or unknown entities) are refused.

A document may name an external DTD, but it is never opened. It may declare entities and attributes
itself, within limits (see feeding.py), and name its encoding, if that is one of characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from html.entities import html5
from pyexpat import XML_PARAM_ENTITY_PARSING_ALWAYS, ParserCreate, XMLParserType

from doxeval.errors import DocumentError, InputError
from doxeval.markup.character_sets import codec_of, unknown
from doxeval.markup.expansion import ALLOWANCE, EXPANSION
from doxeval.markup.feeding import LONGEST_ENTITY, Feed, Refused

_PREDEFINED = {"lt", "gt", "amp", "apos", "quot"}
NAMED_ENTITIES = {
    name[:-1]: value
    for name, value in html5.items()
    if name.endswith(";") and name[:-1] not in _PREDEFINED and not set(value) & set("<&%")
}
_NAME = re.compile(rb"&([A-Za-z][A-Za-z0-9]*);")
_MANY_TAGS = 100_000
_UTF16_BEGINNINGS = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")


class HardenedExpat:
    """Makes parsers that pass text to `text` and refuse dangerous declarations.

    All its parsers share one string per tag; only the last one is in use. `expansion` and
    `allowance` limit what entities may stand for (see expansion.py).

    >>> texts = []
    >>> feed = HardenedExpat(texts.append).parser("a.xml")
    >>> feed.feed(b"<!DOCTYPE a [<!ENTITY x 'caf&#233;'>]><a>&x;</a>", True)
    >>> texts
    ['café']
    """

    def __init__(
        self,
        text: Callable[[str], object],
        encoding: str | None = None,
        *,
        expansion: int = EXPANSION,
        allowance: int = ALLOWANCE,
    ) -> None:
        self._text = text
        self._encoding = encoding
        self._expansion = expansion, allowance
        self._tag_strings: dict[str, str] = {}
        self._on_declaration, self._on_skipped = self._declared, self._skipped
        self._on_xml_declaration = self._named_encoding
        self._feed: Feed | None = None

    def parser(
        self,
        origin: str,
        declarations: bytes = b"",
        error_class: type[InputError] = DocumentError,
    ) -> Feed:
        """A parser for one document; `declarations` stand in for an external DTD."""
        if self._encoding is not None and codec_of(self._encoding) is None:
            raise error_class(unknown(self._encoding), origin)
        if len(self._tag_strings) > _MANY_TAGS:
            self._tag_strings.clear()
        parser = ParserCreate(self._encoding, None, self._tag_strings)
        parser.buffer_text = True
        parser.ordered_attributes = True
        # Otherwise, one long default value in the DTD would be copied for every element.
        parser.specified_attributes = True
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = self._on_declaration
        parser.SkippedEntityHandler = self._on_skipped
        if self._encoding is None:
            parser.XmlDeclHandler = self._on_xml_declaration
        # Expat reports references to parameter entities only under this setting.
        parser.SetParamEntityParsing(XML_PARAM_ENTITY_PARSING_ALWAYS)
        parser.ExternalEntityRefHandler = _never_opened
        if declarations:

            def external(context: str | None, *_: object) -> int:
                reader = parser.ExternalEntityParserCreate(context)
                reader.EntityDeclHandler = None  # our own declarations need no check
                reader.Parse(declarations, True)
                return 1

            parser.UseForeignDTD(True)
            parser.ExternalEntityRefHandler = external
        self._feed = Feed(parser, origin, error_class, self._expansion)
        return self._feed

    def _declared(self, name: str, parameter: bool, value: str | None, *_: object) -> None:
        reason = _why_not(name, parameter, value)
        if reason is not None:
            raise self._refused(reason)
        if self._feed is not None and value is not None:
            self._feed.declare_entity(name, value)

    def _skipped(self, name: str, parameter: bool) -> None:
        if parameter or name not in NAMED_ENTITIES:
            raise self._refused(f"undefined entity {'%' if parameter else '&'}{name:.80};")
        self._text(NAMED_ENTITIES[name])

    def _named_encoding(self, _: str, encoding: str | None, __: int) -> None:
        if encoding is not None and codec_of(encoding) is None:
            raise self._refused(unknown(encoding))

    def _refused(self, reason: str) -> Exception:
        return Refused(reason, self._feed.parser) if self._feed else DocumentError(reason)


def _never_opened(*_: object) -> int:
    """Skip an external DTD."""
    return 1


def _why_not(name: str, parameter: bool, value: str | None) -> str | None:
    """Why a declared entity is not allowed, or None if it is."""
    if parameter:
        return f"parameter entity %{name:.80}; is not allowed"
    if value is None:
        return f"external entity &{name:.80}; is not allowed"
    if len(value) > LONGEST_ENTITY:
        return (
            f"entity &{name:.80}; stands for {len(value):,} characters; "
            f"at most {LONGEST_ENTITY} are allowed"
        )
    if set(value) & set("&%<"):
        return f"entity &{name:.80}; holds markup or other entities, not plain text"
    return None


def undeclared(text: Callable[[str], object]) -> XMLParserType:
    """A parser that passes text to `text`, for a document in UTF-8 without a document type.

    Nothing is declared in such a document, so there is nothing to refuse but its errors: every
    entity that is not XML's own is one of them.

    >>> texts = []
    >>> undeclared(texts.append).Parse(b"<p>one &amp; <b>two</b></p>", True)
    1
    >>> texts
    ['one & two']
    """
    parser = ParserCreate()
    parser.buffer_text = True
    parser.CharacterDataHandler = text
    return parser


def names_used(data: bytes) -> list[str]:
    """The named entities of HTML that a document refers to.

    >>> names_used(b"<p>caf&eacute;&nbsp;&unknown; &amp; caf&eacute;</p>")
    ['eacute', 'nbsp']
    """
    if data.startswith(_UTF16_BEGINNINGS):
        return list(NAMED_ENTITIES)
    used = dict.fromkeys(name.decode() for name in _NAME.findall(data))
    return [name for name in used if name in NAMED_ENTITIES]


@cache
def all_declarations() -> bytes:
    """A DTD that declares all named entities, for files that are read as a stream."""
    return declarations_of(NAMED_ENTITIES)


def declarations_of(names: Iterable[str]) -> bytes:
    """A DTD that declares the given named entities.

    >>> declarations_of(["nbsp"])
    b'<!ENTITY nbsp "&#160;">'
    """
    return "".join(
        f'<!ENTITY {name} "{"".join(f"&#{ord(c)};" for c in NAMED_ENTITIES[name])}">'
        for name in names
    ).encode()
