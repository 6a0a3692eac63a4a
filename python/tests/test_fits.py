"""Problems and fits."""

import math
import pickle
import re
import subprocess
import xml.etree.ElementTree

import numpy as np
import pandas
import pytest

import parfait as pf


def test_a_linear_fit_has_the_closed_form_estimate_and_deviation():
    x = np.array([1.0, 2.0, 3.0, 4.0])
    y = np.array([2.1, 3.9, 6.2, 7.8])
    p = pf.Problem()
    p.estimate("a", initial=1)
    p.options(sigma="known")
    p.experiment(None, data={"x": x, "y": y}, observe={"y": ("a*x", 0.1)})
    fit = p.fit()
    assert fit["a"].value == pytest.approx((x @ y) / (x @ x), rel=1e-10)
    assert fit["a"].sd == pytest.approx(0.1 / math.sqrt(x @ x), rel=1e-8)
    assert fit["a"].ci95[0] < fit["a"].value < fit["a"].ci95[1]


def test_what_a_fit_tells(problem):
    fit = pf.fit(problem)
    assert fit.converged and fit.status == "converged" and fit.raise_if_failed() is fit
    k = fit["k"]
    assert abs(k.value - 0.5) < 4 * k.sd and k.true == 0.5 and k.unit == "" and k.determined == "by_data"
    assert fit.covariance.shape == (1, 1) and fit.covariance[0, 0] == pytest.approx(k.sd**2, rel=1e-9)
    assert not fit.covariance.flags.writeable
    r = fit.residuals
    np.testing.assert_allclose(r["weighted"], (r["model"] - r["measured"]) / r["sigma"], rtol=1e-12)
    assert r.to_pandas().shape == (8, 9)
    low, high = fit.trajectories["run1"].band("x")
    assert np.all(low[1:] < high[1:])
    assert "converged" in fit.summary() and "[" in fit.summary()
    assert fit.history[0]["objective"] > fit.history[-1]["objective"]
    with pytest.raises(KeyError, match="k"):
        fit["nothing"]
    assert fit.to_pandas().loc["k", "value"] == k.value


def test_data_frames_dictionaries_and_files_give_the_same_bits(problem, decay, tmp_path):
    data = problem.data["run1"]
    frame = pandas.DataFrame(data)
    frame.to_csv(tmp_path / "d.csv", index=False)
    values = []
    for source in (data, frame, frame.set_index("t"), tmp_path / "d.csv"):
        p = pf.Problem()
        p.estimate("k", initial=2, lower=0)
        p.experiment(decay, data=source, observe={"x": ("x", 0.01)})
        values.append(p.fit()["k"].value)
    assert len(set(values)) == 1


def test_missing_values_are_not_measured(decay):
    p = pf.Problem()
    p.estimate("k", initial=1)
    p.experiment(decay, data={"t": [1, 2, 3], "x": [1.2, math.nan, 0.45]}, observe={"x": ("x", 0.01)})
    assert p.check()["measurements"] == 2


def test_iterations_are_told_and_an_exception_in_the_callback_arrives(problem):
    seen = []
    fit = pf.fit(problem, on_iteration=seen.append)
    assert [line["number"] for line in seen] == list(range(fit.iterations + 1))
    assert seen[-1]["values"]["k"] == pytest.approx(fit["k"].value, rel=1e-12)

    def stop(line):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        pf.fit(problem, on_iteration=stop)


def test_a_fit_that_does_not_finish_is_a_result(problem):
    fit = pf.fit(problem, max_iterations=0)
    assert not fit.converged
    with pytest.raises(pf.NotFinished) as error:
        fit.raise_if_failed()
    assert error.value.result is fit


def test_options_reach_the_fit(problem):
    first = pf.fit(problem)
    assert pf.fit(problem, fix=["k"], set={"k": 0.5}).json["parameters"] == []
    again = pf.fit(problem, start=first)
    assert again.iterations <= 1 and again["k"].value == pytest.approx(first["k"].value, rel=1e-6)
    profiled = pf.fit(problem, profile=["k"])
    assert profiled.profiles["k"]["interval"][0] < first["k"].value


def test_fits_are_saved_loaded_and_pickled(problem, tmp_path):
    fit = pf.fit(problem)
    fit.save(tmp_path / "run")
    for again in (pf.load(tmp_path / "run"), pickle.loads(pickle.dumps(fit))):
        assert again["k"] == fit["k"]
        np.testing.assert_array_equal(again.residuals["weighted"], fit.residuals["weighted"])
        assert again.summary().splitlines()[2:] == fit.summary().splitlines()[2:]


def test_problems_survive_pickling_and_files(problem, tmp_path):
    value = pf.fit(problem)["k"].value
    assert pf.fit(pickle.loads(pickle.dumps(problem)))["k"].value == value
    problem.save(tmp_path / "problem.xml")
    assert (tmp_path / "decay.xml").exists()
    assert pf.fit(tmp_path / "problem.xml")["k"].value == value


def test_synthetic_measurements_follow_their_seed(problem, tmp_path):
    a, b, c = (problem.synthesize(seed=s).data["run1"]["x"] for s in (1, 1, 2))
    np.testing.assert_array_equal(a, b)
    assert np.any(a != c)
    made = problem.synthesize(seed=3)
    fit = made.fit()
    assert abs(fit["k"].value - 0.5) < 4 * fit["k"].sd
    made.save(tmp_path / "problem.xml")  # with its model beside it
    assert pf.fit(tmp_path / "problem.xml")["k"].value == fit["k"].value


