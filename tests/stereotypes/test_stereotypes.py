"""Simulated systems: their lists, by hand and by brute force, and what measures make of them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import assume, given, settings

from brute_force.erru import looking_at_grades
from brute_force.recall_bases import Values, ideal_base, values
from brute_force.scene import Scene
from conftest import Builder, doxeval
from doxeval.assessments import Assessments, Judgment, write_assessments
from doxeval.assessments.grades import Grade2002, Grade2003, Grade2005
from doxeval.assessments.judgment import (
    AssessedUnit,
    GradedElement,
    MeasuredElement,
    PointPassage,
)
from doxeval.cli.simulate import SYSTEMS_WITH
from doxeval.cli.simulate import simulate as simulate_command
from doxeval.documents import Collection, Element
from doxeval.documents.examples import example_collection
from doxeval.errors import InputError, MissingInput, MissingText, SyntaxProblem, UnknownReference
from doxeval.evaluation import evaluate
from doxeval.runs import Kind, Run, read_run, resolve
from doxeval.runs.read_write import READERS, RunFormat, write_run
from doxeval.runs.run import Order
from doxeval.stereotypes import SYSTEMS, simulate
from doxeval.tasks import TASKS, problems_of
from strategies import World, graded_worlds, worlds

Listed = list[tuple[str, str]]


def listed(run: Run, topic: str = "7") -> Listed:
    """What a run has for a topic: documents and paths (none for a whole document)."""
    return [(r.document, "".join(r.paths)) for r in run.results() if r.topic == topic]


def scores(run: Run) -> list[float | None]:
    return [result.score for result in run.results()]


def graded(document: str, text: str, topic: str = "7") -> Judgment:
    """Grades of one document, written like `/s[1] 3E` (2002) or `/s[1] 33` (2003–04)."""
    elements = []
    for line in text.strip().splitlines():
        path, said = line.split()
        level, part = int(said[0]), said[1]
        grade = Grade2003(level, int(part)) if part.isdigit() else Grade2002(level, part)
        elements.append(GradedElement(path, grade))
    return Judgment(topic, document, grades=tuple(elements))


# Lists by hand


@pytest.fixture(scope="module")
def collection() -> Collection:
    return example_collection(
        {
            "a": "<s><p>One.</p><q><r>Two.</r><r>No</r></q><p>Four</p>Five</s>",
            "b": "<s><p>Incomprehensible<b/></p><p>as it is</p></s>",
            "c": "<s><t/>Alone</s>",
        }
    )


HIGHLIGHTS = Assessments(
    [
        Judgment("7", "c", ((0, 5),)),  # all of it
        Judgment("7", "b", ((0, 20),)),  # one paragraph, and half of the other
        Judgment("7", "a", ((4, 8), (10, 14))),  # Two. and Four
        Judgment("9", "b"),
        Judgment("8", "a", ((4, 10),)),  # Two. and No
    ]
)


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("perfect", "a/s[1]/q[1]/r[1] a/s[1]/p[2] c/s[1] b/s[1]"),
        ("document", "a c b"),
        ("parent", "a/s[1]/q[1] a/s[1] c/s[1] b/s[1]"),
        ("ancestors", "a/s[1] a/s[1]/q[1] a/s[1]/q[1]/r[1] a/s[1]/p[2] c/s[1] b/s[1]"),
        ("biggest-child", "a/s[1]/q[1]/r[1] a/s[1]/p[2] c/s[1] b/s[1]/p[2]"),
    ],
)
def test_lists_from_highlights(collection: Collection, system: str, expected: str) -> None:
    run = simulate(HIGHLIGHTS, collection, system)
    assert [document + path for document, path in listed(run)] == expected.split()
    assert run.run_id == system
    last = [result for result in run.results() if result.topic == "7"][-1]
    assert last.score == 20 / 24  # what the root of b is worth, which led to it
    assert last.rank == len(expected.split())
    assert last.kind is (Kind.DOCUMENT if system == "document" else Kind.ELEMENT)


def test_every_topic_has_a_list_in_the_order_of_the_assessments(collection: Collection) -> None:
    perfect = simulate(HIGHLIGHTS, collection, "perfect")
    assert list(perfect.topics) == ["7", "8"]
    assert perfect.warnings == ("topics without relevant units, whose lists are empty: 9",)
    assert listed(perfect, "8") == [("a", "/s[1]/q[1]")]
    by_chance = simulate(HIGHLIGHTS, collection, "random", run_id="by-chance")
    assert list(by_chance.topics) == ["7", "9", "8"]
    assert (by_chance.run_id, by_chance.warnings) == ("by-chance", ())


def test_the_biggest_child_by_words_or_by_characters(
    collection: Collection, build: Builder
) -> None:
    by_size = simulate(HIGHLIGHTS, collection, "biggest-child", unit="characters")
    assert listed(by_size)[-1] == ("b", "/s[1]/p[1]")
    assert listed(by_size, "8") == [("a", "/s[1]/q[1]/r[1]")]
    without = build({"a.xml": "<s><p>x y</p><p>long</p></s>"}, text="none")
    judged = Assessments([Judgment("7", "a", ((0, 7),))])
    assert listed(simulate(judged, without, "biggest-child", unit="characters")) == [
        ("a", "/s[1]/p[2]")
    ]
    with pytest.raises(MissingText):
        simulate(judged, without, "biggest-child")


def test_of_equal_children_the_first(collection: Collection) -> None:
    judged = Assessments([graded("a", "/s[1] 3E")])
    assert listed(simulate(judged, collection, "biggest-child")) == [("a", "/s[1]/p[1]")]
    by_size = simulate(judged, collection, "biggest-child", unit="characters")
    assert listed(by_size) == [("a", "/s[1]/q[1]")]


def test_lists_end_after_the_most_that_is_asked_for(collection: Collection) -> None:
    for system in SYSTEMS:
        everything = simulate(HIGHLIGHTS, collection, system)
        two = simulate(HIGHLIGHTS, collection, system, most=2)
        if system != "random":
            assert listed(two) == listed(everything)[:2]
        assert len(listed(two)) == 2


# Chance


def test_the_seed_decides_what_is_left_to_chance(collection: Collection) -> None:
    def by_seeds(system: str) -> list[Listed]:
        return [listed(simulate(HIGHLIGHTS, collection, system, seed=s)) for s in range(8)]

    for system in SYSTEMS:
        assert by_seeds(system) == by_seeds(system)
        alike = len({tuple(found) for found in by_seeds(system)}) == 1
        assert alike == (system not in ("random", "leaves"))


def test_random_elements_are_elements_of_the_collection_each_once(collection: Collection) -> None:
    run = simulate(HIGHLIGHTS, collection, "random")
    roots = [collection.root(name) for name in "abc"]
    elements = [element for root in roots for element in (root, *root.descendants())]
    for topic in "789":
        assert sorted(listed(run, topic)) == sorted((e.document_id, e.path) for e in elements)
    assert listed(run, "7") != listed(run, "8")
    alone = Assessments([judgment for judgment in HIGHLIGHTS if judgment.topic == "8"])
    assert listed(simulate(alone, collection, "random"), "8") == listed(run, "8")
    ranks = [result.score for result in run.results() if result.topic == "7"]
    assert ranks == [1 / rank for rank in range(1, len(elements) + 1)]


def test_leaves_are_by_value_and_by_chance_where_equal(collection: Collection) -> None:
    found = [listed(simulate(HIGHLIGHTS, collection, "leaves", seed=seed)) for seed in range(8)]
    best = {("a", "/s[1]/q[1]/r[1]"), ("a", "/s[1]/p[2]"), ("b", "/s[1]/p[1]"), ("c", "/s[1]")}
    for leaves in found:
        assert set(leaves[:4]) == best
        assert leaves[4:] == [("b", "/s[1]/p[2]")]


# Grades


def test_the_units_of_2002_have_exact_coverage_and_none_such_around(
    collection: Collection,
) -> None:
    judged = Assessments(
        [
            graded(
                "a", "/s[1] 3L\n/s[1]/p[1] 1E\n/s[1]/q[1] 2E\n/s[1]/q[1]/r[1] 3E\n/s[1]/p[2] 3S"
            ),
            graded("b", "/s[1] 0N\n/s[1]/p[2] 3E\n/s[1]/p[1]/b[1] 3E"),
            graded("c", "/s[1] 2E"),
        ]
    )
    perfect = simulate(judged, collection, "perfect")
    units = [("b", "/s[1]/p[2]"), ("a", "/s[1]/q[1]"), ("c", "/s[1]"), ("a", "/s[1]/p[1]")]
    assert listed(perfect) == units  # the empty element is none
    assert scores(perfect) == [1.0, 0.5, 0.5, 0.25]
    assert listed(simulate(judged, collection, "perfect", quant="gen")) == units
    # Only 3E counts: the ideal recall base.
    assert listed(simulate(judged, collection, "perfect", quant="strict")) == [
        ("a", "/s[1]/q[1]/r[1]"),
        ("b", "/s[1]/p[2]"),
    ]
    leaves = simulate(judged, collection, "leaves")
    assert scores(leaves) == [1.0, 1.0, 0.75, 0.75, 0.5]  # with quant=gen


def test_grades_of_2003_make_the_ideal_recall_base(collection: Collection) -> None:
    judged = Assessments(
        [graded("a", "/s[1] 31\n/s[1]/q[1] 33\n/s[1]/q[1]/r[1] 13"), graded("c", "/s[1] 22")]
    )
    perfect = simulate(judged, collection, "perfect")
    assert listed(perfect) == [("a", "/s[1]/q[1]"), ("c", "/s[1]")]
    assert scores(perfect) == [1.0, 0.5]
    assert listed(simulate(judged, collection, "leaves", quant="sog")) == [
        ("a", "/s[1]/q[1]/r[1]"),
        ("c", "/s[1]"),
    ]


LISTED_2005 = (
    MeasuredElement("/s[1]/q[1]", 1, 6, 6),
    MeasuredElement("/s[1]/q[1]/r[1]", 2, 4, 4),
    MeasuredElement("/s[1]/p[2]", None, 8, 2),
)


def test_lists_of_2005_by_exhaustivity_or_by_text(collection: Collection) -> None:
    passages = (PointPassage("/s[1]/q[1]/r[1]", "/s[1]/q[1]/r[1]"),)
    judged = Assessments([Judgment("7", "a", passages=passages, elements=LISTED_2005)])
    assert listed(simulate(judged, collection, "parent")) == [("a", "/s[1]/q[1]")]
    for quant, expected in {"gen5": 2.0, "genLifted": 3.0, "strict5": 1.0}.items():
        run = simulate(judged, collection, "perfect", quant=quant)
        assert listed(run) == [("a", "/s[1]/q[1]/r[1]")]
        assert scores(run) == [expected]


def test_lists_of_2005_without_passages_have_the_shares_of_the_file(
    collection: Collection,
) -> None:
    judged = Assessments([Judgment("7", "a", elements=LISTED_2005)])
    run = simulate(judged, collection, "perfect")
    assert listed(run) == [("a", "/s[1]/q[1]"), ("a", "/s[1]/p[2]")]
    assert scores(run) == [1.0, 0.25]
    assert scores(simulate(judged, collection, "perfect", quant="genLifted")) == [3.0, 0.25]


def test_single_grades_of_2005_take_gen5(collection: Collection) -> None:
    grades = (
        GradedElement("/s[1]", None),
        GradedElement("/s[1]/q[1]", Grade2005(1, Fraction(1, 2))),
        GradedElement("/s[1]/p[1]", Grade2005(2, Fraction(1, 1))),
    )
    run = simulate(Assessments([Judgment("7", "a", grades=grades)]), collection, "perfect")
    assert listed(run) == [("a", "/s[1]/p[1]"), ("a", "/s[1]/q[1]")]
    assert scores(run) == [2.0, 0.5]


# By brute force


def brute_lists(units: list[Element]) -> dict[str, Listed]:
    """What systems return for the ideal units, best first, walking from one to the next."""
    lists: dict[str, list[Element]] = {"document": [], "parent": [], "ancestors": []}
    lists["biggest-child"] = []
    for unit in units:
        above = list(unit.ancestors())
        lists["document"].append(above[-1] if above else unit)
        lists["parent"].append(above[0] if above else unit)
        lists["ancestors"] += [*reversed(above), unit]
        sizes = {child: len(child.text.split()) for child in unit.children()}
        largest = max(sizes.values(), default=0)
        same = [child for child, size in sizes.items() if size == largest]
        lists["biggest-child"].append(same[0] if largest else unit)
    return {
        system: [(e.document_id, e.path) for e in dict.fromkeys(found)]
        for system, found in lists.items()
    }


def best_first(found: Values) -> list[tuple[str, str, float]]:
    return [
        (unit.document, unit.path, float(value))
        for unit, value in sorted(found.items(), key=lambda pair: -pair[1])
    ]


def innermost(full: Values) -> Values:
    return {
        unit: value
        for unit, value in full.items()
        if not any(other.is_inside(unit) for other in full)
    }


def check_against_brute_force(
    world: World, quant: str | None, ideal: Callable[[Scene], Values], full_quant: str
) -> None:
    collection, assessments = world.collection(), world.assessments()
    runs = {system: simulate(assessments, collection, system, quant=quant) for system in SYSTEMS}
    for topic in assessments.topics:
        scene = Scene(world, topic, [])
        expected = best_first(ideal(scene))
        found = [r for r in runs["perfect"].results() if r.topic == topic]
        assert [(r.document, "".join(r.paths), r.score) for r in found] == expected
        units = [collection.element(document, path) for document, path, _ in expected]
        for system, wanted in brute_lists(units).items():
            if system == "document":
                wanted = [(document, "") for document, _ in wanted]
            assert listed(runs[system], topic) == wanted, system
        leaves = [r for r in runs["leaves"].results() if r.topic == topic]
        by_hand = innermost(values(scene, full_quant))
        assert [result.score for result in leaves] == [value for *_, value in best_first(by_hand)]
        assert {scene.element(r.document, r.paths[0]) for r in leaves} == set(by_hand)


@settings(max_examples=60)
@given(worlds())
def test_lists_from_highlights_by_brute_force(world: World) -> None:
    check_against_brute_force(world, None, lambda s: ideal_base(values(s, "spec")), "spec")


@settings(max_examples=60)
@given(graded_worlds(2002))
def test_lists_of_2002_by_brute_force(world: World) -> None:
    check_against_brute_force(world, None, lambda s: looking_at_grades(s).relevance, "gen")
    check_against_brute_force(world, "strict", lambda s: ideal_base(values(s, "strict")), "strict")


@settings(max_examples=40)
@given(graded_worlds(2003))
def test_lists_of_2003_by_brute_force(world: World) -> None:
    check_against_brute_force(world, None, lambda s: ideal_base(values(s, "gen")), "gen")
    check_against_brute_force(world, "sog", lambda s: ideal_base(values(s, "sog")), "sog")


@settings(max_examples=40)
@given(graded_worlds(2005))
def test_lists_of_2005_by_brute_force(world: World) -> None:
    assume(any(judgment.highlights for judgment in world.judgments))
    check_against_brute_force(world, "gen5", lambda s: ideal_base(values(s, "gen5")), "gen5")
    check_against_brute_force(world, None, lambda s: ideal_base(values(s, "spec")), "spec")


# What measures make of them


PARAGRAPH = f"<p>{'word ' * 20}</p>"
SECTION = f"<sec>{PARAGRAPH * 3}</sec>"
ARTICLE = f"<article><fm>{PARAGRAPH}</fm><bdy>{SECTION * 3}</bdy></article>"
GRADES = {
    "a": "{} 3L\n{}/bdy[1] 3L\n{}/bdy[1]/sec[1] 3L\n{}/bdy[1]/sec[1]/p[2] 3E",
    "b": "{} 2L\n{}/bdy[1] 2L\n{}/bdy[1]/sec[2] 2E\n{}/bdy[1]/sec[2]/p[1] 2S",
    "c": "{} 1L\n{}/bdy[1] 1L\n{}/bdy[1]/sec[3] 1L\n{}/bdy[1]/sec[3]/p[1] 1E",
    "d": "{} 3L\n{}/bdy[1] 3L\n{}/bdy[1]/sec[3] 3L\n{}/bdy[1]/sec[3]/p[1] 3E",
}
KS = (1, 2, 3, 4, 8, 20)


@pytest.mark.parametrize("order", ["list", "rsv"])
def test_erru_prefers_perfect_and_inex_eval_prefers_ancestors(order: Order) -> None:
    # Piwowarski and Gallinari 2003, §4.2, points 1 and 2.
    collection = example_collection(dict.fromkeys("abcdefgh", ARTICLE))
    judged = [graded(name, text.replace("{}", "/article[1]")) for name, text in GRADES.items()]
    assessments = Assessments(judged)
    runs = [simulate(assessments, collection, system) for system in SYSTEMS]
    table = evaluate(
        runs,
        assessments,
        [*(f"ERRU@{k}" for k in KS), "inex_eval(quant=gen)", "inex_eval(quant=strict)"],
        collection=collection,
        order=order,
    ).mean()
    for k in KS:
        label = f"ERRU@{k}"
        assert max(table, key=lambda run: table[run][label] or 0) == "perfect"
    for k in (4, 8, 20):
        assert table["perfect"][f"ERRU@{k}"] == pytest.approx(1, abs=1e-12)
    assert (table["ancestors"]["ERRU@4"] or 1) < 0.6
    generalised = {run: scored["inex_eval(quant=gen)"] or 0 for run, scored in table.items()}
    assert max(generalised, key=lambda run: generalised[run]) == "ancestors"
    assert generalised["ancestors"] > 1.3 * generalised["perfect"]


@settings(max_examples=40)
@given(worlds())
def test_perfect_is_perfect_with_highlights(world: World) -> None:
    collection, assessments = world.collection(), world.assessments()
    runs = [simulate(assessments, collection, system) for system in SYSTEMS]
    names = [f"nxCG@{k}" for k in (*range(1, 9), 50)]
    table = evaluate(runs, assessments, [*names, "ERRU@1500"], collection=collection).topics()
    for topic, found in table["perfect"].items():
        for label, value in found.items():
            if value is not None:
                assert value == pytest.approx(1, abs=1e-9), (topic, label)
        best = max(scored[topic]["ERRU@1500"] or 0 for scored in table.values())
        assert best <= (found["ERRU@1500"] or 0) + 1e-9


def test_perfect_is_best_from_the_first_result_on() -> None:
    collection = example_collection(dict.fromkeys("abc", ARTICLE))
    paragraph, article = len("word ") * 20, collection.root("a").length
    highlights = {
        "a": ((paragraph, 2 * paragraph), (5 * paragraph, 5 * paragraph + 70)),
        "b": ((article - paragraph, article),),
    }
    assessments = Assessments([Judgment("7", name, found) for name, found in highlights.items()])
    runs = [simulate(assessments, collection, system) for system in SYSTEMS]
    names = [f"{name}@{k}" for name in ("ERRU", "nxCG") for k in (1, 2, 3, 10)]
    table = evaluate(runs, assessments, names, collection=collection).mean()
    for label in names:
        assert max(scored[label] or 0 for scored in table.values()) == table["perfect"][label]
    assert [table["perfect"][f"nxCG@{k}"] for k in (1, 2, 3, 10)] == [1.0] * 4
    assert (table["ancestors"]["ERRU@3"] or 1) < 0.5 < (table["perfect"]["ERRU@3"] or 0)


@settings(max_examples=20)
@given(worlds())
def test_the_runs_are_as_tasks_want_them(world: World) -> None:
    collection, assessments = world.collection(), world.assessments()
    focused = ("perfect", "document", "biggest-child", "leaves")
    for system in SYSTEMS:
        run = simulate(assessments, collection, system)
        if not len(run):
            continue
        task = TASKS["focused" if system in focused else "thorough"]
        resolved = resolve(run, collection)
        assert problems_of(run, task, resolved=resolved, topics=assessments.topics) == []


# Files


@pytest.mark.parametrize("format_", READERS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_written_and_read_again(
    collection: Collection, system: str, format_: RunFormat, tmp_path: Path
) -> None:
    run = simulate(HIGHLIGHTS, collection, system)
    write_run(run, tmp_path / "run", format_)
    again = read_run(tmp_path / "run", format_)
    assert list(again.results()) == list(run.results())
    assert again.run_id == system


# What cannot be


def test_what_does_not_fit_is_refused(collection: Collection) -> None:
    grades = Assessments([graded("a", "/s[1] 3E")])
    nothing = Assessments([Judgment("7", "a")])
    trees = Assessments([Judgment("7", "a", units=(AssessedUnit(("/s[1]",), 1.0),))])
    elsewhere = Assessments([Judgment("7", "x", ((0, 1),))])
    refused: list[tuple[Assessments, str, dict[str, Any], type[Exception], str]] = [
        (HIGHLIGHTS, "prefect", {}, SyntaxProblem, "did you mean perfect"),
        (HIGHLIGHTS, "xyz", {}, SyntaxProblem, "there are perfect, document"),
        (HIGHLIGHTS, "perfect", {"quant": "gem"}, SyntaxProblem, "no quantisation"),
        (
            HIGHLIGHTS,
            "perfect",
            {"quant": "gen"},
            MissingInput,
            "text takes quant=spec",
        ),
        (
            HIGHLIGHTS,
            "perfect",
            {"quant": "gen5"},
            MissingInput,
            "no exhaustivity as 2005",
        ),
        (grades, "perfect", {"quant": "spec"}, MissingInput, "grades of elements"),
        (grades, "perfect", {"quant": "sog"}, SyntaxProblem, "not grades of 2002"),
        (grades, "perfect", {"quant": "gen5"}, SyntaxProblem, "not grades of 2002"),
        (trees, "perfect", {}, MissingInput, "neither highlighted text nor grades"),
        (elsewhere, "random", {}, UnknownReference, "not in the collection"),
        (HIGHLIGHTS, "random", {"seed": -1}, InputError, "expected 0 or more"),
        (HIGHLIGHTS, "random", {"most": 0}, InputError, "1 or more"),
    ]
    for assessments, system, options, error, message in refused:
        with pytest.raises(error, match=message):
            simulate(assessments, collection, system, **options)
    for quant in (None, "spec", "gen", "strict5"):
        assert not len(simulate(nothing, collection, "ancestors", quant=quant))


# The command line


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    path = tmp_path / "judged.jsonl"
    write_assessments(HIGHLIGHTS, path, "judgments")
    return path


def test_the_command_writes_one_run(collection: Collection, judged: Path, tmp_path: Path) -> None:
    out = tmp_path / "parent.xml"
    arguments = ("--system", "parent", "-a", judged, "--collection", collection.directory)
    result = doxeval("simulate", *arguments, "--out", out)
    assert (result.exit_code, result.stdout) == (0, f"{out}: 5 results for 2 topics\n")
    assert "warning: topics without relevant units, whose lists are empty: 9" in result.stderr
    expected = simulate(HIGHLIGHTS, collection, "parent")
    assert out.read_bytes().startswith(b"<inex-submission")
    assert list(read_run(out).results()) == list(expected.results())

    again = doxeval("simulate", *arguments, "--out", out, "--format", "jsonl")
    assert (again.exit_code, again.stdout) == (1, "")
    assert f"{out} exists; --force replaces it" in again.stderr
    assert (
        doxeval("simulate", *arguments, "--out", out, "--format", "jsonl", "--force").exit_code == 0
    )
    assert list(read_run(out, "jsonl").results()) == list(expected.results())
    directory = doxeval("simulate", *arguments, "--out", tmp_path, "--force")
    assert directory.exit_code == 1
    assert "expected a file, for one run" in directory.stderr


def test_the_command_writes_all_runs_into_a_directory(
    collection: Collection, judged: Path, tmp_path: Path
) -> None:
    out = tmp_path / "runs"
    where = ("-a", judged, "--collection", collection.directory, "--out", out)
    result = doxeval("simulate", "--system", "all", *where, "--seed", 3, "--most", 2)
    assert result.exit_code == 0
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == [
        str(out / f"{system}.run") for system in SYSTEMS
    ]
    for system in SYSTEMS:
        expected = simulate(HIGHLIGHTS, collection, system, seed=3, most=2)
        assert list(read_run(out / f"{system}.run").results()) == list(expected.results())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["judged.jsonl", "runs"]

    several = ("--system", "perfect", "--system", "leaves", *where)
    assert doxeval("simulate", *several).exit_code == 1
    assert doxeval("simulate", *several, "--force", "--format", "csv").exit_code == 0
    assert sorted(path.name for path in out.glob("*.csv")) == ["leaves.csv", "perfect.csv"]
    assert len(list(out.iterdir())) == len(SYSTEMS) + 2
    into_file = doxeval("simulate", *several[:-1], judged, "--force")
    assert into_file.exit_code == 1
    assert "expected a directory, for several runs" in into_file.stderr


def test_the_command_knows_which_options_a_system_looks_at(collection: Collection) -> None:
    judged = Assessments(
        [graded("a", "/s[1]/q[1] 2E"), graded("b", "/s[1] 3E\n/s[1]/p[1] 3E\n/s[1]/p[2] 3E")]
    )
    choices: dict[str, Any] = {
        "seed": range(20),
        "unit": ["words", "characters"],
        "quant": ["gen", "strict"],
    }
    assert set(choices) == set(SYSTEMS_WITH)
    for option, chosen in choices.items():
        for system in SYSTEMS:
            runs = [simulate(judged, collection, system, **{option: value}) for value in chosen]
            has_effect = any(listed(run) != listed(runs[0]) for run in runs)
            assert has_effect == (system in SYSTEMS_WITH[option]), (option, system)


def test_the_command_leaves_nothing_behind_when_it_fails(
    collection: Collection, tmp_path: Path, build: Builder
) -> None:
    spaced = build({"a b.xml": "<s><p>One.</p></s>"})
    for name, judgment in {
        "spaced": Judgment("7", "a b", ((0, 4),)),
        "none": Judgment("7", "c"),
    }.items():
        write_assessments([judgment], tmp_path / name, "judgments")
    before = sorted(tmp_path.iterdir())
    for systems in (["perfect"], ["perfect", "document"]):
        chosen = [part for system in systems for part in ("--system", system)]
        there = [*chosen, "--out", tmp_path / "out", "--collection"]
        lost = doxeval("simulate", *there, spaced.directory, "-a", tmp_path / "spaced")
        assert lost.exit_code == 1
        assert "hold white space" in lost.stderr
        empty = doxeval("simulate", *there, collection.directory, "-a", tmp_path / "none")
        assert empty.exit_code == 1
        assert "perfect returns nothing: no topic has relevant units" in empty.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_the_command_knows_all_systems_and_needs_a_collection(judged: Path) -> None:
    (option,) = (one for one in simulate_command.params if one.name == "systems")
    assert isinstance(option.type, click.Choice)
    assert list(option.type.choices) == [*SYSTEMS, "all"]
    result = doxeval("simulate", "--system", "perfect", "-a", judged, "--out", "nowhere")
    assert result.exit_code == 2
    assert "--collection DIR" in result.stderr
    help_text = doxeval("simulate", "--help").stdout
    assert max(map(len, help_text.splitlines())) <= 100
    assert all(f"\n    {system} " in help_text for system in SYSTEMS)
