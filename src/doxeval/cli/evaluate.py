"""`doxeval evaluate`: score runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from doxeval.cli.options import check_wide, out_option, runs_argument, wide_option
from doxeval.cli.output import data, fail, is_terminal, line, note
from doxeval.cli.scoring import ScoringOptions, describe_option, described
from doxeval.cli.thresholds import ThresholdOptions
from doxeval.cli.verb import (
    CHECKED,
    OTHER_PROGRAMS,
    OUTPUT,
    given_options,
    in_group,
    part,
    refuse,
    verb,
)
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.scores import ScoreTable

_BY_SUFFIX = {
    ".txt": "table",
    ".json": "json",
    ".csv": "csv",
    ".parquet": "parquet",
    ".tex": "latex",
    ".trec": "trec",
}
_WITH_CURVES = ("json", "csv")
_WITH_DESCRIPTIONS = ("table", "json")
_WITH_DOCUMENTS = ("table", "json", "csv", "parquet")
_INEX_EVAL, _TREC_EVAL = "inex_eval-3.1", "trec_eval-9.0.8"
_BAD_FILE = 2  # how trec_eval ends where it cannot read a file
_RANKS_OF_PROFILE = (1, 5, 10, 50)


@dataclass(frozen=True)
class _TrecEvalFlags:
    """Options of trec_eval, with its letters."""

    each_topic: bool = option(
        False, "With --compat trec_eval-9.0.8: also print each topic.", flags=("-q",)
    )
    all_topics: bool = option(
        False, "With --compat trec_eval-9.0.8: average over all topics of the qrels.", flags=("-c",)
    )
    relevance_level: int | None = option(
        None,
        "With --compat trec_eval-9.0.8: the lowest relevant grade.",
        at_least=0,
        flags=("-l",),
        shown_default="1",
    )
    judged_only: bool = option(
        False, "With --compat trec_eval-9.0.8: leave out unjudged documents.", flags=("-J",)
    )
    max_results: int | None = option(
        None,
        "With --compat trec_eval-9.0.8: how many results of a topic count.",
        at_least=0,
        flags=("-M",),
        shown_default="all",
    )
    no_summary: bool = option(
        False, "With --compat trec_eval-9.0.8: print no averages.", flags=("-n",)
    )


@dataclass(frozen=True)
class _CompatOptions:
    """Options of other programs."""

    compat: Literal["inex_eval-3.1", "trec_eval-9.0.8"] | None = option(
        None, "Print just what this program prints."
    )
    task: Literal["thorough", "focused", "relevant-in-context", "best-in-context", "t2i"] | None = (
        option(None, "With --compat inex_eval-3.1: the task.")
    )
    n: int | None = option(None, "With --task best-in-context: n.", shown_default="500")
    beta: float | None = option(
        None, "With --compat inex_eval-3.1: β of the F-score.", shown_default="0.25"
    )
    irr: int | None = option(None, "With --task t2i: irr.", shown_default="300")
    trec: _TrecEvalFlags = part(_TrecEvalFlags)


_OF_INEX_EVAL = ("task", "n", "beta", "irr")
_OF_TREC_EVAL = tuple(_TrecEvalFlags.__annotations__)
# The options that mean something for each program.
_WITH_COMPAT = {
    _INEX_EVAL: {
        *("runs", "assessments", "average_over", "per_topic", "out", "format", "compat"),
        *_OF_INEX_EVAL,
    },
    _TREC_EVAL: {"runs", "assessments", "measures", "out", "compat", *_OF_TREC_EVAL},
}


@dataclass(frozen=True)
class EvaluateOptions(ScoringOptions):
    """What is scored, how, and what is written."""

    per_topic: bool = in_group(OUTPUT, option(False, "Also print the scores of each topic."))
    profile: Literal["esr"] | None = in_group(
        OUTPUT,
        option(
            None,
            "Also print how much each run serves directly, leaves to navigation, and misses.",
        ),
    )
    diagnostics: bool = in_group(
        OUTPUT, option(False, "Also print how many of each run's documents were judged.")
    )
    curves: bool = in_group(
        OUTPUT, option(False, "Also write the curves behind the scores (JSON, CSV).")
    )
    per_document: bool = in_group(
        OUTPUT,
        option(
            False,
            "Also write precision, recall and score of each document that measures in context "
            "average; CSV and Parquet have nothing else then.",
        ),
    )
    format: Literal["table", "json", "csv", "parquet", "latex", "trec", "inex_eval"] | None = (
        in_group(
            OUTPUT,
            (
                option(
                    None, "Format of the output.", shown_default="by the name of --out, else table"
                )
            ),
        )
    )
    out: Path | None = in_group(OUTPUT, out_option("Write to this file.", None))
    describe: tuple[str, ...] = in_group(OUTPUT, describe_option())
    wide: bool = in_group(OUTPUT, wide_option())
    thresholds: ThresholdOptions = in_group(CHECKED, part(ThresholdOptions))
    old: _CompatOptions = in_group(OTHER_PROGRAMS, part(_CompatOptions))

    @property
    def output_format(self) -> str:
        """The format that was requested, or else the one that the output's name stands for."""
        if self.format is not None:
            return self.format
        if self.out is None:
            return "table"
        if self.out.suffix.lower() not in _BY_SUFFIX:
            raise click.UsageError(
                f"--out {self.out}: no format goes by this name; known suffixes are "
                f"{', '.join(_BY_SUFFIX)}, and --format chooses a format for any name"
            )
        return _BY_SUFFIX[self.out.suffix.lower()]


