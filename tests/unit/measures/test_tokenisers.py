"""What counts as a token: all the ways to say it, with stand-ins for the libraries."""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from doxeval.errors import InputError
from doxeval.measures import Texts, tokeniser_of
from helpers import doxeval
from seams import change

TEXT = "abcde fg"


class Encoding:
    """As tiktoken has it: tokens of three characters."""

    def encode(self, text: str, disallowed_special: tuple[str, ...]) -> list[str]:
        assert disallowed_special == ()
        return [text[at : at + 3] for at in range(0, len(text), 3)]

    def decode_with_offsets(self, tokens: list[str]) -> tuple[str, list[int]]:
        return "".join(tokens), list(range(0, 3 * len(tokens), 3))


class Tokenizer:
    """As tokenizers has it: tokens of two characters."""

    def encode(self, text: str, add_special_tokens: bool) -> SimpleNamespace:
        assert not add_special_tokens
        return SimpleNamespace(offsets=[(at, at + 2) for at in range(0, len(text), 2)])

    @staticmethod
    def from_file(name: str) -> Tokenizer:
        if not Path(name).exists():
            raise Exception("No such file")  # as the library does it
        return Tokenizer()

    @staticmethod
    def from_pretrained(name: str) -> Tokenizer:
        if name == "unknown":
            raise Exception("offline")  # as the library does it
        return Tokenizer()


class FastTokenizer(Tokenizer):
    """As transformers has it."""

    is_fast = True

    def __call__(self, text: str, **options: bool) -> dict[str, Any]:
        assert options == {"return_offsets_mapping": True, "add_special_tokens": False}
        return {"offset_mapping": self.encode(text, add_special_tokens=False).offsets}


class Tiktoken:
    """The module: one encoding, and a model that uses one that cannot be loaded."""

    @staticmethod
    def list_encoding_names() -> list[str]:
        return ["threes", "far"]

    @staticmethod
    def encoding_name_for_model(name: str) -> str:
        return {"model": "far"}[name]

    @staticmethod
    def get_encoding(name: str) -> Encoding:
        if name == "far":
            raise ConnectionError("no network")
        return Encoding()

    @classmethod
    def encoding_for_model(cls, name: str) -> Encoding:
        return cls.get_encoding(cls.encoding_name_for_model(name))


@pytest.fixture
def libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", Tiktoken)
    monkeypatch.setitem(sys.modules, "tokenizers", SimpleNamespace(Tokenizer=Tokenizer))


def pairs_of_four(text: str) -> list[tuple[int, int]]:
    return [(at, at + 4) for at in range(0, len(text), 4)]


@pytest.mark.parametrize(
    ("given", "starts"),
    [
        ("words", [0, 6]),
        (Encoding(), [0, 3, 6]),
        (Tokenizer(), [0, 2, 4, 6]),
        (FastTokenizer(), [0, 2, 4, 6]),
        (pairs_of_four, [0, 4]),
        ("threes", [0, 3, 6]),
        ("bert", [0, 2, 4, 6]),
    ],
)
@pytest.mark.usefixtures("libraries")
def test_every_way_to_say_it(given: Any, starts: list[int]) -> None:
    assert list(tokeniser_of(given)(TEXT)) == starts
    texts = Texts({"a": TEXT}, given)
    # Evaluations are sent to other processes.
    assert pickle.loads(pickle.dumps(texts)).starts("a", "tokens").all().tolist() == starts


@pytest.mark.usefixtures("libraries")
def test_a_file_of_a_tokeniser(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    assert list(tokeniser_of(tmp_path / "tokenizer.json")(TEXT)) == [0, 2, 4, 6]
    with pytest.raises(InputError, match=r"missing.json' is no tokeniser: 'No such file'"):
        tokeniser_of("missing.json")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("far", "tokens='far': tiktoken cannot load it: 'no network'; vocabularies are downloaded"),
        ("model", "unless TIKTOKEN_CACHE_DIR names a folder"),
        ("unknown", "tokens='unknown': neither tiktoken nor tokenizers has it: 'offline'"),
        (7, "tokens is 7: expected a function from a text"),
    ],
)
@pytest.mark.usefixtures("libraries")
def test_what_cannot_be_loaded_is_explained(given: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        tokeniser_of(given)
    assert message in str(caught.value)


def test_libraries_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(InputError, match="neither tiktoken nor tokenizers is installed"):
        tokeniser_of("cl100k_base")
    with pytest.raises(InputError, match=r"files of tokenisers need the package tokenizers"):
        tokeniser_of("tokenizer.json")


@pytest.mark.usefixtures("libraries")
def test_the_command_line_counts_tokens(tmp_path: Path) -> None:
    files = {
        "docs.jsonl": {"id": "a", "text": TEXT},
        "judged.jsonl": {"topic": "7", "doc": "a", "start": 0, "end": 8},
        "run.jsonl": {"topic": "7", "doc": "a", "start": 0, "end": 8},
    }
    for name, record in files.items():
        (tmp_path / name).write_text(json.dumps(record) + "\n")
    given = (tmp_path / "run.jsonl", "-a", tmp_path / "judged.jsonl", "-m", "read@1")
    texts = ("--texts", tmp_path / "docs.jsonl")
    for tokens, count in (("words", "2.0000"), ("threes", "3.0000"), ("bert", "4.0000")):
        scored = doxeval("evaluate", *given, *texts, "--tokens", tokens)
        assert scored.stdout.split()[-1] == count, scored.stderr
    refused = doxeval("evaluate", *given, *texts, "--tokens", "far")
    assert "--tokens far: tiktoken cannot load it" in refused.stderr
    assert refused.exit_code == 1


def test_only_some_offsets_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def three(text: str) -> list[int]:
        read.append(text)
        return [0, 1, 2]

    change(monkeypatch, most_offset_bytes=600)  # of two documents
    texts = Texts({name: f"{name} text" for name in "abc"}, three)
    for name in "abcbca":
        assert texts.starts(name, "tokens").all().tolist() == [0, 1, 2]
    assert [text[0] for text in read] == [*"abc", "a"]
    again = pickle.loads(pickle.dumps(Texts({"a": "one two"}, "words")))
    assert again.starts("a", "tokens").all().tolist() == [0, 4]
