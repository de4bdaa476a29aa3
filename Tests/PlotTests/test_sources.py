"""What plot.py promises of the code that it shows: run with `python3 -m unittest discover Tests/PlotTests`."""
import html
import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from test_plot import PLOT, RunCase, needs_libraries, plots, texts  # noqa: E402

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
        self.checkout = self.place / "checkout"
        for name, text in FILES.items():
            path = self.checkout / plots.sources.CONTENDERS / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first")
        self.commit = self.git("rev-parse", "HEAD").strip()

    def git(self, *command: str) -> str:
        return subprocess.run(["git", "-C", str(self.checkout), *command], check=True, capture_output=True, text=True).stdout

    def sources(self, **environment):
        return plots.sources.Sources({"commit": self.commit, "dirty": False, **environment}, self.checkout)


class Files(SourcesCase):
    def test_a_contender_is_found_by_the_name_that_it_says_and_a_pattern_by_its_file(self):
        found, stem = self.sources(), plots.sources.CONTENDERS
        self.assertEqual(found.of("callbacks", "publish"), f"{stem}AlphaUploads/Publish.swift")
        self.assertEqual(found.of("callbacks", "zip-serial"), f"{stem}AlphaUploads/ZipSerial.swift")
        self.assertEqual(found.of("callbacks/other", "publish"), f"{stem}AlphaUploads/Variants/Other.swift")
        self.assertEqual((found.of("callbacks", "race"), found.of("nobody", "publish")), (None, None))
        self.assertEqual(found.beside("callbacks", ["publish"]), [f"{stem}AlphaUploads/AlphaUploads.swift", f"{stem}AlphaUploads/Job.swift"])
        self.assertEqual(found.beside("callbacks/other", ["publish"]), [f"{stem}AlphaUploads/Variants/Helper.swift"])

    def test_a_contender_is_found_in_either_layout(self):
        stem, names = plots.sources.CONTENDERS, ("Alpha/Uploads", "Operations/Uploads")
        self.git("mv", f"{stem}AlphaUploads", f"{stem}Alpha")
        for old, new in (("Alpha", names[0]), ("BetaUploads", names[1])):
            (self.checkout / stem / new).mkdir(parents=True)
            for path in [path for path in (self.checkout / stem / old).iterdir() if path.name != "Uploads"]:
                path.rename(self.checkout / stem / new / path.name)
        for folder in ("Alpha/Operations", "Operations/Operations"):
            operations = self.checkout / stem / folder / "Publish.swift"
            operations.parent.mkdir(parents=True)
            operations.write_text('let name = "callbacks"\nlet name = "futures"\n')
        self.git("add", "-A")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "second")
        for commit, alpha, beta in ((self.commit, "AlphaUploads", "BetaUploads"), (self.git("rev-parse", "HEAD").strip(), *names)):
            found = self.sources(commit=commit)
            self.assertEqual(found.of("callbacks", "publish"), f"{stem}{alpha}/Publish.swift")
            self.assertEqual(found.of("callbacks/other", "publish"), f"{stem}{alpha}/Variants/Other.swift")
            self.assertEqual(found.of("futures", "zip-serial"), f"{stem}{beta}/ZipSerial.swift")
            self.assertEqual(found.beside("callbacks", ["publish"]), [f"{stem}{alpha}/AlphaUploads.swift", f"{stem}{alpha}/Job.swift"])

    def test_it_is_the_code_of_the_commit_whatever_stands_in_the_checkout(self):
        path = self.checkout / plots.sources.CONTENDERS / "AlphaUploads/Publish.swift"
        path.write_text("changed since\n")
        self.assertEqual(self.sources().files[f"{plots.sources.CONTENDERS}AlphaUploads/Publish.swift"], FILES["AlphaUploads/Publish.swift"])

    def test_without_the_commit_there_is_none_and_the_reason(self):
        for commit, why in ((None, "does not say"), ("--output=x", "does not say"), (["a"], "does not say"), ("0" * 40, "is not in a git checkout")):
            with self.subTest(commit):
                found = self.sources(commit=commit)
                self.assertEqual(found.files, {})
                self.assertIn(why, found.why_not)


@needs_libraries
class CodeSection(SourcesCase):
    def shown(self, **environment) -> str:
        directory = self.write()
        self.edit("environment.json", lambda text: json.dumps({**json.loads(text), "commit": self.commit, "dirty": False, **environment}))
        run = plots.model.read_run(directory)
        return plots.sources.code(run, plots.sources.Sources(run.environment, self.checkout))

    def test_each_contender_stands_beside_the_others_and_text_stays_text(self):
        shown = self.shown()
        self.assertIn("publish() {}", texts(shown))
        self.assertIn("6 lines shown; 61 counted with what it shares", texts(shown))
        self.assertIn("Lines are those that the run counted: the pattern's file alone.", html.unescape(texts(shown)))
        self.assertIn("coroutines It has no file for this pattern there.", texts(shown))
        self.assertIn("callbacks: what its patterns share 2 files", texts(shown))
        self.assertNotIn("</script>", shown)

    def test_what_its_lines_are_the_run_says(self):
        self.assertIn("that the run counted: the file &amp; its friends.", self.shown(notes={"source_lines": "the file & its friends"}))
        self.assertIn("that the run counted: the pattern's file alone.", html.unescape(self.shown(notes="none")))

    def test_what_was_not_committed_is_said(self):
        self.assertNotIn("not committed", self.shown())
        self.assertIn("There were changes that were not committed", self.shown(dirty=True))
        self.assertIn("is unknown", self.shown(dirty=None))

    def test_what_was_not_measured_is_not_shown(self):
        shown = texts(self.shown(commit="1" * 40))
        self.assertIn("Not shown: 111111111111, the commit that was measured, is not in a git checkout", shown)
        self.assertNotIn("publish()", shown)
        self.shown()
        (self.place / "run" / "summary.csv").unlink()
        run = plots.model.read_run(self.place / "run")
        self.assertIn("Not shown: summary.csv does not say of which pattern a scenario is.", texts(plots.sources.code(run, plots.sources.Sources(run.environment, self.checkout))))


class Checkout(unittest.TestCase):
    def test_every_contender_of_this_checkout_is_found(self):
        checkout = PLOT.parent
        head = subprocess.run(["git", "-C", str(checkout), "rev-parse", "HEAD"], capture_output=True, text=True)
        if head.returncode:
            self.skipTest("this is no git checkout")
        found = plots.sources.Sources({"commit": head.stdout.strip()}, checkout)
        targets = {name.rpartition("/")[0] for name in found.files if name.endswith("/Publish.swift") and "/Rivals/" not in name}
        names = ["callbacks", "gcd-groups", "closure-tasks", "operations", "futures", "coroutines", "reactive-streams", "swift-concurrency"]
        self.assertGreaterEqual(len(targets), 8)
        self.assertLessEqual(targets, {found.of(name, "publish").rpartition("/")[0] for name in names if found.of(name, "publish")})


if __name__ == "__main__":
    unittest.main()
