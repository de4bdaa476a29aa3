"""Charts as SVG: scales, lines, intervals and labels, in the colours of the page's style or, in a file, of its light theme."""
from __future__ import annotations

import math
import re
import textwrap
from types import SimpleNamespace

from .text import clipped, escape, tick

LIGHT = dict(paper="#ffffff", ink="#15181c", quiet="#565d66", line="#dcdfe3", accent="#b04410", keyword="#8a1f6a", string="#a3340c", soft="#f4f5f6",
             s0="#15181c", s1="#0072b2", s2="#c2500a", s3="#7b3294", s4="#00795a", s5="#a8476f", s6="#8a6500", s7="#4a5fc1")
DARK = dict(paper="#14171a", ink="#eceef0", quiet="#a3abb4", line="#343a41", accent="#f29b3c", keyword="#f094cf", string="#f2a27f", soft="#1c2024",
            s0="#eceef0", s1="#56b4e9", s2="#f58a3a", s3="#c79bf2", s4="#2cc295", s5="#f08fb8", s6="#e0b83a", s7="#93a4f5")
# What has had a colour on one page has it on all.
ALWAYS = ("callbacks", "gcd-groups", "swift-concurrency", "operations")
DASHES = ("5 3", "2 2", "8 3 2 3", "1 3")
LETTER = 6.4  # pixels of a letter, on average, at 12 pixels


