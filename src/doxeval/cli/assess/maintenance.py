"""`doxeval assess rebase`, `backup` and `verify`: keep a campaign safe and sound."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from doxeval.cli.assess.opening import (
    campaign_argument,
    check_installed,
    database_option,
    directory_argument,
    opened_campaign,
    topics_chosen,
)
from doxeval.cli.decorators import WHERE
from doxeval.cli.output import line, note, warn
from doxeval.cli.verb import verb
from doxeval.messages import join_names, plural, truncate


@verb()
@directory_argument
@click.option(
    "--collection",
    required=True,
    help="The collection that was built again.",
    **WHERE,
)
def rebase(directory: Path, collection: str) -> None:
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

    report = Campaign.rebase(directory, collection)
    for lost in report.lost:
        where = f"{truncate(lost.document)} for topic {truncate(lost.topic)}"
        note(f"{where}, {truncate(lost.who)}: {lost.what}", "yellow")
    if report.removed:
        gone = [f"{document} for topic {topic}" for topic, document in report.removed]
        warn([f"no longer in the collection, and so not in the pool: {join_names(gone)}"])
    line(
        f"{plural(report.unchanged, 'judgment')} unchanged, {report.moved:,} moved, "
        f"{plural(len(report.lost), 'place')} not found again"
    )


@verb()
@campaign_argument
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="The file to write; it is compressed if its name ends in .gz.",
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
def backup(directory: Path, out: Path, force: bool) -> None:
    """Copy the campaign into one file.

    The server may be running meanwhile. The file can be restored on another computer, and into
    another database. It has the hashes of passwords: keep it safe.

    \b
    Example:
      doxeval assess backup campaign --out monday.jsonl.gz
    """
    from doxeval.errors import OutputError

    if out.exists() and not force:
        raise OutputError(f"{out} exists; --force replaces it")
    with opened_campaign(directory) as campaign:
        campaign.backup(out)
    line(f"{out}: {out.stat().st_size:,} bytes")


@verb()
@click.argument("file", metavar="BACKUP", type=click.Path(path_type=Path))
@directory_argument
@click.option(
    "--collection",
    **WHERE,
    help="Where the collection is, if not where it was.",
)
@database_option
def restore(file: Path, directory: Path, collection: str | None, database: str | None) -> None:
    """Make a campaign from a backup.

    DIR must not exist yet, or be empty.

    \b
    Examples:
      doxeval assess restore monday.jsonl.gz campaign-again
      doxeval assess restore monday.jsonl.gz team --database postgresql://localhost/assessments
    """
    check_installed()
    from doxeval.assess.db import Campaign

    with Campaign.restore(file, directory, collection=collection, database=database) as campaign:
        topics, users = len(campaign.topics()), len(campaign.users())
    line(f"{directory}: {plural(topics, 'topic')}, {plural(users, 'user')}")


@verb()
@campaign_argument
def verify(directory: Path) -> None:
    """Replay the log, and compare.

    The operations in the log must lead to the judgments as they are. The exit code is 1 if they
    differ.

    \b
    Example:
      doxeval assess verify campaign
    """
    with opened_campaign(directory) as campaign:
        problems = campaign.verify()
        operations = sum(1 for _ in campaign.operations())
    for problem in problems:
        note(f"error: {problem}", "red")
    line(f"{plural(operations, 'operation')} replayed, {plural(len(problems), 'problem')}")
    if problems:
        sys.exit(1)


_topics = click.argument("topics", metavar="TOPIC…", nargs=-1, required=True)


@verb()
@campaign_argument
@_topics
def close(directory: Path, topics: tuple[str, ...]) -> None:
    """Close topics.

    Their judgments can no longer be changed, and agreement is shown in the browser, too.

    \b
    Example:
      doxeval assess close campaign 301 302
    """
    with opened_campaign(directory) as campaign:
        chosen = topics_chosen(campaign, topics)
        for topic in chosen:
            campaign.close_topic(topic, None)
    line(f"closed {join_names(chosen)}")


@verb()
@campaign_argument
@_topics
def reopen(directory: Path, topics: tuple[str, ...]) -> None:
    """Reopen topics, so that assessors can go on.

    \b
    Example:
      doxeval assess reopen campaign 301
    """
    with opened_campaign(directory) as campaign:
        chosen = topics_chosen(campaign, topics)
        for topic in chosen:
            campaign.reopen_topic(topic, None)
    line(f"reopened {join_names(chosen)}")


@verb()
@campaign_argument
@click.argument("file", metavar="POOL", type=click.Path(path_type=Path))
def pool(directory: Path, file: Path) -> None:
    """Replace the pool by a new one.

    More runs may have come in. Documents that anybody has judged stay, whether the new pool has
    them or not.

    \b
    Example:
      doxeval assess pool campaign larger-pool.jsonl
    """
    from doxeval.pooling import read_pool

    new = read_pool(file)
    with opened_campaign(directory) as campaign:
        update = campaign.update_pool(new)
    warn(update.warnings)
    line(
        f"{plural(update.added, 'document')} added, {update.kept:,} kept, {update.removed:,} "
        f"removed; {update.kept_because_judged:,} that the new pool lacks stay, having been judged"
    )
