"""Rows to a run: cells, samples, and the orders in which names first appear."""
from __future__ import annotations

import os
import re
import statistics
from collections import Counter, defaultdict
from pathlib import Path

from .reading import CORRECT, Problem, Remarks, is_there, read_answer, read_environment, read_table, read_trace
from .text import plain

# What Results/RecordName.swift calls them: measured beside the contenders, and none of them.
EXTERNAL_BASELINES = ("cp", "service")


def read_run(directory: Path) -> Run:
    remarks = Remarks()
    tables = []
    for name in ("summary.csv", "samples.csv"):
        if is_there(directory / name):
            tables.append(read_table(directory / name, remarks, appended=name == "samples.csv"))
        else:
            tables.append([])
            remarks.note(f"{name} is missing: what is drawn from it is left out.")
    if not any(tables):
        raise Problem(remarks.faults[0] if remarks.faults else
                      f"{directory}: has no row in summary.csv or samples.csv, so there is nothing to draw.")
    kept = [[row for row in rows if row.contender not in EXTERNAL_BASELINES] for rows in tables]
    if any(kept) and any(len(rows) < len(all_rows) for rows, all_rows in zip(kept, tables)):
        tables = kept
    # A run without a series of fan-outs has no such file, and lacks nothing.
    growth = directory / "growth.csv"
    run = Run(directory, *tables, read_environment(directory, remarks), remarks, read_table(growth, remarks) if is_there(growth) else [])
    (run.answer, run.why_no_answer), run.trace = read_answer(directory, remarks), read_trace(directory, remarks)
    if run.answer and (why := foreign(run)):
        remarks.fault(f"{directory / 'answer.json'}: {why}: it is not this run's answer, and is left out. Delete it, or record the run again.")
        run.answer = {}
    lost = {cell.scenario for cell in run.cells.values() if cell.unresolved_reason}
    for c in run.answer.get("classes", []):
        c["noisy"] = sum(run.scenario_of[s] in (c.get("scenario_names") or []) for s in lost)
    if run.trace and not {post.contender for post in run.trace} & set(run.contenders):
        remarks.fault(f"{directory / 'trace.json'}: has none of this run's contenders, and is left out. Record it again: bench trace --run {directory}")
        run.trace = []
    return run


def foreign(run: Run) -> str:
    """What an answer says that the run's summary does not; empty if there is nothing."""
    rows, classes = [row for row in run.answer["contenders"] if not row.get("run")], run.answer["classes"]
    for name in [run.answer["usual"], *run.answer["references"], *(row["contender"] for row in rows)]:
        if name not in run.contenders:
            return f"{name} is no contender of the run"
    for name in (name for c in classes for name in c.get("scenario_names") or []):
        if name not in run.scenario_of.values():
            return f"{name} is no scenario of the run"
    for c, row in ((c, row) for c in classes for row in rows if row["contender"] != run.reference):
        names, cost = c.get("scenario_names") or [], row.get(c["class"])
        mean = ((((cost or {}).get("beside") or {}).get(run.reference) or {}).get("time") or {}).get("ratio")
        cells = [cell for s in names if (cell := run.cells.get((row["contender"], s))) and cell.measured and cell.ratio and cell.verdict]
        ratios = [cell.ratio for cell in cells]
        # A mean lies among its ratios.
        if mean and len(cells) == len(names) > 0 and not 0.99 * min(ratios) <= mean <= 1.01 * max(ratios):
            return f"a mean ratio of {mean:.3g} of {row['contender']} in {c['class']} is not borne out by summary.csv"
    return ""


def read_load(directory: Path) -> LoadRun:
    """A run of `bench load`, known by its load.csv."""
    remarks = Remarks()
    tables = []
    for name in ("load_summary.csv", "latencies.csv", "limits.csv"):
        there = is_there(directory / name)
        tables.append(read_table(directory / name, remarks) if there else [])
        if not there and name != "limits.csv":
            remarks.note(f"{name} is missing: what is drawn from it is left out.")
    if not tables[0]:
        raise Problem(remarks.faults[0] if remarks.faults else
                      f"{directory}: has no row in load_summary.csv, so there is nothing to draw.")
    return LoadRun(directory, *tables, read_environment(directory, remarks), remarks)


