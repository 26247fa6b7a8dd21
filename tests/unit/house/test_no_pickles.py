"""No pickle is ever loaded from a file: a pickle can run any code.

Evaluations and errors are pickled on their way to workers and back; those bytes are our own and
never in a file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from house_imports import ROOT

# Whatever unpickles, or runs code that it is given.
FORBIDDEN = {
    "load": {"pickle", "marshal", "joblib", "dill", "cloudpickle", "torch"},
    "Unpickler": {"pickle"},
    "open": {"shelve"},
    "read_pickle": {"pandas", "pd"},
}
UNPICKLES_ITS_OWN = {
    "parallel/engine.py",
    "parallel/shared.py",
    "evaluation/jobs.py",
    "parallel/processes.py",
}


# Some of these words are in every source that has an offence, so only those are parsed.
WORDS = re.compile(r"pickle|marshal|joblib|dill|torch|shelve|\.load\b|\beval\b|\bexec\b")


def offences(source: str, may_unpickle: bool) -> Iterator[str]:
    """Yield the calls in a source that would load a pickle."""
    if not WORDS.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module in FORBIDDEN["load"]:
            yield f"line {node.lineno}: names of {node.module} are imported"
        if not isinstance(node, ast.Call):
            continue
        keywords = {word.arg: ast.unparse(word.value) for word in node.keywords}
        if keywords.get("allow_pickle", "False") != "False":
            yield f"line {node.lineno}: allow_pickle"
        called = ast.unparse(node.func)
        module, _, name = called.rpartition(".")
        if module in FORBIDDEN.get(name, ()) or called in ("eval", "exec"):
            yield f"line {node.lineno}: {called}"
        if called in ("pickle.loads", "marshal.loads") and not may_unpickle:
            yield f"line {node.lineno}: {called}"
        if called in ("np.load", "numpy.load") and keywords.get("allow_pickle") != "False":
            yield f"line {node.lineno}: {called} without allow_pickle=False"


def test_no_source_loads_a_pickle_from_a_file() -> None:
    offending = []
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        source = path.read_text(encoding="utf-8")
        may_unpickle = name in UNPICKLES_ITS_OWN
        offending += [f"{name}: {offence}" for offence in offences(source, may_unpickle)]
    assert not offending


@pytest.mark.parametrize(
    "source",
    [
        "pickle.load(file)",
        "pickle.loads(data)",
        "from pickle import load",
        "pickle.Unpickler(file).load()",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "numpy.lib.format.read_array(file, allow_pickle=allowed)",
        "pd.read_pickle(path)",
        "shelve.open(path)",
        "eval(text)",
        "exec (text)",
        "torch.load(path)",
    ],
)
def test_the_search_finds(source: str) -> None:
    assert list(offences(source, may_unpickle=False))
