"""Packs the built package into a wheel: make_wheel.py <package folder> <folder for the wheel>.

The wheel needs the shared libraries of the machine it was made on (Debian 12) and is tagged accordingly.
"""

import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile


def main() -> None:
    package, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    sys.path.insert(0, str(package.parent))
    import parfait

    version = parfait.__version__
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch) / "wheel"
        shutil.copytree(package, root / "parfait", ignore=shutil.ignore_patterns("__pycache__"))
        info = root / f"parfait-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: parfait\nVersion: {version}\n"
            "Summary: Models of motion from data: simulation and parameter estimation with intervals\n"
            "License: BSD-3-Clause\nRequires-Python: >=3.9\nRequires-Dist: numpy\n")
        (info / "WHEEL").write_text(
            f"Wheel-Version: 1.0\nGenerator: parfait\nRoot-Is-Purelib: false\nTag: {python}-{python}-{platform}\n")
        out.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "wheel", "pack", str(root), "--dest-dir", str(out)], check=True)


if __name__ == "__main__":
    main()
