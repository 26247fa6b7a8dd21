"""The addresses for the page's script: JSON in, JSON out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast
from urllib.parse import quote

import msgspec
from starlette.responses import Response

from doxeval.assess.db import (
    ADJUDICATED,
    CampaignError,
    NotInQueue,
    Unknown,
    checked_keywords,
    next_document,
)
from doxeval.assess.judging import (
    MalformedOperation,
    allowed,
    gradable,
    inconsistencies,
    parse_operation,
    problems,
)
from doxeval.assess.web.auth import parts_of
from doxeval.assess.web.display import document_data
from doxeval.assess.web.errors import RefusedRequest
from doxeval.assess.web.pictures import pictures_of, shown_pictures
from doxeval.assess.web.rendering import campaign_of, site_of
from doxeval.assess.web.requests import checked_id
from doxeval.assess.web.wire import (
    LONGEST_QUERY,
    MAX_OPERATIONS,
    ArticleData,
    FindData,
    JudgmentData,
    MatchingDocument,
    OperationsFailure,
    OperationsReply,
    OtherJudgment,
    QueuePlace,
    StateData,
    TopicData,
    TopicRequest,
)
from doxeval.errors import UnknownReference
from doxeval.retrieve import ENGLISH_STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from doxeval.assess.db import Campaign, CampaignTopic, QueueEntry, Stored, User
    from doxeval.assess.judging import Article, Mode, Operation, State
    from doxeval.assess.web.wire import (
        KeywordsRequest,
        Span,
        TimeRequest,
        WireGrade,
    )

_FIRST_KEYWORDS = 8
_TOPIC_FIELDS = ("title", "castitle", "description", "narrative", "keywords")
_STATUS = {"conflict": 409, "quote": 409, "refused": 422, "closed": 423, "malformed": 400}
_FINISHING = frozenset({"validate", "not-relevant", "skip"})


class UncheckedOperations(TopicRequest, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An OperationsRequest whose operations `judging` has yet to check, in its own words."""

    operations: Annotated[list[Any], msgspec.Meta(min_length=1, max_length=MAX_OPERATIONS)]


def _answer(message: msgspec.Struct, status: int = 200) -> Response:
    return Response(msgspec.json.encode(message), status, media_type="application/json")


def _done() -> Response:
    """Answer that something was done, when there is nothing to tell about it."""
    return Response(b"{}", media_type="application/json")


def get_article(request: Request) -> Response:
    """Answer with an article and the judgment so far."""
    return _answer(_article_data(request, request.state.topic, request.state.judge))


def get_judgment(request: Request) -> Response:
    """Answer with an article and what an assessor judged, for an organiser to read."""
    return _answer(_article_data(request, *judgment_to_read(request), is_reading=True))


def judgment_to_read(request: Request) -> tuple[str, int]:
    """Return the topic and the judge of a judgment that an organiser wants to read.

    Whoever assesses the topic judges a document before they see what others said of it.
    """
    campaign, query, user = campaign_of(request), request.state.query, request.user
    topic = known_topic(campaign, checked_id(query.get("topic"), "topic")).id
    request.state.document = checked_id(query.get("doc"), "document")
    judge = assessor_named(campaign, query.get("user")).judge
    if judge != user.id and "assess" in campaign.parts(user, topic):
        _refuse_before_own(campaign, topic, request.state.document, user)
    return topic, judge


class NamedAssessor(NamedTuple):
    """A person or a program that judges, as organisers call them."""

    name: str
    judge: int


def assessor_named(campaign: Campaign, name: str | None) -> NamedAssessor:
    """Return a person or a program of a campaign."""
    wanted = checked_id(name, "user")
    judges = {user.name: user.id for user in campaign.users()}
    judges |= {each.program.title: each.id for each in campaign.programs()}
    if wanted not in judges:
        raise RefusedRequest(404, "There is no such user.", "user")
    return NamedAssessor(wanted, judges[wanted])


def _refuse_before_own(campaign: Campaign, topic: str, document: str, user: User) -> None:
    if campaign.judgment(topic, document, user.id).state.status != "validated":
        raise RefusedRequest(
            403,
            "You also assess this topic: judge the document yourself before you see what the "
            "others said of it.",
            "judge-first",
        )


