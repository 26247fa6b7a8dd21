"""Chunkings compared: each is searched for the same questions and scored, with its oracle."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from doxeval.chunks.chunking import split_by, usual_chunkings
from doxeval.chunks.chunks import Chunks
from doxeval.chunks.dataset import NO_GOLD, Dataset, refuse_without_gold
from doxeval.chunks.documents import documents, warnings_about
from doxeval.chunks.evaluate import (
    evaluation_on,
    listed_measures,
    reading_measures,
    short_labels,
    unanswerable_tables,
    usual_of_answers,
)
from doxeval.chunks.limits import ChunkingLimits, limits_of
from doxeval.chunks.oracle import Oracle
from doxeval.chunks.search import ChunkSearch, K, as_search
from doxeval.chunks.transforms import threshold
from doxeval.comparison import Comparison
from doxeval.comparison import compare as compare_runs
from doxeval.errors import InputError, UnknownName, warn
from doxeval.evaluation import Keep
from doxeval.measures import as_measure
from doxeval.messages import Message, Parameter, plural, quoted, suggestion, terminal_width, wrapped
from doxeval.named import checked
from doxeval.progress import progress_bar
from doxeval.reports import Loss, losses
from doxeval.runs import Run
from doxeval.scores import ScoreTable, TextTable, best_cells, format_score, mean_of, warning_lines

if TYPE_CHECKING:
    from doxeval.reports import Report
    from doxeval.scores import RunView

_READ = "read@5"
_REFERENCE = 1000  # the budget that chunkings are compared at, if there is that much
_BY_RANK = ("cR", "cP", "IoU", "hit", "all", "sR", "RR", "Red")


@checked
def compare(
    docs: Any,
    gold: Any,
    chunkings: Any = None,
    search: Any = "bm25",
    budget: int = 4000,
    unit: str = "words",
    *,
    k: int = K,
    measures: Iterable[Any] = (),
    tokens: Any = None,
    reference: Any = None,
    max_missing: int | str = 0,
    min_score: float | None = None,
    progress: bool | None = None,
) -> Study:
    """Compare chunkings of documents by what a search finds in them.

    `chunkings` are chunkings by name ({"small": "words:100:0", "mine": my_split}), or a list of
    built-in ones; see `split`. Chunks that were located before, and files of them, will do too.
    Without any, usual ones are compared. `search` is
    "bm25" or another model, `dense(embed)` or `hybrid(…)`. Scores are recall at an eighth, a
    quarter, a half and all of the `budget` in `unit`, U, and those of the preset rag by rank;
    `measures` adds others, and read@k with those of k results. The `reference` is the measure by
    which chunkings are called best, tested, and held against the oracle, here, in the terminal and
    in the report: bR@1000, or recall at the whole budget if that is smaller, unless another is
    given. `max_missing` says how much of the gold may be missing, as `questions` does.

    Questions without an answer have measures and a table of their own: none@5, and vain at the
    budget. Results with a score below `min_score` are not returned.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "One two three. Four five. Six.", "b": "Seven. Eight."})
    >>> need = {"spans": [{"doc": "a", "quote": "Four five."}]}
    >>> gold = chunks.questions([{"id": "1", "question": "Who is four?", "needs": [need]}], docs)
    >>> chunkings = {"sent": "sentences:1:0", "all": "paragraphs"}
    >>> study = chunks.compare(docs, gold, chunkings, budget=16, reference="bR@4")
    >>> study["sent"]["bR@4"], study["all"]["bR@4"], study.loss("sent").chunking
    (1.0, 0.0, 0.0)
    """
    if budget < 1:
        raise InputError(f"budget is {budget}: expected 1 or more")
    dataset = _dataset(docs, gold, unit, tokens, max_missing)
    named, searching = _named_chunkings(dataset, chunkings), as_search(search)
    usual = _usual_measures(budget)
    if reference is None:
        reference = f"bR@{min(budget, _REFERENCE)}"
    added = _added_measures(usual, [*listed_measures(measures), _share_measure(reference)])
    scored = dict.fromkeys([*usual, *usual_of_answers(dataset.assessments, budget), *added])
    # What is lost of recall at budgets and of the reference does not include white space.
    keep = Keep(without_whitespace=["bR", type(as_measure(reference)).name])
    evaluation = evaluation_on(dataset, dict.fromkeys([*scored, _READ]), keep=keep)
    studied: dict[str, _Studied] = {}
    with progress_bar("Comparing chunkings", 100, progress) as percent:
        done = _steps(3 * len(named) + 2, percent)
        question = 1 / max(len(dataset.questions), 1)  # of a search
        for name, by in named.items():
            chunks = _chunks(dataset, name, by)
            done(1)
            run = searching.run(dataset, chunks, k, lambda more: done(more * question))
            run = run.with_id(name)
            run = run if min_score is None else threshold(run, min_score)
            oracle, sizes = Oracle(chunks.table, evaluation.truth), dataset.sizes(chunks)
            limits = limits_of(dataset, oracle, sizes)
            studied[name] = _Studied(chunks, run, oracle.run(sizes, name), limits)
            done(1)
        runs = {name: of_chunking.run for name, of_chunking in studied.items()}
        oracles = {name: of_chunking.oracle for name, of_chunking in studied.items()}
        scores = short_labels(evaluation.score_all(runs), unit)
        done(1)
        best = short_labels(evaluation.score_all(oracles), unit)
        done(1)
    read = scores.index_of_measure(_READ)
    units_read = {
        name: float("nan") if (mean := mean_of(values)) is None else mean
        for name, values in zip(runs, (run.values[read] for run in scores.runs), strict=True)
    }
    kept = [label for label in scores.labels if label != _READ or _READ in map(_label, scored)]
    headline = scores.labels[scores.index_of_measure(reference)]
    of_budgets = dict.fromkeys(
        [*(label for label in scores.labels if label.startswith("bR@")), headline]
    )
    lost = losses(scores.only(measures=of_budgets), best.only(measures=of_budgets))
    warnings = [
        *warnings_about(dataset.docs, docs),
        *_budget_warnings(dataset, headline),
        *_warnings(scores, studied),
    ]
    warnings = list(dict.fromkeys(warnings))
    warn(warnings)
    return Study(
        replace(scores.only(measures=kept), reference=headline),
        replace(best.only(measures=kept), reference=headline),
        {name: of_chunking.chunks for name, of_chunking in studied.items()},
        runs,
        {name: of_chunking.limits for name, of_chunking in studied.items()},
        units_read,
        headline,
        unit,
        budget,
        searching.name,
        dataset,
        tuple(scored),
        tuple(warnings),
        tuple(map(_label, added)),
        lost,
    )


def _steps(count: int, percent: Callable[[int], object]) -> Callable[[float], None]:
    """Return what takes steps that are done, and parts of steps, and passes on whole percents.

    >>> done = _steps(3, print)
    >>> done(0.01), done(0.5), done(2)
    17
    66
    (None, None, None)
    """
    before = shown = 0.0

    def done(steps: float) -> None:
        nonlocal before, shown
        before += steps
        now = math.floor(100 * before / count + 1e-6)
        if now > shown:
            percent(int(now - shown))
            shown = now

    return done


def _dataset(docs: Any, gold: Any, unit: str, tokens: Any, max_missing: int | str) -> Dataset:
    """Return documents and gold; without any gold, there is nothing to compare."""
    dataset = Dataset(documents(docs), gold, unit, tokens, max_missing)
    refuse_without_gold(dataset.assessments)
    return dataset


def _named_chunkings(dataset: Dataset, chunkings: Any) -> dict[str, Any]:
    if chunkings is None:
        chunkings = usual_chunkings(dataset.boundaries)
    if isinstance(chunkings, Mapping):
        named = {str(name): by for name, by in chunkings.items()}
    elif isinstance(chunkings, str) or not isinstance(chunkings, Sequence):
        named = {_name_of(chunkings): chunkings}
    else:
        named = {_name_of(by): by for by in chunkings}
    if not named:
        raise InputError("no chunkings to compare")
    return named


def _name_of(by: Any) -> str:
    if isinstance(by, str):
        return by
    return getattr(by, "__name__", None) or type(by).__name__


class _Studied(NamedTuple):
    """A chunking: its chunks, what a search returns, the oracle's run, and what it allows."""

    chunks: Chunks
    run: Run
    oracle: Run
    limits: ChunkingLimits


