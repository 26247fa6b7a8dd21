"""`doxeval evaluate`: score runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.options import (
    collection_option,
    columns_option,
    merging_options,
    offsets_option,
)

if TYPE_CHECKING:
    from doxeval.navigation import Navigation
    from doxeval.scores import ScoreTable

_FORMATS = ["table", "json", "csv", "parquet", "latex", "trec", "inex_eval"]
_COMPAT = "inex_eval-3.1"
_COMPAT_TASKS = ["thorough", "focused", "relevant-in-context", "best-in-context", "t2i"]
# Runs of this many bytes are worth the start of another process.
_WORTH_A_PROCESS = 2 << 20


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@click.option(
    "--assessments",
    "-a",
    multiple=True,
    required=True,
    metavar="FILE",
    help="Assessments: a file, a directory or an archive; may be repeated.",
)
@collection_option("Needed where elements have to be looked up.")
@click.option("-m", "--measure", "names", multiple=True, metavar="MEASURE", help="May be repeated.")
@click.option("--preset", metavar="NAME", help="The official measures of an INEX year and task.")
@click.option(
    "--navigation",
    metavar="FILE",
    help="A model of how users navigate, as JSON, for ESR, PRUM and EPRUM.",
)
@click.option(
    "--topics",
    type=click.Choice(["assessed", "retrieved"]),
    help="Average over all assessed topics, or those with results.  [default: assessed]",
)
@click.option(
    "--order",
    type=click.Choice(["list", "rank", "rsv"]),
    default="list",
    show_default=True,
    help="What ranks results; equal ranks or scores are then ties.",
)
@offsets_option
@columns_option
@merging_options
@click.option(
    "--unresolved",
    type=click.Choice(["error", "irrelevant"]),
    default="error",
    show_default=True,
    help="What becomes of results that name nothing.",
)
@click.option(
    "--spec",
    "specificity",
    type=click.Choice(["passages", "file"]),
    help="Where specificity in files of 2005–07 comes from.  [default: passages, if resolved]",
)
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
@click.option(
    "--jobs", type=click.IntRange(1), help="Processes.  [default: by the size of the work]"
)
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
    _write(_table(runs, assessments, options), options)


def _table(runs: tuple[str, ...], sources: tuple[str, ...], options: dict[str, Any]) -> ScoreTable:
    from doxeval.assessments import read_assessments
    from doxeval.documents import Collection
    from doxeval.evaluation import Reading
    from doxeval.evaluation import evaluate as score

    names, curves = _measures(options)
    directory = options["directory"]
    collection = None if directory is None else Collection(directory)
    return score(
        runs,
        read_assessments(
            *sources,
            collection=collection,
            pool=options["pool"],
            merge=options["merge"],
            offsets=options["offsets"],
            whitespace=options["whitespace"],
        ),
        names,
        collection=collection,
        topics=options["topics"] or "assessed",
        reading=Reading(
            options["order"],
            options["offsets"],
            options["whitespace"],
            options["unresolved"],
            options["columns"] == "start-end",
        ),
        specificity=options["specificity"],
        curves=curves,
        navigation=_navigation(options["navigation"]),
        jobs=options["jobs"] or _jobs(runs),
    )


def _measures(options: dict[str, Any]) -> tuple[list[str], bool]:
    """The measures that are asked for, and whether curves are."""
    from doxeval.measures.presets import preset_named

    names = list(options["names"])
    curves = options["curves"]
    if options["profile"] is not None:
        from doxeval.cli.profile import PROFILE

        names += PROFILE
        curves = True
    if options["preset"] is not None:
        preset = preset_named(options["preset"])
        names += preset.measures
        curves |= preset.curves and _format(options) == "json"
    if not names:
        raise click.UsageError(
            "say what to measure: -m 'iP[.01]', or --preset inex2009-focused (doxeval measures "
            "lists all measures, doxeval measures --presets all presets)"
        )
    return names, curves


def _navigation(file: str | None) -> Navigation | None:
    if file is None:
        return None
    from doxeval.navigation import read_navigation

    return read_navigation(file)


def _jobs(runs: tuple[str, ...]) -> int:
    """As many processes as there are cores, if the runs are worth it."""
    large = sum(os.path.getsize(run) > _WORTH_A_PROCESS for run in runs if os.path.isfile(run))
    return max(
        min(large, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1), 1
    )


def _format(options: dict[str, Any]) -> str:
    by_name = {".json": "json", ".csv": "csv", ".parquet": "parquet", ".tex": "latex"}
    out: Path | None = options["out"]
    return options["format_"] or (by_name.get(out.suffix, "table") if out else "table")


def _write(table: ScoreTable, options: dict[str, Any]) -> None:
    from doxeval.cli.terminal import warn

    warn(table.warnings)
    for scores in table.runs:
        prefix = f"{scores.run}: " if len(table.runs) > 1 else ""
        warn(f"{prefix}{warning}" for warning in scores.warnings)
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
