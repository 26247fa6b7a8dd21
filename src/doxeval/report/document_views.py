"""How runs look in documents: what is highlighted, what each run returns, what it hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from doxeval.assessments import Assessments, Judgment
from doxeval.assessments.assessed_elements import elements_from_highlights
from doxeval.assessments.quantisations import QUANTISATIONS
from doxeval.assessments.recall_bases import full_recall_base, ideal_recall_base
from doxeval.documents import Collection
from doxeval.report.outline import Outline, outline_of
from doxeval.report.retrieved_units import RunUnits, Sources, Unit, retrieved_units

MOST_DOCUMENTS = 8
# Longer documents are shown only if there are no others.
_LONG = 60_000
Outcome = Literal["hit", "near", "miss"]


class Found(NamedTuple):
    """Whether a run hits a relevant unit, comes near or misses it, and at which rank."""

    outcome: Outcome
    rank: int | None = None


class RelevantUnit(NamedTuple):
    """An element that a perfect system returns, its highlighted share, and what runs do with it."""

    path: str
    start: int
    end: int
    share: float
    found: tuple[Found, ...]


@dataclass(frozen=True)
class DocumentView:
    """A document as a topic's assessor and the runs see it."""

    topic: str
    document: str
    text: str
    highlights: tuple[tuple[int, int], ...]
    outline: Outline
    layers: tuple[RunUnits, ...]
    units: tuple[RelevantUnit, ...]


def document_views(sources: Sources, most: int = MOST_DOCUMENTS) -> tuple[DocumentView, ...]:
    """The documents that say most about the runs: those in which many runs return something.

    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.runs.builder import run_of
    >>> from doxeval.runs.run import Kind, Result
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> assessments = Assessments([Judgment("7", "a", ((4, 8),))])
    >>> run = run_of([Result("7", "a", Kind.ELEMENT, place=("/s[1]/p[1]",))])
    >>> (view,) = document_views(Sources(collection, assessments, {"mine": run}))
    >>> view.units[0].path, view.units[0].found
    ('/s[1]/p[2]', (Found(outcome='near', rank=1),))
    """
    judged = [judgment for judgment in sources.assessments if judgment.highlights]
    layers = retrieved_units(sources, [judgment.pair for judgment in judged])
    chosen = _chosen(sources.collection, judged, layers, most)
    return tuple(_view(sources.collection, judgment, layers[judgment.pair]) for judgment in chosen)


def _chosen(
    collection: Collection,
    judged: Sequence[Judgment],
    layers: Mapping[tuple[str, str], tuple[RunUnits, ...]],
    most: int,
) -> list[Judgment]:
    """One document of each topic in turn, those that most runs return first."""
    numbers = collection.find_documents([judgment.document for judgment in judged]).tolist()
    lengths = [int(collection.nodes.end[collection.rows[n]]) if n >= 0 else 0 for n in numbers]

    def worth(place: int) -> tuple[bool, int, int, int]:
        returning = sum(bool(layer.units) for layer in layers[judged[place].pair])
        return (lengths[place] > _LONG, -returning, -len(judged[place].highlights), place)

    known = sorted((p for p in range(len(judged)) if numbers[p] >= 0), key=worth)
    turns: dict[str, int] = {}
    in_turn = []
    for place in known:
        turn = turns.get(judged[place].topic, 0)
        turns[judged[place].topic] = turn + 1
        in_turn.append((turn, worth(place), place))
    return [judged[place] for _, _, place in sorted(in_turn)[:most]]


def _view(collection: Collection, judgment: Judgment, layers: tuple[RunUnits, ...]) -> DocumentView:
    document = collection.document(judgment.document)
    text = collection.text_of(document)
    return DocumentView(
        judgment.topic,
        judgment.document,
        text,
        judgment.highlights,
        outline_of(collection, document, judgment.highlights),
        layers,
        tuple(_relevant_units(collection, judgment, layers, text)),
    )


def _relevant_units(
    collection: Collection, judgment: Judgment, layers: tuple[RunUnits, ...], text: str
) -> list[RelevantUnit]:
    """The ideal elements by the share that is highlighted."""
    elements = elements_from_highlights(Assessments([judgment]), collection)
    ideal = ideal_recall_base(full_recall_base(elements, QUANTISATIONS["spec"]))
    found = []
    for node, share in zip(elements.node[ideal.row].tolist(), ideal.value.tolist(), strict=True):
        start, end = int(collection.nodes.start[node]), int(collection.nodes.end[node])
        outcomes = tuple(_found(start, end, layer, text) for layer in layers)
        found.append(RelevantUnit(collection.path_of(node), start, end, share, outcomes))
    return found


def _found(start: int, end: int, layer: RunUnits, text: str) -> Found:
    """The best a run does: the unit itself, else something around, inside or next to it."""
    near = None
    for unit in layer.units:
        if _is_hit(start, end, unit):
            return Found("hit", unit.rank)
        between = text[min(end, unit.end) : max(start, unit.start)]
        if near is None and not between.strip():  # also where they overlap
            near = unit.rank
    return Found("miss") if near is None else Found("near", near)


def _is_hit(start: int, end: int, unit: Unit) -> bool:
    """The same text; of a passage, at least half of either is the other."""
    if not unit.is_passage:
        return (start, end) == (unit.start, unit.end)
    shared = min(end, unit.end) - max(start, unit.start)
    return 2 * shared >= max(end - start, unit.end - unit.start)
