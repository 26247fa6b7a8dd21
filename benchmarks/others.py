"""Other programs that score runs of documents: AP, nDCG@10, P@10, R@1000.

    python benchmarks/others.py pytrec_eval QRELS RUN…

trec_eval and inex_eval are no packages, so they are measured only where they are given:
`--trec-eval PROGRAM` (compiled with -O3) and `--inex-eval COMMAND`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

from runner import python

# As trec_eval names them.
MEASURES = ("map", "ndcg_cut.10", "P.10", "recall.1000")


def with_pytrec_eval(qrels: str, runs: Sequence[str]) -> None:
    """Score documents by pytrec_eval."""
    import pytrec_eval

    with open(qrels) as file:
        judged = pytrec_eval.parse_qrel(file)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, set(MEASURES))
    for run in runs:
        with open(run) as file:
            evaluator.evaluate(pytrec_eval.parse_run(file))


def with_ir_measures(qrels: str, runs: Sequence[str]) -> None:
    """Score documents by ir_measures."""
    ir_measures: Any = importlib.import_module("ir_measures")
    judged = list(ir_measures.read_trec_qrels(qrels))
    names = [ir_measures.parse_measure(name) for name in ("AP", "nDCG@10", "P@10", "R@1000")]
    evaluator = ir_measures.evaluator(names, judged)
    for run in runs:
        evaluator.calc_aggregate(ir_measures.read_trec_run(run))


def with_ranx(qrels: str, runs: Sequence[str]) -> None:
    """Score documents by ranx."""
    import ranx

    judged = ranx.Qrels.from_file(qrels, kind="trec")
    names = ["map", "ndcg@10", "precision@10", "recall@1000"]
    for run in runs:
        made = ranx.Run.from_file(run, kind="trec")
        ranx.evaluate(judged, made, names, make_comparable=True)


PROGRAMS: dict[str, Callable[[str, Sequence[str]], None]] = {
    "pytrec_eval": with_pytrec_eval,
    "ir_measures": with_ir_measures,
    "ranx": with_ranx,
}


def command(program: str, qrels: str, runs: Sequence[str]) -> list[str]:
    """Score runs by one of the packages, in a process of its own."""
    return python(__file__, program, qrels, *runs)


def once_for_each(program: Sequence[str], qrels: str, runs: Sequence[str]) -> list[str]:
    """Call a program that scores one run at a time on one run after the other."""
    loop = 'for run in "${@:3}"; do $1 "$2" "$run"; done'
    return ["bash", "-c", loop, "bash", " ".join(program), qrels, *runs]


def trec_eval(program: str, *measures: str) -> list[str]:
    """trec_eval with the same four measures, or with others."""
    return [program, *(word for name in measures or MEASURES for word in ("-m", name))]


if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](sys.argv[2], sys.argv[3:])
