"""Chunks with other letters, marks or added text: what of them is found, and where."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.locating import LEAST_SHARE, How, Located, folded, locate_chunks, matches
from levels import examples
from strategies.chunked import outcome_of, texts_read

WORDS = [f"{a}{b}{c}" for a in ("fog", "sea", "horn") for b in ("lion", "mist") for c in "abcdefg"]


def prose(words: int, seed: int) -> str:
    """Sentences of made-up words that hardly repeat themselves."""
    chance = random.Random(seed)
    return " ".join(f"{chance.choice(WORDS)}{chance.randrange(1000)}," for _ in range(words))


TEXT = prose(600, 1)
CUTS = [(at, at + 700) for at in range(0, len(TEXT) - 700, 700)]


def codes_of(text: str) -> npt.NDArray[np.uint32]:
    return np.array([ord(character) for character in text], dtype=np.uint32)


def noisy(chunk: str, share: float) -> str:
    chance = random.Random(len(chunk))
    return "".join(chance.choice("xyz") if chance.random() < share else one for one in chunk)


def overlap(located: Located, row: int, place: tuple[int, int]) -> float:
    """Intersection over union of what was found of a chunk and the place it comes from."""
    found = {at for start, end in located.spans(row) for at in range(start, end)}
    true = set(range(*place))
    return len(found & true) / len(found | true)


@pytest.mark.parametrize(
    "change",
    [
        str.upper,
        lambda chunk: chunk.replace(",", ""),
        lambda chunk: unicodedata.normalize("NFKD", chunk.replace("o", "ö")),
        lambda chunk: "-\n".join(chunk[at : at + 50] for at in range(0, len(chunk), 50)),
        lambda chunk: chunk[:300] + chunk[360:],
        lambda chunk: noisy(chunk, 0.01),
        lambda chunk: noisy(chunk, 0.05),
        lambda chunk: f"Context that a model wrote about this chunk, and no document has.\n{chunk}",
        lambda chunk: f"{chunk}\nSomething else at the end, of about a line, and not from here.",
    ],
    ids="upper marks accents hyphens dropped noise1 noise5 prefix suffix".split(),
)
def test_altered_chunks_are_found_where_they_come_from(change: Callable[[str], str]) -> None:
    located = locate_chunks(TEXT, [change(TEXT[start:end]) for start, end in CUTS])
    assert {How(how) for how in located.how} == {How.FUZZY}
    assert all(overlap(located, row, place) >= 0.9 for row, place in enumerate(CUTS))
    assert not located.ambiguous.any()


def test_text_of_its_own_at_an_end_is_counted_but_not_shown() -> None:
    text = prose(40, 2)
    located = locate_chunks(text, ["Title: x\n" + text[:200], text[200:] + " [end of file]"])
    assert located.added.tolist() == [len("Title: x"), len("[end of file]")]
    assert located.spans(0) == ((0, 200),) and located.share[0] < 1


def test_a_heading_and_its_body_are_two_ranges() -> None:
    text = "# Returns of unused goods\n\n" + prose(60, 3) + "\n\n" + prose(60, 4)
    body = text[-300:]
    located = locate_chunks(text, ["Returns of unused goods\n" + body])
    assert located.spans(0) == ((2, 25), (len(text) - 300, len(text)))
    assert located.added[0] == 0 and located.share[0] == 1


def test_two_places_that_are_as_good_are_ambiguous_and_the_nearest_to_the_neighbours_wins() -> None:
    same = prose(30, 5)
    text = "\n".join([prose(30, 6), same, prose(30, 7), same, prose(30, 8)])
    second = text.rindex(same)
    before = text[second - 200 : second]
    located = locate_chunks(text, [before, noisy(same, 0.01)])
    assert located.ambiguous.tolist() == [False, True]
    assert abs(located.spans(1)[0][0] - second) < 20


def test_too_small_a_share_is_lost_and_told() -> None:
    half = TEXT[:200] + prose(30, 9) + TEXT[900:1000] + prose(30, 10)
    located = locate_chunks(TEXT, [half])
    assert located.how[0] == How.NOT_FOUND and 0.1 < located.share[0] < 0.8
    assert f"best share {located.share[0]:.2f}" in str(located.report.missing[0])
    assert locate_chunks(TEXT, [half], min_share=0.1).how[0] == How.FUZZY


def test_a_chunk_of_another_document_is_lost() -> None:
    located = locate_chunks(TEXT, [prose(100, 11), "+++ --- +++", "zz"])
    assert [How(how) for how in located.how] == [How.NOT_FOUND] * 3


def test_case_does_not_matter_in_the_middle_of_repeated_text() -> None:
    rows = ["Total of the year", "1", "Total of the year", "2", "Total of the year", "3"]
    text = "\n".join(rows)
    located = locate_chunks(text, [row.upper() for row in rows])
    assert [text[a:b] for row in range(6) for a, b in located.spans(row)] == rows
    assert not located.ambiguous.any()


@given(st.text(max_size=30))
def test_folding_keeps_letters_and_digits_without_case_and_accents(text: str) -> None:
    codes, offsets = folded(codes_of(text))
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    letters = [one for one in unicodedata.normalize("NFKD", decomposed) if one.isalnum()]
    assert sorted(map(chr, codes.tolist())) == sorted(letters)
    assert offsets.tolist() == sorted(offsets.tolist())
    for code, offset in zip(codes.tolist(), offsets.tolist(), strict=True):
        again = unicodedata.normalize("NFKD", text[offset]).casefold()
        assert chr(code) in unicodedata.normalize("NFKD", again)


@given(st.text("ab", max_size=60), st.text("ab", max_size=30), st.integers(3, 5))
def test_segments_grow_in_both_texts_and_count_letters_that_agree(
    text: str, chunk: str, size: int
) -> None:
    seeds = [
        (at, place)
        for at in range(len(chunk) - size + 1)
        for place in range(len(text) - size + 1)
        if chunk[at : at + size] == text[place : place + size]
    ]
    if not seeds:
        return
    at, place = np.array(seeds).T
    for match in matches(codes_of(chunk), codes_of(text), at, place, size):
        end = place_end = 0
        for segment in match.segments:
            start = segment.start + segment.diagonal
            here = chunk[segment.start : segment.end]
            there = text[start : segment.end + segment.diagonal]
            assert end <= segment.start < segment.end <= len(chunk)
            assert place_end <= start and len(here) == len(there)
            assert segment.same == sum(a == b for a, b in zip(here, there, strict=True))
            end, place_end = segment.end, segment.end + segment.diagonal


# What is read: windows, contexts in front, extracts

STORY = (
    "Fog came in from the sea. Nobody in the harbour saw the lamp. A horn was heard twice. "
    "The boats stayed out until it was morning.\n\nIn the town they counted the boats. One was "
    "missing. Nobody in the harbour saw the lamp. It came back at noon."
)
CONTEXT = "This part is about the night on which a boat did not come back."


def shown(text: str, *, chunk: str, min_share: float = 0.8) -> list[str]:
    """The parts of a text that are shown by a chunk."""
    located = locate_chunks(text, [chunk], order="none", min_share=min_share)
    return [text[start:end] for start, end in located.spans(0)]


def test_sentences_that_were_left_out_are_not_shown() -> None:
    extract = "Fog came in from the sea. The boats stayed out until it was morning."
    parts = ["Fog came in from the sea.", "The boats stayed out until it was morning."]
    assert shown(STORY, chunk=extract) == parts
    assert locate_chunks(STORY, [extract]).added[0] == 0


@pytest.mark.parametrize("between", ["\n\n", "\n", " "])
@pytest.mark.parametrize("after", ["", " That is all of it."])
def test_text_of_no_document_costs_and_shows_nothing(between: str, after: str) -> None:
    body = "A horn was heard twice. The boats stayed out until it was morning."
    chunk = CONTEXT + between + body + after
    assert shown(STORY, chunk=chunk) == [body]
    located = locate_chunks(STORY, [chunk])
    assert located.added[0] == len(CONTEXT) + len(after.strip()) and not located.ambiguous[0]


def test_a_sentence_that_is_repeated_is_between_those_around_it_or_ambiguous() -> None:
    repeated = "Nobody in the harbour saw the lamp."
    inner = f"Fog came in from the sea. {repeated} The boats stayed out until it was morning."
    first = locate_chunks(STORY, [inner], order="none")
    assert not first.ambiguous[0] and len(first.spans(0)) == 2
    last = f"The boats stayed out until it was morning. {CONTEXT} {repeated}"
    second = locate_chunks(STORY, [last], order="none", min_share=LEAST_SHARE)
    assert not second.ambiguous[0] and STORY.rindex(repeated) == second.spans(0)[1][0]
    alone = locate_chunks(STORY, [f"{CONTEXT}\n{repeated}"], order="none")
    assert alone.ambiguous[0]


def test_what_is_not_located_is_added() -> None:
    assert locate_chunks(STORY, [f" {CONTEXT}\n"]).added.tolist() == [len(CONTEXT)]


@given(st.integers(0, 10_000))
@examples(60)
def test_texts_that_are_read_are_never_at_a_wrong_place(seed: int) -> None:
    document, made = texts_read(random.Random(seed), 8)
    for min_share in (LEAST_SHARE, 0.8):
        texts = [read.text for read in made]
        located = locate_chunks(document, texts, order="none", min_share=min_share)
        for row, read in enumerate(made):
            assert outcome_of(document, read, located, row) != "wrong"
