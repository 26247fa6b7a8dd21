"""Statistics of assessments, against counting one by one; figures of papers in small."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assessments import (
    AssessedUnit,
    Assessments,
    ElementCounts,
    Grade2002,
    Grade2003,
    Grade2005,
    GradedElement,
    Judgment,
    MeasuredElement,
    NeededSpan,
    PointPassage,
    TopicJudgments,
    assessment_statistics,
    write_assessments,
)
from doxeval.documents import example_collection, parse_path
from helpers import Builder, doxeval, write_files
from levels import examples
from seams import change
from strategies import JUDGMENT_PARTS, World, graded_worlds, judgments, worlds


def place(path: str) -> tuple[int, str]:
    steps = parse_path(path)
    return len(steps), steps[-1].tag


def counts_of(found: ElementCounts) -> Counter[tuple[str, int, str]]:
    return Counter({row[:3]: row.elements for row in found.rows})


@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_highlighted_elements_one_by_one(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, assessment_statistics_rows=chunk)

    @examples(60)
    @given(worlds())
    def check(world: World) -> None:
        collection = world.collection()
        expected: Counter[tuple[str, int, str]] = Counter()
        for judgment in world.judgments:
            highlighted = {at for one in judgment.highlights for at in range(*one)}
            root = collection.root(judgment.document)
            for node in range(root.node, root.node + int(collection.nodes.size[root.node])):
                element = collection.node(node)
                text = set(range(element.start, element.end))
                if text & highlighted:
                    kind = "wholly" if text <= highlighted else "partly"
                    expected[kind, *place(element.path)] += 1
        found = assessment_statistics(world.assessments(), collection)
        assert counts_of(found.highlighted) == expected
        assert assessment_statistics(world.assessments()).highlighted == ElementCounts()

    check()


@examples(100)
@given(judgments(**{name: JUDGMENT_PARTS[name] for name in ("grades", "elements", "units")}))
def test_graded_elements_one_by_one(judged: list[Judgment]) -> None:
    expected: Counter[tuple[str, int, str]] = Counter()
    for judgment in judged:
        labels = {}
        for graded in judgment.grades:
            grade = graded.grade
            if isinstance(grade, Grade2002 | Grade2003):
                labels[parse_path(graded.path)] = str(grade)
            elif isinstance(grade, Grade2005):
                labels[parse_path(graded.path)] = str(grade)[1]
            else:
                labels[parse_path(graded.path)] = "U"
        for listed in judgment.elements:
            shown = "?" if listed.exhaustivity is None else str(listed.exhaustivity)
            labels[parse_path(listed.path)] = shown
        expected.update((label, len(path), path[-1].tag) for path, label in labels.items())
    found = assessment_statistics(Assessments(judged))
    unjudged = sum(count for key, count in expected.items() if key[0] == "U")
    assert found.unjudged == unjudged
    assert counts_of(found.graded) == +Counter({k: n for k, n in expected.items() if k[0] != "U"})
    assert len(found.graded) == sum(expected.values()) - unjudged
    for sums in (found.graded.by_grade, found.graded.by_level, found.graded.by_tag):
        assert sum(sums.values()) == len(found.graded)


@examples(60)
@given(judgments(**JUDGMENT_PARTS))
def test_documents_by_topic_one_by_one(judged: list[Judgment]) -> None:
    found = assessment_statistics(Assessments(judged))
    assert set(found.topics) == {judgment.topic for judgment in judged}
    for topic, counts in found.topics.items():
        own = [judgment for judgment in judged if judgment.topic == topic]
        assert counts == TopicJudgments(
            judged=len(own),
            relevant=sum(one.is_relevant for one in own),
            passages=sum(len(one.highlights) + len(one.passages) for one in own),
            characters=sum(one.highlighted for one in own),
            entry_points=sum(
                one.best_entry_point is not None or one.entry_point is not None for one in own
            ),
            elements=sum(len(one.grades) + len(one.elements) + len(one.units) for one in own),
        )
    assert found.judged == len(judged)


@examples(20)
@given(st.sampled_from([2002, 2003]).flatmap(graded_worlds))
def test_grades_are_the_same_with_a_collection(world: World) -> None:
    with_texts = assessment_statistics(world.assessments(), world.collection())
    assert with_texts.graded == assessment_statistics(world.assessments()).graded


def test_exact_coverage_below_the_article() -> None:
    """As Gövert et al. 2003, §4.3 report it: 87 % of exact elements are below the article."""
    article = Judgment("1", "a", grades=(GradedElement("/article[1]", Grade2002(3, "E")),))
    below = tuple(
        GradedElement(f"/article[1]/sec[{n}]", Grade2002(1 + n % 3, "E")) for n in range(1, 8)
    )
    other = GradedElement("/article[1]", Grade2002(3, "L"))
    found = assessment_statistics(
        Assessments([article, Judgment("1", "b", grades=(other, *below))])
    )
    assert (len(found.exact), found.exact.below_root) == (8, 7 / 8)
    assert found.graded.by_level == {1: 2, 2: 7}
    assert found.graded.by_grade == {"3E": 3, "3L": 1, "2E": 3, "1E": 2}
    assert list(found.graded.by_grade) == ["3E", "3L", "2E", "1E"], "the best come first"


def test_links_among_wholly_highlighted_elements() -> None:
    """As Lalmas et al. 2007, §8.1 report it: 18 % of them are links."""
    text = "<a><p>One <collectionlink>two</collectionlink></p><p>Three</p><p>Four</p> rest</a>"
    collection = example_collection({"a": text})
    judgment = Judgment("1", "a", ((0, 16),))
    found = assessment_statistics(Assessments([judgment]), collection)
    assert found.wholly_highlighted.by_tag == {"p": 3, "collectionlink": 1}
    assert (found.links, found.highlighted.by_grade) == (0.25, {"wholly": 4, "partly": 1})
    assert found.wholly_highlighted.by_level == {2: 3, 3: 1}


def test_sizes_of_lists_say_what_is_wholly_highlighted() -> None:
    listed = (
        MeasuredElement("/a[1]", 1, 90, 40),
        MeasuredElement("/a[1]/weblink[1]", None, 4, 4),
        MeasuredElement("/a[1]/p[1]", 1, 36, 36),
        MeasuredElement("/a[1]/p[2]", 0, 20, 0),
    )
    found = assessment_statistics(Assessments([Judgment("1", "a", elements=listed)]))
    assert found.highlighted.by_grade == {"wholly": 2, "partly": 1}
    assert found.links == 0.5
    assert found.graded.by_grade == {"1": 2, "0": 1, "?": 1}


def test_nothing_to_count() -> None:
    found = assessment_statistics(Assessments([Judgment("1", "a")]))
    assert (found.exact.below_root, found.links, len(found.graded)) == (None, None, 0)
    units = Judgment("1", "a", units=(AssessedUnit(("/a[1]",), 1.0),))
    assert assessment_statistics(Assessments([units])).topics["1"].elements == 1
    pointed = Judgment("1", "a", passages=(PointPassage("/a[1]", "/a[1]"),))
    assert assessment_statistics(Assessments([pointed])).topics["1"].passages == 1


def test_the_verb_prints_the_figures(tmp_path: Path, build: Builder) -> None:
    xml = """<assessments topic="05"><file file="d">
    <path path="/a[1]" relevance="3" coverage="L"/>
    <path path="/a[1]/b[1]" relevance="3" coverage="E"/>
    <path path="/a[1]/b[2]" relevance="0" coverage="N"/>
    <path path="/a[1]/b[3]"/></file></assessments>"""
    write_files(tmp_path, {"05.xml": xml, "qrels.txt": "7 Q0 d 6 9 0 0:6\n"})
    result = doxeval("assessments", tmp_path / "05.xml")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[2:] == [
        "",
        "3 graded elements",
        "  grades          3E: 1 (33.3%), 3L: 1 (33.3%), 0N: 1 (33.3%)",
        "  levels          1: 1 (33.3%), 2: 2 (66.7%)",
        "  tags            b: 2 (66.7%), a: 1 (33.3%)",
        "  exact coverage  1 element, 100.0% below the root",
        "  unjudged        1 element",
    ]
    facts = json.loads(doxeval("assessments", tmp_path / "05.xml", "--json").stdout)["statistics"]
    assert facts["graded"]["grades"] == {"3E": 1, "3L": 1, "0N": 1}
    assert facts["exact_coverage"]["below_root"] == 1.0
    assert {"grade": "3E", "level": 2, "tag": "b", "elements": 1} in facts["graded"]["rows"]
    text = "<a><p>On<weblink>ly</weblink></p><p>Two</p>34</a>"
    collection = build({"d.xml": text}).directory
    command = ("assessments", tmp_path / "qrels.txt", "--collection", collection)
    assert doxeval(*command).stdout.splitlines()[2:] == [
        "",
        "4 elements with highlighted text",
        "  levels          1: 1 (25.0%), 2: 2 (50.0%), 3: 1 (25.0%)",
        "  tags            p: 2 (50.0%), a: 1 (25.0%), weblink: 1 (25.0%)",
        "",
        "2 elements wholly highlighted",
        "  levels          2: 1 (50.0%), 3: 1 (50.0%)",
        "  tags            p: 1 (50.0%), weblink: 1 (50.0%)",
        "  links           50.0%",
    ]
    facts = json.loads(doxeval(*command, "--json").stdout)["statistics"]
    assert facts["wholly_highlighted"]["links"] == 0.5


def test_needs_and_the_passages_that_answer_them(tmp_path: Path) -> None:
    needs = (NeededSpan("who", 0, 5), NeededSpan("when", 9, 12), NeededSpan(None, 20, 21))
    judged = [
        Judgment("7", "a", needs=needs),
        Judgment("7", "b", needs=(NeededSpan("who", 3, 4),)),
        Judgment("8", "a", ((0, 5), (7, 9))),
    ]
    found = assessment_statistics(Assessments(judged))
    counts = {topic: (own.needs, own.alternatives) for topic, own in found.topics.items()}
    assert counts == {"7": (3, 4), "8": (2, 2)}
    assert found.states_needs
    assert not assessment_statistics(Assessments(judged[2:])).states_needs
    write_assessments(Assessments(judged), tmp_path / "needs.jsonl", "judgments")
    write_assessments(Assessments(judged[2:]), tmp_path / "plain.jsonl", "judgments")
    printed = doxeval("assessments", tmp_path / "needs.jsonl").stdout.splitlines()
    assert printed[0].split()[-2:] == ["needs", "alternatives"]
    assert printed[1].split()[-2:] == ["3", "4"]
    assert "needs" not in doxeval("assessments", tmp_path / "plain.jsonl").stdout
