"""The pages of assessors: their topics, the queue of a topic, an article, and help."""

from __future__ import annotations

from collections.abc import Collection as Sized
from typing import TYPE_CHECKING, NamedTuple

from starlette.responses import RedirectResponse, Response

from doxeval.assess.agreement import agreement
from doxeval.assess.db import ADJUDICATED, next_document
from doxeval.assess.web.api import (
    add_outside,
    count_done,
    document_of,
    known_topic,
    place_in,
    query_of,
)
from doxeval.assess.web.rendering import campaign_of, render, site_of, url

if TYPE_CHECKING:
    from starlette.requests import Request

    from doxeval.assess.db import Campaign, CampaignTopic


class TopicWork(NamedTuple):
    """A user's part in a topic, and how far they are; judge is "adjudicated" or None."""

    topic: str
    title: str
    judge: str | None
    done: int
    total: int
    relevant: int
    closed: bool
    next: str | None


def get_home(request: Request) -> Response:
    """Show the topics of whoever is signed in."""
    campaign, user = campaign_of(request), request.user
    work, closed = [], []
    for topic in campaign.topics():
        parts = campaign.parts(user, topic.id)
        if "assess" in parts:
            work.append(_work(campaign, topic, user.id))
        if "adjudicate" in parts:
            work.append(_work(campaign, topic, ADJUDICATED))
        if parts and topic.is_closed:
            closed.append(topic.id)
    agreements = agreement_rows(campaign, closed)
    return render(request, "home", work=work, agreements=agreements, mode=campaign.mode)


def _work(campaign: Campaign, topic: CampaignTopic, judge: int) -> TopicWork:
    entries = campaign.queue(topic.id, judge)
    return TopicWork(
        topic.id,
        topic.topic.title or "",
        "adjudicated" if judge == ADJUDICATED else None,
        count_done(entries),
        len(entries),
        sum(entry.relevant and entry.is_done for entry in entries),
        topic.is_closed,
        next_document(entries),
    )


def agreement_rows(campaign: Campaign, topics: Sized[str] | None = None) -> list[list[str]]:
    """Return a head and rows: how far assessors agree on some topics, or on all.

    It is empty if no two of them validated the same document. Assessors may only see it for topics
    that are closed, since it would sway their judgments.
    """
    if topics is not None and not topics:
        return []
    judged = [row for row in campaign.judgments() if topics is None or row.topic in topics]
    table = agreement(judged, campaign.mode).table()
    return table if len(table) > 1 else []


def get_queue(request: Request) -> Response:
    """Show the documents of a topic, and others that fit a query."""
    campaign, state = campaign_of(request), request.state
    topic = known_topic(campaign, state.topic)
    entries = campaign.queue(state.topic, state.judge)
    query = query_of(request)
    return render(
        request,
        "queue",
        topic=topic.topic,
        closed=topic.is_closed,
        judge=state.query.get("judge"),
        place=_article_page(request),
        entries=entries,
        known={entry.document for entry in entries},
        done=count_done(entries),
        next=next_document(entries),
        q=query,
        matches=site_of(request).finder.find(query) if query.strip() else None,
    )


def _article_page(request: Request) -> str:
    return "/adjudicate" if request.state.judge == ADJUDICATED else "/article"


def post_outside(request: Request) -> Response:
    """Add a document outside the pool to the own queue, and go there."""
    document = add_outside(request)
    return RedirectResponse(
        url(_article_page(request), topic=request.state.topic, doc=document), 303
    )


def get_article(request: Request) -> Response:
    """Show the page of an article, which its script fills."""
    topic, judge, document = request.state.topic, request.state.judge, document_of(request)
    place_in(campaign_of(request).queue(topic, judge), document)
    judge_name = "adjudicated" if judge == ADJUDICATED else None
    return render(request, "article", topic=topic, document=document, judge=judge_name)


def get_help(request: Request) -> Response:
    """Show keys and rules."""
    return render(request, "help", mode=campaign_of(request).mode)
