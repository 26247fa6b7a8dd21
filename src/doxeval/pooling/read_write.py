"""Files of pools: which reader, which writer, and what a format leaves out."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import IO, Literal, cast

from doxeval.datasets import in_package
from doxeval.errors import FormatError, OutputError, SourceError
from doxeval.files import (
    BYTE_ORDER_MARK,
    FileFormat,
    FormatFunctions,
    choose_format,
    is_compressed,
    open_input,
    open_output,
    output_directory,
    uncompressed_name,
)
from doxeval.messages import quoted
from doxeval.named import checked
from doxeval.output import flush_to_disk
from doxeval.pooling.inex_xml import read_inex_pool, write_inex_pool
from doxeval.pooling.jsonl import read_jsonl_pool, write_jsonl_pool
from doxeval.pooling.pool import Pool, PooledDocument
from doxeval.pooling.trec import read_trec_pool, write_trec_pool

PoolFormat = Literal["jsonl", "inex", "trec"]
_HEAD = 1 << 16
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NOT_IN_COLUMNS = re.compile(r"\s")


# Formats


def pool_losses(pool: Pool, format: PoolFormat) -> list[str]:
    """Return what of a pool a format leaves out.

    Only JSONL says how the pool was made and which runs contributed what; the other formats can be
    given to assessors.

    >>> pool_losses(Pool({"7": (PooledDocument("a", 0.5, (), (("mine", 1),)),)}), "trec")
    ['priorities', 'contributions of runs']
    """
    if format == "jsonl":
        return []
    every = [document for pooled in pool.documents.values() for document in pooled]
    parts = [part for document in every for part in document.elements]
    losses = {
        "elements": format == "trec" and any(part.path is not None for part in parts),
        "passages": any(part.path is None for part in parts),
        "topics without documents": format == "trec" and not all(pool.documents.values()),
        "priorities": any(document.priority for document in every),
        "contributions of runs": any(document.contributors for document in every),
        "how the pool was made": pool.facts.method is not None,
    }
    return [name for name, is_lost in losses.items() if is_lost]


def _is_xml(begin: bytes) -> bool:
    return begin.startswith((b"<", b"\xff\xfe", b"\xfe\xff"))


def _functions(
    format: PoolFormat,
    read: Callable[[IO[bytes], str], Pool],
    write: Callable[[Pool], Iterable[bytes]],
) -> Callable[[], FormatFunctions[Pool, Pool]]:
    return lambda: FormatFunctions(read, write, partial(pool_losses, format=format))


# A file is recognised by how it begins, whatever its name is; what is neither XML nor JSON is text.
FORMATS: dict[PoolFormat, FileFormat[Pool, Pool]] = {
    "jsonl": FileFormat(
        "jsonl",
        (".jsonl", ".ndjson"),
        _functions("jsonl", read_jsonl_pool, write_jsonl_pool),
        lambda begin: begin.startswith(b"{"),
    ),
    "inex": FileFormat(
        "inex", (".xml",), _functions("inex", read_inex_pool, write_inex_pool), _is_xml
    ),
    "trec": FileFormat(
        "trec",
        (".txt", ".text", ".trec", ".pool"),
        _functions("trec", read_trec_pool, write_trec_pool),
    ),
}


def format_of(path: str | os.PathLike[str]) -> PoolFormat:
    """Return the format that a file's name says, and JSONL if it says nothing.

    >>> format_of("pool.xml"), format_of("pool")
    ('inex', 'jsonl')
    """
    chosen = choose_format(FORMATS, path=os.fspath(path))
    return "jsonl" if chosen is None else cast(PoolFormat, chosen.name)


# Reading


@checked
def read_pool(path: str | os.PathLike[str]) -> Pool:
    """Read a pool; its format is recognised by how the file begins.

    A directory stands for all files in it, each with the pools of other topics; a package has a
    pool of its own.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pool.txt"
    >>> _ = path.write_text("7 0 a\\n7 0 b\\n")
    >>> read_pool(path)
    Pool(1 topic, 2 documents)
    """
    name = os.fspath(in_package(path, "pool"))
    if os.path.isdir(name):
        return _read_directory(name)
    with open_input(name) as file:
        reader = io.BufferedReader(file, _HEAD)  # type: ignore[type-var]  # decompressors are raw enough
        try:
            begin = reader.peek(_HEAD).removeprefix(BYTE_ORDER_MARK).lstrip()
            format = choose_format(FORMATS, begin=begin) or FORMATS["trec"]
            return format.read(reader, name)
        finally:
            reader.detach()


def _read_directory(name: str) -> Pool:
    files = sorted(path for path in Path(name).iterdir() if path.is_file())
    visible = [path for path in files if not path.name.startswith(".")]
    if not visible:
        raise SourceError("no files in the directory", name)
    documents: dict[str, tuple[PooledDocument, ...]] = {}
    for path in visible:
        for topic, pooled in read_pool(path).documents.items():
            if topic in documents:
                raise FormatError(f"a second pool of topic {quoted(topic)}", str(path))
            documents[topic] = pooled
    return Pool(documents)


# Writing


@checked
def write_pool(pool: Pool, path: str | os.PathLike[str], format: PoolFormat | None = None) -> None:
    """Write a pool; the format goes by the file's name if none is given, else it is JSONL.

    `pool_losses` says what a format leaves out. INEX has one topic in a file: several topics make a
    directory with a file for each. The file or directory is complete or not there.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pool.txt"
    >>> write_pool(Pool({"7": (PooledDocument("a"), PooledDocument("b"))}), path)
    >>> path.read_text()
    '7 0 a\\n7 0 b\\n'
    """
    name = os.fspath(path)
    chosen = choose_format(FORMATS, format or format_of(path))
    if chosen is None:
        raise OutputError(f"no format {quoted(format)} of pools; there are {', '.join(FORMATS)}")
    if is_compressed(name):
        plain = uncompressed_name(name)
        message = f"{name}: pools are not written compressed; write {plain} and compress it"
        raise OutputError(message)
    _check_names(pool, chosen.name)
    if chosen.name == "inex" and len(pool.topics) != 1:
        _write_directory(pool, name)
        return
    with open_output(path) as file:
        file.writelines(chosen.write(pool))


def _check_names(pool: Pool, format: str) -> None:
    """Refuse white space within names for columns of text, and control characters for XML."""
    if format == "jsonl":
        return
    mistaken = next((topic for topic in pool.topics if topic.startswith(("<", "{"))), None)
    if format == "trec" and mistaken is not None:
        raise OutputError(
            f"the topic {quoted(mistaken)} would make the file look like one of another format"
        )
    forbidden = _NOT_IN_XML if format == "inex" else _NOT_IN_COLUMNS
    for topic, documents in pool.documents.items():
        for pooled in documents:
            paths = (part.path or "" for part in pooled.elements) if format == "inex" else ()
            for name in (topic, pooled.document, *paths):
                wrong = forbidden.search(name)
                if wrong:
                    raise OutputError(
                        f"the name {quoted(name)} holds {quoted(wrong[0])}, which the format "
                        f"{format} cannot hold"
                    )


def _write_directory(pool: Pool, path: str) -> None:
    from urllib.parse import quote

    if os.path.exists(path) and not (os.path.isdir(path) and not os.listdir(path)):
        raise OutputError(f"{path} exists; expected a new or an empty directory")
    with output_directory(path) as directory:
        for topic, documents in pool.documents.items():
            # No topic can turn such a name into a path to somewhere else.
            file_name = f"{quote(topic, safe='').replace('.', '%2E')}.xml"
            with (directory / file_name).open("wb") as file:
                file.writelines(write_inex_pool(Pool({topic: documents})))
                flush_to_disk(file)
