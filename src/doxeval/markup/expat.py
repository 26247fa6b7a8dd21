"""A hardened expat: it drops no entity, opens no other file, and stops entity bombs.

Plain expat silently drops an entity that it does not know, which would shift every later offset.
Here every entity is either replaced by its characters or refused with an error that names it:

- entities declared in the document itself are replaced, if their value is plain text;
- the named entities of HTML (`&nbsp;`, `&eacute;`) are replaced, declared or not;
- all others (external, parameter, nested or unknown entities) are refused.

A document may name an external DTD, but it is never opened. It may declare entities and attributes
itself, within limits, and name its encoding, if that is one of characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from html.entities import html5
from pyexpat import XML_PARAM_ENTITY_PARSING_ALWAYS, ExpatError, ParserCreate, XMLParserType
from typing import IO

from doxeval.errors import DocumentError, InputError
from doxeval.markup.encodings import python_codec, unknown_encoding_message

# Entities may stand for this many times the bytes of the document that refers to them (of a large
# one, the bytes of its last megabyte), plus an allowance, so that a short document may use an
# entity with a long value.
EXPANSION = 10
ALLOWANCE = 10_000
_WINDOW = 1 << 20
_REFERENCE = re.compile(rb"&([^#;&<>\s'\"][^;&<>\s'\"]*)(;?)|&\Z")
LONGEST_ENTITY = 256
MOST_ENTITIES = 10_000
MOST_ATTRIBUTES = 100_000
# For each start tag, expat goes through all attributes that are declared for its element.
MOST_ATTRIBUTES_OF_AN_ELEMENT = 500
LARGEST_SUBSET = 1 << 20
LARGEST_TOKEN = 16 << 20
_FILE_PIECE = 1 << 18
_SMALL_PIECE = 1 << 12
# A document of which this is the beginning has no declarations of its own. Groups are atomic, so
# that a comment ends where it ends for expat.
_NO_SUBSET = re.compile(
    rb"(?:\xef\xbb\xbf)?"
    rb"(?>\s++|<\?.*?\?>|<!--.*?-->|<!DOCTYPE(?:[^\[\]<>\"']++|\"[^\"]*+\"|'[^']*+')*+>)*+"
    rb"<[A-Za-z_:\x80-\xff]",
    re.DOTALL,
)
_UNDEFINED = re.compile(rb"&([^;\s&<]{1,80});")
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
    `allowance` limit what entities may stand for (see Expansion).

    >>> texts = []
    >>> parsing = HardenedExpat(texts.append).parser("a.xml")
    >>> parsing.feed(b"<!DOCTYPE a [<!ENTITY x 'caf&#233;'>]><a>&x;</a>", True)
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
        self._parsing: Parsing  # the last one

    def parser(
        self,
        origin: str,
        declarations: bytes = b"",
        error_class: type[InputError] = DocumentError,
    ) -> Parsing:
        """Return a parser for one document; `declarations` stand in for an external DTD."""
        if self._encoding is not None and python_codec(self._encoding) is None:
            raise error_class(unknown_encoding_message(self._encoding), origin)
        if len(self._tag_strings) > _MANY_TAGS:
            self._tag_strings.clear()
        parser = ParserCreate(self._encoding, None, self._tag_strings)
        parser.buffer_text = True
        parser.ordered_attributes = True
        # Otherwise, one long default value in the DTD would be copied for every element.
        parser.specified_attributes = True
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = self._declare_entity
        parser.SkippedEntityHandler = self._replace_skipped
        if self._encoding is None:
            parser.XmlDeclHandler = self._check_encoding
        # Expat reports references to parameter entities only under this setting.
        parser.SetParamEntityParsing(XML_PARAM_ENTITY_PARSING_ALWAYS)
        parser.ExternalEntityRefHandler = _skip_external_dtd
        if declarations:

            def external(context: str | None, *_: object) -> int:
                reader = parser.ExternalEntityParserCreate(context)
                reader.EntityDeclHandler = None  # our own declarations need no check
                reader.Parse(declarations, True)
                return 1

            parser.UseForeignDTD(True)
            parser.ExternalEntityRefHandler = external
        self._parsing = Parsing(parser, origin, error_class, self._expansion)
        return self._parsing

    def _declare_entity(self, name: str, parameter: bool, value: str | None, *_: object) -> None:
        reason = _why_entity_refused(name, parameter, value)
        if reason is not None:
            raise Refused(reason, self._parsing.parser)
        self._parsing.declare_entity(name, value or "")

    def _replace_skipped(self, name: str, parameter: bool) -> None:
        if parameter or name not in NAMED_ENTITIES:
            reason = f"undefined entity {'%' if parameter else '&'}{name:.80};"
            raise Refused(reason, self._parsing.parser)
        self._text(NAMED_ENTITIES[name])

    def _check_encoding(self, _: str, encoding: str | None, __: int) -> None:
        if encoding is not None and python_codec(encoding) is None:
            raise Refused(unknown_encoding_message(encoding), self._parsing.parser)


def parser_without_declarations(text: Callable[[str], object]) -> XMLParserType:
    """Return a parser that passes text to `text`, for a document in UTF-8 without a document type.

    Nothing is declared in such a document, so there is nothing to refuse but its errors: every
    entity that is not XML's own is one of them.

    >>> texts = []
    >>> parser_without_declarations(texts.append).Parse(b"<p>one &amp; <b>two</b></p>", True)
    1
    >>> texts
    ['one & two']
    """
    parser = ParserCreate()
    parser.buffer_text = True
    parser.CharacterDataHandler = text
    return parser


def _skip_external_dtd(*_: object) -> int:
    """Tell expat to go on: an external DTD is never opened."""
    return 1


def _why_entity_refused(name: str, parameter: bool, value: str | None) -> str | None:
    """Return why a declared entity is not allowed, or None if it is."""
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


def named_entities_in(data: bytes) -> list[str]:
    """Return the named entities of HTML that a document refers to.

    >>> named_entities_in(b"<p>caf&eacute;&nbsp;&unknown_encoding_message; &amp; caf&eacute;</p>")
    ['eacute', 'nbsp']
    """
    if data.startswith(_UTF16_BEGINNINGS):
        return list(NAMED_ENTITIES)
    used = dict.fromkeys(name.decode() for name in _NAME.findall(data))
    return [name for name in used if name in NAMED_ENTITIES]


@cache
def all_entity_declarations() -> bytes:
    """Return a DTD that declares all named entities, for files that are read as a stream."""
    return entity_declarations(NAMED_ENTITIES)


def entity_declarations(names: Iterable[str]) -> bytes:
    """Return a DTD that declares the given named entities.

    >>> entity_declarations(["nbsp"])
    b'<!ENTITY nbsp "&#160;">'
    """
    return "".join(
        f'<!ENTITY {name} "{"".join(f"&#{ord(c)};" for c in NAMED_ENTITIES[name])}">'
        for name in names
    ).encode()


def file_pieces(file: IO[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield a file in pieces and, at its end, an empty one; each with whether it is the last.

    >>> import io
    >>> list(file_pieces(io.BytesIO(b"<p/>")))
    [(b'<p/>', False), (b'', True)]
    """
    while piece := file.read(_FILE_PIECE):
        yield piece, False
    yield b"", True


