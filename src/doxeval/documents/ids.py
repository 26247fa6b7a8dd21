"""Document ids: where they come from, how a reference is compared with them."""

from __future__ import annotations

from dataclasses import dataclass

from doxeval.documents.patterns import PathPattern
from doxeval.errors import SyntaxProblem


def normalised_id(reference: str) -> str:
    """A document id as it is compared: without space around, a leading `./`, a final `.xml`.

    >>> normalised_id(" ./co/1999/r2024.xml ")
    'co/1999/r2024'
    """
    return reference.strip().removeprefix("./").removesuffix(".xml")


@dataclass(frozen=True)
class IdRule:
    """Where a document's id comes from: its file's stem, its path, or a place inside it.

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
        """Read `stem`, `path` or an XPath like `//id` or `/article/@id`."""
        if text in ("stem", "path"):
            return cls(text)
        if not text.startswith("/"):
            raise SyntaxProblem(
                f"--id {text!r}: expected stem, path, or an XPath like //id or /article/@id"
            )
        path, _, attribute = text.partition("@")
        if attribute:
            path = path.removesuffix("/") or "//*"
            path = "//*" if path == "/" else path
        return cls(text, PathPattern.parse(path), attribute.strip() or None)

    def from_name(self, name: str) -> str:
        """The id of a file, given its path inside the source without suffixes."""
        return name if self.text == "path" else name.rpartition("/")[2]
