"""Models built in code: bodies, joints and forces, or states with their derivatives."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from . import _parfait
from ._errors import InputError
from ._model import Model
from ._xml import Element, words

Number = Union[float, int, str]
"""A number, or a formula of parameters."""
Vector = Union[Sequence[Number], str]


@dataclass(frozen=True)
class Frame:
    """A place on a body, where a joint or a force begins or ends."""

    body: str
    marker: str | None = None
    o: Vector | None = None
    x: Vector | None = None
    y: Vector | None = None
    z: Vector | None = None
    angles: Vector | None = None

    def write(self, parent: Element, name: str) -> None:
        parent.add(name, {"body": self.body, "marker": self.marker, "o": self.o, "x": self.x, "y": self.y,
                          "z": self.z, "angles": self.angles})


class Body:
    """A body of a :class:`ModelBuilder`."""

    def __init__(self, id: str, element: Element | None):
        self.id = id
        self._element = element

    def at(self, o: Vector | None = None, *, x: Vector | None = None, y: Vector | None = None,
           z: Vector | None = None, angles: Vector | None = None, marker: str | None = None) -> Frame:
        """A frame on the body: its origin and axes in the frame of the body, or a marker of it."""
        return Frame(self.id, marker, o, x, y, z, angles)

    def marker(self, id: str, o: Vector = (0, 0, 0), *, x: Vector | None = None, y: Vector | None = None,
               z: Vector | None = None, angles: Vector | None = None) -> Frame:
        """A named place, which can be observed: ``<body>.<marker>.x``."""
        if self._element is None:
            raise InputError("the ground has no markers: use ground.at(...).")
        self._element.add("marker", {"id": id, "o": o, "x": x, "y": y, "z": z, "angles": angles})
        return Frame(self.id, marker=id)


class _Builder:
    """What models of all kinds have in common."""

    def __init__(self, root: str, name: str):
        self.name = name
        self._root = Element(root, {"id": name} if root == "model" else {})

    def parameter(self, id: str, initial: float | None = None, *, lower: float | None = None,
                  upper: float | None = None, unit: str | None = None, drives: str | Sequence[str] | None = None,
                  scale: float | None = None) -> None:
        """A number that can be set, estimated and differentiated with respect to. ``drives``: constants it
        stands for, such as ``"Bar.mass"``."""
        self._root.add("parameter", {"id": id, "initial": initial, "lower": lower, "upper": upper, "unit": unit,
                                     "drives": drives, "scale": scale})

    def state(self, id: str, initial: Number, derivative: str) -> None:
        """A state with its rate, a formula."""
        self._root.add("state", {"id": id, "initial": initial, "derivative": derivative})

    def input(self, id: str, t: Sequence[float], value: Sequence[float], *,
              interpolation: str = "linear") -> None:
        """A table in time (``previous``, ``linear`` or ``cubic``) that formulas use by its name."""
        self._root.add("input", {"id": id, "t": list(t), "value": list(value), "interpolation": interpolation})

    def event(self, id: str, when: str | None = None, *, at: Number | None = None, direction: str | None = None,
              set: Mapping[str, Number] | None = None, set_parameters: Mapping[str, Number] | None = None,
              terminal: bool | None = None, key: str | None = None, begin: Frame | None = None,
              end: Frame | None = None, **constants: Number) -> None:
        """Something that happens at an instant: where the formula ``when`` passes zero, or at the time ``at``.
        ``set``: states after it. ``key="Impact"``: a collision of ``end`` with the plane of ``begin``."""
        element = self._root.add("event", {"key": key, "id": id, "when": when, "at": at, "direction": direction,
                                           "terminal": terminal, **constants})
        if begin is not None:
            begin.write(element, "begin")
        if end is not None:
            end.write(element, "end")
        for state, value in (set or {}).items():
            element.add("set", {"state": state}, text=f" {words(value)} ")
        for parameter, value in (set_parameters or {}).items():
            element.add("set", {"parameter": parameter}, text=f" {words(value)} ")

    def simulation(self, *, until: float | None = None, step: float | None = None, integrator: str | None = None,
                   rtol: float | None = None, atol: float | None = None,
                   output: Sequence[str] | None = None) -> None:
        """Defaults for ``simulate``."""
        self._root.add("simulation", {"until": until, "step": step, "integrator": integrator, "rtol": rtol,
                                      "atol": atol, "output": None if output is None else words(output)})

    def remark(self, text: str) -> None:
        self._root.add("remark", text=text)

    @property
    def text(self) -> str:
        """The model file."""
        return self._root.document()

    def build(self, *, set: Mapping[str, float] | None = None) -> Model:
        """Checks the model and makes it ready. InputError names the element and what is wrong with it."""
        return Model.from_text(self.text, name=self.name, set=set)

    def save(self, file: str | os.PathLike[str]) -> None:
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.text)


class ModelBuilder(_Builder):
    """A mechanism, element by element.

    Examples
    --------
    >>> m = ModelBuilder("pendulum")
    >>> bar = m.body("Bar", mass=2, center_of_mass=(0.5, 0, 0), inertia=(2.5, 2, 2))
    >>> m.joint("Revolute", "Hinge", m.ground.at(z=(0, 1, 0)), bar.at(z=(0, 1, 0)))
    >>> m.force("Gravitation", "Gravity", g="-g")
    >>> m.parameter("g", 9.81, unit="m/s2")
    >>> model = m.build()
    >>> model.degrees_of_freedom
    1
    """

    def __init__(self, name: str = "model"):
        super().__init__("model", name)
        self.ground = Body("Inertial", None)

    def body(self, id: str, *, mass: Number, center_of_mass: Vector | None = None,
             inertia: Vector | None = None, position: Vector | None = None, angles: Vector | None = None,
             velocity: Vector | None = None, omega: Vector | None = None,
             shape: Any = None) -> Body:
        """A rigid body. ``inertia``: xx yy zz (and xy xz yz) about the centre of mass, in the axes of the
        body; ``position`` of its origin and ``angles`` (Cardan) at the start."""
        element = self._root.add("body", {"id": id, "mass": mass, "center_of_mass": center_of_mass,
                                          "moment_of_inertia": inertia})
        element.add("position", {"o": (0, 0, 0) if position is None else position, "angles": angles})
        if velocity is not None or omega is not None:
            element.add("velocity", {"v": velocity or (0, 0, 0), "omega": omega or (0, 0, 0)})
        for one in [] if shape is None else shape if isinstance(shape, (list, tuple)) else [shape]:
            one.write(element)
        return Body(id, element)

    def joint(self, key: str, id: str, begin: Frame, end: Frame, **constants: Number) -> None:
        """``key``: Revolute, Spherical, Prismatic, ...; ``parfait.elements()`` lists all."""
        self._connect("joint", key, id, begin, end, (), constants, ())

    def constraint(self, key: str, id: str, begin: Frame, end: Frame, *, offset: Number | None = None,
                   begin_axis: str | None = None, end_axis: str | None = None) -> None:
        """One equation between two frames; ``offset`` may be a formula of t."""
        constants = {"offset": offset, "begin_axis": begin_axis, "end_axis": end_axis}
        self._connect("constraint", key, id, begin, end, (), constants, ())

    def force(self, key: str, id: str, begin: Frame | None = None, end: Frame | None = None, *values: Number,
              via: Sequence[Frame] = (), derivative: Callable[[float, float], tuple[float, float]] | None = None,
              **constants: Any) -> None:
        """A force element; constants by name (numbers or formulas), or in the order of the type.

        The ``law`` of a ``General_Linear`` force may be a function ``law(length, rate)`` that returns the force [N],
        positive where it pulls the ends together; sensitivities and fits need ``derivative(length, rate)``, which
        returns dF/dlength and dF/drate. Such a model computes slowly and can be neither saved nor pickled.
        """
        law: Any = constants.get("law")
        if callable(law):
            if key != "General_Linear":
                raise InputError(f'force "{id}": only the law of General_Linear may be a function, not that of {key}.')
            constants = {k: v for k, v in constants.items() if k not in ("law", "derivative")}
            key = _parfait.register_law(law, derivative)
        elif derivative is not None:
            raise InputError(f'force "{id}": a derivative goes with a law that is a function; formulas have theirs.')
        self._connect("force", key, id, begin, end, values, constants, via)

    def _connect(self, what: str, key: str, id: str, begin: Frame | None, end: Frame | None,
                 values: Sequence[Number], constants: Mapping[str, Any], via: Sequence[Frame]) -> None:
        element = self._root.add(what, {"key": key, "id": id, "constants": list(values) or None, **constants})
        if begin is not None:
            begin.write(element, "begin")
        for frame in via:
            frame.write(element, "via")
        if end is not None:
            end.write(element, "end")


class OdeBuilder(_Builder):
    """Ordinary differential equations, or with ``algebraic`` and ``equation`` a DAE.

    Examples
    --------
    >>> m = OdeBuilder("decay")
    >>> m.parameter("k", 0.5, lower=0)
    >>> m.state("x", 1, "-k*x")
    >>> m.build().quantities
    ['x']
    """

    def __init__(self, name: str = "ode"):
        super().__init__("ode", name)

    def algebraic(self, id: str, initial: Number) -> None:
        self._root.name = "dae"
        self._root.add("algebraic", {"id": id, "initial": initial})

    def equation(self, formula: str) -> None:
        """``"0 = x + z - 1"``"""
        self._root.name = "dae"
        self._root.add("equation", text=f" {formula} ")

    def definition(self, id: str, formula: str) -> None:
        """A name for a formula."""
        self._root.add("define", {"id": id}, text=f" {formula} ")


def python_ode(rhs: Callable[..., Any], initial: Mapping[str, float], *,
               parameters: Mapping[str, float] | None = None, jacobian: Callable[..., Any] | None = None,
               name: str = "python_ode") -> Model:
    """An ODE whose right-hand side is a function: ``rhs(t, y, p)`` returns dy/dt.

    Slow, since every evaluation calls Python: for trying things out. Sensitivities and fits need
    ``jacobian(t, y, p)``, which returns df/dy and df/dp. The model can be neither saved nor pickled.

    Examples
    --------
    >>> model = python_ode(lambda t, y, p: [y[1], -p[0] * y[0]], {"x": 1, "v": 0}, parameters={"k": 4})
    >>> import math
    >>> abs(float(model.simulate(until=1)["x"][-1]) - math.cos(2)) < 1e-7
    True
    """
    return Model(_parfait.make_ode(rhs, jacobian, dict(initial), dict(parameters or {}), name))
