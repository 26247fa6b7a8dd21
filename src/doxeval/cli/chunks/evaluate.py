"""`doxeval chunks evaluate`: runs of chunks scored, with the ceiling of their chunks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.chunks.inputs import (
    docs_in,
    gold_in_file,
    known_tokens,
    max_missing_option,
    some_docs_option,
)
from doxeval.cli.decorators import tokens_option
from doxeval.cli.output import data, line, note, warn
from doxeval.cli.thresholds import ThresholdOptions
from doxeval.cli.verb import verb
from doxeval.evaluation import Counting, RunOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from doxeval.chunks import Chunks, Questions
    from doxeval.runs import Run
    from doxeval.scores import ScoreTable


@verb(ThresholdOptions)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("-g", "--gold", required=True, metavar="FILE", help="Judgments, or questions.")
@click.option(
    "--chunks",
    "files",
    multiple=True,
    metavar="FILE",
    help="The chunks of the runs: one file for all, or one for each run; may be repeated.",
)
@some_docs_option
@tokens_option
@click.option("-m", "--measure", "names", multiple=True, metavar="MEASURE", help="A measure.")
@click.option("--preset", "presets", multiple=True, help="A set of measures.  [default: rag]")
@click.option("--per-topic", is_flag=True, help="Also print the scores of each question.")
@click.option("--by", type=click.Choice(["tag"]), help="Also print means by tag, and their mean.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["table", "json", "csv"]),
    help="Format of the output.  [default: by the name of --out, else table]",
)
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file.")
@max_missing_option("quotes")
def evaluate(runs: tuple[str, ...], gold: str, options: ThresholdOptions, **given: Any) -> None:
    """Score runs of chunks. A run names chunks by id, or ranges of text. NAME=FILE renames it.

    Beside a measure of k results (-m cR@10), the table shows how much is read with them (read@10):
    words, or tokens as --tokens counts them; characters where the documents are not known.

    With --chunks, the greedy oracle over the same chunks is shown too: what is missing there is
    lost by cutting, the rest by search.

    Gold that is not in the documents is an error, unless --max-missing allows it. It is then left
    out, with a warning: a need that is not found counts neither as answered nor as missed.

    \b
    Examples:
      doxeval chunks evaluate run.jsonl -g judged.jsonl --chunks located.jsonl
      doxeval chunks evaluate a.jsonl b.jsonl -g judged.jsonl --docs handbook \\
        --fail-under bR@1000=.85 --baseline last.json --max-drop .02 --junit checks.xml
    """
    from doxeval.chunks import Questions

    files = given["files"]
    if len(files) > 1 and len(files) != len(runs):
        raise click.UsageError("give one file of --chunks, or one for each run")
    gates, tokens = options.requested(given["out"]), known_tokens(given["tokens"])
    presets = given["presets"] or (() if given["names"] else ("rag",))
    names = gates.measures(given["names"], presets)
    _check_measures(names, presets)
    known = docs_in(given["docs"])
    chunks = [_chunks(file, known) for file in files]
    docs = _docs(chunks, known)
    judged = gold_in_file(gold, docs, given["max_missing"])
    every: list[Chunks | None] = [*chunks] or [None]
    every = every * len(runs) if len(every) == 1 else every
    read = _runs(runs, every)
    if tokens is not None and docs is None:
        raise click.UsageError("--tokens counts in the texts of documents: give --docs")
    settings = {"names": names, "presets": presets, "docs": docs, "tokens": tokens}
    table = _scored(read, every, judged, settings)
    # How the gold of questions was found has been printed.
    _print_warnings(table, judged.warnings if isinstance(judged, Questions) else ())
    is_table = _format(given) == "table"
    with gates.around(table):
        _write(_with_reading(table, read, every, judged, settings) if is_table else table, given)
        if is_table:
            _print_reading(read, judged, settings)
            _print_oracles(table, read, every, judged, settings)
        if given["by"] == "tag":
            _print_tags(table, judged)


def _check_measures(names: Sequence[str], presets: Sequence[str]) -> None:
    """Raise an error for an unknown measure before anything is read and reported."""
    from doxeval.measures import measure_named, preset_named

    for preset in presets:
        preset_named(preset)
    for name in names:
        measure_named(name)


def _chunks(file: str, docs: Any) -> Chunks:
    from doxeval.chunks import chunks_with_texts, read_chunks

    found = read_chunks(file, docs)
    return found if found.docs is not None or found.given is None else chunks_with_texts(file)


def _docs(chunks: Sequence[Chunks], given: Any) -> Any:
    if given is not None:
        return given
    return next((one.docs for one in chunks if one.docs is not None), None)


def _runs(given: Sequence[str], chunks: Sequence[Chunks | None]) -> list[Run]:
    """The runs, each by a name that no other has."""
    from doxeval.scores import distinct_names

    read = [_run(text, own) for text, own in zip(given, chunks, strict=True)]
    names = distinct_names([(run.run_id, file) for run, file in read])
    return [run.with_id(name) for (run, _), name in zip(read, names, strict=True)]


def _run(text: str, chunks: Chunks | None) -> tuple[Run, str]:
    """A run, and its file."""
    from doxeval.chunks import read_chunk_run
    from doxeval.cli.scoring import named_run

    source = named_run(text)
    file = source.file or str(source.source)
    run = read_chunk_run(file, chunks)
    return run.with_id(source.name) if source.name else run, file


def _print_warnings(table: ScoreTable, printed: Sequence[str]) -> None:
    """What is said of the gold, and of each run by its name if there are several."""
    from doxeval.messages import Message, truncate

    warn(warning for warning in table.warnings if warning not in printed)
    for run in table.runs:
        prefix = f"{truncate(run.run)}: " if len(table.runs) > 1 else ""
        warn(Message(prefix, warning) for warning in run.warnings if warning not in table.warnings)


def _scored(
    runs: Sequence[Run], chunks: Sequence[Chunks | None], gold: Any, settings: dict[str, Any]
) -> ScoreTable:
    """The scores of all runs in one table, each with its own chunks."""
    from doxeval.chunks import DUPLICATES, judgments_of, short_labels
    from doxeval.evaluation import Evaluation

    docs = settings["docs"]
    tables = []
    for run, own in zip(runs, chunks, strict=True):
        evaluation = Evaluation(
            judgments_of(gold),
            settings["names"],
            presets=settings["presets"],
            chunks=None if own is None else own.table,
            run_options=RunOptions(duplicates=DUPLICATES),
            counting=Counting(
                texts=docs,
                tokens=settings["tokens"],
                ignore_whitespace=settings.get("solid", False),
            ),
        )
        table = short_labels(evaluation.score_all([run]), "auto")
        tables.append(replace(table, runs=(replace(table.runs[0], file=run.origin),)))
    from doxeval.scores import with_unique_names

    return replace(tables[0], runs=with_unique_names([one.runs[0] for one in tables]))


def _with_reading(
    table: ScoreTable,
    runs: Sequence[Run],
    chunks: Sequence[Chunks | None],
    gold: Any,
    settings: dict[str, Any],
) -> ScoreTable:
    """The table with what is read beside the measures of k results that the user named."""
    from doxeval.chunks import measures_of_reading, with_reading
    from doxeval.measures import preset_named

    known = [name for one in settings["presets"] for name in preset_named(one).measures]
    names = measures_of_reading(settings["names"], known)
    if not names:
        return table
    read = _scored(runs, chunks, gold, settings | {"names": names, "presets": ()})
    return with_reading(table, read)


def _unit(settings: dict[str, Any]) -> str:
    """What budgets count."""
    if settings["docs"] is None:
        return "characters"
    return "words" if settings["tokens"] is None else "tokens"


def _print_reading(runs: Sequence[Run], gold: Any, settings: dict[str, Any]) -> None:
    """The mean units read with five results."""
    from math import isnan

    from doxeval.chunks import DUPLICATES, NO_GOLD, judgments_of, units_read
    from doxeval.evaluation import Evaluation

    unit, docs = _unit(settings), settings["docs"]
    tokens = settings["tokens"]
    evaluation = Evaluation(
        judgments_of(gold),
        ["read@5"],
        run_options=RunOptions(duplicates=DUPLICATES),
        counting=Counting(texts=docs, tokens=tokens),
    )
    for run in runs:
        read = units_read(evaluation, run, unit)
        shown = NO_GOLD if isnan(read) else f"{read:,.0f} {unit} read with 5 results"
        line(f"{run.run_id}: {shown}")
    if docs is None:
        note("budgets count characters, since the documents are not known (--docs)")


def _print_oracles(
    table: ScoreTable,
    runs: Sequence[Run],
    chunks: Sequence[Chunks | None],
    gold: Any,
    settings: dict[str, Any],
) -> None:
    """What the chunks allow, and how much is lost by cutting and by search."""
    from doxeval.chunks import oracle
    from doxeval.cli.output import aligned
    from doxeval.reports import losses

    rows = []
    for format_score, (run, own) in enumerate(zip(runs, chunks, strict=True)):
        if own is None or own.docs is None:
            continue
        unit, tokens = _unit(settings), settings["tokens"]
        ideal = oracle(own, gold, unit=unit, tokens=tokens, run_id=run.run_id)
        best = _scored([ideal], [own], gold, settings)
        ignoring = settings | {"solid": True}
        for loss in losses(*(_scored([each], [own], gold, ignoring) for each in (run, ideal))):
            if loss.measure.startswith(("bR", "U@")):
                scores = (
                    of.view(at)[loss.measure] or 0 for of, at in ((table, format_score), (best, 0))
                )
                cells = (*scores, loss.cutting, loss.search)
                rows.append([loss.run, loss.measure, *(f"{cell:.4f}" for cell in cells)])
    if rows:
        line()
        header = ["run", "measure", "score", "oracle (greedy)", "lost by cutting", "by search"]
        from doxeval.cli.output import block

        block(aligned(header, rows))
        line("White space is not lost: losses are counted without it.")


def _print_tags(table: ScoreTable, gold: Questions | Any) -> None:
    """Means by tag, and the mean of these."""
    import numpy as np

    from doxeval.cli.output import aligned, block
    from doxeval.errors import InputError
    from doxeval.scores import format_score

    tags = getattr(gold, "tags", {})
    names = list(dict.fromkeys(tag for own in tags.values() for tag in own))
    if not names:
        raise InputError("the questions have no tags: --by tag needs questions that do")
    rows = []
    for run in table.runs:
        means = []
        for tag in names:
            chosen = [tag in tags.get(topic, ()) for topic in table.topic_ids]
            values = run.values[:, np.array(chosen, dtype=np.bool_)]
            counts = np.count_nonzero(~np.isnan(values), axis=1)
            total = np.nansum(values, axis=1)
            mean = np.divide(total, counts, out=np.full(len(total), np.nan), where=counts > 0)
            means.append(mean)
            rows.append([run.run, tag, *map(format_score, mean)])
        macro = np.array(means).mean(axis=0)
        rows.append([run.run, "mean of tags", *map(format_score, macro)])
    line()
    block(aligned(["run", "tag", *table.labels], rows))


def _format(options: dict[str, Any]) -> str:
    out: Path | None = options["out"]
    if options["format_"] is not None:
        return str(options["format_"])
    suffix = "" if out is None else out.suffix.lower()
    return {".json": "json", ".csv": "csv"}.get(suffix, "table")


def _write(table: ScoreTable, options: dict[str, Any]) -> None:
    from doxeval.cli.scoring import as_text
    from doxeval.files import open_output
    from doxeval.messages import utf8
    from doxeval.scores import FORMATS

    format_ = _format(options)
    if format_ == "table":
        contents = utf8(as_text(table, options["per_topic"]))
    else:
        contents = FORMATS[format_](table, options["per_topic"])
    if options["out"] is None:
        data(contents)
        return
    with open_output(options["out"]) as file:
        file.write(contents)
