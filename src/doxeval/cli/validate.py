"""`doxeval validate`: the problems of runs, and a repaired run if asked for."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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
@click.option(
    "--topics",
    "topic_file",
    metavar="FILE",
    help="The topics: results must be for them and, in strict tasks, match their targets.",
)
@offsets_option
@columns_option
@click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="List every problem, not only the first of each kind. JSON always has them all.",
)
@click.option(
    "--fix",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Write a repaired run to OUT, in the format of its name, and say what was changed.",
)
@click.option("--force", is_flag=True, help="With --fix, replace OUT if it exists.")
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
    """Report all problems of runs; the exit code is 1 if one of them is an error.

    A repair drops results that are at fault. Where the results of an article must stand together
    (relevant-in-context, fetch-browse), those that come later are moved up instead.

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
    if force and fix is None:
        raise click.UsageError("--force goes with --fix")
    if fix is not None and fix.exists() and not force:
        raise OutputError(f"{fix} exists; --force replaces it")
    collection = None if directory is None else Collection(directory)
    topics = None if topic_file is None else read_topics(topic_file)
    reports = []
    for name in runs:
        run = read_run(name, ends=columns == "start-end")
        rules = _task(run, task)
        found = _problems(run, rules, collection, offsets, topics)
        report = Report(name, run, rules, tuple(found), tuple(_warnings(run, rules, topics)))
        reports.append(report)
        if format_ == "table":
            _print_table(report, everything)
        if fix is not None:
            _write_repaired(run, found, fix)
    if format_ == "json":
        plain = [report.as_dict() for report in reports]
        click.echo(json.dumps(plain, ensure_ascii=False, indent=1))
    if any(report.errors for report in reports):
        sys.exit(1)


class Report(NamedTuple):
    """What there is to say about one run."""

    file: str
    run: Run
    task: Task
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...]

    @property
    def errors(self) -> int:
        """How many of the problems are errors."""
        return sum(problem.severity == "error" for problem in self.problems)

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "run": self.run.run_id,
            "file": self.file,
            "task": self.task.name,
            "results": len(self.run),
            "topics": len(self.run.topics),
            "warnings": list(self.warnings),
            "problems": [problem.as_dict() for problem in self.problems],
        }


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

    resolved = None if collection is None else resolve(run, collection, offsets=offsets)
    known = None if topics is None else {topic.id for topic in topics}
    targets = dict(_targets(topics or ())) if task.strict_target else {}
    return problems_of(run, task, resolved=resolved, topics=known, targets=targets)


def _targets(topics: Iterable[Topic]) -> Iterator[tuple[str, str]]:
    """The path pattern that each structured topic asks for."""
    from doxeval.errors import SyntaxProblem
    from doxeval.topics import NexiError, parse_structured

    for topic in topics:
        if topic.structured is not None:
            try:
                yield topic.id, str(parse_structured(topic.structured).target)
            except NexiError as error:
                message = f"the query of topic {topic.id}: {error}"
                raise SyntaxProblem(message, topic.origin, topic.line) from None


def _warnings(run: Run, task: Task, topics: list[Topic] | None) -> Iterator[str]:
    yield from run.warnings
    if not task.strict_target:
        return
    if topics is None:
        yield f"targets, which {task.name} is strict about, are not checked without --topics FILE"
        return
    plain = [topic.id for topic in topics if topic.structured is None and topic.id in run.topics]
    if plain:
        yield f"no target to check for topics without a structured query: {', '.join(plain)}"


def _print_table(report: Report, everything: bool) -> None:
    from doxeval.cli.terminal import heading, safe
    from doxeval.tasks import by_kind
    from doxeval.wording import counted

    run = report.run
    heading(
        f"{report.file}: run {safe(run.run_id)}, {counted(len(run), 'result')} for "
        f"{counted(len(run.topics), 'topic')}, as {report.task.name}"
    )
    for warning in report.warnings:
        click.secho(f"  warning: {safe(warning)}", fg="yellow")
    for same in by_kind(report.problems):
        colour = "red" if same.severity == "error" else "yellow"
        click.secho(f"  {same.severity}: {safe(str(same))}", fg=colour)
        shown = same.problems if everything else same.problems[:_SHOWN]
        for problem in shown:
            click.echo(f"    {safe(problem.message)}")
        if len(same.problems) > len(shown):
            click.echo(f"    … and {len(same.problems) - len(shown):,} more (--all lists them)")
    warnings = len(report.problems) - report.errors + len(report.warnings)
    click.echo(f"  {counted(report.errors, 'error')}, {counted(warnings, 'warning')}")


def _write_repaired(run: Run, found: Sequence[Problem], out: Path) -> None:
    from doxeval.runs.read_write import write_run
    from doxeval.tasks import repaired

    fixed, done = repaired(run, found)
    write_run(fixed, out)
    for line in done or ["nothing had to be changed"]:
        click.echo(f"{out}: {line}", err=True)
