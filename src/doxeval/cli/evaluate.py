"""`doxeval evaluate`: score runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.output import data, is_terminal, line, note
from doxeval.cli.scoring import (
    evaluation_of,
    measures_asked_for,
    measures_option,
    preset_option,
    scores_of,
    scoring_options,
)
from doxeval.cli.thresholds import gate_options, gates_of
from doxeval.cli.verb import given_options, verb

if TYPE_CHECKING:
    from doxeval.scores import ScoreTable

_FORMATS = ["table", "json", "csv", "parquet", "latex", "trec", "inex_eval"]
_BY_SUFFIX = {
    ".txt": "table",
    ".json": "json",
    ".csv": "csv",
    ".parquet": "parquet",
    ".tex": "latex",
    ".trec": "trec",
}
_WITH_CURVES = ("json", "csv")
_WITH_DOCUMENTS = ("table", "json", "csv", "parquet")
_COMPAT = "inex_eval-3.1"
_COMPAT_TASKS = ["thorough", "focused", "relevant-in-context", "best-in-context", "t2i"]
_OF_COMPAT: dict[str, Any] = {"n": 500, "beta": 0.25, "irr": 300}
# The options that also mean something for the old program.
_WITH_COMPAT = {"assessments", "average_over", "per_topic", "out", "format_", "compat", "task"}


@verb()
@scoring_options
@measures_option
@preset_option
@click.option("--per-topic", is_flag=True, help="Also print the scores of each topic.")
@click.option(
    "--profile",
    type=click.Choice(["esr"]),
    help="Also print how much each run serves directly, leaves to navigation, and misses.",
)
@click.option("--curves", is_flag=True, help="Also write the curves behind the scores (JSON, CSV).")
@click.option(
    "--per-document",
    is_flag=True,
    help="Also write precision, recall and score of each document that measures in context "
    "average; CSV and Parquet have nothing else then.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(_FORMATS),
    help="Format of the output.  [default: by the name of --out, else table]",
)
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file.")
@gate_options
@click.option("--compat", type=click.Choice([_COMPAT]), help="Print just what this program prints.")
@click.option("--task", type=click.Choice(_COMPAT_TASKS), help="With --compat: the task.")
@click.option("--n", type=int, help="With --task best-in-context: n.  [default: 500]")
@click.option("--beta", type=float, help="With --compat: β of the F-score.  [default: 0.25]")
@click.option("--irr", type=int, help="With --task t2i: irr.  [default: 300]")
def evaluate(runs: tuple[str, ...], assessments: tuple[str, ...], **options: Any) -> None:
    """Score runs by measures.

    A run is a file. NAME=FILE shows it under another name.

    \b
    Examples:
      doxeval evaluate my.run -a qrels.txt -m 'iP[.01]' -m MAiP
      doxeval evaluate bm25=a.run lm=b.run -a qrels.txt --preset inex2009-focused --per-topic
      doxeval evaluate my.xml -a assessments/ --collection wiki -m nxCG@10 --format json
      doxeval evaluate my.run -a qrels.txt -m MAgP --per-document --format csv
      doxeval evaluate my.run -a qrels.txt --compat inex_eval-3.1 --task focused
      doxeval evaluate my.run -a qrels.txt -m MAiP --fail-under MAiP=.4 \\
        --baseline last.json --max-drop .02 --significant --junit checks.xml
    """
    if options["compat"] or options["format_"] == "inex_eval":
        _print_compatible(runs, assessments, options)
        return
    for name in ("task", *_OF_COMPAT):
        if options[name] is not None:
            raise click.UsageError(f"--{name} goes with --compat; a measure has its own parameters")
    format_ = _format(options)
    if format_ == "parquet" and options["out"] is None and is_terminal():
        raise click.UsageError("Parquet is not for terminals: --out names a file for it")
    _check_documents(options, format_)
    gates = gates_of(options)
    options["names"] = gates.measures(options["names"], options["presets"])
    names, curves = _measures(options, format_)
    evaluation = evaluation_of(
        assessments, names, options, curves=curves, per_document=options["per_document"]
    )
    table = scores_of(evaluation, runs, options)
    with gates.around(table):
        _write(table, format_, options)


def _check_documents(options: dict[str, Any], format_: str) -> None:
    """Refuse scores of documents where there is no room for them."""
    if not options["per_document"]:
        return
    if format_ not in _WITH_DOCUMENTS:
        raise click.UsageError(
            f"--per-document needs a format that holds it: --format {', '.join(_WITH_DOCUMENTS)}"
        )
    for name, flag in (("per_topic", "--per-topic"), ("curves", "--curves")):
        if options[name] and format_ in ("csv", "parquet"):
            raise click.UsageError(
                f"--per-document and {flag} do not fit into one file of {format_}; --format json "
                "holds both"
            )


def _measures(options: dict[str, Any], format_: str) -> tuple[list[str], bool]:
    """The measures asked for, and whether their curves are wanted."""
    names, curves = list(options["names"]), options["curves"]
    if curves and format_ not in _WITH_CURVES:
        raise click.UsageError(
            f"--curves needs a format that holds them: --format {' or '.join(_WITH_CURVES)}"
        )
    if options["profile"] is not None:
        from doxeval.measures import PROFILE

        names += PROFILE
        curves = True
    found, curves_of_preset = measures_asked_for(names, options["presets"])
    return found, curves or (curves_of_preset and format_ == "json")


def _format(options: dict[str, Any]) -> str:
    """The format asked for, or else the one that the output's name stands for."""
    out: Path | None = options["out"]
    if options["format_"] is not None:
        return str(options["format_"])
    if out is None:
        return "table"
    if out.suffix.lower() not in _BY_SUFFIX:
        raise click.UsageError(
            f"--out {out}: no format goes by this name; known suffixes are "
            f"{', '.join(_BY_SUFFIX)}, and --format chooses a format for any name"
        )
    return _BY_SUFFIX[out.suffix.lower()]


