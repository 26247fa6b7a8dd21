"""Random trees, texts and documents: the one home of Hypothesis generators.

A random document is made of pieces that know both their source and the text they stand for,
so every property can be checked against what was meant, not only against another parser.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from doxeval.assessments import Assessments
from doxeval.assessments.grades import COVERAGES, Grade2002, Grade2003, Grade2005
from doxeval.assessments.judgment import (
    AssessedUnit,
    GradedElement,
    Judgment,
    MeasuredElement,
    PointPassage,
)
from doxeval.documents.collection import Collection
from doxeval.documents.examples import example_collection
from doxeval.runs.builder import run_of
from doxeval.runs.run import Kind, Result, Run
from doxeval.scores import MeasureFacts, RunScores, ScoreTable
from doxeval.topics.nexi_ast import (
    About,
    And,
    Clause,
    Comparison,
    Or,
    Path,
    Relative,
    Segment,
    Step,
    StructuredQuery,
    Term,
)
from doxeval.topics.topic import TEXT_FIELDS, Topic

TAGS = ["article", "sec", "p", "b", "ss1", "title", "x-y", "été", "a.b"]

# Letters, spaces, line ends, combining marks, right-to-left and astral characters.
_ALPHABET = "ab Z<&>\"']\t\ńàéאب字😀𝔸  "


@dataclass(frozen=True)
class Piece:
    """Something inside an element that is no element: its source, and its text."""

    source: str
    text: str


@dataclass(frozen=True)
class Node:
    """An element: tag, attributes as written, and what is inside it."""

    tag: str
    inside: tuple[Piece | Node, ...] = ()
    attributes: str = ""
    self_closing: bool = False

    @property
    def source(self) -> str:
        """The element as XML."""
        if self.self_closing and not self.inside:
            return f"<{self.tag}{self.attributes}/>"
        inner = "".join(item.source for item in self.inside)
        return f"<{self.tag}{self.attributes}>{inner}</{self.tag}>"

    @property
    def text(self) -> str:
        """All text inside it."""
        return "".join(item.text for item in self.inside)


@dataclass(frozen=True)
class Located:
    """What the node table must say of one element."""

    path: str
    tag: str
    ordinal: int
    start: int
    end: int
    parent: str | None
    text_nodes: tuple[tuple[int, int], ...] = field(compare=False)


def located(node: Node) -> list[Located]:
    """All elements in document order with their paths and offsets, by plain recursion."""
    return list(_located(node, 1, 0, None))


def _located(node: Node, ordinal: int, start: int, parent: str | None) -> Iterator[Located]:
    path = f"{parent or ''}/{node.tag}[{ordinal}]"
    below: list[Located] = []
    runs: list[tuple[int, int]] = []
    seen: dict[str, int] = {}
    at = run_start = start
    for item in node.inside:
        if isinstance(item, Node):
            runs.append((run_start, at))
            seen[item.tag] = seen.get(item.tag, 0) + 1
            below += _located(item, seen[item.tag], at, path)
            at += len(item.text)
            run_start = at
        else:
            at += len(item.text)
    runs.append((run_start, at))
    yield Located(
        path, node.tag, ordinal, start, at, parent, tuple(run for run in runs if run[1] > run[0])
    )
    yield from below


def plain_texts() -> st.SearchStrategy[str]:
    """Short texts of difficult characters."""
    return st.text(st.sampled_from(_ALPHABET), max_size=12)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _without_cdata_end(text: str) -> str:
    return text.replace("]", "")


def pieces() -> st.SearchStrategy[Piece]:
    """Text, character references, entities, CDATA, comments, processing instructions."""
    return st.one_of(
        plain_texts().map(lambda text: Piece(_escaped(text), text)),
        plain_texts().map(lambda t: Piece(_escaped(t).replace("\n", "\r\n"), t)),
        st.sampled_from("aé😀\r\n<").map(lambda c: Piece(f"&#{ord(c)};", c)),
        st.sampled_from("aé😀\t").map(lambda c: Piece(f"&#x{ord(c):X};", c)),
        st.sampled_from([("&lt;", "<"), ("&amp;", "&"), ("&apos;", "'"), ("&quot;", '"')]).map(
            lambda pair: Piece(*pair)
        ),
        plain_texts().map(
            lambda t: Piece(f"<![CDATA[{_without_cdata_end(t)}]]>", _without_cdata_end(t))
        ),
        st.sampled_from(["<!-- a < b & c -->", "<!---->", "<?pi some data?>"]).map(
            lambda source: Piece(source, "")
        ),
    )


def named_entities() -> st.SearchStrategy[Piece]:
    """Entities that no document declares, from the table of HTML."""
    table = {"nbsp": "\u00a0", "eacute": "é", "hellip": "…", "Aopf": "𝔸", "ndash": "–"}
    return st.sampled_from(sorted(table)).map(lambda name: Piece(f"&{name};", table[name]))


def nodes(
    inside: st.SearchStrategy[Piece] | None = None, tags: list[str] | None = None
) -> st.SearchStrategy[Node]:
    """Trees of a few elements, sometimes deep."""
    things = pieces() if inside is None else inside
    names = st.sampled_from(tags or TAGS)
    attributes = st.sampled_from(["", ' id="1"', " a='x > y' b=\"&lt;z\""])
    leaves = st.builds(
        Node, names, st.lists(things, max_size=3).map(tuple), attributes, st.booleans()
    )
    return st.recursive(
        leaves,
        lambda children: st.builds(
            Node, names, st.lists(st.one_of(things, children), max_size=5).map(tuple), attributes
        ),
        max_leaves=25,
    )


def collections_of(
    documents: st.SearchStrategy[Node] | None = None, most: int = 5
) -> st.SearchStrategy[list[Node]]:
    """A few documents."""
    return st.lists(nodes() if documents is None else documents, min_size=1, max_size=most)


def markdown_texts() -> st.SearchStrategy[str]:
    """Markdown built from difficult lines."""
    lines = st.sampled_from(
        [
            "# One",
            "## Two",
            "### Three 😀",
            "Setext",
            "======",
            "------",
            "- item",
            "  - nested",
            "    continued",
            "1. first",
            "> quoted",
            "> # heading in a quotation",
            "> - list in it",
            "```",
            "    code",
            "| a | b |",
            "|---|---|",
            "| 1 | é |",
            "<div>",
            "***",
            "[ref]: /target",
            "text with *emphasis*",
            "",
            "   ",
            "- - - x",
            "\tindented",
        ]
    )
    ends = st.sampled_from(["\n", "\r\n", "\n\n", "\r"])
    return st.lists(st.tuples(lines, ends).map("".join), max_size=14).map("".join)


def html_pages() -> st.SearchStrategy[str]:
    """Pages with missing, misplaced and unknown tags.

    Tables come whole: html5lib, which these pages are compared with, does not follow the
    standard for other things inside them.
    """
    parts = st.sampled_from(
        [
            "<p>",
            "</p>",
            "<div>",
            "</div>",
            "<b>",
            "</b>",
            "<i>",
            "</i>",
            "<ul>",
            "<li>",
            "</ul>",
            "<table>loose<tr><td>1<td>2</table>",
            "<table><tr><td>a</td></tr></table>",
            "<h1>",
            "</h1>",
            "<pre>\n",
            "</pre>",
            "<br>",
            "<!-- note -->",
            "<title>",
            "</title>",
            "<custom-tag>",
            "text",
            " ",
            "\n",
            "\r\n",
            "&amp;",
            "&eacute;",
            "&nosuch;",
            "&#x1F600;",
            "&lt;p&gt;",
            "😀",
            "é",
            "<a href='x'>",
            "</a>",
        ]
    )
    return st.lists(parts, max_size=20).map("".join)


_WORDS = [
    "tide",
    "Al-Andalus",
    "don't",
    "C.I.A",
    "&",
    "été",
    "a380",
    "3D",
    "x_y",
    "and",
    "or",
    "AND",
]


def nexi_terms() -> st.SearchStrategy[tuple[Term, ...]]:
    """One or more words and phrases, with and without signs."""
    words = st.sampled_from(_WORDS)
    signs = st.sampled_from(["", "+", "-"])
    word = st.builds(lambda w, s: Term((w,), s), words, signs)
    phrase = st.builds(
        lambda ws, s: Term(tuple(ws), s, is_phrase=True),
        st.lists(words, min_size=1, max_size=3),
        signs,
    )
    return st.lists(st.one_of(word, phrase), min_size=1, max_size=4).map(tuple)


def nexi_queries() -> st.SearchStrategy[StructuredQuery]:
    """Structured queries of every kind."""
    tags = st.sampled_from(["article", "sec", "p", "été", "a-b", "x.y"])
    choices = st.one_of(
        st.just(()), tags.map(lambda t: (t,)), st.lists(tags, min_size=2, max_size=3).map(tuple)
    )
    steps = st.builds(Step, st.sampled_from(["/", "//"]), choices)
    paths = st.lists(steps, min_size=1, max_size=3).map(lambda s: Path(tuple(s)))
    places = st.one_of(
        st.just(Relative()),
        st.builds(Relative, paths),
        st.builds(Relative, paths, st.sampled_from(["/", "//"]), tags),
    )
    abouts = st.builds(About, places, nexi_terms())
    operators = st.sampled_from(["=", "!=", "<", ">", "<=", ">="])
    comparisons = st.one_of(
        st.builds(
            lambda where, op, n: Comparison(where, op, n, is_number=True),
            places,
            operators,
            st.sampled_from(["2001", "-3", "1.50"]),
        ),
        st.builds(
            lambda where, op, s: Comparison(where, op, s, is_number=False),
            places,
            operators,
            st.sampled_from(["", "x]y", "it's", '"', "and"]),
        ),
    )
    clauses = st.recursive(
        st.one_of(abouts, comparisons),
        lambda inner: st.builds(
            lambda kind, parts: kind(tuple(parts)),
            st.sampled_from([And, Or]),
            st.lists(inner, min_size=2, max_size=3),
        ),
        max_leaves=8,
    )

    def query(
        first: Path, segments: list[tuple[Path, Clause]], last: Path | None
    ) -> StructuredQuery:
        rooted = Path((Step("//", first.steps[0].tags), *first.steps[1:]))
        made = [Segment(path, clause) for path, clause in segments]
        made[0] = Segment(rooted, made[0].condition)
        return StructuredQuery((*made, *([Segment(last)] if last else [])))

    return st.builds(
        query,
        paths,
        st.lists(st.tuples(paths, clauses), min_size=1, max_size=3),
        st.one_of(st.none(), paths),
    )


def topics() -> st.SearchStrategy[Topic]:
    """Topics with any of their fields; texts have no white space around them."""
    text = plain_texts().map(str.strip).map(lambda t: t or None)
    ids = st.text(st.sampled_from("0123456789aé-"), min_size=1, max_size=6)
    parts = st.lists(
        st.tuples(st.sampled_from(["te", "cw", "ce"]), plain_texts().map(str.strip)), max_size=3
    ).map(tuple)

    def topic(topic_id: str, cas_parts: tuple[tuple[str, str], ...], **texts: str | None) -> Topic:
        if cas_parts:
            texts["title"] = None
        return Topic(topic_id, cas_parts=cas_parts, **texts)  # type: ignore[arg-type]

    return st.builds(topic, ids, parts, **dict.fromkeys(TEXT_FIELDS, text))


def element_paths() -> st.SearchStrategy[str]:
    """Paths of elements, in a small world."""
    return st.lists(
        st.tuples(st.sampled_from(["sec", "p", "été"]), st.integers(1, 3)), min_size=1, max_size=3
    ).map(lambda steps: "".join(f"/{tag}[{n}]" for tag, n in steps))


def text_points() -> st.SearchStrategy[str]:
    """Text points in that world."""
    return st.builds(
        lambda path, n, k: f"{path}/text()[{n}].{k}",
        element_paths(),
        st.integers(1, 2),
        st.integers(0, 9),
    )


def results(
    kinds: list[Kind] | None = None, by_points: bool | None = None
) -> st.SearchStrategy[Result]:
    """Results of the given kinds (any if none are given), in a small world of ids."""
    points = text_points()
    paths = element_paths()
    offsets = st.integers(0, 50)
    units = {
        Kind.DOCUMENT: st.just((None, None, ())),
        Kind.ELEMENT: paths.map(lambda path: (None, None, (path,))),
        Kind.TREE: st.lists(paths, min_size=1, max_size=3).map(lambda p: (None, None, tuple(p))),
        Kind.PASSAGE: st.one_of(
            *(
                []
                if by_points is True
                else [st.tuples(offsets, offsets).map(lambda pair: (min(pair), max(pair), ()))]
            ),
            *(
                []
                if by_points is False
                else [st.tuples(points, points).map(lambda pair: (None, None, pair))]
            ),
        ),
        Kind.POINT: st.one_of(
            *([] if by_points is True else [offsets.map(lambda at: (at, None, ()))]),
            *([] if by_points is False else [points.map(lambda point: (None, None, (point,)))]),
        ),
    }
    return st.sampled_from(kinds or list(Kind)).flatmap(
        lambda kind: st.builds(
            lambda topic, document, unit, rank, score: Result(
                topic, document, kind, unit[0], unit[1], unit[2], rank, score
            ),
            st.sampled_from(["1", "076", "76"]),
            st.sampled_from(["a", "co/1999/r1", "b.c"]),
            units[kind],
            st.integers(0, 99),
            st.floats(-5, 5, allow_nan=False),
        )
    )


def highlights(length: int = 60) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Ranges of text that are sorted, not empty and apart from each other."""
    edges = st.lists(st.integers(0, length), unique=True, max_size=8).map(sorted)
    return edges.map(
        lambda found: list(zip(found[0::2], found[1::2], strict=False)),
    )


