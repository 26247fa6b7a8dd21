"""A small collection with assessments, and what simulated runs list."""

from __future__ import annotations

from doxeval.assessments import Assessments, Grade2002, Grade2003, GradedElement, Judgment
from doxeval.documents import Collection, example_collection
from doxeval.runs import Run

Listed = list[tuple[str, str]]


def listed(run: Run, topic: str = "7") -> Listed:
    """What a run has for a topic: documents and paths (none for a whole document)."""
    return [(r.document, "".join(r.paths)) for r in run.results() if r.topic == topic]


def scores(run: Run) -> list[float | None]:
    return [result.score for result in run.results()]


def graded(document: str, text: str, topic: str = "7") -> Judgment:
    """Grades of one document, written like `/s[1] 3E` (2002) or `/s[1] 33` (2003–04)."""
    elements = []
    for line in text.strip().splitlines():
        path, said = line.split()
        level, part = int(said[0]), said[1]
        grade = Grade2003(level, int(part)) if part.isdigit() else Grade2002(level, part)
        elements.append(GradedElement(path, grade))
    return Judgment(topic, document, grades=tuple(elements))


def small_collection() -> Collection:
    """Three small documents, which HIGHLIGHTS judges."""
    return example_collection(
        {
            "a": "<s><p>One.</p><q><r>Two.</r><r>No</r></q><p>Four</p>Five</s>",
            "b": "<s><p>Incomprehensible<b/></p><p>as it is</p></s>",
            "c": "<s><t/>Alone</s>",
        }
    )


HIGHLIGHTS = Assessments(
    [
        Judgment("7", "c", ((0, 5),)),  # all of it
        Judgment("7", "b", ((0, 20),)),  # one paragraph, and half of the other
        Judgment("7", "a", ((4, 8), (10, 14))),  # Two. and Four
        Judgment("9", "b"),
        Judgment("8", "a", ((4, 10),)),  # Two. and No
    ]
)
