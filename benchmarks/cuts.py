"""Simple cuts of texts, like those of common splitters, for benchmarks without their libraries."""

from __future__ import annotations

import re


def recursive(text: str, size: int) -> list[str]:
    """Pieces between blank lines, line ends and spaces, joined up to a size; nothing is shared.

    >>> recursive("one two\\n\\nthree four", 9)
    ['one two', 'three', 'four']
    """
    chunks: list[str] = []
    for paragraph in text.split("\n\n"):
        chunks += _joined(_joined([paragraph], size, "\n"), size, " ")
    return [chunk for chunk in (chunk.strip() for chunk in chunks) if chunk]


def _joined(parts: list[str], size: int, separator: str) -> list[str]:
    """Parts that are too long cut at a separator, the pieces joined as far as they fit."""
    result: list[str] = []
    for part in parts:
        if len(part) <= size:
            result.append(part)
            continue
        current = ""
        for piece in part.split(separator):
            if current and len(current) + len(separator) + len(piece) > size:
                result.append(current)
                current = piece
            else:
                current = f"{current}{separator}{piece}" if current else piece
        result.append(current)
    return result


def overlapping(text: str, size: int, shared: int) -> list[str]:
    """Windows of whole words of about a size, each sharing about as many characters with the next.

    >>> overlapping("one two three four", 9, 5)
    ['one two', 'two three', 'three', 'four']
    """
    words = [match.span() for match in re.finditer(r"\S+", text)]
    chunks = []
    first = 0
    while first < len(words):
        last = first
        while last + 1 < len(words) and words[last + 1][1] - words[first][0] <= size:
            last += 1
        chunks.append(text[words[first][0] : words[last][1]])
        if last + 1 == len(words):
            break
        after = last + 1
        while after - 1 > first and words[last][1] - words[after - 1][0] <= shared:
            after -= 1
        first = after
    return chunks
