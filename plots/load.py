"""The charts and the page of a run of `bench load`."""
from __future__ import annotations

from collections import defaultdict
from types import SimpleNamespace

from .html import document, figure, fold, items, table
from .model import LoadRun
from .page import conditions, place_of, warnings
from .svg import decades, dot_chart, libraries, line_chart, looks, picture
from .text import counted, duration, escape, extent, per_second, percent, plain


def rate_picture(run: LoadRun) -> SimpleNamespace | None:
    panels, titles, style = [], [], looks(run.contenders, libraries(run.environment))
    for scenario in run.scenarios:
        rates = run.at(scenario)
        if len(rates) < 2:
            continue
        asked = next(((r.slo_percentile, r.slo_ns) for r in run.measured if r.scenario == scenario and r.slo_ns), None)
        for name, column in (("p50", "p50_ns"), ("p99", "p99_ns")):
            series = []
            for contender in run.contenders:
                points = [(r.offered_per_s, getattr(r, column), None, None, r.verdict != "held",
                           f"{contender}, {per_second(r.offered_per_s)} due, {per_second(r.achieved_per_s)} done: {duration(getattr(r, column))}, {r.verdict or 'unknown'}")
                          for found in rates.values() for r in found if r.contender == contender and getattr(r, column)]
                if points:
                    series.append(SimpleNamespace(name=contender, value=duration(points[-1][1]), look=style[contender], points=points))
            reach = [point[0] for one in series for point in one.points]
            if len(set(reach)) > 1:
                limit, ticks = asked[1] if asked and asked[0] == name else None, sorted(set(reach)) if len(set(reach)) < 6 else decades(min(reach), max(reach))
                panels.append((f"{scenario}: {name} of the latency", lambda width, limit=limit, series=series, ticks=ticks:
                                    line_chart(width, series, ticks, "posts due per second", plain, limit)))
        name, column = next(((n, c) for n, c in (("p99", "p99_ns"), ("p50", "p50_ns")) if all(
            getattr(r, c) for rate in (min(rates), max(rates)) for r in rates[rate])), ("max", "max_ns"))
        least, most = ([getattr(r, column) or r.p50_ns for r in rates[rate]] for rate in (min(rates), max(rates)))
        titles.append(f"on {scenario}, {name} is {extent(least)} at {per_second(min(rates))}, {extent(most)} at {per_second(max(rates))}")
    return picture("latency", f"Latency against rate: {titles[0]}",
                   "From the moment at which a post was due to its completion, whatever became of those before; both axes logarithmic. A hollow "
                   "mark is a rate that was not sustained; the dashed line is what was required.", panels) if panels else None


def tail_picture(run: LoadRun) -> SimpleNamespace | None:
    counts, style = defaultdict(lambda: defaultdict(list)), looks(run.contenders, libraries(run.environment))
    good = {(r.contender, r.scenario, r.offered_per_s) for r in run.measured}
    for bucket in run.latencies:
        if bucket.posts and (bucket.contender, bucket.scenario, bucket.offered_per_s) in good:
            counts[bucket.scenario, bucket.offered_per_s][bucket.contender].append(bucket)
    # A search tries many rates that only some contenders meet: of each scenario the highest that most do.
    panels, worst, numbers = [], None, []
    for scenario in run.scenarios:
        found = {rate: counts[s, rate] for s, rate in counts if s == scenario}
        most = max(map(len, found.values()), default=0)
        rates = sorted(rate for rate in found if len(found[rate]) == most)
        for rate in rates[-1:] if run.limits else rates:
            series = [SimpleNamespace(name=name, value=duration(points[-1][1]), look=style[name], points=points)
                      for name, buckets in found[rate].items() for points in [tail(buckets)] if points]
            if not series:
                continue
            shares = [v for v in (1, 2, 10, 100, 1_000, 10_000, 100_000) if v <= max(2.0, *(point[0] for one in series for point in one.points))]
            panels.append((f"{scenario}, {per_second(rate)} due", lambda width, series=series, shares=shares: line_chart(
                width, series, shares, "share of the posts", lambda v: f"{100 - 100 / v:.6g} %", steps=True)))
            numbers += [[f"{one.name}, {scenario}, {per_second(rate)}", f"{100 - 100 / one.points[-1][0]:.4g} %", duration(one.points[-1][1])] for one in series]
            slowest = max((r for r in run.measured if r.scenario == scenario and r.offered_per_s == rate and r.p99_ns), key=lambda r: r.p99_ns, default=None)
            if slowest and (not worst or slowest.p99_ns > worst.p99_ns):
                worst = slowest
    lead = f": one post in a hundred takes {duration(worst.p99_ns)} or more with {worst.contender} at {per_second(worst.offered_per_s)}" if worst else ""
    return picture("tail", f"The whole distribution{lead}",
                   "The latency that a share of the posts does not exceed; to the right, ever rarer ones. A line ends where fewer than ten posts lie beyond.",
                   panels, table("The rarest latency known", ["contender, scenario, rate", "share", "latency"], numbers)) if panels else None


