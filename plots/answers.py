"""What a reader asks first, answered from the run's own numbers; what it cannot answer is left out."""
from __future__ import annotations

from types import SimpleNamespace

from .figures import cost_rows, ending_times, means, mixed, positive, reasons, shape, turns, typical
from .model import Run, grouped, idioms
from .text import counted, duration, extent, is_near, listed, percent, plain, sign, three_digits

ASKED_FIRST = "async/await"  # the idiom, as the run calls it, that is told beside the reference
LEAD = 1.05  # means no further apart share the lead
SMALL = 1.1  # times no further apart are told as one bound
MUCH = 1.25  # so much processor time is worth a word of its own
WHERE = {"nothing_waits": "where nothing waits", "limited": "with few at once", "uploads_wait": "where uploads wait",
         "blocking": "where calls block", "failing": "where a job fails"}
HEADLINED = ("nothing_waits", "limited", "uploads_wait")
KINDS = {"nothing_waits": "tiny tasks", "uploads_wait": "network uploads", "blocking": "blocking calls"}


def groups(run: Run) -> list:
    """The classes of work, or the scenarios of one whose mean hides them; of each the means in time and processor time by contender, the
    largest ratio in time, and whether any of them is not decided."""
    found = []
    for c in run.answer.get("classes", []):
        key, names = c.get("class"), c.get("scenario_names") or []
        rows = {row["contender"]: row[key] for row in run.answer.get("contenders", []) if row.get("contender") in run.contenders and isinstance(row.get(key), dict)}
        if mixed(run, names):
            found += [alone(run, key, s) for s in names]
        else:
            values = {name: [(positive(m), bool(m.get("undecided"))) for m in means(row)] for name, row in rows.items()}
            most = {name: m.get("most_ratio") for name, row in rows.items() for m in means(row)[:1] if isinstance(m.get("most_ratio"), (int, float))}
            found.append(SimpleNamespace(key=key, where=WHERE.get(key, f"in {c.get('title') or key}"), values=values, most=most))
    if not found and len(run.scenarios) == 1:
        found = [alone(run, None, run.scenarios[0])]
    return [g for g in found if sum(time is not None for (time, _), _ in g.values.values()) > 1]


def alone(run: Run, key: str | None, scenario: str) -> SimpleNamespace:
    """A scenario by itself."""
    values = {}
    for c in run.measured(scenario):
        own = c.contender == run.references.get(scenario)
        known = lambda ratio, verdict: (1.0 if own else None if verdict in (None, "unresolved") else ratio, False)
        values[c.contender] = [known(c.ratio, c.verdict), known(c.cpu_ratio, c.cpu_verdict)]
    return SimpleNamespace(key=key, where=f"in {scenario}", values=values, most={name: time[0] for name, (time, _) in values.items() if time[0]})


def of(group, what: int) -> dict[str, float]:
    """The means of a group that are known, the least first: in time (0) or processor time (1)."""
    return dict(sorted(((name, value[what][0]) for name, value in group.values.items() if value[what][0]), key=lambda mean: mean[1]))


def leaders(group, what: int) -> list[str]:
    known = of(group, what)
    return [name for name, ratio in known.items() if ratio <= LEAD * min(known.values())]


def asked(run: Run, found: list) -> str | None:
    """Who is told beside the reference: the idiom that is asked for first, else who takes most in the first class."""
    named = [name for name, idiom in idioms(run).items() if idiom.get("name") == ASKED_FIRST]
    others = [name for name in (of(found[0], 0) if found else {}) if name != run.reference]
    return next((name for name in [*named, *others[::-1]] if name in others), None)


def called(run: Run, name: str) -> str:
    idiom = idioms(run).get(name, {}).get("name")
    return f"{idiom} ({name})" if idiom == ASKED_FIRST else name


def headline(run: Run) -> str | None:
    found = groups(run)
    found = [g for g in found if g.key in HEADLINED] or found[:3]
    who = asked(run, found)
    if not who:
        return None
    first = [name for name in of(found[0], 0) if all(name in leaders(g, 0) for g in found)]
    if run.reference in first or not first:
        first = [run.reference] if first else []
    subject = (f"{listed(first)} {'is' if len(first) == 1 else 'are'} fastest" if first and len(first) < len(found[0].values) else
               "Nobody is fastest everywhere" if not first else "Nobody is faster than the others")
    whose = "its time" if first == [run.reference] else f"the time of {run.reference}"
    parts = []
    for g in found:
        (ratio, _), (cpu, _) = g.values.get(who, [(None, False)] * 2)
        if ratio is None:
            continue
        told = f"{three_digits(ratio)} times" + f" {whose}" * (not parts)
        if is_bounded(g, who):
            told = bound(g.most.get(who, ratio)) + f" than {run.reference}" * (not parts)
        parts.append(f"{told} {g.where}" + (f", but {three_digits(cpu)} times the processor time there" if is_bounded(g, who) and (cpu or 0) >= MUCH else ""))
    return f"{subject}. {called(run, who)} takes {listed(parts)}."


