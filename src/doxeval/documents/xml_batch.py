"""Reading many XML documents: scanned if they are plain, by calls for each tag otherwise.

Calling Python for each tag takes most of the time of a parse. So where that is possible, expat is
only asked for the text, which it gives in large pieces; it still finds every error and every
danger. The tags come from a scan of the bytes. XmlReader reads everything else, and is what a scan
must agree with: it gives all errors, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pyexpat import ExpatError

from doxeval.arrays import Ints
from doxeval.documents.limits import Limits
from doxeval.documents.marks import Attributes, Marks
from doxeval.documents.xml import PART, XmlReader, hardened
from doxeval.documents.xml_scanner import Scan, scan
from doxeval.errors import DocumentError
from doxeval.markup import undeclared

# What may come before the root element of a plain document in UTF-8. Without declarations of its
# own, every entity but XML's is undefined.
_PROLOGUE = re.compile(
    rb"(?:\xef\xbb\xbf)?"
    rb"(?:<\?xml\s+version\s*=\s*(?:'1.0'|\"1.0\")"
    rb"(?:\s+encoding\s*=\s*(?:'(?i:utf-8|us-ascii)'|\"(?i:utf-8|us-ascii)\"))?"
    rb"(?:\s+standalone\s*=\s*(?:'(?:yes|no)'|\"(?:yes|no)\"))?\s*\?>)?"
    rb"(?>\s++|<\?(?!xml\s).*?\?>|<!--.*?-->"
    rb"|<!DOCTYPE(?:[^\[\]<>\"']++|\"[^\"]*+\"|'[^']*+')*+>)*+"
    rb"(?=<[A-Za-z_:\x80-\xff])",
    re.DOTALL,
)
# If fewer documents than this are plain, scanning the next ones is not worth its time.
_WORTH_SCANNING = 0.25
_NO_BODY = b""


class XmlDocuments:
    """Reads documents, some at a time, and returns the marks of all.

    >>> xml = XmlDocuments(Limits())
    >>> [str(error) for error in xml.read([(b"<p>1 &lt; <b/>2</p>", "a.xml"), (b"<p>", "b.xml")])]
    ['None', 'b.xml:1:4: no element found: the document is empty or ends too early']
    >>> [(list(marks.names), marks.texts) for marks in xml.take()]
    [(['p', 'b', '', ''], [b'1 < 2'])]
    """

    def __init__(
        self,
        limits: Limits | None = None,
        encoding: str | None = None,
        attribute: str | None = None,
    ) -> None:
        self._limits = limits or Limits()
        self._by_calls = XmlReader(self._limits, encoding, attribute)
        self._pieces: list[str] = []
        self._expat = hardened(self._pieces.append, encoding, self._limits)
        self._may_scan = encoding is None and attribute is None
        self._parts: list[Marks] = []

    def read(self, documents: Sequence[tuple[bytes, str]]) -> Iterator[DocumentError | None]:
        """Read documents, given with their origins; for each, its error if it is broken.

        Nothing is kept of a broken document. Each is read when its result is asked for.
        """
        bodies = [self._body(data) for data, _ in documents]
        found = scan(bodies, self._limits)
        self._may_scan &= bool(found.plain.mean() >= _WORTH_SCANNING)
        scanned = _Scanned(found)
        plain = found.plain.tolist()
        for number, (data, origin) in enumerate(documents):
            before = len(data) - len(bodies[number])
            text = self._text(data, before, origin) if plain[number] else None
            if text is not None and scanned.agrees(number, text):
                self._take_calls()
                scanned.add(number, text)
                yield None
            else:
                self._parts += scanned.take()
                yield self._read_by_calls(data, origin)
        self._parts += scanned.take()

    def add(self, names: list[str], lengths: Ints, text: bytes, attributes: Attributes) -> None:
        """Add a document that was read elsewhere."""
        self._by_calls.add(names, lengths, text, attributes)

    def take(self) -> list[Marks]:
        """The marks of all documents since the last call, in parts."""
        self._take_calls()
        parts, self._parts = self._parts, []
        return parts

    def _body(self, data: bytes) -> bytes:
        """A document from its root element on; nothing if it need not be scanned."""
        if not self._may_scan or len(data) > min(PART, self._limits.bytes):
            return _NO_BODY
        prologue = _PROLOGUE.match(data)
        return data[prologue.end() :] if prologue else _NO_BODY

    def _text(self, data: bytes, before: int, origin: str) -> str | None:
        """The text of a plain document; None if expat refuses it."""
        self._pieces.clear()
        try:
            if b"<!" in data[:before]:
                self._expat.parser(origin).feed(data, True)
            else:
                undeclared(self._pieces.append).Parse(data, True)
        except (DocumentError, ExpatError):
            return None
        return "".join(self._pieces)

    def _read_by_calls(self, data: bytes, origin: str) -> DocumentError | None:
        try:
            self._by_calls.read(data, origin)
        except DocumentError as error:
            return error
        return None

    def _take_calls(self) -> None:
        if len(self._by_calls):
            self._parts.append(self._by_calls.take())


class _Scanned:
    """Consecutive documents of a scan whose text is known."""

    def __init__(self, found: Scan) -> None:
        self._found = found
        self._lengths: list[int] = found.lengths().tolist()
        self._texts: list[bytes] = []
        self._end = 0

    def agrees(self, number: int, text: str) -> bool:
        """Whether the scan found as many code points as expat."""
        return self._lengths[number] == len(text)

    def add(self, number: int, text: str) -> None:
        """Add the next document."""
        self._texts.append(text.encode())
        self._end = number + 1

    def take(self) -> list[Marks]:
        """The marks of the documents since the last call, if there are any."""
        texts, self._texts = self._texts, []
        if not texts:
            return []
        names, positions = self._found.marks(self._end - len(texts), self._end)
        return [Marks(names, positions, texts, [[] for _ in texts])]
