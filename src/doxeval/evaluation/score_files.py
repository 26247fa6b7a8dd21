"""Scores that another program computed, or that `doxeval evaluate --per-topic --format csv` wrote.

CSV, or the same with tabs or semicolons, with a line of column names:

    run,topic,value                one measure, called as its column
    run,topic,measure,value        several measures, one line for each score
    run,topic,AP,nDCG@10           several measures, a column for each

Columns may come in any order. The run is called `run` (also `run_id`, `tag`, `system` or `name`),
the topic `topic` (`topic_id`, `qid`, `query_id`, `q_id`, `query-id`), the measure `measure`
(`metric`). A file without a column of runs is one run, called as its file. A column without a name,
such as the row numbers of a data frame, is ignored.

A score is a number; an empty field or `nan` is a score that is undefined. Lines of the topic `all`
are means: means are computed from the topics, and one that differs is a warning. A topic for which
a run has no line does not count for this run, with a warning. A score given twice, anything that is
not a number, and a file without column names are errors.

Several files are read into one table: of other runs, of other topics or by other measures. Of a
measure that doxeval knows by its name, the range and whether higher scores are better are known,
too; of all others, higher scores are better unless `lower_is_better` names them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from doxeval.columns import ALIASES, Frame, column_names, is_frame
from doxeval.documents import decode_text
from doxeval.errors import FormatError, InputError, SyntaxProblem, warn
from doxeval.evaluation.inputs import RunInput
from doxeval.files import csv_rows, name_of_file, open_input, read_up_to
from doxeval.measures import known_measure
from doxeval.messages import join_names, plural, quoted
from doxeval.named import checked_but
from doxeval.scores import MeasureFacts, RunScores, ScoreTable, index_of_measure, mean_of

ScoresGiven = str | os.PathLike[str] | Frame

_NAMES = {
    "run": ("run", *ALIASES["run"], "system", "name"),
    "topic": ("topic", *ALIASES["topic"]),
    "measure": ("measure", "metric"),
}
# A file with one of these holds results or judgments.
_DOCUMENTS = {"doc", "chunk", *ALIASES["doc"], *ALIASES["chunk"]}
_EXPECTED = "expected a first line with column names, such as run,topic,measure,value"
_MEANS = "all"  # the topic under which means are written
_TOLERANCE = 1.01e-4  # scores are often rounded to four digits
_LARGEST = 1 << 30
_FIRST_BYTES = 1 << 16
_LARGEST_TABLE = 1 << 24  # scores; a larger table must be a quarter full
_MAX_TOPICS = 5


@checked_but("scores")
def read_scores(
    scores: ScoresGiven | Iterable[ScoresGiven | RunInput] | Mapping[str, ScoresGiven],
    *,
    lower_is_better: str | Iterable[str] = (),
) -> ScoreTable:
    """Read the scores of runs by topic from files of CSV or from data frames, to compare them.

    scores: a file or a data frame, several of them, or those of single runs by name.
    lower_is_better: the measures by which lower scores are better, where that is not known.

    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "scores.csv"
    >>> _ = file.write_text("run,topic,AP\\nmine,7,.5\\nmine,8,.25\\nbase,7,.25\\nbase,8,.125\\n")
    >>> read_scores(file)
    Scores of 2 runs by 1 measure on 2 topics
    run       AP
    mine  0.3750
    base  0.1875
    """
    collected = _Collected()
    for source in _inputs(scores):
        collected.add(_rows_of(source), source)
    table = collected.table(
        [lower_is_better] if isinstance(lower_is_better, str) else lower_is_better
    )
    warn(table.all_warnings())
    return table


def is_score_file(path: str) -> bool:
    """Return whether a file holds scores by topic, and not a run, judging by how it begins.

    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "a.csv"
    >>> for header in ("run,topic,AP", "run,topic,doc,score", "7 Q0 a 1 0.5 mine"):
    ...     _ = file.write_text(f"{header}\\n")
    ...     print(is_score_file(str(file)))
    True
    False
    False
    """
    if not os.path.isfile(path):  # a pipe cannot be read twice
        return False
    with open_input(path) as file:
        first = file.read(_FIRST_BYTES).decode("utf-8-sig", "replace").partition("\n")[0]
    names = [name.strip().strip('"').lower() for name in first.split(_separator(first))]
    if set(names) & set(_NAMES["topic"]):
        return len(names) > 1 and not set(names) & _DOCUMENTS
    # Scores without column names are not runs either; reading them says what is missing.
    return "," in first and len(names) in (3, 4) and _number(names[-1]) is not None


# From files and frames to rows


class _GivenScore(NamedTuple):
    """One score, and where it was given."""

    run: str | None
    topic: str
    measure: str
    value: float
    line: int


def _inputs(given: Any) -> list[RunInput]:
    if isinstance(given, Mapping):
        return [RunInput(source, name) for name, source in given.items()]
    if isinstance(given, str | os.PathLike) or is_frame(given):
        return [RunInput(given)]
    if not isinstance(given, Iterable):
        raise _not_scores(given)
    inputs = [source if isinstance(source, RunInput) else RunInput(source) for source in given]
    if not inputs:
        raise InputError("no scores are given: expected a file or a data frame, or several")
    return inputs


def _not_scores(given: object) -> InputError:
    return InputError(f"{quoted(given)}: expected a file of scores or a data frame")


def _rows_of(source: RunInput) -> list[_GivenScore]:
    """Return all scores of a file or a data frame."""
    origin = source.file
    if origin is None:
        return list(_frame_rows(source.source))
    with open_input(origin) as file:
        contents = read_up_to(file, _LARGEST)
    if len(contents) > _LARGEST:
        raise FormatError(f"more than {_LARGEST:,} bytes of scores", origin)
    text = decode_text(contents, origin)
    rows = csv_rows(text, origin, _separator(text.partition("\n")[0]))
    if not rows:
        raise FormatError(f"an empty file; {_EXPECTED}", origin)
    (line, header), *rest = rows
    columns = _ScoreColumns.of([name.strip() for name in header], origin, line)
    scores: list[_GivenScore] = []
    for line, row in rest:
        if len(row) != len(header):
            fields = plural(len(row), "field")
            raise FormatError(f"{fields}: expected {len(header)}, as in line 1", origin, line)
        scores += columns.scores(row, origin, line)
    return scores


def _frame_rows(frame: Any) -> Iterator[_GivenScore]:
    if not is_frame(frame):
        raise _not_scores(frame)
    if hasattr(frame, "reset_index") and any(frame.index.names):  # as `topic_frame` has it
        frame = frame.reset_index()
    columns = _ScoreColumns.of([str(name) for name in column_names(frame)], None, None)
    cells = {}
    for at in columns.used:  # by number, because names may be numbers, or the same
        column = frame.iloc[:, at] if hasattr(frame, "iloc") else frame[:, at]
        cells[at] = column.to_list()
    for number, row in enumerate(zip(*cells.values(), strict=True)):
        yield from columns.scores(dict(zip(cells, row, strict=True)), None, number)


def _separator(header: str) -> str:
    return next((mark for mark in ",\t;" if mark in header), ",")


@dataclass(frozen=True)
class _ScoreColumns:
    """Which columns hold the run, the topic, the name of the measure, and values."""

    topic: int
    run: int | None
    measure: int | None
    values: dict[int, str]  # by column, the names of these columns

    @property
    def used(self) -> list[int]:
        """The numbers of all columns that are not ignored."""
        keys = (self.run, self.topic, self.measure)
        return [*(at for at in keys if at is not None), *self.values]

    @classmethod
    def of(cls, names: Sequence[str], origin: str | None, line: int | None) -> _ScoreColumns:
        """Return the columns by their names; an error if these are not columns of scores."""
        lower = [name.lower() for name in names]
        listed = join_names([name or "''" for name in names], 20) or "none"
        places: dict[str, int | None] = {}
        for key, aliases in _NAMES.items():
            matching = [at for at, name in enumerate(lower) if name in aliases]
            if len(matching) > 1:
                both = " and ".join(quoted(names[at]) for at in matching[:2])
                raise FormatError(f"the columns {both} are both the {key}", origin, line)
            places[key] = matching[0] if matching else None
        topic = places["topic"]
        if topic is None:
            also = ", ".join(_NAMES["topic"][1:])
            reason = f"no column topic (or {also}) among {listed}; {_EXPECTED}"
            raise FormatError(reason, origin, line)
        documents = next((name for name in names if name.lower() in _DOCUMENTS), None)
        if documents is not None:
            reason = f"a column {quoted(documents)}, as runs and judgments have; expected scores"
            raise FormatError(reason, origin, line)
        values = {at: name for at, name in enumerate(names) if name and at not in places.values()}
        for at, name in values.items():
            if name in names[:at]:
                raise FormatError(f"there are two columns {quoted(name)}", origin, line)
        if not values or (places["measure"] is not None and len(values) > 1):
            expected = "only one with values" if values else "another with values"
            keys = "run, topic and measure" if places["measure"] is not None else "run and topic"
            reason = f"columns {listed}: expected {expected} besides {keys}"
            raise FormatError(reason, origin, line)
        return cls(topic, places["run"], places["measure"], values)

    def scores(self, row: Any, origin: str | None, line: int) -> Iterator[_GivenScore]:
        """Yield the scores of a row; a frame's rows are numbered from 0."""
        run = None if self.run is None else _name(row[self.run], "run", origin, line)
        topic = _name(row[self.topic], "topic", origin, line)
        for at, name in self.values.items():
            measure = name
            if self.measure is not None:
                measure = _name(row[self.measure], "measure", origin, line)
            value = _number(row[at])
            if value is None:
                reason = f"{quoted(row[at])} is not a number: expected a score by {quoted(measure)}"
                raise _wrong(reason, origin, line)
            yield _GivenScore(run, topic, measure, value, line)


