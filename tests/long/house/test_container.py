"""The Dockerfile without Docker: its steps are carried out in an empty directory and environment.

Of Dockerfiles it knows what is used here: FROM, ENV, WORKDIR, COPY, RUN, USER, EXPOSE, ENTRYPOINT
and CMD. Absolute paths lie below the directory of the test; the base image is this Python.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

import pytest

from helpers import ROOT
from pins import is_offline

_STEP = re.compile(r"([A-Z]+)\s+(.*)", re.DOTALL)


def steps(text: str) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile, each with its words on one line."""
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    matches = [_STEP.fullmatch(line.strip()) for line in text.splitlines() if line.strip()]
    assert all(matches)
    return [(match[1], match[2]) for match in matches if match]


def context(into: Path) -> None:
    """Copy what `docker build` would see: the files of the checkout that .dockerignore leaves."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    kept = [line[1:] for line in lines if line.startswith("!")]
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in names.splitlines():
        if any(fnmatch(name, pattern) or name.startswith(f"{pattern}/") for pattern in kept):
            target = into / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)


@dataclass
class Image:
    """What the steps have made so far."""

    root: Path
    variables: dict[str, str] = field(default_factory=dict)
    directory: str = "/"
    entry: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)

    def path(self, name: str) -> Path:
        return self.root / os.path.join(self.directory, name).lstrip("/")

    def environment(self) -> dict[str, str]:
        python = os.path.dirname(os.path.realpath(sys.executable))
        path = f"{python}:/usr/bin:/bin"
        here = {
            name: re.sub(r"(?<![^:])/(opt|tmp)", rf"{self.root}/\1", value)
            for name, value in self.variables.items()
        }
        here["PATH"] = here.get("PATH", "$PATH").replace("$PATH", path)
        kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        return {**kept, "HOME": str(self.root), **here}

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.path(""),
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=500,
        )


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """The last stage of the Dockerfile, its steps carried out."""
    root = tmp_path_factory.mktemp("container")
    (root / "tmp").mkdir()
    made = Image(root)
    for name, words in steps((ROOT / "Dockerfile").read_text()):
        if name == "FROM":
            made = Image(root)
        elif name == "ENV":
            made.variables.update(re.findall(r'(\w+)="?([^"\s]*)"?', words))
        elif name == "WORKDIR":
            made.directory = words
            made.path("").mkdir(parents=True, exist_ok=True)
        elif name == "COPY" and words == ". .":
            context(made.path(""))
        elif name == "COPY":  # from the stage before, whose files lie in the same place here
            _, source, target = words.split()
            assert source == target
            assert made.path(source).is_dir()
        elif name == "RUN":
            done = made.run("sh", "-c", words)
            if done.returncode and is_offline(done.stderr):
                pytest.skip("pip cannot reach its index")
            assert done.returncode == 0, done.stderr
        elif name == "ENTRYPOINT":
            made.entry = json.loads(words)
        elif name == "CMD":
            made.command = json.loads(words)
        else:
            assert name in ("USER", "EXPOSE")
    return made


def test_commands_run_in_the_container(image: Image) -> None:
    for command in ("--version", "demo", "measures MAiP"):
        done = image.run(*image.entry, *command.split())
        assert done.returncode == 0, done.stderr
    assert (image.path("doxeval-demo") / "report.html").exists()


def test_the_container_serves_the_demo_campaign(image: Image) -> None:
    assert image.command[-2:] == ["--host", "0.0.0.0"]  # so that others than the container reach it
    local = [*image.entry, *image.command[:-1], "127.0.0.1", "--port", "0"]
    with subprocess.Popen(
        local, cwd=image.path(""), env=image.environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            addresses = (re.match(r"(http://\S+)   Ctrl-C", line) for line in process.stdout)
            address = next(filter(None, addresses))[1]
            with urllib.request.urlopen(address, timeout=30) as answer:
                assert "Sign in" in answer.read().decode()
        finally:
            process.terminate()
