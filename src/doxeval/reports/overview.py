"""The first screen of a report: the finding in words, and all runs by one measure.

Runs are compared with the baseline. If none was given, they are compared with the best run of each
measure: what is not shown to differ from it may be as good.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from doxeval.comparison import Comparison, MeasureColumn, Pair
from doxeval.reports.contents import Contents
from doxeval.reports.documents.select import FIRST_RESULTS
from doxeval.reports.documents.view import DocumentView, RunUnits, Unit
from doxeval.scores import MeasureFacts
from doxeval.spans import Spans, merge_spans, shared_lengths

if TYPE_CHECKING:
    from doxeval.reports.figures.losses import Loss

Verdict = Literal["reference", "better", "worse", "not shown to differ", "not tested"]


class MeasureVerdicts(NamedTuple):
    """By one measure: the run that others are compared with, and how each run compares with it."""

    reference: str
    verdicts: dict[str, Verdict]


def verdicts_by_measure(contents: Contents) -> list[MeasureVerdicts]:
    """Return how runs compare with the baseline, or with the best run, by each measure.

    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = (MeasureFacts("P", "P", "precision"),)
    >>> scores = {"a": [0.5, 0.4, 0.6], "b": [0.1, 0.01, 0.2], "c": [0.5, 0.3, 0.65]}
    >>> counted = np.ones(3, dtype=bool)
    >>> runs = tuple(RunScores(run, np.array([v]), counted) for run, v in scores.items())
    >>> contents = Contents(ScoreTable(facts, ("7", "8", "9"), runs), baseline="b")
    >>> verdicts_by_measure(contents)[0].verdicts
    {'a': 'better', 'c': 'better', 'b': 'reference'}
    """
    made = []
    for number, column in enumerate(contents.columns):
        tested = contents.tested[number] if contents.tested else None
        reference = column.ranking()[0] if contents.baseline is None else contents.baseline
        verdicts = {run: _verdict(tested, run, reference) for run in contents.ranking}
        made.append(MeasureVerdicts(reference, verdicts))
    return made


def _verdict(tested: Comparison | None, run: str, reference: str) -> Verdict:
    if run == reference:
        return "reference"
    pair = None if tested is None else tested.pair(run, reference)
    if pair is None or pair.p is None:
        return "not tested"
    if not pair.significant:
        return "not shown to differ"
    return "better" if pair.better == run else "worse"


def standing(
    contents: Contents, number: int = 0, run: str | None = None, other: str | None = None
) -> str:
    """Return how a run, by default the best by a measure, compares with another.

    By default that is the baseline. Without one, or if the run is the baseline, it is the best of
    the others. The result is empty if there is nothing to compare.

    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = (MeasureFacts("P", "P", "precision"),)
    >>> scores = {"a": [0.5, 0.4, 0.6], "b": [0.1, 0.01, 0.2]}
    >>> counted = np.ones(3, dtype=bool)
    >>> runs = tuple(RunScores(run, np.array([v]), counted) for run, v in scores.items())
    >>> standing(Contents(ScoreTable(facts, ("7", "8", "9"), runs), baseline="b"))
    'significantly better than b'
    """
    ranking = contents.columns[number].ranking()
    best = ranking[0] if run is None else run
    others = [name for name in ranking if name != best]
    if not others:
        return ""
    if other is None:
        other = contents.baseline if contents.baseline in others else others[0]
    name = contents.shown[other]
    tested = contents.tested[number] if contents.tested else None
    phrases: dict[Verdict, str] = {
        "reference": "",
        "better": f"significantly better than {name}",
        "worse": f"significantly worse than {name}",
        "not shown to differ": f"not shown to differ from {name}",
        "not tested": f"not tested against {name}",
    }
    return phrases[_verdict(tested, best, other)]


def digits_of(column: MeasureColumn) -> int:
    """Return how many decimals means need: two, or three if the best two would seem equal.

    Large numbers need fewer.

    >>> from doxeval.scores import MeasureFacts
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> for means in ([0.911, 0.492, 0.491], [0.911, 0.912], [12.5, 130.0]):
    ...     values = {str(mean): np.array([mean]) for mean in means}
    ...     print(digits_of(MeasureColumn(facts, values)))
    2
    3
    0
    """
    known = {mean for mean in column.means.values() if mean is not None}
    largest = max(map(abs, known), default=0.0)
    if largest >= 10:
        return 0 if largest >= 100 else 1
    best = sorted(known, reverse=column.facts.higher_is_better)[:2]
    return 2 if len({f"{mean:.2f}" for mean in best}) == len(best) else 3


def ranks(column: MeasureColumn) -> dict[str, int]:
    """Return the rank of each run by a measure; runs with the same mean share one.

    Runs without a mean come after all others.

    >>> from doxeval.scores import MeasureFacts
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> values = {"a": np.array([0.5]), "b": np.array([0.1]), "c": np.array([0.5])}
    >>> ranks(MeasureColumn(facts, values))
    {'a': 1, 'c': 1, 'b': 3}
    """
    ranked: dict[str, int] = {}
    before: float | None = None
    for place, run in enumerate(column.ranking(), 1):
        is_tie = bool(ranked) and column.means[run] == before
        ranked[run] = next(reversed(ranked.values())) if is_tie else place
        before = column.means[run]
    return ranked


class ShownDocument(NamedTuple):
    """A document by its number among those of the page, and two runs to see in it."""

    number: int
    view: DocumentView
    runs: tuple[str, str]


class Finding(NamedTuple):
    """What the report says in short, by the first measure.

    best: the first run; mean: its mean. leaders: all runs with that mean. reference: the baseline,
    or else the best run. pair: the best run and the reference, or the reference and the second if
    the reference is best; None if there is one run, or none was tested. by_verdict: all runs. loss:
    of the best run, if chunks are known. budget: that of the measure, as "1,000 words", if it has
    one. document: where the difference is seen best.
    """

    best: str
    mean: float | None
    leaders: list[str]
    reference: str
    pair: Pair | None
    is_tie: bool
    by_verdict: dict[Verdict, list[str]]
    loss: Loss | None
    budget: str | None
    document: ShownDocument | None

    def others(self, verdict: Verdict) -> list[str]:
        """Return the runs besides the best one with this verdict."""
        return [run for run in self.by_verdict.get(verdict, []) if run != self.best]


def main_finding(contents: Contents, verdicts: MeasureVerdicts) -> Finding:
    """Return the finding that the headline states.

    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, 0.25]]), np.ones(2, dtype=bool)),)
    >>> contents = Contents(ScoreTable((facts,), ("7", "8"), runs))
    >>> finding = main_finding(contents, verdicts_by_measure(contents)[0])
    >>> finding.best, finding.mean, finding.pair
    ('mine', 0.375, None)
    """
    best, means = contents.ranking[0], contents.columns[0].means
    second = next((run for run in contents.ranking if run != best), None)
    other = verdicts.reference if verdicts.reference != best else second
    pair = None
    if contents.tested and other is not None:
        pair = contents.tested[0].pair(best, other)
    by_verdict: dict[Verdict, list[str]] = {}
    for run, verdict in verdicts.verdicts.items():
        by_verdict.setdefault(verdict, []).append(run)
    label = contents.table.labels[0]
    losses = (loss for loss in contents.losses if (loss.run, loss.measure) == (best, label))
    return Finding(
        best,
        means[best],
        [run for run in contents.ranking if means[run] == means[best]],
        verdicts.reference,
        pair,
        contents.is_tie,
        by_verdict,
        next(losses, None),
        _budget_in_words(contents.columns[0].facts),
        None if other is None else _document_that_differs_most(contents, best, other),
    )


def _document_that_differs_most(contents: Contents, best: str, other: str) -> ShownDocument | None:
    """Return the document in which the better run shows more of the relevant text, by most.

    Documents come first in which both runs show something. First count only what is read within
    the budget of the measure or, without one, the first results of each list; then all of them.
    """
    gains = {}
    for number, view in enumerate(contents.shown_documents):
        layers = {layer.run: layer for layer in view.layers}
        both = [layers.get(run, RunUnits(run)) for run in (best, other)]
        budget = _budget_in(view, contents.columns[0].facts)
        read = [_read(layer, budget) for layer in both]
        first, all_results = (
            _share(view, mine) - _share(view, theirs)
            for mine, theirs in (read, [_spans(layer.units) for layer in both])
        )
        if first > 0 or all_results > 0:
            gains[number] = (first > 0, all(read), first, all_results)
    if not gains:
        return None
    number = max(gains, key=lambda at: gains[at])
    return ShownDocument(number, contents.shown_documents[number], (best, other))


_BUDGET = re.compile(r"bR@(\d+)")


def _budget_in_words(facts: MeasureFacts) -> str | None:
    """Return how much is read before recall is counted, if the measure says so."""
    known = re.match(_BUDGET.pattern + r"\(.*unit=(\w+)", facts.canonical)
    return None if known is None else f"{int(known[1]):,} {known[2]}"


def _budget_in(view: DocumentView, facts: MeasureFacts) -> int | None:
    """Return the number of the measure's budget among those of a document; None without one."""
    budget = _BUDGET.match(facts.canonical)
    sizes = [re.sub(r"\D", "", words) for words in view.budgets]
    return sizes.index(budget[1]) if budget and budget[1] in sizes else None


def _read(layer: RunUnits, budget: int | None) -> list[tuple[int, int]]:
    """Return what is read within a budget; without one, the first results."""
    if budget is None or not layer.read:
        return _spans(unit for unit in layer.units if unit.rank <= FIRST_RESULTS)
    stops = zip(layer.units, layer.read[budget], strict=True)
    return [(unit.start, stop) for unit, stop in stops if stop > unit.start]


def _spans(units: Iterable[Unit]) -> list[tuple[int, int]]:
    return [(unit.start, unit.end) for unit in units]


def _share(view: DocumentView, spans: Sequence[tuple[int, int]]) -> float:
    """Return the share of the relevant text that is in some spans."""
    relevant = _merged(view.highlights or [(grade.start, grade.end) for grade in view.grades])
    total = int(relevant.lengths().sum())
    if not total or not spans:
        return 0.0
    return float(shared_lengths(_merged(spans), relevant).sum()) / total


def _merged(spans: Sequence[tuple[int, int]]) -> Spans:
    both = np.array(spans, dtype=np.int64).reshape(-1, 2)
    return merge_spans(Spans(np.zeros(len(both), dtype=np.int64), both[:, 0], both[:, 1]))
