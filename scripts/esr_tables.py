"""The tables of Ali, Consens and Lalmas 2012, printed and recomputed, as a page.

The toy collection has an article e1 of 100 characters with sections e2 and e3; e4, e5 and e6 lie in
e2. e3 (30 characters) and e4 (20) are relevant. Printed values are the paper's; the others are
computed here by `doxeval.evaluate`, `doxeval.navigation` and `doxeval.measures.families.prum`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from doxeval.assessments import Assessments, Judgment
from doxeval.assessments.judgment import AssessedUnit
from doxeval.documents.examples import example_collection
from doxeval.evaluation import evaluate
from doxeval.measures.families.prum import prum
from doxeval.navigation.matrix import MatrixNavigation
from doxeval.navigation.routes import read_routes
from doxeval.navigation.summary import SummaryNavigation
from doxeval.runs.builder import run_of
from doxeval.runs.run import Kind, Result

E = [
    "/article[1]",
    "/article[1]/sec[1]",
    "/article[1]/sec[2]",
    "/article[1]/sec[1]/p[1]",
    "/article[1]/sec[1]/p[2]",
    "/article[1]/sec[1]/ss1[1]",
]
ARTICLE = (
    f"<article><sec><p>{'x' * 20}</p><p>{'y' * 20}</p><ss1>{'z' * 20}</ss1>{'w' * 10}</sec>"
    f"<sec>{'v' * 30}</sec></article>"
)
TABLE_5: list[list[float]] = [
    [0, 0.53, 0.16, 0.11, 0.11, 0.11],
    [0.63, 0, 0, 0.133, 0.133, 0.133],
    [1, 0, 0, 0, 0, 0],
    *[[0.5, 0.5, 0, 0, 0, 0]] * 3,
]
ROUTES = [(3, 1, 2, 4), (3, 2, 4, 5), (3, 1, 6)]
SYSTEMS = {"System 1": (1, 3, 4), "System 2": (1, 2, 6), "System 3": (3, 1, 4)}
PRINTED = {
    "Table 7, hits": (
        "Hits@{}(assessed=units)",
        "summed over e3 and e4",
        ("0, .84, 1.73", "0, 0, 0", "1, 1, 1.89"),
        "",
    ),
    "Table 7, near-misses by length": (
        "NearMisses@{}(assessed=units,rel=length)",
        "summed over e3 and e4",
        ("7, 2.2, 0", "7, 9.36, 9.36", "0, 2.2, 0"),
        "4.56 for e4 is 4.567 by the equations",
    ),
    "Table 7, misses": (
        "Misses@{}(assessed=units)",
        "summed over e3 and e4",
        ("1.73, .89, 0", "1.73, 1.61, 1.61", "1, .89, 0"),
        "",
    ),
    "Table 8": (
        "RecallBase@{}(assessed=units)",
        "",
        ("2, 1.84, 1.73", "2, 2, 2", "2, 2, 1.89"),
        "",
    ),
    "Table 11, ESRP": (
        "ESRP@{}(assessed=units)",
        "",
        ("0, .42, .577", "0, 0, 0", "1, .5, .63"),
        "",
    ),
    "Table 11, ESRR": (
        "ESRR@{}(assessed=units)",
        "",
        (".135, .516, 1", ".135, .194, .194", ".5, .555, 1"),
        "",
    ),
    "Table 12, SRiP": (
        "SRiP@{}(assessed=units)",
        "",
        ("0, .194, .287", "0, 0, 0", "1, .231, .319"),
        "",
    ),
    "Table 12, SRiR": (
        "SRiR@{}(assessed=units)",
        "",
        ("0, .558, 1", "0, 0, 0", ".6, .6, 1"),
        "the table divides by the expected recall base (recallbase=expected), eq 19 by Trel",
    ),
    "Table 13": (
        "NSRCG@{}(assessed=units,m=2)",
        "l = 1, m = 2",
        ("0, .56, .39", "0, 0, 0", "1.2, .6, .42"),
        "at k = 3 the hits are 43 and 47.8, not 25.2 and 30: both systems have .667, the tie that "
        "the text reports",
    ),
    "Table 14": (
        "SRPRUM[1](assessed=units)",
        "one value for each system",
        (".577", ".129", ".63"),
        "System 2 never reaches a recall of 1; its value is that of C = 3",
    ),
}


def esr_tables_page() -> str:
    """All tables, printed value beside value by the equations."""
    parts = [
        "# The tables of the ESR paper, printed and recomputed\n",
        (__doc__ or "").split("\n\n")[1].replace("\n", " ") + "\n",
        *_navigation_tables(),
        _prum_table(),
    ]
    for title, (name, note, printed, erratum) in PRINTED.items():
        rows = [
            (system, values, shown)
            for (system, shown), values in zip(_computed(name).items(), printed, strict=True)
        ]
        head = f"`{name.format('k')}`" + (f", {note}" if note else "")
        parts.append(_table(title, head, ("", "printed, k = 1, 2, 3", "by the equations"), rows))
        if erratum:
            parts.append(f"*Erratum*: {erratum}.\n")
    return "\n".join(parts)


def _computed(name: str) -> dict[str, str]:
    labels = list(dict.fromkeys(name.format(k) for k in (1, 2, 3)))
    units = tuple(AssessedUnit((E[number - 1],), 1.0) for number in (3, 4))
    steps = {E[a]: {E[b]: p for b, p in enumerate(row) if p} for a, row in enumerate(TABLE_5)}
    table = evaluate(
        [
            run_of([Result("1", "d", Kind.ELEMENT, paths=(E[n - 1],)) for n in numbers], system)
            for system, numbers in SYSTEMS.items()
        ],
        Assessments([Judgment("1", "d", units=units)]),
        labels,
        collection=example_collection({"d": ARTICLE}),
        navigation=MatrixNavigation(probabilities={"d": steps}),
    )
    return {
        system: ", ".join(_short(means[label] or 0.0) for label in labels)
        for system, means in table.mean().items()
    }


def _navigation_tables() -> Iterable[str]:
    steps = [{"doc": "d", "steps": [E[n - 1] for n in route]} for route in ROUTES]
    collection = example_collection({"d": ARTICLE})
    nodes = collection.find_nodes([0] * 6, E)
    found = read_routes({"routes": steps}, "routes").between(collection, 0, nodes, nodes)
    printed = [
        "0, .5, 0, 0, 0, .5",
        "0, 0, 0, 1, 0, 0",
        ".66, .33, 0, 0, 0, 0",
        "0, 0, 0, 0, 1, 0",
        "0, 0, 0, 0, 0, 0",
        "0, 0, 0, 0, 0, 0",
    ]
    rows = [
        (f"e{n}", values, ", ".join(map(_short, row)))
        for n, (values, row) in enumerate(zip(printed, found.tolist(), strict=True), 1)
    ]
    yield _table("Table 2", "routes of figure 5, from row to column", _HEAD, rows)
    yield (
        "*Erratum*: the text divides by the steps *into* an element, which would give 1 and .5; "
        "table and examples divide by the steps *from* it.\n"
    )
    weights = {"S1": {"S2": 2.0}, "S2": {"S1": 2.0, "S2": 1.0, "S3": 2.0}, "S3": {"S3": 1.0}}
    partition = {"article": "S1", "sec": "S2", "ss1": "S2", "p": "S3"}
    summary = SummaryNavigation(partition=partition, other="S3", weights=weights)
    by_group = [
        (group, values, ", ".join(map(_short, row)))
        for group, values, row in zip(
            summary.groups,
            ("0, 1, 0", ".4, .2, .4", "0, 0, 1"),
            summary.transitions().tolist(),
            strict=True,
        )
    ]
    yield _table("Table 3", "the same steps between groups", _HEAD, by_group)


_HEAD = ("", "printed", "by the equations")


def _prum_table() -> str:
    value = prum(np.array([[1, 0], [0, 0.2], [0, 1]]))[1]
    note = "PRUM at two targets of e3, e1, e4, where e1 leads to e4 with probability .2"
    return _table("Table 9", note, _HEAD, [("PRUM", ".714", _short(float(value)))])


def _table(title: str, note: str, head: Sequence[str], rows: Iterable[tuple[str, str, str]]) -> str:
    lines = [f"## {title}\n", f"{note}\n", f"| {' | '.join(head)} |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows), ""])


def _short(value: float) -> str:
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return text.removeprefix("0") or "0" if text.startswith("0.") else text
