"""Writing a report: the page, and its figures as files."""

from __future__ import annotations

import os
from pathlib import Path

from doxeval.errors import OutputError
from doxeval.files import written
from doxeval.reports.contents import Contents
from doxeval.reports.figure import renderer
from doxeval.reports.page import figures, page


def write_report(
    contents: Contents,
    out: str | os.PathLike[str],
    figures_in: str | os.PathLike[str] | None = None,
) -> list[Path]:
    """Write the page, and each figure as SVG and PNG with its data as CSV.

    The result is the list of files written.

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
    files = []
    if figures_in is not None:
        directory = Path(figures_in)
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{directory}: {error.strerror or error}") from error
        for figure in (figure for section in drawn.values() for figure in section):
            for suffix, data in (
                ("svg", figure.svg().encode()),
                ("png", figure.png()),
                ("csv", figure.csv().encode()),
            ):
                files.append(_put(directory / f"{figure.name}.{suffix}", data))
    return [_put(Path(out), whole), *files]


def _put(path: Path, data: bytes) -> Path:
    with written(path) as file:
        file.write(data)
    return path
