"""`doxeval assessments`: count what was judged, and check the judgments for consistency."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.options import collection_option, merging_options, offsets_option
from doxeval.cli.verb import refuse, verb

if TYPE_CHECKING:
    from doxeval.assessments import Assessments, Judgment
    from doxeval.documents import Collection


@verb()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@collection_option("Check the judgments against the texts, and resolve text points.")
@merging_options
@offsets_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print counts, violations and warnings as JSON."
)
def assessments(
    sources: tuple[str, ...],
    directory: Path | None,
    pool: str | None,
    merge: Any,
    whitespace: Any,
    offsets: Any,
    as_json: bool,
) -> None:
    """Count judgments and check that they are consistent.

    A SOURCE is a file, a directory or an archive. The format of each file is recognised: the XML
    of INEX 2002–04 and 2005–07, the text of 2008–10, TREC's qrels, or JSONL. Grades of 2002–05
    are checked against the rules of their year; violations are listed as warnings and not
    repaired.
    """
    from doxeval.assessments import read_assessments
    from doxeval.cli.terminal import warn
    from doxeval.documents import Collection
    from doxeval.wording import counted

    if directory is None:
        refuse({"offsets", "whitespace"}, "has no effect without --collection")
    collection = None if directory is None else Collection(directory)
    read = read_assessments(
        *sources,
        collection=collection,
        pool=pool,
        merge=merge,
        offsets=offsets,
        whitespace=whitespace,
    )
    counts = {topic: _counts(list(read.of(topic))) for topic in read.topics}
    violations = list(_violations(read, collection))
    if as_json:
        facts = {"topics": counts, "violations": violations, "warnings": list(read.warnings)}
        click.echo(json.dumps(facts, ensure_ascii=False))
        return
    _print_table(counts)
    warn(read.warnings)
    warn(_told(one) for one in violations)
    click.echo(
        f"{counted(len(read), 'judgment')} for {counted(len(read.topics), 'topic')}, "
        f"{counted(len(violations), 'violation')}",
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
    assessments: Assessments, collection: Collection | None
) -> Iterator[dict[str, str | int | None]]:
    from doxeval.assessments.consistency import violations

    for judgment in assessments.detailed():
        for rule, path, message, line in violations(judgment, collection):
            yield {
                "topic": judgment.topic,
                "document": judgment.document,
                "rule": rule,
                "path": path,
                "message": message,
                "file": judgment.origin,
                "line": line,
            }


def _told(violation: dict[str, str | int | None]) -> str:
    place = [str(violation[name]) for name in ("file", "line") if violation[name] is not None]
    where = f"{':'.join(place)}: " if place else ""
    return f"{where}{violation['document']}, topic {violation['topic']}: {violation['message']}"


def _print_table(counts: dict[str, dict[str, int]]) -> None:
    from doxeval.cli.score_table import aligned

    header = ["topic", *next(iter(counts.values()))]
    rows = [[topic, *(f"{number:,}" for number in of.values())] for topic, of in counts.items()]
    click.echo(aligned(header, rows), nl=False)
