"""How far two assessors agree in their grades of elements: weighted κ with linear weights.

Mode 2005: every element of a document has one of the grades not relevant < ? < 1 < 2, since text
that is not highlighted in a validated document is not relevant. Mode 2003: only elements that both
assessors graded are compared, exhaustivity and specificity each on its scale of 0 to 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from doxeval.assess.agreement.coefficients import mean, weighted_kappa
from doxeval.assess.agreement.values import Averages, ElementAgreement
from doxeval.assess.exchange.judged import Judged
from doxeval.assess.judging import Mode

# How often the first assessor gave grade i and the second grade j.
Counts = list[list[int]]
Pair = tuple[Judged, Judged]
_LEVELS = {"?": 1, 1: 2, 2: 3}
_GRADES = 4


def element_agreement(pairs: Sequence[Sequence[Pair]], mode: Mode) -> ElementAgreement:
    """The mean over pairs of assessors, each given by the documents that both validated.

    >>> from doxeval.assess.judging import State
    >>> one = State(grades={"/s[1]": (3, 2), "/s[1]/p[1]": (1, 1)}, status="validated")
    >>> other = State(grades={"/s[1]": (3, 1), "/s[1]/p[1]": (1, 1)}, status="validated")
    >>> pair = (Judged("7", "a", "A1", one, 20), Judged("7", "a", "A2", other, 20))
    >>> found = element_agreement([[pair]], "2003")
    >>> found.compared, found.exhaustivity.micro, found.specificity.micro
    (2, 1.0, 0.0)
    """
    if mode == "2005":
        tables = [[_exhaustivity(*both) for both in pair] for pair in pairs]
        return ElementAgreement(_compared(tables), _averages(tables), None)
    by_scale = [[[_graded(*both, scale) for both in pair] for pair in pairs] for scale in (0, 1)]
    return ElementAgreement(_compared(by_scale[0]), *map(_averages, by_scale))


def _exhaustivity(one: Judged, other: Judged) -> Counts:
    """The grades of all elements of a document in mode 2005."""
    counts = _empty()
    paths = one.state.grades.keys() | other.state.grades.keys()
    for path in paths:
        levels = (_LEVELS.get(each.state.grades.get(path, 0), 0) for each in (one, other))
        first, second = levels
        counts[first][second] += 1
    counts[0][0] += max(one.elements - len(paths), 0)
    return counts


def _graded(one: Judged, other: Judged, scale: int) -> Counts:
    """The grades of elements that both graded in mode 2003; scale: exhaustivity or specificity."""
    counts = _empty()
    for path in one.state.grades.keys() & other.state.grades.keys():
        first, second = one.state.grades[path], other.state.grades[path]
        if isinstance(first, tuple) and isinstance(second, tuple):
            counts[first[scale]][second[scale]] += 1
    return counts


def _empty() -> Counts:
    return [[0] * _GRADES for _ in range(_GRADES)]


def _averages(pairs: Sequence[Sequence[Counts]]) -> Averages:
    micro = mean(weighted_kappa(_total(documents)) for documents in pairs)
    macro = mean(mean(map(weighted_kappa, documents)) for documents in pairs)
    return Averages(micro, macro)


def _total(documents: Iterable[Counts]) -> Counts:
    sums = _empty()
    for counts in documents:
        sums = [
            [a + b for a, b in zip(*rows, strict=True)] for rows in zip(sums, counts, strict=True)
        ]
    return sums


def _compared(pairs: Iterable[Iterable[Counts]]) -> int:
    return sum(sum(map(sum, counts)) for documents in pairs for counts in documents)
