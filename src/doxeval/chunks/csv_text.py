"""CSV and TSV as records.

The standard library's reader refuses fields of more than 131,072 characters unless a setting of the
whole process is changed; texts of documents are longer, so fields are split here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from doxeval.errors import FormatError
from doxeval.messages import plural


def csv_records(
    text: str, origin: str, separator: str = ","
) -> Iterator[tuple[int, dict[str, str]]]:
    r"""Return each row by the names of the first one, with the line on which it begins.

    >>> list(csv_records('id,text\n1,"a, ""b"" c"\n2,5" pipe\n', "a.csv"))
    [(2, {'id': '1', 'text': 'a, "b" c'}), (3, {'id': '2', 'text': '5" pipe'})]
    """
    rows = _rows(text.removeprefix("\ufeff"), origin, separator)
    _, header = next(rows, (1, []))
    if len(set(header)) < len(header):
        twice = next(name for at, name in enumerate(header) if name in header[:at])
        raise FormatError(f"there are two columns {twice[:80]!r}", origin, 1)
    for line, row in rows:
        if len(row) != len(header):
            found, expected = plural(len(row), "field"), len(header)
            raise FormatError(f"{found}: expected {expected}, as on the first line", origin, line)
        yield line, dict(zip(header, row, strict=True))


@cache
def _field(separator: str) -> re.Pattern[str]:
    # Possessive repetitions take no memory for each character. A quotation mark inside of a field
    # that does not begin with one, such as 5" pipe, is a character like any other.
    plain = rf'(?!")[^{separator}\r\n]*+'
    return re.compile(rf'(?:"((?:[^"]|"")*+)"|({plain}))({separator}|\r\n?|\n|\Z)')


def _rows(text: str, origin: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    pattern = _field(separator)
    at, line, begin, row = 0, 1, 1, list[str]()
    while at < len(text):
        found = pattern.match(text, at)
        if found is None:
            raise FormatError("a quotation mark that does not enclose its field", origin, line)
        quoted, plain, after = found.groups()
        row.append(plain if quoted is None else quoted.replace('""', '"'))
        line += text.count("\n", at, found.end())
        at = found.end()
        if after != separator:
            if row != [""]:  # an empty line
                yield begin, row
            row, begin = [], line
        elif at == len(text):
            row.append("")
    if row:
        yield begin, row
