"""Documents from whatever holds them: folders, files, frames, and objects of other libraries."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from doxeval.chunks.boundaries import Heading, outlines
from doxeval.chunks.document_records import documents_of_json, texts_of_records
from doxeval.chunks.document_set import Documents
from doxeval.chunks.foreign import foreign_documents
from doxeval.chunks.loading import Loaded, frame_records, is_frame, load
from doxeval.documents import SUFFIXES, Collection, SourceWalk
from doxeval.errors import FormatError, SourceError, warn
from doxeval.messages import quoted
from doxeval.named import checked
from doxeval.storage import is_url

if TYPE_CHECKING:
    from doxeval.documents import BuildOptions, RawDocument

EXPECTED = (
    "expected a folder, a file of JSONL, JSON, CSV or Parquet, a dict {id: text}, a data frame, a "
    "collection, or documents of LangChain, LlamaIndex or Haystack"
)


@checked
def documents(source: Any) -> Documents:
    """The documents of a source, texts by id, in its order.

    A folder has a document in each file: plain text and Markdown are the file itself, XML and HTML
    are their text, as in a collection; its ids are the paths of the files, without the suffixes
    that nobody needs to tell them apart. A file has a document in each record, with "id" and
    "text"; a corpus of BEIR ("_id", "title", "text") has the title as the first line of the text,
    since that is what is searched there. Files, frames and lists of SQuAD, QASPER, HotpotQA,
    2WikiMultihopQA, MuSiQue and Natural Questions hold the documents of their questions.

    Files of a folder that are no documents are not read; `warnings` of the result counts them.

    >>> documents({"faq": "How to return a parcel."})
    Documents(1 document, 23 characters)
    """
    found = _documents_of(source)
    warn(warnings_about(found, source))
    return found


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


def _of_items(items: list[Any]) -> Documents:
    if items and all(isinstance(item, Mapping) for item in items):
        return _of_loaded(Loaded([dict(item) for item in items]))
    if any(isinstance(item, str | os.PathLike) for item in items):
        raise FormatError("a list of texts or paths, in which documents have no ids: " + EXPECTED)
    return Documents(foreign_documents(items))


def _of_loaded(loaded: Loaded) -> Documents:
    found = documents_of_json(loaded)
    return Documents(texts_of_records(loaded) if found is None else found, loaded.origin)


def _of_path(path: str) -> Documents:
    if is_url(path):
        return documents(Collection(path))
    if os.path.isdir(path):
        if os.path.exists(os.path.join(path, "corpus.jsonl")):  # as BEIR has it
            return _of_path(os.path.join(path, "corpus.jsonl"))
        if os.path.exists(os.path.join(path, "manifest.json")):
            return documents(Collection(path))
        return _of_files(path)
    if not os.path.exists(path):
        raise SourceError("no such file or directory", path)
    if Path(path).suffix.lower() in (".md", ".markdown", ".txt", ".text", ".html", ".htm", ".xml"):
        return _of_files(path)
    return _of_loaded(load(path))


def _of_collection(collection: Collection) -> Documents:
    numbers = range(len(collection))
    texts = ((collection.id_of(number), collection.text_of(number)) for number in numbers)
    sections = outlines(
        collection.nodes, collection.rows, collection.summary, map(collection.id_of, numbers)
    )
    return Documents(texts, outlines=sections)


class _File(NamedTuple):
    """A document of a folder. sections: its own, if it was read as a tree."""

    name: str
    text: str
    sections: Sequence[Heading] | None = None


def _of_files(path: str) -> Documents:
    """The files of a folder, or one file, as a collection would read them."""
    from doxeval.documents import BuildOptions, IdRule, SourceContents

    options = BuildOptions(id_rule=IdRule.parse("path"))
    walk, contents = SourceWalk([path], options), SourceContents(options)
    files = [_file(raw, options) for raw in contents.documents(walk.files())]
    if not files:
        expected = ", ".join(SUFFIXES)
        raise SourceError(f"no documents found; looked for files ending in {expected}", path)
    sections = {one.name: one.sections for one in files if one.sections is not None}
    tally = walk.take_tally()
    tally.add(contents.tally)
    warnings = [f"{path}: {warning}" for warning in tally.warnings]
    return Documents(((one.name, one.text) for one in files), path, sections, warnings)


def _file(raw: RawDocument, options: BuildOptions) -> _File:
    """The id and the text of a document. No run of chunks is text, so ids may have white space."""
    from doxeval.documents import decode_text, read_batch
    from doxeval.documents import load_file as load_bytes

    if raw.format in ("text", "markdown") and not isinstance(raw.content, Exception):
        # The text is the file: no tree of its paragraphs is needed.
        data = raw.content if isinstance(raw.content, bytes) else None
        data = load_bytes(raw.origin, options.limits) if data is None else data
        return _File(raw.name, decode_text(data, raw.origin))
    batch = read_batch([raw], options, spaced_ids=True)
    rows = np.array([0, len(batch.table.columns.path)])
    own = outlines(batch.table.columns, rows, batch.table.summary, batch.ids)
    return _File(batch.ids[0], batch.texts[0].decode(), own.get(batch.ids[0], ()))
