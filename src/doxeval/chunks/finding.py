"""Where the gold of questions stands in documents: offsets are checked, quotes are looked up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from doxeval.chunks.document_set import Documents
from doxeval.chunks.question_set import Need, Place, Question, Questions, Tally
from doxeval.chunks.quotes import Quoted, QuotePlaces, StatedOffsets, Wanted, is_same_text
from doxeval.chunks.stated import Stated, StatedNeed, StatedQuestion
from doxeval.errors import FormatError
from doxeval.locating import allowed_lost, find_in_documents, refuse_lost
from doxeval.messages import Parameter, plural, quoted, truncate

Copies = Literal["same", "place"]
_SHOWN = 60
# A smaller share of a quote stands anywhere.
_NEAR = 0.25
# What is not found in its document is looked for in the others: so many quotes, if all documents
# together have no more characters than this.
_LOOKED_FOR = 10
_MOST_TEXT = 5_000_000
_LIKELY = 3


class _Found(NamedTuple):
    """The places of a piece of text, the best first; and what is to be said about it.

    near, share: where most of what was not found stands, and how much of it.
    """

    places: tuple[Place, ...]
    warning: str | None = None
    is_moved: bool = False
    is_copied: bool = False
    near: Place | None = None
    share: float = 0.0


class _Missing(NamedTuple):
    """A piece of text that was not found: its number among the warnings, and where it nearly is."""

    warning: int
    quote: str
    near: Place | None
    share: float


def find_gold(
    stated: Iterable[StatedQuestion],
    docs: Documents,
    copies: Copies = "same",
    max_lost: int | str = 0,
    origin: str | None = None,
) -> Questions:
    """Return questions with the places of what they need.

    copies: whether all places at which a quote stands in its document answer the need ("same"), or
    only the one that the file names ("place"). max_lost: how many pieces of text may be missing.
    Those that are missing and may be are left out and warned about: a need of which nothing was
    found counts neither as answered nor as missed.
    """
    allowed_lost(max_lost, 0)
    if copies not in ("same", "place"):
        raise FormatError(Parameter("copies", copies) + ": expected 'same' or 'place'")
    given = list(stated)
    _refuse_repeated(given)
    finder = _Finder(docs, copies, given)
    found = [finder.question(one) for one in given]
    missing = finder.missing_lines()
    left_out = sum(
        sum(bool(need.pieces) for need in one.needs) - len(question.needs)
        for one, question in zip(given, found, strict=True)
        if question.needs
    )
    if left_out:
        needs = f"{plural(left_out, 'need')} not found and left out"
        finder.warnings.append(f"{needs}: such questions are scored by their other needs")
    without = sum(not question.needs and not question.not_relevant for question in found)
    if without:
        finder.warnings.append(f"{plural(without, 'question')} without gold: not evaluated")
    refuse_lost(finder.tally.lost, finder.tally.pieces, "quote", max_lost, missing, origin)
    return Questions(tuple(found), tuple(finder.warnings), finder.tally)


def _refuse_repeated(given: list[StatedQuestion]) -> None:
    seen: set[str] = set()
    for one in given:
        if one.id in seen:
            raise FormatError(f"there are two questions {quoted(one.id)}")
        seen.add(one.id)


class _Finder:
    """Looks up the gold of one file, and notes what is wrong with it."""

    def __init__(self, docs: Documents, copies: Copies, given: list[StatedQuestion]) -> None:
        self._docs = docs
        self._copies = copies
        self._offsets = StatedOffsets(docs)
        self._quotes = QuotePlaces(docs, self._wanted(given))
        self._missing: list[_Missing] = []
        self.warnings: list[str] = []
        self.tally = Tally()

    def _wanted(self, given: list[StatedQuestion]) -> Iterator[Wanted]:
        """All texts that must be looked up, so that each document is gone through once."""
        for one in given:
            for need in one.needs:
                for piece in need.pieces:
                    document = self._docs.find(piece.document)
                    if piece.inside is not None:
                        yield document, piece.inside
                    elif piece.quote is not None and self._must_look_up(piece, document):
                        yield document, piece.quote

    def _must_look_up(self, piece: Stated, document: str | None) -> bool:
        if document is not None and self._at_offsets(piece, document):
            return self._copies == "same" and not piece.at_place
        return True

    # Questions

    def question(self, one: StatedQuestion) -> Question:
        """A question with the places of its needs; those not found are left out."""
        before = self.tally.copied
        needs = []
        for name, need in _named_needs(one).items():
            places = self._places(one, need)
            if places:
                needs.append(Need(name, places, need.grade))
            if not need.pieces:
                self._warn(one, f"need {truncate(name)} names no text")
        for text in one.unusable:
            self._count(unusable=1)
            self._warn(one, f"not text of a document: {_shown(text)}")
        self._count(questions_with_copies=int(self.tally.copied > before))
        judged = [self._docs.find(name) for name in one.not_relevant]
        for name, found in zip(one.not_relevant, judged, strict=True):
            if found is None:
                self._warn(one, f"no document {quoted(name)}")
        kept = tuple(name for name in judged if name is not None)
        return Question(one.id, one.text, tuple(needs), one.tags, kept)

    def _places(self, one: StatedQuestion, need: StatedNeed) -> tuple[Place, ...]:
        places: dict[Place, None] = {}
        for piece in need.pieces:
            found = self._find(piece)
            if not found.places:
                quote = piece.quote or ""
                missing = _Missing(len(self.warnings), quote, found.near, found.share)
                self._missing.append(missing)
            if found.warning is not None:
                self._warn(one, found.warning)
            self._count(
                pieces=1,
                lost=int(not found.places),
                moved=int(found.is_moved),
                copied=int(found.is_copied),
            )
            places |= dict.fromkeys(found.places)
        return tuple(places)

    def missing_lines(self) -> tuple[str, ...]:
        """Return what was not found, with where it nearly is, which the warnings get too."""
        elsewhere = self._elsewhere(self._missing[:_LOOKED_FOR])
        for one in self._missing:
            near, share = one.near, one.share
            other = elsewhere.get(one.quote, Quoted())
            if (other.places or other.near) and other.share > share:
                near, share = (*other.places, other.near)[0], other.share
            if near is not None and share >= _NEAR:
                part = "it stands" if share == 1 else f"{share:.0%} of it stands"
                where = f"{part} at {near.start:,} of {truncate(near.document)}"
                self.warnings[one.warning] += f"; {where}"
        return tuple(self.warnings[one.warning] for one in self._missing)

    def _elsewhere(self, missing: list[_Missing]) -> dict[str, Quoted]:
        """Return where most of quotes stands, unless there is too much text to search."""
        quotes = list(dict.fromkeys(one.quote for one in missing if one.quote.strip()))
        if not quotes:
            return {}
        size = 0
        for name in self._docs:
            size += len(self._docs[name])
            if size > _MOST_TEXT:
                return {}
        best: dict[str, Quoted] = {}
        for quote, found in zip(quotes, find_in_documents(self._docs, quotes), strict=True):
            names = [name for name, _ in found.places] or found.near
            by_document = [self._quotes.find(name, quote) for name in names[:_LIKELY]]
            best[quote] = max(by_document, key=lambda one: one.share, default=Quoted())
        return best

    def _warn(self, one: StatedQuestion, message: str) -> None:
        self.warnings.append(f"question {truncate(one.id)}: {message}")

    def _count(self, **more: int) -> None:
        changed = {name: getattr(self.tally, name) + count for name, count in more.items()}
        self.tally = self.tally._replace(**changed)

    # Pieces of text

    def _find(self, piece: Stated) -> _Found:
        document = self._docs.find(piece.document)
        if document is None and (piece.quote is None or piece.document is not None):
            quote = "" if piece.quote is None else f": {_shown(piece.quote)}"
            return _Found((), f"no document {quoted(piece.document)}{quote}")
        if piece.is_whole:
            return self._whole(str(document))
        if piece.inside is not None:
            return self._within(piece, document)
        if piece.quote is None and piece.start is None:
            return _Found((), f"nothing says which part of {quoted(piece.document)} is meant")
        own = None if document is None else self._at_offsets(piece, document)
        if own is None and piece.quote is None:
            return _Found((), self._outside(piece, str(document)))
        if own is not None and (piece.quote is None or piece.at_place or self._copies == "place"):
            return _Found((own,))
        return self._by_quote(piece, document, own)

    def _whole(self, document: str) -> _Found:
        length = len(self._docs[document])
        if not length:
            return _Found((), f"document {truncate(document)} is empty")
        return _Found((Place(document, 0, length),))

    def _outside(self, piece: Stated, document: str) -> str:
        length = len(self._docs[document])
        return (
            f"[{piece.start}, {piece.end}) is not in {truncate(document)}, "
            f"which has {plural(length, 'character')}"
        )

    def _at_offsets(self, piece: Stated, document: str) -> Place | None:
        """The place that the offsets name, if its text is the quote."""
        if piece.start is None or piece.inside is not None:
            return None
        text = self._docs[document]
        end = piece.end
        if end is None:
            end = piece.start + len(piece.quote or "")
        for start, after in self._offsets.readings(document, piece.start, end):
            if not 0 <= start < after <= len(text):
                continue
            if piece.quote is None or is_same_text(text[start:after], piece.quote):
                return Place(document, start, after)
        return None

    def _by_quote(self, piece: Stated, document: str | None, own: Place | None) -> _Found:
        quote = piece.quote or ""
        quoted = self._quotes.find(document, quote)
        found = list(quoted.places)
        where = "any document" if document is None else truncate(document)
        if own is not None:
            others = [place for place in found if not _overlap(place, own)]
            found = [own, *others]
        if not found:
            lost = f"not found in {where}: {_shown(quote)}"
            return _Found((), lost, near=quoted.near, share=quoted.share if quoted.near else 0.0)
        is_moved = own is None and piece.start is not None
        if is_moved:
            nearest = sorted(found, key=lambda place: abs(place.start - (piece.start or 0)))
            found = nearest if self._copies == "place" else sorted(found)
        is_copied = len(found) > 1
        if self._copies == "place" or piece.at_place:
            found = found[:1]
        told = _told(piece, found, where, is_moved, is_copied)
        if told is None and quoted.is_changed and own is None:
            told = f"not to the letter in {where} (share {quoted.share:.2f}): {_shown(quote)}"
        return _Found(tuple(found), told, is_moved, is_copied)

    def _within(self, piece: Stated, document: str | None) -> _Found:
        """A piece of a text that stands in a document, by its offsets in that text."""
        around = list(self._quotes.find(document, piece.inside or "").places)
        if not around:
            if piece.quote is None:
                return _Found((), f"not found: {_shown(piece.inside or '')}")
            return self._by_quote(piece._replace(inside=None, start=None, end=None), document, None)
        if self._copies == "place":
            around = around[:1]
        start, end = piece.start or 0, piece.end
        if end is None:
            end = start + len(piece.quote or "")
        places = [
            Place(one.document, one.start + start, one.start + end)
            for one in around
            if piece.quote is None
            or is_same_text(
                self._docs[one.document][one.start + start : one.start + end], piece.quote
            )
        ]
        if places:
            return _Found(tuple(places), is_copied=len(places) > 1)
        return self._inner_quote(piece, around)

    def _inner_quote(self, piece: Stated, around: list[Place]) -> _Found:
        """A quote that is not at its offsets, somewhere in the text around it."""
        quote = piece.quote or ""
        inside = [
            place
            for one in around
            for place in self._quotes.find(one.document, quote).places
            if one.start <= place.start and place.end <= one.end
        ]
        if not inside:
            return _Found((), f"not found: {_shown(quote)}")
        inside.sort(key=lambda place: abs(place.start - around[0].start - (piece.start or 0)))
        return _Found(tuple(inside[:1]), is_moved=True)


def _named_needs(one: StatedQuestion) -> dict[str, StatedNeed]:
    """The needs by their ids; those without one are numbered."""
    needs: dict[str, StatedNeed] = {}
    for number, need in enumerate(one.needs, 1):
        name = need.id or str(number)
        if name in needs:
            raise FormatError(f"question {quoted(one.id)} has two needs {quoted(name)}")
        needs[name] = need
    return needs


def _told(
    piece: Stated, found: list[Place], where: str, is_moved: bool, is_copied: bool
) -> str | None:
    shown = _shown(piece.quote or "")
    if is_moved:
        return (
            f"not at its offset {piece.start:,} but at {found[0].start:,} of "
            f"{truncate(found[0].document)}: {shown}"
        )
    if is_copied:
        times = "more than once" if len(found) == 1 else f"{len(found):,} times"
        return f"stands {times} in {where}: {shown}"
    return None


def _overlap(one: Place, other: Place) -> bool:
    return one.document == other.document and one.start < other.end and other.start < one.end


def _shown(text: str) -> str:
    return quoted(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
