"""Cuts: every chunk stands where it says, and nothing but white space is lost."""

from __future__ import annotations

import re
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval import chunks
from doxeval.errors import InputError
from levels import examples

TEXTS = st.text(
    st.sampled_from("aB. \n\r\t!?#`_\u2028\u0085\x00é\u0301\U0001f600東。"), min_size=1, max_size=80
)
CUTS = [
    "recursive:7:0", "recursive:7:3", "recursive:1:0", "words:3:0", "words:3:2", "sentences:1:0",
    "sentences:3:1", "paragraphs", "sections",
]  # fmt: skip


@pytest.mark.parametrize("by", CUTS)
@given(text=TEXTS)
def test_all_solid_characters_are_in_chunks_without_white_space_around(by: str, text: str) -> None:
    found = chunks.split({"a": text}, by)
    shown = set()
    for row in range(len(found)):
        ((start, end),) = found.spans.as_tuples()[row]
        assert start < end
        if not by.startswith("words"):
            assert text[start:end] == text[start:end].strip()
        shown |= set(range(start, end))
    wanted = {at for at, one in enumerate(text) if not one.isspace()}
    # Words are what measures count, which a lone underscore and the like are too.
    assert wanted <= shown or by.startswith("words")
    if by.startswith("words"):
        assert {at for at in wanted if text[at].isalnum()} <= shown


@given(TEXTS, st.integers(1, 30), st.integers(0, 29))
def test_recursive_chunks_are_no_larger_than_asked_for(text: str, size: int, overlap: int) -> None:
    if overlap >= size:
        return
    found = chunks.split({"a": text}, f"recursive:{size}:{overlap}")
    ranges = [own[0] for own in found.spans.as_tuples()]
    assert all(end - start <= size for start, end in ranges)
    assert ranges == sorted(ranges)
    for (_, end), (start, _) in pairwise(ranges):
        assert end - start <= overlap


@given(TEXTS, st.integers(1, 9), st.integers(0, 8))
def test_windows_of_words_share_just_the_overlap(text: str, size: int, overlap: int) -> None:
    if overlap >= size:
        return
    import re

    words = [one.start() for one in re.finditer(r"\w+|[^\w\s]", text)]
    found = chunks.split({"a": text}, f"words:{size}:{overlap}")
    windows = [
        [at for at in words if start <= at < end] for ((start, end),) in found.spans.as_tuples()
    ]
    assert [at for own in windows[:1] for at in own] == words[:size]
    for one, other in pairwise(windows):
        assert len(one) == size
        assert one[size - overlap :] == other[:overlap]
    assert not words or windows[-1][-1] == words[-1]


def test_sentences_end_where_people_think_they_do() -> None:
    text = 'Dr. Who met J. Smith at 3.5 p.m. today. "Really?" Yes, e.g. there!\n\nA heading\n\nEnd'
    assert chunks.split({"a": text}, "sentences:1:0").texts == (
        "Dr. Who met J. Smith at 3.5 p.m. today.",
        '"Really?"',
        "Yes, e.g. there!",
        "A heading",
        "End",
    )


SENTENCE = re.compile(
    r"[.!?…]+[\"')\]}»”’]*(?=\s)|[。！？][\"')\]}»”’]*|(?:\r\n|\r(?!\n)|\n)[^\S\r\n]*[\r\n]"
)
ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'“‘])(?:[A-Z]|[A-Za-z](?:\.[A-Za-z])+|Mrs?|Dr|Sept?|approx|Figs?|pp?)\.$"
)
WORDS = (
    "a B x1 É . ! ? … 。 ！ \" ' ) ” ( “ Dr Mrs Sept approx Fig e.g U.S.A A.b.c.d.e.f.g p # ## "
    "####### ``` ~~~ ` 😀 \ud800"
)
PARTS = st.sampled_from([*WORDS.split(), " ", "   ", "    ", "\t", "\n", "\r\n", "\n\n", "\u2028"])
MIXED = st.tuples(st.sampled_from(["", "e" * 5000]), st.lists(PARTS, max_size=25)).map(
    lambda both: both[0] + "".join(both[1])
)


def between(text: str, starts: list[int]) -> list[str]:
    """Return what is from each start to the next, where there is something."""
    edges = [*sorted(starts), len(text)]
    return [part for start, end in pairwise(edges) if (part := text[start:end].strip())]


