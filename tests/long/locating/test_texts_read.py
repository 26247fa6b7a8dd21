"""What models are given of documents, held against places that are known by construction.

Sentence windows, chunks with a context in front, extracts, and extracts with a context: a place may
be ambiguous or not found, and then it says so, but it is never wrong.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from doxeval.locating import LEAST_SHARE, locate_chunks
from strategies.chunked import outcome_of, texts_read

TEXTS, IN_EACH = 20_000, 40


@pytest.mark.parametrize("min_share", [LEAST_SHARE, 0.8])
def test_no_text_is_at_a_wrong_place_without_a_word(min_share: float) -> None:
    outcomes = Counter[str]()
    for seed in range(TEXTS // IN_EACH):
        document, made = texts_read(Random(seed), IN_EACH)
        texts = [read.text for read in made]
        located = locate_chunks(document, texts, order="none", min_share=min_share)
        for row, read in enumerate(made):
            outcome = outcome_of(document, read, located, row)
            assert outcome != "wrong", (seed, row, read.text, located.spans(row))
            outcomes[outcome] += 1
    assert outcomes.total() == TEXTS
    assert outcomes["all of it"] > 0.8 * TEXTS and outcomes["not found"] < 0.05 * TEXTS
