"""Estimation problems: read from files, or built from models and data."""

from __future__ import annotations

import copy
import json
import math
import os
import pathlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _parfait
from ._errors import InputError
from ._model import Model, _names, _wrap_partial, given
from ._results import Fit
from ._xml import Element, escape


class Problem:
    """What is to be estimated, from which experiments, and how.

    Parameters
    ----------
    name : str
        Appears in messages and results; paths are relative to its folder.

    Attributes
    ----------
    text : str
        The problem as a file would have it; models built in code stand there by name.
    data : dict
        Measurements, by experiment and column.

    Examples
    --------
    >>> m = pf.OdeBuilder("decay")
    >>> m.parameter("k", 1, lower=0)
    >>> m.state("x", 1, "-k*x")
    >>> problem = pf.Problem()
    >>> problem.estimate("k", initial=1)
    >>> problem.experiment(m.build(), data={"t": [1, 2, 3], "x": [0.61, 0.37, 0.22]}, observe={"x": ("x", 0.01)})
    >>> fit = problem.fit()
    >>> fit.converged, round(fit["k"].value, 2)
    (True, 0.5)
    """

    def __init__(self, name: str = ""):
        self._name = name
        self._root = Element("problem")
        self._models: dict[str, Model] = {}
        self._text: str | None = None  # of a file, instead of the elements
        self._file: str | None = None

    @classmethod
    def from_xml(cls, file: str | os.PathLike[str]) -> Problem:
        """Reads a problem file, with its models and data.

        Parameters
        ----------
        file : path
            <problem> (docs/problem_file.md).

        Returns
        -------
        Problem

        Raises
        ------
        InputError
            If something is wrong in any of the files, with file and line.

        Examples
        --------
        >>> pf.Problem.from_xml("examples/pendulum/problem.xml")
        <parfait.Problem: 1 experiments, 20 measurements, 1 parameters>
        """
        name = os.fspath(file)
        problem = cls.from_text(pathlib.Path(name).read_text(encoding="utf-8"), name=name)
        problem._file = name
        return problem

    @classmethod
    def from_text(cls, text: str, *, name: str = "", models: Mapping[str, Model] | None = None) -> Problem:
        """Reads the text of a problem file.

        Parameters
        ----------
        text : str
            The file's text.
        name : str, optional
            Appears in messages and results; paths in the text are relative to its folder.
        models : mapping of str to Model, optional
            Models that it names and that are no files.

        Returns
        -------
        Problem

        Raises
        ------
        InputError
            If something is wrong.
        """
        problem = cls(name)
        problem._text = text
        problem._models = dict(models or {})
        problem._engine()  # what is wrong is found now
        return problem

    @classmethod
    def from_petab(cls, file: str | os.PathLike[str]) -> Problem:
        """Reads a PEtab problem with its SBML model and tables.

        Parameters
        ----------
        file : path
            Its YAML file.

        Returns
        -------
        Problem

        Raises
        ------
        InputError
            If something is wrong, or asks for what Parfait does not know (docs/petab.md).
        """
        problem = cls(os.fspath(file))
        problem._text = ""
        problem._file = os.fspath(file)
        problem._engine()
        return problem

    def estimate(self, parameter: str, *, initial: float | None = None, lower: float | None = None,
                 upper: float | None = None, transform: str | None = None, scale: float | None = None,
                 prior: tuple[float, float] | None = None, true: float | None = None) -> None:
        """A parameter of all experiments that is to be estimated.

        Parameters
        ----------
        parameter : str
            Its name in the models.
        initial : float, optional
            Where the fit begins; default: its value in the model.
        lower, upper : float, optional
            Bounds; default: those of the model. ``math.inf``: none.
        transform : {"log"}, optional
            Estimates its logarithm.
        scale : float, optional
            A change that matters; found inside if left out.
        prior : tuple (value, sigma), optional
            What was known of it before, as one more measurement.
        true : float, optional
            For :meth:`synthesize` and reports.
        """
        self._elements().add("estimate", _estimate(parameter, initial, lower, upper, transform, scale, prior, true))

    def experiment(
        self,
        model: Model | str | os.PathLike[str] | None,
        *,
        observe: Mapping[str, str | tuple[str, float | str] | Mapping[str, Any]],
        data: Any = None,
        id: str | None = None,
        time: str | None = None,
        initial: str | Mapping[str, Any] | None = None,
        intervals: int | None = None,
        grid: Mapping[str, Any] | None = None,
        set: Mapping[str, float] | None = None,
        local: Mapping[str, Mapping[str, Any]] | None = None,
        samples: Sequence[float] | None = None,
        begin: float | None = None,
        end: float | None = None,
        require: Mapping[float, str] | Sequence[str] = (),
    ) -> None:
        """One experiment.

        Parameters
        ----------
        model : Model, path or None
            ``None``: ``observe`` has formulas of columns and parameters.
        observe : mapping
            What the model says about columns of the data: ``{"x": "Bar.com.x"}``, ``{"x": ("Bar.com.x", 0.01)}`` with
            a standard deviation (a number, or the name of a column), or a mapping with the attributes of ``<observe>``.
            Without a standard deviation it is 1.
        data : path, mapping of str to sequence, or DataFrame, optional
            A CSV file or columns of numbers; missing values are NaN or None. The index of a DataFrame is the time if
            no column is.
        id : str, optional
            Its name; default: experiment1, experiment2, ...
        time : str, optional
            Name of the time column; default: ``t`` or ``time``.
        initial : {"fixed", "free"} or mapping, optional
            Initial states: as in the model (the default), all estimated, or by state: ``"free"``, a value, or
            (value, sigma).
        intervals : int, optional
            Of multiple shooting.
        grid : mapping, optional
            All attributes of ``<grid>`` instead.
        set : mapping of str to float, optional
            Conditions: values of parameters in this experiment.
        local : mapping of str to mapping, optional
            Parameters of this experiment alone, with the options of :meth:`estimate`.
        samples : sequence of float [s], optional
            Times at which it will be measured, for :meth:`synthesize`.
        begin, end : float [s], optional
            Default: 0, or the first time if that is earlier, and the last time.
        require : mapping of float to str, or sequence of str
            What must hold, formulas with = or >=: by time, or for parameters alone.

        Raises
        ------
        InputError
            If columns have different lengths or hold words. What else is wrong is said by :meth:`check` and :meth:`fit`.
        """
        root = self._elements()
        name = id or f"experiment{sum(e.name == 'experiment' for e in root.children) + 1}"
        element = Element("experiment", {"id": name, "time": time, "begin": begin, "end": end})
        if isinstance(model, Model):
            element.attributes["model"] = self._know(model)
        elif model is not None:
            element.attributes["model"] = os.path.abspath(os.fspath(model))
        for parameter, value in (set or {}).items():
            element.add("set", {"parameter": parameter, "value": value})
        for parameter, options in (local or {}).items():
            element.add("local", _estimate(parameter, **options))
        for column, what in observe.items():
            element.add("observe", {"column": column, **_observation(what)})
        _write_initial(element, initial)
        if intervals is not None or grid is not None:
            element.add("grid", {**({} if intervals is None else {"intervals": intervals}), **(grid or {})})
        if samples is not None:
            element.add("samples", {"times": list(samples)})
        if isinstance(require, Mapping):
            for at, formula in require.items():
                element.add("require", {"at": at}, text=f" {formula} ")
        else:
            for formula in require:
                element.add("require", text=f" {formula} ")
        if data is None:
            pass
        elif isinstance(data, (str, os.PathLike)):
            element.attributes["data"] = os.path.abspath(os.fspath(data))
        else:
            element.add("table", text=_csv(data, time))
        root.children.append(element)

    def require(self, formula: str) -> None:
        """What must hold for the shared parameters.

        Parameters
        ----------
        formula : str
            With = or >=: ``"k1 >= k2"``.

        Examples
        --------
        >>> from parfait.samples import decay_problem
        >>> p = decay_problem()
        >>> p.require("k >= 0.6")
        >>> round(p.fit()["k"].value, 6)
        0.6
        """
        self._elements().add("require", text=f" {formula} ")

    def options(self, **options: Any) -> None:
        """How it is to be solved.

        Parameters
        ----------
        options
            Attributes of ``<options>``: globalization, tol, rtol, norm, sigma, ... (docs/problem_file.md).

        Examples
        --------
        >>> from parfait.samples import decay_problem
        >>> p = decay_problem()
        >>> p.options(sigma="known", confidence=0.99)
        >>> round(p.fit()["k"].sd, 4)
        0.0028
        """
        root = self._elements()
        known = [e for e in root.children if e.name == "options"]
        element = known[0] if known else root.add("options")
        element.attributes.update({k: v for k, v in options.items() if v is not None})

    @property
    def text(self) -> str:
        """The problem as a file would have it; models built in code stand there by name."""
        return self._text if self._text is not None else self._root.document()

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the problem file, and beside it the models that were built in code.

        Parameters
        ----------
        file : path
            A name with .xml.

        Raises
        ------
        InputError
            If paths of a file that was read would be wrong there, or functions of Python are in a model.
        """
        target = pathlib.Path(os.fspath(file))
        folder = target.resolve().parent
        if self._text is not None and not self._models:
            if self._file and pathlib.Path(self._file).resolve().parent != folder:
                raise InputError(f"the paths in {self._file} are relative to its folder: save it there.")
            target.write_text(self._text, encoding="utf-8")
            return
        problem = self._text_with_files()
        files = {folder / f"{name}.xml": model.text for name, model in self._models.items()}  # refused before any is written
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
        target.write_text(problem, encoding="utf-8")

    def _text_with_files(self) -> str:
        """With the files of models that were built in code, where their names are."""
        if self._text is not None:
            names = {escape(name) for name in self._models}

            def file_of(match: re.Match[str]) -> str:
                start, quote, name = match.groups()
                return f"{start}{quote}{name}{'.xml' if name in names else ''}{quote}"

            return re.sub(r"""(<experiment\b[^>]*?\smodel=)(["'])(.*?)\2""", file_of, self._text)
        root = copy.deepcopy(self._root)
        for element in root.children:
            name = element.attributes.get("model")
            if name in self._models:
                element.attributes["model"] = f"{name}.xml"
        return root.document()

    def check(self) -> dict[str, Any]:
        """What is in the problem.

        Returns
        -------
        dict
            As ``parfait check --json`` tells it.

        Raises
        ------
        InputError
            If something is wrong.
        """
        facts: dict[str, Any] = json.loads(self._engine().facts_json())
        return facts

    @property
    def data(self) -> dict[str, dict[str, Any]]:
        """Measurements, by experiment and column."""
        return self._engine().data()

    def fit(self, **options: Any) -> Fit:
        """Parameters from measurements.

        Parameters
        ----------
        options
            As of :func:`parfait.fit`.

        Returns
        -------
        Fit
        """
        return fit(self, **options)

    def synthesize(self, *, seed: int = 1, set: Mapping[str, float] | None = None) -> Problem:
        """The problem with measurements made by its models at the true parameters, with noise.

        Parameters
        ----------
        seed : int
            Of the noise.
        set : mapping of str to float, optional
            True values of parameters, or conditions.

        Returns
        -------
        Problem
            Another one, with data.

        Examples
        --------
        >>> from parfait.samples import decay
        >>> plan = pf.Problem()
        >>> plan.estimate("k", initial=1, true=0.5)
        >>> plan.experiment(decay(), samples=[1, 2, 3], observe={"x": ("x", 0.01)})
        >>> plan.synthesize(seed=1).data["experiment1"]["t"].tolist()
        [1.0, 2.0, 3.0]
        """
        made = _parfait.synthesize(self._engine(), {"seed": seed, "set": dict(set or {})})
        return Problem.from_text(made.problem_text(), name=self._name, models=self._models)

    def __repr__(self) -> str:
        facts = self.check()
        return (f"<parfait.Problem: {len(facts['experiments'])} experiments, {facts['measurements']} measurements, "
                f"{len(facts['parameters'])} parameters>")

    def __str__(self) -> str:
        return self._engine().facts_text()

    def _elements(self) -> Element:
        if self._text is not None:
            raise InputError("this problem was read from a text: change the text.")
        return self._root

    def _know(self, model: Model) -> str:
        stem = pathlib.Path(model.name or "model").stem
        name = stem
        number = 2
        while name in self._models and self._models[name] is not model:
            name, number = f"{stem}_{number}", number + 1
        self._models[name] = model
        return name

    def _engine(self) -> _parfait.Problem:
        if self._file is not None:
            return _parfait.Problem.read(self._file)
        models = {name: model._engine for name, model in self._models.items()}
        return _parfait.Problem.read_text(self.text, self._name, models)


def _estimate(parameter: str, initial: float | None = None, lower: float | None = None,
              upper: float | None = None, transform: str | None = None, scale: float | None = None,
              prior: tuple[float, float] | None = None, true: float | None = None) -> dict[str, Any]:
    value, sigma = prior if prior is not None else (None, None)
    return {"parameter": parameter, "initial": initial, "lower": _bound(lower), "upper": _bound(upper),
            "transform": transform, "scale": scale, "prior": value, "sigma": sigma, "true": true}


def _bound(bound: float | None) -> float | str | None:
    if bound is not None and math.isinf(bound):
        return "inf" if bound > 0 else "-inf"
    return bound


def _observation(what: str | tuple[str, float | str] | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(what, str):
        return {"quantity": what}
    if isinstance(what, Mapping):
        return dict(what)
    quantity, sigma = what
    return {"quantity": quantity, ("sigma_column" if isinstance(sigma, str) else "sigma"): sigma}


def _write_initial(element: Element, initial: str | Mapping[str, Any] | None) -> None:
    if initial is None:
        return
    if isinstance(initial, str):
        if initial not in ("fixed", "free"):
            raise InputError(f'initial="{initial}": must be "fixed", "free", or a mapping of states.')
        element.add("initial", {"fixed": initial == "fixed"})
        return
    for state, value in initial.items():
        if value == "free" or value == "fixed":
            element.add("initial", {"state": state, "fixed": value == "fixed"})
        elif isinstance(value, tuple):
            element.add("initial", {"state": state, "value": value[0], "sigma": value[1]})
        else:
            element.add("initial", {"state": state, "fixed": True, "value": value})


def _csv(data: Any, time: str | None) -> str:
    """Columns as text that reads back as the same numbers; NaN is an empty cell."""
    columns = {str(name): _cells(name, data[name]) for name in data}
    index = getattr(data, "index", None)
    if index is not None and not any(n in columns for n in ([time] if time else ["t", "time"])):
        columns = {str(getattr(index, "name", None) or time or "t"): list(index), **columns}
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"columns of the data have different lengths: {lengths}.")
    for name in columns:
        if any(c in name for c in ",\n\r\""):
            raise InputError(f"the name of the column {name!r} must not hold commas, quotes or line breaks.")

    texts = [[_cell(name, value) for value in values] for name, values in columns.items()]
    rows = [",".join(columns), *(",".join(row) for row in zip(*texts))]
    return "\n" + "\n".join(rows) + "\n"


def _cells(name: Any, values: Any) -> list[Any]:
    try:
        return list(values)
    except TypeError:
        raise InputError(f'column "{name}" of the data: {values!r} is no list of numbers.') from None


def _cell(name: str, value: Any) -> str:
    """None and what pandas calls NA were not measured."""
    try:
        number = math.nan if value is None or type(value).__name__ == "NAType" else float(value)
    except (TypeError, ValueError):
        raise InputError(f'column "{name}" of the data: {value!r} is not a number. Leave out columns of words.') from None
    return "" if math.isnan(number) else repr(number)


def fit(
    problem: Problem | str | os.PathLike[str],
    *,
    set: Mapping[str, float] | None = None,
    fix: Sequence[str] | None = None,
    start: Fit | str | os.PathLike[str] | None = None,
    starts: int | None = None,
    seed: int | None = None,
    intervals: int | str | None = None,
    profile: Sequence[str] | None = None,
    certify: bool | None = None,
    suggest: bool | None = None,
    coordinates: str | None = None,
    integrator: str | None = None,
    globalization: str | None = None,
    tolerance: float | None = None,
    max_iterations: int | None = None,
    threads: int | None = None,
    on_iteration: Callable[[dict[str, Any]], Any] | None = None,
    progress: bool | None = None,
) -> Fit:
    """Parameters from measurements, with their intervals.

    What is left out is what the problem file says, and then the default given here.

    Parameters
    ----------
    problem : Problem or path
    set : mapping of str to float, optional
        Initial values of parameters; of those that are not estimated, conditions in all experiments.
    fix : sequence of str, optional
        Parameters that are held instead of estimated.
    start : Fit or path, optional
        An earlier fit, or its run folder, to begin there.
    starts : int, optional
        So many more starts within the bounds; the best of them is the fit.
    seed : int, optional
        Which starts; default 1.
    intervals : int or "auto", optional
        Of multiple shooting in every dynamic experiment.
    profile : sequence of str, optional
        Parameters whose interval is found by profile likelihood; ``"all"``: all.
    certify : bool, optional
        Find how far estimates move with a 100 times more careful integrator.
    suggest : bool, optional
        Say which measurement would help most.
    coordinates : {"natural", "joint"}, optional
        Of mechanisms; default: natural.
    integrator : {"auto", "dop853", "dopri5", "abm", "bdf", "hht"}, optional
        Default: auto.
    globalization : {"auto", "rmt", "natural", "full", "lm"}, optional
        Default: auto.
    tolerance : float, optional
        Relative accuracy of every unknown; default 1e-6.
    max_iterations : int, optional
        Default: as long as there is progress.
    threads : int, optional
        At most so many; default: all cores. Results do not depend on it.
    on_iteration : callable, optional
        Called with each point of the iteration, a dictionary with ``number``, ``objective``, ``values``, ... An
        exception in it ends the fit and arrives unchanged.
    progress : bool, optional
        ``True`` prints the iteration table.

    Returns
    -------
    Fit
        Also where the fit did not converge: ``status`` and ``message`` say so.

    Raises
    ------
    InputError
        If the problem, its models, its data or an option make no sense.
    KeyboardInterrupt
        On Ctrl-C; its ``partial`` is what was found.

    Examples
    --------
    >>> from parfait.samples import decay_problem
    >>> found = pf.fit(decay_problem(), profile=["k"])
    >>> found.converged, round(found["k"].value, 2)
    (True, 0.5)
    """
    options = given(fix=_names(fix), profile=_names(profile), certify=certify, suggest=suggest,
                    coordinates=coordinates, integrator=integrator, globalization=globalization,
                    starts=starts, seed=seed, intervals=None if intervals is None else str(intervals),
                    tolerance=tolerance, max_iterations=max_iterations, threads=threads,
                    set=dict(set) if set else None)
    if isinstance(start, Fit):
        options["start_from"] = start._engine
    elif start is not None:
        options["start"] = os.fspath(start)
    engine, options["file"] = engine_of(problem)
    on_point = _with_table(on_iteration) if progress else on_iteration
    if on_point is not None:
        options["on_iteration"] = on_point
    try:
        return Fit(_parfait.fit(engine, options))
    except KeyboardInterrupt as stop:
        _wrap_partial(stop, Fit)
        raise


def engine_of(problem: Problem | str | os.PathLike[str]) -> tuple[_parfait.Problem | None, str]:
    """A problem in memory, or none if it is a file; and its file or name."""
    if not isinstance(problem, Problem):
        return None, os.fspath(problem)
    if problem._file is not None:
        return None, problem._file
    return problem._engine(), problem._name


def _with_table(on_iteration: Callable[[dict[str, Any]], Any] | None) -> Callable[[dict[str, Any]], Any]:
    """Prints the iteration table, and calls what the user gave."""
    begun = False

    def show(line: dict[str, Any]) -> None:
        nonlocal begun
        if not begun:
            print(_parfait.iteration_header())
        begun = True
        print(_parfait.iteration_line(line), flush=True)
        if on_iteration is not None:
            on_iteration(line)

    return show
