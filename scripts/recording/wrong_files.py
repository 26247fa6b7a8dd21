"""Files with wrong and hostile input of every format, for the calls of `wrong.txt`.

What `tests/data/hostile` keeps is tried as well.
"""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from recording.worlds import FILES, SALT, lines, parquet, tarred, zipped


def _link(target: str) -> bytes:
    """Return a tar archive with a symbolic link."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        entry = tarfile.TarInfo("link.xml")
        entry.type, entry.linkname = tarfile.SYMTYPE, target
        archive.addfile(entry)
    return data.getvalue()


def _escaping() -> bytes:
    """Return a zip archive whose members lead out of it."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in ("../../out.xml", "/etc/out2.xml", "c:\\out3.xml"):
            archive.writestr(zipfile.ZipInfo(name), SALT)
    return data.getvalue()


_LAUGHS = "".join(f'<!ENTITY x{i} "{f"&x{i - 1};" * 10}">' for i in range(1, 9))

# Anything that is not what a reader expects; each is tried with every reader.
ANY: dict[str, bytes] = {
    "empty": b"",
    "blank": b" \n\t\n",
    "nul": b"\x00\x00\x00\x00",
    "binary": bytes(range(256)),
    "latin1": "caf\u00e9 1 2 3 4 5\n".encode("latin-1"),
    "utf16": "7 Q0 a 1 1 r\n".encode("utf-16"),
    "bom": b"\xef\xbb\xbf",
    "words": b"once upon a time\n",
    "number": b"7\n",
    "array": b"[]\n",
    "object": b"{}\n",
    "deep": b"[" * 100_000,
    "html": b"<!doctype html><p>x",
    "control": b"\x1b[2J\x07\x08\n",
    "long": b"x" * 100_000,
}

