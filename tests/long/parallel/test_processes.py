"""Worker processes: they answer, they end with their parent, and they change nothing in it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from doxeval.errors import DoxevalError, EngineError, InputError, WorkerLost
from doxeval.parallel import Processes, TaskResult, Work

Method = Literal["fork", "spawn"]
METHODS: list[Method] = ["fork", "spawn"]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and forks")


def squared(value: int, item: int) -> int:
    return value + item * item


def called(value: object, item: Any) -> Any:
    """Call what an item has first with the rest of it."""
    return item[0](*item[1:])


def divided(number: int, by: int) -> float:
    return number / by


def kill_this_process(number: int) -> None:
    os.kill(os.getpid(), number)


def killed_by(number: int, item: int) -> None:
    kill_this_process(number)


def unpicklable() -> object:
    return threading.Lock()


def reversed_bytes(value: object, data: bytes) -> bytes:
    return data[::-1]


def refuse(value: object) -> None:
    raise DoxevalError("not prepared")


def pid_after(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def after(value: object, item: tuple[float, int]) -> int:
    seconds, number = item
    time.sleep(seconds)
    return number


def long_answer(begun: str) -> bytes:
    Path(begun).touch()
    return b"x" * (64 << 20)


def killed_in_its_answer() -> None:
    """Write the beginning of an answer, and end."""
    frame: Any = sys._getframe()
    while "result_queue" not in frame.f_locals:
        frame = frame.f_back
    os.write(frame.f_locals["result_queue"]._writer.fileno(), b"\0\1\0\0too short")
    kill_this_process(signal.SIGKILL)


def kill_while_it_answers(begun: Path, seconds: float) -> None:
    """Kill a worker some seconds after one has begun a long answer."""
    assert wait_for(begun.exists)
    time.sleep(seconds)
    for child in multiprocessing.active_children():
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        return


class Spoilt:
    """It can be pickled, but not unpickled in a worker."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (divided, (1, 0))


