#!/usr/bin/env python3
"""Cases that went wrong in version 0.1.0: tests/cases/went_wrong, and others of their kind."""
import ctypes.util
import glob
import math
import shutil
import time
import unittest

from cli import SOURCE, CliTest

CASES = SOURCE / "tests/cases/went_wrong"


class WentWrong(CliTest):
    def take(self, case):
        for file in (CASES / case).iterdir():
            shutil.copy(file, self.folder)

    def test_angles_beyond_half_a_turn_are_continued_in_fits(self):
        self.take("angle_beyond_pi")
        self.run_cli("fit", "p.xml", "--out", "r")
        result = self.result("r")
        self.assertAlmostEqual(result["parameters"][0]["value"], 1, delta=1e-4)
        self.assertLess(result["objective"], 30)
        # What the report draws goes on beyond half a turn, too.
        with open(self.folder / "r/trajectory.csv") as file:
            last = file.read().split()[-1].split(",")
        self.assertAlmostEqual(float(last[1]), 11.25, delta=0.01)

    def test_angles_are_continued_over_shooting_intervals_and_whole_turns_of_the_data(self):
        self.take("angle_beyond_pi")
        problem = (self.folder / "p.xml").read_text()
        rows = [line.split(",") for line in (self.folder / "da.csv").read_text().split()[1:]]
        for turns, grid in ((0, '<grid intervals="6"/>'), (2, '<grid intervals="6"/>'), (-1, "")):
            self.write("da.csv", "t,a\n" + "".join(f"{t},{float(a) + 2 * math.pi * turns}\n" for t, a in rows))
            self.write("p.xml", problem.replace("</experiment>", grid + "</experiment>"))
            self.run_cli("fit", "p.xml", "--out", "r")
            self.assertAlmostEqual(self.result("r")["parameters"][0]["value"], 1, delta=1e-4)

    def test_data_modulo_a_turn_say_so(self):
        self.take("angle_beyond_pi")
        problem = (self.folder / "p.xml").read_text()
        rows = [line.split(",") for line in (self.folder / "da.csv").read_text().split()[1:]]
        self.write("da.csv", "t,a\n" + "".join(f"{t},{float(a) % (2 * math.pi)}\n" for t, a in rows))
        for periodic in ("360 deg", "6.283185307179586", "6.283185307179586 rad"):
            self.write("p.xml", problem.replace('sigma="0.01"', f'sigma="0.01" periodic="{periodic}"'))
            self.run_cli("fit", "p.xml", "--out", "r")
            self.assertAlmostEqual(self.result("r")["parameters"][0]["value"], 1, delta=1e-4)
            self.assertLess(self.result("r")["objective"], 30)
        for periodic in ("0", "-1", "1 m", "turn"):
            self.write("p.xml", problem.replace('sigma="0.01"', f'sigma="0.01" periodic="{periodic}"'))
            self.assertRegex(self.error_of("fit", "p.xml"), r'p\.xml:1:\d+: .*periodic="' + periodic)

    def test_projection_of_a_fast_vehicle_and_of_a_crane_in_millimetres(self):
        self.take("projection_tolerance")
        self.run_cli("simulate", "vehicle_30mps.xml", "--out", "r")
        result = self.result("r")
        self.assertEqual(result["status"], "finished")
        self.assertEqual(result["t"], 1000)
        self.run_cli("simulate", "crane_mm.xml", "--out", "r")
        self.assertEqual(self.result("r")["status"], "finished")
        self.assertLess(self.result("r")["drift"]["energy_relative"], 1e-6)
        # A fit of it gets to the end of its trajectory.
        self.run_cli("fit", "p.xml", "--max-iterations", "0", "--out", "r", code=1)
        self.assertEqual(self.result("r")["status"], "max_iterations")

    def test_names_in_latin_1_cost_no_result(self):
        self.take("latin1_column")
        self.run_cli("fit", "lp.xml", "--out", "r")
        self.assertEqual(self.result("r")["status"], "converged")
        self.run_cli("report", "r")

    def test_many_events_in_one_step(self):
        self.take("missed_events")
        self.run_cli("simulate", "m.xml", "--out", "r")
        result = self.result("r")
        rising = [e["t"] for e in result["events"] if e["jumped"]]
        self.assertEqual(len(rising), 31)  # sin(20 t) rises at t = k pi / 10, k = 1 ... 31
        for k, t in enumerate(rising, 1):
            self.assertAlmostEqual(t, k * math.pi / 10, delta=1e-9)
        self.assertEqual(self.trajectory("r")[-1]["n"], 31)

    def test_a_switching_function_that_is_too_fast_is_named(self):
        self.write("m.xml", (CASES / "missed_events/m.xml").read_text().replace("20*x", "1e7*x"))
        done = self.run_cli("simulate", "m.xml", "--until", "1", "--out", "r", code=None)
        self.assertTrue(any('"E" oscillates faster' in w and "--max-step" in w for w in self.result("r")["warnings"]), done.stdout)

    def test_an_event_at_the_start_happens_once(self):
        model = """<ode> <state id="x" initial="1"/> <parameter id="k" initial="1"/> <derivative of="x"> -k*x </derivative>
          <event id="dose" at="0"> <set state="x"> x + 1 </set> </event> </ode>"""
        self.write("m.xml", model)
        self.run_cli("simulate", "m.xml", "--until", "1", "--step", "0.5", "--out", "r")
        self.assertEqual([e["t"] for e in self.result("r")["events"]], [0])
        self.assertAlmostEqual(self.trajectory("r")[-1]["x"], 2 * math.exp(-1), delta=1e-8)
        # In a fit with several intervals it happens in the first alone; so does one at a node.
        self.write("m.xml", model.replace("</ode>", '<event id="more" at="1"> <set state="x"> x + 1 </set> </event> </ode>'))
        rows = [(t, 2 * math.exp(-t) if t < 1 else 2 * math.exp(-t) + math.exp(1 - t)) for t in (0.25, 0.5, 1.25, 1.5, 2)]
        self.write("d.csv", "t,x\n" + "".join(f"{t},{x}\n" for t, x in rows))
        self.write("p.xml", """<problem> <estimate parameter="k" initial="1.2"/> <experiment id="e" model="m.xml" data="d.csv">
          <observe column="x" quantity="x" sigma="0.01"/> <grid intervals="2"/> </experiment> </problem>""")
        self.run_cli("fit", "p.xml", "--out", "r")
        self.assertAlmostEqual(self.result("r")["parameters"][0]["value"], 1, delta=1e-6)

    def test_a_model_on_one_line_is_read_as_fast_as_with_line_breaks(self):
        body = ('<body id="B{}" mass="1" center_of_mass="0.05 0 0" moment_of_inertia="0.001 0.001 0.001"><position o="{} 0 0"/></body>')
        joint = ('<joint key="Revolute" id="J{0}"><begin id="{1}" o="{2} 0 0" z="0 1 0"/><end id="B{0}" z="0 1 0"/></joint>')
        parts = []
        for i in range(1000):
            parts += [body.format(i, 0.1 * i), joint.format(i, f"B{i - 1}" if i else "Inertial", 0.1 if i else 0)]
        seconds = {}
        for name, separator in (("lines", "\n"), ("line", " ")):
            self.write(f"{name}.xml", f'<model id="c">{separator}{separator.join(parts)}</model>')
            best = math.inf
            for _ in range(2):
                begin = time.monotonic()
                self.run_cli("check", f"{name}.xml")
                best = min(best, time.monotonic() - begin)
            seconds[name] = best
        self.assertLess(seconds["line"], 3 * seconds["lines"] + 1, seconds)


