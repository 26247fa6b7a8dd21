"""Runs as text, one result per line, as in INEX 2009 and 2010.

    qid Q0 file rank rsv runid                        a whole document
    qid Q0 file rank rsv runid /article[1]/sec[2]     an element
    qid Q0 file rank rsv runid 1204                   an entry point
    qid Q0 file rank rsv runid 1204 350               a passage: offset and length
    qid Q0 file rank rsv runid POINT POINT            a passage between two text points

Fields are separated by white space; there is one kind per file. Lines are in the order of the
ranking. A byte order mark before the first line is passed over. Lines before the first result that
begin with `#` and a space are a comment, which says what the run is, and may hold its
[metadata](#metadata-of-runs); anything else is an error that names the line. With `ends` the last
column is an end, not a length, as some programs write it.

Files of any size are read block by block, each block ending where the topic changes. Of several
errors, the one on the lowest line is raised; the first line decides how many fields all lines must
have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import IO, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Bytes, Floats, Ints
from doxeval.columns import (
    BEIR_HEADER,
    ByteStrings,
    Categorical,
    Columns,
    NameColumn,
    PaddedBytes,
    TokenTable,
    first_bad_byte,
)
from doxeval.errors import FormatError
from doxeval.files import BYTE_ORDER_MARK, LONGEST_LINE, name_of_file
from doxeval.messages import quoted
from doxeval.runs.columns import Kind
from doxeval.runs.metadata import KnownMetadata, metadata_in_comment
from doxeval.runs.run import (
    METADATA,
    Block,
    LooksLikeAssessments,
    LooksLikeTopics,
    ReadOptions,
    Run,
    unwritten_costs,
)

_LONG_ROW = 80  # bytes; most rows are shorter
_HEAD = 1 << 20  # by which a file of another kind is recognised
_HEAD_LINES = 100
_AT_ONCE = 1 << 24  # bytes read, where nothing else says how many
_LINES_AT_ONCE = 1 << 14  # that are written
_PIECE = 1 << 20  # bytes whose columns stay in the processor's cache
# What lines may be, by how many fields they have.
TREC_FIELDS = (6, 7, 8)
MSMARCO_FIELDS = (3,)
_EXPECTED = {
    TREC_FIELDS: "6, 7 or 8 fields (qid Q0 file rank rsv runid, then nothing, a path or an entry "
    "point, or an offset and a length)",
    MSMARCO_FIELDS: "3 fields (qid pid rank)",
}
_WINDOW = 1 << 16  # bytes first looked at for the end of a topic
_LONGEST_COMMENT = 1 << 16  # bytes
_COMMENT = re.compile(rb"(?:[^\S\n]*\n)*(?:#(?:[^\S\n][^\n]*)?\n\s*)+")


def text_blocks(file: IO[bytes], origin: str, options: ReadOptions) -> Iterator[Block]:
    """Yield a run in blocks of whole topics.

    >>> import io
    >>> file = io.BytesIO(b"".join(b"%d Q0 a 1 0.5 mine\\n" % topic for topic in range(1, 9)))
    >>> [list(block.run.topics) for block in text_blocks(file, "a.run", ReadOptions(rows=4))]
    [['1', '2', '3'], ['4', '5', '6'], ['7', '8']]
    """
    return blocks_of_lines(file, origin, options, TREC_FIELDS)


def blocks_of_lines(
    file: IO[bytes], origin: str, options: ReadOptions, fields: tuple[int, ...]
) -> Iterator[Block]:
    """Yield a run whose lines have so many fields, TREC_FIELDS or MSMARCO_FIELDS.

    >>> import io
    >>> lines = io.BytesIO(b"1\\ta\\t1\\n")
    >>> next(blocks_of_lines(lines, "run.tsv", ReadOptions(), MSMARCO_FIELDS)).run
    Run('run': 1 result for 1 topic, documents)
    """
    return read_blocks(BlockReader(origin, options.ends, fields), file, options)


def read_blocks(reader: BlockReader, file: IO[bytes], options: ReadOptions) -> Iterator[Block]:
    """Yield what a reader of lines makes of a file, in blocks of whole topics."""
    origin = reader.origin
    lines, has_results = _TopicLines(file, origin, options), False
    try:
        for data in lines:
            block = reader.read(data)
            lines.next_line = reader.next_line
            if block is None:
                continue
            if not has_results:
                block = block._replace(run=lines.described(block.run))
            has_results = True
            yield block
        if not has_results:
            raise FormatError("no results in the file", origin)
    except FormatError as error:
        raise _explain(error, lines.read_head()) from None


_TREC = re.compile(r"\S+\s+\S+\s+\S+\s+-?\d+")
# Without passages the fourth column, the size of what is relevant, is 0.
_INEX = re.compile(r"\S+\s+\S+\s+\S+\s+(0\s+\d+(\s+\d+)?|\d+\s+\d+\s+\d+(\s+\d+:\d+)+)")
_GENOMICS = re.compile(r"[^\t]+\t[^\t]+\t *\d+ *\t *\d+ *\t(?!\d*$)[^\t]+")
_TOPIC = re.compile(r"[^\t ]+\t[^\t]+")


def _explain(error: FormatError, head: bytes) -> FormatError:
    """Return an error about a run, with what the file looks like if it is something else.

    >>> error = _explain(FormatError("4 fields", "q.txt", 1), b"7 0 a 1")
    >>> str(error).partition(", ")[0]
    "q.txt:1: this looks like assessments (TREC's qrels)"
    """
    text = head.decode("utf-8", "replace").split("\n")
    lines = [line for line in map(str.strip, text[:_HEAD_LINES]) if line]
    if lines and tuple(lines[0].split()) == BEIR_HEADER:
        return LooksLikeAssessments.instead(error, "BEIR's qrels")
    if lines and all(map(_TREC.fullmatch, lines)):
        return LooksLikeAssessments.instead(error, "TREC's qrels")
    if lines and all(map(_INEX.fullmatch, lines)):
        # Lines of six columns could be results; those of five, or with passages, could not.
        if any(":" in line.split()[-1] or len(line.split()) == 5 for line in lines):
            return LooksLikeAssessments.instead(error, "the text of INEX 2008–10")
    elif lines and all(map(_GENOMICS.fullmatch, lines)):
        return LooksLikeAssessments.instead(error, "gold passages of TREC Genomics")
    elif lines and all(map(_TOPIC.fullmatch, lines)):
        return LooksLikeTopics.instead(error, "ids and titles with a tab between them")
    return error


# From a file to blocks of whole lines


class _TopicLines:
    """The lines of a file in blocks that end where a topic does."""

    def __init__(self, file: IO[bytes], origin: str, options: ReadOptions) -> None:
        self._file = file
        self._origin = origin
        self._rows = options.rows
        self._is_first = options.is_first
        self._ahead = b""  # what was read to see how long rows are
        self._rest = b""  # behind the last block
        self._head = b""  # of the file
        self.next_line = 1
        self._comment = ""
        self._known = KnownMetadata()

    def __iter__(self) -> Iterator[bytes]:
        rows = _AT_ONCE if self._rows is None else _LONG_ROW * self._rows
        self._ahead = self._read(max(rows, _LONGEST_COMMENT))
        if self._is_first:
            self._ahead = self._ahead.removeprefix(BYTE_ORDER_MARK)
            self._head = self._head.removeprefix(BYTE_ORDER_MARK)
            self._take_comment()
        size = self._block_size()
        while block := self._next(size):
            yield block

    def _take_comment(self) -> None:
        """Take the comment off the beginning; its lines stay, so that the others keep numbers."""
        comment = comment_of(self._ahead)
        self._known, rest = metadata_in_comment(comment.decode("utf-8", "replace"), self._origin)
        lines = (line.strip().removeprefix("#") for line in rest.split("\n"))
        self._comment = " ".join(" ".join(lines).split())
        self._ahead = b"\n" * comment.count(b"\n") + self._ahead[len(comment) :]
        self._head = self._head[len(comment) :]

    def described(self, run: Run) -> Run:
        """Return a run with what the comment says about it."""
        facts = dict(run.facts)
        if self._comment:
            facts["description"] = self._comment
        if self._known.metadata is not None:
            facts[METADATA] = self._known.metadata
        return replace(run, facts=facts, warnings=(*run.warnings, *self._known.warnings))

    def read_head(self) -> bytes:
        """Return the beginning of the file, as long as it is always looked at."""
        while len(self._head) < _HEAD and self._read(_HEAD):
            pass
        return self._head

    def _block_size(self) -> int:
        """Return how many bytes a block has, judging by the first rows."""
        if self._rows is None:
            return _AT_ONCE
        sample = self._ahead[: 1 << 16]
        return self._rows * (len(sample) // max(sample.count(b"\n"), 1) + 1)

    def _next(self, size: int) -> bytes:
        """Return the next block; it is longer if a topic is, and empty at the end of the file."""
        waiting, length = [self._rest], len(self._rest)
        while True:
            missing = max(size - length, 1)
            more = self._read(missing)
            if len(more) < missing:
                self._rest = b""
                return b"".join((*waiting, more)) if length else more
            edge = self._topic_edge(more)
            if edge:
                self._rest = more[edge:]
                return b"".join((*waiting, memoryview(more)[:edge]))
            waiting.append(more)
            length += len(more)
            self._refuse_endless(waiting)
            size = 2 * length

    def _topic_edge(self, data: bytes) -> int:
        """Return where the last topic begins in data that may begin and end within lines, or 0."""
        begin, end = data.find(b"\n") + 1, data.rfind(b"\n") + 1
        if self._rows is None or begin >= end:
            return 0
        edge = last_topic_begins(data, begin, end)
        return 0 if edge == begin else edge

    def _read(self, count: int) -> bytes:
        """Return so many bytes, or fewer at the end of the file."""
        parts = [self._ahead[:count]]
        self._ahead = self._ahead[count:]
        left = count - len(parts[0])
        while left and (more := self._file.read(left)):
            parts.append(more)
            left -= len(more)
            if len(self._head) < _HEAD:
                self._head += more[: _HEAD - len(self._head)]
        return parts[-1] if not any(parts[:-1]) else b"".join(parts)

    def _refuse_endless(self, waiting: list[bytes]) -> None:
        """Refuse an endless line before it fills the memory."""
        behind = 0
        for data in reversed(waiting):
            behind += len(data) - data.rfind(b"\n") - 1
            if b"\n" in data:
                break
        if behind > LONGEST_LINE:
            line = self.next_line + sum(data.count(b"\n") for data in waiting)
            raise FormatError(f"a line of more than {LONGEST_LINE:,} bytes", self._origin, line)


def comment_of(begin: bytes) -> bytes:
    """Return the comment at the beginning of a file, without what follows it.

    >>> comment_of(b"# by the title\\n7 Q0 a 1 0.5 mine\\n"), comment_of(b"#7 Q0 a 1 0.5 mine\\n")
    (b'# by the title\\n', b'')
    """
    comment = _COMMENT.match(begin, 0, _LONGEST_COMMENT)
    return comment[0] if comment else b""


# The topic is the first field of a line; blank lines belong to the topic before them.


def last_topic_begins(data: bytes, begin: int, end: int) -> int:
    """Return where the lines of the last topic begin, in whole lines of text; `begin`: all do.

    >>> data = b"7 Q0 a\\n7 Q0 b\\n8 Q0 a\\n8 Q0 c\\n"
    >>> data[last_topic_begins(data, 0, len(data)) :]
    b'8 Q0 a\\n8 Q0 c\\n'
    """
    while end > begin:  # back to the last line that is not blank
        last = data.rfind(b"\n", begin, end - 1) + 1 or begin
        topic = _topic_at(data, last)
        if topic is not None:
            break
        end = last
    else:
        return begin
    prefix = _common_prefix(data, last, topic)
    window, at = _WINDOW, last
    while at > begin:
        low = max(begin, at - window)
        for line in _other_lines(data, prefix, low, at)[::-1].tolist():
            if _topic_at(data, line) not in (topic, None):
                return data.find(b"\n", line) + 1
        at, window = low, 4 * window
    if _topic_at(data, begin) not in (topic, None):
        return data.find(b"\n", begin) + 1
    return begin


def next_topic_begins(data: bytes, begin: int, end: int) -> int | None:
    """Return where the lines of another topic begin than that of the first line; None: nowhere.

    >>> data = b"7 Q0 a\\n\\n7 Q0 b\\n8 Q0 a\\n"
    >>> next_topic_begins(data, 0, len(data))
    15
    """
    while begin < end and (topic := _topic_at(data, begin)) is None:
        begin = data.find(b"\n", begin, end) + 1 or end
    if begin >= end:
        return None
    prefix = _common_prefix(data, begin, topic)
    for line in _other_lines(data, prefix, begin, end).tolist():
        if _topic_at(data, line) not in (topic, None):
            return int(line)
    return None


def _topic_at(data: bytes, line: int) -> bytes | None:
    """Return the topic of the line that begins at a position; None if the line is blank."""
    after = data.find(b"\n", line)
    fields = data[line : after if after >= 0 else len(data)].split(None, 1)
    return fields[0] if fields else None


def _common_prefix(data: bytes, line: int, topic: bytes | None) -> bytes:
    """Return what most lines of a topic begin with: the topic, and one character behind it."""
    begin = data.index(topic or b"", line)  # there may be white space before it
    return data[begin : begin + len(topic or b"") + 1]


def _other_lines(data: bytes, prefix: bytes, low: int, high: int) -> Ints:
    """Return where lines begin behind `low` and before `high` that do not begin with the prefix."""
    codes: Bytes = np.frombuffer(data, dtype=np.uint8)
    lines = np.flatnonzero(codes[low : max(high - 1, low)] == 10) + low + 1
    is_other = np.zeros(len(lines), dtype=np.bool_)
    for offset, code in enumerate(prefix):
        is_other |= codes[np.minimum(lines + offset, len(codes) - 1)] != code
    return lines[is_other]


# From lines to columns


class PieceColumns(NamedTuple):
    """The columns of some lines: numbers, and where names begin and end."""

    line: Ints
    rank: Ints
    score: Floats
    start: Ints
    end: Ints
    names: Ints  # two rows for each column of names


class BlockReader:
    """Reads a file block by block, each of whole lines; the first line decides for all.

    >>> block = BlockReader("a.run").read(b"7 Q0 a.xml 1 0.5 mine 100 50\\n")
    >>> [(result.document, result.start, result.end) for result in block.run]
    [('a', 100, 150)]
    """

    def __init__(
        self, origin: str, ends: bool = False, possible: tuple[int, ...] = TREC_FIELDS
    ) -> None:
        self.origin = origin
        self._ends = ends
        self._possible = possible
        self._fields = 0
        self._by_path = False
        self.run_ids: dict[str, None] = {}
        self.next_line = 1

    def read(self, data: bytes) -> Block | None:
        """Return the results of some lines; None if all are blank."""
        bad = first_bad_byte(data)
        if bad is not None:
            code = data[bad]
            data = data[: data.rfind(b"\n", 0, bad) + 1]  # lines before it may have other errors
        source, self.run_ids, pieces, at = PaddedBytes(data), {}, [], 0
        while at < len(data):
            end = data.find(b"\n", at + _PIECE) + 1 or len(data)
            piece = self._read_piece(source, at, end)
            if piece is not None:
                pieces.append(piece)
            at = end
        if bad is not None:
            reason = f"byte {code:#04x} is not UTF-8 text"
            raise FormatError(reason, self.origin, self.next_line)
        return self.join(source, pieces) if pieces else None

    def _read_piece(self, source: PaddedBytes, at: int, end: int) -> PieceColumns | None:
        """Return the columns of some lines; of several errors, raise that of the lowest line.

        Lines are checked column by column, so the first error may not be on the lowest line.
        """
        first_line = self.next_line
        try:
            return self.columns_of(source, at, end)
        except FormatError as error:
            before = _first_lines(source.data[at:end], (error.line or 1) - first_line)
            if before:
                self.next_line = first_line
                self._read_piece(source, at, at + len(before))
            raise

    def columns_of(self, source: PaddedBytes, at: int, end: int) -> PieceColumns | None:
        """Return the columns of the lines between two positions; None if all are blank."""
        table = TokenTable(source.piece(at, end))
        self.refuse_control_characters(table, source, at)
        if not len(table.lines):
            self.next_line += table.line_ends
            return None
        lines = table.lines + self.next_line
        checked = CheckedColumns(self._table_columns(table, lines), lines, self.origin)
        columns = checked.columns
        nothing: Ints = np.full(len(columns), -1, dtype=np.int64)
        start, last = nothing, nothing
        if self._by_path:
            checked.paths(range(6, self._fields))
        elif self._fields == 7:
            start = checked.integers(6, "an entry point")
        elif self._fields == 8:
            start = checked.integers(6, "an offset")
            last = checked.integers(7, "an end" if self._ends else "a length")
            last = last if self._ends else start + last
            checked.refuse(last < start, "the passage ends before it starts")
        if self._fields == 3:
            kept: tuple[int, ...] = (0, 1)
            rank, score = checked.integers(2, "a rank"), np.full(len(columns), np.nan)
        else:
            self.run_ids.update(dict.fromkeys(columns.names(5).distinct))
            kept = (0, 2, *(range(6, self._fields) if self._by_path else ()))
            rank, score = checked.integers(3, "a rank"), checked.scores(4)
        self.next_line += table.line_ends
        names = np.stack([edge for column in kept for edge in columns.span(column)]) + at
        return PieceColumns(lines, rank, score, start, last, names)

    def refuse_control_characters(self, table: TokenTable, source: PaddedBytes, at: int) -> None:
        """Refuse lines, of which the first begins at a position, with a control character."""
        control = table.control_character()
        if control is not None:
            line = self.next_line + source.data.count(b"\n", at, at + control)
            code = source.data[at + control]
            raise FormatError(f"control character {code:#04x}", self.origin, line)

    def _table_columns(self, table: TokenTable, lines: Ints) -> Columns:
        """Return the columns; the file's first line says how many fields every line must have."""
        is_known = self._fields > 0
        first = self._fields or int(table.fields[0])
        wrong = np.flatnonzero(table.fields != (first if first in self._possible else 0))
        if len(wrong):
            counts, space, meanings = _EXPECTED[self._possible].partition(" (")
            counts = f"{first} fields as before" if is_known or wrong[0] else counts
            raise FormatError(
                f"{table.fields[wrong[0]]} fields; expected {counts}{space}{meanings}",
                self.origin,
                int(lines[wrong[0]]),
            )
        columns = table.columns(first)
        if not is_known:
            self._fields = first
            self._by_path = first > 6 and bool(columns.starts_with(6, b"/")[0])
        return columns

    def join(self, source: PaddedBytes, pieces: list[PieceColumns]) -> Block:
        """Return the results of some pieces."""
        line, rank, score, start, end, (topics, documents, *paths) = join_columns(source, pieces)
        run_ids = tuple(self.run_ids)
        if self._fields in (3, 6):
            kind = Kind.DOCUMENT
        elif self._fields == 8:
            kind = Kind.PASSAGE
        else:
            kind = Kind.ELEMENT if self._by_path else Kind.POINT
        run = Run(
            run_ids[-1] if run_ids else name_of_file(self.origin),
            NameColumn(topics),
            NameColumn(documents, document_ids=True),
            _path_column(paths, len(line)),
            np.full(len(line), int(kind), dtype=np.int64),
            start,
            end,
            rank,
            None if self._fields == 3 else score,
            line,
            origin=self.origin,
        )
        return Block(run, run_ids, (self._fields, self._by_path))


