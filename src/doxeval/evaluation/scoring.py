"""From a run to the ranking that measures see: one step after another, each with its warnings.

How a run is scored: block by block, each by all measures; then the blocks are put together.

Topics are scored independently of each other, so the scores of blocks of whole topics are the
scores of the run. Whatever was found on the way is added up, and told as for the run at once.

Curves and scores of documents, put together from blocks of topics.

Runs in blocks of whole topics: read, scored and forgotten one after another.

Memory is bounded by the block, whatever the size of the run; small blocks also stay in the
processor's cache. Where blocks could give another result than the run at once (a topic stands in
several places of a file, some results have no rank), the run is read again and taken as a whole.
An exception is no such reason: it is raised as it is.

Pieces of a large run, which may be scored in several places and put together again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.errors import CollectionError, DoxevalError, InputError, MissingInput, SourceError
from doxeval.evaluation.diagnostics import MOST_SHOWN, NOWHERE, Findings, Place, Places
from doxeval.evaluation.inputs import AverageOver, NamedSource, RunOptions, about_same_file
from doxeval.evaluation.measure_selection import (
    AskedMeasure,
    LeftOut,
    check_presets,
    check_results,
    told,
)
from doxeval.evaluation.ranking import (
    AssessedPart,
    PlacedRun,
    about_missing,
    assessed_part,
    contradictions,
    orderable,
    ordered,
    placed,
    repeats_in,
    tie_levels,
    ties_in,
)
from doxeval.measures import GroundTruth, Measure, Preset, Ranking
from doxeval.messages import plural, truncate
from doxeval.runs import Block, Kind, ResolvedRun, Run, RunFacts
from doxeval.scores import Curve, DocumentScores, RunScores
from doxeval.storage import off_guard

if TYPE_CHECKING:
    from doxeval.runs import ChunkTable


class RankedRun(NamedTuple):
    """A run that is ready for measures, what was found in it, and warnings.

    with_repeats: the same with results that were returned before, for measures that count them.
    """

    ranking: Ranking
    with_repeats: Ranking
    findings: Findings
    warnings: tuple[str, ...] = ()

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of its results."""
        return self.findings.kinds

    def seen_by(self, measure: Measure) -> Ranking:
        """The ranking as a measure takes it."""
        return self.with_repeats if measure.facts.repeats == "keep" else self.ranking

    def __repr__(self) -> str:
        return f"RankedRun({self.ranking!r}, {plural(len(self.warnings), 'warning')})"


def ranked(
    run: Run, truth: GroundTruth, options: RunOptions, policies: Collection[str] = ("drop",)
) -> RankedRun:
    """Order a run, keep what is about assessed topics, find its results and its duplicates.

    policies: what the measures do with duplicates if the options leave it to them.

    >>> from doxeval.assessments import Assessments, Judgment
    >>> from doxeval.runs import run_of
    >>> from doxeval.runs.run import Result
    >>> truth = GroundTruth.of(Assessments([Judgment("7", "a", ((0, 9),), document_length=20)]))
    >>> results = [Result("7", "a", Kind.PASSAGE, 5, 15), Result("7", "a", Kind.PASSAGE, 5, 15)]
    >>> found = ranked(run_of(results), truth, RunOptions())
    >>> found.ranking.relevant.tolist(), found.warnings
    ([4], ('1 duplicate was left out, the first on line 2',))
    """
    found = ranked_part(run, truth, options)
    told = found.findings.told(truth.topics, options, policies, run.origin)
    return found._replace(warnings=(*run.warnings, *told))


def ranked_part(run: Run, truth: GroundTruth, options: RunOptions) -> RankedRun:
    """As `ranked`, for a part of a run: nothing is told yet, and nothing unresolved is refused."""
    options, unordered = orderable(run, options)
    part = assessed_part(ordered(run, options.order), truth.topic_numbers)
    found = placed(part.run, part.topic, truth, options)
    level = tie_levels(part.run, part.topic, options.order)
    is_repeat = repeats_in(found, part.topic)
    resolved = _without_white_space(found.resolved, truth)
    every = Ranking(truth, part.topic, found.pair, resolved, level, is_repeat)
    once = every
    if is_repeat is not None and options.duplicates != "keep":
        once = every.rows(np.flatnonzero(~is_repeat))
    findings = Findings(
        _kinds(part.run),
        bool((once.start < 0).any()),
        bool((once.end < 0).any()),
        unordered,
        contradictions(run, options.order),
        part.unknown,
        part.split,
        _unresolved(part, found),
        _repeats(part, is_repeat),
    )
    return RankedRun(once, once if options.duplicates == "drop" else every, findings)


