"""Pictures of documents: files of the organiser's folder, if a document names them.

The page asks for a picture by its number in a document, never by a name; the name comes from the
collection. The file must lie in the folder, wherever links lead, and must have the ending and the
first bytes of a PNG, JPEG, GIF, WebP or AVIF, and not be too large. SVG may hold scripts
and links, so it is never served, and neither is anything else.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from doxeval.assess.web.wire import PictureData
from doxeval.errors import InputError
from doxeval.messages import Parameter

if TYPE_CHECKING:
    from doxeval.documents import DisplayFact

LARGEST_PICTURE = 20 << 20  # bytes
# The type of each ending, and how such a file begins: bytes, and where they are.
_TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
}
_BEGINNINGS: dict[str, tuple[tuple[int, bytes], ...]] = {
    "image/png": ((0, b"\x89PNG\r\n\x1a\n"),),
    "image/jpeg": ((0, b"\xff\xd8\xff"),),
    "image/gif": ((0, b"GIF8"),),
    "image/webp": ((0, b"RIFF"), (8, b"WEBP")),
    "image/avif": ((4, b"ftyp"), (8, b"avi")),
}


class Picture(NamedTuple):
    """A picture of a document: its element, the file that it names, and words that stand for it."""

    element: int
    name: str | None
    alt: str


def pictures_of(facts: Sequence[DisplayFact]) -> list[Picture]:
    """Return the pictures of a document in their order; words follow the file that they are about.

    >>> from doxeval.documents import DisplayFact
    >>> pictures_of([DisplayFact(2, "picture", "a.png"), DisplayFact(2, "alt", "A boat")])
    [Picture(element=2, name='a.png', alt='A boat')]
    """
    pictures: list[Picture] = []
    for element, name, value in facts:
        if name == "picture":
            pictures.append(Picture(element, value, ""))
        elif name == "alt":
            last = pictures[-1] if pictures else None
            if last is not None and last.element == element and not last.alt:
                pictures[-1] = last._replace(alt=value)
            else:
                pictures.append(Picture(element, None, value))
    return pictures


def shown_pictures(facts: Sequence[DisplayFact], folder: PictureFolder | None) -> list[PictureData]:
    """Return what the page needs to know of the pictures of a document."""
    return [
        PictureData(
            picture.element,
            picture.alt,
            number if folder is not None and folder.has(picture.name) else None,
        )
        for number, picture in enumerate(pictures_of(facts))
    ]


class PictureFolder:
    """The folder from which pictures are served.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = (Path(place) / "a.gif").write_bytes(b"GIF89a")
    ...     folder = PictureFolder(Path(place))
    ...     folder.read("a.gif"), folder.read("../a.gif"), folder.has("b.gif")
    ((b'GIF89a', 'image/gif'), None, False)
    """

    def __init__(self, directory: Path) -> None:
        if not directory.is_dir():
            raise InputError(Parameter("assets", str(directory)) + " is not a directory")
        self._root = directory.resolve()

    def has(self, name: str | None) -> bool:
        """Return whether there is a file that may be a picture."""
        path = None if name is None else self._path(name)
        try:
            return path is not None and 0 < path.stat().st_size <= LARGEST_PICTURE
        except OSError:
            return False

    def read(self, name: str) -> tuple[bytes, str] | None:
        """Return a picture and its type; None if it is none, too large, or not in the folder."""
        path = self._path(name)
        if path is None:
            return None
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            with os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return None
                data = file.read(LARGEST_PICTURE + 1)
        except OSError:
            return None
        media = _TYPES[path.suffix[1:].lower()]
        fits = all(data.startswith(part, at) for at, part in _BEGINNINGS[media])
        return (data, media) if fits and len(data) <= LARGEST_PICTURE else None

    def _path(self, name: str) -> Path | None:
        """Return the file of a name, all links followed, if it lies in the folder."""
        parts = name.split("/")
        if "\0" in name or "\\" in name or not {"", ".", ".."}.isdisjoint(parts):
            return None
        try:
            path = self._root.joinpath(*parts).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            return None
        is_inside = path.is_relative_to(self._root) and path.is_file()
        return path if is_inside and path.suffix[1:].lower() in _TYPES else None
