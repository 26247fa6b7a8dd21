"""`doxeval assess package`: a campaign as a test collection to publish."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from doxeval.cli.assess.judgments import note_programs
from doxeval.cli.assess.opening import (
    CampaignOptions,
    directory_argument,
    opened_campaign,
    topics_chosen,
    topics_option,
)
from doxeval.cli.options import out_option
from doxeval.cli.output import line, note, warn
from doxeval.cli.verb import verb
from doxeval.messages import plural
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.assess.package import Baseline, Package
    from doxeval.retrieve import Index
    from doxeval.scores import ScoreTable

_MODELS = ("lm", "bm25")


@dataclass(frozen=True)
class PackageOptions(CampaignOptions):
    """The options of `doxeval assess package`."""

    out: Path = out_option("The folder to write; it must not exist.", metavar="DIR")
    title: str = option(
        "", "The title.", metavar="TEXT", shown_default="the campaign's, or the name of DIR"
    )
    edition: str = option("1.0", "The version of the test collection.", metavar="VERSION")
    author: tuple[str, ...] = option(
        (), "An author: 'Family, Given', or an institution; may be repeated.", metavar="NAME"
    )
    licence: str | None = option(
        None, "The licence of everything in it: CC-BY-4.0, say, or a URL.", metavar="LICENCE"
    )
    with_documents: bool = option(
        False, "The documents too, not only their ids and checksums; needs --licence."
    )
    judgments: str = option(
        "adjudicated",
        "Whose judgments count, where several people judged a document; NAME is a user or a "
        "pseudonym.",
        metavar="adjudicated|majority|union|NAME",
    )
    run: tuple[str, ...] = option(
        (), "A run that goes in, with its scores; may be repeated.", metavar="FILE|NAME=FILE"
    )
    no_baselines: bool = option(
        False,
        "Only the runs that are given. By default doxeval's own search makes two, of the topics' "
        "titles, by lm and bm25; without an index it builds one, and removes it again.",
    )
    unfinished: bool = option(
        False, "Also topics that are not judged completely; what is missing is listed in it."
    )
    topics: tuple[str, ...] = topics_option()


@verb(PackageOptions)
@directory_argument
def package(directory: Path, options: PackageOptions) -> None:
    """Write a folder that can go to an archive.

    It has the topics, the pool, the judgments that count and those of each assessor (under
    pseudonyms), agreement, counts, runs with their scores by the official measures, ids and
    checksums of the documents (with --with-documents the documents themselves), a README, how to
    cite it, a description for programs (Croissant), and checksums of all files.

    doxeval takes the folder wherever it takes topics, judgments or a collection. The same campaign
    gives the same bytes; its date is that of the last judgment, unless SOURCE_DATE_EPOCH is set.

    \b
    Examples:
      doxeval assess package campaign --author 'Shore, Ann' --licence CC-BY-4.0 --out tides
      doxeval assess package campaign --with-documents --licence CC0-1.0 --run my.run --out tides
      doxeval evaluate my.run --assessments tides -m MAiP
    """
    from doxeval.assess.package import PackageTitle, package_of, write_package
    from doxeval.errors import OutputError

    if options.out.exists():
        raise OutputError(f"{options.out} exists; a package goes into a new folder")
    about = PackageTitle(options.title, options.edition, options.author, options.licence)
    with opened_campaign(directory, options.collection) as campaign:
        topics = topics_chosen(campaign, options.topics)
        note_programs(campaign, False)
        pseudonyms = {user.name: user.pseudonym for user in campaign.users()}
        made = package_of(
            campaign,
            about,
            topics=topics,
            judgments=pseudonyms.get(options.judgments, options.judgments),
            with_documents=options.with_documents,
            unfinished=options.unfinished,
        )
        if made.judgments.ties:
            warn([str(made.judgments.ties)])
        baselines = _baselines(made, options)
        scores = _scores(made, baselines) if baselines else None
        names = write_package(made, options.out, baselines, scores)
        campaign.note_event("exported", format="package", topics=topics)
    if not options.author:
        note("CITATION.cff names no author: --author 'Family, Given'")
    if options.licence is None:
        note("nobody may use it without a licence: --licence CC-BY-4.0, say")
    for text in made.unfinished:
        note(f"not judged: {text}")
    judged, counted = made.statistics.judged, plural(len(made.topics), "topic")
    line(f"{options.out}: {plural(judged, 'judgment')} of {counted}, {plural(len(names), 'file')}")
    line(f"  check it  doxeval collection verify {options.out}")


def _baselines(package: Package, options: PackageOptions) -> list[Baseline]:
    """Return the runs that were given, and those of doxeval's own search."""
    from doxeval.assess.package import Baseline
    from doxeval.cli.scoring import named_run

    given = [named_run(text) for text in options.run]
    baselines = [Baseline(str(run.file), run.name) for run in given]
    if options.no_baselines:
        return baselines
    with _index(package) as index:
        return [*baselines, *_searched(package, index)]


@contextmanager
def _index(package: Package) -> Iterator[Index]:
    """Open the index beside the collection, or one that is built for now."""
    import tempfile

    from doxeval.retrieve import Index, build_index, default_directory

    if default_directory(package.collection.directory).exists():
        yield Index.of(package.collection)
        return
    note("building an index for the baselines (doxeval index build keeps one)")
    with tempfile.TemporaryDirectory(prefix="doxeval-index-") as directory:
        place = Path(directory) / "index"
        build_index(package.collection, place)
        yield Index(place, package.collection)


def _searched(package: Package, index: Index) -> Iterator[Baseline]:
    from doxeval.assess.package import BASELINE_TASKS, Baseline
    from doxeval.errors import InputError
    from doxeval.retrieve import SearchOptions, model_named, open_searcher, search_topics

    if not any(topic.title for topic in package.topics):
        raise InputError("no topic has a title to search for; --no-baselines makes none")
    for name in _MODELS:
        options = SearchOptions(task=BASELINE_TASKS[package.mode], model=model_named(name))
        searcher = open_searcher(index, options)
        run = search_topics(searcher, package.topics, run_id=f"doxeval-{name}", skip_missing=True)
        if len(run):  # its warnings come with its scores
            yield Baseline(run)


def _scores(package: Package, baselines: Sequence[Baseline]) -> ScoreTable:
    """Return the scores of runs by the official measures, as far as these can be computed."""
    from doxeval.assess.package import OFFICIAL
    from doxeval.evaluation import Evaluation, RunInput

    evaluation = Evaluation(
        package.judgments.assessments,
        presets=OFFICIAL[package.mode],
        collection=package.collection,
    )
    table = evaluation.score_all([RunInput(run.source, run.name) for run in baselines])
    warn(table.all_warnings())
    return table.reference_first()
