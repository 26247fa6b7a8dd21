"""The documents of a study: texts by id, in order, found by whatever others call them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from doxeval.chunks.boundaries import Heading, headings
from doxeval.documents import normalise_id, strip_suffixes
from doxeval.errors import FormatError, UnknownReference
from doxeval.messages import plural, quoted, suggestion


class Documents(Mapping[str, str]):
    """Texts by the ids of their documents, in the order in which they were given.

    Ids are kept as runs and assessments have them: without white space around them, a leading `./`
    and a final `.xml`. Offsets count the code points of these texts. `outlines`: the sections of
    documents, where these are known. `warnings`: what was not read.

    >>> docs = Documents([("faq.xml", "How to return a parcel."), ("terms", "Thirty days.")])
    >>> docs, list(docs), docs["faq.xml"][:6]
    (Documents(2 documents, 35 characters), ['faq', 'terms'], 'How to')
    """

    def __init__(
        self,
        texts: Iterable[tuple[object, object]],
        origin: str | None = None,
        outlines: Mapping[str, Sequence[Heading]] | None = None,
        warnings: Iterable[str] = (),
    ) -> None:
        self.warnings = tuple(warnings)
        self._texts: dict[str, str] = {}
        self._outlines = {normalise_id(name): own for name, own in (outlines or {}).items()}
        for name, text in texts:
            if not isinstance(text, str):
                kind = type(text).__name__
                raise FormatError(f"document {quoted(name)} is a {kind}: expected its text", origin)
            document = normalise_id(str(name))
            if not document:
                raise FormatError("a document without an id", origin)
            if document in self._texts:
                raise FormatError(f"there are two documents {quoted(document)}", origin)
            self._texts[document] = text
        if not self._texts:
            raise FormatError("there are no documents", origin)

    def __getitem__(self, document: str) -> str:
        if document in self._texts:
            return self._texts[document]
        return self._texts[normalise_id(document)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def __repr__(self) -> str:
        characters = sum(map(len, self._texts.values()))
        return f"Documents({plural(len(self), 'document')}, {plural(characters, 'character')})"

    def outline(self, document: str) -> Sequence[Heading]:
        """Where sections of a document begin, with their levels.

        They are the sections of XML and HTML where the document was read as a tree, else those
        after the headings of Markdown.

        >>> Documents([("a", "# One\\n## Two")]).outline("a")
        [Heading(start=0, level=1), Heading(start=6, level=2)]
        """
        known = self._outlines.get(normalise_id(document))
        return headings(self[document]) if known is None else known

    def find(self, reference: object) -> str | None:
        r"""The id of the document that others call by a path, in full or with another suffix.

        A path in a program's metadata may start further up, may have the slashes of Windows, and
        names the file with its suffix. If it could be several documents, it is none.

        >>> docs = Documents([("guides/faq", "One."), ("terms", "Two.")])
        >>> docs.find("C:\\work\\guides\\faq.md"), docs.find("terms.txt"), docs.find("other")
        ('guides/faq', 'terms', None)
        """
        if reference is None:
            return None
        name = normalise_id(str(reference))
        if name in self._texts:
            return name
        parts = tuple(part for part in name.replace("\\", "/").split("/") if part != ".")
        for start in range(len(parts)):
            tail = "/".join(parts[start:])
            for spelt in (tail, strip_suffixes(tail)):
                found = self._by_tail.get(spelt)
                if found is not None:
                    return found
        return None

    def named(self, reference: object) -> str:
        """The id of a document, which must be there."""
        found = self.find(reference)
        if found is None:
            raise UnknownReference(
                f"no document {quoted(reference)}{suggestion(str(reference), self)}"
            )
        return found

    @cached_property
    def _by_tail(self) -> dict[str, str | None]:
        """Documents by the last parts of their paths; None where several have the same."""
        found: dict[str, str | None] = {}
        for document in self._texts:
            parts = document.replace("\\", "/").split("/")
            spellings = set()
            for start in range(len(parts)):
                tail = "/".join(parts[start:])
                spellings |= {tail, strip_suffixes(tail)}
            for spelt in spellings:
                found[spelt] = None if spelt in found else document
        for document in self._texts:  # a whole id wins over parts of longer ones
            found[document.replace("\\", "/")] = document
        return found
