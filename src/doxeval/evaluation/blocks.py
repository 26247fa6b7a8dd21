"""Runs in blocks of whole topics: read, scored and forgotten one after another.

Memory is bounded by the block, whatever the size of the run; small blocks also stay in the
processor's cache. Where blocks could give another result than the run at once (a topic stands in
several places of a file, some results have no rank), the run is read again and taken as a whole.
An exception is no such reason: it is raised as it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from doxeval.arrays import Ints
from doxeval.errors import InputError
from doxeval.evaluation.joining import AtOnce
from doxeval.evaluation.scoring import BlockScores, Scoring
from doxeval.evaluation.sources import NamedSource
from doxeval.messages import truncate
from doxeval.runs import Block, Run, RunFacts
from doxeval.scores import RunScores

if TYPE_CHECKING:
    from doxeval.runs import ChunkTable

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
