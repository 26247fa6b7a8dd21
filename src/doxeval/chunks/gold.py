"""Questions from any format in which people keep them, and where their gold stands in documents.

Offsets are checked, quotes are looked up.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments import Assessments
from doxeval.chunks.documents import Documents, documents, warnings_about
from doxeval.chunks.formats import RawEvidence, RawNeed, RawQuestion, question_formats
from doxeval.chunks.formats.beir import judged_folder, judged_parts
from doxeval.chunks.formats.own import judged_questions
from doxeval.chunks.questions import Place, Question, QuestionNeed, Questions, Tally
from doxeval.chunks.records import Loaded, loaded_from, plain
from doxeval.errors import FormatError, warn
from doxeval.locating import (
    DocumentQuoteMatch,
    How,
    QuoteMatch,
    allowed_missing,
    find_in_documents,
    find_quotes,
    is_same_text,
    refuse_missing,
)
from doxeval.locating import Place as TextRanges
from doxeval.messages import Parameter, plural, quoted, truncate
from doxeval.named import checked

# The document in which a text is looked for, or None for all of them; and the text.
TextInDocument = tuple[str | None, str]


class Quoted(NamedTuple):
    """The places of a text, in the order of the documents.

    is_changed: whether its letters alone were found, or nearly all of them. share: how many were.
    near: where most of a text stands that has no place in its document.
    """

    places: tuple[Place, ...] = ()
    is_changed: bool = False
    share: float = 1.0
    near: Place | None = None


class QuotePlaces:
    """The places at which texts stand in documents.

    White space does not count. A text that stands nowhere is looked for by its letters and digits.

    >>> docs = Documents([("a", "to be or not to be"), ("b", "be")])
    >>> quotes = QuotePlaces(docs, [("a", "to be"), (None, "be")])
    >>> [place.start for place in quotes.find("a", "to be").places]
    [0, 13]
    >>> len(quotes.find(None, "be").places), quotes.find("a", "TO BE, OR NOT").is_changed
    (3, True)
    """

    def __init__(self, docs: Documents, texts: Iterable[TextInDocument] = ()) -> None:
        self._docs = docs
        self._known: dict[TextInDocument, Quoted] = {}
        self._look_up(texts)

    def find(self, document: str | None, text: str) -> Quoted:
        """The places of a text in one document, or in all."""
        if (document, text) not in self._known:
            self._look_up([(document, text)])
        return self._known[document, text]

    def _look_up(self, pairs: Iterable[TextInDocument]) -> None:
        by_document: dict[str | None, dict[str, None]] = {}
        for document, text in pairs:
            by_document.setdefault(document, {})[text] = None
        for document, texts in by_document.items():
            for text, found in zip(texts, self._search(document, list(texts)), strict=True):
                self._known[document, text] = found

    def _search(self, document: str | None, texts: list[str]) -> list[Quoted]:
        if document is not None:
            return [
                _quoted(
                    match,
                    [(document, place) for place in match.places],
                    Place(document, match.near[0][0], match.near[-1][1]) if match.near else None,
                )
                for match in find_quotes(self._docs[document], texts)
            ]
        return [_quoted(match, match.places) for match in find_in_documents(self._docs, texts)]


def _quoted(
    match: QuoteMatch | DocumentQuoteMatch,
    places: Sequence[tuple[str, TextRanges]],
    near: Place | None = None,
) -> Quoted:
    """The places of a quote; one whose parts stand apart extends from the first to the last."""
    ranges = tuple(Place(name, parts[0][0], parts[-1][1]) for name, parts in places)
    return Quoted(ranges, match.how is How.FUZZY, match.share, near)


class OffsetReadings:
    """What offsets in a file may mean, for documents whose line ends have two characters.

    >>> offsets = OffsetReadings(Documents([("a", "one\\r\\ntwo")]))
    >>> list(offsets.readings("a", 4, 7))
    [(4, 7), (5, 8), (3, 6)]
    """

    def __init__(self, docs: Documents) -> None:
        self._docs = docs
        self._line_ends: dict[str, Ints] = {}

    def readings(self, document: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The offsets as they are, and as programs count that read line ends as one character.

        A byte order mark that was read as a character shifts offsets by one.
        """
        yield start, end
        folded = self._folded_line_ends(document)
        if len(folded):
            before, until = np.searchsorted(folded, [start, end]).tolist()
            yield start + before, end + until
        yield start - 1, end - 1

    def _folded_line_ends(self, document: str) -> Ints:
        """Where the line ends of two characters are, with each counted as one."""
        if document not in self._line_ends:
            found = [match.start() for match in re.finditer("\r\n", self._docs[document])]
            self._line_ends[document] = np.array(found, dtype=np.int64) - np.arange(len(found))
        return self._line_ends[document]


