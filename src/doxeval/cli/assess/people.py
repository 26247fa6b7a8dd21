"""`doxeval assess user`, `assign` and `unassign`: who takes part, and who judges which topic."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from doxeval.cli.assess.opening import (
    campaign_argument,
    opened_campaign,
    password_given,
    password_options,
    topics_chosen,
)
from doxeval.cli.decorators import table_or_json
from doxeval.cli.output import block, json_data, line
from doxeval.cli.verb import Verb, VerbGroup, verb
from doxeval.messages import join_names, plural, truncate

if TYPE_CHECKING:
    from doxeval.assess.db import Assignment, User

ROLES = ("assessor", "adjudicator", "organiser", "admin")


@click.group(cls=VerbGroup)
def user() -> None:
    """Add and list people, reset passwords.

    Assessors judge the topics that are assigned to them. Organisers see the progress of everybody
    and assign topics; an admin can also manage users in the browser. Users are never removed, since
    judgments are theirs: `disable` locks them out.
    """


@user.command(cls=Verb)
@campaign_argument
@click.argument("name", metavar="NAME")
@click.option(
    "--role",
    type=click.Choice(ROLES),
    default="assessor",
    show_default=True,
    help="What the user may do; adjudicators are assessors with `assign --adjudicate`.",
)
@password_options
def add(directory: Path, name: str, role: str, password_stdin: bool, password_prompt: bool) -> None:
    """Add a user.

    Unless a password is given, one is generated and printed, only this once.

    \b
    Examples:
      doxeval assess user add campaign ann
      doxeval assess user add campaign olga --role organiser --password-prompt
    """
    given = password_given(password_stdin, password_prompt)
    with opened_campaign(directory) as campaign:
        added, password = campaign.add_user(name, role, given)
    line(f"{role} {truncate(added.name)}, called {added.pseudonym} in exports")
    print_password(added.name, password, given)


def print_password(name: str, password: str, given: str | None) -> None:
    """Print a password that was generated; nobody can read it again later."""
    if given is None:
        line(f"password of {truncate(name)}: {password}")


@user.command("list", cls=Verb)
@campaign_argument
@table_or_json("How to print the users.")
def list_users(directory: Path, format_: str) -> None:
    """List the users.

    With each, the role, the pseudonym in exports, and the topics.

    \b
    Example:
      doxeval assess user list campaign
    """
    from doxeval.cli.output import aligned

    with opened_campaign(directory) as campaign:
        users, assignments = campaign.users(), campaign.assignments()
    rows = [_user_data(one, assignments) for one in users]
    if format_ == "json":
        json_data(rows, indent=1)
        return
    header = ["name", "role", "pseudonym", "active", "assesses", "adjudicates"]
    block(aligned(header, [_user_cells(row) for row in rows]))


def _user_data(user: User, assignments: Sequence[Assignment]) -> dict[str, Any]:
    own = [one for one in assignments if one.user == user.name]
    return {
        "name": user.name,
        "role": user.role,
        "pseudonym": user.pseudonym,
        "active": user.active,
        "assess": [one.topic for one in own if one.part == "assess"],
        "adjudicate": [one.topic for one in own if one.part == "adjudicate"],
    }


def _user_cells(row: dict[str, Any]) -> list[str]:
    return [
        truncate(row["name"]),
        row["role"],
        row["pseudonym"],
        "yes" if row["active"] else "no",
        join_names(row["assess"], 8) or "—",
        join_names(row["adjudicate"], 8) or "—",
    ]


@user.command(cls=Verb)
@campaign_argument
@click.argument("name", metavar="NAME")
@password_options
def password(directory: Path, name: str, password_stdin: bool, password_prompt: bool) -> None:
    """Set a new password.

    All sessions of the user end. Unless a password is given, one is generated and printed, only
    this once.

    \b
    Examples:
      doxeval assess user password campaign ann
      doxeval assess user password campaign ann --password-prompt
    """
    given = password_given(password_stdin, password_prompt)
    with opened_campaign(directory) as campaign:
        new = campaign.set_password(name, given)
    line(f"{truncate(name)} has a new password, and must sign in again")
    print_password(name, new, given)


@user.command(cls=Verb)
@campaign_argument
@click.argument("name", metavar="NAME")
def disable(directory: Path, name: str) -> None:
    """Lock a user out.

    All sessions of the user end. Judgments stay.

    \b
    Example:
      doxeval assess user disable campaign ann
    """
    with opened_campaign(directory) as campaign:
        campaign.set_active(name, False)
    line(f"{truncate(name)} can no longer sign in")


@user.command(cls=Verb)
@campaign_argument
@click.argument("name", metavar="NAME")
def enable(directory: Path, name: str) -> None:
    """Let a user sign in again.

    \b
    Example:
      doxeval assess user enable campaign ann
    """
    with opened_campaign(directory) as campaign:
        campaign.set_active(name, True)
    line(f"{truncate(name)} can sign in again")


_adjudicate = click.option(
    "--adjudicate", is_flag=True, help="To adjudicate the topic, not to judge its documents."
)
_all_topics = click.option("--all-topics", is_flag=True, help="All topics of the campaign.")


@verb()
@campaign_argument
@click.argument("topics", metavar="TOPIC…", nargs=-1)
@click.argument("name", metavar="USER")
@_all_topics
@_adjudicate
def assign(
    directory: Path, topics: tuple[str, ...], name: str, all_topics: bool, adjudicate: bool
) -> None:
    """Assign topics to a user.

    Several users may judge the same topic, each on their own.

    \b
    Examples:
      doxeval assess assign campaign 301 302 ann
      doxeval assess assign campaign --all-topics olga --adjudicate
    """
    _change("assign", directory, topics, name, all_topics, adjudicate)


@verb()
@campaign_argument
@click.argument("topics", metavar="TOPIC…", nargs=-1)
@click.argument("name", metavar="USER")
@_all_topics
@_adjudicate
def unassign(
    directory: Path, topics: tuple[str, ...], name: str, all_topics: bool, adjudicate: bool
) -> None:
    """Take topics from a user.

    What they judged stays.

    \b
    Example:
      doxeval assess unassign campaign 302 ann
    """
    _change("unassign", directory, topics, name, all_topics, adjudicate)


def _change(
    how: Literal["assign", "unassign"],
    directory: Path,
    topics: tuple[str, ...],
    name: str,
    all_topics: bool,
    adjudicate: bool,
) -> None:
    if bool(topics) == all_topics:
        raise click.UsageError("give one or more topics, or --all-topics")
    part: Literal["adjudicate", "assess"] = "adjudicate" if adjudicate else "assess"
    with opened_campaign(directory) as campaign:
        chosen = topics_chosen(campaign, topics)
        campaign.user(name)  # a wrong name is told before anything is changed
        for topic in chosen:
            if how == "assign":
                campaign.assign(topic, name, part)
            else:
                campaign.unassign(topic, name, part)
    does = "adjudicates" if adjudicate else "assesses"
    since = "now" if how == "assign" else "no longer"
    line(f"{truncate(name)} {since} {does} {plural(len(chosen), 'topic')}: {join_names(chosen)}")
