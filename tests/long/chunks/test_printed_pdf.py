"""PDF that a browser prints from known text: quotes are found, on the page where they stand."""

from __future__ import annotations

import random
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from doxeval import chunks
from doxeval.documents import Collection, build_collection
from helpers import doxeval

pytest.importorskip("pypdf", reason="pypdf is not installed")
STYLE = """
@page { size: A4; margin: 2cm }
section { break-after: page }
p { font: 11pt/1.4 %s; text-align: justify; hyphens: none }
"""
FONTS = ("serif", "sans-serif", "monospace")
WORDS_OF_A_QUOTE = 12


def printed(chromium: Any, pages: list[list[str]], font: str, path: Path) -> None:
    """Print a document with these paragraphs on each page."""
    sections = "".join(
        f"<section>{''.join(f'<p>{escape(text)}</p>' for text in page)}</section>" for page in pages
    )
    page = chromium.new_page()
    page.set_content(f"<meta charset=utf-8><style>{STYLE % font}</style>{sections}")
    page.pdf(path=str(path), prefer_css_page_size=True)
    page.close()


def test_quotes_are_found_on_the_right_page(chromium: Any, tmp_path: Path) -> None:
    articles = resources.files("doxeval") / "demo_data" / "articles"
    build_collection(str(articles), tmp_path / "c")
    collection, drawn = Collection(tmp_path / "c"), random.Random(2026)
    (tmp_path / "printed").mkdir()
    questions = []
    for number in range(len(collection)):
        name = collection.id_of(number)
        lines = [line.strip() for line in collection.text_of(number).split("\n")]
        paragraphs = [line for line in lines if len(line.split()) > WORDS_OF_A_QUOTE]
        pages = [paragraphs[at : at + 4] for at in range(0, len(paragraphs), 4)]
        path = tmp_path / "printed" / f"{name}.pdf"
        printed(chromium, pages, FONTS[number % len(FONTS)], path)
        for page, texts in enumerate(pages, start=1):
            words = drawn.choice(texts).split()
            first = drawn.randrange(len(words) - WORDS_OF_A_QUOTE + 1)
            quote = " ".join(words[first : first + WORDS_OF_A_QUOTE])
            # The page helps where a quote stands on several; the others are found without it.
            spans = [{"doc": name, "quote": quote, **({"page": page} if page % 2 else {})}]
            question = {"id": f"{name} {page}", "question": "?", "needs": [{"spans": spans}]}
            questions.append(question)
    docs = chunks.documents(tmp_path / "printed")
    assert docs.warnings == ()
    gold = chunks.questions(questions, docs, max_missing="100%")
    right = 0
    for resolved in gold:
        name, number_of_page = resolved.id.rsplit(" ", 1)
        start, end = docs.pages(name)[int(number_of_page) - 1]
        right += any(
            start <= span.start and span.end <= end
            for need in resolved.needs
            for span in need.spans
            if span.document == name
        )
    assert len(questions) > 100
    assert right >= 0.99 * len(questions), gold.warnings[:5]


def test_a_folder_of_pdf_works_in_the_verbs_of_chunks(chromium: Any, tmp_path: Path) -> None:
    folder = tmp_path / "printed"
    folder.mkdir()
    texts = ["The office is open on weekdays.", "Parcels are efficiently filed on the first floor."]
    printed(chromium, [[text] for text in texts], "serif", folder / "rules.pdf")
    (tmp_path / "q.jsonl").write_text(
        '{"id": "1", "question": "Where are parcels filed?", '
        '"needs": [{"spans": [{"doc": "rules.pdf", "page": 2}]}]}\n'
    )
    for arguments in (
        ("try", folder, tmp_path / "q.jsonl", "--by", "words:5:0"),
        ("split", folder, "--by", "words:5:0", "--out", tmp_path / "chunks"),
        ("gold", tmp_path / "q.jsonl", "--docs", folder, "--out", tmp_path / "j.jsonl"),
    ):
        result = doxeval("chunks", *arguments)
        assert result.exit_code == 0, result.stderr
    assert '"start": 32' in (tmp_path / "j.jsonl").read_text()
