"""Topics and their queries: reading, checking and writing topics; parsing NEXI."""

from doxeval.topics.nexi import NexiError, parse_content, parse_nexi, parse_structured
from doxeval.topics.read_write import problems, read_topics, write_topics
from doxeval.topics.statistics import TopicStatistics, topic_statistics
from doxeval.topics.strictness import Interpretation
from doxeval.topics.targets import target_of
from doxeval.topics.topic import Topic

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
