"""Lalmas et al. 2007, §8: what links and the choice of the ideal list do to system rankings."""

from __future__ import annotations

import sys

from world import LINKS, collection, highlights, parts, systems, table

from doxeval import ScoreTable, evaluate
from doxeval.comparison import correlate

KS = (5, 10, 25, 50)
PAPER_LINKS = (0.929, 0.933, 0.899, 0.875, 0.948)
PAPER_BASE = (0.819, 0.803, 0.845, 0.842)


def main() -> None:
    """Print what is highlighted, the correlations and the means behind them."""
    wanted = [
        name
        for k in KS
        for name in (f"nxCG@{k}", f"nxCG@{k}(ignore={LINKS})", f"nxCG@{k}(base=full)")
    ]
    focused = evaluate(systems(overlap=False), highlights(), wanted, collection=collection())
    pair = ["MAep", f"MAep(ignore={LINKS})"]
    thorough = evaluate(systems(overlap=True), highlights(), pair, collection=collection())
    sys.stdout.write(_links() + "\n\n")
    links = [(focused, f"nxCG@{k}", f"nxCG@{k}(ignore={LINKS})") for k in KS]
    links.append((thorough, *pair))
    bases = [(focused, f"nxCG@{k}", f"nxCG@{k}(base=full)") for k in KS]
    sys.stdout.write(_taus(links, PAPER_LINKS) + "\n\n" + _taus(bases, PAPER_BASE) + "\n\n")
    sys.stdout.write(_means(focused))


def _links() -> str:
    """The share of links among elements that are wholly highlighted."""
    whole = [
        part.tag
        for judgment in highlights()
        for part in parts(judgment.document)
        if part.relevant(judgment.highlights) == part.end - part.start > 0
    ]
    share = 100 * sum("link" in tag for tag in whole) / len(whole)
    return f"Wholly highlighted elements: {len(whole)}, of which {share:.0f} % are links."


def _taus(pairs: list[tuple[ScoreTable, str, str]], paper: tuple[float, ...]) -> str:
    rows = []
    for (scores, one, other), printed in zip(pairs, paper, strict=True):
        found = correlate(scores, [one, other], resamples=1).pair(one, other)
        rows.append([f"`{one}` and `{other}`", f"{found.tau.value:.3f}", f"{printed:.3f}"])
    return table(["rankings by", "Kendall τ here", "INEX 2006"], rows)


def _means(scores: ScoreTable) -> str:
    names = ["nxCG@10", f"nxCG@10(ignore={LINKS})", "nxCG@10(base=full)"]
    rows = [[run, *(values[name] for name in names)] for run, values in scores.mean().items()]
    return table(["system", *(f"`{name}`" for name in names)], rows) + "\n"


if __name__ == "__main__":
    main()
