"""The examples of navigation files on the page about formats are read, and fit their document."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from doxeval.documents import Collection, example_collection
from doxeval.navigation import NAMES, READERS, read_navigation

DOCS = Path(__file__).resolve().parents[2] / "docs"
FILES = sorted((DOCS / "examples" / "navigation").glob("*.json"))


@cache
def ferry() -> Collection:
    """The article that the first guide prints."""
    guide = (DOCS / "getting-started.md").read_text(encoding="utf-8")
    found = re.search(r'```xml title="articles/ferry.xml"\n(.*?)^```$', guide, re.M | re.S)
    assert found is not None
    return example_collection({"ferry": found[1]})


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_example_fits_its_document(path: Path) -> None:
    model = read_navigation(path)
    assert model.name == path.stem
    assert model.checked(ferry()) == []
    nodes = np.arange(len(ferry().nodes.path))
    steps = model.between(ferry(), 0, nodes, nodes)
    assert (steps >= 0).all()
    assert (steps <= 1).all()
    assert steps.any() == (path.stem != "none")


def test_every_model_and_every_key_has_an_example() -> None:
    assert {path.stem for path in FILES} == set(NAMES)
    data = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FILES}
    assert {one["model"] for one in data.values()} == set(READERS)
    assert set(data["routes"]) == {"model", "routes", "partition", "abandonment"}
    keys = {"model", "partition", "other", "weights", "steady", "restart"}
    assert set(data["steady"]) == keys


def test_examples_say_what_the_specification_says() -> None:
    steps = read_navigation(DOCS / "examples/navigation/matrix.json")
    article, section = ferry().find_nodes([0, 0], ["/article[1]", "/article[1]/sec[2]"])
    found = steps.between(ferry(), 0, np.array([article]), np.array([section]))
    assert found.tolist() == [[0.3]]
    routes = read_navigation(DOCS / "examples/navigation/routes.json")
    found = routes.between(ferry(), 0, np.array([section]), np.array([article]))
    assert found.tolist() == [[1.0]]  # the only step from there leads to the article
