"""What all charts share: colours, axes, panels and figures."""
from __future__ import annotations

import functools
import math
from types import SimpleNamespace

from .libraries import alt, data
from .model import LoadRun, Run, ranking
from .text import short, shortly

# A neutral for the reference, then hues that stay apart for colour-blind eyes; shapes
# repeat with another period, so that no two of the first 56 contenders look the same.
THEMES = {
    "light": dict(paper="#ffffff", ink="#1c1f23", quiet="#5c636b", line="#e2e5e9", keyword="#8a1f6a", string="#a3340c", palette=[
        "#55595e", "#1472d9", "#c1320a", "#007557", "#b0629a", "#4097e1", "#c37d08", "#733594"]),
    "dark": dict(paper="#15181c", ink="#e8eaed", quiet="#a0a7b0", line="#30363d", keyword="#f094cf", string="#f2a27f", palette=[
        "#c9cdd2", "#6f86d6", "#ff6905", "#10b071", "#ff85b9", "#7ebcff", "#e7cf36", "#9e80ff"]),
}
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right"]


class Colour(str):
    """What each theme has a colour for, which `themed` puts in: no text of a run is one, whatever it says."""


PAPER = Colour("paper")
CSS_COLOURS = dict(paper="var(--paper)", ink="var(--ink)", quiet="var(--quiet)", line="var(--line)",
                   palette=[f"var(--c{i})" for i in range(8)])
PANEL, WIDE, ROW = 270, 560, 22
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
                 "tickColor": colours["line"], "labelOverlap": "greedy", "labelSeparation": 3},
        "axisY": {"ticks": False, "labelPadding": 6},
        "title": {"color": colours["ink"], "subtitleColor": colours["quiet"], "anchor": "start", "frame": "bounds",
                  "fontSize": 12, "fontWeight": 600, "subtitleFontSize": 11, "offset": 8},
        "legend": {**text, "symbolSize": 80},
        "text": {"color": colours["ink"], "fontSize": 11},
        "tick": {"color": colours["ink"]},
        "point": {"filled": True, "size": 64, "opacity": 1},
        "range": {"category": colours["palette"], "symbol": SHAPES},
    }


# Who has had a colour in one output has it in all, whoever else is in it and in whatever order.
ALWAYS = ("callbacks", "closure-tasks", "reactive-streams", "coroutines", "futures", "gcd-groups", "swift-concurrency", "operations")


def places(names: list[str], first: str | None = None) -> dict[str, int]:
    """The place of each name in the palette and among the shapes: those of always have their own, others what is left.

    `first`: who gets the neutral place if nobody has it, a reference.
    """
    places = {name: ALWAYS.index(name) for name in names if name in ALWAYS}
    free = (number for number in range(len(names) + len(ALWAYS)) if number not in places.values())
    for name in sorted((name for name in names if name not in places), key=lambda name: name != first):
        places[name] = next(free)
    return places


def in_order(run: Run | LoadRun) -> list[str]:
    """Contenders in the order of their colours and shapes."""
    return sorted(run.contenders, key=places(run.contenders, run.reference).get)


def identity(run: Run | LoadRun) -> dict:
    """Colour and shape of a contender, the same in every output."""
    names, at = in_order(run), places(run.contenders, run.reference)
    return {kind: channel("contender:N", scale=alt.Scale(domain=names, range=[of(at[name]) for name in names]), legend=None)
            for kind, channel, of in (("color", alt.Color, colour), ("shape", alt.Shape, lambda number: SHAPES[number % len(SHAPES)]))}


def colour(number: int) -> Colour:
    return Colour(number % len(CSS_COLOURS["palette"]))


def themed(node, theme: dict):
    """A spec with the colours of a theme."""
    if isinstance(node, dict):
        return {name: inner if name in ("data", "values") else themed(inner, theme) for name, inner in node.items()}
    if isinstance(node, list):
        return [themed(inner, theme) for inner in node]
    return node if not isinstance(node, Colour) else theme["paper"] if node is PAPER else theme["palette"][int(node)]


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


