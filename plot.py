#!/usr/bin/env python3
# /// script
# requires-python = ">=3.9"
# dependencies = ["altair>=5.5", "vl-convert-python>=1.7"]
# ///
"""Draws a run directory: every chart as PNG and SVG, and one report.html that opens without a network.

Every name, number and order comes from the run's own files; an empty cell is unknown and never drawn as 0.
In order: read (files to rows), model (rows to a run), words, charts, page, command.
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
import statistics
import sys
import tempfile
import textwrap
from collections import Counter, defaultdict
from itertools import combinations, groupby
from pathlib import Path
from types import SimpleNamespace

INSTALL = "python3 -m pip install altair vl-convert-python"


class Problem(Exception):
    """What stops the drawing, in one line, with its exit code: 1 usage, 6 a file cannot be read or written."""

    def __init__(self, message: str, code: int = 6):
        super().__init__("".join(c if c.isprintable() else " " for c in message))
        self.code = code


# ------------------------------------------------------------------------------------------------ read

SAMPLE_COLUMNS = {
    str: "contender scenario outcome reason dropped machine",
    int: "generation round fan_out posts",
    float: "wall_ns",
}
SUMMARY_COLUMNS = {
    str: "run contender scenario pattern service outcome reference machine",
    int: "fan_out samples dropped rank_group peak_threads peak_rss_bytes source_lines",
    float: "median_ns median_ci_low_ns median_ci_high_ns p90_ns p99_ns ns_per_upload overhead_ns_per_upload "
    "ratio ratio_ci_low ratio_ci_high efficiency cpu_ns_per_upload switches_per_upload "
    "allocations_per_upload retains_per_upload",
}
# A file of an earlier version lacks these: then they are unknown.
ADDED_LATER = {"machine"}
# What Results/Yardstick.swift calls it: measured beside the contenders, and none of them.
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
               "latency_high_ns"}
MAY_BE_NEGATIVE = {"overhead_ns_per_upload", "exponent", "exponent_ci_low", "exponent_ci_high", "fixed_ns", "linear_ns",
                   "log_linear_ns"}


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise Problem(f"{path}:{line}: is not UTF-8. Save it as UTF-8, or record the run again.")
    except OSError as error:
        raise Problem(f"{path}: cannot be read: {error.strerror}.")


def read_table(path: Path, columns: dict, notes: list[str], appended: bool = False) -> list[SimpleNamespace]:
    """The rows, with None for what is empty.

    A file that is appended to while a run goes on may end in half a line, which is left out and noted.
    """
    text = read_text(path)
    if appended and "\n" in text and not text.endswith("\n"):
        text = text[: text.rindex("\n") + 1]
        notes.append(f"{path.name} ends in half a line, left out: the run was stopped while it wrote.")
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    kinds = {name: kind for kind, names in columns.items() for name in names.split()}
    rows = []
    try:
        header = next(lines, [])
        for name in kinds:
            if header.count(name) != 1 and not (name in ADDED_LATER and name not in header):
                fault = "stands twice in" if name in header else "is missing from"
                raise Problem(f"{path}:1: column {name} {fault} the header. Record the run again with this version.")
        for fields in lines:
            if len(fields) != len(header):
                raise Problem(f"{path}:{lines.line_num}: has {len(fields)} fields where {len(header)} belong.")
            row = dict(zip(header, fields))
            where = f"{path}:{lines.line_num}"
            rows.append(SimpleNamespace(line=lines.line_num, **{n: value(row.get(n, ""), n, kinds[n], where) for n in kinds}))
    except csv.Error as error:
        raise Problem(f"{path}:{lines.line_num}: is not CSV: {error}.")
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
    if not directory.is_dir():
        raise Problem(f"{directory}: is no run directory. Measure first (swift run -c release bench), or name one.")
    notes: list[str] = []
    tables = []
    for name, columns in (("summary.csv", SUMMARY_COLUMNS), ("samples.csv", SAMPLE_COLUMNS)):
        if (directory / name).exists():
            tables.append(read_table(directory / name, columns, notes, appended=name == "samples.csv"))
        else:
            tables.append([])
            notes.append(f"{name} is missing: what is drawn from it is left out.")
    if not any(tables):
        raise Problem(f"{directory}: has no row in summary.csv or samples.csv, so there is nothing to draw.")
    kept = [[row for row in rows if row.contender != YARDSTICK] for rows in tables]
    if any(kept) and any(len(rows) < len(all_rows) for rows, all_rows in zip(kept, tables)):
        notes.append(f"{YARDSTICK}, the yardstick, is no contender and is not drawn: summary.md has its numbers.")
        tables = kept
    # A run without a series of fan-outs has no such file, and lacks nothing.
    path = directory / "growth.csv"
    growth = read_table(path, GROWTH_COLUMNS, notes) if path.exists() else []
    return Run(directory, *tables, read_environment(directory, notes), notes, growth)


def read_load(directory: Path) -> LoadRun:
    """A run of `bench load`, known by its load.csv."""
    notes: list[str] = []
    tables = []
    for name, columns in (("load_summary.csv", LOAD_COLUMNS), ("latencies.csv", LATENCY_COLUMNS), ("limits.csv", LIMIT_COLUMNS)):
        there = (directory / name).exists()
        tables.append(read_table(directory / name, columns, notes) if there else [])
        if not there and name != "limits.csv":
            notes.append(f"{name} is missing: what is drawn from it is left out.")
    if not tables[0]:
        raise Problem(f"{directory}: has no row in load_summary.csv, so there is nothing to draw.")
    return LoadRun(directory, *tables, read_environment(directory, notes), notes)


def read_environment(directory: Path, notes: list[str]) -> dict:
    environment = {}
    path = directory / "environment.json"
    if path.exists():
        try:
            environment = json.loads(read_text(path))
        except ValueError as error:
            raise Problem(f"{path}: is not JSON: {error}.")
        if not isinstance(environment, dict):
            raise Problem(f"{path}: holds no JSON object.")
    else:
        notes.append("environment.json is missing: on what this ran is unknown.")
    return environment


# ----------------------------------------------------------------------------------------------- model


class Run:
    """Cells by (contender, scenario), samples, and the orders in which names first appear."""

    def __init__(self, directory: Path, cells: list, samples: list, environment: dict, notes: list[str], growth: list):
        self.name = next((c.run for c in cells if c.run), directory.resolve().name)
        self.samples, self.environment, self.notes, self.growth = samples, environment, notes, growth
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
        for cell in cells:
            if (cell.contender, cell.scenario) in self.cells:
                raise Problem(
                    f"{directory / 'summary.csv'}:{cell.line}: {cell.contender} × {cell.scenario} stands twice.")
            self.cells[cell.contender, cell.scenario] = cell
            cell.measured = cell.outcome == "measured" and bool(cell.median_ns)
        self.contenders = list(dict.fromkeys(row.contender for row in rows))
        self.scenarios = list(dict.fromkeys(row.scenario for row in rows))
        self.fan_out = {row.scenario: row.fan_out for row in rows}
        # Operations of the runtimes have units of their own kinds: switches, awaits, elements.
        self.unit = "unit" if {c.service for c in cells} == {"runtime"} else "upload"
        self.references = {c.scenario: c.reference for c in cells if c.reference}
        self.reference = next(iter(self.references.values()), None)
        good = [s for s in samples if s.outcome == "measured"]
        self.kept = [s for s in good if not s.dropped and s.wall_ns]
        posts = {s.scenario: set() for s in good}
        for sample in good:
            posts[sample.scenario].add(sample.posts)
        self.endings = [s for s in self.scenarios if posts.get(s, set()) - {None} == {0}]
        waiting = {c.scenario for c in cells if c.efficiency is not None}
        self.waits = [s for s in self.scenarios if s in waiting and s not in self.endings]
        self.works = [s for s in self.scenarios if s not in self.endings and s not in self.waits]
        # Coordination is paid per upload; waiting, failing and an empty post are a post's own.
        self.units = {s: max(self.fan_out[s], 1) if s in self.works else 1 for s in self.scenarios}
        for cell in cells:
            units = cell.units = self.units[cell.scenario]
            cell.per = self.per(cell.scenario)
            cell.each, cell.low, cell.high = (
                v and v / units for v in (cell.median_ns, cell.median_ci_low_ns, cell.median_ci_high_ns))
        self.first_calls = self._first_calls(good)

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
            if key in reasons:
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
                series[f"{row.series} @ {row.machine}" if row.machine else row.series].append(row)
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

    def __init__(self, directory: Path, rows: list, latencies: list, limits: list, environment: dict, notes: list[str]):
        self.name = next((r.run for r in rows if r.run), directory.resolve().name)
        self.rows, self.latencies, self.limits = rows, latencies, limits
        self.environment, self.notes = environment, notes
        seen = set()
        for row in rows:
            key = row.contender, row.scenario, row.offered_per_s
            if key in seen:
                raise Problem(f"{directory / 'load_summary.csv'}:{row.line}: {row.contender} × {row.scenario} at "
                              f"{per_second(row.offered_per_s)} stands twice.")
            seen.add(key)
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


def lateness(cell) -> list:
    """Median and interval of the time from the failure or the cancel, where its moment is known, to the caller's news."""
    ideal = cell.efficiency * cell.median_ns if cell.efficiency else 0
    return [end and max(end - ideal, 1) for end in (cell.median_ns, cell.median_ci_low_ns, cell.median_ci_high_ns)]


