"""What rows say, in sentences."""
from __future__ import annotations

import math
from itertools import groupby

from .model import Run, tie
from .text import listed, plain


def others_by_cost(run: Run, scenario: str) -> list:
    """The measured cells of a scenario but for its reference, the cheapest first."""
    return sorted((c for c in run.measured(scenario) if c.contender != run.references.get(scenario)), key=lambda c: c.median_ns)


def leaders(run: Run, scenarios: list[str]) -> list[str]:
    """Who is cheapest at which fan-out, the reference aside."""
    firsts = []
    for scenario in scenarios:
        others = others_by_cost(run, scenario)
        if scenario in run.undecided:
            firsts.append(("the run decides nothing", 0, run.fan_out[scenario]))
        elif others:
            tied = [c.contender for c in others if c is others[0] or tie(c, others[0])]
            firsts.append(("all" if len(tied) == len(others) > 2 else listed(tied), len(tied), run.fan_out[scenario]))
    parts = []
    for (tied, count), run_of in groupby(firsts, key=lambda first: first[:2]):
        counts = [count for *_, count in run_of]
        where = f"{plain(counts[0])} to {plain(counts[-1])}" if len(counts) > 1 else plain(counts[0])
        does = "tie " if count > 1 else "leads " if count else ""
        parts.append(f"{tied} {does}at fan-out {where}")
    if not parts or len({c.contender for s in scenarios for c in run.measured(s)}) < 3:
        return []
    beside = f", {run.reference} (the reference) aside" if run.reference else ""
    return [f"Cheapest{beside}: {'; '.join(parts)}."]


MOST_CROSSINGS = 4


def whole(fan_out: float, end) -> str:
    return plain(max(1, end(fan_out)))


def crossings(run: Run, stem: str) -> list[str]:
    """Where two contenders change places, with intervals: from crossovers.csv."""
    machine = stem.partition(" @ ")[2]
    rows = sorted((c for c in run.crossovers if c.series == stem.partition(" @ ")[0] and (not machine or c.machine == machine)),
                  key=lambda c: c.fan_out or math.inf)
    found = [f"{c.cheaper_above} becomes cheaper than {c.cheaper_below} between fan-out "
             f"{whole(c.fan_out_ci_low or c.fan_out, math.floor)} and {whole(c.fan_out_ci_high or c.fan_out, math.ceil)}" for c in rows if c.fan_out]
    more = f"; and {len(found) - MOST_CROSSINGS} more" if len(found) > MOST_CROSSINGS else ""
    return [f"Places change: {'; '.join(found[:MOST_CROSSINGS])}{more}."] if found else []
