"""Plain text: the file itself is the text, and blank lines separate its paragraphs.

    /document[1]          the whole file
    /document[1]/p[3]     its third paragraph, without white space around it

Offsets are always those of the file, after decoding.
"""

from __future__ import annotations

import codecs
import re

import numpy as np

from doxeval.documents.build.options import Limits, check_limit
from doxeval.documents.readers.tag_events import END, TagEvents
from doxeval.errors import DocumentError
from doxeval.markup import python_codec, unknown_encoding_message
from doxeval.messages import Parameter

# The signature of UTF-16 is how the one of UTF-32 begins, so the longer ones come first.
_SIGNATURES = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode_text(data: bytes, origin: str, encoding: str | None = None) -> str:
    """Return the characters of a file, decoded by its signature, the given encoding, or UTF-8.

    A signature (byte order mark) is not part of the text. Line ends are left as they are.

    >>> decode_text(b"caf\\xc3\\xa9\\r\\n", "a.txt")
    'café\\r\\n'
    """
    for signature, name in _SIGNATURES:
        if data.startswith(signature):
            data, encoding = data[len(signature) :], name
            break
    codec = python_codec(encoding or "utf-8")
    if codec is None:
        raise DocumentError(unknown_encoding_message(encoding or ""), origin)
    try:
        text = data.decode(codec)
        if codec == "utf_7":
            text.encode()  # of all encodings, it alone can hold half a surrogate pair
        return text
    except UnicodeEncodeError as error:
        raise DocumentError(lone_surrogate_message(error), origin) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError(
            f"byte {data[error.start]:#04x} is not {encoding or 'UTF-8'} text; "
            + Parameter("encoding")
            + " names the right one",
            origin,
            line,
        ) from None


def lone_surrogate_message(error: UnicodeEncodeError) -> str:
    """Return the message about text that UTF-8 cannot hold.

    >>> try:
    ...     ("one " + chr(0xD800)).encode()
    ... except UnicodeEncodeError as error:
    ...     lone_surrogate_message(error)
    'a lone surrogate, which is not a character, at offset 4'
    """
    return f"a lone surrogate, which is not a character, at offset {error.start:,}"


def is_like_ascii(encoding: str) -> bool:
    """Return whether markup is written in an encoding as in ASCII, as it is in nearly all.

    >>> is_like_ascii("windows-1252"), is_like_ascii("utf-16"), is_like_ascii("cp037")
    (True, False, False)
    """
    codec = python_codec(encoding)
    markup = b"<meta charset=a>"
    return codec is not None and markup.decode(codec, "replace") == markup.decode()


ROOT_TAG = "document"
# Possessive repetitions take no memory for each character.
_PARAGRAPH = re.compile(r"\S[^\r\n]*+(?:(?:\r\n?+|\n)(?![ \t\f\v]*+(?:[\r\n]|\Z))[^\r\n]*+)*+")
# The same where all lines end in "\n": a dot is much faster than a set of characters.
_USUAL_PARAGRAPH = re.compile(r"\S.*+(?:\n(?![ \t\f\v]*+(?:\n|\Z)).*+)*+")


def read_plain(text: str, limits: Limits, origin: str) -> TagEvents:
    """Return the tag events of a plain text.

    >>> events = read_plain("one\\nline\\n\\ntwo\\n", Limits(), "a.txt")
    >>> [name for name in events.names if name]
    ['document', 'p', 'p']
    """
    positions = [0]
    pattern = _PARAGRAPH if "\r" in text else _USUAL_PARAGRAPH
    for paragraph in pattern.finditer(text):
        start, end = paragraph.span()
        if text[end - 1].isspace():
            end = start + len(paragraph[0].rstrip())
        positions += (start, end)
    positions.append(len(text))
    paragraphs = len(positions) // 2 - 1
    check_limit("elements", 1 + paragraphs, limits, origin)
    names = [ROOT_TAG, *("p", END) * paragraphs, END]
    return TagEvents(names, np.array(positions, dtype=np.int64), [text.encode()], [[]])
