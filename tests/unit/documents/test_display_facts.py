"""What display needs beside the text: attributes become checked facts, and nothing else changes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from building import contents, in_small_batches
from damaging import forge, forge_column, forge_manifest
from doxeval.documents import (
    BuildOptions,
    Collection,
    IdRule,
    build_collection,
    is_display_value,
    merge_collections,
    picture_name,
    verify_collection,
)
from doxeval.errors import CollectionError
from helpers import Builder, write_files
from levels import examples
from strategies import RoleDocument, role_documents


def built(source: Path, out: Path, **options: Any) -> Collection:
    """Return the collection of a source, without sections."""
    build_collection(source, out, BuildOptions(sections="none", **options))
    return Collection(out)


def write(folder: Path, documents: list[RoleDocument]) -> Path:
    """Write documents into a folder, by numbers."""
    folder.mkdir()
    for number, document in enumerate(documents):
        path = folder / f"{number:02}{document.name}"
        path.write_text(document.source, encoding="utf-8", newline="")
    return folder


def facts_of(source: str, name: str = "a.xml", **options: Any) -> list[tuple[str, str, str]]:
    """Return tag, name and value of each fact of a document."""
    with tempfile.TemporaryDirectory() as directory:
        folder = write_files(Path(directory) / "s", {name: source})
        collection = built(folder, Path(directory) / "c", id_rule=IdRule("path"), **options)
        return [
            (collection.tag_of(fact.element), *fact[1:]) for fact in collection.display_facts(0)
        ]


@examples(120)
@given(role_documents())
def test_documents_of_all_roles_have_their_facts(document: RoleDocument) -> None:
    with tempfile.TemporaryDirectory() as directory:
        collection = built(write(Path(directory) / "s", [document]), Path(directory) / "c")
        assert collection.text_of(0) == document.text
        assert tuple(map(collection.tag_of, range(len(collection.nodes.path)))) == document.tags
        assert tuple(map(tuple, collection.display_facts(0))) == document.facts
        assert collection.verify().problems == ()


@examples(20)
@given(st.lists(role_documents(most_blocks=2), min_size=2, max_size=6), st.integers(1, 5))
def test_parts_of_a_collection_keep_their_facts(documents: list[RoleDocument], at: int) -> None:
    """Merged, and in batches: the facts of each document are the same, file by file."""
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        source = write(folder / "s", documents)
        files = sorted(source.iterdir())
        whole = built(source, folder / "whole")
        with pytest.MonkeyPatch.context() as patch:
            in_small_batches(patch, batch_documents=1)
            small = built(source, folder / "small")
        at = min(at, len(files) - 1)
        for name, part in (("first", files[:at]), ("second", files[at:])):
            build_collection(part, folder / name, BuildOptions(sections="none"))
        merge_collections([folder / "first", folder / "second"], folder / "merged")
        merged = Collection(folder / "merged")
        for number, document in enumerate(documents):
            assert tuple(map(tuple, merged.display_facts(number))) == document.facts
        assert display_files(small) == display_files(whole) == display_files(merged)
        assert merged.verify().problems == ()


def display_files(collection: Collection) -> dict[str, bytes]:
    files = contents(collection.directory)
    return {name: files[name] for name in files if name.startswith("display")}


@examples(60)
@given(role_documents(), st.booleans())
def test_attributes_change_nothing_else(document: RoleDocument, sections: bool) -> None:
    """Without its attributes, a document has the same text and the same elements."""
    with tempfile.TemporaryDirectory() as directory:
        options = BuildOptions(sections="headings" if sections else "none")
        collections = []
        for name, source in (("with", document.source), ("without", document.bare)):
            path = Path(directory) / name / document.name
            path.parent.mkdir()
            path.write_text(source, encoding="utf-8", newline="")
            build_collection(path, Path(directory) / f"c-{name}", options)
            collections.append(Collection(Path(directory) / f"c-{name}"))
        one, other = (contents(collection.directory) for collection in collections)
        assert collections[1].display_facts(0) == []
        for files in (one, other):
            del files["manifest.json"], files["documents.origins.txt"]
        assert {name: one[name] for name in one if not name.startswith("display")} == other


# Formats, one after another


def test_html() -> None:
    page = """<html lang="en" xml:lang="de"><body dir=RTL><h1>Tides</h1>
        <p lang=>x<p xml:lang=fr>y<ol start=3 type=a reversed><li value=7>a</ol><ul start=2></ul>
        <table><tr><td rowspan=0 colspan=" 2cm"><th colspan=-1>b</table>
        <picture><source srcset=b.png><img src="figures/tide.png" alt="Low
         tide"></picture><img src=//host/x.png alt=""><script lang=js></script>
        <math display=block><mi>x</mi></math><video lang=he><p dir=rtl>none</video>"""
    assert facts_of(page, "sea/a.html") == [
        ("html", "lang", "en"),
        ("body", "dir", "rtl"),
        ("p", "lang", "fr"),
        ("ol", "start", "3"),
        ("ol", "reversed", "yes"),
        ("ol", "numbering", "a"),
        ("li", "value", "7"),
        ("td", "rowspan", "0"),
        ("td", "colspan", "2"),
        ("img", "picture", "sea/figures/tide.png"),
        ("img", "alt", "Low tide"),
        ("script", "lang", "js"),
        ("math", "display", "block"),
        ("video", "lang", "he"),
    ]


def test_sections_of_headings_do_not_move_facts() -> None:
    page = "<p lang=he>a</p><h1 dir=rtl>b</h1><p>c</p><h2>d</h2><ol start=4><li>e</ol>"
    with tempfile.TemporaryDirectory() as directory:
        folder = write_files(Path(directory) / "s", {"a.html": page})
        build_collection(folder, Path(directory) / "c")
        collection = Collection(Path(directory) / "c")
        assert [
            (collection.path_of(element), name) for element, name, _ in collection.display_facts(0)
        ] == [
            ("/html[1]/body[1]/p[1]", "lang"),
            ("/html[1]/body[1]/section[1]/h1[1]", "dir"),
            ("/html[1]/body[1]/section[1]/section[1]/ol[1]", "start"),
        ]


def test_markdown() -> None:
    text = """# Tides ![moon](moon.png)

