"""A far store for tests: `far:///some/directory` is a local directory, read through fsspec.

It notes what is read, and a test can let it fail. In a process of its own it is there after
`import far_store`; `$FAR_STORE_PAUSE` lets every reading take a while.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import fsspec
from fsspec.spec import AbstractFileSystem

Alter = Callable[[str, int, int, bytes], bytes]


def unaltered(name: str, begin: int, end: int, data: bytes) -> bytes:
    return data


class FarStore(AbstractFileSystem):  # type: ignore[misc]  # fsspec has no types
    """Reads ranges of local files."""

    protocol = "far"
    # The names of files, and the ranges that were read of them.
    reads: ClassVar[list[tuple[str, int, int]]] = []
    # May change what is read, or raise an error.
    alter: ClassVar[Alter] = staticmethod(unaltered)
    tells_sizes: ClassVar[bool] = True

    def cat_file(self, path: str, start: Any = None, end: Any = None, **_: Any) -> bytes:
        time.sleep(float(os.environ.get("FAR_STORE_PAUSE", "0")))
        name = os.path.basename(path)
        FarStore.reads.append((name, start, end))
        return FarStore.alter(name, start, end, Path(path).read_bytes()[start:end])

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        size = os.stat(path).st_size if FarStore.tells_sizes else None
        return {"name": path, "size": size, "type": "file"}

    @classmethod
    def reset(cls) -> None:
        cls.reads.clear()
        cls.alter = staticmethod(unaltered)
        cls.tells_sizes = True


def bytes_read(of: Callable[[str], bool] = lambda name: True) -> int:
    return sum(end - begin for name, begin, end in FarStore.reads if of(name))


def files_read() -> set[str]:
    return {name for name, _, _ in FarStore.reads}


fsspec.register_implementation("far", FarStore, clobber=True)
