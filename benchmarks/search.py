"""How fast words are indexed and queries answered, beside tantivy, which is written in Rust.

    python benchmarks/search.py                     20,000 articles, in some minutes
    python benchmarks/search.py --docs 150000       the size that the bars are for

tantivy indexes whole articles, and once more every element as a document of its own. doxeval
answers exactly for all elements from one index. Everything is measured in processor time, of the
work alone, each step in a process of its own.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import runner
from runner import Run, heading, line, printed, run, steps_or_all
from synthetic_text import word, write_articles

step = partial(runner.step, __file__)
QUERIES = 60
MOST = 1500
_RARE, _FREQUENT = 10_000, 40  # ranks of the words of queries


def benchmark(work: Path, docs: int, rounds: int) -> None:
    """Everything, in one run."""
    collection = work / "collection"
    if not collection.exists():
        source = work / "articles.xml"
        write_articles(source, docs)
        run(step("collection", source, collection))
        source.unlink()
    indexing(collection, work)
    answering(collection, work, rounds)
    opening(collection, work)


def indexing(collection: Path, work: Path) -> None:
    """The index in one process and in two, beside tantivy's."""
    heading("Indexing")
    articles = run(step("tantivy", collection, work / "tantivy-articles", "articles"))
    elements = run(step("tantivy", collection, work / "tantivy-elements", "elements"))
    one = run(step("index", collection, work / "one", "1"))
    two = run(step("index", collection, work / "two", "2"))
    line("words", f"{printed(one, 'words'):,}")
    line("elements", f"{printed(one, 'elements'):,}")
    line("bytes a word", f"{printed(one, 'bytes') / printed(one, 'words'):.2f}", "≤ 6.5")
    line("tantivy, articles", f"{printed(articles, 'cpu'):.1f} s")
    line("tantivy, elements", f"{printed(elements, 'cpu'):.1f} s")
    line("one process", f"{printed(one, 'cpu'):.1f} s")
    line("one process / tantivy, articles", ratio(one, articles), "≤ 1.25")
    line("two processes / tantivy, articles", ratio(two, articles), "≤ 1.6")
    line("own memory, the writer of two processes", f"{printed(two, 'memory') / 1e6:,.0f} MB")
    line("own memory, a reader of two processes", f"{printed(two, 'child') / 1e6:,.0f} MB")


def answering(collection: Path, work: Path, rounds: int) -> None:
    """Queries over all elements, beside tantivy's over articles and over elements."""
    heading(f"{QUERIES} queries of 2 to 5 words, the best {MOST:,}, warm")
    ours = run(step("queries", collection, work / "one", str(rounds)))
    articles = run(step("tantivy_queries", work / "tantivy-articles", str(rounds)))
    elements = run(step("tantivy_queries", work / "tantivy-elements", str(rounds)))
    line("documents with a word, median and mean", f"{printed(ours, 'df')}")
    for name, what in NAMES.items():
        line(what, f"{1000 * printed(ours, name):.1f} ms")
    line("tantivy, articles", f"{1000 * printed(articles, 'cpu'):.2f} ms")
    line("tantivy, elements", f"{1000 * printed(elements, 'cpu'):.2f} ms")
    best = printed(ours, "thorough")
    line("all elements / tantivy, articles", f"{best / printed(articles, 'cpu'):.1f}", "≤ 45")
    line("all elements / tantivy, elements", f"{best / printed(elements, 'cpu'):.1f}", "≤ 15")
    strict = printed(ours, "strict") / printed(ours, "vague")
    line("strict NEXI of three abouts / its vague reading", f"{strict:.2f}", "≤ 2")
    for name, what in (("feedback", "with feedback=10"), ("fields", "with headings=3")):
        line(f"thorough, {what} / without", f"{printed(ours, name) / best:.1f}")


def opening(collection: Path, work: Path) -> None:
    """Opening an index whose collection is open."""
    heading("Opening")
    times = [printed(run(step("open", collection, work / "one")), "cpu") for _ in range(5)]
    line("opening the index", f"{1000 * statistics.median(times):.1f} ms", "≤ 20 ms")


NAMES = {
    "thorough": "thorough, lm, without spelling paths",
    "spelt": "thorough, lm, as results with paths",
    "focused": "focused, lm, as results with paths",
    "bm25": "relevant in context, bm25, as results with paths",
    "strict": "strict NEXI of three abouts",
    "vague": "vague NEXI of three abouts",
    "feedback": "thorough, lm with feedback=10, without spelling paths",
    "fields": "thorough, lm with headings=3, without spelling paths",
}


def ratio(one: Run, other: Run) -> str:
    """The ratio of two processor times."""
    return f"{printed(one, 'cpu') / printed(other, 'cpu'):.2f}"


def queries() -> list[list[str]]:
    """Words of queries: neither the most frequent nor the rarest."""
    chance = random.Random(7)
    low, high = _FREQUENT**0.5, _RARE**0.5
    return [
        [word(int(chance.uniform(low, high) ** 2)) for _ in range(chance.randint(2, 5))]
        for _ in range(QUERIES)
    ]


# Steps, each in a process of its own


def make_collection(source: str, out: str) -> dict[str, Any]:
    """The articles as a collection."""
    from doxeval import BuildOptions, build_collection
    from doxeval.documents import IdRule

    options = BuildOptions(record="article", id_rule=IdRule.parse("/article/@id"))
    return {"documents": build_collection(source, out, options, jobs=2).documents}


def make_index(collection: str, out: str, jobs: str) -> dict[str, Any]:
    """Doxeval's index."""
    from doxeval.retrieve import build_index

    with highest_memory() as memory:
        started = cpu()
        report = build_index(collection, out, jobs=int(jobs), force=True)
        seconds = cpu() - started
    sizes = {"words": report.words, "elements": report.elements, "bytes": report.bytes}
    return {"cpu": seconds, **sizes, "memory": memory["self"], "child": memory["child"]}


