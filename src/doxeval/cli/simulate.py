"""`doxeval simulate`: the runs that systems with known behaviour would make."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.decorators import collection_option, merging_options, offsets_option
from doxeval.cli.output import line, warn
from doxeval.cli.verb import refuse, verb

if TYPE_CHECKING:
    from doxeval.runs import Run

_SYSTEMS = ["perfect", "document", "parent", "ancestors", "biggest-child", "random", "leaves"]
# Options that only some systems look at.
SYSTEMS_WITH = {
    "seed": ["random", "leaves"],
    "unit": ["biggest-child"],
    "quant": [system for system in _SYSTEMS if system != "random"],
}
_SUFFIXES = {
    "text": ".run",
    "inex": ".xml",
    "jsonl": ".jsonl",
    "csv": ".csv",
    "parquet": ".parquet",
}


@verb()
@click.option(
    "--system",
    "systems",
    type=click.Choice([*_SYSTEMS, "all"]),
    multiple=True,
    required=True,
    help="A system to simulate; may be repeated.",
)
@click.option(
    "--assessments",
    "-a",
    "sources",
    multiple=True,
    required=True,
    metavar="FILE",
    help="Assessments: a file, a directory or an archive; may be repeated.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE|DIR",
    help="The file of the run, or a directory for the runs of several systems.",
)
@collection_option("The collection that was assessed.  [required]")
@click.option(
    "--quant",
    metavar="Q",
    help="How grades become numbers: strict, gen, sog, strict5, gen5, genLifted or spec.  "
    "[default: spec for highlighted text, gen for grades of 2002–04, gen5 for those of 2005]",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="Seed of the random number generator, for random and leaves.",
)
@click.option(
    "-k",
    "--max-results",
    type=click.IntRange(1),
    default=1500,
    show_default=True,
    help="Maximum number of results for each topic.",
)
@click.option(
    "--unit",
    type=click.Choice(["words", "characters"]),
    default="words",
    show_default=True,
    help="The unit in which biggest-child measures the size of a child.",
)
@merging_options
@offsets_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(list(_SUFFIXES)),
    help="Format of the runs.  [default: by OUT's name; text in a directory]",
)
@click.option("--force", is_flag=True, help="Replace existing files.")
def simulate(systems: tuple[str, ...], out: Path, **options: Any) -> None:
    """Write runs of simulated systems.

    A simulated system knows the assessments, and makes one kind of mistake.

    \b
    Systems:
      perfect        the ideal units, best first
      document       their documents
      parent         their parents
      ancestors      all their ancestors, root first, before each unit
      biggest-child  their largest children
    Controls:
      random         random elements of the collection
      leaves         innermost elements with relevant text

    With `all`, or several systems, OUT is a directory with a file for each system. The scores of
    these runs show which mistakes a measure forgives.
    """
    from doxeval.runs import write_run

    names = _SYSTEMS if "all" in systems else list(dict.fromkeys(systems))
    if options["directory"] is None:
        raise click.UsageError("elements are looked up in the collection: --collection DIR")
    for option, concerned in SYSTEMS_WITH.items():
        if not set(names) & set(concerned):
            refuse({option}, f"has no effect on {', '.join(names)}")
    _check_free(out, len(names) > 1, options["force"])
    runs = _simulated(names, options)
    if len(runs) == 1:
        write_run(runs[0], out, options["format_"])
        _print_files({out: runs[0]})
        return
    format_ = options["format_"] or "text"
    files = {f"{run.run_id}{_SUFFIXES[format_]}": run for run in runs}
    _write_directory(files, out, format_)
    _print_files({out / name: run for name, run in files.items()})


def _check_free(out: Path, several: bool, force: bool) -> None:
    """Refuse to replace anything without --force, or a directory by a file."""
    from doxeval.errors import OutputError

    if not out.exists():
        return
    if out.is_dir() != several:
        expected = "a directory, for several runs" if several else "a file, for one run"
        raise OutputError(f"{out} exists; expected {expected}")
    if not force:
        raise OutputError(f"{out} exists; --force replaces {'runs in it' if several else 'it'}")


def _simulated(names: list[str], options: dict[str, Any]) -> list[Run]:
    from doxeval.assessments import read_assessments
    from doxeval.documents import Collection
    from doxeval.errors import OutputError
    from doxeval.stereotypes import simulate as run_of_system

    collection = Collection(options["directory"])
    reading = {name: options[name] for name in ("pool", "merge", "offsets", "whitespace")}
    assessments = read_assessments(*options["sources"], collection=collection, **reading)
    warn(assessments.warnings)
    settings = {name: options[name] for name in ("quant", "seed", "max_results", "unit")}
    runs = [run_of_system(assessments, collection, name, **settings) for name in names]
    warn(dict.fromkeys(warning for run in runs for warning in run.warnings))
    for run in runs:
        if not len(run):
            raise OutputError(f"{run.run_id} returns nothing: no topic has relevant units")
    return runs


def _write_directory(runs: dict[str, Run], out: Path, format_: Any) -> None:
    """Write a file for each run: all of them or none."""
    from doxeval.files import output_directory
    from doxeval.runs import write_run

    with output_directory(out) as directory:
        for name, run in runs.items():
            write_run(run, directory / name, format_)


def _print_files(runs: dict[Path, Run]) -> None:
    from doxeval.messages import plural

    for path, run in runs.items():
        line(f"{path}: {plural(len(run), 'result')} for {plural(len(run.topics), 'topic')}")
