"""The fuzzer covers everything that reads input, and finds what it should find."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from doxeval.assessments import FORMATS as ASSESSMENT_FORMATS
from doxeval.cli import VERBS
from doxeval.documents import SUFFIXES, is_archive
from doxeval.errors import FormatError
from doxeval.files import COMPRESSIONS
from doxeval.navigation import READERS as NAVIGATION
from doxeval.runs import FORMATS as RUN_FORMATS
from doxeval.topics import FORMATS as TOPICS
from fuzz import blocks
from fuzzing import good_files
from fuzzing.calls import CALLS
from fuzzing.coverage import Coverage
from fuzzing.findings import finding_of
from fuzzing.shrinking import shorter, shrunk
from fuzzing.target import Target
from fuzzing.targets import TARGETS
from fuzzing.trials import Block, is_finding

ROOT = Path(__file__).resolve().parents[3]
# They take seconds, and are called by other tests.
SLOW = {"command-report", "command-demo"}


def test_every_reader_is_a_target() -> None:
    assert {f"{name}-documents" for name in SUFFIXES.values()} <= set(TARGETS)
    assert {f"{name}-runs" for name in RUN_FORMATS} <= set(TARGETS)
    assert {f"{name}-topics" for name in TOPICS} <= set(TARGETS)
    by_format = {"qrels": "qrels", "trec": "trec-qrels", "judgments": "jsonl-assessments"}
    of_xml = dict.fromkeys(("grades", "highlights"), "xml-assessments")
    assert {(by_format | of_xml)[name] for name in ASSESSMENT_FORMATS} <= set(TARGETS)
    assert "pools" in TARGETS
    assert {suffix.removeprefix(".") for suffix in COMPRESSIONS} <= set(TARGETS)
    assert is_archive("a.zip")
    assert is_archive("a.tar")
    assert {"zip", "tar"} <= set(TARGETS)


def test_every_model_of_navigation_is_tried() -> None:
    tried = b" ".join([*TARGETS["navigation"].good, *TARGETS["navigation"].tokens])
    assert all(f'"{name}"'.encode() in tried for name in NAVIGATION)


def test_every_verb_is_called() -> None:
    assert tuple(CALLS) == tuple(verb for verb in CALLS if verb in VERBS)
    assert set(CALLS) == set(VERBS)


@pytest.mark.parametrize("name", sorted(set(TARGETS) - SLOW))
def test_good_files_are_read(name: str) -> None:
    for data in TARGETS[name].good:
        TARGETS[name].read(data)


@pytest.mark.parametrize("name", sorted(set(TARGETS) - SLOW))
def test_a_seed_gives_the_same_inputs(name: str) -> None:
    target = TARGETS[name]
    pool = target.good + target.starts
    inputs = [
        [target.input(Block(name, 0, 9, 7).chance(at), pool) for at in range(9)] for _ in range(2)
    ]
    assert inputs[0] == inputs[1]
    assert len(set(inputs[0])) > 3


def test_inputs_are_shared_out() -> None:
    made = blocks(TARGETS, 100_000, 7)
    assert sum(block.count for block in made) == pytest.approx(100_000, rel=0.01)
    assert {block.target for block in made} == set(TARGETS)


def test_errors_of_ours_are_no_findings() -> None:
    assert not is_finding(None)
    assert not is_finding(FormatError("wrong"))
    assert is_finding(KeyError("x"))
    assert is_finding(OSError("x"))


def test_findings_of_one_place_are_of_one_kind() -> None:
    def error(text: str) -> BaseException:
        with pytest.raises(ValueError, match="x") as caught:
            int(text)
        return caught.value

    one, other = finding_of("a", error("x1"), b""), finding_of("a", error("x2"), b"")
    assert one.kind == other.kind
    assert one.kind != finding_of("a", KeyError(), b"").kind


def test_inputs_are_made_smaller() -> None:
    data = good_files.XML
    assert shrunk(data, shorter, lambda less: b"sec" in less) == b"sec"


def test_new_lines_and_new_errors_are_noticed() -> None:
    coverage = Coverage()
    read = TARGETS["path-patterns"].read
    news = []
    for data in [b"//s"] * 12 + [b"//(s|p)"] * 12:
        with coverage.watching():
            read(data)
        news.append(coverage.is_new(None))
    assert sum(news[:12]) == 1
    assert coverage.is_new(FormatError("no measure 'x'"))
    assert not coverage.is_new(FormatError("no measure 'y'"))


# Targets that misbehave in every way, and what the fuzzer must say of each.
MISBEHAVING = """
import os, sys, time
from fuzzing import trials, workers
trials.SECONDS, trials.MEMORY, workers._HANGS = 0.2, 400 << 20, 6

def unless(good, act):
    return lambda data: None if data == good else act()

def fail(): raise KeyError("x")
def loop():
    while True: pass
def grow(): b"x" * (600 << 20)

acts = {
    "raises": fail,
    "loops": loop,
    "hangs": lambda: time.sleep(100),
    "dies": lambda: os.kill(os.getpid(), 9),
    "grows": grow,
    "good": lambda: None,
}
targets = {
    name: trials.Target(name, unless(b"abcdefgh", act), (b"abcdefgh",))
    for name, act in acts.items()
}
done, found = {}, []
workers.try_all(
    targets, [trials.Block(name, 0, 1 if name == "hangs" else 2, 5) for name in targets], {}, 2,
    lambda block, tally: done.update({block.target: done.get(block.target, 0) + tally.inputs}),
    found.append,
)
print(done)
print(sorted({(one.target, one.kind.split()[0]) for one in found}))
print(min(len(one.data) for one in found if one.target == "raises"))
"""


def test_everything_that_misbehaves_is_found() -> None:
    paths = os.pathsep.join(str(ROOT / name) for name in ("src", "scripts"))
    done = subprocess.run(
        [sys.executable, "-c", MISBEHAVING],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    counts, kinds, smallest = done.stdout.splitlines()
    names = ["raises", "loops", "hangs", "dies", "grows", "good"]
    assert eval(counts) == {**dict.fromkeys(names, 2), "hangs": 1}
    assert eval(kinds) == [
        ("dies", "died"),
        ("grows", "TooLarge"),
        ("hangs", "hangs"),
        ("loops", "TooSlow"),
        ("raises", "KeyError"),
    ]
    assert smallest == "0"


def test_a_target_that_refuses_its_good_file_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    # Other tests may have used much memory in this process.
    monkeypatch.setattr("fuzzing.trials.MEMORY", 1 << 60)

    def refuse(_: bytes) -> object:
        raise FormatError("never")

    from fuzzing.trials import check_good

    class Nobody:
        def begins(self, at: int, data: bytes) -> None: ...

        def finds(self, finding: object) -> None: ...

    with pytest.raises(ValueError, match="a good file is refused"):
        check_good(Target("t", refuse, (b"x",)), Nobody())


def test_mutations_change_something() -> None:
    target = TARGETS["xml-documents"]
    made = {target.input(Random(at), target.good) for at in range(50)}
    assert len(made - set(target.good)) > 40
