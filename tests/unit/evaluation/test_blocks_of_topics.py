"""Runs in blocks of whole topics: scores, warnings and errors are those of the run at once."""

from __future__ import annotations

import contextlib
import io
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any
from weakref import WeakSet

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxeval.assessments import Assessments, Judgment, RelevantElements, Specificity
from doxeval.cli import DEFECT, exit_code
from doxeval.documents import (
    COLLECTION,
    Collection,
    PathPatterns,
    example_collection,
)
from doxeval.errors import DoxevalError, FormatError, InputError, MissingInput
from doxeval.evaluation import AtOnce, Evaluation, Source
from doxeval.measures import MEASURES, Floats, GroundTruth, Ranking, _RelevantInPart
from doxeval.runs import Result, Run, file_pieces, run_of
from doxeval.scores import RunScores
from doxeval.sealed import hashing
from doxeval.topics import Topic
from helpers import Builder
from law_cases import varied
from levels import scaled
from own_measures import Raising
from scenes import Scene, every_year, scenes
from seams import change
from strategies import World, needed_worlds, unit_worlds

NO_BLOCKS = 10_000
SCENES = 8


@pytest.fixture
def only_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that would have to be taken as a whole after all is an error."""

    def refuse(source: object, reason: AtOnce) -> None:
        raise AssertionError(f"not in blocks: {reason}") from reason

    change(monkeypatch, whole_run_check=refuse)


def scored(evaluation: Evaluation, run: Source, rows: int) -> RunScores:
    """The scores of a run in blocks of so many rows."""
    with pytest.MonkeyPatch.context() as patch:
        change(patch, block_rows=rows)
        return evaluation.score(run)


def assert_same(evaluation: Evaluation, run: Source, rows: int) -> None:
    """Hold that blocks change nothing, to the bit."""
    at_once, in_blocks = scored(evaluation, run, NO_BLOCKS), scored(evaluation, run, rows)
    for row, one in enumerate(evaluation.measures):
        same = np.array_equal(in_blocks.values[row], at_once.values[row], equal_nan=True)
        assert same, (str(one.settled), in_blocks.values[row], at_once.values[row])
    assert in_blocks.warnings == at_once.warnings
    assert in_blocks.curves == at_once.curves
    assert in_blocks.documents == at_once.documents
    assert in_blocks == at_once


def by_topic(results: Sequence[Result], random: Random) -> Run:
    """The results of a run, topic by topic, the topics in any order."""
    topics = list(dict.fromkeys(result.topic for result in results))
    random.shuffle(topics)
    return run_of([result for topic in topics for result in results if result.topic == topic])


def runs_of(scene: Scene, random: Random) -> Iterator[Run]:
    """Two runs of the world, whatever they return."""
    world = scene.world
    for results in random.sample([world.elements, world.passages, world.trees, world.chunks], 2):
        if results:
            yield by_topic(results, random)


def evaluation_of(scene: Scene, random: Random, **options: Any) -> Evaluation:
    """An evaluation by every measure of the registry, as far as the world allows it."""
    measures = [varied(kind, scene.scale, random) for kind in MEASURES.values()]
    return Evaluation(
        Assessments(scene.truth.assessments),
        where_possible=[measure for measure in measures if measure is not None],
        collection=scene.world.collection(),
        chunks=scene.world.chunk_table(),
        tokens="words",
        curves=True,
        unresolved="irrelevant",
        **options,
    )


CHOICES: list[dict[str, Any]] = [
    {},
    {"duplicates": "keep", "average_over": "retrieved"},
    {"solid": True, "order": "rsv"},
]


@every_year
def test_every_measure_gives_the_same_bits(year: str, only_in_blocks: None) -> None:
    scored_in_blocks: set[str] = set()
    for number, scene in enumerate(scenes(year)[-SCENES:]):  # the largest
        random = Random(number)
        options = CHOICES[number % len(CHOICES)]
        try:
            evaluation = evaluation_of(scene, random, **options)
        except MissingInput:
            continue
        for run in runs_of(scene, random):
            if options.get("order") == "rsv" and run.score is None:
                continue  # of chunks
            assert_same(evaluation, run, random.choice((1, 2, 3)))
            scored_in_blocks |= {one.asked.name for one in evaluation.measures}
    assert year != "highlights" or scored_in_blocks == set(MEASURES)


# Needs, units and targets


@pytest.mark.parametrize("strategy", [needed_worlds, unit_worlds])
def test_needs_and_units_of_topics(
    strategy: Callable[[], st.SearchStrategy[World]], only_in_blocks: None
) -> None:
    @settings(max_examples=6, database=None)
    @given(strategy(), st.randoms(use_true_random=False))
    def hold(world: World, random: Random) -> None:
        scene = Scene(world, Specificity)
        try:
            evaluation = evaluation_of(scene, random)
        except MissingInput:
            return
        for run in runs_of(scene, random):
            assert_same(evaluation, run, 1)

    hold()


def test_targets_of_topics(only_in_blocks: None) -> None:
    topics = [
        Topic(number, castitle=f"//{tag}[about(., one)]")
        for number, tag in zip("123", "pbs", strict=True)
    ]
    held = 0
    for number, scene in enumerate(scenes()):
        random = Random(number)
        evaluation = evaluation_of(scene, random, targets=topics)
        for run in runs_of(scene, random):
            held += 1
            assert_same(evaluation, run, 1)
    assert held


def test_a_part_knows_the_targets_of_its_own_topics() -> None:
    collection = example_collection({"a": "<s><p>One.</p></s>"})
    judged = Assessments([Judgment(topic, "a") for topic in "78"])
    targets = {"7": PathPatterns.parse("//p"), "8": PathPatterns.parse("//s")}
    truth = GroundTruth.of(judged, collection, targets=targets)
    part = truth.part(np.array([1]))
    topic, node = np.array([0, 0]), np.array([0, 1])
    assert part.relevant.on_target(topic, node).tolist() == [True, False]


def test_a_part_asks_the_whole_what_kinds_of_assessments_there_are() -> None:
    """Every such question is answered by the whole; otherwise a part could answer differently."""
    own = {
        name
        for name, value in vars(RelevantElements).items()
        if isinstance(value, property | cached_property) and not name.startswith("_")
    }
    answered = {
        name for name, value in vars(_RelevantInPart).items() if isinstance(value, property)
    }
    assert own == answered


# Whole files: warnings and errors

DOCUMENTS = ("a", "b", "c", "nowhere")


def lines_of_runs() -> st.SearchStrategy[list[str]]:
    """Lines of a run: topics together or not, ranks in any order, duplicates, unknown names."""
    result = st.tuples(
        st.sampled_from(("1", "2", "3", "4", "unknown", "other")),
        st.sampled_from(DOCUMENTS),
        st.integers(1, 9),
        st.integers(0, 60),
        st.integers(1, 60),
    )
    is_together = st.sampled_from((True, True, True, False))
    bad = st.sampled_from([None] * 9 + ["1 Q0 a 1 0.5 mine x 9", "1 Q0 a", ""])
    return st.builds(_lines, st.lists(result, min_size=1, max_size=40), is_together, bad)


def _lines(results: list[Any], is_together: bool, bad: str | None) -> list[str]:
    if is_together:
        order = list(dict.fromkeys(result[0] for result in results))
        results = sorted(results, key=lambda result: order.index(result[0]))
    lines = [
        f"{topic} Q0 {document} {rank} 0.{rank} mine {start} {length}"
        for topic, document, rank, start, length in results
    ]
    return lines if bad is None else [*lines[: len(lines) // 2], bad, *lines[len(lines) // 2 :]]


def outcome(score: Callable[[], RunScores]) -> Any:
    """The scores, or the error."""
    try:
        return score()
    except DoxevalError as error:
        return type(error), str(error)


def in_pieces(evaluation: Evaluation, path: Path, *, unbroken: bool = False) -> RunScores:
    """The scores of a run that was scored in pieces, each perhaps in another process.

    unbroken: there must be several pieces, and nothing wrong with any of them.
    """
    with pytest.MonkeyPatch.context() as patch:
        change(patch, file_piece_bytes=200)
        change(patch, block_rows=3)
        pieces = evaluation.pieces(path)
        parts = [pickle.loads(pickle.dumps(evaluation.score_piece(piece))) for piece in pieces]
        assert not unbroken or (len(parts) > 2 and all(part.facts for part in parts))
        return evaluation.joined(path, parts)


JUDGED = Assessments.from_dict(
    {
        "1": {"a": [(0, 20)], "b": []},
        "2": {"b": [(5, 9), (20, 40)]},
        "3": {"a": [(0, 50)], "c": [(3, 4)]},
        "4": {"c": []},
        "5": {"a": [(1, 3)]},
    }
)
TEXT = example_collection(dict.fromkeys("abc", f"<s><p>{'word ' * 10}</p></s>"))


@pytest.mark.parametrize("unresolved", ["error", "irrelevant"])
@pytest.mark.parametrize("collection", [None, TEXT])
def test_warnings_and_errors_are_those_of_the_file_at_once(
    unresolved: Any, collection: Collection | None, tmp_path: Path
) -> None:
    measures = ["MAiP", "cP@5", "P@3", "MAgP", "BEPD(L=9)"]
    evaluation = Evaluation(
        JUDGED,
        where_possible=measures,
        collection=collection,
        unresolved=unresolved,
        curves=True,
        per_document=True,
    )
    path = tmp_path / "mine.run"

    @settings(max_examples=scaled(30), database=None)
    @given(lines_of_runs(), st.integers(1, 6))
    def hold(lines: list[str], rows: int) -> None:
        path.write_text("\n".join(lines))
        at_once = outcome(lambda: scored(evaluation, path, NO_BLOCKS))
        assert outcome(lambda: scored(evaluation, path, rows)) == at_once
        assert outcome(lambda: in_pieces(evaluation, path)) == at_once

    hold()


def test_pieces_of_a_file_are_joined_with_their_lines(tmp_path: Path) -> None:
    """Warnings name lines of the file, wherever in a piece they were found."""
    lines = [f"{topic} Q0 a 1 0.5 mine 0 9" for topic in range(30, 5, -1)]
    again = "4 Q0 b 1 0.7 mine 0 9"
    late = ["5 Q0 nowhere 1 0.5 mine 0 9", "3 Q0 a 1 0.5 mine 0 99", again, again]
    more = [f"2 Q0 {name} 1 0.5 mine 0 9" for name in "abc"]
    path = tmp_path / "mine.run"
    path.write_text("\n".join([*lines, *late, "", *more]))
    evaluation = Evaluation(JUDGED, "MAiP", collection=TEXT, unresolved="irrelevant")
    at_once = scored(evaluation, path, NO_BLOCKS)
    told = "\n".join(at_once.warnings)
    assert "first on line 29" in told and "mine.run:27: " in told and "ranks do not rise" in told
    assert in_pieces(evaluation, path, unbroken=True) == at_once
    strict = Evaluation(JUDGED, "MAiP", collection=TEXT)
    error = outcome(lambda: scored(strict, path, NO_BLOCKS))
    assert outcome(lambda: in_pieces(strict, path, unbroken=True)) == error
    assert "2 results do not resolve" in error[1]


def test_each_piece_may_be_right_and_the_file_wrong(tmp_path: Path) -> None:
    path = tmp_path / "mine.run"
    passages = "".join(f"{topic} Q0 a 1 0.5 mine 0 9\n" for topic in range(40, 10, -1))
    path.write_text(passages)
    evaluation = Evaluation(JUDGED, "P@3")
    cut = file_pieces.file_pieces(path, 200)[-1].begin
    path.write_text(passages[:cut] + passages[cut:].replace("mine 0 9", "mine_0_9"))
    error = outcome(lambda: scored(evaluation, path, NO_BLOCKS))
    assert error[0] is FormatError and "6 fields; expected 8 fields as before" in error[1]
    assert outcome(lambda: in_pieces(evaluation, path, unbroken=True)) == error


def test_a_run_that_is_too_large_to_be_taken_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, whole_run_bytes=100)
    path = tmp_path / "mine.run"
    evaluation = Evaluation(JUDGED, "P@3")
    lines = [f"{topic} Q0 a {rank} 0.5 mine 0 9\n" for rank in range(9) for topic in (1, 2)]
    path.write_text("".join(lines))
    reason = "the results of topic 1 stand in several places, and .* sort it by topic"
    with pytest.raises(InputError, match=reason):
        scored(evaluation, path, 1)
    path.write_text("".join(sorted(lines)))
    assert scored(evaluation, path, 1) == scored(evaluation, path, NO_BLOCKS)


def test_what_is_kept_of_a_ranking_is_kept_of_all_of_it(tmp_path: Path) -> None:
    run = Run.from_dict({"1": ["a", "b"], "2": ["b"], "3": ["a"]})
    evaluation = Evaluation(JUDGED, "P@3", keep=len)
    assert scored(evaluation, run, 1).kept == scored(evaluation, run, NO_BLOCKS).kept == 4


# A measure that raises


def hashes_counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of all files that are hashed from now on; opening a collection hashes none."""
    hashed: list[str] = []

    def digest(file: Any, progress: Any = None) -> str:
        hashed.append(file.name)
        return hashing.digest(file, progress)

    change(monkeypatch, digest=digest)
    change(monkeypatch, open_unverified=WeakSet())
    changed = replace(COLLECTION, verified_bytes=-1)
    change(monkeypatch, collection_kind=changed)
    return hashed