class NeedsTwo(Exception):
    """It can be pickled, but not unpickled anywhere."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def needs_two() -> None:
    raise NeedsTwo("a", "b")


def calls(method: Method, items: list[Any]) -> list[TaskResult]:
    """Return the outcomes of items that name functions, in order."""
    engine = Processes(2, method)
    outcomes = dict(engine.outcomes(Work(called, engine.shared(None)), items))
    return [outcomes[number] for number in range(len(items))]


@pytest.mark.parametrize("method", METHODS)
def test_answers_and_errors_come_back(method: Method) -> None:
    good = [(divided, number, 2) for number in range(20)]
    bad = [
        (divided, 1, 0),
        (unpicklable,),
        (needs_two,),
        (divided, threading.Lock(), 1),
        (divided, Spoilt(), 1),
    ]
    done = calls(method, [*good, *bad, (divided, 4, 2)])
    assert [outcome.result() for outcome in done[:20]] == [number / 2 for number in range(20)]
    with pytest.raises(ZeroDivisionError) as caught:
        done[20].result()
    assert "return number / by" in "".join(caught.value.__notes__)
    with pytest.raises(DoxevalError, match="cannot be sent back"):
        done[21].result()
    # Where dask was imported before, forked workers have a pickler from it that can send this one.
    with pytest.raises((EngineError, NeedsTwo), match=r"cannot be sent back \(NeedsTwo\)|^ab"):
        done[22].result()
    with pytest.raises(TypeError, match="pickle"):
        done[23].result()
    with pytest.raises(ZeroDivisionError):
        done[24].result()
    assert done[25].result() == 2, "the workers are still fine"


@pytest.mark.parametrize("ahead", [5, None])
def test_results_come_in_order_and_few_tasks_are_begun_ahead(ahead: int | None) -> None:
    taken: list[int] = []

    def items() -> Iterator[tuple[float, int]]:
        for number in range(12):
            taken.append(number)
            yield 0.2 if number % 4 == 0 else 0, number  # every fourth one is late

    engine = Processes(3, "fork")
    work = Work(after, engine.shared(None))
    with engine.in_order(work, items(), ahead=ahead) as results:
        assert len(taken) == (ahead or 6)
        for number, result in enumerate(results):
            assert result == number
            assert ahead is None or len(taken) == min(12, number + 6)
    assert len(taken) == 12


def test_an_error_comes_in_its_turn() -> None:
    engine = Processes(2, "fork")
    work = Work(called, engine.shared(None))
    items = [(divided, 4, 2), (divided, 1, 0), (divided, 6, 2)]
    with engine.in_order(work, items, ahead=3) as results:
        assert next(results) == 2
        with pytest.raises(ZeroDivisionError):
            next(results)
    assert engine.map(work, []) == []


def test_large_tasks_and_answers_pass_each_other() -> None:
    data = bytes(range(256)) * (1 << 14)
    engine = Processes(2, "spawn")
    answers = engine.map(Work(reversed_bytes, engine.shared(None)), [data] * 12)
    assert answers == [data[::-1]] * 12


def test_a_worker_that_cannot_be_prepared_answers_with_the_error() -> None:
    engine = Processes(2, "spawn")
    work = Work(squared, engine.shared(7, refuse))
    outcomes = [outcome for _, outcome in engine.outcomes(work, range(4))]
    assert [str(outcome.error) for outcome in outcomes] == ["not prepared"] * 4


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_is_killed_is_noticed(method: Method, number: int) -> None:
    engine = Processes(2, method)
    work = Work(called, engine.shared(None), doing="testing")
    items = [(kill_this_process, int(number)), *[(pid_after, 0)] * 40]
    lost = rf"killed by signal {int(number)} while it was testing, perhaps .* smaller jobs="
    with (
        pytest.raises(WorkerLost, match=lost) as caught,
        engine.in_order(work, items, ahead=1) as results,
    ):
        next(results)
    assert ("__main__" in str(caught.value)) == (method == "spawn")
    with pytest.raises(WorkerLost):
        engine.map(work, items)


def test_all_that_is_unfinished_is_lost_with_a_worker() -> None:
    done = calls("fork", [(kill_this_process, int(signal.SIGKILL)), *[(pid_after, 30)] * 9])
    assert all(isinstance(outcome.error, WorkerLost) for outcome in done)


@pytest.mark.parametrize("method", METHODS)
def test_a_worker_killed_in_its_answer_is_noticed(method: Method) -> None:
    """The pool waits for the rest of the answer, and so do those who want to answer after it."""
    done = calls(method, [(killed_in_its_answer,), *[(pid_after, 0.2)] * 9])
    assert any(isinstance(outcome.error, WorkerLost) for outcome in done)


@pytest.mark.parametrize("method", METHODS)
def test_workers_killed_in_the_middle_of_long_answers_are_noticed(
    tmp_path: Path, method: Method
) -> None:
    """Whoever waits for the rest of an answer, or for the right to send one, waits no more."""
    for attempt in range(5):
        begun = [tmp_path / f"{attempt}-{number}" for number in range(2)]
        engine = Processes(2, method)
        with engine.begin(Work(called, engine.shared(None))) as tasks:
            tasks.submit(enumerate([(long_answer, str(path)) for path in begun]))
            kill_while_it_answers(begun[0], 0.02 * attempt)
            errors = [tasks.next_outcome()[1].error for _ in begun]
        assert all(error is None or isinstance(error, WorkerLost) for error in errors)


@pytest.mark.parametrize("method", METHODS)
def test_an_error_in_the_middle_of_a_long_answer_ends_the_workers(
    tmp_path: Path, method: Method
) -> None:
    for attempt in range(5):
        begun = tmp_path / str(attempt)
        started = time.monotonic()
        engine = Processes(2, method)
        work = Work(called, engine.shared(None))
        with pytest.raises(KeyboardInterrupt), engine.in_order(work, [(long_answer, str(begun))]):
            assert wait_for(begun.exists)
            time.sleep(0.01 * attempt)
            raise KeyboardInterrupt
        assert time.monotonic() - started < 20
        assert multiprocessing.active_children() == []


def received(value: object, item: int) -> tuple[int, int]:
    return os.getpid(), id(value)


def cold() -> list[str]:
    return ["it is cold"]


@pytest.mark.parametrize("threads", [0, 1])
def test_the_start_method_depends_on_the_threads_of_this_process(threads: int) -> None:
    """Workers are forked if this process has one thread, and spawned otherwise."""
    done = threading.Event()
    others = [threading.Thread(target=done.wait) for _ in range(threads)]
    for thread in others:
        thread.start()
    try:
        engine = Processes(2)
        assert engine.map(Work(squared, engine.shared(7)), range(30)) == [
            7 + number * number for number in range(30)
        ]
        seen = set(engine.map(Work(received, engine.shared([7])), range(30)))
        assert len({pid for pid, _ in seen}) == len(seen) <= 2, "one value in each process"
        with pytest.raises(TypeError):
            engine.map(Work(squared, engine.shared("7")), range(30))
        with pytest.raises(EngineError, match=r"process .*: it is cold"):
            engine.map(Work(squared, engine.shared(7), check=cold), range(3))
        with pytest.raises(WorkerLost, match="killed by signal 9"):
            engine.map(Work(killed_by, engine.shared(int(signal.SIGKILL))), range(3))
    finally:
        done.set()
        for thread in others:
            thread.join()
    assert multiprocessing.active_children() == []


def pid_of_task(value: int, item: int) -> tuple[int, int]:
    time.sleep(0.02)
    return value + item, os.getpid()


def killed_elsewhere(process: int, item: int) -> None:
    time.sleep(0.02)
    if os.getpid() != process:
        kill_this_process(signal.SIGKILL)


@pytest.mark.parametrize("method", METHODS)
def test_this_process_may_take_part(method: Method) -> None:
    engine = Processes(2, method, takes_part=True)
    done = engine.map(Work(pid_of_task, engine.shared(7)), range(30))
    assert [number for number, _ in done] == list(range(7, 37))
    if method == "fork":
        assert len({pid for _, pid in done}) == 2
    assert os.getpid() in {pid for _, pid in done}
    two = engine.map(Work(pid_of_task, engine.shared(7)), range(2))
    assert len({pid for _, pid in two}) == 2  # one task each, not both in a queue elsewhere
    with pytest.raises(WorkerLost, match="killed by signal 9"):
        engine.map(Work(killed_elsewhere, engine.shared(os.getpid())), range(30))
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("method", METHODS)
def test_workers_ignore_ctrl_c(method: Method) -> None:
    done = calls(method, [*[(kill_this_process, int(signal.SIGINT))] * 3, (divided, 4, 2)])
    assert [outcome.result() for outcome in done] == [None, None, None, 2]


@pytest.mark.parametrize("method", METHODS)
def test_an_error_ends_the_workers_at_once(method: Method) -> None:
    started = time.monotonic()
    engine = Processes(2, method)
    work = Work(called, engine.shared(None))
    items = [(pid_after, 0), (pid_after, 0), *[(pid_after, 60)] * 6]
    with (
        pytest.raises(RuntimeError, match="stop"),
        engine.in_order(work, items, ahead=6) as results,
    ):
        pids = {next(results), next(results)}
        raise RuntimeError("stop")
    assert time.monotonic() - started < 30
    assert not any(is_running(pid) for pid in pids)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_left_in_the_process(method: Method) -> None:
    def state() -> tuple[object, ...]:
        handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        return handlers, mask, threading.active_count(), len(os.listdir("/proc/self/fd"))

    engine = Processes(2, method)
    work = Work(squared, engine.shared(7))
    engine.map(work, [])  # spawned ones need a helper of multiprocessing, which stays
    before = state()
    assert engine.map(work, [4]) == [23]
    with pytest.raises(RuntimeError), engine.in_order(work, []):
        raise RuntimeError
    with engine.in_order(work, range(9)) as results:
        assert next(results) == 7, "the others are not waited for"
    assert state() == before
    assert multiprocessing.active_children() == []


def _in_a_daemon(connection: Any) -> None:
    try:
        engine = Processes(1, "fork")
        engine.map(Work(squared, engine.shared(7)), [1])
    except InputError as error:
        connection.send(str(error))


def test_a_process_that_may_have_no_children_says_so() -> None:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(
        target=_in_a_daemon, args=(theirs,), daemon=True
    )
    process.start()
    assert ours.poll(20)
    assert "use jobs=1 here" in ours.recv()
    process.join()


AGAIN = """
from doxeval.parallel import Processes, Work

