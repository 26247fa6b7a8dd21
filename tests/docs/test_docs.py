"""Documentation that is made from the program says what the program does."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

from doxeval.assessments import QUANTISATIONS
from doxeval.cli import VERBS
from doxeval.measures import FAMILIES, MEASURES, PRESETS, REFERENCES, explain_measure
from doxeval.retrieve import MODELS
from doxeval.retrieve import explain_model as explained_model
from package_hooks import with_addresses

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
CODE = re.compile(r"^```.*?^```$|^ {4}[^\n]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def test_generated_pages_are_up_to_date() -> None:
    script = ROOT / "scripts" / "document.py"
    result = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, f"{result.stdout}{result.stderr}: run scripts/document.py"


def test_every_reader_is_documented() -> None:
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    readers = [
        path
        for room in ("topics", "runs", "assessments", "pooling")
        for path in (ROOT / "src" / "doxeval" / room).glob("*.py")
        if "\ndef read_" in path.read_text(encoding="utf-8") and path.name != "read_write.py"
    ]
    question_sets = ROOT / "src" / "doxeval" / "chunks" / "formats"
    readers += [
        path for path in question_sets.glob("[!_]*.py") if "= QuestionFormat(" in path.read_text()
    ]
    assert len(readers) > 8
    for path in readers:
        first_line = path.read_text(encoding="utf-8").split("\n")[0].strip('"')
        assert first_line in page, path


def test_every_measure_preset_and_verb_is_documented() -> None:
    docs = ROOT / "docs"
    commands = (docs / "reference" / "commands.md").read_text(encoding="utf-8")
    for verb in VERBS:
        assert f"[`{verb}`]({verb}.md)" in commands
        page = (docs / "reference" / f"{verb}.md").read_text(encoding="utf-8")
        assert page.startswith(f"# doxeval {verb}\n")
    overview = (docs / "measures" / "README.md").read_text(encoding="utf-8")
    presets = overview.partition("\n## Presets\n")[2].partition("\n## ")[0]
    cells = [line.split(" | ")[0] for line in presets.splitlines() if line.startswith("| `")]
    assert sorted(name for cell in cells for name in re.findall("`([^`]+)`", cell)) == sorted(
        PRESETS
    )
    for family in FAMILIES:
        page = (docs / "measures" / f"{family.name}.md").read_text(encoding="utf-8")
        for kind in family.measures:
            assert f"### {kind.name}: {kind.facts.title}" in page


def test_every_retrieval_model_is_documented() -> None:
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    for name, kind in MODELS.items():
        assert f"### {name}: {kind.facts.title}\n" in page
        text = explained_model(kind)
        for word in ("By default", "Parameters", "Edge cases", "Sources", "Example"):
            assert f"**{word}**" in text, name
        assert all(len(line) < 500 for line in text.splitlines()), name


def test_help_is_complete_for_every_measure() -> None:
    for name, kind in MEASURES.items():
        text = explain_measure(kind)
        assert kind.facts.title in text, name
        for word in ("Range", "Source", "Edge cases", "Example", "By default"):
            assert f"**{word}**" in text, name
        assert all(len(line) < 400 for line in text.splitlines()), name


CITES = {
    **{name: kind.facts.cite for name, kind in MEASURES.items()},
    **{f"quant={name}": one.cite for name, one in QUANTISATIONS.items()},
}


def papers(cite: str) -> set[str]:
    """The papers that a citation names, without sections and equations."""
    place = r",? (?:§|eq |[Tt]able |footnote ).*"
    return {re.sub(place, "", part).strip() for part in cite.split(";")}


def test_papers_of_a_citation() -> None:
    assert papers("A and B 2006, §4.2, eq 5–6; C et al. 2007, Table 2; D 1989") == {
        "A and B 2006",
        "C et al. 2007",
        "D 1989",
    }


def test_what_is_cited_is_a_reference() -> None:
    missing = {name: papers(cite) - set(REFERENCES) for name, cite in CITES.items()}
    missing = {name: unknown for name, unknown in missing.items() if unknown}
    assert missing == {}, "add them to measures/explain.py, or correct the cites"


def test_every_reference_is_cited() -> None:
    cited = set().union(*map(papers, CITES.values()))
    uncited = set(REFERENCES) - cited
    assert not uncited, f"no measure or quantisation cites {uncited}"


def test_every_family_is_registered_introduced_and_recommended() -> None:
    """A measure follows from its class; only a new family is named elsewhere, and here is where."""
    modules = {path.stem for path in (ROOT / "src/doxeval/measures/families").glob("[!_]*.py")}
    pages = ROOT / "docs" / "measures"
    introductions = {
        path.stem for path in pages.glob("*.md") if "\n## What user it models\n" in path.read_text()
    }
    guide = (ROOT / "docs/which-measure.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([A-Za-z_]\w*)", guide))
    families = {family.name for family in FAMILIES}
    assert modules - families == set(), "add them to FAMILIES in measures/registry.py"
    assert families - introductions == set(), "introduce them in docs/measures"
    for family in FAMILIES:
        names = {kind.name for kind in family.measures}
        assert names & named, f"docs/which-measure.md names no measure of {family.name}: {names}"


def links(page: Path) -> Iterator[str]:
    """The targets of a page's links and images that are files of this repository."""
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:", target):
            yield target


