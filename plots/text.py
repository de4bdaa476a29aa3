"""Numbers, durations and lists as a reader sees them."""
from __future__ import annotations

import html
import re
from typing import NamedTuple


class Rows(NamedTuple):
    """A small table among sentences: the first cell of a row is its header, and a cell may be a tuple of text and small notes below it."""
    caption: str
    head: list
    rows: list
    text: tuple = ()  # columns of words, which may break


def per_second(rate: float | None) -> str:
    return "unknown" if rate is None else f"{plain(rate)}/s"


def duration(nanoseconds: float | None, sign: bool = False) -> str:
    """Three significant digits and a unit."""
    if nanoseconds is None:
        return "unknown"
    scale, unit = next(
        ((s, u) for s, u in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")) if abs(nanoseconds) >= s * 0.9995), (1, "ns"))
    digits = three_digits(nanoseconds / scale).replace("-", "−")
    return f"{'+' if sign and nanoseconds > 0 else ''}{digits}\u00a0{unit}"


def three_digits(number: float) -> str:
    return f"{number:.{2 if abs(number) < 9.995 else 1 if abs(number) < 99.95 else 0}f}"


def plain(number: float | None) -> str:
    """Three significant digits, thousands apart; empty for unknown."""
    if number is None:
        return ""
    return f"{number:,.0f}".replace(",", "\u202f") if number >= 999.5 else f"{number:.3g}"


def times(ratio: float | None) -> str:
    return "" if ratio is None else f"{three_digits(ratio)} ×"


def percent(share: float) -> str:
    return f"{100 * share:.1f}\u00a0%"


def span(low: float | None, high: float | None, show=duration) -> str:
    return f"{show(low)} to {show(high)}" if low is not None and high is not None else "unknown"


SIGNS = "= proved within the margin of the reference; ? not decided. Both are of all comparisons of the run together, which is stricter than one interval."


def sign(cell) -> str:
    """What `SIGNS` says of a ratio to the reference."""
    return "" if cell.reference in (None, cell.contender) else " =" if is_near(cell) else " ?" if cell.verdict in (None, "unresolved") else ""


def is_near(cell) -> bool:
    """Whether the run proves it within the margin of the reference, be there a small difference or none."""
    return cell.verdict == "equivalent" or cell.within_margin == "true"


def one(noun: str) -> str:
    return f"a{'n' * (noun[0] in 'aeio' or noun == 'upload')} {noun}"


def counted(count: int, noun: str) -> str:
    return f"{plain(count)} {noun}{'' if count == 1 else 's'}"


def numbers(rows, *names: str) -> list[float]:
    """What rows of a file say under names, where it is a number."""
    return [row[name] for row in (rows if isinstance(rows, list) else []) if isinstance(row, dict) for name in names
            if isinstance(row.get(name), (int, float)) and not isinstance(row[name], bool)]


def extent(values: list[float]) -> str:
    low, high = duration(min(values)), duration(max(values))
    return low if low == high else f"{low} to {high}"


def between(values: list[float], told=three_digits) -> str:
    return " to ".join(dict.fromkeys(map(told, (min(values), max(values)))))


def listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def shortly(names: list[str]) -> str:
    """The first of many."""
    return listed(names if len(names) < 11 else [*names[:9], f"{len(names) - 9} more"])


def short(name: str, most: int = 44) -> str:
    """A name that is too long for its place, with an ellipsis in its middle; what has a blank is no name, and breaks there."""
    start = 2 * most // 3
    return name if len(name) <= most or " " in name else f"{name[:start]}…{name[start + 1 - most:]}"


def titled(name: str, most: int = 44) -> str:
    """The same in HTML, where the whole name is its title."""
    return escape(name) if (shown := short(name, most)) == name else f'<span title="{escape(name)}">{escape(shown)}</span>'


def binary(size: float) -> str:
    scale, unit = next(((s, u) for s, u in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")) if size >= s * 0.9995), (1, "B"))
    return f"{three_digits(size / scale) if scale > 1 else plain(size)}\u00a0{unit}"


def unbroken(text: str) -> str:
    """With numbers and their units on one line."""
    return re.sub(r"(?<=\d) (?=%|[nµm]?s\b|\d{3}\b)", "\u00a0", text)


def escape(text) -> str:
    return html.escape(str(text))
