"""Warnings on the stderr of whole processes: of the command line, and of workers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

QRELS = {"7": {"a": 1, "b": 0}, "8": {"a": 1}}
RUN = {"7": {"a": 2.0, "b": 1.0}}  # nothing for topic 8, and so a warning


def test_the_command_line_says_each_warning_once(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("7 0 a 1\n8 0 a 1\n")
    (tmp_path / "mine.run").write_text("7 Q0 a 1 1.0 mine\n")
    arguments = ["evaluate", "mine.run", "-a", "qrels", "-m", "AP"]
    found = subprocess.run(
        [sys.executable, "-W", "always", "-m", "doxeval", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stderr.count("warning") == 1
    assert "DoxevalWarning" not in found.stderr
    assert "warning" not in found.stdout


def test_workers_emit_nothing(tmp_path: Path) -> None:
    """What processes print goes to the same stderr; the caller emits once for all runs."""
    script = tmp_path / "script.py"
    script.write_text(
        "import doxeval\n"
        "if __name__ == '__main__':\n"
        f"    runs = {{name: {RUN!r} for name in ('one', 'two')}}\n"
        f"    doxeval.evaluate(runs, {QRELS!r}, 'AP', jobs=2)\n"
    )
    found = subprocess.run(
        [sys.executable, "-W", "always", str(script)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    assert found.stderr.count("DoxevalWarning") == 2
    assert found.stderr.count("script.py:4") == 2