class Texts(CliTest):
    def test_a_nul_byte_is_told(self):
        model = '<ode> <state id="x" initial="1"/> <derivative of="x"> -x </derivative> </ode>'
        (self.folder / "m.xml").write_bytes(model.encode()[:20] + b"\0" + model.encode()[20:])
        self.assertRegex(self.error_of("simulate", "m.xml"), r"m\.xml:1:21: .*NUL")
        (self.folder / "m.xml").write_bytes(model.encode("utf-16"))
        self.assertRegex(self.error_of("simulate", "m.xml"), r"m\.xml:1:\d+: .*UTF-16")
        self.write("m.xml", model.replace("</ode>", '<input id="u" file="u.csv"/></ode>').replace("-x", "-x+u"))
        (self.folder / "u.csv").write_bytes(b"t,u\n0,1\n1,\0001\n")
        self.assertRegex(self.error_of("simulate", "m.xml"), r"u\.csv:3:3: .*NUL")

    def test_a_column_is_written_once(self):
        self.write("m.xml", '<ode> <state id="x" initial="1"/> <derivative of="x"> -x </derivative> </ode>')
        self.assertIn("--observe x: is given twice", self.error_of("simulate", "m.xml", "--observe", "x,x"))
        self.assertIn("--observe t", self.error_of("simulate", "m.xml", "--observe", "t"))

    def test_a_library_that_is_no_plug_in_is_refused(self):
        libraries = glob.glob("/lib/x86_64-linux-gnu/libm.so.6") or glob.glob("/usr/lib*/libm.so.6")
        if not libraries:
            self.skipTest("where is libm?")
        self.assertIn("not a plug-in of parfait", self.error_of("elements", "--plugin", libraries[0]))
        self.write("not.so", "text")
        self.assertIn("cannot be loaded", self.error_of("elements", "--plugin", "not.so"))

    def test_results_that_nobody_wrote_are_refused(self):
        (self.folder / "r").mkdir()
        for text in ("", "[[[[", "[" * 100_000, '{"program": "parfait", "command": "fit"}', '{"program": "parfait", "command": 3}',
                     '{"program": "parfait", "command": "fit", "format": 1e300}', '{"program": "parfait", "command": "simulate", "rows": -1}'):
            (self.folder / "r" / "result.json").write_text(text)
            self.assertNotEqual(self.error_of("report", "r"), "")


