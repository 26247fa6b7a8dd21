"""Question sets of other programs: a small one of each shape, with its traps."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from doxeval import chunks
from doxeval.chunks import Documents, Questions
from doxeval.errors import FormatError, SourceError
from helpers import ROOT, write_files

TERMS = "Thirty days. Unused goods only. Ask us first. Unused goods only."
DOCS = {"terms": TERMS, "faq": "Parcels are free. Ask us first."}
LEFT_OUT = "1 need not found and left out: such questions are scored by their other needs"


def answers(gold: Questions, question: str, docs: Any = DOCS) -> list[list[str]]:
    """The texts of each need of a question."""
    texts = chunks.documents(docs)
    return [
        [texts[place.document][place.start : place.end] for place in need.spans]
        for need in gold[question].needs
    ]


def lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


# Our own


OWN = {
    "id": "q1",
    "question": "How long?",
    "needs": [
        {"id": "when", "grade": 2, "spans": [{"doc": "terms", "start": 0, "end": 12}]},
        {"spans": [{"doc": "faq", "quote": "Ask us first."}, {"doc": "terms", "quote": "Ask us"}]},
    ],
    "tags": ["returns"],
}


def test_own_questions(tmp_path: Path) -> None:
    write_files(tmp_path, {"q.jsonl": lines(OWN, {"id": 2, "question": "Why?", "needs": []})})
    gold = chunks.questions(tmp_path / "q.jsonl", DOCS)
    assert answers(gold, "q1") == [["Thirty days."], ["Ask us first.", "Ask us"]]
    assert [(need.id, need.grade) for need in gold["q1"].needs] == [("when", 2), ("2", 1)]
    assert gold.tags["q1"] == ("returns",) and gold.texts["2"] == "Why?"
    assert gold.ids == ("q1", "2")
    assert gold.warnings == ("1 question without gold: not evaluated",)
    assert gold.assessments.topics == ("q1",), "a question without gold is not evaluated"
    assert [topic.title for topic in gold.topics] == ["How long?", "Why?"]
    needs = gold.assessments.find("q1", "faq").needs  # type: ignore[union-attr]
    assert [tuple(one) for one in needs] == [("2", 18, 31, 1, None)]


def test_questions_survive_being_written(tmp_path: Path) -> None:
    gold = chunks.questions([OWN], DOCS)
    gold.write(tmp_path / "q.jsonl")
    again = chunks.questions(tmp_path / "q.jsonl", DOCS)
    assert again.questions == gold.questions
    assert again.assessments == gold.assessments


def test_judgments_are_questions_without_texts(tmp_path: Path) -> None:
    from doxeval import read_assessments, write_assessments

    gold = chunks.questions([OWN], DOCS)
    write_assessments(gold.assessments, tmp_path / "j.jsonl", "judgments")
    assert read_assessments(tmp_path / "j.jsonl") == gold.assessments
    for source in (tmp_path / "j.jsonl", gold.assessments):
        again = chunks.questions(source, DOCS)
        assert again.assessments == gold.assessments
        assert again.texts == {"q1": ""}


def test_plain_judgments_are_needs_each(tmp_path: Path) -> None:
    judged = [{"topic": "7", "doc": "terms", "start": 0, "end": 6}]
    judged += [{"topic": "7", "doc": "terms", "start": 13, "end": 19}]
    write_files(tmp_path, {"j.jsonl": lines(*judged, {"topic": "8", "doc": "faq", "judged": True})})
    gold = chunks.questions(tmp_path / "j.jsonl", DOCS)
    assert answers(gold, "7") == [["Thirty"], ["Unused"]]
    assert gold["8"].not_relevant == ("faq",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"needs": "x"}, "needs is 'x': expected a list"),
        ({"needs": [{"spans": 3}]}, 'expected {"spans": […]}'),
        ({"needs": [{"spans": [7]}]}, "7: expected"),
        ({"needs": [{"spans": [{"doc": "terms", "start": 3}]}]}, "expected both start and end"),
        ({"needs": [{"spans": [{"start": 3, "end": 4}]}]}, "expected a doc or a quote"),
        ({"needs": [{"spans": [{"doc": "a", "start": "x", "end": 4}]}]}, "start is 'x'"),
        ({"needs": [{"grade": 0, "spans": []}]}, "the grade 0: expected more than 0"),
        ({"needs": [{"grade": float("nan"), "spans": []}]}, "the grade nan"),
        ({"needs": [{"id": "a", "spans": []}, {"id": "a", "spans": []}]}, "two needs 'a'"),
    ],
)
def test_wrong_questions_are_told(change: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        chunks.questions([OWN | change], DOCS)
    assert message in str(caught.value)


def test_the_line_of_a_wrong_question_is_told(tmp_path: Path) -> None:
    write_files(tmp_path, {"q.jsonl": lines(OWN, OWN | {"id": "b", "needs": 1})})
    with pytest.raises(FormatError, match=r"q\.jsonl:2: needs is 1"):
        chunks.questions(tmp_path / "q.jsonl", DOCS)


def test_two_questions_of_one_id() -> None:
    with pytest.raises(FormatError, match="two questions 'q1'"):
        chunks.questions([OWN, OWN], DOCS)


# chunking_evaluation


def chroma(*references: dict[str, Any], corpus: str = "terms") -> str:
    cell = json.dumps(list(references)).replace('"', '""')
    return f'question,references,corpus_id\n"How, ""exactly""?","{cell}",{corpus}\n'


def test_chunking_evaluation(tmp_path: Path) -> None:
    first = {"content": "Thirty days.", "start_index": 0, "end_index": 12}
    second = {"content": "Unused goods only.", "start_index": 13, "end_index": 31}
    write_files(tmp_path, {"q.csv": chroma(first, second)})
    gold = chunks.questions(tmp_path / "q.csv", DOCS)
    assert gold.texts["1"] == 'How, "exactly"?'
    assert answers(gold, "1") == [["Thirty days."], ["Unused goods only."] * 2]
    assert [place.start for place in gold["1"].needs[1].spans] == [13, 46]
    assert gold.tally[1:] == (0, 0, 1, 1, 0, 0)
    assert gold.warnings == ("question 1: stands 2 times in terms: 'Unused goods only.'",)
    at_place = chunks.questions(tmp_path / "q.csv", DOCS, copies="place")
    assert [place.start for place in at_place["1"].needs[1].spans] == [13]
    assert at_place.warnings == ()


def test_the_second_copy_comes_first_if_it_is_meant(tmp_path: Path) -> None:
    second = {"content": "Unused goods only.", "start_index": 46, "end_index": 64}
    write_files(tmp_path, {"q.csv": chroma(second)})
    gold = chunks.questions(tmp_path / "q.csv", DOCS)
    assert [place.start for place in gold["1"].needs[0].spans] == [46, 13]


def test_references_may_be_lists_in_frames() -> None:
    pandas = pytest.importorskip("pandas")
    references = [{"content": "Thirty days.", "start_index": 0, "end_index": 12}]
    frame = pandas.DataFrame({"question": ["How long?"], "references": [references]})
    assert answers(chunks.questions(frame, DOCS), "1") == [["Thirty days."]]


# LegalBench-RAG


def test_legalbench() -> None:
    snippets = [
        {"file_path": "corpus\\terms.txt", "span": [0, 12], "answer": "Thirty days."},
        {"file_path": "corpus/faq.txt", "span": [18, 31], "answer": "Ask us first."},
    ]
    tests = {"tests": [{"query": "How long?", "snippets": snippets, "tags": ["cuad"]}]}
    gold = chunks.questions(tests, DOCS)
    assert answers(gold, "1") == [["Thirty days."], ["Ask us first."]]
    assert gold.tags == {"1": ("cuad",)}
    assert gold.warnings == ()


def test_legalbench_counts_line_ends_once() -> None:
    """Its offsets are those of files read with each line end as one character."""
    text = "One.\r\nTwo.\r\nTwo.\r\n"
    folded = text.replace("\r\n", "\n")
    start = folded.rindex("Two.")
    snippets = [{"file_path": "a.txt", "span": [start, start + 4], "answer": "Two."}]
    gold = chunks.questions({"tests": [{"query": "?", "snippets": snippets}]}, {"a": text}, "place")
    assert gold["1"].needs[0].spans[0].start == text.rindex("Two.")
    assert gold.warnings == ()


def test_spans_without_answers_are_believed_if_they_fit() -> None:
    tests = [{"query": "?", "snippets": [{"file_path": "terms", "span": [0, 6]}]}]
    assert answers(chunks.questions({"tests": tests}, DOCS), "1") == [["Thirty"]]
    tests[0]["snippets"][0]["span"] = [60, 70]  # type: ignore[index]  # JSON of any depth
    gold = chunks.questions({"tests": tests}, DOCS, max_missing=1)
    assert gold.warnings[0] == "question 1: [60, 70) is not in terms, which has 64 characters"
    assert gold.tally.missing == 1


@pytest.mark.parametrize("span", [None, [1], [1, "2"], "12", [True, 2]])
def test_legalbench_spans_are_checked(span: Any) -> None:
    tests = {"tests": [{"query": "?", "snippets": [{"file_path": "terms", "span": span}]}]}
    with pytest.raises(FormatError, match="expected two whole numbers"):
        chunks.questions(tests, DOCS)


# HiCBench


def test_hicbench(tmp_path: Path) -> None:
    record = {"input": "?", "answers": ["x"], "facts": ["y"], "_id": "terms"}
    evidence = ["Thirty days.", "Ask us  first."]
    write_files(tmp_path, {"q.jsonl": lines(record | {"evidences": evidence})})
    gold = chunks.questions(tmp_path / "q.jsonl", DOCS)
    assert answers(gold, "1") == [["Thirty days."], ["Ask us first."]]


def test_hicbench_splits_are_a_tree() -> None:
    splits = [["Thirty days. ", 1], ["Unused goods only. ", 2], ["Ask us first. ", 2]]
    splits += [["Unused goods only.", 1]]
    located = chunks.locate(DOCS, {"terms": {"splits": splits}})
    assert located.parent.tolist() == [-1, 0, 0, -1]
    assert located.spans.start.tolist() == [0, 13, 32, 46]


# ragas


SAMPLE = {
    "user_input": "How long?",
    "retrieved_contexts": ["Unused goods only."],
    "reference_contexts": ["Thirty days.", "Ask us first."],
    "reference": "30 days",
}


def test_ragas_contexts_are_looked_for_in_all_documents(tmp_path: Path) -> None:
    write_files(tmp_path, {"s.jsonl": lines(SAMPLE)})
    dumped = SimpleNamespace(model_dump=lambda: SAMPLE)
    for source in (tmp_path / "s.jsonl", [SAMPLE], SimpleNamespace(samples=[dumped])):
        gold = chunks.questions(source, DOCS)
        assert answers(gold, "1") == [["Thirty days."], ["Ask us first."] * 2]
        assert {place.document for place in gold["1"].needs[1].spans} == {"terms", "faq"}
    assert gold.warnings == ("question 1: stands 2 times in any document: 'Ask us first.'",)


def test_ragas_frames(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([SAMPLE])
    frame.to_csv(tmp_path / "s.csv", index=False)
    for source in (frame, tmp_path / "s.csv"):
        assert len(chunks.questions(source, DOCS)["1"].needs) == 2


def test_ragas_ids_are_documents() -> None:
    sample = {"user_input": "?", "reference_context_ids": ["faq", "gone"]}
    gold = chunks.questions([sample], DOCS, max_missing=1)
    assert answers(gold, "1") == [[DOCS["faq"]]]
    assert gold.warnings == ("question 1: no document 'gone'", LEFT_OUT)


def test_ragas_without_gold_and_of_several_turns() -> None:
    with pytest.raises(FormatError, match="there is no gold"):
        chunks.questions([{"user_input": "?", "retrieved_contexts": ["x"]}], DOCS)
    with pytest.raises(FormatError, match="a sample of one turn"):
        chunks.questions([SAMPLE | {"user_input": [{"content": "x"}]}], DOCS)


def test_the_questions_on_the_page_of_formats_are_read() -> None:
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    text = page.partition("### Questions with gold\n")[2].split("\n\n")[1]
    records = []
    while text.strip():
        record, end = json.JSONDecoder().raw_decode(text.lstrip())
        records.append(record)
        text = text.lstrip()[end:]
    docs = {"terms": TERMS, "faq": "Goods must be unused."}
    gold = chunks.questions(records, docs)
    assert answers(gold, "q1", docs) == [["Thirty days"], ["Unused goods only.", "unused"]]
    assert [(need.id, need.grade) for need in gold["q1"].needs] == [("period", 2), ("2", 1)]
    assert gold["q2"].needs == () and not gold["q2"].answerable
    assert gold.warnings == ()


# SQuAD


def squad(**change: Any) -> dict[str, Any]:
    asked: dict[str, Any] = {"id": "s1", "question": "What is old?"}
    asked["answers"] = [{"text": "oak", "answer_start": 4}, {"text": "The oak", "answer_start": 0}]
    paragraphs = [
        {"context": "Tea is hot. Tea is wet.", "qas": []},
        {"context": "The oak is old, the oak is tall.", "qas": [asked | change]},
    ]
    return {"version": "2.0", "data": [{"title": "Trees", "paragraphs": paragraphs}]}


def test_squad_holds_its_documents(tmp_path: Path) -> None:
    write_files(tmp_path, {"squad.json": json.dumps(squad())})
    docs = chunks.documents(tmp_path / "squad.json")
    assert dict(docs) == {"Trees": "Tea is hot. Tea is wet.\n\nThe oak is old, the oak is tall."}
    gold = chunks.questions(tmp_path / "squad.json", docs)
    assert answers(gold, "s1", docs) == [["oak", "The oak"]], "alternatives of one need"
    assert [place.start for place in gold["s1"].needs[0].spans] == [29, 25], "no other oak"
    assert gold.warnings == ()


def test_squad_answers_at_a_wrong_offset_are_found_in_their_paragraph() -> None:
    value = squad(answers=[{"text": "tall", "answer_start": 3}])
    docs = Documents([("Trees", "A tall tree.\n\nThe oak is old, the oak is tall.")])
    gold = chunks.questions(value, docs)
    assert [place.start for place in gold["s1"].needs[0].spans] == [41]
    assert gold.tally.moved == 1


def test_squad_in_documents_of_another_make() -> None:
    docs = {"whole": "Before. The oak is old, the oak is tall. After.", "other": "The oak is"}
    gold = chunks.questions(squad(), docs)
    assert [tuple(place) for place in gold["s1"].needs[0].spans] == [
        ("whole", 12, 15),
        ("whole", 8, 15),
    ]


@pytest.mark.parametrize("fields", [{"is_impossible": True}, {}])
def test_impossible_questions_of_squad_have_no_answer(fields: dict[str, Any]) -> None:
    docs = chunks.documents([{"id": "Trees", "text": "x"}])
    gold = chunks.questions(squad(answers=[], **fields), docs)
    assert gold["s1"].needs == () and gold["s1"].not_relevant == ("Trees",)
    assert gold.assessments.unanswerable == {"s1"}
    lacking = chunks.questions(squad(answers=[], is_impossible=False), docs)
    assert lacking["s1"].answerable
    assert gold.assessments.topics == ("s1",)
    assert gold.warnings == ()


def test_flat_squad() -> None:
    answer = {"text": ["oak"], "answer_start": [4]}
    record = {"id": "s1", "title": "Trees", "context": "The oak.", "question": "?"}
    docs = {"Trees": "The oak."}
    assert answers(chunks.questions([record | {"answers": answer}], docs), "s1", docs) == [["oak"]]


# QASPER


def qasper() -> dict[str, Any]:
    said = [
        {"answer": {"evidence": ["We measure tides.", "FLOAT SELECTED: Table 2"]}},
        {"answer": {"evidence": ["We measure tides.", "The moon pulls."], "unanswerable": False}},
        {"answer": {"evidence": [], "unanswerable": True}},
    ]
    asked = [{"question": "What?", "question_id": "x", "answers": said}]
    sections = [{"section_name": "Method", "paragraphs": ["We measure tides.", "The moon pulls."]}]
    paper = {"title": "Tides", "abstract": "About tides.", "full_text": sections, "qas": asked}
    return {"1703": paper}


def test_qasper(tmp_path: Path) -> None:
    write_files(tmp_path, {"qasper.json": json.dumps(qasper())})
    docs = chunks.documents(tmp_path / "qasper.json")
    assert docs["1703"] == "Tides\n\nAbout tides.\n\nMethod\n\nWe measure tides.\n\nThe moon pulls."
    gold = chunks.questions(qasper(), docs)
    assert answers(gold, "x", docs) == [["We measure tides."], ["The moon pulls."]]
    assert gold.warnings == ("question x: not text of a document: 'FLOAT SELECTED: Table 2'",)
    assert (gold.tally.missing, gold.tally.unusable) == (0, 1)
    assert gold.report().endswith(" · 1 answer not text of a document")


def test_qasper_by_fields() -> None:
    paper = qasper()["1703"]
    by_field = {
        "id": "1703",
        "full_text": {"section_name": ["M"], "paragraphs": [["We measure tides."]]},
        "qas": {
            "question": ["What?"],
            "question_id": ["x"],
            "answers": [{"answer": [one["answer"] for one in paper["qas"][0]["answers"]]}],
        },
    }
    docs = {"1703": "M\n\nWe measure tides.\n\nThe moon pulls."}
    gold = chunks.questions([by_field], docs)
    assert answers(gold, "x", docs) == [["We measure tides."], ["The moon pulls."]]


# HotpotQA, 2WikiMultihopQA, MuSiQue


HOTPOT = {
    "_id": "h1",
    "question": "Which is older?",
    "type": "comparison",
    "context": [
        ["Oak", ["The oak is old.", " It is tall."]],
        ["Tea", ["Tea is hot.", "Tea is wet."]],
        ["Oak", ["An oak grows."]],
    ],
    "supporting_facts": [["Oak", 1], ["Tea", 1], ["Tea", 7]],
}


def test_hotpot_holds_its_documents(tmp_path: Path) -> None:
    write_files(tmp_path, {"h.json": json.dumps([HOTPOT, HOTPOT | {"_id": "h2"}])})
    docs = chunks.documents(tmp_path / "h.json")
    assert dict(docs) == {
        "Oak": "The oak is old. It is tall.\n\nAn oak grows.",
        "Tea": "Tea is hot. Tea is wet.",
    }
    gold = chunks.questions(tmp_path / "h.json", docs)
    assert answers(gold, "h1", docs) == [["It is tall."], ["Tea is wet."]], "each fact is a need"
    assert gold.tags["h1"] == ("comparison",)
    assert "question h1: not text of a document: 'Tea, sentence 7'" in gold.warnings


def test_hotpot_by_fields() -> None:
    context = {"title": ["Tea"], "sentences": [["Tea is hot.", " Tea is wet."]]}
    record = {"id": "h", "question": "?", "context": context}
    record["supporting_facts"] = {"title": ["Tea"], "sent_id": [0]}
    docs = {"Tea": "Tea is hot. Tea is wet."}
    assert answers(chunks.questions([record], docs), "h", docs) == [["Tea is hot."]]


def test_musique() -> None:
    paragraphs = [
        {"idx": 0, "title": "Oak", "paragraph_text": "The oak is old.", "is_supporting": True},
        {"idx": 1, "title": "Tea", "paragraph_text": "Tea is hot.", "is_supporting": False},
        {"idx": 2, "title": "Oak", "paragraph_text": "It is tall.", "is_supporting": True},
    ]
    record = {"id": "m", "question": "?", "paragraphs": paragraphs}
    docs = {"Oak": "The oak is old.\n\nIt is tall.", "Tea": "Tea is hot."}
    gold = chunks.questions([record], docs)
    assert answers(gold, "m", docs) == [["The oak is old."], ["It is tall."]]


# Natural Questions


def test_natural_questions_count_bytes(tmp_path: Path) -> None:
    page = "<p>Où? </p>\n<p>Là-bas, à midi.</p>\n<p>Là-bas, à midi.</p>"
    data = page.encode()
    start = data.rindex("<p>Là".encode())
    answer = {"start_byte": start, "end_byte": len(data), "start_token": 9, "end_token": 14}
    none = {"start_byte": -1, "end_byte": -1, "start_token": -1, "end_token": -1}
    record = {"example_id": 77, "question_text": "Where?", "document_html": page}
    record["annotations"] = [{"long_answer": one, "short_answers": []} for one in (answer, none)]
    record["document_url"] = "//wiki/oldid=5"
    write_files(tmp_path, {"nq.jsonl": lines(record, record | {"example_id": 78})})
    docs = chunks.documents(tmp_path / "nq.jsonl")
    assert list(docs) == ["//wiki/oldid=5"]
    gold = chunks.questions(tmp_path / "nq.jsonl", docs)
    assert answers(gold, "77", docs) == [["<p>Là-bas, à midi.</p>"]]
    assert gold["77"].needs[0].spans[0].start == page.rindex("<p>Là")
    assert gold.warnings == ()


def test_natural_questions_of_tokens() -> None:
    text = "<P> Tea is hot . </P> <P> Tea is wet . </P>"
    tokens = text.split(" ")
    long = {"start_token": 6, "end_token": 12}
    short = [{"start_token": 9, "end_token": 10}]
    record = {"example_id": "n", "question_text": "?", "document_text": text}
    docs = {"n": text}
    gold = chunks.questions([record | {"annotations": [{"long_answer": long}]}], docs)
    assert answers(gold, "n", docs) == [[" ".join(tokens[6:12])]]
    nothing = {"start_token": -1, "end_token": -1}
    said = [{"long_answer": nothing, "short_answers": short}]
    gold = chunks.questions([record | {"annotations": said}], docs)
    assert answers(gold, "n", docs) == [["wet"]]
    gold = chunks.questions([record | {"annotations": [{"long_answer": nothing}]}], docs)
    assert gold["n"].not_relevant == ("n",)


PAGE = "<p>Où? </p>\n<p>Tea is wet, and hot.</p>"


def at_bytes(quote: str) -> dict[str, int]:
    start = PAGE.encode().index(quote.encode())
    return {"start_byte": start, "end_byte": start + len(quote.encode())}


def nested(**change: Any) -> dict[str, Any]:
    """A question as the data sets of Hugging Face have it: lists by field."""
    none = {"start_byte": -1, "end_byte": -1, "start_token": -1, "end_token": -1}
    wet, hot = at_bytes("wet"), at_bytes("hot")
    annotations = {
        "long_answer": [at_bytes("<p>Tea is wet, and hot.</p>"), none],
        "short_answers": [
            {name: [wet[name], hot[name]] for name in wet} | {"text": ["wet", "hot"]},
            {"start_byte": [], "end_byte": [], "text": []},
        ],
        "yes_no_answer": [-1, -1],
    }
    document = {"html": PAGE, "url": "//wiki/tea", "title": "Tea", "tokens": {"token": ["x"]}}
    record = {"id": "5", "question": {"text": "How is tea?"}, "document": document}
    return record | {"annotations": annotations} | change


def test_nested_natural_questions(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    table = pyarrow.Table.from_pylist([nested()])
    parquet.write_table(table, tmp_path / "nq.parquet")
    for source in (tmp_path / "nq.parquet", [nested()], table.to_pandas()):
        docs = chunks.documents(source)
        assert dict(docs) == {"//wiki/tea": PAGE}
        gold = chunks.questions(source, docs)
        assert gold.texts == {"5": "How is tea?"} and gold.warnings == ()
        assert [need.id for need in gold["5"].needs] == ["long", "short"]
        assert answers(gold, "5", docs) == [["<p>Tea is wet, and hot.</p>"], ["wet", "hot"]]


def test_nested_natural_questions_of_tokens() -> None:
    tokens = [{"token": token, "is_html": False} for token in "Tea is wet .".split()]
    for given in (tokens, {"token": "Tea is wet .".split()}):
        answer = {"long_answer": [{"start_token": 0, "end_token": 3}], "short_answers": [[]]}
        record = nested(document={"title": "Tea", "tokens": given}, annotations=answer)
        docs = chunks.documents([record])
        assert dict(docs) == {"Tea": "Tea is wet ."}
        assert answers(chunks.questions([record], docs), "5", docs) == [["Tea is wet"]]


def test_both_answers_of_flat_natural_questions_are_needed() -> None:
    annotation = {"long_answer": at_bytes("<p>Tea"), "short_answers": [at_bytes("hot")]}
    record = {"example_id": 1, "question_text": "?", "document_html": PAGE, "document_url": "u"}
    gold = chunks.questions([record | {"annotations": [annotation] * 2}], {"u": PAGE})
    assert answers(gold, "1", {"u": PAGE}) == [["<p>Tea"], ["hot"]], "annotators who agree"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"question": "How is tea?"}, "question is 'How is tea?': expected {\"text\"}"),
        ({"question": {}}, "no text in the record"),
        ({"document": {"url": "u"}}, "no html or tokens in the record"),
        ({"annotations": {"long_answer": [{"start_byte": "x"}]}}, "start_byte is 'x': expected"),
    ],
)
def test_wrong_nested_natural_questions(change: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        chunks.questions([nested(**change)], {"//wiki/tea": PAGE, "u": "x"})
    assert message in str(caught.value)


def test_answers_beyond_the_page_of_natural_questions_are_lost() -> None:
    size = len(PAGE.encode())
    for start, told in ((900, "[900, 910)"), (12, "[12, 910)")):
        far = {"start_byte": start, "end_byte": 910}
        record = nested(annotations={"long_answer": [far], "short_answers": [[]]})
        gold = chunks.questions([record], {"//wiki/tea": PAGE}, max_missing=1)
        assert gold["5"].needs == () and gold.tally.missing == 1
        assert f"{told} is not in //wiki/tea, which has {len(PAGE)} char" in gold.warnings[0]
    record = nested(document={"title": "Tea", "tokens": {"token": ["Tea", "is", "wet"]}})
    record["annotations"] = {"long_answer": [{"start_token": 1, "end_token": 4}]}
    assert chunks.questions([record], {"Tea": "Tea is wet"}, max_missing=1).tally.missing == 1
    edge = {"start_byte": size - 4, "end_byte": size}
    record = nested(annotations={"long_answer": [edge], "short_answers": [[]]})
    assert answers(chunks.questions([record], {"//wiki/tea": PAGE}), "5", {"//wiki/tea": PAGE}) == [
        ["</p>"]
    ]


def test_two_texts_of_one_page() -> None:
    record = {"example_id": "n", "document_url": "u", "annotations": [], "question_text": "?"}
    first, second = record | {"document_text": "a"}, record | {"document_text": "b"}
    with pytest.raises(FormatError, match="another text of the page 'u'"):
        chunks.documents([first, second])


# MultiHop-RAG, AutoRAG


def test_multihop_rag() -> None:
    evidence = [
        {"title": "Terms", "url": "http://x/terms", "fact": "Thirty days."},
        {"title": "faq", "url": "http://x/gone", "fact": "Parcels are free."},
    ]
    record = {"query": "?", "answer": "y", "question_type": "inference", "evidence_list": evidence}
    docs = {"http://x/terms": TERMS, "faq": DOCS["faq"]}
    null = {"query": "??", "question_type": "null_query", "evidence_list": []}
    gold = chunks.questions([record, null], docs)
    assert answers(gold, "1", docs) == [["Thirty days."], ["Parcels are free."]]
    assert gold.tags["2"] == ("null_query",)
    assert gold.assessments.unanswerable == {"2"} and gold.warnings == ()


def test_autorag_is_and_of_or(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    truth = [["terms", "faq"], ["faq"]]
    frame = pandas.DataFrame({"qid": ["a1"], "query": ["?"], "retrieval_gt": [truth]})
    frame.to_parquet(tmp_path / "qa.parquet")
    for source in (frame, tmp_path / "qa.parquet"):
        gold = chunks.questions(source, DOCS)
        assert answers(gold, "a1") == [[TERMS, DOCS["faq"]], [DOCS["faq"]]]


PATH = "/home/someone/raw/terms.md"
CORPUS = [
    {"doc_id": "c1", "contents": "Thirty days.", "path": PATH, "start_end_idx": [0, 11]},
    {"doc_id": "c2", "contents": "Unused goods only.", "path": PATH, "start_end_idx": [13, 30]},
    {"doc_id": "c3", "contents": "Ask us first.", "path": PATH, "start_end_idx": [0, 0]},
    {"doc_id": "c4", "contents": "Unused goods only.", "path": PATH, "start_end_idx": [13, 30]},
]


def autorag(folder: Path, corpus: list[dict[str, Any]], truth: Any) -> Path:
    """A folder as AutoRAG writes it."""
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame(corpus).to_parquet(folder / "corpus.parquet")
    frame = pandas.DataFrame({"qid": ["a1"], "query": ["?"], "retrieval_gt": [truth]})
    frame.to_parquet(folder / "qa.parquet")
    return folder


def test_a_corpus_of_autorag_is_located_in_its_documents() -> None:
    """Its ends include the last character, and every copy has the offsets of the first."""
    located = chunks.locate(DOCS, [one | {"metadata": {"page": -1}} for one in CORPUS])
    assert located.ids == ("c1", "c2", "c3", "c4")
    assert located.documents == ("terms",)
    assert located.spans.as_tuples() == [((0, 12),), ((13, 31),), ((32, 45),), ((46, 64),)]
    assert located.how == ("offsets", "offsets", "exact", "exact")


def test_gold_of_autorag_becomes_ranges_of_the_documents(tmp_path: Path) -> None:
    folder = autorag(tmp_path, CORPUS, [["c4", "c3"], ["c1"], ["gone"]])
    corpus, qa = folder / "corpus.parquet", folder / "qa.parquet"
    for source in (folder, {"qa": qa, "corpus": corpus}):
        gold = chunks.questions(source, DOCS, "place", max_missing=1)
        places = [[place.start for place in need.spans] for need in gold["a1"].needs]
        assert places == [[46, 32], [0]]
        assert gold.warnings == ("question a1: no document 'gone'", LEFT_OUT)
    any_copy = chunks.questions(folder, DOCS, max_missing=1)
    both = [place.start for place in any_copy["a1"].needs[0].spans]
    assert both == [46, 13, 32], "copies are as good"
    with pytest.raises(FormatError, match=r"are no documents here: if they are chunks, a folder"):
        chunks.questions(qa, DOCS)
    assert answers(chunks.questions(qa, corpus, max_missing=1), "a1", corpus)[1] == ["Thirty days."]


def test_chunks_of_autorag_that_are_lost_are_told(tmp_path: Path) -> None:
    lost = [CORPUS[0], CORPUS[1] | {"contents": "Nothing like it anywhere at all."}]
    gold = chunks.questions(autorag(tmp_path, lost, [["c1"], ["c2"]]), DOCS, max_missing=1)
    assert answers(gold, "a1") == [["Thirty days."]]
    assert gold.tally.missing == 1 and "not found in any document: 'Nothing" in gold.warnings[0]


@pytest.mark.parametrize(
    ("corpus", "truth", "message"),
    [
        ([CORPUS[0] | {"start_end_idx": "0"}], [["c1"]], "start_end_idx is '0': expected two"),
        ([CORPUS[0] | {"start_end_idx": [0]}], [["c1"]], "start_end_idx is [0]: expected two"),
        ([CORPUS[0] | {"start_end_idx": [0, 0.5]}], [["c1"]], "expected two whole numbers"),
        ([{"doc_id": "c1", "path": PATH}], [["c1"]], "expected pairs of whole numbers"),
        (CORPUS, [["x"], ["y"]], "'x' and all other ids of retrieval_gt are not in the corpus"),
        ([CORPUS[0], CORPUS[0]], [["c1"]], "every chunk has a doc_id of its own"),
        (CORPUS, "c1", "retrieval_gt is 'c1': expected lists of ids"),
    ],
)
def test_wrong_corpora_of_autorag(tmp_path: Path, corpus: Any, truth: Any, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        chunks.questions(autorag(tmp_path, corpus, truth), DOCS)
    assert message in str(caught.value)


def test_offsets_of_autorag_out_of_range_are_not_believed() -> None:
    for pair in ([900, 911], [-1, 4], [2**40, 2**40], [10**30, 10**30]):
        located = chunks.locate(DOCS, [CORPUS[0] | {"start_end_idx": pair}])
        assert located.spans.as_tuples() == [((0, 12),)]


def test_pages_that_autorag_parsed_are_documents() -> None:
    parsed = [{"texts": "One.", "path": "a.pdf", "page": 1}]
    parsed += [{"texts": "Two.", "path": "a.pdf", "page": 2}]
    docs = chunks.documents([*parsed, {"texts": "All.", "path": "b.pdf", "page": -1}])
    assert dict(docs) == {"a.pdf#1": "One.", "a.pdf#2": "Two.", "b.pdf": "All."}
    chunk = {"doc_id": "c", "contents": "Two.", "path": "a.pdf", "start_end_idx": [0, 3]}
    assert chunks.locate(docs, [chunk | {"metadata": {"page": 2}}]).documents == ("a.pdf#2",)


# BEIR, MS MARCO


def test_beir(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "corpus.jsonl": lines(*({"_id": name, "text": text} for name, text in DOCS.items())),
            "queries.jsonl": lines({"_id": "b1", "text": "How long?"}, {"_id": "b2", "text": "x"}),
            "qrels/test.tsv": "query-id\tcorpus-id\tscore\nb1\tterms\t2\nb1\tfaq\t0\n",
            "qrels/train.tsv": "query-id\tcorpus-id\tscore\nb2\tfaq\t1\n",
        },
    )
    gold = chunks.questions(tmp_path, tmp_path)
    assert gold.ids == ("b1",) and gold.texts["b1"] == "How long?"
    assert answers(gold, "b1") == [[TERMS]]
    assert gold["b1"].needs[0].grade == 2 and gold["b1"].not_relevant == ("faq",)
    files = {"queries": tmp_path / "queries.jsonl", "qrels": tmp_path / "qrels" / "train.tsv"}
    assert chunks.questions(files, DOCS).ids == ("b2",)
    assert chunks.questions(tmp_path / "qrels" / "train.tsv", tmp_path).ids == ("b2",)
    (tmp_path / "qrels" / "test.tsv").unlink()
    (tmp_path / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nb3\tfaq\t1\n")
    with pytest.raises(
        SourceError, match=r"several files of qrels: dev.tsv, train.tsv; give .*dev"
    ):
        chunks.questions(tmp_path, tmp_path)
    with pytest.warns(UserWarning, match=r"not among the queries, so .* are not known: b3"):
        chunks.questions(tmp_path / "qrels" / "dev.tsv", tmp_path)
    (tmp_path / "queries.jsonl").write_text(lines(*[{"_id": "b1", "text": "x"}] * 2))
    with pytest.raises(FormatError, match=r"queries.jsonl:2: there are two queries 'b1'"):
        chunks.questions(files, DOCS)


def test_beir_as_data_sets() -> None:
    queries = [{"_id": "b1", "title": "", "text": "How long?"}]
    qrels = [{"query-id": "b1", "corpus-id": "terms", "score": 1}]
    corpus = [{"_id": name, "text": text} for name, text in DOCS.items()]
    gold = chunks.questions({"queries": iter(queries), "qrels": iter(qrels)}, corpus)
    assert answers(gold, "b1") == [[TERMS]]
    with pytest.raises(FormatError, match="record 1: expected query-id, corpus-id and score"):
        chunks.questions({"queries": queries, "qrels": [{"query-id": "b1"}]}, corpus)


def test_segments_of_ms_marco_become_spans(tmp_path: Path) -> None:
    body = "Tea is hot. Tea is wet. Tea is old."
    segments = [
        {"docid": "d#0_1", "start_char": 0, "end_char": 23, "segment": body[:23]},
        {"docid": "d#1_2", "start_char": 12, "end_char": 35, "segment": body[12:]},
        {"docid": "d#2_3", "start_char": 5, "end_char": 35, "segment": body[24:]},
    ]
    write_files(
        tmp_path,
        {
            "queries.tsv": "m1\tHow old?\n",
            "qrels.txt": "m1 0 d#1_2 3\nm1 0 d#0_1 0\nm1 0 d#2_3 1\n",
            "segments.jsonl": lines(*segments),
        },
    )
    docs = {"d": body}
    gold = chunks.questions(tmp_path, docs)
    assert answers(gold, "m1", docs) == [[body[12:]], [body[24:]]]
    assert [need.grade for need in gold["m1"].needs] == [3, 1]
    assert gold.tally.moved == 1, "a wrong offset is not believed"
    located = chunks.locate(docs, segments)
    assert located.ids == ("d#0_1", "d#1_2", "d#2_3")
    assert located.spans.as_tuples() == [((0, 23),), ((12, 35),), ((24, 35),)]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"qrels.txt": ""}, "no queries in the folder"),
        ({"queries.tsv": "1\tx\n"}, "no qrels in the folder"),
        ({"queries.tsv": "1\tx\n", "qrels.a.tsv": "", "qrels.b.tsv": ""}, "several files of qrels"),
        ({"queries.tsv": "1 x\n", "qrels.txt": ""}, "queries.tsv:1: expected an id, a tab"),
        ({"queries.tsv": "1\tx\n", "qrels.txt": "1 0 d 1\nx\n"}, "qrels.txt:2: expected"),
        ({"queries.tsv": "1\tx\n", "qrels.txt": "1 d\n"}, "this is not a file of assessments"),
        ({"queries.tsv": "1\tx\n", "qrels.txt": "1 0 d 1\n1 0 d 2\n"}, "is judged twice"),
    ],
)
def test_wrong_folders(tmp_path: Path, files: dict[str, str], message: str) -> None:
    write_files(tmp_path, files)
    with pytest.raises((FormatError, SourceError)) as caught:
        chunks.questions(tmp_path, DOCS)
    assert message in str(caught.value)


# What is no gold


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"results": [{"query_id": 1, "retrieved_context": []}]}, "results of RAGChecker"),
        ([{"qid": 1, "nuggets": []}], "nuggets of TREC"),
        ([{"foo": 1}], "fields ['foo']: expected the fields of a known format"),
        ([], "there are no questions"),
        (7, "7: expected a file"),
        ("no/such/file.csv", "no such file or directory"),
    ],
)
def test_what_is_no_gold(value: Any, message: str) -> None:
    with pytest.raises((FormatError, SourceError)) as caught:
        chunks.questions(value, DOCS)
    assert message in str(caught.value)
