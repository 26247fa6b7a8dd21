"""What a model of navigation is: how likely readers are to go from one element to another.

Readers never leave a document. A model gives the probabilities from a set of elements to another
set, both of one document, so that nothing is ever computed for all pairs of elements.

Where both sets are large, even their pairs are too many. Most models then have a shorter answer:
many elements are reached alike (`groups_of`), or most are not reached at all (`steps_between`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.columns import unknown_field
from doxeval.documents import Collection
from doxeval.errors import FormatError


class Steps(NamedTuple):
    """Steps from sources to targets, both as positions in their sets, with their probabilities."""

    source: Ints
    target: Ints
    probability: Floats


@dataclass(frozen=True)
class Navigation:
    """A model of navigation; its name is printed inside the names of measures.

    >>> from doxeval.navigation.tree import HierarchicalNavigation
    >>> HierarchicalNavigation().name
    'hierarchical'
    """

    name: str

    def between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Floats:
        """Return the probability of going from each source to each target, sources × targets."""
        raise NotImplementedError

    def groups_of(self, collection: Collection, targets: Ints) -> Ints | None:
        """Return a group for each target, if those of one group are equally likely reached.

        From any element but the target itself, that is. None if the model has no such groups.
        """
        return None

    def steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Steps | None:
        """Return all steps with a probability above 0; None if the model does not list them.

        Sources and targets are ascending, and each is there once. A step from an element to
        itself may be left out.
        """
        return None

    def most_steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> int:
        """Return at most how many steps `steps_between` would list."""
        return len(sources) * len(targets)

    def checked(self, collection: Collection) -> list[str]:
        """Return warnings about the model in this collection; a missing element is an error."""
        return []


@dataclass(frozen=True)
class NoNavigation(Navigation):
    """Readers look at what they are shown and go nowhere else.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>One.</p></s>"})
    >>> NoNavigation().between(collection, 0, np.array([0]), np.array([0, 1])).tolist()
    [[0.0, 0.0]]
    """

    name: str = "none"

    def between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Floats:
        """Return zeros."""
        return np.zeros((len(sources), len(targets)))

    def steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Steps:
        """Return no steps."""
        nothing: Ints = np.zeros(0, dtype=np.int64)
        return Steps(nothing, nothing, np.zeros(0))

    def most_steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> int:
        """Return 0."""
        return 0


# What is checked of a file that describes a model


def json_object(value: Any, what: str, origin: str) -> Mapping[str, Any]:
    """Return the value if it is an object; raise an error if not.

    >>> json_object([], "weights", "model.json")
    Traceback (most recent call last):
    doxeval.errors.FormatError: model.json: weights: expected an object
    """
    if not isinstance(value, dict):
        raise FormatError(f"{what}: expected an object", origin)
    return value


def refuse_unknown_keys(
    value: Mapping[str, Any], known: Sequence[str], what: str, origin: str
) -> None:
    """Raise an error for the first unknown key.

    >>> refuse_unknown_keys({"doc": "a", "user": 7}, ("doc", "steps"), "route 1", "model.json")
    Traceback (most recent call last):
    doxeval.errors.FormatError: model.json: route 1: unknown field 'user': expected doc, steps
    """
    for key in value:
        if key not in known:
            raise FormatError(f"{what}: {unknown_field(key, known)}", origin)


def number_in(value: Any, lowest: float, highest: float) -> float | None:
    """Return a JSON number within bounds as a float; None for anything else.

    >>> number_in(1, 0, 1), number_in(2, 0, 1), number_in(True, 0, 1), number_in("1", 0, 1)
    (1.0, None, None, None)
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and lowest <= value <= highest else None