def adds(cell, reference) -> str:
    if tie(cell, reference):
        return f"{cell.contender} is not told apart from it"
    nanoseconds = overhead(cell, reference)[0]
    return f"{cell.contender} {'adds' if nanoseconds >= 0 else 'saves'} {duration(abs(nanoseconds))}"


# ----------------------------------------------------------------------------------------------- words


def answer(run: Run) -> list[str]:
    """What the rows say, a sentence each. Names that the run's pairs do not separate are said to tie."""
    said = []
    for stem, scenarios in run.families().items():
        said += leaders(run, stem, scenarios) + crossings(run, stem, scenarios)
    for scenario in run.waits:
        cells = sorted((c for c in run.measured(scenario) if c.efficiency), key=lambda c: -c.efficiency)
        if len(cells) > 1:
            best, worst = cells[0], cells[-1]
            said.append(
                f"{scenario}: none is told apart; {percent(worst.efficiency)} to {percent(best.efficiency)} of their time is waiting "
                "that nobody could avoid." if tie(best, worst) else
                f"{scenario}: {best.contender} comes closest to the ideal: {percent(best.efficiency)} of its time is waiting "
                f"that nobody could avoid; {worst.contender} stays farthest, with {percent(worst.efficiency)}.")
    for scenario in run.endings:
        cells = sorted(run.measured(scenario), key=lambda c: c.median_ns)
        if len(cells) > 1:
            said.append(
                f"{scenario}, which ends without a post: none is told apart; they tell their caller after "
                f"{extent([lateness(cell)[0] for cell in cells])}." if tie(cells[0], cells[-1]) else
                f"{scenario}, which ends without a post: {cells[0].contender} tells its caller first, after "
                f"{duration(lateness(cells[0])[0])}, {cells[-1].contender} last, after {duration(lateness(cells[-1])[0])}.")
    colds = [(time / run.cells[key].median_ns, *key) for key, time in run.first_calls.items()
             if key in run.cells and run.cells[key].measured and key[1] in run.works]
    if colds:
        factor, contender, scenario = max(colds)
        said.append(
            f"A first call costs more than a settled one: at most {plain(factor)} times as much ({contender} on {scenario}).")
    failed = len(run.unmeasured())
    if failed:
        said.append(f"{failed} of {len(run.contenders) * len(run.scenarios)} cells have no number; "
                    "they are listed below with their reasons and ranked nowhere.")
    return said


