"""What one process has hashed, others need not hash again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clusters import import_path
from helpers import Builder
from seams import change

OPENED = """
import multiprocessing, sys
import pytest
from doxeval import Collection
from seams import change

def opened(path):
    with pytest.MonkeyPatch.context() as patch:
        change(patch, small_file_bytes=0, digest=None)  # hashing would raise an error
        return len(Collection(path))

if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(pool.map(opened, [sys.argv[2]]))
"""


@pytest.mark.parametrize("start", ["spawn", "forkserver"])
def test_another_process_need_not_hash_again(
    build: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str
) -> None:
    monkeypatch.setenv("DOXEVAL_CACHE", str(tmp_path / "cache"))
    change(monkeypatch, small_file_bytes=0, settled_after=-1)
    collection = build({"a.xml": "<a>one<b>two</b></a>", "b.xml": "<a>three</a>"}).directory
    assert (tmp_path / "cache" / "hashes.json").exists()
    script = tmp_path / "opened.py"
    script.write_text(OPENED)
    done = subprocess.run(
        [sys.executable, script, start, collection],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": import_path()},
    )
    assert done.stdout == "[2]\n"
