"""Parts of XML that are left out by path patterns, against files without these parts."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from building import contents, in_small_batches
from doxeval.documents import (
    BuildOptions,
    Collection,
    IdRule,
    build_collection,
    merge_collections,
)
from doxeval.errors import DocumentError, InputError, SourceError
from helpers import Builder, doxeval, write_files
from levels import examples
from strategies import Node, Piece, nodes

# Path patterns, and the same as regular expressions over paths without ordinals.
PATTERNS = {
    "//p": r".*/p",
    "//b, //title": r".*/(b|title)",
    "/article/sec": r"/article/sec",
    "//sec//p": r".*/sec(/.*)?/p",
    "//(sec|ss1)/b": r".*/(sec|ss1)/b",
    "/*/*/*": r"/[^/]*/[^/]*/[^/]*",
    "//été": r".*/été",
    "//no": r".*/no",
}
WRITTEN = ["", ' id="1"', " xml:lang='he'", " dir=\"rtl\" b='>'", " start='3'"]


def trees() -> st.SearchStrategy[Node]:
    return nodes(tags=["article", "sec", "p", "b", "title", "ss1", "été"], written=WRITTEN)


def matches(pattern: str, path: str) -> bool:
    return re.fullmatch(PATTERNS[pattern], path) is not None


def pruned(node: Node, drop: list[str], path: str = "") -> Node:
    """Return a tree without what patterns select below it."""
    inside: list[Piece | Node] = []
    here = f"{path}/{node.tag}"
    for item in node.inside:
        if isinstance(item, Piece):
            inside.append(item)
        elif not any(matches(pattern, f"{here}/{item.tag}") for pattern in drop):
            inside.append(pruned(item, drop, here))
    return replace(node, inside=tuple(inside))


def elements(node: Node, path: str = "") -> Iterator[tuple[str, Node]]:
    """Yield all elements of a tree with their paths, in document order."""
    here = f"{path}/{node.tag}"
    yield here, node
    for item in node.inside:
        if isinstance(item, Node):
            yield from elements(item, here)


def written(folder: Path, trees: list[Node]) -> Path:
    folder.mkdir()
    for number, tree in enumerate(trees):
        (folder / f"{number}.xml").write_text(tree.source, encoding="utf-8", newline="")
    return folder


def files_of(collection: Collection) -> dict[str, bytes]:
    files = contents(collection.directory)
    return {name: files[name] for name in files.keys() - {"manifest.json", "documents.origins.txt"}}


@examples(150)
@given(
    st.lists(trees(), min_size=1, max_size=4),
    st.lists(st.sampled_from(sorted(PATTERNS)), max_size=3, unique=True),
    st.none() | st.sampled_from(sorted(PATTERNS)),
)
def test_parts_are_left_out_as_if_they_were_not_there(
    documents: list[Node], drop: list[str], root: str | None
) -> None:
    assume(not any(matches(pattern, f"/{tree.tag}") for tree in documents for pattern in drop))
    expected, without_root = [], 0
    for tree in documents:
        whole = pruned(tree, drop)
        roots = [node for path, node in elements(whole) if root and matches(root, path)]
        without_root += root is not None and not roots
        expected.append(roots[0] if roots else whole)
    assume(without_root < len(documents))
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        options = BuildOptions(root=root or (), drop=drop)
        report = build_collection(written(folder / "s", documents), folder / "c", options)
        build_collection(written(folder / "expected", expected), folder / "e")
        cut, really = Collection(folder / "c"), Collection(folder / "e")
        assert files_of(cut) == files_of(really)
        assert cut.verify().problems == ()
        assert report.pattern_use.without_root == without_root
        for pattern, count in zip(drop, report.pattern_use.dropped, strict=True):
            said = any(f"'{pattern}' selects nothing" in warning for warning in report.warnings)
            assert said == (count == 0)


PAGE = """<page xml:lang="en"><info><credit>Ann</credit></info><title>Tides</title>
<section><info>draft</info><p>Low <em dir="rtl">tide</em>.</p></section></page>"""


def test_help_pages_without_their_credits(build: Builder) -> None:
    whole, cut = build({"a.xml": PAGE}), build({"a.xml": PAGE}, drop=["//info"])
    assert cut.root("a").text == whole.root("a").text.replace("Ann", "").replace("draft", "")
    assert cut.element("a", "/page[1]/section[1]/p[1]").text == "Low tide."
    assert cut.display_facts(0) == [(0, "lang", "en"), (4, "dir", "rtl")]
    options = cut.manifest["options"]
    assert (options["root"], options["drop"]) == (None, ["//info"])
    rooted = build({"a.xml": PAGE}, root="//section", drop="//info")
    assert rooted.element("a", "/section[1]/p[1]").start == 0
    assert rooted.display_facts(0) == [(2, "dir", "rtl")]


def test_what_comes_after_the_root_is_gone(build: Builder, tmp_path: Path) -> None:
    source = "<a>x<c>0</c><b>one<c>1</c></b><b>two<c>2</c></b><c>3</c>y</a>"
    assert build({"a.xml": source}, root="//b", drop="//c").root("a").text == "one"
    files = write_files(tmp_path / "s", {"a.xml": source, "b.xml": "<a><b><b/></b></a>"})
    report = build_collection(files, tmp_path / "c", BuildOptions(root="//b"))
    assert (report.pattern_use.pages, report.pattern_use.several_roots) == (2, 1)


def test_html_and_xml_in_one_folder(build: Builder) -> None:
    files = {"a.xml": PAGE, "b.html": "<nav>x</nav><main>y<info>z</info></main>", "c.md": "*q*"}
    collection = build(files, root=["main", "/page/section"], drop=["nav", "//info"])
    assert [collection.root(name).text for name in "abc"] == ["Low tide.", "yz", "*q*"]
    assert collection.manifest["options"]["root"] == ["main", "/page/section"]


def test_records_are_cut_as_documents(build: Builder) -> None:
    source = "<dump><doc><id>1</id><x>a</x>b</doc><doc><x>c</x><id>2</id></doc></dump>"
    options = {"record": "doc", "id_rule": IdRule.parse("/doc/id"), "drop": "/doc/x"}
    collection = build({"a.xml": source}, **options)
    assert [collection.root(name).text for name in "12"] == ["1b", "2"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"drop": "//"}, "drop='//': path pattern '//', column 1: expected"),
        ({"drop": "//p[1]"}, "drop='//p\\[1\\]': path pattern '//p\\[1\\]', column 4: expected"),
        ({"drop": "sec["}, "drop='sec\\[': expected a CSS selector.*; a path pattern, for XML"),
        ({"drop": "/" + "x" * 2000}, "drop='.*: expected a path pattern of at most 1,000"),
        ({"root": ["//a", "//b"]}, "root= is given twice as a path pattern, for XML"),
        ({"root": ["a", "b"]}, "root= is given twice as a CSS selector, for HTML"),
        ({"root": "//a", "format": "html"}, "root='//a' is a path pattern, for XML; the format"),
        ({"drop": "//a", "format": "text"}, "drop='//a' is for HTML and XML; the format is text"),
    ],
)
def test_what_fits_neither_format_is_refused(options: dict[str, str], reason: str) -> None:
    with pytest.raises(InputError, match=f"^{reason}"):
        BuildOptions(**options)  # type: ignore[arg-type]


def test_patterns_without_effect_are_errors_or_warnings(build: Builder, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="drop='//p' is for XML, and there are no documents in"):
        build({"a.html": "<p>x"}, drop="//p")
    with pytest.raises(SourceError, match="root='//no' selects nothing in any document"):
        build({"a.xml": PAGE}, root="//no")
    with pytest.raises(DocumentError, match=r"a\.xml: drop= selects the root of the document"):
        build({"a.xml": PAGE}, drop="/page")
    with pytest.raises(DocumentError, match=r"b\.xml: root='//info' selects nothing in the docu"):
        build({"a.xml": PAGE, "b.xml": "<x/>"}, root="//info", root_missing="error")
    source = write_files(tmp_path / "s", {"a.xml": PAGE, "b.xml": "<x/>"})
    options = BuildOptions(root="//info", drop="//no", root_missing="error", skip_broken=True)
    report = build_collection(source, tmp_path / "c", options)
    assert [str(error).partition(": ")[2] for error in report.broken] == [
        "root='//info' selects nothing in the document"
    ]
    assert (report.documents, report.pattern_use.pages) == (1, 1)
    assert report.warnings == (
        "root= selects several elements in 1 document; the first was kept",
        "drop='//no' selects nothing in any document",
    )


def test_the_command_line_says_what_patterns_did(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"a.xml": PAGE, "b.xml": "<page>x</page>"})
    command = ("collection", "build", source, "--out", tmp_path / "c")
    made = doxeval(*command, "--drop", "//info", "--drop", "//no", "--root", "//section")
    assert made.exit_code == 0
    assert "--root //section selects nothing in 1 of 2 documents: taken whole" in made.stderr
    assert "--drop //no selects nothing in any document" in made.stderr
    wrong = doxeval(*command, "--force", "--format", "xml", "--drop", "nav")
    assert wrong.exit_code != 0
    assert "--drop nav is a CSS selector, for HTML; the format is xml" in wrong.stderr


def test_parts_do_not_depend_on_batches_and_survive_merging(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {f"{n}.xml": PAGE * (n < 9) or "<x/>" for n in range(10)})
    options = BuildOptions(drop="//info")
    whole = build_collection(source, tmp_path / "whole", options)
    with pytest.MonkeyPatch.context() as patch:
        in_small_batches(patch, batch_documents=3)
        parts = build_collection(source, tmp_path / "parts", options)
    for name in ("nodes.start.npy", "nodes.end.npy", "nodes.size.npy", "text.bin"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "parts" / name).read_bytes()
    assert whole.pattern_use == parts.pattern_use
    other = write_files(tmp_path / "t", {"z.xml": PAGE})
    build_collection(other, tmp_path / "other")
    merge_collections([tmp_path / "whole", tmp_path / "other"], tmp_path / "merged")
    assert Collection(tmp_path / "merged").manifest["options"]["drop"] == [["//info"], []]
