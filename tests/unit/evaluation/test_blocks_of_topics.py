"""Runs in blocks of whole topics: scores, warnings and errors are those of the run at once.

The other levels are elsewhere: that readers give blocks of whole topics in tests/unit/runs, random
worlds and parameters in tests/long/evaluation, and that pieces arrive and are joined there, too.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any, ClassVar
from weakref import WeakSet

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxeval.arrays import Floats
from doxeval.assessments import (
    Assessments,
    Grade2003,
    GradedElement,
    Judgment,
    RelevantElements,
)
from doxeval.cli import DEFECT, exit_code
from doxeval.documents import COLLECTION, Collection, example_collection
from doxeval.errors import DoxevalError, FormatError, InputError, MissingInput
from doxeval.evaluation import Evaluation, Keep, RunOptions
from doxeval.measures import MEASURES, Measure, Ranking
from doxeval.runs import Run, pieces_of_file
from doxeval.scores import RunScores
from doxeval.topics import Topic
from helpers import Builder, needs_named_pipes
from levels import scaled
from own_measures import Raising
from scenes import scenes
from scoring_in_blocks import (
    CHOICES,
    NO_BLOCKS,
    PIECE,
    assert_same,
    evaluation_of,
    in_pieces,
    only_in_blocks,
    runs_of,
    scored,
)
from seams import change, value_of

__all__ = ["only_in_blocks"]  # a fixture

TARGETS = [
    Topic(number, castitle=f"//{tag}[about(., one)]")
    for number, tag in zip("123", "pbs", strict=True)
]


@pytest.mark.parametrize(
    ("year", "options"),
    [
        ("highlights", CHOICES[0]),
        ("highlights", {"targets": TARGETS}),
        ("2002", CHOICES[1]),
        ("2003", CHOICES[2]),
        ("2005", CHOICES[0]),
        ("needs", CHOICES[0]),
    ],
)
def test_every_measure_gives_the_same_bits(
    year: str, options: dict[str, Any], only_in_blocks: None
) -> None:
    scene, random = scenes(year)[-1], Random(year)  # the largest
    evaluation = evaluation_of(scene, [kind() for kind in MEASURES.values()], **options)
    names: set[str] = set()
    for run in runs_of(scene, random, options.get("order")):
        names |= assert_same(evaluation, run, 1)
    assert names
    if year == "highlights" and not options:
        results = scene.world.elements
        assert names == {name for name in MEASURES if scene.takes(MEASURES[name](), results)}


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
        run_options=RunOptions(unresolved=unresolved),
        keep=Keep(curves=True, per_document=True),
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
    evaluation = Evaluation(
        JUDGED, "MAiP", collection=TEXT, run_options=RunOptions(unresolved="irrelevant")
    )
    at_once = scored(evaluation, path, NO_BLOCKS)
    told = "\n".join(at_once.warnings)
    assert "first on line 29" in told and "mine.run:27: " in told and "ranks do not rise" in told
    assert in_pieces(evaluation, path, unbroken=True) == at_once
    strict = Evaluation(JUDGED, "MAiP", collection=TEXT)
    error = outcome(lambda: scored(strict, path, NO_BLOCKS))
    assert outcome(lambda: in_pieces(strict, path, unbroken=True)) == error
    assert "2 results do not resolve" in error[1]


ONE_A_TOPIC = "".join(f"{topic} Q0 a 1 0.5 mine 0 9\n" for topic in range(40, 10, -1))


def begin_of_last_piece(path: Path) -> int:
    path.write_text(ONE_A_TOPIC)
    return pieces_of_file(path, PIECE)[-1].begin


def test_each_piece_may_be_right_and_the_file_wrong(tmp_path: Path) -> None:
    path = tmp_path / "mine.run"
    cut = begin_of_last_piece(path)
    path.write_text(ONE_A_TOPIC[:cut] + ONE_A_TOPIC[cut:].replace("mine 0 9", "mine_0_9"))
    evaluation = Evaluation(JUDGED, "P@3")
    error = outcome(lambda: scored(evaluation, path, NO_BLOCKS))
    assert error[0] is FormatError and "6 fields; expected 8 fields as before" in error[1]
    assert len(pieces_of_file(path, PIECE)) > 2
    assert outcome(lambda: in_pieces(evaluation, path)) == error


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"9 Q0 a", "3 fields; expected 8 fields as before"),
        (b"9 Q0 a x 0.5 mine 0 9", "'x' is not a rank"),
        (b"9 Q0 a 1 0.5 mine 0 -9", "'-9' is not a length"),
        (b"\xff", "byte 0xff is not UTF-8 text"),
    ],
)
def test_a_piece_that_begins_with_a_bad_line(tmp_path: Path, line: bytes, problem: str) -> None:
    path = tmp_path / "mine.run"
    text, cut = ONE_A_TOPIC.encode(), begin_of_last_piece(path)
    path.write_bytes(text[:cut] + line + b"\n" + text[cut:])
    assert pieces_of_file(path, PIECE)[-1].begin == cut
    evaluation = Evaluation(JUDGED, "P@3")
    error = outcome(lambda: scored(evaluation, path, NO_BLOCKS))
    number = text[:cut].count(b"\n") + 1
    assert error[0] is FormatError and f"mine.run:{number}: {problem}" in error[1], error
    assert outcome(lambda: scored(evaluation, path, 1)) == error
    assert outcome(lambda: in_pieces(evaluation, path, unbroken=True)) == error


@dataclass(frozen=True)
class Naming(Measure):
    """A measure that raises an error about the first topic it is to score."""

    name: ClassVar[str] = "Naming"

    def scores(self, ranking: Ranking) -> Floats:
        raise ValueError(f"a mistake in topic {ranking.truth.topics[int(ranking.topic[0])]}")


class Backwards(ThreadPoolExecutor):
    """An executor whose tasks end in the reverse order, all of them after the last was given."""

    def __init__(self, tasks: int) -> None:
        super().__init__(1)
        self._tasks = tasks
        self._calls: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, task: Callable[..., Any], /, *given: Any, **options: Any) -> Future[Any]:
        self._calls.append((Future(), partial(task, *given, **options)))
        if len(self._calls) == self._tasks:
            self.shutdown()
            for future, call in self._calls[::-1]:
                future.set_result(call())
        return self._calls[-1][0]


def test_the_error_of_a_run_is_that_of_its_lowest_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics = [f"{number:03}" for number in range(200)]
    judged = Assessments.from_dict({topic: {"a": 1} for topic in topics})
    path = tmp_path / "mine.run"
    path.write_text("".join(f"{topic} Q0 a 1 0.5 mine\n" for topic in topics))
    change(monkeypatch, file_piece_bytes=PIECE)
    pieces = len(pieces_of_file(path))
    assert pieces > 8  # more than one task
    evaluation = Evaluation(judged, Naming())
    with pytest.raises(ValueError, match="a mistake in topic 000"):
        evaluation.score_all(path, executor=Backwards(-(-pieces // 8)))


INTERLEAVED = [f"{topic} Q0 a {rank} 0.5 mine 0 9\n" for rank in range(9) for topic in (1, 2)]


@pytest.fixture
def pipe() -> Iterator[str]:
    """A run from a pipe, in which topics are interleaved."""
    source, sink = os.pipe()
    os.write(sink, "".join(INTERLEAVED).encode())
    os.close(sink)
    yield f"/dev/fd/{source}"
    os.close(source)


def test_an_interleaved_run_from_a_pipe(pipe: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.run"
    path.write_text("".join(INTERLEAVED))
    evaluation = Evaluation(JUDGED, ["cP@5", "P@3"])
    from_pipe = scored(evaluation, Path(pipe), NO_BLOCKS)
    assert replace(from_pipe, file=str(path)) == scored(evaluation, path, 1)


def test_an_interleaved_run_from_a_pipe_is_refused_where_it_needs_several_blocks(
    pipe: str,
) -> None:
    with pytest.raises(InputError, match=r"topic 1 stand in several places.*pipe"):
        scored(Evaluation(JUDGED, "P@3"), Path(pipe), 1)


@needs_named_pipes
def test_a_large_interleaved_run_from_a_named_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe.run"
    os.mkfifo(path)

    def write() -> None:
        with contextlib.suppress(BrokenPipeError), path.open("w") as sink:
            sink.writelines(f"{row % 3 + 1} Q0 a {row} 0.5 mine\n" for row in range(300_000))
        path.open("w").close()  # whoever reads it a second time finds it empty, and does not wait

    writer = Thread(target=write)
    writer.start()
    reason = (
        r"pipe\.run: the results of topic \d stand in several places, and a pipe cannot be read"
    )
    try:
        with pytest.raises(InputError, match=reason):
            Evaluation(JUDGED, "P@3").score(path)
    finally:
        while writer.is_alive():
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
            writer.join(0.01)


def test_a_run_that_is_too_large_to_be_taken_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, whole_run_bytes=100)
    path = tmp_path / "mine.run"
    evaluation = Evaluation(JUDGED, "P@3")
    path.write_text("".join(INTERLEAVED))
    reason = "the results of topic 1 stand in several places, and .* sort it by topic"
    with pytest.raises(InputError, match=reason):
        scored(evaluation, path, 1)
    path.write_text("".join(sorted(INTERLEAVED)))
    assert scored(evaluation, path, 1) == scored(evaluation, path, NO_BLOCKS)


def test_what_is_kept_of_a_ranking_is_kept_of_all_of_it(tmp_path: Path) -> None:
    run = Run.from_dict({"1": ["a", "b"], "2": ["b"], "3": ["a"]})
    evaluation = Evaluation(JUDGED, "P@3", keep=Keep(of_ranking=len))
    assert scored(evaluation, run, 1).kept == scored(evaluation, run, NO_BLOCKS).kept == 4


# A measure that raises


def hashes_counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of all files that are hashed from now on; opening a collection hashes none."""
    hashed: list[str] = []
    original = value_of("digest")

    def digest(file: Any, progress: Any = None) -> str:
        hashed.append(file.name)
        return str(original(file, progress))

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

    with pytest.raises(ValueError, match=r"(?m)^a mistake in topic 2$"):
        score()
    assert sum("2" in topics for topics in calls) == 1
    assert len(set(calls)) == len(calls)
    assert hashed == []
    with contextlib.redirect_stderr(io.StringIO()) as told:
        assert exit_code(score) == DEFECT
    assert "ValueError: a mistake in topic 2" in told.getvalue()
    assert hashed == []


