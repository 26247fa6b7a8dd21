"""The only differences that the record allows: names that changed, as `renames.csv` lists them."""

from __future__ import annotations

import csv
import re
from pathlib import Path

Renames = dict[str, str]


def read_renames(path: Path) -> Renames:
    """Return the new name of each old one.

    A table with contradictions is refused. A new name has no old one in it, so that a record that
    has new names already may be renamed again.
    """
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    renames = {row["old"]: row["new"] for row in rows}
    if len(renames) < len(rows) or not all(renames) or None in renames.values():
        raise SystemExit(f"{path}: expected two columns, old and new, and each old name once")
    for old, new in renames.items():
        if renamed(new, renames) != new:
            raise SystemExit(f"{path}: {new!r}, the new name of {old!r}, has an old name in it")
    return renames


def renamed(text: str, renames: Renames) -> str:
    """Return a text with new names in place of old ones: whole words, the longest first, one pass.

    Hyphens belong to words, so that "cut" is not part of "cut-off". A name that begins or ends
    with another character, such as ".seal" or "max_missing=", needs no boundary there.

    >>> names = {"cut": "split", "chunks cut": "chunks split", ".seal": ".checksum", "--most": "-k"}
    >>> renamed("$ doxeval chunks cut a --most 3 --most-of-all", names)
    '$ doxeval chunks split a -k 3 --most-of-all'
    >>> renamed("a.seal, shortcut, cut, cut-off, cuts", names)
    'a.checksum, shortcut, split, cut-off, cuts'
    >>> renamed("old new", {"old": "new", "new": "old"})
    'new old'
    >>> renamed("as it is", {})
    'as it is'
    """
    if not renames:
        return text
    longest_first = sorted(renames, key=lambda old: (-len(old), old))
    pattern = "|".join(map(_whole_word, longest_first))
    return re.sub(pattern, lambda match: renames[match[0]], text)


def _whole_word(old: str) -> str:
    before = r"(?<![\w-])" if re.match(r"[\w-]", old) else ""
    after = r"(?![\w-])" if re.search(r"[\w-]$", old) else ""
    return f"{before}{re.escape(old)}{after}"


def renamed_file(name: str, renames: Renames) -> str:
    """Return the name of a file of the record after renames; its hyphens stand for spaces.

    >>> renamed_file("verbs/chunks-cut.txt", {"chunks cut": "chunks split"})
    'verbs/chunks-split.txt'
    """
    return "/".join(
        renamed(part.replace("-", " "), renames).replace(" ", "-") for part in name.split("/")
    )


def in_markdown(renames: Renames) -> str:
    """Return the table of renames as CHANGELOG shows it.

    >>> print(in_markdown({"chunks cut": "chunks split", "a|b": "c"}))
    | was | is |
    |---|---|
    | `a\\|b` | `c` |
    | `chunks cut` | `chunks split` |
    """
    rows = [(old.replace("|", "\\|"), new.replace("|", "\\|")) for old, new in renames.items()]
    lines = [f"| `{old}` | `{new}` |" for old, new in sorted(rows)]
    return "\n".join(["| was | is |", "|---|---|", *lines])
