"""Hooks that are called when a package is built: the README as the index shows it, and the commit.

A package index has no files beside the README. Once `pyproject.toml` says where the project is,

    [project.urls]
    Repository = "https://example.org/somebody/doxeval"

relative links become links to its pages there, and images their files. As long as it does not, the
README goes into the package as it is.

The commit that a package was built from goes into it as `doxeval/commit.txt`, for
`doxeval --version`; a source package carries it on to the wheels that are built from it.
"""

from __future__ import annotations

import re
import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
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


class CommitHook(BuildHookInterface[Any]):
    """Puts the commit into the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file with the commit, if it is known; editable installations ask git."""
        here = "src/doxeval/commit.txt"
        if version == "editable" or (Path(self.root) / here).exists():
            return
        spec = spec_from_file_location("version", Path(self.root) / "src/doxeval/version.py")
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        if (commit := module.commit()) is None:
            return
        with tempfile.NamedTemporaryFile("w", delete=False, suffix=".txt") as file:
            file.write(f"{commit}\n")
        self._written = Path(file.name)
        build_data["force_include"][file.name] = here.removeprefix(
            "" if self.target_name == "sdist" else "src/"
        )

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was written for the package."""
        if written := getattr(self, "_written", None):
            written.unlink(missing_ok=True)
