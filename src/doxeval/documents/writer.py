"""Writing a collection into a temporary directory, which is put in its place at the end.

Until then the directory is locked, and an old collection stays as it was (see unfinished.py).

nodes.COLUMN.npy            the node table (see nodes.py)
documents.rows.npy          the first row of each document, and the number of all rows
documents.ids.txt           one id per line
documents.id_ends.npy       where each line ends
documents.origins.txt       the source of each document, one per line
documents.sha256.npy        the hash of each document's text, 32 bytes each
documents.index_*.npy       ids to document numbers (see id_index.py)
documents.text_ends.npy     where each document's text ends in text.bin
summary.parent.npy, summary.tag.npy, summary.tags.json     the path summary
text.bin                    the texts in UTF-8, plain or one zstd frame each
manifest.json               counts, the options of the build, the hashes of all files
"""

from __future__ import annotations

import json
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from doxeval.documents import manifest
from doxeval.documents.batch import Batch
from doxeval.documents.id_index import DuplicateId, IdIndexBuilder
from doxeval.documents.ids import IdRule
from doxeval.documents.layout import Column
from doxeval.documents.nodes import COLUMNS
from doxeval.documents.summary import SummaryBuilder
from doxeval.errors import DocumentError, OutputError
from doxeval.files import on_disk, output_errors
from doxeval.unfinished import parents_made, put_in_place, restore, unfinished
from doxeval.wording import brief


class ColumnFile:
    """A one-dimensional `.npy` file that grows."""

    def __init__(self, path: Path, dtype: npt.DTypeLike) -> None:
        self._dtype = np.dtype(dtype)
        self._count = 0
        self._file = path.open("wb")
        self._file.write(self._header())

    def append(self, values: npt.ArrayLike) -> None:
        """Add values at the end."""
        array = np.ascontiguousarray(values, dtype=self._dtype)
        self._count += array.size
        self._file.write(array.data)

    def finish(self) -> None:
        """Write the final header, and make sure that everything is on disk."""
        self._file.seek(0)
        self._file.write(self._header())
        _finished(self._file)

    def close(self) -> None:
        """Close the file, finished or not."""
        _give_up(self._file)

    def _header(self) -> bytes:
        return Column(self._dtype, self._count).header