def tail(buckets: list) -> list[tuple]:
    """The latency at each share, as far as ten posts lie beyond it; the share as one post in how many is slower.

    Points that no eye tells from the one before are left out.
    """
    total, seen, points = sum(b.posts for b in buckets), 0, []
    for bucket in sorted(buckets, key=lambda b: b.latency_low_ns):
        seen += bucket.posts
        beyond = total - seen
        if beyond < 10:
            break
        if points and total / beyond < points[-1][0] * 1.01 and bucket.latency_high_ns < points[-1][1] * 1.02:
            continue
        points.append((float(f"{total / beyond:.5g}"), bucket.latency_high_ns, None, None, False, ""))
    return points


def limit_picture(run: LoadRun) -> SimpleNamespace | None:
    panels, style = [], looks(run.contenders, libraries(run.environment))
    for scenario in run.scenarios:
        held = sorted((limit for limit in run.limits if limit.scenario == scenario and limit.held_per_s), key=lambda limit: -limit.held_per_s)
        rows = [SimpleNamespace(name=limit.contender, label=per_second(limit.held_per_s), marks=[(limit.held_per_s, limit.held_per_s, limit.missed_per_s, style[limit.contender][0])]) for limit in held]
        if rows:
            panels.append((f"{scenario}, {held[0].slo_percentile} within {duration(held[0].slo_ns)}", lambda width, rows=rows: dot_chart(width, rows, "posts per second", plain)))
    best = max((limit for limit in run.limits if limit.held_per_s), key=lambda limit: limit.held_per_s, default=None)
    return picture("limits", f"How much holds: {best.contender} up to {per_second(best.held_per_s)}",
                   "The highest rate at which the latency was sustained; the bar ends at the lowest rate above at which it was not, and the limit lies in it.",
                   panels, limit_table(run)) if panels else None


def load_pictures(run: LoadRun) -> list:
    return [(limit_picture(run), "how much holds: needs a search (--find-limit) that found a rate"),
            (rate_picture(run), "latency against rate: needs one scenario at two rates"),
            (tail_picture(run), "the whole distribution: needs latencies.csv with ten posts beyond some latency")]


HOW_TO_READ_LOAD = """
<ul>
<li>Posts arrive at a rate, whatever becomes of those before. A latency counts from the moment at which its post was due, so a stall
is seen by every post that came meanwhile.</li>
<li>A percentile is given only where at least ten posts lie beyond it.</li>
<li>The harness measures how late it starts posts itself. Where that is much, or where others have the processors, the verdict says so
instead of blaming the contender.</li>
<li>A contender that did not do exactly the work has no number here, only a reason.</li>
</ul>
"""


def limit_table(run: LoadRun) -> str:
    rows = [[limit.contender, limit.scenario, f"{limit.slo_percentile} ≤ {duration(limit.slo_ns)}", "nothing" if limit.held_per_s is None else per_second(limit.held_per_s),
             "" if limit.missed_per_s is None else per_second(limit.missed_per_s), plain(limit.windows),
             "; ".join(filter(None, ("misses a lower rate, too" if limit.monotone == "false" else "", limit.reason or "")))] for limit in run.limits]
    return table("How much holds: the limit lies between the two rates", ["contender", "scenario", "required", "holds", "misses", "windows", "remark"], rows, text=(1, 6)) if rows else ""


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
                     *(known(v) for v in (r.p50_ns, r.p90_ns, r.p99_ns, r.p99_9_ns, r.p99_99_ns, r.max_ns, r.lateness_p50_ns, r.lateness_p99_ns, r.lateness_max_ns)),
                     share(r.process_cpu_share), share(r.machine_cpu_share), plain(r.posts), plain(r.windows), plain(r.windows_disturbed)])
    return table(f"{scenario} at {per_second(rate)}; empty: unknown, or too few posts to tell", head, rows, text=(1,))


def load_page(run: LoadRun, drawn: list, missing: list[str]) -> str:
    rates = sorted({(run.scenarios.index(r.scenario), r.offered_per_s) for r in run.rows})
    count = f"Posts started at {counted(len({rate for _, rate in rates}), 'rate')}, of {counted(len(run.scenarios), 'scenario')}, by {counted(len(run.contenders), 'contender')}."
    tables = "".join(load_table(run, run.scenarios[place], rate) for place, rate in rates)
    body = [f'<section id="answer"><header><p class="brand"><b>Fanout</b> {escape(run.name)}, a run of bench load</p><h1>{escape(drawn[0].title if drawn else run.name)}</h1>'
            f'<p class="line">{escape(count)}</p></header><p class="place">{escape(place_of(run))}</p></section>',
            *(f'<p class="alert">{escape(text)}</p>' for text in warnings(run.environment) + run.remarks.all()),
            *(figure(one, one is not drawn[0]) for one in drawn), '<section id="details"><h2>Details</h2>',
            fold("Every rate and contender", limit_table(run), tables, is_open=not drawn), fold("What could not be drawn", items(missing)),
            fold("Machine and conditions, and how to repeat it", conditions(run)), fold("How to read it", HOW_TO_READ_LOAD), "</section>"]
    return document(run.name, body)
