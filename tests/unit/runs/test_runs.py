"""Runs: every format read, written, refused; order; resolution against a collection."""

from __future__ import annotations

import io
import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import example_collection, normalise_id
from doxeval.errors import FormatError, UnknownReference
from doxeval.runs import (
    FORMATS,
    Kind,
    Result,
    Run,
    RunFormat,
    losses,
    read_open_run,
    read_run,
    resolve,
)
from helpers import CONFORMANCE, Builder, needs_conformance, write_files
from levels import examples
from seams import change
from strategies import results


def written_and_read(run: Run, format_: RunFormat) -> Run:
    data = b"".join(FORMATS[format_].write(run))
    return read_open_run(io.BytesIO(data), f"run.{format_}", format_)


@pytest.mark.parametrize("format_", ["jsonl", "csv", "parquet"])
@examples(60)
@given(st.lists(results(), min_size=1, max_size=8), st.booleans(), st.booleans())
def test_records_hold_every_run(
    format_: RunFormat, wanted: list[Result], ranks: bool, scores: bool
) -> None:
    wanted = [
        result._replace(rank=result.rank if ranks else None, score=result.score if scores else None)
        for result in wanted
    ]
    run = written_and_read(Run.from_results(wanted, "mine"), format_)
    assert list(run.results()) == wanted
    assert run.run_id == "mine"


TEXT_KINDS: list[tuple[Kind, bool]] = [
    (Kind.DOCUMENT, False),
    (Kind.ELEMENT, False),
    (Kind.PASSAGE, False),
    (Kind.PASSAGE, True),
    (Kind.POINT, False),
]


@pytest.mark.parametrize(("kind", "by_points"), TEXT_KINDS)
@examples(40)
@given(data=st.data())
def test_text_holds_runs_of_one_kind(kind: Kind, by_points: bool, data: st.DataObject) -> None:
    wanted = data.draw(st.lists(results([kind], by_points), min_size=1, max_size=8))
    run = Run.from_results(wanted, "mine")
    assert losses(run, "text") == []
    assert list(written_and_read(run, "text").results()) == wanted


@examples(60)
@given(st.lists(results([Kind.DOCUMENT, Kind.ELEMENT, Kind.PASSAGE]), min_size=1, max_size=8))
def test_xml_holds_documents_elements_and_passages(wanted: list[Result]) -> None:
    assert list(written_and_read(Run.from_results(wanted, "mine"), "inex").results()) == wanted


def test_text_says_what_it_cannot_hold() -> None:
    tree = Result("1", "a", Kind.TREE, paths=("/p[1]",))
    assert losses(Run.from_results([tree, Result("1 2", "b")]), "text") == [
        "results of several kinds (document, tree)",
        "trees",
        "topics whose ids hold white space, like '1 2'",
    ]


XML = """<?xml version="1.0"?>
<inex-submission participant-id=" 12 " run-id="mine" task="CO.Thorough" query="automatic"
                 result-type="element">
 <topic-fields title="yes" castitle="no"/>
 <description>A &amp; B</description>
 <collections><collection>wikipedia</collection></collections>
 <topic topic-id=" 076 ">
  <collections><collection>ieee</collection></collections>
  <result><file> ./co/1999/r1.xml </file><path> /article[1]/sec[2] </path><rank>0</rank></result>
  <result><file>b</file><passage start="/a[1]/text()[1].2" end="/a[1]"/><rank>1</rank></result>
  <result><file>c</file><fol offset="5" length="10"/><rank>2</rank></result>
  <result><file>d</file><rank>3</rank></result>
 </topic>
</inex-submission>"""


def test_the_variants_of_inex_xml() -> None:
    run = read_open_run(io.BytesIO(XML.encode()), "run.xml", "inex")
    assert list(run.results()) == [
        Result("076", "co/1999/r1", Kind.ELEMENT, paths=("/article[1]/sec[2]",), rank=0),
        Result("076", "b", Kind.PASSAGE, paths=("/a[1]/text()[1].2", "/a[1]"), rank=1),
        Result("076", "c", Kind.PASSAGE, 5, 15, rank=2),
        Result("076", "d", rank=3),
    ]
    assert run.run_id == "mine"
    assert run.facts["participant_id"] == "12"
    assert run.facts["collections"] == ["ieee"]
    assert run.facts["topic_fields"] == {"title": "yes", "castitle": "no"}
    assert run.line.tolist() == [9, 10, 11, 12]
    assert run.warnings == ("2 results contradict the result-type 'element', the first on line 10",)


