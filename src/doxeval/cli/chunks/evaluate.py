"""`doxeval chunks evaluate`: runs of chunks scored, with the best that their chunks allow."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from doxeval.cli.chunks.inputs import (
    FolderOptions,
    gold_in_file,
    gold_option,
    max_missing_option,
    min_score_option,
    some_docs_option,
)
from doxeval.cli.options import check_wide, out_option, tokens_option, wide_option
from doxeval.cli.output import as_page, data, line, note, print_table, warn
from doxeval.cli.thresholds import ThresholdOptions
from doxeval.cli.verb import part, verb
from doxeval.named import option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from doxeval.assessments import Assessments
    from doxeval.chunks import Chunks, Documents, Questions
    from doxeval.evaluation import Evaluation
    from doxeval.runs import Run
    from doxeval.scores import ScoreTable

_READ = "read@5"
_LOST = ("bR", "U")  # measures of which losses are shown, which do not include white space


@dataclass(frozen=True)
class ChunkEvaluateOptions:
    """The options of `doxeval chunks evaluate`."""

    gold: str = gold_option()
    chunks: tuple[str, ...] = option(
        (),
        "The chunks of the runs: one file for all, or one for each run; may be repeated.",
        metavar="FILE",
    )
    docs: str | None = some_docs_option()
    folder: FolderOptions = part(FolderOptions)
    tokens: str | None = tokens_option()
    measures: tuple[str, ...] = option(
        (), "A measure; may be repeated.", metavar="MEASURE", flags=("-m", "--measure")
    )
    presets: tuple[str, ...] = option(
        (), "A set of measures.", flags=("--preset",), metavar="TEXT", shown_default="rag"
    )
    per_topic: bool = option(False, "Also print the scores of each question.")
    by: Literal["tag"] | None = option(None, "Also print means by tag, and their mean.")
    format: Literal["table", "json", "csv"] | None = option(
        None, "Format of the output.", shown_default="by the name of --out, else table"
    )
    out: Path | None = out_option("Write to this file.", default=None)
    wide: bool = wide_option()
    max_missing: str = max_missing_option("quotes")
    min_score: float | None = min_score_option()
    thresholds: ThresholdOptions = part(ThresholdOptions)

    def output_format(self) -> str:
        """Return the format that was given, or that of the file's name."""
        suffix = "" if self.out is None else self.out.suffix.lower()
        return self.format or {".json": "json", ".csv": "csv"}.get(suffix, "table")


@verb(ChunkEvaluateOptions)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
def evaluate(runs: tuple[str, ...], options: ChunkEvaluateOptions) -> None:
    """Score runs of chunks. A run names chunks by id, or ranges of text. NAME=FILE renames it.

    With a measure of k results (-m cR@10), the table shows how much is read with them (read@10):
    words, or tokens as --tokens counts them; characters where the documents are not known.

    With --chunks, the greedy oracle over the same chunks is shown too: what is missing there is
    lost by chunking, the rest by retrieval.

    Questions without an answer (answerable: false) are scored by none@k and vain@B, in a table of
    their own, and those whose answers are known as strings by ans@k.

    Gold that is not in the documents is an error, unless --max-missing allows it. It is then left
    out, with a warning: a need that is not found counts neither as answered nor as missed.

    \b
    Examples:
      doxeval chunks evaluate run.jsonl -g judged.jsonl --chunks located.jsonl
      doxeval chunks evaluate a.jsonl b.jsonl -g judged.jsonl --docs handbook \\
        --fail-under bR@1000=.85 --baseline last.json --max-drop .02 --junit checks.xml
    """
    from doxeval.chunks import Questions, judgments_of, tags_of, usual_of_answers, usual_presets
    from doxeval.measures import measure_named, preset_named, tokeniser_of

    if len(options.chunks) > 1 and len(options.chunks) != len(runs):
        raise click.UsageError("give one file of --chunks, or one for each run")
    check_wide(options.output_format())
    gates = options.thresholds.requested(options.out)
    if options.tokens is not None:
        tokeniser_of(options.tokens)
    presets = options.presets or (() if options.measures else ("rag",))
    names = gates.measures(options.measures, presets)
    known = [name for preset in presets for name in preset_named(preset).measures]
    for name in names:
        measure_named(name)  # an unknown one is an error before anything is read
    given = options.folder.documents(options.docs)
    chunks = [_chunks(file, given) for file in options.chunks]
    docs = given
    if docs is None:
        docs = next((of_file.docs for of_file in chunks if of_file.docs is not None), None)
    gold = gold_in_file(options.gold, docs, options.max_missing)
    of_runs: list[Chunks | None] = [*chunks] or [None]
    of_runs = of_runs * len(runs) if len(of_runs) == 1 else of_runs
    if options.tokens is not None and docs is None:
        raise click.UsageError("--tokens counts in the texts of documents: give --docs")
    if not options.presets and not options.measures:
        judgments = judgments_of(gold)
        presets = usual_presets(judgments)
        known = known if presets else []
        names = [*names, *(name for name in usual_of_answers(judgments) if name not in names)]
    read = _read_runs(runs, of_runs, options.min_score)
    is_table = options.output_format() == "table"
    with_losses = is_table and bool(chunks)
    scored = _Scored(judgments_of(gold), names, presets, known, docs, options.tokens, with_losses)
    by_run = dict(zip(read, of_runs, strict=True))
    table = scored.table(read, by_run)
    # How the gold of questions was found has been printed.
    _print_warnings(table, gold.warnings if isinstance(gold, Questions) else ())
    table = replace(table, tags=tags_of(gold))
    with gates.around(scored.without_reading(table)):
        _write(scored.with_reading(table) if is_table else scored.without_reading(table), options)
        if is_table:
            _print_reading(table, docs, options.tokens)
            _print_losses(table, scored, by_run)
        if options.by == "tag":
            _print_tags(scored.without_reading(table), gold)