def evenly(low: float, high: float) -> list[float]:
    """Round values in even steps, four at most, so that each has room for its label on a phone."""
    power = 10.0 ** math.floor(math.log10(high - low))
    step = next(power * part for part in (0.2, 0.5, 1, 2, 5, 10) if (high - low) / (power * part) <= 3)
    return [round(k * step, 9) for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def padded(values: list[float], share: float = 0.06) -> tuple[float, float]:
    low, high = math.log(min(values)), math.log(max(values))
    pad = max((high - low) * share, 0.002)
    return math.exp(low - pad), math.exp(high + pad)


def log_axis(values: list[float], title: str) -> dict:
    low, high = padded(values)
    return dict(scale=alt.Scale(type="log", domain=[low, high], nice=False),
                axis=alt.Axis(title=title, values=decades(low, high), labelExpr=AXIS_TIME))


def ratio_axis(values: list[float], title: str) -> dict:
    """Logarithmic, with 1 within it."""
    low, high = padded([1, *values])
    return dict(scale=alt.Scale(type="log", domain=[low, high], nice=False),
                axis=alt.Axis(title=title, values=decades(low, high), format="~g"))


def named(order: list[str]):
    """A row for each contender; the middle of a long name is left out, as its end may be what it alone has."""
    # A domain, and no order to sort by: Vega would look names up in an object, which has a `toString` by itself.
    return alt.Y("contender:N", title=None, scale=alt.Scale(domain=order), axis=alt.Axis(
        labelLimit=150, labelExpr="length(datum.label) > 26 ? slice(datum.label, 0, 14) + '…' + slice(datum.label, -9) : datum.label"))


def at_one():
    """The bold line at a ratio of 1."""
    return alt.Chart(data([{"one": 1}])).mark_rule(strokeWidth=2).encode(x=alt.X("one:Q"), color=alt.ColorValue(colour(0)))


def intervals(run: Run, title: list[str], rows: list[dict], order: list[str], x: dict, hint: list[tuple], hollow: str | None = None,
              below: list = (), ranges: bool = False):
    """A panel with a row per contender: its value, its interval, what is `hollow` as such a mark, and at the right the value in words.

    `below`: layers that are drawn first. `ranges`: thin lines, as what they show are no intervals.
    """
    rows = sorted(rows, key=lambda row: order.index(row["contender"]))
    base = alt.Chart(data(rows)).encode(y=named([row["contender"] for row in rows]))
    tips = [alt.Tooltip(f"{field}:N", title=name) for field, name in [("contender", "contender"), *hint]]
    who, above = identity(run), -4 if hollow else 0  # marks of equal values do not cover each other
    layers = [
        *below,
        base.mark_rule(strokeWidth=1.25 if ranges else 4, opacity=1 if ranges else 0.45, strokeCap="butt" if ranges else "round", yOffset=above, y2Offset=above).encode(
            x=alt.X("low:Q", **x), x2=alt.X2("high:Q"), color=who["color"], tooltip=tips),
        *([base.mark_point(filled=False, strokeWidth=1.5, yOffset=-above).encode(x=alt.X(f"{hollow}:Q", **x), tooltip=tips, **who)] if hollow else []),
        base.mark_point(yOffset=above).encode(x=alt.X("value:Q", **x), tooltip=tips, **who),
        base.mark_text(align="left", dx=8).encode(x=alt.XValue("width"), text=alt.Text("label:N")),
    ]
    return alt.layer(*layers).properties(
        title=heading(title), height=ROW * len(rows), width=PANEL, description=summed_up(title, rows))


# What every object of JavaScript has. Vega keeps each title in one, under its text: as that, none of these is drawn.
OF_OBJECTS = set("constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf".split())


def heading(lines: list[str]):
    first, *others = (short(line) + "\u2060" * (line in OF_OBJECTS) for line in lines)  # a letter that nobody sees
    return alt.TitleParams(text=first, subtitle=others)


def anchored(left: float, right: float, width: float, high: float) -> dict:
    """Where a name of a mark stands: from its left end on, or where that has no room, up to its right end."""
    return dict(at=left, side=1, box=(left, left + width)) if left + width <= high else dict(at=right, side=-1, box=(right - width, right))


def apart(box: tuple, taken: list[tuple]) -> bool:
    return all(box[1] <= low or high <= box[0] for low, high in taken)


def names(rows: list[dict], x, y, dy: float) -> list:
    """Layers with the text of each row, which is `anchored`."""
    base = alt.Chart(data([{key: value for key, value in row.items() if key != "box"} for row in rows]))
    return [layer for side, align in ((1, "left"), (-1, "right"))
            for layer in halo(functools.partial(base.transform_filter(alt.datum.side == side).mark_text, align=align, dy=dy), x=x, y=y, text=alt.Text("text:N"))]


def gaps(run: Run, scenario: str) -> list[dict]:
    """A row without a value for each cell of the scenario that has no number, so that nobody silently vanishes."""
    return [dict(contender=c, value=None, low=None, high=None, label=outcome, note=reason)
            for c, s, outcome, reason in run.unmeasured() if s == scenario]


def figure(key: str, title: str, caption: str, panels: list, columns: int = 3, folded: int | None = None,
           points: list[str] = (), shades: list[tuple[str, str]] = ()) -> SimpleNamespace:
    """Panels from `folded` on are shown when asked for, in the page; an image has all. `points` are said before all else. `shades`: what styles stand for."""
    specs = [shared({name: inner for name, inner in panel.to_dict(validate=False).items() if name not in ("config", "$schema")}) for panel in panels]
    return SimpleNamespace(key=key, title=title, caption=caption, panels=specs, columns=columns, folded=folded, points=points, shades=shades)


def shared(panel: dict) -> dict:
    """A panel whose layers have the same rows, with these once."""
    found = [layer["data"] for layer in panel.get("layer", []) if "data" in layer]
    if "data" in panel or not found:
        return panel
    most = max(found, key=found.count)
    return {"data": most, **panel, "layer": [
        {name: inner for name, inner in layer.items() if name != "data" or inner != most} for layer in panel["layer"]]}


def halo(mark, **encodings) -> list:
    """Text that stays readable on what it covers: the paper around its letters lies below it."""
    return [mark(stroke=PAPER, strokeWidth=3, strokeJoin="round", color=PAPER).encode(**encodings), mark().encode(**encodings)]


def summed_up(title: list[str], rows: list[dict], value: str = "value", label: str = "label") -> str:
    """What a panel shows, for who cannot see it: who has least and most, and of whom nothing is decided or known."""
    known = sorted((row for row in rows if row[value] is not None), key=lambda row: row[value])
    told = [f"{row['contender']} {row[label]}" for row in known]
    ends = (told if len(told) < 2 else [f"all {len(told)} contenders have {known[0][label]}"] if len({row[label] for row in known}) == 1 else
            [f"least {told[0]}", f"most {told[-1]}, of {len(told)}"])
    said = [("not decided for", [row["contender"] for row in known if "?" in row[label]]),
            ("no number for", [f"{row['contender']} ({row[label]})" for row in rows if row[value] is None])]
    return f"{', '.join(title)}: {'; '.join([*ends, *(f'{what} {shortly(names)}' for what, names in said if names)])}."


def strip(run: Run, scenario: str, rows: list[dict], middles: list[dict], counted: str):
    x = log_axis([row["v"] for row in rows], f"time {run.per(scenario)}")
    order = [c for c in ranking(run) if any(row["contender"] == c for row in rows)]
    middles = sorted(middles, key=lambda row: order.index(row["contender"]))
    color = identity(run)["color"]
    base, middle = (alt.Chart(data(found)).encode(y=named(order)) for found in (rows, middles))
    tips = [alt.Tooltip("contender:N", title="contender"), alt.Tooltip("v:Q", title="ns", format=",.5~r"),
            alt.Tooltip("r:N", title="to the reference"), alt.Tooltip("at:N", title="generation · round")]
    return alt.layer(
        middle.mark_bar(opacity=0.16, height=ROW - 6).encode(x=alt.X("q1:Q", **x), x2=alt.X2("q3:Q"), color=color),
        base.mark_circle(size=13, opacity=0.5, aria=False, yOffset=alt.expr(f"datum.j * {ROW - 8}")).encode(x=alt.X("v:Q", **x), color=color, tooltip=tips),
        middle.mark_tick(thickness=2, size=ROW - 6).encode(x=alt.X("m:Q", **x)),
    ).properties(title=heading([scenario, counted]), height=ROW * len(order), width=PANEL,
                 description=summed_up([scenario, counted], middles, "m"))


def bars(run: Run, title: list[str], rows: list[dict], what: str | None = None):
    rows = sorted(rows, key=lambda row: ranking(run).index(row["contender"]))
    top = max(row["value"] for row in rows) or 1
    base = alt.Chart(data(rows)).encode(y=named([row["contender"] for row in rows]))
    tips = [alt.Tooltip("contender:N", title="contender"), alt.Tooltip("label:N", title=what or title[0])]
    # The axis has no labels: every bar has its own.
    x = alt.X("value:Q", stack=None, scale=alt.Scale(domain=[0, top], nice=False), axis=None)
    return alt.layer(
        base.mark_bar(height=ROW - 9, opacity=0.8).encode(x=x, color=identity(run)["color"], tooltip=tips),
        base.mark_text(align="left", dx=8).encode(x=alt.XValue("width"), text=alt.Text("label:N")),
    ).properties(title=heading(title), height=ROW * len(rows), width=PANEL * 0.6, description=summed_up(title, rows))
