"""Runs of TREC Genomics 2006–07: one passage per line.

    topic doc rank offset length tag

    200 10229231 1 36697 1090 mine

Fields are separated by white space, as many participants wrote them, though the track asked for
tabs. The tag names the run; it may be missing, and what comes behind it is ignored. Passages are
ranked by rank; those of the same rank by document (as text), then offset, then length, wherever
they stand in the file. There are no scores. The track counted offsets in bytes, and allowed 1,000
passages for a topic, which `validate` checks.

Lines like these have a document where other text runs have `Q0`, and whole numbers behind it: by
that a file is recognised, whatever its name is. (`convert --from genomics`, or
`read_run(file, "genomics")`, if that is not enough.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

import numpy as np

from doxeval.arrays import Ints
from doxeval.columns import Categorical, NameColumn, PaddedBytes, RaggedTable
from doxeval.errors import FormatError
from doxeval.files import BYTE_ORDER_MARK, name_of_file
from doxeval.messages import quoted
from doxeval.runs.columns import Kind
from doxeval.runs.run import Block, ReadOptions, Run, unwritten_costs
from doxeval.runs.text import (
    BlockReader,
    CheckedColumns,
    PieceColumns,
    join_columns,
    read_blocks,
)

TASK = "genomics"
_LINES = 100  # by which the format is recognised
_LINE = re.compile(rb"\S+[ \t]+(\S+)[ \t]+([0-9]+)[ \t]+([0-9]+)[ \t]+[0-9]+([ \t]+\S.*)?")
_FIRST = (b"0", b"1")
_NO_DOCUMENT = (b"q0", b"0")  # in the second column of other text runs


def looks_like_genomics(begin: bytes) -> bool:
    """Return whether a file that begins like this is a run of TREC Genomics.

    In a run with six or more columns that is none, the second column is usually `Q0` on each line,
    or else some other word, and the fourth is a rank, from 0 or 1 on. So it must not be `Q0`; if it
    is the same everywhere, the third column must begin with 0 or 1, or the fourth have neither.

    >>> looks_like_genomics(b"200 10229231 1 36697 1090 mine\\n")
    True
    >>> looks_like_genomics(b"200 Q0 10229231 1 36697 mine\\n")
    False
    """
    lines = [line.strip() for line in begin.removeprefix(BYTE_ORDER_MARK).split(b"\n")]
    matches = [_LINE.fullmatch(line) for line in lines[:-1][:_LINES] or lines if line]
    fields = [match.groups() for match in matches if match is not None]
    if not fields or len(fields) < len(matches):
        return False
    documents, _, offsets, tags = (set(column) for column in zip(*fields, strict=True))
    if not {document.lower() for document in documents}.isdisjoint(_NO_DOCUMENT):
        return False
    has_five_fields = tags == {None}
    is_alike = len(documents) == 1 and fields[0][1] not in _FIRST and not offsets.isdisjoint(_FIRST)
    return has_five_fields or not is_alike


# Reading


def genomics_blocks(file: IO[bytes], origin: str, options: ReadOptions) -> Iterator[Block]:
    """Yield a run in blocks of whole topics.

    >>> import io
    >>> file = io.BytesIO(b"200 b 2 7 5 mine\\n200 b 1 40 9 mine\\n200 a 2 0 3 mine\\n")
    >>> block = next(genomics_blocks(file, "a.run", ReadOptions()))
    >>> [(result.document, result.start, result.end) for result in block.run]
    [('b', 40, 49), ('a', 0, 3), ('b', 7, 12)]
    """
    yield from read_blocks(_GenomicsReader(origin), file, options)


class _GenomicsReader(BlockReader):
    """Reads lines of passages, and puts them in order."""

    def columns_of(self, source: PaddedBytes, at: int, end: int) -> PieceColumns | None:
        """Return the columns of the lines between two positions; None if all are blank."""
        table = RaggedTable(source.piece(at, end))
        self.refuse_control_characters(table, source, at)
        lines = table.lines + self.next_line
        short = np.flatnonzero(table.fields < 5)
        if len(short):
            raise FormatError(
                f"{table.fields[short[0]]} fields; expected 5 or more (topic, document, rank, "
                "offset, length and a tag)",
                self.origin,
                int(lines[short[0]]),
            )
        if not len(lines):
            self.next_line += table.line_ends
            return None
        checked = CheckedColumns(table.leading(5), lines, self.origin)
        rank = checked.integers(2, "a rank")
        start, length = checked.integers(3, "an offset"), checked.integers(4, "a length")
        tags = table.field(5, np.flatnonzero(table.fields > 5)).names(0)
        self.run_ids.update(dict.fromkeys(tags.distinct))
        self.next_line += table.line_ends
        columns = checked.columns
        names = np.stack([*columns.span(0), *columns.span(1)]) + at
        return PieceColumns(lines, rank, np.zeros(0), start, start + length, names)

    def join(self, source: PaddedBytes, pieces: list[PieceColumns]) -> Block:
        """Return the results of some pieces, in order."""
        line, rank, _, start, end, (topics, documents) = join_columns(source, pieces)
        run_ids = tuple(self.run_ids)
        run = Run(
            run_ids[-1] if run_ids else name_of_file(self.origin),
            NameColumn(topics),
            NameColumn(documents, document_ids=True),
            Categorical.none(len(line)),
            np.full(len(line), int(Kind.PASSAGE), dtype=np.int64),
            start,
            end,
            rank,
            None,
            line,
            origin=self.origin,
            facts={"task": TASK},
        )
        order = genomics_order(run)
        is_in_order = bool((np.diff(order) > 0).all())
        return Block(run if is_in_order else run.rows(order), run_ids)


def genomics_order(run: Run) -> Ints:
    """Return the rows of a run with ranks by topic, rank, document, offset and length.

    >>> run = Run.from_arrays([7, 7], ["b", "a"], start=[0, 0], end=[5, 5], rank=[1, 1])
    >>> genomics_order(run).tolist()
    [1, 0]
    """
    by_name = np.argsort(np.array(run.documents, dtype=object), kind="stable")
    place = np.empty(len(by_name), dtype=np.int64)
    place[by_name] = np.arange(len(by_name))
    rank = np.arange(len(run)) if run.rank is None else run.rank
    return np.lexsort((run.end - run.start, run.start, place[run.document], rank, run.topic))


# Writing


def write_genomics_run(run: Run) -> Iterator[bytes]:
    """Yield the run as lines with tabs; `genomics_losses` says beforehand what it cannot hold.

    >>> list(write_genomics_run(Run.from_arrays([7], ["a"], start=[5], end=[9], run_id="mine")))
    [b'7\\ta\\t1\\t5\\t4\\tmine\\n']
    """
    ranks: dict[str, int] = {}
    for result in run.results():
        ranks[result.topic] = rank = ranks.get(result.topic, 0) + 1
        start, end = result.start or 0, result.end or 0
        given = rank if result.rank is None else result.rank
        fields = (result.topic, result.document, given, start, end - start, run.run_id)
        yield "\t".join(map(str, fields)).encode() + b"\n"


def genomics_losses(run: Run) -> list[str]:
    """Return why a run cannot be written in this format; that scores are left out is no reason.

    >>> genomics_losses(Run.from_dict({"1": ["a"]}))
    ['results that are not passages by offsets']
    """
    problems = []
    if ((run.kind != Kind.PASSAGE) | (run.path >= 0)).any():
        problems.append("results that are not passages by offsets")
    elif run.rank is not None and (np.diff(genomics_order(_by_topic(run))) < 0).any():
        problems.append("lists in another order than that of their ranks")
    problems += unwritten_costs(run)
    for what, names in (
        ("topics whose ids hold", run.topics),
        ("documents whose ids hold", run.documents),
        ("a run id that holds", [run.run_id]),
    ):
        spaced = next((name for name in names if len(name.split()) != 1), None)
        if spaced is not None:
            problems.append(
                f"{what} white space, like {quoted(spaced)}" if spaced else f"{what} nothing"
            )
    return problems


def _by_topic(run: Run) -> Run:
    return run.rows(np.argsort(run.topic, kind="stable"))