LINES = [f"{topic} Q0 {document} 1 0.5 mine 0 9\n" for topic in "12345" for document in "abc"]


@pytest.mark.parametrize("at", ["once", "blocks", "pieces", "where possible"])
def test_a_measure_that_raises_is_called_once_and_nothing_is_hashed(
    at: str, build: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = build({f"{name}.xml": f"<s><p>{'word ' * 10}</p></s>" for name in "abc"}).directory
    hashed = hashes_counted(monkeypatch)
    path = tmp_path / "mine.run"
    path.write_text("".join(LINES))
    if at != "where possible":
        evaluation = Evaluation(JUDGED, [Raising(), "P@3"], collection=directory)
    calls: list[tuple[str, ...]] = []
    monkeypatch.setattr(Raising, "calls", calls)

    def score() -> object:
        if at == "where possible":
            return Evaluation(JUDGED, where_possible=[Raising(), "P@3"], collection=directory)
        if at == "pieces":
            return in_pieces(evaluation, path)
        return scored(evaluation, path, 3 if at == "blocks" else NO_BLOCKS)

    with pytest.raises(ValueError, match=r"^a mistake in topic 2$"):
        score()
    assert sum("2" in topics for topics in calls) == 1
    assert len(set(calls)) == len(calls)
    assert hashed == []
    with contextlib.redirect_stderr(io.StringIO()) as told:
        assert exit_code(score) == DEFECT
    assert "ValueError: a mistake in topic 2" in told.getvalue()
    assert hashed == []


def test_what_a_measure_lacks_in_a_block_is_told_as_of_the_run(
    tmp_path: Path, only_in_blocks: None
) -> None:
    class Picky(Raising):
        name = "Picky"

        def scores(self, ranking: Ranking) -> Floats:
            if "3" in ranking.truth.topics:
                raise MissingInput("Picky needs something else")
            return np.zeros(len(ranking.truth.topics))

    path = tmp_path / "mine.run"
    path.write_text("".join(LINES))
    with pytest.raises(MissingInput, match=r"^Picky needs something else$"):
        scored(Evaluation(JUDGED, [Picky(), "P@3"]), path, 3)
    options: dict[str, Any] = {"measures": ["MAgP"], "per_document": True}
    evaluation = Evaluation(JUDGED, **options)
    with_picky = evaluation.measures + tuple(
        one._replace(is_optional=True) for one in Evaluation(JUDGED, [Picky()]).measures
    )
    evaluation.measures = with_picky
    found = scored(evaluation, path, 3)
    assert found == scored_with(with_picky, path, options)
    assert any("Picky is left out: Picky needs something else" in w for w in found.warnings)


def scored_with(measures: Any, path: Path, options: dict[str, Any]) -> RunScores:
    """The scores by these measures of a run at once."""
    evaluation = Evaluation(JUDGED, **options)
    evaluation.measures = measures
    return scored(evaluation, path, NO_BLOCKS)
