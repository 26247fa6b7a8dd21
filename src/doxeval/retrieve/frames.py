"""Searching from a data frame of topics to a data frame of results, as pipelines have it.

Topics are rows with an id (`qid`, `query_id`, `topic`, …) and a query (`query`, `title` or `text`).
Each result is a row with all that the row of its topic has, then its document, the part of it,
score and rank. Columns are called as PyTerrier or ir_measures have it, whichever the id is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from doxeval.columns import ALIASES, column_names
from doxeval.errors import FormatError
from doxeval.messages import Parameter, join_names
from doxeval.runs import Run, pandas_frame, polars_frame
from doxeval.topics import Topic

_QUERIES = ("query", "title", "text")
_IDS = ("topic", *ALIASES["topic"], "id")
_PARTS = ("path", "start", "end", "offset")
# What documents are called, by what topics are.
_DOCUMENTS = {"qid": "docno", "query_id": "doc_id"}


def topics_of_frame(frame: Any, query: str | None, field: str) -> list[Topic]:
    """Return the topics of a frame, whose queries become the given field.

    query: the column of queries; if None, the first of query, title and text that is there.

    >>> import pandas
    >>> topics_of_frame(pandas.DataFrame({"qid": [7], "query": ["fog"]}), None, "title")
    [Topic('7', title='fog')]
    """
    names = column_names(frame)
    wanted = _QUERIES if query is None else (query,)
    wanted = (field, *wanted) if field != "title" and query is None else wanted
    column = _first_of(wanted, names, "queries", "; " + Parameter("query") + " names another")
    ids = frame[_first_of(_IDS, names, "ids of topics")].to_list()
    texts = [text.strip() if isinstance(text, str) else "" for text in frame[column].to_list()]
    return [
        Topic(str(name), title=text or None)
        if field == "title"
        else Topic(str(name), castitle=text or None)
        for name, text in zip(ids, texts, strict=True)
    ]


def frame_of_results(frame: Any, run: Run) -> Any:
    """Return the results for the topics of a frame, as a frame of the same library.

    >>> import pandas
    >>> frame = pandas.DataFrame({"qid": ["7"], "query": ["fog"]})
    >>> frame_of_results(frame, Run.from_dict({"7": {"a": 0.5}})).to_dict("records")
    [{'qid': '7', 'query': 'fog', 'docno': 'a', 'score': 0.5, 'rank': 0}]
    """
    names = column_names(frame)
    topic_column = _first_of(_IDS, names, "ids of topics")
    document_column = _DOCUMENTS.get(topic_column, "doc")
    fields = run.by_field()
    row_of = {str(topic): row for row, topic in enumerate(frame[topic_column].to_list())}
    rows = [row_of[topic] for topic in fields["topic"]]
    columns: dict[str, list[Any]] = {document_column: fields["doc"]}
    columns |= {name: fields[name] for name in _PARTS if name in fields}
    columns["score"] = fields.get("score", [])
    before = 1 if topic_column == "qid" else 0  # PyTerrier counts ranks from 0
    columns["rank"] = [rank - before for rank in fields.get("rank", [])]
    kept = [name for name in names if name not in {*columns, *_PARTS, "docid"}]
    if hasattr(frame, "iloc"):  # of pandas
        of_topics = frame[kept].iloc[rows].reset_index(drop=True)
        return of_topics.assign(**pandas_frame(columns))
    return frame.select(kept)[rows].hstack(polars_frame(columns))


def _first_of(
    expected: Sequence[str], names: Sequence[Any], what: str, otherwise: str | Parameter = ""
) -> str:
    """Return the first of the expected columns that is there."""
    column = next((name for name in expected if name in names), None)
    if column is None:
        listed = join_names(list(map(str, names)), 20) or "none"
        expectation = ", ".join(expected)
        raise FormatError(f"no column of {what} among {listed}: expected {expectation}" + otherwise)
    return column
