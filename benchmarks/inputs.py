"""Inputs for comparisons of speed, as plain files: no version of doxeval has a part in them.

Runs and articles come from `worlds`, `synthetic` and `synthetic_text`; here is what goes with them:
highlights, runs of paths, records, topics, questions, documents to judge.
"""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO
from xml.parsers.expat import ParserCreate

import numpy as np

from synthetic import Wikipedia
from synthetic_text import VOCABULARY, Articles, word, write_articles
from worlds import World


def write_input(name: str, path: Path, share: float) -> None:
    """Write the input of a name; `share` is that of its full size."""

    def some(full: int) -> int:
        return int(full * share)

    writers: dict[str, Callable[[], object]] = {
        "ten": lambda: World(path, 114, some(1500), 10).write(),
        "small": lambda: World(path, 3, 100, 1).write(),
        "large": lambda: World(path, some(2000), 1000, 1, judged=100).write(),
        "many": lambda: World(path, some(50_000), 20, 1, judged=10).write(),
        "prose": lambda: write_articles(path, some(3000)),
        "xml": lambda: write_documents(path, some(3000), as_html=False),
        "html": lambda: write_documents(path, some(1500), as_html=True),
        "elements": lambda: write_elements(path, some(3000), some(1500)),
        "records": lambda: write_records(path, some(1500)),
        "topics": lambda: write_topics(path, some(100)),
        "handbook": lambda: write_handbook(path, some(150), some(150)),
        "library": lambda: write_library(path, some(50), some(50)),
        "tides": lambda: write_tides(path, 20, some(20)),
    }
    writers[name]()


def documents(count: int) -> Iterator[tuple[int, bytes]]:
    """Yield synthetic articles with their numbers, the same ones every time."""
    wikipedia = Wikipedia()
    return ((number, wikipedia.document(number)) for number in range(count))


HTML = {"name": "h1", "title": "h2", "normallist": "ul", "item": "li", "emph3": "em"}
HTML |= {"collectionlink": "a", "conversionwarning": "i", "article": "html"}


