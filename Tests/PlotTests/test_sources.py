"""What plot.py promises of the code that it shows: run with `python3 -m unittest discover Tests/PlotTests`."""
import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from test_plot import PLOT, RunCase, needs_libraries, plot, texts  # noqa: E402

FILES = {
    "AlphaUploads/AlphaUploads.swift": 'public struct AlphaUploads {\n  public let name = "callbacks"\n}\n',
    "AlphaUploads/Publish.swift": "// One comment.\nimport Foundation\n\nextension AlphaUploads {\n  func publish() {}  // <b>\n}\n",
    "AlphaUploads/ZipSerial.swift": "extension AlphaUploads {}\n",
    "AlphaUploads/Job.swift": "final class Job {}\n",
    "AlphaUploads/Variants/Other.swift": 'struct Other {\n  let name = "callbacks/other"\n}\n',
    "AlphaUploads/Variants/Variants.swift": "let variants = [Other()]\n",
    "AlphaUploads/Variants/Helper.swift": "class Helper {}\n",
    "BetaUploads/BetaUploads.swift": 'struct BetaUploads {\n  let name = "futures"\n}\n',
    "BetaUploads/Publish.swift": 'extension BetaUploads { let text = "</script>" }\n',
    "BetaUploads/ZipSerial.swift": "extension BetaUploads {}\n",
}


@unittest.skipUnless(shutil.which("git"), "needs git")
class SourcesCase(RunCase):
    def setUp(self):
        super().setUp()
        self.house = self.place / "house"
        for name, text in FILES.items():
            path = self.house / plot.CONTENDERS / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first")
        self.commit = self.git("rev-parse", "HEAD").strip()

    def git(self, *command: str) -> str:
        return subprocess.run(["git", "-C", str(self.house), *command], check=True, capture_output=True, text=True).stdout

    def sources(self, **environment):
        return plot.Sources({"commit": self.commit, "dirty": False, **environment}, self.house)


class Files(SourcesCase):
    def test_a_contender_is_found_by_the_name_that_it_says_and_a_pattern_by_its_file(self):
        found, stem = self.sources(), plot.CONTENDERS
        self.assertEqual(found.of("callbacks", "publish"), f"{stem}AlphaUploads/Publish.swift")
        self.assertEqual(found.of("callbacks", "zip-serial"), f"{stem}AlphaUploads/ZipSerial.swift")
        self.assertEqual(found.of("callbacks/other", "publish"), f"{stem}AlphaUploads/Variants/Other.swift")
        self.assertEqual((found.of("callbacks", "race"), found.of("nobody", "publish")), (None, None))
        self.assertEqual(found.beside("callbacks", ["publish"]), [f"{stem}AlphaUploads/AlphaUploads.swift", f"{stem}AlphaUploads/Job.swift"])
        self.assertEqual(found.beside("callbacks/other", ["publish"]), [f"{stem}AlphaUploads/Variants/Helper.swift"])

    def test_it_is_the_code_of_the_commit_whatever_stands_in_the_checkout(self):
        path = self.house / plot.CONTENDERS / "AlphaUploads/Publish.swift"
        path.write_text("changed since\n")
        self.assertEqual(self.sources().files[f"{plot.CONTENDERS}AlphaUploads/Publish.swift"], FILES["AlphaUploads/Publish.swift"])

    def test_without_the_commit_there_is_none_and_the_reason(self):
        for commit, why in ((None, "does not say"), ("--output=x", "does not say"), (["a"], "does not say"), ("0" * 40, "is not in a git checkout")):
            with self.subTest(commit):
                found = self.sources(commit=commit)
                self.assertEqual(found.files, {})
                self.assertIn(why, found.why_not)

    def test_lines_count_without_blank_ones_and_comments(self):
        self.assertEqual(plot.lines_of_code(FILES["AlphaUploads/Publish.swift"]), 4)

    def test_coloured_code_is_the_same_text(self):
        for text in FILES.values():
            shown = plot.coloured(text)
            self.assertEqual(plot.html.unescape(plot.re.sub(r"</?i[^>]*>", "", shown)), text)
            self.assertNotIn("<b>", shown)
        self.assertIn('<i class="k">import</i> Foundation', plot.coloured(FILES["AlphaUploads/Publish.swift"]))


@needs_libraries
class CodeSection(SourcesCase):
    def shown(self, **environment) -> str:
        directory = self.write()
        self.edit("environment.json", lambda text: json.dumps({**json.loads(text), "commit": self.commit, "dirty": False, **environment}))
        run = plot.read_run(directory)
        return plot.code(run, plot.Sources(run.environment, self.house))

    def test_each_contender_stands_beside_the_others_and_text_stays_text(self):
        shown = self.shown()
        self.assertIn("publish() {}", texts(shown))
        self.assertIn("4 lines; the run counted 61", texts(shown))
        self.assertIn("coroutines It has no file for this pattern there.", texts(shown))
        self.assertIn("callbacks: what its patterns share 2 files, 4 lines, in no count above", texts(shown))
        self.assertNotIn("</script>", shown)

    def test_what_was_not_committed_is_said(self):
        self.assertNotIn("not committed", self.shown())
        self.assertIn("There were changes that were not committed", self.shown(dirty=True))
        self.assertIn("is unknown", self.shown(dirty=None))

    def test_what_was_not_measured_is_not_shown(self):
        shown = texts(self.shown(commit="1" * 40))
        self.assertIn("Not shown: 111111111111, the commit that was measured, is not in a git checkout", shown)
        self.assertNotIn("publish()", shown)


class House(unittest.TestCase):
    def test_every_contender_of_this_checkout_is_found(self):
        house = PLOT.parent
        head = subprocess.run(["git", "-C", str(house), "rev-parse", "HEAD"], capture_output=True, text=True)
        if head.returncode:
            self.skipTest("this is no git checkout")
        found = plot.Sources({"commit": head.stdout.strip()}, house)
        targets = {name.rpartition("/")[0] for name in found.files if name.endswith("/Publish.swift") and "/Rivals/" not in name}
        names = {plot.re.search(r'let name = "([^"/]+)"', text)[1] for text in found.files.values() if plot.re.search(r'let name = "[^"/]+"', text)}
        self.assertGreaterEqual(len(targets), 8)
        self.assertLessEqual(targets, {found.of(name, "publish").rpartition("/")[0] for name in names if found.of(name, "publish")})


if __name__ == "__main__":
    unittest.main()
