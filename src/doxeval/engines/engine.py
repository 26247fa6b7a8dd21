"""What an engine is, and the simplest one: this process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from typing import Any

from doxeval.engines.outcomes import Check, Outcome, Task, outcome_of
from doxeval.engines.shared import Shared
from doxeval.errors import EngineError
from doxeval.wording import brief

Progress = Callable[[int], object]


class Engine(ABC):
    """Carries out a task for each of many items: `task(value, item)`, with a value they share.

    Tasks are functions of modules that workers can import. A worker passes the `check` before its
    first task, or the whole work ends with an error that names the worker and what is wrong there.
    Tasks of lost workers are carried out elsewhere if the engine can do so; nothing else is
    repeated. `name` says what to call an item in a message.

    >>> Here().map(divmod, [2, 3], shared=Shared.of(7))
    [(3, 1), (2, 1)]
    """

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """A value that tasks on this engine share; workers prepare it when they receive it."""
        return Shared.of(value, prepare)

    @abstractmethod
    def outcomes(
        self,
        task: Task,
        items: Iterable[Any],
        *,
        shared: Shared,
        check: Check | None = None,
        name: Callable[[Any], str] = brief,
        bounded: bool = False,
    ) -> Iterator[tuple[int, Outcome]]:
        """The outcomes with the numbers of their items, as they come.

        If `bounded`, items are taken from their iterator no faster than workers are free for them.
        """

    def map(
        self,
        task: Task,
        items: Iterable[Any],
        *,
        shared: Shared,
        check: Check | None = None,
        name: Callable[[Any], str] = brief,
        progress: Progress = lambda _: None,
        each: Callable[[int, Any], object] = lambda number, result: None,
    ) -> list[Any]:
        """All results in the order of the items; of several errors, the first in that order.

        Only an error of the engine itself is raised as soon as it comes. `progress` is told of
        each finished task, and `each` gets the number of its item with the result.
        """
        found: dict[int, Outcome] = {}
        wrong: int | None = None
        for number, outcome in self.outcomes(task, items, shared=shared, check=check, name=name):
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

    def stream(
        self,
        task: Task,
        items: Iterable[Any],
        *,
        shared: Shared,
        check: Check | None = None,
        name: Callable[[Any], str] = brief,
    ) -> Iterator[tuple[int, Any]]:
        """The results with the numbers of their items, as they come; the first error is raised.

        >>> list(Here().stream(divmod, iter([2, 3]), shared=Shared.of(7)))
        [(0, (3, 1)), (1, (2, 1))]
        """
        found = self.outcomes(task, items, shared=shared, check=check, name=name, bounded=True)
        for number, outcome in found:
            yield number, outcome.result()


class Here(Engine):
    """In this process, one item after another.

    >>> Here().map(divmod, [], shared=Shared.of(7))
    []
    """

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """The value itself."""
        return Shared.here(value)

    def outcomes(
        self,
        task: Task,
        items: Iterable[Any],
        *,
        shared: Shared,
        check: Check | None = None,
        name: Callable[[Any], str] = brief,
        bounded: bool = False,
    ) -> Iterator[tuple[int, Outcome]]:
        """The outcomes in the order of the items; there are no workers to check."""
        for number, item in enumerate(items):
            yield number, outcome_of(task, shared.value, item)


# What `engine=` takes: a name, an executor, a client of dask's, or an engine that is open already.
EngineGiven = str | Executor | Engine | Any
