"""The page about the papers: what it names exists, and no measure is missing from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from doxeval.assessments import QUANTISATIONS
from doxeval.cli import main
from doxeval.errors import SyntaxProblem
from doxeval.measures import MEASURES, PRESETS, REFERENCES, measure_named
from doxeval.navigation import NAMES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "papers.md"
# Words of file formats and names of parameters that stand alone.
WORDS = {"nodes", "abandonment", "exponents"}


class Definition(NamedTuple):
    paper: str
    where: str
    what: str
    home: str

    @property
    def names(self) -> list[str]:
        return re.findall(r"`([^`]+)`", self.home)


def definitions() -> Iterator[Definition]:
    for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        paper, _, rest = part.partition("\n")
        for line in rest.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if line.startswith("| ") and cells[0] != "where":
                yield Definition(paper.partition(":")[0], *cells)


DEFINITIONS = list(definitions())
NAMED = sorted({name for one in DEFINITIONS for name in one.names} - WORDS)


def check_command(text: str) -> None:
    """A command exists with all of its options."""
    _, *words = text.split()
    command: click.Command = main
    for word in words:
        if word.startswith("-"):
            options = {flag for given in command.params for flag in given.opts}
            assert word in options, f"{text}: no option {word}"
        else:
            assert isinstance(command, click.Group), text
            found = command.get_command(click.Context(command), word)
            assert found is not None, f"{text}: no verb {word}"
            command = found


def check_parameter(text: str) -> None:
    """Some measure has the parameter, and takes the value."""
    name, _, value = text.partition("=")
    if name == "nav":
        assert value in NAMES
        return
    having = [kind for kind in MEASURES.values() if name in {spec.name for spec in fields(kind)}]
    assert having, f"no measure has the parameter {name}"
    taken = []
    for kind in having:
        try:
            taken.append(measure_named(f"{kind.name}({text})"))
        except (ValueError, SyntaxProblem):
            continue
    assert taken, f"no measure takes {text}"


def test_what_is_named_exists() -> None:
    for name in NAMED:
        if name.startswith("doxeval "):
            check_command(name)
        elif name.startswith("inex20"):
            assert name in PRESETS
        elif re.fullmatch(r"[a-z]+=\w+", name):
            check_parameter(name)
        else:
            measure_named(name)  # an unknown one raises an error that names it


def test_every_measure_has_a_definition() -> None:
    assert set(MEASURES) - {re.split(r"[@\[(]", named)[0] for named in NAMED} == set()


def test_every_quantisation_has_a_definition() -> None:
    assert {f"quant={name}" for name in QUANTISATIONS} <= set(NAMED)


def test_every_model_of_navigation_has_a_definition() -> None:
    assert {f"nav={name}" for name in NAMES if name != "none"} <= set(NAMED)


def test_every_definition_has_a_home_or_a_reason() -> None:
    assert len(DEFINITIONS) > 100
    for one in DEFINITIONS:
        is_somewhere = one.names or "](" in one.home or "inside" in one.home
        is_told = "not computed, because" in one.home or "read as printed" in one.home
        assert is_somewhere or is_told, one


def test_the_papers_are_references() -> None:
    papers = {one.paper for one in DEFINITIONS} - {"From elsewhere"}
    assert len(papers) == 5
    assert papers <= set(REFERENCES)


@pytest.mark.parametrize(
    ("paper", "last"),
    [
        ("Lalmas et al. 2007", 16),
        ("Lalmas and Tombros 2007", 14),
        ("Piwowarski and Gallinari 2003", 2),
        ("Gövert et al. 2003", 9),
        ("Ali, Consens and Lalmas 2012", 34),
    ],
)
def test_every_numbered_equation_is_there(paper: str, last: int) -> None:
    found: set[int] = set()
    for one in DEFINITIONS:
        if one.paper == paper:
            for first, end in re.findall(r"eq (\d+)(?:–(\d+))?", one.where):
                found |= set(range(int(first), int(end or first) + 1))
    assert found == set(range(1, last + 1))


# Sources that were wrong once


def test_sources_are_those_of_the_definitions() -> None:
    cites = {name: kind.facts.cite for name, kind in MEASURES.items()}
    assert "Lalmas and Tombros 2007, §3.3, eq 14" in cites["MAnxCG"]
    assert "Gövert et al. 2003, §6" in cites["inex_eval"]


@pytest.mark.parametrize("name", ["strict", "gen"])
def test_combined_quantisations_of_2002_are_a_table_of_piwowarski_and_gallinari(name: str) -> None:
    cite = QUANTISATIONS[name].cite
    assert "Piwowarski and Gallinari 2003" in cite
    assert "Gövert" not in cite, "its functions are those of each dimension, for ng"


def test_pooling_and_assessing_have_commands() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if "| pools" in line]
    rows += [line for line in PAGE.read_text(encoding="utf-8").splitlines() if "X-RAI" in line]
    assert len(rows) == 2
    for row in rows:
        assert "`doxeval pool`" in row and "`doxeval assess" in row and "not computed" not in row


def test_the_study_of_esr_claims_what_table_19_shows() -> None:
    """Ali, Consens and Lalmas 2012, Table 19: the pairs that are appropriate, and those not."""
    text = (PAGE.parent / "studies" / "esr.md").read_text(encoding="utf-8")
    claim = " ".join(text.partition("## What was done here")[0].split())
    yes, no = claim.split("It was a no for ")
    assert "for `iP[.01]` with these two and `SRiP2[.01]`" in yes
    assert "`EPRUM` with `SRPRUM`" in yes and "`NSRCG2`" in yes
    assert "`iP[.01]` with `SRiP[.01]`" in no and "`EPRUM` with `ESRP`" in no


def test_measures_at_a_budget_say_that_relevance_is_counted_in_characters() -> None:
    for name in ("bR@1000", "U@4000", "Cost@4000[0.5]"):
        facts = measure_named(name).facts
        assert "relevant text is counted in characters" in facts.edge_cases
    page = " ".join((PAGE.parent / "chunks.md").read_text(encoding="utf-8").split())
    assert "shown is always counted in characters" in page


def test_ragas_is_compared_with_what_it_computes() -> None:
    page = (PAGE.parent / "coming-from.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith("| `IDBasedContextRecall")]
    assert '"sR@5"' in row
    assert not [line for line in page.splitlines() if line.startswith("| `NonLLMContextPrecision")]
    assert "is an average precision" in " ".join(page.split())
