"""BM25 over chunks scores as another program does: bm25s with `method="lucene"`."""

from __future__ import annotations

import numpy as np
import pytest

from doxeval.retrieve import bm25
from strategies.searches import Range, Search

bm25s = pytest.importorskip("bm25s")
QUERIES = ("fog", "fog horn", "sea lamp fog", "ship harbour", "horn ship sea unknown")


def chunks() -> list[list[str]]:
    """Three hundred chunks of different lengths, with common and rare words."""
    random = np.random.default_rng(7)
    words = ["other", "sea", "fog", "ship", "lamp", "harbour", "horn"]
    share = np.array([0.9, 0.04, 0.025, 0.015, 0.01, 0.007, 0.003])
    lengths = random.integers(1, 80, 300)
    return [random.choice(words, length, p=share).tolist() for length in lengths]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (4.0, 0.8), (0.9, 0.4)])
def test_scores_of_chunks_are_those_of_bm25s(query: str, k1: float, b: float) -> None:
    texts = chunks()
    engine = bm25s.BM25(method="lucene", k1=k1, b=b)
    engine.index(texts, show_progress=False)
    theirs = engine.get_scores([word for word in query.split() if word != "unknown"])
    search = Search(
        texts,
        dict.fromkeys(query.split(), 1.0),
        [Range(number, 0, len(text)) for number, text in enumerate(texts)],
    )
    model = bm25(k1=k1, b=b, context=0).resolve_auto("chunks")
    ours = model.scores(search.chunk_evidence) / (k1 + 1)
    assert ours == pytest.approx(np.asarray(theirs, dtype=np.float64), rel=1e-5, abs=1e-5)
    assert ours.max() > 0.1  # far above the tolerance
