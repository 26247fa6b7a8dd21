"""`doxeval assessments`: what was judged, and which rules the judgments break."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.options import collection_option, merging_options, offsets_option

if TYPE_CHECKING:
    from doxeval.assessments import Assessments, Judgment
    from doxeval.documents import Collection


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@collection_option("Check the judgments against the texts, and resolve text points.")
@merging_options
@offsets_option
@click.option("--json", "as_json", is_flag=True, help="Counts and violations as JSON.")
def assessments(
    sources: tuple[str, ...],
    directory: Path | None,
    pool: str | None,
    merge: Any,
    whitespace: Any,
    offsets: Any,
    as_json: bool,
) -> None:
    """Read assessments (files, directories, archives), count what was judged and check it.

    The format of each file is recognised: the XML of INEX 2002–04 and 2005–07, the text of
    2008–10, TREC's qrels, JSONL. Grades of 2003–05 are checked for consistency; violations are
    listed as warnings, they are not repaired.
    """
    from doxeval.assessments import read_assessments
    from doxeval.cli.terminal import warn
    from doxeval.documents import Collection
    from doxeval.wording import counted

    collection = None if directory is None else Collection(directory)
    found = read_assessments(
        *sources,
        collection=collection,
        pool=pool,
        merge=merge,
        offsets=offsets,
        whitespace=whitespace,
    )
    counts = {topic: _counts(list(found.of(topic))) for topic in found.topics}
    broken = list(_violations(found, collection))
    if as_json:
        click.echo(json.dumps({"topics": counts, "violations": broken}, ensure_ascii=False))
        return
    _print_table(counts)
    warn(found.warnings)
    warn(f"{one['document']}, topic {one['topic']}: {one['message']}" for one in broken)
    click.echo(
        f"{counted(len(found), 'judgment')} for {counted(len(found.topics), 'topic')}, "
        f"{counted(len(broken), 'violation')}",
        err=True,
    )


def _counts(judgments: list[Judgment]) -> dict[str, int]:
    return {
        "judged": len(judgments),
        "relevant": sum(judgment.is_relevant for judgment in judgments),
        "passages": sum(len(j.highlights) + len(j.passages) for j in judgments),
        "characters": sum(judgment.highlighted for judgment in judgments),
        "entry points": sum(
            j.best_entry_point is not None or j.entry_point is not None for j in judgments
        ),
        "elements": sum(len(j.grades) + len(j.elements) + len(j.units) for j in judgments),
    }


def _violations(
    found: Assessments, collection: Collection | None
) -> Iterator[dict[str, str | int]]:
    from doxeval.assessments.consistency import violations

    for judgment in found:
        for rule, path, message in violations(judgment, collection):
            yield {
                "topic": judgment.topic,
                "document": judgment.document,
                "rule": rule,
                "path": path,
                "message": message,
            }


def _print_table(counts: dict[str, dict[str, int]]) -> None:
    from rich.console import Console
    from rich.table import Table

    from doxeval.cli.terminal import safe

    names = list(next(iter(counts.values())))
    table = Table("topic", box=None, header_style="bold")
    for name in names:
        table.add_column(name, justify="right")
    for topic, numbers in counts.items():
        table.add_row(safe(topic), *(f"{numbers[name]:,}" for name in names))
    Console(highlight=False, markup=False).print(table)
