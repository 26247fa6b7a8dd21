"""What many tests use: data, files written on the spot, and the command line as a user calls it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from doxeval.cli import INTERNAL_ERROR, main
from doxeval.documents import Collection

ROOT = Path(__file__).resolve().parents[1]
Builder = Callable[..., Collection]

# Small cases of our own making; tests/data/README.md tells where each comes from.
DATA = ROOT / "tests" / "data"
# Large real inputs and other programs' answers. They are not ours to copy, so they are used where
# they lie beside the project.
CONFORMANCE = ROOT.parent / "shared" / "conformance"
needs_conformance = pytest.mark.skipif(
    not CONFORMANCE.is_dir(),
    reason="the real conformance data (../shared/conformance) are not beside the project",
)
needs_named_pipes = pytest.mark.skipif(
    not hasattr(os, "mkfifo"), reason="this system has no named pipes"
)


def write_files(directory: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, contents in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
    return directory


def doxeval(*arguments: object) -> Result:
    """Call the command line; an exception that nobody expected fails the test."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert INTERNAL_ERROR not in result.stderr, result.stderr
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result