_IN_CONTEXT: Any = MEASURES["MAgP"]


@dataclass(frozen=True)
class Picky(_IN_CONTEXT):  # type: ignore[misc]  # a class that is looked up
    """A measure that cannot score results of topic 3, and scores documents in its own way."""

    name: ClassVar[str] = "Picky"

    @property
    def document_score(self) -> str:
        return "Picky"

    def scores(self, ranking: Ranking) -> Floats:
        if "3" in {ranking.truth.topics[topic] for topic in ranking.topic.tolist()}:
            raise MissingInput("Picky needs something else")
        found: Floats = super().scores(ranking)
        return found


def test_what_a_measure_lacks_in_a_later_block_is_reported_as_of_the_run(
    tmp_path: Path, only_in_blocks: None
) -> None:
    path = tmp_path / "mine.run"
    path.write_text("".join(LINES))
    with pytest.raises(MissingInput, match=r"^Picky needs something else$"):
        scored(Evaluation(JUDGED, [Picky(), "P@3"]), path, 3)


def test_documents_of_a_measure_that_is_skipped_in_a_later_block(
    tmp_path: Path, only_in_blocks: None
) -> None:
    path = tmp_path / "mine.run"
    path.write_text("".join(LINES))
    evaluation = Evaluation(JUDGED, where_possible=[Picky(), "MAgP"], keep=Keep(per_document=True))
    in_blocks = scored(evaluation, path, 3)
    assert in_blocks == scored(evaluation, path, NO_BLOCKS) == in_pieces(evaluation, path)
    assert [documents.scored_by for documents in in_blocks.documents] == ["F(beta=1)"]
    assert np.isnan(in_blocks.values[0]).all()
    skipped = "Picky is left out: Picky needs something else"
    assert any(skipped in warning for warning in in_blocks.warnings)
    path.write_text("".join(line for line in LINES if line[0] != "3"))
    without = scored(evaluation, path, 3)
    assert without == scored(evaluation, path, NO_BLOCKS)
    assert {documents.scored_by for documents in without.documents} == {"F(beta=1)", "Picky"}


