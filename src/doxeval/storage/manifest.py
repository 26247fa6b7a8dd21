"""The manifest of a sealed directory, and the seal on its files.

A collection, or an index, is written once. When it is complete, the size and the SHA-256 of every
file go into the manifest, which contains a checksum of itself. How files are compared with the
manifest: see files.py.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from doxeval.errors import InputError
from doxeval.output import set_aside
from doxeval.storage.hashing import Progress, digest, in_threads
from doxeval.storage.kinds import Kind

NAME = "manifest.json"
LARGEST_SIZE = 1 << 62  # of a file, or of any count; no file system has more


def seal(kind: Kind, directory: Path, facts: Mapping[str, Any]) -> None:
    """Write the manifest over all files of a directory."""
    paths = sorted(directory.iterdir())
    files: dict[str, dict[str, Any]] = {path.name: {"bytes": path.stat().st_size} for path in paths}
    hashed = [name for name in files if name not in kind.unhashed]
    sizes = [files[name]["bytes"] for name in hashed]
    digests = in_threads(lambda name, told: _digest(directory / name, told), hashed, sizes)
    for name, digest_of_file in zip(hashed, digests, strict=True):
        files[name]["sha256"] = digest_of_file
    manifest = {"format": kind.format, "version": kind.version, **facts, "files": files}
    manifest["checksum"] = _checksum(manifest)
    text = json.dumps(manifest, indent=1) + "\n"  # lone surrogates of file names survive
    (directory / NAME).write_text(text, encoding="utf-8")


def _digest(path: Path, progress: Progress) -> str:
    with path.open("rb", buffering=0) as file:
        return digest(file, progress)


def is_sealed(kind: Kind, directory: Path) -> bool:
    """Whether there is one of this kind, of whatever version and state."""
    try:
        return bool(_parsed(kind, directory).get("format") == kind.format)
    except InputError:
        return False


def read_manifest(kind: Kind, directory: Path) -> dict[str, Any]:
    """The manifest of one of this kind, if it is of this version, unaltered and complete."""
    manifest = _parsed(kind, directory)
    return _checked(kind, manifest, str(directory), str(directory / NAME))


def parsed_manifest(kind: Kind, data: bytes, location: str, address: str) -> dict[str, Any]:
    """The same for a manifest that was read at an address, of a directory that is elsewhere."""
    return _checked(kind, _decoded(kind, data, address), location, address)


def _checked(kind: Kind, manifest: dict[str, Any], location: str, address: str) -> dict[str, Any]:
    if manifest.get("format") != kind.format:
        raise kind.error(f"this is not the manifest of {kind.one}", address)
    if manifest.get("version") != kind.version:
        raise kind.error(
            f"the {kind.noun} has format version {str(manifest.get('version'))[:20]}, this doxeval "
            f"reads version {kind.version}; build it again",
            location,
        )
    sealed = {name: value for name, value in manifest.items() if name != "checksum"}
    if manifest.get("checksum") != _checksum(sealed):
        raise kind.error(f"the manifest was altered; {kind.again}", location)
    missing = kind.missing(manifest) or _missing_files(kind, manifest)
    if missing is not None:
        message = f"the manifest has no usable {missing}; {kind.again}"
        raise kind.error(message, address)
    return manifest


def has_counts(manifest: Mapping[str, Any], *names: str) -> bool:
    """Whether the manifest has all these counts, as whole numbers that no file system exceeds.

    >>> has_counts({"counts": {"documents": 3}}, "documents")
    True
    >>> has_counts({"counts": {"documents": -3}}, "documents")
    False
    """
    counts = manifest.get("counts")
    return isinstance(counts, dict) and all(is_size(counts.get(name)) for name in names)


def _parsed(kind: Kind, directory: Path) -> dict[str, Any]:
    path = directory / NAME
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise kind.error(_why_missing(kind, directory), str(directory)) from None
    except OSError as error:
        raise kind.error(error.strerror or str(error), str(path)) from error
    return _decoded(kind, data, str(path))


def _decoded(kind: Kind, data: bytes, origin: str) -> dict[str, Any]:
    damaged = kind.error(f"the manifest is damaged; {kind.again}", origin)
    try:
        manifest = json.loads(data)
    except (ValueError, RecursionError):
        raise damaged from None
    if not isinstance(manifest, dict):
        raise damaged
    return manifest


def _why_missing(kind: Kind, directory: Path) -> str:
    old = set_aside(directory)
    if old is not None and not directory.exists():
        return (
            f"a build was killed while it replaced the {kind.noun}; the old one is {old.name} in "
            "the same directory, and the next build puts it back"
        )
    expected = f"no {kind.noun} here" if directory.is_dir() else "no such directory"
    return f"{expected}; {kind.makes_one}"


def _checksum(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def _missing_files(kind: Kind, manifest: Mapping[str, Any]) -> str | None:
    """What the list of files lacks, if the counts are in order."""
    files = manifest.get("files")
    if not isinstance(files, dict) or not all(_is_file(kind, *entry) for entry in files.items()):
        return "list of files"
    absent = sorted(kind.file_names(manifest["counts"]) - set(files))
    return f"hash of {absent[0]}" if absent else None


def is_size(value: object) -> bool:
    """Whether a value is a whole number that no file system exceeds.

    >>> is_size(3), is_size(-3), is_size(True)
    (True, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LARGEST_SIZE


def _is_file(kind: Kind, name: str, recorded: object) -> bool:
    """Whether an entry is a size and a hash, for a file that lies in the directory itself."""
    if not isinstance(recorded, dict) or not is_size(recorded.get("bytes")):
        return False
    has_hash = isinstance(recorded.get("sha256"), str) or name in kind.unhashed
    return has_hash and name != NAME and re.fullmatch(r"\w[\w.\-]{0,199}", name, re.A) is not None
