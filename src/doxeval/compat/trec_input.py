"""Qrels and runs as trec_eval reads them.

Fields are separated by white space, names are compared byte by byte (`a.xml` and `a` are two
documents), topics are in the order of their bytes. Of a run, ranks and what stands behind the
sixth field are ignored; the id is that of the last line. Where trec_eval would take something for a
number that is none, an error is raised instead.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.assessments import Assessments, JudgmentColumns, judgment_columns
from doxeval.columns import (
    ByteStrings,
    Categorical,
    Columns,
    Loads,
    NameColumn,
    NameIndex,
    PaddedBytes,
    RaggedTable,
    first_bad_byte,
    line_blocks,
)
from doxeval.errors import FormatError
from doxeval.files import BYTE_ORDER_MARK, open_input
from doxeval.measures import GroundTruth
from doxeval.messages import quoted, truncate

_QRELS_FIELDS, _RUN_FIELDS = 4, 6
_MOST_DIGITS = 9
_AT_ONCE = 1 << 24  # bytes
BAD_FILE, BAD_TOPIC, NO_COMMON_TOPIC = 2, 4, 7


class TrecEvalError(FormatError):
    """What trec_eval refuses; `exit_code` is the one it ends with.

    >>> TrecEvalError("no topic is in both files", exit_code=7).exit_code
    7
    """

    def __init__(
        self,
        message: str,
        origin: str | None = None,
        line: int | None = None,
        column: int | None = None,
        *,
        exit_code: int = BAD_FILE,
    ) -> None:
        super().__init__(message, origin, line, column)
        self.exit_code = exit_code


# Judgments


@dataclass(frozen=True)
class TrecQrels:
    """Judgments, topics in the order of their bytes.

    repeated: by topic, a document that is judged twice; trec_eval refuses the topic when it comes
    to it.
    """

    truth: GroundTruth
    repeated: Mapping[int, str] = field(default_factory=dict)
    origin: str | None = None


def read_trec_qrels_file(path: str | os.PathLike[str]) -> TrecQrels:
    """Read a file of qrels.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels"
    >>> _ = path.write_text("10 0 a.xml 2\\n9 0 a 0\\n")
    >>> read_trec_qrels_file(path).truth.topics
    ('10', '9')
    """
    origin = os.fspath(path)
    words = PaddedBytes(_read_text(path))
    names: list[Ints] = []
    grades: list[Ints] = []
    for begin, end, first_line in line_blocks(words.data):
        table = _table(words, begin, end, first_line, origin)
        blank = np.setdiff1d(np.arange(table.line_ends), table.lines)
        wrong = table.lines[table.fields != _QRELS_FIELDS]
        if len(blank) or len(wrong):
            line = min(chain(blank.tolist(), wrong.tolist()))
            what = "a blank line" if line in blank else "not four fields"
            raise TrecEvalError(
                f"{what}: expected topic, iteration, document and grade", origin, first_line + line
            )
        columns = table.columns(_QRELS_FIELDS)
        is_negative = columns.starts_with(3, b"-")
        begins, ends = columns.span(3)
        begins = begins + (is_negative | columns.starts_with(3, b"+"))
        grade = Columns(words.piece(begin, end), np.stack([begins, ends])).integers(0)
        wrong = np.flatnonzero((grade < 0) | (begins == ends) | (ends - begins > _MOST_DIGITS))
        if len(wrong):
            raise TrecEvalError(
                f"{_shown(columns.text(int(wrong[0]), 3))} is not a grade: expected a whole number "
                f"of at most {_MOST_DIGITS} digits",
                origin,
                first_line + int(wrong[0]),
            )
        grades.append(np.where(is_negative, -grade, grade))
        names.append(np.stack([*columns.span(0), *columns.span(2)]) + begin)
    edges = np.concatenate(names, axis=1)
    topics = NameColumn(ByteStrings(words, *edges[:2]))
    documents = ByteStrings(words, *edges[2:])
    number, _ = documents.numbering
    return _qrels(topics, documents.distinct, number, np.concatenate(grades), origin)


def qrels_of_dict(judged: Mapping[str, Mapping[str, int]]) -> TrecQrels:
    """Return grades by topic and document, as pytrec_eval takes them.

    >>> qrels_of_dict({"b": {"x": 1}, "a": {"y": 2, "x": 0}}).truth.grade.tolist()
    [2, 0, 1]
    """
    topics = sorted(judged)
    numbers: dict[str, int] = {}
    document = [numbers.setdefault(name, len(numbers)) for t in topics for name in judged[t]]
    grade = [int(grade) for topic in topics for grade in judged[topic].values()]
    topic = np.repeat(np.arange(len(topics)), [len(judged[topic]) for topic in topics])
    return _qrels(
        Categorical.of(topics, topic),
        tuple(numbers),
        np.array(document, dtype=np.int64),
        np.array(grade, dtype=np.int64),
        None,
    )


def _qrels(
    topics: Categorical[str],
    documents: Sequence[str],
    document: Ints,
    grade: Ints,
    origin: str | None,
) -> TrecQrels:
    names, topic = sorted_names(topics)
    columns = judgment_columns(names, documents, topic, document, grade=grade).by_topic()
    repeated: dict[int, str] = {}
    if columns.first_repeated() is not None:
        columns, repeated = _without_repeats(columns)
    truth = GroundTruth.of(Assessments(columns))
    return TrecQrels(truth, repeated, origin)


def _without_repeats(columns: JudgmentColumns) -> tuple[JudgmentColumns, dict[int, str]]:
    keys = columns.topic * len(columns.documents) + columns.document
    _, first = np.unique(keys, return_index=True)
    again = np.setdiff1d(np.arange(len(columns)), first)
    repeated = {
        int(columns.topic[row]): columns.documents[columns.document[row]]
        for row in again[::-1].tolist()
    }
    return columns.rows(np.sort(first)), repeated


# Runs


@dataclass(frozen=True)
class TrecRun:
    """A run in the order of its file.

    topics: in the order of their bytes. topic: the number of each result's topic among them.
    may_repeat: whether a document may be there twice for a topic.
    """

    run_id: str
    topics: tuple[str, ...]
    topic: Ints
    document: Categorical[str]
    score: Floats
    origin: str | None = None
    may_repeat: bool = True


def read_trec_run_file(path: str | os.PathLike[str]) -> TrecRun:
    """Read the file of a run.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run"
    >>> _ = path.write_text("9 Q0 a.xml 1 0.5 one\\n\\n10 Q0 a ? 7e-1 two and more\\n")
    >>> run = read_trec_run_file(path)
    >>> run.run_id, run.topics, run.topic.tolist(), run.score.tolist()
    ('two', ('10', '9'), [1, 0], [0.5, 0.7])
    """
    origin = os.fspath(path)
    words = PaddedBytes(_read_text(path))
    names: list[Ints] = []
    scores: list[Floats] = []
    run_id = ""
    for begin, end, first_line in line_blocks(words.data):
        table = _table(words, begin, end, first_line, origin)
        if not len(table.lines):
            continue
        short = table.lines[table.fields < _RUN_FIELDS]
        if len(short):
            raise TrecEvalError(
                "fewer than six fields: expected topic, Q0, document, rank, score and run id",
                origin,
                first_line + int(short[0]),
            )
        columns = table.leading(_RUN_FIELDS)
        score = columns.floats(4)
        wrong = np.flatnonzero(np.isnan(score))
        if len(wrong):
            raise TrecEvalError(
                f"{_shown(columns.text(int(wrong[0]), 4))} is not a score: expected a number",
                origin,
                first_line + int(table.lines[wrong[0]]),
            )
        scores.append(score)
        names.append(np.stack([*columns.span(0), *columns.span(2)]) + begin)
        run_id = columns.text(len(columns) - 1, 5).decode()
    if not names:
        raise TrecEvalError("no results in the file", origin)
    edges = np.concatenate(names, axis=1)
    topics, topic = sorted_names(NameColumn(ByteStrings(words, *edges[:2])))
    documents = NameColumn(ByteStrings(words, *edges[2:]))
    return TrecRun(run_id, topics, topic, documents, np.concatenate(scores), origin)


def run_of_dict(results: Mapping[str, Mapping[str, float]]) -> TrecRun:
    """Return scores by topic and document, as pytrec_eval takes them.

    >>> run_of_dict({"b": {"x": 1.0}, "a": {"y": 0.5, "x": 2.0}}).topic.tolist()
    [0, 0, 1]
    """
    topics = sorted(results)
    lists = [results[topic] for topic in topics]
    counts = np.array([len(scores) for scores in lists], dtype=np.int64)
    score = np.fromiter(
        chain.from_iterable(scores.values() for scores in lists), np.float64, int(counts.sum())
    )
    return TrecRun(
        "",
        tuple(topics),
        np.repeat(np.arange(len(topics)), counts),
        _Names(list(chain.from_iterable(lists))),
        score,
        may_repeat=False,
    )


class _Names(Categorical[str]):
    """A column of strings, which are looked up as they are: to number them would take longer."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def find(self, names: NameIndex | Sequence[str]) -> Ints:
        index = names if isinstance(names, NameIndex) else NameIndex(names)
        position = index.positions.get
        return np.array([position(name, -1) for name in self._names], dtype=np.int64)

    def sort_keys(self, rows: Ints) -> tuple[Loads, ...]:
        names = [self._names[row] for row in rows.tolist()]
        rank = {name: number for number, name in enumerate(sorted(set(names)))}
        return (np.array([rank[name] for name in names], dtype=np.uint64),)

    def _compute(self) -> tuple[Sequence[str], Ints]:
        numbers = {name: number for number, name in enumerate(dict.fromkeys(self._names))}
        return tuple(numbers), np.fromiter(
            map(numbers.__getitem__, self._names), np.int64, len(self._names)
        )


