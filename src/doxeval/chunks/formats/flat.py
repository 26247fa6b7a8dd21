"""Tables of questions: one quote in each row, as people keep them in spreadsheets and data sets.

    question,quote,document,tag
    How long may I keep it?,Thirty days,terms,returns
    "Who pays, and when?","You pay […] within a week",terms,money

Names of columns are taken in any case, with spaces, hyphens or underscores:

    question    or query, prompt                    the only one that must be there
    quote       or quotes, evidence, excerpt, passage, snippet, reference, context, gold, and these
                after reference, gold, golden, ground truth or supporting; several with numbers
                (`quote 1`, `quote 2`), or a list in a cell, are a need each
    document    or doc, doc id, document id, source, file, file name, file path, corpus id;
                `document 2` is that of `quote 2`
    page, start, end     where in the document, as in doxeval's own format
    id          or question id, query id, qid
    need, grade          quotes of one need are alternatives; what it weighs
    answer, answers      strings for `ans@k`
    answerable           true or false, yes or no, 1 or 0
    tag, tags, tag…      several in a cell are separated by commas or semicolons

Rows with the same id, or without ids the same question, are one question, and a row that leaves
the question empty belongs to the one above. All other columns are left out, with one warning that
lists them. CSV may be what spreadsheets write: with a byte order mark, line ends in quotes,
semicolons or tabs in place of commas, and empty columns and rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from doxeval.chunks.documents import Documents
from doxeval.chunks.formats import (
    QuestionFormat,
    RawEvidence,
    RawNeed,
    RawQuestion,
    first_record,
)
from doxeval.chunks.formats.fields import texts_in_cell, whole_number
from doxeval.chunks.records import Loaded
from doxeval.messages import join_names, quoted

_QUOTES = ("quote", "quotes", "evidence", "evidences", "excerpt", "passage", "snippet")
_CONTEXTS = ("reference", "context", "contexts", "text", "passage", "quote", "evidence")
_KNOWN = {
    "question": ("question", "query", "prompt"),
    "quote": (
        *_QUOTES,
        "reference",
        "references",
        "context",
        "gold",
        *(
            f"{before}_{name}"
            for before in ("reference", "gold", "golden", "ground_truth", "supporting")
            for name in _CONTEXTS
        ),
    ),
    "document": (
        *("document", "doc", "doc_id", "document_id", "docid", "corpus_id"),
        *("source", "file", "filename", "file_name", "file_path"),
    ),
    "id": ("id", "_id", "question_id", "query_id", "qid"),
    **{name: (name,) for name in ("page", "start", "end", "need", "grade", "answerable")},
    "answers": ("answers", "answer"),
}
_MEANING = {name: meaning for meaning, names in _KNOWN.items() for name in names}
_NUMBERED = re.compile(r"(.*?)_?(\d{1,3})")
# pandas writes the whole numbers of a column with empty cells as 7.0.
_WHOLE = re.compile(r"\s*(\d{1,15})(?:\.0+)?\s*")
_ANSWERABLE = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _meanings(record: Mapping[str, Any]) -> dict[str, tuple[str, int]]:
    """Return what each column means, with its number; columns that mean nothing are left out.

    >>> _meanings({"Question": "", "Quote 2": "", "tag_type": "", "author": ""})
    {'Question': ('question', 0), 'Quote 2': ('quote', 2), 'tag_type': ('tag', 0)}
    """
    meanings = {}
    for column in record:
        name = re.sub(r"[\s_-]+", "_", str(column).strip().casefold())
        numbered = _NUMBERED.fullmatch(name)
        if name in _MEANING:
            meanings[column] = _MEANING[name], 0
        elif name.startswith("tag"):
            meanings[column] = "tag", 0
        elif numbered and _MEANING.get(numbered[1]) in ("quote", "document", "answers"):
            meanings[column] = _MEANING[numbered[1]], int(numbered[2])
    return meanings


def _is_flat(value: Any) -> bool:
    given = {meaning for meaning, _ in _meanings(first_record(value)).values()}
    return "question" in given and bool({"quote", "page", "start", "answers", "answerable"} & given)


def _ignored(loaded: Loaded) -> Iterator[str]:
    """Yield a warning that lists the columns that are left out, if there are any."""
    columns = dict.fromkeys(name for record in loaded.records() for name in record)
    meanings = _meanings(columns)
    unknown = [str(name) or "one without a name" for name in columns if name not in meanings]
    if unknown:
        yield f"columns that are neither known nor tags, and left out: {join_names(unknown, 20)}"


class _TableRow:
    """A row of a table, by what its columns mean."""

    def __init__(self, loaded: Loaded, row: int, record: Mapping[str, Any]) -> None:
        self._loaded, self._row = loaded, row
        self._cells: dict[tuple[str, int], list[Any]] = {}
        for column, meaning in _meanings(record).items():
            value = record[column]
            if value is not None and value != "":
                self._cells.setdefault(meaning, []).append(value)

    def texts(self, meaning: str, number: int = 0) -> list[str]:
        """Return the texts of the cells with a meaning, each cell perhaps a list."""
        cells = self._cells.get((meaning, number), [])
        for cell in cells:
            parts = cell if isinstance(cell, list) else [cell]
            if not all(isinstance(part, str | int | float | None) for part in parts):
                expected = "expected a text or a list of texts"
                raise self._loaded.wrong(f"{meaning} is {quoted(cell)}: {expected}", self._row)
        listed = [text for cell in cells for text in texts_in_cell({"cell": cell}, "cell")]
        others = [str(cell) for cell in cells if isinstance(cell, int | float)]
        return [text for text in (*listed, *others) if text.strip()]

    def text(self, meaning: str) -> str | None:
        """Return the first of these texts."""
        return next(iter(self.texts(meaning)), None)

    def number(self, meaning: str) -> int | None:
        """Return a whole number, which CSV writes as text."""
        value = next(iter(self._cells.get((meaning, 0), [])), None)
        if isinstance(value, str) and (digits := _WHOLE.fullmatch(value)):
            value = int(digits[1])
        return whole_number(self._loaded, self._row, {meaning: value}, meaning)

    @property
    def tags(self) -> list[str]:
        """The tags of all columns of tags."""
        named = (tag for text in self.texts("tag") for tag in re.split("[,;]", text))
        return [tag.strip() for tag in named if tag.strip()]

    @property
    def answerable(self) -> bool | None:
        """Whether the row says that there is an answer; None if it says nothing."""
        given = next(iter(self._cells.get(("answerable", 0), [])), None)
        if given is None or isinstance(given, bool):
            return given
        answerable = _ANSWERABLE.get(str(given).strip().casefold().removesuffix(".0"))
        if answerable is None:
            raise self._loaded.wrong(
                f"answerable is {quoted(given)}: expected true or false", self._row
            )
        return answerable

    @property
    def grade(self) -> float:
        """What the needs of the row weigh."""
        given = self.text("grade") or "1"
        try:
            grade = float(given.replace(",", "."))
        except ValueError:
            grade = 0.0
        if not 0 < grade < 1 << 31:
            raise self._loaded.wrong(f"the grade {quoted(given)}: expected more than 0", self._row)
        return int(grade) if grade.is_integer() else grade

    def evidence(self) -> Iterator[RawEvidence]:
        """Yield what the row points to: its quotes, or a page or range of its document."""
        document = self.text("document")
        page, start, end = map(self.number, ("page", "start", "end"))
        numbers = sorted(number for meaning, number in self._cells if meaning == "quote")
        if page is not None and (page < 1 or document is None or start is not None):
            raise self._loaded.wrong("a page from 1 on goes with a document", self._row)
        quotes = [(number, quote) for number in numbers for quote in self.texts("quote", number)]
        if len(quotes) > 1 and start is not None:
            raise self._loaded.wrong("several quotes with one start", self._row)
        for number, quote in quotes:
            own = next(iter(self.texts("document", number)), document)
            yield RawEvidence(own, quote, start, end, page=page)
        if not quotes and (page, start, end) != (None, None, None):
            if document is None or (start is None) != (end is None):
                message = "a range goes with a document, a start and an end"
                raise self._loaded.wrong(message, self._row)
            yield RawEvidence(document, None, start, end, page=page)


def _flat_questions(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    by_key: dict[str, RawQuestion] = {}
    key = None
    for at, record in enumerate(loaded.records()):
        row = _TableRow(loaded, at, record)
        question, own = row.text("question"), row.text("id")
        if question is not None or own is not None:
            key = own or question or ""
        if key is None:
            raise loaded.wrong("the first question is empty", at)
        known = by_key.setdefault(key, RawQuestion(own or str(len(by_key) + 1), question or ""))
        if question is not None and known.text not in ("", question):
            raise loaded.wrong(f"another question with the id {quoted(key)}", at)
        by_key[key] = _extended(loaded, at, known._replace(text=known.text or question or ""), row)
    yield from by_key.values()


def _extended(loaded: Loaded, at: int, question: RawQuestion, row: _TableRow) -> RawQuestion:
    """Return a question with what a further row says about it."""
    needs = list(question.needs)
    name, grade = row.text("need"), row.grade
    same = next((at for at, need in enumerate(needs) if name and need.id == name), None)
    evidence = list(dict.fromkeys(row.evidence()))
    if same is not None:
        if needs[same].grade != grade:
            raise loaded.wrong(f"need {quoted(name)} has two grades", at)
        needs[same] = needs[same]._replace(evidence=(*needs[same].evidence, *evidence))
    elif name and evidence:
        needs.append(RawNeed(tuple(evidence), grade, name))
    else:
        needs += [RawNeed((text,), grade) for text in evidence]
    answerable = question.answerable if row.answerable is None else row.answerable
    answers = (*question.answers, *(text for n in range(100) for text in row.texts("answers", n)))
    if not answerable and (needs or answers):
        raise loaded.wrong("a question that is not answerable: expected no quotes or answers", at)
    return question._replace(
        needs=tuple(dict.fromkeys(needs)),
        tags=tuple(dict.fromkeys((*question.tags, *row.tags))),
        answers=tuple(dict.fromkeys(answers)),
        answerable=answerable,
    )


FLAT = QuestionFormat("a table", "question and quote", _is_flat, _flat_questions, warnings=_ignored)
