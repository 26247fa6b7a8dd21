"""`doxeval assess user`, `assign` and `unassign`: who takes part, and who judges which topic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.assess.db import PARTS, Part, Role
from doxeval.cli.assess.opening import (
    CampaignOptions,
    PasswordOptions,
    directory_argument,
    opened_campaign,
    topics_chosen,
)
from doxeval.cli.options import TableOrJson, check_wide, format_option, wide_option
from doxeval.cli.output import json_data, line, print_table
from doxeval.cli.verb import Verb, VerbGroup, part, verb
from doxeval.messages import join_names, plural, truncate
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.assess.db import Assignment, Campaign, User

_name_argument = click.argument("name", metavar="NAME")


@click.group(cls=VerbGroup)
def user() -> None:
    """Add and list people, reset passwords.

    Assessors judge the topics that are assigned to them. Organisers see the progress of everybody
    and assign topics; an admin can also manage users in the browser. Users are never removed, since
    judgments are theirs: `disable` locks them out.
    """


@dataclass(frozen=True)
class AddUserOptions(CampaignOptions):
    """The options of `doxeval assess user add`."""

    role: Role = option(
        "assessor",
        "What the user may do; adjudicators are assessors with `assign --adjudicate`.",
    )
    password: PasswordOptions = part(PasswordOptions)


@user.command(cls=Verb, options=AddUserOptions)
@directory_argument
@_name_argument
def add(directory: Path, name: str, options: AddUserOptions) -> None:
    """Add a user.

    Unless a password is given, one is generated and printed, only this once.

    \b
    Examples:
      doxeval assess user add campaign ann
      doxeval assess user add campaign olga --role organiser --password-prompt
    """
    given = options.password.password()
    with opened_campaign(directory, options.collection) as campaign:
        added, password = campaign.add_user(name, options.role, given)
    line(f"{options.role} {truncate(added.name)}, called {added.pseudonym} in exports")
    print_password(added.name, password, given)


def print_password(name: str, password: str, given: str | None) -> None:
    """Print a password that was generated; nobody can read it again later."""
    if given is None:
        line(f"password of {truncate(name)}: {password}")


@dataclass(frozen=True)
class ListUsersOptions(CampaignOptions):
    """The options of `doxeval assess user list`."""

    wide: bool = wide_option()
    format: TableOrJson = format_option("How to print the users.")


@user.command("list", cls=Verb, options=ListUsersOptions)
@directory_argument
def list_users(directory: Path, options: ListUsersOptions) -> None:
    """List the users.

    With each, the role, the pseudonym in exports, and the topics.

    \b
    Example:
      doxeval assess user list campaign
    """
    check_wide(options.format)
    with opened_campaign(directory, options.collection) as campaign:
        users, assignments = campaign.users(), campaign.assignments()
    rows = [_user_data(user, assignments) for user in users]
    if options.format == "json":
        json_data(rows, indent=1)
        return
    header = ["name", "role", "pseudonym", "active", "assesses", "adjudicates"]
    print_table(header, [_user_cells(row) for row in rows])


def _user_data(user: User, assignments: Sequence[Assignment]) -> dict[str, Any]:
    return {
        "name": user.name,
        "role": user.role,
        "pseudonym": user.pseudonym,
        "active": user.active,
        **{
            part: [row.topic for row in assignments if (row.user, row.part) == (user.name, part)]
            for part in PARTS
        },
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


@dataclass(frozen=True)
class NewPasswordOptions(CampaignOptions):
    """The options of `doxeval assess user password`."""

    password: PasswordOptions = part(PasswordOptions)


@user.command(cls=Verb, options=NewPasswordOptions)
@directory_argument
@_name_argument
def password(directory: Path, name: str, options: NewPasswordOptions) -> None:
    """Set a new password.

    All sessions of the user end. Unless a password is given, one is generated and printed, only
    this once.

    \b
    Examples:
      doxeval assess user password campaign ann
      doxeval assess user password campaign ann --password-prompt
    """
    given = options.password.password()
    with opened_campaign(directory, options.collection) as campaign:
        new = campaign.set_password(name, given)
    line(f"{truncate(name)} has a new password, and must sign in again")
    print_password(name, new, given)


@user.command(cls=Verb, options=CampaignOptions)
@directory_argument
@_name_argument
def disable(directory: Path, name: str, options: CampaignOptions) -> None:
    """Lock a user out.

    All sessions of the user end. Judgments stay.

    \b
    Example:
      doxeval assess user disable campaign ann
    """
    with opened_campaign(directory, options.collection) as campaign:
        campaign.set_active(name, False)
    line(f"{truncate(name)} can no longer sign in")


@user.command(cls=Verb, options=CampaignOptions)
@directory_argument
@_name_argument
def enable(directory: Path, name: str, options: CampaignOptions) -> None:
    """Let a user sign in again.

    \b
    Example:
      doxeval assess user enable campaign ann
    """
    with opened_campaign(directory, options.collection) as campaign:
        campaign.set_active(name, True)
    line(f"{truncate(name)} can sign in again")


@dataclass(frozen=True)
class AssignmentOptions(CampaignOptions):
    """The options of `doxeval assess assign` and `unassign`."""

    all_topics: bool = option(False, "All topics of the campaign.")
    adjudicate: bool = option(False, "To adjudicate the topic, not to judge its documents.")

    @property
    def part(self) -> Part:
        """What the user does in the topics."""
        return "adjudicate" if self.adjudicate else "assess"

    @contextmanager
    def opened(
        self, directory: Path, topics: tuple[str, ...], name: str
    ) -> Iterator[tuple[Campaign, list[str]]]:
        """Open the campaign; also give the topics. A wrong name is an error before any change."""
        if bool(topics) == self.all_topics:
            raise click.UsageError("give one or more topics, or --all-topics")
        with opened_campaign(directory, self.collection) as campaign:
            chosen = topics_chosen(campaign, topics)
            campaign.user(name)
            yield campaign, chosen

    def print_done(self, name: str, since: str, topics: Sequence[str]) -> None:
        """Print who does what now, or no longer."""
        does = "adjudicates" if self.adjudicate else "assesses"
        counted = plural(len(topics), "topic")
        line(f"{truncate(name)} {since} {does} {counted}: {join_names(topics)}")


_topics_argument = click.argument("topics", metavar="TOPIC…", nargs=-1)
_user_argument = click.argument("name", metavar="USER")


@verb(AssignmentOptions)
@directory_argument
@_topics_argument
@_user_argument
def assign(directory: Path, topics: tuple[str, ...], name: str, options: AssignmentOptions) -> None:
    """Assign topics to a user.

    Several users may judge the same topic, each on their own.

    \b
    Examples:
      doxeval assess assign campaign 301 302 ann
      doxeval assess assign campaign --all-topics olga --adjudicate
    """
    with options.opened(directory, topics, name) as (campaign, chosen):
        for topic in chosen:
            campaign.assign(topic, name, options.part)
    options.print_done(name, "now", chosen)


@verb(AssignmentOptions)
@directory_argument
@_topics_argument
@_user_argument
def unassign(
    directory: Path, topics: tuple[str, ...], name: str, options: AssignmentOptions
) -> None:
    """Take topics from a user.

    What they judged stays.

    \b
    Example:
      doxeval assess unassign campaign 302 ann
    """
    with options.opened(directory, topics, name) as (campaign, chosen):
        for topic in chosen:
            campaign.unassign(topic, name, options.part)
    options.print_done(name, "no longer", chosen)
