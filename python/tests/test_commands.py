"""Every command and option from Python, with the bits of the command line."""

import inspect
import json
import os
import pathlib
import pickle
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import parfait as pf

ROOT = pathlib.Path(os.environ.get("PARFAIT_SOURCE", pathlib.Path(__file__).parents[2]))
EXAMPLES = ROOT / "examples"
TO_THE_END = ["pendulum/problem.xml", "hexapod/problem.xml", "bouncing_ball/impacts.xml"]
SLOW = ["sitting_human/problem.xml", "sitting_human/identical.xml", "sitting_human/single.xml",  # half a minute each
        "sitting_human/xyz.xml",
        "spectrum/amplitude.xml", "spectrum/power.xml", "spectrum/time.xml", "richards/problem.xml"]
PROBLEMS = sorted(str(f.relative_to(EXAMPLES)) for f in EXAMPLES.glob("*/*.xml") if "<problem" in f.read_text())
if os.environ.get("PARFAIT_SLOW_TESTS"):  # minutes: everything, to its end
    TO_THE_END = PROBLEMS
else:
    PROBLEMS = [name for name in PROBLEMS if name not in SLOW]


def run_tool(tool, *arguments):
    return subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, check=False)


def assert_same_folder(ours, theirs):
    """Every file but timing.json; result.json but for the recorded command."""
    names = {p.name for p in theirs.iterdir()}
    assert {p.name for p in ours.iterdir()} == names
    for name in names - {"timing.json", "report.html"}:
        a, b = (ours / name).read_bytes(), (theirs / name).read_bytes()
        if name == "result.json":
            a, b = json.loads(a), json.loads(b)
            for result in (a, b):
                result.get("origin", result).pop("arguments", None)
        assert a == b, name


@pytest.mark.parametrize("name", PROBLEMS)
def test_fits_have_the_bits_of_the_command_line(name, tool, tmp_path):
    file = EXAMPLES / name
    fast = [] if name in TO_THE_END else ["--max-iterations", "1"]
    told = run_tool(tool, "fit", file, "--out", tmp_path / "tool", "--quiet", *fast)
    options = {} if name in TO_THE_END else {"max_iterations": 1}
    if told.returncode == 2:  # costs, or what is still to be measured: no fit, for the same reason
        with pytest.raises(pf.InputError) as error:
            pf.fit(file, **options)
        assert str(error.value) in told.stderr
        return
    pf.fit(file, **options).save(tmp_path / "module")
    assert_same_folder(tmp_path / "module", tmp_path / "tool")


def test_simulations_have_the_bits_of_the_command_line(tool, tmp_path):
    model = EXAMPLES / "six_bar" / "six_bar.xml"
    run_tool(tool, "simulate", model, "--until", "1", "--out", tmp_path / "tool", "--quiet")
    pf.simulate(model, until=1).save(tmp_path / "module")
    assert_same_folder(tmp_path / "module", tmp_path / "tool")


def test_many_starts_are_those_of_the_command(tool, tmp_path):
    m = pf.OdeBuilder("decay")
    m.parameter("k", 0.5)
    m.state("x", 2, "-k*x")
    p = pf.Problem()
    p.estimate("k", initial=2, lower=0.1, upper=5, true=0.5)
    p.experiment(m.build(), samples=np.linspace(0.5, 4, 8), observe={"x": ("x", 0.01)})
    file = tmp_path / "problem.xml"
    p.synthesize(seed=1).save(file)
    run_tool(tool, "fit", file, "--starts", "3", "--seed", "2", "--out", tmp_path / "tool", "--quiet")
    fit = pf.fit(file, starts=3, seed=2)
    fit.save(tmp_path / "module")
    assert_same_folder(tmp_path / "module", tmp_path / "tool")
    assert len(fit.json["starts"]["list"]) == 4  # the given start, too


