"""Examples in docstrings, and stubs that say what the module does."""

import doctest
import importlib
import pathlib
import subprocess
import sys

import pytest

import parfait


@pytest.mark.parametrize("name", ["", "._model", "._builder", "._problem", "._commands", "._report"])
def test_examples_in_docstrings_run(name, examples, monkeypatch):
    monkeypatch.chdir(examples.parent)
    result = doctest.testmod(importlib.import_module("parfait" + name))
    assert result.attempted > 0 and result.failed == 0


def test_the_stubs_describe_the_extension():
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "parfait._parfait", "--ignore-missing-stub",
                           "--allowlist", str(pathlib.Path(__file__).with_name("stubtest_allowlist.txt"))],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_is_fully_typed():
    """Half a second where an earlier run has left its cache, which the test of the stubs must not replace."""
    package = pathlib.Path(__file__).parents[1] / "parfait"
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir=.mypy_cache/strict", package],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_everything_public_has_a_docstring():
    for name in parfait.__all__:
        assert getattr(parfait, name).__doc__, name
