"""Worker processes that each hold one Deidentifier; results come back in order and only a few chunks are in flight."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from multiprocessing import get_context
from typing import Any, TypeVar

from incognote.deidentify import Deidentifier
from incognote.encoders.machine import share_cores

Task = TypeVar("Task")
Result = TypeVar("Result")

_mine: Deidentifier | None = None


class Pool:
    """``map`` runs a function of a Deidentifier and some arguments over tasks, here or in worker processes."""

    def __init__(self, deidentifier: Deidentifier, workers: int) -> None:
        self._deidentifier, self._workers = deidentifier, workers
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)

    def map(
        self, work: Callable[..., Result], tasks: Iterable[Task], arguments: Callable[[Task], tuple[Any, ...]]
    ) -> Iterator[tuple[Task, Result]]:
        """Each task with its result, in the order of the tasks. A single task is not worth a process."""
        remaining = iter(tasks)
        first = list(islice(remaining, 2))
        if self._workers == 1 or len(first) < 2:
            for task in chain(first, remaining):
                yield task, work(self._deidentifier, *arguments(task))
            return
        waiting: deque[tuple[Task, Future[Result]]] = deque()
        for task in chain(first, remaining):
            waiting.append((task, self._start().submit(_work, work, arguments(task))))
            if len(waiting) > 2 * self._workers:
                done, future = waiting.popleft()
                yield done, future.result()
        for done, future in waiting:
            yield done, future.result()

    def _start(self) -> ProcessPoolExecutor:
        if self._executor is None:
            self._executor = ProcessPoolExecutor(self._workers, get_context("spawn"), _adopt, (self._deidentifier, self._workers))
        return self._executor


def _adopt(deidentifier: Deidentifier, workers: int) -> None:
    global _mine
    _mine = deidentifier
    share_cores(workers)


def _work(work: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
    assert _mine is not None
    return work(_mine, *arguments)
