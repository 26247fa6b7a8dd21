"""Judgments out of the application, as assessments and in every format.

    inex2003       the XML of INEX 2003–04, grades of elements
    inex2005       the XML of INEX 2005–07, passages between text points, and elements they touch
    inex2008       the text of INEX 2008–10, passages by offsets
    trec           TREC's qrels, whether each document is relevant
    jsonl          JSONL, everything but notes
    annotations    W3C Web Annotations as JSON-LD, everything

The log of operations is another thing, see `log`. The XML formats have a file for each topic.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from doxeval.arrays import Ints
from doxeval.assess.exchange.annotations import annotation_lines
from doxeval.assess.exchange.choice import chosen_judgments
from doxeval.assess.exchange.judged import Judged
from doxeval.assess.judging import Article, Mode, inconsistencies, touched
from doxeval.assessments import (
    AssessmentFormat,
    Assessments,
    Grade2003,
    GradedElement,
    Judgment,
    MeasuredElement,
    Ties,
    assessment_losses,
    draft_warnings,
    judgments_with_points,
    write_assessments,
)
from doxeval.documents import Collection
from doxeval.errors import OutputError
from doxeval.files import open_output
from doxeval.messages import Parameter, quoted
from doxeval.spans import Spans, shared_lengths

ExportFormat = Literal["inex2003", "inex2005", "inex2008", "trec", "jsonl", "annotations"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)
_WRITERS: dict[str, AssessmentFormat] = {
    "inex2003": "grades",
    "inex2005": "highlights",
    "inex2008": "qrels",
    "trec": "trec",
    "jsonl": "judgments",
}
_ENDINGS: dict[str, str] = {
    "inex2003": ".xml",
    "inex2005": ".xml",
    "inex2008": ".txt",
    "trec": ".txt",
    "jsonl": ".jsonl",
    "annotations": ".jsonld",
}
# Formats without which a relevant document would look as if it were not: what they hold, and the
# modes that have it.
_HOLDS = {
    "inex2003": "grades of exhaustivity and specificity",
    "inex2005": "highlights",
    "inex2008": "highlights and best entry points",
}
_NEEDS: dict[str, tuple[Mode, ...]] = {
    "inex2003": ("2003",),
    "inex2005": ("2005", "2006"),
    "inex2008": ("2006",),
}
# The exhaustivity that files of 2006–07 give to every element; it says nothing.
_CONSTANT = 2


@dataclass(frozen=True)
class Export:
    """Judgments to be written: one for each topic and document.

    >>> from doxeval.assess.judging import State
    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>Low tide.</p></s>"})
    >>> state = State(highlights=((4, 8),), bep=4, status="validated")
    >>> export = judgments_to_export(
    ...     [Judged("7", "a", "A1", state, 9)], collection=collection, mode="2006"
    ... )
    >>> next(iter(export.assessments))
    Judgment('7', 'a', highlights=((4, 8),), best_entry_point=4, document_length=9, assessor='A1')
    >>> export.losses("trec")
    ('highlighted passages', 'best entry points', 'lengths of documents', 'names of assessors')
    """

    judged: tuple[Judged, ...]
    collection: Collection
    mode: Mode
    assessments: Assessments
    ties: Ties = field(default_factory=Ties)  # of a majority

    def losses(self, format: ExportFormat) -> tuple[str, ...]:
        """What a format cannot hold."""
        _check(format)
        if format == "annotations":
            return ()
        judgments = self.judgments(format)
        losses = assessment_losses(judgments, _WRITERS[format])
        if any(one.state.note for one in self.judged):
            losses.append("notes of assessors")
        return tuple(losses)

    def judgments(self, format: ExportFormat) -> Sequence[Judgment]:
        """The judgments with what a format needs: INEX 2005 has text points and element lists."""
        judgments = list(self.assessments)
        if format != "inex2005":
            return judgments
        if self.mode == "2006":
            judgments = [
                _with_elements(one, Article.of(self.collection, one.document)) for one in judgments
            ]
        # All text nodes are numbered, so that a passage may begin and end anywhere.
        judgments = [replace(one, whitespace="keep") for one in judgments]
        return judgments_with_points(judgments, self.collection)


def judgments_to_export(
    judged: Iterable[Judged],
    *,
    collection: Collection,
    mode: Mode,
    judgments: str = "adjudicated",
    drafts: bool = False,
) -> Export:
    """The judgments that are exported, one for each topic and document.

    judgments: "adjudicated", "majority", "union" or an assessor's pseudonym (see `choice`).
    drafts: also judgments that are not validated, marked as drafts.

    >>> from doxeval.assess.judging import State
    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>Low tide.</p></s>"})
    >>> draft = Judged("7", "a", "A1", State(), 9)
    >>> about = {"collection": collection, "mode": "2006"}
    >>> len(judgments_to_export([draft], **about).assessments)
    0
    >>> next(iter(judgments_to_export([draft], drafts=True, **about).assessments)).marks
    ('draft',)
    """
    chosen = chosen_judgments(
        judged,
        judgments=judgments,
        drafts=drafts,
        article_of=lambda document: Article.of(collection, document),
        mode=mode,
    )
    made = [_judgment(one, collection, mode) for one in chosen.judged]
    warnings = [*draft_warnings(made, None), *([str(chosen.ties)] if chosen.ties else [])]
    assessments = Assessments(made, warnings)
    return Export(tuple(chosen.judged), collection, mode, assessments, chosen.ties)


def write_export(export: Export, path: str | os.PathLike[str], format: ExportFormat) -> None:
    """Write an export; `Export.losses` says what the format drops.

    In the XML formats several topics make a directory. The file or directory is complete or not
    there.

    >>> import pathlib, tempfile
    >>> from doxeval.assess.judging import State
    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>Low tide.</p></s>"})
    >>> state = State(highlights=((4, 8),), bep=4, status="validated")
    >>> export = judgments_to_export(
    ...     [Judged("7", "a", "A1", state, 9)], collection=collection, mode="2006"
    ... )
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "out"
    >>> write_export(export, path, "inex2008")
    >>> path.read_text()
    '7 Q0 a 4 9 4 4:4\\n'
    """
    check_fit(export, format)
    if format == "annotations":
        with open_output(path) as file:
            file.writelines(annotation_lines(export.judged, export.collection))
    else:
        write_assessments(export.judgments(format), path, _WRITERS[format])


def export_download(export: Export, format: ExportFormat) -> tuple[str, bytes]:
    """An export as one file, with its name: a ZIP archive if the format makes several files.

    >>> from doxeval.assess.judging import State
    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>Low tide.</p></s>"})
    >>> judged = Judged("7", "a", "A1", State(status="validated"), 9)
    >>> export_download(judgments_to_export([judged], collection=collection, mode="2006"), "trec")
    ('assessments-trec.txt', b'7 0 a 0\\n')
    """
    import tempfile

    with tempfile.TemporaryDirectory(prefix="doxeval-export-") as directory:
        path = Path(directory) / "assessments"
        write_export(export, path, format)
        if path.is_dir():
            return f"assessments-{format}.zip", _zipped(path)
        return f"assessments-{format}{_ENDINGS[format]}", path.read_bytes()


def _zipped(directory: Path) -> bytes:
    """The files of a directory as an archive that is the same each time."""
    import io
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(directory.iterdir()):
            archive.writestr(zipfile.ZipInfo(path.name), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


# What fits


def _check(format: str) -> None:
    if format not in EXPORT_FORMATS:
        known = ", ".join(EXPORT_FORMATS)
        raise OutputError(f"no format {quoted(format)} of judgments; there are {known}")


def check_fit(export: Export, format: ExportFormat) -> None:
    """Refuse a format in which relevant documents would look as if they were not relevant."""
    _check(format)
    if not export.judged:
        raise OutputError(
            "there are no validated judgments to export; "
            + Parameter("drafts", True)
            + " adds the others"
        )
    if format in _NEEDS and export.mode not in _NEEDS[format]:
        raise OutputError(
            f"the format {format} holds {_HOLDS[format]}, which mode {export.mode} does not have"
        )


# Judgments


def _judgment(judged: Judged, collection: Collection, mode: Mode) -> Judgment:
    state = judged.state
    judgment = Judgment(
        judged.topic,
        judged.document,
        highlights=state.highlights,
        best_entry_point=state.bep,
        document_length=judged.length,
        assessor=judged.assessor,
        marks=judged.marks,
    )
    if not state.grades and (mode != "2003" or judged.draft):
        return judgment
    article = Article.of(collection, judged.document)
    rows = sorted((article.row_of(path), path) for path in state.grades)
    if not rows:  # 2003–04: a document that is not relevant has a grade that says so
        return replace(judgment, grades=(not_relevant(article),))
    if mode == "2003":
        return replace(judgment, grades=_graded(judged, [path for _, path in rows], article))
    levels = [grade for _, path in rows if not isinstance(grade := state.grades[path], tuple)]
    exhaustivity = [None if grade == "?" else int(grade) for grade in levels]
    numbers = np.array([row for row, _ in rows])
    return replace(judgment, elements=_measured(judgment, article, numbers, exhaustivity))


def not_relevant(article: Article) -> GradedElement:
    """What files of 2003–04 say of a document in which nothing is relevant.

    >>> from doxeval.documents.examples import example_collection
    >>> not_relevant(Article.of(example_collection({"a": "<s>Low tide.</s>"}), "a")).path
    '/s[1]'
    """
    return GradedElement(article.path_of(0), Grade2003(0, 0), inferred=True)


def _graded(judged: Judged, paths: Iterable[str], article: Article) -> tuple[GradedElement, ...]:
    """The grades of mode 2003, with what INEX's files say about them."""
    state = judged.state
    broken = {path for path, _ in inconsistencies(state, article, "2003")}
    return tuple(
        GradedElement(
            path,
            Grade2003(*grade),
            in_pool=path in judged.pooled,
            inferred=path in state.inferred,
            inconsistent=path in broken,
        )
        for path in paths
        if isinstance(grade := state.grades[path], tuple)
    )


def _with_elements(judgment: Judgment, article: Article) -> Judgment:
    """A judgment of mode 2006 with all elements that hold highlighted text, as files of 2006–07."""
    if not judgment.highlights:
        return judgment
    rows = np.flatnonzero(touched(judgment.highlights, article))
    constant = [_CONSTANT] * len(rows)
    return replace(judgment, elements=_measured(judgment, article, rows, constant))


def _measured(
    judgment: Judgment, article: Article, rows: Ints, exhaustivity: Sequence[int | None]
) -> tuple[MeasuredElement, ...]:
    elements = _spans(article, rows)
    sizes = elements.lengths().tolist()
    highlighted = shared_lengths(elements, _highlights(judgment)).tolist()
    paths = map(article.path_of, rows.tolist())
    return tuple(map(MeasuredElement, paths, exhaustivity, sizes, highlighted))


def _spans(article: Article, rows: Ints) -> Spans:
    return Spans(np.zeros(len(rows), dtype=np.int64), article.start[rows], article.end[rows])


def _highlights(judgment: Judgment) -> Spans:
    return Spans.of([(0, start, end) for start, end in judgment.highlights])
