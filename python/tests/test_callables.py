"""Functions of Python as right-hand sides and force laws."""

import pickle

import numpy as np
import pytest

import parfait as pf


def oscillator(jacobian=None):
    return pf.python_ode(lambda t, y, p: [y[1], -p[0] * y[0]], {"x": 1, "v": 0}, parameters={"k": 4},
                         jacobian=jacobian)


def analytic(t, y, p):
    return [[0, 1], [-p[0], 0]], [[0], [-y[0]]]


def test_a_function_integrates_as_the_formula_does():
    m = pf.OdeBuilder("oscillator")
    m.parameter("k", 4)
    m.state("x", 1, "v")
    m.state("v", 0, "-k*x")
    expected = m.build().simulate(until=1, sensitivity=["k"])
    run = oscillator(analytic).simulate(until=1, sensitivity=["k"])
    np.testing.assert_allclose(run["x"], expected["x"], rtol=1e-12)
    np.testing.assert_allclose(run.d["x", "k"], expected.d["x", "k"], rtol=1e-10, atol=1e-13)


def test_derivatives_are_asked_for_where_they_are_needed():
    with pytest.raises(pf.InputError, match="jacobian="):
        oscillator().simulate(until=1, sensitivity=["k"])


def test_a_fit_without_jacobians_is_refused():
    p = pf.Problem()
    p.estimate("k", initial=3.5)
    p.experiment(oscillator(), data={"t": [1, 2], "x": [0.1, 0.2]}, observe={"x": ("x", 0.01)})
    with pytest.raises(pf.InputError, match="jacobian="):
        p.fit()


def test_a_fit_with_jacobians_finds_the_parameter():
    p = pf.Problem()
    p.estimate("k", initial=3.5)
    t = np.linspace(0.1, 2, 10)
    p.experiment(oscillator(analytic), data={"t": t, "x": np.cos(2 * t)}, observe={"x": ("x", 0.01)})
    assert p.fit()["k"].value == pytest.approx(4, rel=1e-6)
    with pytest.raises(pf.InputError, match="right-hand side"):
        pickle.dumps(p)


def test_exceptions_and_bad_shapes_arrive():
    with pytest.raises(ZeroDivisionError):
        pf.python_ode(lambda t, y, p: [1 / 0], {"x": 1}).simulate(until=1)
    with pytest.raises(pf.InputError, match="2 rates, expected 1"):
        pf.python_ode(lambda t, y, p: [1, 2], {"x": 1}).simulate(until=1)


def sprung(law, **more):
    m = pf.ModelBuilder("sprung")
    load = m.body("Load", mass=2, position=(1.5, 0, 0), inertia=(1, 1, 1))
    m.joint("Prismatic", "Rail", m.ground.at(z=(1, 0, 0)), load.at(z=(1, 0, 0)))
    m.force("General_Linear", "Spring", m.ground.at(), load.at(), law=law, **more)
    return m.build()


def test_a_function_as_a_force_law_acts_as_its_formula(tmp_path):
    formula = sprung("10*(length - 1) + 0.5*rate").simulate(until=1, observe=["Load.com.x", "Spring.force"])
    model = sprung(lambda s, v: 10 * (s - 1) + 0.5 * v, derivative=lambda s, v: (10, 0.5))
    run = model.simulate(until=1, observe=["Load.com.x", "Spring.force"])
    np.testing.assert_allclose(run["Load.com.x"], formula["Load.com.x"], rtol=1e-11)
    np.testing.assert_allclose(run["Spring.force"], formula["Spring.force"], rtol=1e-9, atol=1e-10)
    with pytest.raises(pf.InputError, match='force "Spring"'):
        model.save(tmp_path / "nowhere.xml")
    p = pf.Problem()
    p.experiment(model, samples=[1], observe={"x": ("Load.com.x", 0.1)})
    with pytest.raises(pf.InputError, match='force "Spring"'):
        p.save(tmp_path / "problem.xml")
    assert not list(tmp_path.iterdir())  # what is refused leaves nothing
    with pytest.raises(pf.InputError, match="General_Linear"):
        m = pf.ModelBuilder("x")
        m.force("General_Z", "F", law=lambda s, v: 0)
