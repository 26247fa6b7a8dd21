"""Probabilities from drawn orders and signs come close to those from all of them."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from comparing import p_of
from doxeval.comparison import generator, symmetric_tau_ap, tau_ap_probability


def test_drawn_orders_come_close_to_all_orders() -> None:
    one = np.arange(8.0)
    other = np.array([2.0, 0, 1, 4, 6, 3, 5, 7])
    dealt = [symmetric_tau_ap(one, other[list(order)]) for order in permutations(range(8))]
    observed = symmetric_tau_ap(one, other)
    assert observed is not None
    expected = float(np.mean([abs(v or 0) >= abs(observed) - 1e-9 for v in dealt]))
    drawn = tau_ap_probability(one, other, 20_000, generator(0))
    assert drawn == pytest.approx(expected, abs=4 * math.sqrt(expected / 20_000))


def test_drawn_signs_come_close_to_all_signs() -> None:
    steps = np.random.default_rng(3).normal(0.5, 1, 17).round(2) * 100
    drawn = p_of("randomization", steps.astype(np.int64).tolist(), resamples=200_000)
    result = stats.permutation_test(
        (steps,), np.sum, permutation_type="samples", n_resamples=np.inf
    )
    error = math.sqrt(result.pvalue * (1 - result.pvalue) / 200_000)
    assert drawn == pytest.approx(result.pvalue, abs=4 * error)
    assert (drawn * 200_001) == pytest.approx(round(drawn * 200_001))
