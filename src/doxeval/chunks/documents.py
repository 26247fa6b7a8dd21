"""The documents of a study: texts by id, in order, from whatever holds them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from doxeval.chunks.adapters import documents_in, foreign_documents
from doxeval.chunks.boundaries import Heading, headings, outlines, page_spans
from doxeval.chunks.records import (
    TABLE_SUFFIXES,
    Loaded,
    frame_records,
    is_frame,
    load,
    plain,
)
from doxeval.datasets import dataset_documents, is_dataset, is_package
from doxeval.documents import (
    BuildOptions,
    Collection,
    IdRule,
    SourceWalk,
    normalise_id,
    strip_suffixes,
)
from doxeval.errors import FormatError, InputError, SourceError, UnknownReference, warn
from doxeval.files import uncompressed_name
from doxeval.messages import Parameter, plural, quoted, suggestion
from doxeval.named import checked
from doxeval.storage import is_url

if TYPE_CHECKING:
    from doxeval.documents import BuildReport, RawDocument


class Documents(Mapping[str, str]):
    """Texts by the ids of their documents, in the order in which they were given.

    Ids are kept as runs and assessments have them: without white space around them, a leading `./`
    and a final `.xml`. Offsets count the code points of these texts. A text may come with the spans
    of its pages. `outlines`: the sections of documents, where these are known. `warnings`: what was
    not read. `types`: what documents are, such as manuals; else the suffixes of their files.

    >>> docs = Documents([("faq.xml", "How to return a parcel."), ("terms", "Thirty days.")])
    >>> docs, list(docs), docs["faq.xml"][:6]
    (Documents(2 documents, 35 characters), ['faq', 'terms'], 'How to')
    """

    def __init__(
        self,
        texts: Iterable[tuple[object, object] | tuple[object, object, object]],
        origin: str | None = None,
        outlines: Mapping[str, Sequence[Heading]] | None = None,
        warnings: Iterable[str] = (),
        types: Mapping[str, str] | None = None,
    ) -> None:
        self.warnings = tuple(warnings)
        self._types = {normalise_id(name): kind for name, kind in (types or {}).items()}
        self._texts: dict[str, str] = {}
        self._pages: dict[str, tuple[tuple[int, int], ...]] = {}
        self._outlines = {normalise_id(name): known for name, known in (outlines or {}).items()}
        for name, text, *pages in texts:
            if not isinstance(text, str):
                kind = type(text).__name__
                raise FormatError(f"document {quoted(name)} is a {kind}: expected its text", origin)
            document = normalise_id(str(name))
            if not document:
                raise FormatError("a document without an id", origin)
            if document in self._texts:
                raise FormatError(f"there are two documents {quoted(document)}", origin)
            self._texts[document] = text
            if pages and pages[0] is not None:
                self._pages[document] = _checked_pages(pages[0], document, len(text), origin)
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

    @property
    def types(self) -> Mapping[str, str]:
        """The types of documents, as far as they are known: stated, or the suffixes of files.

        >>> dict(Documents([("a.md", "One."), ("b", "Two.")], types={"b": "manual"}).types)
        {'a.md': 'md', 'b': 'manual'}
        """
        known = ((name, self._types.get(name) or _suffix(name)) for name in self)
        return {name: kind for name, kind in known if kind}

    def outline(self, document: str) -> Sequence[Heading]:
        """Return where sections of a document begin, with their levels.

        They are the sections of XML and HTML where the document was read as a tree, else those
        after the headings of Markdown.

        >>> Documents([("a", "# One\\n## Two")]).outline("a")
        [Heading(start=0, level=1), Heading(start=6, level=2)]
        """
        name = normalise_id(document)
        if name not in self._outlines:
            self._outlines[name] = headings(self[document])
        return self._outlines[name]

    def pages(self, document: str) -> tuple[tuple[int, int], ...]:
        """Return the spans of a document's pages, the first being page 1; none if it has no pages.

        >>> Documents([("a", "One. Two.", [[0, 4], [5, 9]])]).pages("a")
        ((0, 4), (5, 9))
        """
        return self._pages.get(document, ()) or self._pages.get(normalise_id(document), ())

    def find(self, reference: object) -> str | None:
        r"""Return the id of the document that others name by a path, with any suffix.

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
                document = self._by_tail.get(spelt)
                if document is not None:
                    return document
        return None

    def named(self, reference: object) -> str:
        """Return the id of a document, which must be there."""
        document = self.find(reference)
        if document is None:
            raise UnknownReference(
                f"no document {quoted(reference)}{suggestion(str(reference), self)}"
            )
        return document

    @cached_property
    def _by_tail(self) -> dict[str, str | None]:
        """Documents by the last parts of their paths; None where several have the same."""
        by_tail: dict[str, str | None] = {}
        for document in self._texts:
            parts = document.replace("\\", "/").split("/")
            spellings = set()
            for start in range(len(parts)):
                tail = "/".join(parts[start:])
                spellings |= {tail, strip_suffixes(tail)}
            for spelt in spellings:
                by_tail[spelt] = None if spelt in by_tail else document
        for document in self._texts:  # a whole id wins over parts of longer ones
            by_tail[document.replace("\\", "/")] = document
        return by_tail


