"""Scores of an earlier evaluation, read from the JSON that `doxeval evaluate` writes."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from doxeval.errors import FormatError
from doxeval.files import open_input, parsed_json, read_up_to
from doxeval.messages import quoted
from doxeval.scores import ScoreTable, plain_values

_LARGEST = 1 << 30
_EXPECTED = "expected the JSON that `doxeval evaluate --format json` writes"


@dataclass(frozen=True)
class EarlierRun:
    """The scores of one run by label: its means, and those of each topic if the file has them."""

    means: Mapping[str, float | None]
    topics: Mapping[str, Mapping[str, float | None]] | None = None


@dataclass(frozen=True)
class EarlierScores:
    """What an earlier evaluation found.

    canonical: for each label, the measure's name with all parameters.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores
    >>> facts = MeasureFacts("P", "P(x=1)", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, 0.25]]), np.ones(2, dtype=bool)),)
    >>> earlier = EarlierScores.of(ScoreTable((facts,), ("7", "8"), runs))
    >>> earlier.canonical, earlier.runs["mine"].means
    ({'P': 'P(x=1)'}, {'P': 0.375})
    """

    canonical: Mapping[str, str]
    runs: Mapping[str, EarlierRun]
    file: str | None = None

    @classmethod
    def of(cls, table: ScoreTable) -> EarlierScores:
        """The scores of a table."""
        return _scores(plain_values(table), None)

    def label_of(self, canonical: str) -> str | None:
        """The label here of the measure with this full name."""
        return next((one for one, full in self.canonical.items() if full == canonical), None)


def read_earlier(path: str | os.PathLike[str]) -> EarlierScores:
    """The scores in a file of JSON that `doxeval evaluate` wrote.

    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "last.json"
    >>> run = '{"run": "mine", "mean": {"P": 0.5}}'
    >>> _ = file.write_text('{"canonical": {"P": "P"}, "runs": [' + run + ']}')
    >>> read_earlier(file).runs["mine"].topics is None
    True
    """
    name = os.fspath(path)
    with open_input(name) as file:
        contents = read_up_to(file, _LARGEST)
    if len(contents) > _LARGEST:
        raise FormatError(f"more than {_LARGEST:,} bytes; {_EXPECTED}", name)
    try:
        value = parsed_json(contents)
    except ValueError:
        raise FormatError(f"not JSON; {_EXPECTED}", name) from None
    return _scores(value, name)


def _scores(value: Any, name: str | None) -> EarlierScores:
    found = _object(value, name)
    canonical = _object(found.get("canonical"), name)
    runs = found.get("runs")
    if not isinstance(runs, list) or not all(isinstance(one, str) for one in canonical.values()):
        raise FormatError(_EXPECTED, name)
    return EarlierScores(canonical, dict(_runs(runs, name)), name)


def _runs(runs: list[Any], name: str | None) -> Iterator[tuple[str, EarlierRun]]:
    seen: set[str] = set()
    for each in runs:
        run = _object(each, name)
        label = run.get("run")
        if not isinstance(label, str):
            raise FormatError(f"a run without a name; {_EXPECTED}", name)
        if label in seen:
            raise FormatError(f"two runs are called {quoted(label)}", name)
        seen.add(label)
        topics = run.get("topics")
        by_topic = None if topics is None else _by_topic(_object(topics, name), name)
        yield label, EarlierRun(_numbers(run.get("mean"), name), by_topic)


def _by_topic(topics: Mapping[str, Any], name: str | None) -> dict[str, Mapping[str, float | None]]:
    return {topic: _numbers(values, name) for topic, values in topics.items()}


def _numbers(values: Any, name: str | None) -> Mapping[str, float | None]:
    """Scores by label; anything but a finite number or null is an error."""
    found = _object(values, name)
    for label, value in found.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (is_number and math.isfinite(value)):
            raise FormatError(f"{quoted(value)} is no score by {quoted(label)}; {_EXPECTED}", name)
    return found


def _object(value: Any, name: str | None) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise FormatError(_EXPECTED, name)
    return value
