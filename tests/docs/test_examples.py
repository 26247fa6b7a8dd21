"""Everything that is public has an example (which the test run executes as a doctest)."""

from __future__ import annotations

import importlib
import inspect

import doxeval
import doxeval.assessments
import doxeval.comparison
import doxeval.documents
import doxeval.runs
import doxeval.stereotypes
import doxeval.tasks
import doxeval.topics

PUBLIC = sorted(
    {
        (module.__name__, name)
        for module in (
            doxeval,
            doxeval.assessments,
            doxeval.comparison,
            doxeval.documents,
            doxeval.runs,
            doxeval.stereotypes,
            doxeval.tasks,
            doxeval.topics,
        )
        for name in module.__all__
        if callable(getattr(module, name))
    }
)


def test_what_is_public_has_an_example() -> None:
    values = {
        f"{module}.{name}": getattr(importlib.import_module(module), name)
        for module, name in PUBLIC
    }
    assert len(values) > 100
    assert [name for name in values if ">>>" not in (inspect.getdoc(values[name]) or "")] == []
