"""What a run of the tests skips: it is named at the end, and in CI no part may be missing.

Tests that need another program or package are skipped where it is not installed. With CI=true such
a skip is a failure, since everything can be installed there. Only the reasons listed here remain:
they are about data that are not ours to install, about large libraries that doubles stand in for,
or about tests that make no sense somewhere.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable

import pytest

ALLOWED = (
    "the real conformance data",  # not ours to copy
    "the program trec_eval",  # not on the package index; pytrec_eval has its arithmetic
    "the splitters of",  # large libraries that doxeval never imports; doubles stand in for them
    "the evaluators of",  # large libraries; their definitions are computed besides
    "mlcroissant is not",  # some twenty packages for one check; what it checks is checked besides
    "the fusion of ranx",  # a large library that only benchmarks install; a twin stands in
    "lower is better",  # a law that such measures need not obey
    "root may read everything",
    "this file system",
    "this system",
)


def in_ci() -> bool:
    return os.environ.get("CI", "").lower() in ("true", "1")


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why something was skipped."""
    told = report.longrepr
    return str(told[2] if isinstance(told, tuple) else told).removeprefix("Skipped: ")


def failed_if_missing(report: pytest.TestReport | pytest.CollectReport) -> None:
    """In CI, let what was skipped for a missing part fail."""
    if not in_ci() or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = reason_of(report)
    if not reason.startswith(ALLOWED):
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not allow: {reason}"


def summary(reports: Iterable[pytest.TestReport | pytest.CollectReport]) -> list[str]:
    """A line for each reason, with the number of tests, or of files that were not even read."""
    counts = Counter(
        (reason_of(report), "file" if isinstance(report, pytest.CollectReport) else "test")
        for report in reports
    )
    return [
        f"{count} {what}{'s' if count > 1 else ''}: {reason}"
        for (reason, what), count in sorted(counts.items())
    ]
