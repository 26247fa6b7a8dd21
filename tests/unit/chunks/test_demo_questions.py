"""The questions of the demo: its topics with their highlights, and others with quotes as gold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

import doxeval
from doxeval import chunks, read_assessments, read_topics
from doxeval.chunks import Questions
from doxeval.documents import BuildOptions, Collection, build_collection

DEMO = Path(doxeval.__file__).parent / "demo_data"


@pytest.fixture(scope="module")
def sea(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    directory = tmp_path_factory.mktemp("demo") / "sea"
    build_collection([str(DEMO / "articles")], directory, BuildOptions())
    return Collection(directory)


@pytest.fixture(scope="module")
def gold(sea: Collection) -> Questions:
    return chunks.questions(DEMO / "questions.jsonl", sea)


def test_the_topics_are_questions_with_their_highlights(gold: Questions) -> None:
    topics = {topic.id: topic.description for topic in read_topics(DEMO / "topics.xml")}
    asked = {question.id: question.text for question in gold if question.tags == ("topic",)}
    assert asked == topics
    judged = read_assessments(DEMO / "assessments.jsonl")
    highlighted = {one.pair: one.highlights for one in judged if one.highlights}
    of_topics = {one.pair: one.highlights for one in gold.assessments if one.topic in topics}
    assert of_topics == highlighted


def test_every_quote_occurs_once_in_its_article_and_is_found_there(
    sea: Collection, gold: Questions
) -> None:
    assert not gold.warnings
    for document, quote, (start, end) in _quotes(gold):
        article = ElementTree.parse(DEMO / "articles" / f"{document}.xml").getroot()
        assert _spaced("".join(article.itertext())).count(quote) == 1
        assert _spaced(sea.text_of(sea.document(document))[start:end]) == quote
    assert {document for document, _, _ in _quotes(gold)} == set(sea.ids())


def test_quotes_of_tables_are_in_the_row_that_answers(sea: Collection, gold: Questions) -> None:
    rows = {"7 pounds": "biscuit", "11 m": "Saint-Malo, Brittany", "200 miles": "economic zone"}
    cells = {
        quote: sea.text_of(sea.document(document))[:start]
        for document, quote, (start, _) in _quotes(gold)
        if quote in rows
    }
    assert cells.keys() == rows.keys()
    for quote, before in cells.items():
        assert before.rstrip().endswith(rows[quote])


def _quotes(gold: Questions) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """Yield each quote of the file with its article, and where it was found."""
    for line in (DEMO / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        question = json.loads(line)
        for written, need in zip(question["needs"], gold[question["id"]].needs, strict=True):
            for evidence, span in zip(written["spans"], need.spans, strict=True):
                assert evidence["doc"] == span.document
                if "quote" in evidence:
                    yield evidence["doc"], evidence["quote"], (span.start, span.end)


def _spaced(text: str) -> str:
    return " ".join(text.split())
