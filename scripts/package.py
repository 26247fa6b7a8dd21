"""Build the packages, check them, and try the wheel in an empty environment of every Python here.

    python scripts/package.py               the Pythons 3.11 to 3.14 that are found
    python scripts/package.py 3.13          one of them

The packages are left in dist/. In each environment, which has the wheel and what it requires and
nothing else, the demo is run, a run is scored, chunkings are tried, and a collection is searched.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pins import PYTHONS, ROOT, is_offline

COMMANDS = (
    "--version",
    "demo --out demo",
    "evaluate demo/data/runs/careful.run -a demo/data/assessments.jsonl "
    "--collection demo/collection -m MAiP",
    "chunks try demo/data/articles demo/data/questions.jsonl --by words:100",
    "search demo/collection --words whale",
)
_PYENV = Path.home() / ".pyenv" / "versions"


def main() -> None:
    """Build, check and try; exit 1 if anything fails."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pythons", nargs="*", default=PYTHONS, metavar="PYTHON")
    asked = parser.parse_args().pythons
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    _run(sys.executable, "-m", "build", "--outdir", dist, ROOT)
    packages = sorted(dist.iterdir())
    _run(sys.executable, "-m", "twine", "check", "--strict", *packages)
    for package in packages:
        print(f"{package.name}: {package.stat().st_size / 1e6:.1f} MB")
    (wheel,) = (package for package in packages if package.suffix == ".whl")
    found = {python: place for python in asked if (place := find(python))}
    with ThreadPoolExecutor() as pool:
        problems = list(pool.map(lambda python: problem_with(wheel, found[python]), found))
    for python, problem in zip(found, problems, strict=True):
        if problem:
            print(f"Python {python}: {problem}")
    if missing := [python for python in asked if python not in found]:
        print(f"not tried, because they are not here: Python {', '.join(missing)}")
    if any(problem and not problem.startswith("skipped") for problem in problems) or not found:
        sys.exit(1)


def find(python: str) -> str | None:
    """Return the program of a Python: this one, one on the path, or one of pyenv's."""
    if python == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    for program in (
        shutil.which(f"python{python}"),
        *sorted(_PYENV.glob(f"{python}.*/bin/python")),
    ):
        if program is not None:
            said = subprocess.run([program, "--version"], capture_output=True, text=True)
            if said.returncode == 0 and said.stdout.startswith(f"Python {python}."):
                return str(program)
    return None


def problem_with(wheel: Path, python: str) -> str | None:
    """Install the wheel into an empty environment and run the commands; return what failed."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            _run(python, "-m", "venv", folder / "venv")
            program = folder / "venv" / "bin"
            install = ("install", "--quiet", "--disable-pip-version-check", "-c")
            _run(program / "python", "-m", "pip", *install, ROOT / "constraints.txt", wheel)
            for command in COMMANDS:
                said = _run(program / "doxeval", *command.split(), folder=folder)
                if command == "--version":
                    version = said.strip()
        except subprocess.CalledProcessError as error:
            if is_offline(error.stderr):
                return "skipped: pip cannot reach its index"
            return f"{' '.join(map(str, error.cmd))} failed\n{error.stderr}"
    print(f"{python}: {version}, {len(COMMANDS)} commands ({time.monotonic() - started:.0f} s)")
    return None


def _run(*command: object, folder: Path | None = None) -> str:
    """Run a command without this project's surroundings; return what it printed."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = [str(word) for word in command]
    return subprocess.run(
        words, cwd=folder, env=variables, capture_output=True, text=True, check=True
    ).stdout


if __name__ == "__main__":
    main()
