"""XML: elements are those of the document, and the text is what is between the tags.

White space counts as text, as XML says, and so do CDATA sections; comments and processing
instructions do not. Entities that the document declares and the named entities of HTML are replaced
by their characters; all others are errors, and no other file is ever opened.

`root=` and `drop=` take path patterns, such as `//page/info`, or several with commas between them.
`drop=` leaves elements out, with all that is in them, as if they were not in the file. The first
element that `root=` selects, and that is not left out, becomes the document, and paths begin there.
A document without one is taken whole, and counted in a warning; with `root_missing="error"` it is
an error. Patterns see the whole document as it was written. Where a folder has HTML, too, what
begins with a slash is a pattern for XML, and anything else a CSS selector for HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pyexpat import ExpatError
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Bytes, Ints, distinct_below
from doxeval.documents.build.options import Limits, check_limit, too_deep
from doxeval.documents.readers.attributes import (
    ENDINGS,
    SHORTEST_WITH_OWN,
    KeptAttributes,
    has_own_attributes,
)
from doxeval.documents.readers.tag_events import (
    END,
    END_NUMBER,
    Attributes,
    NumberedNames,
    TagEvents,
)
from doxeval.errors import DocumentError
from doxeval.markup import (
    HardenedExpat,
    Refused,
    entity_declarations,
    named_entities_in,
    parser_without_declarations,
)

# There are two readers. The plain one, XmlReader, is the specification: expat calls it for each
# tag, and it reads every document and finds every error. Those calls take most of the time of a
# parse, although a tag costs only two appends. So the fast one, XmlDocuments, lets expat find the
# text and the errors alone, and takes the tags from a scan of the bytes of many documents at once,
# which NumPy does without a call per tag. What is not simple enough to be scanned goes to the plain
# reader. Reading takes 1.34 times as long as expat alone instead of 1.77; tests compare the two.
#
# The file goes from one to the other: the plain reader, the fast reader, and of its scan the tags,
# the lengths of the text between them, and their names.


# The plain reader: in its list of pieces of text, each tag is an empty piece, so the positions of
# tags are sums of the lengths of pieces. A large document is fed to expat in parts, so that the
# limits on depth and elements can stop it early.

PART = 1 << 20  # bytes after which limits are checked
_A_TAG = ""  # represents a tag among the pieces of text


class TagCollector:
    """Collects what expat reports of some documents: the names of tags, and the text between them.

    Of the attributes, those are kept that ids and display need.
    """

    def __init__(self, kept_names: KeptAttributes) -> None:
        self.names: list[str] = []
        self.pieces: list[str] = []
        self._kept: list[tuple[int, str, str]] = []  # attributes, after the number of their tag
        add_name, add_piece, keep = self.names.append, self.pieces.append, self._keep

        def start(name: str, pairs: list[str]) -> None:
            if pairs and not kept_names[name].isdisjoint(pairs):
                keep(kept_names[name], pairs)
            add_name(name)
            add_piece(_A_TAG)

        def end(_: str) -> None:
            add_name(END)
            add_piece(_A_TAG)

        self.text = add_piece
        self.start = start
        self.end = end

    def _keep(self, names: frozenset[str], pairs: list[str]) -> None:
        tag = len(self.names)
        for name, value in zip(pairs[0::2], pairs[1::2], strict=True):
            if name in names:
                self._kept.append((tag, name, value))

    def take_text(self) -> tuple[bytes, Ints]:
        """Return the text since the last call, and the lengths of its pieces, 0 for a tag."""
        lengths = np.fromiter(map(len, self.pieces), np.int32, len(self.pieces))
        text = "".join(self.pieces)
        self.pieces.clear()
        return text.encode(), lengths

    def forget_attributes(self) -> None:
        """Keep nothing of a document that is broken."""
        self._kept.clear()

    def take_attributes(self, first: int) -> Attributes:
        """Return the attributes of a document that has ended; `first` is its first tag."""
        if not self._kept:
            return []
        names = self.names[first:]
        rows = np.cumsum(np.fromiter(map(bool, names), np.bool_, len(names))) - 1
        attributes = [(int(rows[tag - first]), name, value) for tag, name, value in self._kept]
        self._kept.clear()
        return attributes


def tag_positions(lengths: Ints) -> Ints:
    """Return how much text comes before each tag, given the lengths of pieces, 0 for a tag.

    >>> tag_positions(np.array([0, 3, 0, 0])).tolist()
    [0, 3, 3]
    """
    positions: Ints = np.cumsum(lengths, dtype=np.int64)[lengths == 0]
    return positions


class XmlReader:
    """Reads documents one after another, and returns their tag events together.

    >>> reader = XmlReader()
    >>> reader.read(b"<article><p>one &amp; two</p></article>", "a.xml")
    >>> events = reader.take()
    >>> events.texts, events.positions.tolist()
    ([b'one & two'], [0, 0, 9, 9])
    """

    def __init__(
        self,
        limits: Limits | None = None,
        encoding: str | None = None,
        attribute: str | None = None,
    ) -> None:
        self._limits = limits or Limits()
        self._few_tags = min(self._limits.depth, self._limits.elements)
        self._encoding = encoding
        self._kept_names = KeptAttributes(attribute)
        # Whether a document needed our named entities; the next one is then likely to as well.
        self._expect_names = False
        self._reset()

    def _reset(self) -> None:
        self._tags = TagCollector(self._kept_names)
        self._expat = hardened_expat(self._tags.text, self._encoding, self._limits)
        self._lengths: list[Ints] = []
        self._texts: list[bytes] = []
        self._attributes: list[Attributes] = []

    def __len__(self) -> int:
        """The number of documents since the last `take`."""
        return len(self._texts)

    def read(self, data: bytes, origin: str) -> None:
        """Read one document; nothing is kept of a broken one."""
        check_limit("bytes", len(data), self._limits, origin)
        names = named_entities_in(data) if self._expect_names else []
        try:
            self._read(data, origin, names)
        except DocumentError:
            # An entity that expat does not know may be one of our named entities. Declaring
            # them takes time, so it is done only for documents that use them.
            if names or not (names := named_entities_in(data)):
                raise
            self._read(data, origin, names)
            self._expect_names = True

    def take(self) -> TagEvents:
        """Return the tag events of all documents since the last call."""
        positions = tag_positions(np.concatenate(self._lengths))
        events = TagEvents(self._tags.names, positions, self._texts, self._attributes)
        self._reset()
        return events

    def _read(self, data: bytes, origin: str, names: list[str]) -> None:
        """Read one document, in which these named entities are declared."""
        before = len(self._tags.names), len(self._lengths)
        try:
            text = self._parse(data, origin, names)
        except DocumentError:
            del self._tags.names[before[0] :], self._lengths[before[1] :]
            self._tags.pieces.clear()
            self._tags.forget_attributes()
            raise
        self._texts.append(text)
        self._attributes.append(self._tags.take_attributes(before[0]))

    def _parse(self, data: bytes, origin: str, names: list[str]) -> bytes:
        """Return the text of a document."""
        parsing = self._expat.parser(origin, entity_declarations(names) if names else b"")
        parser, tags = parsing.parser, self._tags.names
        parser.StartElementHandler, parser.EndElementHandler = self._tags.start, self._tags.end
        texts, shape = [], _Shape()
        first = checked = len(tags)
        for at in range(0, len(data) or 1, PART):
            parsing.feed(data[at : at + PART], at + PART >= len(data))
            if len(tags) - first > self._few_tags:  # fewer cannot exceed a limit
                shape.grow(tags[checked:])
                checked = len(tags)
                check_limit("elements", shape.elements, self._limits, origin)
                if shape.deepest > self._limits.depth:
                    raise _too_deep(data, self._limits, self._encoding, origin)
            text, lengths = self._tags.take_text()
            texts.append(text)
            self._lengths.append(lengths)
        return b"".join(texts)


class _Shape:
    """How many elements a document has so far, and how deep they are.

    >>> shape = _Shape()
    >>> shape.grow(["a", "b", END])
    >>> shape.grow(["b", "c", END])
    >>> shape.elements, shape.deepest
    (4, 3)
    """

    def __init__(self) -> None:
        self.elements = 0
        self.deepest = 0
        self._open = 0

    def grow(self, names: list[str]) -> None:
        """Add tags, given by their names (see TagEvents)."""
        opens = np.fromiter(map(bool, names), np.bool_, len(names))
        depths = self._open + np.cumsum(opens.astype(np.int8) * 2 - 1, dtype=np.int64)
        self.elements += int(np.count_nonzero(opens))
        self.deepest = max(self.deepest, int(depths.max(initial=0)))
        self._open = int(depths[-1]) if len(depths) else self._open


def hardened_expat(
    text: Callable[[str], object], encoding: str | None, limits: Limits
) -> HardenedExpat:
    """Return a parser that gives text to `text`, and keeps to the limits."""
    return HardenedExpat(
        text, encoding, expansion=limits.expansion, allowance=limits.expansion_allowance
    )


def _too_deep(data: bytes, limits: Limits, encoding: str | None, origin: str) -> DocumentError:
    """Return the error for a document that is too deep, with the line of the first such element."""
    open_elements = 0

    def start(*_: object) -> None:
        nonlocal open_elements
        open_elements += 1
        if open_elements > limits.depth:
            raise Refused(too_deep(limits), parsing.parser)

    def end(_: str) -> None:
        nonlocal open_elements
        open_elements -= 1

    parsing = hardened_expat(lambda text: None, encoding, limits).parser(
        origin, entity_declarations(named_entities_in(data))
    )
    parser = parsing.parser
    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        for at in range(0, len(data), PART):
            parsing.feed(data[at : at + PART], at + PART >= len(data))
    except DocumentError as error:
        return error
    raise AssertionError("internal error: depth limit not reached on the second parse")


# The fast reader

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
_NO_BODY = b""
# A document that names a DTD may refer to entities that nobody knows; in attributes, expat leaves
# them out.
_TAGS_BEGIN, _TAGS_END = b'<!DOCTYPE tags SYSTEM "none"><tags>', b"</tags>"
# If fewer documents than this are plain, scanning the next ones is not worth its time.
_WORTH_SCANNING = 0.25


class XmlDocuments:
    """Reads documents, some at a time, and returns the tag events of all.

    >>> xml = XmlDocuments(Limits())
    >>> [str(error) for error in xml.read([(b"<p>1 &lt; <b/>2</p>", "a.xml"), (b"<p>", "b.xml")])]
    ['None', 'b.xml:1:4: no element found: the document is empty or ends too early']
    >>> [(list(events.names), events.texts) for events in xml.take()]
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
        self._kept_names = KeptAttributes(attribute)
        self._pieces: list[str] = []
        self._expat = hardened_expat(self._pieces.append, encoding, self._limits)
        self._may_scan = encoding is None and attribute is None
        self._parts: list[TagEvents] = []

    def read(self, documents: Sequence[tuple[bytes, str]]) -> Iterator[DocumentError | None]:
        """Read documents, given with their origins; for each, its error if it is broken.

        Nothing is kept of a broken document. Each is read when its result is requested.
        """
        bodies = [self._body(data) for data, _ in documents]
        scanned = scan(bodies, self._limits)
        self._may_scan &= bool(scanned.plain.mean() >= _WORTH_SCANNING)
        lengths = scanned.lengths().tolist()
        accepted: list[bytes] = []  # the texts of the scanned documents right before this one
        for number, (data, origin) in enumerate(documents):
            text = None
            if lengths[number] >= 0:
                text = self._text(data, len(data) - len(bodies[number]), origin)
            if text is not None and len(text) == lengths[number]:
                self._take_calls()
                accepted.append(text.encode())
                yield None
            else:
                self._take_scanned(scanned, number, accepted)
                accepted = []
                yield self._read_by_calls(data, origin)
        self._take_scanned(scanned, len(documents), accepted)

    def take(self) -> list[TagEvents]:
        """Return the tag events of all documents since the last call, in parts."""
        self._take_calls()
        parts, self._parts = self._parts, []
        return parts

    def _body(self, data: bytes) -> bytes:
        """Return a document from its root element on; nothing if it need not be scanned."""
        if not self._may_scan or len(data) > min(PART, self._limits.bytes):
            return _NO_BODY
        prologue = _PROLOGUE.match(data)
        return data[prologue.end() :] if prologue else _NO_BODY

    def _text(self, data: bytes, before: int, origin: str) -> str | None:
        """Return the text of a plain document; None if expat refuses it."""
        self._pieces.clear()
        try:
            if b"<!" in data[:before]:
                self._expat.parser(origin).feed(data, True)
            else:
                parser_without_declarations(self._pieces.append).Parse(data, True)
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

    def _take_scanned(self, scanned: Scan, end: int, texts: list[bytes]) -> None:
        """Add the documents of a scan before number `end`, as many as there are texts."""
        if texts:
            first = end - len(texts)
            names, positions = scanned.events(first, end)
            attributes = self._attributes(scanned.kept[first:end])
            self._parts.append(TagEvents(names, positions, texts, attributes))

    def _attributes(self, kept: Sequence[Sequence[KeptTag]]) -> list[Attributes]:
        """Return the attributes of documents, given the tags that may have some."""
        attributes: list[Attributes] = [[] for _ in kept]
        if not any(kept):
            return attributes
        rows = (
            (row, of_it) for tags, of_it in zip(kept, attributes, strict=True) for row, _ in tags
        )

        def start(name: str, pairs: list[str]) -> None:
            row, of_document = next(rows)
            names = self._kept_names[name]
            for attribute, value in zip(pairs[0::2], pairs[1::2], strict=True):
                if attribute in names:
                    of_document.append((row, attribute, value))

        # Expat has accepted these tags, and reads them again as elements of one document.
        parsing = self._expat.parser("tags with attributes")
        parsing.feed(_TAGS_BEGIN, False)
        parsing.parser.StartElementHandler = start
        for tags in kept:
            parsing.feed(b"".join(tag.source for tag in tags), False)
        parsing.parser.StartElementHandler = None
        parsing.feed(_TAGS_END, True)
        return attributes