def test_links_lead_somewhere() -> None:
    """The site builder checks links between its pages, but no images and nothing outside docs."""
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in PAGES
        for target in links(page)
        if target.startswith("/") or not (page.parent / target.partition("#")[0]).exists()
    ]
    assert broken == [], "links are relative, and to files that exist"


def test_links_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "[a](a.md#b) ![c](d/c.png) `[no](no.md)` [out](https://example.org)\n\n    [no](no.md)\n",
        encoding="utf-8",
    )
    assert list(links(page)) == ["a.md#b", "d/c.png"]


def described(root: Path) -> tuple[str, str]:
    """The description that a package of these sources would have, and its type."""
    metadata = ProjectMetadata(str(root), PluginManager())
    return metadata.core.readme, metadata.core.readme_content_type


def test_the_package_index_shows_a_readme_whose_links_lead_somewhere(tmp_path: Path) -> None:
    version, hook = "src/doxeval/version.py", "scripts/package_hooks.py"
    for name in ("pyproject.toml", "README.md", version, hook):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    about = tmp_path / "pyproject.toml"
    without = re.sub(r"^\[project\.urls\]\n(?:[^\[].*\n|\n)*", "", about.read_text(), flags=re.M)
    about.write_text(without, encoding="utf-8")
    assert described(tmp_path) == (readme, "text/markdown")
    address = '\n[project.urls]\nRepository = "https://example.org/p/"\n'
    about.write_text(without + address, encoding="utf-8")
    shown, _ = described(tmp_path)
    targets = set(links(ROOT / "README.md"))
    assert len(targets) > 10
    for target in targets:
        kind = "raw" if target.endswith((".png", ".svg")) else "blob"
        assert f"](https://example.org/p/{kind}/HEAD/{target})" in shown
    (tmp_path / "shown.md").write_text(shown, encoding="utf-8")
    assert list(links(tmp_path / "shown.md")) == []


def test_links_in_code_and_within_the_page_stay_as_they_are() -> None:
    same = "`[no](no.md)`, [here](#here), [out](https://example.org)\n\n```sh\n[no](no.md)\n```\n"
    assert with_addresses(same, "https://example.org/p") == same
    image = '<img src="d/c.png" alt="[a](b.md#c)">'
    assert with_addresses(image, "https://example.org/p") == (
        '<img src="https://example.org/p/raw/HEAD/d/c.png" '
        'alt="[a](https://example.org/p/blob/HEAD/b.md#c)">'
    )
