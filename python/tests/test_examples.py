"""The scripts of examples/python run and check themselves."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize("name", ["pendulum.py", "lotka_volterra.py", "hexapod_live.py"])
def test_examples_run(name, examples, tmp_path):
    done = subprocess.run([sys.executable, examples / "python" / name], capture_output=True, text=True, cwd=tmp_path,
                          env=os.environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(tmp_path.iterdir())