def _article_data(
    request: Request, topic_id: str, judge: int, is_reading: bool = False
) -> ArticleData:
    campaign, document = campaign_of(request), document_of(request)
    topic = known_topic(campaign, topic_id)
    entries = campaign.queue(topic_id, judge)
    place = place_in(entries, document)
    article = campaign.article(document)
    stored = campaign.judgment(topic_id, document, judge)
    settings = campaign.settings
    site = site_of(request)
    facts = campaign.collection.display_facts(campaign.collection.document(document))
    shown = document_data(article, site.finder.display, facts)
    return ArticleData(
        user=request.user.name,
        topic=_topic_data(topic),
        doc=document,
        title=site.finder.title(document),
        original=settings.original.replace("{id}", quote(document)) or None,
        mode=campaign.mode,
        closed=topic.is_closed,
        adjudicating=judge == ADJUDICATED,
        readonly=topic.is_closed or is_reading,
        # The addresses of pictures are for those who judge; to others their words are shown.
        pictures=shown_pictures(facts, None if is_reading else site.pictures),
        pooled=_pooled_spans(campaign, topic_id, article) if settings.show_pooled else None,
        keywords=_keywords(campaign, topic, request.user),
        snap=settings.snap,
        queue=_queue_place(entries, place),
        others=_others(request, document) if judge == ADJUDICATED else msgspec.UNSET,
        **_fields(shown),
        **_fields(_judgment(stored, article, campaign.mode)),
    )


def get_picture(request: Request) -> Response:
    """Answer with a picture of a document that is in the queue of whoever asks for it."""
    campaign, document = campaign_of(request), document_of(request)
    place_in(campaign.queue(request.state.topic, request.state.judge), document)
    folder, number = site_of(request).pictures, request.state.query.get("number", "")
    answer = None
    if folder is not None and re.fullmatch("[0-9]{1,6}", number):
        facts = campaign.collection.display_facts(campaign.collection.document(document))
        name = dict(enumerate(picture.name for picture in pictures_of(facts))).get(int(number))
        answer = None if name is None else folder.read(name)
    if answer is None:
        raise RefusedRequest(404, "There is no such picture.", "picture")
    return Response(answer[0], media_type=answer[1])


def _fields(part: msgspec.Struct) -> dict[str, Any]:
    """Return the fields of a record, to become those of a larger one."""
    return {name: getattr(part, name) for name in part.__struct_fields__}


def document_of(request: Request) -> str:
    """Return the document that a request is about; it must name one."""
    return checked_id(request.state.document, "document")


def known_topic(campaign: Campaign, topic_id: str) -> CampaignTopic:
    """Return a topic of the campaign."""
    try:
        return campaign.topic(topic_id)
    except Unknown:
        raise RefusedRequest(404, "There is no such topic.", "topic") from None


def place_in(entries: Sequence[QueueEntry], document: str) -> int:
    """Return where a document is in a queue; one that is not there is not for this judge."""
    for place, entry in enumerate(entries):
        if entry.document == document:
            return place
    raise NotInQueue(f"document {document!r} is not in this queue")


def count_done(entries: Sequence[QueueEntry]) -> int:
    """Return how many documents of a queue are judged."""
    return sum(entry.is_done for entry in entries)


def _queue_place(entries: Sequence[QueueEntry], place: int) -> QueuePlace:
    current = entries[place]
    entries = [entry for entry in entries if not entry.is_settled or entry is current]
    place = entries.index(current)
    is_last = place == len(entries) - 1
    return QueuePlace(
        position=place + 1,
        total=len(entries),
        done=count_done(entries),
        previous=entries[place - 1].document if place else None,
        next=None if is_last else entries[place + 1].document,
        off_pool=entries[place].off_pool,
    )


def _topic_data(topic: CampaignTopic) -> TopicData:
    statement = {name: getattr(topic.topic, name) for name in _TOPIC_FIELDS}
    return TopicData(topic.id, **{name: text for name, text in statement.items() if text})


def _keywords(campaign: Campaign, topic: CampaignTopic, user: User) -> list[str]:
    """Return the words that somebody has coloured for a topic; at first, those of its title."""
    chosen = campaign.keywords(topic.id, user)
    if chosen is not None:
        return list(chosen)
    words = re.findall(r"\w+", topic.topic.content or "")
    telling = (word for word in words if word.lower() not in ENGLISH_STOP_WORDS)
    return list(dict.fromkeys(telling))[:_FIRST_KEYWORDS]


def _state(state: State) -> StateData:
    return StateData(**state.as_json())


def _judgment(stored: Stored, article: Article, mode: Mode) -> JudgmentData:
    """Return a judgment, and what the rules say about it."""
    state = stored.state
    grades = None
    if mode == "2005":  # in mode 2003, every element may get every grade
        rows = gradable(state, article, mode)
        values = [
            cast("list[WireGrade]", list(each)) for each in allowed(state, article, mode, rows)
        ]
        grades = list(zip(rows.tolist(), values, strict=True))
    return JudgmentData(
        state=_state(state),
        version=stored.version,
        can_undo=stored.can_undo,
        can_redo=stored.can_redo,
        problems=list(problems(state, article, mode)),
        inconsistencies=list(inconsistencies(state, article, mode)),
        gradable=msgspec.UNSET if grades is None else grades,
    )


def _pooled_spans(campaign: Campaign, topic: str, article: Article) -> list[Span]:
    """Return where the pooled elements of a document are, not which system returned them."""
    spans = set()
    for element in campaign.pooled_elements(topic, article.document) or ():
        if element.path is None:
            start, end = element.start or 0, element.end or 0
        else:
            row = article.row_of(element.path)
            if row < 0:
                continue
            start, end = int(article.start[row]), int(article.end[row])
        if 0 <= start < end <= len(article.text):
            spans.add((start, end))
    return sorted(spans)


