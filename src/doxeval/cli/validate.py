"""`doxeval validate`: report the problems and statistics of runs, and repair a run."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import click

from doxeval.cli.options import (
    Columns,
    MetadataOptions,
    Offsets,
    chunks_option,
    collection_option,
    columns_option,
    format_option,
    offsets_option,
    open_collection,
    refuse_existing,
    without_metadata,
)
from doxeval.cli.output import (
    coloured_line,
    data,
    heading,
    json_data,
    line,
    note,
    one_line,
    print_figures,
    shares,
)
from doxeval.cli.verb import part, refuse, verb
from doxeval.messages import plural
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.runs import ResolvedRun, Run, RunStatistics, Spread
    from doxeval.tasks import Problem, Task
    from doxeval.topics import Topic

_SHOWN = 3


@dataclass(frozen=True)
class ValidateOptions:
    """What runs are checked against, and what is printed and written."""

    task: str | None = option(
        None,
        "thorough, focused, relevant-in-context, best-in-context, fetch-browse, documents, "
        "genomics, sscas, svcas, vscas or vvcas; co or cas for runs of 2003–04, co-2002 or "
        "cas-2002 for those of 2002.",
        metavar="TASK",
        shown_default="the task that the run names",
    )
    collection: str | None = collection_option(
        "Check that documents and elements exist, and detect overlap by the text."
    )
    topics: str | None = option(
        None,
        "Check that results are for these topics and, in strict tasks, match their targets.",
        metavar="FILE",
    )
    targets: str | None = option(
        None,
        "Check that results match the targets of these topics (strict CAS), whatever the task.",
        metavar="TOPICS",
    )
    offsets: Offsets = offsets_option()
    columns: Columns = columns_option()
    chunks: str | None = chunks_option("for runs that name chunks by their ids")
    format: Literal["table", "json", "csv"] = format_option(
        "How to print the problems; csv is for --statistics, and prints nothing else."
    )
    everything: bool = option(
        False,
        "List every problem, not only the first of each kind; JSON always has all.",
        flags=("--all",),
    )
    statistics: bool = option(
        False, "Count results by depth and tag, their sizes, and how many overlap another one."
    )
    fix: Path | None = option(
        None,
        "Write a repaired run to OUT, in the format of its name, and report what was changed.",
        metavar="OUT",
    )
    about: MetadataOptions = part(MetadataOptions)
    force: bool = option(False, "With --fix, replace OUT if it exists.")


@verb(ValidateOptions)
@click.argument("runs", nargs=-1, required=True, metavar="RUN…", callback=without_metadata)
def validate(runs: tuple[str, ...], options: ValidateOptions) -> None:
    """Check runs against the rules of a task, and repair them.

    The exit code is 1 if a run has an error. A repair drops results that break a rule. Where all
    results of an article must be adjacent (relevant-in-context, fetch-browse), later ones are
    moved up to the others instead.

    --statistics adds the figures that papers report of runs. A result overlaps if it shares text
    with another result of the same topic: with an element inside it, for example, or with a
    duplicate. Without --collection, overlap is detected by paths and offsets. A run that does not
    name its task is then checked only against the rules that all tasks share.

    \b
    Examples:
      doxeval validate my.run --task focused
      doxeval validate my.run --task focused --collection wiki --fix repaired.run
      doxeval validate *.run --collection wiki --statistics --format csv
      doxeval validate my.run --task sscas --targets topics.xml
    """
    from doxeval.runs import read_chunks, read_run, resolve, run_statistics
    from doxeval.topics import read_topics

    if options.fix is not None and len(runs) > 1:
        raise click.UsageError("--fix takes one run at a time")
    if options.fix is None:
        refuse({"force", "metadata"}, "is for --fix")
    if options.collection is None:
        refuse({"offsets"}, "has no effect without --collection")
    if options.format != "table":
        refuse({"everything"}, "is for the table; JSON always has all problems")
    if options.format == "csv" and not options.statistics:
        raise click.UsageError("--format csv is for --statistics")
    refuse_existing(*options.about.files_of(options.fix), force=options.force)
    collection = open_collection(options.collection)
    topics = None if options.topics is None else read_topics(options.topics)
    target_topics = topics if options.targets is None else read_topics(options.targets)
    chunks = None if options.chunks is None else read_chunks(options.chunks)
    reports = []
    for file in runs:
        run = read_run(file, ends=options.columns == "start-end", chunks=chunks)
        task = _task(run, options.task, or_any=options.statistics)
        if options.targets is not None:
            task = replace(task, strict_target=True)
        resolved = None if collection is None else resolve(run, collection, offsets=options.offsets)
        report = RunReport(
            file,
            run,
            task,
            tuple(_problems(run, task, resolved, topics or target_topics, target_topics)),
            tuple(_warnings(run, task, target_topics)),
            run_statistics(resolved or run, collection) if options.statistics else None,
        )
        reports.append(report)
        if options.format == "table":
            _print_table(report, options.everything)
        if options.fix is not None:
            _write_repaired(report, options.fix, options.about)
    if options.format == "json":
        json_data([report.as_dict() for report in reports], indent=1)
    elif options.format == "csv":
        _print_csv(reports)
    if any(report.errors for report in reports):
        sys.exit(1)


class RunReport(NamedTuple):
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

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain values, for JSON."""
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
    target_topics: list[Topic] | None,
) -> list[Problem]:
    from doxeval.tasks import problems_of

    known = None if topics is None else {topic.id for topic in topics}
    targets = _targets(target_topics or ()) if task.strict_target else {}
    return problems_of(run, task, resolved=resolved, topics=known, targets=targets)


