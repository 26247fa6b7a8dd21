"""Questions in tables, and in the sets that models made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from doxeval import chunks
from doxeval.errors import FormatError

DOCS = {
    "terms": "You pay within thirty days. Unused goods only.\nBoats are for sale.",
    "faq": "Parcels take two days. Unused goods only.",
}


def quoted_texts(gold: chunks.Questions) -> dict[str, list[list[str]]]:
    """The texts of the spans of each need of each question."""
    return {
        question.text: [
            [DOCS[span.document][span.start : span.end] for span in need.spans]
            for need in question.needs
        ]
        for question in gold
    }


def read(tmp_path: Path, name: str, contents: str | bytes, **options: Any) -> chunks.Questions:
    path = tmp_path / name
    path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
    return chunks.questions(path, DOCS, **options)


def test_rows_of_a_question_belong_together(tmp_path: Path) -> None:
    table = (
        "Question,Quote,Document,tag,Tags: more\n"
        'How long?,thirty days,terms,money,"a, b"\n'
        '"Who pays,\nand for what?","Unused goods\nonly.",faq,,\n'
        "How long?,two days,faq.md,post,\n"
        ",Boats are for sale.,terms,,\n"
    )
    gold = read(tmp_path, "q.csv", table)
    assert quoted_texts(gold) == {
        "How long?": [["thirty days"], ["two days"], ["Boats are for sale."]],
        "Who pays,\nand for what?": [["Unused goods only."]],
    }
    assert gold["1"].tags == ("money", "a", "b", "post")


@pytest.mark.parametrize(
    "table",
    [
        '\ufeffquestion;quote;document\r\nHow long?;"thirty days";terms\r\n',
        "sep=;\r\nquestion;quote;document;;\r\nHow long?;thirty days;terms;;\r\n;;;;\r\n",
        "question\tquote\tdocument\nHow long?\tthirty days\tterms\n",
        "question,quote,document,,\nHow long?,thirty days,terms,,\n,,,,\n",
        'question,quote,document\nHow long?,"[""thirty days""]",terms\n',
    ],
)
def test_what_spreadsheets_write_is_read(table: str, tmp_path: Path) -> None:
    gold = read(tmp_path, "q.csv", table)
    assert quoted_texts(gold) == {"How long?": [["thirty days"]]}
    assert gold.warnings == ()


def test_several_quotes_alternatives_pages_and_answers(tmp_path: Path) -> None:
    table = (
        "id,query,quote 1,document_1,quote_2,document-2,need,grade,answer,answerable,author\n"
        "q1,Who?,thirty days,terms,two days,faq,,2,,,me\n"
        "q2,Which?,Unused goods only.,terms,,,goods,,,,me\n"
        "q2,,Unused goods only.,faq,,,goods,,,,\n"
        "q3,Boats?,,,,,,,boats,,\n"
        "q4,Cars?,,,,,,,,No,\n"
    )
    with pytest.warns(UserWarning, match="neither known nor tags, and left out: author"):
        gold = read(tmp_path, "q.csv", table)
    assert [(need.id, need.grade) for need in gold["q1"].needs] == [("1", 2), ("2", 2)]
    assert quoted_texts(gold)["Which?"] == [["Unused goods only."] * 2]
    assert [need.id for need in gold["q2"].needs] == ["goods"]
    assert gold["q3"].answers == ("boats",) and not gold["q4"].answerable
    assert [warning for warning in gold.warnings if "author" in warning] == [gold.warnings[0]]


def test_numbers_as_data_frames_write_them_beside_empty_cells(tmp_path: Path) -> None:
    docs = [{"id": "a", "text": "One. Two.", "pages": [[0, 4], [5, 9]]}]
    table = "question,document,page,answerable\nWhat?,a,2.0,1.0\nWho?,,,0.0\n"
    (tmp_path / "q.csv").write_text(table)
    for source in (tmp_path / "q.csv", [{"question": "What?", "document": "a", "page": 2.0}]):
        gold = chunks.questions(source, docs)
        assert gold["1"].needs[0].spans == (("a", 5, 9),)
    assert not chunks.questions(tmp_path / "q.csv", docs)["2"].answerable


def test_testsets_of_ragas_wrap_their_samples() -> None:
    sample = {"user_input": "How long?", "reference_contexts": ["<1-hop>\n\nthirty days"]}
    dump = {"eval_sample": sample, "synthesizer_name": "single hop"}
    testset = SimpleNamespace(samples=[SimpleNamespace(model_dump=lambda: dict(dump))])
    gold = chunks.questions(testset, DOCS)
    assert quoted_texts(gold) == {"How long?": [["thirty days"]]}
    assert gold["1"].tags == ("single hop",)


def test_any_iterable_of_mappings_will_do() -> None:
    def records() -> Iterator[dict[str, Any]]:
        yield {"query": "How long?", "evidence": ["thirty days", "two days"], "tag": "law"}
        yield {"query": "Boats?", "answers": ["boats"], "evidence": None}

    gold = chunks.questions(records(), DOCS)
    assert quoted_texts(gold) == {"How long?": [["thirty days"], ["two days"]], "Boats?": []}
    split = SimpleNamespace(column_names=["question"])
    with pytest.raises(FormatError, match="one of them, source\\['train'\\] or source\\['test'"):
        chunks.questions({"train": split, "test": split}, DOCS)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("q.xlsx", b"PK", "q.xlsx: a spreadsheet: save the sheet as CSV (UTF-8), which is read"),
        (
            "q.csv",
            "question,quote\na,“b”\n".encode("cp1252"),
            "q.csv:2: byte 0x93 is not UTF-8 text: spreadsheets write it as 'CSV UTF-8'",
        ),
    ],
)
def test_what_spreadsheets_should_write_is_told(
    name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError) as raised:
        read(tmp_path, name, content)
    assert str(raised.value).endswith(message)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("question,quote\n,thirty days\n", "q.csv:2: the first question is empty"),
        ("question,quote,grade\na,thirty days,x\n", "q.csv:2: the grade 'x': expected more than 0"),
        ("question,quote,page\na,thirty days,x\n", "q.csv:2: page is 'x': expected a whole number"),
        ("question,page\na,3\n", "q.csv:2: a page from 1 on goes with a document"),
        (
            "question,start,end\na,3,5\n",
            "q.csv:2: a range goes with a document, a start and an end",
        ),
        ("question,quote,answerable\na,,maybe\n", "q.csv:2: answerable is 'maybe': expected true"),
        ("question,quote,answerable\na,thirty days,no\n", "q.csv:2: a question that is not answer"),
        ("id,question,quote\n1,a,thirty days\n1,b,two days\n", "q.csv:3: another question with"),
        ("question,quote\na;b\n", "q.csv:2: 1 field: expected 2, as on the first line"),
    ],
)
def test_mistakes_name_their_line(table: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError) as raised:
        read(tmp_path, "q.csv", table)
    assert message in str(raised.value)


def test_sets_that_models_made(tmp_path: Path) -> None:
    expected = {"How long?": [["thirty days"], ["two days"]]}
    contexts = ["thirty days", "two days"]
    ragas = {
        "user_input": "How long?",
        "reference_contexts": [f"<{n}-hop>\n\n{text}" for n, text in enumerate(contexts, 1)],
        "reference": "It takes long.",
        "synthesizer_name": "multi_hop",
    }
    gold = chunks.questions([ragas], DOCS)
    assert quoted_texts(gold) == expected and gold["1"].tags == ("multi_hop",)
    golden = {"input": "How long?", "expected_output": "Long.", "context": contexts}
    assert quoted_texts(chunks.questions([golden], DOCS)) == expected
    goldens = SimpleNamespace(goldens=[golden])
    assert quoted_texts(chunks.questions(goldens, DOCS)) == expected
    cells = f"input,context,source_file\nHow long?,{'|'.join(contexts)},\n"
    assert quoted_texts(read(tmp_path, "goldens.csv", cells)) == expected
    pairs = {
        "queries": {"q": "How long?"},
        "corpus": {"n1": contexts[0], "n2": contexts[1], "n3": "else"},
        "relevant_docs": {"q": ["n1", "n2"]},
        "mode": "text",
    }
    assert quoted_texts(chunks.questions(pairs, DOCS)) == expected
    examples = {"examples": [{"query": "How long?", "reference_contexts": contexts}]}
    assert quoted_texts(chunks.questions(examples, DOCS)) == expected
    whole = SimpleNamespace(model_dump=lambda: examples)
    assert quoted_texts(chunks.questions(whole, DOCS)) == expected
    with pytest.raises(FormatError, match=r"record 1: quote is .*: expected a text or a list of"):
        chunks.questions([{"question": "How long?", "quote": {"text": "thirty days"}}], DOCS)
    pairs["relevant_docs"] = {"q": 3}
    with pytest.raises(FormatError, match="nodes of query 'q' are 3: expected a list"):
        chunks.questions(pairs, DOCS)
    pairs["relevant_docs"] = {"q": ["n4"]}
    with pytest.raises(FormatError, match="node 'n4' of query 'q' is not in corpus"):
        chunks.questions(pairs, DOCS)
