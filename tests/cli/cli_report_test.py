"""report.html: says what result.json says, the same bytes for the same run, well-formed whatever names contain."""

import json
import re
import shutil
import unittest
import xml.etree.ElementTree as ElementTree

import fit_problem
from cli import SOURCE, CliTest

HEXAPOD = SOURCE / "examples/hexapod/problem.xml"
FIT_SECTIONS = ["findings", "parameters", "fit", "residuals", "knowledge", "convergence", "origin"]
SIMULATION_SECTIONS = ["findings", "quantities", "invariants", "events", "steps", "sensitivities", "origin"]
X = "{http://www.w3.org/1999/xhtml}"


class Page:
    """A report as a tree, without the script that makes it live and what that reads: letters and digits alone (tests/web
    looks at those). Parsing fails if it is not well-formed XML."""

    LIVE = re.compile(r'<script[^>]* id="parfait-(?:data|bundle)">[A-Za-z0-9+/=]*</script>\n'
                      r'|<script>\(async function\(\)\{[^<]*</script>\n')

    def __init__(self, path):
        whole = path.read_text(encoding="utf-8")
        ElementTree.fromstring(whole)
        self.text = self.LIVE.sub("", whole)
        self.root = ElementTree.fromstring(self.text)

    def all(self, tag, where=None):
        return list((self.root if where is None else where).iter(X + tag))

    def by_id(self, name):
        return next(e for e in self.root.iter() if e.get("id") == name)

    def sections(self):
        return [s.get("id") for s in self.all("section")]

    def words(self, where=None):
        return "".join((self.root if where is None else where).itertext())

    def plots(self):
        return {figure.get("data-plot") for figure in self.all("figure")}

    def numbers(self, where):
        """The exact numbers in an element, and that what is shown beside them is the same, rounded."""
        values = []
        for data in self.all("data", where):
            value, shown = float(data.get("value")), data.text
            if shown not in ("–", "∞", "-∞"):
                assert abs(float(shown) - value) <= 0.06 * abs(value) + 1e-12 or float(shown) == 0, (shown, value)
            values.append(value)
        return values

    def rows(self, figure):
        body = next(f for f in self.all("figure") if f.get("data-plot") == figure)
        return [row for row in self.all("tr", next(iter(self.all("tbody", body))))]

    def fact(self, name):
        for entry in self.all("div", next(e for e in self.all("dl") if e.get("class") == "facts")):
            if entry.find(X + "dt").text == name:
                return float(entry.find(X + "dd").find(X + "data").get("value"))
        raise KeyError(name)


