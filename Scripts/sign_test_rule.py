"""The rule by which runs were judged before processor time was: sign tests of the wall times, Holm over the family, intervals
between order statistics. Kept to be told beside today's rule, on the same rounds."""
import csv
import math

FAMILY_WISE_ERROR, DIFFERENCE_SHARE = 0.05, 0.8
MARGIN = math.log(1.05)
MOST_DISTURBED_SHARE = 0.3


def tail(successes, trials):
    """P(at most `successes` heads of `trials` tosses of a fair coin)."""
    return sum(math.comb(trials, k) for k in range(min(successes, trials) + 1)) / 2**trials if successes >= 0 else 0.0


def difference(values):
    """The sign test's p-value; ties speak for neither side."""
    most = max(sum(v < 0 for v in values), sum(v > 0 for v in values))
    return min(1.0, 2 * tail(len(values) - most, len(values)))


def equivalence(values, margin=MARGIN):
    """Two one-sided sign tests against the margin's ends."""
    fewest = min(sum(v < margin for v in values), sum(v > -margin for v in values))
    return tail(len(values) - fewest, len(values))


def holm(p_values, alpha):
    """Of each p-value, the significance at which it was decided, which it is below exactly if it was rejected."""
    significances = [0.0] * len(p_values)
    significance, is_rejecting, previous = 0.0, True, None
    for step, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        if is_rejecting and p_values[index] != previous:
            significance = alpha / (len(p_values) - step)
            is_rejecting = p_values[index] <= significance
        significances[index] = significance
        previous = p_values[index]
    return significances


def median_interval(values, level):
    """The narrowest between order statistics that covers the median so often; nothing of too few values."""
    ordered, rank = sorted(values), 0
    while rank < len(ordered) // 2 and tail(rank, len(ordered)) <= (1 - level) / 2:
        rank += 1
    return (ordered[rank - 1], ordered[-rank]) if rank else None


def verdicts(family):
    """Of each list of log-ratios."""
    alpha = FAMILY_WISE_ERROR * DIFFERENCE_SHARE
    differences = holm([difference(values) for values in family], alpha)
    equivalences = holm([equivalence(values) for values in family], FAMILY_WISE_ERROR - alpha)
    said = []
    for values, different, equivalent in zip(family, differences, equivalences):
        differing = median_interval(values, 1 - different)
        # At the stricter of both levels.
        common = median_interval(values, max(1 - different, 1 - 2 * equivalent))
        if differing and differing[0] > 0:
            said.append("slower")
        elif differing and differing[1] < 0:
            said.append("faster")
        elif common and -MARGIN < common[0] and common[1] < MARGIN:
            said.append("equivalent")
        else:
            said.append("unresolved")
    return said


def judge(samples_path, reference):
    """The verdicts of a run by scenario and contender, from its samples.csv."""
    walls, spoilt, taken, disturbed = {}, set(), {}, {}
    with open(samples_path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cell, turn = (row["scenario"], row["contender"]), (int(row["generation"]), int(row["round"]))
            if row["outcome"] != "measured":
                spoilt.add(cell)
            elif not row["dropped"] and row["wall_ns"] and float(row["wall_ns"]) > 0:
                walls.setdefault(cell, {}).setdefault(turn, []).append(float(row["wall_ns"]))
            if row["dropped"] != "warm_up":
                taken.setdefault(row["scenario"], set()).add(turn)
                if row["dropped"] == "disturbed":
                    disturbed.setdefault(row["scenario"], set()).add(turn)
    calm = [s for s in taken if len(disturbed.get(s, ())) <= MOST_DISTURBED_SHARE * len(taken[s])]
    cells = [c for c in walls if c[0] in calm and c[1] not in (reference, "cp") and c not in spoilt
             and (c[0], reference) in walls and (c[0], reference) not in spoilt]
    family = []
    for scenario, contender in cells:
        references = walls[scenario, reference]
        # A reference that is sampled twice a round was not then: its first sample stands.
        family.append([math.log(wall / of) for turn, times in sorted(walls[scenario, contender].items())
                       for wall, of in zip(times, references.get(turn, []))])
    return dict(zip(cells, verdicts(family)))