# The scan. Most documents are plain: tags, text and a few references. In such a document every "<"
# begins a tag, every ">" ends one, and the rest is text ("é" has two bytes in UTF-8):
#
#     <s id="7">café &amp; tea<br/></s>
#     [        ]              [   ][  ]     brackets: tags
#               --------------              gaps: 15 bytes
#                  -1 -4                    less one byte of é and all but one of a reference
#                                           = 10 characters
#
# So NumPy finds the tags of a whole batch with a few searches for single bytes. It understands
# nothing else of XML: expat must accept a document before its scan is believed. Of a well-formed
# document, a scan that calls it plain is right:
#
# - without "<!" and "<?" there are only tags, and "<" cannot occur elsewhere;
# - each tag has its own ">", so if there are as many ">" as "<", no other ">" exists;
# - an attribute's value is quoted, so a "/" before the ">" makes the element empty;
# - a reference is a character if its name is one of XML's own, or a number.
#
# Other documents are not plain, and neither are those that exceed a limit.

# Longer than any reference to a character, unless it has leading zeros.
_LONGEST_REFERENCE = 11
_LONGEST_NAME = 64  # bytes of a name; a multiple of a word
_AFTER_THE_END = b"\0" * (_LONGEST_NAME + 8)  # so that looking a few bytes ahead needs no check


