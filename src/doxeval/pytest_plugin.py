"""A plugin of pytest: the fixture `doxeval_chunks` scores a retriever in people's own tests.

    def test_retrieval(doxeval_chunks):
        scores = doxeval_chunks("questions.jsonl", my_retriever, docs="handbook")
        assert scores["bR@1000"] >= 0.85

Documents, chunks and questions that all tests share can stand in pytest's configuration, as
`doxeval_docs`, `doxeval_chunks` and `doxeval_questions`, and so can `doxeval_max_missing`: how much
of the gold may be missing from the documents, nothing by default. Nothing but pytest is imported
before the fixture is used.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

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
    chunks, questions, measures, k, workers, max_missing. The result has a score for each measure,
    over all questions and for each of them: scores["bR@1000"], scores.topics["q1"]["bR@1000"].
    """
    shared: dict[str, str] = {
        name: str(pytestconfig.rootpath / value)
        for name in _SHARED
        if (value := pytestconfig.getini(f"doxeval_{name}"))
    }
    if max_missing := pytestconfig.getini("doxeval_max_missing"):
        shared["max_missing"] = max_missing

    def scores(gold: Any, retriever_or_run: Any, **options: Any) -> RunView:
        from doxeval.chunks import scores_of_chunks
        from doxeval.errors import warn

        view = scores_of_chunks(gold, retriever_or_run, **{**shared, **options})
        warn(view.all_warnings())
        return view

    return scores