def _lists_of(things: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(things, max_size=3).map(tuple)


def _maybe(things: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), things)


def graded_elements(scales: tuple[int, ...] = (2002, 2003, 2005)) -> st.SearchStrategy[Any]:
    """Elements with grades of the given scales, or unjudged."""
    level = st.integers(0, 3)
    grades = {
        2002: st.builds(Grade2002, level, st.sampled_from(COVERAGES)),
        2003: st.builds(Grade2003, level, level),
        2005: st.builds(
            Grade2005, st.sampled_from([None, 0, 1, 2]), st.fractions(0, 1, max_denominator=10**9)
        ),
    }
    grade = _maybe(st.one_of(*(grades[scale] for scale in scales)))
    return st.builds(GradedElement, element_paths(), grade, *[st.booleans()] * 3)


# What the parts of a judgment may be; a test takes those that its format can hold.
JUDGMENT_PARTS: dict[str, st.SearchStrategy[Any]] = {
    "highlights": highlights().map(tuple),
    "best_entry_point": _maybe(st.integers(0, 60)),
    "document_length": _maybe(st.just(60)),
    "relevance": _maybe(st.integers(-2, 3)),
    "passages": _lists_of(
        st.builds(PointPassage, text_points(), text_points(), _maybe(st.integers(0, 9)))
    ),
    "entry_point": _maybe(text_points()),
    "grades": _lists_of(graded_elements()),
    "elements": _lists_of(
        st.builds(
            MeasuredElement,
            element_paths(),
            st.sampled_from([None, 0, 1, 2]),
            st.integers(0, 99),
            st.integers(0, 99),
        )
    ),
    "units": _lists_of(
        st.builds(
            AssessedUnit,
            st.lists(element_paths(), min_size=1, max_size=2).map(tuple),
            st.sampled_from([0.0, 0.5, 1.0]),
        )
    ),
    "assessor": _maybe(st.sampled_from(["eva", "été 2"])),
    "pool": _maybe(st.sampled_from(["12", "a<b"])),
    "collection": _maybe(st.just("ieee")),
    "version": _maybe(st.just("2")),
    "whitespace": _maybe(st.sampled_from(["keep", "strip"])),
}


