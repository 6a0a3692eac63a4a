#!/usr/bin/env python3
"""parfait id: moments at the joints from motion and loads."""
import csv
import math
import unittest

from cli import SOURCE, CliTest

DATA = SOURCE / "tests/motion_files/data"


def storage(path):
    lines = path.read_text().splitlines()
    begin = next(i for i, line in enumerate(lines) if line.strip() == "endheader")
    names = lines[begin + 1].split()
    return names, [[float(word) for word in line.split()] for line in lines[begin + 2:] if line.strip()]


class InverseDynamics(CliTest):
    def test_moments_of_an_arm_are_those_of_opensim(self):
        text = self.run_cli("id", DATA / "arm26.osim", DATA / "arm26_InverseKinematics.mot", "--filter", 6, "--from", 0,
                            "--until", 1, "--out", "r").stdout
        self.assertIn("r_elbow_flex", text)
        names, expected = storage(DATA / "std_arm26_InverseDynamics.sto")
        ours, found = storage(self.folder / "r/moments.sto")
        self.assertEqual(names, ours)
        for column in (1, 2):
            errors = []
            for row in expected:  # their times are off by less than a microsecond
                nearest = min(found, key=lambda other: abs(other[0] - row[0]))
                self.assertLess(abs(nearest[0] - row[0]), 1e-5)
                errors.append(nearest[column] - row[column])
            self.assertLess(math.sqrt(sum(e * e for e in errors) / len(errors)), 1e-3)  # OpenSim's own tolerance: 1e-2
        result = self.result("r")
        self.assertEqual((result["command"], result["status"], result["rows"]), ("id", "done", 121))
        self.assertEqual(result["files"], ["moments.csv", "powers.csv", "motion.csv", "moments_per_kg.csv", "moments.sto"])
        page = (self.folder / "r/report.html").read_text()
        for c in result["coordinates"]:  # its extremes, in full, and both curves
            self.assertIn(f'<data value="{c["largest"]!r}">', page)
            self.assertIn(f'<data value="{c["least_power"]!r}">', page)
            for plot in ("moment", "power"):
                self.assertEqual(page.count(f'<figure data-plot="{plot}" data-key="{c["name"]}"'), 1)
        with open(self.folder / "r/moments_per_kg.csv", newline="") as file:
            row = list(csv.DictReader(file))[60]
        self.assertAlmostEqual(float(row["r_elbow_flex"]) * result["mass"], found[60][2], places=9)

    def write_pushes(self, until=6.0):
        """A body on three rails that is pushed upwards now and then."""
        self.write("body.osim", """<OpenSimDocument Version="40000"><Model name="m"><BodySet><objects><Body name="b"><mass>2</mass>
          <inertia>1 1 1 0 0 0</inertia></Body></objects></BodySet><JointSet><objects><SliderJoint name="rail">
          <socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/b</socket_child_frame>
          <coordinates><Coordinate name="x"/></coordinates></SliderJoint></objects></JointSet></Model></OpenSimDocument>""")
        times = [0.01 * i for i in range(601)]
        self.write("q.mot", "q\nversion=1\nnRows=601\nnColumns=2\ninDegrees=no\nendheader\ntime x\n" +
                   "".join(f"{t} {0.5 * t * t}\n" for t in times))
        self.write("f.mot", "f\nversion=1\nnRows=601\nnColumns=4\nendheader\ntime fvx fvy fvz\n" +
                   "".join(f"{t} {50 if t % 2 > 0.995 else 0} 0 0\n" for t in times if t <= until))
        self.write("loads.xml", """<OpenSimDocument Version="40000"><ExternalLoads><objects><ExternalForce name="Push">
          <applied_to_body>b</applied_to_body><force_identifier>fv</force_identifier></ExternalForce></objects>
          <datafile>f.mot</datafile></ExternalLoads></OpenSimDocument>""")

    def test_loads_are_taken_off_and_make_cycles(self):
        self.write_pushes()
        self.run_cli("id", "body.osim", "q.mot", "--loads", "loads.xml", "--out", "r")
        result = self.result("r")
        self.assertEqual([(c["body"], round(c["start"], 2), round(c["end"], 2)) for c in result["cycles"]],
                         [("b", 1, 3), ("b", 3, 5)])
        with open(self.folder / "r/moments.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertAlmostEqual(float(rows[50]["x"]), 2, places=9)  # m a
        self.assertAlmostEqual(float(rows[150]["x"]), 2 - 50, places=9)
        with open(self.folder / "r/cycles_per_kg.csv", newline="") as file:
            cycles = list(csv.DictReader(file))
        self.assertEqual(len(cycles), 2 * 101)
        self.assertAlmostEqual(float(cycles[20]["x"]), (2 - 50) / 2, places=9)
        self.assertAlmostEqual(float(cycles[80]["x"]), 1, places=9)

    def test_a_load_that_ends_early_is_told(self):
        self.write_pushes(until=3)
        self.assertIn('load "Push" is known from 0 to 3 s only; it is zero elsewhere.',
                      self.run_cli("id", "body.osim", "q.mot", "--loads", "loads.xml", "--out", "r").stdout)

    def test_a_robot_at_rest_carries_its_weight(self):
        example = SOURCE / "examples/urdf_arm"
        self.run_cli("id", example / "arm.urdf", example / "motion.mot", "--out", "r", "--quiet")
        with open(self.folder / "r/moments.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        g = 9.81
        self.assertAlmostEqual(float(rows[20]["shoulder"]), -g * (3 * 0.2 + 2 * 0.55 + 0.5 * 0.74 + 0.1 * 0.79), places=4)
        self.assertAlmostEqual(float(rows[20]["elbow"]), -g * (2 * 0.15 + 0.5 * 0.34 + 0.1 * 0.39), places=4)
        self.assertAlmostEqual(float(rows[20]["yaw"]), 0, places=4)
        self.assertGreater(max(abs(float(row["yaw"])) for row in rows), 0.5)  # it moves

    def test_force_plates_are_given_to_feet(self):
        """A leg that stands still on the plate of a trial: it carries what the plate says."""
        self.write("leg.osim", """<OpenSimDocument Version="40000"><Model name="m"><gravity>0 0 0</gravity><BodySet><objects>
          <Body name="calcn_r"><mass>1</mass><inertia>1 1 1 0 0 0</inertia></Body><Body name="calcn_l"><mass>1</mass><inertia>1 1 1 0 0 0</inertia></Body></objects></BodySet>
          <JointSet><objects>""" + "".join(f"""<SliderJoint name="j_{side}"><socket_parent_frame>on</socket_parent_frame>
          <socket_child_frame>/bodyset/calcn_{side}</socket_child_frame><coordinates><Coordinate name="up_{side}"/></coordinates><frames>
          <PhysicalOffsetFrame name="on"><socket_parent>/ground</socket_parent><translation>{place}</translation>
          <orientation>0 0 1.5707963267948966</orientation></PhysicalOffsetFrame></frames></SliderJoint>"""
          for side, place in (("r", "0.3 0 0.2"), ("l", "9 0 9"))) + "</objects></JointSet></Model></OpenSimDocument>")
        self.write("q.mot", "q\nversion=1\nnRows=41\nnColumns=3\nendheader\ntime up_r up_l\n" +
                   "".join(f"{0.1 * i} 0 0\n" for i in range(41)))
        text = self.run_cli("id", "leg.osim", "q.mot", "--loads", DATA / "type1_standing.c3d", "--out", "r").stdout
        self.assertIn('given to "calcn_r"', text)
        with open(self.folder / "r/moments.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertAlmostEqual(-float(rows[10]["up_r"]) / 9.81, 59, delta=1)  # kg, the person who stands there
        self.assertEqual(float(rows[10]["up_l"]), 0)

    def test_what_does_not_fit_is_refused_and_nothing_written(self):
        self.write_pushes()
        self.write("other.mot", "q\nversion=1\nnRows=2\nnColumns=2\nendheader\ntime y\n0 1\n1 2\n")
        loads = (self.folder / "loads.xml").read_text()
        self.write("body.xml", loads.replace(">b<", ">c<"))
        self.write("column.xml", loads.replace(">fv<", ">gv<"))
        for arguments, message in (
            (("body.osim", "other.mot"), 'other.mot: no column is a coordinate of the model. Columns: y. Coordinates: x.'),
            (("body.osim", "q.mot", "--loads", "body.xml"), 'body.xml:1:58: "c" is not a body of the model. Bodies: b.'),
            (("body.osim", "q.mot", "--loads", "column.xml"), 'f.mot has no column "gvx". Did you mean "fvx"?'),
            (("body.osim", "q.mot", "--filter", "50"), "must lie between 0 and half of the sampling rate"),
            (("body.osim", "q.mot", "--from", "7", "--until", "8"), "no sample lies between 7 and 8 s"),
        ):
            self.assertIn(message, self.error_of("id", *arguments, "--out", "r"))


if __name__ == "__main__":
    unittest.main()
