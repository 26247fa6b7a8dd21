"""The plain verbs where nothing of POSIX is there, and where the console has no Unicode.

What other systems lack is taken away before Python starts: modules, functions, signals and the
`fork` method. Paths with backslashes and files that are locked while they are open are not tried.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import doxeval as doxeval_package

WITHOUT_POSIX = """
import os, signal, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "posix_ipc", "syslog"):
    sys.modules[name] = None
for name in (
    "fork forkpty getuid geteuid getgid getegid getppid getpgid killpg setsid mkfifo pread pwrite "
    "sched_getaffinity statvfs fchmod fchown O_NOFOLLOW O_NONBLOCK O_DIRECTORY"
).split():
    if hasattr(os, name):
        delattr(os, name)
for name in "SIGALRM SIGHUP setitimer pthread_sigmask alarm sigwait pthread_kill".split():
    if hasattr(signal, name):
        delattr(signal, name)
"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory whose sitecustomize.py takes POSIX away, and the demo's files in it."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "sitecustomize.py").write_text(WITHOUT_POSIX, encoding="utf-8")
    done = run(folder, "demo", "--out", "demo")
    assert "✓" not in done
    assert "+ Collection and index" in done
    return folder


def run(folder: Path, *words: str) -> str:
    """What a command prints on a console with Windows' encoding of Western Europe."""
    source = str(Path(doxeval_package.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-W", "error::EncodingWarning:doxeval", "-m", "doxeval", *words],
        cwd=folder,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("LC_")},
            "PYTHONPATH": os.pathsep.join([str(folder), source]),
            "PYTHONUTF8": "0",
            "PYTHONIOENCODING": "cp1252",
            "PYTHONWARNDEFAULTENCODING": "1",
        },
        capture_output=True,
        timeout=120,
        check=False,
    )
    errors = done.stderr.decode("cp1252")
    assert done.returncode == 0, errors
    assert "Traceback" not in errors
    return done.stdout.decode("cp1252")


RUNS = ("demo/data/runs/careful.run", "demo/data/runs/clerk.run")
GOLD = ("-a", "demo/data/assessments.jsonl", "--collection", "demo/collection")


@pytest.mark.parametrize(
    "command",
    [
        "collection build demo/data/articles --out built --jobs 2",
        "collection verify demo/collection",
        "index build demo/collection --out index --force",
        "search demo/collection demo/data/topics.xml --out again.run",
        "validate demo/data/runs/careful.run --task focused --collection demo/collection",
        " ".join(["evaluate", *RUNS, *GOLD, "-m", "MAiP", "-m", "nxCG@10", "--jobs", "2"]),
        " ".join(["evaluate", *RUNS, *GOLD, "-m", "MAiP", "--format", "csv"]),
        " ".join(["compare", *RUNS, *GOLD, "-m", "MAiP"]),
        " ".join(["report", *RUNS, *GOLD, "-m", "MAiP", "--out", "report.html"]),
        " ".join(["pool", *RUNS, "--depth", "10", "--out", "pool.jsonl"]),
        " ".join(["fuse", *RUNS, "--out", "fused.run"]),
        "convert demo/data/runs/careful.run careful.jsonl",
        "chunks split demo/data/articles --by words:50 --out chunks",
        "chunks try demo/data/articles demo/data/questions.jsonl --by words:100",
        "measures",
    ],
)
def test_a_plain_verb_needs_nothing_of_posix(elsewhere: Path, command: str) -> None:
    run(elsewhere, *command.split())  # which looks at the exit code and for tracebacks


def test_what_a_console_lacks_is_shown_in_plain_characters(elsewhere: Path) -> None:
    tables = run(elsewhere, "compare", *RUNS, *GOLD, "-m", "MAiP")
    assert "\\u" not in tables
