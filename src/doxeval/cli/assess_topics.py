"""`doxeval assess close`, `reopen` and `pool`: what there is to judge."""

from __future__ import annotations

from pathlib import Path

import click

from doxeval.cli.assess_opening import campaign_argument, opened_campaign, topics_chosen
from doxeval.cli.terminal import line, warn
from doxeval.cli.verb import verb
from doxeval.messages import join_names, plural

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
