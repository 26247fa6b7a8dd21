"""Small collections made of the words of queries, so that these queries are answered."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from doxeval.documents import example_collection
from doxeval.retrieve import Index, build_index, search
from doxeval.topics import About, ContentQuery, Topic, parse_nexi

# Inside articles and sections, each query's words are once in each of these.
_TAGS = "p person category title group movie link".split()


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


@cache
def _indexed(queries: Path) -> Index:
    """A small collection made of the words of queries, eight queries to an article."""
    sections = [_section(" ".join(_words_of(line))) for line in lines_of(queries)]
    collection = example_collection(
        {
            f"{number:03}": f"<article>{''.join(sections[number : number + 8])}</article>"
            for number in range(0, len(sections), 8)
        }
    )
    return Index(build_index(collection).directory, collection)


def _words_of(line: str) -> list[str]:
    query = parse_nexi(line)
    if isinstance(query, ContentQuery):
        terms = query.terms
    else:
        abouts = [part for part in query.conditions if isinstance(part, About)]
        terms = tuple(term for about in abouts for term in about.terms)
    return [word for term in terms for word in term.words]


def _section(text: str) -> str:
    inside = "".join(f"<{tag}>{text}</{tag}>" for tag in _TAGS)
    return f"<sec><section>{inside}</section><yr>2001</yr></sec>"


def answered(queries: Path, task: str) -> int:
    """For how many of the queries something is retrieved; none may end with an error."""
    topics = [Topic(str(n), title=line, castitle=line) for n, line in enumerate(lines_of(queries))]
    return len(search(_indexed(queries), topics, task).topics)
