"""What was found: mappings of arrays that share memory with the engine."""

from __future__ import annotations

import csv
import json
import os
import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _parfait
from ._errors import InputError, NotFinished
from ._report import Plot, Report, plots

if TYPE_CHECKING:
    import pandas  # type: ignore[import]  # Debian has no stubs of it
    import xarray  # type: ignore[import]  # nobody must have it
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
else:
    Array = np.ndarray  # numpy.typing is for checkers alone, and takes long to import


def _optional(module: str, what: str) -> Any:
    try:
        return __import__(module)
    except ImportError as error:
        raise ImportError(f"{what} needs {module}: install it (Debian: python3-{module}).") from error


class Table(Mapping[str, Any]):
    """Columns by name; numbers are read-only arrays without a copy.

    Parameters
    ----------
    columns : mapping of str to array or list

    Examples
    --------
    >>> from parfait.samples import decay
    >>> steps = decay().simulate(until=1).steps
    >>> list(steps)
    ['t', 'step']
    >>> bool((steps["step"] > 0).all())
    True
    """

    def __init__(self, columns: Mapping[str, Any]):
        self._columns = dict(columns)

    def __getitem__(self, name: str) -> Any:
        try:
            return self._columns[name]
        except KeyError:
            names = ", ".join(list(self._columns)[:12])
            raise KeyError(f'there is no column "{name}". Columns: {names}') from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def to_pandas(self) -> pandas.DataFrame:
        """As a DataFrame."""
        return _optional("pandas", "to_pandas()").DataFrame(dict(self._columns))

    def __repr__(self) -> str:
        rows = len(next(iter(self._columns.values()), []))
        return f"<{type(self).__name__}: {rows} rows, columns {', '.join(list(self._columns)[:8])}" + (
            ", ...>" if len(self._columns) > 8 else ">")


