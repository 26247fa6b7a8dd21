"""The scores of single documents for the terminal."""

from __future__ import annotations

from itertools import groupby

from doxeval.cli.score_table import aligned
from doxeval.messages import escape
from doxeval.scores import DocumentRow, ScoreTable, format_score

_COLUMNS = ("topic", "rank", "document", *DocumentRow._fields[5:])


def documents_as_text(table: ScoreTable) -> str:
    """Return a table for each run and way of scoring; columns without any number are left out.

    >>> from doxeval.assessments import Assessments, Judgment
    >>> from doxeval.evaluation import Keep, evaluate
    >>> from doxeval.runs import Kind, Result, Run
    >>> run = Run.from_results([Result("7", "a", Kind.PASSAGE, 50, 150)], "mine")
    >>> judged = Assessments([Judgment("7", "a", ((0, 100),), document_length=500)])
    >>> table = evaluate(run, judged, "MAgP", keep=Keep(per_document=True))
    >>> print(documents_as_text(table), end="")
    <BLANKLINE>
    mine: documents by F(beta=1)
    topic  rank  document   score  precision  recall  retrieved  relevant_retrieved  relevant
    7         1         a  0.5000     0.5000  0.5000        100                  50       100
    """
    text = ""
    by_list = groupby(table.document_rows(), lambda row: (row.run, row.scored_by))
    for (run, scored_by), group in by_list:
        rows = list(group)
        names = [name for name in _COLUMNS if any(getattr(row, name) is not None for row in rows)]
        cells = [[_cell(getattr(row, name)) for name in names] for row in rows]
        text += f"\n{escape(f'{run}: documents by {scored_by}')}\n{aligned(names, cells)}"
    return text


def _cell(value: str | float | None) -> str:
    return format_score(value) if value is None or isinstance(value, float) else str(value)
