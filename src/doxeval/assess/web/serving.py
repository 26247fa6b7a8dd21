"""The server: one process, which stops in good order."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from doxeval.assess.web.app import create_app
from doxeval.errors import InputError
from doxeval.messages import Parameter

if TYPE_CHECKING:
    import uvicorn

    from doxeval.assess.db import Campaign

PORT = 8765
_PATIENCE = 10  # seconds for requests that are under way when the server stops


def serve(
    campaign: Campaign,
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    tls: tuple[Path, Path] | None = None,
    secure: bool = False,
    started: Callable[[str], object] | None = None,
) -> None:
    """Serve a campaign until the process is interrupted.

    tls: the files of a certificate and of its key. secure: a proxy in front of the server speaks
    TLS. port 0 takes a free one. `started` is called with the address once browsers can be sent
    there. A second server of the same campaign is refused.
    """
    import uvicorn

    with campaign.serving(), closing(_listening(host, port)) as listener:
        secure = secure or tls is not None
        config = uvicorn.Config(
            create_app(campaign, secure=secure),
            lifespan="off",
            ws="none",
            proxy_headers=False,  # anybody can write what they like into these headers
            server_header=False,
            date_header=True,
            access_log=False,
            log_config=None,
            timeout_graceful_shutdown=_PATIENCE,
            h11_max_incomplete_event_size=64 << 10,
            ssl_certfile=None if tls is None else os.fspath(tls[0]),
            ssl_keyfile=None if tls is None else os.fspath(tls[1]),
        )
        _load(config, tls)
        server = uvicorn.Server(config)
        if started is not None:
            started(address_of(listener, "https" if tls else "http"))
        server.run(sockets=[listener])


def _load(config: uvicorn.Config, tls: tuple[Path, Path] | None) -> None:
    """Read the certificate now, so that a wrong one is an error with a sentence."""
    import ssl

    try:
        config.load()
    except (OSError, ssl.SSLError) as error:
        where = None if tls is None else str(tls[0])
        raise InputError(f"the certificate or its key cannot be used: {error}", where) from None


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens; if the port is taken, the error says so."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    if not 0 <= port <= 65535:
        raise InputError(Parameter("port", port) + ": expected 0 to 65535")
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise InputError(_why_not(error, host, port)) from None
    return listener


def _why_not(error: OSError, host: str, port: int) -> str:
    place = f"port {port} on {host}"
    if error.errno == errno.EADDRINUSE:
        return f"{place} is taken by another program; choose another with " + Parameter("port")
    if error.errno == errno.EACCES:
        return f"{place} needs more rights; choose one above 1023 with " + Parameter("port")
    return f"cannot listen on {host}, port {port}: {error.strerror or error}"


def address_of(listener: socket.socket, scheme: str = "http") -> str:
    """The address of a listening socket, as browsers write it.

    >>> with closing(socket.create_server(("127.0.0.1", 0))) as listener:
    ...     address_of(listener)[:17]
    'http://127.0.0.1:'
    """
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)  # noqa: S104
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
