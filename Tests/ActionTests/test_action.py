"""Runs the steps of action.yml as a runner would, on real clones, with a product that only pretends to measure."""
import json
import os
import re
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

try:
    import yaml
except ImportError:
    raise unittest.SkipTest("action.yml cannot be read without PyYAML: pip install pyyaml")

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
WORKFLOWS = [*ROOT.glob(".github/workflows/*.yml"), *ROOT.glob("Examples/**/benchmark.yml")]

# The built product: records its arguments, and ends as the test demands.
PRODUCT = """#!/bin/bash
printf '%s\\n' "$@" >"$STATE/arguments"
while [ $# -gt 0 ]; do
  if [ "$1" = --report ] && [ -n "$REPORT" ]; then printf '%s\\n' "$REPORT" >"$2"; fi
  shift
done
echo '::notice title=bench check::what it found'
name=$(basename "$0")
echo "$name: building …" >&2
echo "$name: what went wrong: 5 % of it" >&2
echo "See the advice." >&2
exit "$STATUS"
"""

SWIFT = """#!/bin/bash
printf '%s\\n' "$*" >"$STATE/swift"
if [ "$BUILDS" = no ]; then echo 'main.swift:1:1: error: no' >&2; exit 1; fi
mkdir -p .build/release
cp "$STATE/product" ".build/release/${@: -1}"
"""


def evaluated(text, inputs, event):
    """Evaluates the expressions of action.yml: inputs, and the first existing value of the event."""

    def value(expression):
        for alternative in expression.split("||"):
            kind, _, name = alternative.strip().partition(".")
            found = inputs[name] if kind == "inputs" else event.get(name.removeprefix("event."), "")
            if found:
                return found
        return ""

    return re.sub(r"\$\{\{(.*?)\}\}", lambda match: value(match[1]), text)