class KeptTag(NamedTuple):
    """A start tag: the row of its element in its document, and its bytes as those of an element."""

    row: int
    source: bytes


class Scan(NamedTuple):
    """The tags of some documents.

    plain: for each document, whether the rest is true of it. bounds: where the events of each
    document begin, and where the last ones end; a document that is not plain may have none. names
    and positions: of all events (see TagEvents). kept: the tags of each document that may have
    attributes to be kept.
    """

    plain: Bools
    bounds: Ints
    names: NumberedNames
    positions: Ints
    kept: list[list[KeptTag]]

    def events(self, first: int, end: int) -> tuple[NumberedNames, Ints]:
        """Return the names and positions of the events of some documents."""
        rows = slice(int(self.bounds[first]), int(self.bounds[end]))
        return self.names[rows], self.positions[rows]

    def lengths(self) -> Ints:
        """Return how many code points of text each plain document has; -1 for the others."""
        lengths = np.full(len(self.plain), -1, dtype=np.int64)
        first, end = self.bounds[:-1][self.plain], self.bounds[1:][self.plain]
        lengths[self.plain] = self.positions[end - 1] - self.positions[first]
        return lengths


class _Tags(NamedTuple):
    """The tags of the documents that have only tags, in order.

    begin and end: the offsets of "<" and ">". documents: the numbers of these documents. first: the
    first tag of each of them. closes: whether it is an end tag. is_empty: whether it is both.
    """

    begin: Ints
    end: Ints
    documents: Ints
    first: Ints
    closes: Bools
    is_empty: Bools

    def document_of(self, tags: Ints) -> Ints:
        """Return the documents that the given tags belong to."""
        return self.documents[np.searchsorted(self.first, tags, side="right") - 1]


