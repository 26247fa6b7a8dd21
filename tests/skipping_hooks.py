"""A plugin of pytest: what is skipped is named at the end, and fails in CI if a part is missing."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from skipping import failed_if_missing, summary


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    failed_if_missing(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    failed_if_missing(report)
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name everything that was skipped, and why."""
    lines = summary(terminalreporter.stats.get("skipped", ()))
    if lines:
        terminalreporter.section("skipped")
        for line in lines:
            terminalreporter.write_line(line)
