"""Chunkings compared: each is searched for the same questions and scored, with its oracle."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from doxeval.chunks.chunking import ChunkingSize, size_of, split_by, usual_chunkings
from doxeval.chunks.chunks import Chunks
from doxeval.chunks.dataset import NO_GOLD, Dataset, refuse_without_gold
from doxeval.chunks.documents import documents, warnings_about
from doxeval.chunks.evaluate import (
    REFERENCE,
    budget_measures,
    depth_of,
    evaluation_on,
    listed_measures,
    reading_measures,
    short_labels,
    unanswerable_tables,
    usual_of_answers,
)
from doxeval.chunks.findings import (
    Cheaper,
    Costs,
    GroupMeans,
    cheaper_choice,
    group_means,
    metric_names,
    questions_by_tag,
    questions_by_type,
)
from doxeval.chunks.limits import ChunkingLimits, limits_of
from doxeval.chunks.oracle import Oracle
from doxeval.chunks.search import ChunkSearch, K, Timing, as_search
from doxeval.chunks.transforms import first_results, threshold
from doxeval.comparison import Comparison
from doxeval.comparison import compare as compare_runs
from doxeval.errors import InputError, UnknownName, warn
from doxeval.evaluation import Keep
from doxeval.measures import as_measure
from doxeval.messages import Message, Parameter, plural, quoted, suggestion, terminal_width, wrapped
from doxeval.named import checked
from doxeval.progress import progress_bar
from doxeval.reports import Loss, SizedRun, losses
from doxeval.runs import Run
from doxeval.scores import ScoreTable, TextTable, best_cells, format_score, mean_of, warning_lines

if TYPE_CHECKING:
    from doxeval.reports import Report
    from doxeval.scores import RunView

_LONG = ["chunking", "search", "k", "measure", "topic", "value"]
_READ = "read@5"
# What choices cost, shown on request.
Column = Literal["latency", "index", "read"]


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
    columns: Iterable[Column] = (),
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
    "bm25" or another model, `dense(embed)` or `hybrid(…)`, and returns `k` results. Scores are
    recall at an eighth, a quarter, a half and all of the `budget` in `unit`, U, and those of the
    preset rag by rank; `measures` adds others, and read@k with those of k results. The `reference`
    is the measure by which chunkings are called best, tested, and held against the oracle, here, in
    the terminal and in the report: bR@1000, or recall at the whole budget if that is smaller,
    unless another is given. `max_missing` says how much of the gold may be missing, as `questions`
    does.

    `columns` adds to the table what choices cost: "latency" (the median and the 95th percentile of
    the milliseconds that a question takes), "index" (the seconds to make chunks ready to be
    searched, and how many units they have), "read" (the units that the reference measure reads).

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
    searching = as_search(search)
    settings = _StudyOptions(
        budget, unit, tokens, measures, columns, reference, max_missing, min_score
    )
    study = _studied(docs, gold, chunkings, {searching.name: searching}, [k], settings, progress)
    warn(study.warnings)
    return study


@checked
def grid(
    docs: Any,
    gold: Any,
    chunkings: Any = None,
    search: Any = "bm25",
    budget: int = 4000,
    unit: str = "words",
    *,
    k: int | Iterable[int] = K,
    measures: Iterable[Any] = (),
    columns: Iterable[Column] = (),
    tokens: Any = None,
    reference: Any = None,
    max_missing: int | str = 0,
    min_score: float | None = None,
    progress: bool | None = None,
) -> Study:
    """Compare every chunking with every search, and every number `k` of results.

    It is `compare` with several searches: `search` is one, a list, or searches by name
    ({"words": "bm25", "vectors": dense(embed)}); `k` is how many results they return, or several
    such numbers. The rows of the study are called CHUNKING/SEARCH@K, without what is the same for
    all. `study.to_pandas(long=True)` has a row for each score of each question.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "One two three. Four five."})
    >>> need = {"spans": [{"doc": "a", "quote": "Four five."}]}
    >>> gold = chunks.questions([{"id": "1", "question": "Who is four?", "needs": [need]}], docs)
    >>> study = chunks.grid(docs, gold, "sentences:1:0", ["bm25", "lm"], budget=8, k=[1, 2])
    >>> list(study)[:2], study["sentences:1:0/lm@2"]["bR@8"]
    (['sentences:1:0/bm25@1', 'sentences:1:0/bm25@2'], 1.0)
    """
    searches, depths = _named_searches(search), sorted(set([k] if isinstance(k, int) else k))
    settings = _StudyOptions(
        budget, unit, tokens, measures, columns, reference, max_missing, min_score
    )
    study = _studied(docs, gold, chunkings, searches, depths, settings, progress)
    warn(study.warnings)
    return study


class Choice(NamedTuple):
    """What a row of a study is: a chunking, how it was given, the search in it, and its results.

    by: the name of a built-in chunking, empty for others. k: how many results are returned. size:
    the size and overlap of the chunking, if it has a size.

    >>> Choice("small", "words:100:0", "bm25", 100).in_words
    'small with bm25'
    """

    chunking: str
    by: str
    search: str
    k: int
    size: ChunkingSize | None = None

    @property
    def in_words(self) -> str:
        """The chunking and the search; and the number of results, if it is not the usual one."""
        return f"{self.chunking} with {self.search}" + (
            "" if self.k == K else f" and {plural(self.k, 'result')}"
        )


class _StudyOptions(NamedTuple):
    """The options that `compare` and `grid` share."""

    budget: int
    unit: str
    tokens: Any
    measures: Iterable[Any]
    columns: Iterable[str]
    reference: Any
    max_missing: int | str
    min_score: float | None


def _studied(
    docs: Any,
    gold: Any,
    chunkings: Any,
    searches: Mapping[str, ChunkSearch],
    depths: Sequence[int],
    settings: _StudyOptions,
    progress: bool | None,
) -> Study:
    """Return the study of all chunkings, searches and numbers of results."""
    budget, unit, tokens, measures, columns, reference, max_missing, min_score = settings
    shown = study_columns(columns)
    for name, least in (("budget", budget), *(("k", k) for k in depths)):
        if least < 1:
            raise InputError(f"{name} is {least}: expected 1 or more")
    if not depths or not searches:
        raise InputError("k has no number" if searches else "no searches to compare")
    dataset = _dataset(docs, gold, unit, tokens, max_missing)
    named = _named_chunkings(dataset, chunkings)
    usual = budget_measures(budget)
    if reference is None:
        reference = f"bR@{min(budget, REFERENCE)}"
    added = _added_measures(usual, [*listed_measures(measures), _share_measure(reference)])
    scored = dict.fromkeys([*usual, *usual_of_answers(dataset.assessments, budget), *added])
    # What is lost of recall at budgets and of the reference does not include white space.
    keep = Keep(without_whitespace=["bR", type(as_measure(reference)).name])
    read = _reading_of(reference, max(depths))
    evaluation = evaluation_on(dataset, dict.fromkeys([*scored, _READ, read]), keep=keep)
    made: dict[str, _Studied] = {}
    with progress_bar("Comparing chunkings", 100, progress) as percent:
        done = _steps((2 + len(searches)) * len(named) + 2, percent)
        question = 1 / max(len(dataset.questions), 1)  # of a search
        for chunking, by in named.items():
            chunks = _chunks(dataset, chunking, by)
            done(1)
            oracle, sizes = Oracle(chunks.table, evaluation.truth), dataset.sizes(chunks)
            limits, best_run = limits_of(dataset, oracle, sizes), oracle.run(sizes, chunking)
            done(1)
            for name, search in searches.items():
                run, timing = search.timed(
                    dataset, chunks, max(depths), lambda more: done(more * question)
                )
                run = run if min_score is None else threshold(run, min_score)
                for k in depths:
                    named_by = by if isinstance(by, str) else ""
                    choice = Choice(chunking, named_by, name, k, size_of(by))
                    title = _title(choice, len(searches) > 1, len(depths) > 1)
                    top = (run if k == max(depths) else first_results(run, k)).with_id(title)
                    size = int(sizes.sum())
                    made[title] = _Studied(choice, chunks, top, best_run, limits, timing, size)
        runs = {name: row.run for name, row in made.items()}
        oracles = {row.choice.chunking: row.oracle for row in made.values()}
        scores = short_labels(evaluation.score_all(runs), unit)
        done(1)
        best_of = short_labels(evaluation.score_all(oracles), unit)
        done(1)
    best_scores = dict(zip(oracles, best_of.runs, strict=True))
    of_rows = (replace(best_scores[row.choice.chunking], run=name) for name, row in made.items())
    best = replace(best_of, runs=tuple(of_rows))
    units_read = _means(scores, _READ)
    limit = getattr(as_measure(reference), "B", None)
    read_of_reference = _means(scores, read, float("inf") if limit is None else limit)
    kept = [label for label in scores.labels if label not in {_READ, read} - {*map(_label, scored)}]
    headline = scores.labels[scores.index_of_measure(reference)]
    of_budgets = dict.fromkeys(
        [*(label for label in scores.labels if label.startswith("bR@")), headline]
    )
    lost = losses(scores.only(measures=of_budgets), best.only(measures=of_budgets))
    warnings = [
        *warnings_about(dataset.docs, docs),
        *_budget_warnings(dataset, headline),
        *_warnings(scores, made),
    ]
    return Study(
        replace(scores.only(measures=kept), reference=headline),
        replace(best.only(measures=kept), reference=headline),
        {name: row.chunks for name, row in made.items()},
        runs,
        {name: row.limits for name, row in made.items()},
        units_read,
        headline,
        unit,
        budget,
        ", ".join(searches),
        dataset,
        tuple(scored),
        tuple(dict.fromkeys(warnings)),
        tuple(map(_label, added)),
        lost,
        {name: row.choice for name, row in made.items()},
        {
            name: Costs(read_of_reference[name], row.size, len(row.chunks))
            for name, row in made.items()
        },
        {name: row.timing for name, row in made.items()},
        shown,
    )


def study_columns(columns: Iterable[str]) -> tuple[Column, ...]:
    """Return the columns of costs that were requested, which must be known.

    >>> study_columns(["read", "latency"])
    ('latency', 'read')
    """
    known: tuple[Column, ...] = get_args(Column)
    given = [columns] if isinstance(columns, str) else list(columns)
    for name in given:
        if name not in known:
            hint = suggestion(name, known)
            raise InputError(f"no column {quoted(name)}{hint}: there are {', '.join(known)}")
    return tuple(name for name in known if name in given)


def _title(choice: Choice, with_search: bool, with_k: bool) -> str:
    """Return what a row is called: its chunking, and what is not the same for all rows."""
    search = f"/{choice.search}" if with_search else ""
    return f"{choice.chunking}{search}" + (f"@{choice.k}" if with_k else "")


def _reading_of(reference: Any, deepest: int) -> str:
    """Return the measure of what is read, at most, for the reference measure."""
    return f"read@{min(depth_of(reference) or deepest, deepest)}"


def _means(scores: ScoreTable, measure: str, limit: float = float("inf")) -> dict[str, float]:
    """Return the mean of a measure by row, no question counting more than the limit."""
    at = scores.index_of_measure(measure)
    means = {run.run: mean_of(np.minimum(run.values[at], limit)) for run in scores.runs}
    return {name: float("nan") if mean is None else mean for name, mean in means.items()}


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
    """A row of a study: its chunks, what a search returns, the oracle's run, and the rest."""

    choice: Choice
    chunks: Chunks
    run: Run
    oracle: Run
    limits: ChunkingLimits
    timing: Timing
    size: int


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


