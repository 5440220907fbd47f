"""The local executor: worker processes, each with one Deidentifier. Results come in order; about two chunks a worker are in flight."""

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing import get_context, resource_tracker
from typing import Any

from incognote.batch.executor import Result, Task
from incognote.deidentifier import Deidentifier
from incognote.errors import WorkerError
from incognote.find.model.machine import end_with_parent, share_cores

_mine: Deidentifier | None = None


class LocalPool:
    """An Executor on this machine: in this process, or in worker processes."""

    def __init__(self, deidentifier: Deidentifier, workers: int) -> None:
        self._deidentifier, self._workers = deidentifier, workers
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> "LocalPool":
        return self

    def __exit__(self, *_: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)

    def map(
        self, work: Callable[..., Result], tasks: Iterable[Task], arguments: Callable[[Task], tuple[Any, ...]]
    ) -> Iterator[tuple[Task, Result]]:
        """Each task with its result, in the order of the tasks. A single task runs in this process."""
        remaining = iter(tasks)
        first = list(islice(remaining, 2))
        if self._workers == 1 or len(first) < 2:
            for task in chain(first, remaining):
                yield task, work(self._deidentifier, *arguments(task))
            return
        try:
            yield from self._share(work, chain(first, remaining), arguments)
        except BrokenProcessPool:
            what = "a worker process was ended from outside, most often because memory ran out"
            raise WorkerError(what, fix="the notes done so far are kept: go on with {resume} and fewer {workers}") from None

    def _share(
        self, work: Callable[..., Result], tasks: Iterable[Task], arguments: Callable[[Task], tuple[Any, ...]]
    ) -> Iterator[tuple[Task, Result]]:
        waiting: deque[tuple[Task, Future[Result]]] = deque()
        for task in tasks:
            executor, given = self._start(), arguments(task)
            with _interrupts_held():  # it may start a process
                waiting.append((task, executor.submit(_work, work, given)))
            if len(waiting) > 2 * self._workers:
                done, future = waiting.popleft()
                yield done, future.result()
        for done, future in waiting:
            yield done, future.result()

    def _start(self) -> ProcessPoolExecutor:
        if self._executor is None:
            self._executor = ProcessPoolExecutor(self._workers, get_context("spawn"), _adopt, (self._deidentifier, self._workers))
        return self._executor


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold back what a terminal sends to every process: a worker started here ignores it, the main process gets it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # else the first worker starts it, which unblocks interrupts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _adopt(deidentifier: Deidentifier, workers: int) -> None:
    global _mine
    _mine = deidentifier
    share_cores(workers)
    end_with_parent()


def _work(work: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
    assert _mine is not None
    return work(_mine, *arguments)
