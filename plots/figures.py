"""The charts of a run."""
from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict

from .charts import (WIDE, at_one, bars, evenly, figure, gaps, heading, identity, intervals, log_axis,
                     ratio_axis, strip, summed_up)
from .libraries import alt, data
from .model import Run, grouped, idioms, overhead, path_of, ranking, told_after
from .sources import FILE_ALONE, lines_counted
from .text import SIGNS, Rows, binary, counted, duration, extent, listed, one, percent, plain, short, sign, span, three_digits, times
from .trace import trace_figure

MOST_DOTS = 6_000  # keeps the report below its 1.5 MB
MOST_LISTED = 3  # patterns whose lines are not folded
MOST_OPEN = 9  # charts of a figure that are not folded


def answer_figure(run: Run):
    """What each contender costs in each class of work: the run's answer, as `bench report` says it."""
    classes, contenders = run.answer.get("classes", []), [row for row in run.answer.get("contenders", []) if row.get("contender") in run.contenders]
    cells = [(c, row, row[c["class"]]) for c in classes for row in contenders if isinstance(row.get(c.get("class")), dict)]
    rows = []
    for c, row, cost in cells:
        time, cpu = means(cost)
        low, high = spread(run, row["contender"], c.get("scenario_names") or [])
        words = [mean(time, cost), mean(cpu, cost)]
        rows.append(dict(
            contender=row["contender"], kind=c["class"], value=positive(time), cpu=positive(cpu), low=low, high=high, label=" · ".join(words),
            note=f"{words[0]} ({decided(time)})", cpu_note=f"{words[1]} ({decided(cpu)})", most=widest(time), cpu_most=widest(cpu)))
    values = [v for row in rows for v in (row["value"], row["cpu"], row["low"], row["high"]) if v]
    if len({row["contender"] for row in rows}) < 2 or not values:
        return None
    order, x, panels = [row["contender"] for row in contenders], ratio_axis(values, f"{short(run.answer['baseline'], 24)} = 1"), []
    hint = [("note", "time"), ("most", "most time in"), ("cpu_note", "processor time"), ("cpu_most", "most processor time in")]
    for c in classes:
        found = sorted((row for row in rows if row["kind"] == c.get("class")), key=lambda row: order.index(row["contender"]))
        if not found:
            continue
        count = c.get("scenarios")
        title = [f"{c.get('title') or c['class']}", ", ".join(filter(None, (
            str(c.get("meaning") or ""), counted(count, "scenario") if isinstance(count, int) else "", "time · cpu")))]
        panels.append(intervals(run, title, found, order, x, hint, hollow="cpu", below=[at_one()], ranges=True))
    inside = [name for c in classes for name in c.get("scenario_names") or []]
    outside = [name for name in dict.fromkeys(run.scenario_of.values()) if inside and name not in inside]
    beside = f" In no class: {listed(outside) if len(outside) < 4 else counted(len(outside), 'scenario')}." if outside else ""
    return figure(
        "answer", "What each idiom costs, by class of work",
        f"Multiples of {run.answer['baseline']}: filled marks are time, hollow ones processor time, means of a class's scenarios; a thin line reaches from the least to the most time "
        f"in one of them. ? not decided in at least one.{beside}", panels, columns=5 if len(panels) < 6 else 3)


def compared(run: Run, name: str, scenarios: list[str]) -> list:
    """The cells of a contender that have a ratio to another."""
    found = [run.cells.get((name, s)) for s in scenarios]
    return [c for c in found if c and c.measured and c.ratio and name != run.references.get(c.scenario)]


def spread(run: Run, name: str, scenarios: list[str]) -> tuple:
    """The least and the largest ratio in time, which a mean hides."""
    ratios = [c.ratio for c in compared(run, name, scenarios)]
    return (min(ratios), max(ratios)) if len(ratios) > 1 else (None, None)


def widest(mean: dict) -> str:
    """The scenario with the largest ratio, of which the mean says nothing."""
    ratio, scenario = mean.get("most_ratio"), mean.get("most_scenario")
    return f"{three_digits(ratio)} {scenario}" if isinstance(ratio, (int, float)) and scenario else "unknown"


