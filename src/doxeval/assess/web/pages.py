"""The pages of assessors: their topics, the queue of a topic, an article, and help."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from starlette.responses import RedirectResponse, Response

from doxeval.assess.db import ADJUDICATED, next_document
from doxeval.assess.web.agreeing import agreement_rows
from doxeval.assess.web.api import add_outside, query_in
from doxeval.assess.web.article_data import count_done, known_topic, place_in
from doxeval.assess.web.asked import url
from doxeval.assess.web.problems import Problem
from doxeval.assess.web.roles import ADJUDICATE, ASSESS
from doxeval.assess.web.static import FOREVER
from doxeval.assess.web.templates import render

if TYPE_CHECKING:
    from doxeval.assess.db import CampaignTopic
    from doxeval.assess.web.asked import Asked


class Work(NamedTuple):
    """A topic of somebody, and how far they are."""

    topic: str
    title: str
    judge: str | None  # "adjudicated", or None for the own judgments
    done: int
    total: int
    relevant: int
    closed: bool
    next: str | None


def get_static(asked: Asked) -> Response:
    """A file of the pages."""
    asset = asked.site.assets.files.get(asked.query.get("name", ""))
    if asset is None:
        raise Problem(404, "There is no such file.", "file")
    return Response(asset.content, media_type=asset.type, headers={"cache-control": FOREVER})


def get_home(asked: Asked) -> Response:
    """The own topics."""
    campaign, user = asked.campaign, asked.who
    work, closed = [], []
    for topic in campaign.topics():
        parts = campaign.parts(user, topic.id)
        if ASSESS in parts:
            work.append(_work(asked, topic, user.id))
        if ADJUDICATE in parts:
            work.append(_work(asked, topic, ADJUDICATED))
        if parts and topic.is_closed:
            closed.append(topic.id)
    agreements = agreement_rows(campaign, closed)
    return render("home", asked.site, user, work=work, agreements=agreements, mode=campaign.mode)


def _work(asked: Asked, topic: CampaignTopic, judge: int) -> Work:
    campaign = asked.campaign
    entries = campaign.queue(topic.id, judge)
    return Work(
        topic.id,
        topic.topic.title or "",
        "adjudicated" if judge == ADJUDICATED else None,
        count_done(entries),
        len(entries),
        sum(entry.relevant and entry.status == "validated" for entry in entries),
        topic.is_closed,
        next_document(entries),
    )


def get_queue(asked: Asked) -> Response:
    """The documents of a topic, and others that were found."""
    campaign = asked.campaign
    topic = known_topic(campaign, asked.topic)
    entries = campaign.queue(asked.topic, asked.judge)
    query = query_in(asked)
    return render(
        "queue",
        asked.site,
        asked.who,
        topic=topic.topic,
        closed=topic.is_closed,
        judge=asked.query.get("judge"),
        place="/adjudicate" if asked.is_adjudicating else "/article",
        entries=entries,
        known={entry.document for entry in entries},
        done=count_done(entries),
        next=next_document(entries),
        q=query,
        found=asked.site.finder.find(query) if query.strip() else None,
    )


def post_outside(asked: Asked) -> Response:
    """Add a document outside the pool to the own queue, and go there."""
    document = add_outside(asked)
    place = "/adjudicate" if asked.is_adjudicating else "/article"
    return RedirectResponse(url(place, topic=asked.topic, doc=document), 303)


def get_article(asked: Asked) -> Response:
    """The page of an article, which its script fills."""
    entries = asked.campaign.queue(asked.topic, asked.judge)
    place_in(entries, asked.document)
    judge = "adjudicated" if asked.is_adjudicating else None
    return render(
        "article",
        asked.site,
        asked.who,
        topic=asked.topic,
        document=asked.document,
        judge=judge,
    )


def get_help(asked: Asked) -> Response:
    """Keys and rules."""
    return render("help", asked.site, asked.who, mode=asked.campaign.mode)