def scan(bodies: Sequence[bytes], limits: Limits) -> Scan:
    """Find the tags of documents, each of which is given from its root element on.

    >>> scanned = scan([b"<s><p>one &amp; two</p><br/></s>", b"<s><!-- --></s>"], Limits())
    >>> scanned.plain.tolist(), scanned.lengths().tolist()
    ([True, False], [9, -1])
    >>> list(scanned.names), scanned.positions.tolist()
    (['s', 'p', '', 'br', '', ''], [0, 0, 9, 9, 9, 9])
    """
    joined = b"".join([*bodies, _AFTER_THE_END])
    data = np.frombuffer(joined, dtype=np.uint8)
    tags = _tags(data, np.cumsum([len(body) for body in bodies]))
    plain = np.zeros(len(bodies), dtype=np.bool_)
    if not len(tags.begin):
        no_names = NumberedNames(tags.begin, [])
        return Scan(plain, _bounds(plain * 0), no_names, tags.begin, [[] for _ in bodies])
    plain[tags.documents] = _fits(tags, limits)

    shrinks, strange = shrinkage(joined, data, tags.begin, tags.end)
    plain[tags.document_of(strange)] = False
    starts = np.flatnonzero(~tags.closes)
    name_of_start, names, too_long = read_names(joined, tags.begin[starts] + 1)
    plain[tags.document_of(starts[too_long])] = False

    gaps = tags.begin - shrinks
    gaps[1:] -= tags.end[:-1] + 1
    # <br/> makes two events, the second of which is an end.
    events_of_tag = tags.is_empty + 1
    after_tag = np.cumsum(events_of_tag)
    numbers = np.full(int(after_tag[-1]), END_NUMBER, dtype=np.int32)
    numbers[(after_tag - events_of_tag)[starts]] = name_of_start
    events_of_document = np.zeros(len(bodies), dtype=np.int64)
    events_of_document[tags.documents] = np.add.reduceat(events_of_tag, tags.first)
    positions = np.repeat(np.cumsum(gaps), events_of_tag)
    kept: list[list[KeptTag]] = [[] for _ in bodies]
    for document, tag in kept_tags(joined, data, tags, name_of_start, names):
        kept[document].append(tag)
    return Scan(plain, _bounds(events_of_document), NumberedNames(numbers, names), positions, kept)


