"""How tags are shown, and how documents are found: by ids, by an index, by reading."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import every_role
from assess_client import browser
from doxeval.assess.db import DISPLAY_ROLES, Campaign, CampaignError, Settings
from doxeval.assess.judging import Article
from doxeval.assess.web import (
    MAX_MATCHES,
    PATTERN_ROLES,
    TAG_ROLES,
    Display,
    Finder,
    document_data,
)
from doxeval.documents import Collection, build_collection, example_collection
from doxeval.pooling import Pool, PooledDocument
from doxeval.retrieve import build_index
from doxeval.topics import Topic


def roles(document: str, ending: str, tmp_path: Path, **display: str) -> dict[str, str]:
    """The role of each tag of a document; of one that has several, that of the first element."""
    return {
        path.rpartition("/")[2]: role for path, role in shown(document, ending, tmp_path, display)
    }


def shown(
    document: str, ending: str, tmp_path: Path, display: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return the path without numbers and the role of each element, the last first."""
    (tmp_path / "in").mkdir(parents=True)
    (tmp_path / "in" / f"a.{ending}").write_text(document, encoding="utf-8")
    build_collection([str(tmp_path / "in")], tmp_path / "out")
    collection = Collection(tmp_path / "out")
    article = Article.of(collection, "a")
    data = document_data(
        article, Display(collection, Settings(display=display).display), collection.display_facts(0)
    )
    assert set(data.roles) <= set(DISPLAY_ROLES) - {"heading"}
    rows = reversed(range(len(article)))
    paths = {row: re.sub(r"\[\d+\]", "", article.path_of(row)) for row in rows}
    return [(path, data.roles[data.elements.role[row]]) for row, path in paths.items()]


def test_html(tmp_path: Path) -> None:
    page = (
        "<h1>A</h1><p>b <em>c</em> <q>d</q><br>e</p><hr><ul><li>f</ul><ol><li>g</ol><pre>h <code>i"
        "</code></pre><dl><dt>j<dd>k</dl><table><thead><tr><th>l<tbody><tr><td>m</table><svg></svg>"
        "<p><code>n</code>"
    )
    found = roles(page, "html", tmp_path)
    expected = {
        "h1": "heading-1", "p": "paragraph", "em": "emphasis", "q": "quotation", "br": "break",
        "hr": "rule", "ul": "list", "li": "item", "ol": "ordered-list", "pre": "preformatted",
        "dl": "definition-list", "dt": "term", "dd": "description", "table": "table",
        "thead": "head", "tbody": "body", "tr": "row", "th": "header", "td": "cell",
        "section": "block", "code": "inline",
    }  # fmt: skip
    assert {tag: found[tag] for tag in expected} == expected


def test_markdown(tmp_path: Path) -> None:
    text = "# A\n\nb\n\n1. c\n\n| d | e |\n|---|---|\n| f | g |\n\n> h\n\n```\ni\n```\n\n---\n"
    found = roles(text, "md", tmp_path)
    assert (found["h1"], found["ol"], found["li"]) == ("heading-1", "ordered-list", "item")
    assert (found["blockquote"], found["pre"], found["hr"]) == ("quote", "preformatted", "rule")
    assert found["document"] == "block"


def test_inex_articles_and_wikipedia(tmp_path: Path) -> None:
    text = (
        "<article><fm><atl>A</atl></fm><bdy><sec><st>B</st><p>c <it>d</it> <tf>e</tf></p>"
        "<list><item>f</item></list><normallist><item>g</item></normallist><numberlist/>"
        "<tbl><row><entry>h</entry></row></tbl><fig>i<fgc>j</fgc></fig></sec></bdy></article>"
    )
    found = roles(text, "xml", tmp_path)
    assert (found["atl"], found["st"]) == ("heading-1", "heading-2")
    assert found["list"] == found["normallist"] == "list"
    assert found["numberlist"] == "ordered-list"
    assert (found["it"], found["tf"]) == ("emphasis", "mathematics")
    assert (found["fig"], found["fgc"]) == ("figure", "caption")
    assert (found["tbl"], found["row"], found["entry"]) == ("table", "row", "cell")


def test_jats(tmp_path: Path) -> None:
    found = dict(shown(every_role.JATS, "xml", tmp_path, {}))
    body = "/article/body/sec"
    assert found["/article/front/article-meta/title-group/article-title"] == "heading-1"
    assert found[f"{body}/title"] == "heading-2"
    assert found[f"{body}/p/sup"] == "superscript"
    assert found[f"{body}/p/inline-formula/mml:math"] == "mathematics"
    assert found[f"{body}/preformat"] == "preformatted"
    assert found[f"{body}/list"] == "ordered-list"  # by its list-type
    assert found[f"{body}/def-list/def-item/def"] == "description"
    assert found[f"{body}/disp-quote"] == "quote"
    assert found[f"{body}/fig/caption"] == "caption"
    assert found[f"{body}/fig/graphic"] == "picture"
    assert found[f"{body}/table-wrap/table/thead"] == "head"


