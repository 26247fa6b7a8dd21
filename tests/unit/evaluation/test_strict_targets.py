"""Strict CAS: only elements that match the target of their topic are relevant."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from brute_force.covers import cover
from brute_force.scene import elements_of
from doxeval.assessments import (
    AssessedUnit,
    Assessments,
    Grade2002,
    GradedElement,
    Judgment,
)
from doxeval.documents import PathPatterns, example_collection
from doxeval.errors import InputError, SyntaxProblem
from doxeval.evaluation import Evaluation, evaluate
from doxeval.measures import (
    MEASURES,
    GroundTruth,
    Measure,
    Need,
    RelevanceChoice,
    trees_of_assessments,
)
from doxeval.runs import Run
from doxeval.topics import Topic
from helpers import doxeval, write_files
from law_cases import varied
from levels import LEVEL
from making import paths
from scenes import YEARS, Scene, scenes

# Patterns, and the paths without ordinals that they match.
PATTERNS = {
    "//sec": r".*/sec",
    "//article//(sec|p)": r"/article(/.*)?/(sec|p)",
    "/article/*": r"/article/[^/]+",
    "//p, //b": r".*/(p|b)",
    "//article": r"(.*/)?article",
    "//figure": r".*/figure",
}


def matches(pattern: str, path: str) -> bool:
    return re.fullmatch(PATTERNS[pattern], re.sub(r"\[\d+\]", "", path)) is not None


def only_matching(judgment: Judgment, targets: dict[str, str]) -> Judgment:
    """The judgment without elements outside the target of its topic."""
    target = targets.get(judgment.topic)
    if target is None:
        return judgment
    return replace(
        judgment,
        grades=tuple(one for one in judgment.grades if matches(target, one.path)),
        elements=tuple(one for one in judgment.elements if matches(target, one.path)),
    )


def with_targets(scene: Scene, targets: dict[str, str]) -> GroundTruth:
    patterns = {topic: PathPatterns.parse(text) for topic, text in targets.items()}
    truth = scene.truth
    return GroundTruth.of(truth.assessments, truth.collection, targets=patterns)


def random_targets(scene: Scene, random: Random) -> dict[str, str]:
    return {t: random.choice(list(PATTERNS)) for t in scene.truth.topics if random.random() < 0.8}


def is_over_elements(measure: Measure) -> bool:
    return bool(measure.needs & {Need.ELEMENTS, Need.SIZES})


@pytest.mark.parametrize("year", ["2002", "2003"])
@pytest.mark.parametrize("name", MEASURES)
def test_scores_are_those_of_assessments_without_other_elements(name: str, year: str) -> None:
    changed = 0
    for number, scene in enumerate(scenes(year)):
        random = Random(f"{name} {number}")
        measure = varied(MEASURES[name], scene.scale, random)
        if (
            measure is None
            or not is_over_elements(measure)
            or not scene.takes(measure, scene.world.elements)
        ):
            continue
        targets = random_targets(scene, random)
        truth = with_targets(scene, targets)
        judged = tuple(only_matching(one, targets) for one in scene.world.judgments)
        other = Scene(replace(scene.world, judgments=judged), scene.scale)
        if not any(judgment.is_relevant for judgment in judged):
            continue
        found = measure.resolve_auto(truth).scores(
            replace(scene.ranking(scene.world.elements), truth=truth)
        )
        expected = other.scores(measure, scene.world.elements)
        scores = dict(zip(truth.topics, found.tolist(), strict=True))
        defined = {topic: score for topic, score in scores.items() if score == score}
        assert defined == pytest.approx(expected, abs=1e-12), (measure, targets, str(scene))
        changed += defined != scene.scores(measure, scene.world.elements)
    if LEVEL == "unit":
        return  # too few worlds to be sure that some score changes
    assert changed or year != "2002" or Need.ELEMENTS not in MEASURES[name].facts.needs


def elements_in(truth: GroundTruth, quant: str) -> list[tuple[str, str]]:
    """The topics and paths of the full recall base."""
    elements, rows = truth.elements(quant), truth.base("full", quant).row.tolist()
    home = truth.known_collection
    return [
        (truth.topics[elements.topic[row]], home.path_of(int(elements.node[row]))) for row in rows
    ]


@pytest.mark.parametrize("year", YEARS)
def test_bases_hold_what_matches(year: str) -> None:
    quant = {"highlights": "spec", "2005": "gen5"}.get(year, "gen")
    for number, scene in enumerate(scenes(year)):
        targets = random_targets(scene, Random(number))
        assert elements_in(with_targets(scene, targets), quant) == [
            (topic, path)
            for topic, path in elements_in(scene.truth, quant)
            if topic not in targets or matches(targets[topic], path)
        ]


def test_covers_are_made_of_what_matches() -> None:
    """By hand, character by character, over the elements that match."""
    for number, scene in enumerate(scenes("highlights")):
        targets = random_targets(scene, Random(number))
        truth, home = with_targets(scene, targets), scene.world.collection()
        trees = trees_of_assessments(truth, RelevanceChoice("cover", "length"))
        found: dict[tuple[str, str], set[str]] = {}
        for topic, document, node in zip(
            trees.topic.tolist(), trees.document.tolist(), trees.trees.nodes.tolist(), strict=True
        ):
            pair = truth.topics[topic], home.id_of(document)
            found.setdefault(pair, set()).add(home.path_of(node))
        expected: dict[tuple[str, str], set[str]] = {}
        for judgment in scene.world.judgments:
            target = targets.get(judgment.topic)
            tree = dict(scene.world.documents)[judgment.document]
            elements = elements_of(judgment.document, tree)
            kept = [one for one in elements if target is None or matches(target, one.path)]
            wanted = [at for start, end in judgment.highlights for at in range(start, end)]
            members = cover(kept, tree.text, set(wanted))
            if members:
                expected[judgment.pair] = {one.path for one in members}
        assert found == expected, (targets, str(scene))


DOCUMENT = {"a": "<article><sec><p>one two</p>three</sec><sec>four</sec></article>"}
GRADES = {"/article[1]": "L", "/article[1]/sec[1]": "E", "/article[1]/sec[1]/p[1]": "S"}
JUDGED = Assessments(
    [
        Judgment(
            "7",
            "a",
            grades=tuple(GradedElement(path, Grade2002(3, cov)) for path, cov in GRADES.items()),
        )
    ]
)
RUN = Run.from_results(paths("/article[1]", "/article[1]/sec[1]"))
SECTIONS = [Topic("7", castitle="//article[about(., one)]//sec")]


@pytest.mark.parametrize("with_collection", [True, False])
def test_by_hand(with_collection: bool) -> None:
    """Of article (.75), section (1) and paragraph, only the section is in the base."""
    names = ["nxCG@1(base=full,quant=gen)", "nxCG@2(base=full,quant=gen)"]
    world: dict[str, Any] = {}
    if with_collection:
        world = {"collection": example_collection(DOCUMENT)}
    plain = evaluate(RUN, JUDGED, names, **world)
    assert list(plain.mean()["run"].values()) == [0.75, 1.0]
    strict = evaluate(RUN, JUDGED, names, targets=SECTIONS, **world)
    assert list(strict.mean()["run"].values()) == [0.0, 1.0]
    of_2002 = [Topic("7", cas_parts=(("te", "sec"),))]
    assert evaluate(RUN, JUDGED, names, targets=of_2002, **world).mean() == strict.mean()
    whole = evaluate(RUN, JUDGED, names, targets=[Topic("7", title="one")], **world)
    assert whole.mean() == plain.mean()


def test_units_and_text_outside_the_targets_are_not_wanted() -> None:
    """By hand: the first section is a unit of its own, and one with its paragraph, which goes."""
    section, paragraph = "/article[1]/sec[1]", "/article[1]/sec[1]/p[1]"
    collection = example_collection(DOCUMENT)
    options: dict[str, Any] = {"collection": collection, "targets": SECTIONS}
    units = (AssessedUnit((section, paragraph), 1.0), AssessedUnit((paragraph,), 1.0))
    judged = Assessments([Judgment("7", "a", units=units)])
    names = ["RecallBase@1(nav=none)", "Hits@1(nav=none)"]
    found = evaluate(Run.from_results(paths(section)), judged, names, **options)
    assert list(found.mean()["run"].values()) == [1.0, 1.0]
    # Half of the paragraph and the last section: 3 of 12 and 4 of 4 characters of the sections.
    highlighted = Assessments([Judgment("7", "a", ((0, 3), (12, 16)))])
    names = ["SRiR@1(nav=none)", "RecallBase@1(nav=none)"]
    found = evaluate(Run.from_results(paths(section)), highlighted, names, **options)
    assert list(found.mean()["run"].values()) == pytest.approx([3 / 7, 2.0])
    article = [Topic("7", castitle="//fm[about(., one)]")]
    nothing = evaluate(
        Run.from_results(paths(section)), highlighted, names, **options | {"targets": article}
    )
    assert list(nothing.mean()["run"].values()) == [None, None]


def warnings_of(topics: list[Topic], *names: str, assessments: Assessments = JUDGED) -> list[str]:
    collection = example_collection(DOCUMENT)
    found = Evaluation(assessments, names, targets=topics, collection=collection)
    return list(found.warnings)


def test_what_targets_do_not_cover_is_told() -> None:
    element, text = "nxCG@1(quant=gen)", "P@1"
    assert warnings_of(SECTIONS, element) == []
    assert warnings_of([Topic("8")], element) == [
        "targets: 1 assessed topic is not among the topics and keeps all its elements: 7",
        "targets: no assessed topic has a structured query, so they have no effect",
    ]
    assert warnings_of([Topic("7", castitle="//fig[about(., a)]")], element) == [
        "targets: no element of the collection matches those of topics 7 (//fig)"
    ]
    assert warnings_of(SECTIONS, text) == [
        "targets: none of the measures is over elements, so they have no effect"
    ]
    assert warnings_of(SECTIONS, element, text) == [
        "targets: no effect on measures that are not over elements: P@1"
    ]
    (told,) = warnings_of(SECTIONS, "ng(quant=gen)")
    assert "divide by the relevance of documents: ng(quant=gen)" in told
    assert warnings_of(SECTIONS, "ng(quant=gen,denominator=components)") == []


def test_a_query_that_does_not_parse_is_an_error_if_its_topic_is_assessed() -> None:
    broken = Topic("7", castitle="//sec[about(., a)", origin="t.xml", line=2)
    with pytest.raises(SyntaxProblem, match=r"t\.xml:2: the query of topic 7: column"):
        warnings_of([broken], "P@1")
    assert len(warnings_of([*SECTIONS, replace(broken, id="8")], "nxCG@1(quant=gen)")) == 0
    with pytest.raises(InputError, match="topic '7' is given twice"):
        warnings_of([*SECTIONS, *SECTIONS], "P@1")
    with pytest.raises(InputError, match=r"expected a list \(of a Topic\)"):
        warnings_of([{"7": "//sec"}], "P@1")  # type: ignore[list-item]  # what is refused


def test_the_command_line(tmp_path: Path) -> None:
    files = write_files(
        tmp_path,
        {
            "t.jsonl": '{"id": "7", "castitle": "//article[about(., one)]//sec"}\n',
            "j.jsonl": '{"topic": "7", "doc": "a", "path": "/article[1]", "e": 3, "s": 2}\n'
            '{"topic": "7", "doc": "a", "path": "/article[1]/sec[1]", "e": 3, "s": 3}\n',
            "r.run": "7 Q0 a 1 9 r /article[1]\n7 Q0 a 2 8 r /article[1]/sec[1]\n",
            "s.jsonl": '{"topic": "7", "doc": "a", "path": "/article[1]/sec[1]", "run": "s"}\n'
            '{"topic": "7", "doc": "a"}\n{"topic": "7", "doc": "b", "path": "/article/p[1]"}\n',
        },
    )
    measure = ("-m", "nxCG@1(quant=gen,base=full)", "--targets", files / "t.jsonl")
    options = ("-a", files / "j.jsonl", *measure, "--format", "csv")
    assert doxeval("evaluate", files / "r.run", *options).stdout.splitlines()[1].endswith(",0.0")
    both = (files / "r.run", files / "s.jsonl")
    assert doxeval("compare", *both, *options).exit_code == 0
    assert doxeval("correlate", *both, *options, "-m", "MAep(quant=gen)").exit_code == 0
    check = ("validate", *both, "--task", "thorough", "--targets", files / "t.jsonl")
    checked = doxeval(*check)
    assert checked.exit_code == 1
    told = [line.strip() for line in checked.stdout.splitlines() if "is not a" in line]
    assert told == [
        "line 1: /article[1] is not a //article//sec",
        "line 2: a whole document is not a //article//sec",
        "line 3: /article/p[1] is not a //article//sec",
    ]
