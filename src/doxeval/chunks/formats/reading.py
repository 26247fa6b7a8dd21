"""Question sets for reading comprehension, whose files hold the documents, too.

SQuAD 1 and 2: answers as parts of paragraphs, by title.

    {"data": [{"title", "paragraphs": [{"context", "qas": [{"id", "question", "is_impossible",
        "answers": [{"text", "answer_start"}]}]}]}]}
    {"id", "title", "context", "question", "answers": {"text": […], "answer_start": […]}}   one each

The paragraphs of a title, separated by blank lines, are a document. The answers of several people
to a question are alternatives, at their places: so short a text occurs elsewhere by chance. What is
impossible to answer, or has an empty list of answers, is a question without an answer.

QASPER: questions about papers, with the paragraphs that are evidence for the answers.

    {paper: {"title", "abstract", "full_text": [{"section_name", "paragraphs": [texts]}],
             "qas": [{"question_id", "question", "answers": [{"answer": {"evidence": [texts]}}]}]}}

Data frames and data sets have lists by field instead ("full_text": {"section_name": […],
"paragraphs": [[…]]}). The evidence of all annotators together is needed, each paragraph once. What
begins with "FLOAT SELECTED" is the caption of a figure or table, which the text does not contain:
it is reported. What all annotators call "unanswerable" is a question without an answer.

HotpotQA, 2WikiMultihopQA and MuSiQue: questions that need sentences or paragraphs of several
articles.

    {"_id", "question", "context": [[title, [sentences]]], "supporting_facts": [[title, number]]}
    {"id", "question", "paragraphs": [{"title", "paragraph_text", "is_supporting"}]}

A supporting fact or paragraph is a need. The paragraphs of a title, from all questions, are a
document. Some facts name a sentence that there is not: they are reported.

Natural Questions: the answer as bytes of a page of HTML, or as tokens of its text.

    {"example_id", "question_text", "document_html", "annotations": [{"long_answer": {"start_byte",
        "end_byte", "start_token", "end_token"}, "short_answers": [the same]}]}
    the same with "document_text", whose tokens are separated by single spaces
    {"id", "question": {"text"}, "document": {"html", "url", "title", "tokens": {"token": […]}},
        "annotations": {"long_answer": […], "short_answers": [{"start_byte": […], …}]}}   nested

The document is the HTML or the text itself. A question needs the long answer and the short one, as
far as annotators marked them; those of several annotators are alternatives. -1 is no answer.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

from doxeval.chunks.documents import Documents
from doxeval.chunks.formats import (
    QuestionFormat,
    RawEvidence,
    RawNeed,
    RawQuestion,
    first_record,
    single_needs,
)
from doxeval.chunks.formats.fields import (
    listed_records,
    needed_text,
    pairs,
    text,
    texts,
    whole_number,
)
from doxeval.chunks.records import Loaded
from doxeval.messages import quoted


def paragraphs_by_title(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the different paragraphs of each title as one document, with blank lines between them.

    >>> pairs = [("Tea", "Hot."), ("Oak", "Old."), ("Tea", "Hot."), ("Tea", "Wet.")]
    >>> list(paragraphs_by_title(pairs))
    [('Tea', 'Hot.\\n\\nWet.'), ('Oak', 'Old.')]
    """
    found: dict[str, dict[str, None]] = {}
    for title, paragraph in pairs:
        found.setdefault(title, {})[paragraph] = None
    for title, paragraphs in found.items():
        yield title, "\n\n".join(paragraphs)


class _SquadQuestion(NamedTuple):
    title: str | None
    context: str
    record: Mapping[str, Any]
    row: int


def _is_squad(value: Any) -> bool:
    if isinstance(value, dict):
        return "paragraphs" in first_record(value.get("data"))
    return {"context", "question", "answers"} <= first_record(value).keys() and isinstance(
        value[0]["context"], str
    )


