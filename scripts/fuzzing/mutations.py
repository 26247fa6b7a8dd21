"""Changes to good files: cut, repeated, spliced, sprinkled with what means something somewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

_NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?")
_WORD = re.compile(rb"[A-Za-z_][A-Za-z_0-9.-]*")
_LONGEST = 1 << 20

NUMBERS = tuple(
    text.encode()
    for text in (
        "0", "-0", "1", "-1", "2", "3", "0.0", "1.0", "00", "01", "+1", "1.", ".5", "0.1", "1e0",
        "127", "128", "255", "256", "32767", "32768", "65535", "65536", "2147483647", "2147483648",
        "-2147483648", "4294967295", "4294967296", "9007199254740993", "9223372036854775807",
        "9223372036854775808", "-9223372036854775809", "18446744073709551616", "9" * 25, "9" * 400,
        "1e308", "1e309", "-1e309", "1e-400", "5e-324", "0." + "0" * 40 + "1", "0." + "3" * 40,
        "1e999999999", "nan", "NaN", "inf", "-inf", "Infinity", "0x10", "0b1", "1_000", "1,000",
        "1/3", "1e", "--1", "१", "١٢", "²", "½", "Ⅷ", "𝟏",
    )
)  # fmt: skip
# Control and format characters, surrogates and ends of ranges, in UTF-8 and in what is not.
_UNICODE = tuple(
    text.encode("utf-8", "surrogatepass")
    for text in (
        "\x00", "\x01", "\x07", "\x08", "\x0b", "\x0c", "\x1b[2J", "\x1b]0;t\x07", "\x7f", "\x80",
        "\x85", "\x9b31m", "\xa0", "\xad", "\u061c", "\u200b", "\u200d", "\u200f", "\u2028",
        "\u2029", "\u202e", "\u2066", "\u2069", "\u3000", "\ud800", "\udc80", "\udfff", "\ufdd0",
        "\ufeff", "\ufffd", "\ufffe", "\uffff", "\U0001f600", "\U000e0001", "\U0010ffff", "e\u0301",
        "ﬁ", "İ", "ı", "ß", "ǆ", "\u1e9e", "\u0345", "ΐ", "Å",
    )
)  # fmt: skip
_NO_UTF_8 = (b"\xff", b"\xfe", b"\xc0\x80", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf8")
CHARACTERS = _UNICODE + _NO_UTF_8
MARKS = (
    b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\x00\x00", b"\x1f\x8b\x08", b"PK\x03\x04",
    b"BZh9", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"PAR1", b"\x93NUMPY", b"\x80\x04", b"ARROW1",
)  # fmt: skip
COMMON = (
    b"<", b">", b"/", b"&", b";", b"%", b'"', b"'", b"\\", b"\r\n", b"\r", b"\n", b"\t", b" ", b"{",
    b"}", b"[", b"]", b"(", b")", b":", b",", b"=", b"|", b"@", b"#", b"-", b"+", b"*", b"?", b"!",
    b"$", b"~", b"^", b"`", b"_", b".", b"..", b"../", b"null", b"true", b"false", b"\\ud800",
    b"\\u0000", b"\\x1b",
)  # fmt: skip


def mutated(data: bytes, pool: Sequence[bytes], tokens: Sequence[bytes], chance: Random) -> bytes:
    """A file with a few things done to it; of a million bytes at the most."""
    for _ in range(1 + int(chance.expovariate(1.0))):
        change = chance.choice(_CHANGES)
        data = change(data, pool, tokens, chance)
    if chance.random() < 0.01:
        data = _amplified(data, chance)
    if chance.random() < 0.005:
        data = _recoded(data, chance)
    return data[:_LONGEST]


def _part(data: bytes, chance: Random) -> tuple[int, int]:
    """A place in the data: often short, sometimes long."""
    at = chance.randint(0, len(data))
    longest = 12 if chance.random() < 0.8 else len(data) / 3 + 1
    return at, min(len(data), at + int(chance.expovariate(1 / longest)))


def _word(tokens: Sequence[bytes], chance: Random) -> bytes:
    kind = chance.random()
    if tokens and kind < 0.6:
        return chance.choice(tokens)
    if kind < 0.75:
        return chance.choice(COMMON)
    if kind < 0.87:
        return chance.choice(NUMBERS)
    return chance.choice(CHARACTERS) if kind < 0.98 else chance.choice(MARKS)


Change = Callable[[bytes, Sequence[bytes], Sequence[bytes], Random], bytes]


def _insert(data: bytes, _: Sequence[bytes], tokens: Sequence[bytes], chance: Random) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + _word(tokens, chance) + data[at:]


def _replace(data: bytes, _: Sequence[bytes], tokens: Sequence[bytes], chance: Random) -> bytes:
    at, until = _part(data, chance)
    return data[:at] + _word(tokens, chance) + data[until:]


def _delete(data: bytes, _: Sequence[bytes], __: Sequence[bytes], chance: Random) -> bytes:
    at, until = _part(data, chance)
    return data[:at] + data[until:]


def _repeat(data: bytes, _: Sequence[bytes], __: Sequence[bytes], chance: Random) -> bytes:
    at, until = _part(data, chance)
    times = chance.randint(1, 4) if chance.random() < 0.95 else chance.randint(5, 300)
    return data[:until] + data[at:until] * times + data[until:]


def _flip(data: bytes, _: Sequence[bytes], __: Sequence[bytes], chance: Random) -> bytes:
    if not data:
        return b"\x00"
    at = chance.randrange(len(data))
    byte = data[at] ^ (1 << chance.randrange(8)) if chance.random() < 0.5 else chance.randrange(256)
    return data[:at] + bytes([byte]) + data[at + 1 :]


def _splice(data: bytes, pool: Sequence[bytes], _: Sequence[bytes], chance: Random) -> bytes:
    other = chance.choice(pool)
    begin, end = _part(other, chance)
    at, until = _part(data, chance)
    return data[:at] + other[begin:end] + data[until if chance.random() < 0.5 else at :]


def _cross(data: bytes, pool: Sequence[bytes], _: Sequence[bytes], chance: Random) -> bytes:
    """The beginning of one file and the end of another."""
    other = chance.choice(pool)
    return data[: chance.randint(0, len(data))] + other[chance.randint(0, len(other)) :]


def _number(data: bytes, _: Sequence[bytes], __: Sequence[bytes], chance: Random) -> bytes:
    """A number at the edge of some range, in place of another."""
    return _in_place_of(_NUMBER, data, NUMBERS, chance)


def _name(data: bytes, pool: Sequence[bytes], tokens: Sequence[bytes], chance: Random) -> bytes:
    """Another word in place of a word."""
    return _in_place_of(_WORD, data, tokens or COMMON, chance)


def _in_place_of(
    pattern: re.Pattern[bytes], data: bytes, words: Sequence[bytes], chance: Random
) -> bytes:
    found = pattern.search(data, chance.randint(0, len(data))) or pattern.search(data)
    word = chance.choice(words)
    return word if found is None else data[: found.start()] + word + data[found.end() :]


def _line(data: bytes, _: Sequence[bytes], __: Sequence[bytes], chance: Random) -> bytes:
    """Lines are swapped, doubled or dropped."""
    lines = data.split(b"\n")
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    action = chance.randrange(3)
    if action == 0:
        lines[at], lines[other] = lines[other], lines[at]
    elif action == 1:
        lines.insert(at, lines[other])
    else:
        del lines[at]
    return b"\n".join(lines)


def _field(data: bytes, _: Sequence[bytes], __: Sequence[bytes], chance: Random) -> bytes:
    """Two words change places."""
    words = re.split(rb"(\s+)", data)
    at, other = chance.randrange(len(words)), chance.randrange(len(words))
    words[at], words[other] = words[other], words[at]
    return b"".join(words)


_CHANGES: tuple[Change, ...] = (
    _insert, _insert, _replace, _replace, _delete, _repeat, _flip, _splice, _cross, _number,
    _number, _name, _line, _field,
)  # fmt: skip


def _amplified(data: bytes, chance: Random) -> bytes:
    """A part of the data over and over, beside itself or around the rest: what grows, grows."""
    at, until = _part(data, chance)
    part = data[at:until] or b"["
    times = min(chance.choice((1_000, 5_000, 20_000)), (1 << 18) // len(part) + 1)
    return data[:until] + part * times + data[until:]


def _recoded(data: bytes, chance: Random) -> bytes:
    """The same text in another encoding."""
    encoding = chance.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "utf-7"))
    return data.decode("utf-8", "replace").encode(encoding, "replace")
