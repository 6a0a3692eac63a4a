#!/usr/bin/env python3
import json
import unittest

from cli import CliTest


class Elements(CliTest):
    def test_text_and_json_list_the_same_keys(self):
        text = self.run_cli("elements").stdout
        listed = json.loads(self.run_cli("elements", "--json").stdout)
        for kind, least in (("joints", 6), ("forces", 6), ("events", 2)):
            self.assertGreaterEqual(len(listed[kind]), least)
            for element in listed[kind]:
                self.assertIn(f"\n  {element['key']} ", text)
                for constant in element["constants"]:
                    self.assertIn(constant["name"], text)

    def test_rows_and_freedoms_of_a_joint_add_up_to_six(self):
        for joint in json.loads(self.run_cli("elements", "--json").stdout)["joints"]:
            freedoms = joint["free_translations"] + joint["free_rotations"]
            self.assertEqual(joint["constraints"] + freedoms, 6, joint["key"])

    def test_quiet_prints_nothing(self):
        self.assertEqual(self.run_cli("elements", "--quiet").stdout, "")


if __name__ == "__main__":
    unittest.main()
