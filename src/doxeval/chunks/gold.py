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
from doxeval.assessments import Assessments
from doxeval.chunks.documents import Documents, documents, warnings_about
from doxeval.chunks.formats import RawEvidence, RawNeed, RawQuestion, question_formats
from doxeval.chunks.formats.beir import judged_folder, judged_parts
from doxeval.chunks.formats.own import judged_questions
from doxeval.chunks.questions import EvidenceSpan, Question, QuestionNeed, Questions, Tally
from doxeval.chunks.records import Loaded, loaded_from, plain
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
    refuse_missing,
)
from doxeval.messages import Parameter, plural, quoted, truncate
from doxeval.named import checked

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
        return [
            _quote_location(match, match.occurrences)
            for match in find_in_documents(self._docs, texts)
        ]


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
# What is not found in its document is looked for in the others: so many quotes, if all documents
# together have no more characters than this.
_LOOKED_FOR = 10
_MOST_TEXT = 5_000_000
_LIKELY = 3


class _Resolution(NamedTuple):
    """The spans of evidence, the best first; and a warning about it, if there is one.

    near, share: where most of what was not found is, and how much of it.
    """

    spans: tuple[EvidenceSpan, ...]
    warning: str | None = None
    is_moved: bool = False
    is_copied: bool = False
    near: EvidenceSpan | None = None
    share: float = 0.0


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
    given = list(raw_questions)
    _refuse_repeated(given)
    resolver = _GoldResolver(docs, copies, given)
    resolved = [resolver.question(raw) for raw in given]
    missing = resolver.missing_lines()
    left_out = sum(
        sum(bool(need.evidence) for need in raw.needs) - len(question.needs)
        for raw, question in zip(given, resolved, strict=True)
        if question.needs
    )
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

    def __init__(self, docs: Documents, copies: Copies, given: list[RawQuestion]) -> None:
        self._docs = docs
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
        for name, need in _named_needs(raw).items():
            spans = self._spans(raw, need)
            if spans:
                needs.append(QuestionNeed(name, spans, need.grade))
            if not need.evidence:
                self._warn(raw, f"need {truncate(name)} names no text")
        for text in raw.unusable:
            self._count(unusable=1)
            self._warn(raw, f"not text of a document: {_shown(text)}")
        self._count(questions_with_copies=int(self.tally.copied > before))
        judged = [self._docs.find(name) for name in raw.not_relevant]
        for name, document in zip(raw.not_relevant, judged, strict=True):
            if document is None:
                self._warn(raw, f"no document {quoted(name)}")
        kept = tuple(name for name in judged if name is not None)
        answers = tuple(dict.fromkeys(text for text in raw.answers if text.strip()))
        return Question(raw.id, raw.text, tuple(needs), raw.tags, kept, answers, raw.answerable)

    def _spans(self, raw: RawQuestion, need: RawNeed) -> tuple[EvidenceSpan, ...]:
        spans: dict[EvidenceSpan, None] = {}
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
            )
            spans |= dict.fromkeys(resolution.spans)
        return tuple(spans)

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
        if at_offsets is not None:
            others = [span for span in spans if not _overlap(span, at_offsets)]
            spans = [at_offsets, *others]
        if not spans:
            message = f"not found in {where}: {_shown(quote)}"
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
        if warning is None and location.is_changed and at_offsets is None:
            warning = f"not to the letter in {where} (share {location.share:.2f}): {_shown(quote)}"
        return _Resolution(tuple(spans), warning, is_moved, is_copied)

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
    source: Any, docs: Any, copies: Copies = "same", max_missing: int | str = 0
) -> Questions:
    """Return questions with what they need: any of some spans of text for each need.

    The format is known by the fields of the records: doxeval's own, chunking_evaluation,
    LegalBench-RAG, HiCBench, ragas, SQuAD, QASPER, HotpotQA, 2WikiMultihopQA, MuSiQue, Natural
    Questions, MultiHop-RAG, AutoRAG, or the folder of a BEIR data set. source is a file, a data
    frame, a list of records, samples of ragas, the files {"queries": …, "qrels": …,
    "segments": …} of BEIR or MS MARCO, or {"qa": …, "corpus": …} of AutoRAG, for which a folder
    with qa.parquet and corpus.parquet will do; docs is what `documents` takes.

    Offsets are compared with the text they should hold, and quotes are looked up; what is
    elsewhere, or occurs more than once, is among the `warnings`. With copies="same", all
    occurrences of a quote in its document answer the need; with "place" only that at its offsets.

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
    else:
        loaded = _loaded(source)
        if isinstance(loaded.value, list) and not loaded.value:
            raise loaded.wrong("there are no questions")
        gold = resolve_gold(
            _raw_questions(loaded, texts), texts, copies, max_missing, loaded.origin
        )
    gold = replace(gold, warnings=(*warnings_about(texts, docs), *gold.warnings))
    warn(gold.warnings)
    return gold


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
    """Return files that belong together, or else one value of JSON."""
    if {"queries", "qrels"} <= source.keys():
        return judged_parts(source)
    if source.keys() == {"qa", "corpus"}:
        from doxeval.chunks.formats.rag import autorag_parts

        return autorag_parts(source)
    return plain(source)
