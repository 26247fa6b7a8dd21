"""What reports show of documents: what was assessed, what each run returns, and what it hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments import Grade2002, Grade2003, Grade2005, Judgment
from doxeval.documents import Collection
from doxeval.measures import Esr, GroundTruth, UnitOutcome, hit_outcomes, ratio, union_lengths
from doxeval.reports.documents.outline import Outline, outline_of, plain_outline
from doxeval.reports.documents.retained import Returned, has_text_to_show
from doxeval.reports.documents.select import (
    MOST_CHUNKS,
    MOST_DOCUMENTS,
    MOST_UNITS,
    telling_documents,
)
from doxeval.runs import ChunkTable


class Unit(NamedTuple):
    """A returned range of text and its rank."""

    start: int
    end: int
    rank: int


class RunUnits(NamedTuple):
    """What one run returns in one document, best first.

    read: for each budget, where readers stop in each unit. chunks: the ranges that the system could
    have returned.
    """

    run: str
    units: tuple[Unit, ...] = ()
    left_out: int = 0
    read: tuple[tuple[int, ...], ...] = ()
    chunks: tuple[tuple[int, int], ...] = ()


class DrawnGrade(NamedTuple):
    """A graded element and its grade: 3E (2002), (2,3) (2003–04), (2,75%) (2005)."""

    path: str
    start: int
    end: int
    label: str


class RelevantUnit(NamedTuple):
    """A relevant unit: its paths, its highlighted share if text is highlighted, and its outcome
    by run.
    """

    path: str
    start: int
    end: int
    share: float | None
    found: tuple[UnitOutcome, ...]


@dataclass(frozen=True)
class DocumentView:
    """A document for one topic: what was assessed in it, and what the runs return.

    least, most: the shares of the highlighted text (or of the whole text, where nothing is
    highlighted) that the runs return. navigation: the name of the model behind the outcomes; None
    if nobody asked about navigation, and then there are no units. of: how many documents there
    were to choose from. budgets: how much readers read, in words.
    """

    topic: str
    document: str
    text: str
    highlights: tuple[tuple[int, int], ...]
    outline: Outline
    layers: tuple[RunUnits, ...]
    units: tuple[RelevantUnit, ...] = ()
    grades: tuple[DrawnGrade, ...] = ()
    best_entry_point: int | None = None
    navigation: str | None = None
    least: float = 0.0
    most: float = 0.0
    of: int = 1
    budgets: tuple[str, ...] = ()


def document_views(
    truth: GroundTruth,
    runs: Mapping[str, Returned],
    most: int = MOST_DOCUMENTS,
    *,
    with_navigation: bool = True,
    chunks: Mapping[str, ChunkTable] | None = None,
) -> tuple[DocumentView, ...]:
    """The documents in which the runs differ most, by topic.

    Without `with_navigation` nothing is said about hits, near-misses and misses. `chunks` are, by
    run, what the system could have returned.

    >>> from doxeval.assessments import Assessments
    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.evaluation import Evaluation, Keep
    >>> from doxeval.reports.documents.retained import returned
    >>> from doxeval.runs import Kind, Result, Run
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> assessments = Assessments([Judgment("7", "a", ((4, 8),))])
    >>> keep = Keep(of_ranking=returned)
    >>> evaluation = Evaluation(assessments, "MAiP", collection=collection, keep=keep)
    >>> run = Run.from_results([Result("7", "a", Kind.ELEMENT, paths=("/s[1]/p[2]",))])
    >>> kept = evaluation.score(run).kept
    >>> (view,) = document_views(evaluation.truth, {"mine": kept})
    >>> view.units[0].path, view.units[0].found[0].hit_at, view.navigation
    ('/s[1]/p[2]', 1, 'depth')
    """
    if truth.texts is None or not has_text_to_show(truth) or not runs:
        return ()
    chosen = telling_documents(truth, list(runs.values()), most)
    layers = _layers(runs, chosen.pairs)
    reading = next(iter(runs.values())).reading
    budgets = (
        ()
        if reading is None
        else tuple(f"{size:,} {reading.budgets.unit}" for size in reading.budgets.sizes)
    )
    model = next(iter(runs.values())).model if with_navigation else None
    units = {} if model is None else _relevant_units(truth, model, runs, chosen.pairs)
    views = []
    for pair, least, highest in zip(chosen.pairs, chosen.least, chosen.most, strict=True):
        judgment = _judgment(truth, pair)
        text = truth.texts.find(judgment.document) or ""
        views.append(
            DocumentView(
                judgment.topic,
                judgment.document,
                text,
                judgment.highlights,
                _outline(truth.collection, judgment, text),
                _with_chunks(layers[pair], judgment.document, chunks or {}),
                units.get(pair, ()),
                _grades(truth.collection, judgment),
                judgment.best_entry_point,
                None if model is None else model.nav,
                least,
                highest,
                chosen.of,
                budgets,
            )
        )
    order = {topic: place for place, topic in enumerate(truth.topics)}
    return tuple(sorted(views, key=lambda view: order[view.topic]))


def _judgment(truth: GroundTruth, pair: int) -> Judgment:
    topic, document = truth.topics[truth.topic[pair]], truth.documents[truth.document[pair]]
    return truth.assessments.find(topic, document) or Judgment(topic, document)


def _outline(collection: Collection | None, judgment: Judgment, text: str) -> Outline:
    if collection is None:
        return plain_outline(text)
    return outline_of(collection, collection.document(judgment.document), judgment.highlights)


def _with_chunks(
    layers: tuple[RunUnits, ...], document: str, chunks: Mapping[str, ChunkTable]
) -> tuple[RunUnits, ...]:
    """What runs return in a document, with the chunks of it that each could have returned."""
    ranges: dict[int, tuple[tuple[int, int], ...]] = {}
    found = []
    for layer in layers:
        table = chunks.get(layer.run)
        if table is None:
            found.append(layer)
            continue
        if id(table) not in ranges:
            ranges[id(table)] = _chunks_in(table, document)
        found.append(layer._replace(chunks=ranges[id(table)]))
    return tuple(found)


def _chunks_in(table: ChunkTable, document: str) -> tuple[tuple[int, int], ...]:
    """The ranges of all chunks of a document, in its order."""
    if document not in table.documents:
        return ()
    rows = np.flatnonzero(table.document == table.documents.index(document))
    lists = table.spans.as_tuples()
    ranges = sorted({span for row in rows.tolist() for span in lists[row]})
    return tuple(ranges[:MOST_CHUNKS])


def _grades(collection: Collection | None, judgment: Judgment) -> tuple[DrawnGrade, ...]:
    """The graded elements in document order; irrelevant ones and unjudged ones are not drawn."""
    if collection is None:
        return ()
    document = collection.document(judgment.document)
    graded = [
        (element.path, _label(element.grade))
        for element in judgment.grades
        if element.grade is not None and element.grade.is_relevant
    ]
    graded += [
        (element.path, _in_percent(element.exhaustivity, element.highlighted / element.size))
        for element in judgment.elements
        if element.highlighted > 0 and element.size > 0
    ]
    if not graded:
        return ()
    nodes = collection.find_nodes([document] * len(graded), [path for path, _ in graded])
    columns = collection.nodes
    return tuple(
        DrawnGrade(path, int(columns.start[node]), int(columns.end[node]), label)
        for node, (path, label) in sorted(zip(nodes.tolist(), graded, strict=True))
        if node >= 0
    )


def _label(grade: Grade2002 | Grade2003 | Grade2005) -> str:
    """A grade as the assessors wrote it; specificity as a share of text is given in percent."""
    if isinstance(grade, Grade2005):
        return _in_percent(grade.exhaustivity, float(grade.specificity))
    return str(grade)


def _in_percent(exhaustivity: int | None, specificity: float) -> str:
    return f"({'?' if exhaustivity is None else exhaustivity},{specificity:.0%})"


def _layers(runs: Mapping[str, Returned], pairs: Sequence[int]) -> dict[int, tuple[RunUnits, ...]]:
    """What each run returns in each of the documents."""
    found: dict[int, list[RunUnits]] = {pair: [] for pair in pairs}
    for name, run in runs.items():
        rows = np.flatnonzero(np.isin(run.pair, pairs))
        own = run.pair[rows]
        for pair, layers in found.items():
            layers.append(_run_units(name, run, rows[own == pair]))
    return {pair: tuple(layers) for pair, layers in found.items()}


def _run_units(name: str, run: Returned, rows: Ints) -> RunUnits:
    shown = rows[:MOST_UNITS]
    columns = (run.start[shown].tolist(), run.end[shown].tolist(), run.rank[shown].tolist())
    units = tuple(Unit(*each) for each in zip(*columns, strict=True))
    ends = () if run.reading is None else run.reading.ends[:, shown].tolist()
    return RunUnits(name, units, len(rows) - len(shown), tuple(map(tuple, ends)))


def _relevant_units(
    truth: GroundTruth, model: Esr, runs: Mapping[str, Returned], pairs: Sequence[int]
) -> dict[int, tuple[RelevantUnit, ...]]:
    """The relevant units of the documents, each with its outcome by run."""
    collection, columns = truth.known_collection, truth.known_collection.nodes
    every = model.units(truth)
    pair_of = truth.pairs_of(every.topic, every.document)
    rows = np.flatnonzero(np.isin(pair_of, pairs))
    trees = every.trees.rows(rows)
    size, rsize = (
        union_lengths(truth, every.topic[rows], trees, relevant=relevant)
        for relevant in (False, True)
    )
    shares = ratio(rsize, size).tolist()
    by_run = [_outcomes(truth, model, run, rows) for run in runs.values()]
    columns_of_units = (pair_of[rows].tolist(), trees.as_sets(), shares)
    found: dict[int, list[RelevantUnit]] = {}
    for place, (pair, nodes, share) in enumerate(zip(*columns_of_units, strict=True)):
        start = int(columns.start[list(nodes)].min())
        end = int(columns.end[list(nodes)].max())
        path = ", ".join(map(collection.path_of, nodes))
        own = tuple(found_by[place] for found_by in by_run)
        known = share if truth.highlighted[pair] else None
        found.setdefault(pair, []).append(RelevantUnit(path, start, end, known, own))
    return {pair: tuple(units) for pair, units in found.items()}


def _outcomes(truth: GroundTruth, model: Esr, run: Returned, units: Ints) -> list[UnitOutcome]:
    return (
        [UnitOutcome()] * len(units)
        if run.seen is None
        else hit_outcomes(truth, model.readers, run.seen, units)
    )
