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
from typing import Any as _Any

from . import _parfait
from ._builder import Body, Frame, ModelBuilder, OdeBuilder, python_ode
from ._errors import InputError, NotFinished
from ._model import Model
from ._problem import Problem, fit
from ._report import Plot, Report
from ._results import Fit, Modes, Parameter, Simulation, Table, Trajectory, load

__version__: str = _parfait.__version__

__all__ = [
    "Body", "Fit", "Frame", "InputError", "Model", "ModelBuilder", "Modes", "NotFinished", "OdeBuilder", "Parameter",
    "Plot", "Problem", "Report", "Simulation", "Table", "Trajectory", "check", "elements", "fit", "import_motion",
    "load", "load_plugin", "modes", "python_ode", "report", "simulate", "synthesize", "verify",
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
    return _json.loads(_parfait.elements_json())


def import_motion(file: str | _os.PathLike[str], *, units: str | None = None, axes: str | None = None,
                  out: str | _os.PathLike[str] | None = None) -> tuple[dict[str, _Any], dict[str, str]]:
    """What is in a motion file (C3D, TRC, MOT, STO, BVH, MeshUp), and its contents as CSV texts by name. With ``out``
    they are also written there."""
    options = {key: value for key, value in (("units", units), ("axes", axes)) if value is not None}
    if out is not None:
        options["out"] = _os.fspath(out)
    result, tables = _parfait.import_motion(_os.fspath(file), options)
    return _json.loads(result), tables


def verify(on_solved: _Callable[[str, float, bool], _Any] | None = None) -> dict[str, _Any]:
    """Solves problems with known solutions on this machine; ``on_solved(name, digits, passed)`` hears of each."""
    return _json.loads(_parfait.verify({} if on_solved is None else {"on_solved": on_solved}))


def report(*folders: str | _os.PathLike[str]) -> Report:
    """The report of a run folder, or a page that compares several."""
    return Report(_parfait.compare_runs([_os.fspath(f) for f in folders]))


def load_plugin(file: str | _os.PathLike[str]) -> None:
    """Loads a shared library that registers more element types."""
    _parfait.load_plugin(_os.fspath(file))
