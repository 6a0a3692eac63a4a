"""Reports in a real browser: from disk, with the network cut. usage: report_test.py PARFAIT SOURCE"""

import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import Browser  # noqa: E402

PARFAIT, SOURCE = "", pathlib.Path()


def run(*arguments, cwd=None):
    done = subprocess.run([PARFAIT, *map(str, arguments)], cwd=cwd or SOURCE, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done


# Labels of static pictures that lie over each other or outside, pictures without a text, controls without a name, and
# words with too little contrast.
UNREADABLE = """(() => {
  const bad = [];
  for (const svg of document.querySelectorAll('svg')) {
    if (svg.parentElement.closest('svg')) continue;
    const label = svg.getAttribute('aria-label');
    if (svg.getAttribute('aria-hidden') !== 'true' && !svg.closest('[aria-hidden=true]') && !label) bad.push('no text: ' + svg.outerHTML.slice(0, 60));
    const box = svg.getBoundingClientRect();
    if (box.width === 0) continue;
    const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim() && Math.abs(t.getScreenCTM().b) < 1e-3)
      .map(t => [t.textContent, t.getBoundingClientRect()]);
    texts.forEach(([words, a], i) => {
      if (a.left < box.left - 2 || a.right > box.right + 2 || a.top < box.top - 2 || a.bottom > box.bottom + 2) bad.push('outside: ' + words);
      for (const [other, b] of texts.slice(i + 1)) {
        const w = Math.min(a.right, b.right) - Math.max(a.left, b.left), h = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (w > 2 && h > 4) bad.push('over each other: ' + words + ', ' + other);
      }
    });
  }
  const light = c => {
    const part = c.match(/[\d.]+/g).map(Number);
    const [r, g, b] = part.slice(0, 3).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return [0.2126 * r + 0.7152 * g + 0.0722 * b, part[3] ?? 1];
  };
  for (const e of document.querySelectorAll('body *')) {
    if (e.tagName === 'SCRIPT' || e.closest('svg') || e.disabled || !e.getBoundingClientRect().width) continue;
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
    let ground = 1;
    for (let p = e; p; p = p.parentElement) {
      const [value, opaque] = light(getComputedStyle(p).backgroundColor);
      if (opaque > 0.9) { ground = value; break; }
    }
    const ink = light(getComputedStyle(e).color)[0];
    if ((Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05) < 4.5) bad.push('pale: ' + e.textContent.slice(0, 30));
  }
  for (const e of document.querySelectorAll('input, select, button')) {
    if (!(e.getAttribute('aria-label') || e.textContent || e.labels?.[0]?.textContent || '').trim()) bad.push('no name: ' + e.outerHTML.slice(0, 60));
  }
  for (const e of document.querySelectorAll('.scroll')) if (e.scrollWidth > e.clientWidth + 1 && e.tabIndex < 0) bad.push('no keyboard: ' + e.textContent.slice(0, 30));
  return bad;
})()"""


def table(path):
    lines = [line.split(",") for line in path.read_text().split()]
    return [dict(zip(lines[0], map(float, line))) for line in lines[1:]]


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        run("fit", "examples/hexapod/problem.xml", "--out", cls.path / "hexapod", "--quiet")
        run("simulate", "examples/six_bar/six_bar.xml", "--until", "2", "--out", cls.path / "six_bar", "--quiet")
        run("simulate", "tests/web/elbow.xml", "--observe", "biceps.force,triceps.length,brachialis.length,table.force,forearm.com.z",
            "--out", cls.path / "elbow", "--quiet")
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def open(self, name, **more):
        page = self.browser.open((self.path / name / "report.html").as_uri(), offline=True, **more)
        page.wait("document.documentElement.dataset.parfait === 'ready'")
        self.addCleanup(page.close)
        return page

    def scene(self, page, expression):
        return page.evaluate(f"(view => {expression})(parfait.player.view)")

    def remember(self, page):
        """Keeps the picture as it is now."""
        self.scene(page, "(window.kept = view.pixels(), 0)")

    def changed(self, page):
        """How many of its pixels are different since."""
        return self.scene(page, "(now => kept.reduce((n, x, i) => n + (i % 4 === 0 && x !== now[i] ? 1 : 0), 0))(view.pixels())")

    def test_opens_from_disk_without_network_and_without_errors(self):
        page = self.open("hexapod")
        self.assertEqual(page.errors, [])
        self.assertEqual([r for r in page.requests if not r.startswith(("file:", "data:", "blob:"))], [])
        sections = page.evaluate("[...document.querySelectorAll('section')].map(s => s.id)")
        for name in ("findings", "parameters", "fit", "residuals", "knowledge", "convergence", "motion", "origin"):
            self.assertIn(name, sections)
        # Every picture has a text, and every canvas plot one for those who cannot see it.
        self.assertEqual(page.evaluate("[...document.querySelectorAll('svg[role=img]')]"
                                       ".filter(s => !s.getAttribute('aria-label')).length"), 0)

    def test_numbers_are_those_of_the_result(self):
        page = self.open("hexapod")
        result = json.loads((self.path / "hexapod" / "result.json").read_text())
        shown = page.evaluate("[...document.querySelectorAll('#parameters tbody tr')].map(r => r.innerText)")
        for parameter in result["parameters"]:
            row = next(r for r in shown if r.split()[0] == parameter["id"])
            numbers = [float(x) for x in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", row.split(None, 1)[1])]
            self.assertAlmostEqual(numbers[0], parameter["value"], delta=parameter["sd"] / 10)
        # The last frame of the packed motion is that of motion.npy.
        data = (self.path / "hexapod" / "motion.npy").read_bytes()
        frames = memoryview(data[10 + data[8] + 256 * data[9]:]).cast("f")
        packed = page.evaluate("Array.from(parfait.block.motions[0].frames.slice(-156))")
        extent = max(abs(x) for x in frames[-156:])
        for a, b in zip(frames[-156:], packed):
            self.assertAlmostEqual(a, b, delta=extent / 30000)

    def test_heat_map_has_the_right_cells(self):
        page = self.open("hexapod")
        result = json.loads((self.path / "hexapod" / "result.json").read_text())
        figure = "document.querySelector('figure[data-plot=correlation]')"
        # Cells of one colour are one path: each is a closed square.
        squares = page.evaluate(f"[...{figure}.querySelectorAll('.cell')].map(c => c.getAttribute('d')).join('')"
                                ".split('z').length - 1")
        self.assertEqual(squares, 21)
        shown = page.evaluate(f"[...{figure}.querySelectorAll('text.in, text.on, text.note')].map(t => t.textContent)")
        shown = sorted(float(x.replace("\u2212", "-")) for x in shown)
        told = sorted(row[j] for i, row in enumerate(result["correlation"]) for j in range(i + 1))
        self.assertEqual(len(shown), 21)
        for a, b in zip(shown, told):
            self.assertAlmostEqual(a, b, delta=0.0051)

    def test_hover_reads_values(self):
        page = self.open("hexapod")
        page.evaluate("document.querySelector('figure[data-plot=fit]').scrollIntoView({block: 'center'})")
        page.wait("document.querySelector('figure[data-plot=fit] .u-over')")
        left, top, width, height = page.box("figure[data-plot=fit] .u-over")
        page.move(left + width / 2, top + height / 2)
        page.wait("document.querySelector('figure[data-plot=fit] .readout').textContent !== ''")
        words = page.evaluate("document.querySelector('figure[data-plot=fit] .readout').textContent")
        self.assertIn("t = 0.2", words)
        self.assertIn("measured", words)
        self.assertIn("model", words)
        value = float(re.search(r"model (-?[\d.]+)", words).group(1))
        low, high = page.evaluate("[...parfait.plots.values()][0].range.y")
        self.assertTrue(low < value < high, words)

    def test_wheel_zooms_and_double_click_shows_all(self):
        page = self.open("hexapod")
        page.evaluate("document.querySelector('figure[data-plot=fit]').scrollIntoView({block: 'center'})")
        page.wait("document.querySelector('figure[data-plot=fit] .u-over')")
        left, top, width, height = page.box("figure[data-plot=fit] .u-over")
        span = "(r => r.x[1] - r.x[0])([...parfait.plots.values()][0].range)"
        whole = page.evaluate(span)
        page.click(left + width / 2, top + height / 2)
        page.mouse("mouseWheel", left + width / 2, top + height / 2, deltaX=0, deltaY=-100)
        page.wait(f"{span} < {whole} * 0.9")
        page.click(left + width / 2, top + height / 2, count=2)
        page.wait(f"Math.abs({span} - {whole}) < 1e-9")

    def test_plots_can_be_read_with_the_keyboard(self):
        page = self.open("hexapod")
        page.evaluate("document.querySelector('figure[data-plot=fit]').scrollIntoView({block: 'center'})")
        page.wait("document.querySelector('figure[data-plot=fit] .live')")
        page.evaluate("document.querySelector('figure[data-plot=fit] .live').focus()")
        page.key("ArrowRight")
        page.key("ArrowRight")
        self.assertIn("model", page.evaluate("document.querySelector('figure[data-plot=fit] .readout').textContent"))
        self.assertGreater(page.evaluate("parfait.clock.t"), 0)  # the bodies come along
        span = "(r => r.x[1] - r.x[0])([...parfait.plots.values()][0].range)"
        whole = page.evaluate(span)
        page.key("+")
        page.wait(f"{span} < {whole} * 0.9")
        page.key("0")
        page.wait(f"Math.abs({span} - {whole}) < 1e-9")
        # Whatever can be chosen can be reached: every control, the moving picture and every plot in sight.
        self.assertEqual(page.evaluate("[...document.querySelectorAll('button, input, select, a, .live, .stage canvas:not(.paper)')]"
                                       ".filter(e => e.tabIndex < 0).length"), 0)

    def test_dragging_in_a_plot_moves_the_bodies(self):
        page = self.open("hexapod")
        before = self.scene(page, "view.bodyMatrix(0)")
        page.evaluate("document.querySelector('figure[data-plot=fit]').scrollIntoView({block: 'center'})")
        page.wait("document.querySelector('figure[data-plot=fit] .u-over')")
        left, top, width, height = page.box("figure[data-plot=fit] .u-over")
        page.drag(left + 0.2 * width, top + height / 2, left + 0.8 * width, top + height / 2)
        self.assertGreater(page.evaluate("parfait.clock.t"), 0.3)
        self.assertNotEqual(self.scene(page, "view.bodyMatrix(0)"), before)

    def test_slider_and_keys_move_the_bodies(self):
        page = self.open("six_bar")
        page.evaluate("document.querySelector('.stage').scrollIntoView({block: 'center'})")
        start = self.scene(page, "view.bodyMatrix(2)")
        self.remember(page)
        page.evaluate("document.querySelector('.stage canvas').focus()")
        for _ in range(3):
            page.key("ArrowRight")
        self.assertEqual(page.evaluate("parfait.player.frame"), 3)
        page.key("End")
        frames = page.evaluate("parfait.block.motions[0].t.length")
        self.assertEqual(page.evaluate("parfait.player.frame"), frames - 1)
        end = self.scene(page, "view.bodyMatrix(2)")
        self.assertNotEqual(start, end)
        # What is drawn is what the file says.
        data = (self.path / "six_bar" / "motion.npy").read_bytes()
        last = memoryview(data[10 + data[8] + 256 * data[9]:]).cast("f")[-5 * 12:]
        o, e1 = list(last[2 * 12:2 * 12 + 3]), list(last[2 * 12 + 3:2 * 12 + 6])
        for drawn, told in zip(end[12:15] + end[0:3], o + e1):
            self.assertAlmostEqual(drawn, told, delta=1e-3)
        self.assertGreater(self.changed(page), 200)
        page.evaluate("(s => {s.value = '10'; s.dispatchEvent(new Event('input'))})"
                      "(document.querySelector('.player input[type=range]'))")
        self.assertEqual(page.evaluate("parfait.player.frame"), 10)
        page.key("Home")
        page.key(" ")
        page.wait("parfait.player.frame > 2")
        page.key(" ")
        stopped = page.evaluate("parfait.clock.t")
        page.evaluate("new Promise(r => setTimeout(r, 200))")
        self.assertEqual(page.evaluate("parfait.clock.t"), stopped)
        self.assertEqual(page.errors, [])

    def test_a_click_selects_a_body_and_shows_it(self):
        page = self.open("six_bar")
        left, top, _, _ = page.box(".stage canvas")
        at = self.scene(page, "view.project(0)")
        page.click(left + at["x"], top + at["y"])
        self.assertEqual(self.scene(page, "view.selected"), {"kind": "body", "index": 0})
        self.assertIn("Rod1", page.evaluate("document.querySelector('.properties').textContent"))
        page.key("f")
        page.key("Escape")
        self.assertIsNone(self.scene(page, "view.selected"))

    def test_layers_views_and_exports(self):
        page = self.open("hexapod")
        self.assertTrue(self.scene(page, "view.motion.initial !== null"))
        page.evaluate("parfait.player.go(150)")
        self.remember(page)
        page.evaluate("document.querySelector('.stage canvas').focus()")
        page.key("g")
        self.assertGreater(self.changed(page), 50)
        for key in "1370":
            page.key(key)
        page.key("5")
        page.key("5")
        self.assertEqual(page.errors, [])
        head = page.evaluate("parfait.player.view.picture().then(b => b.arrayBuffer())"
                             ".then(b => Array.from(new Uint8Array(b.slice(0, 4))))")
        self.assertEqual(bytes(head), b"\x89PNG")
        names = page.evaluate("parfait.player.pictures().then(p => p.map(f => f.name))")
        self.assertGreater(len(names), 10)
        self.assertEqual(len(set(names)), len(names))
        page.evaluate("(make => URL.createObjectURL = blob => (window.saved = blob, make.call(URL, blob)))(URL.createObjectURL)")
        page.evaluate("parfait.player.saveVideo()")
        head = page.evaluate("saved.arrayBuffer().then(b => [b.byteLength, ...new Uint8Array(b.slice(0, 4))])")
        self.assertEqual(bytes(head[1:]), b"\x1a\x45\xdf\xa3")  # the start of every WebM
        self.assertGreater(head[0], 2000)

    def show(self, page, t):
        page.evaluate(f"parfait.clock.set({t})")

    def force(self, page, name):
        return self.scene(page, f"view.factsOf(view.scene.forces.findIndex(f => f.id === '{name}'))")

    def test_muscles_go_round_what_is_in_their_way_and_show_their_pull(self):
        page = self.open("elbow")
        rows = table(self.path / "elbow" / "trajectory.csv")
        wrapped = 0
        for row in rows[::5]:
            self.show(page, row["t"])
            way = self.force(page, "triceps")["way"]
            length = sum(math.dist(a, b) for a, b in zip(way, way[1:]))
            # As long as the core says; ten chords are shorter than their arc by up to psi^2 / 2400.
            self.assertAlmostEqual(length, row["triceps.length"], delta=1e-4)
            for x, _, z in way[1:-1]:
                self.assertAlmostEqual(math.hypot(x, z), 0.03, delta=1e-6)
                wrapped += 1
            # The short way round a sphere: a great circle, in the plane of its centre and both ends.
            begin, *arc, end = self.force(page, "brachialis")["way"]
            length = sum(math.dist(a, b) for a, b in zip([begin, *arc], [*arc, end]))
            self.assertAlmostEqual(length, row["brachialis.length"], delta=1e-4)
            p, q = ([x - c for x, c in zip(point, (0.04, 0, 0.08))] for point in (begin, end))
            normal = (p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])
            for point in arc:
                s = [x - c for x, c in zip(point, (0.04, 0, 0.08))]
                self.assertAlmostEqual(math.hypot(*s), 0.03, delta=1e-6)
                self.assertAlmostEqual(sum(a * b for a, b in zip(s, normal)) / math.hypot(*normal), 0, delta=1e-6)
            self.assertGreater(len(arc), 5)
        self.assertGreater(wrapped, 20)
        strongest = max(rows, key=lambda row: row["biceps.force"])
        weakest = min(rows, key=lambda row: row["biceps.force"])
        colors = []
        for row in (weakest, strongest):
            self.show(page, row["t"])
            colors.append([int(self.force(page, "biceps")["color"][i:i + 2], 16) for i in (1, 3, 5)])
        self.assertLess(colors[0][0], 0x90)  # pale blue, nearly
        self.assertGreater(colors[1][0], 0xa0)  # towards orange
        self.assertLess(colors[1][2], colors[0][2] - 30)
        self.assertIn("orange the strongest pull", page.evaluate("document.querySelector('.explained').textContent"))
        self.assertIn("Muscles", page.evaluate("document.querySelector('.stage canvas').getAttribute('aria-label')"))

    def test_arrows_are_as_long_as_forces_are_strong(self):
        page = self.open("elbow")
        rows = table(self.path / "elbow" / "trajectory.csv")
        pressed = max(rows, key=lambda row: row["table.force"])
        self.assertGreater(pressed["table.force"], 1)
        self.show(page, pressed["t"])
        self.assertEqual(self.force(page, "table")["arrows"], [])  # until they are asked for
        self.remember(page)
        page.evaluate("[...document.querySelectorAll('.player .toggle')].find(t => t.textContent.includes('force arrows'))"
                      ".querySelector('input').click()")
        self.assertGreater(self.changed(page), 30)
        table_arrow, = self.force(page, "table")["arrows"]
        # It pushes the arm up, where the arm touches.
        self.assertAlmostEqual(table_arrow["vector"][0], 0, delta=1e-6)
        self.assertGreater(table_arrow["vector"][2], 0)
        self.assertAlmostEqual(table_arrow["at"][2], 2 * pressed["forearm.com.z"], delta=1e-4)
        pulls = self.force(page, "biceps")["arrows"]
        self.assertEqual(len(pulls), 2)
        per_newton = math.hypot(*table_arrow["vector"]) / pressed["table.force"]
        for arrow in pulls:
            self.assertAlmostEqual(math.hypot(*arrow["vector"]), per_newton * pressed["biceps.force"], delta=1e-3 * per_newton)
        # The muscle pulls its ends towards each other.
        self.assertLess(sum(a * b for a, b in zip(pulls[0]["vector"], pulls[1]["vector"])), 0)
        self.assertLess(pulls[0]["vector"][2], 0)
        page.evaluate("(s => {s.value = '1'; s.dispatchEvent(new Event('input'))})(document.querySelector('.arrows input'))")
        longer, = self.force(page, "table")["arrows"]
        self.assertAlmostEqual(longer["vector"][2], 10 * table_arrow["vector"][2], delta=1e-6)

    def test_two_runs_are_laid_over_each_other(self):
        for name, stiffness in (("stiff", "900"), ("soft", "300")):
            run("simulate", "examples/hexapod/hexapod.xml", "--until", "0.5", "--set", f"c1={stiffness}", "--quiet",
                "--out", self.path / name)
        run("report", "stiff", "soft", "--out", "both.html", "--quiet", cwd=self.path)
        page = self.browser.open((self.path / "both.html").as_uri(), offline=True)
        self.addCleanup(page.close)
        page.wait("document.documentElement.dataset.parfait === 'ready'")
        self.assertEqual(self.scene(page, "view.overlay.name"), "soft")  # without being asked
        self.assertIn("In colours stiff, in pale orange soft.", page.evaluate("document.querySelector('.explained').textContent"))
        self.show(page, 0.5)
        for name, second in (("stiff", "false"), ("soft", "true")):
            data = (self.path / name / "motion.npy").read_bytes()
            last = memoryview(data[10 + data[8] + 256 * data[9]:]).cast("f")[-13 * 12:]
            drawn = self.scene(page, f"view.bodyMatrix(0, {second})")
            for a, b in zip(drawn[12:15], last[0:3]):
                self.assertAlmostEqual(a, b, delta=1e-4)
        self.assertNotEqual(*(self.scene(page, f"view.bodyMatrix(0, {second})") for second in ("false", "true")))
        self.remember(page)
        page.evaluate("(s => {s.selectedIndex = 0; s.dispatchEvent(new Event('change'))})"
                      "(document.querySelectorAll('.player select')[1])")
        self.assertIsNone(self.scene(page, "view.overlay"))
        self.assertGreater(self.changed(page), 100)
        self.assertEqual(page.errors, [])

    def test_measured_markers_stand_where_they_were_measured(self):
        page = self.open("hexapod")
        marker = page.evaluate("parfait.block.motions[0].measured[0]")
        self.assertEqual(marker["marker"], "Load.com")
        with open(SOURCE / "examples/hexapod/release.csv") as file:
            lines = [line.strip().split(",") for line in file if line.strip() and not line.startswith("#")]
        column = {name.strip(): i for i, name in enumerate(lines[0])}
        self.assertAlmostEqual(float(lines[1][column["x"]]), marker["points"][0], places=9)

    def test_narrow_dark_and_print(self):
        page = self.open("hexapod", width=390, height=844, dark=True)
        self.assertEqual(page.evaluate("document.documentElement.scrollWidth <= 390"), True)
        self.assertEqual(page.errors, [])
        page.media(kind="print")
        shown = page.evaluate("[...document.querySelectorAll('.live')].filter(e => e.offsetParent !== null).length")
        self.assertEqual(shown, 0)
        svg = page.evaluate("[...document.querySelectorAll('figure > svg')].filter(e => "
                            "getComputedStyle(e).display === 'none').length")
        self.assertEqual(svg, 0)

    def test_no_page_is_wider_than_a_telephone(self):
        for name, command in {
            "ik": ("ik", "examples/gait_ik/subject.osim", "examples/gait_ik/walking1.trc", "--relabel"),
            "modes": ("modes", "examples/double_pendulum/double_pendulum.xml"),
            "design": ("design", "examples/design_markers/design.xml"),
            "id": ("id", "examples/urdf_arm/arm.urdf", "examples/urdf_arm/motion.mot"),
            "minimum": ("fit", "examples/gradient/pendulum_problem.xml", "--method", "lbfgs", "--max-iterations", "3",
                        "--contour", "L,g"),
            "undetermined": ("fit", "examples/unidentifiable/problem.xml"),
        }.items():
            with self.subTest(name):
                run(*command, "--out", self.path / name, "--quiet")
                page = self.open(name, width=390, height=844, dark=True)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
                self.assertEqual(page.evaluate(UNREADABLE), [])
                self.assertEqual(page.errors, [])

    def test_bodies_come_out_on_paper(self):
        page = self.open("hexapod", dark=True)
        page.send("Emulation.setEmulatedMedia", media="")  # printing chooses its own
        page.pdf(self.path / "hexapod.pdf")
        inks = page.evaluate("(c => new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size)"
                             "(document.querySelector('.stage .paper'))")
        self.assertGreater(inks, 50)
        white = page.evaluate("Array.from(document.querySelector('.stage .paper').getContext('2d').getImageData(1, 1, 1, 1).data)")
        self.assertEqual(white, [255, 255, 255, 255])

    def test_without_scripts_it_is_complete(self):
        page = self.browser.open()
        self.addCleanup(page.close)
        page.send("Emulation.setScriptExecutionDisabled", value=True)
        page.go((self.path / "hexapod" / "report.html").as_uri())
        page.send("Emulation.setScriptExecutionDisabled", value=False)
        self.assertGreater(page.evaluate("document.querySelectorAll('figure > svg').length"), 10)
        self.assertIn("where JavaScript is allowed", page.evaluate("document.body.innerText"))

    def test_sizes(self):
        text = (self.path / "hexapod" / "report.html").read_text()
        self.assertLess(len(text), 450_000)
        parts = dict(re.findall(r'id="parfait-(data|bundle)">([^<]*)<', text))
        self.assertLess(len(text) - sum(map(len, parts.values())), 150_000)

    def test_same_run_same_bytes(self):
        run("simulate", "examples/six_bar/six_bar.xml", "--until", "2", "--out", self.path / "again", "--quiet")
        first = (self.path / "six_bar" / "report.html").read_bytes()
        self.assertEqual(first, (self.path / "again" / "report.html").read_bytes())
        run("report", self.path / "six_bar", "--out", self.path / "made_again.html", "--quiet")
        self.assertEqual(first, (self.path / "made_again.html").read_bytes())


if __name__ == "__main__":
    PARFAIT, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
