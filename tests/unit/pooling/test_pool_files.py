"""Files of pools: what is written is read again, and what is wrong is said."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given

from doxeval import Pool, pool_runs, read_pool, write_pool
from doxeval.errors import DoxevalError, FormatError, OutputError, SourceError
from doxeval.pooling import PooledDocument, PooledElement, PoolFormat, pool_losses
from strategies import pools


@given(pool=pools())
def test_jsonl_holds_everything(tmp_path_factory: pytest.TempPathFactory, pool: Pool) -> None:
    path = tmp_path_factory.mktemp("pool") / "pool.jsonl"
    write_pool(pool, path)
    again = read_pool(path)
    assert again == pool
    assert again.facts.date == pool.facts.date
    assert again.topics == pool.topics
    assert pool_losses(pool, "jsonl") == []
    first = path.read_bytes()
    write_pool(again, path)
    assert path.read_bytes() == first


@given(pool=pools(plain=True))
def test_lines_hold_documents_in_order(
    tmp_path_factory: pytest.TempPathFactory, pool: Pool
) -> None:
    path = tmp_path_factory.mktemp("pool") / "pool.txt"
    assert pool_losses(pool, "trec") == []
    write_pool(pool, path)
    again = read_pool(path)
    assert again == pool
    assert again.topics == pool.topics


@given(pool=pools())
def test_inex_holds_documents_and_elements(
    tmp_path_factory: pytest.TempPathFactory, pool: Pool
) -> None:
    path = tmp_path_factory.mktemp("pool") / "pool"
    write_pool(pool, path, "inex")
    assert path.is_dir() == (len(pool.topics) > 1)
    assert read_pool(path).documents == {
        topic: tuple(
            PooledDocument(
                one.document,
                elements=tuple(part for part in one.elements if part.path is not None),
            )
            for one in pooled
        )
        for topic, pooled in pool.documents.items()
    }


RUNS = {
    "top secret": {"7": [("a", "/s[1]/p[1]"), ("b", 0, 9)]},
    "other": {"7": ["c"], "8": ["c"]},
}


@pytest.mark.parametrize("format", ["inex", "trec"])
def test_assessors_do_not_learn_where_a_document_comes_from(
    tmp_path: Path, format: PoolFormat
) -> None:
    pool = pool_runs(RUNS, depth=5)
    write_pool(pool, tmp_path / "pool", format)
    files = [tmp_path / "pool"] if format == "trec" else list((tmp_path / "pool").iterdir())
    text = "".join(file.read_text() for file in files)
    for secret in ("secret", "other", "depth", "0.01", str(pool.facts.version), "202"):
        assert secret not in text
    assert "a" in text


@pytest.mark.parametrize(
    ("format", "lost"),
    [
        ("jsonl", []),
        ("inex", ["passages", "priorities", "contributions of runs", "how the pool was made"]),
        (
            "trec",
            [
                *("elements", "passages", "topics without documents", "priorities"),
                *("contributions of runs", "how the pool was made"),
            ],
        ),
    ],
)
def test_what_a_form_leaves_out_is_known(format: PoolFormat, lost: list[str]) -> None:
    assert pool_losses(pool_runs(RUNS, depth=5, topics=["7", "9"]), format) == lost


def test_a_frozen_pool_names_its_runs_by_hash(tmp_path: Path) -> None:
    run = tmp_path / "mine.run"
    run.write_text("7 Q0 a 1 0.5 mine\n")
    pool = pool_runs([run], depth=5)
    write_pool(pool, tmp_path / "pool.jsonl")
    head = json.loads((tmp_path / "pool.jsonl").read_text().split("\n")[0])
    digest = hashlib.sha256(b"7 Q0 a 1 0.5 mine\n").hexdigest()
    assert head["runs"] == [{"name": "mine", "results": 1, "file": str(run), "sha256": digest}]
    assert head["method"] == "depth"
    assert head["depth"] == 5
    assert (head["seed"], head["topics"]) == (0, ["7"])
    assert head["date"].endswith("Z")


HEAD = '{"pool": 1, "method": "depth", "topics": ["7"]}\n'
WRONG = {
    "": "no pooled documents in the file",
    "7\n": "1: 1 column: expected `topic 0 doc`",
    "7 0 a 1\n": "1: a grade of '1' is a judgment",
    "7 0 a b c\n": "1: 5 columns",
    "7 0 a\n7 0 a.xml\n": "2: document 'a' is in the pool of its topic twice",
    "{": "1: expected a JSON object",
    "{}\n[1]\n": "1: topic is missing: expected a text|doc is missing",
    '{"pool": 2}\n': "1: a pool of version 2: expected 1",
    '{"pool": 1, "method": "best"}\n': "1: method is 'best': expected depth or rrf",
    '{"pool": 1, "topics": ["7", "7"]}\n': "1: topics is .*: expected a list of different names",
    '{"pool": 1, "runs": 7}\n': "1: runs is 7: expected a list",
    '{"pool": 1, "runs": [7]}\n': "1: expected a JSON object",
    '{"pool": 1, "runs": [{"name": "a"}]}\n': "1: results is missing: expected a whole number",
    '{"pool": 1, "depth": 1.5}\n': "1: depth is 1.5: expected a whole number from 0 on",
    '{"pool": 1, "depth": true}\n': "1: depth is True: expected a whole number from 0 on",
    HEAD + '{"topic": "7"}\n': "2: doc is missing: expected a text",
    HEAD + '{"topic": 7, "doc": "a"}\n': "2: topic is 7: expected a text",
    HEAD + '{"topic": "7", "doc": "a", "priority": NaN}\n': "2: priority is nan: expected a number",
    HEAD + '{"topic": "7", "doc": "a", "rank": 3}\n': "2: unknown field 'rank'",
    HEAD + '{"topic": "7", "doc": "a", "elements": [{}]}\n': "2: a pooled element is a path, or a",
    HEAD + '{"topic": "7", "doc": "a", "elements": [{"start": 5, "end": 2}]}\n': "2: the range",
    HEAD + '{"topic": "7", "doc": "a", "contributors": [["x"]]}\n': "2: contributors is ",
    HEAD + '{"topic": "7", "doc": "a"}\n{"topic": "7", "doc": "a"}\n': "3: document 'a' is in the",
    "<pools/>": 'no <pool topic="…"> in the file',
    "<pool/>": '1: <pool> without topic="…"',
    '<pool topic="7">\n<path/></pool>': "2: <path> in a pool: expected <file>",
    '<pool topic="7">\n<file/></pool>': '2: <file> without file="…"',
    '<pool topic="7"><file file="a"/>\n<file file="a"/></pool>': "2: document 'a' is in the pool",
    '<pool topic="7"><file file="a">\n<path/></file></pool>': "2: <path> in a file: expected <path",
    '<pools><pool topic="7"/>\n<pool topic="7"/></pools>': "2: a second pool of topic '7'",
    '<pool topic="7"><file>': "no element found|1",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_in_a_file_is_said_with_its_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "pool"
    path.write_text(text)
    with pytest.raises(FormatError, match=WRONG[text]) as caught:
        read_pool(path)
    assert str(caught.value).startswith(str(path))


def test_other_spellings_are_read(tmp_path: Path) -> None:
    path = tmp_path / "pool"
    expected = {"7": (PooledDocument("a"), PooledDocument("b"))}
    for text in (
        "7 a\n7 b.xml\n",
        "7 Q0 ./a\n\n7 0 b\n",
        "7 0 a -1\n7 0 b -1\n",
        '{"topic": "7", "doc": "a"}\n{"topic": "7", "doc": "b.xml"}\n',
        '<pool topic="7"><file file="a.xml"/><file name="b"/></pool>',
        '\ufeff<?xml version="1.0"?><pool topic="7"><file file="a"/><file file="b"/></pool>',
    ):
        path.write_text(text, encoding="utf-8")
        assert read_pool(path).documents == expected, text


def test_a_directory_holds_each_topic_once(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no files in the directory"):
        read_pool(tmp_path)
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_text('<pool topic="7"><file file="a"/></pool>')
    with pytest.raises(FormatError, match=r"b\.xml: a second pool of topic '7'"):
        read_pool(tmp_path)


@pytest.mark.parametrize(
    ("pool", "name", "format", "message"),
    [
        (Pool({"7": (PooledDocument("a b"),)}), "p", "trec", "the name 'a b' holds ' ', which the"),
        (
            Pool({"7": (PooledDocument("a\x01"),)}),
            "p",
            "inex",
            r"holds '\\x01', which the format",
        ),
        (Pool({"{7": ()}), "p", "trec", "would make the file look like one of another format"),
        (Pool({"7": (PooledDocument("a"),)}), "p", "csv", "no format 'csv' of pools; there are"),
        (Pool({"7": (PooledDocument("a"),)}), "p.jsonl.gz", None, "are not written compressed"),
    ],
)
def test_what_cannot_be_written_is_refused(
    tmp_path: Path, pool: Pool, name: str, format: PoolFormat | None, message: str
) -> None:
    with pytest.raises(OutputError, match=message):
        write_pool(pool, tmp_path / name, format)
    assert list(tmp_path.iterdir()) == []


def test_no_topic_leads_out_of_the_directory(tmp_path: Path) -> None:
    pool = Pool({"../x": (), "/etc": (PooledDocument("a", elements=(PooledElement("/s[1]"),)),)})
    write_pool(pool, tmp_path / "pool", "inex")
    assert {path.name for path in tmp_path.iterdir()} == {"pool"}
    assert set(read_pool(tmp_path / "pool").documents) == {"../x", "/etc"}
    with pytest.raises(OutputError, match="exists; expected a new or an empty directory"):
        write_pool(pool, tmp_path / "pool", "inex")


def test_a_file_that_is_not_there_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(DoxevalError, match="No such file"):
        read_pool(tmp_path / "none")
