"""The scripts of examples/python run, check themselves, and print what the documentation shows."""

import os
import re
import subprocess
import sys

import pytest


def without_numbers(text):
    """Words alone: the last digits of numbers may differ from machine to machine, and with them the width of columns."""
    return re.sub(r"\s+", " ", re.sub(r"-?(\d[\d.]*(e[-+]\d+)?|…)", "#", text))


@pytest.mark.parametrize("name", ["pendulum.py", "lotka_volterra.py", "hexapod_live.py"])
def test_examples_run_as_documented(name, examples, tmp_path):
    script = examples / "python" / name
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=tmp_path, env=os.environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(tmp_path.iterdir())
    documented = (examples.parent / "docs" / "python_examples.md").read_text()
    assert script.read_text().strip() in documented, "scripts/make-python-examples writes it again"
    printed = done.stdout.replace(str(examples.parent) + "/", "")
    assert without_numbers(printed).strip() in without_numbers(documented)
