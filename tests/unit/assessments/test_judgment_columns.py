"""Judgments by columns: quick readers and resolution, held against those that go one by one."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assessments import (
    Assessments,
    Judgment,
    JudgmentColumns,
    Judgments,
    PlainJudgments,
    joined,
    read_assessments,
    read_inex_text,
    read_jsonl,
    read_trec_qrels,
    resolved_assessments,
    resolved_judgments,
)
from doxeval.documents import example_collection
from doxeval.errors import DoxevalError, FormatError
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

PLAIN = ("highlights", "best_entry_point", "document_length", "relevance")
plain_judgments = judgments(**{name: JUDGMENT_PARTS[name] for name in PLAIN})


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
    assert isinstance(read(io.BytesIO(text.encode()), "q").judgments, PlainJudgments)


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


@given(plain_judgments)
def test_plain_judgments_are_what_they_were(made: list[Judgment]) -> None:
    found = PlainJudgments(JudgmentColumns.of(made))
    assert list(found) == made
    assert [found[row] for row in range(len(made))] == made
    assert found[-1] == made[-1]
    assert found[1:] == made[1:]
    order = list(range(len(made)))
    Random(len(made)).shuffle(order)
    assert found.columns.rows(np.array(order)).judgments() == [made[row] for row in order]
    assert list(PlainJudgments(joined([found.columns] * 2))) == made * 2
    again = pickle.loads(pickle.dumps(found.columns))
    assert again.judgments() == made
    assert all(column.dtype == np.int64 for column in (again.topic, again.entry, *again.highlights))


@given(plain_judgments)
def test_both_kinds_of_assessments_are_the_same_value(made: list[Judgment]) -> None:
    one, other = Assessments(made), Assessments(PlainJudgments(JudgmentColumns.of(made)))
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
    assert other.detailed() == ()
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
    plain = PlainJudgments(JudgmentColumns.of(made))
    for offsets in ("characters", "bytes"):

        def resolved(given: Sequence[Judgment], how: Any = offsets) -> Judgments:
            return resolved_judgments(given, collection, offsets=how)

        expected = outcome(lambda: resolved(made))
        assert outcome(lambda: resolved(plain)) == expected
        if isinstance(expected[0], list):  # type: ignore[index]
            assert isinstance(resolved(plain).judgments, PlainJudgments)


def _altered(judgment: Judgment, random: Random) -> Judgment:
    """A judgment that does not fit the collection any more, or has a grade."""
    given: dict[str, Any] = {
        "highlights": judgment.highlights,
        "best_entry_point": judgment.best_entry_point,
        "document_length": judgment.document_length,
        "origin": "q",
        "line": random.randrange(9),
    }
    what = random.choice(["", "", "", "grade", "length", "entry", "range", "document", "unknown"])
    if what == "grade":
        given["relevance"] = random.randint(-1, 2)
    elif what == "length":
        given["document_length"] = random.choice([None, random.randrange(40)])
    elif what == "entry":
        given["best_entry_point"] = random.randrange(40)
    elif what == "range":
        given["highlights"] = (*judgment.highlights, (30, 31 + random.randrange(9)))
    elif what == "unknown":
        given |= {"highlights": (), "best_entry_point": None}
    document = "nowhere" if what in ("document", "unknown") else judgment.document
    return Judgment(judgment.topic, document, **given)


def test_very_many_misfits_are_counted_and_the_first_shown() -> None:
    collection = example_collection({"a": "<a>one</a>"})
    made = [Judgment(str(n), "b", ((0, 1),)) for n in range(30)]
    expected = outcome(lambda: resolved_judgments(made, collection))
    plain = PlainJudgments(JudgmentColumns.of(made))
    assert outcome(lambda: resolved_judgments(plain, collection)) == expected
    assert "30\n" in str(expected) or "30\\n" in str(expected)
    assert "and 10 more" in str(expected)


def test_assessments_are_resolved_once() -> None:
    collection = example_collection({"a": "<a>one</a>"})
    given = Assessments.from_dict({"7": {"a": 1, "b": 0}})
    found = resolved_assessments(given, collection)
    assert found.find("7", "a") == Judgment("7", "a", ((0, 3),), None, 3, 1)
    assert found.warnings == ("judged documents that are not in the collection: 1",)
    assert resolved_assessments(found, collection) is found
    assert pickle.loads(pickle.dumps(found)).resolved_in == collection.seal
    other = example_collection({"a": "<a>two</a>"})
    assert resolved_assessments(found, other) is not found


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
