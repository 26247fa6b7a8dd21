"""Connecting to a cluster of dask, with nothing of its logging on the terminal."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import distributed as dask_distributed

from doxeval.errors import EngineError, InputError
from doxeval.messages import truncate
from doxeval.parallel.dask_calls import marked_as_home, quiet_warnings
from doxeval.parallel.dask_cluster import SECONDS_TO_CLOSE, Client, Cluster
from doxeval.parallel.dask_engine import OnDask

distributed: Any = dask_distributed  # only some of dask has types

_SECONDS_TO_CONNECT = 10.0
_LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado", "asyncio")


@contextmanager
def connected(
    address: str, shown: str, patience: float, tell: Callable[[str], object]
) -> Iterator[OnDask]:
    """A connection to the scheduler at an address, closed at the end."""
    with _quiet_logs(), marked_as_home():
        client = _client(address, shown, min(patience, _SECONDS_TO_CONNECT))
        try:
            yield OnDask(Cluster(client, shown, patience, tell))
        finally:
            with suppress(Exception):  # there may be nobody left to say goodbye to
                client.close(timeout=SECONDS_TO_CLOSE)


@contextmanager
def borrowed(client: Any, patience: float, tell: Callable[[str], object]) -> Iterator[OnDask]:
    """A client of the user's own, which stays open."""
    if client.asynchronous:
        raise InputError("the engine is an asynchronous client of dask: expected a synchronous one")
    with _quiet_logs(), marked_as_home():
        yield OnDask(Cluster(client, str(client.scheduler.address), patience, tell))


def _client(address: str, shown: str, seconds: float) -> Client:
    if address.startswith("tls://") and not _has_certificates():
        raise EngineError(
            f"{shown} needs certificates: dask's own configuration names them under "
            "distributed.comm.tls (ca-file, client.cert and client.key)"
        )
    try:
        with quiet_warnings():
            return distributed.Client(
                address, timeout=seconds, set_as_default=False, name="doxeval"
            )
    except Exception as error:  # dask, tornado and ssl raise all kinds of errors
        cause = "" if "Timed out" in str(error) else f" ({type(error).__name__}: {error})"
        problem = f"no scheduler at {shown} answered within {seconds:g} s"
        raise EngineError(truncate(problem + cause, 1000)) from error


def _has_certificates() -> bool:
    try:
        settings = distributed.Security().get_connection_args("client")
    except OSError as error:
        raise EngineError(
            f"a certificate of distributed.comm.tls cannot be read: {error}"
        ) from None
    return settings.get("ssl_context") is not None


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """What dask would log is told by errors; nothing else reaches the terminal."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [(logger, logger.handlers, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.handlers, logger.propagate = [logging.NullHandler()], False
    try:
        yield
    finally:
        for logger, handlers, propagates in before:
            logger.handlers, logger.propagate = handlers, propagates
