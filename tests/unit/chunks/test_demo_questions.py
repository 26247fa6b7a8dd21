"""The questions of the demo are its topics, and their gold is what assessors highlighted."""

from __future__ import annotations

from pathlib import Path

import doxeval
from doxeval import chunks, read_assessments, read_topics
from doxeval.documents import BuildOptions, Collection, build_collection

DEMO = Path(doxeval.__file__).parent / "demo_data"


def test_questions_are_the_topics_with_their_highlights(tmp_path: Path) -> None:
    build_collection([str(DEMO / "articles")], tmp_path / "sea", BuildOptions())
    gold = chunks.questions(DEMO / "questions.jsonl", Collection(tmp_path / "sea"))
    assert not gold.warnings
    assert gold.texts == {one.id: one.description for one in read_topics(DEMO / "topics.xml")}
    judged = read_assessments(DEMO / "assessments.jsonl")
    highlighted = {one.pair: one.highlights for one in judged if one.highlights}
    assert {one.pair: one.highlights for one in gold.assessments} == highlighted
