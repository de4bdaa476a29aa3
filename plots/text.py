"""Numbers, durations and lists as a reader sees them."""
from __future__ import annotations

import html
import re


def per_second(rate: float | None) -> str:
    return "unknown" if rate is None else f"{plain(rate)}/s"


def duration(nanoseconds: float | None) -> str:
    """Three significant digits and a unit."""
    if nanoseconds is None:
        return "unknown"
    scale, unit = unit_of(nanoseconds)
    return f"{three_digits(nanoseconds / scale)}\u00a0{unit}".replace("-", "−")


def unit_of(nanoseconds: float) -> tuple[float, str]:
    return next(((s, u) for s, u in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")) if abs(nanoseconds) >= s * 0.9995), (1, "ns"))


def tick(nanoseconds: float) -> str:
    """Such as 50 µs, at an axis."""
    scale, unit = unit_of(nanoseconds)
    return f"{nanoseconds / scale:.3g}\u00a0{unit}"


def multiple(ratio: float) -> str:
    """Two digits, near 1 three: 0.078, 0.34, 1.04, 1.6, 19."""
    return f"{ratio:.2g}" if ratio < 0.0995 else f"{ratio:.{2 if ratio < 1.195 else 1 if ratio < 9.95 else 0}f}"


def ends(low: float, high: float) -> str:
    """An interval of a ratio: 1.4–1.8."""
    return "–".join(dict.fromkeys(map(multiple, (low, high))))


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


def counted(count: int, noun: str) -> str:
    return f"{plain(count)} {noun}{'' if count == 1 else 's'}"


def numbers(rows, *names: str) -> list[float]:
    """What rows of a file say under names, where it is a number."""
    return [row[name] for row in (rows if isinstance(rows, list) else []) if isinstance(row, dict) for name in names
            if isinstance(row.get(name), (int, float)) and not isinstance(row[name], bool)]


def extent(values: list[float]) -> str:
    low, high = duration(min(values)), duration(max(values))
    return low if low == high else f"{low} to {high}"


def listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def clipped(name: str, most: int) -> str:
    """A name that is too long for its place, with an ellipsis in its middle, as its end may be what it alone has."""
    start = 2 * most // 3
    return name if len(name) <= most else f"{name[:start]}…{name[start + 1 - most:]}"


def short(name: str, most: int = 44) -> str:
    """The same; what has a blank is no name, and breaks there."""
    return name if " " in name else clipped(name, most)


def titled(name: str, most: int = 44) -> str:
    """The same in HTML, where the whole name is its title."""
    return escape(name) if (shown := short(name, most)) == name else f'<span title="{escape(name)}">{escape(shown)}</span>'


def binary(size: float) -> str:
    scale, unit = next(((s, u) for s, u in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")) if size >= s * 0.9995), (1, "B"))
    return f"{three_digits(size / scale) if scale > 1 else plain(size)}\u00a0{unit}"


def escape(text) -> str:
    return html.escape(str(text))


def sentence(text) -> str:
    """The same for a sentence of numbers: none of them breaks at a blank."""
    return escape(re.sub(r"(?<=\d) (?=(\d{3}|%|[nµm]?s)(?!\w))", "\u00a0", str(text)))
