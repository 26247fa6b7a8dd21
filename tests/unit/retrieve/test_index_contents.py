"""What an index holds, against counting in the trees themselves."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import example_collection
from doxeval.retrieve import Analysis, Index, build_index
from indexed_trees import files_of, indexed, random_trees
from levels import examples
from seams import change
from strategies.trees import Node, located
from strategies.wordings import read_words, worded_nodes

INLINE = {"b"}
WORLDS = st.lists(worded_nodes(), min_size=1, max_size=4)


def words_of(tree: Node) -> list[tuple[int, int]]:
    blocks = [element for element in located(tree) if element.tag not in INLINE]
    borders = {offset for element in blocks for offset in (element.start, element.end)}
    return read_words(tree.text, borders)


@given(WORLDS)
def test_words_elements_and_positions(trees: list[Node]) -> None:
    index = indexed(trees)
    analysis = Analysis("s")
    stream: list[str] = []
    documents: list[int] = []
    first, after = [], []
    for number, tree in enumerate(trees):
        words = words_of(tree)
        assert index.starts(number).tolist() == [start for start, _ in words]
        found = index.word_spans(number)
        assert list(zip(found.start.tolist(), found.end.tolist(), strict=True)) == words
        begin = len(stream)
        for element in located(tree):
            inside = [at for at, (start, _) in enumerate(words) if start < element.end]
            before = [at for at, (start, _) in enumerate(words) if start < element.start]
            first.append(begin + len(before))
            after.append(begin + len(inside))
        stream += [analysis.term(tree.text[start:end]) for start, end in words]
        documents += [number] * len(words)
    assert index.words == len(stream)
    assert index.elements_first.tolist() == first
    assert index.elements_after.tolist() == after
    assert index.documents_at(np.arange(len(stream))).tolist() == documents
    places: dict[str, list[int]] = defaultdict(list)
    for position, term in enumerate(stream):
        places[term].append(position)
    assert index.terms == len(places)
    assert {term: index.term(term).tolist() for term in places} == places
    assert index.term("no such term").tolist() == []
    counts = {term: len({documents[at] for at in where}) for term, where in places.items()}
    assert {term: index.count_documents(index.term(term)) for term in places} == counts
    with pytest.MonkeyPatch.context() as patch:
        change(patch, positions_counted_at_once=2)
        assert {term: index.count_documents(index.term(term)) for term in places} == counts


@given(WORLDS, st.data())
def test_phrases(trees: list[Node], data: st.DataObject) -> None:
    index = indexed(trees)
    terms = [
        [Analysis("s").term(tree.text[start:end]) for start, end in words_of(tree)]
        for tree in trees
    ]
    vocabulary = sorted({term for words in terms for term in words}) or ["fog"]
    phrase = data.draw(st.lists(st.sampled_from(vocabulary), min_size=1, max_size=3))
    expected, begin = [], 0
    for words in terms:
        for at in range(len(words) - len(phrase) + 1):
            if words[at : at + len(phrase)] == phrase:
                expected.append(begin + at)
        begin += len(words)
    assert index.phrase(phrase).tolist() == expected


@examples(15)
@given(WORLDS, st.integers(1, 40), st.integers(1, 3), st.integers(1, 20))
def test_sizes_of_batches_and_runs_change_nothing(
    trees: list[Node], run_words: int, documents: int, merged: int
) -> None:
    expected = files_of(indexed(trees).directory)
    with pytest.MonkeyPatch.context() as patch:
        change(patch, index_batch_documents=documents)
        change(patch, index_batch_words=run_words)
        change(patch, index_run_words=run_words)
        change(patch, index_terms_at_once=merged, index_terms_sampled=1 + run_words % 3)
        change(patch, postings_merged_at_once=merged)
        assert files_of(indexed(trees).directory) == expected


@pytest.fixture(scope="module")
def trees() -> list[Node]:
    return random_trees()


def test_positions_beyond_32_bits(trees: list[Node], monkeypatch: pytest.MonkeyPatch) -> None:
    small = indexed(trees)
    change(monkeypatch, postings_in_32_bits=10)
    large = indexed(trees)
    assert large.elements_first.dtype == np.uint64
    assert large.term("w1").dtype == np.uint64
    assert large.term("w1").tolist() == small.term("w1").tolist()
    assert large.phrase(["w1", "w2"]).tolist() == small.phrase(["w1", "w2"]).tolist()
    assert large.elements_after.tolist() == small.elements_after.tolist()


def test_documents_without_words() -> None:
    collection = example_collection({"a": "<s/>", "b": "<s><p>…</p></s>"})
    report = build_index(collection)
    index = Index(report.directory, collection)
    assert (report.words, report.terms) == (0, 0)
    assert index.positions("fog").tolist() == []
    assert index.starts(1).tolist() == []
    assert index.elements_after.tolist() == [0, 0, 0]


def test_words_far_apart() -> None:
    text = "a" + " " * 254 + "b" + " " * 300_000 + "c" + "d" * 300 + " e"
    collection = example_collection({"a": "<s/>", "b": f"<s>{text}</s>", "c": f"<s>{text}</s>"})
    index = Index(build_index(collection).directory, collection)
    for document in (1, 2):
        assert index.starts(document).tolist() == index.word_spans(document).start.tolist()
        assert index.starts(document).tolist()[:3] == [0, 255, 300_256]


def test_progress_adds_up(trees: list[Node]) -> None:
    done: dict[str, list[int]] = defaultdict(list)
    totals = {}
    sources = {f"d{number}": tree.source for number, tree in enumerate(trees)}

    def progress(stage: str, more: int, total: int) -> None:
        done[stage].append(more)
        totals[stage] = total

    report = build_index(example_collection(sources), progress=progress)
    assert {stage: sum(parts) for stage, parts in done.items()} == totals
    assert totals["merging"] == report.words


def test_few_batches_are_read_without_processes(
    trees: list[Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, index_workers=None)
    assert indexed(trees[:3], jobs=8).words >= 0
