"""Models: read from files or texts, or built; simulated and analysed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _parfait
from ._errors import InputError
from ._progress import progress_callback
from ._results import Modes, Simulation


def given(**options: Any) -> dict[str, Any]:
    """Options that were given."""
    return {key: value for key, value in options.items() if value is not None}


class Model:
    """A mechanism, an ODE or a DAE, checked and ready to compute. Does not change.

    Made by :meth:`from_xml` and :meth:`from_text`, or by ``build()`` of a :class:`ModelBuilder` or :class:`OdeBuilder`.

    Attributes
    ----------
    name : str
        Its file, or the name it was built with.
    text : str
        The model as an XML file would have it.
    parameters : dict of str to float
        Names and values.
    degrees_of_freedom : int or None
        Of a mechanism; ``None`` for formula models.
    quantities : list of str
        What a simulation observes unless it is told otherwise. docs/quantities.md lists all.
    warnings : list of str
        What looks odd in the file.

    Examples
    --------
    >>> model = pf.Model.from_text('''<ode>
    ...   <parameter id="k" initial="0.5"/>
    ...   <state id="x" initial="1" derivative="-k*x"/>
    ... </ode>''')
    >>> model.parameters
    {'k': 0.5}
    >>> round(float(model.simulate(until=2)["x"][-1]), 6)
    0.367879
    """

    def __init__(self, engine: _parfait.Model, coordinates: str = ""):
        self._engine = engine
        self._coordinates = coordinates

    @classmethod
    def from_xml(cls, file: str | os.PathLike[str], *, set: Mapping[str, float] | None = None,
                 coordinates: str = "") -> Model:
        """Reads a model file.

        Parameters
        ----------
        file : path
            <model>, <ode>, <dae>, OpenSim (.osim), URDF, LuaModel or SBML.
        set : mapping of str to float, optional
            Other values of parameters.
        coordinates : {"natural", "joint"}, optional
            Of a mechanism; default: natural, joint where it needs them.

        Returns
        -------
        Model

        Raises
        ------
        InputError
            If something is wrong, with file and line.

        Examples
        --------
        >>> pf.Model.from_xml("examples/pendulum_ode/model.xml", set={"g": 1.62}).parameters["g"]
        1.62
        """
        return cls(_parfait.Model.read(os.fspath(file), dict(set or {}), coordinates), coordinates)

    @classmethod
    def from_text(cls, text: str, *, name: str = "", set: Mapping[str, float] | None = None,
                  coordinates: str = "") -> Model:
        """Reads the text of a model file.

        Parameters
        ----------
        text : str
            The file's text.
        name : str, optional
            Appears in messages and results; paths in the text are relative to its folder.
        set, coordinates : optional
            As of :meth:`from_xml`.

        Returns
        -------
        Model

        Raises
        ------
        InputError
            If something is wrong, with its line.
        """
        return cls(_parfait.Model.read_text(text, name, dict(set or {}), coordinates), coordinates)

    def with_parameters(self, set: Mapping[str, float]) -> Model:
        """The model with other values of its parameters.

        Parameters
        ----------
        set : mapping of str to float
            Parameters and their new values.

        Returns
        -------
        Model
            Another one: models do not change.

        Raises
        ------
        InputError
            If it has no such parameter.

        Examples
        --------
        >>> from parfait.samples import decay
        >>> decay().with_parameters({"k": 1}).parameters
        {'k': 1.0}
        """
        return Model(self._engine.with_settings(dict(set)), self._coordinates)

    @property
    def name(self) -> str:
        """Its file, or the name it was built with."""
        return self._engine.file

    @property
    def text(self) -> str:
        """The model as an XML file would have it."""
        return self._engine.text()

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the model file.

        Parameters
        ----------
        file : path
            A name with .xml.

        Raises
        ------
        InputError
            If functions of Python are in the model.
        """
        text = self.text  # refused before anything is written
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)

    def check(self) -> dict[str, Any]:
        """What is in the model.

        Returns
        -------
        dict
            As ``parfait check --json`` tells it.
        """
        facts: dict[str, Any] = json.loads(self._engine.facts_json())
        return facts

    @property
    def parameters(self) -> dict[str, float]:
        """Names and values."""
        return {p["id"]: p["initial"] for p in self.check()["parameters"]}

    @property
    def degrees_of_freedom(self) -> int | None:
        """Of a mechanism; ``None`` for formula models."""
        return self.check().get("degrees_of_freedom")

    @property
    def quantities(self) -> list[str]:
        """What a simulation observes unless it is told otherwise. docs/quantities.md lists all."""
        return list(self._engine.default_quantities)

    @property
    def warnings(self) -> list[str]:
        """What looks odd in the file."""
        return list(self._engine.warnings)

    def simulate(
        self,
        *,
        until: float | None = None,
        step: float | None = None,
        every_step: bool | None = None,
        observe: Sequence[str] | None = None,
        sensitivity: Sequence[str] | None = None,
        set: Mapping[str, float] | None = None,
        settle: bool | None = None,
        integrator: str | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        positions: tuple[float, float] | None = None,
        velocities: tuple[float, float] | None = None,
        states: tuple[float, float] | None = None,
        control_sensitivities: bool | None = None,
        first_step: float | None = None,
        max_step: float | None = None,
        max_steps: int | None = None,
        max_order: int | None = None,
        hht_alpha: float | None = None,
        projection: str | None = None,
        projection_tolerance: float | None = None,
        progress: bool | Callable[[float], Any] | None = None,
    ) -> Simulation:
        """The motion of the model.

        What is left out is what the model file says, and then the default given here.

        Parameters
        ----------
        until : float [s], optional
            End time; default 10.
        step : float [s], optional
            Time between rows; default: a 500th of ``until``.
        every_step : bool, optional
            A row for every step of the integrator instead.
        observe : sequence of str, optional
            Quantities, or formulas of them; default: ``quantities``.
        sensitivity : sequence of str, optional
            Derivatives with respect to these parameters, or to ``"initial:<state>"``.
        set : mapping of str to float, optional
            Other values of parameters.
        settle : bool, optional
            Begin at rest in the static equilibrium near the start.
        integrator : {"dop853", "dopri5", "abm", "bdf", "hht"}, optional
            Default: dop853; bdf for models with algebraic states.
        rtol, atol : float, optional
            Relative and absolute tolerance; default 1e-8 and 1e-10 (for states of size 1).
        positions, velocities, states : tuple (rtol, atol), optional
            Tolerances of a group alone.
        control_sensitivities : bool, optional
            The tolerances also hold for the sensitivities.
        first_step, max_step : float [s], optional
            Default: chosen, and no limit.
        max_steps : int, optional
            Largest number of steps; default 1000000.
        max_order : int, optional
            Of methods of variable order, abm and bdf.
        hht_alpha : float, optional
            Damping of hht, from 0 (none) to -1/3; default -0.05.
        projection : {"mass", "euclidean", "partition"}, optional
            Norm in which positions go onto the constraints.
        projection_tolerance : float, optional
            Largest violation of constraints that is left; default 1e-12.
        progress : bool or callable, optional
            ``True`` for a bar, or a function that gets the fraction that is done.

        Returns
        -------
        Simulation
            Also where the integration did not get to its end: ``status`` and ``message`` say so.

        Raises
        ------
        InputError
            If a name or an option makes no sense.
        KeyboardInterrupt
            On Ctrl-C; its ``partial`` is the motion until then.

        Examples
        --------
        >>> from parfait.samples import decay
        >>> run = decay().simulate(until=2, step=1, sensitivity=["k"])
        >>> run["x"].round(4).tolist()
        [2.0, 1.2131, 0.7358]
        >>> run.d["x", "k"].round(4).tolist()
        [0.0, -1.2131, -1.4715]
        """
        options = given(
            until=until, step=step, every_step=every_step, settle=settle, integrator=integrator, rtol=rtol,
            atol=atol, positions=positions, velocities=velocities, states=states,
            control_sensitivities=control_sensitivities, first_step=first_step, max_step=max_step,
            max_steps=max_steps, max_order=max_order, hht_alpha=hht_alpha, projection=projection,
            projection_tolerance=projection_tolerance, set=dict(set) if set else None,
            observe=_names(observe), sensitivity=_names(sensitivity))
        with progress_callback(progress) as show:
            try:
                return Simulation(_parfait.simulate(self._engine, options | given(on_progress=show)))
            except KeyboardInterrupt as stop:
                _wrap_partial(stop, Simulation)
                raise

    def modes(self, *, at: str = "equilibrium", time: float | None = None, count: int | None = None) -> Modes:
        """Static equilibrium and vibration modes about it.

        Parameters
        ----------
        at : {"equilibrium", "initial"}
            The point: the equilibrium near the start, or the start itself.
        time : float [s], optional
            When inputs that change with time are looked at; default 0.
        count : int, optional
            So many modes, slowest first; default: all.

        Returns
        -------
        Modes

        Raises
        ------
        InputError
            If ``at`` is neither.
        KeyboardInterrupt
            On Ctrl-C.

        Examples
        --------
        >>> from parfait.samples import pendulum
        >>> pendulum().modes().frequencies.round(4).tolist()
        [0.609]
        """
        if at not in ("equilibrium", "initial"):
            raise InputError(f'at="{at}": must be "equilibrium" or "initial".')
        options = given(at_initial=at == "initial", time=time, count=count)
        try:
            return Modes(self._engine.find_modes(options))
        except KeyboardInterrupt as stop:
            _wrap_partial(stop, Modes)
            raise

    def __reduce__(self) -> tuple[Callable[..., Model], tuple[str, str, str]]:
        return (_restore_model, (self.text, self.name, self._coordinates))

    def __repr__(self) -> str:
        return f"<parfait.Model {self.name or 'without a name'}: {self._engine.contents}>"

    def __str__(self) -> str:
        return self._engine.facts_text()


def _restore_model(text: str, name: str, coordinates: str) -> Model:
    return Model.from_text(text, name=name, coordinates=coordinates)


def _names(names: Sequence[str] | None) -> list[str] | None:
    if names is None:
        return None
    return [names] if isinstance(names, str) else list(names)


def _wrap_partial(error: BaseException, kind: type) -> None:
    """The engine hangs what was found so far on the exception."""
    partial = getattr(error, "partial", None)
    if partial is not None:
        error.partial = kind(partial)  # type: ignore[attr-defined]
