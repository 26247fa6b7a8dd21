"""What the page of an article gets: the document, the topic, and the judgment so far."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from doxeval.assess.judging import allowed, gradable, inconsistencies, problems
from doxeval.assess.web.document_data import document_data
from doxeval.assess.web.problems import Problem
from doxeval.retrieve import ENGLISH_STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from doxeval.assess.db import Campaign, CampaignTopic, QueueEntry, Stored
    from doxeval.assess.judging import Article, Mode
    from doxeval.assess.web.asked import Asked

_FIRST_KEYWORDS = 8
TOPIC_FIELDS = ("title", "castitle", "description", "narrative", "keywords")


def known_topic(campaign: Campaign, topic: str) -> CampaignTopic:
    """A topic of the campaign."""
    found = next((one for one in campaign.topics() if one.id == topic), None)
    if found is None:
        raise Problem(404, "There is no such topic.", "topic")
    return found


def article_data(asked: Asked) -> dict[str, Any]:
    """All that the page of an article shows."""
    campaign, document = asked.campaign, asked.document
    topic = known_topic(campaign, asked.topic)
    entries = campaign.queue(asked.topic, asked.judge)
    place = place_in(entries, document)
    article = campaign.article(document)
    stored = campaign.judgment(asked.topic, document, asked.judge)
    others = others_on(asked, document) if asked.is_adjudicating else None
    settings = campaign.settings
    data = {
        "user": asked.who.name,
        "topic": topic_data(topic),
        "doc": document,
        "mode": campaign.mode,
        "closed": topic.is_closed,
        "adjudicating": asked.is_adjudicating,
        "readonly": topic.is_closed,
        **document_data(article, campaign.collection.inline_tags, settings.display),
        "pooled": pooled_ranges(asked, article) if settings.show_pooled else None,
        "keywords": keywords_of(asked),
        "snap": settings.snap,
        **judgment_data(stored, article, campaign.mode),
        "queue": queue_place(entries, place),
    }
    return data if others is None else data | {"others": others}


def topic_data(topic: CampaignTopic) -> dict[str, str]:
    """The statement of a topic, without fields that are empty."""
    given = {name: getattr(topic.topic, name) for name in TOPIC_FIELDS}
    return {"id": topic.id} | {name: value for name, value in given.items() if value}


def keywords_of(asked: Asked) -> list[str]:
    """The words that somebody has coloured for a topic; at first, those of its title."""
    chosen = asked.campaign.keywords(asked.topic, asked.who)
    if chosen is not None:
        return list(chosen)
    title = known_topic(asked.campaign, asked.topic).topic.content or ""
    words = (word for word in re.findall(r"\w+", title) if word.lower() not in ENGLISH_STOP_WORDS)
    return list(dict.fromkeys(words))[:_FIRST_KEYWORDS]


def place_in(entries: Sequence[QueueEntry], document: str) -> int:
    """Where a document is in a queue; one that is not there is not for this judge."""
    for place, entry in enumerate(entries):
        if entry.document == document:
            return place
    raise Problem(
        404,
        "This document is not in your queue for the topic. Find it there and add it, if you want "
        "to judge it.",
        "document",
    )


def check_is_for(asked: Asked, document: str) -> None:
    """Refuse a document that is neither pooled nor in the queue of whoever asks.

    Most documents are pooled, which is quicker to tell than where they are in the queue.
    """
    if asked.campaign.pooled_elements(asked.topic, document) is None:
        place_in(asked.campaign.queue(asked.topic, asked.judge), document)


def queue_place(entries: Sequence[QueueEntry], place: int) -> dict[str, Any]:
    """Where a document is in the queue, and its neighbours."""
    last = len(entries) - 1
    return {
        "position": place + 1,
        "total": len(entries),
        "done": count_done(entries),
        "previous": entries[place - 1].document if place else None,
        "next": entries[place + 1].document if place < last else None,
        "offPool": entries[place].off_pool,
    }


def count_done(entries: Sequence[QueueEntry]) -> int:
    """How many documents of a queue are judged."""
    return sum(entry.status == "validated" for entry in entries)


def judgment_data(stored: Stored, article: Article, mode: Mode) -> dict[str, Any]:
    """A judgment, and what the rules say about it."""
    state = stored.state
    data = {
        "state": state.as_json(),
        "version": stored.version,
        "canUndo": stored.can_undo,
        "canRedo": stored.can_redo,
        "problems": list(problems(state, article, mode)),
        "inconsistencies": [list(one) for one in inconsistencies(state, article, mode)],
    }
    if mode != "2005":  # in mode 2003, every element may get every grade
        return data
    rows = gradable(state, article, mode)
    values = map(list, allowed(state, article, mode, rows))
    return data | {"gradable": [list(pair) for pair in zip(rows.tolist(), values, strict=True)]}


def pooled_ranges(asked: Asked, article: Article) -> list[list[int]]:
    """Where the pooled elements of a document are; nothing says which system returned them."""
    ranges = set()
    for element in asked.campaign.pooled_elements(asked.topic, article.document) or ():
        if element.path is None:
            start, end = element.start or 0, element.end or 0
        else:
            row = article.row_of(element.path)
            if row < 0:
                continue
            start, end = int(article.start[row]), int(article.end[row])
        if 0 <= start < end <= len(article.text):
            ranges.add((start, end))
    return [list(pair) for pair in sorted(ranges)]


def others_on(asked: Asked, document: str) -> list[dict[str, Any]]:
    """What the assessors of a topic said of a document, by pseudonym, for its adjudicators.

    Somebody who also assesses the topic judges a document before they see what others said of it.
    """
    campaign, user = asked.campaign, asked.who
    if "assess" in campaign.parts(user, asked.topic):
        own = campaign.judgment(asked.topic, document, user.id)
        if own.state.status != "validated":
            raise Problem(
                403,
                "You also assess this topic: judge the document yourself before you see what the "
                "others said of it.",
                "judge-first",
            )
    said = []
    for one in campaign.users():
        state = campaign.judgment(asked.topic, document, one.id).state
        if state.status == "validated":
            said.append({"who": one.pseudonym, "state": state.as_json()})
    return sorted(said, key=lambda each: str(each["who"]))
