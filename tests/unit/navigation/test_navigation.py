"""Models of navigation: the tables of Ali, Consens and Lalmas 2012, and files that are wrong."""

from __future__ import annotations

import gc
import json
import pickle
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from doxeval.documents import example_collection
from doxeval.errors import FormatError, InputError, UnknownReference
from doxeval.evaluation import evaluate
from doxeval.navigation import (
    BY_NAME,
    NAMES,
    DepthNavigation,
    HierarchicalNavigation,
    NeighbourNavigation,
    SteadyNavigation,
    SummaryNavigation,
    as_navigation,
    read_navigation,
    read_routes,
)
from helpers import Builder, doxeval
from making import ARTICLE, E

# Figure 5: the routes of three readers.
ROUTES = [(3, 1, 2, 4), (3, 2, 4, 5), (3, 1, 6)]
FILE: dict[str, Any] = {
    "model": "routes",
    "routes": [{"doc": "d", "steps": [E[n] for n in route]} for route in ROUTES],
}


def matrix_of(model: Any, numbers: range = range(1, 7)) -> list[list[float]]:
    collection = example_collection({"d": ARTICLE})
    nodes = collection.find_nodes([0] * len(numbers), [E[n] for n in numbers])
    found: list[list[float]] = model.between(collection, 0, nodes, nodes).tolist()
    return found


def test_table_2_counts_steps_of_routes() -> None:
    found = matrix_of(read_routes(FILE, "routes.json"))
    expected = np.zeros((6, 6))
    expected[0, 1] = expected[0, 5] = 0.5
    expected[1, 3] = expected[3, 4] = 1
    expected[2, 0], expected[2, 1] = 2 / 3, 1 / 3
    assert found == pytest.approx(expected)


def test_abandonment_is_a_step_to_oneself() -> None:
    found = matrix_of(read_routes({**FILE, "abandonment": True}, "routes.json"))
    assert (found[3][3], found[3][4], found[4][4], found[5][5]) == (0.5, 0.5, 1, 1)


def test_table_3_groups_elements() -> None:
    """Articles, sections (e2, e3, e6) and paragraphs (e4, e5)."""
    weights = {"S1": {"S2": 2.0}, "S2": {"S1": 2.0, "S2": 1.0, "S3": 2.0}, "S3": {"S3": 1.0}}
    partition = {"article": "S1", "sec": "S2", "ss1": "S2", "p": "S3"}
    model = SummaryNavigation(partition=partition, other="S3", weights=weights)
    assert model.groups == ("S1", "S2", "S3")
    assert model.transitions().tolist() == [[0, 1, 0], [0.4, 0.2, 0.4], [0, 0, 1]]
    found = matrix_of(model)
    assert found[0] == [0, 1, 1, 0, 0, 1]  # from the article to any section
    assert found[1] == pytest.approx([0.4, 0.2, 0.2, 0.4, 0.4, 0.2])


def test_routes_by_tag() -> None:
    model = read_routes({**FILE, "partition": "tag"}, "routes.json")
    assert isinstance(model, SummaryNavigation)
    assert model.weights == {
        "sec": {"article": 2, "p": 2, "sec": 1},
        "article": {"sec": 1, "ss1": 1},
        "p": {"p": 1},
    }


def test_table_5_by_sizes() -> None:
    """With |e2| = |e1| = 100, which no tree with e3 outside of e2 has: here e3 has no text of e2.

    The second row is .125 where the table prints .133.
    """
    inside = f"<p>{'x' * 20}</p><p>{'y' * 20}</p><ss1>{'z' * 20}</ss1>{'w' * 40}"
    collection = example_collection({"d": f"<article><sec>{inside}</sec></article>"})
    nodes = np.arange(5)
    found = HierarchicalNavigation().between(collection, 0, nodes, nodes)
    article, section = found[0], found[1]
    assert article[2:] == pytest.approx([0.2 / 1.6] * 3)
    assert section == pytest.approx([1 / 1.6, 0, 0.125, 0.125, 0.125])
    assert found[2] == pytest.approx([0.5, 0.5, 0, 0, 0])
    assert found.sum(axis=1) == pytest.approx(1)


