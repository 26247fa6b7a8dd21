"""`doxeval chunks evaluate`: runs of chunks scored, with the best that their chunks allow."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from doxeval.cli.chunks.inputs import (
    FolderOptions,
    gold_in_file,
    gold_option,
    max_missing_option,
    min_score_option,
    some_docs_option,
)
from doxeval.cli.options import (
    check_wide,
    max_results_option,
    out_option,
    tokens_option,
    wide_option,
    without_metadata,
)
from doxeval.cli.output import as_page, data, line, note, print_page, print_table, warn
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
    unit: Literal["characters", "words", "tokens"] | None = option(
        None,
        "What budgets count.",
        shown_default="words if the documents are known, tokens with --tokens, else characters",
    )
    tokens: str | None = tokens_option()
    measures: tuple[str, ...] = option(
        (), "A measure; may be repeated.", metavar="MEASURE", flags=("-m", "--measure")
    )
    presets: tuple[str, ...] = option(
        (), "A set of measures.", flags=("--preset",), metavar="TEXT", shown_default="rag"
    )
    budget: int | None = option(
        None,
        "The largest budget, instead of the preset: recall at an eighth, a quarter and half of it "
        "and at all of it, U, and the measures of results that `chunks try` has.",
        at_least=1,
    )
    k: int | None = max_results_option(
        "Maximum number of results per question that count.", None, shown_default="all"
    )
    per_topic: bool = option(False, "Also print the scores of each question.")
    by: Literal["tag", "type"] | None = option(
        None,
        "Also print means by tag of the questions, or by type of the documents with their gold, "
        "with the number of questions, the interval of the first measure, and the mean of groups.",
    )
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
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, callback=without_metadata)
def evaluate(runs: tuple[str, ...], options: ChunkEvaluateOptions) -> None:
    """Score runs of chunks, which name chunks by id, or ranges of text.

    Runs are called by the names of their files, or as NAME=FILE says.

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
    from doxeval.chunks import (
        Questions,
        judgments_of,
        runs_of_chunks,
        tags_of,
        usual_measures,
        usual_of_answers,
        usual_presets,
    )
    from doxeval.cli.scoring import named_run
    from doxeval.measures import measure_named, preset_named, tokeniser_of

    if len(options.chunks) > 1 and len(options.chunks) != len(runs):
        raise click.UsageError("give one file of --chunks, or one for each run")
    check_wide(options.output_format())
    if options.by is not None and options.output_format() != "table" and options.out is None:
        raise click.UsageError("--by prints a table: give --out for the other format")
    gates = options.thresholds.requested(options.out)
    if options.tokens is not None:
        tokeniser_of(options.tokens)
    has_others = options.measures or options.budget is not None
    presets = options.presets or (() if has_others else ("rag",))
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
    usual: list[str] = []
    if options.budget is not None:
        usual = usual_measures(judgments_of(gold), options.budget)
        names = [*usual, *(name for name in names if name not in usual)]
    elif not options.presets and not options.measures:
        presets = usual_presets(judgments_of(gold))
        known = known if presets else []
        usual = usual_of_answers(judgments_of(gold))
        names = [*names, *(name for name in usual if name not in names)]
    read = runs_of_chunks([named_run(text) for text in runs], of_runs, options.k, options.min_score)
    is_table = options.output_format() == "table"
    with_losses = is_table and bool(chunks)
    scored = _Scored(
        judgments_of(gold),
        names,
        presets,
        known,
        docs,
        options.unit or "auto",
        options.tokens,
        with_losses,
    )
    by_run = dict(zip(read, of_runs, strict=True))
    table = scored.table(read, by_run)
    # How the gold of questions was found has been printed.
    _print_warnings(table, gold.warnings if isinstance(gold, Questions) else ())
    table = replace(table, tags=tags_of(gold))
    with gates.around(scored.without_reading(table)):
        _write(scored.with_reading(table) if is_table else scored.without_reading(table), options)
        if is_table:
            _print_reading(table, docs, options)
            _print_losses(table, scored, by_run)
        if options.by is not None:
            _print_groups(scored.without_reading(table), gold, docs, options.by)


def _chunks(file: str, docs: Documents | None) -> Chunks:
    from doxeval.chunks import chunks_with_texts, read_chunks

    chunks = read_chunks(file, docs)
    if chunks.docs is not None or chunks.given is None or chunks.added.any():
        return chunks
    return chunks_with_texts(file)


@dataclass(frozen=True)
class _Scored:
    """What runs are scored against, and the measures: those requested, and what is read."""

    judgments: Assessments
    names: Sequence[str]
    presets: Sequence[str]
    known: Sequence[str]
    docs: Documents | None
    unit: str
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
                unit=self.unit,
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
            short_labels(evaluation.score_all({name: runs[name] for name in names}), self.unit)
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

    of_gold, known = set(printed), set(table.warnings)
    warn(warning for warning in table.warnings if warning not in of_gold)
    for run in table.runs:
        prefix = f"{truncate(run.run)}: " if len(table.runs) > 1 else ""
        warn(Message(prefix, warning) for warning in run.warnings if warning not in known)


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


def _print_reading(
    table: ScoreTable, docs: Documents | None, options: ChunkEvaluateOptions
) -> None:
    """Print the mean units read with five results."""
    from doxeval.chunks import NO_GOLD
    from doxeval.scores import mean_of

    by_default = "words" if options.tokens is None else "tokens"
    unit = options.unit or ("characters" if docs is None else by_default)
    column = table.index_of_measure(_READ)
    for run in table.runs:
        read = mean_of(run.values[column])
        shown = NO_GOLD if read is None else f"{read:,.0f} {unit} read with 5 results"
        line(f"{run.run}: {shown}")
    if docs is None and options.unit is None:
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
        known = {name: tables[name] for name in names if name in tables}
        oracles = oracle_runs(evaluation, known, scored.unit)
        if not oracles:
            continue
        best = short_labels(evaluation.score_all(oracles), scored.unit)
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


def _print_groups(
    table: ScoreTable, gold: Questions | Assessments, docs: Documents | None, by: str
) -> None:
    """Print the means of each group of questions with their number, and the mean of all groups."""
    import numpy as np

    from doxeval.chunks import group_means, questions_by_tag, questions_by_type
    from doxeval.scores import TextTable, format_score, mean_of

    groups = questions_by_tag(gold) if by == "tag" else questions_by_type(gold, docs)
    by_measure = [
        {(row.choice, row.group): row for row in group_means(table, name, groups, by, "run").rows}
        for name in table.labels
    ]
    rows = []
    for run in table:
        of_run = [[found[run, group] for found in by_measure] for group in groups]
        for group, (first, *others) in zip(groups, of_run, strict=True):
            means = [first.mean, *(first.interval or (None, None)), *(row.mean for row in others)]
            rows.append([run, group, f"{first.questions:,}", *map(format_score, means)])
        of_groups = [
            mean_of(np.array([row.mean for row in column if row.mean is not None]))
            for column in zip(*of_run, strict=True)
        ]
        mean, *further = map(format_score, of_groups)
        rows.append([run, f"mean of {by}s", "", mean, "", "", *further])
    measure, *measures = table.labels
    header = ["run", by, "questions", measure, "from", "to", *measures]
    title = f"means by {by}; from and to: the interval of 95 % of {measure}"
    line()
    print_page(TextTable(header, rows, title, longest=None, left=(0, 1)))
