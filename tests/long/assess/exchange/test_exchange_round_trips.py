"""Export, import, export: the same bytes in every format, for random documents and states."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assess.exchange import (
    ExportFormat,
    ImportedState,
    Judged,
    judgments_to_export,
    states_of,
    write_export,
)
from doxeval.assess.judging import Mode
from strategies.judged import JudgedWorld, judged_worlds

# Which formats hold the judgments of which modes.
LOSSY: list[tuple[ExportFormat, Mode]] = [
    ("inex2003", "2003"),
    ("inex2005", "2005"),
    ("inex2005", "2006"),
    ("inex2008", "2006"),
    ("trec", "2006"),
]
FULL: list[tuple[ExportFormat, Mode]] = [
    (format, mode) for format in ("jsonl", "annotations") for mode in ("2003", "2005", "2006")
]


def written_files(path: Path) -> dict[str, bytes]:
    if path.is_dir():
        return {one.name: one.read_bytes() for one in path.iterdir()}
    return {"": path.read_bytes()}


def judged_again(found: ImportedState, before: dict[tuple[str, str], Judged]) -> Judged:
    """An imported judgment as the application would keep it."""
    same = before[found.topic, found.document]
    return replace(
        same,
        assessor=found.assessor,
        state=found.state,
        adjudicated="adjudicated" in found.marks,
        honeypot="honeypot" in found.marks,
        off_pool="off-pool" in found.marks,
    )


def round_trip(
    world: JudgedWorld, format: ExportFormat, *, drafts: bool
) -> list[tuple[Judged, ImportedState]] | None:
    """What was exported and what was imported, after a comparison of all bytes."""
    about = {"collection": world.collection, "mode": world.mode, "drafts": drafts}
    export = judgments_to_export(world.judged, **about)  # type: ignore[arg-type]
    if not export.judged:
        return None
    before = {one.pair: one for one in export.judged}
    with tempfile.TemporaryDirectory() as name:
        first, second = Path(name) / "first", Path(name) / "second"
        write_export(export, first, format)
        found = states_of(first, world.collection, world.mode)
        again = [judged_again(one, before) for one in found]
        # TREC's qrels have no best entry points, without which nothing relevant is validated.
        about["drafts"] = drafts or format == "trec"
        write_export(judgments_to_export(again, **about), second, format)  # type: ignore[arg-type]
        assert written_files(second) == written_files(first)
    assert {(one.topic, one.document) for one in found} == set(before)
    return [(before[one.topic, one.document], one) for one in found]


@pytest.mark.parametrize(("format", "mode"), LOSSY)
@given(data=st.data())
def test_validated_judgments_come_back(
    format: ExportFormat, mode: Mode, data: st.DataObject
) -> None:
    spaces = format not in ("inex2008", "trec")  # which cannot hold ids with spaces
    world = data.draw(judged_worlds(mode, assessors=("A1",), spaces=spaces))
    for judged, found in round_trip(world, format, drafts=False) or ():
        if format == "trec":
            assert found.state.is_relevant == judged.state.is_relevant
            continue
        kept = replace(judged.state, note="", comments=(), problem=False, skipped=False)
        assert found.state == kept
        assert found.problems == ()


@pytest.mark.parametrize(("format", "mode"), FULL)
@given(data=st.data())
def test_everything_comes_back(format: ExportFormat, mode: Mode, data: st.DataObject) -> None:
    world = data.draw(judged_worlds(mode, assessors=("A1",)))
    for judged, found in round_trip(world, format, drafts=True) or ():
        state = judged.state
        if format != "annotations":  # in which alone there are words of assessors
            state = replace(state, note="", comments=())
        assert found.state == state
        assert (found.assessor, found.marks) == (judged.assessor, judged.marks)
        assert found.problems == ()
