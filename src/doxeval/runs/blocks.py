"""A run block by block: each block has the results of whole topics, so it can be scored by itself.

Files are read as far as a block goes, so memory is bounded by the block, not by the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from doxeval.messages import join_names
from doxeval.runs.run import Run


class RunFacts(NamedTuple):
    """What is known about a run as a whole, or about a part of it.

    run_ids: those that a file states, in the order of first appearance. run_id: the last of them.
    has_ranks, has_scores: whether every result has one. shape: what all lines of a text run have
    in common.
    """

    run_id: str
    run_ids: tuple[str, ...]
    origin: str | None
    stated: tuple[str, ...]
    has_ranks: bool
    has_scores: bool
    shape: tuple[int, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to warn about."""
        if len(self.run_ids) < 2:
            return self.stated
        count = len(self.run_ids)
        return (f"{count} run ids in one file: {join_names(self.run_ids, 5)}", *self.stated)

    @classmethod
    def joined(cls, parts: Sequence[RunFacts]) -> RunFacts:
        """What is known about a run from all its parts, which have ranks and scores alike."""
        first = parts[0]
        run_ids = tuple(dict.fromkeys(run_id for one in parts for run_id in one.run_ids))
        stated = tuple(dict.fromkeys(told for one in parts for told in one.stated))
        run_id = run_ids[-1] if run_ids else first.run_id
        return first._replace(run_id=run_id, run_ids=run_ids, stated=stated)


class Block(NamedTuple):
    """Some results of a run, and the ids of runs that they state, if any do.

    shape: what all lines of a text run have in common: how many fields, and of which kind.
    """

    run: Run
    run_ids: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()

    @property
    def facts(self) -> RunFacts:
        """What it says about the run.

        >>> from doxeval.runs.run import Result
        >>> Block(Run.from_results([Result("7", "a")]), ("mine", "yours")).facts.warnings
        ('2 run ids in one file: mine, yours',)
        """
        run = self.run
        run_id = self.run_ids[-1] if self.run_ids else run.run_id
        return RunFacts(
            run_id,
            self.run_ids,
            run.origin,
            run.warnings,
            run.rank is not None,
            run.score is not None,
            self.shape,
        )


def run_at_once(block: Block) -> Run:
    """The run whose only block this is.

    >>> run_at_once(Block(Run.from_dict({"7": ["a"]}), ("mine",))).run_id
    'mine'
    """
    facts = block.facts
    return replace(block.run, run_id=facts.run_id, warnings=facts.warnings)


def blocks_of(run: Run, rows: int) -> Iterator[Block]:
    """A run that is in memory, in blocks of about so many results.

    >>> run = Run.from_dict({"7": ["a", "b"], "8": ["c"], "9": ["d"]})
    >>> [len(block.run) for block in blocks_of(run, 2)]
    [2, 2]
    """
    if len(run) <= rows:
        yield Block(run)
        return
    edges = np.append(np.flatnonzero(np.diff(run.topic) != 0) + 1, len(run))
    at = 0
    while at < len(run):
        # As many whole topics as there is room for, but at least one.
        fitting = int(np.searchsorted(edges, at + rows, side="right")) - 1
        following = int(np.searchsorted(edges, at, side="right"))
        end = int(edges[max(fitting, following)])
        yield Block(run.rows(np.arange(at, end)))
        at = end
