"""PDF: the text of its pages, as pypdf extracts it (needs the extra `pdf`).

    /document[1]            all pages, each but the last followed by a line end
    /document[1]/page[3]    the third page

Typeset ligatures (such as one character for "ffi") become the letters that they stand for, and
what a font gives no character for becomes U+FFFD. Files without any text (scans), files that need a
password, and files that take too long (30 seconds of a processor, and 10 more for each megabyte)
cannot be read.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from time import thread_time
from typing import TYPE_CHECKING

from doxeval.documents.build.options import Limits, check_limit
from doxeval.documents.readers.plain import ROOT_TAG
from doxeval.documents.readers.tag_events import TagEvents, TagEventsBuilder
from doxeval.errors import DocumentError
from doxeval.messages import plural, truncate

if TYPE_CHECKING:
    from pypdf import PdfReader

PAGE_TAG = "page"
NEEDS_EXTRA = "PDF needs the extra pdf: pip install 'doxeval[pdf]'"
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "ſt", "ﬆ": "st"}
)
_NO_CHARACTER = re.compile("[\x00\ud800-\udfff]")
# A hostile file can be small and draw the same for days: what a file may take, and what more for
# each megabyte of it. An ordinary page takes some hundredths of a second.
LONGEST = 30.0
_LONGEST_OF_A_MEGABYTE = 10.0
# pypdf keeps every object that it has decoded; after so many seconds they are let go.
_KEPT_FOR = 1.0


@cache
def can_read_pdf() -> bool:
    """Return whether the library that reads PDF is installed; it is not imported."""
    return find_spec("pypdf") is not None


def read_pdf(data: bytes, limits: Limits, origin: str) -> TagEvents:
    """Return the tag events of a PDF.

    >>> from doxeval.documents.examples import example_pdf
    >>> events = read_pdf(example_pdf(["Low tide.", "High tide."]), Limits(), "tides.pdf")
    >>> events.texts, [name for name in events.names if name], events.positions.tolist()
    ([b'Low tide.\\nHigh tide.'], ['document', 'page', 'page'], [0, 0, 9, 10, 20, 20])
    """
    builder, at = TagEventsBuilder(), 0
    texts: list[str] = []
    builder.open(ROOT_TAG, 0)
    for text in _page_texts(data, limits, origin):
        at += len(texts[-1]) + 1 if texts else 0
        builder.open(PAGE_TAG, at)
        builder.close(at + len(text))
        texts.append(text)
        check_limit("bytes", at + len(text), limits, origin)
    if not any(map(str.strip, texts)):
        where = "its page" if len(texts) == 1 else f"any of its {plural(len(texts), 'page')}"
        raise DocumentError(f"no text on {where}: perhaps a scan, which needs OCR", origin)
    whole = "\n".join(texts)
    builder.close(len(whole))
    return builder.finish(whole)


def pages_without_text(events: TagEvents, origin: str) -> list[str]:
    """Return a note about the pages of a PDF that have no text; none if there are none.

    >>> from doxeval.documents.examples import example_pdf
    >>> events = read_pdf(example_pdf(["Low tide.", ""]), Limits(), "tides.pdf")
    >>> pages_without_text(events, "tides.pdf")
    ['tides.pdf: 1 of 2 pages has no text']
    """
    begin, end = events.positions[1:-1].reshape(-1, 2).T
    empty = int((begin == end).sum())
    has = "has" if empty == 1 else "have"
    return [f"{origin}: {empty:,} of {plural(len(begin), 'page')} {has} no text"] if empty else []


def _page_texts(data: bytes, limits: Limits, origin: str) -> Iterator[str]:
    """Yield the text of each page."""
    try:
        import pypdf
    except ImportError:
        raise DocumentError(NEEDS_EXTRA, origin) from None
    try:
        with _quiet():
            reader = pypdf.PdfReader(io.BytesIO(data))
            _unlock(reader, origin)
            check_limit("elements", 1 + len(reader.pages), limits, origin)
            check = _limited(reader, len(data), origin)
            for page in reader.pages:
                check()
                text = page.extract_text(visitor_operand_before=check).translate(_LIGATURES)
                yield _NO_CHARACTER.sub("\ufffd", text)
    except DocumentError:
        raise
    except Exception as error:  # what is damaged makes pypdf raise errors of many kinds
        reason = truncate(" ".join(str(error).split()) or type(error).__name__)
        raise DocumentError(f"not a PDF that can be read: {reason}", origin) from None


def _limited(reader: PdfReader, size: int, origin: str) -> Callable[..., None]:
    """Return what is called at each drawing operator, and bounds the time and memory of a file."""
    longest = LONGEST + _LONGEST_OF_A_MEGABYTE * size / 1e6
    end = thread_time() + longest
    kept_since = thread_time()

    def check(*_: object) -> None:
        nonlocal kept_since
        now = thread_time()
        if now > end:
            message = f"takes more than {plural(round(longest), 'second')} of a processor to read"
            raise DocumentError(message, origin)
        if now > kept_since + _KEPT_FOR:
            reader.resolved_objects.clear()
            kept_since = now

    return check


def _unlock(reader: PdfReader, origin: str) -> None:
    """Open an encrypted file that needs no password; others are an error."""
    from pypdf.errors import DependencyError

    if not reader.is_encrypted:
        return
    try:
        opened = reader.decrypt("")
    except DependencyError:
        message = "encrypted by a method that needs another package: pip install cryptography"
        raise DocumentError(message, origin) from None
    if not opened:
        raise DocumentError("encrypted: it can be opened only with its password", origin)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what pypdf logs about oddities of a file from the standard error."""
    import logging

    logger, nowhere = logging.getLogger("pypdf"), logging.NullHandler()
    logger.addHandler(nowhere)
    try:
        yield
    finally:
        logger.removeHandler(nowhere)
