"""Writing a report: the page, and its figures as files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from doxeval.errors import OutputError
from doxeval.files import open_output, output_directory, outputs_together
from doxeval.output import flush_to_disk
from doxeval.reports.contents import Contents
from doxeval.reports.figure import FILES, Figure
from doxeval.reports.page import every, figures, page
from doxeval.scores import renderer

_FRAME = "width:100%;height:85vh;border:1px solid #8886"


class Report(list[Path]):
    """The files of a report; notebooks show its page.

    warnings: what the page warns about beyond the warnings of its table.

    >>> Report("<!DOCTYPE html>", [Path("report.html")])
    <report: report.html>
    """

    def __init__(self, html: str, files: Iterable[Path] = (), warnings: Iterable[str] = ()) -> None:
        super().__init__(files)
        self.html = html
        self.warnings = tuple(warnings)

    def __repr__(self) -> str:
        return f"<report: {', '.join(map(str, self)) or 'not written'}>"

    def _repr_html_(self) -> str:
        """The page in a frame of its own, which can do nothing to the notebook."""
        return (
            f'<iframe title="Report" sandbox="allow-scripts allow-downloads" style="{_FRAME}" '
            f'srcdoc="{escape(self.html)}"></iframe>'
        )


def write_report(
    contents: Contents,
    out: str | os.PathLike[str],
    figures_in: str | os.PathLike[str] | None = None,
) -> Report:
    """Write the page, and each figure as SVG, PNG and PDF with its data as CSV.

    All files are written, or none. The result is their list.

    >>> import tempfile
    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, 0.25]]), np.ones(2, dtype=bool)),)
    >>> contents = Contents(ScoreTable((facts,), ("7", "8"), runs))
    >>> directory = Path(tempfile.mkdtemp())
    >>> [path.name for path in write_report(contents, directory / "a.html", directory / "figures")]
    ['a.html', 'difficulty.svg', 'difficulty.png', 'difficulty.pdf', 'difficulty.csv']
    """
    if figures_in is not None:
        renderer()  # if it is missing, the error comes before any work
    drawn = figures(contents)
    whole = page(contents, drawn)
    target = Path(out)
    if target.is_dir():
        raise OutputError(f"{target} is a directory; expected a file")
    with outputs_together():
        with open_output(target) as file:
            file.write(whole.encode())
        if figures_in is None:
            return Report(whole, [target], contents.own_warnings)
        files = [target, *_write_figures(every(drawn), Path(figures_in))]
        return Report(whole, files, contents.own_warnings)


def _write_figures(drawn: Sequence[Figure], target: Path) -> list[Path]:
    """Write all figures or none."""
    names = []
    with output_directory(target) as directory:
        for figure in drawn:
            for kind in (*FILES, "csv"):
                name = f"{figure.name}.{kind}"
                with (directory / name).open("wb") as file:
                    file.write(figure.file(kind))
                    flush_to_disk(file)
                names.append(name)
    return [target / name for name in names]
