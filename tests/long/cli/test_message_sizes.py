"""Messages have a size: however long the input is, what they quote of it is short."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from doxeval import evaluate, read_assessments
from helpers import doxeval, write_files

LONG = {"a word": "x" * 100_000, "words": "long " * 4000, "lines": "l\n" * 10_000}
# A message may quote a few names, a path or two, and its file.
LONGEST_LINE = 1200


@pytest.mark.parametrize("long", LONG.values(), ids=LONG)
def test_every_line_about_long_input_is_short(tmp_path: Path, long: str) -> None:
    ended = set()
    for words in commands(tmp_path, long):
        result = doxeval(*words)
        shown = [str(word)[:60] for word in words]
        assert len(result.stderr) < 20 * LONGEST_LINE, shown
        for line in result.stderr.splitlines():
            assert len(line) < LONGEST_LINE, (shown, line[:300], line[-300:])
        ended.add(result.exit_code)
    assert ended == {0, 1, 2}


def test_a_topic_of_a_million_characters_gives_a_short_warning(tmp_path: Path) -> None:
    topic = "t" * 1_000_000
    lines = [{"topic": name, "doc": "a", "start": 0, "end": 9} for name in ("7", topic)]
    write_files(tmp_path, {"my.jsonl": "".join(f"{json.dumps(line)}\n" for line in lines)})
    write_files(tmp_path, {"qrels": "7 Q0 a 9 99 0 0:9\n"})
    words = (tmp_path / "my.jsonl", "-a", tmp_path / "qrels", "-m", "MAiP")
    result = doxeval("evaluate", *words)
    assert result.exit_code == 0
    told = "warning: 1 topic of the run is not assessed and is ignored: "
    assert result.stderr == f"{told}{'t' * 79}…\n"
    table = evaluate(tmp_path / "my.jsonl", read_assessments(tmp_path / "qrels"), "MAiP")
    assert max(map(len, table.runs[0].warnings)) < 200


def commands(folder: Path, long: str) -> Iterator[tuple[object, ...]]:
    """Commands that meet a long text in every place, and mostly complain about it."""
    for name, text in contents(long).items():
        write_files(folder, {name: text})
    docs, collection = folder / "docs", folder / "collection"
    write_files(docs, {"a.xml": "<article><sec><p>One two.</p></sec></article>"})
    assert doxeval("collection", "build", docs, "--out", collection).exit_code == 0
    with_collection = ("--collection", collection)
    for record in (long, f"//{long}", f"/a/@{long}"):
        build = ("collection", "build", docs, "--out", folder / "c", "--force", "--id", record)
        yield build
        yield (*build, "--record", long)
    yield ("collection", "build", docs, "--out", folder / "d", "--encoding", long)
    for name in ("broken.xml", "entity.xml", "undefined.xml", "tags.xml", "ids.jsonl"):
        yield ("collection", "build", folder / name, "--out", folder / "e")
    for words in ((long,), ("a", long), ("a", f"/{long}[1]"), ("a", f"/article[1]/{long}[7]")):
        yield ("collection", "show", collection, *words)
    for query in (long, f"//a[about(., {long}", f"//a[about(.//{long}, x)]//", f"//{long}["):
        yield ("nexi", query)
    for name in (long, f"P@{long}", f"iP[{long}]", f"nxCG({long}=1)", f"nxCG({long})"):
        yield ("measures", name)
        yield ("evaluate", folder / "my.run", "-a", folder / "qrels", "-m", name)
    yield ("measures", f"nxCG@10(quant={long})")
    for name in ("topics.jsonl", "topics.xml", "topics.tsv", "field.jsonl"):
        yield ("topics", folder / name)
    for name in ("summary.json", "matrix.json", "routes.json", "model.json", "key.json"):
        yield ("navigation", folder / name, *with_collection)
    for name in ("judged.jsonl", "twice.jsonl", "graded.jsonl", "scale.jsonl", "qrels.long"):
        yield ("assessments", folder / name)
        yield ("assessments", folder / name, *with_collection)
        yield ("assessments", folder / name, "--pool", long)
        yield ("evaluate", folder / "my.run", "-a", folder / name, "-m", "MAgP", "-m", "nxCG@5")
        yield ("convert", folder / name, folder / "out", "--to", "trec")
        yield ("convert", folder / name, folder / "out", "--to", "qrels")
    for name in ("run.jsonl", "run.long", "run.xml", "run.csv", "number.jsonl"):
        run, qrels = folder / name, folder / "judged.jsonl"
        yield ("validate", run, "--task", "focused", *with_collection, "--format", "json")
        yield ("validate", run, "--task", long)
        yield ("validate", run, "--task", "sscas", "--targets", folder / "topics.jsonl")
        yield ("convert", run, folder / f"converted-{name}", "--to", "text")
        scored = (run, f"{long}={folder}/my.run", "-a", qrels, "-m", "MAgP", "-m", "MAiP")
        for verb in ("evaluate", "compare", "correlate"):
            yield (verb, *scored, "--format", "json")
            yield (verb, *scored, "--format", "json", *with_collection)
        yield ("compare", *scored, "--baseline", long)
        yield ("evaluate", *scored, "--preset", long, "--navigation", folder / "matrix.json")
    yield ("simulate", "-a", folder / "qrels", "--system", "perfect", "--out", folder / "p.run",
           *with_collection, "--quant", long)  # fmt: skip
    yield (long,)
    yield ("evaluate", f"--{long}")
    yield ("evaluate", "x", "--order", long)


def contents(long: str) -> dict[str, str]:
    """Files that hold a long text where there is room for one."""
    one_word = "".join(long.split())
    lines: dict[str, list[object]] = {
        "run.jsonl": [
            {"topic": topic, "doc": "a", "start": 0, "end": 9, "run": run}
            for topic, run in ((long, "x"), ("7", long), ("7", "y"), (long + "z", "x"))
        ],
        "number.jsonl": [{"topic": "7", "doc": "a", "start": long, "end": 9, long: 1}],
        "judged.jsonl": [
            {"topic": topic, "doc": doc, "start": 0, "end": 5, "docsize": 40, "pool": long}
            for topic in ("7", long)
            for doc in ("a", long)
        ],
        "graded.jsonl": [
            {"topic": long, "doc": "a", "path": path, "e": e, "s": s}
            for path, e, s in (
                ("/a[1]", 1, 1),
                (f"/a[1]/{one_word}[1]", 3, 0),
                ("/a[1]/b[2]", 0, 3),
            )
        ],
        "scale.jsonl": [{"topic": "7", "doc": long, "path": long, "e": long, "scale": long}],
        "topics.jsonl": [
            {"id": long, "title": long, "castitle": f"//{long}"},
            {"id": long, "title": f"({long}", "castitle": f"//a[about(., {long})]//b"},
            {"id": "7", "title": "x", "castitle": f"//{one_word}[about(., x)]"},
        ],
        "field.jsonl": [{"id": "1", long: "x"}],
        "ids.jsonl": [{"id": long + "\x01", "text": "One."}],
        "summary.json": [{"model": "summary", "weights": {long: {long: long}}, "partition": {}}],
        "matrix.json": [{"model": "matrix", "probabilities": {long: {long: {long: long}}}}],
        "routes.json": [{"model": "routes", "routes": [{"doc": long, "steps": [long]}]}],
        "model.json": [{"model": long}],
        "key.json": [{"model": "summary", long: 1}],
    }
    files = {name: "".join(f"{json.dumps(one)}\n" for one in many) for name, many in lines.items()}
    files["twice.jsonl"] = files["judged.jsonl"] * 2
    return files | {
        "my.run": "7 Q0 a 1 0.5 mine 0 9\n",
        "qrels": "7 Q0 a 9 99 0 0:9\n",
        "qrels.long": f"7 Q0 a 9 99 0 {one_word}\n",
        "run.long": f"7 Q0 {one_word} 1 {one_word} mine 0 9\n{one_word} Q0 a 1 1 x 0 9\n",
        "run.csv": f'topic,doc,start,end\n"{long}",a,0,9\n7,"{long}","{long}",9\n',
        "run.xml": f'<inex-submission run-id="{long}" task="{long}"><topic topic-id="{long}">'
        f"<result><file>{long}</file><path>{long}</path><rank>{long}</rank></result></topic>"
        "</inex-submission>",
        "topics.xml": f'<inex_topics><inex_topic topic_id="{long}" query_type="{long}">'
        f"<title>{long}</title><castitle>//{long}</castitle></inex_topic></inex_topics>",
        "topics.tsv": f"{long}\n",
        "broken.xml": f"<{one_word}><b></{one_word}>",
        "entity.xml": f'<!DOCTYPE a [<!ENTITY {one_word} SYSTEM "x">]><a>&{one_word};</a>',
        "undefined.xml": f"<a>&{one_word};</a>",
        "tags.xml": f"<{one_word} {one_word}='1' {one_word}='2'/>",
    }
