"""Whether workers can do the work: all that is wrong is told at once, and by worker.

First come the versions, asked for by functions of the standard library alone, so that a worker
without doxeval answers, too. Then workers with the right versions go through the check of the work
itself, such as whether they see the same collection.
"""

from __future__ import annotations

import pkgutil
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from doxeval.messages import truncate
from doxeval.parallel.shared import Shared

_MOST_TOLD = 10


class Ask(NamedTuple):
    """What to call on all workers to learn the version of something, and how much of it matters."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    parts: int | None

    def answer(self) -> str:
        """The version here."""
        return str(self.function(*self.arguments))

    def problem(self, there: Any, here: str) -> str | None:
        """What is wrong with the answer of a worker, which may be an exception.

        >>> ASKED[1].problem("3.10.2", "3.12.1")
        'Python is 3.10.2 there and 3.12.1 here'
        """
        if isinstance(there, Exception):
            return f"{self.name} cannot be imported there ({there})"
        if self._relevant(str(there)) != self._relevant(here):
            return f"{self.name} is {there} there and {here} here"
        return None

    def _relevant(self, version: str) -> list[str]:
        return version.split(".")[: self.parts]


# Values are pickled for workers: other versions of Python or NumPy may not read them.
ASKED = (
    Ask("doxeval", pkgutil.resolve_name, ("doxeval:__version__",), None),
    Ask("Python", platform.python_version, (), 2),
    Ask("NumPy", pkgutil.resolve_name, ("numpy:__version__",), 1),
)


@cache
def own_versions() -> tuple[str, ...]:
    """The versions in this process.

    >>> len(own_versions())
    3
    """
    return tuple(ask.answer() for ask in ASKED)


def versions_differ(expected: Sequence[str]) -> tuple[str, ...]:
    """What is wrong with the versions in this process, if it is a worker.

    >>> versions_differ(own_versions())
    ()
    """
    if tuple(expected) == own_versions():
        return ()
    compared = zip(ASKED, own_versions(), expected, strict=True)
    found = [ask.problem(there, here) for ask, there, here in compared]
    return tuple(problem for problem in found if problem is not None)


def problems_here(check: Shared) -> tuple[str, ...]:
    """What a check finds wrong with this process.

    >>> problems_here(Shared.of(tuple))
    ()
    """
    try:
        return tuple(check.value())
    except Exception as error:  # the answer is a sentence, whatever goes wrong
        return (str(error) or type(error).__name__,)


def in_words(problems: Mapping[str, Sequence[str]], workers: int) -> str:
    """All that is wrong, by worker; workers with the same problems stand together.

    >>> in_words({"a": ["no disk"], "b": ["no disk"]}, 3)
    '2 of 3 workers cannot do this work: a, b: no disk'
    """
    alike: dict[tuple[str, ...], list[str]] = {}
    for worker, found in problems.items():
        alike.setdefault(tuple(found), []).append(worker)
    told = [f"{_some(names)}: {_some(found, '; ')}" for found, names in alike.items()]
    count = f"{len(problems)} of {workers} workers" if workers > 1 else "the only worker"
    return f"{count} cannot do this work: {_some(told, '; ')}"


def _some(texts: Iterable[str], between: str = ", ") -> str:
    told = [truncate(text, 1000) for text in texts]
    more = len(told) - _MOST_TOLD
    return between.join(told[:_MOST_TOLD]) + (f" and {more} more" if more > 0 else "")