def _chunks(file: str, docs: Documents | None) -> Chunks:
    from doxeval.chunks import chunks_with_texts, read_chunks

    chunks = read_chunks(file, docs)
    if chunks.docs is not None or chunks.given is None or chunks.added.any():
        return chunks
    return chunks_with_texts(file)


def _read_runs(
    given: Sequence[str], chunks: Sequence[Chunks | None], min_score: float | None
) -> dict[str, Run]:
    """Return the runs, each by a name that no other has."""
    from doxeval.chunks import read_chunk_run, threshold
    from doxeval.cli.scoring import named_run
    from doxeval.scores import distinct_names

    runs, files = [], []
    for text, of_run in zip(given, chunks, strict=True):
        source = named_run(text)
        file = source.file or str(source.source)
        run = read_chunk_run(file, of_run)
        run = run if min_score is None else threshold(run, min_score)
        runs.append(run.with_id(source.name) if source.name else run)
        files.append(file)
    names = distinct_names([(run.run_id, file) for run, file in zip(runs, files, strict=True)])
    return {name: run.with_id(name) for name, run in zip(names, runs, strict=True)}


@dataclass(frozen=True)
class _Scored:
    """What runs are scored against, and the measures: those requested, and what is read."""

    judgments: Assessments
    names: Sequence[str]
    presets: Sequence[str]
    known: Sequence[str]
    docs: Documents | None
    tokens: str | None
    with_losses: bool
    evaluations: dict[int, Evaluation] = field(default_factory=dict)

    @property
    def reading(self) -> list[str]:
        """The measures of what is read that are shown with the requested ones."""
        from doxeval.chunks import reading_measures

        return reading_measures(self.names, self.known)

    @property
    def hidden(self) -> list[str]:
        """The measures of what is read that were not requested."""
        from doxeval.measures import as_measure

        requested = {str(as_measure(name)) for name in (*self.names, *self.known)}
        reading = dict.fromkeys([*self.reading, _READ])
        return [name for name in reading if str(as_measure(name)) not in requested]

    def evaluation(self, chunks: Chunks | None) -> Evaluation:
        """Return the evaluation of runs of these chunks: one for all if no measure needs them."""
        from doxeval.chunks import evaluation_of_chunks
        from doxeval.evaluation import Counting, Keep
        from doxeval.measures import Need, as_measure

        measures = map(as_measure, (*self.names, *self.known))
        if not any(Need.CHUNKS in measure.needs for measure in measures):
            chunks = None
        if id(chunks) not in self.evaluations:
            self.evaluations[id(chunks)] = evaluation_of_chunks(
                self.judgments,
                [*self.names, *self.hidden],
                presets=self.presets,
                chunks=None if chunks is None else chunks.table,
                counting=Counting(self.docs, self.tokens),
                keep=Keep(without_whitespace=_LOST if self.with_losses else ()),
            )
        return self.evaluations[id(chunks)]

    def by_evaluation(
        self, chunks: Mapping[str, Chunks | None]
    ) -> list[tuple[Evaluation, list[str]]]:
        """Return each evaluation with the names of the runs that it scores, given their chunks."""
        groups: dict[int, tuple[Evaluation, list[str]]] = {}
        for name, of_run in chunks.items():
            evaluation = self.evaluation(of_run)
            groups.setdefault(id(evaluation), (evaluation, []))[1].append(name)
        return list(groups.values())

    def table(self, runs: Mapping[str, Run], chunks: Mapping[str, Chunks | None]) -> ScoreTable:
        """Return the scores of all runs in one table, given the chunks of each."""
        from doxeval.chunks import short_labels

        tables = [
            short_labels(evaluation.score_all({name: runs[name] for name in names}))
            for evaluation, names in self.by_evaluation(chunks)
        ]
        by_name = {run.run: run for table in tables for run in table.runs}
        scores = [replace(by_name[name], file=run.origin) for name, run in runs.items()]
        return replace(tables[0], runs=tuple(scores))

    def with_reading(self, table: ScoreTable) -> ScoreTable:
        """Return the table with what is read after the measures of as many results."""
        from doxeval.chunks import with_reading

        labels = [*self.without_reading(table).labels, *self.reading]
        return with_reading(table.only(measures=labels), self.reading)

    def without_reading(self, table: ScoreTable) -> ScoreTable:
        """Return the table with the requested measures only."""
        return table.only(measures=[name for name in table.labels if name not in self.hidden])


