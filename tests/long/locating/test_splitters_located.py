"""Chunks of the splitters that people use, held against places known for sure.

A splitter that goes by white space and marks cuts a text alike if every letter is replaced by one
that occurs only once. There the place of a chunk is plain.
"""

from __future__ import annotations

import random

import pytest

from doxeval.locating import How, locate_chunks
from real_splitters import SPLITTERS, with_own_letters


def report_of_years() -> str:
    """A text with tables, headings and sentences that stand in it again and again."""
    chance = random.Random(3)
    nouns = ["sales", "costs", "shares", "debts", "leases"]
    lines = ["# Report\n\n"]
    for year in range(2001, 2061):
        lines.append(f"## {chance.choice(nouns).title()}\n\nTable of contents . . . . . . .\n\n")
        for _ in range(chance.randrange(6)):
            lines.append(f"| {chance.choice(nouns)} | {chance.randrange(3)} | 0 |\n")
        lines.append("\nAll amounts are in millions. See the notes. ")
        for _ in range(chance.randrange(9)):
            noun = chance.choice(nouns)
            lines.append(f"The {noun} of {year - chance.randrange(3)} were higher than expected. ")
        lines.append("\n\n- - - - -\n\n")
    return "".join(lines)


TEXT = report_of_years()


def letters_of(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The first and the last letter or digit of a range."""
    letters = [at for at in range(start, end) if text[at].isalnum()]
    return (letters[0], letters[-1]) if letters else None


@pytest.mark.parametrize("name", SPLITTERS)
def test_chunks_of_a_splitter_are_found_where_they_were_cut(name: str) -> None:
    library = name.split()[0]
    pytest.importorskip(library, reason=f"the splitters of {library} are not installed")
    split, own_letters = SPLITTERS[name], with_own_letters(TEXT)
    chunks, twins = split(TEXT), split(own_letters)
    assert len(chunks) > 20
    located = locate_chunks(TEXT, [text for text, _, _ in chunks])
    assert not (located.how == How.NOT_FOUND).any() and located.report.uncovered == 0
    offsets = [start for _, start, _ in chunks], [end for _, _, end in chunks]
    checked = locate_chunks(TEXT, [text for text, _, _ in chunks], offsets=offsets)
    if [len(text) for text, _, _ in twins] != [len(text) for text, _, _ in chunks]:
        return  # this splitter looks at letters, too
    place = {character: at for at, character in enumerate(own_letters)}
    for row, (twin, _, _) in enumerate(twins):
        letters = [character for character in twin if character.isalnum()]
        true = (place[letters[0]], place[letters[-1]]) if letters else None
        for found in (located, checked):
            if true is not None and not found.ambiguous[row]:
                ((start, end),) = found.spans(row)
                assert letters_of(TEXT, start, end) == true
