"""The targets of topics, for strict CAS: the paths that elements must match to be relevant."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
def read_targets(
    targets: TopicsGiven, assessed: Sequence[str], collection: Collection | None = None
) -> Targets:
    """Return the targets of assessed topics, by topic.

    A query that does not parse is an error. Topics without a structured query have no target;
    assessed topics that are not among those given have none either, which is warned about.

    >>> topics = [Topic("7", castitle="//article[about(., tides)]//sec"), Topic("8", title="tides")]
    >>> targets = read_targets(topics, ["7", "8", "9"])
    >>> {topic: str(patterns) for topic, patterns in targets.patterns.items()}
    {'7': '//article//sec'}
    >>> targets.warnings
    ('targets: 1 assessed topic is not among the topics and keeps all its elements: 9',)
    """
    topics = _topics_by_id(targets)
    paths = {name: target_of(topics[name]) for name in assessed if name in topics}
    patterns = {name: PathPatterns.parse(text) for name, text in paths.items() if text is not None}
    missing = [name for name in assessed if name not in topics]
    warnings = (*_missing_warnings(missing), *_effect_warnings(patterns, collection))
    return Targets(patterns, warnings)


def _topics_by_id(given: TopicsGiven) -> dict[str, Topic]:
    topics = read_topics(given) if isinstance(given, str | os.PathLike) else list(given)
    by_id: dict[str, Topic] = {}
    for topic in topics:
        if not isinstance(topic, Topic):
            raise InputError(f"targets is made of {quoted(topic)}: expected topics, or their file")
        if topic.id in by_id:
            raise InputError(f"topic {quoted(topic.id)} is given twice", topic.origin, topic.line)
        by_id[topic.id] = topic
    return by_id


def _missing_warnings(missing: Sequence[str]) -> Iterator[str]:
    if missing:
        few = "1 assessed topic is not among the topics and keeps all its elements"
        many = (
            f"{len(missing):,} assessed topics are not among the topics and keep all their elements"
        )
        yield f"targets: {few if len(missing) == 1 else many}: {join_names(missing)}"


def _effect_warnings(
    patterns: Mapping[str, PathPatterns], collection: Collection | None
) -> Iterator[str]:
    """Yield warnings about targets that keep everything, or nothing."""
    if not patterns:
        yield "targets: no assessed topic has a structured query, so they have no effect"
    elif collection is not None:
        unmatched = [
            f"{name} ({pattern})"
            for name, pattern in patterns.items()
            if not pattern.matches(collection.summary).any()
        ]
        if unmatched:
            names = join_names(unmatched)
            yield f"targets: no element of the collection matches those of topics {names}"


def target_warnings(
    measures: Mapping[str, Measure], targets: Targets, collection: Collection | None
) -> Iterator[str]:
    """Yield all warnings about targets, with those about measures (by label) they do not suit."""
    yield from targets.warnings
    unaffected = [
        label
        for label, measure in measures.items()
        if not measure.needs & {Need.ELEMENTS, Need.SIZES}
    ]
    if len(unaffected) == len(measures):
        yield "targets: none of the measures is over elements, so they have no effect"
        return
    if unaffected:
        labels = join_names(unaffected)
        yield f"targets: no effect on measures that are not over elements: {labels}"
    by_documents = [
        label
        for label, measure in measures.items()
        if getattr(measure, "denominator", None) == "documents"
    ]
    if by_documents and collection is not None and _excludes_documents(targets, collection):
        yield (
            "targets: undefined where whole documents are no target, because they divide by the "
            f"relevance of documents: {join_names(by_documents)}; denominator=components divides "
            "by that of all elements"
        )


def _excludes_documents(targets: Targets, collection: Collection) -> bool:
    """Return whether a topic has a target that no whole document matches."""
    is_root = collection.summary.parent_of == NO_PARENT
    return not all(
        (pattern.matches(collection.summary) & is_root).any()
        for pattern in targets.patterns.values()
    )
