"""The table of scores: runs by topics by measures, and the facts that readers of scores need.

A score is a number. It is undefined (nan here, None or null outside) for a topic that lacks what
the measure needs. Undefined scores are left out of means, and reported. Runs of a table have
distinct names; `distinct_names` makes them.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Floats
from doxeval.errors import UnknownName
from doxeval.messages import (
    Message,
    one_line,
    plural,
    quoted,
    suggestion,
    terminal_width,
    truncate,
)
from doxeval.scores.text import (
    LONGEST_NAME,
    MAX_MEASURES,
    ShownAsTable,
    TextTable,
    as_html,
    best_first,
    means_table,
    undefined_in_words,
)
from doxeval.scores.views import (
    DocumentRow,
    DocumentScores,
    RunView,
    index_of_measure,
    rows_of_documents,
)

if TYPE_CHECKING:
    from doxeval.scores.frames import Kind
    from doxeval.scores.plots import Plot, PlotKind


Average = Literal["arithmetic", "geometric"]


class MeasureFacts(NamedTuple):
    """What readers of scores must know about a measure.

    label: the name that the user gave. canonical: the name with every parameter as it was used.
    requested: the name with every parameter as the user gave it; empty if it is the same as the
    canonical name (it differs if a parameter was chosen to fit the assessments).
    highest: the upper bound, None if there is none.
    user: what it says about a user, in one sentence. formula: how it is computed. Either may be
    empty. duplicates: what is done with results that were returned before, drop or keep; empty if
    that is not known. The canonical name says so where it is not what the measure does by itself,
    the label where it is not what everybody expects: two different values never have one name.
    average: how the mean over topics is taken; a geometric mean is that of scores which are natural
    logarithms. about: whether it scores topics that have an answer, or those that have none.

    >>> MeasureFacts("iP[.01]", "iP[0.01](alpha=0)", "interpolated precision")
    MeasureFacts('iP[.01]', 'iP[0.01](alpha=0)', 0 to 1, higher is better)
    """

    label: str
    canonical: str
    title: str
    lowest: float = 0.0
    highest: float | None = 1.0
    higher_is_better: bool = True
    requested: str = ""
    user: str = ""
    formula: str = ""
    duplicates: str = ""
    average: Average = "arithmetic"
    about: Literal["answerable", "unanswerable"] = "answerable"

    def mean_of(self, values: Floats) -> float | None:
        """Return the mean of the defined scores of topics, None if there are none.

        >>> facts = MeasureFacts("GMAP", "GMAP", "geometric mean", average="geometric")
        >>> facts.mean_of(np.log([0.5, 0.125]))
        0.25
        """
        mean = mean_of(values)
        return math.exp(mean) if mean is not None and self.average == "geometric" else mean

    @property
    def is_share(self) -> bool:
        """Whether scores are shares, from 0 to 1, of which more is better."""
        return self.higher_is_better and (self.lowest, self.highest) == (0, 1)

    @property
    def names(self) -> tuple[str, ...]:
        """All its names, the label first, the label without what is done with duplicates last."""
        requested = self.requested or self.canonical
        return (self.label, self.canonical, requested, self._without_duplicates(self.label))

    @property
    def measure(self) -> str:
        """The canonical name without what is done with duplicates, which is not a parameter."""
        return self._without_duplicates(self.canonical)

    def _without_duplicates(self, name: str) -> str:
        if not self.duplicates:
            return name
        ending = f"duplicates={self.duplicates})"
        return name.replace(f"({ending}", "").replace(f",{ending}", ")")

    def label_where(self, usual: str) -> str:
        """Return the label where this is what is usually done with duplicates.

        >>> facts = MeasureFacts("cP@5", "cP@5(alpha=0)", "precision", duplicates="keep")
        >>> facts.label_where("keep"), facts.label_where("drop")
        ('cP@5', 'cP@5(duplicates=keep)')
        """
        if not self.duplicates:
            return self.label
        plain = self._without_duplicates(self.label)
        return plain if self.duplicates == usual else with_duplicates(plain, self.duplicates)

    def __repr__(self) -> str:
        highest = "no bound" if self.highest is None else f"{self.highest:g}"
        better = "higher" if self.higher_is_better else "lower"
        return (
            f"MeasureFacts({self.label!r}, {self.canonical!r}, {self.lowest:g} to {highest}, "
            f"{better} is better)"
        )


def with_duplicates(name: str, duplicates: str) -> str:
    """Return a measure's name that says what is done with results that were returned before.

    >>> with_duplicates("AP", "keep"), with_duplicates("cP@5(alpha=1)", "keep")
    ('AP(duplicates=keep)', 'cP@5(alpha=1,duplicates=keep)')
    """
    ending = f"duplicates={duplicates})"
    return f"{name[:-1]},{ending}" if name.endswith(")") else f"{name}({ending}"


class Curve(NamedTuple):
    """A measure along an axis, such as precision at points of recall, for each topic.

    >>> curve = Curve("MAiP", "recall", "iP", np.array([0.0, 1.0]), np.array([[1.0, np.nan]]))
    >>> curve, curve == curve._replace(y=curve.y.copy())
    (Curve('MAiP': iP by recall, 2 points, 1 topic), True)
    """

    label: str
    x_name: str
    y_name: str
    x: Floats
    y: Floats  # topics × points

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Curve):
            return NotImplemented
        return self[:3] == other[:3] and _same(self.x, other.x) and _same(self.y, other.y)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self[:3], self.y.shape))

    def __repr__(self) -> str:
        points, topics = plural(len(self.x), "point"), plural(len(self.y), "topic")
        return f"Curve({self.label!r}: {self.y_name} by {self.x_name}, {points}, {topics})"


# How many documents of a topic are looked at first.
JUDGED_DEPTH = 10


class JudgedSummary(NamedTuple):
    """How much of a run was judged.

    first: of the first ten documents of a topic (or all, if they are fewer), the share that was
    judged, averaged over topics with results. documents, unjudged: how many documents the run
    returns, topic by topic, and how many of these were not judged.

    >>> print(JudgedSummary(0.925, 1000, 300))
    92.5% of the first 10 documents of a topic are judged, 300 of all 1,000 are not
    """

    first: float
    documents: int
    unjudged: int

    def __str__(self) -> str:
        return (
            f"{self.first:.1%} of the first {JUDGED_DEPTH} documents of a topic are judged, "
            f"{self.unjudged:,} of all {self.documents:,} are not"
        )


@dataclass(frozen=True, eq=False, repr=False)
class RunScores:
    """The scores of one run: measures × topics.

    counted: which topics count towards the means, all assessed ones or those with results.
    has_results: for which topics the run returned anything; None if that is not known.
    kept: the value of a function of the ranking, if one was given. results: what the run returns in
    relevant documents, if it was kept for a report.
    documents: the scores of single documents, if they were requested.
    judged: how much of it was judged; None if that is not known.
    without_whitespace: the same scores with white space ignored, if they were kept; nan where they
    were not. description: what the run is, on one line; empty if nobody said so. metadata: all that
    is known of it, by the schema ir_metadata.

    >>> RunScores("mine", np.array([[0.5, 0.25]]), np.array([True, True]))
    RunScores('mine': 1 measure, 2 topics)
    """

    run: str
    values: Floats
    counted: Bools
    file: str | None = None
    curves: tuple[Curve, ...] = ()
    warnings: tuple[str, ...] = ()
    has_results: Bools | None = None
    kept: Any = None
    documents: tuple[DocumentScores, ...] = ()
    results: Any = None
    judged: JudgedSummary | None = None
    without_whitespace: Floats | None = None
    description: str = ""
    metadata: Mapping[str, Any] | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RunScores):
            return NotImplemented
        plain = attrgetter(
            "run", "file", "description", "warnings", "curves", "documents", "judged"
        )
        return (
            plain(self) == plain(other)
            and _same(self.values, other.values)
            and _same(self.counted, other.counted)
            and _same(self.has_results, other.has_results)
            and _same(self.without_whitespace, other.without_whitespace)
        )

    def __hash__(self) -> int:
        return hash((self.run, self.file, self.values.shape))

    def __repr__(self) -> str:
        measures = plural(len(self.values), "measure")
        return f"RunScores({self.run!r}: {measures}, {plural(len(self.counted), 'topic')})"


class Row(NamedTuple):
    """One score with its run, topic and measure."""

    run: str
    topic: str
    measure: str
    value: float | None


@dataclass(frozen=True, repr=False)
class ScoreTable(ShownAsTable):
    """The scores of runs on topics by measures.

    reference: the label of the measure by which runs are ranked and called best; None: the first.
    unanswerable: the topics that no document answers, which only measures about them score.
    tags: the sets that topics belong to, by topic, as far as they are known.

    >>> facts = MeasureFacts("iP[.01]", "iP[0.01](alpha=0,resize=full)", "interpolated precision")
    >>> scores = RunScores("mine", np.array([[0.5, 0.25, np.nan]]), np.array([True, True, True]))
    >>> table = ScoreTable((facts,), ("7", "8", "9"), (scores,))
    >>> table
    Scores of 1 run by 1 measure on 3 topics
    run   iP[.01]
    mine   0.3750
    warning: iP[.01] undefined for 1 of 3 topics (9)

    By run and measure, under any of the measure's names:

    >>> table["mine"]["iP[0.01]"], table["mine"].topics["8"]["iP[.01]"]
    (0.375, 0.25)

    All at once, as plain dictionaries:

    >>> table.mean()
    {'mine': {'iP[.01]': 0.375}}
    >>> table.topics()["mine"]["8"]
    {'iP[.01]': 0.25}
    >>> table.undefined()
    {'mine': {'iP[.01]': ['9']}}
    """

    measures: tuple[MeasureFacts, ...]
    topic_ids: tuple[str, ...]
    runs: tuple[RunScores, ...]
    collection: str | None = None
    assessments: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    reference: str | None = None
    unanswerable: tuple[str, ...] = ()
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the measures, as the user gave them."""
        return tuple(facts.label for facts in self.measures)

    # By run

    def __getitem__(self, run: str) -> RunView:
        return self.view(self.index_of_run(run))

    def __iter__(self) -> Iterator[str]:
        return (scores.run for scores in self.runs)

    def __contains__(self, run: object) -> bool:
        return any(scores.run == run for scores in self.runs)

    def keys(self) -> Iterator[str]:
        """Return the names of the runs."""
        return iter(self)

    def view(self, index: int) -> RunView:
        """Return the scores of the run with this index."""
        return RunView(self, index)

    def index_of_run(self, run: str) -> int:
        """Return the index of the run with this name."""
        names = list(self)
        if run in names:
            return names.index(run)
        raise UnknownName(f"no run {quoted(run)}{suggestion(str(run), names)}")

    def index_of_measure(self, measure: object) -> int:
        """Return the index of a measure, given by any of its names or as a value."""
        return index_of_measure(self.measures, measure)

    def only(
        self,
        runs: str | Iterable[str] | None = None,
        measures: object | Iterable[object] | None = None,
    ) -> ScoreTable:
        """Return the table with only the given runs and measures, in the given order (None: all).

        >>> facts = tuple(MeasureFacts(name, name, "") for name in "AB")
        >>> scores = [RunScores(run, np.array([[0.5], [1]]), np.array([True])) for run in "xyz"]
        >>> ScoreTable(facts, ("7",), tuple(scores)).only(runs=["z", "x"], measures="B").mean()
        {'z': {'B': 1.0}, 'x': {'B': 1.0}}
        """
        rows = [self.index_of_run(str(run)) for run in _as_list(runs, self)]
        columns = [self.index_of_measure(name) for name in _as_list(measures, self.labels)]
        labels = {self.labels[column] for column in columns}
        chosen_runs = []
        for run in (self.runs[row] for row in rows):
            curves = tuple(curve for curve in run.curves if curve.label in labels)
            other = run.without_whitespace
            chosen_runs.append(
                replace(
                    run,
                    values=run.values[columns],
                    curves=curves,
                    without_whitespace=None if other is None else other[columns],
                )
            )
        chosen_measures = tuple(self.measures[column] for column in columns)
        return replace(self, measures=chosen_measures, runs=tuple(chosen_runs))

    def labelled(self, labels: Sequence[str]) -> ScoreTable:
        """Return the table with other labels for its measures.

        >>> facts = MeasureFacts("A", "A", "")
        >>> runs = (RunScores("x", np.array([[0.5]]), np.array([True])),)
        >>> ScoreTable((facts,), ("7",), runs).labelled(["B"]).mean()
        {'x': {'B': 0.5}}
        """
        if tuple(labels) == self.labels:
            return self
        new = dict(zip(self.labels, labels, strict=True))
        measures = tuple(facts._replace(label=new[facts.label]) for facts in self.measures)
        runs = []
        for run in self.runs:
            labels_of = ((curve, new.get(curve.label, curve.label)) for curve in run.curves)
            curves = tuple(curve._replace(label=label) for curve, label in labels_of)
            runs.append(replace(run, curves=curves))
        reference = None if self.reference is None else new.get(self.reference)
        return replace(self, measures=measures, runs=tuple(runs), reference=reference)

    @property
    def descriptions(self) -> dict[str, str]:
        """What runs are, on one line each, by run, as far as it is known."""
        return {scores.run: scores.description for scores in self.runs if scores.description}

    def described(self, descriptions: Mapping[str, str]) -> ScoreTable:
        """Return the table with descriptions of runs, in place of those that their files have.

        >>> runs = (RunScores("x", np.array([[0.5]]), np.array([True])),)
        >>> table = ScoreTable((MeasureFacts("A", "A", ""),), ("7",), runs)
        >>> table.described({"x": "the right  elements"}).descriptions
        {'x': 'the right elements'}
        """
        lines = {run: one_line(text) for run, text in descriptions.items()}
        for run in lines:
            self.index_of_run(run)
        return replace(
            self,
            runs=tuple(
                replace(scores, description=lines.get(scores.run, scores.description))
                for scores in self.runs
            ),
        )

    def ranking(self, measure: object = None) -> list[str]:
        """Return the runs, best first by a measure (None: the reference measure).

        >>> scores = {"x": 0.5, "y": 0.7}
        >>> runs = [RunScores(x, np.array([[s]]), np.array([True])) for x, s in scores.items()]
        >>> ScoreTable((MeasureFacts("A", "A", ""),), ("7",), tuple(runs)).ranking()
        ['y', 'x']
        """
        if not self.measures:
            return list(self)
        if measure is None and self.reference in self.labels:
            measure = self.reference
        column = 0 if measure is None else self.index_of_measure(measure)
        means = {scores.run: self.means_of(at)[column] for at, scores in enumerate(self.runs)}
        return best_first(means, self.measures[column].higher_is_better)

    def reference_first(self) -> ScoreTable:
        """Return the table with the reference measure before all others."""
        if self.reference not in self.labels[1:]:
            return self
        others = [label for label in self.labels if label != self.reference]
        return self.only(measures=[self.reference, *others])

    def without_whitespace(self) -> ScoreTable:
        """Return the scores with white space ignored, of runs of which they were kept.

        >>> kept = np.array([[1.0]])
        >>> run = RunScores("x", np.array([[0.5]]), np.array([True]), without_whitespace=kept)
        >>> ScoreTable((MeasureFacts("A", "A", ""),), ("7",), (run,)).without_whitespace().mean()
        {'x': {'A': 1.0}}
        """
        runs = [
            run if run.without_whitespace is None else replace(run, values=run.without_whitespace)
            for run in self.runs
        ]
        return replace(self, runs=tuple(runs))

    # Means and scores

    def means_of(self, index: int) -> list[float | None]:
        """Return the mean of each measure for the run with this index."""
        scores = self.runs[index]
        return [
            facts.mean_of(values[scores.counted])
            for facts, values in zip(self.measures, scores.values, strict=True)
        ]

    def mean(self) -> dict[str, dict[str, float | None]]:
        """Return the means by run and measure; None if a measure is undefined for all topics."""
        return {
            scores.run: dict(zip(self.labels, self.means_of(index), strict=True))
            for index, scores in enumerate(self.runs)
        }

    def topics_of(self, index: int) -> Iterator[tuple[str, list[float | None]]]:
        """Yield the topics that count for the run with this index, with a score per measure."""
        scores = self.runs[index]
        for topic in np.flatnonzero(scores.counted).tolist():
            values = scores.values[:, topic].tolist()
            yield self.topic_ids[topic], [None if math.isnan(v) else v for v in values]

    def topics(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """Return all scores by run, topic and measure."""
        return {
            scores.run: {
                topic: dict(zip(self.labels, values, strict=True))
                for topic, values in self.topics_of(index)
            }
            for index, scores in enumerate(self.runs)
        }

    def rows(self) -> Iterator[Row]:
        """Yield the scores one by one."""
        for index, scores in enumerate(self.runs):
            for topic, values in self.topics_of(index):
                for label, value in zip(self.labels, values, strict=True):
                    yield Row(scores.run, topic, label, value)

    def undefined(self) -> dict[str, dict[str, list[str]]]:
        """Return the topics for which measures are undefined, by run and measure, if any."""
        by_run = {}
        for scores in self.runs:
            undefined = np.isnan(scores.values) & scores.counted & self._are_scored
            topics = {
                label: [self.topic_ids[topic] for topic in np.flatnonzero(flags).tolist()]
                for label, flags in zip(self.labels, undefined, strict=True)
                if flags.any()
            }
            if topics:
                by_run[scores.run] = topics
        return by_run

    @property
    def _are_scored(self) -> Bools:
        """Whether each measure (a row) is about each topic: one with an answer, or one without."""
        unanswerable = set(self.unanswerable)
        is_unanswerable = np.array([topic in unanswerable for topic in self.topic_ids], np.bool_)
        about = np.array([facts.about == "unanswerable" for facts in self.measures], np.bool_)
        are_scored: Bools = about[:, None] == is_unanswerable[None, :]
        return are_scored

    def undefined_in_words(self) -> dict[str, str]:
        """Return for each run with undefined scores a line with the measures and the topics.

        >>> facts = tuple(MeasureFacts(name, name, "") for name in "ABC")
        >>> values = np.array([[np.nan, 1], [np.nan, 1], [1, 1]])
        >>> table = ScoreTable(facts, ("7", "8"), (RunScores("x", values, np.array([True] * 2)),))
        >>> table.undefined_in_words()
        {'x': 'A, B undefined for 1 of 2 topics (7)'}
        """
        counts = {scores.run: int(scores.counted.sum()) for scores in self.runs}
        return {
            run: undefined_in_words(topics, len(self.measures), counts[run])
            for run, topics in self.undefined().items()
        }

    def all_warnings(self) -> tuple[str, ...]:
        """Return what readers should know: about all runs, then about each, and undefined scores.

        With several runs, what is about one begins with its name.

        >>> facts = (MeasureFacts("A", "A", ""),)
        >>> run = RunScores("x", np.array([[1.0]]), np.array([True]), warnings=("it is short",))
        >>> ScoreTable(facts, ("7",), (run,), warnings=("few topics",)).all_warnings()
        ('few topics', 'it is short')
        """
        return tuple(dict.fromkeys((*self.warnings, *self.run_warnings())))

    def run_warnings(self) -> Iterator[str]:
        """Return the part of `all_warnings` that is about single runs."""
        undefined = self.undefined_in_words()
        for scores in self.runs:
            prefix = f"{truncate(scores.run)}: " if len(self.runs) > 1 else ""
            yield from (Message(prefix, warning) for warning in scores.warnings)
            if scores.run in undefined:
                yield f"{prefix}{undefined[scores.run]}"

    def document_rows(self) -> Iterator[DocumentRow]:
        """Yield the scores of single documents, if the evaluation kept them (per_document).

        They come by run, way of scoring, topic and rank.
        """
        for run in self.runs:
            for scores in run.documents:
                yield from rows_of_documents(scores, run.run, self.topic_ids)

    # As plain values, data frames, text and HTML

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        from doxeval.scores.formats import plain_values

        return plain_values(self)

    def to_latex(self, per_topic: bool = False) -> str:
        """Return a table of means in LaTeX for a paper; with `per_topic`, one more for each run.

        >>> facts = MeasureFacts("P", "P", "precision")
        >>> runs = (RunScores("mine", np.array([[0.5, 0.25]]), np.array([True, True])),)
        >>> print(*ScoreTable((facts,), ("7", "8"), runs).to_latex().splitlines()[5:8], sep="\\n")
        \\midrule
        mine & \\textbf{0.3750} \\\\
        \\bottomrule
        """
        from doxeval.scores.latex import as_latex

        return as_latex(self, per_topic).decode()

    def to_pandas(self) -> Any:
        """Return one row per score, as a pandas data frame (needs pandas)."""
        from doxeval.scores.frames import long_frame

        return long_frame(self, "pandas")

    def to_polars(self) -> Any:
        """Return one row per score, as a polars data frame (needs polars)."""
        from doxeval.scores.frames import long_frame

        return long_frame(self, "polars")

    def mean_frame(self, kind: Kind | None = None) -> Any:
        """Return one row per run, one column per measure; pandas if installed, else polars."""
        from doxeval.scores.frames import mean_frame

        return mean_frame(self, kind)

    def topic_frame(self, run: str | None = None, kind: Kind | None = None) -> Any:
        """Return one row per topic (of one run, or of every run), one column per measure."""
        from doxeval.scores.frames import topic_frame

        return topic_frame(self, run, kind)

    def document_frame(self, kind: Kind | None = None) -> Any:
        """Return one row per score of a document, if the evaluation kept them (per_document)."""
        from doxeval.scores.frames import document_frame

        return document_frame(self, kind)

    def plot(self, measure: object = None, kind: PlotKind = "means") -> Plot:
        """Return the runs by a measure (default: the first) as a figure for notebooks.

        `kind="means"` draws a bar for the mean of each run, `kind="topics"` a tick for each score.

        >>> facts = MeasureFacts("P", "P", "precision")
        >>> runs = (RunScores("mine", np.array([[0.5, 0.25]]), np.array([True, True])),)
        >>> plot = ScoreTable((facts,), ("7", "8"), runs).plot()
        >>> plot, plot.spec["data"]["values"]
        (<plot: P of 1 run>, [{'run': 'mine', 'mean': 0.375}])
        """
        from doxeval.scores.plots import scores_plot

        return scores_plot(self, measure, kind)

    def as_table(self) -> TextTable:
        """Return the means of all runs by the first measures, under a line with the totals.

        On a terminal, all measures that fit, and what runs are.
        """
        width = terminal_width(sys.stdout)
        shown = self.labels[:MAX_MEASURES] if width is None else self.labels
        more = len(shown) < len(self.labels)
        table = means_table(
            self.reference_first().only(measures=shown) if more else self,
            with_descriptions=width is not None,
        )
        return table._replace(
            header=[*table.header, *(["…"] if more else [])] if table.rows else [],
            rows=[[*row, *(["…"] if more else [])] for row in table.rows],
            title=f"Scores of {plural(len(self.runs), 'run')} by "
            f"{plural(len(self.labels), 'measure')} on {plural(len(self.topic_ids), 'topic')}",
            warnings=self.all_warnings(),
            longest=LONGEST_NAME,
        )

    def _repr_html_(self) -> str:
        return as_html(self)


def mean_of(values: Floats) -> float | None:
    """Return the mean of the defined values, None if there are none; order does not matter.

    >>> mean_of(np.array([0.5, np.nan, 0.25]))
    0.375
    """
    defined = values[~np.isnan(values)]
    return math.fsum(defined.tolist()) / len(defined) if len(defined) else None


def mean_curve(curve: Curve, counted: Bools) -> list[float | None]:
    """Return the mean of a curve over topics, point by point."""
    return [mean_of(curve.y[counted, point]) for point in range(len(curve.x))]


def _as_list(value: object, default: Iterable[object]) -> list[object]:
    """Return a list of what was given; a single name or measure is a list of one."""
    if value is None:
        return list(default)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return list(value)
    return [value]


def _same(first: npt.NDArray[Any] | None, second: npt.NDArray[Any] | None) -> bool:
    """Return whether two arrays are equal; nan equals nan."""
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second, equal_nan=True)


