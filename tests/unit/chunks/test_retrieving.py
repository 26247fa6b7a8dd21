"""Any retriever: what it returns is known by id, place or text; sync, async, in threads."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from doxeval import chunks
from doxeval.chunks import Chunks
from doxeval.errors import DoxevalError, DoxevalWarning, InputError
from doxeval.runs import is_not_found

TEXT = "Fog on the sea. A horn is heard.\n\nNobody answers."
DOCS = chunks.documents({"guide/a": TEXT})
QUESTIONS = {"7": "horn?", "8": "fog?"}
HORN = (16, 32)


def cut() -> Chunks:
    return chunks.split(DOCS, "sentences:1:0")


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


NAMES_OF_DOCUMENTS = (
    *("doc", "doc_id", "document_id", "ref_doc_id", "corpus_id", "source_id", "source"),
    *("file_path", "path", "filename", "file_name", "docid", "docno", "url"),
)


@pytest.mark.parametrize("name", NAMES_OF_DOCUMENTS)
def test_a_document_has_the_same_names_wherever_it_is_named(name: str) -> None:
    text = "It is heard in both."
    docs = chunks.documents({"a": text, "b": text})
    forms = [
        {"text": text, name: "b"},
        {"text": text, "metadata": {name: "b"}},
        {"text": text, "meta": {name: "b"}},
        node(page_content=text, metadata={name: "b"}),
        node(content=text, meta={name: "b"}),
    ]
    for form in forms:
        located = chunks.locate(docs, [form])
        assert located.documents == ("b",) and located.spans.as_tuples() == [((0, len(text)),)]
        run = chunks.retrieve(
            lambda _, form=form: [form], {"7": "?"}, chunks.Chunks.of(docs, [], [])
        )
        assert [(one.document, one.start, one.end) for one in run] == [("b", 0, len(text))]
    assert dict(chunks.documents([{name: "b", "text": text}])) == {"b": text}


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
        lambda q: ["guide/a#1", "guide/a#2"] if "fog" in q else [], QUESTIONS, cut(), k=1
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


def test_components_are_asked_by_name_and_pipelines_wrap_their_results() -> None:
    def run(query: str, top_k: int = 10) -> dict[str, Any]:
        return {"documents": [node(content="Fog on the sea.", meta={"source_id": "guide/a"})]}

    expected = places(chunks.retrieve(lambda _: ["Fog on the sea."], {"7": "?"}, cut()))
    for retriever in (node(run=run), lambda query: {"bm25": run(query)}):
        assert places(chunks.retrieve(retriever, {"7": "?"}, cut())) == expected
    with pytest.raises(InputError, match="is no retriever"):
        chunks.retrieve(node(run=lambda data: data), {"7": "?"}, cut())


def test_results_that_are_known_already_are_taken_by_the_ids_of_questions() -> None:
    questions = {"7": "?", "8": "?", "9": "?"}
    known = {9: ["guide/a#3"], "7": ["guide/a#1", ("guide/a", 0, 3)]}
    with pytest.warns(DoxevalWarning, match="nothing was returned: 8"):
        run = chunks.retrieve(known, questions, cut())
    assert [(one.topic, one.start) for one in run] == [("7", 0), ("7", 0), ("9", 34)]
    with pytest.warns(DoxevalWarning, match="results of other questions: 9"):
        assert len(chunks.retrieve(known, {"7": "?"}, cut())) == 2
    with pytest.raises(InputError, match="results of no question here: 9, 7; the questions are 5"):
        chunks.retrieve(known, {"5": "?"}, cut())


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


# A known id with another text: the text is what is read

BOTH = {"id": "c1", "doc": "guide/a", "text": "Fog on the sea. A horn is heard."}
LAST = {"id": "c2", "doc": "guide/a", "text": "Nobody answers."}
OTHER_TEXT = "1 result has another text than the chunk of its id; it is scored by its text"


def places(run: Any) -> list[tuple[Any, ...]]:
    return [(one.document, one.start, one.end) for one in run]


@pytest.mark.parametrize(
    "item",
    [
        {"id": "c1", "text": "Fog on  the sea."},
        {"chunk": "c1", "text": "Fog on the sea.", "score": 0.5},
        node(page_content="Fog on the sea.", metadata={"source": "guide/a"}, id="c1"),
        node(node=node(text="Fog on the sea.", id_="c1", ref_doc_id="guide/a"), score=0.7),
        node(content="Fog on the sea.", meta={"source_id": "guide/a"}, id="c1"),
        node(text="Fog on the sea.", start_index=0, end_index=32, id="c1"),
    ],
)
def test_a_known_id_with_another_text_is_scored_by_its_text(item: Any) -> None:
    located = chunks.locate(DOCS, [BOTH, LAST])
    run = chunks.retrieve(lambda _: [item], {"7": "?"}, located)
    assert places(run) == [("guide/a", 0, 15)]
    assert run.warnings == (OTHER_TEXT,)
    need = {"spans": [{"doc": "guide/a", "quote": "A horn is heard."}]}
    gold = chunks.questions([{"id": "7", "question": "?", "needs": [need]}], DOCS)
    assert chunks.evaluate(run, gold, ["cR@5"], chunks=located)["retriever"]["cR@5"] == 0


def test_a_text_of_another_chunk_is_that_chunk_and_an_unknown_one_is_read_in_vain() -> None:
    located = chunks.locate(DOCS, [BOTH, LAST | {"tokens": 9}])
    found = [{"id": "c1", "text": "Nobody answers."}, {"id": "c2", "text": "Quite another text."}]
    run = chunks.retrieve(lambda _: found, {"7": "?"}, located)
    assert places(run) == [("guide/a", 34, 49), ("(not found 1)", 0, 19)]
    assert run.tokens is not None and run.tokens.tolist() == [9, -1]
    assert run.warnings[0].startswith("2 results have another text than the chunk of their id; th")
    assert "1 result not found in the documents" in run.warnings[1]


def test_a_text_cut_out_of_a_chunk_is_looked_for_there_first() -> None:
    docs = chunks.documents({"a": "Same words. One. Same words. Two."})
    located = chunks.locate(docs, [{"id": "1", "text": "Same words. One."},
                                   {"id": "2", "text": "Same words. Two."}])  # fmt: skip
    run = chunks.retrieve(lambda _: [{"id": "2", "text": "Same words."}], {"7": "?"}, located)
    assert places(run) == [("a", 17, 28)]
    assert len(run.warnings) == 1


def test_the_text_that_a_chunk_came_with_is_its_text(tmp_path: Path) -> None:
    came = f"Of the guide:\n{TEXT}"
    located = chunks.locate(DOCS, [BOTH | {"text": came}, LAST])
    assert located.how == ("fuzzy", "exact")
    located.write(tmp_path / "located.jsonl")
    again = chunks.read_chunks(tmp_path / "located.jsonl", DOCS)  # with texts only where needed
    bare = chunks.split(DOCS, "sentences:2:0")
    for known, item in [
        (located, {"id": "c1", "text": came}),
        (located, {"id": "c1", "text": TEXT}),
        (again, {"id": "c1", "text": came}),
        (again, {"id": "c2", "text": LAST["text"]}),
        (bare, {"id": "guide/a#1", "text": "Fog on the sea.\nA horn is  heard."}),
    ]:
        assert chunks.retrieve(lambda _, item=item: [item], {"7": "?"}, known).warnings == ()


# Sentence windows of LlamaIndex

SENTENCES = [f"Sentence {number} is about {word}. " for number, word in enumerate(
    ["fog", "horns", "the sea", "answers", "nobody", "everybody", "lamps"])]  # fmt: skip


def windows() -> list[SimpleNamespace]:
    """Nodes as SentenceWindowNodeParser(window_size=2) makes them."""
    return [
        node(
            text=sentence,
            id_=f"n{row}",
            node_id=f"n{row}",
            ref_doc_id="w",
            start_char_idx=sum(map(len, SENTENCES[:row])),
            end_char_idx=sum(map(len, SENTENCES[: row + 1])),
            metadata={
                "window": " ".join(SENTENCES[max(row - 2, 0) : row + 3]),
                "original_text": sentence,
            },
        )
        for row, sentence in enumerate(SENTENCES)
    ]


def replaced(one: SimpleNamespace) -> SimpleNamespace:
    """A node after MetadataReplacementPostProcessor(target_metadata_key="window")."""
    return node(**{**vars(one), "text": one.metadata["window"]})


def test_sentence_windows_are_located_and_read_by_their_window() -> None:
    docs = chunks.documents({"w": "".join(SENTENCES)})
    edges = [sum(map(len, SENTENCES[:row])) for row in range(8)]
    located = chunks.locate(docs, windows())
    wide = [(edges[max(row - 2, 0)], edges[min(row + 3, 7)] - 1) for row in range(7)]
    assert [own for (own,) in located.spans.as_tuples()] == wide
    assert "offsets: none given" in located.report()
    need = {"spans": [{"doc": "w", "quote": "".join(SENTENCES[2:6]).strip()}]}
    gold = chunks.questions([{"id": "7", "question": "?", "needs": [need]}], docs)
    bare = Chunks.of(docs, [], [])
    for found in (windows(), [replaced(one) for one in windows()]):
        for known in (located, bare):
            items = [node(node=found[3], score=0.9), node(node=found[4], score=0.8)]
            run = chunks.retrieve(lambda _, items=items: items, {"7": "?"}, known)
            assert [one[1:] for one in places(run)] == wide[3:5]
            assert not any("another text" in warning for warning in run.warnings)
            scores = chunks.evaluate(run, gold, ["cR@2", "read@2"], docs=docs)["retriever"]
            assert scores["cR@2"] == 1
            assert scores["read@2"] == len("".join(SENTENCES[1:6] + SENTENCES[2:7]).split()) + 10


def test_a_window_that_was_shortened_is_read_as_it_is() -> None:
    docs = chunks.documents({"w": "".join(SENTENCES)})
    located = chunks.locate(docs, windows())
    short = node(**{**vars(windows()[3]), "text": SENTENCES[2]})
    run = chunks.retrieve(lambda _: [short], {"7": "?"}, located)
    start = len(SENTENCES[0] + SENTENCES[1])
    assert places(run) == [("w", start, start + len(SENTENCES[2]) - 1)]
    assert run.warnings == (OTHER_TEXT,)


# Results that are not found


def test_results_that_are_not_found_do_not_overlap() -> None:
    docs = chunks.documents({"(not found 1)": "One two three.", "b": "Four five."})
    need = {"spans": [{"doc": "b", "quote": "Four five."}]}
    gold = chunks.questions([{"id": "7", "question": "?", "needs": [need]}], docs)
    lost = ["Nothing of this kind.", "Something else entirely.", "Nothing of  this kind."]
    run = chunks.retrieve(lambda _: [*lost[:2], "Four five."], {"7": "?"}, Chunks.of(docs, [], []))
    assert places(run)[:2] == [("(not found 2)", 0, 21), ("(not found 3)", 0, 24)]
    scores = chunks.evaluate(run, gold, ["Red@5", "cP@5"], docs=docs)["retriever"]
    assert scores["Red@5"] == 0 and scores["cP@5"] == pytest.approx(10 / 55)
    again = chunks.retrieve(lambda _: lost, {"7": "?"}, Chunks.of(docs, [], []))
    assert places(again)[2] == ("(not found 2)", 0, 22)  # the same text is read a second time
    repeated = chunks.evaluate(again, gold, ["Red@5"], docs=docs)["retriever"]["Red@5"]
    assert repeated == pytest.approx(4 / 15)  # words of five characters, the last of which is new


@pytest.mark.parametrize("solid", [False, True])
def test_results_that_are_not_found_cost_their_whole_length(solid: bool) -> None:
    docs = chunks.documents({"b": "Four five."})
    need = {"spans": [{"doc": "b", "quote": "Four five."}]}
    gold = chunks.questions([{"id": "7", "question": "?", "needs": [need]}], docs)
    lost = "".join(f"{number:09}\n" for number in range(10_000))
    run = chunks.retrieve(lambda _: [lost, "Four five."], {"7": "?"}, Chunks.of(docs, [], []))
    assert is_not_found(run.result(0).document) and run.result(0).end == 100_000
    table = chunks.evaluate(run, gold, ["read@2", "bR@10000"], docs=docs, ignore_whitespace=solid)
    assert table["retriever"]["read@2"] == 20_003 and table["retriever"]["bR@10000"] == 0
    assert len(run.budget(20_000)) == 1 and len(run.budget(20_001)) == 2
