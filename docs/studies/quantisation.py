"""Gövert et al. 2003, §6: what overlap, quantisation and size do to average precision."""

from __future__ import annotations

import sys

from world import collection, grades, systems, table

from doxeval import evaluate
from doxeval.comparison import correlate

PAIRS = (
    ("ng(overlap=s,quant=strict)", "ng(overlap=o,quant=strict)", 0.993),
    ("ng(overlap=s,quant=gen)", "ng(overlap=o,quant=gen)", 0.987),
    ("ng(overlap=o,quant=strict)", "ng(overlap=o,quant=gen)", 0.868),
    ("inex_eval(quant=strict)", "ng(overlap=o,quant=strict)", 0.917),
    ("inex_eval(quant=gen)", "ng(overlap=o,quant=gen)", 0.727),
)


def main() -> None:
    """Print correlations, and the best systems by each measure."""
    names = list(dict.fromkeys(name for pair in PAIRS for name in pair[:2]))
    scores = evaluate(systems(overlap=True), grades(), names, collection=collection())
    found = correlate(scores, names, resamples=1)
    rows = []
    for one, other, printed in PAIRS:
        pair = found.pair(one, other)
        tau, r = pair.tau.value, pair.pearson.value
        rows.append([f"`{one}` and `{other}`", f"{r:.3f}", f"{printed:.3f}", f"{tau:.3f}"])
    head = ["average precision by", "Pearson r here", "INEX 2002", "Kendall τ here"]
    sys.stdout.write(table(head, rows) + "\n\n")
    means = scores.mean()
    best = [
        [f"`{name}`", *sorted(means, key=lambda run: -(means[run][name] or 0))[:5]]
        for name in names
    ]
    sys.stdout.write(table(["measure", "first", "second", "third", "fourth", "fifth"], best) + "\n")
    missing = next(iter(scores.undefined().values()), {})
    for name, topics in missing.items():
        sys.stdout.write(f"\n`{name}` is undefined for {len(topics)} of the topics.\n")


if __name__ == "__main__":
    main()