def test_pictures_of_a_fit(problem):
    fit = pf.fit(problem)
    for name in ("parameters", "fit"):
        assert "<svg" in fit.plot(name)._repr_html_()
    assert len(fit._repr_html_()) < 60_000


def test_a_picture_that_is_saved_stands_alone(problem, tmp_path):
    fit = pf.fit(problem)
    for plot in fit.plots.values():
        for svg in plot.svg:
            xml.etree.ElementTree.fromstring(svg)  # whole: nothing is cut off
    fit.plot("fit").save(tmp_path / "fit.svg")
    root = xml.etree.ElementTree.parse(tmp_path / "fit.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    (style,) = root.iter("{http://www.w3.org/2000/svg}style")
    used = {name for e in root.iter() for name in e.get("class", "").split()}
    assert used and any("." + name in style.text for name in used) and "--model:" in style.text


def test_local_parameters_and_free_initial_states(decay):
    p = pf.Problem()
    p.estimate("k", initial=1, lower=0)
    for name, x0 in (("a", 2.0), ("b", 3.0)):
        t = np.linspace(0.2, 4, 12)
        p.experiment(decay, id=name, data={"t": t, "x": x0 * np.exp(-0.5 * t)}, observe={"x": ("x", 0.01)},
                     initial="free", intervals=2)
    fit = p.fit()
    assert fit["k"].value == pytest.approx(0.5, rel=1e-6)
    assert [s.value for s in fit.initial_states] == pytest.approx([2.0, 3.0], rel=1e-5)


def test_findings_are_words(examples):
    fit = pf.fit(examples / "unidentifiable" / "problem.xml")
    assert fit.findings and fit["k1"].determined != "by_data"
    assert all(finding[0].isalpha() or finding[0] == '"' for finding in fit.findings)
    assert all(finding in fit.summary() or finding in fit.report().html for finding in fit.findings)


def test_petab_problems_are_read_fitted_and_kept(examples, tool, tmp_path):
    file = examples.parent / "tests" / "estimation" / "data" / "petab" / "Perelson_Science1996" / "Perelson_Science1996.yaml"
    problem = pf.Problem.from_petab(file)
    subprocess.run([tool, "fit", file, "--out", tmp_path / "tool", "--quiet"], check=False)
    fit = problem.fit()
    assert fit.converged
    told = pf.load(tmp_path / "tool")
    assert [p["value"] for p in fit.json["parameters"]] == [p["value"] for p in told.json["parameters"]]
    assert pickle.loads(pickle.dumps(problem)).check() == problem.check()
    facts, files = pf.import_motion(file)
    subprocess.run([tool, "import", file, "--out", tmp_path / "import", "--quiet"], check=True)
    assert facts["file_format"] == "PEtab 1"
    assert files == {name: (tmp_path / "import" / name).read_text() for name in files}


def test_bad_problems_say_what_is_wrong(decay):
    p = pf.Problem("mine.xml")
    p.estimate("kk", initial=1)
    p.experiment(decay, data={"t": [1], "x": [1]}, observe={"x": "x"})
    with pytest.raises(pf.InputError) as error:
        p.check()
    assert "kk" in str(error.value)
    with pytest.raises(pf.InputError, match="lengths"):
        p.experiment(decay, data={"t": [1, 2], "x": [1]}, observe={"x": "x"})


def observed(data):
    m = pf.OdeBuilder("decay")
    m.parameter("k", 0.5)
    m.state("x", 2, "-k*x")
    p = pf.Problem()
    p.estimate("k", initial=1)
    p.experiment(m.build(), data=data, observe={"x": ("x", 0.01)})
    return p


def test_what_was_not_measured_may_be_nan_none_or_na():
    t, x = [1, 2, 3], [1.213, None, 0.446]
    values = [observed(data).fit()["k"].value for data in
              ({"t": t, "x": x}, {"t": t, "x": [1.213, math.nan, 0.446]},
               pandas.DataFrame({"t": t, "x": pandas.array(x, dtype="Float64")}),
               pandas.DataFrame({"x": x}, index=pandas.Index(t, name="t")))]
    assert values == [values[0]] * 4


@pytest.mark.parametrize("data, message", [
    ({"t": [1, 2], "x": [1, 2], "note": ["a", "b"]}, "column \"note\" of the data: 'a' is not a number. Leave out columns of words"),
    ({"t": [1, 2], "x": 1.0}, 'column "x" of the data: 1.0 is no list'),
    ({"t": [1, 2], "y": [1, 2]}, 'the data have no column "x". Columns: t, y'),
])
def test_data_that_make_no_sense_are_told_by_column(data, message):
    with pytest.raises(pf.InputError, match=re.escape(message)):
        observed(data).fit()


def test_a_table_of_iterations_begins_when_the_fit_does(capsys):
    with pytest.raises(pf.InputError):
        observed({"t": [1, 2], "y": [1, 2]}).fit(progress=True)
    assert capsys.readouterr().out == ""


def test_options_have_the_names_of_keywords_in_messages(problem):
    for options, message in (({"fix": ["q"]}, "fix q: "), ({"set": {"q": 1}}, "set q=1")):
        with pytest.raises(pf.InputError) as error:
            problem.fit(**options)
        assert str(error.value).startswith(message)
