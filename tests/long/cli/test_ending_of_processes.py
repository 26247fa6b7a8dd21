"""How processes of the command line end: struck by signals, or with nowhere to write to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import doxeval
from helpers import write_files

SIGNALS = {signal.SIGINT: "Interrupted\n", signal.SIGTERM: "Terminated\n"}


# Signals, wherever they strike

STRIKE = """
import os, sys

number, module = int(sys.argv[1]), sys.argv[2]
del sys.argv[1:3]

class Strike:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), number)

sys.meta_path.insert(0, Strike())
from doxeval.__main__ import run
run()
"""
MODULES = (
    "click",
    "doxeval.errors",
    "doxeval.evaluation",
    "numpy",
    "numpy._core._multiarray_umath",
)


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("module", MODULES)
def test_a_signal_while_importing(tmp_path: Path, module: str, number: signal.Signals) -> None:
    write_files(tmp_path, {"my.run": "7 Q0 a 1 0.5 mine 0 9\n", "qrels": "7 Q0 a 9 99 0 0:9\n"})
    words = ["evaluate", f"{tmp_path}/my.run", "-a", f"{tmp_path}/qrels", "-m", "MAiP"]
    command = [sys.executable, "-c", STRIKE, str(int(number)), module, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", SIGNALS[number])


STRUCK_IN_A_DESTRUCTOR = """
import os, signal, sys, time
from doxeval.cli import exit_code, handle_signals

class Strikes:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass

def work():
    Strikes()
    time.sleep(30)

handle_signals()
sys.exit(exit_code(work))
"""

STRUCK_ON_THE_WAY = """
import os, signal, sys
from doxeval.cli import exit_code, handle_signals

def work():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except KeyboardInterrupt:
        raise ImportError("a library makes something else of it")

handle_signals()
sys.exit(exit_code(work))
"""

STRUCK_TWICE = """
import os, signal, sys, time
from doxeval.cli import exit_code, handle_signals

def work():
    try:
        time.sleep(30 if os.kill(os.getpid(), signal.SIGINT) else 0)
    finally:
        os.kill(os.getpid(), signal.SIGTERM)  # as `timeout` does, which signals a whole group too
        print("cleaned up")

handle_signals()
sys.exit(exit_code(work))
"""

STRUCK_IN_A_FORK = """
import os, signal, sys
from doxeval.cli import handle_signals

handle_signals()
child = os.fork()
if not child:
    os.kill(os.getpid(), signal.SIGTERM)
    os._exit(0)
_, status = os.waitpid(child, 0)
sys.exit(99 if os.WTERMSIG(status) == signal.SIGTERM else 1)
"""


@pytest.mark.parametrize(
    ("script", "code", "output", "errors"),
    [
        (STRUCK_IN_A_DESTRUCTOR, 130, "", "Interrupted\n"),
        (STRUCK_ON_THE_WAY, 143, "", "Terminated\n"),
        (STRUCK_TWICE, 130, "cleaned up\n", "Interrupted\n"),
        (STRUCK_IN_A_FORK, 99, "", ""),
    ],
    ids=["destructor", "on the way", "twice", "fork"],
)
def test_signals_in_odd_places(script: str, code: int, output: str, errors: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (code, output, errors)


STRUCK_IN_A_STRING = """
from doxeval import __main__ as way_in

way_in._command = lambda: exec("import os, signal; os.kill(os.getpid(), signal.SIGTERM)")
way_in.run()
"""


def test_a_signal_while_code_from_a_string_runs(tmp_path: Path) -> None:
    """Python remembers an interrupt in such code, and in the end takes it for unhandled."""
    write_files(tmp_path, {"struck.py": STRUCK_IN_A_STRING})
    sources = os.pathsep.join([str(tmp_path), str(Path(doxeval.__file__).resolve().parents[1])])
    command = [sys.executable, "-m", "struck"]
    environment = {**os.environ, "PYTHONPATH": sources}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert (done.returncode, done.stderr) == (143, "Terminated\n")


def test_an_ignored_signal_stays_ignored() -> None:
    """As under nohup, or in the background of a script."""
    script = (
        "import os, signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        "from doxeval.cli import handle_signals; handle_signals(); "
        "os.kill(os.getpid(), signal.SIGINT); print('done')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "done\n")


# Output that cannot be written

DOXEVAL = [sys.executable, "-m", "doxeval"]


@pytest.mark.parametrize("words", ["measures", "measures nxCG", "--help", "measures -h"])
def test_nobody_reads_the_output(words: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*DOXEVAL, *words.split()], stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode in (1, 141)


def test_head_ends_quietly() -> None:
    command = f"{sys.executable} -m doxeval measures | head -n 1"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr, len(done.stdout.splitlines())) == (0, "", 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*DOXEVAL, "measures"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, done.stderr) == (1, "Error: stdout: No space left on device\n")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams(tmp_path: Path, closed: str) -> None:
    command = f"{sys.executable} -m doxeval measures {closed}; echo $? > {tmp_path}/code"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True)
    assert ((tmp_path / "code").read_text(), done.stderr) == ("0\n", b"")


def test_an_encoding_that_lacks_characters() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run([*DOXEVAL, "correlate", "--help"], capture_output=True, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"tau_AP" in done.stdout
