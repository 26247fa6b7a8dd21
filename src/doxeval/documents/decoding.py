"""Decoding bytes to characters, for formats that do not declare their encoding."""

from __future__ import annotations

import codecs

from doxeval.errors import DocumentError
from doxeval.markup import codec_of, unknown
from doxeval.messages import Parameter

# The signature of UTF-16 is how the one of UTF-32 begins, so the longer ones come first.
_SIGNATURES = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
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
    codec = codec_of(encoding or "utf-8")
    if codec is None:
        raise DocumentError(unknown(encoding or ""), origin)
    try:
        text = data.decode(codec)
        if codec == "utf_7":
            text.encode()  # of all encodings, it alone can hold half a surrogate pair
        return text
    except UnicodeEncodeError as error:
        raise DocumentError(lone_surrogate(error), origin) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError(
            f"byte {data[error.start]:#04x} is not {encoding or 'UTF-8'} text; "
            + Parameter("encoding")
            + " names the right one",
            origin,
            line,
        ) from None


def lone_surrogate(error: UnicodeEncodeError) -> str:
    """The message about text that UTF-8 cannot hold.

    >>> try:
    ...     ("one " + chr(0xD800)).encode()
    ... except UnicodeEncodeError as error:
    ...     lone_surrogate(error)
    'a lone surrogate, which is not a character, at offset 4'
    """
    return f"a lone surrogate, which is not a character, at offset {error.start:,}"


def is_like_ascii(encoding: str) -> bool:
    """Whether markup is written in an encoding as in ASCII, as it is in nearly all.

    >>> is_like_ascii("windows-1252"), is_like_ascii("utf-16"), is_like_ascii("cp037")
    (True, False, False)
    """
    codec = codec_of(encoding)
    markup = b"<meta charset=a>"
    return codec is not None and markup.decode(codec, "replace") == markup.decode()
