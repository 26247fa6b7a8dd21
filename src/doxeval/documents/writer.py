"""Writing a collection: batch after batch into its files, which are sealed at the end.

nodes.COLUMN.npy            the node table (see nodes.py)
documents.rows.npy          the first row of each document, and the number of all rows
documents.ids.txt           one id per line
documents.id_ends.npy       where each line ends
documents.origins.txt       the source of each document, one per line
documents.sha256.npy        the hash of each document's text, 32 bytes each
documents.index_*.npy       ids to document numbers (see id_index.py)
documents.text_ends.npy     where each document's text ends, in all parts of the text
summary.parent.npy, summary.tag.npy, summary.tags.json     the path summary
summary.elements.npy        how many elements have each path
text.bin, text.0001.bin, …  the texts in UTF-8, plain or one zstd frame each; large ones in parts
manifest.json               counts, statistics, the options of the build, the hashes of all files
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from doxeval.documents.batch import Batch
from doxeval.documents.id_index import DuplicateId, number_type
from doxeval.documents.id_index_builder import IdIndexBuilder
from doxeval.documents.ids import IdRule
from doxeval.documents.layout import IDS_FILE, ORIGINS_FILE, TAGS_FILE, text_part
from doxeval.documents.manifest import COLLECTION
from doxeval.documents.nodes import COLUMNS
from doxeval.documents.statistics import StatisticsBuilder
from doxeval.documents.summary import SummaryBuilder
from doxeval.errors import DocumentError, output_errors
from doxeval.sealed.writer import SealedWriter
from doxeval.wording import brief


class CollectionWriter:
    """Writes batches of documents into a new collection.

    A context manager: `finish` puts the complete collection in its place; after an exception,
    nothing is left behind.
    """

    def __init__(self, out: Path, *, force: bool = False, id_rule: IdRule | None = None) -> None:
        self._named = out
        self._id_rule = id_rule
        self._sealed = SealedWriter(COLLECTION, out, force=force)
        self._ids = IdIndexBuilder(self._sealed.scratch)
        self._summary = SummaryBuilder()
        self._statistics = StatisticsBuilder()
        self._rows = 0
        self._text_bytes = 0
        self._part = 0
        self._part_begin = 0
        self._part_is_full = False
        self._id_bytes = 0
        self.documents = 0
        self.source_bytes = 0

    def __enter__(self) -> CollectionWriter:
        with ExitStack() as resources, output_errors(self._named):
            resources.enter_context(self._sealed)
            self._open()
            resources.pop_all()
        return self

    def _open(self) -> None:
        columns = {
            **{f"nodes.{name}": np.int32 for name in COLUMNS},
            "documents.rows": np.int64,
            "documents.id_ends": np.int64,
            "documents.text_ends": np.int64,
            "documents.sha256": np.uint8,
        }
        self._columns = {name: self._sealed.column(name, dtype) for name, dtype in columns.items()}
        self._columns["documents.rows"].append([0])
        self._id_lines = self._sealed.file(IDS_FILE)
        self._origin_lines = self._sealed.file(ORIGINS_FILE)
        self._text = self._sealed.file(text_part(0))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._sealed.__exit__(kind, error, trace)

    def append(self, batch: Batch) -> None:
        """Add a batch at the end."""
        with output_errors(self._named):
            self._append(batch)

    def _append(self, batch: Batch) -> None:
        self._append_ids(batch)
        table = batch.table
        path_here = self._summary.absorb(table.summary)
        self._statistics.add(table, path_here)
        path = path_here[table.columns.path]
        for name, values in table.columns._replace(path=path)._asdict().items():
            self._columns[f"nodes.{name}"].append(values)
        self._columns["documents.rows"].append(self._rows + np.cumsum(table.rows))
        self._rows += int(table.rows.sum())
        self._append_text(batch)
        self.documents += len(batch.ids)
        self.source_bytes += batch.source_bytes

    def end_part(self) -> None:
        """Put the texts that follow into another part; a part is never empty but for the first."""
        self._part_is_full = self._text_bytes > self._part_begin

    def _append_text(self, batch: Batch) -> None:
        texts = b"".join(batch.texts)
        if texts and self._part_is_full:
            self._next_part()
        self._text.write(texts)
        sizes = [len(text) for text in batch.texts]
        self._columns["documents.text_ends"].append(self._text_bytes + np.cumsum(sizes))
        self._text_bytes += sum(sizes)
        self._columns["documents.sha256"].append(np.frombuffer(batch.hashes, dtype=np.uint8))

    def _next_part(self) -> None:
        self._part += 1
        self._part_begin = self._text_bytes
        self._part_is_full = False
        self._text = self._sealed.file(text_part(self._part))

    def _append_ids(self, batch: Batch) -> None:
        lines = [document_id.encode() + b"\n" for document_id in batch.ids]
        self._id_lines.write(b"".join(lines))
        ends = self._id_bytes + np.cumsum([len(line) for line in lines], dtype=np.int64)
        self._columns["documents.id_ends"].append(ends)
        self._id_bytes = int(ends[-1]) if len(ends) else self._id_bytes
        self._origin_lines.write(b"".join(_as_line(origin) for origin in batch.origins))
        try:
            self._ids.add(batch.ids)
        except DuplicateId as error:
            raise self._duplicate(error) from None

    def finish(self, facts: dict[str, Any]) -> None:
        """Complete the collection and put it in its place."""
        self._write_index()
        summary = self._summary.finish()
        self._sealed.whole_column("summary.parent", summary.parent_of)
        self._sealed.whole_column("summary.tag", summary.tag_of)
        elements = self._statistics.elements(len(summary))
        self._sealed.whole_column("summary.elements", elements)
        with output_errors(self._named):
            tags = json.dumps(summary.tags, ensure_ascii=False)
            self._sealed.file(TAGS_FILE).write(tags.encode())
        counts = {
            "documents": self.documents,
            "elements": self._rows,
            "paths": len(summary),
            "tags": len(summary.tags),
            "source_bytes": self.source_bytes,
        }
        statistics = self._statistics.totals._asdict()
        self._sealed.finish({**facts, "counts": counts, "statistics": statistics})

    def _write_index(self) -> None:
        half = np.dtype(np.uint64)
        types = {"keys": half, "checks": half, "numbers": number_type(self.documents)}
        columns = {
            name: self._sealed.column(f"documents.index_{name}", dtype)
            for name, dtype in types.items()
        }
        try:
            with output_errors(self._named):
                for block in self._ids.blocks():
                    for name, values in block._asdict().items():
                        columns[name].append(values)
        except DuplicateId as error:
            raise self._duplicate(error) from None

    def _duplicate(self, error: DuplicateId) -> DocumentError:
        self._id_lines.flush()
        self._origin_lines.flush()
        document_id = _line(self._sealed.directory / IDS_FILE, error.number)
        earlier, origin = (
            _line(self._sealed.directory / ORIGINS_FILE, number)
            for number in (error.earlier, error.number)
        )
        message = f"duplicate document id {brief(document_id)}, first given to {earlier}"
        if self._id_rule is not None and self._id_rule.text == "stem":
            message += "; id_rule='path' tells files of different directories apart"
        if self._id_rule is not None and self._id_rule.text == "path":
            message += "; to tell them apart, give a directory above both as the source"
        return DocumentError(message, origin)


def _as_line(text: str) -> bytes:
    return text.replace("\n", "\\n").encode("utf-8", "surrogateescape") + b"\n"


def _line(path: Path, number: int) -> str:
    with path.open("rb") as lines:
        return (
            next(line for at, line in enumerate(lines) if at == number)
            .decode(errors="surrogateescape")
            .rstrip("\n")
        )