def call(value, item):
    return value(item)

for _ in range(20):
    engine = Processes(2)
    shared = engine.shared(lambda item: item + 1)  # which only forked processes can have
    assert engine.map(Work(call, shared), [1, 2]) == [2, 3]
"""


def test_a_process_with_one_thread_forks_again_and_again() -> None:
    """The threads of a pool are gone when its work is done, for the system as well."""
    subprocess.run([sys.executable, "-c", AGAIN], check=True, timeout=60)


# Processes that are killed

HOST = """
import os, sys, time
from doxeval.parallel import Processes, Work

def announce(folder, number):
    open(f"{folder}/{os.getpid()}", "w").close()
    time.sleep(60)

if __name__ == "__mp_main__":
    open(f"{sys.argv[1]}/importing", "w").close()
    time.sleep(float(sys.argv[3]))

if __name__ == "__main__":
    try:
        engine = Processes(2, sys.argv[2])
        with engine.begin(Work(announce, engine.shared(sys.argv[1]))) as tasks:
            if sys.argv[4] == "bystander" and os.fork() == 0:
                time.sleep(5)  # it holds all that the host has open
                os._exit(0)
            tasks.submit(enumerate(range(2)))
            tasks.next_outcome()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
"""


def host(tmp_path: Path, method: str, importing: float = 0, *more: str) -> subprocess.Popen[str]:
    script = tmp_path / "host.py"
    script.write_text(HOST)
    (tmp_path / "seen").mkdir()
    arguments = [str(tmp_path / "seen"), method, str(importing), *(more or ("alone",))]
    return subprocess.Popen(
        [sys.executable, str(script), *arguments],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(condition: Any, seconds: float = 30) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(condition())


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def numbers(directory: Path) -> list[int]:
    return [int(path.name) for path in directory.iterdir() if path.name.isdigit()]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("company", ["alone", "bystander"])
def test_workers_end_when_their_parent_is_killed(tmp_path: Path, method: str, company: str) -> None:
    with host(tmp_path, method, 0, company) as process:
        assert wait_for(lambda: len(numbers(tmp_path / "seen")) == 2)
        process.kill()
    workers = numbers(tmp_path / "seen")
    assert wait_for(lambda: not any(map(is_running, workers)), 4), "orphans"


def test_workers_whose_parent_is_killed_while_they_start_end_too(tmp_path: Path) -> None:
    with host(tmp_path, "spawn", 0.5) as process:
        assert wait_for((tmp_path / "seen" / "importing").exists)
        process.kill()
    assert wait_for(lambda: not in_session(process.pid), 10), "orphans"


def in_session(session: int) -> list[int]:
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in pids if is_running(pid) and session_of(pid) == session]


def session_of(pid: int) -> int:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return -1


@pytest.mark.parametrize("importing", [0, 20])
@pytest.mark.parametrize("method", METHODS)
def test_ctrl_c_says_one_thing_even_while_workers_import(
    tmp_path: Path, method: str, importing: float
) -> None:
    process = host(tmp_path, method, importing)
    seen = tmp_path / "seen"
    slow = importing and method == "spawn"
    assert wait_for((seen / "importing").exists if slow else lambda: len(numbers(seen)) == 2)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes
    _, errors = process.communicate(timeout=15)
    assert (process.returncode, errors) == (130, "interrupted\n")
    assert wait_for(lambda: not in_session(process.pid), 10), "orphans"
