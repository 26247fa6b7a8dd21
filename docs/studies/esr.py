"""Ali, Consens and Lalmas 2012, §7: do ESR measures rank systems as their originals do?"""

from __future__ import annotations

import sys

from world import collection, highlights, systems, table

from doxeval import ScoreTable, evaluate
from doxeval.comparison import correlate
from doxeval.runs import Result, Run

NAV = "(nav=depth)"
OFF, ON = "nxCG@10(base=full)", "nxCG@10(base=ideal)"
FOCUSED = (  # tables 15 and 16
    ("MAiP", f"MASRiP@1000{NAV}", "0.30"),
    ("MAiP", f"MASRiP2@1000{NAV}", "0.58"),
    (OFF, f"NSRCG@10{NAV}", "−0.25"),
    (OFF, f"NSRCG2@10{NAV}", "0.01"),
    (ON, f"NSRCG@10{NAV}", "−0.07"),
    (ON, f"NSRCG2@10{NAV}", "0.26"),
    ("iP[.01]", f"SRiP[.01]{NAV}", "0.17"),
    ("iP[.01]", f"MASRiP@1000{NAV}", "0.54"),
    ("iP[.01]", f"SRiP2[.01]{NAV}", "0.38"),
    ("iP[.01]", f"MASRiP2@1000{NAV}", "0.53"),
)
# Table 18
IN_CONTEXT = (("MAgP", f"MASRiP@1000{NAV}", "0.34"), ("MAgP", f"MASRiP2@1000{NAV}", "0.34"))
# Table 17
BEST = tuple(
    (f"EPRUM(A={a})", esr, paper)
    for a, papers in (
        ("0.01", ("0.32", "0.02")),
        ("1", ("0.66", "0.10")),
        ("10", ("0.60", "0.12")),
        ("100", ("0.58", "0.09")),
    )
    for esr, paper in zip((f"SRPRUM[1]{NAV}", f"MAESRP{NAV}"), papers, strict=True)
)


def main() -> None:
    """Print the correlations, task by task."""
    runs = systems(overlap=False)
    rows = [
        *_rows("focused", runs, FOCUSED),
        *_rows("relevant in context", [_grouped(run) for run in runs], IN_CONTEXT),
        *_rows("best in context", [_first_of_each(run) for run in runs], BEST),
    ]
    head = ["task", "original", "ESR", "Kendall τ here", "p", "INEX", "agree"]
    sys.stdout.write(table(head, rows) + "\n")


def _rows(task: str, runs: list[Run], pairs: tuple[tuple[str, str, str], ...]) -> list[list[str]]:
    names = list(dict.fromkeys(name for pair in pairs for name in pair[:2]))
    scores = evaluate(runs, highlights(), names, collection=collection())
    return [_row(task, scores, *pair) for pair in pairs]


def _row(task: str, scores: ScoreTable, one: str, other: str, paper: str) -> list[str]:
    tau = correlate(scores, [one, other], resamples=1).pair(one, other).tau
    here = (tau.value or 0) > 0.25
    agree = "yes" if here == (float(paper.replace("−", "-")) > 0.25) else "no"
    value = f"{tau.value:.2f}".replace("-", "−")
    return [task, f"`{one}`", f"`{other}`", value, f"{tau.p:.3f}", paper, agree]


def _grouped(run: Run) -> Run:
    """Results of an article together, where the first of them stood."""
    results = list(run.results())
    place: dict[tuple[str, str], int] = {}
    for number, result in enumerate(results):
        place.setdefault((result.topic, result.document), number)
    results.sort(key=lambda result: place[result.topic, result.document])
    return Run.from_results(
        [result._replace(rank=None, score=None) for result in results], run.run_id
    )


def _first_of_each(run: Run) -> Run:
    """The first result of each article; where it begins is the entry point."""
    first: dict[tuple[str, str], Result] = {}
    for result in run.results():
        first.setdefault((result.topic, result.document), result)
    kept = [result._replace(rank=None, score=None) for result in first.values()]
    return Run.from_results(kept, run.run_id)


if __name__ == "__main__":
    main()