def _name(cell: Any, key: str, origin: str | None, line: int) -> str:
    if isinstance(cell, int) and not isinstance(cell, bool):
        return str(cell)
    if _is_missing(cell):
        raise _wrong(f"no {key}: expected a name", origin, line)
    if not isinstance(cell, str):
        raise _wrong(f"{quoted(cell)} is no {key}: expected a name", origin, line)
    return cell.strip()


def _number(cell: Any) -> float | None:
    """Return a score, nan if it is undefined; None if it is not a finite number.

    >>> _number(" .5 "), _number(""), _number("half"), _number("1_000"), _number("inf")
    (0.5, nan, None, None, None)
    """
    if _is_missing(cell):
        return math.nan
    if isinstance(cell, str):
        if not cell.isascii() or "_" in cell:  # Python reads digits of all scripts, and 1_000
            return None
    elif not isinstance(cell, int | float) or isinstance(cell, bool):
        return None
    try:
        value = float(cell)
    except (ValueError, OverflowError):
        return None
    return None if math.isinf(value) else value


def _is_missing(cell: Any) -> bool:
    """Return whether a cell is empty; data frames have several ways to say so."""
    if isinstance(cell, str):
        return not cell.strip()
    return cell is None or type(cell).__name__ == "NAType" or bool(cell != cell)


