"""How fast runs are scored, against programs that score documents.

    python benchmarks/evaluate.py                        text runs, growth, a collection of 20,000
    python benchmarks/evaluate.py --documents 659388     the collection as large as INEX 2006
    python benchmarks/evaluate.py --large                5,000 topics, 50 million results (6 GB)
    python benchmarks/evaluate.py --trec-eval ./trec_eval --inex-eval 'java -jar inex_eval.jar -f'

Ten runs of 114 topics × 1500 passages are scored with the focused measures of INEX 2010; other
programs score documents (AP, nDCG@10, P@10, R@1000) on the six-column form of the same runs, and
so does doxeval with --compat trec_eval-9.0.8, which is also tried with all of trec_eval's measures.
Everything is a process of its own, start-up included, interleaved. Bytecode is compiled first, as
an installed package has it. `--inex-eval` is called with the assessments and a run behind it.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import runner
from others import MEASURES, PROGRAMS, command, once_for_each, trec_eval
from runner import heading, interleaved, line, median, options_of, python, workplace
from worlds import World

_step = partial(runner.step, __file__)
TOPICS, RESULTS, RUNS = 114, 1500, 10
FOCUSED = ("iP[0]", "iP[.01]", "iP[.05]", "iP[.1]", "MAiP", "cP@10", "cR@1500")
JUDGED = 90
LARGE = 5000
# How long doxeval may take, as a share of what other programs take; on whole documents, with the
# measures of trec_eval.
BARS = {"pytrec_eval": 0.35, "trec_eval": 0.45, "inex_eval": 0.25}
DOCUMENT_BARS = {"pytrec_eval": 0.8, "trec_eval": 1.0}
ALL_BAR = 1.5
IMPORT = "import time; t = time.perf_counter(); import doxeval; print(time.perf_counter() - t)"


def main() -> None:
    """All parts, in one run."""
    parser = options_of(__doc__, rounds=7)
    parser.add_argument("--documents", type=int, default=20_000, help="documents of the collection")
    parser.add_argument("--collection", help="a collection that is there already")
    parser.add_argument("--large", action="store_true", help="only very many topics")
    parser.add_argument("--trec-eval", metavar="PROGRAM", help="trec_eval, compiled with -O3")
    parser.add_argument("--inex-eval", metavar="COMMAND", help="how inex_eval is called")
    options = parser.parse_args()
    if options.step:
        STEPS[options.step[0]](*options.step[1:])
        return
    with workplace(f"scoring runs, {options.rounds} rounds") as work:
        if options.large:
            large(work, options.rounds)
            return
        text_runs(work, options.rounds, options)
        growth(work, options.rounds)
        elements(work, options.documents, options.collection, min(options.rounds, 3))


# Text runs


def text_runs(work: Path, rounds: int, options: argparse.Namespace) -> None:
    """Ten runs and one run against programs for documents, and one small evaluation."""
    ten = World(work / "ten", TOPICS, RESULTS, RUNS).write()
    small = World(work / "small", 3, 100, 1).write()
    one_run = ten.document_runs()[:1]
    commands = {
        **{n: command(n, ten.documents, ten.document_runs()) for n in PROGRAMS},
        **other_programs(ten, options),
        "doxeval": scored(ten),
        "doxeval --jobs 1": scored(ten, "--jobs", "1"),
        "--compat trec_eval-9.0.8": as_trec_eval(ten, *MEASURES),
        "--compat, all_trec": as_trec_eval(ten, "all_trec"),
        "one run by pytrec_eval": command("pytrec_eval", ten.documents, one_run),
        "one run by doxeval": scored(replace(ten, runs=1)),
        "one small run": scored(small),
        "import": python("-c", IMPORT),
    }
    results = interleaved(commands, rounds)
    seconds = {name: median(runs, lambda one: one.wall) for name, runs in results.items()}
    heading(f"{RUNS} runs of {TOPICS} topics × {RESULTS} results")
    floor = seconds["pytrec_eval"]
    for name in [*PROGRAMS, *other_programs(ten, options), "doxeval", "doxeval --jobs 1"]:
        cpu = median(results[name], lambda one: one.cpu)
        shown = f"{seconds[name]:.2f} s  ({seconds[name] / floor:.2f})"
        line(name, shown, f"{cpu:.2f} s of processors")
    for name, bar in BARS.items():
        if name in seconds:
            line(f"doxeval / {name}", f"{seconds['doxeval'] / seconds[name]:.2f}", f"bar: {bar}")
        else:
            line(f"doxeval / {name}", "not measured", "the program is not given")
    documents(seconds)
    one, other = seconds["one run by doxeval"], seconds["one run by pytrec_eval"]
    line("one run: doxeval / pytrec_eval", f"{one:.2f} s  ({one / other:.2f})", "bar: 1.0")
    line("one small run, 3 topics, cold", f"{seconds['one small run']:.2f} s", "bar: 0.5 s")
    loading = median(results["import"], lambda one: float(one.output))
    line("import doxeval", f"{loading:.3f} s", "bar: 0.05 s")


def documents(seconds: dict[str, float]) -> None:
    """The same runs as whole documents: --compat trec_eval-9.0.8 against what it stands in for."""
    compat, everything = seconds["--compat trec_eval-9.0.8"], seconds["--compat, all_trec"]
    line("--compat trec_eval-9.0.8", f"{compat:.2f} s", f"all_trec: {everything:.2f} s")
    for name, bar in DOCUMENT_BARS.items():
        share = f"{compat / seconds[name]:.2f}" if name in seconds else "not measured"
        line(f"--compat / {name}", share, f"bar: {bar}")
    name = "trec_eval, all_trec"
    share = f"{everything / seconds[name]:.2f}" if name in seconds else "not measured"
    line(f"--compat / {name}", share, f"bar: {ALL_BAR}")


def as_trec_eval(world: World, *measures: str) -> list[str]:
    """The command that prints what trec_eval prints for all runs of documents."""
    requested = [word for name in measures for word in ("-m", name)]
    compat = ("--compat", "trec_eval-9.0.8", "-a", world.documents)
    return python("-m", "doxeval", "evaluate", *world.document_runs(), *compat, *requested)


def other_programs(world: World, options: argparse.Namespace) -> dict[str, list[str]]:
    """trec_eval and inex_eval, where they are given."""
    found = {}
    if options.trec_eval:
        found["trec_eval"] = once_for_each(
            trec_eval(options.trec_eval), world.documents, world.document_runs()
        )
        found["trec_eval, all_trec"] = once_for_each(
            trec_eval(options.trec_eval, "all_trec"), world.documents, world.document_runs()
        )
    if options.inex_eval:
        found["inex_eval"] = once_for_each(
            options.inex_eval.split(), world.passages, world.passage_runs()
        )
    return found


def scored(world: World, *more: str) -> list[str]:
    """The command that scores all runs of passages."""
    measures = [word for name in FOCUSED for word in ("-m", name)]
    assessments = ("-a", world.passages)
    return python(
        "-m", "doxeval", "evaluate", *world.passage_runs(), *assessments, *measures, *more
    )


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
    commands = {name: _step("score", world.write().work) for name, world in sizes.items()}
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


def large(work: Path, rounds: int) -> None:
    """Very many topics: 500,000 judgments, ten runs of five million results; and half of it."""
    halves = World(work / "half", LARGE // 2, 1000, RUNS, judged=100).write()
    whole = World(work / "whole", LARGE, 1000, RUNS, judged=100).write()
    results = interleaved(
        {
            "pytrec_eval": command("pytrec_eval", whole.documents, whole.document_runs()),
            "doxeval, half the topics": scored(halves),
            "doxeval": scored(whole),
        },
        rounds,
    )
    seconds = {name: median(runs, lambda one: one.wall) for name, runs in results.items()}
    heading(f"{RUNS} runs of {LARGE:,} topics × 1,000 results, {LARGE * 100:,} judgments")
    for name, value in seconds.items():
        cpu = median(results[name], lambda one: one.cpu)
        line(name, f"{value:.1f} s", f"{cpu:.1f} s of processors")
    line("doxeval / pytrec_eval", f"{seconds['doxeval'] / seconds['pytrec_eval']:.2f}", "bar: 0.5")
    rise = seconds["doxeval"] / seconds["doxeval, half the topics"]
    line("twice the topics", f"{rise:.2f}", "bar: 2.1")


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
    "score": score,
    "elements": score_elements,
}

if __name__ == "__main__":
    main()
