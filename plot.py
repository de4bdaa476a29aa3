#!/usr/bin/env python3
# /// script
# requires-python = ">=3.9"
# dependencies = ["altair>=5.5", "vl-convert-python>=1.7"]
# ///
"""Draws a run directory: every chart as PNG and SVG, and one report.html that opens without a network; of several
directories, how they compare.

Every name, number and order comes from the runs' own files; an empty cell is unknown and never drawn as 0. What is damaged is
left out, named with its line, and the rest drawn.
In order: read (files to rows), sources (what was measured, from git), model (rows to a run), words, charts, page, comparison,
command.
"""
from __future__ import annotations

import argparse
import csv
import html
import io
import json
import math
import os
import re
import stat
import statistics
import subprocess
import sys
import tempfile
import textwrap
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import combinations, groupby
from pathlib import Path
from types import SimpleNamespace

INSTALL = "python3 -m pip install altair vl-convert-python"


class Problem(Exception):
    """What stops the drawing, in one line, with its exit code: 1 usage, 6 a file cannot be read or written."""

    def __init__(self, message: str, code: int = 6):
        super().__init__(one_line(message))
        self.code = code


def one_line(message: str) -> str:
    return "".join(c if c.isprintable() else " " for c in message)


class Remarks:
    """What a reader of the drawing must know of its files, a line each: what they lack, and what is wrong with them."""

    def __init__(self):
        self.notes: list[str] = []
        self.faults: list[str] = []
        self.damaged: set[str] = set()  # files of which rows are left out

    def note(self, message: str) -> None:
        self.notes.append(one_line(message))

    def fault(self, message: str) -> None:
        self.faults.append(one_line(message))

    def all(self) -> list[str]:
        return self.faults + self.notes


# ------------------------------------------------------------------------------------------------ read

SAMPLE_COLUMNS = {
    str: "contender scenario outcome reason dropped machine",
    int: "generation round fan_out posts",
    float: "wall_ns failure_to_completion_ns failure_to_stop_ns",
}
SUMMARY_COLUMNS = {
    str: "run contender scenario pattern service outcome reference verdict unresolved_reason machine",
    int: "fan_out samples dropped rank_group peak_threads peak_rss_bytes source_lines",
    float: "median_ns median_ci_low_ns median_ci_high_ns p90_ns p99_ns ns_per_upload overhead_ns_per_upload "
    "ratio ratio_ci_low ratio_ci_high efficiency cpu_ns_per_upload switches_per_upload "
    "allocations_per_upload retains_per_upload objects_per_upload failure_to_completion_ns failure_to_stop_ns "
    "starts_after_failure wasted_bytes heartbeat_worst_ns bytes_per_upload",
}
CROSSOVER_COLUMNS = {
    str: "series cheaper_below cheaper_above machine",
    int: "proved_below proved_above", float: "fan_out fan_out_ci_low fan_out_ci_high",
}
# A file of an earlier version lacks these: then they are unknown.
ADDED_LATER = set(
    "machine verdict unresolved_reason objects_per_upload failure_to_completion_ns failure_to_stop_ns starts_after_failure wasted_bytes "
    "heartbeat_worst_ns bytes_per_upload".split())
# What Results/ExternalBaseline.swift calls it: measured beside the contenders, and none of them.
YARDSTICK = "cp"
LOAD_COLUMNS = {
    str: "run contender scenario outcome reason verdict slo_percentile",
    int: "windows windows_disturbed posts",
    float: "offered_per_s achieved_per_s p50_ns p90_ns p99_ns p99_9_ns p99_99_ns max_ns lateness_p50_ns lateness_p99_ns "
    "lateness_max_ns process_cpu_share machine_cpu_share slo_ns",
}
LATENCY_COLUMNS = {str: "contender scenario", int: "posts", float: "offered_per_s latency_low_ns latency_high_ns"}
LIMIT_COLUMNS = {
    str: "contender scenario slo_percentile outcome reason monotone", int: "windows",
    float: "slo_ns held_per_s missed_per_s",
}
GROWTH_COLUMNS = {
    str: "contender series verdict stopped_by machine",
    int: "least_fan_out most_fan_out superlinear_from_fan_out stopped_at_fan_out",
    float: "exponent exponent_ci_low exponent_ci_high fixed_ns linear_ns log_linear_ns",
}
NEVER_EMPTY = {"contender", "scenario", "series", "outcome", "fan_out", "offered_per_s", "latency_low_ns",
               "latency_high_ns", "cheaper_below", "cheaper_above"}
MAY_BE_NEGATIVE = {"overhead_ns_per_upload", "exponent", "exponent_ci_low", "exponent_ci_high", "fixed_ns", "linear_ns",
                   "log_linear_ns"}


# More than any run has: bench reads a million samples at most, of some 180 bytes, and an environment.json has some 30 kB.
MOST_BYTES, MOST_BYTES_OF_ENVIRONMENT, MOST_ROWS = 2**30, 64 * 2**20, 1_000_000


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    try:
        # Not to wait for somebody who writes to a pipe of that name; regular files know no such waiting.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Problem(f"{path}: cannot be read: it is no regular file.")
            size = os.fstat(descriptor).st_size
            if size > most:
                raise Problem(f"{path}: is larger than {most >> 20} MiB, as no run's is. Record the run again.")
            return file.read(size).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise Problem(f"{path}:{line}: is not UTF-8. Save it as UTF-8, or record the run again.")
    except OSError as error:
        raise Problem(f"{path}: cannot be read: {error.strerror}.")


def read_table(path: Path, columns: dict, remarks: Remarks, appended: bool = False) -> list[SimpleNamespace]:
    """The rows, with None for what is empty.

    A row that is damaged is left out and named. A file that is appended to while a run goes on may end in half a line, which
    is left out and noted.
    """
    try:
        text = read_text(path)
    except Problem as problem:
        remarks.fault(f"{problem} What is drawn from it is left out.")
        return []
    if appended and "\n" in text and not text.endswith("\n"):
        text = text[: text.rindex("\n") + 1]
        remarks.note(f"{path.name} ends in half a line, left out: the run was stopped while it wrote.")
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    kinds = {name: kind for kind, names in columns.items() for name in names.split()}
    rows, damaged = [], []
    try:
        header = next(lines, [])
        twice = [name for name in kinds if header.count(name) > 1]
        absent = [name for name in kinds if name not in header and name not in ADDED_LATER]
        if twice or NEVER_EMPTY.intersection(absent):
            fault = f"column {twice[0]} stands twice in" if twice else f"column {sorted(NEVER_EMPTY.intersection(absent))[0]} is missing from"
            remarks.fault(f"{path}:1: {fault} the header, so nothing of the file is drawn. Record the run again with this version.")
            return []
        if absent:
            named = f"columns {listed(absent)} are" if len(absent) > 1 else f"column {absent[0]} is"
            remarks.fault(f"{path}:1: {named} missing from the header: unknown here. Another version wrote it.")
        for fields in lines:
            where = f"{path}:{lines.line_num}"
            if len(rows) == MOST_ROWS:
                remarks.fault(f"{where}: has more than {MOST_ROWS} rows, as no run has. That row and what follows it are left out.")
                remarks.damaged.add(path.name)
                break
            try:
                if len(fields) != len(header):
                    raise Problem(f"{where}: has {len(fields)} fields where {len(header)} belong.")
                row = dict(zip(header, fields))
                rows.append(SimpleNamespace(
                    line=lines.line_num, **{n: value(row.get(n, ""), n, kinds[n], where) for n in kinds}))
            except Problem as problem:
                damaged.append(str(problem))
    except csv.Error as error:
        damaged.append(f"{path}:{lines.line_num}: is not CSV: {error}.")
        remarks.fault(f"{damaged[-1]} What follows in the file is left out.")
    else:
        if damaged:
            others = f", and {len(damaged) - 1} more" if len(damaged) > 1 else ""
            remarks.fault(f"{damaged[0]} That row{others} of the file {'are' if others else 'is'} left out.")
    if damaged:
        remarks.damaged.add(path.name)
    return rows


def value(text: str, name: str, kind: type, where: str):
    if not text:
        if name in NEVER_EMPTY:
            raise Problem(f"{where}: column {name} is empty, and a row means nothing without it.")
        return None
    try:
        if kind is not str and not re.fullmatch(r"[-+.eE0-9]+", text):
            raise ValueError
        number = kind(text)
    except ValueError:
        belongs = "whole number" if kind is int else "number"
        raise Problem(f"{where}: column {name} holds {text[:40]!r}, which is no {belongs}.")
    if kind is not str and (math.isinf(number) or number < 0 and name not in MAY_BE_NEGATIVE):
        raise Problem(f"{where}: column {name} holds {text[:40]!r}, which is negative or endless.")
    return number


def read_run(directory: Path) -> Run:
    remarks = Remarks()
    tables = []
    for name, columns in (("summary.csv", SUMMARY_COLUMNS), ("samples.csv", SAMPLE_COLUMNS)):
        if (directory / name).exists():
            tables.append(read_table(directory / name, columns, remarks, appended=name == "samples.csv"))
        else:
            tables.append([])
            remarks.note(f"{name} is missing: what is drawn from it is left out.")
    if not any(tables):
        raise Problem(remarks.faults[0] if remarks.faults else
                      f"{directory}: has no row in summary.csv or samples.csv, so there is nothing to draw.")
    kept = [[row for row in rows if row.contender != YARDSTICK] for rows in tables]
    if any(kept) and any(len(rows) < len(all_rows) for rows, all_rows in zip(kept, tables)):
        remarks.note(f"{YARDSTICK}, the yardstick, is no contender and is not drawn: summary.md has its numbers.")
        tables = kept
    # A run without a series of fan-outs has no such files, and lacks nothing.
    series = []
    for name, columns in (("growth.csv", GROWTH_COLUMNS), ("crossovers.csv", CROSSOVER_COLUMNS)):
        path = directory / name
        series.append(read_table(path, columns, remarks) if path.exists() else [])
    return Run(directory, *tables, read_environment(directory, remarks), remarks, *series)


def read_load(directory: Path) -> LoadRun:
    """A run of `bench load`, known by its load.csv."""
    remarks = Remarks()
    tables = []
    for name, columns in (("load_summary.csv", LOAD_COLUMNS), ("latencies.csv", LATENCY_COLUMNS), ("limits.csv", LIMIT_COLUMNS)):
        there = (directory / name).exists()
        tables.append(read_table(directory / name, columns, remarks) if there else [])
        if not there and name != "limits.csv":
            remarks.note(f"{name} is missing: what is drawn from it is left out.")
    if not tables[0]:
        raise Problem(remarks.faults[0] if remarks.faults else
                      f"{directory}: has no row in load_summary.csv, so there is nothing to draw.")
    return LoadRun(directory, *tables, read_environment(directory, remarks), remarks)


def read(directory: Path) -> Run | LoadRun:
    if not directory.is_dir():
        raise Problem(f"{directory}: is no run directory. Measure first (swift run -c release bench), or name one.")
    return read_load(directory) if (directory / "load.csv").exists() else read_run(directory)


def read_environment(directory: Path, remarks: Remarks) -> dict:
    path = directory / "environment.json"
    if not path.exists():
        remarks.note("environment.json is missing: on what this ran is unknown.")
        return {}
    try:
        environment = json.loads(read_text(path, MOST_BYTES_OF_ENVIRONMENT))
        # Half a pair of surrogates can be escaped, and written by nobody.
        environment = json.loads(re.sub("[\ud800-\udfff]", "\ufffd", json.dumps(environment, ensure_ascii=False)))
        if isinstance(environment, dict):
            return environment
        remarks.fault(f"{path}: holds no JSON object: on what this ran is unknown.")
    except (ValueError, RecursionError) as error:
        remarks.fault(f"{path}: is not JSON: {error}: on what this ran is unknown.")
    except Problem as problem:
        remarks.fault(f"{problem} On what this ran is unknown.")
    return {}


# --------------------------------------------------------------------------------------------- sources

HOUSE = Path(__file__).resolve().parent
CONTENDERS = "Sources/Contenders/"


class Sources:
    """The contenders' files as they were measured: those of the run's commit, from the git of the checkout that this file is in.

    `why_not` says why there are none.
    """

    def __init__(self, environment: dict, house: Path = HOUSE):
        self.commit, self.files, self.why_not = environment.get("commit"), {}, ""
        self.is_dirty = environment.get("dirty")
        # The text is handed to git: nothing but an object's name may pass.
        if not isinstance(self.commit, str) or not re.fullmatch(r"[0-9a-f]{7,64}", self.commit):
            self.commit, self.why_not = None, "the run does not say at which commit its contenders were built"
            return
        names = self._git(house, "ls-tree", "-r", "-z", "--name-only", self.commit, "--", CONTENDERS)
        if names is None:
            self.why_not = f"{self.commit[:12]}, the commit that was measured, is not in a git checkout around plot.py"
            return
        names = [name for name in names.decode(errors="replace").split("\0") if name.endswith(".swift") and "\n" not in name]
        blobs = self._git(house, "cat-file", "--batch", ask="".join(f"{self.commit}:{name}\n" for name in names).encode()) or b""
        for name in names:
            head, _, rest = blobs.partition(b"\n")
            size = int(head.rsplit(b" ", 1)[-1]) if head.rsplit(b" ", 1)[-1].isdigit() else -1
            if size >= 0:
                self.files[name], blobs = rest[:size].decode(errors="replace"), rest[size + 1:]
            else:
                blobs = rest
        if not self.files:
            self.why_not = f"{self.commit[:12]}, the commit that was measured, has no contenders in {CONTENDERS}"

    @staticmethod
    def _git(house: Path, *command: str, ask: bytes = b"") -> bytes | None:
        try:
            done = subprocess.run(["git", "-C", str(house), *command], input=ask, capture_output=True, timeout=30)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout if done.returncode == 0 else None

    def folder(self, contender: str) -> tuple[str, str] | None:
        """The folder of the target that a contender is from, and its own file: the one that says its name."""
        said = re.compile(rf'\blet name(?:: String)? = "{re.escape(contender)}"')
        for name, text in self.files.items():
            if said.search(text):
                return name[: name.rindex("/Variants/")] if "/Variants/" in name else name.rpartition("/")[0], name
        return None

    def of(self, contender: str, pattern: str) -> str | None:
        """The file in which a contender writes a pattern: one for each, but a variant has one for all."""
        found = self.folder(contender)
        if not found:
            return None
        folder, own = found
        file = f"{folder}/{''.join(part.capitalize() for part in pattern.split('-'))}.swift"
        return own if "/Variants/" in own else file if file in self.files else None

    def beside(self, contender: str, patterns: list[str]) -> list[str]:
        """The other files of its target, which its patterns share."""
        found = self.folder(contender)
        if not found:
            return []
        folder, own = found
        if "/Variants/" in own:
            # A variant is a file that says its name; what says none is theirs in common.
            return [name for name in self.files if name.startswith(f"{folder}/Variants/") and name != own
                    and not name.endswith("/Variants.swift") and not re.search(r'\blet name(?:: String)? = "', self.files[name])]
        shown = {self.of(contender, pattern) for pattern in patterns}
        return [name for name in self.files if name.rpartition("/")[0] == folder and name not in shown
                and name.rpartition("/")[2] not in self._pattern_files()]

    def _pattern_files(self) -> set[str]:
        """File names that most contenders have: the patterns, those included that the run did not take."""
        names = Counter(name.rpartition("/")[2] for name in self.files if "/Variants/" not in name)
        folders = {name.rpartition("/")[0] for name in self.files if "/Variants/" not in name}
        return {name for name, count in names.items() if count > len(folders) / 2}


def lines_of_code(text: str) -> int:
    """Without blank ones, comments and conditions of compilation, as the run counts them."""
    return sum(1 for line in map(str.strip, text.splitlines()) if line and not line.startswith(("//", "#")))


SWIFT = re.compile(
    r'(?P<c>//[^\n]*|/\*.*?\*/)|(?P<s>"""(?:.*?)"""|"(?:\\.|[^"\\\n])*")|(?P<k>(?<![\w.])(?:import|extension|struct|class|enum|protocol|'
    r"actor|func|init|deinit|let|var|return|if|else|guard|for|in|while|repeat|switch|case|default|break|continue|defer|do|try|catch|throw|"
    r"throws|rethrows|async|await|public|private|fileprivate|internal|package|static|final|override|mutating|some|any|where|self|Self|nil|"
    r"true|false|is|as|inout|weak|unowned|nonisolated|isolated|sending|borrowing|consuming|consume|typealias|associatedtype|subscript|get|"
    r"set|lazy|super|convenience|required|indirect|operator)\b)", re.S)


def coloured(text: str) -> str:
    """Swift as HTML: comments, texts and keywords marked."""
    parts, end = [], 0
    for match in SWIFT.finditer(text):
        parts += [escape(text[end:match.start()]), f'<i class="{match.lastgroup}">{escape(match[0])}</i>']
        end = match.end()
    return "".join([*parts, escape(text[end:])])


# ----------------------------------------------------------------------------------------------- model


def name_of(directory: Path) -> str:
    """In text, which a name need not be."""
    return os.fsencode(directory.resolve().name).decode(errors="replace")