def leaders(run: Run, stem: str, scenarios: list[str]) -> list[str]:
    said, firsts = [], []
    for scenario in scenarios:
        others = sorted((c for c in run.measured(scenario) if c.contender != run.references.get(scenario)),
                        key=lambda c: c.median_ns)
        if others:
            tied = [c.contender for c in others if c is others[0] or tie(c, others[0])]
            firsts.append((tied, run.fan_out[scenario]))
    parts = []
    for tied, run_of in groupby(firsts, key=lambda first: first[0]):
        counts = [count for _, count in run_of]
        where = f"{plain(counts[0])} to {plain(counts[-1])}" if len(counts) > 1 else plain(counts[0])
        parts.append(f"{listed(tied)} {'tie' if len(tied) > 1 else 'leads'} at fan-out {where}")
    if parts and len({c.contender for s in scenarios for c in run.measured(s)}) > 2:
        beside = f", {run.reference} (the reference) aside" if run.reference else ""
        said.append(f"cheapest{beside}: {'; '.join(parts)}.")
    last = run.measured(scenarios[-1])
    reference = next((c for c in last if c.contender == run.references.get(scenarios[-1])), None)
    others = sorted((c for c in last if c is not reference), key=lambda c: c.median_ns)
    if reference and others:
        low, high = others[0], others[-1]
        said.append(
            f"at fan-out {plain(last[0].fan_out)} an upload costs {duration(reference.each)} with {reference.contender}; "
            + ", ".join(adds(cell, reference) for cell in ([low, high] if high is not low else [low])) + ".")
    return [f"{stem}: {sentence}" for sentence in said]


def crossings(run: Run, stem: str, scenarios: list[str]) -> list[str]:
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
    return [f"{stem}: {'; '.join(found)}."] if found else []


# ---------------------------------------------------------------------------------------------- charts

# A neutral for the reference, then hues that stay apart for colour-blind eyes; shapes
# repeat with another period, so that no two of the first 56 contenders look the same.
THEMES = {
    "light": dict(paper="#ffffff", ink="#1c1f23", quiet="#5c636b", line="#e2e5e9", palette=[
        "#55595e", "#1472d9", "#c1320a", "#007557", "#b0629a", "#4097e1", "#c37d08", "#733594"]),
    "dark": dict(paper="#15181c", ink="#e8eaed", quiet="#a0a7b0", line="#30363d", palette=[
        "#c9cdd2", "#6f86d6", "#ff6905", "#10b071", "#ff85b9", "#7ebcff", "#e7cf36", "#9e80ff"]),
}
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right"]
CSS_COLOURS = dict(paper="var(--paper)", ink="var(--ink)", quiet="var(--quiet)", line="var(--line)",
                   palette=[f"var(--c{i})" for i in range(8)])
PANEL, WIDE, ROW = 270, 560, 22
MOST_DOTS = 6000  # keeps the report below its 3 MiB
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
        "title": {"color": colours["ink"], "subtitleColor": colours["quiet"], "anchor": "start", "frame": "group",
                  "fontSize": 12, "fontWeight": 600, "subtitleFontSize": 11, "offset": 8},
        "text": {"color": colours["ink"], "fontSize": 11},
        "tick": {"color": colours["ink"]},
        "point": {"filled": True, "size": 64, "opacity": 1},
        "range": {"category": colours["palette"], "symbol": SHAPES},
    }


def identity(run: Run) -> dict:
    """Colour and shape of a contender by its place in the files, the reference first."""
    scale = alt.Scale(domain=sorted(run.contenders, key=lambda contender: contender != run.reference))
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


def intervals(run: Run, title: list[str], rows: list[dict], order: list[str], x: dict, hint: list[tuple]) -> dict:
    """A panel with a row per contender: its value, its interval, and at the right the value in words."""
    rows = sorted(rows, key=lambda row: order.index(row["contender"]))
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("contender:N", title=None, sort=[row["contender"] for row in rows], axis=alt.Axis(labelLimit=150)))
    tips = [alt.Tooltip(f"{field}:N", title=name) for field, name in [("contender", "contender"), *hint]]
    who = identity(run)
    layers = [
        base.mark_rule(strokeWidth=4, opacity=0.45, strokeCap="round").encode(
            x=alt.X("low:Q", **x), x2="high:Q", color=who["color"], tooltip=tips),
        base.mark_point().encode(x=alt.X("value:Q", **x), tooltip=tips, **who),
        base.mark_text(align="left", dx=8).encode(x=alt.value("width"), text="label:N"),
    ]
    return alt.layer(*layers).properties(title=heading(title), height=ROW * len(rows), width=PANEL)


def heading(lines: list[str]):
    return alt.TitleParams(text=lines[0], subtitle=lines[1:])


def gaps(run: Run, scenario: str) -> list[dict]:
    """A row without a value for each cell of the scenario that has no number, so that nobody silently vanishes."""
    return [dict(contender=c, value=None, low=None, high=None, label=outcome, note=reason)
            for c, s, outcome, reason in run.unmeasured() if s == scenario]


def figure(key: str, title: str, caption: str, panels: list, columns: int = 3) -> SimpleNamespace:
    return SimpleNamespace(key=key, title=title, caption=caption, panels=panels, columns=columns)