@dataclass(frozen=True)
class Counting(Measure):
    """A measure of a user that counts topics in a warning."""

    name: ClassVar[str] = "Counting"

    def scores(self, ranking: Ranking) -> Floats:
        return np.zeros(len(ranking.truth.topics))

    def warnings(self, ranking: Ranking) -> list[str]:
        return [f"{len(ranking.truth.topics)} topics have no score"]


def test_a_measure_whose_warnings_count_topics(tmp_path: Path) -> None:
    path = tmp_path / "mine.run"
    path.write_text("".join(LINES))
    evaluation = Evaluation(JUDGED, [Counting(), "P@3"])
    in_blocks = scored(evaluation, path, 3)
    assert "5 topics have no score" in scored(evaluation, path, NO_BLOCKS).warnings
    assert in_blocks == scored(evaluation, path, NO_BLOCKS)


# What a measure may look up about all topics


QUESTIONS = [
    name
    for name, value in vars(RelevantElements).items()
    if isinstance(value, property | cached_property) and not name.startswith("_")
]


@dataclass(frozen=True)
class Curious(Measure):
    """A measure of a user that looks at targets and at the kinds of assessments."""

    name: ClassVar[str] = "Curious"
    answers: ClassVar[list[dict[str, Any]]] = []

    def scores(self, ranking: Ranking) -> Floats:
        relevant = ranking.truth.relevant
        self.answers.append({name: getattr(relevant, name) for name in QUESTIONS})
        topics = np.arange(len(ranking.truth.topics))
        paragraph = np.full(len(topics), 1)
        return relevant.on_target(topics, paragraph).astype(np.float64)


