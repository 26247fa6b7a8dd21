"""Files of assessments: all formats both ways, many files at once, several assessors."""

from __future__ import annotations

import io
import json
import tarfile
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assessments import (
    FORMATS,
    MERGES,
    AssessedUnit,
    AssessmentFormat,
    Assessments,
    Grade2002,
    Grade2003,
    Grade2005,
    GradedElement,
    Judgment,
    MeasuredElement,
    Merge,
    NoMajority,
    PointPassage,
    assessment_losses,
    judgments_with_points,
    merge_judgments,
    read_assessments,
    read_jsonl,
    resolve_judgments,
    write_assessments,
)
from doxeval.errors import FormatError, OutputError, SourceError, UnknownReference
from doxeval.messages import plural
from helpers import Builder, doxeval, write_files
from strategies import JUDGMENT_PARTS, gold_passages, graded_elements, highlights, judgments

# The parts of a judgment that each format holds, so that nothing is lost on the way.
HELD: dict[AssessmentFormat, dict[str, Any]] = {
    "judgments": JUDGMENT_PARTS,
    "trec": {"relevance": st.integers(-2, 3)},
    "msmarco-qrels": {"relevance": st.integers(-2, 3)},
    "beir": {"relevance": st.integers(-2, 3)},
    "ranx-qrels": {"relevance": st.integers(-2, 3)},
    "qrels": {
        "highlights": JUDGMENT_PARTS["highlights"],
        "best_entry_point": st.integers(0, 60),
        "document_length": st.just(60),
    },
    "aspects": {"needs": gold_passages()},
    "grades": {
        "grades": st.one_of(
            *(st.lists(graded_elements((scale,)), max_size=3) for scale in (2002, 2003))
        ).map(tuple),
        "pool": JUDGMENT_PARTS["pool"],
    },
    "highlights": {
        name: JUDGMENT_PARTS[name]
        for name in "passages entry_point elements pool collection version whitespace".split()
    },
}


def _as_written(judgment: Judgment, format_: AssessmentFormat) -> Judgment:
    """The text form has no entry point for a document that is not relevant."""
    if format_ == "qrels" and not judgment.highlights:
        return Judgment(judgment.topic, judgment.document, document_length=60)
    return judgment


@pytest.mark.parametrize("format_", FORMATS)
@given(data=st.data())
def test_what_is_written_is_read_again(format_: AssessmentFormat, data: st.DataObject) -> None:
    made = [_as_written(j, format_) for j in data.draw(judgments(**HELD[format_]))]
    assert assessment_losses(made, format_) == []
    with TemporaryDirectory() as directory:
        out = Path(directory) / "out"
        write_assessments(made, out, format_)
        found = read_assessments(out)
        assert {p.name for p in Path(directory).iterdir()} == {"out"}
    assert Counter(map(repr, _bare(found))) == Counter(map(repr, _bare(made)))


def _bare(found: Any) -> list[Judgment]:
    """Without the places they were read from, which the written form does not show."""
    from dataclasses import replace

    return [replace(judgment, origin=None, line=None) for judgment in found]