Copies = Literal["same", "place"]
_SHOWN = 60
# A smaller share of a quote stands anywhere.
_NEAR = 0.25
# What is not found in its document is looked for in the others: so many quotes, if all documents
# together have no more characters than this.
_LOOKED_FOR = 10
_MOST_TEXT = 5_000_000
_LIKELY = 3


class _Resolution(NamedTuple):
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


def resolve_gold(
    stated: Iterable[RawQuestion],
    docs: Documents,
    copies: Copies = "same",
    max_missing: int | str = 0,
    origin: str | None = None,
) -> Questions:
    """Return questions with the places of what they need.

    copies: whether all places at which a quote stands in its document answer the need ("same"), or
    only the one that the file names ("place"). max_missing: how many pieces of text may be missing.
    Those that are missing and may be are left out and warned about: a need of which nothing was
    found counts neither as answered nor as missed.
    """
    allowed_missing(max_missing, 0)
    if copies not in ("same", "place"):
        raise FormatError(Parameter("copies", copies) + ": expected 'same' or 'place'")
    given = list(stated)
    _refuse_repeated(given)
    finder = _GoldResolver(docs, copies, given)
    found = [finder.question(raw) for raw in given]
    missing = finder.missing_lines()
    left_out = sum(
        sum(bool(need.pieces) for need in raw.needs) - len(question.needs)
        for raw, question in zip(given, found, strict=True)
        if question.needs
    )
    if left_out:
        needs = f"{plural(left_out, 'need')} not found and left out"
        finder.warnings.append(f"{needs}: such questions are scored by their other needs")
    without = sum(not question.needs and not question.not_relevant for question in found)
    if without:
        finder.warnings.append(f"{plural(without, 'question')} without gold: not evaluated")
    refuse_missing(
        finder.tally.missing, finder.tally.evidence, "quote", max_missing, missing, origin
    )
    return Questions(tuple(found), tuple(finder.warnings), finder.tally)


def _refuse_repeated(given: list[RawQuestion]) -> None:
    seen: set[str] = set()
    for question in given:
        if question.id in seen:
            raise FormatError(f"there are two questions {quoted(question.id)}")
        seen.add(question.id)


