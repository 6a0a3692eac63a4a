"""Parfait: models of motion from data. Simulation, sensitivities, and parameter estimation with intervals.

Examples everywhere begin with ``import parfait as pf``; the files they read are in the folder of Parfait's sources.

>>> import parfait as pf
>>> m = pf.OdeBuilder("decay")
>>> m.parameter("k", 0.5)
>>> m.state("x", 1, "-k*x")
>>> run = m.build().simulate(until=2, sensitivity=["k"])
>>> run.status
'finished'
"""

from __future__ import annotations

import json as _json
import os as _os
from collections.abc import Callable as _Callable
from collections.abc import Sequence as _Sequence
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import _parfait
from ._builder import Body, Frame, ModelBuilder, OdeBuilder, python_ode
from ._commands import Conversion, batch, calibrate, convert, design, gait, gradient, id, ik, minimize, scale
from ._errors import InputError, NotFinished
from ._findings import Batch, Calibration, Design, Gait, Gradient, Minimization, Moments, Poses, Scaling, TrialPoses
from ._model import Model
from ._problem import Problem, fit
from ._report import Plot, Report, lines
from ._results import Fit, Modes, Parameter, Simulation, Table, Trajectory, load

if _TYPE_CHECKING:
    import subprocess as _subprocess

__version__: str = _parfait.__version__

__all__ = [
    "Batch", "Body", "Calibration", "Conversion", "Design", "Fit", "Frame", "Gait", "Gradient", "InputError",
    "Minimization", "Model", "ModelBuilder", "Modes", "Moments", "NotFinished", "OdeBuilder", "Parameter", "Plot",
    "Poses", "Problem", "Report", "Scaling", "Simulation", "Table", "Trajectory", "TrialPoses", "batch", "calibrate",
    "check", "convert", "design", "elements", "fit", "gait", "gradient", "human", "id", "ik", "import_motion", "joints", "lines",
    "load",
    "load_plugin", "minimize", "modes", "python_ode", "report", "scale", "simulate", "synthesize", "verify", "view",
]


def simulate(model: Model | str | _os.PathLike[str], **options: _Any) -> Simulation:
    """The motion of a model.

    Parameters
    ----------
    model : Model or path
    options
        As of :meth:`Model.simulate`.

    Returns
    -------
    Simulation

    Raises
    ------
    InputError
        If the file, a name or an option makes no sense.
    KeyboardInterrupt
        On Ctrl-C; its ``partial`` is the motion until then.

    Examples
    --------
    >>> pf.simulate("examples/pendulum_ode/model.xml", until=1, step=0.1)
    <parfait.Simulation: finished, 11 rows, 2 quantities>
    """
    return (model if isinstance(model, Model) else Model.from_xml(model)).simulate(**options)


def modes(model: Model | str | _os.PathLike[str], **options: _Any) -> Modes:
    """Static equilibrium and vibration modes.

    Parameters
    ----------
    model : Model or path
    options
        As of :meth:`Model.modes`.

    Returns
    -------
    Modes

    Raises
    ------
    InputError
        If the file or an option makes no sense.
    KeyboardInterrupt
        On Ctrl-C.

    Examples
    --------
    >>> pf.modes("examples/double_pendulum/double_pendulum.xml").frequencies.round(3).tolist()
    [0.3, 0.448]
    """
    return (model if isinstance(model, Model) else Model.from_xml(model)).modes(**options)


def synthesize(problem: Problem | str | _os.PathLike[str], **options: _Any) -> Problem:
    """The problem with measurements made by its models at the true parameters, with noise.

    Parameters
    ----------
    problem : Problem or path
    options
        As of :meth:`Problem.synthesize`.

    Returns
    -------
    Problem

    Raises
    ------
    InputError
        If the problem makes no sense, or does not say when it is measured.

    Examples
    --------
    >>> from parfait.samples import decay_problem
    >>> pf.synthesize(decay_problem(), seed=2)
    <parfait.Problem: 1 experiments, 8 measurements, 1 parameters>
    """
    return (problem if isinstance(problem, Problem) else Problem.from_xml(problem)).synthesize(**options)


def check(file: str | _os.PathLike[str]) -> dict[str, _Any]:
    """What is in a model or problem file.

    Parameters
    ----------
    file : path

    Returns
    -------
    dict
        As ``parfait check --json`` tells it.

    Raises
    ------
    InputError
        If something is wrong, with file and line.

    Examples
    --------
    >>> facts = pf.check("examples/pendulum/problem.xml")
    >>> facts["kind"], facts["measurements"]
    ('problem', 20)
    """
    name = _os.fspath(file)
    return Problem.from_xml(name).check() if _parfait.is_problem(name) else Model.from_xml(name).check()


