"""`doxeval evaluate` in several processes, and on the real runs of inex_eval."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from helpers import CONFORMANCE, doxeval, needs_conformance, write_files

QRELS = "7 Q0 a 200 1000 0 0:200\n7 Q0 b 0 900\n8 Q0 c 100 500 100 100:100\n9 Q0 a 0 1000\n"
RUN = (
    "7 Q0 a 1 9 mine 100 200\n7 Q0 x 2 8 mine 0 100\n8 Q0 c 1 7 mine 100 100\n5 Q0 c 1 7 mine 0 9\n"
)
REAL = CONFORMANCE / "inex_eval-3.1" / "real"


def test_processes_change_nothing(tmp_path: Path) -> None:
    """Forked ones, of a process without threads, as the command line has."""
    files = write_files(tmp_path, {"qrels.txt": QRELS})
    write_files(files, {f"r{n}.run": RUN.replace("mine", f"r{n}") for n in range(3)})
    runs = [str(files / f"r{n}.run") for n in range(3)]
    command = [sys.executable, "-m", "doxeval", "evaluate", *runs, "-a", str(files / "qrels.txt")]
    outputs = [
        subprocess.run(
            [*command, "-m", "MAiP", "--format", "json", "--jobs", jobs],
            capture_output=True,
            check=True,
        ).stdout
        for jobs in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    broken = subprocess.run(
        [*command, str(files / "qrels.txt"), "-m", "MAiP", "--jobs", "2"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert broken.returncode == 1
    assert "Traceback" not in broken.stderr


@needs_conformance
@pytest.mark.parametrize(
    ("expected", "run", "options"),
    [
        ("focused.bert_1.q.txt", "bert_1.run", ("--task", "focused", "--per-topic")),
        ("focused.bert_1.c.txt", "bert_1.run", ("--task", "focused", "--average-over", "assessed")),
        ("bicn1000.bic_1.txt", "bic_1.run", ("--task", "best-in-context", "--n", "1000")),
        ("ricbeta1.ric_1.txt", "ric_1.run", ("--task", "relevant-in-context", "--beta", "1")),
        ("ricT2I1000.ric_1.txt", "ric_1.run", ("--task", "t2i", "--irr", "1000")),
    ],
)
def test_the_drop_in_prints_what_inex_eval_prints(
    expected: str, run: str, options: tuple[str, ...]
) -> None:
    arguments = ("-a", REAL / "qrels.txt", "--compat", "inex_eval-3.1", *options)
    result = doxeval("evaluate", REAL / run, *arguments, "--format", "inex_eval")
    assert result.exit_code == 0, result.stderr
    ours, theirs = result.stdout.splitlines(), (REAL / expected).read_text().splitlines()
    assert ours[1:] == theirs[1:]  # the first line names the file, which lies elsewhere
    twice = doxeval("evaluate", REAL / "bert_dup-topic.run", *arguments)
    assert twice.exit_code == 1
