"""Models: read from files or texts, or built; simulated and analysed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _parfait
from ._progress import progress_callback
from ._results import Modes, Simulation


def given(**options: Any) -> dict[str, Any]:
    """Options that were given."""
    return {key: value for key, value in options.items() if value is not None}


class Model:
    """A mechanism, an ODE or a DAE, checked and ready to compute. Does not change.

    Examples
    --------
    >>> model = Model.from_text('''<ode>
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
        """Reads a model file; ``set`` gives parameters other values, ``coordinates`` is natural or joint."""
        return cls(_parfait.Model.read(os.fspath(file), dict(set or {}), coordinates), coordinates)

    @classmethod
    def from_text(cls, text: str, *, name: str = "", set: Mapping[str, float] | None = None,
                  coordinates: str = "") -> Model:
        """Reads the text of a model file. ``name`` appears in messages and results; paths in the text are
        relative to its folder."""
        return cls(_parfait.Model.read_text(text, name, dict(set or {}), coordinates), coordinates)

    def with_parameters(self, set: Mapping[str, float]) -> Model:
        """The model with other values of its parameters."""
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
        """Writes the model file."""
        text = self.text  # refused before anything is written
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)

    def check(self) -> dict[str, Any]:
        """What is in the model, as ``parfait check --json`` tells it."""
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

        What is left out is what the model file says, and then a default.

        Parameters
        ----------
        until : end time [s]
        step : time between rows [s]; ``every_step`` gives a row for every step of the integrator instead
        observe : quantities, or formulas of them
        sensitivity : derivatives with respect to parameters, or ``"initial:<state>"``
        settle : begin at rest in the static equilibrium near the start
        integrator : dop853, dopri5, abm, bdf, hht
        rtol, atol : tolerances; ``positions``, ``velocities``, ``states``: (rtol, atol) of a group alone
        progress : ``True`` for a bar, or a callable that gets the fraction that is done

        Returns
        -------
        Simulation
            Also where the integration did not get to its end: ``status`` and ``message`` say so.
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
        """Static equilibrium and vibration modes about it (``at="initial"``: about the initial position)."""
        if at not in ("equilibrium", "initial"):
            raise ValueError(f'at="{at}": must be "equilibrium" or "initial".')
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
