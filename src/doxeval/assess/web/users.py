"""Accounts, for administrators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from doxeval.assess.web.asked import is_storable
from doxeval.assess.web.organise import back, organise_page, user_named
from doxeval.assess.web.problems import Problem, as_sentence
from doxeval.errors import InputError

if TYPE_CHECKING:
    from doxeval.assess.web.asked import Asked

ROLES = ("assessor", "adjudicator", "organiser", "admin")
SHOWN_ONCE = "Write the password down now: it is not shown again."


def post_add(asked: Asked) -> Response:
    """A new account, with a password made up by the server."""
    name, role = asked.fields.get("name", "").strip(), asked.fields.get("role", "")
    if role not in ROLES or not is_storable(name):
        raise Problem(400, "Give a name and one of the roles.", "user")
    try:
        user, password = asked.campaign.add_user(name, role)
    except InputError as error:
        page = organise_page(asked, problem=as_sentence(error))
        page.status_code = 422
        return page
    return organise_page(asked, notice=SHOWN_ONCE, secret=(user.name, password))


def post_reset(asked: Asked) -> Response:
    """A new password for somebody, whose sessions end."""
    user = user_named(asked)
    password = asked.campaign.set_password(user.name)
    asked.campaign.close_sessions(user)
    return organise_page(asked, notice=SHOWN_ONCE, secret=(user.name, password))


def post_disable(asked: Asked) -> Response:
    """Somebody can no longer sign in, and is signed out."""
    user = user_named(asked)
    if user.id == asked.who.id:
        raise Problem(422, "You cannot disable your own account.", "own-account")
    asked.campaign.set_active(user.name, False)
    asked.campaign.close_sessions(user)
    return back("disabled", "users")


def post_enable(asked: Asked) -> Response:
    """Somebody can sign in again."""
    asked.campaign.set_active(user_named(asked).name, True)
    return back("enabled", "users")
