"""Navigation as a matrix: probabilities given for pairs of elements.

    {"model": "matrix", "probabilities": {"DOC": {"FROM-path": {"TO-path": 0.53}}}}

A step that is not given has the probability 0. Steps from one element that sum to more than 1 are
a warning; a number outside 0 to 1 is an error, and so is an element that is not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from doxeval.arrays import Floats, Ints, positions_in
from doxeval.documents import Collection, normalised_id
from doxeval.errors import FormatError, UnknownReference
from doxeval.messages import quoted, short_path, truncate
from doxeval.navigation.checked_json import json_object, number_in, refuse_unknown_keys
from doxeval.navigation.model import Navigation, Steps

Probabilities = Mapping[str, Mapping[str, Mapping[str, float]]]


@dataclass(frozen=True)
class MatrixNavigation(Navigation):
    """Probabilities of steps from element to element; a step that is not given has probability 0.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>One.</p></s>"})
    >>> matrix = MatrixNavigation(probabilities={"a": {"/s[1]": {"/s[1]/p[1]": 0.5}}})
    >>> matrix.between(collection, 0, np.array([0, 1]), np.array([0, 1])).tolist()
    [[0.0, 0.5], [0.0, 0.0]]
    """

    name: str = "matrix"
    probabilities: Probabilities = field(default_factory=dict, hash=False)

    def between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Floats:
        """The probabilities of the matrix."""
        keys, values = self._steps(collection, document)
        size = len(collection.nodes.path) + 1
        wanted = np.add.outer(sources * size, targets)
        row = positions_in(keys, wanted.ravel()).reshape(wanted.shape)
        return np.where(row < 0, 0.0, values[row] if len(values) else 0.0)

    def steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Steps:
        """The steps of the matrix."""
        keys, values = self._steps(collection, document)
        size = len(collection.nodes.path) + 1
        source, target = positions_in(sources, keys // size), positions_in(targets, keys % size)
        rows = np.flatnonzero((source >= 0) & (target >= 0) & (values > 0))
        return Steps(source[rows], target[rows], values[rows])

    def most_steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> int:
        """As many as there are in the document."""
        given = self.probabilities.get(collection.id_of(document), {})
        return sum(map(len, given.values()))

    def _steps(self, collection: Collection, document: int) -> tuple[Ints, Floats]:
        """The steps of a document with their probabilities, each step as one number, ascending."""
        given = self.probabilities.get(collection.id_of(document), {})
        steps = [(source, to, p) for source, row in given.items() for to, p in row.items()]
        paths = [path for source, to, _ in steps for path in (source, to)]
        nodes = collection.find_nodes([document] * len(paths), paths)
        for path, node in zip(paths, nodes.tolist(), strict=True):
            if node < 0:
                raise UnknownReference(collection.why_not(collection.id_of(document), path))
        keys = nodes[0::2] * (len(collection.nodes.path) + 1) + nodes[1::2]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        again = np.flatnonzero(keys[1:] == keys[:-1])
        if len(again):  # under two spellings of a path
            source, to, _ = steps[int(order[again[0] + 1])]
            raise FormatError(f"{collection.id_of(document)} {source} → {to} is given twice")
        return keys, np.array([p for *_, p in steps], dtype=np.float64)[order]

    def checked(self, collection: Collection) -> list[str]:
        """An error for an element that is not there; a warning where steps sum to more than 1."""
        warnings = []
        for document, rows in self.probabilities.items():
            self._steps(collection, collection.document(document))
            for source, row in rows.items():
                total = sum(row.values())
                if total > 1 + 1e-9:
                    warnings.append(
                        f"{truncate(document)} {short_path(source)}: the steps from here sum to "
                        f"{total:.4g}"
                    )
        return warnings


def read_matrix(data: Mapping[str, Any], origin: str) -> MatrixNavigation:
    """A matrix from its file's contents.

    >>> read_matrix({"probabilities": {"a.xml": {"/s": {"/s/p": 0.5}}}}, "m.json").probabilities
    {'a': {'/s': {'/s/p': 0.5}}}
    """
    refuse_unknown_keys(data, ("model", "probabilities"), "matrix", origin)
    probabilities: dict[str, dict[str, dict[str, float]]] = {}
    for given, rows in json_object(data.get("probabilities"), "probabilities", origin).items():
        document = normalised_id(given)
        if document in probabilities:
            raise FormatError(f"probabilities of {truncate(document)} are given twice", origin)
        own = probabilities.setdefault(document, {})
        for source, row in json_object(
            rows, f"probabilities of {truncate(document)}", origin
        ).items():
            for to, value in json_object(row, f"{document} {source}", origin).items():
                probability = number_in(value, 0, 1)
                if probability is None:
                    raise FormatError(
                        f"{truncate(document)} {short_path(source)} → {short_path(to)}: "
                        f"{quoted(value)} is not a probability",
                        origin,
                    )
                own.setdefault(source, {})[to] = probability
    return MatrixNavigation(probabilities=probabilities)
