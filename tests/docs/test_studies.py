"""Guides and studies: what they show is what happens.

A guide is gone through from top to bottom in an empty directory: a block with a title is a file, a
console block is commands with what they print, a Python block is run. `<!-- not run -->` before a
block leaves it out, `<!-- needs package -->` leaves it to another test, which is skipped where the
package is not installed; a line `…` stands for any lines. Of tables that set other programs side by
side with doxeval, its column is run. Studies are run, and their pages hold their output.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import yaml
from click.testing import CliRunner

import doxeval
from doxeval.cli import main
from doxeval.measures import MEASURES, PRESETS, measure_named
from doxeval.retrieve import MODELS

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
STUDIES = DOCS / "studies"
PAGES = (
    "../README",
    "index",
    "getting-started",
    "which-measure",
    "own-measure",
    "chunks",
    "large-collections",
    "search",
    "own-test-collection",
    "models",
    "campaign",
    "python",
    "coming-from",
    "bridges",
)
FENCE = re.compile(
    r"^(?:<!-- (not run|needs [^\n]+) -->\n+)?"
    r'```(\w+)(?: title="([^"\n]+)")?\n(.*?)^```$',
    re.MULTILINE | re.DOTALL,
)
# A table that sets other programs side by side with doxeval, which is in the last column.
SIDE_BY_SIDE = re.compile(r"^\|(?:[^\n|]*\|)+ doxeval \|\n((?:\|.*\n)+)", re.MULTILINE)
GENERAL = {"__name__": "__main__"}
# Commands run the sources that are being tested, wherever the installed ones come from.
OWN_SOURCES = {"PYTHONPATH": str(ROOT / "src")}
WIDTH = {"COLUMNS": "100"}
# Guides whose commands are all run by a shell, as readers run them. Elsewhere a command of doxeval
# alone is called in the process of the tests, which does the same without starting Python.
IN_PROCESSES = ("getting-started", "own-measure")


class Block(NamedTuple):
    language: str
    title: str
    body: str
    needs: tuple[str, ...] = ()


def all_blocks(page: str) -> Iterator[Block]:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    for said, language, title, body in FENCE.findall(text):
        if said != "not run":
            needs = tuple(said.removeprefix("needs ").split(", ")) if said else ()
            yield Block(language, title, body, needs)


def blocks(page: str) -> Iterator[Block]:
    """The blocks that need nothing but doxeval."""
    return (block for block in all_blocks(page) if not block.needs)


def own_cells(page: str) -> list[str]:
    """What tables say about doxeval, of those that set other programs side by side with it."""
    tables = SIDE_BY_SIDE.findall((DOCS / f"{page}.md").read_text(encoding="utf-8"))
    rows = [row for table in tables for row in table.splitlines()[1:]]
    return [row.strip("|").split("|")[-1].strip() for row in rows]


def run_cell(cell: str, names: dict[str, Any]) -> None:
    """A cell that begins with code is nothing but code: commands, or lines of Python."""
    for code in re.findall(r"`([^`]+)`", cell) if cell.startswith("`") else ():
        if code.startswith("doxeval "):
            run_console(f"$ {code}\n…\n")
        else:
            exec(compile(code, "table", "exec"), names)


def run_block(block: Block, names: dict[str, Any], *, in_processes: bool = False) -> None:
    if block.title:
        path = Path(block.title)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.body, encoding="utf-8")
        if path.parent == Path(".github/workflows"):
            run_workflow(block.body)
        elif path.name.startswith("test_"):
            code, printed, errors = run_in_shell(f"pytest -q {path.name}")
            assert code == 0, printed + errors
    elif block.language == "console":
        run_console(block.body, in_processes=in_processes)
    elif block.language == "pycon" or block.body.startswith(">>> "):
        run_session(block.body, names)
    elif block.language == "python":
        exec(compile(block.body, "guide", "exec"), names)


def run_workflow(body: str) -> None:
    """Run the commands of a workflow as its service would, after the installation."""
    (job,) = yaml.safe_load(body)["jobs"].values()
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert commands.pop(0) == "pip install doxeval"
    for command in commands:
        code, printed, errors = run_in_shell(f"set -e\n{command}")
        assert code == 0, f"{command}\n{printed}{errors}"


def run_console(body: str, *, in_processes: bool = False) -> None:
    joined = re.sub(r"(?<!\\)\\\n", "", body)  # two backslashes end a row of LaTeX
    for part in re.split(r"^\$ ", joined, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        alone = command.startswith("doxeval ") and not set(command) & set("|&;<>$`(){}~\\")
        run = run_here if alone and not in_processes else run_in_shell
        code, printed, errors = run(command)
        shown = f"$ {command}\n{printed}{errors}"
        assert matches(printed, expected), shown
        # Only `validate` may end with 1 and still be what the guide wants to show.
        assert code == 0 or command.startswith("doxeval validate "), shown


def run_in_shell(command: str) -> tuple[int, str, str]:
    """The exit code of a command, what it prints, and its errors."""
    here = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, **OWN_SOURCES, **WIDTH, "PATH": here}
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, env=environment, check=False
    )
    return done.returncode, done.stdout, done.stderr


def run_here(command: str) -> tuple[int, str, str]:
    """The same for doxeval alone, without a process: the shell only takes the words apart."""
    words = run_in_shell(f"printf '%s\\0' {command}")[1].split("\0")[1:-1]
    done = CliRunner().invoke(main, words, env=WIDTH)
    return done.exit_code, done.stdout, done.stderr


def matches(printed: str, expected: str) -> bool:
    pieces = [plain(piece) for piece in re.split(r"^…$", expected, flags=re.MULTILINE)]
    if len(pieces) == 1:
        return plain(printed) == pieces[0]
    pattern = ".*".join(re.escape(piece) for piece in pieces)
    return re.fullmatch(pattern, plain(printed), re.DOTALL) is not None


def plain(text: str) -> str:
    """Without spaces at the ends of lines, and without seconds, which are never the same."""
    lines = [line.strip() for line in text.strip().splitlines()]
    return re.sub(r"\d+\.\d s$", "0.0 s", "\n".join(lines), flags=re.MULTILINE)


def run_session(body: str, names: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(body, names, "guide", None, None)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
        test, out=report.append, clear_globs=False
    )
    names.update(test.globs)
    assert result.failed == 0, "".join(report)


def prepare(page: str) -> None:
    """Make what a guide goes on with: files of the first guide, or what the demo leaves behind."""
    if page in ("python", "chunks", "coming-from", "own-test-collection", "search"):
        more = blocks("own-test-collection") if page == "search" else ()
        for block in (*blocks("getting-started"), *more):
            if page == "python" or block.title.startswith("leaflets/"):
                run_block(block, dict(GENERAL))
    if page in ("../README", "large-collections"):
        run_console("$ doxeval demo\n…\n")


@pytest.mark.parametrize("page", PAGES)
def test_guides_show_what_happens(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    known, known_models = set(MEASURES), set(MODELS)
    prepare(page)
    guide = ModuleType("guide")  # dataclasses look for the module that they are defined in
    monkeypatch.setitem(sys.modules, "guide", guide)
    try:
        for block in blocks(page):
            run_block(block, vars(guide), in_processes=page in IN_PROCESSES)
        for cell in own_cells(page):
            run_cell(cell, vars(guide))
    finally:
        for name in set(MEASURES) - known:
            MEASURES.unregister(name)
        for name in set(MODELS) - known_models:
            MODELS.unregister(name)


def packages_of(page: str) -> list[str]:
    return sorted({name for block in all_blocks(page) for name in block.needs})


@pytest.mark.parametrize("page", [page for page in PAGES if packages_of(page)])
def test_guides_show_what_other_libraries_do(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in packages_of(page):
        try:
            import_module(package)
        except ImportError:
            pytest.skip(f"the splitters of {package.partition('.')[0]} are not installed")
    monkeypatch.chdir(tmp_path)
    prepare(page)
    guide = ModuleType("guide")
    monkeypatch.setitem(sys.modules, "guide", guide)
    for block in all_blocks(page):
        if block.language not in ("console", "yaml"):  # commands have nothing to do with them
            run_block(block, vars(guide))


def test_some_blocks_are_about_other_libraries() -> None:
    assert {"langchain_core", "llama_index.core"} <= set(packages_of("chunks"))


@pytest.mark.parametrize("page", PAGES)
def test_guides_name_measures_and_presets_that_exist(page: str) -> None:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    text = SIDE_BY_SIDE.sub("", FENCE.sub("", text)) + "\n".join(own_cells(page))
    for name in re.findall(r"`([^`\n]+)`", text):
        if re.split(r"[@\[(]", name)[0] in MEASURES:
            measure_named(name.replace("@k", "@10"))
        if name.startswith("inex20"):
            assert name in PRESETS


def studies() -> list[str]:
    # The last two need data that are not ours.
    helpers = {"world", "update", "questions", "chunk_settings"}
    return sorted(path.stem for path in STUDIES.glob("*.py") if path.stem not in helpers)


def studies_and_worlds() -> list[tuple[str, str]]:
    """Every study on every world it is run on: the demo, and world 1 where words mean nothing."""
    both = [(study, world) for world in ("1", "demo") for study in studies()]
    of_words = ("findings", "baselines")
    return [(study, world) for study, world in both if world == "demo" or study not in of_words]


# Studies on the same world share it: in one process, it is made once.
RUN_STUDIES = f"""
import runpy, sys
sys.path.insert(0, {str(STUDIES)!r})
for study in sys.argv[1:]:
    print(f"=== {{study}} ===")
    runpy.run_path(f"{STUDIES}/{{study}}.py", run_name="__main__")
