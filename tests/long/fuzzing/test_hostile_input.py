"""Hostile input ends soon, in a result or in an error of ours, whoever reads it.

`make fuzz` runs these tests on fresh inputs. A finding is kept in the directory FINDINGS, by
target: the smallest input that Hypothesis comes to, or the one that the process died of.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from doxeval.assessments import FORMATS as ASSESSMENT_FORMATS
from doxeval.cli import VERBS
from doxeval.documents import SUFFIXES
from doxeval.errors import FormatError
from doxeval.files import COMPRESSIONS, is_archive
from doxeval.navigation import READERS as NAVIGATION
from doxeval.runs import FORMATS as RUN_FORMATS
from doxeval.topics import FORMATS as TOPICS
from fuzzing import TARGETS, target
from fuzzing.calls import CALLS
from fuzzing.target import Target, TooSlow
from helpers import DATA
from levels import LEVEL

FINDINGS = Path(os.environ.get("DOXEVAL_FINDINGS", tempfile.gettempdir())) / "doxeval-findings"
# Examples of a target whose share is one.
EXAMPLES = 400 if LEVEL == "explore" else 8
# They take seconds, and are called by other tests.
SLOW = {"command-report", "command-demo"}


def inputs(tried: Target) -> st.SearchStrategy[bytes]:
    """Inputs of a target. Most are made from good files, some from what was found before."""
    known = [path.read_bytes() for path in sorted((DATA / "hostile" / tried.name).glob("*"))]
    good = [*tried.good, *tried.starts]
    pools = [good] * 8 + [[*good, *known]]

    def made(chance: Random) -> bytes:
        return tried.input(chance, chance.choice(pools))

    return st.randoms(use_true_random=False).map(made)


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", sorted(TARGETS))
def test_hostile_input_is_read_or_refused(name: str) -> None:
    tried = TARGETS[name]
    kept = FINDINGS / name / f"finding{tried.suffix}"

    @settings(max_examples=max(1, round(EXAMPLES * tried.share)))
    @given(data=inputs(tried))
    def check(data: bytes) -> None:
        if LEVEL == "explore":  # for the case that the process dies
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(data)
        try:
            tried.check(data)
        except BaseException:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(data)
            note(f"the input is in {kept}")
            raise

    check()
    kept.unlink(missing_ok=True)


def test_every_reader_is_a_target() -> None:
    assert {f"{name}-documents" for name in SUFFIXES.values()} <= set(TARGETS)
    assert {f"{name}-runs" for name in RUN_FORMATS} <= set(TARGETS)
    assert {f"{name}-topics" for name in TOPICS} <= set(TARGETS)
    by_format = {"qrels": "qrels", "trec": "trec-qrels", "judgments": "jsonl-assessments"}
    by_format |= {"beir": "beir-qrels", "ranx-qrels": "ranx-qrels", "msmarco-qrels": "trec-qrels"}
    by_format |= {"aspects": "gold-passages"}
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
    assert set(CALLS) == set(VERBS)


@pytest.mark.parametrize("name", sorted(set(TARGETS) - SLOW))
def test_good_files_are_read(name: str) -> None:
    for data in TARGETS[name].good:
        TARGETS[name].read(data)


def raises(error: Exception) -> Target:
    def read(_: bytes) -> object:
        raise error

    return Target("t", read, ())


def test_errors_of_ours_are_refusals_and_others_are_findings() -> None:
    raises(FormatError("wrong")).check(b"")
    for error in (KeyError("x"), OSError("x")):
        with pytest.raises(type(error)):
            raises(error).check(b"")


def test_what_takes_too_long_or_too_much_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target, "SECONDS", 0.1)
    monkeypatch.setattr(target, "MEMORY", 100 << 20)

    def work(_: bytes) -> object:
        while True:
            time.process_time()

    before = signal.getsignal(signal.SIGPROF)
    with pytest.raises(TooSlow):
        Target("t", work, ()).check(b"")
    with pytest.raises(MemoryError):
        Target("t", lambda _: bytes(200 << 20), ()).check(b"")
    assert signal.getsignal(signal.SIGPROF) == before
    assert len(bytes(200 << 20)) == 200 << 20  # the limit is gone
