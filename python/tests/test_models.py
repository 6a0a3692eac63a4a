"""Models: read, built, simulated, pickled."""

import gc
import importlib.util
import math
import pickle
import sys
import types

import numpy as np
import pytest

import parfait as pf


def pendulum() -> pf.ModelBuilder:
    m = pf.ModelBuilder("pendulum")
    bar = m.body("Bar", mass=2, center_of_mass=(0.5, 0, 0), inertia=(2.5, 2, 2))
    m.joint("Revolute", "Hinge", m.ground.at(z=(0, 1, 0)), bar.at(z=(0, 1, 0)))
    m.force("Gravitation", "Gravity", g="-g")
    m.parameter("g", 9.81, lower=0, unit="m/s2")
    return m


def test_a_built_mechanism_moves_as_its_file_does(examples):
    built = pendulum().build().simulate(until=2, step=0.02, observe=["Bar.com.x", "Bar.com.z"])
    read = pf.simulate(examples / "pendulum" / "pendulum.xml", until=2, step=0.02,
                       observe=["Bar.com.x", "Bar.com.z"])
    assert built.finished and read.finished
    np.testing.assert_array_equal(built["Bar.com.z"], read["Bar.com.z"])
    assert np.ptp(built["Bar.com.z"]) > 0.1  # it did move


def test_the_period_of_a_small_swing_is_the_closed_form():
    m = pendulum()
    m._root.children[0].children[0].attributes["angles"] = (0, math.pi / 2, 0)  # hangs down
    modes = m.build().modes(at="initial")
    # I = 2 + 2 * 0.25 about the hinge, m g l = 2 * 9.81 * 0.5
    assert modes.frequencies[0] == pytest.approx(math.sqrt(9.81 / 2.5) / (2 * math.pi), rel=1e-9)
    assert "Hinge.angle" in modes.summary()


