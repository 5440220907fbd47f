"""Executors run a function over chunks of notes: on this machine, on Spark, on Ray."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


class Executor(Protocol):
    """Holds one Deidentifier where the work is done."""

    def map(
        self, work: Callable[..., Result], tasks: Iterable[Task], arguments: Callable[[Task], tuple[Any, ...]]
    ) -> Iterator[tuple[Task, Result]]:
        """Each task with ``work(deidentifier, *arguments(task))``, in the order of the tasks.

        ``work`` is a function of a module. It returns what is wrong with a note as a value: a failure of one note never fails a chunk.
        """
