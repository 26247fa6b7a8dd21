"""Feeding a document to expat, so slowly at first that dangerous declarations are found in time.

Expat goes on to the end of what it was given, even after an error in a callback. So a document
with declarations of its own is given to it in small pieces until they are over, and what its
entities stand for is known before anything that refers to them is parsed.
"""

from __future__ import annotations

import re
from collections import Counter
from pyexpat import ExpatError, XMLParserType

from doxeval.errors import InputError
from doxeval.markup.expansion import Expansion

LONGEST_ENTITY = 256
MOST_ENTITIES = 10_000
MOST_ATTRIBUTES = 100_000
# For each start tag, expat goes through all attributes that are declared for its element.
MOST_ATTRIBUTES_OF_AN_ELEMENT = 500
LARGEST_SUBSET = 1 << 20
LARGEST_TOKEN = 16 << 20
_SMALL_PIECE = 1 << 12
# A document of which this is the beginning has no declarations of its own. Groups are atomic, so
# that a comment ends where it ends for expat.
_NO_SUBSET = re.compile(
    rb"(?:\xef\xbb\xbf)?"
    rb"(?>\s++|<\?.*?\?>|<!--.*?-->|<!DOCTYPE(?:[^\[\]<>\"']++|\"[^\"]*+\"|'[^']*+')*+>)*+"
    rb"<[A-Za-z_:\x80-\xff]",
    re.DOTALL,
)
_REFERENCE = re.compile(rb"&([^;\s&<]{1,80});")


class Refused(Exception):
    """Raised inside a callback of expat, with the line and column; `Feed` adds the file.

    The position must be noted in the callback, because expat reads on to the end of its input.
    """

    def __init__(self, message: str, parser: XMLParserType) -> None:
        super().__init__(message)
        self.message = message
        self.line = parser.CurrentLineNumber
        self.column = parser.CurrentColumnNumber + 1


class Feed:
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
        if expansion and expansion.is_possible and (excess := expansion.excess(piece)):
            raise self._error_class(excess, self._origin, self.parser.CurrentLineNumber)
        try:
            self.parser.Parse(piece, last)
        except ExpatError as error:
            message = _described(error, self.parser, piece, self._fed)
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


def _described(error: ExpatError, parser: XMLParserType, piece: bytes, fed: int) -> str:
    message = str(error).split(": line ")[0]
    if message == "undefined entity":
        # Expat does not name the entity. It is at the position of the error, or further on in the
        # start tag there.
        reference = _REFERENCE.search(piece, max(parser.ErrorByteIndex - fed, 0))
        name = reference[1].decode("utf-8", "replace") if reference else "?"
        return f"undefined entity &{name:.80};"
    if message == "no element found":
        return "no element found: the document is empty or ends too early"
    if message == "not well-formed (invalid token)":
        return "not well-formed: a character or token that is not allowed here, or a wrong encoding"
    return message
