"""The judgments of random worlds."""

from __future__ import annotations

from random import Random

from doxeval.assessments import (
    AssessedUnit,
    Grade2002,
    Grade2003,
    GradedElement,
    Judgment,
    MeasuredElement,
    NeededSpan,
    SubtopicGrade,
    TopicAnswer,
)
from strategies.trees import Node, located
from strategies.world_documents import random_ranges, random_tree


def known_answers(
    random: Random, topics: str, documents: tuple[tuple[str, Node], ...]
) -> tuple[tuple[str, TopicAnswer], ...]:
    """Strings that answer some topics, taken from the texts; and a topic without any answer."""
    known = []
    for topic in topics:
        texts = []
        for _ in range(random.randrange(3)):
            text = random.choice(documents)[1].text
            start = random.randrange(len(text) + 1)
            texts.append(text[start : start + random.randint(1, 5)].swapcase())
        if texts:
            known.append((topic, TopicAnswer(tuple(texts))))
    if random.random() < 0.5:
        known.append(("9", TopicAnswer(exists=False)))
    return tuple(known)


def highlighted(random: Random, topic: str, document: str, node: Node) -> Judgment | None:
    """Highlights with an entry point (rarely without); sometimes none; sometimes unjudged."""
    length = len(node.text)
    kind = random.randrange(10)
    if kind == 0:
        return None
    ranges = random_ranges(random, length) if kind > 2 else ()
    entry = random.randrange(length) if ranges and kind > 3 else None
    return Judgment(topic, document, ranges, entry, document_length=length)


def needed(random: Random, topic: str, document: str, node: Node) -> Judgment | None:
    """Ranges that answer needs, and may overlap; sometimes only highlights, sometimes none."""
    length = len(node.text)
    kind = random.randrange(8)
    if kind == 0 or length < 2:
        return None
    if kind == 1:
        return Judgment(topic, document, random_ranges(random, length), document_length=length)
    needs = []
    for _ in range(random.randrange(6)):
        start, end = sorted(random.sample(range(length + 1), 2))
        need = random.choice([None, "who", "when"])
        grade = {"who": 1, "when": 3}.get(need or "", random.choice([1, 2]))
        # Spans of a need with the same alternative are to be shown together.
        alternative = random.choice([None, document]) if need else None
        needs.append(NeededSpan(need, start, end, grade, alternative))
    return Judgment(topic, document, document_length=length, needs=tuple(needs))


def graded_document(random: Random, topic: str, document: str, node: Node) -> Judgment | None:
    """A grade for the whole document, below 0 if it was only pooled; sometimes unjudged."""
    if random.random() < 0.3:
        return None
    return Judgment(topic, document, relevance=random.choice([-1, 0, 0, 0, 1, 1, 2, 3, 4]))


def with_subtopics(random: Random, topic: str, document: str, node: Node) -> Judgment | None:
    """Grades for up to four subtopics, some below 0; sometimes only one for the document."""
    kind = random.randrange(8)
    if kind == 0:
        return None
    if kind == 1:
        return Judgment(topic, document, relevance=random.randrange(3))
    subtopics = random.sample("1234", random.randint(1, 4))
    grades = tuple(SubtopicGrade(name, random.choice([-1, 0, 1, 1, 2])) for name in subtopics)
    return Judgment(topic, document, subtopics=grades)


def with_units(random: Random, topic: str, document: str, node: Node) -> Judgment | None:
    """Up to three trees, rarely one that is not relevant; the first document always has one."""
    trees = [random_tree(random, node) for _ in range(random.randint(document == "a", 3))]
    units = tuple(
        AssessedUnit(tree, random.choice([0.0, 0.5, 1.0, 1.0, 2.0]))
        for tree in {frozenset(tree): tree for tree in trees}.values()
    )
    length = len(node.text)
    ranges = random_ranges(random, length) if random.random() < 0.4 else ()
    return Judgment(topic, document, ranges, document_length=length, units=units)


def graded(random: Random, topic: str, document: str, node: Node, *, scale: int) -> Judgment | None:
    """Grades of most elements; sometimes unjudged, but not the first document for topic 1."""
    must = (topic, document) == ("1", "a")
    root, *below = [place.path for place in located(node)]
    paths = [path for path in below if random.random() < 0.7]
    paths += [root] if must or random.random() < 0.7 else []
    random.shuffle(paths)
    if not must and random.random() < 0.1:
        return None
    if scale == 2005:
        measured = tuple(_measured_element(random, path) for path in paths)
        ranges = random_ranges(random, len(node.text)) if random.random() < 0.8 else ()
        return Judgment(topic, document, ranges, elements=measured)
    if scale == 2002:
        return Judgment(topic, document, grades=tuple(_graded_2002(random, p) for p in paths))
    return Judgment(topic, document, grades=tuple(_graded_2003(random, p) for p in paths))


def _graded_2002(random: Random, path: str) -> GradedElement:
    relevance = random.randrange(4)
    coverage = random.choice("LSE") if relevance else "N"
    return GradedElement(path, Grade2002(relevance, coverage))


def _graded_2003(random: Random, path: str) -> GradedElement:
    exhaustivity = random.randrange(4)
    specificity = random.randint(1, 3) if exhaustivity else 0
    return GradedElement(path, Grade2003(exhaustivity, specificity))


def _measured_element(random: Random, path: str) -> MeasuredElement:
    size = random.randint(1, 6)
    highlighted = random.choice([0, size, random.randint(0, size)])
    return MeasuredElement(path, random.choice([None, 0, 1, 2]), size, highlighted)
