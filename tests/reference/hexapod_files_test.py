"""The hexapod files in the repository are those that their script writes.  Usage: ... <examples/hexapod>"""
import pathlib
import subprocess
import sys
import tempfile

folder = pathlib.Path(sys.argv[1])
with tempfile.TemporaryDirectory() as out:
    subprocess.run([sys.executable, "-B", folder / "make_hexapod.py", out], check=True)
    written = sorted(pathlib.Path(out).glob("*.xml"))
    assert len(written) == 4, written
    for file in written:
        assert file.read_text() == (folder / file.name).read_text(), f"{file.name}: run make_hexapod.py again."
