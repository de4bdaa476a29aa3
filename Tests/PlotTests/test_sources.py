"""What plot.py promises of the code that it shows: run with `python3 -m unittest discover Tests/PlotTests`."""
import html
import json
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from test_plot import PLOT, RunCase, plots, texts  # noqa: E402

FILES = {
    "AlphaUploads/AlphaUploads.swift": 'public struct AlphaUploads {\n  public let name = "callbacks"\n}\n\nextension AlphaUploads {\n  func start() {}\n}\n\nextension AlphaUploads {\n  func unused() {}\n}\n',
    "AlphaUploads/Publish.swift": "// One comment.\nimport Foundation\n\nextension AlphaUploads {\n  func publish() { start(); Job() }  // <b>\n}\n",
    "AlphaUploads/ZipSerial.swift": "extension AlphaUploads {\n  public func zipSerial() {}\n}\n",
    "AlphaUploads/Job.swift": "final class Job { let part = Part() }\n",
    "AlphaUploads/Part.swift": "struct Part {}\n",
    "AlphaUploads/Other.swift": "final class Other {}\n",
    "AlphaUploads/Variants/Other.swift": 'struct Other {\n  let name = "callbacks/other"\n  func publish() {}\n}\n',
    "AlphaUploads/Variants/Zip.swift": 'struct Zip {\n  let name = "callbacks/zip"\n}\n',
    "BetaUploads/BetaUploads.swift": 'struct BetaUploads {\n  let name = "futures"\n}\n',
    "BetaUploads/Publish.swift": 'extension BetaUploads {\n  func publish() { let text = "</script>" }\n}\n',
    "Textbook/Breaks.swift": 'let breaks = [\n  "textbook/shape": [\n    Broken("limit", because: "all begin at once")\n  ],\n]\n',
    "Textbook/Shape.swift": 'struct Shape {\n  let name = "textbook/shape"\n  func publish() {}\n}\n',
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
    def names(self, found, contender: str) -> list[str]:
        return [name.removeprefix(plots.sources.CONTENDERS) for name, _ in found.of(contender)]

    def test_a_contender_is_found_by_its_name_with_all_that_its_publish_reaches(self):
        found = self.sources()
        self.assertEqual(self.names(found, "callbacks"), ["AlphaUploads/Publish.swift", "AlphaUploads/AlphaUploads.swift", "AlphaUploads/Job.swift", "AlphaUploads/Part.swift"])
        own = dict(found.of("callbacks"))[f"{plots.sources.CONTENDERS}AlphaUploads/AlphaUploads.swift"]
        self.assertIn("func start", own)
        self.assertNotIn("unused", own)
        self.assertNotIn("let name", own)
        self.assertEqual([self.names(found, name) for name in ("callbacks/other", "callbacks/zip", "another")], [["AlphaUploads/Variants/Other.swift"], [], []])

    def test_the_shapes_of_articles_say_what_they_break(self):
        found = self.sources()
        self.assertEqual((found.textbook(), found.breaks("textbook/shape"), found.breaks("callbacks")), (["textbook/shape"], ["all begin at once"], []))

    def test_what_folders_of_operations_hold_is_not_taken(self):
        operations = self.checkout / plots.sources.CONTENDERS / "Alpha/Operations/Publish.swift"
        operations.parent.mkdir(parents=True)
        operations.write_text('let name = "coroutines"\nfunc publish() {}\n')
        self.git("add", "-A")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "second")
        self.assertEqual(self.sources(commit=self.git("rev-parse", "HEAD").strip()).of("coroutines"), [])

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


class CodeSection(SourcesCase):
    def shown(self, choices=("callbacks", "futures", "textbook/shape", "coroutines"), **environment) -> str:
        return plots.sources.code_section(self.sources(**environment), [(name, name) for name in choices], lambda name: "")[0]

    def test_each_choice_has_its_code_and_text_stays_text(self):
        shown = self.shown()
        self.assertEqual(re.findall("<option[^>]*>(.*?)</option>", shown), ["callbacks", "futures", "textbook/shape"] * 2)
        self.assertIn("publish() { start(); Job() }", html.unescape(re.sub("<[^>]*>", "", shown)))
        self.assertIn("Breaks the contract: all begin at once.", shown)
        self.assertIn("<u>&quot;&lt;/script&gt;&quot;</u>", shown)
        self.assertNotIn("</script>", shown)
        self.assertNotIn("import Foundation", shown)

    def test_what_was_not_committed_is_said(self):
        self.assertNotIn("not committed", self.shown())
        self.assertIn("There were changes that were not committed", self.shown(dirty=True))
        self.assertIn("is unknown", self.shown(dirty=None))

    def test_without_two_to_compare_or_the_commit_there_is_no_section_and_the_page_says_why(self):
        self.assertEqual((self.shown(("callbacks",)), self.shown(commit="1" * 40)), ("", ""))
        self.write()
        self.edit("environment.json", lambda text: json.dumps({**json.loads(text), "commit": "1" * 40}))
        self.assertIn("The code is not shown: 111111111111, the commit that was measured, is not in a git checkout", texts(self.report()))


class Checkout(unittest.TestCase):
    def test_every_contender_of_this_checkout_is_found(self):
        checkout = PLOT.parent
        head = subprocess.run(["git", "-C", str(checkout), "rev-parse", "HEAD"], capture_output=True, text=True)
        if head.returncode:
            self.skipTest("this is no git checkout")
        found = plots.sources.Sources({"commit": head.stdout.strip()}, checkout)
        names = ["callbacks", "gcd-groups", "closure-tasks", "operations", "futures", "coroutines", "reactive-streams", "swift-concurrency", "textbook/task-group"]
        self.assertEqual([name for name in names if not found.of(name)], [])
        self.assertEqual([name for name in found.textbook() if not found.breaks(name)], [])


if __name__ == "__main__":
    unittest.main()
