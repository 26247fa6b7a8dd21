"""What the papers print, and what their own equations give: a page, its numbers computed here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from doxeval.assessments import AssessedUnit, Assessments, Grade2003, GradedElement, Judgment
from doxeval.compat import TrecEvalOptions, trec_eval
from doxeval.documents import example_collection
from doxeval.evaluation import evaluate
from doxeval.navigation import MatrixNavigation, read_routes
from doxeval.runs import Kind, Result, Run
from doxeval.stereotypes import SYSTEMS as STEREOTYPES
from esr_tables import ARTICLE, ROUTES, SYSTEMS, TABLE_5, E

ALI, PIWOWARSKI = "Ali, Consens and Lalmas 2012", "Piwowarski and Gallinari 2003"
LALMAS, TOMBROS, GOVERT = "Lalmas et al. 2007", "Lalmas and Tombros 2007", "Gövert et al. 2003"


class Erratum(NamedTuple):
    """A place of a paper, what is printed there, what follows, and what doxeval does."""

    where: str
    printed: str
    follows: str
    here: str


def errata_page() -> str:
    """All errata as a table."""
    lines = [
        "# Errata\n",
        "Where the five papers print something else than their own equations give, or where two "
        "of them contradict each other. The numbers of the third column are computed when this "
        "page is written. Names of papers are those of the [list of sources](README.md#sources); "
        "[the tables of the ESR paper](esr-tables.md) are also there side by side.\n",
        "| where | printed | what follows | doxeval |",
        "|---|---|---|---|",
        *(f"| {' | '.join(erratum)} |" for erratum in _errata()),
        "\n## trec_eval 9.0.8\n",
        "What is surprising in the program. `--compat trec_eval-9.0.8` does the same, or refuses "
        "it with the reason; the last column is about `evaluate` without it.\n",
        "| what | what trec_eval does | what follows | doxeval |",
        "|---|---|---|---|",
        *(f"| {' | '.join(erratum)} |" for erratum in _of_trec_eval()),
    ]
    return "\n".join(lines) + "\n"


def _errata() -> Iterator[Erratum]:
    yield from _of_navigation()
    yield from _of_the_toy_collection()
    yield from _of_structural_relevance()
    yield from _of_gains()
    yield from _of_counts()
    yield from _of_browsing()


def _short(*values: float, digits: int = 3) -> str:
    return ", ".join(f"{value:.{digits}f}".rstrip("0").rstrip(".") or "0" for value in values)


# Ali, Consens and Lalmas 2012


def _of_navigation() -> Iterator[Erratum]:
    steps = Counter(step for route in ROUTES for step in pairwise(route))
    into = Counter(to for (_, to), count in steps.items() for _ in range(count))
    incoming = [steps[3, to] / into[to] for to in (1, 2)]
    collection = example_collection({"d": ARTICLE})
    nodes = collection.find_nodes([0] * 6, E)
    routes = [{"doc": "d", "steps": [E[n - 1] for n in route]} for route in ROUTES]
    found = read_routes({"routes": routes}, "routes").between(collection, 0, nodes, nodes)
    yield Erratum(
        f"{ALI}, Tables 2 and 3",
        "the text divides by the steps that lead *to* an element; the tables, .66 and .33 from e3 "
        "to e1 and e2, by those that lead *from* one",
        f"from e3: {_short(*found[2, :2].tolist())} as in the tables; by the text "
        f"{_short(*incoming)}",
        "divides by the steps from an element: the tables win",
    )
    sizes = (100, 20, 20, 20)  # e2 as large as the article, and e4, e5, e6 in it
    weights = [1.0, *(size / sizes[0] for size in sizes[1:])]
    row = [weight / sum(weights) for weight in weights]
    sums = [sum(TABLE_5[number]) for number in (0, 1)]
    yield Erratum(
        f"{ALI}, Table 5",
        ".63 and .133 from e2 to e1 and to each of e4, e5, e6",
        f"with e2 as large as e1, {_short(row[0])} and {_short(row[1])}, which add up to 1 as they "
        f"must; the printed rows of e1 and e2 add up to {_short(*sums, digits=2)}",
        "`nav=hierarchical` computes it; a matrix whose row adds up to more than 1 is a warning",
    )


def _toy(*names: str) -> dict[str, list[float]]:
    """Scores of the toy collection's systems, with Table 5 as navigation."""
    units = tuple(AssessedUnit((E[number - 1],), 1.0) for number in (3, 4))
    steps = {E[a]: {E[b]: p for b, p in enumerate(row) if p} for a, row in enumerate(TABLE_5)}
    table = evaluate(
        [
            Run.from_results(
                [Result("1", "d", Kind.ELEMENT, paths=(E[n - 1],)) for n in numbers], system
            )
            for system, numbers in SYSTEMS.items()
        ],
        Assessments([Judgment("1", "d", units=units)]),
        names,
        collection=example_collection({"d": ARTICLE}),
        navigation=MatrixNavigation(probabilities={"d": steps}),
    )
    means = table.mean()
    return {system: _numbers(means[system], names) for system in means}


