"""Fusion: one run made of several, valid for the task that they were made for.

Results of different runs are the same if they are the same part of the same document: an element
by its path, a passage by its offsets; a whole document is its root element. Methods give each
result of each run a share, and a result's score is the sum of its shares. Then the rules of the
task decide, as they do for `doxeval validate --fix`: of two results that overlap, the better one
stays. Scores are normalised over a run's list for one topic.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints, sum_by_group
from doxeval.columns import NO_LABEL, Categorical
from doxeval.documents import Collection, Offsets
from doxeval.errors import InputError, warn
from doxeval.messages import Parameter, join_names, plural, quoted, truncate
from doxeval.named import Named, Noun, checked, parameter, parse
from doxeval.runs import (
    METADATA,
    Kind,
    Order,
    Run,
    RunGiven,
    SpanLists,
    as_run,
    is_one_run,
    made_by_doxeval,
    resolve,
    retrieval_stage,
    unit_kinds,
    unit_numbers,
)
from doxeval.scores import distinct_names
from doxeval.tasks.checks import by_kind, first_rows, problems_of
from doxeval.tasks.repair import repaired
from doxeval.tasks.task import ANY_TASK, Task, task_named

# Methods


class RankedResults(NamedTuple):
    """The results of all runs: which list each is in, its rank and score there, and what it is.

    A list is what one run returned for one topic; what it returns twice counts where it is first.
    number: the same for the same result in several lists. score: None if a run has none.
    """

    list: Ints
    rank: Ints
    score: Floats | None
    number: Ints


@dataclass(frozen=True)
class FusionMethod(Named):
    """A method of fusion: what a result scores, given its ranks and scores in all runs.

    >>> FUSION_METHODS["combsum"](norm="sum")
    combsum(norm=sum)
    """

    title: ClassVar[str]
    needs_scores: ClassVar[bool] = True

    @abstractmethod
    def shares(self, results: RankedResults) -> Floats:
        """Return what each result of each list adds to the score of the result."""

    def scores(self, results: RankedResults) -> Floats:
        """Return the score of each distinct result.

        Shares are added from the smallest to the largest, so that the order of runs does not
        change the last digit.
        """
        shares = self.shares(results)
        order = np.argsort(shares, kind="stable")
        count = int(results.number.max(initial=-1)) + 1
        return np.bincount(results.number[order], shares[order], count).astype(np.float64)


@dataclass(frozen=True)
class ReciprocalRanks(FusionMethod):
    """Reciprocal rank fusion (Cormack, Clarke & Büttcher 2009)."""

    name: ClassVar[str] = "rrf"
    title: ClassVar[str] = "the sum of 1 / (k + rank) over runs"
    needs_scores: ClassVar[bool] = False
    k: int = parameter(60, "how little it matters to be first: the larger, the less")

    def shares(self, results: RankedResults) -> Floats:
        """Return 1 / (k + rank)."""
        return 1 / (self.k + results.rank)


@dataclass(frozen=True)
class SumOfScores(FusionMethod):
    """CombSUM (Fox & Shaw 1993)."""

    name: ClassVar[str] = "combsum"
    title: ClassVar[str] = "the sum of normalised scores over runs"
    norm: str = parameter(
        "min-max",
        "how the scores of a list become comparable: (s − lowest) / (highest − lowest), "
        "(s − lowest) / the sum of these, (s − mean) / standard deviation, or as they are. Where "
        "all scores of a list are the same, they become 0",
        ("min-max", "sum", "z-score", "none"),
    )

    def shares(self, results: RankedResults) -> Floats:
        """Return the normalised scores."""
        score, group = results.score, results.list
        if score is None or self.norm == "none" or not len(score):
            return np.zeros(len(group)) if score is None else score
        lists = int(group.max()) + 1
        low, high = np.full(lists, np.inf), np.full(lists, -np.inf)
        np.minimum.at(low, group, score)
        np.maximum.at(high, group, score)
        with np.errstate(over="ignore", invalid="ignore"):  # `fuse` refuses what is not finite
            if self.norm == "z-score":
                size = np.bincount(group, minlength=lists)
                above = score - (sum_by_group(group, score, lists) / size)[group]
                whole = np.sqrt(sum_by_group(group, above**2, lists) / size)
            else:
                above = score - low[group]
                whole = high - low if self.norm == "min-max" else sum_by_group(group, above, lists)
            whole = np.where(high > low, whole, 0.0)[group]
            return np.where(whole != 0, above / np.where(whole == 0, 1.0, whole), 0.0)


@dataclass(frozen=True)
class SumTimesRuns(SumOfScores):
    """CombMNZ (Fox & Shaw 1993)."""

    name: ClassVar[str] = "combmnz"
    title: ClassVar[str] = "the sum of normalised scores, times the number of runs that return it"

    def scores(self, results: RankedResults) -> Floats:
        """Return the sums, times the number of lists that each result is in."""
        return super().scores(results) * np.bincount(results.number)


FUSION_METHODS: dict[str, type[FusionMethod]] = {
    kind.name: kind for kind in (ReciprocalRanks, SumOfScores, SumTimesRuns)
}
_NOUN = Noun("method of fusion", "NAME or NAME(key=value)", "rrf")


def fusion_method(given: str | FusionMethod) -> FusionMethod:
    """Return a method, given as such or by its name.

    >>> str(fusion_method("rrf")), str(fusion_method("combmnz(norm=sum)"))
    ('rrf(k=60)', 'combmnz(norm=sum)')
    """
    if isinstance(given, FusionMethod):
        return given
    if isinstance(given, str):
        return parse(given, FUSION_METHODS, _NOUN)
    raise InputError(
        f"{quoted(given)} is no method of fusion: expected {', '.join(FUSION_METHODS)}"
    )


# Fusing


@checked
def fuse(
    runs: Iterable[RunGiven] | Mapping[str, RunGiven],
    method: str | FusionMethod = "rrf",
    *,
    task: str | Task | None = None,
    collection: Collection | str | os.PathLike[str] | None = None,
    max_results: int | None = None,
    order: Order = "list",
    offsets: Offsets = "characters",
    run_id: str | None = None,
) -> Run:
    """Return one run made of several: of documents, passages, elements, or any other results.

    method: rrf, combsum or combmnz, with parameters as in "rrf(k=60)" and "combsum(norm=sum)".
    task: whose rules the run obeys; by default the one that the runs name, and if none does, only
    that no result comes twice. With a collection, results overlap if they share text; without one,
    offsets and paths say so. Lists end after `max_results`, or where the task ends them. `order`
    says what ranks the results of the runs: their lists, ranks or scores.

    Of results with the same score, those of more runs come first, then those with a better rank,
    then by document and part, so that the order of the runs does not matter.

    >>> one, other = {"7": {"a": 9.0, "b": 5.0}}, {"7": {"b": 0.3, "c": 0.1}}
    >>> [(result.document, round(result.score, 4)) for result in fuse([one, other])]
    [('b', 0.0325), ('a', 0.0164), ('c', 0.0161)]
    >>> passages = [{"7": [("a", 0, 9), ("b", 0, 9)]}, {"7": [("a", 5, 20)]}]
    >>> [result.document for result in fuse(passages, task="focused")]
    ['a', 'b']
    """
    chosen = fusion_method(method)
    if max_results is not None and max_results < 1:
        raise InputError(Parameter("max_results", max_results) + ": expected 1 or more")
    several = _several(runs)
    names = distinct_names([(run.run_id, run.origin) for run in several])
    rules = _task_of(several, names) if task is None else task
    rules = task_named(rules) if isinstance(rules, str) else rules
    warnings = [
        f"{name}: {text}" for run, name in zip(several, names, strict=True) for text in run.warnings
    ]
    ranked = [_ordered(run, order) for run in several]
    for run, name in zip(ranked, names, strict=True):
        warnings += _warnings_of_run(run, name, chosen)
    warnings += _missing_topics(several, names)
    opened = Collection(collection) if isinstance(collection, str | os.PathLike) else collection
    together, list_of = joined_runs(ranked)
    fused, score = _fused(together, list_of, chosen, opened, offsets)
    if not np.isfinite(score).all():
        raise InputError(f"scores are too large for {chosen}")
    if isinstance(chosen, SumTimesRuns) and (score < 0).any():
        warnings.append(
            f"{chosen}: sums below 0 fall further with every run that returns the result; "
            "norm=min-max and norm=sum have none"
        )
    listed = replace(fused, score=score, rank=None, line=np.arange(1, len(fused) + 1))
    valid, changes = _obeying(listed, rules, opened, offsets, max_results)
    described = f"{chosen} of {join_names(names, 20)}"
    made = replace(
        valid,
        run_id=run_id or chosen.label,
        rank=_positions(valid.topic) + 1,
        facts={
            **({} if rules == ANY_TASK else {"task": rules.name}),
            "description": described,
            "method": str(chosen),
            "runs": names,
            METADATA: made_by_doxeval(
                description=described,
                method={
                    "automatic": True,
                    **({} if rules == ANY_TASK else {"task": rules.name}),
                    "retrieval": [retrieval_stage("fusion", chosen, interpolates=names)],
                },
            ),
        },
        warnings=tuple(dict.fromkeys([*warnings, *changes])),
        origin=None,
    )
    warn(made.warnings)
    return made


def _several(runs: Any) -> list[Run]:
    """Return the runs, under the names that a mapping gives them."""
    if is_one_run(runs):
        raise InputError("one run: fusion takes several, in a list or by name")
    if isinstance(runs, Mapping):
        several = [as_run(run).with_id(str(name)) for name, run in runs.items()]
    else:
        several = [as_run(run) for run in runs]
    if len(several) < 2:
        raise InputError(f"{plural(len(several), 'run')}: fusion takes two or more")
    return several


def _task_of(runs: Sequence[Run], names: Sequence[str]) -> Task:
    """Return the task that the runs name; those that name none may have been made for any."""
    named = {
        task_named(run.facts["task"]).name: name
        for run, name in zip(runs, names, strict=True)
        if run.facts.get("task")
    }
    if len(named) > 1:
        (first, name), (second, other) = list(named.items())[:2]
        raise InputError(
            f"{truncate(name)} is for {first}, {truncate(other)} for {second}: "
            + Parameter("task")
            + " says whose rules hold"
        )
    return task_named(next(iter(named))) if named else ANY_TASK


def _ordered(run: Run, order: Order) -> Run:
    try:
        return run.ordered(order)
    except ValueError as error:
        raise InputError(str(error), run.origin) from None


def _warnings_of_run(run: Run, name: str, method: FusionMethod) -> list[str]:
    """Return what should be known of a run; one without scores that are needed is an error."""
    if not len(run):
        return [f"{name}: no results"]
    if method.needs_scores and run.score is None:
        raise InputError(
            f"{truncate(name)} has no scores, which {method.name} adds; rrf needs only ranks",
            run.origin,
        )
    warnings: list[str] = []
    same = np.diff(run.topic) == 0
    if (
        not method.needs_scores
        and run.score is not None
        and (same & (np.diff(run.score) > 0)).any()
    ):
        warnings.append(
            f"{name}: scores rise in the list, which is the ranking; "
            + Parameter("order", "rsv")
            + " ranks by scores"
        )
    return warnings


def _missing_topics(runs: Sequence[Run], names: Sequence[str]) -> list[str]:
    every = dict.fromkeys(topic for run in runs for topic in run.topics)
    warnings = []
    for run, name in zip(runs, names, strict=True):
        of_run = set(run.topics)
        lacking = [topic for topic in every if topic not in of_run]
        if lacking and of_run:
            noun = "topic" if len(lacking) == 1 else "topics"
            warnings.append(f"{name}: no results for {noun} {join_names(lacking)}")
    return warnings


def joined_runs(runs: Sequence[Run]) -> tuple[Run, Ints]:
    """Return the results of all runs in one, and a number for each result: its run.

    >>> joined, which = joined_runs([Run.from_dict({"7": ["a"]}), Run.from_dict({"7": ["b"]})])
    >>> [result.document for result in joined], which.tolist()
    (['a', 'b'], [0, 1])
    """
    have_scores = all(run.score is not None or not len(run) for run in runs)
    sizes = [len(run) for run in runs]
    joined = Run(
        "joined",
        _joined_labels([run.topic_labels for run in runs]),
        _joined_labels([run.document_labels for run in runs]),
        _joined_labels([run.path_labels for run in runs]),
        np.concatenate([run.kind for run in runs]),
        np.concatenate([run.start for run in runs]),
        np.concatenate([run.end for run in runs]),
        None,
        np.concatenate([run.score for run in runs if run.score is not None] or [np.zeros(0)])
        if have_scores
        else None,
        np.arange(1, sum(sizes) + 1),
        _joined_spans(runs),
        _joined_numbers([run.tokens for run in runs], sizes),
        _joined_numbers([run.added for run in runs], sizes),
    )
    return joined, np.repeat(np.arange(len(runs)), sizes)


def _joined_labels(columns: Sequence[Categorical[Any]]) -> Categorical[Any]:
    number: dict[Any, int] = {}
    numbers = []
    for column in columns:
        new = [number.setdefault(label, len(number)) for label in column.distinct]
        numbers.append(np.array([*new, NO_LABEL], dtype=np.int64)[column.numbers])
    return Categorical.of(tuple(number), np.concatenate(numbers))


def _joined_spans(runs: Sequence[Run]) -> SpanLists | None:
    if all(run.spans is None for run in runs):
        return None
    nothing = np.zeros(0, dtype=np.int64)
    lists = [
        SpanLists(np.zeros(len(run) + 1, dtype=np.int64), nothing, nothing)
        if run.spans is None
        else run.spans
        for run in runs
    ]
    counts = np.concatenate([each.counts for each in lists])
    return SpanLists(
        np.append(0, np.cumsum(counts)),
        np.concatenate([each.start for each in lists]),
        np.concatenate([each.end for each in lists]),
    )


def _joined_numbers(columns: Sequence[Ints | None], sizes: Sequence[int]) -> Ints | None:
    """Return a column of numbers; -1 for results of runs that do not have it."""
    if all(column is None for column in columns):
        return None
    return np.concatenate(
        [
            np.full(size, -1, dtype=np.int64) if column is None else column
            for column, size in zip(columns, sizes, strict=True)
        ]
    )


def _fused(
    run: Run, list_of: Ints, method: FusionMethod, collection: Collection | None, offsets: Offsets
) -> tuple[Run, Floats]:
    """Return the distinct results of joined runs, best first in each topic, and their scores."""
    kind, number, start, end = unit_kinds(run), unit_numbers(run), run.start, run.end
    if collection is not None and (run.path >= 0).any():  # text points are offsets there
        resolved = resolve(run, collection, offsets=offsets)
        is_span = (kind == Kind.PASSAGE) | (kind == Kind.POINT)
        by_points = is_span & (run.path >= 0) & (resolved.start >= 0)
        start = np.where(by_points, resolved.start, start)
        end = np.where(by_points & (kind == Kind.PASSAGE), resolved.end, end)
        number = np.where(by_points, 0, number)
    what = (run.document, kind, number, start, end)
    kept = np.flatnonzero(first_rows(list_of, run.topic, *what) == np.arange(len(run)))
    topic, of_list = run.topic[kept], list_of[kept]
    first = first_rows(topic, *(column[kept] for column in what))
    distinct, numbers = np.unique(first, return_inverse=True)
    _, in_list = np.unique(np.stack([topic, of_list], axis=1), axis=0, return_inverse=True)
    in_list = in_list.reshape(-1)
    rank = _positions(in_list) + 1
    score = None if run.score is None else run.score[kept]
    scores = method.scores(RankedResults(in_list, rank, score, numbers))
    # The best rank of each result, and the row that has it: it says what the result is.
    by_rank = np.lexsort((of_list, rank, numbers))
    best = by_rank[np.searchsorted(numbers[by_rank], np.arange(len(distinct)))]
    rows = kept[best]
    order = np.lexsort(
        (
            end[rows],
            start[rows],
            _sort_numbers(run.paths, run.path[rows]),
            kind[rows],
            _sort_numbers(run.documents, run.document[rows]),
            rank[best],
            -np.bincount(numbers, minlength=len(distinct)),
            -scores,
            topic[best],
        )
    )
    return run.rows(rows[order]), scores[order]


def _sort_numbers(labels: Sequence[Any], numbers: Ints) -> Ints:
    """Return the position of each row's label among all labels, sorted."""
    place = np.empty(len(labels) + 1, dtype=np.int64)
    place[sorted(range(len(labels)), key=labels.__getitem__)] = np.arange(len(labels))
    place[NO_LABEL] = -1
    return place[numbers]


