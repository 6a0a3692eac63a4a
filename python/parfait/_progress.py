"""A bar while something runs."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

WIDTH = 40


@contextlib.contextmanager
def progress_callback(progress: bool | Callable[[float], Any] | None) -> Iterator[Callable[[float, str], Any] | None]:
    """What the engine calls: nothing, a bar on stderr, or the callable of the user with the fraction."""
    if callable(progress):
        tell = progress
        yield lambda fraction, note: tell(fraction)
        return
    if not progress:
        yield None
        return
    shown = False

    def bar(fraction: float, note: str) -> None:
        nonlocal shown
        shown = True
        done = "" if math.isnan(fraction) else "#" * round(WIDTH * min(max(fraction, 0.0), 1.0))
        sys.stderr.write(f"\r[{done:<{WIDTH}}] {note:<24}")
        sys.stderr.flush()

    try:
        yield bar
    finally:
        if shown:
            sys.stderr.write("\r" + " " * (WIDTH + 28) + "\r")
            sys.stderr.flush()