def overhead_figure(run: Run):
    rows, values = {}, [0.0]
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
            values += [v for v in (point, low, high) if v is not None]
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
        title = [scenario, f"above {reference.contender}: {duration(reference.each)} {reference.per}"]
        axis = signed_axis(values, f"overhead {reference.per}")
        panels.append(intervals(run, title, found + gaps(run, scenario), order, axis, hint))
    scenario = max(rows, key=lambda s: (len(rows[s][1]), run.fan_out[s]))
    reference, found = rows[scenario]
    ends = dict.fromkeys(f(found, key=lambda row: row["value"])["contender"] for f in (min, max))
    lead = ", ".join(adds(run.cells[contender, scenario], reference) for contender in ends)
    return figure(
        "overhead", f"Overhead above {reference.contender}: on {scenario}, {lead}",
        f"Time that each contender adds to that of {run.reference}, the reference, with simultaneous 95 % intervals. The axis is "
        "logarithmic on both sides of zero; left of zero is cheaper than the reference.", panels)


def cost_figure(run: Run):
    panels, titles = [], []
    for stem, scenarios in run.families().items():
        rows = [dict(contender=c.contender, x=c.fan_out, y=c.each, samples=c.samples, low=c.low, high=c.high,
                     note=f"{duration(c.each)} {c.per}", interval=span(c.low, c.high))
                for s in scenarios for c in run.measured(s)]
        if len({row["x"] for row in rows}) < 2:
            continue
        panels.append(cost_panel(run, stem, rows))
        first, last = ([r["y"] for r in rows if r["x"] == f(row["x"] for row in rows)] for f in (min, max))
        titles.append(f"an upload takes {extent(first)} at fan-out {plain(min(r['x'] for r in rows))}, "
                      f"{extent(last)} at {plain(max(r['x'] for r in rows))}")
    if not panels:
        return None
    return figure("cost", f"Cost against fan-out: {titles[0]}",
                  "Median time per upload, with the 95 % interval of the median as a band; both axes logarithmic. A flat "
                  "line scales; a falling one spreads a fixed cost over more uploads.", panels, columns=1)


def cost_panel(run: Run, stem: str, rows: list[dict]):
    height, fan_outs = 340, sorted({row["x"] for row in rows})
    y = log_axis([v for r in rows for v in (r["y"], r["low"], r["high"]) if v], "time per upload")
    low, high = (math.log(v) for v in y["scale"].domain)
    labels = end_labels(rows, low, high, height)
    x = alt.X("x:Q", scale=alt.Scale(type="log", domain=[fan_outs[0], fan_outs[-1]], nice=False, padding=4),
              axis=alt.Axis(title="fan-out (uploads per post)", values=fan_outs, format="~s", grid=False))
    who, base = identity(run), alt.Chart(alt.Data(values=rows)).encode(x=x)
    names = alt.Chart(alt.Data(values=labels)).encode(y=alt.Y("at:Q", **y))
    tips = [alt.Tooltip(f"{f}:N", title=t) for f, t in (
        ("contender", "contender"), ("x", "fan-out"), ("note", "median"), ("interval", "95 % interval"), ("samples", "samples"))]
    return alt.layer(
        base.mark_area(opacity=0.18).encode(y=alt.Y("low:Q", **y), y2="high:Q", color=who["color"]),
        base.mark_line(strokeWidth=1.75).encode(y=alt.Y("y:Q", **y), color=who["color"]),
        base.mark_point().encode(y=alt.Y("y:Q", **y), tooltip=tips, **who),
        names.mark_point(xOffset=14).encode(x=alt.value("width"), **who),
        names.mark_text(align="left", dx=22).encode(x=alt.value("width"), text="contender:N"),
    ).properties(title=heading([stem]), height=height, width=WIDE)


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


def growth_figure(run: Run):
    panels, steepest = [], None
    for series, rows in run.series().items():
        points, curves, ends = [], [], []
        for row in rows:
            power = "" if row.exponent is None else f"N^{three_digits(row.exponent)}"
            interval = span(row.exponent_ci_low, row.exponent_ci_high, three_digits)
            points += [dict(contender=row.contender, x=c.fan_out, y=c.median_ns / c.fan_out, power=power or "unknown",
                            interval=interval, verdict=row.verdict or "unknown", note=duration(c.median_ns / c.fan_out))
                       for c in row.cells]
            curves += [dict(contender=row.contender, x=x, y=y) for x, y in fitted(row)]
            stopped = f", stopped at {plain(row.stopped_at_fan_out)}" if row.stopped_at_fan_out else ""
            ends.append(dict(contender=row.contender, x=row.cells[-1].fan_out, y=points[-1]["y"], text=f"{row.contender} {power}{stopped}"))
            if row.exponent is not None:
                steepest = max(steepest or (row.exponent, row.contender, series), (row.exponent, row.contender, series))
        if len({point["x"] for point in points}) > 1:
            panels.append(growth_panel(run, series, points, curves, ends))
    if not panels:
        return None
    most = f": steepest, {steepest[1]} with N^{three_digits(steepest[0])} in {steepest[2]}" if steepest else ""
    return figure("growth", f"Growth with the fan-out{most}",
                  "Dots: median time of a post ÷ its uploads. Lines: the fit a + b·N + c·N·log2 N, ÷ N; both axes logarithmic. A "
                  "level line is linear growth, one that rises to the right is more; where dots leave their line, time grows "
                  "otherwise. The power is the slope of the post's time from fan-out 1000 on, if there are two such.",
                  panels, columns=1)


def fitted(row) -> list[tuple[float, float]]:
    """Points of the fitted curve per upload, within the fan-outs that were measured; where it is below 0 there are none."""
    if None in (row.fixed_ns, row.linear_ns, row.log_linear_ns):
        return []
    low, high = row.cells[0].fan_out, row.cells[-1].fan_out
    widths = [low * (high / low) ** (step / 60) for step in range(61)]
    curve = [(n, row.fixed_ns / n + row.linear_ns + row.log_linear_ns * math.log2(n)) for n in widths]
    return [(float(f"{n:.6g}"), float(f"{time:.6g}")) for n, time in curve if time > 0]


