"""`doxeval pool`: which documents of several runs are to be judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.decorators import (
    collection_option,
    columns_option,
    merging_options,
    offsets_option,
)
from doxeval.cli.output import block, heading, json_data, line, note, warn
from doxeval.cli.verb import refuse, verb
from doxeval.messages import plural, truncate

if TYPE_CHECKING:
    from doxeval.assessments import Assessments
    from doxeval.documents import Collection
    from doxeval.pooling import Pool, Pooling, PoolStatistics

_ADAPTIVE = ("mtf", "bandit")
_MOST_OVERLAPS = 15
_LARGEST = 10**15


@verb()
@click.argument("runs", nargs=-1, required=True, metavar="[NAME=]RUN…")
@click.option(
    "--depth",
    type=click.IntRange(1),
    metavar="K",
    help="Consider so many results of each run for a topic.  [default: all]",
)
@click.option(
    "--documents",
    type=click.IntRange(1),
    metavar="N",
    help="Pool at most so many distinct documents for a topic.  [default: all]",
)
@click.option(
    "--method",
    type=click.Choice(["depth", "rrf", "mtf", "bandit"]),
    default="depth",
    show_default=True,
    help="The order in which documents come into the pool.",
)
@click.option(
    "--level",
    type=click.Choice(["element", "document"]),
    default="element",
    show_default=True,
    help="Whether ranks count results, or only the first result in each document.",
)
@click.option(
    "--judged",
    multiple=True,
    metavar="FILE",
    help="Assessments so far, for mtf, bandit and --statistics: a file, a directory or an archive; "
    "may be repeated.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Seed of the random number generator, for mtf and bandit.",
)
@click.option("--topics", metavar="FILE", help="Pool for these topics.  [default: all of the runs]")
@collection_option("Resolve results, so that all spellings of an element are one.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE|DIR",
    help="The pool; INEX has a directory with a file for each topic, if there are several.  "
    "[required without --statistics]",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["jsonl", "inex", "trec"]),
    help="Format of the pool.  [default: by OUT's name, else jsonl]",
)
@click.option(
    "--statistics",
    type=click.Choice(["table", "json"]),
    help="Print sizes, contributions of runs, and their overlap.",
)
@merging_options
@offsets_option
@columns_option
@click.option("--force", is_flag=True, help="Replace an existing file.")
def pool(runs: tuple[str, ...], out: Path | None, **options: Any) -> None:
    """Pool the results of RUNs: the documents to be judged for each topic.

    \b
    Methods:
      depth   by rank; with --documents, runs take turns as they are named
      rrf     by reciprocal rank fusion: the sum of 1 / (60 + rank) over runs
      mtf     move-to-front: from the run that last returned a relevant document
      bandit  Thompson sampling: from runs by the share of their relevant documents
    mtf and bandit follow the judgments that exist (--judged). Judge what they pool, and pool again.

    A pool as JSONL says how it was made, with the hashes of the runs, and which runs returned what:
    keep it from assessors. The other formats hold nothing of that.

    \b
    Examples:
      doxeval pool *.run --depth 100 --collection wiki --out pool.jsonl
      doxeval pool *.run --documents 500 --out pool.jsonl --statistics table
      doxeval pool *.run --documents 50 --method mtf --judged so-far.jsonl --out next.jsonl
    """
    from doxeval.pooling import format_of, pool_losses, statistics_of, write_pool

    _check(options, out)
    pooling = _pooling(runs, options)
    made = pooling.pool()
    warn(made.warnings)
    if out is not None:
        written = options["format_"] or format_of(out) or "jsonl"
        lost = pool_losses(made, written)
        if lost:
            note(f"left out, as {written} does not hold it: {', '.join(lost)}")
        write_pool(made, out, written)
    if options["statistics"] is None:
        line(f"{out}: {_size(made)}")
        return
    found = statistics_of(made, pooling)
    if options["statistics"] == "json":
        json_data(found.to_dict(), indent=1)
    else:
        _print(found, made)


def _check(options: dict[str, Any], out: Path | None) -> None:
    """Refuse calls that say too little, options without effect, and to replace anything."""
    from doxeval.errors import OutputError

    if options["depth"] is None and options["documents"] is None:
        raise click.UsageError("say how much to pool: --depth K, --documents N, or both")
    for name in ("depth", "documents", "seed"):
        if (options[name] or 0) > _LARGEST:
            raise click.UsageError(f"--{name} is too large")
    if options["method"] in _ADAPTIVE:
        if not options["judged"]:
            raise click.UsageError(
                f"--method {options['method']} follows judgments: give them with --judged, or pool "
                "with --method depth or rrf as long as there are none"
            )
    else:
        refuse({"seed"}, f"has no effect on --method {options['method']}")
        if options["statistics"] is None:
            refuse({"judged"}, f"has no effect on --method {options['method']}")
    if not options["judged"]:
        refuse({"pool", "merge"}, "is about judgments; it has no effect without --judged")
    if options["directory"] is None:
        refuse({"offsets", "whitespace"}, "has no effect without --collection")
    if out is None:
        if options["statistics"] is None:
            raise click.UsageError("say where to write the pool: --out FILE; or --statistics")
        refuse({"format_", "force"}, "is about --out FILE")
    elif out.exists() and not (options["force"] and not out.is_dir()) and not _is_empty(out):
        raise OutputError(f"{out} exists" + ("" if out.is_dir() else "; --force replaces it"))


def _is_empty(out: Path) -> bool:
    return out.is_dir() and not any(out.iterdir())


def _pooling(runs: tuple[str, ...], options: dict[str, Any]) -> Pooling:
    from doxeval.cli.scoring import named_run
    from doxeval.documents import Collection
    from doxeval.pooling import PoolFacts, Pooling
    from doxeval.topics import read_topics

    directory = options["directory"]
    collection = None if directory is None else Collection(directory)
    wanted = ("method", "depth", "documents", "level", "seed")
    return Pooling.of(
        [(one.name, one.source) for one in map(named_run, runs)],
        PoolFacts(*(options[name] for name in wanted)),
        assessments=_judged(options, collection),
        collection=collection,
        topics=None if options["topics"] is None else read_topics(options["topics"]),
        offsets=options["offsets"],
        whitespace=options["whitespace"],
        ends=options["columns"] == "start-end",
    )


def _judged(options: dict[str, Any], collection: Collection | None) -> Assessments | None:
    from doxeval.assessments import read_assessments

    if not options["judged"]:
        return None
    reading = {name: options[name] for name in ("pool", "merge", "offsets", "whitespace")}
    judged = read_assessments(*options["judged"], collection=collection, **reading)
    warn(judged.warnings)
    return judged


def _size(made: Pool) -> str:
    return f"{plural(len(made), 'document')} for {plural(len(made.topics), 'topic')}"


# Statistics


def _print(found: PoolStatistics, made: Pool) -> None:
    from doxeval.cli.output import aligned

    heading(f"{_size(made)}, from {plural(len(found.runs), 'run')}")
    sizes = [
        [topic, f"{one.documents:,}", f"{one.elements:,}", f"{one.runs:,}"]
        for topic, one in found.topics.items()
    ]
    block(aligned(["topic", "documents", "parts", "runs"], sizes))
    line()
    heading("Documents that each run returns, and what the pool would be without it")
    has_judgments = any(one.lost_relevant is not None for one in found.runs.values())
    header = ["run", "returned", "alone", "lost", "gained"] + ["lost relevant"] * has_judgments
    rows = [
        [
            run,
            *(f"{number:,}" for number in (one.documents, one.unique, one.lost, one.gained)),
            *([f"{one.lost_relevant or 0:,}"] if has_judgments else []),
        ]
        for run, one in found.runs.items()
    ]
    block(aligned(header, rows))
    _print_overlap(found)


def _print_overlap(found: PoolStatistics) -> None:
    """The pairs of runs that share most."""
    if not found.overlap:
        return
    line()
    heading("Documents that two runs share, and their share of all that either returns")
    by_share = sorted(found.overlap.items(), key=lambda pair: -(pair[1][1] or 0))
    for (one, other), (shared, share) in by_share[:_MOST_OVERLAPS]:
        shown = "" if share is None else f"{share:7.1%}"
        line(f"  {shared:>9,} {shown:>7}  {truncate(one, 40)} and {truncate(other, 40)}")
    if len(by_share) > _MOST_OVERLAPS:
        line(f"  and {len(by_share) - _MOST_OVERLAPS:,} more pairs, which --statistics json lists")
