"""The pages of assessors: their topics, the queue of a topic, an article, and help."""

from __future__ import annotations

import re
from collections.abc import Collection as Sized
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from starlette.responses import RedirectResponse, Response

from doxeval.assess.agreement import agreement
from doxeval.assess.choices import PARTS
from doxeval.assess.db import ADJUDICATED, next_document
from doxeval.assess.web.api import (
    add_outside,
    count_done,
    document_of,
    known_topic,
    place_in,
    query_of,
)
from doxeval.assess.web.appearance import stylesheet
from doxeval.assess.web.errors import RefusedRequest
from doxeval.assess.web.rendering import FOREVER, campaign_of, render, site_of, url

if TYPE_CHECKING:
    from starlette.requests import Request

    from doxeval.assess.db import AssignmentProgress, Campaign, CampaignTopic


class TopicWork(NamedTuple):
    """A user's part in a topic, and how far they are."""

    topic: CampaignTopic
    progress: AssignmentProgress

    @property
    def judge(self) -> str | None:
        """What addresses call the judgments: "adjudicated", or None for the user's own."""
        return "adjudicated" if self.progress.part == "adjudicate" else None


def get_home(request: Request) -> Response:
    """Show the topics of whoever is signed in, assessing before adjudicating."""
    campaign = campaign_of(request)
    topics = campaign.topics()
    progress = {(row.topic, row.part): row for row in campaign.progress(request.user)}
    work = [
        TopicWork(topic, progress[topic.id, part])
        for topic in topics
        for part in PARTS
        if (topic.id, part) in progress
    ]
    closed = {row.topic.id for row in work if row.topic.is_closed}
    agreements = agreement_rows(campaign, closed)
    return render(
        request,
        "home",
        work=work,
        agreements=agreements,
        titles=titles_of_topics(topics),
        mode=campaign.mode,
    )


def titles_of_topics(topics: Iterable[CampaignTopic]) -> dict[str, str]:
    """Return the titles of the topics that have one, by their ids."""
    return {topic.id: topic.topic.title for topic in topics if topic.topic.title}


def agreement_rows(campaign: Campaign, topics: Sized[str] | None = None) -> list[list[str]]:
    """Return a head and rows: how far assessors agree on some topics, or on all.

    It is empty if no two of them validated the same document. Assessors may only see it for topics
    that are closed, since it would sway their judgments.
    """
    if topics is not None and not topics:
        return []
    table = agreement(campaign.judgments(topics), campaign.mode).table()
    return table if len(table) > 1 else []


def get_queue(request: Request) -> Response:
    """Show the documents of a topic, and others that fit a query."""
    campaign, state = campaign_of(request), request.state
    topic = known_topic(campaign, state.topic)
    entries = campaign.queue(state.topic, state.judge)
    query, finder = query_of(request), site_of(request).finder
    settled = sum(entry.is_settled for entry in entries)
    shows_all = state.query.get("all") == "yes"
    return render(
        request,
        "queue",
        topic=topic.topic,
        closed=topic.is_closed,
        judge=state.query.get("judge"),
        place=_article_page(request),
        entries=[entry for entry in entries if shows_all or not entry.is_settled],
        settled=settled,
        shows_all=shows_all,
        total=len(entries) - settled,
        titles={entry.document: finder.title(entry.document) for entry in entries},
        known={entry.document for entry in entries},
        done=count_done(entries),
        next=next_document(entries),
        q=query,
        matches=finder.find(query) if query.strip() else None,
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
    campaign, document = campaign_of(request), document_of(request)
    topic, judge = request.state.topic, request.state.judge
    place_in(campaign.queue(topic, judge), document)
    return render(
        request,
        "article",
        topic=topic,
        topic_title=known_topic(campaign, topic).topic.title,
        document=document,
        title=site_of(request).finder.title(document),
        judge="adjudicated" if judge == ADJUDICATED else None,
        reading=None,
    )


def get_colour(request: Request) -> Response:
    """Answer with the style of a campaign of a colour, which never changes."""
    colour = request.state.query.get("of", "")
    if not re.fullmatch("[0-9a-f]{6}", colour):
        raise RefusedRequest(404, "There is no such colour.", "address")
    return Response(
        stylesheet(f"#{colour}"), media_type="text/css", headers={"cache-control": FOREVER}
    )


def get_help(request: Request) -> Response:
    """Show keys and rules."""
    return render(request, "help", mode=campaign_of(request).mode)
