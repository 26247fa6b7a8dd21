"""Opening the campaign that a verb of `doxeval assess` works on, and saying who may do it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.decorators import WHERE
from doxeval.cli.output import note

if TYPE_CHECKING:
    from doxeval.assess.db import Campaign

_LONGEST_PASSWORD = 10_000  # bytes

_MOVED = "doxeval.assess.collection"

directory_argument = click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
topic_option = click.option(
    "--topic", "topics", metavar="ID", multiple=True, help="Only this topic; may be repeated."
)

database_option = click.option(
    "--database",
    metavar="URL",
    help="A database for teams: postgresql://USER@HOST/NAME (pip install 'doxeval[postgresql]').  "
    "[default: SQLite in DIR]",
)


def _remember(context: click.Context, _: click.Parameter, value: str | None) -> None:
    context.meta[_MOVED] = value


def campaign_argument(command: Any) -> Any:
    """DIR, and `--collection` for a collection that was moved; `opened_campaign` looks at both."""
    moved = click.option(
        "--collection",
        **WHERE,
        expose_value=False,
        callback=_remember,
        help="Where the collection is now, if it was moved; this is remembered.",
    )
    return directory_argument(moved(command))


def check_installed() -> None:
    """An error that says what to install, if the server's parts are missing."""
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
def opened_campaign(directory: Path) -> Iterator[Campaign]:
    """The campaign of a directory. What opening it has changed is printed on stderr."""
    check_installed()
    from doxeval.assess.db import Campaign

    moved = click.get_current_context().meta.get(_MOVED)
    with Campaign.open(directory, moved) as campaign:
        for notice in campaign.notices:
            note(notice)
        yield campaign


def topics_chosen(campaign: Campaign, names: Sequence[str]) -> list[str]:
    """The named topics, which must exist; all if none is named."""
    from doxeval.errors import InputError
    from doxeval.messages import quoted, suggestion

    known = [topic.id for topic in campaign.topics()]
    for name in names:
        if name not in known:
            raise InputError(f"no topic {quoted(name)} in the campaign{suggestion(name, known)}")
    return list(dict.fromkeys(names)) or known


def password_options(command: Any) -> Any:
    """`--password-stdin` and `--password-prompt`: no password stands on a command line."""
    for option in (
        click.option(
            "--password-prompt", is_flag=True, help="Ask for the password on the terminal."
        ),
        click.option(
            "--password-stdin", is_flag=True, help="Read the password from stdin, one line."
        ),
    ):
        command = option(command)
    return command


def password_given(password_stdin: bool, password_prompt: bool) -> str | None:
    """The password that the user wants to set; None if one is to be generated."""
    if password_stdin and password_prompt:
        raise click.UsageError("--password-stdin and --password-prompt exclude each other")
    if password_prompt:
        return _answer()
    if not password_stdin:
        return None
    return _line_of_stdin()


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
