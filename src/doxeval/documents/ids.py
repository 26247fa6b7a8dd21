"""Document ids: the rules that make them, and the form in which references are compared."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from doxeval.errors import SyntaxProblem
from doxeval.files import uncompressed_name
from doxeval.messages import Parameter, quoted

if TYPE_CHECKING:
    from doxeval.documents.patterns import PathPattern


def normalised_id(reference: str) -> str:
    """A document id in the form that is compared: stripped, without `./` before or `.xml` after.

    >>> normalised_id(" ./co/1999/r2024.xml ")
    'co/1999/r2024'
    """
    return reference.strip().removeprefix("./").removesuffix(".xml")


def why_spaced(document_id: str) -> str | None:
    """Return why an id with white space is refused where collections are built; None without any.

    Runs and assessments in text have white space between their fields.

    >>> why_spaced("my notes"), why_spaced("notes")
    ("the id 'my notes' has white space, which runs and assessments in text cannot hold", None)
    """
    if len(document_id.split()) < 2:
        return None
    return (
        f"the id {quoted(document_id)} has white space, which runs and assessments in text cannot "
        "hold"
    )


def without_suffixes(name: str) -> str:
    """The name of a file without the suffixes of its compression and format.

    >>> without_suffixes("co/r2024.xml.gz"), without_suffixes("v1.2/notes.txt")
    ('co/r2024', 'v1.2/notes')
    """
    return os.path.splitext(uncompressed_name(name))[0]


def distinct_paths(names: Sequence[str]) -> list[str]:
    """The paths of files, without the suffixes that are not needed to tell them apart.

    If two files would get the same id, they keep the suffix of their format; if that is not
    enough, also that of their compression. A final `.xml` is never part of an id.

    >>> distinct_paths(["co/a.xml", "co/b.html", "co/b.md"])
    ['co/a', 'co/b.html', 'co/b.md']
    >>> [normalised_id(path) for path in distinct_paths(["c.xml", "c.html"])]
    ['c', 'c.html']
    """
    spellings = [(without_suffixes(name), uncompressed_name(name), name) for name in names]
    suffixes = [0] * len(names)
    while True:
        paths = [spelt[count] for spelt, count in zip(spellings, suffixes, strict=True)]
        ids = [normalised_id(path) for path in paths]
        counts = Counter(ids)
        clashing = [at for at, name in enumerate(ids) if counts[name] > 1 and suffixes[at] < 2]
        if not clashing:
            return paths
        for at in clashing:
            suffixes[at] += 1


@dataclass(frozen=True)
class IdRule:
    """The rule that makes document ids: the file's stem, its path, or an XPath into the document.

    A stem has no suffix. A path keeps suffixes only where they are needed to tell files of one
    source apart (see distinct_paths).

    >>> IdRule.parse("stem").from_name("co/1999/r2024")
    'r2024'
    >>> rule = IdRule.parse("//article/@id")
    >>> str(rule.pattern), rule.attribute
    ('//article', 'id')
    """

    text: str
    pattern: PathPattern | None = None
    attribute: str | None = None

    @classmethod
    def parse(cls, text: str) -> IdRule:
        """Parse `stem`, `path`, or an XPath like `//id` or `/article/@id`."""
        if text in ("stem", "path"):
            return cls(text)
        if not text.startswith("/"):
            raise SyntaxProblem(
                Parameter("id_rule", text)
                + ": expected stem, path, or an XPath like //id or /article/@id"
            )
        path, _, attribute = text.partition("@")
        if attribute:
            path = path.removesuffix("/") or "//*"
            path = "//*" if path == "/" else path
        from doxeval.documents.patterns import PathPattern

        return cls(text, PathPattern.parse(path), attribute.strip() or None)

    def from_name(self, name: str) -> str:
        """The id of a file, given its path inside the source without unneeded suffixes."""
        return name if self.text == "path" else name.rpartition("/")[2]