def growth_panel(run: Run, series: str, points: list[dict], curves: list[dict], ends: list[dict]):
    height, fan_outs = 340, sorted({point["x"] for point in points})
    y = log_axis([point["y"] for point in points], "time per upload")
    low, high = y["scale"].domain
    # A fit that leaves the dots' range is cut off there.
    curves = [curve for curve in curves if low <= curve["y"] <= high]
    labels = end_labels(ends, math.log(low), math.log(high), height)
    x = alt.X("x:Q", scale=alt.Scale(type="log", domain=[fan_outs[0], fan_outs[-1]], nice=False, padding=4),
              axis=alt.Axis(title="fan-out (uploads per post)", values=fan_outs, format="~s", grid=False))
    who = identity(run)
    tips = [alt.Tooltip(f"{f}:N", title=t) for f, t in (
        ("contender", "contender"), ("x", "fan-out"), ("note", "time per upload"), ("power", "growth"),
        ("interval", "95 % interval"), ("verdict", "verdict"))]
    names = alt.Chart(alt.Data(values=labels)).encode(y=alt.Y("at:Q", **y))
    return alt.layer(
        alt.Chart(alt.Data(values=curves)).mark_line(strokeWidth=1.75).encode(x=x, y=alt.Y("y:Q", **y), color=who["color"]),
        alt.Chart(alt.Data(values=points)).mark_point().encode(x=x, y=alt.Y("y:Q", **y), tooltip=tips, **who),
        names.mark_point(xOffset=14).encode(x=alt.value("width"), **who),
        names.mark_text(align="left", dx=22).encode(x=alt.value("width"), text="text:N"),
    ).properties(title=heading([series]), height=height, width=WIDE)


def distribution_figure(run: Run):
    by_scenario = defaultdict(list)
    reference_times = defaultdict(list)
    for sample in run.kept:
        by_scenario[sample.scenario].append(sample)
        if sample.contender == run.references.get(sample.scenario):
            reference_times[sample.scenario, sample.generation, sample.round].append(sample.wall_ns)
    bad = {(c, s) for c, s, *_ in run.unmeasured()}
    step = math.ceil(len(run.kept) / MOST_DOTS)
    panels, widest = [], None
    for scenario in filter(by_scenario.get, run.scenarios):
        samples, units = by_scenario[scenario], run.units[scenario]
        rows, counts = [], Counter()
        walls = defaultdict(list)
        for sample in samples:
            if (sample.contender, scenario) in bad:
                continue
            counts[sample.contender] += 1
            walls[sample.contender].append(sample.wall_ns / units)
            if counts[sample.contender] % step == 0:
                paired = reference_times.get((scenario, sample.generation, sample.round))
                rows.append(dict(
                    contender=sample.contender, v=float(f"{sample.wall_ns / units:.6g}"),
                    j=round(counts[sample.contender] * 0.618 % 1, 2), at=f"{sample.generation} · {sample.round}",
                    r=times(sample.wall_ns / statistics.median(paired)) if paired else "unknown"))
        if not rows:
            continue
        for contender, values in walls.items():
            middle, spread = statistics.median(values), max(values) / min(values)
            widest = max(widest or (0,), (spread, contender, scenario))
            rows.append(dict(contender=contender, m=float(f"{middle:.6g}")))
        dropped = sum(1 for s in run.samples if s.scenario == scenario and s.dropped)
        panels.append(strip(run, scenario, rows, f"{sum(counts.values())} samples, {dropped} dropped"))
    if not panels:
        return None
    thinned = f" Every {step}th is drawn; medians are of all." if step > 1 else ""
    return figure("distribution", f"Every sample: widest, {widest[1]} on {widest[2]}, slowest {plain(widest[0])} times the fastest",
                  "One dot per sample that counts, the median as a line; warm-up and disturbed rounds are left out and counted "
                  f"in each title.{thinned}", panels)


def strip(run: Run, scenario: str, rows: list[dict], counted: str):
    x = log_axis([row["v"] for row in rows if "v" in row], f"time {run.per(scenario)}")
    order = [c for c in run.by_cost([scenario]) if any(row["contender"] == c for row in rows)]
    y = alt.Y("contender:N", title=None, sort=order, axis=alt.Axis(labelLimit=150))
    color, base = identity(run)["color"], alt.Chart(alt.Data(values=rows)).encode(y=y)
    tips = [alt.Tooltip("contender:N", title="contender"), alt.Tooltip("v:Q", title="ns", format=",.4~g"),
            alt.Tooltip("r:N", title="to the reference"), alt.Tooltip("at:N", title="generation · round")]
    return alt.layer(
        base.mark_circle(size=9, opacity=0.5, aria=False).encode(
            x=alt.X("v:Q", **x), color=color, tooltip=tips,
            yOffset=alt.YOffset("j:Q", scale=alt.Scale(domain=[-0.25, 1.25]))),
        base.mark_tick(thickness=2, size=ROW - 6).encode(x=alt.X("m:Q", **x)),
    ).properties(title=heading([scenario, counted]), height=ROW * len(order), width=PANEL)


