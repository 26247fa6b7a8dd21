"""Every measure against its brute-force twin, on random worlds.

One world is scored by all families at once, each with parameters that are drawn for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import brute_force as brute
from brute_force import Scene, Score
from doxeval.assessments.assessed_elements import SpecificityFrom
from doxeval.assessments.grades import Grade2002, Grade2003
from doxeval.assessments.judgment import Assessments, GradedElement, Judgment
from doxeval.documents.examples import example_collection
from doxeval.evaluation import evaluate
from doxeval.measures.families.prum import eprum, prum
from doxeval.runs.builder import run_of
from doxeval.runs.run import Kind, Result, Run
from strategies import Node, Piece, World, graded_worlds, located, worlds

Twin = Callable[[Scene], Score]
Twins = dict[str, Twin]
What = Literal["elements", "passages"]
WORLDS = 100


@dataclass(frozen=True)
class Choice:
    """The parameters that one world is scored with."""

    k: int
    x: str
    quant: str
    base: str
    ignore: str
    penalty: str
    ranks: str
    interpolation: str
    unretrieved: bool
    overlap: str
    denominator: str
    alpha: str
    resize: str
    beta: str
    irrelevant: int
    within: int
    patience: str
    length: str | None
    unreached: str
    unit: str
    exponents: str
    by_score: bool


def choices(*quants: str) -> st.SearchStrategy[Choice]:
    """Parameters of all kinds, and one of these quantisations."""
    one = st.sampled_from
    return st.builds(
        Choice,
        k=one([1, 2, 3, 5, 20]),
        x=one(["0", "0.01", "0.1", "0.33", "0.5", "0.9", "1"]),
        quant=one(quants),
        base=one(["ideal", "full"]),
        ignore=one(["none", "links", "p", "sec+collectionlink", "article"]),
        penalty=one(["1", "0.5", "0"]),
        ranks=one(["integer", "interpolated"]),
        interpolation=one(["intuitive", "ceiling"]),
        unretrieved=st.booleans(),
        overlap=one(["o", "s"]),
        denominator=one(["documents", "components"]),
        alpha=one(["0", "0.5", "1"]),
        resize=one(["full", "new", "tool"]),
        beta=one(["1", "0.25", "2"]),
        irrelevant=one([1, 3, 8, 300]),
        within=one([1, 4, 10, 500]),
        patience=one(["0.01", "0.1", "1", "10"]),
        length=one([None, "7", "20.5"]),
        unreached=one(["zero", "truncate", "condition"]),
        unit=one(["words", "characters"]),
        exponents=one(["0.875+0.75+0.5", "0.5+0.75+1.5"]),
        by_score=st.booleans(),
    )


def compare(
    world: World,
    choice: Choice,
    twins: Twins,
    what: What = "elements",
    *,
    has_collection: bool = True,
    specificity: SpecificityFrom | None = None,
) -> None:
    """Hold that each measure gives each topic what its twin gives, and the mean of that."""
    table = evaluate(
        world.element_run() if what == "elements" else world.passage_run(),
        world.assessments(),
        list(twins),
        collection=world.collection() if has_collection else None,
        order="rsv" if choice.by_score else "list",
        specificity=specificity,
    )
    results = world.elements if what == "elements" else world.passages
    topics = dict.fromkeys(judgment.topic for judgment in world.judgments)
    scenes = {t: Scene(world, t, results, choice.by_score, has_collection) for t in topics}
    means, scores = table.mean()[what], table.topics()[what]
    for label, twin in twins.items():
        expected = {topic: twin(scene) for topic, scene in scenes.items()}
        found = {topic: of_topic[label] for topic, of_topic in scores.items()}
        assert found == {topic: near(score) for topic, score in expected.items()}, label
        defined = [score for score in expected.values() if score is not None]
        assert means[label] == near(brute.mean(defined) if defined else None), label


def near(score: Score) -> object:
    return None if score is None else pytest.approx(float(score), abs=1e-9, rel=0)


# Names and twins, by family --------------------------------------------------------------------


def documents(choice: Choice) -> Twins:
    return {
        "AP": brute.document_average_precision,
        f"P@{choice.k}": partial(brute.document_precision, k=choice.k),
        f"R@{choice.k}": partial(brute.document_recall, k=choice.k),
    }


def inex_eval(choice: Choice, rest: bool = True) -> Twins:
    parameters: dict[str, Any] = {
        "quant": choice.quant,
        "interpolation": choice.interpolation,
        "unretrieved": "level" if choice.unretrieved and rest else "zero",
    }
    return {f"inex_eval({listed(parameters)})": partial(brute.inex_eval, **parameters)}


def ng(choice: Choice) -> Twins:
    parameters: dict[str, Any] = {
        "overlap": choice.overlap,
        "quant": choice.quant,
        "denominator": choice.denominator,
        "unretrieved": "block" if choice.unretrieved else "zero",
    }
    return {f"ng({listed(parameters)})": partial(brute.ng, **parameters)}


def listed(parameters: Mapping[str, object]) -> str:
    return ",".join(f"{name}={value}" for name, value in parameters.items())


def gains(choice: Choice, from_file: bool = False) -> Twins:
    find = partial(
        brute.gains,
        base=choice.base,
        quant=choice.quant,
        ignore=choice.ignore,
        from_file=from_file,
    )
    return _by_gains(choice, find, f"base={choice.base}")


def gains_of_unseen_text(choice: Choice) -> Twins:
    find = partial(
        brute.gains,
        base="full",
        quant=choice.quant,
        ignore=choice.ignore,
        penalty=Fraction(choice.penalty),
    )
    return _by_gains(choice, find, f"base=full,overlap=on,penalty={choice.penalty}")


def _by_gains(choice: Choice, find: Callable[[Scene], brute.Gains | None], base: str) -> Twins:
    common = f"{base},quant={choice.quant},ignore={choice.ignore}"
    ranks = choice.ranks
    k, x = choice.k, Fraction(choice.x)
    return {
        f"nxCG@{k}({common})": lambda scene: brute.nxcg(find(scene), k),
        f"MAnxCG@{k}({common})": lambda scene: brute.manxcg(find(scene), k),
        f"MAep({common},ranks={ranks})": lambda scene: brute.maep(find(scene), ranks),
        f"ep[{choice.x}]({common},ranks={ranks})": lambda scene: brute.ep(find(scene), x, ranks),
        f"iMAep({common})": lambda scene: brute.imaep(find(scene)),
    }


def hixeval(choice: Choice) -> Twins:
    find = partial(brute.hixeval, alpha=Fraction(choice.alpha), resize=choice.resize)
    common = f"alpha={choice.alpha},resize={choice.resize}"
    k, x, beta = choice.k, Fraction(choice.x), Fraction(choice.beta)
    return {
        f"cP@{k}({common})": lambda scene: brute.precision_at(find(scene), k),
        f"cR@{k}({common})": lambda scene: brute.recall_at(find(scene), k),
        f"cF@{k}({common},beta={choice.beta})": lambda s: brute.f_at(find(s), k, beta),
        f"iP[{choice.x}]({common})": lambda s: brute.interpolated_precision(find(s), x),
        f"MAiP({common})": lambda scene: brute.maip(find(scene)),
    }


def in_context(choice: Choice, has_entries: bool) -> Twins:
    k = choice.k
    scores = {
        f"score=F,beta={choice.beta}": brute.f_of_document(Fraction(choice.beta)),
        f"score=t2i,irr={choice.irrelevant}": brute.reading_of_document(choice.irrelevant),
    }
    if has_entries:
        scores[f"score=bep,n={choice.within}"] = brute.nearness_of_entry(choice.within)
    twins: Twins = {f"gR@{k}": partial(brute.gr, k=k)}
    for name, score in scores.items():
        twins[f"MAgP({name})"] = partial(brute.magp, score=score)
        twins[f"gP@{k}({name})"] = partial(brute.gp, score=score, k=k)
    return twins


def entry_points(choice: Choice, has_entries: bool) -> Twins:
    if not has_entries:
        return {}
    patience = Fraction(choice.patience)
    length = None if choice.length is None else Fraction(choice.length)
    common = f"A={choice.patience}" + (f",L={choice.length}" if choice.length else "")
    return {
        f"BEPD({common})": partial(brute.bepd, patience=patience, length=length),
        **_browsing(
            choice,
            partial(brute.nearness, patience=patience, length=length),
            lambda scene: len(scene.entries),
            common,
        ),
    }


def ideal_elements(choice: Choice) -> Twins:
    """Without navigation both are classical precision where the i-th target is found."""

    def find(scene: Scene) -> brute.Matrix:
        return brute.exact_hits(scene, choice.quant)

    def targets(scene: Scene) -> int:
        return len(brute.ideal_base(brute.values(scene, choice.quant)))

    common = f"targets=ideal,quant={choice.quant}"
    twins = _browsing(choice, find, targets, common)
    twins[f"PRUM({common})"] = partial(_at_recall, find, targets, brute.precision_at_target, None)
    twins[f"EPRUM({common})"] = twins[f"PRUM({common})"]
    return twins


def _browsing(
    choice: Choice,
    find: Callable[[Scene], brute.Matrix],
    targets: Callable[[Scene], int],
    common: str,
) -> Twins:
    """PRUM and EPRUM, by going all ways a user may go."""
    k, x = choice.k, choice.x
    prum_twin = partial(brute.prum, unreached=choice.unreached)
    with_unreached = f"{common},unreached={choice.unreached}"
    return {
        f"PRUM({with_unreached})": partial(_at_recall, find, targets, prum_twin, None),
        f"PRUM[{x}]({with_unreached})": partial(_at_recall, find, targets, prum_twin, x),
        f"EPRUM({common})": partial(_at_recall, find, targets, brute.eprum, None),
        f"EPRUM[{x}]({common})": partial(_at_recall, find, targets, brute.eprum, x),
        f"EPRUM@{k}({common})": lambda scene: (
            brute.eprum_at_rank(find(scene), k) if targets(scene) else None
        ),
    }


def _at_recall(
    find: Callable[[Scene], brute.Matrix],
    targets: Callable[[Scene], int],
    kernel: Callable[[brute.Matrix, int], brute.Number],
    x: str | None,
    scene: Scene,
) -> Score:
    """A kernel at a recall level, or its mean over all levels."""
    level = None if x is None else Fraction(x)
    return brute.at_recall(partial(kernel, find(scene)), targets(scene), level)


def erru(choice: Choice, look: Callable[[Scene], brute.Looking]) -> Twins:
    exact, fitting, other = map(float, choice.exponents.split("+"))
    label = f"ERRU@{choice.k}(unit={choice.unit},exponents={choice.exponents})"
    return {
        label: lambda scene: brute.erru(
            scene, look(scene), choice.k, choice.unit, (exact, fitting, other)
        )
    }


# The comparisons -------------------------------------------------------------------------------


def has_entry_points(world: World) -> bool:
    return any(judgment.best_entry_point is not None for judgment in world.judgments)


@given(worlds(), choices("spec"))
@settings(max_examples=WORLDS)
def test_elements_and_highlights(world: World, choice: Choice) -> None:
    twins = {
        **documents(choice),
        **inex_eval(choice),
        **ng(choice),
        **gains(choice),
        **gains_of_unseen_text(choice),
        **hixeval(choice),
        **in_context(choice, has_entry_points(world)),
        **entry_points(choice, has_entry_points(world)),
        **ideal_elements(choice),
        **erru(choice, brute.looking_at_highlights),
    }
    compare(world, choice, twins)


@given(worlds(), choices("spec"), st.booleans())
@settings(max_examples=WORLDS)
def test_passages_and_highlights(world: World, choice: Choice, has_collection: bool) -> None:
    has_length = has_collection or choice.length is not None
    twins = {
        **documents(choice),
        **hixeval(choice),
        **in_context(choice, has_entry_points(world)),
        **entry_points(choice, has_entry_points(world) and has_length),
    }
    compare(world, choice, twins, "passages", has_collection=has_collection)


@given(graded_worlds(2002), choices("strict", "gen"))
@settings(max_examples=WORLDS)
def test_elements_and_grades_of_2002(world: World, choice: Choice) -> None:
    twins = {
        **documents(choice),
        **inex_eval(choice),
        **ng(choice),
        **gains(choice),
        **gains_of_unseen_text(choice),
        **ideal_elements(choice),
        **erru(choice, brute.looking_at_grades),
    }
    compare(world, choice, twins)


@given(graded_worlds(2003), choices("strict", "gen", "sog"))
@settings(max_examples=WORLDS)
def test_elements_and_grades_of_2003(world: World, choice: Choice) -> None:
    twins = {
        **documents(choice),
        **inex_eval(choice),
        **(ng(choice) if choice.quant != "sog" else {}),
        **gains(choice),
        **gains_of_unseen_text(choice),
    }
    compare(world, choice, twins)


@given(graded_worlds(2003), choices("strict", "gen", "sog"))
@settings(max_examples=WORLDS)
def test_elements_and_grades_without_a_collection(world: World, choice: Choice) -> None:
    twins = {
        **documents(choice),
        **inex_eval(choice, rest=False),
        **gains(choice),
    }
    compare(world, choice, twins, has_collection=False)


@given(st.integers(0, 2**32).map(Random), choices("gen", "sog"))
@settings(max_examples=WORLDS)
def test_elements_around_several_ideal_elements(random: Random, choice: Choice) -> None:
    """A document of sections and paragraphs, all graded, and returned in any order."""
    paragraph = Node("p", (Piece("x", "x"),))
    document = Node("a", (Node("s", (paragraph,) * 3),) * 3)
    paths = [place.path for place in located(document)]
    grades = {path: (random.randint(1, 3), random.randint(1, 3)) for path in paths}
    grades["/a[1]"] = (1, 1)
    ranked = random.sample(paths, len(paths))
    results = tuple(Result("7", "a", Kind.ELEMENT, place=(path,)) for path in ranked)
    world = World((("a", document),), (graded(grades),), results, ())
    focused = replace(choice, base="ideal", ignore="none", by_score=False)
    twins: Twins = {}
    for k in (2, 4, 8, 13):
        twins |= gains(replace(focused, k=k))
    compare(world, focused, twins, has_collection=False)


@given(graded_worlds(2005), choices("strict5", "gen5", "genLifted", "spec"), st.booleans())
@settings(max_examples=WORLDS)
def test_elements_and_lists_of_2005(world: World, choice: Choice, from_file: bool) -> None:
    refused = ("gen5", "genLifted")
    twins = {
        **(inex_eval(choice) if choice.quant not in refused and not from_file else {}),
        **gains(choice, from_file),
        **({} if from_file else gains_of_unseen_text(choice)),
    }
    compare(world, choice, twins, specificity="file" if from_file else None)


@given(st.data(), st.integers(0, 4), st.integers(1, 3))
@settings(max_examples=WORLDS)
def test_users_who_may_go_any_way(data: st.DataObject, items: int, targets: int) -> None:
    chance = st.sampled_from([Fraction(n, 10) for n in (0, 0, 0, 1, 3, 5, 7, 10)])
    p = data.draw(st.tuples(*[st.tuples(*[chance] * targets)] * items))
    array = np.array(p, dtype=np.float64).reshape(items, targets)
    levels = range(1, targets + 1)
    assert eprum(array).tolist() == [near(brute.eprum(p, i)) for i in levels]
    kinds: list[Any] = ["zero", "truncate", "condition"]
    for unreached in kinds:
        expected = [near(brute.prum(p, i, unreached)) for i in levels]
        assert prum(array, unreached).tolist() == expected


@pytest.mark.parametrize("relevant", [1, 2, 3, 4])
@pytest.mark.parametrize("others", [0, 1, 2, 3])
def test_the_expected_search_length_is_the_mean_over_all_orders(relevant: int, others: int) -> None:
    for wanted in range(1, relevant + 1):
        expected = Fraction(wanted * others, relevant + 1)
        assert brute.others_before(wanted, relevant, others) == expected


@pytest.mark.parametrize(("relevant", "others"), [(1, 3), (2, 2), (3, 2), (2, 4)])
def test_inex_eval_expects_any_order_of_results_that_share_a_rank(
    relevant: int, others: int
) -> None:
    paths = [f"/a[1]/p[{n + 1}]" for n in range(relevant + others)]
    grades = tuple(GradedElement(path, Grade2002(3, "E")) for path in paths[:relevant])
    results = [Result("7", "d", Kind.ELEMENT, place=(path,), rank=1, score=1.0) for path in paths]
    label = "inex_eval(quant=strict,interpolation=ceiling,unretrieved=zero)"
    table = evaluate(
        run_of(results, "run"),
        Assessments([Judgment("7", "d", grades=grades)]),
        [label],
        order="rsv",
    )
    precisions = [
        wanted / (wanted + brute.others_before(wanted, relevant, others))
        for x in brute.hundredths(1)
        for wanted in [brute.ceiling(x * relevant)]
    ]
    assert table.mean()["run"][label] == near(brute.mean(precisions))


# What random worlds show rarely, or hide behind something else ---------------------------------


@pytest.mark.parametrize("name", ["inex_eval(quant=spec)", "ng(quant=spec)"])
def test_an_empty_list_scores_0_even_if_the_rest_of_the_collection_counts(name: str) -> None:
    collection = example_collection({"a": "<a><p>one</p><p>two</p></a>"})
    assessments = Assessments([Judgment("7", "a", ((0, 3),)), Judgment("8", "a", ((0, 3),))])
    run = run_of([Result("8", "a")], "run")
    scores = evaluate(run, assessments, [name], collection=collection).topics()["run"]
    assert scores["7"][name] == 0


@pytest.mark.parametrize("name", ["nxCG@1", "MAep", "inex_eval(quant=spec)", "ERRU@1"])
def test_a_measure_is_undefined_where_nothing_is_relevant_at_all(name: str) -> None:
    collection = example_collection({"a": "<a><p>one</p><p>two</p></a>"})
    run = run_of([Result("7", "a")], "run")
    table = evaluate(run, Assessments([Judgment("7", "a")]), [name], collection=collection)
    assert table.mean()["run"][name] is None


def test_an_empty_run_can_be_ordered() -> None:
    assessments = Assessments([Judgment("7", "a", ((0, 3),), document_length=9)])
    table = evaluate(run_of([], "run"), assessments, ["MAiP"], order="rsv")
    assert table.mean() == {"run": {"MAiP": 0.0}}


def test_an_empty_element_is_not_relevant_to_erru_whatever_its_grade() -> None:
    collection = example_collection({"a": "<a><p>one</p><p/></a>"})
    paths = ["/a[1]/p[1]", "/a[1]/p[2]"]
    grades = tuple(GradedElement(path, Grade2002(3, "E")) for path in paths)
    assessments = Assessments([Judgment("7", "a", grades=grades)])
    table = evaluate(returned(paths[:1]), assessments, ["ERRU@1"], collection=collection)
    assert table.mean() == {"run": {"ERRU@1": 1.0}}


def test_conditional_prum_is_0_where_a_target_is_never_shown() -> None:
    p = np.array([[0, 0.7, 0], [0, 0, 0.1], [0, 0.3, 0.1]])
    assert prum(p, "condition")[2] == 0


def test_conditional_prum_keeps_its_digits_where_recall_is_unlikely() -> None:
    unlikely = Fraction(1, 10**7)
    p = ((unlikely, Fraction(0)), (Fraction(0), Fraction(0)), (Fraction(0), unlikely))
    expected = [near(brute.prum(p, i, "condition")) for i in (1, 2)]
    assert prum(np.array(p, dtype=np.float64), "condition").tolist() == expected


def returned(paths: list[str], topics: str = "7") -> Run:
    """A run of elements of the document a."""
    return run_of(
        [Result(topic, "a", Kind.ELEMENT, place=(path,)) for topic in topics for path in paths],
        "run",
    )


def graded(grades: dict[str, tuple[int, int]], topic: str = "7") -> Judgment:
    """Grades of 2003 in the document a."""
    return Judgment(
        topic, "a", grades=tuple(GradedElement(path, Grade2003(*g)) for path, g in grades.items())
    )


def test_equal_remainders_of_ideal_elements_are_equal() -> None:
    """Worth 0.9, less four times 0.1, is worth 0.5: then the first ideal element is charged."""
    parts = [f"/a[1]/s[2]/p[{n}]" for n in range(1, 5)]
    grades = {"/a[1]": (1, 1), "/a[1]/s[1]": (2, 2), "/a[1]/s[2]": (2, 3)}
    assessments = Assessments([graded(grades | dict.fromkeys(parts, (1, 1)))])
    run = returned([*parts, "/a[1]", "/a[1]/s[1]"])
    table = evaluate(run, assessments, ["nxCG@6(quant=sog)"])
    assert table.mean()["run"]["nxCG@6(quant=sog)"] == near(Fraction(9, 14))


def test_no_more_is_gained_where_the_ideal_element_is_used_up() -> None:
    """Worth 0.9, it is returned in ten parts of 0.1: the tenth gains nothing."""
    parts = [f"/a[1]/p[{n}]" for n in range(1, 11)]
    assessments = Assessments([graded({"/a[1]": (2, 3)} | dict.fromkeys(parts, (1, 1)))])
    name = "MAep(base=ideal,quant=sog)"
    expected = sum((Fraction(1, rank) for rank in range(1, 10)), Fraction(0))
    for count in (9, 10):
        table = evaluate(returned(parts[:count]), assessments, [name])
        assert table.mean()["run"][name] == near(expected)


def test_one_topic_does_not_depend_on_the_order_in_another() -> None:
    """Without a collection, the first of equal ideal elements is the first of this topic."""
    other = graded({"/a[1]/s[2]": (3, 3), "/a[1]/s[1]": (3, 3)}, "1")
    own = graded({"/a[1]": (2, 1), "/a[1]/s[1]": (3, 3), "/a[1]/s[2]": (3, 3)}, "2")
    run = returned(["/a[1]", "/a[1]/s[1]"], "2")
    name = "nxCG@2(quant=gen)"
    for judgments in ([own], [own, other], [other, own]):
        table = evaluate(run, Assessments(judgments), [name])
        assert table.topics()["run"]["2"][name] == near(Fraction(1, 2))
