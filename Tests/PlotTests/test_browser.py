"""What report.html promises in a real browser: run with `python3 -m unittest discover Tests/PlotTests`."""
import contextlib
import io
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import chromium  # noqa: E402
from synthetic_load import write_load  # noqa: E402
from synthetic_run import CONTENDERS, SCENARIOS, write_growth, write_run  # noqa: E402
from test_plot import FEW, HOSTILE, PLOT, needs_libraries, panels, plots  # noqa: E402

DRAWN = 'document.documentElement.dataset.drawn === "yes"'
UNFOLD = 'for (const fold of document.querySelectorAll("details")) fold.open = true'
ALL_DRAWN = 'document.querySelectorAll("[data-panel]").length === document.querySelectorAll("[data-panel].drawn").length'


@needs_libraries
@unittest.skipUnless(chromium.PATH, "needs a Chromium: no chromium, google-chrome or chromium-browser is on the PATH")
class InABrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = Path(tempfile.mkdtemp())
        # A browser that was ended may still write into its profile.
        cls.addClassCleanup(shutil.rmtree, cls.place, ignore_errors=True)
        hostile = {**FEW, HOSTILE[1]: CONTENDERS["coroutines"]}
        write_growth(write_run(cls.place / "run", hostile, SCENARIOS, wrong=None, rounds=8), hostile)
        write_run(cls.place / "other", hostile, SCENARIOS, wrong=None, rounds=8, seed=2)
        write_load(cls.place / "load", search=True)
        cls.pages = {"run": [cls.place / "run"], "comparison": [cls.place / "run", cls.place / "other"], "load": [cls.place / "load"]}
        reference = PLOT.parent / "results" / "reference"
        if reference.is_dir():
            cls.pages["reference"] = [reference]
        for name, runs in cls.pages.items():
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                plots.command.main([*map(str, runs), "--output", str(cls.place / "pages" / name), "--format", "html"])
        cls.browser = chromium.Browser(cls.place / "profile")
        cls.addClassCleanup(cls.browser.close)

    def address(self, name: str) -> str:
        return (self.place / "pages" / name / "report.html").as_uri()

    def show(self, name: str, until: str = DRAWN) -> str:
        self.browser.open(self.address(name), until)
        return (self.place / "pages" / name / "report.html").read_text()

    def wait(self, condition: str) -> None:
        """Lets the page go on until a condition of it holds."""
        self.browser.evaluate(f"""new Promise((resolve, reject) => {{
          const end = performance.now() + 60000;
          (function look() {{ ({condition}) ? resolve() : performance.now() > end ? reject(new Error("never")) : setTimeout(look, 20) }})();
        }})""")

    def test_every_chart_is_drawn_without_a_request_and_without_a_word_on_the_console(self):
        self.browser.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        for name in self.pages:
            with self.subTest(name):
                report = self.show(name)
                self.assertTrue(self.browser.evaluate('Number(document.documentElement.dataset.first) > 0'))
                self.browser.evaluate(UNFOLD)
                self.wait(ALL_DRAWN)
                drawn = self.browser.evaluate('[...document.querySelectorAll("[data-panel]")].filter(p => p.querySelector("svg.marks path, svg.marks line")).length')
                self.assertEqual((drawn > 0, drawn), (True, len(panels(report))))
                self.assertEqual(self.browser.errors(), [])
                self.assertEqual([a for a in self.browser.requests() if not a.startswith("data:")], [self.address(name)])
                self.assertLess(len(report.encode()), 3 * 2**20)
                shown = self.browser.evaluate('[...document.querySelectorAll("svg.marks")].map(svg => svg.outerHTML).join("")')
                self.assertEqual(re.findall(r".{0,60}(?:NaN|Infinity|undefined).{0,20}", shown), [])

    def test_nothing_of_a_hostile_name_runs(self):
        self.show("run")
        self.assertTrue(self.browser.evaluate(f'[...document.querySelectorAll("#legend button")].some(b => b.dataset.pick === {HOSTILE[1]!r})'))
        self.assertEqual([e for e in self.browser.events if e["method"] == "Page.javascriptDialogOpening"], [])

    def test_nothing_reaches_beyond_the_edge_of_a_phone(self):
        self.browser.resize(390, 844)
        self.addCleanup(self.browser.resize, 1280, 900)
        for name in ("run", "comparison", "load"):
            with self.subTest(name):
                self.show(name)
                self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 390)

    def test_the_theme_follows_the_system_and_the_button(self):
        paper = 'getComputedStyle(document.body).backgroundColor'
        rgb = {name: "rgb({}, {}, {})".format(*bytes.fromhex(theme["paper"][1:])) for name, theme in plots.charts.THEMES.items()}
        for theme, other in (("light", "dark"), ("dark", "light")):
            with self.subTest(theme):
                self.browser.call("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": theme}])
                self.show("run")
                self.assertEqual(self.browser.evaluate(paper), rgb[theme])
                self.browser.evaluate('document.getElementById("theme").click()')
                self.assertEqual(self.browser.evaluate(paper), rgb[other])
                self.browser.call("Emulation.setEmulatedMedia", media="print")
                self.assertEqual(self.browser.evaluate(paper), rgb["light"])

    def test_the_marks_of_a_chart_are_stepped_through_with_the_keyboard(self):
        self.show("run")
        self.browser.evaluate('document.querySelector("#distribution [data-panel]").focus()')
        said = []
        for key, code in (("ArrowRight", 39), ("ArrowRight", 39), ("ArrowLeft", 37), ("End", 35)):
            self.browser.press(key, code)
            said.append(self.browser.evaluate('document.getElementById("said").textContent'))
            self.assertEqual(self.browser.evaluate('document.querySelectorAll(".here").length'), 1)
            self.assertTrue(self.browser.evaluate('document.getElementById("vg-tooltip-element").classList.contains("visible")'))
        self.assertRegex(said[0], r"contender: \S+, ns: [\d,.]+, to the reference: [\d.]+ ×, generation · round: \d+ · \d+")
        self.assertEqual((said[0], len(set(said))), (said[2], 3))
        self.browser.press("Escape", 27)
        self.assertEqual(self.browser.evaluate('document.querySelectorAll(".here").length'), 0)

    def test_a_contender_that_is_picked_stands_out_and_stands_back(self):
        self.show("run")
        faint = '[...document.querySelectorAll("#overhead svg .mark-symbol path")].filter(p => Number(p.getAttribute("opacity")) < 0.5).length'
        chip = 'document.querySelectorAll("#legend button")[1]'
        self.assertEqual(self.browser.evaluate(faint), 0)
        self.browser.evaluate(f"{chip}.click()")
        self.wait(f"({faint}) > 0")
        self.assertEqual(self.browser.evaluate(f'{chip}.getAttribute("aria-pressed")'), "true")
        self.browser.evaluate(f"{chip}.click()")
        self.wait(f"({faint}) === 0")


if __name__ == "__main__":
    unittest.main()
