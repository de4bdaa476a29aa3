"""What a run says, in sentences."""
from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations, groupby

from .model import Run, overhead, tie, told_after
from .text import duration, extent, listed, percent, plain, span


def adds(cell, reference) -> str:
    if tie(cell, reference):
        return f"{cell.contender} is not distinguishable from it"
    nanoseconds = overhead(cell, reference)[0]
    return f"{cell.contender} {'adds' if nanoseconds >= 0 else 'saves'} {duration(abs(nanoseconds))}"


def answer(run: Run) -> list[tuple[str, list[str]]]:
    """What the rows say: (heading, sentences). Names that the run's pairs do not separate are said to tie."""
    said = defaultdict(list)
    for stem, scenarios in run.families().items():
        if len(scenarios) > 1:
            decided = [s for s in scenarios if s not in run.undecided]
            said[f"{stem}: what {run.one} costs"] = [
                *leaders(run, scenarios), *(at_the_widest(run, decided[-1]) if decided else []), *crossings(run, stem, scenarios)]
        else:
            said["Scenario by scenario"] += [f"{scenarios[0]}: {sentence}" for sentence in ends(run, scenarios[0])]
    for scenario in run.waits:
        cells = sorted((c for c in run.measured(scenario) if c.efficiency), key=lambda c: -c.efficiency)
        if len(cells) > 1:
            best, worst = cells[0], cells[-1]
            said["Waiting: how close to the least that the service permits"].append(f"{scenario}: " + (
                decides_nothing(run, scenario) or
                (f"none is distinguishable; {percent(worst.efficiency)} to {percent(best.efficiency)} of the ideal." if tie(best, worst) else
                 f"{best.contender} comes closest, with {percent(best.efficiency)} of the ideal; {worst.contender} stays "
                 f"farthest, with {percent(worst.efficiency)}.")))
    for scenario in run.endings:
        cells = sorted(run.measured(scenario), key=lambda c: told_after(run, c)[0])
        if len(cells) > 1:
            told = [told_after(run, c)[0] for c in cells]
            since = "" if all(c.failure_to_completion_ns is not None for c in cells) else ", counted from the start of the post"
            said["Failure and cancellation"].append(f"{scenario}: " + (
                decides_nothing(run, scenario) or
                (f"none is distinguishable; they tell their caller after {extent(told)}{since}." if tie(cells[0], cells[-1]) else
                 f"{cells[0].contender} tells its caller first, after {duration(told[0])}; "
                 f"{cells[-1].contender} last, after {duration(told[-1])}{since}.")))
    colds = [(time / run.cells[key].median_ns, *key) for key, time in run.first_calls.items()
             if key in run.cells and run.cells[key].measured and key[1] in run.works]
    if colds:
        factor, contender, scenario = max(colds)
        said["Besides"].append(
            f"A first call costs more than a settled one: at most {plain(factor)} times as much ({contender} on {scenario}).")
    failed = len(run.unmeasured())
    if failed:
        said["Besides"].append(f"{failed} of {len(run.contenders) * len(run.scenarios)} cells have no number; "
                               "they are listed below with their reasons and ranked nowhere.")
    return [(heading, sentences) for heading, sentences in said.items() if sentences]


def decides_nothing(run: Run, scenario: str) -> str:
    """The sentence for a scenario that ranks nobody, or nothing."""
    return f"the run decides nothing here ({run.undecided[scenario]})." if scenario in run.undecided else ""


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


def at_the_widest(run: Run, scenario: str) -> list[str]:
    reference, others = run.cells.get((run.references.get(scenario), scenario)), others_by_cost(run, scenario)
    if not (reference and reference.measured and others):
        return []
    if len(others) > 1 and all(tie(cell, reference) for cell in others):
        return [f"At fan-out {plain(reference.fan_out)} {run.one} costs {duration(reference.each)} with {reference.contender}, from "
                "which none is distinguishable."]
    extremes = dict.fromkeys((others[0].contender, others[-1].contender))
    return [f"At fan-out {plain(reference.fan_out)} {run.one} costs {duration(reference.each)} with {reference.contender}; "
            + ", ".join(adds(run.cells[contender, scenario], reference) for contender in extremes) + "."]


