"""Measures what reports and the viewer cost: frames per second, sizes, seconds. usage: measure.py PARFAIT SOURCE

Frames are drawn at 800 x 600 by Chromium's software renderer: the best of several series, one after the other without
waiting for the screen, and as the screen shows them. For numbers that mean something nothing else should run.
"""

import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import view_test  # noqa: E402
from browser import Browser  # noqa: E402


def chain(bodies):
    """A chain of bars that hangs and swings, each with a shape."""
    text = ['<model id="chain">', '<simulation until="2" step="0.02"/>', '<force key="Gravitation" id="G" constants="-9.81"/>']
    for i in range(bodies):
        text.append(f'<body id="B{i}" mass="1" center_of_mass="0.05 0 0" moment_of_inertia="0.001 0.002 0.002">'
                    f'<position o="{0.1 * i} 0 0"/><shape kind="capsule" radius="0.02" to="0.1 0 0"/></body>')
        begin = 'id="Inertial"' if i == 0 else f'id="B{i - 1}" o="0.1 0 0"'
        text.append(f'<joint key="Revolute" id="J{i}"><begin {begin} z="0 1 0"/><end id="B{i}" z="0 1 0"/></joint>')
    return "\n".join([*text, "</model>"])


FRAMES = """(async () => {
  const {view} = parfait.player, clock = parfait.clock, t = view.motion.t;
  const stage = document.querySelector('.stage');
  stage.style.width = '800px'; stage.style.height = '600px'; stage.style.flex = 'none';
  await new Promise(r => setTimeout(r, 300));
  let k = 0, best = 0, shown = 0;
  const step = () => clock.set(t[k = (k + 1) % t.length]);
  for (let series = 0; series < 8; ++series) {
    const begun = performance.now();
    for (let i = 0; i < 20; ++i) { step(); view.pixel(); }
    best = Math.max(best, 20000 / (performance.now() - begun));
  }
  for (let series = 0; series < 4; ++series) {
    const begun = performance.now();
    for (let i = 0; i < 20; ++i) { step(); await new Promise(r => requestAnimationFrame(r)); }
    shown = Math.max(shown, 20000 / (performance.now() - begun));
  }
  return [best, shown, view.canvas.width, view.canvas.height];
})()"""


def measure_server(program, source):
    """Seconds until it serves, of 200 requests at once, and from Ctrl-C to the end while it computes and is held."""
    view_test.PARFAIT, view_test.SOURCE = str(program), source
    begun = time.monotonic()
    viewer = view_test.Viewer("examples/hexapod/hexapod.xml")
    assert viewer.status() == 200
    started = time.monotonic() - begun
    begun = time.monotonic()
    threads = [threading.Thread(target=viewer.status) for _ in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asked = time.monotonic() - begun
    viewer.request("POST", "/api/jobs", '{"kind": "simulate", "until": 100000, "step": 1}', {"Content-Type": "application/json"})
    half = socket.create_connection(("127.0.0.1", viewer.port))
    half.sendall(b"GET / HTTP/1.1\r\nHost:")
    time.sleep(0.5)
    begun = time.monotonic()
    viewer.close()
    print(f"server: serves after {started:.2f} s, 200 requests at once {asked:.2f} s, Ctrl-C {time.monotonic() - begun:.2f} s")
    half.close()


def main():
    program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    measure_server(program, source)
    with tempfile.TemporaryDirectory() as name, Browser() as browser:
        folder = pathlib.Path(name)
        for bodies in (13, 28, 100):
            model = folder / f"chain{bodies}.xml"
            model.write_text(chain(bodies))
            out = folder / f"chain{bodies}"
            subprocess.run([program, "simulate", model, "--out", out, "--quiet"], check=True)
            begun = time.monotonic()
            page = browser.open((out / "report.html").as_uri(), offline=True)
            page.wait("document.documentElement.dataset.parfait === 'ready'")
            opened = time.monotonic() - begun
            best, shown, width, height = page.evaluate(FRAMES, timeout=300)
            size = (out / "report.html").stat().st_size
            print(f"{bodies} bodies, {width}x{height}: {best:.0f} frames/s drawn, {shown:.0f} shown; "
                  f"report {size / 1000:.0f} kB, open after {opened:.1f} s")
            page.close()
        out = folder / "hexapod"
        subprocess.run([program, "fit", source / "examples/hexapod/problem.xml", "--out", out, "--quiet"], check=True)
        text = (out / "report.html").read_text()
        packed = sum(len(part) for part in re.findall(r'id="parfait-(?:data|bundle)">([^<]*)<', text))
        print(f"hexapod: report {len(text.encode()) / 1000:.0f} kB, {(len(text.encode()) - packed) / 1000:.0f} kB without what the script needs")
    folder = source / "build/measure-web"
    begun = time.monotonic()
    subprocess.run(["rm", "-rf", folder], check=True)
    subprocess.run([source / "scripts/build-web", "npm", source / "web", folder], check=True)
    print(f"fetch, check types, bundle: {time.monotonic() - begun:.1f} s; "
          f"{(folder / 'parfait.js').stat().st_size / 1000:.0f} kB, gzipped {(folder / 'parfait.js.gz').stat().st_size / 1000:.0f} kB")
    begun = time.monotonic()
    subprocess.run([source / "scripts/build-web", "npm", source / "web", folder], check=True)
    print(f"check types and bundle again: {time.monotonic() - begun:.1f} s")
    subprocess.run(["rm", "-rf", folder], check=True)


if __name__ == "__main__":
    main()
