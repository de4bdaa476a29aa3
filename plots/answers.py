"""What a reader asks first, answered from the run's own numbers; what it cannot answer is left out."""
from __future__ import annotations

import functools
import math
import statistics
from types import SimpleNamespace

from .charts import ALWAYS
from .figures import (ASKED_FIRST, MOST_TOLD, alike_in, beside_the_reference, carried, changed, compared, cost_rows, costs_by_fan_out, done, evidence, growth, late_starts, means, mixed,
                      positive, ranking, shape, turns, typical)
from .model import Run, grouped, idioms, told_after
from .text import Rows, counted, duration, extent, is_near, listed, plain, shortly, sign, three_digits

LEAD = 1.05  # means no further apart share the lead
SMALL, MOST = 1.1, 1.25  # means, and times of one scenario, no further apart are told as one bound
AT_ONCE = 0.1  # of the time until the caller knows: no later is with it
MUCH = 1.25  # so much processor time is worth a word of its own
WHERE = {"nothing_waits": "where nothing waits", "limited": "with few at once", "uploads_wait": "where uploads wait",
         "blocking": "where calls block", "failing": "where a job fails"}
HEADLINED = ("nothing_waits", "limited", "uploads_wait")
SHARE_A_CLASS = ("gcd-groups", "operations")  # whose timers run on Dispatch's default class, which their calls block, too
KINDS = {"nothing_waits": "tiny tasks", "limited": "tiny tasks", "uploads_wait": "network uploads", "blocking": "blocking calls"}


@functools.lru_cache(maxsize=1)
def groups(run: Run) -> list:
    """The classes of work, or the scenarios of one whose mean hides them; of each the means in time and processor time by contender, the
    end of the highest interval in time, and whether any of them is not decided."""
    found = []
    for c in run.answer.get("classes", []):
        key, names = c.get("class"), c.get("scenario_names") or []
        rows = {row["contender"]: row[key] for row in run.answer.get("contenders", []) if row.get("contender") in run.contenders and isinstance(row.get(key), dict)}
        if mixed(run, names):
            found += [alone(run, key, s) for s in names]
        else:
            values = {name: [(positive(m), bool(m.get("undecided"))) for m in means(row)] for name, row in rows.items()}
            most = {name: furthest(run, name, names, m["most_ratio"]) for name, row in rows.items() for m in means(row)[:1] if isinstance(m.get("most_ratio"), (int, float))}
            found.append(SimpleNamespace(key=key, where=WHERE.get(key, f"in {c.get('title') or key}"), values=values, most=most, scenarios=names,
                                         example=c.get("example")))
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
    return SimpleNamespace(key=key, where=f"in {scenario}", scenarios=[scenario], example=scenario, values=values,
                           most={name: furthest(run, name, [scenario], time[0]) for name, (time, _) in values.items() if time[0]})


def furthest(run: Run, name: str, scenarios: list[str], most: float) -> float:
    """The highest end of the intervals of a contender's ratios."""
    return max([most, *(cell.ratio_ci_high or 0 for cell in compared(run, name, scenarios))])


def at_most(run: Run, group) -> str:
    """Whose interval ends highest in a group, and where."""
    cell = max((cell for name in group.most for cell in compared(run, name, group.scenarios)), key=lambda cell: cell.ratio_ci_high or 0)
    return f"{cell.contender} in {cell.scenario}"


def of(group, what: int) -> dict[str, float]:
    """The means of a group that are known, the least first: in time (0) or processor time (1)."""
    return dict(sorted(((name, value[what][0]) for name, value in group.values.items() if value[what][0]), key=lambda mean: mean[1]))


def leaders(group, what: int) -> list[str]:
    known = of(group, what)
    return [name for name, ratio in known.items() if ratio <= LEAD * min(known.values())]


