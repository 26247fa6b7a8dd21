"""How runs are read for an evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from doxeval.errors import InputError
from doxeval.messages import quoted
from doxeval.runs import Order

if TYPE_CHECKING:
    from doxeval.documents import Offsets, Whitespace

OnUnresolved = Literal["error", "irrelevant"]
OnDuplicates = Literal["auto", "drop", "keep"]
AverageOver = Literal["assessed", "retrieved"]


@dataclass(frozen=True)
class RunOptions:
    """What ranks results, what offsets count, and what happens to references to nothing.

    order: the list as it is, or sorted by rank or score (rsv), where equal ones are tied.
    offsets: characters, or bytes of UTF-8. whitespace: how text nodes of text points are numbered,
    if not as the collection was built. unresolved: a result that names nothing is an error, or
    counts as not relevant. ends: the last column of a text run is an end, not a length.
    duplicates: a result that was returned before is dropped, or keeps its rank but gains nothing;
    auto: as each measure has it (those of chunks keep it, all others drop it). Where a measure does
    something else than by itself, its name in the table says so: cP@5(duplicates=keep).
    list_if_unordered: a run without the ranks or scores that order it is taken as listed, with a
    warning; otherwise it is an error.
    """

    order: Order = "list"
    offsets: Offsets = "characters"
    whitespace: Whitespace | None = None
    unresolved: OnUnresolved = "error"
    ends: bool = False
    duplicates: OnDuplicates = "auto"
    list_if_unordered: bool = False

    def __post_init__(self) -> None:
        check_choice("order", self.order, get_args(Order))
        check_choice("offsets", self.offsets, ("characters", "bytes"))
        check_choice("whitespace", self.whitespace, (None, "keep", "strip"))
        check_choice("unresolved", self.unresolved, get_args(OnUnresolved))
        check_choice("duplicates", self.duplicates, get_args(OnDuplicates))


def check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Refuse a value that is not one of a parameter's choices.

    >>> check_choice("order", "score", ("list", "rank", "rsv"))
    Traceback (most recent call last):
    doxeval.errors.InputError: order is 'score': expected list, rank or rsv
    """
    if value not in choices:
        names = [str(choice) for choice in choices]
        expected = f"{', '.join(names[:-1])} or {names[-1]}"
        raise InputError(f"{name} is {quoted(value)}: expected {expected}")
