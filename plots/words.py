"""What rows say, in sentences."""
from __future__ import annotations

from itertools import combinations, groupby

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


def crossings(run: Run, stem: str) -> list[str]:
    """The pairs that change places, and at which fan-outs the run tells who of them is cheaper."""
    series, _, machine = stem.partition(" @ ")
    turns = [c for c in run.crossovers if c.series == series and (not machine or c.machine == machine)]
    scenarios = run.families().get(stem, [])
    names = list(dict.fromkeys(c.contender for s in scenarios for c in run.measured(s)))
    found = []
    for pair in combinations(names, 2):
        cheaper = {}
        for scenario in scenarios:
            ends = [ratio_ends(run, name, scenario) for name in pair]
            for one, other, name in ((*ends, pair[0]), (*reversed(ends), pair[1])):
                if one and other and one[1] < other[0]:
                    cheaper[run.fan_out[scenario]] = name
        for turn in turns:
            if {turn.cheaper_below, turn.cheaper_above} == set(pair):
                cheaper |= {turn.proved_below: turn.cheaper_below, turn.proved_above: turn.cheaper_above}
        spells = [(name, [at for at, _ in spell]) for name, spell in groupby(sorted(cheaper.items()), key=lambda item: item[1])]
        if len(spells) > 1:
            parts = [f"{name}{' is cheaper' if i == 0 else ' again' if i > 1 else ''} at {plain(at[0])}{f' to {plain(at[-1])}' if len(at) > 1 else ''}"
                     for i, (name, at) in enumerate(spells)]
            found.append(f"{', '.join(parts)}{' (this pair turns back)' if len(spells) > 2 else ''}")
    return found


def ratio_ends(run: Run, contender: str, scenario: str) -> tuple | None:
    """The interval of a ratio to the reference, which is 1 for itself."""
    cell = run.cells.get((contender, scenario))
    if not cell or not cell.measured:
        return None
    if contender == run.references.get(scenario):
        return 1, 1
    return None if cell.ratio_ci_low is None or cell.ratio_ci_high is None else (cell.ratio_ci_low, cell.ratio_ci_high)
