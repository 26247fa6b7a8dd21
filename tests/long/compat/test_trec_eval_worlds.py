"""The drop-in for trec_eval on random worlds, against pytrec_eval and against the program.

The program takes part where DOXEVAL_TEST_TREC_EVAL names it.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from doxeval.compat import RelevanceEvaluator, TrecEvalError, TrecEvalOptions, trec_eval_lines
from helpers import write_files
from strategies.trec_worlds import trec_world

PROGRAM = os.environ.get("DOXEVAL_TEST_TREC_EVAL")
WORLDS = range(300)


def test_values_of_pytrec_eval() -> None:
    pytrec_eval: Any = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")
    for seed in WORLDS:
        world = trec_world(seed, may_fail=False)
        options = world.options
        qrels = _qrels(world.qrels)
        run = _run(world.run)
        if seed % 5 == 0:
            run["empty"], qrels["empty"] = {}, {"a": 1}
        names = {"all_trec", *(name for name in options.measures if name not in ("set", "yaap"))}
        given = (qrels, names, max(options.relevance_level, 1), options.judged_only)
        expected = pytrec_eval.RelevanceEvaluator(*given).evaluate(run)
        found = RelevanceEvaluator(*given).evaluate(run)
        assert set(found) == set(expected), seed
        for topic, values in expected.items():
            assert set(found[topic]) == set(values), (seed, topic)
            for label, value in values.items():
                mine = found[topic][label]
                same = mine == pytest.approx(value, rel=1e-13, abs=1e-15, nan_ok=True)
                assert same, (seed, topic, label, mine, value)


def _qrels(text: str) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for topic, _, document, grade in map(str.split, text.splitlines()):
        judged.setdefault(topic, {})[document] = int(grade)
    return judged


def _run(text: str) -> dict[str, dict[str, float]]:
    results: dict[str, dict[str, float]] = {}
    for topic, _, document, _, score, *_ in map(str.split, text.splitlines()):
        results.setdefault(topic, {})[document] = float(score)
    return results


@pytest.mark.skipif(PROGRAM is None, reason="the program trec_eval is not given")
def test_bytes_of_trec_eval(tmp_path: Path) -> None:
    for seed in WORLDS:
        world = trec_world(seed)
        files = write_files(tmp_path, {"qrels": world.qrels, "run": world.run})
        words = [str(PROGRAM), *_flags(world.options), str(files / "qrels"), str(files / "run")]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        lines: list[str] = []
        code = 0
        try:
            for line in trec_eval_lines(files / "run", files / "qrels", world.options):
                lines.append(line)
        except TrecEvalError as error:
            code = error.exit_code
        assert (seed, code, lines) == (seed, done.returncode, done.stdout.splitlines())


def _flags(options: TrecEvalOptions) -> list[str]:
    flags = [f"-{letter}" for letter, is_given in _letters(options).items() if is_given]
    if options.max_results is not None:
        flags += ["-M", str(options.max_results)]
    measures = [word for name in options.measures for word in ("-m", name)]
    return [*flags, "-l", str(options.relevance_level), *measures]


def _letters(options: TrecEvalOptions) -> dict[str, bool]:
    return {
        "q": options.per_topic,
        "c": options.all_topics,
        "J": options.judged_only,
        "n": not options.summary,
    }
