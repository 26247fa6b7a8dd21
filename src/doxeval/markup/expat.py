"""A hardened expat: it drops no entity, opens no other file, and stops entity bombs.

Plain expat silently drops an entity that it does not know, which would shift every later offset.
Here every entity is either replaced by its characters or refused with an error that names it:

- entities declared in the document itself are replaced, if their value is plain text;
- the named entities of HTML (`&nbsp;`, `&eacute;`) are replaced, declared or not;
- all others (external, parameter, nested or unknown entities) are refused.

A document may name an external DTD, but it is never opened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from html.entities import html5
from pyexpat import XML_PARAM_ENTITY_PARSING_ALWAYS, ExpatError, ParserCreate, XMLParserType

from doxeval.errors import DocumentError, InputError

LONGEST_ENTITY = 256
_PREDEFINED = {"lt", "gt", "amp", "apos", "quot"}
NAMED_ENTITIES = {
    name[:-1]: value
    for name, value in html5.items()
    if name.endswith(";") and name[:-1] not in _PREDEFINED and not set(value) & set("<&%")
}
_NAME = re.compile(rb"&([A-Za-z][A-Za-z0-9]*);")
_REFERENCE = re.compile(rb"&([^;\s&<]{1,80});")
_MANY_TAGS = 100_000
_UTF16_BEGINNINGS = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")


class Refused(Exception):
    """Raised inside a callback of expat, with the line and column; `feed` adds the file.

    The position must be noted in the callback, because expat reads on to the end of its input.
    """

    def __init__(self, message: str, parser: XMLParserType) -> None:
        super().__init__(message)
        self.line = parser.CurrentLineNumber
        self.column = parser.CurrentColumnNumber + 1


class HardenedExpat:
    """Makes parsers that pass text to `text` and refuse dangerous declarations.

    All its parsers share one string per tag.
    """

    def __init__(
        self,
        text: Callable[[str], object],
        encoding: str | None = None,
    ) -> None:
        self._text = text
        self._encoding = encoding
        self._tag_strings: dict[str, str] = {}
        self._on_declaration, self._on_skipped = self._declared, self._skipped
        self._current: XMLParserType | None = None

    def parser(self, declarations: bytes = b"") -> XMLParserType:
        """A parser; `declarations` stand in for an external DTD."""
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
        self._current = parser
        return parser

    def _declared(self, name: str, parameter: bool, value: str | None, *_: object) -> None:
        reason = _why_not(name, parameter, value)
        if reason is not None:
            raise self._refused(reason)

    def _skipped(self, name: str, parameter: bool) -> None:
        if parameter or name not in NAMED_ENTITIES:
            raise self._refused(f"undefined entity {'%' if parameter else '&'}{name};")
        self._text(NAMED_ENTITIES[name])

    def _refused(self, reason: str) -> Exception:
        return Refused(reason, self._current) if self._current else DocumentError(reason)


def _never_opened(*_: object) -> int:
    """Skip an external DTD."""
    return 1


def _why_not(name: str, parameter: bool, value: str | None) -> str | None:
    """Why a declared entity is not allowed, or None if it is."""
    if parameter:
        return f"parameter entity %{name}; is not allowed"
    if value is None:
        return f"external entity &{name}; is not allowed"
    if len(value) > LONGEST_ENTITY:
        return (
            f"entity &{name}; stands for {len(value):,} characters; "
            f"at most {LONGEST_ENTITY} are allowed"
        )
    if set(value) & set("&%<"):
        return f"entity &{name}; holds markup or other entities, not plain text"
    return None


def feed(
    parser: XMLParserType,
    piece: bytes,
    last: bool,
    origin: str,
    fed: int = 0,
    error_class: type[InputError] = DocumentError,
) -> None:
    """Give the parser a piece of a file; an error gets the file, line and column.

    `fed` is the number of bytes in earlier pieces.
    """
    try:
        parser.Parse(piece, last)
    except ExpatError as error:
        raise error_class(
            _described(error, parser, piece, fed), origin, error.lineno, error.offset + 1
        ) from None
    except Refused as refusal:
        raise error_class(str(refusal), origin, refusal.line, refusal.column) from None
    except (ValueError, LookupError) as error:
        # pyexpat asks Python for encodings that expat does not know, and cannot use some of them.
        raise error_class(
            f"the encoding cannot be read ({error}); convert the file to UTF-8", origin, 1
        ) from None


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


def _described(error: ExpatError, parser: XMLParserType, piece: bytes, fed: int) -> str:
    message = str(error).split(": line ")[0]
    if message == "undefined entity":
        # Expat does not name the entity. It is at the position of the error, or further on in the
        # start tag there.
        reference = _REFERENCE.search(piece, max(parser.ErrorByteIndex - fed, 0))
        name = reference[1].decode("utf-8", "replace") if reference else "?"
        return f"undefined entity &{name};"
    if message == "no element found":
        return "no element found: the document is empty or ends too early"
    if message == "not well-formed (invalid token)":
        return "not well-formed: a character or token that is not allowed here, or a wrong encoding"
    return message