def test_depth_weighs_groups_by_their_mean_depth() -> None:
    collection = example_collection({"d": ARTICLE})
    shares = DepthNavigation().shares(collection)
    weights = {"article": 1, "section": 1 / 2, "ss1": 1 / 3, "other": 1 / 3}
    total = sum(weights.values())
    assert shares == pytest.approx({group: w / total for group, w in weights.items()})
    found = matrix_of(DepthNavigation())
    assert found[0] == found[3]  # wherever one comes from
    assert found[0][2] == pytest.approx(shares["section"])


def test_depth_keeps_numbers_of_one_collection_and_not_the_collection() -> None:
    model = DepthNavigation()
    flat, deep = (example_collection({"d": text}) for text in ("<a><p>x</p></a>", ARTICLE))
    nodes = np.arange(2)
    for collection in (flat, deep, flat):
        alone = DepthNavigation().between(collection, 0, nodes, nodes)
        assert model.between(collection, 0, nodes, nodes).tolist() == alone.tolist()
    assert pickle.loads(pickle.dumps(model)) == model
    assert hash(model) == hash(DepthNavigation())
    watched = weakref.ref(flat)
    gc.disable()
    try:
        del collection, flat
        assert watched() is None
    finally:
        gc.enable()


def test_the_long_run_is_stationary() -> None:
    weights = {"a": {"b": 1.0}, "b": {"a": 1.0, "b": 3.0}}
    model = SteadyNavigation(
        partition={"a": "a", "b": "b"}, other="b", weights=weights, restart=0.0
    )
    share = model.distribution()
    assert share == pytest.approx([0.2, 0.8])
    assert share @ model.transitions() == pytest.approx(share)
    stuck = SteadyNavigation(
        partition={"a": "a", "b": "b"}, other="b", weights={"a": {"b": 1.0}}, restart=0.0
    )
    with pytest.raises(FormatError, match="not every group can be reached"):
        stuck.distribution()


def written(tmp_path: Path, value: Any) -> Path:
    path = tmp_path / "model.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{", "this is not JSON"),
        ([], 'expected {"model"'),
        ({"model": "teleport"}, 'expected {"model".*matrix, routes, summary'),
        ({"model": "matrix"}, "probabilities: expected an object"),
        ({"model": "matrix", "probabilities": {"d": []}}, "probabilities of d: expected an object"),
        (
            {"model": "matrix", "probabilities": {"d": {"/a": {"/b": 1.5}}}},
            "d /a → /b: 1.5 is not a probability",
        ),
        ({"model": "routes", "routes": []}, "routes: expected a list of routes"),
        ({"model": "routes", "routes": [{"doc": "d"}]}, "route 1: steps is not a list of paths"),
        (
            {"model": "routes", "routes": [{"doc": "d", "steps": ["a"]}]},
            "route 1: 'a' is not a path",
        ),
        ({**FILE, "partition": "x"}, "partition is 'x': expected node or tag"),
        ({"model": "summary"}, "weights: expected an object"),
        (
            {"model": "summary", "weights": {"other": {"other": -1}}},
            "other → other: -1 is not a weight",
        ),
        (
            {"model": "summary", "weights": {"x": {"other": 1}}},
            "weights: no tag belongs to the group 'x'",
        ),
        (
            {"model": "summary", "weights": {"other": {"other": 1}}, "steady": True, "restart": 2},
            "restart is 2: expected a number",
        ),
        (
            {"model": "matrix", "probabilities": {}, "probs": {}},
            "matrix: unknown field 'probs': expected model, probabilities",
        ),
        (
            {**FILE, "abandon": True},
            "routes: unknown field 'abandon': expected model, routes, part",
        ),
        (
            {"model": "routes", "routes": [{"doc": "d", "steps": ["/a"], "user": 1}]},
            "route 1: unknown field 'user': expected doc, steps",
        ),
        (
            {"model": "summary", "weights": {"other": {"other": 1}}, "stedy": True},
            "summary: unknown field 'stedy': expected model, partition, other, weights, steady, "
            "restart; did you mean steady",
        ),
        (
            {"model": "summary", "weights": {"other": {"other": 1}}, "restart": 0.5},
            'restart goes with "steady": true',
        ),
        (
            {"model": "summary", "weights": {"other": {"other": 1}}, "steady": 1},
            "steady: expected true or false",
        ),
        *(
            ({"model": name, "weights": {}}, f"{name}: unknown field 'weights': expected model")
            for name in BY_NAME
        ),
        (
            {"model": "matrix", "probabilities": {"d": {}, "d.xml": {}}},
            "probabilities of d are given twice",
        ),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, value: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_navigation(written(tmp_path, value))