def read(directory: Path) -> Run | LoadRun:
    if not directory.is_dir():
        raise Problem(f"{directory}: is no run directory. Measure first (swift run -c release bench), or name one.")
    if not os.access(directory, os.R_OK | os.X_OK):
        raise Problem(f"{directory}: its files cannot be read. Give yourself the right to (chmod u+rx), or name another.")
    return read_load(directory) if (directory / "load.csv").exists() else read_run(directory)


def name_of(directory: Path) -> str:
    """In text, which a name need not be."""
    return os.fsencode(directory.resolve().name).decode(errors="replace")


class Run:
    """Cells by (contender, scenario), samples, and the orders in which names first appear."""

    def __init__(self, directory: Path, cells: list, samples: list, environment: dict, remarks: Remarks, growth: list):
        self.directory, self.name = directory, next((c.run for c in cells if c.run), name_of(directory))
        self.answer, self.why_no_answer = {}, ""
        self.trace: list = []
        self.samples, self.environment, self.remarks = samples, environment, remarks
        self.growth = growth
        rows = [*cells, *samples]
        self.machines = list(dict.fromkeys(row.machine for row in rows if row.machine))
        self.scenario_of = {}
        for row in rows:
            # What was measured on two machines is two things: they share no chart's row, no curve and no table's column.
            name = row.scenario
            if len(self.machines) > 1:
                row.scenario = f"{name} @ {row.machine or 'unknown'}"
            self.scenario_of[row.scenario] = name
        summary = directory / "summary.csv"
        self.fan_out = {s: Counter(row.fan_out for row in some).most_common(1)[0][0] for s, some in grouped(rows, lambda row: row.scenario).items()}
        for name, some in (("summary.csv", cells), ("samples.csv", samples)):
            others = [row for row in some if row.fan_out != self.fan_out[row.scenario]]
            if others:
                remarks.damaged.add(name)
                # As Results/CSVReader.swift says it, which compares with the first row.
                first = {s: rows[0] for s, rows in grouped(some, lambda row: row.scenario).items()}
                odd = next((row for row in some if row.fan_out != first[row.scenario].fan_out), others[0])
                like = first[odd.scenario]
                told = f"line {like.line} has {like.fan_out}" if like.fan_out != odd.fan_out else f"other rows have {self.fan_out[odd.scenario]}"
                remarks.fault(f"{directory / name}:{odd.line}: column fan_out is {odd.fan_out}, where {told} for {self.scenario_of[odd.scenario]}. {CORRECT} "
                              f"That row{f', and {len(others) - 1} more of the file are' if len(others) > 1 else ' is'} left out.")
                some[:] = [row for row in some if row.fan_out == self.fan_out[row.scenario]]
        rows = [*cells, *samples]
        self.cells = {(cell.contender, cell.scenario): cell for cell in cells}
        for cell in cells:
            cell.peak_threads = cell.peak_threads or None  # 0: the post was over before they were counted
            cell.measured = cell.outcome == "measured" and bool(cell.median_ns)
            if None in (cell.ratio, cell.ratio_ci_low, cell.ratio_ci_high):  # what is left says nothing by itself
                cell.ratio_ci_low = cell.ratio_ci_high = None
            if cell.ratio is None:
                cell.verdict = cell.within_margin = None
        self.contenders = list(dict.fromkeys(row.contender for row in rows))
        self.scenarios = list(dict.fromkeys(row.scenario for row in rows))
        # A scenario that lost too many rounds ranks no contender: that is no tie.
        self.undecided = {c.scenario: c.unresolved_reason for c in self.cells.values() if c.unresolved_reason}
        compared = [c for c in self.cells.values() if c.ratio and c.contender != c.reference]
        for scenario, rows in grouped(compared, lambda c: c.scenario).items():
            if len(rows) > 1 and all(c.ratio_ci_low is None for c in rows):
                self.undecided.setdefault(scenario, "no ratio has an interval")
        # A summary that lost rows.
        self.unsummed = dict.fromkeys((s.contender, s.scenario) for s in samples if s.outcome == "measured" and (s.contender, s.scenario) not in self.cells) if cells else {}
        services = {c.service for c in cells}
        # A package's own benchmarks.
        self.is_suite = services == {"benchmark"}
        self.unit = "unit" if services in ({"runtime"}, {"benchmark"}) else "upload"
        # What a post is made of, where that is no upload: lookups, chunks.
        said = environment.get("scenarios")
        records = {s: said[name] for s, name in self.scenario_of.items() if isinstance(said, dict) and isinstance(said.get(name), dict)}
        self.unit_of = {s: unit if re.fullmatch("[a-z]{1,12}", unit := str(records.get(s, {}).get("unit"))) and "unit" in records[s] else self.unit for s in self.scenarios}
        self.references = {c.scenario: c.reference for c in cells if c.reference}
        # In a suite each benchmark has its own.
        self.reference = "the reference" if len(set(self.references.values())) > 1 else next(iter(self.references.values()), None)
        good = [s for s in samples if s.outcome == "measured"]
        self.kept_by_cell = grouped([s for s in good if not s.dropped and s.wall_ns], lambda s: (s.contender, s.scenario))
        if "samples.csv" not in remarks.damaged:
            disagreeing = [f"{summary}:{cell.line}: {found}" for cell in self.cells.values() for found in self._contradiction(cell)]
            if disagreeing:
                others = f" So have {len(disagreeing) - 1} more." if len(disagreeing) > 1 else ""
                remarks.fault(f"{disagreeing[0]} Someone changed a file, and what disagrees is not drawn.{others}")
        posts = {s.scenario: set() for s in good}
        for sample in good:
            posts[sample.scenario].add(sample.posts)
        self.endings = [s for s in self.scenarios if posts.get(s, set()) - {None} == {0}]

    def _contradiction(self, cell) -> list[str]:
        """Why the numbers of a measured cell cannot all be those of the run; the cell then has none."""
        samples = [s.wall_ns for s in self.kept_by_cell.get((cell.contender, cell.scenario), [])]
        what, found = f"{cell.contender} × {cell.scenario} has", []
        for name, low, middle, high in (
                ("median_ns", cell.median_ci_low_ns, cell.median_ns, cell.median_ci_high_ns),
                ("ratio", cell.ratio_ci_low, cell.ratio, cell.ratio_ci_high)):
            if cell.measured and None not in (low, middle, high) and not low <= middle <= high:
                found = [f"{what} a {name} outside its interval."]
        # Of what is compared it is the reference's time × the ratio; in records of before its samples' median.
        reference = self.cells.get((cell.reference, cell.scenario))
        right = [statistics.median(samples)] if samples else []
        right += [reference.median_ns * cell.ratio] if right and reference and reference.median_ns and cell.ratio else []
        # Where processes differ, the two may differ twofold on a noisy machine. A fivefold difference is a changed file.
        is_far = cell.measured and right and not 1 / 5 < right[0] / cell.median_ns < 5
        if is_far or cell.measured and right and all(abs(one / cell.median_ns - 1) > 0.005 for one in right):
            found = [f"{what} a median_ns of {cell.median_ns:.6g}, but its samples give {statistics.median(samples):.6g}."]
        if found:
            cell.measured, cell.outcome = False, "contradicted"
        return found

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
                outcome, reason = ("no number", "no usable sample") if unexplained else (cell.outcome, "no reason recorded")
            found.append((*key, outcome.replace("_", " "), reason))
        return found


class LoadRun:
    """What was offered to each contender: rows by scenario and rate, and the orders in which names first appear."""

    reference = None

    def __init__(self, directory: Path, rows: list, latencies: list, limits: list, environment: dict, remarks: Remarks):
        self.name = next((r.run for r in rows if r.run), name_of(directory))
        self.directory, self.rows, self.latencies, self.limits = directory, rows, latencies, limits
        for limit in limits:
            limit.slo_percentile = limit.slo_percentile or "an unknown percentile"
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


def ranking(run: Run) -> list[str]:
    """The order of contenders in every chart and table: that of the run's answer, then of its files; other spellings last."""
    known = [row["contender"] for row in run.answer.get("contenders", []) if row["contender"] in run.contenders]
    return sorted(dict.fromkeys([*known, *run.contenders]), key=lambda name: "/" in name)


def grouped(rows: list, key) -> dict:
    """Rows by a key, in the order in which keys first appear."""
    groups = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return dict(groups)
