"""The library is a quiet guest: it changes nothing in the process, and leaves nothing behind."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import indent
from typing import Any

import pytest

from doxeval.assessments import Assessments, Judgment
from doxeval.documents import example_collection
from doxeval.errors import DoxevalError
from doxeval.evaluation import Evaluation, Keep
from doxeval.measures import MEASURES
from doxeval.runs import Run
from making import passage, paths

STATE = """
import gc, os, random, signal, sys, threading, warnings
import numpy as np
import locale
import scipy.stats  # it changes the filters of warnings when it is imported

def state():
    return {
        "collector": (gc.isenabled(), gc.get_threshold(), gc.get_debug()),
        "environment": dict(os.environ),
        "signals": {number: signal.getsignal(number) for number in signal.valid_signals()},
        "random": random.getstate(),
        "numpy's random": str(np.random.get_state()),
        "numpy's errors": np.geterr(),
        "printing": np.get_printoptions(),
        "path": list(sys.path),
        "hooks": (sys.excepthook, sys.displayhook, sys.gettrace(), sys.getprofile()),
        "recursion": sys.getrecursionlimit(),
        "directory": os.getcwd(),
        "locale": locale.setlocale(locale.LC_ALL),
        "warnings": list(warnings.filters),
        "threads": threading.active_count(),
    }

gc.freeze()  # a host that has frozen objects of its own
frozen = gc.get_freeze_count()
before = state()
import doxeval
from doxeval.documents import example_collection
from doxeval.runs import Kind, Result
after = state()
changed = [name for name in before if before[name] != after[name]]
assert not changed, changed
collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
judged = [doxeval.Judgment("7", "a", ((4, 8),), 4)]
run = doxeval.Run.from_results([Result("7", "a", Kind.ELEMENT, paths=("/s[1]/p[2]",))], "mine")
other = doxeval.Run.from_results([Result("7", "a", Kind.ELEMENT, paths=("/s[1]",))], "other")
for jobs in (1, 2):
    table = doxeval.evaluate(
        [run, other], doxeval.Assessments(judged), ["MAiP", "nxCG@10", "ESRR@10", "ERRU@10"],
        collection=collection, keep=doxeval.Keep(curves=True), jobs=jobs,
    )
doxeval.compare(table, "MAiP", "bootstrap", resamples=100)
doxeval.correlate(table)
doxeval.simulate(doxeval.Assessments(judged), collection, "random")
after = state()
changed = [name for name in before if before[name] != after[name]]
assert not changed, changed
assert gc.get_freeze_count() > 0.9 * frozen, "thawed"  # a few may have been freed
assert type(doxeval.evaluate).__name__ == "function" and callable(doxeval.compare)
"""


def test_importing_and_calling_change_nothing_in_the_process(tmp_path: Any) -> None:
    script = tmp_path / "host.py"
    script.write_text("if __name__ == '__main__':\n" + indent(STATE, "    "))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@contextmanager
def no_collector() -> Iterator[None]:
    """Only reference counts free anything."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def evaluations() -> Iterator[Evaluation]:
    """Fresh evaluations: highlights in a collection, and highlights alone."""
    documents = {"a": "<a><s><p>one two</p></s><s><p>three</p></s></a>"}
    judgments = [Judgment("7", "a", ((0, 7),), 0)]
    in_collection = [
        name for name, kind in MEASURES.items() if name not in MEASURES.added and kind.name
    ]
    yield Evaluation(
        Assessments(judgments),
        [],
        where_possible=in_collection,
        collection=example_collection(documents),
        keep=Keep(curves=True),
    )
    lengths = [Judgment("7", "a", ((0, 7),), 0, 12)]
    yield Evaluation(Assessments(lengths), [], where_possible=in_collection, keep=Keep(curves=True))


@pytest.mark.parametrize("which", [0, 1])
def test_nothing_stays_alive_after_use(which: int) -> None:
    with no_collector():
        evaluation = list(evaluations())[which]
        run = Run.from_results(
            [*paths("/a[1]/s[1]"), *paths("/a[1]")] if which == 0 else [passage("a", 0, 5)]
        )
        watched: list[weakref.ref[Any]] = [weakref.ref(evaluation), weakref.ref(evaluation.truth)]
        if evaluation.collection is not None:
            watched.append(weakref.ref(evaluation.collection))
        ranked = evaluation.ranking(run)
        watched += [weakref.ref(ranked.ranking), weakref.ref(ranked.ranking.resolved)]
        for one in evaluation.measures:
            try:
                one.measure.scores(ranked.ranking)
                one.measure.curve(ranked.ranking)
            except DoxevalError:
                continue
        evaluation.score_all([run, run])
        del evaluation, ranked, run, one
        assert [ref() for ref in watched] == [None] * len(watched)
