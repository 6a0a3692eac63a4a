"""What can go wrong with what a person gave us."""

from __future__ import annotations

import re


class InputError(ValueError):
    """A model, a problem, data or an option makes no sense.

    Attributes
    ----------
    file, line, column
        Where it was said; ``None`` where that is not known.
    suggestion
        The name that was probably meant, if there is one.
    """

    def __init__(self, message: str, file: str = "", line: int = 0, column: int = 0):
        super().__init__(message)
        self.file: str | None = file or None
        self.line: int | None = line or None
        self.column: int | None = column or None
        meant = re.search(r'Did you mean "([^"]*)"', message)
        self.suggestion: str | None = meant.group(1) if meant else None

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, int, int]]:
        return (InputError, (str(self), self.file or "", self.line or 0, self.column or 0))


class NotFinished(RuntimeError):
    """Raised by ``raise_if_failed()``: a run did not get to its end. ``result`` is what it found."""

    def __init__(self, message: str, result: object = None):
        super().__init__(message)
        self.result = result
