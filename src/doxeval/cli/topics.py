"""`doxeval topics`: list the topics of a file and check them."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Literal

import click

from doxeval.cli.verb import verb

if TYPE_CHECKING:
    from doxeval.topics import Topic
    from doxeval.topics.read_write import TopicFormat


@verb()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["auto", "inex", "jsonl", "tab"]),
    default="auto",
    show_default=True,
    help="Format of the files; auto means by their names.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print each topic as a JSON object with all its fields."
)
def topics(files: tuple[str, ...], format_: TopicFormat | Literal["auto"], as_json: bool) -> None:
    """List topics and check them.

    Topics are read from the XML of every INEX year (.xml), from JSONL (.jsonl), and from lines of
    an id, a tab and a title (.tsv, .txt). Errors are duplicate ids, castitles that are not NEXI,
    and topics of a CAS type without a castitle; titles that are not content-only queries get a
    warning. The exit code is 1 if there is an error.
    """
    from doxeval.topics.read_write import WRITERS, read_topics
    from doxeval.wording import counted

    all_topics = [
        topic
        for name in files
        for topic in read_topics(name, None if format_ == "auto" else format_)
    ]
    if as_json:
        for line in WRITERS["jsonl"](all_topics):
            click.echo(line, nl=False)
    else:
        for topic in all_topics:
            _print_topic(topic)
    errors = _print_problems(all_topics)
    click.echo(f"{counted(len(all_topics), 'topic')}, {counted(errors, 'error')}", err=True)
    if errors:
        sys.exit(1)


def _print_topic(topic: Topic) -> None:
    kind = f"  ({topic.query_type})" if topic.query_type else ""
    click.echo(f"{click.style(topic.id, bold=True)}{kind}  {_shown(topic.content)}")
    if topic.structured:
        click.echo(f"    {_shown(topic.structured)}")
    if topic.cas_parts:
        click.echo(f"    {json.dumps(dict(topic.cas_parts), ensure_ascii=False)}")


def _print_problems(all_topics: list[Topic]) -> int:
    """Print all problems on stderr; returns the number of errors."""
    from doxeval.topics import problems

    errors = 0
    for problem, is_error in problems(all_topics):
        errors += is_error
        kind = "error" if is_error else "warning"
        click.secho(f"{kind}: {problem}", fg="red" if is_error else "yellow", err=True)
    return errors


def _shown(text: str | None) -> str:
    from doxeval.cli.terminal import safe

    return safe(" ".join(text.split())) if text else "—"