def means(cost) -> list[dict]:
    """Of a contender in a class of work: in time and in processor time; empty where the answer says none."""
    cost = cost if isinstance(cost, dict) else {}
    return [cost[what] if isinstance(cost.get(what), dict) else {} for what in ("time", "processor")]


def positive(mean: dict) -> float | None:
    ratio = mean.get("mean_ratio")
    return ratio if isinstance(ratio, (int, float)) and not isinstance(ratio, bool) and ratio > 0 else None


def mean(mean: dict, cost: dict) -> str:
    """Such as 1.74, 1.74 ? where some scenarios are not decided, ? where none is."""
    ratio = positive(mean)
    if ratio is None:
        return "?" if mean.get("undecided") else "fail" if cost.get("failed") else "–"
    return three_digits(ratio) + " ?" * bool(mean.get("undecided") or cost.get("failed"))


def decided(mean: dict) -> str:
    known, open_ = (mean.get(name) if isinstance(mean.get(name), int) else 0 for name in ("decided", "undecided"))
    names = [str(name) for name in mean.get("undecided_scenarios") or []]
    return f"decided in {known} of {known + open_}{', not in ' + listed(names) if names else ''}"


def overhead_figure(run: Run):
    """Ratios to the reference, every scenario on the same axis."""
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
            ratio = cell.ratio or cell.median_ns / reference.median_ns
            rows[scenario][1].append(dict(
                contender=cell.contender, value=ratio, low=cell.ratio_ci_low, high=cell.ratio_ci_high,
                label=three_digits(ratio) + sign(cell),
                note=f"{duration(overhead(cell, reference)[0], True)} {cell.per}", interval=span(cell.ratio_ci_low, cell.ratio_ci_high, times),
                verdict=(cell.verdict or "not compared").replace("_", " "), samples=cell.samples))
    if not rows:
        return None
    order = ranking(run)
    hint = [("label", "ratio"), ("interval", "95 % interval"), ("note", "overhead"), ("verdict", "verdict"), ("samples", "samples")]
    axis = ratio_axis([v for _, found in rows.values() for row in found for v in (row["value"], row["low"], row["high"]) if v],
                      f"time, {short(run.reference, 24)} = 1")
    panels = []
    for scenario, (reference, found) in rows.items():
        counts = [cell["samples"] for cell in found if cell["samples"]] + [reference.samples or 0]
        title = [scenario, ("undecided; " if scenario in run.undecided else "")
                 + f"1 = {duration(reference.each)} {reference.per}"
                 + (f"; {counted_span(counts)} samples each" if min(counts) else "")]
        panels.append(intervals(run, title, found + gaps(run, scenario), order, axis, hint, below=[at_one()]))
    elsewhere = [s for s in run.waits if run.measured(s)]
    return figure(
        "overhead", f"Time beside {run.reference}, scenario by scenario",
        f"Each contender's time as a multiple of that of {run.reference}{'' if run.reference.endswith('reference') else ', the reference'}, the bold "
        f"line, with its 95 % interval as a bar. {SIGNS}{' This run has no verdicts, so each has a ?.' * run.unjudged} All charts "
        f"here have the same logarithmic axis and the order of the first picture. The ends of each interval stand in All numbers{', with those' * bool(elsewhere)}{f' of {listed(elsewhere)}, which Efficiency draws' * bool(elsewhere)}.", panels, folded=MOST_OPEN)


def counted_span(counts: list[float]) -> str:
    return plain(counts[0]) if len(set(counts)) == 1 else f"{plain(min(counts))} to {plain(max(counts))}"