# Fields that some reader of numbers or passages must refuse, and white space of all kinds.
_DOUBTFUL = ["x", "-3", "+3", "007", "5:", ":5", ":", "1:2:3", "12:x", "99:99", "5_0", "٣", "1e3"]
_DOUBTFUL += ["1" * 12, "1" * 13, "1" * 19, "4294967295", "4294967296", "0:0", "-", "1.5", "é"]
_SPACES = ["  ", "\t", " \t ", "\x0b", "\x0c", "\x1c", "\xa0", "\u3000", "\x01", "\r"]


def qrels_texts() -> st.SearchStrategy[bytes]:
    """Files of INEX 2008–10 qrels, with passages in any order, some with a mistake."""
    return _texts(_qrels_line)


def trec_texts() -> st.SearchStrategy[bytes]:
    """Files of TREC's qrels, some with a mistake."""
    return _texts(_trec_line)


def _trec_line(random: Random, topic: str, document: str) -> list[str]:
    return [topic, "0", document, str(random.randint(-2, 3))]


def _texts(line: Callable[[Random, str, str], list[str]]) -> st.SearchStrategy[bytes]:
    return st.builds(
        partial(_text, line), st.integers(0, 2**32).map(Random), st.integers(0, 6), st.booleans()
    )


def _text(
    line: Callable[[Random, str, str], list[str]], random: Random, lines: int, has_mistake: bool
) -> bytes:
    """Lines about distinct documents; a mistake is a field, a space or a byte, anywhere."""
    names = ["a", "./b.xml", "c.xml", "é", "in/some/long/folder/d.xml", "x" * 80]
    documents = random.sample(names, lines)
    rows = [line(random, random.choice(["7", "7", "8", "été"]), one) for one in documents]
    spaces = [[" "] * len(row) for row in rows]
    if has_mistake and rows:
        row = random.randrange(len(rows))
        place = random.randrange(len(rows[row]))
        what = random.choice(["field", "field", "fewer", "space", "again"])
        if what == "field":
            rows[row][place] = random.choice(_DOUBTFUL)
        elif what == "fewer":
            del rows[row][place]
        elif what == "space":
            spaces[row][place] = random.choice(_SPACES)
        else:
            rows.append(rows[row])
            spaces.append(spaces[row])
    ends = random.choice(["\n", "\r\n", "\n\n", " \n"])
    text = "".join(
        "".join(field + space for field, space in zip(row, between, strict=False)) + ends
        for row, between in zip(rows, spaces, strict=True)
    )
    data = (random.choice(["", "", "\ufeff", "\n"]) + text).encode()
    if has_mistake and random.random() < 0.1:
        return data + random.choice([b"\xff", b"7 Q0 z 0 60\xc3", b"7"])
    return data if random.random() < 0.8 else data.rstrip()


