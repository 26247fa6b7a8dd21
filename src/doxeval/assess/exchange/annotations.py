"""Judgments as W3C Web Annotations (JSON-LD), one file for all topics.

    {"@context": …, "type": "AnnotationCollection", …, "first": {"type": "AnnotationPage", …}}

Each judged document makes these annotations, one on each line:

    assessing      the document: "relevant" or "not relevant"; its marks as tags
    bookmarking    the best entry point: where the selected text begins
    highlighting   a highlighted passage
    assessing      an element, by its path (XPathSelector): its grade as JSON
    commenting     the assessor's note, or with a passage a comment on it

The topic is a body with the purpose "classifying", the assessor's pseudonym the nickname of the
creator, a Person or Software. Text is selected by position, in code points, half-open, and by quote
with 32 characters on either side; the whole text of a judged document by position. The source is
the document's id, percent-encoded. Ids are made from what is annotated, so they are the same each
time.

A file that is read is an AnnotationCollection with its first page, an AnnotationPage, or a list of
annotations. Text must be selected by position; a quote, if there is one too, must be the text at
that position.

JSON-LD may have properties of others, which are passed over. What is nearly a property of the
standard is an error, and so is anything but e, s and inferred in a grade.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias, TypeVar
from urllib.parse import quote, unquote
from uuid import UUID, uuid5

import msgspec
from msgspec import UNSET, Meta, Struct

from doxeval.assess.exchange.types import Judged, ReadJudgment
from doxeval.assess.judging import (
    Article,
    Grade,
    Range,
    flaw_of_comment,
    flaw_of_note,
    grade_from_json,
)
from doxeval.assessments import LARGEST_FILE, MARKS, merge_passages
from doxeval.columns import refuse_unknown
from doxeval.documents import Collection, normalise_id
from doxeval.errors import FormatError, InputError, UnknownReference
from doxeval.files import decode_json, open_input, read_up_to
from doxeval.messages import closest, quoted, short_path

R = TypeVar("R")
CONTEXT = "http://www.w3.org/ns/anno.jsonld"
_NAMES = UUID("9b4ee8a1-6f0c-5d38-8f7e-2a41c6d0b517")
# How much text a quote has around it, and a best entry point after it.
AROUND = 32
RELEVANT, NOT_RELEVANT = "relevant", "not relevant"
# All properties of annotations, bodies, targets, selectors and agents in the standard.
_PROPERTIES = frozenset(
    "@context id type motivation body bodyValue target creator created modified generator "
    "generated audience rights canonical via stylesheet purpose value format language "
    "processingLanguage textDirection accessibility items source selector state scope "
    "renderedVia styleClass start end exact prefix suffix conformsTo refinedBy startSelector "
    "endSelector cached sourceDate sourceDateStart sourceDateEnd name nickname email "
    "email_sha1 homepage label".split()
)
_MISSPELT = 0.85  # how much of a name is right if it is nearly another


def annotation_lines(judged: Sequence[Judged], collection: Collection) -> Iterator[bytes]:
    """Return the lines of a file of annotations.

    >>> from doxeval.assess.judging import State
    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s>Low tide.</s>"})
    >>> judged = Judged("7", "a", "A1", State(status="validated"), 9)
    >>> page = json.loads(b"".join(annotation_lines([judged], collection)))
    >>> page["total"], page["first"]["items"][0]["motivation"]
    (1, 'assessing')
    """
    items = [item for each in judged for item in _annotations(each, collection)]
    head = {"@context": CONTEXT, "type": "AnnotationCollection", "total": len(items)}
    yield f'{_json(head)[:-1]}, "first": {{"type": "AnnotationPage", "items": [\n'.encode()
    for number, item in enumerate(items, 1):
        yield f"{_json(item)}{'' if number == len(items) else ','}\n".encode()
    yield b"]}}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _annotations(judged: Judged, collection: Collection) -> Iterator[dict[str, Any]]:
    article = Article.of(collection, judged.document)
    state = judged.state
    whole = {"type": "TextPositionSelector", "start": 0, "end": len(article.text)}
    bodies = [_text("assessing", RELEVANT if state.is_relevant else NOT_RELEVANT)]
    bodies += [_text("tagging", mark) for mark in judged.marks]
    yield _annotation(judged, "assessing", bodies, whole)
    if state.bep is not None:
        end = min(state.bep + AROUND, len(article.text))
        yield _annotation(judged, "bookmarking", [], *_selectors(article.text, state.bep, end))
    for start, end in state.highlights:
        yield _annotation(judged, "highlighting", [], *_selectors(article.text, start, end))
    for path in in_document_order(state.grades, article):
        value = _json(_grade(state.grades[path], path in state.inferred))
        body = {**_text("assessing", value), "format": "application/json"}
        selector = {"type": "XPathSelector", "value": path}
        yield _annotation(judged, "assessing", [body], selector)
    if state.note:
        yield _annotation(judged, "commenting", [_text("commenting", state.note)])
    for start, end, comment in state.comments:
        bodies = [_text("commenting", comment)]
        yield _annotation(judged, "commenting", bodies, *_selectors(article.text, start, end))


def in_document_order(paths: Iterable[str], article: Article) -> list[str]:
    """Return paths of elements in document order.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<s><p>Low</p><b>tide</b></s>"}), "a")
    >>> in_document_order(["/s[1]/b[1]", "/s[1]/p[1]"], article)
    ['/s[1]/p[1]', '/s[1]/b[1]']
    """
    return sorted(paths, key=article.row_of)


def _annotation(
    judged: Judged, motivation: str, bodies: list[dict[str, Any]], *selectors: dict[str, Any]
) -> dict[str, Any]:
    target: dict[str, Any] = {"source": quote(judged.document, safe="")}
    if selectors:
        target["selector"] = selectors[0] if len(selectors) == 1 else list(selectors)
    about: dict[str, Any] = {"motivation": motivation}
    if judged.assessor is not None:
        kind = "Software" if judged.program else "Person"
        about["creator"] = {"type": kind, "nickname": judged.assessor}
    about["body"] = [_text("classifying", judged.topic), *bodies]
    about["target"] = target
    return {"id": f"urn:uuid:{uuid5(_NAMES, _json(about))}", "type": "Annotation", **about}


def _text(purpose: str, value: str) -> dict[str, Any]:
    return {"type": "TextualBody", "purpose": purpose, "value": value}


def _selectors(text: str, start: int, end: int) -> list[dict[str, Any]]:
    return [
        {"type": "TextPositionSelector", "start": start, "end": end},
        {
            "type": "TextQuoteSelector",
            "exact": text[start:end],
            "prefix": text[max(start - AROUND, 0) : start],
            "suffix": text[end : end + AROUND],
        },
    ]


def _grade(grade: Grade, inferred: bool) -> dict[str, Any]:
    value: dict[str, Any] = {"e": grade}
    if isinstance(grade, tuple):
        value = {"e": grade[0], "s": grade[1]}
    return value | ({"inferred": True} if inferred else {})


# Reading


def read_annotations(
    path: str | os.PathLike[str], article_of: Callable[[str], Article]
) -> list[ReadJudgment]:
    """Return what the annotations of a file say of each document, by topic and assessor.

    >>> import json, pathlib, tempfile
    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s>Low tide.</s>"})
    >>> topic = {"type": "TextualBody", "purpose": "classifying", "value": "7"}
    >>> place = {"type": "TextPositionSelector", "start": 4, "end": 8}
    >>> annotation = {"type": "Annotation", "motivation": "highlighting", "body": topic}
    >>> annotation["target"] = {"source": "a", "selector": place}
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.jsonld"
    >>> _ = path.write_text(json.dumps({"type": "AnnotationPage", "items": [annotation]}))
    >>> read_annotations(path, lambda name: Article.of(collection, name))[0].highlights
    ((4, 8),)
    """
    origin = os.fspath(path)
    with open_input(path) as file:
        data = read_up_to(file, LARGEST_FILE)
    if len(data) > LARGEST_FILE:
        raise FormatError(f"more than {LARGEST_FILE:,} bytes in one file", origin)
    try:
        text = data.decode("utf-8-sig")
        value = decode_json(text)
    except ValueError:
        raise FormatError("expected JSON in UTF-8", origin) from None
    drafts: dict[tuple[str, str, str | None], _JudgmentDraft] = {}
    lines = _Lines(text)
    for number, item in enumerate(_items(value, origin), 1):
        line = lines.of(item)
        try:
            annotation = _Annotation(item)
            draft = drafts.setdefault(annotation.key, _JudgmentDraft(*annotation.key, origin, line))
            draft.add(annotation, article_of(annotation.document))
        except InputError as error:
            raise type(error)(f"annotation {number}: {error.message}", origin, line) from None
    return [draft.judgment() for draft in drafts.values()]


class _AnnotationPage(Struct):
    """What holds annotations: a page, or a collection with its first page."""

    items: list[Any] | None = None
    first: Any = None
    next: Any = None
    last: Any = None


def _items(value: object, origin: str) -> list[Any]:
    """Return the annotations of a file."""
    try:
        if isinstance(value, list):
            return value
        outer = msgspec.convert(value, _AnnotationPage)
        page = outer if outer.first is None else msgspec.convert(outer.first, _AnnotationPage)
    except msgspec.ValidationError:
        page = outer = _AnnotationPage()
    if page.next or outer.last:
        raise FormatError("annotations on several pages: expected all on the first", origin)
    if page.items is None:
        raise FormatError("expected an AnnotationPage or AnnotationCollection with items", origin)
    return page.items


class _Lines:
    """On which line of a text each annotation stands, asked for in their order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at, self._line = 0, 1

    def of(self, item: Any) -> int | None:
        """Return the line with the id of an annotation; None if it has no id."""
        name = item.get("id") if isinstance(item, dict) else None
        at = self._text.find(f'"{name}"', self._at) if isinstance(name, str) else -1
        if at < 0:
            return None
        self._line += self._text.count("\n", self._at, at)
        self._at = at
        return self._line