def cost_figure(run: Run):
    panels, title = [], None
    for stem, fits in curves(run).items():
        rows = cost_rows(family(run, stem), fits)
        if len({row["x"] for row in rows}) < 2:
            continue
        unit, undecided = run.unit_of[family(run, stem)[0].scenario], sorted({c.fan_out for c in family(run, stem) if c.scenario in run.undecided})
        panels.append(cost_panel(unit, run, [stem, *([f"undecided at fan-out {listed([plain(n) for n in undecided])}"] if undecided else [])], rows, fits))
        if not title:
            first, last = ([r["y"] for r in rows if r["x"] == f(row["x"] for row in rows)] for f in (min, max))
            title = (f"{one(unit)} of {stem} takes {extent(first)} at fan-out {plain(min(r['x'] for r in rows))}, "
                     f"{extent(last)} at {plain(max(r['x'] for r in rows))}")
    if not panels:
        return None
    return figure("cost", f"Growth: {title}", "Dots: median time of a post ÷ its fan-out, with its 95 % interval as a bar; both axes logarithmic. A curve falls where more "
                  "share what a post itself takes.", panels, columns=1)


def curves(run: Run) -> dict[str, dict]:
    """Of each family of scenarios how each contender grows, as far as the run says it."""
    series = {stem: {row.contender: row for row in rows} for stem, rows in run.series().items()}
    return {**{stem: series.get(stem, {}) for stem in run.families()}, **series}


def family(run: Run, stem: str) -> list:
    """Its cells."""
    return [c for s in run.families().get(stem, []) for c in run.measured(s)] or [c for row in run.series().get(stem, []) for c in row.cells]


def cost_rows(cells: list, fits: dict) -> list[dict]:
    rows = []
    for c in sorted(cells, key=lambda c: c.fan_out):
        each, low, high = (v and v / c.fan_out for v in (c.median_ns, c.median_ci_low_ns, c.median_ci_high_ns))
        fit = fits.get(c.contender)
        rows.append(dict(contender=c.contender, x=c.fan_out, y=each, low=low, high=high, samples=c.samples, note=duration(each),
                         interval=span(low, high), verdict=fit and fit.verdict or "unknown",
                         power="unknown" if not fit or fit.exponent is None else f"N^{three_digits(fit.exponent)}"))
    return rows


def cost_panel(unit: str, run, title: list[str], rows: list[dict], fits: dict, reach: list[float] = ()):
    """`reach`: times that the axis has to reach besides those of the rows."""
    height, fan_outs = 340, sorted({row["x"] for row in rows})
    for row in rows:
        fit = fits.get(row["contender"])
        row["text"] = short(row["contender"], 28) + (
            f", stopped at {plain(fit.stopped_at_fan_out)}" if fit and fit.stopped_at_fan_out else "")
        row["growth"] = row["power"] + (f" ({span(fit.exponent_ci_low, fit.exponent_ci_high, three_digits)}), {row['verdict']}" if fit else "")
    y = log_axis([v for r in rows for v in (r["y"], r["low"], r["high"]) if v] + list(reach), f"time per {unit}")
    low, high = y["scale"].domain
    labels = end_labels(rows, math.log(low), math.log(high), height)
    x = alt.X("x:Q", scale=alt.Scale(type="log", domain=[fan_outs[0], fan_outs[-1]], nice=False, padding=4),
              axis=alt.Axis(title=f"fan-out ({unit}s per post)", values=fan_outs, format="~s", grid=False))
    who, base = identity(run), alt.Chart(data(rows)).encode(x=x)
    names = alt.Chart(data(labels)).encode(y=alt.Y("at:Q", **y))
    tips = [alt.Tooltip(f"{f}:N", title=t) for f, t in (
        ("contender", "contender"), ("x", "fan-out"), ("note", f"median per {unit}"), ("interval", "95 % interval"), ("samples", "samples"),
        ("growth", "growth"))]
    return alt.layer(
        base.mark_line(strokeWidth=1.75).encode(y=alt.Y("y:Q", **y), color=who["color"]),
        base.mark_rule(strokeWidth=4, opacity=0.3).encode(y=alt.Y("low:Q", **y), y2=alt.Y2("high:Q"), color=who["color"]),
        base.mark_point().encode(y=alt.Y("y:Q", **y), tooltip=tips, **who),
        names.mark_point(xOffset=14).properties(name="ends").encode(x=alt.XValue("width"), **who),
        names.mark_text(align="left", dx=22).properties(name="names").encode(x=alt.XValue("width"), text=alt.Text("text:N")),
    ).properties(title=heading(title), height=height, width=WIDE, description=" ".join((
        summed_up([*title, f"time per {unit} at fan-out {plain(fan_outs[-1])}"], [row for row in rows if row["x"] == fan_outs[-1]], "y", "note"),
        *(f"More than in proportion: {row['contender']}, growing as {row['growth']}." for row in line_ends(rows) if row["verdict"] == "superlinear"))))


