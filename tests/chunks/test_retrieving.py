"""Any retriever: what it returns is known by id, place or text; sync, async, in threads."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from doxeval import chunks
from doxeval.chunks import Chunks
from doxeval.errors import DoxevalError, InputError

TEXT = "Fog on the sea. A horn is heard.\n\nNobody answers."
DOCS = chunks.documents({"guide/a": TEXT})
QUESTIONS = {"7": "horn?", "8": "fog?"}
HORN = (16, 32)


def cut() -> Chunks:
    return chunks.cut(DOCS, "sentences:1:0")


def node(**fields: Any) -> SimpleNamespace:
    return SimpleNamespace(**fields)


RETURNED = [
    "guide/a#2",
    "A horn is heard.",
    "A  horn\nis heard.",
    ("guide/a", 16, 32),
    {"chunk": "guide/a#2"},
    {"text": "A horn is heard.", "score": 0.5},
    {"doc": "guide/a", "start": 16, "end": 32},
    node(page_content="A horn is heard.", metadata={"source": "C:\\x\\guide\\a.md"}, id=None),
    node(page_content="A horn is heard.", metadata={"source": "guide/a", "start_index": 3}),
    node(node=node(text="A horn is heard.", id_="n1", ref_doc_id="guide/a"), score=0.7),
    node(node=node(text="A horn is heard.", id_="guide/a#2"), score=0.7),
    node(content="A horn is heard.", meta={"source_id": "guide/a", "split_idx_start": 16}),
    node(text="A horn is heard.", start_index=16, end_index=32, id="c"),
    ("A horn is heard.", 0.9),
]


@pytest.mark.parametrize("item", RETURNED)
def test_every_form_of_a_result_is_the_same_place(item: Any) -> None:
    run = chunks.retrieve(lambda question: [item], QUESTIONS, cut())
    assert [(one.document, one.start, one.end) for one in run] == [("guide/a", *HORN)] * 2


def test_scores_are_kept_if_all_results_have_one() -> None:
    run = chunks.retrieve(lambda _: [("guide/a#1", 2.0), ("guide/a#2", 1.0)], QUESTIONS, cut())
    assert run.score is not None and run.score.tolist() == [2.0, 1.0] * 2
    assert (
        chunks.retrieve(lambda _: [("guide/a#1", 2.0), "guide/a#2"], {"7": "?"}, cut()).score
        is None
    )


def test_text_that_is_no_chunk_is_located_and_text_from_elsewhere_counts_as_read() -> None:
    run = chunks.retrieve(
        lambda _: ["horn is heard.\n\nNobody", "Somewhere else."], {"7": "?"}, cut()
    )
    places = [(one.document, one.start, one.end) for one in run]
    assert places[0] == ("guide/a", 18, 40)
    assert places[1][0] not in DOCS
    assert any("not found" in warning for warning in run.warnings)
    gold = [
        {"id": "7", "question": "?", "needs": [{"spans": [{"doc": "guide/a", "quote": "horn"}]}]}
    ]
    table = chunks.evaluate(run, chunks.questions(gold, DOCS), ["cP@2", "Cost@99[1]"], docs=DOCS)
    assert table["retriever"]["cP@2"] == pytest.approx(4 / (22 + 15))


def test_at_most_k_results_and_none_at_all() -> None:
    run = chunks.retrieve(
        lambda q: ["guide/a#1", "guide/a#2"] if "fog" in q else [], QUESTIONS, cut(), 1
    )
    assert [(one.topic, one.start) for one in run] == [("8", 0)]
    assert any("7" in warning for warning in run.warnings)


class Asynchronous:
    """Counts how many questions are asked at once."""

    def __init__(self) -> None:
        self.now = self.most = 0

    async def __call__(self, question: str) -> list[str]:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        return ["guide/a#2" if "horn" in question else "guide/a#1"]


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_async_retrievers_are_asked_as_many_at_once_as_allowed(workers: int) -> None:
    retriever = Asynchronous()
    questions = {str(number): "horn" if number % 2 else "fog" for number in range(6)}
    run = chunks.retrieve(retriever, questions, cut(), workers=workers)
    assert retriever.most == min(workers, 6)
    assert [one.start for one in run] == [0, 16] * 3


def test_async_inside_a_running_loop() -> None:
    async def notebook() -> Any:
        return chunks.retrieve(Asynchronous(), QUESTIONS, cut())

    assert len(asyncio.run(notebook())) == 2


@pytest.mark.parametrize("workers", [1, 3])
def test_threads_keep_the_order_of_questions(workers: int) -> None:
    run = chunks.retrieve(
        lambda q: ["guide/a#2" if "horn" in q else "guide/a#1"], QUESTIONS, cut(), workers=workers
    )
    assert [(one.topic, one.start) for one in run] == [("7", 16), ("8", 0)]


@pytest.mark.parametrize("method", ["invoke", "retrieve", "search"])
def test_objects_of_other_libraries(method: str) -> None:
    retriever = SimpleNamespace(**{method: lambda question: ["guide/a#3"]})
    assert [one.start for one in chunks.retrieve(retriever, {"7": "?"}, cut())] == [34]


def test_what_is_wrong_is_told() -> None:
    def fails(question: str) -> list[str]:
        raise ConnectionError("no network")

    with pytest.raises(InputError, match=r"fails on question '7'.*no network"):
        chunks.retrieve(fails, {"7": "?"}, cut())
    with pytest.raises(InputError, match="expected a list of results"):
        chunks.retrieve(lambda _: "text", {"7": "?"}, cut())
    with pytest.raises(InputError, match="is no retriever"):
        chunks.retrieve(5, {"7": "?"}, cut())
    with pytest.raises(DoxevalError, match="no document"):
        chunks.retrieve(lambda _: [("nowhere", 0, 5)], {"7": "?"}, cut())
    with pytest.raises(InputError, match="expected a range of the document"):
        chunks.retrieve(lambda _: [("guide/a", 0, 500)], {"7": "?"}, cut())
