"""How a run is scored: read in blocks of whole topics, each scored by all measures, then joined.

Topics are scored independently of each other, so the scores of the blocks are those of the run.
Memory is bounded by the block, and small blocks stay in the processor's cache. Large files are
divided into pieces as well, which may be scored in several processes.

A run that cannot be scored in blocks is read again and taken as a whole; `NeedsWholeRun` has the
reasons. An exception is no such reason: it is raised as it is.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, distinct
from doxeval.errors import CollectionError, DoxevalError, InputError, MissingInput, SourceError
from doxeval.evaluation.diagnostics import (
    JudgedDocuments,
    MeasureNotes,
    RunDiagnostics,
    measure_warnings,
    missing_topics_warnings,
    same_file_warnings,
)
from doxeval.evaluation.inputs import AverageOver, Keep, RunInput, RunOptions
from doxeval.evaluation.measure_selection import (
    SelectedMeasure,
    SkippedMeasure,
    check_presets,
    check_results,
    skip_warnings,
)
from doxeval.evaluation.ranking import RankedBy, RunRanking, rank_block, tied_documents
from doxeval.measures import GroundTruth, Measure, Need, Preset
from doxeval.messages import one_line, truncate
from doxeval.runs import (
    Block,
    KnownMetadata,
    Run,
    RunFacts,
    describe_metadata,
    is_not_found,
    metadata_of_file,
)
from doxeval.scores import Curve, DocumentScores, RunScores
from doxeval.storage import foreign_code

if TYPE_CHECKING:
    from doxeval.measures import Ranking, RetainedResults
    from doxeval.runs import ChunkTable

ROWS = 200_000  # of a block
LARGEST_WHOLE_RUN = 2 << 30  # bytes of a file that is taken as a whole where it has to be


class NeedsWholeRun(Exception):
    """Why a run cannot be scored in blocks.

    A topic stands in several places; ranks or scores are only in some blocks; curves do not join;
    or, in pieces of a file, lines have another shape.
    """


def score_run(scoring: Scoring, source: RunInput) -> RunScores:
    """Read a run and score it."""
    if not scoring.keep.whole_run:
        try:
            with closing(_read_blocks(scoring, source)) as blocks:
                return _score_blocks(scoring, source, blocks)
        except NeedsWholeRun as reason:
            check_whole_run(source, reason)
    run = source.read(ends=scoring.options.ends, chunks=scoring.chunks)
    return _score_blocks(scoring, source, iter([Block(run)]))


def _read_blocks(scoring: Scoring, source: RunInput) -> Generator[Block]:
    return source.blocks(ROWS, ends=scoring.options.ends, chunks=scoring.chunks)


def _score_blocks(scoring: Scoring, source: RunInput, blocks: Iterator[Block]) -> RunScores:
    scores = BlockAccumulator(scoring, source)
    block = next(blocks, None)
    while block is not None:
        following = next(blocks, None)
        scores.add(block, with_missing=following is None)
        block = following
    return scores.of_run()


def check_whole_run(source: RunInput, reason: NeedsWholeRun) -> None:
    """Refuse a run that must be taken as a whole and cannot: it is a pipe, or too large."""
    if source.file is None:
        return
    status = os.stat(source.file)
    if not stat.S_ISREG(status.st_mode):
        problem = "a pipe cannot be read twice: write the run to a file"
    elif status.st_size > LARGEST_WHOLE_RUN:
        problem = (
            f"a file of more than {LARGEST_WHOLE_RUN:,} bytes is read topic by topic: sort it by "
            "topic"
        )
    else:
        return
    raise InputError(f"{reason}, and {problem}", source.file) from None


class BlockAccumulator:
    """The scores of a run, block after block; NeedsWholeRun if blocks do not fit together."""

    def __init__(self, scoring: Scoring, source: RunInput) -> None:
        self._scoring = scoring
        self._source = source
        self._is_seen = np.zeros(len(scoring.truth.topics), dtype=np.bool_)
        self.blocks: list[BlockScores] = []
        self._facts: list[RunFacts] = []

    def add(self, block: Block, *, with_missing: bool = False) -> None:
        """Score a block, perhaps with all topics that no block has had."""
        facts = block.facts
        topics = self._scoring.topics_of(block.run)
        self._check(facts, topics)
        if with_missing and not self._is_seen.all():
            topics = np.sort(np.append(topics, self._missing))
        self._score(block.run, topics, facts)

    def add_scores(self, facts: RunFacts, blocks: Sequence[BlockScores]) -> None:
        """Take blocks that were scored elsewhere."""
        for block in blocks:
            self._check(facts, block.topics)
            self.blocks.append(block)

    def add_missing(self) -> None:
        """Score all topics that no block has had, if there are some."""
        if len(self._missing):
            self._score(Run.from_results([]), self._missing, self._facts[0])

    def facts(self) -> RunFacts:
        """Return what is known about the run as a whole."""
        return RunFacts.joined(self._facts)

    def of_run(self) -> RunScores:
        """Return the scores of the run, of which all blocks were added."""
        return self._scoring.run_scores(self._source, self.facts(), self.blocks)

    @property
    def _missing(self) -> Ints:
        """The topics that no block has had."""
        return np.flatnonzero(~self._is_seen)

    def _score(self, run: Run, topics: Ints, facts: RunFacts) -> None:
        name = name_in_errors(self._source, facts)
        self.blocks.append(self._scoring.block(run, topics, name))

    def _check(self, facts: RunFacts, topics: Ints) -> None:
        again = topics[self._is_seen[topics]]
        if len(again):
            name = truncate(self._scoring.truth.topics[int(again[0])])
            raise NeedsWholeRun(f"the results of topic {name} stand in several places")
        first = (self._facts or [facts])[0]
        if (facts.has_ranks, facts.has_scores) != (first.has_ranks, first.has_scores):
            raise NeedsWholeRun("some results have no rank or no score")
        if facts.shape != first.shape:
            raise NeedsWholeRun("lines have different numbers of fields")
        self._is_seen[topics] = True
        self._facts.append(facts)


def name_in_errors(source: RunInput, facts: RunFacts) -> str:
    """Return what errors call a run."""
    return facts.origin or source.name or facts.run_id


class MeasureScores(NamedTuple):
    """The scores of some topics by a measure; or nothing but why it failed to score them.

    without_whitespace: the same with white space ignored, if they are kept.
    """

    values: Floats | None = None
    curve: Curve | None = None
    notes: MeasureNotes = MeasureNotes()
    failure: MissingInput | None = None
    without_whitespace: Floats | None = None


class BlockScores(NamedTuple):
    """The scores of some topics of a run, by all measures, up to one that must not fail and did.

    topics: their numbers, ascending. documents: the scores of single documents, by the way of
    scoring them. kept, results: what the evaluation keeps of the ranking (see `Keep`).
    """

    topics: Ints
    has_results: Bools
    diagnostics: RunDiagnostics
    measures: tuple[MeasureScores, ...] = ()
    documents: Mapping[str, DocumentScores] = {}
    kept: Any = None
    results: RetainedResults | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Scoring:
    """What runs are scored against and how; an evaluation prepares it once for all runs."""

    truth: GroundTruth
    measures: tuple[SelectedMeasure, ...]
    skipped: tuple[SkippedMeasure, ...]
    presets: Mapping[str, Preset]
    options: RunOptions
    ranked_by: RankedBy
    chunks: ChunkTable | None
    average_over: AverageOver
    keep: Keep
    assessment_files: tuple[str, ...]

    @property
    def duplicate_policies(self) -> set[str]:
        """What the measures do with results that were returned before."""
        return {selected.measure.repeats for selected in self.measures}

    def topics_of(self, run: Run) -> Ints:
        """Return the numbers of the assessed topics of a run, ascending."""
        numbers = self.truth.topic_numbers
        return np.array(
            sorted(numbers[topic] for topic in run.topics if topic in numbers), dtype=np.int64
        )

    @property
    def _have_answers(self) -> Bools:
        """Whether each topic has an answer; for others nothing should be returned."""
        return ~self.truth.is_unanswerable

    @property
    def _counts_judged(self) -> bool:
        """Whether judged documents are counted: where it was requested, or costs next to nothing.

        Measures of documents rank them in any case.
        """
        return self.keep.judged or self._ranks_documents

    @property
    def _ranks_documents(self) -> bool:
        return any(selected.measure.ranks_documents for selected in self.measures)

    # A block

    def block(self, run: Run, topics: Ints, name: str) -> BlockScores:
        """Score these topics, to which all results of the run belong that are assessed."""
        ranking = rank_block(run, self.truth, self.options, self.ranked_by, topics)
        diagnostics = ranking.diagnostics
        if self._ranks_documents:
            diagnostics = diagnostics._replace(ties=tied_documents(ranking.ranking.articles))
        if self._counts_judged:
            judged = JudgedDocuments.of(ranking.ranking.articles)
            diagnostics = diagnostics._replace(judged=judged)
        block = BlockScores(topics, ranking.ranking.counts[topics] > 0, diagnostics)
        if not len(topics) or (self.options.unresolved == "error" and diagnostics.unresolved.total):
            return block
        if self.keep.without_whitespace:
            _check_texts(ranking.ranking)
        measures: list[MeasureScores] = []
        documents: dict[str, DocumentScores] = {}
        for selected in self.measures:
            try:
                check_results(selected.measure, selected.label, diagnostics, name)
                measures.append(self._score_by(selected, ranking, documents))
            except MissingInput as error:
                measures.append(MeasureScores(failure=error))
                if not selected.is_optional:
                    return block._replace(measures=tuple(measures))
        block = block._replace(measures=tuple(measures), documents=documents)
        if not self.keep.whole_run:
            return block
        seen = ranking.seen_by(self.measures[0].measure)
        kept = None if self.keep.of_ranking is None else self.keep.of_ranking(seen)
        results = None
        if self.keep.results:
            from doxeval.measures import retained_results  # only reports need what it imports

            requested = [selected.requested for selected in self.measures]
            results = retained_results(seen, requested)
        return block._replace(kept=kept, results=results)

    def _score_by(
        self, selected: SelectedMeasure, run: RunRanking, documents: dict[str, DocumentScores]
    ) -> MeasureScores:
        """Score by a measure; scores of documents are added, unless they are known already."""
        label, measure = selected.label, selected.measure
        ranking = run.seen_by(measure)
        with foreign_code(measure):
            values = _checked_scores(selected, ranking)[ranking.topics]
            curve = measure.curve(ranking) if self.keep.curves else None
            if curve is not None:
                y = np.where(_are_scored(measure, ranking)[:, None], curve.y, np.nan)
                curve = curve._replace(label=label, y=y[ranking.topics])
            way = measure.document_score if self.keep.per_document else None
            if way is not None and way not in documents:
                documents[way] = measure.document_scores(ranking)
            other = None
            if type(measure).name in self.keep.without_whitespace:
                other = _checked_scores(selected, ranking.without_whitespace)[ranking.topics]
            notes = MeasureNotes.of(measure, ranking)
            return MeasureScores(values, curve, notes, without_whitespace=other)

    # A run from its blocks

    def run_scores(
        self, source: RunInput, facts: RunFacts, blocks: Sequence[BlockScores]
    ) -> RunScores:
        """Return the scores of a run, given those of all its blocks, which have all topics."""
        topics = self.truth.topics
        diagnostics = RunDiagnostics.joined([block.diagnostics for block in blocks])
        messages = diagnostics.messages(topics, self.options, self.duplicate_policies, facts.origin)
        name = name_in_errors(source, facts)
        kept, results = blocks[0].kept, blocks[0].results
        has_results = np.zeros(len(topics), dtype=np.bool_)
        blocks = [block for block in blocks if len(block.topics)]
        for block in blocks:
            has_results[block.topics] = block.has_results
        skips = self._skips(diagnostics, blocks, name)
        skipped = [skip for skip in skips if skip is not None]
        check_presets(self.presets, (*self.skipped, *skipped), f" for {name}")
        values = np.full((len(self.measures), len(topics)), np.nan)
        without_whitespace = values.copy() if self.keep.without_whitespace else None
        curves: list[Curve | None] = []
        about_measures: list[str] = []
        ways: set[str | None] = set()
        for row, selected in enumerate(self.measures):
            if skips[row] is not None:
                continue
            parts = [(block.topics, block.measures[row]) for block in blocks]
            for numbers, scores in parts:
                values[row, numbers] = scores.values
                if without_whitespace is not None and scores.without_whitespace is not None:
                    without_whitespace[row, numbers] = scores.without_whitespace
            curves.append(
                join_curves([(numbers, scores.curve) for numbers, scores in parts], len(topics))
            )
            notes = [scores.notes for _, scores in parts]
            about_measures += measure_warnings(selected.measure, notes)
            ways.add(selected.measure.document_score)
        found = KnownMetadata(facts.metadata)
        if found.metadata is None and source.file is not None:
            found = metadata_of_file(source.file)
        warnings = (
            *same_file_warnings(source.file or facts.origin, self.assessment_files),
            *(*facts.warnings, *found.warnings, *messages),
            *missing_topics_warnings(
                has_results[self._have_answers],
                [topics[number] for number in np.flatnonzero(self._have_answers).tolist()],
                self.average_over,
            ),
            *about_measures,
            *skip_warnings(skipped),
        )
        return RunScores(
            source.name or facts.run_id,
            values,
            has_results if self.average_over == "retrieved" else np.ones_like(has_results),
            source.file,
            tuple(curve for curve in curves if curve is not None),
            tuple(dict.fromkeys(warnings)),
            has_results,
            kept,
            join_documents(
                [part for block in blocks for way, part in block.documents.items() if way in ways]
            ),
            results,
            diagnostics.judged.share,
            without_whitespace,
            one_line(facts.description or describe_metadata(found.metadata or {})),
            found.metadata,
        )

    def _skips(
        self, diagnostics: RunDiagnostics, blocks: Sequence[BlockScores], name: str
    ) -> list[SkippedMeasure | None]:
        """Return by measure why it cannot score the run, if it cannot and is optional."""
        skips: list[SkippedMeasure | None] = []
        for row, selected in enumerate(self.measures):
            try:
                if len(blocks) > 1:  # a single block was checked before it was scored
                    check_results(selected.measure, selected.label, diagnostics, name)
                for block in blocks:
                    failure = block.measures[row].failure
                    if failure is not None:
                        raise failure
                skips.append(None)
            except MissingInput as error:
                if not selected.is_optional:
                    raise
                skips.append(SkippedMeasure(selected.label, str(error)))
        return skips


def _check_texts(ranking: Ranking) -> None:
    """Raise MissingInput if texts are known, but not that of a document, judged or returned."""
    texts = ranking.truth.texts
    if texts is None:
        return
    returned = (ranking.document_names[number] for number in distinct(ranking.document).tolist())
    for name in (*ranking.truth.documents, *returned):
        if not is_not_found(name):
            texts.text(name)


def _checked_scores(selected: SelectedMeasure, ranking: Ranking) -> Floats:
    """Return a measure's scores; what a measure of the user's own gives is checked."""
    scores = np.asarray(selected.measure.scores(ranking), dtype=np.float64)
    topics = len(ranking.truth.topics)
    if scores.shape != (topics,):
        raise InputError(
            f"{selected.label} gives scores of shape {scores.shape}: expected one for each of the "
            f"{topics:,} topics"
        )
    return np.where(_are_scored(selected.measure, ranking), scores, np.nan)


def _are_scored(measure: Measure, ranking: Ranking) -> Bools:
    """Return whether a measure is about each topic: those with an answer, or those without."""
    is_unanswerable = ranking.truth.is_unanswerable
    return is_unanswerable if Need.UNANSWERABLE in measure.needs else ~is_unanswerable


def join_curves(parts: Sequence[tuple[Ints, Curve | None]], topics: int) -> Curve | None:
    """Return the curve of all topics, from those of some topics each, given by their numbers.

    Curves by rank are as long as the longest list is, and beyond a list they stay. So a part with
    shorter lists is continued with its last points.

    >>> short = Curve("Hits", "rank", "share", np.array([1.0]), np.array([[0.5]]))
    >>> long = Curve("Hits", "rank", "share", np.array([1.0, 2.0]), np.array([[0.1, 0.2]]))
    >>> join_curves([(np.array([1]), short), (np.array([0]), long)], 2).y.tolist()
    [[0.1, 0.2], [0.5, 0.5]]
    """
    curves = [curve for _, curve in parts if curve is not None]
    if not curves or len(parts) == 1:
        return curves[0] if curves else None
    longest = max(curves, key=lambda curve: len(curve.x))
    y = np.full((topics, len(longest.x)), np.nan)
    for numbers, curve in parts:
        if curve is None or not np.array_equal(curve.x, longest.x[: len(curve.x)]):
            raise NeedsWholeRun(f"the curves of {longest.label} do not fit together")
        points = len(curve.x)
        y[numbers, :points] = curve.y
        y[numbers, points:] = curve.y[:, -1:]
    return longest._replace(y=y)


def join_documents(parts: Sequence[DocumentScores]) -> tuple[DocumentScores, ...]:
    """Return the scores of documents of all topics, from those of some topics each, by topic."""
    by_way: dict[str, list[DocumentScores]] = {}
    for part in parts:
        by_way.setdefault(part.scored_by, []).append(part)
    return tuple(same[0] if len(same) == 1 else _join_same_way(same) for same in by_way.values())


def _join_same_way(parts: Sequence[DocumentScores]) -> DocumentScores:
    names = [name for part in parts for name in part.document]
    topic, *columns = (
        np.concatenate(list(column))
        for column in zip(*((part.topic, *part[3:]) for part in parts), strict=True)
    )
    order = np.argsort(topic, kind="stable")
    return DocumentScores(
        parts[0].scored_by,
        topic[order],
        tuple(names[row] for row in order.tolist()),
        *(column[order] for column in columns),
    )


# Pieces of a large file


class RunPiece(NamedTuple):
    """A part of a run: all of it, or the bytes [begin, end) of its file.

    number, of: which piece it is, from 0, and how many there are.
    """

    source: RunInput
    begin: int = 0
    end: int | None = None
    number: int = 0
    of: int = 1


class PieceScores(NamedTuple):
    """The scores of a piece of a run; `join_pieces` makes scores of the run of them.

    whole: the scores of the run, if the piece is all of it. blocks, facts, lines: the scores of
    blocks, what they say about the run, and how many lines they have. If nothing of this is there,
    the piece has shown that the run cannot be scored in blocks.
    """

    whole: RunScores | None = None
    blocks: tuple[BlockScores, ...] = ()
    facts: RunFacts | None = None
    lines: int = 0


def run_pieces(scoring: Scoring, source: RunInput) -> list[RunPiece]:
    """Return the pieces of a run; a large file of text or JSONL has several."""
    if source.file is None or scoring.keep.whole_run:
        return [RunPiece(source)]
    from doxeval.runs import pieces_of_file

    pieces = pieces_of_file(source.file)
    if len(pieces) < 2:
        return [RunPiece(source)]
    return [RunPiece(source, *edges, number, len(pieces)) for number, edges in enumerate(pieces)]


def score_piece(scoring: Scoring, piece: RunPiece) -> PieceScores:
    """Score a piece of a run."""
    if piece.end is None:
        return PieceScores(score_run(scoring, piece.source))
    from doxeval.runs import FilePiece, PieceReader

    reader = PieceReader(str(piece.source.file), FilePiece(piece.begin, piece.end))
    chunks = piece.source.chunk_table(scoring.chunks)
    scores = BlockAccumulator(scoring, piece.source)
    try:
        with closing(reader.blocks(ROWS, ends=scoring.options.ends, chunks=chunks)) as blocks:
            for block in _readable(blocks, scoring, piece.source):
                scores.add(block)
    except NeedsWholeRun:
        return PieceScores()
    return PieceScores(None, tuple(scores.blocks), scores.facts(), reader.lines)


def _readable(blocks: Iterator[Block], scoring: Scoring, source: RunInput) -> Iterator[Block]:
    """Yield the blocks of a piece; an error is that of the file when it is read in order.

    Only then is the number of a line known, and what the first line says about all others.
    """
    try:
        yield from blocks
    except (CollectionError, SourceError):  # a matter of this machine, not of the run
        raise
    except DoxevalError as error:
        for _ in _read_blocks(scoring, source):
            pass
        raise NeedsWholeRun("lines of a piece have another shape") from error


def join_pieces(scoring: Scoring, source: RunInput, pieces: Sequence[PieceScores]) -> RunScores:
    """Return the scores of a run from those of all its pieces.

    If they do not fit together, the run is read in order, as if there were no pieces.
    """
    if len(pieces) == 1 and pieces[0].whole is not None:
        return pieces[0].whole
    scores, lines = BlockAccumulator(scoring, source), 0
    try:
        for piece in pieces:
            if piece.facts is None:
                raise NeedsWholeRun("a piece cannot be scored by itself")
            scores.add_scores(piece.facts, [_shifted(block, lines) for block in piece.blocks])
            lines += piece.lines
        scores.add_missing()
        return scores.of_run()
    except NeedsWholeRun:
        return score_run(scoring, source)


def _shifted(block: BlockScores, lines: int) -> BlockScores:
    """Return the scores of a block that begins behind so many lines of its file."""
    return block._replace(diagnostics=block.diagnostics.shifted(lines))