def _qrels_line(random: Random, topic: str, document: str) -> list[str]:
    passages = [(random.randrange(50), random.randrange(9)) for _ in range(random.randrange(4))]
    relevant = len({at for start, size in passages for at in range(start, start + size)})
    more = [str(random.randrange(60)), *(f"{start}:{size}" for start, size in passages)]
    kept = more if passages or random.random() < 0.5 else []
    return [topic, "Q0", document, str(relevant), "60", *kept]


# Statements that are odd or wrong in some way.
_ODD_STATEMENTS: list[dict[str, Any]] = [
    {"start": 5, "end": 3}, {"start": -1, "end": 3}, {"start": 1}, {"bep": 6}, {"bep": True},
    {"bep": None}, {"bep": 1.0}, {"judged": 1}, {"judged": False}, {"grade": 1.0},
    {"grade": 1 << 70}, {"bep": 1 << 33}, {"start": 1, "end": 2, "pool": "1"},
    {"path": "/s[1]", "e": 3, "s": 3}, {"nodes": ["/s[1]"], "rel": 1},
    {"start": 1, "end": 2, "more": 3}, {},
]  # fmt: skip


def statement_texts() -> st.SearchStrategy[bytes]:
    """Files of JSONL statements, mostly plain ones; some are spelled oddly, some are wrong."""
    return st.builds(_statements, st.integers(0, 2**32).map(Random), st.integers(0, 8))


