"""How fast runs of chunks are read and scored.

    python benchmarks/chunks.py [--rounds 9]

472 questions with 790 relevant passages in five documents, as many as the corpora of
chunking_evaluation have; 200 chunks are returned for each question. Recall, precision and
intersection over union are computed by doxeval, from arrays, and by the arithmetic of
chunking_evaluation: by the package itself if it is installed, or else by the same steps written
down here. `scripts/compare_speed.py` compares two versions.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from doxeval import Assessments, Evaluation, Judgment, Run, read_run
from runner import heading, line, machine

QUESTIONS, PASSAGES, RESULTS = 472, 790, 200
DOCUMENTS, CHARACTERS, SIZE, STEP = 5, 290_000, 800, 500
Range = tuple[int, int]
Scores = dict[str, float]


class World:
    """Questions with their passages, and the chunks that are returned for each."""

    def __init__(self) -> None:
        chance = np.random.default_rng(7)
        self.home = chance.integers(0, DOCUMENTS, QUESTIONS)
        self.passages: list[list[Range]] = [[] for _ in range(QUESTIONS)]
        for number in range(PASSAGES):
            # Passages of a question are apart from each other.
            place = (number // QUESTIONS) * 100_000 + int(chance.integers(0, 90_000))
            own = (place, place + int(chance.integers(50, 400)))
            self.passages[number % QUESTIONS].append(own)
        self.topic = np.repeat(np.arange(QUESTIONS), RESULTS)
        is_home = chance.random(len(self.topic)) < 0.6
        other = chance.integers(0, DOCUMENTS, len(self.topic))
        self.document = np.where(is_home, self.home[self.topic], other)
        chunks = np.stack(
            [chance.permutation((CHARACTERS - SIZE) // STEP)[:RESULTS] for _ in self.passages]
        )
        self.start = chunks.reshape(-1) * STEP
        self.end = self.start + SIZE
        self.topic_ids = [f"q{number}" for number in self.topic.tolist()]
        self.document_ids = [f"d{number}" for number in self.document.tolist()]

    def assessments(self) -> Assessments:
        """The passages as doxeval has them."""
        return Assessments(
            Judgment(f"q{number}", f"d{self.home[number]}", tuple(own), document_length=CHARACTERS)
            for number, own in enumerate(self.passages)
        )

    def run(self) -> Run:
        """The chunks as a run."""
        return Run.from_arrays(self.topic_ids, self.document_ids, start=self.start, end=self.end)

    def retrieved(self) -> list[list[dict[str, Any]]]:
        """The chunks as chunking_evaluation has them."""
        rows = zip(self.document.tolist(), self.start.tolist(), self.end.tolist(), strict=True)
        flat = [
            {"corpus_id": f"d{document}", "start_index": start, "end_index": end}
            for document, start, end in rows
        ]
        return [flat[at : at + RESULTS] for at in range(0, len(flat), RESULTS)]

    def questions(self) -> Any:
        """The questions as chunking_evaluation has them: a data frame."""
        import pandas

        references = [
            [{"content": "", "start_index": start, "end_index": end} for start, end in own]
            for own in self.passages
        ]
        return pandas.DataFrame(
            {
                "question": [f"q{number}" for number in range(QUESTIONS)],
                "references": references,
                "corpus_id": [f"d{number}" for number in self.home.tolist()],
            }
        )


# The arithmetic of chunking_evaluation: ranges as lists of pairs, one chunk after the other.


def _length(ranges: Sequence[Range]) -> int:
    return sum(end - start for start, end in ranges)


def _union(ranges: Sequence[Range]) -> list[Range]:
    found: list[Range] = []
    for start, end in sorted(ranges, key=lambda one: one[0]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _without(ranges: Sequence[Range], taken: Range) -> list[Range]:
    found: list[Range] = []
    for start, end in ranges:
        if end < taken[0] or start > taken[1]:
            found.append((start, end))
            continue
        if start < taken[0]:
            found.append((start, taken[0]))
        if end > taken[1]:
            found.append((taken[1], end))
    return found


def by_the_same_steps(questions: Any, retrieved: Sequence[Sequence[dict[str, Any]]]) -> Scores:
    """Recall, precision and overlap as chunking_evaluation defines them."""
    recall, precision, overlap = [], [], []
    for (_, row), chunks in zip(questions.iterrows(), retrieved, strict=True):
        references = row["references"]
        shown: list[Range] = []
        touched: list[Range] = []
        missed = [(one["start_index"], one["end_index"]) for one in references]
        for chunk in chunks:
            start, end = chunk["start_index"], chunk["end_index"]
            if chunk["corpus_id"] != row["corpus_id"]:
                continue
            for one in references:
                low, high = max(start, int(one["start_index"])), min(end, int(one["end_index"]))
                if low <= high:
                    missed = _without(missed, (low, high))
                    shown = _union([(low, high), *shown])
                    touched = _union([(start, end), *touched])
        relevant = _length([(one["start_index"], one["end_index"]) for one in references])
        read = _length([(one["start_index"], one["end_index"]) for one in chunks])
        recall.append(_length(shown) / relevant)
        precision.append(_length(shown) / read)
        overlap.append(_length(shown) / (read + _length(missed)))
    means = (statistics.fmean(values) for values in (recall, precision, overlap))
    return dict(zip(("cR", "cP", "IoU"), means, strict=True))


def peer() -> tuple[str, Callable[[Any, Any], Scores]]:
    """The package if it is installed, or else the same steps."""
    try:
        package = importlib.import_module(
            "chunking_evaluation.evaluation_framework.base_evaluation"
        )
    except ImportError:
        return "chunking_evaluation's steps", by_the_same_steps

    def by_the_package(questions: Any, retrieved: Any) -> Scores:
        evaluation = object.__new__(package.BaseEvaluation)
        evaluation.questions_df = questions
        scores = evaluation._scores_from_dataset_and_retrievals(retrieved, [RESULTS] * QUESTIONS)
        overlap, recall, precision = map(statistics.fmean, scores)
        return {"cR": recall, "cP": precision, "IoU": overlap}

    return "chunking_evaluation", by_the_package


def timed(ways: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The median seconds of the processor for each way, all of them in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            start = time.process_time()
            way()
            seconds[name].append(time.process_time() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def scoring(world: World, rounds: int) -> None:
    """Recall, precision and overlap, side by side."""
    heading(f"R, P and IoU of {QUESTIONS} × {RESULTS} results ({machine()})")
    name, theirs = peer()
    questions, retrieved = world.questions(), world.retrieved()
    evaluation = Evaluation(
        world.assessments(), [f"{one}@{RESULTS}" for one in ("cR", "cP", "IoU")]
    )

    def ours() -> Scores:
        means = evaluation.score_all(world.run()).mean()["run"]
        return {label.partition("@")[0]: value or 0.0 for label, value in means.items()}

    expected, found = theirs(questions, retrieved), ours()
    for measure, value in expected.items():
        if abs(found[measure] - value) > 1e-9:
            raise SystemExit(f"{measure} is {found[measure]} here and {value} there")
    seconds = timed({name: lambda: theirs(questions, retrieved), "doxeval": ours}, rounds)
    for way, value in seconds.items():
        line(way, f"{value * 1000:.0f} ms")
    line("ratio", f"{seconds['doxeval'] / seconds[name]:.2f}", "≤ 0.3")


def reading(world: World, rounds: int, work: Path) -> None:
    """Runs of chunks from JSONL: by start and end, by several ranges, by the ids of chunks."""
    from doxeval.runs import read_chunks

    heading(f"JSONL of {QUESTIONS * RESULTS:,} results")
    files = {name: work / f"{name}.jsonl" for name in ("start and end", "spans", "ids of chunks")}
    chunks = work / "chunks.jsonl"
    rows = list(
        zip(*(one.tolist() for one in (world.topic, world.document, world.start)), strict=True)
    )
    ids = {(document, start): f"c{document}-{start}" for _, document, start in rows}
    with chunks.open("w") as file:
        for (document, start), name in ids.items():
            record = {"id": name, "doc": f"d{document}", "start": start, "end": start + SIZE}
            print(json.dumps(record), file=file)
    for name, path in files.items():
        with path.open("w") as file:
            for row, (topic, document, start) in enumerate(rows):
                place: dict[str, Any] = {"doc": f"d{document}", "start": start, "end": start + SIZE}
                if name == "spans":
                    apart = [[start, start + SIZE - 300], [start + SIZE - 200, start + SIZE]]
                    place = {"doc": f"d{document}", "spans": apart}
                elif name == "ids of chunks":
                    place = {"chunk": ids[document, start]}
                print(json.dumps({"topic": f"q{topic}", **place, "score": -row}), file=file)
    table = read_chunks(chunks)
    ways: dict[str, Callable[[], Any]] = {
        name: lambda path=path: read_run(path, chunks=table)  # type: ignore[misc]
        for name, path in files.items()
    }
    for way, value in timed(ways, rounds).items():
        line(way, f"{value:.2f} s", "≤ 0.25 s")


def main() -> None:
    """All of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    world = World()
    with tempfile.TemporaryDirectory(prefix="doxeval-benchmark-") as work:
        scoring(world, options.rounds)
        reading(world, options.rounds, Path(work))


if __name__ == "__main__":
    main()