def line_ends(rows: list[dict]) -> list[dict]:
    """The last row of each contender, the least first."""
    return sorted({row["contender"]: row for row in sorted(rows, key=lambda row: row["x"])}.values(), key=lambda row: row["y"])


def end_labels(rows: list[dict], low: float, high: float, height: int) -> list[dict]:
    """Where the name of each contender stands at the right: at the end of its line, moved until it covers no other."""
    labels, floor, gap = [], -math.inf, (high - low) * 15 / height
    for row in line_ends(rows):
        floor = max(math.log(row["y"]), floor + gap)
        labels.append(dict(contender=row["contender"], text=row.get("text") or short(row["contender"], 28), at=floor))
    ceiling = high + gap
    for label in reversed(labels):
        ceiling = label["at"] = min(label["at"], ceiling - gap)
        label["at"] = math.exp(label["at"])
    return labels


def quarters(values: list[float]) -> list[float]:
    """The quartiles, the median among them."""
    return statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3


def distribution_figure(run: Run):
    by_scenario = grouped(run.kept, lambda s: s.scenario)
    reference_times = defaultdict(list)
    for sample in run.kept:
        if sample.contender == run.references.get(sample.scenario):
            reference_times[sample.scenario, sample.generation, sample.round].append(sample.wall_ns)
    bad = {(c, s) for c, s, *_ in run.unmeasured()}
    lost = Counter(s.scenario for s in run.samples if s.dropped)
    step = math.ceil(len(run.kept) / MOST_DOTS)
    panels = []
    for scenario in filter(by_scenario.get, run.scenarios):
        units, rows, counts = run.units[scenario], [], Counter()
        walls, ends = defaultdict(list), {c: (min(known), max(known)) for c, found in grouped(by_scenario[scenario], lambda s: s.contender).items() if (known := [s.wall_ns / units for s in found])}
        for sample in by_scenario[scenario]:
            if (sample.contender, scenario) in bad:
                continue
            counts[sample.contender] += 1
            walls[sample.contender].append(sample.wall_ns / units)
            wall = sample.wall_ns / units
            if counts[sample.contender] % step == 0 or wall in ends[sample.contender]:
                paired = reference_times.get((scenario, sample.generation, sample.round))
                rows.append(dict(
                    contender=sample.contender, v=float(f"{sample.wall_ns / units:.5g}"),
                    j=round(counts[sample.contender] * 0.618 % 1 - 0.5, 2), at="unknown" if None in (sample.generation, sample.round) else f"{sample.generation} · {sample.round}",
                    r=times(sample.wall_ns / statistics.median(paired)) if paired else "unknown"))
        if not rows:
            continue
        middles = []
        for contender, values in walls.items():
            middle, (low, _, high) = statistics.median(values), quarters(values)
            middles.append(dict(contender=contender, m=float(f"{middle:.5g}"), q1=float(f"{low:.5g}"), q3=float(f"{high:.5g}"),
                                label=f"median {duration(middle)}, from {duration(min(values))} to {duration(max(values))}"))
        panels.append(strip(run, scenario, rows, middles, f"{plain(sum(counts.values()))} samples, {plain(lost[scenario])} dropped"))
    if not panels:
        return None
    thinned = f" One dot in {step} is drawn, and each end; bars and medians are of all." if step > 1 else ""
    return figure("distribution", "Every sample",
                  "One dot per sample that counts, the middle half as a bar and the median as a line; warm-up and disturbed rounds (something else had the processors) are "
                  f"left out and counted in each title. A dot tells its time and its round.{thinned}", panels, folded=3)


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
    order = ranking(run)
    high = max(1, *(v for found in rows.values() for row in found for v in (row["value"], row["low"], row["high"]) if v is not None))
    x = dict(scale=alt.Scale(domain=[0, high], nice=False),
             axis=alt.Axis(title="ideal ÷ measured time", labelExpr="format(100 * datum.value, '.4~g') + ' %'", values=evenly(0, high)))
    for scenario, found in rows.items():
        title = [scenario, f"fan-out {plain(run.fan_out[scenario])}"]
        panels.append(intervals(run, title, found + gaps(run, scenario), order, x,
                                [("label", "efficiency"), ("interval", "95 % interval"), ("note", "median")]))
    waiting = [s for c in run.answer.get("classes", []) if c.get("class") in ("uploads_wait", "blocking") for s in c.get("scenario_names") or []]
    without = [s for s in run.works if s in waiting]
    unbound = f" So {'is' if len(without) == 1 else 'are'} {listed(without)}, of which no bound is known: By scenario has {'it' if len(without) == 1 else 'them'}." if without else ""
    kinds = grouped([(run.pattern.get(s) == "blocking", row["value"]) for s, found in rows.items() for row in found], lambda kind: kind[0])
    reached = [f"{percent(min(kinds[kind])[1])} to {percent(max(kinds[kind])[1])}{what * (len(kinds) > 1)}"
               for kind, what in ((False, " where uploads wait"), (True, " where they block their threads")) if kind in kinds]
    return figure("efficiency", f"Efficiency: of the ideal, contenders reach {listed(reached)}",
                  "The lower bound of each scenario's time, computed from the service's own delays, divided by the median time. "
                  "100 % is as fast as the service permits; what is missing is the contender's, and the machine's. Scenarios that end by a failure or a "
                  f"cancel are left out: there the bound moves with what the contender has begun.{unbound}", panels)


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
                contender=cell.contender, value=told, low=low, high=high, label=duration(told) + f" · {duration(stopped)}" * bool(stopped), stop=stopped or None,
                interval=span(low, high), late=plain(cell.starts_after_failure) or "unknown",
                wasted="unknown" if cell.wasted_bytes is None else binary(cell.wasted_bytes)))
        if not rows:
            continue
        since = "from the failure or cancel" if timed else "from the start of the post"
        kind = run.scenario_of[scenario].partition("-")[0]
        seen.append((f"after a {kind}" if timed and kind in ("failure", "cancel") else f"{'later' if timed else 'after the start'} on {scenario}",
                     min(r["value"] for r in rows), max(r["value"] for r in rows)))
        title = [scenario, f"fan-out {plain(run.fan_out[scenario])}, {since}"]
        panels.append(intervals(
            run, title, rows + gaps(run, scenario), ranking(run), log_axis(values, f"time {since}"),
            [("label", "the caller knows · all has stopped after"), ("interval", "95 % interval"),
             ("late", "uploads started since"), ("wasted", "bytes wasted")],
            hollow="stop" if any(row["stop"] for row in rows) else None))
    if not panels:
        return None
    seen.sort(key=lambda s: s[1] / s[2])
    widest = {when: f"{span(low, high)} {when}" for when, low, high in seen[::-1]}.values()  # of each
    late = late_starts(run)
    started = [f"{name} {plain(count)}" for name, count in late.items() if count]
    further = ("" if not late else f" Uploads started after the failure or cancel: {listed(started)}." if started else
               f" After the failure or cancel none of the {len(late)} contenders started an upload.")
    return figure("endings", f"Failure and cancellation: in the median the caller knows {', '.join(list(widest)[::-1][:2])}",
                  "How long a contender takes to tell its caller that there will be no post, once an upload has failed or the "
                  "caller has cancelled, from that moment on (the class “failing” above counts from the start of the post): filled marks and first number, with 95 % intervals of the median. "
                  f"Hollow marks and second number: when the last request has ended and the contender has let go of everything.{further}", panels)


