"""Results that are result.json and a few tables: poses, calibrations, moments, gradients, minima, designs."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _parfait
from ._errors import InputError, NotFinished
from ._results import Array, Table, _optional, _Saved


def _words(text: str) -> dict[str, list[str]]:
    """Columns of a table as they are written."""
    rows = list(csv.reader(io.StringIO(text)))
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}


def _numbers(cells: Sequence[str]) -> Array:
    """A read-only array; empty cells are NaN. ValueError if one is a word."""
    values = np.array([float(cell) if cell else math.nan for cell in cells])
    values.flags.writeable = False
    return values


def read_csv(text: str) -> dict[str, Any]:
    """Columns of a table: read-only arrays where all cells are numbers (empty: NaN), otherwise lists of words."""
    columns: dict[str, Any] = {}
    for name, cells in _words(text).items():
        try:
            columns[name] = _numbers(cells)
        except ValueError:
            columns[name] = cells
    return columns


def _without_units(columns: Mapping[str, Any]) -> dict[str, Any]:
    """``hip [rad]`` under the name ``hip``."""
    return {name.split(" [")[0]: values for name, values in columns.items()}


class _Folder:
    """A run that lies in files, with the face of the engine's runs."""

    def __init__(self, files: Mapping[str, bytes], text: str):
        self._files, self._text = dict(files), text

    def json(self) -> str:
        return self._files["result.json"].decode()

    def text(self) -> str:
        return self._text

    def report(self) -> str:
        return self._files.get("report.html", b"").decode()

    def tables(self) -> dict[str, str]:
        return {name: data.decode() for name, data in self._files.items()
                if not name.endswith(".json") and name != "report.html"}

    def save(self, folder: str) -> None:
        target = pathlib.Path(folder)
        if target.exists() and not (target / "result.json").exists() and any(target.iterdir()):
            raise InputError(f"{folder}: is not a run folder.")
        for name, data in self._files.items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(data)


