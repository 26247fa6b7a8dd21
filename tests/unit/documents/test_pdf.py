"""PDF: text by pages; what cannot be read says why."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import (
    BuildOptions,
    RawDocument,
    build_collection,
    example_pdf,
    read_batch,
)
from doxeval.errors import DocumentError, SourceError
from helpers import Builder, write_files
from levels import examples
from seams import SEAMS

pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed")
# Characters that a Latin font has, and no white space at either end of a line.
LINES = st.text(
    st.sampled_from("abcdefgzäöüÄÖßéñ£€§„“”–—'()\\<>[]{}%/0189.,;:!? "), min_size=1, max_size=40
).filter(lambda line: line == line.strip() and "  " not in line)
PAGES = st.lists(st.lists(LINES, min_size=1, max_size=4), min_size=1, max_size=4)


def read(data: bytes) -> tuple[str, list[tuple[int, int]]]:
    """The text of a PDF, and the spans of its pages."""
    batch = read_batch([RawDocument("a.pdf", "a", "pdf", data, len(data))], BuildOptions())
    columns = batch.table.columns
    spans = list(zip(columns.start.tolist(), columns.end.tolist(), strict=True))
    text = batch.texts[0].decode()
    assert spans[0] == (0, len(text))
    return text, spans[1:]


@examples(60)
@given(PAGES)
def test_the_text_is_that_of_the_pages_and_pages_have_their_spans(pages: list[list[str]]) -> None:
    text, spans = read(example_pdf(["\n".join(lines) for lines in pages]))
    assert [text[start:end] for start, end in spans] == ["\n".join(lines) for lines in pages]
    assert text == "\n".join(text[start:end] for start, end in spans)


@examples(60)
@given(st.data())
def test_a_damaged_file_is_read_or_refused(data: st.DataObject) -> None:
    good = example_pdf(["Low tide.", "High tide."])
    at = data.draw(st.integers(0, len(good) - 1))
    length = data.draw(st.integers(0, 40))
    damaged = good[:at] + data.draw(st.binary(max_size=40)) + good[at + length :]
    try:
        read(damaged)
    except DocumentError as error:
        assert str(error).startswith("a.pdf: ")


def encrypted(password: str) -> bytes:
    writer, out = pypdf.PdfWriter(io.BytesIO(example_pdf(["Low tide."]))), io.BytesIO()
    writer.encrypt(password, "of the owner", algorithm="RC4-128")
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (example_pdf(["", ""]), "no text on any of its 2 pages: perhaps a scan, which needs OCR"),
        (encrypted("secret"), "encrypted: it can be opened only with its password"),
        (b"Low tide.", "not a PDF that can be read: "),
        (b"", "not a PDF that can be read: "),
    ],
)
def test_what_cannot_be_read_says_why(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=f"a.pdf: {message}"):
        read(data)


def test_a_file_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SEAMS["longest_pdf"], -1.0)
    with pytest.raises(DocumentError, match=r"a\.pdf: takes more than .* of a processor to read"):
        read(example_pdf(["Low tide."]))


def test_an_encrypted_file_without_a_password_is_read() -> None:
    assert read(encrypted(""))[0] == "Low tide."


def test_a_collection_has_pages_as_elements(build: Builder, tmp_path: Path) -> None:
    files = {"a.pdf": example_pdf(["Low tide.", "High tide."]), "b.txt": "One."}
    collection = build(files)
    element = collection.element("a", "/document[1]/page[2]")
    assert (element.start, element.end) == (10, 20)
    more = {"a.pdf": example_pdf(["Low tide.", ""]), "scan.pdf": example_pdf([""])}
    write_files(tmp_path / "s", more)
    with pytest.raises(DocumentError, match=r"scan\.pdf: no text on its page"):
        build_collection(tmp_path / "s", tmp_path / "c")
    report = build_collection(tmp_path / "s", tmp_path / "c", BuildOptions(skip_broken=True))
    assert [error.origin for error in report.broken] == [str(tmp_path / "s" / "scan.pdf")]
    assert report.warnings == (f"{tmp_path}/s/a.pdf: 1 of 2 pages has no text",)
    build_collection(tmp_path / "s", tmp_path / "d", BuildOptions(skip_broken=True), jobs=2)


def test_without_the_library_pdf_is_left_out_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SEAMS["pdf_library"], lambda: False)
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "a.txt").write_text("One.")
    (tmp_path / "s" / "b.pdf").write_bytes(example_pdf(["Low tide."]))
    report = build_collection(tmp_path / "s", tmp_path / "c")
    hint = "PDF needs the extra pdf: pip install 'doxeval[pdf]'"
    assert report.warnings == (f"1 file was not read: .pdf (1); {hint}",)
    with pytest.raises(SourceError, match="PDF needs the extra pdf"):
        build_collection(tmp_path / "s" / "b.pdf", tmp_path / "d")


def test_suffixes_have_formats(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "a.page").write_text("<page><title>Tides</title></page>")
    options = BuildOptions(suffixes=".page=xml")
    assert build_collection(tmp_path / "s", tmp_path / "c", options).documents == 1