@verb(EvaluateOptions)
@runs_argument
def evaluate(runs: tuple[str, ...], options: EvaluateOptions) -> None:
    """Score runs by measures.

    A run is a file. Write NAME=FILE to show it under another name.

    \b
    Examples:
      doxeval evaluate my.run -a qrels.txt -m 'iP[.01]' -m MAiP
      doxeval evaluate bm25=a.run lm=b.run -a qrels.txt --preset inex2009-focused --per-topic
      doxeval evaluate my.xml -a assessments/ --collection wiki -m nxCG@10 --format json
      doxeval evaluate my.run -a qrels.txt -m MAgP --per-document --format csv
      doxeval evaluate my.run -a qrels.txt --compat inex_eval-3.1 --task focused
      doxeval evaluate my.run -a qrels.txt --compat trec_eval-9.0.8 -q -m map -m P.5,10
      doxeval evaluate my.run -a qrels.txt -m MAiP --fail-under MAiP=.4 \\
        --baseline last.json --max-drop .02 --significant --junit checks.xml
    """
    if options.old.compat == _TREC_EVAL:
        _print_as_trec_eval(runs, options)
        return
    if options.old.compat or options.format == "inex_eval":
        _print_as_inex_eval(runs, options)
        return
    for name in _OF_INEX_EVAL:
        if getattr(options.old, name) is not None:
            raise click.UsageError(f"--{name} goes with --compat; a measure has its own parameters")
    refuse(_OF_TREC_EVAL, f"goes with --compat {_TREC_EVAL}")
    format_ = options.output_format
    _check_room(options, format_)
    check_wide(format_)
    if format_ not in _WITH_DESCRIPTIONS:
        refuse({"describe"}, f"goes with --format {' or '.join(_WITH_DESCRIPTIONS)}")
    from doxeval.evaluation import Keep

    thresholds = options.thresholds.requested(options.out)
    options = replace(
        options, measures=tuple(thresholds.measures(options.measures, options.presets))
    )
    names, curves = _measures(options, format_)
    keep = Keep(curves, options.per_document, judged=options.diagnostics)
    evaluation = options.evaluation(names, keep=keep)
    table = described(options.scores(evaluation, runs), options.describe)
    with thresholds.around(table):
        _put(_rendered(table, format_, options), options.out)
        if options.profile is not None:
            for text in _profile_lines(table):
                (line if format_ == "table" else note)(text)
        if options.diagnostics:
            for text in _diagnostics_lines(table):
                (line if format_ == "table" else note)(text)


def _check_room(options: EvaluateOptions, format_: str) -> None:
    """Refuse scores of documents and curves where there is no room for them."""
    if format_ == "parquet" and options.out is None and is_terminal():
        raise click.UsageError("Parquet is not for terminals: --out names a file for it")
    if options.per_document:
        if format_ not in _WITH_DOCUMENTS:
            raise click.UsageError(
                "--per-document needs a format that holds it: --format "
                f"{', '.join(_WITH_DOCUMENTS)}"
            )
        for is_given, flag in ((options.per_topic, "--per-topic"), (options.curves, "--curves")):
            if is_given and format_ in ("csv", "parquet"):
                raise click.UsageError(
                    f"--per-document and {flag} do not fit into one file of {format_}; --format "
                    "json holds both"
                )
    if options.curves and format_ not in _WITH_CURVES:
        raise click.UsageError(
            f"--curves needs a format that holds them: --format {' or '.join(_WITH_CURVES)}"
        )


