"""The runs that a pool is made of: read, named and hashed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from doxeval.assessments import Assessments
from doxeval.errors import InputError, SourceError
from doxeval.messages import truncate
from doxeval.pooling.pool import PooledRun
from doxeval.runs import Run, RunGiven, as_run, is_one_run, not_a_run_error, read_run
from doxeval.scores import distinct_names

RunSource = RunGiven

# Runs one after another, some of them with names; or all by name.
RunSources = Iterable[RunSource | tuple[str | None, RunSource]] | Mapping[str, RunSource]


class NamedRuns(NamedTuple):
    """Runs under distinct names, and what a pool says about each."""

    runs: tuple[Run, ...]
    facts: tuple[PooledRun, ...]


def named_runs(given: RunSources, ends: bool) -> NamedRuns:
    """Read runs. Each has the name that it is given, in a mapping or a pair, or else its own id.

    Runs with the same id are told apart by their files, or by number.

    >>> from doxeval.runs import Run
    >>> named_runs([Run.from_dict({"7": ["a"]}, "mine")] * 2, False).facts
    (PooledRun('mine', results=1), PooledRun('mine #2', results=1))
    """
    several: Any = [given] if is_one_run(given) else given
    if not isinstance(several, Iterable) or isinstance(several, Assessments):
        raise not_a_run_error(several)
    pairs = several.items() if isinstance(several, Mapping) else map(_pair, several)
    read = [_read(source, name, ends) for name, source in pairs]
    if not read:
        raise InputError("there are no runs to pool")
    names = distinct_names([(run.run_id, facts.file) for run, facts in read])
    return NamedRuns(
        tuple(run.with_id(name) for (run, _), name in zip(read, names, strict=True)),
        tuple(
            PooledRun(name, facts.results, facts.file, facts.sha256)
            for (_, facts), name in zip(read, names, strict=True)
        ),
    )


def _pair(given: RunSource | tuple[str | None, RunSource]) -> tuple[str | None, RunSource]:
    return given if isinstance(given, tuple) and len(given) == 2 else (None, given)


def _read(source: RunSource, name: str | None, ends: bool) -> tuple[Run, PooledRun]:
    # The hash comes first, so that a file which changes later never matches it.
    if isinstance(source, str | os.PathLike):
        file: str | None = os.fspath(source)
        digest = sha256_of(file) if file is not None else None
        run = read_run(source, ends=ends)
    elif isinstance(source, Run):
        run, file = source, source.origin
        digest = None if file is None else sha256_of(file)
    else:
        run, file, digest = as_run(source), None, None
    named = run if name is None else run.with_id(str(name))
    return named, PooledRun(named.run_id, len(named), file, digest)


def place_of(run: Run) -> str:
    """What a message calls a run: its file, or else its name.

    >>> place_of(Run.from_dict({"7": ["a"]}, "mine"))
    'mine'
    """
    return truncate(run.origin or run.run_id, 200)


def sha256_of(file: str) -> str | None:
    """The SHA-256 of a file; None if it is not a file (any more), such as a pipe.

    >>> sha256_of("/dev/null") is None
    True
    """
    try:
        if not os.path.isfile(file):
            return None
        with open(file, "rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(error.strerror or str(error), file) from error
    except ValueError:  # a null character or a lone surrogate in the name
        return None
