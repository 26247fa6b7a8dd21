"""Numbers printed as Java prints them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.compat import java_double


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1 / 3, "0.3333333333333333"),
        (0.001, "0.001"),
        (0.0009999, "9.999E-4"),
        (7.119099690176781e-4, "7.119099690176781E-4"),
        (-1e-5, "-1.0E-5"),
        (1e-300, "1.0E-300"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (-123456789.5, "-1.234567895E8"),
        (1.5e22, "1.5E22"),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_numbers_are_printed_as_java_prints_them(value: float, text: str) -> None:
    assert java_double(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_printed_numbers_keep_their_value(value: float) -> None:
    text = java_double(value)
    assert float(text) == value
    assert ("E" in text) == (value != 0 and not 1e-3 <= abs(value) < 1e7)
