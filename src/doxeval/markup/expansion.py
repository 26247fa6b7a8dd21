"""How much text the entities of a document stand for, found before they are replaced.

Expat replaces every reference in a start tag before it reports the tag, so a count of what it
reports would come too late: a megabyte of references may stand for hundreds of megabytes.
"""

from __future__ import annotations

import re
from collections import Counter

# Entities may stand for this many times the bytes of the document that refers to them (of a large
# one, the bytes of its last megabyte), plus an allowance, so that a short document may use an
# entity with a long value.
EXPANSION = 10
ALLOWANCE = 10_000
_WINDOW = 1 << 20
_REFERENCE = re.compile(rb"&([^#;&<>\s'\"][^;&<>\s'\"]*)(;?)|&\Z")


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

    @property
    def is_possible(self) -> bool:
        """Whether any entity is declared."""
        return self._longest > 0

    def declare(self, name: str, value: str) -> None:
        """Note an entity."""
        size = len(value.encode())
        self._sizes.setdefault(name.encode(), size)
        self._longest = max(self._longest, size)

    def excess(self, piece: bytes) -> str | None:
        """Why the next piece of the document must not be parsed; None if it may be."""
        self._left = min(self._left + self._factor * len(piece), self._most)
        if self._longest and b"&" in piece:
            self._left -= max(map(self._amount, _as_ascii(piece)))
        if self._left >= 0:
            return None
        return f"entities expand the text to more than {self._factor} times the document"

    def _amount(self, piece: bytes) -> int:
        references = Counter(_REFERENCE.findall(piece))
        return sum(self._size(*found) * count for found, count in references.items())

    def _size(self, name: bytes, end: bytes) -> int:
        """The size of an entity; the largest there is if its name is cut or in another encoding.

        Other names are those of XML and HTML, which stand for less than their own length.
        """
        is_whole = end and name.isascii()
        return self._sizes.get(name, 0 if is_whole else self._longest)


def _as_ascii(piece: bytes) -> list[bytes]:
    """A piece in an encoding that has ASCII's characters as they are; UTF-16 in both byte orders.

    Only UTF-16 has null bytes, and all ASCII characters have one in it.
    """
    if b"\0" not in piece:
        return [piece]
    orders = ("utf-16-le", "utf-16-be")
    return [piece.decode(order, "ignore").encode("utf-8", "ignore") for order in orders]