class CollectionWriter:
    """Writes batches of documents into a new collection.

    A context manager: `finish` puts the complete collection in its place; after an exception,
    nothing is left behind.
    """

    def __init__(self, out: Path, *, force: bool = False, id_rule: IdRule | None = None) -> None:
        self._named = out
        self._force = force
        self._id_rule = id_rule
        self._resources = ExitStack()
        self._ids = IdIndexBuilder()
        self._summary = SummaryBuilder()
        self._rows = 0
        self._text_bytes = 0
        self._id_bytes = 0
        self.documents = 0
        self.source_bytes = 0
        with output_errors(out):
            # A link stays, and what it points to is replaced.
            self._out = out.resolve() if out.is_symlink() and out.exists() else out.absolute()
            restore(self._out)
            refuse_existing(out, force)

    def __enter__(self) -> CollectionWriter:
        with ExitStack() as resources, output_errors(self._named):
            resources.enter_context(parents_made(self._out.parent))
            place = unfinished(self._out, "building", Path.mkdir)
            self._directory = resources.enter_context(place)
            self._open(resources)
            self._resources = resources.pop_all()
        return self

    def _open(self, resources: ExitStack) -> None:
        self._resources = resources
        columns = {
            **{f"nodes.{name}": np.int32 for name in COLUMNS},
            "documents.rows": np.int64,
            "documents.id_ends": np.int64,
            "documents.text_ends": np.int64,
            "documents.sha256": np.uint8,
        }
        self._columns = {name: self._column(name, dtype) for name, dtype in columns.items()}
        self._columns["documents.rows"].append([0])
        self._id_lines = self._file("documents.ids.txt")
        self._origin_lines = self._file("documents.origins.txt")
        self._text = self._file(manifest.TEXT_FILE)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._resources.__exit__(kind, error, trace)

    def _column(self, name: str, dtype: npt.DTypeLike) -> ColumnFile:
        column = ColumnFile(self._directory / f"{name}.npy", dtype)
        self._resources.callback(column.close)
        return column

    def _file(self, name: str) -> BinaryIO:
        file = (self._directory / name).open("wb")
        self._resources.callback(_give_up, file)
        return file

    def append(self, batch: Batch) -> None:
        """Add a batch at the end."""
        with output_errors(self._named):
            self._append(batch)

    def _append(self, batch: Batch) -> None:
        try:
            self._ids.add(batch.ids)
        except DuplicateId as error:
            raise self._duplicate(batch, error) from None
        table = batch.table
        path = self._summary.absorb(table.summary)[table.columns.path]
        for name, values in table.columns._replace(path=path)._asdict().items():
            self._columns[f"nodes.{name}"].append(values)
        self._columns["documents.rows"].append(self._rows + np.cumsum(table.rows))
        self._rows += int(table.rows.sum())
        self._append_text(batch)
        self._append_ids(batch)
        self.documents += len(batch.ids)
        self.source_bytes += batch.source_bytes

    def _append_text(self, batch: Batch) -> None:
        self._text.write(b"".join(batch.texts))
        sizes = [len(text) for text in batch.texts]
        self._columns["documents.text_ends"].append(self._text_bytes + np.cumsum(sizes))
        self._text_bytes += sum(sizes)
        self._columns["documents.sha256"].append(np.frombuffer(batch.hashes, dtype=np.uint8))

    def _append_ids(self, batch: Batch) -> None:
        lines = [document_id.encode() + b"\n" for document_id in batch.ids]
        self._id_lines.write(b"".join(lines))
        ends = self._id_bytes + np.cumsum([len(line) for line in lines], dtype=np.int64)
        self._columns["documents.id_ends"].append(ends)
        self._id_bytes = int(ends[-1]) if len(ends) else self._id_bytes
        self._origin_lines.write(b"".join(_as_line(origin) for origin in batch.origins))

    def finish(self, facts: dict[str, Any]) -> None:
        """Complete the collection and put it in its place."""
        with output_errors(self._named):
            self._complete(facts)
            self._put_in_place()

    def _complete(self, facts: dict[str, Any]) -> None:
        index = self._ids.finish()
        for name, values in index._asdict().items():
            self._write_column(f"documents.index_{name}", values)
        summary = self._summary.finish()
        self._write_column("summary.parent", summary.parent_of)
        self._write_column("summary.tag", summary.tag_of)
        tags = json.dumps(summary.tags, ensure_ascii=False)
        (self._directory / "summary.tags.json").write_text(tags, encoding="utf-8")
        for column in self._columns.values():
            column.finish()
        for file in (self._id_lines, self._origin_lines, self._text):
            _finished(file)
        counts = {
            "documents": self.documents,
            "elements": self._rows,
            "paths": len(summary),
            "tags": len(summary.tags),
            "source_bytes": self.source_bytes,
        }
        manifest.seal(self._directory, {**facts, "counts": counts})

    def _write_column(self, name: str, values: npt.NDArray[Any]) -> None:
        column = self._column(name, values.dtype)
        column.append(values)
        column.finish()

    def _put_in_place(self) -> None:
        refuse_existing(self._named, self._force)
        if self._force:
            put_in_place(self._directory, self._out)
            return
        try:
            self._directory.rename(self._out)
        except OSError:
            refuse_existing(self._named, self._force)  # another build was quicker
            raise

    def _duplicate(self, batch: Batch, error: DuplicateId) -> DocumentError:
        if error.earlier >= self.documents:
            earlier = batch.origins[error.earlier - self.documents]
        else:
            self._origin_lines.flush()
            earlier = _line(self._directory / "documents.origins.txt", error.earlier)
        message = f"duplicate document id {brief(batch.ids[error.index])}, first given to {earlier}"
        if self._id_rule is not None and self._id_rule.text == "stem":
            message += "; id_rule='path' tells files of different directories apart"
        if self._id_rule is not None and self._id_rule.text == "path":
            message += "; to tell them apart, give a directory above both as the source"
        return DocumentError(message, batch.origins[error.index])


def refuse_existing(out: Path, force: bool) -> None:
    """Refuse to replace anything, except a collection or an empty directory with `force`."""
    if not out.exists() and not out.is_symlink():
        return
    if not force:
        raise OutputError(f"{out} exists; force=True replaces a collection")
    if not manifest.is_collection(out) and not _is_empty_directory(out):
        raise OutputError(f"{out} exists and is not a collection; it is not replaced")


def _is_empty_directory(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _finished(file: BinaryIO) -> None:
    on_disk(file)
    file.close()


def _give_up(file: BinaryIO) -> None:
    with suppress(OSError):  # a full disk was reported when it was first noticed
        file.close()


def _as_line(text: str) -> bytes:
    return text.replace("\n", "\\n").encode("utf-8", "surrogateescape") + b"\n"


def _line(path: Path, number: int) -> str:
    with path.open("rb") as lines:
        return (
            next(line for at, line in enumerate(lines) if at == number)
            .decode(errors="surrogateescape")
            .rstrip("\n")
        )