def _statements(random: Random, lines: int) -> bytes:
    found = []
    for _ in range(lines):
        about: dict[str, Any] = {
            "topic": random.choice(["7", "7", "8", 7, " 8 ", "été"]),
            "doc": random.choice(["a", "b", "./a.xml", "c"]),
        }
        start = random.randrange(50)
        said: dict[str, Any] = random.choice(
            [
                *[{"start": start, "end": start + random.randrange(10)}] * 3,
                {"bep": 5},
                {"grade": random.choice([1, 1, 2, -1])},
                {"judged": True},
                {"start": start, "end": start + 5, "docsize": random.choice([60, 60, 60, 40])},
            ]
        )
        if random.random() < 0.05:
            said = random.choice(_ODD_STATEMENTS)
        record = json.dumps(about | said, ensure_ascii=random.random() < 0.5)
        odd = [f" {record}", f"{record},{record}", f"{record} ", "[]", "{"]
        odd.append(record.replace('"7"', '"\\ud800"'))
        found.append(record if random.random() < 0.95 else random.choice(odd))
    ends = random.choice(["\n", "\n", "\r\n", "\n\n"])
    return ends.join(found).encode() + random.choice([b"", b"\n"])


def judgments(**parts: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Judgment]]:
    """Judgments with these parts, of distinct documents and topics."""
    pair = st.tuples(st.sampled_from(["1", "076", "../76"]), st.sampled_from(["a", "co/r1", "b.c"]))
    one = st.builds(
        lambda names, more: Judgment(*names, **more), pair, st.fixed_dictionaries(parts)
    )
    return st.lists(one, min_size=1, max_size=5, unique_by=lambda j: (j.topic, j.document))


