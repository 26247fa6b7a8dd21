"""Quotes that leave something out, quotes that were altered, and checks of a set of questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval import chunks, evaluate
from doxeval.assessments import Assessments, Judgment, NeededSpan, Needs
from doxeval.errors import FormatError, InputError
from doxeval.locating import most_similar, parts_of_quote
from doxeval.runs import Run
from helpers import doxeval, write_files
from levels import examples

TEXT = (
    "You may pay by card or in cash. Nobody has to pay at once. The bill is due within a week. "
    + "x" * 2100
    + " You may pay later, on the telephone, within a week."
)
DOCS = {"terms": TEXT, "faq": "Nothing is due. Nothing is due."}


def one(quote: str, doc: str | None = "terms", **options: Any) -> chunks.Questions:
    span = {"quote": quote} if doc is None else {"doc": doc, "quote": quote}
    records = [{"id": "1", "question": "When?", "needs": [{"spans": [span]}]}]
    return chunks.questions(records, DOCS, **options)


def texts(gold: chunks.Questions) -> list[list[str]]:
    return [[DOCS[d][s:e] for d, s, e in need.spans] for need in gold["1"].needs]


# Ellipses


@pytest.mark.parametrize("mark", ["…", "...", " [...] ", " […] ", "(...)", " . . . "])
@pytest.mark.parametrize("doc", ["terms", None])
def test_all_parts_of_a_quote_with_an_ellipsis_are_needed(mark: str, doc: str | None) -> None:
    gold = one(f"Nobody has to pay{mark}within a week{mark}", doc)
    assert texts(gold) == [["Nobody has to pay", "within a week"]]
    (need,) = gold["1"].needs
    assert (need.id, need.parts, need.alternatives) == ("1", (2,), (need.spans,))
    assert need.spans[1].start == TEXT.index("within")
    assert "1 quote of several parts" in gold.report()
    (record,) = map(json.loads, gold.lines())
    assert record["needs"][0]["spans"] == [
        [{"doc": "terms", "start": start, "end": end} for _, start, end in need.spans]
    ]
    assert chunks.questions([record], DOCS)["1"] == gold["1"]
    assert chunks.questions(gold.assessments, DOCS)["1"].needs == gold["1"].needs


def test_parts_are_near_each_other_and_in_order() -> None:
    both = one("You may pay … within a week")
    begins = [spans[0].start for spans in both["1"].needs[0].alternatives]
    assert begins == [0, TEXT.index("You may pay later")]
    with pytest.raises(InputError, match="not found in terms"):
        one("within a week … Nobody has to pay")
    with pytest.raises(InputError, match="not found in terms"):
        one("by card … on the telephone")  # too far apart


def test_an_ellipsis_that_is_in_the_text_is_text() -> None:
    docs = {"a": "And then... nothing. And then, nothing."}
    records = [{"question": "?", "needs": [{"spans": [{"doc": "a", "quote": "then... nothing"}]}]}]
    gold = chunks.questions(records, docs)
    assert [span[1:] for span in gold["1"].needs[0].spans] == [(4, 19)]


def test_an_alternative_may_have_an_ellipsis() -> None:
    spans = [{"doc": "terms", "quote": "by card … at once"}, {"doc": "faq", "quote": "Nothing"}]
    records = [{"id": "1", "question": "?", "needs": [{"spans": spans}]}]
    gold = chunks.questions(records, DOCS)
    assert texts(gold)[0] == ["by card", "at once", "Nothing", "Nothing"]
    assert gold["1"].needs[0].parts == (2, 1, 1)
    needs = Needs.of(gold.assessments)
    assert (len(needs), needs.counts.tolist(), sorted(needs.size.tolist())) == (1, [3], [7, 7, 14])


@pytest.mark.parametrize(
    "spans",
    [
        [{"doc": "terms", "start": 0, "end": 3}, {"doc": "faq", "start": 0, "end": 3}],
        [{"doc": "terms", "quote": "by card"}],
        ["by card"],
        [],
    ],
)
def test_a_list_of_spans_has_places_in_one_document(spans: list[Any]) -> None:
    records = [{"id": "1", "question": "?", "needs": [{"spans": [spans]}]}]
    with pytest.raises(FormatError, match="several times, all in one document"):
        chunks.questions(records, DOCS)


def test_parts_of_one_need_weigh_as_much_text_as_needs_of_their_own() -> None:
    run = Run.from_arrays(["7", "7"], ["a", "a"], start=[0, 18], end=[8, 26])
    names = ["cR@1", "cP@2", "IoU@2", "bR@12(unit=characters)", "U@12(unit=characters)"]
    apart = (NeededSpan("x", 2, 8), NeededSpan("y", 15, 25))
    together = (NeededSpan("x", 2, 8, 1, "1"), NeededSpan("x", 15, 25, 1, "1"))

    def means(needs: tuple[NeededSpan, ...], *names: str) -> list[float | None]:
        judged = Assessments([Judgment("7", "a", needs=needs, document_length=40)])
        table = evaluate(run, judged, list(names))
        return [table.mean()["run"][name] for name in names]

    assert means(apart, *names) == means(together, *names)
    counted = ["hit@1", "sR@1", "RR@2", "hit@1(cover=.3)", "hit@2(cover=.8)"]
    assert means(apart, *counted) == [1, 0.5, 1, 1, 1]
    assert means(together, *counted) == [0, 0, 0, 1, 1]
    split = (NeededSpan("x", 2, 8, 1, "1"), NeededSpan("x", 15, 25, 1, "2"))
    assert means(split, "hit@1") == [1]


def test_an_alternative_is_of_a_need_in_one_document() -> None:
    with pytest.raises(FormatError, match="expected a name, and a need"):
        Judgment("7", "a", needs=(NeededSpan(None, 0, 3, 1, "1"),))
    judged = [Judgment("7", name, needs=(NeededSpan("x", 0, 3, 1, "1"),)) for name in "ab"]
    with pytest.raises(FormatError, match="has spans in two documents"):
        Needs.of(Assessments(judged))


# Similarity


def distance(a: str, b: str) -> int:
    """Levenshtein's distance, by its recursive definition, remembered."""
    known: dict[tuple[int, int], int] = {}

    def between(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        if (i, j) not in known:
            known[i, j] = min(
                between(i - 1, j) + 1,
                between(i, j - 1) + 1,
                between(i - 1, j - 1) + (a[i - 1] != b[j - 1]),
            )
        return known[i, j]

    return between(len(a), len(b))


@given(st.text("abc", min_size=1, max_size=6), st.text("abc", max_size=9))
@examples(300)
def test_similarity_is_that_of_the_best_part_of_the_text(quote: str, text: str) -> None:
    similarity, start, end = most_similar(quote, text)
    parts = [text[i:j] for i in range(len(text)) for j in range(i + 1, len(text) + 1)]
    least = min((distance(quote, part) for part in parts), default=len(quote))
    expected = max(1 - least / len(quote), 0.0)
    assert similarity == pytest.approx(expected)
    if similarity > 0:
        assert distance(quote, text[start:end]) == least
    if 3 * least < len(quote):  # no longer part around it is as similar
        around = [text[i:j] for i in range(start + 1) for j in range(end, len(text) + 1)]
        assert [part for part in around if distance(quote, part) == least] == [text[start:end]]
    if similarity == 1:
        assert start == text.index(quote)


def test_words_that_differ_are_part_of_the_place() -> None:
    text = "Cards are free. You may keep a book for thirty days. Then it costs."
    quote = "you may keep a book for 30 days"
    _, start, end = most_similar(quote, text)
    assert text[start:end] == "You may keep a book for thirty days"


def test_case_marks_and_spaces_do_not_count() -> None:
    assert most_similar("CAFÉ-bar, open", "our cafe bar: open!") == (1.0, 4, 18)


def test_altered_quotes_are_listed_and_accepted_only_on_request() -> None:
    quote = "Nobody had to pay at once"  # one of 20 letters differs
    with pytest.raises(InputError) as raised:
        one(quote)
    assert "a text with similarity 0.95 stands at 32 of terms" in str(raised.value)
    with pytest.raises(InputError):
        one(quote, similar=0.96)
    with pytest.warns(UserWarning, match=r"not to the letter in terms \(similarity 0.95\)"):
        gold = one(quote, similar=0.95)
    assert texts(gold) == [["Nobody has to pay at once"]]
    with pytest.warns(UserWarning, match=r"similarity 1.00"):
        assert texts(one("NOBODY has to-pay, at once")) == [["Nobody has to pay at once"]]
    with pytest.raises(FormatError, match="similar=0: expected more than 0"):
        one(quote, similar=0)


def test_parts_of_quotes() -> None:
    assert parts_of_quote("...") == ()
    assert parts_of_quote("v1.2 is here.") == ("v1.2 is here.",)


# What is said about a set


SET = [
    {"id": "1", "question": "May you pay by card or in cash?", "needs": [{"spans": ["by card"]}]},
    {"id": "2", "question": "May you pay by card, or in cash, too?", "answers": ["cash"]},
    {"id": "3", "question": "What?", "needs": [{"spans": [{"doc": "faq", "quote": "is due"}]}]},
    {"id": "4", "question": "Who?", "needs": [{"spans": ["Nobody has to pay at once. The bill"]}]},
]


def test_checks_of_a_set() -> None:
    docs = {**DOCS, "other": "Nobody asks."}
    with pytest.warns(UserWarning):
        gold = chunks.questions(SET, docs)
    checks = chunks.check_questions(gold, docs, ["sentences:1:0"], 7, sample=2, seed=5)
    assert checks.copied == ("3",)
    assert checks.too_long == {"7 words": ("4",), "sentences:1:0": ("4",)}
    assert checks.verbatim == ("1",)
    assert checks.similar == (("1", "2"),)
    assert checks.untouched == ("other",)
    assert len(checks.sample) == 2
    again = chunks.check_questions(gold, docs, ["sentences:1:0"], 7, sample=2, seed=5)
    assert again == checks
    assert max(map(len, checks.text.splitlines())) <= 80
    assert json.loads(json.dumps(checks.to_dict()))["similar"] == [["1", "2"]]


def test_the_verb_checks_writes_and_has_its_earlier_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = (
        "question,quote\nWhen?,The bill is due within a week.\nWho?,Nobody had to pay at once.\n"
    )
    write_files(tmp_path, {"q.csv": table, "docs/terms.txt": TEXT, "docs/faq.txt": DOCS["faq"]})
    refused = doxeval("chunks", "questions", "q.csv", "--docs", "docs", "--out", "judged.jsonl")
    assert refused.exit_code == 1 and not Path("judged.jsonl").exists()
    assert "similarity 0.95" in refused.stderr
    assert "to check by hand (a random sample, seed 0):" in refused.stdout
    given = ("q.csv", "--docs", "docs", "--similar", ".9", "--format", "json")
    done = doxeval("chunks", "gold", *given, "--out", "judged.jsonl", "--topics-out", "again.jsonl")
    assert done.exit_code == 0 and json.loads(done.stdout)["gold"]["missing"] == 0
    assert len(Path("judged.jsonl").read_text().splitlines()) == 2
    alone = doxeval("chunks", "questions", "again.jsonl", "--docs", "docs", "--sample", "0")
    assert alone.exit_code == 0 and "check by hand" not in alone.stdout