class _Body(Struct):
    """What an annotation says; its value must be text where it is read."""

    purpose: Any = None
    value: Any = None


class _PositionSelector(Struct):
    """The text from start to end."""

    start: Annotated[int, Meta(ge=0)]
    end: Annotated[int, Meta(ge=0)]


class _QuoteSelector(Struct):
    """A text with what is around it."""

    exact: str = ""
    prefix: str = ""
    suffix: str = ""


class _PathSelector(Struct):
    """An element by its path."""

    value: str


_Objects: TypeAlias = dict[str, Any] | list[dict[str, Any]] | None


class _AnnotationTarget(Struct):
    """What an annotation is about."""

    source: str
    selector: Any = None


class _Creator(Struct):
    """Who made an annotation."""

    nickname: str | None = None


class _Annotation:
    """One annotation, its parts checked as they are needed."""

    def __init__(self, item: object) -> None:
        if not isinstance(item, dict) or item.get("type") != "Annotation":
            raise FormatError("expected an object of the type Annotation")
        _refuse_misspelt(item)
        self.motivation: object = item.get("motivation")
        self._bodies = [msgspec.convert(body, _Body) for body in _objects(item, "body")]
        targets = _objects(item, "target")
        if len(targets) != 1:
            raise FormatError(f"{len(targets)} targets: expected one")
        self._selectors = _objects(targets[0], "selector")
        wrong_source = "expected a target with the id of a document as its source"
        source = unquote(_converted(targets[0], _AnnotationTarget, wrong_source).source)
        if not source.strip():
            raise FormatError(wrong_source)
        self.document = normalise_id(source)
        creator = item.get("creator")
        self.assessor: str | None = None
        if isinstance(creator, dict):  # else an address, which says no name
            _refuse_misspelt(creator)
            wrong = f"the nickname of the creator is {quoted(creator.get('nickname'))}"
            self.assessor = _converted(creator, _Creator, wrong).nickname
        self.topic = self.body("classifying")

    @property
    def key(self) -> tuple[str, str, str | None]:
        """The topic, the document and the assessor."""
        return self.topic, self.document, self.assessor

    def body(self, purpose: str) -> str:
        """Return the text of the one body with a purpose."""
        texts = self.bodies(purpose)
        if len(texts) != 1:
            raise FormatError(f"{len(texts)} bodies with the purpose {purpose}: expected one")
        return texts[0]

    def bodies(self, purpose: str) -> list[str]:
        """Return the texts of all bodies with a purpose."""
        values = [body.value for body in self._bodies if body.purpose == purpose]
        wrong = f"a body with the purpose {purpose} without text as its value"
        return _converted(values, list[str], wrong)

    @property
    def path(self) -> str | None:
        """The path of the element that it is about, if it is about one."""
        selector = self._selector("XPathSelector")
        if selector is None:
            return None
        wrong = "an XPathSelector without a path as its value"
        return _converted(selector, _PathSelector, wrong).value

    def place(self, text: str) -> Range | None:
        """Return the text that is selected, if some is, compared with its quote."""
        position = self._selector("TextPositionSelector")
        quote = self._selector("TextQuoteSelector")
        if position is None:
            if quote is not None:
                raise FormatError("a quote without its position: expected a TextPositionSelector")
            return None
        wrong = (
            f"text from {quoted(position.get('start'))} to {quoted(position.get('end'))}: "
            "expected offsets"
        )
        selected = _converted(position, _PositionSelector, wrong)
        start, end = selected.start, selected.end
        if start > end:
            raise FormatError(wrong)
        if end > len(text):
            raise UnknownReference(f"{end:,} is beyond the end of the text, {len(text):,}")
        if quote is not None:
            no_text = "a quote whose exact, prefix or suffix is no text"
            around = _converted(quote, _QuoteSelector, no_text)
            before = text[max(start - len(around.prefix), 0) : start]
            if (text[start:end], before) != (around.exact, around.prefix) or not text.startswith(
                around.suffix, end
            ):
                raise UnknownReference(f"the text from {start:,} to {end:,} is not the one quoted")
        return start, end

    def _selector(self, kind: str) -> dict[str, Any] | None:
        given = [selector for selector in self._selectors if selector.get("type") == kind]
        if len(given) > 1:
            raise FormatError(f"{len(given)} selectors of the type {kind}: expected one")
        return given[0] if given else None


