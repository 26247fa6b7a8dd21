"""What is known about topics besides their ids: titles, queries, descriptions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from doxeval.errors import InputError
from doxeval.messages import join_names, plural, quoted
from doxeval.reports.escaping import readable
from doxeval.topics import Topic, read_topics

# Topics that were read, or their file.
TopicsGiven = Iterable[Topic] | str | os.PathLike[str]
_MOST_NAMED = 20


@dataclass(frozen=True)
class TopicNames:
    """The topics of a table that were found among the topics given, by id, and warnings.

    >>> names = TopicNames({"7": Topic("7", "tides", castitle="//sec[about(., tides)]")})
    >>> names.title("7"), names.title("8"), names.query("7"), names.description("7")
    ('tides', '', '//sec[about(., tides)]', '')
    """

    known: Mapping[str, Topic] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def title(self, topic: str) -> str:
        """What the topic is about, in a few words; empty if it is not known.

        A topic without a title is shown by its query or its description.
        """
        found = self.known.get(topic)
        if found is None:
            return ""
        return _line(found.content or found.title or found.structured or found.description)

    def query(self, topic: str) -> str:
        """The structured query; empty if there is none."""
        found = self.known.get(topic)
        return "" if found is None else _line(found.structured)

    def description(self, topic: str) -> str:
        """What the user wants to know; empty if it is not known."""
        found = self.known.get(topic)
        return "" if found is None else _line(found.description)


def topic_names(given: TopicsGiven | None, wanted: Sequence[str]) -> TopicNames:
    """The wanted topics among those given.

    Topics that are missing are warned about; it is an error if none is there.

    >>> topic_names([Topic("7", "tides")], ["7", "8"]).warnings
    ('topics: 1 of 2 topics is not among those given and has no title: 8',)
    """
    if given is None:
        return TopicNames()
    by_id = _by_id(given)
    missing = [name for name in wanted if name not in by_id]
    if len(missing) == len(wanted):
        where = f" in {os.fspath(given)}" if isinstance(given, str | os.PathLike) else ""
        raise InputError(
            f"topics: none of the topics that were scored ({join_names(wanted, 6)}) is among the "
            f"{plural(len(by_id), 'topic')}{where} ({join_names(list(by_id), 6)})"
        )
    warnings: tuple[str, ...] = ()
    if missing:
        are = "is" if len(missing) == 1 else "are"
        warnings = (
            f"topics: {len(missing):,} of {plural(len(wanted), 'topic')} {are} not among those "
            f"given and {'has' if len(missing) == 1 else 'have'} no title: "
            f"{join_names(missing, _MOST_NAMED)}",
        )
    return TopicNames({name: by_id[name] for name in wanted if name in by_id}, warnings)


def _by_id(given: TopicsGiven) -> dict[str, Topic]:
    topics = read_topics(given) if isinstance(given, str | os.PathLike) else list(given)
    by_id: dict[str, Topic] = {}
    for topic in topics:
        if not isinstance(topic, Topic):
            raise InputError(f"topics is made of {quoted(topic)}: expected topics, or their file")
        if topic.id in by_id:
            raise InputError(f"topic {quoted(topic.id)} is given twice", topic.origin, topic.line)
        by_id[topic.id] = topic
    return by_id


def _line(text: str | None) -> str:
    return " ".join(readable(text or "").split())
