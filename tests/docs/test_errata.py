"""The page of errata has every erratum that is known, with what its equations give."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from doxeval.measures import REFERENCES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "measures" / "errata.md"
ALI = "Ali, Consens and Lalmas 2012"
# Each known erratum: its place, what is printed there, and what follows, to be found in its row.
KNOWN = [
    (f"{ALI}, Tables 2 and 3", [".66", ".33"], ["1, 0.5"]),
    (f"{ALI}, Table 5", [".133"], ["0.125", "1.02", "1.03"]),
    (f"{ALI}, Table 7", ["4.56"], ["4.567"]),
    (f"{ALI}, Table 12", [".558"], ["0.504, 0.86, 0.956", "0.558, 1, 1"]),
    (f"{ALI}, Table 13", [".39", ".42"], ["43/64.5 = 0.667", "47.8/71.7 = 0.667"]),
    (f"{ALI}, Table 14", [".129"], ["never reached", "C = 3"]),
    (f"{ALI}, eq 4", ["steps"], ["probability 0"]),
    (f"{ALI}, §7.1 and §7.2", ["α = 1"], ["α = 0"]),
    (f"{ALI}, eq 32", ["near-misses of R"], ["R_i"]),
    ("Lalmas et al. 2007, eq 8", ["outside", "inside"], ["-0.1", "-0.6"]),
    ("Lalmas and Tombros 2007, Table 1", ["350"], ["353"]),
    ("Piwowarski and Gallinari 2003, §3.4", ["7/8"], ["0.449, 0.503, 0.632"]),
    ("Piwowarski and Gallinari 2003, §2", ["2.25"], ["2.5"]),
    ("Piwowarski and Gallinari 2003, §4.1", ["six"], ["5 are listed"]),
    ("Piwowarski and Gallinari 2003, footnote 6", ["exponential"], ["Poisson-binomial"]),
    ("Lalmas et al. 2007, footnote 6", ["any relevant element"], ["roots only"]),
    ("Gövert et al. 2003, eq 6 and 8", ["without an upper bound"], ["1.25", "1.2 "]),
]


def rows() -> list[list[str]]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [line.strip("|").split(" | ") for line in lines if line.startswith("| ")][1:]


@pytest.mark.parametrize(("where", "printed", "follows"), KNOWN, ids=[one[0] for one in KNOWN])
def test_an_erratum_is_on_the_page(where: str, printed: list[str], follows: list[str]) -> None:
    (row,) = [row for row in rows() if row[0].strip().startswith(where)]
    for text in printed:
        assert text in row[1]
    for text in follows:
        assert text in row[2]


def test_every_row_is_known_and_says_what_doxeval_does() -> None:
    assert len(rows()) == len(KNOWN)
    for where, _, _, here in rows():
        paper = re.split(r", (?:§|eq|Tables?|footnote)", where.strip())[0]
        assert paper in REFERENCES
        assert here.strip()
