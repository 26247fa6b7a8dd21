"""What if: neighbours, merging, joining, repeats and budgets, beside a direct reading of texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval import chunks
from doxeval.chunks import ChunkRun, Chunks
from doxeval.errors import DoxevalError, InputError

TEXT = "One two. Three four five.\n\nSix. Seven eight nine. Ten."
DOCS = chunks.documents({"a": TEXT, "b": TEXT})
CUT = chunks.split(DOCS, "sentences:1:0")  # five sentences each
NEED = {"spans": [{"doc": "a", "quote": "four five.\n\nSix. Seven"}]}
GOLD = chunks.questions([{"id": "7", "question": "?", "needs": [NEED]}], DOCS)

ORDERS = st.lists(st.integers(0, 9), min_size=1, max_size=8)


def run_of(order: list[int], cut: Chunks = CUT) -> ChunkRun:
    return chunks.retrieve(lambda _: [cut.ids[row] for row in order], {"7": "?"}, cut)


def rows_of(run: ChunkRun, cut: Chunks = CUT) -> list[int]:
    """The chunks that the results of a run are."""
    names = [cut.documents[number] for number in cut.document.tolist()]
    rows = {place: row for row, place in enumerate(zip(names, cut.spans.as_tuples(), strict=True))}
    return [rows[one.document, ((one.start or 0, one.end or 0),)] for one in run]


def read(run: ChunkRun) -> list[list[tuple[str, int]]]:
    """The characters of each result."""
    return [
        [
            (one.document, at)
            for start, end in one.spans or ((one.start, one.end),)
            for at in range(start or 0, end or 0)
        ]
        for one in run
    ]


def solid(results: list[list[tuple[str, int]]]) -> set[tuple[str, int]]:
    return {one for own in results for one in own if not TEXT[one[1]].isspace()}


@given(ORDERS, st.integers(0, 3))
def test_expanding_adds_the_neighbours_of_the_same_document(order: list[int], count: int) -> None:
    found = run_of(order).expand(count)
    for result, chunk in zip(read(found), order, strict=True):
        first, last = (0, 4) if chunk < 5 else (5, 9)
        wanted = range(max(first, chunk - count), min(last, chunk + count) + 1)
        assert solid([result]) == solid(read(run_of(list(wanted))))


@given(ORDERS)
def test_joining_keeps_the_text_and_leaves_nothing_adjacent(order: list[int]) -> None:
    found = run_of(order).join()
    assert solid(read(found)) == solid(read(run_of(order)))
    blocks = [sorted({CUT_OF[at] for at in own if at in CUT_OF}) for own in read(found)]
    for block in blocks:
        assert block == list(range(block[0], block[-1] + 1))
    firsts = [min(order.index(chunk) for chunk in block) for block in blocks]
    assert firsts == sorted(firsts)
    for block in blocks:
        for other in blocks:
            gap = other[0] - block[-1]
            assert gap != 1 or other[0] == 5  # the second document begins with chunk 5


CUT_OF = {
    (home, at): row
    for row, ((start, end),) in enumerate(CUT.spans.as_tuples())
    for home in [CUT.documents[int(CUT.document[row])]]
    for at in range(start, end)
}


@given(ORDERS)
def test_repeats_are_left_out(order: list[int]) -> None:
    found = run_of(order).dedupe()
    assert rows_of(found) == list(dict.fromkeys(order))


@given(ORDERS, st.integers(1, 30), st.sampled_from(["words", "characters"]))
def test_a_run_cut_by_a_budget_has_the_recall_at_that_budget(
    order: list[int], units: int, unit: str
) -> None:
    run = run_of(order)
    whole = chunks.evaluate(run, GOLD, [f"bR@{units}"], docs=DOCS, unit=unit)
    cut = chunks.evaluate(run.budget(units, unit), GOLD, ["bR@1000"], docs=DOCS, unit=unit)
    assert cut["retriever"]["bR@1000"] == pytest.approx(whole["retriever"][f"bR@{units}"])


def test_budgets_of_results_that_state_their_tokens() -> None:
    cut = Chunks.of(DOCS, ["a", "a"], [[(0, 8)], [(9, 25)]], tokens=[4, 8])
    run = run_of([0, 1], cut)
    found = run.budget(8, "tokens")
    assert [(one.start, one.end, one.tokens) for one in found] == [(0, 8, 4), (9, 17, 4)]


def tree() -> Chunks:
    """Two parents with three and two children below one root."""
    spans = [(0, 25), (0, 8), (9, 19), (20, 25), (27, 54), (27, 31), (32, 54), (0, 54)]
    ids = ["left", "l1", "l2", "l3", "right", "r1", "r2", "root"]
    parents = ["root", "left", "left", "left", "root", "right", "right", None]
    return Chunks.of(DOCS, ["a"] * 8, [[span] for span in spans], ids=ids, parents=parents)


def names(run: ChunkRun, cut: Chunks) -> list[str]:
    return [cut.ids[row] for row in rows_of(run, cut)]


@pytest.mark.parametrize(
    ("returned", "share", "expected"),
    [
        (["l1", "r1", "l3"], 0.5, ["left", "r1"]),
        (["l1", "r1"], 0.5, ["l1", "r1"]),  # one of two is not more than half
        (["r2", "l1", "r1", "l2"], 0.5, ["root"]),
        (["l1", "l2"], 0.7, ["l1", "l2"]),
        (["l1", "l1", "l1"], 0.5, ["l1", "l1", "l1"]),  # one child, however often
        (["r1"], 0, ["root"]),
    ],
)
def test_children_give_way_to_their_parent(
    returned: list[str], share: float, expected: list[str]
) -> None:
    cut = tree()
    assert names(run_of([cut.find(one) for one in returned], cut).merge(share), cut) == expected


def test_neighbours_have_the_same_parent() -> None:
    cut = tree()
    found = run_of([cut.find("l3")], cut).expand(1)
    assert [(one.start, one.end) for one in found] == [(9, 25)]


def test_what_cannot_be_rewritten_is_told() -> None:
    with pytest.raises(InputError, match="no parents"):
        run_of([0]).merge()
    with pytest.raises(DoxevalError, match="none of the chunks"):
        run_of([0]).expand(1).expand(1)
    with pytest.raises(InputError, match="0 to 1"):
        run_of([0], tree()).merge(2)
    with pytest.raises(InputError, match="units is 0"):
        run_of([0]).budget(0)