class Requests(CliTest):
    def test_absurd_numbers_of_intervals_are_refused_before_anything_is_allocated(self):
        for name in ("m.xml", "d.csv"):
            shutil.copy(CASES / "start_explodes" / name, self.folder)
        problem = (CASES / "start_explodes/p.xml").read_text()
        for count in ("1000000000", "100001"):
            self.write("p.xml", problem.replace('intervals="4"', f'intervals="{count}"'))
            self.assertIn(f"intervals = {count}: at most", self.error_of("fit", "p.xml"))
        self.write("p.xml", problem.replace('intervals="4"', 'intervals="99999999999"'))
        self.assertIn("is not a whole number", self.error_of("fit", "p.xml"))

    def test_everything_settable_for_a_simulation_is_settable_in_a_problem(self):
        for name in ("m.xml", "d.csv"):
            shutil.copy(CASES / "latin1_column" / name if name == "m.xml" else CASES / "start_explodes" / name, self.folder)
        options = 'integrator="abm" rtol="1e-9" atol="1e-12" first_step="1e-4" max_step="0.5" max_steps="5000" max_order="5" projection_tolerance="1e-11"'
        self.write("p.xml", (CASES / "start_explodes/p.xml").read_text().replace("</problem>", f"<options {options}/></problem>"))
        self.run_cli("fit", "p.xml", "--out", "r", code=None)
        self.write("p.xml", (CASES / "start_explodes/p.xml").read_text().replace("</problem>", '<options max_order="40"/></problem>'))
        self.assertIn("max_order", self.error_of("fit", "p.xml"))


if __name__ == "__main__":
    unittest.main()