def _wrong(reason: str, origin: str | None, line: int) -> FormatError:
    if origin is None:
        return FormatError(f"row {line} of the data frame: {reason}")
    return FormatError(reason, origin, line)


# From rows to a table


@dataclass
class _Collected:
    """The scores of all sources, by run, topic and measure, each with where it was given."""

    values: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    places: dict[tuple[str, str, str], str] = field(default_factory=dict)
    means: dict[tuple[str, str], float] = field(default_factory=dict)
    measures: dict[str, None] = field(default_factory=dict)
    topics: dict[str, int] = field(default_factory=dict)
    files: dict[str, set[str | None]] = field(default_factory=dict)

    def add(self, rows: Sequence[_GivenScore], source: RunInput) -> None:
        """Add the scores of a file or a data frame."""
        origin = source.file
        runs = dict.fromkeys(row.run for row in rows)
        if all(row.topic == _MEANS for row in rows):
            reason = "only means: expected the scores of topics" if rows else "no scores"
            raise FormatError(f"{reason}; evaluate writes them with --per-topic", origin)
        if source.name is not None and len(runs) > 1:
            listed = join_names([str(run) for run in runs], _MAX_TOPICS)
            reason = f"{len(runs)} runs ({listed}), which cannot all be {quoted(source.name)}"
            raise FormatError(reason, origin)
        for row in rows:
            run = source.name or row.run or ("run" if origin is None else name_of_file(origin))
            self.files.setdefault(run, set()).add(origin if len(runs) == 1 else None)
            self.measures.setdefault(row.measure)
            where = f"in row {row.line}" if origin is None else f"{origin}:{row.line}"
            key = run, row.topic, row.measure
            if key in self.places:
                score = f"{quoted(run)} for topic {quoted(row.topic)} by {quoted(row.measure)}"
                reason = f"the score of {score} is given twice, first {self.places[key]}"
                raise _wrong(reason, origin, row.line)
            self.places[key] = where
            if row.topic == _MEANS:
                self.means[run, row.measure] = row.value
                continue
            self.topics.setdefault(row.topic, len(self.topics))
            self.values.setdefault(run, {}).setdefault(row.topic, {})[row.measure] = row.value

    def table(self, lower_is_better: Iterable[str]) -> ScoreTable:
        """Return all scores as a table."""
        facts = [_facts(label) for label in self.measures]
        for name in lower_is_better:
            at = index_of_measure(facts, name)
            facts[at] = facts[at]._replace(higher_is_better=False)
        columns = {label: at for at, label in enumerate(self.measures)}
        cells = len(self.values) * len(columns) * len(self.topics)
        if cells > _LARGEST_TABLE and cells > 4 * len(self.places):
            raise FormatError(
                f"{plural(len(self.values), 'run')}, {plural(len(columns), 'measure')} and "
                f"{plural(len(self.topics), 'topic')}, but only {len(self.places):,} of "
                f"{cells:,} scores: expected most of them"
            )
        runs = []
        for run, by_topic in self.values.items():
            values = np.full((len(columns), len(self.topics)), np.nan)
            counted = np.zeros(len(self.topics), dtype=bool)
            for topic, scores in by_topic.items():
                counted[self.topics[topic]] = True
                for measure, value in scores.items():
                    values[columns[measure], self.topics[topic]] = value
            files = self.files[run]
            file = next(iter(files)) if len(files) == 1 else None
            missing = [topic for topic, at in self.topics.items() if not counted[at]]
            warnings = list(self._wrong_means(run, values[:, counted]))
            if missing:
                total, shown = plural(len(self.topics), "topic"), join_names(missing, _MAX_TOPICS)
                warnings.append(
                    f"no scores for {len(missing):,} of {total} ({shown}), which do not count for "
                    "this run"
                )
            runs.append(RunScores(run, values, counted, file, warnings=tuple(warnings)))
        return ScoreTable(tuple(facts), tuple(self.topics), tuple(runs))

    def _wrong_means(self, run: str, values: Any) -> Iterator[str]:
        """Yield a warning for each mean that was given but is not that of the topics."""
        for at, label in enumerate(self.measures):
            given, mean = self.means.get((run, label), math.nan), mean_of(values[at])
            if mean is not None and abs(given - mean) > _TOLERANCE:
                yield (
                    f"the mean by {label} is given as {given:.4f}, but that of the topics is "
                    f"{mean:.4f}, which is used"
                )


def _facts(label: str) -> MeasureFacts:
    """Return what is known about a measure by its name."""
    unknown = MeasureFacts(label, label, "", -math.inf, None)
    for duplicates in ("drop", "keep"):
        facts = unknown._replace(duplicates=duplicates)
        if facts.measure != label:
            unknown = facts
    try:
        measure = known_measure(unknown.measure)
    except SyntaxProblem:
        return unknown
    return unknown._replace(
        lowest=measure.facts.lowest,
        highest=measure.highest,
        higher_is_better=measure.facts.higher_is_better,
    )
