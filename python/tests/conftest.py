"""What the tests of the Python module share."""

import os
import pathlib

import pytest

import parfait as pf

SOURCE = pathlib.Path(os.environ.get("PARFAIT_SOURCE", pathlib.Path(__file__).parents[2]))


@pytest.fixture(scope="session")
def examples() -> pathlib.Path:
    return SOURCE / "examples"


@pytest.fixture(scope="session")
def tool() -> str:
    return os.environ["PARFAIT_TOOL"]


@pytest.fixture
def decay() -> pf.Model:
    m = pf.OdeBuilder("decay")
    m.parameter("k", 0.5, lower=0, unit="1/s")
    m.state("x", 2, "-k*x")
    return m.build()


@pytest.fixture
def stiff_work() -> pf.Model:
    """A motion that takes many seconds: something to interrupt."""
    m = pf.OdeBuilder("busy")
    m.state("x", 1, "1e4*y")
    m.state("y", 0, "-1e4*x")
    return m.build()


@pytest.fixture
def problem(decay: pf.Model) -> pf.Problem:
    import math
    p = pf.Problem("decay.xml")
    p.estimate("k", initial=2, lower=0, true=0.5)
    t = [0.5 * i for i in range(1, 9)]
    noise = [0.011, -0.004, 0.008, -0.012, 0.002, 0.006, -0.009, 0.003]
    p.experiment(decay, id="run1", data={"t": t, "x": [2 * math.exp(-0.5 * s) + e for s, e in zip(t, noise)]},
                 observe={"x": ("x", 0.01)})
    return p