class _GoldResolver:
    """Looks up the gold of one file, and notes what is wrong with it."""

    def __init__(self, docs: Documents, copies: Copies, given: list[RawQuestion]) -> None:
        self._docs = docs
        self._copies = copies
        self._offsets = OffsetReadings(docs)
        self._quotes = QuotePlaces(docs, self._texts_to_find(given))
        self._missing: list[_Missing] = []
        self.warnings: list[str] = []
        self.tally = Tally()

    def _texts_to_find(self, given: list[RawQuestion]) -> Iterator[TextInDocument]:
        """All texts that must be looked up, so that each document is gone through once."""
        for question in given:
            for need in question.needs:
                for piece in need.pieces:
                    document = self._docs.find(piece.document)
                    if piece.inside is not None:
                        yield document, piece.inside
                    elif piece.quote is not None and self._must_look_up(piece, document):
                        yield document, piece.quote

    def _must_look_up(self, piece: RawEvidence, document: str | None) -> bool:
        if document is not None and self._at_offsets(piece, document):
            return self._copies == "same" and not piece.at_place
        return True

    # Questions

    def question(self, raw: RawQuestion) -> Question:
        """A question with the places of its needs; those not found are left out."""
        before = self.tally.copied
        needs = []
        for name, need in _named_needs(raw).items():
            places = self._places(raw, need)
            if places:
                needs.append(QuestionNeed(name, places, need.grade))
            if not need.pieces:
                self._warn(raw, f"need {truncate(name)} names no text")
        for text in raw.unusable:
            self._count(unusable=1)
            self._warn(raw, f"not text of a document: {_shown(text)}")
        self._count(questions_with_copies=int(self.tally.copied > before))
        judged = [self._docs.find(name) for name in raw.not_relevant]
        for name, found in zip(raw.not_relevant, judged, strict=True):
            if found is None:
                self._warn(raw, f"no document {quoted(name)}")
        kept = tuple(name for name in judged if name is not None)
        return Question(raw.id, raw.text, tuple(needs), raw.tags, kept)

    def _places(self, raw: RawQuestion, need: RawNeed) -> tuple[Place, ...]:
        places: dict[Place, None] = {}
        for piece in need.pieces:
            found = self._find(piece)
            if not found.places:
                quote = piece.quote or ""
                missing = _Missing(len(self.warnings), quote, found.near, found.share)
                self._missing.append(missing)
            if found.warning is not None:
                self._warn(raw, found.warning)
            self._count(
                evidence=1,
                missing=int(not found.places),
                moved=int(found.is_moved),
                copied=int(found.is_copied),
            )
            places |= dict.fromkeys(found.places)
        return tuple(places)

    def missing_lines(self) -> tuple[str, ...]:
        """Return what was not found, with where it nearly is, which the warnings get too."""
        elsewhere = self._elsewhere(self._missing[:_LOOKED_FOR])
        for gap in self._missing:
            near, share = gap.near, gap.share
            other = elsewhere.get(gap.quote, Quoted())
            if (other.places or other.near) and other.share > share:
                near, share = (*other.places, other.near)[0], other.share
            if near is not None and share >= _NEAR:
                part = "it stands" if share == 1 else f"{share:.0%} of it stands"
                where = f"{part} at {near.start:,} of {truncate(near.document)}"
                self.warnings[gap.warning] += f"; {where}"
        return tuple(self.warnings[gap.warning] for gap in self._missing)

    def _elsewhere(self, missing: list[_Missing]) -> dict[str, Quoted]:
        """Return where most of quotes stands, unless there is too much text to search."""
        quotes = list(dict.fromkeys(text.quote for text in missing if text.quote.strip()))
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
            best[quote] = max(by_document, key=lambda text: text.share, default=Quoted())
        return best

    def _warn(self, question: RawQuestion, message: str) -> None:
        self.warnings.append(f"question {truncate(question.id)}: {message}")

    def _count(self, **more: int) -> None:
        changed = {name: getattr(self.tally, name) + count for name, count in more.items()}
        self.tally = self.tally._replace(**changed)

    # Pieces of text

    def _find(self, piece: RawEvidence) -> _Resolution:
        document = self._docs.find(piece.document)
        if document is None and (piece.quote is None or piece.document is not None):
            quote = "" if piece.quote is None else f": {_shown(piece.quote)}"
            return _Resolution((), f"no document {quoted(piece.document)}{quote}")
        if piece.is_whole:
            return self._whole(str(document))
        if piece.inside is not None:
            return self._within(piece, document)
        if piece.quote is None and piece.start is None:
            return _Resolution((), f"nothing says which part of {quoted(piece.document)} is meant")
        own = None if document is None else self._at_offsets(piece, document)
        if own is None and piece.quote is None:
            return _Resolution((), self._outside(piece, str(document)))
        if own is not None and (piece.quote is None or piece.at_place or self._copies == "place"):
            return _Resolution((own,))
        return self._by_quote(piece, document, own)

    def _whole(self, document: str) -> _Resolution:
        length = len(self._docs[document])
        if not length:
            return _Resolution((), f"document {truncate(document)} is empty")
        return _Resolution((Place(document, 0, length),))

    def _outside(self, piece: RawEvidence, document: str) -> str:
        length = len(self._docs[document])
        return (
            f"[{piece.start}, {piece.end}) is not in {truncate(document)}, "
            f"which has {plural(length, 'character')}"
        )

    def _at_offsets(self, piece: RawEvidence, document: str) -> Place | None:
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

    def _by_quote(self, piece: RawEvidence, document: str | None, own: Place | None) -> _Resolution:
        quote = piece.quote or ""
        quoted = self._quotes.find(document, quote)
        found = list(quoted.places)
        where = "any document" if document is None else truncate(document)
        if own is not None:
            others = [place for place in found if not _overlap(place, own)]
            found = [own, *others]
        if not found:
            message = f"not found in {where}: {_shown(quote)}"
            return _Resolution(
                (), message, near=quoted.near, share=quoted.share if quoted.near else 0.0
            )
        is_moved = own is None and piece.start is not None
        if is_moved:
            nearest = sorted(found, key=lambda place: abs(place.start - (piece.start or 0)))
            found = nearest if self._copies == "place" else sorted(found)
        is_copied = len(found) > 1
        if self._copies == "place" or piece.at_place:
            found = found[:1]
        told = _notice(piece, found, where, is_moved, is_copied)
        if told is None and quoted.is_changed and own is None:
            told = f"not to the letter in {where} (share {quoted.share:.2f}): {_shown(quote)}"
        return _Resolution(tuple(found), told, is_moved, is_copied)

    def _within(self, piece: RawEvidence, document: str | None) -> _Resolution:
        """A piece of a text that stands in a document, by its offsets in that text."""
        around = list(self._quotes.find(document, piece.inside or "").places)
        if not around:
            if piece.quote is None:
                return _Resolution((), f"not found: {_shown(piece.inside or '')}")
            return self._by_quote(piece._replace(inside=None, start=None, end=None), document, None)
        if self._copies == "place":
            around = around[:1]
        start, end = piece.start or 0, piece.end
        if end is None:
            end = start + len(piece.quote or "")
        places = [
            Place(place.document, place.start + start, place.start + end)
            for place in around
            if piece.quote is None
            or is_same_text(
                self._docs[place.document][place.start + start : place.start + end], piece.quote
            )
        ]
        if places:
            return _Resolution(tuple(places), is_copied=len(places) > 1)
        return self._inner_quote(piece, around)

    def _inner_quote(self, piece: RawEvidence, around: list[Place]) -> _Resolution:
        """A quote that is not at its offsets, somewhere in the text around it."""
        quote = piece.quote or ""
        inside = [
            place
            for outer in around
            for place in self._quotes.find(outer.document, quote).places
            if outer.start <= place.start and place.end <= outer.end
        ]
        if not inside:
            return _Resolution((), f"not found: {_shown(quote)}")
        inside.sort(key=lambda place: abs(place.start - around[0].start - (piece.start or 0)))
        return _Resolution(tuple(inside[:1]), is_moved=True)


