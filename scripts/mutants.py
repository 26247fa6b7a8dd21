"""Change the code in small ways, one at a time, and count how many changes the tests catch.

    python scripts/mutants.py                   60 mutants against the tests of `make test`
    python scripts/mutants.py --level all       survivors also against those of `make test-long`
    python scripts/mutants.py --list            only show the mutants
    python scripts/mutants.py --only 7,12 --level near      two of them, against the nearest tests
    python scripts/mutants.py --out mutants.csv --at-least 54

Mutants are chosen by a seed, 15 in each area, spread over its files and over kinds of changes. Only
bodies of functions are changed, not their messages and annotations. Each mutant first meets the
tests of the nearest rooms, several mutants at once; if those pass, it meets a whole level. One that
hangs is caught: "time-out". The checkout is never touched, tests run in copies. A mutant that
survives either shows what no test looks at, or does the same as the original; a note should say
which.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import csv
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PER_AREA = 15
# Files below src/doxeval, as globs: when files move, this is the place to edit.
AREAS = {
    "spans": "spans.py",
    "resolution": "runs/resolution.py assessments/resolution.py documents/lookup.py "
    "documents/text_points.py",
    "ranking": "evaluation/ranking.py measures/ranking.py",
    "measures": "measures/elements.py measures/new_text.py measures/ground_truth.py "
    "measures/families/**/*.py",
}
# The rooms whose tests are tried first.
NEAREST = {
    "spans": "spans measures",
    "resolution": "runs assessments evaluation documents",
    "ranking": "evaluation measures",
    "measures": "measures",
}
# What the levels of `make` give to pytest, and after how many seconds a run counts as hanging.
LEVELS = {
    "unit": ["tests/unit", "src", "--dist=worksteal"],
    "long": ["tests", "--dist=loadfile"],
}
SECONDS = {"near": 600, "unit": 900, "long": 5400}
# A mutant may fill the memory. Browsers and databases, in long, may need more than this.
_LIMITED = f"import resource as r; r.setrlimit(r.RLIMIT_DATA, ({6 << 30}, r.RLIM_INFINITY))"
_NOT_COPIED = (".git", ".venv", "node_modules", "__pycache__", ".*cache", ".hypothesis")
_LINKED = ("web/node_modules", "../shared")  # what tests look for below and beside the project


def main() -> None:
    """Choose mutants, run tests against them, print which are caught, and write a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--level", choices=("near", "unit", "all"), default="unit")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--list", action="store_true", help="show the mutants and end")
    parser.add_argument("--only", metavar="N,M", help="the numbers of some mutants")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once (default: 2)")
    parser.add_argument("--at-least", type=int, default=0, help="exit 1 if fewer are caught")
    parser.add_argument("--out", metavar="FILE.csv", help="where to write the results")
    options = parser.parse_args()
    mutants = all_mutants(options.seed)
    if options.only:
        numbers = set(map(int, options.only.split(",")))
        if unknown := numbers - {mutant.number for mutant in mutants}:
            parser.error(f"there is no mutant {min(unknown)}; there are 1 to {len(mutants)}")
        mutants = [mutant for mutant in mutants if mutant.number in numbers]
    if options.list:
        print(*mutants, sep="\n")
        return
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as directory:
        copies = [Copy(Path(directory) / str(number)) for number in range(options.jobs)]
        results = tested(mutants, copies, options.level)
    rows = [(*mutant[:5], *result) for mutant, result in zip(mutants, results, strict=True)]
    if options.out:
        with open(options.out, "w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow([*Mutant._fields[:4], "mutation", "caught by", "first failure"])
            table.writerows(rows)
    print()
    for mutant, (level, failure) in zip(mutants, results, strict=True):
        print(f"{mutant}\n     {level}{failure and ': ' + failure}")
    print()
    for (area, level), count in Counter((row[1], row[5]) for row in rows).items():
        print(f"{area:<12}{level:<10}{count:>3}")
    caught = sum(level != "survived" for level, _ in results)
    print(f"{caught} of {len(mutants)} mutants are caught")
    sys.exit(int(caught < options.at_least))


# Mutants


class Change(NamedTuple):
    """New text for some of a file, and what kind of change that is."""

    start: int
    end: int
    new: str
    kind: str


class Mutant(NamedTuple):
    """A change of a file, with its number, area and line, and that line with the change in it."""

    number: int
    area: str
    file: str
    line: int
    shown: str
    change: Change

    def __str__(self) -> str:
        return f"{self.number:>3}  {self.area:<10}  {self.file}:{self.line}  {self.shown}"


def all_mutants(seed: int) -> list[Mutant]:
    """Choose the mutants of all areas; the same seed and code give the same mutants."""
    mutants: list[Mutant] = []
    for area, patterns in AREAS.items():
        files: set[Path] = set()
        for pattern in patterns.split():
            matching = set((ROOT / "src/doxeval").glob(pattern))
            if not matching:
                sys.exit(f"the table AREAS lists src/doxeval/{pattern}, which does not exist")
            files |= matching
        candidates = {file: list(candidates_in(area, file)) for file in sorted(files)}
        mutants += chosen(candidates, random.Random(f"{seed} {area}"))
    return [mutant._replace(number=number) for number, mutant in enumerate(mutants, 1)]


def candidates_in(area: str, file: Path) -> Iterator[Mutant]:
    """Yield all mutants of a file, sorted by their position."""
    # Syntax trees count bytes. Read as Latin-1, every byte is a character.
    text = file.read_bytes().decode("latin-1")
    for change in sorted(set(Changes(text))):
        line = text.count("\n", 0, change.start)
        begin, end = text.rfind("\n", 0, change.start) + 1, text.find("\n", change.end)
        parts = text[begin : change.start], text[change.start : change.end], change.new
        before, old, new, after = (
            part.encode("latin-1").decode() for part in (*parts, text[change.end : end])
        )
        shown = " ".join(f"{before}[{old} → {new}]{after}".split())
        yield Mutant(0, area, file.relative_to(ROOT).as_posix(), line + 1, shown, change)


def chosen(candidates: dict[Path, list[Mutant]], dice: random.Random) -> list[Mutant]:
    """Choose mutants from file after file, of kinds that are rare so far, no two on a line."""
    mutants: list[Mutant] = []
    kinds: Counter[str] = Counter()
    files = list(candidates)
    dice.shuffle(files)
    while len(mutants) < PER_AREA and any(candidates.values()):
        for file in files:
            if len(mutants) == PER_AREA or not candidates[file]:
                continue
            # First a kind, then a place, or most changes would be of constants.
            present = sorted({mutant.change.kind for mutant in candidates[file]})
            rarest = min(kinds[kind] for kind in present)
            kind = dice.choice([kind for kind in present if kinds[kind] == rarest])
            kinds[kind] += 1
            mutant = dice.choice([mut for mut in candidates[file] if mut.change.kind == kind])
            mutants.append(mutant)
            candidates[file] = [other for other in candidates[file] if other.line != mutant.line]
    return sorted(mutants, key=lambda mutant: (mutant.file, mutant.line, mutant.change))


# Changes

_PAIRS = (
    "< : <=, > : >=, == : !=, in : not in, is : is not, and : or, + : -, * : /, & : |, += : -=, "
    "*= : /=, &= : |=, min : max, minimum : maximum, argmin : argmax, any : all, floor : ceil, "
    'bisect_left : bisect_right, break : continue, True : False, "left" : "right", 0.0 : 1.0'
)
_SWAPS = dict(pair.split(" : ") for pair in _PAIRS.split(", "))
_SWAPS |= {new: old for old, new in _SWAPS.items()} | {"//": "*", "%": "//", "**": "*"}
# What says nothing about behaviour, or only what is wrong.
_SKIPPED_CALLS = ("cast", "isinstance", "reshape", "warn", "Example", "Facts", "Parameter")
_SKIPPED_FUNCTIONS = ("__repr__", "__str__", "_example")
_WHOLE = "(?s)^(.*)$"


class Changes:
    """All changes of a text of Python, whose characters are bytes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]

    def __iter__(self) -> Iterator[Change]:
        for node in changeable(ast.parse(self._text.encode("latin-1"))):
            yield from self._changes_at(node)

    def _changes_at(self, node: ast.AST) -> Iterator[Change]:
        """Yield the changes of a node itself; its children have theirs."""
        match node:
            case ast.Compare():
                yield from self._operators([node.left, *node.comparators], "comparison")
            case ast.BoolOp():
                yield from self._operators(node.values, "and, or")
            case ast.BinOp() if not is_sequence(node):
                yield from self._operators([node.left, node.right], "arithmetic")
            case ast.AugAssign() if not is_sequence(node.value):
                yield from self._operators([node.target, node.value], "assignment")
            case ast.UnaryOp(op=ast.Not() | ast.Invert()):
                yield from self._change(self._span(node), r"^(not\b\s*|~)", "negation", "")
            case ast.UnaryOp(op=ast.USub()) if not isinstance(node.operand, ast.Constant):
                yield from self._change(self._span(node), "^-", "sign", "")
            case ast.If(test=test) | ast.IfExp(test=test):
                yield from self._change(self._span(test), _WHOLE, "condition", r"not (\1)")
            case ast.comprehension():
                for test in node.ifs:
                    yield from self._change(self._span(test), _WHOLE, "condition", r"not (\1)")
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                for near in (value + 1, value - 1)[: 1 + (value > 0)]:
                    yield from self._change(self._span(node), _WHOLE, "constant", str(near))
            case ast.Constant() | ast.Break() | ast.Continue():
                yield from self._change(self._span(node), _WHOLE, "word")
            case ast.Subscript():
                yield from self._change(self._span(node), r"\[::-1\]$", "order", "")
            case ast.Attribute(value=ast.Name(id="np")):
                yield from self._change(self._span(node), r"(\w+)$", "function")
            case ast.Call():
                yield from self._changes_of_call(node)

    def _changes_of_call(self, node: ast.Call) -> Iterator[Change]:
        name = name_of(node.func)
        is_numpy = ast.unparse(node.func).startswith("np.")  # whose names change by themselves
        # Another function must have been imported, if it is not built in.
        is_there = hasattr(builtins, name) or _SWAPS.get(name, "") in self._text
        if not is_numpy and (is_there or isinstance(node.func, ast.Attribute)):
            yield from self._change(self._span(node.func), r"(\w+)$", "function")
        if name == "sorted" or (is_numpy and name in ("sort", "argsort", "lexsort")):
            yield from self._change(self._span(node), r"\Z", "order", "[::-1]")
        if name == "copy" and not node.args:
            yield from self._change(self._span(node), r"\.copy\(\)$", "copy", "")
        if name == "searchsorted" and len(node.args) == 1 + is_numpy and not node.keywords:
            yield from self._change(self._span(node.args[-1]), r"\Z", "side", ', side="right"')

    def _operators(self, operands: list[ast.expr], kind: str) -> Iterator[Change]:
        """Yield the changes of the operators between operands."""
        for left, right in pairwise(operands):
            gap = (self._span(left)[1], self._span(right)[0])
            yield from self._change(gap, r"^[\s()]*([^\s()#]+( [a-z]+)?)[\s()]*$", kind)

    def _change(
        self, span: tuple[int, int], pattern: str, kind: str, new: str | None = None
    ) -> Iterator[Change]:
        """Yield the change of what a pattern matches; by default its first group is swapped."""
        matched = re.search(pattern, self._text[span[0] : span[1]])
        if matched and new is not None:
            start, end = matched.span()
            yield Change(span[0] + start, span[0] + end, matched.expand(new), kind)
        elif matched and matched[1] in _SWAPS:
            start, end = matched.span(1)
            yield Change(span[0] + start, span[0] + end, _SWAPS[matched[1]], kind)

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        start = self._lines[node.lineno - 1] + node.col_offset
        return start, self._lines[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)


def changeable(node: ast.AST, *, in_function: bool = False) -> Iterator[ast.AST]:
    """Yield the nodes in the bodies of functions, without messages, annotations and metadata."""
    children: Iterable[ast.AST] = ast.iter_child_nodes(node)
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            in_function = not isinstance(node, ast.ClassDef)
            children = node.body if node.name not in _SKIPPED_FUNCTIONS else []
        case ast.AnnAssign():
            children = [node.value] if node.value else []
        case ast.Slice():  # the step is a matter of order
            children = [part for part in (node.lower, node.upper) if part]
        case ast.JoinedStr() | ast.Raise() | ast.Assert() | ast.keyword(arg="strict" | "dtype"):
            return
        case ast.Call() if name_of(node.func) in _SKIPPED_CALLS or makes_error(node):
            return
    if in_function:
        yield node
    for child in children:
        yield from changeable(child, in_function=in_function)


def name_of(function: ast.expr) -> str:
    """Return the name of a function without what is before its dots."""
    return ast.unparse(function).rpartition(".")[2]


def makes_error(call: ast.Call) -> bool:
    """Return whether a call makes an instance of a class from a message."""
    has_message = any(isinstance(node, ast.JoinedStr) for node in ast.walk(call))
    return has_message and name_of(call.func)[:1].isupper()


def is_sequence(node: ast.expr) -> bool:
    """Return whether an expression is clearly a text or a list, which can only be added."""
    if isinstance(node, ast.BinOp):
        return is_sequence(node.left) or is_sequence(node.right)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str | bytes)
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp)


# Tests


class Copy:
    """A copy of the project, in which mutants are made and tests run."""

    def __init__(self, directory: Path) -> None:
        self.root = directory / ROOT.name
        self._temporary = directory / "tmp"
        self._process: subprocess.Popen[str] | None = None
        shutil.copytree(ROOT, self.root, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_COPIED))
        for name in _LINKED:
            if (ROOT / name).exists():
                Path(os.path.normpath(self.root / name)).symlink_to((ROOT / name).resolve())
        sources = {"PYTHONPATH": str(self.root / "src"), "TMPDIR": str(self._temporary)}
        self._environment = os.environ | sources
        command = [sys.executable, "-c", "import doxeval; print(doxeval.__file__)"]
        imported = subprocess.check_output(command, cwd="/", env=self._environment, text=True)
        if not imported.startswith(str(self.root)):
            sys.exit(f"tests would import {imported.strip()}, not the copy in {self.root}")

    @contextmanager
    def mutated(self, mutant: Mutant) -> Iterator[None]:
        """Have a mutant in the copy for a while."""
        path = self.root / mutant.file
        original, stamp = path.read_bytes(), path.stat().st_mtime
        start, end, new, _ = mutant.change
        path.write_bytes(original[:start] + new.encode() + original[end:])
        # Compiled files are trusted if time and size fit, so no two mutants have the same time.
        os.utime(path, (stamp + mutant.number, stamp + mutant.number))
        try:
            yield
        finally:
            path.write_bytes(original)
            os.utime(path, (stamp, stamp))

    def first_failure(self, level: str, arguments: list[str]) -> str:
        """Run tests until one fails, and return its name; empty if all pass."""
        shutil.rmtree(self._temporary, ignore_errors=True)
        self._temporary.mkdir()
        limit = "" if level == "long" else _LIMITED
        start = f"{limit}\nimport sys, pytest\nsys.exit(pytest.main(sys.argv[1:]))"
        self._process = subprocess.Popen(
            [sys.executable, "-c", start, "-x", "-p", "no:cacheprovider", *arguments],
            cwd=self.root,
            env=self._environment | {"DOXEVAL_TEST_LEVEL": "long" if level == "long" else "unit"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            process_group=0,
        )
        try:
            output, _ = self._process.communicate(timeout=SECONDS[level])
        except subprocess.TimeoutExpired:
            return "time-out"
        finally:
            self.stop()
        if self._process.returncode in (0, 5):  # 5: there are no tests
            return ""
        failed = re.search(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)
        return failed[1] if failed else (output.strip().splitlines() or ["no output"])[-1]

    def stop(self) -> None:
        """End the tests that are running, and the processes that they have started."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def nearest_tests(mutant: Mutant) -> list[str]:
    """Return the examples of the mutant's module, and the tests of the nearest rooms."""
    rooms = [f"tests/unit/{room}" for room in NEAREST[mutant.area].split()]
    return [mutant.file, *(room for room in rooms if (ROOT / room).is_dir())]


def tested(mutants: list[Mutant], copies: list[Copy], level: str) -> list[tuple[str, str]]:
    """Return the level that catches each mutant, or "survived", and the first test that fails."""
    names = {"near": [], "unit": ["unit"], "all": ["unit", "long"]}[level]
    levels = [(name, [*LEVELS[name], f"-n{len(copies)}"]) for name in names]
    nearest = {mutant.area: ("near", nearest_tests(mutant)) for mutant in mutants}
    for name, arguments in levels or nearest.values():
        failure = copies[0].first_failure(name, arguments)
        if failure:
            sys.exit(f"without any mutant, tests fail: {failure}")
    free: queue.SimpleQueue[Copy] = queue.SimpleQueue()
    for copy in copies:
        free.put(copy)

    def result(mutant: Mutant, name: str, arguments: list[str]) -> tuple[str, str]:
        copy = free.get()
        with copy.mutated(mutant):
            failure = copy.first_failure(name, arguments)
        free.put(copy)
        print(f"{mutant.number:>3}  {name}: {failure or 'all pass'}", flush=True)
        return (name.replace("near", "unit"), failure) if failure else ("survived", "")

    pool = ThreadPoolExecutor(len(copies))
    try:
        results = list(
            pool.map(lambda mutant: result(mutant, "near", nearest_tests(mutant)), mutants)
        )
        for name, arguments in levels:
            for at, mutant in enumerate(mutants):
                if results[at][0] == "survived":
                    results[at] = result(mutant, name, arguments)
    finally:  # after an interrupt, too
        pool.shutdown(wait=False, cancel_futures=True)
        for copy in copies:
            copy.stop()
        pool.shutdown()
    return results


if __name__ == "__main__":
    main()