def test_a_matrix_is_checked_against_the_collection(tmp_path: Path, build: Builder) -> None:
    collection = build({"d.xml": ARTICLE})
    good = {"d": {E[1]: {E[2]: 0.7, E[3]: 0.6}}}
    path = written(tmp_path, {"model": "matrix", "probabilities": good})
    assert read_navigation(path).checked(collection) == [
        "d /article[1]: the steps from here sum to 1.3"
    ]
    spelled = written(tmp_path, {"model": "matrix", "probabilities": {"d.xml": good["d"]}})
    assert matrix_of(read_navigation(spelled))[0][1] == 0.7
    wrong = {"d": {E[1]: {"/article[1]/p[9]": 0.5}}}
    path = written(tmp_path, {"model": "matrix", "probabilities": wrong})
    with pytest.raises(UnknownReference, match=r"nothing at /article\[1\]/p\[9\] in d"):
        read_navigation(path).checked(collection)
    with pytest.raises(UnknownReference, match="no document 'x'"):
        missing = {"model": "matrix", "probabilities": {"x": {}}}
        read_navigation(written(tmp_path, missing)).checked(collection)


def test_models_by_name() -> None:
    assert set(BY_NAME) < set(NAMES)
    for name, make in BY_NAME.items():
        assert make().name == name


def test_the_verb(tmp_path: Path, build: Builder) -> None:
    collection = build({"d.xml": ARTICLE}).directory
    result = doxeval("navigation", "depth", "--collection", collection, "--doc", "d")
    assert result.exit_code == 0, result.stderr
    assert "/article[1]/sec[1]/ss1[1]" in result.stdout
    assert "from \\ to" in result.stdout
    path = written(tmp_path, FILE)
    assert "0.6667" in doxeval("navigation", path, "--collection", collection, "--doc", "d").stdout
    steady = {
        "model": "summary", "partition": {"p": "p"}, "steady": True,
        "weights": {"p": {"other": 1}, "other": {"p": 1}},
    }  # fmt: skip
    assert "in the long run" in doxeval("navigation", written(tmp_path, steady)).stdout
    lacking = doxeval("navigation", "depth")
    assert (lacking.exit_code, lacking.stdout) == (1, "")
    assert "--collection DIR" in lacking.stderr
    assert doxeval("navigation", tmp_path / "nothing.json").exit_code == 1