def test_text_runs_as_the_format_is_described(tmp_path: Path) -> None:
    cases = {
        "7 Q0 a 1 .5 r": Result("7", "a", rank=1, score=0.5),
        "7 Q0 a 1 .5 r /p[1]": Result("7", "a", Kind.ELEMENT, paths=("/p[1]",), rank=1, score=0.5),
        "7 Q0 a 1 .5 r 12": Result("7", "a", Kind.POINT, 12, rank=1, score=0.5),
        "7\tQ0\ta.xml\t1  .5 r 12 8": Result("7", "a", Kind.PASSAGE, 12, 20, rank=1, score=0.5),
        "7 Q0 a 1 .5 r /p[1] /p[2]": Result(
            "7", "a", Kind.PASSAGE, paths=("/p[1]", "/p[2]"), rank=1, score=0.5
        ),
    }
    for line, expected in cases.items():
        write_files(tmp_path, {"a.run": f"\n{line}\r\n  \n{line}"})
        run = read_run(tmp_path / "a.run")
        assert list(run.results()) == [expected, expected]
        assert run.line.tolist() == [2, 4]
    write_files(tmp_path, {"a.run": "7 Q0 a 1 .5 r 12 20"})
    assert next(read_run(tmp_path / "a.run", ends=True).results()).end == 20


GOOD = "7 Q0 a 1 .5 r"


@pytest.mark.parametrize(
    ("name", "contents", "message"),
    [
        ("a.run", "", r"a\.run: no results in the file"),
        ("a.run", "7 Q0 a 1 .5", r"a\.run:1: 5 fields; expected 6, 7 or 8 fields"),
        ("a.run", f"{GOOD}\n\n{GOOD} 3 4 5", r"a\.run:3: 9 fields; expected 6 fields as before"),
        ("a.run", f"{GOOD} 3 4\n{GOOD} 3", r"a\.run:2: 7 fields; expected 8 fields as before"),
        ("a.run", f"{GOOD} 3 4\n{GOOD} 3 -4", r"a\.run:2: '-4' is not a length"),
        ("a.run", f"{GOOD} X 4", r"a\.run:1: 'X' is not an offset: expected a whole number"),
        ("a.run", "7 Q0 a 1 .5\x00 r", r"a\.run:1: control character 0x00"),
        ("a.run", "7 Q0 a 1 . r", r"a\.run:1: '\.' is not a score"),
        ("a.run", "7 Q0 a 1 1.2.3 r", r"a\.run:1: '1\.2\.3' is not a score"),
        ("a.run", f"{GOOD} 3 4\n{GOOD} /p[1] /p[2]", r"a\.run:2: '/p\[1\]' is not an offset"),
        ("a.run", f"{GOOD} /p[1]\n{GOOD} 3", r"a\.run:2: '3' where a path that starts with '/'"),
        ("a.run", f"{GOOD} /p[1] 5", r"a\.run:1: '5' where a text point that starts with '/'"),
        ("a.run", "7 Q0 a x .5 r", r"a\.run:1: 'x' is not a rank"),
        ("a.run", "7 Q0 a 1 nan r", r"a\.run:1: 'nan' is not a score"),
        ("a.run", "7 Q0 a 1 1_0 r", r"a\.run:1: '1_0' is not a score"),
        (
            "a.run",
            f"{GOOD} 3 {'9' * 30}",
            r"a\.run:1: '9+' is not a length: expected a whole number of at",
        ),
        ("a.run", f"{GOOD} 3 {'9' * 5000}", r"a\.run:1: '9+…' is not a length"),
        ("a.run", b"7 Q0 \xff 1 .5 r", "is not UTF-8 text"),
        ("a.xml", "<a/>", r"a\.xml: no <topic> with a <result>"),
        ("a.xml", "<a>\n<topic/></a>", r"a\.xml:2: <topic> without topic-id"),
        ("a.xml", "<topic id='1'>\n<result/></topic>", r"a\.xml:2: <result> without <file>"),
        (
            "a.xml",
            "<topic id='1'><result><file>a</file><rank>-1</rank></result></topic>",
            "rank is '-1': expected a whole number",
        ),
        (
            "a.xml",
            "<topic id='1'><result><file>a</file><path>/p</path><fol/></result></topic>",
            "more than one unit",
        ),
        (
            "a.xml",
            "<topic id='1'><result><file>a</file><passage start='/p'/></result></topic>",
            "<passage> without start and end",
        ),
        ("a.jsonl", "{", r"a\.jsonl:1: expected a JSON object"),
        ("a.jsonl", "[]", r"a\.jsonl:1: expected an object with topic and doc"),
        ("a.jsonl", '{"topic": "1"}', r"a\.jsonl:1: doc is missing"),
        ("a.jsonl", '{"topic": "1", "doc": "a", "x": 1}', "unknown field 'x': expected topic"),
        ("a.jsonl", '{"topic": "1", "doc": "a", "start": 1}', "fields start together: expected"),
        (
            "a.jsonl",
            '{"topic": "1", "doc": "a", "start": 1, "end": 0}',
            "the passage ends at 0 before it starts at 1",
        ),
        (
            "a.jsonl",
            '{"topic": "1", "doc": "a", "start": 1.5, "end": 2}',
            r"start is 1\.5: expected a whole number",
        ),
        ("a.jsonl", '{"topic": "1", "doc": "a", "score": NaN}', "score is nan: expected a number"),
        ("a.jsonl", '{"topic": "1", "doc": "a", "nodes": "/p"}', "nodes is not a list of paths"),
        ("a.csv", "topic,doc\n1\n", r"a\.csv:2: expected 2 columns"),
        ("a.csv", "topic,doc,rank\n1,a,x\n", r"a\.csv:2: rank is 'x': expected a whole number"),
        ("a.csv", b"topic,doc\n1,\xff\n", "this is not CSV in UTF-8"),
        ("a.parquet", "no", "this is not Parquet"),
    ],
)
def test_bad_runs_are_refused_with_their_line(
    tmp_path: Path, name: str, contents: str | bytes, message: str
) -> None:
    write_files(tmp_path, {name: contents})
    with pytest.raises(FormatError, match=message):
        read_run(tmp_path / name)


