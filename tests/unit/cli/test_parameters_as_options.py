"""Messages name the options of the running verb; words of the user are shown as they are."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from doxeval.errors import InputError
from doxeval.messages import Message, Parameter
from helpers import doxeval


def test_words_of_users_are_never_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert (
        doxeval("topics", "order=3.xml").stderr == "Error: order=3.xml: No such file or directory\n"
    )
    assert "cP@10(solid=on)" in doxeval("measures", "cP@10(solid=on)").stderr


def test_errors_name_options_of_the_verb(tmp_path: Path) -> None:
    deep = tmp_path / "depth=9.xml"
    deep.write_text("<a>" * 5 + "</a>" * 5)
    out = tmp_path / "out"
    result = doxeval("collection", "build", deep, "--out", out, "--max-depth", 3)
    assert result.exit_code == 1
    assert "depth=9.xml:1:10: elements nested more than 3 deep; --max-depth sets" in result.stderr


def test_parameters_survive_processes_and_prefixes() -> None:
    error = InputError("too deep; " + Parameter("depth", 3) + " is the limit", "a.xml", 7)
    again = Message("b: ", pickle.loads(pickle.dumps(error)))
    assert str(again) == "b: a.xml:7: too deep; depth=3 is the limit"
    assert [part.value for part in again.parts if isinstance(part, Parameter)] == [3]