def elements() -> dict[str, _Any]:
    """Every joint, constraint, force and event with its constants, what can be observed and driven.

    Returns
    -------
    dict
        Lists by kind; of each type its ``key``, what it does and its constants.

    Examples
    --------
    >>> list(pf.elements())
    ['joints', 'constraints', 'forces', 'events', 'quantities', 'driven']
    """
    found: dict[str, _Any] = _json.loads(_parfait.elements_json())
    return found


def import_motion(file: str | _os.PathLike[str], *, units: str | None = None, axes: str | None = None,
                  out: str | _os.PathLike[str] | None = None) -> tuple[dict[str, _Any], dict[str, str]]:
    """What is in a motion file, and its contents as tables; of a PEtab problem the problem, its model and its tables.

    Parameters
    ----------
    file : path
        C3D, TRC, MOT, STO, BVH, MeshUp, or the YAML of PEtab.
    units, axes : str, optional
        Unit of length and axes, instead of what the file says: "mm", "x,z,-y".
    out : path, optional
        A folder where the tables are also written.

    Returns
    -------
    tuple of dict
        What is in the file, and the contents: texts (CSV) by name.

    Raises
    ------
    InputError
        If the file cannot be read.

    Examples
    --------
    >>> about, tables = pf.import_motion("examples/urdf_arm/motion.mot")
    >>> about["file_format"], list(tables)
    ('MOT', ['motion.csv'])
    """
    options = {key: value for key, value in (("units", units), ("axes", axes)) if value is not None}
    if out is not None:
        options["out"] = _os.fspath(out)
    result, tables = _parfait.import_motion(_os.fspath(file), options)
    return _json.loads(result), tables


def human(*, sex: str | None = None, height: float, mass: float, posture: str | None = None, table: str | None = None,
          segments: int | None = None, recline: float | None = None, lengths: dict[str, float] | None = None,
          heiman: bool = False, set: dict[str, float] | None = None, joint: dict[str, str] | None = None,
          dimensions: int | None = None, as_published: bool = False) -> Model:
    """A human model from sex, height and mass.

    Parameters
    ----------
    sex : {"female", "male"}, optional
        Only ``heiman`` does without.
    height : float [m]
    mass : float [kg]
    posture : {"standing", "sitting"}, optional
        Default: standing.
    table : {"deleva", "dumas"}, optional
        Whose measurements; default: deleva.
    segments : int, optional
        16 or 17 (deleva), 15 (dumas).
    recline : float [rad], optional
        Of the trunk of a sitting person, backwards.
    lengths : mapping of str to float [m], optional
        Measured lengths instead of scaled ones.
    heiman : bool
        The model of Felis (2015) in joint coordinates, with markers, to which the rest belongs.
    set : mapping of str to float, optional
        Lengths [m] and masses [kg].
    joint : mapping of str to str, optional
        What a joint may do: "ry,rx,rz" or "fixed".
    dimensions : {3, 2, 1}, optional
        3, the sagittal plane, or up and down.
    as_published : bool
        The tables as they were printed, with their errors.

    Returns
    -------
    Model

    Raises
    ------
    InputError
        If a name or a number makes no sense.

    Examples
    --------
    >>> pf.human(sex="female", height=1.7, mass=60).check()["bodies"][:3]
    ['pelvis', 'lumbus', 'thorax']
    """
    options: dict[str, _Any] = {"sex": sex, "height": height, "mass": mass}
    if heiman:
        options |= {"set": set, "joint": joint, "dimensions": dimensions, "as_published": as_published}
    else:
        options |= {"posture": posture, "table": table, "segments": segments, "recline": recline, "lengths": lengths}
    make = _parfait.make_heiman if heiman else _parfait.make_human
    return Model.from_text(make({key: value for key, value in options.items() if value is not None}), name="human.xml")