def test_statements_of_jsonl() -> None:
    text = """
{"topic": "7", "doc": "a.xml", "start": 0, "end": 5, "docsize": 60}
{"topic": 7, "doc": "a", "start": 10, "end": 12}
{"topic": "7", "doc": "a", "bep": 3}
{"topic": "7", "doc": "b", "path": "/p[1]", "e": 3, "s": 2}
{"topic": "7", "doc": "b", "path": "/p[2]", "e": 1, "s": "E", "scale": "2002"}
{"topic": "7", "doc": "b", "path": "/p[3]", "e": "?", "s": 0.25, "scale": 2005}
{"topic": "7", "doc": "b", "path": "/p[4]"}
{"topic": "7", "doc": "c", "nodes": ["/p[1]", "/p[2]"], "rel": 1}
{"topic": "7", "doc": "d", "judged": true, "assessor": "eva"}
{"topic": "7", "doc": "e", "path": "/p[1]", "e": 2, "size": 9, "rsize": 3, "scale": "2005"}
"""
    found = Assessments(*read_jsonl(io.BytesIO(text.encode()), "a.jsonl"))
    assert list(found) == [
        Judgment("7", "a", ((0, 5), (10, 12)), 3, 60),
        Judgment(
            "7",
            "b",
            grades=(
                GradedElement("/p[1]", Grade2003(3, 2)),
                GradedElement("/p[2]", Grade2002(1, "E")),
                GradedElement("/p[3]", Grade2005(None, Fraction(1, 4))),
                GradedElement("/p[4]", None),
            ),
        ),
        Judgment("7", "c", units=(AssessedUnit(("/p[1]", "/p[2]"), 1.0),)),
        Judgment("7", "d", assessor="eva"),
        Judgment("7", "e", elements=(MeasuredElement("/p[1]", 2, 9, 3),)),
    ]
    assert [judgment.is_relevant for judgment in found] == [True, True, True, False, True]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[]", "expected an object with topic and doc"),
        ("{", "expected a JSON object"),
        ('{"topic": "7", "doc": "a"}', "fields missing: expected start and end, bep"),
        ('{"topic": "7", "doc": "a", "start": 1}', "fields start: expected start and end"),
        ('{"topic": "7", "doc": "a", "start": 9, "end": 3}', "ends at 3 before it starts at 9"),
        ('{"topic": "7", "doc": "a", "start": -1, "end": 3}', "start is -1: expected a whole"),
        ('{"topic": "7", "doc": "a", "bep": true}', "bep is True: expected a whole number"),
        ('{"topic": "7", "doc": "a", "begin": 1}', "unknown field 'begin': expected topic, doc"),
        ('{"topic": "7", "doc": "a", "path": "/p", "e": 4, "s": 0}', "no grade of the scale 2003"),
        ('{"topic": "7", "doc": "a", "path": "/p", "e": 1}', "e 1 and s None are no grade"),
        (
            '{"topic": "7", "doc": "a", "path": "/p", "e": 1, "s": "1e99", "scale": "2005"}',
            "no grade of the scale 2005",
        ),
        ('{"topic": "7", "doc": "a", "path": "/p", "e": 1, "size": 3}', "size and rsize go"),
        ('{"topic": "7", "doc": "a", "nodes": "/p", "rel": 1}', "nodes is not a list of paths"),
        ('{"topic": "7", "doc": "a", "nodes": ["/p"], "rel": 1e999}', "rel is inf: expected a"),
        ('{"topic": "7", "doc": "a", "judged": false}', "judged is false: a document that is not"),
        ('{"topic": "7", "doc": "a", "grade": 0.5}', "grade is 0.5: expected a whole number"),
        ('{"topic": "7", "doc": "a", "start": 0, "end": 9, "docsize": 5}', "beyond the document"),
        (
            '{"topic": "7", "doc": "a", "bep": 1}\n{"topic": "7", "doc": "a", "bep": 2}',
            "2: best entry point 2 contradicts 1",
        ),
    ],
)
def test_bad_statements_are_refused(line: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_jsonl(io.BytesIO(line.encode()), "a.jsonl")


def test_directories_archives_and_compressed_files(tmp_path: Path) -> None:
    files = {
        "7.xml": '<assessments pool="1" topic="7"><file name="a"/></assessments>',
        "sub/8.txt": "8 Q0 a 5 100 0 0:5\n",
        "sub/9.qrels": "9 0 a 1\n",
        "10.jsonl": '\ufeff\n{"topic": "10", "doc": "a", "judged": true}\n',
        ".hidden": "nothing to see",
    }
    folder = write_files(tmp_path / "assessments", files)
    archive = tmp_path / "assessments.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for name in files:
            if not name.startswith("."):
                tar.add(folder / name, name)
    topics = {"7", "8", "9", "10"}
    assert set(read_assessments(folder).topics) == topics
    assert set(read_assessments(archive).topics) == topics
    assert set(read_assessments(folder / "7.xml", folder / "sub").topics) == {"7", "8", "9"}
    with pytest.raises(FormatError, match=r"judged twice for topic 7, first on line 1 of .*7\.xml"):
        read_assessments(folder, archive)
    with pytest.raises(SourceError, match="No such file"):
        read_assessments(tmp_path / "nothing")
    with pytest.raises(SourceError, match="no files in the directory"):
        read_assessments(write_files(tmp_path / "empty", {".x": ""}))
    write_files(tmp_path, {"prose.txt": "some words"})
    with pytest.raises(FormatError, match=r"prose\.txt: this is not a file of assessments"):
        read_assessments(tmp_path / "prose.txt")


def test_a_pool_is_chosen_or_the_judgments_are_merged(tmp_path: Path) -> None:
    lines = [
        '{"topic": "7", "doc": "a", "pool": "1", "start": 0, "end": 10}',
        '{"topic": "7", "doc": "a", "pool": "2", "start": 5, "end": 20}',
        '{"topic": "7", "doc": "a", "pool": "3", "judged": true}',
    ]
    path = write_files(tmp_path, {"a.jsonl": "\n".join(lines)}) / "a.jsonl"
    with pytest.raises(FormatError, match=r"judged twice for topic 7.*; pool= or merge= says"):
        read_assessments(path)
    assert next(iter(read_assessments(path, pool="2"))).highlights == ((5, 20),)
    with pytest.raises(FormatError, match="no judgments of pool '9'; there are 1, 2, 3"):
        read_assessments(path, pool="9")
    merged = [next(iter(read_assessments(path, merge=how))).highlights for how in MERGES]
    assert merged == [((0, 20),), (), ((5, 10),)]


@given(st.lists(highlights(), min_size=1, max_size=5), st.sampled_from(MERGES))
def test_merging_equals_counting_characters(said: list[list[tuple[int, int]]], how: Merge) -> None:
    needed = {"union": 1, "intersection": len(said), "majority": len(said) // 2 + 1}[how]
    counts = Counter(at for ranges in said for start, end in ranges for at in range(start, end))
    judgments = [Judgment("1", "a", tuple(ranges)) for ranges in said]
    tied = [at for at, count in counts.items() if 2 * count == len(said)]
    if how == "majority" and tied and len(said) == 2:
        with pytest.raises(NoMajority, match="two have no majority"):
            merge_judgments(judgments, how)
        return
    (found,), warnings = merge_judgments(judgments, how)
    assert bool(warnings) == (how == "majority" and bool(tied))
    assert not warnings or f": {plural(len(tied), 'character')} that exactly" in warnings[0]
    assert {at for start, end in found.highlights for at in range(start, end)} == {
        at for at, count in counts.items() if count >= needed
    }
    assert all(one[1] < other[0] for one, other in pairwise(found.highlights))


def test_grades_units_and_entry_points_are_merged() -> None:
    def said(e: int, s: int, rel: float, entry: int, grade: int) -> Judgment:
        return Judgment(
            "1",
            "a",
            best_entry_point=entry,
            grades=(GradedElement("/a[1]", Grade2003(e, s)),),
            units=(AssessedUnit(("/a[1]",), rel),),
            relevance=grade,
        )

    several = [said(3, 1, 1.0, 9, 1), said(2, 2, 0.5, 4, 0), said(1, 0, 0.0, 4, -1)]
    for how, e, s, rel, grade in (
        ("union", 3, 2, 1.0, 1),
        ("intersection", 1, 0, 0.0, -1),
        ("majority", 2, 1, 0.5, 0),
    ):
        (found,), _ = merge_judgments(several, how)  # type: ignore[arg-type]
        assert found.grades == (GradedElement("/a[1]", Grade2003(e, s)),)
        assert (found.units[0].relevance, found.relevance) == (rel, grade)
        assert found.best_entry_point == 4
    with pytest.raises(FormatError, match="cannot be merged without their collection"):
        merge_judgments([Judgment("1", "a", entry_point="/a"), Judgment("1", "a")], "union")
    with pytest.raises(FormatError, match="only grades of 2003"):
        graded = Judgment("1", "a", grades=(GradedElement("/a", Grade2002(1, "E")),))
        merge_judgments([graded, graded], "union")
    with pytest.raises(FormatError, match="has 5 and 6 characters in different"):
        sized = [Judgment("1", "a", document_length=n) for n in (5, 6)]
        merge_judgments(sized, "union")


TWO = Judgment("7", "a", ((0, 9),)), Judgment("7", "a", ((5, 12),))


def graded(e: int, s: int) -> Judgment:
    return Judgment("7", "a", grades=(GradedElement("/a[1]", Grade2003(e, s)),))


@pytest.mark.parametrize(
    "two",
    [
        TWO,
        (graded(2, 1), graded(2, 3)),
        (graded(2, 1), Judgment("7", "a")),
        (Judgment("7", "a", relevance=0), Judgment("7", "a", relevance=1)),
        (Judgment("7", "a", units=(AssessedUnit(("/a[1]",), 1.0),)), Judgment("7", "a")),
    ],
    ids=["highlights", "grades", "no-grade", "documents", "units"],
)
def test_a_majority_of_two_who_differ_is_an_error(two: tuple[Judgment, Judgment]) -> None:
    third = replace(two[0], document="b"), replace(two[0], document="b")
    with pytest.raises(NoMajority, match=r"differ about 1 document, .* document a for topic 7$"):
        merge_judgments([*two, *third], "majority")
    assert merge_judgments([*two, two[1], *third], "majority").warnings == []
    assert merge_judgments(two, "intersection").warnings == []


@pytest.mark.parametrize(
    ("several", "told"),
    [
        ([*TWO, *TWO], "8 characters that exactly half of the assessors highlighted are not"),
        ([graded(2, 1), graded(2, 3)] * 2, "of 1 grade the lower of the two in the middle was"),
    ],
)
def test_ties_of_a_majority_are_counted(several: list[Judgment], told: str) -> None:
    other = [replace(judgment, document="b") for judgment in several]
    (warning,) = merge_judgments(several, "majority").warnings
    assert warning.startswith(f"ties in 1 document: {told}")
    (warning,) = merge_judgments([*several, *other], "majority").warnings
    assert warning.startswith("ties in 2 documents: ")
    assert merge_judgments(several, "union").warnings == []


def test_reading_tells_of_ties_and_of_two_without_a_majority(tmp_path: Path) -> None:
    def lines(*ends: int) -> str:
        spans = [{"topic": "7", "doc": "a", "start": 0, "end": end} for end in ends]
        return "\n".join(json.dumps({**span, "pool": str(n)}) for n, span in enumerate(spans))

    path = write_files(tmp_path, {"a.jsonl": lines(3, 5)}) / "a.jsonl"
    with pytest.raises(NoMajority, match=r"a\.jsonl:2: .*; merge='union', merge='intersection' or"):
        read_assessments(path, merge="majority")
    path.write_text(lines(3, 5, 3, 5))
    read = read_assessments(path, merge="majority")
    assert next(iter(read)).highlights == ((0, 3),)
    assert read.warnings[0].startswith("ties in 1 document: 2 characters that exactly half")


ARTICLE = "<a><p>é one</p> <p>two <b>bold</b> end</p></a>"


def test_points_become_offsets_and_back(build: Builder) -> None:
    collection = build({"a.xml": ARTICLE})
    passage = PointPassage("/a[1]/p[2]/text()[1].2", "/a[1]/p[2]/b[1]", 6)
    judged = Judgment("7", "a", passages=(passage,), entry_point="/a[1]/p[2]")
    (found,) = resolve_judgments([judged], collection).judgments
    assert found == Judgment("7", "a", ((8, 14),), 6, 18, whitespace=None)
    (back,) = judgments_with_points([found], collection)
    assert resolve_judgments([back], collection).judgments[0].highlights == found.highlights
    assert back.passages[0].size == 6


def test_white_space_mode_numbers_text_nodes(build: Builder) -> None:
    collection = build({"a.xml": "<a> <b>x</b> one <b>y</b> two</a>"})
    for mode, number in (("keep", 2), ("strip", 1)):
        point = f"/a[1]/text()[{number}].1"
        judged = Judgment("7", "a", passages=(PointPassage(point, point),), whitespace=mode)  # type: ignore[arg-type]
        (found,) = resolve_judgments(
            [Judgment("7", "a", entry_point=point, whitespace=judged.whitespace)], collection
        ).judgments
        assert found.best_entry_point == 3


def test_whole_documents_and_bytes(build: Builder) -> None:
    collection = build({"a.xml": ARTICLE})
    (whole,) = resolve_judgments([Judgment("7", "a", relevance=2)], collection).judgments
    assert whole.highlights == ((0, 18),)
    in_bytes = Judgment("7", "a", ((2, 5),), 3, 19)
    (found,) = resolve_judgments([in_bytes], collection, offsets="bytes").judgments
    assert (found.highlights, found.best_entry_point, found.document_length) == (((1, 4),), 2, 18)


@pytest.mark.parametrize(
    ("judgment", "message"),
    [
        (Judgment("7", "b", ((0, 5),)), "document b: the document is not in the collection"),
        (Judgment("7", "a", ((0, 99),)), "99 is beyond the end, 18"),
        (Judgment("7", "a", ((0, 5),), 0, 19), "its length is 19, but the collection has 18"),
        (Judgment("7", "a", entry_point="/a[1]/p[9]"), "nothing at /a\\[1\\]/p\\[9\\] in a"),
        (
            Judgment("7", "a", passages=(PointPassage("/a[1]/p[2]", "/a[1]/p[1]"),)),
            "a passage ends at 5 before it starts at 6",
        ),
    ],
)
def test_what_does_not_fit_the_collection_is_told(
    build: Builder, judgment: Judgment, message: str
) -> None:
    collection = build({"a.xml": ARTICLE})
    with pytest.raises(UnknownReference, match=message):
        resolve_judgments([judgment], collection)


def test_a_judged_document_that_is_not_relevant_may_be_missing(build: Builder) -> None:
    found = resolve_judgments([Judgment("7", "b")], build({"a.xml": ARTICLE}))
    assert found.warnings == ["judged documents that are not in the collection: 1"]
    splits = Judgment("7", "a", ((1, 3),))
    with pytest.raises(UnknownReference, match="byte 1 splits a character"):
        resolve_judgments([splits], build({"a.xml": ARTICLE}), offsets="bytes")


def test_what_text_cannot_hold_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for judgment, message in (
        (Judgment("7", "a", ((0, 5),), 0), "document a of topic 7 has no length"),
        (Judgment("7", "a", ((0, 5),), None, 9), "a best entry point"),
        (Judgment("7", "a b", document_length=9), "the id 'a b' has white space"),
    ):
        with pytest.raises(OutputError, match=message):
            write_assessments([judgment], out, "qrels")
        assert list(tmp_path.iterdir()) == []


def test_a_format_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="no format 'jsonl' of assessments; there are grades"):
        write_assessments([Judgment("7", "a")], tmp_path / "out", "jsonl")  # type: ignore[arg-type]


def test_topics_cannot_write_elsewhere(tmp_path: Path) -> None:
    out = tmp_path / "out"
    made = [Judgment("../x", "a", pool="/etc"), Judgment("..", "a")]
    write_assessments(made, out, "grades")
    assert sorted(path.name for path in out.iterdir()) == ["%2E%2E%2Fx-%2Fetc.xml", "%2E%2E.xml"]
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_converting_says_first_what_is_lost(tmp_path: Path, build: Builder) -> None:
    source = write_files(tmp_path, {"q.txt": "7 Q0 a 5 18 2 2:5\n7 Q0 b 0 9\n"}) / "q.txt"
    out = tmp_path / "out.qrels"
    result = doxeval("convert", source, out, "--to", "trec")
    assert result.exit_code == 1
    assert "trec cannot hold highlighted passages" in result.stderr
    assert not out.exists()
    result = doxeval("convert", source, out, "--to", "trec", "--lossy")
    assert (result.exit_code, out.read_text()) == (0, "7 0 a 1\n7 0 b 0\n")
    assert "lost: highlighted passages; best entry points; lengths of documents" in result.stderr
    points = tmp_path / "7.xml"
    collection = build({"a.xml": ARTICLE}).directory
    result = doxeval(
        "convert", source, points, "--to", "highlights", "--collection", collection, "--lossy"
    )
    assert result.exit_code == 0, result.stderr
    assert 'start="/a[1]/p[1]/text()[1].2"' in points.read_text()
    back = tmp_path / "back.txt"
    options = ("--to", "qrels", "--lossy", "--collection", collection)
    result = doxeval("convert", points, back, *options)
    assert result.exit_code == 1
    assert "document b of topic 7 has no length" in result.stderr


def test_the_verb_counts_and_lists_violations(tmp_path: Path) -> None:
    xml = """<assessments pool="1" topic="076"><file file="a">
      <path path="/a[1]" exhaustiveness="1" specificity="1"/>
      <path path="/a[1]/b[1]" exhaustiveness="3" specificity="3"/></file></assessments>"""
    folder = write_files(tmp_path, {"076.xml": xml, "8.txt": "8 Q0 a 5 100 0 0:5\n"})
    result = doxeval("assessments", folder)
    assert result.exit_code == 0
    assert "076" in result.stdout
    assert "/a[1] is (1,1) but /a[1]/b[1] in it is (3,3)" in result.stderr
    assert "2 judgments for 2 topics, 1 violation\n" in result.stderr
    counts = json.loads(doxeval("assessments", folder, "--json").stdout)
    assert counts["topics"]["8"] == {
        "judged": 1,
        "relevant": 1,
        "passages": 1,
        "characters": 5,
        "entry points": 1,
        "elements": 0,
        "needs": 0,
        "alternatives": 0,
    }
    assert counts["violations"][0]["rule"] == 2
    assert counts["warnings"] == []
    result = doxeval("assessments", folder, folder)
    assert result.exit_code == 1
    assert "judged twice" in result.stderr


def test_the_verb_has_warnings_in_json_too(tmp_path: Path, build: Builder) -> None:
    collection = build({"a.xml": "<a>Hello.</a>"}).directory
    qrels = write_files(tmp_path, {"q": "8 Q0 a 5 6 0 0:5\n8 Q0 gone 0 9 0\n"}) / "q"
    command = ("assessments", qrels, "--collection", collection)
    warning = "judged documents that are not in the collection: 1"
    assert f"warning: {warning}" in doxeval(*command).stderr
    assert json.loads(doxeval(*command, "--json").stdout)["warnings"] == [warning]


def test_whitespace_without_a_collection_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "qrels.txt"
    file.write_text("7 0 a 1\n")
    with pytest.raises(FormatError, match="whitespace= is for text points"):
        read_assessments(file, whitespace="strip")
