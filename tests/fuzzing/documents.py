"""Readers of documents: every format, encodings, records, ids, archives and compressions."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Sequence

from doxeval.documents import (
    BuildOptions,
    Collection,
    Format,
    IdRule,
    Limits,
    RawDocument,
    SourceContents,
    SourceWalk,
    TagEvents,
    XmlDocuments,
    XmlReader,
    build_collection,
    example_pdf,
    join_events,
    normalise_id,
    read_batch,
    read_records,
    tabulate,
)
from doxeval.errors import DocumentError
from doxeval.files import zstd
from fuzzing import good_files as good
from fuzzing.inputs import (
    HTML_WORDS,
    JSON_WORDS,
    MARKDOWN_WORDS,
    PATHS_WORDS,
    XML_DOCUMENT,
    XML_WORDS,
    XPATH_ID,
    json_records,
    maker,
)
from fuzzing.target import Broken, Reader, Target, file_of, workplace

LIMITS = Limits(bytes=1 << 20, elements=50_000)
_ENCODINGS = (
    "utf-8 utf-8-sig utf-16 utf-32 latin-1 cp1252 shift_jis gb18030 iso2022_jp hz utf-7 koi8-r "
    "punycode idna unicode_escape raw_unicode_escape undefined rot13 base64 zlib uu hex quopri "
    "mbcs oem palmos ascii charmap x-user-defined"
).split()


def document(format_: Format, **options: object) -> Reader:
    """A reader of one document."""
    chosen = BuildOptions(limits=LIMITS, **options)  # type: ignore[arg-type]
    return lambda data: read_batch([RawDocument("f", "f", format_, data, len(data))], chosen)


def encoded(data: bytes) -> object:
    """Text, HTML and XML in an encoding that the first line names."""
    name, _, rest = data.partition(b"\n")
    options = BuildOptions(limits=LIMITS, encoding=name.decode("utf-8", "surrogateescape"))
    formats: tuple[Format, ...] = ("text", "html", "xml")
    raw = RawDocument("f", "f", formats[len(rest) % 3], rest, len(rest))
    return read_batch([raw], options)


def twins(data: bytes) -> object:
    """XML read in two ways, between two documents that a scan understands."""
    documents = [good.PLAIN_XML, data, good.SMALL_XML]
    if (what := difference(documents, LIMITS)) is not None:
        raise Broken(f"a scan and calls for each tag differ in {what[:200]}")
    XmlReader(LIMITS).read(data, "f")  # tells whether it is refused
    return None


def records(data: bytes) -> object:
    """Records of one file."""
    return list(read_records(io.BytesIO(data), "r", "f", LIMITS))


def id_rules(data: bytes) -> object:
    """Where ids come from, tried on a document; and references to documents."""
    text = data.decode("utf-8", "surrogateescape")
    normalise_id(text)
    options = BuildOptions(limits=LIMITS, id_rule=IdRule.parse(text))
    return read_batch([RawDocument("f", "f", "xml", good.SMALL_XML, 1)], options)


def source(
    name: str, wrap: Callable[[bytes], bytes] = lambda data: data, skip_broken: bool = False
) -> Reader:
    """Files that are walked as sources of documents are."""

    def read(data: bytes) -> object:
        options = BuildOptions(limits=LIMITS, id_rule=IdRule("path"), skip_broken=skip_broken)
        walk = SourceWalk([file_of(name, wrap(data))], options)
        return read_batch(list(SourceContents(options).documents(walk.files())), options)

    return read


def zipped(data: bytes, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive whose members have the data under names of several formats."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name in ("a.xml", "d/b.html", "c.txt", "e.md"):
            archive.writestr(zipfile.ZipInfo(name), data, compression)
    return out.getvalue()


def tarred(data: bytes) -> bytes:
    """An archive of tar with a few members."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in ("a.xml", "d/é" + "x" * 120 + ".xml"):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def compressed_members(data: bytes) -> bytes:
    """A zip whose members are compressed files: the first is good, the others are the data."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo("a.xml.gz"), gzip.compress(good.SMALL_XML, mtime=0))
        for name in ("b.jsonl.gz", "c.xml.zst", "d.xml.xz", "e.txt.bz2", "f.xml.gz"):
            archive.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


def built(data: bytes) -> object:
    """A whole build of a JSONL file, and everything in it looked at."""
    out = workplace() / "built"
    build_collection([file_of("b.jsonl", data)], out, BuildOptions(limits=LIMITS), force=True)
    made = Collection(out)
    return [made.root(name).text for name in made.ids()], made.statistics


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, 1, mtime=0)


def _zstd(data: bytes) -> bytes:
    packed: bytes = zstd().compress(data)
    return packed


# XML read in two ways: scanned where that is possible, and by calls for each tag

# The marks of documents, and the error of each that is broken.
Read = tuple[list[TagEvents], list[str | None]]


def by_calls(documents: Sequence[bytes], limits: Limits) -> Read:
    """Documents as XmlReader reads them."""
    reader = XmlReader(limits)
    errors: list[str | None] = []
    for number, data in enumerate(documents):
        try:
            reader.read(data, f"{number}.xml")
            errors.append(None)
        except DocumentError as error:
            errors.append(str(error))
    return [reader.take()] if len(reader) else [], errors


def scanned(documents: Sequence[bytes], limits: Limits) -> Read:
    """The same documents as XmlDocuments reads them."""
    reader = XmlDocuments(limits)
    given = [(data, f"{number}.xml") for number, data in enumerate(documents)]
    errors = [None if error is None else str(error) for error in reader.read(given)]
    return reader.take(), errors


def difference(documents: Sequence[bytes], limits: Limits | None = None) -> str | None:
    """What differs between the two ways; None if nothing does."""
    limits = limits or Limits()
    (expected, errors), (found, other_errors) = (
        by_calls(documents, limits),
        scanned(documents, limits),
    )
    if errors != other_errors:
        return f"errors {errors} and {other_errors}"
    if not expected or not found:
        return None if not expected and not found else "one of them read nothing"
    one, other = join_events(expected), join_events(found)
    for name, mine, theirs in (
        ("names", list(one.names), list(other.names)),
        ("texts", one.texts, other.texts),
        ("attributes", one.attributes, other.attributes),
    ):
        if mine != theirs:
            return f"{name} {mine} and {theirs}"
    return _different_rows(one, other)


def _different_rows(one: TagEvents, other: TagEvents) -> str | None:
    table, twin = tabulate(one), tabulate(other)
    for name, mine in (*table.columns._asdict().items(), ("rows", table.rows)):
        theirs = twin.rows if name == "rows" else getattr(twin.columns, name)
        if mine.tolist() != theirs.tolist() or mine.dtype != theirs.dtype:
            return f"{name} {mine.tolist()} and {theirs.tolist()}"
    same = table.summary.tags == twin.summary.tags
    return None if same else f"tags {table.summary.tags} and {twin.summary.tags}"


# The targets

_JSONL = json_records({"id": ['"a"', '"b"', "1"], "text": ['"One.\\n\\nTwo."', '"x"', '""']})

PDF = example_pdf(["Low tide (at six).", "High tide."])
PDF_WORDS = tuple(
    b"obj endobj stream endstream xref trailer startxref << >> [ ] /Type /Pages /Kids /Length "
    b"/Font /Contents /Encrypt /Filter /FlateDecode /ToUnicode BT ET Tj TJ T* Tf ( ) 0 1 -1 "
    b"9999999999 R".split()
)

TARGETS = (
    Target("xml-documents", document("xml"), (good.XML, good.SMALL_XML), XML_WORDS, share=6),
    Target(
        "xml-scanned",
        twins,
        (good.PLAIN_XML, good.SMALL_XML, good.XML),
        XML_WORDS,
        maker(XML_DOCUMENT),
        share=6,
    ),
    Target(
        "xml-documents-with-ids",
        document("xml", id_rule=IdRule.parse("//p/@a")),
        (good.SMALL_XML,),
        XML_WORDS,
        share=2,
    ),
    Target("html-documents", document("html"), (good.HTML,), HTML_WORDS, share=5),
    Target("markdown-documents", document("markdown"), (good.MARKDOWN,), MARKDOWN_WORDS, share=3),
    Target("text-documents", document("text"), (good.PLAIN,), MARKDOWN_WORDS, share=2),
    Target("pdf-documents", document("pdf"), (PDF,), PDF_WORDS, share=2),
    Target(
        "jsonl-documents", document("jsonl"), (good.JSONL_DOCUMENTS,), JSON_WORDS, _JSONL, share=2
    ),
    Target(
        "encodings",
        encoded,
        (b"utf-8\nOne", b"latin-1\n<p>caf\xe9</p>", b"utf-16\n\xff\xfeO\x00", b"utf-7\n<p/>"),
        (*map(str.encode, _ENCODINGS), *XML_WORDS[:20], b"\n"),
        share=4,
    ),
    Target("records", records, (good.RECORDS, good.XML), (*XML_WORDS, b"<r>", b"</r>"), share=3),
    Target(
        "id-rules", id_rules, (b"//b", b"stem", b"//p/@a"), PATHS_WORDS, maker(XPATH_ID), share=1
    ),
    Target(
        "zip", source("a.zip", skip_broken=True), (zipped(good.SMALL_XML), zipped(b"x", 0)), share=2
    ),
    Target(
        "zip-members",
        source("m.zip", zipped, skip_broken=True),
        (good.SMALL_XML, good.HTML),
        XML_WORDS,
    ),
    Target(
        "zip-compressed-members",
        source("c.zip", compressed_members, skip_broken=True),
        (),
        (_gzip(good.JSONL_DOCUMENTS), _zstd(good.SMALL_XML)),
        # Each is what one of the members should be, so the others are damaged.
        starts=(_gzip(good.JSONL_DOCUMENTS), _zstd(good.SMALL_XML), lzma.compress(good.SMALL_XML)),
    ),
    Target("tar", source("a.tar"), (tarred(good.SMALL_XML),), PATHS_WORDS, share=2),
    Target("tar-gz", source("a.tar.gz", _gzip), (tarred(good.SMALL_XML),), PATHS_WORDS),
    Target("tar-zst", source("a.tzst", _zstd), (tarred(good.SMALL_XML),), PATHS_WORDS, share=0.5),
    Target("gz", source("a.xml.gz"), (_gzip(good.SMALL_XML),)),
    Target("bz2", source("a.xml.bz2"), (bz2.compress(good.SMALL_XML),)),
    Target("xz", source("a.xml.xz"), (lzma.compress(good.SMALL_XML),)),
    Target("zst", source("a.xml.zst"), (_zstd(good.SMALL_XML),)),
    Target("gz-members", source("a.jsonl.gz", _gzip), (good.JSONL_DOCUMENTS,), JSON_WORDS),
    Target("builds", built, (good.JSONL_DOCUMENTS,), JSON_WORDS, _JSONL, share=0.3),
)
