"""Check that the versions in constraints.txt can be installed on every supported Python.

    python scripts/pins.py                all extras that `make` installs, on all Pythons
    python scripts/pins.py 3.14           on one

pip resolves the requirements of pyproject.toml for each Python, with wheels only, and installs
nothing. If pip cannot reach its index, the check is skipped, says so, and exits with 0.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
EXTRAS = ("dev", "docs", "package")  # what the targets of `make` install
_SECONDS = 300
# What pip prints if there is no network. That a package is not in the index says it differently.
_OFFLINE = (
    "Failed to establish a new connection",
    "Could not resolve host",
    "NewConnectionError",
    "NameResolutionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "ProxyError",
    "Network is unreachable",
)


def main() -> None:
    """Check some Pythons or all; exit 1 if the versions do not fit one of them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pythons", nargs="*", default=PYTHONS, metavar="PYTHON")
    pythons = parser.parse_args().pythons
    started = time.monotonic()
    with ThreadPoolExecutor() as pool:
        problems = dict(zip(pythons, pool.map(problem_on, pythons), strict=True))
    wrong = {python: problem for python, problem in problems.items() if problem}
    offline = [python for python, problem in wrong.items() if is_offline(problem)]
    for python, problem in wrong.items():
        if python not in offline:
            errors = [line for line in problem.splitlines() if not line.startswith("WARNING")]
            print(f"Python {python}: constraints.txt does not resolve", *errors, sep="\n  ")
    if offline:
        print(f"skipped for Python {', '.join(offline)}: pip cannot reach its index")
    good = [python for python in pythons if python not in wrong]
    if good:
        seconds = time.monotonic() - started
        print(f"constraints.txt resolves on Python {', '.join(good)} ({seconds:.0f} s)")
    sys.exit(1 if len(wrong) > len(offline) else 0)


def problem_on(python: str) -> str:
    """What pip says if it cannot resolve the requirements on a Python; empty if it can."""
    with tempfile.TemporaryDirectory() as nowhere:
        # The newest release of that Python, since some packages do without the first ones.
        command = [
            *(sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--no-input"),
            *("--disable-pip-version-check", "--ignore-installed", "--only-binary=:all:"),
            *("--python-version", f"{python}.99", "--target", nowhere, "--retries", "1"),
            *("--constraint", str(ROOT / "constraints.txt"), *map(str, requirements(python))),
        ]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=_SECONDS
            )
        except subprocess.TimeoutExpired:
            return "ReadTimeoutError"
    return done.stderr.strip() or "pip failed" if done.returncode else ""


def is_offline(problem: str) -> bool:
    """Whether what pip says is about the network.

    >>> is_offline("NewConnectionError: ..."), is_offline("No matching distribution found")
    (True, False)
    """
    return any(sign in problem for sign in _OFFLINE)


def requirements(python: str) -> list[str]:
    """What the project needs on a Python, with the extras that `make` installs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = dict.fromkeys(project["dependencies"])
    for extra in EXTRAS:
        found |= dict.fromkeys(_of_extra(project["optional-dependencies"], extra))
    wanted = map(Requirement, found)
    # pip would take the markers for the Python that it runs on.
    place = {"python_version": python, "python_full_version": f"{python}.99"}
    return [
        f"{one.name}{one.specifier}"
        for one in wanted
        if one.marker is None or one.marker.evaluate(place)
    ]


def _of_extra(extras: dict[str, list[str]], name: str) -> Iterator[str]:
    """The requirements of an extra, those of the extras that it names included."""
    for text in extras[name]:
        one = Requirement(text)
        if one.name == "doxeval":
            for inner in sorted(one.extras):
                yield from _of_extra(extras, inner)
        else:
            yield text


if __name__ == "__main__":
    main()
