"""Runs as text, one result per line, as in INEX 2009 and 2010.

    qid Q0 file rank rsv runid                        a whole document
    qid Q0 file rank rsv runid /article[1]/sec[2]     an element
    qid Q0 file rank rsv runid 1204                   an entry point
    qid Q0 file rank rsv runid 1204 350               a passage: offset and length
    qid Q0 file rank rsv runid POINT POINT            a passage between two text points

Fields are separated by white space; there is one kind per file. Lines are in the order of the
ranking. Anything else is an error that names the line. `ends` says that the last column is not
a length but an end, as some programs write it.

The file is read in large pieces, and each column of a piece at once: no line is looked at alone
unless something is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents.ids import normalised_id
from doxeval.errors import FormatError
from doxeval.files import LONGEST_LINE
from doxeval.runs.builder import Numbering
from doxeval.runs.run import NO_PLACE, Floats, Kind, Run

_PIECE = 8 << 20
_FIELDS = {6: "a document", 7: "an element or an entry point", 8: "a passage"}


class _Columns(NamedTuple):
    """The columns of one piece."""

    topic: Ints
    document: Ints
    place: Ints
    start: Ints
    end: Ints
    rank: Ints
    score: Floats
    line: Ints


def read_text_run(file: IO[bytes], origin: str, *, ends: bool = False) -> Run:
    """Read a run.

    >>> import io
    >>> run = read_text_run(io.BytesIO(b"7 Q0 a.xml 1 0.5 mine 100 50\\n"), "run.txt")
    >>> [(result.document, result.start, result.end) for result in run.results()]
    [('a', 100, 150)]
    """
    return _TextReader(origin, ends).read(file)


class _TextReader:
    def __init__(self, origin: str, ends: bool) -> None:
        self._origin = origin
        self._ends = ends
        self._fields = 0
        self._kind: Kind | None = None
        self._by_points = False
        self._topics: Numbering[bytes] = Numbering()
        self._documents: Numbering[bytes] = Numbering()
        self._places: Numbering[tuple[bytes, ...]] = Numbering()
        self._run_ids: Numbering[bytes] = Numbering()

    def read(self, file: IO[bytes]) -> Run:
        pieces = [self._columns(data, line) for data, line in _pieces(file, self._origin)]
        pieces = [piece for piece in pieces if len(piece.topic)]
        if not pieces or self._kind is None:
            raise FormatError("no results in the file", self._origin)
        columns = [np.concatenate(column) for column in zip(*pieces, strict=True)]
        topic, document, place, start, end, rank, score, line = columns
        topics = self._decoded(self._topics)
        # Ids are compared without `./` and `.xml`, so two spellings may be one document.
        spelt = [normalised_id(name) for name in self._decoded(self._documents)]
        documents: Numbering[str] = Numbering()
        same = np.array([documents[name] for name in spelt], dtype=np.int64)
        run_ids = self._decoded(self._run_ids)
        warnings = []
        if len(run_ids) > 1:
            warnings.append(f"{len(run_ids)} run ids in one file: {', '.join(run_ids[:5])}")
        return Run(
            run_ids[-1],
            tuple(topics),
            tuple(documents),
            tuple(tuple(part.decode() for part in place) for place in self._places),
            topic,
            same[document],
            np.full(len(topic), int(self._kind), dtype=np.int64),
            place,
            start,
            end,
            rank,
            score,
            line,
            {},
            tuple(warnings),
            self._origin,
        )

    def _columns(self, data: bytes, first_line: int) -> _Columns:
        tokens = data.split()
        lines = self._lines(data, len(tokens), first_line)
        fields = self._fields
        count = len(lines)
        rank = self._integers(tokens[3::fields], lines, "a rank")
        score = self._numbers(tokens[4::fields], lines)
        for run_id in dict.fromkeys(tokens[5::fields]):
            _ = self._run_ids[run_id]
        place: Ints = np.full(count, NO_PLACE, dtype=np.int64)
        start: Ints = np.full(count, -1, dtype=np.int64)
        end: Ints = start
        if self._kind is None and count:
            self._settle_kind(tokens, lines[0])
        if self._kind == Kind.POINT:
            start = self._integers(tokens[6::fields], lines, "an entry point")
        elif self._kind == Kind.PASSAGE and not self._by_points:
            start = self._integers(tokens[6::fields], lines, "an offset")
            last = self._integers(tokens[7::fields], lines, "an end" if self._ends else "a length")
            end = last if self._ends else start + last
            if self._ends and (end < start).any():
                line = int(lines[int(np.argmax(end < start))])
                raise FormatError("the passage ends before it starts", self._origin, line)
        elif self._kind in (Kind.ELEMENT, Kind.PASSAGE):
            place = self._paths(tokens, lines)
        return _Columns(
            _numbered(self._topics, tokens[0::fields]),
            _numbered(self._documents, tokens[2::fields]),
            place,
            start,
            end,
            rank,
            score,
            lines,
        )

    def _lines(self, data: bytes, tokens: int, first_line: int) -> Ints:
        """The number of each line that is not blank; all must have the same number of fields."""
        codes = np.frombuffer(data, dtype=np.uint8)
        is_space = (codes == 32) | ((codes >= 9) & (codes <= 13))
        begins = np.flatnonzero(~is_space & np.append(True, is_space[:-1]))
        line_ends = np.flatnonzero(codes == 10)
        per_line = np.diff(np.searchsorted(begins, line_ends), prepend=0, append=len(begins))
        lines = np.flatnonzero(per_line) + first_line
        per_line = per_line[per_line > 0]
        settled = self._fields > 0
        if not settled and len(per_line):
            self._fields = int(per_line[0])
        expected = self._fields if self._fields in _FIELDS else 0
        wrong = np.flatnonzero(per_line != expected)
        if len(wrong):
            found = int(per_line[wrong[0]])
            what = "6, 7 or 8 fields"
            if expected and (settled or wrong[0]):
                what = f"{expected} fields as before"
            raise FormatError(
                f"{found} fields; expected {what} (qid Q0 file rank rsv runid, then nothing, "
                "a path or an entry point, or an offset and a length)",
                self._origin,
                int(lines[wrong[0]]),
            )
        return lines

    def _settle_kind(self, tokens: list[bytes], line: int) -> None:
        """The kind of the file, by its first result."""
        if self._fields == 6:
            self._kind = Kind.DOCUMENT
        elif self._fields == 7:
            self._kind = Kind.ELEMENT if tokens[6].startswith(b"/") else Kind.POINT
        else:
            self._kind = Kind.PASSAGE
            self._by_points = tokens[6].startswith(b"/")

    def _paths(self, tokens: list[bytes], lines: Ints) -> Ints:
        columns = [tokens[field :: self._fields] for field in range(6, self._fields)]
        for column in columns:
            for row, path in enumerate(column):
                if not path.startswith(b"/"):
                    what = "a text point" if self._by_points else "a path"
                    raise FormatError(
                        f"{_shown(path)} where {what} that starts with '/' was expected, as in "
                        "the lines before",
                        self._origin,
                        int(lines[row]),
                    )
        return _numbered(self._places, list(zip(*columns, strict=True)))

    def _integers(self, column: list[bytes], lines: Ints, what: str) -> Ints:
        if not all(map(bytes.isdigit, column)):
            row = next(row for row, text in enumerate(column) if not text.isdigit())
            raise FormatError(
                f"{_shown(column[row])} is not {what}: expected a whole number, 0 or more",
                self._origin,
                int(lines[row]),
            )
        try:
            return np.array(list(map(int, column)), dtype=np.int64)
        except (OverflowError, ValueError):
            row = max(range(len(column)), key=lambda row: len(column[row]))
            raise FormatError(
                f"{_shown(column[row])} is too large", self._origin, int(lines[row])
            ) from None

    def _numbers(self, column: list[bytes], lines: Ints) -> Floats:
        try:
            values = np.array(list(map(float, column)), dtype=np.float64)
            if np.isfinite(values).all() and b"_" not in b"".join(column):
                return values
        except ValueError:
            pass
        row = next(row for row, text in enumerate(column) if not _is_number(text))
        raise FormatError(
            f"{_shown(column[row])} is not a score: expected a number",
            self._origin,
            int(lines[row]),
        )

    def _decoded(self, values: Numbering[bytes]) -> list[str]:
        try:
            return [value.decode() for value in values]
        except UnicodeDecodeError:
            bad = next(value for value in values if not _is_utf8(value))
            raise FormatError(f"{_shown(bad)} is not UTF-8 text", self._origin) from None


def _pieces(file: IO[bytes], origin: str) -> Iterator[tuple[bytes, int]]:
    """The file in pieces of whole lines, each with the number of its first line."""
    rest = b""
    line = 1
    while data := file.read(_PIECE):
        whole, newline, after = data.rpartition(b"\n")
        if not newline:
            rest += data
            if len(rest) > LONGEST_LINE:
                raise FormatError(f"a line of more than {LONGEST_LINE:,} bytes", origin, line)
            continue
        piece = rest + whole + newline
        yield piece, line
        line += piece.count(b"\n")
        rest = after
    if rest.strip():
        yield rest, line


def _numbered(numbers: Numbering[bytes] | Numbering[tuple[bytes, ...]], values: list) -> Ints:  # type: ignore[type-arg]
    return np.fromiter(map(numbers.__getitem__, values), np.int64, len(values))


def _is_number(text: bytes) -> bool:
    try:
        return bool(np.isfinite(float(text))) and b"_" not in text
    except ValueError:
        return False


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _shown(text: bytes) -> str:
    shown = text[:60].decode("utf-8", "replace")
    return repr(shown + ("…" if len(text) > 60 else ""))


def write_text_run(run: Run) -> Iterator[bytes]:
    """The run as text; `text_losses` says beforehand what the format cannot hold.

    >>> from doxeval.runs.builder import run_of
    >>> from doxeval.runs.run import Result
    >>> list(write_text_run(run_of([Result("7", "a", Kind.PASSAGE, 5, 9)], "mine")))
    [b'7 Q0 a 1 1.0 mine 5 4\\n']
    """
    ranks: dict[str, int] = {}
    for result in run.results():
        ranks[result.topic] = rank = ranks.get(result.topic, 0) + 1
        fields: list[object] = [
            result.topic,
            "Q0",
            result.document,
            rank if result.rank is None else result.rank,
            1.0 / rank if result.score is None else result.score,
            run.run_id,
        ]
        if result.place:
            fields += result.place
        elif result.kind == Kind.POINT:
            fields.append(result.start)
        elif result.kind == Kind.PASSAGE and result.start is not None and result.end is not None:
            fields += [result.start, result.end - result.start]
        yield " ".join(map(str, fields)).encode() + b"\n"


def text_losses(run: Run) -> list[str]:
    """Why a run cannot be written as text, or what would be lost.

    >>> from doxeval.runs.builder import run_of
    >>> from doxeval.runs.run import Result
    >>> text_losses(run_of([Result("1", "a b")]))
    ["documents whose ids hold white space, like 'a b'"]
    """
    problems = []
    kinds = {Kind(kind).name.lower() for kind in np.unique(run.kind).tolist()}
    by_points = {bool(place >= 0) for place in run.place[run.kind == Kind.PASSAGE].tolist()}
    if len(kinds) > 1 or len(by_points) > 1:
        problems.append(f"results of several kinds ({', '.join(sorted(kinds))})")
    if "tree" in kinds:
        problems.append("trees")
    for what, names in (("topics", run.topics), ("documents", run.documents)):
        spaced = next((name for name in names if len(name.split()) != 1), None)
        if spaced is not None:
            problems.append(f"{what} whose ids hold white space, like {spaced!r}")
    return problems