# Output


def _print_warnings(table: ScoreTable, printed: Sequence[str]) -> None:
    """Print warnings about the gold, and about each run by its name if there are several."""
    from doxeval.messages import Message, truncate

    warn(warning for warning in table.warnings if warning not in printed)
    for run in table.runs:
        prefix = f"{truncate(run.run)}: " if len(table.runs) > 1 else ""
        warn(Message(prefix, warning) for warning in run.warnings if warning not in table.warnings)


def _write(table: ScoreTable, options: ChunkEvaluateOptions) -> None:
    from doxeval.chunks import unanswerable_tables
    from doxeval.cli.scoring import as_text
    from doxeval.files import open_output
    from doxeval.messages import utf8
    from doxeval.scores import FORMATS

    format_ = options.output_format()
    if format_ == "table":
        for_file = options.out is not None
        names = [facts.label for facts in table.measures if facts.about == "answerable"]
        text = as_text(table.only(measures=names), options.per_topic, for_file) if names else ""
        for other in unanswerable_tables(table):
            text += as_page(*([""] if text else []), other, for_file=for_file)
        contents = utf8(text)
    else:
        contents = FORMATS[format_](table, options.per_topic)
    if options.out is None:
        data(contents)
        return
    with open_output(options.out) as file:
        file.write(contents)


def _print_reading(table: ScoreTable, docs: Documents | None, tokens: str | None) -> None:
    """Print the mean units read with five results."""
    from doxeval.chunks import NO_GOLD
    from doxeval.scores import mean_of

    unit = "characters" if docs is None else "words" if tokens is None else "tokens"
    column = table.index_of_measure(_READ)
    for run in table.runs:
        read = mean_of(run.values[column])
        shown = NO_GOLD if read is None else f"{read:,.0f} {unit} read with 5 results"
        line(f"{run.run}: {shown}")
    if docs is None:
        note("budgets count characters, since the documents are not known (--docs)")


def _print_losses(table: ScoreTable, scored: _Scored, chunks: Mapping[str, Chunks | None]) -> None:
    """Print what the chunks allow, and how much is lost by chunking and by retrieval."""
    from doxeval.chunks import oracle_runs, short_labels
    from doxeval.reports import losses

    tables = {
        name: of_run.table
        for name, of_run in chunks.items()
        if of_run is not None and of_run.docs is not None
    }
    by_run: dict[str, list[list[str]]] = {}
    for evaluation, names in scored.by_evaluation(chunks):
        oracles = oracle_runs(evaluation, {name: tables[name] for name in names if name in tables})
        if not oracles:
            continue
        best = short_labels(evaluation.score_all(oracles))
        for loss in losses(table, best):
            scores = (of[loss.run][loss.measure] or 0 for of in (table, best))
            cells = (*scores, loss.chunking, loss.retrieval)
            row = [loss.run, loss.measure, *(f"{cell:.4f}" for cell in cells)]
            by_run.setdefault(loss.run, []).append(row)
    if by_run:
        line()
        header = ["run", "measure", "score", "oracle (greedy)", "lost by chunking", "by retrieval"]
        print_table(header, [row for name in chunks for row in by_run.get(name, [])])
        line("White space is not lost: losses are counted without it.")


def _print_tags(table: ScoreTable, gold: Questions | Any) -> None:
    """Print means by tag, and the mean of these."""
    import numpy as np

    from doxeval.errors import InputError
    from doxeval.scores import format_score

    tags = getattr(gold, "tags", {})
    names = list(dict.fromkeys(tag for of_question in tags.values() for tag in of_question))
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
    print_table(["run", "tag", *table.labels], rows)