def efficiency_figure(run: Run):
    found = {s: [c for c in run.measured(s) if c.efficiency] for s in run.waits}
    found = {s: cells for s, cells in found.items() if cells}
    if not found:
        return None
    panels, lows = [], []
    rows = {}
    for scenario, cells in found.items():
        rows[scenario] = []
        for cell in cells:
            ends = [cell.efficiency * cell.median_ns / end if end else None
                    for end in (cell.median_ci_high_ns, cell.median_ci_low_ns)]
            lows += [v for v in (cell.efficiency, *ends) if v is not None]
            rows[scenario].append(dict(
                contender=cell.contender, value=cell.efficiency, low=ends[0], high=ends[1], label=percent(cell.efficiency),
                note=f"{duration(cell.median_ns)} per post", interval=span(*ends, show=percent)))
    order = sorted(run.contenders, key=lambda c: -max((r["value"] for f in rows.values() for r in f if r["contender"] == c), default=0))
    low = max(0, min(lows) - (max(1, *lows) - min(lows)) * 0.1)
    x = dict(scale=alt.Scale(domain=[low, max(1, *lows)], nice=False, zero=False),
             axis=alt.Axis(title="ideal ÷ measured time", labelExpr="format(100 * datum.value, '.4~g') + ' %'", tickCount=4))
    for scenario in rows:
        title = [scenario, f"fan-out {plain(run.fan_out[scenario])}"]
        panels.append(intervals(run, title, rows[scenario] + gaps(run, scenario), order, x,
                                [("label", "efficiency"), ("interval", "95 % interval"), ("note", "median")]))
    best, worst = max(r["value"] for f in rows.values() for r in f), min(r["value"] for f in rows.values() for r in f)
    return figure("efficiency", f"Waiting: contenders reach {percent(worst)} to {percent(best)} of the ideal",
                  "The lower bound of each scenario's time, computed from the service's own delays, divided by the median time. "
                  "100 % is as fast as the service permits; what is missing is the contender's.", panels)


def endings_figure(run: Run):
    panels, seen = [], []
    for scenario in run.endings:
        cells, rows = run.measured(scenario), []
        for cell in cells:
            late = lateness(cell)
            rows.append(dict(contender=cell.contender, value=late[0], low=late[1], high=late[2], label=duration(late[0]),
                             note=f"{duration(cell.median_ns)} from the start of the post", interval=span(*late[1:])))
        if not rows:
            continue
        since = "after the failure or cancel" if any(c.efficiency for c in cells) else "from the start of the post"
        seen.append((scenario, min(r["value"] for r in rows), max(r["value"] for r in rows)))
        axis = log_axis([v for r in rows for v in (r["value"], r["low"], r["high"]) if v], f"time {since}")
        panels.append(intervals(run, [scenario, f"fan-out {plain(run.fan_out[scenario])}"], rows + gaps(run, scenario),
                                run.by_cost([scenario]), axis,
                                [("label", since), ("interval", "95 % interval"), ("note", "median")]))
    if not panels:
        return None
    scenario, low, high = max(seen, key=lambda s: s[2] / s[1])
    return figure("endings", f"Failure and cancellation: on {scenario}, the caller knows within {span(low, high)}",
                  "How long a contender takes to tell its caller that there will be no post, once an upload has failed or the "
                  "caller has cancelled; intervals of the median, 95 %.", panels)


def effort_figure(run: Run):
    panels, title = [], None
    found = {s: [c for c in run.measured(s) if c.source_lines] for s in run.works if run.fan_out[s]}
    found = {s: cells for s, cells in found.items() if len(cells) > 1}
    for pattern in dict.fromkeys(cells[0].pattern for cells in found.values()):
        scenario = max((s for s in found if found[s][0].pattern == pattern), key=lambda s: (len(found[s]), run.fan_out[s]))
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
    height, most = 300, max(row["x"] for row in rows)
    y = log_axis([row["y"] for row in rows], "time per upload")
    low, high = (math.log(v) for v in y["scale"].domain)
    placed = []
    for row in sorted(rows, key=lambda row: row["y"]):  # a name goes up until it covers no other
        at = math.log(row["y"])
        while any(abs(at - other) < (high - low) * 13 / height and abs(row["x"] - x) < most * 0.35 for x, other in placed):
            at += (high - low) * 2 / height
        placed.append((row["x"], at))
        row["at"] = math.exp(at)
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("x:Q", scale=alt.Scale(domain=[0, most * 1.05], nice=False), axis=alt.Axis(title="lines of code", grid=False, tickCount=6)))
    tips = [alt.Tooltip(f"{f}:N", title=t) for f, t in (("contender", "contender"), ("x", "lines"), ("note", "median"))]
    return alt.layer(
        base.mark_point().encode(y=alt.Y("y:Q", **y), tooltip=tips, **identity(run)),
        base.mark_text(align="left", dx=9).encode(y=alt.Y("at:Q", **y), text="contender:N"),
    ).properties(title=heading(title), height=height, width=WIDE)


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
        ends = [[r.p99_ns or r.max_ns for r in found] for found in (rates[min(rates)], rates[max(rates)])]
        titles.append(f"p99 is {extent(ends[0])} at {per_second(min(rates))}, {extent(ends[1])} at {per_second(max(rates))}")
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
        names.mark_point(xOffset=14).encode(x=alt.value("width"), **who),
        names.mark_text(align="left", dx=22).encode(x=alt.value("width"), text="contender:N"),
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
        names.mark_point(xOffset=14).encode(x=alt.value("width"), **who),
        names.mark_text(align="left", dx=22).encode(x=alt.value("width"), text="contender:N"),
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
    growth_figure: "growth: needs growth.csv, which a run of one scenario at three fan-outs or more has",
    distribution_figure: "every sample: needs samples.csv with samples that count",
    efficiency_figure: "waiting: needs a scenario whose service promises its times",
    endings_figure: "failure and cancellation: needs a scenario that ends without a post",
    effort_figure: "cost to write: needs two contenders measured, with their lines of code",
}


