"""Finding a measure in a table of scores by any of its names.

A measure has up to three names: its label (the name that the user gave), its canonical name (with
every parameter as it was used), and the name with every parameter as the user gave it. A measure
can be found by any of them, and by a value that prints as one of them. White space, the order of
parameters and the spelling of numbers do not matter: `iP[.01]`, `iP[0.01]` and `iP[ 1/100 ]` are
the same measure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

from doxeval.errors import UnknownName
from doxeval.messages import quoted, suggestion

_NUMBER = re.compile(
    r"(?<![\w.])(?:[0-9]{1,30}/0{0,30}[1-9][0-9]{0,30}|[0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})"
    r"(?![\w./])"
)
_PARAMETERS = re.compile(r"\(([^()]*)\)$")


class Named(Protocol):
    """Anything with the names of a measure."""

    @property
    def label(self) -> str:
        """The name that the user gave."""

    @property
    def names(self) -> tuple[str, ...]:
        """All names, the label first."""


def index_of_measure(measures: Sequence[Named], key: object) -> int:
    """The index of the measure with this name; labels take precedence over other names.

    A class stands for the measure with its default parameters.

    >>> from doxeval.scores import MeasureFacts
    >>> measures = [MeasureFacts("MAiP", "MAiP(alpha=0)", ""), MeasureFacts("iP[.01]", "", "")]
    >>> index_of_measure(measures, "iP[0.010]"), index_of_measure(measures, "MAiP( alpha=0.0 )")
    (1, 0)
    >>> index_of_measure(measures, "MAIP")
    Traceback (most recent call last):
    doxeval.errors.UnknownName: no scores by 'MAIP'; did you mean MAiP?
    """
    wanted = str(key() if isinstance(key, type) else key)
    for spell in (str, plain_name):
        spelt = spell(wanted)
        for which in range(max((len(measure.names) for measure in measures), default=0)):
            for index, measure in enumerate(measures):
                if spelt in map(spell, measure.names[which : which + 1]):
                    return index
    labels = [measure.label for measure in measures]
    raise UnknownName(f"no scores by {quoted(wanted)}{suggestion(wanted, labels, 'scores by ')}")


def plain_name(name: str) -> str:
    """A name without white space, its numbers as fractions and its parameters sorted.

    >>> plain_name("iP[.010]"), plain_name("MAgP( score = F, beta = .5 )")
    ('iP[1/100]', 'MAgP(beta=1/2,score=F)')
    """
    plain = _NUMBER.sub(lambda number: str(Fraction(number[0])), "".join(name.split()))
    return _PARAMETERS.sub(lambda list_: f"({','.join(sorted(list_[1].split(',')))})", plain)
