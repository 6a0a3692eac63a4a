"""Ctrl-C at any moment ends what runs, whatever it is, and carries what was found. bench/interrupts.py measures how fast."""

import os
import pathlib
import random
import signal
import threading
import time

import numpy as np
import pytest

import parfait as pf

ROOT = pathlib.Path(os.environ.get("PARFAIT_SOURCE", pathlib.Path(__file__).parents[2]))
EXAMPLES = ROOT / "examples"
SUBJECT = EXAMPLES / "subject_calibration"
WALK = (EXAMPLES / "gait_ik" / "subject.osim", EXAMPLES / "gait_ik" / "walking1.trc")
MARKERS = {"proximal": ["L.ASIS", "r.ASIS", "L.PSIS", "r.PSIS"], "distal": ["r_thigh1", "r_thigh2", "r_thigh3", "r_thigh4"]}
PENDULUM = EXAMPLES / "gradient" / "pendulum_problem.xml"


def rows(folder, name, line, count=200_000):
    file = folder / name
    file.write_text("t,x\n" + "".join(line % (1 + i) for i in range(count)))
    return file


@pytest.fixture(scope="module")
def long_problem(tmp_path_factory):
    """Half a second of reading."""
    folder = tmp_path_factory.mktemp("long")
    rows(folder, "long.csv", "%d,1\n")
    m = pf.OdeBuilder("decay")
    m.parameter("k", 0.5)
    m.state("x", 2, "-k*x")
    m.build().save(folder / "decay.xml")
    (folder / "long.xml").write_text(
        '<problem><estimate parameter="k" initial="1"/><experiment id="long" model="decay.xml" data="long.csv">'
        '<observe column="x" quantity="x" sigma="0.01"/></experiment></problem>')
    return folder / "long.xml"


# What is done, and within which time Ctrl-C is pressed: about as long as it takes, or long enough to be in the middle.
WORK = {
    "simulate": (0.15, lambda _: busy().simulate(until=20, max_steps=10**9)),
    "fit": (0.1, lambda _: pf.fit(EXAMPLES / "hexapod" / "problem.xml")),
    "profile": (0.3, lambda _: pf.fit(EXAMPLES / "hexapod" / "problem.xml", profile=["c1"])),
    "synthesize": (0.05, lambda _: pf.synthesize(EXAMPLES / "hexapod" / "problem.xml", seed=1)),
    "design": (0.15, lambda _: pf.design(EXAMPLES / "design_reactor" / "design.xml")),
    "gradient": (0.02, lambda _: pf.gradient(PENDULUM, check=True)),
    "minimize": (0.05, lambda _: pf.minimize(PENDULUM, contour=["L", "d"])),
    "modes": (0.02, lambda _: pf.modes(EXAMPLES / "sitting_human" / "sitting_human.xml")),
    "verify": (0.1, lambda _: pf.verify()),
    "ik": (0.1, lambda _: pf.ik(WALK[0], [WALK[1], WALK[1]])),
    "calibrate": (0.2, lambda _: pf.calibrate(SUBJECT / "generic.osim", SUBJECT / "static1.trc")),
    "gait": (0.1, lambda _: pf.gait([WALK[1]] * 3)),
    "scale": (0.05, lambda _: pf.scale(ROOT / "tests" / "motion_files" / "data" / "scale" / "setup.xml")),
    "id": (0.03, lambda _: pf.id(EXAMPLES / "urdf_arm" / "arm.urdf", EXAMPLES / "urdf_arm" / "motion.mot", filter=6)),
    "joints": (0.03, lambda _: pf.joints(WALK[1], **MARKERS)),
    "convert": (0.03, lambda _: pf.convert(WALK[0], "nowhere.xml", save=False)),
    "import": (0.03, lambda _: pf.import_motion(WALK[1])),
    "read": (0.1, pf.Problem.from_xml),
    "fit what is long": (0.1, pf.fit),
}
FOUND = {"simulate": pf.Simulation, "fit": pf.Fit, "profile": pf.Fit, "fit what is long": pf.Fit, "design": pf.Design,
         "gradient": pf.Gradient, "minimize": pf.Minimization, "modes": pf.Modes, "verify": dict, "ik": pf.Poses,
         "calibrate": pf.Calibration, "gait": pf.Gait, "scale": pf.Scaling, "id": pf.Moments}


def busy():
    m = pf.OdeBuilder("busy")
    m.state("x", 1, "1e4*y")
    m.state("y", 0, "-1e4*x")
    return m.build()


@pytest.mark.parametrize("name", WORK)
def test_ctrl_c_ends_it_at_any_moment(name, long_problem):
    takes, work = WORK[name]
    chance = random.Random(name)
    for _ in range(3):
        pressed = []

        def press():
            pressed.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(chance.uniform(0, takes), press)
        try:
            timer.start()
            work(long_problem)
            timer.cancel()
            timer.join()
            time.sleep(0.001)  # a signal that came in this moment
        except KeyboardInterrupt as stop:
            assert time.perf_counter() - pressed[0] < 5  # generous: a busy machine
            partial = getattr(stop, "partial", None)  # None: while files were read, or before or after the work
            assert partial is None or type(partial) is FOUND[name]
            if isinstance(partial, (pf.Simulation, pf.Fit, pf.Design, pf.Gait)):
                assert partial.summary() and partial.report().html  # it can be looked at
        timer.join()


def test_ctrl_c_during_reading_carries_nothing_and_leaves_no_trace(long_problem):
    def press():
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.02, press)
    with pytest.raises(KeyboardInterrupt) as stop:
        timer.start()
        while True:
            pf.fit(long_problem, max_iterations=0)
    assert getattr(stop.value, "partial", None) is None or stop.value.partial.status
    assert np.isfinite(pf.fit(EXAMPLES / "pendulum" / "problem.xml")["gravity"].value)
