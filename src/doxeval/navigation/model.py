"""What a model of navigation is: how likely readers go from one element to another.

Readers never leave a document. A model gives the probabilities from a set of elements to another
set, both of one document, so that nothing is ever computed for all pairs of elements.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Ints
from doxeval.documents import Collection

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Navigation:
    """A model of navigation; its name is printed inside the names of measures.

    >>> from doxeval.navigation.hierarchical import HierarchicalNavigation
    >>> HierarchicalNavigation().name
    'hierarchical'
    """

    name: str

    def between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Floats:
        """The probability of going from each source to each target, sources × targets."""
        raise NotImplementedError

    def checked(self, collection: Collection) -> list[str]:
        """Warnings about the model in this collection; an error if an element is not there."""
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
        """Zeros."""
        return np.zeros((len(sources), len(targets)))
