"""Runs Scripts/prove-run on folders that were made up, and with a `bench` that only pretends to measure."""
import csv
import json
import math
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))

import proofs  # noqa: E402
import repeatability  # noqa: E402
import sign_test_rule  # noqa: E402

BENCH = f"""#!{sys.executable}
import os, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_prove_run import record
output, name = (sys.argv[sys.argv.index(option) + 1] for option in ("--output", "--name"))
print(name, *sys.argv[1:], file=open(os.path.join(output, "measured"), "a"))
record(os.path.join(output, name), command=sys.argv[1:])
"""


def record(folder, cells=None, command=(), walls=None, **facts):
    """A run of one scenario: of each contender its ratio, half an interval's width, and the verdicts in time and in processor
    time; and the times of its rounds."""
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
    walls = walls or {"callbacks": [100] * 20, **{name: [100 * cell[0]] * 20 for name, cell in cells.items()}}
    with open(Path(folder) / "samples.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow("generation round contender scenario outcome wall_ns dropped".split())
        for name, times in walls.items():
            writer.writerows([0, number, name, "one", "measured", time, ""] for number, time in enumerate(times))


def prove(*arguments):
    done = subprocess.run([ROOT / "Scripts/prove-run", *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def row(text, *beginning):
    """What stands behind so many first columns in a table's row."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return next(cells[len(beginning):] for cells in rows if cells[:len(beginning)] == list(beginning))


class ControlTests(unittest.TestCase):
    def test_verdicts_on_controls_are_counted_by_what_was_injected(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, verdicts in enumerate([("equivalent", "slower", "slower"), ("faster", "equivalent", "slower"),
                                               ("unresolved", "unresolved", "equivalent"), ("equivalent", "slower", "slower")]):
                slow_downs = zip((1, 1.05, 1.1), verdicts, ("equivalent", "slower", "slower"))
                # Where the injected 5 % were told to be 7, the interval is too narrow.
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
        # Twenty rounds that agree.
        before = row(text, "controls-callbacks-quiet", "wall time, sign test")
        self.assertEqual(before[1:3] + before[5:6], ["0 of 4 (0.0–60.2 %)", "100.0 %", "4 of 4 (39.8–100.0 %)"])
        self.assertEqual(row(text, "one", "wall time"), ["25.0 %", "50.0 %", "75.0 %", "66.7 %"])


class RepeatabilityTests(unittest.TestCase):
    def test_perfect_intervals_hold_as_many_as_they_should(self):
        draw = random.Random(1)
        cells = [{run: (math.exp(middle), math.exp(middle - 0.0196), math.exp(middle + 0.0196))
                  for run in range(20) for middle in [draw.gauss(0.3, 0.01)]} for _ in range(200)]
        singles, means = map(lambda lists: sum(lists, []), zip(*map(repeatability.reaches, cells)))
        self.assertAlmostEqual(sum(value <= 1 for value in singles) / len(singles), 0.834, delta=0.01)
        self.assertAlmostEqual(repeatability.ideal_coverage(1), 0.834, delta=0.001)
        held = sum(value <= 1 for value in means) / len(means)
        self.assertAlmostEqual(held, repeatability.ideal_coverage(19), delta=0.01)

    def test_runs_are_held_against_each_other(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, (ratio, verdict) in enumerate([(1.2, "slower"), (1.21, "equivalent"), (1.3, "faster")]):
                record(f"{folder}/repeat-quiet-00{number}", {
                    "futures": (ratio, 0.02, verdict, "slower"), "operations": (1.2, 0.02, "slower", "unresolved")})
            _, text, _ = prove("--from", folder)
        self.assertEqual(row(text, "comparisons of a run"), ["2–2"] * 3)
        self.assertEqual(row(text, "decided comparisons: mean of the runs, worst"), ["100.0 %, 100.0 %", "50.0 %, 50.0 %", "100.0 %, 100.0 %"])
        self.assertEqual(row(text, "decided in wall time and in processor time")[0], "50.0 %")
        self.assertEqual(row(text, "cells with the verdicts faster and slower"), ["1", "0", "0"])
        self.assertEqual(row(text, "cells with the verdicts different and equivalent; different by more than the margin")[0], "1; 1")
        # Of six pairs each way, futures' first two hold each other.
        self.assertEqual(row(text, "intervals that cover another run's ratio (ideal: 83 %)")[0], "66.7 %")
        self.assertEqual(row(text, "difference between two runs, 95th percentile of the cells: median pair, worst")[0], "7.1 %, 7.9 %")
        self.assertEqual(row(text, "wall time", "one", "futures")[0], "1.20–1.30")

    def test_runs_that_were_measured_otherwise_are_not_held_against_each_other(self):
        with tempfile.TemporaryDirectory() as folder:
            record(f"{folder}/repeat-quiet-001", command=["run", "--budget", "1s", "--name", "a"])
            record(f"{folder}/repeat-quiet-002", command=["run", "--budget", "2s", "--name", "b"])
            code, _, problem = prove("--from", folder)
        self.assertEqual(code, 1)
        self.assertIn("not measured alike: run --budget 1s; run --budget 2s", problem)


class MeasuringTests(unittest.TestCase):
    def test_what_is_there_is_not_measured_again_and_what_was_broken_off_is(self):
        with tempfile.TemporaryDirectory() as folder:
            bench = Path(folder) / "bench"
            bench.write_text(BENCH)
            bench.chmod(0o755)
            record(f"{folder}/repeat-loaded-1-001", command=["run", "--budget", "4s"])
            record(f"{folder}/repeat-loaded-1-002", interrupted=True)
            (Path(folder) / "controls-gcd-groups_wait-loaded-1-001").mkdir()
            code, text, problem = prove("--bench", bench, "--output", folder, "--loaded", "1", "--repeat", "3", "--runs", "1",
                                        "--control", "callbacks,gcd-groups/wait", "--budget", "4s")
            self.assertEqual((code, problem.count(" ended with 0")), (0, 4), problem)
            measured = (Path(folder) / "measured").read_text().splitlines()
        self.assertEqual([line.split()[0] for line in measured], [
            "controls-callbacks-loaded-1-001", "controls-gcd-groups_wait-loaded-1-001", "repeat-loaded-1-002",
            "repeat-loaded-1-003"])
        self.assertTrue(measured[1].endswith("--quiet --with-controls --reference gcd-groups/wait --seed 1 --budget 4s"), measured)
        self.assertIn("- `repeat-loaded-1`: 3 runs of 0123456789, 60 s each, `bench run --budget 4s`", text)


class RuleBeforeTests(unittest.TestCase):
    def test_a_sign_test_and_its_interval(self):
        self.assertEqual(sign_test_rule.difference([1.0] * 8), 2 / 256)
        self.assertEqual(sign_test_rule.difference([1.0] * 5 + [0.0] * 3), 2 * (1 + 8 + 28 + 56) / 256)
        # 6 values have an interval at 95 %, from the smallest to the largest; 5 have none.
        self.assertEqual(sign_test_rule.median_interval([3, 1, 2, 6, 5, 4], 0.95), (1, 6))
        self.assertIsNone(sign_test_rule.median_interval([1, 2, 3, 4, 5], 0.95))
        self.assertEqual(sign_test_rule.median_interval(range(1, 21), 0.95), (6, 15))

    def test_holm_grows_milder_until_something_is_accepted(self):
        self.assertEqual(sign_test_rule.holm([0.03, 0.01, 0.04], 0.06), [0.03, 0.02, 0.06])
        self.assertEqual(sign_test_rule.holm([0.05, 0.01, 0.04], 0.06), [0.03, 0.02, 0.03])

    def test_what_a_family_is_called(self):
        slower, same, few = [0.1] * 30, [0.01, -0.01] * 15, [0.1] * 6
        self.assertEqual(sign_test_rule.verdicts([slower, same, few]), ["slower", "equivalent", "unresolved"])
        self.assertEqual(sign_test_rule.verdicts([[-0.1] * 30]), ["faster"])


class ShareTests(unittest.TestCase):
    def test_shares_have_exact_intervals_of_any_number_of_trials(self):
        self.assertEqual(proofs.share(0, 100), "0 of 100 (0.0–3.6 %)")
        self.assertEqual(proofs.share(10, 100), "10 of 100 (4.9–17.6 %)")
        self.assertEqual(proofs.share(2000, 4000), "2000 of 4000 (48.4–51.6 %)")


if __name__ == "__main__":
    unittest.main()
