"""Executors run a function over chunks of notes: on this machine, on Spark, on Ray."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from incognote.pipeline import Deidentifier

Task = TypeVar("Task")
Result = TypeVar("Result")


class Executor(Protocol):
    """Holds one Deidentifier in each process that does the work.

    The work reads and writes no file: documents and facts go in, documents and faults come out, all of them picklable.
    """

    def map(
        self, work: Callable[..., Result], tasks: Iterable[Task], arguments: Callable[[Task], tuple[Any, ...]]
    ) -> Iterator[tuple[Task, Result]]:
        """Each task with ``work(deidentifier, *arguments(task))``, in the order of the tasks, which are taken as they are needed.

        Tasks stay with the caller; only arguments and results travel. ``work`` is a function of a module. It returns what is wrong with a
        note as a value: a failure of one note never fails a chunk.
        """


# Opens an executor for a run; leaving it ends its processes.
StartExecutor = Callable[[Deidentifier], AbstractContextManager[Executor]]
