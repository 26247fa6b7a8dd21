"""Questions from any format in which people keep them, and where their gold is in documents.

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
from doxeval.assessments import Assessments, read_assessments
from doxeval.chunks.documents import Documents, documents, warnings_about
from doxeval.chunks.formats import (
    QuestionFormat,
    RawEvidence,
    RawNeed,
    RawQuestion,
    question_formats,
)
from doxeval.chunks.formats.beir import (
    folder_of_qrels,
    judged_dataset,
    judged_folder,
    judged_parts,
)
from doxeval.chunks.formats.own import judged_questions
from doxeval.chunks.questions import EvidenceSpan, Question, QuestionNeed, Questions, Tally
from doxeval.chunks.records import Loaded, loaded_from, plain
from doxeval.datasets import is_dataset, is_package
from doxeval.errors import FormatError, warn
from doxeval.locating import (
    DocumentQuoteMatch,
    How,
    QuoteMatch,
    QuoteSpans,
    allowed_missing,
    find_in_documents,
    find_quotes,
    is_same_text,
    most_similar,
    parts_of_quote,
    refuse_missing,
)
from doxeval.messages import Parameter, plural, quoted, truncate
from doxeval.named import checked
from doxeval.topics import read_topics

# The document in which a text is looked for, or None for all of them; and the text.
TextInDocument = tuple[str | None, str]


class QuoteLocation(NamedTuple):
    """The spans of a quote, in the order of the documents.

    is_changed: whether its letters alone were found, or nearly all of them. share: how many were.
    near: where most of a quote is that was not found in its document.
    """

    spans: tuple[EvidenceSpan, ...] = ()
    is_changed: bool = False
    share: float = 1.0
    near: EvidenceSpan | None = None


class QuoteFinder:
    """Where quotes occur in documents.

    White space does not count. A quote that is not found is looked for by its letters and digits.

    >>> docs = Documents([("a", "to be or not to be"), ("b", "be")])
    >>> quotes = QuoteFinder(docs, [("a", "to be"), (None, "be")])
    >>> [span.start for span in quotes.find("a", "to be").spans]
    [0, 13]
    >>> len(quotes.find(None, "be").spans), quotes.find("a", "TO BE, OR NOT").is_changed
    (3, True)
    """

    def __init__(self, docs: Documents, texts: Iterable[TextInDocument] = ()) -> None:
        self._docs = docs
        self._known: dict[TextInDocument, QuoteLocation] = {}
        self._look_up(texts)

    def find(self, document: str | None, text: str) -> QuoteLocation:
        """Return the spans of a text in one document, or in all."""
        if (document, text) not in self._known:
            self._look_up([(document, text)])
        return self._known[document, text]

    def _look_up(self, pairs: Iterable[TextInDocument]) -> None:
        by_document: dict[str | None, dict[str, None]] = {}
        for document, text in pairs:
            by_document.setdefault(document, {})[text] = None
        for document, texts in by_document.items():
            for text, location in zip(texts, self._search(document, list(texts)), strict=True):
                self._known[document, text] = location

    def _search(self, document: str | None, texts: list[str]) -> list[QuoteLocation]:
        if document is not None:
            return [
                _quote_location(
                    match,
                    [(document, spans) for spans in match.occurrences],
                    EvidenceSpan(document, match.near[0][0], match.near[-1][1])
                    if match.near
                    else None,
                )
                for match in find_quotes(self._docs[document], texts)
            ]
        matches = find_in_documents(self._docs, texts)
        pairs = zip(texts, matches, strict=True)
        self._look_up((match.near[0], text) for text, match in pairs if match.near)
        locations = []
        for text, match in zip(texts, matches, strict=True):
            location = _quote_location(match, match.occurrences)
            if not location.spans and match.near:
                there = self._known[match.near[0], text]
                near = there.spans[0] if there.spans else there.near
                location = location._replace(near=near, share=there.share)
            locations.append(location)
        return locations


def _quote_location(
    match: QuoteMatch | DocumentQuoteMatch,
    occurrences: Sequence[tuple[str, QuoteSpans]],
    near: EvidenceSpan | None = None,
) -> QuoteLocation:
    """Return the spans of a quote; one whose parts are apart extends from the first to the last."""
    spans = tuple(EvidenceSpan(name, parts[0][0], parts[-1][1]) for name, parts in occurrences)
    return QuoteLocation(spans, match.how is How.FUZZY, match.share, near)


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
        """Yield the offsets as they are, and as programs count them that read line ends as one.

        A byte order mark that was read as a character shifts offsets by one.
        """
        yield start, end
        folded = self._folded_line_ends(document)
        if len(folded):
            before, until = np.searchsorted(folded, [start, end]).tolist()
            yield start + before, end + until
        yield start - 1, end - 1

    def _folded_line_ends(self, document: str) -> Ints:
        """Return where the line ends of two characters are, with each counted as one."""
        if document not in self._line_ends:
            ends = [match.start() for match in re.finditer("\r\n", self._docs[document])]
            self._line_ends[document] = np.array(ends, dtype=np.int64) - np.arange(len(ends))
        return self._line_ends[document]


Copies = Literal["same", "place"]
_SHOWN = 60
# A smaller share of a quote is anywhere.
_NEAR = 0.25
# At most so many characters may be between two parts of a quote with an ellipsis.
_MOST_LEFT_OUT = 2000
# A similarity below this is none.
_SIMILAR = 0.5
# What is not found in its document is looked for in the others: so many quotes, if all documents
# together have no more characters than this.
_LOOKED_FOR = 10
_MOST_TEXT = 5_000_000
_LIKELY = 3


class _Resolution(NamedTuple):
    """The spans of evidence, the best first; and a warning about it, if there is one.

    near, share: where most of what was not found is, and how much of it. in_parts: of evidence in
    several parts, the spans of these, for each alternative.
    """

    spans: tuple[EvidenceSpan, ...]
    warning: str | None = None
    is_moved: bool = False
    is_copied: bool = False
    near: EvidenceSpan | None = None
    share: float = 0.0
    in_parts: tuple[tuple[EvidenceSpan, ...], ...] = ()


class _Missing(NamedTuple):
    """Evidence that was not found: its number among the warnings, and where it nearly is."""

    warning: int
    quote: str
    near: EvidenceSpan | None
    share: float


def resolve_gold(
    raw_questions: Iterable[RawQuestion],
    docs: Documents,
    copies: Copies = "same",
    max_missing: int | str = 0,
    origin: str | None = None,
    similar: float = 1.0,
) -> Questions:
    """Return questions with the spans of what they need.

    copies: whether all occurrences of a quote in its document answer the need ("same"), or only the
    one that the file names ("place"). max_missing: how many quotes may be missing.
    Those that are missing and may be are left out and warned about: a need of which nothing was
    found counts neither as answered nor as missed.
    """
    allowed_missing(max_missing, 0)
    if copies not in ("same", "place"):
        raise FormatError(Parameter("copies", copies) + ": expected 'same' or 'place'")
    if not 0 < similar <= 1:
        raise FormatError(Parameter("similar", similar) + ": expected more than 0, at most 1")
    given = list(raw_questions)
    _refuse_repeated(given)
    resolver = _GoldResolver(docs, copies, given, similar)
    resolved = [resolver.question(raw) for raw in given]
    missing = resolver.missing_lines()
    left_out = resolver.needs_left_out
    if left_out:
        needs = f"{plural(left_out, 'need')} not found and left out"
        resolver.warnings.append(f"{needs}: such questions are scored by their other needs")
    without = sum(not question.is_evaluated for question in resolved)
    if without:
        resolver.warnings.append(f"{plural(without, 'question')} without gold: not evaluated")
    refuse_missing(
        resolver.tally.missing, resolver.tally.evidence, "quote", max_missing, missing, origin
    )
    return Questions(tuple(resolved), tuple(resolver.warnings), resolver.tally)


def _refuse_repeated(given: list[RawQuestion]) -> None:
    seen: set[str] = set()
    for question in given:
        if question.id in seen:
            raise FormatError(f"there are two questions {quoted(question.id)}")
        seen.add(question.id)


class _GoldResolver:
    """Looks up the gold of one file, and notes what is wrong with it."""

    def __init__(
        self, docs: Documents, copies: Copies, given: list[RawQuestion], similar: float
    ) -> None:
        self._docs = docs
        self._similar = similar
        self.needs_left_out = 0
        self._copies = copies
        self._offsets = OffsetReadings(docs)
        self._quotes = QuoteFinder(docs, self._texts_to_find(given))
        self._missing: list[_Missing] = []
        self.warnings: list[str] = []
        self.tally = Tally()

    def _texts_to_find(self, given: list[RawQuestion]) -> Iterator[TextInDocument]:
        """Yield all texts that must be looked up, so that each document is gone through once."""
        for question in given:
            for need in question.needs:
                for evidence in need.evidence:
                    document = self._docs.find(evidence.document)
                    if evidence.inside is not None:
                        yield document, evidence.inside
                    elif evidence.quote is not None and self._must_look_up(evidence, document):
                        yield document, evidence.quote

    def _must_look_up(self, evidence: RawEvidence, document: str | None) -> bool:
        if document is not None and self._at_offsets(evidence, document):
            return self._copies == "same" and not evidence.at_place
        return True

    # Questions

    def question(self, raw: RawQuestion) -> Question:
        """Return a question with the spans of its needs; those not found are left out."""
        before = self.tally.copied
        needs = []
        left_out = 0
        for name, need in _named_needs(raw).items():
            alternatives = self._alternatives(raw, need)
            if alternatives:
                parts = tuple(map(len, alternatives))
                spans = tuple(span for spans in alternatives for span in spans)
                is_plain = len(spans) == len(parts)
                needs.append(QuestionNeed(name, spans, need.grade, () if is_plain else parts))
            left_out += bool(need.evidence) and not alternatives
            if not need.evidence:
                self._warn(raw, f"need {truncate(name)} names no text")
        for text in raw.unusable:
            self._count(unusable=1)
            self._warn(raw, f"not text of a document: {_shown(text)}")
        self.needs_left_out += left_out if needs else 0
        self._count(questions_with_copies=int(self.tally.copied > before))
        judged = [self._docs.find(name) for name in raw.not_relevant]
        for name, document in zip(raw.not_relevant, judged, strict=True):
            if document is None:
                self._warn(raw, f"no document {quoted(name)}")
        kept = tuple(name for name in judged if name is not None)
        answers = tuple(dict.fromkeys(text for text in raw.answers if text.strip()))
        return Question(raw.id, raw.text, tuple(needs), raw.tags, kept, answers, raw.answerable)

    def _alternatives(
        self, raw: RawQuestion, need: RawNeed
    ) -> tuple[tuple[EvidenceSpan, ...], ...]:
        """Return the spans of each alternative of a need."""
        alternatives: dict[tuple[EvidenceSpan, ...], None] = {}
        for evidence in need.evidence:
            resolution = self._resolve(evidence)
            if not resolution.spans:
                quote = evidence.quote or ""
                near, share = resolution.near, resolution.share
                missing = _Missing(len(self.warnings), quote, near, share)
                self._missing.append(missing)
            if resolution.warning is not None:
                self._warn(raw, resolution.warning)
            self._count(
                evidence=1,
                missing=int(not resolution.spans),
                moved=int(resolution.is_moved),
                copied=int(resolution.is_copied),
                in_parts=int(bool(resolution.in_parts)),
            )
            own = resolution.in_parts or [(span,) for span in resolution.spans]
            alternatives |= dict.fromkeys(own)
        return tuple(alternatives)

    def missing_lines(self) -> tuple[str, ...]:
        """Return what was not found, with where it nearly is, which the warnings get too."""
        elsewhere = self._elsewhere(self._missing[:_LOOKED_FOR])
        for gap in self._missing:
            near, share = gap.near, gap.share
            other = elsewhere.get(gap.quote, QuoteLocation())
            if (other.spans or other.near) and other.share > share:
                near, share = (*other.spans, other.near)[0], other.share
            if near is not None and share >= _NEAR:
                part = "it stands" if share == 1 else f"{share:.0%} of it stands"
                where = f"{part} at {near.start:,} of {truncate(near.document)}"
                self.warnings[gap.warning] += f"; {where}"
        return tuple(self.warnings[gap.warning] for gap in self._missing)

    def _elsewhere(self, missing: list[_Missing]) -> dict[str, QuoteLocation]:
        """Return where most of each quote is, unless there is too much text to search."""
        quotes = list(dict.fromkeys(text.quote for text in missing if text.quote.strip()))
        if not quotes:
            return {}
        size = 0
        for name in self._docs:
            size += len(self._docs[name])
            if size > _MOST_TEXT:
                return {}
        best: dict[str, QuoteLocation] = {}
        for quote, match in zip(quotes, find_in_documents(self._docs, quotes), strict=True):
            names = [name for name, _ in match.occurrences] or match.near
            by_document = [self._quotes.find(name, quote) for name in names[:_LIKELY]]
            best[quote] = max(by_document, key=lambda text: text.share, default=QuoteLocation())
        return best

    def _warn(self, question: RawQuestion, message: str) -> None:
        self.warnings.append(f"question {truncate(question.id)}: {message}")

    def _count(self, **more: int) -> None:
        changed = {name: getattr(self.tally, name) + count for name, count in more.items()}
        self.tally = self.tally._replace(**changed)

    # Evidence

    def _resolve(self, evidence: RawEvidence) -> _Resolution:
        document = self._docs.find(evidence.document)
        if document is None and (evidence.quote is None or evidence.document is not None):
            quote = "" if evidence.quote is None else f": {_shown(evidence.quote)}"
            return _Resolution((), f"no document {quoted(evidence.document)}{quote}")
        if evidence.is_whole:
            return self._whole(str(document))
        if evidence.parts:
            found = [self._resolve(part) for part in evidence.parts]
            spans = tuple(span for part in found for span in part.spans)
            unknown = next((part for part in found if not part.spans), None)
            return unknown or _Resolution(spans, in_parts=(spans,))
        if evidence.inside is not None:
            return self._within(evidence, document)
        if evidence.page is not None and document is not None:
            return self._on_page(evidence, evidence.page, document)
        if evidence.quote is None and evidence.start is None:
            return _Resolution(
                (), f"nothing says which part of {quoted(evidence.document)} is meant"
            )
        at_offsets = None if document is None else self._at_offsets(evidence, document)
        if at_offsets is None and evidence.quote is None:
            return _Resolution((), self._outside(evidence, str(document)))
        is_only = evidence.quote is None or evidence.at_place or self._copies == "place"
        if at_offsets is not None and is_only:
            return _Resolution((at_offsets,))
        return self._by_quote(evidence, document, at_offsets)

    def _whole(self, document: str) -> _Resolution:
        length = len(self._docs[document])
        if not length:
            return _Resolution((), f"document {truncate(document)} is empty")
        return _Resolution((EvidenceSpan(document, 0, length),))

    def _on_page(self, evidence: RawEvidence, page: int, document: str) -> _Resolution:
        """Resolve a page, or a quote on it; a quote that is not on it may be elsewhere."""
        pages = self._docs.pages(document)
        if page > len(pages):
            has = plural(len(pages), "page") if pages else "no pages"
            return _Resolution((), f"no page {page:,} of {truncate(document)}, which has {has}")
        start, end = pages[page - 1]
        if evidence.quote is None:
            if not self._docs[document][start:end].strip():
                return _Resolution((), f"page {page:,} of {truncate(document)} is blank")
            return _Resolution((EvidenceSpan(document, start, end),))
        return self._by_quote(evidence, document, None, EvidenceSpan(document, start, end))

    def _outside(self, evidence: RawEvidence, document: str) -> str:
        length = len(self._docs[document])
        return (
            f"[{evidence.start}, {evidence.end}) is not in {truncate(document)}, "
            f"which has {plural(length, 'character')}"
        )

    def _at_offsets(self, evidence: RawEvidence, document: str) -> EvidenceSpan | None:
        """Return the span at the offsets, if its text is the quote."""
        if evidence.start is None or evidence.inside is not None:
            return None
        text = self._docs[document]
        end = evidence.end
        if end is None:
            end = evidence.start + len(evidence.quote or "")
        for start, after in self._offsets.readings(document, evidence.start, end):
            if not 0 <= start < after <= len(text):
                continue
            if evidence.quote is None or is_same_text(text[start:after], evidence.quote):
                return EvidenceSpan(document, start, after)
        return None

    def _by_quote(
        self,
        evidence: RawEvidence,
        document: str | None,
        at_offsets: EvidenceSpan | None,
        page: EvidenceSpan | None = None,
    ) -> _Resolution:
        quote = evidence.quote or ""
        location = self._quotes.find(document, quote)
        spans = list(location.spans)
        where = "any document" if document is None else truncate(document)
        if at_offsets is None and (location.is_changed or not spans):
            in_parts = self._in_parts(evidence, document)
            if in_parts is not None:
                return in_parts
        if at_offsets is not None:
            others = [span for span in spans if not _overlap(span, at_offsets)]
            spans = [at_offsets, *others]
        altered = None
        if at_offsets is None and (location.is_changed or location.near is not None):
            altered = self._altered(quote, spans or [span for span in [location.near] if span])
            if altered.similarity < 1:
                spans = [altered.span] if altered.similarity >= self._similar else []
        if not spans:
            message = f"not found in {where}: {_shown(quote)}"
            if altered is not None and altered.similarity >= _SIMILAR:
                start, name = altered.span.start, truncate(altered.span.document)
                message += (
                    f"; a text with similarity {_rounded(altered.similarity)} stands at "
                    f"{start:,} of {name}"
                )
                return _Resolution((), message, share=1.0)  # no other place needs to be named
            share = location.share if location.near else 0.0
            return _Resolution((), message, near=location.near, share=share)
        is_moved = at_offsets is None and evidence.start is not None
        if page is not None:
            on_page = [span for span in spans if _overlap(span, page)]
            is_moved, spans = not on_page, on_page or spans
        if is_moved:
            nearest = sorted(spans, key=lambda span: abs(span.start - (evidence.start or 0)))
            spans = nearest if self._copies == "place" else sorted(spans)
        is_copied = len(spans) > 1
        if self._copies == "place" or evidence.at_place:
            spans = spans[:1]
        warning = _warning(evidence, spans, where, is_moved, is_copied)
        if altered is not None:
            about = f"not to the letter in {where} (similarity {_rounded(altered.similarity)})"
            warning = f"{about}: {_shown(quote)}" if warning is None else f"{warning}; {about}"
        return _Resolution(tuple(spans), warning, is_moved, is_copied)

    def _altered(self, quote: str, likely: Sequence[EvidenceSpan]) -> _SimilarText:
        """Return the text that is most similar to a quote, around one of some likely spans."""
        best = _SimilarText(0.0, likely[0])
        for span in likely[:_LIKELY]:
            text, around = self._docs[span.document], 2 * len(quote)
            low, high = max(span.start - around, 0), min(span.end + around, len(text))
            similarity, start, end = most_similar(quote, text[low:high])
            if similarity > best.similarity:
                nearest = EvidenceSpan(span.document, low + start, low + end)
                best = _SimilarText(similarity, nearest)
        return best

    def _in_parts(self, evidence: RawEvidence, document: str | None) -> _Resolution | None:
        """Resolve a quote with ellipses; None if it has none, or not all of its parts are there.

        Its parts must follow each other in one document, with at most 2,000 characters between.
        """
        quote = evidence.quote or ""
        parts = parts_of_quote(quote)
        if parts in ((), (quote.strip(),)):
            return None
        locations = [self._quotes.find(document, part) for part in parts]
        if any(location.is_changed or not location.spans for location in locations):
            return None
        chains = _chains([location.spans for location in locations])
        if self._copies == "place":
            chains = chains[:1]
        if not chains:
            return None
        whole = tuple(EvidenceSpan(c[0].document, c[0].start, c[-1].end) for c in chains)
        if len(parts) == 1:
            return _Resolution(whole, is_copied=len(whole) > 1)
        return _Resolution(whole, is_copied=len(whole) > 1, in_parts=tuple(chains))

    def _within(self, evidence: RawEvidence, document: str | None) -> _Resolution:
        """Resolve evidence whose offsets count in a text of the document."""
        around = list(self._quotes.find(document, evidence.inside or "").spans)
        if not around:
            if evidence.quote is None:
                return _Resolution((), f"not found: {_shown(evidence.inside or '')}")
            return self._by_quote(
                evidence._replace(inside=None, start=None, end=None), document, None
            )
        if self._copies == "place":
            around = around[:1]
        start, end = evidence.start or 0, evidence.end
        if end is None:
            end = start + len(evidence.quote or "")
        inner = [
            EvidenceSpan(outer.document, outer.start + start, outer.start + end) for outer in around
        ]
        spans = tuple(
            span
            for span in inner
            if evidence.quote is None
            or is_same_text(self._docs[span.document][span.start : span.end], evidence.quote)
        )
        if spans:
            return _Resolution(spans, is_copied=len(spans) > 1)
        return self._inner_quote(evidence, around)

    def _inner_quote(self, evidence: RawEvidence, around: list[EvidenceSpan]) -> _Resolution:
        """Resolve a quote that is not at its offsets, but somewhere in the text around it."""
        quote = evidence.quote or ""
        inside = [
            span
            for outer in around
            for span in self._quotes.find(outer.document, quote).spans
            if outer.start <= span.start and span.end <= outer.end
        ]
        if not inside:
            return _Resolution((), f"not found: {_shown(quote)}")
        inside.sort(key=lambda span: abs(span.start - around[0].start - (evidence.start or 0)))
        return _Resolution(tuple(inside[:1]), is_moved=True)


class _SimilarText(NamedTuple):
    """The text that is most similar to a quote."""

    similarity: float
    span: EvidenceSpan


def _rounded(similarity: float) -> str:
    """Return a similarity with two digits, rounded down: what `similar` must be to accept it."""
    return f"{int(similarity * 100 + 1e-9) / 100:.2f}"


def _chains(parts: Sequence[Sequence[EvidenceSpan]]) -> list[tuple[EvidenceSpan, ...]]:
    """Return spans of all parts that follow each other, with little between them.

    Of several that share a span, only the nearest count.

    >>> spans = [EvidenceSpan("a", start, start + 5) for start in (0, 9, 20)]
    >>> [[span.start for span in chain] for chain in _chains([spans[:2], spans[2:]])]
    [[9, 20]]
    """
    chains: list[tuple[EvidenceSpan, ...]] = [(span,) for span in parts[0]]
    for spans in parts[1:]:
        nearest: dict[EvidenceSpan, tuple[EvidenceSpan, ...]] = {}
        for chain in chains:
            last = chain[-1]
            after = [
                span
                for span in spans
                if span.document == last.document
                and last.end <= span.start <= last.end + _MOST_LEFT_OUT
            ]
            if after:
                following = min(after)
                known = nearest.get(following)
                if known is None or known[-1].start < last.start:
                    nearest[following] = chain
        chains = [(*chain, span) for span, chain in nearest.items()]
    return chains


def _named_needs(question: RawQuestion) -> dict[str, RawNeed]:
    """Return the needs by their ids; those without one are numbered."""
    needs: dict[str, RawNeed] = {}
    for number, need in enumerate(question.needs, 1):
        name = need.id or str(number)
        if name in needs:
            raise FormatError(f"question {quoted(question.id)} has two needs {quoted(name)}")
        needs[name] = need
    return needs


def _warning(
    evidence: RawEvidence, spans: list[EvidenceSpan], where: str, is_moved: bool, is_copied: bool
) -> str | None:
    shown = _shown(evidence.quote or "")
    if is_moved:
        place = (
            f"on page {evidence.page:,}"
            if evidence.start is None
            else f"at its offset {evidence.start:,}"
        )
        return f"not {place} but at {spans[0].start:,} of {truncate(spans[0].document)}: {shown}"
    if is_copied:
        times = "more than once" if len(spans) == 1 else f"{len(spans):,} times"
        return f"stands {times} in {where}: {shown}"
    return None


def _overlap(span: EvidenceSpan, other: EvidenceSpan) -> bool:
    return span.document == other.document and span.start < other.end and other.start < span.end


def _shown(text: str) -> str:
    return quoted(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


@checked
def questions(
    source: Any,
    docs: Any,
    copies: Copies = "same",
    max_missing: int | str = 0,
    similar: float = 1.0,
) -> Questions:
    """Return questions with what they need: any of some spans of text for each need.

    The format is known by the fields of the records: doxeval's own, chunking_evaluation,
    LegalBench-RAG, HiCBench, ragas, SQuAD, QASPER, HotpotQA, 2WikiMultihopQA, MuSiQue, Natural
    Questions, MultiHop-RAG, AutoRAG, testsets of ragas, data sets of LlamaIndex, goldens of
    DeepEval, a table with a question and a quote in each row, or the folder of a BEIR data set.
    source is a file, a data frame, records (a list, a data set of Hugging Face, or anything else
    that yields mappings), samples of ragas, the files {"queries": …, "qrels": …,
    "segments": …} of BEIR or MS MARCO, or {"qa": …, "corpus": …} of AutoRAG, for which a folder
    with qa.parquet and corpus.parquet will do; docs is what `documents` takes.

    Offsets are compared with the text they should hold, and quotes are looked up; what is
    elsewhere, or occurs more than once, is among the `warnings`. With copies="same", all
    occurrences of a quote in its document answer the need; with "place" only that at its offsets.

    A quote that is not there to the letter is accepted, with a warning, if it has a similarity of
    at least `similar` to some text of its document: 1 less Levenshtein's distance divided by the
    length of the quote, over letters and digits without case and accents. By default only case,
    accents, marks, hyphens and white space may differ; similar=.9 allows a few other words. A quote
    with ellipses (…, ..., […], [...]) stands for all of its parts, in their order, in one document,
    with at most 2,000 characters between two: all of them must be shown.

    Gold that is not found is an error, which lists it and where it nearly is. max_missing allows a
    number, or a share such as "5%": what is missing is then left out and warned about. A need of
    which nothing was found counts neither as answered nor as missed, and a question without any
    other need is not evaluated. Answers that are not text of a document, such as captions of
    QASPER, are warned about, and do not count as missing.

    >>> docs = {"terms": "Thirty days. Unused goods only."}
    >>> needs = [{"spans": [{"doc": "terms", "quote": "Thirty days"}]}]
    >>> gold = questions([{"id": "1", "question": "How long?", "needs": needs}], docs)
    >>> gold["1"].needs[0].spans[0]
    EvidenceSpan(document='terms', start=0, end=11)
    """
    if isinstance(source, Questions):
        return source
    texts = documents(docs)
    if isinstance(source, Assessments):
        gold = resolve_gold(judged_questions(source), texts, "place", max_missing)
    elif is_package(source):
        titles = {topic.id: topic.title or topic.description or "" for topic in read_topics(source)}
        judged = judged_questions(read_assessments(source), titles)
        gold = resolve_gold(judged, texts, "place", max_missing, os.fspath(source))
    else:
        loaded = _loaded(source)
        if isinstance(loaded.value, list) and not loaded.value:
            raise loaded.wrong("there are no questions")
        format_ = _format_of(loaded)
        about = () if format_.warnings is None else tuple(format_.warnings(loaded))
        raw = format_.questions(loaded, texts)
        gold = resolve_gold(raw, texts, copies, max_missing, loaded.origin, similar)
        gold = replace(gold, warnings=(*about, *gold.warnings))
    gold = replace(gold, warnings=(*warnings_about(texts, docs), *gold.warnings))
    warn(gold.warnings)
    return gold


def _format_of(loaded: Loaded) -> QuestionFormat:
    for format_ in question_formats():
        if format_.fits(loaded.value):
            return format_
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
    if is_dataset(source):
        return Loaded(judged_dataset(source), os.fspath(source))
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if os.path.isdir(path):
            return Loaded(_folder(path), path)
        folder = folder_of_qrels(path) if os.path.exists(path) else None
        if folder is not None:
            return Loaded(judged_folder(folder, path), path)
    if isinstance(source, Mapping):
        return Loaded(_of_mapping(source))
    return loaded_from(source)


def _folder(path: str) -> Any:
    from doxeval.chunks.formats.rag import autorag_folder, is_autorag_folder

    return autorag_folder(path) if is_autorag_folder(path) else judged_folder(path)


def _of_mapping(source: Mapping[Any, Any]) -> Any:
    """Return files that belong together, or else one value of JSON."""
    if {"queries", "qrels"} <= source.keys():
        return judged_parts(source)
    if source and all(hasattr(split, "column_names") for split in source.values()):
        splits = " or ".join(f"source[{quoted(name)}]" for name in source)
        raise FormatError(f"a data set by splits: expected one of them, {splits}")
    if source.keys() == {"qa", "corpus"}:
        from doxeval.chunks.formats.rag import autorag_parts

        return autorag_parts(source)
    return plain(source)