class Run:
    """Cells by (contender, scenario), samples, and the orders in which names first appear."""

    def __init__(self, directory: Path, cells: list, samples: list, environment: dict, remarks: Remarks, growth: list, crossovers: list):
        self.directory, self.name = directory, next((c.run for c in cells if c.run), name_of(directory))
        self.samples, self.environment, self.remarks = samples, environment, remarks
        self.growth, self.crossovers = growth, crossovers
        rows = [*cells, *samples]
        self.machines = list(dict.fromkeys(row.machine for row in rows if row.machine))
        self.scenario_of = {}
        for row in rows:
            # What was measured on two machines is two things: they share no chart's row, no curve and no table's column.
            name = row.scenario
            if len(self.machines) > 1:
                row.scenario = f"{name} @ {row.machine or 'unknown'}"
            self.scenario_of[row.scenario] = name
        self.cells = {}
        summary = directory / "summary.csv"
        for (contender, scenario), same in grouped(cells, lambda c: (c.contender, c.scenario)).items():
            if len(same) > 1:
                remarks.fault(f"{summary}:{same[1].line}: {contender} × {scenario} stands twice, and neither row is drawn.")
                continue
            self.cells[contender, scenario] = same[0]
            same[0].measured = same[0].outcome == "measured" and bool(same[0].median_ns)
        self.contenders = list(dict.fromkeys(row.contender for row in rows))
        self.scenarios = list(dict.fromkeys(row.scenario for row in rows))
        self.fan_out = {row.scenario: row.fan_out for row in rows}
        # Operations of the runtimes have units of their own kinds: switches, awaits, elements.
        # A scenario that lost too many rounds ranks nobody: that is no tie.
        self.undecided = {c.scenario: c.unresolved_reason for c in self.cells.values() if c.unresolved_reason}
        for scenario, rows in grouped([c for c in self.cells.values() if c.ratio and c.contender != c.reference], lambda c: c.scenario).items():
            if len(rows) > 1 and all(c.ratio_ci_low is None for c in rows):
                self.undecided.setdefault(scenario, "no ratio has an interval")
        self.unit = "unit" if {c.service for c in cells} == {"runtime"} else "upload"
        self.one = "a unit" if self.unit == "unit" else "an upload"
        self.pattern = {c.scenario: c.pattern for c in cells if c.pattern}
        self.references = {c.scenario: c.reference for c in cells if c.reference}
        self.reference = next(iter(self.references.values()), None)
        good = [s for s in samples if s.outcome == "measured"]
        self.kept = [s for s in good if not s.dropped and s.wall_ns]
        self.kept_by_cell = grouped(self.kept, lambda s: (s.contender, s.scenario))
        if "samples.csv" not in remarks.damaged:
            disagreeing = [f"{summary}:{cell.line}: {found}" for cell in self.cells.values() for found in self._contradiction(cell)]
            if disagreeing:
                others = f" So have {len(disagreeing) - 1} more." if len(disagreeing) > 1 else ""
                remarks.fault(f"{disagreeing[0]} Someone changed a file, and what disagrees is not drawn.{others}")
        posts = {s.scenario: set() for s in good}
        for sample in good:
            posts[sample.scenario].add(sample.posts)
        self.endings = [s for s in self.scenarios if posts.get(s, set()) - {None} == {0}]
        waiting = {c.scenario for c in self.cells.values() if c.efficiency is not None}
        self.waits = [s for s in self.scenarios if s in waiting and s not in self.endings]
        self.works = [s for s in self.scenarios if s not in self.endings and s not in self.waits]
        # Coordination is paid per upload; waiting, failing and an empty post are a post's own.
        self.units = {s: max(self.fan_out[s], 1) if s in self.works else 1 for s in self.scenarios}
        for cell in self.cells.values():
            units = cell.units = self.units[cell.scenario]
            cell.per = self.per(cell.scenario)
            cell.each, cell.low, cell.high = (
                v and v / units for v in (cell.median_ns, cell.median_ci_low_ns, cell.median_ci_high_ns))
        self.first_calls = self._first_calls(good)

    def _contradiction(self, cell) -> list[str]:
        """Why the numbers of a measured cell cannot all be those of the run; the cell then has none."""
        samples = [s.wall_ns for s in self.kept_by_cell.get((cell.contender, cell.scenario), [])]
        what, found = f"{cell.contender} × {cell.scenario} has", []
        for name, low, middle, high in (
                ("median_ns", cell.median_ci_low_ns, cell.median_ns, cell.median_ci_high_ns),
                ("ratio", cell.ratio_ci_low, cell.ratio, cell.ratio_ci_high)):
            if cell.measured and None not in (low, middle, high) and not low <= middle <= high:
                found = [f"{what} a {name} outside its interval."]
        if cell.measured and samples and abs(statistics.median(samples) / cell.median_ns - 1) > 0.005:
            found = [f"{what} a median_ns of {cell.median_ns:.6g}, its samples one of {statistics.median(samples):.6g}."]
        if found:
            cell.measured, cell.outcome = False, "contradicted"
        return found

    @staticmethod
    def _first_calls(good: list) -> dict:
        """Median over the fresh processes of the first sample of a cell: round 0, which people pay for too."""
        times = defaultdict(list)
        for sample in good:
            if sample.round == 0 and sample.wall_ns and sample.dropped != "disturbed":
                times[sample.contender, sample.scenario].append(sample.wall_ns)
        return {key: statistics.median(walls) for key, walls in times.items()}

    def per(self, scenario: str) -> str:
        return f"per {self.unit}" if self.fan_out[scenario] and scenario in self.works else "per post"

    def measured(self, scenario: str) -> list:
        cells = (self.cells.get((contender, scenario)) for contender in self.contenders)
        return [cell for cell in cells if cell and cell.measured]

    def unmeasured(self) -> list[tuple[str, str, str, str]]:
        """(contender, scenario, outcome, reason) of each cell that has no number, with its commonest reason."""
        reasons = defaultdict(Counter)
        for sample in self.samples:
            if sample.outcome != "measured":
                reasons[sample.contender, sample.scenario][sample.outcome, sample.reason or "no reason recorded"] += 1
        found = []
        for key in {**self.cells, **reasons}:
            cell = self.cells.get(key)
            if cell and cell.measured:
                continue
            if cell and cell.outcome == "contradicted":
                outcome, reason = "contradicted", "the files do not agree on it"
            elif key in reasons:
                seen = reasons[key].most_common()
                (outcome, reason), times = next((s for s in seen if cell and s[0][0] == cell.outcome), seen[0])
                reason += f" ({plain(times)} sample{'s' if times > 1 else ''})"
            else:
                unexplained = cell.outcome == "measured"
                outcome, reason = ("no number", "no sample counts") if unexplained else (cell.outcome, "no reason recorded")
            found.append((*key, outcome.replace("_", " "), reason))
        return found

    def families(self) -> dict[str, list[str]]:
        """Scenarios that differ only in fan-out, by what their names share; fan-out 0 has no upload and is left out."""
        families = defaultdict(list)
        for scenario in self.works:
            count = str(self.fan_out[scenario])
            if count != "0" and self.measured(scenario):
                name = self.scenario_of[scenario]
                stem = re.sub(rf"(?<!\d){count}(?!\d)", "N", name, count=1) + scenario[len(name):]
                families[stem].append(scenario)
        return {stem if len(names) > 1 else names[0]: sorted(names, key=self.fan_out.get)
                for stem, names in families.items()}

    def series(self) -> dict[str, list]:
        """Rows of growth.csv by their series, each with the contender's measured cells, the narrowest first."""
        series = defaultdict(list)
        for row in self.growth:
            row.cells = sorted((cell for (contender, scenario), cell in self.cells.items()
                                if contender == row.contender and cell.measured and cell.fan_out
                                and in_series(self.scenario_of[scenario], cell.fan_out) == row.series
                                and (len(self.machines) < 2 or cell.machine == row.machine)),
                               key=lambda cell: cell.fan_out)
            if row.cells:
                series[f"{row.series} @ {row.machine}" if len(self.machines) > 1 else row.series].append(row)
        return dict(series)

    def by_cost(self, scenarios: list[str]) -> list[str]:
        """Contenders from cheap to dear: by the mean, over the scenarios they have, of log(median ÷ the best)."""
        excess = defaultdict(list)
        for scenario in scenarios:
            cells = self.measured(scenario)
            for cell in cells:
                excess[cell.contender].append(math.log(cell.median_ns / min(c.median_ns for c in cells)))
        return sorted(self.contenders, key=lambda c: statistics.mean(excess[c]) if c in excess else math.inf)


class LoadRun:
    """What was offered to whom: rows by scenario and rate, and the orders in which names first appear."""

    reference = None

    def __init__(self, directory: Path, rows: list, latencies: list, limits: list, environment: dict, remarks: Remarks):
        self.name = next((r.run for r in rows if r.run), name_of(directory))
        for (contender, scenario, rate), same in grouped(rows, lambda r: (r.contender, r.scenario, r.offered_per_s)).items():
            if len(same) > 1:
                remarks.fault(f"{directory / 'load_summary.csv'}:{same[1].line}: {contender} × {scenario} at "
                              f"{per_second(rate)} stands twice, and neither row is drawn.")
                rows = [row for row in rows if row not in same]
        self.directory, self.rows, self.latencies, self.limits = directory, rows, latencies, limits
        self.environment, self.remarks = environment, remarks
        self.contenders = list(dict.fromkeys(row.contender for row in rows))
        self.scenarios = list(dict.fromkeys(row.scenario for row in rows))
        self.measured = [row for row in rows if row.outcome == "measured" and row.p50_ns]

    def at(self, scenario: str) -> dict[float, list]:
        """The measured rows of a scenario by rate, lowest first."""
        rates = defaultdict(list)
        for row in sorted(self.measured, key=lambda row: row.offered_per_s):
            if row.scenario == scenario:
                rates[row.offered_per_s].append(row)
        return rates


def grouped(rows: list, key) -> dict:
    """Rows by a key, in the order in which keys first appear."""
    groups = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return dict(groups)


def median_interval(values: list[float]) -> tuple:
    """Median and its exact 95 % interval by order statistics, which needs six values."""
    ordered, rank, ways = sorted(values), 0, 1
    beyond = ways
    while 40 * beyond <= 2 ** len(ordered):
        ways = ways * (len(ordered) - rank) // (rank + 1)
        beyond += ways
        rank += 1
    middle = statistics.median(ordered)
    return (middle, ordered[rank - 1], ordered[-rank]) if rank else (middle, None, None)


def per_second(rate: float | None) -> str:
    return "unknown" if rate is None else f"{plain(rate)}/s"


def in_series(scenario: str, fan_out: int) -> str:
    """The scenario's name with N for its fan-out."""
    parts = scenario.split("-")
    if str(fan_out) in parts:
        parts[parts.index(str(fan_out))] = "N"
    return "-".join(parts)


