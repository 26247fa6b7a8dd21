"""Plain text: the file itself is the text, and blank lines separate its paragraphs.

    /document[1]          the whole file
    /document[1]/p[3]     its third paragraph, without white space around it

Offsets are always those of the file.
"""

from __future__ import annotations

import re

import numpy as np

from doxeval.documents.limits import Limits, check_elements
from doxeval.documents.marks import Marks
from doxeval.documents.tag_names import END

ROOT = "document"
# Possessive repetitions take no memory for each character.
_PARAGRAPH = re.compile(r"\S[^\r\n]*+(?:(?:\r\n?+|\n)(?![ \t\f\v]*+(?:[\r\n]|\Z))[^\r\n]*+)*+")
# The same where all lines end in "\n": a dot is much faster than a set of characters.
_USUAL_PARAGRAPH = re.compile(r"\S.*+(?:\n(?![ \t\f\v]*+(?:\n|\Z)).*+)*+")


def read_plain(text: str, limits: Limits, origin: str) -> Marks:
    """The marks of a plain text.

    >>> marks = read_plain("one\\nline\\n\\ntwo\\n", Limits(), "a.txt")
    >>> [name for name in marks.names if name]
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
    check_elements(1 + paragraphs, limits, origin)
    names = [ROOT, *("p", END) * paragraphs, END]
    return Marks(names, np.array(positions, dtype=np.int64), [text.encode()], [[]])
