"""Carrying the judgments of a campaign over to a collection that was built again.

Every judgment whose text changed gets an operation in the log that says what it is now; nothing
before it can be undone. All of this is one transaction.

A highlight moves to where its text stands in the new version. The quote must occur exactly once in
the old text and once in the new one; where it occurs more often, it is taken with more and more of
the text around it. A best entry point moves with the text after it in the same way. A grade stays
if its element, found by path, has the same text. Whatever cannot be placed for certain is
listed as not found. Nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, select, update

from doxeval.assess.db.judgments import (
    Author,
    Stacks,
    Target,
    import_operation,
    stored_of,
    submit,
    write_judgment,
)
from doxeval.assess.db.pools import note_change, remove_documents
from doxeval.assess.db.replay import REBASED
from doxeval.assess.db.schema import JUDGMENTS, POOL_DOCUMENTS, USERS, note_event, put_setting
from doxeval.assess.db.session import CampaignError
from doxeval.assess.db.snapshots import keep_snapshot, read_snapshot
from doxeval.assess.db.topics import load_settings, recorded_collection
from doxeval.assess.judging import (
    Article,
    Comment,
    Grade,
    Mode,
    Range,
    State,
    merged_comments,
    problems,
)
from doxeval.assessments import merge_passages
from doxeval.documents import Collection
from doxeval.errors import CollectionError
from doxeval.messages import join_names, plural, quoted, short_path

# How much text after a best entry point it is found by.
_AFTER = 32
_FIRST_CONTEXT = 8


@dataclass(frozen=True)
class NotReanchored:
    """Something of a judgment that has no certain place in the new text."""

    topic: str
    document: str
    who: str
    what: str


@dataclass(frozen=True)
class RebaseReport:
    """What became of the judgments.

    unchanged: their text is the same. moved: they were carried over. not_found: what was not; those
    judgments are open again. removed: documents that the new collection does not have, and that
    were in the pool or merely opened, but not judged by anybody.
    """

    unchanged: int
    moved: int
    not_found: tuple[NotReanchored, ...]
    removed: tuple[tuple[str, str], ...]


class Rebase:
    """One campaign on its way from one collection to another."""

    def __init__(self, connection: Connection, new: Collection) -> None:
        self.connection = connection
        self.new = new
        self.mode: Mode = load_settings(connection).mode
        self.recorded: dict[str, str] = recorded_collection(connection)
        self.old = _collection_if_there(self.recorded)
        self.names = {0: "adjudicated"}
        for row in connection.execute(select(USERS.c.id, USERS.c.name)):
            self.names[row.id] = row.name

    def run(self) -> RebaseReport:
        """Carry everything over."""
        removed = self._without_missing()
        unchanged = moved = 0
        not_found: list[NotReanchored] = []
        for row in self.connection.execute(select(JUDGMENTS)).all():
            missing = self._judgment(row)
            unchanged += missing is None
            moved += missing is not None and not missing
            not_found += missing or ()
        not_found += self._honeypots()
        place = {"path": self.new.address, "seal": self.new.checksum}
        put_setting(self.connection, "collection", place)
        note_event(
            self.connection, "rebased", moved=moved, lost=len(not_found), seal=self.new.checksum
        )
        return RebaseReport(unchanged, moved, tuple(not_found), removed)

    def _judgment(self, row: Any) -> list[NotReanchored] | None:
        """Carry a judgment over; return what was not found, or None if its text is the same."""
        target = Target(row.topic, row.document, row.judge)
        new = Article.of(self.new, row.document)
        state = State.from_json(row.state)
        if row.text_sha256 == new.sha256 and not state.grades:
            return None
        anchored, not_found = self._anchored(state, row.document, row.text_sha256, new)
        if row.text_sha256 == new.sha256 and anchored == state:
            return None
        stored = replace(stored_of(row), text_sha256=new.sha256)
        write_judgment(self.connection, target, stored)
        if row.version:
            operation = import_operation(anchored, row.version, REBASED)
            after = submit(self.connection, target, Author(None, True), operation, new, self.mode)
            write_judgment(self.connection, target, replace(after, stacks=Stacks()))
            if anchored.is_relevant:
                keep_snapshot(self.connection, new)
        who = self.names[row.judge]
        return [NotReanchored(row.topic, row.document, who, what) for what in not_found]

    def _honeypots(self) -> list[NotReanchored]:
        """Carry known answers over; a honeypot whose answer is not found is one no longer."""
        table = POOL_DOCUMENTS.c
        not_found: list[NotReanchored] = []
        for row in self.connection.execute(select(POOL_DOCUMENTS).where(table.honeypot)).all():
            state, old = State.from_json(row.gold), self._old_article(row.document, None)
            new = Article.of(self.new, row.document)
            missing: tuple[str, ...] = ("its old text is gone",)
            if old is not None:
                state, missing = reanchor(state, old, new, self.mode)
            not_found += [
                NotReanchored(row.topic, row.document, "honeypot", what) for what in missing
            ]
            values: dict[str, Any] = {"gold": state.as_json()}
            if missing:
                values = {"gold": None, "honeypot": False}
            self.connection.execute(
                update(POOL_DOCUMENTS)
                .where(table.topic == row.topic, table.document == row.document)
                .values(**values)
            )
        return not_found

    def _anchored(
        self, state: State, document: str, text_sha256: str, new: Article
    ) -> tuple[State, tuple[str, ...]]:
        if not (state.highlights or state.bep is not None or state.grades or state.comments):
            return state, ()
        old = self._old_article(document, text_sha256)
        if old is not None:
            return reanchor(state, old, new, self.mode)
        empty = replace(
            state,
            highlights=(),
            bep=None,
            grades={},
            inferred=frozenset(),
            comments=(),
            status="open",
        )
        return empty, ("everything: the text that was judged is neither kept nor found",)

    def _old_article(self, document: str, text_sha256: str | None) -> Article | None:
        """Return a document as it was judged: kept, or from the old collection if it is there."""
        if text_sha256 is not None:
            article = read_snapshot(self.connection, document, text_sha256)
            if article is not None:
                return article
        return None if self.old is None else Article.of(self.old, document)

    def _without_missing(self) -> tuple[tuple[str, str], ...]:
        """Take out documents that are gone; if they were judged, refuse the rebase."""
        judged = select(JUDGMENTS.c.topic, JUDGMENTS.c.document).where(JUDGMENTS.c.version > 0)
        begun = {tuple(row) for row in self.connection.execute(judged)}
        pool = select(POOL_DOCUMENTS.c.topic, POOL_DOCUMENTS.c.document)
        opened = select(JUDGMENTS.c.topic, JUDGMENTS.c.document)  # perhaps never touched
        both = (row for query in (pool, opened) for row in self.connection.execute(query))
        pairs = sorted(begun | {tuple(row) for row in both})
        numbers = self.new.find_documents([document for _, document in pairs]).tolist()
        missing = [pair for pair, number in zip(pairs, numbers, strict=True) if number < 0]
        if lacking := sorted({pair[1] for pair in missing if pair in begun}):
            raise CampaignError(
                f"the new collection lacks {plural(len(lacking), 'document')} that were judged: "
                f"{join_names(lacking)}"
            )
        note_change(self.connection)
        for topic, document in missing:
            remove_documents(self.connection, topic, {document})
        return tuple((str(topic), str(document)) for topic, document in missing)


def rebase(connection: Connection, new: Collection) -> RebaseReport:
    """Carry a campaign over to another collection."""
    return Rebase(connection, new).run()


def _collection_if_there(recorded: dict[str, str]) -> Collection | None:
    try:
        old = Collection(recorded["path"])
    except CollectionError:
        return None
    return old if old.checksum == recorded["seal"] else None


# The same text in the new version


def reanchor(state: State, old: Article, new: Article, mode: Mode) -> tuple[State, tuple[str, ...]]:
    """Return the state in the new version of the text, and what of it is not found.

    The state stays validated if everything was found and the rules still allow it.

    >>> from doxeval.documents.examples import example_collection
    >>> before = example_collection({"a": "<s><p>Low tide.</p></s>"})
    >>> after = example_collection({"a": "<s><p>At night, low or high.</p><p>Low tide.</p></s>"})
    >>> state = State(highlights=((4, 8),), bep=4, status="validated")
    >>> moved, not_found = reanchor(state, Article.of(before, "a"), Article.of(after, "a"), "2006")
    >>> moved.highlights, moved.bep, moved.status, not_found
    (((26, 30),), 26, 'validated', ())
    >>> gone = Article.of(example_collection({"a": "<s>High water.</s>"}), "a")
    >>> moved, not_found = reanchor(state, Article.of(before, "a"), gone, "2006")
    >>> moved.highlights, moved.status, len(not_found)
    ((), 'open', 2)
    """
    not_found: list[str] = []
    highlights: list[Range] = []
    for start, end in state.highlights:
        at, why = _new_place(old.text, new.text, start, end)
        if at is None:
            not_found.append(
                f"the highlight {start:,} to {end:,}, {quoted(old.text[start:end])}: {why}"
            )
        else:
            highlights.append((at, at + end - start))
    bep = state.bep
    if bep is not None:
        after = min(bep + _AFTER, len(old.text))
        bep, why = _new_place(old.text, new.text, bep, after)
        if bep is None:
            quote = quoted(old.text[state.bep : after])
            not_found.append(f"the best entry point {state.bep:,}, before {quote}: {why}")
    comments: list[Comment] = []
    for start, end, comment in state.comments:
        at, why = _new_place(old.text, new.text, start, end)
        if at is None:
            quote = quoted(old.text[start:end])
            not_found.append(f"the comment {quoted(comment)} on {quote}: {why}")
        else:
            comments.append((at, at + end - start, comment))
    joined, _ = merge_passages(highlights)
    grades: dict[str, Grade] = {}
    for path, grade in state.grades.items():
        if reason := _why_not(path, old, new, joined if mode == "2005" else None):
            not_found.append(f"the grade of {short_path(path)}: {reason}")
        else:
            grades[path] = grade
    moved = replace(
        state,
        highlights=joined,
        bep=bep,
        grades=grades,
        inferred=state.inferred & grades.keys(),
        comments=merged_comments(comments),
    )
    if not_found or problems(moved, new, mode):
        moved = replace(moved, status="open")
    return moved, tuple(not_found)


def _new_place(old: str, new: str, start: int, end: int) -> tuple[int | None, str]:
    """Return where a range of the old text begins in the new one; or None, and why."""
    if old == new:
        return start, ""
    around = 0
    while True:
        left, right = max(start - around, 0), min(end + around, len(old))
        quote = old[left:right]
        at = new.find(quote)
        if at < 0:
            if not around:
                return None, "its text is not there any more"
            return None, "its text stands in several places, and the text around it has changed"
        if quote and _is_only(quote, old, left) and _is_only(quote, new, at):
            return at + start - left, ""
        if right - left == len(old):
            return None, "its text stands in several places"
        around = 2 * around or _FIRST_CONTEXT


def _is_only(quote: str, text: str, at: int) -> bool:
    """Tell whether a quote that stands at a place in a text stands nowhere else in it."""
    return text.find(quote) == at and text.find(quote, at + 1) < 0


def _why_not(
    path: str, old: Article, new: Article, highlights: Sequence[Range] | None
) -> str | None:
    """Return why the grade of an element does not stay, if it does not.

    highlights: those that the element must touch, if it must.
    """
    before, after = old.row_of(path), new.row_of(path)
    if after < 0:
        return "there is no such element any more"
    start, end = int(new.start[after]), int(new.end[after])
    if before < 0 or old.text[old.start[before] : old.end[before]] != new.text[start:end]:
        return "its text has changed"
    if highlights is not None and not any(a < end and start < b for a, b in highlights):
        return "nothing in it is highlighted any more"
    return None