@examples(300)
@given(MIXED)
def test_sentences_are_those_of_a_regular_expression(text: str) -> None:
    starts = [0]
    for end in SENTENCE.finditer(text):
        before = text[max(0, end.start() - 12) : end.start() + 1]
        if end[0] != "." or ABBREVIATION.search(before) is None:
            starts.append(end.end())
    split = chunks.split({"a": text}, "sentences:1:0")
    assert list(split.texts) == between(text, starts)


@examples(300)
@given(MIXED)
def test_sections_begin_where_a_reader_of_lines_finds_headings(text: str) -> None:
    starts, fence, at = [0], "", 0
    for line in re.findall(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+", text):
        mark = re.match(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})", line)
        if fence:
            if mark and mark[1].startswith(fence) and mark[1] == line.strip():
                fence = ""
        elif mark:
            fence = mark[1]
        elif re.match(r" {0,3}#{1,6}(?:[ \t]|\r?\n?$)", line):
            starts.append(at)
        at += len(line)
    assert list(chunks.split({"a": text}, "sections").texts) == between(text, starts)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_an_end_of_a_line_is_no_blank_line(end: str) -> None:
    text = f"One{end}two.{end}{end}Three{end} {end}four"
    paragraphs = (f"One{end}two.", "Three", "four")
    assert chunks.split({"a": text}, "paragraphs").texts == paragraphs
    assert chunks.split({"a": text}, "sentences:1:0").texts == paragraphs
    assert chunks.split({"a": text}, "recursive:15:0").texts[0] == paragraphs[0]


def test_headings_in_code_are_none() -> None:
    text = "# One\n~~~\n# code\n~~~\n####### seven\n#hash\n ## Two\n"
    outline = chunks.documents({"a": text}).outline("a")
    assert [(heading.level, text[heading.start :][:6]) for heading in outline] == [
        (1, "# One\n"),
        (2, " ## Tw"),
    ]


@pytest.mark.parametrize(
    ("by", "why"),
    [
        ("recusive:800", "did you mean recursive"),
        ("recursive", "expected recursive:SIZE:OVERLAP"),
        ("words:0:0", "at least 1"),
        ("words:5:5", "less than the size"),
        ("paragraphs:3", "has no size"),
        ("words:5:x", "whole numbers"),
        ("none.py:split", "no such file"),
    ],
)
def test_a_wrong_cut_is_explained(by: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        chunks.split({"a": "One."}, by)


DOC = "One two.\n\nThree  four five. Six."


class LangChain:
    def split_text(self, text: str) -> list[str]:
        return [one.strip() for one in text.split("\n\n")]


class Chonkie:
    def chunk(self, text: str) -> list[Any]:
        return [
            SimpleNamespace(text=text[s:e], start_index=s, end_index=e, token_count=e - s)
            for s, e in [(0, 8), (10, 32)]
        ]


def semchunk(text: str) -> tuple[list[str], list[tuple[int, int]]]:
    return [text[:8], text[10:]], [(0, 8), (10, 32)]


@pytest.mark.parametrize(
    "by",
    [
        LangChain(),
        Chonkie(),
        semchunk,
        lambda text: [(0, 8), (10, 32)],
        lambda text: ["One two.", "Three four five. Six."],  # other white space
    ],
)
def test_splitters_of_all_kinds_give_the_same_places(by: Any) -> None:
    found = chunks.split({"a": DOC}, by)
    assert found.spans.as_tuples() == [((0, 8),), ((10, 32),)]


def test_functions_of_files(tmp_path: Any) -> None:
    (tmp_path / "my.py").write_text("def split(text):\n    return text.split('. ')\n")
    found = chunks.split({"a": "One. Two"}, f"{tmp_path}/my.py:split")
    assert found.texts == ("One", "Two")
    with pytest.raises(InputError, match="no cut in the file"):
        chunks.split({"a": "One."}, f"{tmp_path}/my.py:cut")
    (tmp_path / "bad.py").write_text("1 / 0\n")
    with pytest.raises(InputError, match="cannot be run"):
        chunks.split({"a": "One."}, f"{tmp_path}/bad.py:split")


def test_what_a_splitter_does_wrong_is_told() -> None:
    def fails(text: str) -> list[str]:
        raise KeyError(text)

    with pytest.raises(InputError, match="fails on document 'a'"):
        chunks.split({"a": "One."}, fails)
    with pytest.raises(InputError, match="which has 4 characters"):
        chunks.split({"a": "One."}, lambda text: [(0, 9)])
    with pytest.raises(InputError, match="expected the chunks"):
        chunks.split({"a": "One."}, lambda text: text)
    with pytest.raises(InputError, match="no chunking"):
        chunks.split({"a": "One."}, 5)