# Expat goes on to the end of what it was given, even after an error in a callback. So a document
# with declarations of its own is given to it in small pieces until they are over, and what its
# entities stand for is known before anything that refers to them is parsed.


class Parsing:
    """A parser, and the document that is given to it piece by piece.

    An error gets the file, the line and the column. `expansion` limits what entities may stand for.
    """

    _fed = 0
    _has_begun = False
    _is_careful = False
    _step = _SMALL_PIECE
    _subset_at: int | None = None  # where the declarations begin, while they last
    _entities = 0
    _attributes = 0
    # Most documents declare nothing, so these are made when they are needed.
    _expansion: Expansion | None = None
    _attributes_of: Counter[str]

    def __init__(
        self,
        parser: XMLParserType,
        origin: str,
        error_class: type[InputError],
        expansion: tuple[int, int],
    ) -> None:
        self.parser = parser
        self._origin = origin
        self._error_class = error_class
        self._expansion_limits = expansion

    def feed(self, piece: bytes, last: bool) -> None:
        """Parse one more piece."""
        if not self._has_begun:
            self._has_begun = True
            self._is_careful = _NO_SUBSET.match(piece) is None
            if self._is_careful:
                self._watch_declarations()
        at = 0
        while self._is_careful and at + self._step < len(piece):
            before = self.parser.CurrentByteIndex
            self._parse(piece[at : at + self._step], False)
            at += self._step
            # Expat begins anew with a token that has not ended, so twice as much is given to it.
            is_stuck = self.parser.CurrentByteIndex == before
            self._step = 2 * self._step if is_stuck else _SMALL_PIECE
        self._parse(piece[at:] if at else piece, last)

    def declare_entity(self, name: str, value: str) -> None:
        """Note an entity that the document declares."""
        self._entities += 1
        if self._entities > MOST_ENTITIES:
            raise Refused(f"more than {MOST_ENTITIES:,} entities are declared", self.parser)
        if self._expansion is None:
            self._expansion = Expansion(*self._expansion_limits)
        self._expansion.declare(name, value)

    def _watch_declarations(self) -> None:
        self._attributes_of = Counter()
        self.parser.StartDoctypeDeclHandler = self._begin_subset
        self.parser.EndDoctypeDeclHandler = self._end_subset
        self.parser.AttlistDeclHandler = self._declare_attribute

    def _begin_subset(self, *_: object) -> None:
        self._subset_at = self.parser.CurrentByteIndex

    def _end_subset(self) -> None:
        self._subset_at = None
        self._is_careful = False

    def _declare_attribute(self, element: str, *_: object) -> None:
        self._attributes += 1
        self._attributes_of[element] += 1
        if self._attributes > MOST_ATTRIBUTES:
            raise Refused(f"more than {MOST_ATTRIBUTES:,} attributes are declared", self.parser)
        if self._attributes_of[element] > MOST_ATTRIBUTES_OF_AN_ELEMENT:
            most = MOST_ATTRIBUTES_OF_AN_ELEMENT
            message = f"more than {most} attributes are declared for one element"
            raise Refused(message, self.parser)

    def _parse(self, piece: bytes, last: bool) -> None:
        expansion = self._expansion
        if expansion is not None and (excess := expansion.excess(piece)):
            raise self._error_class(excess, self._origin, self.parser.CurrentLineNumber)
        try:
            self.parser.Parse(piece, last)
        except ExpatError as error:
            message = _describe(error, self.parser, piece, self._fed)
            raise self._error_class(message, self._origin, error.lineno, error.offset + 1) from None
        except Refused as refusal:
            raise self._error_class(
                refusal.message, self._origin, refusal.line, refusal.column
            ) from None
        except (ValueError, LookupError) as error:
            # pyexpat asks Python for encodings that expat does not know, and cannot use some.
            message = f"the encoding cannot be read ({error}); convert the file to UTF-8"
            raise self._error_class(message, self._origin, 1) from None
        self._fed += len(piece)
        if not last:
            self._check_sizes()

    def _check_sizes(self) -> None:
        """Refuse declarations and tokens that are too large before expat has seen their end."""
        reason = None
        if self._subset_at is not None and self._fed - self._subset_at > LARGEST_SUBSET:
            reason = f"more than {LARGEST_SUBSET:,} bytes of declarations in the DOCTYPE"
        elif self._fed - max(self.parser.CurrentByteIndex, 0) > LARGEST_TOKEN:
            reason = f"a tag, comment or instruction of more than {LARGEST_TOKEN:,} bytes"
        if reason is not None:
            raise self._error_class(reason, self._origin, self.parser.CurrentLineNumber)


