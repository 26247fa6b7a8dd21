"""Collections at URLs: the same as local ones, downloaded once, and never believed unverified."""

from __future__ import annotations

import os
import pickle
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

from building import in_small_batches
from doxeval.documents import Collection, build_collection
from doxeval.errors import CollectionError
from doxeval.storage import cache_directory
from far_store import FarStore, bytes_read, files_read
from helpers import Builder, doxeval, write_files

FILES = {
    f"d{number}.xml": f"<art>text {number} <sec>{'x' * number}</sec></art>" for number in range(40)
}


@pytest.fixture
def near(build: Builder) -> Collection:
    return build(FILES)


@pytest.fixture
def url(near: Collection, own_cache: Path) -> str:
    return f"far://{near.directory}"


def cached_files(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.rglob("*") if path.is_file())


def test_it_is_the_same_collection(near: Collection, url: str, own_cache: Path) -> None:
    far = Collection(url)
    assert far == near
    assert (far.location, far.name) == (url, near.directory.name)
    assert far.directory == own_cache / near.checksum
    assert repr(far) == f"Collection('{url}'): 40 documents"
    assert [far.text_of(number) for number in range(40)] == [near.text_of(n) for n in range(40)]
    assert far.element("d3", "/art[1]/sec[1]").text == "xxx"
    assert far.statistics == near.statistics
    assert far.verify() == near.verify()


def test_all_is_kept_but_the_text(url: str, own_cache: Path, near: Collection) -> None:
    Collection(url)
    assert set(os.listdir(own_cache)) == {near.checksum}
    kept = {path.name: path.read_bytes() for path in (own_cache / near.checksum).iterdir()}
    there = {path.name: path.read_bytes() for path in near.directory.iterdir()}
    del there["text.bin"], there["manifest.json"], kept["manifest.json"], kept[".url"]
    assert kept == there
    assert "text.bin" not in files_read()


def test_opened_again_it_reads_only_the_manifest(url: str) -> None:
    Collection(url)
    FarStore.reads.clear()
    Collection(url)
    assert [name for name, _, _ in FarStore.reads] == ["manifest.json"]


def test_only_the_text_that_is_asked_for_is_read(url: str) -> None:
    far = Collection(url)
    for document in (30, 7, 21):
        FarStore.reads.clear()
        assert bytes_read() == 0
        text = far.text_of(document)
        assert bytes_read() == len(text.encode())
        assert far.text_of(document) == text  # from the cache of a few texts
        assert len(FarStore.reads) == 1


def test_texts_one_after_another_are_read_ahead(url: str, near: Collection) -> None:
    far = Collection(url)
    FarStore.reads.clear()
    for document in range(40):
        far.text_of(document)
    assert len(FarStore.reads) == 2
    assert bytes_read() == (near.directory / "text.bin").stat().st_size


@given(
    st.lists(st.text("aé ", max_size=9), min_size=1, max_size=12),
    st.integers(1, 4),
    st.data(),
)
def test_texts_in_parts_are_read_as_if_they_were_here(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], in_part: int, data: st.DataObject
) -> None:
    directory = tmp_path_factory.mktemp("parts")
    files = {f"{number:02}.txt": text for number, text in enumerate(texts)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOXEVAL_CACHE", str(directory / "cache"))
        in_small_batches(patch, batch_documents=in_part, shard_batches=1, shards_until_larger=1000)
        build_collection(write_files(directory / "s", files), directory / "c")
        far = Collection(f"far://{directory / 'c'}")
        FarStore.reads.clear()
        documents = st.integers(0, len(texts) - 1)
        for begin in data.draw(st.lists(documents, max_size=6)):
            for document in range(begin, data.draw(documents) + 1):  # some follow each other
                assert far.text_of(document) == texts[document]
    sizes = {path.name: path.stat().st_size for path in (directory / "c").iterdir()}
    for name, begin, end in FarStore.reads:
        assert 0 <= begin < end <= sizes[name], "asked for what is not there"


def test_a_pickle_needs_no_connection_if_the_cache_is_complete(url: str, near: Collection) -> None:
    pickled = pickle.dumps(Collection(url))
    assert len(pickled) < 400
    FarStore.reads.clear()
    assert pickle.loads(pickled) == near
    assert FarStore.reads == []
    shutil.rmtree(cache_directory())
    assert pickle.loads(pickled).text_of(3) == near.text_of(3)


def test_a_pickle_of_another_collection_is_refused(
    url: str, near: Collection, build: Builder
) -> None:
    pickled = pickle.dumps(Collection(url))
    shutil.rmtree(near.directory)
    shutil.copytree(build({"z.xml": "<a>z</a>"}).directory, near.directory)
    assert pickle.loads(pickled).ids() is not None  # the cache still has it
    shutil.rmtree(cache_directory())
    with pytest.raises(CollectionError, match="is not the one that was pickled"):
        pickle.loads(pickled)


def test_another_collection_at_the_url_gets_a_cache_of_its_own(
    url: str, near: Collection, build: Builder, own_cache: Path
) -> None:
    checksum = Collection(url).checksum
    shutil.rmtree(near.directory)
    other = build({"z.xml": "<a>z</a>"})
    shutil.copytree(other.directory, near.directory)
    assert list(Collection(url).ids()) == ["z"]
    assert set(os.listdir(own_cache)) == {checksum, other.checksum}


def test_an_archive_at_a_url(near: Collection, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "wiki"), "zip", near.directory)
    far = Collection(f"zip://::file://{archive}")
    assert far == near
    assert far.text_of(5) == near.text_of(5)