def joints(trial: str | _os.PathLike[str], *, proximal: _Sequence[str], distal: _Sequence[str], hinge: bool = False,
           units: str | None = None, axes: str | None = None) -> dict[str, _Any]:
    """Functional centre and axis of a joint from the markers of two segments.

    Parameters
    ----------
    trial : path
        A file with measured markers (C3D, TRC) in which the joint moves.
    proximal, distal : sequence of str
        Markers of the segment that carries the joint, and of the one that it moves.
    hinge : bool
        An axis and a point on it instead of a centre.
    units, axes : str, optional
        Of the file, as of :func:`ik`.

    Returns
    -------
    dict
        ``center`` [m], ``axis``, ``frames``, ... as ``parfait joints`` tells them.

    Raises
    ------
    InputError
        If the file has no such markers, or the joint moves too little.

    Examples
    --------
    >>> hip = pf.joints("examples/gait_ik/walking1.trc", proximal=["L.ASIS", "r.ASIS", "L.PSIS", "r.PSIS"],
    ...                 distal=["r_thigh1", "r_thigh2", "r_thigh3", "r_thigh4"])
    >>> len(hip["center"]), hip["frames"]
    (3, 131)
    """
    options = {"trial": str(trial), "proximal": list(proximal), "distal": list(distal), "hinge": hinge, "units": units, "axes": axes}
    found: dict[str, _Any] = _parfait.find_joint({key: value for key, value in options.items() if value is not None})
    return found


def view(what: Model | Problem | Simulation | Fit | str | _os.PathLike[str], *, port: int | None = None,
         open: bool = True) -> _subprocess.Popen[bytes]:
    """Opens the viewer in the browser: ``parfait view`` on a file, a run folder, a model or a result.

    It needs the command line tool, in the path, or named by the environment variable PARFAIT_TOOL.

    Parameters
    ----------
    what : Model, Problem, Simulation, Fit or path
    port : int, optional
        Of 127.0.0.1; default: any that is free.
    open : bool
        ``False`` prints the address and opens no browser.

    Returns
    -------
    subprocess.Popen
        It serves until this process is ended (``.terminate()``).

    Raises
    ------
    InputError
        If there is no command line tool.
    """
    import shutil  # here: together they take long to import, and few need them
    import subprocess
    import tempfile
    tool = _os.environ.get("PARFAIT_TOOL") or shutil.which("parfait")
    if tool is None:
        raise InputError("view() needs the command line tool `parfait`: put it in the path, or set PARFAIT_TOOL.")
    if not isinstance(what, (str, _os.PathLike)):
        folder = _os.path.join(tempfile.mkdtemp(prefix="parfait_view_"), "run")
        target = folder if isinstance(what, (Simulation, Fit)) else folder + ".xml"
        what.save(target)
        what = target
    arguments = [tool, "view", _os.fspath(what)] + ([] if open else ["--no-open"])
    return subprocess.Popen(arguments + ([] if port is None else ["--port", str(port)]))


def verify(on_solved: _Callable[[str, float, bool], _Any] | None = None) -> dict[str, _Any]:
    """Solves problems with known solutions on this machine.

    Parameters
    ----------
    on_solved : callable, optional
        ``on_solved(name, digits, passed)`` hears of each.

    Returns
    -------
    dict
        ``status`` ("passed" or "failed") and ``problems``, each with its digits.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C; its ``partial`` has the problems that were solved.

    Examples
    --------
    >>> pf.verify()["status"]
    'passed'
    """
    try:
        found: dict[str, _Any] = _json.loads(_parfait.verify({} if on_solved is None else {"on_solved": on_solved}))
        return found
    except KeyboardInterrupt as stop:
        stop.partial = _json.loads(getattr(stop, "partial", None) or "null")  # type: ignore[attr-defined]
        raise


def report(*folders: str | _os.PathLike[str]) -> Report:
    """The report of a run folder, or a page that compares several.

    Parameters
    ----------
    folders : path
        What ``save()`` or the command line wrote.

    Returns
    -------
    Report

    Raises
    ------
    InputError
        If one is no run folder, or they cannot be compared.

    Examples
    --------
    >>> import tempfile
    >>> from parfait.samples import decay_problem
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     decay_problem().fit().save(folder + "/a")
    ...     decay_problem().fit(set={"k": 1}).save(folder + "/b")
    ...     pf.report(folder + "/a", folder + "/b").html[:15]
    '<!DOCTYPE html>'
    """
    return Report(_parfait.compare_runs([_os.fspath(f) for f in folders]))


def load_plugin(file: str | _os.PathLike[str]) -> None:
    """Loads a shared library that registers more element types.

    Parameters
    ----------
    file : path
        A library that was built against parfait/plugin.h.

    Raises
    ------
    InputError
        If it cannot be loaded, or registers nothing.
    """
    _parfait.load_plugin(_os.fspath(file))
