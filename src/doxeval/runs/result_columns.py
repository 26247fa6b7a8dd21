"""Results as columns: what every way of making a run ends in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Ints
from doxeval.columns.labels import NO_LABEL, Labels
from doxeval.errors import InputError
from doxeval.runs.result import Kind, Result
from doxeval.wording import brief

Floats = npt.NDArray[np.float64]


class ResultColumns(NamedTuple):
    """Results as columns, one row for each.

    start and end are -1 where a result is not given in characters; rank and score are None if
    there are none. line is where each result stood in its file, from 1.
    """

    topic_labels: Labels[str]
    document_labels: Labels[str]
    path_labels: Labels[tuple[str, ...]]
    kind: Ints
    start: Ints
    end: Ints
    rank: Ints | None
    score: Floats | None
    line: Ints


class RanksAndScores(NamedTuple):
    """Ranks and scores as far as they are of use, and what to say about the others."""

    rank: Ints | None
    score: Floats | None
    warnings: tuple[str, ...]

    @classmethod
    def complete(cls, rank: Ints, score: Floats) -> RanksAndScores:
        """The ranks (-1: none) and scores (nan: none), each only if every result has one.

        >>> found = RanksAndScores.complete(np.array([1, 2]), np.array([0.5, np.nan]))
        >>> found.score, found.warnings
        (None, ('some results have no score; the scores are not used',))
        """
        has_rank, has_score = rank >= 0, ~np.isnan(score)
        warnings = [
            f"some results have no {what}; the {what}s are not used"
            for what, has in (("rank", has_rank), ("score", has_score))
            if has.any() and not has.all()
        ]
        return cls(
            rank if len(rank) and has_rank.all() else None,
            score if len(score) and has_score.all() else None,
            tuple(warnings),
        )


def columns_of_results(
    results: Iterable[Result], lines: Sequence[int] | None = None
) -> tuple[ResultColumns, tuple[str, ...]]:
    """Results given one by one as columns, and warnings; without lines they are counted from 1.

    >>> columns, _ = columns_of_results([Result("1", "a"), Result("1", "b")])
    >>> columns.document_labels.distinct
    ('a', 'b')
    """
    rows = list(results)
    topics, documents, kinds, starts, ends, paths, ranks, scores = (
        zip(*rows, strict=True) if rows else ((),) * len(Result._fields)
    )
    _refuse_other_paths(paths)
    kept = RanksAndScores.complete(_whole(ranks), np.array(scores, dtype=np.float64))
    columns = ResultColumns(
        _labels(topics),
        _labels(documents),
        _labels(paths, without=()),
        np.array(kinds, dtype=np.int64),
        _whole(starts),
        _whole(ends),
        kept.rank,
        kept.score,
        np.arange(1, len(rows) + 1) if lines is None else np.array(lines, dtype=np.int64),
    )
    _refuse_incomplete(columns)
    return columns, kept.warnings


def _labels(values: Sequence[Any], without: Any = None) -> Labels[Any]:
    """A column of names; `without` is no name."""
    distinct = dict.fromkeys(values)
    distinct.pop(without, None)
    numbers = {value: number for number, value in enumerate(distinct)} | {without: NO_LABEL}
    return Labels.of(
        tuple(distinct), np.fromiter(map(numbers.__getitem__, values), np.int64, len(values))
    )


def _whole(values: Sequence[int | None]) -> Ints:
    return np.array([-1 if value is None else value for value in values], dtype=np.int64)


def _refuse_other_paths(paths: Sequence[Any]) -> None:
    if set(map(type, paths)) - {tuple}:
        row = next(row for row, given in enumerate(paths, 1) if type(given) is not tuple)
        raise InputError(
            f"result {row}: paths is {brief(paths[row - 1])}: "
            "expected a tuple of paths or text points"
        )


def _refuse_incomplete(columns: ResultColumns) -> None:
    """Results that do not say where they are."""
    kind, has_paths = columns.kind, columns.path_labels.numbers >= 0
    needs_path = (kind == Kind.ELEMENT) | (kind == Kind.TREE)
    needs_end = (kind == Kind.PASSAGE) & ~has_paths
    needs_start = needs_end | ((kind == Kind.POINT) & ~has_paths)
    for wrong, message in (
        (needs_path & ~has_paths, "has no path"),
        (needs_start & (columns.start < 0), "has neither a start nor text points"),
        (needs_end & (columns.end < columns.start), "ends before it starts, or has no end"),
    ):
        if wrong.any():
            row = int(np.argmax(wrong))
            what = Kind(int(kind[row])).name.lower()
            raise InputError(f"result {row + 1}: the {what} {message}")


def results_of(columns: ResultColumns) -> Iterator[Result]:
    """The results one by one.

    >>> columns, _ = columns_of_results([Result("1", "a"), Result("1", "b")])
    >>> [result.document for result in results_of(columns)]
    ['a', 'b']
    """
    kinds = list(Kind)
    paths = [*columns.path_labels.distinct, ()]
    none = [None] * len(columns.kind)
    return map(
        Result._make,
        zip(
            names_of(columns.topic_labels),
            names_of(columns.document_labels),
            [kinds[kind] for kind in columns.kind.tolist()],
            _whole_or_none(columns.start),
            _whole_or_none(columns.end),
            [paths[number] for number in columns.path_labels.numbers.tolist()],
            none if columns.rank is None else columns.rank.tolist(),
            none if columns.score is None else columns.score.tolist(),
            strict=True,
        ),
    )


def _whole_or_none(values: Ints) -> list[int | None]:
    return [None if value < 0 else value for value in values.tolist()]


def names_of(labels: Labels[Any]) -> list[Any]:
    """The name of each row; None where there is none.

    >>> names_of(Labels.of(["a"], np.array([0, -1])))
    ['a', None]
    """
    names = [*labels.distinct, None]
    return [names[number] for number in labels.numbers.tolist()]