def join_columns(
    source: PaddedBytes, pieces: list[PieceColumns]
) -> tuple[Ints, Ints, Floats, Ints, Ints, list[ByteStrings]]:
    """Return the columns of several pieces, names as strings of bytes."""
    line, rank, score, start, end = (
        np.concatenate(column) for column in list(zip(*pieces, strict=True))[:5]
    )
    edges = np.concatenate([piece.names for piece in pieces], axis=1)
    names = [ByteStrings(source, *edges[at : at + 2]) for at in range(0, len(edges), 2)]
    return line, rank, score, start, end, names


def _first_lines(data: bytes, count: int) -> bytes:
    """Return the first lines of some data."""
    end = 0
    for _ in range(count):
        end = data.find(b"\n", end) + 1
    return data[:end]


class CheckedColumns:
    """Columns whose values are checked as they are taken; an error names the line."""

    def __init__(self, columns: Columns, lines: Ints, origin: str) -> None:
        self.columns = columns
        self._lines = lines
        self._origin = origin

    def integers(self, column: int, what: str) -> Ints:
        """Return a column of whole numbers."""
        values = self.columns.integers(column)
        message = f"{{}} is not {what}: expected a whole number of at most 18 digits"
        self.refuse(values < 0, message, column)
        return values

    def scores(self, column: int) -> Floats:
        """Return a column of finite numbers."""
        values = self.columns.floats(column)
        self.refuse(~np.isfinite(values), "{} is not a score: expected a number", column)
        return values

    def paths(self, columns: range) -> None:
        """Refuse columns with anything else than paths or text points."""
        what = "a path" if len(columns) == 1 else "a text point"
        message = f"{{}} where {what} that starts with '/' was expected, as in the lines before"
        for column in columns:
            self.refuse(~self.columns.starts_with(column, b"/"), message, column)

    def refuse(self, wrong: Bools, message: str, column: int = 0) -> None:
        """Raise an error for the first row that is wrong, if any is."""
        if wrong.any():
            row = int(np.argmax(wrong))
            field = self.columns.text(row, column)
            shortened = field[:60].decode("utf-8", "replace") + ("…" if len(field) > 60 else "")
            line = int(self._lines[row])
            raise FormatError(message.format(repr(shortened)), self._origin, line)