def _unresolved(part: AssessedPart, found: PlacedRun) -> Places:
    places = (
        Place(int(part.topic[one.row]), one.line, one.reason) for one in found.problems[:MOST_SHOWN]
    )
    return Places(len(found.problems), tuple(places))


def _repeats(part: AssessedPart, is_repeat: Bools | None) -> Places:
    if is_repeat is None:
        return NOWHERE
    first = int(np.argmax(is_repeat))
    place = Place(int(part.topic[first]), int(part.run.line[first]))
    return Places(int(is_repeat.sum()), (place,))


def _without_white_space(resolved: ResolvedRun, truth: GroundTruth) -> ResolvedRun:
    if not truth.solid:
        return resolved
    from doxeval.measures import Solid

    return Solid(truth.known_texts, strict=True).resolved(resolved)


def _kinds(run: Run) -> frozenset[Kind]:
    present = np.bincount(run.kind, minlength=len(Kind)) if len(run) else np.zeros(len(Kind))
    return frozenset(kind for kind in Kind if present[kind])


class AtOnce(Exception):
    """A run cannot be scored in blocks, and why; it has to be taken as a whole."""


def all_points(parts: Sequence[tuple[Ints, Curve | None]], topics: int) -> Curve | None:
    """The curve of all topics, from those of some topics each, given by their numbers.

    Curves by rank are as long as the longest list is, and beyond a list they stay. So a part with
    shorter lists is continued with its last points.

    >>> short = Curve("Hits", "rank", "share", np.array([1.0]), np.array([[0.5]]))
    >>> long = Curve("Hits", "rank", "share", np.array([1.0, 2.0]), np.array([[0.1, 0.2]]))
    >>> all_points([(np.array([1]), short), (np.array([0]), long)], 2).y.tolist()
    [[0.1, 0.2], [0.5, 0.5]]
    """
    curves = [curve for _, curve in parts if curve is not None]
    if not curves:
        return None
    longest = max(curves, key=lambda curve: len(curve.x))
    y = np.full((topics, len(longest.x)), np.nan)
    for numbers, curve in parts:
        if curve is None or not np.array_equal(curve.x, longest.x[: len(curve.x)]):
            raise AtOnce(f"the curves of {longest.label} do not fit together")
        points = len(curve.x)
        y[numbers, :points] = curve.y
        y[numbers, points:] = curve.y[:, -1:]
    return longest._replace(y=y)


def all_documents(
    parts: Sequence[tuple[DocumentScores, ...]],
) -> tuple[DocumentScores, ...]:
    """The scores of documents of all topics, from those of some topics each, by topic."""
    if len(parts) == 1:
        return parts[0]
    by_way: dict[str, list[DocumentScores]] = {}
    for one in (one for part in parts for one in part):
        by_way.setdefault(one.scored_by, []).append(one)
    return tuple(_joined(several) for several in by_way.values())


def _joined(several: Sequence[DocumentScores]) -> DocumentScores:
    names = [name for one in several for name in one.document]
    topic, *numbers = (
        np.concatenate(list(columns))
        for columns in zip(*((one.topic, *one[3:]) for one in several), strict=True)
    )
    order = np.argsort(topic, kind="stable")
    return DocumentScores(
        several[0].scored_by,
        topic[order],
        tuple(names[row] for row in order.tolist()),
        *(column[order] for column in numbers),
    )


class Warned(NamedTuple):
    """What a measure has to say about a block: in how many topics, or in its own words."""

    topics: int = 0
    words: tuple[str, ...] = ()