def _chunks(dataset: Dataset, name: str, by: Any) -> Chunks:
    chunks = split_by(dataset.boundaries, by)
    if not len(chunks):
        raise InputError(f"chunking {quoted(name)} gives no chunks")
    unknown = [document for document in chunks.documents if document not in ("", *dataset.docs)]
    if unknown:
        raise InputError(
            f"chunking {quoted(name)} has chunks of {quoted(unknown[0])}, no document here"
        )
    return chunks


def _usual_measures(budget: int) -> list[str]:
    """Return the measures of every study."""
    budgets = {max(budget // part, 1) for part in (8, 4, 2, 1)} | {min(budget, _REFERENCE)}
    names = [f"bR@{words}" for words in sorted(budgets)]
    return [*names, f"U@{budget}", "all@5", "sR@5", "RR@10", "cR@5", "cP@5", "Red@5"]


def _share_measure(measure: Any) -> Any:
    """Return the measure; one that is no share of anything cannot be lost by anything."""
    if not as_measure(measure).is_share:
        raise InputError(f"reference is {_label(measure)}: expected a measure from 0 to 1")
    return measure


def _label(measure: Any) -> str:
    return measure if isinstance(measure, str) else as_measure(measure).label


def _added_measures(usual: Sequence[str], given: Iterable[Any]) -> list[Any]:
    """Return the measures that a user adds, with what is read for those of k results."""
    added = {_label(measure): measure for measure in given if _label(measure) not in usual}
    return [*added.values(), *reading_measures(added.values(), [_READ])]


def _budget_warnings(dataset: Dataset, headline: str) -> list[str]:
    """Return whether the budget of the reference measure is more than all documents together."""
    size, budget = dataset.size, getattr(as_measure(headline), "B", None)
    if size is None or budget is None or size > budget:
        return []
    return [
        f"the documents have {size:,} {dataset.unit} in all, and {headline} reads {budget:,}: a "
        "smaller " + Parameter("budget") + " tells chunkings apart"
    ]


def _warnings(scores: ScoreTable, studied: Mapping[str, _Studied]) -> list[str]:
    warnings = list(scores.warnings)
    for scored, (name, (chunks, _, _, limits)) in zip(scores.runs, studied.items(), strict=True):
        about = [*chunks.warnings, *scored.warnings, *limits.warnings]
        if len(chunks.missing):
            about.append(f"{plural(len(chunks.missing), 'chunk')} not found in the documents")
        warnings += [Message(f"{name}: ", warning) for warning in about]
    return warnings


@checked
def grid(
    docs: Any,
    gold: Any,
    chunkings: Any,
    searches: Any = "bm25",
    k: Iterable[int] = (5, 10, 20),
    *,
    measures: Iterable[str] = _BY_RANK,
    budgets: Iterable[int] = (),
    unit: str = "words",
    tokens: Any = None,
    max_missing: int | str = 0,
    progress: bool | None = None,
) -> Any:
    """Score every chunking with every search at every k: a long frame of pandas.

    It has a row for each score, and the columns chunking, search, k, measure, topic and value.
    `searches` are searches by name: names of models, `dense(embed)`, `hybrid(…)`, or functions that
    embed texts. `measures` are names without their cut-off, which k gives. `budgets` adds bR at
    these budgets, for which k is missing. `max_missing` says how much of the gold may be missing,
    as `questions` does.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "One two three. Four five."})
    >>> need = {"spans": [{"doc": "a", "quote": "Four five."}]}
    >>> gold = chunks.questions([{"id": "1", "question": "Who is four?", "needs": [need]}], docs)
    >>> frame = chunks.grid(docs, gold, {"sent": "sentences:1:0"}, k=[1], measures=["cR", "cP"])
    >>> frame.to_dict("records")[0] == dict(
    ...     chunking="sent", search="bm25", k=1, measure="cR@1", topic="1", value=1.0)
    True
    """
    from doxeval.runs import optional_module

    pandas = optional_module("pandas")
    dataset = _dataset(docs, gold, unit, tokens, max_missing)
    named, by_name = _named_chunkings(dataset, chunkings), _named_searches(searches)
    depths = sorted(set([k] if isinstance(k, int) else k))
    at: dict[str, int | None] = {f"{name}@{k}": k for k in depths for name in measures}
    at |= {f"bR@{budget}": None for budget in budgets}
    evaluation = evaluation_on(dataset, at)
    rows: list[tuple[Any, ...]] = []
    warnings = [*warnings_about(dataset.docs, docs), *evaluation.warnings]
    with progress_bar("Grid", len(named) * len(by_name), progress) as done:
        for chunking, by in named.items():
            chunks = _chunks(dataset, chunking, by)
            warnings += [Message(f"{chunking}: ", warning) for warning in chunks.warnings]
            for name, search in by_name.items():
                run = search.run(dataset, chunks, K if budgets else max(depths, default=K))
                table = short_labels(evaluation.score_all([run]), unit)
                about = table.runs[0].warnings
                warnings += [Message(f"{chunking}, {name}: ", warning) for warning in about]
                rows += [
                    (chunking, name, at.get(label), label, topic, float(value))
                    for label, values in zip(table.labels, table.runs[0].values, strict=True)
                    for topic, value in zip(table.topic_ids, np.asarray(values), strict=True)
                ]
                done(1)
    warn(warnings)
    return pandas.DataFrame(rows, columns=["chunking", "search", "k", "measure", "topic", "value"])


def _named_searches(given: Any) -> dict[str, ChunkSearch]:
    if isinstance(given, Mapping):
        return {str(name): as_search(search) for name, search in given.items()}
    several: Sequence[Any] = given if isinstance(given, list | tuple) else [given]
    return {search.name: search for search in map(as_search, several)}


@dataclass(frozen=True, repr=False, eq=False)
class Study(Mapping[str, "RunView"]):
    """Chunkings compared: the scores of each by name, and all that belongs to them.

    scores: of the runs. oracle: of the greedy oracle over the same chunks. limits: what each
    chunking allows. chunks, runs: of each chunking. units_read: the mean units of the first five
    results. headline: the reference measure, by which chunkings are called best, tested and held
    against the oracle, here and in the report. added: the measures that the user requested besides
    the usual ones. losses: what runs lose by chunking and by retrieval, white space aside.
    """

    scores: ScoreTable
    oracle: ScoreTable
    chunks: Mapping[str, Chunks]
    runs: Mapping[str, Run]
    limits: Mapping[str, ChunkingLimits]
    units_read: Mapping[str, float]
    headline: str
    unit: str
    budget: int
    search: str
    dataset: Dataset
    measures: tuple[Any, ...] = ()
    warnings: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    losses: tuple[Loss, ...] = ()

    def __getitem__(self, chunking: str) -> RunView:
        if chunking not in self.chunks:
            hint = suggestion(chunking, self.chunks)
            raise UnknownName(f"no chunking {quoted(chunking)} in the study{hint}")
        return self.scores[chunking]

    def __iter__(self) -> Iterator[str]:
        return iter(self.chunks)

    def __len__(self) -> int:
        return len(self.chunks)

    def compare(self, measure: object = None, **options: Any) -> Comparison | None:
        """Return the tests of all pairs by a measure; None if there is only one chunking."""
        if len(self) < 2 or len(self.scores.topic_ids) < 2:
            return None
        comparison = compare_runs(self.scores, measure or self.headline, **options)
        warn(comparison.notes)
        return comparison

    def loss(self, chunking: str, measure: str | None = None) -> Loss:
        """Return what a chunking loses of a measure, white space aside; nan if not defined."""
        name = measure or self.headline
        for loss in self.losses:
            if (loss.run, loss.measure) == (chunking, name):
                return loss
        return Loss(chunking, name, *(float("nan"),) * 3)

    @property
    def best(self) -> str:
        """The chunking with the best mean of the reference measure, of equal ones the first."""
        return self.scores.ranking(self.headline)[0]

    # Ways out

    @property
    def text(self) -> str:
        """The table and what follows from it, in lines; without the warnings."""
        return self._lines(None)

    def as_table(self) -> TextTable:
        """Return the chunkings, best first by the reference measure, and what follows from it.

        The reference measure, what is read and what is lost come first; all else may be left out
        where there is not enough room.
        """
        tested = self._tested()
        letters = "chunkings that share a letter are not significantly different by it"
        title = (
            f"{plural(len(self), 'chunking')} × {self.search}, "
            f"{plural(len(self.scores.topic_ids), 'question')}, budgets in {self.unit}; best first "
            f"by {self.headline}" + (f"; {letters}" if any(tested.values()) else "")
        )
        names = self.scores.ranking(self.headline)
        columns = self._columns(tested)
        best = best_cells([[self[name][self.headline]] for name in names], [True])
        return TextTable(
            ["chunking", *columns],
            [[name, *(cell(name) for cell in columns.values())] for name in names],
            title,
            noun="chunking",
            warnings=self.warnings,
            left=(0, *(at for at, name in enumerate(columns, 1) if name.startswith("letters"))),
            best={(row, 1) for row, _ in best},
            notes=self._conclusions(tested[self.headline]),
        )

    def __repr__(self) -> str:
        width = terminal_width(sys.stdout)
        warnings = [part for line in warning_lines(self.warnings) for part in wrapped(line, width)]
        return "\n".join([self._lines(width), *warnings])

    def _lines(self, width: int | None) -> str:
        """Return the tables, without the warnings."""
        tables = [self.as_table()._replace(warnings=()), *unanswerable_tables(self.scores)]
        return "\n\n".join(table.text(max_rows=None, width=width) for table in tables)

    def _repr_html_(self) -> str:
        """Return what notebooks show."""
        return self.as_table().html()

    def _tested(self) -> dict[str, Comparison | None]:
        """Return the comparisons by the measures that have letters."""
        return {name: self.compare(name) for name in (self.headline, f"U@{self.budget}")}

    def _columns(self, tested: Mapping[str, Comparison | None]) -> dict[str, Callable[[str], str]]:
        """Return what is shown of a chunking, by the titles of columns, the important ones first.

        Letters without measures are those of the reference measure.
        """
        facts = self.scores.measures
        labels = [each.label for each in facts if each.about == "answerable"]
        # Those of budgets, whether everything is there, and what the user added.
        usual = ("bR@", "U@", "all@", "cR@")
        shown = [name for name in labels if name.startswith(usual)] or labels[:6]
        first = [self.headline, *(name for name in self.added if name in labels)]
        columns: dict[str, Callable[[str], str]] = {}
        for name in dict.fromkeys([*first, *shown]):
            if name == self.headline:
                columns |= self._score(name) | self._letters(name, tested, "letters")
                columns[f"{self.unit}@5"] = lambda chunking: f"{self.units_read[chunking]:,.0f}"
                columns["lost by chunking"] = lambda name: format_score(
                    self.loss(name).chunking, ".3f"
                )
                columns["by retrieval"] = lambda name: format_score(
                    self.loss(name).retrieval, ".3f"
                )
            else:
                columns |= self._score(name) | self._letters(name, tested, f"letters {name}")
        columns["chunks"] = lambda name: f"{self.limits[name].chunks:,}"
        columns[f"{self.unit} p50"] = lambda name: f"{self.limits[name].sizes[1]:,.0f}"
        columns["intact"] = lambda name: format_score(self.limits[name].intact, ".3f")
        columns[f"oracle {self.headline}"] = lambda name: format_score(
            self.oracle[name][self.headline], ".3f"
        )
        return columns

    def _score(self, name: str) -> dict[str, Callable[[str], str]]:
        """Return the column of a measure."""
        if _is_reading(name):
            title = f"{self.unit}{name.removeprefix('read')}"
            return {title: lambda chunking: f"{self[chunking][name] or 0:,.0f}"}
        return {name: lambda chunking: format_score(self[chunking][name], ".3f")}

    def _letters(
        self, name: str, tested: Mapping[str, Comparison | None], title: str
    ) -> dict[str, Callable[[str], str]]:
        """Return the column of letters, if chunkings were tested by this measure."""
        comparison = tested.get(name)
        if comparison is None:
            return {}
        return {title: lambda chunking: _letters(comparison, chunking)}

    def _conclusions(self, comparison: Comparison | None) -> list[str]:
        best, name = self.best, self.headline
        if self[best][name] is None:
            return [f"{name} is {NO_GOLD}"]
        loss = self.loss(best)
        pairs = () if comparison is None else comparison.pairs
        beaten = sum(pair.significant and pair.better == best for pair in pairs)
        return [
            f"best: {best} by {name} ({format_score(self[best][name], '.3f')}), "
            f"{_better_than(beaten, len(self) - 1)}"
            if len(self) > 1
            else f"{name} of {best}: {format_score(self[best][name], '.3f')}",
            f"of the missing {1 - loss.shown:.3f}, {loss.chunking:.3f} is lost by chunking and "
            f"{loss.retrieval:.3f} by retrieval, white space aside; oracle (greedy)",
        ]

    def to_pandas(self) -> Any:
        """Return a data frame with a row for each chunking: scores, oracle, loss and limits."""
        from doxeval.runs import optional_module

        return optional_module("pandas").DataFrame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """Return what is known about each chunking, as plain values."""
        comparison = self.compare()
        return [
            {
                "chunking": chunking,
                **{str(name): value for name, value in self[chunking].items()},
                **{f"oracle {name}": value for name, value in self.oracle[chunking].items()},
                "units read @5": self.units_read[chunking],
                "lost by chunking": self.loss(chunking).chunking,
                "lost by retrieval": self.loss(chunking).retrieval,
                "letters": _letters(comparison, chunking),
                **self.limits[chunking].to_dict(),
            }
            for chunking in self
        ]

    def report(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Report:
        """Write a page about the runs of all chunkings: scores, tests, recall by budget, documents.

        Options are those of `doxeval.report`.
        """
        from doxeval.reports import report
        from doxeval.topics import Topic

        keep = Keep(curves=True, results=True)
        evaluation = evaluation_on(self.dataset, self.measures, keep=keep)
        table = short_labels(evaluation.score_all(self.runs), self.unit)
        table = replace(table, reference=self.headline)
        titles = self.dataset.questions.items()
        settings: dict[str, Any] = {
            "title": "Chunkings compared",
            "topics": [Topic(name, title=text) for name, text in titles if text],
            "truth": evaluation.truth,
            "chunks": {name: chunks.table for name, chunks in self.chunks.items()},
            "losses": self.losses,
        }
        made = report(table, path, **{**settings, **options})
        warn(made.warnings)
        return made


def _better_than(beaten: int, others: int) -> str:
    """Return in words how many of the others the best is significantly better than."""
    if not beaten:
        return f"not shown to be better than {'any other' if others > 1 else 'the other'}"
    if beaten == others:
        return f"significantly better than {'all others' if others > 1 else 'the other'}"
    return f"significantly better than {beaten:,} of {others:,} others"


def _is_reading(name: str) -> bool:
    """Return whether a measure says how much is read, in units."""
    return name.startswith("read@")


def _letters(comparison: Comparison | None, chunking: str) -> str:
    """Return the letters of a chunking; those that share one are not significantly different."""
    return "" if comparison is None else comparison.letters.get(chunking, "")
