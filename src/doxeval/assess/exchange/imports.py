"""Judgments into the application: files of assessments, annotations and logs become states.

Offsets stay as they are given: nothing is moved or trimmed. What the mode of the campaign cannot
hold is an error, and so is whatever does not fit the collection, all with file and line. A
judgment that the rules do not let an assessor validate comes in as a draft.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from doxeval.assess.exchange.annotations import read_annotations
from doxeval.assess.exchange.export import not_relevant
from doxeval.assess.exchange.log import LoggedOperation, read_log, replayed
from doxeval.assess.exchange.types import ImportedState, ReadJudgment
from doxeval.assess.judging import Article, Grade, Mode, problems
from doxeval.assessments import (
    Grade2003,
    Grade2005,
    GradedElement,
    Judgment,
    MeasuredElement,
    read_assessments,
)
from doxeval.documents import Collection
from doxeval.errors import FormatError, InputError, UnknownReference
from doxeval.files import BYTE_ORDER_MARK, is_archive, open_input, read_up_to
from doxeval.messages import Message, short_path, truncate

_HEAD = 1 << 16
_SHOWN = 20
_KEPT_ARTICLES = 4
ArticleOf = Callable[[str], Article]
Given = TypeVar("Given")


def states_of(
    source: str | os.PathLike[str], collection: Collection, mode: Mode
) -> list[ImportedState]:
    """Return the judgments of a file of assessments, of annotations, or of operations (a log).

    >>> import pathlib, tempfile
    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>Low tide.</p></s>"})
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("7 Q0 a 4 9 4 4:4\\n")
    >>> [imported.state.highlights for imported in states_of(path, collection, "2006")]
    [((4, 8),)]
    """

    @lru_cache(_KEPT_ARTICLES)
    def article_of(document: str) -> Article:
        return Article.of(collection, document)

    name = os.fspath(source)
    kind = _kind(name)
    if kind == "log":
        return _all(
            _by_judgment(read_log(name)), lambda operations: _of_log(operations, article_of, mode)
        )
    if kind == "annotations":
        annotated = read_annotations(name, article_of)
        return _all(annotated, lambda read: _imported(read, article_of(read.document), mode))
    judgments = read_assessments(name, collection=collection)
    return _all(judgments, lambda judgment: _of_judgment(judgment, article_of, mode))


def _kind(name: str) -> str:
    """Return what a file has: annotations and logs begin with an object of JSON."""
    if os.path.isdir(name) or is_archive(name):
        return "assessments"
    with open_input(name) as file:
        head = read_up_to(file, _HEAD).removeprefix(BYTE_ORDER_MARK).lstrip()
    # A quotation mark inside of a string has a backslash before it, so these are names of fields.
    if head.startswith(b"{") and b'"@context"' in head:
        return "annotations"
    if head.startswith(b"{") and b'"operation":' in head.partition(b"\n")[0]:
        return "log"
    return "assessments"


def _all(given: Iterable[Given], imported: Callable[[Given], ImportedState]) -> list[ImportedState]:
    """Return all states; if some cannot be made, an error that lists them."""
    states: list[ImportedState] = []
    wrong: list[str] = []
    for judgment in given:
        try:
            states.append(imported(judgment))
        except InputError as error:
            wrong.append(str(error))
    if wrong:
        more = [f"… and {len(wrong) - _SHOWN:,} more"] if len(wrong) > _SHOWN else []
        head = f"judgments that cannot be imported: {len(wrong):,}"
        raise UnknownReference("\n  ".join([head, *wrong[:_SHOWN], *more]))
    return states


def _imported(read: ReadJudgment, article: Article, mode: Mode) -> ImportedState:
    """Return a judgment as a state, validated unless it is a draft or the rules forbid it."""
    _refuse_what_the_mode_has_not(read, mode)
    state = read.state
    reasons: tuple[str, ...] = ()
    if "draft" not in read.marks:
        reasons = problems(state, article, mode)
        state = state if reasons else replace(state, status="validated")
    about = (read.topic, article.document, read.assessor)
    return ImportedState(*about, state, read.marks, reasons, read.origin, read.line)


def _refuse_what_the_mode_has_not(read: ReadJudgment, mode: Mode) -> None:
    is_pair = [isinstance(grade, tuple) for grade in read.grades.values()]
    has = {
        "highlighted text": mode == "2003" and read.highlights,
        "a best entry point": mode != "2006" and read.bep is not None,
        "the exhaustivity of elements": mode != "2005" and not all(is_pair),
        "exhaustivity and specificity of elements": mode != "2003" and any(is_pair),
    }
    try:
        _refuse(has, mode)
    except FormatError as error:
        named = f"topic {truncate(read.topic)}, document {truncate(read.document)}"
        raise FormatError(Message(f"{named}: ", error.message), read.origin, read.line) from None


def _refuse(has: Mapping[str, object], mode: Mode) -> None:
    for what, is_there in has.items():
        if is_there:
            raise FormatError(f"{what}, which mode {mode} does not have")


# Logs


def _by_judgment(operations: Iterable[LoggedOperation]) -> list[list[LoggedOperation]]:
    """Return the operations on each judgment."""
    by_key: dict[tuple[str, str, str | None], list[LoggedOperation]] = {}
    for operation in operations:
        by_key.setdefault(operation.key, []).append(operation)
    return list(by_key.values())


def _of_log(
    operations: Sequence[LoggedOperation], article_of: ArticleOf, mode: Mode
) -> ImportedState:
    first = operations[0]
    topic, document, assessor = first.key
    try:
        article = article_of(document)
    except InputError as error:
        raise UnknownReference(error.message, first.origin, first.line) from None
    state = replayed(operations, article, mode)
    marks = {
        "adjudicated": first.adjudicated,
        "draft": state.status == "open",
        "problem": state.problem,
        "program": first.program,
        "skipped": state.skipped,
    }
    given = tuple(mark for mark, is_set in marks.items() if is_set)
    return ImportedState(topic, document, assessor, state, given, (), first.origin, first.line)


# Assessments


def _of_judgment(judgment: Judgment, article_of: ArticleOf, mode: Mode) -> ImportedState:
    try:
        article = article_of(judgment.document)
        _refuse_lists(judgment, mode)
        if mode == "2003":
            grades, inferred = _grades(judgment, article)
        else:
            grades, inferred = (_levels(judgment, article) if mode == "2005" else {}), frozenset()
    except InputError as error:
        named = f"topic {truncate(judgment.topic)}, document {truncate(judgment.document)}"
        line = judgment.line if error.line is None else error.line
        raise UnknownReference(
            Message(f"{named}: ", error.message), judgment.origin, line
        ) from None
    read = ReadJudgment(
        judgment.topic,
        judgment.document,
        judgment.assessor,
        judgment.highlights,
        judgment.best_entry_point,
        grades,
        inferred,
        judgment.marks,
        origin=judgment.origin,
        line=judgment.line,
    )
    return _imported(read, article, mode)


def _refuse_lists(judgment: Judgment, mode: Mode) -> None:
    """Refuse what is said of elements and cannot be kept; 2006–07 says the same of all of them."""
    constant = len({element.exhaustivity for element in judgment.elements}) < 2
    has = {
        "assessed units": judgment.units,
        "grades of elements": mode == "2006" and judgment.grades,
        "the exhaustivity of elements": judgment.elements
        and (mode == "2003" or (mode == "2006" and not constant)),
    }
    _refuse(has, mode)


def _grades(judgment: Judgment, article: Article) -> tuple[dict[str, Grade], frozenset[str]]:
    """Return the grades of mode 2003; elements that are not judged are left out."""
    given = [element for element in judgment.grades if element.grade is not None]
    if given == [not_relevant(article)]:
        return {}, frozenset()
    grades: dict[str, Grade] = {}
    inferred = set()
    for element in given:
        if not isinstance(element.grade, Grade2003):
            raise FormatError(f"{element.grade} is no grade of mode 2003", line=element.line)
        path = _path(element.path, article, element.line)
        grade = (element.grade.exhaustivity, element.grade.specificity)
        _add(grades, path, grade, element.line)
        if element.inferred:
            inferred.add(path)
    return grades, frozenset(inferred)


def _levels(judgment: Judgment, article: Article) -> dict[str, Grade]:
    """Return the exhaustivity of mode 2005."""
    grades: dict[str, Grade] = {}
    listed: list[MeasuredElement | GradedElement] = [*judgment.elements, *judgment.grades]
    for element in listed:
        line = element.line if isinstance(element, GradedElement) else None
        if isinstance(element, MeasuredElement):
            level = element.exhaustivity
        elif isinstance(element.grade, Grade2005):
            level = element.grade.exhaustivity
        elif element.grade is None:
            continue
        else:
            raise FormatError(f"{element.grade} is no grade of mode 2005", line=line)
        if level == 0:
            raise FormatError(
                f"{short_path(element.path)} has exhaustivity 0: expected 1, 2 or ?", line=line
            )
        _add(grades, _path(element.path, article, line), "?" if level is None else level, line)
    return grades


def _path(path: str, article: Article, line: int | None) -> str:
    """Return the path of an element with every step numbered."""
    row = article.row_of(path)
    if row < 0:
        raise UnknownReference(f"there is no element {short_path(path)}", line=line)
    return article.path_of(row)


def _add(grades: dict[str, Grade], path: str, grade: Grade, line: int | None) -> None:
    if grades.setdefault(path, grade) != grade:
        raise FormatError(f"{short_path(path)} has two different grades", line=line)