def _measures(options: EvaluateOptions, format_: str) -> tuple[list[str], bool]:
    """Return the requested measures, and whether their curves are kept."""
    profile: Sequence[str] = ()
    if options.profile is not None:
        from doxeval.measures import PROFILE

        profile = PROFILE
    curves = options.curves or bool(profile)
    if options.presets and format_ == "json":
        from doxeval.measures import preset_named

        curves |= any(preset_named(name).curves for name in options.presets)
    return options.requested_measures(*profile), curves


def _rendered(table: ScoreTable, format_: str, options: EvaluateOptions) -> bytes:
    if format_ == "table":
        from doxeval.cli.scoring import as_text
        from doxeval.messages import utf8

        for_file = options.out is not None
        return utf8(
            as_text(table, options.per_topic, for_file) + documents_as_text(table, for_file)
        )
    from doxeval.scores import DOCUMENT_FORMATS, FORMATS, curves_as_csv

    if options.per_document and format_ in DOCUMENT_FORMATS:
        return DOCUMENT_FORMATS[format_](table)
    if options.curves and format_ == "csv":
        return curves_as_csv(table)
    return FORMATS[format_](table, options.per_topic)


def _put(contents: bytes, out: Path | None) -> None:
    if out is None:
        data(contents)
        return
    from doxeval.files import open_output

    with open_output(out) as file:
        file.write(contents)


def _print_as_inex_eval(runs: tuple[str, ...], options: EvaluateOptions) -> None:
    """Print just what inex_eval prints."""
    from doxeval.compat import InexEvalOptions, InexEvalTask, inex_eval_lines
    from doxeval.messages import utf8

    old = options.old
    if old.task is None:
        raise click.UsageError("--compat needs the --task")
    if options.format not in (None, "inex_eval"):
        raise click.UsageError("--compat prints lines of inex_eval; leave out --format")
    if options.measures or options.presets:
        raise click.UsageError(
            "--compat prints the measures of its task; leave out -m and --preset"
        )
    _check_meaning(_INEX_EVAL)
    settings = InexEvalOptions(
        InexEvalTask(old.task),
        500 if old.n is None else old.n,
        0.25 if old.beta is None else old.beta,
        300 if old.irr is None else old.irr,
        options.average_over == "assessed",
        options.per_topic,
    )
    lines = [
        text
        for file in _files(runs, _INEX_EVAL)
        for text in inex_eval_lines(file, options.assessments, settings)
    ]
    _put(utf8("".join(f"{text}\n" for text in lines)), options.out)


def _print_as_trec_eval(runs: tuple[str, ...], options: EvaluateOptions) -> None:
    """Print just what trec_eval prints, for one run after another, and end as it does."""
    from doxeval.compat import TrecEvalOptions, read_trec_qrels, trec_eval_lines
    from doxeval.errors import InputError
    from doxeval.messages import utf8

    _check_meaning(_TREC_EVAL)
    if len(options.assessments) > 1:
        raise click.UsageError(f"{_TREC_EVAL} reads one file of qrels: give -a once")
    given = options.old.trec
    files, lines = _files(runs, _TREC_EVAL), list[str]()
    try:
        settings = TrecEvalOptions(
            options.measures or ("official",),
            given.each_topic,
            given.all_topics,
            1 if given.relevance_level is None else given.relevance_level,
            given.judged_only,
            given.max_results,
            not given.no_summary,
        )
        qrels = read_trec_qrels(options.assessments[0])
        for file in files:
            lines.extend(trec_eval_lines(file, qrels, settings))
    except InputError as error:
        if options.out is None:  # as much as trec_eval has printed by then
            data(utf8("".join(f"{text}\n" for text in lines)))
        fail(error)
        raise SystemExit(getattr(error, "exit_code", _BAD_FILE)) from None
    _put(utf8("".join(f"{text}\n" for text in lines)), options.out)


