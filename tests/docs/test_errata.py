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


# The same for the program: what it does, and what follows.
OF_TREC_EVAL = [
    ("the order of results", ["single precision"], ["AP 0.5", "instead of 1"]),
    ("a document twice in a list", ["exit code 4"], ["`-M`"]),
    ("`-J` where no result", ["divides 0 by 0"], ["`-nan`"]),
    ("`-c` with `-l`", ["above 0"], ["`-l 2` says 1 relevant, `-l 2 -c` 2"]),
    ("`-l` and graded measures", ["ndcg"], ["still gains 1"]),
    ("set_F with a parameter", ["not β²"], ["F₂"]),
    ("levels of recall", ["floating point"], ["0.3 of 57 relevant documents are 17, of 60 18"]),
    ("topics of which all grades are below 0", ["crashes"], ["nothing is printed"]),
    ("scores and grades that are no numbers", ["or 0"], ["`0,5` is 0"]),
    ("a measure requested twice", ["first"], ["P_5 only"]),
]


def rows(of_trec_eval: bool = False) -> list[list[str]]:
    page = PAGE.read_text(encoding="utf-8")
    lines = page.split("\n## trec_eval 9.0.8\n")[of_trec_eval].splitlines()
    return [line.strip("|").split(" | ") for line in lines if line.startswith("| ")][1:]


@pytest.mark.parametrize(("where", "printed", "follows"), KNOWN, ids=[one[0] for one in KNOWN])
def test_an_erratum_is_on_the_page(where: str, printed: list[str], follows: list[str]) -> None:
    (row,) = [row for row in rows() if row[0].strip().startswith(where)]
    for text in printed:
        assert text in row[1]
    for text in follows:
        assert text in row[2]


@pytest.mark.parametrize(("what", "does", "follows"), OF_TREC_EVAL, ids=lambda one: str(one)[:30])
def test_what_is_surprising_in_trec_eval(what: str, does: list[str], follows: list[str]) -> None:
    assert len(rows(True)) == len(OF_TREC_EVAL)
    (row,) = [row for row in rows(True) if row[0].strip().startswith(what)]
    assert all(text in row[1] for text in does)
    assert all(text in row[2] for text in follows)
    assert row[3].strip()


def test_every_row_is_known_and_says_what_doxeval_does() -> None:
    assert len(rows()) == len(KNOWN)
    for where, _, _, here in rows():
        paper = re.split(r", (?:§|eq|Tables?|footnote)", where.strip())[0]
        assert paper in REFERENCES
        assert here.strip()
