"""Executors run a function over chunks of notes: on this machine, on Spark, on Ray."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from incognote.deidentifier import Deidentifier

Task = TypeVar("Task")
Result = TypeVar("Result")


class Executor(Protocol):
    """Holds one Deidentifier in each process that does the work.

    The work does no file I/O: its arguments are documents and facts, its results documents and faults, all picklable.
    """

    def map(
        self, work: Callable[..., Result], tasks: Iterable[Task], arguments: Callable[[Task], tuple[Any, ...]]
    ) -> Iterator[tuple[Task, Result]]:
        """Each task with ``work(deidentifier, *arguments(task))``, in the order of the tasks, which are consumed lazily.

        Tasks stay in the caller's process; only arguments and results are sent. ``work`` is a module-level function. It returns the fault
        of a note as a value, so that one bad note does not fail its chunk.
        """


# Opens an executor for a run; leaving it ends its processes.
StartExecutor = Callable[[Deidentifier], AbstractContextManager[Executor]]
