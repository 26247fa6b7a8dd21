"""Natural Questions: the answer as bytes of a page of HTML, or as tokens of its text.

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
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

from doxeval.chunks.document_set import Documents
from doxeval.chunks.formats import GoldFormat, first_record
from doxeval.chunks.formats.fields import needed_text, number, text, texts
from doxeval.chunks.formats.qasper import rows_of
from doxeval.chunks.loading import Loaded
from doxeval.chunks.stated import Stated, StatedNeed, StatedQuestion
from doxeval.messages import quoted


def _fits(value: Any) -> bool:
    first = first_record(value)
    has_page = {"document_html", "document_text"} & first.keys()
    return "annotations" in first and bool(has_page or _is_nested(first))


def _is_nested(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("document"), Mapping)


class _Page(NamedTuple):
    """The page of a question. unit: what its offsets count, "byte" or "token"."""

    name: str
    text: str
    unit: str

    @property
    def size(self) -> int:
        """How many bytes or tokens it has."""
        return len(_encoded(self.text)) if self.unit == "byte" else self.text.count(" ") + 1


def _page(loaded: Loaded, row: int, record: Mapping[str, Any]) -> _Page:
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
    return _Page(name or str(row + 1), html if html is not None else str(plain), unit)


def _joined_tokens(tokens: Any) -> str | None:
    """The text that tokens stand for, which are a list of each field, or objects."""
    if isinstance(tokens, Mapping):
        found = texts(tokens, "token")
    else:
        found = tuple(str(one.get("token", "")) for one in rows_of(tokens))
    return " ".join(found) or None


def _documents(loaded: Loaded) -> Iterator[tuple[str, str]]:
    """The pages, each once: several questions may be about one."""
    seen: dict[str, str] = {}
    for row, record in enumerate(loaded.records()):
        page = _page(loaded, row, record)
        if seen.setdefault(page.name, page.text) != page.text:
            raise loaded.wrong(f"another text of the page {page.name[:80]!r}", row)
    return iter(seen.items())


def _stated(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    for row, record in enumerate(loaded.records()):
        page = _page(loaded, row, record)
        annotations = rows_of(record.get("annotations"))
        long = [one.get("long_answer") for one in annotations]
        short = [answer for one in annotations for answer in rows_of(one.get("short_answers"))]
        position = _of_bytes(page.text) if page.unit == "byte" else _of_tokens(page.text)
        needs = []
        for name, answers in (("long", long), ("short", short)):
            ranges = _ranges(loaded, row, page, answers)
            pieces = tuple(_piece(page, position, *one) for one in dict.fromkeys(ranges))
            needs += [StatedNeed(pieces, id=name)] if pieces else []
        own = text(record, "example_id", "id") or str(row + 1)
        question = _question(loaded, row, record)
        judged = () if needs else (page.name,)
        yield StatedQuestion(own, question, tuple(needs), not_relevant=judged)


def _question(loaded: Loaded, row: int, record: Mapping[str, Any]) -> str:
    if not _is_nested(record):
        return needed_text(loaded, row, record, "question_text")
    question = record.get("question")
    if not isinstance(question, Mapping):
        raise loaded.wrong(f'question is {quoted(question)}: expected {{"text"}}', row)
    return needed_text(loaded, row, question, "text")


def _ranges(loaded: Loaded, row: int, page: _Page, answers: list[Any]) -> Iterator[tuple[int, int]]:
    """Where answers begin and end, in the unit of the page; those that are none are left out."""
    for answer in answers:
        if not isinstance(answer, Mapping):
            continue
        start, end = (
            number(loaded, row, answer, f"{side}_{page.unit}") for side in ("start", "end")
        )
        if start is not None and end is not None and 0 <= start < end:
            yield start, end


def _piece(page: _Page, position: Callable[[int], int], start: int, end: int) -> Stated:
    if end > page.size:  # reported as a range that is not in the document
        return Stated(page.name, None, start, max(end, len(page.text) + 2))
    begin, after = position(start), position(end)
    after -= page.unit == "token"  # the space before the next token
    return Stated(page.name, page.text[begin:after], begin, after, at_place=True)


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


FORMATS = (
    GoldFormat("Natural Questions", "document_html and annotations", _fits, _stated, _documents),
)