def looks(names: list[str], quiet: list[str] = ()) -> dict[str, tuple[str, str]]:
    """The colour and the dashes of each line; libraries are `quiet`: grey and dashed, and known by their labels."""
    found, free = {}, 4
    for name in names:
        if name in ALWAYS:
            found[name] = (f"var(--s{ALWAYS.index(name)})", "")
        elif name in quiet:
            found[name] = ("var(--quiet)", DASHES[sum(other in found for other in quiet) % len(DASHES)])
        else:
            found[name] = (f"var(--s{free % 8})", "" if free < 8 else DASHES[free // 8 % len(DASHES)])
            free += 1
    return found


def libraries(environment: dict) -> list[str]:
    """The contenders that the package brings itself, as far as the run says it."""
    idioms = environment.get("idioms")
    return [name for name, idiom in (idioms if isinstance(idioms, dict) else {}).items() if isinstance(idiom, dict) and idiom.get("ships_with") == "this package"]


def text(x: float, y: float, words: str, anchor: str = "start", size: float = 12, colour: str = "var(--ink)", weight: int = 400) -> str:
    return (f'<text x="{x:.1f}" y="{y:.1f}"' + f' text-anchor="{anchor}"' * (anchor != "start") + f' font-size="{size:g}"' * (size != 12)
            + f' font-weight="{weight}"' * (weight != 400) + f' style="fill:{colour}">{escape(words)}</text>')


def line(x1: float, y1: float, x2: float, y2: float, colour: str = "var(--line)", width: float = 1, more: str = "") -> str:
    return f'<path d="M{x1:.1f},{y1:.1f}L{x2:.1f},{y2:.1f}" style="stroke:{colour};stroke-width:{width:g}{more}"/>'


def mark(x: float, y: float, colour: str, hollow: bool = False, tip: str = "") -> str:
    style = f"fill:var(--paper);stroke:{colour};stroke-width:1.5" if hollow else f"fill:{colour}"
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3.5 if hollow else 3.2}" style="{style}">' + (f"<title>{escape(tip)}</title>" if tip else "") + "</circle>"


def decades(low: float, high: float, most: int = 7) -> list[float]:
    """Round values from low to high: powers of ten, else 1, 2 and 5 times those, else even steps."""
    powers = [10.0**k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    for steps in ((1,), (1, 2, 5)):
        ticks = [p * s for p in powers for s in steps if low <= p * s <= high]
        if len(ticks) > 2:
            return ticks[:: math.ceil(len(ticks) / most)]
    step = 10.0 ** math.ceil(math.log10((high - low) / 5))
    step = next((step / part for part in (5, 2) if (high - low) / step * part <= 5), step)
    return [round(k * step, 9) for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def log_scale(values: list[float], start: float, end: float, share: float = 0.06):
    """A place for each value, and the ends of the axis."""
    low, high = math.log(min(values)), math.log(max(values))
    pad = max((high - low) * share, 0.002)
    low, high = low - pad, high + pad
    return (lambda value: start + (math.log(value) - low) / (high - low) * (end - start)), (math.exp(low), math.exp(high))


def labelled(ticks: list[float], x, show) -> list[tuple[float, str]]:
    """The place and the label of each tick that has room for one."""
    found = []
    for at, label in sorted(((x(tick), show(tick)) for tick in ticks), reverse=True):
        if not found or found[-1][0] - at > LETTER * (len(label) + len(found[-1][1])) / 2 + 8:
            found.append((at, label))
    return found


def spread(places: list[float], apart: float, low: float, high: float) -> list[float]:
    """Places of labels, in their order and as near as may be, that do not cover each other."""
    order, found = sorted(range(len(places)), key=places.__getitem__), list(places)
    apart = min(apart, (high - low) / max(len(places) - 1, 1))
    for before, at in zip([None, *order], order):
        found[at] = max(found[at], low if before is None else found[before] + apart)
    for after, at in zip([None, *order[::-1]], order[::-1]):
        found[at] = min(found[at], high if after is None else found[after] - apart)
    return found


def line_chart(width: float, series: list, x_ticks: list[float], x_label: str, show_x, limit: float | None = None, steps: bool = False, height: float = 330, y_label: str = "") -> tuple[float, str]:
    """Both axes logarithmic; each line has its name at its end.

    A series has `name`, `value`, `look` and `points`: (x, y, low, high, is hollow, tip).
    """
    room = min(max(LETTER * len(f"{one.name} {one.value}") for one in series) + 14, 0.46 * width)
    left, right, top, bottom = 46, width - room, 28 if y_label else 8, height - 38
    points = [point for one in series for point in one.points]
    x, _ = log_scale([point[0] for point in points], left + 8, right - 8, 0)
    y, ends = log_scale([v for point in points for v in point[1:4] if v] + [limit] * bool(limit), bottom, top)
    ticks = decades(*ends)
    lowest = next((v for power in range(-3, 18) for v in (10.0**power, 2 * 10.0**power, 5 * 10.0**power) if v >= ends[0]), ticks[0])
    ticks = [lowest] * (y(lowest) - y(ticks[0]) > 16) + ticks
    parts = [line(left, y(v), right, y(v)) + text(left - 6, y(v) + 4, tick(v), "end", colour="var(--quiet)") for v in ticks]
    parts += [text(0, 12, y_label, colour="var(--quiet)")] * bool(y_label)
    parts += [text(at, bottom + 17, label, "middle", colour="var(--quiet)") for at, label in labelled(x_ticks, x, show_x)]
    parts.append(text((left + right) / 2, height - 4, x_label, "middle", colour="var(--quiet)"))
    if limit:
        parts.append(line(left, y(limit), right, y(limit), "var(--ink)", 1, ";stroke-dasharray:4 3"))
    places = spread([y(one.points[-1][1]) for one in series], 15, top + 6, bottom)
    for one, at in zip(series, places):
        colour, dashes = one.look
        at_points = [(x(p[0]), y(p[1])) for p in one.points]
        corner = "H{0:.1f}V{1:.1f}" if steps else "L{0:.1f},{1:.1f}"
        path = "M{0:.1f},{1:.1f}".format(*at_points[0]) + "".join(corner.format(*point) for point in at_points[1:])
        bars = "".join(line(x(p[0]), y(p[2]), x(p[0]), y(p[3]), colour, 4, ";opacity:.3") for p in one.points if p[2] and p[3])
        parts.append(f'{bars}<path d="{path}" style="fill:none;stroke:{colour};stroke-width:{1.5 if dashes else 2}{f";stroke-dasharray:{dashes}" if dashes else ""}"/>')
        parts += [mark(x(p[0]), y(p[1]), colour, p[4], p[5]) for p in one.points if not steps]
        end = one.points[-1]
        parts.append(line(x(end[0]) + 5, y(end[1]), right + 6, at, "var(--line)") + text(right + 10, at + 4, clipped(one.name, int((room - 10) / LETTER) - len(one.value) - 1) + f" {one.value}", colour=colour, weight=400 if dashes else 600))
    return height, "".join(parts)


def dot_chart(width: float, rows: list, x_label: str, show, one: bool = False) -> tuple[float, str]:
    """A row for each name: marks with their intervals, the value in words at the right.

    A row has `name`, `label` and `marks`: (value, low, high, colour). `one`: with a bold line at 1.
    """
    left = min(max(LETTER * len(row.name) for row in rows) + 12, 0.32 * width)
    right = width - min(max(LETTER * len(row.label) for row in rows) + 12, 0.3 * width)
    lanes, ends = [max(22, 10 * len(row.marks) + 8) for row in rows], [v for row in rows for m in row.marks for v in m[:3] if v]
    height = sum(lanes) + 46
    x, (low, high) = log_scale(ends + [1] * one, left + 6, right - 8)
    bottom = sum(lanes) + 4
    parts = [line(at, 0, at, bottom) + text(at, bottom + 16, label, "middle", colour="var(--quiet)") for at, label in labelled(decades(low, high), x, show)]
    parts += [line(x(1), 0, x(1), bottom, "var(--ink)", 2)] * one + [text((left + right) / 2, height - 6, x_label, "middle", colour="var(--quiet)")]
    at = 2.0
    for row, lane in zip(rows, lanes):
        parts.append(text(left - 6, at + lane / 2 + 4, clipped(row.name, int(left / LETTER)), "end") + text(right + 6, at + lane / 2 + 4, clipped(row.label, int((width - right) / LETTER))))
        for number, (value, least, most, colour) in enumerate(row.marks):
            y = at + lane / 2 + 10 * (number - (len(row.marks) - 1) / 2)
            parts += [line(x(least), y, x(most), y, colour, 4, ";opacity:.4")] * bool(least and most) + [mark(x(value), y, colour)]
        at += lane
    return height, "".join(parts)


def picture(key: str, title: str, caption: str, panels: list, numbers: str = "", widths: tuple = (1080, 720, 356), place: str = "") -> SimpleNamespace:
    """Charts under one title, each a title and what gives its height and its marks for a width; `numbers`: the table behind them. `widths`: of a screen, of a tablet and of a phone. `place`: of what other runs measured."""
    return SimpleNamespace(key=key, title=title, caption=caption, panels=panels, numbers=numbers, widths=widths, place=place)


def inline(one: SimpleNamespace) -> str:
    """Its panels for a page, in a width for each kind of screen."""
    found = []
    for title, draw in one.panels:
        found.append(f"<h3>{escape(title)}</h3>" * bool(title))
        for width, kind in zip(one.widths, ("wide", "middle", "narrow")):
            height, marks = draw(width)
            found.append(f'<svg class="{kind}" viewBox="0 0 {width} {height:g}" width="{width}" height="{height:g}" role="img" aria-label="{escape(title or one.title)}">{marks}</svg>')
    return "".join(found)


def standalone(one: SimpleNamespace, place: str) -> str:
    """The same as a file: with its title, what it shows and where it was measured."""
    width, y, parts = one.widths[0], 30, []
    for words in textwrap.wrap(one.title, int(width / 11)):
        parts, y = [*parts, text(0, y, words, size=20, weight=700)], y + 26
    for words in textwrap.wrap(one.caption, int(width / 6.3)):
        parts, y = [*parts, text(0, y, words, size=12.5, colour="var(--quiet)")], y + 18
    for title, draw in one.panels:
        if title:
            parts, y = [*parts, text(0, y + 18, title, size=13, weight=700)], y + 28
        height, marks = draw(width)
        parts.append(f'<g transform="translate(0,{y:g})">{marks}</g>')
        y += height + 12
    for words in textwrap.wrap(place + one.place, int(width / 6.3)):
        parts, y = [*parts, text(0, y + 14, words, colour="var(--quiet)")], y + 18
    whole = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-24 0 {width + 48} {y + 20:g}" width="{width + 48}" height="{y + 20:g}" font-family="Helvetica,Arial,sans-serif" font-size="12">'
             f"<title>{escape(one.title)}</title>"
             f'<rect x="-24" width="{width + 48}" height="{y + 20:g}" fill="var(--paper)"/>{"".join(parts)}</svg>')
    return re.sub(r"var\(--(\w+)\)", lambda match: LIGHT.get(match[1], match[0]), whole)