def late_starts(run: Run) -> dict[str, float]:
    """How many uploads each started after a failure or a cancel, at most; of whom it is known."""
    late = {}
    for cell in (cell for scenario in run.endings for cell in run.measured(scenario) if cell.starts_after_failure is not None):
        late[cell.contender] = max(late.get(cell.contender, 0), cell.starts_after_failure)
    return late


# What a panel of the resources shows: column, title, and how its values read.
RESOURCES = [("peak_threads", "threads at most", plain), ("bytes_per_upload", "memory per upload", binary), ("heartbeat_worst_ns", "timer lag", duration)]


def resources_figure(run: Run):
    """Per pattern one row of panels, on the scenario of which most is known, and of these the widest."""
    columns = [name for name, *_ in RESOURCES]
    known = lambda s: sum(getattr(c, name) is not None for c in run.measured(s) for name in columns)
    panels, shown, lags = [], [], []
    patterns = grouped([s for s in run.works + run.waits if known(s)], run.pattern.get)
    first = next(iter(patterns), None)
    for pattern, scenarios in sorted(patterns.items(), key=lambda found: (found[0] != first, found[0] != "blocking")):
        scenario = max(scenarios, key=lambda s: (known(s), run.fan_out[s]))
        cells, row = run.measured(scenario), []
        for name, what, show in RESOURCES:
            rows = [dict(contender=c.contender, value=getattr(c, name), label=show(getattr(c, name)) or "0")
                    for c in cells if getattr(c, name) is not None]
            if rows:
                row.append(bars(run, [what, scenario], rows))
        panels += row
        shown += row * (not shown or pattern == "blocking")
        lags = lags if lags and pattern != "blocking" else [(c.heartbeat_worst_ns, f"{duration(c.heartbeat_worst_ns)} ({c.contender})", scenario) for c in cells if c.heartbeat_worst_ns]
    if not panels:
        return None
    ends = [said for _, said, _ in (min(lags), max(lags))] if len(lags) > 1 else []
    title = f"On {lags[0][2]} a timer lags {' to '.join(ends)}; threads, memory" if ends else "Threads, memory and timer lag"
    return figure("resources", title, "Bars begin at 0. Threads include those "
                  "of the service and the harness, which are the same for all. Memory per upload is what one takes while it is in flight, the "
                  "service's part included. The timer lag is how late a task due every millisecond was at worst.", panels, folded=len(shown) if len(shown) < len(panels) else None)