def _converted(value: object, record: type[R], wrong: str) -> R:
    """Return a value as a record; if it is none, an error with these words."""
    try:
        return msgspec.convert(value, record)
    except msgspec.ValidationError:
        raise FormatError(wrong) from None


def _objects(item: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Return a property that is one object or several, always as a list."""
    value = item.get(name)
    try:
        given: _Objects = msgspec.convert(value, _Objects)
    except msgspec.ValidationError:
        message = f"{name} is {quoted(value)}: expected an object, or a list of them"
        raise FormatError(message) from None
    objects = [given] if isinstance(given, dict) else given or []
    for properties in objects:
        _refuse_misspelt(properties)
    return objects


def _refuse_misspelt(given: dict[str, Any]) -> None:
    """Refuse a property that is nearly one of the standard; those of others may be there."""
    for name in sorted(given.keys() - _PROPERTIES):
        meant = closest(name, _PROPERTIES, _MISSPELT)
        if meant is not None:
            raise FormatError(f"unknown property {quoted(name)}; did you mean {meant}?")


class _GradeRecord(Struct):
    """The grade of an element as JSON in the text of a body."""

    e: Any = UNSET
    s: Any = UNSET
    inferred: Any = False


def _graded(text: str) -> _GradeRecord:
    try:
        value = decode_json(text)
    except ValueError:
        value = None
    if isinstance(value, dict):
        refuse_unknown(value, _GradeRecord.__struct_fields__)
    return _converted(value, _GradeRecord, f"{quoted(text)} is no grade")


@dataclass
class _JudgmentDraft:
    """The annotations of one judgment."""

    topic: str
    document: str
    assessor: str | None
    origin: str
    line: int | None
    highlights: list[Range] = field(default_factory=list)
    grades: dict[str, Grade] = field(default_factory=dict)
    inferred: set[str] = field(default_factory=set)
    comments: dict[Range, str] = field(default_factory=dict)
    # What is said once: "bep", "note", "relevant" and "marks".
    facts: dict[str, Any] = field(default_factory=dict)

    def add(self, annotation: _Annotation, article: Article) -> None:
        """Take in an annotation."""
        place = annotation.place(article.text)
        if annotation.motivation == "highlighting":
            self.highlights.append(_needed(place))
        elif annotation.motivation == "bookmarking":
            self._set("bep", _needed(place)[0])
        elif annotation.motivation == "commenting":
            comment = annotation.body("commenting")
            if place is None:
                self._set("note", comment)
            elif self.comments.setdefault(place, comment) != comment:
                raise FormatError(f"there are two comments on {place[0]:,} to {place[1]:,}")
        elif annotation.motivation == "assessing" and (path := annotation.path) is not None:
            self._add_grade(path, annotation.body("assessing"), article)
        elif annotation.motivation == "assessing":
            self._assess(annotation, place, article)
        else:
            raise FormatError(
                f"motivation is {quoted(annotation.motivation)}: expected assessing, bookmarking, "
                "highlighting or commenting"
            )

    def _assess(self, annotation: _Annotation, place: Range | None, article: Article) -> None:
        """Take in what is said of the document as a whole."""
        if place is not None and place != (0, len(article.text)):
            raise UnknownReference(
                f"the whole text is said to be {place[0]:,} to {place[1]:,}, but the collection "
                f"has {len(article.text):,} characters"
            )
        value, marks = annotation.body("assessing"), annotation.bodies("tagging")
        if value not in (RELEVANT, NOT_RELEVANT):
            raise FormatError(f"{quoted(value)}: expected {RELEVANT!r} or {NOT_RELEVANT!r}")
        if unknown := [mark for mark in marks if mark not in MARKS]:
            raise FormatError(f"the tag {quoted(unknown[0])}: expected {', '.join(MARKS)}")
        self._set("relevant", value == RELEVANT)
        self._set("marks", tuple(mark for mark in MARKS if mark in marks))

    def _add_grade(self, path: str, value: str, article: Article) -> None:
        row = article.row_of(path)
        if row < 0:
            raise UnknownReference(f"there is no element {short_path(path)}")
        graded = _graded(value)
        grade = grade_from_json(graded.e if graded.s is UNSET else [graded.e, graded.s])
        if grade is None:
            raise FormatError(f"{quoted(value)} is no grade")
        path = article.path_of(row)
        if self.grades.setdefault(path, grade) != grade:
            raise FormatError(f"{short_path(path)} has two different grades")
        if graded.inferred is True:
            self.inferred.add(path)

    def _set(self, name: str, value: Any) -> None:
        if self.facts.setdefault(name, value) != value:
            raise FormatError(f"{name} {quoted(value)} contradicts {quoted(self.facts[name])}")

    def judgment(self) -> ReadJudgment:
        """Return what all annotations say together."""
        read = ReadJudgment(
            self.topic,
            self.document,
            self.assessor,
            merge_passages(self.highlights)[0],
            self.facts.get("bep"),
            self.grades,
            frozenset(self.inferred),
            self.facts.get("marks", ()),
            self.facts.get("note", ""),
            tuple((*place, text) for place, text in sorted(self.comments.items())),
            self.origin,
            self.line,
        )
        for comment in self.comments.values():
            if flaw := flaw_of_comment(comment):
                raise FormatError(f"a comment: {flaw}", self.origin, self.line)
        if flaw := flaw_of_note(read.note):
            raise FormatError(f"the note: {flaw}", self.origin, self.line)
        if self.facts.get("relevant", read.state.is_relevant) != read.state.is_relevant:
            value = RELEVANT if self.facts["relevant"] else NOT_RELEVANT
            raise FormatError(
                f"{quoted(self.document)} is said to be {value}, and the other annotations say "
                "otherwise",
                self.origin,
                self.line,
            )
        return read


def _needed(place: Range | None) -> Range:
    if place is None:
        raise FormatError("no text is selected: expected a TextPositionSelector")
    return place
