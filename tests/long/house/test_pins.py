"""What `scripts/pins.py` asks pip for; it asks only in CI, where there is an index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from pins import PYTHONS, is_offline, requirements

ROOT = Path(__file__).resolve().parents[3]


def pinned() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    return {_normal(name): version for name, _, version in (line.partition("==") for line in lines)}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("python", PYTHONS)
def test_what_make_installs_is_pinned_to_a_version_that_fits(python: str) -> None:
    pins = pinned()
    for text in requirements(python):
        one = Requirement(text)
        assert one.specifier.contains(pins[_normal(one.name)]), text


def test_markers_are_those_of_the_python_asked_about() -> None:
    needs = {python: " ".join(requirements(python)) for python in PYTHONS}
    assert "backports.zstd" in needs["3.13"]
    assert "backports.zstd" not in needs["3.14"]


def test_extras_are_followed_to_the_end() -> None:
    names = {Requirement(text).name for text in requirements("3.12")}
    assert {"numpy", "mypy", "pytest", "pyarrow", "zensical"} <= names
    assert "doxeval" not in names


def test_the_oldest_python_is_the_one_required() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'requires-python = ">={PYTHONS[0]}"' in project


def test_no_network_is_not_a_failure_of_the_pins() -> None:
    assert is_offline("WARNING: Retrying after connection broken by 'NewConnectionError(…)'")
    assert not is_offline("ERROR: No matching distribution found for numpy==1.99.9")