def duration(nanoseconds: float | None, sign: bool = False) -> str:
    """Three significant digits and a unit."""
    if nanoseconds is None:
        return "unknown"
    scale, unit = next(
        ((s, u) for s, u in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")) if abs(nanoseconds) >= s * 0.9995), (1, "ns"))
    digits = three_digits(nanoseconds / scale).replace("-", "−")
    return f"{'+' if sign and nanoseconds > 0 else ''}{digits}\u00a0{unit}"


def three_digits(number: float) -> str:
    return f"{number:.{2 if abs(number) < 9.995 else 1 if abs(number) < 99.95 else 0}f}"


def plain(number: float | None) -> str:
    """Three significant digits, thousands apart; empty for unknown."""
    if number is None:
        return ""
    return f"{number:,.0f}".replace(",", "\u202f") if number >= 999.5 else f"{number:.3g}"


def times(ratio: float | None) -> str:
    return "" if ratio is None else f"{three_digits(ratio)} ×"


def percent(share: float) -> str:
    return f"{100 * share:.1f}\u00a0%"


def span(low: float | None, high: float | None, show=duration) -> str:
    return f"{show(low)} to {show(high)}" if low is not None and high is not None else "unknown"


def extent(values: list[float]) -> str:
    low, high = duration(min(values)), duration(max(values))
    return low if low == high else f"{low} to {high}"


def listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def tie(a, b) -> bool:
    """Whether the run's pairs do not tell two cells of a scenario apart."""
    return a.rank_group is not None and a.rank_group == b.rank_group


def overhead(cell, reference) -> tuple:
    """Overhead per upload and its interval: the ratio's interval, in units of the reference's median."""
    per_unit = reference.median_ns / cell.units
    point = cell.overhead_ns_per_upload
    if point is None:
        point = (cell.median_ns - reference.median_ns) / cell.units
    if None in (cell.ratio, cell.ratio_ci_low, cell.ratio_ci_high):
        return point, None, None
    return point, point + (cell.ratio_ci_low - cell.ratio) * per_unit, point + (cell.ratio_ci_high - cell.ratio) * per_unit


def told_after(run: Run, cell, column: str = "failure_to_completion_ns") -> tuple:
    """Median and interval of the time from what ended the job to the caller's news, or to when the last thing has stopped.

    Where the moment at which it ended was not recorded, of the time from the start of the post.
    """
    times = [getattr(s, column) for s in run.kept_by_cell.get((cell.contender, cell.scenario), []) if getattr(s, column) is not None]
    if times:
        return median_interval(times)
    if getattr(cell, column) is not None:
        return getattr(cell, column), None, None
    return (cell.median_ns, cell.median_ci_low_ns, cell.median_ci_high_ns) if column == "failure_to_completion_ns" else (None,) * 3


def adds(cell, reference) -> str:
    if tie(cell, reference):
        return f"{cell.contender} is not told apart from it"
    nanoseconds = overhead(cell, reference)[0]
    return f"{cell.contender} {'adds' if nanoseconds >= 0 else 'saves'} {duration(abs(nanoseconds))}"


# ----------------------------------------------------------------------------------------------- words


def answer(run: Run) -> list[tuple[str, list[str]]]:
    """What the rows say: (heading, sentences). Names that the run's pairs do not separate are said to tie."""
    said = defaultdict(list)
    for stem, scenarios in run.families().items():
        if len(scenarios) > 1:
            decided = [s for s in scenarios if s not in run.undecided]
            said[f"{stem}: what {run.one} costs"] = [
                *leaders(run, scenarios), *(at_the_widest(run, decided[-1]) if decided else []), *crossings(run, stem, scenarios)]
        else:
            said["Scenario by scenario"] += [f"{scenarios[0]}: {sentence}" for sentence in ends(run, scenarios[0])]
    for scenario in run.waits:
        cells = sorted((c for c in run.measured(scenario) if c.efficiency), key=lambda c: -c.efficiency)
        if len(cells) > 1:
            best, worst = cells[0], cells[-1]
            said["Waiting: how close to the least that the service permits"].append(f"{scenario}: " + (
                decides_nothing(run, scenario) or
                (f"none is told apart; {percent(worst.efficiency)} to {percent(best.efficiency)} of the ideal." if tie(best, worst) else
                 f"{best.contender} comes closest, with {percent(best.efficiency)} of the ideal; {worst.contender} stays "
                 f"farthest, with {percent(worst.efficiency)}.")))
    for scenario in run.endings:
        cells = sorted(run.measured(scenario), key=lambda c: told_after(run, c)[0])
        if len(cells) > 1:
            told = [told_after(run, c)[0] for c in cells]
            since = "" if all(c.failure_to_completion_ns is not None for c in cells) else ", counted from the start of the post"
            said["Failure and cancellation"].append(f"{scenario}: " + (
                decides_nothing(run, scenario) or
                (f"none is told apart; they tell their caller after {extent(told)}{since}." if tie(cells[0], cells[-1]) else
                 f"{cells[0].contender} tells its caller first, after {duration(told[0])}; "
                 f"{cells[-1].contender} last, after {duration(told[-1])}{since}.")))
    colds = [(time / run.cells[key].median_ns, *key) for key, time in run.first_calls.items()
             if key in run.cells and run.cells[key].measured and key[1] in run.works]
    if colds:
        factor, contender, scenario = max(colds)
        said["Besides"].append(
            f"A first call costs more than a settled one: at most {plain(factor)} times as much ({contender} on {scenario}).")
    failed = len(run.unmeasured())
    if failed:
        said["Besides"].append(f"{failed} of {len(run.contenders) * len(run.scenarios)} cells have no number; "
                               "they are listed below with their reasons and ranked nowhere.")
    return [(heading, sentences) for heading, sentences in said.items() if sentences]


def decides_nothing(run: Run, scenario: str) -> str:
    """The sentence for a scenario that ranks nobody, or nothing."""
    return f"the run decides nothing here ({run.undecided[scenario]})." if scenario in run.undecided else ""


def others_by_cost(run: Run, scenario: str) -> list:
    """The measured cells of a scenario but for its reference, the cheapest first."""
    return sorted((c for c in run.measured(scenario) if c.contender != run.references.get(scenario)), key=lambda c: c.median_ns)


def leaders(run: Run, scenarios: list[str]) -> list[str]:
    """Who is cheapest at which fan-out, the reference aside."""
    firsts = []
    for scenario in scenarios:
        others = others_by_cost(run, scenario)
        if scenario in run.undecided:
            firsts.append(("the run decides nothing", 0, run.fan_out[scenario]))
        elif others:
            tied = [c.contender for c in others if c is others[0] or tie(c, others[0])]
            firsts.append(("all" if len(tied) == len(others) > 2 else listed(tied), len(tied), run.fan_out[scenario]))
    parts = []
    for (tied, count), run_of in groupby(firsts, key=lambda first: first[:2]):
        counts = [count for *_, count in run_of]
        where = f"{plain(counts[0])} to {plain(counts[-1])}" if len(counts) > 1 else plain(counts[0])
        does = "tie " if count > 1 else "leads " if count else ""
        parts.append(f"{tied} {does}at fan-out {where}")
    if not parts or len({c.contender for s in scenarios for c in run.measured(s)}) < 3:
        return []
    beside = f", {run.reference} (the reference) aside" if run.reference else ""
    return [f"Cheapest{beside}: {'; '.join(parts)}."]


def at_the_widest(run: Run, scenario: str) -> list[str]:
    reference, others = run.cells.get((run.references.get(scenario), scenario)), others_by_cost(run, scenario)
    if not (reference and reference.measured and others):
        return []
    if len(others) > 1 and all(tie(cell, reference) for cell in others):
        return [f"At fan-out {plain(reference.fan_out)} {run.one} costs {duration(reference.each)} with {reference.contender}, from "
                "which none is told apart."]
    extremes = dict.fromkeys((others[0].contender, others[-1].contender))
    return [f"At fan-out {plain(reference.fan_out)} {run.one} costs {duration(reference.each)} with {reference.contender}; "
            + ", ".join(adds(run.cells[contender, scenario], reference) for contender in extremes) + "."]


def ends(run: Run, scenario: str) -> list[str]:
    """One sentence on a scenario without a sequence of fan-outs: the reference, the cheapest and the dearest."""
    reference, others = run.cells.get((run.references.get(scenario), scenario)), others_by_cost(run, scenario)
    if not others or len(others) < 2 and not (reference and reference.measured):
        return []
    if scenario in run.undecided:
        return [decides_nothing(run, scenario)]
    tied = [c for c in others if c is others[0] or tie(c, others[0])]
    everyone = [*others, *([reference] if reference and reference.measured else [])]
    if all(tie(a, b) for a, b in combinations(everyone, 2)):
        return [f"none is told apart; {extent([c.each for c in everyone])} {everyone[0].per}."]
    first = f"{listed([c.contender for c in tied])} {'tie for the cheapest' if len(tied) > 1 else 'is cheapest'}"
    if not (reference and reference.measured):
        return [f"{first}, with {extent([c.each for c in tied])} {tied[0].per}; {others[-1].contender} takes {duration(others[-1].each)}."]
    extremes = dict.fromkeys((others[0].contender, others[-1].contender))
    role = "" if reference.contender == "reference" else ", the reference,"
    return [f"{first}{f' but for {reference.contender}' if reference.median_ns < others[0].median_ns else ''}. With "
            f"{reference.contender}{role} {duration(reference.each)} {reference.per}; "
            + ", ".join(adds(run.cells[contender, scenario], reference) for contender in extremes) + "."]


MOST_CROSSINGS = 8


def crossings(run: Run, stem: str, scenarios: list[str]) -> list[str]:
    """Where two contenders change places: from crossovers.csv, which has intervals, or else between which fan-outs."""
    machine = stem.partition(" @ ")[2]
    rows = sorted((c for c in run.crossovers if c.series == stem.partition(" @ ")[0] and (not machine or c.machine == machine)),
                  key=lambda c: c.fan_out or math.inf)
    found = [f"{c.cheaper_above} becomes cheaper than {c.cheaper_below} at fan-out {plain(c.fan_out)} (95 % interval "
             f"{span(c.fan_out_ci_low, c.fan_out_ci_high, plain)})" for c in rows if c.fan_out]
    if not run.growth:
        found = changes_of_order(run, scenarios)
    more = f"; and {len(found) - MOST_CROSSINGS} more" if len(found) > MOST_CROSSINGS else ""
    if found:
        return [f"Places change: {'; '.join(found[:MOST_CROSSINGS])}{more}."]
    return ["No two contenders are proved to change places."] if run.growth and len(run.measured(scenarios[-1])) > 1 else []


def changes_of_order(run: Run, scenarios: list[str]) -> list[str]:
    """Pairs whose median intervals stand apart in one order at one fan-out and in the other at a later one."""
    found = []
    for a, b in combinations(run.contenders, 2):
        order = []
        for scenario in scenarios:
            x, y = run.cells.get((a, scenario)), run.cells.get((b, scenario))
            if not (x and y and x.measured and y.measured):
                continue
            if None not in (x.median_ci_high_ns, y.median_ci_low_ns) and x.median_ci_high_ns < y.median_ci_low_ns:
                order.append((a, b, x.fan_out))
            elif None not in (y.median_ci_high_ns, x.median_ci_low_ns) and y.median_ci_high_ns < x.median_ci_low_ns:
                order.append((b, a, x.fan_out))
        for (first, second, before), (winner, _, after) in zip(order, order[1:]):
            if winner != first:
                found.append(f"{winner} becomes cheaper than {first} between {plain(before)} and {plain(after)}")
    return found


# ---------------------------------------------------------------------------------------------- charts

# A neutral for the reference, then hues that stay apart for colour-blind eyes; shapes
# repeat with another period, so that no two of the first 56 contenders look the same.
THEMES = {
    "light": dict(paper="#ffffff", ink="#1c1f23", quiet="#5c636b", line="#e2e5e9", keyword="#8a1f6a", string="#a3340c", palette=[
        "#55595e", "#1472d9", "#c1320a", "#007557", "#b0629a", "#4097e1", "#c37d08", "#733594"]),
    "dark": dict(paper="#15181c", ink="#e8eaed", quiet="#a0a7b0", line="#30363d", keyword="#f094cf", string="#f2a27f", palette=[
        "#c9cdd2", "#6f86d6", "#ff6905", "#10b071", "#ff85b9", "#7ebcff", "#e7cf36", "#9e80ff"]),
}
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right"]
CSS_COLOURS = dict(paper="var(--paper)", ink="var(--ink)", quiet="var(--quiet)", line="var(--line)",
                   palette=[f"var(--c{i})" for i in range(8)])
PANEL, WIDE, ROW = 270, 560, 22
MOST_DOTS = 24_000  # keeps the report below its 3 MiB
AXIS_TIME = ("datum.value == 0 ? '0' : abs(datum.value) >= 1e9 ? format(datum.value / 1e9, '~g') + ' s' : abs(datum.value) >= 1e6 ? "
             "format(datum.value / 1e6, '~g') + ' ms' : abs(datum.value) >= 1e3 ? "
             "format(datum.value / 1e3, '~g') + ' µs' : format(datum.value, '~g') + ' ns'")


def config(colours: dict) -> dict:
    """Colours and type of every chart; in the page the colours are CSS variables, so a theme is only a style."""
    text = dict(labelColor=colours["ink"], titleColor=colours["quiet"], labelFontSize=11, titleFontSize=11)
    return {
        "background": None if colours is CSS_COLOURS else colours["paper"],
        "font": "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" if colours is CSS_COLOURS
        else "Helvetica, Arial, sans-serif",
        "view": {"stroke": None},
        "axis": {**text, "titleFontWeight": "normal", "gridColor": colours["line"], "domain": False,
                 "tickColor": colours["line"], "labelOverlap": "greedy", "labelSeparation": 8},
        "axisY": {"ticks": False, "labelPadding": 6},
        "title": {"color": colours["ink"], "subtitleColor": colours["quiet"], "anchor": "start", "frame": "bounds",
                  "fontSize": 12, "fontWeight": 600, "subtitleFontSize": 11, "offset": 8},
        "text": {"color": colours["ink"], "fontSize": 11},
        "tick": {"color": colours["ink"]},
        "point": {"filled": True, "size": 64, "opacity": 1},
        "range": {"category": colours["palette"], "symbol": SHAPES},
    }


def in_order(run: Run | LoadRun) -> list[str]:
    """Contenders in the order of their colours and shapes."""
    return sorted(run.contenders, key=lambda contender: contender != run.reference)


def identity(run: Run) -> dict:
    """Colour and shape of a contender by its place in the files, the reference first."""
    scale = alt.Scale(domain=in_order(run))
    return dict(color=alt.Color("contender:N", scale=scale, legend=None),
                shape=alt.Shape("contender:N", scale=scale, legend=None))


def decades(low: float, high: float) -> list[float]:
    """Round values from low to high: powers of ten, else 1, 2 and 5 times those, else even steps."""
    powers = [10.0**k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    for steps in ((1,), (1, 2, 5)):
        ticks = [p * s for p in powers for s in steps if low <= p * s <= high]
        if len(ticks) > 2:
            return ticks
    step = 10.0 ** math.ceil(math.log10((high - low) / 5))
    step = next((step / part for part in (5, 2) if (high - low) / step * part <= 5), step)
    return [round(k * step, 9) for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def padded(values: list[float], share: float = 0.06) -> tuple[float, float]:
    low, high = math.log(min(values)), math.log(max(values))
    pad = max((high - low) * share, 0.002)
    return math.exp(low - pad), math.exp(high + pad)


def log_axis(values: list[float], title: str) -> dict:
    low, high = padded(values)
    return dict(scale=alt.Scale(type="log", domain=[low, high], nice=False),
                axis=alt.Axis(title=title, values=decades(low, high), labelExpr=AXIS_TIME))


def signed_axis(values: list[float], title: str) -> dict:
    """Logarithmic either side of zero, linear within the smallest power of ten worth telling from zero."""
    top = max(map(abs, values)) or 1
    least = min((abs(v) for v in values if v), default=1)
    step = 10.0 ** math.floor(math.log10(min(max(least, top / 1e4), top / 10)))
    ticks = [p for p in decades(step, top * 1.5) if p >= step]
    low, high = min(0, *values), max(0, *values)
    shown = [-t for t in reversed(ticks) if t <= -low * 1.2] + [0] + [t for t in ticks if t <= high * 1.2]
    pad = lambda v: math.copysign(abs(v) * 1.25, v)
    return dict(scale=alt.Scale(type="symlog", constant=step, domain=[pad(low), pad(high)], nice=False),
                axis=alt.Axis(title=title, values=shown, labelExpr=AXIS_TIME))


def intervals(run: Run, title: list[str], rows: list[dict], order: list[str], x: dict, hint: list[tuple], hollow: str | None = None):
    """A panel with a row per contender: its value, its interval, what is `hollow` as such a mark, and at the right the value in words."""
    rows = sorted(rows, key=lambda row: order.index(row["contender"]))
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("contender:N", title=None, sort=[row["contender"] for row in rows], axis=alt.Axis(labelLimit=150)))
    tips = [alt.Tooltip(f"{field}:N", title=name) for field, name in [("contender", "contender"), *hint]]
    who = identity(run)
    layers = [
        base.mark_rule(strokeWidth=4, opacity=0.45, strokeCap="round").encode(
            x=alt.X("low:Q", **x), x2="high:Q", color=who["color"], tooltip=tips),
        *([base.mark_point(filled=False, strokeWidth=1.5).encode(x=alt.X(f"{hollow}:Q", **x), tooltip=tips, **who)] if hollow else []),
        base.mark_point().encode(x=alt.X("value:Q", **x), tooltip=tips, **who),
        base.mark_text(align="left", dx=8).encode(x=alt.value("width"), text="label:N"),
    ]
    return alt.layer(*layers).properties(
        title=heading(title), height=ROW * len(rows), width=PANEL, description=summed_up(title, rows))


def heading(lines: list[str]):
    return alt.TitleParams(text=lines[0], subtitle=lines[1:])


def gaps(run: Run, scenario: str) -> list[dict]:
    """A row without a value for each cell of the scenario that has no number, so that nobody silently vanishes."""
    return [dict(contender=c, value=None, low=None, high=None, label=outcome, note=reason)
            for c, s, outcome, reason in run.unmeasured() if s == scenario]


def figure(key: str, title: str, caption: str, panels: list, columns: int = 3, folded: int | None = None) -> SimpleNamespace:
    """Panels from `folded` on are shown when asked for, in the page; an image has all."""
    specs = [{name: inner for name, inner in panel.to_dict(validate=False).items() if name not in ("config", "$schema")} for panel in panels]
    return SimpleNamespace(key=key, title=title, caption=caption, panels=specs, columns=columns, folded=folded)


def summed_up(title: list[str], rows: list[dict], field: str = "label") -> str:
    """What a panel shows, for who cannot see it."""
    return f"{', '.join(title)}: " + "; ".join(f"{row['contender']} {row[field]}" for row in rows) + "."


def overhead_figure(run: Run):
    rows = {}
    for scenario in run.works:
        cells = run.measured(scenario)
        reference = next((c for c in cells if c.contender == run.references.get(scenario)), None)
        if not reference or len(cells) < 2:
            continue
        rows[scenario] = reference, []
        for cell in cells:
            if cell is reference:
                continue
            point, low, high = overhead(cell, reference)
            rows[scenario][1].append(dict(
                contender=cell.contender, value=point, low=low, high=high, label=duration(point, sign=True),
                note=f"{duration(point, True)} {cell.per}", interval=span(low, high),
                ratio=f"{times(cell.ratio)} {reference.contender}", samples=cell.samples))
    if not rows:
        return None
    order = run.by_cost(list(rows))
    hint = [("note", "overhead"), ("interval", "95 % interval"), ("ratio", "ratio"), ("samples", "samples")]
    panels = []
    for scenario, (reference, found) in rows.items():
        title = [scenario, ("undecided; " if scenario in run.undecided else "")
                 + f"above {reference.contender}: {duration(reference.each)} {reference.per}"]
        values = [v for row in found for v in (row["value"], row["low"], row["high"]) if v is not None]
        axis = (log_axis if min(values) > 0 else signed_axis)(values, f"overhead {reference.per}")
        panels.append(intervals(run, title, found + gaps(run, scenario), order, axis, hint))
    scenario = max(rows, key=lambda s: (s not in run.undecided, len(rows[s][1]), run.fan_out[s]))
    reference, found = rows[scenario]
    ends = dict.fromkeys(f(found, key=lambda row: row["value"])["contender"] for f in (min, max))
    lead = ", ".join(adds(run.cells[contender, scenario], reference) for contender in ends)
    return figure(
        "overhead", f"Overhead above {reference.contender}: on {scenario}, {lead}",
        f"Time that each contender adds to that of {run.reference}{'' if run.reference == 'reference' else ', the reference'}, with simultaneous 95 % intervals as bars; where one "
        "reaches across zero, the run does not tell the two apart. Below zero is cheaper than the reference. Each chart has its own axis, "
        "logarithmic, and where it crosses zero on both sides of it.", panels)


def cost_figure(run: Run):
    panels, title, steepest = [], None, None
    series = run.series()
    families = {stem: [c for s in scenarios for c in run.measured(s)] for stem, scenarios in run.families().items()}
    families.update((stem, [c for row in rows for c in row.cells]) for stem, rows in series.items() if stem not in families)
    for stem, cells in families.items():
        fits = {row.contender: row for row in series.get(stem, [])}
        rows = cost_rows(cells, fits)
        if len({row["x"] for row in rows}) < 2:
            continue
        undecided = sorted({c.fan_out for c in cells if c.scenario in run.undecided})
        panels.append(cost_panel(run, [stem, *([f"undecided at fan-out {listed([plain(n) for n in undecided])}"] if undecided else [])], rows, fits))
        for row in fits.values():
            if row.exponent is not None:
                steepest = max(steepest or (row.exponent, ""), (row.exponent, row.contender))
        if not title:
            first, last = ([r["y"] for r in rows if r["x"] == f(row["x"] for row in rows)] for f in (min, max))
            title = (f"{run.one} takes {extent(first)} at fan-out {plain(min(r['x'] for r in rows))}, "
                     f"{extent(last)} at {plain(max(r['x'] for r in rows))}")
    if not panels:
        return None
    fitted_words = (
        " Curves: the fit a + b·N + c·N·log2 N of the post's time, ÷ N; where dots leave their curve, time grows otherwise. The "
        f"power at a name is the slope of the post's time over the widest fan-outs, steepest {steepest[1]} with "
        f"N^{three_digits(steepest[0])}; only an interval above 1.05 proves more than linear growth." if steepest else
        " Lines join the medians: the run has no fit.")
    return figure("cost", f"Cost against fan-out: {title}",
                  "Dots: median time of a post ÷ its uploads, with the 95 % interval of the median as a bar; both axes logarithmic. "
                  "A level curve scales, a falling one spreads a fixed cost over more uploads, one that rises to the right costs "
                  f"more the more there are.{fitted_words}", panels, columns=1)


def cost_rows(cells: list, fits: dict) -> list[dict]:
    rows = []
    for c in sorted(cells, key=lambda c: c.fan_out):
        each, low, high = (v and v / c.fan_out for v in (c.median_ns, c.median_ci_low_ns, c.median_ci_high_ns))
        fit = fits.get(c.contender)
        rows.append(dict(contender=c.contender, x=c.fan_out, y=each, low=low, high=high, samples=c.samples, note=duration(each),
                         interval=span(low, high), power=power(fit) or "unknown", verdict=fit and fit.verdict or "unknown"))
    return rows


def power(fit) -> str:
    return "" if fit is None or fit.exponent is None else f"N^{three_digits(fit.exponent)}"


def cost_panel(run: Run | Comparison, title: list[str], rows: list[dict], fits: dict, reach: list[float] = ()):
    """`reach`: times that the axis has to reach besides those of the rows."""
    height, fan_outs = 340, sorted({row["x"] for row in rows})
    for row in rows:
        fit = fits.get(row["contender"])
        row["text"] = " ".join(filter(None, (row["contender"], power(fit)))) + (
            f", stopped at {plain(fit.stopped_at_fan_out)}" if fit and fit.stopped_at_fan_out else "")
        row["growth"] = row["power"] + (f" ({span(fit.exponent_ci_low, fit.exponent_ci_high, three_digits)}), {row['verdict']}" if fit else "")
    y = log_axis([v for r in rows for v in (r["y"], r["low"], r["high"]) if v] + list(reach), f"time per {run.unit}")
    low, high = y["scale"].domain
    curves = [dict(contender=fit.contender, x=n, y=time) for fit in fits.values() for n, time in fitted(fit)]
    unfitted = [row for row in rows if row["contender"] not in {curve["contender"] for curve in curves}]
    # A fit that leaves the dots' range is cut off there.
    curves = [curve for curve in curves if low <= curve["y"] <= high]
    labels = end_labels(rows, math.log(low), math.log(high), height)
    x = alt.X("x:Q", scale=alt.Scale(type="log", domain=[fan_outs[0], fan_outs[-1]], nice=False, padding=4),
              axis=alt.Axis(title=f"fan-out ({run.unit}s per post)", values=fan_outs, format="~s", grid=False))
    who, base = identity(run), alt.Chart(alt.Data(values=rows)).encode(x=x)
    names = alt.Chart(alt.Data(values=labels)).encode(y=alt.Y("at:Q", **y))
    tips = [alt.Tooltip(f"{f}:N", title=t) for f, t in (
        ("contender", "contender"), ("x", "fan-out"), ("note", f"median per {run.unit}"), ("interval", "95 % interval"), ("samples", "samples"),
        ("growth", "growth"))]
    lines = [alt.Chart(alt.Data(values=found)).mark_line(strokeWidth=1.75).encode(x=x, y=alt.Y("y:Q", **y), color=who["color"])
             for found in (curves, unfitted) if found]
    return alt.layer(
        *lines,
        base.mark_rule(strokeWidth=4, opacity=0.3).encode(y=alt.Y("low:Q", **y), y2="high:Q", color=who["color"]),
        base.mark_point().encode(y=alt.Y("y:Q", **y), tooltip=tips, **who),
        names.mark_point(xOffset=14).properties(name="ends").encode(x=alt.value("width"), **who),
        names.mark_text(align="left", dx=22).properties(name="names").encode(x=alt.value("width"), text="text:N"),
    ).properties(title=heading(title), height=height, width=WIDE, description=summed_up(
        [*title, f"time per {run.unit}"], [dict(contender=c, label=", ".join(f"{r['note']} at {plain(r['x'])}" for r in found) + (
            f", growing as {found[0]['power']}" if c in fits else "")) for c, found in grouped(rows, lambda r: r["contender"]).items()]))


def end_labels(rows: list[dict], low: float, high: float, height: int) -> list[dict]:
    """Where the name of each contender stands at the right: at the end of its line, moved until it covers no other."""
    ends = {row["contender"]: row for row in sorted(rows, key=lambda row: row["x"])}
    labels, floor, gap = [], -math.inf, (high - low) * 15 / height
    for row in sorted(ends.values(), key=lambda row: row["y"]):
        floor = max(math.log(row["y"]), floor + gap)
        labels.append(dict(contender=row["contender"], text=row.get("text", row["contender"]), at=floor))
    ceiling = high + gap
    for label in reversed(labels):
        ceiling = label["at"] = min(label["at"], ceiling - gap)
        label["at"] = math.exp(label["at"])
    return labels


def fitted(row) -> list[tuple[float, float]]:
    """Points of the fitted curve per upload, within the fan-outs that were measured; where it is below 0 there are none."""
    if None in (row.fixed_ns, row.linear_ns, row.log_linear_ns):
        return []
    low, high = row.cells[0].fan_out, row.cells[-1].fan_out
    widths = [low * (high / low) ** (step / 60) for step in range(61)]
    curve = [(n, row.fixed_ns / n + row.linear_ns + row.log_linear_ns * math.log2(n)) for n in widths]
    return [(float(f"{n:.6g}"), float(f"{time:.6g}")) for n, time in curve if time > 0]


def distribution_figure(run: Run):
    by_scenario = grouped(run.kept, lambda s: s.scenario)
    reference_times = defaultdict(list)
    for sample in run.kept:
        if sample.contender == run.references.get(sample.scenario):
            reference_times[sample.scenario, sample.generation, sample.round].append(sample.wall_ns)
    bad = {(c, s) for c, s, *_ in run.unmeasured()}
    lost = Counter(s.scenario for s in run.samples if s.dropped)
    step = math.ceil(len(run.kept) / MOST_DOTS)
    panels, widest = [], None
    for scenario in filter(by_scenario.get, run.scenarios):
        units, rows, counts = run.units[scenario], [], Counter()
        walls = defaultdict(list)
        for sample in by_scenario[scenario]:
            if (sample.contender, scenario) in bad:
                continue
            counts[sample.contender] += 1
            walls[sample.contender].append(sample.wall_ns / units)
            if counts[sample.contender] % step == 0:
                paired = reference_times.get((scenario, sample.generation, sample.round))
                rows.append(dict(
                    contender=sample.contender, v=float(f"{sample.wall_ns / units:.5g}"),
                    j=round(counts[sample.contender] * 0.618 % 1, 2), at=f"{sample.generation} · {sample.round}",
                    r=times(sample.wall_ns / statistics.median(paired)) if paired else "unknown"))
        if not rows:
            continue
        middles = []
        for contender, values in walls.items():
            middle, spread = statistics.median(values), max(values) / min(values)
            widest = max(widest or (0,), (spread, contender, scenario))
            quarters = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [middle] * 3
            middles.append(dict(contender=contender, m=float(f"{middle:.5g}"), q1=float(f"{quarters[0]:.5g}"), q3=float(f"{quarters[2]:.5g}"),
                                label=f"median {duration(middle)}, from {duration(min(values))} to {duration(max(values))}"))
        panels.append(strip(run, scenario, rows, middles, f"{plain(sum(counts.values()))} samples, {plain(lost[scenario])} dropped"))
    if not panels:
        return None
    thinned = f" Every {step}th is drawn; medians are of all." if step > 1 else ""
    return figure("distribution", f"Latency distributions, every sample: widest, {widest[1]} on {widest[2]}, slowest {plain(widest[0])} times the fastest",
                  "One dot per sample that counts, the middle half as a bar and the median as a line; warm-up and disturbed rounds are "
                  f"left out and counted in each title. A dot tells its time and its round.{thinned}", panels)


def strip(run: Run, scenario: str, rows: list[dict], middles: list[dict], counted: str):
    x = log_axis([row["v"] for row in rows], f"time {run.per(scenario)}")
    order = [c for c in run.by_cost([scenario]) if any(row["contender"] == c for row in rows)]
    middles = sorted(middles, key=lambda row: order.index(row["contender"]))
    y = alt.Y("contender:N", title=None, sort=order, axis=alt.Axis(labelLimit=150))
    color = identity(run)["color"]
    base, middle = (alt.Chart(alt.Data(values=found)).encode(y=y) for found in (rows, middles))
    tips = [alt.Tooltip("contender:N", title="contender"), alt.Tooltip("v:Q", title="ns", format=",.5~r"),
            alt.Tooltip("r:N", title="to the reference"), alt.Tooltip("at:N", title="generation · round")]
    return alt.layer(
        middle.mark_bar(opacity=0.16, height=ROW - 6).encode(x=alt.X("q1:Q", **x), x2="q3:Q", color=color),
        base.mark_circle(size=13, opacity=0.5, aria=False).encode(
            x=alt.X("v:Q", **x), color=color, tooltip=tips,
            yOffset=alt.YOffset("j:Q", scale=alt.Scale(domain=[-0.25, 1.25]))),
        middle.mark_tick(thickness=2, size=ROW - 6).encode(x=alt.X("m:Q", **x)),
    ).properties(title=heading([scenario, counted]), height=ROW * len(order), width=PANEL,
                 description=summed_up([scenario, counted], middles))


def efficiency_figure(run: Run):
    found = {s: [c for c in run.measured(s) if c.efficiency] for s in run.waits}
    found = {s: cells for s, cells in found.items() if cells}
    if not found:
        return None
    panels, rows = [], {}
    for scenario, cells in found.items():
        rows[scenario] = []
        for cell in cells:
            ends = [cell.efficiency * cell.median_ns / end if end else None
                    for end in (cell.median_ci_high_ns, cell.median_ci_low_ns)]
            rows[scenario].append(dict(
                contender=cell.contender, value=cell.efficiency, low=ends[0], high=ends[1], label=percent(cell.efficiency),
                note=f"{duration(cell.median_ns)} per post", interval=span(*ends, show=percent)))
    order = sorted(run.contenders, key=lambda c: -max((r["value"] for f in rows.values() for r in f if r["contender"] == c), default=0))
    for scenario, found in rows.items():
        values = [v for row in found for v in (row["value"], row["low"], row["high"]) if v is not None]
        low, high = max(0, min(values) - (max(1, *values) - min(values)) * 0.15), max(1, *values)
        x = dict(scale=alt.Scale(domain=[low, high], nice=False, zero=False),
                 axis=alt.Axis(title="ideal ÷ measured time", labelExpr="format(100 * datum.value, '.4~g') + ' %'", tickCount=4))
        title = [scenario, f"fan-out {plain(run.fan_out[scenario])}"]
        panels.append(intervals(run, title, found + gaps(run, scenario), order, x,
                                [("label", "efficiency"), ("interval", "95 % interval"), ("note", "median")]))
    best, worst = max(r["value"] for f in rows.values() for r in f), min(r["value"] for f in rows.values() for r in f)
    return figure("efficiency", f"Efficiency: contenders reach {percent(worst)} to {percent(best)} of the ideal",
                  "The lower bound of each scenario's time, computed from the service's own delays, divided by the median time. "
                  "100 % is as fast as the service permits; what is missing is the contender's, and the machine's. Each chart has its own axis, "
                  "which need not begin at 0.", panels)


def endings_figure(run: Run):
    panels, seen = [], []
    for scenario in run.endings:
        rows, values, timed = [], [], True
        for cell in run.measured(scenario):
            told, low, high = told_after(run, cell)
            stopped = told_after(run, cell, "failure_to_stop_ns")[0]
            timed = timed and cell.failure_to_completion_ns is not None
            if not told:
                continue
            values += [v for v in (told, low, high, stopped) if v]
            rows.append(dict(
                contender=cell.contender, value=told, low=low, high=high, label=duration(told), stop=stopped or None,
                note=duration(stopped), interval=span(low, high), late=plain(cell.starts_after_failure) or "unknown",
                wasted="unknown" if cell.wasted_bytes is None else binary(cell.wasted_bytes)))
        if not rows:
            continue
        since = "from the failure or cancel" if timed else "from the start of the post"
        seen.append((scenario, min(r["value"] for r in rows), max(r["value"] for r in rows)))
        title = [scenario, f"fan-out {plain(run.fan_out[scenario])}, {since}"]
        panels.append(intervals(
            run, title, rows + gaps(run, scenario), run.by_cost([scenario]), log_axis(values, f"time {since}"),
            [("label", "the caller knows after"), ("interval", "95 % interval"), ("note", "all has stopped after"),
             ("late", "uploads started since"), ("wasted", "bytes wasted")],
            hollow="stop" if any(row["stop"] for row in rows) else None))
    if not panels:
        return None
    scenario, low, high = max(seen, key=lambda s: s[2] / s[1])
    return figure("endings", f"Failure and cancellation: on {scenario}, the caller knows within {span(low, high)}",
                  "How long a contender takes to tell its caller that there will be no post, once an upload has failed or the "
                  "caller has cancelled: filled marks, with 95 % intervals of the median. Hollow marks: when the last request has ended "
                  "and the contender has let go of everything.", panels)


def binary(size: float) -> str:
    scale, unit = next(((s, u) for s, u in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")) if size >= s * 0.9995), (1, "B"))
    return f"{three_digits(size / scale) if scale > 1 else plain(size)}\u00a0{unit}"


# What a panel of the resources shows: column, title, and how its values read.
RESOURCES = [
    ("peak_threads", "threads at most", plain),
    ("bytes_per_upload", "memory", binary),
    ("peak_rss_bytes", "resident memory", binary),
    ("allocations_per_upload", "allocations", plain),
    ("retains_per_upload", "retains", plain),
    ("heartbeat_worst_ns", "heartbeat", duration),
]


def resources_figure(run: Run):
    """Per pattern one row of panels, on the scenario of which most is known, and of these the widest."""
    columns = [name for name, *_ in RESOURCES]
    known = lambda s: sum(getattr(c, name) is not None for c in run.measured(s) for name in columns)
    panels, folded, leads = [], None, []
    for pattern, scenarios in grouped([s for s in run.works + run.waits if known(s)], run.pattern.get).items():
        scenario = max(scenarios, key=lambda s: (known(s), run.fan_out[s]))
        cells, row = run.measured(scenario), []
        for name, what, show in RESOURCES:
            rows = [dict(contender=c.contender, value=getattr(c, name), label=show(getattr(c, name)) or "0")
                    for c in cells if getattr(c, name) is not None]
            # Pages of a whole process tell less than what an upload takes, where that is known.
            if rows and not (name == "peak_rss_bytes" and any(c.bytes_per_upload is not None for c in cells)):
                each = f" per {run.unit}" if name.endswith("per_upload") else ""
                row.append(bars(run, [f"{what}{each}", scenario], rows))
                if name == "allocations_per_upload" and not leads:
                    leads = [f(rows, key=lambda r: r["value"]) for f in (min, max)]
        panels += row
        folded = folded or len(panels)
    if not panels:
        return None
    lead = ": " + ", ".join(f"{row['contender']} allocates {row['label']} times an upload" for row in leads) if leads else ""
    return figure("resources", f"Threads, memory, allocations and retains{lead}",
                  "Allocations and retains are counted in passes of their own, outside timed samples. Bars begin at 0. Threads include those "
                  "of the service and the harness, which are the same for all. Memory per upload is what one takes while it is in flight, the "
                  "service's part included; resident memory the process's most so far, earlier scenarios included, which says little where "
                  "contenders are close. The heartbeat is how late a task due every millisecond was at worst.", panels, columns=4, folded=folded if folded < len(panels) else None)


def bars(run: Run, title: list[str], rows: list[dict]):
    rows = sorted(rows, key=lambda row: row["value"])
    top = max(row["value"] for row in rows) or 1
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("contender:N", title=None, sort=[row["contender"] for row in rows], axis=alt.Axis(labelLimit=150)))
    tips = [alt.Tooltip("contender:N", title="contender"), alt.Tooltip("label:N", title=title[0])]
    # The axis has no labels: every bar has its own.
    x = alt.X("value:Q", scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(title=None, labels=False, tickCount=4))
    return alt.layer(
        base.mark_bar(height=ROW - 9, opacity=0.8).encode(x=x, color=identity(run)["color"], tooltip=tips),
        base.mark_text(align="left", dx=8).encode(x=alt.value("width"), text="label:N"),
    ).properties(title=heading(title), height=ROW * len(rows), width=PANEL * 0.6, description=summed_up(title, rows))


def effort_figure(run: Run):
    panels, title = [], None
    found = {s: [c for c in run.measured(s) if c.source_lines] for s in run.works if run.fan_out[s]}
    found = {s: cells for s, cells in found.items() if len(cells) > 1}
    for pattern in dict.fromkeys(cells[0].pattern for cells in found.values()):
        scenario = max((s for s in found if found[s][0].pattern == pattern),
                       key=lambda s: (s not in run.undecided, len(found[s]), run.fan_out[s]))
        rows = [dict(contender=c.contender, x=c.source_lines, y=c.each,
                     note=f"{duration(c.each)} per upload") for c in found[scenario]]
        title = title or "{} takes {} lines, {} {}".format(*[
            v for f in (min, max) for row in [f(rows, key=lambda r: r["x"])] for v in (row["contender"], row["x"])])
        panels.append(effort_panel(run, [pattern or "pattern unknown", f"time of {scenario}"], rows))
    if not panels:
        return None
    return figure("effort", f"Cost to write against cost to run: {title}",
                  "Lines of code of each contender's file for the pattern, without what its runtime hides, against the median "
                  "time per upload. Down and left is better.", panels, columns=1)


def effort_panel(run: Run, title: list[str], rows: list[dict]):
    height, most = 300, max(row["x"] for row in rows) * 1.05
    y = log_axis([row["y"] for row in rows], "time per upload")
    low, high = (math.log(v) for v in y["scale"].domain)
    taken = [(row["x"] / most * WIDE, (math.log(row["y"]) - low) / (high - low) * height, 5, 5) for row in rows]
    for row, (x, at, *_) in sorted(zip(rows, taken[:]), key=lambda pair: pair[1][1]):
        half = len(row["contender"]) * 3.2
        # Right or left of its mark, else nearest above or below, where it covers no other name and no mark.
        for dy, side in [(0, 1), (0, -1)] + [(sign * step, side) for step in range(11, height, 6) for sign in (1, -1) for side in (1, -1)]:
            box = x + side * (9 + half), at + dy, half, 6
            if 0 <= box[0] - half and box[0] + half <= WIDE and not any(
                    abs(box[0] - u) < half + w and abs(box[1] - v) < 6 + h for u, v, w, h in taken):
                break
        taken.append(box)
        row["side"], row["at"] = side, math.exp(low + (at + dy) / height * (high - low))
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("x:Q", scale=alt.Scale(domain=[0, most], nice=False), axis=alt.Axis(title="lines of code", grid=False, tickCount=6)))
    tips = [alt.Tooltip(f"{f}:N", title=t) for f, t in (("contender", "contender"), ("x", "lines"), ("note", "median"))]
    return alt.layer(
        base.mark_point().encode(y=alt.Y("y:Q", **y), tooltip=tips, **identity(run)),
        *(base.transform_filter(alt.datum.side == side).mark_text(align=align, dx=9 * side).encode(y=alt.Y("at:Q", **y), text="contender:N")
          for side, align in ((1, "left"), (-1, "right"))),
    ).properties(title=heading(title), height=height, width=WIDE, description=summed_up(
        title, [dict(row, label=f"{row['x']} lines, {row['note']}") for row in rows]))


def rate_figure(run: LoadRun):
    panels, titles = [], []
    for scenario in run.scenarios:
        rates = run.at(scenario)
        if len(rates) < 2:
            continue
        asked = next(((r.slo_percentile, r.slo_ns) for r in run.measured if r.scenario == scenario and r.slo_ns), None)
        for name, column in (("p50", "p50_ns"), ("p99", "p99_ns")):
            rows = [dict(contender=r.contender, x=r.offered_per_s, y=getattr(r, column), verdict=r.verdict or "unknown",
                         note=duration(getattr(r, column)), done=per_second(r.achieved_per_s), posts=plain(r.posts))
                    for found in rates.values() for r in found if getattr(r, column)]
            if len({row["x"] for row in rows}) > 1:
                limit = asked[1] if asked and asked[0] == name else None
                panels.append(rate_panel(run, [scenario, f"{name} of the latency"], rows, limit))
        name, column = next(((n, c) for n, c in (("p99", "p99_ns"), ("p50", "p50_ns")) if all(
            getattr(r, c) for rate in (min(rates), max(rates)) for r in rates[rate])), ("max", "max_ns"))
        least, most = ([getattr(r, column) or r.p50_ns for r in rates[rate]] for rate in (min(rates), max(rates)))
        titles.append(f"{name} is {extent(least)} at {per_second(min(rates))}, {extent(most)} at {per_second(max(rates))}")
    if not panels:
        return None
    return figure("latency", f"Latency against rate: on {panels[0].title.text}, {titles[0]}",
                  "From the moment at which a post was due to its completion, whatever became of those before; both axes "
                  "logarithmic. A hollow mark is a rate that was not held; the dashed line is what was asked for.",
                  panels, columns=1)


def rate_panel(run: LoadRun, title: list[str], rows: list[dict], limit: float | None):
    height = 300
    rates = [row["x"] for row in rows]
    y = log_axis([row["y"] for row in rows] + ([limit] if limit else []), "latency")
    low, high = (math.log(v) for v in y["scale"].domain)
    x = alt.X("x:Q", scale=alt.Scale(type="log", domain=[min(rates), max(rates)], nice=False, padding=4),
              axis=alt.Axis(title="posts due per second", values=decades(min(rates), max(rates)), format="~s", grid=False))
    who, base = identity(run), alt.Chart(alt.Data(values=rows)).encode(x=x, y=alt.Y("y:Q", **y))
    names = alt.Chart(alt.Data(values=end_labels(rows, low, high, height))).encode(y=alt.Y("at:Q", **y))
    tips = [alt.Tooltip(f"{f}:N", title=t) for f, t in (
        ("contender", "contender"), ("x", "due per second"), ("done", "done"), ("note", "latency"), ("verdict", "verdict"),
        ("posts", "posts"))]
    held = alt.datum.verdict == "held"
    layers = [
        base.mark_line(strokeWidth=1.75).encode(color=who["color"]),
        base.transform_filter(held).mark_point().encode(tooltip=tips, **who),
        base.transform_filter(~held).mark_point(filled=False, strokeWidth=1.75).encode(tooltip=tips, **who),
        names.mark_point(xOffset=14).properties(name="ends").encode(x=alt.value("width"), **who),
        names.mark_text(align="left", dx=22).properties(name="names").encode(x=alt.value("width"), text="contender:N"),
    ]
    if limit:
        layers.append(alt.Chart(alt.Data(values=[dict(limit=limit)])).mark_rule(strokeDash=[4, 3]).encode(
            y=alt.Y("limit:Q", **y)))
    return alt.layer(*layers).properties(title=heading(title), height=height, width=WIDE)


def tail_figure(run: LoadRun):
    counts = defaultdict(lambda: defaultdict(list))
    good = {(r.contender, r.scenario, r.offered_per_s) for r in run.measured}
    for bucket in run.latencies:
        if (bucket.contender, bucket.scenario, bucket.offered_per_s) in good:
            counts[bucket.scenario, bucket.offered_per_s][bucket.contender].append(bucket)
    # A search tries many rates that only some contenders meet: of each scenario the highest that most do.
    panels, worst = [], None
    for scenario in run.scenarios:
        found = {rate: counts[s, rate] for s, rate in counts if s == scenario}
        most = max(map(len, found.values()), default=0)
        rates = sorted(rate for rate in found if len(found[rate]) == most)
        for rate in rates[-1:] if run.limits else rates:
            rows = [row for contender, buckets in found[rate].items() for row in tail(contender, buckets)]
            if not rows:
                continue
            panels.append(tail_panel(run, [scenario, f"{per_second(rate)} due"], rows))
            slowest = max((r for r in run.measured if r.scenario == scenario and r.offered_per_s == rate and r.p99_ns),
                          key=lambda r: r.p99_ns, default=None)
            if slowest and (not worst or slowest.p99_ns > worst.p99_ns):
                worst = slowest
    if not panels:
        return None
    lead = (f": one post in a hundred takes {duration(worst.p99_ns)} or more with {worst.contender} at "
            f"{per_second(worst.offered_per_s)}") if worst else ""
    return figure("tail", f"The whole distribution{lead}",
                  "The latency that a share of the posts does not exceed; to the right, ever rarer ones. A line ends where fewer "
                  "than ten posts lie beyond.", panels, columns=1)


def tail(contender: str, buckets: list) -> list[dict]:
    """The latency at each share, as far as ten posts lie beyond it; the share as one post in how many is slower.

    Points that no eye tells from the one before are left out.
    """
    total, seen, rows = sum(b.posts for b in buckets), 0, []
    for bucket in sorted(buckets, key=lambda b: b.latency_low_ns):
        seen += bucket.posts
        beyond = total - seen
        if beyond < 10:
            break
        if rows and total / beyond < rows[-1]["x"] * 1.01 and bucket.latency_high_ns < rows[-1]["y"] * 1.02:
            continue
        rows.append(dict(contender=contender, x=float(f"{total / beyond:.5g}"), y=bucket.latency_high_ns,
                         share=f"{100 * seen / total:.4g} %", note=duration(bucket.latency_high_ns)))
    return rows


def tail_panel(run: LoadRun, title: list[str], rows: list[dict]):
    height, top = 300, max(2.0, *(row["x"] for row in rows))
    y = log_axis([row["y"] for row in rows], "latency")
    low, high = (math.log(v) for v in y["scale"].domain)
    shares = [v for v in (1, 2, 10, 100, 1_000, 10_000, 100_000) if v <= top]
    label = "datum.value == 1 ? '0 %' : format(100 - 100 / datum.value, '~g') + ' %'"
    x = alt.X("x:Q", scale=alt.Scale(type="log", domain=[1, top], nice=False, padding=4),
              axis=alt.Axis(title="share of the posts", values=shares, labelExpr=label))
    who, base = identity(run), alt.Chart(alt.Data(values=rows)).encode(x=x, y=alt.Y("y:Q", **y))
    names = alt.Chart(alt.Data(values=end_labels(rows, low, high, height))).encode(y=alt.Y("at:Q", **y))
    tips = [alt.Tooltip(f"{f}:N", title=t) for f, t in (("contender", "contender"), ("share", "share"), ("note", "latency"))]
    return alt.layer(
        base.mark_line(strokeWidth=1.75, interpolate="step-after").encode(color=who["color"], tooltip=tips),
        names.mark_point(xOffset=14).properties(name="ends").encode(x=alt.value("width"), **who),
        names.mark_text(align="left", dx=22).properties(name="names").encode(x=alt.value("width"), text="contender:N"),
    ).properties(title=heading(title), height=height, width=WIDE)


def limit_figure(run: LoadRun):
    panels, best = [], None
    for scenario in run.scenarios:
        rows = []
        for limit in run.limits:
            if limit.scenario == scenario and limit.held_per_s:
                rows.append(dict(
                    contender=limit.contender, value=limit.held_per_s, low=limit.held_per_s,
                    high=limit.missed_per_s or limit.held_per_s, label=per_second(limit.held_per_s),
                    missed=per_second(limit.missed_per_s), note=limit.reason or ""))
                best = max(best or limit, limit, key=lambda found: found.held_per_s)
        if not rows:
            continue
        low, high = padded([v for row in rows for v in (row["low"], row["high"])])
        x = dict(scale=alt.Scale(type="log", domain=[low, high], nice=False),
                 axis=alt.Axis(title="posts per second", values=decades(low, high), format="~s"))
        order = [row["contender"] for row in sorted(rows, key=lambda row: -row["value"])]
        asked = next(limit for limit in run.limits if limit.scenario == scenario)
        panels.append(intervals(run, [scenario, f"{asked.slo_percentile} within {duration(asked.slo_ns)}"], rows, order, x,
                                [("label", "held"), ("missed", "missed"), ("note", "remark")]))
    if not panels:
        return None
    return figure("limits", f"How much holds: {best.contender} up to {per_second(best.held_per_s)}",
                  "The highest rate at which the latency was held; the bar ends at the lowest rate above at which it was not, and "
                  "the limit lies in it.", panels)


LOAD_FIGURES = {
    limit_figure: "how much holds: needs a search (--find-limit) that found a rate",
    rate_figure: "latency against rate: needs one scenario at two rates",
    tail_figure: "the whole distribution: needs latencies.csv with ten posts beyond some latency",
}

FIGURES = {
    overhead_figure: "overhead: needs two contenders measured on one scenario, one of them the reference",
    cost_figure: "cost against fan-out: needs one scenario at two fan-outs above 0",
    efficiency_figure: "efficiency: needs a scenario whose service promises its times",
    distribution_figure: "every sample: needs samples.csv with samples that count",
    endings_figure: "failure and cancellation: needs a scenario that ends without a post",
    resources_figure: "threads, memory, allocations and retains: needs summary.csv with one of them",
    effort_figure: "cost to write: needs two contenders measured, with their lines of code",
}


# ------------------------------------------------------------------------------------------------ page

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<link rel="icon" href="data:,">
<title>@title@</title>
<style>
:root { @light@ }
@media screen and (prefers-color-scheme: dark) { :root:not([data-theme=light]) { @dark@ color-scheme: dark } }
@media screen { :root[data-theme=dark] { @dark@ color-scheme: dark } :root[data-theme=light] { color-scheme: light } }
* { box-sizing: border-box }
html { scroll-padding-top: 4rem; -webkit-text-size-adjust: 100% }
body { margin: 0 auto; max-width: 78rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; overflow-wrap: break-word }
header { display: flex; gap: .5rem 1rem; align-items: baseline; justify-content: space-between }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; min-width: 0; overflow-wrap: anywhere }
h2 { font-size: 1.2rem; line-height: 1.35; margin: 3rem 0 .5rem; text-wrap: balance }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem }
h4 { font-size: .9rem; margin: 0 0 .25rem; font-weight: 600 } h4 small { font-weight: normal }
p, li { max-width: 46rem } ul { padding-left: 1.2rem; margin: .25rem 0 } li { margin: .2rem 0 }
a { color: inherit; text-decoration-color: var(--quiet); text-underline-offset: .15em }
nav ul { display: flex; flex-wrap: wrap; gap: .15rem 1.1rem; list-style: none; padding: 0; font-size: .9rem } nav li { margin: 0 }
.quiet, figcaption, .caption, dt, small, summary small { color: var(--quiet) }
figure { margin: 0 } figcaption { max-width: 46rem; margin-bottom: 1rem; font-size: .9rem }
.panels { display: grid; gap: 1.5rem 2rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)) }
.panels.four { grid-template-columns: repeat(auto-fill, minmax(min(100%, 16rem), 1fr)) }
.panels.wide { grid-template-columns: repeat(auto-fill, minmax(min(100%, 36rem), 1fr)) }
.panels.wide > :only-child { max-width: 56rem; grid-column: 1 / -1 }
.panel { min-width: 0; width: 100%; min-height: 8rem; break-inside: avoid } .panel svg { display: block; max-width: 100%; height: auto }
.panel.drawn { min-height: 0 }
.alert { border-left: 4px solid var(--c2); padding: .25rem .75rem; margin: .5rem 0 }
.scroll { overflow-x: auto; margin-bottom: 1rem }
table { border-collapse: separate; border-spacing: 0; font-size: .85rem; font-variant-numeric: tabular-nums }
.caption { font-size: .85rem; margin: 1.5rem 0 .25rem }
th, td { text-align: right; padding: .25rem 0 .25rem 1.25rem; border-bottom: 1px solid var(--line); white-space: nowrap; font-weight: normal }
th:first-child, .text { text-align: left } th:first-child { padding-left: 0 } td.text { white-space: normal; min-width: 8rem }
th:first-child { position: sticky; left: 0; background: var(--paper) }
thead th { color: var(--quiet); vertical-align: bottom; white-space: normal; min-width: 8rem } thead th:first-child { min-width: 0 } td small { display: block }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; font-size: .9rem; margin: .5rem 0 }
dd { margin: 0; overflow-wrap: anywhere; min-width: 0 }
details { margin: .75rem 0 } summary { cursor: pointer; padding: .2rem 0 }
button { font: inherit; font-size: .85rem; color: var(--ink); background: none; border: 1px solid var(--quiet); border-radius: 4px; padding: .15rem .6rem; white-space: nowrap; cursor: pointer }
#legend { position: sticky; top: 0; z-index: 2; display: flex; gap: .25rem; align-items: center; overflow-x: auto; padding: .5rem 2px; margin: 1rem 0 0; background: var(--paper); border-bottom: 1px solid var(--line) }
#legend button { border-color: transparent; display: flex; align-items: center; gap: .35rem; padding: .15rem .5rem }
#legend button[aria-pressed=true] { border-color: var(--ink) } #legend span { font-size: .85rem; white-space: nowrap; padding-right: .25rem }
#legend svg { width: 12px; height: 12px; flex: none }
.code { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 28rem), 1fr)) } .code > * { min-width: 0 }
pre { margin: 0; padding: .6rem .75rem; font: 12px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; border: 1px solid var(--line); border-radius: 4px; overflow: auto; max-height: 32rem; tab-size: 2 }
pre i { font-style: normal } pre .c { color: var(--quiet) } pre .k { color: var(--keyword) } pre .s { color: var(--string) }
:focus-visible { outline: 2px solid var(--c1); outline-offset: 2px }
.here { stroke: var(--ink) !important; stroke-width: 2px !important; opacity: 1 !important }
#said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
#vg-tooltip-element { background: var(--paper); color: var(--ink); border-color: var(--line); max-width: calc(100vw - 1rem) }
#vg-tooltip-element table tr td.key { color: var(--quiet) }
#vg-tooltip-element td, #vg-tooltip-element table { border: 0; font-size: 12px; white-space: normal }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr } dd { margin-bottom: .4rem } h2 { font-size: 1.1rem } }
@media print { button, nav, #legend, #said { display: none } body { max-width: none; padding: 0; font-size: 10pt } .scroll { overflow: visible }
  h2, h3, h4, figcaption, summary { break-after: avoid } tr, li { break-inside: avoid } th, td { padding-left: .6rem } table { font-size: 7pt } td.text, thead th { min-width: 0 }
  pre { max-height: none; white-space: pre-wrap; font-size: 7pt } .panels { grid-template-columns: repeat(2, 1fr) } .panels.four { grid-template-columns: repeat(3, 1fr) }
  .panels.wide { grid-template-columns: 1fr } }