FILES_WRONG: dict[str, bytes] = {
    **{f"{name}.{suffix}": data for name, data in ANY.items()
       for suffix in ("run", "jsonl", "xml", "csv", "json", "txt", "parquet", "tsv")},
    # XML
    "bomb.xml": f'<!DOCTYPE a [<!ENTITY x0 "ha">{_LAUGHS}]><a>&x8;</a>'.encode(),
    "external.xml": b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    "parameter.xml": b'<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1:1/x"> %p;]><a/>',
    "unknown_entity.xml": b"<a>&nosuch;</a>",
    "bottomless.xml": b"<a>" * 2000 + b"</a>" * 2000,
    "unclosed.xml": b"<a><b>text</a>",
    "two_roots.xml": b"<a/><b/>",
    "bad_encoding.xml": b'<?xml version="1.0" encoding="nosuch"?><a/>',
    "not_utf8.xml": b"<a>\xff</a>",
    "charref.xml": b"<a>&#0;&#xD800;</a>",
    "attributes.xml": b'<a x="1" x="2"/>',
    "namespace.xml": b"<p:a/>",
    # Archives
    "escape.zip": _escaping(),
    "escape.tar": tarred(______etc__x_xml=SALT),
    "link.tar": _link("/etc/passwd"),
    "inner.zip": zipped(inner_zip=zipped(salt_xml=SALT)),
    "twice.zip": zipped(a__salt_xml=SALT, b__salt_xml=SALT),
    "cut.zip": zipped(salt_xml=SALT)[:-30],
    "cut.xml.gz": gzip.compress(SALT * 50, mtime=0)[:-20],
    "nogz.xml.gz": SALT,
    "nozip.zip": b"PK but no more",
    "notar.tar": b"no archive",
    "nozst.xml.zst": b"no zst",
    "bomb.xml.gz": gzip.compress(b"<a>" + b"x" * 3_000_000 + b"</a>", mtime=0),
    # Documents in JSONL, records
    "dup.jsonl": lines({"id": "a", "text": "x"}, {"id": "a", "text": "y"}),
    "noid.jsonl": lines({"text": "x"}),
    "notext.jsonl": lines({"id": "a"}),
    "spaced.jsonl": lines({"id": "a b", "text": "x"}),
    "surrogate.jsonl": b'{"id": "a", "text": "\\ud800"}\n',
    "nulid.jsonl": b'{"id": "a\\u0000", "text": "x"}\n',
    "longid.jsonl": lines({"id": "i" * 5000, "text": "x"}),
    "norecords.xml": b"<dump><q/></dump>",
    "noids.xml": b"<dump><r>x</r></dump>",
    # Runs
    "few.run": b"7 Q0 tides\n",
    "many.run": b"7 Q0 tides 1 1 r 1 2 3\n",
    "mixed.run": b"7 Q0 tides 1 1 r 1 2\n7 Q0 tides 2 1 r /article[1]\n",
    "badrank.run": b"7 Q0 tides x 1 r 1 2\n",
    "badscore.run": b"7 Q0 tides 1 x r 1 2\n",
    "nan.run": b"7 Q0 tides 1 nan r 1 2\n",
    "inf.run": b"7 Q0 tides 1 1e999 r 1 2\n",
    "negative.run": b"7 Q0 tides 1 1 r -1 2\n",
    "huge.run": b"7 Q0 tides 1 1 r 99999999999999999999999 2\n",
    "beyond.run": b"7 Q0 tides 1 1 r 70 500\n",
    "nodoc.run": b"7 Q0 nowhere 1 1 r 1 2\n",
    "nopath.run": b"7 Q0 tides 1 1 r /article[1]/sec[9]\n",
    "badpath.run": b"7 Q0 tides 1 1 r /article[0]\n",
    "badpath2.run": b"7 Q0 tides 1 1 r article\n",
    "badpoint.run": b"7 Q0 tides 1 1 r /article[1]/text()[9].1 /article[1]\n",
    "backward.run": b"7 Q0 tides 1 1 r /article[1]/sec[2] /article[1]/title[1]\n",
    "tworuns.run": b"7 Q0 tides 1 1 r 1 2\n7 Q0 tides 2 1 s 3 4\n",
    "apart.run": b"7 Q0 tides 1 1 r 1 2\n8 Q0 salt 1 1 r 1 2\n7 Q0 waves 2 1 r 1 2\n",
    "same.run": b"7 Q0 tides 1 1 r 1 2\n7 Q0 tides 2 1 r 1 2\n",
    "othertopics.run": b"99 Q0 tides 1 1 r 1 2\n",
    "nulline.run": b"7 Q0 tides\x00 1 1 r 1 2\n",
    "notutf8.run": b"7 Q0 tides 1 1 r 1 2\n7 Q0 \xff 2 1 r 1 2\n",
    "bomrun.run": b"\xef\xbb\xbf7 Q0 tides 1 1 r 1 2\n",
    "crlf.run": b"7 Q0 tides 1 1 r 1 2\r\n",
    "norun.xml": b"<inex-submission/>",
    "notopic.xml": b'<inex-submission run-id="x"><topic><result/></topic></inex-submission>',
    "nofile.xml": b'<inex-submission run-id="x"><topic topic-id="7"><result/></topic>'
    b"</inex-submission>",
    "both.xml": b'<inex-submission run-id="x"><topic topic-id="7"><result><file>tides</file>'
    b'<path>/article[1]</path><fol offset="1" length="2"/></result></topic></inex-submission>',
    "unknown.jsonl": lines({"topic": "7", "doc": "tides", "colour": "red"}),
    "contradict.jsonl": lines({"topic": "7", "doc": "tides", "start": 1, "end": 2, "path": "/a"}),
    "onlystart.jsonl": lines({"topic": "7", "doc": "tides", "start": 1}),
    "order.jsonl": lines({"topic": "7", "doc": "tides", "start": 5, "end": 2}),
    "types.jsonl": lines({"topic": 7, "doc": ["tides"], "start": "x", "end": True}),
    "float.jsonl": lines({"topic": "7", "doc": "tides", "start": 1.5, "end": 2}),
    "nanscore.jsonl": b'{"topic": "7", "doc": "tides", "score": NaN}\n',
    "twokeys.jsonl": b'{"topic": "7", "doc": "a", "doc": "tides"}\n',
    "cutline.jsonl": b'{"topic": "7", "doc": "tides"\n',
    "lone.jsonl": b'{"topic": "7", "doc": "\\udc80"}\n',
    "bigint.jsonl": b'{"topic": "7", "doc": "tides", "start": 0, "end": ' + b"9" * 5000 + b"}\n",
    "nohead.csv": b"7,tides,1,2\n",
    "nohead_scores.csv": b"lm,7,0.5\nbm25,7,0.25\n",
    "twice_scores.csv": b"run,topic,AP\nlm,7,.5\nlm,7,.5\n",
    "word_scores.csv": b"run,topic,AP\nlm,7,half\n",
    "mean_scores.csv": b"run,topic,measure,value\nlm,all,AP,.5\nbm25,all,AP,.25\n",
    "topic_scores.csv": b"run,topic,AP\nlm,7,.5\nlm,8,.5\nbm25,7,.25\n",
    "widecsv.csv": b"topic,doc\n7,tides,1\n",
    "twicecol.csv": b"topic,topic,doc\n7,7,tides\n",
    "quote.csv": b'topic,doc\n7,"tides\n',
    "hugefield.csv": b"topic,doc\n7," + b"x" * 200_000 + b"\n",
    "cut.parquet": FILES["r.parquet"][:-9],
    "columns.parquet": parquet([{"a": 1}]),
    "types.parquet": parquet([{"topic": "7", "doc": "tides", "start": "x", "end": "y"}]),
    # Assessments
    "twice.txt": b"7 Q0 tides 28 78 28 28:28\n7 Q0 tides 28 78 28 28:28\n",
    "sum.txt": b"7 Q0 tides 5 78 28 28:28\n",
    "end.txt": b"7 Q0 tides 28 30 28 28:28\n",
    "size.txt": b"7 Q0 tides 28 99 28 28:28\n",
    "overlap.txt": b"7 Q0 tides 7 78 28 0:5 3:4\n",
    "bep.txt": b"7 Q0 tides 28 78 x 28:28\n",
    "pair.txt": b"7 Q0 tides 28 78 28 28-28\n",
    "grade.txt": b"7 0 tides high\n",
    "trectwice.txt": b"7 0 tides 1\n7 0 tides 0\n",
    "path.xml": b'<assessments topic="7"><file file="tides"><path/></file></assessments>',
    "graded4.xml": b'<assessments topic="7"><file file="tides"><path path="/article[1]" '
    b'exhaustiveness="4" specificity="2"/></file></assessments>',
    "coverage.xml": b'<assessments topic="7"><file file="tides"><path path="/article[1]" '
    b'relevance="1" coverage="X"/></file></assessments>',
    "topicless.xml": b'<assessments><file file="tides"/></assessments>',
    "passage.xml": b'<assessments topic="7"><file name="tides"><passage start="/article[1]"/>'
    b"</file></assessments>",
    "scale.jsonl": lines({"topic": "7", "doc": "tides", "path": "/article[1]", "e": 9, "s": 1}),
    "scale2.jsonl": lines({"topic": "7", "doc": "tides", "path": "/a", "e": 1, "scale": "1999"}),
    "marks.jsonl": lines({"topic": "7", "doc": "tides", "judged": True, "marks": ["best"]}),
    "outside.jsonl": lines({"topic": "7", "doc": "tides", "start": 5, "end": 999}),
    "nosuch.jsonl": lines({"topic": "7", "doc": "nowhere", "start": 5, "end": 9}),
    "needgrade.jsonl": lines({"topic": "7", "doc": "tides", "start": 5, "end": 9, "grade": -1}),
    "length.jsonl": lines({"topic": "7", "doc": "tides", "judged": True, "docsize": 5}),
    # Topics and queries
    "noid.tsv": b"tides\n",
    "twice.tsv": b"7\ta\n7\tb\n",
    "untitled.tsv": b"7\t\n",
    "badnexi.tsv": b"7\t//a[about(., x]\n",
    "twice_topics.xml": b'<t><inex_topic topic_id="7"/><inex_topic topic_id="7"/></t>',
    "noid_topics.xml": b"<t><inex_topic><title>a</title></inex_topic></t>",
    "castitle.xml": b'<inex_topic topic_id="7"><castitle>//a[about(.,</castitle></inex_topic>',
    "unknown_topics.jsonl": lines({"id": "7", "titel": "a"}),
    "numbers_topics.jsonl": lines({"id": 7, "title": 3}),
    # Pools
    "judged_pool.txt": b"7 0 tides 1\n",
    "short_pool.txt": b"7\n",
    "version_pool.jsonl": b'{"pool": 99}\n{"topic": "7", "doc": "tides"}\n',
    "field_pool.jsonl": lines({"topic": "7", "doc": "tides", "size": 1}),
    "foreign_pool.txt": b"7 0 dragons\n",
    "none_pool.txt": b"99 0 tides\n",
    # Navigation
    "nomodel.json": b'{"model": "teleport"}',
    "negative.json": b'{"model": "matrix", "probabilities": {"tides": {"/article[1]": '
    b'{"/article[1]/sec[1]": -1}}}}',
    "above.json": b'{"model": "matrix", "probabilities": {"tides": {"/article[1]": '
    b'{"/article[1]/sec[1]": 1.5}}}}',
    "nowhere.json": b'{"model": "routes", "routes": [{"doc": "tides", "steps": ["/b[1]"]}]}',
    "steps.json": b'{"model": "routes", "routes": [{"doc": "tides"}]}',
    "nanweight.json": b'{"model": "summary", "weights": {"S": {"P": NaN}}}',
    "displayed.json": b'{"sec": "large"}',
    # Questions and chunks
    "needs3.jsonl": lines({"id": "1", "question": "?", "needs": 3}),
    "span.jsonl": lines({"id": "1", "question": "?", "needs": [{"spans": [{"doc": "terms"}]}]}),
    "far.jsonl": lines({"id": "1", "question": "?", "needs": [{"spans": [{"doc": "terms", "start":
                        1, "end": 999}]}]}),
    "lost.jsonl": lines({"id": "1", "question": "?", "needs": [{"spans": ["Nothing like this."]}]}),
    "grade0.jsonl": lines({"id": "1", "question": "?", "needs": [{"grade": 0, "spans": ["Ask"]}]}),
    "samequestion.jsonl": lines(*[{"id": "1", "question": "?", "needs": []}] * 2),
    "fields.json": b'[{"foo": 1}]',
    "squad_broken.json": b'{"data": [{"paragraphs": 3}]}',
    "nodoc_chunks.jsonl": lines({"id": "1", "doc": "gone", "start": 0, "end": 3}),
    "far_chunks.jsonl": lines({"id": "1", "doc": "terms", "start": 0, "end": 999}),
    "twice_chunks.jsonl": lines(*[{"id": "1", "doc": "terms", "start": 0, "end": 3}] * 2),
    "loop_chunks.jsonl": lines({"id": "1", "doc": "terms", "start": 0, "end": 3, "parent": "1"}),
    "orphan_chunks.jsonl": lines({"id": "1", "doc": "terms", "start": 0, "end": 3, "parent": "9"}),
    "foreign_texts.jsonl": lines({"id": "1", "doc": "terms", "text": "Nothing like it anywhere."}),
    "nochunk.jsonl": lines({"topic": "q1", "chunk": "99"}),
    "raises.py": b"def split(text):\n    return 1 / 0\n",
    "syntax.py": b"def split(text:\n",
    "scores.json": b'{"runs": [{"run": "mine"}]}',
}  # fmt: skip

