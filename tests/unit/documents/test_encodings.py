"""Encodings that documents name: those of characters are read, other codecs are refused."""

from __future__ import annotations

import pkgutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import BuildOptions, Format, RawDocument, read_batch
from doxeval.errors import DocumentError, DoxevalError, InputError
from doxeval.markup import python_codec
from helpers import Builder, doxeval, write_files

NO_CHARACTER_ENCODINGS = [
    "punycode", "idna", "unicode_escape", "unicode-escape", "raw_unicode_escape", "rot13",
    "rot_13", "base64", "base64_codec", "hex", "quopri", "uu", "zlib", "bz2", "zip", "undefined",
    "charmap", "mbcs", "oem", "aliases", "string_escape", "x-none", "", " ", "é", "a" * 100_000,
    "utf-8\0", "../utf-8", "os", "utf_8.", "\ud800",
]  # fmt: skip


def _read(format_: Format, data: bytes, **options: str) -> str:
    raw = RawDocument("f", "f", format_, data, len(data))
    return read_batch([raw], BuildOptions(**options)).texts[0].decode()  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NO_CHARACTER_ENCODINGS)
def test_other_codecs_are_refused(name: str) -> None:
    assert python_codec(name) is None
    for format_ in ("text", "markdown", "html", "xml"):
        with pytest.raises(InputError, match="encoding"):
            _read(format_, b"<a>x</a>", encoding=name or "?")


@pytest.mark.parametrize("name", [name for name in NO_CHARACTER_ENCODINGS if name.isidentifier()])
def test_documents_cannot_name_other_codecs(name: str) -> None:
    short = name[:40]
    with pytest.raises(DocumentError, match=r"f:1.*: unknown encoding|f:1.*not well-formed"):
        _read("xml", f'<?xml version="1.0" encoding="{short}"?><a>x</a>'.encode())
    if short.isascii():
        with pytest.raises(DocumentError, match="f: unknown encoding"):
            _read("html", f"<meta charset='{short}'><p>x".encode())


def test_every_codec_of_python_is_listed_or_refused() -> None:
    """A codec in a later Python is not accepted before somebody has looked at it."""
    import encodings

    modules = {module.name for module in pkgutil.iter_modules(encodings.__path__)}
    refused = {name for name in modules if python_codec(name) is None}
    assert refused <= {
        "aliases", "base64_codec", "bz2_codec", "charmap", "hex_codec", "idna", "mbcs", "oem",
        "punycode", "quopri_codec", "raw_unicode_escape", "rot_13", "undefined", "unicode_escape",
        "uu_codec", "zlib_codec", "_win_cp_codecs",
    }  # fmt: skip


@pytest.mark.parametrize(
    "name", ["ISO-8859-1", "latin1", "windows-1252", "UTF8", "utf-8", "KOI8-R", "x-sjis", "euc-jp"]
)
def test_usual_names_are_known(name: str) -> None:
    codec = python_codec(name)
    assert codec is not None
    assert _read("text", "aя".encode(codec, "replace"), encoding=name)
    assert _read("html", b"<meta charset=%s><p>x" % name.encode()) == "x"


def test_a_page_that_names_utf_16_in_ascii_is_utf_8() -> None:
    for name in (b"utf-16", b"UTF-16LE", b"cp037", b"utf-32"):
        assert _read("html", b"<meta charset=%s><p>caf\xc3\xa9" % name) == "café"


def test_utf_32_is_not_taken_for_utf_16() -> None:
    assert _read("text", "café".encode("utf-32")) == "café"


@pytest.mark.parametrize("format_", ["text", "markdown", "html"])
def test_a_lone_surrogate_is_refused(format_: Format) -> None:
    assert _read(format_, b"a+AOk-", encoding="utf-7") == "aé"
    with pytest.raises(DocumentError, match="f: a lone surrogate"):
        _read(format_, b"a+2AA-", encoding="utf-7")
    with pytest.raises(DocumentError, match="f:1: byte"):
        _read(format_, b"\xff\xfe\x00\xd8a\x00")


def test_a_lone_surrogate_in_an_id_is_refused(build: Builder) -> None:
    line = '{"id": "%s", "text": "x"}'
    with pytest.raises(DocumentError, match=r"a\.jsonl:1: the id '\\ud800' is not Unicode"):
        build({"a.jsonl": line % "\\ud800"})
    with pytest.raises(DocumentError, match='expected a JSON object with "id"'):
        build({"a.jsonl": '{"id": true, "text": "x"}'})
    with pytest.raises(DocumentError, match=r"the id 'x{80}'… .*has more than 10,000 characters"):
        build({"a.jsonl": line % ("x" * 10_001)})


def test_options_must_be_unicode(tmp_path: object) -> None:
    for options in ({"record": "\udcff"}, {"inline": frozenset({"\udcff"})}):
        with pytest.raises(InputError, match=r"'\\udcff': expected text in Unicode"):
            BuildOptions(**options)
    with pytest.raises(InputError, match="format='docx': expected one of xml, html"):
        BuildOptions(format="docx")  # type: ignore[arg-type]


def test_the_command_line_refuses_bytes_in_options(tmp_path: object) -> None:
    from pathlib import Path

    source = write_files(Path(str(tmp_path)) / "s", {"a.xml": "<a/>"})
    for option in ("--inline", "--record", "--encoding", "--id"):
        value = "/\udcff" if option == "--id" else "\udcff"
        more = ("--id", "//a") if option == "--record" else ()
        out = Path(str(tmp_path)) / "c"
        result = doxeval("collection", "build", source, "--out", out, option, value, *more)
        assert result.exit_code in (1, 2)
        assert not out.exists()


@given(st.sampled_from(["text", "markdown", "html", "xml"]), st.binary(max_size=60), st.data())
def test_any_bytes_in_any_encoding_end_in_text_or_an_error(
    format_: Format, data: bytes, draw: st.DataObject
) -> None:
    known = ["utf-7", "utf-16", "utf-32-be", "gb18030", "hz", "iso2022_jp", "cp037", "big5hkscs"]
    name = draw.draw(st.sampled_from(known + NO_CHARACTER_ENCODINGS))
    declared = f'<?xml version="1.0" encoding="{name}"?><meta charset="{name}"><a>'
    for whole in (data, declared.encode("utf-8", "replace") + data):
        for options in ({}, {"encoding": name}):
            try:
                _read(format_, whole, **options)
            except DoxevalError:
                continue