def is_bounded(group, name: str | None = None) -> bool:
    """Whether nobody, or not the named, takes so much longer in any scenario that ratios say more than one bound."""
    most = [ratio for other, ratio in group.most.items() if name in (None, other)]
    known = [ratio for other, ratio in of(group, 0).items() if name in (None, other)]
    return bool(most and known) and max(most) <= SMALL and min(known) >= 1 / SMALL


def bound(ratio: float) -> str:
    share = -int(-round((ratio - 1) * 100, 6) // 1)
    return f"at most {share}\u00a0% longer" if share > 0 else "no longer"


def cheapest(run: Run) -> list[str]:
    found = groups(run)
    if not found:
        return []
    wins = [name for g in found for name in leaders(g, 0)]
    first = max(dict.fromkeys([run.reference, *wins]), key=wins.count)
    alone_, shared = ([g for g in found if first in leaders(g, 0) and (len(leaders(g, 0)) > 1) == several] for several in (False, True))
    parts = [f"takes the least time {everywhere(alone_, found)}"] * bool(alone_) + [f"shares the lead (within 5 %) {everywhere(shared, found)}"] * bool(shared)
    said = [f"{first} {listed(parts)}."]
    cpu = [(g, leaders(g, 1)) for g in found if of(g, 1)]
    if any(first in names for _, names in cpu):
        less = [f"{g.where} ({names[0]} {three_digits(of(g, 1)[names[0]])} times that of {run.reference})" for g, names in cpu if first not in names]
        said.append("It takes the least processor time, too" + (f", but not {listed(less)}" if less else "") + ".")
    g = found[0]
    others = [f"{name} {'~' * g.values[name][0][1]}{three_digits(ratio)}" for name, ratio in of(g, 0).items() if name != run.reference]
    return [*said, f"Times that of {run.reference} {g.where}: {listed(others)}."]


def everywhere(some: list, found: list) -> str:
    return listed([g.where for g in some]) if len(some) < len(found) or len(found) == 1 else "in every class of work"


def beside_reference(run: Run) -> list[str]:
    """Time and processor time of who is asked for, class by class."""
    found = groups(run)
    who = asked(run, found)
    if not who:
        return []
    told = lambda value: "undecided" if value[0] is None else f"{'~' * value[1]}{three_digits(value[0])}"
    return ["Time · processor time, in multiples of those of " + f"{run.reference}: " + "; ".join(
        f"{' · '.join(map(told, g.values[who]))} {g.where}" for g in found if who in g.values) + "."]


def alike(run: Run) -> list[str]:
    """Where contenders do not differ in time, and how many comparisons say so."""
    found, said = groups(run), []
    for g in found:
        others = {name: ratio for name, ratio in of(g, 1).items() if name != run.reference}
        if is_bounded(g) and len(of(g, 0)) > 1:
            more = f", though {max(others, key=others.get)} takes {three_digits(max(others.values()))} times its processor time" if others and max(others.values()) >= MUCH else ""
            said.append(f"In time {g.where}: nobody takes {bound(max(g.most.values())).replace('at most', 'more than')} than {run.reference} in any scenario{more}.")
    near = [s for s in run.scenarios if len(others := [c for c in run.measured(s) if c.verdict and c.contender != run.references.get(s)]) > 1 and all(map(is_near, others))]
    said += [f"Proved within 5 % of {run.reference} in time for all: {listed(near)}."] if near else []
    return said or (["Nowhere are all within 10 % in time."] if found else [])


def grows(run: Run) -> list[str]:
    said = []
    for stem, scenarios in run.families().items():
        ends = [[c.each for c in run.measured(s)] for s in (scenarios[0], scenarios[-1])]
        if len(scenarios) > 1 and all(ends):
            low, high = (plain(run.fan_out[s]) for s in (scenarios[0], scenarios[-1]))
            said.append(f"{stem}: {run.one} takes {extent(ends[0])} at fan-out {low}, {extent(ends[1])} at {high}.")
            said += shape(run, cost_rows([c for s in scenarios for c in run.measured(s)], {}))
            said += [f"{sentence}." for sentence in turns(run, stem)]
    return said[:4]


def ends(run: Run) -> list[str]:
    said = []
    for kind, told, stopped in ending_times(run):
        (fast, least), (slow, most) = told[0], told[-1]
        said.append(f"After a {kind} the caller knows in {duration(least)} ({fast}) to {duration(most)} ({slow})"
                    + (f"; all has stopped after {extent(stopped)}" if stopped else "") + ".")
    return said


def why(run: Run) -> list[str]:
    """Of who is asked for, else the slowest; the others' reasons stand in the section."""
    told = reasons(run, typical(run))
    who = asked(run, groups(run))
    return [sentence for name, sentence in told.items() if name == who][:1] or list(told.values())[:1]


def which(run: Run) -> list[str]:
    """Who takes least in the example of each class that people ask for."""
    said = []
    for c in run.answer.get("classes", []):
        cells = sorted((cell for cell in run.measured(c.get("example")) if cell.ratio), key=lambda cell: cell.ratio) if c.get("example") in run.fan_out else []
        kind = KINDS.get(c.get("class"))
        if not kind or len(cells) < 2 or c["example"] in run.undecided:
            continue
        times = [f"{cell.contender} {three_digits(cell.ratio)}{sign(cell)}" for cell in cells]
        cpu = sorted((cell for cell in cells if cell.cpu_ratio or cell.contender == run.reference), key=lambda cell: cell.cpu_ratio or 1)
        least = [f"{cell.contender} {three_digits(cell.cpu_ratio or 1)}{' ?' * (cell.cpu_verdict == 'unresolved')}" for cell in cpu]
        low, high = cells[0].ratio, cells[-1].ratio
        head = f"{plain(run.fan_out[c['example']])} {kind} ({c['example']}): "
        said.append(head + (f"any, for time, which differs by {percent(high / low - 1)} at most" if high <= SMALL * low else
                            f"{cells[0].contender}, {duration(cells[0].median_ns / max(cells[0].fan_out, 1))} each, then {listed(times[1:3])} times as long" if cells[0].ratio == 1 else
                            f"in time {listed(times[:3])}")
                    + (f"; least processor time: {listed(least[:3])}" if cpu else "") + ".")
    return said


def blocked(run: Run) -> list[str]:
    """Who is slow where calls block, and how many block at once, which tells why."""
    said = []
    for scenario in (s for s in run.scenarios if run.pattern.get(s) == "blocking"):
        cells = [c for c in run.measured(scenario) if c.ratio]
        own, others = [[c for c in cells if (c.contender == run.reference) == is_own] for is_own in (True, False)]
        if not own or not others:
            continue
        time, cpu = ([getattr(c, ratio) for c in others if getattr(c, ratio) and getattr(c, verdict) != "unresolved"]
                     for ratio, verdict in (("ratio", "verdict"), ("cpu_ratio", "cpu_verdict")))
        sentence = f"{scenario}: {duration(own[0].median_ns / max(own[0].fan_out, 1))} a call with {run.reference}, " + (f"{between(time)} times as long with the others" if time else "not decided with the others")
        sentence += f", {between(cpu)} times its processor time" if cpu else ""
        if call := call_ns(run, scenario):
            at_once = lambda c: f"{run.fan_out[scenario] * call / c.median_ns:.1f}"
            values = sorted({at_once(c) for c in others}, key=float)
            limit, cores = own[0].in_flight_limit, run.environment.get("core_count")
            pools = isinstance(cores, int) and float(values[-1]) <= cores < run.fan_out[scenario]
            sentence += (f". On average {at_once(own[0])} calls block at once with {run.reference}, {' to '.join(dict.fromkeys((values[0], values[-1])))} with the others"
                         + f" (limit {plain(limit)})" * bool(limit) + f", no more than the machine's {counted(cores, 'core')}, as in a pool with a thread for each core" * pools)
        if own[0].peak_threads and all(c.peak_threads for c in others):
            sentence += (f". Threads of the whole process, the service's and the harness's included: {plain(own[0].peak_threads)} with {run.reference}, "
                         f"{between([c.peak_threads for c in others], plain)} with the others")
        said.append(sentence + ".")
    return said


def between(values: list[float], told=three_digits) -> str:
    return " to ".join(dict.fromkeys(map(told, (min(values), max(values)))))


def call_ns(run: Run, scenario: str) -> float | None:
    """How long a call blocks, where all block equally long."""
    said = run.environment.get("scenarios")
    record = said.get(run.scenario_of[scenario]) if isinstance(said, dict) else None
    text = str((record.get("definition") or {}).get("latency.fixed.nanoseconds") or "") if isinstance(record, dict) and isinstance(record.get("definition"), dict) else ""
    return float(text) if text.isdigit() and int(text) else None
