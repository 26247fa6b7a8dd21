"""Piwowarski and Gallinari 2003, §4: ERRU and generalised precall on stereotypical systems."""

from __future__ import annotations

import sys

from world import collection, grades, table

from doxeval import Keep, evaluate
from doxeval.stereotypes import SYSTEMS, simulate

KS = (1, 5, 10, 20, 50, 100)
PRECALL = "inex_eval(quant=gen)"


def main() -> None:
    """Print both tables."""
    runs = [simulate(grades(), collection(), system, max_results=1000) for system in SYSTEMS]
    names = [*(f"ERRU@{k}" for k in KS), PRECALL]
    scores = evaluate(
        runs, grades(), names, collection=collection(), order="rsv", keep=Keep(curves=True)
    )
    means = scores.mean()
    rows = [[run, *(means[run][name] for name in names)] for run in means]
    sys.stdout.write(table(["system", *names], rows) + "\n\n")
    sys.stdout.write(_curves(scores.to_dict()["runs"]))


def _curves(runs: list[dict]) -> str:  # type: ignore[type-arg]
    shown = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
    rows = []
    for run in runs:
        (curve,) = (one for one in run["curves"] if one["measure"] == PRECALL)
        at = dict(zip([round(x, 2) for x in curve["points"]], curve["mean"], strict=True))
        rows.append([run["run"], *(at[x] for x in shown)])
    return table(["generalised precision at recall", *map(str, shown)], rows) + "\n"


if __name__ == "__main__":
    main()
