"""Engines by their names, opened for a while."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from urllib.parse import urlsplit

from doxeval.errors import EngineError, InputError
from doxeval.messages import Parameter
from doxeval.parallel import PATIENCE
from doxeval.parallel.engine import Engine, EngineGiven, Here

_PORT = 8786  # dask's own
_EXPECTED = "expected dask://HOST:PORT, tls://HOST:PORT or dask:FILE, a scheduler file"


@contextmanager
def open_engine(
    engine: EngineGiven | None,
    *,
    patience: float = PATIENCE,
    tell: Callable[[str], object] = lambda _: None,
) -> Iterator[Engine]:
    """An engine by its name, an executor as an engine, or None for this process.

    The name is "dask://HOST:PORT", "tls://HOST:PORT" (with the certificates that dask's own
    configuration names under distributed.comm.tls) or "dask:FILE" with the file that a scheduler
    wrote. A cluster may be without workers for `patience` seconds; `tell` is told what it waits
    for. A client of dask's that is connected already is taken as it is.

    >>> from doxeval.parallel.engine import Work
    >>> from doxeval.parallel.shared import Shared
    >>> with open_engine(None) as engine:
    ...     engine.map(Work(divmod, Shared.of(7)), [2, 3])
    [(3, 1), (2, 1)]
    >>> with open_engine("dask://"):
    ...     pass
    Traceback (most recent call last):
    doxeval.errors.InputError: engine='dask://': expected dask://HOST:PORT, tls://HOST:PORT or \
dask:FILE, a scheduler file
    """
    if engine is None:
        yield Here()
    elif isinstance(engine, Engine):
        yield engine
    elif isinstance(engine, Executor):
        from doxeval.parallel.executors import OnExecutor

        yield OnExecutor(engine)
    else:
        with _on_dask(engine, patience, tell) as on_dask:
            yield on_dask


@contextmanager
def _on_dask(engine: object, patience: float, tell: Callable[[str], object]) -> Iterator[Engine]:
    if not patience > 0:
        raise InputError(f"patience is {patience}: expected a number of seconds above 0")
    if isinstance(engine, str):
        address = address_of(engine)
        _import_dask()
        from doxeval.parallel.dask_connection import connected

        with connected(address, engine, patience, tell) as on_dask:
            yield on_dask
        return
    if not type(engine).__module__.startswith("distributed"):
        raise InputError(Parameter("engine", engine) + f": {_EXPECTED}, or an executor")
    from doxeval.parallel.dask_connection import borrowed

    with borrowed(engine, patience, tell) as on_dask:
        yield on_dask


def address_of(engine: str) -> str:
    """The address of a scheduler as dask writes it.

    >>> address_of("dask://head:8786"), address_of("dask://head"), address_of("tls://head:8786")
    ('tcp://head:8786', 'tcp://head:8786', 'tls://head:8786')
    """
    if engine.startswith("dask:") and not engine.startswith("dask://"):
        return _in_scheduler_file(engine.removeprefix("dask:"))
    try:
        parts = urlsplit(engine)
        host, port = parts.hostname, parts.port or _PORT
    except ValueError:  # a port that is no number
        host, port = None, 0
    protocol = {"dask": "tcp", "tcp": "tcp", "tls": "tls"}.get(engine.partition(":")[0])
    if protocol is None or not host or parts.path not in ("", "/") or "@" in parts.netloc:
        raise InputError(Parameter("engine", engine) + f": {_EXPECTED}")
    return f"{protocol}://{f'[{host}]' if ':' in host else host}:{port}"


def _in_scheduler_file(file: str) -> str:
    try:
        with open(file, encoding="utf-8-sig") as stream:
            address = json.load(stream)["address"]
    except OSError as error:
        reason = error.strerror or str(error)
        raise EngineError(f"{file}: no scheduler file can be read there: {reason}") from None
    except (ValueError, LookupError, TypeError, RecursionError):
        address = None
    if not isinstance(address, str):
        raise EngineError(f"{file}: this is no scheduler file of dask")
    return address


def _import_dask() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise EngineError(
            f"a cluster of dask needs the extra dask: pip install 'doxeval[dask]' ({error})"
        ) from None