def _warnings(scores: ScoreTable, made: Mapping[str, _Studied]) -> list[str]:
    warnings = list(scores.warnings)
    for scored, (name, row) in zip(scores.runs, made.items(), strict=True):
        warnings += [Message(f"{name}: ", warning) for warning in scored.warnings]
        about = [*row.chunks.warnings, *row.limits.warnings]
        if len(row.chunks.missing):
            about.append(f"{plural(len(row.chunks.missing), 'chunk')} not found in the documents")
        warnings += [Message(f"{row.choice.chunking}: ", warning) for warning in about]
    return warnings


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
    the usual ones. losses: what runs lose by chunking and by retrieval, white space aside. choices:
    the chunking, search and number of results of each row, which of `grid` has more rows than
    chunkings. costs: what each reads and has in its index. timings: how long its search took.
    columns: which of these are shown.
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
    choices: Mapping[str, Choice] = field(default_factory=dict)
    costs: Mapping[str, Costs] = field(default_factory=dict)
    timings: Mapping[str, Timing] = field(default_factory=dict)
    columns: tuple[Column, ...] = ()

    def __getitem__(self, chunking: str) -> RunView:
        if chunking not in self.chunks:
            hint = suggestion(chunking, self.chunks)
            raise UnknownName(f"no {self.noun} {quoted(chunking)} in the study{hint}")
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

    @property
    def noun(self) -> str:
        """What a row is: a chunking, or a choice of chunking, search and number of results."""
        names = {choice.chunking for choice in self.choices.values()}
        return "chunking" if set(self) <= names else "choice"

    @property
    def cheaper(self) -> Cheaper | None:
        """What saves a tenth of a cost or more, and is near the best and not shown to differ."""
        if self[self.best][self.headline] is None:
            return None
        scores = {name: self[name][self.headline] for name in self}
        return cheaper_choice(self.best, scores, self.costs, self.compare())

    @property
    def recommendation(self) -> str:
        """What to choose, in one sentence: the best, and what is cheaper and not shown to differ.

        By the reference measure, whose score must be within a tenth of the best. Cheaper is what
        saves at least a tenth of the units read, of those
        in the index, or of the chunks, and has not notably more of those named before.
        """
        best, cheaper = self.best, self.cheaper
        score = self[best][self.headline]
        if score is None:
            return f"{self.headline} is {NO_GOLD}"
        reached = f"{self._in_words(best)}: {self._reached(score)}"
        if len(self) < 2:
            return reached
        if cheaper is None:
            comparison = self.compare()
            pairs = () if comparison is None else comparison.pairs
            beaten = sum(pair.significant and pair.better == best for pair in pairs)
            if beaten == len(self) - 1:
                return f"{reached}; every other {self.noun} is shown to be worse"
            return f"{reached}; no {self.noun} that does about as well costs notably less"
        other = self[cheaper.choice][self.headline]
        what = {
            "read": f"reads {cheaper.saved:.0%} less",
            "indexed": f"has {cheaper.saved:.0%} fewer {self.unit} in its index",
            "chunks": f"has {cheaper.saved:.0%} fewer chunks",
        }[cheaper.cost]
        return (
            f"{reached}; {self._in_words(cheaper.choice)} ({format_score(other, '.3f')}) is not "
            f"shown to differ and {what}"
        )

    def _in_words(self, name: str) -> str:
        return self.choices[name].in_words if name in self.choices else name

    def _reached(self, score: float) -> str:
        """Return what a score of the reference measure says."""
        budget = getattr(as_measure(self.headline), "B", None)
        if self.headline.startswith("bR@") and budget is not None:
            shown = format_score(score, ".3f")
            return f"{shown} of what is needed in the first {budget:,} {self.unit}"
        return f"{self.headline} {format_score(score, '.3f')}"

    # By group of questions

    def by_tag(self, measure: object = None) -> GroupMeans:
        """Return the means of a measure by tag, with counts and intervals; see `GroupMeans`."""
        return self._by("tag", questions_by_tag(self.dataset.gold), measure)

    def by_type(self, measure: object = None) -> GroupMeans:
        """Return the same by the type of the documents in which gold stands.

        That is the `type` of the documents, or else the suffix of their files. A question with gold
        in documents of several types counts for each.
        """
        groups = questions_by_type(self.dataset.assessments, self.dataset.docs)
        return self._by("type", groups, measure)

    def _by(self, by: str, groups: Mapping[str, Sequence[str]], measure: object) -> GroupMeans:
        return group_means(self.scores, measure or self.headline, groups, by, self.noun)

    # Ways out

    def metrics(self) -> dict[str, float]:
        """Return all scores and costs as a flat dict for a tracker of experiments.

        Names such as `bR_1000/words-200-50` have only characters that MLflow and Weights & Biases
        both allow. What is not defined is left out.
        """
        values = {
            name: {
                **{str(label): value for label, value in self[name].items()},
                "lost_by_chunking": self.loss(name).chunking,
                "lost_by_retrieval": self.loss(name).retrieval,
                "chunks": len(self.chunks[name]),
                f"{self.unit}_read": self.costs[name].read,
                f"{self.unit}_in_index": self.costs[name].indexed,
            }
            for name in self
        }
        names = metric_names(list(dict.fromkeys(chain.from_iterable(values.values()))), list(self))
        return {
            names[label, name]: float(value)
            for name, of_choice in values.items()
            for label, value in of_choice.items()
            if value is not None and math.isfinite(value)
        }

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
        letters = f"{self.noun}s that share a letter are not significantly different by it"
        title = (
            f"{self._compared()}, "
            f"{plural(len(self.scores.topic_ids), 'question')}, budgets in {self.unit}; best first "
            f"by {self.headline}" + (f"; {letters}" if any(tested.values()) else "")
        )
        names = self.scores.ranking(self.headline)
        columns = self._columns(tested)
        best = best_cells([[self[name][self.headline]] for name in names], [True])
        return TextTable(
            [self.noun, *columns],
            [[name, *(cell(name) for cell in columns.values())] for name in names],
            title,
            noun=self.noun,
            warnings=self.warnings,
            left=(0, *(at for at, name in enumerate(columns, 1) if name.startswith("letters"))),
            best={(row, 1) for row, _ in best},
            notes=self._conclusions(tested[self.headline]),
        )

    def _compared(self) -> str:
        """Return what was compared: how many chunkings, which searches, how many results."""
        chunkings = dict.fromkeys(choice.chunking for choice in self.choices.values())
        depths = dict.fromkeys(choice.k for choice in self.choices.values())
        parts = [plural(len(chunkings) or len(self), "chunking"), self.search]
        if len(depths) > 1:
            parts.append(f"{', '.join(map(str, depths))} results")
        return " × ".join(parts)

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
        columns |= self._requested()
        columns["chunks"] = lambda name: f"{self.limits[name].chunks:,}"
        columns[f"{self.unit} p50"] = lambda name: f"{self.limits[name].sizes[1]:,.0f}"
        columns["intact"] = lambda name: format_score(self.limits[name].intact, ".3f")
        columns[f"oracle {self.headline}"] = lambda name: format_score(
            self.oracle[name][self.headline], ".3f"
        )
        return columns

    def _requested(self) -> dict[str, Callable[[str], str]]:
        """Return the columns of costs that were requested."""
        columns: dict[str, Callable[[str], str]] = {}
        if "latency" in self.columns:
            columns["ms p50"] = lambda name: f"{1000 * self.timings[name].latency(50):,.2f}"
            columns["ms p95"] = lambda name: f"{1000 * self.timings[name].latency(95):,.2f}"
        if "index" in self.columns:
            columns["index s"] = lambda name: f"{self.timings[name].building:,.2f}"
            columns[f"index {self.unit}"] = lambda name: f"{self.costs[name].indexed:,.0f}"
        if "read" in self.columns:
            columns[f"{self.unit} read"] = lambda name: f"{self.costs[name].read:,.0f}"
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
            f"recommended: {self.recommendation}",
        ]

    def to_pandas(self, long: bool = False) -> Any:
        """Return a data frame with a row for each chunking: scores, oracle, loss and limits.

        With `long`, there is a row for each score of each question, and the columns are chunking,
        search, k, measure, topic and value.
        """
        from doxeval.runs import optional_module

        pandas = optional_module("pandas")
        if not long:
            return pandas.DataFrame(self.rows())
        topics = self.scores.topic_ids
        rows = [
            (choice.chunking, choice.search, choice.k, label, topic, float(value))
            for choice, run in zip(self.choices.values(), self.scores.runs, strict=True)
            for label, values in zip(self.scores.labels, run.values, strict=True)
            for topic, value in zip(topics, np.asarray(values), strict=True)
        ]
        return pandas.DataFrame(rows, columns=_LONG)

    def rows(self) -> list[dict[str, Any]]:
        """Return what is known about each chunking, as plain values."""
        comparison = self.compare()
        return [
            {
                "chunking": chunking,
                **self._choice_of(chunking),
                **{str(name): value for name, value in self[chunking].items()},
                **{f"oracle {name}": value for name, value in self.oracle[chunking].items()},
                "units read @5": self.units_read[chunking],
                "lost by chunking": self.loss(chunking).chunking,
                "lost by retrieval": self.loss(chunking).retrieval,
                "letters": _letters(comparison, chunking),
                **self._costs_of(chunking),
                **self.limits[chunking].to_dict(),
            }
            for chunking in self
        ]

    def _description_of(self, name: str) -> str:
        """Return what the chunks of a row are, in a few words."""
        limits = self.limits[name]
        if not limits.chunks:
            return "no chunks"
        return f"{plural(limits.chunks, 'chunk')} of {limits.sizes[1]:,.0f} {self.unit} (median)"

    def _sizes(self) -> list[SizedRun]:
        """Return the size and overlap of the rows that have some, by what else they are."""
        choices = self.choices.values()
        several_searches = len({choice.search for choice in choices}) > 1
        several_depths = len({choice.k for choice in choices}) > 1
        return [
            SizedRun(
                name,
                _title(choice._replace(chunking=size.method), several_searches, several_depths),
                size.size,
                size.overlap,
            )
            for name, choice in self.choices.items()
            if (size := choice.size) is not None
        ]

    def _choice_of(self, name: str) -> dict[str, Any]:
        """Return what a row is, where it is more than a chunking."""
        choice = self.choices[name]
        if self.noun == "chunking":
            return {}
        return {
            self.noun: name,
            "chunking": choice.chunking,
            "search": choice.search,
            "k": choice.k,
        }

    def _costs_of(self, name: str) -> dict[str, float]:
        """Return the costs that were requested as columns."""
        costs, timing = self.costs[name], self.timings[name]
        known = {
            "latency": {"seconds p50": timing.latency(50), "seconds p95": timing.latency(95)},
            "index": {"index seconds": timing.building, "index units": costs.indexed},
            "read": {"units read": costs.read},
        }
        return {name: value for column in self.columns for name, value in known[column].items()}

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
            "descriptions": {name: self._description_of(name) for name in self},
            "topics": [Topic(name, title=text) for name, text in titles if text],
            "truth": evaluation.truth,
            "chunks": {name: chunks.table for name, chunks in self.chunks.items()},
            "losses": self.losses,
            "sizes": self._sizes(),
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