class ReportTest(CliTest):
    def page(self, folder, name="report.html"):
        return Page(self.folder / folder / name)

    def check_page(self, page, sections):
        self.assertEqual([s for s in page.sections() if s != "motion"], sections)
        for section in page.all("section"):
            self.assertGreater(len(page.words(section)), 20, section.get("id"))
        self.assertEqual(page.all("script"), [])
        self.assertEqual(set(re.findall(r"https?://[^\s\"'<]*", page.text)), {"http://www.w3.org/1999/xhtml"})
        self.assertIsNone(re.search(r"url\(|[\" ]-?nan\b|\binf\b", page.text))
        policy = [m.get("content") for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
        self.assertEqual(len(policy), 1)
        self.assertIn("default-src 'none'", policy[0])
        targets = {e.get("id") for e in page.root.iter() if e.get("id")}
        for link in page.all("a"):
            self.assertIn(link.get("href")[1:], targets)
        for picture in page.all("svg"):
            if picture.get("role") == "img":
                self.assertTrue(picture.get("aria-label"))

    def fit_small(self, *more, feeds=(1, 2), code=0, out="r"):
        self.write("model.xml", fit_problem.MODEL)
        self.write("problem.xml", fit_problem.problem(feeds))
        self.run_cli("synthesize", "problem.xml", "--seed", "1", "--out", "data")
        for path in (self.folder / "data").glob("*.csv"):
            shutil.copy(path, self.folder)
        self.run_cli("fit", "problem.xml", "--quiet", "--out", out, *more, code=code)


class FitReportTest(ReportTest):
    def test_numbers_are_those_of_result_json(self):
        self.run_cli("fit", HEXAPOD, "--quiet", "--out", "r")
        page, result = self.page("r"), self.result("r")
        self.check_page(page, FIT_SECTIONS)
        self.assertEqual(page.fact("objective"), result["objective"])
        self.assertEqual(page.fact("β"), result["sigma_scale"])
        self.assertEqual(page.fact("degrees of freedom"), result["degrees_of_freedom"])
        self.assertEqual(page.fact("iterations"), result["iterations"])
        rows = page.rows("parameters")
        self.assertEqual(len(rows), len(result["parameters"]))
        for row, p in zip(rows, result["parameters"]):
            self.assertEqual(row.find(X + "th").text, p["id"])
            self.assertEqual(page.numbers(row), [p["value"], p["sd"], *p["ci95"], p["initial"], p["true"]])
            self.assertIn("N/m", page.words(row))
        history = page.all("details")[0]
        table = page.all("tr", page.all("tbody", history)[0])
        self.assertEqual(len(table), len(result["history"]))
        for row, h in zip(table, result["history"]):
            self.assertEqual(page.numbers(row)[:2], [h["iter"], h["objective"]])
        origin = page.words(page.by_id("origin"))
        for file in result["files"]:
            self.assertIn(file["sha256"], origin)
        self.assertEqual([file["kind"] for file in result["files"]], ["problem", "model", "data"])

    def test_hexapod_has_all_plots_and_stays_small(self):
        self.run_cli("fit", HEXAPOD, "--quiet", "--out", "r")
        page = self.page("r")
        self.assertLess(len(page.text.encode()), 150_000)
        self.assertLessEqual({"parameters", "fit", "residuals-time", "residuals-fitted", "residuals-histogram",
                              "residuals-quantiles", "residuals-autocorrelation", "observed-predicted", "groups",
                              "correlation", "ellipse", "objective", "increment", "paths"}, page.plots())
        self.assertIn("first guess", page.words(page.by_id("fit")))
        self.assertIn("x (m)", page.words(page.by_id("fit")))

    def test_same_run_same_bytes(self):
        self.fit_small("--profile", "k")
        first = (self.folder / "r/report.html").read_bytes()
        self.run_cli("fit", "problem.xml", "--quiet", "--out", "other", "--threads", "1", "--profile", "k")
        self.assertEqual((self.folder / "other/report.html").read_bytes(), first)

    def test_made_again_from_the_folder_it_is_the_same(self):
        self.fit_small("--profile", "k", "--certify")
        first = (self.folder / "r/report.html").read_bytes()
        (self.folder / "r/report.html").unlink()
        done = self.run_cli("report", "r")
        self.assertIn("report in r/report.html", done.stdout)
        self.assertEqual((self.folder / "r/report.html").read_bytes(), first)
        self.run_cli("report", "r", "--out", "there.html", "--quiet")
        self.assertEqual((self.folder / "there.html").read_bytes(), first)

    def test_several_fits_on_one_page(self):
        self.fit_small()
        self.run_cli("fit", "problem.xml", "--quiet", "--fix", "c", "--out", "fixed")
        self.run_cli("report", "r", "fixed")
        page = Page(self.folder / "comparison.html")
        self.assertEqual(page.sections(), ["runs", "parameters", "convergence"])
        first, second = self.result("r"), self.result("fixed")
        rows = page.all("tr", page.all("tbody", page.by_id("parameters"))[0])
        self.assertEqual([row.find(X + "th").text for row in rows], ["k", "c"])
        k = [next(p for p in r["parameters"] if p["id"] == "k") for r in (first, second)]
        self.assertEqual(page.numbers(rows[0]), [k[0]["value"], k[0]["sd"], k[1]["value"], k[1]["sd"]])
        self.assertEqual(len(page.numbers(rows[1])), 2)

    def test_not_converged_says_so_and_what_to_do(self):
        self.fit_small("--max-iterations", "1", code=1)
        page = self.page("r")
        self.check_page(page, FIT_SECTIONS)
        self.assertIn("✗ Not converged.", page.words())
        self.assertIn("--start result.json", page.words())

    def test_nothing_estimated(self):
        self.write("model.xml", fit_problem.MODEL)
        self.write("problem.xml", fit_problem.problem([1]).replace('<initial state="x" fixed="false"/>', ""))
        self.run_cli("synthesize", "problem.xml", "--seed", "1", "--out", "data")
        shutil.copy(self.folder / "data/run1.csv", self.folder)
        self.run_cli("fit", "problem.xml", "--quiet", "--fix", "k,c", "--out", "r")
        page = self.page("r")
        self.check_page(page, FIT_SECTIONS)
        self.assertIn("nothing to estimate", page.words())

    def test_undetermined_and_l1(self):
        for name, words in (("unidentifiable", "not determined by the data"), ("outliers", "of the norm l1")):
            with self.subTest(name):
                self.run_cli("fit", SOURCE / f"examples/{name}/problem.xml", "--quiet", "--out", name)
                page = self.page(name)
                sections = list(FIT_SECTIONS)
                if name == "unidentifiable":  # which measurement would tell
                    sections.insert(sections.index("convergence"), "suggestions")
                self.check_page(page, sections)
                self.assertIn(words, page.words())

    def test_hostile_names_stay_text(self):
        evil = "<script>alert(1)</script>\"'&amp;"
        xml = evil.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
        self.write("m<b>&.xml", fit_problem.MODEL.replace('id="k" initial', f'unit="{xml}" id="k" initial'))
        text = fit_problem.problem([1]).replace("model.xml", "m&lt;b>&amp;.xml").replace('column="x"', f'column="{xml}"')
        self.write("problem.xml", text.replace("<problem>", f"<problem><remark>{xml}</remark>"))
        self.run_cli("synthesize", "problem.xml", "--seed", "1", "--out", "data")
        shutil.copy(self.folder / "data/run1.csv", self.folder)
        self.run_cli("fit", "problem.xml", "--quiet", "--out", "r")
        page = self.page("r")
        self.check_page(page, FIT_SECTIONS)
        self.assertIn(evil, page.words(page.by_id("fit")))
        self.assertIn(evil, page.words(page.by_id("parameters")))
        self.assertIn("m<b>&.xml", page.words(page.by_id("origin")))


class SimulationReportTest(ReportTest):
    def test_numbers_are_those_of_result_json(self):
        model = SOURCE / "examples/hexapod/hexapod.xml"
        self.run_cli("simulate", model, "--until", "0.5", "--sensitivity", "c1", "--quiet", "--out", "r")
        page, result = self.page("r"), self.result("r")
        self.check_page(page, SIMULATION_SECTIONS)
        self.assertLessEqual({"quantity", "energy", "energy-change", "steps", "sensitivity"}, page.plots())
        self.assertEqual(page.fact("reached"), result["t"])
        self.assertEqual(page.fact("steps"), result["steps"])
        self.assertEqual(page.fact("energy change"), result["drift"]["energy"])
        self.assertEqual(page.fact("constraints"), result["drift"]["constraints"])
        self.assertEqual(result["units"]["Load.com.x"], "m")
        self.assertIn(result["files"][0]["sha256"], page.words(page.by_id("origin")))
        self.assertLess(len(page.text.encode()), 60_000)

    def test_made_again_from_the_folder_it_is_the_same(self):
        self.run_cli("simulate", SOURCE / "examples/bouncing_ball/bouncing_ball.xml", "--quiet", "--out", "r")
        first = (self.folder / "r/report.html").read_bytes()
        self.run_cli("report", "r", "--quiet")
        self.assertEqual((self.folder / "r/report.html").read_bytes(), first)
        self.assertIn("bounce", self.page("r").words(self.page("r").by_id("events")))

    def test_several_simulations_on_one_page(self):
        model = SOURCE / "examples/double_pendulum/double_pendulum.xml"
        for name, rtol in (("a", "1e-3"), ("b", "1e-9")):
            self.run_cli("simulate", model, "--until", "1", "--rtol", rtol, "--quiet", "--out", name)
        self.run_cli("report", "a", "b", "--out", "both.html")
        page = Page(self.folder / "both.html")
        self.assertEqual(page.sections(), ["runs", "quantities", "motion"])
        rows = page.all("tr", page.all("tbody", page.by_id("runs"))[0])
        for row, name in zip(rows, "ab"):
            result = self.result(name)
            self.assertEqual(page.numbers(row)[:3], [result["t"], result["options"]["rtol"], result["steps"]])

    def test_a_failure_has_a_report(self):
        self.write("m.xml", '<ode><state id="x" initial="1" derivative="x^2"/></ode>')
        self.run_cli("simulate", "m.xml", "--until", "2", "--quiet", "--out", "r", code=1)
        page = self.page("r")
        self.check_page(page, SIMULATION_SECTIONS)
        self.assertIn("✗ Not finished.", page.words())

    def test_steps_are_those_that_were_taken(self):
        self.run_cli("simulate", SOURCE / "examples/double_pendulum/double_pendulum.xml", "--until", "1", "--quiet", "--out", "r")
        lines = (self.folder / "r/steps.csv").read_text().split()
        self.assertEqual(lines[0], "t,step")
        steps = [tuple(map(float, line.split(","))) for line in lines[1:]]
        result = self.result("r")
        self.assertEqual(len(steps), result["steps"])
        self.assertAlmostEqual(sum(step for _, step in steps), 1, places=12)
        self.assertEqual(steps[-1][0], 1)


class FaultsTest(ReportTest):
    def test_what_is_no_run_folder_is_refused(self):
        self.assertIn('"none" is not a run folder', self.error_of("report", "none"))
        (self.folder / "r").mkdir()
        self.write("r/result.json", json.dumps({"program": "parfait", "format": 1, "command": "modes"}))
        self.assertIn("this one is of `modes`", self.error_of("report", "r"))
        self.write("r/result.json", "{}")
        self.assertIn("there are reports for results of `fit` and `simulate`", self.error_of("report", "r"))

    def test_runs_of_different_kinds_cannot_be_compared(self):
        self.write("m.xml", '<ode><state id="x" initial="1" derivative="-x"/></ode>')
        self.run_cli("simulate", "m.xml", "--quiet", "--out", "s")
        self.fit_small()
        self.assertIn("only runs of one kind can be compared", self.error_of("report", "s", "r"))


if __name__ == "__main__":
    unittest.main()
