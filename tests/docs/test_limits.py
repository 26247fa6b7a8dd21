"""The table of limits names options and parameters that exist."""

from __future__ import annotations

import re
from dataclasses import fields

from click.testing import CliRunner

from doxeval.cli import main
from doxeval.documents import Limits
from limits import LIMITS, limits_table, size


def test_options_and_parameters_exist() -> None:
    help_text = CliRunner().invoke(main, ["collection", "build", "--help"]).stdout
    options = set(re.findall(r"`(--[a-z-]+)`", limits_table()))
    assert options == set(re.findall(r"--max-[a-z]+", help_text))
    parameters = set(re.findall(r"(\w+)=…", limits_table()))
    assert parameters == {field.name for field in fields(Limits)}


def test_every_limit_says_how_much() -> None:
    for limits in LIMITS.values():
        assert all(re.search("[0-9]", limit.allowed) for limit in limits)


def test_sizes_are_exact() -> None:
    assert size((1 << 20) + 1) == "1,048,577 bytes"