def asked(run: Run, found: list) -> str | None:
    """Who is told beside the reference: the idiom that is asked for first, else who takes most in the first class."""
    named = sorted((name for name, idiom in idioms(run).items() if idiom.get("name") == ASKED_FIRST), key=lambda name: "/" in name)  # variants last
    others = [name for name in (of(found[0], 0) if found else {}) if name != run.reference]
    return next((name for name in [*named, *others[::-1]] if name in others), None)


def called(run: Run, name: str) -> str:
    idiom = idioms(run).get(name, {}).get("name")
    return f"{idiom} ({name})" if idiom == ASKED_FIRST else name


def spoken(run: Run, name: str) -> str:
    """Shorter, once it has been introduced."""
    return ASKED_FIRST if called(run, name) != name else name


def start(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def headlined(run: Run) -> list:
    """The groups that a headline is about."""
    return [g for g in groups(run) if g.key in HEADLINED] or groups(run)[:3]


def headline(run: Run) -> str | None:
    """Who takes least where, what async/await takes there, and where nobody differs."""
    found = headlined(run)
    who = asked(run, found)
    if not who:
        return None
    said, name = [], spoken(run, who)
    for first, some in grouped([g for g in found if not is_bounded(g)], lambda g: tuple(leaders(g, 0))).items():
        known = [g for g in some if of(g, 0).get(who)]
        whose = " times as long" + f" as {run.reference}" * (first != (run.reference,))
        told = [f"{three_digits(of(g, 0)[who])}" + f" {g.where}" * (len(known) < len(some)) for g in known]
        every = len(of(some[0], 0))
        lead = ("all means are within 5 %" if len(first) == every else f"{listed(list(first)) if len(first) < 4 else f'{len(first)} of {every}'} "
                f"{'takes' if len(first) == 1 else 'take'} the least time{' on average' * any(len(g.scenarios) > 1 for g in some)}{' (means within 5 %)' * (len(first) > 1)}")
        said.append(f"{start(listed([g.where for g in some]))}, {lead}" + (f": {name} takes {listed(told)}{whose}" if told and first != (who,) else ""))
    level = [g for g in found if is_bounded(g)]
    if level:
        said.append(f"{start(listed([g.where for g in level]))}, {nobody(run, max(max(g.most.values()) for g in level))}")
    return ". ".join(said) + "."


def beneath(run: Run) -> str:
    """What the headline leaves out of who is told in it: its name here, what a comparison contains, and the processor time where nobody takes longer."""
    found = headlined(run)
    who, where = asked(run, found), elsewhere(run)
    if not who:
        return ""
    is_elsewhere = who in where and run.reference not in where
    said = [f"{called(run, who)} completes {where[who]}, {run.reference} on the thread that answers: hand-overs between threads are part of what it costs."] if is_elsewhere else []
    much = [(g.where, ratio) for g in found if is_bounded(g) and (ratio := of(g, 1).get(who) or 0) >= MUCH]
    names = ["it" if is_elsewhere else called(run, who), *["it"] * len(much)]
    cpu = [f"{where} {name} takes {three_digits(ratio)} times the processor time" for name, (where, ratio) in zip(names, much)]
    return " ".join(said + [f"{start(listed(cpu))}."] * bool(cpu))


def is_bounded(group) -> bool:
    """Whether nobody takes so much longer in any scenario that ratios say more than one bound."""
    known = of(group, 0).values()
    return bool(group.most and known) and max(group.most.values()) <= MOST and max(known) <= SMALL and min(known) >= 1 / SMALL


def nobody(run: Run, ratio: float) -> str:
    share = -int(-round((ratio - 1) * 100, 6) // 1)
    return "nobody takes " + f"more than {share}\u00a0% " * (share > 0) + f"longer than {run.reference}"


def faster(run: Run) -> list[str]:
    """Where somebody is proved faster than the reference, of which a mean of several scenarios says nothing."""
    found = [f"{cell.contender} in {s} ({three_digits(cell.ratio)})" for s in run.scenarios for cell in run.measured(s) if cell.verdict == "faster" and cell.contender != run.references.get(s)]
    return [f"Proved to take less than {run.reference} in a scenario: {shortly(found)}."] if found else []


def beside_reference(run: Run) -> list:
    """What each takes more than the reference in the examples, but where calls block, of which an answer of its own tells."""
    found = [(scenario, f"{what}, {'whole' if g.key == 'failing' else 'each'}") for g, scenario, what in examples(run) if g.key != "blocking"]
    names = [name for name in ranking(run) if name != run.reference and any(compared(run, name, [scenario]) for scenario, _ in found)]
    if not names:
        return []
    accounts = {(a.contender, a.scenario): a for a in beside_the_reference(run)}
    rows = [[called(run, name), *(extra(run, name, scenario, accounts) for scenario, _ in found)] for name in names]
    where, who = elsewhere(run), asked(run, groups(run))
    inline = sum(name not in where for name in idioms(run)) - 1
    return [Rows(f"Time above that of {run.reference}, processor time (cpu) below it; ?: undecided; =: proved within 5 %", ["", *(head for _, head in found)], rows)] + [
        f"Not like for like: {spoken(run, who)} completes {where.get(who)}, {run.reference} on the thread that answers, as {counted(inline, 'other')} {'does' if inline == 1 else 'do'}; so these contain a hand-over to another thread. "
        "With `bench run --on queue` all complete on a queue."] * (who in where and run.reference not in where)


def extra(run: Run, name: str, scenario: str, accounts: dict) -> tuple | str:
    """How much more it takes of each than the reference: in time the median of the pairs' differences, in processor time what its account has."""
    cells, own = compared(run, name, [scenario]), run.cells.get((run.reference, scenario))
    if not cells or not own or not own.measured:
        return ""
    cell, of_each = cells[0], max(own.fan_out, 1) if scenario in run.endings else 1
    account = accounts.get((name, scenario))
    cpu = account.overhead_cpu_ns_per_upload if account else cell.cpu_ratio and own.cpu_ns_per_upload and (cell.cpu_ratio - 1) * own.cpu_ns_per_upload
    more = f"cpu {duration(cpu * of_each, True)}{' ?' * (cell.cpu_verdict == 'unresolved')}" if cpu else ""
    time = ((cell.ratio - 1) * own.median_ns / max(own.fan_out, 1) if cell.overhead_ns_per_upload is None else cell.overhead_ns_per_upload) * of_each
    return f"{duration(time, True)}{sign(cell)}", more


def named(group) -> str:
    """Its class of work, as the first picture calls it, or its scenario."""
    return group.where.removeprefix("where ").removeprefix("with ").removeprefix("in ")


def elsewhere(run: Run) -> dict[str, str]:
    """Where completions run with those who do not run them on the thread that answers."""
    return {name: f"on a {idiom['completions']}" for name, idiom in idioms(run).items() if idiom.get("completions") in ("queue", "pool")}


def alike(run: Run) -> list[str]:
    """Where contenders do not differ in time, and how many comparisons say so."""
    found, said, apart = groups(run), [], []
    for g in found:
        close = [name for name in of(g, 0) if name != run.reference and alike_in(run, name, g.scenarios)]
        proved = f"{shortly(close)} {'is' if len(close) == 1 else 'are'} proved within 5 % of {run.reference}" + " in each scenario" * (len(g.scenarios) > 1)
        if is_bounded(g) and len(of(g, 0)) > 1:
            said.append(f"{start(g.where)}, in time: {nobody(run, max(g.most.values()))}{' in any scenario' * (len(g.scenarios) > 1)} (the highest end of an interval: {at_most(run, g)}){f'; {proved}' if close else ''}.")
            cpu = {name: ratio for name, ratio in of(g, 1).items() if name != run.reference and max(of(g, 1).values()) >= MUCH}
            more = [f"{name} {'~' * g.values[name][1][1]}{three_digits(ratio)}" for name, ratio in cpu.items()]
            doubt = " (~: some are undecided)" * any(g.values[name][1][1] for name in cpu)
            said += [f"In processor time they do: {listed(more)} times that of {run.reference}{doubt}."] if cpu else []
        elif close:
            said.append(f"{start(g.where)}, {proved} in time.")
        else:
            apart.append(g)
    where = "elsewhere" if said else "in no class of work" if len(apart) > 1 else apart[0].where if apart else ""
    said += [f"{start(where)}{',' * (where != 'elsewhere')} {'any' if where.startswith('in no') else 'no'}body is proved within 5 % of {run.reference} in time" + " in all scenarios" * any(len(g.scenarios) > 1 for g in apart) + "."] if apart else []
    near = [s for s in run.scenarios if len(others := [c for c in run.measured(s) if c.verdict and c.contender != run.references.get(s)]) > 1 and all(map(is_near, others))]
    said += [f"Proved within 5 % of {run.reference} in time for all: {listed(near)}."] if near else []
    open_ = sum(c.verdict == "unresolved" for s in run.scenarios for c in run.measured(s) if c.contender != run.references.get(s))
    return said + [f"{counted(open_, 'comparison')} in time {'is' if open_ == 1 else 'are'} undecided, so perhaps no different: listed below."] * (open_ > 0 and bool(found))


def grows(run: Run) -> list:
    """How the cost of an upload changes with how many there are, and who changes places, of the first family."""
    stem, scenarios = next((family for family in run.families().items() if len(family[1]) > 1), (None, []))
    if not stem:
        return []
    unit, fits = run.unit_of[scenarios[0]], {row.contender: row for row in run.series().get(stem, [])}
    rows = cost_rows([c for s in scenarios for c in run.measured(s)], fits)
    table = costs_by_fan_out(unit, rows)
    lines = shape(unit, rows) + empty_post(run, stem, rows) + growth(unit, rows, fits) + changed(turns(run, stem), MOST_TOLD) * bool(run.growth)
    return [f"{stem}: {lines[0][0].lower()}{lines[0][1:]}", *[table] * bool(table), *lines[1:]] if lines else []


def empty_post(run: Run, stem: str, rows: list[dict]) -> list[str]:
    """How much of a post's cost is not its uploads', which the cost of one alone contains."""
    cells = run.measured(stem.replace("N", "0", 1)) if stem.replace("N", "0", 1) in run.fan_out else []
    alone = {row["contender"]: row["y"] for row in rows if row["x"] == 1}
    shares = [c.median_ns / alone[c.contender] for c in cells if c.contender in alone]
    if not shares:
        return []
    return [f"A post without uploads takes {extent([c.median_ns for c in cells])}, {between([100 * share for share in shares], '{:.0f}'.format)} % of what one upload alone does: "
            "the curve falls as more uploads share it."]


def ends(run: Run) -> list:
    """After how long who knows that a job has ended, and when all has stopped."""
    columns = {}
    for scenario in run.endings:
        kind = run.scenario_of[scenario].partition("-")[0]
        cells = [c for c in run.measured(scenario) if c.failure_to_completion_ns is not None]
        for what, column in (("known after", "failure_to_completion_ns"), ("all stopped after", "failure_to_stop_ns")):
            found = {c.contender: after for c in cells if (after := told_after(run, c, column))[0]}
            if found:
                columns[f"{kind}: {what}"] = found
    if not columns:
        return []
    first = next(iter(columns.values()))
    cell = lambda told: (duration(told[0]), extent(told[1:])) if told[1] and told[2] else duration(told[0])
    rows = [[name, *(cell(found[name]) if name in found else "" for found in columns.values())] for name in sorted(first, key=lambda name: first[name][0])]
    late = late_starts(run)
    none = ["Nobody started an upload afterwards."] * (bool(late) and not any(late.values()))
    return [*waited_for(columns), *none, Rows("From the failure, or the cancel, until the caller knows, and until nothing runs any more; medians and their 95 % intervals", ["", *columns], rows)]


def waited_for(columns: dict[str, dict]) -> list[str]:
    """Who tells the caller first and last, and who only when all has stopped."""
    known = [(what, found, columns.get(what.replace("known after", "all stopped after"), {})) for what, found in columns.items() if what.endswith("known after")]
    orders = [(what, first_and_last(found)) for what, found, _ in known if len(found) > 1]
    ends = [f"{when} by {' or '.join(who)} after a {' or a '.join(what.partition(':')[0] for what, _ in some)}"
            for at, when in enumerate(("first", "last")) for who, some in grouped(orders, lambda order: order[1][at]).items()]
    known = [(what, middles(found), middles(stops)) for what, found, stops in known]
    late = [name for name in known[0][1] if all(name in found and name in stops and stops[name] <= (1 + AT_ONCE) * found[name] for _, found, stops in known)] if known else []
    return [f"The caller is told {listed(ends)}." + f" {start(listed(late))} report{'s' * (len(late) == 1)} when nearly everything has stopped; the others report earlier, at least once, and clean up afterwards." * (0 < len(late) < len(known[0][1]))] if ends else []


def middles(found: dict[str, tuple]) -> dict[str, float]:
    return {name: told[0] for name, told in found.items()}


def first_and_last(found: dict[str, tuple]) -> tuple[tuple, tuple]:
    """Whose interval meets that of the least, and of the most; without intervals whose median that is."""
    low, high = ({name: told[end] or told[0] for name, told in found.items()} for end in (1, 2))
    order = sorted(found, key=lambda name: found[name][0])
    return tuple(name for name in order if low[name] <= high[order[0]]), tuple(name for name in order[::-1] if high[name] >= low[order[-1]])


def why(run: Run) -> list:
    """Of who is asked for, and of who is slowest in most classes: what it does, and what is counted where there are most uploads and where it is
    slowest. Of blocked calls an answer of its own tells."""
    found, who = groups(run), asked(run, groups(run))
    known = [g for g in found if not (g.key == "blocking" and run.pattern.get(g.example) == "blocking") and not is_bounded(g)]
    last = [max(costs, key=costs.get) for g in known if (costs := of(g, 0)) and max(costs.values()) > SMALL]
    slowest = max(last, key=last.count, default=None)
    said, shown, scenarios = [], [], [s for g in known for s in g.scenarios]
    for name in dict.fromkeys(filter(None, [who, slowest])):
        cells = [cell for s in scenarios if (cell := run.cells.get((name, s))) and cell.measured and cell.ratio and cell.verdict != "unresolved"]
        usual, worst = run.cells.get((name, typical(run))), max(cells, key=lambda cell: cell.ratio, default=None)
        shown += [cell for cell in (usual, *[worst] * (worst is not usual)) if cell and cell.measured and cell.reference not in (None, cell.contender)]
        where = [g.where for g in known if name == slowest and (costs := of(g, 0)).get(name) and all(costs[name] > LEAD * cost for other, cost in costs.items() if other != name)]
        if where or done(run, name):
            said.append(f"{called(run, name)}" + f", slowest {listed(where)}" * bool(where) + (f"{',' * bool(where)} {done(run, name)}" if done(run, name) else "") + ".")
    table = evidence(run, shown, {}) if shown else None
    return [*said, table, *slept(run, shown), *filter(None, [carried(run, who)])] if table else []


def slept(run: Run, cells: list) -> list[str]:
    """Who switches threads for each upload where the reference does not."""
    switches = lambda cell: cell and cell.voluntary_switches_per_upload
    own = lambda cell: switches(run.cells.get((cell.reference, cell.scenario)))
    found = [cell for cell in cells if (switches(cell) or 0) >= 1 and own(cell) is not None and own(cell) < 0.5]
    return [f"In {scenario} a thread is put to sleep and woken {listed([f'{three_digits(switches(cell))} times ({cell.contender})' for cell in some])} for each {run.unit_of[scenario]}, "
            f"{three_digits(own(some[0]))} times with {some[0].reference}." for scenario, some in grouped(found, lambda cell: cell.scenario).items()]


def which(run: Run) -> list:
    """Who takes least in the examples."""
    rows = [[(what, scenario), least(run, scenario, 0), least(run, scenario, 1)] for _, scenario, what in examples(run)]
    some = f": who is proved within 5 % of it, then the {plain(NEAREST)} that take least, in no proved order" * any(len(run.measured(row[0][1])) > NEAREST + 1 for row in rows)
    return [Rows(f"Multiples of {run.reference} with 95 % intervals{some}; ?: undecided", ["", "least time", "least processor time"], rows, (1, 2)), *faster(run),
            "Where the two disagree: choose by time, which is what a caller waits for, unless processors are what you run out of."] if rows else []


def examples(run: Run) -> list[tuple]:
    """Of each class of work, or of each scenario of one that is mixed: the class, a scenario, and what a reader has who asks."""
    found = []
    for g in groups(run):
        scenario = next((s for s in (g.example, *g.scenarios) if s in run.fan_out), None)
        if scenario and scenario not in run.undecided and len([c for c in run.measured(scenario) if c.ratio or c.contender == run.reference]) > 1:
            found.append((g, scenario, kind(run, g, scenario)))
    return found


NEAREST = 3  # contenders that are named


def kind(run: Run, group, scenario: str) -> str:
    """What a reader has who asks, such as 64 blocking calls, 8 at a time."""
    count, what = plain(run.fan_out[scenario]), KINDS.get(group.key)
    limit = next((cell.in_flight_limit for cell in run.measured(scenario) if cell.in_flight_limit), None)
    told = f"a post of {count} that fails" if group.key == "failing" else f"{count} {what}" if what else named(group)
    return told + f", {plain(limit)} at a time" * bool(limit and what)


def least(run: Run, scenario: str, what: int) -> tuple:
    """Who takes least, in time (0) or processor time (1), a line each: the reference by what it takes, who is proved within 5 % of it, and
    others by their ratios."""
    ratio, low, high, verdict = (("ratio", "ratio_ci_low", "ratio_ci_high", "verdict"), ("cpu_ratio", "cpu_ratio_ci_low", "cpu_ratio_ci_high", "cpu_verdict"))[what]
    known = sorted((c for c in run.measured(scenario) if c.contender == run.reference or getattr(c, ratio)), key=lambda c: 1 if c.contender == run.reference else getattr(c, ratio))
    near = [c for c in known if c.contender != run.reference and (is_near(c) if what == 0 else c.cpu_verdict == "equivalent")]
    lines, others = [], 0
    for c in known:
        if c.contender == run.reference:
            each = c.each if what == 0 else c.cpu_ns_per_upload and c.cpu_ns_per_upload * max(c.fan_out, 1) / c.units
            lines.append(f"{c.contender} 1.00" + (f": {duration(each)} {'each' if c.units > 1 else 'a post'}" if each else ""))
            lines += [f"proved within 5 % of it: {listed([c.contender for c in near])}"] * bool(near)
        elif c not in near and others < NEAREST:
            others += 1
            ends = f" ({between([getattr(c, low), getattr(c, high)])})" if getattr(c, low) and getattr(c, high) else ""
            lines.append(f"{c.contender} {three_digits(getattr(c, ratio))}{' ?' * (getattr(c, verdict) == 'unresolved')}{ends}")
    return tuple(lines)


def blocked(run: Run) -> list:
    """Who is slow where calls block, why, and how long a timer waits meanwhile."""
    posts = []
    for scenario in (s for s in run.scenarios if run.pattern.get(s) == "blocking"):
        cells = [c for c in run.measured(scenario) if c.ratio]
        own, others = [[c for c in cells if (c.contender == run.reference) == is_own] for is_own in (True, False)]
        if own and others:
            posts.append((own[0], others))
    if not posts:
        return []
    columns = {}
    for own, others in posts:
        limit = f"{f'limit {plain(own.in_flight_limit)}' if own.in_flight_limit else 'no limit'}: "
        columns[limit + "time"] = {c.contender: (f"{duration(c.median_ns)}{sign(c)}", extent([c.median_ci_low_ns, c.median_ci_high_ns]) if c.median_ci_low_ns else "") for c in (own, *others)}
        columns[limit + "processor time"] = {c.contender: duration(c.cpu_ns_per_upload * c.fan_out) + " ?" * (c.cpu_verdict == "unresolved") for c in (own, *others) if c.cpu_ns_per_upload}
        columns[limit + "timer late by"] = {c.contender: duration(c.heartbeat_worst_ns) for c in (own, *others) if c.heartbeat_worst_ns}
    own, others = posts[0]
    columns = {head: found for head, found in columns.items() if found}
    rows = [[c.contender, *(found.get(c.contender, "") for found in columns.values())] for c in (own, *sorted(others, key=lambda c: c.median_ns))]
    calls = " or ".join(dict.fromkeys(plain(own.fan_out) for own, _ in posts))
    return [Rows(f"Medians of a post of {calls} calls, of time with their 95 % intervals; a timer is due every millisecond, and late by so much at worst. ?: the ratio to {own.contender}, taken within each round, is undecided", ["", *columns], rows),
            *(s for s in (advice(run, posts), block_at_once(run, posts), with_limit(run, posts), timers(run, posts)) if s)]


def advice(run: Run, posts: list[tuple]) -> str:
    """What to do where the contender with threads of its own is done first, and at which price."""
    if not knows_sources(run, posts) or any(cell.median_ns <= own.median_ns for own, others in posts for cell in others):
        return ""
    limit = ", and a limit" * any(limited.in_flight_limit and not own.in_flight_limit and limited.median_ns < own.median_ns for own, _ in posts for limited, _ in posts)
    cpu = lambda cell: cell.cpu_ns_per_upload and cell.cpu_ns_per_upload * cell.fan_out
    own = [f"{duration(cpu(cell))} with{'' if cell.in_flight_limit else 'out'} a limit" for cell, _ in posts if cpu(cell)]
    rest = [cpu(cell) for _, others in posts for cell in others if cpu(cell)]
    price = f", and pays for them in processor time: {listed(own)}, the others {extent(rest)}" if own and rest else ""
    return f"For calls that block choose threads of your own{limit}. Only {run.reference} has them here{price}."


def block_at_once(run: Run, posts: list[tuple]) -> str:
    """The cause: whose threads calls block, and how many there are."""
    calls = [call for own, _ in posts if (call := call_ns(run, own.scenario))]
    if not calls:
        return ""
    rule, cores = "", run.environment.get("core_count")
    if knows_sources(run, posts):
        rule = (f"{run.reference} starts threads of its own for calls that block. The others block those of a global queue of Dispatch: one for each core"
                f"{f' ({plain(cores)} here)' if isinstance(cores, int) else ''}, and now and then one more. ")
    found = heaps(run, *posts[0])
    near = f" Their posts lie near {listed([duration(at) for at in found])}"
    threads = [round(max(found) * cores / at) for at in found] if found and isinstance(cores, int) else []
    # Of the slowest there are as many as cores.
    fits = threads and all(abs(max(found) * cores / at / count - 1) < 0.1 for at, count in zip(found, threads))
    why = f"{near}, as with {listed([plain(count) for count in threads])} threads: how many there are just then decides, not the idiom." if fits else f"{near}." if found else ""
    return f"Why: {rule}A call blocks for {extent(calls)}, and its thread takes a while to wake.{why}"


def heaps(run: Run, own, others: list) -> list[float]:
    """The middles of the heaps in which the others' samples lie; empty if there are not two."""
    times = sorted(sample.wall_ns for cell in others for sample in run.kept_by_cell.get((cell.contender, own.scenario), []))
    bins = grouped(times, lambda time: int(math.log(time / times[0]) / HEAP))
    runs, last = [], None
    for at, found in bins.items():
        if len(found) < FEW * len(times):
            continue
        if last is not None and at == last + 1:
            runs[-1] += found
        else:
            runs.append(found)
        last = at
    return [statistics.median(found) for found in runs] if len(runs) > 1 else []


HEAP = 0.1  # the logarithm by which times of one heap differ
FEW = 0.02  # of the samples, which make no heap


def knows_sources(run: Run, posts: list[tuple]) -> bool:
    """Whether all are contenders of which Documentation/Contenders.md says whose threads they block."""
    return run.reference == ALWAYS[0] and {c.contender for _, others in posts for c in others} <= set(ALWAYS)


def with_limit(run: Run, posts: list[tuple]) -> str:
    """What a limit does to the reference, and to the others."""
    found = [(own, limited, {c.contender: c for c in others}, {c.contender: c for c in more}) for own, others in posts for limited, more in posts
             if not own.in_flight_limit and limited.in_flight_limit and own.fan_out == limited.fan_out]
    if not found:
        return ""
    own, limited, before, after = found[0]
    change = limited.median_ns / own.median_ns - 1
    changes = [after[name].median_ns / c.median_ns - 1 for name, c in before.items() if name in after]
    told = lambda share: f"{100 * share:+.0f}".replace("-", "−")
    threads = f", {plain(own.peak_threads)} in the process against {plain(limited.peak_threads)}" if own.peak_threads and limited.peak_threads else ""
    more = f" (without one it starts a thread for each call{threads})" if run.reference == ALWAYS[0] and change < 0 else ""
    own_change = f"{abs(100 * change):.0f}\u00a0% {'less' if change < 0 else 'more'} time"
    unlike, like = (heaps(run, cell, list(others.values())) for cell, others in ((own, before), (limited, after)))
    stay = len(like) == len(unlike) > 0 and all(abs(math.log(a / b)) < HEAP for a, b in zip(like, unlike))
    rest = "the others' posts lie where they lie without" if stay else f"the others' time changes by {between(changes, told)} %"
    return f"With the limit {run.reference} takes {own_change}{more}; {rest}." if changes else ""


def timers(run: Run, posts: list[tuple]) -> str:
    """Whose timer waits longest, and why."""
    late = [{c.contender: c.heartbeat_worst_ns for c in (own, *others) if c.heartbeat_worst_ns} for own, others in posts]
    slow = [name for name in SHARE_A_CLASS if any(name in found for found in late)]
    if not slow or not knows_sources(run, posts):
        return ""
    each = [f"{extent([found[name] for name in slow if name in found])}{f' with a limit of {plain(own.in_flight_limit)}' if own.in_flight_limit else ' without a limit'}"
            for (own, _), found in zip(posts, late) if any(name in found for name in slow)]
    return (f"Timers: those of {listed(slow)} run on the same threads of Dispatch (the default class) that their calls block, so they wait for the calls queued before: "
            f"{listed(each)}. The others' calls block threads of another class (.utility), or their own.")


def between(values: list[float], told=three_digits) -> str:
    return " to ".join(dict.fromkeys(map(told, (min(values), max(values)))))


def call_ns(run: Run, scenario: str) -> float | None:
    """How long a call blocks, where all block equally long."""
    said = run.environment.get("scenarios")
    record = said.get(run.scenario_of[scenario]) if isinstance(said, dict) else None
    text = str((record.get("definition") or {}).get("latency.fixed.nanoseconds") or "") if isinstance(record, dict) and isinstance(record.get("definition"), dict) else ""
    return float(text) if text.isdigit() and int(text) else None
