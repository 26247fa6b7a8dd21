"""Natural Questions: the answer as bytes of a page of HTML, or as tokens of its text.

    {"example_id", "question_text", "document_html", "annotations": [{"long_answer": {"start_byte",
        "end_byte", "start_token", "end_token"}, "short_answers": [the same]}]}
    the same with "document_text", whose tokens are separated by single spaces

The document is the HTML or the text itself. The long answers of all annotators are alternatives;
where nobody marked one, the short answers are. -1 is no answer.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from typing import Any

from doxeval.chunks.document_set import Documents
from doxeval.chunks.formats import GoldFormat, first_record
from doxeval.chunks.formats.fields import needed_text, number, text
from doxeval.chunks.formats.qasper import rows_of
from doxeval.chunks.loading import Loaded
from doxeval.chunks.stated import Stated, StatedNeed, StatedQuestion


def _fits(value: Any) -> bool:
    first = first_record(value)
    return "annotations" in first and bool({"document_html", "document_text"} & first.keys())


def _name(record: Mapping[str, Any], row: int) -> str:
    return text(record, "document_url", "document_title", "example_id") or str(row + 1)


def _documents(loaded: Loaded) -> Iterator[tuple[str, str]]:
    """The pages, each once: several questions may be about one."""
    seen: dict[str, str] = {}
    for row, record in enumerate(loaded.records()):
        name, page = _name(record, row), _page(loaded, row, record)
        if seen.setdefault(name, page) != page:
            raise loaded.wrong(f"another text of the page {name[:80]!r}", row)
    return iter(seen.items())


def _page(loaded: Loaded, row: int, record: Mapping[str, Any]) -> str:
    return needed_text(loaded, row, record, "document_html", "document_text")


def _stated(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    for row, record in enumerate(loaded.records()):
        page = _page(loaded, row, record)
        is_html = isinstance(record.get("document_html"), str)
        unit, position = ("byte", _of_bytes(page)) if is_html else ("token", _of_tokens(page))
        name = _name(record, row)
        pieces = []
        for answer in _answers(record):
            start, end = (
                number(loaded, row, answer, f"{side}_{unit}") for side in ("start", "end")
            )
            if start is None or end is None or start < 0 or end <= start:
                continue
            begin, after = position(start), position(end)
            after -= 0 if is_html else 1  # the space before the next token
            pieces.append(Stated(name, page[begin:after], begin, after, at_place=True))
        needs = (StatedNeed(tuple(dict.fromkeys(pieces))),) if pieces else ()
        question = needed_text(loaded, row, record, "question_text")
        own = text(record, "example_id") or str(row + 1)
        judged = () if needs else (name,)
        yield StatedQuestion(own, question, needs, not_relevant=judged)


def _answers(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    annotations = rows_of(record.get("annotations"))
    long = [one.get("long_answer") for one in annotations]
    given = [one for one in long if isinstance(one, Mapping) and _is_answer(one)]
    return given or [short for one in annotations for short in rows_of(one.get("short_answers"))]


def _is_answer(answer: Mapping[str, Any]) -> bool:
    start = answer.get("start_byte", answer.get("start_token"))
    return isinstance(start, int) and start >= 0


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
