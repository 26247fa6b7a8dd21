"""The verb models, and models that users write: registered, and offered by packages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import doxeval
from doxeval.cli import main
from doxeval.errors import InputError
from doxeval.retrieve import BUILT_IN, MODELS, bm25, explained, lm

SOURCE = '''
from dataclasses import dataclass

from doxeval import Model
from doxeval.named import parameter


@dataclass(frozen=True)
class Coordination(Model):
    """How many of the query's items occur."""

    name = "coordination"
    least: float = parameter(1.0, "how often an item must occur")

    def by_item(self, evidence):
        for item, weight in enumerate(evidence.weight):
            yield weight * (evidence.tf[:, item] >= self.least)
'''


def shown(*words: str) -> str:
    result = CliRunner().invoke(main, ["models", *words])
    assert result.exit_code == 0, result.output
    return result.output


def test_all_models_are_listed() -> None:
    listed = shown()
    for kind in BUILT_IN:
        assert f"  {kind.name:<10} {kind.facts.title}\n" in listed


@pytest.mark.parametrize("kind", BUILT_IN)
def test_a_model_is_explained(kind: type[doxeval.Model]) -> None:
    text = shown(kind.name)
    assert text == explained(kind) == explained(kind())
    assert kind.facts.formula.splitlines()[0] in text
    for source in kind.facts.sources:
        mark = "verified" if source.is_verified else "recalled"
        assert f"- {mark}: {source.what}. {source.where}.\n" in text
    assert "**Here**" not in text


def test_a_model_with_parameters_is_explained_as_it_is() -> None:
    text = shown("lm(prior=.5)")
    assert f"**Here** `{lm(prior=0.5)}`\n" in text
    assert "(here 0.5; default 0)" in text
    assert "**As used**" not in text, "lm is the same for all kinds of units"
    only_for_chunks = shown("bm25(idf=units)")
    assert f"- windows, chunks: `{bm25(idf='units').settled('chunks')}`\n" in only_for_chunks
    assert "- elements" not in only_for_chunks


def test_a_wrong_name_is_one_line() -> None:
    result = CliRunner().invoke(main, ["models", "bm52"])
    assert result.exit_code == 1
    assert result.stderr == "Error: no model 'bm52'; did you mean bm25?\n"


def test_a_model_of_ones_own_has_a_name_once_it_is_registered() -> None:
    names: dict[str, type[doxeval.Model]] = {}
    exec(compile(SOURCE, "coordination", "exec"), names)
    own = names["Coordination"]
    doxeval.register_model(own)
    try:
        assert MODELS.named("coordination(least=2)") == own()(least=2)
        assert "  coordination How many of the query's items occur\n" in shown()
        assert "- `least` how often an item must occur (default 1)" in shown("coordination")
    finally:
        MODELS.unregister("coordination")
    assert "coordination" not in MODELS
    with pytest.raises(InputError, match=r"is not a subclass of doxeval\.Model"):
        doxeval.register_model(int)  # type: ignore[type-var]


def test_a_package_offers_a_model_to_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "own_models.py").write_text(SOURCE, encoding="utf-8")
    facts = tmp_path / "own_models-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: own_models\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(
        "[doxeval.models]\ncoordination = own_models\nnone = no_such_module:It\n"
    )
    sources = str(Path(doxeval.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-m", "doxeval", "models"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([sources, str(tmp_path)])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "  coordination How many of the query's items occur\n" in done.stdout
    assert "entry point none = no_such_module:It cannot be loaded" in done.stderr
