"""Where a report comes from: when, by what, and from which files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import NamedTuple

from doxeval.documents import current_manifest
from doxeval.errors import DoxevalError
from doxeval.files import date_of_sources
from doxeval.measures import Measure, known_measure
from doxeval.messages import plural
from doxeval.navigation import Navigation
from doxeval.scores import MeasureFacts, ScoreTable
from doxeval.version import __version__


class FileFacts(NamedTuple):
    """A file that was read: what it is for, its name, its size and its SHA-256.

    Of a directory, the hash is over the names and hashes of all files in it. What is neither a file
    nor a directory, such as a pipe, has none.
    """

    purpose: str
    path: str
    bytes: int | None = None
    sha256: str | None = None


@dataclass(frozen=True)
class Provenance:
    """Where a report comes from; what is not known is empty.

    navigation: the model of navigation of each measure that has one, by the measure's name.

    >>> Provenance(datetime(2026, 5, 4, 10, 30, tzinfo=UTC), "1.0").when
    '2026-05-04 10:30 UTC'
    """

    date: datetime | None = None
    version: str = ""
    command: str | None = None
    files: tuple[FileFacts, ...] = ()
    collection: str | None = None
    checksum: str | None = None
    navigation: tuple[tuple[str, str], ...] = ()

    @property
    def when(self) -> str:
        """The date and time in words."""
        return "" if self.date is None else f"{self.date.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def provenance_of(
    table: ScoreTable,
    *,
    date: datetime | None = None,
    command: str | None = None,
    others: Iterable[tuple[str, str]] = (),
    navigation: Navigation | None = None,
) -> Provenance:
    """Return where a report on a table comes from.

    `others` are further files that were read, each with what it is for. The date is now, unless it
    is given or the environment sets SOURCE_DATE_EPOCH, as builds do that are to be reproduced.

    >>> made = provenance_of(ScoreTable((), (), ()), date=datetime(2026, 5, 4, tzinfo=UTC))
    >>> made.when, made.files
    ('2026-05-04 00:00 UTC', ())
    """
    return Provenance(
        (date_of_sources() or datetime.now(UTC)) if date is None else date,
        __version__,
        command,
        tuple(file_facts(*file) for file in dict.fromkeys((*_files(table), *others))),
        table.collection,
        _checksum(table.collection),
        tuple(_navigation(table.measures, navigation)),
    )


def _files(table: ScoreTable) -> Iterator[tuple[str, str]]:
    for scores in table.runs:
        if scores.file is not None:
            yield "run", scores.file
    for origin in table.assessments:
        yield "assessments", origin


def _checksum(collection: str | None) -> str | None:
    if collection is None:
        return None
    try:
        return str(current_manifest(collection)["checksum"])
    except DoxevalError:  # it was there when the runs were scored, and is not any more
        return None


def file_facts(purpose: str, path: str) -> FileFacts:
    """Return a file with its size and hash.

    >>> import pathlib, tempfile
    >>> place = pathlib.Path(tempfile.mkdtemp()) / "a.run"
    >>> _ = place.write_bytes(b"hello")
    >>> facts = file_facts("run", str(place))
    >>> facts.bytes, facts.sha256[:12]
    (5, '2cf24dba5fb0')
    """
    try:
        if os.path.isdir(path):
            return FileFacts(purpose, path, *_of_directory(path))
        if os.path.isfile(path):
            return FileFacts(purpose, path, os.path.getsize(path), _sha256(path))
    except (OSError, ValueError):  # it was there when it was read; the report does not fail now
        pass
    return FileFacts(purpose, path)


def _sha256(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _of_directory(path: str) -> tuple[int, str]:
    """Return the size and hash of all files in a directory."""
    every = sorted(
        os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names
    )
    regular = [file for file in every if os.path.isfile(file)]
    lines = [f"{_sha256(file)}  {os.path.relpath(file, path)}\n" for file in regular]
    whole = hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
    return sum(os.path.getsize(file) for file in regular), whole


def _navigation(
    measures: Iterable[MeasureFacts], given: Navigation | None
) -> Iterator[tuple[str, str]]:
    for facts in measures:
        model = navigation_of(facts)
        if model is not None:
            is_given = given is not None and given.name == model
            yield facts.label, in_words(given) if is_given and given is not None else model


def navigation_of(facts: MeasureFacts) -> str | None:
    """Return the name of the model of navigation that a measure uses, if it takes one.

    >>> navigation_of(MeasureFacts("ESRR@10", "ESRR@10(nav=depth)", ""))
    'depth'
    """
    try:
        measure: Measure = known_measure(facts.measure)
    except DoxevalError:  # a measure of the user's own that is not registered
        return None
    nav = getattr(measure, "nav", None)
    return None if nav is None else str(nav)


def in_words(model: Navigation) -> str:
    """Return a model of navigation by its name and its parameters; of a large parameter, its size.

    >>> from doxeval.navigation.graph import SummaryNavigation
    >>> in_words(SummaryNavigation(partition={"sec": "a", "p": "b"}))
    'summary(partition: 2 entries, other=other)'
    """
    parameters = []
    for spec in fields(model):
        value = getattr(model, spec.name)
        if spec.name == "name" or not spec.init or value in (None, {}, ()):
            continue
        if isinstance(value, str | int | float):
            parameters.append(f"{spec.name}={value}")
        elif hasattr(value, "__len__"):
            entries = plural(len(value), "entry").replace("entrys", "entries")
            parameters.append(f"{spec.name}: {entries}")
    return f"{model.name}({', '.join(parameters)})" if parameters else model.name
