"""Documents that would take far more time or memory than their size suggests.

Each is refused early, or takes time in proportion to its size.
"""

from __future__ import annotations

import io
import itertools
import os
import resource
import string
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from doxeval.documents import BuildOptions, Format, Limits, RawDocument, read_batch, read_records
from doxeval.errors import DocumentError, DoxevalError, FormatError
from doxeval.markup import Expansion, read_elements
from helpers import Builder, write_files
from seams import change

FACE = "\U0001f600"
DECLARED = f'<!ENTITY x "{FACE * 256}">'
MEGABYTE = 1 << 20


def names(count: int) -> Iterable[str]:
    letters = itertools.product(string.ascii_lowercase, repeat=4)
    return ("".join(name) for name in itertools.islice(letters, count))


def attribute_of(references: str, encoding: str = "utf-8") -> bytes:
    return f'<!DOCTYPE a [{DECLARED}]><a b="{references}">x</a>'.encode(encoding)


EXPANDING = {
    "in one attribute": attribute_of("&x;" * 300_000),
    "in UTF-16": attribute_of("&x;" * 300_000, "utf-16"),
    "in UTF-16 without a mark": attribute_of("&x;" * 300_000, "utf-16-be"),
    "with a name that looks like others in UTF-16": attribute_of(
        "&慡;" * 300_000, "utf-16"
    ).replace(" x ".encode("utf-16-le"), " 慡 ".encode("utf-16-le")),
    "with a name in Latin-1": (
        b'<?xml version="1.0" encoding="latin-1"?><!DOCTYPE a [<!ENTITY \xe9 "%s">]><a b="%s"/>'
        % (b"y" * 256, b"&\xe9;" * 300_000)
    ),
    "in many attributes": (
        f"<!DOCTYPE a [{DECLARED}]><a>" + '<b c="&x;&x;&x;&x;"/>' * 60_000 + "</a>"
    ).encode(),
    "in a default value": (
        f'<!DOCTYPE a [{DECLARED}<!ATTLIST a b CDATA "{"&x;" * 300_000}">]><a/>'
    ).encode(),
    "after a comment that looks like the end of the declarations": (
        f'<!-- <a> --><!DOCTYPE a [<!-- ]><a> -->{DECLARED}]><a b="{"&x;" * 300_000}"/>'
    ).encode(),
    "after much text": (
        f"<!DOCTYPE a [{DECLARED}]><a>" + "y" * MEGABYTE + f'<b c="{"&x;" * 300_000}"/></a>'
    ).encode(),
}
TOO_MUCH = "entities expand the text to more than 10 times the document"


@pytest.mark.parametrize("kind", sorted(EXPANDING))
def test_entities_in_attributes_count(kind: str, build: Builder) -> None:
    data = EXPANDING[kind]
    with pytest.raises(DocumentError, match=rf"a\.xml:\d+: {TOO_MUCH}"):
        build({"a.xml": data})
    with pytest.raises(DocumentError, match=TOO_MUCH):
        list(read_records(io.BytesIO(data), "a", "f", Limits()))
    with pytest.raises(FormatError, match=TOO_MUCH):
        list(read_elements(io.BytesIO(data), {"a"}, "f"))