class _Finding(_Saved):
    """What all of them have: ``json``, ``summary()``, ``report()``, ``plot()``, ``save()``, tables, a status."""

    def __init__(self, engine: Any):
        self._engine = engine
        about = self.json
        self.status: str = about["status"]
        self.message: str = about["message"]
        self.warnings: list[str] = about["warnings"]
        self._partial: bool = about["partial"]
        self._texts: dict[str, str] = engine.tables()

    @property
    def finished(self) -> bool:
        """Whether it got to its end."""
        return not self._partial

    def raise_if_failed(self) -> Any:
        """For scripts: the result itself, or an exception.

        Returns
        -------
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
    def files(self) -> list[str]:
        """Tables by the names they have in a run folder."""
        return sorted(self._texts)

    def table(self, file: str) -> Table:
        """A table of the run folder.

        Parameters
        ----------
        file : str
            One of ``files`` with .csv.

        Returns
        -------
        Table

        Raises
        ------
        InputError
            If there is no such table.
        """
        if file not in self._texts or not file.endswith(".csv"):
            names = [name for name in self._texts if name.endswith(".csv")]
            raise InputError(f'there is no table "{file}". Tables: {", ".join(names)}.')
        return Table(read_csv(self._texts[file]))

    def __reduce__(self) -> Any:
        import tempfile
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "run"
            self.save(folder)
            files = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        return (_restore, (type(self), files, self.summary()))

    def __repr__(self) -> str:
        return f"<parfait.{type(self).__name__}: {self.status}>"

    def _repr_html_(self) -> str:
        import html
        return f"<pre>{html.escape(self.summary())}</pre>"


def _restore(kind: type, files: dict[str, bytes], text: str) -> Any:
    return kind(_Folder(files, text))


def load_finding(kind: type, folder: str) -> Any:
    """What ``save`` or the command line wrote."""
    root = pathlib.Path(folder)
    about = (root / "result.json").read_bytes()
    names = [name for name in json.loads(about)["outputs"] if (root / name).is_file()]
    files = {name: (root / name).read_bytes() for name in names}
    return kind(_Folder(files, _parfait.saved_text(about.decode(), str(root / "result.json"))))


class _OverTime(Mapping[str, Array]):
    """Coordinates by name, each an array over the times ``t``."""

    t: Array
    _values: dict[str, Array]

    def __getitem__(self, coordinate: str) -> Array:
        try:
            return self._values[coordinate]
        except KeyError:
            raise KeyError(f'there is no coordinate "{coordinate}". Coordinates: '
                           f'{", ".join(list(self._values)[:12])}') from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def to_pandas(self) -> Any:
        """A table indexed by time."""
        pandas = _optional("pandas", "to_pandas()")
        return pandas.DataFrame(self._values, index=pandas.Index(self.t, name="t"))


class TrialPoses(_OverTime):
    """Poses of one trial: a mapping of coordinates to arrays over time.

    Attributes
    ----------
    t : array [s]
        Times.
    sd : Table
        Standard deviations of the coordinates; NaN at a limit or where no marker sees them.
    errors : Table [m]
        Distance of each marker from where the model has it.
    rms : float [m]
        Of these distances.
    about : dict
        Everything else result.json says about the trial.

    Examples
    --------
    >>> walking = pf.ik("examples/gait_ik/subject.osim", "examples/gait_ik/walking1.trc")["walking1"]
    >>> walking.errors["C7"].shape == walking.t.shape == walking["knee_angle_r"].shape
    True
    """

    def __init__(self, about: dict[str, Any], angles: str, errors: str):
        columns = _without_units(read_csv(angles))
        self.about = about
        self.t: Array = columns.pop("t")
        self.sd = Table({n[:-3]: v for n, v in columns.items() if n.endswith(".sd")})
        self._values = {n: v for n, v in columns.items() if not n.endswith(".sd")}
        self.errors = Table({n: v for n, v in read_csv(errors).items() if n != "t"})
        self.rms: float = about["errors"]["rms"]

    def __repr__(self) -> str:
        return f"<parfait.TrialPoses: {len(self.t)} frames, {len(self)} coordinates>"


class Poses(_Finding, Mapping[str, TrialPoses]):
    """Poses of a model: a mapping of trials to :class:`TrialPoses` (:func:`parfait.ik`).

    Attributes
    ----------
    status, message : str
        How it ended.
    finished : bool
        Whether it got to its end.
    warnings, files : list of str
        What looks odd, and the tables that ``table(file)`` has.

    Examples
    --------
    >>> poses = pf.ik("examples/gait_ik/subject.osim", "examples/gait_ik/walking1.trc")
    >>> list(poses), poses.finished
    (['walking1'], True)
    """

    def __init__(self, engine: Any):
        super().__init__(engine)
        self._trials = {t["trial"]: TrialPoses(t, self._texts[t["files"][0]], self._texts[t["files"][2]])
                        for t in self.json["trials"]}

    def __getitem__(self, trial: str) -> TrialPoses:
        try:
            return self._trials[trial]
        except KeyError:
            raise KeyError(f'there is no trial "{trial}". Trials: {", ".join(self._trials)}') from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._trials)

    def __len__(self) -> int:
        return len(self._trials)


class Calibration(_Finding):
    """A subject's model (:func:`parfait.calibrate`).

    Attributes
    ----------
    rms : float [m]
        Of the distances of markers from where the model has them.
    lengths, parameters : Table
        Columns ``name``, ``value``, ``sd``, ``low``, ``high``, ...
    joint_centres, marker_places : Table [m]
        Places in the axes of their bodies.
    trials : list of dict
        What result.json says about each trial.
    undetermined : list of str
        What the trials do not tell.
    model : str or None
        The text of the calibrated model.
    converged, status, message, warnings, iterations
        How it ended.
    """

    def __init__(self, engine: Any):
        super().__init__(engine)
        about = self.json
        self.rms: float = about["rms"]
        self.iterations: int = about["iterations"]
        self.trials: list[dict[str, Any]] = about["trials"]
        self.undetermined: list[str] = about["undetermined"]

    @property
    def converged(self) -> bool:
        """Whether it arrived at a minimum."""
        return self.status == "converged"

    @property
    def lengths(self) -> Table:
        """Lengths of the model and how well they are known [m]."""
        return Table(_without_units(self.table("lengths.csv")))

    @property
    def parameters(self) -> Table:
        """What was estimated, and how well it is known."""
        rows = self.json["parameters"]
        columns: dict[str, Any] = {key: [row[key] for row in rows] for key in (rows[0] if rows else ())}
        for key, values in columns.items():
            if key != "name":
                columns[key] = np.array(values, dtype=float)  # null: NaN
        return Table(columns)

    @property
    def joint_centres(self) -> Table:
        """In the axes of their bodies [m]."""
        return Table(_without_units(self.table("joint_centres.csv")))

    @property
    def marker_places(self) -> Table:
        """In the axes of their bodies [m]."""
        return Table(_without_units(self.table("marker_places.csv")))

    @property
    def model(self) -> str | None:
        """The text of the calibrated model, in the format that it came in; ``None`` if that is not written."""
        return next((text for name, text in self._texts.items() if name.startswith("model.")), None)


class Scaling(_Finding):
    """A model in the size of a subject (:func:`parfait.scale`).

    Attributes
    ----------
    mass : float [kg]
        Of the scaled model.
    static_rms : float or None [m]
        Distance of markers in the static pose; ``None``: not placed.
    factors : dict of str to list of float
        Of each body along its axes.
    model : str or None
        The text of the scaled model.

    Examples
    --------
    >>> scaled = pf.scale("tests/motion_files/data/scale/setup.xml")
    >>> len(scaled.factors["pelvis"]), round(scaled.mass, 1)
    (3, 72.6)
    """

    def __init__(self, engine: Any):
        super().__init__(engine)
        about = self.json
        self.mass: float = about["mass"]
        self.static_rms: float | None = about["static_rms"]
        self.factors: dict[str, list[float]] = {b["body"]: b["factors"] for b in about["bodies"]}

    @property
    def model(self) -> str | None:
        """The text of the scaled model."""
        return next((text for name, text in self._texts.items() if name.endswith(".osim")), None)


class Moments(_Finding, _OverTime):
    """Moments [N m] or forces [N] at the joints: a mapping of coordinates to arrays (:func:`parfait.id`).

    Attributes
    ----------
    t : array [s]
        Times.
    power : Table [W]
        Of each of them.
    motion : Table
        The coordinates themselves, filtered if that was asked for.
    mass : float [kg]
        Of the model.

    Examples
    --------
    >>> moments = pf.id("examples/urdf_arm/arm.urdf", "examples/urdf_arm/motion.mot")
    >>> round(float(abs(moments["yaw"]).max()), 2), round(moments.mass, 1)
    (10.16, 9.6)
    """

    def __init__(self, engine: Any):
        super().__init__(engine)
        self._values = _without_units(self.table("moments.csv"))
        self.t: Array = self._values.pop("t")
        self.power = self._other("powers.csv")
        self.motion = self._other("motion.csv")
        self.mass: float = self.json["mass"]

    def _other(self, file: str) -> Table:
        return Table({n: v for n, v in _without_units(self.table(file)).items() if n != "t"})


class Gait(_Finding):
    """Walking (:func:`parfait.gait`).

    Attributes
    ----------
    trials : list of dict
        What result.json says about each trial: its events, strides and speed.
    events, strides, parameters : Table
        ``parameters`` has mean and sd over all strides of a side.
    cycles : dict of (str, str) to Table
        Curves over the gait cycle by ``(name, side)``, side ``""`` for what belongs to none: columns ``percent``,
        ``mean`` and ``sd``.

    Examples
    --------
    >>> walk = pf.gait("tests/motion_files/data/MACsample.c3d")
    >>> len(walk.strides["start"]), walk.parameters["name"][0]
    (1, 'stride duration')
    """

    def __init__(self, engine: Any):
        super().__init__(engine)
        self.trials: list[dict[str, Any]] = self.json["trials"]

    @property
    def events(self) -> Table:
        """Of all trials."""
        return Table(_without_units(self.table("events.csv")))

    @property
    def strides(self) -> Table:
        """Of all trials."""
        return Table(_without_units(self.table("strides.csv")))

    @property
    def parameters(self) -> Table:
        """Mean and standard deviation over all strides of a side."""
        return self.table("parameters.csv")

    @property
    def cycles(self) -> dict[tuple[str, str], Table]:
        """Curves over the gait cycle by name and side."""
        if "cycles.csv" not in self._texts:
            return {}
        rows = _words(self._texts["cycles.csv"])
        keys = list(dict.fromkeys(zip(rows["curve"], rows["side"])))
        chosen = {key: [i for i, own in enumerate(zip(rows["curve"], rows["side"])) if own == key] for key in keys}
        return {key: Table({name: _numbers([rows[name][i] for i in places]) for name in ("percent", "mean", "sd")})
                for key, places in chosen.items()}


class Batch(_Finding):
    """Many subjects (:func:`parfait.batch`). Each has a run folder of its own.

    Attributes
    ----------
    subjects : Table
        Columns ``subject``, ``status``, ``trials``, ``frames``, ``rms_before`` and ``rms`` [m], ...
    """

    @property
    def subjects(self) -> Table:
        """A row per subject."""
        rows = self.json["subjects"]
        columns: dict[str, Any] = {key: [row[key] for row in rows] for key in rows[0]}
        for key in ("trials", "frames", "warnings"):
            columns[key] = np.array(columns[key], dtype=int)
        for key in ("rms_before", "rms"):
            columns[key] = np.array(columns[key], dtype=float)  # null: NaN
        return Table(columns)


class Gradient(_Finding, Mapping[str, float]):
    """dJ/dp by parameter (:func:`parfait.gradient`).

    Attributes
    ----------
    objective : float or None
        J; ``None`` if it does not exist.
    costs : dict of str to float
        Its parts.
    point : dict of str to float
        The values of the parameters.
    forward : dict of str to float or None
        The same by directions, where that was asked for (``check=True``).
    difference : float or None
        Largest difference of the two, relative to the largest component.

    Examples
    --------
    >>> g = pf.gradient("examples/gradient/pendulum_problem.xml")
    >>> list(g) == list(g.point)
    True
    """

    def __init__(self, engine: Any):
        super().__init__(engine)
        about = self.json
        entries = about["gradient"]
        self.objective: float | None = about["objective"] if self.finished else None
        self.costs: dict[str, float] = about["costs"]
        self._gradient: dict[str, float] = {e["parameter"]: e["gradient"] for e in entries}
        self.point: dict[str, float] = {e["parameter"]: e["value"] for e in entries}
        self.forward: dict[str, float | None] = {e["parameter"]: e["forward"] for e in entries}
        self.difference: float | None = about.get("difference")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(list(self._gradient.values()), dtype=dtype or float)

    def __getitem__(self, parameter: str) -> float:
        return self._gradient[parameter]

    def __iter__(self) -> Iterator[str]:
        return iter(self._gradient)

    def __len__(self) -> int:
        return len(self._gradient)


class Minimization(_Finding):
    """A minimum by gradients (:func:`parfait.minimize`).

    Attributes
    ----------
    objective : float
        J in the end.
    iterations, evaluations : int
    values, sd, ci95 : dict
        By parameter; the last two of least squares, where they could be determined.
    path : Table
        A row per iteration.
    contour : Table
        J on a grid of two parameters, if asked for.
    converged, status, message, warnings
        How it ended.

    Examples
    --------
    >>> found = pf.minimize("examples/gradient/pendulum_problem.xml", max_iterations=3)
    >>> found.converged, bool(found.path["objective"][-1] < found.path["objective"][0])
    (False, True)
    """

    def __init__(self, engine: Any):
        super().__init__(engine)
        about = self.json
        self.objective: float = about["objective"]
        self.iterations: int = about["iterations"]
        self.evaluations: int = about["evaluations"]
        self.values: dict[str, float] = {p["id"]: p["value"] for p in about["parameters"]}
        known = [p for p in about["parameters"] if "sd" in p]
        self.sd: dict[str, float] = {p["id"]: p["sd"] for p in known}
        self.ci95: dict[str, tuple[float, float]] = {p["id"]: (p["ci95"][0], p["ci95"][1]) for p in known}

    @property
    def converged(self) -> bool:
        """Whether it arrived at a minimum."""
        return self.status == "converged"

    @property
    def path(self) -> Table:
        """A row per iteration."""
        return self.table("path.csv")

    @property
    def contour(self) -> Table:
        """J on a grid of two parameters."""
        return self.table("contour.csv")


class Design(_Finding):
    """An experiment that would tell most (:func:`parfait.design`).

    Attributes
    ----------
    measures, before : dict of str to float
        psi, trace_C, log_det_M, ... of the design, and of what is known already (``None``: nothing).
    sd, sd_before : dict of str to float
        Standard deviations that the next fit will have, with and without the new experiment (infinite: none).
    experiments, variables : list of dict
        What was planned, and the values that were found.
    samples : Table
        What is to be measured, when and how often.
    information : array
        The information matrix of the design.

    Examples
    --------
    >>> plan = pf.design("examples/design_reactor/design.xml", starts=1)
    >>> sorted(plan.sd), plan.information.shape
    (['A1', 'A2', 'E1', 'E2'], (4, 4))
    """

    def __init__(self, engine: Any):
        super().__init__(engine)
        about = self.json

        def deviations(key: str) -> dict[str, float]:
            return {p["id"]: math.inf if p[key] is None else p[key] for p in about["parameters"]}

        self.measures: dict[str, float] = about["measures"]
        self.before: dict[str, float] | None = about.get("known")
        self.sd = deviations("sd_design")
        self.sd_before = deviations("sd_known")
        self.experiments: list[dict[str, Any]] = about["experiments"]
        self.variables: list[dict[str, Any]] = about["variables"]

    @property
    def samples(self) -> Table:
        """What is to be measured, when and how often."""
        return self.table("samples.csv")

    @property
    def information(self) -> Array:
        """The information matrix of the design."""
        columns = self.table("information.csv")
        return np.column_stack([values for values in columns.values() if isinstance(values, np.ndarray)])
