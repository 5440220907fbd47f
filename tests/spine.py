"""The way of a command: the functions of the package that it calls, in the order of their first call.

python -m tests.spine scrub examples/notes -o out/clean --workers 1
"""

import inspect
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType, FrameType

import incognote

ROOT = Path(incognote.__file__).parent

Step = tuple[str, str]
"""A file below the package, and the name of a function in it, with its class."""


@contextmanager
def traced() -> Iterator[dict[Step, None]]:
    """The functions of the package that are called in any thread of this process."""
    steps: dict[Step, None] = {}
    seen: set[CodeType] = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code in seen:
            return
        seen.add(code)
        # Bodies of modules and classes, lambdas and comprehensions are no steps.
        if code.co_flags & inspect.CO_OPTIMIZED and not code.co_name.startswith("<"):
            file = Path(code.co_filename)
            if file.is_relative_to(ROOT):
                steps[str(file.relative_to(ROOT)), code.co_qualname] = None

    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        yield steps
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def trace_command(*arguments: str) -> list[Step]:
    """The functions that one command calls."""
    from incognote.cli.main import app

    with traced() as steps, suppress(SystemExit):
        app(list(arguments))
    return list(steps)


def main(arguments: Sequence[str]) -> None:
    """Print the way of the command."""
    steps = trace_command(*arguments)
    for file, name in steps:
        print(f"{file}: {name}")
    print(f"{len(steps)} functions in {len({file for file, _ in steps})} files")


if __name__ == "__main__":
    main(sys.argv[1:])
