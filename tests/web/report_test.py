"""Reports in a real browser: from disk, with the network cut. usage: report_test.py PARFAIT SOURCE"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import Browser  # noqa: E402

PARFAIT, SOURCE = "", pathlib.Path()


def run(*arguments):
    done = subprocess.run([PARFAIT, *map(str, arguments)], cwd=SOURCE, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        run("fit", "examples/hexapod/problem.xml", "--out", cls.path / "hexapod", "--quiet")
        run("simulate", "examples/six_bar/six_bar.xml", "--until", "2", "--out", cls.path / "six_bar", "--quiet")
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
        picture = self.scene(page, "Array.from(view.pixels())")
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
        changed = self.scene(page, "Array.from(view.pixels())")
        different = sum(a != b for a, b in zip(picture[::4], changed[::4]))
        self.assertGreater(different, 200)
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
        with_ghost = self.scene(page, "(parfait.player.go(150), Array.from(view.pixels()))")
        page.evaluate("document.querySelector('.stage canvas').focus()")
        page.key("g")
        without = self.scene(page, "Array.from(view.pixels())")
        self.assertGreater(sum(a != b for a, b in zip(with_ghost[::4], without[::4])), 50)
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
    PARFAIT, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
