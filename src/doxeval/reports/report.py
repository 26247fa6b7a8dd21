"""A report from a table of scores, in one call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from html import escape
from pathlib import Path

from doxeval.comparison import MeasureColumn
from doxeval.errors import InputError, MissingText, OutputError, SyntaxProblem, warn
from doxeval.files import open_output, output_directory, outputs_together
from doxeval.measures import PROFILE, GroundTruth, RetainedResults, hits_model, known_measure
from doxeval.messages import Message, Parameter, join_names
from doxeval.named import checked
from doxeval.output import flush_to_disk
from doxeval.reports.contents import Contents, topic_names
from doxeval.reports.documents.view import DocumentView, document_views
from doxeval.reports.figures.losses import Loss
from doxeval.reports.figures.sizes import SizedRun
from doxeval.reports.figures.vega import FILES, Figure
from doxeval.reports.page import all_figures, page
from doxeval.reports.provenance import Provenance, provenance_of
from doxeval.runs import ChunkTable, Descriptions, descriptions_of
from doxeval.scores import ScoreTable, renderer
from doxeval.topics import TopicsGiven


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
    sizes: Iterable[SizedRun] = (),
    descriptions: Descriptions | None = None,
) -> Report:
    """Make one page about runs: scores, tests, curves, topics and documents.

    The result is the list of files written; in a notebook, it shows the page, and `out` is not
    needed. Runs are ranked by the reference measure of the table, which comes first on the page:
    that of a study of chunks or of a preset, otherwise the first measure.

    Curves are shown if the evaluation kept them (`Keep(curves=True)`). Shares of hits, near misses
    and misses are shown if it scored the measures `PROFILE` besides others. Documents are shown if
    it kept what runs return in them (`Keep(results=True)`) and its `truth` is given here. `topics`
    are topics, or their file: the page names topics by their titles. `figures` is a directory for
    each figure as SVG, PNG and PDF with its data; it needs the extra `figures`.

    For retrieval of chunks, `chunks` are what the systems could have returned, the same for all
    runs or by run: documents then show where chunks begin and end. `losses` says what runs lose by
    chunking and by retrieval: see `doxeval.reports.losses`, which compares their scores with an
    oracle's. `sizes` gives the sizes and overlaps of the chunks of runs, for a heat map. Texts come
    from the collection, or from the `texts` of the evaluation.

    `descriptions` says by run what each one is, in a few words, or is a file with a line
    `NAME: text` for each. Without it, the page shows what the files of the runs say: the comment
    of a text run, or the description of INEX's XML.

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
    table = table.described(descriptions_of(descriptions, list(table)))
    scores, profile = split_profile(table.reference_first())
    read = [("topics", os.fspath(topics))] if isinstance(topics, str | os.PathLike) else []
    provenance = provenance_of(
        scores,
        date=date,
        command=command,
        others=(*read, *files),
        navigation=None if truth is None else truth.navigation,
    )
    contents = contents_of(
        scores, title, baseline, truth, topics, chunks, losses, sizes, profile, provenance
    )
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
        made = Report(page(contents), warnings=contents.further_warnings)
    warn(made.warnings)
    return made


def contents_of(
    table: ScoreTable,
    title: str,
    baseline: str | None = None,
    truth: GroundTruth | None = None,
    topics: TopicsGiven | None = None,
    chunks: Mapping[str, ChunkTable] | ChunkTable | None = None,
    losses: Iterable[Loss] = (),
    sizes: Iterable[SizedRun] = (),
    profile: ScoreTable | None = None,
    provenance: Provenance | None = None,
) -> Contents:
    """Return what a report shows of a table, and of the profile that was split from it."""
    by_run = _chunks_by_run(chunks, table)
    named = topic_names(topics, table.topic_ids)
    documents: tuple[DocumentView, ...] = ()
    notes: tuple[str, ...] = ()
    if truth is not None:
        try:
            documents = _documents(table, truth, by_run)
        except MissingText as error:
            notes = (Message("documents are not shown: ", error),)
    return Contents(
        table,
        title,
        baseline,
        profile,
        documents,
        notes,
        named,
        provenance or Provenance(),
        tuple(losses),
        tuple(sizes),
    )


def split_profile(table: ScoreTable) -> tuple[ScoreTable, ScoreTable | None]:
    """Return the scores to show, and those of the profile, if there are both."""
    profile = [label for label in table.labels if label in PROFILE]
    others = [label for label in table.labels if label not in PROFILE]
    if not profile or not others:
        return table, None
    return table.only(measures=others), table.only(measures=profile)


def _chunks_by_run(
    chunks: Mapping[str, ChunkTable] | ChunkTable | None, table: ScoreTable
) -> dict[str, ChunkTable]:
    if isinstance(chunks, ChunkTable):
        return dict.fromkeys(table, chunks)
    unknown = [run for run in chunks or {} if run not in table]
    if unknown:
        raise InputError(
            Parameter("chunks")
            + f" of no run: {join_names(unknown)}; there are {join_names(list(table))}"
        )
    return dict(chunks or {})


def _documents(
    table: ScoreTable, truth: GroundTruth, chunks: Mapping[str, ChunkTable]
) -> tuple[DocumentView, ...]:
    """Return documents and what the runs return in them, best run first."""
    by_name = {scores.run: scores.results for scores in table.runs}
    ranking = MeasureColumn.of(table, 0).ranking()
    runs = {run: kept for run in ranking if isinstance(kept := by_name[run], RetainedResults)}
    if len(runs) < len(by_name):
        raise InputError("documents need scores of an evaluation with keep=Keep(results=True)")
    if truth.ignore_whitespace:
        raise MissingText("without white space, positions are not those of the texts")
    return document_views(
        truth,
        runs,
        with_navigation=truth.navigation is not None or _is_about_navigation(table),
        chunks=chunks,
    )


def _is_about_navigation(table: ScoreTable) -> bool:
    """Whether users navigate by any measure of a table."""
    known = []
    for facts in table.measures:
        with suppress(SyntaxProblem):  # measures of other tools may have no name here
            known.append(known_measure(facts.measure))
    return hits_model(known) is not None


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
        """Return the page in a frame of its own, which can do nothing to the notebook."""
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
            return Report(whole, [target], contents.further_warnings)
        files = [target, *_write_figures(contents, drawn, Path(figures_in))]
        return Report(whole, files, contents.further_warnings)


def _write_figures(contents: Contents, drawn: Sequence[Figure], target: Path) -> list[Path]:
    """Write all figures or none."""
    names = []
    with output_directory(target) as directory:
        for figure in drawn:
            for kind in (*FILES, "csv"):
                name = f"{figure.name}.{kind}"
                with (directory / name).open("wb") as file:
                    shown = _for_csv(contents, figure) if kind == "csv" else figure
                    file.write(shown.file(kind))
                    flush_to_disk(file)
                names.append(name)
    return [target / name for name in names]


def _for_csv(contents: Contents, figure: Figure) -> Figure:
    """Return a figure whose data have the words of the page and the full names of runs."""
    full = {shown: contents.full_names[run] for run, shown in contents.shown.items()}
    columns = dict(figure.columns)
    if "run" in columns:
        columns["run"] = [full.get(str(name), name) for name in columns["run"]]
    words = contents.subject._asdict()
    return replace(figure, columns={words.get(name, name): at for name, at in columns.items()})