# How each directory of tests/data/hostile is read; cases of `command-…` are calls themselves.
_KEPT = {
    "builds": "collection build % --out new",
    "html-documents": "collection build % --out new",
    "xml-documents": "collection build % --out new",
    "tar": "collection build % --out new --id path",
    "zip": "collection build % --out new --id path",
    "jsonl-assessments": "assessments % --collection $small",
    "parquet-runs": "validate % --task focused",
    "pools": "assess init new --collection $small --topics topics.tsv --pool %",
}
_KEPT_WORDS: dict[str, tuple[str, ...]] = {
    "encodings": ("collection", "build", "notes.txt", "--out", "new", "--encoding"),
    "measure-names": ("measures",),
    "nexi": ("nexi",),
    "paths-and-points": ("collection", "show", "../small/collection", "tides"),
}
Kept = tuple[str, list[str] | str, dict[str, bytes], str]


def kept(hostile: Path) -> Iterator[Kept]:
    """Yield the cases of `tests/data/hostile`: name, call (line or words), files, charset."""
    for path in sorted(hostile.glob("*/*")):
        folder, name, data = path.parent.name, f"{path.parent.name}/{path.name}", path.read_bytes()
        if folder.startswith("command-"):
            case = json.loads(data)
            files = {
                file: text.encode("utf-8", "surrogateescape")
                for file, text in case["files"].items()
            }
            words = [
                word.replace("../collection", "../small/collection") for word in case["arguments"]
            ]
            yield name, words, files, case.get("charset", "utf-8")
        elif folder in _KEPT:
            yield name, _KEPT[folder].replace("%", path.name), {path.name: data}, "utf-8"
        elif folder in _KEPT_WORDS:
            word = data.decode("utf-8", "surrogateescape").removesuffix("\n")
            files = {"notes.txt": FILES["notes.txt"]}
            yield name, [*_KEPT_WORDS[folder], word], files, "utf-8"
