"""How a command ends: one line at most, and an exit code that says why."""

from __future__ import annotations

import re
import signal
import sys
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from doxeval.cli import INTERNAL_ERROR, exit_code, main
from doxeval.errors import InputError
from seams import change, value_of

# Errors that nobody expected


def listing_that_raises(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, *options: str
) -> Result:
    """`doxeval measures`, where something goes wrong."""

    def fails() -> None:
        raise error

    change(monkeypatch, measure_listing=fails)
    return CliRunner().invoke(main, [*options, "measures"])


@pytest.mark.parametrize(
    "error",
    [
        KeyError("x\x1b[31m\n"),
        ValueError("y" * 1_000_000),
        MemoryError(),
        RecursionError("maximum recursion depth exceeded"),
        UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates not allowed"),
        EOFError(),
        ExceptionGroup("several", [ValueError("\x9b")]),
        GeneratorExit(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_unexpected_error_is_one_line(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    result = listing_that_raises(monkeypatch, error)
    assert (result.exit_code, result.stdout) == (70, "")
    assert result.stderr.startswith(f"{INTERNAL_ERROR}: {type(error).__name__}")
    assert re.fullmatch(r"[^\x00-\x1f\x7f-\x9f]{1,5000}\n", result.stderr)
    if not isinstance(error, ValueError) or len(str(error)) < 1000:
        assert "--debug shows the traceback" in result.stderr


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    result = listing_that_raises(monkeypatch, ValueError("bad\x1b[31m"), "--debug")
    assert result.exit_code == 70
    assert result.stderr.startswith("Traceback (most recent call last):\n")
    assert INTERNAL_ERROR in result.stderr.splitlines()[-1]
    assert "\x1b" not in result.stderr and r"bad\u001b[31m" in result.stderr
    monkeypatch.setenv("DOXEVAL_DEBUG", "1")
    by_environment = listing_that_raises(monkeypatch, ValueError("bad"))
    assert by_environment.stderr.startswith("Traceback")
    monkeypatch.delenv("DOXEVAL_DEBUG")
    assert "Traceback" not in listing_that_raises(monkeypatch, ValueError("bad")).stderr


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (InputError("wrong", "a\nb", 3), "Error: a\\nb:3: wrong\n"),
        (
            PermissionError(13, "Permission denied", "a\x1bb"),
            "Error: a\\u001bb: Permission denied\n",
        ),
        (OSError(28, "No space left on device"), "Error: No space left on device\n"),
        (BrokenPipeError(32, "Broken pipe"), "Error: Broken pipe\n"),
        (InputError("x" * 10_000), f"Error: {'x' * 3992}…\n"),
    ],
)
def test_expected_errors_are_one_line_too(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, line: str
) -> None:
    result = listing_that_raises(monkeypatch, error)
    assert (result.exit_code, result.stderr) == (1, line)


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), click.Abort()], ids=lambda e: type(e).__name__
)
def test_an_interrupt_is_one_line(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    result = listing_that_raises(monkeypatch, error)
    assert (result.exit_code, result.stderr) == (130, "Interrupted\n")


# The end

STOPPING = (signal.SIGINT, signal.SIGTERM)


def test_signals_are_handled_as_before_once_a_command_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    during: list[Any] = []
    real_listing = value_of("measure_listing")

    def listing() -> Any:
        during.append(signal.getsignal(signal.SIGTERM))
        return real_listing()

    change(monkeypatch, measure_listing=listing)
    before = [signal.getsignal(number) for number in STOPPING], sys.unraisablehook, sys.excepthook
    assert CliRunner().invoke(main, ["measures"]).exit_code == 0
    assert len(during) == 1 and during[0] not in before[0]
    after = [signal.getsignal(number) for number in STOPPING], sys.unraisablehook, sys.excepthook
    assert after == before


def test_exit_codes_of_work() -> None:
    assert exit_code(lambda: 2) == 2
    assert exit_code(lambda: sys.exit(3)) == 3
    assert exit_code(lambda: "text") == 0
