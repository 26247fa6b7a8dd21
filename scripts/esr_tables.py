"""The tables of Ali, Consens and Lalmas 2012 recomputed, as a page of the documentation.

The page shows the code of the toy collection (`TOY`), and that code is run to compute its numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from doxeval.documents import Collection
from doxeval.evaluation import evaluate
from doxeval.measures import prum
from doxeval.navigation import HierarchicalNavigation, SummaryNavigation, read_routes

INTRODUCTION = """\
The toy collection has an article e1 of 100 characters with sections e2 and e3; e4, e5 and e6 lie in
e2. The text of e3 (30 characters) and e4 (20) is highlighted. Printed values are the paper's; the
others are computed from the code below, by measures with their default parameters unless their
names say otherwise. So what is relevant is the cover of the highlighted text: e3 and e4, as in the
paper.
"""
TOY = """\
from doxeval.assessments import Assessments, Judgment
from doxeval.documents import example_collection
from doxeval.evaluation import evaluate
from doxeval.navigation import MatrixNavigation
from doxeval.runs import Kind, Result, Run

article = (
    f"<article><sec><p>{'x' * 20}</p><p>{'y' * 20}</p><ss1>{'z' * 20}</ss1>{'w' * 10}</sec>"
    f"<sec>{'v' * 30}</sec></article>"
)
collection = example_collection({"d": article})
sec = "/article[1]/sec[1]"
e1, e2, e3, e4, e5, e6 = paths = (
    "/article[1]",
    sec,
    "/article[1]/sec[2]",
    f"{sec}/p[1]",
    f"{sec}/p[2]",
    f"{sec}/ss1[1]",
)
text_of_e3, text_of_e4 = (70, 100), (0, 20)
assessments = Assessments([Judgment("1", "d", (text_of_e4, text_of_e3))])
navigation = MatrixNavigation(  # table 5
    probabilities={
        "d": {
            e1: {e2: 0.53, e3: 0.16, e4: 0.11, e5: 0.11, e6: 0.11},
            e2: {e1: 0.63, e4: 0.133, e5: 0.133, e6: 0.133},
            e3: {e1: 1.0},
            e4: {e1: 0.5, e2: 0.5},
            e5: {e1: 0.5, e2: 0.5},
            e6: {e1: 0.5, e2: 0.5},
        }
    }
)
systems = {  # table 6
    name: Run.from_results([Result("1", "d", Kind.ELEMENT, paths=(path,)) for path in ranked])
    for name, ranked in {
        "System 1": (e1, e3, e4),
        "System 2": (e1, e2, e6),
        "System 3": (e3, e1, e4),
    }.items()
}
table = evaluate(
    systems, assessments, ["ESRP@2", "SRPRUM[1]"], collection=collection, navigation=navigation
)
"""
ROUTES = [(3, 1, 2, 4), (3, 2, 4, 5), (3, 1, 6)]


class Printed(NamedTuple):
    """A table of the paper: a measure, what is printed for each system, and what to know of it."""

    measure: str
    values: tuple[str, str, str]
    note: str = ""
    erratum: str = ""


AFTER_TABLE_7 = {
    "Table 8": Printed(
        "RecallBase@{}", ("2, 1.84, 1.73", "2, 2, 2", "2, 2, 1.89"), "binary relevance"
    ),
    "Table 8, by length": Printed(
        "RecallBase@{}(rel=length)", ("50, 45.2, 43", "50, 50, 50", "50, 50, 47.8")
    ),
}
AFTER_TABLE_9 = {
    "Table 11, ESRP": Printed("ESRP@{}", ("0, .42, .577", "0, 0, 0", "1, .5, .63")),
    "Table 11, ESRR": Printed("ESRR@{}", (".135, .516, 1", ".135, .194, .194", ".5, .555, 1")),
    "Table 12, SRiP": Printed("SRiP@{}", ("0, .194, .287", "0, 0, 0", "1, .231, .319")),
    "Table 12, SRiR by the recall base": Printed(
        "SRiR@{}(recallbase=expected)", ("0, .558, 1", "0, 0, 0", ".6, .6, 1")
    ),
    "Table 12, SRiR by eq 19": Printed(
        "SRiR@{}",
        ("0, .558, 1", "0, 0, 0", ".6, .6, 1"),
        erratum="the table divides by the expected recall base (`recallbase=expected`), eq 19 by "
        "Trel",
    ),
    "Table 13": Printed(
        "NSRCG@{}(m=2)",
        ("0, .56, .39", "0, 0, 0", "1.2, .6, .42"),
        "l = 1, m = 2",
        "at k = 3 the hits are 43 and 47.8, not 25.2 and 30: both systems have .667, the tie that "
        "the text reports",
    ),
    "Table 14": Printed(
        "SRPRUM[1]",
        (".577", ".129", ".63"),
        "one value for each system",
        "System 2 never reaches a recall of 1; its value is that of C = 3",
    ),
    "§6.5, SRPRUM at a recall of .555": Printed(
        "SRPRUM[0.555]",
        ("", "", ".555"),
        "the text has System 3, which reaches that recall at C = 2: (1 + .11) / 2",
    ),
}
# Table 7: for k = 1, 2, 3 and each system, hits, near-misses and misses of e3 and of e4.
TABLE_7 = (
    ("-", "-", ".16 (4.8)", ".11 (2.2)", ".84 (25.2)", ".89 (17.8)"),
    ("-", "-", ".16 (4.8)", ".11 (2.2)", ".84 (25.2)", ".89 (17.8)"),
    ("1 (30)", "-", "-", "0 (0)", "-", "1 (20)"),
    (".84 (25.2)", "-", "-", ".11 (2.2)", "-", ".89 (17.8)"),
    ("-", "-", ".16 (4.8)", ".23 (4.56)", ".84 (25.2)", ".77 (15.4)"),
    ("1 (30)", "-", "-", ".11 (2.2)", "-", ".89 (17.8)"),
    (".84 (25.2)", ".89 (17.8)", "-", "-", "-", "-"),
    ("-", "-", ".16 (4.8)", ".23 (4.56)", ".84 (25.2)", ".77 (15.4)"),
    ("1 (30)", ".89 (17.8)", "-", "-", "-", "-"),
)
PRINTED_TABLE_5 = (
    "0, .53, .16, .11, .11, .11",
    ".63, 0, 0, .133, .133, .133",
    "1, 0, 0, 0, 0, 0",
    ".5, .5, 0, 0, 0, 0",
    ".5, .5, 0, 0, 0, 0",
    ".5, .5, 0, 0, 0, 0",
)
TABLE_16 = {"SRiP[.01]": ".17", "MASRiP@1000": ".54", "SRiP2[.01]": ".38", "MASRiP2@1000": ".53"}
_HEAD = ("", "printed", "by the equations")
_BY_RANK = ("", "printed, k = 1, 2, 3", "by the equations")


def esr_tables_page() -> str:
    """All tables, printed value beside value by the equations."""
    toy = NAMES
    parts = [
        "# The tables of the ESR paper, printed and recomputed\n",
        INTRODUCTION,
        f"```python\n{TOY}```\n",
        *_routes_tables(toy["paths"]),
        *_navigation_table(toy),
        *_table_7(toy),
        *_printed_tables(toy, AFTER_TABLE_7),
        _prum_table(),
        *_printed_tables(toy, AFTER_TABLE_9),
        *_table_16(toy),
    ]
    return "\n".join(parts)


def _toy() -> dict[str, Any]:
    """The names that the code of the page defines."""
    names: dict[str, Any] = {}
    exec(TOY, names)  # our own code, shown on the page
    return names


# The toy collection, for other pages too: paths of e1 … e6, what systems return, table 5.
NAMES = _toy()
E: list[str] = list(NAMES["paths"])
ARTICLE: str = NAMES["article"]
SYSTEMS: dict[str, tuple[int, ...]] = {
    system: tuple(E.index(result.paths[0]) + 1 for result in run.results())
    for system, run in NAMES["systems"].items()
}
TABLE_5: list[list[float]] = [
    [NAMES["navigation"].probabilities["d"][source].get(target, 0.0) for target in E]
    for source in E
]


def _scores(
    toy: Mapping[str, Any], names: Sequence[str], judged: Any = None
) -> dict[str, dict[str, float]]:
    """The scores of the toy systems."""
    table = evaluate(
        toy["systems"],
        toy["assessments"] if judged is None else judged,
        list(dict.fromkeys(names)),
        collection=toy["collection"],
        navigation=toy["navigation"],
    )
    return {
        system: {name: float(value or 0.0) for name, value in means.items()}
        for system, means in table.mean().items()
    }


def _printed_tables(toy: Mapping[str, Any], tables: Mapping[str, Printed]) -> Iterable[str]:
    return (part for title, printed in tables.items() for part in _printed(toy, title, printed))


def _printed(toy: Mapping[str, Any], title: str, printed: Printed) -> Iterable[str]:
    names = list(dict.fromkeys(printed.measure.format(k) for k in (1, 2, 3)))
    computed = _scores(toy, names)
    rows = [
        (system, values, _listed(computed[system].values()))
        for system, values in zip(computed, printed.values, strict=True)
    ]
    note = f"`{printed.measure.format('k')}`" + (f", {printed.note}" if printed.note else "")
    yield _table(title, note, _BY_RANK if len(names) > 1 else _HEAD, rows)
    if printed.erratum:
        yield f"*Erratum*: {printed.erratum}.\n"


def _table_7(toy: Mapping[str, Any]) -> Iterable[str]:
    """Hits, near-misses and misses of each element, by itself assessed, in both relevances."""
    sums = ("Hits", "NearMisses", "Misses")
    names = [f"{s}@{k}(rel={rel})" for s in sums for k in (1, 2, 3) for rel in ("binary", "length")]
    judgment, judgments = toy["Judgment"], toy["Assessments"]
    by_element = [
        _scores(toy, names, judgments([judgment("1", "d", (toy[f"text_of_{element}"],))]))
        for element in ("e3", "e4")
    ]
    rows = []
    for place, printed in enumerate(TABLE_7):
        k, system = place // 3 + 1, f"System {place % 3 + 1}"
        computed = [
            "{} ({})".format(
                *(_short(own[system][f"{s}@{k}(rel={rel})"]) for rel in ("binary", "length"))
            )
            for s in sums
            for own in by_element
        ]
        both = zip(printed, computed, strict=True)
        rows.append((f"k = {k}, {system}", *(" → ".join(two) for two in both)))
    head = ("", *(f"{what}, {element}" for what in sums for element in ("e3", "e4")))
    yield _table(
        "Table 7",
        "printed → by the equations; binary relevance, and by length in brackets: `Hits@k`, "
        "`NearMisses@k` and `Misses@k`, with `rel=length`, if one element alone is relevant",
        head,
        rows,
    )
    yield "*Erratum*: 4.56 for e4 is 4.567 by the equations.\n"


def _routes_tables(paths: Sequence[str]) -> Iterable[str]:
    steps = [{"doc": "d", "steps": [paths[n - 1] for n in route]} for route in ROUTES]
    routes = read_routes({"routes": steps}, "routes")
    printed = (
        "0, .5, 0, 0, 0, .5",
        "0, 0, 0, 1, 0, 0",
        ".66, .33, 0, 0, 0, 0",
        "0, 0, 0, 0, 1, 0",
        "0, 0, 0, 0, 0, 0",
        "0, 0, 0, 0, 0, 0",
    )
    computed = _rows_between(routes, NAMES["collection"], paths)
    rows = [(f"e{n}", *two) for n, two in enumerate(zip(printed, computed, strict=True), 1)]
    yield _table("Table 2", "routes of figure 5, from row to column", _HEAD, rows)
    yield (
        "*Erratum*: the text divides by the steps *into* an element, which would give 1 and .5; "
        "table and examples divide by the steps *from* it.\n"
    )
    weights = {"S1": {"S2": 2.0}, "S2": {"S1": 2.0, "S2": 1.0, "S3": 2.0}, "S3": {"S3": 1.0}}
    partition = {"article": "S1", "sec": "S2", "ss1": "S2", "p": "S3"}
    summary = SummaryNavigation(partition=partition, other="S3", weights=weights)
    groups = zip(
        summary.groups,
        ("0, 1, 0", ".4, .2, .4", "0, 0, 1"),
        map(_listed, summary.transitions().tolist()),
        strict=True,
    )
    yield _table("Table 3", "the same steps between groups", _HEAD, groups)


def _navigation_table(toy: Mapping[str, Any]) -> Iterable[str]:
    """Table 5 by the model that its footnote names, on two articles."""
    model, paths = HierarchicalNavigation(), toy["paths"]
    own = _rows_between(model, toy["collection"], paths)
    columns = zip(PRINTED_TABLE_5, own, _if_as_long(), strict=True)
    rows = [(f"e{n}", *row) for n, row in enumerate(columns, 1)]
    head = ("", "printed", "`nav=hierarchical`", "the same weights, if e1 and e2 both had 100")
    yield _table("Table 5", "up and down the tree, by size (footnote 5)", head, rows)
    yield (
        "*Erratum*: the printed values take e2 to be as long as e1; then .133 should be .125, and "
        "the rows of e1 and e2, which are printed with sums of 1.02 and 1.03, sum to 1. The other "
        "tables on this page use table 5 as it is printed.\n"
    )


def _if_as_long() -> list[str]:
    """The weights |y| / |x| down and |x| / |y| up, each row scaled to sum to 1."""
    size = {1: 100, 2: 100, 3: 30, 4: 20, 5: 20, 6: 20}
    inside = {1: (2, 3, 4, 5, 6), 2: (4, 5, 6)}
    rows = []
    for x in size:
        weights = [
            size[y] / size[x]
            if y in inside.get(x, ())
            else size[x] / size[y]
            if x in inside.get(y, ())
            else 0.0
            for y in size
        ]
        rows.append(_listed(weight / sum(weights) for weight in weights))
    return rows


def _rows_between(model: Any, collection: Collection, paths: Sequence[str]) -> list[str]:
    nodes = collection.find_nodes([0] * len(paths), paths)
    return [_listed(row) for row in model.between(collection, 0, nodes, nodes).tolist()]


def _prum_table() -> str:
    value = prum(np.array([[1, 0], [0, 0.2], [0, 1]]))[1]
    note = "PRUM at two targets of e3, e1, e4, where e1 leads to e4 with probability .2"
    return _table("Table 9", note, _HEAD, [("PRUM", ".714", _short(float(value)))])


def _table_16(toy: Mapping[str, Any]) -> Iterable[str]:
    """The columns of the table; the systems of INEX 2007 are not at hand, the toy systems are."""
    computed = _scores(toy, [*TABLE_16, "iP[.01]"])
    names = [*TABLE_16, "iP[.01]"]
    rows = [
        ("τ with `iP[.01]`, printed", *TABLE_16.values(), ""),
        *(
            (system, *(_short(values[name]) for name in names))
            for system, values in computed.items()
        ),
    ]
    yield _table(
        "Table 16",
        "its columns, and what the toy systems score in them; "
        "[a study](../studies/esr.md) repeats the correlations on made-up systems",
        ("", *(f"`{name}`" for name in names)),
        rows,
    )


def _table(title: str, note: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"## {title}\n", f"{note}\n", f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows), ""])


def _listed(values: Iterable[float]) -> str:
    return ", ".join(map(_short, values))


def _short(value: float) -> str:
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return text.removeprefix("0") or "0" if text.startswith("0.") else text