def _named_needs(question: RawQuestion) -> dict[str, RawNeed]:
    """The needs by their ids; those without one are numbered."""
    needs: dict[str, RawNeed] = {}
    for number, need in enumerate(question.needs, 1):
        name = need.id or str(number)
        if name in needs:
            raise FormatError(f"question {quoted(question.id)} has two needs {quoted(name)}")
        needs[name] = need
    return needs


def _notice(
    piece: RawEvidence, places: list[Place], where: str, is_moved: bool, is_copied: bool
) -> str | None:
    shown = _shown(piece.quote or "")
    if is_moved:
        return (
            f"not at its offset {piece.start:,} but at {places[0].start:,} of "
            f"{truncate(places[0].document)}: {shown}"
        )
    if is_copied:
        times = "more than once" if len(places) == 1 else f"{len(places):,} times"
        return f"stands {times} in {where}: {shown}"
    return None


def _overlap(place: Place, other: Place) -> bool:
    return place.document == other.document and place.start < other.end and other.start < place.end


def _shown(text: str) -> str:
    return quoted(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


@checked
def questions(
    source: Any, docs: Any, copies: Copies = "same", max_missing: int | str = 0
) -> Questions:
    """Return questions with what they need: any of some ranges of text for each need.

    The format is known by the fields of the records: doxeval's own, chunking_evaluation,
    LegalBench-RAG, HiCBench, ragas, SQuAD, QASPER, HotpotQA, 2WikiMultihopQA, MuSiQue, Natural
    Questions, MultiHop-RAG, AutoRAG, or the folder of a BEIR data set. source is a file, a data
    frame, a list of records, samples of ragas, the files {"queries": …, "qrels": …,
    "segments": …} of BEIR or MS MARCO, or {"qa": …, "corpus": …} of AutoRAG, for which a folder
    with qa.parquet and corpus.parquet will do; docs is what `documents` takes.

    Offsets are compared with the text they should hold, and quotes are looked up; what stands
    elsewhere, or more than once, is told in `warnings`. With copies="same", all places at which a
    quote stands in its document answer the need; with "place" only its own.

    Gold that is not found is an error, which lists it and where it nearly is. max_missing allows a
    number, or a share such as "5%": what is missing is then left out and warned about. A need of
    which nothing was found counts neither as answered nor as missed, and a question without any
    other need is not evaluated. Answers that are not text of a document, such as captions of
    QASPER, are warned about, and do not count as missing.

    >>> docs = {"terms": "Thirty days. Unused goods only."}
    >>> needs = [{"spans": [{"doc": "terms", "quote": "Thirty days"}]}]
    >>> gold = questions([{"id": "1", "question": "How long?", "needs": needs}], docs)
    >>> gold["1"].needs[0].places[0]
    Place(document='terms', start=0, end=11)
    """
    if isinstance(source, Questions):
        return source
    texts = documents(docs)
    if isinstance(source, Assessments):
        found = resolve_gold(judged_questions(source), texts, "place", max_missing)
    else:
        loaded = _loaded(source)
        if isinstance(loaded.value, list) and not loaded.value:
            raise loaded.wrong("there are no questions")
        found = resolve_gold(
            _raw_questions(loaded, texts), texts, copies, max_missing, loaded.origin
        )
    found = replace(found, warnings=(*warnings_about(texts, docs), *found.warnings))
    warn(found.warnings)
    return found


def _raw_questions(loaded: Loaded, docs: Documents) -> Any:
    for format_ in question_formats():
        if format_.fits(loaded.value):
            return format_.questions(loaded, docs)
    known = "; ".join(f"{format_.name}: {format_.fields}" for format_ in question_formats())
    raise loaded.wrong(
        f"{_fields_of(loaded.value)}: expected the fields of a known format ({known})"
    )


def _fields_of(value: Any) -> str:
    first = value[0] if isinstance(value, list) and value else value
    if isinstance(first, Mapping):
        return f"fields {quoted(list(first))}"
    return quoted(first)


def _loaded(source: Any) -> Loaded:
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        path = os.fspath(source)
        return Loaded(_folder(path), path)
    if isinstance(source, Mapping):
        return Loaded(_of_mapping(source))
    return loaded_from(source)


def _folder(path: str) -> Any:
    from doxeval.chunks.formats.rag import autorag_folder, is_autorag_folder

    return autorag_folder(path) if is_autorag_folder(path) else judged_folder(path)


def _of_mapping(source: Mapping[Any, Any]) -> Any:
    """Files that belong together, or else one value of JSON."""
    if {"queries", "qrels"} <= source.keys():
        return judged_parts(source)
    if source.keys() == {"qa", "corpus"}:
        from doxeval.chunks.formats.rag import autorag_parts

        return autorag_parts(source)
    return plain(source)
