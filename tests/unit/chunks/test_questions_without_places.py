"""Questions without an answer, and answers that are known as strings only."""

from __future__ import annotations

from pathlib import Path
from unicodedata import category, normalize
from warnings import catch_warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval import chunks
from doxeval.assessments import Assessments, read_assessments, write_assessments
from doxeval.errors import FormatError, InputError
from doxeval.runs import Kind, Result, Run
from helpers import doxeval, write_files
from levels import examples

DOCS = {
    "terms": "Unused goods may be returned within thirty days. It costs 3 euros.",
    "faq": "We have no boats. Cafe\u0301s are nearby.",
}
GOLD = [
    {"id": "q1", "question": "How long?", "needs": [{"spans": ["thirty days"]}]},
    {"id": "q2", "question": "Do you sell cars?", "answerable": False},
    {"id": "q3", "question": "What does it cost?", "answers": ["3 euros", "three euros"]},
    {"id": "q4", "question": "Who knows?", "needs": []},
    {"id": "q5", "question": "Where is coffee?", "answers": ["CAF\u00c9S"]},
]
RESULTS = {
    "q1": [("terms", 0, 48)],
    "q2": [("faq", 0, 17), ("terms", 0, 12)],
    "q3": [("terms", 0, 48), ("terms", 49, 66)],
    "q5": [("faq", 18, 26)],
}


@pytest.fixture
def gold() -> chunks.Questions:
    with pytest.warns(UserWarning, match="without gold"):
        return chunks.questions(GOLD, DOCS)


def scores_of(gold: object, *measures: str) -> dict[str, float | None]:
    run = Run.from_dict(RESULTS)
    with pytest.warns(UserWarning):
        return chunks.evaluate(run, gold, measures, docs=DOCS).mean()["run"]


def test_what_is_known_of_answers_is_said_and_kept(gold: chunks.Questions, tmp_path: Path) -> None:
    assert gold.report().endswith(
        "1 question without an answer · 2 questions with answers as strings only · "
        "1 question without gold"
    )
    assert gold.assessments.topics == ("q1", "q2", "q3", "q5")  # q4 merely lacks gold
    assert gold.assessments.unanswerable == {"q2"}
    gold.write(tmp_path / "questions.jsonl")
    write_assessments(gold.assessments, tmp_path / "judged.jsonl", "judgments")
    assert read_assessments(tmp_path / "judged.jsonl") == gold.assessments
    with pytest.warns(UserWarning):
        again = chunks.questions(tmp_path / "questions.jsonl", DOCS)
        judged = chunks.questions(tmp_path / "judged.jsonl", DOCS)
    assert again == gold
    assert judged.assessments == gold.assessments


def test_each_measure_has_its_own_questions(gold: chunks.Questions) -> None:
    scores = scores_of(gold, "bR@100", "P@1", "none@5", "vain@100", "vain@3", "ans@1", "ans@2")
    assert scores == {
        "bR@100": 1.0,
        "P@1": 1.0,  # of q1 alone: a question without an answer has no documents to miss
        "none@5": 0.0,
        "vain@100": 7.0,  # "We have no boats." and "Unused goods"
        "vain@3": 3.0,
        "ans@1": 0.5,
        "ans@2": 1.0,
    }


def test_results_below_a_score_are_not_returned(gold: chunks.Questions) -> None:
    run = Run.from_dict({"q2": {"faq": 0.5, "terms": 0.25}, "q1": {"terms": 2.0}})
    left = chunks.threshold(run, 1)
    assert left.warnings == ("2 of 3 results have a score below 1 and are not returned",)
    with pytest.warns(UserWarning):
        table = chunks.evaluate({"all": run, "sure": left}, gold, ["none@5"], docs=DOCS)
    assert table.mean() == {"all": {"none@5": 0.0}, "sure": {"none@5": 1.0}}
    with pytest.raises(InputError, match="min_score=1 needs the score of each result"):
        chunks.threshold(Run.from_dict({"q1": [("terms", 0, 9)]}), 1)


def test_without_any_places_the_usual_measures_are_those_of_answers() -> None:
    gold = chunks.questions(GOLD[1:3], DOCS)
    assert list(scores_of(gold)) == ["ans@5", "none@5", "vain@1000"]
    with pytest.raises(InputError, match="answers as strings and questions without an answer"):
        chunks.compare(DOCS, gold, progress=False)


def test_a_study_reports_them_apart(gold: chunks.Questions) -> None:
    with pytest.warns(UserWarning):
        study = chunks.compare(DOCS, gold, "sentences:1:0", budget=20, progress=False)
    lines = study.text.splitlines()
    assert lines[-3:-1] == ["1 question without an answer", "run            none@5  vain@20"]
    assert "none@5" not in "\n".join(lines[:-3])
    assert study.rows()[0]["none@5"] == 1.0  # no word of it is in the documents