# What both share


def sorted_names(names: Categorical[str]) -> tuple[tuple[str, ...], Ints]:
    """Return distinct names in the order of their bytes, and the number of each row's name.

    >>> names, numbers = sorted_names(Categorical.of(["9", "10"], np.array([0, 1, 0])))
    >>> names, numbers.tolist()
    (('10', '9'), [1, 0, 1])
    """
    distinct = list(names.distinct)
    order = sorted(range(len(distinct)), key=distinct.__getitem__)  # UTF-8 sorts as characters do
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return tuple(distinct[at] for at in order), rank[names.numbers]


def _read_text(path: str | os.PathLike[str]) -> bytes:
    """Return a file, which must be text, with an end of its last line."""
    origin = os.fspath(path)
    with open_input(path) as file:
        data = b"".join(iter(partial(file.read, _AT_ONCE), b""))
    if not data:
        raise TrecEvalError("the file is empty", origin)
    if data.startswith(BYTE_ORDER_MARK):
        raise TrecEvalError("begins with a byte order mark: expected plain UTF-8", origin, 1)
    bad = first_bad_byte(data)
    if bad is not None:
        line = data.count(b"\n", 0, bad) + 1
        raise TrecEvalError(f"byte {data[bad]:#04x} is not UTF-8 text", origin, line)
    return data if data.endswith(b"\n") else data + b"\n"


def _table(words: PaddedBytes, begin: int, end: int, first_line: int, origin: str) -> RaggedTable:
    table = RaggedTable(words.piece(begin, end))
    control = table.control_character()
    if control is not None:
        line = first_line + words.data.count(b"\n", begin, begin + control)
        code = words.data[begin + control]
        raise TrecEvalError(f"control character {code:#04x}", origin, line)
    return table


def _shown(text: bytes) -> str:
    return quoted(truncate(text.decode()))
