"""A plugin of pytest: the ten tests that took most processor time are named at the end.

Processor time includes child processes, and unlike time on the clock it hardly depends on what else
the machine does. Nothing fails because it is slow.
"""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

KEY = "processor seconds"
SHOWN = 10
STARTED = pytest.StashKey[float]()


def processor_seconds() -> float:
    """Return the processor time of this process and of its children that have ended."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, None, None]:
    """Begin to count before the fixtures of a test are made."""
    item.stash[STARTED] = processor_seconds()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note the processor time in the last report of a test."""
    report = yield
    if call.when == "teardown":
        report.user_properties.append((KEY, processor_seconds() - item.stash[STARTED]))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the slowest tests, and the processor time of all."""
    seconds = {
        report.nodeid: value
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport)
        for key, value in report.user_properties
        if key == KEY and isinstance(value, float)
    }
    if not seconds:
        return
    terminalreporter.section(f"{sum(seconds.values()):.0f} s of processor time; most of it")
    for test in sorted(seconds, key=lambda test: -seconds[test])[:SHOWN]:
        terminalreporter.write_line(f"{seconds[test]:6.2f} s  {test}")