def effort_figure(run: Run):
    """Lines of code, and beside them the time that they take."""
    panels, title = [], None
    found = {s: [c for c in run.measured(s) if c.source_lines] for s in run.works if run.fan_out[s]}
    found = {s: cells for s, cells in found.items() if len(cells) > 1}
    for pattern in dict.fromkeys(cells[0].pattern for cells in found.values()):
        scenario = max((s for s in found if found[s][0].pattern == pattern),
                       key=lambda s: (s not in run.undecided, len(found[s]), run.fan_out[s]))
        cost = lambda c: f"{three_digits(c.ratio)} ×{sign(c)}" if c.ratio else duration(c.each)
        cells = sorted(found[scenario], key=lambda c: c.source_lines)
        told = [c for c in cells if c in (cells[0], cells[-1]) or c.contender == run.references.get(scenario)]
        title = title or f"for {pattern or 'an unknown pattern'} " + listed([f"{c.contender} {f'takes {c.source_lines} lines' if c is cells[0] else c.source_lines} at {cost(c)}" for c in told])
        panels.append(bars(run, [pattern or "pattern unknown", f"lines · time on {short(scenario)}"], [
            dict(contender=c.contender, value=c.source_lines, label=f"{c.source_lines} · {cost(c)}") for c in cells], "lines · time"))
    if not panels:
        return None
    if lines_counted(run) == FILE_ALONE:
        title += f", of {FILE_ALONE}"
    return figure("effort", f"How many lines of code, and what they cost: {title}",
                  f"Bars and first number: lines of code of {lines_counted(run)}. Second: time as a multiple of that of {run.reference or 'the reference'}, in the "
                  "scenario named. The lines of the runtime below, be it Swift's or a library of this package, are counted for nobody.", panels, folded=MOST_LISTED)


