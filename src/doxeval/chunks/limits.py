"""What a chunking allows before anything is searched."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Floats, Ints, concatenated_ranges
from doxeval.chunks.boundaries import Agreement, Structure, agreement
from doxeval.chunks.chunks import Chunks, RebuiltDocuments
from doxeval.chunks.dataset import Bench, chunk_costs
from doxeval.chunks.oracle import (
    Gold,
    Pieces,
    Touching,
    best_ious,
    gold_of,
    joined_pieces,
    pieces_of_chunks,
    touching,
)
from doxeval.errors import warn
from doxeval.measures import GroundTruth
from doxeval.messages import Parameter, plural
from doxeval.named import checked
from doxeval.runs import ChunkTable
from doxeval.spans import Spans, merge_spans, shared_lengths


@checked
def limits(
    chunks: Chunks,
    gold: Any,
    *,
    unit: str = "words",
    tokens: Any = None,
    max_missing: int | str = 0,
) -> Limits:
    """Return what a cut allows, before anything is searched.

    `gold` are questions (or assessments). Sizes are in `unit`: characters, words or tokens.
    `max_missing` says how much of the gold may be missing, as `questions` does.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "One two three. Four five."})
    >>> need = {"spans": [{"doc": "a", "quote": "three. Four"}]}
    >>> gold = chunks.questions([{"id": "1", "question": "What?", "needs": [need]}], docs)
    >>> found = chunks.limits(chunks.cut(docs, "sentences:1:0"), gold)
    >>> found.coverage, found.intact, found.pieces, round(found.omega, 4)
    (1.0, 0.0, 2.0, 0.4)
    """
    bench = Bench(chunks.known_docs, gold, unit, tokens, max_missing)
    found = limits_on(bench, chunks)
    found = replace(found, warnings=(*bench.warnings, *found.warnings))
    warn(found.warnings)
    return found


def limits_on(bench: Bench, chunks: Chunks) -> Limits:
    """The limits of a cut."""
    ious = np.array(best_ious(chunks.table, bench.truth))
    defined = ious[~np.isnan(ious)]
    best = float(defined.mean()) if len(defined) else float("nan")
    found = limits_of(chunks.table, bench.truth, bench.structure, bench.unit, best)
    if not isinstance(bench.docs, RebuiltDocuments):
        return found
    said = "coverage and borders are not known without the documents: " + Parameter("docs")
    return replace(found, coverage=float("nan"), borders={}, warnings=(said,))


@dataclass(frozen=True, repr=False)
class Limits:
    """What a cut allows, whatever searches its chunks.

    coverage: the share of solid characters (all but white space) that are in some chunk.
    overlap: how often a character that is in a chunk is in one on average; 1 without overlap.
    sizes: of chunks in `unit`: the 5th, 50th and 95th percentile.
    intact: the share of needs that some chunk shows whole. pieces: how many chunks touch a need on
    average. inside: how many borders of chunks are inside the text of a need on average. Of a need
    with alternatives the best one counts.
    omega: per question, the gold that is in chunks, out of these chunks and the gold together
    (Chroma's precision Ω, with chunks that only touch gold left out); the mean of questions.
    best_iou: the best IoU that some of the chunks reach, by the greedy oracle; mean of questions.
    borders: how the borders of chunks agree with those of sections, paragraphs and sentences.
    """

    chunks: int
    documents: int
    coverage: float
    overlap: float
    unit: str
    sizes: tuple[float, float, float]
    questions: int
    needs: int
    intact: float
    pieces: float
    inside: float
    omega: float
    best_iou: float
    borders: dict[str, Agreement] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        low, median, high = self.sizes
        found: dict[str, Any] = {
            "chunks": self.chunks,
            "documents": self.documents,
            "coverage": self.coverage,
            "overlap": self.overlap,
            "unit": self.unit,
            "p5": low,
            "p50": median,
            "p95": high,
            "questions": self.questions,
            "needs": self.needs,
            "intact": self.intact,
            "pieces": self.pieces,
            "inside": self.inside,
            "omega": self.omega,
            "best_iou": self.best_iou,
        }
        for name, values in self.borders.items():
            for what, value in values._asdict().items():
                found[f"{name} {what}"] = value
        return found

    def __repr__(self) -> str:
        low, median, high = (f"{size:,.0f}" for size in self.sizes)
        lines = [
            f"{plural(self.chunks, 'chunk')} of {plural(self.documents, 'document')}: "
            f"{low}, {median}, {high} {self.unit} (5 %, 50 %, 95 %)",
            f"coverage {self.coverage:.4f}, overlap factor {self.overlap:.3f}",
            f"{plural(self.needs, 'need')} of {plural(self.questions, 'question')}: "
            f"intact {self.intact:.4f}, pieces {self.pieces:.3f}, borders inside {self.inside:.3f}",
            f"Ω {self.omega:.4f}, best IoU {self.best_iou:.4f}",
        ]
        lines += [
            f"borders of {name}: precision {one.precision:.4f}, recall {one.recall:.4f}, "
            f"F {one.f:.4f}"
            for name, one in self.borders.items()
        ]
        return "\n".join(lines)


def limits_of(
    table: ChunkTable, truth: GroundTruth, structure: Structure, unit: str, best_iou: float
) -> Limits:
    """The limits of a cut; `truth` is counted in all characters."""
    pieces = _solid_pieces(table, structure)
    covered = int(merge_spans(pieces.text).lengths().sum())
    read = int(pieces.text.lengths().sum())
    cost = chunk_costs(table, structure.texts, unit)
    gold = _of_needs(table, truth, structure, pieces)
    borders = _borders(table, structure)
    return Limits(
        len(table),
        len(structure.names),
        _share(covered, int(structure.sizes.sum())),
        _share(read, covered),
        unit,
        _percentiles(cost),
        len(truth.topics),
        len(gold.intact),
        _mean(gold.intact),
        _mean(gold.pieces),
        _mean(gold.inside),
        _mean(omegas(table, truth)),
        best_iou,
        {name: agreement(borders, own) for name, own in structure.borders.items()},
        tuple(_warnings(table, structure)),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def _mean(values: npt.NDArray[Any]) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def _percentiles(values: Ints) -> tuple[float, float, float]:
    if not len(values):
        return (float("nan"),) * 3
    low, median, high = np.percentile(values, [5, 50, 95]).tolist()
    return low, median, high


def _solid_pieces(table: ChunkTable, structure: Structure) -> Pieces:
    """The ranges of chunks in solid characters."""
    owner, text = pieces_of_chunks(table)
    start, end = (
        structure.solid.before(table.documents, text.group, one) for one in (text.start, text.end)
    )
    return joined_pieces(Pieces(owner, Spans(text.group, start, end)), len(table))


class _OfNeeds(NamedTuple):
    """For each need: whether a chunk has all of it, chunks that touch it, borders inside."""

    intact: Floats
    pieces: Floats
    inside: Floats


def _of_needs(
    table: ChunkTable, truth: GroundTruth, structure: Structure, pieces: Pieces
) -> _OfNeeds:
    needs = structure.solid.needs(truth.needs, truth.columns)
    gold = gold_of(truth, needs, table.documents)
    length = gold.text.lengths()
    found = touching(gold.text, pieces)
    whole = np.zeros(len(length), dtype=np.bool_)
    whole[found.gold[found.shared == length[found.gold]]] = True
    count = np.bincount(found.gold, minlength=len(length)).astype(np.float64)
    borders = np.unique(
        np.concatenate([pieces.text.group * (1 << 32) + one for one in pieces.text[1:]])
    )
    inside = np.searchsorted(borders, gold.text.group * (1 << 32) + gold.text.end) - (
        np.searchsorted(borders, gold.text.group * (1 << 32) + gold.text.start, "right")
    )
    solid = length > 0
    # Alternatives that no chunk touches are not better for it.
    last = np.where(count > 0, 0.0, np.inf)
    split = _least(gold, solid, (~whole).astype(np.float64), len(needs))
    return _OfNeeds(
        1 - split,
        _least(gold, solid, count + last, len(needs)),
        _least(gold, solid, inside.astype(np.float64) + last, len(needs)),
    )


def _least(gold: Gold, rows: npt.NDArray[np.bool_], values: Floats, count: int) -> Floats:
    """The least value of each need's alternatives, 0 if none is in a chunk.

    nan where a need has nothing but white space.
    """
    found = np.full(count, np.nan)
    np.fmin.at(found, gold.need[rows], values[rows])
    found[np.isinf(found)] = 0.0
    return found


def omegas(table: ChunkTable, truth: GroundTruth) -> Floats:
    """Chroma's precision Ω of each question: gold in chunks, out of these chunks and the gold.

    Chunks that merely begin where gold ends are left out. Of a need with alternatives the one
    counts that fits its chunks best.
    """
    pieces = pieces_of_chunks(table)
    gold = gold_of(truth, truth.needs, table.documents)
    found = touching(gold.text, pieces)
    topics = len(truth.topics)
    if truth.needs.has_alternatives.any():
        chosen = _best_alternatives(gold, found, pieces, len(table))
        text = Spans(*(column[chosen] for column in gold.text))
        gold = Gold(gold.need[chosen], gold.topic[chosen], text)
        found = touching(gold.text, pieces)
    return _fits(gold.topic, gold.text, found, pieces, len(table), topics)


def _fits(
    group: Ints, gold: Spans, found: Touching, pieces: Pieces, chunks: int, groups: int
) -> Floats:
    """The share that gold and the chunks touching it have in common, by group of gold."""
    width = int(max(gold.group.max(initial=0), pieces.text.group.max(initial=0))) + 1
    begin = np.append(0, np.cumsum(np.bincount(pieces.owner, minlength=chunks)))
    order = np.argsort(pieces.owner, kind="stable")
    keys = np.unique(group[found.gold] * chunks + found.chunk)
    of_group, chunk = keys // max(chunks, 1), keys % max(chunks, 1)
    counts = begin[chunk + 1] - begin[chunk]
    row = order[concatenated_ranges(begin[chunk], counts)]
    read = merge_spans(
        Spans(
            np.repeat(of_group, counts) * width + pieces.text.group[row],
            pieces.text.start[row],
            pieces.text.end[row],
        )
    )
    wanted = merge_spans(Spans(group * width + gold.group, gold.start, gold.end))
    both = np.bincount(wanted.group // width, shared_lengths(wanted, read), minlength=groups)
    size = np.bincount(read.group // width, read.lengths(), minlength=groups)
    own = np.bincount(wanted.group // width, wanted.lengths(), minlength=groups)
    union = size + own - both
    fits: Floats = np.divide(both, union, out=np.full(groups, np.nan), where=own > 0)
    return fits


def _best_alternatives(gold: Gold, found: Touching, pieces: Pieces, chunks: int) -> Ints:
    """The alternative of each need that fits its chunks best, of equal ones the shortest."""
    count = len(gold.need)
    fit = _fits(np.arange(count), gold.text, found, pieces, chunks, count)
    order = np.lexsort((np.arange(count), -np.nan_to_num(fit), gold.need))
    _, first = np.unique(gold.need[order], return_index=True)
    return order[first]


def _borders(table: ChunkTable, structure: Structure) -> Ints:
    """The borders of chunks, as those of the structure are numbered."""
    numbers = {name: number for number, name in enumerate(structure.names)}
    document = np.array([numbers.get(name, -1) for name in table.documents], dtype=np.int64)
    _, text = pieces_of_chunks(table)
    own = document[text.group] if len(document) else text.group
    keys = [structure.keys(own, one) for one in (text.start, text.end)]
    return structure.inner(np.unique(np.concatenate(keys)))


def _warnings(table: ChunkTable, structure: Structure) -> list[str]:
    found = []
    without = set(structure.names) - set(table.documents)
    if without:
        found.append(f"{plural(len(without), 'document')} without chunks")
    if len(table):
        chunk = float(np.median(table.spans.sizes()))
        texts = [structure.texts.find(name) or "" for name in structure.names]
        median = float(np.median([len(text.strip()) for text in texts]))  # as chunks are
        if median <= chunk:
            found.append(
                f"half of the documents have at most {median:,.0f} characters, and half of the "
                f"chunks {chunk:,.0f} or more: most documents are one chunk, so cuts hardly differ"
            )
    return found
