"""What is exported: whose judgment, in which format, and what is said about it."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from doxeval.assess.exchange import (
    EXPORT_FORMATS,
    ExportFormat,
    Judged,
    Undecided,
    export_download,
    judgments_to_export,
    write_export,
)
from doxeval.assess.judging import Mode, State
from doxeval.assessments import Judgment, NoMajority, Ties, read_assessments
from doxeval.documents import Collection, example_collection
from doxeval.errors import InputError, OutputError
from doxeval.evaluation import evaluate
from doxeval.runs import Run
from making import passage

XML = "<s><p>Low 𝔸 tide.</p><p>High <b>water</b></p></s>"
TEXT = "Low 𝔸 tide.High water"


@pytest.fixture(scope="module")
def collection() -> Collection:
    return example_collection({"a": XML, "b": XML})


def judged(assessor: str | None, *highlights: tuple[int, int], **more: object) -> Judged:
    bep = highlights[0][0] if highlights else None
    state = State(highlights=highlights, bep=bep, status="validated")
    about = {"topic": "7", "document": "a", "state": state, "adjudicated": assessor is None}
    return Judged(assessor=assessor, length=len(TEXT), elements=4, **{**about, **more})  # type: ignore[arg-type]


def draft(one: Judged) -> Judged:
    return replace(one, state=replace(one.state, status="open"))


def exported(
    collection: Collection, said: list[Judged], judgments: str = "adjudicated", **more: bool
) -> list[Judgment]:
    export = judgments_to_export(
        said, collection=collection, mode="2006", judgments=judgments, **more
    )
    return list(export.assessments)


# Whose judgment


def test_one_assessor_needs_no_adjudication(collection: Collection) -> None:
    (found,) = exported(collection, [judged("A1", (0, 3))])
    assert (found.assessor, found.highlights, found.marks) == ("A1", ((0, 3),), ())


def test_assessors_who_agree_need_none_either(collection: Collection) -> None:
    said = [judged("A1", (0, 3)), judged("A2", (0, 3), off_pool=True)]
    (found,) = exported(collection, said)
    assert (found.assessor, found.highlights, found.marks) == (None, ((0, 3),), ())


def test_assessors_who_differ_are_an_error_that_lists_all_documents(collection: Collection) -> None:
    said = [
        judged(name, *ranges, document=document)
        for document in ("a", "b")
        for name, ranges in (("A1", [(0, 3)]), ("A2", [(0, 5)]))
    ]
    with pytest.raises(Undecided) as caught:
        exported(collection, [*said, judged("A1", topic="8")])
    first, *lines = str(caught.value).splitlines()
    assert "2 documents" in first
    assert first.endswith("judgments= one of A1, A2, union")
    assert lines == [f"  topic 7, document {name}: A1, A2" for name in ("a", "b")]


def test_a_different_best_entry_point_is_a_difference(collection: Collection) -> None:
    other = judged("A2", (0, 3))
    moved = replace(other, state=replace(other.state, bep=2))
    with pytest.raises(Undecided):
        exported(collection, [judged("A1", (0, 3)), moved])


def test_the_adjudicated_judgment_wins(collection: Collection) -> None:
    said = [judged("A1", (0, 3)), judged("A2", (0, 5)), judged(None, (4, 5))]
    (found,) = exported(collection, said)
    assert (found.assessor, found.highlights, found.marks) == (None, ((4, 5),), ("adjudicated",))


def test_an_adjudicated_draft_settles_nothing(collection: Collection) -> None:
    said = [judged("A1", (0, 3)), judged("A2", (0, 5)), draft(judged(None, (4, 5)))]
    with pytest.raises(Undecided):
        exported(collection, said)
    (found,) = exported(collection, [*said[:1], said[2]])
    assert found.assessor == "A1"


@pytest.mark.parametrize(
    ("judgments", "highlights"),
    [("A1", ((0, 3),)), ("A2", ((2, 5),)), ("majority", ((2, 4),)), ("union", ((0, 5),))],
)
def test_judgments_can_be_chosen(
    collection: Collection, judgments: str, highlights: tuple[tuple[int, int], ...]
) -> None:
    said = [judged("A1", (0, 3)), judged("A2", (2, 5)), judged("A3", (2, 4))]
    (found,) = exported(collection, [*said, judged(None, (9, 10))], judgments)
    assert found.highlights == highlights
    assert found.assessor == (judgments if judgments.startswith("A") else None)


def test_a_majority_of_two_who_differ_is_not_exported(collection: Collection) -> None:
    agreed = [judged("A1", (0, 3)), judged("A2", (0, 3))]
    said = [judged("A1", (0, 3), document="b"), judged("A2", (2, 5), document="b")]
    with pytest.raises(NoMajority, match=r"differ about 1 document, .* document b for topic 7$"):
        exported(collection, [*agreed, *said], "majority")
    (found,) = exported(collection, agreed, "majority")
    assert found.highlights == ((0, 3),)
    with pytest.raises(Undecided, match="A1, A2, A3, majority, union"):
        exported(collection, [*said, judged("A3", (0, 9), document="b")])


def test_ties_of_an_exported_majority_are_counted(collection: Collection) -> None:
    ranges = [(0, 3), (0, 3), (2, 5), (2, 5)]
    said = [judged(f"A{number}", place) for number, place in enumerate(ranges)]
    export = judgments_to_export(said, collection=collection, mode="2006", judgments="majority")
    assert export.ties == Ties(1, 4, 0)
    assert export.assessments.warnings == (str(export.ties),)


def test_an_unknown_assessor_is_an_error_that_names_the_others(collection: Collection) -> None:
    with pytest.raises(InputError, match=r"'A9': expected .* A1, A2"):
        exported(collection, [judged("A1"), judged("A2")], "A9")


def test_drafts_are_left_out_or_marked(collection: Collection) -> None:
    said = [judged("A1", (0, 3)), draft(judged("A1", (0, 5), document="b"))]
    assert [one.document for one in exported(collection, said)] == ["a"]
    settled, unsettled = exported(collection, said, drafts=True)
    assert (settled.marks, unsettled.marks) == ((), ("draft",))


def test_drafts_and_honeypots_are_a_warning_of_the_assessments(collection: Collection) -> None:
    said = [judged("A1", (0, 3), honeypot=True), draft(judged("A1", (0, 5), document="b"))]
    export = judgments_to_export(said, collection=collection, mode="2006", drafts=True)
    assert export.assessments.warnings == (
        "1 draft and 1 honeypot among the judgments; they count",
    )


def test_a_draft_never_outvotes_a_validated_judgment(collection: Collection) -> None:
    said = [draft(judged("A1", (0, 3))), judged("A2", (0, 5))]
    (found,) = exported(collection, said, drafts=True)
    assert (found.assessor, found.marks) == ("A2", ())


def test_honeypots_problems_and_documents_outside_the_pool_are_marked(
    collection: Collection,
) -> None:
    one = judged("A1", (0, 3), honeypot=True, off_pool=True)
    (found,) = exported(collection, [replace(one, state=replace(one.state, problem=True))])
    assert found.marks == ("honeypot", "off-pool", "problem")


# Formats

EXPECTED: dict[ExportFormat, str] = {
    "inex2005": (
        '<assessments topic="7" whitespace-text-node="keep">\n'
        ' <file name="a">\n'
        '  <best-entry-point path="/s[1]/p[1]/text()[1].4"/>\n'
        '  <passage start="/s[1]/p[1]/text()[1].4" end="/s[1]/p[2]/b[1]/text()[1].2" size="14"/>\n'
        '  <element path="/s[1]" exhaustivity="2" size="21" rsize="14"/>\n'
        '  <element path="/s[1]/p[1]" exhaustivity="2" size="11" rsize="7"/>\n'
        '  <element path="/s[1]/p[2]" exhaustivity="2" size="10" rsize="7"/>\n'
        '  <element path="/s[1]/p[2]/b[1]" exhaustivity="2" size="5" rsize="2"/>\n'
        " </file>\n"
        ' <file name="b"/>\n'
        "</assessments>\n"
    ),
    "inex2008": "7 Q0 a 14 21 4 4:14\n7 Q0 b 0 21\n",
    "trec": "7 0 a 1\n7 0 b 0\n",
    "jsonl": (
        '{"topic": "7", "doc": "a", "bep": 4, "assessor": "A1", "docsize": 21}\n'
        '{"topic": "7", "doc": "a", "start": 4, "end": 18, "assessor": "A1"}\n'
        '{"topic": "7", "doc": "b", "judged": true, "assessor": "A1", "docsize": 21}\n'
    ),
}


@pytest.mark.parametrize("format", EXPECTED)
def test_formats_of_mode_2006(collection: Collection, tmp_path: Path, format: ExportFormat) -> None:
    said = [judged("A1", (4, 18)), judged("A1", document="b")]
    export = judgments_to_export(said, collection=collection, mode="2006")
    write_export(export, tmp_path / "out", format)
    assert (tmp_path / "out").read_text(encoding="utf-8") == EXPECTED[format]


def test_mode_2005_lists_the_exhaustivity_of_elements(
    collection: Collection, tmp_path: Path
) -> None:
    state = State(
        highlights=((11, 16),), grades={"/s[1]/p[2]": "?", "/s[1]": 1}, status="validated"
    )
    export = judgments_to_export(
        [Judged("7", "a", "A1", state, 21)], collection=collection, mode="2005"
    )
    write_export(export, tmp_path / "out", "inex2005")
    lines = (tmp_path / "out").read_text(encoding="utf-8").splitlines()
    assert lines[3:5] == [
        '  <element path="/s[1]" exhaustivity="1" size="21" rsize="5"/>',
        '  <element path="/s[1]/p[2]" exhaustivity="?" size="10" rsize="5"/>',
    ]
    assert not any("best-entry-point" in line for line in lines)


def test_mode_2003_has_grades_with_what_is_known_about_them(
    collection: Collection, tmp_path: Path
) -> None:
    grades = {"/s[1]/p[2]": (2, 3), "/s[1]": (1, 1), "/s[1]/p[1]": (0, 0)}
    state = State(grades=grades, inferred=frozenset({"/s[1]/p[1]"}), status="validated")
    said = [
        Judged("7", "a", "A1", state, 21, pooled=("/s[1]/p[2]",)),
        Judged("7", "b", "A1", State(status="validated"), 21),
    ]
    export = judgments_to_export(said, collection=collection, mode="2003")
    write_export(export, tmp_path / "out", "inex2003")
    text = (tmp_path / "out").read_text(encoding="utf-8")
    assert '<path path="/s[1]" exhaustiveness="1" specificity="1" inconsistant="true"/>' in text
    assert '<path path="/s[1]/p[2]" exhaustiveness="2" specificity="3" inpool="true"/>' in text
    assert '<path path="/s[1]/p[1]" exhaustiveness="0" specificity="0" inferred="true"/>' in text
    not_relevant = '<path path="/s[1]" exhaustiveness="0" specificity="0" inferred="true"/>'
    assert f' <file file="b">\n  {not_relevant}\n' in text
    (found,) = [one for one in read_assessments(tmp_path / "out") if one.document == "b"]
    assert not found.is_relevant


def test_annotations_are_as_the_w3c_says(collection: Collection, tmp_path: Path) -> None:
    state = State(
        highlights=((4, 10),), bep=6, status="validated", note="see §2", comments=((4, 8, "low?"),)
    )
    said = [Judged("7", "a", "A1", state, 21, off_pool=True)]
    export = judgments_to_export(said, collection=collection, mode="2006")
    assert export.losses("annotations") == ()
    write_export(export, tmp_path / "out", "annotations")
    lines = (tmp_path / "out").read_text(encoding="utf-8")
    data = json.loads(lines)
    assert (data["@context"], data["type"]) == (
        "http://www.w3.org/ns/anno.jsonld",
        "AnnotationCollection",
    )
    items = data["first"]["items"]
    assert data["total"] == len(items) == len(lines.splitlines()) - 2
    assert [item["motivation"] for item in items] == [
        "assessing",
        "bookmarking",
        "highlighting",
        "commenting",
        "commenting",
    ]
    assert items[-1]["target"]["selector"][0] == {
        "type": "TextPositionSelector",
        "start": 4,
        "end": 8,
    }
    assert len({item["id"] for item in items}) == 5
    assert all(item["id"].startswith("urn:uuid:") for item in items)
    assert all(item["creator"] == {"type": "Person", "nickname": "A1"} for item in items)
    highlight = items[2]["target"]
    assert highlight["source"] == "a"
    position, quote = highlight["selector"]
    assert position == {"type": "TextPositionSelector", "start": 4, "end": 10}
    assert quote == {
        "type": "TextQuoteSelector",
        "exact": "𝔸 tide",
        "prefix": "Low ",
        "suffix": ".High water",
    }
    assert items[1]["target"]["selector"][0]["start"] == 6
    assert [body["value"] for body in items[0]["body"]] == ["7", "relevant", "off-pool"]


@pytest.mark.parametrize(
    ("format", "mode"),
    [
        ("inex2003", "2006"),
        ("inex2003", "2005"),
        ("inex2005", "2003"),
        ("inex2008", "2003"),
        ("inex2008", "2005"),
    ],
)
def test_a_format_that_would_make_relevant_documents_irrelevant_is_refused(
    collection: Collection, tmp_path: Path, format: ExportFormat, mode: Mode
) -> None:
    export = judgments_to_export([judged("A1")], collection=collection, mode=mode)
    with pytest.raises(OutputError, match=f"{format} holds .*, which mode {mode} does not have"):
        write_export(export, tmp_path / "out", format)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("format", EXPORT_FORMATS)
def test_nothing_validated_is_an_error(
    collection: Collection, tmp_path: Path, format: ExportFormat
) -> None:
    export = judgments_to_export([draft(judged("A1"))], collection=collection, mode="2006")
    with pytest.raises(OutputError, match="no validated judgments"):
        write_export(export, tmp_path / "out", format)


def test_an_unknown_format_is_an_error(collection: Collection, tmp_path: Path) -> None:
    export = judgments_to_export([judged("A1")], collection=collection, mode="2006")
    with pytest.raises(
        OutputError, match="no format 'pdf' of judgments; there are jsonl, annotations"
    ):
        write_export(export, tmp_path / "out", "pdf")  # type: ignore[arg-type]
    with pytest.raises(OutputError, match="no format"):
        export.losses("pdf")  # type: ignore[arg-type]


def test_losses_name_all_that_a_format_drops(collection: Collection) -> None:
    one = judged("A1", (0, 3), honeypot=True)
    one = replace(one, state=replace(one.state, note="good", comments=((0, 3, "why?"),)))
    export = judgments_to_export([one], collection=collection, mode="2006")
    assert export.losses("jsonl") == ("notes of assessors", "comments on passages")
    assert export.losses("inex2008") == (
        "names of assessors",
        "marks of judgments",
        "notes of assessors",
        "comments on passages",
    )


# Downloads, and evaluation


def test_several_topics_in_xml_are_downloaded_as_an_archive(
    collection: Collection, tmp_path: Path
) -> None:
    said = [judged("A1", (0, 3)), judged("A1", (0, 5), topic="8")]
    export = judgments_to_export(said, collection=collection, mode="2006")
    name, data = export_download(export, "inex2005")
    assert name == "assessments-inex2005.zip"
    assert zipfile.ZipFile(io.BytesIO(data)).namelist() == ["7-keep.xml", "8-keep.xml"]
    assert export_download(export, "inex2005") == (name, data)
    (tmp_path / name).write_bytes(data)
    found = read_assessments(tmp_path / name, collection=collection)
    assert [one.highlights for one in found] == [((0, 3),), ((0, 5),)]


def test_all_formats_of_highlights_score_a_run_alike(
    collection: Collection, tmp_path: Path
) -> None:
    said = [judged("A1", (4, 18)), judged("A1", (0, 3), (6, 9), document="b")]
    export = judgments_to_export(said, collection=collection, mode="2006")
    run = Run.from_results([passage("a", 0, 9), passage("b", 2, 8)])
    by_hand = evaluate(
        run,
        read_assessments(_by_hand(tmp_path)),
        ["MAiP", "iP[0.01]"],
        collection=collection,
    ).mean()
    for format in ("inex2005", "inex2008", "jsonl"):
        write_export(export, tmp_path / format, format)
        read = read_assessments(tmp_path / format, collection=collection)
        scores = evaluate(run, read, ["MAiP", "iP[0.01]"], collection=collection).mean()
        assert scores == by_hand


def _by_hand(directory: Path) -> Path:
    path = directory / "by-hand.txt"
    path.write_text("7 Q0 a 14 21 4 4:14\n7 Q0 b 6 21 0 0:3 6:3\n", encoding="utf-8")
    return path
