"""How fast runs are scored, against programs that score documents.

    python benchmarks/evaluate.py                        text runs, growth, a collection of 20,000
    python benchmarks/evaluate.py --documents 659388     the collection as large as INEX 2006

Ten runs of 114 topics × 1500 passages are scored with the focused measures of INEX 2010;
pytrec_eval, ir_measures and ranx score documents (AP, nDCG@10, P@10, R@1000) on the six-column
form of the same runs. Everything is a process of its own, start-up included, interleaved.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from runner import heading, interleaved, line, machine, median, python

TOPICS, RESULTS, RUNS = 114, 1500, 10
FOCUSED = ("iP[0]", "iP[.01]", "iP[.05]", "iP[.1]", "MAiP", "cP@10", "cR@1500")
JUDGED, LENGTH = 90, 9000


def main() -> None:
    """All parts, in one run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each (default: 7)")
    parser.add_argument("--documents", type=int, default=20_000, help="documents of the collection")
    parser.add_argument("--collection", help="a collection that is there already")
    parser.add_argument("--step", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        STEPS[options.step[0]](*options.step[1:])
        return
    print(f"scoring runs, {options.rounds} rounds; {machine()}")
    with tempfile.TemporaryDirectory(prefix="doxeval-benchmark-") as work:
        text_runs(Path(work), options.rounds)
        growth(Path(work), options.rounds)
        elements(Path(work), options.documents, options.collection, min(options.rounds, 3))


# Text runs


def text_runs(work: Path, rounds: int) -> None:
    """Ten runs against programs for documents, and one small evaluation."""
    ten = World(work / "ten", TOPICS, RESULTS, RUNS)
    small = World(work / "small", 3, 100, 1)
    results = interleaved(
        {
            "pytrec_eval": _step("pytrec_eval", ten.work),
            "ir_measures": _step("ir_measures", ten.work),
            "ranx": _step("ranx", ten.work),
            "doxeval": ten.command(),
            "doxeval --jobs 1": ten.command("--jobs", "1"),
            "one small run": small.command(),
        },
        rounds,
    )
    seconds = {name: median(runs, lambda one: one.wall) for name, runs in results.items()}
    heading(f"{RUNS} runs of {TOPICS} topics × {RESULTS} results")
    floor = seconds["pytrec_eval"]
    for name in ("pytrec_eval", "ir_measures", "ranx", "doxeval", "doxeval --jobs 1"):
        bar = "bar: 0.5 of pytrec_eval" if name == "doxeval" else ""
        line(name, f"{seconds[name]:.2f} s  ({seconds[name] / floor:.2f})", bar)
    line("one small run, 3 topics, cold", f"{seconds['one small run']:.2f} s", "bar: 0.5 s")


class World:
    """Assessments and runs, as files in both forms."""

    def __init__(
        self, work: Path, topics: int, results: int, runs: int, *, crowded: bool = False
    ) -> None:
        self.work = work
        self._runs = runs
        work.mkdir()
        chance = random.Random(7)
        judged = {
            2009001 + topic: chance.sample(range(1000, 60_000), JUDGED) for topic in range(topics)
        }
        self._write_assessments(judged, chance)
        for run in range(runs):
            self._write_run(run, judged, results, chance, crowded)

    def command(self, *more: str) -> list[str]:
        """Score all runs by doxeval."""
        measures = [word for name in FOCUSED for word in ("-m", name)]
        runs = [str(self.work / f"{run}.passages") for run in range(self._runs)]
        assessments = ("-a", str(self.work / "passages.txt"))
        return python("-m", "doxeval", "evaluate", *runs, *assessments, *measures, *more)

    def _write_assessments(self, judged: dict[int, list[int]], chance: random.Random) -> None:
        passages = (self.work / "passages.txt").open("w")
        documents = (self.work / "documents.txt").open("w")
        with passages, documents:
            for topic, numbers in judged.items():
                for number in numbers:
                    starts = sorted(chance.sample(range(0, LENGTH - 400, 400), 3))
                    ranges = [(start, chance.randrange(50, 350)) for start in starts]
                    size = sum(length for _, length in ranges)
                    shown = " ".join(f"{start}:{length}" for start, length in ranges)
                    passages.write(f"{topic} Q0 {number} {size} {LENGTH} {starts[0]} {shown}\n")
                    documents.write(f"{topic} 0 {number} 1\n")

    def _write_run(
        self,
        run: int,
        judged: dict[int, list[int]],
        results: int,
        chance: random.Random,
        crowded: bool,
    ) -> None:
        with (
            (self.work / f"{run}.passages").open("w") as passages,
            (self.work / f"{run}.documents").open("w") as documents,
        ):
            for topic, relevant in judged.items():
                others = chance.sample(range(100_000, 2_666_190), results)
                for rank in range(1, results + 1):
                    number = others[rank - 1]
                    if crowded:
                        number = relevant[0]
                    elif rank % 20 == 0 and rank // 20 <= JUDGED:
                        number = relevant[rank // 20 - 1]
                    start, length = chance.randrange(LENGTH - 900), chance.randrange(1, 900)
                    fields = f"{topic} Q0 {number} {rank} {1 / rank:.6f} run{run}"
                    documents.write(f"{fields}\n")
                    passages.write(f"{fields} {start} {length}\n")


def _step(name: str, *arguments: object) -> list[str]:
    return python(__file__, "--step", name, *map(str, arguments))


def with_pytrec_eval(work: str) -> None:
    """Score documents by pytrec_eval."""
    import pytrec_eval

    with open(f"{work}/documents.txt") as file:
        qrels = pytrec_eval.parse_qrel(file)
    names = {"map", "ndcg_cut.10", "P.10", "recall.1000"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, names)
    for run in range(RUNS):
        with open(f"{work}/{run}.documents") as file:
            evaluator.evaluate(pytrec_eval.parse_run(file))


def with_ir_measures(work: str) -> None:
    """Score documents by ir_measures."""
    ir_measures: Any = importlib.import_module("ir_measures")
    qrels = list(ir_measures.read_trec_qrels(f"{work}/documents.txt"))
    names = [ir_measures.parse_measure(name) for name in ("AP", "nDCG@10", "P@10", "R@1000")]
    evaluator = ir_measures.evaluator(names, qrels)
    for run in range(RUNS):
        evaluator.calc_aggregate(ir_measures.read_trec_run(f"{work}/{run}.documents"))


def with_ranx(work: str) -> None:
    """Score documents by ranx."""
    import ranx

    qrels = ranx.Qrels.from_file(f"{work}/documents.txt", kind="trec")
    for run in range(RUNS):
        made = ranx.Run.from_file(f"{work}/{run}.documents", kind="trec")
        names = ["map", "ndcg@10", "precision@10", "recall@1000"]
        ranx.evaluate(qrels, made, names, make_comparable=True)


# Growth


def growth(work: Path, rounds: int) -> None:
    """Twice the topics, the results or the runs; and all results in one document."""
    sizes = {
        "once": World(work / "once", 100, 1000, 4),
        "twice the topics": World(work / "topics", 200, 1000, 4),
        "twice the results": World(work / "results", 100, 2000, 4),
        "twice the runs": World(work / "runs", 100, 1000, 8),
        "all in one document": World(work / "crowded", 100, 1000, 4, crowded=True),
    }
    commands = {name: _step("score", world.work) for name, world in sizes.items()}
    results = interleaved(commands, rounds)
    seconds = {
        name: median(runs, lambda one: float(json.loads(one.output)["seconds"]))
        for name, runs in results.items()
    }
    heading("Growth: 4 runs of 100 topics × 1000 results, start-up left out")
    for name, value in seconds.items():
        bar = "bar: 2.1" if name.startswith("twice") else ""
        line(name, f"{value * 1000:.0f} ms  ({value / seconds['once']:.2f})", bar)


def score(work: str) -> None:
    """Score all runs of a world in this process and print the time it took."""
    from doxeval import evaluate, read_assessments

    runs = sorted(str(path) for path in Path(work).glob("*.passages"))
    start = time.perf_counter()
    evaluate(runs, read_assessments(f"{work}/passages.txt"), FOCUSED)
    print(json.dumps({"seconds": time.perf_counter() - start}))


# Elements of a collection


def elements(work: Path, documents: int, collection: str | None, rounds: int) -> None:
    """A focused evaluation as in INEX 2006: element paths, gains against recall bases."""
    if collection is None:
        collection = str(work / "collection")
        build(work, documents, collection)
    write_element_world(work, collection)
    commands = {
        name: _step("elements", work, collection, *measures)
        for name, measures in ELEMENT_MEASURES.items()
    }
    results = interleaved(commands, rounds)
    found = json.loads(results["focused"][0].output)
    heading(f"INEX 2006, focused, one run of {TOPICS} × {RESULTS} paths")
    line("documents, elements", f"{found['documents']:,}, {found['elements']:,}")
    wall = median(results["focused"], lambda one: one.wall)
    line("nxCG@10, nxCG@50, MAep, cold", f"{wall:.1f} s", "bar: seconds")
    line("peak memory", f"{found['memory']:.0f} MiB", "bar: 2048 MiB")
    seconds = {
        name: median(runs, lambda one: float(json.loads(one.output)["seconds"]))
        for name, runs in results.items()
    }
    line("nxCG, without start-up", f"{seconds['nxCG']:.2f} s")
    ratio = seconds["ESR"] / seconds["nxCG"]
    line("ESRP, ESRR, SRiP2, by depth", f"{seconds['ESR']:.2f} s  ({ratio:.2f})", "bar: 3 × nxCG")


def build(work: Path, documents: int, out: str) -> None:
    """A collection of synthetic articles."""
    from doxeval import build_collection
    from synthetic import write_wikipedia

    source = work / "source"
    write_wikipedia(source, documents)
    build_collection([str(source)], out)


def write_element_world(work: Path, directory: str) -> None:
    """Highlights in some documents of a collection, and a run of paths."""
    from doxeval import Collection

    collection = Collection(directory)
    chance = random.Random(2006)
    highlights = (work / "highlights.jsonl").open("w")
    run = (work / "elements.run").open("w")
    with highlights, run:
        for topic in range(TOPICS):
            relevant = chance.sample(range(len(collection)), JUDGED)
            for document in relevant:
                name = collection.id_of(document)
                length = int(collection.nodes.end[collection.rows[document]])
                start = chance.randrange(max(length - 200, 1))
                end = min(length, start + 1 + chance.randrange(2000))
                if end > start:
                    record = {"topic": str(topic), "doc": name, "start": start, "end": end}
                    highlights.write(json.dumps(record) + "\n")
            nodes: dict[int, None] = {}
            while len(nodes) < RESULTS:
                first, last = 0, int(collection.rows[-1])
                if chance.random() < 0.2:
                    first, last = collection.rows[chance.choice(relevant) :][:2].tolist()
                nodes[chance.randrange(first, last)] = None
            for rank, node in enumerate(nodes, 1):
                element = collection.node(node)
                run.write(f"{topic} Q0 {element.document_id} {rank} {-rank} mine {element.path}\n")


ELEMENT_MEASURES = {
    "focused": ("nxCG@10", "nxCG@50", "MAep(base=ideal)", "MAep"),
    "nxCG": ("nxCG@1500",),
    "ESR": ("ESRP@1500(nav=depth)", "ESRR@1500(nav=depth)", "SRiP2@1500(nav=depth)"),
}


def score_elements(work: str, directory: str, *measures: str) -> None:
    """Score the run of paths and print how long it took, and how much memory."""
    from doxeval import Collection, evaluate, read_assessments

    collection = Collection(directory)
    assessments = read_assessments(f"{work}/highlights.jsonl", collection=collection)
    start = time.perf_counter()
    evaluate(f"{work}/elements.run", assessments, measures, collection=collection)
    found = {
        "seconds": time.perf_counter() - start,
        "documents": len(collection),
        "elements": len(collection.nodes.path),
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(found))


STEPS: dict[str, Callable[..., None]] = {
    "pytrec_eval": with_pytrec_eval,
    "ir_measures": with_ir_measures,
    "ranx": with_ranx,
    "score": score,
    "elements": score_elements,
}

if __name__ == "__main__":
    main()
