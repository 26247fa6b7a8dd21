"""Text that is not ours: made visible, cut, and never lost."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from doxeval import messages
from doxeval.messages import (
    escape,
    join_names,
    json_text,
    quoted,
    short_path,
    suggestion,
    truncate,
    utf8,
)

HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
ANY_TEXT = st.text(st.characters(codec=None), max_size=60)


def test_every_hidden_character_is_made_visible_and_no_other() -> None:
    by_category: dict[str, list[str]] = defaultdict(list)
    for character in map(chr, range(sys.maxunicode + 1)):
        by_category[unicodedata.category(character)].append(character)
    for category, characters in by_category.items():
        if category in HIDDEN:
            shown = [f"U+{ord(c):04X} ({category})" for c in characters if escape(c) == c]
            assert not shown
        elif category not in ("Cn", "Mn"):
            text = "".join(characters)
            altered = (f"U+{ord(c):04X} ({category})" for c in text if escape(c) != c)
            assert escape(text) == text, list(altered)


@given(ANY_TEXT)
def test_visible_text_is_printable_and_stays_as_it_is(text: str) -> None:
    shown = escape(text)
    assert not any(unicodedata.category(character) in HIDDEN for character in shown)
    assert escape(shown) == shown
    in_lines = escape(text, lines=True)
    assert in_lines.count("\n") == text.count("\n") and in_lines.count("\t") == text.count("\t")
    shown.encode()


@given(ANY_TEXT, st.integers(1, 20))
def test_shortened_names_have_a_length(text: str, longest: int) -> None:
    assert len(truncate(text * 3, longest)) <= longest
    assert truncate(text, 1000) == escape(text)


@given(st.one_of(ANY_TEXT, st.binary(), st.lists(ANY_TEXT), st.none(), st.floats()))
def test_brief_values_are_short_lines(value: object) -> None:
    shown = quoted(value, 10)
    assert escape(shown) == shown
    assert len(shown) < 150
    assert quoted(value, 10_000) == escape(repr(value))


def test_brief_values_of_every_kind() -> None:
    many: tuple[object, ...] = (
        "x" * 10**6,
        ["x"] * 10**5,
        b"x" * 10**6,
        10**5000,
        {"a": "b" * 999},
    )
    assert max(len(quoted(value)) for value in many) < 130


@given(st.text("/ab[1]\x1b\u202e", max_size=500))
def test_paths_keep_both_ends(path: str) -> None:
    shown = short_path(path, 20)
    assert shown == escape(path) if len(path) <= 20 else shown.endswith(escape(path[-10:]))


@given(
    st.recursive(
        ANY_TEXT | st.integers() | st.none(), lambda inner: st.dictionaries(ANY_TEXT, inner)
    )
)
def test_json_is_exact_and_has_nothing_hidden(value: object) -> None:
    for indent in (None, 1):
        text = json_text(value, indent)
        assert json.loads(text) == value
        assert not any(unicodedata.category(c) in HIDDEN for c in text.replace("\n", ""))


@given(ANY_TEXT, st.binary())
def test_every_text_has_bytes(text: str, data: bytes) -> None:
    assert utf8(text).decode("utf-8", "surrogateescape") is not None
    assert utf8(data.decode("utf-8", "surrogateescape")) == data


def test_long_names_are_neither_guessed_nor_listed_in_full() -> None:
    known = [f"{'n' * 300}{number}" for number in range(1000)]
    assert len(suggestion("n" * 300, known)) < 10_000
    assert len(suggestion("x" * 10**6, ["careful"])) < 100
    assert len(join_names(known)) < 1000
    assert messages.LONGEST_QUOTE == 80
