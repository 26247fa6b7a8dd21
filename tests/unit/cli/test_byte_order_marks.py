"""A byte order mark before a text file is never part of what the file holds."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from doxeval import Collection, build_collection, chunks
from doxeval.assessments import read_assessments
from doxeval.cli import main
from doxeval.comparison import read_earlier
from doxeval.navigation import read_navigation
from doxeval.pooling import read_pool
from doxeval.retrieve import stop_words
from doxeval.runs import FilePiece, PieceReader, read_run, run_blocks
from doxeval.topics import read_topics

MARK = b"\xef\xbb\xbf"
DOCS = {"a": "Thirty days. Unused goods only."}
QUESTION = {
    "id": "1",
    "question": "How long?",
    "needs": [{"spans": [{"doc": "a", "quote": "Thirty days"}]}],
}
XML_RUN = (
    '<inex-submission participant-id="1" run-id="mine" task="Focused" query="automatic">'
    '<topic topic-id="1"><result><file>a</file><path>/p[1]</path></result></topic>'
    "</inex-submission>"
)
XML_TOPIC = '<inex_topic topic_id="1" query_type="CO"><title>tea</title></inex_topic>'
XML_POOL = '<?xml version="1.0"?><pool topic="7"><file file="a"/></pool>'
XML_GRADES = (
    '<assessments pool="3" topic="7"><file file="a">'
    '<path path="/p[1]" exhaustiveness="1" specificity="1"/></file></assessments>'
)
SCORES = {"canonical": {"P": "P"}, "runs": [{"run": "mine", "mean": {"P": 0.5}}]}
CHUNK = '{"id": "1", "doc": "a", "start": 0, "end": 12}\n'
CHROMA = (
    "question,references,corpus_id\n"
    '"How long?","[{""content"": ""Thirty"", ""start_index"": 0, ""end_index"": 6}]",a\n'
)


def run(path: Path) -> Any:
    return list(read_run(path).results())


def in_blocks(path: Path) -> Any:
    return [result for block in run_blocks(path, 1) for result in block.run.results()]


def judged(path: Path) -> Any:
    return [(one.topic, one.document, one.highlights, one.grades) for one in read_assessments(path)]


def collected(path: Path) -> Any:
    place = path.parent / f"built-{path.parent.name}"
    build_collection(path, place)
    collection = Collection(place)
    return [(collection.id_of(one), collection.text_of(one)) for one in range(len(collection))]


READINGS: dict[str, tuple[str, str, Callable[[Path], Any]]] = {
    "a text run": ("a.run", "1 Q0 a 1 0.5 mine\n2 Q0 a 1 0.5 mine\n", run),
    "a text run in blocks": ("a.run", "1 Q0 a 1 0.5 mine\n2 Q0 a 1 0.5 mine\n", in_blocks),
    "a text run of passages": ("a.txt", "1 Q0 a 1 0.5 mine 3 9", run),
    "a run in XML": ("a.xml", XML_RUN, run),
    "a run in JSONL": ("a.jsonl", '{"topic": "1", "doc": "a"}\n', run),
    "a run in CSV": ("a.csv", "topic,doc\n1,a\n", run),
    "TREC's qrels": ("q.txt", "1 0 a 1\n1 0 b 0\n", judged),
    "INEX's qrels": ("q.txt", "1 Q0 a 6 100 3 3:6\n", judged),
    "grades in XML": ("q.xml", XML_GRADES, judged),
    "judgments": ("q.jsonl", '{"topic": "1", "doc": "a", "start": 0, "end": 5}\n', judged),
    "topics with tabs": ("t.tsv", "1\tsteam engine\n", read_topics),
    "topics in JSONL": ("t.jsonl", '{"id": "1", "title": "tea"}\n', read_topics),
    "topics in XML": ("t.xml", XML_TOPIC, read_topics),
    "a pool in text": ("p.txt", "7 0 a\n", read_pool),
    "a pool in JSONL": ("p.jsonl", '{"topic": "7", "doc": "a"}\n', read_pool),
    "a pool in XML": ("p.xml", XML_POOL, read_pool),
    "a model of navigation": ("n.json", '{"model": "depth"}', read_navigation),
    "earlier scores": ("last.json", json.dumps(SCORES), lambda path: read_earlier(path).runs),
    "words to leave out": ("stop.txt", "the\nof\n", lambda path: sorted(stop_words(path))),
    "questions in JSONL": (
        "q.jsonl",
        json.dumps(QUESTION),
        lambda path: list(chunks.questions(path, DOCS)),
    ),
    "questions in JSON": (
        "q.json",
        json.dumps([QUESTION]),
        lambda path: list(chunks.questions(path, DOCS)),
    ),
    "questions in CSV": ("q.csv", CHROMA, lambda path: list(chunks.questions(path, DOCS))),
    "a chunk file": ("c.jsonl", CHUNK, lambda path: list(chunks.read_chunks(path).records())),
    "documents in JSONL": (
        "d.jsonl",
        '{"id": "a", "text": "One."}\n',
        lambda path: dict(chunks.documents(path)),
    ),
    "a collection from JSONL": ("d.jsonl", '{"id": "a", "text": "One."}\n', collected),
    "a collection from plain text": ("d.txt", "One.\n\nTwo.", collected),
    "a collection from Markdown": ("d.md", "# One\n\nTwo.", collected),
    "a collection from HTML": ("d.html", "<p>One.</p>", collected),
    "a collection from XML": ("d.xml", "<a><p>One.</p></a>", collected),
}


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("what", READINGS)
def test_a_byte_order_mark_is_no_part_of_any_text_format(
    what: str, compressed: bool, tmp_path: Path
) -> None:
    name, text, read = READINGS[what]
    found = []
    for folder, data in (("plain", text.encode()), ("marked", MARK + text.encode())):
        path = tmp_path / folder / (f"{name}.gz" if compressed else name)
        path.parent.mkdir()
        path.write_bytes(gzip.compress(data) if compressed else data)
        found.append(str(read(path)).replace(f"/{folder}/", "/"))
    assert found[0] == found[1]


def test_only_the_first_piece_of_a_large_text_run_may_begin_with_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    first, second = MARK + b"1 Q0 a 1 0.5 mine\n", MARK + b"2 Q0 a 1 0.5 mine\n"
    path.write_bytes(first + second)
    pieces = [FilePiece(0, len(first)), FilePiece(len(first), len(first + second))]
    found = [
        topic
        for piece in pieces
        for block in PieceReader(str(path), piece).blocks(10)
        for topic in block.run.topics
    ]
    assert found == ["1", "\ufeff2"] == list(read_run(path).topics)


def test_convert_does_not_write_a_byte_order_mark(tmp_path: Path) -> None:
    path, out = tmp_path / "a.run", tmp_path / "b.run"
    path.write_bytes(MARK + b"1 Q0 a 1 0.5 mine\n")
    result = CliRunner().invoke(main, ["convert", str(path), str(out)])
    assert result.exit_code == 0, result.output
    assert out.read_bytes() == b"1 Q0 a 1 0.5 mine\n"