def test_large_text_runs_are_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, text_piece_bytes=100)
    lines = [f"{n % 7} Q0 d{n % 13} {n} {n / 3} r {n} {n * 2}" for n in range(500)]
    lines[77] = ""
    run = read_open_run(io.BytesIO("\n".join(lines).encode()), "a.run", "text")
    rows = [n for n in range(500) if n != 77]
    assert [(r.topic, r.document, r.rank, r.score, r.start, r.end) for r in run.results()] == [
        (str(n % 7), f"d{n % 13}", n, n / 3, n, n * 3) for n in rows
    ]
    assert run.line.tolist() == [n + 1 for n in rows]
    with pytest.raises(FormatError, match=r"a\.run:500: 7 fields; expected 8 fields as before"):
        read_open_run(
            io.BytesIO("\n".join([*lines[:-1], "1 Q0 a 1 1 r 3"]).encode()), "a.run", "text"
        )


@examples(300)
@given(
    st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False).map(repr),
            st.decimals(-(10**9), 10**9, places=6).map(str),
            st.from_regex(r"[0-9]{0,12}\.[0-9]{1,12}", fullmatch=True),
            st.sampled_from(["1", "-1", "+.5", "5.", "1e5", "1E-5", "0", "00.10", "9" * 20]),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_scores_are_read_as_python_reads_them(scores: list[str]) -> None:
    lines = "\n".join(f"7 Q0 a 1 {score} r" for score in scores)
    run = read_open_run(io.BytesIO(lines.encode()), "a.run", "text")
    assert run.score is not None
    assert run.score.tolist() == [float(score) for score in scores]


@examples(100)
@given(
    st.lists(
        st.text(st.sampled_from("ab1é./xml-"), min_size=1, max_size=80).filter(
            lambda name: normalise_id(name) != ""
        ),
        min_size=1,
        max_size=12,
    )
)
def test_names_are_numbered_by_first_appearance(names: list[str]) -> None:
    lines = "\n".join(f"{name} Q0 {name} 1 1 r" for name in names)
    run = read_open_run(io.BytesIO(lines.encode()), "a.run", "text")
    assert list(run.topics) == list(dict.fromkeys(names))
    assert [run.topics[number] for number in run.topic.tolist()] == names
    expected = [normalise_id(name) for name in names]
    assert list(run.documents) == list(dict.fromkeys(expected))
    assert [run.documents[number] for number in run.document.tolist()] == expected


