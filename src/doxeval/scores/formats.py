"""Scores as text for other programs and for papers.

json      everything: means, topics, undefined topics, curves, warnings
csv       one line per run, topic and measure; the topic `all` is the mean
parquet   the same columns
latex     a table of means, runs by measures
trec      measure<TAB>topic<TAB>value, one block for each run
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from typing import Any

from doxeval.errors import FormatError
from doxeval.scores.table import Row, ScoreTable

ALL = "all"


def rows_with_means(table: ScoreTable, per_topic: bool = True) -> Iterator[Row]:
    """All scores, and the means as topic `all`.

    >>> list(rows_with_means(ScoreTable((), (), ())))
    []
    """
    if per_topic:
        yield from table.rows()
    for run, means in table.mean().items():
        for label, value in means.items():
            yield Row(run, ALL, label, value)


def as_json(table: ScoreTable, per_topic: bool = True) -> bytes:
    """Everything, as JSON."""
    found = table.to_dict()
    if not per_topic:
        for run in found["runs"]:
            del run["topics"]
            for curve in run["curves"]:
                del curve["topics"]
    return json.dumps(found, ensure_ascii=False, indent=1).encode() + b"\n"


def as_csv(table: ScoreTable, per_topic: bool = True) -> bytes:
    """One line per score; an undefined one is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(Row._fields)
    for row in rows_with_means(table, per_topic):
        writer.writerow(["" if value is None else value for value in row])
    return out.getvalue().encode()


def as_trec(table: ScoreTable, per_topic: bool = True) -> bytes:
    """As trec_eval prints them: measure, topic and value; undefined is `nan`."""
    lines = []
    topics = table.topics() if per_topic else {}
    for run, means in table.mean().items():
        lines.append(f"runid\t{ALL}\t{run}")
        lines += [
            f"{label}\t{topic}\t{_number(value)}"
            for topic, values in topics.get(run, {}).items()
            for label, value in values.items()
        ]
        lines += [f"{label}\t{ALL}\t{_number(value)}" for label, value in means.items()]
    return "".join(f"{line}\n" for line in lines).encode()


def as_latex(table: ScoreTable, per_topic: bool = False) -> bytes:
    """A table of means for a paper; the best of each measure is bold."""
    means = table.mean()
    best = {
        facts.label: _best([means[run][facts.label] for run in means], facts.higher_is_better)
        for facts in table.measures
    }
    lines = [
        f"\\begin{{tabular}}{{l{'r' * len(table.labels)}}}",
        " & ".join(["run", *(_escaped(label) for label in table.labels)]) + r" \\ \hline",
    ]
    for run, values in means.items():
        cells = [_cell(values[label], best[label]) for label in table.labels]
        lines.append(" & ".join([_escaped(run), *cells]) + r" \\")
    return "\n".join([*lines, r"\end{tabular}", ""]).encode()


def as_parquet(table: ScoreTable, per_topic: bool = True) -> bytes:
    """One row per score (needs the extra `parquet`)."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise FormatError(
            "Parquet needs pyarrow: install doxeval with its extra, doxeval[parquet]"
        ) from None
    rows = list(rows_with_means(table, per_topic))
    columns = {name: [getattr(row, name) for row in rows] for name in Row._fields}
    out = io.BytesIO()
    schema = pa.schema(
        [(name, pa.string()) for name in Row._fields[:3]] + [("value", pa.float64())]
    )
    pq.write_table(pa.table(columns, schema=schema), out)
    return out.getvalue()


FORMATS: dict[str, Callable[[ScoreTable, bool], bytes]] = {
    "json": as_json,
    "csv": as_csv,
    "parquet": as_parquet,
    "latex": as_latex,
    "trec": as_trec,
}


def _number(value: float | None) -> str:
    return "nan" if value is None else repr(value)


def _best(values: list[float | None], higher_is_better: bool) -> float | None:
    defined = [value for value in values if value is not None]
    if not defined:
        return None
    return max(defined) if higher_is_better else min(defined)


def _cell(value: float | None, best: float | None) -> str:
    if value is None:
        return "--"
    return f"\\textbf{{{value:.4f}}}" if value == best else f"{value:.4f}"


def _escaped(text: Any) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(
        special.get(character, f"\\{character}" if character in "&%$#_{}" else character)
        for character in str(text)
    )
