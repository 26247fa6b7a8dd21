"""Builds of collections in small batches, and what is in the directories that they leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from seams import change, value_of


def in_small_batches(patch: pytest.MonkeyPatch, **sizes: int) -> None:
    """Let builds end batches and shards early, as with far more documents."""
    change(patch, build_sizes=value_of("build_sizes")._replace(**sizes))


def contents(directory: Path) -> dict[str, bytes]:
    """Return the bytes of every file of a directory."""
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def unfinished_in(directory: Path) -> list[str]:
    """Return the names of what unfinished builds have left."""
    return [path.name for path in directory.iterdir() if path.name.startswith(".")]