def _suffix(name: str) -> str:
    """Return the suffix of a file's name, if it has one that can be the suffix of a format."""
    suffix = os.path.splitext(uncompressed_name(name))[1][1:].lower()
    return suffix if suffix.isalnum() and suffix[0].isalpha() and len(suffix) <= 8 else ""


def _of_loaded(loaded: Loaded, origin: str | None = None) -> Documents:
    """Return the documents that a file or table holds, with the types that its records state."""
    texts = list(documents_in(loaded))
    records = loaded.value if isinstance(loaded.value, list) else []
    types = {
        str(entry[0]): record["type"]
        for entry, record in zip(texts, records, strict=False)
        if "text" in record and isinstance(record.get("type"), str)
    }
    return Documents(texts, origin, types=types)


def _checked_pages(
    given: object, document: str, length: int, origin: str | None
) -> tuple[tuple[int, int], ...]:
    """Return the spans of pages, which must follow each other inside the text."""
    pairs = plain(given)
    if isinstance(pairs, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        edges = [0, *(offset for pair in pairs for offset in pair), length]
        if all(type(offset) is int for offset in edges) and edges == sorted(edges):
            return tuple((start, end) for start, end in pairs)
    raise FormatError(
        f"pages of document {quoted(document)} are {quoted(given)}: expected [start, end] of each "
        f"page, in order, within its {plural(length, 'character')}",
        origin,
    )


EXPECTED = (
    "expected a folder, a file of JSONL, JSON, CSV or Parquet, a dict {id: text}, a data frame, a "
    "collection, or documents of LangChain, LlamaIndex or Haystack"
)


@checked
def documents(
    source: Any,
    *,
    id_rule: str = "path",
    root: str | Sequence[str] | None = None,
    drop: str | Sequence[str] = (),
    suffixes: str | Sequence[str] = (),
) -> Documents:
    """Return the documents of a source, texts by id, in its order.

    A folder has a document in each file: plain text and Markdown are the file itself, XML, HTML and
    PDF are their text, as in a collection; its ids are the paths of the files, without the suffixes
    that are not needed to distinguish them. A PDF that cannot be read (a scan, an encrypted file)
    is left out with a warning. A file has a document in each record, with "id" and
    "text", and perhaps "pages", the [start, end] of each page; a corpus of BEIR ("_id", "title",
    "text") has the title as the first line of the text, since that is what is searched there.
    Files, frames and lists of SQuAD, QASPER, HotpotQA, 2WikiMultihopQA, MuSiQue and Natural
    Questions hold the documents of their questions.

    `irds:NAME` has the documents of a data set of ir_datasets, and a package its own.

    Files of a folder that are no documents are not read; `warnings` of the result counts them.
    For a folder, `id_rule` says where ids come from ("stem", or an XPath like "//id"), `root` and
    `drop` say what is kept of each document and what is left out of it, by CSS selectors for HTML
    and by path patterns ("//page/info") for XML, and `suffixes` (".page=xml") name the formats of
    suffixes, as in `build_collection`.

    >>> documents({"faq": "How to return a parcel."})
    Documents(1 document, 23 characters)
    """
    if is_folder(source):
        options = BuildOptions(
            id_rule=IdRule.parse(id_rule), root=root or (), drop=drop, suffixes=suffixes
        )
        docs = _of_folder(os.fspath(source), options)
    else:
        given = {"id_rule": id_rule != "path", "root": root, "drop": drop, "suffixes": suffixes}
        for name in filter(given.get, given):
            raise InputError(Parameter(name) + " has no effect: it is for a folder of files")
        docs = _documents_of(source)
    warn(warnings_about(docs, source))
    return docs


# The documents of a folder of BEIR.
_CORPORA = ("corpus.jsonl", "corpus.jsonl.gz")


def warnings_about(docs: Documents, source: Any) -> tuple[str, ...]:
    """Return the warnings about documents, unless the source was these documents already.

    >>> docs = Documents([("a", "One.")], warnings=["b.pdf was not read"])
    >>> warnings_about(docs, "folder"), warnings_about(docs, docs)
    (('b.pdf was not read',), ())
    """
    return () if docs is source else docs.warnings


def _documents_of(source: Any) -> Documents:
    if isinstance(source, Documents):
        return source
    if isinstance(source, Collection):
        return _of_collection(source)
    if isinstance(source, str | os.PathLike):
        return _of_path(os.fspath(source))
    if is_frame(source):
        return _of_loaded(Loaded(frame_records(source)))
    if isinstance(source, Mapping):
        return Documents(source.items())
    if isinstance(source, Iterable):
        return _of_items(list(source))
    raise FormatError(f"{quoted(source)}: {EXPECTED}")


def is_folder(source: Any) -> bool:
    """Return whether a source is a folder of files, or such a file: no collection, no corpus.

    >>> is_folder("no/such/folder"), is_folder({"a": "One."})
    (False, False)
    """
    if not isinstance(source, str | os.PathLike) or is_url(os.fspath(source)):
        return False
    if is_dataset(source) or is_package(source):
        return False
    path = Path(source)
    if path.is_dir():
        return not any((path / name).exists() for name in (*_CORPORA, "manifest.json"))
    suffix = os.path.splitext(uncompressed_name(path.name))[1].lower()
    return path.is_file() and suffix not in TABLE_SUFFIXES


def _of_items(items: list[Any]) -> Documents:
    if items and all(isinstance(item, Mapping) for item in items):
        return _of_loaded(Loaded([dict(item) for item in items]))
    if any(isinstance(item, str | os.PathLike) for item in items):
        raise FormatError("a list of texts or paths, in which documents have no ids: " + EXPECTED)
    return Documents(foreign_documents(items))


def _of_path(path: str) -> Documents:
    if is_url(path):
        return documents(Collection(path))
    if is_dataset(path):
        return Documents(dataset_documents(path), path)
    if is_package(path):
        return documents(Collection(path))
    for name in _CORPORA:
        if os.path.exists(file := os.path.join(path, name)):
            return _of_path(file)
    if os.path.isdir(path):
        return documents(Collection(path))
    if not os.path.exists(path):
        raise SourceError("no such file or directory", path)
    return _of_loaded(load(path), path)


def _of_collection(collection: Collection) -> Documents:
    trees = collection.nodes, collection.rows, collection.summary
    ids = list(collection.ids())
    paged = page_spans(*trees, ids)
    texts = ((name, collection.text_of(number), paged.get(name)) for number, name in enumerate(ids))
    return Documents(texts, outlines=outlines(*trees, ids))


class _FolderFile(NamedTuple):
    """A document of a folder. sections, pages: those of its tree, if it was read as one.

    kind: the suffix of its file.
    """

    name: str
    text: str
    sections: Sequence[Heading] | None = None
    pages: Sequence[tuple[int, int]] | None = None
    kind: str = ""


def _of_folder(path: str, options: BuildOptions) -> Documents:
    """Return the files of a folder, or one file, as a collection would read them."""
    from doxeval.documents import BuildReport, SourceContents, complete_report

    walk, contents = SourceWalk([path], options), SourceContents(options)
    report = BuildReport()
    files = [
        file for raw in contents.documents(walk.files()) for file in _files(raw, options, report)
    ]
    report.documents = len(files)
    for counts in (walk.take_tally(), contents.tally):
        report.passed_over.update(counts.passed_over)
    complete_report(report, options, path)
    sections = {file.name: file.sections for file in files if file.sections is not None}
    warnings = [
        *(f"not read: {error}" for error in report.broken),
        *report.notes,
        *(f"{path}: {warning}" for warning in report.warnings if warning not in report.notes),
    ]
    return Documents(
        ((file.name, file.text, file.pages) for file in files),
        path,
        sections,
        warnings,
        {file.name: file.kind for file in files},
    )


def _files(raw: RawDocument, options: BuildOptions, report: BuildReport) -> list[_FolderFile]:
    """Return a document of a folder; none if it is a PDF that cannot be read, which is reported.

    Ids may have white space, since no run of chunks is plain text.
    """
    from doxeval.documents import decode_text, read_batch
    from doxeval.documents import load_file as load_bytes

    is_text = raw.format in ("text", "markdown") and options.id_rule.pattern is None
    if is_text and not isinstance(raw.content, Exception):
        # The text is the file: no tree of its paragraphs is needed.
        data = raw.content if isinstance(raw.content, bytes) else None
        data = load_bytes(raw.origin, options.limits) if data is None else data
        name = options.id_rule.from_name(raw.name)
        text = decode_text(data, raw.origin, options.encoding)
        return [_FolderFile(name, text, kind=_suffix(raw.origin))]
    if raw.format == "pdf":
        options = replace(options, skip_broken=True)
    batch = read_batch([raw], options, spaced_ids=True)
    report.broken += batch.broken
    report.notes += batch.notes
    report.selector_use += batch.selector_use
    report.pattern_use += batch.pattern_use
    trees = batch.table.columns, np.array([0, len(batch.table.columns.path)]), batch.table.summary
    return [
        _FolderFile(
            name,
            text.decode(),
            outlines(*trees, [name]).get(name, ()),
            page_spans(*trees, [name]).get(name),
            _suffix(raw.origin),
        )
        for name, text in zip(batch.ids, batch.texts, strict=True)
    ]
