"""`--engine` and `--patience`: work on a cluster instead of on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.verb import refuse
from doxeval.parallel import PATIENCE

if TYPE_CHECKING:
    from doxeval.parallel import Engine

_ENGINE = click.option(
    "--engine",
    metavar="ADDRESS",
    help="A cluster of dask that does the work (needs the extra `dask`): dask://HOST:PORT, "
    "tls://HOST:PORT with the certificates of dask's own configuration (distributed.comm.tls, or "
    "DASK_DISTRIBUTED__COMM__TLS__… in the environment), or dask:FILE with the scheduler file. "
    "Workers need this version of doxeval, and must see all files at the same paths.",
)
_PATIENCE = click.option(
    "--patience",
    type=click.FloatRange(0, min_open=True),
    default=PATIENCE,
    show_default=True,
    metavar="SECONDS",
    help="With --engine: how long the cluster may be without workers.",
)


def engine_options(command: Any) -> Any:
    """`--engine ADDRESS` and `--patience SECONDS`."""
    return _ENGINE(_PATIENCE(command))


def check_engine(options: dict[str, Any]) -> None:
    """Refuse options that have no effect with the engine, or without one."""
    if options["engine"] is None:
        refuse({"patience"}, "goes with --engine")
    else:
        refuse({"jobs"}, "is for this machine; the workers of --engine are its own")


@contextmanager
def engine_of(options: dict[str, Any]) -> Iterator[Engine | None]:
    """The cluster that the options name, or None for this machine."""
    if options["engine"] is None:
        yield None
        return
    from doxeval.cli.terminal import note
    from doxeval.parallel import open_engine

    with open_engine(options["engine"], patience=options["patience"], tell=note) as engine:
        yield engine
