"""`doxeval pool`: which documents of several runs are to be judged."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from doxeval.cli.options import (
    AssessmentOptions,
    Columns,
    TableOrJson,
    collection_option,
    columns_option,
    force_option,
    open_collection,
    out_option,
    refuse_existing,
    runs_argument,
)
from doxeval.cli.output import heading, json_data, line, note, print_table, warn
from doxeval.cli.verb import LibraryOptions, in_options, library_options, part, refuse, verb
from doxeval.messages import plural, truncate
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.pooling import Pool, Pooling, PoolOptions, PoolStatistics

_MAX_OVERLAPS = 15


@dataclass(frozen=True)
class PoolVerbOptions:
    """The options of `doxeval pool`."""

    choosing: LibraryOptions[PoolOptions] = library_options("doxeval.pooling:PoolOptions")
    assessments: tuple[str, ...] = option(
        (),
        "Assessments so far, for mtf, bandit and --statistics: a file, a directory or an archive; "
        "may be repeated.",
        metavar="FILE",
        flags=("--judged",),
    )
    topics: str | None = option(
        None, "Pool for these topics.", metavar="FILE", shown_default="all of the runs"
    )
    collection: str | None = collection_option(
        "Resolve results, so that all ways to write the path of an element count as one."
    )
    out: Path | None = out_option(
        "The pool; INEX has a directory with a file for each topic, if there are several.  "
        "[required without --statistics]",
        None,
        metavar="FILE|DIR",
    )
    format: Literal["jsonl", "inex", "trec"] | None = option(
        None, "Format of the pool.", shown_default="by OUT's name, else jsonl"
    )
    statistics: TableOrJson | None = option(
        None, "Print sizes, contributions of runs, and their overlap."
    )
    reading: AssessmentOptions = part(AssessmentOptions)
    columns: Columns = columns_option()
    force: bool = force_option()


@verb(PoolVerbOptions)
@runs_argument
def pool(runs: tuple[str, ...], options: PoolVerbOptions) -> None:
    """Pool the results of RUNs: the documents to judge by topic.

    \b
    Methods:
      depth   by rank; with --documents, runs take turns in the order given
      rrf     by reciprocal rank fusion: the sum of 1 / (60 + rank) over runs
      mtf     move-to-front: from the run that last returned a relevant document
      bandit  Thompson sampling: from runs by the share of their relevant documents
    mtf and bandit follow the judgments that exist (--judged). Judge what they pool, and pool again.

    A pool as JSONL says how it was made, with the hashes of the runs, and which runs returned what:
    do not show it to assessors. The other formats have none of this.

    \b
    Examples:
      doxeval pool *.run --depth 100 --collection wiki --out pool.jsonl
      doxeval pool *.run --documents 500 --out pool.jsonl --statistics table
      doxeval pool *.run --documents 50 --method mtf --judged so-far.jsonl --out next.jsonl
    """
    from doxeval.pooling import format_of, pool_losses, statistics_of, write_pool

    out = options.out
    pooling = _pooling(runs, options)
    made = pooling.pool()
    warn(made.warnings)
    if out is not None:
        format = options.format or format_of(out)
        losses = pool_losses(made, format)
        if losses:
            note(f"left out, as {format} does not hold it: {', '.join(losses)}")
        write_pool(made, out, format)
    if options.statistics is None:
        line(f"{out}: {_size(made)}")
        return
    statistics = statistics_of(made, pooling)
    if options.statistics == "json":
        json_data(statistics.to_dict(), indent=1)
    else:
        _print(statistics, made)


def _pooling(runs: tuple[str, ...], options: PoolVerbOptions) -> Pooling:
    """Check the options, and read what is to be pooled."""
    from doxeval.cli.scoring import named_run
    from doxeval.errors import InputError, MissingInput
    from doxeval.pooling import Pooling
    from doxeval.topics import read_topics

    try:
        choosing = options.choosing.value()
    except InputError as error:
        raise click.UsageError(in_options(error)) from None
    _check(options, choosing)
    collection = open_collection(options.collection)
    judged = None
    if options.assessments:
        judged = options.reading.read(options.assessments, collection)
        warn(judged.warnings)
    try:
        return Pooling.of(
            [(run.name, run.source) for run in map(named_run, runs)],
            choosing,
            assessments=judged,
            collection=collection,
            topics=None if options.topics is None else read_topics(options.topics),
            offsets=options.reading.offsets,
            whitespace=options.reading.whitespace,
            ends=options.columns == "start-end",
        )
    except MissingInput as error:  # the judgments that the method follows
        raise click.UsageError(in_options(error)) from None


def _check(options: PoolVerbOptions, choosing: PoolOptions) -> None:
    """Refuse options without effect, and to replace anything without --force."""
    if not choosing.follows_judgments:
        refuse({"seed"}, f"has no effect on --method {choosing.method}")
        if options.statistics is None:
            refuse({"assessments"}, f"has no effect on --method {choosing.method}")
    if not options.assessments:
        refuse({"pool", "merge"}, "is about judgments; it has no effect without --judged")
    if options.collection is None:
        refuse({"offsets", "whitespace"}, "has no effect without --collection")
    if options.out is None:
        if options.statistics is None:
            raise click.UsageError("say where to write the pool: --out FILE; or --statistics")
        refuse({"format", "force"}, "is about --out FILE")
    elif not (options.out.is_dir() and not any(options.out.iterdir())):
        if options.out.is_dir():
            from doxeval.errors import OutputError

            raise OutputError(f"{options.out} exists; expected a new or an empty directory")
        refuse_existing(options.out, force=options.force)


def _size(made: Pool) -> str:
    return f"{plural(len(made), 'document')} for {plural(len(made.topics), 'topic')}"


# Statistics


def _print(statistics: PoolStatistics, made: Pool) -> None:
    heading(f"{_size(made)}, from {plural(len(statistics.runs), 'run')}")
    sizes = [
        [topic, f"{size.documents:,}", f"{size.elements:,}", f"{size.runs:,}"]
        for topic, size in statistics.topics.items()
    ]
    print_table(["topic", "documents", "parts", "runs"], sizes)
    line()
    heading("Documents that each run returns, and what the pool would be without it")
    has_judgments = any(share.lost_relevant is not None for share in statistics.runs.values())
    header = ["run", "returned", "alone", "lost", "gained"] + ["lost relevant"] * has_judgments
    rows = [
        [
            run,
            *(f"{n:,}" for n in (share.documents, share.unique, share.lost, share.gained)),
            *([f"{share.lost_relevant or 0:,}"] if has_judgments else []),
        ]
        for run, share in statistics.runs.items()
    ]
    print_table(header, rows)
    _print_overlap(statistics)


def _print_overlap(statistics: PoolStatistics) -> None:
    """Print the pairs of runs that share most."""
    if not statistics.overlap:
        return
    line()
    heading("Documents that two runs share, and their share of all that either returns")
    by_share = sorted(statistics.overlap.items(), key=lambda pair: -(pair[1][1] or 0))
    rows = [
        [
            f"{truncate(first, 40)} and {truncate(second, 40)}",
            f"{shared:,}",
            "" if share is None else f"{share:.1%}",
        ]
        for (first, second), (shared, share) in by_share[:_MAX_OVERLAPS]
    ]
    print_table(["runs", "shared", "share"], rows)
    if len(by_share) > _MAX_OVERLAPS:
        line(f"  and {len(by_share) - _MAX_OVERLAPS:,} more pairs, which --statistics json lists")
