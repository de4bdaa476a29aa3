"""One post of each contender, side by side: a lane for each thread, and the critical path."""
from __future__ import annotations

import re
from collections import Counter
from types import SimpleNamespace

from .html import table
from .model import Run, ranking
from .svg import LETTER, line, picture, text
from .text import counted, duration, escape, listed, percent, plain

LANE = 30  # words above, marks below
MOST_LANES, MOST_REQUESTS = 8, 200  # of what has more a viewer shows more
NAMES = {"start": "starts", "answered": "answers", "completion": "completes"}
# Of each kind of span: its colour, how high it is, and what it is called.
KINDS = {"start": ("var(--line)", 14, "starts"), "answered": ("var(--s4)", 10, "service answers"), "asked": ("var(--s1)", 10, "asks, completes"), "completion": ("var(--s1)", 10, ""),
         "in flight": ("var(--quiet)", 2, "in flight"), "in the idiom": ("var(--ink)", 10, "in the idiom"), "handed over": ("var(--s2)", 10, "handed over")}
HALO = "var(--quiet);paint-order:stroke;stroke:var(--paper);stroke-width:3"  # arrows may cross the letters


def trace_picture(run: Run) -> SimpleNamespace | None:
    known = [*ranking(run), *(post.contender for post in run.trace)]
    posts, failed = sorted((post for post in run.trace if not post.fault), key=lambda post: known.index(post.contender)), [post for post in run.trace if post.fault]
    if not posts or max(sum(span.name == "asked" for span in post.spans) for post in posts) > MOST_REQUESTS:
        return None
    wide, squeezed = scale(posts)
    hops = {post.contender: len(post.hand_overs) for post in posts}
    title = f"One post of {posts[0].scenario}, thread by thread: " + (
        listed([f"{listed(some)} hand{'s' if len(some) == 1 else ''} work over {f'{count} times' if count > 1 else 'once'}" if count else
                f"{listed(some) if len(some) < 3 else f'{len(some)} of {len(posts)} idioms'} never"
                for count, some in sorted(((count, [name for name in hops if hops[name] == count]) for count in set(hops.values())), reverse=True)])
        if any(hops.values()) else "work is never handed over")
    about = posts[0].about
    other = about.get("commit") and run.environment.get("commit") and about["commit"] != run.environment["commit"]
    elsewhere = f" This trace is of commit {str(about['commit'])[:7]}, the run of {str(run.environment['commit'])[:7]}: its times are not the run's." if other else ""
    worst, least = max(post.cost for post in posts), min(post.explained for post in posts)
    rows = [[post.contender, duration(1e3 * post.us), plain(post.threads), plain(len(post.hand_overs)) or "0", *(duration(1e3 * spent(post, name)) for name in ("in the idiom", "handed over", "in flight"))] for post in posts]
    return picture(
        "trace", title,
        f"One warm post of each, a single sample: compare what happens, not the totals. A lane for each thread, the critical path in the lowest; lines: work goes to another thread.{elsewhere} "
        f"Waiting longer than a band is not to scale, the rest is. Spans explain {'all' if least == 1 else f'at least {percent(least)}'} of each post; recording adds {percent(max(worst, 0))} at most."
        + "".join(f" Not traced: {post.contender} ({post.fault})." for post in failed),
        [(heading(post), lambda width, post=post, key=not number: lanes(post, wide, squeezed, width, key)) for number, post in enumerate(posts)],
        table("Of the critical path", ["contender", "whole", "threads", "hand-overs", "in the idiom", "handed over", "in flight"], rows))


def spent(post, name: str) -> float:
    return sum(span.end - span.at for span in post.path if span.name == name)


def heading(post) -> str:
    hops = f"{counted(len(post.hand_overs), 'hand-over')}: {duration(1e3 * spent(post, 'handed over'))} of it" if post.hand_overs else "no hand-over"
    return f"{post.contender}: {duration(1e3 * post.us)} on {post.threads} threads, {hops}"


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