# What an evaluation world is made of.
_WORLD_TAGS = ["sec", "sec", "p", "p", "b", "collectionlink"]
_WORLD_TEXTS = ["a", "bb ", " ccc", "d e", "\n", "ff gg h", "é😀 ", "iiiii"]
_WORLD_DEPTH = 4
_Judge = Callable[[Random, str, str, Node], Judgment | None]


@dataclass(frozen=True)
class World:
    """Everything a small evaluation needs: documents, judgments, and what three systems returned.

    documents: trees by id; judgments: all of one kind (highlights, grades of one year, or units);
    elements, passages, trees: the results of a run of elements (and whole documents), of one of
    passages, and of one of trees.
    Some topics are in the judgments only, some in the runs only. Scores have ties and are in no
    order; ranks follow the list.
    """

    documents: tuple[tuple[str, Node], ...]
    judgments: tuple[Judgment, ...]
    elements: tuple[Result, ...]
    passages: tuple[Result, ...]
    trees: tuple[Result, ...] = ()

    @property
    def sources(self) -> dict[str, str]:
        """The documents as XML."""
        return {document: node.source for document, node in self.documents}

    def collection(self) -> Collection:
        """The documents as a collection; worlds with the same documents share it."""
        return _built(tuple(self.sources.items()))

    def assessments(self) -> Assessments:
        """The judgments, in their order."""
        return Assessments(self.judgments)

    def element_run(self) -> Run:
        """The run of elements."""
        return run_of(self.elements, "elements")

    def passage_run(self) -> Run:
        """The run of passages."""
        return run_of(self.passages, "passages")

    def tree_run(self) -> Run:
        """The run of trees."""
        return run_of(self.trees, "trees")


@cache
def _built(sources: tuple[tuple[str, str], ...]) -> Collection:
    return example_collection(dict(sources))


def worlds() -> st.SearchStrategy[World]:
    """Worlds with highlighted text and best entry points."""
    return _worlds(_highlighted)


def graded_worlds(scale: int) -> st.SearchStrategy[World]:
    """Worlds with grades of elements of 2002 or 2003, or lists of elements of 2005.

    Those of 2005 have highlights too, which do not agree with the sizes in the lists.
    """
    return _worlds(partial(_graded, scale=scale))


def unit_worlds() -> st.SearchStrategy[World]:
    """Worlds with assessed trees of elements; some have highlighted text too."""
    return _worlds(_with_units)


