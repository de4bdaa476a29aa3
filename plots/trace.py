"""One post of each contender, side by side: a lane for each thread, and the critical path."""
from __future__ import annotations

import re
from collections import Counter

from .charts import WIDE, anchored, apart, colour, figure, heading, names as texts
from .libraries import alt, data
from .model import Run, grouped, ranking
from .text import duration, listed, percent, plain

LANE = 30  # words above, marks below
MOST_LANES, MOST_REQUESTS = 8, 200  # of what has more a viewer shows more
NARROW, LETTER = 270, 6.0  # pixels: the lanes of a phone, and a letter there
SHADES = [("background:var(--c0);opacity:.3", "starts"), ("background:var(--c1)", "asks, completes"), ("background:var(--c3)", "service answers"),
          ("background:var(--c0);height:2px;vertical-align:.25rem", "in flight"), ("background:var(--c0)", "in the idiom"), ("background:var(--c2)", "handed over")]
NAMES = {"start": "starts", "answered": "answers", "completion": "completes"}


def trace_figure(run: Run):
    known = [*ranking(run), *(post.contender for post in run.trace)]
    posts, failed = sorted((post for post in run.trace if not post.fault), key=lambda post: known.index(post.contender)), [post for post in run.trace if post.fault]
    if not posts or max(sum(span.name == "asked" for span in post.spans) for post in posts) > MOST_REQUESTS:
        return None
    wide, squeezed = scale(posts)
    panels = [panel(post, wide, squeezed) for post in posts]
    hops = {post.contender: len(post.hand_overs) for post in posts}
    title = f"One post of {posts[0].scenario}, thread by thread: " + (
        listed([f"{listed(some)} hand{'s' if len(some) == 1 else ''} work over {f'{count} times' if count > 1 else 'once'}" if count else
                f"{listed(some) if len(some) < 3 else f'{len(some)} of {len(posts)} idioms'} never"
                for count, some in sorted(((count, [name for name in hops if hops[name] == count]) for count in set(hops.values())), reverse=True)])
        if any(hops.values()) else "nobody hands over")
    about = posts[0].about
    other = about.get("commit") and run.environment.get("commit") and about["commit"] != run.environment["commit"]
    elsewhere = f" This trace is of commit {str(about['commit'])[:7]}, the run of {str(run.environment['commit'])[:7]}: its times are not the run's." if other else ""
    alone = "" if posts[0].scenario in run.scenario_of.values() else f", recorded by bench trace; {posts[0].scenario} is not among the run's scenarios"
    worst, least = max(post.cost for post in posts), min(post.explained for post in posts)
    return figure(
        "trace", title,
        f"One warm post of each, a single sample, so compare what happens and not the totals{alone}: a lane for each thread, the critical path in the lowest; posts: asks for the post, once the uploads are done.{elsewhere} Arrows: work goes to another thread, and waits until that has woken or is free. Grey bands (waits) are not to scale, the rest is. "
        f"Spans explain {'all' if least == 1 else f'at least {percent(least)}'} of each post; recording adds {percent(max(worst, 0))} at most."
        + "".join(f" Not traced: {post.contender} ({post.fault})." for post in failed), panels, columns=1, shades=SHADES)


def scale(posts: list) -> tuple[float, float]:
    """The width of all panels and that of a squeezed flight, in microseconds of what is not squeezed."""
    own = max(sum(span.end - span.at for span in post.path if span.name != "in flight") for post in posts) or 1
    flights = max(sum(span.name == "in flight" for span in post.path) for post in posts)
    share = min(0.2, 0.5 / max(flights, 1))
    wide = own / (1 - flights * share)
    return wide, wide * share


