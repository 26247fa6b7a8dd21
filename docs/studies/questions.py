"""The study of findings once more, on questions to other texts, which are not part of doxeval.

python docs/studies/questions.py DIRECTORY

DIRECTORY holds the data of chunking_evaluation by Chroma: five corpora and a table of questions.
They are cut into articles: at titles (wikitexts), at PMIDs (pubmed), at blank lines (chatlogs), at
the next blank line after 25,000 characters (finance). A line is a paragraph.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from bisect import bisect_right
from collections import defaultdict
from html import escape
from pathlib import Path

from findings import (
    ALL_ALONE,
    ALONE,
    BM25,
    BM25_ALONE,
    CLAIMS,
    DOCUMENTS,
    FOCUSED,
    NO_PRIOR,
    PRIOR,
    SNOWBALL,
    THOROUGH,
    THOROUGH_ALONE,
    UNSTEMMED,
    UNSTOPPED,
    Baselines,
)
from world import temporary_directory

from doxeval import Topic
from doxeval.assessments import Assessments, Judgment
from doxeval.documents import Collection, build_collection

FINANCE = 25_000
RUNS = (
    *(DOCUMENTS, THOROUGH, NO_PRIOR, THOROUGH_ALONE, FOCUSED, ALONE, ALL_ALONE, PRIOR),
    *(BM25, BM25_ALONE, UNSTEMMED, SNOWBALL, UNSTOPPED),
)


def main() -> None:
    """Print the tables of the study."""
    home = Path(sys.argv[1])
    texts = {path.stem: path.read_bytes().decode() for path in sorted(home.glob("*.md"))}
    starts = {corpus: _starts(corpus, text) for corpus, text in texts.items()}
    with (home / "questions_df.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    topics = [Topic(f"q{number}", title=_plain(row["question"])) for number, row in enumerate(rows)]
    spans: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for topic, row in zip(topics, rows, strict=True):
        for one in json.loads(row["references"]):
            corpus, start, end = row["corpus_id"], one["start_index"], one["end_index"]
            place = bisect_right(starts[corpus], start) - 1
            begin = starts[corpus][place]
            spans[topic.id, f"{corpus}-{place:02}"].append((start - begin, end - begin))
    judged = [Judgment(*key, _merged(found)) for key, found in spans.items()]
    collection = _collection(texts, starts)
    elements = len(collection.nodes.path)
    sys.stdout.write(
        f"{len(collection)} articles, {elements} elements, {len(topics)} questions\n\n"
    )
    baselines = Baselines(collection, topics, Assessments(judged))
    sys.stdout.write(baselines.scores(RUNS, ("iP[.01]", "MAiP", "MAep")) + "\n\n")
    claims = [one for one in CLAIMS if {one.first, one.second} <= set(RUNS)]
    sys.stdout.write(baselines.differences(claims, RUNS) + "\n")


def _starts(corpus: str, text: str) -> list[int]:
    """Where the articles of a corpus begin."""
    patterns = {
        "wikitexts": r"^ = [^=\n]*[^=\n] = *$",
        "pubmed": "^PMID: ",
        "chatlogs": r"(?<=\n\n)",
    }
    found = [0]
    if corpus == "finance":
        while (at := text.find("\n\n", found[-1] + FINANCE)) >= 0:
            found.append(at + 2)
    elif corpus in patterns:
        found += [one.start() for one in re.finditer(patterns[corpus], text, re.MULTILINE)]
    return sorted({at for at in found if at < len(text)})


def _plain(question: str) -> str:
    """A question without what queries take for signs."""
    return re.sub(r'["“”]|(?<!\w)[+-]', " ", question)


def _merged(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def _collection(texts: dict[str, str], starts: dict[str, list[int]]) -> Collection:
    home = temporary_directory()
    (home / "articles").mkdir()
    for corpus, text in texts.items():
        ends = [*starts[corpus][1:], len(text)]
        for place, (start, end) in enumerate(zip(starts[corpus], ends, strict=True)):
            lines = text[start:end].splitlines(keepends=True)
            content = "".join(f"<p>{escape(one)}</p>" if one.strip() else one for one in lines)
            file = home / "articles" / f"{corpus}-{place:02}.xml"
            file.write_bytes(f"<article>{content}</article>".encode())
    build_collection([str(home / "articles")], home / "collection", jobs=1)
    return Collection(home / "collection")


if __name__ == "__main__":
    main()
