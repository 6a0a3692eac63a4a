"""The scripts of examples/python and the code of docs/python.md run as they stand, and print what is shown."""

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


def test_the_code_of_the_guide_runs_as_it_stands(examples, tmp_path, monkeypatch):
    """Every block, in order, in a folder with nothing but a link to the examples."""
    blocks = re.findall(r"```python\n(.*?)```", (examples.parent / "docs" / "python.md").read_text(), re.DOTALL)
    assert len(blocks) == 4
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(examples)
    exec(compile("\n".join(blocks), "docs/python.md", "exec"), {})
    made = {"decay.xml", "swing.csv", "swing.svg", "report.html", "fit.svg", "fit.html", "data.svg", "both.html", "arm.xml", "run"}
    assert {p.name for p in tmp_path.iterdir()} == made | {"examples"}
    assert {p.name for p in (tmp_path / "run").iterdir()} == {"swing", "a", "b", "plan"}