COUNTS = [("voluntary_switches_per_upload", "thread switches", "switches threads"), ("allocations_per_upload", "allocations", "allocates"),
          ("retains_per_upload", "retains", "retains")]


def counts(run: Run, busy: str, idle: str | None) -> list[tuple]:
    """What an upload takes of each, the least first: of work where there is most, of threads where uploads wait."""
    found = []
    for name, what, does in COUNTS:
        scenario = idle if name == COUNTS[0][0] else busy
        cells = [c for c in run.measured(scenario) if getattr(c, name) is not None] if scenario else []
        rows = sorted((dict(contender=c.contender, value=getattr(c, name), label=three_digits(getattr(c, name))) for c in cells), key=lambda row: row["value"])
        if len(rows) > 1:
            ends = [f"{row['label']} ({row['contender']})" for row in (rows[0], rows[-1])]
            found.append((f"{does} {ends[0]} to {ends[1]} times", [f"{what} per {run.unit_of[scenario]}", scenario], rows))
    return found


def account_figure(run: Run):
    """What is counted of an upload, and of each contender what it does for one."""
    busy = max(run.works, key=lambda s: run.fan_out[s], default=None)
    found = counts(run, busy, next((s for s in run.waits if busy and run.pattern.get(s) == run.pattern.get(busy)), None))
    if not found:
        return None
    said = [said for said, title, _ in found if title[1] == found[0][1][1]]
    return figure(
        "account", f"Counted: on {found[0][1][1]} {one(run.unit_of[found[0][1][1]])} {listed(said)}", "Allocations and retains are counted outside timed samples.",
        [bars(run, title, rows) for _, title, rows in found], points=[rows for rows in (work(run, busy),) if rows])


def work(run: Run, scenario: str | None) -> Rows | None:
    """What each contender does for an upload, and what was counted of that."""
    cells = {c.contender: c for c in (run.measured(scenario) if scenario else [])}
    own = cells.get(run.references.get(scenario))
    found = [cells[name] for name in ranking(run) if name in cells]
    counted_as = [(name, what) for name, what, _ in COUNTS if any(getattr(cell, name) is not None for cell in found)]
    if not own or len(found) < 2 or not counted_as:
        return None
    done = {c.contender: str(idioms(run).get(c.contender, {}).get("per_upload") or "") for c in found}
    rows = [[cell.contender, *[done[cell.contender]] * any(done.values()), "1" if cell is own else f"{three_digits(cell.ratio)}{sign(cell)}" if cell.ratio else "",
             *(three_digits(value) if (value := getattr(cell, name)) is not None else "" for name, _ in counted_as)] for cell in found]
    return Rows(f"Of each {run.unit_of[scenario]} of {scenario}", ["", *["what it does"] * any(done.values()), f"time ÷ {short(own.contender)}", *(what for _, what in counted_as)], rows, (1,) * any(done.values()))


def lacking(run: Run, need: str) -> str:
    """Why a chart is not drawn: what most need stands in summary.csv."""
    need = need.replace("RUN", path_of(run.directory))
    return need if run.cells or ".json" in need or "samples.csv" in need else f"{need.partition(':')[0]}: needs summary.csv, which has no row"


FIGURES = {
    answer_figure: "what each idiom costs by class of work: answer.json is missing, which bench merge RUN writes, in a copy of a run that compares two contenders in two scenarios",
    overhead_figure: "overhead: needs two contenders, one of them the reference, on a scenario whose service promises no times (efficiency draws the others)",
    cost_figure: "cost against fan-out: needs one scenario at two fan-outs above 0",
    trace_figure: "one post of each contender, side by side: needs trace.json, which bench trace --run RUN adds",
    account_figure: "counted: needs counts of thread switches, allocations or retains",
    endings_figure: "failure and cancellation: needs a scenario that ends without a post",
    efficiency_figure: "efficiency: needs a scenario whose service promises its times",
    resources_figure: "threads, memory and timer lag: needs summary.csv with one of them in which contenders differ",
    effort_figure: "cost to write: needs two contenders with their lines of code, on a scenario whose service promises no times",
    distribution_figure: "every sample: needs samples.csv with samples that count",
}
