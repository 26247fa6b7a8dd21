"""Decoding bytes to characters, for formats that do not declare their encoding."""

from __future__ import annotations

import codecs

from doxeval.errors import DocumentError
from doxeval.wording import brief

_SIGNATURES = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decoded(data: bytes, origin: str, encoding: str | None = None) -> str:
    """The characters of a file, decoded by its signature, the given encoding, or UTF-8.

    A signature (byte order mark) is not part of the text. Line ends are left as they are.

    >>> decoded(b"caf\\xc3\\xa9\\r\\n", "a.txt")
    'café\\r\\n'
    """
    for signature, name in _SIGNATURES:
        if data.startswith(signature):
            data, encoding = data[len(signature) :], name
            break
    try:
        return data.decode(encoding or "utf-8")
    except LookupError:
        raise DocumentError(f"unknown encoding {brief(encoding)}", origin) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError(
            f"byte {data[error.start]:#04x} is not {encoding or 'UTF-8'} text; "
            "encoding= names the right one",
            origin,
            line,
        ) from None