@pytest.mark.parametrize("command, work", [
    ("fit pendulum/problem.xml", lambda: pf.fit(EXAMPLES / "pendulum" / "problem.xml")),
    ("simulate pendulum/pendulum.xml --until 1", lambda: pf.simulate(EXAMPLES / "pendulum" / "pendulum.xml", until=1)),
    ("modes double_pendulum/double_pendulum.xml", lambda: pf.modes(EXAMPLES / "double_pendulum" / "double_pendulum.xml")),
])
def test_summaries_are_what_the_terminal_shows(command, work, tool, tmp_path):
    name, file, *options = command.split()
    told = run_tool(tool, name, EXAMPLES / file, *options, "--out", tmp_path / "tool").stdout

    def lines_of(text):  # but for the time it took
        return [re.sub(r"[\d.e-]+ s(?=\)| of computing)", "", line) for line in text.splitlines() if line]

    lines, told = lines_of(work().summary()), lines_of(told)
    assert len(lines) > 3 and [line for line in lines if line not in told] == []


PUCK = """<model>
  <body id="Puck" mass="1" moment_of_inertia="1 1 1"> <velocity v="1 0 0"/> </body>
  <joint key="PlanarContact" id="Table"> <begin id="Inertial"/> <end id="Puck"/> </joint>
  <force key="Gravitation" id="Gravity" constants="-9.81"/>
</model>
"""


