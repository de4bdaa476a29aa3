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
from test_plot import FEW, HOSTILE, PLOT, any_name, plots  # noqa: E402


@unittest.skipUnless(chromium.PATH, "needs a Chromium: no chromium, google-chrome or chromium-browser is on the PATH")
class InABrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = Path(tempfile.mkdtemp())
        # A browser that was ended may still write into its profile.
        cls.addClassCleanup(shutil.rmtree, cls.place, ignore_errors=True)
        hostile, long = {**FEW, HOSTILE[1]: CONTENDERS["coroutines"]}, "-".join(["a-name-that-goes-on"] * 3)
        write_growth(write_run(cls.place / "run", hostile, SCENARIOS, wrong=None, rounds=8), hostile)
        write_trace(cls.place / "run", {name: number for number, name in enumerate(hostile)})
        write_run(cls.place / "other", hostile, SCENARIOS, wrong=None, rounds=8, seed=2)
        write_run(cls.place / "long", FEW, SCENARIOS, wrong=None, rounds=8, rename=lambda name: f"{long}-{name}")
        write_run(cls.place / "alone", {"callbacks": FEW["callbacks"]}, SCENARIOS, wrong=None, rounds=8)
        write_load(cls.place / "load", search=True)
        cls.pages = {name: [cls.place / name] for name in ("run", "long", "alone", "load")} | {"comparison": [cls.place / "run", cls.place / "other"]}
        recorded = [PLOT.parent / "results" / name for name in ("reference", "reference-textbook", "reference-runtimes")]
        cls.pages |= {path.name: [path] for path in recorded if path.is_dir()}
        for name, runs in cls.pages.items():
            with any_name, contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                plots.command.main([*map(str, runs), "--output", str(cls.place / "pages" / name), "--format", "html"])
        cls.browser = chromium.Browser(cls.place / "profile")
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.resize(1400, 800)
        self.browser.call("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": "light"}])
        self.name = "reference" if "reference" in self.pages else "run"

    def show(self, name: str, until: str = "true") -> str:
        address = (self.place / "pages" / name / "report.html").as_uri()
        self.browser.open(address, until)
        return address

    def find(self, script: str):
        return self.browser.evaluate(script)

    SMALL = """(() => {
      const small = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const text = walker.currentNode, element = text.parentElement;
        if (!text.data.trim() || element.closest("script, style, title, caption") || !element.getClientRects().length) continue;
        const svg = element.closest("svg"), scale = svg ? svg.getBoundingClientRect().width / svg.width.baseVal.value : 1;
        const size = parseFloat(getComputedStyle(element).fontSize) * scale;
        if (size < 10.95) small.push(`${text.data.trim().slice(0, 30)}: ${size}`);
      }
      return small.slice(0, 5);
    })()"""
    OVERLAPS = """(() => {
      const found = [];
      for (const svg of document.querySelectorAll("svg")) {
        const boxes = [...svg.querySelectorAll("text")].map(text => [text.textContent, text.getBoundingClientRect()]).filter(([, box]) => box.width);
        const edge = svg.getBoundingClientRect();
        for (const [one, a] of boxes) if (a.right > edge.right + 2) found.push(`${one} leaves its chart`);
        boxes.forEach(([one, a], index) => boxes.slice(index + 1).forEach(([other, b]) => {
          if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3.5) found.push(`${one} / ${other}`);
        }));
      }
      return found.slice(0, 5);
    })()"""

    def test_at_every_width_nothing_overflows_overlaps_or_is_too_small_and_nothing_is_requested(self):
        """Pictures in both themes are there to be looked at."""
        folder = os.environ.get("FANOUT_SCREENSHOTS")
        for name in self.pages:
            for width, height in ((1400, 800), (768, 1024), (390, 844)):
                self.browser.resize(width, height)
                with self.subTest(f"{name} at {width}"):
                    address = self.show(name)
                    self.assertEqual(self.browser.errors(), [])
                    self.assertEqual([a for a in self.browser.requests() if not a.startswith("data:")], [address])
                    self.assertLessEqual(self.find("document.documentElement.scrollWidth"), width)
                    self.find('document.querySelectorAll("details").forEach(fold => fold.open = true)')
                    self.assertLessEqual(self.find("document.documentElement.scrollWidth"), width)
                    self.assertEqual((self.find(self.SMALL), self.find(self.OVERLAPS)), ([], []))
                for theme in ("light", "dark") if folder else ():
                    self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
                    picture = self.browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
                    Path(folder, f"{name}-{width}-{theme}.png").write_bytes(base64.b64decode(picture))

    def test_the_first_picture_needs_no_script_and_fits_a_screen_and_a_sheet(self):
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        self.addCleanup(self.browser.call, "Emulation.setScriptExecutionDisabled", value=False)
        self.show(self.name)
        self.assertLessEqual(self.find('document.querySelector("#answer").getBoundingClientRect().bottom'), 800)
        self.assertGreater(self.find('[...document.querySelectorAll("#answer td")].filter(cell => cell.checkVisibility() && cell.textContent.includes("×")).length'), 11)
        # A sheet of A4, across, without its margins.
        self.browser.resize(1062, 733)
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        self.assertLessEqual(self.find('document.querySelector("#answer").getBoundingClientRect().height'), 733)
        pages = base64.b64decode(self.browser.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
        self.assertLessEqual(len(re.findall(rb"/Type /Page\b(?!s)", pages)), 5)

    def test_the_reader_chooses_the_reference_by_mouse_and_by_keyboard(self):
        self.show(self.name)
        # In each row of what is shown the numbers of the class.
        shown = '[...document.querySelectorAll("#answer tbody")].filter(body => body.checkVisibility()).map(body => body.textContent).join()'
        of = 'document.querySelector("#answer thead th").innerText'
        first = self.find(shown), self.find(of)
        self.find('document.querySelector("label:has(#to-1)").click()')
        second = self.find(shown), self.find(of)
        self.find('document.querySelector("#to-1").focus()')
        self.browser.press("ArrowLeft", 37)
        self.assertEqual((self.find(shown), self.find(of)), first)
        self.assertTrue(first[0] and second[0] and first[0] != second[0] and first[1] != second[1])

    def test_the_reader_chooses_two_codes(self):
        if self.name == "run":
            self.skipTest("there is no recorded run")
        self.show(self.name)
        shown = '[...document.querySelectorAll("#code article")].filter(code => code.checkVisibility()).sort((a, b) => a.getBoundingClientRect().left - b.getBoundingClientRect().left).map(code => code.querySelector("h3").textContent)'
        chosen = self.find('["left", "right"].map(side => document.getElementById(side).selectedOptions[0].textContent)')
        if not chosen or not self.find(shown):
            self.skipTest("the commit that was measured is not here")
        self.assertEqual(self.find(shown), chosen)
        self.find('document.getElementById("left").selectedIndex = 3')
        self.assertEqual(self.find(shown)[0], self.find('document.getElementById("left").options[3].textContent'))

    def test_nothing_of_a_hostile_name_runs(self):
        self.show("run")
        heads = self.find('[...document.querySelectorAll("#answer th[scope=row]")].map(head => head.firstChild.textContent)')
        self.assertIn(plots.text.clipped(HOSTILE[1], 34), heads)
        self.assertIn(plots.text.short(HOSTILE[1]), self.find('[...document.querySelectorAll("#details th[scope=col]")].map(head => head.textContent)'))
        self.assertEqual(self.find('document.querySelectorAll("script, img").length'), 0)
        self.assertEqual([e for e in self.browser.events if e["method"] == "Page.javascriptDialogOpening"], [])

    def test_the_theme_follows_the_system_and_paper_is_light(self):
        paper = "getComputedStyle(document.documentElement).backgroundColor"
        rgb = {name: "rgb({}, {}, {})".format(*bytes.fromhex(theme["paper"][1:])) for name, theme in (("light", plots.svg.LIGHT), ("dark", plots.svg.DARK))}
        self.show("run")
        for theme, media, shown in (("light", "", "light"), ("dark", "", "dark"), ("dark", "print", "light")):
            self.browser.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": theme}])
            self.assertEqual(self.find(paper), rgb[shown])


if __name__ == "__main__":
    unittest.main()
