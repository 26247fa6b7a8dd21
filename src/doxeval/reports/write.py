"""Writing a report: the page, and its figures as files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from doxeval.errors import OutputError
from doxeval.files import written, written_directory
from doxeval.reports.contents import Contents
from doxeval.reports.figure import Figure, renderer
from doxeval.reports.page import figures, page
from doxeval.unfinished import on_disk


def write_report(
    contents: Contents,
    out: str | os.PathLike[str],
    figures_in: str | os.PathLike[str] | None = None,
) -> list[Path]:
    """Write the page, and each figure as SVG and PNG with its data as CSV.

    All files are written, or none. The result is their list.

    >>> import tempfile
    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, 0.25]]), np.ones(2, dtype=bool)),)
    >>> contents = Contents(ScoreTable((facts,), ("7", "8"), runs))
    >>> directory = Path(tempfile.mkdtemp())
    >>> [path.name for path in write_report(contents, directory / "a.html", directory / "figures")]
    ['a.html', 'difficulty.svg', 'difficulty.png', 'difficulty.csv']
    """
    renderer()  # if it is missing, the error comes before any work
    drawn = figures(contents)
    whole = page(contents, drawn).encode()
    target = Path(out)
    if target.is_dir():
        raise OutputError(f"{target} is a directory; expected a file")
    with written(target) as file:
        file.write(whole)
        on_disk(file)  # after this, only the figures can fail, and then there is no page either
        if figures_in is None:
            return [target]
        every = [figure for section in drawn.values() for figure in section]
        return [target, *_write_figures(every, Path(figures_in))]


def _write_figures(drawn: Sequence[Figure], target: Path) -> list[Path]:
    """Write all figures or none."""
    names = []
    with written_directory(target) as directory:
        for figure in drawn:
            for suffix, data in (
                ("svg", figure.svg().encode()),
                ("png", figure.png()),
                ("csv", figure.csv().encode()),
            ):
                name = f"{figure.name}.{suffix}"
                with (directory / name).open("wb") as file:
                    file.write(data)
                    on_disk(file)
                names.append(name)
    return [target / name for name in names]
