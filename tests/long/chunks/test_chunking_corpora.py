"""The corpora of chunking_evaluation, where they lie beside the project."""

from __future__ import annotations

import pytest

from doxeval import chunks
from doxeval.chunks import Documents, Questions
from helpers import CONFORMANCE, needs_conformance

FOLDER = CONFORMANCE / "chunking_evaluation"

pytestmark = needs_conformance


@pytest.fixture(scope="module")
def docs() -> Documents:
    return chunks.documents(FOLDER)


@pytest.fixture(scope="module")
def gold(docs: Documents) -> Questions:
    return chunks.questions(FOLDER / "questions_df.csv", docs)


def test_all_gold_is_found(docs: Documents, gold: Questions) -> None:
    assert (len(docs), sum(map(len, docs.values()))) == (5, 1_444_328)
    assert len(gold) == 472
    assert sum(len(question.needs) for question in gold) == 790
    assert gold.tally.missing == gold.tally.moved == 0


def test_copies_are_counted(gold: Questions) -> None:
    assert (gold.tally.copied, gold.tally.questions_with_copies) == (97, 68)
    copied = [need for one in gold for need in one.needs if len(need.spans) > 1]
    assert len(copied) == 97
    in_finance = [need for need in copied if need.spans[0].document == "finance"]
    assert len(in_finance) == 96
    assert all(need.spans[0] == min(need.spans) for need in copied), "gold is the first copy"


def test_windows_of_all_corpora_are_located(docs: Documents) -> None:
    windows = {
        name: [text[at : at + 800] for at in range(0, len(text), 400)]
        for name, text in docs.items()
    }
    located = chunks.locate(docs, windows)
    starts = [at for text in docs.values() for at in range(0, len(text), 400)]
    assert located.spans.start.tolist() == starts
    assert not located.ambiguous.any() and set(located.how) == {"exact"}
    flat = [window for own in windows.values() for window in own]
    assert chunks.locate(docs, flat).spans.equals(located.spans), "without their documents, too"
