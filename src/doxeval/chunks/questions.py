"""Questions with their gold: what each needs, as spans of documents."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

from doxeval.assessments import (
    Assessments,
    Judgment,
    JudgmentColumns,
    NeededSpan,
    TopicAnswer,
)
from doxeval.chunks.records import json_line
from doxeval.errors import UnknownName
from doxeval.files import open_output
from doxeval.messages import plural, quoted
from doxeval.topics import Topic


class EvidenceSpan(NamedTuple):
    """A span of the text of a document, half-open, in code points."""

    document: str
    start: int
    end: int


class QuestionNeed(NamedTuple):
    """Something a question needs to be shown: any of its alternatives will do.

    spans: those of all alternatives. parts: how many spans in turn make up each alternative, all of
    which are to be shown; without it, each span is an alternative.

    >>> spans = EvidenceSpan("a", 0, 3), EvidenceSpan("a", 5, 9), EvidenceSpan("b", 0, 7)
    >>> [len(spans) for spans in QuestionNeed("1", spans, parts=(2, 1)).alternatives]
    [2, 1]
    """

    id: str
    spans: tuple[EvidenceSpan, ...]
    grade: float = 1
    parts: tuple[int, ...] = ()

    @property
    def alternatives(self) -> tuple[tuple[EvidenceSpan, ...], ...]:
        """The spans of each alternative."""
        spans = iter(self.spans)
        return tuple(tuple(islice(spans, n)) for n in self.parts or (1,) * len(self.spans))


@dataclass(frozen=True)
class Question:
    """A question: all of its needs are to be met.

    tags: the sets it belongs to. not_relevant: documents that were judged and answer nothing.
    answers: strings, any of which answers it, wherever they stand. answerable: False if no document
    answers it; a question that merely lacks gold is answerable, and not evaluated.
    """

    id: str
    text: str
    needs: tuple[QuestionNeed, ...] = ()
    tags: tuple[str, ...] = ()
    not_relevant: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    answerable: bool = True

    @property
    def is_evaluated(self) -> bool:
        """Whether anything is known by which results for it can be scored."""
        return bool(self.needs or self.not_relevant or self.answers) or not self.answerable


class Tally(NamedTuple):
    """How the gold of questions was found.

    evidence: the texts that were looked for. missing: those not found. moved: those that are not at
    their offsets. copied: those that occur more than once, and in how many questions.
    unusable: answers that are not text of a document at all, which are counted nowhere else.
    in_parts: quotes with ellipses, of which several parts are needed.
    """

    evidence: int = 0
    missing: int = 0
    moved: int = 0
    copied: int = 0
    questions_with_copies: int = 0
    unusable: int = 0
    in_parts: int = 0


@dataclass(frozen=True, repr=False)
class Questions:
    """Questions by id, in their order, with warnings about what could not be read as it is.

    >>> need = QuestionNeed("1", (EvidenceSpan("terms", 0, 11),))
    >>> gold = Questions((Question("1", "How long?", (need,)),))
    >>> gold, gold.texts["1"], gold.assessments.find("1", "terms").highlights
    (Questions(1 question, 1 need), 'How long?', ((0, 11),))
    """

    questions: tuple[Question, ...]
    warnings: tuple[str, ...] = ()
    tally: Tally = field(default=Tally(), compare=False)

    def __len__(self) -> int:
        return len(self.questions)

    def __iter__(self) -> Iterator[Question]:
        return iter(self.questions)

    def __getitem__(self, question: str) -> Question:
        if question not in self._by_id:
            raise UnknownName(f"no question {quoted(question)}")
        return self._by_id[question]

    def __contains__(self, question: object) -> bool:
        return question in self._by_id

    @cached_property
    def _by_id(self) -> dict[str, Question]:
        return {question.id: question for question in self.questions}

    def __repr__(self) -> str:
        needs = sum(len(question.needs) for question in self.questions)
        return f"Questions({plural(len(self), 'question')}, {plural(needs, 'need')})"

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all questions."""
        return tuple(question.id for question in self.questions)

    @property
    def needs(self) -> Mapping[str, tuple[QuestionNeed, ...]]:
        """The needs of each question."""
        return MappingProxyType({question.id: question.needs for question in self.questions})

    @property
    def texts(self) -> Mapping[str, str]:
        """The text of each question."""
        return MappingProxyType({question.id: question.text for question in self.questions})

    @property
    def tags(self) -> Mapping[str, tuple[str, ...]]:
        """The tags of each question, such as the parts of LegalBench-RAG."""
        return MappingProxyType({question.id: question.tags for question in self.questions})

    @cached_property
    def topics(self) -> tuple[Topic, ...]:
        """The questions as topics, whose titles are what is searched for."""
        return tuple(Topic(question.id, title=question.text or None) for question in self.questions)

    @cached_property
    def assessments(self) -> Assessments:
        """The gold as judgments: the needs of each question in each document.

        A question without gold has none, so it is not evaluated, unless documents were judged and
        answer nothing, its answers are known as strings, or it is known to have no answer.
        """
        columns = JudgmentColumns.of(
            [judgment for question in self.questions for judgment in _judgments(question)]
        )
        answers = {
            question.id: TopicAnswer(question.answers, question.answerable)
            for question in self.questions
            if question.answers or not question.answerable
        }
        return Assessments(columns.with_answers(answers, self.ids), self.warnings)

    def report(self) -> str:
        """Return a line on how the gold was found."""
        tally = self.tally
        needs = sum(len(question.needs) for question in self.questions)
        occur = "occurs" if tally.copied == 1 else "occur"
        parts = [
            f"{plural(len(self), 'question')}, {plural(needs, 'need')}: "
            f"{tally.missing:,} not found, {tally.moved:,} at other offsets, "
            f"{tally.copied:,} {occur} more than once "
            f"({plural(tally.questions_with_copies, 'question')})",
        ]
        if tally.in_parts:
            parts.append(f"{plural(tally.in_parts, 'quote')} of several parts")
        if tally.unusable:
            parts.append(f"{plural(tally.unusable, 'answer')} not text of a document")
        counts = {
            "without an answer": sum(not question.answerable for question in self.questions),
            "with answers as strings only": sum(
                bool(question.answers) and not question.needs for question in self.questions
            ),
            "without gold": sum(
                question.answerable and not question.needs and not question.answers
                for question in self.questions
            ),
        }
        parts += [f"{plural(count, 'question')} {what}" for what, count in counts.items() if count]
        return " · ".join(parts)

    # Other forms

    def to_pandas(self) -> Any:
        """Return a pandas frame with a row for each span of each need."""
        from doxeval.runs import optional_module

        names = ["question", "text", "need", "grade", "doc", "start", "end", "alternative"]
        return optional_module("pandas").DataFrame(list(self._rows()), columns=names)

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        for question in self.questions:
            for need in question.needs:
                for number, spans in enumerate(need.alternatives, 1):
                    for span in spans:
                        yield question.id, question.text, need.id, need.grade, *span, number

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the questions as JSONL, which `questions` reads again."""
        with open_output(path) as file:
            file.writelines(self.lines())

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the file that `write` makes."""
        for question in self.questions:
            yield json_line(_record(question))


def _judgments(question: Question) -> Iterator[Judgment]:
    by_document: dict[str, list[NeededSpan]] = {name: [] for name in question.not_relevant}
    for need in question.needs:
        for number, together in enumerate(need.alternatives, 1):
            alternative = str(number) if len(together) > 1 else None
            for document, start, end in together:
                spans = by_document.setdefault(document, [])
                spans.append(NeededSpan(need.id, start, end, need.grade, alternative))
    for document, needs in by_document.items():
        yield Judgment(question.id, document, needs=tuple(needs))


def _record(question: Question) -> dict[str, Any]:
    needs = [
        {
            "id": need.id,
            "grade": need.grade,
            "spans": [
                places[0] if len(places) == 1 else places
                for spans in need.alternatives
                for places in [[{"doc": doc, "start": s, "end": e} for doc, s, e in spans]]
            ],
        }
        for need in question.needs
    ]
    more: dict[str, Any] = {"tags": list(question.tags)} if question.tags else {}
    if question.not_relevant:
        more["not_relevant"] = list(question.not_relevant)
    if question.answers:
        more["answers"] = list(question.answers)
    if not question.answerable:
        more["answerable"] = False
    return {"id": question.id, "question": question.text, "needs": needs, **more}
