"""The statistics of runs for the terminal, and as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from doxeval.cli.terminal import shares
from doxeval.messages import plural
from doxeval.runs import RunStatistics, Spread
from doxeval.scores import csv_text

_MOST_TAGS = 10


def statistics_lines(found: RunStatistics) -> Iterator[str]:
    """Lines that show the statistics of a run.

    >>> from doxeval.runs import Run
    >>> from doxeval.runs.statistics import run_statistics
    >>> run = Run.from_dict({"7": [("d", "/a/s[1]"), ("d", "/a/s[1]/p[2]"), ("d", "/a/s[2]")]})
    >>> print(*statistics_lines(run_statistics(run)), sep="\\n")
    results          3 elements of 1 document
    results a topic  mean 3.0, median 3, from 3 to 3
    overlapping      66.7% of 3 results (mean of the topics: 66.7%)
    depths           2: 2 (66.7%), 3: 1 (33.3%); mean 2.33
    tags             s: 2 (66.7%), p: 1 (33.3%)
    """
    for name, value in _figures(found):
        yield f"{name:<15}  {value}"


def _figures(found: RunStatistics) -> Iterator[tuple[str, str]]:
    kinds = ", ".join(_kind(kind, count) for kind, count in found.kinds.items())
    yield "results", f"{kinds} of {plural(found.documents, 'document')}"
    if found.per_topic is not None:
        yield "results a topic", _spread(found.per_topic)
    if found.duplicates:
        yield "duplicates", f"{found.duplicates:,}"
    if found.unresolved:
        yield "unresolved", f"{found.unresolved:,}"
    if found.overlap is not None and found.topic_overlap is not None:
        yield (
            "overlapping",
            f"{found.overlap:.1%} of {plural(found.compared, 'result')} "
            f"(mean of the topics: {found.topic_overlap:.1%})",
        )
    if found.sizes is not None and found.repeated_text is not None:
        yield "repeated text", f"{found.repeated_text:.1%} of {found.sizes.total:,} characters"
    if found.sizes is not None:
        yield "characters", _spread(found.sizes)
    if found.depths:
        yield "depths", f"{shares(found.depths)}; mean {found.mean_depth:.2f}"
    if found.tags:
        yield "tags", shares(found.tags, _MOST_TAGS)


def _kind(kind: str, count: int) -> str:
    if kind != "spans":
        return plural(count, kind)
    return f"{plural(count, 'result')} with several ranges"


def _spread(found: Spread) -> str:
    return (
        f"mean {found.mean:,.1f}, median {found.median:,g}, from {found.least:,} to {found.most:,}"
    )


def statistics_csv(runs: Iterable[tuple[str, RunStatistics]]) -> str:
    """A line for every figure of each run; `of` says which tag, depth or value it is about.

    >>> from doxeval.runs import Run
    >>> from doxeval.runs.statistics import run_statistics
    >>> rows = statistics_csv([("a.run", run_statistics(Run.from_dict({"7": ["d"]})))])
    >>> rows.splitlines()[:2]
    ['file,run,statistic,of,value', 'a.run,run,results,,1']
    """
    header = ["file", "run", "statistic", "of", "value"]
    return csv_text(header, (row for file, found in runs for row in _cells(file, found)))


def _cells(file: str, found: RunStatistics) -> Iterator[list[object]]:
    for name, value in found.to_dict().items():
        if isinstance(value, dict):
            yield from ([file, found.run, name, of, figure] for of, figure in value.items())
        elif name != "run":
            yield [file, found.run, name, None, value]