def test_a_local_url_is_opened_where_it_is(near: Collection, own_cache: Path) -> None:
    there = Collection(near.directory.as_uri())
    assert there == near
    assert there.directory == near.directory
    assert there.location == near.directory.as_uri()
    assert pickle.loads(pickle.dumps(there)) == near
    assert not own_cache.exists()


def test_what_is_downloaded_is_said_once(url: str, capfd: pytest.CaptureFixture[str]) -> None:
    far = Collection(url)
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"downloading {url} (")
    assert said.err.endswith(f") to {far.directory}\n")
    Collection(url)
    assert capfd.readouterr().err == ""


# What is no URL of a collection


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("nowhere://a/b", "nowhere://a/b: cannot be opened: Protocol not known: nowhere"),
        ("s3://bucket/wiki", "s3://bucket/wiki: cannot be opened: Install s3fs"),
        ("memory://nothing/here", "memory://nothing/here: no collection here"),
        ("file://data/wiki", "expected three slashes and a whole path"),
        ("sftp://me:secret@host/wiki", "the URL contains a password"),
        ("https://host/wiki?token=1", "expected the URL of a directory, without"),
        (Path("s3://bucket/wiki"), "s3:/bucket/wiki: a URL is given as a string"),
        ("http://[::1", r"http://\[::1: this is not a URL: Invalid IPv6 URL"),
        ("s3://[", r"s3://\[: this is not a URL: Invalid IPv6 URL"),
        ("http://[zz]/wiki", "this is not a URL: 'zz' does not appear to be"),
        ("http://\u2100.com/wiki", "this is not a URL: netloc .* contains invalid characters"),
        ("file://[::1", "this is not a URL: Invalid IPv6 URL"),
        ("file:///a%00b", "expected three slashes and a whole path"),
        ("http://host:port/wiki", "cannot be read: "),
        ("http://host:99999999/wiki", "cannot be read: "),
        ("zip://a::http://[::1", "cannot be opened: "),
        ("C:\\wiki", "no such directory"),
        ("a:b", "no such directory"),
        ("C://wiki", "no such directory"),
        ("./s3://wiki", "no such directory"),
    ],
)
def test_what_cannot_be_opened_is_told(location: str | Path, message: str) -> None:
    with pytest.raises(CollectionError, match=message.replace("?", r"\?")):
        Collection(location)


def test_fsspec_is_an_extra(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(CollectionError, match=r"needs fsspec: pip install 'doxeval\[remote\]'"):
        Collection(url)


def test_no_password_is_repeated() -> None:
    for url in ("sftp://me:secret@host/wiki", "sftp://me:secret@[::1/wiki"):
        with pytest.raises(CollectionError) as told:
            Collection(url)
        assert "secret" not in str(told.value)


# The command line


def test_commands_take_urls(url: str, near: Collection) -> None:
    for words in (
        ("collection", "info"),
        ("collection", "list"),
        ("collection", "show", "d3"),
        ("collection", "find", "text 3"),
        ("nexi", "//art//sec[about(., x)]", "--collection"),
    ):
        place = 2 if words[0] == "collection" else len(words)
        results = [
            doxeval(*words[:place], where, *words[place:]) for where in (url, near.directory)
        ]
        assert results[0].exit_code == 0, results[0].stderr
        outputs = [result.stdout.replace(url, str(near.directory)) for result in results]
        assert outputs[0] == outputs[1]
    verified = doxeval("collection", "verify", url)
    assert verified.stdout.startswith(f"{url}: 21 files")


def test_a_url_can_be_indexed_and_searched(url: str, near: Collection, own_cache: Path) -> None:
    def search(where: object) -> Result:
        return doxeval("search", where, "--words", "text 3", "--min-words", 1)

    assert "has no index" in search(url).stderr
    built = doxeval("index", "build", url, "--jobs", 1)
    assert built.exit_code == 0, built.stderr
    assert built.stdout.startswith(str(own_cache / f"{near.checksum}.index"))
    doxeval("index", "build", near.directory, "--jobs", 1)
    found = [search(where) for where in (url, near.directory)]
    assert found[0].stdout == found[1].stdout != ""
    assert doxeval("index", "info", url).exit_code == 0


def test_what_is_at_a_url_can_be_merged(url: str, build: Builder, tmp_path: Path) -> None:
    other = build({"z.xml": "<art>last</art>"})
    out = tmp_path / "both"
    assert doxeval("collection", "merge", url, other.directory, "--out", out).exit_code == 0
    both = Collection(out)
    assert (len(both), both.text_of(0), both.text_of(40)) == (41, "text 0 ", "last")
    assert both.verify().problems == ()


def test_nothing_is_written_to_a_url(near: Collection, build: Builder, tmp_path: Path) -> None:
    source, other = write_source(tmp_path), build({"z.xml": "<art>last</art>"}).directory
    for words in (
        ("collection", "build", source, "--out", "far://out"),
        ("collection", "build", source, "--out", "s3://bucket/wiki"),
        ("collection", "merge", near.directory, other, "--out", "s3://bucket/both"),
        ("index", "build", near.directory, "--out", "s3://bucket/wiki.index"),
    ):
        result = doxeval(*words)
        assert result.exit_code == 1
        assert f"{words[-1]}: only local directories can be written" in result.stderr


def write_source(tmp_path: Path) -> Path:
    (tmp_path / "a.xml").write_text("<a>one</a>")
    return tmp_path / "a.xml"