def _tags(data: Bytes, ends: Ints) -> _Tags:
    """Return the tags of the documents that have only tags, and no other ">"."""
    flags = data | (ord("<") ^ ord(">"))  # both brackets look like ">"
    brackets = np.flatnonzero(np.equal(flags, ord(">"), out=flags.view(np.bool_)))
    begins, second = data[brackets] == ord("<"), data[brackets + 1]
    bounds = np.searchsorted(brackets, [0, *ends])
    counts = np.diff(bounds)
    only_tags = (counts == 2 * np.diff(_bounds(begins)[bounds])) & (counts > 0)
    others = np.flatnonzero(begins & ((second == ord("!")) | (second == ord("?"))))
    only_tags[np.searchsorted(bounds, others, side="right") - 1] = False
    if not only_tags.all():
        brackets = brackets[np.repeat(only_tags, counts)]
    documents = np.flatnonzero(only_tags)
    begin, end = brackets[0::2], brackets[1::2]
    closes = data[begin + 1] == ord("/")
    is_empty = (data[end - 1] == ord("/")) & ~closes
    tags_of = counts[documents] // 2
    return _Tags(begin, end, documents, np.cumsum(tags_of) - tags_of, closes, is_empty)


def _fits(tags: _Tags, limits: Limits) -> Bools:
    """Return for each document whether each element is closed, and the limits are kept."""
    change = 1 - 2 * tags.closes.astype(np.int32)
    inside = np.cumsum(change - tags.is_empty, dtype=np.int32)  # how many elements are open
    outside = inside[tags.first] - 1 + tags.is_empty[tags.first]
    deepest = np.maximum.reduceat(inside + tags.is_empty, tags.first) - outside
    elements = np.add.reduceat(~tags.closes, tags.first, dtype=np.int64)
    last = np.append(tags.first[1:], len(inside)) - 1
    fits: Bools = inside[last] == outside
    return fits & (deepest <= limits.depth) & (elements <= limits.elements)


