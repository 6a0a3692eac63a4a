"""Parfait: models of motion from data. Simulation, sensitivities, and parameter estimation with intervals.

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
    """The motion of a model or a model file; options as in :meth:`Model.simulate`."""
    return (model if isinstance(model, Model) else Model.from_xml(model)).simulate(**options)


def modes(model: Model | str | _os.PathLike[str], **options: _Any) -> Modes:
    """Static equilibrium and vibration modes; options as in :meth:`Model.modes`."""
    return (model if isinstance(model, Model) else Model.from_xml(model)).modes(**options)


def synthesize(problem: Problem | str | _os.PathLike[str], **options: _Any) -> Problem:
    """The problem with measurements made by its models; options as in :meth:`Problem.synthesize`."""
    return (problem if isinstance(problem, Problem) else Problem.from_xml(problem)).synthesize(**options)


def check(file: str | _os.PathLike[str]) -> dict[str, _Any]:
    """What is in a model or problem file. InputError, with file and line, if it is wrong."""
    name = _os.fspath(file)
    return Problem.from_xml(name).check() if _parfait.is_problem(name) else Model.from_xml(name).check()


def elements() -> dict[str, _Any]:
    """Every joint, constraint, force and event with its constants, what can be observed and driven."""
    found: dict[str, _Any] = _json.loads(_parfait.elements_json())
    return found


def import_motion(file: str | _os.PathLike[str], *, units: str | None = None, axes: str | None = None,
                  out: str | _os.PathLike[str] | None = None) -> tuple[dict[str, _Any], dict[str, str]]:
    """What is in a motion file (C3D, TRC, MOT, STO, BVH, MeshUp), and its contents as CSV texts by name; of a PEtab
    problem (YAML), the problem, its model and its tables. With ``out`` they are also written there."""
    options = {key: value for key, value in (("units", units), ("axes", axes)) if value is not None}
    if out is not None:
        options["out"] = _os.fspath(out)
    result, tables = _parfait.import_motion(_os.fspath(file), options)
    return _json.loads(result), tables


def human(*, sex: str | None = None, height: float, mass: float, posture: str | None = None, table: str | None = None,
          segments: int | None = None, recline: float | None = None, lengths: dict[str, float] | None = None,
          heiman: bool = False, set: dict[str, float] | None = None, joint: dict[str, str] | None = None,
          dimensions: int | None = None, as_published: bool = False) -> Model:
    """A human model from sex, height [m] and mass [kg]; options as of ``parfait human`` (``recline`` in radians)."""
    options: dict[str, _Any] = {"sex": sex, "height": height, "mass": mass}
    if heiman:
        options |= {"set": set, "joint": joint, "dimensions": dimensions, "as_published": as_published}
    else:
        options |= {"posture": posture, "table": table, "segments": segments, "recline": recline, "lengths": lengths}
    make = _parfait.make_heiman if heiman else _parfait.make_human
    return Model.from_text(make({key: value for key, value in options.items() if value is not None}), name="human.xml")


def joints(trial: str | _os.PathLike[str], *, proximal: _Sequence[str], distal: _Sequence[str], hinge: bool = False,
           units: str | None = None, axes: str | None = None) -> dict[str, _Any]:
    """Functional centre and axis of a joint from the markers of two segments: ``parfait joints``. Lengths in m."""
    options = {"trial": str(trial), "proximal": list(proximal), "distal": list(distal), "hinge": hinge, "units": units, "axes": axes}
    found: dict[str, _Any] = _parfait.find_joint({key: value for key, value in options.items() if value is not None})
    return found


def view(what: Model | Problem | Simulation | Fit | str | _os.PathLike[str], *, port: int | None = None,
         open: bool = True) -> _subprocess.Popen[bytes]:
    """Opens the viewer in the browser: ``parfait view`` on a file, a run folder, a model or a result. It serves until
    the process that is returned is ended (``.terminate()``). Needs the command line tool (in the path, or named by the
    environment variable PARFAIT_TOOL)."""
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
    """Solves problems with known solutions on this machine; ``on_solved(name, digits, passed)`` hears of each."""
    try:
        found: dict[str, _Any] = _json.loads(_parfait.verify({} if on_solved is None else {"on_solved": on_solved}))
        return found
    except KeyboardInterrupt as stop:
        stop.partial = _json.loads(getattr(stop, "partial", None) or "null")  # type: ignore[attr-defined]
        raise


def report(*folders: str | _os.PathLike[str]) -> Report:
    """The report of a run folder, or a page that compares several."""
    return Report(_parfait.compare_runs([_os.fspath(f) for f in folders]))


def load_plugin(file: str | _os.PathLike[str]) -> None:
    """Loads a shared library that registers more element types."""
    _parfait.load_plugin(_os.fspath(file))
