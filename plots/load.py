"""The charts and the page of a run of `bench load`."""
from __future__ import annotations

import math
from collections import defaultdict

from .charts import WIDE, decades, figure, heading, identity, in_order, intervals, log_axis, padded, summed_up
from .figures import end_labels, line_ends
from .libraries import alt, data
from .model import LoadRun
from .page import contents, definitions, document, facts, header, legend, place, surroundings, table, warnings
from .text import counted, duration, escape, extent, listed, per_second, percent, plain


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
                  "logarithmic. A hollow mark is a rate that was not sustained; the dashed line is what was asked for.",
                  panels, columns=1)


def rate_panel(run: LoadRun, title: list[str], rows: list[dict], limit: float | None):
    height = 300
    rates = [row["x"] for row in rows]
    y = log_axis([row["y"] for row in rows] + ([limit] if limit else []), "latency")
    low, high = (math.log(v) for v in y["scale"].domain)
    x = alt.X("x:Q", scale=alt.Scale(type="log", domain=[min(rates), max(rates)], nice=False, padding=4),
              axis=alt.Axis(title="posts due per second", values=decades(min(rates), max(rates)), format="~s", grid=False))
    who, base = identity(run), alt.Chart(data(rows)).encode(x=x, y=alt.Y("y:Q", **y))
    names = alt.Chart(data(end_labels(rows, low, high, height))).encode(y=alt.Y("at:Q", **y))
    tips = [alt.Tooltip(f"{f}:N", title=t) for f, t in (
        ("contender", "contender"), ("x", "due per second"), ("done", "done"), ("note", "latency"), ("verdict", "verdict"),
        ("posts", "posts"))]
    held = alt.datum.verdict == "held"
    layers = [
        base.mark_line(strokeWidth=1.75).encode(color=who["color"]),
        base.transform_filter(held).mark_point().encode(tooltip=tips, **who),
        base.transform_filter(~held).mark_point(filled=False, strokeWidth=1.75).encode(tooltip=tips, **who),
        names.mark_point(xOffset=14).properties(name="ends").encode(x=alt.XValue("width"), **who),
        names.mark_text(align="left", dx=22).properties(name="names").encode(x=alt.XValue("width"), text=alt.Text("text:N")),
    ]
    if limit:
        layers.append(alt.Chart(data([dict(limit=limit)])).mark_rule(strokeDash=[4, 3]).encode(
            y=alt.Y("limit:Q", **y)))
    lost = [row["contender"] for row in line_ends(rows) if row["verdict"] != "held"]
    return alt.layer(*layers).properties(title=heading(title), height=height, width=WIDE, description=" ".join((
        summed_up([*title, f"at {per_second(max(rates))} due"], [row for row in rows if row["x"] == max(rates)], "y", "note"), *[f"Not sustained: {listed(lost)}."] * bool(lost))))


def tail_figure(run: LoadRun):
    counts = defaultdict(lambda: defaultdict(list))
    good = {(r.contender, r.scenario, r.offered_per_s) for r in run.measured}
    for bucket in run.latencies:
        if bucket.posts and (bucket.contender, bucket.scenario, bucket.offered_per_s) in good:
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
    who, base = identity(run), alt.Chart(data(rows)).encode(x=x, y=alt.Y("y:Q", **y))
    names = alt.Chart(data(end_labels(rows, low, high, height))).encode(y=alt.Y("at:Q", **y))
    tips = [alt.Tooltip(f"{f}:N", title=t) for f, t in (("contender", "contender"), ("share", "share"), ("note", "latency"))]
    return alt.layer(
        base.mark_line(strokeWidth=1.75, interpolate="step-after").encode(color=who["color"], tooltip=tips),
        names.mark_point(xOffset=14).properties(name="ends").encode(x=alt.XValue("width"), **who),
        names.mark_text(align="left", dx=22).properties(name="names").encode(x=alt.XValue("width"), text=alt.Text("text:N")),
    ).properties(title=heading(title), height=height, width=WIDE, description=summed_up(
        [*title, "the rarest latency known"], [dict(row, label=f"{row['note']} at {row['share']}") for row in line_ends(rows)], "y"))


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
                  "The highest rate at which the latency was sustained; the bar ends at the lowest rate above at which it was not, and "
                  "the limit lies in it.", panels)


LOAD_FIGURES = {
    limit_figure: "how much holds: needs a search (--find-limit) that found a rate",
    rate_figure: "latency against rate: needs one scenario at two rates",
    tail_figure: "the whole distribution: needs latencies.csv with ten posts beyond some latency",
}
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
    body = [header(run.name)]
    body += [f'<p class="alert">{escape(text)}</p>' for text in warnings(environment) + run.remarks.all()]
    body += [contents(["run", *(drawn.key for drawn in figures), "numbers", "reading"]),
             '<section id="run"><h2>What was run, and on what</h2>',
             f"<p>Posts were started at {counted(len({rate for _, rate in rates}), 'rate')}, of {counted(len(run.scenarios), 'scenario')}, "
             f"by {counted(len(run.contenders), 'contender')}.</p>", definitions(facts(run)),
             f"<details><summary>Everything that the run recorded of its surroundings</summary>{definitions(surroundings(environment))}</details></section>"]
    if run.limits:
        rows = [[limit.contender, limit.scenario, f"{limit.slo_percentile} ≤ {duration(limit.slo_ns)}",
                 "nothing" if limit.held_per_s is None else per_second(limit.held_per_s),
                 "" if limit.missed_per_s is None else per_second(limit.missed_per_s), plain(limit.windows),
                 "; ".join(filter(None, ("misses a lower rate, too" if limit.monotone == "false" else "", limit.reason or "")))]
                for limit in run.limits]
        body.append(table("How much holds: the limit lies between the two rates",
                          ["contender", "scenario", "asked", "holds", "misses", "windows", "remark"], rows, text=(1, 6)))
    body.append(legend(in_order(run)))
    panels = place(figures, body)
    body += ['<section id="numbers"><h2>All numbers</h2>', *(load_table(run, run.scenarios[place], rate) for place, rate in rates)]
    if missing:
        body += ["<h3>What could not be drawn</h3>", "<ul>", *(f"<li>{escape(m)}</li>" for m in missing), "</ul>"]
    body += ['</section><section id="reading"><h2>How to read it, and what it cannot tell</h2>', HOW_TO_READ_LOAD, "</section>"]
    return document(run.name, body, panels)