def test_the_command_line_has_a_table_of_their_own_and_gates(tmp_path: Path) -> None:
    lines = "".join(
        f'{{"topic": "{topic}", "doc": "{doc}", "start": {start}, "end": {end}, "score": 1}}\n'
        for topic, results in RESULTS.items()
        for doc, start, end in results
    )
    files = write_files(tmp_path, {"run.jsonl": lines, "docs/terms.txt": DOCS["terms"]})
    (files / "docs" / "faq.txt").write_text(DOCS["faq"], encoding="utf-8")
    with pytest.warns(UserWarning):
        chunks.questions(GOLD, DOCS).write(files / "gold.jsonl")
    given = [
        str(files / "run.jsonl"),
        "-g",
        str(files / "gold.jsonl"),
        "--docs",
        str(files / "docs"),
    ]
    done = doxeval("chunks", "evaluate", *given, "-m", "bR@100", "--fail-under", "none@5=.8")
    assert done.exit_code == 1
    assert "failed: none@5 is 0.0000, 0.8000 below the limit of 0.8" in done.stderr
    table, _, apart = done.stdout.partition("\n1 question without an answer\n")
    assert "none@5" not in table and apart.split()[:2] == ["run", "none@5"]
    passed = doxeval(
        "chunks", "evaluate", *given, "-m", "none@5", "--fail-under", "none@5=1", "--min-score", "2"
    )
    assert passed.exit_code == 0
    assert passed.stderr.count("6 of 6 results have a score below 2 and are not returned") == 1


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"answerable": False, "needs": [{"spans": ["boats"]}]}, "needs of a question that is not"),
        ({"answerable": False, "answers": ["boats"]}, "answers of a question that is not"),
        ({"needs": [], "answerable": "no"}, "answerable is 'no': expected true or false"),
    ],
)
def test_contradictions_are_errors(record: dict[str, object], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        chunks.questions([{"question": "What?", **record}], DOCS)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"topic": "7", "answerable": true}', "a.jsonl:1: answerable is true: expected false"),
        ('{"topic": "7", "answers": "x"}', "a.jsonl:1: answers is 'x': expected a list of texts"),
        ('{"topic": "7", "doc": "a", "answers": ["x"]}', "expected a topic with answerable or"),
        ('{"topic": "7", "answers": ["x"]}\n' * 2, "a.jsonl:2: two statements about the answer"),
        (
            '{"topic": "7", "answerable": false}\n{"topic": "7", "doc": "a", "start": 0, "end": 2}',
            "topic 7 is said to have no answer, but text of a answers it",
        ),
    ],
)
def test_wrong_statements_about_answers(lines: str, message: str, tmp_path: Path) -> None:
    files = write_files(tmp_path, {"a.jsonl": lines})
    with pytest.raises(FormatError) as raised:
        read_assessments(files / "a.jsonl")
    assert message in str(raised.value)


def test_other_formats_say_that_they_drop_answers(gold: chunks.Questions) -> None:
    from doxeval.assessments import assessment_losses

    assert "answers of topics" in assessment_losses(gold.assessments, "trec")
    assert Assessments(gold.assessments) == gold.assessments


# Answers as DPR looks for them


def tokens_of_dpr(text: str) -> list[str]:
    """Its tokens: runs of letters, numbers and marks, or other characters that are no space."""
    tokens: list[str] = []
    in_word = False
    for character in normalize("NFD", text):
        is_word = category(character)[0] in "LNM"
        if is_word and in_word:
            tokens[-1] += character
        elif category(character)[0] not in "ZC":
            tokens.append(character)
        in_word = is_word
    return [token.lower() for token in tokens]


def has_answer(text: str, answers: list[str]) -> bool:
    """Whether the tokens of an answer follow each other in a text."""
    tokens = tokens_of_dpr(text)
    return any(
        tokens[at : at + len(wanted)] == wanted
        for wanted in filter(None, map(tokens_of_dpr, answers))
        for at in range(len(tokens))
    )


LETTERS = "aAbB é É ß Σσς ﬁ 12 ½ ² .,-_'’()$ \t\n\u00a0\u200b\u00ad\u0301 中 ह 😀 K Å"


@given(st.data())
@examples(60)
def test_answers_are_looked_for_as_by_dpr(data: st.DataObject) -> None:
    texts = {name: data.draw(st.text(LETTERS, min_size=1, max_size=30)) for name in "ab"}
    spans = []
    for name in data.draw(st.lists(st.sampled_from("ab"), max_size=6)):
        start, end = sorted(data.draw(st.integers(0, len(texts[name]))) for _ in range(2))
        spans.append((name, start, end))
    answers = [data.draw(st.text(LETTERS, min_size=1, max_size=3)) for _ in range(2)]
    whole = texts[data.draw(st.sampled_from("ab"))]
    at = data.draw(st.integers(0, len(whole) - 1))
    answers.append(whole[at : at + data.draw(st.integers(1, 6))])
    answers = [answer for answer in answers if answer.strip()]
    if not answers:
        return
    gold = chunks.questions([{"id": "7", "question": "?", "answers": answers}], texts)
    results = [
        Result("7", name, kind=Kind.PASSAGE, start=start, end=end) for name, start, end in spans
    ]
    run = Run.from_results(results)
    with catch_warnings(action="ignore"):
        scores = chunks.evaluate(run, gold, [f"ans@{k}" for k in range(1, 8)], docs=texts).view(0)
    found = [has_answer(texts[name][start:end], answers) for name, start, end in spans]
    for k in range(1, 8):
        assert scores[f"ans@{k}"] == any(found[:k])
