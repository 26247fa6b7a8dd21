"""Runs from and to Python values: sequences, dicts and data frames of pandas and polars.

All become columns of records, which `records` checks; neither pandas nor polars is imported unless
a frame is made.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Floats
from doxeval.columns import (
    ALIASES,
    LARGEST_WHOLE,
    Column,
    FrameColumns,
    column_names,
    columns_by_field,
    columns_of_tuples,
)
from doxeval.errors import DoxevalError, FormatError, InputError
from doxeval.messages import Parameter, plural, quoted, truncate
from doxeval.runs.columns import Kind, ResultColumns, SpanLists, row_names
from doxeval.runs.records import (
    FIELDS,
    WHOLE_FIELDS,
    BadRecord,
    RecordCollector,
    spans_of_text,
)
from doxeval.runs.run import LooksLikeAssessments

if TYPE_CHECKING:
    from doxeval.runs.chunks import ChunkTable

_PASSAGE = re.compile(r"%p[0-9]+\Z")
_EXACT = 1 << 53  # whole numbers below it are exact as floats
_DICT_FIELDS = ("topic", "rank", "doc", "start", "end", "path", "spans", "score")
_DICT_EXPECTED = (
    "expected {document: score}, or a list of documents, (document, start, end), "
    "(document, path) or (document, [(start, end), …])"
)

# Sequences


def columns_of_arrays(
    given: Mapping[str, Any],
    called: Mapping[str, str] = MappingProxyType({}),
    chunks: ChunkTable | None = None,
) -> tuple[ResultColumns, tuple[str, ...], tuple[str, ...]]:
    """Return results from a sequence for each field; also the ids of runs, and warnings.

    A sequence is a list, an array or a column of a data frame. None, an empty string and, among
    whole numbers, -1 and nan say that a result does not have the field. A bad value is an
    InputError that names its row, counted from 0. `called` has the names of fields that the
    caller knows by other names, for errors. `chunks` are those that results name by id.

    >>> columns, _, _ = columns_of_arrays({"topic": [7, 7], "doc": ["a", "b"], "start": [-1, -1]})
    >>> columns.kind.tolist()
    [0, 0]
    """
    try:
        return _collect(given, called, chunks)
    except BadRecord as error:
        name, space, rest = error.reason.partition(" ")  # most reasons start with a field
        raise InputError(f"{called.get(name, name)}{space}{rest}", f"row {error.row}") from None


def _collect(
    given: Mapping[str, Any], called: Mapping[str, str], chunks: ChunkTable | None = None
) -> tuple[ResultColumns, tuple[str, ...], tuple[str, ...]]:
    """Return the same as `columns_of_arrays`; a bad value raises BadRecord."""
    columns = {name: _column(name, values, called) for name, values in given.items()}
    lengths = {
        called.get(name, name): len(column.begin) - 1
        if isinstance(column, SpanLists)
        else len(column)
        for name, column in columns.items()
    }
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{count:,} of {name}" for name, count in lengths.items())
        raise InputError(f"the sequences are not of the same length: {listed}")
    collector = RecordCollector(chunks)
    collector.add(columns, np.arange(1, max(lengths.values(), default=0) + 1))
    return collector.finish()


def _column(name: str, values: Any, called: Mapping[str, str]) -> Any:
    if name == "spans" and isinstance(values, SpanLists):
        return values
    column = _array_or_list(values)
    if column is None:
        what = f"{called.get(name, name)} is a {type(values).__name__}"
        raise InputError(f"{what}: expected a sequence with a value for each result")
    if name in WHOLE_FIELDS:
        return _whole_numbers(column)
    if name == "score":
        array = _numbers(column)
        return array if array.dtype.kind in "fiu" else [_scalar(value) for value in column]
    if name == "nodes":
        return [_paths(value) for value in column]
    if name == "spans":
        return [_spans(value) for value in column]
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu":
        return list(map(str, column.tolist()))
    listed = column.tolist() if isinstance(column, np.ndarray) else column
    is_text = isinstance(column, np.ndarray) and column.dtype.kind == "U"
    has_floats = not is_text and float in set(map(type, listed))
    return [_plain(value) for value in listed] if has_floats else listed


def _array_or_list(values: Any) -> npt.NDArray[Any] | list[Any] | None:
    """Return the values of a sequence; None if it is not one."""
    if hasattr(values, "isna") and hasattr(values, "to_numpy"):  # a column of pandas
        missing = values.isna().to_numpy(dtype=bool)
        values = values.to_numpy(dtype=object) if missing.any() else values.to_numpy()
        values = np.where(missing, None, values) if missing.any() else values
    elif hasattr(values, "to_list"):  # a column of polars
        values = values.to_list()
    if isinstance(values, np.ndarray):
        return values if values.ndim == 1 else None
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
        return None
    return list(values)


def _whole_numbers(values: npt.NDArray[Any] | list[Any]) -> Column:
    """Return whole numbers, -1 for none; if there is anything else, all values as they are."""
    array = _numbers(values)
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), -1, array)
        if (array == np.floor(array)).all() and (np.abs(array) < _EXACT).all():
            return array.astype(np.int64)
    elif array.dtype.kind == "i" or (array.dtype.kind == "u" and (array < LARGEST_WHOLE).all()):
        return array.astype(np.int64)
    return [None if value == -1 else value for value in map(_plain, values)]


def _numbers(values: npt.NDArray[Any] | list[Any]) -> npt.NDArray[Any]:
    """Return the values as an array, of numbers if all are; truth values are not."""
    if isinstance(values, list) and bool in set(map(type, values)):
        return np.array(values, dtype=object)
    return np.asarray(values) if len(values) else np.zeros(0, dtype=np.int64)


def _scalar(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _plain(value: Any) -> Any:
    """Return a value as Python has it: whole numbers as int, and nan as None."""
    value = _scalar(value)
    if not isinstance(value, float):
        return value
    return None if value != value else int(value) if value.is_integer() else value


def _paths(value: Any) -> Any:
    """Return the paths of a tree: a list, or a string with spaces between them."""
    if isinstance(value, str):
        return value.split()
    return list(value) if isinstance(value, tuple | np.ndarray) else value


def _spans(value: Any) -> Any:
    """Return the spans of a result: a list of pairs, an array of two columns, or text."""
    if isinstance(value, str):
        return spans_of_text(value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_pair(pair) for pair in value]
    return _plain(value)


def _pair(pair: Any) -> Any:
    """Return a pair of numbers as Python has them."""
    if type(pair) in (tuple, list) and set(map(type, pair)) == {int}:
        return pair
    if isinstance(pair, np.ndarray):
        return pair.tolist()
    return [_plain(edge) for edge in pair] if isinstance(pair, list | tuple) else pair


# Dicts


def columns_of_dict(given: Mapping[Any, Any]) -> tuple[ResultColumns, tuple[str, ...]]:
    """Return the results of {topic: {document: score}} or {topic: [result, …]}, and warnings.

    >>> columns, _ = columns_of_dict({"7": {"a": 0.2, "b": 0.9}})
    >>> list(columns.document_labels.distinct)
    ['b', 'a']
    """
    if not isinstance(given, Mapping):
        raise InputError(f"the run is a {type(given).__name__}: expected a dict of topics")
    fields: dict[str, list[Any]] = {name: [] for name in _DICT_FIELDS}
    for topic, results in given.items():
        of_topic = _topic_fields(topic, results)
        count = len(of_topic["doc"])
        fields["topic"] += [topic] * count
        fields["rank"] += range(1, count + 1)
        for name in _DICT_FIELDS[2:]:
            fields[name] += of_topic.get(name, [None] * count)
    used = {
        name: values
        for name, values in fields.items()
        if not values or any(value is not None for value in values)
    }
    try:
        columns, _, warnings = _collect(used, {})
    except BadRecord as error:
        topic, document = fields["topic"][error.row], fields["doc"][error.row]
        raise InputError(
            error.reason, f"topic {quoted(topic)}, document {quoted(document)}"
        ) from None
    return columns, warnings


def _topic_fields(topic: Any, results: Any) -> dict[str, Sequence[Any]]:
    """Return the results of a topic by field."""
    if isinstance(results, Mapping):
        scores = _scores(topic, results)
        documents = list(results)
        order = np.argsort(-scores, kind="stable")
        return {
            "doc": [documents[at] for at in order.tolist()],
            "score": scores[order].tolist(),
        }
    if isinstance(results, Sequence) and not isinstance(results, str | bytes):
        units = [_unit(topic, result) for result in results]
        names = ("doc", "start", "end", "path", "spans")
        return dict(zip(names, zip(*units, strict=True), strict=True)) if units else {"doc": ()}
    raise InputError(f"topic {quoted(topic)} has {quoted(results)}: {_DICT_EXPECTED}")


def _scores(topic: Any, results: Mapping[Any, Any]) -> Floats:
    scores = np.array([_score(score) for score in results.values()], dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        document, score = list(results.items())[int(bad[0])]
        where = f"topic {quoted(topic)}, document {quoted(document)}"
        raise InputError(f"{where}: score is {quoted(score)}: expected a number")
    return scores


def _score(score: Any) -> float:
    """Return a score as a number; nan for anything else."""
    if type(score) is float:
        return score
    try:
        return math.nan if isinstance(score, str | bytes | bool) else float(score)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _unit(topic: Any, result: Any) -> tuple[Any, ...]:
    """Return document, start, end, path and spans of a result."""
    match result:
        case str() | int() | np.integer():
            return result, None, None, None, None
        case [document, str() as path]:
            return document, None, None, path, None
        case [document, list() | tuple() as spans] if spans:
            return document, None, None, None, spans
        case [document, int() | np.integer() as start, int() | np.integer() as end]:
            if 0 <= start <= end:
                return document, start, end, None, None
            raise InputError(
                f"topic {quoted(topic)} has {quoted(result)}: expected a start of 0 or more, and "
                "an end that is not before it"
            )
    raise InputError(f"topic {quoted(topic)} has {quoted(result)}: {_DICT_EXPECTED}")


def dict_of_columns(columns: ResultColumns) -> dict[str, dict[str, float]]:
    """Return a run of whole documents as {topic: {document: score}}.

    >>> dict_of_columns(columns_of_dict({"7": {"a": 0.2, "b": 0.9}})[0])
    {'7': {'b': 0.9, 'a': 0.2}}
    """
    if (columns.kind != Kind.DOCUMENT).any():
        raise DoxevalError(
            "a dict of scores has whole documents only, and this run has parts of documents: "
            "to_pandas(), to_polars() and iteration over the run give all of it"
        )
    by_topic: dict[str, dict[str, float]] = {}
    scores = [None] * len(columns.kind) if columns.score is None else columns.score.tolist()
    names = row_names(columns.topic_labels), row_names(columns.document_labels)
    for topic, document, score in zip(*names, scores, strict=True):
        ranking = by_topic.setdefault(topic, {})
        if document in ranking:
            raise DoxevalError(
                f"document {quoted(document)} is there twice for topic {quoted(topic)}: "
                "a dict has it once"
            )
        ranking[document] = 1 / (len(ranking) + 1) if score is None else score
    return by_topic


# Data frames


def columns_of_frame(
    frame: Any, chunks: ChunkTable | None = None
) -> tuple[ResultColumns, tuple[str, ...], tuple[str, ...]]:
    """Return the results of a data frame, the ids of runs in it, and warnings.

    >>> import polars
    >>> columns, _, _ = columns_of_frame(polars.DataFrame({"qid": ["7"], "docno": ["a"]}))
    >>> list(columns.document_labels.distinct)
    ['a']
    """
    by_field = columns_by_field(frame, FIELDS)
    _refuse_grades(by_field)
    given = {field: frame[name] for field, name in by_field.names.items()}
    columns, run_ids, warnings = columns_of_arrays(given, by_field.names, chunks)
    return columns, run_ids, (*by_field.warnings, *warnings)


def is_of_pyterrier(frame: Any) -> bool:
    """Return whether a frame of results has the columns of PyTerrier, whose rows are in any order.

    >>> import pandas
    >>> is_of_pyterrier(pandas.DataFrame({"qid": ["7"], "docno": ["a"], "score": [0.5]}))
    True
    """
    return {"qid", "docno", "score"} <= set(column_names(frame))


def numbered_passages(columns: ResultColumns) -> tuple[str, ...]:
    """Return a warning if ids of documents are those of PyTerrier's passages.

    >>> columns, _ = columns_of_dict({"7": ["guide%p3"]})
    >>> numbered_passages(columns)[0].partition(";")[0]
    "1 document is numbered as PyTerrier's passages are (guide%p3)"
    """
    names = [name for name in columns.document_labels.distinct if _PASSAGE.search(name)]
    if not names:
        return ()
    verb = "is" if len(names) == 1 else "are"
    return (
        f"{plural(len(names), 'document')} {verb} numbered as PyTerrier's passages are "
        f"({truncate(names[0])}); doxeval.pyterrier.passages says where they are in documents",
    )


def columns_of_named_tuples(rows: Iterable[Any]) -> tuple[ResultColumns, tuple[str, ...]]:
    """Return the results of named tuples, one for each, and warnings.

    >>> from collections import namedtuple
    >>> ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
    >>> columns, _ = columns_of_named_tuples([ScoredDoc("7", "a", 0.5)])
    >>> columns.score.tolist()
    [0.5]
    """
    by_field, given = columns_of_tuples(rows, FIELDS)
    _refuse_grades(by_field)
    columns, _, warnings = columns_of_arrays(given, by_field.names)
    return columns, (*by_field.warnings, *warnings)


def _refuse_grades(by_field: FrameColumns) -> None:
    """Refuse what has grades, and nothing that only a run has."""
    graded = [name for name in ("grade", *ALIASES["grade"]) if name in by_field.ignored]
    if graded and not {"score", "rank"} & by_field.names.keys():
        raise LooksLikeAssessments(
            f"this looks like assessments (the column {graded[0]}), not a run: runs come first, "
            "and assessments are given as " + Parameter("assessments")
        )


def pandas_frame(fields: dict[str, list[Any]]) -> Any:
    """Return columns by field as a data frame of pandas; a whole number that is missing is NA.

    >>> pandas_frame({"topic": ["7", "7"], "start": [3, None]}).dtypes["start"]
    Int64Dtype()
    """
    pandas = optional_module("pandas")
    return pandas.DataFrame(
        {
            name: pandas.array(values, dtype="Int64")
            if set(map(type, values)) == {int, type(None)}
            else values
            for name, values in fields.items()
        }
    )


def polars_frame(fields: dict[str, list[Any]]) -> Any:
    """Return columns by field as a data frame of polars.

    >>> polars_frame({"topic": ["7"], "start": [3]}).rows()
    [('7', 3)]
    """
    return optional_module("polars").DataFrame(fields)


# Libraries that not everybody has installed

_HOW_TO_INSTALL = {
    "pyarrow": "Parquet needs pyarrow: install doxeval with its extra, doxeval[parquet]",
    "pandas": "a data frame of pandas needs pandas: install pandas",
    "polars": "a data frame of polars needs polars: install polars",
}


def optional_module(name: str) -> Any:
    """Import a module of a library that may be missing, such as `pyarrow.parquet`.

    >>> optional_module("pandas").DataFrame.__name__
    'DataFrame'
    """
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise FormatError(_HOW_TO_INSTALL[name.partition(".")[0]]) from None