@given(st.lists(results([Kind.DOCUMENT]), min_size=1, max_size=12))
def test_order_sorts_within_topics_and_keeps_ties(wanted: list[Result]) -> None:
    run = Run.from_results(wanted)
    for order, key in (("rank", lambda r: r.rank), ("rsv", lambda r: -r.score)):
        found = list(run.ordered(order).results())  # type: ignore[arg-type]
        for topic in run.topics:
            expected = sorted((r for r in wanted if r.topic == topic), key=key)
            assert [r for r in found if r.topic == topic] == expected
    assert run.ordered("list") is run
    with pytest.raises(ValueError, match="no column to order it by rank"):
        Run.from_results([Result("1", "a")]).ordered("rank")


def test_resolution_agrees_with_looking_up_one_by_one(build: Builder) -> None:
    collection = build(
        {
            "a.xml": "<s><p>One é😀.</p> <p>Two <b>b</b> c</p></s>",
            "b.xml": "<s>x<p/></s>",
        }
    )
    chance = random.Random(7)
    paths = ["/s[1]", "/s[1]/p[1]", "/s[1]/p[2]", "/s[1]/p[2]/b[1]", "/s[1]/p[3]", "/x"]
    wanted = []
    for _ in range(300):
        kind = chance.choice(list(Kind))
        document = chance.choice(["a", "b", "c"])
        start, end = sorted((chance.randrange(25), chance.randrange(25)))
        if kind == Kind.ELEMENT:
            wanted.append(Result("1", document, kind, paths=(chance.choice(paths),)))
        elif kind == Kind.TREE:
            wanted.append(Result("1", document, kind, paths=tuple(chance.choices(paths, k=2))))
        elif kind == Kind.PASSAGE:
            wanted.append(Result("1", document, kind, start, end))
        elif kind == Kind.POINT:
            wanted.append(Result("1", document, kind, start))
        else:
            wanted.append(Result("1", document))
    resolved = resolve(Run.from_results(wanted), collection)
    bad = {problem.row: problem for problem in resolved.unresolved}
    for row, result in enumerate(wanted):
        found = (int(resolved.start[row]), int(resolved.end[row]))
        trees = resolved.trees.rows(np.array([row])).nodes
        expected: tuple[int, int] | None = None
        nodes: list[int] = []
        if result.document in ("a", "b"):
            root = collection.root(result.document)
            with suppress(UnknownReference):
                nodes = sorted({collection.element(root.document_id, p).node for p in result.paths})
            if result.kind == Kind.DOCUMENT:
                expected = (0, root.end)
            elif result.kind in (Kind.ELEMENT, Kind.TREE) and nodes:
                element = collection.node(nodes[0])
                expected = (element.start, element.end)
            elif result.start is not None:
                end = result.start if result.end is None else result.end
                expected = (result.start, end) if end <= root.end else None
        assert found == (expected or (-1, -1))
        assert (row in bad) == (expected is None)
        if result.kind == Kind.TREE and expected:
            assert trees.tolist() == nodes
        if row in bad:
            assert bad[row].line == row + 1
            assert bad[row].reason


def test_references_that_do_not_resolve_say_why() -> None:
    collection = example_collection({"a": "<s><p>One.</p></s>"})
    run = Run.from_results(
        [
            Result("1", "nowhere"),
            Result("1", "a", Kind.ELEMENT, paths=("/s[1]/p[2]",)),
            Result("1", "a", Kind.PASSAGE, 2, 9),
            Result("1", "a", Kind.PASSAGE, paths=("/s[1]/p[1]/text()[1].9", "/s[1]")),
            Result(
                "1", "a", Kind.PASSAGE, paths=("/s[1]/p[1]/text()[1].3", "/s[1]/p[1]/text()[1].1")
            ),
            Result("1", "a", Kind.POINT, 7),
            Result("1", "a", Kind.TREE, paths=("/s[1]", "/t[1]")),
            Result("1", "a", Kind.PASSAGE, paths=("/s[1]/p[1]/text()[1].1", "/s[1]")),
        ]
    )
    resolved = resolve(run, collection)
    assert [problem.reason for problem in resolved.unresolved] == [
        "unknown document 'nowhere'",
        "nothing at /s[1]/p[2] in a: /s[1] has 1 p",
        "[2, 9) is not inside the document's 4 characters",
        "text node 1 of /s[1]/p[1] has 4 characters; there is no position after 9",
        "the passage ends at 1 before it starts at 3",
        "offset 7 is not inside the document's 4 characters",
        "nothing at /t[1] in a: its root is /s[1]",
    ]
    assert (resolved.start[7], resolved.end[7]) == (1, 4)