def test_docbook(tmp_path: Path) -> None:
    found = dict(shown(every_role.DOCBOOK, "xml", tmp_path, {}))
    section = "/article/section"
    assert found["/article/title"] == "heading-1"
    assert found[f"{section}/title"] == "heading-2"
    assert found[f"{section}/para/footnote"] == "footnote"
    assert found[f"{section}/para/quote"] == "quotation"
    assert found[f"{section}/programlisting"] == "preformatted"
    assert found[f"{section}/variablelist/varlistentry/listitem"] == "description"
    assert found[f"{section}/note/title"] == "strong"
    assert found[f"{section}/table/title"] == "caption"
    assert found[f"{section}/table/tgroup"] == "table"
    assert found[f"{section}/table/tgroup/thead/row/entry"] == "header"
    assert found[f"{section}/table/tgroup/tbody/row/entry"] == "cell"
    assert found[f"{section}/equation/m:math"] == "mathematics"


def test_tei(tmp_path: Path) -> None:
    found = dict(shown(every_role.TEI, "xml", tmp_path, {}))
    div = "/TEI/text/body/div"
    assert found[f"{div}/head"] == "heading-2"
    assert found[f"{div}/p/hi"] == "strong"  # by its rend
    assert found[f"{div}/p/lb"] == "break"
    assert found[f"{div}/p/note"] == "footnote"
    assert found[f"{div}/list"] == "ordered-list"
    assert found[f"{div}/figure/head"] == found[f"{div}/figure/figDesc"] == "caption"
    cells = [
        role
        for path, role in shown(every_role.TEI, "xml", tmp_path / "again", {})
        if path.endswith("cell")
    ]
    assert cells == ["cell", "header", "header"]


def test_mallard(tmp_path: Path) -> None:
    found = dict(shown(every_role.MALLARD, "xml", tmp_path, {}))
    assert found["/page/title"] == "heading-1"
    assert (found["/page/code"], found["/page/p/code"]) == ("preformatted", "code")
    assert found["/page/p/gui"] == "strong"
    assert (found["/page/steps"], found["/page/steps/item"]) == ("ordered-list", "item")
    assert found["/page/terms/item"] == "description"
    assert found["/page/terms/item/title"] == "term"
    assert found["/page/quote"] == "quote"


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


def test_levels_follow_from_how_deep_headings_are(tmp_path: Path) -> None:
    text = (
        "<a><front><title>A</title></front><s><title>B</title><x><s><title>C</title></s></x></s>"
        "<s><title>D</title></s></a>"
    )
    titles = [role for path, role in shown(text, "xml", tmp_path, {}) if path.endswith("title")]
    assert titles == ["heading-2", "heading-3", "heading-2", "heading-1"]


def test_the_organiser_has_the_last_word(tmp_path: Path) -> None:
    display = {"p": "heading-3", "//em": "block", "//p/em": "strong", "pre": "maths"}
    text = "<a><p>x <em>y</em></p><em>z</em><pre>t</pre></a>"
    assert shown(text, "xml", tmp_path, display) == [
        ("/a/pre", "mathematics"),  # an old name
        ("/a/em", "block"),
        ("/a/p/em", "strong"),
        ("/a/p", "heading-3"),
        ("/a", "inline"),
    ]


@pytest.mark.parametrize(
    ("display", "message"),
    [({"p": "heading-7"}, "expected one of heading, heading-1, "), ({"//p[": "list"}, "column 4")],
)
def test_wrong_roles_and_paths(display: dict[str, str], message: str) -> None:
    with pytest.raises(CampaignError, match=re.escape(message)):
        Settings(display=display)


def test_every_default_is_a_role_and_every_role_a_default() -> None:
    roles = {*TAG_ROLES.values(), *PATTERN_ROLES.values()}
    assert roles == set(DISPLAY_ROLES)


def test_a_document_without_headings_is_called_after_its_beginning() -> None:
    display = Display(example_collection({"a": f"<a><p>{'word ' * 100}</p></a>", "b": "<a/>"}))
    assert display.title(0).startswith("word word")
    assert display.title(0)[-1] == "…"
    assert display.title(1) == ""


@pytest.mark.parametrize("with_index", [False, True])
def test_finding(with_index: bool) -> None:
    documents = {f"doc{number:02}": f"<p>Fog number {number}.</p>" for number in range(30)}
    collection = example_collection(documents | {"doc": "<p>Horn.</p>", "x.y*": "<p>Fog horn</p>"})
    if with_index:
        build_index(collection)
    finder = Finder(Display(collection))
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