def test_entities_are_refused_before_they_take_memory(tmp_path: Path) -> None:
    """20 MB of references to an entity of a kilobyte would be 7 GB."""
    source = write_files(tmp_path / "s", {"a.xml": attribute_of("&x;" * 7_000_000)})
    script = "from doxeval.cli import main; main()"
    command = [sys.executable, "-c", script, "collection", "build", str(source)]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    done = subprocess.run(
        [*command, "--out", str(tmp_path / "c")],
        capture_output=True,
        text=True,
        preexec_fn=limit,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert (done.returncode, TOO_MUCH in done.stderr) == (1, True), done.stderr


def test_modest_use_of_long_entities_is_fine(build: Builder) -> None:
    """Also where other references and comments abound."""
    text = '<p a="&x;">caf&eacute; &amp; cr&egrave;me<!-- &#38; --></p>' * 40
    once = '<p a="&x;">' + "caf&eacute; " * 30_000 + "&x;</p>"
    page = "<!DOCTYPE a [" + DECLARED + "]><a>{}</a>"
    collection = build({"a.xml": page.format(text), "b.xml": page.format(once)})
    assert collection.root("a").text == "café & crème" * 40
    assert collection.root("b").text == "café " * 30_000 + FACE * 256


def test_the_amount_does_not_depend_on_pieces() -> None:
    """A reference that is cut between two pieces counts as the longest entity."""
    for size in (1, 2, 3, 7):
        expansion = Expansion(1, 0)
        expansion.declare("x", "y" * 100)
        data = b"&x;" * 200
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        assert any(expansion.excess(piece) for piece in pieces)


DECLARATIONS = {
    "attributes of one element": (
        "<!ATTLIST a " + " ".join(f'{name} CDATA "1"' for name in names(60_000)) + ">",
        "more than 500 attributes are declared for one element",
    ),
    "attributes of one element, one by one": (
        "".join(f"<!ATTLIST a {name} CDATA #IMPLIED>" for name in names(30_000)),
        "more than 500 attributes are declared for one element",
    ),
    "attributes of many elements": (
        "".join(f'<!ATTLIST {name} a CDATA "1">' for name in names(60_000)),
        "more than 1,048,576 bytes of declarations",
    ),
    "entities": (
        "".join(f'<!ENTITY {name} "1">' for name in names(30_000)),
        "more than 10,000 entities are declared",
    ),
    "a comment": (f"<!--{' ' * 2 * MEGABYTE}-->", "more than 1,048,576 bytes of declarations"),
    "a value without end": (
        f'<!ENTITY x "{"y" * 2 * MEGABYTE}',
        "more than 1,048,576 bytes of declarations",
    ),
}


@pytest.mark.parametrize("kind", sorted(DECLARATIONS))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_declarations_are_limited(kind: str, encoding: str, build: Builder) -> None:
    declarations, message = DECLARATIONS[kind]
    data = f"<!DOCTYPE a [{declarations}]><a/>".encode(encoding)
    message = f"({message}|more than 1,048,576 bytes of declarations)"
    with pytest.raises(DocumentError, match=rf"a\.xml:.*{message}"):
        build({"a.xml": data})
    with pytest.raises(FormatError, match=message):
        list(read_elements(io.BytesIO(data), {"a"}, "f"))


def test_declarations_of_a_usual_size_are_fine(build: Builder) -> None:
    attributes = "".join(
        f"<!ATTLIST e{n} " + " ".join(f"{name} CDATA #IMPLIED" for name in names(60)) + ">"
        for n in range(200)
    )
    entities = "".join(f'<!ENTITY {name} "{name}">' for name in names(2000))
    subset = f"<!-- {' ' * 5000} -->{attributes}{entities}"
    data = f'<?xml version="1.0"?>\n<!DOCTYPE a SYSTEM "a.dtd" [{subset}]>\n<a>&aaab;</a>'
    assert build({"a.xml": data}).root("a").text == "aaab"


@pytest.mark.parametrize("beginning", ["<a b='", "<a><!--", "<a><?x ", "<!--"])
def test_a_tag_without_end_is_refused(beginning: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Expat keeps such a token in memory; a stream could go on forever."""
    change(monkeypatch, largest_token=2 * MEGABYTE)

    class Endless(io.RawIOBase):
        given = 0

        def read(self, size: int = -1) -> bytes:
            self.given += size
            assert self.given < 4 * MEGABYTE, "it is read and read"
            return beginning.encode() if self.given == size else b"y" * size

    with pytest.raises(DocumentError, match="a tag, comment or instruction of more than 2,097,152"):
        list(read_records(Endless(), "r", "f", Limits()))  # type: ignore[arg-type]


def test_long_texts_are_not_tags(build: Builder) -> None:
    long = "y" * (17 * MEGABYTE)
    for data in (f"<a>{long}</a>", f"<a><![CDATA[{long}]]></a>"):
        assert len(build({"a.xml": data}).root("a").text) == len(long)


PAGES: dict[str, tuple[str, str]] = {
    "attributes": ("<p " + " ".join(names(50_000)) + ">", "more than 2,000 attributes on one"),
    "attributes with values": (
        "<p " + " ".join(f"{name}='>'" for name in names(50_000)) + ">",
        "more than 2,000 attributes on one element",
    ),
    "attributes of the body": (
        "".join(f"<body {name}></body>" for name in names(50_000)),
        "more than 2,000 attributes on one element",
    ),
    "options": ("<select>" + "<option>x" * 50_000, "a <select> has too many options"),
    "paragraphs among options": (
        "<select>" + "<p></p>" * 30_000 + "<option>x</option>" * 30_000,
        "a <select> has too many options",
    ),
}


@pytest.mark.parametrize("kind", sorted(PAGES))
def test_pages_that_take_the_square_of_their_size_are_refused(kind: str, build: Builder) -> None:
    page, message = PAGES[kind]
    with pytest.raises(DocumentError, match=message):
        build({"a.html": page})


def test_large_pages_are_fine(build: Builder) -> None:
    options = "<select>" + "<option>x</option>" * 2000 + "</select>"
    attributes = "<p " + " ".join(names(1999)) + f" class='{' '.join(names(9000))}'>x"
    script = f"<script>for(i=0;i<n;i++)x={list(names(3000))}</script>"
    build({"a.html": options * 10, "b.html": attributes * 3, "c.html": script})


def test_markdown_has_a_limit_of_lines(build: Builder) -> None:
    with pytest.raises(DocumentError, match="more than 100,000 lines of Markdown in one document"):
        build({"a.md": "a\n" * 100_001})
    assert len(build({"a.md": "a\n" * 500}, limits=Limits(lines=501)).root("a").text) == 1000


GROWING: dict[str, tuple[Format, Callable[[int], str]]] = {
    "one paragraph": ("text", lambda n: "a " * 40 * n),
    "short lines": ("text", lambda n: "a\n" * 20 * n),
    "blank lines": ("text", lambda n: "a" + "\n \t" * 20 * n + "b"),
    "quotations": ("markdown", lambda n: "> " * 15 + "a\n" * n),
    "brackets": ("markdown", lambda n: "[a]: <" * n + "[a\n" * n),
    "lists": ("markdown", lambda n: "- 1. a\n" * n),
    "tables": ("markdown", lambda n: "|a|b\n|-|-\n" + "|1|2\n" * n),
    "unclosed tags": ("html", lambda n: "<p><b></p>" * min(n // 10, 150) + "<p>x" * n),
    "quotes in tags": ("html", lambda n: "<p \"<li '" * n),
    "slashes in tags": ("html", lambda n: "<a" + "/" * 20 * n),
    "comments": ("html", lambda n: "<!--" * 5 * n),
    "references": ("xml", lambda n: "<a>" + "&eacute;" * 5 * n + "</a>"),
    "tags": ("xml", lambda n: "<a>" + "".join(f"<{x}/>" for x in names(2 * n)) + "</a>"),
    "attributes in XML": ("xml", lambda n: "<a " + " ".join(f"{x}=''" for x in names(n)) + "/>"),
    "parts": ("xml", lambda n: "<a>" + "<b>0123456789</b>" * 20 * n + "</a>"),
    "a comment in small pieces": ("xml", lambda n: f"<!DOCTYPE a><!--{' ' * 500 * n}--><a/>"),
}


@pytest.mark.parametrize("kind", sorted(GROWING))
def test_time_grows_as_the_document_does(kind: str) -> None:
    format_, make = GROWING[kind]

    def seconds(count: int) -> float:
        data = make(count).encode()
        raw = RawDocument("f", "f", format_, data, len(data))
        began = time.process_time()
        try:
            read_batch([raw], BuildOptions())
        except DoxevalError:
            pytest.fail("it should be read, not refused")
        return time.process_time() - began

    count = 250 if format_ == "markdown" else 1000
    few = min(seconds(count) for _ in range(3))
    # Sixteen times the size: a linear reader takes 16 times as long, a quadratic one 256 times.
    assert min(seconds(16 * count) for _ in range(2)) < 80 * few + 0.1


def test_a_long_paragraph_takes_little_memory() -> None:
    import tracemalloc

    data = b"word " * 400_000
    raw = RawDocument("f", "f", "text", data, len(data))
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    read_batch([raw], BuildOptions())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * len(data)
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - resident) << 10 < 60 * len(data)


def test_memory_stays_bounded_under_attack(tmp_path: Path) -> None:
    """64 MB of start tags would cost gigabytes if limits were only checked at the end."""
    source = tmp_path / "s"
    write_files(source, {"deep.xml": "<a>" * 20_000_000, "wide.xml": "<r>" + "<a/>" * 15_000_000})
    script = "from doxeval.cli import main; main()"
    command = [sys.executable, "-c", script, "collection", "build", str(source), "--skip-broken"]
    limited = [*command, "--out", str(tmp_path / "c")]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

    done = subprocess.run(
        limited,
        capture_output=True,
        text=True,
        preexec_fn=limit,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 1
    assert "elements nested more than 1,000 deep" in done.stderr
    assert "more than 4,000,000 elements in one document" in done.stderr
    assert "all 2 documents are broken" in done.stderr