def test_a_text_node_ends_where_its_own_text_does() -> None:
    """The second paragraph begins at 4; position 5 is beyond its end, though inside the text."""
    collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    points = [f"/s[1]/p[2]/text()[1].{offset}" for offset in (4, 5)]
    run = Run.from_results(
        [Result("1", "a", Kind.PASSAGE, paths=("/s[1]", point)) for point in points]
    )
    resolved = resolve(run, collection)
    assert [problem.reason for problem in resolved.unresolved] == [
        "text node 1 of /s[1]/p[2] has 4 characters; there is no position after 5"
    ]
    assert (resolved.start[0], resolved.end[0]) == (0, 8)


def test_offsets_in_bytes() -> None:
    text = "aé😀b"
    collection = example_collection({"a": f"<s>{text}</s>"})
    data = text.encode()
    spans = [(s, e) for s in range(len(data) + 2) for e in range(s, len(data) + 2)]
    run = Run.from_results([Result("1", "a", Kind.PASSAGE, s, e) for s, e in spans])
    resolved = resolve(run, collection, offsets="bytes")
    for row, (start, end) in enumerate(spans):
        try:
            expected = (len(data[:start].decode()), len(data[:end].decode()))
        except UnicodeDecodeError:
            expected = (-1, -1)
        if end > len(data):
            expected = (-1, -1)
        assert (resolved.start[row], resolved.end[row]) == expected


@needs_conformance
@pytest.mark.parametrize("name", ["bert_1", "bert_dup-topic", "bic_1", "ric_1", "thorough_1"])
def test_the_real_runs_of_the_conformance_data(name: str) -> None:
    path = CONFORMANCE / "inex_eval-3.1" / "real" / f"{name}.run"
    run = read_run(path)
    lines = path.read_text().splitlines()
    assert len(run) == len(lines)
    for row in np.linspace(0, len(lines) - 1, 200).astype(int).tolist():
        topic, _, document, rank, score, _, offset, length = lines[row].split()
        assert run.result(row) == Result(
            topic,
            document.removesuffix(".xml"),
            Kind.PASSAGE,
            int(offset),
            int(offset) + int(length),
            (),
            int(rank),
            float(score),
        )


def test_half_characters_in_json_are_refused() -> None:
    line = b'{"topic": "1", "doc": "\\ud800"}'
    with pytest.raises(FormatError, match=r"r\.jsonl:1: expected a JSON object"):
        read_open_run(io.BytesIO(line), "r.jsonl", "jsonl")
    whole = b'{"topic": "1", "doc": "\\ud83d\\ude00"}'
    assert (
        next(read_open_run(io.BytesIO(whole), "r.jsonl", "jsonl").results()).document
        == "\U0001f600"
    )


def test_a_text_run_loads_nothing_of_other_formats(tmp_path: Path) -> None:
    path = tmp_path / "mine.run"
    path.write_text("1 Q0 a 1 0.5 mine\n")
    code = f"import sys, doxeval; print(doxeval.read_run({str(path)!r})); print(*sys.modules)"
    command = [sys.executable, "-c", code]
    shown, loaded = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    assert shown == "Run('mine': 1 result for 1 topic, documents)"
    others = {"csv", "json", "msgspec", "pyexpat", "pyarrow", "numpy.ma", "hashlib"}
    ours = {f"doxeval.runs.{name}" for name in ("records", "jsonl", "parquet", "chunks", "frames")}
    assert not (others | ours | {"doxeval.columns.records", "doxeval.markup"}) & set(loaded.split())


def test_the_order_of_trec_eval() -> None:
    """By falling score in single precision, and then by falling document id."""
    scores = [
        ("1", "b", 1.0),
        ("1", "c", 1.0 + 1e-12),
        ("1", "a", 1e300),
        ("1", "d", 2.0),
        ("1", "aa", 1.0),
        ("2", "a", 0.0),
        ("2", "é", 0.0),
        ("2", "z", -1.0),
    ]
    run = Run.from_results([Result(topic, doc, score=score) for topic, doc, score in scores])
    ordered = [(result.topic, result.document) for result in run.ordered("trec")]
    expected = sorted(
        scores,
        key=lambda line: (np.float32(min(line[2], 3e38)), line[1].encode()),
        reverse=True,
    )
    expected.sort(key=lambda line: line[0])
    assert ordered == [(topic, document) for topic, document, _ in expected]
