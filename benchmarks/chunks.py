"""How fast runs of chunks are read and scored, chunks located, and chunkings compared.

    python benchmarks/chunks.py [--rounds 9] [--corpora DIRECTORY] [--share .1] [--only large]

472 questions with 790 relevant passages in five documents, as many as the corpora of
chunking_evaluation have; 200 chunks are returned for each question. Recall, precision and
intersection over union are computed by doxeval, from arrays, and by the arithmetic of
chunking_evaluation: by the package itself if it is installed, or else by the same steps written
down here. `scripts/compare_speed.py` compares two versions.

DIRECTORY holds the corpora of chunking_evaluation (*.md) and its questions_df.csv; without them,
that part is skipped. The package is not on the registry and does not run with current versions of
chromadb, so what it does is written here from its published behaviour. Locating: a full stop at the
end is dropped, the first occurrence of the text is taken, else the first with any white space
between its words. Ω: for every question all chunks of its corpus are compared with every span of
gold, and the spans that are left are joined.

Growth: `doxeval chunks try` with one chunking, in a process of its own, on a quarter, a half and
all of 1,000 documents with 300 MB of text and 50 questions, then on the five corpora with 12,500,
25,000 and 50,000 questions made of their text; `--share` makes all of these smaller. Words are
found by the table and by the regular expression that says what they are.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from doxeval import Assessments, Evaluation, Judgment, Run, chunks, read_run
from doxeval.chunks import omegas
from doxeval.locating import locate_chunks
from doxeval.measures import GroundTruth, Texts
from inputs import write_library, write_questions
from runner import compiled, heading, line, machine, medians, python

QUESTIONS, PASSAGES, RESULTS = 472, 790, 200
DOCUMENTS, CHARACTERS, SIZE, STEP = 5, 290_000, 800, 500
CORPORA = Path(__file__).resolve().parents[2] / "shared" / "conformance" / "chunking_evaluation"
# Chunkings, with the most of the other program's time that locating their chunks may take.
LOCATED = {"recursive:800:0": 0.15, "recursive:800:400": 0.7, "recursive:100:20": 0.5}
COMPARED = (
    "recursive:800:0", "recursive:800:400", "words:100:0", "words:200:50", "sentences:1:0",
    "sentences:5:1", "paragraphs",
)  # fmt: skip
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
    for (_, row), returned in zip(questions.iterrows(), retrieved, strict=True):
        references = row["references"]
        shown: list[Range] = []
        touched: list[Range] = []
        missed = [(place["start_index"], place["end_index"]) for place in references]
        for chunk in returned:
            start, end = chunk["start_index"], chunk["end_index"]
            if chunk["corpus_id"] != row["corpus_id"]:
                continue
            for place in references:
                low, high = max(start, int(place["start_index"])), min(end, int(place["end_index"]))
                if low <= high:
                    missed = _without(missed, (low, high))
                    shown = _union([(low, high), *shown])
                    touched = _union([(start, end), *touched])
        relevant = _length([(place["start_index"], place["end_index"]) for place in references])
        read = _length([(place["start_index"], place["end_index"]) for place in returned])
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
    seconds = medians({name: lambda: theirs(questions, retrieved), "doxeval": ours}, rounds)
    for way, value in seconds.items():
        line(way, f"{value * 1000:.0f} ms")
    line("ratio", f"{seconds['doxeval'] / seconds[name]:.2f}", "≤ 0.3")


def reading(world: World, rounds: int, work: Path) -> None:
    """Runs of chunks from JSONL: by start and end, by several ranges, by the ids of chunks."""
    from doxeval.runs import read_chunks

    heading(f"JSONL of {QUESTIONS * RESULTS:,} results")
    files = {name: work / f"{name}.jsonl" for name in ("start and end", "spans", "ids of chunks")}
    chunk_file = work / "chunks.jsonl"
    rows = list(
        zip(*(one.tolist() for one in (world.topic, world.document, world.start)), strict=True)
    )
    ids = {(document, start): f"c{document}-{start}" for _, document, start in rows}
    with chunk_file.open("w") as file:
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
    table = read_chunks(chunk_file)
    ways: dict[str, Callable[[], Any]] = {
        name: lambda path=path: read_run(path, chunks=table)  # type: ignore[misc]
        for name, path in files.items()
    }
    for way, value in medians(ways, rounds).items():
        line(way, f"{value:.2f} s", "≤ 0.25 s")


def locating(docs: chunks.Documents, rounds: int) -> None:
    """Chunks located in documents, beside the search of chunking_evaluation."""
    heading(f"Locating chunks of {sum(map(len, docs.values())):,} characters")
    for by, bar in LOCATED.items():
        split = chunks.split(docs, by)
        work = {document: (text, list[str]()) for document, text in docs.items()}
        for row, number in enumerate(split.document.tolist()):
            work[split.documents[number]][1].append(split.text(row))

        def ours(work: dict[str, tuple[str, list[str]]] = work) -> None:
            for text, given in work.values():
                locate_chunks(text, given)

        def theirs(work: dict[str, tuple[str, list[str]]] = work) -> None:
            for text, given in work.values():
                for chunk in given:
                    first_occurrence(text, chunk)

        side_by_side(f"{by}: {len(split):,} chunks", ours, theirs, rounds, bar)


def first_occurrence(document: str, chunk: str) -> Range | None:
    """The span that chunking_evaluation takes, as far as its search by exact text goes."""
    text = chunk.removesuffix(".")
    if text in document:
        start = document.find(text)
        return start, start + len(text)
    words = r"\s*".join(map(re.escape, text.split()))
    match = re.search(words, document, re.IGNORECASE)
    return match and match.span()


def omega(docs: chunks.Documents, questions: Path, rounds: int) -> None:
    """Ω of all questions, from the judgments on, beside the loop of chunking_evaluation."""
    with warnings.catch_warnings(action="ignore"):  # quotes that occur more than once
        gold = chunks.questions(questions, docs, "place")
    heading(f"Ω of {len(gold):,} questions")
    for by in ("recursive:800:0", "recursive:100:20"):
        split = chunks.split(docs, by)

        def ours(split: chunks.Chunks = split) -> object:
            return omegas(split.table, GroundTruth.of(gold.assessments))

        def theirs(split: chunks.Chunks = split) -> object:
            return omega_by_loops(split, gold)

        side_by_side(f"{by}: {len(split):,} chunks", ours, theirs, rounds, 0.1)


def omega_by_loops(split: chunks.Chunks, gold: chunks.Questions) -> list[float]:
    """Ω as chunking_evaluation computes it; chunks that merely touch gold count there."""
    spans: dict[str, list[Range]] = {}
    for number, of_chunk in zip(split.document.tolist(), split.spans.as_tuples(), strict=True):
        spans.setdefault(split.documents[number], []).extend(of_chunk)
    values = []
    for question in gold:
        needed = [place for need in question.needs for place in need.spans[:1]]
        if not needed:
            continue
        read: list[Range] = []
        shown: list[Range] = []
        for start, end in spans[needed[0].document]:
            for place in needed:
                low, high = max(start, place.start), min(end, place.end)
                if low <= high:
                    read = joined([(start, end), *read])
                    shown = joined([(low, high), *shown])
        size = sum(end - start for start, end in shown)
        both = joined([*read, *((place.start, place.end) for place in needed)])
        values.append(size / sum(end - start for start, end in both))
    return values


def joined(ranges: list[Range]) -> list[Range]:
    """Ranges joined where they overlap."""
    result: list[Range] = []
    for start, end in sorted(ranges):
        if result and start <= result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((start, end))
    return result


def side_by_side(
    name: str, ours: Callable[[], object], theirs: Callable[[], object], rounds: int, bar: float
) -> None:
    """Print the seconds of both, and their ratio."""
    seconds = medians({"ours": ours, "theirs": theirs}, rounds)
    line(name, f"{seconds['ours']:.3f} s")
    line("  chunking_evaluation", f"{seconds['theirs']:.3f} s")
    line("  ratio", f"{seconds['ours'] / seconds['theirs']:.3f}", f"≤ {bar}")


WORD = re.compile(r"\w+|[^\w\s]")
DOCUMENTS_OF_LIBRARY, QUESTIONS_OF_CORPORA = 1000, 50_000
CHUNKING = "words:200:0"


def finding_words(docs: chunks.Documents, rounds: int) -> None:
    """Where words begin, by the table and by the regular expression."""
    heading("Words of the corpora")
    for name, text in docs.items():
        expected = [match.start() for match in WORD.finditer(text)]
        if Texts({name: text}).starts(name, "words").all().tolist() != expected:
            raise SystemExit(f"the words of {name} are not those of the regular expression")

    def by_table() -> None:
        texts = Texts(docs)
        for name in docs:
            texts.starts(name, "words")

    def by_expression() -> None:
        for text in docs.values():
            np.array([match.start() for match in WORD.finditer(text)])

    seconds = medians({"table": by_table, "expression": by_expression}, rounds)
    for way, value in seconds.items():
        line(f"by the {way}", f"{value * 1000:.0f} ms")
    line("ratio", f"{seconds['table'] / seconds['expression']:.3f}", "≤ 0.1")


def growing(corpora: Path, share: float, work: Path) -> None:
    """A study of one chunking on more and more text, and of more and more questions."""
    full = max(int(DOCUMENTS_OF_LIBRARY * share), 4)
    heading(f"{CHUNKING} compared, up to {full:,} documents of 300,000 characters, 50 questions")
    before = 0.0
    for count in (full // 4, full // 2, full):
        library = work / f"library-{count}"
        write_library(library, count, 50)
        size = sum(path.stat().st_size for path in (library / "docs").iterdir()) / 1e6
        taken = study_of(library / "docs", library / "questions.jsonl")
        shutil.rmtree(library)
        before = show_growth(f"{count:,} documents, {size:.0f} MB", taken, before, (60, 1500))
    if not corpora.exists():
        return
    full = max(int(QUESTIONS_OF_CORPORA * share), 4)
    heading(f"{CHUNKING} compared on the corpora, up to {full:,} questions")
    before = 0.0
    for count in (full // 4, full // 2, full):
        questions = work / f"{count}.jsonl"
        write_questions(questions, corpora, count)
        before = show_growth(f"{count:,} questions", study_of(corpora, questions), before, (40, 0))


def study_of(
    docs: Path, questions: Path, options: Sequence[str] = ("--by", CHUNKING)
) -> tuple[float, float]:
    """The seconds of processors and the peak MiB of `doxeval chunks try`."""
    command = python("-m", "doxeval", "chunks", "try", str(docs), str(questions), *options)
    with Path("/dev/null").open("w") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def show_growth(
    name: str, taken: tuple[float, float], before: float, bars: tuple[float, float]
) -> float:
    """Print what a study took, and how much longer than one of half the size."""
    seconds, peak = taken
    times = f", {seconds / before:.2f} ×" if before else ""
    line(name, f"{seconds:.1f} s{times}", f"≤ {bars[0]} s for all, ≤ 2.2 × for twice as much")
    line("  peak", f"{peak:,.0f} MiB", f"≤ {bars[1]:,} MB for all" if bars[1] else "")
    return seconds


def comparing(corpora: Path, questions: Path) -> None:
    """A whole study with its report, as `doxeval chunks try` makes it."""
    heading(f"{len(COMPARED)} chunkings compared, with tests, oracle, limits and report")
    compiled()
    with tempfile.TemporaryDirectory(prefix="doxeval-benchmark-") as work:
        by = [word for name in COMPARED for word in ("--by", name)]
        seconds, _ = study_of(corpora, questions, [*by, "--report", f"{work}/report.html"])
    line("doxeval chunks try", f"{seconds:.1f} s", "≤ 8 s")


def main() -> None:
    """All of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--corpora", type=Path, default=CORPORA, metavar="DIRECTORY")
    parser.add_argument(
        "--share", type=float, default=1.0, help="of the documents and questions of the growth"
    )
    parser.add_argument("--only", choices=["small", "large"], help="without growth, or it alone")
    options = parser.parse_args()
    if options.only != "large":
        small(options.corpora, options.rounds)
    if options.only != "small":
        compiled()
        with tempfile.TemporaryDirectory(prefix="doxeval-benchmark-") as work:
            growing(options.corpora, options.share, Path(work))


def small(corpora: Path, rounds: int) -> None:
    """What takes seconds: scoring, reading, locating, words, the oracle, a study."""
    world = World()
    with tempfile.TemporaryDirectory(prefix="doxeval-benchmark-") as work:
        scoring(world, rounds)
        reading(world, rounds, Path(work))
    questions = corpora / "questions_df.csv"
    if not questions.exists():
        print(f"skipped: {questions} is not there")
        return
    docs = chunks.documents(corpora)
    locating(docs, rounds)
    finding_words(docs, rounds)
    omega(docs, questions, rounds)
    comparing(corpora, questions)


if __name__ == "__main__":
    main()
