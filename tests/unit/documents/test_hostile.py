"""Documents from strangers: each is refused with its file, its line and the reason."""

from __future__ import annotations

import gzip
import os
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from doxeval.documents import Limits
from doxeval.errors import DocumentError, SourceError
from helpers import Builder, doxeval, write_files

BILLION_LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE a [
 <!ENTITY l0 "lol">
 <!ENTITY l1 "&l0;&l0;&l0;&l0;&l0;&l0;&l0;&l0;&l0;&l0;">
 <!ENTITY l2 "&l1;&l1;&l1;&l1;&l1;&l1;&l1;&l1;&l1;&l1;">
]>
<a>&l2;</a>"""
# One entity of the longest allowed length, referred to over and over.
QUADRATIC = f'<!DOCTYPE a [<!ENTITY x "{"y" * 256}">]>\n<a>{"&x;" * 30_000}</a>'
LONG_ENTITY = f'<!DOCTYPE a [<!ENTITY x "{"y" * 100_000}">]>\n<a>&x;</a>'

REFUSED: dict[str, tuple[str | bytes, str]] = {
    "billion laughs": (BILLION_LAUGHS, r":4:\d+: entity &l1; holds markup or other entities"),
    "quadratic blow-up": (QUADRATIC, "entities expand the text to more than 10 times"),
    "long entity": (LONG_ENTITY, r":1:\d+: entity &x; stands for 100,000 characters"),
    "external entity": (
        '<!DOCTYPE a [\n<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<a>&x;</a>',
        r":2:\d+: external entity &x; is not allowed",
    ),
    "external public entity": (
        '<!DOCTYPE a [<!ENTITY x PUBLIC "-//X" "x.ent">]><a>&x;</a>',
        "external entity &x; is not allowed",
    ),
    "parameter entity": (
        '<!DOCTYPE a [<!ENTITY % x "y">]><a/>',
        "parameter entity %x; is not allowed",
    ),
    "external parameter entity": (
        '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://example.org/x.dtd"> %x;]><a/>',
        "parameter entity %x; is not allowed",
    ),
    "undeclared parameter entity": ("<!DOCTYPE a [%x;]><a/>", "undefined entity %x;"),
    "undeclared entity": ("<a>\n\n b &nosuch; c</a>", r":3:4: undefined entity &nosuch;"),
    "undeclared entity beside a known one": (
        "<a>&nbsp;\n&nosuch;</a>",
        r":2:1: undefined entity &nosuch;",
    ),
    "undeclared entity under a DTD": (
        '<!DOCTYPE a SYSTEM "a.dtd"><a>\n&nosuch;</a>',
        "undefined entity &nosuch;",
    ),
    "undeclared entity in an attribute": (
        '<a>\n<b c="&nosuch;"/></a>',
        "undefined entity &nosuch;",
    ),
    "too deep": ("<a>\n" + "<b>" * 1_000_000, r":2:2\d{3}: elements nested more than 1,000 deep"),
    "too deep, and well-formed": (
        "<a>" * 1001 + "</a>" * 1001,
        r":1:\d+: elements nested more than 1,000 deep",
    ),
    "truncated": ("<a>\n<p>text</p>\n<p>te", r":3:6: no element found: .* ends too early"),
    "empty": ("", ":1:1: no element found: the document is empty"),
    "only white space": ("  \n ", "no element found"),
    "wrong tag": ("<a>\n<b></a>", r":2:6: mismatched tag"),
    "two roots": ("<a/><b/>", "junk after document element"),
    "control character": ("<a>\x01</a>", "not well-formed"),
    "reference to a control character": ("<a>&#1;</a>", "reference to invalid character number"),
    "wrong encoding": (b"<a>\ncaf\xe9</a>", r":2:4: not well-formed: .* wrong encoding"),
    "unknown encoding": (b'<?xml version="1.0" encoding="x-none"?><a/>', "encoding"),
    "multi-byte encoding": (
        b'<?xml version="1.0" encoding="gbk"?><a/>',
        "convert the file to UTF-8",
    ),
}


@pytest.mark.parametrize("kind", sorted(REFUSED))
def test_a_hostile_document_is_refused_with_its_place(tmp_path: Path, kind: str) -> None:
    contents, message = REFUSED[kind]
    source = write_files(tmp_path / "s", {"good.xml": "<a/>", "hostile.xml": contents})
    result = doxeval("collection", "build", source, "--out", tmp_path / "c")
    assert result.exit_code == 1
    assert "hostile.xml" in result.stderr
    assert re.search(r"hostile\.xml.*" + message, result.stderr), result.stderr
    assert "Traceback" not in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s"]
    result = doxeval("collection", "build", source, "--out", tmp_path / "c", "--skip-broken")
    assert result.exit_code == 0
    assert "1 document from" in result.stdout
    assert "skipped: " in result.stderr


@pytest.mark.parametrize("kind", ["quadratic blow-up", "long entity", "too deep"])
def test_hostile_records_are_refused_too(tmp_path: Path, kind: str) -> None:
    contents, message = REFUSED[kind]
    assert isinstance(contents, str)
    wrapped = contents.replace("<a>", "<dump><a>").replace("</a>", "</a></dump>")
    wrapped = wrapped.replace("DOCTYPE a", "DOCTYPE dump")
    source = write_files(tmp_path / "s", {"d.xml": wrapped})
    result = doxeval(
        *("collection", "build", source, "--out", tmp_path / "c"),
        *("--record", "a", "--id", "//id"),
    )
    assert result.exit_code == 1
    assert message.split(": ")[-1].split("of")[0][:12] in result.stderr


def test_what_is_allowed_stays_allowed(build: Builder) -> None:
    collection = build(
        {
            "declared.xml": '<!DOCTYPE a [<!ENTITY x "caf&#233;">]><a b="&x;">&x;&x;</a>',
            "dtd.xml": '<!DOCTYPE a SYSTEM "no-such-file.dtd"><a>x&nbsp;y</a>',
            "predefined.xml": '<!DOCTYPE a [<!ENTITY lt "&#38;#60;">]><a>&lt;</a>',
            "standalone.xml": '<?xml version="1.0" standalone="no"?><a>&eacute;</a>',
            "defaults.xml": '<!DOCTYPE a [<!ATTLIST b c CDATA "y">]><a><b/><b/></a>',
            "deep.xml": "<a>" * 1000 + "</a>" * 1000,
            "utf16.xml": '<?xml version="1.0" encoding="UTF-16"?><a>é😀&nbsp;</a>'.encode("utf-16"),
            "latin1.xml": b'<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe9</a>',
            "cp1252.xml": b'<?xml version="1.0" encoding="windows-1252"?><a>\x93</a>',
        }
    )
    texts = {name: collection.root(name).text for name in collection.ids()}
    assert texts == {
        "declared": "cafécafé",
        "dtd": "x\u00a0y",
        "predefined": "<",
        "standalone": "é",
        "defaults": "",
        "deep": "",
        "utf16": "é😀\u00a0",
        "latin1": "é",
        "cp1252": "“",
    }


def test_attribute_defaults_cost_nothing(build: Builder) -> None:
    """A default of 100,000 characters on 200,000 elements would be 20 GB of copies."""
    declared = f'<!DOCTYPE a [<!ATTLIST b c CDATA "{"y" * 100_000}">]>'
    document = f"{declared}\n<a>{'<b/>' * 200_000}</a>"
    assert len(build({"a.xml": document}).nodes.path) == 200_001


def test_compression_bombs_are_refused(build: Builder, tmp_path: Path) -> None:
    bomb = gzip.compress(b"<a>" + b" " * 10_000_000 + b"</a>")
    assert len(bomb) < 20_000
    limits = Limits(bytes=1_000_000)
    with pytest.raises(DocumentError, match=r"bomb\.xml\.gz: more than 1,000,000 bytes"):
        build({"bomb.xml.gz": bomb}, limits=limits)
    (tmp_path / "z").mkdir()
    with zipfile.ZipFile(tmp_path / "z" / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.xml", b"<a>" + b" " * 10_000_000 + b"</a>")
    with pytest.raises(DocumentError, match=r"bomb\.zip!a\.xml: more than 1,000,000 bytes"):
        build({"bomb.zip": (tmp_path / "z" / "bomb.zip").read_bytes()}, limits=limits)


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz"])
def test_damaged_archives_are_told(build: Builder, name: str) -> None:
    with pytest.raises(SourceError, match=rf"{name}: .*"):
        build({name: b"this is no archive" * 60})


def test_names_in_archives_never_become_paths(build: Builder, tmp_path: Path) -> None:
    path = tmp_path / "evil.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../../escaped.xml", "<a>x</a>")
    collection = build({"evil.zip": path.read_bytes()})
    assert list(collection.ids()) == ["escaped"]
    assert not list(tmp_path.parent.rglob("escaped.xml"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_told(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"a.xml": "<a/>"})
    (source / "a.xml").chmod(0)
    result = doxeval("collection", "build", source, "--out", tmp_path / "c")
    assert result.exit_code == 1
    assert "a.xml: Permission denied" in result.stderr


def test_a_file_that_cannot_be_opened_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same without depending on who runs the tests."""
    source = write_files(tmp_path / "s", {"a.xml": "<a/>", "b.xml": "<b/>"})
    real = os.open

    def refuse(path: Any, *arguments: Any, **named: Any) -> int:
        if str(path).endswith("a.xml"):
            raise PermissionError(13, "Permission denied", path)
        return real(path, *arguments, **named)

    monkeypatch.setattr(os, "open", refuse)
    result = doxeval("collection", "build", source, "--out", tmp_path / "c")
    assert result.exit_code == 1
    assert f"{source}/a.xml: Permission denied" in result.stderr
    result = doxeval("collection", "build", source, "--out", tmp_path / "c", "--skip-broken")
    assert result.exit_code == 0


def test_deep_html_is_refused(build: Builder) -> None:
    with pytest.raises(DocumentError, match=r"a\.html: elements nested more than 1,000 deep"):
        build({"a.html": "<div>" * 100_000})
    with pytest.raises(DocumentError, match="elements nested more than 1,000 deep"):
        build({"a.html": "<div></b>" * 2_000})


def test_html_that_would_multiply_is_refused(build: Builder) -> None:
    unclosed = "".join(f"<b id={n}>" for n in range(2_000))
    with pytest.raises(DocumentError, match="unclosed formatting tags would make the tree explode"):
        build({"a.html": unclosed + "<p>x" * 10_000})


def test_wrongly_encoded_text_is_named_with_its_line(build: Builder) -> None:
    with pytest.raises(DocumentError, match=r"a\.txt:2: byte 0xe9 is not UTF-8 text; encoding="):
        build({"a.txt": b"one\ncaf\xe9\n"})
    assert build({"a.txt": b"caf\xe9"}, encoding="latin-1").root("a").text == "café"
    with pytest.raises(DocumentError, match="unknown encoding 'nonsense'"):
        build({"a.txt": b"x"}, encoding="nonsense")
    assert build({"a.txt": "café".encode("utf-16")}).root("a").text == "café"