"""


@cache
def printed_on(world: str) -> dict[str, str]:
    """What each study prints on a world."""
    names = [study for study, on in studies_and_worlds() if on == world]
    done = subprocess.run(
        [sys.executable, "-c", RUN_STUDIES, *names],
        capture_output=True,
        env={**os.environ, **OWN_SOURCES, "WORLD": world},
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    _, *parts = re.split(r"^=== (\S+) ===\n", done.stdout.decode(), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize(("study", "world"), studies_and_worlds())
def test_pages_of_studies_hold_their_output(study: str, world: str) -> None:
    page = (STUDIES / f"{study}.md").read_text(encoding="utf-8")
    assert f"\n{printed_on(world)[study]}\n<!-- world {world}: end -->" in page, (
        "run docs/studies/update.py and read the page again"
    )


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    named = re.findall(r"(\S+\.md)$", navigation, re.MULTILINE)
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert sorted(named) == sorted(there)


def test_the_page_about_python_names_everything_public() -> None:
    page = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
    public = set(doxeval.__all__) - {"__version__"}
    assert {name for name in public if not re.search(rf"\b{name}\b", page)} == set()


def test_the_guides_hold_blocks_that_are_run() -> None:
    counts = {page: len(list(blocks(page))) for page in PAGES}
    some = ("../README", "getting-started", "chunks", "search", "own-test-collection", "python")
    assert all(counts[page] > 2 for page in some), counts


def test_a_block_that_prints_something_else_is_noticed() -> None:
    run_console("$ echo one\none\n")
    run_console("$ printf 'one\\ntwo\\nthree\\n'\none\n…\nthree\n")
    run_console("$ echo one \\\n    two\none two\n")
    for wrong in ("$ echo one\ntwo\n", "$ printf 'one\\ntwo\\n'\ntwo\n…\n", "$ false\n"):
        with pytest.raises(AssertionError):
            run_console(wrong)
    with pytest.raises(AssertionError):
        run_session(">>> 1 + 1\n3\n", {})
    with pytest.raises(NameError):
        run_cell("`unknown(1)`", {})


def test_lines_side_by_side_with_other_programs_are_run() -> None:
    assert sum(cell.startswith("`") for cell in own_cells("coming-from")) > 30
