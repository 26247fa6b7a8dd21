"""The queries of INEX are answered, by content and in all four readings of their structure."""

from __future__ import annotations

from pathlib import Path

import pytest

from doxeval.documents import Collection, build_collection
from doxeval.retrieve import Index, build_index, search
from doxeval.topics import About, ContentQuery, Topic, parse_nexi
from helpers import CONFORMANCE, DATA, needs_conformance, write_files

# Inside articles and sections, each query's words are once in each of these.
TAGS = "p person category title group movie link".split()


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def own(name: str) -> list[str]:
    return lines_of(DATA / "nexi" / f"{name}.txt")


def of_inex(name: str) -> list[str]:
    return lines_of(CONFORMANCE / "nexi" / f"{name}.txt")


def indexed(lines: list[str], home: Path) -> Index:
    """A small collection made of the words of queries, eight queries to an article."""
    sections = [section(" ".join(words_of(line))) for line in lines]
    files = {
        f"{number:03}.xml": f"<article>{''.join(sections[number : number + 8])}</article>"
        for number in range(0, len(sections), 8)
    }
    build_collection([str(write_files(home / "articles", files))], home / "small", jobs=1)
    collection = Collection(home / "small")
    build_index(collection, home / "index", jobs=1)
    return Index(home / "index", collection)


def words_of(line: str) -> list[str]:
    query = parse_nexi(line)
    if isinstance(query, ContentQuery):
        terms = query.terms
    else:
        abouts = [one for one in query.conditions if isinstance(one, About)]
        terms = tuple(term for about in abouts for term in about.terms)
    return [word for term in terms for word in term.words]


def section(text: str) -> str:
    inside = "".join(f"<{tag}>{text}</{tag}>" for tag in TAGS)
    return f"<sec><section>{inside}</section><yr>2001</yr></sec>"


def answered(lines: list[str], task: str, home: Path) -> int:
    """For how many of the queries something is found; none may end with an error."""
    topics = [Topic(str(n), title=line, castitle=line) for n, line in enumerate(lines)]
    return len(search(indexed(lines, home), topics, task).topics)


# Strictly, nothing is found where a target or support is on a path that the articles do not have.
READINGS = {"vvcas": (39, 131), "vscas": (33, 116), "svcas": (37, 104), "sscas": (33, 94)}


@pytest.mark.parametrize("task", READINGS)
def test_structured_queries_of_all_forms_are_answered(task: str, tmp_path: Path) -> None:
    assert answered(own("structured"), task, tmp_path) == READINGS[task][0]


@needs_conformance
@pytest.mark.parametrize("task", READINGS)
def test_the_structured_queries_of_inex_are_answered(task: str, tmp_path: Path) -> None:
    assert answered(of_inex("queries"), task, tmp_path) == READINGS[task][1]


@pytest.mark.parametrize("task", ["thorough", "relevant-in-context"])
def test_content_queries_of_all_forms_are_answered(task: str, tmp_path: Path) -> None:
    assert answered(own("content"), task, tmp_path) == len(own("content"))


@needs_conformance
@pytest.mark.parametrize("task", ["thorough", "relevant-in-context"])
def test_the_content_queries_of_inex_are_answered(task: str, tmp_path: Path) -> None:
    assert answered(of_inex("co"), task, tmp_path) == 318
