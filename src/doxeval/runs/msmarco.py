"""Runs of MS MARCO: a topic, a document and its rank on each line.

    1048585 7187158 1
    1048585 7187157 2

Fields are separated by tabs or other white space. Results are whole documents, without scores;
lines are in the order of the ranking, as in other runs, and ranks that contradict it are a warning.
`--order rank` sorts by them; then results of the same rank are tied for measures that use ties. The
run has the name of its file. A file is one of these if its first line has three fields, of which
the last is a whole number. Its lines are read as those of text runs are, block by block.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from doxeval.runs.columns import Kind
from doxeval.runs.run import Block, ReadOptions, Run, unwritten_costs
from doxeval.runs.text import MSMARCO_FIELDS, blocks_of_lines, spaced_names


def msmarco_blocks(file: IO[bytes], origin: str, options: ReadOptions) -> Iterator[Block]:
    """Yield a run in blocks of whole topics.

    >>> import io
    >>> run = next(msmarco_blocks(io.BytesIO(b"7\\ta\\t1\\n"), "mine.tsv", ReadOptions())).run
    >>> run, run.score
    (Run('mine': 1 result for 1 topic, documents), None)
    """
    return blocks_of_lines(file, origin, options, MSMARCO_FIELDS)


def write_msmarco_run(run: Run) -> Iterator[bytes]:
    """Yield the run with tabs between fields; results without a rank get 1, 2, 3, … of their topic.

    >>> list(write_msmarco_run(Run.from_dict({"7": {"a": 0.2, "b": 0.9}})))
    [b'7\\tb\\t1\\n', b'7\\ta\\t2\\n']
    """
    ranks: dict[str, int] = {}
    for result in run.results():
        ranks[result.topic] = rank = ranks.get(result.topic, 0) + 1
        given = rank if result.rank is None else result.rank
        yield f"{result.topic}\t{result.document}\t{given}\n".encode()


def msmarco_losses(run: Run) -> list[str]:
    """Return what of a run cannot be written; scores are left out.

    >>> msmarco_losses(Run.from_arrays(["1"], ["a"], offset=[7]))
    ['parts of documents']
    """
    return [*document_losses(run), *spaced_names(run)]


def document_losses(run: Run) -> list[str]:
    """Return what of a run is lost where results are whole documents, and nothing else.

    >>> document_losses(Run.from_arrays(["1"], ["a"], tokens=[7]))
    ['numbers of tokens']
    """
    parts = ["parts of documents"] if (run.kind != Kind.DOCUMENT).any() else []
    return [*parts, *unwritten_costs(run)]
