"""The data of a page, as its script reads them: one JSON value, made of the records below.

Runs are in the order of the ranking by the first measure, topics and measures in that of the table;
everything else refers to them by number, from 0. The types of the script are generated from these
classes. A field that is UNSET is not there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType, to_builtins

from doxeval.comparison import TITLES, Comparison, MeasureColumn
from doxeval.markup import readable
from doxeval.measures import UnitOutcome
from doxeval.messages import plural
from doxeval.reports.contents import Contents, Subject
from doxeval.reports.documents.select import FIRST_RESULTS, LONGEST_TEXT
from doxeval.reports.documents.view import DocumentView, RelevantUnit
from doxeval.reports.escaping import script_json
from doxeval.reports.figures.vega import Figure, Value, run_colours, text_colours
from doxeval.reports.overview import MeasureVerdicts, Verdict, digits_of
from doxeval.reports.tables import Cell
from doxeval.scores import MeasureFacts

# More relevant units of one document are counted, but not listed.
_MAX_RELEVANT = 60


class ReportSubject(Struct, frozen=True):
    """The words of the page for runs, topics and relevant text.

    These are system, topic and highlighted text, or chunking, question and evidence.
    """

    run: str
    topic: str
    text: str


class ReportRun(Struct, frozen=True, rename="camel"):
    """A run. shown: whether it is chosen when the page is opened. what: what it is, in words.

    colour: in figures and tables, where only the best run and the baseline stand out. text_colour:
    in documents. short: the name where there is little room, if it is another.
    """

    name: str
    colour: str
    text_colour: str
    shown: bool
    what: str | UnsetType = UNSET
    short: str | UnsetType = UNSET


class ReportTopic(Struct, frozen=True, omit_defaults=True):
    """A topic, and what is known about it besides its id."""

    id: str
    title: str | UnsetType = UNSET
    query: str | UnsetType = UNSET
    description: str | UnsetType = UNSET


class ReportMeasure(Struct, frozen=True, rename="camel"):
    """A measure: what it is called, what it means, and its range.

    lowest, highest: None if there is no bound. digits: how many decimals its means need.
    """

    label: str
    canonical: str
    title: str
    lowest: float | None
    highest: float | None
    digits: int
    higher_is_better: bool
    user: str | UnsetType = UNSET
    formula: str | UnsetType = UNSET


class ReportCell(Struct, frozen=True):
    """A mean with its interval, and how many topics have scores or none."""

    mean: float | None
    low: float | None
    high: float | None
    topics: int
    undefined: int


# Two runs, the mean difference of the first from the second, p, and p after Holm's correction.
TestedPair = tuple[int, int, float | None, float | None, float | None]


class ReportComparison(Struct, frozen=True):
    """The pairs of runs that were tested by a measure."""

    measure: int
    test: str
    alpha: float
    pairs: list[TestedPair]


class ReportVerdicts(Struct, frozen=True):
    """By one measure, the run that the others are compared with, and how each compares with it."""

    reference: int
    verdicts: list[Verdict]


class ReportFigure(Struct, frozen=True):
    """A figure: its data by column, and a Vega-Lite specification without data.

    Runs are numbers. Values that are missing at the end of a column are left out.
    """

    id: str
    section: str
    columns: dict[str, list[str | float | None]]
    spec: dict[str, Any]


# Positions count code points; spans are half-open.
SpanData = tuple[int, int]
# Start, end, and whether it is a title.
BlockData = tuple[int, int, Literal["title", "text"]]
# Start, end, rank.
UnitData = tuple[int, int, int]
# Hit at a rank; near, from a rank on, with a probability; or missed.
OutcomeData = (
    tuple[Literal["hit"], int] | tuple[Literal["near"], int, float] | tuple[Literal["miss"]]
)


class OutlineData(Struct, frozen=True):
    """An element. share: how much of it is highlighted; None if nothing is in the document."""

    depth: int
    path: str
    start: int
    end: int
    begins: str
    share: float | None


class GradeData(Struct, frozen=True):
    """A graded element. label: the grade as the assessors wrote it: 3E, (2,3)."""

    path: str
    start: int
    end: int
    label: str


class RunResultsData(Struct, frozen=True):
    """What a run returns in a document.

    cut: how many further spans are left out. read: for each budget, where readers stop in each
    span.
    """

    run: int
    units: list[UnitData]
    cut: int | UnsetType = UNSET
    read: list[list[int]] | UnsetType = UNSET


class ChunksData(Struct, frozen=True):
    """The chunks of a document that some runs could have returned.

    ranges: for each chunk, how far it begins after the beginning of the one before, and its length.
    """

    runs: list[int]
    ranges: list[int]


class RelevantUnitData(Struct, frozen=True, rename="camel"):
    """A relevant unit, its highlighted share, and what each run makes of it."""

    unit: SpanData
    label: str
    share: float | None
    by_run: list[OutcomeData]


class ReportDocument(Struct, rename="camel"):
    """A document for one topic: what was assessed in it, and what the runs return.

    text_of: the number of the document that has the same text; then there is none here. bep: the
    best entry point. outline_cut, outcomes_cut: how many elements and relevant units are left out.
    budgets: in words, such as "1,000 words", smallest first. cuts: what runs could have returned.
    navigation: the model behind the outcomes. why: why the document is shown. cut: how many
    characters at the end are left out.
    """

    topic: int
    doc: str
    blocks: list[BlockData]
    highlights: list[SpanData]
    grades: list[GradeData]
    bep: int | None
    outline: list[OutlineData]
    outline_cut: int
    results: list[RunResultsData]
    why: str
    cut: int
    text: str | UnsetType = UNSET
    text_of: int | UnsetType = UNSET
    budgets: list[str] | UnsetType = UNSET
    cuts: list[ChunksData] | UnsetType = UNSET
    navigation: str | UnsetType = UNSET
    outcomes: list[RelevantUnitData] | UnsetType = UNSET
    outcomes_cut: int | UnsetType = UNSET


class ReportData(Struct, frozen=True, rename="camel"):
    """All that a page carries for its script.

    scores: by measure, run and topic; None where the measure is undefined. cells: by measure and
    run. verdicts: by measure; none if nothing was tested. has_baseline: whether the baseline was
    given; otherwise it is the best run.
    """

    title: str
    subject: ReportSubject
    runs: list[ReportRun]
    topics: list[ReportTopic]
    measures: list[ReportMeasure]
    baseline: int
    has_baseline: bool
    scores: list[list[list[float | None]]]
    cells: list[list[ReportCell]]
    comparisons: list[ReportComparison]
    verdicts: list[ReportVerdicts]
    figures: list[ReportFigure]
    documents: list[ReportDocument]


def page_data(
    contents: Contents,
    figures: Iterable[Figure],
    cells: Mapping[str, Sequence[Cell]],
    verdicts: Sequence[MeasureVerdicts],
) -> str:
    """Return the data as JSON that may stand inside a script element.

    >>> import json
    >>> import numpy as np
    >>> from doxeval.reports.tables import leaderboard
    >>> from doxeval.scores import RunScores, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, np.nan]]), np.ones(2, dtype=bool)),)
    >>> contents = Contents(ScoreTable((facts,), ("7", "8"), runs))
    >>> data = json.loads(page_data(contents, (), leaderboard(contents), ()))
    >>> data["scores"], data["cells"][0][0]["mean"], data["baseline"]
    ([[[0.5, None]]], 0.5, 0)
    """
    places = {shown: place for place, shown in enumerate(contents.shown.values())}
    colours, text = run_colours(contents), text_colours(contents)
    data = ReportData(
        title=contents.title,
        subject=ReportSubject(*contents.subject, contents.subject.text),
        runs=[
            ReportRun(
                contents.full_names[run],
                colours[place],
                text[place],
                run in contents.chosen,
                contents.descriptions.get(run, UNSET),
                UNSET if shown == contents.full_names[run] else shown,
            )
            for place, (run, shown) in enumerate(contents.shown.items())
        ],
        topics=[_topic(contents, topic) for topic in contents.table.topic_ids],
        measures=[
            _measure(label, column)
            for label, column in zip(contents.labels, contents.columns, strict=True)
        ],
        baseline=contents.ranking.index(contents.reference),
        has_baseline=contents.baseline is not None,
        scores=[
            [[number(value) for value in column.values[run].tolist()] for run in contents.ranking]
            for column in contents.columns
        ],
        cells=[[_cell(cell) for cell in column] for column in zip(*cells.values(), strict=True)],
        comparisons=[
            _comparison(contents, measure, comparison)
            for measure, comparison in enumerate(contents.comparisons)
        ],
        verdicts=[
            ReportVerdicts(contents.ranking.index(reference), list(by_run.values()))
            for reference, by_run in (verdicts if contents.tested else ())
        ],
        figures=[
            ReportFigure(
                figure.name,
                figure.section,
                {
                    name: [places[str(value)] for value in column]
                    if name == "run"
                    else _values(column)
                    for name, column in figure.columns.items()
                },
                figure.spec,
            )
            for figure in figures
        ],
        documents=document_data(contents),
    )
    return script_json(to_builtins(data))


def number(value: float | None) -> float | None:
    """Return a number to six significant digits; None if it is not finite.

    >>> number(1 / 3), number(float("nan")), number(2.0)
    (0.333333, None, 2)
    """
    if value is None or not math.isfinite(value):
        return None
    short = float(f"{value:.6g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def _values(column: Sequence[Value]) -> list[Value]:
    """Return values to six digits, up to the last one that there is."""
    length = len(column)
    while length and column[length - 1] is None:
        length -= 1
    return [value if isinstance(value, str | int) else number(value) for value in column[:length]]


def _topic(contents: Contents, topic: str) -> ReportTopic:
    topics = contents.topics
    return ReportTopic(
        contents.shown_topics[topic],
        topics.title(topic) or UNSET,
        topics.query(topic) or UNSET,
        topics.description(topic) or UNSET,
    )


def range_in_words(facts: MeasureFacts) -> str:
    """Return the range of a measure.

    >>> range_in_words(MeasureFacts("P", "P", "precision"))
    '0 to 1'
    >>> range_in_words(MeasureFacts("x", "x", "", -math.inf, None))
    '-∞ to ∞'
    """
    lowest = "-∞" if math.isinf(facts.lowest) else f"{facts.lowest:g}"
    highest = "∞" if facts.highest is None else f"{facts.highest:g}"
    return f"{lowest} to {highest}"


def _measure(label: str, column: MeasureColumn) -> ReportMeasure:
    facts = column.facts
    return ReportMeasure(
        label,
        facts.canonical,
        facts.title,
        number(facts.lowest),
        number(facts.highest),
        digits_of(column),
        facts.higher_is_better,
        facts.user or UNSET,
        facts.formula or UNSET,
    )


def _cell(cell: Cell) -> ReportCell:
    low, high = (None, None) if cell.interval is None else cell.interval
    return ReportCell(
        number(cell.mean),
        number(low),
        number(high),
        cell.topics,
        cell.undefined,
    )


def _comparison(contents: Contents, measure: int, comparison: Comparison) -> ReportComparison:
    places = {run: place for place, run in enumerate(contents.ranking)}
    return ReportComparison(
        measure,
        TITLES[comparison.test],
        comparison.alpha,
        [
            (
                places[pair.first],
                places[pair.second],
                number(pair.difference),
                number(pair.p),
                number(pair.corrected),
            )
            for pair in comparison.pairs
            if pair.p is not None
        ],
    )


# Documents


def document_data(contents: Contents) -> list[ReportDocument]:
    """Return the documents of a report; those of topics that it does not have are left out.

    Several topics may show the same document: its text is carried once.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> runs = (RunScores("mine", np.array([[0.5]]), np.ones(1, dtype=bool)),)
    >>> document_data(Contents(ScoreTable((MeasureFacts("P", "P", "p"),), ("7",), runs)))
    []
    """
    runs = {run: place for place, run in enumerate(contents.ranking)}
    topics = {topic: place for place, topic in enumerate(contents.table.topic_ids)}
    documents: list[ReportDocument] = []
    first: dict[str, int] = {}
    for view in contents.shown_documents:
        text = readable(view.text[:LONGEST_TEXT])
        document = _document(view, topics[view.topic], runs, text, contents.subject)
        if contents.navigation is not None and view.navigation is not None:
            places = [runs.get(layer.run, -1) for layer in view.layers]
            document.navigation = view.navigation
            document.outcomes = [_unit(unit, places) for unit in view.units[:_MAX_RELEVANT]]
            document.outcomes_cut = max(len(view.units) - _MAX_RELEVANT, 0)
        same = first.setdefault(text, len(documents))
        if same < len(documents):
            document.text_of = same
        else:
            document.text = text
        documents.append(document)
    return documents


def documents_note(contents: Contents) -> str:
    """Return which documents are shown, and why; nothing if there are none."""
    if not contents.documents:
        return ""
    subject = contents.subject
    system, topic = subject.run, subject.topic
    shown, of = len(contents.documents), contents.documents[0].of
    text = (
        subject.text
        if all(view.highlights for view in contents.documents)
        else f"{subject.text} (or, where there is none, of the whole text)"
    )
    if shown == of:
        every = f"All {of:,} relevant documents are" if of > 1 else "The one relevant document is"
        return f"{every} shown, with what the {system}s return there."
    return (
        f"{shown:,} of {plural(of, 'relevant document')} {'is' if shown == 1 else 'are'} shown: "
        f"those in which the {system}s differ most in how much of the {text} they return, first "
        f"among their first {FIRST_RESULTS} results, then among all; one document of each {topic} "
        "comes before a second one."
    )


def _document(
    view: DocumentView, topic: int, runs: Mapping[str, int], text: str, subject: Subject
) -> ReportDocument:
    return ReportDocument(
        topic=topic,
        doc=readable(view.document),
        blocks=[
            (block.start, min(block.end, len(text)), "title" if block.is_title else "text")
            for block in view.outline.blocks
            if block.start < len(text)
        ],
        highlights=list(view.highlights),
        grades=[
            GradeData(readable(grade.path), grade.start, grade.end, grade.label)
            for grade in view.grades
        ],
        bep=view.best_entry_point,
        outline=[
            OutlineData(
                row.depth,
                readable(row.path),
                row.start,
                row.end,
                readable(row.begins),
                None if row.share is None else _rounded(row.share),
            )
            for row in view.outline.rows
        ],
        outline_cut=view.outline.left_out,
        results=[
            RunResultsData(
                runs[layer.run],
                list(layer.units),
                layer.left_out or UNSET,
                [list(ends) for ends in layer.read] or UNSET,
            )
            for layer in view.layers
            if layer.units and layer.run in runs
        ],
        why=_why(view, subject),
        cut=len(view.text) - len(text),
        budgets=list(view.budgets) or UNSET,
        cuts=_chunks(view, runs) or UNSET,
    )


def _chunks(view: DocumentView, runs: Mapping[str, int]) -> list[ChunksData]:
    """Return the chunks of the document, once for all runs that have the same."""
    by_spans: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for layer in view.layers:
        if layer.chunks and layer.run in runs:
            by_spans.setdefault(layer.chunks, []).append(runs[layer.run])
    chunks = []
    for spans, having in by_spans.items():
        starts = [0, *(start for start, _ in spans)]
        flat = [
            step
            for before, (start, end) in zip(starts, spans, strict=False)
            for step in (start - before, end - start)
        ]
        chunks.append(ChunksData(having, flat))
    return chunks


def _why(view: DocumentView, subject: Subject) -> str:
    """Return how much of the text the runs return, from the least to the most."""
    what, system = f"its {subject.text if view.highlights else 'text'}", subject.run
    if round(100 * view.least) == round(100 * view.most):
        who = f"The {system} returns" if len(view.layers) == 1 else f"All {system}s return"
        return f"{who} {view.most:.0%} of {what}."
    return f"{system.capitalize()}s return from {view.least:.0%} to {view.most:.0%} of {what}."


def _unit(unit: RelevantUnit, places: Sequence[int]) -> RelevantUnitData:
    by_run: list[OutcomeData] = [("miss",)] * (max(places) + 1)
    for place, outcome in zip(places, unit.outcomes, strict=True):
        if place >= 0:
            by_run[place] = _outcome(outcome)
    span = (unit.start, unit.end)
    share = None if unit.share is None else _rounded(unit.share)
    return RelevantUnitData(span, readable(unit.path), share, by_run)


def _outcome(outcome: UnitOutcome) -> OutcomeData:
    if outcome.hit_at is not None:
        return ("hit", outcome.hit_at)
    if outcome.reached_from is not None:
        return ("near", outcome.reached_from, _rounded(outcome.reached))
    return ("miss",)


def _rounded(share: float) -> float:
    """Round to four significant digits, which is more than anybody sees; only 0 and 1 become so."""
    if share in (0.0, 1.0):
        return share
    return min(float(f"{share:.4g}"), 0.9999)
