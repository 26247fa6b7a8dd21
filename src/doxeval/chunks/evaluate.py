"""Runs of chunks scored against gold, and what they lose by chunking and by retrieval."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final

from doxeval.assessments import Assessments, read_assessments
from doxeval.chunks.chunks import Chunks, read_chunks
from doxeval.chunks.dataset import Dataset, chunk_costs, gold_in, refuse_without_gold
from doxeval.chunks.documents import Documents, documents, warnings_about
from doxeval.chunks.gold import questions as read_questions
from doxeval.chunks.oracle import Oracle
from doxeval.chunks.questions import Questions
from doxeval.chunks.retrieve import read_chunk_run, retrieve
from doxeval.chunks.search import K
from doxeval.chunks.transforms import first_results, threshold
from doxeval.errors import InputError, warn
from doxeval.evaluation import (
    Counting,
    Evaluation,
    Keep,
    OnDuplicates,
    RunInput,
    RunOptions,
    run_inputs,
)
from doxeval.files import name_of_file
from doxeval.measures import Need, as_measure, default_unit, not_among, preset_named
from doxeval.messages import Parameter, plural, quoted
from doxeval.named import checked
from doxeval.runs import ChunkTable, Run
from doxeval.scores import RunView, ScoreTable, TextTable, distinct_names, means_table

PRESET = "rag"
REFERENCE = 1000  # the budget that chunkings are compared at, if there is that much
# In all verbs and functions of chunks: whoever gets a chunk twice reads it twice.
DUPLICATES: Final = "keep"


@checked
def evaluate(
    runs: Any,
    gold: Any,
    measures: Any = (),
    budget: int | None = None,
    unit: str = "auto",
    *,
    docs: Any = None,
    chunks: Chunks | None = None,
    k: int | None = None,
    tokens: Any = None,
    max_missing: int | str = 0,
    min_score: float | None = None,
    duplicates: OnDuplicates = DUPLICATES,
    ignore_whitespace: bool = False,
) -> ScoreTable:
    """Score runs of chunks: a run, several, or a dict of them by name; files go by their names.

    Without measures, those of the preset `rag` are taken, ans@5 for questions whose answers are
    known as strings only, and none@5 and vain@1000 for those without an answer. With a `budget`,
    they are those of `compare`: recall at parts of it, U, and the rest; `measures` are then added.
    Of more than `k` results of a question the first count, and none with a score below `min_score`.

    `gold` are questions, assessments, or, if `docs` are given, a source of questions. `docs` (or
    `chunks`, which have their documents) are needed to count words, in which budgets are then;
    otherwise budgets are in characters. `tokens` says what tokens are; `unit` overrules what
    budgets count. A chunk that is returned twice is read twice, by all measures; with
    duplicates="drop", names say so. `ignore_whitespace` leaves white space out of all counts of
    characters. `max_missing` says how much of the gold of a source may be missing, as `questions`
    does.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "One two three. Four five."})
    >>> need = {"spans": [{"doc": "a", "quote": "Four five."}]}
    >>> gold = chunks.questions([{"id": "1", "question": "Who is four?", "needs": [need]}], docs)
    >>> split = chunks.split(docs, "sentences:1:0")
    >>> chunks.evaluate(chunks.search(split, gold), gold, ["bR@2", "all@1"], chunks=split).mean()
    {'bm25': {'bR@2': 0.9, 'all@1': 1.0}}
    """
    if budget is not None and budget < 1:
        raise InputError(f"budget is {budget}: expected 1 or more")
    if docs is None and chunks is not None:
        docs = chunks.docs
    about: tuple[str, ...] = ()
    if docs is not None:
        texts = documents(docs)
        about, docs = warnings_about(texts, docs), texts
        gold = gold_in(gold, docs, max_missing)
    requested, judgments = listed_measures(measures), judgments_of(gold)
    presets: tuple[str, ...] = ()
    if budget is not None:
        requested = [*dict.fromkeys([*usual_measures(judgments, budget), *requested])]
    elif not requested:
        requested, presets = usual_of_answers(judgments), usual_presets(judgments)
    given = [*run_inputs(runs)]
    evaluation = evaluation_of_chunks(
        judgments,
        requested,
        presets=presets,
        unit=unit,
        chunks=None if chunks is None else chunks.table,
        duplicates=duplicates,
        counting=Counting(docs, tokens, ignore_whitespace),
    )
    table = evaluation.score_all(runs_of_chunks(given, [chunks] * len(given), k, min_score))
    table = short_labels(table, unit)
    table = replace(table, warnings=(*about, *table.warnings), tags=tags_of(gold))
    warn(table.all_warnings())
    return table


def runs_of_chunks(
    given: Sequence[RunInput],
    chunks: Sequence[Chunks | None],
    k: int | None = None,
    min_score: float | None = None,
) -> dict[str, Run]:
    """Return runs by name, given the chunks of each; a file without a name has that of the file.

    Of each, the first `k` results of a question are left, and none with a score below `min_score`.

    >>> runs = [RunInput(Run.from_dict({"7": {"a": 2.0, "b": 1.0}}, run_id)) for run_id in "xx"]
    >>> [(name, len(run)) for name, run in runs_of_chunks(runs, [None] * 2, k=1).items()]
    [('x', 1), ('x #2', 1)]
    """
    runs: list[Run] = []
    names: list[tuple[str, str | None]] = []
    for source, of_run in zip(given, chunks, strict=True):
        if source.file is None:
            runs.append(source.read(ends=False, chunks=None if of_run is None else of_run.table))
            names.append((source.name or runs[-1].run_id, None))
        else:
            runs.append(read_chunk_run(source.file, of_run))
            names.append((source.name or name_of_file(source.file), source.file))
    named = {}
    for name, run in zip(distinct_names(names), runs, strict=True):
        counted = run.with_id(name)
        counted = counted if min_score is None else threshold(counted, min_score)
        named[name] = counted if k is None else first_results(counted, k)
    return named


def tags_of(gold: Questions | Assessments | Any) -> Mapping[str, tuple[str, ...]]:
    """Return the tags of questions by their ids; judgments have none.

    >>> from doxeval.chunks.questions import Question
    >>> tags_of(Questions((Question("1", "Who is four?", tags=("names",)),)))
    {'1': ('names',)}
    """
    return dict(gold.tags) if isinstance(gold, Questions) else {}


def budget_measures(budget: int) -> list[str]:
    """Return the measures of places for a budget, which is the largest; U is of all budgets.

    >>> budget_measures(800)[:5]
    ['bR@100', 'bR@200', 'bR@400', 'bR@800', 'U@800']
    """
    budgets = {max(budget // part, 1) for part in (8, 4, 2, 1)} | {min(budget, REFERENCE)}
    names = [f"bR@{units}" for units in sorted(budgets)]
    return [*names, f"U@{budget}", "all@5", "sR@5", "RR@10", "cR@5", "cP@5", "Red@5"]


def usual_measures(judgments: Assessments, budget: int) -> list[str]:
    """Return the usual measures for a budget, of all that is known of answers.

    >>> from doxeval.assessments import Assessments
    >>> usual_measures(Assessments.from_dict({"7": {"a": [(0, 5)]}}), 800)[0]
    'bR@100'
    """
    of_places = budget_measures(budget) if usual_presets(judgments) else []
    return [*of_places, *usual_of_answers(judgments, budget)]


def usual_of_answers(judgments: Assessments, budget: int = 1000) -> list[str]:
    """Return the usual measures of what is known of answers besides their places, if it is known.

    >>> from doxeval.assessments import Assessments
    >>> usual_of_answers(Assessments())
    []
    """
    columns = judgments.columns
    located = {columns.topics[topic] for topic in columns.topic[columns.is_relevant].tolist()}
    names = []
    if any(answer.texts and topic not in located for topic, answer in judgments.answers.items()):
        names.append("ans@5")
    if judgments.unanswerable:
        names += ["none@5", f"vain@{budget}"]
    return names


def usual_presets(judgments: Assessments) -> tuple[str, ...]:
    """Return the preset for chunks, which is of no use where no place is known.

    >>> from doxeval.assessments import Assessments
    >>> usual_presets(Assessments.from_dict({"7": {"a": [(0, 5)]}}))
    ('rag',)
    """
    has_places = bool(judgments.columns.is_relevant.any()) or not judgments.answers
    return (PRESET,) if has_places else ()


def evaluation_of_chunks(
    judgments: Assessments,
    measures: Iterable[Any],
    *,
    presets: Iterable[str] = (),
    unit: str = "auto",
    chunks: ChunkTable | None = None,
    duplicates: OnDuplicates = DUPLICATES,
    counting: Counting | None = None,
    keep: Keep | None = None,
) -> Evaluation:
    """Return an evaluation of runs of chunks, whose measures count `unit` unless they say it."""
    named = measures if unit == "auto" else [named_in_unit(name, unit) for name in measures]
    return Evaluation(
        judgments,
        list(named),
        presets=presets,
        chunks=chunks,
        run_options=RunOptions(duplicates=duplicates),
        counting=counting or Counting(),
        keep=keep or Keep(),
    )


def evaluation_on(
    dataset: Dataset, measures: Iterable[Any], *, keep: Keep | None = None
) -> Evaluation:
    """Return an evaluation against the gold of a study, in its unit."""
    by_default = "words" if dataset.tokens is None else "tokens"
    return evaluation_of_chunks(
        dataset.assessments,
        measures,
        unit="auto" if dataset.unit == by_default else dataset.unit,
        counting=Counting(dataset.texts),
        keep=keep,
    )


def listed_measures(measures: Any) -> list[Any]:
    """Return one measure or several as a list."""
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        return [measures]
    return list(measures)


def judgments_of(gold: Any) -> Assessments:
    """Return the judgments of gold."""
    if isinstance(gold, Questions):
        return gold.assessments
    if isinstance(gold, Assessments):
        return gold
    raise InputError(f"gold is {quoted(gold)}: expected questions, or assessments")


def named_in_unit(measure: Any, unit: str) -> Any:
    """Return the name of a measure that counts a unit; one without units stays as it is.

    >>> named_in_unit("bR@1000", "characters"), named_in_unit("cR@5", "characters")
    ('bR@1000(unit=characters)', 'cR@5')
    """
    value = as_measure(measure)
    units = [spec.metadata["choices"] for spec in fields(value) if spec.name == "unit"]
    if getattr(value, "unit", None) != "auto" or unit not in units[0]:
        return measure
    return replace(value, unit=unit).label  # type: ignore[call-arg]  # only measures with a unit


def short_labels(table: ScoreTable, unit: str = "auto") -> ScoreTable:
    """Return the table with measures called as requested, without the unit of all of them.

    That duplicates are read again goes without saying here.
    """
    labels = [facts.label_where(DUPLICATES) for facts in table.measures]
    if unit != "auto":
        end, inner = f"(unit={unit})", f"unit={unit},"
        labels = [label.replace(end, "").replace(inner, "") for label in labels]
    return table.labelled(labels)


# What is read: recall of k results alone misleads


def depth_of(measure: Any) -> int | None:
    """Return the number of results that a measure looks at; None if it is not about a number.

    >>> depth_of("cR@5"), depth_of("bR@1000")
    (5, None)
    """
    depth = getattr(as_measure(measure), "k", None)
    return depth if isinstance(depth, int) else None


def reading_measures(measures: Iterable[Any], known: Iterable[Any] = ()) -> list[str]:
    """Return names of measures that say how much is read, as far as none of the known ones does.

    >>> reading_measures(["cR@5", "hit@20"]), reading_measures(["cR@5"], ["read@5"])
    (['read@5', 'read@20'], [])
    """
    given = [name for name in measures if Need.UNANSWERABLE not in as_measure(name).needs]
    there = {
        depth_of(measure)
        for measure in (*given, *known)
        if type(as_measure(measure)).name == "read"
    }
    depths = dict.fromkeys(map(depth_of, given))
    return [f"read@{k}" for k in depths if k is not None and k not in there]


def with_reading(table: ScoreTable, reading: Iterable[str]) -> ScoreTable:
    """Return the table with what is read after the last measure of as many results.

    reading: the measures that say what is read; the table has them somewhere.
    """
    names = list(reading)
    others = [facts for facts in table.measures if facts.label not in names]
    depths = [depth_of(facts.measure) for facts in others]
    labels = [facts.label for facts in others]
    for name in reversed(names):
        last = max(at for at, depth in enumerate(depths) if depth == depth_of(name))
        labels.insert(last + 1, name)
        depths.insert(last + 1, None)
    return table.only(measures=labels)


# Questions without an answer


def unanswerable_tables(table: ScoreTable) -> list[TextTable]:
    """Return the scores of questions without an answer as a table; none without any."""
    names = [facts.label for facts in table.measures if facts.about == "unanswerable"]
    if not names or not table.unanswerable:
        return []
    title = f"{plural(len(table.unanswerable), 'question')} without an answer"
    return [means_table(table.only(measures=names), with_descriptions=False)._replace(title=title)]


# What is lost


def oracle_runs(
    evaluation: Evaluation, chunks: Mapping[str, ChunkTable], unit: str = "auto"
) -> dict[str, Run]:
    """Return the oracle's run for each run, given the chunks of each.

    Runs of the same chunks have the same oracle, which pays in the unit of the budgets.
    """
    truth = evaluation.truth
    paid = default_unit(truth) if unit == "auto" else unit
    oracles: dict[int, Run] = {}
    for table in chunks.values():
        if id(table) not in oracles:
            cost = chunk_costs(table, truth.texts, paid)
            oracles[id(table)] = Oracle(table, truth).run(cost)
    return {run: oracles[id(table)] for run, table in chunks.items()}


# For tests of users


def scores_of_chunks(
    gold: Any,
    returned: Any,
    measures: str | Iterable[str] = (),
    budget: int | None = None,
    unit: str = "auto",
    *,
    docs: Any = None,
    chunks: Any = None,
    questions: Any = None,
    k: int | None = None,
    tokens: Any = None,
    max_missing: int | str = 0,
    min_score: float | None = None,
    workers: int = 1,
    also: Iterable[str] = (),
) -> RunView:
    """Return the scores of a retriever or a run by measure: the preset `rag` if none are named.

    gold: questions with what they need, as `chunks.questions` reads them, or judged spans.
    returned: a retriever, which is asked every question (`chunks.retrieve` says what it may be), or
    a run or its file. docs: the documents; a retriever needs them, quotes are looked up in them,
    and with them budgets are words, else characters. chunks: all chunks or their file, if results
    are ids of chunks. questions: what is asked, by id or as a file of questions, where gold does
    not say it. k: how many results of a question count: of a retriever 100, of a run all, unless it
    is given. max_missing: how much of the gold may be missing, as for `chunks.questions`; what is
    missing is then among the `warnings` of the scores. also: measures to add to the others, named
    or not. All else is as for `chunks.evaluate`.

    >>> docs = {"terms": "Thirty days. Unused goods only."}
    >>> need = {"spans": [{"doc": "terms", "quote": "Thirty days"}]}
    >>> gold = [{"id": "1", "question": "How long?", "needs": [need]}]
    >>> scores_of_chunks(gold, lambda question: ["Thirty days."], docs=docs)["bR@500"]
    1.0
    """
    texts = None if docs is None else documents(docs)
    located = _located(chunks, texts)
    if texts is None and located is not None:
        texts = located.docs
    known = _gold_for_scores(gold, texts, max_missing)
    if not judgments_of(known).answers:
        refuse_without_gold(judgments_of(known))
    run: Any = returned
    if not isinstance(returned, str | os.PathLike | Run | Mapping):
        run = retrieve(
            returned,
            _questions_to_ask(known, questions, texts),
            _chunks_or_documents(located, texts),
            k=K if k is None else k,
            workers=workers,
            progress=False,
        )
    elif workers != 1:
        raise InputError(Parameter("workers", workers) + " is for retrievers, and this is a run")
    names = listed_measures(measures)
    if limits := list(also):
        judged = judgments_of(known)
        if budget is not None:
            others = [*names, *usual_measures(judged, budget)]
        else:
            presets = map(preset_named, usual_presets(judged))
            usual = [name for preset in presets for name in preset.measures]
            others = names = names or [*usual, *usual_of_answers(judged)]
        names = [*names, *not_among(others, limits)]
    table = evaluate(
        run,
        known,
        names,
        budget,
        unit,
        docs=texts,
        chunks=located,
        k=k,
        tokens=tokens,
        min_score=min_score,
    )
    about = () if texts is None or docs is None else warnings_about(texts, docs)
    return replace(table, warnings=(*about, *table.warnings)).view(0)


def _located(chunks: Any, docs: Documents | None) -> Chunks | None:
    if chunks is None or isinstance(chunks, Chunks):
        return chunks
    return read_chunks(chunks, docs)


def _gold_for_scores(
    gold: Any, docs: Documents | None, max_missing: int | str
) -> Questions | Assessments:
    """Return questions that are looked up in documents, or without any, judged spans."""
    if isinstance(gold, Questions | Assessments):
        return gold
    if docs is not None:
        return read_questions(gold, docs, max_missing=max_missing)
    if isinstance(gold, str | os.PathLike):
        return read_assessments(gold)
    raise InputError(
        Parameter("docs") + " is needed: the documents in which the gold of these questions stands"
    )


def _chunks_or_documents(chunks: Chunks | None, docs: Documents | None) -> Chunks:
    """Return where results are looked up: the chunks, or without any, the documents alone."""
    if docs is None:
        raise InputError(
            Parameter("docs") + " is needed: the documents in which the retriever's results stand"
        )
    if chunks is None:
        return Chunks.of(docs, [], [])
    return chunks


def _questions_to_ask(
    known: Questions | Assessments, given: Any, docs: Documents | None
) -> Mapping[str, str]:
    """Return what the retriever is asked: the questions that have gold."""
    if given is None:
        texts: Mapping[str, str] = known.texts if isinstance(known, Questions) else {}
    elif isinstance(given, Mapping):
        texts = given
    else:
        texts = read_questions(given, docs, max_missing="100%").texts  # their gold is not needed
    assessed = known.assessments.topics if isinstance(known, Questions) else known.topics
    texts_of = {topic: texts[topic] for topic in assessed if texts.get(topic)}
    missing = [topic for topic in assessed if topic not in texts_of]
    if missing:
        raise InputError(
            f"what is asked is not known for {len(missing):,} of {len(assessed):,} questions, the "
            f"first {missing[0]!r}: "
            + Parameter("questions")
            + " names a file of questions, or their texts by id"
        )
    return texts_of
