"""Archives and compressed files from strangers: each fault names the archive and the member."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from doxeval.assessments import read_assessments
from doxeval.documents import BuildOptions, Collection, IdRule, archive_members, build_collection
from doxeval.errors import DocumentError, DoxevalError, SourceError
from doxeval.files import open_input, zstd
from helpers import Builder, doxeval, write_files
from seams import change

TEXT = b"<a>" + bytes(range(65, 90)) * 400 + b"</a>"
LINES = b"".join(b'{"id": "%d", "text": "%d"}\n' % (n, n**9) for n in range(3000))
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: bytes(zstd().compress(data)),
}


def zipped(files: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tarred(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


PACK: dict[str, Callable[[dict[str, bytes]], bytes]] = {"zip": zipped, "tar": tarred}


def reason(source: Path, *options: str) -> str:
    """Why a build fails, as the command line says it."""
    result = doxeval("collection", "build", source, "--out", source / "c", "--jobs", 1, *options)
    assert result.exit_code == 1, result.output
    assert not (source / "c").exists()
    return result.stderr


@pytest.mark.parametrize("suffix", sorted(COMPRESS))
@pytest.mark.parametrize("kind", sorted(PACK))
@pytest.mark.parametrize("damage", ["cut", "none", "altered"])
def test_a_damaged_member_is_named(tmp_path: Path, kind: str, suffix: str, damage: str) -> None:
    whole = COMPRESS[suffix](TEXT)
    middle = len(whole) // 2
    data = {
        "cut": whole[:-9],
        "none": b"this is not compressed",
        "altered": whole[:middle] + bytes([whole[middle] ^ 0x55] * 8) + whole[middle + 8 :],
    }[damage]
    packed = PACK[kind]({"good.xml": b"<a/>", f"bad.xml.{suffix}": data})
    source = write_files(tmp_path, {f"a.{kind}": packed})
    # Zstandard has no checksum unless it is asked for, so altered data may first look odd to XML.
    what = "" if (suffix, damage) == ("zst", "altered") else " the data are damaged: "
    assert f"a.{kind}!bad.xml.{suffix}:{what}" in reason(source)
    result = doxeval("collection", "build", source, "--out", tmp_path / "c", "--skip-broken")
    assert (result.exit_code, "1 document" in result.output) == (0, True)


@pytest.mark.parametrize("suffix", sorted(COMPRESS))
@pytest.mark.parametrize("kind", sorted(PACK))
def test_damaged_lines_are_named(tmp_path: Path, kind: str, suffix: str) -> None:
    for at, data in enumerate([COMPRESS[suffix](LINES)[:-9], b"this is not compressed"]):
        packed = PACK[kind]({f"lines.jsonl.{suffix}": data})
        source = write_files(tmp_path / str(at), {f"a.{kind}": packed})
        assert f"a.{kind}!lines.jsonl.{suffix}: the data are damaged: " in reason(source)
        source = write_files(tmp_path / f"{at}-alone", {f"lines.jsonl.{suffix}": data})
        assert f"lines.jsonl.{suffix}: the data are damaged: " in reason(source)
        with pytest.raises(SourceError, match=rf"lines\.jsonl\.{suffix}: the data are damaged: "):
            build_collection(source, tmp_path / "c", BuildOptions(skip_broken=True))


@pytest.mark.parametrize("suffix", sorted(COMPRESS))
def test_damaged_assessments_are_named(tmp_path: Path, suffix: str) -> None:
    lines = b"".join(b"7 Q0 %d 5 %d 10 10:5\n" % (n, n**5 + 100) for n in range(1000))
    for data in (COMPRESS[suffix](lines)[:-9], b"this is not compressed"):
        (tmp_path / "a.zip").write_bytes(zipped({f"q.txt.{suffix}": data}))
        with pytest.raises(SourceError, match=rf"a\.zip!q\.txt\.{suffix}: the data are damaged"):
            read_assessments(tmp_path / "a.zip")
        (tmp_path / f"q.txt.{suffix}").write_bytes(data)
        with pytest.raises(SourceError, match=rf"q\.txt\.{suffix}: the data are damaged"):
            read_assessments(tmp_path / f"q.txt.{suffix}")


def test_a_zip_member_with_a_wrong_checksum_is_named(build: Builder) -> None:
    packed = zipped({"a.xml": b"<a>one</a>"}).replace(b"one", b"two", 1)
    with pytest.raises(DocumentError, match=r"a\.zip!a\.xml: the data are damaged: Bad CRC"):
        build({"a.zip": packed})


def _altered(packed: bytes, offset: int, value: bytes) -> bytes:
    """A zip with the same field of its first local and its first central header altered.

    The offset is that in a local header; in a central one everything is two bytes further on.
    """
    central = packed.index(b"PK\x01\x02")
    data = bytearray(packed)
    for at in (offset, central + 2 + offset):
        data[at : at + len(value)] = value
    return bytes(data)


@pytest.mark.parametrize(
    ("offset", "value", "message"),
    [
        (6, b"\x01\x00", "cannot be read: .*encrypted"),
        (8, b"\x63\x00", "cannot be read: That compression method is not supported"),
        (22, struct.pack("<I", 5), "the data are damaged: Bad CRC"),
        (22, struct.pack("<I", 5000), "the data are damaged"),
        (14, b"\0\0\0\0", "the data are damaged: Bad CRC"),
    ],
)
def test_a_zip_member_that_cannot_be_read_is_named(
    build: Builder, offset: int, value: bytes, message: str
) -> None:
    packed = zipped({"a.xml": TEXT, "b.xml": b"<b/>"}, zipfile.ZIP_DEFLATED)
    altered = _altered(packed, offset, value)
    with pytest.raises(DocumentError, match=rf"a\.zip!a\.xml: {message}"):
        build({"a.zip": altered})
    assert list(build({"a.zip": altered}, skip_broken=True).ids()) == ["b"]


def test_an_encrypted_member_that_is_no_document_does_no_harm(build: Builder) -> None:
    packed = _altered(zipped({"a.png": b"x", "b.xml": b"<b/>"}), 6, b"\x01\x00")
    assert list(build({"a.zip": packed}).ids()) == ["b"]


def test_a_tar_cut_short_is_refused_wherever_it_is_cut(tmp_path: Path) -> None:
    """tarfile takes a missing or damaged header as the end, and would drop the rest."""
    whole = tarred({f"{n}.xml": b"<a>%s</a>" % (b"x" * 300 * n) for n in range(4)})
    end = len(whole.rstrip(b"\0")) // 512 * 512 + 512
    for cut in (*range(0, end + 1, 256), end - 1):
        (tmp_path / "a.tar").write_bytes(whole[:cut])
        with pytest.raises(DoxevalError, match=r"a\.tar") as told:
            build_collection(tmp_path / "a.tar", tmp_path / "c")
        assert not (tmp_path / "c").exists()
        assert isinstance(told.value, SourceError | DocumentError)
    (tmp_path / "a.tar").write_bytes(whole[: end + 1024])
    assert build_collection(tmp_path / "a.tar", tmp_path / "c").documents == 4


def test_a_tar_with_a_damaged_header_is_refused(tmp_path: Path) -> None:
    whole = bytearray(tarred({f"{n}.xml": b"<a/>" for n in range(3)}))
    whole[1024 + 150] ^= 1  # in the checksum of the second header
    (tmp_path / "a.tar").write_bytes(whole)
    with pytest.raises(SourceError, match=r"a\.tar: the archive is damaged: bad checksum"):
        build_collection(tmp_path / "a.tar", tmp_path / "c")


@pytest.mark.parametrize("suffix", sorted(COMPRESS))
def test_a_compressed_tar_cut_short_is_refused(tmp_path: Path, suffix: str) -> None:
    noise = random.Random(1).randbytes(3000).hex().encode()
    whole = COMPRESS[suffix](tarred({f"{n}.txt": noise for n in range(4)}))
    for cut in (0, 1, 9, len(whole) // 2, len(whole) - 1):
        (tmp_path / f"a.tar.{suffix}").write_bytes(whole[:cut])
        with pytest.raises(SourceError, match=rf"a\.tar\.{suffix}: .*damaged"):
            build_collection(tmp_path / f"a.tar.{suffix}", tmp_path / "c")


def test_links_devices_and_archives_inside_are_counted_not_read(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            entry = tarfile.TarInfo(f"{kind!r}.xml")
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
        entry = tarfile.TarInfo("inner.zip")
        archive.addfile(entry)
        archive.addfile(tarfile.TarInfo("a.txt"))
    report = build_collection(tmp_path / "a.tar", tmp_path / "c")
    assert report.passed_over == {"links and special files": 4, ".zip": 1}
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zipped_:
        link = zipfile.ZipInfo("link.xml")
        link.external_attr = 0o120777 << 16
        zipped_.writestr(link, "/etc/passwd")
        zipped_.writestr("inner.tar.gz", b"")
        zipped_.writestr("a.txt", b"")
    report = build_collection(tmp_path / "a.zip", tmp_path / "d")
    assert report.passed_over == {"links and special files": 1, ".gz": 1}


def test_duplicate_names_and_escapes_are_only_names(tmp_path: Path, build: Builder) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("a.xml", "<a/>")
            archive.writestr("a.xml", "<b/>")
    with pytest.raises(DocumentError, match="duplicate document id 'a'"):
        build({"a.zip": buffer.getvalue()})
    packed = tarred({"../../e.xml": b"<a/>", "/etc/f.xml": b"<a/>", "..": b"", "a\\b.xml": b"<a/>"})
    (tmp_path / "e.tar").write_bytes(packed)
    build_collection(tmp_path / "e.tar", tmp_path / "c", BuildOptions(id_rule=IdRule.parse("path")))
    assert list(Collection(tmp_path / "c").ids()) == ["../../e", "/etc/f", "a\\b"]


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.png"])
def test_a_sparse_file_is_no_way_around_the_limits(tmp_path: Path, name: str) -> None:
    """A sparse member of a small tar may claim to have a terabyte of zeros."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.size = tarfile.GNUTYPE_SPARSE, 0
    header = bytearray(entry.tobuf(tarfile.GNU_FORMAT))
    header[386:482] = (b"%011o\0" % 0) * 2 + b"\0" * 72
    header[483:495] = b"%011o\0" % (1 << 32)  # the size after expansion
    header[148:156] = b" " * 8
    header[148:155] = b"%06o\0" % sum(header)
    (tmp_path / "a.tar").write_bytes(bytes(header) + b"\0" * 1024)
    with pytest.raises((DocumentError, SourceError), match=r"a\.tar"):
        build_collection(tmp_path / "a.tar", tmp_path / "c")