3. three ![a *b*](x/a.png "title") and [![c](c.png)](link) and ![d](https://host/d.png)
   and ![e][ref] and `![code](f.png)`
4. four

```
![fence](g.png)
```

| ![cell](h.png) |
|----------------|

[ref]: e%20e.png
"""
    assert facts_of(text, "sea/a.md") == [
        ("h1", "picture", "sea/moon.png"),
        ("h1", "alt", "moon"),
        ("ol", "start", "3"),
        ("p", "picture", "sea/x/a.png"),
        ("p", "alt", "a *b*"),
        ("p", "picture", "sea/c.png"),
        ("p", "alt", "c"),
        ("p", "picture", "sea/e e.png"),
        ("p", "alt", "e"),
        ("tr", "picture", "sea/h.png"),
        ("tr", "alt", "cell"),
    ]


def test_docbook() -> None:
    source = """<book xml:lang="pt_BR"><orderedlist><listitem/><listitem><orderedlist
        startingnumber="5"><listitem/></orderedlist><orderedlist continuation="continues"/>
        </listitem></orderedlist><orderedlist continuation="continues" numeration="upperroman"/>
        <emphasis role="bold">b</emphasis><emphasis role="unknown"/>
        <mediaobject><imageobject><imagedata fileref="figures/a.png"/></imageobject>
        <textobject><phrase>A tide</phrase></textobject></mediaobject>
        <table><tgroup cols="4"><colspec colname="a"/><colspec/><colspec colnum="4" colname="d"/>
        <spanspec spanname="all" namest="a" nameend="d"/><thead><row><entry spanname="all">x</entry>
        </row></thead><tbody><row><entry namest="a" nameend="d" morerows="1">y</entry>
        <entry namest="d" nameend="a"/><entry namest="a" nameend="z"/></row></tbody></tgroup>
        </table></book>"""
    assert facts_of(source) == [
        ("book", "lang", "pt-BR"),
        ("orderedlist", "start", "5"),
        ("orderedlist", "start", "6"),
        ("orderedlist", "start", "3"),
        ("orderedlist", "numbering", "I"),
        ("emphasis", "style", "strong"),
        ("imagedata", "picture", "figures/a.png"),
        ("entry", "colspan", "4"),
        ("entry", "rowspan", "2"),
        ("entry", "colspan", "4"),
    ]


def test_a_list_continues_the_last_one_of_its_level_in_the_same_list() -> None:
    nested = "<orderedlist><listitem/><listitem/></orderedlist>"
    goes_on = "<orderedlist continuation='continues'><listitem/></orderedlist>"
    first = (
        f"<orderedlist><listitem>{nested}</listitem><listitem>{goes_on}</listitem></orderedlist>"
    )
    second = f"<orderedlist><listitem>{goes_on}{goes_on}</listitem></orderedlist>"
    starts = [value for _, _, value in facts_of(f"<book>{first}{second}{goes_on}</book>")]
    assert starts == ["3", "1", "2", "2"]


def test_other_vocabularies() -> None:
    source = """<r><graphic xlink:href="fig1.tif"/><graphic url="Graphics/facs.png"/>
        <hi rend="#x italic">x</hi><hi rend="sup">2</hi><row role="label"><cell cols="3">c</cell>
        </row><list type="numbered"/><list type="ordered"/><list list-type="roman-upper"/>
        <list rend="numbered"/><list list-type="bullet"/><media type="image" src="figures/b.png"/>
        <art file="a1001.gif"/><image xlink:href="pictures/c.jpg"/><mml:math display="block"/>
        <collectionlink xlink:href="12.xml"/><languagelink lang="he"/></r>"""
    assert facts_of(source) == [
        ("graphic", "picture", "fig1.tif"),
        ("graphic", "picture", "Graphics/facs.png"),
        ("hi", "style", "emphasis"),
        ("hi", "style", "superscript"),
        ("row", "header", "yes"),
        ("cell", "colspan", "3"),
        ("list", "numbering", "1"),
        ("list", "numbering", "1"),
        ("list", "numbering", "I"),
        ("list", "numbering", "1"),
        ("media", "picture", "figures/b.png"),
        ("art", "picture", "a1001.gif"),
        ("image", "picture", "pictures/c.jpg"),
        ("mml:math", "display", "block"),
        ("languagelink", "lang", "he"),
    ]


def test_records_have_facts_of_their_own() -> None:
    source = """<dump lang="en"><doc n="1"><p dir="rtl">a</p></doc><doc n="2" xml:lang="he"/>
        </dump>"""
    with tempfile.TemporaryDirectory() as directory:
        folder = write_files(Path(directory) / "s", {"a.xml": source})
        collection = built(
            folder, Path(directory) / "c", record="doc", id_rule=IdRule.parse("/doc@n")
        )
        assert [*collection.ids()] == ["1", "2"]
        assert [collection.display_facts(number) for number in range(2)] == [
            [(1, "dir", "rtl")],
            [(0, "lang", "he")],
        ]


def test_an_attribute_of_ids_may_be_one_of_display() -> None:
    with tempfile.TemporaryDirectory() as directory:
        source = "<a><p src='x.png' lang='he'/><img src='x.png' lang='he'/></a>"
        folder = write_files(Path(directory) / "s", {"a.xml": source})
        collection = built(folder, Path(directory) / "c", id_rule=IdRule.parse("//img@src"))
        assert [*collection.ids()] == ["x.png"]
        assert [fact[:2] for fact in collection.display_facts(0)] == [
            (1, "lang"),
            (2, "lang"),
            (2, "picture"),
        ]


# Names of pictures


@pytest.mark.parametrize(
    ("reference", "document", "name"),
    [
        ("a.png", "", "a.png"),
        (" a.png ", "sea/tides", "sea/a.png"),
        ("../images/a.png", "sea/tides", "images/a.png"),
        ("../../images/a.png", "sea/tides", None),
        ("%2e%2e/%2e%2e/a.png", "sea/tides", None),
        ("..", "sea/deep/tides", None),
        (".", "sea/tides", None),
        ("figures/", "", None),
        ("/a.png", "", None),
        ("%2Fa.png", "", None),
        ("//host/a.png", "", None),
        ("C:\\a.png", "", None),
        ("a\\b.png", "", None),
        ("a\0.png", "", None),
        ("a%00.png", "", None),
        ("a%0A.png", "", None),
        ("javascript:alert(1)", "", None),
        ("data:image/png;base64,AA", "", None),
        ("file:///etc/passwd", "", None),
        ("x" * 501, "", None),
        ("%ff.png", "", None),
        ("a.svg#part", "", "a.svg"),
        ("שלום.png", "", "שלום.png"),
    ],
)
def test_names_of_pictures(reference: str, document: str, name: str | None) -> None:
    assert picture_name(reference, document) == name


@given(st.text(max_size=20), st.text("ab/.", max_size=8))
def test_no_name_of_a_picture_leads_elsewhere(reference: str, document: str) -> None:
    name = picture_name(reference, document)
    assert name is None or (
        is_display_value("picture", name)
        and not Path(name).is_absolute()
        and ".." not in Path(name).parts
    )


# Stored files


@pytest.fixture
def collection(build: Builder) -> Path:
    files = {"a.xml": "<a xml:lang='he'><p dir='rtl'>x</p></a>", "b.xml": "<a lang='en'/>"}
    return build(files).directory


@pytest.mark.parametrize(
    ("name", "row", "value"),
    [
        ("display.elements", 0, -1),
        ("display.elements", 2, 9),
        ("display.elements", 1, 3),
        ("display.names", 0, 200),
        ("display.values", 0, 2),
        ("display.values", 0, -1),
        ("display.values", 1, 3),
        ("display.text_ends", 0, 1000),
        ("display.text_ends", 0, 2),
    ],
)
def test_damage_is_found(collection: Path, name: str, row: int, value: int) -> None:
    forge_column(collection, name, row, value)
    problems = [str(problem) for problem in verify_collection(collection).problems]
    assert any("display." in problem for problem in problems), problems


def test_a_value_that_no_reader_keeps_is_refused(collection: Path) -> None:
    forge(collection, "display.texts.txt", b"<b\nen\n")
    opened = Collection(collection)
    with pytest.raises(CollectionError, match=r"display\.values\.npy: the file is damaged"):
        opened.display_facts(0)
    assert opened.display_facts(1) == [(0, "lang", "en")]


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest["counts"].pop("fact_texts"),
        lambda manifest: manifest["counts"].update(facts=-1),
        lambda manifest: manifest["files"].pop("display.names.npy"),
        lambda manifest: manifest["files"].pop("display.texts.txt"),
        lambda manifest: manifest["counts"].update(facts=1 << 50),
    ],
)
def test_a_manifest_that_lacks_something_is_refused(
    collection: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    forge_manifest(collection, change)
    with pytest.raises(CollectionError):
        Collection(collection)


def test_a_collection_without_facts_has_no_such_files(build: Builder) -> None:
    opened = build({"a.xml": "<a id='1'>x</a>"})
    assert opened.display_facts(0) == []
    assert not [path for path in opened.directory.iterdir() if path.name.startswith("display")]
    assert "facts" not in opened.manifest["counts"]


def test_columns_are_mapped(collection: Path) -> None:
    elements = Collection(collection).files.column("display.elements")
    assert not elements.flags.writeable
    assert elements.dtype == np.int64
