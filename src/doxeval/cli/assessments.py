"""`doxeval assessments`: count what was judged, and check that judgments are consistent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import click

from doxeval.cli.options import AssessmentOptions, collection_option, open_collection
from doxeval.cli.output import (
    heading,
    json_data,
    line,
    note,
    print_figures,
    print_table,
    shares,
    warn,
)
from doxeval.cli.verb import part, refuse, verb
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.assessments import Assessments, AssessmentStatistics, ElementCounts, TopicJudgments
    from doxeval.documents import Collection

_MAX_TAGS = 12
_NAME_WIDTH = 14


@dataclass(frozen=True)
class AssessmentsOptions:
    """Which judgments are counted, how they are read, and what is printed."""

    collection: str | None = collection_option(
        "Check the judgments against the texts, and resolve text points."
    )
    reading: AssessmentOptions = part(AssessmentOptions)
    as_json: bool = option(
        False, "Print counts, violations and warnings as JSON.", flags=("--json",)
    )


@verb(AssessmentsOptions)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
def assessments(sources: tuple[str, ...], options: AssessmentsOptions) -> None:
    """Count judgments and check that they are consistent.

    A SOURCE is a file, a directory or an archive. The format of each file is recognised: the XML
    of INEX 2002–04 and 2005–07, the text of 2008–10, TREC's qrels, or JSONL. Grades of 2002–05
    are checked against the rules of their year; violations are listed as warnings and not
    repaired.

    Documents are counted by topic; elements by grade, level (a root is at level 1) and tag.
    Elements with highlighted text are known with --collection, or from the sizes in files of
    2005–07. JSON has the counts of every combination of grade, level and tag too.
    """
    from doxeval.assessments import assessment_statistics
    from doxeval.messages import plural

    if options.collection is None:
        refuse({"offsets", "whitespace"}, "has no effect without --collection")
    collection = open_collection(options.collection)
    read = options.reading.read(sources, collection)
    statistics = assessment_statistics(read, collection)
    counts = {topic: _counts(judged) for topic, judged in statistics.topics.items()}
    violations = list(_violations(read, collection))
    if options.as_json:
        facts = {"topics": counts, "violations": violations, "warnings": list(read.warnings)}
        facts["statistics"] = statistics.to_dict()
        json_data(facts)
        return
    _print_table(_without_needs(counts) if not statistics.states_needs else counts)
    _print_elements(statistics)
    warn(read.warnings)
    warn(map(_violation_in_words, violations))
    note(
        f"{plural(len(read), 'judgment')} for {plural(len(read.topics), 'topic')}, "
        f"{plural(len(violations), 'violation')}"
    )


def _counts(judged: TopicJudgments) -> dict[str, int]:
    return {name.replace("_", " "): number for name, number in asdict(judged).items()}


def _without_needs(counts: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """Return the counts for a table of assessments that state no needs."""
    return {
        topic: {name: n for name, n in row.items() if name not in ("needs", "alternatives")}
        for topic, row in counts.items()
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


def _violation_in_words(violation: dict[str, str | int | None]) -> str:
    from doxeval.messages import truncate

    parts = [str(violation[name]) for name in ("file", "line") if violation[name] is not None]
    where = f"{':'.join(parts)}: " if parts else ""
    document, topic = (truncate(str(violation[name])) for name in ("document", "topic"))
    return f"{where}{document}, topic {topic}: {violation['message']}"


def _print_table(counts: dict[str, dict[str, int]]) -> None:
    header = ["topic", *next(iter(counts.values()))]
    rows = [[topic, *(f"{number:,}" for number in row.values())] for topic, row in counts.items()]
    print_table(header, rows)


def _print_elements(statistics: AssessmentStatistics) -> None:
    """Print the figures about elements, as far as there are elements."""
    for title, figures in _element_figures(statistics).items():
        if figures:
            line()
            heading(title)
            print_figures(figures.items(), _NAME_WIDTH)


def _element_figures(statistics: AssessmentStatistics) -> dict[str, dict[str, str]]:
    from doxeval.messages import plural

    graded, exact = statistics.graded, statistics.exact
    of_grades: dict[str, str] = {}
    if graded.rows:
        of_grades = {"grades": shares(graded.by_grade), **_levels_and_tags(graded)}
    if exact.rows:
        of_grades["exact coverage"] = (
            f"{plural(len(exact), 'element')}, {exact.below_root:.1%} below the root"
        )
    if statistics.unjudged:
        of_grades["unjudged"] = plural(statistics.unjudged, "element")
    whole = statistics.wholly_highlighted
    of_whole = _levels_and_tags(whole) if whole.rows else {}
    if statistics.links:
        of_whole["links"] = f"{statistics.links:.1%}"
    return {
        f"{plural(len(graded), 'graded element')}": of_grades,
        f"{plural(len(statistics.highlighted), 'element')} with highlighted text": (
            _levels_and_tags(statistics.highlighted) if statistics.highlighted.rows else {}
        ),
        f"{plural(len(whole), 'element')} wholly highlighted": of_whole,
    }


def _levels_and_tags(counts: ElementCounts) -> dict[str, str]:
    return {"levels": shares(counts.by_level), "tags": shares(counts.by_tag, _MAX_TAGS)}
