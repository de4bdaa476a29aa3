"""What report.html promises in a real browser: run with `python3 -m unittest discover Tests/PlotTests`."""
import base64
import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import chromium  # noqa: E402
from synthetic_load import write_load  # noqa: E402
from synthetic_run import CONTENDERS, SCENARIOS, write_growth, write_run, write_trace  # noqa: E402
from test_plot import FEW, HOSTILE, PLOT, any_name, needs_libraries, panels, plots  # noqa: E402

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
        write_trace(cls.place / "run", {name: number for number, name in enumerate(hostile)})
        write_run(cls.place / "other", hostile, SCENARIOS, wrong=None, rounds=8, seed=2)
        write_load(cls.place / "load", search=True)
        cls.pages = {"run": [cls.place / "run"], "comparison": [cls.place / "run", cls.place / "other"], "load": [cls.place / "load"]}
        reference = PLOT.parent / "results" / "reference"
        if reference.is_dir():
            cls.pages["reference"] = [reference]
        for name, runs in cls.pages.items():
            cls.draw(name, runs)
        cls.browser = chromium.Browser(cls.place / "profile")
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def draw(cls, name: str, runs: list) -> None:
        with any_name, contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            plots.command.main([*map(str, runs), "--output", str(cls.place / "pages" / name), "--format", "html"])

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
                self.assertLess(len(report.encode()), 1_500_000)
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

    def test_long_names_leave_room_for_what_they_name(self):
        long = "-".join(["a-name-that-goes-on"] * 3)
        write_growth(write_run(self.place / "long", FEW, SCENARIOS, wrong=None, rounds=8, rename=lambda name: f"{long}-{name}"), FEW)
        self.draw("long", [self.place / "long"])
        self.addCleanup(self.browser.resize, 1280, 900)
        for width, height in ((1400, 900), (390, 844)):
            self.browser.resize(width, height)
            with self.subTest(width):
                self.show("long")
                self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)
                # All words of a chart are within it, and what it draws has at least a fifth of its width.
                self.assertEqual(self.browser.evaluate("""[...document.querySelectorAll(".chart:has(svg.marks)")].filter(chart => {
                  const [box, plot] = [chart, chart.querySelector("svg .background")].map(part => part.getBoundingClientRect());
                  return plot.width < box.width / 5 || [...chart.querySelectorAll("svg text")].some(text => text.getBoundingClientRect().right > box.right + 4);
                }).map(chart => chart.id)"""), [])
                self.assertEqual(self.browser.evaluate('[...document.querySelectorAll("th[scope=row]")].filter(head => head.getBoundingClientRect().width > Math.max(360, innerWidth / 3)).length'), 0)

    SMALL = """(() => {
      const small = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const text = walker.currentNode, element = text.parentElement;
        if (!text.data.trim() || element.closest("script, style, #said, title, desc") || !element.getClientRects().length) continue;
        const svg = element.closest("svg"), scale = svg ? svg.getBoundingClientRect().width / svg.width.baseVal.value : 1;
        const size = parseFloat(getComputedStyle(element).fontSize) * scale;
        if (size < 10.95) small.push(`${text.data.trim().slice(0, 30)}: ${size}`);
      }
      return small.slice(0, 5);
    })()"""
    OVERLAPS = """(() => {
      const found = [];
      for (const svg of document.querySelectorAll("svg.marks")) {
        const boxes = [...svg.querySelectorAll("text")].filter(text => text.textContent.trim() && Number(text.getAttribute("opacity") ?? 1) > 0)
          .filter(text => !text.hasAttribute("stroke"))  // the paper around letters
          .map(text => [text.textContent, text.getBoundingClientRect()]);
        boxes.forEach(([one, a], index) => boxes.slice(index + 1).forEach(([other, b]) => {
          if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3.5)
            found.push(`${one} / ${other} in ${svg.closest(".chart").id}`);
        }));
      }
      return found.slice(0, 5);
    })()"""

    def test_at_every_width_text_can_be_read(self):
        """Nothing overflows, nothing overlaps, nothing is below 11 pixels; pictures in both themes, which move nothing, are there to be looked at."""
        self.addCleanup(self.browser.resize, 1280, 900)
        folder = os.environ.get("FANOUT_SCREENSHOTS")
        for width, height in ((1400, 900), (768, 1024), (390, 844)):
            self.browser.resize(width, height)
            with self.subTest(width):
                self.browser.open(f"{self.address('reference')}?theme=light", DRAWN)
                self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)
                self.assertEqual(self.browser.evaluate(self.SMALL), [])
                self.assertEqual(self.browser.evaluate(self.OVERLAPS), [])
                if width == 390:
                    self.assertEqual(self.browser.evaluate('document.querySelectorAll(".scroll[data-more]").length'), 0)
                    self.assertGreater(self.browser.evaluate('document.querySelectorAll("table.stacked td[data-head]").length'), 100)
                top = self.browser.evaluate('document.querySelector("[data-panel]").getBoundingClientRect().top')
                self.assertLess(top, 700 if width == 1400 else 1.5 * height)
                for theme in ("light", "dark") if folder else ():
                    self.browser.evaluate(f'document.documentElement.dataset.theme = "{theme}"')
                    picture = self.browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
                    Path(folder, f"report-{width}-{theme}.png").write_bytes(base64.b64decode(picture))

    def test_it_shows_something_within_a_second(self):
        first = []
        for _ in range(3):  # what else the machine does makes it later, never sooner
            self.show("reference")
            paints = self.browser.evaluate("performance.getEntriesByType('paint').map(entry => [entry.name, entry.startTime])")
            first.append(dict(paints)["first-contentful-paint"])
        self.assertLess(min(first), 1_000)

    def printed(self) -> bytes:
        return base64.b64decode(self.browser.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, printBackground=True)["data"])

    def test_on_paper_it_takes_at_most_eight_pages(self):
        self.show("reference")
        pages = self.printed()
        self.assertLessEqual(pages.count(b"/Type /Page\n") + pages.count(b"/Type /Page "), 8)

    def test_on_paper_a_heading_is_not_parted_from_its_charts(self):
        for name in self.pages:
            with self.subTest(name):
                self.show(name)
                # What is linked to has its page in the file.
                linked = self.browser.evaluate("""(() => {
                  const charts = [...document.querySelectorAll("section > figure .chart")].map(chart => chart.id);
                  document.body.insertAdjacentHTML("beforeend", [...charts, ...document.querySelectorAll("section[id]")].map(of => `<a href="#${of.id ?? of}">.</a>`).join(""));
                  return charts.filter(id => id.endsWith("-1") && document.getElementById(id).checkVisibility());
                })()""")
                page_of = dict(re.findall(r"/([\w-]+) \[(\d+) 0 R /XYZ", self.printed().decode("latin-1")))
                shown = [id for id in linked if id in page_of]
                self.assertGreater(len(shown), 2)
                self.assertEqual([id for id in shown if page_of[id] != page_of[id[:-2]]], [])

    def test_it_answers_within_a_second(self):
        ready = []
        for _ in range(3):  # what else the machine does makes it later, never sooner
            self.show("reference")
            ready.append(self.browser.evaluate('performance.getEntriesByType("navigation")[0].domInteractive'))
        self.assertLess(min(ready), 1_000)

    def test_a_chart_is_saved_with_its_numbers(self):
        self.show("run")
        self.browser.evaluate("""{ window.saved = []; URL.createObjectURL = blob => { saved.push(blob); return "data:,"; };
          HTMLAnchorElement.prototype.click = function () { saved.push(this.download); }; 0 }""")
        self.browser.evaluate('document.querySelectorAll("#overhead-1 [data-get]").forEach(button => button.click())')
        self.wait("saved.length === 4")
        names = self.browser.evaluate("saved.filter(name => typeof name === 'string').sort()")
        texts = self.browser.evaluate("Promise.all(saved.filter(blob => typeof blob !== 'string').map(blob => blob.text()))")
        self.assertEqual(names, ["overhead-1.csv", "overhead-1.svg"])
        picture = next(text for text in texts if text.startswith("<svg"))
        self.assertNotIn("var(--", picture)
        numbers = next(text for text in texts if not text.startswith("<svg"))
        self.assertRegex(numbers.splitlines()[0], "contender,value,low,high")

    def test_code_is_coloured_and_the_same_text(self):
        self.show("reference")
        self.assertEqual(self.browser.evaluate('document.querySelector("pre code i.k")?.textContent'), "import")

    def test_landmarks_are_there_and_headings_are_in_order(self):
        self.show("reference")
        self.assertEqual(self.browser.evaluate('[...document.querySelectorAll("header, nav, main")].map(e => e.localName)'), ["header", "nav", "main"])
        levels = self.browser.evaluate('[...document.querySelectorAll("h1, h2, h3, h4")].map(e => Number(e.localName[1]))')
        self.assertEqual(levels.count(1), 1)
        self.assertTrue(all(after - before <= 2 for before, after in zip(levels, levels[1:])))

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