</style>
</head>
<body>
@body@
<p id="said" aria-live="polite"></p>
<script type="application/json" id="specs">@specs@</script>
<script>@vega@</script>
<script>
"use strict";
{
  const root = document.documentElement, asked = new URLSearchParams(location.search).get("theme");
  if (asked === "dark" || asked === "light") root.dataset.theme = asked;
  document.getElementById("theme").addEventListener("click", () => {
    const now = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  });
  const specs = JSON.parse(document.getElementById("specs").textContent), views = new Map();
  const unpacked = ({ length, columns }) => Array.from({ length }, (_, row) => Object.fromEntries(
    columns.map(([name, values, words]) => [name, words ? words[values[row]] : values[row]]).filter(([, value]) => value !== undefined)));
  const whole = node => {
    if (Array.isArray(node)) return node.map(whole);
    if (!node || typeof node !== "object") return node;
    if (node.packed) return { values: unpacked(node.packed) };
    return Object.fromEntries(Object.entries(node).map(([name, inner]) => [name, whole(inner)]));
  };
  const options = { actions: false, renderer: "svg", ast: true, config: specs.config };
  let picked = "";
  const draw = async place => {
    if (views.has(place)) return;
    views.set(place, null);
    const spec = { ...whole(specs.panels[place.dataset.panel]), width: "container" };
    // Where names at the ends of lines would leave no room for the lines, the legend has them.
    if (place.clientWidth < 480) spec.layer = spec.layer?.filter(layer => layer.name !== "ends" && layer.name !== "names");
    const { view } = await vegaEmbed(place, spec, options);
    views.set(place, view);
    place.classList.add("drawn");
    if (picked) await view.signal("picked", picked).runAsync();
    root.dataset.first ??= Math.round(performance.now());
  };
  // One contender at a time stands out in every chart.
  const chips = [...document.querySelectorAll("#legend button")];
  for (const chip of chips) chip.addEventListener("click", () => {
    picked = picked === chip.dataset.pick ? "" : chip.dataset.pick;
    for (const other of chips) other.setAttribute("aria-pressed", other.dataset.pick === picked);
    for (const view of views.values()) view?.signal("picked", picked).runAsync();
  });
  // With the keyboard a chart is entered by Tab and its marks are stepped through by the arrows.
  const marks = view => {
    const found = [], order = [];
    const walk = group => {
      for (const item of group.items ?? []) {
        if (item.tooltip && item._svg && (group.marktype === "symbol" || group.marktype === "rect")) found.push(item);
        walk(item);
      }
    };
    walk(view.scenegraph().root);
    for (const item of found) if (!order.includes(item.datum.contender)) order.push(item.datum.contender);
    const place = item => order.indexOf(item.datum.contender);
    return found.sort((a, b) => place(a) - place(b) || a.bounds.x1 - b.bounds.x1);
  };
  let at = null;
  const leave = () => {
    at?.classList.remove("here");
    at?.dispatchEvent(new PointerEvent("pointerout", { bubbles: true }));
    at = null;
  };
  for (const place of document.querySelectorAll("[data-panel]")) {
    place.addEventListener("blur", leave);
    place.addEventListener("keydown", event => {
      const view = views.get(place), step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: "first", End: "last" }[event.key];
      if (event.key === "Escape") leave();
      if (!view || step === undefined) return;
      event.preventDefault();
      const all = marks(view), now = all.findIndex(item => item._svg === at);
      const next = all.at(step === "first" ? 0 : step === "last" ? -1 : now < 0 ? (step > 0 ? 0 : -1) : (now + step) % all.length);
      leave();
      if (!next) return;
      at = next._svg;
      at.classList.add("here");
      const box = at.getBoundingClientRect();
      at.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 }));
      document.getElementById("said").textContent = Object.entries(next.tooltip).map(([name, value]) => `${name}: ${value}`).join(", ");
    });
  }
  for (const fold of document.querySelectorAll("details")) fold.addEventListener("toggle", async () => {
    for (const place of fold.open ? fold.querySelectorAll("[data-panel]") : []) await draw(place);
  });
  (async () => {
    for (const place of document.querySelectorAll("[data-panel]"))
      if (!place.closest("details:not([open])")) {
        await draw(place);
        await new Promise(resolve => setTimeout(resolve));  // between two charts the page answers
      }
    root.dataset.drawn = "yes";
  })();
}
</script>
</body>
</html>
"""


def escape(text) -> str:
    return html.escape(str(text))


def table(caption: str, head: list[str], rows: list[list], text: tuple = ()) -> str:
    """Rows whose first cell is a header; a cell is text, or a pair of text and a small note below it."""
    def cell(column: int, content) -> str:
        main, note = content if isinstance(content, tuple) else (content, "")
        inner = escape(main) + (f"<small>{escape(note)}</small>" if note else "")
        if column == 0:
            return f'<th scope="row">{inner}</th>'
        return f'<td class="text">{inner}</td>' if column in text else f"<td>{inner}</td>"
    heads = "".join(f'<th scope="col"{" class=text" if i in text else ""}>{escape(name)}</th>' for i, name in enumerate(head))
    body = "".join("<tr>" + "".join(cell(i, content) for i, content in enumerate(row)) + "</tr>\n" for row in rows)
    return (f'<p class="caption">{escape(caption)}</p>'
            f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
            f"<thead><tr>{heads}</tr></thead><tbody>\n{body}</tbody></table></div>")


def cost_tables(run: Run) -> str:
    """Per family a table of contender × fan-out; scenarios that have no such sequence stand in one of their own."""
    groups = {stem: names for stem, names in run.families().items() if len(names) > 1}
    rest = [s for s in run.scenarios if run.measured(s) and not any(s in names for names in groups.values())]
    if rest:
        groups["Other scenarios"] = rest
    tables = []
    for name, scenarios in groups.items():
        rows = []
        for contender in run.by_cost(scenarios):
            row = [contender]
            for scenario in scenarios:
                cell = run.cells.get((contender, scenario))
                if not cell or not cell.measured:
                    row.append(cell.outcome.replace("_", " ") if cell and cell.outcome != "measured" else "–")
                    continue
                rank = "undecided" if scenario in run.undecided else cell.rank_group and f"rank {cell.rank_group}"
                row.append((duration(cell.each), " · ".join(filter(None, (times(cell.ratio), rank)))))
            rows.append(row)
        heads = ["contender", *(f"{s}, {run.per(s)}" if scenarios is rest else f"fan-out {plain(run.fan_out[s])}" for s in scenarios)]
        if scenarios is rest:
            heads, *rows = zip(heads, *rows)
            heads = ["scenario", *heads[1:]]
        caption = f"{name}: median time" + ("" if scenarios is rest else f" per {run.unit}")
        tables.append(table(f"{caption}; below it the ratio to {run.reference or 'the reference'}, and the rank "
                            "(the same rank: not separated)", heads, rows))
    return "".join(tables)


def detail_table(run: Run) -> str:
    head = ["contender", "scenario", "samples", "dropped", "median", "95 % interval", "p90", "p99", "first call", f"overhead per {run.unit}",
            "ratio", "its interval", "efficiency", *(f"{what} per {run.unit}" for what in ("CPU", "switches", "allocations", "retains")),
            "peak threads", "peak memory", "lines"]
    known = lambda v: "" if v is None else duration(v)
    rows = [[c.contender, c.scenario, plain(c.samples), plain(c.dropped), known(c.median_ns),
             "" if c.median_ci_low_ns is None else span(c.median_ci_low_ns, c.median_ci_high_ns),
             known(c.p90_ns), known(c.p99_ns), known(run.first_calls.get((c.contender, c.scenario))),
             known(c.overhead_ns_per_upload), times(c.ratio),
             "" if c.ratio_ci_low is None else span(c.ratio_ci_low, c.ratio_ci_high, times),
             "" if c.efficiency is None else percent(c.efficiency), known(c.cpu_ns_per_upload), plain(c.switches_per_upload),
             plain(c.allocations_per_upload), plain(c.retains_per_upload), plain(c.peak_threads),
             "" if c.peak_rss_bytes is None else f"{c.peak_rss_bytes / 2**20:,.1f} MiB", plain(c.source_lines)]
            for c in run.cells.values() if c.measured]
    return (f"<details><summary>Every number of every cell ({len(rows)})</summary>"
            + table("summary.csv; empty: unknown", head, rows, text=(1,)) + "</details>")


def dropped_section(run: Run) -> str:
    counts = Counter((s.scenario, s.dropped) for s in run.samples if s.dropped)
    reasons = sorted({reason for _, reason in counts})
    if not run.samples:
        return "<p>Unknown: there is no samples.csv.</p>"
    lead = f"<p>{plain(sum(counts.values()))} of {plain(len(run.samples))} samples were dropped.</p>"
    totals = Counter(s.scenario for s in run.samples)
    rows = [[s, *(plain(counts[s, reason]) for reason in reasons), plain(totals[s])] for s in run.scenarios if totals[s]]
    return lead + (table("Samples dropped, by reason", ["scenario", *(r.replace("_", " ") for r in reasons), "of"], rows)
                   if reasons else "")


def flat(name: str, content) -> list[tuple[str, str]]:
    """The leaves of environment.json, in the file's order; unknown (null, empty) is left out."""
    if isinstance(content, dict):
        return [leaf for key, inner in content.items() for leaf in flat(f"{name}.{key}" if name else key, inner)]
    if isinstance(content, list):
        content = " ".join(map(str, content)) if name == "command_line" else ", ".join(map(str, content))
    if content in (None, ""):
        return []
    return [(name.replace("_", " "), ("yes" if content else "no") if isinstance(content, bool) else str(content))]