class Refused(Exception):
    """Raised inside a callback of expat, with the line and column; `Parsing` adds the file.

    The position must be noted in the callback, because expat reads on to the end of its input.
    """

    def __init__(self, message: str, parser: XMLParserType) -> None:
        super().__init__(message)
        self.message = message
        self.line = parser.CurrentLineNumber
        self.column = parser.CurrentColumnNumber + 1


def _describe(error: ExpatError, parser: XMLParserType, piece: bytes, fed: int) -> str:
    message = str(error).split(": line ")[0]
    if message == "undefined entity":
        # Expat does not name the entity. It is at the position of the error, or further on in the
        # start tag there.
        reference = _UNDEFINED.search(piece, max(parser.ErrorByteIndex - fed, 0))
        name = reference[1].decode("utf-8", "replace") if reference else "?"
        return f"undefined entity &{name:.80};"
    if message == "no element found":
        return "no element found: the document is empty or ends too early"
    if message == "not well-formed (invalid token)":
        return "not well-formed: a character or token that is not allowed here, or a wrong encoding"
    return message


# How much text the entities of a document stand for is found before they are replaced: expat
# replaces every reference in a start tag before it reports the tag, so a count of what it reports
# would come too late. A megabyte of references may stand for hundreds of megabytes.


class Expansion:
    """The entities that a document declares, and how much they may still stand for.

    What is counted is an upper bound: references in comments count as well.

    >>> expansion = Expansion(10, 100)
    >>> expansion.declare("x", "y" * 100)
    >>> expansion.excess(b"<p>caf&x; &amp;</p>")
    >>> expansion.excess(b"<a b='&x;&x;&x;&x;&x;'>")
    'entities expand the text to more than 10 times the document'
    """

    def __init__(self, factor: int = EXPANSION, allowance: int = ALLOWANCE) -> None:
        self._factor = factor
        self._most = factor * _WINDOW + allowance
        self._left = allowance
        self._sizes: dict[bytes, int] = {}
        self._longest = 0

    def declare(self, name: str, value: str) -> None:
        """Note an entity."""
        size = len(value.encode())
        self._sizes.setdefault(name.encode(), size)
        self._longest = max(self._longest, size)

    def excess(self, piece: bytes) -> str | None:
        """Return why the next piece of the document must not be parsed; None if it may be."""
        self._left = min(self._left + self._factor * len(piece), self._most)
        if self._longest and b"&" in piece:
            self._left -= max(map(self._size_of_references, _as_ascii(piece)))
        if self._left >= 0:
            return None
        return f"entities expand the text to more than {self._factor} times the document"

    def _size_of_references(self, piece: bytes) -> int:
        references = Counter(_REFERENCE.findall(piece))
        return sum(self._size(*reference) * count for reference, count in references.items())

    def _size(self, name: bytes, end: bytes) -> int:
        """Return the size of an entity; the largest if its name is incomplete or not in ASCII.

        Other names are those of XML and HTML, which stand for less than their own length.
        """
        is_whole = end and name.isascii()
        return self._sizes.get(name, 0 if is_whole else self._longest)


def _as_ascii(piece: bytes) -> list[bytes]:
    """Return bytes with ASCII's characters as they are; UTF-16 is decoded in both byte orders.

    Only UTF-16 has null bytes, and all ASCII characters have one in it.
    """
    if b"\0" not in piece:
        return [piece]
    orders = ("utf-16-le", "utf-16-be")
    return [piece.decode(order, "ignore").encode("utf-8", "ignore") for order in orders]