class _ElementPaths(Categorical[tuple[str, ...]]):
    """A column of paths of elements."""

    def __init__(self, paths: ByteStrings) -> None:
        self._paths = paths

    def _compute(self) -> tuple[Sequence[tuple[str, ...]], Ints]:
        return [(path,) for path in self._paths.distinct], self._paths.numbering[0]


def _path_column(names: list[ByteStrings], rows: int) -> Categorical[tuple[str, ...]]:
    """Return the paths of results: of elements, or pairs of text points."""
    if not names:
        return Categorical.none(rows)
    if len(names) == 1:
        return _ElementPaths(names[0])
    pairs = list(zip(*names, strict=True))
    numbers = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
    return Categorical.of(tuple(numbers), np.fromiter((numbers[p] for p in pairs), np.int64, rows))


# From a run to text


def write_text_run(run: Run) -> Iterator[bytes]:
    """Yield the run as text, many lines at a time.

    `text_losses` says beforehand what the format cannot hold.

    >>> list(write_text_run(Run.from_arrays([7], ["a"], start=[5], end=[9], run_id="mine")))
    [b'7 Q0 a 1 1.0 mine 5 4\\n']
    """
    topics, documents = list(run.topics), list(run.documents)
    paths = ["".join(f" {path}" for path in several) for several in run.paths]
    paths.append("")  # for rows without
    in_topics = np.argsort(run.topic, kind="stable")
    counts = np.bincount(run.topic, minlength=1)
    counted = np.empty(len(run), dtype=np.int64)
    counted[in_topics] = 1 + np.arange(len(run)) - np.repeat(np.cumsum(counts) - counts, counts)
    for begin in range(0, len(run), _LINES_AT_ONCE):
        rows = slice(begin, begin + _LINES_AT_ONCE)
        ranks = counted[rows] if run.rank is None else run.rank[rows]
        parts = [paths[number] for number in run.path[rows].tolist()]
        start, end, kind = run.start[rows], run.end[rows], run.kind[rows]
        for row in np.flatnonzero((kind == Kind.POINT) & (start >= 0)).tolist():
            parts[row] = parts[row] or f" {start[row]}"
        for row in np.flatnonzero((kind == Kind.PASSAGE) & (start >= 0) & (end >= 0)).tolist():
            parts[row] = parts[row] or f" {start[row]} {end[row] - start[row]}"
        lines = map(
            "{} Q0 {} {} {} {}{}\n".format,
            [topics[number] for number in run.topic[rows].tolist()],
            [documents[number] for number in run.document[rows].tolist()],
            ranks.tolist(),
            (run.score[rows] if run.score is not None else 1.0 / counted[rows]).tolist(),
            repeat(run.run_id),
            parts,
        )
        yield "".join(lines).encode()