def _targets(topics: Iterable[Topic]) -> dict[str, str]:
    """Return the path patterns of the targets, by topic; not all topics have one."""
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
    ids = [topic.id for topic in topics if topic.id in run.topics]
    plain = [topic for topic in ids if topic not in targets]
    if plain:
        yield f"topics without a structured query have no target to check: {join_names(plain)}"


def _print_table(report: RunReport, everything: bool) -> None:
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
        print_figures(statistics_figures(report.statistics))


def _print_csv(reports: list[RunReport]) -> None:
    counted = ((report.file, report.statistics) for report in reports)
    data(statistics_csv((file, figures) for file, figures in counted if figures is not None))
    for report in reports:
        if report.errors:
            errors = plural(report.errors, "error")
            note(f"{report.file}: {errors}, which the table lists", "red")


def _write_repaired(report: RunReport, out: Path, about: MetadataOptions) -> None:
    from doxeval.runs import format_of
    from doxeval.tasks import repaired

    run, changes = repaired(report.run, report.problems)
    is_text = format_of(out) in (None, "text")
    stays = is_text and run.facts.get("task") == "genomics"  # as only the reader of these says
    about.write(run, out, "genomics" if stays else None)
    for change in changes or ["nothing had to be changed"]:
        note(f"{out}: {change}")


# Statistics


_MAX_TAGS = 10


def statistics_figures(statistics: RunStatistics) -> Iterator[tuple[str, str]]:
    """Yield the statistics of a run as names and values to be printed.

    >>> from doxeval.runs import Run
    >>> from doxeval.runs.statistics import run_statistics
    >>> run = Run.from_dict({"7": [("d", "/a/s[1]"), ("d", "/a/s[1]/p[2]"), ("d", "/a/s[2]")]})
    >>> for name, value in statistics_figures(run_statistics(run)):
    ...     print(f"{name}: {value}")
    results: 3 elements of 1 document
    results a topic: mean 3.0, median 3, from 3 to 3
    overlapping: 66.7% of 3 results (mean of the topics: 66.7%)
    depths: 2: 2 (66.7%), 3: 1 (33.3%); mean 2.33
    tags: s: 2 (66.7%), p: 1 (33.3%)
    """
    kinds = ", ".join(_kind(kind, count) for kind, count in statistics.kinds.items())
    yield "results", f"{kinds} of {plural(statistics.documents, 'document')}"
    if statistics.per_topic is not None:
        yield "results a topic", _spread(statistics.per_topic)
    if statistics.duplicates:
        yield "duplicates", f"{statistics.duplicates:,}"
    if statistics.unresolved:
        yield "unresolved", f"{statistics.unresolved:,}"
    if statistics.overlap is not None and statistics.topic_overlap is not None:
        yield (
            "overlapping",
            f"{statistics.overlap:.1%} of {plural(statistics.compared, 'result')} "
            f"(mean of the topics: {statistics.topic_overlap:.1%})",
        )
    if statistics.sizes is not None and statistics.repeated_text is not None:
        total = statistics.sizes.total
        yield "repeated text", f"{statistics.repeated_text:.1%} of {total:,} characters"
    if statistics.sizes is not None:
        yield "characters", _spread(statistics.sizes)
    if statistics.depths:
        yield "depths", f"{shares(statistics.depths)}; mean {statistics.mean_depth:.2f}"
    if statistics.tags:
        yield "tags", shares(statistics.tags, _MAX_TAGS)


def _kind(kind: str, count: int) -> str:
    if kind != "spans":
        return plural(count, kind)
    return f"{plural(count, 'result')} with several ranges"


def _spread(spread: Spread) -> str:
    return (
        f"mean {spread.mean:,.1f}, median {spread.median:,g}, "
        f"from {spread.least:,} to {spread.most:,}"
    )


def statistics_csv(runs: Iterable[tuple[str, RunStatistics]]) -> str:
    """Return a line for every figure of each run; `of` says which tag, depth or value it is about.

    >>> from doxeval.runs import Run
    >>> from doxeval.runs.statistics import run_statistics
    >>> rows = statistics_csv([("a.run", run_statistics(Run.from_dict({"7": ["d"]})))])
    >>> rows.splitlines()[:2]
    ['file,run,statistic,of,value', 'a.run,run,results,,1']
    """
    from doxeval.scores import csv_text

    header = ["file", "run", "statistic", "of", "value"]
    return csv_text(header, (row for file, figures in runs for row in _cells(file, figures)))


def _cells(file: str, statistics: RunStatistics) -> Iterator[list[object]]:
    for name, value in statistics.to_dict().items():
        if isinstance(value, dict):
            yield from ([file, statistics.run, name, of, figure] for of, figure in value.items())
        elif name != "run":
            yield [file, statistics.run, name, None, value]
