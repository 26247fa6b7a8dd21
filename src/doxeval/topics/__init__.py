"""Topics and their queries: reading, checking and writing topics; parsing NEXI."""

from __future__ import annotations

from doxeval.doors import door

__all__ = [
    "Interpretation",
    "NexiError",
    "Topic",
    "TopicStatistics",
    "parse_content",
    "parse_nexi",
    "parse_structured",
    "problems",
    "read_topics",
    "target_of",
    "topic_statistics",
    "write_topics",
]

__getattr__, __dir__ = door(__name__, __file__)
