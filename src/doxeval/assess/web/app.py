"""The application: one table of all routes with who may use them, and the server that runs it."""

from __future__ import annotations

import errno
import hashlib
import os
import socket
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from doxeval.assess.choices import PORT
from doxeval.assess.web import api, auth, organise, pages
from doxeval.assess.web.auth import OF_A_TOPIC, OwnSiteOnly, SessionBackend, Who
from doxeval.assess.web.display import Display
from doxeval.assess.web.errors import answer_error
from doxeval.assess.web.find import Finder
from doxeval.assess.web.pictures import PictureFolder
from doxeval.assess.web.proxies import BehindProxies, Proxies
from doxeval.assess.web.rendering import FOREVER, Site
from doxeval.assess.web.requests import (
    BodyLimit,
    checked_id,
    parse_form,
    parse_message,
    parse_query,
    single_value,
)
from doxeval.assess.web.wire import (
    KeywordsRequest,
    TimeRequest,
    TopicRequest,
)
from doxeval.errors import InputError
from doxeval.messages import Parameter

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from doxeval.assess.db import Campaign

_PATIENCE = 10  # seconds for requests that are under way when the server stops


class Entry(NamedTuple):
    """A route: who may use it, the function that answers, and the type of JSON that is sent.

    The function gets the request, and the message if there is a type. It is a plain function that
    runs in a thread of its own, as the database may wait.
    """

    method: str
    path: str
    who: Who
    answer: Callable[..., Response]
    message: type[TopicRequest] | None = None


ROUTES = (
    Entry("GET", "/login", Who.ANYONE, auth.get_login),
    Entry("POST", "/login", Who.ANYONE, auth.post_login),
    Entry("POST", "/logout", Who.SIGNED_IN, auth.post_logout),
    Entry("GET", "/invitation", Who.ANYONE, auth.get_invitation),
    Entry("POST", "/invitation", Who.ANYONE, auth.post_invitation),
    Entry("GET", "/account", Who.SIGNED_IN, auth.get_account),
    Entry("POST", "/account/password", Who.SIGNED_IN, auth.post_password),
    Entry("GET", "/", Who.SIGNED_IN, pages.get_home),
    Entry("GET", "/colour.css", Who.ANYONE, pages.get_colour),
    Entry("GET", "/help", Who.SIGNED_IN, pages.get_help),
    Entry("GET", "/queue", Who.JUDGE, pages.get_queue),
    Entry("POST", "/queue/outside", Who.JUDGE, pages.post_outside),
    Entry("GET", "/article", Who.ASSESSOR, pages.get_article),
    Entry("GET", "/adjudicate", Who.ADJUDICATOR, pages.get_article),
    Entry("GET", "/organise", Who.ORGANISER, organise.get_organise),
    Entry("GET", "/organise/judgments", Who.ORGANISER, organise.get_judgments),
    Entry("GET", "/organise/judgment", Who.ORGANISER, organise.get_judgment),
    Entry("GET", "/api/judgment", Who.ORGANISER, api.get_judgment),
    Entry("GET", "/organise/exports", Who.ORGANISER, organise.get_exports),
    Entry("GET", "/organise/export", Who.ORGANISER, organise.get_export),
    Entry("POST", "/organise/settings", Who.ORGANISER, organise.post_settings),
    Entry("POST", "/organise/close", Who.ORGANISER, organise.post_close),
    Entry("POST", "/organise/reopen", Who.ORGANISER, organise.post_reopen),
    Entry("POST", "/organise/assign", Who.ORGANISER, organise.post_assign),
    Entry("POST", "/organise/unassign", Who.ORGANISER, organise.post_unassign),
    Entry("POST", "/organise/balance", Who.ORGANISER, organise.post_balance),
    Entry("POST", "/organise/users/import", Who.ADMIN, organise.post_import_users),
    Entry("POST", "/organise/users/invite", Who.ADMIN, organise.post_invite),
    Entry("POST", "/organise/users/withdraw", Who.ADMIN, organise.post_withdraw),
    Entry("POST", "/organise/users/add", Who.ADMIN, organise.post_add_user),
    Entry("POST", "/organise/users/reset", Who.ADMIN, organise.post_reset_password),
    Entry("POST", "/organise/users/disable", Who.ADMIN, organise.post_disable_user),
    Entry("POST", "/organise/users/enable", Who.ADMIN, organise.post_enable_user),
    Entry("GET", "/api/article", Who.JUDGE, api.get_article),
    Entry("GET", "/api/picture", Who.JUDGE, api.get_picture),
    Entry("POST", "/api/operations", Who.JUDGE, api.post_operations, api.UncheckedOperations),
    Entry("POST", "/api/time", Who.JUDGE, api.post_time, TimeRequest),
    Entry("POST", "/api/keywords", Who.TOPIC, api.post_keywords, KeywordsRequest),
    Entry("GET", "/api/find", Who.JUDGE, api.get_find),
    Entry("POST", "/api/outside", Who.JUDGE, api.post_outside, TopicRequest),
)


_NO_PROXIES = Proxies()


