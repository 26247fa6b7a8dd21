"""`doxeval topics`: list topics, count them by type and year, and check them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import click

from doxeval.cli.options import format_option
from doxeval.cli.output import data, json_data, line, note, print_table
from doxeval.cli.verb import refuse, verb
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.topics import Topic, TopicStatistics


@dataclass(frozen=True)
class TopicsOptions:
    """How topics are read, and what is printed of them."""

    format: Literal["auto", "inex", "jsonl", "tab"] = format_option(
        "Format of the files; auto means by their names.", "auto"
    )
    assessments: tuple[str, ...] = option(
        (),
        "Count how many topics were assessed in this file, directory or archive; may be repeated.",
        metavar="FILE",
        flags=("--assessments", "-a"),
    )
    inex_numbers: bool = option(
        False, "Take the years of 2002 to 2006 from INEX's numbering of topics, from 1 to 413."
    )
    statistics: bool = option(False, "Print only the counts; with --json, as one JSON object.")
    as_json: bool = option(
        False, "Print each topic as a JSON object with all its fields.", flags=("--json",)
    )


@verb(TopicsOptions)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
def topics(files: tuple[str, ...], options: TopicsOptions) -> None:
    """List topics, count them by type and year, and check them.

    Topics are read from the XML of every INEX year (.xml), from JSONL (.jsonl), and from lines of
    an id, a tab and a title (.tsv, .txt). Errors are duplicate ids, castitles that are not NEXI,
    and topics of a CAS type without a castitle; titles that are not content-only queries get a
    warning. The exit code is 1 if there is an error.

    The year of a topic, or a range of years, is inferred from its form: 2009 from the id 2009001,
    2003–04 from a NEXI query as the title, 2005–06 from the type CO+S. For topics of INEX itself,
    --inex-numbers takes the exact year from their numbers.
    """
    from doxeval.messages import json_escaped, plural
    from doxeval.topics import FORMATS, read_topics, topic_statistics

    all_topics = [
        topic
        for name in files
        for topic in read_topics(name, None if options.format == "auto" else options.format)
    ]
    if options.as_json and not options.statistics:
        refuse({"assessments", "inex_numbers"}, "is for counts: add --statistics")
        data(json_escaped(b"".join(FORMATS["jsonl"].write(all_topics)).decode()))
    else:
        if not options.statistics:
            _print_list(all_topics)
        assessed = _assessed_topics(options.assessments)
        counts = topic_statistics(all_topics, assessed, inex_numbers=options.inex_numbers)
        _print_counts(counts, options.as_json)
    errors = _print_problems(all_topics)
    note(f"{plural(len(all_topics), 'topic')}, {plural(errors, 'error')}")
    if errors:
        sys.exit(1)


def _print_list(all_topics: list[Topic]) -> None:
    for topic in all_topics:
        _print_topic(topic)
    line()


def _assessed_topics(sources: Sequence[str]) -> set[str] | None:
    """Return the topics that assessments judge; None if no assessments are given."""
    from doxeval.assessments import read_assessments

    if not sources:
        return None
    return {topic for source in sources for topic in read_assessments(source).topics}


def _print_counts(counts: TopicStatistics, as_json: bool) -> None:
    if as_json:
        json_data(counts.to_dict())
        return
    rows = [(row.year or "—", row.type or "—", row.topics, row.assessed) for row in counts.rows]
    if len(rows) > 1:
        rows.append(("all", "", counts.topics, counts.assessed))
    # The last column is only there with --assessments.
    columns = 3 if counts.assessed is None else 4
    header = ["year", "type", "topics", "assessed"]
    cells = [
        [cell if isinstance(cell, str) else f"{cell:,}" for cell in row[:columns]] for row in rows
    ]
    print_table(header[:columns], cells)


def _print_topic(topic: Topic) -> None:
    kind = f"  ({topic.query_type})" if topic.query_type else ""
    line(f"{kind}  {_shown(topic.content)}", head=topic.id)
    if topic.structured:
        line(f"    {_shown(topic.structured)}")
    if topic.cas_parts:
        parts = ", ".join(f"{kind}: {_shown(text)}" for kind, text in topic.cas_parts)
        line(f"    {parts}")


def _print_problems(all_topics: list[Topic]) -> int:
    """Print all problems on stderr; return the number of errors."""
    from doxeval.topics import problems

    errors = 0
    for problem, is_error in problems(all_topics):
        errors += is_error
        kind = "error" if is_error else "warning"
        note(f"{kind}: {problem}", "red" if is_error else "yellow")
    return errors


def _shown(text: str | None) -> str:
    return " ".join(text.split()) if text else "—"