# Names of runs


def distinct_names(runs: Sequence[tuple[str, str | None]]) -> list[str]:
    """Return a distinct name for each run, given its id and its file (None if it has no file).

    The id of a run is its name, unless several runs have that id. These get the stems of their
    files added; if the stems are the same, as much of their paths as it takes; and runs without a
    file, or from the same file, get a number.

    >>> distinct_names([("mine", "a.run"), ("mine", "b.run"), ("other", "c.run")])
    ['mine (a)', 'mine (b)', 'other']
    >>> distinct_names([("mine", "old/a.run"), ("mine", "new/a.run"), ("mine", None)])
    ['mine (old/a.run)', 'mine (new/a.run)', 'mine']
    >>> distinct_names([("mine", None), ("mine", None), ("mine #2", None)])
    ['mine', 'mine #3', 'mine #2']
    """
    ids = Counter(run for run, _ in runs)
    files: dict[str, list[str]] = {}
    for run, file in runs:
        if file is not None:
            files.setdefault(run, []).append(file)
    short_names = {run: _short_names(paths) for run, paths in files.items() if ids[run] > 1}
    # Ids that only one run has are taken first, so that they do not depend on the other names.
    taken = {run for run, count in ids.items() if count == 1}
    names = []
    for run, file in runs:
        if ids[run] > 1:
            name = run if file is None else f"{run} ({short_names[run][file]})"
            names.append(_unused(name, taken))
        else:
            names.append(run)
    return names