def test_sensitivities_are_the_derivative_of_the_closed_form(decay):
    run = decay.simulate(until=3, sensitivity=["k", "initial:x"], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(run["x"], 2 * np.exp(-0.5 * run.t), rtol=1e-9)
    np.testing.assert_allclose(run.d["x", "k"], -2 * run.t * np.exp(-0.5 * run.t), rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(run.d["x", "initial:x"], np.exp(-0.5 * run.t), rtol=1e-8)
    assert list(run) == ["x"]


def test_arrays_share_memory_cannot_be_written_and_outlive_their_owner(decay):
    run = decay.simulate(until=1)
    x = run["x"]
    assert x.base is not None and not x.flags.writeable and np.shares_memory(x, run["x"])
    with pytest.raises(ValueError):
        x[0] = 1
    kept = x.copy()
    del run
    gc.collect()
    np.testing.assert_array_equal(x, kept)


def test_shapes_of_bodies_are_written_as_the_file_has_them():
    m = pf.ModelBuilder()
    box = {"kind": "box", "size": (1, 0.1, 0.1), "o": (0.5, 0, 0), "color": "#0072b2"}
    m.body("One", mass=1, inertia=(1, 1, 1), shape=box)
    m.body("Two", mass=1, inertia=(1, 1, 1), velocity=np.array([1, 0, 0]), shape=[box, {"kind": "sphere", "radius": 0.2}])
    assert m.build().text.count("<shape ") == 3


@pytest.mark.parametrize("options, message", [
    ({"until": "1"}, "until = '1': must be a number."), ({"max_steps": 1.5}, "max_steps = 1.5: must be a whole number."),
    ({"set": {"k": "a"}}, "k = 'a': must be a number."), ({"states": 1e-6}, "states = 1e-06: must be a list."),
])
def test_values_of_the_wrong_kind_are_told_by_name(options, message, decay):
    with pytest.raises(pf.InputError) as error:
        decay.simulate(**options)
    assert str(error.value) == message


def test_a_setting_changes_the_model(decay):
    assert decay.with_parameters({"k": 1}).parameters == {"k": 1.0}
    assert decay.simulate(until=1, set={"k": 1})["x"][-1] == pytest.approx(2 * math.exp(-1), rel=1e-7)
    with pytest.raises(pf.InputError, match="kk") as error:
        decay.simulate(set={"kk": 1})
    assert isinstance(error.value, ValueError)


def test_errors_say_where_and_what_was_meant(tmp_path):
    file = tmp_path / "arm.xml"
    file.write_text('<ode>\n  <state id="speed" initial="1" derivative="-sped"/>\n</ode>\n')
    with pytest.raises(pf.InputError) as error:
        pf.Model.from_xml(file)
    assert error.value.file == str(file) and error.value.line == 2 and error.value.suggestion == "speed"
    again = pickle.loads(pickle.dumps(error.value))
    assert (again.line, str(again)) == (2, str(error.value))


def test_models_survive_pickling_and_files(decay, tmp_path):
    again = pickle.loads(pickle.dumps(decay))
    assert again.text == decay.text
    np.testing.assert_array_equal(again.simulate(until=1)["x"], decay.simulate(until=1)["x"])
    decay.save(tmp_path / "m.xml")
    assert pf.Model.from_xml(tmp_path / "m.xml").parameters == decay.parameters


def test_simulations_are_saved_loaded_and_pickled(decay, tmp_path):
    run = decay.simulate(until=1, sensitivity=["k"])
    run.save(tmp_path / "run")
    for again in (pf.load(tmp_path / "run"), pickle.loads(pickle.dumps(run))):
        np.testing.assert_array_equal(again["x"], run["x"])
        np.testing.assert_array_equal(again.d["x", "k"], run.d["x", "k"])
        assert again.json == run.json


def test_a_simulation_that_fails_is_a_result():
    m = pf.OdeBuilder("explodes")
    m.state("x", 1, "x^2")
    run = m.build().simulate(until=2)
    assert not run.finished and run.status != "finished" and run.t[-1] < 1.001
    with pytest.raises(pf.NotFinished):
        run.raise_if_failed()


def test_events_and_algebraic_states():
    ball = pf.OdeBuilder("ball")
    ball.state("h", 1, "v")
    ball.state("v", 0, "-9.81")
    ball.event("bounce", "h", direction="falling", set={"v": "-0.5*v"})
    events = ball.build().simulate(until=1).events
    assert events[0]["t"] == pytest.approx(math.sqrt(2 / 9.81), rel=1e-7)

    circle = pf.OdeBuilder("circle")
    circle.state("x", 0, "z")
    circle.algebraic("z", 1)
    circle.equation("0 = z - (1 - x)")
    run = circle.build().simulate(until=1, observe=["x", "z"])
    assert run["x"][-1] == pytest.approx(1 - math.exp(-1), rel=1e-5)


def test_pandas_and_numpy_get_the_same_numbers(decay):
    run = decay.simulate(until=1)
    frame = run.to_pandas()
    assert frame.index.name == "t"
    np.testing.assert_array_equal(frame["x"].to_numpy(), run["x"])
    assert np.asarray(run).shape == (len(run.t), 2)


def test_xarray_gets_them_where_it_is_installed(decay, monkeypatch):
    run = decay.simulate(until=1)
    if importlib.util.find_spec("xarray") is None:
        with pytest.raises(ImportError, match="python3-xarray"):
            run.to_xarray()

        class Dataset:  # as far as it matters here: what xarray's is made of
            def __init__(self, variables, coords):
                self.variables, self.coords = variables, coords
                self.sizes = {name: len(values) for name, values in coords.items()}

            def __getitem__(self, name):
                dimension, values = self.variables[name]
                assert self.sizes[dimension] == len(values)
                return values

        monkeypatch.setitem(sys.modules, "xarray", types.SimpleNamespace(Dataset=Dataset))
    data = run.to_xarray()
    np.testing.assert_array_equal(np.asarray(data["x"]), run["x"])
    np.testing.assert_array_equal(np.asarray(data.coords["t"]), run.t)


def test_pictures_and_the_page_come_from_the_report(decay, tmp_path):
    run = decay.simulate(until=1)
    assert run.plot("quantity").svg[0].startswith("<svg")
    assert "<svg" in run._repr_html_()
    run.report(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text() == run.report().html
    assert "srcdoc" in run.report()._repr_html_()
    with pytest.raises(pf.InputError, match="quantity"):
        run.plot("nothing")


def test_progress_tells_the_fraction(stiff_work):
    seen = []
    stiff_work.simulate(until=0.3, progress=seen.append)
    assert seen and all(0 <= f <= 1 for f in seen) and seen == sorted(seen)


def test_progress_shows_a_bar_and_takes_it_away(stiff_work, capsys):
    stiff_work.simulate(until=0.3, progress=True)
    shown = capsys.readouterr().err
    assert "\r[" in shown and "t = " in shown and shown.endswith("\r") and not shown.rsplit("\r", 2)[1].strip()


def test_an_exception_in_a_callback_ends_the_work_and_arrives_unchanged(stiff_work):
    class Enough(Exception):
        pass

    def stop(fraction):
        raise Enough(fraction)

    with pytest.raises(Enough):
        stiff_work.simulate(until=1e4, max_steps=10**9, progress=stop)


def test_modes_come_back_from_their_folder_and_another_process(tmp_path, examples):
    modes = pf.Model.from_xml(examples / "double_pendulum" / "double_pendulum.xml").modes()
    modes.save(tmp_path / "run")
    for again in (pf.load(tmp_path / "run"), pickle.loads(pickle.dumps(modes))):
        assert again.status == modes.status and again.stability == modes.stability
        assert np.array_equal(again.frequencies, modes.frequencies) and len(modes.frequencies) > 0
        assert list(again.shapes) == list(modes.shapes) and len(modes.shapes) > 0
        assert all(np.array_equal(again.shapes[q], modes.shapes[q]) for q in modes.shapes)
        assert again.equilibrium == modes.equilibrium
        assert again.summary().splitlines()[1:] == modes.summary().splitlines()[1:]
        assert again.report().html == modes.report().html