def create_app(
    campaign: Campaign,
    *,
    secure: bool = False,
    proxies: Proxies = _NO_PROXIES,
    assets: Path | None = None,
) -> Starlette:
    """Return the application of a campaign, as uvicorn and other servers run it.

    secure: it is served over TLS, by itself or behind a proxy, so that browsers send the session's
    cookie over TLS alone. proxies: those whose headers are believed. assets: the folder with the
    pictures of documents.
    """
    static = Assets()
    handlers = {HTTPException: answer_error, Exception: answer_error}
    application = Starlette(
        routes=[
            *(Route(entry.path, _endpoint(entry), methods=[entry.method]) for entry in ROUTES),
            Route("/static/{name}", static, methods=["GET"]),
        ],
        middleware=[
            Middleware(BehindProxies, proxies=proxies),
            Middleware(SecurityHeaders, secure=secure),
            Middleware(ExceptionMiddleware, handlers=handlers),  # of what all others raise
            Middleware(OwnSiteOnly, secure=secure),
            Middleware(BodyLimit),
            Middleware(AuthenticationMiddleware, backend=SessionBackend(campaign, proxies)),
        ],
        exception_handlers={HTTPException: answer_error},
    )
    application.state.site = Site(
        campaign,
        Finder(Display(campaign.collection, campaign.settings.display)),
        static.script,
        static.style,
        secure,
        None if assets is None else PictureFolder(assets),
    )
    return application


def _endpoint(entry: Entry) -> Callable[[Request], Awaitable[Response]]:
    """Return a route of Starlette: the request is checked and read, then answered in a thread."""

    async def endpoint(request: Request) -> Response:
        query = parse_query(request.url.query)
        auth.check_role(entry.who, request.auth)
        request.state.query, request.state.form = query, {}
        message: TopicRequest | None = None
        if entry.method == "POST":
            body, kind = await request.body(), request.headers.get("content-type", "")
            if entry.message is None:
                request.state.form = parse_form(body, kind)
            else:
                message = parse_message(body, kind, entry.message)
        return await run_in_threadpool(_answer, entry, request, message)

    return endpoint


def _answer(entry: Entry, request: Request, message: TopicRequest | None) -> Response:
    state = request.state
    if entry.who in OF_A_TOPIC:
        sent = {} if message is None else msgspec.structs.asdict(message)
        sent = {name: value for name, value in sent.items() if value is not msgspec.UNSET}
        topic, judge, document = (
            single_value(name, state.query, state.form, sent) for name in ("topic", "judge", "doc")
        )
        state.topic = checked_id(topic, "topic")
        state.judge = auth.judge_of(request, entry.who, state.topic, judge)
        state.document = document
    return entry.answer(request) if message is None else entry.answer(request, message)


class Assets(StaticFiles):
    """The script and the style of the pages, each under a name with a hash of its content."""

    def __init__(self) -> None:
        super().__init__(packages=[("doxeval.assess", "assets")])
        self.script, self.style = _hashed_name("assess.js"), _hashed_name("assess.css")
        self._names = {self.script: "assess.js", self.style: "assess.css"}

    def get_path(self, scope: Scope) -> str:
        """Return the name that a request is for."""
        return str(scope["path_params"]["name"])

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        """Return the file of a name that is served, and its size and times."""
        name = self._names.get(path)
        return ("", None) if name is None else super().lookup_path(name)

    def file_response(self, full_path: Any, *more: Any, **options: Any) -> Response:
        """Return a file, which never changes under its name."""
        response = super().file_response(full_path, *more, **options)
        response.headers["cache-control"] = FOREVER
        if os.fspath(full_path).endswith(".js"):  # older Pythons have another name for it
            response.headers["content-type"] = "text/javascript; charset=utf-8"
        return response


def _hashed_name(name: str) -> str:
    content = (Path(__file__).parents[1] / "assets" / name).read_bytes()
    stem, _, ending = name.partition(".")
    return f"{stem}-{hashlib.sha256(content).hexdigest()[:16]}.{ending}"


# Nothing but our own script and style runs; no page of another site may hold ours; scripts cannot
# turn text into HTML.
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
ALWAYS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class SecurityHeaders:
    """Adds to every answer, those to errors included, what browsers may do with it.

    Pages show what only the person at the screen may see, so no cache keeps them.
    """

    def __init__(self, app: ASGIApp, secure: bool = False) -> None:
        self.app = app
        self.added = ALWAYS | ({"strict-transport-security": "max-age=31536000"} if secure else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add the headers to its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(self.added)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self.app(scope, receive, send_with_headers)


def serve(
    campaign: Campaign,
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    tls: tuple[Path, Path] | None = None,
    secure: bool = False,
    proxies: Proxies = _NO_PROXIES,
    assets: Path | None = None,
    started: Callable[[str], object] | None = None,
) -> None:
    """Serve a campaign until the process is interrupted.

    tls: the files of a certificate and of its key. secure: a proxy in front of the server speaks
    TLS. proxies: those whose headers are believed. assets: the folder with the pictures of
    documents. port 0 takes a free one. `started` is called
    with the address once browsers can be sent there. A second server of the same campaign is
    refused.
    """
    import uvicorn

    with campaign.serving(), closing(_listening(host, port)) as listener:
        secure = secure or tls is not None
        config = uvicorn.Config(
            create_app(campaign, secure=secure, proxies=proxies, assets=assets),
            lifespan="off",
            ws="none",
            proxy_headers=False,  # BehindProxies reads them
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
