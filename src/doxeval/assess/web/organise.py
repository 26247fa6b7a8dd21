"""The organiser's page: progress, assignments, agreement, closing, and exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse, Response

from doxeval.assess.web.agreeing import agreement_rows, honeypot_rows
from doxeval.assess.web.asked import given_id, url
from doxeval.assess.web.problems import Problem
from doxeval.assess.web.templates import render

if TYPE_CHECKING:
    from doxeval.assess.db import Part, User
    from doxeval.assess.web.asked import Asked

# What is told after a form was sent; the address has the word, never the sentence.
NOTICES = {
    "closed": "The topic is closed. Nobody can change its judgments.",
    "reopened": "The topic is open again.",
    "assigned": "The topic is assigned.",
    "unassigned": "The assignment is withdrawn. Judgments that were made are kept.",
    "disabled": "The account is disabled, and its sessions have ended.",
    "enabled": "The account is enabled.",
}


def get_organise(asked: Asked) -> Response:
    """The whole page."""
    return organise_page(asked, notice=NOTICES.get(asked.query.get("done", ""), ""))


def organise_page(
    asked: Asked, notice: str = "", problem: str = "", secret: tuple[str, str] | None = None
) -> Response:
    """The page; `secret` is a user and the password made up for them, which is shown this once."""
    campaign = asked.campaign
    return render(
        "organise",
        asked.site,
        asked.who,
        notice=notice,
        problem=problem,
        secret=secret,
        topics=campaign.topics(),
        users=campaign.users(),
        assignments=campaign.assignments(),
        progress=campaign.progress(),
        agreements=agreement_rows(campaign),
        honeypots=honeypot_rows(campaign),
        mode=campaign.mode,
    )


def back(done: str, part: str) -> Response:
    """Back to a part of the page after a form was sent."""
    return RedirectResponse(f"{url('/organise', done=done)}#{part}", 303)


def post_close(asked: Asked) -> Response:
    """Close a topic: its judgments can no longer be changed."""
    asked.campaign.close_topic(_topic(asked), asked.who)
    return back("closed", "topics")


def post_reopen(asked: Asked) -> Response:
    """Open a topic again."""
    asked.campaign.reopen_topic(_topic(asked), asked.who)
    return back("reopened", "topics")


def post_assign(asked: Asked) -> Response:
    """Give a topic to somebody."""
    asked.campaign.assign(_topic(asked), user_named(asked), _part(asked), asked.who)
    return back("assigned", "assignments")


def post_unassign(asked: Asked) -> Response:
    """Take a topic from somebody; their judgments stay."""
    asked.campaign.unassign(_topic(asked), user_named(asked), _part(asked), asked.who)
    return back("unassigned", "assignments")


def _topic(asked: Asked) -> str:
    topic = given_id(asked.fields.get("topic"), "topic")
    if all(one.id != topic for one in asked.campaign.topics()):
        raise Problem(404, "There is no such topic.", "topic")
    return topic


def _part(asked: Asked) -> Part:
    part = asked.fields.get("part", "assess")
    if part == "assess":
        return "assess"
    if part == "adjudicate":
        return "adjudicate"
    raise Problem(400, "The part is assess or adjudicate.", "part")


def user_named(asked: Asked) -> User:
    """The user that a form names."""
    name = given_id(asked.fields.get("user"), "user")
    found = next((user for user in asked.campaign.users() if user.name == name), None)
    if found is None:
        raise Problem(404, "There is no such user.", "user")
    return found
