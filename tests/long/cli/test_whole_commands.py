"""Commands as processes, on a terminal and in a pipe, and the demo as a whole."""

from __future__ import annotations

import errno
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

import doxeval as package
from helpers import doxeval, write_files
from own_models import MODEL_SOURCE


def test_demo_does_the_whole_job(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    result = doxeval("demo", "--out", out)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80 + len(str(out))  # which two lines have
    assert sum(bool(re.match(r"✓ .* \d+\.\d s$", line)) for line in lines) == 4
    assert re.search(r"^careful +0\.91 .* better ", result.stdout, re.MULTILINE)
    means = [float(mean) for mean in re.findall(r"^[\w-]+ +(\d\.\d\d) ", result.stdout, re.M)]
    assert len(means) == 12 == len(list((out / "data" / "runs").glob("*.run")))
    assert means == sorted(means, reverse=True)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "report.html; 1 warning there\n" in result.stdout
    assert page.count("of the first 10 documents of a topic, ") == 1
    assert all(f"baseline-{model}" in page for model in ("lm", "bm25"))
    page = (out / "chunks.html").read_text(encoding="utf-8")
    assert "What is lost by chunking and by retrieval" in page
    again = doxeval("demo", "--out", out)
    assert (again.exit_code, "exists; --force replaces it" in again.stderr) == (1, True)
    precious = write_files(tmp_path / "mine", {"thesis.txt": "all of it"})
    refused = doxeval("demo", "--out", precious, "--force")
    assert (refused.exit_code, "is not an earlier demo" in refused.stderr) == (1, True)
    assert (precious / "thesis.txt").exists()


def test_demo_prints_all_commands(tmp_path: Path) -> None:
    result = doxeval("demo", "--out", tmp_path / "demo", "--verbose")
    assert result.exit_code == 0, result.stderr
    steps = "collection build", "index build", "search", "validate", "evaluate", "compare", "report"
    for verb in (*steps, "chunks try"):
        assert f"$ doxeval {verb} " in result.stdout
    assert re.search(r"^10\. \w+ /article\[1\]", result.stdout, re.MULTILINE)
    for baseline in ("baseline-lm", "baseline-bm25"):
        assert re.search(rf"^{baseline} +0\.\d{{4}} ", result.stdout, re.MULTILINE)
        assert f"{baseline}.run: run {baseline}, " in result.stdout  # validated
    assert result.stdout.count("  0 errors, 0 warnings\n") == 2
    assert re.search(r"^paragraphs +0\.684 ", result.stdout, re.MULTILINE)
    assert "What next" in result.stdout


def test_a_demo_that_fails_says_why_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "demo"
    monkeypatch.setattr("doxeval.documents.build_collection", _no_space)
    result = doxeval("demo", "--out", out)
    assert result.exit_code == 1
    assert "No space left on device" in result.stderr
    assert "✓" not in result.stdout
    assert not list(tmp_path.iterdir())


def _no_space(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_the_pages_of_the_demo_are_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)  # which returns nothing: no browser
    out = tmp_path / "demo"
    result = doxeval("demo", "--out", out, "--open")
    pages = [out / "report.html", out / "chunks.html"]
    assert opened == [page.as_uri() for page in pages]
    for page in pages:
        assert f"there is no browser here to open {page} with" in result.stderr


def test_a_terminal_sees_progress_and_no_control_characters(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"a.txt": "one \x1b[31mtwo\x1b[0m three\x07"})
    command = [sys.executable, "-m", "doxeval", "collection"]
    seen = on_a_terminal([*command, "build", str(source), "--out", str(tmp_path / "c")])
    assert "Building" in seen
    shown = on_a_terminal([*command, "show", str(tmp_path / "c"), "a", "/document[1]"])
    assert "one \\u001b[31mtwo\\u001b[0m three\\u0007" in shown
    piped = subprocess.run(
        [*command, "show", str(tmp_path / "c"), "a", "/document[1]"], capture_output=True
    )
    assert b"\x1b[31mtwo" in piped.stdout


def on_a_terminal(command: list[str]) -> str:
    """What a command writes to a terminal."""
    controller, terminal = pty.openpty()
    process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    seen = b""
    try:
        while data := os.read(controller, 65536):
            seen += data
    except OSError:  # how the end of a terminal shows itself on Linux
        pass
    os.close(controller)
    assert process.wait(timeout=30) == 0
    return seen.decode()


def test_starting_loads_nothing_heavy() -> None:
    script = (
        "import sys, doxeval, doxeval.cli; "
        "heavy = {'numpy', 'rich', 'selectolax', 'markdown_it'} & set(sys.modules); "
        "sys.exit(f'loaded: {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_scoring_a_small_run_loads_only_what_it_uses(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("1 Q0 a 1 2.0 mine\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    script = (
        "import atexit, sys; "
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
        "from doxeval.cli import main; main(prog_name='doxeval')"
    )
    command = [sys.executable, "-c", script, "evaluate", "a.run", "-a", "qrels", "-m", "AP"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    loaded = done.stderr.split()
    rooms = ("comparison", "reports", "retrieve", "pooling", "chunks", "parallel.engine")
    others = ("documents.build.sources", "documents.readers.pdf", "evaluation.jobs", "scores.plots")
    not_used = [f"doxeval.{name}" for name in (*rooms, *others)]
    libraries = ["hashlib", "logging", "multiprocessing", "msgspec", "rich", "scipy", "pandas"]
    unused = tuple(name + "." for name in (*not_used, *libraries))
    assert [name for name in loaded if f"{name}.".startswith(unused)] == []


def test_a_package_offers_a_model_to_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "models_of_mine.py").write_text(MODEL_SOURCE, encoding="utf-8")
    facts = tmp_path / "models_of_mine-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: models_of_mine\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(
        "[doxeval.models]\ncoordination = models_of_mine\nnone = no_such_module:It\n"
    )
    sources = str(Path(package.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-m", "doxeval", "models"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([sources, str(tmp_path)])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "  coordination  How many of the query's items occur\n" in done.stdout
    assert "entry point none = no_such_module:It cannot be loaded" in done.stderr
