"""The examples of navigation files on the page about formats are read, and fit their document."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from doxeval.documents import Collection, build_collection
from doxeval.navigation import NAMES, READERS, read_navigation

DOCS = Path(__file__).resolve().parents[2] / "docs"
FILES = sorted((DOCS / "examples" / "navigation").glob("*.json"))


@pytest.fixture(scope="module")
def borrowing(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """The leaflet that the first guide prints."""
    guide = (DOCS / "getting-started.md").read_text(encoding="utf-8")
    printed = re.search(
        r'```markdown title="leaflets/borrowing.md"\n(.*?)^```$', guide, re.M | re.S
    )
    assert printed is not None
    source = tmp_path_factory.mktemp("leaflets")
    (source / "borrowing.md").write_text(printed[1], encoding="utf-8")
    build_collection([source], source / "library")
    return Collection(source / "library")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_example_fits_its_document(path: Path, borrowing: Collection) -> None:
    model = read_navigation(path)
    assert model.name == path.stem
    assert model.checked(borrowing) == []
    nodes = np.arange(len(borrowing.nodes.path))
    steps = model.between(borrowing, 0, nodes, nodes)
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


def test_examples_say_what_the_specification_says(borrowing: Collection) -> None:
    steps = read_navigation(DOCS / "examples/navigation/matrix.json")
    document, section = borrowing.find_nodes(
        [0, 0], ["/document[1]", "/document[1]/section[1]/section[2]"]
    )
    found = steps.between(borrowing, 0, np.array([document]), np.array([section]))
    assert found.tolist() == [[0.3]]
    routes = read_navigation(DOCS / "examples/navigation/routes.json")
    found = routes.between(borrowing, 0, np.array([section]), np.array([document]))
    assert found.tolist() == [[1.0]]  # the only step from there leads to the document
