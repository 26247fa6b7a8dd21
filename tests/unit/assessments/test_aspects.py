"""Gold passages of TREC Genomics: what is recognised, read, refused and written."""

from __future__ import annotations

from pathlib import Path

import pytest

from doxeval.assessments import (
    Assessments,
    Judgment,
    NeededSpan,
    Needs,
    assessment_losses,
    read_assessments,
    write_assessments,
)
from doxeval.errors import FormatError, OutputError
from helpers import Builder, doxeval, write_files

GOLD = "200\td1\t20\t10\tserum proteins|HLA-DR4\n200\td1\t0\t10\tHLA-DR4\n200\td2\t5\t9\tIL-6\n"


def read(text: str, folder: Path) -> Assessments:
    return read_assessments(write_files(folder, {"gold.tsv": text}) / "gold.tsv")


def test_passages_are_read_as_they_are_listed(tmp_path: Path) -> None:
    first, second = read(GOLD, tmp_path)
    assert first == Judgment(
        "200",
        "d1",
        needs=(
            NeededSpan("serum proteins", 20, 30),
            NeededSpan("HLA-DR4", 20, 30),
            NeededSpan("HLA-DR4", 0, 10),
        ),
    )
    assert first.highlights == ((0, 10), (20, 30))
    assert second.needs == (NeededSpan("IL-6", 5, 14),)


def test_needs_remember_how_spans_are_listed(tmp_path: Path) -> None:
    needs = Needs.of(read(GOLD, tmp_path))
    assert needs.names == ("serum proteins", "HLA-DR4", "IL-6")
    assert needs.start.tolist() == [20, 0, 20, 5]  # the alternatives of a need in document order
    assert needs.listed.tolist() == [0, 2, 1, 0]


@pytest.mark.parametrize(
    "text",
    [
        GOLD.replace("\n", "\r\n"),
        GOLD.replace("\t", " \t "),
        GOLD.replace("|", " | "),
        "\ufeff" + GOLD,
        "\n" + GOLD + "\n\n",
    ],
)
def test_white_space_around_fields_is_no_part_of_them(text: str, tmp_path: Path) -> None:
    assert list(read(text, tmp_path)) == list(read(GOLD, tmp_path))


def test_a_passage_that_is_listed_again_has_all_aspects(tmp_path: Path) -> None:
    with pytest.warns(match=r"gold.tsv:2: a passage that is listed before; it has the aspects of"):
        (judgment,) = read("7\ta\t0\t5\tx\n7\ta\t0\t5\ty|x\n", tmp_path)
    assert judgment.needs == (NeededSpan("x", 0, 5), NeededSpan("y", 0, 5))


def test_passages_may_overlap_and_have_no_aspects(tmp_path: Path) -> None:
    (judgment,) = read("7\ta\t0\t5\tx\n7\ta\t3\t5\t\n", tmp_path)
    assert judgment.needs == (NeededSpan("x", 0, 5), NeededSpan(None, 3, 8))
    assert judgment.highlights == ((0, 8),)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("7\ta\t0\t5", "4 fields; expected topic, document, offset, length and aspects"),
        ("7 a 0 5 x", "1 fields; expected"),
        ("7\ta\t0\t5\tx\ty", "6 fields; expected"),
        ("\ta\t0\t5\tx", "the topic is missing"),
        ("7\t \t0\t5\tx", "the document is missing"),
        ("7\ta\t-1\t5\tx", "'-1' is not an offset: expected a whole number"),
        ("7\ta\t1.5\t5\tx", "'1.5' is not an offset"),
        ("7\ta\t²\t5\tx", "'²' is not an offset"),
        ("7\ta\t1\tfive\tx", "'five' is not a length"),
        ("7\ta\t1\t0\tx", "the passage is empty: expected a length of 1 or more"),
        ("7\ta\t1\t999999999999\tx", "the passage ends at 1000000000000: expected less than"),
        ("7\ta\t1\t9999999999999\tx", "'9999999999999' is not a length"),
        ("7\ta\t1\t5\tx||y", "an aspect of 'x||y' has no name"),
        ("7\ta\t1\t5\tx|", "an aspect of 'x|' has no name"),
    ],
)
def test_a_bad_line_is_named(line: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError) as raised:
        read(f"{GOLD}{line}\n", tmp_path)
    assert (raised.value.origin, raised.value.line) == (str(tmp_path / "gold.tsv"), 4)
    assert message in raised.value.message


def test_bytes_that_are_not_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_bytes(GOLD.encode() + b"7\ta\t0\t5\t\xff\n")
    with pytest.raises(FormatError, match=r"gold.tsv:4: byte 0xff is not UTF-8 text"):
        read_assessments(tmp_path / "gold.tsv")


@pytest.mark.parametrize(
    "text",
    [
        "7\tQ0\t12\t5\t100\t10\t10:5\n",  # INEX, with tabs
        "7\tQ0\t12\t0\t100\n",
        "7\t0\t12\t1\n",  # TREC's qrels, with tabs
    ],
)
def test_other_assessments_are_not_taken_for_gold(text: str, tmp_path: Path) -> None:
    (judgment,) = read(text, tmp_path)
    assert judgment.document == "12"
    assert not judgment.needs


# Writing


def test_losses() -> None:
    graded = Judgment("7", "a", needs=(NeededSpan("x", 0, 5, 2),), best_entry_point=3)
    assert assessment_losses([graded, Judgment("7", "b")], "aspects") == [
        "best entry points",
        "judged documents without relevant text",
        "grades of needs",
    ]


def test_highlights_are_passages_without_aspects(tmp_path: Path) -> None:
    needs = (NeededSpan("x", 0, 5),)
    write_assessments([Judgment("7", "a", ((3, 9),), needs=needs)], tmp_path / "gold", "aspects")
    assert (tmp_path / "gold").read_text() == "7\ta\t0\t5\tx\n7\ta\t5\t4\t\n"


@pytest.mark.parametrize("name", ["x|y", "x\ty", "x\ny", " x"])
def test_a_name_that_would_be_read_differently_is_refused(name: str, tmp_path: Path) -> None:
    judgment = Judgment("7", "a", needs=(NeededSpan(name, 0, 5),))
    with pytest.raises(OutputError, match="which the format cannot hold"):
        write_assessments([judgment], tmp_path / "gold", "aspects")
    assert not (tmp_path / "gold").exists()


def test_convert_in_and_out(tmp_path: Path) -> None:
    write_files(tmp_path, {"gold.tsv": GOLD})
    to = ("--to", "judgments")
    assert doxeval("convert", tmp_path / "gold.tsv", tmp_path / "a.jsonl", *to).exit_code == 0
    to = ("--to", "aspects")
    assert doxeval("convert", tmp_path / "a.jsonl", tmp_path / "b.tsv", *to).exit_code == 0
    assert (tmp_path / "b.tsv").read_text() == GOLD


def test_offsets_may_be_bytes(tmp_path: Path, build: Builder) -> None:
    """In UTF-8, é has two bytes; the order of the list stays."""
    collection = build({"a.xml": "<s>é é one two</s>"})
    text = "7\ta\t10\t3\tx|y\n7\ta\t0\t5\tz\n"
    gold = write_files(tmp_path, {"gold.tsv": text}) / "gold.tsv"
    (judgment,) = read_assessments(gold, collection=collection, offsets="bytes")
    assert judgment.needs == (
        NeededSpan("x", 8, 11),
        NeededSpan("y", 8, 11),
        NeededSpan("z", 0, 3),
    )
    with pytest.raises(FormatError, match="only be converted with the collection"):
        read_assessments(gold, offsets="bytes")
