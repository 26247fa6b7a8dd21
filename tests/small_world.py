"""Three small documents and judgments of one of them."""

from __future__ import annotations

from doxeval.assessments import Judgment

DOCUMENTS = {
    "a": "<a><s><p>1234</p><p>5678</p></s><s>1234567890</s></a>",
    "b": "<a><s>1234567890</s></a>",
    "c": "<a><s>1234567890</s></a>",
}
HIGHLIGHTED = [Judgment("7", "a", ((0, 8),))]
TWO_TOPICS = [Judgment(topic, "a", ((0, 50),), 0, 100) for topic in ("7", "8")]
