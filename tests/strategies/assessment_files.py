"""Random files of assessments, some with a mistake."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from hypothesis import strategies as st

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
