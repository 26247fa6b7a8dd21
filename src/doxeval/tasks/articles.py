"""Where the results of each article stand in a run: its first result, and those that come back.

An article here is a document with its results for one topic.
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
    """Which rows belong to an article that was left for another one before.

    >>> coming_back(np.array([0, 0, 0, 0]), np.array([5, 6, 5, 6])).tolist()
    [False, False, True, False]
    """
    first = first_rows(topic, document)
    order = np.argsort(topic, kind="stable")
    begins = first == np.arange(len(first))
    # Within a topic, the article begun last is the one that is being listed.
    listed = np.empty(len(first), dtype=np.int64)
    listed[order] = order[last_true(begins[order])]
    return np.asarray(first != listed, dtype=np.bool_)