def step_matrices(world: World, random: Random) -> dict[str, dict[str, dict[str, float]]]:
    """Probabilities of going from elements to others of the same document."""
    return {
        document: {
            source.path: {
                target.path: round(random.random() / 2, 3)
                for target in located(node)
                if random.random() < 0.6
            }
            for source in located(node)
        }
        for document, node in world.documents
    }


def _worlds(judged: _Judge) -> st.SearchStrategy[World]:
    """Sizes are drawn one by one, so that they shrink; the rest follows from random numbers.

    Documents come from a few hundred small libraries, because building one takes its time.
    """
    return st.builds(
        partial(_world, judged),
        st.integers(0, 2**32).map(Random),
        library=st.integers(0, 299),
        topics=st.integers(1, 3),
        most=st.integers(0, 9),
    )


def _world(judged: _Judge, random: Random, library: int, topics: int, most: int) -> World:
    documents = _library(library)
    pairs = [(topic, *document) for topic in "123"[:topics] for document in documents]
    judgments = tuple(j for pair in pairs if (j := judged(random, *pair)) is not None)
    return World(
        documents,
        judgments or (Judgment("1", "a"),),
        tuple(r for t in "123"[:topics] for r in _returned_elements(random, t, documents, most)),
        tuple(r for t in "123"[:topics] for r in _returned_passages(random, t, documents, most)),
        tuple(r for t in "123"[:topics] for r in _returned_trees(random, t, documents, most)),
    )


@cache
def _library(number: int) -> tuple[tuple[str, Node], ...]:
    """One to three documents; the first has text; the lower the number, the smaller they are."""
    random = Random(number)
    pieces = number // 18
    return tuple((name, _grown(random, pieces, name == "a")) for name in "abc"[: number % 3 + 1])


def _grown(random: Random, pieces: int, needs_text: bool) -> Node:
    """A tree, nested at most four deep: again and again, something opens, closes or is said."""
    stack: list[tuple[str, list[Piece | Node]]] = [("article", [])]

    def close() -> None:
        tag, inside = stack.pop()
        stack[-1][1].append(Node(tag, tuple(inside)))

    for what in [*random.choices(["open", "close", "say"], [4, 2, 4], k=pieces), "say"]:
        if what == "open" and len(stack) < _WORLD_DEPTH:
            stack.append((random.choice(_WORLD_TAGS), []))
        elif what == "close" and len(stack) > 1:
            close()
        elif what == "say" and (pieces or needs_text):
            text = random.choice(_WORLD_TEXTS)
            stack[-1][1].append(Piece(text, text))
    while len(stack) > 1:
        close()
    return Node("article", tuple(stack[0][1]))


def _highlighted(random: Random, topic: str, document: str, node: Node) -> Judgment | None:
    """Highlights with an entry point (rarely without); sometimes none; sometimes unjudged."""
    length = len(node.text)
    kind = random.randrange(10)
    if kind == 0:
        return None
    ranges = _random_ranges(random, length) if kind > 2 else ()
    entry = random.randrange(length) if ranges and kind > 3 else None
    return Judgment(topic, document, ranges, entry, document_length=length)


def _with_units(random: Random, topic: str, document: str, node: Node) -> Judgment | None:
    """Up to three trees, rarely one that is not relevant; the first document always has one."""
    trees = [_random_tree(random, node) for _ in range(random.randint(document == "a", 3))]
    units = tuple(
        AssessedUnit(tree, random.choice([0.0, 0.5, 1.0, 1.0, 2.0]))
        for tree in {frozenset(tree): tree for tree in trees}.values()
    )
    length = len(node.text)
    ranges = _random_ranges(random, length) if random.random() < 0.4 else ()
    return Judgment(topic, document, ranges, document_length=length, units=units)


def _random_tree(random: Random, node: Node) -> tuple[str, ...]:
    """One to three elements of a document, in its order; one alone is as likely as several."""
    paths = [place.path for place in located(node)]
    chosen = random.sample(paths, min(random.choice([1, 1, 2, 3]), len(paths)))
    return tuple(sorted(chosen, key=paths.index))


