"""Numbers in the prose of guides and studies are printed on the same page by code that is run.

Blocks of guides and studies are run by test_studies.py. Here a number with two or more decimals in
the text around them must be one that a block prints, rounded perhaps, or a number that a paper or
another program is known for. Counts in prose are counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from doxeval import chunks
from doxeval.assessments import read_assessments
from helpers import CONFORMANCE, needs_conformance

ROOT = Path(__file__).resolve().parents[2]
DOCS, DEMO = ROOT / "docs", ROOT / "src" / "doxeval" / "demo_data"
PAGES = [
    ROOT / "README.md",
    *(path for path in sorted(DOCS.glob("*.md")) if path.stem != "formats"),
    *sorted((DOCS / "studies").glob("*.md")),
]
BLOCK = re.compile(
    r"^```.*?^```$|<!-- (?:world \w+|ranges): begin -->.*?<!-- (?:world \w+|ranges): end -->",
    re.MULTILINE | re.DOTALL,
)
NUMBER = re.compile(r"(?<![\w.§])[−-]?\d+\.\d+(?![\w.]*\d)")
# What papers and programs are known for, by page; and the defaults and thresholds they chose.
KNOWN = {
    "chunks": {"0.55", "0.86"},  # what `chunks try` prints for Chroma's five corpora
    "coming-from": {"0.25", "0.29", "0.57", "0.58"},
    "which-measure": {"0.25"},
    "getting-started": {"3.11"},
    "index": {"3.11"},
    "README": {"3.11"},
    "esr": {"0.25", "0.01"},
}


def numbers(text: str) -> Iterator[str]:
    for found in NUMBER.findall(text):
        yield found.replace("−", "-")


def prose(page: Path) -> str:
    """The text of a page without blocks, and without code."""
    return re.sub(r"`[^`\n]+`", "", BLOCK.sub("", page.read_text(encoding="utf-8")))


def printed(page: Path) -> list[float]:
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [float(number) for block in blocks for number in numbers(block)]


def unknown_numbers(page: Path) -> set[str]:
    there = printed(page)
    return {
        number
        for number in numbers(prose(page))
        if re.search(r"\.\d{2}", number)
        and number not in KNOWN.get(page.stem, set())
        and not any(_rounds_to(value, number) for value in there)
    }


def _rounds_to(value: float, number: str) -> bool:
    decimals = len(number.partition(".")[2])
    half: float = 0.5 * 10.0**-decimals
    return abs(value - float(number)) <= half + 1e-9


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_numbers_in_prose_are_printed_on_the_page(page: Path) -> None:
    assert not unknown_numbers(page), "correct the prose, or print these numbers in a block"


def test_a_wrong_number_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("It is 0.81, not 0.83, in §6.25.\n\n```text\nx 0.812\n```\n", encoding="utf-8")
    assert unknown_numbers(page) == {"0.83"}


# Counts


def said(page: str, pattern: str) -> list[int]:
    """The whole numbers of a sentence that is on a page."""
    text = " ".join((DOCS / page).read_text(encoding="utf-8").split())
    found = re.search(pattern, text)
    assert found is not None, f"{page} no longer says {pattern}: count it here in its new words"
    return [int(number) for number in found.groups()]


def test_the_demo_is_as_large_as_is_said() -> None:
    articles = len(list((DEMO / "articles").glob("*.xml")))
    topics = len(list(read_assessments(DEMO / "assessments.jsonl").topics))
    assert said("getting-started.md", r"\((\d+) articles, (\d+) topics,") == [articles, topics]


def agreeing(world: str) -> tuple[int, int]:
    """How many pairs of the study of ESR agree with the paper, of how many."""
    page = (DOCS / "studies" / "esr.md").read_text(encoding="utf-8")
    block = page.split(f"<!-- world {world}: begin -->")[1].split("<!-- world")[0]
    verdicts = re.findall(r"\| (yes|no) \|$", block, re.MULTILINE)
    return verdicts.count("yes"), len(verdicts)


def test_pairs_that_agree_are_counted() -> None:
    pattern = r"(\d+) of (\d+) pairs \((\d+) on the demo\)"
    assert said("studies/index.md", pattern) == [*agreeing("1"), agreeing("demo")[0]]
    assert said("studies/esr.md", r"(\d+) of (\d+) pairs agree") == list(agreeing("demo"))


def test_what_systems_lose_without_links() -> None:
    page = (DOCS / "studies" / "recall-bases.md").read_text(encoding="utf-8")
    block = page.split("<!-- world 1: begin -->")[1].split("<!-- world 1: end -->")[0]
    rows = re.findall(r"^\| any-\S+ \| (\S+) \| (\S+) \|", block, re.MULTILINE)
    lost = [round(100 * (1 - float(without) / float(with_links))) for with_links, without in rows]
    assert said("studies/recall-bases.md", r"lose (\d+) to (\d+) %") == [min(lost), max(lost)]
    share = re.search(r"which (\d+) % are links", page.split("world demo: begin")[1])
    assert share is not None
    assert said("studies/recall-bases.md", r"Only (\d+) % of the wholly") == [int(share[1])]


def test_differences_between_baselines_are_counted() -> None:
    page = (DOCS / "studies" / "findings.md").read_text(encoding="utf-8")
    block = page.split("<!-- world demo: begin -->")[1].split("<!-- world demo: end -->")[0]
    lines = re.findall(
        r"^\|.* to .* \| (?:< )?(\S+) \| (?:< )?(\S+) \| [\w ]+ \| [\w ]+ \|$", block, re.M
    )
    assert said("studies/findings.md", r"covers all (\d+) lines") == [len(lines)]
    assert said("studies/findings.md", r"five of (\d+) lines remain") == [len(lines)]
    assert sum(float(corrected) < 0.05 for _, corrected in lines) == 5


def test_world_1_lies_in_the_ranges_over_worlds() -> None:
    """The ranges themselves are written, and checked, by docs/studies/update.py."""
    count = 0
    pages = (DOCS / "studies").glob("[!i]*.md")
    on_the_demo_only = ("baselines", "findings")
    for page in (page for page in pages if page.stem not in on_the_demo_only):
        text = page.read_text(encoding="utf-8").replace("−", "-")
        own = text.split("<!-- world 1: begin -->")[1].split("<!-- world 1: end -->")[0]
        ranges = text.split("<!-- ranges: begin -->")[1].split("<!-- ranges: end -->")[0]
        values = list(numbers(own))
        for low, high in re.findall(r"(-?\d\.\d+) to (-?\d\.\d+)", ranges):
            count += 1
            assert any(float(low) <= float(value) <= float(high) for value in values), (low, high)
    assert count > 30


@needs_conformance
def test_the_chunking_data_are_as_is_said() -> None:
    home = CONFORMANCE / "chunking_evaluation"
    docs = chunks.documents(home)
    gold = chunks.questions(home / "questions_df.csv", docs)
    page = " ".join((DOCS / "chunks.md").read_text(encoding="utf-8").split())
    assert gold.report() in page
    study = chunks.compare(docs, gold, ["words:100:0", "paragraphs"], progress=False)
    same, long, short, low, high = re.search(  # type: ignore[union-attr]  # it is there
        r"same `cR@5`, ([\d.]+)\. But five paragraphs have ([\d,]+) words there and five windows "
        r"(\d+), and by `bR@1000` it is ([\d.]+) against ([\d.]+)\.",
        page,
    ).groups()
    for cut, words, recall in (("paragraphs", long, low), ("words:100:0", short, high)):
        assert f"{study[cut]['cR@5']:.2f}" == same
        assert f"{study.units_read[cut]:,.0f}" == words
        assert f"{study[cut]['bR@1000']:.2f}" == recall