def _squad_records(loaded: Loaded) -> Iterator[_SquadQuestion]:
    if not isinstance(loaded.value, dict):
        for row, record in enumerate(loaded.records()):
            context = needed_text(loaded, row, record, "context")
            yield _SquadQuestion(text(record, "title"), context, record, row)
        return
    for row, article in enumerate(loaded._replace(value=loaded.value["data"]).records()):
        for paragraph in listed_records(loaded, row, article, "paragraphs"):
            context = needed_text(loaded, row, paragraph, "context")
            for record in listed_records(loaded, row, paragraph, "qas"):
                yield _SquadQuestion(text(article, "title"), context, record, row)


def _squad_questions(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    for asked in _squad_records(loaded):
        record, row = asked.record, asked.row
        document = docs.find(asked.title)
        evidence = tuple(
            RawEvidence(document, quote, start, None, asked.context, at_place=True)
            for quote, start in dict.fromkeys(_squad_answers(loaded, row, record))
        )
        question = needed_text(loaded, row, record, "question")
        own = needed_text(loaded, row, record, "id")
        needs = (RawNeed(evidence),) if evidence else ()
        judged = (document,) if document is not None and not evidence else ()
        # Data sets of Hugging Face leave is_impossible out: there, no answers say it.
        is_answerable = bool(evidence) or record.get("is_impossible") is False
        yield RawQuestion(own, question, needs, not_relevant=judged, answerable=is_answerable)


def _squad_answers(
    loaded: Loaded, row: int, record: Mapping[str, Any]
) -> Iterator[tuple[str, int | None]]:
    answers = record.get("answers") or []
    if isinstance(answers, Mapping):
        columns = pairs(loaded, row, answers, "text", "answer_start")
        answers = [{"text": quote, "answer_start": start} for quote, start in columns]
    for answer in listed_records(loaded, row, {"answers": answers}, "answers"):
        quote = needed_text(loaded, row, answer, "text")
        yield quote, whole_number(loaded, row, answer, "answer_start")


def _squad_documents(loaded: Loaded) -> Iterator[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    if isinstance(loaded.value, dict):
        for row, article in enumerate(loaded._replace(value=loaded.value["data"]).records()):
            title = text(article, "title") or str(row + 1)
            for paragraph in listed_records(loaded, row, article, "paragraphs"):
                pairs.append((title, needed_text(loaded, row, paragraph, "context")))
    else:
        pairs = [
            (question.title or str(question.row + 1), question.context)
            for question in _squad_records(loaded)
        ]
    return paragraphs_by_title(pairs)


SQUAD = QuestionFormat(
    "SQuAD", "context, question and answers", _is_squad, _squad_questions, _squad_documents
)


_CAPTION = "FLOAT SELECTED"


def _is_qasper(value: Any) -> bool:
    if isinstance(value, dict):
        first = next(iter(value.values()), None)
        return isinstance(first, dict) and {"full_text", "qas"} <= first.keys()
    return {"full_text", "qas"} <= first_record(value).keys()


def _papers(loaded: Loaded) -> Iterator[tuple[str, Mapping[str, Any], int]]:
    if isinstance(loaded.value, dict):
        for row, (name, paper) in enumerate(loaded.value.items()):
            if not isinstance(paper, Mapping):
                raise loaded.wrong(
                    f"paper {name[:80]!r}: expected an object with full_text and qas"
                )
            yield name, paper, row
    else:
        for row, paper in enumerate(loaded.records()):
            yield text(paper, "id", "paper_id") or str(row + 1), paper, row


def rows_of(value: Any) -> list[Mapping[str, Any]]:
    """Return a list of objects, which may be written as an object of lists.

    >>> rows_of({"a": [1, 2], "b": [3, 4]})
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 4}]
    """
    if isinstance(value, Mapping):
        columns = {name: column for name, column in value.items() if isinstance(column, list)}
        count = min(map(len, columns.values()), default=0)
        return [{name: column[row] for name, column in columns.items()} for row in range(count)]
    return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []


def _qasper_documents(loaded: Loaded) -> Iterator[tuple[str, str]]:
    for name, paper, _ in _papers(loaded):
        parts = [text(paper, "title"), text(paper, "abstract")]
        for section in rows_of(paper.get("full_text")):
            parts += [text(section, "section_name"), *texts(section, "paragraphs")]
        yield name, "\n\n".join(part for part in parts if part)


def _qasper_questions(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    for name, paper, row in _papers(loaded):
        for number, asked in enumerate(rows_of(paper.get("qas")), 1):
            question = text(asked, "question")
            if question is None:
                raise loaded.wrong("a question without its text", row)
            given = list(_qasper_answers(asked.get("answers")))
            evidence = dict.fromkeys(
                quote for answer in given for quote in texts(answer, "evidence")
            )
            quotes = [
                quote for quote in evidence if quote.strip() and not quote.startswith(_CAPTION)
            ]
            captions = tuple(quote for quote in evidence if quote.startswith(_CAPTION))
            own = text(asked, "question_id") or f"{name}-{number}"
            needs = single_needs([RawEvidence(name, quote) for quote in quotes])
            is_answerable = not given or not all(answer.get("unanswerable") for answer in given)
            yield RawQuestion(
                own,
                question,
                needs if is_answerable else (),
                unusable=captions,
                answerable=is_answerable,
            )


def _qasper_answers(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield what each annotator said, however deeply it is nested."""
    for record in rows_of(value):
        inner = record.get("answer")
        if isinstance(inner, Mapping):
            yield inner
        elif isinstance(inner, list):
            yield from (answer for answer in inner if isinstance(answer, Mapping))


QASPER = QuestionFormat(
    "QASPER", "full_text and qas", _is_qasper, _qasper_questions, _qasper_documents
)


class _Paragraph(NamedTuple):
    """A paragraph of a title, and where each of its sentences begins and ends."""

    title: str
    text: str
    sentences: tuple[tuple[int, int], ...]


def _is_hotpot(value: Any) -> bool:
    return {"question", "context", "supporting_facts"} <= first_record(value).keys()


def _paragraphs(loaded: Loaded, row: int, record: Mapping[str, Any]) -> list[_Paragraph]:
    found = []
    for title, sentences in pairs(loaded, row, record.get("context"), "title", "sentences"):
        if not isinstance(title, str) or not isinstance(sentences, list | tuple):
            raise loaded.wrong(f"{quoted(title)}: expected a title and its sentences", row)
        found.append(_joined(title, [str(sentence) for sentence in sentences]))
    return found


def _joined(title: str, sentences: list[str]) -> _Paragraph:
    """Sentences as one text, with a space between those that have none."""
    together, ranges = "", []
    for sentence in sentences:
        if together and not together[-1].isspace() and not sentence[:1].isspace():
            together += " "
        ranges.append((len(together), len(together) + len(sentence)))
        together += sentence
    return _Paragraph(title, together, tuple(ranges))


def _hotpot_questions(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    for row, record in enumerate(loaded.records()):
        paragraphs = _paragraphs(loaded, row, record)
        needs, unusable = [], []
        for title, number in dict.fromkeys(_facts(loaded, row, record)):
            evidence = tuple(
                _sentence(paragraph, number)
                for paragraph in paragraphs
                if paragraph.title == title and 0 <= number < len(paragraph.sentences)
            )
            if evidence:
                needs.append(RawNeed(evidence))
            else:
                unusable.append(f"{title}, sentence {number}")
        question = needed_text(loaded, row, record, "question")
        own = text(record, "_id", "id") or str(row + 1)
        tags = texts(record, "type")
        yield RawQuestion(own, question, tuple(needs), tags, unusable=tuple(unusable))


def _sentence(paragraph: _Paragraph, number: int) -> RawEvidence:
    start, end = paragraph.sentences[number]
    sentence = paragraph.text[start:end]
    start += len(sentence) - len(sentence.lstrip())
    quote = sentence.strip()
    return RawEvidence(paragraph.title, quote, start, start + len(quote), paragraph.text)


def _facts(loaded: Loaded, row: int, record: Mapping[str, Any]) -> list[tuple[str, int]]:
    facts = pairs(loaded, row, record.get("supporting_facts"), "title", "sent_id")
    for title, number in facts:
        if not isinstance(title, str) or type(number) is not int:
            shown = quoted([title, number])
            raise loaded.wrong(f"{shown}: expected a title and the number of a sentence", row)
    return facts


def _hotpot_documents(loaded: Loaded) -> Iterator[tuple[str, str]]:
    return paragraphs_by_title(
        (paragraph.title, paragraph.text)
        for row, record in enumerate(loaded.records())
        for paragraph in _paragraphs(loaded, row, record)
    )


# MuSiQue


def _fits_musique(value: Any) -> bool:
    first = first_record(value)
    return {"question", "paragraphs"} <= first.keys() and (
        "paragraph_text" in first_record(first["paragraphs"])
    )


def _whole_paragraphs(loaded: Loaded) -> Iterator[tuple[str, str, bool, int]]:
    for row, record in enumerate(loaded.records()):
        for part in listed_records(loaded, row, record, "paragraphs"):
            title = needed_text(loaded, row, part, "title")
            paragraph = needed_text(loaded, row, part, "paragraph_text")
            yield title, paragraph, bool(part.get("is_supporting")), row


def _stated_musique(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    evidence: dict[int, list[RawEvidence]] = {}
    for title, paragraph, is_supporting, row in _whole_paragraphs(loaded):
        if is_supporting:
            evidence.setdefault(row, []).append(RawEvidence(title, paragraph))
    for row, record in enumerate(loaded.records()):
        question = needed_text(loaded, row, record, "question")
        own = text(record, "id") or str(row + 1)
        yield RawQuestion(own, question, single_needs(evidence.get(row, [])))


def _documents_musique(loaded: Loaded) -> Iterator[tuple[str, str]]:
    return paragraphs_by_title(part[:2] for part in _whole_paragraphs(loaded))


HOTPOT = QuestionFormat(
    "HotpotQA",
    "question, context and supporting_facts",
    _is_hotpot,
    _hotpot_questions,
    _hotpot_documents,
)
MUSIQUE = QuestionFormat(
    "MuSiQue", "question and paragraphs", _fits_musique, _stated_musique, _documents_musique
)


def _is_natural_questions(value: Any) -> bool:
    first = first_record(value)
    has_page = {"document_html", "document_text"} & first.keys()
    return "annotations" in first and bool(has_page or _is_nested(first))


def _is_nested(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("document"), Mapping)


class _QuestionPage(NamedTuple):
    """The page of a question. unit: what its offsets count, "byte" or "token"."""

    name: str
    text: str
    unit: str

    @property
    def size(self) -> int:
        """How many bytes or tokens it has."""
        return len(_encoded(self.text)) if self.unit == "byte" else self.text.count(" ") + 1


def _page(loaded: Loaded, row: int, record: Mapping[str, Any]) -> _QuestionPage:
    page: Any = record.get("document") if _is_nested(record) else None
    if page is None:
        html, plain = text(record, "document_html"), text(record, "document_text")
        name = text(record, "document_url", "document_title", "example_id")
    else:
        html, name = text(page, "html"), text(page, "url", "title") or text(record, "id")
        plain = _joined_tokens(page.get("tokens"))
    if html is None and plain is None:
        expected = "document_html or document_text" if page is None else "html or tokens"
        raise loaded.wrong(f"no {expected} in the record", row)
    unit = "token" if html is None else "byte"
    return _QuestionPage(name or str(row + 1), html if html is not None else str(plain), unit)


def _joined_tokens(tokens: Any) -> str | None:
    """Return the text that tokens stand for, which are a list of each field, or objects."""
    if isinstance(tokens, Mapping):
        found = texts(tokens, "token")
    else:
        found = tuple(str(token.get("token", "")) for token in rows_of(tokens))
    return " ".join(found) or None


def _natural_questions_documents(loaded: Loaded) -> Iterator[tuple[str, str]]:
    """Return the pages, each once: several questions may be about one."""
    seen: dict[str, str] = {}
    for row, record in enumerate(loaded.records()):
        page = _page(loaded, row, record)
        if seen.setdefault(page.name, page.text) != page.text:
            raise loaded.wrong(f"another text of the page {page.name[:80]!r}", row)
    return iter(seen.items())


def _natural_questions_questions(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    for row, record in enumerate(loaded.records()):
        page = _page(loaded, row, record)
        annotations = rows_of(record.get("annotations"))
        long = [annotation.get("long_answer") for annotation in annotations]
        short = [
            answer
            for annotation in annotations
            for answer in rows_of(annotation.get("short_answers"))
        ]
        position = _of_bytes(page.text) if page.unit == "byte" else _of_tokens(page.text)
        needs = []
        for name, answers in (("long", long), ("short", short)):
            ranges = _ranges(loaded, row, page, answers)
            evidence = tuple(
                _evidence(page, position, *annotation) for annotation in dict.fromkeys(ranges)
            )
            needs += [RawNeed(evidence, id=name)] if evidence else []
        own = text(record, "example_id", "id") or str(row + 1)
        question = _question(loaded, row, record)
        judged = () if needs else (page.name,)
        yield RawQuestion(own, question, tuple(needs), not_relevant=judged)


def _question(loaded: Loaded, row: int, record: Mapping[str, Any]) -> str:
    if not _is_nested(record):
        return needed_text(loaded, row, record, "question_text")
    question = record.get("question")
    if not isinstance(question, Mapping):
        raise loaded.wrong(f'question is {quoted(question)}: expected {{"text"}}', row)
    return needed_text(loaded, row, question, "text")


def _ranges(
    loaded: Loaded, row: int, page: _QuestionPage, answers: list[Any]
) -> Iterator[tuple[int, int]]:
    """Yield where answers begin and end, in the unit of the page, without those that are none."""
    for answer in answers:
        if not isinstance(answer, Mapping):
            continue
        start, end = (
            whole_number(loaded, row, answer, f"{side}_{page.unit}") for side in ("start", "end")
        )
        if start is not None and end is not None and 0 <= start < end:
            yield start, end


def _evidence(
    page: _QuestionPage, position: Callable[[int], int], start: int, end: int
) -> RawEvidence:
    if end > page.size:  # reported as a range that is not in the document
        return RawEvidence(page.name, None, start, max(end, len(page.text) + 2))
    begin, after = position(start), position(end)
    after -= page.unit == "token"  # the space before the next token
    return RawEvidence(page.name, page.text[begin:after], begin, after, at_place=True)


def _of_bytes(page: str) -> Callable[[int], int]:
    """From offsets in the page's UTF-8 to characters; the page is gone through once."""
    if page.isascii():
        return lambda offset: offset
    lines = page.splitlines(keepends=True)
    ends = list(accumulate((len(_encoded(line)) for line in lines), initial=0))
    characters = list(accumulate(map(len, lines), initial=0))

    def position(offset: int) -> int:
        line = min(bisect_right(ends, offset) - 1, len(lines))
        if line >= len(lines):
            return characters[-1]
        rest = _encoded(lines[line])[: offset - ends[line]]
        return characters[line] + len(rest.decode("utf-8", "ignore"))

    return position


def _encoded(line: str) -> bytes:
    return line.encode("utf-8", "surrogatepass")


def _of_tokens(page: str) -> Callable[[int], int]:
    """From numbers of tokens to the characters where they begin."""
    starts = list(accumulate((len(token) + 1 for token in page.split(" ")), initial=0))
    return lambda token: starts[min(token, len(starts) - 1)]


NATURAL_QUESTIONS = QuestionFormat(
    "Natural Questions",
    "document_html and annotations",
    _is_natural_questions,
    _natural_questions_questions,
    _natural_questions_documents,
)
