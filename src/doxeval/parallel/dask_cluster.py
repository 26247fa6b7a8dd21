"""A connected cluster of dask: its workers, and questions to them that never wait for ever.

Whoever waits looks from time to time whether the scheduler is still there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from doxeval.errors import EngineError
from doxeval.messages import Parameter

_Found = TypeVar("_Found")
# Only some of dask has types.
Client = Any
Future = Any

SECONDS_TO_CLOSE = 5.0
SECONDS_BETWEEN_LOOKS = 1.0


class Cluster:
    """A scheduler and its workers, through a client of dask; `shown` is what messages call it.

    It may be without workers for `patience` seconds; `tell` is told what it waits for.
    """

    def __init__(
        self, client: Client, shown: str, patience: float, tell: Callable[[str], object]
    ) -> None:
        self.client = client
        self.shown = shown
        self.patience = patience
        self._tell = tell

    def awaited_workers(self) -> dict[str, Any]:
        """All workers; while there are none, waiting for the first."""
        begun = time.monotonic()
        told = False
        while not (workers := self.workers()):
            if not told:
                self._tell(f"waiting for workers at {self.shown}")
                told = True
            if time.monotonic() - begun > self.patience:
                raise self.without_workers()
            time.sleep(min(SECONDS_BETWEEN_LOOKS, self.patience) / 5)
        return workers

    def workers(self) -> dict[str, Any]:
        """The workers that the scheduler knows, with facts about each."""
        self.refuse_lost_scheduler()
        found: dict[str, Any] = self._within(
            # Some versions of dask name only five workers unless they are asked for all.
            lambda: self.client.scheduler_info(n_workers=-1)["workers"],
            "the scheduler gave no answer",
        )
        return found

    def asked(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> dict[str, Any]:
        """What all workers answer, or those in `workers=`, by their addresses."""
        found: dict[str, Any] = self._within(
            lambda: self.client.run(function, *arguments, on_error="return", **named),
            "not all workers answered",
        )
        return found

    def _within(self, call: Callable[[], _Found], otherwise: str) -> _Found:
        """What a call returns if it does so in time; the scheduler may be lost during the call."""
        answers: SimpleQueue[tuple[_Found | None, Exception | None]] = SimpleQueue()

        def work() -> None:
            try:
                answers.put((call(), None))
            except Exception as error:  # raised where the answer is awaited
                answers.put((None, error))

        threading.Thread(target=work, daemon=True).start()
        deadline = time.monotonic() + self.patience
        while True:
            try:
                found, error = answers.get(timeout=min(SECONDS_BETWEEN_LOOKS, self.patience))
            except Empty:
                self.refuse_lost_scheduler()
                if time.monotonic() > deadline:
                    problem = f"{self.shown}: {otherwise} for {self.patience:g} s ("
                    raise EngineError(problem + Parameter("patience") + ")") from None
                continue
            if error is None:
                return found  # type: ignore[return-value]
            self.refuse_lost_scheduler(SECONDS_TO_CLOSE)
            raise EngineError(f"{self.shown}: {type(error).__name__}: {error}") from error

    def refuse_lost_scheduler(self, seconds: float = 0) -> None:
        """Raise an error if the scheduler is lost, or turns out to be within some seconds."""
        deadline = time.monotonic() + seconds
        while True:
            if self.client.status != "running":
                raise EngineError(f"the scheduler at {self.shown} was lost")
            if time.monotonic() >= deadline:
                return
            time.sleep(0.05)

    def without_workers(self) -> EngineError:
        """The error that there were no workers for too long."""
        return EngineError(
            f"there was no worker at {self.shown} for {self.patience:g} s ("
            + Parameter("patience")
            + ")"
        )

    def cancel(self, futures: list[Future]) -> None:
        """Have the cluster forget tasks."""
        if self.client.status == "running":
            with suppress(Exception):  # the scheduler may be lost just now
                self.client.cancel(futures, force=False)


def worker_name(address: str, facts: dict[str, Any]) -> str:
    """What messages call a worker.

    >>> worker_name("tcp://10.0.0.7:4711", {"name": "w1"})
    '10.0.0.7:4711 (w1)'
    """
    name = facts.get("name")
    plain = address.partition("://")[2] or address
    return plain if name in (None, address) else f"{plain} ({name})"


def is_lost(answer: Any) -> bool:
    """Whether a worker was lost while it was asked: the others will do its work."""
    return isinstance(answer, OSError)
