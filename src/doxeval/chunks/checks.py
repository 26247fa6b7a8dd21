"""Whether a set of questions can be trusted: what a person should look at before it is used."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from random import Random
from typing import Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.chunks.chunking import split_by
from doxeval.chunks.dataset import Dataset
from doxeval.chunks.documents import documents
from doxeval.chunks.questions import EvidenceSpan, Question, QuestionNeed, Questions
from doxeval.errors import InputError
from doxeval.messages import escape, join_names, plural, truncate
from doxeval.named import checked

# Questions whose sets of words have this share in common are nearly the same.
_NEARLY_SAME = 0.8
# So many words in a row that a question shares with its quote are no accident, if they are also
# half of the question.
_REPEATED = 5
_WIDTH = 80
_MOST_NAMES = 5
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class QuestionChecks:
    """What is remarkable about questions and their gold, by the ids of questions.

    copied: with quotes that stand in several places. too_long: by size or chunking, with needs that
    no chunk can hold. verbatim: that repeat their quote, or half of it is theirs, word for word.
    similar: pairs that ask nearly the same. untouched: documents in which no question has gold.
    sample: questions to check by hand, chosen at random with the seed.
    """

    questions: int
    documents: int
    copied: tuple[str, ...]
    too_long: Mapping[str, tuple[str, ...]]
    verbatim: tuple[str, ...]
    similar: tuple[tuple[str, str], ...]
    untouched: tuple[str, ...]
    seed: int
    sample: tuple[Mapping[str, Any], ...]

    @property
    def text(self) -> str:
        """All of it in lines of at most 80 characters."""
        asked = f"of {plural(self.questions, 'question')}"
        rows = [("quotes in several places", self.copied, asked)]
        rows += [
            (f"needs no chunk of {what} holds", ids, asked) for what, ids in self.too_long.items()
        ]
        rows += [
            ("repeat their quote word for word", self.verbatim, asked),
            ("nearly the same", tuple(" ~ ".join(pair) for pair in self.similar), "pairs"),
            ("without any gold", self.untouched, f"of {plural(self.documents, 'document')}"),
        ]
        lines = [
            _shortened(f"{what}: {len(names):,} {of}" + _named(names)) for what, names, of in rows
        ]
        if self.sample:
            lines += ["", f"to check by hand (a random sample, seed {self.seed}):"]
        for record in self.sample:
            lines.append(_shortened(f"  {record['id']}  {record['question']}"))
            lines += [_shortened(f"      {quote}") for quote in record["gold"]]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        return {
            "questions": self.questions,
            "documents": self.documents,
            "copied": list(self.copied),
            "too_long": {what: list(ids) for what, ids in self.too_long.items()},
            "verbatim": list(self.verbatim),
            "similar": [list(pair) for pair in self.similar],
            "untouched": list(self.untouched),
            "seed": self.seed,
            "sample": [dict(record) for record in self.sample],
        }


def _named(names: Iterable[str]) -> str:
    known = [truncate(name, 30) for name in names]
    return f" ({join_names(known, _MOST_NAMES)})" if known else ""


def _shortened(line: str) -> str:
    text = escape(" ".join(line.split()) if not line.startswith(" ") else line)
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


@checked
def check_questions(
    gold: Questions,
    docs: Any,
    chunkings: Any = (),
    size: int | None = None,
    *,
    unit: str = "words",
    tokens: Any = None,
    sample: int = 10,
    seed: int = 0,
) -> QuestionChecks:
    """Return what should be looked at before questions are used to compare anything.

    `chunkings` are names of built-in ones, functions or splitters, as `split` takes them: for each,
    the needs are listed that none of its chunks holds whole. So are those longer than `size` units.
    White space at their ends does not count. `sample` questions are chosen at random.

    >>> from doxeval import chunks
    >>> docs = {"terms": "Thirty days. Unused goods only.", "faq": "Ask us."}
    >>> needs = [{"spans": [{"doc": "terms", "quote": "Unused goods only."}]}]
    >>> asked = [{"id": "1", "question": "Are unused goods only taken back?", "needs": needs}]
    >>> print(check_questions(chunks.questions(asked, docs), docs, size=2).text)
    quotes in several places: 0 of 1 question
    needs no chunk of 2 words holds: 1 of 1 question (1)
    repeat their quote word for word: 1 of 1 question (1)
    nearly the same: 0 pairs
    without any gold: 1 of 2 documents (faq)
    <BLANKLINE>
    to check by hand (a random sample, seed 0):
      1  Are unused goods only taken back?
          terms 13: 'Unused goods only.'
    """
    for name, number in (("sample", sample), ("size", 1 if size is None else size)):
        if number < (name == "size"):
            raise InputError(f"{name} is {number}: expected {int(name == 'size')} or more")
    texts = documents(docs)
    dataset = Dataset(texts, gold, unit, tokens)
    too_long = {}
    if size is not None:
        too_long[f"{size:,} {unit}"] = _longer(gold, dataset, size)
    given = [chunkings] if isinstance(chunkings, str) or callable(chunkings) else chunkings
    for by in given:
        name = by if isinstance(by, str) else getattr(by, "__name__", type(by).__name__)
        too_long[name] = _not_whole(gold, dataset, by)
    touched = {span.document for question in gold for span in _spans(question)}
    touched |= {name for question in gold for name in question.not_relevant}
    chance = Random(seed)  # noqa: S311  # nothing secret
    chosen = chance.sample(list(gold), min(sample, len(gold)))
    return QuestionChecks(
        questions=len(gold),
        documents=len(texts),
        copied=_ids(gold, lambda question: any(_is_copied(need, texts) for need in question.needs)),
        too_long=too_long,
        verbatim=_ids(gold, lambda question: _repeats(question, texts)),
        similar=tuple(_similar_pairs(gold)),
        untouched=tuple(name for name in texts if name not in touched),
        seed=seed,
        sample=tuple(_record(question, texts) for question in chosen),
    )


def _ids(gold: Questions, is_one: Any) -> tuple[str, ...]:
    return tuple(question.id for question in gold if is_one(question))


def _spans(question: Question) -> Iterator[EvidenceSpan]:
    return (span for need in question.needs for span in need.spans)


def _is_copied(need: QuestionNeed, texts: Mapping[str, str]) -> bool:
    """Return whether the same text stands in several places that answer a need."""
    quotes = [
        tuple(tuple(_words(texts[span.document][span.start : span.end])) for span in spans)
        for spans in need.alternatives
    ]
    return len(quotes) > len(set(quotes))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _repeats(question: Question, texts: Mapping[str, str]) -> bool:
    """Return whether a question repeats its quote, or half of it is in the quote, word for word."""
    words = _words(question.text)
    size = max(_REPEATED, ceil(len(words) / 2))
    whole = f" {' '.join(words)} "
    runs = [f" {' '.join(words[at : at + size])} " for at in range(len(words) - size + 1)]
    for span in _spans(question):
        quoted_words = _words(texts[span.document][span.start : span.end])
        quote = f" {' '.join(quoted_words)} "
        if (len(quoted_words) > 1 and quote in whole) or any(run in quote for run in runs):
            return True
    return False


# Needs that are too long


def _longer(gold: Questions, dataset: Dataset, size: int) -> tuple[str, ...]:
    """Return the questions with a need all of whose alternatives have more units than a size."""

    def units(span: EvidenceSpan) -> int:
        if dataset.unit == "characters":
            return span.end - span.start
        starts = dataset.texts.starts(span.document, dataset.unit)
        before, until = starts.before(np.array([span.start, span.end])).tolist()
        return int(until - before)

    def least(need: QuestionNeed) -> int:
        return min((sum(map(units, spans)) for spans in need.alternatives), default=0)

    return _ids(gold, lambda q: any(least(need) > size for need in q.needs))


def _not_whole(gold: Questions, dataset: Dataset, by: Any) -> tuple[str, ...]:
    """Return the questions with a need that no chunk of a chunking holds whole."""
    table = split_by(dataset.boundaries, by).table
    spans = table.spans
    by_document: dict[str, tuple[Ints, Ints]] = {}
    document = table.document[spans.owner]
    for number, name in enumerate(table.documents):
        rows = np.flatnonzero(document == number)
        rows = rows[np.lexsort((spans.end[rows], spans.start[rows]))]
        by_document[name] = spans.start[rows], np.maximum.accumulate(spans.end[rows])

    def is_whole(spans: tuple[EvidenceSpan, ...]) -> bool:
        # These chunks are one span each: one with the first and the last part has all of them.
        first, last = min(spans), max(spans, key=lambda span: span.end)
        span = first._replace(end=last.end)
        text = dataset.docs[span.document][span.start : span.end]
        start = span.start + len(text) - len(text.lstrip())
        end = span.end - len(text) + len(text.rstrip())
        if span.document not in by_document:
            return False
        starts, furthest = by_document[span.document]
        before = int(np.searchsorted(starts, start, "right"))
        return before > 0 and bool(furthest[before - 1] >= end)

    return _ids(gold, lambda q: any(not any(map(is_whole, need.alternatives)) for need in q.needs))


# Questions that ask nearly the same


def _similar_pairs(gold: Questions) -> Iterator[tuple[str, str]]:
    """Yield pairs of questions whose sets of words have nearly all in common (Jaccard).

    Two such sets share one of their rarest words, of which each has a few.
    """
    words = [frozenset(_words(question.text)) for question in gold]
    counts = Counter(word for of_question in words for word in of_question)
    with_word: defaultdict[str, list[int]] = defaultdict(list)
    ids = gold.ids
    for at, of_question in enumerate(words):
        rarest = sorted(of_question, key=lambda word: (counts[word], word))
        few = rarest[: len(rarest) - ceil(_NEARLY_SAME * len(rarest)) + 1]
        for other in sorted({other for word in few for other in with_word[word]}):
            shared = len(of_question & words[other])
            if shared >= _NEARLY_SAME * len(of_question | words[other]):
                yield ids[other], ids[at]
        for word in few:
            with_word[word].append(at)


def _record(question: Question, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return what a person needs to check a question."""
    needs = []
    for need in question.needs:
        parts = need.alternatives[0]
        quote = " … ".join(" ".join(texts[name][start:end].split()) for name, start, end in parts)
        needs.append(f"{parts[0].document} {parts[0].start:,}: {quote!r}")
    strings = [f"answer: {text!r}" for text in question.answers]
    none = [] if question.answerable else ["no document answers it"]
    return {"id": question.id, "question": question.text, "gold": [*needs, *strings, *none]}
