"""Whatever names contain, a terminal shows them as escapes, and files keep them exactly."""

from __future__ import annotations

import ast
import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import doxeval.cli as doxeval_cli
from doxeval.cli import INTERNAL_ERROR
from doxeval.messages import escape
from helpers import doxeval, write_files
from hostile_names import EVIL, FORGED, HARMFUL, NOT_UTF8, commands

ON_A_TERMINAL = """
import json, sys
from doxeval.cli import main
for number, words in enumerate(json.loads(sys.stdin.read())):
    if number:
        sys.stderr.flush()
        print("=== the next command ===", flush=True)
    try:
        main([*words], prog_name="doxeval")
    except SystemExit:
        pass
"""


def is_safe(text: str) -> bool:
    return escape(text, lines=True) == text and not FORGED.search(text)


def test_a_pipe_gets_nothing_hidden_but_data(tmp_path: Path) -> None:
    ended: set[int] = set()
    for command in commands(tmp_path):
        result = doxeval(*command.words)
        assert is_safe(result.stderr), (command, result.stderr)
        if not command.is_data:
            assert is_safe(result.stdout), (command, result.stdout)
        ended.add(result.exit_code)
    assert ended == {0, 1, 2}, "some commands succeed, some fail"


def test_a_terminal_gets_nothing_that_steers_it(tmp_path: Path) -> None:
    tried = list(commands(tmp_path))
    shown = _on_a_terminal([[str(word) for word in command.words] for command in tried])
    parts = shown.replace("\r\n", "\n").split("=== the next command ===\n")
    for command, part in zip(tried, parts, strict=True):
        assert not HARMFUL.search(part), (command, part)
        assert command.is_data or not FORGED.search(part), (command, part)
    assert r"\u001b]0;owned\u0007" in shown
    assert "Traceback" not in shown and INTERNAL_ERROR not in shown
    assert "[red]e[/red]" in shown, "markup is not interpreted"


def _on_a_terminal(words: list[list[str]]) -> str:
    """What commands write to a terminal, one after the other in one process."""
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", ON_A_TERMINAL],
        stdin=subprocess.PIPE,
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "200"},
    )
    os.close(terminal)
    assert process.stdin is not None
    process.stdin.write(json.dumps(words).encode())
    process.stdin.close()
    seen = b""
    try:
        while data := os.read(controller, 65536):
            seen += data
    except OSError:  # how the end of a terminal shows itself on Linux
        pass
    os.close(controller)
    assert process.wait(timeout=120) == 0
    return seen.decode()


RUN = "7 Q0 a 1 0.5 mine 0 9\n"
QRELS = "7 Q0 a 9 99 0 0:9\n"


@pytest.mark.parametrize("name", [EVIL, NOT_UTF8], ids=["evil", "not-utf-8"])
@pytest.mark.parametrize("where", ["stdout", "file"])
def test_data_have_names_exactly(tmp_path: Path, name: str, where: str) -> None:
    write_files(tmp_path, {"my.run": RUN, "qrels": QRELS})
    words = ["evaluate", f"{name}={tmp_path}/my.run", "-a", f"{tmp_path}/qrels", "-m", "MAiP"]
    words += ["--per-topic"]
    found = {}
    for format_ in ("json", "csv"):
        if where == "file":
            out = tmp_path / f"scores.{format_}"
            assert doxeval(*words, "--out", out).exit_code == 0
            found[format_] = out.read_bytes()
        else:
            found[format_] = doxeval(*words, "--format", format_).stdout_bytes
    assert json.loads(found["json"])["runs"][0]["run"] == name
    lines = io.StringIO(found["csv"].decode("utf-8", "surrogateescape"), newline="")
    assert {row["run"] for row in csv.DictReader(lines)} == {name}


def test_formats_that_cannot_hold_a_name_say_so(tmp_path: Path) -> None:
    write_files(tmp_path, {"my.run": RUN, "qrels": QRELS})
    words = [f"{tmp_path}/my.run", "-a", f"{tmp_path}/qrels", "-m", "MAiP"]
    forged = doxeval("evaluate", "x\nMAiP\tall\t1=" + words[0], *words[1:], "--format", "trec")
    assert (forged.exit_code, forged.stdout) == (1, "")
    assert r"trec cannot hold the name 'x\nMAiP\tall\t1'; JSON and CSV can" in forged.stderr
    pytest.importorskip("pyarrow")
    out = tmp_path / "scores.parquet"
    refused = doxeval("evaluate", f"{NOT_UTF8}={words[0]}", *words[1:], "--out", out)
    assert refused.exit_code == 1
    assert r"Parquet cannot hold 'n\udcff\udcfe', which is not Unicode text" in refused.stderr
    assert not out.exists()


def test_names_in_bytes_that_are_not_utf8_survive_everywhere(tmp_path: Path) -> None:
    """Every command again, with names as they come from bytes of the command line."""
    for command in commands(tmp_path, NOT_UTF8):
        result = doxeval(*command.words)
        assert is_safe(result.stderr), (command, result.stderr)
        if not command.is_data:
            assert is_safe(result.stdout), (command, result.stdout)


def test_only_one_place_prints() -> None:
    """Of the files of the command line, output.py alone prints, and exit_codes.py the last line.

    main.py sets up stdout.
    """
    printing = {"echo", "secho", "print", "stdout", "stderr", "get_text_stream"}
    room = Path(next(iter(doxeval_cli.__path__)))
    files = {file.relative_to(room).as_posix(): file for file in sorted(room.rglob("*.py"))}
    for prints in ("output.py", "exit_codes.py", "main.py"):
        del files[prints]
    for place, file in files.items():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)
            assert name not in printing, f"{place}:{getattr(node, 'lineno', 0)}: {name}"
