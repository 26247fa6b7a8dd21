"""Figures: what they state, the ends and the order of their axes, and what is drawn of them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.reports import Contents, Figure, Loss, SizedRun, all_figures, page, place_labels
from doxeval.scores import Curve, MeasureFacts, RunScores, ScoreTable
from report_pages import data_of

X = np.linspace(0, 1, 11)
P = MeasureFacts("P", "P(a=1)", "precision")
Q = MeasureFacts("Q", "Q(a=1)", "another precision")


def scores(
    levels: dict[str, float], topics: int = 12, facts: tuple[MeasureFacts, ...] = (P, Q)
) -> ScoreTable:
    """Runs at these levels on all topics but for a little noise, with a curve that falls to 0."""
    random = np.random.default_rng(7)
    runs = []
    for run, level in levels.items():
        values = level + random.normal(0, 0.01, (len(facts), topics)) * (level > 0)
        curves = tuple(
            Curve(each.label, "recall", each.title, X, np.outer(row, 1 - X))
            for each, row in zip(facts, values, strict=True)
        )
        runs.append(RunScores(run, values, np.ones(topics, dtype=bool), None, curves))
    return ScoreTable(facts, tuple(f"t{topic}" for topic in range(topics)), tuple(runs))


def drawn(contents: Contents) -> dict[str, Figure]:
    return {figure.name: figure for figure in all_figures(contents)}


def parts(value: Any, key: str) -> list[Any]:
    """All values under a key of a specification, however deep."""
    if isinstance(value, list):
        return [part for each in value for part in parts(each, key)]
    if not isinstance(value, dict):
        return []
    here = [value[key]] if key in value else []
    return here + [part for each in value.values() for part in parts(each, key)]


# What they state


@pytest.mark.parametrize("topics", [8, 150])
def test_every_figure_states_something_and_says_where_it_comes_from(topics: int) -> None:
    found = drawn(Contents(scores({f"r{n}": 0.3 + n / 20 for n in range(12)}, topics)))
    assert set(found) == {"curve-1", "curve-2", "scatter-1", "differences", "difficulty", "tau"}
    for figure in found.values():
        spec = json.loads(json.dumps(figure.spec))
        assert "data" not in spec and "config" not in spec
        assert figure.title and figure.source.endswith(".") and figure.alt.endswith(".")
        assert " ".join(spec["title"]["text"]) == figure.title
        assert " ".join(spec["title"]["subtitle"]) == figure.source


def test_a_title_states_a_difference_only_if_it_is_significant() -> None:
    clear = drawn(Contents(scores({"low": 0.3, "high": 0.6}), baseline="low"))
    assert clear["curve-1"].title == (
        "high has the highest precision at every recall; by P, it is significantly better than low"
    )
    assert clear["differences"].title == (
        "high is better than low on 12 of 12 topics; on average it is significantly better than low"
    )
    assert "paired t test, Holm's correction for 1 pair" in clear["curve-1"].source
    near = drawn(Contents(scores({"low": 0.5, "high": 0.5001}), baseline="low"))
    for name in ("curve-1", "differences"):
        assert "not shown to differ from" in near[name].title
        assert "significantly" not in near[name].title


def test_titles_of_measures_of_which_less_is_better() -> None:
    less = MeasureFacts("E", "E", "error", higher_is_better=False)
    found = drawn(Contents(scores({"low": 0.3, "high": 0.6}, facts=(less,)), baseline="high"))
    assert found["curve-1"].title.startswith("low has the lowest error at every recall")
    assert found["differences"].title.startswith("low is better than high on 12 of 12 topics")
    assert "(lower is better)" in found["differences"].source
    assert {row["which"] for row in found["differences"].rows} == {"better"}
    (order,) = [sort for sort in parts(found["difficulty"].spec, "sort") if isinstance(sort, list)]
    assert {each["order"] for each in order} == {"descending"}  # hardest first


def test_where_all_are_equal_nobody_is_best() -> None:
    found = drawn(Contents(scores({"a": 0.0, "b": 0.0, "c": 0.0}), baseline="b"))
    assert found["curve-1"].title == "All 3 systems have the same precision at every recall"
    assert found["differences"].title == "No system differs from b on any topic"
    assert found["difficulty"].title.startswith("All 12 topics have the same median P, 0.00")
    for figure in found.values():
        assert "best" not in f"{figure.title} {figure.source}"
        for scale in by_run(figure):
            assert list(scale["range"]) == ["#8d949e", "#e0812a", "#8d949e"]


def test_lines_that_cross() -> None:
    counted, topics = np.ones(3, dtype=bool), np.ones(3)
    runs = tuple(
        RunScores(
            run,
            np.array([[level] * 3]),
            counted,
            None,
            (Curve("P", "recall", "precision", X, np.outer(topics, line)),),
        )
        for run, level, line in (("early", 0.5, 1 - X), ("late", 0.4, 0 * X + 0.55))
    )
    table = ScoreTable((P,), ("1", "2", "3"), runs)
    title = drawn(Contents(table))["curve-1"].title
    assert title.startswith("early has the highest precision up to recall 0.4, late beyond; by P, ")
    by_budget = tuple(
        replace(run, curves=(run.curves[0]._replace(x=X * 1000, x_name="budget in words"),))
        for run in runs
    )
    title = drawn(Contents(replace(table, runs=by_budget)))["curve-1"].title
    assert title.startswith("early has the highest precision up to a budget of 400 words, late ")


def test_differences_have_one_scale_that_begins_where_they_do() -> None:
    alike = drawn(Contents(scores({"a": 0.0, "b": 0.0})))["differences"]
    assert [scale["domain"] for scale in parts(alike.spec["spec"]["encoding"]["y"], "scale")] == [
        [-1, 1]
    ]
    for baseline in ("a", None):  # without a baseline, differences are from the best run
        contents = Contents(scores({"a": 0.2, "b": 0.5, "c": 0.9}), baseline=baseline)
        apart = drawn(contents)["differences"]
        (scale,) = parts(apart.spec["spec"]["encoding"]["y"], "scale")
        steps = [float(row["difference"] or 0) for row in apart.rows]
        assert scale["domain"] == ([0, max(steps)] if baseline else [min(steps), 0])
        assert {row["run"] for row in apart.rows} == ({"b", "c"} if baseline else {"a", "b"})


def test_losses_are_added_up_in_the_title() -> None:
    losses = (Loss("a", "P", 0.69, 0.29, 0.02), Loss("b", "P", 0.5, 0.4, 0.1))
    figure = drawn(Contents(scores({"a": 0.69, "b": 0.5}), losses=losses))["losses"]
    assert figure.title == (
        "By P, a shows most, 69%; 29% is lost by retrieval, 2% by chunking. "
        "It is significantly better than b"
    )


def sized(levels: dict[str, float]) -> Contents:
    """Runs that are called METHOD:SIZE:OVERLAP; others have neither size nor overlap."""
    split = (run.split(":") for run in levels)
    sizes = tuple(SizedRun(":".join(s), s[0], int(s[1]), int(s[2])) for s in split if len(s) == 3)
    return Contents(scores(levels), sizes=sizes)


def test_sizes_and_overlaps_have_a_map_for_each_method_with_several_of_both() -> None:
    levels = {"a:1:0": 0.5, "a:2:0": 0.9, "a:2:1": 0.899, "b:1:0": 0.7, "b:2:0": 0.2, "c": 0.99}
    figure = drawn(sized(levels))["sizes"]
    assert figure.columns["run"] == ["a:1:0", "a:2:0", "a:2:1"]
    assert figure.columns["size"] == [1, 2, 2] and figure.columns["overlap"] == [0, 0, 1]
    assert [part["title"]["text"] for part in figure.spec["vconcat"]] == ["a"]
    means = dict(zip(figure.columns["run"], figure.columns["mean"], strict=True))
    assert means == {run: pytest.approx(levels[str(run)], abs=0.01) for run in means}
    letters = dict(zip(figure.columns["run"], figure.columns["letters"], strict=True))
    assert set(str(letters["a:2:0"])) & set(str(letters["a:2:1"]))
    assert not set(str(letters["a:1:0"])) & set(str(letters["a:2:0"]))
    assert figure.title.endswith("; 1 of the others is not shown to differ from it")
    assert "is best of 3 sizes and overlaps" in figure.title
    apart = sized({"a:1:0": 0.5, "a:2:0": 0.9, "a:2:1": 0.7})
    assert drawn(apart)["sizes"].title == (
        "By P, a:2:0 is best of 3 sizes and overlaps (0.89), and shown to be better than all others"
    )


def test_a_single_size_or_overlap_makes_no_map() -> None:
    assert "sizes" not in drawn(sized({"a:1:0": 0.5, "a:2:0": 0.9, "b:2:1": 0.3}))
    assert 'id="sizes"' not in page(sized({"a:1:0": 0.5, "a:2:0": 0.9}))
    assert 'id="sizes"' in page(sized({"a:2:1": 0.5, "a:2:0": 0.9, "a:3:0": 0.3}))


# Axes


def test_measures_are_drawn_on_their_whole_range() -> None:
    found = drawn(Contents(scores({"a": 0.2, "b": 0.3})))
    for name in ("curve-1", "scatter-1", "difficulty"):
        ends = [scale["domain"] for scale in parts(found[name].spec["layer"], "scale")]
        assert [0.0, 1.0] in ends
        assert all(end == [0.0, 1.0] for end in ends if isinstance(end[0], float))
    gain = MeasureFacts("G", "G", "gain", 0, None)
    spec = drawn(Contents(scores({"a": 20.0, "b": 30.0}, facts=(gain,))))["difficulty"].spec
    for scale in parts(spec["layer"], "scale"):
        assert scale["domain"][0] == 0 and 30 < scale["domain"][1] < 33


@pytest.mark.parametrize("topics", [120, 121])
def test_no_topic_is_left_out_of_an_axis(topics: int) -> None:
    table = scores({"a": 0.2, "b": 0.3, "c": 0.4}, topics)
    found = drawn(Contents(table))
    for name in ("differences", "difficulty"):
        assert set(found[name].columns["topic"]) == set(table.topic_ids)
        assert ("zoom" in json.dumps(found[name].spec)) == (topics > 120)
    places = {row["topic"]: row["place"] for row in found["differences"].rows}
    assert sorted(int(place or 0) for place in places.values()) == list(range(1, topics + 1))


def by_run(figure: Figure) -> list[Any]:
    """The scales of colour of runs."""
    colours = [colour for colour in parts(figure.drawing, "color") if isinstance(colour, dict)]
    return [colour["scale"] for colour in colours if colour.get("field") == "run"]


def test_the_best_run_and_the_baseline_have_one_colour_everywhere() -> None:
    contents = Contents(scores({f"r{n}": 0.3 + n / 20 for n in range(12)}), baseline="r3")
    figures = [figure for figure in drawn(contents).values() if by_run(figure)]
    assert {figure.section for figure in figures} == {"curves", "scatter"}
    for figure in figures:
        for scale in by_run(figure):
            colours = dict(zip(scale["domain"], scale["range"], strict=True))
            assert (colours.pop("r11"), colours.pop("r3")) == ("#3b76b8", "#e0812a")
            assert set(colours.values()) == {"#8d949e"}
    runs = data_of(page(contents))["runs"]
    listed = {run["name"]: run["colour"] for run in runs}
    assert (listed.pop("r11"), listed.pop("r3")) == ("#3b76b8", "#e0812a")
    assert set(listed.values()) == {"#8d949e"}
    of_text = [run["textColour"] for run in runs]  # in documents, all have colours
    assert len(set(of_text)) > 5
    assert all(left != right for left, right in pairwise(of_text))


# What is drawn


def texts(figure: Figure) -> dict[str, tuple[float, float]]:
    """Where each text of the drawing stands."""
    places = {}

    def walk(element: ElementTree.Element, x: float, y: float) -> None:
        shift = re.match(r"translate\(([-\d.]+),\s*([-\d.]+)\)", element.get("transform", ""))
        if shift:
            x, y = x + float(shift[1]), y + float(shift[2])
        if element.tag.endswith("text"):
            places["".join(element.itertext())] = (x, y)
        for child in element:
            walk(child, x, y)

    walk(ElementTree.fromstring(figure.file("svg")), 0, 0)
    return places


@pytest.mark.parametrize("level", [0.0, 0.5, 1.0])
def test_names_at_the_ends_of_lines_stand_apart_and_inside(level: float) -> None:
    pytest.importorskip("vl_convert")
    levels = {f"name{n}": level + n / 10_000 * (1 if level < 1 else -1) for n in range(12)}
    table = scores(levels, 1)
    runs = tuple(
        RunScores(
            run.run,
            run.values,
            run.counted,
            None,
            (Curve("P", "recall", "precision", X, np.full((1, 11), levels[run.run])),),
        )
        for run in table.runs
    )
    figure = drawn(Contents(ScoreTable((P, Q), table.topic_ids, runs)))["curve-1"]
    places = texts(figure)
    heights = sorted(places[name][1] for name in levels)
    assert np.diff(heights).min() >= 13.9
    top, bottom = places["1.0"][1], places["0.0"][1]  # labels of the axes
    assert top - 8 <= heights[0] and heights[-1] <= bottom + 8
    order = sorted(levels, key=lambda name: places[name][1])
    assert order == sorted(levels, key=lambda name: -levels[name])


def test_difficulty_is_sorted_by_the_medians_that_are_drawn() -> None:
    pytest.importorskip("vl_convert")
    values = {"a": [0.9, 0.1, 0.5], "b": [0.8, 0.2, 0.6], "c": [0.85, 0.3, 0.1]}
    runs = tuple(
        RunScores(run, np.array([row]), np.ones(3, dtype=bool)) for run, row in values.items()
    )
    figure = drawn(Contents(ScoreTable((P,), ("x", "y", "z"), runs)))["difficulty"]
    assert figure.title == (
        "Topic y is hardest (median P 0.20) and topic x is easiest (median P 0.85) "
        "over all 3 systems"
    )
    places = texts(figure)
    assert sorted("xyz", key=lambda topic: places[topic][0]) == ["y", "z", "x"]


def test_difficulty_gives_the_spread_of_the_chosen_runs() -> None:
    """What Vega computes from the rows is what NumPy computes from the scores."""
    table = scores({f"r{n}": 0.3 + n / 20 for n in range(5)}, 6)
    figure = drawn(Contents(table))["difficulty"]
    values = np.stack([run.values[0] for run in table.runs])
    for topic in table.topic_ids:
        own = [row["score"] for row in figure.rows if row["topic"] == topic]
        column = values[:, table.topic_ids.index(topic)]
        assert sorted(map(float, own)) == pytest.approx(sorted(column))  # type: ignore[arg-type]


# Names at points


POINTS = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=12),
    st.tuples(st.floats(0, 290), st.floats(0, 270)),
    max_size=25,
)


@given(POINTS)
def test_labels_never_overlap_and_stay_inside(points: dict[str, tuple[float, float]]) -> None:
    found = place_labels(points, (290, 270))
    boxes = [label.box for label in found.values()]
    for at, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0 and top >= -3 and right <= 293 and bottom <= 273
        for other in boxes[at + 1 :]:
            apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
            assert apart
        assert not any(left < x < right and top < y < bottom for x, y in points.values())


def test_chosen_names_have_room_beside_points_that_are_not_drawn() -> None:
    others = {f"r{n}": (100.0 + n % 7 * 9 - 27, 100.0 + n // 7 * 9 - 27) for n in range(49)}
    points = {"mine": (100.0, 100.0), **others}
    assert "mine" not in place_labels(points, (290, 270))
    assert place_labels(points, (290, 270), first=["mine"])["mine"].side == "right"


def test_a_lonely_label_always_finds_a_place() -> None:
    for point in ((0, 135), (290, 135), (145, 0), (145, 270), (0, 0), (290, 270)):
        assert place_labels({"run": point}, (290, 270)) or point in ((0, 0), (290, 270))
