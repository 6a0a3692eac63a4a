"""The wheel installs into an environment of its own and works there."""

import os
import pathlib
import subprocess
import sys

import parfait


def test_a_wheel_is_made_installed_and_imported(tmp_path):
    package = pathlib.Path(parfait.__file__).parent
    source = pathlib.Path(os.environ.get("PARFAIT_SOURCE", pathlib.Path(__file__).parents[2]))
    subprocess.run([sys.executable, source / "python" / "make_wheel.py", package, tmp_path], check=True)
    (wheel,) = tmp_path.glob("parfait-*.whl")
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    # Debian's pip installs into it: an environment with a pip of its own takes three seconds longer to make.
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", tmp_path / "venv"], check=True,
                   env=env)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", wheel], check=True, env=env)
    code = ("import parfait, sys; assert parfait.__file__.startswith(sys.argv[1]), parfait.__file__; "
            "print(parfait.python_ode(lambda t, y, p: -y, {'x': 1}).simulate(until=1).status)")
    done = subprocess.run([python, "-c", code, tmp_path], capture_output=True, text=True, env=env, cwd=tmp_path, check=False)
    assert done.stdout.strip() == "finished", done.stderr
