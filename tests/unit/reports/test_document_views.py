"""What reports show of documents: which are chosen, what runs return there, and what is hit."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assessments import (
    Assessments,
    Grade2002,
    Grade2003,
    Grade2005,
    GradedElement,
    Judgment,
    MeasuredElement,
)
from doxeval.documents import example_collection
from doxeval.evaluation import Evaluation, Keep
from doxeval.measures import GroundTruth, Ranking, RetainedResults, hits_model, measure_named
from doxeval.reports import (
    contents_of,
    document_views,
    documents_note,
    select_documents,
)
from doxeval.runs import Kind, Run
from doxeval.scores import RunScores
from levels import examples
from making import passage, paths, point
from report_pages import documents_of
from strategies.world import World, graded_worlds, unit_worlds, worlds

MANY = 10**6


def kept_by(world: World, keep: Keep, *measures: str) -> tuple[GroundTruth, list[RunScores]]:
    """The ground truth of a world, and the scores of its runs with what is kept of them."""
    evaluation = Evaluation(
        world.assessments(),
        measures or ("P@5",),
        collection=world.collection(),
        keep=keep,
    )
    runs = [world.element_run(), world.passage_run(), world.tree_run()]
    return evaluation.truth, list(evaluation.score_all(runs).runs)


def results_of(scores: RunScores) -> RetainedResults:
    assert isinstance(scores.results, RetainedResults)
    return scores.results


# What a run returns


def rows_one_by_one(ranking: Ranking) -> list[tuple[int, int, int, int]]:
    """Pair, start, end and rank of each range, found result by result."""
    truth = ranking.truth
    nodes = truth.known_collection.nodes
    found = []
    for row in range(len(ranking)):
        pair, rank = int(ranking.pair[row]), int(ranking.rank[row])
        if pair < 0 or not truth.is_relevant[pair] or ranking.start[row] < 0:
            continue
        kind = Kind(int(ranking.resolved.run.kind[row]))
        start, end = int(ranking.start[row]), int(ranking.end[row])
        if kind is Kind.POINT:
            found.append((pair, start, start + 1, rank))
        elif kind is not Kind.TREE:
            found.append((pair, start, end, rank))
        else:
            tree = ranking.resolved.trees.rows(np.array([row])).nodes.tolist()
            for node in tree:
                below = range(node + 1, node + int(nodes.size[node]))
                if not any(other in below for other in tree):
                    found.append((pair, int(nodes.start[node]), int(nodes.end[node]), rank))
    return found


@given(worlds() | unit_worlds() | graded_worlds(2003))
def test_ranges_are_those_of_the_results(world: World) -> None:
    truth, runs = kept_by(world, Keep(results=True, of_ranking=rows_one_by_one))
    is_shown = truth.has_highlights or truth.has_grades
    for scores in runs:
        returned = results_of(scores)
        columns = (returned.pair, returned.start, returned.end, returned.rank)
        shown = list(zip(*(column.tolist() for column in columns), strict=True))
        assert shown == (scores.kept if is_shown else [])


def test_a_point_is_one_character() -> None:
    collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    assessments = Assessments([Judgment("7", "a", ((4, 8),), 4)])
    evaluation = Evaluation(assessments, "P@5", collection=collection, keep=Keep(results=True))
    kept = results_of(evaluation.score(Run.from_results([point("a", 4)])))
    assert (kept.start.tolist(), kept.end.tolist()) == ([4], [5])


# Which documents


def shares_by_characters(
    truth: GroundTruth, kept: list[RetainedResults], first: int
) -> dict[int, Any]:
    """By pair, the share of its relevant text that each run returns, counted by character."""
    found: dict[int, Any] = {}
    for pair in range(len(truth.topic)):
        document = truth.documents[truth.document[pair]]
        judgment = truth.assessments.find(truth.topics[truth.topic[pair]], document)
        assert judgment is not None
        counted = {at for start, end in judgment.highlights for at in range(start, end)}
        if not counted and truth.is_relevant[pair] and judgment.grades:
            counted = set(range(truth.known_collection.root(document).end))
        if not counted:
            continue
        found[pair] = []
        for run in kept:
            own = (run.pair == pair) & (run.rank <= first)
            ranges = zip(run.start[own].tolist(), run.end[own].tolist(), strict=True)
            covered = {at for start, end in ranges for at in range(start, end)}
            found[pair].append(len(covered & counted) / len(counted))
    return found


def difference(shares: list[float]) -> float:
    pairs = [abs(one - other) for one, other in combinations(shares, 2)]
    return round(sum(pairs) / len(pairs), 9)


@examples(150)
@given(worlds() | graded_worlds(2002), st.integers(1, 5), st.integers(1, 5))
def test_documents_are_those_in_which_runs_differ_most(world: World, most: int, k: int) -> None:
    truth, runs = kept_by(world, Keep(results=True))
    kept = list(map(results_of, runs))
    first = shares_by_characters(truth, kept, k)
    whole = shares_by_characters(truth, kept, MANY)
    order = sorted(
        whole,
        key=lambda pair: (
            -difference(first[pair]),
            -difference(whole[pair]),
            -sum(share > 0 for share in whole[pair]),
            pair,
        ),
    )
    turns: dict[int, int] = {}
    in_turn = []
    for pair in order:
        topic = int(truth.topic[pair])
        turns[topic] = turns.get(topic, 0) + 1
        in_turn.append((turns[topic], pair))
    expected = [pair for _, pair in sorted(in_turn, key=lambda each: each[0])][:most]
    found = select_documents(truth, kept, most, k)
    assert list(found.pairs) == expected
    assert found.of == len(whole)
    assert found.least == pytest.approx([min(whole[pair]) for pair in expected])
    assert found.most == pytest.approx([max(whole[pair]) for pair in expected])


def test_many_long_documents_do_not_make_a_large_page() -> None:
    long = "<s>" + f"<p>{'word ' * 400}</p>" * 90 + "</s>"
    collection = example_collection({f"d{n}": long for n in range(8)})
    judgments = [Judgment("7", f"d{n}", ((0, 9),)) for n in range(8)]
    evaluation = Evaluation(
        Assessments(judgments), "P@5", collection=collection, keep=Keep(results=True)
    )
    kept = results_of(evaluation.score(Run.from_results([passage("d0", 0, 5)])))
    found = select_documents(evaluation.truth, [kept])
    assert (len(found.pairs), found.of) == (4, 8)


# Hits, near-misses and misses


def firsts(run: Run) -> Run:
    """The first result of each topic."""
    seen: dict[str, Any] = {}
    for result in run:
        seen.setdefault(result.topic, result)
    return Run.from_results(list(seen.values()), run.run_id)


@examples(150)
@given(worlds(), st.sampled_from(["none", "depth", "hierarchical"]))
def test_outcomes_are_what_the_measures_count(world: World, nav: str) -> None:
    """With one result a topic, nothing was seen before: shares are sums over units."""
    labels = [f"{name}@5(nav={nav})" for name in ("Hits", "NearMisses", "Misses")]
    evaluation = Evaluation(
        world.assessments(),
        labels,
        collection=world.collection(),
        keep=Keep(results=True),
    )
    runs = [firsts(world.element_run()), firsts(world.passage_run())]
    table = evaluation.score_all(runs)
    kept = {scores.run: results_of(scores) for scores in table.runs}
    views = document_views(evaluation.truth, kept, MANY)
    assert {view.navigation for view in views} <= {nav}
    for place, (run, by_topic) in enumerate(table.topics().items()):
        for topic, scores in by_topic.items():
            units = [
                unit.outcomes[place] for view in views if view.topic == topic for unit in view.units
            ]
            if not units:
                continue
            hits, near, misses = (scores[label] for label in labels)
            assert sum(one.hit_at is not None for one in units) == pytest.approx(hits), run
            assert sum(one.reached for one in units) == pytest.approx(near), run
            missed = sum(1 - one.reached for one in units if one.hit_at is None)
            assert missed == pytest.approx(misses), run


def test_the_first_measure_with_navigation_names_the_model() -> None:
    assert hits_model(map(measure_named, ["MAiP", "nxCG@10", "PRUM[0.1]"])) is None
    names = ["MAiP", "ESRR@10(nav=hierarchical,hits=exact)", "ESRP@10(nav=none)"]
    found = hits_model(map(measure_named, names))
    assert found is not None
    assert (found.nav, found.hits, found.shared) == ("hierarchical", "exact", "auto")


# Data for the page


def island_of(world: World, *measures: str) -> list[dict[str, Any]]:
    evaluation = Evaluation(
        world.assessments(),
        measures,
        collection=world.collection(),
        keep=Keep(results=True),
    )
    table = evaluation.score_all([world.element_run(), world.passage_run()])
    return documents_of(contents_of(table, "A title", None, evaluation.truth))


@given(worlds())
def test_nothing_is_said_about_navigation_unless_asked(world: World) -> None:
    for view in island_of(world, "P@5"):
        assert not {"outcomes", "navigation", "outcomesCut"} & set(view)
    for view in island_of(world, "P@5", "ESRR@10(nav=hierarchical)"):
        assert view["navigation"] == "hierarchical"
        assert all(len(unit["byRun"]) == 2 for unit in view["outcomes"])


@given(worlds() | graded_worlds(2002))
def test_the_data_say_what_is_in_the_documents(world: World) -> None:
    judged = {judgment.pair: judgment for judgment in world.judgments}
    nodes = dict(world.documents)
    topics = sorted({judgment.topic for judgment in world.judgments})
    for view in json.loads(json.dumps(island_of(world, "P@5"))):
        judgment = judged[topics[view["topic"]], view["doc"]]
        text = nodes[view["doc"]].text
        assert len(view["text"]) == len(text)
        assert view["highlights"] == [list(pair) for pair in judgment.highlights]
        assert view["bep"] == judgment.best_entry_point
        graded = {e.path: str(e.grade) for e in judgment.grades if e.grade and e.grade.is_relevant}
        assert {grade["path"]: grade["label"] for grade in view["grades"]} == graded
        edges = [0, *(end for _, end, _ in view["blocks"])]
        assert [start for start, _, _ in view["blocks"]] == edges[:-1]
        assert edges[-1] == len(text)
        for row in view["outline"]:
            inside = set(range(row["start"], row["end"]))
            marked = {at for start, end in judgment.highlights for at in range(start, end)}
            if judgment.highlights:
                assert row["share"] == pytest.approx(len(inside & marked) / len(inside), abs=1e-3)
            else:
                assert row["share"] is None


def one_document(judgment: Judgment, source: str, *results: Any) -> dict[str, Any]:
    collection = example_collection({"a": source})
    evaluation = Evaluation(
        Assessments([judgment]), "P@5", collection=collection, keep=Keep(results=True)
    )
    table = evaluation.score_all([Run.from_results(list(results), "mine")])
    (view,) = documents_of(contents_of(table, "A title", None, evaluation.truth))
    return view


def test_long_texts_and_long_lists_are_cut_and_counted() -> None:
    source = "<s>" + f"<p>{'word ' * 40_010}</p>" * 2 + "</s>"
    many = [passage("a", at, at + 1) for at in range(230)]
    view = one_document(Judgment("7", "a", ((0, 9),)), source, *many)
    assert len(view["text"]) == 200_000
    assert view["cut"] == 2 * 200_050 - 200_000
    assert view["blocks"] == [[0, 200_000, "text"]]
    (found,) = view["results"]
    assert [unit[2] for unit in found["units"]] == list(range(1, 201))
    assert found["cut"] == 30


def test_strange_characters_move_no_position() -> None:
    source = "<s><p>a\U0001f41fb\x85c</p><p>two</p></s>"
    view = one_document(Judgment("7", "a", ((1, 2),)), source, passage("a", 4, 7))
    assert view["text"] == "a\U0001f41fb\N{REPLACEMENT CHARACTER}c"[:5] + "two"
    assert view["blocks"] == [[0, 5, "text"], [5, 8, "text"]]


@pytest.mark.parametrize(
    ("judgment", "labels"),
    [
        ({"grades": (GradedElement("/s[1]/p[1]", Grade2002(3, "E")),)}, ["3E"]),
        (
            {
                "grades": (
                    GradedElement("/s[1]/p[2]", Grade2003(2, 3)),
                    GradedElement("/s[1]", Grade2003(1, 1)),
                    GradedElement("/s[1]/p[1]", Grade2003(0, 0)),
                    GradedElement("/s[1]/p[3]", None),
                )
            },
            ["(1,1)", "(2,3)"],
        ),
        ({"grades": (GradedElement("/s[1]/p[1]", Grade2005(None, 1)),)}, ["(?,100%)"]),  # type: ignore[arg-type]
        ({"elements": (MeasuredElement("/s[1]", 2, 12, 3),)}, ["(2,25%)"]),
    ],
)
def test_graded_elements_are_drawn_without_highlights(
    judgment: dict[str, Any], labels: list[str]
) -> None:
    source = "<s><p>One.</p><p>Two.</p><p>Six.</p></s>"
    view = one_document(Judgment("7", "a", **judgment), source, *paths("/s[1]/p[2]"))
    assert [grade["label"] for grade in view["grades"]] == labels
    assert view["highlights"] == []
    assert view["results"][0]["units"] == [[4, 8, 1]]
    assert {row["share"] for row in view["outline"]} == {None}
    assert view["why"] == "The system returns 33% of its text."


def test_which_documents_are_shown_is_told() -> None:
    sources = {f"d{n}": "<s><p>One.</p><p>Two.</p></s>" for n in range(30)}
    collection = example_collection(sources)
    judged = Assessments([Judgment("7", name, ((0, 4),)) for name in sources])
    evaluation = Evaluation(judged, "P@5", collection=collection, keep=Keep(results=True))
    runs = [
        Run.from_results(paths("/s[1]/p[1]", document="d9"), "one"),
        Run.from_results([], "none"),
    ]
    contents = contents_of(evaluation.score_all(runs), "A title", None, evaluation.truth)
    assert documents_note(contents).startswith("24 of 30 relevant documents are shown: those in")
    by_name = {view.document: view for view in contents.documents}
    assert (by_name["d9"].least, by_name["d9"].most) == (0, 1)


def test_unknown_topics_are_left_out() -> None:
    collection = example_collection({"a": "<s><p>One.</p></s>"})
    judged = Assessments([Judgment("7", "a", ((0, 4),)), Judgment("6", "a", ((0, 4),))])
    evaluation = Evaluation(judged, "P@5", collection=collection, keep=Keep(results=True))
    table = evaluation.score_all([Run.from_results([], "none")])
    contents = contents_of(table, "A title", None, evaluation.truth)
    first, second = contents.documents
    unknown = replace(contents, documents=(replace(first, topic="8"), second))
    (view,) = documents_of(unknown)
    assert table.topic_ids[view["topic"]] == second.topic