def _of_the_toy_collection() -> Iterator[Erratum]:
    (near,) = _toy("NearMisses@2(assessed=units,rel=length)")["System 2"]
    yield Erratum(
        f"{ALI}, Table 7",
        "4.56 for the near-miss e4 of System 2",
        f"20 · (1 − .89 · .867) = {_short(near - 30 * TABLE_5[0][2])}",
        "computes it",
    )
    names = [f"SRiR@{k}(assessed=units{{}})" for k in (2, 3)]
    by_text = _toy(*(name.format("") for name in names))
    expected = _toy(*(name.format(",recallbase=expected") for name in names))
    yield Erratum(
        f"{ALI}, Table 12",
        "recall of .558 and 1 (System 1, k = 2 and 3) and 1 (System 3, k = 3)",
        f"{_short(*by_text['System 1'], by_text['System 3'][1])} by T_rel of eq 19; the table "
        f"divides by the expected recall base: "
        f"{_short(*expected['System 1'], expected['System 3'][1])}",
        "`recallbase=trel` by default, `recallbase=expected` as in the table",
    )
    gain, base = (f"{name}@3(assessed=units,rel=length)" for name in ("Hits", "RecallBase"))
    toy = _toy("NSRCG@3(assessed=units,m=2)", gain, base)
    shares = [toy[system] for system in ("System 1", "System 3")]
    yield Erratum(
        f"{ALI}, Table 13, k = 3",
        "25.2/64.5 = .39 and 30/71.7 = .42",
        " and ".join(
            f"{_short(hits)}/{_short(1.5 * recall)} = {_short(value)}"
            for value, hits, recall in shares
        )
        + ": the tie that the text reports",
        "computes it",
    )
    value, reached = _toy("SRPRUM[1](assessed=units)", "ESRR@3(assessed=units)")["System 2"]
    yield Erratum(
        f"{ALI}, Table 14",
        ".129 for System 2 at recall 1",
        f"recall 1 is never reached ({_short(reached)} after three results); {_short(value)} is "
        "the value of C = 3, the end of the list",
        "takes the length of the list for C where recall is not reached",
    )


def _of_structural_relevance() -> Iterator[Erratum]:
    inner, outer = {"e4"}, {"e2", "e4"}
    by_equation = len(outer - inner) * len(inner - outer) / (len(inner) * len(outer))
    yield Erratum(
        f"{ALI}, eq 4",
        "steps between the nodes that two trees do not share",
        f"a tree inside an earlier one was seen with probability {_short(by_equation)}, though "
        f"{len(inner & outer)} of its {len(inner)} nodes was shown",
        "`shared=none` is eq 4; `shared=seen` adds the share of nodes in common",
    )
    judged = [Judgment("1", "d", ((0, 10),), document_length=10)]
    twice = Run.from_results(
        [Result("1", "d", Kind.PASSAGE, 0, 10), Result("1", "d", Kind.PASSAGE, 0, 9)]
    )
    names = ["cR@2(alpha=1)", "cP@2(alpha=1)", "cP@2(alpha=0)"]
    found = evaluate(twice, Assessments(judged), names).mean()["run"]
    yield Erratum(
        f"{ALI}, §7.1 and §7.2",
        "overlap ON, a user who does not tolerate repeated text, is α = 1",
        "by eq 15 the gain is rel − (1 − α)·rov, so such a user has α = 0: for ten relevant "
        f"characters and nine of them again, precision {_short(found[names[2]] or 0)}, and "
        f"{_short(found[names[1]] or 0)} with α = 1",
        "`alpha=0` by default; INEX's ON is `base=ideal`, its OFF `base=full`",
    )
    yield Erratum(
        f"{ALI}, eq 32",
        "near-misses of R, the whole list",
        "of R_i, as in eq 23 and 27: else a cut-off would count what comes after it",
        "uses the first k results",
    )