def squeeze(path: list, squeezed: float):
    """Where a moment is drawn, and the flights that take no longer than they may: (from, to, how long)."""
    pieces, bands, x = [], [], 0.0
    for span in path:
        length = span.end - span.at
        is_band = span.name == "in flight" and length > squeezed
        width = squeezed if is_band else length
        pieces.append((span.at, span.end, x, width))
        if is_band:
            bands.append((x, x + width, length))
        x += width
    def place(at: float) -> float:
        for start, end, left, width in pieces:
            if at <= end:
                return round(left + width * (max(at, start) - start) / ((end - start) or 1), 3)
        return round(x, 3)
    return place, bands


def panel(post, wide: float, squeezed: float):
    place, bands = squeeze(post.path, squeezed)
    path_lane = max(post.lanes)
    busy = sorted((lane for lane in post.lanes if lane != path_lane), key=lambda lane: (lane > 1, not post.lanes[lane].startswith("service"), lane))
    busy, more = busy[:MOST_LANES], len(busy[MOST_LANES:])
    shared, seen = Counter(re.sub(r" \d+$", "", name) for name in post.lanes.values()), Counter()
    names = {}
    for lane in [*busy, path_lane]:
        seen[name := re.sub(r" \d+$", "", post.lanes[lane])] += 1
        names[lane] = f"{name} {seen[name]}" if shared[name] > 1 or name != post.lanes[lane] else name
    rows = [dict(contender=post.contender, lane=names[span.lane], what=span.name, request="" if span.request is None else str(span.request),
                 from_us=round(span.at, 3), to_us=round(span.end, 3), note=f"{duration(1e3 * (span.end - span.at))}, {duration(1e3 * span.at)} after the start",
                 x=place(span.at), x2=place(span.end))
            for span in post.spans if span.lane in names]
    shown = [hand_over for hand_over in post.hand_overs if hand_over[0] in names and hand_over[2] in names]
    handed = [dict(x=place(at), x2=place(end), lane=names[lane], to=names[other], note=duration(1e3 * (end - at))) for lane, at, other, end in shown]
    number = {lane: number for number, lane in enumerate(names)}
    arrows = [(number[lane], row["x"], number[other], row["x2"]) for (lane, _, other, _), row in zip(shown, handed)]
    letter, words, told = LETTER / NARROW * wide, [], []
    for lane in busy:
        ends = [row[end] for row in rows if row["lane"] == names[lane] for end in ("x", "x2")]
        text = said(post, lane)
        stands = beside(min(ends, default=0), max(ends, default=0), len(text) * letter, wide, crossed(arrows, number[lane]))
        told.append(f"{names[lane]} {text}")
        words += [dict(lane=names[lane], text=text, **stands)]
    y = lambda field="lane": alt.Y(f"{field}:N", title=None, scale=alt.Scale(domain=list(names.values()), padding=0),
                                   axis=alt.Axis(grid=False, labelLimit=90))
    x, x2 = (alt.X(f"{field}:Q", scale=alt.Scale(domain=[0, wide], nice=False), axis=None) for field in ("x", "x2"))
    over = lambda values: alt.Chart(data(values))
    marks = over(rows).encode(x=x, x2=alt.X2("x2:Q"), y=y(), tooltip=[alt.Tooltip(f"{f}:N", title=t) for f, t in (
        ("contender", "contender"), ("lane", "lane"), ("what", "span"), ("request", "request"), ("note", "takes"))])
    of = lambda *kinds: alt.FieldOneOfPredicate(field="what", oneOf=list(kinds))
    bar = lambda kinds, height, **look: marks.transform_filter(of(*kinds)).mark_bar(height=height, yOffset=7, **look)
    spent = sum(span.end - span.at for span in post.path if span.name == "handed over")
    title = [post.contender, f"{duration(1e3 * post.us)} on {post.threads} threads, " + (
        f"{len(post.hand_overs)} hand-overs: {duration(1e3 * spent)} of it" if post.hand_overs else "no hand-over")
             + (f"; {more} threads more" if more else "")]
    layers = [
        over([dict(x=a, x2=b) for a, b, _ in bands]).mark_rect(color=colour(0), opacity=0.12).encode(x=x, x2=alt.X2("x2:Q")),
        over([dict(x=(a + b) / 2, text=[duration(1e3 * length), "in flight"]) for a, b, length in bands]).mark_text(dy=14).encode(
            x=x, y=alt.YValue(LANE * len(names)), text=alt.Text("text:N")),
        bar(("start",), 14, color=colour(0), opacity=0.3), bar(("answered",), 10, color=colour(3), stroke=colour(3), strokeWidth=1),
        bar(("asked", "completion"), 10, color=colour(1), stroke=colour(1), strokeWidth=1),
        bar(("in flight",), 2, color=colour(0)), bar(("in the idiom",), 10, color=colour(0)), bar(("handed over",), 10, color=colour(2)),
        over(handed).mark_rule(color=colour(2), strokeWidth=1.25, opacity=0.8, yOffset=7, y2Offset=7).encode(x=x, x2=alt.X2("x2:Q"), y=y(), y2=alt.Y2("to:N")),
        over(handed).mark_point(shape="triangle-right", size=30, color=colour(2), xOffset=-3, yOffset=7).encode(x=x2, y=y("to")),
        *texts(words + on_path(post, place, wide, letter, names[path_lane]), alt.X("at:Q", axis=None), y(), -6),
    ]
    parts = [f"{name} {duration(1e3 * sum(span.end - span.at for span in some))}" for name, some in grouped(post.path, lambda span: span.name).items()]
    return alt.layer(*layers).properties(title=heading(title), height=LANE * len(names), width=WIDE, description=" ".join((
        f"{post.contender}: {title[1]}.", "; ".join(told) + ".", f"The critical path: {listed(parts)}.")))


