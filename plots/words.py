"""What rows say, in sentences."""
from __future__ import annotations

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