def lanes(post, wide: float, squeezed: float, width: float, has_key: bool) -> tuple[float, str]:
    place, bands = squeeze(post.path, squeezed)
    path_lane = max(post.lanes)
    busy = sorted((lane for lane in post.lanes if lane != path_lane), key=lambda lane: (lane > 1, not post.lanes[lane].startswith("service"), lane))[:MOST_LANES]
    seen, top, parts, words_last = Counter(), 4.0, [], []
    left = 96 if width > 500 else 78
    x = lambda at: left + place(at) / wide * (width - left - 4)
    if has_key:
        at = float(left)
        for colour, high, what in KINDS.values():
            if what:
                top = top if at + 22 + LETTER * len(what) < width else top + 18
                at = at if at + 22 + LETTER * len(what) < width else float(left)
                parts.append(f'<rect x="{at:.1f}" y="{top + 5 - high / 2:.1f}" width="12" height="{high}" style="fill:{colour}"/>' + text(at + 16, top + 9, what, size=11, colour="var(--quiet)"))
                at += 32 + LETTER * len(what)
        top += 22
    y = {}
    for number, lane in enumerate([*busy, path_lane]):
        name = re.sub(r" \d+$", "", post.lanes[lane])
        seen[name] += 1
        y[lane] = top + LANE * number + 22
        parts.append(text(0, y[lane] + 4, name + f" {seen[name]}" * (name != post.lanes[lane]), size=11))
        if lane != path_lane:
            starts = min((x(span.at) for span in post.spans if span.lane == lane), default=left)
            words = said(post, lane)
            words_last.append(text(max(min(starts, width - 5.6 * len(words)), left), y[lane] - 9, words, size=11, colour=HALO))
    bottom = top + LANE * len(y)
    parts += [f'<rect x="{left + a / wide * (width - left - 4):.1f}" y="{top:.1f}" width="{(b - a) / wide * (width - left - 4):.1f}" height="{bottom - top:.1f}" style="fill:var(--soft)"/>'
              + text(left + (a + b) / 2 / wide * (width - left - 4), bottom + 13, duration(1e3 * length) + " in flight" * (width > 500), "middle", 11, "var(--quiet)") for a, b, length in bands]
    parts = parts[-len(bands):] + parts[:-len(bands)] if bands else parts
    for span in post.spans:
        if span.lane in y and span.name in KINDS:
            colour, high, _ = KINDS[span.name]
            tip = escape(f"{span.name}{'' if span.request is None else f' {span.request}'}: {duration(1e3 * (span.end - span.at))}, {duration(1e3 * span.at)} after the start")
            parts.append(f'<rect x="{x(span.at):.1f}" y="{y[span.lane] - high / 2:.1f}" width="{max(x(span.end) - x(span.at), 1.5):.1f}" height="{high}" style="fill:{colour}"><title>{tip}</title></rect>')
    parts += [line(x(at), y[lane], x(end), y[other], "var(--s2)", 1.2) for lane, at, other, end in post.hand_overs if lane in y and other in y]
    taken = []
    for span in sorted((span for span in post.path if span.name != "in flight"), key=lambda span: span.at - span.end):
        words = duration(1e3 * (span.end - span.at))
        at = min(x(span.at), width - LETTER * len(words))
        if all(at + LETTER * len(words) < low or high < at for low, high in taken):
            taken.append((at, at + LETTER * len(words)))
            parts.append(text(at, y[path_lane] - 9, words, size=11))
    return bottom + 20, "".join(parts + words_last)


def said(post, lane: int) -> str:
    """What is done on a thread, in its order."""
    parts, asked = [], Counter()
    for span in sorted((span for span in post.spans if span.lane == lane), key=lambda span: span.at):
        what = NAMES.get(span.name) or ("posts" if span.request == "post" else "asks")
        asked[what] += 1
        if what not in parts:
            parts.append(what)
    return listed([f"asks for {plain(asked[what])}" if what == "asks" else what for what in parts])
