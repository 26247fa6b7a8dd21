"""Counts for worked examples of models."""

from __future__ import annotations

import numpy as np

from doxeval.retrieve.evidence import Evidence

# A paragraph and the section around it, in an article of average length.
EXAMPLE = Evidence(
    items=("fog", "horn"),
    weight=np.ones(2),
    tf=np.array([[2, 0], [4, 1]]),
    length=np.array([20, 100]),
    article=np.zeros(2, dtype=np.int64),
    article_tf=np.array([[6, 1]]),
    article_length=np.array([400]),
    documents=100,
    words=40_000,
    df=np.array([40, 9]),
    cf=np.array([200, 20]),
    mean_article=400.0,
)
EXAMPLE_UNITS = ("paragraph", "section")
