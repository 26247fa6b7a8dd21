"""What reports show of documents: highlighted text, what each run returns, and what it hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from doxeval.assessments import Judgment
from doxeval.documents import Collection
from doxeval.measures.assessed_trees import union_lengths
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.outcomes import Outcome
from doxeval.measures.ranking import ratio
from doxeval.reports.outline import Outline, outline_of
from doxeval.reports.returned import Pair, Returned, Unit, pairs_of, relevant_units

MOST_DOCUMENTS = 8
# Longer documents are shown only if there are no others.
_LONG = 60_000


class RunUnits(NamedTuple):
    """What one run returns in one document, best first."""

    run: str
    units: tuple[Unit, ...] = ()


class RelevantUnit(NamedTuple):
    """A relevant unit: its paths, its highlighted share, and its outcome by run."""

    path: str
    start: int
    end: int
    share: float
    found: tuple[Outcome, ...]


@dataclass(frozen=True)
class DocumentView:
    """A document for one topic: its highlighted text, and what the runs return in it."""

    topic: str
    document: str
    text: str
    highlights: tuple[tuple[int, int], ...]
    outline: Outline
    layers: tuple[RunUnits, ...]
    units: tuple[RelevantUnit, ...]


def document_views(
    truth: GroundTruth, runs: Mapping[str, Returned], most: int = MOST_DOCUMENTS
) -> tuple[DocumentView, ...]:
    """The documents that say most about the runs: first those in which many return something.

    >>> from doxeval.assessments import Assessments
    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.evaluation import Evaluation
    >>> from doxeval.reports.returned import returned
    >>> from doxeval.runs import Kind, Result, Run
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> assessments = Assessments([Judgment("7", "a", ((4, 8),))])
    >>> evaluation = Evaluation(assessments, "MAiP", collection=collection, keep=returned)
    >>> run = Run.from_results([Result("7", "a", Kind.ELEMENT, paths=("/s[1]/p[2]",))])
    >>> kept = evaluation.score(run).kept
    >>> (view,) = document_views(evaluation.truth, {"mine": kept})
    >>> view.units[0].path, view.units[0].found[0].hit_at
    ('/s[1]/p[2]', 1)
    """
    if not truth.has_highlights:
        return ()
    collection = truth.known_collection
    judged = [judgment for judgment in truth.assessments if judgment.highlights]
    layers = {
        judgment.pair: tuple(
            RunUnits(run, found.units.get(judgment.pair, ())) for run, found in runs.items()
        )
        for judgment in judged
    }
    shown = _chosen(collection, judged, layers, most)
    units = _relevant_units(truth, runs)
    return tuple(
        _view(collection, judgment, layers[judgment.pair], units.get(judgment.pair, ()))
        for judgment in shown
    )


def _chosen(
    collection: Collection,
    judged: Sequence[Judgment],
    layers: Mapping[Pair, tuple[RunUnits, ...]],
    most: int,
) -> list[Judgment]:
    """One document of each topic in turn, first those in which most runs return something."""
    numbers = collection.find_documents([judgment.document for judgment in judged]).tolist()
    lengths = [int(collection.nodes.end[collection.rows[n]]) if n >= 0 else 0 for n in numbers]

    def order(at: int) -> tuple[bool, int, int, int]:
        returning = sum(bool(layer.units) for layer in layers[judged[at].pair])
        return (lengths[at] > _LONG, -returning, -len(judged[at].highlights), at)

    known = sorted((at for at in range(len(judged)) if numbers[at] >= 0), key=order)
    turns: dict[str, int] = {}
    in_turn = []
    for at in known:
        turn = turns.get(judged[at].topic, 0)
        turns[judged[at].topic] = turn + 1
        in_turn.append((turn, order(at), at))
    return [judged[at] for _, _, at in sorted(in_turn)[:most]]


def _view(
    collection: Collection,
    judgment: Judgment,
    layers: tuple[RunUnits, ...],
    units: tuple[RelevantUnit, ...],
) -> DocumentView:
    document = collection.document(judgment.document)
    return DocumentView(
        judgment.topic,
        judgment.document,
        collection.text_of(document),
        judgment.highlights,
        outline_of(collection, document, judgment.highlights),
        layers,
        units,
    )


def _relevant_units(
    truth: GroundTruth, runs: Mapping[str, Returned]
) -> dict[Pair, tuple[RelevantUnit, ...]]:
    """The relevant units by topic and document, each with its outcome by run."""
    collection, columns = truth.known_collection, truth.known_collection.nodes
    units = relevant_units(truth)
    size, rsize = (
        union_lengths(truth, units.topic, units.trees, relevant=relevant)
        for relevant in (False, True)
    )
    found: dict[Pair, list[RelevantUnit]] = {}
    pairs = pairs_of(truth, units.topic, units.document)
    shares = ratio(rsize, size).tolist()
    for pair, nodes, share in zip(pairs, units.trees.as_sets(), shares, strict=True):
        own = found.setdefault(pair, [])
        outcomes = tuple(run.outcomes[pair][len(own)] for run in runs.values())
        start = int(columns.start[list(nodes)].min())
        end = int(columns.end[list(nodes)].max())
        path = ", ".join(map(collection.path_of, nodes))
        own.append(RelevantUnit(path, start, end, share, outcomes))
    return {pair: tuple(units) for pair, units in found.items()}
