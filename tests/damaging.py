"""Ways to damage a collection on disk."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def rot(file: Path, offset: int = -1, bits: int = 1) -> None:
    """Change a byte, and leave no trace in the size and the time stamp."""
    state = file.stat()
    data = bytearray(file.read_bytes())
    data[offset] ^= bits
    with file.open("r+b") as opened:
        opened.write(data)
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))


def forge(collection: Path, name: str, contents: bytes) -> None:
    """Put other contents into a file, and make the manifest vouch for them."""
    (collection / name).write_bytes(contents)

    def recorded(manifest: dict[str, Any]) -> None:
        manifest["files"][name]["bytes"] = len(contents)
        if name != "text.bin":
            manifest["files"][name]["sha256"] = hashlib.sha256(contents).hexdigest()

    forge_manifest(collection, recorded)


def forge_manifest(collection: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the manifest, and make its checksum right again."""
    path = collection / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["checksum"]
    change(manifest)
    text = json.dumps(manifest, sort_keys=True)
    manifest["checksum"] = hashlib.sha256(text.encode()).hexdigest()
    path.write_text(json.dumps(manifest))


def forge_column(collection: Path, name: str, row: int, value: int) -> None:
    """Put another value into a column, and make the manifest vouch for it."""
    file = f"{name}.npy"
    data = (collection / file).read_bytes()
    column = np.load(collection / file, allow_pickle=False).copy()
    column[row] = value
    forge(collection, file, data[:128] + column.tobytes())


def without_statistics(collection: Path) -> None:
    """Make a collection one that was built before statistics were kept."""
    (collection / "summary.elements.npy").unlink()

    def forget(manifest: dict[str, Any]) -> None:
        del manifest["files"]["summary.elements.npy"]
        del manifest["statistics"]

    forge_manifest(collection, forget)