def git(*arguments, folder=None):
    names = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    return subprocess.run(
        ["git", *names, *map(str, arguments)], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def executable(path, text):
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


class Origin:
    """A repository with a pull request: two commits on main, one on change, and GitHub's merge of them."""

    def __init__(self, folder):
        self.folder = folder
        git("init", "--quiet", "--initial-branch=main", folder)
        (folder / "Package.swift").write_text("// a package\n")
        (folder / ".gitignore").write_text(".build\n")
        self.before, self.base = self.commit("before"), self.commit("base")
        git("checkout", "--quiet", "-b", "change", self.before, folder=folder)
        # Its message looks like a commit's parents.
        self.head = self.commit("change\n\nparent of nothing")
        git("merge", "--quiet", "-m", "merge", self.base, folder=folder)
        # As GitHub merges: onto the base.
        parents = ["-p", self.base, "-p", self.head]
        self.merge = git("commit-tree", "HEAD^{tree}", *parents, "-m", "merge", folder=folder)
        git("branch", "merge", self.merge, folder=folder)

    def commit(self, message):
        (self.folder / message[:6]).write_text(message)
        git("add", "--all", folder=self.folder)
        git("commit", "--quiet", "-m", message, folder=self.folder)
        return git("rev-parse", "HEAD", folder=self.folder)


class Job:
    """A job's clone, and the files that steps write to."""

    def __init__(self, test, folder, origin):
        self.test, self.folder, self.origin = test, folder, origin
        self.state = folder / "state"
        for place in (self.state, folder / "bin"):
            place.mkdir()
        executable(self.state / "product", PRODUCT)
        executable(folder / "bin/swift", SWIFT)

    def clone(self, branch, depth):
        """As actions/checkout does: one commit, or as many as `depth`; 0: all."""
        clone = self.folder / "clone"
        how = [f"--depth={depth}"] if depth else []
        git("clone", "--quiet", "--branch", branch, "--single-branch", *how, f"file://{self.origin.folder}", clone)
        self.sha = git("rev-parse", "HEAD", folder=clone)
        return clone

    def run(self, clone, inputs={}, event={}, name="pull_request", status=0, report="## As it was", **more):
        """Returns the exit code; summary, outputs and log have the steps' output."""
        given = {key: str(entry.get("default", "")) for key, entry in ACTION["inputs"].items()} | inputs
        files = {key: self.folder / key for key in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        self.log = ""
        code = 0
        for step in ACTION["runs"]["steps"]:
            environment = os.environ | {
                **{key: str(path) for key, path in files.items()}, "RUNNER_TEMP": str(self.folder),
                "GITHUB_ACTION_PATH": str(ROOT), "GITHUB_EVENT_NAME": name, "STATE": str(self.state),
                "GITHUB_SHA": self.sha, "REPORT": report,
                "STATUS": str(status), "PATH": f"{self.folder}/bin:{os.environ['PATH']}", **more,
            } | {key: evaluated(text, given, event) for key, text in step["env"].items()}
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=clone / evaluated(step["working-directory"], given, event), env=environment,
                capture_output=True, text=True, timeout=60)
            code = code or done.returncode
            self.log += done.stdout + done.stderr
        self.summary, outputs = (path.read_text() if path.exists() else "" for path in files.values())
        self.outputs = dict(line.split("=", 1) for line in outputs.splitlines())
        for path in files.values():
            path.unlink(missing_ok=True)
        self.test.assertEqual(self.outputs.get("exit-code"), str(code), self.log)
        return code

    def arguments(self):
        """The product's options with their values; None if it was not started."""
        path = self.state / "arguments"
        if not path.exists():
            return None
        words = path.read_text().split("\n")[1:-1]
        return dict(zip(words[::2], words[1::2]))


class ActionTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.origin = Origin(Path(folder.name))

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.job = Job(self, Path(folder.name), self.origin)

    def test_a_pull_request_is_compared_with_the_branch_it_is_merged_into(self):
        # Fetched if the clone is too shallow, even if the event names an older base.
        for depth in (1, 2, 0):
            with self.subTest(depth=depth):
                clone = self.job.clone("merge", depth)
                self.assertEqual(self.job.run(clone, event={"pull_request.base.sha": self.origin.before}), 0)
                self.assertEqual(self.job.arguments()["--against"], self.origin.base)
                subprocess.run(["rm", "-r", clone], check=True)

    def test_other_checkouts_are_compared_with_the_base_of_the_event(self):
        job, origin, clone = self.job, self.origin, self.job.clone("main", 1)
        events = [
            ("pull_request", {"pull_request.base.sha": origin.before}, origin.before),
            ("merge_group", {"merge_group.base_sha": origin.head}, origin.head),
            ("push", {"before": origin.head}, origin.head),
            # A new branch.
            ("push", {"before": "0" * 40}, origin.before),
            ("workflow_dispatch", {}, origin.before),
        ]
        for name, event, base in events:
            with self.subTest(name=name, event=event):
                self.assertEqual(job.run(clone, event=event, name=name), 0)
                self.assertEqual(job.arguments()["--against"], base)

    def test_a_named_base_is_a_commit_a_branch_or_an_executable(self):
        job, origin, clone = self.job, self.origin, self.job.clone("merge", 1)
        (clone / "other").write_text("an executable")
        for against, base in [(origin.before, origin.before), ("main", origin.base), ("HEAD", origin.merge), ("other", "other")]:
            with self.subTest(against=against):
                self.assertEqual(job.run(clone, {"against": against}), 0)
                self.assertEqual(job.arguments()["--against"], base)

    def test_a_whole_clone_stays_whole(self):
        clone = self.job.clone("main", 0)
        self.job.run(clone, {"against": "change"})
        self.assertEqual(git("rev-parse", "--is-shallow-repository", folder=clone), "false")

    def test_exit_codes_reach_the_job_and_the_report_its_summary(self):
        clone = self.job.clone("merge", 2)
        for status in (0, 2, 3, 7):
            with self.subTest(status=status):
                self.assertEqual(self.job.run(clone, status=status), status)
                self.assertEqual(self.job.summary, "## As it was\n\n")
                self.assertEqual(Path(self.job.outputs["report"]).read_text(), "## As it was\n")
                self.assertIn("::notice title=bench check::what it found\n", self.job.log)
                self.assertNotIn("::error", self.job.log)

    def test_a_check_without_a_report_is_an_error_with_a_reason(self):
        clone = self.job.clone("merge", 2)
        for status, code in [(1, 1), (5, 5), (6, 6), (143, 143), (0, 1)]:
            with self.subTest(status=status):
                self.assertEqual(self.job.run(clone, {"product": "mine"}, status=status, report=""), code)
                end = "" if 0 < status < 8 else f"It ended with exit code {status}, and without a report."
                cause = "\n".join(["mine: what went wrong: 5 % of it", "See the advice.", *filter(None, [end])])
                annotation = cause.replace("%", "%25").replace("\n", "%0A")
                self.assertIn(f"::error title=bench check::{annotation}\n", self.job.log)
                indented = cause.replace("\n", "\n    ")
                self.assertIn(f"## Nothing was compared\n\n    {indented}\n", self.job.summary)
                self.assertNotIn("report", self.job.outputs)

    def test_without_a_base_the_step_passes_only_on_request_and_with_a_warning(self):
        job, clone = self.job, self.job.clone("merge", 1)
        for inputs, status in [({"against": "nowhere"}, 0), ({}, 5)]:
            with self.subTest(inputs=inputs):
                self.assertEqual(job.run(clone, inputs, status=status, report=""), 5)
                self.assertEqual(job.run(clone, inputs | {"no-base": "pass"}, status=status, report=""), 0)
                self.assertIn("::warning title=bench check::", job.log)
                self.assertIn("## Nothing was compared", job.summary)

    def test_a_base_that_cannot_be_fetched_is_reported_with_advice(self):
        clone = self.job.clone("merge", 1)
        self.assertEqual(self.job.run(clone, {"against": "--upload-pack=touch x"}), 5)
        self.assertIn("Give actions/checkout a fetch-depth that reaches it", self.job.log)
        self.assertIsNone(self.job.arguments())
        self.assertFalse((clone / "x").exists())

    def test_a_change_that_does_not_build_is_an_error(self):
        clone = self.job.clone("merge", 2)
        self.assertEqual(self.job.run(clone, {"product": "mine"}, BUILDS="no"), 1)
        self.assertIn("::error title=bench check::mine does not build: main.swift:1:1: error: no\n", self.job.log)
        self.assertIn("mine does not build: main.swift:1:1: error: no\n", self.job.summary)

    def test_inputs_are_options_and_never_commands(self):
        clone = self.job.clone("merge", 2)
        text = "$(touch x); `touch x` \"'* 5%"
        inputs = {
            "product": "mine", "contenders": text, "scenario": text, "margin": text, "budget": text,
            "inconclusive": "fail", "options": "--seed *\n  --plant-in $(touch${IFS}x)",
        }
        self.assertEqual(self.job.run(clone, inputs), 0)
        arguments = self.job.arguments()
        self.assertEqual(
            {key: value for key, value in arguments.items() if key not in ("--against", "--report")},
            {
                "--format": "github", "--inconclusive": "fail", "--contenders": text, "--scenario": text,
                "--margin": text, "--budget": text, "--seed": "*", "--plant-in": "$(touch${IFS}x)",
            })
        self.assertEqual((self.job.state / "swift").read_text(), "build -c release --product mine\n")
        self.assertFalse((clone / "x").exists())

    def test_defaults_leave_the_rest_to_the_product(self):
        self.job.run(self.job.clone("merge", 2))
        self.assertEqual(
            list(self.job.arguments()), ["--against", "--format", "--report", "--inconclusive", "--budget"])

    def test_invalid_inputs_are_reported(self):
        clone = self.job.clone("merge", 2)
        (clone / "empty").mkdir()
        for inputs, message in [
            ({"inconclusive": "warn"}, "inconclusive is fail or pass, not warn."),
            ({"no-base": ""}, "no-base is fail or pass, not ."),
            ({"product": ""}, "product is empty"),
            ({"working-directory": "empty"}, "there is no Package.swift in "),
        ]:
            with self.subTest(inputs=inputs):
                self.assertEqual(self.job.run(clone, inputs), 1)
                self.assertIn(message, self.job.log)
                self.assertIsNone(self.job.arguments())

    @unittest.skipUnless(hasattr(os, "geteuid") and os.geteuid() == 0, "only root can give a clone away")
    def test_a_clone_of_another_user_is_read_as_in_a_container(self):
        clone = self.job.clone("merge", 2)
        subprocess.run(["chown", "-R", "65534", clone], check=True)
        self.assertEqual(self.job.run(clone, HOME=str(self.job.folder)), 0)


class UsageTests(unittest.TestCase):
    """Workflows and pages match the action."""

    def uses(self, document):
        for job in document["jobs"].values():
            for step in job["steps"]:
                if step.get("uses") == "./" or "/fanout@" in step.get("uses", ""):
                    yield step

    def test_workflows_use_existing_inputs(self):
        count = 0
        for path in WORKFLOWS:
            for step in self.uses(yaml.safe_load(path.read_text())):
                count += 1
                self.assertLessEqual(set(step.get("with", {})), set(ACTION["inputs"]), path)
        self.assertGreaterEqual(count, 2)

    def test_the_documentation_has_every_input_and_its_default(self):
        text = (ROOT / "Documentation/GitHub.md").read_text()
        rows = dict(re.findall(r"^\| `([a-z-]+)` \| (?:`([^`]+)`)? *\|", text, re.MULTILINE))
        self.assertEqual(rows, {key: str(entry["default"]) for key, entry in ACTION["inputs"].items()})

    def test_no_expression_stands_in_a_script(self):
        for path in [*WORKFLOWS, ROOT / "action.yml"]:
            for script in re.findall(r'"run": ("(?:[^"\\]|\\.)*")', json.dumps(yaml.safe_load(path.read_text()))):
                self.assertNotIn("${{", script, path)

    def test_the_five_lines_are_those_of_the_whole_file(self):
        lines = re.compile(r"^ *- uses: actions/checkout@v7\n(?:.*\n){3} +product: .*$", re.MULTILINE)
        found = lines.search((ROOT / "Documentation/GitHub.md").read_text())
        checkout, check = yaml.safe_load(found[0])
        steps = yaml.safe_load((ROOT / "Examples/YourContender/benchmark.yml").read_text())["jobs"]["check"]["steps"]
        self.assertEqual(checkout["with"]["fetch-depth"], steps[0]["with"]["fetch-depth"])
        self.assertIn(check, steps)


if __name__ == "__main__":
    unittest.main()
