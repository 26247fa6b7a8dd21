"""What a chunking allows before anything is searched."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Floats, Ints, concatenated_ranges, sum_by_group
from doxeval.assessments import Needs
from doxeval.chunks.boundaries import Boundaries, BoundaryAgreement, boundary_agreement
from doxeval.chunks.chunks import Chunks, RebuiltDocuments
from doxeval.chunks.dataset import Dataset
from doxeval.chunks.oracle import Oracle, Overlaps, OwnedSpans, overlaps, spans_of_chunks
from doxeval.errors import warn
from doxeval.measures import GroundTruth
from doxeval.messages import Parameter, plural
from doxeval.named import checked
from doxeval.runs import ChunkTable, SpanLists
from doxeval.spans import Spans, merge_spans, shared_lengths

_KEY = 1 << 32


@checked
def limits(
    chunks: Chunks,
    gold: Any,
    *,
    unit: str = "words",
    tokens: Any = None,
    max_missing: int | str = 0,
) -> ChunkingLimits:
    """Return what a chunking allows, before anything is searched.

    `gold` are questions (or assessments). Sizes are in `unit`: characters, words or tokens.
    `max_missing` says how much of the gold may be missing, as `questions` does.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "One two three. Four five."})
    >>> need = {"spans": [{"doc": "a", "quote": "three. Four"}]}
    >>> gold = chunks.questions([{"id": "1", "question": "What?", "needs": [need]}], docs)
    >>> limits = chunks.limits(chunks.split(docs, "sentences:1:0"), gold)
    >>> limits.coverage, limits.intact, limits.chunks_per_need, round(limits.omega, 4)
    (1.0, 0.0, 2.0, 0.4)
    """
    dataset = Dataset(chunks.known_docs, gold, unit, tokens, max_missing)
    oracle = Oracle(chunks.table, dataset.truth)
    of_chunks = limits_of(dataset, oracle, dataset.sizes(chunks))
    of_chunks = replace(of_chunks, warnings=(*dataset.warnings, *of_chunks.warnings))
    warn(of_chunks.warnings)
    return of_chunks


@dataclass(frozen=True, repr=False)
class ChunkingLimits:
    """What a chunking allows, whatever searches its chunks.

    coverage: the share of non-space characters that are in some chunk.
    overlap: how often a character that is in a chunk is in one on average; 1 without overlap.
    sizes: of chunks in `unit`: the 5th, 50th and 95th percentile.
    intact: the share of needs that some chunk shows whole. chunks_per_need: how many chunks share
    text with a need on average. inside: how many boundaries of chunks are inside the text of a need
    on average. Of a need with alternatives the best one counts.
    omega: per question, the gold that is in chunks, out of these chunks and the gold together
    (Chroma's precision Ω, without chunks that only touch gold); the mean of questions.
    best_iou: the best IoU that some of the chunks reach, by the greedy oracle; mean of questions.
    boundaries: how those of chunks agree with those of sections, paragraphs and sentences.
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
    chunks_per_need: float
    inside: float
    omega: float
    best_iou: float
    boundaries: dict[str, BoundaryAgreement] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        low, median, high = self.sizes
        values: dict[str, Any] = {
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
            "chunks_per_need": self.chunks_per_need,
            "inside": self.inside,
            "omega": self.omega,
            "best_iou": self.best_iou,
        }
        for kind, agreement in self.boundaries.items():
            values |= {f"{kind} {what}": value for what, value in agreement._asdict().items()}
        return values

    def __repr__(self) -> str:
        low, median, high = (f"{size:,.0f}" for size in self.sizes)
        lines = [
            f"{plural(self.chunks, 'chunk')} of {plural(self.documents, 'document')}: "
            f"{low}, {median}, {high} {self.unit} (5 %, 50 %, 95 %)",
            f"coverage {self.coverage:.4f}, overlap factor {self.overlap:.3f}",
            f"{plural(self.needs, 'need')} of {plural(self.questions, 'question')}: "
            f"intact {self.intact:.4f}, chunks per need {self.chunks_per_need:.3f}, "
            f"boundaries inside {self.inside:.3f}",
            f"Ω {self.omega:.4f}, best IoU {self.best_iou:.4f}",
        ]
        lines += [
            f"boundaries of {kind}: precision {agreement.precision:.4f}, "
            f"recall {agreement.recall:.4f}, F {agreement.f:.4f}"
            for kind, agreement in self.boundaries.items()
        ]
        return "\n".join(lines)


def limits_of(dataset: Dataset, oracle: Oracle, sizes: Ints) -> ChunkingLimits:
    """Return the limits of the chunks that an oracle knows, which have these sizes."""
    table, truth, boundaries = oracle.table, oracle.truth, dataset.boundaries
    spans = _non_space_spans(table, boundaries)
    covered = int(merge_spans(spans.text).lengths().sum())
    read = int(spans.text.lengths().sum())
    needs = _limits_of_needs(table, truth, boundaries, spans)
    is_known = not isinstance(dataset.docs, RebuiltDocuments)
    unknown = "coverage and boundaries are not known without the documents: " + Parameter("docs")
    return ChunkingLimits(
        len(table),
        len(boundaries.names),
        _share(covered, int(boundaries.sizes.sum())) if is_known else float("nan"),
        _share(read, covered),
        dataset.unit,
        _percentiles(sizes),
        len(truth.topics),
        len(needs.intact),
        _mean(needs.intact),
        _mean(needs.chunks),
        _mean(needs.inside),
        _mean(omegas(table, truth)),
        _mean(np.array(oracle.best_ious())),
        _agreements(table, boundaries) if is_known else {},
        tuple(_warnings(table, boundaries)) if is_known else (unknown,),
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


def _agreements(table: ChunkTable, boundaries: Boundaries) -> dict[str, BoundaryAgreement]:
    """Return how the boundaries of chunks agree with those of each kind."""
    numbers = {name: number for number, name in enumerate(boundaries.names)}
    document = np.array([numbers.get(name, -1) for name in table.documents], dtype=np.int64)
    _, text = spans_of_chunks(table)
    group = document[text.group] if len(document) else text.group
    edges = np.concatenate([text.start, text.end])
    of_chunks = boundaries.inside(np.tile(group, 2), edges)
    return {kind: boundary_agreement(of_chunks, keys) for kind, keys in boundaries.by_kind.items()}


def _warnings(table: ChunkTable, boundaries: Boundaries) -> list[str]:
    warnings = []
    without = set(boundaries.names) - set(table.documents)
    if without:
        warnings.append(f"{plural(len(without), 'document')} without chunks")
    if len(table):
        chunk = float(np.median(table.spans.sizes()))
        texts = [boundaries.texts.find(name) or "" for name in boundaries.names]
        median = float(np.median([len(text.strip()) for text in texts]))  # as chunks are
        if median <= chunk:
            warnings.append(
                f"half of the documents have at most {median:,.0f} characters, and half of the "
                f"chunks {chunk:,.0f} or more: most documents are one chunk, so chunkings hardly "
                "differ"
            )
    return warnings


# Needs


class _GoldSpans(NamedTuple):
    """Spans that answer needs: the topic of each, and the span in its document.

    Documents are numbered as those of the chunks are; documents without chunks follow.
    """

    topic: Ints
    text: Spans


def _gold_spans(truth: GroundTruth, needs: Needs, documents: tuple[str, ...]) -> _GoldSpans:
    """Return the spans of needs, with documents numbered as those of chunks."""
    numbers = {name: number for number, name in enumerate(documents)}
    for name in truth.documents:
        numbers.setdefault(name, len(numbers))
    of_judged = np.array([numbers[name] for name in truth.documents], dtype=np.int64)
    document = of_judged[truth.document[needs.pair]] if len(of_judged) else needs.pair
    return _GoldSpans(needs.topic[needs.need], Spans(document, needs.start, needs.end))


def _non_space_spans(table: ChunkTable, boundaries: Boundaries) -> OwnedSpans:
    """Return the spans of chunks in non-space characters, merged where those of a chunk touch."""
    owner, text = spans_of_chunks(table)
    start, end = (
        boundaries.offsets.before(table.documents, text.group, offset)
        for offset in (text.start, text.end)
    )
    merged = SpanLists.merged(Spans(owner, start, end), len(table))
    return OwnedSpans(merged.owner, Spans(table.document[merged.owner], merged.start, merged.end))


class _LimitsOfNeeds(NamedTuple):
    """For each need: whether a chunk has all of it, chunks that share text, boundaries inside."""

    intact: Floats
    chunks: Floats
    inside: Floats


def _limits_of_needs(
    table: ChunkTable, truth: GroundTruth, boundaries: Boundaries, spans: OwnedSpans
) -> _LimitsOfNeeds:
    needs = boundaries.offsets.needs(truth.needs, truth.columns)
    gold = _gold_spans(truth, needs, table.documents)
    shared = overlaps(gold.text, spans)
    width = max(len(table), 1)
    keys, which = np.unique(
        needs.alternative[shared.gold] * width + shared.chunk, return_inverse=True
    )
    alternative, shown = keys // width, sum_by_group(which, shared.shared, len(keys))
    is_whole = np.zeros(len(needs.size), dtype=np.bool_)
    is_whole[alternative[shown == needs.size[alternative]]] = True
    count = np.bincount(alternative, minlength=len(is_whole)).astype(np.float64)
    edges = np.unique(
        np.concatenate([spans.text.group * _KEY + offset for offset in spans.text[1:]])
    )
    inside = np.searchsorted(edges, gold.text.group * _KEY + gold.text.end) - (
        np.searchsorted(edges, gold.text.group * _KEY + gold.text.start, "right")
    )
    of_alternatives = needs.sums(inside).astype(np.float64)
    # Alternatives that no chunk shows are not better for it.
    last = np.where(count > 0, 0.0, np.inf)
    is_split = _least(needs, (~is_whole).astype(np.float64))
    return _LimitsOfNeeds(
        1 - is_split,
        _least(needs, count + last),
        _least(needs, of_alternatives + last),
    )


def _least(needs: Needs, values: Floats) -> Floats:
    """Return the least value of each need's alternatives, 0 if none is in a chunk.

    It is nan where a need has nothing but white space.
    """
    least, has_text = np.full(len(needs), np.nan), needs.size > 0
    np.fmin.at(least, needs.owner[has_text], values[has_text])
    least[np.isinf(least)] = 0.0
    return least


# Precision Ω


def omegas(table: ChunkTable, truth: GroundTruth) -> Floats:
    """Return Chroma's precision Ω of each question: gold in chunks, out of these and the gold.

    Chunks that merely begin where gold ends are left out. Of a need with alternatives the one
    counts that fits its chunks best.
    """
    spans = spans_of_chunks(table)
    gold = _gold_spans(truth, truth.needs, table.documents)
    shared = overlaps(gold.text, spans)
    if truth.needs.has_alternatives.any():
        best = _spans_of_best(truth.needs, gold, shared, spans, len(table))
        gold = _GoldSpans(gold.topic[best], Spans(*(column[best] for column in gold.text)))
        shared = overlaps(gold.text, spans)
    return _fits(gold.topic, gold.text, shared, spans, len(table), len(truth.topics))


def _fits(
    group: Ints, gold: Spans, shared: Overlaps, spans: OwnedSpans, chunks: int, groups: int
) -> Floats:
    """Return the share that gold and the chunks with some of it have in common, by group."""
    width = int(max(gold.group.max(initial=0), spans.text.group.max(initial=0))) + 1
    begin = np.append(0, np.cumsum(np.bincount(spans.owner, minlength=chunks)))
    order = np.argsort(spans.owner, kind="stable")
    keys = np.unique(group[shared.gold] * chunks + shared.chunk)
    of_group, chunk = keys // max(chunks, 1), keys % max(chunks, 1)
    counts = begin[chunk + 1] - begin[chunk]
    row = order[concatenated_ranges(begin[chunk], counts)]
    read = merge_spans(
        Spans(
            np.repeat(of_group, counts) * width + spans.text.group[row],
            spans.text.start[row],
            spans.text.end[row],
        )
    )
    needed = merge_spans(Spans(group * width + gold.group, gold.start, gold.end))
    both = np.bincount(needed.group // width, shared_lengths(needed, read), minlength=groups)
    size = np.bincount(read.group // width, read.lengths(), minlength=groups)
    length = np.bincount(needed.group // width, needed.lengths(), minlength=groups)
    fits: Floats = np.divide(
        both, size + length - both, out=np.full(groups, np.nan), where=length > 0
    )
    return fits


def _spans_of_best(
    needs: Needs, gold: _GoldSpans, shared: Overlaps, spans: OwnedSpans, chunks: int
) -> Ints:
    """Return the rows of the alternative of each need that fits its chunks best.

    Of those that fit equally, it is the shortest.
    """
    count = len(needs.size)
    fit = _fits(needs.alternative, gold.text, shared, spans, chunks, count)
    order = np.lexsort((np.arange(count), -np.nan_to_num(fit), needs.owner))
    _, first = np.unique(needs.owner[order], return_index=True)
    return np.flatnonzero(np.isin(needs.alternative, order[first]))
