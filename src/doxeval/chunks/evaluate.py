"""Runs of chunks scored against gold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from doxeval.assessments import Assessments
from doxeval.chunks.chunk_set import Chunks
from doxeval.chunks.dataset import Bench, gold_in
from doxeval.chunks.document_sources import documents, warnings_about
from doxeval.chunks.question_set import Questions
from doxeval.errors import InputError, warn
from doxeval.evaluation import Counting, Evaluation, Keep, OnDuplicates, RunOptions
from doxeval.measures import as_measure
from doxeval.messages import quoted
from doxeval.named import checked
from doxeval.scores import ScoreTable

PRESET = "rag"
# In all verbs and functions of chunks: whoever gets a chunk twice reads it twice.
DUPLICATES: Final = "keep"


@checked
def evaluate(
    runs: Any,
    gold: Any,
    measures: Any = (),
    *,
    docs: Any = None,
    chunks: Chunks | None = None,
    unit: str = "auto",
    tokens: Any = None,
    max_lost: int | str = 0,
    duplicates: OnDuplicates = DUPLICATES,
    ignore_whitespace: bool = False,
) -> ScoreTable:
    """Score runs of chunks: a run, several, or a dict of them by name.

    Without measures, those of the preset `rag` are taken. `gold` are questions, assessments, or,
    if `docs` are given, a source of questions. `docs` (or `chunks`, which have their
    documents) are needed to count words, in which budgets are then; otherwise budgets are in
    characters. `tokens` says what tokens are; `unit` overrules what budgets count. A chunk that is
    returned twice is read twice, by all measures; with duplicates="drop", names say so.
    `ignore_whitespace` leaves white space out of all counts of characters.
    `max_lost` says how much of the gold of a source may be missing, as `questions` does.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "One two three. Four five."})
    >>> need = {"spans": [{"doc": "a", "quote": "Four five."}]}
    >>> gold = chunks.questions([{"id": "1", "question": "Who is four?", "needs": [need]}], docs)
    >>> cut = chunks.cut(docs, "sentences:1:0")
    >>> chunks.evaluate(chunks.search(cut, gold), gold, ["bR@2", "all@1"], chunks=cut).mean()
    {'bm25': {'bR@2': 0.9, 'all@1': 1.0}}
    """
    if docs is None and chunks is not None:
        docs = chunks.docs
    about: tuple[str, ...] = ()
    if docs is not None:
        texts = documents(docs)
        about, docs = warnings_about(texts, docs), texts
        gold = gold_in(gold, docs, max_lost)
    chosen = listed_measures(measures)
    evaluation = Evaluation(
        judgments_of(gold),
        _in_unit(chosen, unit),
        presets=() if chosen else (PRESET,),
        chunks=None if chunks is None else chunks.table,
        run_options=RunOptions(duplicates=duplicates),
        counting=Counting(docs, tokens, ignore_whitespace),
    )
    table = short_labels(evaluation.score_all(runs), unit)
    table = replace(table, warnings=(*about, *table.warnings))
    warn(table.all_warnings())
    return table


def evaluation_on(
    bench: Bench,
    measures: Iterable[Any],
    *,
    ignore_whitespace: bool = False,
    keep: Keep | None = None,
) -> Evaluation:
    """An evaluation against the gold of a study, in its unit."""
    by_default = "words" if bench.tokens is None else "tokens"
    unit = "auto" if bench.unit == by_default else bench.unit
    return Evaluation(
        bench.assessments,
        _in_unit(measures, unit),
        run_options=RunOptions(duplicates=DUPLICATES),
        counting=Counting(bench.texts, ignore_whitespace=ignore_whitespace),
        keep=keep or Keep(),
    )


def listed_measures(measures: Any) -> list[Any]:
    """Return one measure or several as a list."""
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        return [measures]
    return list(measures)


def judgments_of(gold: Any) -> Assessments:
    """The judgments of gold."""
    if isinstance(gold, Questions):
        return gold.assessments
    if isinstance(gold, Assessments):
        return gold
    raise InputError(f"gold is {quoted(gold)}: expected questions, or assessments")


def _in_unit(measures: Iterable[Any], unit: str) -> list[Any]:
    """Measures with the unit that is asked for, where they do not say one themselves."""
    if unit == "auto":
        return list(measures)
    return [named_in_unit(one, unit) for one in measures]


def named_in_unit(measure: Any, unit: str) -> Any:
    """The name of a measure that counts a unit; one without units stays as it is.

    >>> named_in_unit("bR@1000", "characters"), named_in_unit("cR@5", "characters")
    ('bR@1000(unit=characters)', 'cR@5')
    """
    value = as_measure(measure)
    if getattr(value, "unit", None) != "auto":
        return measure
    return replace(value, unit=unit).label  # type: ignore[call-arg]  # only measures with a unit


def short_labels(table: ScoreTable, unit: str) -> ScoreTable:
    """The table with measures called as they were asked for, without the unit of all of them.

    That duplicates are read again goes without saying here.
    """
    labels = [one.label_where(DUPLICATES) for one in table.measures]
    if unit != "auto":
        end, inner = f"(unit={unit})", f"unit={unit},"
        labels = [label.replace(end, "").replace(inner, "") for label in labels]
    return table.labelled(labels)
