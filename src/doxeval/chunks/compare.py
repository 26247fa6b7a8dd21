"""Chunkings compared: each is searched for the same questions and scored, with its oracle."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.chunks.chunking import cut
from doxeval.chunks.chunks import Chunks
from doxeval.chunks.dataset import NO_GOLD, Bench, refuse_without_gold
from doxeval.chunks.documents import Documents, documents, warnings_about
from doxeval.chunks.evaluate import evaluation_on, listed_measures, short_labels
from doxeval.chunks.limits import Limits, limits_on
from doxeval.chunks.oracle import oracle_on
from doxeval.chunks.retrieve import progress_bar
from doxeval.chunks.search import K, Search, as_search
from doxeval.comparison import Comparison, MeasureColumn
from doxeval.comparison import compare as compare_runs
from doxeval.errors import InputError, UnknownName, warn
from doxeval.evaluation import Evaluation
from doxeval.measures import as_measure
from doxeval.messages import Message, Parameter, plural, quoted, suggestion
from doxeval.named import checked
from doxeval.reports import Loss, losses
from doxeval.runs import Run
from doxeval.scores import ScoreTable, TextTable, format_score, warning_lines

if TYPE_CHECKING:
    from doxeval.chunks.chunks import Chunks
    from doxeval.chunks.dataset import Bench
    from doxeval.reports import Report
    from doxeval.scores import RunView


_READ_AT = 5
_REFERENCE = 1000  # the budget that chunkings are compared at, if there is that much
_BY_RANK = ("cR", "cP", "IoU", "hit", "all", "sR", "RR", "Red")


@checked
def compare(
    docs: Any,
    gold: Any,
    cuts: Any,
    search: Any = "bm25",
    budget: int = 4000,
    unit: str = "words",
    *,
    k: int = K,
    measures: Iterable[Any] = (),
    tokens: Any = None,
    reference: Any = None,
    max_missing: int | str = 0,
    progress: bool | None = None,
) -> Study:
    """Compare cuts of documents by what a search finds in them.

    `cuts` are cuts by name ({"small": "words:100:0", "own": my_split}), or a list of built-in
    ones; see `cut`. Chunks that were located before, and files of them, will do too. `search` is
    "bm25" or another model, `dense(embed)` or `hybrid(…)`. Scores are recall at an eighth, a
    quarter, a half and all of the `budget` in `unit`, U, and those of the preset rag by rank;
    `measures` adds others, and read@k beside those of k results. The `reference` is the measure by
    which cuts are called best, tested, and held against the oracle, here, in the terminal and in
    the report: bR@1000, or recall at the whole budget if that is smaller, unless another is given.
    `max_missing` says how much of the gold may be missing, as `questions` does.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "One two three. Four five. Six.", "b": "Seven. Eight."})
    >>> need = {"spans": [{"doc": "a", "quote": "Four five."}]}
    >>> gold = chunks.questions([{"id": "1", "question": "Who is four?", "needs": [need]}], docs)
    >>> cuts = {"sent": "sentences:1:0", "all": "paragraphs"}
    >>> study = chunks.compare(docs, gold, cuts, budget=16, reference="bR@4")
    >>> study["sent"]["bR@4"], study["all"]["bR@4"], study.loss("sent").cutting
    (1.0, 0.0, 0.0)
    """
    if budget < 1:
        raise InputError(f"budget is {budget}: expected 1 or more")
    bench = _bench(documents(docs), gold, unit, tokens, max_missing)
    named, searching = _named(cuts), as_search(search)
    usual = _measures(budget)
    if reference is None:
        reference = f"bR@{min(budget, _REFERENCE)}"
    added = _added(usual, [*listed_measures(measures), _as_reference(reference)])
    chosen = [*usual, *added]
    evaluation = evaluation_on(bench, chosen)
    found: dict[str, Chunks] = {}
    runs: dict[str, Run] = {}
    oracles: dict[str, Run] = {}
    limits, read = {}, {}
    with progress_bar("Comparing cuts", 4 * len(named), progress) as done:
        for name, by in named.items():
            found[name] = _chunks(bench, name, by)
            done(1)
            runs[name] = searching.run(bench, found[name], k).with_id(name)
            done(1)
            oracles[name] = oracle_on(bench, found[name], name)
            limits[name] = limits_on(bench, found[name])
            done(1)
            read[name] = units_read(evaluation, runs[name], unit)
            done(1)
    budgets = [name for name in chosen if _label(name).startswith("bR@")]
    solid = evaluation_on(bench, dict.fromkeys([*budgets, reference]), ignore_whitespace=True)
    scores, best, *without_white_space = (
        short_labels(each.score_all(several), unit)
        for each in (evaluation, solid)
        for several in (runs, oracles)
    )
    headline = scores.labels[scores.index_of_measure(reference)]
    about = (*warnings_about(bench.docs, docs), *_budget_warnings(bench, headline))
    warnings = (*about, *_warnings(scores, found, limits))
    warn(warnings)
    return Study(
        replace(scores, reference=headline),
        replace(best, reference=headline),
        found,
        runs,
        limits,
        read,
        headline,
        unit,
        budget,
        searching.name,
        bench,
        tuple(chosen),
        warnings,
        tuple(map(_label, added)),
        losses(*without_white_space),
    )


def _bench(docs: Documents, gold: Any, unit: str, tokens: Any, max_missing: int | str) -> Bench:
    """Return documents and gold; without any gold, there is nothing to compare."""
    bench = Bench(docs, gold, unit, tokens, max_missing)
    refuse_without_gold(bench.assessments)
    return bench


def _named(cuts: Any) -> dict[str, Any]:
    if isinstance(cuts, Mapping):
        named = {str(name): by for name, by in cuts.items()}
    elif isinstance(cuts, str) or not isinstance(cuts, Sequence):
        named = {_name_of(cuts): cuts}
    else:
        named = {_name_of(by): by for by in cuts}
    if not named:
        raise InputError("no cuts to compare")
    return named


def _name_of(by: Any) -> str:
    if isinstance(by, str):
        return by
    return getattr(by, "__name__", None) or type(by).__name__


def _chunks(bench: Bench, name: str, by: Any) -> Chunks:
    found = cut(bench.docs, by)
    if not len(found):
        raise InputError(f"cut {quoted(name)} gives no chunks")
    unknown = [one for one in found.documents if one and one not in bench.docs]
    if unknown:
        raise InputError(f"cut {quoted(name)} has chunks of {quoted(unknown[0])}, no document here")
    return found


def _measures(budget: int) -> list[str]:
    """The measures of every study."""
    budgets = {max(budget // part, 1) for part in (8, 4, 2, 1)} | {min(budget, _REFERENCE)}
    names = [f"bR@{one}" for one in sorted(budgets)]
    return [*names, f"U@{budget}", "all@5", "sR@5", "RR@10", "cR@5", "cP@5", "Red@5"]


def _as_reference(measure: Any) -> Any:
    """Return the measure; one that is no share of anything cannot be lost by anything."""
    value = as_measure(measure)
    if not value.facts.higher_is_better or (value.facts.lowest, value.highest) != (0, 1):
        raise InputError(f"reference is {_label(measure)}: expected a measure from 0 to 1")
    return measure


def _label(measure: Any) -> str:
    return measure if isinstance(measure, str) else as_measure(measure).label


def _added(usual: Sequence[str], given: Iterable[Any]) -> list[Any]:
    """The measures that a user adds, with what is read beside those of k results."""
    known = set(usual)
    added = [one for one in given if _label(one) not in known]
    added = list({_label(one): one for one in added}.values())
    return [*added, *measures_of_reading(added, [f"read@{_READ_AT}"])]


def units_read(evaluation: Evaluation, run: Run, unit: str) -> float:
    """The mean units of the first results of a question: read@5."""
    ranking = evaluation.ranking(run).with_repeats
    read = as_measure(f"read@{_READ_AT}(unit={unit})").scores(ranking)
    defined = read[~np.isnan(read)]
    return float(defined.mean()) if len(defined) else float("nan")


def _budget_warnings(bench: Bench, headline: str) -> list[str]:
    """Whether the budget of the reference measure is more than all documents together."""
    size, budget = bench.size, getattr(as_measure(headline), "B", None)
    if size is None or budget is None or size > budget:
        return []
    return [
        f"the documents have {size:,} {bench.unit} in all, and {headline} reads {budget:,}: a "
        "smaller " + Parameter("budget") + " tells cuts apart"
    ]


def _warnings(
    scores: ScoreTable, found: Mapping[str, Chunks], limits: Mapping[str, Any]
) -> list[str]:
    said = list(scores.warnings)
    for scored, (name, chunks) in zip(scores.runs, found.items(), strict=True):
        about = [*chunks.warnings, *scored.warnings, *limits[name].warnings]
        if len(chunks.missing):
            about.append(f"{plural(len(chunks.missing), 'chunk')} not found in the documents")
        said += [Message(f"{name}: ", one) for one in about]
    return list(dict.fromkeys(said))


@checked
def grid(
    docs: Any,
    gold: Any,
    cuts: Any,
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
    """Every cut with every search at every k: a long frame of pandas, a row for each score.

    Its columns are cut, search, k, measure, topic and value. `searches` are searches by name: names
    of models, `dense(embed)`, `hybrid(…)`, or functions that embed texts. `measures` are names
    without their cut-off, which k gives. `budgets` adds bR at these budgets, for which k is
    missing. `max_missing` says how much of the gold may be missing, as `questions` does.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "One two three. Four five."})
    >>> need = {"spans": [{"doc": "a", "quote": "Four five."}]}
    >>> gold = chunks.questions([{"id": "1", "question": "Who is four?", "needs": [need]}], docs)
    >>> frame = chunks.grid(docs, gold, {"sent": "sentences:1:0"}, k=[1], measures=["cR", "cP"])
    >>> frame.to_dict("records")[0] == dict(
    ...     cut="sent", search="bm25", k=1, measure="cR@1", topic="1", value=1.0)
    True
    """
    from doxeval.runs import optional_module

    pandas = optional_module("pandas")
    bench = _bench(documents(docs), gold, unit, tokens, max_missing)
    named, by_name = _named(cuts), _searches(searches)
    depths = sorted(set([k] if isinstance(k, int) else k))
    at: dict[str, int | None] = {f"{name}@{k}": k for k in depths for name in measures}
    at |= {f"bR@{budget}": None for budget in budgets}
    evaluation = evaluation_on(bench, at)
    rows: list[tuple[Any, ...]] = []
    warnings = [*warnings_about(bench.docs, docs), *evaluation.warnings]
    with progress_bar("Grid", len(named) * len(by_name), progress) as done:
        for cut_name, by in named.items():
            chunks = _chunks(bench, cut_name, by)
            warnings += [Message(f"{cut_name}: ", warning) for warning in chunks.warnings]
            for search_name, one in by_name.items():
                deep = K if budgets else max(depths, default=K)
                run = one.run(bench, chunks, deep)
                table = short_labels(evaluation.score_all([run]), unit)
                rows += _rows(table, (cut_name, search_name), at)
                about = table.runs[0].warnings
                warnings += [Message(f"{cut_name}, {search_name}: ", warning) for warning in about]
                done(1)
    warn(warnings)
    names = ["cut", "search", "k", "measure", "topic", "value"]
    return pandas.DataFrame(rows, columns=names)


def _rows(
    table: ScoreTable, names: tuple[str, str], at: Mapping[str, int | None]
) -> list[tuple[Any, ...]]:
    (scores,) = table.runs
    return [
        (*names, at.get(label), label, topic, float(value))
        for label, values in zip(table.labels, scores.values, strict=True)
        for topic, value in zip(table.topic_ids, np.asarray(values).tolist(), strict=True)
    ]


def _searches(given: Any) -> dict[str, Search]:
    if isinstance(given, Mapping):
        return {str(name): as_search(one) for name, one in given.items()}
    several: Sequence[Any] = given if isinstance(given, list | tuple) else [given]
    found = [as_search(one) for one in several]
    return {one.name: one for one in found}


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
        found = compare_runs(self.scores, measure or self.headline, **options)
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
        from doxeval.chunks.evaluate import evaluation_on, short_labels
        from doxeval.evaluation import Keep
        from doxeval.reports import report
        from doxeval.topics import Topic

        keep = Keep(curves=True, results=True)
        evaluation = evaluation_on(self.bench, self.measures, keep=keep)
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


def depth_of(measure: Any) -> int | None:
    """The number of results that a measure looks at; None if it is not about so many results.

    >>> depth_of("cR@5"), depth_of("bR@1000")
    (5, None)
    """
    found = getattr(as_measure(measure), "k", None)
    return found if isinstance(found, int) else None


def measures_of_reading(measures: Iterable[Any], known: Iterable[Any] = ()) -> list[str]:
    """The names of measures that say how much is read, as far as none of the known ones does.

    >>> measures_of_reading(["cR@5", "hit@20"]), measures_of_reading(["cR@5"], ["read@5"])
    (['read@5', 'read@20'], [])
    """
    given = list(measures)
    there = {depth_of(one) for one in (*given, *known) if type(as_measure(one)).name == "read"}
    depths = dict.fromkeys(map(depth_of, given))
    return [f"read@{k}" for k in depths if k is not None and k not in there]


def with_reading(table: ScoreTable, read: ScoreTable) -> ScoreTable:
    """A table with what is read in columns of its own, each after the last measure of its k."""
    order = [depth_of(one.measure) for one in table.measures]
    places: list[tuple[int, int]] = [(at, -1) for at in range(len(order))]
    for number, one in enumerate(read.measures):
        depth = depth_of(one.measure)
        places.append((max(at for at, k in enumerate(order) if k == depth), number))
    rows = np.array(sorted(range(len(places)), key=places.__getitem__))
    measures = (*table.measures, *read.measures)
    runs = tuple(
        replace(own, values=np.concatenate([own.values, other.values])[rows])
        for own, other in zip(table.runs, read.runs, strict=True)
    )
    return replace(table, measures=tuple(measures[row] for row in rows.tolist()), runs=runs)
