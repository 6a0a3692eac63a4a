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
    """A place on a body, where a joint or a force begins or ends: what :meth:`Body.at` returns.

    Parameters
    ----------
    body : str
        The id of the body; "Inertial" is the ground.
    marker : str, optional
        A marker of the body, instead of the origin and axes that follow.
    o : three numbers or formulas [m], optional
        The origin in the frame of the body; default: its origin.
    x, y, z : three numbers or formulas, optional
        Directions of axes in the frame of the body; one or two are enough.
    angles : three numbers or formulas [rad], optional
        Cardan angles, instead of axes.

    Examples
    --------
    >>> m = pf.ModelBuilder()
    >>> m.ground.at((0, 0, 1)).o
    (0, 0, 1)
    """

    body: str
    marker: str | None = None
    o: Vector | None = None
    x: Vector | None = None
    y: Vector | None = None
    z: Vector | None = None
    angles: Vector | None = None

    def _write(self, parent: Element, name: str) -> None:
        parent.add(name, {"body": self.body, "marker": self.marker, "o": self.o, "x": self.x, "y": self.y,
                          "z": self.z, "angles": self.angles})


class Body:
    """A body of a :class:`ModelBuilder`, made by its ``body`` or its ``ground``.

    Attributes
    ----------
    id : str
        Its name in the model.

    Examples
    --------
    >>> m = pf.ModelBuilder()
    >>> bar = m.body("Bar", mass=1, inertia=(1, 1, 1))
    >>> tip = bar.marker("tip", (1, 0, 0))
    >>> m.joint("Spherical", "Ball", m.ground.at(), bar.at())
    >>> run = m.build().simulate(until=1, observe=["Bar.tip.x"])
    >>> float(run["Bar.tip.x"][-1])
    1.0
    """

    def __init__(self, id: str, element: Element | None):
        self.id = id
        self._element = element

    def at(self, o: Vector | None = None, *, x: Vector | None = None, y: Vector | None = None,
           z: Vector | None = None, angles: Vector | None = None, marker: str | None = None) -> Frame:
        """A frame on the body.

        Parameters
        ----------
        o : three numbers or formulas [m], optional
            Its origin in the frame of the body; default: that of the body.
        x, y, z : three numbers or formulas, optional
            Directions of its axes in the frame of the body; one or two are enough. Default: those of the body.
        angles : three numbers or formulas [rad], optional
            Cardan angles, instead of axes.
        marker : str, optional
            A marker of the body, instead of all this.

        Returns
        -------
        Frame
        """
        return Frame(self.id, marker, o, x, y, z, angles)

    def marker(self, id: str, o: Vector = (0, 0, 0), *, x: Vector | None = None, y: Vector | None = None,
               z: Vector | None = None, angles: Vector | None = None) -> Frame:
        """A named place, which can be observed: ``<body>.<marker>.x``.

        Parameters
        ----------
        id : str
            Its name.
        o, x, y, z, angles : optional
            Where it is, as of :meth:`at`.

        Returns
        -------
        Frame
            The same place, for joints and forces.

        Raises
        ------
        InputError
            Of the ground, which has no markers.
        """
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
        """A number that can be set, estimated and differentiated with respect to.

        Parameters
        ----------
        id : str
            Its name in formulas.
        initial : float, optional
            Its value; of one that drives constants, theirs if left out.
        lower, upper : float, optional
            Bounds for fits; default: none.
        unit : str, optional
            For people and checks: "N/m".
        drives : str or sequence of str, optional
            Constants it stands for, such as ``"Bar.mass"``.
        scale : float, optional
            A change that matters; found inside if left out.
        """
        self._root.add("parameter", {"id": id, "initial": initial, "lower": lower, "upper": upper, "unit": unit,
                                     "drives": drives, "scale": scale})

    def state(self, id: str, initial: Number, derivative: str) -> None:
        """A state with its rate.

        Parameters
        ----------
        id : str
            Its name in formulas and results.
        initial : float or str
            Its value at t = 0, a number or a formula of parameters.
        derivative : str
            Its rate, a formula of states, parameters, inputs and t.
        """
        self._root.add("state", {"id": id, "initial": initial, "derivative": derivative})

    def input(self, id: str, t: Sequence[float], value: Sequence[float], *,
              interpolation: str = "linear") -> None:
        """A function of time, given by a table, that formulas use by its name.

        Parameters
        ----------
        id : str
            Its name in formulas.
        t, value : sequence of float
            Times [s] in ascending order, and the values then.
        interpolation : {"linear", "previous", "cubic"}
            What it is between them.

        Examples
        --------
        >>> o = pf.OdeBuilder()
        >>> o.input("push", t=[0, 1, 2], value=[0, 1, 0])
        >>> o.state("v", 0, "push")
        >>> round(float(o.build().simulate(until=2)["v"][-1]), 6)
        1.0
        """
        self._root.add("input", {"id": id, "t": list(t), "value": list(value), "interpolation": interpolation})

    def event(self, id: str, when: str | None = None, *, at: Number | None = None, direction: str | None = None,
              set: Mapping[str, Number] | None = None, set_parameters: Mapping[str, Number] | None = None,
              terminal: bool | None = None, key: str | None = None, begin: Frame | None = None,
              end: Frame | None = None, **constants: Number) -> None:
        """Something that happens at an instant, once ``when`` passes zero, at the time ``at``, or at a collision.

        Parameters
        ----------
        id : str
            Its name in results.
        when : str, optional
            A formula; the event is where it passes zero.
        at : float or str, optional
            A time [s], or a formula of parameters, instead.
        direction : {"both", "rising", "falling"}, optional
            Which way ``when`` passes zero; default: both.
        set, set_parameters : mapping of str to float or str, optional
            New values of states and of parameters, numbers or formulas.
        terminal : bool, optional
            Whether the simulation ends there.
        key : str, optional
            The type of an event between bodies: ``"Impact"``, a collision of ``end`` with the plane of ``begin``.
        begin, end : Frame, optional
            Places of such an event.
        constants : float or str
            Constants of its type by name; ``parfait.elements()`` lists them.

        Examples
        --------
        >>> o = pf.OdeBuilder("ball")
        >>> o.state("h", 1, "v")
        >>> o.state("v", 0, "-9.81")
        >>> o.event("bounce", when="h", direction="falling", set={"v": "-0.8*v"})
        >>> [round(e["t"], 3) for e in o.build().simulate(until=1).events]
        [0.452]
        """
        element = self._root.add("event", {"key": key, "id": id, "when": when, "at": at, "direction": direction,
                                           "terminal": terminal, **constants})
        if begin is not None:
            begin._write(element, "begin")
        if end is not None:
            end._write(element, "end")
        for state, value in (set or {}).items():
            element.add("set", {"state": state}, text=f" {words(value)} ")
        for parameter, value in (set_parameters or {}).items():
            element.add("set", {"parameter": parameter}, text=f" {words(value)} ")

    def simulation(self, *, until: float | None = None, step: float | None = None, integrator: str | None = None,
                   rtol: float | None = None, atol: float | None = None,
                   output: Sequence[str] | None = None) -> None:
        """Defaults for ``simulate``, as :meth:`Model.simulate` explains them.

        Parameters
        ----------
        until, step : float [s], optional
            End time, and time between rows.
        integrator : str, optional
            dop853, dopri5, abm, bdf or hht.
        rtol, atol : float, optional
            Tolerances.
        output : sequence of str, optional
            Quantities to observe.

        Examples
        --------
        >>> o = pf.OdeBuilder()
        >>> o.state("x", 1, "-x")
        >>> o.simulation(until=2, step=0.5)
        >>> len(o.build().simulate().t)
        5
        """
        self._root.add("simulation", {"until": until, "step": step, "integrator": integrator, "rtol": rtol,
                                      "atol": atol, "output": None if output is None else words(output)})

    def remark(self, text: str) -> None:
        """A remark in the model file.

        Parameters
        ----------
        text : str
            What it says.
        """
        self._root.add("remark", text=text)

    @property
    def text(self) -> str:
        """The model file."""
        return self._root.document()

    def build(self, *, set: Mapping[str, float] | None = None) -> Model:
        """Checks the model and makes it ready.

        Parameters
        ----------
        set : mapping of str to float, optional
            Other values of parameters.

        Returns
        -------
        Model

        Raises
        ------
        InputError
            If something is wrong: it names the element, and what.
        """
        return Model.from_text(self.text, name=self.name, set=set)

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the model file, unchecked.

        Parameters
        ----------
        file : path
            A name with .xml.
        """
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.text)


class ModelBuilder(_Builder):
    """A mechanism, element by element. A string where a number could stand is a formula of parameters.

    Parameters
    ----------
    name : str
        Of the model, in messages and results.

    Attributes
    ----------
    ground : Body
        What does not move.
    text : str
        The model file.

    Examples
    --------
    >>> m = pf.ModelBuilder("pendulum")
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
             shape: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None) -> Body:
        """A rigid body.

        Parameters
        ----------
        id : str
            Its name.
        mass : float or str [kg]
        center_of_mass : three numbers or formulas [m], optional
            In the frame of the body; default: its origin.
        inertia : three or six numbers or formulas [kg m2], optional
            xx yy zz (and xy xz yz) about the centre of mass, in the axes of the body.
        position : three numbers or formulas [m], optional
            Of its origin at the start; default: (0, 0, 0).
        angles : three numbers or formulas [rad], optional
            Cardan angles of its axes at the start; default: those of the ground.
        velocity : three numbers or formulas [m/s], optional
            Of its origin at the start.
        omega : three numbers or formulas [rad/s], optional
            Angular velocity at the start.
        shape : mapping or sequence of mappings, optional
            How it looks, with the attributes of ``<shape>`` (docs/model_file.md):
            ``{"kind": "box", "size": (1, 0.1, 0.1), "o": (0.5, 0, 0), "color": "#0072b2"}``. Default: it is drawn from
            its joints, ends of forces and inertia.

        Returns
        -------
        Body
            For joints, forces and markers.
        """
        element = self._root.add("body", {"id": id, "mass": mass, "center_of_mass": center_of_mass,
                                          "moment_of_inertia": inertia})
        element.add("position", {"o": (0, 0, 0) if position is None else position, "angles": angles})
        if velocity is not None or omega is not None:
            element.add("velocity", {"v": (0, 0, 0) if velocity is None else velocity,
                                     "omega": (0, 0, 0) if omega is None else omega})
        for one in [] if shape is None else [shape] if isinstance(shape, Mapping) else shape:
            element.add("shape", one)
        return Body(id, element)

    def joint(self, key: str, id: str, begin: Frame, end: Frame, **constants: Number) -> None:
        """A joint between two bodies.

        Parameters
        ----------
        key : str
            Its type: Revolute, Spherical, Prismatic, ...; ``parfait.elements()["joints"]`` lists all.
        id : str
            Its name.
        begin, end : Frame
            Where it is on the bodies that it joins; a hinge turns about z.
        constants : float or str
            Constants of its type by name.
        """
        self._connect("joint", key, id, begin, end, (), constants, ())

    def constraint(self, key: str, id: str, begin: Frame, end: Frame, *, offset: Number | None = None,
                   begin_axis: str | None = None, end_axis: str | None = None) -> None:
        """One equation between two frames.

        Parameters
        ----------
        key : str
            Its type; ``parfait.elements()["constraints"]`` lists all.
        id : str
            Its name.
        begin, end : Frame
            The places it is about.
        offset : float or str, optional
            What the difference, distance or cosine shall be, a number or a formula, also of t; default: 0 where the
            type has a default.
        begin_axis, end_axis : {"x", "y", "z"}, optional
            Axes of the frames, for types that compare axes.

        Examples
        --------
        >>> m = pf.ModelBuilder("slider")
        >>> block = m.body("Block", mass=1, inertia=(1, 1, 1))
        >>> m.joint("Prismatic", "Rail", m.ground.at(), block.at())
        >>> m.constraint("B0_z", "Motor", m.ground.at(), block.at(), offset="-t")
        >>> round(float(m.build().simulate(until=1)["Block.com.z"][-1]), 6)
        1.0
        """
        constants = {"offset": offset, "begin_axis": begin_axis, "end_axis": end_axis}
        self._connect("constraint", key, id, begin, end, (), constants, ())

    def force(self, key: str, id: str, begin: Frame | None = None, end: Frame | None = None, *values: Number,
              via: Sequence[Frame] = (), derivative: Callable[[float, float], tuple[float, float]] | None = None,
              **constants: Any) -> None:
        """A force element.

        Parameters
        ----------
        key : str
            Its type: Gravitation, Spring, Damper, ...; ``parfait.elements()["forces"]`` lists all.
        id : str
            Its name.
        begin, end : Frame, optional
            Its ends, if it has them.
        values : float or str
            Its constants in the order of the type, or
        constants : float or str
            by name, numbers or formulas. The ``law`` of a ``General_Linear`` force may be a function
            ``law(length, rate)`` that returns the force [N], positive where it pulls the ends together. Such a model
            computes slowly and can be neither saved nor pickled.
        via : sequence of Frame
            Places that its path goes through.
        derivative : callable, optional
            Of a law that is a function, for sensitivities and fits: ``derivative(length, rate)`` returns dF/dlength
            and dF/drate.

        Raises
        ------
        InputError
            If a function stands where it cannot.
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
            begin._write(element, "begin")
        for frame in via:
            frame._write(element, "via")
        if end is not None:
            end._write(element, "end")


class OdeBuilder(_Builder):
    """Ordinary differential equations, or with ``algebraic`` and ``equation`` a DAE.

    Parameters
    ----------
    name : str
        Of the model, in messages and results.

    Attributes
    ----------
    text : str
        The model file.

    Examples
    --------
    >>> m = pf.OdeBuilder("decay")
    >>> m.parameter("k", 0.5, lower=0)
    >>> m.state("x", 1, "-k*x")
    >>> m.build().quantities
    ['x']
    """

    def __init__(self, name: str = "ode"):
        super().__init__("ode", name)

    def algebraic(self, id: str, initial: Number) -> None:
        """An algebraic state, which :meth:`equation` determines.

        Parameters
        ----------
        id : str
            Its name.
        initial : float or str
            About its value at t = 0; the exact one is found.
        """
        self._root.name = "dae"
        self._root.add("algebraic", {"id": id, "initial": initial})

    def equation(self, formula: str) -> None:
        """An equation that holds at every time, which makes the model a DAE.

        Parameters
        ----------
        formula : str
            ``"0 = x + z - 1"``

        Examples
        --------
        >>> o = pf.OdeBuilder("dae")
        >>> o.state("x", 1, "-x + z")
        >>> o.algebraic("z", 0)
        >>> o.equation("0 = x + z - 1")
        >>> round(float(o.build().simulate(until=1)["z"][-1]), 4)
        0.4323
        """
        self._root.name = "dae"
        self._root.add("equation", text=f" {formula} ")

    def definition(self, id: str, formula: str) -> None:
        """A name for a formula.

        Parameters
        ----------
        id : str
            The name.
        formula : str
            What it stands for.

        Examples
        --------
        >>> o = pf.OdeBuilder()
        >>> o.definition("rate", "2*x")
        >>> o.state("x", 1, "-rate")
        >>> o.build().quantities
        ['x']
        """
        self._root.add("define", {"id": id}, text=f" {formula} ")


def python_ode(rhs: Callable[..., Any], initial: Mapping[str, float], *,
               parameters: Mapping[str, float] | None = None, jacobian: Callable[..., Any] | None = None,
               name: str = "python_ode") -> Model:
    """An ODE whose right-hand side is a function of Python.

    Slow, since every evaluation calls Python: for trying things out. The model can be neither saved nor pickled.

    Parameters
    ----------
    rhs : callable
        ``rhs(t, y, p)`` returns dy/dt, as many numbers as there are states.
    initial : mapping of str to float
        States and their values at t = 0, in the order of ``y``.
    parameters : mapping of str to float, optional
        Parameters and their values, in the order of ``p``.
    jacobian : callable, optional
        For sensitivities and fits: ``jacobian(t, y, p)`` returns df/dy and df/dp.
    name : str
        Of the model, in messages and results.

    Returns
    -------
    Model

    Examples
    --------
    >>> model = pf.python_ode(lambda t, y, p: [y[1], -p[0] * y[0]], {"x": 1, "v": 0}, parameters={"k": 4})
    >>> import math
    >>> abs(float(model.simulate(until=1)["x"][-1]) - math.cos(2)) < 1e-7
    True
    """
    return Model(_parfait.make_ode(rhs, jacobian, dict(initial), dict(parameters or {}), name))