def spaced_names(run: Run) -> list[str]:
    """Return which ids and paths of a run white space keeps from being columns of text.

    >>> spaced_names(Run.from_dict({"1": ["a b"]}))
    ["documents whose ids hold white space, like 'a b'"]
    """
    return _spaced(
        {
            "topics whose ids hold": run.topics,
            "documents whose ids hold": run.documents,
            "paths that hold": [path for paths in run.paths for path in paths],
        }
    )


def _spaced(names_of: Mapping[str, Sequence[str]]) -> list[str]:
    problems = []
    for what, names in names_of.items():
        spaced = next((name for name in names if len(name.split()) != 1), None)
        if spaced is not None:
            problems.append(
                f"{what} white space, like {quoted(spaced)}" if spaced else f"{what} nothing"
            )
    return problems


def text_losses(run: Run) -> list[str]:
    """Return why a run cannot be written as text, or what would be lost.

    >>> text_losses(Run.from_dict({"1": ["a b"]}))
    ["documents whose ids hold white space, like 'a b'"]
    """
    problems = []
    kinds = {Kind(kind).name.lower() for kind in np.flatnonzero(np.bincount(run.kind)).tolist()}
    has_paths = run.path >= 0
    by_points = set(has_paths[run.kind == Kind.PASSAGE].tolist())
    if len(kinds) > 1 or len(by_points) > 1:
        problems.append(f"results of several kinds ({', '.join(sorted(kinds))})")
    if "tree" in kinds:
        problems.append("trees")
    if "spans" in kinds:
        problems.append("results with several ranges")
    problems += unwritten_costs(run)
    if has_paths[run.kind == Kind.POINT].any():
        problems.append("entry points that are text points")
    return [*problems, *spaced_names(run), *_spaced({"a run id that holds": [run.run_id]})]
