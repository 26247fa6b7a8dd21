"""What stands before every route: where a request comes from, who asks, and what was sent.

The functions behind it are plain functions. They run in a thread each, as the database may wait.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from doxeval.assess.web.asked import Asked, Site, given_id
from doxeval.assess.web.bodies import (
    MOST_FIELDS,
    MOST_FORM,
    MOST_JSON,
    parse_form,
    parse_json,
    read_body,
)
from doxeval.assess.web.cookies import token_in
from doxeval.assess.web.csrf import SAFE_METHODS, refuse_other_sites
from doxeval.assess.web.problems import Problem
from doxeval.assess.web.refusals import answer_to, refused
from doxeval.assess.web.roles import OF_A_TOPIC, Who, judge_of, refuse_role

if TYPE_CHECKING:
    from doxeval.assess.db import User

Answer = Callable[[Asked], Response]
log = logging.getLogger("doxeval.assess")


def guarded(site: Site, who: Who, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    """A route of Starlette: the checks, and behind them a function that answers."""

    async def route(request: Request) -> Response:
        try:
            asked = await _checked(site, who, request)
            return await run_in_threadpool(answer, asked)
        except ClientDisconnect:
            return Response(status_code=400)
        except Exception as error:  # no request ends without an answer
            told = error if isinstance(error, Problem) else refused(error)
            return await run_in_threadpool(answer_to, told, site, request.url.path, _way(request))

    return route


def _way(request: Request) -> str:
    """Where to go back to after signing in: what was asked for, if asking again changes nothing."""
    if request.method not in SAFE_METHODS:
        return "/"
    query = request.url.query
    return f"{request.url.path}?{query}" if query else request.url.path


async def _checked(site: Site, who: Who, request: Request) -> Asked:
    """The request, if it may be answered; the cheapest checks come first."""
    refuse_other_sites(request.method, request.headers, site.secure)
    query = _query(request)
    token = token_in(request.headers.get("cookie"))
    user = await run_in_threadpool(_user, site, token)
    refuse_role(who, user)
    fields, body = await _sent(request)
    asked = Asked(
        site=site,
        method=request.method,
        path=request.url.path,
        query=query | request.path_params,
        address=request.client.host if request.client else "",
        token=token,
        user=user,
        fields=fields,
        body=body,
    )
    if who not in OF_A_TOPIC or user is None:
        return asked
    return await run_in_threadpool(_with_judge, asked, who, user)


def _user(site: Site, token: str | None) -> User | None:
    """Who has the session with this token, unless they were disabled."""
    session = site.campaign.session(token) if token else None
    return None if session is None else session.user


def _query(request: Request) -> dict[str, str]:
    """The parameters of an address; each may be there once."""
    try:
        pairs = parse_qsl(
            request.url.query, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise Problem(400, "The address cannot be read.", "address") from None
    query = dict(pairs)
    if len(query) < len(pairs):
        raise Problem(400, "The address has a parameter twice.", "address")
    return query


async def _sent(request: Request) -> tuple[dict[str, str], Any]:
    """The fields of a form, or the JSON sent to one of the addresses for programs."""
    if request.method in SAFE_METHODS:
        return {}, None
    is_form = not is_for_programs(request.url.path)
    declared = request.headers.get("content-length")
    body = await read_body(request.stream(), declared, MOST_FORM if is_form else MOST_JSON)
    kind = request.headers.get("content-type", "")
    if is_form and not body:
        return {}, None
    return (parse_form(body, kind), None) if is_form else ({}, parse_json(body, kind))


def is_for_programs(path: str) -> bool:
    """Whether an address answers in JSON."""
    return path.startswith("/api/")


def _with_judge(asked: Asked, who: Who, user: User) -> Asked:
    """The request with its topic, and as whom the user works on it."""
    judge = asked.given("judge")
    if judge not in (None, "adjudicated"):
        raise Problem(400, "judge= is adjudicated, or left out.", "judge")
    topic = given_id(asked.given("topic"), "topic")
    number = judge_of(who, asked.campaign, user, topic, adjudicates=judge is not None)
    return replace(asked, topic=topic, judge=number)