def _random_ranges(random: Random, length: int) -> tuple[tuple[int, int], ...]:
    """Up to three ranges of a text that are apart from each other; none of an empty text."""
    edges = sorted(random.sample(range(length + 1), min(2 * random.randint(1, 3), length + 1)))
    return tuple(zip(edges[0::2], edges[1::2], strict=False))


def _graded(
    random: Random, topic: str, document: str, node: Node, *, scale: int
) -> Judgment | None:
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
        ranges = _random_ranges(random, len(node.text)) if random.random() < 0.8 else ()
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


def _returned_elements(
    random: Random, topic: str, documents: tuple[tuple[str, Node], ...], most: int
) -> list[Result]:
    """A ranked list of elements, each once; a root is returned by its path or as a document."""
    units = [(document, place) for document, node in documents for place in located(node)]
    found = []
    for rank, (document, place) in enumerate(random.sample(units, min(most, len(units))), 1):
        score = float(random.randrange(4))
        if place.parent is None and random.random() < 0.5:
            found.append(Result(topic, document, rank=rank, score=score))
        else:
            path = (place.path,)
            found.append(Result(topic, document, Kind.ELEMENT, None, None, path, rank, score))
    return found if random.random() < 0.9 else []


def _returned_passages(
    random: Random, topic: str, documents: tuple[tuple[str, Node], ...], most: int
) -> list[Result]:
    """A ranked list of passages, each once; they overlap, and a few are empty."""
    found: dict[tuple[str, int, int], Result] = {}
    for _ in range(most):
        document, node = random.choice(documents)
        start, end = sorted(random.choices(range(len(node.text) + 1), k=2))
        score, rank = float(random.randrange(4)), len(found) + 1
        passage = Result(topic, document, Kind.PASSAGE, start, end, (), rank, score)
        found.setdefault((document, start, end), passage)
    return list(found.values()) if random.random() < 0.9 else []


_MEASURES = ["MAiP", "iP[.01]", "gP@5", "MAgP(score=F,beta=.5)"]


def score_tables(
    least_runs: int = 1, most_runs: int = 4, most_topics: int = 8
) -> st.SearchStrategy[ScoreTable]:
    """Tables of scores in [0, 1]: undefined scores, topics that do not count or lack results."""

    @st.composite
    def tables(draw: st.DrawFn) -> ScoreTable:
        labels = draw(st.lists(st.sampled_from(_MEASURES), min_size=1, max_size=4, unique=True))
        topics = draw(st.integers(1, most_topics))
        scores = st.one_of(
            st.sampled_from([0.0, 0.25, 0.5, 1.0, math.nan]), st.floats(0, 1, width=32)
        )
        row = st.lists(scores, min_size=topics, max_size=topics)
        flags = st.lists(st.booleans(), min_size=topics, max_size=topics)
        runs = []
        for number in range(draw(st.integers(least_runs, most_runs))):
            values = draw(st.lists(row, min_size=len(labels), max_size=len(labels)))
            counted = np.array(draw(st.one_of(st.just([True] * topics), flags)))
            has_results = draw(st.one_of(st.none(), flags.map(np.array)))
            runs.append(
                RunScores(f"run{number}", np.array(values), counted, has_results=has_results)
            )
        facts = tuple(MeasureFacts(label, f"{label} as used", "a measure") for label in labels)
        return ScoreTable(facts, tuple(f"t{topic}" for topic in range(topics)), tuple(runs))

    return tables()


def _returned_trees(
    random: Random, topic: str, documents: tuple[tuple[str, Node], ...], most: int
) -> list[Result]:
    """A ranked list of trees, each once."""
    found: dict[tuple[str, frozenset[str]], Result] = {}
    for _ in range(most):
        document, node = random.choice(documents)
        tree = _random_tree(random, node)
        score, rank = float(random.randrange(4)), len(found) + 1
        result = Result(topic, document, Kind.TREE, None, None, tree, rank, score)
        found.setdefault((document, frozenset(tree)), result)
    return list(found.values()) if random.random() < 0.9 else []
