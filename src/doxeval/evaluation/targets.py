"""The targets of topics, for strict CAS: the paths that elements must match to be relevant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from doxeval.documents import NO_PARENT, Collection, PathPatterns
from doxeval.measures import Measure, Need
from doxeval.messages import join_names
from doxeval.named import checked
from doxeval.topics import TopicsGiven, target_of, topics_by_id


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

    >>> from doxeval.topics import Topic
    >>> topics = [Topic("7", castitle="//article[about(., tides)]//sec"), Topic("8", title="tides")]
    >>> targets = read_targets(topics, ["7", "8", "9"])
    >>> {topic: str(patterns) for topic, patterns in targets.patterns.items()}
    {'7': '//article//sec'}
    >>> targets.warnings
    ('targets: 1 assessed topic is not among the topics and keeps all its elements: 9',)
    """
    topics = topics_by_id(targets, "targets")
    paths = {name: target_of(topics[name]) for name in assessed if name in topics}
    patterns = {name: PathPatterns.parse(text) for name, text in paths.items() if text is not None}
    missing = [name for name in assessed if name not in topics]
    warnings = (*_missing_warnings(missing), *_effect_warnings(patterns, collection))
    return Targets(patterns, warnings)


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