# Gains and recall bases


def _pieces(*tenths: int) -> list[float]:
    """What paragraphs gain that are worth so many tenths, in a section worth nine tenths."""
    text = 10 * len(tenths)
    spans = [(10 * n, 10 * n + count) for n, count in enumerate(tenths)]
    spans.append((text, text + 900 - sum(tenths)))
    parts = "".join("<p>0123456789</p>" for _ in tenths) + "y" * (1000 - text)
    listed = [f"/a[1]/s[1]/p[{n}]" for n, _ in enumerate(tenths, 1)]
    names = [f"nxCG@{k}(base=ideal,quant=spec)" for k, _ in enumerate(tenths, 1)]
    means = evaluate(
        Run.from_results([Result("1", "d", Kind.ELEMENT, paths=(path,)) for path in listed]),
        Assessments([Judgment("1", "d", tuple(spans))]),
        names,
        collection=example_collection({"d": f"<a><s>{parts}</s>{'z' * 1000}</a>"}),
    ).mean()["run"]
    return [0.9 * (after - before) for before, after in pairwise([0.0, *_numbers(means, names)])]


def _numbers(means: dict[str, float | None], names: Sequence[str]) -> list[float]:
    return [means[name] or 0.0 for name in names]


def _of_gains() -> Iterator[Erratum]:
    ideal, gains = 0.9, (0.8, 0.7, 0.5)
    outside = min(gains[1], ideal) - gains[0]
    inside = min(gains[2], ideal - gains[0] - gains[1])
    yield Erratum(
        f"{LALMAS}, eq 8; {TOMBROS}, eq 13",
        "earlier gains are subtracted outside the minimum (eq 8), inside it (eq 13)",
        f"gains of .8, .7, .5 under an ideal of .9: the second is {_short(outside)} by eq 8, the "
        f"third {_short(inside)} by eq 13",
        "subtracts inside, sums the *normalised* gains granted so far, and never goes below 0: "
        f"{_short(*_pieces(8, 7, 5))}",
    )
    document, grades = "<a><p>One.</p></a>", {"/a[1]": (1, 1), "/a[1]/p[1]": (3, 3)}
    listed = tuple(GradedElement(path, Grade2003(*grade)) for path, grade in grades.items())
    names = ["nxCG@1(base=ideal,quant=gen)"]
    alone = evaluate(
        [
            Run.from_results([Result("1", "d", Kind.ELEMENT, paths=(path,))], path)
            for path in grades
        ],
        Assessments([Judgment("1", "d", grades=listed)]),
        names,
        collection=example_collection({"d": document}),
    ).mean()
    root, leaf = (alone[path][names[0]] or 0.0 for path in grades)
    yield Erratum(
        f"{LALMAS}, footnote 6; {TOMBROS}, footnote 9",
        "a relevant path leads from the root to any relevant element",
        "the root alone is such a path, and overlap is resolved in favour of the shorter one, so "
        "the ideal list would always be roots only",
        "takes *maximal* paths, down to an element without a relevant descendant: of an article "
        f"worth .25 and its paragraph worth 1 the paragraph is ideal (nxCG {_short(leaf)}, the "
        f"article's {_short(root)})",
    )
    components, documents = [Fraction(1), Fraction(2, 3)], [Fraction(1), Fraction(1, 3)]
    with_size = sum(components) / sum(documents)
    with_overlap = (1 + Fraction(600, 1000)) / sum(documents)
    yield Erratum(
        f"{GOVERT}, eq 6 and 8",
        "ratios without an upper bound",
        "recall can exceed 1: a section (3E) and a paragraph (2E) of an article (3L), beside "
        f"another article (1L), give recall {_short(float(with_size))} with size; the section and "
        f"its article, 600 of whose 1000 characters are new, {_short(float(with_overlap))} with "
        "size and overlap",
        "cuts recall to 1",
    )


# Counts, and how users browse


def _of_counts() -> Iterator[Erratum]:
    assessed = {2002: 54, 2003: 62, 2004: 60, 2005: 63, 2006: 114}
    yield Erratum(
        f"{TOMBROS}, Table 1",
        "350 assessed topics in all",
        f"the column adds up to {sum(assessed.values())}",
        "–",
    )
    yield Erratum(
        f"{PIWOWARSKI}, §2",
        "an element and two of its ancestors have a recall of 2.25",
        f"1 + .75 + .75 = {_short(1 + 0.75 + 0.75)}",
        "uses the table of values",
    )
    made_up = [name for name in STEREOTYPES if name not in ("random", "leaves")]
    yield Erratum(
        f"{PIWOWARSKI}, §4.1",
        "six systems",
        f"{len(made_up)} are listed",
        f"offers these ({', '.join(made_up)}) and two controls",
    )