# ------------------------------------------------------------------------------------------------ page

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<title>@title@</title>
<style>
:root { @light@ }
@media screen and (prefers-color-scheme: dark) { :root:not([data-theme=light]) { @dark@ color-scheme: dark } }
@media screen { :root[data-theme=dark] { @dark@ color-scheme: dark } :root[data-theme=light] { color-scheme: light } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; overflow-wrap: break-word }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: baseline; justify-content: space-between }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 }
h2 { font-size: 1.15rem; line-height: 1.35; margin: 3rem 0 .5rem; text-wrap: balance }
p, li { max-width: 46rem }
ul { padding-left: 1.2rem }
.quiet, figcaption, .caption, dt, small { color: var(--quiet) }
figure { margin: 0 } figcaption { max-width: 46rem; margin-bottom: 1rem; font-size: .9rem }
.panels { display: grid; gap: 1.5rem 2rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)) }
.panels.wide { grid-template-columns: repeat(auto-fill, minmax(min(100%, 36rem), 1fr)) }
.panels.wide > :only-child { max-width: 52rem; grid-column: 1 / -1 }
.panel { min-width: 0; width: 100%; break-inside: avoid } .panel svg { display: block; max-width: 100% }
.alert { border-left: 4px solid var(--c2); padding: .25rem .75rem; margin: 1rem 0 }
.scroll { overflow-x: auto; margin-bottom: 1rem }
table { border-collapse: separate; border-spacing: 0; font-size: .85rem; font-variant-numeric: tabular-nums }
.caption { font-size: .85rem; margin: 1.5rem 0 .25rem }
th, td { text-align: right; padding: .25rem 0 .25rem 1.25rem; border-bottom: 1px solid var(--line); white-space: nowrap; font-weight: normal }
th:first-child, td.text { text-align: left } th:first-child { padding-left: 0 } td.text { white-space: normal; min-width: 8rem }
th:first-child { position: sticky; left: 0; background: var(--paper) }
thead th { color: var(--quiet); vertical-align: bottom; white-space: normal; min-width: 8rem } thead th:first-child { min-width: 0 } td small { display: block }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; font-size: .9rem } dd { margin: 0; overflow-wrap: anywhere; min-width: 0 }
button { font: inherit; font-size: .85rem; color: var(--ink); background: none; border: 1px solid var(--quiet); border-radius: 4px; padding: .15rem .6rem }
:focus-visible { outline: 2px solid var(--c1); outline-offset: 2px }
#vg-tooltip-element { background: var(--paper); color: var(--ink); border-color: var(--line) }
#vg-tooltip-element table tr td.key { color: var(--quiet) }
#vg-tooltip-element td, #vg-tooltip-element table { border: 0; font-size: 12px }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr } dd { margin-bottom: .4rem } }
@media print { button { display: none } body { max-width: none; font-size: 11pt } .scroll { overflow: visible } h2 { break-after: avoid } }
</style>
</head>
<body>
@body@
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
  const specs = JSON.parse(document.getElementById("specs").textContent);
  const options = { actions: false, renderer: "svg", ast: true, config: specs.config };
  (async () => {
    for (const place of document.querySelectorAll("[data-panel]"))
      await vegaEmbed(place, { ...specs.panels[place.dataset.panel], width: "container" }, options);
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
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
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
                group = " · ".join(filter(None, (times(cell.ratio), cell.rank_group and f"rank {cell.rank_group}")))
                row.append((duration(cell.each), group))
            rows.append(row)
        heads = [f"{s}, {run.per(s)}" if scenarios is rest else f"fan-out {plain(run.fan_out[s])}" for s in scenarios]
        caption = f"{name}: median time" + ("" if scenarios is rest else f" per {run.unit}")
        tables.append(table(f"{caption}; below it the ratio to {run.reference or 'the reference'}, and the rank "
                            "(the same rank: not separated)", ["contender", *heads], rows))
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
<li>Two contenders of the same rank are not told apart by this run. That is no proof that they are equal.</li>
<li>Compare contenders within this page. Absolute times on a shared machine drift by tens of percent from run to run and say little
about another machine.</li>
<li>A contender that did not do exactly the work asked has no number here, only a reason.</li>
</ul>
"""


def document(name: str, body: list[str], panels: list) -> str:
    """The whole page: everything that it needs is in it."""
    specs = [{k: v for k, v in chart.to_dict().items() if k != "config"} for chart in panels]
    for spec in specs:
        spec["description"] = ": ".join([spec["title"]["text"], *spec["title"]["subtitle"]])
    # In a script element only "<" can end or open anything.
    data = json.dumps({"config": config(CSS_COLOURS), "panels": specs}, separators=(",", ":")).replace("<", "\\u003c")
    css = {name: " ".join([*(f"--{k}: {theme[k]};" for k in ("paper", "ink", "quiet", "line")),
                           *(f"--c{i}: {c};" for i, c in enumerate(theme["palette"]))]) for name, theme in THEMES.items()}
    parts = dict(title=escape(name), body="\n".join(body), specs=data, **css,
                 vega=vlc.javascript_bundle(vl_version=VEGA_LITE).replace("</script", "<\\/script"))
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
        wide = " wide" if drawn.columns == 1 else ""
        places = "".join(f'<div class="panel" data-panel="{len(panels) + i}"></div>' for i in range(len(drawn.panels)))
        panels += drawn.panels
        body.append(f'<section id="{drawn.key}"><h2>{escape(drawn.title)}</h2><figure><figcaption>{escape(drawn.caption)}</figcaption>'
                    f'<div class="panels{wide}">{places}</div></figure></section>')
    return panels


def page(run: Run, figures: list, missing: list[str]) -> str:
    environment = run.environment
    alerts = warnings(environment)
    absent = environment.get("missing_cells")
    absent = [str(cell) for cell in absent] if isinstance(absent, list) else []
    body = [f'<header><h1>{escape(run.name)}</h1><button id="theme" type="button">Dark or light</button></header>',
            f'<p class="quiet">{len(run.contenders)} contenders, {len(set(run.scenario_of.values()))} scenarios'
            f"{f' on {len(run.machines)} machines' if len(run.machines) > 1 else ''}, "
            f"{plain(len(run.samples)) if run.samples else 'an unknown number of'} samples. "
            f"{escape(' '.join(str(environment[k]) + '.' for k in ('cpu_model', 'operating_system', 'toolchain') if environment.get(k)))}</p>"]
    body += [f'<p class="alert">{escape(text)}</p>' for text in alerts + run.notes]
    body += ["<h2>The answer in words</h2>", "<ul>", *(f"<li>{escape(s)}</li>" for s in answer(run) or
             ["Nothing was measured, so nothing can be said."]), "</ul>", cost_tables(run)]
    panels = place(figures, body)
    body += ["<h2>All numbers</h2>", detail_table(run)]
    unmeasured = run.unmeasured()
    if unmeasured or absent:
        body.append("<h2>What has no number, and why</h2>")
        body.append(table("Never plotted, never ranked", ["contender", "scenario", "outcome", "reason"],
                          [list(row) for row in unmeasured] + [[a, "", "missing", "planned, but has no sample"] for a in absent], text=(1, 2, 3)))
    body += ["<h2>What was dropped</h2>", dropped_section(run)]
    if missing:
        body += ["<h2>What could not be drawn</h2>", "<ul>", *(f"<li>{escape(m)}</li>" for m in missing), "</ul>"]
    body += ["<h2>How to read it, and what it cannot tell</h2>", HOW_TO_READ, "<h2>What was run, and on what</h2>", "<dl>",
             *(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in surroundings(environment)), "</dl>"]
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


def load_page(run: LoadRun, figures: list, missing: list[str]) -> str:
    environment = run.environment
    rates = sorted({(run.scenarios.index(r.scenario), r.offered_per_s) for r in run.rows})
    body = [f'<header><h1>{escape(run.name)}</h1><button id="theme" type="button">Dark or light</button></header>',
            f'<p class="quiet">{len(run.contenders)} contenders, {len(run.scenarios)} scenarios, {len(rates)} rates. '
            f"{escape(' '.join(str(environment[k]) + '.' for k in ('cpu_model', 'operating_system', 'toolchain') if environment.get(k)))}</p>"]
    body += [f'<p class="alert">{escape(text)}</p>' for text in warnings(environment) + run.notes]
    if run.limits:
        rows = [[limit.contender, limit.scenario, f"{limit.slo_percentile} ≤ {duration(limit.slo_ns)}",
                 "nothing" if limit.held_per_s is None else per_second(limit.held_per_s),
                 "" if limit.missed_per_s is None else per_second(limit.missed_per_s), plain(limit.windows),
                 "; ".join(filter(None, ("misses a lower rate, too" if limit.monotone == "false" else "", limit.reason or "")))]
                for limit in run.limits]
        body.append(table("How much holds: the limit lies between the two rates",
                          ["contender", "scenario", "asked", "holds", "misses", "windows", "remark"], rows, text=(1, 6)))
    panels = place(figures, body)
    body += ["<h2>All numbers</h2>", *(load_table(run, run.scenarios[place], rate) for place, rate in rates)]
    if missing:
        body += ["<h2>What could not be drawn</h2>", "<ul>", *(f"<li>{escape(m)}</li>" for m in missing), "</ul>"]
    body += ["<h2>How to read it, and what it cannot tell</h2>", HOW_TO_READ_LOAD, "<h2>What was run, and on what</h2>", "<dl>",
             *(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in surroundings(environment)), "</dl>"]
    return document(run.name, body, panels)


# --------------------------------------------------------------------------------------------- command


def load_libraries() -> None:
    global alt, vlc, VEGA_LITE
    try:
        import altair as alt
        import vl_convert as vlc
    except ImportError as error:
        raise Problem(f"{error.name} is not installed: {INSTALL}", code=1)
    VEGA_LITE = ".".join(alt.SCHEMA_VERSION.split(".")[:2])


def images(drawn, formats: list[str]):
    """(file name, bytes) of a figure in each format asked for."""
    columns = min(drawn.columns, len(drawn.panels))
    lines = textwrap.wrap(drawn.title, 50 * columns if drawn.columns > 1 else 80)
    title = alt.TitleParams(text=lines, anchor="start", fontSize=16, offset=18)
    spec = alt.concat(*drawn.panels, columns=columns, spacing=28, title=title).to_dict()
    spec["config"] = config(THEMES["light"])
    spec["padding"] = 16
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


def formats(text: str) -> list[str]:
    names = text.split(",")
    wrong = [name for name in names if name not in ("png", "svg", "html")]
    if wrong:
        raise argparse.ArgumentTypeError(f"{wrong[0]!r} is no format; there are png, svg and html")
    return names


def main(arguments: list[str]) -> None:
    parser = Arguments(prog="plot.py", description="Draws a run directory: charts as PNG and SVG, and report.html, which opens offline.",
                       epilog="Exit codes: 0 fine, 1 usage or a missing library, 6 a file cannot be read or written.")
    parser.add_argument("run", metavar="RUN_DIR", nargs="?", type=Path, default=Path("results/latest"), help="default: results/latest")
    parser.add_argument("--output", metavar="DIR", type=Path, help="where the files go; default: RUN_DIR")
    parser.add_argument("--format", type=formats, default="png,svg,html", help="which to write; default: png,svg,html")
    options = parser.parse_args(arguments)
    is_load = (options.run / "load.csv").exists()
    run = read_load(options.run) if is_load else read_run(options.run)
    load_libraries()
    figures, missing = [], []
    for draw, need in (LOAD_FIGURES if is_load else FIGURES).items():
        drawn = draw(run)
        figures.append(drawn) if drawn else missing.append(need)
    files = [file for drawn in figures for file in images(drawn, options.format)]
    if "html" in options.format:
        files.append(("report.html", (load_page if is_load else page)(run, figures, missing).encode()))
    output = options.output or options.run
    for name, content in files:
        write(output / name, content)
    for note in run.notes + [f"not drawn: {m}" for m in missing]:
        print(f"plot.py: {note}", file=sys.stderr)
    print("\n".join(str(output / name) for name, _ in files))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
        sys.stdout.flush()
    except Problem as problem:
        print(f"plot.py: {problem}", file=sys.stderr)
        sys.exit(problem.code)
    except BrokenPipeError:  # whoever read the list of files has seen enough; they are all written
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        sys.exit(130)
