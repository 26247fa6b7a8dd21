"""`doxeval assess rebase`, `backup` and `verify`: keep a campaign safe and sound."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from doxeval.cli.assess.opening import (
    CampaignOptions,
    check_installed,
    database_option,
    directory_argument,
    note_uncovered,
    opened_campaign,
    topics_chosen,
)
from doxeval.cli.options import collection_option, force_option, out_option, refuse_existing
from doxeval.cli.output import line, note, warn
from doxeval.cli.verb import verb
from doxeval.messages import join_names, plural, truncate
from doxeval.named import REQUIRED


@dataclass(frozen=True)
class RebaseOptions:
    """The options of `doxeval assess rebase`."""

    collection: str = collection_option("The collection that was built again.", REQUIRED)


@verb(RebaseOptions)
@directory_argument
def rebase(directory: Path, options: RebaseOptions) -> None:
    """Move to a collection that was built again.

    A highlight is found again by its text, if that occurs once in the document. What cannot be
    found again is listed, and its document must be judged again; the log keeps what was there.
    Nobody can judge while this is done: stop the server first, and make a backup.

    \b
    Example:
      doxeval assess rebase campaign --collection wiki-2
    """
    check_installed()
    from doxeval.assess.db import Campaign

    report = Campaign.rebase(directory, options.collection)
    for place in report.not_found:
        where = f"{truncate(place.document)} for topic {truncate(place.topic)}"
        note(f"{where}, {truncate(place.who)}: {place.what}", "yellow")
    if report.removed:
        gone = [f"{document} for topic {topic}" for topic, document in report.removed]
        warn([f"no longer in the collection, and so not in the pool: {join_names(gone)}"])
    line(
        f"{plural(report.unchanged, 'judgment')} unchanged, {report.moved:,} moved, "
        f"{plural(len(report.not_found), 'place')} not found again"
    )


@dataclass(frozen=True)
class BackupOptions(CampaignOptions):
    """The options of `doxeval assess backup`."""

    out: Path = out_option("The file to write; it is compressed if its name ends in .gz.")
    force: bool = force_option()


@verb(BackupOptions)
@directory_argument
def backup(directory: Path, options: BackupOptions) -> None:
    """Copy the campaign into one file.

    The server may be running meanwhile. The file can be restored on another computer, and into
    another database. It has the hashes of passwords: keep it safe.

    \b
    Example:
      doxeval assess backup campaign --out monday.jsonl.gz
    """
    refuse_existing(options.out, force=options.force)
    with opened_campaign(directory, options.collection) as campaign:
        campaign.backup(options.out)
    line(f"{options.out}: {options.out.stat().st_size:,} bytes")


@dataclass(frozen=True)
class RestoreOptions:
    """The options of `doxeval assess restore`."""

    collection: str | None = collection_option("Where the collection is, if not where it was.")
    database: str | None = database_option()


@verb(RestoreOptions)
@click.argument("file", metavar="BACKUP", type=click.Path(path_type=Path))
@directory_argument
def restore(file: Path, directory: Path, options: RestoreOptions) -> None:
    """Make a campaign from a backup.

    DIR must not exist yet, or be empty.

    \b
    Examples:
      doxeval assess restore monday.jsonl.gz campaign-again
      doxeval assess restore monday.jsonl.gz team --database postgresql://localhost/assessments
    """
    check_installed()
    from doxeval.assess.db import Campaign

    with Campaign.restore(
        file, directory, collection=options.collection, database=options.database
    ) as campaign:
        topics, users = len(campaign.topics()), len(campaign.users())
    line(f"{directory}: {plural(topics, 'topic')}, {plural(users, 'user')}")


@verb(CampaignOptions)
@directory_argument
def verify(directory: Path, options: CampaignOptions) -> None:
    """Replay the log, and compare.

    The operations in the log must lead to the judgments as they are. The exit code is 1 if they
    differ.

    \b
    Example:
      doxeval assess verify campaign
    """
    with opened_campaign(directory, options.collection) as campaign:
        problems = campaign.verify()
        operations = sum(1 for _ in campaign.operations())
    for problem in problems:
        note(f"error: {problem}", "red")
    line(f"{plural(operations, 'operation')} replayed, {plural(len(problems), 'problem')}")
    if problems:
        sys.exit(1)


_topics = click.argument("topics", metavar="TOPIC…", nargs=-1, required=True)


@verb(CampaignOptions)
@directory_argument
@_topics
def close(directory: Path, topics: tuple[str, ...], options: CampaignOptions) -> None:
    """Close topics.

    Their judgments can no longer be changed, and agreement is shown in the browser, too.

    \b
    Example:
      doxeval assess close campaign 301 302
    """
    with opened_campaign(directory, options.collection) as campaign:
        chosen = topics_chosen(campaign, topics)
        for topic in chosen:
            campaign.close_topic(topic, None)
    line(f"closed {join_names(chosen)}")


@verb(CampaignOptions)
@directory_argument
@_topics
def reopen(directory: Path, topics: tuple[str, ...], options: CampaignOptions) -> None:
    """Reopen topics, so that assessors can go on.

    \b
    Example:
      doxeval assess reopen campaign 301
    """
    with opened_campaign(directory, options.collection) as campaign:
        chosen = topics_chosen(campaign, topics)
        for topic in chosen:
            campaign.reopen_topic(topic, None)
    line(f"reopened {join_names(chosen)}")


@verb(CampaignOptions)
@directory_argument
@click.argument("file", metavar="POOL", type=click.Path(path_type=Path))
def pool(directory: Path, file: Path, options: CampaignOptions) -> None:
    """Replace the pool by a new one.

    More runs may have come in. Documents that anybody has judged stay, whether the new pool has
    them or not.

    \b
    Example:
      doxeval assess pool campaign larger-pool.jsonl
    """
    from doxeval.pooling import read_pool

    new = read_pool(file)
    with opened_campaign(directory, options.collection) as campaign:
        update = campaign.update_pool(new)
        uncovered = campaign.uncovered_documents() if campaign.has_shares() else {}
    warn(update.warnings)
    line(
        f"{plural(update.added, 'document')} added, {update.kept:,} kept, {update.removed:,} "
        f"removed; {update.kept_because_judged:,} that the new pool lacks stay, having been judged"
    )
    note_uncovered(uncovered)
