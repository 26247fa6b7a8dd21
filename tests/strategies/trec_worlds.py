"""Qrels and runs of whole documents at random, with all that trec_eval treats its own way."""

from __future__ import annotations

import random
from typing import NamedTuple

from doxeval.compat import TrecEvalOptions


class TrecWorld(NamedTuple):
    """Files as text, and options for them."""

    qrels: str
    run: str
    options: TrecEvalOptions


MEASURES = (
    ("all_trec",),
    ("all_trec", "yaap"),
    ("official",),
    ("set",),
    ("map", "P.5,10", "ndcg_cut.3"),
    (
        *("P.7,3", "P.9", "iprec_at_recall.0.33,0.7,0", "set_F.2", "relstring.4", "success.2"),
        *("Rprec_mult.0.35,3", "relative_P.2", "recall.1,2", "map_cut.4", "all_trec"),
    ),
)


def trec_world(seed: int, *, may_fail: bool = True) -> TrecWorld:
    """Return a world; with `may_fail` there may be no topics, and documents returned twice."""
    chance = random.Random(f"trec_eval {seed}")
    documents = [f"D{number:03d}" for number in range(chance.choice([5, 30, 80]))]
    documents += ["a.xml", "a", "./a", "é", "Z", "z"]
    lowest = chance.choice([-1, -1, 0])
    qrels: list[str] = []
    run: list[str] = []
    for topic in dict.fromkeys(str(chance.randrange(1, 400)) for _ in range(chance.randint(1, 5))):
        if chance.random() < 0.85 or not (may_fail or qrels):
            qrels += _judgments(chance, topic, documents, lowest if may_fail else 0, lowest)
        if chance.random() < 0.85 or not (may_fail or run):
            run += _results(chance, topic, documents)
            run += run[-1:] if may_fail and chance.random() < 0.03 else []
    if chance.random() < 0.5:
        chance.shuffle(run)
    chance.shuffle(qrels)
    return TrecWorld(_text(qrels), _text(run), _options(chance))


def _judgments(
    chance: random.Random, topic: str, documents: list[str], first: int, lowest: int
) -> list[str]:
    highest = 4 if chance.random() > 0.15 else 0
    judged = chance.sample(documents, chance.randrange(1, len(documents)))
    grades = [max(first, 0), *(chance.randint(lowest, highest) for _ in judged[1:])]
    if first < 0:
        grades[0] = chance.randint(lowest, highest)
    if chance.random() < 0.1:
        grades[-1] = 12
    space = chance.choice([" ", "\t"])
    return [f"{topic}{space}0 {name} {g}" for name, g in zip(judged, grades, strict=True)]


def _results(chance: random.Random, topic: str, documents: list[str]) -> list[str]:
    kind = chance.choice(["whole", "short", "close", "any"])

    def score() -> str:
        match kind:
            case "whole":
                return str(chance.randint(0, 4))
            case "short":
                return repr(round(chance.random(), 2))
            case "close":  # all the same in single precision
                return f"{1 + chance.randint(0, 9) * 1e-9:.12f}"
        return chance.choice(["1e3", "-2.5", "0.0", "1E-3", "7", repr(chance.random())])

    returned = chance.sample(documents, chance.randrange(1, len(documents)))
    more = chance.choice(["", " and more"])
    return [
        f"{topic} Q0\t{name} {chance.choice(['0', 'x'])} {score()} sys{chance.randint(1, 3)}{more}"
        for name in returned
    ]


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _options(chance: random.Random) -> TrecEvalOptions:
    return TrecEvalOptions(
        chance.choice(MEASURES),
        per_topic=chance.random() < 0.7,
        all_topics=chance.random() < 0.3,
        relevance_level=chance.choice([1, 1, 1, 0, 2, 3, 4]),
        judged_only=chance.random() < 0.3,
        max_results=chance.choice([None, None, None, 0, 1, 3, 10, 1000]),
        summary=chance.random() < 0.85,
    )
