"""How a run shows itself: on one line, and as a small table in notebooks."""

from __future__ import annotations

from html import escape
from itertools import islice

import numpy as np

from doxeval.runs.result import Kind, Result
from doxeval.runs.result_columns import ResultColumns, results_of

_SHOWN = 10
_PLURALS = {
    Kind.DOCUMENT: "documents",
    Kind.ELEMENT: "elements",
    Kind.PASSAGE: "passages",
    Kind.POINT: "entry points",
    Kind.TREE: "trees",
    Kind.SPANS: "results with several ranges",
}


def shown(run_id: str, columns: ResultColumns) -> str:
    """A run on one line.

    >>> from doxeval.runs.result_columns import columns_of_results
    >>> shown("mine", columns_of_results([Result("1", "a"), Result("2", "a")])[0])
    "Run('mine': 2 results for 2 topics, documents)"
    """
    count, topics = len(columns.kind), len(columns.topic_labels.distinct)
    if not count:
        return f"Run({run_id!r}: no results)"
    kinds = [_PLURALS[Kind(kind)] for kind in np.unique(columns.kind).tolist()]
    told = " and ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))
    return f"Run({run_id!r}: {_counted(count, 'result')} for {_counted(topics, 'topic')}, {told})"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def shown_in_notebook(run_id: str, columns: ResultColumns) -> str:
    """A run as a table of its first results.

    >>> from doxeval.runs.result_columns import columns_of_results
    >>> "<td>a</td>" in shown_in_notebook("mine", columns_of_results([Result("1", "a")])[0])
    True
    """
    header = ["topic", "document", "part", "rank", "score"]
    rows = [_cells(result) for result in islice(results_of(columns), _SHOWN)]
    more = len(columns.kind) - len(rows)
    if more > 0:
        rows.append([f"… {more:,} more", "", "", "", ""])
    head = "".join(f"<th>{name}</th>" for name in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    caption = f"<caption>{escape(shown(run_id, columns))}</caption>"
    return f"<table>{caption}<tr>{head}</tr>{body}</table>"


def _cells(result: Result) -> list[str]:
    if result.paths:
        part = " ".join(result.paths)
    elif result.spans:
        part = " ".join(f"[{start}, {end})" for start, end in result.spans)
    elif result.start is None:
        part = ""
    else:
        part = str(result.start) if result.end is None else f"[{result.start}, {result.end})"
    numbers = ("" if number is None else f"{number:g}" for number in (result.rank, result.score))
    return [result.topic, result.document, part, *numbers]
