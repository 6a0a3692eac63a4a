"""What can go wrong with what a person gave us."""

from __future__ import annotations

import re


class InputError(ValueError):
    """A model, a problem, data or an option makes no sense.

    Parameters
    ----------
    message : str
        What is wrong, and where.
    file : str
        The file in which it was said; "" if there is none.
    line, column : int
        Where in the file, from 1; 0 where that is not known.

    Attributes
    ----------
    file : str or None
        The file in which it was said.
    line, column : int or None
        Where in the file, from 1.
    suggestion : str or None
        The name that was probably meant, if there is one.

    Examples
    --------
    >>> from parfait.samples import decay
    >>> try:
    ...     decay().simulate(sensitivity=["K"])
    ... except pf.InputError as error:
    ...     print(error.suggestion)
    k
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
    """Raised by ``raise_if_failed()``: a run did not get to its end.

    Parameters
    ----------
    message : str
        Why not.
    result : object, optional
        What the run found until then.

    Attributes
    ----------
    result : Simulation, Fit or another result
        What the run found until then.

    Examples
    --------
    >>> from parfait.samples import decay
    >>> run = decay().simulate(until=10, max_steps=2)
    >>> try:
    ...     run.raise_if_failed()
    ... except pf.NotFinished as error:
    ...     print(error.result is run)
    True
    """

    def __init__(self, message: str, result: object = None):
        super().__init__(message)
        self.result = result