def _positions(group: Ints) -> Ints:
    """Return for each row how many rows of the same group are before it."""
    order = np.argsort(group, kind="stable")
    sorted_group = group[order]
    position = np.empty(len(group), dtype=np.int64)
    position[order] = np.arange(len(group)) - np.searchsorted(sorted_group, sorted_group)
    return position


def _obeying(
    run: Run,
    task: Task,
    collection: Collection | None,
    offsets: Offsets,
    max_results: int | None,
) -> tuple[Run, list[str]]:
    """Return a run without what breaks the rules of a task, and the changes in words.

    Lists end where the task ends them after everything else, so that what is dropped leaves room.
    """
    unlimited = replace(task, most_results=ANY_TASK.most_results)
    resolved = None if collection is None else resolve(run, collection, offsets=offsets)
    problems = problems_of(run, unlimited, resolved=resolved)
    valid, changes = repaired(run, problems)
    most = min(task.most_results, max_results or task.most_results)
    kept = np.flatnonzero(_positions(valid.topic) < most)
    if len(kept) < len(valid):
        changes.append(f"lists end after {plural(most, 'result')}")
    # What no repair changes, such as results of another kind than the task has.
    others = [str(kind) for kind in by_kind(problems) if kind.severity == "warning"]
    return valid.rows(kept), [*changes, *others]