@pytest.mark.parametrize("suffix", sorted(COMPRESS))
def test_bombs_are_refused_as_a_whole(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, expansion_allowance=1 << 20)
    zeros = b"\n" * (4 << 20)
    (tmp_path / f"a.jsonl.{suffix}").write_bytes(COMPRESS[suffix](zeros))
    with (
        pytest.raises(SourceError, match=rf"a\.jsonl\.{suffix}: holds more than 100 times"),
        open_input(tmp_path / f"a.jsonl.{suffix}") as file,
    ):
        while file.read(1 << 20):
            pass


def test_members_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    """An archive of a few kilobytes whose entries all refer to the same compressed bytes."""
    size = 8 << 20
    packed = zipped({"0.txt": b" " * size}, zipfile.ZIP_DEFLATED)
    local, rest = packed[: packed.index(b"PK\x01\x02")], packed[packed.index(b"PK\x01\x02") :]
    central = rest[: rest.index(b"PK\x05\x06")]
    entries = b"".join(central.replace(b"0.txt", b"%d.txt" % n) for n in range(10))
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 10, 10, len(entries), len(local), 0)
    (tmp_path / "a.zip").write_bytes(local + entries + end)
    with pytest.raises((SourceError, DocumentError), match=r"a\.zip"):
        build_collection(tmp_path / "a.zip", tmp_path / "c")


