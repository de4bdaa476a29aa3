"""That runs drawn from all that the grammar of records allows are read, judged and drawn without a traceback, a lost row or a hidden
mark: twenty at a time, or `python3 Tests/PlotTests/test_drawn.py 1000 [SEED]`."""
import csv
import json
import random
import re
import shutil
import statistics
import string
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from synthetic_run import surroundings, write_answer, write_growth, write_trace  # noqa: E402
from test_plot import RunCase, plots  # noqa: E402
from test_resaved import BUILT  # noqa: E402

RULES = plots.reading.RULES
WORDS = ("paper 0 1e5 true null NaN Infinity undefined constructor valueOf toString contender run width cp service N publish-N publish-instant-1 "
         "callbacks futures a=b@c x/../y 2026-01-02 colour 99 _ = latest").split()
SPARSE = [0, 0.5, 1]  # how many of the cells that may be empty are


class Drawing:
    """A run from a seed."""

    def __init__(self, seed: int):
        self.draw = random.Random(seed)
        self.empty = self.draw.choice(SPARSE)

    def name(self, taken=(), run=False) -> str:
        while True:
            letters = string.ascii_letters + string.digits
            name = self.draw.choice(WORDS) if self.draw.random() < 0.5 else self.draw.choice(letters) + "".join(
                self.draw.choices(letters + plots.reading.NAMES["runName" if run else "name"], k=self.draw.choice((0, 3, 20, 99))))
            if name not in taken and name[0] in letters and name != "latest" and not (run and set(name) - set(letters + "-._")):
                return name

    def text(self, most: int) -> str:
        """Of the whole of Unicode, such as a folder's name or a reason."""
        common = "\n\"'%<>&;,\\ \t²١\u202e\u0301👩‍👩‍👧é"
        return "".join(self.draw.choice(common) if self.draw.random() < 0.5 else chr(self.draw.choice((self.draw.randint(0x30, 0xD7FF), self.draw.randint(0xE000, 0x10FFFF))))
                       for _ in range(self.draw.randint(1, most)))

    def number(self, rule):
        least, most = int(rule.check == "positive"), 864 * 10**12 if rule.column.endswith("_ns") else 2**53
        drawn = self.draw.choice((least, most, self.draw.randint(least, 100), self.draw.randint(least, most)))
        return drawn if rule.type == "Int" else self.draw.choice((drawn, 1e30, 1e-30, drawn / 7)) * (-1 if rule.check == "any" and self.draw.random() < 0.3 else 1)

    def row(self, file: str, **known) -> dict:
        row = {}
        for name, rule in RULES[file].items():
            words = rule.type.split("|")
            row[name] = ("" if rule.need != "always" and self.draw.random() < self.empty else self.draw.choice(words) if len(words) > 1 else
                         self.number(rule) if rule.type in ("Int", "Double") else self.name() if rule.check == "name" else
                         plots.reading.CONTROL.sub(" ", self.text(20)) if rule.type == "String" and rule.check == "any" else "")
        return {**row, "machine": "", **known}

    def write(self, place: Path, run: str = "") -> Path:
        draw, run = self.draw, run or self.name(run=True)
        folder = place / (run if draw.random() < 0.5 else self.text(40))
        folder.mkdir()
        contenders, scenarios, samples, cells = [], [], [], []
        for names, most in ((contenders, 4), (scenarios, 3)):
            for _ in range(draw.randint(1, most)):
                names.append(self.name(names))
        failing, rounds, series = draw.choice((0, 0, 0.3, 1)), draw.choice((1, 2, 8)), self.name()[:80]
        is_series, pattern = draw.random() < 0.5, self.name()
        if is_series:
            scenarios = [f"{series}-{10**number}" for number in range(len(scenarios))]
        for scenario in scenarios:
            facts = {name: self.row("samples.csv")[name] for name in ("pattern", "service", "fan_out", "in_flight_limit", "payload_bytes")}
            facts |= dict(fan_out=int(scenario.rpartition("-")[2]), pattern=pattern) if is_series else dict(fan_out=min(facts["fan_out"], 10**6))
            is_bound = draw.random() < 0.3
            for place, contender in enumerate(contenders):
                walls = []
                for number in range(rounds):
                    outcome = "measured" if draw.random() >= failing else draw.choice(("failed", "wrong", "timed_out"))
                    row = self.row("samples.csv", run=run, generation=0, round=number, position=place, contender=contender, scenario=scenario, outcome=outcome,
                                   wall_ns=draw.choice((1, 864 * 10**12, draw.randint(1, 10**9))), dropped="", **facts)
                    row["reason"] = row["reason"] or "a reason" * (outcome != "measured")
                    samples.append(row)
                    walls += [row["wall_ns"]] * (outcome == "measured")
                is_whole = len(walls) == rounds
                cell = self.row("summary.csv", run=run, contender=contender, scenario=scenario, samples=len(walls), dropped=0, reference=contenders[0],
                                outcome="measured" if is_whole else next(row["outcome"] for row in samples[-rounds:] if row["outcome"] != "measured"),
                                median_ns=statistics.median(walls) if is_whole else "", **facts)
                unknown = ["rank_probabilities", "exact_counts", "count_ranges", *["efficiency"] * (not is_bound), *(name for name in cell if "_ci_" in name)]
                cell.update(dict.fromkeys(unknown, ""), verdict=is_whole and draw.choice(("faster", "slower", "equivalent")) or "")
                if cell["ratio"] or contender == contenders[0]:
                    cell["ratio"] = cell["median_ns"] and next((c["median_ns"] and cell["median_ns"] / c["median_ns"] for c in [*cells, cell]
                                                                if (c["contender"], c["scenario"]) == (contenders[0], scenario)), "")
                cells.append(cell)
        for name, rows in (("samples.csv", samples), ("summary.csv", cells)):
            with open(folder / name, "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, RULES[name], lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
        (folder / "environment.json").write_text(json.dumps(surroundings(
            run=run, reference=contenders[0], command_line=[self.text(9)], notes={self.text(9): self.text(20)}, warnings=[self.text(20)], cpu_model=self.text(9))))
        if failing == 0 and not {"cp", "service"} & set(contenders):
            write_answer(folder, [dict(cell, ratio=cell["ratio"] or 1) for cell in cells])
            write_trace(folder, {name: draw.randint(0, 3) for name in contenders})
            if is_series:
                write_growth(folder, contenders, f"{series}-N")
        self.samples, self.cells = samples, cells
        return folder


def in_one_line(code: int, said: str) -> bool:
    return code == 0 or code in (1, 2, 3, 4, 5, 6) and len(said.strip().split("\n")) == 1 and len(said) > 20


class Drawn(RunCase):
    def check(self, seed: int, images: bool) -> None:
        with self.subTest(seed=seed):
            place = self.place / str(seed)
            place.mkdir()
            drawn, other = Drawing(seed), Drawing(seed + 10**6)
            folder = drawn.write(place)
            for reader in [["report", folder], ["compare", folder, folder], *(["export", folder, "--format", f] for f in ("benchstat", "bmf", "gab", "hyperfine", "jmh", "pyperf"))] if BUILT else []:
                done = subprocess.run([BUILT[-1], *reader], capture_output=True, text=True, errors="replace", timeout=60)
                self.assertTrue(in_one_line(done.returncode, done.stderr), f"bench {reader[0]}: {done.returncode} {done.stderr}")
            run = plots.model.read(folder)
            self.assertEqual(run.remarks.faults, [])
            none = plots.model.EXTERNAL_BASELINES
            self.assertEqual(len(run.samples), sum(row["contender"] not in none for row in drawn.samples) or len(drawn.samples))
            self.assertEqual(len(run.cells), sum(row["contender"] not in none for row in drawn.cells) or len(drawn.cells))
            shutil.rmtree(self.place / "out", ignore_errors=True)
            code, files, said = self.draw("--format", "svg,html" if images else "html", runs=(folder,))
            self.assertEqual(code, 0, said)
            for name, content in files.items():
                if name.endswith(".svg"):
                    self.assertEqual(re.findall(r'.{0,40}(?: (?:d|x|y|cx|cy|transform|width|height)="[^"]*(?:nan|inf)).{0,20}', content.decode()), [], name)
            if images:
                self.assertIn(self.draw("--format", "html", runs=(folder, other.write(place)))[0], (0, 6))

    def test_drawn_runs_are_read_judged_and_drawn(self):
        for seed in [*range(1, 11), *(time.time_ns() + number for number in range(10))]:
            self.check(seed, images=seed < 4)


if __name__ == "__main__":
    many, first = (int(word) for word in [*sys.argv[1:], *["1000", "1"][len(sys.argv) - 1:]])
    failed = 0
    for seed in range(first, first + many):
        case = Drawn()
        case.setUp()
        try:
            case.check(seed, images=seed % 20 == 0)
        except Exception as error:
            failed += 1
            print(f"seed {seed}: {error!r}", flush=True)
        case.doCleanups()
    sys.exit(f"{failed} of {many} failed" if failed else 0)
