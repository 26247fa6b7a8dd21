"""The addresses for the page's script: JSON in, JSON out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from doxeval.assess.db import MOST_SECONDS, CampaignError, checked_keywords, next_document
from doxeval.assess.judging import MalformedOperation, parse_operation
from doxeval.assess.web.article_data import (
    article_data,
    check_is_for,
    count_done,
    judgment_data,
    keywords_of,
    known_topic,
)
from doxeval.assess.web.problems import Problem

if TYPE_CHECKING:
    from doxeval.assess.db import Stored
    from doxeval.assess.judging import Operation
    from doxeval.assess.web.asked import Asked

MOST_OPERATIONS = 200
LONGEST_QUERY = 200
_STATUS = {"conflict": 409, "quote": 409, "refused": 422, "closed": 423, "malformed": 400}


def answer_json(value: Any, status: int = 200) -> Response:
    """An answer in JSON."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Response(text.encode(), status, media_type="application/json")


def get_article(asked: Asked) -> Response:
    """An article, with the judgment so far."""
    return answer_json(article_data(asked))


def post_operations(asked: Asked) -> Response:
    """Operations on one document, carried out in order up to the first that fails."""
    campaign, document = asked.campaign, asked.document
    check_is_for(asked, document)
    operations = _operations(asked.body)
    _check_user(asked)
    done = campaign.submit(asked.topic, document, asked.judge, asked.who, operations)
    reply = _reply(asked, document, done.stored) | {"applied": done.applied}
    if done.failure is None:
        return answer_json(reply)
    failure = done.failure
    code = failure.code or failure.kind
    told = reply | {"error": failure.message, "code": code}
    return answer_json(told, _STATUS.get(failure.kind, 422))


def _operations(body: Any) -> list[Operation]:
    """The operations of a request; one that cannot be read spoils them all."""
    sent = _object(body, "operations").get("operations")
    if not isinstance(sent, list) or not 1 <= len(sent) <= MOST_OPERATIONS:
        raise Problem(400, f'"operations" is a list of 1 to {MOST_OPERATIONS}.', "malformed")
    try:
        return [parse_operation(one) for one in sent]
    except MalformedOperation as error:
        raise Problem(400, f"{error}.", "malformed") from None


def _object(body: Any, *names: str) -> dict[str, Any]:
    """A JSON object with certain names and perhaps topic, doc, judge and user."""
    if not isinstance(body, dict):
        raise Problem(400, "The request is not a JSON object.", "malformed")
    unknown = [name for name in body if name not in {*names, "topic", "doc", "judge", "user"}]
    if unknown:
        raise Problem(400, f"Unknown name {json.dumps(unknown[0][:80])}.", "malformed")
    missing = [name for name in names if name not in body]
    if missing:
        raise Problem(400, f'The request has no "{missing[0]}".', "malformed")
    return body


def _check_user(asked: Asked) -> None:
    """Refuse what one user did on a page that was still open when another signed in."""
    made_by = asked.body.get("user")
    if made_by is not None and made_by != asked.who.name:
        raise Problem(409, "Somebody else has signed in since this was done.", "user")


def _reply(asked: Asked, document: str, stored: Stored) -> dict[str, Any]:
    campaign = asked.campaign
    entries = campaign.queue(asked.topic, asked.judge)
    return judgment_data(stored, campaign.article(document), campaign.mode) | {
        "total": len(entries),
        "done": count_done(entries),
        "next": next_document(entries, document),
    }


def post_time(asked: Asked) -> Response:
    """Time that was spent on a document."""
    document = asked.document
    seconds = _object(asked.body, "seconds")["seconds"]
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not 0 <= seconds <= MOST_SECONDS:
        raise Problem(400, f'"seconds" is a number from 0 to {MOST_SECONDS}.', "malformed")
    _check_user(asked)
    check_is_for(asked, document)
    asked.campaign.add_time(asked.topic, document, asked.judge, float(seconds))
    return answer_json({})


def get_keywords(asked: Asked) -> Response:
    """The words that somebody has coloured in the documents of a topic."""
    return answer_json({"words": keywords_of(asked)})


def post_keywords(asked: Asked) -> Response:
    """Other words to colour."""
    words = _object(asked.body, "words")["words"]
    if not isinstance(words, list):
        raise Problem(400, '"words" is a list of texts.', "malformed")
    try:
        chosen = checked_keywords(words)
    except CampaignError as error:
        raise Problem(400, f"{error}.", "malformed") from None
    asked.campaign.set_keywords(asked.topic, asked.who, chosen)
    return get_keywords(asked)


def get_queue(asked: Asked) -> Response:
    """The documents of a topic, in the order of the queue."""
    entries = asked.campaign.queue(asked.topic, asked.judge)
    documents = [
        {
            "doc": entry.document,
            "status": entry.status,
            "relevant": entry.relevant,
            "problem": entry.problem,
            "offPool": entry.off_pool,
        }
        for entry in entries
    ]
    told = {"documents": documents, "done": count_done(entries), "next": next_document(entries)}
    return answer_json(told)


def query_in(asked: Asked) -> str:
    """Return what to look for, which has its limit."""
    query = asked.query.get("q", "")
    if len(query) > LONGEST_QUERY:
        raise Problem(400, f"A query has at most {LONGEST_QUERY} characters.", "malformed")
    return query


def get_find(asked: Asked) -> Response:
    """Documents by the beginning of their ids or by words, in the pool or outside it."""
    found = asked.site.finder.find(query_in(asked))
    queue = {entry.document: entry for entry in asked.campaign.queue(asked.topic, asked.judge)}
    documents = []
    for one in found.documents:
        entry = queue.get(one.document)
        documents.append(
            {
                "doc": one.document,
                "title": one.title,
                "snippet": one.snippet,
                "inPool": entry is not None and not entry.off_pool,
                "inQueue": entry is not None,
                "judged": entry is not None and entry.status == "validated",
            }
        )
    return answer_json({"documents": documents, "how": found.how})


def post_outside(asked: Asked) -> Response:
    """A document outside the pool is to be judged too."""
    _object(asked.body)
    document = add_outside(asked)
    return answer_json({"doc": document})


def add_outside(asked: Asked) -> str:
    """Add a document to somebody's queue, unless it is there; the id as the collection has it."""
    campaign = asked.campaign
    number = campaign.collection.document(asked.document)
    document = campaign.collection.id_of(number)
    if known_topic(campaign, asked.topic).is_closed:
        raise Problem(423, "The topic is closed.", "closed")
    entries = campaign.queue(asked.topic, asked.judge)
    if all(entry.document != document for entry in entries):
        campaign.add_outside(asked.topic, document, asked.judge)
    return document