class BlockScores(NamedTuple):
    """The scores of some topics of a run, measures × topics.

    topics: their numbers, ascending. curves, warned, failed: by measure; failed is why a measure
    could not score the block. documents: the scores of single documents, one value for each way of
    scoring them. kept: what the evaluation was asked to keep of the ranking.
    """

    topics: Ints
    values: Floats
    has_results: Bools
    findings: Findings
    curves: tuple[Curve | None, ...]
    documents: tuple[DocumentScores, ...]
    warned: tuple[Warned, ...]
    failed: tuple[MissingInput | None, ...]
    kept: Any = None


@dataclass(frozen=True, eq=False, repr=False)
class Scoring:
    """What runs are held against and how, all of it settled."""

    truth: GroundTruth
    measures: tuple[AskedMeasure, ...]
    options: RunOptions
    presets: Mapping[str, Preset]
    left_out: tuple[LeftOut, ...]
    average_over: AverageOver
    curves: bool
    per_document: bool
    keep: Callable[[Ranking], Any] | None
    assessment_files: tuple[str, ...]

    @property
    def repeats(self) -> set[str]:
        """What the measures do with results that were returned before."""
        return {one.settled.facts.repeats for one in self.measures}

    def topics_of(self, run: Run) -> Ints:
        """The numbers of the assessed topics of a run, ascending."""
        numbers = self.truth.topic_numbers
        return np.array(
            sorted(numbers[one] for one in run.topics if one in numbers), dtype=np.int64
        )

    def block(self, run: Run, topics: Ints, name: str) -> BlockScores:
        """The scores of these topics, to which all results of the run belong that are assessed."""
        found = ranked_part(run, self.truth, self.options, topics)
        findings = found.findings
        if any(one.settled.facts.ranks_documents for one in self.measures):
            findings = findings._replace(ties=ties_in(found.ranking.articles))
        measured = _Measured(self, found, name)
        if len(topics) and not self._refuses(findings):
            measured.by_all()
        return BlockScores(
            topics,
            measured.values,
            found.ranking.counts[topics] > 0,
            findings,
            tuple(measured.curves),
            tuple(measured.documents.values()),
            tuple(measured.warned),
            tuple(measured.failed),
            measured.kept(),
        )

    def _refuses(self, findings: Findings) -> bool:
        return findings.unresolved.times > 0 and self.options.unresolved == "error"

    # A run from its blocks

    def run_scores(
        self, source: NamedSource, facts: RunFacts, blocks: Sequence[BlockScores]
    ) -> RunScores:
        """The scores of a run, given those of all its blocks, which have all topics together."""
        topics = self.truth.topics
        findings = Findings.joined([block.findings for block in blocks])
        about_run = findings.told(topics, self.options, self.repeats, facts.origin)
        name = facts.origin or source.name or facts.run_id
        left_out = self._left_out(findings, blocks, name)
        reasons = tuple(one for one in left_out if one is not None)
        check_presets(self.presets, (*self.left_out, *reasons), f" for {name}")
        has_results = np.zeros(len(topics), dtype=np.bool_)
        for block in blocks:
            has_results[block.topics] = block.has_results
        warnings = (
            *about_same_file(source.file or facts.origin, self.assessment_files),
            *(*facts.warnings, *about_run),
            *about_missing(has_results, topics, self.average_over),
            *self._about_measures(blocks, left_out),
            *told(reasons),
        )
        return RunScores(
            source.name or facts.run_id,
            self._values(blocks, left_out),
            has_results if self.average_over == "retrieved" else np.ones_like(has_results),
            source.file,
            self._curves(blocks, left_out),
            tuple(dict.fromkeys(warnings)),
            has_results,
            blocks[0].kept,
            self._documents(blocks, left_out),
        )

    def _left_out(
        self, findings: Findings, blocks: Sequence[BlockScores], name: str
    ) -> list[LeftOut | None]:
        """By measure: why it cannot score the run, if it cannot and need not."""
        found: list[LeftOut | None] = []
        for row, one in enumerate(self.measures):
            try:
                check_results(one.settled, one.label, findings, name)
                for error in (block.failed[row] for block in blocks):
                    if error is not None:
                        raise error
                found.append(None)
            except MissingInput as error:
                if not one.is_optional:
                    raise
                found.append(LeftOut(one.label, str(error)))
        return found

    def _values(self, blocks: Sequence[BlockScores], left_out: Sequence[LeftOut | None]) -> Floats:
        if len(blocks) == 1:
            return blocks[0].values
        values = np.full((len(self.measures), len(self.truth.topics)), np.nan)
        for block in blocks:
            values[:, block.topics] = block.values
        values[[one is not None for one in left_out]] = np.nan
        return values

    def _curves(
        self, blocks: Sequence[BlockScores], left_out: Sequence[LeftOut | None]
    ) -> tuple[Curve, ...]:
        if len(blocks) == 1:
            return tuple(curve for curve in blocks[0].curves if curve is not None)
        found = []
        for row, one in enumerate(left_out):
            own = [(block.topics, block.curves[row]) for block in blocks if len(block.topics)]
            curve = all_points(own, len(self.truth.topics)) if one is None else None
            if curve is not None:
                found.append(curve)
        return tuple(found)

    def _documents(
        self, blocks: Sequence[BlockScores], left_out: Sequence[LeftOut | None]
    ) -> tuple[DocumentScores, ...]:
        """The scores of documents by measures that score the whole run."""
        ways = {
            one.settled.document_score
            for one, reason in zip(self.measures, left_out, strict=True)
            if reason is None
        }
        own = [[one for one in block.documents if one.scored_by in ways] for block in blocks]
        return all_documents([tuple(several) for several in own])

    def _about_measures(
        self, blocks: Sequence[BlockScores], left_out: Sequence[LeftOut | None]
    ) -> list[str]:
        found: list[str] = []
        for row, one in enumerate(self.measures):
            if left_out[row] is None:
                own = [block.warned[row] for block in blocks]
                with off_guard(one.settled):
                    found += one.settled.about(sum(warned.topics for warned in own))
                found += [words for warned in own for words in warned.words]
        return found


