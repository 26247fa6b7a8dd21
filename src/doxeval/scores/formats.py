"""Formats of scores for other programs and for papers.

    json      everything: means, topics, undefined topics, curves, warnings
    csv       one line per run, topic and measure; the topic `all` is the mean
    parquet   the same columns
    latex     a table of means for a paper; with topics, one more table for each run
    trec      measure<TAB>topic<TAB>value, one block for each run

Only JSON holds scores together with curves and with the scores of single documents. Curves alone,
and the scores of documents alone, can be written as CSV; documents also as Parquet.

Names of runs and topics are written exactly as they are: JSON escapes control characters by its own
rules, and trec refuses a name with a tab or a line end. LaTeX prints every name as it is, whatever
characters it contains. A spreadsheet takes a cell of a CSV file that begins with `=`, `+`, `-` or
`@` for a formula and may carry it out: before you open scores of runs that are not your own in one,
import the columns of names as text.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from doxeval.errors import FormatError
from doxeval.messages import json_text, quoted, utf8
from doxeval.scores.latex import as_latex
from doxeval.scores.table import Curve, Row, RunScores, ScoreTable, mean_curve
from doxeval.scores.views import DOCUMENT_TYPES, DocumentRow

ALL = "all"
_TAB_OR_LINE_END = re.compile("[\t\n\r]")


# JSON


def as_json(table: ScoreTable, per_topic: bool = True) -> bytes:
    """Return everything as JSON, with the curves that the table has.

    >>> as_json(ScoreTable((), (), ())).splitlines()[0]
    b'{'
    """
    values = plain_values(table)
    if not per_topic:
        for run in values["runs"]:
            del run["topics"]
            for curve in run["curves"]:
                del curve["topics"]
    return utf8(json_text(values, indent=1)) + b"\n"


def plain_values(table: ScoreTable) -> dict[str, Any]:
    """Return everything as plain values, for JSON.

    >>> plain_values(ScoreTable((), (), ()))["runs"]
    []
    """
    means, topics, undefined = table.mean(), table.topics(), table.undefined()
    documents: dict[str, list[dict[str, Any]]] = {}
    for row in table.document_rows():
        plain = dict(zip(row._fields[1:], row[1:], strict=True))  # without the name of the run
        documents.setdefault(row.run, []).append(plain)
    return {
        "collection": table.collection,
        "assessments": list(table.assessments),
        "measures": list(table.labels),
        "canonical": {facts.label: facts.canonical for facts in table.measures},
        "warnings": list(table.warnings),
        "runs": [
            {
                "run": scores.run,
                "file": scores.file,
                **({"description": scores.description} if scores.description else {}),
                "mean": means[scores.run],
                "topics": topics[scores.run],
                "undefined": undefined.get(scores.run, {}),
                "curves": [
                    {
                        "measure": curve.label,
                        "x": curve.x_name,
                        "y": curve.y_name,
                        "points": curve.x.tolist(),
                        "mean": mean_curve(curve, scores.counted),
                        "topics": dict(_curve_by_topic(curve, table.topic_ids, scores)),
                    }
                    for curve in scores.curves
                ],
                "warnings": list(scores.warnings),
                **({"documents": documents.get(scores.run, [])} if scores.documents else {}),
            }
            for scores in table.runs
        ],
    }


def _curve_by_topic(
    curve: Curve, topics: Sequence[str], scores: RunScores
) -> Iterator[tuple[str, list[float | None]]]:
    """Yield the values of a curve for each topic that counts; None where it is undefined."""
    for topic, is_counted, values in zip(topics, scores.counted, curve.y.tolist(), strict=True):
        if is_counted:
            yield topic, [None if value != value else value for value in values]


# CSV and Parquet


def as_csv(table: ScoreTable, per_topic: bool = True) -> bytes:
    """Return one line of CSV per score; the value of an undefined score is empty.

    >>> as_csv(ScoreTable((), (), ()))
    b'run,topic,measure,value\\n'
    """
    return utf8(csv_text(Row._fields, _rows_with_means(table, per_topic)))


def as_parquet(table: ScoreTable, per_topic: bool = True) -> bytes:
    """Return one row of Parquet per score (needs the extra `parquet`)."""
    types = {"run": str, "topic": str, "measure": str, "value": float}
    return _parquet(types, _rows_with_means(table, per_topic))


def curves_as_csv(table: ScoreTable, per_topic: bool = True) -> bytes:
    """Return one line of CSV per point of each curve; the topic `all` is the mean.

    Undefined points are empty.

    >>> curves_as_csv(ScoreTable((), (), ()))
    b'run,topic,measure,x_name,x,y_name,y\\n'
    """
    header = ("run", "topic", "measure", "x_name", "x", "y_name", "y")
    return utf8(csv_text(header, _curve_rows(table, per_topic)))


def documents_as_csv(table: ScoreTable) -> bytes:
    """Return one line of CSV per score of a document; a missing value is empty.

    >>> documents_as_csv(ScoreTable((), (), ()))[:36]
    b'run,topic,document,rank,scored_by,sc'
    """
    return utf8(csv_text(DocumentRow._fields, table.document_rows()))


def documents_as_parquet(table: ScoreTable) -> bytes:
    """Return one row of Parquet per score of a document (needs the extra `parquet`)."""
    return _parquet(DOCUMENT_TYPES, table.document_rows())


def csv_text(header: Iterable[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a header and rows as CSV; None is an empty field.

    >>> csv_text(["run", "p"], [["a", 0.5], ["b", None]])
    'run,p\\na,0.5\\nb,\\n'
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def _rows_with_means(table: ScoreTable, per_topic: bool) -> Iterator[Row]:
    """Yield the scores of topics, if they are requested, and the means as topic `all`."""
    if per_topic:
        yield from table.rows()
    for run, means in table.mean().items():
        for label, value in means.items():
            yield Row(run, ALL, label, value)


def _curve_rows(table: ScoreTable, per_topic: bool) -> Iterator[Sequence[object]]:
    for scores in table.runs:
        for curve in scores.curves:
            lines = list(_curve_by_topic(curve, table.topic_ids, scores)) if per_topic else []
            lines.append((ALL, mean_curve(curve, scores.counted)))
            for topic, values in lines:
                for x, y in zip(curve.x.tolist(), values, strict=True):
                    yield scores.run, topic, curve.label, curve.x_name, x, curve.y_name, y


def _parquet(types: Mapping[str, type], rows: Iterable[Sequence[object]]) -> bytes:
    """Return rows as Parquet, given the types of their columns."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise FormatError(
            "Parquet needs pyarrow: install doxeval with its extra, doxeval[parquet]"
        ) from None
    known = {str: pa.string(), int: pa.int64(), float: pa.float64()}
    schema = pa.schema([(name, known[kind]) for name, kind in types.items()])
    columns = list(zip(*rows, strict=True)) or [()] * len(types)
    out = io.BytesIO()
    try:
        pq.write_table(pa.table(columns, schema=schema), out)
    except UnicodeEncodeError as error:
        name = quoted(error.object)
        raise FormatError(f"Parquet cannot hold {name}, which is not Unicode text") from None
    return out.getvalue()


