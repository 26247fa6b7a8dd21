"""A plugin of pytest: the fixture `doxeval_chunks` scores a retriever in people's own tests.

    def test_retrieval(doxeval_chunks):
        scores = doxeval_chunks("questions.jsonl", my_retriever, docs="handbook")
        assert scores["bR@1000"] >= 0.85

Limits, and the scores of a good state, can be checked as `doxeval chunks evaluate` checks them. A
test that fails then names the questions that fell, with their tags.

    def test_gates(doxeval_chunks):
        doxeval_chunks("questions.jsonl", my_retriever, docs="handbook",
                       fail_under={"bR@1000": 0.85}, baseline="last.json", significant=True)

Documents, chunks and questions that all tests share can stand in pytest's configuration, as
`doxeval_docs`, `doxeval_chunks` and `doxeval_questions`, and so can `doxeval_max_missing`: how much
of the gold may be missing from the documents, nothing by default. Nothing but pytest is imported
before the fixture is used.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

import pytest

_MOST_QUESTIONS = 20
TYPE_CHECKING = False  # as in `typing`: whoever does not use the fixture should not wait for it
if TYPE_CHECKING:
    from typing import Any

    from doxeval.scores import RunView

_SHARED = {
    "docs": "documents in which gold and results stand: a folder, JSONL, Parquet, …",
    "chunks": "file of all chunks, if results are ids of chunks",
    "questions": "file of questions, where the gold does not say what is asked",
}
_MAX_MISSING = "how much of the gold may be missing: a number, or a share such as 5%"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what all tests share to pytest's configuration."""
    for name, what in _SHARED.items():
        parser.addini(f"doxeval_{name}", f"doxeval: {what}", default=None)
    parser.addini("doxeval_max_missing", f"doxeval: {_MAX_MISSING}", default=None)


@pytest.fixture
def doxeval_chunks(pytestconfig: pytest.Config) -> Callable[..., RunView]:
    """Return a function that scores a retriever or a run.

    It takes the gold, then a retriever or a run, and the options of `scores_of_chunks`: docs,
    chunks, questions; measures, budget, unit, tokens, k, min_score and max_missing, which mean what
    they mean for `doxeval.chunks.evaluate`; and workers. The result has a score for each measure,
    over all questions and for each of them: scores["bR@1000"], scores.topics["q1"]["bR@1000"].

    The test fails if a mean is worse than `fail_under` allows, by measure, or has dropped since
    `baseline`, a file of earlier scores: by more than `max_drop` (".02", "2%"), and, if
    `significant`, confirmed by a paired test over questions. `out` is a file for the scores, which
    may be the next baseline, and `junit` one for the checks, with a test case for each question.
    """
    shared: dict[str, str] = {
        name: str(pytestconfig.rootpath / value)
        for name in _SHARED
        if (value := pytestconfig.getini(f"doxeval_{name}"))
    }
    if max_missing := pytestconfig.getini("doxeval_max_missing"):
        shared["max_missing"] = max_missing

    def scores(
        gold: Any,
        retriever_or_run: Any,
        *,
        fail_under: Mapping[str, float] | None = None,
        baseline: str | os.PathLike[str] | None = None,
        max_drop: float | str | None = None,
        significant: bool = False,
        out: str | os.PathLike[str] | None = None,
        junit: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> RunView:
        from doxeval.chunks import scores_of_chunks
        from doxeval.comparison import check_scores, junit_xml, read_earlier
        from doxeval.errors import InputError, warn
        from doxeval.files import is_same_file, open_output, outputs_together
        from doxeval.messages import Parameter
        from doxeval.scores import as_json

        if baseline is None and (significant or max_drop is not None):
            raise InputError("max_drop and significant go with baseline, earlier scores")
        if baseline is not None and max_drop is None and not significant:
            raise InputError(
                Parameter("baseline")
                + " needs "
                + Parameter("max_drop", 0.02)
                + " or "
                + Parameter("significant", True)
            )
        if junit is not None and not fail_under and baseline is None:
            raise InputError("junit goes with fail_under or baseline: it writes checks")
        earlier = None if baseline is None else read_earlier(baseline)
        for name, path in (("out", out), ("junit", junit)):
            if path is not None and baseline is not None and is_same_file(path, baseline):
                raise InputError(
                    Parameter(name) + " would replace the baseline even if the scores have "
                    "dropped: give another file, and copy it when all is well"
                )
        options = {**shared, **options, "also": [*(fail_under or ())]}
        view = scores_of_chunks(gold, retriever_or_run, **options)
        warn(view.all_warnings())
        gates = check_scores(
            view.table,
            fail_under,
            baseline=earlier,
            max_drop=max_drop or 0.0,
            significant=significant,
        )
        with outputs_together():
            if out is not None:
                with open_output(out) as file:
                    file.write(as_json(view.table, True))
            if junit is not None:
                with open_output(junit) as file:
                    file.write(junit_xml(gates, per_topic=True))
        warn(gates.warnings)
        if not gates.passed:
            lines = [line for check in gates.failures for line in check.lines(_MOST_QUESTIONS)]
            pytest.fail("\n".join(lines), pytrace=False)
        return view

    return scores