def _others(request: Request, document: str) -> list[OtherJudgment]:
    """Return what the assessors of a topic said of a document, by pseudonym, for its adjudicators.

    Somebody who also assesses the topic judges a document before they see what others said of it.
    """
    campaign, topic, user = campaign_of(request), request.state.topic, request.user
    if "assess" in parts_of(request, topic):
        _refuse_before_own(campaign, topic, document, user)
    others = [
        OtherJudgment(judged.assessor, _state(judged.state))
        for judged in campaign.judgments(topic, document=document)
        if judged.assessor is not None and not judged.adjudicated
    ]
    return sorted(others, key=lambda other: other.who)


def post_operations(request: Request, message: UncheckedOperations) -> Response:
    """Carry out operations on one document, in order up to the first that fails."""
    campaign, document = campaign_of(request), document_of(request)
    topic, judge = request.state.topic, request.state.judge
    operations = _operations(message)
    _check_user(request, message)
    article = _article_to_judge(campaign, document)
    submitted = campaign.submit(topic, document, judge, request.user, operations)
    judgment = _fields(_judgment(submitted.stored, article, campaign.mode))
    failure = submitted.failure
    if failure is not None:
        explained = OperationsFailure(
            **judgment, applied=submitted.applied, error=failure.message, code=failure.code
        )
        return _answer(explained, _STATUS[failure.kind])
    following: str | msgspec.UnsetType | None = msgspec.UNSET
    if operations[-1].kind in _FINISHING:
        following = next_document(campaign.queue(topic, judge), document)
    return _answer(OperationsReply(**judgment, next=following))


def _operations(message: UncheckedOperations) -> list[Operation]:
    """Return the operations of a request; if one cannot be carried out by anybody, none is."""
    try:
        return [parse_operation(operation) for operation in message.operations]
    except MalformedOperation as error:
        raise RefusedRequest(400, f"{error}.", "malformed") from None


def _article_to_judge(campaign: Campaign, document: str) -> Article:
    """Return an article; what is not in the collection is in no queue either."""
    try:
        return campaign.article(document)
    except UnknownReference:
        raise NotInQueue(f"there is no document {document!r}") from None


def _check_user(request: Request, message: TopicRequest) -> None:
    """Refuse what one user did on a page that was still open when another signed in."""
    if message.user not in (None, msgspec.UNSET, request.user.name):
        raise RefusedRequest(409, "Somebody else has signed in since this was done.", "user")


def post_time(request: Request, message: TimeRequest) -> Response:
    """Add time that was spent on a document."""
    document = document_of(request)
    _check_user(request, message)
    state, campaign = request.state, campaign_of(request)
    _article_to_judge(campaign, document)
    campaign.add_time(state.topic, document, state.judge, message.seconds)
    return _done()


def post_keywords(request: Request, message: KeywordsRequest) -> Response:
    """Choose other words to colour."""
    try:
        words = checked_keywords(message.words)
    except CampaignError as error:
        raise RefusedRequest(400, f"{error}.", "malformed") from None
    campaign_of(request).set_keywords(request.state.topic, request.user, words)
    return _done()


def query_of(request: Request) -> str:
    """Return what to look for, which has its limit."""
    query: str = request.state.query.get("q", "")
    if len(query) > LONGEST_QUERY:
        raise RefusedRequest(400, f"A query has at most {LONGEST_QUERY} characters.", "malformed")
    return query


def get_find(request: Request) -> Response:
    """Find documents by the beginning of their ids or by words, in the pool or outside it."""
    matches = site_of(request).finder.find(query_of(request))
    queue = campaign_of(request).queue(request.state.topic, request.state.judge)
    entries = {entry.document: entry for entry in queue}
    documents = []
    for match in matches.documents:
        entry = entries.get(match.document)
        documents.append(
            MatchingDocument(
                doc=match.document,
                title=match.title,
                snippet=match.snippet,
                in_pool=entry is not None and not entry.off_pool,
                in_queue=entry is not None,
                judged=entry is not None and entry.is_done,
            )
        )
    return _answer(FindData(documents, matches.how))


def post_outside(request: Request, message: TopicRequest) -> Response:
    """Let a document outside the pool be judged too."""
    add_outside(request)
    return _done()


def add_outside(request: Request) -> str:
    """Add a document to a queue, unless it is there; return its id as the collection has it."""
    campaign, topic, judge = campaign_of(request), request.state.topic, request.state.judge
    document = campaign.collection.id_of(campaign.collection.document(document_of(request)))
    if known_topic(campaign, topic).is_closed:
        raise RefusedRequest(423, "The topic is closed.", "closed")
    if all(entry.document != document for entry in campaign.queue(topic, judge)):
        campaign.add_outside(topic, document, judge)
    return document
