"""Pictures come from the organiser's folder, if a document names them, and from nowhere else."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from assess_client import browser
from doxeval.assess.db import Campaign
from doxeval.assess.web import ALWAYS, PictureFolder
from doxeval.documents import Collection, build_collection
from doxeval.errors import InputError
from doxeval.pooling import Pool, PooledDocument
from seams import change

PNG = b"\x89PNG\r\n\x1a\nrest"
PICTURES = {
    "moon.png": PNG,
    "deep/sea.JPG": b"\xff\xd8\xff\xe0rest",
    "tide.gif": b"GIF89arest",
    "wave.webp": b"RIFF\0\0\0\0WEBPVP8 ",
    "salt.avif": b"\0\0\0\x20ftypavif",
}
REFUSED = {
    "drawing.svg": b"<svg xmlns='http://www.w3.org/2000/svg'><script>owned()</script></svg>",
    "page.html": b"<script>owned()</script>",
    "really-svg.png": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "really-png.gif": PNG,
    "empty.png": b"",
    "noending": PNG,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Pictures, files that are none, and a picture outside."""
    root = tmp_path / "pages"
    for name, content in (PICTURES | REFUSED).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    (tmp_path / "secret.png").write_bytes(PNG)
    return root


def test_pictures_have_the_type_that_their_content_has(folder: Path) -> None:
    pictures = PictureFolder(folder)
    types = {name: (pictures.read(name) or (b"", ""))[1] for name in PICTURES}
    assert list(types.values()) == [
        f"image/{kind}" for kind in ("png", "jpeg", "gif", "webp", "avif")
    ]
    assert all(pictures.has(name) for name in PICTURES)
    for name in REFUSED:
        assert pictures.read(name) is None, name


def test_no_name_leads_out_of_the_folder(folder: Path) -> None:
    (folder / "out.png").symlink_to("../secret.png")
    (folder / "inside.png").symlink_to("moon.png")
    (folder / "up").symlink_to("..")
    (folder / "loop.png").symlink_to("loop.png")
    (folder / "dir.png").mkdir()
    pictures = PictureFolder(folder)
    outside = str(folder.parent / "secret.png")
    for name in (
        *("../secret.png", "deep/../../secret.png", outside, "/" + outside, "up/secret.png"),
        *("out.png", "loop.png", "dir.png", "", ".", "..", "moon.png\0", "deep\\sea.JPG"),
        *("./moon.png", "deep//sea.JPG", "moon.png/", "a" * 5000 + ".png", "\ud800.png"),
    ):
        assert pictures.read(name) is None, name
        assert not pictures.has(name), name
    assert pictures.read("inside.png") == (PNG, "image/png")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_is_no_picture(folder: Path) -> None:
    os.mkfifo(folder / "pipe.png")
    pictures = PictureFolder(folder)
    assert (pictures.has("pipe.png"), pictures.read("pipe.png")) == (False, None)


def test_large_files_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, largest_picture=8)
    pictures = PictureFolder(folder)
    assert (pictures.has("moon.png"), pictures.read("moon.png")) == (False, None)


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a directory"):
        PictureFolder(tmp_path / "nowhere")


PAGE = (
    "<p>One.<img src='moon.png' alt='The moon'><img src='drawing.svg' alt='A drawing'>"
    "<img src='../secret.png' alt='A secret'><img src='https://example.org/x.png'>"
    "<img src='missing.png'></p>"
)


@pytest.fixture
def campaign(tmp_path: Path, new_campaign: Callable[..., Campaign]) -> Campaign:
    """A campaign whose documents have pictures."""
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "a.html").write_text(PAGE, encoding="utf-8")
    (sources / "b.html").write_text(PAGE, encoding="utf-8")
    build_collection([str(sources)], tmp_path / "collection")
    return new_campaign(
        collection=Collection(tmp_path / "collection"),
        pool=Pool({"7": (PooledDocument("a"),), "8": (PooledDocument("b"),)}),
    )


def test_documents_say_which_pictures_there_are(campaign: Campaign, folder: Path) -> None:
    client = browser(campaign, "ann", assets=folder)
    data = client.get("/api/article", params={"topic": "7", "doc": "a"}).json()
    assert [(picture["alt"], picture["number"]) for picture in data["pictures"]] == [
        ("The moon", 0),
        ("A drawing", None),
        ("A secret", None),
        ("", None),
    ]
    without = browser(campaign, "ann")
    data = without.get("/api/article", params={"topic": "7", "doc": "a"}).json()
    assert {picture["number"] for picture in data["pictures"]} == {None}


def test_pictures_are_served_by_their_numbers(campaign: Campaign, folder: Path) -> None:
    client = browser(campaign, "ann", assets=folder)
    own = {"topic": "7", "doc": "a"}
    answer = client.get("/api/picture", params=own | {"number": "0"})
    assert (answer.status_code, answer.content) == (200, PNG)
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == ALWAYS["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    for number in ("1", "2", "3", "9", "-1", "00000000", "", "x", "٠", "moon.png", "../secret.png"):
        answer = client.get("/api/picture", params=own | {"number": number})
        assert (answer.status_code, answer.json()["code"]) == (404, "picture"), number
    # The document must be in the queue of the topic.
    other = client.get("/api/picture", params={"topic": "7", "doc": "b", "number": "0"})
    assert other.status_code == 404
    assert client.get("/api/picture", params={"topic": "7", "number": "0"}).status_code == 400
