"""What all verbs that score runs have in common: their options, and how these become scores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.options import (
    collection_option,
    columns_option,
    merging_options,
    offsets_option,
)

if TYPE_CHECKING:
    from doxeval.assessments import Assessments
    from doxeval.documents import Collection
    from doxeval.evaluation import Reading
    from doxeval.scores import ScoreTable

# Runs of this many bytes are worth the start of another process.
_WORTH_A_PROCESS = 2 << 20

_OPTIONS = (
    click.argument("runs", nargs=-1, required=True, metavar="RUN…"),
    click.option(
        "--assessments",
        "-a",
        multiple=True,
        required=True,
        metavar="FILE",
        help="Assessments: a file, a directory or an archive; may be repeated.",
    ),
    collection_option("Needed where elements have to be looked up."),
    click.option(
        "--navigation",
        metavar="FILE",
        help="A model of how users navigate, as JSON, for ESR, PRUM and EPRUM.",
    ),
    click.option(
        "--topics",
        type=click.Choice(["assessed", "retrieved"]),
        help="Average over all assessed topics, or those with results.  [default: assessed]",
    ),
    click.option(
        "--order",
        type=click.Choice(["list", "rank", "rsv"]),
        default="list",
        show_default=True,
        help="What ranks results; equal ranks or scores are then ties.",
    ),
    offsets_option,
    columns_option,
    merging_options,
    click.option(
        "--unresolved",
        type=click.Choice(["error", "irrelevant"]),
        default="error",
        show_default=True,
        help="What becomes of results that name nothing.",
    ),
    click.option(
        "--spec",
        "specificity",
        type=click.Choice(["passages", "file"]),
        help="Where specificity in files of 2005–07 comes from.  [default: passages, if resolved]",
    ),
    click.option(
        "--jobs", type=click.IntRange(1), help="Processes.  [default: by the size of the work]"
    ),
)
measures_option = click.option(
    "-m", "--measure", "names", multiple=True, metavar="MEASURE", help="May be repeated."
)
preset_option = click.option(
    "--preset", metavar="NAME", help="The official measures of an INEX year and task."
)


def scoring_options(command: Any) -> Any:
    """Runs, assessments, and how they are read and scored."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Scoring:
    """Runs and what they are scored against, as the options of a command say."""

    runs: tuple[str, ...]
    assessments: Assessments
    collection: Collection | None
    reading: Reading
    options: dict[str, Any]

    @classmethod
    def of(cls, runs: Sequence[str], sources: Sequence[str], options: dict[str, Any]) -> Scoring:
        """Everything but the runs is read now."""
        from doxeval.assessments import read_assessments
        from doxeval.documents import Collection
        from doxeval.evaluation import Reading

        directory = options["directory"]
        collection = None if directory is None else Collection(directory)
        shared = {name: options[name] for name in ("offsets", "whitespace")}
        assessments = read_assessments(
            *sources,
            collection=collection,
            pool=options["pool"],
            merge=options["merge"],
            **shared,
        )
        reading = Reading(
            order=options["order"],
            unresolved=options["unresolved"],
            ends=options["columns"] == "start-end",
            **shared,
        )
        return cls(tuple(runs), assessments, collection, reading, options)

    def scores(self, names: Sequence[str], *, curves: bool = False) -> ScoreTable:
        """The scores of the runs by measures."""
        from doxeval.cli.terminal import counting_bar
        from doxeval.evaluation import evaluate
        from doxeval.navigation import read_navigation

        navigation = self.options["navigation"]
        with counting_bar("scoring runs", len(self.runs)) as progress:
            return evaluate(
                self.runs,
                self.assessments,
                names,
                collection=self.collection,
                topics=self.options["topics"] or "assessed",
                reading=self.reading,
                specificity=self.options["specificity"],
                curves=curves,
                navigation=None if navigation is None else read_navigation(navigation),
                jobs=self.options["jobs"] or _jobs_worth_starting(self.runs),
                progress=progress,
            )


def measures_asked_for(names: Sequence[str], preset: str | None) -> tuple[list[str], bool]:
    """The measures that are named, or of a preset, and whether curves belong to them."""
    found, curves = list(names), False
    if preset is not None:
        from doxeval.measures.presets import preset_named

        chosen = preset_named(preset)
        found += chosen.measures
        curves = chosen.curves
    if not found:
        raise click.UsageError(
            "say what to measure: -m 'iP[.01]', or --preset inex2009-focused (doxeval measures "
            "lists all measures, doxeval measures --presets all presets)"
        )
    return found, curves


def tell_warnings(table: ScoreTable) -> None:
    """What is to be warned about, on stderr."""
    from doxeval.cli.terminal import warn

    warn(table.warnings)
    for scores in table.runs:
        prefix = f"{scores.run}: " if len(table.runs) > 1 else ""
        warn(f"{prefix}{warning}" for warning in scores.warnings)


def _jobs_worth_starting(runs: Sequence[str]) -> int:
    """As many processes as there are cores, if the runs are worth it."""
    large = sum(os.path.getsize(run) > _WORTH_A_PROCESS for run in runs if os.path.isfile(run))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return max(min(large, cores), 1)