class _Measured:
    """The measures of one block, one after another."""

    def __init__(self, scoring: Scoring, found: RankedRun, name: str) -> None:
        self._scoring = scoring
        self._found = found
        self._name = name
        count = len(scoring.measures)
        self.values = np.full((count, len(found.ranking.topics)), np.nan)
        self.curves: list[Curve | None] = [None] * count
        self.documents: dict[str, DocumentScores] = {}
        self.warned = [Warned()] * count
        self.failed: list[MissingInput | None] = [None] * count
        self._is_done = False

    def kept(self) -> Any:
        """What is to be kept of the ranking, if everything went well."""
        keep = self._scoring.keep
        if keep is None or not self._is_done:
            return None
        return keep(self._found.seen_by(self._scoring.measures[0].settled))

    def by_all(self) -> None:
        """Score by all measures, or up to the first that must not fail and does."""
        for row, one in enumerate(self._scoring.measures):
            try:
                self._by_one(row, one)
            except MissingInput as error:
                self.failed[row] = error
                if not one.is_optional:
                    return
        self._is_done = True

    def _by_one(self, row: int, one: AskedMeasure) -> None:
        check_results(one.settled, one.label, self._found.findings, self._name)
        ranking = self._found.seen_by(one.settled)
        with off_guard(one.settled):
            self.values[row] = _scores(one, ranking)[ranking.topics]
            if self._scoring.curves:
                curve = one.settled.curve(ranking)
                if curve is not None:
                    self.curves[row] = curve._replace(label=one.label, y=curve.y[ranking.topics])
            if self._scoring.per_document:
                self.documents |= _documents(one, ranking, self.documents)
            self.warned[row] = _warned(one.settled, ranking)


def _scores(one: AskedMeasure, ranking: Ranking) -> Floats:
    """A measure's scores; what a measure of the user's own gives is checked."""
    found = np.asarray(one.settled.scores(ranking), dtype=np.float64)
    topics = len(ranking.truth.topics)
    if found.shape != (topics,):
        raise InputError(
            f"{one.label} gives scores of shape {found.shape}: expected one for each of the "
            f"{topics:,} topics"
        )
    return found


