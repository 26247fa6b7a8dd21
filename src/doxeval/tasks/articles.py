"""Grouping the results of a run by article: the first result of each, and interleaved results.

An article here is a document together with its results for one topic.
"""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Bools, Ints, last_true


def first_rows(topic: Ints, document: Ints) -> Ints:
    """For each row, the first row of its article.

    >>> first_rows(np.array([0, 0, 0, 1]), np.array([5, 6, 5, 5])).tolist()
    [0, 1, 0, 3]
    """
    if not len(topic):
        return np.empty(0, dtype=np.int64)
    articles = topic.astype(np.int64) * (int(document.max()) + 1) + document
    _, first, which = np.unique(articles, return_index=True, return_inverse=True)
    return np.asarray(first[which], dtype=np.int64)


def coming_back(topic: Ints, document: Ints) -> Bools:
    """Which rows come back to an article after results of another article.

    >>> coming_back(np.array([0, 0, 0, 0]), np.array([5, 6, 5, 6])).tolist()
    [False, False, True, False]
    """
    first = first_rows(topic, document)
    order = np.argsort(topic, kind="stable")
    begins = first == np.arange(len(first))
    # Within a topic, a row must belong to the article that began last.
    current = np.empty(len(first), dtype=np.int64)
    current[order] = order[last_true(begins[order])]
    return np.asarray(first != current, dtype=np.bool_)
