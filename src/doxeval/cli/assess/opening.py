"""Opening the campaign that a verb of `doxeval assess` works on; options that these verbs share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.assess.web import PORT
from doxeval.cli.options import collection_option
from doxeval.cli.output import note
from doxeval.messages import plural
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.assess.db import Campaign

_LONGEST_PASSWORD = 10_000  # bytes

directory_argument = click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))


@dataclass(frozen=True)
class CampaignOptions:
    """The options of every verb that works on a campaign."""

    collection: str | None = collection_option(
        "Where the collection is now, if it was moved; this is remembered."
    )


def topics_option() -> Any:
    """Declare `--topic ID`, a tuple."""
    return option((), "Only this topic; may be repeated.", metavar="ID", flags=("--topic",))


def programs_option() -> Any:
    """Declare `--programs`."""
    return option(False, "Count programs as assessors, too.")


def database_option() -> Any:
    """Declare `--database URL`."""
    return option(
        None,
        "A database for teams: postgresql://USER@HOST/NAME (pip install 'doxeval[postgresql]').",
        metavar="URL",
        shown_default="SQLite in DIR",
    )


def host_option() -> Any:
    """Declare `--host ADDRESS`."""
    return option("127.0.0.1", "The address to listen on; 0.0.0.0 lets other computers in.")


def port_option() -> Any:
    """Declare `--port N`."""
    return option(PORT, "The port.", at_least=0, at_most=65535)


def check_installed() -> None:
    """Raise an error that says what to install, if the server's parts are missing."""
    from importlib.util import find_spec

    from doxeval.errors import MissingInput

    needed = ("alembic", "argon2", "sqlalchemy", "starlette", "uvicorn")
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise MissingInput(
            f"doxeval assess needs parts that are not installed ({', '.join(missing)}): "
            "pip install 'doxeval[assess]'"
        )


@contextmanager
def opened_campaign(directory: Path, collection: str | None = None) -> Iterator[Campaign]:
    """Open the campaign of a directory. What opening it has changed is printed on stderr.

    collection: where its collection is now, if it was moved.
    """
    check_installed()
    from doxeval.assess.db import Campaign

    with Campaign.open(directory, collection) as campaign:
        for notice in campaign.notices:
            note(notice)
        yield campaign


def note_uncovered(uncovered: Mapping[str, int]) -> None:
    """Say how many documents are given to nobody, by topic, if there are any."""
    if uncovered:
        number, topics = (
            plural(sum(uncovered.values()), "document"),
            plural(len(uncovered), "topic"),
        )
        note(f"{number} of {topics} given to nobody: doxeval assess assign --balance")


def topics_chosen(campaign: Campaign, names: Sequence[str]) -> list[str]:
    """Return the named topics, which must exist; all if none is named."""
    from doxeval.errors import InputError
    from doxeval.messages import quoted, suggestion

    known = [topic.id for topic in campaign.topics()]
    for name in names:
        if name not in known:
            raise InputError(f"no topic {quoted(name)} in the campaign{suggestion(name, known)}")
    return list(dict.fromkeys(names)) or known


@dataclass(frozen=True)
class PasswordOptions:
    """How a password is given: never on a command line, which others can see."""

    password_stdin: bool = option(False, "Read the password from stdin, one line.")
    password_prompt: bool = option(False, "Ask for the password on the terminal.")

    def password(self) -> str | None:
        """Return the password that the user chose; None if one is to be generated."""
        if self.password_stdin and self.password_prompt:
            raise click.UsageError("--password-stdin and --password-prompt exclude each other")
        if self.password_prompt:
            return _answer()
        return _line_of_stdin() if self.password_stdin else None


def _answer() -> str:
    from doxeval.cli.exit_codes import received

    try:
        answer: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    except click.Abort:
        if received() is not None:  # Ctrl-C
            raise
        raise click.UsageError("--password-prompt: nobody answered") from None
    return answer


def _line_of_stdin() -> str:
    import sys

    given = b"" if sys.stdin is None else sys.stdin.buffer.readline(_LONGEST_PASSWORD)
    try:
        text = given.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise click.UsageError("--password-stdin: the password is not UTF-8") from None
    if not text:
        raise click.UsageError("--password-stdin: there is no password on stdin")
    return text