def ends(run: Run, scenario: str) -> list[str]:
    """One sentence on a scenario without a sequence of fan-outs: the reference, the cheapest and the most expensive."""
    reference, others = run.cells.get((run.references.get(scenario), scenario)), others_by_cost(run, scenario)
    if not others or len(others) < 2 and not (reference and reference.measured):
        return []
    if scenario in run.undecided:
        return [decides_nothing(run, scenario)]
    tied = [c for c in others if c is others[0] or tie(c, others[0])]
    everyone = [*others, *([reference] if reference and reference.measured else [])]
    if all(tie(a, b) for a, b in combinations(everyone, 2)):
        return [f"none is distinguishable; {extent([c.each for c in everyone])} {everyone[0].per}."]
    first = f"{listed([c.contender for c in tied])} {'tie for the cheapest' if len(tied) > 1 else 'is cheapest'}"
    if not (reference and reference.measured):
        return [f"{first}, with {extent([c.each for c in tied])} {tied[0].per}; {others[-1].contender} takes {duration(others[-1].each)}."]
    extremes = dict.fromkeys((others[0].contender, others[-1].contender))
    role = "" if reference.contender == "reference" else ", the reference,"
    return [f"{first}{f' but for {reference.contender}' if reference.median_ns < others[0].median_ns else ''}. With "
            f"{reference.contender}{role} {duration(reference.each)} {reference.per}; "
            + ", ".join(adds(run.cells[contender, scenario], reference) for contender in extremes) + "."]


MOST_CROSSINGS = 8


def crossings(run: Run, stem: str, scenarios: list[str]) -> list[str]:
    """Where two contenders change places: from crossovers.csv, which has intervals, or else between which fan-outs."""
    machine = stem.partition(" @ ")[2]
    rows = sorted((c for c in run.crossovers if c.series == stem.partition(" @ ")[0] and (not machine or c.machine == machine)),
                  key=lambda c: c.fan_out or math.inf)
    found = [f"{c.cheaper_above} becomes cheaper than {c.cheaper_below} at fan-out {plain(c.fan_out)} (95 % interval "
             f"{span(c.fan_out_ci_low, c.fan_out_ci_high, plain)})" for c in rows if c.fan_out]
    if not run.growth:
        found = changes_of_order(run, scenarios)
    more = f"; and {len(found) - MOST_CROSSINGS} more" if len(found) > MOST_CROSSINGS else ""
    if found:
        return [f"Places change: {'; '.join(found[:MOST_CROSSINGS])}{more}."]
    return ["No two contenders are proved to change places."] if run.growth and len(run.measured(scenarios[-1])) > 1 else []


def changes_of_order(run: Run, scenarios: list[str]) -> list[str]:
    """Pairs whose median intervals stand apart in one order at one fan-out and in the other at a later one."""
    found = []
    for a, b in combinations(run.contenders, 2):
        order = []
        for scenario in scenarios:
            x, y = run.cells.get((a, scenario)), run.cells.get((b, scenario))
            if not (x and y and x.measured and y.measured):
                continue
            if None not in (x.median_ci_high_ns, y.median_ci_low_ns) and x.median_ci_high_ns < y.median_ci_low_ns:
                order.append((a, b, x.fan_out))
            elif None not in (y.median_ci_high_ns, x.median_ci_low_ns) and y.median_ci_high_ns < x.median_ci_low_ns:
                order.append((b, a, x.fan_out))
        for (first, second, before), (winner, _, after) in zip(order, order[1:]):
            if winner != first:
                found.append(f"{winner} becomes cheaper than {first} between {plain(before)} and {plain(after)}")
    return found
