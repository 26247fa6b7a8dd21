"""`doxeval topics`: list topics, count them by type and year, and check them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import click

from doxeval.cli.output import block, data, json_data, line, note
from doxeval.cli.verb import refuse, verb

if TYPE_CHECKING:
    from doxeval.topics import Topic, TopicFormat, TopicStatistics


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
    "--assessments",
    "-a",
    multiple=True,
    metavar="FILE",
    help="Count how many topics were assessed in this file, directory or archive; may be repeated.",
)
@click.option(
    "--inex-numbers",
    is_flag=True,
    help="Tell the years of 2002 to 2006 by INEX's numbering of topics, from 1 to 413.",
)
@click.option(
    "--statistics",
    is_flag=True,
    help="Print only the counts; with --json, as one JSON object.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print each topic as a JSON object with all its fields."
)
def topics(
    files: tuple[str, ...],
    format_: TopicFormat | Literal["auto"],
    assessments: tuple[str, ...],
    inex_numbers: bool,
    statistics: bool,
    as_json: bool,
) -> None:
    """List topics, count them by type and year, and check them.

    Topics are read from the XML of every INEX year (.xml), from JSONL (.jsonl), and from lines of
    an id, a tab and a title (.tsv, .txt). Errors are duplicate ids, castitles that are not NEXI,
    and topics of a CAS type without a castitle; titles that are not content-only queries get a
    warning. The exit code is 1 if there is an error.

    What a topic looks like tells its year, or a few of them: 2009 from the id 2009001, 2003–04 from
    a NEXI query as the title, 2005–06 from the type CO+S. For topics of INEX itself, --inex-numbers
    takes the exact year from their numbers.
    """
    from doxeval.messages import json_escaped, plural
    from doxeval.topics import FORMATS, read_topics, topic_statistics

    all_topics = [
        topic
        for name in files
        for topic in read_topics(name, None if format_ == "auto" else format_)
    ]
    if as_json and not statistics:
        refuse({"assessments", "inex_numbers"}, "is for counts: add --statistics")
        data(json_escaped(b"".join(FORMATS["jsonl"].write(all_topics)).decode()))
    else:
        if not statistics:
            _print_list(all_topics)
        found = topic_statistics(all_topics, _assessed(assessments), inex_numbers=inex_numbers)
        _print_counts(found, as_json)
    errors = _print_problems(all_topics)
    note(f"{plural(len(all_topics), 'topic')}, {plural(errors, 'error')}")
    if errors:
        sys.exit(1)


def _print_list(all_topics: list[Topic]) -> None:
    for topic in all_topics:
        _print_topic(topic)
    line()


def _assessed(sources: Sequence[str]) -> set[str] | None:
    """The topics that assessments judge."""
    from doxeval.assessments import read_assessments

    found = [read_assessments(source) for source in sources]
    return {topic for one in found for topic in one.topics} if found else None


def _print_counts(found: TopicStatistics, as_json: bool) -> None:
    from doxeval.cli.output import aligned

    if as_json:
        json_data(found.to_dict())
        return
    rows = [(row.year or "—", row.type or "—", row.topics, row.assessed) for row in found.rows]
    if len(rows) > 1:
        rows.append(("all", "", found.topics, found.assessed))
    # The last column is only there if somebody asked which topics were assessed.
    columns = 3 if found.assessed is None else 4
    header = ["year", "type", "topics", "assessed"]
    cells = [
        [cell if isinstance(cell, str) else f"{cell:,}" for cell in row[:columns]] for row in rows
    ]
    block(aligned(header[:columns], cells))


def _print_topic(topic: Topic) -> None:
    kind = f"  ({topic.query_type})" if topic.query_type else ""
    line(f"{kind}  {_shown(topic.content)}", head=topic.id)
    if topic.structured:
        line(f"    {_shown(topic.structured)}")
    if topic.cas_parts:
        parts = ", ".join(f"{kind}: {_shown(text)}" for kind, text in topic.cas_parts)
        line(f"    {parts}")


def _print_problems(all_topics: list[Topic]) -> int:
    """Print all problems on stderr; returns the number of errors."""
    from doxeval.topics import problems

    errors = 0
    for problem, is_error in problems(all_topics):
        errors += is_error
        kind = "error" if is_error else "warning"
        note(f"{kind}: {problem}", "red" if is_error else "yellow")
    return errors


def _shown(text: str | None) -> str:
    return " ".join(text.split()) if text else "—"
