"""Runs Scripts/prove-run on synthetic folders, and with a `bench` that only pretends to measure."""
import csv
import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCH = f"""#!{sys.executable}
import os, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_prove_run import record
output, name = (sys.argv[sys.argv.index(option) + 1] for option in ("--output", "--name"))
print(name, *sys.argv[1:], file=open(os.path.join(output, "measured"), "a"))
record(os.path.join(output, name), command=sys.argv[1:])
"""


def record(folder, cells=None, command=(), **facts):
    """A run of one scenario: each contender's ratio, half an interval's width, and the verdicts in time and in processor
    time."""
    cells = cells or {"futures": (1.2, 0.02, "slower", "slower")}
    Path(folder).mkdir(parents=True)
    controls = {f"control {name}": "…" for name in cells if "+" in name}
    environment = {"reference": "callbacks", "command_line": ["bench", *command], "notes": controls, "commit": "0123456789ab",
                   "dirty": False, "started_at": "2026-01-01T00:00:00Z", "finished_at": "2026-01-01T00:01:00Z", **facts}
    (Path(folder) / "environment.json").write_text(json.dumps(environment))
    with open(Path(folder) / "summary.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow("contender scenario outcome ratio ratio_ci_low ratio_ci_high verdict "
                        "cpu_ratio cpu_ratio_ci_low cpu_ratio_ci_high cpu_verdict".split())
        writer.writerow(["callbacks", "one", "measured", 1, "", "", "", 1, "", "", ""])
        for name, (ratio, half, time, processor) in cells.items():
            ends = [ratio * math.exp(-half), ratio * math.exp(half)]
            writer.writerow([name, "one", "measured", ratio, *ends, time, ratio, *ends, processor])


def prove(*arguments):
    done = subprocess.run([ROOT / "Scripts/prove-run", *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def row(text, *beginning):
    """The rest of a table's row that begins with these columns."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return next(cells[len(beginning):] for cells in rows if cells[:len(beginning)] == list(beginning))


class ControlTests(unittest.TestCase):
    def test_verdicts_on_controls_are_counted_by_slow_down(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, verdicts in enumerate([("equivalent", "slower", "slower"), ("faster", "equivalent", "slower"),
                                               ("unresolved", "unresolved", "equivalent"), ("equivalent", "slower", "slower")]):
                slow_downs = zip((1, 1.05, 1.1), verdicts, ("equivalent", "slower", "slower"))
                # The interval of the injected 5 % misses them.
                cells = {f"callbacks+{by}": (ratio + 0.02 * (by == 5), 0.01, time, processor)
                         for by, (ratio, time, processor) in zip((0, 5, 10), slow_downs)}
                cells["futures"] = (2, 0.1, "slower", "unresolved")
                record(f"{folder}/controls-callbacks-quiet-00{number}", cells)
            code, text, _ = prove("--from", folder)
        self.assertEqual(code, 0)
        self.assertEqual(row(text, "controls-callbacks-quiet", "wall time"), [
            "2 of 4 (6.8–93.2 %)", "1 of 4 (0.6–80.6 %)", "50.0 %", "2 of 4 (6.8–93.2 %)", "25.0 %", "3 of 4 (19.4–99.4 %)",
            "25.0 %", "8 of 12 (34.9–90.1 %)", "100.0 %"])
        processor = row(text, "controls-callbacks-quiet", "processor time")
        self.assertEqual((processor[0], processor[-1]), ("0 of 4 (0.0–60.2 %)", "0.0 %"))
        self.assertEqual(row(text, "controls-callbacks-quiet", "either")[0], "2 of 4 (6.8–93.2 %)")
        self.assertEqual(row(text, "one", "wall time"), ["25.0 %", "50.0 %", "75.0 %", "66.7 %"])


class GroupTests(unittest.TestCase):
    def test_runs_of_different_commands_are_not_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            record(f"{folder}/controls-quiet-001", command=["run", "--budget", "1s", "--name", "a"])
            record(f"{folder}/controls-quiet-002", command=["run", "--budget", "2s", "--name", "b"])
            code, _, problem = prove("--from", folder)
        self.assertEqual(code, 1)
        self.assertIn("not measured alike: run --budget 1s; run --budget 2s", problem)


class MeasuringTests(unittest.TestCase):
    def test_a_whole_run_is_not_measured_again_and_an_interrupted_one_is(self):
        with tempfile.TemporaryDirectory() as folder:
            bench = Path(folder) / "bench"
            bench.write_text(BENCH)
            bench.chmod(0o755)
            record(f"{folder}/controls-callbacks-loaded-1-001", {"callbacks+0": (1, 0.01, "equivalent", "equivalent")},
                   ["run", "--with-controls", "--reference", "callbacks", "--budget", "4s"])
            record(f"{folder}/controls-callbacks-loaded-1-002", interrupted=True)
            (Path(folder) / "controls-gcd-groups_wait-loaded-1-001").mkdir()
            code, text, problem = prove("--bench", bench, "--output", folder, "--loaded", "1", "--runs", "2",
                                        "--control", "callbacks,gcd-groups/wait", "--budget", "4s")
            self.assertEqual((code, problem.count(" ended with 0")), (0, 3), problem)
            measured = (Path(folder) / "measured").read_text().splitlines()
        self.assertEqual([line.split()[0] for line in measured], [
            "controls-gcd-groups_wait-loaded-1-001", "controls-callbacks-loaded-1-002", "controls-gcd-groups_wait-loaded-1-002"])
        self.assertTrue(measured[0].endswith("--quiet --with-controls --reference gcd-groups/wait --seed 1 --budget 4s"), measured)
        self.assertIn("- `controls-callbacks-loaded-1`: 2 runs of 0123456789, 60 s each", text)


if __name__ == "__main__":
    unittest.main()
