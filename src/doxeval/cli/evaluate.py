"""`doxeval evaluate`: score runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.scoring import (
    Scoring,
    measures_asked_for,
    measures_option,
    preset_option,
    scoring_options,
    tell_warnings,
)

if TYPE_CHECKING:
    from doxeval.scores import ScoreTable

_FORMATS = ["table", "json", "csv", "parquet", "latex", "trec", "inex_eval"]
_COMPAT = "inex_eval-3.1"
_COMPAT_TASKS = ["thorough", "focused", "relevant-in-context", "best-in-context", "t2i"]


@click.command()
@scoring_options
@measures_option
@preset_option
@click.option("--per-topic", is_flag=True, help="The scores of each topic, too.")
@click.option(
    "--profile",
    type=click.Choice(["esr"]),
    help="What a run serves directly, what it leaves to navigation and what is missed, by rank.",
)
@click.option("--curves", is_flag=True, help="The curves behind the scores, too (in JSON).")
@click.option(
    "--format", "format_", type=click.Choice(_FORMATS), help="[default: table, or by OUT's name]"
)
@click.option("--out", type=click.Path(path_type=Path), help="Write to a file.")
@click.option("--compat", type=click.Choice([_COMPAT]), help="Print what that program would print.")
@click.option("--task", type=click.Choice(_COMPAT_TASKS), help="The task, with --compat.")
@click.option("--n", default=500, show_default=True, help="Best in context, with --compat.")
@click.option("--beta", default=0.25, show_default=True, help="F, with --compat.")
@click.option("--irr", default=300, show_default=True, help="T2I, with --compat.")
def evaluate(runs: tuple[str, ...], assessments: tuple[str, ...], **options: Any) -> None:
    """Score runs by measures.

    \b
    Examples:
      doxeval evaluate my.run -a qrels.txt -m 'iP[.01]' -m MAiP
      doxeval evaluate *.run -a qrels.txt --preset inex2009-focused --per-topic
      doxeval evaluate my.xml -a assessments/ --collection wiki -m nxCG@10 --format json
      doxeval evaluate my.run -a qrels.txt --compat inex_eval-3.1 --task focused
    """
    if options["compat"] or options["format_"] == "inex_eval":
        _print_compatible(runs, assessments, options)
        return
    if options["task"]:
        raise click.UsageError("--task goes with --compat; measures are chosen by -m or --preset")
    names, curves = _measures(options)
    _write(Scoring.of(runs, assessments, options).scores(names, curves=curves), options)


def _measures(options: dict[str, Any]) -> tuple[list[str], bool]:
    """The measures that are asked for, and whether curves are."""
    names, curves = list(options["names"]), options["curves"]
    if options["profile"] is not None:
        from doxeval.cli.profile import PROFILE

        names += PROFILE
        curves = True
    found, curves_of_preset = measures_asked_for(names, options["preset"])
    return found, curves or (curves_of_preset and _format(options) == "json")


def _format(options: dict[str, Any]) -> str:
    by_name = {".json": "json", ".csv": "csv", ".parquet": "parquet", ".tex": "latex"}
    out: Path | None = options["out"]
    return options["format_"] or (by_name.get(out.suffix, "table") if out else "table")


def _write(table: ScoreTable, options: dict[str, Any]) -> None:
    from doxeval.cli.terminal import warn

    tell_warnings(table)
    for run, measures in table.undefined().items():
        for label, topics in measures.items():
            shown = ", ".join(topics[:10]) + (" …" if len(topics) > 10 else "")
            warn([f"{run}: {label} is undefined for {len(topics)} of the topics: {shown}"])
    _put(_rendered(table, _format(options), options["per_topic"]), options["out"])
    if options["profile"] is not None:
        from doxeval.cli.profile import in_words

        for line in in_words(table):
            click.echo(line, err=_format(options) != "table")


def _rendered(table: ScoreTable, format_: str, per_topic: bool) -> bytes:
    if format_ == "table":
        from doxeval.cli.score_table import as_text

        return as_text(table, per_topic).encode()
    from doxeval.scores.formats import FORMATS

    return FORMATS[format_](table, per_topic)


def _put(data: bytes, out: Path | None) -> None:
    if out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    from doxeval.files import written

    with written(out) as file:
        file.write(data)


def _print_compatible(
    runs: tuple[str, ...], sources: tuple[str, ...], options: dict[str, Any]
) -> None:
    from doxeval.compat import InexEvalOptions, InexEvalTask, inex_eval_lines

    if options["task"] is None:
        raise click.UsageError("--compat needs the --task")
    if options["names"] or options["preset"]:
        raise click.UsageError(
            "--compat prints the measures of its task; leave out -m and --preset"
        )
    if options["format_"] not in (None, "inex_eval"):
        raise click.UsageError("--compat prints lines of inex_eval; leave out --format")
    settings = InexEvalOptions(
        InexEvalTask(options["task"]),
        options["n"],
        options["beta"],
        options["irr"],
        options["topics"] == "assessed",
        options["per_topic"],
    )
    lines = [line for run in runs for line in inex_eval_lines(run, sources, settings)]
    _put("".join(f"{line}\n" for line in lines).encode(), options["out"])