def with_unique_names(runs: Sequence[RunScores]) -> tuple[RunScores, ...]:
    """Return the scores of runs under distinct names.

    >>> values, counted = np.zeros((1, 1)), np.array([True])
    >>> [scores.run for scores in with_unique_names([RunScores("mine", values, counted)] * 2)]
    ['mine', 'mine #2']
    """
    names = distinct_names([(scores.run, scores.file) for scores in runs])
    return tuple(
        scores if scores.run == name else replace(scores, run=name)
        for scores, name in zip(runs, names, strict=True)
    )


def _short_names(files: Sequence[str]) -> dict[str, str]:
    """Return the shortest distinct names of files, all of them shortened in the same way.

    Stems are tried first, then the last part of each path, the last two parts, and so on.
    """
    paths = {file: PurePath(file) for file in files}
    candidates = [{file: path.stem for file, path in paths.items()}]
    for count in range(1, max(len(path.parts) for path in paths.values()) + 1):
        ends = {file: str(PurePath(*path.parts[-count:])) for file, path in paths.items()}
        candidates.append(ends)
    distinct = (names for names in candidates if len(set(names.values())) == len(paths))
    return next(distinct, {file: file for file in paths})


def _unused(name: str, taken: set[str]) -> str:
    """Return the name, with a number if it is taken, and add it to the taken names."""
    unused, number = name, 1
    while unused in taken:
        number += 1
        unused = f"{name} #{number}"
    taken.add(unused)
    return unused
