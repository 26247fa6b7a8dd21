"""Chunks of other libraries and of files: known by their shape, located, written and read again."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from doxeval import chunks
from doxeval.errors import DoxevalError, FormatError, InputError, MissingInput
from doxeval.runs import read_chunks as read_table
from helpers import write_files

TERMS = "Thirty days. Unused goods only. Ask us first. Unused goods only."
DOCS = {"terms": TERMS, "faq": "Parcels are free. Ask us first."}
PARTS = ["Thirty days.", "Unused goods only.", "Ask us first.", "Unused goods only."]
PLACES = [((0, 12),), ((13, 31),), ((32, 45),), ((46, 64),)]


def thing(**fields: Any) -> SimpleNamespace:
    return SimpleNamespace(**fields)


def offsets(text: str) -> list[tuple[str, int, int]]:
    at, found = 0, []
    for part in PARTS:
        at = text.index(part, at)
        found.append((part, at, at + len(part)))
        at += len(part)
    return found


LANGCHAIN = [
    thing(page_content=part, metadata={"source": "/x/terms.md", "start_index": start}, id=None)
    for part, start, _ in offsets(TERMS)
]
LLAMA_INDEX = [
    thing(text=part, start_char_idx=start, end_char_idx=end, ref_doc_id="terms", parent_node=None,
          metadata={"window": "w", "original_text": "o"}, node_id=f"n{start}")
    for part, start, end in offsets(TERMS)
]  # fmt: skip
HAYSTACK = [
    thing(content=part, id=f"h{at}",
          meta={"source_id": "terms", "split_id": at, "split_idx_start": start, "page_number": 1})
    for at, (part, start, _) in enumerate(offsets(TERMS))
]  # fmt: skip
CHONKIE = [
    thing(text=part, start_index=start, end_index=end, token_count=3, context=None, id=f"c{start}")
    for part, start, end in offsets(TERMS)
]
DOCLING = [
    thing(text=part, meta=thing(origin=thing(filename="terms.pdf"), doc_items=[])) for part in PARTS
]
UNSTRUCTURED = [
    thing(text=part, id=f"u{at}", metadata=thing(filename="terms.pdf", page_number=1))
    for at, part in enumerate(PARTS)
]
CHROMA = {
    "ids": ["1", "2", "3", "4"],
    "documents": PARTS,
    "metadatas": [
        {"start_index": start, "end_index": end, "corpus_id": "terms"}
        for _, start, end in offsets(TERMS)
    ],
}
SEMCHUNK = {"terms": (PARTS, [(start, end) for _, start, end in offsets(TERMS)])}
RECORDS = [{"text": part, "metadata": {"source": "terms"}} for part in PARTS]


@pytest.mark.parametrize(
    ("source", "how"),
    [
        (LANGCHAIN, "offsets"),
        ([thing(node=node, score=0.5) for node in LLAMA_INDEX], "offsets"),
        (LLAMA_INDEX, "offsets"),
        (HAYSTACK, "offsets"),
        ({"terms": CHONKIE}, "offsets"),
        (CHONKIE, "offsets"),
        (CHROMA, "offsets"),
        (CHROMA | {name: [value] for name, value in CHROMA.items()}, "offsets"),
        (SEMCHUNK, "offsets"),
        ({"terms": offsets(TERMS)}, "offsets"),
        (DOCLING, "exact"),
        (UNSTRUCTURED, "exact"),
        (RECORDS, "exact"),
        ({"terms": PARTS}, "exact"),
        ([PARTS], "exact"),
        (iter(PARTS), "exact"),
    ],
)  # fmt: skip
def test_chunks_of_all_shapes(source: Any, how: str) -> None:
    located = chunks.locate(DOCS, source)
    assert located.spans.as_tuples() == PLACES
    assert set(located.how) == {how}
    assert located.documents == ("terms",)
    assert located.texts == tuple(PARTS)
    assert len(set(located.ids)) == 4
    assert not located.ambiguous.any()


def test_ids_and_costs_are_kept() -> None:
    located = chunks.locate(DOCS, {"terms": CHONKIE})
    assert located.ids == ("c0", "c13", "c32", "c46")
    assert located.tokens.tolist() == [3, 3, 3, 3]
    assert located.find("c32") == 2 and located.find("x") == -1
    assert chunks.locate(DOCS, {"terms": PARTS}).ids[3] == "terms#4"


def test_the_same_id_in_two_documents() -> None:
    records = [
        {"id": "0", "doc": "terms", "text": "Thirty days."},
        {"id": "0", "doc": "faq", "text": "Parcels are free."},
    ]
    assert chunks.locate(DOCS, records).ids == ("terms#0", "faq#0")


def test_ids_that_repeat_in_a_document() -> None:
    records = [{"id": "0", "doc": "terms", "text": part} for part in PARTS]
    located = chunks.locate(DOCS, records)
    assert located.ids == ("terms#1", "terms#2", "terms#3", "terms#4")
    assert located.warnings == ("several chunks have the id 0: all are numbered instead",)


def test_wrong_offsets_are_not_believed() -> None:
    wrong = [
        thing(page_content=part, metadata={"source": "terms", "start_index": at}, id=None)
        for part, at in zip(PARTS, (-1, 46, 32, 13), strict=True)
    ]
    located = chunks.locate(DOCS, wrong)
    assert located.spans.as_tuples() == PLACES
    assert located.how == ("exact", "exact", "offsets", "exact")
    assert "offsets: 1 right, 1 missing, 2 wrong" in located.report()


def test_a_tree_of_llama_index_has_offsets_relative_to_the_parent() -> None:
    parents = [
        thing(text=TERMS[:31], node_id="p1", ref_doc_id="terms", start_char_idx=0, end_char_idx=31),
        thing(
            text=TERMS[32:], node_id="p2", ref_doc_id="terms", start_char_idx=32, end_char_idx=64
        ),
    ]
    children = [
        thing(text=part, node_id=f"c{start}", ref_doc_id="terms", start_char_idx=start % 32,
              end_char_idx=end % 32, parent_node=thing(node_id="p1" if start < 32 else "p2"))
        for part, start, end in offsets(TERMS)
    ]  # fmt: skip
    located = chunks.locate(DOCS, parents + children)
    assert located.spans.as_tuples()[2:] == PLACES
    assert located.parent.tolist() == [-1, -1, 0, 0, 1, 1]
    assert "relative to the parent" in located.report()


def test_a_tree_of_haystack_names_parents_as_sources() -> None:
    root = thing(content=TERMS, id="terms", meta={"__level": 0, "__children_ids": ["a", "b"]})
    levels = [
        thing(content=TERMS[:31], id="a", meta={"__level": 1, "__parent_id": "terms",
              "source_id": "terms", "split_id": 0, "split_idx_start": 0}),
        thing(content=TERMS[32:], id="b", meta={"__level": 1, "__parent_id": "terms",
              "source_id": "terms", "split_id": 1, "split_idx_start": 32}),
        thing(content="Ask us first.", id="c", meta={"__level": 2, "__parent_id": "b",
              "source_id": "b", "split_id": 0, "split_idx_start": 0}),
        thing(content="Unused goods only.", id="d", meta={"__level": 2, "__parent_id": "b",
              "source_id": "b", "split_id": 1, "split_idx_start": 14}),
    ]  # fmt: skip
    located = chunks.locate(DOCS, [root, *levels])
    assert located.spans.start.tolist() == [0, 0, 32, 32, 46]
    assert located.parent.tolist() == [-1, 0, 0, 2, 2]
    assert located.documents == ("terms",)


def test_chunks_without_documents_are_looked_for_in_all() -> None:
    located = chunks.locate(DOCS, [*PARTS, "Parcels are free.", "Ask us first."])
    assert [located.documents[one] for one in located.document] == ["terms"] * 4 + ["faq"] * 2
    assert located.spans.as_tuples()[:4] == PLACES


def test_the_key_of_the_document() -> None:
    records = [{"text": "Ask us first.", "source": "faq", "metadata": {"origin": "terms"}}]
    assert chunks.locate(DOCS, records).documents == ("faq",)
    assert chunks.locate(DOCS, records, doc_key="origin").documents == ("terms",)
    unknown = chunks.locate(DOCS, [{"text": "Thirty days.", "source": "gone"}])
    assert unknown.documents == ("terms",)
    assert "no documents gone: 1 chunk looked for in all" in unknown.warnings[0]


def test_pages_of_a_source() -> None:
    docs = {"a.pdf#0": "One.", "a.pdf#1": "One."}
    pages = [thing(page_content="One.", metadata={"source": "a.pdf", "page": 1}, id=None)]
    assert chunks.locate(docs, pages).documents == ("a.pdf#1",)


def test_numbers_of_chunks_put_them_in_order() -> None:
    shuffled = [HAYSTACK[at] for at in (2, 3, 0, 1)]
    without = [
        thing(content=one.content, id=one.id, meta={"source_id": "terms", "split_id": at})
        for one, at in zip(shuffled, (2, 3, 0, 1), strict=True)
    ]
    located = chunks.locate(DOCS, without, order="none")
    assert located.spans.as_tuples() == [PLACES[at] for at in (2, 3, 0, 1)]
    assert not located.ambiguous.any()


def test_lost_chunks_are_told_and_counted() -> None:
    records = [*RECORDS, {"text": "Nothing like this at all.", "metadata": {"source": "terms"}}]
    located = chunks.locate(DOCS, records)
    assert located.missing.tolist() == [4] and located.how[4] == "not found"
    assert located.text(4) == "Nothing like this at all."
    assert located.warnings[0].startswith("not found: terms, chunk 5: Nothing like this at all.")
    with pytest.raises(InputError, match="1 of 5 chunks not found"):
        chunks.locate(DOCS, records, max_missing=0)
    assert len(chunks.locate(DOCS, records, max_missing="20%")) == 5


def test_other_texts_fail_loudly() -> None:
    other = {"terms": ["Of something else.", "Nothing here is the same."]}
    with pytest.raises(InputError, match="are these the same texts"):
        chunks.locate(DOCS, other)
    with pytest.raises(InputError, match="are these the same texts"):
        chunks.locate(DOCS, [*other["terms"], "Never seen before."])


def test_blank_empty_and_too_long_chunks() -> None:
    located = chunks.locate({"a": "One. Two."}, {"a": ["One.", " \n", "", "Two."]})
    assert located.how == ("exact", "blank", "blank", "exact")
    with pytest.raises(InputError, match="are these the same texts"):
        chunks.locate({"a": "One."}, {"a": ["One. Two. Three. And much more than that."]})


@pytest.mark.parametrize("mark", ["\x00", "\u2028", "\x85", "e\u0301", "\ud800", "\U0001f600"])
def test_strange_characters(mark: str) -> None:
    text = f"One{mark} two. Three{mark}four."
    parts = [f"One{mark} two.", f"Three{mark}four."]
    located = chunks.locate({"a": text}, {"a": parts})
    assert located.spans.as_tuples() == [((0, len(parts[0])),), ((len(parts[0]) + 1, len(text)),)]
    gold = chunks.questions(
        [{"question": "?", "needs": [{"spans": [{"doc": "a", "quote": parts[1]}]}]}], {"a": text}
    )
    assert gold["1"].needs[0].spans[0].start == len(parts[0]) + 1


def test_line_ends_of_windows() -> None:
    text = "One.\r\nTwo.\r\n\r\nThree."
    located = chunks.locate({"a": text}, {"a": ["One.\nTwo.", "Three."]})
    assert located.spans.as_tuples() == [((0, 10),), ((14, 20),)]
    assert located.how[0] == "white space"


def test_a_document_without_chunks_is_uncovered() -> None:
    report = chunks.locate(DOCS, {"terms": PARTS}).report()
    faq, terms = (len("".join(text.split())) for text in (DOCS["faq"], TERMS))
    assert f"{faq} of {faq + terms} non-space characters in no chunk" in report


# Files


def test_chunk_files_come_back(tmp_path: Path) -> None:
    lost = {"id": "x", "text": "Nothing like this at all.", "metadata": {}}
    first = {"id": "c1", "doc": "terms", "text": "Thirty  days.", "tokens": 9}
    second = {"id": "c2", "doc": "terms", "text": "Ask us first.", "parent": "c1"}
    located = chunks.locate(DOCS, [first, second, lost])
    located.write(tmp_path / "c.jsonl")
    for docs in (DOCS, None):
        again = chunks.read_chunks(tmp_path / "c.jsonl", docs)
        assert again.ids == located.ids and again.how == located.how
        assert again.spans.equals(located.spans)
        assert again.tokens.tolist() == [9, -1, -1] and again.parent.tolist() == [-1, 0, -1]
        assert np.array_equal(again.share, located.share)
    assert chunks.read_chunks(tmp_path / "c.jsonl", DOCS).text(1) == "Ask us first."
    with pytest.raises(MissingInput, match="docs= names the documents"):
        chunks.read_chunks(tmp_path / "c.jsonl").text(1)
    relocated = chunks.locate(DOCS, tmp_path / "c.jsonl")
    assert relocated.spans.equals(located.spans)


def test_located_chunks_are_read_with_runs(tmp_path: Path) -> None:
    chunks.locate(DOCS, {"terms": PARTS}).write(tmp_path / "c.jsonl")
    table = read_table(tmp_path / "c.jsonl")
    assert table.spans.as_tuples() == PLACES


def test_chunks_that_stand_nowhere_are_read_with_runs(tmp_path: Path) -> None:
    located = chunks.locate(DOCS, [*RECORDS, "Nothing like this at all."])
    assert located.how[4] == "not found"
    nowhere = chunks.locate(
        DOCS, ["Nothing like this.", "Thirty days."], order="none", max_missing=1
    )
    nowhere.write(tmp_path / "c.jsonl")
    table = read_table(tmp_path / "c.jsonl")
    assert table.spans.as_tuples() == [(), ((0, 12),)]
    assert chunks.read_chunks(tmp_path / "c.jsonl", DOCS).how == ("not found", "exact")


def test_chunks_stay_what_they_are() -> None:
    located = chunks.locate(DOCS, {"terms": PARTS})
    assert chunks.locate(DOCS, located) is located
    assert repr(located) == "Chunks(4 chunks of 1 document)"
    assert located.rows_by_text["Unusedgoodsonly."] == [1, 3]


def test_chunks_as_a_frame() -> None:
    pytest.importorskip("pandas")
    frame = chunks.locate(DOCS, {"terms": PARTS}).to_pandas()
    assert frame["start"].tolist() == [0, 13, 32, 46]
    again = chunks.locate(DOCS, frame[["id", "doc", "start", "end"]])
    assert again.spans.as_tuples() == PLACES


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json", "jsonl"])
def test_files_of_texts(tmp_path: Path, suffix: str) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"text": PARTS, "source": ["terms.md"] * 4, "start_index": [0, 13, 32, 9]}
    )
    path = tmp_path / f"c.{suffix}"
    if suffix == "csv":
        frame.to_csv(path, index=False)
    elif suffix == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=suffix == "jsonl")
    located = chunks.locate(DOCS, path)
    assert located.spans.as_tuples() == PLACES
    assert located.how == ("offsets", "offsets", "offsets", "exact")


def test_ranges_without_texts_are_counted() -> None:
    ranges = [{"doc": "terms", "start": 0, "end": 31}, {"doc": "faq", "start": 0, "end": 31}]
    text = {"doc": "terms", "text": "Ask us first."}
    assert chunks.locate(DOCS, [*ranges, text]).report() == (
        "3 chunks: 2 offsets, 1 exact, 0 white space, 0 fuzzy, 0 not found · "
        "0 occur more than once, 0 ambiguous · 16 of 80 non-space characters in no chunk · "
        "offsets: none given"
    )


def test_chunks_can_be_sent_to_processes() -> None:
    located = chunks.locate(DOCS, {"terms": PARTS})
    again = pickle.loads(pickle.dumps(located))
    assert again.ids == located.ids and again.report() == located.report()


def test_ranges_without_texts_must_fit(tmp_path: Path) -> None:
    record = {"id": "1", "doc": "terms", "spans": [[13, 20], [0, 6]]}
    write_files(tmp_path, {"c.jsonl": json.dumps(record)})
    assert chunks.locate(DOCS, tmp_path / "c.jsonl").text(0) == "Thirty Unused "
    write_files(tmp_path, {"c.jsonl": json.dumps(record | {"spans": [[0, 99]]})})
    with pytest.raises(FormatError, match="which has 64 characters"):
        chunks.locate(DOCS, tmp_path / "c.jsonl")
    with pytest.raises(FormatError, match="which has 64 characters"):
        chunks.read_chunks(tmp_path / "c.jsonl", DOCS)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([], "there are no chunks"),
        (7, "7: expected chunks"),
        ([7], "7: expected a chunk with its text"),
        ([{"doc": "terms"}], "the ranges [[None, None]]: expected pairs of whole numbers"),
        ([{"text": 7}], "its text is not a text"),
        ([("x", 3)], "expected a text, or (text, (start, end))"),
        ({"terms": "One."}, "expected a list of chunks"),
        ({"terms": (["a"], [])}, "1 texts, 0 pairs of offsets"),
        ({"terms": {"splits": [["a"]]}}, "expected [text, level]"),
        ([{"spans": [[3, 1]], "doc": "terms"}], "an end that is not before it"),
    ],
)
def test_wrong_chunks_are_told(source: Any, message: str) -> None:
    with pytest.raises(DoxevalError) as caught:
        chunks.locate(DOCS, source)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "1", "start": 0, "end": 1}', "c.jsonl:1: doc is missing"),
        ('{"id": "1", "doc": "x", "start": 0, "end": 1}', "c.jsonl:1: no document 'x'"),
        ('{"id": "1", "doc": "faq", "start": 0}', "c.jsonl:1: the ranges"),
        ('{"id": "1", "doc": "faq", "start": 0, "end": 1, "how": "x"}', "c.jsonl:1: how is 'x'"),
        ("", "there are no chunks in it"),
    ],
)
def test_wrong_chunk_files_are_told(tmp_path: Path, line: str, message: str) -> None:
    write_files(tmp_path, {"c.jsonl": line})
    with pytest.raises(FormatError) as caught:
        chunks.read_chunks(tmp_path / "c.jsonl", DOCS)
    assert message in str(caught.value)


def test_ranges_of_own_cuts_are_checked() -> None:
    docs = chunks.documents(DOCS)
    made = chunks.Chunks.of(docs, ["faq"], [[(0, 7)]], ids=["x"], tokens=[2])
    assert made.text(0) == "Parcels" and made.report() == "1 chunk, split here"
    with pytest.raises(FormatError, match=r"\[0, 99\) is not in document 'faq'"):
        chunks.Chunks.of(docs, ["faq"], [[(0, 99)]])


def test_files_of_earlier_versions_are_read(tmp_path: Path) -> None:
    words = {"own": "offsets", "broken": "truncated", "folded": "fuzzy", "lost": "not found"}
    path = tmp_path / "chunks.jsonl"
    path.write_text(
        "".join(
            f'{{"id": "{word}", "doc": "terms", "start": 0, "end": 3, "how": "{word}"}}\n'
            for word in words
        )
    )
    assert chunks.read_chunks(path).how == tuple(words.values())
