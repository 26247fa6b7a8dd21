"""Sections of documents that are trees: cuts and borders follow them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from doxeval import Collection, chunks
from doxeval.assessments import Assessments, Judgment
from doxeval.documents import example_collection
from helpers import doxeval, write_files

XML = (
    "<article><bdy>Before. <sec><st>One.</st> <p>First.</p> <ss1><st>Two.</st> <p>Second.</p></ss1>"
    "<p> After two.</p></sec> <p>After all.</p></bdy></article>"
)
SECTIONS = ["Before.", "One. First.", "Two. Second.", "After two.", "After all."]
HTML = (
    "<title>T</title><body><p>Before.</p><h1>One</h1><p>First.</p><h2>Two</h2><p>Second.</p>"
    "<h1>Three</h1><p>Third.</p></body>"
)


def words(texts: Any) -> list[str]:
    return [" ".join(text.split()) for text in texts]


def test_sections_of_xml_are_those_of_the_collection(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs/a.xml": XML})
    found: list[Any] = [
        tmp_path / "docs",
        tmp_path / "docs" / "a.xml",
        example_collection({"a": XML}),
    ]
    for source in found:
        docs = chunks.documents(source)
        cut = chunks.split(docs, "sections")
        assert words(cut.texts) == SECTIONS
        assert [one.level for one in docs.outline("a")] == [1, 2, 2, 1]
        borders = chunks.limits(cut, Assessments([Judgment("1", "a", ((0, 7),))])).boundaries
        assert borders["sections"][:2] == (1, 1)
        assert borders["sections 1"][:2] == (2 / 4, 1)


def test_headings_of_html_make_sections(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs/a.html": HTML})
    built = tmp_path / "collection"
    assert doxeval("collection", "build", tmp_path / "docs", "--out", built).exit_code == 0
    for source in (tmp_path / "docs", built, Collection(built)):
        cut = chunks.split(chunks.documents(source), "sections")
        told = words(cut.texts)
        assert told[-3:] == ["OneFirst.", "TwoSecond.", "ThreeThird."]
        assert told[-4].endswith("Before.") and cut.warnings == ()


def test_markdown_in_a_collection_is_cut_as_its_file_is(tmp_path: Path) -> None:
    text = "Before.\n\n# One\n\nFirst.\n\n## Two\n\nSecond.\n\n# Three\n\nThird.\n"
    write_files(tmp_path, {"docs/a.md": text})
    built = tmp_path / "collection"
    assert doxeval("collection", "build", tmp_path / "docs", "--out", built).exit_code == 0
    file, collection = chunks.documents(tmp_path / "docs"), chunks.documents(built)
    assert [one.start for one in file.outline("a")] == [9, 24, 41]
    if collection["a"] == file["a"]:
        assert chunks.split(collection, "sections").texts == chunks.split(file, "sections").texts
    assert words(chunks.split(collection, "sections").texts)[-1].endswith("Third.")


def test_chunks_of_sections_cover_the_text_once() -> None:
    deep = "<a>" + "<sec>x <sec> </sec><sec/>y</sec>" * 3 + "<section>z</section></a>"
    docs = chunks.documents(example_collection({"a": deep, "b": "<sec>all</sec>"}))
    cut = chunks.split(docs, "sections")
    assert "".join("".join(cut.texts).split()) == "xyxyxyzall"
    starts, ends = cut.spans.start.tolist(), cut.spans.end.tolist()
    assert all(start < end for start, end in zip(starts, ends, strict=True))


def test_documents_without_sections_are_told() -> None:
    docs = chunks.documents(example_collection({"a": "<p>No heading.</p>", "b": XML}))
    cut = chunks.split(docs, "sections")
    assert cut.warnings == (
        "1 of 2 documents without headings or sections: each of these is one chunk",
    )
    plain = chunks.split({"a": "No heading at all."}, "sections")
    assert plain.warnings == ("1 of 1 document without headings or sections: each is one chunk",)
    assert len(plain) == 1
    assert chunks.split({"a": "# One\n\nFirst."}, "sections").warnings == ()


@pytest.mark.parametrize("name", ["sections:3", "section"])
def test_sections_have_no_size(name: str) -> None:
    from doxeval.errors import InputError

    with pytest.raises(InputError):
        chunks.split({"a": "x"}, name)


def test_trying_cuts_tries_sections_of_trees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    need = (
        '{"id": "1", "question": "What?", "needs": [{"spans": [{"doc": "a", "quote": "First."}]}]}'
    )
    write_files(tmp_path, {"docs/a.xml": XML, "q.jsonl": need})
    shown = doxeval("chunks", "try", "docs", "q.jsonl", "--budget", "40")
    assert shown.exit_code == 0 and "\nsections " in shown.stdout