def surroundings(environment: dict) -> list[tuple[str, str]]:
    """What is worth reading of environment.json: of a merged run also what each part says of its machine."""
    own = {k: v for k, v in environment.items() if k not in ("scenarios", "parts", "shard")}
    shard, parts = environment.get("shard"), environment.get("parts")
    if isinstance(shard, dict):
        own["shard"] = f"{shard.get('number')}/{shard.get('count')}"
    lines = flat("", own)
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, dict):
            words = [str(part[k]) for k in ("cpu_model", "core_count", "operating_system", "kernel", "started_at") if part.get(k)]
            lines.append((f"{part.get('machine') or 'machine'}, {part.get('run')}", ", ".join(words)))
    return lines


HOW_TO_READ = """
<ul>
<li>A time is the median of the samples that count. A bar around a dot is the 95 % interval; for overheads and ratios it holds for
all cells of the run at once.</li>
<li>Ratios and overheads pair samples of the same round, so that what slows the whole machine down cancels out.</li>
<li>Two contenders of the same rank are not told apart by this run. That is no proof that they are equal. A scenario that is undecided
lost so many rounds to disturbance that it ranks nobody.</li>
<li>A contender that did not do exactly the work asked has no number here, only a reason.</li>
<li>A chart is entered with the Tab key, and its marks are stepped through with the arrow keys.</li>
</ul>
<h3>What it cannot tell</h3>
<ul>
<li>How fast another machine is. Absolute times on a shared machine drift by tens of percent from run to run: compare contenders within this
page, and builds with <code>bench check --against</code>, which measures both in turns.</li>
<li>What your uploads cost. The services are made up, so that the cost of coordinating is seen at all; beside a network's milliseconds most
of these differences vanish, as the charts of efficiency show.</li>
<li>How well a contender copes with work that it was not given. Uploads end in the order that the scenario says; some idioms are slow in
one order alone.</li>
<li>What blocking calls do elsewhere. There a pool's rule for new threads is measured, and it differs from system to system.</li>
<li>How hard an idiom is. Lines are those of one file; what its runtime and the files that its patterns share take is in no count.</li>
<li>Why. Threads, switches and memory describe what happened; only allocations, objects, retains and releases repeat well enough to compare
closely.</li>
</ul>
"""


