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
from doxeval.parallel import Processes, Work, Workers, in_order

Method = Literal["fork", "spawn"]
METHODS: list[Method] = ["fork", "spawn"]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and forks")


def divided(one: int, by: int) -> float:
    return one / by


def killed(number: int) -> None:
    os.kill(os.getpid(), number)


def unpicklable() -> object:
    return threading.Lock()


def reversed_bytes(data: bytes) -> bytes:
    return data[::-1]


def refuse() -> None:
    raise DoxevalError("not prepared")


def pid_after(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def after(seconds: float, number: int) -> int:
    time.sleep(seconds)
    return number


def long_answer(begun: str) -> bytes:
    Path(begun).touch()
    return b"x" * (64 << 20)


def kill_while_it_answers(begun: Path) -> None:
    """Kill the worker that has begun a long answer, which nobody reads meanwhile."""
    assert wait_for(begun.exists)
    time.sleep(0.05)
    for child in multiprocessing.active_children():
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        return


class Spoilt:
    """It can be pickled, but not unpickled in a worker."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (divided, (1, 0))


@pytest.mark.parametrize("method", METHODS)
def test_answers_and_errors_come_back(method: Method) -> None:
    with Workers(2, method) as workers:
        futures = [workers.submit(divided, number, 2) for number in range(20)]
        assert [future.result() for future in futures] == [number / 2 for number in range(20)]
        with pytest.raises(ZeroDivisionError) as caught:
            workers.submit(divided, 1, by=0).result()
        assert "return one / by" in "".join(caught.value.__notes__)
        with pytest.raises(DoxevalError, match="cannot be sent back"):
            workers.submit(unpicklable).result()
        with pytest.raises(TypeError, match="pickle"):
            workers.submit(divided, threading.Lock(), 1).result()  # type: ignore[arg-type]
        with pytest.raises(ZeroDivisionError):
            workers.submit(divided, Spoilt(), 1).result()  # type: ignore[arg-type]
        assert workers.submit(divided, 4, 2).result() == 2, "the workers are still fine"


def test_results_come_in_order_and_few_tasks_are_asked_for_ahead() -> None:
    taken: list[int] = []

    def arguments() -> Iterator[tuple[float, int]]:
        for number in range(12):
            taken.append(number)
            yield 0.2 if number % 4 == 0 else 0, number  # every fourth one is late

    with Workers(3, "fork") as workers:
        results = in_order(workers, after, arguments(), ahead=5)
        assert len(taken) == 5
        for number, result in enumerate(results):
            assert result == number
            assert len(taken) == min(12, number + 6)


def test_an_error_comes_in_its_place() -> None:
    with Workers(2, "fork") as workers:
        results = in_order(workers, divided, [(4, 2), (1, 0), (6, 2)], ahead=3)
        assert next(results) == 2
        with pytest.raises(ZeroDivisionError):
            next(results)
        assert list(in_order(workers, divided, [], ahead=3)) == []


def test_large_tasks_and_answers_pass_each_other() -> None:
    data = bytes(range(256)) * (1 << 14)
    with Workers(2, "spawn") as workers:
        futures = [workers.submit(reversed_bytes, data) for _ in range(12)]
        assert all(future.result() == data[::-1] for future in futures)


@pytest.mark.parametrize("method", METHODS)
def test_a_worker_that_cannot_be_prepared_answers_with_the_error(method: Method) -> None:
    with Workers(2, method, refuse) as workers:
        for _ in range(4):
            with pytest.raises(DoxevalError, match="not prepared"):
                workers.submit(divided, 4, 2).result()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_is_killed_is_noticed(method: Method, number: int) -> None:
    with Workers(2, method) as workers:
        with pytest.raises(WorkerLost, match=f"killed by signal {int(number)}"):
            workers.submit(killed, number).result()
        for _ in range(4):
            workers.submit(pid_after, 0)
        with pytest.raises(WorkerLost):
            workers.submit(divided, 4, 2).result()


@pytest.mark.parametrize("method", METHODS)
def test_workers_killed_in_the_middle_of_long_answers_are_noticed(
    tmp_path: Path, method: Method
) -> None:
    """Whoever waits for the rest of an answer, or for the right to send one, waits no more."""
    for attempt in range(5):
        with Workers(2, method) as workers:
            begun = [tmp_path / f"{attempt}-{number}" for number in range(2)]
            answers = [workers.submit(long_answer, str(path)) for path in begun]
            kill_while_it_answers(begun[0])
            done = [answer.exception(timeout=20) for answer in answers]
            assert all(error is None or isinstance(error, WorkerLost) for error in done)


@pytest.mark.parametrize("method", METHODS)
def test_an_error_in_the_middle_of_a_long_answer_ends_the_workers(
    tmp_path: Path, method: Method
) -> None:
    for attempt in range(5):
        begun = tmp_path / str(attempt)
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt), Workers(2, method) as workers:
            workers.submit(long_answer, str(begun))
            assert wait_for(begun.exists)
            time.sleep(0.01 * attempt)
            raise KeyboardInterrupt
        assert time.monotonic() - started < 20
        assert multiprocessing.active_children() == []


def squared(value: int, item: int) -> int:
    return value + item * item


def pinned(value: object, item: int) -> tuple[int, int]:
    return os.getpid(), id(value)


def cold() -> list[str]:
    return ["it is cold"]


@pytest.mark.parametrize("threads", [0, 1])
def test_processes_are_an_engine(threads: int) -> None:
    """They are forked if this process has one thread, and spawned otherwise."""
    done = threading.Event()
    others = [threading.Thread(target=done.wait) for _ in range(threads)]
    for thread in others:
        thread.start()
    try:
        engine = Processes(2)
        assert engine.map(Work(squared, engine.shared(7)), range(30)) == [
            7 + number * number for number in range(30)
        ]
        seen = set(engine.map(Work(pinned, engine.shared([7])), range(30)))
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


def killed_by(number: int, item: int) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("method", METHODS)
def test_workers_ignore_ctrl_c(method: Method) -> None:
    with Workers(1, method) as workers:
        workers.submit(killed, signal.SIGINT).result()
        assert workers.submit(divided, 4, 2).result() == 2


@pytest.mark.parametrize("method", METHODS)
def test_an_error_ends_the_workers_at_once(method: Method) -> None:
    started = time.monotonic()
    with pytest.raises(RuntimeError, match="stop"), Workers(2, method) as workers:
        futures = [workers.submit(pid_after, 0) for _ in range(2)]
        pids = {future.result() for future in futures}
        for _ in range(6):
            workers.submit(pid_after, 60)
        raise RuntimeError("stop")
    assert time.monotonic() - started < 30
    assert not any(is_running(pid) for pid in pids)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_left_in_the_process(method: Method) -> None:
    def state() -> tuple[object, ...]:
        handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        return handlers, mask, threading.active_count(), len(os.listdir("/proc/self/fd"))

    with Workers(1, method):  # spawned ones need a helper of multiprocessing, which stays
        pass
    before = state()
    with Workers(2, method) as workers:
        workers.submit(divided, 4, 2).result()
    with pytest.raises(RuntimeError), Workers(2, method) as workers:
        raise RuntimeError
    assert state() == before
    assert multiprocessing.active_children() == []


def _in_a_daemon(connection: Any) -> None:
    try:
        with Workers(1, "fork"):
            pass
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


# Processes that are killed

HOST = """
import os, sys, time
from doxeval.parallel import Workers

def announce(folder):
    open(f"{folder}/{os.getpid()}", "w").close()
    time.sleep(60)

if __name__ == "__mp_main__":
    open(f"{sys.argv[1]}/importing", "w").close()
    time.sleep(float(sys.argv[3]))

if __name__ == "__main__":
    try:
        with Workers(2, sys.argv[2]) as workers:
            if sys.argv[4] == "bystander" and os.fork() == 0:
                time.sleep(5)  # it holds all that the host has open
                os._exit(0)
            futures = [workers.submit(announce, sys.argv[1]) for _ in range(2)]
            for future in futures:
                future.result()
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
