"""Importing the package loads next to nothing."""

from __future__ import annotations

import subprocess
import sys

from house_imports import ROOT


def test_importing_the_package_loads_nothing_heavy() -> None:
    """`import doxeval` is quick because it loads nothing else; its names load what they need."""
    code = (
        "import sys; before = set(sys.modules); import doxeval; print(*set(sys.modules) - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT.parent)},
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded <= {"doxeval", *sys.stdlib_module_names}
