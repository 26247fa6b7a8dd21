"""Files of all kinds as sources of documents, for tests."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile


def mixed_files() -> dict[str, str | bytes]:
    """Documents, archives and JSONL, with broken documents and files that are none."""
    many = {
        f"m{at}.xml": f"<article><p>{at}</p><s{at % 3} dir='rtl'/></article>" for at in range(9)
    }
    return {
        **{f"a/{at:02}.xml": f"<article><sec>Number {at}</sec></article>" for at in range(17)},
        "a/05.html": "<p lang=en>the same stem</p><img src=../b/tide.png alt='Low tide'>",
        "a/broken.xml": "<article>",
        "a/notes.png": "",
        "b/large.jsonl": json_lines("l", 40),
        "b/one.tar.gz": tarred({**many, "photo.jpg": "", "m1.html": "<p>twin</p>"}),
        "b/other.zip": zipped({**many, "broken.xml": "<a>", "in.jsonl": json_lines("z", 5)}),
        "b/small.jsonl": json_lines("s", 2),
        "b/third.tar.gz": tarred({"only.png": ""}),
        "c/last.md": "# Head\n\nText. ![A tide](tide.png)\n\n7. Seven\n",
        "c/z.png": "",
    }


def tarred(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


def zipped(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def json_lines(first: str, count: int) -> str:
    lines = [
        json.dumps({"id": f"{first}{at}", "text": f"Line {at}.\n\nEnd."}) for at in range(count)
    ]
    return "\n\n".join(lines) + "\n"
