"""How tags are shown, and how documents are found: by ids, by an index, by reading."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assess_client import browser
from doxeval.assess.db import DISPLAY_ROLES, Campaign
from doxeval.assess.judging import Article
from doxeval.assess.web import DEFAULTS, MAX_MATCHES, Finder, document_data, title_of
from doxeval.documents import Collection, build_collection, example_collection
from doxeval.pooling import Pool, PooledDocument
from doxeval.retrieve import build_index
from doxeval.topics import Topic


def roles(document: str, ending: str, tmp_path: Path, **display: str) -> dict[str, str]:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / f"a.{ending}").write_text(document, encoding="utf-8")
    build_collection([str(tmp_path / "in")], tmp_path / "out")
    collection = Collection(tmp_path / "out")
    article = Article.of(collection, "a")
    found = document_data(article, collection.inline_tags, display).roles
    assert set(found) == set(article.tags)
    assert set(found.values()) <= set(DISPLAY_ROLES)
    return found


def test_html(tmp_path: Path) -> None:
    page = "<h1>A</h1><p>b <em>c</em></p><ul><li>d</ul><table><tr><td>e<th>f</table><svg></svg>"
    found = roles(page, "html", tmp_path)
    assert (found["h1"], found["p"], found["em"], found["section"]) == (
        "heading",
        "block",
        "inline",
        "block",
    )
    assert [found[tag] for tag in ("ul", "li", "table", "tbody", "tr", "td", "th")] == [
        "list",
        "item",
        "table",
        "block",
        "row",
        "cell",
        "cell",
    ]


def test_markdown(tmp_path: Path) -> None:
    found = roles("# A\n\nb\n\n- c\n\n| d | e |\n|---|---|\n| f | g |\n\n> h\n", "md", tmp_path)
    assert (found["h1"], found["ul"], found["li"]) == ("heading", "list", "item")
    assert (found["blockquote"], found["document"]) == ("block", "block")


def test_inex_articles_and_wikipedia(tmp_path: Path) -> None:
    text = (
        "<article><fm><atl>A</atl></fm><bdy><sec><st>B</st><p>c <it>d</it> <tf>e</tf></p>"
        "<list><item>f</item></list><normallist><item>g</item></normallist>"
        "<tbl><row><entry>h</entry></row></tbl><fig>i</fig></sec></bdy></article>"
    )
    found = roles(text, "xml", tmp_path)
    assert found["atl"] == found["st"] == "heading"
    assert found["list"] == found["normallist"] == "list"
    assert (found["it"], found["tf"], found["fig"]) == ("inline", "maths", "figure")
    assert (found["tbl"], found["row"], found["entry"]) == ("table", "row", "cell")


def test_entries_of_lists_are_items(tmp_path: Path) -> None:
    assert roles("<a><list><entry>x</entry></list></a>", "xml", tmp_path)["entry"] == "item"


def test_tags_nobody_knows(tmp_path: Path) -> None:
    text = "<a><zed>x <wye>y</wye> z</zed><vau><you>one</you></vau></a>"
    found = roles(text, "xml", tmp_path)
    assert (found["zed"], found["wye"], found["vau"], found["you"]) == (
        "block",
        "inline",
        "block",
        "block",
    )


def test_the_organiser_has_the_last_word(tmp_path: Path) -> None:
    found = roles("<a><p>x <em>y</em></p></a>", "xml", tmp_path, p="heading", em="block")
    assert (found["p"], found["em"]) == ("heading", "block")


def test_every_default_is_a_role() -> None:
    assert set(DEFAULTS.values()) <= set(DISPLAY_ROLES)


def test_a_document_without_headings_is_called_after_its_beginning() -> None:
    collection = example_collection({"a": f"<a><p>{'word ' * 100}</p></a>", "b": "<a/>"})
    assert (
        title_of(collection, 0, {}).startswith("word word")
        and title_of(collection, 0, {})[-1] == "…"
    )
    assert title_of(collection, 1, {}) == ""


@pytest.mark.parametrize("with_index", [False, True])
def test_finding(with_index: bool) -> None:
    documents = {f"doc{number:02}": f"<p>Fog number {number}.</p>" for number in range(30)}
    collection = example_collection(documents | {"doc": "<p>Horn.</p>", "x.y*": "<p>Fog horn</p>"})
    if with_index:
        build_index(collection)
    finder = Finder(collection, {})
    assert ("index of words" in finder.find("fog").how) == with_index
    assert len(finder.find("fog").documents) == MAX_MATCHES
    assert finder.find("doc").documents[0].document == "doc"
    assert finder.find("doc.xml").documents[0].document == "doc"
    assert [one.document for one in finder.find("x.y").documents] == ["x.y*"]
    assert finder.find("horn").documents[0].snippet.lower().count("horn") == 1
    for odd in ("", "  ", "***", "(", "\\", "no such word", "\n", "\u202e"):
        assert finder.find(odd).documents == ()


def test_topics_and_documents_go_by_their_titles_and_questions_come_before_queries(
    new_campaign: Callable[..., Campaign],
) -> None:
    question, query = "Why does the water rise?", "//sec[about(., tides)]"
    topic = Topic("7", title="High and low", castitle=query, description=question)
    campaign = new_campaign(topics=[topic], pool=Pool({"7": (PooledDocument("tides"),)}))
    page = browser(campaign, "ann").get("/queue", params={"topic": "7"}).text
    assert "<h1>High and low</h1>" in page
    assert page.index(question) < page.index(query)
    assert '<bdi>Tides</bdi></a> <span class="note"><bdi>tides</bdi></span>' in page
    home = browser(campaign, "ann").get("/").text
    assert '<bdi>High and low</bdi></a> <span class="note"><bdi>7</bdi></span>' in home