def write_documents(path: Path, count: int, *, as_html: bool) -> None:
    """Write articles as files, half of them in each of two directories."""
    for half in ("first", "second"):
        (path / half).mkdir(parents=True)
    for number, text in documents(count):
        directory = path / ("first" if number < count // 2 else "second")
        if as_html:
            text = re.sub(rb"<\?.*?\?>", b"<!DOCTYPE html>", text)
            for tag, name in HTML.items():
                text = re.sub(rf"(</?){tag}\b".encode(), rf"\1{name}".encode(), text)
        (directory / f"{number}.{'html' if as_html else 'xml'}").write_bytes(text)


def elements_of(text: bytes) -> tuple[list[str], int]:
    """Return the paths of all elements of a document, and how many characters its text has."""
    paths, length = [""], 0
    around: list[tuple[str, dict[str, int]]] = [("", {})]

    def begin(tag: str, _: dict[str, str]) -> None:
        path, counts = around[-1]
        counts[tag] = counts.get(tag, 0) + 1
        paths.append(f"{path}/{tag}[{counts[tag]}]")
        around.append((paths[-1], {}))

    def count(data: str) -> None:
        nonlocal length
        length += len(data)

    parser = ParserCreate()
    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda _: around.pop()
    parser.CharacterDataHandler = count
    parser.Parse(text, True)
    return paths[1:], length


def write_elements(path: Path, count: int, results: int) -> None:
    """Write highlights in the articles, a run of paths and twelve short ones."""
    path.mkdir()
    chance = random.Random(2006)
    parts = {number: elements_of(text) for number, text in documents(count)}
    everywhere = [(number, each) for number, (paths, _) in parts.items() for each in paths]
    lists: list[list[tuple[int, str]]] = []
    with (path / "highlights.jsonl").open("w") as file:
        for topic in range(114):
            relevant = chance.sample(range(count), min(90, count // 4))
            for number in relevant:
                start = chance.randrange(parts[number][1] // 2)
                end = min(parts[number][1], start + 1 + chance.randrange(2000))
                record = {"topic": str(topic), "doc": str(number), "start": start, "end": end}
                print(json.dumps(record), file=file)
            near = [(number, each) for number in relevant for each in parts[number][0]]
            few = chance.sample(near, min(results // 4, len(near)))
            mixed = list(dict.fromkeys([*few, *chance.sample(everywhere, results)]))
            lists.append(chance.sample(mixed, len(mixed))[:results])
    for run in range(13):
        name = "0.run" if run == 0 else f"{run:02}.short"
        with (path / name).open("w") as file:
            for topic, ranking in enumerate(lists):
                shown = ranking if run == 0 else chance.sample(ranking, min(100, results))
                for rank, (number, each) in enumerate(shown, 1):
                    print(topic, "Q0", number, rank, -rank, f"run{run}", each, file=file)


def write_records(path: Path, results: int) -> None:
    """Write the same passages as JSONL, CSV and Parquet, a part as INEX XML, and judgments."""
    import pyarrow
    import pyarrow.parquet

    path.mkdir()
    chance = random.Random(7)
    rows = []
    for topic in range(114):
        for rank, number in enumerate(chance.sample(range(2_666_190), results), 1):
            start = chance.randrange(8000)
            end = start + 1 + chance.randrange(900)
            rows.append((str(2_009_001 + topic), str(number), start, end, rank, 1 / rank))
    names = ("topic", "doc", "start", "end", "rank", "score")
    with (path / "run.jsonl").open("w") as runs, (path / "judgments.jsonl").open("w") as judged:
        for row in rows:
            print(json.dumps(dict(zip(names, row, strict=True))), file=runs)
            print(json.dumps(dict(zip(names[:4], row[:4], strict=True))), file=judged)
    with (path / "run.csv").open("w", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    pyarrow.parquet.write_table(pyarrow.table(columns), path / "run.parquet")
    few = max(results // 30, 1)  # INEX XML is for hundreds of results
    with (path / "run.xml").open("w") as file:
        kinds = 'task="Focused" query="automatic" result-type="fol"'
        print(f'<inex-submission participant-id="1" run-id="mine" {kinds}>', file=file)
        print('<topic-fields title="yes"/>', file=file)
        for topic_id, doc, start, end, rank, score in rows:
            if rank == 1:
                print(f'<topic topic-id="{topic_id}">', file=file)
            if rank <= few:
                span = f'<fol offset="{start}" length="{end - start}"/>'
                facts = f"<rank>{rank}</rank><rsv>{score}</rsv>"
                print(f"<result><file>{doc}</file>{span}{facts}</result>", file=file)
            if rank == few:
                print("</topic>", file=file)
        print("</inex-submission>", file=file)


def write_topics(path: Path, count: int) -> None:
    """Write topics with titles and castitles, of words neither very frequent nor very rare."""
    chance = random.Random(7)
    with path.open("w") as file:
        for number in range(count):
            words = [word(int(chance.uniform(6, 100) ** 2)) for _ in range(chance.randint(2, 5))]
            title = " ".join(words)
            frequent = word(chance.randint(5, 50))
            inner = f"about(., {frequent}) and about(.//st, {frequent})"
            castitle = f"//article[{inner}]//sec[about(., {frequent} {title})]"
            print(json.dumps({"id": str(number), "title": title, "castitle": castitle}), file=file)


def write_handbook(path: Path, count: int, questions: int) -> None:
    """Write documents in Markdown, questions with quotes as gold, and chunks as texts."""
    (path / "docs").mkdir(parents=True)
    chance = random.Random(11)
    paragraphs = []
    with (path / "chunks.jsonl").open("w") as file:
        for number, text in enumerate(Articles().block(count)):
            text = re.sub(r"<st>(.*?)</st>", r"\n## \1\n", text)
            text = re.sub(r"<[^>]*>", "", text).replace(".\n", ".\n\n")
            (path / "docs" / f"d{number}.md").write_text(text, encoding="utf-8")
            for piece in (each for each in text.split("\n\n") if each.endswith(".")):
                paragraphs.append((f"d{number}", piece.splitlines()[-1]))
                record = {"doc": f"d{number}", "text": piece.replace("\n", " ").strip()}
                print(json.dumps(record), file=file)
    with (path / "questions.jsonl").open("w") as file:
        for number, (doc, quote) in enumerate(chance.sample(paragraphs, questions)):
            words = chance.sample(quote.rstrip(".").split(), 5)
            needs = [{"spans": [{"doc": doc, "quote": quote}]}]
            question = {"id": f"q{number}", "question": " ".join(words), "needs": needs}
            print(json.dumps(question), file=file)


def write_tides(path: Path, count: int, people: int) -> None:
    """Write documents to judge with their texts, a topic, a pool and names of assessors."""
    (path / "docs").mkdir(parents=True)
    chance = random.Random(0)
    words = "tide moon sea water wave salt wind shore sand ebb flood spring neap 🌊 Küste".split()
    texts = {}
    for number in range(count):
        pieces = [" ".join(chance.choices(words, k=60)) for _ in range(40)]
        texts[f"d{number}"] = "".join(pieces)
        document = "".join(f"<p>{piece}</p>" for piece in pieces)
        (path / "docs" / f"d{number}.xml").write_text(f"<article>{document}</article>", "utf-8")
    (path / "texts.json").write_text(json.dumps(texts))
    (path / "topics.jsonl").write_text('{"id": "7", "title": "tides"}\n')
    (path / "pool.txt").write_text("".join(f"7 0 {doc}\n" for doc in texts))
    (path / "people.json").write_text(json.dumps([f"assessor{number}" for number in range(people)]))


def write_library(path: Path, count: int, questions: int, seed: int = 29) -> None:
    """Write long documents in Markdown, some 300,000 characters each, and questions with quotes.

    Words are as frequent as in prose. A third of the documents have typographic marks, as much of
    what people write has, so that a character of them takes two bytes in memory.
    """
    (path / "docs").mkdir(parents=True)
    chance = np.random.default_rng(seed)
    weights = 1 / (np.arange(VOCABULARY) + 2.7) ** 1.07
    edges = np.cumsum(weights) / weights.sum()
    words = np.array([word(rank)[:-1] for rank in range(VOCABULARY)], dtype=object)
    plain = np.array([" ", ", ", ". ", ".\n\n", " (", ") ", "; ", ": ", "\n\n## "], dtype=object)
    typographic = np.array([" ", ", ", ". ", ".\n\n", " “", "” ", " — ", "… ", "\n\n## "], object)
    between = np.cumsum([0.69, 0.11, 0.08, 0.011, 0.035, 0.035, 0.03, 0.008, 0.001])
    asked = set(np.linspace(0, count - 1, min(questions, count)).astype(int).tolist())
    with (path / "questions.jsonl").open("w") as file:
        for number in range(count):
            size = int(60_000 * chance.uniform(0.5, 1.5))
            parts = np.empty(2 * size, dtype=object)
            parts[::2] = words[np.searchsorted(edges, chance.random(size))]
            marks = typographic if number % 3 == 0 else plain
            parts[1::2] = marks[np.searchsorted(between, chance.random(size) * between[-1])]
            text = "# " + "".join(parts.tolist()).rstrip() + "\n"
            (path / "docs" / f"d{number}.md").write_text(text, encoding="utf-8")
            if number in asked:
                write_question(file, number, f"d{number}", text, chance)


def write_questions(path: Path, docs: Path, count: int, seed: int = 29) -> None:
    """Write questions with quotes from the documents of a folder, long ones more often."""
    texts = {each.stem: each.read_text(encoding="utf-8") for each in sorted(docs.glob("*.md"))}
    chance = np.random.default_rng(seed)
    names, sizes = list(texts), np.array(list(map(len, texts.values())))
    chosen = chance.choice(len(names), count, p=sizes / sizes.sum())
    with path.open("w") as file:
        for number, doc in enumerate(chosen.tolist()):
            write_question(file, number, names[doc], texts[names[doc]], chance)


def write_question(
    file: TextIO, number: int, doc: str, text: str, chance: np.random.Generator
) -> None:
    """Write a question of some words of a quote, which has 60 to 400 characters."""
    while True:
        start = int(chance.integers(0, max(len(text) - 500, 1)))
        quote = text[start : start + int(chance.integers(60, 400))].strip()
        known = sorted(set(re.findall(r"\w{4,}", quote)))
        if len(known) > 2:
            break
    some = chance.choice(known, min(int(chance.integers(3, 9)), len(known)), replace=False)
    needs = [{"spans": [{"doc": doc, "quote": quote}]}]
    record = {"id": f"q{number}", "question": " ".join(some.tolist()), "needs": needs}
    print(json.dumps(record), file=file)
