"""What a public host would run on every change: the checks that `make` has, on every Python."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from helpers import ROOT
from pins import PYTHONS

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert workflow["permissions"] == {"contents": "read"}
        yield from ((f"{path.stem}: {name}", job) for name, job in workflow["jobs"].items())


JOBS = dict(jobs())
COMMANDS = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]


def test_there_are_three_workflows() -> None:
    assert [path.stem for path in WORKFLOWS] == ["checks", "nightly", "release"]


def test_every_supported_python_and_three_systems_are_tried() -> None:
    matrix = JOBS["checks: unit"]["strategy"]["matrix"]
    assert matrix["python"] == list(PYTHONS)
    assert len(matrix["system"]) == 3
    said = [re.fullmatch(r".*Python :: (3\.\d+)", name) for name in PROJECT["classifiers"]]
    assert [match[1] for match in said if match] == list(PYTHONS)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_are_of_this_project(command: str) -> None:
    for extra in re.findall(r"\.\[(\w+)\]", command):
        assert extra in PROJECT["optional-dependencies"]
    for target in re.findall(r"\bmake ([\w-]+)", command):
        assert f"\n{target}:" in MAKEFILE
    for file in re.findall(r"[\w./]+/[\w./]+", command):
        assert (ROOT / file).exists(), file


def test_style_and_types_are_checked_as_by_make() -> None:
    by_make = re.findall(r"^\t\$\(BIN\)/((?:ruff|mypy).*)$", MAKEFILE, re.MULTILINE)
    assert len(by_make) == 3
    assert [command for command in COMMANDS if command.startswith(("ruff", "mypy"))] == by_make


def test_only_the_job_that_publishes_may_prove_who_it_is() -> None:
    writing = {name: job["permissions"] for name, job in JOBS.items() if "permissions" in job}
    assert writing == {"release: publish": {"id-token": "write"}}
