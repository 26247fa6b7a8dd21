"""Judgments out of the application, as assessments and in every format.

    inex2003       the XML of INEX 2003–04, grades of elements
    inex2005       the XML of INEX 2005–07, passages between text points, and elements they touch
    inex2008       the text of INEX 2008–10, passages by offsets
    trec           TREC's qrels, whether each document is relevant
    jsonl          JSONL, everything but notes
    annotations    W3C Web Annotations as JSON-LD, everything

The log of operations is another thing, see `log`. The XML formats have a file for each topic.

Of a document that several assessors judged, one judgment is exported:

    adjudicated    the adjudicated judgment; or that of the one assessor, or what all assessors say
    majority       what more than half of the assessors say; two who differ have no majority
    union          what any of them says
    a pseudonym    what this assessor says

Judgments that are not validated count only if there is none that is, and only if drafts are wanted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.assess.agreement import adjudicated_by, votes
from doxeval.assess.choices import EXPORT_FORMATS, ExportFormat
from doxeval.assess.exchange.annotations import annotation_lines
from doxeval.assess.exchange.types import Judged
from doxeval.assess.judging import (
    Article,
    Mode,
    State,
    inconsistencies,
    merged_comments,
    touched,
)
from doxeval.assessments import (
    AssessmentFormat,
    Assessments,
    Grade2003,
    GradedElement,
    Judgment,
    MeasuredElement,
    Merge,
    Ties,
    Votes,
    assessment_losses,
    count_ties,
    draft_warnings,
    judgments_with_points,
    write_assessments,
)
from doxeval.documents import Collection
from doxeval.errors import InputError, OutputError
from doxeval.files import open_output
from doxeval.messages import Parameter, join_names, plural, quoted, truncate
from doxeval.spans import Spans, shared_lengths

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
        """Return what a format cannot hold."""
        _check(format)
        if format == "annotations":
            return ()
        judgments = self.judgments(format)
        losses = assessment_losses(judgments, _WRITERS[format])
        if any(judged.state.note for judged in self.judged):
            losses.append("notes of assessors")
        if any(judged.state.comments for judged in self.judged):
            losses.append("comments on passages")
        return tuple(losses)

    def judgments(self, format: ExportFormat) -> Sequence[Judgment]:
        """Return the judgments with what a format needs: INEX 2005 has points and elements."""
        judgments = list(self.assessments)
        if format != "inex2005":
            return judgments
        if self.mode == "2006":
            judgments = [
                _with_elements(judgment, Article.of(self.collection, judgment.document))
                for judgment in judgments
            ]
        # All text nodes are numbered, so that a passage may begin and end anywhere.
        judgments = [replace(judgment, whitespace="keep") for judgment in judgments]
        return judgments_with_points(judgments, self.collection)


def judgments_to_export(
    judged: Iterable[Judged],
    *,
    collection: Collection,
    mode: Mode,
    judgments: str = "adjudicated",
    drafts: bool = False,
) -> Export:
    """Return the judgments that are exported, one for each topic and document.

    judgments: "adjudicated", "majority", "union" or an assessor's pseudonym (see above).
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
    made = [_judgment(judged, collection, mode) for judged in chosen.judged]
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
    """Return an export as one file, with its name: a ZIP archive if the format makes several files.

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
    """Return the files of a directory as an archive that is the same each time."""
    import io
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(directory.iterdir()):
            archive.writestr(zipfile.ZipInfo(path.name), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


# Which judgment stands for a document

RULES: tuple[Merge, ...] = ("majority", "union")
_SHOWN = 20


class Undecided(InputError):
    """Assessors differ about documents, and nothing says whose judgment is to be taken."""


class Chosen(NamedTuple):
    """One judgment for each topic and document, and the ties of a majority."""

    judged: list[Judged]
    ties: Ties = Ties()


def chosen_judgments(
    judged: Iterable[Judged],
    *,
    judgments: str = "adjudicated",
    drafts: bool = False,
    article_of: Callable[[str], Article],
    mode: Mode,
) -> Chosen:
    """Choose one judgment for each topic and document, in the order in which they first come.

    >>> one = Judged("7", "a", "A1", State(status="validated"), 20)
    >>> other = replace(one, assessor="A2", state=State(((0, 5),), 0, status="validated"))
    >>> about = {"article_of": lambda name: None, "mode": "2006"}
    >>> [chosen.assessor for chosen in chosen_judgments([one], **about).judged]
    ['A1']
    >>> chosen_judgments([one, other], judgments="A2", **about).judged == [other]
    True
    >>> try:
    ...     chosen_judgments([one, other], **about)
    ... except Undecided as error:
    ...     print(error.message.splitlines()[1].strip())
    topic 7, document a: A1, A2
    """
    given = list(judged)
    if judgments not in ("adjudicated", *RULES):
        given = _of_assessor(given, judgments)
    pairs: dict[tuple[str, str], list[Judged]] = {}
    for judgment in given:
        pairs.setdefault(judgment.pair, []).append(judgment)
    chosen: list[Judged] = []
    undecided: list[Sequence[Judged]] = []
    divided: list[Votes] = []
    for same in pairs.values():
        those = _that_count(same, judgments, drafts)
        if not those:
            continue
        state: State | None = those[0].state
        if not _agree(those):
            state = None
            if judgments in RULES:
                rule: Merge = "majority" if judgments == "majority" else "union"
                states = [judgment.state for judgment in those]
                divided += [votes(*those[0].pair, states)] if rule == "majority" else []
                state = adjudicated_by(rule, states, article_of(those[0].document), mode)
        if state is None or (state.status == "open" and not drafts):
            undecided.append(those)
        else:
            chosen.append(_for_all(those, state))
    ties = count_ties(divided, "union, one of the assessors, adjudication or a third assessor")
    if undecided:
        raise _undecided(undecided)
    return Chosen(chosen, ties)


def _of_assessor(judged: Sequence[Judged], assessor: str) -> list[Judged]:
    chosen = [given for given in judged if given.assessor == assessor and not given.adjudicated]
    if judged and not chosen:
        raise InputError(
            Parameter("judgments", assessor)
            + ": expected adjudicated, majority, union, or an assessor with judgments: "
            + _names(judged)
        )
    return chosen


def _that_count(same: Sequence[Judged], judgments: str, drafts: bool) -> list[Judged]:
    """Return the judgments of a document that are to be looked at."""
    shared = [given for given in same if given.adjudicated]
    by_assessors = [given for given in same if not given.adjudicated]
    in_order = (by_assessors, shared) if judgments in RULES else (shared, by_assessors)
    validated = ([given for given in some if not given.draft] for some in in_order)
    candidates = [*validated, *(in_order if drafts else ())]
    return next((some for some in candidates if some), [])


def _agree(those: Sequence[Judged]) -> bool:
    """Tell whether all say the same of what is relevant."""
    first = those[0].state
    return all(
        (other.state.highlights, other.state.bep, other.state.grades)
        == (first.highlights, first.bep, first.grades)
        for other in those[1:]
    )


def _for_all(those: Sequence[Judged], state: State) -> Judged:
    """Return the judgment that stands for several."""
    if len(those) == 1:
        return those[0]
    return replace(
        those[0],
        assessor=None,
        state=replace(
            state,
            problem=any(each.state.problem for each in those),
            skipped=all(each.state.skipped for each in those),
            note="\n".join(each.state.note for each in those if each.state.note),
            comments=merged_comments(comment for each in those for comment in each.state.comments),
        ),
        off_pool=all(each.off_pool for each in those),
        program=any(each.program for each in those),
    )


def _undecided(undecided: Sequence[Sequence[Judged]]) -> Undecided:
    lines = [
        f"topic {truncate(those[0].topic)}, document {truncate(those[0].document)}: "
        f"{join_names([str(each.assessor) for each in those])}"
        for those in undecided
    ]
    every = [each for those in undecided for each in those]
    # Of two who differ there is no majority.
    rules = RULES if all(len(those) > 2 for those in undecided) else ("union",)
    head = (
        f"assessors differ about {plural(len(lines), 'document')}, which need adjudication; or "
        "choose with " + Parameter("judgments") + f" one of {_names(every)}, {', '.join(rules)}"
    )
    more = [f"… and {len(lines) - _SHOWN:,} more"] if len(lines) > _SHOWN else []
    return Undecided(head + "".join(f"\n  {text}" for text in [*lines[:_SHOWN], *more]))


def _names(judged: Iterable[Judged]) -> str:
    names = {str(each.assessor) for each in judged if each.assessor is not None}
    return join_names(sorted(names)) or "there is none"


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
    """Return what files of 2003–04 say of a document in which nothing is relevant.

    >>> from doxeval.documents.examples import example_collection
    >>> not_relevant(Article.of(example_collection({"a": "<s>Low tide.</s>"}), "a")).path
    '/s[1]'
    """
    return GradedElement(article.path_of(0), Grade2003(0, 0), inferred=True)


def _graded(judged: Judged, paths: Iterable[str], article: Article) -> tuple[GradedElement, ...]:
    """Return the grades of mode 2003, with what INEX's files say about them."""
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
    """Return a judgment of mode 2006 with all elements that hold highlighted text."""
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