def _write(table: ScoreTable, format_: str, options: dict[str, Any]) -> None:
    _put(_rendered(table, format_, options), options["out"])
    if options["profile"] is not None:
        for one in in_words(table):
            (line if format_ == "table" else note)(one)


def _rendered(table: ScoreTable, format_: str, options: dict[str, Any]) -> bytes:
    per_topic, curves = options["per_topic"], options["curves"]
    if format_ == "table":
        from doxeval.cli.scoring import as_text
        from doxeval.messages import utf8

        return utf8(as_text(table, per_topic) + documents_as_text(table))
    from doxeval.scores import DOCUMENT_FORMATS, FORMATS, curves_as_csv

    if options["per_document"] and format_ in DOCUMENT_FORMATS:
        return DOCUMENT_FORMATS[format_](table)
    if curves and format_ == "csv":
        return curves_as_csv(table)
    return FORMATS[format_](table, per_topic)


def _put(contents: bytes, out: Path | None) -> None:
    if out is None:
        data(contents)
        return
    from doxeval.files import open_output

    with open_output(out) as file:
        file.write(contents)


def _print_compatible(
    runs: tuple[str, ...], sources: tuple[str, ...], options: dict[str, Any]
) -> None:
    from doxeval.cli.scoring import named_run
    from doxeval.compat import InexEvalOptions, InexEvalTask, inex_eval_lines
    from doxeval.messages import utf8

    if options["task"] is None:
        raise click.UsageError("--compat needs the --task")
    if options["format_"] not in (None, "inex_eval"):
        raise click.UsageError("--compat prints lines of inex_eval; leave out --format")
    if options["names"] or options["presets"]:
        raise click.UsageError(
            "--compat prints the measures of its task; leave out -m and --preset"
        )
    for name, flag in given_options().items():
        if name not in _WITH_COMPAT and name not in _OF_COMPAT and name != "runs":
            raise click.UsageError(f"{flag} has no meaning for {_COMPAT}; leave it out")
    values = {
        name: default if options[name] is None else options[name]
        for name, default in _OF_COMPAT.items()
    }
    settings = InexEvalOptions(
        InexEvalTask(options["task"]),
        values["n"],
        values["beta"],
        values["irr"],
        options["average_over"] == "assessed",
        options["per_topic"],
    )
    files = [named_run(run) for run in runs]
    if any(one.name is not None for one in files):
        raise click.UsageError(f"{_COMPAT} prints no names of runs; leave out NAME=")
    lines = [text for one in files for text in inex_eval_lines(str(one.file), sources, settings)]
    _put(utf8("".join(f"{one}\n" for one in lines)), options["out"])


# Scores of documents


def documents_as_text(table: ScoreTable) -> str:
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
    from doxeval.cli.output import aligned
    from doxeval.messages import escape
    from doxeval.scores import DocumentRow

    columns = ("topic", "rank", "document", *DocumentRow._fields[5:])
    text = ""
    by_list = groupby(table.document_rows(), lambda row: (row.run, row.scored_by))
    for (run, scored_by), group in by_list:
        rows = list(group)
        names = [name for name in columns if any(getattr(row, name) is not None for row in rows)]
        cells = [[_cell(getattr(row, name)) for name in names] for row in rows]
        text += f"\n{escape(f'{run}: documents by {scored_by}')}\n{aligned(names, cells)}"
    return text


def _cell(value: str | float | None) -> str:
    from doxeval.scores import format_score

    return format_score(value) if value is None or isinstance(value, float) else str(value)


# The profile


_RANKS = (1, 5, 10, 50)


def in_words(table: ScoreTable) -> Iterator[str]:
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
        for rank in [*(rank for rank in _RANKS if rank < len(hits)), len(hits)]:
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