def _bounds(counts: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)])


# Of the bytes between tags, some are not characters of their own: the later bytes of a character
# in UTF-8, all but one of a reference (&amp; &#233;), and one of \r\n, which XML reads as one line
# end.

_NAMED = tuple(
    int.from_bytes(name, "little") for name in (b"&lt;", b"&gt;", b"&amp;", b"&apos;", b"&quot;")
)
_FIRST_BYTES = np.array([(1 << 8 * count) - 1 for count in range(8)], dtype=np.uint64)


def shrinkage(joined: bytes, data: Bytes, begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Return how much shorter the text before each tag is than its bytes; and the strange tags.

    A tag is strange if the text before it refers to another entity than XML's own. `begin` and
    `end` are the first and last bytes of each tag. At least 11 bytes come after the last tag.

    >>> joined = "<p>é &lt; <b>&nbsp;</b></p>".encode() + bytes(11)
    >>> data = np.frombuffer(joined, np.uint8)
    >>> begin, end = np.array([0, 11, 20, 24]), np.array([2, 13, 23, 27])
    >>> [array.tolist() for array in shrinkage(joined, data, begin, end)]
    [[0, 4, 0, 0], [2]]
    """
    shrinks = _continuations(joined, data, begin, end)
    if b"\r" in joined:
        returns = np.flatnonzero(data == ord("\r"))
        where, _ = _between_tags(returns[data[returns + 1] == ord("\n")], begin, end)
        shrinks += np.bincount(where, minlength=len(begin))
    if b"&" not in joined:
        return shrinks, begin[:0]
    where, places = _between_tags(np.flatnonzero(data == ord("&")), begin, end)
    lengths = _reference_lengths(data, places)
    shrinks += np.bincount(where, np.maximum(lengths - 1, 0), minlength=len(begin)).astype(np.int64)
    return shrinks, where[lengths == 0]


def _between_tags(places: Ints, begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Return the places between tags, each after the number of the tag that follows it."""
    following = np.searchsorted(begin, places)
    is_between = (following > 0) & (following < len(begin))
    following, places = following[is_between], places[is_between]
    is_outside = end[following - 1] < places
    return following[is_outside], places[is_outside]


def _continuations(joined: bytes, data: Bytes, begin: Ints, end: Ints) -> Ints:
    """Return how many bytes before each tag continue a character of UTF-8."""
    if joined.isascii():
        return np.zeros(len(begin), dtype=np.int64)
    continues = data.view(np.int8) < -64  # 10xxxxxx
    if np.count_nonzero(continues) < len(begin):
        where, _ = _between_tags(np.flatnonzero(continues), begin, end)
        return np.bincount(where, minlength=len(begin))
    counts = np.zeros(len(begin), dtype=np.int64)
    # From the end of one tag to the beginning of the next, and from there to its end, and so on.
    edges = np.column_stack([end[:-1], begin[1:]]).ravel()
    if len(edges):
        counts[1:] = np.add.reduceat(continues, edges, dtype=np.int64)[::2]
    return counts


def _reference_lengths(data: Bytes, places: Ints) -> Ints:
    """Return the lengths of references in bytes; 0 for what is not a character of XML's own."""
    beginning = data[places[:, None] + np.arange(_LONGEST_REFERENCE)]
    is_end = beginning == ord(";")
    lengths = np.where(is_end.any(axis=1), is_end.argmax(axis=1) + 1, 0)
    is_number = beginning[:, 1] == ord("#")
    first = np.ascontiguousarray(beginning[:, :8]).view("<u8")[:, 0]
    word = first & _FIRST_BYTES[np.minimum(lengths, len(_FIRST_BYTES) - 1)]
    return np.where(is_number | np.isin(word, _NAMED), lengths, 0)


# Attributes that may be kept of any element are found by the last letters before a "="; elements
# that have attributes of their own are all taken that are long enough. So there may be tags among
# these that have none: expat reads them again, and says what they have.

_ENDING_BITS = 12


def _hash_endings(words: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Return a number of few bits for the last three of four bytes."""
    mixed: npt.NDArray[np.uint32] = (words >> np.uint32(8)) * np.uint32(0x9E3779B1)
    return mixed >> np.uint32(32 - _ENDING_BITS)


_IS_ENDING = np.zeros(1 << _ENDING_BITS, dtype=np.bool_)
_IS_ENDING[
    _hash_endings(np.frombuffer(b"".join(b" " + ending for ending in sorted(ENDINGS)), "<u4"))
] = True


def kept_tags(
    joined: bytes, data: Bytes, tags: _Tags, name_of_start: Ints, names: Sequence[str]
) -> Iterator[tuple[int, KeptTag]]:
    """Yield start tags that may have attributes to be kept, each with its document."""
    signs = np.flatnonzero(data == ord("="))
    signs = signs[np.searchsorted(signs, 4) :]
    every_word = np.ndarray((len(joined) - 3,), "<u4", joined, 0, (1,))
    # After white space before the sign, the name may be any.
    is_possible = _IS_ENDING[_hash_endings(every_word[signs - 4])] | (data[signs - 1] <= ord(" "))
    signs = signs[is_possible]
    which = np.searchsorted(tags.begin, signs, side="right") - 1
    which = which[(which >= 0) & (signs < tags.end[which])]
    has_own = np.fromiter(map(has_own_attributes, names), np.bool_, len(names))
    if has_own.any():
        starts = np.flatnonzero(~tags.closes)[has_own[name_of_start]]
        is_long = tags.end[starts] - tags.begin[starts] >= SHORTEST_WITH_OWN
        which = np.concatenate([which, starts[is_long]])
    if not len(which):
        return
    start_of_tag = np.cumsum(~tags.closes)
    for tag in np.unique(which).tolist():
        at = int(np.searchsorted(tags.first, tag, side="right")) - 1
        source = joined[tags.begin[tag] : tags.end[tag] + 1]
        row = int(start_of_tag[tag] - start_of_tag[tags.first[at]])
        element = source if tags.is_empty[tag] else source[:-1] + b"/>"
        yield int(tags.documents[at]), KeptTag(row, element)


# The names of tags are read in words of eight bytes: "section>" is a word, in which ">" ends the
# name; <collectionlink href=…> has "collecti", then "onlink h".

_WORD = 8
_ENDS_NAME = np.zeros(256, dtype=np.bool_)
_ENDS_NAME[list(b"\t\n\r />\0")] = True
_HASH_BITS = 13
# Odd numbers with well-mixed bits: if two words have one hash by the first, the next is tried.
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
_Words = npt.NDArray[np.uint64]


def read_names(joined: bytes, places: Ints) -> tuple[Ints, list[str], Ints]:
    """Return the numbers of the names at some places, all names, and the indices of those too long.

    At least _LONGEST_NAME + 8 bytes come after the last place. A few names may be the beginnings of
    others.

    >>> joined = b"<p>x</p><section a='1'><p/></section>" + bytes(_LONGEST_NAME + 8)
    >>> numbers, names, _ = read_names(joined, np.array([1, 9, 24]))
    >>> [names[number] for number in numbers.tolist()]
    ['p', 'section', 'p']
    """
    every_word = np.ndarray((len(joined) - _WORD + 1,), "<u8", joined, 0, (1,))
    numbers: Ints = np.zeros(len(places), dtype=np.int64)
    names: list[bytes] = []
    # What has been read of names that go on: which tags have them, and as what number in `known`.
    goes_on, beginning, known = np.arange(len(places)), numbers, [b""]
    for at in range(0, _LONGEST_NAME, _WORD):
        words, has_ended = _up_to_the_end(every_word[places[goes_on] + at])
        distinct, which = _distinct(words)
        pairs, which = distinct_below(len(known) * len(distinct), beginning * len(distinct) + which)
        spelt = [word.tobytes().rstrip(b"\0") for word in distinct]
        known = [known[pair // len(spelt)] + spelt[pair % len(spelt)] for pair in pairs.tolist()]
        numbers[goes_on] = len(names) + which
        names += known
        goes_on, beginning = goes_on[~has_ended], which[~has_ended]
        if not len(goes_on):
            break
    return numbers, [name.decode("utf-8", "replace") for name in names], goes_on


def _up_to_the_end(words: _Words) -> tuple[_Words, Bools]:
    """Return words without what follows a name, and whether a name ends there."""
    ends = _ENDS_NAME[words.view(np.uint8)].view("<u8")  # 1 for each byte that ends a name
    first = ends & (~ends + 1)
    # The bits below the first end; all bits if there is none.
    return words & (first - 1), ends != 0


def _distinct(words: _Words) -> tuple[_Words, Ints]:
    """Return the distinct words, and the position of each word among them.

    There are few, so each is almost sure to have a hash of its own, and nothing is sorted.
    """
    for factor in _FACTORS:
        hashes = ((words * factor) >> np.uint64(64 - _HASH_BITS)).astype(np.int64)
        word_of = np.empty(1 << _HASH_BITS, dtype=np.uint64)
        word_of[hashes] = words
        if (word_of[hashes] == words).all():
            distinct, which = distinct_below(1 << _HASH_BITS, hashes)
            return word_of[distinct], which
    return np.unique(words, return_inverse=True)