class _Saved:
    """A result with a run folder: saved, loaded, pickled, shown."""

    _engine: Any
    _kind = ""

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes the run folder, as the command line does.

        Parameters
        ----------
        folder : path
            A new folder, an empty one, or an earlier run folder, which is replaced.

        Raises
        ------
        InputError
            If something else is there.
        """
        self._engine.save(os.fspath(folder))

    @property
    def json(self) -> dict[str, Any]:
        """Everything in result.json."""
        about: dict[str, Any] = json.loads(self._engine.json())
        return about

    def summary(self) -> str:
        """The text that the command line prints."""
        text: str = self._engine.text()
        return text

    def __str__(self) -> str:
        return self.summary()

    def report(self, file: str | os.PathLike[str] | None = None) -> Report:
        """The report.

        Parameters
        ----------
        file : path, optional
            Where it is also written, a name with .html.

        Returns
        -------
        Report

        Raises
        ------
        InputError
            Of results that have none.
        """
        text = self._engine.report()
        if not text:
            raise InputError(f"a {type(self).__name__} has no report: summary() tells it.")
        page = Report(text)
        if file is not None:
            page.save(file)
        return page

    @property
    def plots(self) -> dict[str, Plot]:
        """Every picture of the report, by name."""
        return plots(self._engine.report())

    def plot(self, name: str) -> Plot:
        """A picture of the report.

        Parameters
        ----------
        name : str
            One of ``plots``.

        Returns
        -------
        Plot

        Raises
        ------
        InputError
            If there is no such picture.
        """
        all_plots = self.plots
        if name not in all_plots:
            raise InputError(f'there is no plot "{name}". Plots: {", ".join(all_plots) or "none"}.')
        return all_plots[name]

    def __reduce__(self) -> Any:
        import tempfile
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "run"
            self.save(folder)
            files = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        files.pop("report.html", None)
        return (_restore, (self._kind, files))


def _restore(kind: str, files: dict[str, bytes]) -> Any:
    import tempfile
    with tempfile.TemporaryDirectory() as scratch:
        for name, content in files.items():
            path = pathlib.Path(scratch) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return load(scratch)


def load(folder: str | os.PathLike[str]) -> Any:
    """A run folder, read back.

    Parameters
    ----------
    folder : path
        What ``save()`` or the command line wrote.

    Returns
    -------
    Fit, Simulation, Modes, Poses, Calibration, Scaling, Moments, Gait, Batch, Gradient, Minimization or Design

    Raises
    ------
    InputError
        If it is no run folder, or holds what cannot be loaded.

    Examples
    --------
    >>> import tempfile
    >>> from parfait.samples import decay
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     decay().simulate(until=1, step=0.5).save(folder + "/run")
    ...     pf.load(folder + "/run")["x"].round(4).tolist()
    [2.0, 1.5576, 1.2131]
    """
    from . import _findings
    kinds = {"ik": _findings.Poses, "calibrate": _findings.Calibration, "scale": _findings.Scaling,
             "id": _findings.Moments, "gait": _findings.Gait, "batch": _findings.Batch,
             "gradient": _findings.Gradient, "minimize": _findings.Minimization, "design": _findings.Design}
    name = os.fspath(folder)
    command = _parfait.saved_command(name)
    if command == "fit":
        return Fit(_parfait.Fit.load(name))
    if command == "simulate":
        return Simulation(_parfait.Simulation.load(name))
    if command == "modes":
        return Modes(_load_modes(pathlib.Path(name)))
    if command in kinds:
        return _findings.load_finding(kinds[command], name)
    raise InputError(f'"{name}" holds a result of `{command}`. '
                     f'What can be loaded: fit, simulate, modes, {", ".join(kinds)}.')


class _Derivatives(Mapping[tuple[str, str], Array]):
    """``d["x", "k"]`` is dx/dk over time."""

    def __init__(self, columns: Mapping[str, Array], quantities: list[str], names: list[str]):
        self._columns = {(q, n): columns[f"d{q}/d{n}"] for q in quantities for n in names
                         if f"d{q}/d{n}" in columns}

    def __getitem__(self, key: tuple[str, str]) -> Array:
        try:
            return self._columns[key]
        except KeyError:
            raise KeyError(f"there is no derivative of {key[0]!r} with respect to {key[1]!r}. "
                           "Ask simulate(sensitivity=[...]) for it.") from None

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return f"<derivatives {', '.join(f'd[{q!r}, {n!r}]' for q, n in list(self)[:8])}{', ...' if len(self) > 8 else ''}>"


class Simulation(_Saved, Mapping[str, Array]):
    """The motion of a model: a mapping of quantities to arrays over time.

    Attributes
    ----------
    t : array [s]
        Times of the rows.
    d : mapping of (str, str) to array
        Derivatives with respect to parameters: ``run.d["x", "k"]``.
    status, message : str
        How it ended.
    finished : bool
        Whether it got to its end.
    warnings : list of str
    events : list of dict
        What happened, each with ``t`` and ``name``.
    steps : Table
        The accepted steps of the integrator, columns ``t`` and ``step`` [s].
    bodies : list of str
        Of a mechanism, in the order of ``motion``.
    motion : array or None
        Frames x bodies x 4 x 3: origin and axes of every body, for drawing; ``None`` of formula models.

    Examples
    --------
    >>> from parfait.samples import pendulum
    >>> run = pendulum().simulate(until=1, step=0.5, observe=["Bar.com.z"])
    >>> run.t.tolist(), list(run)
    ([0.0, 0.5, 1.0], ['Bar.com.z'])
    >>> run["Bar.com.z"].shape, run.motion.shape
    ((3,), (3, 1, 4, 3))
    """

    _engine: _parfait.Simulation
    _kind = "simulate"

    def __init__(self, engine: _parfait.Simulation):
        self._engine = engine
        columns = engine.trajectory()
        names = engine.sensitivity()
        self.t: Array = columns.pop("t") if "t" in columns else np.empty(0)
        self._columns = columns
        derived = {f"d{q}/d{n}" for q in columns for n in names} if names else set()
        self._quantities = [name for name in columns if name not in derived]
        self.d = _Derivatives(columns, self._quantities, names)
        self.status: str
        self.message: str
        self.warnings: list[str]
        self.status, self.message, self.warnings = engine.verdict()

    @property
    def events(self) -> list[dict[str, Any]]:
        """What happened, each with ``t`` and ``name``."""
        found: list[dict[str, Any]] = self.json["events"]
        return found

    @property
    def finished(self) -> bool:
        """Whether it got to its end."""
        return self.status == "finished"

    def raise_if_failed(self) -> Simulation:
        """For scripts: the simulation itself, or an exception.

        Returns
        -------
        Simulation
            The same.

        Raises
        ------
        NotFinished
            If it did not get to its end.
        """
        if not self.finished:
            raise NotFinished(self.message, self)
        return self

    @property
    def bodies(self) -> list[str]:
        """Of a mechanism, in the order of ``motion``."""
        motions = self._engine.motions()
        return motions[0][1] if motions else []

    @property
    def motion(self) -> NDArray[np.float32] | None:
        """Frames x bodies x 4 x 3: origin and axes of every body, for drawing; ``None`` of formula models."""
        motions = self._engine.motions()
        return motions[0][3] if motions else None

    @property
    def steps(self) -> Table:
        """The accepted steps of the integrator, columns ``t`` and ``step`` [s]."""
        return Table(self._engine.steps())

    def __getitem__(self, quantity: str) -> Array:
        try:
            return self._columns[quantity]
        except KeyError:
            names = ", ".join(self._quantities[:12])
            raise KeyError(f'"{quantity}" was not observed. Quantities: {names}') from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._quantities)

    def __len__(self) -> int:
        return len(self._quantities)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        table = np.column_stack([self.t, *(self[q] for q in self._quantities)])
        return table if dtype is None else table.astype(dtype)

    def to_pandas(self) -> pandas.DataFrame:
        """A table indexed by time."""
        frame = _optional("pandas", "to_pandas()").DataFrame(self._columns)
        frame.index = _optional("pandas", "to_pandas()").Index(self.t, name="t")
        return frame

    def to_xarray(self) -> xarray.Dataset:
        """A dataset over the dimension t."""
        return _optional("xarray", "to_xarray()").Dataset(
            {q: ("t", self[q]) for q in self._quantities}, coords={"t": self.t})

    def _repr_html_(self) -> str:
        pictures = self.plots.get("quantity")
        shown = "".join(pictures.figures[:2]) if pictures else ""
        return f"<div><p>{self.message}</p>{pictures._style if pictures else ''}{shown}</div>"

    def __repr__(self) -> str:
        return f"<parfait.Simulation: {self.status}, {len(self.t)} rows, {len(self)} quantities>"


@dataclass(frozen=True)
class Parameter:
    """What a fit says about a parameter: ``fit["k"]``.

    Parameters
    ----------
    id : str
        Its name.
    experiment : str
        The experiment it belongs to; "" if it is shared by all.
    unit : str
        As the model says; "" if it does not.
    value : float
        The estimate.
    sd : float
        Its standard deviation. NaN at a bound or without statistics, infinite if the data do not determine it.
    ci95 : tuple of float
        Confidence interval of this parameter alone (95 %, or as the problem says).
    joint : tuple of float
        Confidence interval of all parameters at once.
    initial : float
        Where the fit began.
    lower, upper : float
        Its bounds; infinite: none.
    determined : {"by_data", "at_lower", "at_upper", "undetermined"}
    true : float or None
        The true value of synthetic data.

    Examples
    --------
    >>> from parfait.samples import decay_problem
    >>> k = decay_problem().fit()["k"]
    >>> k.determined, k.ci95[0] < k.value < k.ci95[1]
    ('by_data', True)
    """

    id: str
    experiment: str
    unit: str
    value: float
    sd: float
    ci95: tuple[float, float]
    joint: tuple[float, float]
    initial: float
    lower: float
    upper: float
    determined: str
    true: float | None


class Trajectory(Mapping[str, Array]):
    """What the fitted model says over an experiment: a mapping of quantities to arrays over time.

    Parameters
    ----------
    quantities : list of str
    t : array [s]
    values, sd : arrays
        A column per quantity; of ``sd`` none, where there are no statistics.

    Attributes
    ----------
    t : array [s]
        Times.
    sd : Table
        Standard deviations of the values, by quantity.

    Examples
    --------
    >>> from parfait.samples import decay_problem
    >>> curve = decay_problem().fit().trajectories["run"]
    >>> low, high = curve.band("x")
    >>> bool((low <= curve["x"]).all() and (curve["x"] <= high).all())
    True
    """

    def __init__(self, quantities: list[str], t: Array, values: Array, sd: Array):
        self.t = t
        self._values = {q: values[:, i] for i, q in enumerate(quantities)}
        self.sd = Table({q: sd[:, i] for i, q in enumerate(quantities)} if sd.size else {})

    def __getitem__(self, quantity: str) -> Array:
        return self._values[quantity]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def band(self, quantity: str, width: float = 1.96) -> tuple[Array, Array]:
        """The values plus and minus some standard deviations.

        Parameters
        ----------
        quantity : str
        width : float
            So many; 1.96 are 95 %.

        Returns
        -------
        tuple of array
            The lower and the upper curve.
        """
        half = width * self.sd[quantity]
        return self[quantity] - half, self[quantity] + half

    def __repr__(self) -> str:
        return f"<parfait.Trajectory: {len(self.t)} rows, quantities {', '.join(list(self)[:8])}{', ...' if len(self) > 8 else ''}>"

    def to_pandas(self) -> pandas.DataFrame:
        """A table indexed by time."""
        pandas = _optional("pandas", "to_pandas()")
        return pandas.DataFrame(self._values, index=pandas.Index(self.t, name="t"))


class Fit(_Saved, Mapping[str, Parameter]):
    """Parameters with their intervals: a mapping of names to :class:`Parameter`.

    A parameter of one experiment has the name ``"offset (run1)"`` where there are several experiments.

    Attributes
    ----------
    values : dict of str to float
        The estimates. (So ``fit.values`` is no method, as it is of other mappings.)
    covariance, correlation : array
        Of the parameters, in their order.
    converged : bool
    status, message : str
        How it ended.
    warnings, findings : list of str
        What looks odd, and what the data do not determine.
    iterations : int
    history : list of dict
        Each point of the iteration.
    objective : float or None
        The sum of squared weighted residuals, or -2 log L.
    degrees_of_freedom : int or None
    sigma_scale : float or None
        Scatter of the residuals relative to the standard deviations that were stated.
    initial_states : list of Parameter
        Those that were estimated.
    residuals : Table
        Every measurement: experiment, column, t, measured, model, sigma, weighted, sd, prior.
    trajectories, first_guess : dict of str to Trajectory
        What the model says after and before the fit, by experiment.
    starts : dict or None
        What came of many starts.
    profiles : dict
        Profile likelihoods, by parameter.

    Examples
    --------
    >>> from parfait.samples import decay_problem
    >>> found = decay_problem().fit()
    >>> found
    <parfait.Fit: converged, 1 parameters, objective ...>
    >>> round(found["k"].value, 2), found.covariance.shape, len(found.residuals["t"])
    (0.5, (1, 1), 8)
    """

    _engine: _parfait.Fit
    _kind = "fit"

    def __init__(self, engine: _parfait.Fit):
        self._engine = engine
        about = self.json
        several = len(about["experiments"]) > 1
        self._parameters: dict[str, Parameter] = {}
        for values in engine.parameters():
            p = Parameter(**values)
            self._parameters[f"{p.id} ({p.experiment})" if several and p.experiment else p.id] = p
        self.initial_states: list[Parameter] = [Parameter(**values) for values in engine.initial_states()]
        self.status: str = about["status"]
        self.message: str = about["message"]
        self.warnings: list[str] = about["warnings"]
        self.iterations: int = about["iterations"]
        self.objective: float | None = about["objective"]
        self.degrees_of_freedom: int | None = about.get("degrees_of_freedom")
        self.sigma_scale: float | None = about.get("sigma_scale")
        self.history: list[dict[str, Any]] = about["history"]
        self.findings: list[str] = [f["text"] for f in about["identifiability"]["findings"]]

    @property
    def converged(self) -> bool:
        """Whether it arrived at a minimum."""
        return self.status == "converged"

    def raise_if_failed(self) -> Fit:
        """For scripts: the fit itself, or an exception.

        Returns
        -------
        Fit
            The same.

        Raises
        ------
        NotFinished
            If it did not converge.
        """
        if not self.converged:
            raise NotFinished(self.message, self)
        return self

    @property
    def values(self) -> dict[str, float]:  # type: ignore[override]
        """Names and values of the parameters."""
        return {name: p.value for name, p in self._parameters.items()}

    @property
    def covariance(self) -> Array:
        """Of the parameters, in their order."""
        return self._engine.covariance()

    @property
    def correlation(self) -> Array:
        """Of the parameters, in their order."""
        return self._engine.correlation()

    @property
    def residuals(self) -> Table:
        """Every measurement: experiment, column, t, measured, model, sigma, weighted, sd, prior."""
        return Table(self._engine.residuals())

    @property
    def trajectories(self) -> dict[str, Trajectory]:
        """What the fitted model says, by experiment."""
        return {name: Trajectory(*parts) for name, parts in self._engine.trajectories().items()}

    @property
    def first_guess(self) -> dict[str, Trajectory]:
        """What the model said before the fit."""
        return {name: Trajectory(*parts) for name, parts in self._engine.first_guess().items()}

    @property
    def starts(self) -> dict[str, Any] | None:
        """What came of many starts: a list of them and the minima they found."""
        return self.json.get("starts")

    @property
    def profiles(self) -> dict[str, dict[str, Any]]:
        """Profile likelihoods, by parameter."""
        return {p["parameter"]: p for p in self.json.get("profiles", [])}

    def __getitem__(self, name: str) -> Parameter:
        try:
            return self._parameters[name]
        except KeyError:
            raise KeyError(f'no parameter "{name}" was estimated. Parameters: '
                           f'{", ".join(list(self._parameters)[:12])}') from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def to_pandas(self) -> pandas.DataFrame:
        """A row per parameter."""
        rows = [vars(p) | {"ci95_low": p.ci95[0], "ci95_high": p.ci95[1]} for p in self._parameters.values()]
        frame = _optional("pandas", "to_pandas()").DataFrame(rows, index=list(self._parameters))
        return frame.drop(columns=["ci95", "joint"])

    def _repr_html_(self) -> str:
        table = self.plots.get("parameters")
        return f"<div><p>{self.message}</p>{table._repr_html_() if table else ''}</div>"

    def __repr__(self) -> str:
        return f"<parfait.Fit: {self.status}, {len(self)} parameters, objective {self.objective}>"


class Modes(_Saved):
    """Static equilibrium and vibration modes (:func:`parfait.modes`).

    Attributes
    ----------
    modes : list of dict
        Of each mode ``frequency_hz``, ``damping``, ``moves_most``, ...
    frequencies : array [Hz]
        Undamped frequencies, slowest first.
    shapes : Table
        By quantity its complex amplitude in each mode.
    equilibrium : dict of str to float
        Quantities in the equilibrium.
    stability : str or None
        stable, marginal or unstable.
    status, message : str
        How it ended.
    warnings : list of str

    Examples
    --------
    >>> from parfait.samples import pendulum
    >>> swing = pendulum().modes()
    >>> swing.stability, swing.modes[0]["moves_most"]
    ('marginal', 'Hinge.angle')
    >>> round(swing.equilibrium["Bar.com.z"], 6)
    -0.5
    """

    def __init__(self, engine: _parfait.Modes | _StoredModes):
        self._engine = engine
        about = self.json
        self.status: str = about["status"]
        self.message: str = about["message"]
        self.warnings: list[str] = about["warnings"]
        self.modes: list[dict[str, Any]] = about["modes"]
        self.stability: str | None = about.get("stability")
        quantities, re, im, point = engine.shapes()
        self.shapes = Table({q: re[i] + 1j * im[i] for i, q in enumerate(quantities)})
        self.equilibrium = {name: float(values[0]) for name, values in point.items() if len(values)}

    @property
    def frequencies(self) -> Array:
        """Undamped frequencies [Hz], slowest first."""
        return np.array([m["frequency_hz"] for m in self.modes])

    def _repr_html_(self) -> str:
        import html
        return f"<pre>{html.escape(self.summary())}</pre>"

    def __reduce__(self) -> Any:
        import tempfile
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "run"
            self.save(folder)
            files = {p.name: p.read_bytes() for p in folder.iterdir()}
        return (Modes, (_StoredModes(files, self.summary(), self._engine.shapes()),))

    def __repr__(self) -> str:
        return f"<parfait.Modes: {self.status}, {len(self.modes)} modes, {self.stability}>"


class _StoredModes:
    """Modes in another process, with the face of the engine's."""

    def __init__(self, files: dict[str, bytes], text: str, shapes: tuple[Any, ...]):
        self._files, self._text, self._shapes = files, text, shapes

    def json(self) -> str:
        return self._files["result.json"].decode()

    def text(self) -> str:
        return self._text

    def report(self) -> str:
        return self._files["report.html"].decode()

    def shapes(self) -> tuple[Any, ...]:
        return self._shapes

    def save(self, folder: str) -> None:
        target = pathlib.Path(folder)
        if target.exists() and not (target / "result.json").exists() and any(target.iterdir()):
            raise InputError(f"{folder}: is not a run folder.")
        target.mkdir(parents=True, exist_ok=True)
        for name, data in self._files.items():
            (target / name).write_bytes(data)


def _load_modes(root: pathlib.Path) -> _StoredModes:
    """From result.json, shapes.csv (a row per quantity, re and im of each mode) and equilibrium.csv (one row)."""
    about = (root / "result.json").read_bytes()
    files = {name: (root / name).read_bytes() for name in json.loads(about)["outputs"] if (root / name).is_file()}
    quantities: list[str] = []
    numbers = np.zeros((0, 0))
    if "shapes.csv" in files:
        rows = list(csv.reader(files["shapes.csv"].decode().splitlines()))[1:]
        quantities = [row[0] for row in rows]
        numbers = np.array([[float(x) for x in row[1:]] for row in rows])
    point: dict[str, Array] = {}
    if "equilibrium.csv" in files:
        names, values = csv.reader(files["equilibrium.csv"].decode().splitlines())
        point = {name: np.array([float(x)]) for name, x in zip(names, values)}
    text = _parfait.saved_text(about.decode(), str(root / "result.json"))
    return _StoredModes(files, text, (quantities, numbers[:, 0::2], numbers[:, 1::2], point))
