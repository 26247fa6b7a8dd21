"""Where numbers have so many bits, what would not fit is refused by its number, or never wraps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval import spans
from doxeval.assessments import Assessments, Judgment
from doxeval.documents import MOST_ELEMENTS, MOST_TOPICS, Limits, example_collection
from doxeval.errors import DocumentError, InputError
from doxeval.measures import GroundTruth, pair_keys
from doxeval.retrieve import build_index
from doxeval.runs import Run
from helpers import Builder
from levels import examples
from seams import change


def test_no_document_may_be_longer_than_its_offsets(
    build: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, longest_document=5)
    assert len(build({"a.xml": "<a>12345</a>", "b.xml": "<a>123</a>"})) == 2
    with pytest.raises(DocumentError, match="more than 5 characters of text in one document"):
        build({"a.xml": "<a>123</a>", "b.xml": "<a>123456</a>"})
    with pytest.raises(InputError, match="bytes=2147483648: expected a whole number from 1 to"):
        Limits(bytes=1 << 31)
    with pytest.raises(InputError, match="elements=1073741825: expected a whole number from 1 to"):
        Limits(elements=(1 << 30) + 1)


def test_so_many_elements_in_one_collection(
    build: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, elements_limit=3)
    assert len(build({"a.xml": "<a><b/></a>", "b.xml": "<a/>"})) == 2
    with pytest.raises(InputError, match="more than 3 elements in one collection"):
        build({"a.xml": "<a><b/></a>", "b.xml": "<a><b/></a>"})


def test_so_many_topics_in_one_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, topics_limit=2)
    judged = [Judgment(topic, "a", ((0, 5),)) for topic in ("1", "2", "3")]
    assert GroundTruth.of(Assessments(judged[:2])).topics == ("1", "2")
    with pytest.raises(InputError, match="more than 2 topics in one evaluation"):
        GroundTruth.of(Assessments(judged))


@given(st.integers(0, MOST_TOPICS - 1), st.integers(0, MOST_ELEMENTS - 1))
def test_topics_and_elements_fit_into_one_number(topic: int, element: int) -> None:
    (key,) = pair_keys(np.array([topic]), np.array([element])).tolist()
    assert divmod(key, MOST_ELEMENTS) == (topic, element)


@examples(30)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.integers(1, 12), st.integers(1, 4))
def test_batches_of_an_index_are_whole_documents(
    lengths: list[int], characters: int, documents: int
) -> None:
    """A batch ends with the document that fills it."""

    expected: list[list[int]] = []
    for length in lengths:
        if not expected or len(expected[-1]) == documents or sum(expected[-1]) >= characters:
            expected.append([])
        expected[-1].append(length)
    texts = {f"d{number:02}": f"<a>{'x' * length}</a>" for number, length in enumerate(lengths)}
    read: list[int] = []

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "reading":
            assert total == sum(lengths)
            read.append(done)

    with pytest.MonkeyPatch.context() as patch:
        change(patch, index_batch_characters=characters)
        change(patch, index_batch_documents=documents)
        build_index(example_collection(texts), progress=progress)
    assert read == list(map(sum, expected))


def test_so_many_results_and_judged_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, run_groups_limit=2)
    assert len(Run.from_arrays([7, 7], ["a", "b"])) == 2
    with pytest.raises(InputError, match="more than 2 results in one run"):
        Run.from_arrays([7, 7, 7], ["a", "b", "c"])
    change(monkeypatch, judged_groups_limit=2)
    judged = [Judgment("7", document) for document in "abc"]
    assert len(Assessments(judged[:2]).columns) == 2
    with pytest.raises(InputError, match="more than 2 judged documents in one set"):
        _ = Assessments(judged).columns


def test_a_group_and_a_position_fit_into_one_number() -> None:
    assert np.iinfo(np.int64).max == spans.MOST_GROUPS * spans.TOO_LONG - 1
