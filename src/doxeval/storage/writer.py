"""Writing a collection or an index into a temporary directory, put in its place at the end.

Until then the directory is locked, and what it replaces stays as it was (see output.py).
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from doxeval.errors import OutputError, output_errors
from doxeval.messages import Parameter
from doxeval.output import flush_to_disk, make_parents, move_into_place, restore, temporary_output
from doxeval.storage.files import Progress, digest, map_in_threads
from doxeval.storage.manifest import (
    HEADER_BYTES,
    MANIFEST_NAME,
    Column,
    StoreType,
    is_stored,
    manifest_checksum,
    refuse_url,
)

_SCRATCH = "scratch"


class StoreWriter:
    """Writes the files of a collection or an index.

    A context manager: `finish` writes the manifest and puts all files in their place; after an
    exception, nothing is left behind. With `force`, it replaces another of the same type.
    """

    def __init__(self, store_type: StoreType, out: Path, *, force: bool = False) -> None:
        self.out = out
        self._store_type = store_type
        self._force = force
        self._files: list[BinaryIO | ColumnFile] = []
        self._resources = ExitStack()
        refuse_url(out)
        with output_errors(out):
            # A link stays, and what it points to is replaced.
            self._target = out.resolve() if out.is_symlink() and out.exists() else out.absolute()
            restore(self._target)
            self._refuse_existing()

    def __enter__(self) -> Self:
        with output_errors(self.out), self._resources:
            self._resources.enter_context(make_parents(self._target.parent))
            temporary = temporary_output(self._target, "building", Path.mkdir)
            self.directory = self._resources.enter_context(temporary)
            self.begin()
            self._resources = self._resources.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._resources.__exit__(kind, error, trace)

    def begin(self) -> None:
        """Open what is to be open from the beginning, in the directory that was just made."""

    def column(self, name: str, dtype: npt.DTypeLike) -> ColumnFile:
        """Begin an array in the file `name.npy`; `finish` finishes it, too."""
        with output_errors(self.out):
            column = ColumnFile(self.directory / f"{name}.npy", dtype)
        self._resources.callback(column.close)
        self._files.append(column)
        return column

    def whole_column(self, name: str, values: npt.NDArray[Any]) -> None:
        """Write an array that is complete."""
        column = self.column(name, values.dtype)
        with output_errors(self.out):
            column.append(values)
            column.finish()

    def file(self, name: str) -> BinaryIO:
        """Begin a file. If it is left open, `finish` sees to it that it is on disk."""
        file = self._open(self.directory / name)
        self._files.append(file)
        return file

    def scratch_file(self, name: str) -> BinaryIO:
        """Begin a file that is needed only until `finish`."""
        return self._open(self.scratch(name))

    def _open(self, path: Path) -> BinaryIO:
        with output_errors(self.out):
            file = path.open("wb")
        self._resources.callback(close_quietly, file)
        return file

    @property
    def scratch_directory(self) -> Path:
        """The directory that is removed at `finish`, if somebody has made it."""
        return self.directory / _SCRATCH

    def scratch(self, name: str) -> Path:
        """Return where a file can be written that is needed only until `finish`."""
        with output_errors(self.out):
            self.scratch_directory.mkdir(exist_ok=True)
        return self.scratch_directory / name

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Complete all files, write the manifest with these facts, and put them in their place."""
        with output_errors(self.out):
            for file in self._files:
                if isinstance(file, ColumnFile):
                    file.finish()
                else:
                    close_on_disk(file)
            if self.scratch_directory.exists():
                shutil.rmtree(self.scratch_directory)
            _write_manifest(self._store_type, self.directory, facts)
            self._refuse_existing()
            if self._force:
                move_into_place(self.directory, self._target)
                return
            try:
                self.directory.rename(self._target)
            except OSError:
                self._refuse_existing()  # another build was quicker
                raise

    def _refuse_existing(self) -> None:
        """Refuse to replace anything, but one of this type or an empty directory with `force`."""
        out, store_type = self.out, self._store_type
        if not out.exists() and not out.is_symlink():
            return
        if not self._force:
            force = Parameter("force", True)
            raise OutputError(f"{out} exists; " + force + f" replaces {store_type.one}")
        is_empty = out.is_dir() and not any(out.iterdir())
        if not is_stored(store_type, out) and not is_empty:
            raise OutputError(f"{out} exists and is not {store_type.one}; it is not replaced")


class ColumnFile:
    """A one-dimensional `.npy` file that grows.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "squares.npy"
    >>> column = ColumnFile(path, "<i4")
    >>> column.append([0, 1])
    >>> column.append([4])
    >>> column.finish()
    >>> np.load(path).tolist()
    [0, 1, 4]
    """

    def __init__(self, path: Path, dtype: npt.DTypeLike) -> None:
        self.path = path
        self._dtype = np.dtype(dtype)
        self._count = 0
        self._file = path.open("wb")
        self._file.write(Column(self._dtype, 0).header)

    def append(self, values: npt.ArrayLike) -> None:
        """Add values at the end."""
        array = np.ascontiguousarray(values, dtype=self._dtype)
        self._count += array.size
        self._file.write(array.data)

    def reserve(self, count: int) -> None:
        """Make room for values at the end that others write (see `write_values`)."""
        self._count += count
        self._file.seek(count * self._dtype.itemsize, os.SEEK_CUR)

    def finish(self) -> None:
        """Write the final header, and make sure that everything is on disk; once is enough."""
        if self._file.closed:
            return
        self._file.seek(0)
        self._file.write(Column(self._dtype, self._count).header)
        close_on_disk(self._file)

    def close(self) -> None:
        """Close the file, finished or not."""
        close_quietly(self._file)


def write_values(path: Path, first: int, values: npt.NDArray[Any]) -> None:
    """Write values of the file's type into room that was reserved, from the one numbered `first`.

    Any number of processes may do so at the same time.
    """
    with path.open("r+b", buffering=0) as file:
        file.seek(HEADER_BYTES + first * values.itemsize)
        data = np.ascontiguousarray(values).view(np.uint8).data
        while data:  # a full disk may take a part of it, and refuses the rest
            data = data[file.write(data) :]


def close_on_disk(file: BinaryIO) -> None:
    """Close a file that is complete, when it is on disk; once is enough."""
    if not file.closed:
        flush_to_disk(file)
        file.close()


def close_quietly(file: BinaryIO) -> None:
    """Close a file that may be incomplete."""
    with suppress(OSError):  # a full disk was reported when it was first noticed
        file.close()


def _write_manifest(store_type: StoreType, directory: Path, facts: Mapping[str, Any]) -> None:
    """Write the manifest over all files of a directory."""
    paths = sorted(directory.iterdir())
    files: dict[str, dict[str, Any]] = {path.name: {"bytes": path.stat().st_size} for path in paths}
    hashed = [name for name in files if name not in store_type.unhashed]
    sizes = [files[name]["bytes"] for name in hashed]

    def hash_file(name: str, progress: Progress) -> str:
        with (directory / name).open("rb", buffering=0) as file:
            return digest(file, progress)

    for name, sha256 in zip(hashed, map_in_threads(hash_file, hashed, sizes), strict=True):
        files[name]["sha256"] = sha256
    manifest = {"format": store_type.format, "version": store_type.version, **facts, "files": files}
    manifest["checksum"] = manifest_checksum(manifest)
    text = json.dumps(manifest, indent=1) + "\n"  # lone surrogates of file names survive
    (directory / MANIFEST_NAME).write_bytes(text.encode())  # the same bytes on every system
