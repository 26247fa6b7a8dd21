"""What the page and the server say to each other: every message in JSON, as a typed record.

The types of `web/src/shared/api-types.ts` are generated from these classes. Positions are code
points of the document's text; spans are half-open. A field that is UNSET is not there.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from doxeval.assess.db import MAX_SECONDS, DisplayRole, Snap
from doxeval.assess.judging import (
    BEP_QUOTE,
    LONGEST_COMMENT,
    LONGEST_NOTE,
    LONGEST_QUOTE,
    Mode,
    Status,
)

__all__ = [  # for the page
    "BEP_QUOTE",
    "LONGEST_COMMENT",
    "LONGEST_NOTE",
    "LONGEST_QUOTE",
    "MAX_SECONDS",
]

MAX_OPERATIONS = 200  # in one request
LONGEST_QUERY = 200

Span = tuple[int, int]
Comment = tuple[int, int, str]  # the passage, and what is said of it
# 2005: 2, 1 or "?"; 2003: exhaustivity and specificity.
WireGrade = int | Literal["?"] | tuple[int, int]
OperationKind = Literal[
    "highlight", "unhighlight", "bep", "clear-bep", "grade", "validate", "not-relevant", "reopen",
    "note", "comment", "problem", "skip", "undo", "redo",
]  # fmt: skip


FactName = Literal[
    "dir", "lang", "rowspan", "colspan", "start", "value", "reversed", "numbering", "display"
]
# The row of an element, and something that its author said of how it is shown.
Fact = tuple[int, FactName, str]


class StateData(Struct, frozen=True):
    """The judgment of one document as it stands."""

    highlights: list[Span]
    bep: int | None
    grades: dict[str, WireGrade]
    inferred: list[str]
    status: Status
    skipped: bool
    problem: bool
    note: str
    comments: list[Comment] = []


class TopicData(Struct, frozen=True, omit_defaults=True):
    """The statement of a topic, without fields that are empty."""

    id: str
    title: str | UnsetType = UNSET
    castitle: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    narrative: str | UnsetType = UNSET
    keywords: str | UnsetType = UNSET


class ElementRows(Struct, frozen=True):
    """The elements of a document in their order, as columns.

    The path of a row is made of the tags and ordinals of its ancestors and its own. tag and role
    are numbers of the article's tags and roles.
    """

    start: list[int]
    end: list[int]
    parent: list[int]
    tag: list[int]
    ordinal: list[int]
    role: list[int]


class PictureData(Struct, frozen=True):
    """A picture of an element: words that stand for it, and its number if the server has it."""

    element: int
    alt: str
    number: int | None


class QueuePlace(Struct, frozen=True, rename="camel"):
    """Where a document is in the queue of its judge, and its neighbours there."""

    position: int
    total: int
    done: int
    previous: str | None
    next: str | None
    off_pool: bool


class OtherJudgment(Struct, frozen=True):
    """What an assessor, by pseudonym, said of a document that is adjudicated."""

    who: str
    state: StateData


class JudgmentData(Struct, frozen=True, rename="camel", kw_only=True):
    """A judgment, and what the rules say about it.

    inconsistencies: paths, each with a sentence. gradable: in mode 2005, rows of elements and the
    values that each may get; in mode 2003 every element may get every grade.
    """

    state: StateData
    version: int
    can_undo: bool
    can_redo: bool
    problems: list[str]
    inconsistencies: list[tuple[str, str]]
    gradable: list[tuple[int, list[WireGrade]]] | UnsetType = UNSET


class ArticleData(JudgmentData, frozen=True, rename="camel", kw_only=True):
    """All that the page of an article shows: the document, the topic, and the judgment so far.

    original: where the document was published, if the organiser says. pooled: None if the organiser
    does not show what the systems returned. others: to adjudicators.
    """

    user: str
    topic: TopicData
    doc: str
    title: str
    original: str | None
    mode: Mode
    closed: bool
    adjudicating: bool
    readonly: bool
    text: str
    length: int
    sha256: str
    elements: ElementRows
    tags: list[str]
    roles: list[DisplayRole]
    facts: list[Fact]
    pictures: list[PictureData]
    pooled: list[Span] | None
    keywords: list[str]
    snap: Snap
    queue: QueuePlace
    others: list[OtherJudgment] | UnsetType = UNSET


class OperationsReply(JudgmentData, frozen=True, rename="camel", kw_only=True):
    """The judgment after some operations.

    next: after operations that finish a document, the next one to judge; None if all are done.
    """

    next: str | UnsetType | None = UNSET


class OperationsFailure(OperationsReply, frozen=True, rename="camel", kw_only=True):
    """The judgment after the operations before one that failed, how many they are, and why."""

    applied: int
    error: str
    code: str


class ErrorData(Struct, frozen=True):
    """A request that is refused: a sentence for the reader, and a word for programs."""

    error: str
    code: str


class MatchingDocument(Struct, frozen=True, rename="camel"):
    """A document that fits a query, and a part of its text that shows why.

    in_queue: in the pool, or added to the queue by the assessor.
    """

    doc: str
    title: str
    snippet: str
    in_pool: bool
    in_queue: bool
    judged: bool


class FindData(Struct, frozen=True):
    """Documents that fit a query, and in words how they were searched for."""

    documents: list[MatchingDocument]
    how: str


class OperationData(Struct, frozen=True, forbid_unknown_fields=True):
    """A gesture; which fields each kind carries is said in `judging`."""

    op_id: str
    base_version: int
    kind: OperationKind
    start: int | None = None
    end: int | None = None
    quote: str | None = None
    quote_length: int | None = None
    quote_sha256: str | None = None
    path: str | None = None
    value: Any = None
    client_time: str | None = None


class TopicRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every request may say in its body instead of in its address.

    user: who made the request, as the page knows it; somebody else may have signed in since.
    """

    topic: str | UnsetType = UNSET
    doc: str | UnsetType = UNSET
    judge: Literal["adjudicated"] | UnsetType | None = UNSET
    user: str | UnsetType | None = UNSET


class OperationsRequest(TopicRequest, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Operations on one document, carried out in order up to the first that fails."""

    operations: Annotated[list[OperationData], Meta(min_length=1, max_length=MAX_OPERATIONS)]


class TimeRequest(TopicRequest, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Time that was spent on a document, in seconds."""

    seconds: Annotated[float, Meta(ge=0, le=MAX_SECONDS)]


class KeywordsRequest(TopicRequest, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The words to colour in the documents of a topic."""

    words: list[str]
