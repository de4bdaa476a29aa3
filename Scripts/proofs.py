"""What the scripts that prove something share: shares with their intervals, tables, and the place in the documentation that
they are written to."""
import math
import os
import sys

# Verdicts of a run that say something.
DECIDED = ("faster", "slower", "equivalent")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def tail(successes, trials, probability):
    """P(at most `successes` of `trials`), in logarithms: of thousands, coefficients are no floating-point numbers."""
    if probability in (0, 1):
        return float(probability == 0 or successes >= trials)
    def term(k):
        ways = math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
        return math.exp(ways + k * math.log(probability) + (trials - k) * math.log1p(-probability))
    return min(1.0, math.fsum(term(k) for k in range(successes + 1)))


def bounds(successes, trials):
    """Clopper and Pearson's interval at 95 %."""
    def solve(is_above):
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if is_above(middle) else (low, middle)
        return low
    lower = 0.0 if successes == 0 else solve(lambda p: 1 - tail(successes - 1, trials, p) < 0.025)
    upper = 1.0 if successes == trials else solve(lambda p: tail(successes, trials, p) > 0.025)
    return lower, upper


def share(part, whole):
    """Such as `3 of 100 (0.6–8.5 %)`; nothing of nothing."""
    if whole == 0:
        return ""
    low, high = bounds(part, whole)
    return f"{part} of {whole} ({100 * low:.1f}–{100 * high:.1f} %)"


def per_cent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else ""


def table(head, rows, left=1):
    """Markdown; the first columns are text."""
    rule = [":---" if column < left else "---:" for column in range(len(head))]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [head, rule, *rows])


def write(text, page, name):
    """Puts a text into a page of the documentation, between the marks of that name."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    path = os.path.join(ROOT, "Documentation", page)
    if not os.path.exists(path):
        sys.exit(f"{path} is missing.")
    with open(path, encoding="utf-8") as file:
        document = file.read()
    if begin not in document or end not in document:
        sys.exit(f"{path} has no place for the tables ({begin}).")
    head, rest = document.split(begin, 1)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{head}{begin}\n{text}\n{end}{rest.split(end, 1)[1]}")


def check_build(bench):
    if not os.access(bench, os.X_OK):
        sys.exit(f"{bench} is missing: build it with `swift build -c release --product bench`.")