def packed(node):
    """A spec with each long list of rows by columns, and words that repeat by number: a third of the size."""
    if isinstance(node, list):
        return [packed(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    rows = node.get("values")
    if len(node) == 1 and isinstance(rows, list) and len(rows) > 3 and all(isinstance(row, dict) for row in rows):
        columns = []
        for name in dict.fromkeys(name for row in rows for name in row):
            values = [row.get(name) for row in rows]
            if all(isinstance(value, str) for value in values):
                words = list(dict.fromkeys(values))
                number = {word: index for index, word in enumerate(words)}
                columns.append([name, [number[value] for value in values], words])
            else:
                columns.append([name, values])
        return {"packed": {"length": len(rows), "columns": columns}}
    return {name: packed(inner) for name, inner in node.items()}


def pickable(node, what: str) -> None:
    """Lets every mark of a contender, or of a run, step back while another is picked."""
    for inner in node.get("layer", []):
        pickable(inner, what)
    encoding, mark = node.get("encoding", {}), node.get("mark")
    if mark and any(isinstance(of, dict) and of.get("field") == what for of in encoding.values()):
        opacity = mark.get("opacity", 1) if isinstance(mark, dict) else 1
        encoding["opacity"] = {"condition": {"test": f"picked === '' || datum.{what} === picked", "value": opacity}, "value": opacity * 0.12}


def document(name: str, body: list[str], panels: list, picks: str = "contender") -> str:
    """The whole page: everything that it needs is in it."""
    specs = json.loads(json.dumps(panels))
    for spec in specs:
        spec["$schema"] = alt.SCHEMA_URL
        spec["params"] = [{"name": "picked", "value": ""}]
        pickable(spec, picks)
    # In a script element only "<" can end or open anything.
    data = json.dumps({"config": config(CSS_COLOURS), "panels": packed(specs)}, separators=(",", ":")).replace("<", "\\u003c")
    css = {name: " ".join([*(f"--{k}: {theme[k]};" for k in ("paper", "ink", "quiet", "line", "keyword", "string")),
                           *(f"--c{i}: {c};" for i, c in enumerate(theme["palette"]))]) for name, theme in THEMES.items()}
    parts = dict(title=escape(name), body="\n".join(body), specs=data, **css,
                 vega=scripts())
    return re.sub("@(\\w+)@", lambda match: parts[match[1]], PAGE)


def warnings(environment: dict) -> list[str]:
    """Why not to believe the numbers."""
    alerts = [str(w) for w in environment.get("warnings") or []] if isinstance(environment.get("warnings"), list) else []
    if environment.get("build_configuration") == "debug":
        alerts.append("This is a debug build: its numbers are worth nothing.")
    if environment.get("interrupted"):
        alerts.append("The run was interrupted: it holds what was measured until then.")
    return alerts


def place(figures: list, body: list[str]) -> list:
    """Adds a section for each figure to the body; returns the panels in their order."""
    panels = []
    for drawn in figures:
        kind = {1: " wide", 4: " four"}.get(drawn.columns, "")
        places = []
        for i, spec in enumerate(drawn.panels):
            spec.setdefault("description", ": ".join([spec["title"]["text"], *spec["title"].get("subtitle", [])]))
            places.append(f'<div class="panel" data-panel="{len(panels) + i}" tabindex="0" role="group" aria-roledescription="chart" '
                          f'aria-label="{escape(spec["description"])}"></div>')
        panels += drawn.panels
        first, rest = places[:drawn.folded], places[drawn.folded:] if drawn.folded else []
        folded = (f'<details><summary>The same of the other patterns ({len(rest)} charts)</summary><div class="panels{kind}">{"".join(rest)}'
                  "</div></details>") if rest else ""
        body.append(f'<section id="{drawn.key}"><h2>{escape(drawn.title)}</h2><figure><figcaption>{escape(drawn.caption)}</figcaption>'
                    f'<div class="panels{kind}">{"".join(first)}</div>{folded}</figure></section>')
    return panels


NAMES = {"run": "What was run", "answer": "In words", "overhead": "Overhead", "cost": "Cost against fan-out", "efficiency": "Efficiency",
         "distribution": "Latency", "endings": "Failure and cancellation", "resources": "Threads, memory, counts",
         "effort": "Lines against cost", "code": "The code", "numbers": "All numbers", "reading": "How to read it",
         "limits": "How much holds", "latency": "Latency against rate", "tail": "Distribution", "ratios": "Ratios", "changes": "What changed"}


def contents(sections: list[str]) -> str:
    links = "".join(f'<li><a href="#{key}">{NAMES[key]}</a></li>' for key in sections)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'


# As Vega draws them.
OUTLINES = {
    "circle": "M1,6a5,5,0,1,1,10,0a5,5,0,1,1,-10,0", "square": "M2,2h8v8h-8Z", "triangle-up": "M1,11L6,2L11,11Z",
    "diamond": "M6,0.5L10.5,6L6,11.5L1.5,6Z", "cross": "M1,4.4H4.4V1H7.6V4.4H11V7.6H7.6V11H4.4V7.6H1Z", "triangle-down": "M1,2L6,11L11,2Z",
    "triangle-right": "M2,1L11,6L2,11Z",
}


def legend(names: list[str], what: str = "contender") -> str:
    """A button for each contender, or each run, that makes it stand out."""
    chips = "".join(
        f'<button type="button" aria-pressed="false" data-pick="{escape(name)}"><svg viewBox="0 0 12 12" aria-hidden="true">'
        f'<path d="{OUTLINES[SHAPES[i % len(SHAPES)]]}" style="fill:var(--c{i % len(CSS_COLOURS["palette"])})"/></svg>{escape(name)}</button>'
        for i, name in enumerate(names))
    return f'<div id="legend" role="group" aria-label="Make one {what} stand out"><span class="quiet">Highlight:</span>{chips}</div>'


def header(name: str) -> str:
    return f'<header><h1>{escape(name)}</h1><button id="theme" type="button">Dark or light</button></header>'


def facts(run: Run | LoadRun) -> list[tuple[str, str]]:
    """What a reader wants to know first of where the numbers come from; what is unknown is left out."""
    e = run.environment
    memory = e.get("memory_bytes")
    cores = e.get("core_count")
    lines = [
        ("machine", ", ".join(filter(None, (
            str(e.get("cpu_model") or ""), f"{cores} core{'s' if cores != 1 else ''}" if cores else "",
            binary(memory) if isinstance(memory, (int, float)) else "", str(e.get("architecture") or ""))))),
        ("system", ", ".join(str(e[k]) for k in ("operating_system", "kernel") if e.get(k))),
        ("toolchain", ", ".join(str(e[k]) for k in ("toolchain", "build_configuration") if e.get(k))),
        ("commit", f"{e['commit']}{', with changes that were not committed' if e.get('dirty') else ''}" if e.get("commit") else ""),
        ("command", " ".join(map(str, e["command_line"])) if isinstance(e.get("command_line"), list) else ""),
        ("time", " to ".join(str(e[k]) for k in ("started_at", "finished_at") if e.get(k))),
        ("seed", str(e.get("seed") if e.get("seed") is not None else "")),
        ("reference", str(run.reference or "")),
    ]
    return [(name, text) for name, text in lines if text]


def definitions(lines: list[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in lines) + "</dl>"


def in_words(said: list[tuple[str, list[str]]]) -> str:
    parts = "".join(f"<h3>{escape(heading)}</h3><ul>" + "".join(f"<li>{escape(s)}</li>" for s in sentences) + "</ul>" for heading, sentences in said)
    return parts or "<p>Nothing was measured, so nothing can be said.</p>"


def code(run: Run, sources: Sources) -> str:
    """Each pattern of the run with the file of every contender beside the others, if it is what was measured."""
    lead = '<section id="code"><h2>The code of each contender, pattern by pattern</h2>'
    patterns = list(dict.fromkeys(run.pattern[s] for s in run.scenarios if s in run.pattern))
    files = {p: [(c, sources.of(c, p)) for c in in_order(run) if any((c, s) in run.cells for s in run.scenarios if run.pattern.get(s) == p)]
             for p in patterns}
    if not any(file for found in files.values() for _, file in found):
        why = sources.why_not or f"none of the run's contenders is in {CONTENDERS} at {sources.commit[:12]}, the commit that was measured"
        return f"{lead}<p>Not shown: {escape(why)}.</p></section>"
    counted = {(c.contender, c.pattern): c.source_lines for c in run.cells.values() if c.source_lines}
    parts = [lead, f'<p class="quiet">As measured, from commit {escape(sources.commit[:12])}. Lines count without blank ones and comments.</p>']
    if sources.is_dirty is not False:
        parts.append('<p class="alert">' + ("There were changes that were not committed: what was measured may differ from what stands here."
                     if sources.is_dirty else "Whether there were changes that were not committed is unknown.") + "</p>")
    for number, pattern in enumerate(patterns):
        blocks = []
        for contender, file in files[pattern]:
            if not file:
                blocks.append(f"<div><h4>{escape(contender)}</h4><p class=\"quiet\">It has no file for this pattern there.</p></div>")
                continue
            lines, said = lines_of_code(sources.files[file]), counted.get((contender, pattern))
            note = f"{lines} lines" + (f"; the run counted {said}" if said not in (None, lines) else "")
            blocks.append(listing(contender, note, file, sources.files[file]))
        parts.append(f"<details{' open' if not number else ''}><summary>{escape(pattern)} <small>{len(blocks)} contenders</small></summary>"
                     f'<div class="code">{"".join(blocks)}</div></details>')
    sharing = defaultdict(list)
    for contender in in_order(run):
        sharing[tuple(sources.beside(contender, patterns))].append(contender)
    for shared, contenders in sharing.items():
        if shared:
            total = sum(lines_of_code(sources.files[name]) for name in shared)
            parts.append(f"<details><summary>{escape(listed(contenders))}: what {'they share' if len(contenders) > 1 else 'its patterns share'} <small>{len(shared)} file{'s' if len(shared) > 1 else ''}, {total} lines, in no count above"
                         '</small></summary><div class="code">'
                         + "".join(listing(name.rpartition("/")[2], f"{lines_of_code(sources.files[name])} lines", name, sources.files[name]) for name in shared)
                         + "</div></details>")
    return "".join([*parts, "</section>"])


def listing(title: str, note: str, file: str, text: str) -> str:
    label = escape(f"{title}, {file}")
    return (f'<div><h4>{escape(title)} <small title="{escape(file)}">{escape(note)}</small></h4>'
            f'<pre tabindex="0" role="region" aria-label="{label}"><code>{coloured(text)}</code></pre></div>')


def what_is_done(run: Run) -> str:
    return ("Each scenario is an operation of a runtime, alone and many times; the reference does the least that has its effect."
            if run.unit == "unit" else
            "The job is to publish a post: upload its media, as many as the fan-out, wait for all, then create it; if one upload fails, there is no "
            "post. Each contender writes that in an idiom of its own.")


def page(run: Run, figures: list, missing: list[str]) -> str:
    environment = run.environment
    absent = environment.get("missing_cells")
    absent = [str(cell) for cell in absent] if isinstance(absent, list) else []
    machines = f" on {len(run.machines)} machines" if len(run.machines) > 1 else ""
    body = [header(run.name)]
    body += [f'<p class="alert">{escape(text)}</p>' for text in warnings(environment) + run.remarks.all()]
    body += [contents(["run", "answer", *(drawn.key for drawn in figures), "code", "numbers", "reading"]),
             '<section id="run"><h2>What was run, and on what</h2>',
             f"<p>{len(run.contenders)} contenders, {len(set(run.scenario_of.values()))} scenarios{machines}, "
             f"{plain(len(run.samples)) if run.samples else 'an unknown number of'} samples"
             f"{f', of which {plain(sum(1 for s in run.samples if s.dropped))} were dropped' if run.samples else ''}. {what_is_done(run)}</p>", definitions(facts(run)),
             f"<details><summary>Everything that the run recorded of its surroundings</summary>{definitions(surroundings(environment))}</details></section>",
             '<section id="answer"><h2>The answer in words</h2>', in_words(answer(run)), "</section>", legend(in_order(run))]
    panels = place(figures, body)
    body.append(code(run, Sources(environment)))
    body += ['<section id="numbers"><h2>All numbers</h2>', cost_tables(run), detail_table(run)]
    unmeasured = run.unmeasured()
    if unmeasured or absent:
        body.append("<h3>What has no number, and why</h3>")
        body.append(table("Never plotted, never ranked", ["contender", "scenario", "outcome", "reason"],
                          [list(row) for row in unmeasured] + [[a, "", "missing", "planned, but has no sample"] for a in absent], text=(1, 2, 3)))
    body += ["<h3>What was dropped</h3>", dropped_section(run)]
    if missing:
        body += ["<h3>What could not be drawn</h3>", "<ul>", *(f"<li>{escape(m)}</li>" for m in missing), "</ul>"]
    body += ['</section><section id="reading"><h2>How to read it, and what it cannot tell</h2>', HOW_TO_READ, "</section>"]
    return document(run.name, body, panels)


HOW_TO_READ_LOAD = """
<ul>
<li>Posts arrive at a rate, whatever becomes of those before. A latency counts from the moment at which its post was due, so a stall
is seen by every post that came meanwhile.</li>
<li>A percentile is told only where at least ten posts lie beyond it.</li>
<li>The harness measures how late it starts posts itself. Where that is much, or where others have the processors, the verdict says so
instead of blaming the contender.</li>
<li>A contender that did not do exactly the work asked has no number here, only a reason.</li>
</ul>
"""


def load_table(run: LoadRun, scenario: str, rate: float) -> str:
    head = ["contender", "verdict", "done", "p50", "p90", "p99", "p99.9", "p99.99", "max", "lateness p50", "lateness p99",
            "lateness max", "CPU, worker", "CPU, all", "posts", "windows", "disturbed"]
    known = lambda v: "" if v is None else duration(v)
    share = lambda v: "" if v is None else percent(v)
    rows = []
    for r in run.rows:
        if (r.scenario, r.offered_per_s) != (scenario, rate):
            continue
        verdict = (r.verdict or "too few posts").replace("_", " ") if r.outcome == "measured" else (r.outcome.replace("_", " "), r.reason or "")
        rows.append([r.contender, verdict, "" if r.achieved_per_s is None else per_second(r.achieved_per_s),
                     *(known(v) for v in (r.p50_ns, r.p90_ns, r.p99_ns, r.p99_9_ns, r.p99_99_ns, r.max_ns,
                                          r.lateness_p50_ns, r.lateness_p99_ns, r.lateness_max_ns)),
                     share(r.process_cpu_share), share(r.machine_cpu_share), plain(r.posts), plain(r.windows),
                     plain(r.windows_disturbed)])
    return table(f"{scenario} at {per_second(rate)}; empty: unknown, or too few posts to tell", head, rows, text=(1,))


def load_answer(run: LoadRun) -> list[tuple[str, list[str]]]:
    """What the rows say of each scenario, a sentence each."""
    said = defaultdict(list)
    for limit in run.limits:
        asked = f"{limit.slo_percentile} within {duration(limit.slo_ns)}"
        said[limit.scenario].append(
            f"{limit.contender} keeps {asked} at no rate that was tried." if limit.held_per_s is None else
            f"{limit.contender} keeps {asked} up to {per_second(limit.held_per_s)}"
            + (f", and no longer at {per_second(limit.missed_per_s)}." if limit.missed_per_s else ", the highest rate that was tried."))
    for scenario in run.scenarios if not run.limits else []:
        for rate, rows in run.at(scenario).items():
            for verdict, alike in grouped(rows, lambda r: (r.verdict or "too few posts to tell").replace("_", " ")).items():
                said[scenario].append(f"At {per_second(rate)}, {verdict}: " + ", ".join(
                    f"{r.contender} (p50 {duration(r.p50_ns)}{f', p99 {duration(r.p99_ns)}' if r.p99_ns else ''})" for r in alike) + ".")
    return list(said.items())


def load_page(run: LoadRun, figures: list, missing: list[str]) -> str:
    environment = run.environment
    rates = sorted({(run.scenarios.index(r.scenario), r.offered_per_s) for r in run.rows})
    body = [header(run.name)]
    body += [f'<p class="alert">{escape(text)}</p>' for text in warnings(environment) + run.remarks.all()]
    body += [contents(["run", "answer", *(drawn.key for drawn in figures), "numbers", "reading"]),
             '<section id="run"><h2>What was run, and on what</h2>',
             f"<p>Posts were started at {len({rate for _, rate in rates})} rates, of {len(run.scenarios)} scenario{'s' if len(run.scenarios) > 1 else ''}, "
             f"by {len(run.contenders)} contenders.</p>", definitions(facts(run)),
             f"<details><summary>Everything that the run recorded of its surroundings</summary>{definitions(surroundings(environment))}</details></section>",
             '<section id="answer"><h2>The answer in words</h2>', in_words(load_answer(run))]
    if run.limits:
        rows = [[limit.contender, limit.scenario, f"{limit.slo_percentile} ≤ {duration(limit.slo_ns)}",
                 "nothing" if limit.held_per_s is None else per_second(limit.held_per_s),
                 "" if limit.missed_per_s is None else per_second(limit.missed_per_s), plain(limit.windows),
                 "; ".join(filter(None, ("misses a lower rate, too" if limit.monotone == "false" else "", limit.reason or "")))]
                for limit in run.limits]
        body.append(table("How much holds: the limit lies between the two rates",
                          ["contender", "scenario", "asked", "holds", "misses", "windows", "remark"], rows, text=(1, 6)))
    body += ["</section>", legend(in_order(run))]
    panels = place(figures, body)
    body += ['<section id="numbers"><h2>All numbers</h2>', *(load_table(run, run.scenarios[place], rate) for place, rate in rates)]
    if missing:
        body += ["<h3>What could not be drawn</h3>", "<ul>", *(f"<li>{escape(m)}</li>" for m in missing), "</ul>"]
    body += ['</section><section id="reading"><h2>How to read it, and what it cannot tell</h2>', HOW_TO_READ_LOAD, "</section>"]
    return document(run.name, body, panels)


# ------------------------------------------------------------------------------------------ comparison


class Comparison:
    """Runs beside one another: what they share, by scenario, and what may not be compared."""

    def __init__(self, runs: list[Run], faults: list[str]):
        self.remarks = Remarks()
        self.remarks.faults = faults
        self.runs = dict(zip(labels(runs), runs))
        for label, run in self.runs.items():
            self.remarks.faults += [f"{label}: {fault}" for fault in run.remarks.faults]
            self.remarks.notes += [f"{label}: {note}" for note in run.remarks.notes]
        self.name = " beside ".join(self.runs)
        self.contenders = list(dict.fromkeys(c for run in runs for c in run.contenders))
        self.reference, self.unit = runs[0].reference, runs[0].unit
        self.scenarios = [s for s in dict.fromkeys(s for run in runs for s in run.scenarios) if self._same(s)]

    def _same(self, scenario: str) -> bool:
        """Whether two runs or more measured the scenario, and mean the same by it."""
        having = {label: run for label, run in self.runs.items() if run.measured(scenario)}
        if len(having) < 2:
            return False
        for what, of in (("defined", self._definition), ("taken against one reference", lambda run, s: run.references.get(s))):
            found = {json.dumps(of(run, scenario), sort_keys=True) for run in having.values()} - {"null"}
            if len(found) > 1:
                self.remarks.note(f"{scenario} is not {what} alike in {listed(list(having))}, so it is not compared.")
                return False
        return True

    @staticmethod
    def _definition(run: Run, scenario: str):
        known = run.environment.get("scenarios")
        found = known.get(run.scenario_of.get(scenario)) if isinstance(known, dict) else None
        return found.get("definition") if isinstance(found, dict) else None

    def cells(self, scenario: str) -> list[tuple[str, Run, SimpleNamespace]]:
        """(label, run, cell) of each that was measured."""
        return [(label, run, cell) for label, run in self.runs.items() for cell in run.measured(scenario)]

    def undecided(self, scenario: str) -> list[str]:
        return [label for label, run in self.runs.items() if scenario in run.undecided]

    def by_contender(self, scenario: str) -> dict[str, dict[str, SimpleNamespace]]:
        found = defaultdict(dict)
        for label, _, cell in self.cells(scenario):
            found[cell.contender][label] = cell
        return {contender: cells for contender, cells in found.items() if len(cells) > 1}


def labels(runs: list[Run]) -> list[str]:
    """Short names that tell the runs apart: their own, or else their folders', or else numbers."""
    for names in ([run.name for run in runs], [name_of(run.directory) for run in runs]):
        if len(set(names)) == len(names):
            return names
    return [f"{number} {name_of(run.directory)}" for number, run in enumerate(runs, 1)]


def dots(comparison: Comparison, title: list[str], rows: list[dict], x: dict, hint: list[tuple]):
    """A panel with a row per contender, and in it a mark with its interval for each run."""
    order = [c for c in in_order(comparison) if any(row["contender"] == c for row in rows)]
    scale = alt.Scale(domain=list(comparison.runs))
    who = dict(color=alt.Color("run:N", scale=scale, legend=None), shape=alt.Shape("run:N", scale=scale, legend=None))
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("contender:N", title=None, sort=order, axis=alt.Axis(labelLimit=150)),
        yOffset=alt.YOffset("run:N", sort=list(comparison.runs), scale=alt.Scale(domain=list(comparison.runs), paddingOuter=0.35)))
    tips = [alt.Tooltip(f"{field}:N", title=name) for field, name in [("contender", "contender"), ("run", "run"), *hint]]
    height = max(ROW, 11 * len(comparison.runs) + 6) * len(order)
    return alt.layer(
        base.mark_rule(strokeWidth=4, opacity=0.45, strokeCap="round").encode(x=alt.X("low:Q", **x), x2="high:Q", color=who["color"], tooltip=tips),
        base.mark_point(size=44).encode(x=alt.X("value:Q", **x), tooltip=tips, **who),
    ).properties(title=heading(title), height=height, width=PANEL, description=f"{', '.join(title)}: " + "; ".join(
        f"{c} " + ", ".join(f"{row['label']} in {row['run']}" for row in rows if row["contender"] == c) for c in order) + ".")


def ratio_axis(values: list[float], title: str) -> dict:
    low, high = padded(values)
    return dict(scale=alt.Scale(type="log", domain=[low, high], nice=False),
                axis=alt.Axis(title=title, values=decades(low, high), labelExpr="format(datum.value, '~g') + ' ×'"))


def compared(comparison: Comparison, key: str, title: str, caption: str, of, axis, hint: list[tuple], subtitle):
    """A figure with a panel per scenario; `of(run, cell)` gives a row's values, or nothing."""
    panels = []
    for scenario in comparison.scenarios:
        rows = [dict(found, run=label, contender=cell.contender) for label, run, cell in comparison.cells(scenario)
                for found in [of(run, cell)] if found]
        shared = {c for c, n in Counter(row["contender"] for row in rows).items() if n > 1}
        rows = [row for row in rows if row["contender"] in shared]
        if rows:
            values = [v for row in rows for v in (row["value"], row["low"], row["high"]) if v]
            undecided = comparison.undecided(scenario)
            panels.append(dots(comparison, [scenario, subtitle(scenario), *([f"undecided in {listed(undecided)}"] if undecided else [])],
                               rows, axis(values), hint))
    return figure(key, title, caption, panels) if panels else None


def ratios_figure(comparison: Comparison):
    def of(run, cell):
        if cell.ratio and cell.contender != run.references.get(cell.scenario):
            return dict(value=cell.ratio, low=cell.ratio_ci_low, high=cell.ratio_ci_high, label=times(cell.ratio),
                        interval=span(cell.ratio_ci_low, cell.ratio_ci_high, times), note=f"{duration(cell.each)} {cell.per}")
    return compared(
        comparison, "ratios", f"Cost beside {comparison.reference}, run by run",
        "Each contender's time as a multiple of the reference's in the same run, with simultaneous 95 % intervals: what slows a whole machine "
        "down cancels out. Absolute times of two machines, or of two days, do not compare.",
        of, lambda values: ratio_axis(values, "ratio to the reference"),
        [("label", "ratio"), ("interval", "95 % interval"), ("note", "median")], lambda s: f"ratio to {comparison.reference}")


def costs_figure(comparison: Comparison):
    """Each run has its panel; those of one series share the axis."""
    found = defaultdict(list)
    for label, run in comparison.runs.items():
        series = run.series()
        for stem, scenarios in run.families().items():
            fits = {row.contender: row for row in series.get(stem, [])}
            rows = cost_rows([c for s in scenarios for c in run.measured(s)], fits)
            if len({row["x"] for row in rows}) > 1:
                found[stem].append((label, rows, fits))
    panels = []
    for stem, drawn in found.items():
        if len(drawn) > 1:
            reach = [v for _, rows, _ in drawn for row in rows for v in (row["y"], row["low"], row["high"]) if v]
            panels += [cost_panel(comparison, [label, stem], rows, fits, reach) for label, rows, fits in drawn]
    return figure("cost", "Cost against fan-out, a chart for each run",
                  "Dots: median time of a post ÷ its uploads, with its 95 % interval as a bar; curves: the fit a + b·N + c·N·log2 N, ÷ N, where "
                  "the run has one. The charts of one series share their axis; compare shapes and orders rather than heights.",
                  panels, columns=1) if panels else None


def efficiencies_figure(comparison: Comparison):
    def of(run, cell):
        if cell.efficiency and cell.scenario in run.waits:
            low, high = (cell.efficiency * cell.median_ns / end if end else None for end in (cell.median_ci_high_ns, cell.median_ci_low_ns))
            return dict(value=cell.efficiency, low=low, high=high, label=percent(cell.efficiency), interval=span(low, high, percent))
    axis = lambda values: dict(
        scale=alt.Scale(domain=[max(0, min(values) - (max(1, *values) - min(values)) * 0.15), max(1, *values)], nice=False, zero=False),
        axis=alt.Axis(title="ideal ÷ measured time", labelExpr="format(100 * datum.value, '.4~g') + ' %'", tickCount=4))
    return compared(comparison, "efficiency", "Efficiency against the ideal, run by run",
                    "The least time that the service permits ÷ the median time; each chart has its own axis, which need not begin at 0.",
                    of, axis, [("label", "efficiency"), ("interval", "95 % interval")], lambda s: "share of the ideal")


def ends_figure(comparison: Comparison):
    def of(run, cell):
        told, low, high = told_after(run, cell)
        if cell.scenario in run.endings and cell.failure_to_completion_ns is not None and told:
            return dict(value=told, low=low, high=high, label=duration(told), interval=span(low, high))
    return compared(comparison, "endings", "Failure and cancellation, run by run",
                    "How long the caller waits for the news that there will be no post. These are absolute times, which drift with the machine.",
                    of, lambda values: log_axis(values, "time from the failure or cancel"),
                    [("label", "the caller knows after"), ("interval", "95 % interval")], lambda s: "from the failure or cancel")


def counts_figure(comparison: Comparison):
    """Of each pattern the widest scenario that is shared: what is counted needs no quiet machine."""
    panels, pattern = [], {s: p for run in comparison.runs.values() for s, p in run.pattern.items()}
    width = {s: n or 0 for run in comparison.runs.values() for s, n in run.fan_out.items()}
    for name, scenarios in grouped([s for s in comparison.scenarios if s in pattern], pattern.get).items():
        known = lambda s, column: [(label, c) for label, _, c in comparison.cells(s) if getattr(c, column) is not None]
        scenario = max(scenarios, key=lambda s: (len(known(s, "allocations_per_upload")), width[s]))
        for column, title, show in RESOURCES:
            if column not in ("peak_threads", "allocations_per_upload", "retains_per_upload"):
                continue
            rows = [dict(run=label, contender=c.contender, value=getattr(c, column), label=show(getattr(c, column)) or "0") for label, c in known(scenario, column)]
            top = max((row["value"] for row in rows), default=0)
            if len({row["run"] for row in rows}) > 1 and top:
                x = dict(scale=alt.Scale(domain=[0, top * 1.05], nice=False), axis=alt.Axis(title=None, tickCount=4))
                panels.append(dots(comparison, [title + (f" per {comparison.unit}" if column.endswith("upload") else ""), scenario],
                                   [dict(row, low=None, high=None) for row in rows], x, [("label", title)]))
    return figure("resources", "Threads, allocations and retains, run by run",
                  "Counted, not timed. Where a toolchain or a commit changes a count, that is no noise.", panels) if panels else None


COMPARED = {
    ratios_figure: "ratios: need one scenario that two runs measured with a reference",
    costs_figure: "cost against fan-out: needs one scenario at two fan-outs in two runs",
    efficiencies_figure: "efficiency: needs a scenario in two runs whose service promises its times",
    ends_figure: "failure and cancellation: needs a scenario in two runs that ends without a post",
    counts_figure: "threads, allocations and retains: need one scenario in two runs that has them",
}

MOST_CHANGES = 8
COUNTS = (("allocations_per_upload", "allocations"), ("retains_per_upload", "retains"))


def cut(found: list[str], where: str = "") -> list[str]:
    return found[:MOST_CHANGES] + ([f"And {len(found) - MOST_CHANGES} more{where}."] if len(found) > MOST_CHANGES else [])


def apart(cells: dict) -> bool:
    """Whether two runs' intervals of the ratio do not touch."""
    ends = [(c.ratio_ci_low, c.ratio_ci_high) for c in cells.values() if c.ratio_ci_low is not None and c.ratio_ci_high is not None]
    return any(a[1] < b[0] or b[1] < a[0] for a, b in combinations(ends, 2))


def differences(comparison: Comparison) -> list[tuple[str, list[str]]]:
    """What the runs say in common and where they part, in words."""
    said = defaultdict(list)
    for label, run in comparison.runs.items():
        for stem, scenarios in run.families().items():
            shared = [s for s in scenarios if s in comparison.scenarios]
            if len(shared) > 1:
                said[f"{stem}: who is cheapest"] += [f"{label}: {sentence[0].lower()}{sentence[1:]}" for sentence in leaders(run, shared)]
    orders, ratios, compared_cells = [], [], 0
    for scenario in comparison.scenarios:
        if comparison.undecided(scenario):
            continue
        found = comparison.by_contender(scenario)
        for (a, of_a), (b, of_b) in combinations(found.items(), 2):
            ranks = {label: (of_a[label].rank_group, of_b[label].rank_group) for label in of_a if label in of_b}
            before = [label for label, (x, y) in ranks.items() if x and y and x < y]
            after = [label for label, (x, y) in ranks.items() if x and y and x > y]
            if before and after:
                orders.append(f"{scenario}: {a} is cheaper than {b} in {listed(before)}, and dearer in {listed(after)}.")
        for contender, cells in found.items():
            known = {label: c for label, c in cells.items() if c.ratio and c.ratio_ci_low is not None}
            compared_cells += len(known) > 1
            if apart(cells):
                values = [c.ratio for c in known.values()]
                ratios.append((max(values) / min(values), f"{scenario}: {contender} takes " + ", ".join(
                    f"{times(c.ratio)} {c.reference} in {label}" for label, c in known.items()) + "."))
    said["Who changes places"] = cut(orders) or ["No two contenders that both runs tell apart stand in another order."]
    if compared_cells:
        said["Ratios whose intervals stand apart"] = [f"{len(ratios)} of {compared_cells} do."] + cut(
            [sentence for _, sentence in sorted(ratios, key=lambda found: -found[0])], "; all are in the table below")
    counts = []
    for column, what in COUNTS:
        for scenario in comparison.scenarios:
            for contender, cells in comparison.by_contender(scenario).items():
                values = {label: getattr(c, column) for label, c in cells.items() if getattr(c, column) is not None}
                least, most = min(values.values(), default=0), max(values.values(), default=0)
                if most > least * 1.05:
                    counts.append((most / least if least else math.inf, f"{scenario}: {contender} has " + ", ".join(
                        f"{plain(v)} {what} in {label}" for label, v in values.items()) + f", per {comparison.unit}."))
    if counts:
        said["Counts that differ by more than 5 %"] = cut([sentence for _, sentence in sorted(counts, key=lambda found: -found[0])], "; all are in the table below")
    return [(heading, sentences) for heading, sentences in said.items() if sentences]


def difference_tables(comparison: Comparison) -> str:
    ratios, counts = [], []
    for scenario in comparison.scenarios:
        for contender, cells in comparison.by_contender(scenario).items():
            of = [cells.get(label) for label in comparison.runs]
            ratios.append([contender, scenario, *("–" if c is None or c.ratio is None else (
                times(c.ratio), "" if c.ratio_ci_low is None else span(c.ratio_ci_low, c.ratio_ci_high, times)) for c in of),
                "apart" if apart(cells) else ""])
            for column, what in COUNTS:
                if any(c and getattr(c, column) is not None for c in of):
                    counts.append([contender, scenario, what, *("" if c is None else plain(getattr(c, column)) for c in of)])
    return "".join(
        f"<details><summary>{summary} ({len(rows)})</summary>{table(caption, head, rows, text)}</details>" for summary, caption, head, rows, text in (
            ("Every ratio of every cell that two runs share", "Ratio to the reference, and its 95 % interval",
             ["contender", "scenario", *comparison.runs, "intervals"], ratios, (1,)),
            ("Every count of these cells", f"Per {comparison.unit}; empty: unknown", ["contender", "scenario", "count", *comparison.runs], counts, (1, 2)))
        if rows)


HOW_TO_COMPARE = """
<ul>
<li>Each ratio compares two contenders of one run, whose samples were taken in turns. Only such ratios are set beside those of another
run; times are shown, and say little: the same build, recorded twice on a shared machine, differs by tens of percent.</li>
<li>An interval knows what varied within its run. What differs from run to run (the machine's other guests, the layout of a build in
memory) is not in it, so intervals that stand apart are a lead and no proof. Whether a commit made something slower is decided by
<code>bench check --against</code>, which measures both builds in turns, here and now.</li>
<li>Counts of allocations and retains do not depend on how fast or how busy a machine is.</li>
<li>A scenario that the runs define differently, or took against different references, is not compared.</li>
</ul>
"""


def comparison_page(comparison: Comparison, figures: list, missing: list[str]) -> str:
    body = [header(comparison.name)]
    body += [f'<p class="alert">{escape(f"{label}: {text}")}</p>' for label, run in comparison.runs.items() for text in warnings(run.environment)]
    body += [f'<p class="alert">{escape(text)}</p>' for text in comparison.remarks.all()]
    told = {label: dict(facts(run)) for label, run in comparison.runs.items()}
    names = dict.fromkeys(name for lines in told.values() for name in lines)
    rows = [[name, *(lines.get(name, "") for lines in told.values())] for name in names]
    differing = [row[0] for row in rows if len(set(row[1:])) > 1]
    alone = {label: [s for s in run.scenarios if s not in comparison.scenarios] for label, run in comparison.runs.items()}
    body += [contents(["run", "changes", *(drawn.key for drawn in figures), "numbers", "reading"]),
             '<section id="run"><h2>What was run, and on what</h2>',
             f"<p>{len(comparison.runs)} runs, {len(comparison.scenarios)} scenarios that two or more of them measured. They differ in "
             f"{escape(listed(differing)) or 'nothing that they recorded'}.</p>",
             table("Where the numbers come from", ["", *comparison.runs], rows, text=tuple(range(1, len(told) + 1))),
             *(f"<p>Not compared, of {escape(label)} alone: {escape(listed(names))}.</p>" for label, names in alone.items() if names),
             '</section><section id="changes"><h2>What the runs have in common, and where they part</h2>', in_words(differences(comparison)), "</section>",
             legend(list(comparison.runs), "run")]
    panels = place(figures, body)
    body += ['<section id="numbers"><h2>All numbers</h2>', difference_tables(comparison)]
    if missing:
        body += ["<h3>What could not be drawn</h3>", "<ul>", *(f"<li>{escape(m)}</li>" for m in missing), "</ul>"]
    body += ['</section><section id="reading"><h2>How to read it, and what it cannot tell</h2>', HOW_TO_COMPARE, "</section>"]
    return document(comparison.name, body, panels, picks="run")


def read_comparison(directories: list[Path]) -> Comparison:
    """What can be read of them is compared; the rest is named."""
    runs, problems = [], []
    for number, directory in enumerate(directories):
        try:
            if directory.resolve() in [other.resolve() for other in directories[:number]]:
                raise Problem(f"{directory}: is named twice.", code=1)
            run = read(directory)
            if isinstance(run, LoadRun):
                raise Problem(f"{directory}: is a run of bench load, which is drawn alone and not compared.", code=1)
            runs.append(run)
        except Problem as problem:
            problems.append(problem)
    if len(runs) < 2:
        raise Problem(f"{problems[0]} A comparison needs two runs.", problems[0].code)
    return Comparison(runs, [str(problem) for problem in problems])


# --------------------------------------------------------------------------------------------- command


def say(message: str, only_to_a_terminal: bool = False) -> None:
    """On standard error, if anybody can be told there."""
    try:
        if sys.stderr and (sys.stderr.isatty() or not only_to_a_terminal):
            print(f"plot.py: {message}", file=sys.stderr, flush=True)
    except OSError:
        pass


def hand_out(text: str) -> None:
    """On standard output."""
    if sys.stdout is None:
        raise Problem("cannot write to standard output: it is closed. Whatever was drawn is written.")
    try:
        print(text, flush=True)
    except OSError as error:
        # What is left of the text would be tried again when the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # A reader that is gone has seen enough.
        if not isinstance(error, BrokenPipeError):
            raise Problem(f"cannot write to standard output: {error.strerror}. Whatever was drawn is written.")


def load_libraries() -> None:
    global alt, vlc, VEGA_LITE
    try:
        import altair as alt
        import vl_convert as vlc
        from altair.utils.schemapi import debug_mode
    except ImportError as error:
        raise Problem(f"{error.name} is not installed: {INSTALL}", code=1)
    alt.data_transformers.consolidate_datasets = False
    debug_mode(False).__enter__()  # Vega-Lite itself says what it cannot draw; a check of every part takes most of the time
    VEGA_LITE = ".".join(alt.SCHEMA_VERSION.split(".")[:2])


@lru_cache
def scripts() -> str:
    """Vega, Vega-Lite and what embeds them, in one text without a closing tag."""
    return vlc.javascript_bundle(vl_version=VEGA_LITE).replace("</script", "<\\/script")


def images(drawn, formats: list[str]):
    """(file name, bytes) of a figure in each format asked for."""
    columns = min(drawn.columns, len(drawn.panels))
    lines = textwrap.wrap(drawn.title, 50 * columns if drawn.columns > 1 else 80)
    title = alt.TitleParams(text=lines, anchor="start", fontSize=16, offset=18)
    spec = {"$schema": alt.SCHEMA_URL, "concat": drawn.panels, "columns": columns, "spacing": 28, "title": title.to_dict(),
            "config": config(THEMES["light"]), "padding": 16}
    if "svg" in formats or "png" in formats:
        say(f"drawing {drawn.key}", only_to_a_terminal=True)
    if "svg" in formats:
        yield f"{drawn.key}.svg", vlc.vegalite_to_svg(spec, vl_version=VEGA_LITE).encode()
    if "png" in formats:
        yield f"{drawn.key}.png", vlc.vegalite_to_png(spec, vl_version=VEGA_LITE, scale=2)


def write(path: Path, content: bytes) -> None:
    """All or nothing: a file that stands is replaced only by a whole one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".plot-", delete=False) as file:
            try:
                file.write(content)
                file.flush()
                os.chmod(file.name, 0o644)
                os.replace(file.name, path)
            except OSError:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise Problem(f"{path}: cannot be written: {error.strerror}.")


class Arguments(argparse.ArgumentParser):
    def error(self, message: str):
        raise Problem(f"{message}. Try: plot.py --help", code=1)

    def print_help(self, file=None):
        hand_out(self.format_help().rstrip())


def formats(text: str) -> list[str]:
    names = text.split(",")
    wrong = [name for name in names if name not in ("png", "svg", "html")]
    if wrong:
        raise argparse.ArgumentTypeError(f"{wrong[0]!r} is no format; there are png, svg and html")
    return names


def main(arguments: list[str]) -> int:
    parser = Arguments(prog="plot.py", description="Draws a run directory, or several beside one another: charts as PNG and SVG, and report.html, "
                       "which opens offline.",
                       epilog="Exit codes: 0 fine, 1 usage or a missing library, 6 a file is damaged or cannot be read or written; what can "
                       "be drawn is drawn all the same.")
    parser.add_argument("runs", metavar="RUN_DIR", nargs="*", type=Path, default=[Path("results/latest")],
                        help="default: results/latest; two or more are compared")
    parser.add_argument("--output", metavar="DIR", type=Path,
                        help="where the files go; default: RUN_DIR, of a comparison the folder comparison beside the first")
    parser.add_argument("--format", type=formats, default="png,svg,html", help="which to write; default: png,svg,html")
    options = parser.parse_args(arguments)
    several = len(options.runs) > 1
    run = read_comparison(options.runs) if several else read(options.runs[0])
    draws, document_of = (COMPARED, comparison_page) if several else (LOAD_FIGURES, load_page) if isinstance(run, LoadRun) else (FIGURES, page)
    load_libraries()
    figures, missing = [], []
    for draw, need in draws.items():
        drawn = draw(run)
        figures.append(drawn) if drawn else missing.append(need)
    files = [file for drawn in figures for file in images(drawn, options.format)]
    if "html" in options.format:
        files.append(("report.html", document_of(run, figures, missing).encode()))
    output = options.output or (options.runs[0].parent / "comparison" if several else options.runs[0])
    for name, content in files:
        write(output / name, content)
    for note in run.remarks.all() + [f"not drawn: {m}" for m in missing]:
        say(note)
    hand_out("\n".join(str(output / name) for name, _ in files))
    return 6 if run.remarks.faults else 0


if __name__ == "__main__":
    if sys.stdout:
        sys.stdout.reconfigure(errors="surrogateescape")  # names of folders are bytes
    try:
        sys.exit(main(sys.argv[1:]))
    except Problem as problem:
        say(str(problem))
        sys.exit(problem.code)
    except OSError as error:
        say(one_line(f"{error.filename}: {error.strerror}."))
        sys.exit(6)
    except KeyboardInterrupt:
        sys.exit(130)
