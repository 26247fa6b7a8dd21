"""What reports show of documents: what was assessed, what each run returns, and what it hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments import Grade2002, Grade2003, Grade2005, Judgment
from doxeval.documents import Collection
from doxeval.measures import (
    Esr,
    GroundTruth,
    RetainedResults,
    UnitOutcome,
    has_text_to_show,
    hit_outcomes,
    ratio,
    union_lengths,
)
from doxeval.reports.documents.outline import Outline, outline_of, plain_outline
from doxeval.reports.documents.select import (
    MAX_CHUNKS,
    MAX_DOCUMENTS,
    MAX_UNITS,
    select_documents,
)
from doxeval.runs import ChunkTable


class Unit(NamedTuple):
    """A returned span of text and its rank."""

    start: int
    end: int
    rank: int


class RunUnits(NamedTuple):
    """What one run returns in one document, best first.

    read: for each budget, where readers stop in each unit. chunks: the spans that the system could
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
    outcomes: tuple[UnitOutcome, ...]


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
    runs: Mapping[str, RetainedResults],
    most: int = MAX_DOCUMENTS,
    *,
    with_navigation: bool = True,
    chunks: Mapping[str, ChunkTable] | None = None,
) -> tuple[DocumentView, ...]:
    """Return the documents in which the runs differ most, by topic.

    Without `with_navigation` nothing is said about hits, near-misses and misses. `chunks` are, by
    run, what the system could have returned.

    >>> from doxeval.assessments import Assessments
    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.evaluation import Evaluation, Keep
    >>> from doxeval.runs import Kind, Result, Run
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> assessments = Assessments([Judgment("7", "a", ((4, 8),))])
    >>> keep = Keep(results=True)
    >>> evaluation = Evaluation(assessments, "ESRR@10", collection=collection, keep=keep)
    >>> run = Run.from_results([Result("7", "a", Kind.ELEMENT, paths=("/s[1]/p[2]",))])
    >>> returned = evaluation.score(run).results
    >>> (view,) = document_views(evaluation.truth, {"mine": returned})
    >>> view.units[0].path, view.units[0].outcomes[0].hit_at, view.navigation
    ('/s[1]/p[2]', 1, 'depth')
    """
    if truth.texts is None or not has_text_to_show(truth) or not runs:
        return ()
    selected = select_documents(truth, list(runs.values()), most)
    layers = _layers(runs, selected.pairs)
    every = (run.budget_stops for run in runs.values())
    stops = next((each for each in every if each is not None), None)
    budgets = () if stops is None else tuple(f"{size:,} {stops.unit}" for size in stops.sizes)
    model = next(iter(runs.values())).model if with_navigation else None
    units = {} if model is None else _relevant_units(truth, model, runs, selected.pairs)
    views = []
    for pair, least, highest in zip(selected.pairs, selected.least, selected.most, strict=True):
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
                selected.of,
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
    """Add to what runs return in a document the chunks that each could have returned."""
    spans: dict[int, tuple[tuple[int, int], ...]] = {}
    completed = []
    for layer in layers:
        table = chunks.get(layer.run)
        if table is None:
            completed.append(layer)
            continue
        if id(table) not in spans:
            spans[id(table)] = _chunks_in(table, document)
        completed.append(layer._replace(chunks=spans[id(table)]))
    return tuple(completed)


def _chunks_in(table: ChunkTable, document: str) -> tuple[tuple[int, int], ...]:
    """Return the spans of all chunks of a document, in its order."""
    if document not in table.documents:
        return ()
    rows = np.flatnonzero(table.document == table.documents.index(document))
    lists = table.spans.as_tuples()
    spans = sorted({span for row in rows.tolist() for span in lists[row]})
    return tuple(spans[:MAX_CHUNKS])


def _grades(collection: Collection | None, judgment: Judgment) -> tuple[DrawnGrade, ...]:
    """Return the relevant graded elements in document order."""
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
    """Return a grade as the assessors wrote it; a share of text is given in percent."""
    if isinstance(grade, Grade2005):
        return _in_percent(grade.exhaustivity, float(grade.specificity))
    return str(grade)


def _in_percent(exhaustivity: int | None, specificity: float) -> str:
    return f"({'?' if exhaustivity is None else exhaustivity},{specificity:.0%})"


def _layers(
    runs: Mapping[str, RetainedResults], pairs: Sequence[int]
) -> dict[int, tuple[RunUnits, ...]]:
    """Return what each run returns in each of the documents."""
    by_pair: dict[int, list[RunUnits]] = {pair: [] for pair in pairs}
    for name, run in runs.items():
        rows = np.flatnonzero(np.isin(run.pair, pairs))
        pair_of = run.pair[rows]
        for pair, layers in by_pair.items():
            layers.append(_run_units(name, run, rows[pair_of == pair]))
    return {pair: tuple(layers) for pair, layers in by_pair.items()}


def _run_units(name: str, run: RetainedResults, rows: Ints) -> RunUnits:
    shown = rows[:MAX_UNITS]
    columns = (run.start[shown].tolist(), run.end[shown].tolist(), run.rank[shown].tolist())
    units = tuple(Unit(*each) for each in zip(*columns, strict=True))
    stops = () if run.budget_stops is None else run.budget_stops.ends[:, shown].tolist()
    return RunUnits(name, units, len(rows) - len(shown), tuple(map(tuple, stops)))


def _relevant_units(
    truth: GroundTruth, model: Esr, runs: Mapping[str, RetainedResults], pairs: Sequence[int]
) -> dict[int, tuple[RelevantUnit, ...]]:
    """Return the relevant units of the documents, each with its outcome by run."""
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
    by_pair: dict[int, list[RelevantUnit]] = {}
    for place, (pair, nodes, share) in enumerate(zip(*columns_of_units, strict=True)):
        start = int(columns.start[list(nodes)].min())
        end = int(columns.end[list(nodes)].max())
        path = ", ".join(map(collection.path_of, nodes))
        outcomes = tuple(of_run[place] for of_run in by_run)
        known = share if truth.highlighted[pair] else None
        by_pair.setdefault(pair, []).append(RelevantUnit(path, start, end, known, outcomes))
    return {pair: tuple(units) for pair, units in by_pair.items()}


def _outcomes(
    truth: GroundTruth, model: Esr, run: RetainedResults, units: Ints
) -> list[UnitOutcome]:
    if run.seen is None:
        return [UnitOutcome()] * len(units)
    return hit_outcomes(truth, model.readers, run.seen, units)
