"""How far runs that were measured alike agree: their ratios, what their intervals cover, and their verdicts."""
import itertools
import math
import statistics

from proofs import DECIDED, per_cent, table

MARGIN = 1.05


def quantile(values, fraction):
    """Between order statistics, as Results' quantiles are."""
    ordered, place = sorted(values), fraction * (len(values) - 1)
    low = int(place)
    return ordered[low] + (place - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def ideal_coverage(others):
    """How often ideal intervals of 95 % cover the mean of so many other estimates, which moves, too."""
    return math.erf(1.959964 / math.sqrt(1 + 1 / others) / math.sqrt(2))


def differences(estimates, runs):
    """Of each pair of runs, by how much the ratios differ: the median cell and the 95th percentile."""
    medians, highs = [], []
    for one, other in itertools.combinations(range(runs), 2):
        apart = [abs(math.log(cell[one][0] / cell[other][0])) for cell in estimates if one in cell and other in cell]
        if apart:
            medians.append(math.expm1(quantile(apart, 0.5)))
            highs.append(math.expm1(quantile(apart, 0.95)))
    return medians, highs


def reach(estimate, value):
    """How many times as wide an interval would have to be to cover a value; above 1 if it does not."""
    middle, low, high = map(math.log, estimate)
    distance = math.log(value) - middle
    width = high - middle if distance > 0 else middle - low
    return 0.0 if distance == 0 else math.inf if width <= 0 else abs(distance) / width


def reaches(cell):
    """Of a cell's intervals: to each other estimate, and to the mean of all the others."""
    singles, means = [], []
    for run, estimate in cell.items():
        others = [math.log(other[0]) for name, other in cell.items() if name != run]
        if estimate[1] is not None and others:
            singles += [reach(estimate, math.exp(other)) for other in others]
            means.append(reach(estimate, math.exp(statistics.fmean(others))))
    return singles, means


def contradictions(verdicts, estimates):
    """Cells called faster and slower; cells called different and equivalent; and of these, those whose difference was proved
    to be beyond the margin."""
    opposite, unlike, beyond = 0, 0, 0
    for cell, said in verdicts.items():
        words = set(said.values())
        opposite += {"faster", "slower"} <= words
        if "equivalent" in words and words & {"faster", "slower"}:
            unlike += 1
            ends = [estimates.get(cell, {}).get(run) for run, word in said.items() if word in ("faster", "slower")]
            beyond += any(end and end[1] is not None and (end[1] > MARGIN or end[2] < 1 / MARGIN) for end in ends)
    return opposite, unlike, beyond


def by_cell(values):
    """From a dictionary of cells in each run to one of runs for each cell."""
    cells = {}
    for number, run in enumerate(values):
        for cell, value in run.items():
            cells.setdefault(cell, {})[number] = value
    return cells


def column(rule, runs):
    """What stands under a rule: a text for each row."""
    verdicts = by_cell([run.verdicts[rule] for run in runs])
    estimates = by_cell([run.ratios.get(rule, {}) for run in runs])
    decided = [statistics.fmean(word in DECIDED for word in run.verdicts[rule].values()) for run in runs]
    opposite, unlike, beyond = contradictions(verdicts, estimates)
    texts = {
        "comparisons of a run": f"{min(len(r.verdicts[rule]) for r in runs)}–{max(len(r.verdicts[rule]) for r in runs)}",
        "decided comparisons: mean of the runs, worst": f"{100 * statistics.fmean(decided):.1f} %, {100 * min(decided):.1f} %",
        "cells with the verdicts faster and slower": opposite,
        "cells with the verdicts different and equivalent; different by more than the margin": f"{unlike}; {beyond}",
    }
    if estimates:
        medians, highs = differences(estimates.values(), len(runs))
        singles, means = map(lambda lists: list(itertools.chain(*lists)), zip(*map(reaches, estimates.values())))
        texts |= {
            "difference between two runs, median cell: median pair, worst":
                f"{100 * quantile(medians, 0.5):.2f} %, {100 * max(medians):.2f} %",
            "difference between two runs, 95th percentile of the cells: median pair, worst":
                f"{100 * quantile(highs, 0.5):.1f} %, {100 * max(highs):.1f} %",
            f"intervals that cover another run's ratio (ideal: {100 * ideal_coverage(1):.0f} %)":
                per_cent(sum(value <= 1 for value in singles), len(singles)),
            f"intervals that cover the mean of the other runs (ideal: {100 * ideal_coverage(len(runs) - 1):.0f} %)":
                per_cent(sum(value <= 1 for value in means), len(means)),
            "factor that would widen intervals until they do":
                f"{quantile(means, ideal_coverage(len(runs) - 1)):.2f}" if means else "",
        }
    return texts


def worst(rule, runs, count=6):
    """The cells whose ratios differ most from run to run."""
    rows = []
    for (scenario, contender), cell in by_cell([run.ratios[rule] for run in runs]).items():
        if len(cell) > 1:
            spread = statistics.stdev(math.log(estimate[0]) for estimate in cell.values())
            means = reaches(cell)[1]
            ratios = [estimate[0] for estimate in cell.values()]
            rows.append((spread, [
                rule, scenario, contender, f"{min(ratios):.2f}–{max(ratios):.2f}", f"{100 * spread:.1f} %",
                per_cent(sum(value <= 1 for value in means), len(means))]))
    return [row for _, row in sorted(rows, key=lambda pair: -pair[0])[:count]]


def text(name, runs):
    columns = {rule: column(rule, runs) for rule in runs[0].rules}
    labels = dict.fromkeys(label for texts in columns.values() for label in texts)
    rows = [[label] + [texts.get(label, "") for texts in columns.values()] for label in labels]
    rules = [rule for rule in columns if runs[0].ratios.get(rule)]
    if len(rules) > 1:
        both = [all(run.verdicts[rule][cell] in DECIDED for rule in rules) for run in runs for cell in run.verdicts[rules[0]]]
        rows.append(["decided in wall time and in processor time", per_cent(sum(both), len(both)), "", ""])
    return "\n\n".join([
        f"Of {len(runs)} runs `{name}`, each against each:", table(["", *columns], rows),
        "The cells that repeat worst, and how many of their intervals cover the mean of the other runs:",
        table(["judged by", "scenario", "contender", "ratios", "standard deviation", "covered"],
              [row for rule in rules for row in worst(rule, runs)], left=3)])
