"""A made-up collection with topics, assessments and systems, the same on every machine.

Texts are words without meaning; what counts is the shape. An article has a name and three to six
sections, a section paragraphs and sometimes subsections, a paragraph sometimes links of one or two
words. A topic highlights text in four to eight articles. Systems know where, and blur it by noise.

There are as many such worlds as there are numbers; `WORLD=2 python …` takes another one.
`WORLD=demo` takes the articles and the assessments of the built-in demo instead, with systems made
in the same way.
"""

from __future__ import annotations

import atexit
import os
import random
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import doxeval
from doxeval.assessments import Assessments, Judgment, read_assessments
from doxeval.assessments.grades import Grade2002
from doxeval.assessments.judgment import GradedElement
from doxeval.documents import Collection, build_collection
from doxeval.runs import Kind, Result, Run

WORLD = os.environ.get("WORLD", "1")
DEMO = Path(doxeval.__file__).parent / "demo_data"
ARTICLES, TOPICS, LONGEST = 40, 20, 100
LINKS = "link" if WORLD == "demo" else "links"  # the value of the parameter `ignore`
NOISES = (0.3, 0.6, 1.0, 1.6)
UNITS = {
    "article": ("article",),
    "section": ("section", "sec"),
    "subsection": ("section", "sec", "ss1"),
    "paragraph": ("p",),
    "mixed": ("article", "section", "sec", "ss1", "p"),
    "any": ("article", "section", "sec", "ss1", "p", "title", "collectionlink", "link"),
}
_WORDS = "ebb flow reef spar helm keel gale buoy tide chart sound light fog bell star wake".split()