def said(post, lane: int) -> str:
    """What is done on a thread, in its order."""
    parts, asked = [], Counter()
    for span in sorted((span for span in post.spans if span.lane == lane), key=lambda span: span.at):
        what = NAMES.get(span.name) or ("posts" if span.request == "post" else "asks")
        asked[what] += 1
        if what not in parts:
            parts.append(what)
    return listed([f"asks for {plain(asked[what])}" if what == "asks" else what for what in parts])


def crossed(arrows: list[tuple], number: int) -> list[tuple]:
    """From where to where each arrow, given as (lane, x, lane, x), crosses the words above a lane."""
    found = []
    for first, left, last, right in arrows:
        start, end = (LANE * lane + LANE / 2 + 7 for lane in (first, last))
        low, high = (min(max((LANE * number + y - start) / ((end - start) or 1), 0), 1) for y in (2, 16))
        if low != high:
            found.append(tuple(sorted(left + (right - left) * share for share in (low, high))))
    return found


def beside(left: float, right: float, width: float, high: float, taken: list[tuple]) -> dict:
    """Where words of a lane stand: from its first mark on, else near that where no arrow crosses them, else over the arrows."""
    usual = anchored(left, right, width, high)
    if usual["box"][0] < 0:
        usual = anchored(0, 0, 0, high) if not taken else usual
    free = [usual, *(dict(at=at, side=1, box=(at, at + width)) for _, at in taken), *(dict(at=at, side=-1, box=(at - width, at)) for at, _ in taken)]
    return min((place for place in free if place["box"][0] >= 0 and place["box"][1] <= high and apart(place["box"], taken)
                and abs(place["box"][0] - usual["box"][0]) <= high / 4), default=usual,
               key=lambda place: abs(place["box"][0] - usual["box"][0]))


def on_path(post, place, wide: float, letter: float, lane: str) -> list[dict]:
    """How long the parts of the path are that are not the service's, the longest first, where it covers no other."""
    found = []
    for span in sorted((span for span in post.path if span.name != "in flight"), key=lambda span: span.at - span.end):
        text = duration(1e3 * (span.end - span.at)) + ("" if found else f" {span.name}")
        row = dict(lane=lane, text=text, **anchored(place(span.at), place(span.end), (len(text) + 1) * letter, wide))
        if row["box"][0] >= 0 and apart(row["box"], [other["box"] for other in found]):
            found.append(row)
    return found
