"""Tiny temporary collections, for examples and for trying things out."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from doxeval.documents.build.build import build_collection
from doxeval.documents.collection import Collection


def example_collection(documents: Mapping[str, str]) -> Collection:
    """Return a collection of XML documents, given by their ids, until the process ends.

    >>> len(example_collection({"a": "<p>One.</p>", "b": "<p>Two.</p>"}))
    2
    """
    directory = Path(tempfile.mkdtemp(prefix="doxeval-example-"))
    atexit.register(_remove, directory, os.getpid())
    sources = directory / "sources"
    sources.mkdir()
    for document_id, xml in documents.items():
        (sources / f"{document_id}.xml").write_bytes(xml.encode())
    build_collection([str(sources)], directory / "collection")
    return Collection(directory / "collection")


def example_pdf(pages: Sequence[str]) -> bytes:
    """Return a PDF with these texts on its pages, each line as it is; of Latin characters only.

    >>> example_pdf(["Low tide.\\nAt six."])[:8]
    b'%PDF-1.4'
    """
    bodies = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", _FONT]
    for text in pages:
        shown = [
            re.sub(rb"([()\\\\])", rb"\\\1", line.encode("cp1252")) for line in text.split("\n")
        ]
        lines = b" T* ".join(b"(%s) Tj" % line for line in shown)
        drawing = b"BT /F 10 Tf 12 TL 50 800 Td %s ET" % lines
        content = len(bodies) + 2
        bodies.append(_PAGE % content)
        bodies.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawing), drawing))
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(len(pages)))
    bodies[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages))
    file, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, start=1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(bodies) + 1
    trailer = b"trailer << /Root 1 0 R /Size %d >>\nstartxref\n%d\n%%%%EOF" % (size, len(file))
    return file + b"xref\n0 %d\n0000000000 65535 f \n%s%s" % (size, table, trailer)


_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
_PAGE = (
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
    b"/Resources << /Font << /F 3 0 R >> >> >>"
)


def _remove(directory: Path, process: int) -> None:
    """Remove an example, if this is the process that has made it, and not a copy of it."""
    if os.getpid() == process:
        shutil.rmtree(directory, ignore_errors=True)
