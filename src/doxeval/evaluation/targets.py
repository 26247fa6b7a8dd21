"""The targets of topics, for strict CAS: which elements can be relevant at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from doxeval.documents import NO_PARENT, Collection, PathPatterns
from doxeval.errors import InputError
from doxeval.measures import Measure, Need
from doxeval.messages import join_names, quoted
from doxeval.named import checked
from doxeval.topics import Topic, read_topics, target_of

# Topics that were read, or their file.
TopicsGiven = Iterable[Topic] | str | os.PathLike[str]


class Targets(NamedTuple):
    """The target of each assessed topic that has one, and warnings."""

    patterns: Mapping[str, PathPatterns]
    warnings: tuple[str, ...]


@checked
def targets_of(
    targets: TopicsGiven, assessed: Sequence[str], collection: Collection | None = None
) -> Targets:
    """The targets of assessed topics, by topic.

    A query that does not parse is an error. Topics without a structured query have no target;
    assessed topics that are not among those given have none either, which is warned about.

    >>> topics = [Topic("7", castitle="//article[about(., tides)]//sec"), Topic("8", title="tides")]
    >>> targets = targets_of(topics, ["7", "8", "9"])
    >>> {topic: str(patterns) for topic, patterns in targets.patterns.items()}
    {'7': '//article//sec'}
    >>> targets.warnings
    ('targets: 1 assessed topic is not among the topics and keeps all its elements: 9',)
    """
    by_id = _by_id(targets)
    found = {name: target_of(by_id[name]) for name in assessed if name in by_id}
    patterns = {name: PathPatterns.parse(text) for name, text in found.items() if text is not None}
    missing = [name for name in assessed if name not in by_id]
    return Targets(patterns, (*_about_missing(missing), *_about_effect(patterns, collection)))


def _by_id(given: TopicsGiven) -> dict[str, Topic]:
    topics = read_topics(given) if isinstance(given, str | os.PathLike) else list(given)
    by_id: dict[str, Topic] = {}
    for topic in topics:
        if not isinstance(topic, Topic):
            raise InputError(f"targets is made of {quoted(topic)}: expected topics, or their file")
        if topic.id in by_id:
            raise InputError(f"topic {quoted(topic.id)} is given twice", topic.origin, topic.line)
        by_id[topic.id] = topic
    return by_id


def _about_missing(missing: Sequence[str]) -> tuple[str, ...]:
    if not missing:
        return ()
    few = "1 assessed topic is not among the topics and keeps all its elements"
    many = f"{len(missing):,} assessed topics are not among the topics and keep all their elements"
    return (f"targets: {few if len(missing) == 1 else many}: {join_names(missing)}",)


def _about_effect(
    patterns: Mapping[str, PathPatterns], collection: Collection | None
) -> tuple[str, ...]:
    """Warnings about targets that keep everything, or nothing."""
    if not patterns:
        return ("targets: no assessed topic has a structured query, so they have no effect",)
    if collection is None:
        return ()
    nowhere = [
        f"{name} ({pattern})"
        for name, pattern in patterns.items()
        if not pattern.matches(collection.summary).any()
    ]
    if not nowhere:
        return ()
    return (f"targets: no element of the collection matches those of topics {join_names(nowhere)}",)


def about_measures(
    measures: Mapping[str, Measure], targets: Targets, collection: Collection | None
) -> tuple[str, ...]:
    """Warnings about measures, by their labels, that targets do not suit."""
    others = [
        label
        for label, measure in measures.items()
        if not measure.needs & {Need.ELEMENTS, Need.SIZES}
    ]
    if len(others) == len(measures):
        return ("targets: none of the measures is over elements, so they have no effect",)
    told = []
    if others:
        told.append(
            f"targets: no effect on measures that are not over elements: {join_names(others)}"
        )
    by_documents = [
        label
        for label, measure in measures.items()
        if getattr(measure, "denominator", None) == "documents"
    ]
    if by_documents and collection is not None and _below_roots(targets, collection):
        told.append(
            "targets: undefined where whole documents are no target, because they divide by the "
            f"relevance of documents: {join_names(by_documents)}; "
            "denominator=components divides by "
            "that of all elements"
        )
    return tuple(told)


def _below_roots(targets: Targets, collection: Collection) -> bool:
    """Whether a topic has a target that no whole document matches."""
    is_root = collection.summary.parent_of == NO_PARENT
    patterns = targets.patterns.values()
    return not all((one.matches(collection.summary) & is_root).any() for one in patterns)
