"""Chunks as elements of a collection."""

from __future__ import annotations

from pathlib import Path

import pytest

from doxeval import chunks, evaluate
from doxeval.assessments import Assessments, Judgment
from doxeval.chunks import ChunkRun, Chunks, as_elements
from doxeval.errors import DoxevalError, InputError
from doxeval.measures import measure_named

TEXT = "One two. Three four five.\n\nSix. Seven eight nine. Ten."
DOCS = chunks.documents({"a": TEXT, "b": "Empty."})


def nested() -> Chunks:
    spans = [(9, 25), (0, 8), (0, 25), (27, 54)]
    ids, parents = ["l2", "l1", "left", "right"], ["left", "left", None, None]
    return Chunks.of(DOCS, ["a"] * 4, [[span] for span in spans], ids=ids, parents=parents)


def retrieved(cut: Chunks, rows: list[int]) -> ChunkRun:
    return chunks.retrieve(lambda _: [cut.ids[row] for row in rows], {"7": "?"}, cut)


def test_paths_follow_parents_and_the_order_of_the_text(tmp_path: Path) -> None:
    collection = chunks.tree(nested(), tmp_path / "tree")
    places = {
        "/document[1]": (0, 54),
        "/document[1]/chunk[1]": (0, 25),
        "/document[1]/chunk[1]/chunk[1]": (0, 8),
        "/document[1]/chunk[1]/chunk[2]": (9, 25),
        "/document[1]/chunk[2]": (27, 54),
    }
    for path, (start, end) in places.items():
        element = collection.element("a", path)
        assert (element.start, element.end) == (start, end)
    assert len(collection) == 2
    assert collection.text_of(0) == TEXT


def test_measures_of_elements_apply(tmp_path: Path) -> None:
    cut = nested()
    collection = chunks.tree(cut, tmp_path / "tree")
    run = as_elements(retrieved(cut, [3, 0]), cut)
    assert [one.paths for one in run] == [
        ("/document[1]/chunk[2]",),
        ("/document[1]/chunk[1]/chunk[2]",),
    ]
    gold = Assessments([Judgment("7", "a", ((9, 25),))])
    scores = evaluate(run, gold, ["ESRR@2", "nxCG@2", "cR@2"], collection=collection)["retriever"]
    assert scores["cR@2"] == 1
    assert (scores["ESRR@2"] or 0) > 0 and (scores["nxCG@2"] or 0) > 0


def test_overlapping_siblings_are_no_tree(tmp_path: Path) -> None:
    spans = [[(0, 8)], [(20, 54)], [(5, 25)]]
    cut = Chunks.of(DOCS, ["a"] * 3, spans, ids=["one", "two", "three"])
    with pytest.raises(InputError, match=r"'one' \[0, 8\) and 'three' \[5, 25\) overlap"):
        chunks.tree(cut, tmp_path / "tree")
    assert not (tmp_path / "tree").exists()


def test_children_outside_their_parent_are_no_tree(tmp_path: Path) -> None:
    cut = Chunks.of(DOCS, ["a"] * 2, [[(0, 8)], [(5, 25)]], ids=["p", "c"], parents=[None, "p"])
    with pytest.raises(InputError, match="is not inside its parent p"):
        chunks.tree(cut, tmp_path / "tree")
    several = Chunks.of(DOCS, ["a"], [[(0, 3), (9, 12)]])
    with pytest.raises(InputError, match="several ranges"):
        chunks.tree(several, tmp_path / "tree")


def test_readers_may_go_on_to_neighbours(tmp_path: Path) -> None:
    docs = chunks.documents({"a": "One two. Three four. Five six. Seven eight."})
    cut = chunks.split(docs, "sentences:1:0")
    collection = chunks.tree(cut, tmp_path / "tree")
    gold = Assessments([Judgment("7", "a", ((9, 20),))])  # the second sentence
    names = [f"ESRR@1(nav=neighbours({p}))" for p in ("0", "0.4", "1")]
    for row, beside in ((0, 1.0), (2, 0.5), (3, 0.0)):
        run = as_elements(retrieved(cut, [row]), cut)
        scores = evaluate(run, gold, [*names, "ESRR@1(nav=neighbours)"], collection=collection)
        found = [scores["retriever"][name] for name in (*names, "ESRR@1(nav=neighbours)")]
        assert found == pytest.approx([0, 0.4 * beside, beside, 0.5 * beside])


@pytest.mark.parametrize("nav", ["neighbours(2)", "depth(0.5)", "neighbours()", "neighbours(x)"])
def test_wrong_shares_of_navigation_are_told(nav: str) -> None:
    with pytest.raises(DoxevalError):
        measure_named(f"ESRR@1(nav={nav})")


def test_names_with_a_share_are_read_back() -> None:
    measure = measure_named("ESRR@10(nav=neighbours(.30),rel=binary)")
    assert "nav=neighbours(0.3)" in str(measure)
    assert measure_named(str(measure)) == measure