def test_neighbours_are_the_siblings_before_and_after(tmp_path: Path) -> None:
    text = "<s><p>1<b>x</b></p><q>2</q><p>3<b>y</b><b>z</b></p></s>"
    collection = example_collection({"a": "<s><p>0</p></s>", "b": text})
    rows = np.arange(int(collection.rows[1]), int(collection.rows[2]))
    model = NeighbourNavigation(p=0.5)
    found = model.between(collection, 1, rows, rows)
    # The rows are s, p, b, q, p, b, b.
    expected = np.zeros((7, 7))
    expected[1, 3] = 0.5
    expected[3, 1] = expected[3, 4] = 0.25
    expected[4, 3] = 0.5
    expected[5, 6] = expected[6, 5] = 0.5
    assert found.tolist() == expected.tolist()
    shuffled = rows[::-1]
    assert model.between(collection, 1, shuffled, rows).tolist() == expected[::-1].tolist()
    assert NeighbourNavigation(p=0).steps_between(collection, 1, rows, rows).source.tolist() == []
    (tmp_path / "model.json").write_text('{"model": "neighbours", "p": 2}')
    with pytest.raises(FormatError, match="expected a number from 0 to 1"):
        read_navigation(tmp_path / "model.json")


def test_neighbours_that_are_asked_for_twice() -> None:
    collection = example_collection({"a": "<s><p>1</p><p>2</p><p>3</p></s>"})
    found = NeighbourNavigation().between(collection, 0, np.array([3, 2, 3]), np.array([2, 1, 2]))
    assert found.tolist() == [[0.5, 0.0, 0.5], [0.0, 0.25, 0.0], [0.5, 0.0, 0.5]]


class TestModelsByName:
    """A model is given by its name as well as by its file, in Python and on the command line."""

    @pytest.mark.parametrize(
        ("given", "name"),
        [
            ("depth", "depth"),
            ({"model": "depth"}, "depth"),
            ("hierarchical", "hierarchical"),
            ("neighbours(0.3)", "neighbours"),
            ("neighbours(p=.3)", "neighbours"),
            ({"model": "neighbours", "p": 0.3}, "neighbours"),
        ],
    )
    def test_names_and_dicts(self, given: Any, name: str) -> None:
        assert as_navigation(given).name == name

    def test_shares(self) -> None:
        assert as_navigation("neighbours(.3)") == NeighbourNavigation(p=0.3)
        with pytest.raises(FormatError, match=r"p is 3\.0: expected a number from 0 to 1"):
            as_navigation("neighbours(3)")

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ("deph", "deph: no such file, and no model of navigation of that name; there are none"),
            ({"model": "deph"}, "expected .* with one of matrix"),
            ({}, "expected .* with one of matrix"),
            ({"model": "depth", "p": 1}, "unknown"),
            (3, "navigation is 3: expected a Navigation, a path or a dict"),
        ],
    )
    def test_what_is_no_model(self, given: Any, message: str) -> None:
        with pytest.raises(InputError, match=message):
            as_navigation(given)

    def test_a_name_is_as_good_as_the_parameter(self, tmp_path: Path) -> None:
        files = {
            "a.xml": "<article><p>One.</p><p>Two.</p><p>Three.</p></article>",
            "judged.jsonl": '{"topic": "7", "doc": "a", "start": 4, "end": 8}\n',
            "mine.run": "7 Q0 a 1 1.0 mine /article[1]/p[1]\n",
            "model.json": '{"model": "hierarchical"}',
        }
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        doxeval("collection", "build", tmp_path / "a.xml", "--out", tmp_path / "collection")
        inputs = (str(tmp_path / "mine.run"), str(tmp_path / "judged.jsonl"))
        place = tmp_path / "collection"
        expected = evaluate(*inputs, "ESRR@1(nav=hierarchical)", collection=place)["mine"]
        for given in ("hierarchical", {"model": "hierarchical"}, tmp_path / "model.json"):
            found = evaluate(*inputs, "ESRR@1", collection=place, navigation=given)["mine"]
            assert list(found.values()) == list(expected.values())
        arguments = ["evaluate", inputs[0], "-a", inputs[1], "--collection", str(place)]
        shown = [
            doxeval(*arguments, *more).stdout.split()[-1]
            for more in (
                ["-m", "ESRR@1", "--navigation", "hierarchical"],
                ["-m", "ESRR@1(nav=hierarchical)"],
            )
        ]
        assert shown[0] == shown[1] == f"{next(iter(expected.values())):.4f}"
