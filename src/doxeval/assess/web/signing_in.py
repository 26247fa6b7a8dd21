"""Signing in and out, and changing the own password."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse, Response

from doxeval.assess.db import LONGEST_NAME, LONGEST_PASSWORD, SHORTEST_PASSWORD, Throttled
from doxeval.assess.web.asked import is_storable, same_site
from doxeval.assess.web.cookies import forget_token, set_token
from doxeval.assess.web.problems import Problem, as_sentence
from doxeval.assess.web.templates import render
from doxeval.errors import InputError
from doxeval.messages import quoted

if TYPE_CHECKING:
    from doxeval.assess.db import User
    from doxeval.assess.web.asked import Asked

log = logging.getLogger("doxeval.assess")


def get_login(asked: Asked) -> Response:
    """The form; somebody who is signed in goes on to where they wanted to go."""
    way = same_site(asked.query.get("next"))
    return RedirectResponse(way, 303) if asked.user else _login_page(asked, way)


def _login_page(asked: Asked, way: str, problem: str = "", name: str = "") -> Response:
    return render("login", asked.site, None, next=way, problem=problem, name=name)


def post_login(asked: Asked) -> Response:
    """Sign in: a new session, whatever session the browser had before."""
    name, password = asked.fields.get("name", ""), asked.fields.get("password", "")
    way = same_site(asked.fields.get("next"))
    user = _checked(asked, name, password)
    if user is None:
        log.warning("failed sign-in as %s from %s", quoted(name), asked.address)
        page = _login_page(asked, way, "Name or password is wrong.", name[:LONGEST_NAME])
        page.status_code = 401
        return page
    if asked.token:
        asked.campaign.close_session(asked.token)
    return _signed_in(asked, user, way)


def _checked(asked: Asked, name: str, password: str) -> User | None:
    """The user of a name and a password, if they belong together."""
    name = name.strip()
    if not (name and password and is_storable(name) and is_storable(password)):
        return None
    if len(name) > LONGEST_NAME or len(password) > LONGEST_PASSWORD:
        return None
    try:
        return asked.campaign.check_password(name, password, asked.address)
    except Throttled as error:
        log.warning("too many sign-ins as %s from %s", quoted(name), asked.address)
        raise Problem(
            429,
            f"There were too many wrong passwords. Wait {error.seconds} seconds and try again.",
            "throttled",
            headers={"retry-after": str(error.seconds)},
        ) from None


def _signed_in(asked: Asked, user: User, way: str) -> Response:
    response = RedirectResponse(way, 303)
    set_token(response, asked.campaign.open_session(user), asked.site.secure)
    return response


def post_logout(asked: Asked) -> Response:
    """Sign out: the session is over here too, not only in this browser."""
    if asked.token:
        asked.campaign.close_session(asked.token)
    response = RedirectResponse("/login", 303)
    forget_token(response, asked.site.secure)
    return response


def get_account(asked: Asked) -> Response:
    """The own account."""
    done = asked.query.get("done") == "password"
    notice = "Your password is changed. All your other sessions have ended." if done else ""
    return _account_page(asked, notice=notice)


def _account_page(asked: Asked, problem: str = "", notice: str = "") -> Response:
    return render(
        "account",
        asked.site,
        asked.who,
        problem=problem,
        notice=notice,
        shortest=SHORTEST_PASSWORD,
    )


def post_password(asked: Asked) -> Response:
    """Change the own password; all other sessions end."""
    current, new = asked.fields.get("current", ""), asked.fields.get("new", "")
    if _checked(asked, asked.who.name, current) is None:
        return _refused(asked, "The current password is wrong.")
    if new != asked.fields.get("again", ""):
        return _refused(asked, "The new password was not repeated exactly.")
    try:
        asked.campaign.set_password(asked.who.name, new)
    except InputError as error:
        return _refused(asked, as_sentence(error))
    asked.campaign.close_sessions(asked.who)
    return _signed_in(asked, asked.who, "/account?done=password")


def _refused(asked: Asked, problem: str) -> Response:
    page = _account_page(asked, problem)
    page.status_code = 422
    return page
