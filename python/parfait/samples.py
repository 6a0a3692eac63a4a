"""Two small models and a problem, for the examples of the documentation and for first steps.

>>> from parfait.samples import decay, decay_problem, pendulum
>>> decay().parameters, pendulum().parameters
({'k': 0.5}, {'g': 9.81})
"""

from __future__ import annotations

from ._builder import ModelBuilder, OdeBuilder
from ._model import Model
from ._problem import Problem


def decay() -> Model:
    """A substance that decays, dx/dt = -k x from x(0) = 2 with k = 0.5 1/s.

    Returns
    -------
    Model

    Examples
    --------
    >>> decay().quantities
    ['x']
    """
    m = OdeBuilder("decay")
    m.parameter("k", 0.5, lower=0, unit="1/s")
    m.state("x", 2, "-k*x")
    return m.build()


def decay_problem() -> Problem:
    """Eight measurements of :func:`decay` to 0.01, from which k is estimated.

    Returns
    -------
    Problem

    Examples
    --------
    >>> decay_problem().check()["measurements"]
    8
    """
    p = Problem("decay")
    p.estimate("k", initial=2, lower=0, true=0.5)
    p.experiment(decay(), id="run", observe={"x": ("x", 0.01)},
                 data={"t": [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4],
                       "x": [1.569, 1.209, 0.953, 0.724, 0.575, 0.452, 0.339, 0.274]})
    return p


def pendulum() -> Model:
    """A bar of 2 kg that falls from the horizontal about a hinge, with gravity g [m/s2].

    Returns
    -------
    Model

    Examples
    --------
    >>> pendulum().degrees_of_freedom
    1
    """
    m = ModelBuilder("pendulum")
    bar = m.body("Bar", mass=2, center_of_mass=(0.5, 0, 0), inertia=(0.02, 0.17, 0.17))
    m.joint("Revolute", "Hinge", m.ground.at(z=(0, 1, 0)), bar.at(z=(0, 1, 0)))
    m.force("Gravitation", "Gravity", g="-g")
    m.parameter("g", 9.81, lower=0, unit="m/s2")
    return m.build()
