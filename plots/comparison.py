"""Several runs beside one another: what they have in common, its chart and page."""
from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

from .html import document, figure, fold, items, table
from .model import LoadRun, Run, name_of, read
from .page import facts, place_of, warnings
from .reading import Problem, Remarks, path_of
from .svg import dot_chart, picture
from .text import counted, duration, ends, escape, listed, multiple, plain, three_digits


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

    def by_contender(self, scenario: str) -> dict[str, dict[str, SimpleNamespace]]:
        """The cell of each run, of those contenders that two have."""
        found = defaultdict(dict)
        for label, run in self.runs.items():
            for cell in run.measured(scenario):
                found[cell.contender][label] = cell
        return {contender: cells for contender, cells in found.items() if len(cells) > 1}


def labels(runs: list[Run]) -> list[str]:
    """Short names that tell the runs apart: their own, or else their folders', or else numbers."""
    for names in ([run.name for run in runs], [name_of(run.directory) for run in runs]):
        if len(set(names)) == len(names):
            return names
    return [f"{number} {name_of(run.directory)}" for number, run in enumerate(runs, 1)]


def ratios_picture(comparison: Comparison) -> SimpleNamespace | None:
    panels, place = [], list(comparison.runs).index
    for scenario in comparison.scenarios:
        rows = []
        for contender, cells in comparison.by_contender(scenario).items():
            known = {label: c for label, c in cells.items() if c.ratio and c.contender != comparison.runs[label].references.get(scenario)}
            if len(known) > 1:
                rows.append(SimpleNamespace(name=contender, label=" · ".join(f"{three_digits(c.ratio)}×" for c in known.values()),
                                            marks=[(c.ratio, c.ratio_ci_low, c.ratio_ci_high, f"var(--s{(place(label) + 1) % 8})") for label, c in known.items()]))
        if rows:
            panels.append((scenario, lambda width, rows=rows: dot_chart(width, rows, f"time ÷ {comparison.reference}", lambda v: f"{v:g}×", one=True)))
    order = ", then ".join(f"{name} ({colour})" for name, colour in zip(comparison.runs, ("blue", "orange", "purple", "green", "pink", "ochre", "indigo", "black")))
    return picture("ratios", f"Time beside {comparison.reference}, run by run",
                   f"Each contender's time as a multiple of the reference's in the same run, with its 95 % interval. From top to bottom: {order}. "
                   "Absolute times of two machines, or of two days, do not compare.", panels) if panels else None


def compared_pictures(comparison: Comparison) -> list:
    return [(ratios_picture(comparison), "ratios: need one scenario that two runs measured with a reference")]


COUNTS = (("allocations_per_upload", "allocations"), ("retains_per_upload", "retains"), ("peak_threads", "threads at most"))


def difference_tables(comparison: Comparison) -> str:
    ratios, counts = [], []
    for scenario in comparison.scenarios:
        for contender, cells in comparison.by_contender(scenario).items():
            of = [cells.get(label) for label in comparison.runs]
            ratios.append([contender, scenario, *("–" if c is None else (
                duration(c.median_ns), "" if c.ratio is None else f"{multiple(c.ratio)}×" + (f" {ends(c.ratio_ci_low, c.ratio_ci_high)}" if c.ratio_ci_low else "")) for c in of)])
            for column, what in COUNTS:
                if any(c and getattr(c, column) is not None for c in of):
                    counts.append([contender, scenario, what, *("" if c is None else plain(getattr(c, column)) for c in of)])
    return "".join(
        fold(f"{summary} ({len(rows)})", table(caption, head, rows, text)) for summary, caption, head, rows, text in (
            ("Every time of every cell that two runs share", "Median of a whole job; below it the ratio to the reference, and its 95 % interval", ["contender", "scenario", *comparison.runs], ratios, (1,)),
            ("Every count of these cells", f"Allocations and retains per {comparison.unit}; empty: unknown", ["contender", "scenario", "count", *comparison.runs], counts, (1, 2)))
        if rows)


HOW_TO_COMPARE = """
<ul>
<li>Each ratio compares two contenders of one run, whose samples were interleaved. Only such ratios are set beside those of another
run; times are shown, and say little: the same build, recorded twice on a shared machine, differs by tens of percent.</li>
<li>An interval knows what varied within its run. What differs from run to run (the machine's other guests, the layout of a build in
memory) is not in it. <code>bench check --against</code> measures two builds interleaved, here and now, and decides.</li>
<li>Counts of allocations and retains do not depend on how fast or how busy a machine is.</li>
<li>A scenario that the runs define differently, or took against different references, is not compared.</li>
</ul>
"""


def comparison_page(comparison: Comparison, drawn: list, missing: list[str]) -> str:
    told = {label: dict(facts(run)) for label, run in comparison.runs.items()}
    rows = [[name, *(lines.get(name, "") for lines in told.values())] for name in dict.fromkeys(name for lines in told.values() for name in lines)]
    differing = [row[0] for row in rows if len(set(row[1:])) > 1]
    alone = {label: [s for s in run.scenarios if s not in comparison.scenarios] for label, run in comparison.runs.items()}
    alerts = [f"{label}: {text}" for label, run in comparison.runs.items() for text in warnings(run.environment)] + comparison.remarks.all()
    both = " ".join(path_of(run.directory) for run in list(comparison.runs.values())[:2])
    body = [f'<section id="answer"><header><p class="brand"><b>Fanout</b> {counted(len(comparison.runs), "run")} beside one another</p><h1>{escape(comparison.name)}</h1>'
            f'<p class="line">{counted(len(comparison.scenarios), "scenario")} that two or more of them measured. They differ in {escape(listed(differing)) or "nothing that they recorded"}. '
            f'What changed, <code>bench compare {escape(both)}</code> says.</p></header>'
            + "".join(f'<p class="place">{escape(label)}: {escape(place_of(run))}</p>' for label, run in comparison.runs.items()) + "</section>",
            *(f'<p class="alert">{escape(text)}</p>' for text in alerts), *map(figure, drawn),
            '<section id="details"><h2>Details</h2>', difference_tables(comparison),
            fold("What was run, and on what", table("", ["", *comparison.runs], rows, text=tuple(range(1, len(told) + 1)))),
            fold("What is not compared or drawn", items([f"Of {label} alone: {listed(names)}." for label, names in alone.items() if names] + missing)),
            fold("How to read it, and what it cannot tell", HOW_TO_COMPARE), "</section>"]
    return document(comparison.name, body)


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