def _documents(
    one: AskedMeasure, ranking: Ranking, known: Container[str]
) -> dict[str, DocumentScores]:
    """The scores of documents that a measure averages, unless they are known already."""
    scored_by = one.settled.document_score
    if scored_by is None or scored_by in known:
        return {}
    return {scored_by: one.settled.document_scores(ranking)}


def _warned(measure: Measure, ranking: Ranking) -> Warned:
    if type(measure).warnings is Measure.warnings:
        return Warned(measure.concerns(ranking))
    return Warned(words=tuple(measure.warnings(ranking)))


ROWS = 200_000  # of a block
# The largest file that is taken as a whole where it has to be.
LARGEST_AT_ONCE = 2 << 30


def scored(scoring: Scoring, source: NamedSource, chunks: ChunkTable | None) -> RunScores:
    """The scores of a run."""
    if scoring.keep is None:
        try:
            return _in_blocks(scoring, source, chunks)
        except AtOnce as reason:
            _refuse_large(source, reason)
    run = source.read(ends=scoring.options.ends, chunks=chunks)
    return _at_once(scoring, source, Block(run))


def _at_once(scoring: Scoring, source: NamedSource, block: Block) -> RunScores:
    facts = block.facts
    topics = np.arange(len(scoring.truth.topics))
    found = scoring.block(block.run, topics, _name(source, facts))
    return scoring.run_scores(source, facts, [found])


def _name(source: NamedSource, facts: RunFacts) -> str:
    """What errors call a run."""
    return facts.origin or source.name or facts.run_id


def _in_blocks(scoring: Scoring, source: NamedSource, chunks: ChunkTable | None) -> RunScores:
    found = Found(scoring, source)
    with closing(source.blocks(ROWS, ends=scoring.options.ends, chunks=chunks)) as blocks:
        for block, is_last in _with_last(blocks):
            if is_last and not found.parts:
                return _at_once(scoring, source, block)
            found.add(block, with_missing=is_last)
    return scoring.run_scores(source, found.facts_of_run(), found.parts)


def _with_last(blocks: Iterator[Block]) -> Iterator[tuple[Block, bool]]:
    """All blocks, and whether each is the last."""
    here = next(blocks, None)
    while here is not None:
        following = next(blocks, None)
        yield here, following is None
        here = following


class Found:
    """The scores of one block after another; AtOnce if blocks cannot be put together."""

    def __init__(self, scoring: Scoring, source: NamedSource) -> None:
        self._scoring = scoring
        self._source = source
        self._is_seen = np.zeros(len(scoring.truth.topics), dtype=np.bool_)
        self.parts: list[BlockScores] = []
        self.facts: list[RunFacts] = []

    def add(self, block: Block, *, with_missing: bool = False) -> None:
        """Score a block, perhaps with all topics that no block has had."""
        facts = block.facts
        topics = self._scoring.topics_of(block.run)
        self._take(facts, topics)
        if with_missing:
            topics = np.union1d(topics, self.missing)
        self._score(block.run, topics, facts)

    def add_scores(self, facts: RunFacts, parts: Sequence[BlockScores]) -> None:
        """Take blocks that were scored elsewhere."""
        for part in parts:
            self._take(facts, part.topics)
            self.parts.append(part)

    def add_missing(self) -> None:
        """Score all topics that no block has had, if there are some."""
        if len(self.missing):
            self._score(Run.from_results([]), self.missing, self.facts[0])

    @property
    def missing(self) -> Ints:
        """The topics that no block has had."""
        return np.flatnonzero(~self._is_seen)

    def facts_of_run(self) -> RunFacts:
        """What is known about the run as a whole."""
        return RunFacts.joined(self.facts)

    def _score(self, run: Run, topics: Ints, facts: RunFacts) -> None:
        self.parts.append(self._scoring.block(run, topics, _name(self._source, facts)))

    def _take(self, facts: RunFacts, topics: Ints) -> None:
        again = topics[self._is_seen[topics]]
        if len(again):
            name = truncate(self._scoring.truth.topics[int(again[0])])
            raise AtOnce(f"the results of topic {name} stand in several places")
        first = (self.facts or [facts])[0]
        if (facts.has_ranks, facts.has_scores) != (first.has_ranks, first.has_scores):
            raise AtOnce("some results have no rank or no score")
        if facts.shape != first.shape:
            raise AtOnce("lines have different numbers of fields")
        self._is_seen[topics] = True
        self.facts.append(facts)


