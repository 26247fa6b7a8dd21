"""How runs are read for an evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from doxeval.runs.run import Order

if TYPE_CHECKING:
    from doxeval.documents.options import Offsets, Whitespace

OnUnresolved = Literal["error", "irrelevant"]
AverageOver = Literal["assessed", "retrieved"]


@dataclass(frozen=True)
class RunOptions:
    """What ranks results, what offsets count, and what happens to references to nothing.

    order: the list as it is, or sorted by rank or score (rsv), where equal ones are tied.
    offsets: characters, or bytes of UTF-8. whitespace: how text nodes of text points are numbered,
    if not as the collection was built. unresolved: a result that names nothing is an error, or
    counts as not relevant. ends: the last column of a text run is an end, not a length.
    """

    order: Order = "list"
    offsets: Offsets = "characters"
    whitespace: Whitespace | None = None
    unresolved: OnUnresolved = "error"
    ends: bool = False
