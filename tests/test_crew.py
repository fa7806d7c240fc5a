"""Workers that die, hang, and are started in every way: nothing is lost but their running slice."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import workers_of
from slow_nodes import SlowTree, hold_interpreter_lock

import parsolve
from parsolve.errors import BranchLost, CrewLost, WorkerLost
from parsolve.executors.crew import PATIENCE, START_METHODS, Crew, StartMethod
from parsolve.puzzles import Peg, Sliding
from parsolve.registry import spec_of
from parsolve.search.checkpoint import CheckpointStore
from parsolve.search.coordinator import Coordinator, Pace
from parsolve.search.progress import Prefix
from parsolve.search.slices import Job, Searcher

PLAIN_EIGHT = Sliding(bound="none")
NODES = 154_972_513  # of plain iterative deepening on it, as counted by one worker in one slice an iteration


@pytest.fixture(params=START_METHODS)
def start_method(request: pytest.FixtureRequest) -> StartMethod:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def crew(start_method: StartMethod) -> Iterator[Crew]:
    made = Crew(2, start_method=start_method)
    yield made
    made.shutdown(cancel_futures=True)


def test_tasks_come_back(crew: Crew) -> None:
    futures = [crew.submit(divmod, number, 7) for number in range(50)]
    assert [future.result(60) for future in futures] == [divmod(number, 7) for number in range(50)]
    with pytest.raises(ZeroDivisionError):
        crew.submit(divmod, 1, 0).result(60)


def test_a_shutdown_without_cancelling_finishes_what_is_queued(start_method: StartMethod) -> None:
    crew = Crew(2, start_method=start_method)
    futures = [crew.submit(time.sleep, 0.05) for _ in range(6)]
    crew.shutdown()
    assert all(future.done() and future.exception() is None for future in futures)
    with pytest.raises(RuntimeError):
        crew.submit(os.getpid)


def test_a_shutdown_at_once_leaves_nothing_running(start_method: StartMethod) -> None:
    crew = Crew(2, start_method=start_method)
    pids = {crew.submit(os.getpid).result(60) for _ in range(8)}
    futures = [crew.submit(time.sleep, 600) for _ in range(6)]
    crew.shutdown(cancel_futures=True)
    assert all(future.done() for future in futures)
    # Killed, and away as soon as the machine gets round to it.
    until = time.monotonic() + 5
    while left := [pid for pid in pids if psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie"]:
        assert time.monotonic() < until, left
        time.sleep(0.01)


@pytest.mark.parametrize(("number", "blame"), [(signal.SIGSEGV, True), (signal.SIGKILL, False)])
def test_a_dying_worker_loses_its_task_and_no_other(crew: Crew, number: int, blame: bool) -> None:
    pid = crew.submit(os.getpid).result(60)
    before = [crew.submit(abs, -number) for number in range(10)]
    lost = crew.submit(signal.raise_signal, number)
    after = [crew.submit(abs, -number) for number in range(10)]
    with pytest.raises(WorkerLost) as caught:
        lost.result(60)
    assert caught.value.blame is blame
    assert [future.result(60) for future in before + after] == [*range(10), *range(10)]
    assert pid > 0


def test_the_end_of_a_worker_and_the_news_of_it_may_come_together() -> None:
    """Once the crew waited for ever for news that it had already heard while it buried the worker."""
    crew = Crew(2, start_method="forkserver")
    pid = crew.submit(os.getpid).result(60)
    with crew._lock:
        crew._nudge()
        time.sleep(0.1)
        os.kill(pid, signal.SIGKILL)
        time.sleep(0.3)
    errors = [crew.submit(abs, -number).exception(20) for number in range(20)]
    crew.shutdown()
    # The first may have been on its way to the worker that was no more.
    assert errors[1:] == [None] * 19


def test_cancelling_a_running_task_kills_its_worker(crew: Crew) -> None:
    sleeping = crew.submit(time.sleep, 600)
    while not sleeping.running():
        time.sleep(0.01)
    sleeping.cancel()
    with pytest.raises(WorkerLost):
        sleeping.result(60)
    assert crew.submit(abs, -3).result(60) == 3


def test_large_tasks_and_large_answers_at_once(start_method: StartMethod) -> None:
    """Once crew and worker waited for each other: each had more to send than the connection holds."""
    crew = Crew(1, start_method=start_method)
    futures = [crew.submit(bytes.upper, bytes(1 << 20)) for _ in range(6)]
    assert [len(future.result(60)) for future in futures] == [1 << 20] * 6
    crew.shutdown()


def test_workers_that_the_crew_itself_ends_are_no_bad_sign() -> None:
    crew = Crew(PATIENCE, start_method="forkserver")
    for _ in range(3):
        futures = [crew.submit(time.sleep, 600) for _ in range(2 * PATIENCE)]
        while sum(future.running() for future in futures) < PATIENCE:
            time.sleep(0.01)
        for future in reversed(futures):
            future.cancel()
        assert not wait(futures, timeout=60).not_done
    assert crew.submit(abs, -3).result(60) == 3
    crew.shutdown()


def test_a_cancelled_task_is_done_for_who_waits(crew: Crew) -> None:
    crew.submit(abs, -1).result(60)
    futures = [crew.submit(time.sleep, 0.01) for _ in range(50)]
    cancelled = [future.cancel() for future in futures[10:]]
    assert any(cancelled)
    assert not wait(futures, timeout=20).not_done


def test_waiting_for_the_fork_server_takes_no_time_of_this_process() -> None:
    before = time.process_time()
    crew = Crew(1, (time.sleep, (1.0,)), "forkserver")
    assert crew.submit(abs, -3).result(60) == 3
    assert time.process_time() - before < 0.5
    crew.shutdown()


def test_what_is_no_path_in_the_import_path(monkeypatch: pytest.MonkeyPatch, start_method: StartMethod) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, Path("here"), 3])
    crew = Crew(1, start_method=start_method)
    assert crew.submit(abs, -3).result(60) == 3
    crew.shutdown()


def test_a_crew_whose_workers_cannot_be_prepared_says_so(start_method: StartMethod) -> None:
    crew = Crew(2, (divmod, (1, 0)), start_method)
    with pytest.raises(ZeroDivisionError):
        crew.submit(abs, 1).result(60)
    crew.shutdown()


def test_a_crew_whose_workers_always_die_gives_up() -> None:
    crew = Crew(1)
    futures = [crew.submit(os._exit, 3) for _ in range(PATIENCE + 6)]
    errors = [future.exception(60) for future in futures]
    assert all(isinstance(error, WorkerLost | CrewLost) for error in errors)
    assert isinstance(errors[-1], CrewLost)
    crew.shutdown()


class Killer(threading.Thread):
    """Kills a worker of this process now and then, as long as it is in a `with`."""

    def __init__(
        self, choose: Callable[[list[psutil.Process]], psutil.Process], pause: float, number: int, most: int = 1000
    ) -> None:
        super().__init__(daemon=True)
        self.killed = 0
        self._most = most
        self._choose, self._pause, self._number = choose, pause, number
        self._over = threading.Event()

    def run(self) -> None:
        while not self._over.wait(self._pause):
            workers = workers_of(os.getpid())
            if workers and self.killed < self._most:
                try:
                    self._choose(workers).send_signal(self._number)
                    self.killed += 1
                except (psutil.NoSuchProcess, IndexError):  # none yet
                    pass

    def __enter__(self) -> "Killer":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.join()


@pytest.mark.usefixtures("at_once")
def test_killing_any_worker_or_server_again_and_again(start_method: StartMethod) -> None:
    # A fresh interpreter must have the time to start, on a busy machine too.
    with Killer(random.Random(1).choice, 0.4 if start_method == "forkserver" else 1.5, signal.SIGKILL) as killer:
        found = parsolve.solve(PLAIN_EIGHT, workers=2, start_method=start_method)
    assert (found.cost, found.count, found.nodes) == (31, 40, NODES)
    assert killer.killed > 0


@pytest.mark.usefixtures("at_once")
def test_killing_the_newest_worker_again_and_again_also_at_start_and_stop(start_method: StartMethod) -> None:
    # Slowly enough that the others can start meanwhile: 20 deaths before anything is done are a crew that gives up.
    def newest(processes: list[psutil.Process]) -> psutil.Process:
        named = [process for process in processes if process.name() == "parsolve-worker"]
        return (named if sys.platform == "linux" else processes)[-1]

    # No fork server, and slowly enough that others can start meanwhile: a crew in which nothing gets done gives up.
    with Killer(newest, 0.5 if start_method == "forkserver" else 2.0, signal.SIGKILL) as killer:
        while killer.killed < 3:
            found = parsolve.solve(PLAIN_EIGHT, workers=3, start_method=start_method, want="count")
            assert (found.cost, found.count, found.nodes) == (31, 40, NODES)


class Losses(parsolve.Listener):
    """Remembers what was lost and what was told."""

    def __init__(self) -> None:
        self.losses: list[str] = []
        self.cautions: list[str] = []

    def lost(self, why: str) -> None:
        self.losses.append(why)

    def caution(self, text: str) -> None:
        self.cautions.append(text)


def test_a_node_longer_than_any_silence_is_waited_for(start_method: StartMethod) -> None:
    """Once a task had a lease, and queens of n = 25 ended after 75 s: 'a branch cost 3 workers'."""
    losses = Losses()
    with Crew(2, start_method=start_method, silence=1.0) as crew:
        found = parsolve.solve(SlowTree(turns=10**9), workers=2, executor=crew, report=losses, lease=0.1)
    assert (found.count, found.nodes) == (6, 10)
    assert losses.losses == []


def test_a_worker_that_hangs_is_replaced(start_method: StartMethod) -> None:
    losses = Losses()
    with Crew(2, start_method=start_method, silence=1.0) as crew:
        crew.submit(abs, -3).result(60)
        with Killer(lambda workers: workers[-1], 0.3, signal.SIGSTOP, most=2) as killer:
            found = parsolve.solve(PLAIN_EIGHT, workers=2, executor=crew, report=losses)
    assert (found.count, found.nodes) == (40, NODES)
    assert killer.killed == 2
    assert all("no sign of life for 1 s" in why for why in losses.losses)


def test_a_worker_that_holds_the_interpreter_lock_is_replaced(start_method: StartMethod) -> None:
    with Crew(1, start_method=start_method, silence=1.0) as crew:
        crew.submit(abs, -3).result(60)
        with pytest.raises(WorkerLost, match="no sign of life") as caught:
            crew.submit(hold_interpreter_lock, 600).result(60)
        assert not caught.value.blame
        assert crew.submit(abs, -3).result(60) == 3


def test_a_fork_server_that_hangs_is_replaced() -> None:
    with Crew(2, start_method="forkserver", silence=1.0) as crew:
        crew.submit(abs, -3).result(60)
        server, *workers = workers_of(os.getpid())
        server.suspend()
        for worker in workers:
            worker.kill()
        # The first tasks may have been on their way to the workers that are no more.
        errors = [crew.submit(abs, -number).exception(60) for number in range(10)]
        assert errors[2:] == [None] * 8


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_signals_to_single_processes_change_nothing(number: int, start_method: StartMethod) -> None:
    """Also while they start."""
    losses = Losses()
    with Killer(random.Random(number).choice, 0.002, number) as killer, Crew(2, start_method=start_method) as crew:
        assert crew.submit(abs, -3).result(60) == 3
        found = parsolve.solve(PLAIN_EIGHT, workers=2, executor=crew, report=losses)
    assert (found.count, found.nodes, losses.losses, crew._deaths) == (40, NODES, [], 0)
    assert killer.killed > 20


STOPPED = """
import sys, time
from parsolve.executors.crew import Crew
with Crew(2, start_method=sys.argv[1], silence=1.0) as crew:
    print([crew.submit(abs, -3).result(60)], flush=True)
    futures = [crew.submit(time.sleep, 6) for _ in range(2)]
    print([future.exception(60) for future in futures])