class Dice:
    """Chance that depends on nothing but its name."""

    def __init__(self, *name: object) -> None:
        self._random = random.Random("/".join(map(str, (WORLD, *name))))  # noqa: S311

    def share(self) -> float:
        """From 0 up to 1."""
        return self._random.random()

    def number(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return low + int(self.share() * (high - low + 1))

    def some(self, things: Sequence[int], count: int) -> list[int]:
        """Different ones, in random order."""
        return sorted(things, key=lambda _: self.share())[:count]

    def noise(self) -> float:
        """About normal, with mean 0 and variance 1."""
        return 2 * (self.share() + self.share() + self.share() - 1.5)


@dataclass(frozen=True)
class Part:
    """An element with its place in the text, and the places of those around it in the list."""

    path: str
    tag: str
    start: int
    end: int
    around: tuple[int, ...]

    def relevant(self, highlights: Iterable[tuple[int, int]]) -> int:
        """How many of its characters are highlighted."""
        return sum(max(0, min(self.end, e) - max(self.start, s)) for s, e in highlights)


@cache
def collection() -> Collection:
    """The articles, built into a temporary directory."""
    if WORLD == "demo":
        return demo_collection()
    home = temporary_directory()
    (home / "articles").mkdir()
    for number in range(ARTICLES):
        file = home / "articles" / f"a{number:02}.xml"
        file.write_text(_article(Dice("article", number)), encoding="utf-8")
    build_collection([str(home / "articles")], home / "collection")
    return Collection(home / "collection")


@cache
def demo_collection() -> Collection:
    """The articles of the built-in demo, built into a temporary directory."""
    home = temporary_directory()
    build_collection([str(DEMO / "articles")], home / "collection")
    return Collection(home / "collection")


def temporary_directory() -> Path:
    """A new directory that is removed at the end."""
    home = Path(tempfile.mkdtemp(prefix="doxeval-study-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    return home


def _article(dice: Dice) -> str:
    sections = "\n".join(_section(dice) for _ in range(dice.number(3, 6)))
    return f"<article><name>{_text(dice, 2)}</name>\n{sections}</article>"


def _section(dice: Dice) -> str:
    blocks = [_paragraph(dice) for _ in range(dice.number(1, 4))]
    for _ in range(dice.number(0, 2)):
        inner = "\n".join(_paragraph(dice) for _ in range(dice.number(1, 3)))
        blocks.append(f"<ss1><title>{_text(dice, 3)}</title>\n{inner}</ss1>")
    return f"<section><title>{_text(dice, 3)}</title>\n" + "\n".join(blocks) + "</section>"


def _paragraph(dice: Dice) -> str:
    pieces = [_text(dice, dice.number(10, 30))]
    for _ in range(dice.number(0, 3)):
        link = f"<collectionlink>{_text(dice, dice.number(1, 2))}</collectionlink>"
        pieces += [link, _text(dice, dice.number(10, 30))]
    return f"<p>{' '.join(pieces)}</p>"


def _text(dice: Dice, words: int) -> str:
    return " ".join(_WORDS[dice.number(0, len(_WORDS) - 1)] for _ in range(words))


@cache
def parts(document: str) -> tuple[Part, ...]:
    """The elements of a document, in document order."""
    found: list[Part] = []
    place: dict[str, int] = {}
    root = collection().root(document)
    for element in (root, *root.descendants()):
        around = tuple(place[above.path] for above in element.ancestors())
        place[element.path] = len(found)
        found.append(Part(element.path, element.tag, element.start, element.end, around))
    return tuple(found)


@cache
def highlights() -> Assessments:
    """Highlighted passages and best entry points."""
    if WORLD == "demo":
        return read_assessments(DEMO / "assessments.jsonl")
    judged = []
    for number in range(1, TOPICS + 1):
        dice = Dice("topic", number)
        for article in sorted(dice.some(range(ARTICLES), dice.number(4, 8))):
            document = f"a{article:02}"
            spans = _merged(_passage(dice, document) for _ in range(dice.number(1, 3)))
            best = max(spans, key=lambda span: span[1] - span[0])[0]
            judged.append(Judgment(f"{number:02}", document, spans, best))
    return Assessments(judged)


def _passage(dice: Dice, document: str) -> tuple[int, int]:
    """A whole section, some paragraphs in a row, one paragraph, or a part of one."""
    kind = dice.share()
    sections = [part for part in parts(document) if part.tag == "section"]
    section = sections[dice.number(0, len(sections) - 1)]
    if kind < 0.2:
        return section.start, section.end
    inside = [
        part
        for part in parts(document)
        if part.tag == "p" and section.start <= part.start and part.end <= section.end
    ]
    first = dice.number(0, len(inside) - 1)
    last = dice.number(first, len(inside) - 1) if kind < 0.5 else first
    start, end = inside[first].start, inside[last].end
    if kind < 0.8:
        return start, end
    quarter = (end - start) // 4
    return start + quarter, end - quarter


def _merged(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


@cache
def grades() -> Assessments:
    """Grades of 2002, derived from the highlights.

    Relevance: 3 for an element with at least half as many highlighted characters as the topic's
    richest article, 2 for one with at least a fifth, 1 for any other that has some.
    Coverage: L (too large) if less than half of the element is highlighted; else S (too small) if
    at least half of an element around it is highlighted, too; else E (exact).
    """
    graded = []
    for topic in highlights().topics:
        judgments = list(highlights().of(topic))
        richest = max(judgment.highlighted for judgment in judgments)
        for judgment in judgments:
            found = tuple(_graded(judgment, richest))
            graded.append(Judgment(topic, judgment.document, grades=found))
    return Assessments(graded)


def _graded(judgment: Judgment, richest: int) -> Iterator[GradedElement]:
    elements = parts(judgment.document)
    sizes = [part.relevant(judgment.highlights) for part in elements]
    for part, size in zip(elements, sizes, strict=True):
        if not size:
            continue
        relevance = 3 if 2 * size >= richest else 2 if 5 * size >= richest else 1
        if 2 * size < part.end - part.start:
            coverage = "L"
        else:
            above = ((elements[place], sizes[place]) for place in part.around)
            larger = any(2 * size >= part.end - part.start for part, size in above)
            coverage = "S" if larger else "E"
        yield GradedElement(part.path, Grade2002(relevance, coverage))


def systems(overlap: bool) -> list[Run]:
    """Runs of 24 systems: six choices of units, four amounts of noise.

    The score of an element is 1 if its article is relevant, plus its highlighted share, plus noise
    for the article and noise for the element. Without overlap, an element is left out if one
    above it in the list contains it or lies in it.
    """
    return [_run(units, noise, overlap) for units in UNITS for noise in NOISES]


def _run(units: str, noise: float, overlap: bool) -> Run:
    results: list[Result] = []
    for topic in highlights().topics:
        dice = Dice("system", units, noise, topic)
        scored = sorted(_scored(dice, topic, UNITS[units], noise), key=lambda found: -found[0])
        results += _listed(topic, scored, overlap)
    return Run.from_results(results, f"{units}-{noise}")


def _scored(
    dice: Dice, topic: str, tags: tuple[str, ...], noise: float
) -> Iterator[tuple[float, str, Part]]:
    for document in collection().ids():
        judgment = highlights().find(topic, document)
        spans = judgment.highlights if judgment else ()
        base = (1 if spans else 0) + noise * dice.noise()
        for part in parts(document):
            if part.tag in tags:
                share = part.relevant(spans) / max(1, part.end - part.start)
                yield base + share + noise * dice.noise() / 2, document, part


def _listed(topic: str, scored: list[tuple[float, str, Part]], overlap: bool) -> Iterator[Result]:
    taken: dict[str, list[Part]] = {}
    count = 0
    for score, document, part in scored:
        above = taken.setdefault(document, [])
        if not overlap and any(o.start < part.end and part.start < o.end for o in above):
            continue
        above.append(part)
        count += 1
        yield Result(topic, document, Kind.ELEMENT, paths=(part.path,), rank=count, score=score)
        if count == LONGEST:
            return


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown; numbers with four digits, all else as it is given."""
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    for row in rows:
        cells = [f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)
