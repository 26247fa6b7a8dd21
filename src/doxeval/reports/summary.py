"""The summary of a report, in words."""

from __future__ import annotations

from collections.abc import Iterator

from doxeval.comparison.conclusions import conclusion
from doxeval.reports.contents import Contents
from doxeval.reports.curves import shares_by_rank
from doxeval.reports.escaping import items, listed, name, text
from doxeval.reports.topic_figures import difficulty
from doxeval.wording import counted


def summary(contents: Contents) -> str:
    """The main findings of the report, in a few sentences."""
    return items([*_what(contents), *_best(contents), *_further(contents), *_caution(contents)])


def _what(contents: Contents) -> Iterator[str]:
    table = contents.table
    yield (
        f"{counted(len(table.runs), 'run')} on {counted(len(table.topic_ids), 'topic')} by "
        f"{counted(len(table.measures), 'measure')}."
    )


def _best(contents: Contents) -> Iterator[str]:
    first = contents.columns[0]
    best = contents.ranking[0]
    mean = first.means[best]
    if mean is None:
        yield f"No run has a mean by {name(first.facts.label)}."
        return
    if len(contents.names) == 1:
        yield f"{name(best)} has a mean {name(first.facts.label)} of {mean:.4f}."
        return
    yield f"Best by {name(first.facts.label)}: <strong>{name(best)}</strong>, {mean:.4f}."
    if contents.comparisons:
        yield text(conclusion(contents.comparisons[0]))
    others: dict[str, list[str]] = {}
    for column in contents.columns[1:]:
        winner = column.ranking()[0]
        if column.means[winner] != column.means[best]:
            others.setdefault(winner, []).append(column.facts.label)
    if others:
        shown = list(others.items())[:6]
        winners = "; ".join(f"{name(run)} by {listed(labels, 4)}" for run, labels in shown)
        yield f"Other measures have other winners: {winners}{' …' if len(others) > 6 else ''}."
    elif len(contents.columns) > 1:
        yield "No other run is better by any other measure."


def _further(contents: Contents) -> Iterator[str]:
    if contents.correlations is not None:
        pairs = [pair for pair in contents.correlations.pairs if pair.agreement is not None]
        alike = sum(pair.agreement == "equivalent" for pair in pairs)
        unlike = sum(pair.agreement == "noticeably different" for pair in pairs)
        if pairs:
            yield (
                f"Of {counted(len(pairs), 'pair')} of measures, {alike} rank the runs equivalently "
                f"(τ &gt; 0.9) and {unlike} noticeably differently (τ &lt; 0.8)."
            )
    found = difficulty(contents)
    if len(found.topics) > 1:
        yield (
            f"The hardest topic by {name(contents.columns[0].facts.label)} is "
            f"{name(found.topics[0])} (median {found.spread[0, 2]:.4f}), the easiest "
            f"{name(found.topics[-1])} ({found.spread[-1, 2]:.4f})."
        )
    shares = shares_by_rank(contents, contents.ranking[0])
    if shares is not None:
        hits, near, _, misses = shares[1][:, -1]
        yield (
            f"Of all relevance, {name(contents.ranking[0])} returns {hits:.0%} directly, leaves "
            f"{near:.0%} to navigation and misses {misses:.0%}."
        )


def _caution(contents: Contents) -> Iterator[str]:
    undefined = contents.table.undefined()
    if undefined:
        whose = "all runs" if len(undefined) == len(contents.names) else listed(undefined, 6)
        yield f'There are <a href="#warnings">undefined scores</a> for {whose}.'
    if contents.warnings:
        count = counted(len(contents.warnings), "warning")
        yield f'Read the <a href="#warnings">{count}</a> before you use the numbers.'