"""


def test_a_crew_that_was_stopped_itself_keeps_its_workers(start_method: StartMethod) -> None:
    """Ctrl-Z and fg, or a laptop that sleeps."""
    with subprocess.Popen([sys.executable, "-c", STOPPED, start_method], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "[3]\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGSTOP)
        time.sleep(3)
        process.send_signal(signal.SIGCONT)
        assert process.stdout.readline() == "[None, None]\n"


def test_what_runs_for_long_is_told() -> None:
    puzzle = SlowTree(turns=10**8)
    spec = spec_of(puzzle)
    assert spec is not None
    searcher = Searcher(puzzle)
    told: list[str] = []
    for_all: dict[str, Any] = {"store": CheckpointStore(), "pace": Pace(fixed=1), "before": Prefix(), "iterations": ()}
    coordinator = Coordinator(
        job=Job(spec, searcher.kernel.fingerprint, 0, False),
        branches=[searcher.whole()],
        total=puzzle.total,
        want="count",
        emit=lambda _: None,
        tell=lambda _: None,
        lost=told.append,
        caution=told.append,
        **for_all,
    )
    with Crew(2) as crew:
        coordinator.run_on(crew, 2, lease=None, remind=0.05)
    assert coordinator.worth == 6
    assert told
    assert all("from the branch with the moves" in text and "--timeout" in text for text in told)


class Unreliable(ThreadPoolExecutor):
    """Loses tasks: `decide(branches)` raises what a lost worker would."""

    def __init__(self, decide: Callable[[Any], None]) -> None:
        super().__init__(2)
        self._decide = decide

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        def task() -> Any:
            self._decide(args[1])
            return fn(*args, **kwargs)

        return super().submit(task)


def test_lost_tasks_change_no_answer() -> None:
    random_ = random.Random(5)

    def decide(_: Any) -> None:
        if random_.random() < 0.3:
            raise WorkerLost("lost for the test", blame=random_.random() < 0.1)

    with Unreliable(decide) as executor:
        found = parsolve.solve(Sliding(), workers=2, executor=executor, budget=500)
    assert (found.cost, found.count) == (31, 40)


def test_a_branch_that_costs_three_workers_is_named_and_no_other_is() -> None:
    guilty = (1, 4)
    tries: list[Any] = []
    lost: list[str] = []

    class Lost(parsolve.Listener):
        def lost(self, why: str) -> None:
            lost.append(why)

    def decide(branches: Any) -> None:
        if any(branch.order[:2] == guilty for branch in branches):
            tries.append(branches)
            raise WorkerLost("crashed for the test", blame=True)

    # Jump 1 first (0 over 3 to 6), then jump 4: the branch is there in every iteration that goes on that long.
    puzzle = Peg(first="0-6", bound="none")
    first = parsolve.solve(puzzle, workers=1)
    guilty = first.paths[-1][:2]
    with Unreliable(decide) as executor, pytest.raises(BranchLost, match=" ".join(map(str, guilty))):
        parsolve.solve(puzzle, workers=2, executor=executor, budget=5, report=Lost())
    assert len(tries[-1]) == 1
    assert len(lost) >= 3


def test_a_branch_that_is_only_slow_is_never_given_up() -> None:
    """Once a branch whose nodes took far longer than the rest was taken to hang, again and again."""

    class Slow(ThreadPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            def task() -> Any:
                if args[2] > 100:
                    time.sleep(1.0)
                return fn(*args)

            return super().submit(task)

    with Slow(8) as executor:
        options: dict[str, Any] = {"workers": 2, "executor": executor, "budget": 6000, "lease": 0.4}
        found = parsolve.solve(Sliding(start="1 2 3 0 4 6 7 5 8"), **options)
        hard = parsolve.solve(Sliding(start="4 5 0 1 2 3"), **options)
    assert (found.count, hard.count) == (1, 4)


@pytest.mark.usefixtures("at_once")
def test_a_node_that_overruns_its_lease_on_another_executor_is_named() -> None:
    """And not tried again for ever."""
    losses = Losses()
    tries: list[Any] = []

    class Slow(ThreadPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            def task() -> Any:
                if any(branch.order[:1] == guilty for branch in args[1]):
                    tries.append(args)
                    time.sleep(1.0)
                return fn(*args)

            return super().submit(task)

    puzzle = Sliding(start="4 5 0 1 2 3")
    guilty = parsolve.solve(puzzle, workers=1).paths[-1][:1]
    with Slow(8) as executor, pytest.raises(BranchLost, match=rf"one node below the moves {guilty[0]} .*`lease`"):
        parsolve.solve(puzzle, workers=2, executor=executor, budget=5, lease=0.4, report=losses)
    assert len(tries) <= 6
    assert len(losses.losses) <= 6


def test_a_task_that_never_comes_back_is_done_again() -> None:
    release = threading.Event()
    hung = []

    def decide(_: Any) -> None:
        if len(hung) < 1:
            hung.append(1)
            release.wait(60)

    with Unreliable(decide) as executor:
        found = parsolve.solve(Sliding(), workers=2, executor=executor, budget=500, lease=0.4)
        release.set()
    assert (found.cost, found.count) == (31, 40)
    assert hung


def test_an_executor_that_breaks_is_an_error_and_no_hang() -> None:
    class Broken(ThreadPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            raise BrokenProcessPool("broken for the test")

    with Broken(1) as executor, pytest.raises(CrewLost, match="broken for the test"):
        parsolve.solve(PLAIN_EIGHT, workers=2, executor=executor)


SCRIPT = """
import sys
print("main module runs", flush=True)
import parsolve
from parsolve.search import deepening
deepening.INLINE = deepening.INLINE_BESIDE_CREW = deepening.WORTHWHILE = 0.0
found = parsolve.solve(parsolve.puzzles.Sliding(bound="none"), workers=2, start_method=sys.argv[1])
print(found.count, found.workers)
"""


def test_a_script_without_a_guard(tmp_path: Path, start_method: StartMethod) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, str(script), start_method], capture_output=True, text=True, timeout=100, check=True
    )
    assert done.stdout.splitlines() == ["main module runs", "40 2"]


def test_workers_go_with_a_killed_coordinator(tmp_path: Path, start_method: StartMethod) -> None:
    script = tmp_path / "script.py"
    hard = "Sliding(start='14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3', goal='blank-first', bound='none')"
    script.write_text(SCRIPT.replace('Sliding(bound="none")', hard))
    process = subprocess.Popen([sys.executable, str(script), start_method], stdout=subprocess.DEVNULL)
    expected = 3 if start_method == "forkserver" else 2
    until = time.monotonic() + 60
    while len(workers_of(process.pid)) < expected and time.monotonic() < until:
        time.sleep(0.05)
    workers = workers_of(process.pid)
    assert len(workers) == expected
    time.sleep(0.5)
    process.kill()
    process.wait()
    _, left = psutil.wait_procs(workers, timeout=2)
    # A process that has ended may wait for whoever has inherited it.
    assert [each for each in left if each.is_running() and each.status() != psutil.STATUS_ZOMBIE] == []


HOLDING = """
import sys
from parsolve.executors.crew import Crew
from slow_nodes import hold_interpreter_lock
crew = Crew(1, start_method=sys.argv[1])
crew.submit(hold_interpreter_lock, 600).result()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent has ended")
def test_workers_that_hold_the_interpreter_lock_go_with_a_killed_coordinator(start_method: StartMethod) -> None:
    """They cannot notice the end of their connection."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    process = subprocess.Popen([sys.executable, "-c", HOLDING, start_method], env=env)
    expected = 2 if start_method == "forkserver" else 1
    until = time.monotonic() + 60
    while len(workers_of(process.pid)) < expected and time.monotonic() < until:
        time.sleep(0.05)
    workers = workers_of(process.pid)
    assert len(workers) == expected
    time.sleep(1.0)
    process.kill()
    process.wait()
    _, left = psutil.wait_procs(workers, timeout=2)
    assert [each for each in left if each.is_running() and each.status() != psutil.STATUS_ZOMBIE] == []


def test_from_a_thread_and_several_puzzles_in_one_process() -> None:
    with ThreadPoolExecutor(2) as threads:
        one = threads.submit(parsolve.solve, PLAIN_EIGHT, workers=2)
        other = threads.submit(parsolve.solve, Peg(first="0-6"), workers=2)
        assert (one.result(100).count, other.result(100).count) == (40, 18)
    assert parsolve.solve(Sliding(start="4 5 0 1 2 3")).count == 4


def test_a_class_of_the_main_module_runs_in_this_process_only(tmp_path: Path) -> None:
    from samples import WALK

    script = tmp_path / "script.py"
    script.write_text(
        WALK + "\nimport parsolve\nprint(parsolve.solve(Walk()).count)\n"
        "try:\n    parsolve.solve(Walk(), workers=2)\nexcept parsolve.BadInput as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout.splitlines()[0] == "1"
    assert "a file of its own" in done.stdout.splitlines()[1]
