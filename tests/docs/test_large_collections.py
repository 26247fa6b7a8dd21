"""The page about clusters: its five commands are run as printed, its faults are provoked."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from clusters import NOTHING, Cluster, cluster
from helpers import doxeval

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "large-collections.md").read_text(encoding="utf-8")
DEMO = ROOT / "src" / "doxeval" / "demo_data"
RUNS = ("careful.run", "clerk.run")


def five_commands() -> list[str]:
    part = PAGE.split("## A cluster in five commands")[1]
    block = re.search(r"```console\n(.*?)```", part, re.DOTALL)
    assert block is not None
    return [command.replace("\\\n", "") for command in block[1].split("$ ")[1:]]


def free_port() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


def test_a_cluster_in_five_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands = five_commands()
    assert len(commands) == 5
    shutil.copytree(DEMO, tmp_path / "doxeval-demo" / "data")
    script = "set -e\n" + "".join(commands).replace("8786", free_port())
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    with subprocess.Popen(
        ["bash", "-c", script.replace(" &\n", " >>cluster.log 2>&1 &\n")],
        env={
            **os.environ,
            "PATH": programs,
            "PYTHONPATH": str(ROOT / "src"),
            "TMPDIR": str(tmp_path),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            printed, errors = process.communicate(timeout=120)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, errors + (tmp_path / "cluster.log").read_text()
    assert "sea: 46 documents" in printed + errors
    data = Path("doxeval-demo/data")
    assert doxeval("collection", "build", data / "articles", "--out", "here").exit_code == 0
    for path in Path("here").iterdir():
        assert Path("sea", path.name).read_bytes() == path.read_bytes(), path.name
    scores = doxeval(
        *("evaluate", *sorted((data / "runs").glob("*.run")), "-m", "MAiP"),
        *("-a", data / "assessments.jsonl", "--collection", "here"),
    )
    assert scores.stdout in printed


# What you see when something fails


def told(fault: str) -> re.Pattern[str]:
    """The message that the table has for a fault; … stands for anything."""
    row = re.search(rf"^\| {re.escape(fault)} \| `(.*)` \|$", PAGE, re.MULTILINE)
    assert row is not None, fault
    return re.compile(".*".join(map(re.escape, row[1].split("…"))))


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demo") / "sea"
    assert doxeval("collection", "build", DEMO / "articles", "--out", out).exit_code == 0
    return out


@pytest.fixture(scope="module")
def running() -> Iterator[Cluster]:
    with cluster(1) as found:
        yield found


@contextmanager
def worker(running: Cluster, settings: Mapping[str, str] = NOTHING) -> Iterator[None]:
    running.start_worker("other", settings)
    running.wait_for_workers("other")
    try:
        yield
    finally:
        running.kill("other")


def error_of(collection: Path, engine: str, patience: str = "60") -> str:
    runs = [DEMO / "runs" / name for name in RUNS]
    given = ("-a", DEMO / "assessments.jsonl", "--collection", collection, "-m", "MAiP")
    done = doxeval("evaluate", *runs, *given, "--engine", engine, "--patience", patience)
    assert done.exit_code == 1, done.stdout
    return done.stderr


@pytest.mark.parametrize(
    ("fault", "settings"),
    [
        ("a worker with another version", {"TEST_VERSION": "0.1.0"}),
        ("a worker without doxeval", {"TEST_MISSING": "doxeval"}),
        ("a worker that does not see the collection", {"TEST_HIDDEN": "{collection}"}),
        ("a worker that does not see the runs", {"TEST_HIDDEN": f"{DEMO}/runs"}),
    ],
)
def test_workers_that_cannot_do_the_work(
    running: Cluster, collection: Path, fault: str, settings: dict[str, str]
) -> None:
    given = {name: value.format(collection=collection) for name, value in settings.items()}
    with worker(running, given):
        assert told(fault).search(error_of(collection, running.address))


def test_no_scheduler_and_no_workers(collection: Path) -> None:
    found = error_of(collection, f"dask://127.0.0.1:{free_port()}", "0.5")
    assert told("no scheduler").search(found.replace("0.5 s", "10 s"))
    with cluster(0) as empty:
        found = error_of(collection, empty.address, "0.5")
    assert told("no workers for `--patience` seconds").search(found.replace("0.5 s", "60 s"))


@pytest.mark.parametrize(
    ("fault", "file"),
    [
        ("the scheduler is killed", "test_on_cluster.py"),
        ("a task that kills every worker", "test_faults.py"),
    ],
)
def test_messages_that_other_tests_provoke(fault: str, file: str) -> None:
    (path,) = (ROOT / "tests").rglob(file)
    text = path.read_text(encoding="utf-8")
    words = re.split(r"dask://…|, …|at ", told(fault).pattern.replace("\\ ", " "))[0]
    assert words.strip() in text
