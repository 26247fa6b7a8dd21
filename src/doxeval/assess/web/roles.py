"""Who may do what: one table of all routes.

A route without an entry cannot be served: building the application fails. Every request is held
against the table before anything else looks at it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING

from doxeval.assess.db import ADJUDICATED
from doxeval.assess.web.problems import Problem

if TYPE_CHECKING:
    from doxeval.assess.db import Campaign, Part, User

ASSESS: Part = "assess"
ADJUDICATE: Part = "adjudicate"


class Who(Enum):
    """Who may use a route."""

    ANYONE = "anyone, signed in or not"
    SIGNED_IN = "everyone who is signed in"
    TOPIC = "everyone who assesses or adjudicates the topic"
    ASSESSOR = "the assessors of the topic"
    ADJUDICATOR = "the adjudicators of the topic"
    JUDGE = "the assessors of the topic; with judge=adjudicated, its adjudicators"
    ORGANISER = "organisers and administrators"
    ADMIN = "administrators"


OF_A_TOPIC = frozenset({Who.TOPIC, Who.ASSESSOR, Who.ADJUDICATOR, Who.JUDGE})

WHO_MAY: Mapping[str, Who] = {
    "GET /static/{name}": Who.ANYONE,
    "GET /login": Who.ANYONE,
    "POST /login": Who.ANYONE,
    "POST /logout": Who.SIGNED_IN,
    "GET /": Who.SIGNED_IN,
    "GET /help": Who.SIGNED_IN,
    "GET /account": Who.SIGNED_IN,
    "POST /account/password": Who.SIGNED_IN,
    "GET /queue": Who.JUDGE,
    "POST /queue/outside": Who.JUDGE,
    "GET /article": Who.ASSESSOR,
    "GET /adjudicate": Who.ADJUDICATOR,
    "GET /organise": Who.ORGANISER,
    "GET /organise/exports": Who.ORGANISER,
    "GET /organise/export": Who.ORGANISER,
    "POST /organise/close": Who.ORGANISER,
    "POST /organise/reopen": Who.ORGANISER,
    "POST /organise/assign": Who.ORGANISER,
    "POST /organise/unassign": Who.ORGANISER,
    "POST /organise/users/add": Who.ADMIN,
    "POST /organise/users/reset": Who.ADMIN,
    "POST /organise/users/disable": Who.ADMIN,
    "POST /organise/users/enable": Who.ADMIN,
    "GET /api/article": Who.JUDGE,
    "POST /api/operations": Who.JUDGE,
    "POST /api/time": Who.JUDGE,
    "GET /api/keywords": Who.TOPIC,
    "POST /api/keywords": Who.TOPIC,
    "GET /api/queue": Who.JUDGE,
    "GET /api/find": Who.JUDGE,
    "POST /api/outside": Who.JUDGE,
}


def refuse_role(who: Who, user: User | None) -> None:
    """Raise a Problem if somebody may not use a route, whatever the topic is."""
    if who is Who.ANYONE:
        return
    if user is None:
        raise Problem(401, "Your session has ended, or you have not signed in yet.", "signed-out")
    if who is Who.ORGANISER and not user.is_organiser:
        raise Problem(403, "Only organisers may do this.", "role")
    if who is Who.ADMIN and user.role != "admin":
        raise Problem(403, "Only administrators may do this.", "role")


def judge_of(who: Who, campaign: Campaign, user: User, topic: str, *, adjudicates: bool) -> int:
    """As whom somebody works on a topic; a Problem if it is not theirs.

    A topic that does not exist is refused in the same words as one that belongs to others.
    """
    if who is Who.ASSESSOR and adjudicates:
        raise Problem(400, "This address is for your own judgments; leave out judge=.", "judge")
    adjudicates = adjudicates or who is Who.ADJUDICATOR
    parts = campaign.parts(user, topic)
    needed = ADJUDICATE if adjudicates else ASSESS
    if needed not in parts and not (who is Who.TOPIC and parts):
        what = "adjudicate" if adjudicates else "assess"
        raise Problem(403, f"You were not asked to {what} this topic.", "topic")
    return ADJUDICATED if adjudicates else user.id
