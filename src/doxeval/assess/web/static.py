"""The script and the style of the pages, which never change under one name."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources
from typing import NamedTuple

TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}
FOREVER = "public, max-age=31536000, immutable"


class Asset(NamedTuple):
    """A file as it is served."""

    content: bytes
    type: str


@dataclass(frozen=True)
class Assets:
    """Files by the names they are served under, which contain a hash of their content."""

    files: dict[str, Asset]
    script: str
    style: str


def read_assets() -> Assets:
    """The files of the package.

    >>> read_assets().script[:7]
    'assess-'
    """
    files = {}
    names = {}
    for ending, kind in TYPES.items():
        place = resources.files("doxeval.assess") / "assets" / f"assess.{ending}"
        content = place.read_bytes()
        names[ending] = f"assess-{hashlib.sha256(content).hexdigest()[:16]}.{ending}"
        files[names[ending]] = Asset(content, kind)
    return Assets(files, names["js"], names["css"])
