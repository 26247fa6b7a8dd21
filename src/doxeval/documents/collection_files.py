"""The open files of a collection, with what a collection's own files must agree on."""

from __future__ import annotations

import json
from pathlib import Path

from doxeval.documents.layout import IDS_FILE, TAGS_FILE, text_parts
from doxeval.documents.manifest import COLLECTION
from doxeval.documents.text import MappedText, TextBytes
from doxeval.sealed.files import SealedFiles


class CollectionFiles(SealedFiles):
    """The open files of a collection, and its manifest."""

    def __init__(self, directory: Path) -> None:
        super().__init__(COLLECTION, directory)
        self._check_ends()

    def tags(self) -> list[str]:
        """The tags of all elements."""
        try:
            tags = json.loads(self.raw(TAGS_FILE).tobytes().decode())
        except (ValueError, RecursionError):
            tags = None
        if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
            raise self.damaged(TAGS_FILE, "expected a list of tags")
        if len(set(tags)) != len(tags) or len(tags) != self.manifest["counts"]["tags"]:
            raise self.damaged(TAGS_FILE, "expected different tags, as many as the manifest says")
        return tags

    def text(self) -> TextBytes:
        """The texts of all documents, one after another."""
        parts = text_parts(self.manifest["files"])
        paths = [str(self.directory / name) for name in parts]
        return MappedText([self.raw(name) for name in parts], paths)

    def _check_ends(self) -> None:
        """Check that the last entry of each column of borders is the end of what they divide."""
        files = self.manifest["files"]
        expected = {
            "documents.rows": self.manifest["counts"]["elements"],
            "documents.id_ends": files[IDS_FILE]["bytes"],
            "documents.text_ends": sum(files[name]["bytes"] for name in text_parts(files)),
        }
        for name, end in expected.items():
            if self.column(name)[-1] != end:
                raise self.damaged(f"{name}.npy", f"expected {end:,} at the end")
