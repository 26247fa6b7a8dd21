"""What an engine is, and the simplest one: this process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from typing import Any, NamedTuple

from doxeval.errors import EngineError
from doxeval.messages import quoted
from doxeval.parallel.outcomes import Check, Outcome, Task, outcome_of
from doxeval.parallel.shared import Shared

Progress = Callable[[int], object]


class Work(NamedTuple):
    """What is to be done for each item: `task(value, item)`, with a value that all tasks share.

    Tasks are functions of modules that workers can import. A worker passes the `check` before its
    first task, or the whole work ends with an error that names the worker and what is wrong there.
    `name` says what to call an item in a message.

    >>> Work(divmod, Shared.of(7)).name("a.run")
    "'a.run'"
    """

    task: Task
    shared: Shared
    check: Check | None = None
    name: Callable[[Any], str] = quoted

    @property
    def packed_check(self) -> Shared | None:
        """The check as workers receive it."""
        return None if self.check is None else Shared.of(self.check)


class Engine(ABC):
    """Carries out work for each of many items.

    Tasks of lost workers are carried out elsewhere if the engine can do so; nothing else is
    repeated.

    >>> Here().map(Work(divmod, Shared.of(7)), [2, 3])
    [(3, 1), (2, 1)]
    """

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """A value that tasks on this engine share; workers prepare it when they receive it."""
        return Shared.of(value, prepare)

    @abstractmethod
    def outcomes(
        self, work: Work, items: Iterable[Any], *, bounded: bool = False
    ) -> Iterator[tuple[int, Outcome]]:
        """The outcomes with the numbers of their items, as they come.

        If `bounded`, items are taken from their iterator no faster than workers are free for them.
        """

    def map(
        self,
        work: Work,
        items: Iterable[Any],
        *,
        progress: Progress = lambda _: None,
        each: Callable[[int, Any], object] = lambda number, result: None,
    ) -> list[Any]:
        """All results in the order of the items; of several errors, the first in that order.

        Only an error of the engine itself is raised as soon as it comes. `progress` is told of
        each finished task, and `each` gets the number of its item with the result.
        """
        found: dict[int, Outcome] = {}
        wrong: int | None = None
        for number, outcome in self.outcomes(work, items):
            found[number] = outcome
            progress(1)
            if outcome.error is None:
                each(number, outcome.value)
            if isinstance(outcome.error, EngineError):  # no fault of the input
                outcome.result()
            if outcome.error is not None:
                wrong = number if wrong is None else min(number, wrong)
            if wrong is not None and all(earlier in found for earlier in range(wrong)):
                break
        if wrong is not None:
            found[wrong].result()
        return [found[number].value for number in range(len(found))]


class Here(Engine):
    """In this process, one item after another.

    >>> Here().map(Work(divmod, Shared.of(7)), [])
    []
    """

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """The value itself."""
        return Shared.here(value)

    def outcomes(
        self, work: Work, items: Iterable[Any], *, bounded: bool = False
    ) -> Iterator[tuple[int, Outcome]]:
        """The outcomes in the order of the items; there are no workers to check."""
        for number, item in enumerate(items):
            yield number, outcome_of(work.task, work.shared.value, item)


# What `engine=` takes: a name, an executor, a client of dask's, or an engine that is open already.
EngineGiven = str | Executor | Engine | Any
