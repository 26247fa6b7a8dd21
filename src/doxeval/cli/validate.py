"""`doxeval validate`: report the problems and statistics of runs, and repair a run."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from doxeval.cli.decorators import chunks_option, collection_option, columns_option, offsets_option
from doxeval.cli.output import (
    coloured_line,
    data,
    heading,
    json_data,
    line,
    note,
    one_line,
    shares,
)
from doxeval.cli.verb import refuse, verb
from doxeval.messages import plural

if TYPE_CHECKING:
    from doxeval.runs import ResolvedRun, Run, RunStatistics, Spread
    from doxeval.tasks import Problem, Task
    from doxeval.topics import Topic

_SHOWN = 3


@verb()
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@click.option(
    "--task",
    metavar="TASK",
    help="thorough, focused, relevant-in-context, best-in-context, fetch-browse, documents, sscas, "
    "svcas, vscas or vvcas; co or cas for runs of 2003–04, co-2002 or cas-2002 for those of 2002.  "
    "[default: the task that the run names]",
)
@collection_option("Check that documents and elements exist, and find overlap by the text.")
@click.option(
    "--topics",
    "topic_file",
    metavar="FILE",
    help="Check that results are for these topics and, in strict tasks, match their targets.",
)
@click.option(
    "--targets",
    "target_file",
    metavar="TOPICS",
    help="Check that results match the targets of these topics (strict CAS), whatever the task.",
)
@offsets_option
@columns_option
@chunks_option("for runs that name chunks by their ids")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    show_default=True,
    help="How to print the problems; csv is for --statistics, and prints nothing else.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="List every problem, not only the first of each kind; JSON always has all.",
)
@click.option(
    "--statistics",
    is_flag=True,
    help="Count results by depth and tag, their sizes, and how many overlap another one.",
)
@click.option(
    "--fix",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Write a repaired run to OUT, in the format of its name, and report what was changed.",
)
@click.option("--force", is_flag=True, help="With --fix, replace OUT if it exists.")
def validate(
    runs: tuple[str, ...],
    task: str | None,
    directory: str | None,
    topic_file: str | None,
    target_file: str | None,
    offsets: Any,
    columns: str,
    chunks: str | None,
    format_: str,
    everything: bool,
    statistics: bool,
    fix: Path | None,
    force: bool,
) -> None:
    """Check runs against the rules of a task, and repair them.

    The exit code is 1 if a run has an error. A repair drops results that break a rule. Where all
    results of an article must come together (relevant-in-context, fetch-browse), later ones are
    moved up to the others instead.

    --statistics adds the figures that papers report of runs. A result overlaps if it shares text
    with another result of the same topic: with an element inside it, for example, or with its own
    duplicate. Without --collection this is found by paths and offsets. A run that does not name its
    task is then checked only against the rules that all tasks share.

    \b
    Examples:
      doxeval validate my.run --task focused
      doxeval validate my.run --task focused --collection wiki --fix repaired.run
      doxeval validate *.run --collection wiki --statistics --format csv
      doxeval validate my.run --task sscas --targets topics.xml
    """
    from doxeval.documents import Collection
    from doxeval.errors import OutputError
    from doxeval.runs import read_chunks, read_run, resolve, run_statistics
    from doxeval.topics import read_topics

    if fix is not None and len(runs) > 1:
        raise click.UsageError("--fix takes one run at a time")
    if fix is None:
        refuse({"force"}, "is for --fix")
    if directory is None:
        refuse({"offsets"}, "has no effect without --collection")
    if format_ != "table":
        refuse({"everything"}, "is for the table; JSON always has all problems")
    if format_ == "csv" and not statistics:
        raise click.UsageError("--format csv is for --statistics")
    if fix is not None and fix.exists() and not force:
        raise OutputError(f"{fix} exists; --force replaces it")
    collection = None if directory is None else Collection(directory)
    topics = None if topic_file is None else read_topics(topic_file)
    aimed = topics if target_file is None else read_topics(target_file)
    table = None if chunks is None else read_chunks(chunks)
    reports = []
    for name in runs:
        run = read_run(name, ends=columns == "start-end", chunks=table)
        rules = _task(run, task, or_any=statistics)
        if target_file is not None:
            rules = replace(rules, strict_target=True)
        resolved = None if collection is None else resolve(run, collection, offsets=offsets)
        problems = _problems(run, rules, resolved, topics or aimed, aimed)
        warnings = tuple(_warnings(run, rules, aimed))
        figures = run_statistics(resolved or run, collection) if statistics else None
        report = Report(name, run, rules, tuple(problems), warnings, figures)
        reports.append(report)
        if format_ == "table":
            _print_table(report, everything)
        if fix is not None:
            _write_repaired(report, fix)
    if format_ == "json":
        json_data([one.as_dict() for one in reports], indent=1)
    elif format_ == "csv":
        _print_csv(reports)
    if any(report.errors for report in reports):
        sys.exit(1)


class Report(NamedTuple):
    """The problems of one run, and the task it was checked against."""

    file: str
    run: Run
    task: Task
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...]
    statistics: RunStatistics | None = None

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
            **({} if self.statistics is None else {"statistics": self.statistics.to_dict()}),
        }


def _task(run: Run, name: str | None, *, or_any: bool) -> Task:
    from doxeval.tasks import ANY_TASK, task_named

    named = name or run.facts.get("task")
    if named is None and or_any:
        return ANY_TASK
    if named is None:
        raise click.UsageError(f"{run.origin} does not name its task; use --task")
    return task_named(named)


def _problems(
    run: Run,
    task: Task,
    resolved: ResolvedRun | None,
    topics: list[Topic] | None,
    aimed: list[Topic] | None,
) -> list[Problem]:
    from doxeval.tasks import problems_of

    known = None if topics is None else {topic.id for topic in topics}
    targets = _targets(aimed or ()) if task.strict_target else {}
    return problems_of(run, task, resolved=resolved, topics=known, targets=targets)


def _targets(topics: Iterable[Topic]) -> dict[str, str]:
    """The topics that ask for certain elements, each with the path patterns of its target."""
    from doxeval.topics import target_of

    targets = {topic.id: target_of(topic) for topic in topics}
    return {topic: target for topic, target in targets.items() if target is not None}


def _warnings(run: Run, task: Task, topics: list[Topic] | None) -> Iterator[str]:
    from doxeval.messages import join_names

    yield from run.warnings
    if not task.strict_target:
        return
    if topics is None:
        yield (
            f"{task.name} is strict about targets, which are only checked with --topics FILE or "
            "--targets TOPICS"
        )
        return
    targets = _targets(topics)
    plain = [one.id for one in topics if one.id not in targets and one.id in run.topics]
    if plain:
        yield f"topics without a structured query have no target to check: {join_names(plain)}"


def _print_table(report: Report, everything: bool) -> None:
    from doxeval.messages import plural, truncate
    from doxeval.tasks import by_kind

    run = report.run
    heading(
        f"{report.file}: run {truncate(run.run_id)}, {plural(len(run), 'result')} for "
        f"{plural(len(run.topics), 'topic')}, as {report.task.name}"
    )
    for warning in report.warnings:
        coloured_line(f"  warning: {one_line(warning)}", "yellow")
    for kind in by_kind(report.problems):
        colour = "red" if kind.severity == "error" else "yellow"
        coloured_line(f"  {kind.severity}: {one_line(str(kind))}", colour)
        shown = kind.problems if everything else kind.problems[:_SHOWN]
        for problem in shown:
            line(f"    {one_line(problem.message)}")
        if len(kind.problems) > len(shown):
            line(f"    … and {len(kind.problems) - len(shown):,} more (--all lists them)")
    warnings = len(report.problems) - report.errors + len(report.warnings)
    line(f"  {plural(report.errors, 'error')}, {plural(warnings, 'warning')}")
    if report.statistics is not None:
        for one in statistics_lines(report.statistics):
            line(f"  {one}")


def _print_csv(reports: list[Report]) -> None:

    found = ((one.file, one.statistics) for one in reports if one.statistics is not None)
    data(statistics_csv(found))
    for one in reports:
        if one.errors:
            errors = plural(one.errors, "error")
            note(f"{one.file}: {errors}, which the table lists", "red")


def _write_repaired(report: Report, out: Path) -> None:
    from doxeval.runs import write_run
    from doxeval.tasks import repaired

    run, changes = repaired(report.run, report.problems)
    write_run(run, out)
    for change in changes or ["nothing had to be changed"]:
        note(f"{out}: {change}")


# Statistics


_MOST_TAGS = 10


def statistics_lines(found: RunStatistics) -> Iterator[str]:
    """Lines that show the statistics of a run.

    >>> from doxeval.runs import Run
    >>> from doxeval.runs.statistics import run_statistics
    >>> run = Run.from_dict({"7": [("d", "/a/s[1]"), ("d", "/a/s[1]/p[2]"), ("d", "/a/s[2]")]})
    >>> print(*statistics_lines(run_statistics(run)), sep="\\n")
    results          3 elements of 1 document
    results a topic  mean 3.0, median 3, from 3 to 3
    overlapping      66.7% of 3 results (mean of the topics: 66.7%)
    depths           2: 2 (66.7%), 3: 1 (33.3%); mean 2.33
    tags             s: 2 (66.7%), p: 1 (33.3%)
    """
    for name, value in _figures(found):
        yield f"{name:<15}  {value}"


def _figures(found: RunStatistics) -> Iterator[tuple[str, str]]:
    kinds = ", ".join(_kind(kind, count) for kind, count in found.kinds.items())
    yield "results", f"{kinds} of {plural(found.documents, 'document')}"
    if found.per_topic is not None:
        yield "results a topic", _spread(found.per_topic)
    if found.duplicates:
        yield "duplicates", f"{found.duplicates:,}"
    if found.unresolved:
        yield "unresolved", f"{found.unresolved:,}"
    if found.overlap is not None and found.topic_overlap is not None:
        yield (
            "overlapping",
            f"{found.overlap:.1%} of {plural(found.compared, 'result')} "
            f"(mean of the topics: {found.topic_overlap:.1%})",
        )
    if found.sizes is not None and found.repeated_text is not None:
        yield "repeated text", f"{found.repeated_text:.1%} of {found.sizes.total:,} characters"
    if found.sizes is not None:
        yield "characters", _spread(found.sizes)
    if found.depths:
        yield "depths", f"{shares(found.depths)}; mean {found.mean_depth:.2f}"
    if found.tags:
        yield "tags", shares(found.tags, _MOST_TAGS)


def _kind(kind: str, count: int) -> str:
    if kind != "spans":
        return plural(count, kind)
    return f"{plural(count, 'result')} with several ranges"


def _spread(found: Spread) -> str:
    return (
        f"mean {found.mean:,.1f}, median {found.median:,g}, from {found.least:,} to {found.most:,}"
    )


def statistics_csv(runs: Iterable[tuple[str, RunStatistics]]) -> str:
    """A line for every figure of each run; `of` says which tag, depth or value it is about.

    >>> from doxeval.runs import Run
    >>> from doxeval.runs.statistics import run_statistics
    >>> rows = statistics_csv([("a.run", run_statistics(Run.from_dict({"7": ["d"]})))])
    >>> rows.splitlines()[:2]
    ['file,run,statistic,of,value', 'a.run,run,results,,1']
    """
    from doxeval.scores import csv_text

    header = ["file", "run", "statistic", "of", "value"]
    return csv_text(header, (row for file, found in runs for row in _cells(file, found)))


def _cells(file: str, found: RunStatistics) -> Iterator[list[object]]:
    for name, value in found.to_dict().items():
        if isinstance(value, dict):
            yield from ([file, found.run, name, of, figure] for of, figure in value.items())
        elif name != "run":
            yield [file, found.run, name, None, value]
