"""`doxeval simulate`: the runs that systems with known behaviour would make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from doxeval.cli.options import (
    AssessmentOptions,
    NewMetadataOptions,
    RunFormat,
    assessments_option,
    collection_option,
    force_option,
    max_results_option,
    out_option,
    refuse_existing,
    refuse_existing_directory,
    seed_option,
)
from doxeval.cli.output import line, warn
from doxeval.cli.verb import part, refuse, verb
from doxeval.named import REQUIRED, option

if TYPE_CHECKING:
    from doxeval.runs import Run
    from doxeval.stereotypes import System

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
    "genomics": ".run",
}


@dataclass(frozen=True)
class SimulateOptions:
    """Which systems are simulated, on which judgments, and what is written."""

    system: tuple[str, ...] = option(
        REQUIRED,
        "A system to simulate: one of those above, all of them (all), one of an installed package, "
        "or one of your own, FILE.py:NAME; may be repeated.",
        metavar="NAME",
    )
    assessments: tuple[str, ...] = assessments_option(
        "Assessments: a file, a directory or an archive; may be repeated."
    )
    out: Path = out_option(
        "The file of the run, or a directory for the runs of several systems.", metavar="FILE|DIR"
    )
    collection: str | None = collection_option("The collection that was assessed.  [required]")
    quant: str | None = option(
        None,
        "How grades become numbers: strict, gen, sog, strict5, gen5, genLifted or spec.",
        metavar="Q",
        shown_default="spec for highlighted text, gen for grades of 2002–04, gen5 for those of "
        "2005",
    )
    seed: int = seed_option("Seed of the random number generator, for random and leaves.", 1)
    max_results: int = max_results_option("Maximum number of results for each topic.", 1500)
    unit: Literal["words", "characters"] = option(
        "words", "The unit in which biggest-child measures the size of a child."
    )
    reading: AssessmentOptions = part(AssessmentOptions)
    format: RunFormat | None = option(
        None, "Format of the runs.", shown_default="by OUT's name; text in a directory"
    )
    about: NewMetadataOptions = part(NewMetadataOptions)
    force: bool = force_option("existing files")


@verb(SimulateOptions)
def simulate(options: SimulateOptions) -> None:
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

    A system of your own is a function in a file of Python, which is run because you name it:

    \b
      doxeval simulate --system my.py:forgetful -a qrels --collection DIR --out forgetful.run
    """
    out, systems = options.out, _systems(options.system)
    names = [system.name for system in systems]
    if options.collection is None:
        raise click.UsageError("elements are looked up in the collection: --collection DIR")
    for name, concerned in SYSTEMS_WITH.items():
        if not set(names) & set(concerned) and set(names) <= set(_SYSTEMS):
            refuse({name}, f"has no effect on {', '.join(names)}")
    if len(names) > 1:
        refuse_existing_directory(out, "runs in it", force=options.force)
    else:
        refuse_existing(*options.about.files_of(out), force=options.force)
    runs = _simulated(systems, options.collection, options)
    if len(runs) == 1:
        options.about.write(runs[0], out, options.format)
        _print_files({out: runs[0]})
        return
    format_: RunFormat = options.format or "text"
    files = {f"{run.run_id}{_SUFFIXES[format_]}": run for run in runs}
    _write_directory(files, out, format_, options.about)
    _print_files({out / name: run for name, run in files.items()})


def _systems(given: Sequence[str]) -> list[System]:
    """Return the systems with these names, each once."""
    from doxeval.errors import SyntaxProblem
    from doxeval.stereotypes import system_named

    names = [*_SYSTEMS, *given] if "all" in given else given
    try:
        systems = [system_named(name) for name in dict.fromkeys(names) if name != "all"]
    except SyntaxProblem as error:
        raise click.UsageError(f"--system: {error}") from None
    by_name = {system.name: system for system in systems}
    for system in systems:
        if by_name[system.name].listed is not system.listed:
            raise click.UsageError(f"--system: two systems have the name {system.name}")
    return list(by_name.values())


def _simulated(systems: list[System], directory: str, options: SimulateOptions) -> list[Run]:
    from doxeval.documents import Collection
    from doxeval.errors import OutputError
    from doxeval.stereotypes import simulate as run_of_system

    collection = Collection(directory)
    assessments = options.reading.read(options.assessments, collection)
    warn(assessments.warnings)
    runs = [
        run_of_system(
            assessments,
            collection,
            system,
            quant=options.quant,
            seed=options.seed,
            max_results=options.max_results,
            unit=options.unit,
        )
        for system in systems
    ]
    warn(dict.fromkeys(warning for run in runs for warning in run.warnings))
    for run in runs:
        if not len(run):
            raise OutputError(f"{run.run_id} returns nothing: no topic has relevant units")
    return runs


def _write_directory(
    runs: dict[str, Run], out: Path, format_: RunFormat, about: NewMetadataOptions
) -> None:
    """Write a file for each run: all of them or none."""
    from doxeval.files import output_directory

    with output_directory(out) as directory:
        for name, run in runs.items():
            about.write(run, directory / name, format_)


def _print_files(runs: dict[Path, Run]) -> None:
    from doxeval.messages import plural

    for path, run in runs.items():
        line(f"{path}: {plural(len(run), 'result')} for {plural(len(run.topics), 'topic')}")
