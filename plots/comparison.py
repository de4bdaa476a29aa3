"""Several runs beside one another: what they have in common, charts and page."""
from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from types import SimpleNamespace

from .charts import PANEL, ROW, decades, figure, heading, in_order, log_axis, named, padded
from .figures import cost_panel, cost_rows
from .libraries import alt, data
from .model import LoadRun, Run, grouped, name_of, path_of, read, told_after
from .page import contents, document, facts, header, legend, place, table, warnings
from .reading import Problem, Remarks
from .text import duration, escape, listed, percent, plain, short, span, times


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
    offset = list(comparison.runs).index
    base = alt.Chart(data([dict(row, lane=offset(row["run"]) - (len(comparison.runs) - 1) / 2) for row in rows])).encode(y=named(order))
    tips = [alt.Tooltip(f"{field}:N", title=name) for field, name in [("contender", "contender"), ("run", "run"), *hint]]
    height, lane = max(ROW, 11 * len(comparison.runs) + 6) * len(order), alt.expr("11 * datum.lane")
    return alt.layer(
        base.mark_rule(strokeWidth=4, opacity=0.45, strokeCap="round", yOffset=lane, y2Offset=lane).encode(
            x=alt.X("low:Q", **x), x2=alt.X2("high:Q"), color=who["color"], tooltip=tips),
        base.mark_point(size=44, yOffset=lane).encode(x=alt.X("value:Q", **x), tooltip=tips, **who),
    ).properties(title=heading(title), height=height, width=PANEL, description=f"{', '.join(title)}: {most_apart(rows)}.")


def most_apart(rows: list[dict]) -> str:
    """Whose values differ most between the runs, and whose least."""
    found = grouped(rows, lambda row: row["contender"])
    spread = lambda name: max(row["value"] for row in found[name]) / (min(row["value"] for row in found[name]) or 1e-9)
    least, most = (of(found, key=spread) for of in (min, max))
    return f"the runs differ most in {most}, " + ", ".join(f"{row['label']} in {row['run']}" for row in found[most]) + f"; least in {least}" * (least != most)


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
        [("label", "ratio"), ("interval", "95 % interval"), ("note", "median")], lambda s: f"ratio to {short(comparison.reference or 'the reference')}")


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
            panels += [cost_panel(comparison.unit, comparison, [label, stem], rows, fits, reach) for label, rows, fits in drawn]
    return figure("cost", "Cost against fan-out, a chart for each run",
                  "Dots: median time of a post ÷ its uploads, with its 95 % interval as a bar. The charts of one series share their axis; compare "
                  "shapes and orders rather than heights.",
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
        for column, title in (("peak_threads", "threads at most"), *COUNTS):
            rows = [dict(run=label, contender=c.contender, value=getattr(c, column), label=plain(getattr(c, column)) or "0") for label, c in known(scenario, column)]
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
COUNTS = (("allocations_per_upload", "allocations"), ("retains_per_upload", "retains"))


def difference_tables(comparison: Comparison) -> str:
    ratios, counts = [], []
    for scenario in comparison.scenarios:
        for contender, cells in comparison.by_contender(scenario).items():
            of = [cells.get(label) for label in comparison.runs]
            ratios.append([contender, scenario, *("–" if c is None or c.ratio is None else (
                times(c.ratio), "" if c.ratio_ci_low is None else span(c.ratio_ci_low, c.ratio_ci_high, times)) for c in of)])
            for column, what in COUNTS:
                if any(c and getattr(c, column) is not None for c in of):
                    counts.append([contender, scenario, what, *("" if c is None else plain(getattr(c, column)) for c in of)])
    return "".join(
        f"<details><summary>{summary} ({len(rows)})</summary>{table(caption, head, rows, text)}</details>" for summary, caption, head, rows, text in (
            ("Every ratio of every cell that two runs share", "Ratio to the reference, and its 95 % interval",
             ["contender", "scenario", *comparison.runs], ratios, (1,)),
            ("Every count of these cells", f"Per {comparison.unit}; empty: unknown", ["contender", "scenario", "count", *comparison.runs], counts, (1, 2)))
        if rows)


HOW_TO_COMPARE = """
<ul>
<li>Each ratio compares two contenders of one run, whose samples were taken interleaved. Only such ratios are set beside those of another
run; times are shown, and say little: the same build, recorded twice on a shared machine, differs by tens of percent.</li>
<li>An interval knows what varied within its run. What differs from run to run (the machine's other guests, the layout of a build in
memory) is not in it. Whether a commit made something slower is decided by
<code>bench check --against</code>, which measures both builds interleaved, here and now.</li>
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
    body += [contents(["run", *(drawn.key for drawn in figures), "numbers", "reading"]),
             '<section id="run"><h2>What was run, and on what</h2>',
             f"<p>{len(comparison.runs)} runs, {len(comparison.scenarios)} scenarios that two or more of them measured. They differ in "
             f"{escape(listed(differing)) or 'nothing that they recorded'}.</p>",
             table("Where the numbers come from", ["", *comparison.runs], rows, text=tuple(range(1, len(told) + 1))),
             *(f"<p>Not compared, of {escape(label)} alone: {escape(listed(names))}.</p>" for label, names in alone.items() if names),
             f"<p>What changed, <code>bench compare {escape(' '.join(path_of(run.directory) for run in list(comparison.runs.values())[:2]))}</code> says.</p></section>",
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
