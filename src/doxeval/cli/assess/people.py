"""`doxeval assess user`, `assign` and `unassign`: who takes part, and who judges what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.assess.db import INVITED_FOR, MAX_DAYS, PARTS, Part, Role
from doxeval.assess.web import PORT
from doxeval.cli.assess.opening import (
    CampaignOptions,
    PasswordOptions,
    directory_argument,
    opened_campaign,
    topics_chosen,
)
from doxeval.cli.options import (
    TableOrJson,
    check_wide,
    force_option,
    format_option,
    out_option,
    refuse_existing,
    seed_option,
    wide_option,
)
from doxeval.cli.output import json_data, line, note, print_table
from doxeval.cli.verb import Verb, VerbGroup, part, refuse, verb
from doxeval.messages import join_names, plural, truncate
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.assess.db import AssessorShare, Assignment, Campaign, NewPerson, User

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
class LinkOptions:
    """How links of invitations are made."""

    days: int = option(INVITED_FOR, "For how many days a link holds.", at_least=1, at_most=MAX_DAYS)
    url: str = option(
        f"http://127.0.0.1:{PORT}", "The address of the application, for links.", metavar="URL"
    )

    def link(self, token: str) -> str:
        """Return the link of an invitation."""
        from doxeval.assess.web import invitation_link

        return invitation_link(self.url, token)


@dataclass(frozen=True)
class ImportUsersOptions(CampaignOptions):
    """The options of `doxeval assess user import`."""

    invite: bool = option(
        False, "Make links by which people choose their passwords, instead of passwords."
    )
    links: LinkOptions = part(LinkOptions)
    out: Path | None = out_option(
        "Write the passwords or links here (CSV, with all columns of the list), for a letter to "
        "each; only you can read the file. Else they are printed.",
        None,
        "FILE",
    )
    force: bool = force_option()


@user.command("import", cls=Verb, options=ImportUsersOptions)
@directory_argument
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
def import_users(directory: Path, file: Path, options: ImportUsersOptions) -> None:
    """Add the people of a list.

    FILE is CSV with a column `name`, and perhaps `role` (assessor, if it is empty). Other columns,
    such as an e-mail address, are copied to --out and kept nowhere else. All people are added, or
    none: what is wrong is listed with its line. Passwords and links can be read only this once.

    \b
    Examples:
      doxeval assess user import campaign people.csv --out passwords.csv
      doxeval assess user import campaign people.csv --invite --url https://assess.example.org \\
        --out links.csv
    """
    from doxeval.assess.db import read_people
    from doxeval.files import outputs_together

    if not options.invite:
        refuse({"days", "url"}, "goes with --invite")
    if options.out is None:
        refuse({"force"}, "goes with --out")
    else:
        refuse_existing(options.out, force=options.force)
    people = read_people(file)
    days = options.links.days if options.invite else None
    kind = "invitation" if options.invite else "password"

    def write(secrets: Sequence[str]) -> None:
        shown = [options.links.link(each) if options.invite else each for each in secrets]
        if options.out is not None:
            _write_secrets(options.out, people, shown, kind)
        else:
            for person, secret in zip(people, shown, strict=True):
                line(f"{kind} of {truncate(person.name)}: {secret}")

    # The file appears when the people are added, and nobody is added if it cannot be written.
    with outputs_together(), opened_campaign(directory, options.collection) as campaign:
        campaign.add_people(people, days, write=write)
    where = f"; what they need to sign in is in {options.out}" if options.out is not None else ""
    line(f"{_counted_roles(people)} added{where}")


def _counted_roles(people: Sequence[NewPerson]) -> str:
    from collections import Counter

    counts = Counter(person.role for person in people)
    return join_names([plural(number, role) for role, number in counts.items()])


def _write_secrets(
    out: Path, people: Sequence[NewPerson], secrets: Sequence[str], column: str
) -> None:
    """Write what everybody needs to sign in, beside all that the list says of them."""
    import os

    from doxeval.files import open_output
    from doxeval.scores import csv_text

    more = list(people[0].more)
    rows = [
        [person.name, person.role, *(person.more[name] for name in more), secret]
        for person, secret in zip(people, secrets, strict=True)
    ]
    with open_output(out) as file:
        os.chmod(file.name, 0o600)
        file.write(csv_text(["name", "role", *more, column], rows).encode())


@dataclass(frozen=True)
class InviteOptions(CampaignOptions):
    """The options of `doxeval assess user invite`."""

    withdraw: bool = option(False, "Take the invitations back: their links no longer work.")
    links: LinkOptions = part(LinkOptions)


@user.command(cls=Verb, options=InviteOptions)
@directory_argument
@click.argument("names", metavar="NAME…", nargs=-1, required=True)
def invite(directory: Path, names: tuple[str, ...], options: InviteOptions) -> None:
    """Make links by which users choose their passwords.

    A link works once, and is printed only now. A new one replaces an older one. `user list` says
    who has not used theirs yet.

    \b
    Examples:
      doxeval assess user invite campaign ann bob --url https://assess.example.org
      doxeval assess user invite campaign ann --withdraw
    """
    if options.withdraw:
        refuse({"days", "url"}, "has no effect with --withdraw")
    with opened_campaign(directory, options.collection) as campaign:
        for name in names:
            campaign.user(name)
        for name in dict.fromkeys(names):
            if not options.withdraw:
                made = campaign.invite(name, options.links.days)
                line(f"invitation of {truncate(name)}: {options.links.link(made.token)}")
            elif campaign.withdraw_invitation(name):
                line(f"the invitation of {truncate(name)} is withdrawn")
            else:
                note(f"{truncate(name)} has no invitation")


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
        invited = {each.user: each.expires for each in campaign.invitations()}
    rows = [_user_data(user, assignments, invited.get(user.name)) for user in users]
    if options.format == "json":
        json_data(rows, indent=1)
        return
    header = ["name", "role", "pseudonym", "active", "assesses", "adjudicates"]
    header += ["invited until"] if invited else []
    print_table(header, [_user_cells(row, bool(invited)) for row in rows])


def _user_data(
    user: User, assignments: Sequence[Assignment], invited: str | None
) -> dict[str, Any]:
    return {
        "name": user.name,
        "role": user.role,
        "pseudonym": user.pseudonym,
        "active": user.active,
        **{
            part: [row.topic for row in assignments if (row.user, row.part) == (user.name, part)]
            for part in PARTS
        },
        **({} if invited is None else {"invited_until": invited}),
    }


def _user_cells(row: dict[str, Any], has_invitations: bool) -> list[str]:
    return [
        truncate(row["name"]),
        row["role"],
        row["pseudonym"],
        "yes" if row["active"] else "no",
        join_names(row["assess"], 8) or "—",
        join_names(row["adjudicate"], 8) or "—",
        *([row.get("invited_until", "—")[:10]] if has_invitations else []),
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


@dataclass(frozen=True)
class AssignOptions(AssignmentOptions):
    """The options of `doxeval assess assign`."""

    balance: bool = option(
        False,
        "Spread documents evenly over assessors: those of the named topics, or of all.",
    )
    to: tuple[str, ...] = option(
        (),
        "With --balance: somebody who takes part; may be repeated.",
        metavar="USER",
        shown_default="all active assessors",
    )
    twice: float = option(
        0.0,
        "With --balance: the share of documents that two people judge, so that agreement can be "
        "measured.",
        at_least=0,
        at_most=1,
    )
    per_document: int = option(
        1, "With --balance: how many people judge each document.", metavar="N", at_least=1
    )
    keep_topics: bool = option(
        False,
        "With --balance: give every topic to as few people as possible.",
    )
    seed: int = seed_option("With --balance: for choices between equals.")
    dry_run: bool = option(False, "With --balance: print who would get what, and change nothing.")


_BALANCING = ("to", "twice", "per_document", "keep_topics", "seed", "dry_run")


@verb(AssignOptions)
@directory_argument
@click.argument("names", metavar="[TOPIC…] [USER]", nargs=-1)
def assign(directory: Path, names: tuple[str, ...], options: AssignOptions) -> None:
    """Assign topics to a user, or spread documents over several.

    Several users may judge the same topic, each on their own.

    With --balance, documents are given one by one: everybody has about as many, and sees only
    these. It can be repeated when people come or go, or the pool has grown. What somebody has begun
    stays theirs, and so do topics that were assigned as a whole.

    \b
    Examples:
      doxeval assess assign campaign 301 302 ann
      doxeval assess assign campaign --all-topics olga --adjudicate
      doxeval assess assign campaign --balance --twice .2 --dry-run
      doxeval assess assign campaign --balance 301 302 --per-document 2 --to ann --to bob
    """
    if options.balance:
        refuse({"adjudicate", "all_topics"}, "has no effect with --balance")
        _balance(directory, names, options)
        return
    refuse(set(_BALANCING), "goes with --balance")
    if not names:
        raise click.UsageError("give topics and a user, or --balance")
    *topics, name = names
    with options.opened(directory, tuple(topics), name) as (campaign, chosen):
        for topic in chosen:
            campaign.assign(topic, name, options.part)
    options.print_done(name, "now", chosen)


def _balance(directory: Path, topics: tuple[str, ...], options: AssignOptions) -> None:
    from doxeval.assess.db import BalanceOptions

    how = BalanceOptions(options.per_document, options.twice, options.keep_topics, options.seed)
    with opened_campaign(directory, options.collection) as campaign:
        balanced = campaign.balance(how, topics, options.to, dry_run=options.dry_run)
    header = ["assessor", "topics", "documents", "begun", "new", "withdrawn"]
    print_table(header, [_share_cells(share) for share in balanced.shares])
    line()
    several = f", {balanced.several:,} of them for several people" if balanced.several else ""
    line(f"{plural(balanced.documents, 'document')}{several}")
    if options.dry_run:
        line("nothing was changed (--dry-run)")


def _share_cells(share: AssessorShare) -> list[str]:
    counts = (share.topics, share.documents, share.begun, share.added, share.withdrawn)
    return [truncate(share.user), *(f"{count:,}" for count in counts)]


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
