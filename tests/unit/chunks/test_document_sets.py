"""Documents of chunk studies, from all the places where people keep them."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval import chunks
from doxeval.chunks import Documents
from doxeval.documents import (
    BuildOptions,
    Collection,
    build_collection,
    example_collection,
    example_pdf,
)
from doxeval.errors import (
    DocumentError,
    DoxevalError,
    FormatError,
    InputError,
    SourceError,
    UnknownReference,
)
from doxeval.runs import read_run, write_run
from helpers import write_files
from levels import examples

TEXT = "Thirty days.\r\nUnused goods only.\u2028Ask: \U0001f4ec"


def lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_a_folder_has_the_files_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "terms.md").write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    (tmp_path / "sub" / "faq.txt").write_bytes(TEXT.encode())
    write_files(tmp_path, {"page.html": "<p>One <b>two</b>.</p>", "a.xml": "<a>Three<b/>.</a>"})
    (tmp_path / "picture.png").write_bytes(b"\x89")
    docs = chunks.documents(tmp_path)
    assert list(docs) == ["a", "page", "sub/faq", "terms"]
    assert docs["terms"] == TEXT, "without the byte order mark, with its line ends"
    assert docs["sub/faq"] == TEXT
    assert docs["a"] == "Three."
    assert "One two." in docs["page"]


def test_files_of_one_stem_keep_their_suffix(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "one", "a.txt": "two"})
    assert dict(chunks.documents(tmp_path)) == {"a.md": "one", "a.txt": "two"}


def test_a_single_file_is_a_document(tmp_path: Path) -> None:
    write_files(tmp_path, {"terms.md": "# One"})
    assert dict(chunks.documents(tmp_path / "terms.md")) == {"terms": "# One"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", lines({"id": 1, "text": "one"}, {"id": "b", "text": ""})),
        ("a.json", json.dumps([{"doc_id": 1, "contents": "one"}, {"doc_id": "b", "contents": ""}])),
        ("a.json", json.dumps({"1": "one", "b": ""})),
        ("a.csv", "id,text\n1,one\nb,\n"),
        ("a.tsv", "id\ttext\n1\tone\nb\t\n"),
    ],
)
def test_records(tmp_path: Path, name: str, content: str) -> None:
    write_files(tmp_path, {name: content})
    assert dict(chunks.documents(tmp_path / name)) == {"1": "one", "b": ""}


def test_parquet_and_frames(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    columns = {"id": ["a", "b"], "text": ["one", "two"]}
    frame = pandas.DataFrame(columns)
    frame.to_parquet(tmp_path / "a.parquet")
    for source in (frame, polars.DataFrame(columns), tmp_path / "a.parquet"):
        assert dict(chunks.documents(source)) == {"a": "one", "b": "two"}


def test_pages_are_spans_of_the_text() -> None:
    records = [{"id": "a.xml", "text": "One. Two.", "pages": [[0, 4], [5, 9]]}]
    docs = chunks.documents(records)
    assert docs.pages("a") == docs.pages("a.xml") == ((0, 4), (5, 9))
    assert chunks.documents({"b": "One."}).pages("b") == ()
    for wrong in ([[0, 10]], [[4, 2]], [[0, 5], [4, 9]], [[-1, 3]], [["0", 3]], [0, 3], "0-3"):
        with pytest.raises(FormatError, match=r"pages of document 'a'.*within its 9 characters"):
            chunks.documents([records[0] | {"pages": wrong}])


def test_a_corpus_of_beir_has_titles_as_first_lines(tmp_path: Path) -> None:
    corpus = lines(
        {"_id": "a", "title": "Tea", "text": "It is hot."},
        {"_id": "b", "title": "", "text": "No title."},
    )
    write_files(tmp_path, {"corpus.jsonl": corpus})
    docs = chunks.documents(tmp_path)
    assert dict(docs) == {"a": "Tea\nIt is hot.", "b": "No title."}
    located = chunks.locate(docs, {"a": ["Tea It is", "hot."], "b": ["No title."]})
    assert located.spans.as_tuples() == [((0, 9),), ((10, 14),), ((0, 9),)]


def test_bodies_of_ms_marco_are_stripped(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs.jsonl": lines({"docid": "d", "title": "T", "body": "\n One. \n"})})
    assert dict(chunks.documents(tmp_path / "docs.jsonl")) == {"d": "One."}


def test_documents_of_other_libraries() -> None:
    langchain = [
        SimpleNamespace(page_content="one", metadata={"source": "a.png", "page": 0}, id=None),
        SimpleNamespace(page_content="two", metadata={"source": "a.png", "page": 1}, id=None),
        SimpleNamespace(page_content="three", metadata={}, id="x"),
    ]
    assert dict(chunks.documents(langchain)) == {"a.png#0": "one", "a.png#1": "two", "x": "three"}
    llama_index = [SimpleNamespace(text="one", id_="a", metadata={})]
    haystack = [SimpleNamespace(content="one", id="a", meta={})]
    for items in (llama_index, haystack, iter(llama_index)):
        assert dict(chunks.documents(items)) == {"a": "one"}


def test_a_collection_has_the_same_texts() -> None:
    collection = example_collection({"a": "<p>One <b>two</b>.</p>"})
    assert dict(chunks.documents(collection)) == {"a": "One two."}
    assert dict(chunks.documents(str(collection.directory))) == {"a": "One two."}


def test_documents_stay_what_they_are() -> None:
    docs = chunks.documents({"a": "one"})
    assert chunks.documents(docs) is docs
    assert "a.xml" in docs and docs.get("b") is None
    assert repr(docs) == "Documents(1 document, 3 characters)"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({}, "there are no documents"),
        ({"a": 1}, "document 'a' is a int: expected its text"),
        ({"a.xml": "", " a": ""}, "two documents 'a'"),
        ({" ": "x"}, "without an id"),
        (["one", "two"], "documents have no ids"),
        ([{"id": "a"}], "record 1: fields ['id']: expected an id"),
        ([SimpleNamespace(text="one")], "expected an id, or a source"),
        ([SimpleNamespace(id="a")], "expected a document with its text"),
        (3, "3: expected a folder"),
        ("no/such/place", "no/such/place: no such file or directory"),
    ],
)
def test_what_is_wrong_is_told(source: Any, message: str) -> None:
    with pytest.raises(DoxevalError) as caught:
        chunks.documents(source)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", "[1]\n", "a.jsonl:1: [1]: expected an object"),
        ("a.jsonl", '{"id": "a", "text": "x"}\n{"id": 2}\n', "a.jsonl:2: fields ['id']"),
        ("a.json", "{", "this is not JSON"),
        ("a.json", '{"a": 1}', "expected records with an id and a text, or texts by id"),
        ("a.csv", "id,text\na\n", "a.csv:2: 1 field: expected 2"),
        ("a.csv", 'id,text\na,"b"c\n', "a.csv:2: a quotation mark"),
        ("a.csv", 'id,text\na,"bc\n', "a.csv:2: a quotation mark"),
        ("a.csv", "id,id\na,b\n", "two columns 'id'"),
        ("a.parquet", "PAR1", "Parquet"),
    ],
)
def test_damaged_files_are_named(tmp_path: Path, name: str, content: str, message: str) -> None:
    write_files(tmp_path, {name: content})
    with pytest.raises(FormatError) as caught:
        chunks.documents(tmp_path / name)
    assert message in str(caught.value)


def test_a_file_of_an_unknown_format(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.xyz": "One."})
    with pytest.raises(SourceError, match=r"cannot tell the format.*suffixes='.xyz=text' reads"):
        chunks.documents(tmp_path / "a.xyz")
    assert dict(chunks.documents(tmp_path, suffixes=".xyz=text")) == {"a": "One."}


def test_a_folder_of_pdf_has_pages_and_lists_what_it_cannot_read(tmp_path: Path) -> None:
    pytest.importorskip("pypdf", reason="pypdf is not installed")
    pages = {"a.pdf": ["Low tide at six.", "", "High tide at noon."], "scan.pdf": [""]}
    write_files(tmp_path / "s", {name: example_pdf(texts) for name, texts in pages.items()})
    docs = chunks.documents(tmp_path / "s")
    assert [docs["a"][start:end] for start, end in docs.pages("a")] == pages["a.pdf"]
    assert docs.warnings == (
        f"not read: {tmp_path}/s/scan.pdf: no text on its page: perhaps a scan, which needs OCR",
        f"{tmp_path}/s/a.pdf: 1 of 3 pages has no text",
    )
    spans = [{"doc": "a", "page": 3, "quote": "tide at"}]
    gold = chunks.questions(
        [{"id": "1", "question": "When?", "needs": [{"spans": spans}]}], docs, copies="place"
    )
    (span,) = next(iter(gold)).needs[0].spans
    assert docs["a"][span.start : span.end] == "tide at"
    assert span.start > docs.pages("a")[2][0]
    build_collection(tmp_path / "s", tmp_path / "c", BuildOptions(skip_broken=True))
    assert chunks.documents(Collection(tmp_path / "c")).pages("a") == docs.pages("a")
    with pytest.raises(DocumentError, match="perhaps a scan"):
        chunks.documents(tmp_path / "s" / "scan.pdf")


def test_files_of_a_folder_are_read_as_a_collection_reads_them(tmp_path: Path) -> None:
    html = "<title>T</title><nav>Up</nav><main id=one>Kept.<p class=ad>Buy!</p></main>"
    write_files(tmp_path / "s", {"x/a.html": html, "x/b.page": "<page id='two'>Two.</page>"})
    docs = chunks.documents(
        tmp_path / "s", root="main", drop=".ad", suffixes=".page=xml", id_rule="stem"
    )
    assert dict(docs) == {"a": "Kept.", "b": "Two."}
    by_attribute = chunks.documents(
        tmp_path / "s", id_rule="//@id", root="main", suffixes=[".page=xml"]
    )
    assert list(by_attribute) == ["one", "two"]
    with pytest.raises(SourceError, match=r"root='\.no' selects nothing in any page"):
        chunks.documents(tmp_path / "s", root=".no")
    assert (
        chunks.documents(tmp_path / "s", drop=".no")
        .warnings[0]
        .endswith("drop='.no' selects nothing in any document")
    )
    with pytest.raises(InputError, match="drop= has no effect: it is for a folder of files"):
        chunks.documents({"a": "One."}, drop="nav")


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no documents found"):
        chunks.documents(tmp_path)


def test_a_quotation_mark_inside_of_a_field_of_csv_is_part_of_it(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.csv": 'id,text\na,5" pipe\nb,6"\n'})
    write_files(tmp_path, {"b.tsv": 'id\ttext\na\t5" pipe\n'})
    assert dict(chunks.documents(tmp_path / "a.csv")) == {"a": '5" pipe', "b": '6"'}
    assert dict(chunks.documents(tmp_path / "b.tsv")) == {"a": '5" pipe'}


@examples(300)
@given(st.text('ab ",\n', max_size=30))
def test_csv_is_read_as_by_the_standard_library(rows: str) -> None:
    text = f"id,text\n{rows}"
    try:
        _, *expected = csv.reader(io.StringIO(text, newline=""), strict=True)
        expected = [row for row in expected if row not in ([], [""])]
        is_good = all(len(row) == 2 for row in expected)
        expected = [[name.strip(), text] for name, text in expected] if is_good else []
    except csv.Error:
        is_good = False
    with tempfile.TemporaryDirectory() as directory:
        file = write_files(Path(directory), {"a.csv": text}) / "a.csv"
        if is_good and len(dict(expected)) == len(expected) > 0 and "" not in dict(expected):
            assert [list(document) for document in chunks.documents(file).items()] == expected
        else:
            with pytest.raises(DoxevalError if is_good else FormatError):
                chunks.documents(file)


def test_long_fields_of_csv(tmp_path: Path) -> None:
    long = 'say "hi"\n' * 40_000
    quoted = long.replace('"', '""')
    write_files(tmp_path, {"a.csv": f'id,text\r\na,"{quoted}"\r\nb,x\r\n'})
    docs = chunks.documents(tmp_path / "a.csv")
    assert docs["b"] == "x" and docs["a"] == long


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("guides/faq", "guides/faq"),
        ("guides\\faq.md", "guides/faq"),
        ("C:\\work\\guides\\faq.md", "guides/faq"),
        ("/home/me/guides/faq.txt", "guides/faq"),
        ("./guides/faq.xml", "guides/faq"),
        ("faq.md", None),  # it could be either
        ("terms", "terms"),
        ("other/terms.md", "terms"),
        ("v1.2", "v1.2"),
        ("nothing", None),
        (None, None),
        ("", None),
    ],
)
def test_documents_are_found_by_paths(reference: str | None, found: str | None) -> None:
    docs = Documents([(name, "x") for name in ("guides/faq", "old/faq", "terms", "v1.2")])
    assert docs.find(reference) == found


def test_ids_that_are_windows_paths() -> None:
    docs = Documents([("guides\\faq.md", "One."), ("guides\\terms.md", "Two.")])
    assert docs.find("guides/faq.md") == "guides\\faq.md"
    assert docs.find("D:\\x\\guides\\terms.md") == "guides\\terms.md"
    with pytest.raises(UnknownReference, match="no document 'x'"):
        docs.named("x")


def test_files_of_a_folder_that_are_not_read_are_counted(tmp_path: Path) -> None:
    files = dict.fromkeys(("a.md", "b.png", "sub/c.PNG", "sub/d.rst"), "One two.")
    folder = write_files(tmp_path / "s", files)
    found = chunks.documents(folder)
    assert found.warnings == (f"{folder}: 3 files were not read: .png (2), .rst (1)",)
    assert chunks.documents(folder / "a.md").warnings == ()


def test_ids_with_white_space_are_taken_by_all_verbs_or_none(tmp_path: Path) -> None:
    """Runs of chunks can hold them, whatever the format of the document."""
    files = {"my notes.md": "Low tide.", "my page.html": "<p>High tide.", "my file.xml": "<a>x</a>"}
    docs = chunks.documents(write_files(tmp_path / "s", files))
    assert sorted(docs) == ["my file", "my notes", "my page"]
    run = chunks.search(chunks.split(docs, "words:5:0"), {"1": "low tide"})
    write_run(run, tmp_path / "run.jsonl")
    assert set(read_run(tmp_path / "run.jsonl").documents) == set(run.documents) <= set(docs)
    with pytest.raises(InputError, match=r"the id 'my .*' has white space"):
        chunks.tree(chunks.split(docs, "words:5:0"), tmp_path / "tree")
