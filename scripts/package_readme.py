"""The README as the package index shows it: a hook that is called when a package is built.

A package index has no files beside the README. Once `pyproject.toml` says where the project is,

    [project.urls]
    Repository = "https://example.org/somebody/doxeval"

relative links become links to its pages there, and images their files. As long as it does not, the
README goes into the package as it is.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_CODE = re.compile(r"(^```.*?^```$|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
# What stands before a relative target, and the target: `](docs/x.md`, `src="docs/images/x.png"`.
_RELATIVE = re.compile(r"""(\]\(|\b(?:src|srcset|href)=")(?![a-z]+:|[#/])([^)"\s]+)""")
_IMAGES = (".png", ".svg")


class ReadmeHook(MetadataHookInterface):
    """Puts the README into the metadata of the package."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README to what pyproject.toml says of the project."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        address = metadata.get("urls", {}).get("Repository")
        if address is not None:
            text = with_addresses(text, address)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def with_addresses(text: str, repository: str) -> str:
    """Return Markdown whose relative links lead to a repository; code stays as it is."""

    def whole(match: re.Match[str]) -> str:
        kind = "raw" if match[2].endswith(_IMAGES) else "blob"
        return f"{match[1]}{repository.rstrip('/')}/{kind}/HEAD/{match[2]}"

    parts = _CODE.split(text)  # every second one is code
    return "".join(
        part if number % 2 else _RELATIVE.sub(whole, part) for number, part in enumerate(parts)
    )