def test_errors_of_the_reader_of_members_are_not_the_archives(tmp_path: Path) -> None:
    """What fails while a member is used is not blamed on the archive."""
    (tmp_path / "a.zip").write_bytes(zipped({"a.xml": b"<a/>"}))
    with pytest.raises(OSError, match="No space left"):
        for _ in archive_members(str(tmp_path / "a.zip")):
            raise OSError(28, "No space left")
    with pytest.raises(OSError, match="No space left"), open_input(tmp_path / "a.zip"):
        raise OSError(28, "No space left")


@pytest.mark.parametrize("kind", sorted(PACK))
def test_altered_archives_end_in_errors_of_ours(tmp_path: Path, kind: str) -> None:
    draw = random.Random(kind)
    whole = PACK[kind](
        {"a.xml": TEXT[:600], "b.xml.gz": gzip.compress(TEXT), "c.jsonl.xz": lzma.compress(LINES)}
    )
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(draw.choice([1, 1, 3, 20])):
            at = draw.randrange(len(data) if draw.random() < 0.5 else 600)
            data[at] = draw.choice([0, 255, data[at] ^ 1, draw.randrange(256)])
        del data[draw.choice([len(data), draw.randrange(len(data))]) :]
        (tmp_path / f"a.{kind}").write_bytes(data)
        try:
            build_collection(tmp_path / f"a.{kind}", tmp_path / "c", force=True)
        except DoxevalError as error:
            assert f"a.{kind}" in str(error)
