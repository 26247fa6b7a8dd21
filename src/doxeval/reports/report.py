"""A report from a table of scores, in one call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from html import escape
from pathlib import Path

from doxeval.errors import InputError, MissingText, OutputError, warn
from doxeval.files import open_output, output_directory, outputs_together
from doxeval.measures import PROFILE, GroundTruth
from doxeval.messages import Message, Parameter, join_names
from doxeval.named import checked
from doxeval.output import flush_to_disk
from doxeval.reports.contents import Contents, TopicsGiven, topic_names
from doxeval.reports.documents.retained import Returned, is_about_navigation
from doxeval.reports.documents.view import document_views
from doxeval.reports.figures.losses import Loss
from doxeval.reports.figures.vega import FILES, Figure
from doxeval.reports.page import all_figures, page
from doxeval.reports.provenance import provenance_of
from doxeval.runs import ChunkTable
from doxeval.scores import ScoreTable, renderer


@checked
def report(
    table: ScoreTable,
    out: str | os.PathLike[str] | None = None,
    *,
    title: str = "Evaluation of runs",
    baseline: str | None = None,
    truth: GroundTruth | None = None,
    topics: TopicsGiven | None = None,
    figures: str | os.PathLike[str] | None = None,
    command: str | None = None,
    files: Iterable[tuple[str, str]] = (),
    date: datetime | None = None,
    chunks: Mapping[str, ChunkTable] | ChunkTable | None = None,
    losses: Iterable[Loss] = (),
) -> Report:
    """Make one page about runs: scores, tests, curves, topics and documents.

    The result is the list of files written; in a notebook, it shows the page, and `out` is not
    needed. Runs are ranked by the reference measure of the table, which comes first on the page:
    that of a study of chunks or of a preset, otherwise the first measure.

    Curves are shown if the evaluation kept them (`curves=True`). Shares of hits, near-misses and
    misses are shown if it scored the measures `PROFILE` besides others. Documents are shown if it
    kept what runs return in them (`keep=returned`) and its `truth` is given here. `topics` are
    topics, or their file: the page names topics by their titles. `figures` is a directory for each
    figure as SVG, PNG and PDF with its data; it needs the extra `figures`.

    For retrieval of chunks, `chunks` are what the systems could have returned, the same for all
    runs or by run: documents then show where they were cut. `losses` says what runs lose by cutting
    and by search: see `doxeval.reports.losses`, which compares their scores with an oracle's.
    Texts come from the collection, or from the `texts` of the evaluation.

    The page says where it comes from: the files of the runs and of the assessments with their
    hashes, the collection, and the `date`, which is now by default. `command` is what was typed,
    and `files` are further files that were read, each with what it is for.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from doxeval.evaluation import evaluate
    >>> qrels = {"7": {"a": 1, "b": 0}, "8": {"a": 1}}
    >>> table = evaluate({"7": {"b": 2.0, "a": 1.0}, "8": {"a": 1.0}}, qrels, "AP")
    >>> [path.name for path in report(table, Path(tempfile.mkdtemp()) / "report.html")]
    ['report.html']
    """
    table = table.reference_first()
    contents = contents_of(table, title, baseline, truth, topics, _by_run(chunks, table))
    contents = replace(contents, losses=tuple(losses))
    read = [("topics", os.fspath(topics))] if isinstance(topics, str | os.PathLike) else []
    provenance = provenance_of(
        contents.table,
        date=date,
        command=command,
        others=(*read, *files),
        navigation=None if truth is None else truth.navigation,
    )
    contents = replace(contents, provenance=provenance)
    if out is not None:
        made = write_report(contents, out, figures)
    elif figures is not None:
        raise InputError(
            Parameter("figures")
            + " goes with "
            + Parameter("out")
            + ", which names the page to write"
        )
    else:
        made = Report(page(contents), warnings=contents.own_warnings)
    warn(made.warnings)
    return made


def contents_of(
    table: ScoreTable,
    title: str,
    baseline: str | None,
    truth: GroundTruth | None,
    topics: TopicsGiven | None = None,
    chunks: Mapping[str, ChunkTable] | None = None,
) -> Contents:
    """What a report shows of a table; the measures of the profile are kept apart."""
    profile = [label for label in table.labels if label in PROFILE]
    others = [label for label in table.labels if label not in PROFILE]
    named = topic_names(topics, table.topic_ids)
    if not profile or not others:
        contents = Contents(table, title, baseline, topics=named)
    else:
        own = table.only(measures=profile)
        contents = Contents(table.only(measures=others), title, baseline, own, topics=named)
    return contents if truth is None else _with_documents(contents, truth, chunks)


def _by_run(
    chunks: Mapping[str, ChunkTable] | ChunkTable | None, table: ScoreTable
) -> dict[str, ChunkTable]:
    """The chunks of each run."""
    if isinstance(chunks, ChunkTable):
        return dict.fromkeys(table, chunks)
    unknown = [run for run in chunks or {} if run not in table]
    if unknown:
        raise InputError(
            Parameter("chunks")
            + f" of no run: {join_names(unknown)}; there are {join_names(list(table))}"
        )
    return dict(chunks or {})


def _with_documents(
    contents: Contents, truth: GroundTruth, chunks: Mapping[str, ChunkTable] | None
) -> Contents:
    """The contents with documents and what the runs return in them, if there are texts."""
    runs = {name: contents.scores(name).kept for name in contents.ranking}
    if not all(isinstance(kept, Returned) for kept in runs.values()):
        raise InputError("documents need scores of an evaluation with keep=returned")
    if truth.ignore_whitespace:
        note = "documents are not shown: without white space, positions are not those of the texts"
        return replace(contents, notes=(*contents.notes, note))
    asked = truth.navigation is not None or is_about_navigation(contents.table)
    try:
        views = document_views(truth, runs, with_navigation=asked, chunks=chunks)
        return replace(contents, documents=views)
    except MissingText as error:
        return replace(contents, notes=(Message("documents are not shown: ", error),))


# Writing


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
    drawn = all_figures(contents)
    whole = page(contents, drawn)
    target = Path(out)
    if target.is_dir():
        raise OutputError(f"{target} is a directory; expected a file")
    with outputs_together():
        with open_output(target) as file:
            file.write(whole.encode())
        if figures_in is None:
            return Report(whole, [target], contents.own_warnings)
        files = [target, *_write_figures(drawn, Path(figures_in))]
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