def _check_meaning(program: str) -> None:
    """Refuse options that mean nothing for a program."""
    for name, flag in given_options().items():
        if name not in _WITH_COMPAT[program]:
            raise click.UsageError(f"{flag} has no meaning for {program}; leave it out")


def _files(runs: tuple[str, ...], program: str) -> list[str]:
    """Return the files of runs, which have no other names."""
    from doxeval.cli.scoring import named_run

    inputs = [named_run(run) for run in runs]
    if any(run.name is not None for run in inputs):
        raise click.UsageError(f"{program} prints no names of runs; leave out NAME=")
    return [str(run.file) for run in inputs]


# Scores of documents


def documents_as_text(table: ScoreTable, for_file: bool = False) -> str:
    """Return a table for each run and way of scoring; columns without any number are left out.

    >>> from doxeval.assessments import Assessments, Judgment
    >>> from doxeval.evaluation import Keep, evaluate
    >>> from doxeval.runs import Kind, Result, Run
    >>> run = Run.from_results([Result("7", "a", Kind.PASSAGE, 50, 150)], "mine")
    >>> judged = Assessments([Judgment("7", "a", ((0, 100),), document_length=500)])
    >>> table = evaluate(run, judged, "MAgP", keep=Keep(per_document=True))
    >>> print(documents_as_text(table), end="")
    <BLANKLINE>
    mine: documents by F(beta=1)
    topic  rank  document   score  precision  recall  retrieved  relevant_retrieved  relevant
    7         1         a  0.5000     0.5000  0.5000        100                  50       100
    """
    from doxeval.cli.output import as_page
    from doxeval.messages import escape
    from doxeval.scores import DocumentRow, TextTable

    columns = ("topic", "rank", "document", *DocumentRow._fields[5:])
    parts: list[TextTable | str] = []
    by_list = groupby(table.document_rows(), lambda row: (row.run, row.scored_by))
    for (run, scored_by), group in by_list:
        rows = list(group)
        names = [name for name in columns if any(getattr(row, name) is not None for row in rows)]
        cells = [[_cell(getattr(row, name)) for name in names] for row in rows]
        parts += ["", escape(f"{run}: documents by {scored_by}")]
        parts.append(TextTable(names, cells, longest=None))
    return as_page(*parts, for_file=for_file)


def _cell(value: str | float | None) -> str:
    from doxeval.scores import format_score

    return format_score(value) if value is None or isinstance(value, float) else str(value)


# Diagnostics


def _diagnostics_lines(table: ScoreTable) -> Iterator[str]:
    """Yield a line about each run: how much of it was judged."""
    yield ""
    for scores in table.runs:
        if scores.judged is not None:
            yield f"{scores.run}: {scores.judged}"
        elif scores.has_results is None or scores.has_results.any():
            yield (
                f"{scores.run}: how much was judged is not known, because the assessments list "
                "relevant documents only"
            )
        else:
            yield f"{scores.run}: no results for assessed topics"


# The profile


def _profile_lines(table: ScoreTable) -> Iterator[str]:
    """Yield a few lines about each run; the curves have the shares at every rank."""
    from doxeval.measures import PROFILE
    from doxeval.scores import mean_curve

    for scores in table.runs:
        shares = {
            curve.label: [mean or 0.0 for mean in mean_curve(curve, scores.counted)]
            for curve in scores.curves
            if curve.label in PROFILE
        }
        hits, near_misses, misses = (shares[name] for name in PROFILE)
        yield ""
        yield f"{scores.run}: shares of the possible gain"
        for rank in [*(rank for rank in _RANKS_OF_PROFILE if rank < len(hits)), len(hits)]:
            hit, near, missed = (share[rank - 1] for share in (hits, near_misses, misses))
            seen_twice = max(1 - hit - near - missed, 0.0)
            yield (
                f"  after {rank:>4} results: {hit:6.1%} hits, {near:6.1%} near-misses, "
                f"{missed:6.1%} missed, {seen_twice:6.1%} seen twice"
            )
        yield _conclusion(hits[-1], near_misses[-1], misses[-1])


def _conclusion(hit: float, near: float, missed: float) -> str:
    gain = hit + near
    if not gain:
        return "  nothing relevant is found"
    return (
        f"  {hit / gain:.0%} of the gain is served directly, {near / gain:.0%} is left to "
        f"navigation; {missed:.0%} of the possible gain is missed"
    )