def _refuse_large(source: NamedSource, reason: AtOnce) -> None:
    """An error if a run that must be taken as a whole is too large for that."""
    size = 0 if source.file is None else os.path.getsize(source.file)
    if size <= LARGEST_AT_ONCE:
        return
    raise InputError(
        f"{reason}, and a file of more than {LARGEST_AT_ONCE:,} bytes is read topic by topic: sort "
        "it by topic",
        source.file,
    ) from None


class RunPiece(NamedTuple):
    """A part of a run: all of it, or the bytes [begin, end) of its file.

    number, of: which piece it is, from 0, and how many there are.
    """

    source: NamedSource
    begin: int = 0
    end: int | None = None
    number: int = 0
    of: int = 1


class PartScores(NamedTuple):
    """The scores of a piece of a run; `joined` makes scores of the run of them.

    whole: the scores of the run, if the piece is all of it. blocks, facts, lines: the scores of
    blocks, what they say about the run, and how many lines they have. If nothing of this is there,
    the piece could not be read by itself.
    """

    whole: RunScores | None = None
    blocks: tuple[BlockScores, ...] = ()
    facts: RunFacts | None = None
    lines: int = 0


def pieces_of(scoring: Scoring, source: NamedSource) -> list[RunPiece]:
    """The pieces of a run; a large file of text or JSONL has several."""
    if source.file is None or scoring.keep is not None:
        return [RunPiece(source)]
    from doxeval.runs import pieces_of_file

    found = pieces_of_file(source.file)
    if len(found) < 2:
        return [RunPiece(source)]
    return [RunPiece(source, *edges, at, len(found)) for at, edges in enumerate(found)]


def scored_piece(scoring: Scoring, piece: RunPiece, chunks: ChunkTable | None) -> PartScores:
    """The scores of a piece; where it cannot be read by itself, `joined` finds out why.

    What is wrong with a line is told with its number in the file, which only its beginning knows.
    """
    if piece.end is None:
        return PartScores(scored(scoring, piece.source, chunks))
    from doxeval.runs import FilePiece, PieceReader

    file = PieceReader(str(piece.source.file), FilePiece(piece.begin, piece.end))
    found = Found(scoring, piece.source)
    own = piece.source.chunk_table(chunks)
    try:
        with closing(file.blocks(ROWS, ends=scoring.options.ends, chunks=own)) as parts:
            for block in _readable(parts):
                found.add(block)
    except AtOnce:
        return PartScores()
    return PartScores(None, tuple(found.parts), found.facts_of_run(), file.lines)


def _readable(parts: Iterator[Block]) -> Iterator[Block]:
    """Blocks of a piece; AtOnce if it has a line that cannot be read."""
    while True:
        try:
            block = next(parts)
        except StopIteration:
            return
        except (CollectionError, SourceError):  # a matter of this place, not of the run
            raise
        except DoxevalError as error:
            raise AtOnce("a piece cannot be read by itself") from error
        yield block


def joined(
    scoring: Scoring,
    source: NamedSource,
    parts: Sequence[PartScores],
    chunks: ChunkTable | None,
) -> RunScores:
    """The scores of a run from those of all its pieces.

    If the pieces do not fit together, or one of them could not be read by itself, the run is read
    anew: then everything is as if it had never been in pieces, errors too.
    """
    if len(parts) == 1 and parts[0].whole is not None:
        return parts[0].whole
    found, lines = Found(scoring, source), 0
    try:
        for part in parts:
            if part.facts is None:
                raise AtOnce("a piece cannot be read by itself")
            moved = [one._replace(findings=one.findings.moved(lines=lines)) for one in part.blocks]
            found.add_scores(part.facts, moved)
            lines += part.lines
        found.add_missing()
        return scoring.run_scores(source, found.facts_of_run(), found.parts)
    except AtOnce:
        return scored(scoring, source, chunks)
