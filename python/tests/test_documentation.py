"""Docstrings that say all there is to say, examples in them that run, and stubs and types that are right."""

import doctest
import importlib
import inspect
import os
import pathlib
import subprocess
import sys

import pytest

import parfait
import parfait.samples

MODULES = ["", "._builder", "._commands", "._errors", "._findings", "._model", "._problem", "._report", "._results", ".samples"]
WITHOUT_EXAMPLES = {
    "batch": "needs a folder of subjects",
    "Batch": "needs a folder of subjects",
    "Calibration": "calibrate() has one, and it takes a tenth of a second",
    "load_plugin": "needs a compiled library",
    "view": "serves until it is ended",
}
MADE_BY_OTHERS = (  # nobody calls their constructors
    "Batch", "Body", "Calibration", "Design", "Fit", "Gait", "Gradient", "Minimization", "Model", "Modes", "Moments",
    "Plot", "Poses", "Report", "Scaling", "Simulation", "TrialPoses")
SECTIONS = ("Parameters", "Attributes", "Returns", "Raises", "Examples")


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name, examples, monkeypatch):
    monkeypatch.chdir(examples.parent)
    result = doctest.testmod(importlib.import_module("parfait" + name), extraglobs={"pf": parfait},
                             optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0 and result.failed == 0


def sections(what):
    """The text of each section of a docstring; "" is what stands before them."""
    found, current = {"": []}, ""
    lines = (inspect.getdoc(what) or "").splitlines()
    for line, next_line in zip(lines, [*lines[1:], ""]):
        if line in SECTIONS and next_line == "-" * len(line):
            current = line
            found[current] = []
        elif line != "-" * len(current) or not line:
            found[current].append(line)
    return found


def described(section):
    """The names that lines without indent describe: ``a, b : int``."""
    return {name.strip() for line in section if line and line[0] != " " for name in line.split(" : ")[0].split(",")}


def callables():
    """What a user may call: (name, object with the signature, object with the docstring)."""
    for name in [*parfait.__all__, *(f"samples.{n}" for n in ("decay", "decay_problem", "pendulum"))]:
        what = parfait
        for part in name.split("."):
            what = getattr(what, part)
        if not inspect.isclass(what):
            yield name, what
            continue
        if name not in MADE_BY_OTHERS:
            yield name, what
        for method, defined in inspect.getmembers(what, lambda member: inspect.isfunction(member) or inspect.ismethod(member)):
            if not method.startswith("_") and defined.__module__.startswith("parfait"):
                yield f"{name}.{method}", defined


def faults(name, what):
    found = sections(what)
    sentence = found[""][0] if found[""] else ""
    if not sentence.endswith((".", ":")):
        yield f"{name}: a sentence in the first line"
    taken = {p for p in inspect.signature(what).parameters if p != "self"}
    told = described(found.get("Parameters", []))
    yield from (f"{name}: {parameter} is not described" for parameter in taken - told)
    yield from (f"{name}: {parameter} is described, but not there" for parameter in told - taken)
    returned = inspect.signature(what).return_annotation
    if taken and not inspect.isclass(what) and returned != "None" and "Returns" not in found:
        yield f"{name}: what it returns"


def test_everything_a_user_may_call_is_described():
    assert [fault for name, what in callables() for fault in faults(name, what)] == []


def test_everything_public_has_examples():
    without = {name for name in parfait.__all__ if "Examples" not in sections(getattr(parfait, name))}
    assert without == set(WITHOUT_EXAMPLES)


def test_every_step_of_building_is_in_an_example():
    told = list(callables())
    text = "\n".join(line for _, what in [*told, *((n, getattr(parfait, n)) for n in parfait.__all__)]
                     for line in sections(what).get("Examples", []))
    building = {name for name, _ in told if name.split(".")[0] in ("Model", "ModelBuilder", "OdeBuilder", "Problem") and "." in name}
    unused = {name.split(".")[1] for name in building if f".{name.split('.')[1]}(" not in text}
    assert unused == {"remark", "from_petab"}  # it says a word; it needs five files


def test_every_attribute_of_a_class_is_described():
    for name in parfait.__all__:
        what = getattr(parfait, name)
        if inspect.isclass(what):
            for attribute, defined in inspect.getmembers(what, lambda member: isinstance(member, property)):
                assert defined.__doc__, f"{name}.{attribute}"


def test_the_stubs_describe_the_extension(tmp_path):
    """With a numpy that is little but names: to read its own stubs takes two seconds, and mypy does it below."""
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.pyi").write_text("class float32: ...\nclass float64: ...\n")
    (tmp_path / "numpy" / "typing.pyi").write_text('from typing import Generic, TypeVar\nT = TypeVar("T")\nclass NDArray(Generic[T]): ...\n')
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "parfait._parfait", "--ignore-missing-stub",
                           "--allowlist", str(pathlib.Path(__file__).with_name("stubtest_allowlist.txt"))],
                          capture_output=True, text=True, check=False, env=os.environ | {"MYPYPATH": str(tmp_path)})
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_is_fully_typed():
    """Half a second where an earlier run has left its cache, which the test of the stubs must not replace."""
    package = pathlib.Path(__file__).parents[1] / "parfait"
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir=.mypy_cache/strict", package],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