def make_tantivy(collection: str, out: str, unit: str) -> dict[str, Any]:
    """Tantivy's index, of articles or of elements."""
    import tantivy

    from doxeval import Collection

    shutil.rmtree(out, ignore_errors=True)
    Path(out).mkdir()
    opened = Collection(collection)
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="en_stem", index_option="position")
    builder.add_unsigned_field("id", stored=True)
    index = tantivy.Index(builder.build(), path=out)
    started = cpu()
    writer = index.writer(heap_size=500_000_000, num_threads=1)
    nodes, rows = opened.nodes, opened.rows
    for document in range(len(opened)):
        text = opened.text_of(document)
        first, after = int(rows[document]), int(rows[document + 1])
        after = first + 1 if unit == "articles" else after
        edges = zip(nodes.start[first:after].tolist(), nodes.end[first:after].tolist(), strict=True)
        for row, (start, end) in enumerate(edges, first):
            entry = tantivy.Document()
            entry.add_text("text", text[start:end])
            entry.add_unsigned("id", row)
            writer.add_document(entry)
    writer.commit()
    writer.wait_merging_threads()
    return {"cpu": cpu() - started}


def answer_queries(collection: str, directory: str, rounds: str) -> dict[str, Any]:
    """Doxeval's answers: seconds a query."""
    from doxeval import Collection
    from doxeval.retrieve import (
        Index,
        QueryScorer,
        Searcher,
        SearchOptions,
        parse_keywords,
        rank_by_task,
    )
    from doxeval.topics import parse_structured

    index = Index(directory, Collection(collection))
    asked = [parse_keywords(" ".join(words)) for words in queries()]
    structured = [parse_structured(_nexi(words)) for words in queries()]

    def ranked(searcher: Searcher, terms: Any) -> None:
        for _, _, scored in QueryScorer(searcher, searcher.occurrences(terms)).scored_blocks():
            rank_by_task(scored, searcher.options)

    def seconds(
        task: str,
        asked: list[Any],
        answer: Callable[[Searcher, Any], object],
        model: str | None = None,
    ) -> float:
        searcher = Searcher(index, SearchOptions(task=task, model=model, max_results=MOST))
        for question in asked:
            answer(searcher, question)
        started = cpu()
        for _ in range(int(rounds)):
            for question in asked:
                answer(searcher, question)
        return (cpu() - started) / int(rounds) / len(asked)

    df = [index.count_documents(index.positions(one)) for words in queries() for one in words]
    return {
        "df": f"{statistics.median(df):,.0f}, {statistics.mean(df):,.0f}",
        "thorough": seconds("thorough", asked, ranked),
        "spelt": seconds("thorough", asked, Searcher.answer),
        "focused": seconds("focused", asked, Searcher.answer),
        "bm25": seconds("relevant-in-context", asked, Searcher.answer),
        "strict": seconds("sscas", structured, Searcher.answer),
        "vague": seconds("vvcas", structured, Searcher.answer),
        "feedback": seconds("thorough", asked, ranked, "lm(prior=1,feedback=10)"),
        "fields": seconds("thorough", asked, ranked, "lm(prior=1,headings=3)"),
    }


def _nexi(words: list[str]) -> str:
    """A structured query with three abouts."""
    first, second, rest = words[0], words[1], " ".join(words)
    return f"//article[about(., {first}) and about(.//st, {second})]//sec[about(., {rest})]"


def answer_tantivy(directory: str, rounds: str) -> dict[str, Any]:
    """Tantivy's answers: seconds a query."""
    import tantivy

    index = tantivy.Index.open(directory)
    index.reload()
    searcher = index.searcher()
    asked = [index.parse_query(" ".join(words), ["text"]) for words in queries()]
    for query in asked:
        searcher.search(query, MOST)
    started = cpu()
    for _ in range(10 * int(rounds)):
        for query in asked:
            searcher.search(query, MOST)
    return {"cpu": (cpu() - started) / 10 / int(rounds) / len(asked)}


def open_index(collection: str, directory: str) -> dict[str, Any]:
    """Opening an index."""
    from doxeval import Collection
    from doxeval.retrieve import Index

    opened = Collection(collection)
    started = cpu()
    Index(directory, opened)
    return {"cpu": cpu() - started}


def cpu() -> float:
    """Processor time of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@contextmanager
def highest_memory() -> Iterator[dict[str, int]]:
    """The most memory of this process and of a child that is not a mapped file, in bytes."""
    found = {"self": 0, "child": 0}
    is_done = threading.Event()

    def look() -> None:
        while not is_done.wait(0.1):
            found["self"] = max(found["self"], own_memory(os.getpid()))
            for child in children_of(os.getpid()):
                found["child"] = max(found["child"], own_memory(child))

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield found
    finally:
        is_done.set()
        watcher.join()


def own_memory(process: int) -> int:
    """The memory of a process that is not a mapped file; 0 if it has ended, or not on Linux."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(one.split()[1]) * 1024 for one in lines if one.startswith("RssAnon")), 0)


def children_of(process: int) -> list[int]:
    """The processes that a process has started."""
    try:
        return [
            int(child)
            for task in Path(f"/proc/{process}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:
        return []


STEPS: dict[str, Callable[..., dict[str, Any]]] = {
    "collection": make_collection,
    "index": make_index,
    "tantivy": make_tantivy,
    "queries": answer_queries,
    "tantivy_queries": answer_tantivy,
    "open": open_index,
}


if __name__ == "__main__":
    steps_or_all("search", __doc__, STEPS, benchmark)
