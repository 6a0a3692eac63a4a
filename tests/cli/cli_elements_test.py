#!/usr/bin/env python3
import json
import re
import unittest

from cli import SOURCE, CliTest
from element_models import TAGS, element_text, model_text


def required(constants):
    return [constant for constant in constants if constant["required"]]


def names(constants):
    return [constant["name"] for constant in constants]


class Elements(CliTest):
    def setUp(self):
        super().setUp()
        self.listed = json.loads(self.run_cli("elements", "--json").stdout)

    def each_element(self):
        for kind, least in (("joints", 6), ("constraints", 11), ("forces", 6), ("events", 2)):
            self.assertGreaterEqual(len(self.listed[kind]), least)
            for element in self.listed[kind]:
                yield kind, element

    def test_text_and_json_list_the_same(self):
        text = self.run_cli("elements").stdout
        for _, element in self.each_element():
            self.assertIn(f"\n  {element['key']} ", text)
            for constant in element["constants"] + (element.get("one_sided_constants") or []):
                self.assertIn(constant["name"], text)
        for family in self.listed["quantities"] + self.listed["driven"]:
            self.assertRegex(text, rf"\n  {re.escape(family['pattern'])} .*{re.escape(family['meaning'])}\n")

    def test_rows_and_freedoms_of_a_joint_add_up_to_six(self):
        for joint in self.listed["joints"]:
            freedoms = joint["free_translations"] + joint["free_rotations"]
            self.assertEqual(joint["constraints"] + freedoms, 6, joint["key"])

    def test_quiet_prints_nothing(self):
        self.assertEqual(self.run_cli("elements", "--quiet").stdout, "")

    def expect_constants(self, kind, element, constants, side=None):
        """What is required is enough and necessary, and all that is listed may be given."""
        model = lambda given: self.write("m.xml", model_text(element_text(kind, element, given, side=side)))
        needed = required(constants)
        self.run_cli("check", model(needed))
        self.run_cli("check", model(constants))
        for missing in needed:
            error = self.error_of("check", model([constant for constant in needed if constant is not missing]))
            self.assertIn(missing["name"], error)
        return len(needed)

    def test_constants_are_those_that_a_model_takes_and_needs(self):
        tried = sum(self.expect_constants(*each, each[1]["constants"]) for each in self.each_element())
        self.assertGreater(tried, 25)

    def test_one_sided_forces_take_what_is_listed_for_them_and_the_others_do_not(self):
        further = 0
        for force in self.listed["forces"]:
            if not force["one_sided"]:
                self.assertIsNone(force["one_sided_constants"])
                continue
            for side in ("push", "pull"):
                self.expect_constants("forces", force, force["one_sided_constants"], side)
            for constant in force["one_sided_constants"]:
                if constant["name"] in names(force["constants"]):
                    continue
                given = force["constants"] + [constant]
                error = self.error_of("check", self.write("m.xml", model_text(element_text("forces", force, given))))
                self.assertIn(f'unknown constant "{constant["name"]}"', error)
                further += 1
        self.assertEqual(further, 8)  # dampers and formulas of four measures

    def test_alternative_constants_are_taken_all_together(self):
        alternatives = [force for force in self.listed["forces"] if force["alternative_constants"]]
        self.assertEqual(names(alternatives[0]["alternative_constants"]), ["gx", "gy", "gz"])
        for force in alternatives:
            self.expect_constants("forces", force, force["alternative_constants"])

    def observe(self, model, quantities, code=0):
        self.assertGreater(len(quantities), 0)
        self.run_cli("simulate", model, "--until", "0.01", "--observe", ",".join(quantities), "--out", "run", code=code)
        self.assertEqual(list(self.trajectory("run")[0]), ["t"] + quantities)

    def test_quantities_of_each_element_are_accepted_and_no_others(self):
        families = {tag: [name.removeprefix(f"<{tag}>.") for family in self.listed["quantities"]
                          for name in family["names"] if name.startswith(f"<{tag}>.")] for tag in TAGS.values()}
        for kind, element in self.each_element():
            if kind == "events":
                continue  # they have none
            own = element.get("quantities", families[TAGS[kind]])
            model = self.write("m.xml", model_text(element_text(kind, element, required(element["constants"]))))
            if own:
                self.observe(model, [f"E.{name}" for name in own if "<" not in name])
            for name in set(families[TAGS[kind]]) - set(own):
                if "<" in name:
                    continue  # one for each joint of the model
                self.assertIn("unknown quantity", self.error_of("simulate", model, "--observe", f"E.{name}"))

    def test_other_quantities_are_accepted(self):
        model = self.write("m.xml", model_text('<state id="e" derivative="1"/> <parameter id="p" initial="1"/>'))
        quantities = []
        for family in self.listed["quantities"]:
            for name in family["names"]:
                if not name.startswith(("<joint>", "<coordinate>", "<constraint>", "<force>", "t")):
                    quantities.append(name.replace("<body>", "A").replace("<marker>", "tip").replace("<state>", "e").replace("<parameter>", "p"))
        self.assertGreaterEqual(len(quantities), 27 + 21 + 3 + 2)
        self.observe(model, quantities)

    def test_named_coordinates_are_accepted_in_joint_coordinates(self):
        model = self.write("m.xml", model_text(element_text("joints", {"key": "Axes"}, [], id="E", body="A")))
        quantities = [name.replace("<coordinate>", "qE") for family in self.listed["quantities"]
                      for name in family["names"] if name.startswith("<coordinate>")]
        self.assertEqual(quantities, ["qE", "qE.rate"])
        self.run_cli("simulate", model, "--coordinates", "joint", "--until", "0.01", "--observe", ",".join(quantities), "--out", "run")
        self.assertEqual(list(self.trajectory("run")[0]), ["t"] + quantities)

    def test_listed_constants_can_be_driven(self):
        elements = element_text("joints", {"key": "Free"}, [], id="E", body="A")
        elements += element_text("constraints", {"key": "B0_x"}, [], id="C", body="B")
        targets = []
        for family in self.listed["driven"]:
            for name in family["names"]:
                for placeholder, id in (("<body>", "A"), ("<marker>", "tip"), ("<constraint>", "C"), ("<element>", "E")):
                    name = name.replace(placeholder, id)
                targets.append(name)
        self.assertGreaterEqual(len(targets), 20 + 12 + 1 + 24)
        factor = [name for name in targets if ".cholesky." in name]
        for together in (factor, [name for name in targets if name not in factor]):
            parameters = "".join(f'<parameter id="p{i}" drives="{name}"/>\n' for i, name in enumerate(together))
            self.run_cli("check", self.write("m.xml", model_text(elements, parameters, bodies=("A", "B"))))


class QuantitiesPage(CliTest):
    def test_its_tables_are_the_list(self):
        listed = json.loads(self.run_cli("elements", "--json").stdout)
        text = (SOURCE / "docs/quantities.md").read_text()
        rows = re.findall(r"^\| `([^`]+)` \|([^|]*)\|", text, re.MULTILINE)
        self.assertEqual([(pattern, unit.strip()) for pattern, unit in rows],
                         [(family["pattern"], family["unit"]) for family in listed["quantities"] + listed["driven"]])


if __name__ == "__main__":
    unittest.main()
