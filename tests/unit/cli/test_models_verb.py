"""The verb models, and models that users write: registered, and offered by packages."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import doxeval
from doxeval.cli import main
from doxeval.errors import InputError
from doxeval.retrieve import BUILT_IN, MODELS, bm25, explain_model, lm
from own_models import MODEL_SOURCE


def shown(*words: str) -> str:
    result = CliRunner().invoke(main, ["models", *words])
    assert result.exit_code == 0, result.output
    return result.output


def test_all_models_are_listed() -> None:
    listed = [line.split(maxsplit=1) for line in shown().splitlines()]
    for kind in BUILT_IN:
        assert [kind.name, kind.facts.title] in listed


@pytest.mark.parametrize("kind", BUILT_IN)
def test_a_model_is_explained(kind: type[doxeval.Model]) -> None:
    text = shown(kind.name)
    assert text == explain_model(kind) == explain_model(kind())
    assert kind.facts.formula.splitlines()[0] in text
    for source in kind.facts.sources:
        mark = "verified" if source.is_verified else "recalled"
        assert f"- {mark}: {source.what}. {source.where}.\n" in text
    assert "**Here**" not in text


def test_a_model_with_parameters_is_explained_as_it_is() -> None:
    text = shown("lm(prior=.5)")
    assert f"**Here** `{lm(prior=0.5)}`\n" in text
    assert "(here 0.5; default 0)" in text
    assert f"- elements: `{lm(prior=0.5)}`\n" in text
    only_for_chunks = shown("bm25(idf=units)")
    assert f"- windows, chunks: `{bm25(idf='units').resolve_auto('chunks')}`\n" in only_for_chunks
    assert "- elements" not in only_for_chunks


def test_a_wrong_name_is_one_line() -> None:
    result = CliRunner().invoke(main, ["models", "bm52"])
    assert result.exit_code == 1
    assert result.stderr == "Error: no model 'bm52'; did you mean bm25?\n"


def test_a_model_of_ones_own_has_a_name_once_it_is_registered() -> None:
    names: dict[str, type[doxeval.Model]] = {}
    exec(compile(MODEL_SOURCE, "coordination", "exec"), names)
    own = names["Coordination"]
    doxeval.register_model(own)
    try:
        assert MODELS.named("coordination(least=2)") == own()(least=2)
        assert "  coordination  How many of the query's items occur\n" in shown()
        assert "- `least` how often an item must occur (default 1)" in shown("coordination")
    finally:
        MODELS.unregister("coordination")
    assert "coordination" not in MODELS
    with pytest.raises(InputError, match=r"is not a subclass of doxeval\.Model"):
        doxeval.register_model(int)  # type: ignore[type-var]