# The format of trec_eval


def as_trec(table: ScoreTable, per_topic: bool = True) -> bytes:
    """Return scores as trec_eval prints them: measure, topic, value; undefined ones are `nan`.

    A name with a tab or a line end in it would be read as something else, and is refused.

    >>> as_trec(ScoreTable((), (), ()))
    b''
    """
    for name in (*table, *table.topic_ids, *table.labels):
        if _TAB_OR_LINE_END.search(name):
            raise FormatError(f"trec cannot hold the name {quoted(name)}; JSON and CSV can")
    lines = []
    topics = table.topics() if per_topic else {}
    for run, means in table.mean().items():
        lines.append(f"runid\t{ALL}\t{run}")
        for topic, scores in (*topics.get(run, {}).items(), (ALL, means)):
            lines += [
                f"{label}\t{topic}\t{'nan' if value is None else repr(value)}"
                for label, value in scores.items()
            ]
    return utf8("".join(f"{line}\n" for line in lines))


FORMATS: dict[str, Callable[[ScoreTable, bool], bytes]] = {
    "json": as_json,
    "csv": as_csv,
    "parquet": as_parquet,
    "latex": as_latex,
    "trec": as_trec,
}
# Formats that hold the scores of single documents alone.
DOCUMENT_FORMATS: dict[str, Callable[[ScoreTable], bytes]] = {
    "csv": documents_as_csv,
    "parquet": documents_as_parquet,
}