@pytest.mark.parametrize("mixed", [True, False])
def test_a_measure_sees_the_targets_and_kinds_of_all_assessments(
    mixed: bool, monkeypatch: pytest.MonkeyPatch, only_in_blocks: None
) -> None:
    collection = example_collection({"a": "<s><p>One.</p></s>"})
    grades = (GradedElement("/s[1]", Grade2003(3, 2)),)
    judged = [
        Judgment("7", "a", ((0, 3),), 0) if mixed else Judgment("7", "a", grades=grades),
        Judgment("8", "a", grades=grades),
        Judgment("9", "a"),
    ]
    targets = [
        Topic(topic, castitle=f"//{tag}[about(., one)]")
        for topic, tag in zip("789", "sps", strict=True)
    ]
    evaluation = Evaluation(Assessments(judged), Curious(), collection=collection, targets=targets)
    run = Run.from_dict({topic: [("a", "/s[1]")] for topic in "987"})
    answers: list[dict[str, Any]] = []
    monkeypatch.setattr(Curious, "answers", answers)
    at_once = scored(evaluation, run, NO_BLOCKS)
    assert at_once.values.tolist() == [[0.0, 1.0, 0.0]]
    assert scored(evaluation, run, 1) == at_once
    assert len(answers) == 4  # the run, and three blocks
    assert all(answer == answers[0] for answer in answers), answers
