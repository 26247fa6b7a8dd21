"""The application: all routes, each behind its guard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from doxeval.assess.web import api, exporting, organise, pages, signing_in, users
from doxeval.assess.web.asked import Site
from doxeval.assess.web.display import checked_display
from doxeval.assess.web.find import Finder
from doxeval.assess.web.guard import Answer, guarded
from doxeval.assess.web.headers import ALWAYS, SecurityHeaders
from doxeval.assess.web.problems import TITLES, Problem
from doxeval.assess.web.refusals import answer_to, refused
from doxeval.assess.web.roles import WHO_MAY
from doxeval.assess.web.static import read_assets

if TYPE_CHECKING:
    from doxeval.assess.db import Campaign

ANSWERS: Mapping[str, Answer] = {
    "GET /static/{name}": pages.get_static,
    "GET /login": signing_in.get_login,
    "POST /login": signing_in.post_login,
    "POST /logout": signing_in.post_logout,
    "GET /": pages.get_home,
    "GET /help": pages.get_help,
    "GET /account": signing_in.get_account,
    "POST /account/password": signing_in.post_password,
    "GET /queue": pages.get_queue,
    "POST /queue/outside": pages.post_outside,
    "GET /article": pages.get_article,
    "GET /adjudicate": pages.get_article,
    "GET /organise": organise.get_organise,
    "GET /organise/exports": exporting.get_exports,
    "GET /organise/export": exporting.get_export,
    "POST /organise/close": organise.post_close,
    "POST /organise/reopen": organise.post_reopen,
    "POST /organise/assign": organise.post_assign,
    "POST /organise/unassign": organise.post_unassign,
    "POST /organise/users/add": users.post_add,
    "POST /organise/users/reset": users.post_reset,
    "POST /organise/users/disable": users.post_disable,
    "POST /organise/users/enable": users.post_enable,
    "GET /api/article": api.get_article,
    "POST /api/operations": api.post_operations,
    "POST /api/time": api.post_time,
    "GET /api/keywords": api.get_keywords,
    "POST /api/keywords": api.post_keywords,
    "GET /api/queue": api.get_queue,
    "GET /api/find": api.get_find,
    "POST /api/outside": api.post_outside,
}


def create_app(campaign: Campaign, *, secure: bool = False) -> Starlette:
    """The application of a campaign, as uvicorn and other servers run it.

    secure: it is served over TLS, by itself or behind a proxy, so that browsers send the session's
    cookie over TLS alone.
    """
    display = checked_display(campaign.settings.display)
    site = Site(campaign, Finder(campaign.collection, display), read_assets(), secure)

    def unknown(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        sentence = "Check the address." if status == 404 else TITLES.get(status, "") + "."
        return answer_to(Problem(status, sentence, "address"), site, request.url.path)

    def failed(request: Request, error: Exception) -> Response:
        answer = answer_to(refused(error), site, request.url.path)
        answer.headers.update(ALWAYS)  # this answer is made outside of all middleware
        return answer

    return Starlette(
        routes=_routes(site),
        middleware=[Middleware(SecurityHeaders, secure=secure)],
        exception_handlers={HTTPException: unknown, Exception: failed},
    )


def _routes(site: Site) -> list[Route]:
    """A route for every answer; one without an entry in the table of roles is an error."""
    routes = []
    for name, answer in ANSWERS.items():
        method, path = name.split()
        routes.append(Route(path, guarded(site, WHO_MAY[name], answer), methods=[method]))
    return routes
