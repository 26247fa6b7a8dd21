"""Documentation that is made from the program says what the program does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_generated_pages_are_up_to_date() -> None:
    script = ROOT / "scripts" / "document.py"
    result = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, f"{result.stdout}{result.stderr}: run scripts/document.py"


def test_every_reader_is_documented() -> None:
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    readers = [
        path
        for room in ("topics", "runs", "assessments")
        for path in (ROOT / "src" / "doxeval" / room).glob("*.py")
        if "\ndef read_" in path.read_text(encoding="utf-8") and path.name != "files.py"
    ]
    assert len(readers) > 8
    for path in readers:
        first_line = path.read_text(encoding="utf-8").split("\n")[0].strip('"')
        assert first_line in page, path
