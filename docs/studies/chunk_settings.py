"""The study of baselines for chunks, on five corpora that are not part of doxeval.

python docs/studies/chunk_settings.py DIRECTORY

DIRECTORY holds the data of chunking_evaluation by Chroma: five corpora and a table of questions.
The setting for a corpus is the one that is best on the other four.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from world import table

from doxeval import chunks

MEASURE = "bR@1000"
CHUNKINGS = ("recursive:800:0", "words:200:50", "sentences:5:1")
# What bm25 meant for `doxeval search --units FILE` once, what it means, and others to choose from.
FORMER = "bm25(k1=4,b=0.8,context=1)"
DEFAULT = "bm25"
SETTINGS = (DEFAULT, FORMER, "bm25(k1=0.9,b=0.4)", "bm25(feedback=5)")
SAMPLES = 10_000


def main() -> None:
    """Print the recall of all settings, corpus by corpus."""
    home = Path(sys.argv[1])
    texts = {path.stem: path.read_bytes().decode() for path in sorted(home.glob("*.md"))}
    docs = chunks.documents(texts)
    gold = chunks.questions(str(home / "questions_df.csv"), docs)
    with (home / "questions_df.csv").open(newline="", encoding="utf-8") as file:
        corpora = [row["corpus_id"] for row in csv.DictReader(file)]
    # By setting and corpus, a number for each question, which is its mean over the chunkings.
    recall: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in SETTINGS}
    for setting in SETTINGS:
        by_chunking = []
        for chunking in CHUNKINGS:
            run = chunks.search(chunks.split(docs, chunking), gold, setting)
            (topics,) = chunks.evaluate(run, gold, measures=[MEASURE], docs=docs).topics().values()
            by_chunking.append([next(iter(topics[topic].values())) for topic in gold.texts])
        means = np.array(by_chunking, dtype=np.float64).mean(axis=0).tolist()
        for corpus, value in zip(corpora, means, strict=True):
            recall[setting][corpus].append(value)
    rows = [_row(corpus, recall) for corpus in sorted(set(corpora))]
    head = ["corpus", "questions", *(f"`{setting}`" for setting in SETTINGS)]
    head += ["best on the others", "default − former", "95 % interval"]
    sys.stdout.write(table(head, rows) + "\n")


def _row(corpus: str, recall: dict[str, dict[str, list[float]]]) -> list[object]:
    others = {
        setting: np.mean([np.mean(values) for name, values in of.items() if name != corpus])
        for setting, of in recall.items()
    }
    chosen = max(SETTINGS, key=lambda setting: round(float(others[setting]), 9))
    difference = np.array(recall[DEFAULT][corpus]) - np.array(recall[FORMER][corpus])
    count = len(difference)
    samples = np.random.default_rng(1).integers(0, count, (SAMPLES, count))
    low, high = np.percentile(difference[samples].mean(axis=1), [2.5, 97.5])
    means = [float(np.mean(recall[setting][corpus])) for setting in SETTINGS]
    shown = [f"{value:+.4f}".replace("-", "−") for value in (difference.mean(), low, high)]
    return [corpus, count, *means, f"`{chosen}`", shown[0], f"{shown[1]} to {shown[2]}"]


if __name__ == "__main__":
    main()