def test_plug_ins_act_as_for_the_command(tool, tmp_path):
    """In a process of its own: what is loaded stays."""
    plugin = os.environ["PARFAIT_TEST_PLUGIN"]
    (tmp_path / "puck.xml").write_text(PUCK)
    code = f"""if True:
        import parfait as pf
        try: pf.Model.from_xml("puck.xml")
        except pf.InputError as error: assert "PlanarContact" in str(error)
        pf.load_plugin({plugin!r})
        pf.simulate("puck.xml", until=2).save("module")
        try: pf.load_plugin({plugin!r})
        except pf.InputError as error: print(error)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "registers no element type" in done.stdout, done.stderr
    told = subprocess.run([tool, "simulate", "puck.xml", "--plugin", plugin, "--until", "2", "--out", "tool", "--quiet"],
                          capture_output=True, text=True, cwd=tmp_path, check=False)
    assert told.returncode == 0, told.stderr
    assert_same_folder(tmp_path / "module", tmp_path / "tool")


def test_every_command_has_a_function(tool):
    text = run_tool(tool, "--help").stdout
    commands = {line.split()[0] for line in text.split("Subcommands:")[1].splitlines() if line.strip()}
    renamed = {"import": "import_motion"}
    assert {c for c in commands if not hasattr(pf, renamed.get(c, c))} == set()


# Where options of a command go in Python: other names, other functions. `None`: what only files and terminals need.
ELSEWHERE = {
    "--help": None, "--out": None, "--force": None, "--once": None, "--resume": None,
    "--tol": "tolerance", "--length": "lengths", "--from": "start", "--no-open": "open",
}
FUNCTIONS = {
    "fit": [pf.fit, pf.minimize], "simulate": [pf.Model.simulate, pf.Model.from_xml],
    "modes": [pf.Model.modes, pf.Model.from_xml], "synthesize": [pf.Problem.synthesize], "import": [pf.import_motion],
    "check": [pf.Model.from_xml],
}
GROUPS = {"--tolerance": ["positions", "velocities", "states"]}


@pytest.mark.parametrize("command", ["fit", "simulate", "modes", "synthesize", "check", "import", "ik", "calibrate", "scale",
                                     "id", "gait", "batch", "convert", "gradient", "design", "human", "joints", "view",
                                     "report", "verify", "elements"])
def test_every_option_has_a_keyword(command, tool):
    text = run_tool(tool, command, "--help").stdout
    options = set(re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", text, re.MULTILINE))
    assert options
    functions = FUNCTIONS.get(command) or [getattr(pf, command)]
    keywords = {name for f in functions for name in inspect.signature(f).parameters}
    for option in options:
        wanted = ELSEWHERE.get(option, option[2:].replace("-", "_"))
        if command == "simulate" and option in GROUPS:
            assert set(GROUPS[option]) <= keywords
        elif wanted is not None:
            assert wanted in keywords, f"{command} {option}"


GAIT = (EXAMPLES / "gait_ik" / "subject.osim", EXAMPLES / "gait_ik" / "walking1.trc")
SUBJECT = EXAMPLES / "subject_calibration"
SETUP = ROOT / "tests" / "motion_files" / "data" / "scale" / "setup.xml"
ARM = (EXAMPLES / "urdf_arm" / "arm.urdf", EXAMPLES / "urdf_arm" / "motion.mot")
WALK = ROOT / "tests" / "motion_files" / "data" / "MACsample.c3d"
PENDULUM = EXAMPLES / "gradient" / "pendulum_problem.xml"

WORK = {
    "ik": (["ik", *GAIT], lambda: pf.ik(*GAIT)),
    "calibrate": (["calibrate", SUBJECT / "generic.osim", SUBJECT / "static1.trc", "--frames", "12"],
                  lambda: pf.calibrate(SUBJECT / "generic.osim", SUBJECT / "static1.trc", frames=12)),
    "scale": (["scale", SETUP], lambda: pf.scale(SETUP)),
    "id": (["id", *ARM, "--filter", "6"], lambda: pf.id(*ARM, filter=6)),
    "gait": (["gait", GAIT[1], WALK, "--emg-filter", "5"], lambda: pf.gait([GAIT[1], WALK], emg_filter=5)),
    "gradient": (["gradient", PENDULUM, "--check"], lambda: pf.gradient(PENDULUM, check=True)),
    "minimize": (["fit", PENDULUM, "--method", "bfgs", "--max-iterations", "5"],
                 lambda: pf.minimize(PENDULUM, method="bfgs", max_iterations=5)),
    "design": (["design", EXAMPLES / "design_reactor" / "design.xml", "--starts", "1"],
               lambda: pf.design(EXAMPLES / "design_reactor" / "design.xml", starts=1)),
}


@pytest.fixture(scope="session")
def found():
    made = {}

    def get(name):
        if name not in made:
            made[name] = WORK[name][1]()
        return made[name]

    return get


@pytest.mark.parametrize("name", WORK)
def test_results_summary_report_and_files_are_those_of_the_command(name, found, tool, tmp_path):
    told = run_tool(tool, *WORK[name][0], "--out", tmp_path / "tool")
    result = found(name)
    result.save(tmp_path / "module")
    assert_same_folder(tmp_path / "module", tmp_path / "tool")
    # The summary is what the terminal shows, but for the folder and, of gradients, a quotient of times.
    lines = [line for line in result.summary().splitlines() if line and "as long as" not in line]
    assert lines and all(line in told.stdout for line in lines)
    if (tmp_path / "tool" / "report.html").exists():
        told_page = (tmp_path / "tool" / "report.html").read_text()
        # But for the recorded command.
        told_page = re.sub("<pre><code>parfait .*?</code></pre>", '<p class="soft">The command line was not recorded.</p>', told_page)
        assert result.report().html == told_page
        assert result.plots and all(plot.svg for plot in result.plots.values())
    else:
        with pytest.raises(pf.InputError, match="no report"):
            result.report()


@pytest.mark.parametrize("name", WORK)
def test_results_survive_pickling(name, found, tmp_path):
    result = found(name)
    again = pickle.loads(pickle.dumps(result))
    assert again.json == result.json | {"outputs": again.json["outputs"]}
    assert (again.summary(), type(again)) == (result.summary(), type(result))
    assert set(result.files) <= set(again.files)
    for name_of_table in result.files:
        assert again._texts[name_of_table] == result._texts[name_of_table]
    again.save(tmp_path / "run")
    loaded = pf.load(tmp_path / "run")
    assert type(loaded) is type(result) and loaded.json == again.json
    # Of gradients the quotient of times is not kept.
    assert loaded.summary().splitlines()[:2] == result.summary().splitlines()[:2]


@pytest.fixture(scope="session")
def people(tmp_path_factory):
    """Three subjects: some frames of a walk each, and one whose trial is no trial."""
    folder = tmp_path_factory.mktemp("people")
    lines = GAIT[1].read_text().splitlines()
    head = next(i for i, line in enumerate(lines) if line.split("\t")[0].strip() == "1")
    for k, name in enumerate(["anna", "bert"]):
        (folder / name).mkdir()
        words = lines[2].split("\t")
        words[2] = words[7] = "12"
        chosen = lines[head + 20 * k:head + 20 * k + 12]
        (folder / name / "walk.trc").write_text("\n".join([*lines[:2], "\t".join(words), *lines[3:head], *chosen]) + "\n")
    (folder / "carl").mkdir()
    (folder / "carl" / "walk.trc").write_text("PathFileType\t4\n")
    return folder


def test_a_batch_writes_what_the_command_writes(people, tool, tmp_path):
    told = run_tool(tool, "batch", people, "--model", GAIT[0], "--work", "ik", "--out", tmp_path / "tool")
    batch = pf.batch(people, tmp_path / "module", model=GAIT[0], work="ik")
    for name in ("anna", "bert", "summary"):
        assert_same_folder(tmp_path / "module" / name, tmp_path / "tool" / name)
    assert sorted(batch.summary().splitlines()) == sorted(told.stdout.splitlines()[:3])
    assert batch.subjects["status"] == ["done", "done", "failed"] and not batch.finished
    assert list(batch.subjects["frames"]) == [12, 12, 0] and np.isnan(batch.subjects["rms"][2])
    assert batch.subjects["rms"][0] == pf.load(tmp_path / "module" / "anna")["walk"].rms
    again = pf.load(tmp_path / "module" / "summary")
    assert (type(again), again.summary(), again.json) == (pf.Batch, batch.summary(), pickle.loads(pickle.dumps(again)).json)


def test_ctrl_c_ends_a_batch_and_leaves_the_subjects_that_were_done(people, tmp_path):
    def press(fraction):  # when the first subject is ready
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as stop:
        pf.batch(people, tmp_path, model=GAIT[0], work="ik", threads=1, progress=press)
    batch = stop.value.partial
    assert batch.status == "interrupted" and sorted(batch.subjects["status"])[-1] == "interrupted"
    assert pf.load(tmp_path / "summary").json["subjects"] == batch.json["subjects"]
    done = {name for name, status in zip(batch.subjects["subject"], batch.subjects["status"]) if status == "done"}
    assert {p.name for p in tmp_path.iterdir()} == done | {"summary"}


def test_ctrl_c_ends_moments_with_the_samples_that_were_done():
    with pytest.raises(KeyboardInterrupt) as stop:
        pf.id(*ARM, progress=lambda _: os.kill(os.getpid(), signal.SIGINT))  # when everything is read
    partial = stop.value.partial
    assert partial.status == "interrupted" and not partial.finished and "interrupted" in partial.report().html.lower()
    np.testing.assert_array_equal(partial["elbow"], pf.id(*ARM)["elbow"][:len(partial.t)])
    assert len(partial.t) == 0


def test_ctrl_c_ends_gait_with_the_trials_that_were_done():
    def press(fraction):
        if fraction > 0:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as stop:
        pf.gait([GAIT[1], GAIT[1], GAIT[1]], progress=press)
    partial = stop.value.partial
    assert partial.status == "interrupted" and len(partial.trials) == 1  # not the one it was to read then


def test_gait_has_strides_and_curves_over_the_cycle(found, tmp_path):
    walk = found("gait")
    assert [t["trial"] for t in walk.trials] == ["walking1", "MACsample"]
    assert len(walk.strides["start"]) == sum(len(t["strides"]) for t in walk.trials) > 0
    mean = {(n, s): m for n, s, m in zip(walk.parameters["name"], walk.parameters["side"], walk.parameters["mean"])}
    lengths = [length for length, side in zip(walk.strides["length"], walk.strides["side"]) if side == "right"]
    assert mean["stride length", "right"] == pytest.approx(np.nanmean(lengths), nan_ok=True)
    t = np.linspace(0, 10, 1001)
    (tmp_path / "knee.mot").write_text("knee\nnRows=1001\nnColumns=2\ninDegrees=yes\nendheader\ntime\tknee_r\n"
                                       + "".join(f"{x}\t{2 * x}\n" for x in t))
    curves = pf.gait(WALK, curves=tmp_path / "knee.mot").cycles
    (start,), (end,) = walk.strides["start"], walk.strides["end"]
    knee = curves["knee", "right"]
    np.testing.assert_allclose(knee["mean"], 2 * np.linspace(start, end, 101), rtol=1e-9)
    assert list(knee["percent"]) == list(range(101))


def test_poses_are_arrays_over_time(found):
    poses = found("ik")
    (walking,) = poses.values()
    assert list(poses) == ["walking1"] and walking.t.shape == walking["knee_angle_r"].shape == (131,)
    assert 0.005 < walking.rms < 0.02
    every = np.concatenate([walking.errors[marker] for marker in walking.errors])
    assert np.nanmax(every) == pytest.approx(walking.about["errors"]["max"], rel=1e-12)
    assert walking.to_pandas().shape == (131, len(walking))
    with pytest.raises(KeyError, match="knee_angle_r|pelvis"):
        walking["knee"]


def test_moments_times_speeds_are_powers(found):
    moments = found("id")
    speed = np.gradient(moments.motion["elbow"], moments.t, edge_order=2)
    inside = slice(2, -2)  # differences of the second order in the step of 0.01 s
    np.testing.assert_allclose(moments.power["elbow"][inside], (moments["elbow"] * speed)[inside], rtol=2e-2, atol=2e-2)
    assert np.ptp(moments["elbow"]) > 1


def test_gradients_agree_both_ways_and_predict_a_small_change(found):
    g = found("gradient")
    assert g.difference < 1e-9 and list(g.forward) == list(g)
    h = 1e-5 * g.point["L"]
    up, down = (pf.gradient(PENDULUM, set={"L": g.point["L"] + s}).objective for s in (h, -h))
    assert (up - down) / (2 * h) == pytest.approx(g["L"], rel=1e-6)
    assert np.asarray(g).shape == (len(g),)


def test_designs_say_what_the_next_fit_will_know(found):
    design = found("design")
    inside = {p["id"] for p in design.json["parameters"] if p["of_interest"]}
    assert inside and all(0 < design.sd[name] < design.sd_before[name] for name in inside)
    np.testing.assert_array_equal(design.information, design.information.T)
    assert design.measures["trace_C"] > 0


def test_a_model_from_elsewhere_is_converted(tmp_path, tool):
    made = pf.convert(ARM[0], tmp_path / "ours.xml")
    run_tool(tool, "convert", ARM[0], tmp_path / "theirs.xml")
    assert (tmp_path / "ours.xml").read_text() == made.text == (tmp_path / "theirs.xml").read_text()
    assert pf.Model.from_xml(tmp_path / "ours.xml", coordinates="joint").check()
    with pytest.raises(pf.InputError, match="urdf"):
        pf.convert(ARM[0], tmp_path / "arm.txt")


def test_motion_files_are_imported_as_by_the_command(tmp_path, tool):
    run_tool(tool, "import", WALK, "--out", tmp_path / "tool", "--quiet")
    facts, files = pf.import_motion(WALK, out=tmp_path / "module")
    assert_same_folder(tmp_path / "module", tmp_path / "tool")
    assert facts["file_format"].startswith("C3D") and {"markers.csv", "analog.csv"} <= set(files)
    assert files["markers.csv"] == (tmp_path / "tool" / "markers.csv").read_text()


def test_functional_joints_are_those_of_the_command(tmp_path, tool):
    markers = {"proximal": ["L.ASIS", "r.ASIS", "L.PSIS", "r.PSIS"], "distal": ["r_thigh1", "r_thigh2", "r_thigh3", "r_thigh4"]}
    told = run_tool(tool, "joints", GAIT[1], "--proximal", *markers["proximal"], "--distal", *markers["distal"],
                    "--out", tmp_path / "joints.csv")
    found = pf.joints(GAIT[1], **markers)
    assert told.returncode == 0, told.stderr
    table = dict(line.split(",", 1) for line in (tmp_path / "joints.csv").read_text().splitlines())
    assert [float(x) for x in table["score [m]"].split(",")] == found["center"]
    assert [float(x) for x in table["axis"].split(",")] == found["axis"] and found["frames"] == 131


def test_verification_solves_every_problem():
    heard = []
    found = pf.verify(on_solved=lambda name, digits, passed: heard.append((name, passed)))
    assert found["status"] == "passed" and len(heard) == len(found["problems"]) > 10
    assert all(passed for _, passed in heard)


def test_the_viewer_serves_what_it_is_given(tool, monkeypatch):
    monkeypatch.setenv("PARFAIT_TOOL", tool)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    viewer = pf.view(pf.Model.from_xml(EXAMPLES / "pendulum" / "pendulum.xml"), port=port, open=False)
    try:
        for _ in range(200):
            try:
                with socket.create_connection(("127.0.0.1", port), timeout=1):
                    break
            except OSError:
                assert viewer.poll() is None
                time.sleep(0.05)
        else:
            pytest.fail("nobody listens")
    finally:
        viewer.terminate()
        assert viewer.wait(10) is not None


def test_human_models_are_those_of_the_command(tmp_path, tool):
    run_tool(tool, "human", "--sex", "female", "--height", "1.7", "--mass", "60", "--out", tmp_path / "human.xml")
    assert pf.human(sex="female", height=1.7, mass=60).text == pf.Model.from_xml(tmp_path / "human.xml").text


def test_ctrl_c_ends_a_calibration_and_leaves_what_was_found():
    def press(iteration):  # after the first of several iterations, however fast the machine is
        if iteration["number"] == 0:
            threading.Timer(0.01, lambda: os.kill(os.getpid(), signal.SIGINT)).start()

    with pytest.raises(KeyboardInterrupt) as stop:
        pf.calibrate(SUBJECT / "generic.osim", SUBJECT / "STS1.trc", static=SUBJECT / "static1.trc", on_iteration=press)
    partial = stop.value.partial
    assert partial.status == "interrupted" and not partial.finished
    assert len(partial.parameters["name"]) > 10 and np.isnan(partial.parameters["sd"]).all()
    assert "interrupted after" in partial.summary()


def test_exceptions_in_callbacks_arrive_unchanged():
    class Enough(Exception):
        pass

    def stop(*_):
        raise Enough

    with pytest.raises(Enough):
        pf.ik(*GAIT, progress=stop)
    with pytest.raises(Enough):
        pf.calibrate(SUBJECT / "generic.osim", SUBJECT / "static1.trc", frames=12, on_iteration=stop)
    with pytest.raises(Enough):
        pf.minimize(PENDULUM, on_iteration=stop)


def test_wrong_options_are_refused_by_name(tmp_path):
    with pytest.raises(pf.InputError, match="angles"):
        pf.ik(*GAIT, angles="grad")
    with pytest.raises(pf.InputError, match="no marker.*nobody|nobody"):
        pf.ik(*GAIT, weight={"nobody": 1})
    with pytest.raises(pf.InputError, match="none.trc"):
        pf.ik(GAIT[0], tmp_path / "none.trc")
    with pytest.raises(pf.InputError, match="criterion Q"):
        pf.design(EXAMPLES / "design_reactor" / "design.xml", criterion="Q")
