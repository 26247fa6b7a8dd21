"""Plain text: the file itself is the text, and blank lines separate its paragraphs.

    /document[1]          the whole file
    /document[1]/p[3]     its third paragraph, without white space around it

Offsets are always those of the file.
"""

from __future__ import annotations

import re

from doxeval.documents.limits import Limits, check_elements
from doxeval.documents.marks import Marks, MarksBuilder

ROOT = "document"
# Possessive repetitions take no memory for each character.
_PARAGRAPH = re.compile(r"\S[^\r\n]*+(?:(?:\r\n?+|\n)(?![ \t\f\v]*+(?:[\r\n]|\Z))[^\r\n]*+)*+")


def read_plain(text: str, limits: Limits, origin: str) -> Marks:
    """The marks of a plain text.

    >>> marks = read_plain("one\\nline\\n\\ntwo\\n", Limits(), "a.txt")
    >>> [name for name in marks.names if name]
    ['document', 'p', 'p']
    """
    marks = MarksBuilder()
    marks.open(ROOT, 0)
    for paragraph in _PARAGRAPH.finditer(text):
        marks.open("p", paragraph.start())
        marks.close(paragraph.start() + len(paragraph[0].rstrip()))
    marks.close(len(text))
    check_elements(marks.elements, limits, origin)
    return marks.finish(text)
