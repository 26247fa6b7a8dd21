"""`doxeval assessments`: count what was judged, and check that judgments are consistent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.decorators import collection_option, merging_options, offsets_option
from doxeval.cli.output import block, heading, json_data, line, note, shares, warn
from doxeval.cli.verb import refuse, verb

if TYPE_CHECKING:
    from doxeval.assessments import Assessments, AssessmentStatistics, ElementCounts, TopicJudgments
    from doxeval.documents import Collection

_MOST_TAGS = 12


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
    directory: str | None,
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

    Documents are counted by topic; elements by grade, level (a root is at level 1) and tag.
    Elements with highlighted text are known with --collection, or from the sizes in files of
    2005–07. JSON has the counts of every combination of grade, level and tag too.
    """
    from doxeval.assessments import assessment_statistics, read_assessments
    from doxeval.documents import Collection
    from doxeval.messages import plural

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
    statistics = assessment_statistics(read, collection)
    counts = {topic: _counts(one) for topic, one in statistics.topics.items()}
    violations = list(_violations(read, collection))
    if as_json:
        facts = {"topics": counts, "violations": violations, "warnings": list(read.warnings)}
        facts["statistics"] = statistics.to_dict()
        json_data(facts)
        return
    _print_table(_without_needs(counts) if not statistics.states_needs else counts)
    _print_elements(statistics)
    warn(read.warnings)
    warn(_told(one) for one in violations)
    note(
        f"{plural(len(read), 'judgment')} for {plural(len(read.topics), 'topic')}, "
        f"{plural(len(violations), 'violation')}"
    )


def _counts(of_topic: TopicJudgments) -> dict[str, int]:
    return {name.replace("_", " "): number for name, number in asdict(of_topic).items()}


def _without_needs(counts: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """The counts for a table of assessments that state no needs."""
    return {
        topic: {name: n for name, n in own.items() if name not in ("needs", "alternatives")}
        for topic, own in counts.items()
    }


def _violations(
    assessments: Assessments, collection: Collection | None
) -> Iterator[dict[str, str | int | None]]:
    from doxeval.assessments import violations

    for judgment in assessments.detailed():
        for rule, path, message, number in violations(judgment, collection):
            yield {
                "topic": judgment.topic,
                "document": judgment.document,
                "rule": rule,
                "path": path,
                "message": message,
                "file": judgment.origin,
                "line": number,
            }


def _told(violation: dict[str, str | int | None]) -> str:
    from doxeval.messages import truncate

    place = [str(violation[name]) for name in ("file", "line") if violation[name] is not None]
    where = f"{':'.join(place)}: " if place else ""
    document, topic = (truncate(str(violation[name])) for name in ("document", "topic"))
    return f"{where}{document}, topic {topic}: {violation['message']}"


def _print_table(counts: dict[str, dict[str, int]]) -> None:
    from doxeval.cli.output import aligned

    header = ["topic", *next(iter(counts.values()))]
    rows = [[topic, *(f"{number:,}" for number in of.values())] for topic, of in counts.items()]
    block(aligned(header, rows))


def _print_elements(found: AssessmentStatistics) -> None:
    """The figures about elements, as far as there are elements."""
    for title, lines in _element_figures(found).items():
        if lines:
            line()
            heading(title)
        for name, figure in lines.items():
            line(f"  {name:<16}{figure}")


def _element_figures(found: AssessmentStatistics) -> dict[str, dict[str, str]]:
    from doxeval.messages import plural

    graded, exact = found.graded, found.exact
    of_grades: dict[str, str] = {}
    if graded.rows:
        of_grades = {"grades": shares(graded.by_grade), **_levels_and_tags(graded)}
    if exact.rows:
        of_grades["exact coverage"] = (
            f"{plural(len(exact), 'element')}, {exact.below_root:.1%} below the root"
        )
    if found.unjudged:
        of_grades["unjudged"] = plural(found.unjudged, "element")
    whole = found.wholly_highlighted
    of_whole = _levels_and_tags(whole) if whole.rows else {}
    if found.links:
        of_whole["links"] = f"{found.links:.1%}"
    return {
        f"{plural(len(graded), 'graded element')}": of_grades,
        f"{plural(len(found.highlighted), 'element')} with highlighted text": (
            _levels_and_tags(found.highlighted) if found.highlighted.rows else {}
        ),
        f"{plural(len(whole), 'element')} wholly highlighted": of_whole,
    }


def _levels_and_tags(counts: ElementCounts) -> dict[str, str]:
    return {"levels": shares(counts.by_level), "tags": shares(counts.by_tag, _MOST_TAGS)}