def _of_browsing() -> Iterator[Erratum]:
    yield Erratum(
        f"{PIWOWARSKI}, §3.4",
        "exponents 7/8 for exact coverage, 3/4 for too small or too large, 1/2 otherwise; the "
        "text wants the highest probability for exact",
        "a ratio below 1 gets smaller with a larger exponent: .4 becomes "
        f"{_short(*(0.4**exponent for exponent in (7 / 8, 3 / 4, 1 / 2)))}, so exact is lowest",
        "as printed; `exponents` changes it",
    )
    yield Erratum(
        f"{PIWOWARSKI}, footnote 6",
        "how many relevant units are seen can only be computed in exponential time",
        "it is a sum of independent yes-or-no events (Poisson-binomial), whose distribution takes "
        "one step for each pair of a unit and a number of units",
        "`PRUM` and `EPRUM` are exact that way",
    )


# trec_eval


def _of_trec_eval() -> Iterator[Erratum]:
    close = {"1": {"a": 1.00000002, "b": 1.00000001}}
    (by_trec_eval,) = trec_eval(close, {"1": {"a": 1}}, ["map"]).summary().values()
    by_list = evaluate(close, {"1": {"a": 1}}, "AP")["run"]["AP"]
    yield Erratum(
        "the order of results",
        "compares them in single precision; equal ones fall by document id, and ranks are ignored",
        f"1.00000002 and 1.00000001 are tied: AP {_short(by_trec_eval)} where a, with the higher "
        f"score, is relevant, instead of {_short(by_list or 0)}",
        "takes runs as listed; `--order trec` sorts as trec_eval does",
    )
    yield Erratum(
        "a document twice in a list",
        "stops when it comes to the topic, with exit code 4",
        "with `-q`, the topics before have been printed; with `-M` it does not see duplicates "
        "behind the cut",
        "the first counts, with a warning",
    )
    yield Erratum(
        "`-J` where no result of a topic was judged",
        "divides 0 by 0",
        "`-nan` for iprec_at_recall_0.00 and 11pt_avg of the topic, and for their means",
        "0",
    )
    qrels, run = {"1": {"a": 1, "b": 2}}, {"1": {"a": 1.0}}
    options = TrecEvalOptions(["num_rel"], relevance_level=2)
    counts = [
        trec_eval(run, qrels, settings).summary()["num_rel"]
        for settings in (options, replace(options, all_topics=True))
    ]
    yield Erratum(
        "`-c` with `-l`",
        "counts num_rel of all topics with grades above 0",
        f"for grades 1 and 2, `-l 2` says {_short(counts[0])} relevant, `-l 2 -c` "
        f"{_short(counts[1])}",
        "`rel=2` everywhere",
    )
    yield Erratum(
        "`-l` and graded measures",
        "ndcg, ndcg_cut, ndcg_rel and G ignore it",
        "with `-l 2`, a document of grade 1 still gains 1",
        "`nDCG` has no parameter `rel`",
    )
    yield Erratum(
        "set_F with a parameter",
        "weighs recall by β, not β²",
        "set_F.2 is not F₂",
        "`SetF(beta=2)` is trec_eval's, and says so",
    )
    yield Erratum(
        "levels of recall",
        "truncates x·R + 0.9 in floating point",
        f"0.3 of 57 relevant documents are {int(0.3 * 57 + 0.9)}, of 60 {int(0.3 * 60 + 0.9)}",
        "`IPrec` is trec_eval's; `iP[x]` is exact",
    )
    yield Erratum(
        "topics of which all grades are below 0",
        "ends with exit code 4 if it is the first topic, and crashes if all are below −1",
        "nothing is printed about the reason",
        "not judged, so without relevant documents: undefined",
    )
    yield Erratum(
        "scores and grades that are no numbers",
        "reads what looks like a number at their beginning, or 0",
        "`0,5` is 0, and `1.5` as a grade 1",
        "an error with the line, with `--compat` too",
    )
    yield Erratum(
        "a measure requested twice",
        "takes the parameters that were given first",
        "`-m P.5 -m P.10` prints P_5 only",
        "prints both",
    )
