"""What holds for all tests."""

import signal


def pytest_configure() -> None:
    """A run in the background ignores interrupts, and so would the commands that tests start in order to interrupt them."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
