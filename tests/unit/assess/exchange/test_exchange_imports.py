"""Imports: what comes in, exactly as it is given, and what is refused with file and line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assess.exchange import Judged, judgments_to_export, states_of, write_export
from doxeval.assess.judging import Mode, State
from doxeval.documents import Collection, example_collection
from doxeval.errors import InputError

XML = "<s><p>Low tide. </p> <p>High <b>water</b></p></s>"


@pytest.fixture(scope="module")
def collection() -> Collection:
    return example_collection({"a": XML, "b": XML})


def states(collection: Collection, tmp_path: Path, text: str, mode: Mode = "2006") -> list[State]:
    path = tmp_path / "in.txt"
    path.write_text(text, encoding="utf-8")
    return [one.state for one in states_of(path, collection, mode)]


def refused(collection: Collection, tmp_path: Path, text: str, mode: Mode = "2006") -> str:
    with pytest.raises(InputError) as caught:
        states(collection, tmp_path, text, mode)
    return str(caught.value)


# Assessments


def test_nothing_is_joined_over_white_space_or_trimmed(
    collection: Collection, tmp_path: Path
) -> None:
    (found,) = states(collection, tmp_path, "7 Q0 a 9 21 10 0:4 9:2 12:3\n")
    assert found.highlights == ((0, 4), (9, 11), (12, 15))
    assert (found.bep, found.status) == (10, "validated")


def test_relevant_text_without_a_best_entry_point_is_a_draft(
    collection: Collection, tmp_path: Path
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"topic": "7", "doc": "a", "start": 0, "end": 3}\n', encoding="utf-8")
    (found,) = states_of(path, collection, "2006")
    assert found.state.status == "open"
    assert found.problems == ("The best entry point is missing.",)


def test_a_draft_stays_a_draft(collection: Collection, tmp_path: Path) -> None:
    line = '{"topic": "7", "doc": "a", "judged": true, "marks": ["draft", "skipped"]}\n'
    (found,) = states(collection, tmp_path, line)
    assert (found.status, found.skipped) == ("open", True)


LINE = '{"topic": "7", "doc": "a", '
ELEMENT = '"size": 9, "rsize": 4, "scale": "2005"}'
REFUSED: list[tuple[Mode, str, str]] = [
    ("2006", "7 Q0 a 4 22 4 4:4", "length is 22, but the collection has 21"),
    ("2006", f'{LINE}"start": 20, "end": 25}}', "25 is beyond the end, 21"),
    ("2006", f'{LINE}"bep": 22}}', "22 is beyond the end"),
    ("2006", "7 Q0 c 0 21", "c"),
    ("2006", f'{LINE}"path": "/s[1]", "e": 1, "s": 1}}', "grades of elements, which mode 2006"),
    ("2006", f'{LINE}"nodes": ["/s[1]"], "rel": 1}}', "assessed units, which mode 2006"),
    ("2005", "7 Q0 a 4 21 4 4:4", "a best entry point, which mode 2005"),
    ("2005", f'{LINE}"path": "/s[1]/q[1]", "e": 1, {ELEMENT}', "no element /s[1]/q[1]"),
    ("2005", f'{LINE}"path": "/s[1]", "e": 0, {ELEMENT}', "exhaustivity 0"),
    ("2005", f'{LINE}"path": "/s[1]", "e": 1, "s": 1}}', "(1,1) is no grade of mode 2005"),
    ("2003", "7 Q0 a 4 21 4 4:4", "highlighted text, which mode 2003"),
    ("2003", "7 0 a 1", "highlighted text, which mode 2003"),
    ("2003", f'{LINE}"path": "/s[1]", "e": 1, {ELEMENT}', "the exhaustivity of elements"),
    ("2003", f'{LINE}"path": "/t[1]", "e": 1, "s": 1}}', "no element /t[1]"),
    ("2003", f'{LINE}"path": "/s[1]", "e": 1, "s": "L", "scale": "2002"}}', "1L is no grade"),
]


@pytest.mark.parametrize(("mode", "line", "why"), REFUSED)
def test_what_does_not_fit_is_refused_with_its_line(
    collection: Collection, tmp_path: Path, mode: Mode, line: str, why: str
) -> None:
    begins = {"7 Q0": "7 Q0 b 0 21", "7 0 ": "7 0 b 0"}
    good = begins.get(line[:4], '{"topic": "7", "doc": "b", "judged": true}')
    message = refused(collection, tmp_path, f"{good}\n{line}\n", mode)
    assert "in.txt:2: " in message
    assert why in message


def test_all_that_is_wrong_is_listed_at_once(collection: Collection, tmp_path: Path) -> None:
    lines = [f'{{"topic": "{n}", "doc": "a", "nodes": ["/s[1]"], "rel": 1}}' for n in range(30)]
    first, *rest = refused(collection, tmp_path, "\n".join(lines)).splitlines()
    assert first == "judgments that cannot be imported: 30"
    assert len(rest) == 21
    assert rest[-1] == "  … and 10 more"


def test_two_different_grades_of_an_element_are_an_error(
    collection: Collection, tmp_path: Path
) -> None:
    grades = (("/s[1]", 1), ("/s[1]/p", 2), ("/s[1]/p[1]", 3))
    lines = [f'{LINE}"path": "{path}", "e": {e}, "s": 1}}' for path, e in grades]
    message = refused(collection, tmp_path, "\n".join(lines), "2003")
    assert "in.txt:3: topic 7, document a: /s[1]/p[1] has two different grades" in message


def test_unjudged_elements_are_left_out(collection: Collection, tmp_path: Path) -> None:
    lines = [f'{LINE}"path": "/s[1]", "e": 1, "s": 1}}', f'{LINE}"path": "/s[1]/p[1]"}}']
    (found,) = states(collection, tmp_path, "\n".join(lines), "2003")
    assert found.grades == {"/s[1]": (1, 1)}


def test_mode_2006_takes_files_of_2006_and_not_those_of_2005(
    collection: Collection, tmp_path: Path
) -> None:
    def file(*exhaustivity: str) -> str:
        elements = "".join(
            f'<element path="/s[1]/p[{n}]" exhaustivity="{e}" size="9" rsize="9"/>'
            for n, e in enumerate(exhaustivity, 1)
        )
        passage = '<passage start="/s[1]/p[1]" end="/s[1]/p[1]"/>'
        return f'<assessments topic="7"><file name="a">{passage}{elements}</file></assessments>'

    (found,) = states(collection, tmp_path, file("2", "2"))
    assert found.highlights == ((0, 10),)
    assert "the exhaustivity of elements" in refused(collection, tmp_path, file("2", "1"))


# Annotations


def written_annotations(
    collection: Collection, tmp_path: Path, mode: Mode = "2006"
) -> tuple[Path, Any]:
    state = State(
        highlights=((4, 8),), bep=4, status="validated", note="good", comments=((4, 6, "?"),)
    )
    grades = State(grades={"/s[1]": (1, 2), "/s[1]/p[1]": (1, 1)}, status="validated")
    said = Judged("7", "a", "A1", grades if mode == "2003" else state, 21)
    path = tmp_path / "in.jsonld"
    write_export(judgments_to_export([said], collection=collection, mode=mode), path, "annotations")
    return path, json.loads(path.read_text(encoding="utf-8"))


CHANGES: list[tuple[int, list[Any], Any, str]] = [
    (3, ["target", "selector", 0, "start"], 3, "the text from 3 to 8 is not the one quoted"),
    (3, ["target", "selector", 1, "exact"], "tida", "is not the one quoted"),
    (3, ["target", "selector", 1, "prefix"], "low ", "is not the one quoted"),
    (3, ["target", "selector", 0, "end"], 22, "22 is beyond the end of the text, 21"),
    (3, ["target", "selector", 0, "end"], True, "expected offsets"),
    (3, ["target", "selector", 0, "end"], 2, "expected offsets"),
    (3, ["target", "selector", 0, "type"], "CssSelector", "a quote without its position"),
    (3, ["target", "selector"], None, "no text is selected"),
    (3, ["target", "selector"], "4-8", "expected an object, or a list of them"),
    (3, ["target", "source"], "c", "no document"),
    (3, ["target", "source"], "", "the id of a document as its source"),
    (3, ["target"], [], "0 targets"),
    (3, ["body"], [], "0 bodies with the purpose classifying"),
    (3, ["body", 0, "value"], 7, "without text as its value"),
    (3, ["creator", "nickname"], 7, "nickname"),
    (3, ["motivation"], "liking", "motivation is 'liking'"),
    (3, ["type"], "Note", "of the type Annotation"),
    (1, ["target", "selector", "end"], 20, "is said to be 0 to 20"),
    (1, ["body", 1, "value"], "not relevant", "is said to be not relevant"),
    (1, ["body", 1, "value"], "so so", "expected 'relevant' or 'not relevant'"),
    (1, ["body", 1, "purpose"], "tagging", "0 bodies with the purpose assessing"),
    (4, ["body", 1, "value"], "x" * 10_001, "10,001 characters"),
]


@pytest.mark.parametrize(("number", "where", "value", "why"), CHANGES)
def test_annotations_that_do_not_fit_are_refused_with_their_line(
    collection: Collection, tmp_path: Path, number: int, where: list[Any], value: Any, why: str
) -> None:
    path, _ = written_annotations(collection, tmp_path)
    lines = path.read_text(encoding="utf-8").splitlines()
    item = json.loads(lines[number].rstrip(","))
    changed = item
    for step in where[:-1]:
        changed = changed[step]
    changed[where[-1]] = value
    comma = "," if lines[number].endswith(",") else ""
    lines[number] = json.dumps(item, ensure_ascii=False) + comma
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        states_of(path, collection, "2006")
    assert why in str(caught.value)
    # What contradicts other annotations is found where the first of them stands.
    assert any(f"in.jsonld:{line}: " in str(caught.value) for line in (number + 1, 2))


@pytest.mark.parametrize("value", ['{"e": 4, "s": 1}', "{", "3", '{"s": 1}', '{"e": true}'])
def test_a_grade_that_is_none_is_refused(
    collection: Collection, tmp_path: Path, value: str
) -> None:
    path, data = written_annotations(collection, tmp_path, "2003")
    data["first"]["items"][2]["body"][1]["value"] = value
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(InputError, match="is no grade"):
        states_of(path, collection, "2003")


def test_grades_of_another_mode_are_refused(collection: Collection, tmp_path: Path) -> None:
    path, _ = written_annotations(collection, tmp_path, "2003")
    with pytest.raises(InputError, match=r"in.jsonld:2: .* specificity of elements, which"):
        states_of(path, collection, "2005")


def test_other_shapes_of_annotations_are_read(collection: Collection, tmp_path: Path) -> None:
    path, data = written_annotations(collection, tmp_path)
    expected = states_of(path, collection, "2006")
    page = {"@context": data["@context"], **data["first"]}
    path.write_text(json.dumps(page, indent=2), encoding="utf-8")
    assert states_of(path, collection, "2006") == expected
    page["next"] = "page2"
    path.write_text(json.dumps(page), encoding="utf-8")
    with pytest.raises(InputError, match="several pages"):
        states_of(path, collection, "2006")


@pytest.mark.parametrize("text", ['{"@context": 1}', '{"@context": 1, "items": 3}', '{"@context"'])
def test_what_is_no_file_of_annotations_is_an_error(
    collection: Collection, tmp_path: Path, text: str
) -> None:
    assert "in.txt: expected" in refused(collection, tmp_path, text)


@given(data=st.data())
def test_damaged_annotations_never_end_in_anything_but_an_error(
    collection: Collection, data: st.DataObject
) -> None:
    """Whatever value stands wherever, it is read or refused."""
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        path, made = written_annotations(collection, Path(name))
        item: Any = made["first"]["items"][data.draw(st.integers(0, 3))]
        for _ in range(data.draw(st.integers(0, 3))):
            keys = list(item) if isinstance(item, dict) else list(range(len(item)))
            key = data.draw(st.sampled_from(keys))
            if not isinstance(item[key], dict | list) or not item[key]:
                break
            item = item[key]
        keys = list(item) if isinstance(item, dict) else list(range(len(item)))
        junk: st.SearchStrategy[Any] = (
            st.none() | st.integers(-2, 30) | st.text(max_size=3) | st.just([]) | st.just({})
        )
        item[data.draw(st.sampled_from(keys))] = data.draw(junk | st.just([None]) | st.just(1.5))
        path.write_text(json.dumps(made), encoding="utf-8")
        try:
            states_of(path, collection, "2006")
        except InputError as error:
            assert str(error)


def test_annotations_of_several_assessors_are_several_judgments(
    collection: Collection, tmp_path: Path
) -> None:
    path, data = written_annotations(collection, tmp_path)
    items = data["first"]["items"]
    others = json.loads(json.dumps(items).replace('"A1"', '"A2"'))
    data["first"]["items"] = [one for both in zip(items, others, strict=True) for one in both]
    path.write_text(json.dumps(data), encoding="utf-8")
    one, other = states_of(path, collection, "2006")
    assert (one.assessor, other.assessor) == ("A1", "A2")
    assert replace(one, assessor="A2") == other
