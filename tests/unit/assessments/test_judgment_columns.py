"""Judgments as columns: readers and resolution, held against those that go one by one."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assessments import (
    Assessments,
    Judgment,
    JudgmentColumns,
    Judgments,
    NeededSpan,
    PointPassage,
    as_assessments,
    concatenate_judgments,
    elements_from_highlights,
    read_assessments,
    read_inex_text,
    read_jsonl,
    read_trec_qrels,
    resolve_assessments,
    resolve_judgments,
)
from doxeval.documents import Collection, Side, example_collection
from doxeval.errors import DoxevalError, FormatError, InputError, UnknownReference
from doxeval.files import LONGEST_LINE
from doxeval.measures import GroundTruth
from helpers import write_files
from judgments_by_line import qrels_by_line, statements_by_line, trec_by_line
from levels import examples
from seams import change
from strategies import (
    JUDGMENT_PARTS,
    World,
    judgments,
    qrels_texts,
    statement_texts,
    trec_texts,
    worlds,
)


def shown(found: Judgments) -> tuple[list[tuple[Judgment, Any, Any]], list[str]]:
    """Everything about judgments, also where they were read."""
    return [(one, one.origin, one.line) for one in found.judgments], list(found.warnings)


def outcome(read: Callable[[], Judgments]) -> object:
    try:
        return shown(read())
    except DoxevalError as error:
        return type(error), str(error)


# Readers


def check_reader(
    read: Callable[..., Judgments], by_line: Callable[[bytes, str], Judgments], data: bytes
) -> None:
    """What is read by columns is what is read line by line, and so are errors."""
    expected = outcome(lambda: by_line(data.removeprefix(b"\xef\xbb\xbf"), "q"))
    assert outcome(lambda: read(io.BytesIO(data), "q")) == expected


@given(qrels_texts(), st.sampled_from([20, 1 << 20]))
@examples(120)
def test_qrels_by_columns(data: bytes, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        change(patch, assessment_piece_bytes=size)
        check_reader(read_inex_text, qrels_by_line, data)


@given(trec_texts(), st.sampled_from([20, 1 << 20]))
@examples(200)
def test_trec_qrels_by_columns(data: bytes, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        change(patch, assessment_piece_bytes=size)
        check_reader(read_trec_qrels, trec_by_line, data)


@given(statement_texts(), st.sampled_from([30, 1 << 20]))
@examples(120)
def test_statements_by_columns(data: bytes, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        change(patch, assessment_piece_bytes=size)
        check_reader(read_jsonl, statements_by_line, data)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_inex_text, "7 Q0 ./a.xml 9 60 3 0:5 3:6\r\n\n8\tQ0 été 0 60 5"),
        (read_trec_qrels, "7 0 a -1\n\n7 Q0 b.xml 2\n"),
        (
            read_jsonl,
            '{"topic": 7, "doc": "a", "start": 3, "end": 9}\n{"topic": "7", "doc": "a", "bep": 3}',
        ),
    ],
)
def test_usual_files_are_read_by_columns(read: Any, text: str) -> None:
    assert not read(io.BytesIO(text.encode()), "q").judgments.details


@pytest.mark.parametrize(
    "lines",
    [
        ['{"topic": "7", "doc": "a", "nodes": [{}', '{}], "rel": 1}'],
        ['{"topic": "7", "doc": "a", "bep": 1},{"topic": "7", "doc": "b", "nodes": [{}', "{}]}"],
        ['{"topic": "7", "doc": "a", "bep": 1},{"topic": "7", "doc": "b", "bep": 1}', "{}"],
    ],
)
def test_lines_that_are_json_only_together_are_refused(lines: list[str]) -> None:
    with pytest.raises(FormatError, match="q:1: expected a JSON object"):
        read_jsonl(io.BytesIO("\n".join(lines).encode()), "q")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"topic": "7", "doc": "a", "bep": 1, "doc": "b"}', "'doc' is given twice"),
        ('{"topic": "7:", "topic" :"8", "doc": "a", "judged": true}', "'topic' is given twice"),
        (f'{{"topic": {1 << 64}, "doc": "a", "bep": 1}}', "topic: expected a number of at most 64"),
        (f'{{"topic": "7", "doc": "a", "grade": {1 << 70}}}', "topic a: .* expected a smaller|64"),
        (f'{{"topic": "7", "doc": "a", "bep": {1 << 70}}}', "bep is .*: expected a whole number"),
        ('{"topic": "7", "doc": "a", "bep": NaN}', "bep is nan: expected a whole number"),
        ('{"topic": "7", "doc": "\\ud800", "bep": 1}', "expected a JSON object"),
        ("[1]", "expected an object with topic and doc"),
    ],
)
def test_what_json_should_not_hold_is_refused(line: str, message: str) -> None:
    good = '{"topic": "http://7", "doc": "\\":", "bep": 3}'
    assert read_jsonl(io.BytesIO(good.encode()), "q").judgments[0].document == '":'
    with pytest.raises(FormatError, match=f"q:2: .*{message}"):
        read_jsonl(io.BytesIO(f"{good}\n{line}\n{good}".encode()), "q")


def test_a_line_without_end_is_refused_at_once() -> None:
    class Endless(io.RawIOBase):
        read_so_far = 0

        def read(self, size: int = -1) -> bytes:
            self.read_so_far += size
            return b"7" * size

    file = Endless()
    with pytest.raises(FormatError, match=f"q:1: a line of more than {LONGEST_LINE:,} bytes"):
        read_inex_text(file, "q")  # type: ignore[arg-type]
    assert file.read_so_far <= 2 * LONGEST_LINE
    just_fits = b"\n" + b"7" * LONGEST_LINE + b"\n"
    with pytest.raises(FormatError, match="q:2: 1 fields; expected topic"):
        read_inex_text(io.BytesIO(just_fits), "q")
    with pytest.raises(FormatError, match="q:2: a line of more than"):
        read_inex_text(io.BytesIO(b"\n7" + just_fits[1:]), "q")


def test_several_files_are_joined_by_columns(tmp_path: Path) -> None:
    files = {
        "1.qrels": "7 Q0 a 5 60 0 0:5\n8 Q0 a 3 60 2 2:3\n",
        "2.trec": "8 0 b 1\n7 0 c 0\n9 0 a -1\n",
        "3.jsonl": '{"topic": "9", "doc": "b", "start": 1, "end": 4}\n',
    }
    folder = write_files(tmp_path / "plain", files)
    found = read_assessments(folder)
    assert found.plain is not None
    assert found.topics == ("7", "8", "9")
    one_by_one = [judgment for name in files for judgment in read_assessments(folder / name)]
    assert found == Assessments(one_by_one)
    assert [j.line for j in found.of("8")] == [2, 1]
    assert found.origins == tuple(str(folder / name) for name in files)
    write_files(folder, {"4.xml": '<assessments topic="10"><file name="a"/></assessments>'})
    with_xml = read_assessments(folder)
    assert list(with_xml)[:-1] == list(found)
    with pytest.raises(FormatError, match=r"2\.trec:1: document b is judged twice.*3\.qrels") as _:
        write_files(tmp_path, {"3.qrels": "8 Q0 b 0 60\n", "2.trec": "8 0 b 1\n"})
        read_assessments(tmp_path / "3.qrels", tmp_path / "2.trec")


# Columns


@given(judgments(**JUDGMENT_PARTS))
def test_judgments_of_columns_are_what_they_were(made: list[Judgment]) -> None:
    found = JudgmentColumns.of(made)
    assert list(found) == made
    assert [found[row] for row in range(len(made))] == made
    assert found[-1] == made[-1]
    assert found[1:] == made[1:]
    order = list(range(len(made)))
    Random(len(made)).shuffle(order)
    assert found.rows(np.array(order)).judgments() == [made[row] for row in order]
    assert list(concatenate_judgments([found] * 2)) == made * 2
    again = pickle.loads(pickle.dumps(found))
    assert again.judgments() == made
    assert all(column.dtype == np.int64 for column in (again.topic, again.entry, *again.highlights))


@given(judgments(**JUDGMENT_PARTS))
def test_assessments_of_judgments_and_of_columns_are_the_same_value(made: list[Judgment]) -> None:
    one, other = Assessments(made), Assessments(JudgmentColumns.of(made))
    backwards = Assessments(made[::-1])
    assert one == other == backwards
    assert hash(one) == hash(other) == hash(backwards)
    assert list(one) == list(other)
    assert repr(one) == repr(other)
    assert (one.topics, len(one)) == (other.topics, len(other))
    for judgment in made:
        assert other.find(*judgment.pair) == judgment
        assert list(other.of(judgment.topic)) == [j for j in made if j.topic == judgment.topic]
    assert one.columns.judgments() == other.columns.judgments() == list(one)
    assert (np.diff(one.columns.topic) >= 0).all()
    assert other.is_plain == one.is_plain == all(judgment.is_plain for judgment in made)
    assert other.detailed() == (() if one.is_plain else tuple(one))
    changed = [*made[1:], Judgment("other", "a")]
    assert Assessments(changed) != one
    different = [Judgment(made[0].topic, made[0].document, ((70, 71),)), *made[1:]]
    assert Assessments(different) != one


@given(judgments(**JUDGMENT_PARTS))
def test_assessments_survive_pickling(made: list[Judgment]) -> None:
    found = Assessments(made, ["a warning"], "sealed")
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert list(again) == list(found)
    assert (again.warnings, again.resolved_in) == (found.warnings, found.resolved_in)
    assert (again.plain is None) == any(not judgment.is_plain for judgment in made)


def test_pickles_are_small() -> None:
    lines = "".join(f"{n // 100} Q0 {n} 30 9000 8000 0:10 8000:20\n" for n in range(20_000))
    found = Assessments(*read_inex_text(io.BytesIO(lines.encode()), "q"))
    data = pickle.dumps(found)
    assert len(data) < 1.3 * len(lines)
    assert pickle.loads(data) == found


def test_a_judgment_that_is_given_twice_is_refused() -> None:
    twice = [Judgment("7", "a", origin="q", line=3)] * 2
    for made in (twice, iter(twice), JudgmentColumns.of(twice)):
        with pytest.raises(FormatError, match="q:3: document a is judged twice for topic 7, first"):
            Assessments(made)


def test_judgments_are_made_when_they_are_asked_for() -> None:
    text = b"7 Q0 a 5 60 0 0:5\n8 Q0 a 0 60\n"
    found = Assessments(*read_inex_text(io.BytesIO(text), "q"))
    assert found.find("8", "b") is None
    assert found.find("9", "a") is None
    assert list(found.of("9")) == []
    (judgment,) = found.of("7")
    assert judgment is found.find("7", "a")
    assert judgment is next(iter(found))


# Resolution


@given(worlds(), st.integers(0, 2**32).map(Random))
@examples(150)
def test_columns_are_resolved_as_judgments_are(world: World, random: Random) -> None:
    collection = world.collection()
    made = [_altered(judgment, random) for judgment in world.judgments]
    for offsets in ("characters", "bytes"):

        def resolved(how: Any = offsets) -> Judgments:
            return Judgments(*resolve_judgments(made, collection, offsets=how)[:2])

        expected = outcome(partial(one_by_one, made, collection, offsets == "bytes"))
        assert outcome(resolved) == expected


def one_by_one(made: Sequence[Judgment], collection: Collection, in_bytes: bool) -> Judgments:
    """Resolve one judgment after another, the obvious way."""
    resolved, problems, absent = [], [], 0
    for judgment in made:
        (document,) = collection.find_documents([judgment.document]).tolist()
        absent += document < 0
        try:
            resolved.append(_resolved(judgment, document, collection, in_bytes))
        except InputError as error:
            where = f"topic {judgment.topic}, document {judgment.document}: {error.message}"
            problems.append(f"{judgment.origin}:{judgment.line}: {where}")
    if problems:
        lines = [f"judgments that do not fit the collection: {len(problems)}", *problems[:20]]
        raise UnknownReference("\n  ".join(lines))
    warnings = [f"judged documents that are not in the collection: {absent}"] if absent else []
    return Judgments(JudgmentColumns.of(resolved), warnings)


def _resolved(
    judgment: Judgment, document: int, collection: Collection, in_bytes: bool
) -> Judgment:
    if document < 0:
        if judgment.is_relevant:
            raise UnknownReference("the document is not in the collection")
        return judgment
    length = int(collection.nodes.end[collection.rows[document]])

    def counted(position: int) -> int:
        return int(collection.characters_at(document, np.array([position]))[0])

    def checked(position: int) -> int:
        found = counted(position) if in_bytes else position
        if found < 0:
            raise UnknownReference(f"byte {position:,} splits a character or is beyond the end")
        if found > length:
            raise UnknownReference(f"{position:,} is beyond the end, {length:,}")
        return found

    def at(point: str, side: Side) -> int:
        mode = judgment.whitespace or collection.whitespace
        (found,) = collection.points(mode).offsets([document], [point], side)
        if isinstance(found, InputError):
            raise found
        return found

    stated = judgment.document_length
    if stated is not None and (counted(stated) if in_bytes else stated) != length:
        hint = "" if in_bytes or stated < length else "; offsets='bytes' may explain it"
        raise UnknownReference(
            f"its length is {stated:,}, but the collection has {length:,} characters{hint}"
        )
    ranges = [(checked(start), checked(end)) for start, end in judgment.highlights]
    needs = [
        need._replace(start=checked(need.start), end=checked(need.end)) for need in judgment.needs
    ]
    entry = judgment.best_entry_point
    entry = None if entry is None else checked(entry)
    for passage in judgment.passages:
        start, end = at(passage.start, "start"), at(passage.end, "end")
        if end < start:
            raise UnknownReference(f"a passage ends at {end:,} before it starts at {start:,}")
        ranges.append((start, end))
    if (judgment.relevance or 0) > 0:
        ranges.append((0, length))
    if entry is None and judgment.entry_point is not None:
        entry = at(judgment.entry_point, "start")
    return replace(
        judgment,
        highlights=tuple(ranges),
        best_entry_point=entry,
        passages=(),
        entry_point=None,
        document_length=length,
        needs=tuple(needs),
    )


def _altered(judgment: Judgment, random: Random) -> Judgment:
    """A judgment that does not fit the collection any more, or has a grade."""
    given: dict[str, Any] = {
        "highlights": judgment.highlights,
        "best_entry_point": judgment.best_entry_point,
        "document_length": judgment.document_length,
        "origin": "q",
        "line": random.randrange(9),
    }
    what = random.choice(
        ["", "", "", "grade", "length", "entry", "range", "document", "unknown", "need", "points"]
    )
    if what == "grade":
        given["relevance"] = random.randint(-1, 2)
    elif what == "length":
        given["document_length"] = random.choice([None, random.randrange(40)])
    elif what == "entry":
        given["best_entry_point"] = random.randrange(40)
    elif what == "range":
        given["highlights"] = (*judgment.highlights, (30, 31 + random.randrange(9)))
    elif what == "need":
        start = random.randrange(9)
        given["needs"] = (NeededSpan("who", start, start + random.randint(1, 9)),)
    elif what == "points":
        points = ["/a[1]", "/a[1]/text()[1].0", "/a[1]/text()[1].2", "/a[1]/b[1]", "/", "?"]
        first, last, entry = (random.choice(points) for _ in range(3))
        given |= {"passages": (PointPassage(first, last),), "pool": random.choice([None, "3"])}
        given["entry_point"] = random.choice([None, entry])
        given["whitespace"] = random.choice([None, "keep", "strip"])
    elif what == "unknown":
        given |= {"highlights": (), "best_entry_point": None}
    document = "nowhere" if what in ("document", "unknown") else judgment.document
    return Judgment(judgment.topic, document, **given)


def test_very_many_misfits_are_counted_and_the_first_shown() -> None:
    collection = example_collection({"a": "<a>one</a>"})
    made = [Judgment(str(n), "b", ((0, 1),)) for n in range(30)]
    with pytest.raises(UnknownReference, match="do not fit the collection: 30\n") as error:
        resolve_judgments(made, collection)
    assert str(error.value).count("document b: the document is not in the collection") == 20
    assert str(error.value).endswith("… and 10 more")


def test_documents_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    collection = example_collection({"a": "<a>one</a>", "b": "<a>two</a>"})
    found = resolve_assessments(Assessments.from_dict({"7": {"x": 0, "b": 1, "a": 1}}), collection)
    numbers = found.document_numbers(collection)
    assert dict(zip(found.columns.documents, numbers.tolist(), strict=True)) == {
        "x": -1,
        "b": 1,
        "a": 0,
    }
    assert pickle.loads(pickle.dumps(found)).document_numbers(collection).tolist() == [-1, 1, 0]
    some = Assessments(found.columns.rows(np.array([2, 1])), (), found.resolved_in)
    other = example_collection({"a": "<a>one</a>"})
    assert found.document_numbers(other).tolist() == [-1, -1, 0]
    monkeypatch.delattr(Collection, "find_documents")
    assert some.document_numbers(collection) is numbers
    truth = GroundTruth.of(found, collection)
    assert truth.pairs_of(np.array([0, 0, 0]), np.array([1, 0, -1])).tolist() == [1, 2, -1]
    assert elements_from_highlights(found, collection).document.tolist() == [0, 1]


def test_whatever_is_given_as_assessments_is_resolved_once() -> None:
    collection = example_collection({"a": "<a>one</a>"})
    frame = pd.DataFrame({"topic": [7], "doc": ["a"], "grade": [1]})
    for value in ({"7": {"a": 1}}, frame):
        found = as_assessments(value, collection=collection)
        assert found.find("7", "a") == Judgment("7", "a", ((0, 3),), None, 3, 1)
        assert found.resolved_in == collection.checksum
        assert as_assessments(found, collection=collection) is found
        assert as_assessments(found) is found


def test_assessments_are_resolved_once() -> None:
    collection = example_collection({"a": "<a>one</a>"})
    given = Assessments.from_dict({"7": {"a": 1, "b": 0}})
    found = resolve_assessments(given, collection)
    assert found.find("7", "a") == Judgment("7", "a", ((0, 3),), None, 3, 1)
    assert found.warnings == ("judged documents that are not in the collection: 1",)
    assert resolve_assessments(found, collection) is found
    assert pickle.loads(pickle.dumps(found)).resolved_in == collection.checksum
    other = example_collection({"a": "<a>two</a>"})
    assert resolve_assessments(found, other) is not found


# What measures see


@given(worlds())
def test_ground_truth_is_the_columns(world: World) -> None:
    made = sorted(world.judgments, key=lambda judgment: judgment.topic)
    truth = GroundTruth.of(Assessments(world.judgments))
    rows = zip(truth.topic.tolist(), truth.document.tolist(), strict=True)
    pairs = [(truth.topics[topic], truth.documents[document]) for topic, document in rows]
    assert pairs == [judgment.pair for judgment in Assessments(world.judgments)]
    by_pair = {judgment.pair: judgment for judgment in made}
    said = [by_pair[pair] for pair in pairs]
    assert truth.is_relevant.tolist() == [one.is_relevant for one in said]
    assert truth.highlighted.tolist() == [one.highlighted for one in said]
    lengths, entries = zip(
        *((one.document_length, one.best_entry_point) for one in said), strict=True
    )
    assert truth.length.tolist() == [-1 if length is None else length for length in lengths]
    assert truth.entry.tolist() == [-1 if entry is None else entry for entry in entries]
    places = np.arange(len(truth.documents))
    for topic in range(len(truth.topics)):
        found = truth.find_pairs(np.full(len(places), topic), places).tolist()
        named = [(truth.topics[topic], name) for name in truth.documents]
        assert found == [pairs.index(pair) if pair in pairs else -1 for pair in named]


def test_a_document_with_passages_between_points_is_relevant_once_they_are_resolved(
    tmp_path: Path,
) -> None:
    collection = example_collection({"a": "<s><p>One.</p></s>", "b": "<s>Two.</s>"})
    point = "/s[1]/p[1]/text()[1]."
    lines = [
        f'{{"topic": "7", "doc": "a", "start_point": "{point}0", "end_point": "{point}3"}}',
        '{"topic": "7", "doc": "b", "judged": true}',
    ]
    file = tmp_path / "points.jsonl"
    file.write_text("\n".join(lines))
    columns = read_assessments(file, collection=collection).columns
    assert columns.is_relevant.tolist() == [True, False]
