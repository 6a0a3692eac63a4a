"""Plain functions for the commands about people, gradients, designs and foreign models."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, Union

from . import _parfait
from ._errors import InputError
from ._findings import Batch, Calibration, Design, Gait, Gradient, Minimization, Moments, Poses, Scaling
from ._model import _names, _wrap_partial, given
from ._problem import Problem, engine_of
from ._progress import progress_callback

Path = Union[str, "os.PathLike[str]"]
Found = TypeVar("Found")


def _paths(files: Path | Sequence[Path]) -> list[str]:
    return [os.fspath(f) for f in ([files] if isinstance(files, (str, os.PathLike)) else files)]


def _settings(values: Mapping[str, float] | None) -> list[str] | None:
    """As the command line has them: NAME=VALUE."""
    return None if values is None else [f"{name}={value!r}" for name, value in values.items()]


def _marker_names(names: Path | None, name: Mapping[str, str] | None) -> dict[str, Any]:
    """A table or "guess", and single names as the command line has them: MARKER=LABEL."""
    return given(names=None if names is None else os.fspath(names),
                 name=None if name is None else [f"{marker}={label}" for marker, label in name.items()])


def _degrees(angles: str) -> bool:
    if angles not in ("rad", "deg"):
        raise InputError(f'angles="{angles}": must be "rad" or "deg".')
    return angles == "deg"


def _find(kind: type[Found], work: Callable[..., Any], *arguments: Any) -> Found:
    try:
        return kind(work(*arguments))  # type: ignore[call-arg]
    except KeyboardInterrupt as stop:
        _wrap_partial(stop, kind)
        raise


def ik(model: Path, trials: Path | Sequence[Path], *, weights: Path | None = None,
       weight: Mapping[str, float] | None = None, limits: bool = True, method: str = "gauss_newton",
       angles: str = "rad", relabel: bool = False, names: Path | None = None,
       name: Mapping[str, str] | None = None, units: str | None = None, axes: str | None = None,
       threads: int | None = None, progress: bool | Callable[[float], Any] | None = None) -> Poses:
    """Poses of a model from measured markers (inverse kinematics).

    Parameters
    ----------
    model : path
        A model with markers (.osim, .lua, .xml).
    trials : path or sequence of paths
        Files with measured markers (C3D, TRC).
    weights : path, optional
        Weights of markers: OpenSim's task set or setup.
    weight : mapping of str to float, optional
        Of single markers; default 1.
    limits : bool
        Whether joints keep their limits.
    method : {"gauss_newton", "damped"}
        "damped" to compare, without limits.
    angles : {"rad", "deg"}
        Unit of angles in the tables.
    relabel : bool
        Whether labels that were exchanged are repaired.
    names : path or "guess", optional
        A table (model,file) of names of markers, or what they mean.
    name : mapping of str to str, optional
        Of single markers of the model their names in the files.
    units, axes : str, optional
        Unit of length and axes of the files, instead of what they say: "mm", "x,z,-y".
    threads : int, optional
        Default: all cores. Results do not depend on it.
    progress : bool or callable, optional
        ``True`` for a bar, or a function that gets the fraction that is done.

    Returns
    -------
    Poses
        A mapping of trials to their poses.

    Raises
    ------
    InputError
        If a file or an option makes no sense.
    KeyboardInterrupt
        On Ctrl-C; its ``partial`` has the trials that were done.

    Examples
    --------
    >>> poses = pf.ik("examples/gait_ik/subject.osim", "examples/gait_ik/walking1.trc")
    >>> walking = poses["walking1"]
    >>> len(walking.t), round(1e3 * walking.rms, 1)
    (131, 10.3)
    >>> walking["knee_angle_r"].shape, walking.sd["knee_angle_r"].shape
    ((131,), (131,))
    """
    if method not in ("gauss_newton", "damped"):
        raise InputError(f'method="{method}": must be "gauss_newton" or "damped".')
    options = given(model=os.fspath(model), trials=_paths(trials), tasks=None if weights is None else os.fspath(weights),
                    weights=_settings(weight), limits=limits, damped=method == "damped", degrees=_degrees(angles),
                    relabel=relabel, **_marker_names(names, name), units=units, axes=axes, threads=threads)
    with progress_callback(progress) as show:
        return _find(Poses, _parfait.find_poses, options | given(on_progress=show))


def calibrate(model: Path, trials: Path | Sequence[Path] = (), *, static: Path | Sequence[Path] = (),
              functional: Path | Sequence[Path] = (), segment: Mapping[str, Sequence[str]] | None = None,
              height: float | None = None, model_height: float | None = None, mass: float | None = None,
              free: Sequence[str] = (), asymmetric: bool = False,
              priors: Path | None = None, sigma: float | None = None, frames: int | None = None,
              every: Mapping[str, int] | None = None, weights: Path | None = None,
              weight: Mapping[str, float] | None = None, angles: str = "rad", relabel: bool = False,
              names: Path | None = None, name: Mapping[str, str] | None = None, units: str | None = None,
              axes: str | None = None, threads: int | None = None,
              on_iteration: Callable[[dict[str, Any]], Any] | None = None) -> Calibration:
    """A subject's model from measured markers: sizes, places of markers, and how well they are known.

    Parameters
    ----------
    model, trials, weights, weight, angles, relabel, names, name, units, axes, threads
        As of :func:`ik`.
    static : path or sequence of paths
        Trials of the subject standing; they count like others.
    functional : path or sequence of paths
        Trials that move joints: where they are by that, hips also as priors.
    segment : mapping of str to sequence of str, optional
        Markers of a body in functional trials beside the model's.
    height, model_height : float [m], optional
        Of subject and model.
    mass : float [kg], optional
        Of the subject: masses are scaled to it.
    free : sequence of str
        What is found of "scales", "markers" and "joints"; default: scales and markers.
    asymmetric : bool
        Whether left and right bodies have factors of their own.
    priors : path or "none", optional
        A table (what,name,sd,mean).
    sigma : float [m], optional
        Of a marker coordinate; default 0.01.
    frames : int, optional
        At most so many in all; default 300.
    every : mapping of str to int, optional
        By trial, each of so many frames.
    on_iteration : callable, optional
        Called with each point of the iteration, a dictionary.

    Returns
    -------
    Calibration

    Raises
    ------
    InputError
        If a file or an option makes no sense.
    KeyboardInterrupt
        On Ctrl-C; its ``partial`` is what was found.

    Examples
    --------
    >>> subject = pf.calibrate("examples/subject_calibration/generic.osim",
    ...                        static="examples/subject_calibration/static1.trc", frames=2)
    >>> subject.status, round(1e3 * subject.rms, 1)
    ('converged', 2.8)
    """
    options = given(model=os.fspath(model), trials=_paths(trials), statics=_paths(static),
                    functional=_paths(functional), height=height,
                    segments=[f"{body}={','.join(markers)}" for body, markers in (segment or {}).items()],
                    model_height=model_height, mass=mass, free=_names(free), symmetric=not asymmetric,
                    priors=None if priors is None else os.fspath(priors), sigma=sigma, max_frames=frames,
                    every=_settings(every), tasks=None if weights is None else os.fspath(weights),
                    weights=_settings(weight), degrees=_degrees(angles), relabel=relabel, **_marker_names(names, name),
                    units=units, axes=axes, threads=threads, on_iteration=on_iteration)
    return _find(Calibration, _parfait.calibrate, options)


def batch(folder: Path, out: Path, *, model: Path | None = None, work: str = "calibrate", priors: Path | None = None,
          frames: int | None = None, weights: Path | None = None, weight: Mapping[str, float] | None = None,
          relabel: bool = False, threads: int | None = None,
          progress: bool | Callable[[float], Any] | None = None) -> Batch:
    """Calibrates, or finds the poses of, many subjects.

    Parameters
    ----------
    folder : path
        One folder per subject, with its trials (C3D, TRC) and, if it has one, its model (.osim).
    out : path
        Where each subject gets its run folder, ``out/<subject>``, and all of them ``out/summary``.
    model : path, optional
        For subjects without a model of their own.
    work : {"calibrate", "ik"}
    priors, frames, weights, weight, relabel, threads
        As of :func:`calibrate`.
    progress : bool or callable, optional
        ``True`` for a bar, or a function that gets the fraction that is done.

    Returns
    -------
    Batch
        A row per subject. What fails for one is told in its row and stops no other.

    Raises
    ------
    InputError
        If a folder or an option makes no sense.
    KeyboardInterrupt
        On Ctrl-C; its ``partial`` has the subjects that were done.
    """
    if work not in ("calibrate", "ik"):
        raise InputError(f'work="{work}": must be "calibrate" or "ik".')
    options = given(folder=os.fspath(folder), out=os.fspath(out), model=None if model is None else os.fspath(model),
                    poses_only=work == "ik", priors=None if priors is None else os.fspath(priors), max_frames=frames,
                    tasks=None if weights is None else os.fspath(weights), weights=_settings(weight), relabel=relabel,
                    threads=threads)
    with progress_callback(progress) as show:
        try:
            done = _find(Batch, _parfait.batch, options | given(on_progress=show))
        except KeyboardInterrupt as stop:
            if stop.partial is not None:  # type: ignore[attr-defined]
                stop.partial.save(os.path.join(out, "summary"))  # type: ignore[attr-defined]
            raise
    done.save(os.path.join(out, "summary"))
    return done


def gait(trials: Path | Sequence[Path], *, curves: Path | Sequence[Path] = (), units: str | None = None,
         emg_filter: float | None = None, progress: bool | Callable[[float], Any] | None = None) -> Gait:
    """Events, gait parameters and curves over the gait cycle of walking trials.

    Parameters
    ----------
    trials : path or sequence of paths
        Files with measured markers (C3D, TRC).
    curves : path or sequence of paths
        Coordinates or moments over time (MOT, STO), one file per trial, in order.
    units : str, optional
        Of length, instead of what the files say.
    emg_filter : float [Hz], optional
        Smoothing of EMG envelopes; default 6.
    progress : bool or callable, optional
        ``True`` for a bar, or a function that gets the fraction that is done.

    Returns
    -------
    Gait

    Raises
    ------
    InputError
        If a file or an option makes no sense.
    KeyboardInterrupt
        On Ctrl-C; its ``partial`` has the trials that were done.

    Examples
    --------
    >>> walk = pf.gait("tests/motion_files/data/MACsample.c3d")
    >>> walk.trials[0]["source"], round(walk.trials[0]["speed"], 2)
    ('kinematics', 1.2)
    """
    options = given(trials=_paths(trials), curves=_paths(curves), units=units, emg_filter=emg_filter)
    with progress_callback(progress) as show:
        return _find(Gait, _parfait.analyse_gait, options | given(on_progress=show))


def scale(setup: Path, *, model: Path | None = None, static: Path | None = None, mass: float | None = None,
          opensim_scaling: bool = False, units: str | None = None, axes: str | None = None) -> Scaling:
    """A model in the size of a subject by distances between markers, from a setup file of OpenSim's scale tool.

    Parameters
    ----------
    setup : path
        <ScaleTool> of OpenSim.
    model, static : path, optional
        Model and trial, instead of those that the setup names.
    mass : float [kg], optional
        Of the subject, instead of the setup's.
    opensim_scaling : bool
        Joints and inertias as OpenSim scales them, also where their axes are turned.
    units, axes : str, optional
        Of the files, as of :func:`ik`.

    Returns
    -------
    Scaling

    Raises
    ------
    InputError
        If a file or an option makes no sense.

    Examples
    --------
    >>> scaled = pf.scale("tests/motion_files/data/scale/setup.xml")
    >>> [round(factor, 3) for factor in scaled.factors["torso"]]
    [1.08, 1.08, 1.08]
    """
    options = given(setup=os.fspath(setup), model=None if model is None else os.fspath(model),
                    static=None if static is None else os.fspath(static), mass=mass, opensim_scaling=opensim_scaling,
                    units=units, axes=axes)
    return _find(Scaling, _parfait.scale, options)


def id(model: Path, motion: Path, *, loads: Path | None = None, filter: float | None = None,
       feet: Sequence[str] | None = None, axes: str | None = None, start: float | None = None,
       until: float | None = None, progress: bool | Callable[[float], Any] | None = None) -> Moments:
    """Moments and powers at the joints from a motion and the loads (inverse dynamics).

    Parameters
    ----------
    model : path
        A model with named coordinates (.osim, .urdf, .xml).
    motion : path
        Coordinates over time (.mot, .sto).
    loads : path, optional
        Measured forces: <ExternalLoads> of OpenSim (.xml), or force plates (.c3d).
    filter : float [Hz], optional
        Cutoff of a low-pass filter without delay on the motion; default: none.
    feet : sequence of str, optional
        Bodies that stand on force plates.
    axes : str, optional
        Axes of the model from those of the plates: "x,z,-y".
    start, until : float [s], optional
        First and last time.
    progress : bool or callable, optional
        ``True`` for a bar, or a function that gets the fraction that is done.

    Returns
    -------
    Moments

    Raises
    ------
    InputError
        If a file or an option makes no sense.
    KeyboardInterrupt
        On Ctrl-C; its ``partial`` has the samples that were done.

    Examples
    --------
    >>> moments = pf.id("examples/urdf_arm/arm.urdf", "examples/urdf_arm/motion.mot")
    >>> sorted(moments)
    ['elbow', 'grip', 'shoulder', 'yaw']
    >>> moments["elbow"].shape == moments.t.shape == moments.power["elbow"].shape
    True
    """
    options = given(model=os.fspath(model), motion=os.fspath(motion), loads=None if loads is None else os.fspath(loads),
                    filter=filter, feet=None if feet is None else ",".join(_names(feet) or []), axes=axes,
                    until=until) | given(**{"from": start})
    with progress_callback(progress) as show:
        return _find(Moments, _parfait.find_moments, options | given(on_progress=show))


@dataclass(frozen=True)
class Conversion:
    """A model file in another format (:func:`convert`).

    Parameters
    ----------
    text : str
        The file.
    left_out : list of str
        What it does not say.
    contents : str
        What is in it, in a line.

    Examples
    --------
    >>> made = pf.convert("examples/urdf_arm/arm.urdf", "arm.xml", save=False)
    >>> '<model' in made.text
    True
    """

    text: str = field(repr=False)
    left_out: list[str]
    contents: str

    def save(self, file: Path) -> None:
        """Writes the file.

        Parameters
        ----------
        file : path
        """
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.text)


def convert(model: Path, to: Path, *, keep_fixed: bool = False, floating: bool = False, save: bool = True) -> Conversion:
    """Writes a model of OpenSim, URDF or LuaModel as a model file, or in the format it came in.

    Parameters
    ----------
    model : path
        What is read (.osim, .urdf, .lua, .xml).
    to : path
        The new file: .xml, or as it came.
    keep_fixed : bool
        Links of a URDF on fixed joints stay bodies instead of being merged.
    floating : bool
        The root link of a URDF floats instead of being the ground.
    save : bool
        ``False`` writes nothing.

    Returns
    -------
    Conversion

    Raises
    ------
    InputError
        If the model cannot be read, or not be written so.

    Examples
    --------
    >>> pf.convert("examples/urdf_arm/arm.urdf", "arm.xml", save=False).contents
    '5 bodies, 5 joints, 5 named coordinates, 0 skin markers'
    """
    made = Conversion(*_parfait.convert(os.fspath(model), os.fspath(to), keep_fixed, floating))
    if save:
        made.save(to)
    return made


def gradient(problem: Problem | Path, *, by: str = "adjoint", check: bool = False, memory: str | None = None,
             adjoint_steps: int | None = None, adjoint_out: bool = False,
             set: Mapping[str, float] | None = None) -> Gradient:
    """The derivative of the costs and the misfit of a problem at its initial parameters.

    Parameters
    ----------
    problem : Problem or path
    by : {"adjoint", "forward", "continuous"}
        A few runs whatever the number of parameters; a direction for each; or the adjoint equations of a mechanism.
    check : bool
        Both ways, compared.
    memory : str, optional
        For the states an adjoint keeps; default "1GB".
    adjoint_steps : int, optional
        Equal steps of "continuous"; default 1000.
    adjoint_out : bool
        Also dJ/dy over time, the adjoint variables: ``table("adjoint.csv")``.
    set : mapping of str to float, optional
        Values of parameters, or conditions.

    Returns
    -------
    Gradient

    Raises
    ------
    InputError
        If the problem or an option makes no sense.
    KeyboardInterrupt
        On Ctrl-C.

    Examples
    --------
    >>> g = pf.gradient("examples/gradient/pendulum_problem.xml", check=True)
    >>> g.difference < 1e-8
    True
    >>> round(g.objective, 4), round(g["d"], 4)
    (0.5672, -0.0557)
    """
    engine, file = engine_of(problem)
    options = given(file=file, by=by, check=check, memory=memory, adjoint_steps=adjoint_steps,
                    adjoint_out=adjoint_out or None,
                    set=dict(set) if set else None)
    return _find(Gradient, _parfait.find_gradient, engine, options)


def minimize(problem: Problem | Path, *, method: str = "lbfgs", line_search: str | None = None,
             gradient: str | None = None, memory: str | None = None, contour: Sequence[str] | None = None,
             fix: Sequence[str] | None = None, tolerance: float | None = None, max_iterations: int | None = None,
             set: Mapping[str, float] | None = None,
             on_iteration: Callable[[dict[str, Any]], Any] | None = None) -> Minimization:
    """A local minimum of what a problem asks to make small, by gradients: ``parfait fit --method``.

    Least squares end with standard deviations and intervals, as :func:`fit` gives them.

    Parameters
    ----------
    problem : Problem or path
    method : {"lbfgs", "bfgs", "descent", "lsmr"}
    line_search : {"wolfe", "golden", "quadratic", "cubic", "parallel"}, optional
        Default: wolfe.
    gradient : {"adjoint", "forward"}, optional
        Default: adjoint.
    memory : str, optional
        As of :func:`gradient`.
    contour : sequence of str, optional
        Two parameters, for J on a grid of them.
    fix : sequence of str, optional
        Parameters that are held.
    tolerance : float, optional
        Largest component of the projected gradient in the end, relative to that of the start; default 1e-8.
    max_iterations : int, optional
        Default 200.
    set : mapping of str to float, optional
        Initial values of parameters, or conditions.
    on_iteration : callable, optional
        Called with each point of the iteration, a dictionary.

    Returns
    -------
    Minimization

    Raises
    ------
    InputError
        If the problem or an option makes no sense.
    KeyboardInterrupt
        On Ctrl-C; its ``partial`` is what was found.

    Examples
    --------
    >>> found = pf.minimize("examples/gradient/pendulum_problem.xml", max_iterations=3)
    >>> found.status, found.iterations, len(found.path["objective"])
    ('max_iterations', 3, 4)
    """
    engine, file = engine_of(problem)
    options = given(file=file, method=method, line_search=line_search, gradient=gradient, memory=memory,
                    contour=_names(contour), fix=_names(fix), tolerance=tolerance, max_iterations=max_iterations,
                    set=dict(set) if set else None, on_step=on_iteration)
    return _find(Minimization, _parfait.minimize, engine, options)


def design(file: Path, *, criterion: str | None = None, starts: int | None = None,
           progress: bool | Callable[[float], Any] | None = None) -> Design:
    """The experiment that would tell most.

    Parameters
    ----------
    file : path
        A design file, <design>.
    criterion : {"A", "D", "E", "T", "max_sd", "c", "prediction"}, optional
        Instead of that of the file.
    starts : int, optional
        So many searches, instead of the number in the file.
    progress : bool or callable, optional
        ``True`` for a bar, or a function that gets the fraction that is done.

    Returns
    -------
    Design

    Raises
    ------
    InputError
        If the file or an option makes no sense.
    KeyboardInterrupt
        On Ctrl-C; its ``partial`` is what was found.

    Examples
    --------
    >>> plan = pf.design("examples/design_reactor/design.xml", starts=1)
    >>> all(plan.sd[name] < plan.sd_before[name] for name in plan.sd)
    True
    """
    with progress_callback(progress) as show:
        return _find(Design, _parfait.design,
                     given(file=os.fspath(file), criterion=criterion, starts=starts, on_progress=show))

