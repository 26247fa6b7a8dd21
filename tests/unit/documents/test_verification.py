"""`collection verify`: hashes of all files and texts, and the structure of the columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from damaging import forge, forge_column, rot
from doxeval.documents import (
    VERIFIED_BYTES,
    Collection,
    example_collection,
    verify_collection,
)
from doxeval.errors import CollectionError
from helpers import Builder, doxeval
from seams import change
from strategies import Node, collections_of

SECTION = "<sec><p>one two</p><p>three <b>four</b></p></sec>"
FILES = {f"{name}.xml": f"<a>{SECTION * (1 + number)}</a>" for number, name in enumerate("abcd")}


@pytest.fixture
def collection(build: Builder) -> Path:
    return build(FILES).directory


@pytest.mark.parametrize("text", ["plain", "compressed", "none"])
def test_a_good_collection_passes(build: Builder, text: str) -> None:
    opened = build(FILES, text=text)
    told: list[tuple[int, int]] = []
    found = opened.verify(lambda done, documents: told.append((done, documents)))
    assert (found.files, found.documents, found.elements) == (21, 4, 44)
    assert sum(done for done, _ in told) == found.bytes
    assert sum(documents for _, documents in told) == (0 if text == "none" else 4)
    result = doxeval("collection", "verify", opened.directory)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "21 files" in result.stdout
    assert "4 documents and 44 elements are as they were built" in result.stdout


def test_all_damaged_files_are_named(collection: Path) -> None:
    rot(collection / "nodes.end.npy")
    (collection / "documents.ids.txt").unlink()
    (collection / "documents.origins.txt").write_text("x")
    result = doxeval("collection", "verify", collection)
    assert result.exit_code == 1
    for name in ("nodes.end.npy", "documents.ids.txt", "documents.origins.txt"):
        assert f"damaged: {collection / name}: " in result.stderr
    assert "the collection is damaged; build it again" in result.stderr


def test_damaged_texts_are_named_by_document(build: Builder) -> None:
    opened = build({f"{number:02}.xml": "<a>text</a>" for number in range(13)})
    rot(opened.directory / "text.bin", 4 * 7)
    with pytest.raises(CollectionError, match=r"text\.bin: document '07': a text is not the one"):
        opened.verify()
    for number in range(13):
        if number != 7:
            rot(opened.directory / "text.bin", 4 * number)
    problems = verify_collection(opened.directory).problems
    assert len(problems) == 11
    assert str(problems[-1]).endswith("text.bin: and 3 more texts")


def test_the_help_and_the_documentation_name_the_limit() -> None:
    limit = f"{VERIFIED_BYTES >> 20} MiB"
    assert limit in doxeval("collection", "verify", "--help").stdout
    root = Path(__file__).parents[3]
    for page in (
        "README.md",
        "SECURITY.md",
        "docs/hardening.md",
        "docs/search.md",
    ):
        assert limit in (root / page).read_text(encoding="utf-8")


def test_no_collection_is_told(tmp_path: Path) -> None:
    result = doxeval("collection", "verify", tmp_path)
    assert result.exit_code == 1
    assert "no collection here" in result.stderr


# The structure, where all hashes are right


@pytest.mark.parametrize(
    ("name", "row", "value", "blamed"),
    [
        ("nodes.path", 1, 99, "nodes.path"),
        ("nodes.path", 1, 2, "nodes.path"),
        ("nodes.ordinal", 1, 2, "nodes.ordinal"),
        ("nodes.parent", 0, 0, "nodes.parent"),
        ("nodes.parent", 2, 3, "nodes.parent"),
        ("nodes.size", 0, 4, "nodes.size"),
        ("nodes.size", 2, 2, "nodes.size"),
        ("nodes.start", 0, 1, "nodes.start"),
        ("nodes.start", 3, 2, "nodes.start"),
        ("nodes.end", 3, 1000, "nodes.end"),
        ("nodes.end", 3, 1, "nodes.end"),
        ("documents.rows", 1, 0, "documents.rows"),
        ("documents.id_ends", 1, 1, "documents.id_ends"),
        ("documents.id_ends", 1, 5, "documents.ids.txt"),
        ("documents.index_keys", 1, 0, "documents.index_keys"),
        ("documents.index_numbers", 1, 3_000, "documents.index_numbers"),
        ("documents.index_checks", 1, 0, "documents.index_numbers"),
        ("summary.parent", 2, 5, "summary.parent"),
        ("summary.tag", 1, 7, "summary.tag"),
        ("summary.elements", 1, 4, "summary.elements"),
    ],
)
def test_a_wrong_value_is_found(
    collection: Path, name: str, row: int, value: int, blamed: str
) -> None:
    forge_column(collection, name, row, value)
    told = [str(problem) for problem in verify_collection(collection).problems]
    assert any(blamed in problem for problem in told), told


def test_a_text_of_another_length_is_found(collection: Path) -> None:
    forge_column(collection, "nodes.end", 0, 18)
    told = [str(problem) for problem in verify_collection(collection).problems]
    assert any("does not have the length of its document" in problem for problem in told)


def test_a_path_that_is_there_twice_is_found(build: Builder) -> None:
    directory = build({"a.xml": "<a><b/><c/></a>"}).directory
    forge_column(directory, "summary.tag", 2, 1)
    told = [str(problem) for problem in verify_collection(directory).problems]
    assert any("summary.tag.npy" in problem and "twice" in problem for problem in told)


def test_ids_that_are_not_utf8_are_found(collection: Path) -> None:
    forge(collection, "documents.ids.txt", b"\xff\nb\nc\nd\n")
    told = [str(problem) for problem in verify_collection(collection).problems]
    assert any("documents.ids.txt" in problem and "not UTF-8" in problem for problem in told)


COLUMNS = ("path", "ordinal", "parent", "size", "start", "end")


def collection_of(documents: list[Node]) -> Collection:
    return example_collection({str(n): document.source for n, document in enumerate(documents)})


def forged(documents: list[Node], name: str, row: int, value: int) -> list[str]:
    """Give a node another value, and return the problems of the collection, if it is another."""
    collection = collection_of(documents)
    column = getattr(collection.nodes, name)
    row %= len(column)
    assume(column[row] != value)
    forge_column(collection.directory, f"nodes.{name}", row, value)
    return [str(problem) for problem in verify_collection(collection.directory).problems]


@given(collections_of(), st.sampled_from([1, 3, 1 << 20]))
def test_what_was_built_has_no_flaws(documents: list[Node], block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        change(patch, structure_rows=block)
        assert collection_of(documents).verify().problems == ()


@given(
    collections_of(),
    st.sampled_from(["ordinal", "parent", "size"]),
    st.integers(0, 10**6),
    st.integers(-3, 40) | st.sampled_from([-(1 << 31), (1 << 31) - 1]),
)
def test_no_other_ordinal_parent_or_size_is_possible(
    documents: list[Node], name: str, row: int, value: int
) -> None:
    assert forged(documents, name, row, value)


@given(
    collections_of(),
    st.sampled_from(COLUMNS),
    st.integers(0, 10**6),
    st.sampled_from([-(1 << 31), -2, (1 << 31) - 1]),
)
def test_what_is_out_of_range_is_found_and_blamed(
    documents: list[Node], name: str, row: int, value: int
) -> None:
    problems = forged(documents, name, row, value)
    assert problems
    blamed = any(f"nodes.{name}.npy" in problem for problem in problems)
    assert blamed or name in ("start", "end")


def test_opening_and_verifying_agree_on_an_opened_collection(collection: Path) -> None:
    opened = Collection(collection)
    rot(collection / "nodes.end.npy")
    with pytest.raises(CollectionError, match=r"nodes\.end\.npy: the file was altered"):
        opened.verify()
