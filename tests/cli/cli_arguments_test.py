#!/usr/bin/env python3
import unittest

from cli import SIX_BAR, CliTest


class Arguments(CliTest):
    def test_version_is_one_line(self):
        self.assertRegex(self.run_cli("--version").stdout, r"^parfait \d+\.\d+\.\d+\n$")

    def test_help_lists_the_subcommands_and_succeeds(self):
        text = self.run_cli("--help").stdout
        for command in ("simulate", "check", "elements"):
            self.assertIn(command, text)

    def test_unknown_option_is_named_and_ends_with_2(self):
        self.assertIn("--frobnicate", self.error_of("simulate", SIX_BAR, "--frobnicate"))

    def test_no_subcommand_ends_with_2(self):
        self.assertIn("subcommand", self.error_of())

    def test_missing_file_is_named(self):
        for command in ("simulate", "check"):
            self.assertIn("nowhere.xml", self.error_of(command, "nowhere.xml"))

    def test_plugin_that_does_not_exist_is_named(self):
        self.assertIn("nothing.so", self.error_of("elements", "--plugin", "nothing.so"))

    def test_plugin_that_is_no_library_is_named(self):
        self.write("text.so", "not a library")
        self.assertIn("text.so: cannot be loaded", self.error_of("elements", "--plugin", "text.so"))

    def test_bad_model_is_one_line_with_its_place(self):
        model = self.write("bad.xml", "<model>\n  <body id='A' mass='heavy'/>\n</model>\n")
        message = self.error_of("check", model.name)
        self.assertRegex(message, r"^bad\.xml:2:\d+: .*\n$")
        self.assertEqual(message, self.error_of("simulate", model.name))


if __name__ == "__main__":
    unittest.main()
