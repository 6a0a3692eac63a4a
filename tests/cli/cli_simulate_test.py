#!/usr/bin/env python3
import json
import math
import unittest

from cli import DOUBLE_PENDULUM, SIX_BAR, CliTest


class Simulate(CliTest):
    def test_a_point_that_rests_or_axes_that_do_not_turn_cost_no_steps(self):
        """The origin of a bar on its hinge, the axes of a slider: what rounding leaves of their speed is no size of speeds."""
        body = '<body id="B" mass="2" center_of_mass="0.5 0 0" moment_of_inertia="2.5 2 2"/>'
        gravity = '<force key="Gravitation" id="G" g="-9.81"/>'
        for key, axis, more in (("Revolute", "0 1 0", ""), ("Prismatic", "0.6 0 0.8",
                                '<force key="Spring" id="S" constants="0.3 200"><begin id="Inertial" o="1 0 1"/><end id="B"/></force>')):
            ends = f'<begin id="Inertial" z="{axis}"/><end id="B" z="{axis}"/>'
            model = self.write("m.xml", f'<model>{body}<joint key="{key}" id="J">{ends}</joint>{gravity}{more}</model>')
            self.run_cli("simulate", model, "--until", "3", "--out", "r")
            self.assertLess(self.result("r")["steps"], 200, key)

    def test_writes_the_default_quantities_on_the_grid(self):
        done = self.run_cli("simulate", DOUBLE_PENDULUM, "--until", "1", "--step", "0.1")
        self.assertIn("run/double_pendulum", done.stdout)
        rows = self.trajectory("run/double_pendulum")
        self.assertEqual(list(rows[0]), ["t", "Upper.com.x", "Upper.com.y", "Upper.com.z", "Lower.com.x", "Lower.com.y",
                                         "Lower.com.z", "energy.kinetic", "energy.potential", "energy.total"])
        self.assertEqual([round(row["t"], 12) for row in rows], [round(0.1 * i, 12) for i in range(11)])
        result = self.result("run/double_pendulum")
        self.assertEqual(result["status"], "finished")
        self.assertFalse(result["partial"])
        self.assertLess(result["drift"]["energy"], 1e-6)
        self.assertLess(result["drift"]["constraints"], 1e-10)
        self.assertEqual(set(json.loads((self.folder / "run/double_pendulum/timing.json").read_text())),
                         {"format", "total", "read", "start", "integrate", "write"})

    def test_end_time_is_a_row_even_off_the_grid(self):
        self.run_cli("simulate", DOUBLE_PENDULUM, "--until", "0.25", "--step", "0.1", "--out", "r")
        self.assertEqual([row["t"] for row in self.trajectory("r")], [0, 0.1, 0.2, 0.25])

    def test_six_bar_follows_the_published_motion(self):
        # IFToMM benchmark A04: point P3, the tip of the third rod, after 1 s and 10 s.
        self.run_cli("simulate", SIX_BAR, "--until", "10", "--step", "1",
                     "--observe", "Rod3.tip.x,Rod3.tip.y,Rod3.tip.z", "--out", "r")
        rows = self.trajectory("r")
        expected = {1: (5.105014611872e-01, -1.649167599395e+00, 1.401231145532e-01),
                    10: (9.999999638063e-01, -1.000269012696e+00, 9.997309511199e-01)}
        for t, point in expected.items():
            for axis, value in zip("xyz", point):
                self.assertAlmostEqual(rows[t][f"Rod3.tip.{axis}"], value, delta=1e-5)

    def test_damper_slows_a_body_as_in_closed_form(self):
        # m = 1, d = 2, away from and towards the anchor: x = 1 +- (1 - exp(-2 t)) / 2.
        for speed in (1, -1):
            model = self.write("d.xml", f"""<model>
              <body id="A" mass="1" moment_of_inertia="1 1 1">
                <position o="1 0 0"/> <velocity v="{speed} 0 0"/>
              </body>
              <force key="Damper" id="D" damping="2"> <begin id="Inertial"/> <end id="A"/> </force>
            </model>""")
            self.run_cli("simulate", model, "--until", "1", "--out", "r")
            self.assertAlmostEqual(self.trajectory("r")[-1]["A.com.x"], 1 + speed * (1 - math.exp(-2)) / 2, delta=1e-8)

    def test_what_falls_falls_down(self):
        model = self.write("f.xml", """<model> <body id="A" mass="3" moment_of_inertia="1 1 1"/>
          <force key="Gravitation" id="g" constants="-9.81"/> </model>""")
        self.run_cli("simulate", model, "--until", "2", "--out", "r")
        self.assertAlmostEqual(self.trajectory("r")[-1]["A.com.z"], -9.81 * 2, delta=1e-8)

    def test_universal_joint_holds_a_body_that_a_cylindrical_one_lets_slide(self):
        # Both have four rows; only one of them leaves a translation along z.
        for key, z in (("Universal", 0), ("Cylindrical", -9.81 / 2)):
            model = self.write("j.xml", f"""<model> <body id="A" mass="3" moment_of_inertia="1 1 1"/>
              <joint key="{key}" id="J"> <begin id="Inertial" x="1 0 0"/> <end id="A" y="0 1 0"/> </joint>
              <force key="Gravitation" id="g" constants="-9.81"/> </model>""")
            self.run_cli("simulate", model, "--until", "1", "--out", "r")
            self.assertAlmostEqual(self.trajectory("r")[-1]["A.com.z"], z, delta=1e-8)

    def test_observed_quantities_may_be_formulas_with_commas(self):
        self.run_cli("simulate", DOUBLE_PENDULUM, "--until", "1", "--step", "0.5", "--out", "r",
                     "--observe", "Upper.com.x, max(Upper.com.x,Upper.com.z)")
        rows = self.trajectory("r")
        self.assertEqual(list(rows[0]), ["t", "Upper.com.x", "max(Upper.com.x,Upper.com.z)"])
        for row in rows:
            self.assertGreaterEqual(row["max(Upper.com.x,Upper.com.z)"], row["Upper.com.x"])

    def test_angles_go_on_beyond_half_a_turn(self):
        model = self.write("wheel.xml", """<model>
          <body id="Wheel" mass="1" moment_of_inertia="1 1 1"> <velocity v="0 0 0" omega="0 0 5"/> </body>
          <joint key="Revolute" id="Axle"> <begin id="Inertial"/> <end id="Wheel"/> </joint>
        </model>""")
        self.run_cli("simulate", model, "--until", "10", "--step", "0.1", "--observe", "Axle.angle", "--out", "r")
        self.assertAlmostEqual(abs(self.trajectory("r")[-1]["Axle.angle"]), 50, delta=1e-5)  # measured 2e-6

    def test_turns_are_counted_between_the_rows_and_formulas_of_angles_are_left_alone(self):
        model = self.write("wheel.xml", """<model>
          <body id="Wheel" mass="1" moment_of_inertia="1 1 1"> <velocity v="0 0 0" omega="0 0 5"/> </body>
          <joint key="Revolute" id="Axle"> <begin id="Inertial"/> <end id="Wheel"/> </joint>
        </model>""")
        quantities = "Axle.angle,2*Axle.angle,0 + Axle.angle"
        self.run_cli("simulate", model, "--until", "10", "--step", "5", "--observe", quantities, "--out", "r")
        for row in self.trajectory("r"):
            turned = 5 * row["t"]
            self.assertAlmostEqual(row["Axle.angle"], turned, delta=1e-5)
            principal = math.remainder(turned, 2 * math.pi)
            self.assertAlmostEqual(row["0 + Axle.angle"], principal, delta=1e-5)
            self.assertAlmostEqual(row["2*Axle.angle"], 2 * principal, delta=1e-5)

    def test_inputs_can_be_observed(self):
        self.write("push.csv", "t,push\n0,1\n1,3\n")
        model = self.write("pushed.xml", """<model> <simulation until="1"/>
          <body id="Block" mass="2" moment_of_inertia="1 1 1"/>
          <force key="Z_Actuator" id="Push" force="push"> <begin body="Block"/> <end body="Inertial"/> </force>
          <input id="push" file="push.csv" interpolation="linear"/>
        </model>""")
        self.run_cli("simulate", model, "--step", "0.25", "--observe", "push,push/2 + Block.com.az", "--out", "r")
        for row in self.trajectory("r"):
            self.assertAlmostEqual(row["push"], 1 + 2 * row["t"], delta=1e-12)
            self.assertAlmostEqual(row["push/2 + Block.com.az"], 0, delta=1e-12)  # F pulls s down

    FOUR_BAR = """<model id="bars"><simulation until="0.5"/>
      <body id="A" mass="1" center_of_mass="0.5 0 0" moment_of_inertia="0.1 0.12 0.14">
        <position o="0 0 0" {turned}/></body>
      <body id="C" mass="1" center_of_mass="1 0 0" moment_of_inertia="0.1 0.12 0.14">
        <position o="{corner}"/></body>
      <body id="B" mass="1" center_of_mass="0.5 0 0" moment_of_inertia="0.1 0.12 0.14">
        <position o="2 0 0" {turned}/></body>
      <body id="Pendulum" mass="1" center_of_mass="0.5 0 0" moment_of_inertia="0.1 0.12 0.14"/>
      <joint key="Revolute" id="J1"><begin body="Inertial" z="0 1 0"/><end body="A" z="0 1 0"/></joint>
      <joint key="Revolute" id="J2"><begin body="A" o="1 0 0" z="0 1 0"/><end body="C" z="0 1 0"/></joint>
      <joint key="Revolute" id="J3"><begin body="C" o="2 0 0" z="0 1 0"/><end body="B" o="1 0 0" z="0 1 0"/></joint>
      <joint key="Revolute" id="J4"><begin body="Inertial" o="2 0 0" z="0 1 0"/><end body="B" z="0 1 0"/></joint>
      <joint key="Revolute" id="Alone"><begin body="Inertial" z="0 1 0"/><end body="Pendulum" z="0 1 0"/></joint>
      <force key="Gravitation" id="G" g="-9.81"/>
    </model>"""

    def test_redundant_rows_and_reactions_that_are_not_unique_are_named(self):
        model = self.write("bars.xml", self.FOUR_BAR.format(turned='x="0.6 0 0.8" y="0 1 0" z="-0.8 0 0.6"',
                                                            corner="0.6 0 0.8"))
        done = self.run_cli("simulate", model, "--observe", "J2.reaction.x,Alone.reaction.x", "--out", "r")
        self.assertIn("3 redundant rows left out: J4.B0_y, J4.DDX(x,z), J4.DDX(y,z)", done.stdout)
        result = self.result("r")
        self.assertEqual(len(result["warnings"]), 1)
        self.assertIn("reactions of J2 are not unique", result["warnings"][0])
        self.assertEqual(result["partition"]["choices"][0]["left_out"], ["J4.B0_y", "J4.DDX(x,z)", "J4.DDX(y,z)"])
        self.assertLess(result["partition"]["largest_residual"], 1e-9)
        self.run_cli("simulate", model, "--out", "r")
        self.assertEqual(self.result("r")["warnings"], [])

    def test_a_singular_start_is_announced(self):
        model = self.write("flat.xml", self.FOUR_BAR.format(turned="", corner="1 0 0"))
        done = self.run_cli("check", model)
        self.assertIn("the initial position is singular: J4.B0_x follows", done.stdout)

    def test_a_row_that_was_left_out_but_is_not_redundant_is_told(self):
        # Flat, J4 in place: A turns with 1, C with -1/2, B not; x of J4 would leave with -3/2.
        flat = self.FOUR_BAR.format(turned="", corner="1 0 0")
        flat = flat.replace('o="0 0 0" />', 'o="0 0 0"/> <velocity omega="0 1 0"/>')
        flat = flat.replace('o="1 0 0"/>', 'o="1 0 0"/> <velocity v="0 0 -1" omega="0 -0.5 0"/>')
        self.run_cli("simulate", self.write("flat.xml", flat), "--out", "r", code=1)
        result = self.result("r")
        self.assertIn("J4.B0_x was left out as redundant but is not, its acceleration is off by 1.5",
                      " ".join(result["warnings"]))
        self.assertEqual(result["partition"]["largest_residual_row"], "J4.B0_x")

    def test_a_start_that_does_not_fit_and_an_offset_that_jumps_are_told(self):
        model = self.write("driven.xml", """<model> <simulation until="1"/>
          <body id="Slide" mass="1" moment_of_inertia="1 1 1"> <position o="0.5 0 0"/> </body>
          <constraint key="B0_x" id="Drive" offset="abs(t - 0.5) - 0.5">
            <begin body="Slide"/> <end body="Inertial"/> </constraint>
        </model>""")
        done = self.run_cli("simulate", model, "--out", "r")
        self.assertIn("assembly moved it by 0.5 m, 1 m/s", done.stdout)
        self.assertIn("constraints were kept only by moving the state at once, by 2 in", done.stdout)
        self.assertEqual(self.result("r")["assembly"], {"moved": 0.5, "velocity_change": 1.0})

    def test_set_changes_a_parameter(self):
        # A point mass on a massless arm would not care; two bodies do.
        self.run_cli("simulate", DOUBLE_PENDULUM, "--until", "1", "--out", "light", "--set", "mass_of_lower=0.5")
        self.run_cli("simulate", DOUBLE_PENDULUM, "--until", "1", "--out", "given")
        self.assertEqual(self.result("light")["parameters"]["mass_of_lower"], 0.5)
        light, given = self.trajectory("light")[-1], self.trajectory("given")[-1]
        self.assertGreater(math.hypot(light["Lower.com.x"] - given["Lower.com.x"],
                                      light["Lower.com.z"] - given["Lower.com.z"]), 1e-3)

    def test_same_input_gives_the_same_bytes(self):
        for out in ("a", "b"):
            self.run_cli("simulate", SIX_BAR, "--until", "0.5", "--out", out)
        for name in ("trajectory.csv", "result.json"):
            self.assertEqual((self.folder / "a" / name).read_bytes(), (self.folder / "b" / name).read_bytes())

    def test_json_prints_the_result_and_quiet_nothing(self):
        printed = json.loads(self.run_cli("simulate", DOUBLE_PENDULUM, "--until", "0.1", "--json", "--out", "r").stdout)
        self.assertEqual(printed, self.result("r"))
        self.assertEqual(self.run_cli("simulate", DOUBLE_PENDULUM, "--until", "0.1", "--quiet").stdout, "")

    def test_bad_values_are_named(self):
        for arguments, words in [
            (("--set", "mass_of_lowr=1"), 'Did you mean "mass_of_lower"?'),
            (("--set", "mass_of_lower"), "id=value"),
            (("--set", "mass_of_lower=much"), "not a number"),
            (("--set", "mass_of_lower=1000"), "between 0.1 and 20"),
            (("--rtol", "-1"), "rtol = -1"),
            (("--until", "0"), "until = 0"),
            (("--step", "-2"), "step = -2"),
            (("--step", "1e-12"), "rows"),
            (("--observe", "Uper.com.x"), "Upper"),
            (("--observe", "Upper.com.x,"), "missing"),
        ]:
            self.assertIn(words, self.error_of("simulate", DOUBLE_PENDULUM, "--out", "r", *arguments))

    def test_replaces_only_folders_of_its_own(self):
        short = ("simulate", DOUBLE_PENDULUM, "--until", "0.1", "--out", "r")
        self.run_cli(*short)
        (self.folder / "r" / "note.txt").write_text("left by a person")
        self.assertIn('"note.txt"', self.error_of(*short))
        (self.folder / "r" / "note.txt").unlink()
        self.run_cli(*short)  # ours: replaced as a whole
        self.assertEqual(sorted(path.name for path in (self.folder / "r").iterdir()),
                         ["motion.npy", "report.html", "result.json", "scene.json", "steps.csv", "timing.json",
                          "trajectory.csv"])

        (self.folder / "thesis").mkdir()
        (self.folder / "thesis" / "result.json").write_text('{"program": "another"}')
        self.assertIn("not replaced", self.error_of(*short[:-1], "thesis"))
        (self.folder / "empty").mkdir()
        self.run_cli(*short[:-1], "empty")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["empty", "r", "thesis"])

    def test_every_integrator_finds_the_same_motion(self):
        ends = {}
        for method in ("dop853", "dopri5", "abm", "bdf", "hht"):
            self.run_cli("simulate", DOUBLE_PENDULUM, "--until", "0.5", "--step", "0.5", "--integrator", method,
                         "--rtol", "1e-7", "--atol", "1e-7", "--out", "r")
            ends[method] = self.trajectory("r")[-1]["Lower.com.z"]
            self.assertEqual(self.result("r")["options"]["integrator"], method)
        for method, z in ends.items():
            self.assertAlmostEqual(z, ends["dop853"], delta=1e-4, msg=method)

    def test_orders_of_a_multistep_method_add_up(self):
        self.run_cli("simulate", DOUBLE_PENDULUM, "--until", "1", "--integrator", "abm", "--out", "r")
        result = self.result("r")
        self.assertEqual(sum(result["steps_of_order"].values()), result["steps"])
        self.assertGreater(max(map(int, result["steps_of_order"])), 5)
        self.run_cli("simulate", DOUBLE_PENDULUM, "--until", "1", "--integrator", "abm", "--max-order", "3", "--out", "r")
        self.assertEqual(max(map(int, self.result("r")["steps_of_order"])), 3)

    def test_steps_obey_their_limits(self):
        self.run_cli("simulate", DOUBLE_PENDULUM, "--until", "1", "--max-step", "0.01", "--first-step", "0.001",
                     "--every-step", "--out", "r")
        times = [row["t"] for row in self.trajectory("r")]
        self.assertAlmostEqual(times[1], 0.001, delta=1e-15)
        self.assertLessEqual(max(b - a for a, b in zip(times, times[1:])), 0.01 + 1e-15)

    def test_tolerance_of_a_group_counts_instead_of_the_common_one(self):
        steps = []
        for options in ((), ("--tolerance", "velocities=1e-11,1e-13"), ("--tolerance", "positions=1e-11,1e-13")):
            self.run_cli("simulate", DOUBLE_PENDULUM, "--until", "1", "--out", "r", *options)
            steps.append(self.result("r")["steps"])
        self.assertLess(steps[0], steps[1])
        self.assertLess(steps[0], steps[2])
        self.assertEqual(self.result("r")["options"]["tolerance"]["positions"], {"rtol": 1e-11, "atol": 1e-13})

    def test_projections_differ_but_all_keep_the_constraints(self):
        ends = set()
        for norm in ("mass", "euclidean", "partition"):
            self.run_cli("simulate", DOUBLE_PENDULUM, "--until", "1", "--step", "1", "--rtol", "1e-4", "--atol", "1e-4",
                         "--projection", norm, "--projection-tolerance", "1e-10", "--out", "r")
            self.assertLess(self.result("r")["drift"]["constraints"], 1e-10)
            ends.add(self.trajectory("r")[-1]["Lower.com.z"])
        self.assertEqual(len(ends), 3)

    def test_the_model_file_may_choose_the_integrator(self):
        text = DOUBLE_PENDULUM.read_text()
        self.assertIn("<simulation ", text)
        model = self.write("m.xml", text.replace("<simulation ", '<simulation integrator="abm" '))
        for options, method in (((), "abm"), (("--integrator", "dopri5"), "dopri5")):
            self.run_cli("simulate", model, "--until", "0.5", "--out", "r", *options)
            self.assertEqual(self.result("r")["options"]["integrator"], method)

    def test_set_of_a_length_assembles_the_start_anew(self):
        model = self.write("m.xml", """<model>
          <body id="A" mass="1" center_of_mass="0.25 0 0" moment_of_inertia="0.1 0.1 0.1"> <position o="0.5 0 -0.1"/> </body>
          <joint key="FixedDistance" id="Rod" distance="0.6"> <begin id="Inertial"/> <end id="A"/> </joint>
          <force key="Gravitation" id="g" constants="-9.81"/>
          <parameter id="L" drives="Rod.distance"/> </model>""")
        length = "sqrt(A.origin.x^2+A.origin.y^2+A.origin.z^2)"
        for L in (0.6, 0.9, 0.4):
            self.run_cli("simulate", model, "--set", f"L={L}", "--until", "1", "--step", "0.5", "--observe", length, "--out", "r")
            rows = self.trajectory("r")
            for row in rows:
                self.assertAlmostEqual(row[length], L, delta=1e-11)

    def test_settled_pendulum_hangs_still(self):
        model = self.write("p.xml", """<model>
          <body id="A" mass="1" center_of_mass="0.5 0 0" moment_of_inertia="0.1 0.2 0.2"/>
          <joint key="Revolute" id="J"> <begin id="Inertial" z="0 1 0"/> <end id="A" z="0 1 0"/> </joint>
          <force key="Gravitation" id="g" constants="-9.81"/> </model>""")
        done = self.run_cli("simulate", model, "--settle", "--until", "2", "--out", "r")
        for row in self.trajectory("r"):
            self.assertAlmostEqual(row["A.com.z"], -0.5, delta=1e-9)
            self.assertAlmostEqual(row["energy.kinetic"], 0, delta=1e-12)
        self.assertIn("equilibrium found", done.stdout)
        self.assertEqual(self.result("r")["equilibrium"]["outcome"], "found")

    def test_formula_models_have_states_where_mechanics_has_bodies(self):
        model = self.write("o.xml", """<ode> <simulation until="1" step="0.5" output="x,x^2+v^2"/>
          <state id="x" initial="1"/> <state id="v" initial="0"/>
          <derivative of="x"> v </derivative> <derivative of="v"> -x </derivative> </ode>""")
        done = self.run_cli("simulate", model, "--out", "r")
        self.assertIn("ODE, 2 states", done.stdout)
        self.assertNotIn("energy", done.stdout)
        rows = self.trajectory("r")
        self.assertEqual(list(rows[0]), ["t", "x", "x^2+v^2"])
        self.assertAlmostEqual(rows[-1]["x"], math.cos(1), delta=1e-8)
        self.assertNotIn("drift", self.result("r"))


if __name__ == "__main__":
    unittest.main()
