#!/usr/bin/env python3
"""parfait batch: a folder of subjects by one command."""
import csv
import shutil
import unittest

from cli import SOURCE, CliTest

GAIT = SOURCE / "examples/gait_ik"


class Batch(CliTest):
    def subject(self, name, first, last):
        """Some frames of a walk, in a folder of its own."""
        folder = self.folder / "people" / name
        folder.mkdir(parents=True)
        lines = (GAIT / "walking1.trc").read_text().splitlines()
        head = next(i for i, line in enumerate(lines) if line.split("\t")[0].strip() == "1")
        words = lines[2].split("\t")
        words[2] = words[7] = str(last - first)
        lines[2] = "\t".join(words)
        (folder / "walk.trc").write_text("\n".join(lines[:head] + lines[head + first:head + last]) + "\n")
        return folder

    def test_every_subject_has_its_folder_and_its_row(self):
        self.subject("anna", 0, 12)
        own = self.subject("bert", 40, 52)
        shutil.copy(GAIT / "subject.osim", own / "own.osim")
        (self.folder / "people/carl").mkdir()
        (self.folder / "people/carl/walk.trc").write_text("PathFileType\t4\n")
        model = GAIT / "subject.osim"
        text = self.run_cli("batch", "people", "--model", model, "--work", "ik", "--out", "b", code=1).stdout
        self.assertIn("anna", text)
        result = self.result("b/summary")
        self.assertEqual([s["status"] for s in result["subjects"]], ["done", "done", "failed"])
        self.assertIn("walk.trc", result["subjects"][2]["message"])
        for name in ("anna", "bert"):
            self.run_cli("ik", model, self.folder / "people" / name / "walk.trc", "--out", "alone")
            alone = self.result("alone")["trials"][0]["errors"]["rms"]
            row = next(s for s in result["subjects"] if s["subject"] == name)
            self.assertEqual(row["rms"], alone)
            self.assertEqual(row["frames"], 12)
            self.assertTrue((self.folder / "b" / name / "report.html").exists())
        self.assertFalse((self.folder / "b/carl").exists())
        with open(self.folder / "b/summary/subjects.csv") as file:
            self.assertEqual([row["subject"] for row in csv.DictReader(file)], ["anna", "bert", "carl"])
        page = (self.folder / "b/summary/report.html").read_text()
        self.assertIn('href="../anna/report.html"', page)
        # The same whatever the number of threads.
        before = (self.folder / "b/summary/subjects.csv").read_text()
        self.run_cli("batch", "people", "--model", model, "--work", "ik", "--threads", "1", "--out", "b", code=1)
        self.assertEqual((self.folder / "b/summary/subjects.csv").read_text(), before)

    def test_what_is_not_there_is_refused(self):
        (self.folder / "people/dora").mkdir(parents=True)
        error = self.run_cli("batch", "people", "--out", "b", code=2).stderr
        self.assertIn("has no trials", error)
        error = self.run_cli("batch", "nobody", "--out", "b", code=2).stderr
        self.assertIn("is not a folder", error)
        self.assertFalse((self.folder / "b").exists())


if __name__ == "__main__":
    unittest.main()
