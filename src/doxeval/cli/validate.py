"""`doxeval validate`: all problems of a run at once, and a repaired run if asked for."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.options import collection_option, columns_option, offsets_option

if TYPE_CHECKING:
    from doxeval.documents import Collection
    from doxeval.runs import Run
    from doxeval.tasks import Problem, Task
    from doxeval.topics import Topic

_SHOWN = 3


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@click.option(
    "--task",
    metavar="TASK",
    help="thorough, focused, relevant-in-context, best-in-context, fetch-browse, or sscas, svcas, "
    "vscas, vvcas.  [default: what the run says]",
)
@collection_option("Check references, too, and compare results by their text.")
@click.option("--topics", "topic_file", metavar="FILE", help="The topics there are.")
@offsets_option
@columns_option
@click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table")
@click.option("--all", "everything", is_flag=True, help="Every problem, not only some of a kind.")
@click.option(
    "--fix",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Write the run without what is wrong, in the format of OUT's name, and say what went.",
)
@click.option("--force", is_flag=True, help="Replace OUT if it is there already.")
def validate(
    runs: tuple[str, ...],
    task: str | None,
    directory: Path | None,
    topic_file: str | None,
    offsets: Any,
    columns: str,
    format_: str,
    everything: bool,
    fix: Path | None,
    force: bool,
) -> None:
    """Report all problems of runs at once; ends with 1 if one of them is an error.

    \b
    Examples:
      doxeval validate my.run --task focused
      doxeval validate my.run --task focused --collection wiki --fix repaired.run
    """
    from doxeval.documents import Collection
    from doxeval.errors import OutputError
    from doxeval.runs import read_run
    from doxeval.topics import read_topics

    if fix is not None and len(runs) > 1:
        raise click.UsageError("--fix takes one run at a time")
    if fix is not None and fix.exists() and not force:
        raise OutputError(f"{fix} exists; --force replaces it")
    collection = None if directory is None else Collection(directory)
    topics = None if topic_file is None else read_topics(topic_file)
    reports = []
    failed = False
    for name in runs:
        run = read_run(name, ends=columns == "start-end")
        rules = _task(run, task)
        found = _problems(run, rules, collection, offsets, topics)
        failed |= any(problem.severity == "error" for problem in found)
        reports.append({"run": run.run_id, "file": name, "problems": [p.as_dict() for p in found]})
        if format_ == "table":
            _print_table(name, run, rules, found, everything)
        if fix is not None:
            _write_repaired(run, found, fix)
    if format_ == "json":
        click.echo(json.dumps(reports, ensure_ascii=False, indent=1))
    if failed:
        sys.exit(1)


def _task(run: Run, name: str | None) -> Task:
    from doxeval.tasks import task_named

    given = name or run.facts.get("task")
    if given is None:
        raise click.UsageError(f"{run.origin} does not say its task; --task names it")
    return task_named(given)


def _problems(
    run: Run,
    task: Task,
    collection: Collection | None,
    offsets: Any,
    topics: list[Topic] | None,
) -> list[Problem]:
    from doxeval.runs import resolve
    from doxeval.tasks import problems_of
    from doxeval.topics import parse_structured

    resolved = None if collection is None else resolve(run, collection, offsets=offsets)
    targets = {
        topic.id: str(parse_structured(topic.structured).target)
        for topic in topics or []
        if topic.structured is not None
    }
    known = None if topics is None else {topic.id for topic in topics}
    return problems_of(run, task, resolved=resolved, topics=known, targets=targets)


def _print_table(
    name: str, run: Run, task: Task, found: Sequence[Problem], everything: bool
) -> None:
    from doxeval.cli.terminal import counted, heading, safe

    heading(
        f"{name}: run {safe(run.run_id)}, {counted(len(run), 'result')} for "
        f"{counted(len(run.topics), 'topic')}, "
        f"as {task.name}"
    )
    for warning in run.warnings:
        click.secho(f"  warning: {safe(warning)}", fg="yellow")
    for (severity, kind, topic), group in groupby(
        found, key=lambda problem: (problem.severity, problem.kind, problem.topic)
    ):
        problems = list(group)
        colour = "red" if severity == "error" else "yellow"
        click.secho(f"  {severity}: {kind}, topic {safe(topic)}: {len(problems):,}", fg=colour)
        shown = problems if everything else problems[:_SHOWN]
        for problem in shown:
            click.echo(f"    {safe(problem.message)}")
        if len(problems) > len(shown):
            click.echo(f"    … and {len(problems) - len(shown):,} more (--all shows them)")
    errors = sum(problem.severity == "error" for problem in found)
    click.echo(f"  {counted(errors, 'error')}, {counted(len(found) - errors, 'warning')}")


def _write_repaired(run: Run, found: Sequence[Problem], out: Path) -> None:
    from doxeval.runs.read_write import write_run
    from doxeval.tasks import repaired

    fixed, told = repaired(run, found)
    write_run(fixed, out)
    for line in told or ["nothing had to be changed"]:
        click.echo(f"{out}: {line}", err=True)
