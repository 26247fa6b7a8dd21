"""`doxeval topics`: list the topics of a file and check them."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Literal

import click

if TYPE_CHECKING:
    from doxeval.topics.read_write import TopicFormat


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["auto", "inex", "jsonl", "tab"]),
    default="auto",
    show_default=True,
    help="Format of the files; auto goes by their names.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per topic, all fields.")
def topics(files: tuple[str, ...], format_: TopicFormat | Literal["auto"], as_json: bool) -> None:
    """List topics and check them.

    Reads the XML of every INEX year (.xml), JSONL (.jsonl) and ids with titles separated by a
    tab (.tsv, .txt). Reported are ids given twice, castitles that are not NEXI, topics of a CAS
    type without castitle, and, as warnings, titles that are not content-only queries. Ends with
    1 if there is an error.
    """
    from doxeval.topics.read_write import WRITERS, problems, read_topics
    from doxeval.wording import counted

    found = [
        topic
        for name in files
        for topic in read_topics(name, None if format_ == "auto" else format_)
    ]
    if as_json:
        for line in WRITERS["jsonl"](found):
            click.echo(line, nl=False)
    else:
        for topic in found:
            kind = f"  ({topic.query_type})" if topic.query_type else ""
            click.echo(f"{click.style(topic.id, bold=True)}{kind}  {_shown(topic.content)}")
            if topic.structured:
                click.echo(f"    {_shown(topic.structured)}")
            if topic.cas_parts:
                click.echo(f"    {json.dumps(dict(topic.cas_parts), ensure_ascii=False)}")
    errors = 0
    for problem, is_error in problems(found):
        errors += is_error
        kind = "error" if is_error else "warning"
        click.secho(f"{kind}: {problem}", fg="red" if is_error else "yellow", err=True)
    click.echo(f"{counted(len(found), 'topic')}, {counted(errors, 'error')}", err=True)
    if errors:
        sys.exit(1)


def _shown(text: str | None) -> str:
    from doxeval.cli.terminal import safe

    return safe(" ".join(text.split())) if text else "—"
