"""Execute the notebooks of the documentation and keep what they print and show.

    python scripts/notebooks.py              write the outputs of all
    python scripts/notebooks.py NOTEBOOK     of one
    python scripts/notebooks.py --check      exit 1 if a notebook prints or shows something else

Each is executed from its first cell to its last by a new kernel, in an empty directory.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "docs" / "examples").glob("*.ipynb"))
_SECONDS = 120  # for a cell


def main() -> None:
    """Write or check all notebooks."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("notebooks", nargs="*", type=Path, default=NOTEBOOKS, metavar="NOTEBOOK")
    options = parser.parse_args()
    if not options.check:
        for path in options.notebooks:
            nbformat.write(executed(path), path)
    elif differing := [path.name for path in options.notebooks if not matches(path)]:
        sys.exit(f"other outputs: {', '.join(differing)}; python scripts/notebooks.py writes them")


def matches(path: Path) -> bool:
    """Return whether a notebook gives the outputs that it has."""
    return outputs(executed(path)) == outputs(nbformat.read(path, as_version=4))


def executed(path: Path) -> Any:
    """Return a notebook with fresh outputs."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as directory:
        resources = {"metadata": {"path": directory}}
        NotebookClient(notebook, timeout=_SECONDS, resources=resources).execute()
    for cell in notebook.cells:
        cell.metadata.clear()  # the times at which it was executed
    notebook.metadata.get("language_info", {}).pop("version", None)
    return notebook


def outputs(notebook: Any) -> list[list[dict[str, Any]]]:
    """Return what each cell prints and shows; of drawings, only that they are there."""
    return [
        [
            {
                kind: None if kind.startswith("image/") else value
                for kind, value in output.get("data", {"text": output.get("text")}).items()
            }
            for output in cell.outputs
        ]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


if __name__ == "__main__":
    main()
