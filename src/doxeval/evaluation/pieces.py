"""Pieces of a large run, which may be scored in several places and put together again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from doxeval.errors import CollectionError, DoxevalError, SourceError
from doxeval.evaluation import blocks
from doxeval.evaluation.blocks import Found, scored
from doxeval.evaluation.joining import AtOnce
from doxeval.evaluation.scoring import BlockScores, Scoring
from doxeval.evaluation.sources import NamedSource
from doxeval.runs import Block, RunFacts
from doxeval.scores import RunScores

if TYPE_CHECKING:
    from doxeval.runs import ChunkTable


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
        with closing(file.blocks(blocks.ROWS, ends=scoring.options.ends, chunks=own)) as parts:
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
            moved = [one._replace(findings=one.findings.moved(lines)) for one in part.blocks]
            found.add_scores(part.facts, moved)
            lines += part.lines
        found.add_missing()
        return scoring.run_scores(source, found.facts_of_run(), found.parts)
    except AtOnce:
        return scored(scoring, source, chunks)
