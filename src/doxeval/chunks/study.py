"""The result of a comparison of cuts: scores, what the cuts allow, and where recall is lost."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Any

from doxeval.chunks.bench import NO_GOLD
from doxeval.chunks.limits_of_cut import Limits
from doxeval.comparison import Comparison, MeasureColumn, compare
from doxeval.errors import UnknownName, warn
from doxeval.messages import plural, quoted, suggestion
from doxeval.reports import Loss
from doxeval.runs import Run
from doxeval.scores import ScoreTable, TextTable, format_score, warning_lines

if TYPE_CHECKING:
    from doxeval.chunks.bench import Bench
    from doxeval.chunks.chunk_set import Chunks
    from doxeval.reports import Report
    from doxeval.scores import RunView


@dataclass(frozen=True, repr=False, eq=False)
class Study(Mapping[str, "RunView"]):
    """Cuts compared: the scores of each by name, and all that belongs to them.

    scores: of the runs. oracle: of the greedy oracle over the same chunks. limits: what each cut
    allows. chunks, runs: of each cut. units_read: the mean units of the first five results.
    headline: the reference measure, by which cuts are called best, tested and held against the
    oracle, here and in the report. added: the measures that the user asked for beside the usual
    ones. losses: what runs lose by cutting and by search, white space aside.
    """

    scores: ScoreTable
    oracle: ScoreTable
    chunks: Mapping[str, Chunks]
    runs: Mapping[str, Run]
    limits: Mapping[str, Limits]
    units_read: Mapping[str, float]
    headline: str
    unit: str
    budget: int
    search: str
    bench: Bench
    measures: tuple[Any, ...] = ()
    warnings: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    losses: tuple[Loss, ...] = ()

    def __getitem__(self, cut: str) -> RunView:
        if cut not in self.chunks:
            hint = suggestion(cut, self.chunks)
            raise UnknownName(f"no cut {quoted(cut)} in the study{hint}")
        return self.scores[cut]

    def __iter__(self) -> Iterator[str]:
        return iter(self.chunks)

    def __len__(self) -> int:
        return len(self.chunks)

    def compare(self, measure: object = None, **options: Any) -> Comparison | None:
        """The tests of all pairs by a measure; None if there is only one cut."""
        if len(self) < 2 or len(self.scores.topic_ids) < 2:
            return None
        found = compare(self.scores, measure or self.headline, **options)
        warn(found.notes)
        return found

    def loss(self, cut: str, measure: str | None = None) -> Loss:
        """What a cut loses of a measure, white space aside; nan if that is not defined."""
        name = measure or self.headline
        for loss in self.losses:
            if (loss.run, loss.measure) == (cut, name):
                return loss
        return Loss(cut, name, *(float("nan"),) * 3)

    @property
    def best(self) -> str:
        """The cut with the best mean of the reference measure, of equal ones the first by name."""
        return MeasureColumn.of(self.scores, self.scores.index_of_measure(self.headline)).ranking()[
            0
        ]

    # Ways out

    @property
    def text(self) -> str:
        """The table and what follows from it, in lines; without the warnings."""
        return "\n".join([self._title(), *self._table(), *self._conclusions()])

    def __repr__(self) -> str:
        return "\n".join([self.text, *warning_lines(self.warnings)])

    def _repr_html_(self) -> str:
        """How notebooks show it."""
        return TextTable(*self._cells(), warnings=self.warnings).html()

    def _title(self) -> str:
        topics = plural(len(self.scores.topic_ids), "question")
        return (
            f"{plural(len(self), 'cut')} × {self.search}, {topics}, budgets in {self.unit}; "
            "letters: cuts that share one are not significantly different"
        )

    def _table(self) -> list[str]:
        return TextTable(*self._cells()).lines()

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        measures = self._shown()
        tested = {name: self._letters(name) for name in measures if name in self._tested()}
        header = ["cut", "chunks", f"{self.unit} p50"]
        for name in measures:
            shown = f"{self.unit}{name.removeprefix('read')}" if _is_reading(name) else name
            header += [shown, ""] if name in tested else [shown]
        header += [f"{self.unit}@5", "intact", f"oracle {self.headline}", "lost by cutting",
                   "by search"]  # fmt: skip
        return header, [self._row(cut, measures, tested) for cut in self]

    def _row(
        self, cut: str, measures: Sequence[str], tested: Mapping[str, Mapping[str, str]]
    ) -> list[str]:
        limits, loss = self.limits[cut], self.loss(cut)
        cells = [cut, f"{limits.chunks:,}", f"{limits.sizes[1]:,.0f}"]
        for name in measures:
            value = self[cut][name]
            cells.append(f"{value or 0:,.0f}" if _is_reading(name) else format_score(value))
            if name in tested:
                cells.append(tested[name].get(cut, ""))
        oracle = format_score(self.oracle[cut][self.headline])
        return [
            *cells,
            f"{self.units_read[cut]:,.0f}",
            "—" if isnan(limits.intact) else f"{limits.intact:.3f}",
            oracle,
            format_score(loss.cutting),
            format_score(loss.search),
        ]

    def _shown(self) -> list[str]:
        """The measures of the table: those of budgets, and whether everything is there."""
        labels = list(self.scores.labels)
        usual = ("bR@", "U@", "all@", "cR@")
        shown = [name for name in labels if name.startswith(usual) or name in self.added]
        return shown or labels[:6]

    def _tested(self) -> tuple[str, ...]:
        return (self.headline, f"U@{self.budget}")

    def _letters(self, measure: str) -> Mapping[str, str]:
        found = self.compare(measure)
        return {} if found is None else found.letters

    def _conclusions(self) -> list[str]:
        best, name = self.best, self.headline
        if self[best][name] is None:
            return [f"{name} is {NO_GOLD}"]
        loss = self.loss(best)
        found = self.compare()
        beaten = [
            pair
            for pair in (found.pairs if found is not None else ())
            if pair.significant and pair.better == best
        ]
        return [
            f"best: {best} by {name} ({format_score(self[best][name])}), significantly better than "
            f"{len(beaten):,} of {plural(len(self) - 1, 'other')}"
            if len(self) > 1
            else f"{name} of {best}: {format_score(self[best][name])}",
            f"of the missing {1 - loss.shown:.4f}, {loss.cutting:.4f} is lost by cutting and "
            f"{loss.search:.4f} by search, white space aside; oracle (greedy)",
        ]

    def to_pandas(self) -> Any:
        """A data frame with a row for each cut: scores, oracle, loss and limits."""
        from doxeval.runs import optional_module

        return optional_module("pandas").DataFrame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """What is known about each cut, as plain values."""
        return [
            {
                "cut": cut,
                **{str(name): value for name, value in self[cut].items()},
                **{f"oracle {name}": value for name, value in self.oracle[cut].items()},
                "units read @5": self.units_read[cut],
                "lost by cutting": self.loss(cut).cutting,
                "lost by search": self.loss(cut).search,
                "letters": self._letters(self.headline).get(cut, ""),
                **self.limits[cut].to_dict(),
            }
            for cut in self
        ]

    def report(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Report:
        """A page about the runs of all cuts: scores, tests, recall by budget, loss, documents.

        Options are those of `doxeval.report`.
        """
        from doxeval.chunks.evaluating import evaluation_on, short_labels
        from doxeval.evaluation import Keep
        from doxeval.reports import keeping, report
        from doxeval.topics import Topic

        returned = keeping([str(name) for name in self.measures])
        kept = Keep(curves=True, of_ranking=returned)
        evaluation = evaluation_on(self.bench, self.measures, keep=kept)
        table = short_labels(evaluation.score_all(self.runs), self.unit)
        table = replace(table, reference=self.headline)
        titles = self.bench.questions.items()
        settings: dict[str, Any] = {
            "title": "Cuts compared",
            "topics": [Topic(name, title=text) for name, text in titles if text],
            "truth": evaluation.truth,
            "chunks": {name: own.table for name, own in self.chunks.items()},
            "losses": self.losses,
        }
        made = report(table, path, **{**settings, **options})
        warn(made.warnings)
        return made


def _is_reading(name: str) -> bool:
    """Whether a measure says how much is read, in units."""
    return name.startswith("read@")
