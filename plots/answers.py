"""What a reader asks first, answered from the run's own numbers; what it cannot answer is left out."""
from __future__ import annotations

import functools
import re
from types import SimpleNamespace

from .figures import PARTS, beside_the_reference, carried, compared, growth, late_starts, means, mixed, of_extra, positive, price, share, swapped, typical, what_is_below
from .model import Run, grouped, idioms, ranking, told_after
from .text import Rows, between, counted, duration, listed, plain, shortly, sign, three_digits, times

LEAD = 1.05  # means no further apart share the lead
SMALL, MOST = 1.1, 1.25  # means, and times of one scenario, no further apart are told as one bound
AT_ONCE = 0.1  # of the time until the caller knows: no later is with it
MUCH = 1.25  # so much processor time is worth a word of its own
WHERE = {"nothing_waits": "where nothing waits", "limited": "with few at once", "uploads_wait": "where uploads wait",
         "computing": "where each upload computes", "blocking": "where calls block", "failing": "where a job fails, from its start to the caller's error"}
HEADLINED = ("nothing_waits", "limited", "uploads_wait")
NAMED_TOO = "async/await"  # the idiom that has its better known name beside its contender's
KINDS = {"nothing_waits": "tiny tasks", "limited": "tiny tasks", "uploads_wait": "network uploads"}
MOST_ORDERED = 8  # contenders of which each is told


@functools.lru_cache(maxsize=1)
def groups(run: Run) -> list:
    """The classes of work, or the scenarios of one whose mean hides them; of each the means in time and processor time by contender, and
    whether any of them is not decided."""
    found = []
    for c in run.answer.get("classes", []):
        key, names = c.get("class"), c.get("scenario_names") or []
        rows = {row["contender"]: row[key] for row in run.answer.get("contenders", []) if row.get("contender") in run.contenders and isinstance(row.get(key), dict)}
        if mixed(run, names):
            found += [alone(run, key, s) for s in names]
        else:
            values = {name: [(positive(m), bool(m.get("undecided"))) for m in means(row)] for name, row in rows.items()}
            most = max([0, *(m["most_ratio"] for row in rows.values() for m in means(row)[:1] if isinstance(m.get("most_ratio"), (int, float)))])
            found.append(group(run, key, WHERE.get(key, f"in {c.get('title') or key}"), values, most, names, c.get("example"), c.get("scenarios")))
    if not found and len(run.scenarios) == 1:
        found = [alone(run, None, run.scenarios[0])]
    return [g for g in found if sum(time is not None for (time, _), _ in g.values.values()) > 1]


def group(run: Run, key: str | None, where: str, values: dict, most: float, scenarios: list[str], example: str | None, count: int | None = 1) -> SimpleNamespace:
    """`most`: the highest end of an interval in time."""
    ends = [cell.ratio_ci_high or 0 for name in values for cell in compared(run, name, scenarios)]
    return SimpleNamespace(key=key, where=where, values=values, most=max([most, *ends]) if most else 0, scenarios=scenarios, example=example, count=count)


def alone(run: Run, key: str | None, scenario: str) -> SimpleNamespace:
    """A scenario by itself."""
    values = {}
    for c in run.measured(scenario):
        own = c.contender == run.references.get(scenario)
        known = lambda ratio, verdict: (1.0 if own else None if verdict in (None, "unresolved") else ratio, False)
        values[c.contender] = [known(c.ratio, c.verdict), known(c.cpu_ratio, c.cpu_verdict)]
    return group(run, key, f"in {scenario}", values, max([0, *(time for (time, _), _ in values.values() if time)]), [scenario], scenario)


def of(group, what: int) -> dict[str, float]:
    """The means of a group that are known, the least first: in time (0) or processor time (1)."""
    return dict(sorted(((name, value[what][0]) for name, value in group.values.items() if value[what][0]), key=lambda mean: mean[1]))


def leaders(known: dict[str, float]) -> list[str]:
    return [name for name, ratio in known.items() if ratio <= LEAD * min(known.values())]


def beside_whom(run: Run) -> str | None:
    """Who is told beside the reference: async/await if the run has it, else who takes most in the first class."""
    found = headlined(run) if run.reference else []
    known = [name for name in (of(found[0], 0) if found else {}) if name != run.reference]
    named = sorted((name for name in known if called(run, name) != name), key=lambda name: "/" in name)  # variants last
    return next(iter([*named, *known[::-1]]), None)


def called(run: Run, name: str) -> str:
    """Its name, beside which an idiom that is better known by another has that."""
    idiom = idioms(run).get(name, {}).get("name")
    return f"{name} ({idiom})" if idiom == NAMED_TOO else name


def start(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def headlined(run: Run) -> list:
    """The groups that a headline is about."""
    return [g for g in groups(run) if g.key in HEADLINED] or groups(run)[:3]


def headline(run: Run) -> str | None:
    """Who takes least where, what async/await takes there, and where nobody differs in time."""
    found, who = headlined(run), beside_whom(run)
    if not who:
        return None
    said, names = [], iter([called(run, who)])
    name = lambda: next(names, who)
    for first, some in grouped([g for g in found if not is_bounded(g)], lambda g: tuple(leaders(of(g, 0)))).items():
        known = [g for g in some if of(g, 0).get(who)]
        whose = " times as long" + f" as {run.reference}" * (first != (run.reference,))
        told = [f"{three_digits(of(g, 0)[who])}" + f" {g.where}" * (len(known) < len(some)) for g in known]
        every = len(of(some[0], 0))
        lead = ("all means are within 5 %" if len(first) == every else f"{listed(list(first)) if len(first) < 4 else f'{len(first)} of {every}'} "
                f"{'takes' if len(first) == 1 else 'take'} the least time{' on average' * any(len(g.scenarios) > 1 for g in some)}{' (means within 5 %)' * (len(first) > 1)}")
        said.append(f"{start(listed([g.where for g in some]))}, {lead}" + (f": {name()} takes {listed(told)}{whose}" if told and first != (who,) else ""))
    level = [g for g in found if is_bounded(g)]
    if level:
        much = [ratio for g in level if (ratio := of(g, 1).get(who) or 0) >= MUCH]
        cpu = f", but {name()} takes {listed(list(map(three_digits, much)))} times the processor time" if len(much) == len(level) else ""
        said.append(f"{start(listed([g.where for g in level]))}, {nobody(run, max(g.most for g in level))}{cpu}")
    return ". ".join(said) + "."


def is_bounded(group) -> bool:
    """Whether nobody takes so much longer in any scenario that ratios say more than one bound."""
    known = of(group, 0).values()
    return bool(group.most and known) and group.most <= MOST and max(known) <= SMALL and min(known) >= 1 / SMALL


def nobody(run: Run, ratio: float) -> str:
    share = -int(-round((ratio - 1) * 100, 6) // 1)
    return "nobody takes " + f"more than {share}\u00a0% " * (share > 0) + f"longer than {run.reference}"


def ships(run: Run) -> list[str]:
    """Those that ship with Swift, or all if the run does not say it of two."""
    found = [name for name, idiom in idioms(run).items() if idiom.get("ships_with") == "toolchain"]
    return found if len(found) > 1 else run.contenders


def nothing_decided(run: Run) -> str:
    """Said where no difference in time is, so that nobody is named as the least or the most."""
    verdicts = [cell.verdict for cell in run.cells.values() if cell.measured and cell.reference not in (None, cell.contender) and cell.verdict]
    return f"No difference in time is decided, of {counted(len(verdicts), 'comparison')} with {run.reference}." * (set(verdicts) == {"unresolved"})


def cheapest(run: Run) -> list[str]:
    """Who takes least of those that ship with Swift, in time, and where that is another in processor time; what the others take."""
    names, found = ships(run), groups(run)
    known = [[{name: ratio for name, ratio in of(g, what).items() if name in names} for g in found] for what in (0, 1)]
    if not run.reference or not known[0] or len(names) < 2 or any(len(times) < 2 for times in known[0]):
        return [said for said in (nothing_decided(run),) if said]
    told = [(g, leaders(times), times) for g, times in zip(found, known[0]) if not is_bounded(g)]
    first = next(iter(max(grouped([names for _, names, _ in told], tuple), key=lambda some: len([names for _, names, _ in told if some[0] in names]), default=[])), None)
    said = []
    for lead, some in sorted(grouped(told, lambda one: tuple(one[1])).items(), key=lambda found: found[0] != (first,)):
        where = "wherever times differ" if first in lead and all(first in names for _, names, _ in told) and lead == (first,) else listed([g.where for g, *_ in some])
        said.append((f"**{first}** takes" if lead == (first,) else f"{shortly(list(lead))} {'take' if len(lead) > 1 else 'takes'}") + f" the least time {where}" + " (means within 5\u00a0%)" * (len(lead) > 1))
    rest = [(g, times) for g, _, times in told if g.key in HEADLINED] or [(g, times) for g, _, times in told[:1]]
    others = [name for name in ranking(run) if name != run.reference and all(name in times for _, times in rest)] if rest else []
    level = [g for g in found if is_bounded(g)]
    less = [f"{listed([f'{name} {three_digits(times[name])} times' for name in lead])} {g.where}" for g, times in zip(found, known[1]) if times and run.reference not in (lead := leaders(times))]
    own = f"Of what ships with Swift ({listed([name for name in ranking(run) if name in names])}), " * (len(names) < len(run.contenders))
    return [f"{own}{'; '.join(said)}." if said else "",
            f"Multiples of the time of {run.reference}, {listed([g.where for g, _ in rest])}: {listed([f'{name} ' + listed([three_digits(times[name]) for _, times in rest]) for name in others])}." if others else "",
            f"{start(listed([g.where for g in level]))}: {nobody(run, max(g.most for g in level))}, so time does not decide." if level else "",
            f"Less processor time than {run.reference}: {'; '.join(less)}; everywhere else {run.reference} takes the least, or no more than 5\u00a0% above it." if less else ""]


def beside(run: Run, who: str) -> list[str]:
    """What one takes beside the reference: in time and processor time of each class that a headline is about."""
    said = []
    for g in headlined(run):
        time, cpu = (of(g, what).get(who) for what in (0, 1))
        if not time:
            continue
        cells = [run.cells.get((name, g.example)) for name in (who, run.reference)]
        each = (f"; {f'in {g.example} ' * (len(g.scenarios) > 1)}{duration(cells[0].each)} {cells[0].per}, {duration(cells[1].each)} with {run.reference}" if all(c and c.measured for c in cells) else "")
        most = max([cell.ratio_ci_high or 0 for cell in compared(run, who, g.scenarios)], default=0)
        bound = f" (at most {three_digits(most)} in any scenario)" if most and is_bounded(g) and g.count > 1 else ""
        mean = f" (means of {counted(g.count, 'scenario')})" if isinstance(g.count, int) and g.count > 1 else ""
        said.append(f"{start(g.where)}: **{three_digits(time)} times the time**{bound}" + (f" and **{three_digits(cpu)} times the processor time**" if cpu else "") + f"{mean}{each}.")
    return said


def switches(run: Run) -> list:
    """How often each changes threads: hand-overs of the recorded post, and thread switches by class of work; what a switch takes."""
    posts = {post.contender: post for post in run.trace if not post.fault}
    columns = {"hand-overs in one post": {name: plain(len(post.hand_overs)) or "0" for name, post in posts.items()}} if posts else {}
    for c in run.answer.get("classes", []):
        found = {row["contender"]: count for row in run.answer["contenders"] if isinstance(row.get(c.get("class")), dict)
                 and isinstance(count := row[c["class"]].get("hand_overs_per_upload"), (int, float)) and row.get("contender") in run.contenders}
        if len(found) > 1 and c.get("class") in HEADLINED:
            columns[f"switches {WHERE[c['class']]}"] = {name: three_digits(count) for name, count in found.items()}
    if not columns:
        return []
    names = [name for name in ranking(run) if any(name in found for found in columns.values())]
    hops = grouped([name for name in ranking(run) if name in posts], lambda name: len(posts[name].hand_overs))
    often = [f"**{listed(some)} {plain(count)}**" if count else f"{'the others' if len(hops) > 1 else 'all'} none" for count, some in sorted(hops.items(), reverse=True)]
    ten = next((f"Hand-overs (work passes to another thread) in one post of {plain(sum(span.name == 'asked' for span in post.spans) - 1)} uploads that wait ({post.scenario}): " for post in posts.values()), "")
    cost = price(run, "hand_over_ns")
    own = f": {run.reference}, without hand-overs, has these alone" * (run.reference in posts and not posts[run.reference].hand_overs)
    return [f"{ten}{listed(often)}." if often else "",
            f"Switches (a thread sleeps, then is woken): each takes **{duration(cost)}** of processor time here. A hand-over causes one if the other thread sleeps, none if it is awake." if cost else "",
            Rows("Switches: thread switches per upload, the median of a class, those of the threads of the service and the caller included" + own if len(columns) > bool(posts) else "", ["", *columns],
                 [[name, *(found.get(name, "") for found in columns.values())] for name in names])]


def spent(run: Run) -> list:
    """Of the extra processor time of each, where there are most uploads: what is counted, at its price."""
    busy = typical(run)
    known = {a.contender: a for a in beside_the_reference(run) if a.scenario == busy and (a.overhead_cpu_ns_per_upload or 0) > 0}
    if not known:
        return []
    above = what_is_below(next(iter(known.values())))
    rows = [[name, duration(known[name].overhead_cpu_ns_per_upload, True), *(share(of_extra(known[name], part)) for part, _ in PARTS)] for name in ranking(run) if name in known]
    who = beside_whom(run)
    fewer = any(of_extra(account, part) <= -0.005 for account in known.values() for part, _ in PARTS[:-1])
    def told(name: str) -> str:
        shares = sorted(((of_extra(known[name], part), what) for part, what in PARTS), reverse=True)
        first, *rest = [f"{share(found)} " + ("that no count explains (its own code)" if what == PARTS[-1][1] else what + f" (fewer than {above})" * (found <= -0.005)) for found, what in shares]
        return f"Of the {duration(known[name].overhead_cpu_ns_per_upload)} that {name} takes more than {above} for each {run.unit_of[busy]} of {busy}: {', '.join([f'**{first}**', *rest])}."
    return [*map(told, dict.fromkeys(name for name in (who, max(known, key=lambda name: known[name].overhead_cpu_ns_per_upload)) if name in known)),
            Rows(f"Processor time per {run.unit_of[busy]} above that of {above} in {busy}, and shares of it: counts times their prices, and the rest" + f"; below 0: fewer than {above}" * fewer, ["", "above", *(what for _, what in PARTS)], rows),
            carried(run, who)]


def contexts(run: Run) -> list:
    """What each context adds, as inline, of the first scenario of many uploads that was run in several."""
    found = grouped([(m, s) for s in run.works if run.fan_out[s] > 1 and (m := re.fullmatch("(.+)-on-(inline|queue|pool)", run.scenario_of[s]))], lambda of: of[0][1])
    name, places = next(((name, {m[2]: {c.contender: c for c in run.measured(s)} for m, s in some}) for name, some in found.items() if len(some) > 1), ("", {}))
    if not places:
        return []
    first, *others = places
    ratio = lambda place, who: places[place][who].each / places[first][who].each if who in places[place] and who in places[first] else None
    told = [f"{place} {between(ratios)}" for place in others if (ratios := [r for who in places[place] if (r := ratio(place, who))])]
    times_of = lambda place, who: "" if who not in places[place] else (duration(places[place][who].each), times(ratio(place, who)) if place != first else "")
    unit = next(iter(places[first].values())).per if places[first] else ""
    return [f"Time {unit} of {name}, in multiples of that where all completes {first}: {listed(told)}." if told else "",
            Rows(f"Median time {unit} of {name}, by where all completes; below it ÷ {first}", ["", *places], [[who, *(times_of(place, who) for place in places)] for who in ranking(run)])]


def grows(run: Run) -> tuple[str, list[str]]:
    """The widest fan-out of the first family, and its name; with who is proved to grow more than in proportion in it, and who to change places."""
    stem, scenarios = next((family for family in run.families().items() if len(family[1]) > 1), (None, []))
    if not stem or not run.growth:
        return "", []
    said = growth(run, stem) + swapped(run, stem)
    return f"{plain(run.fan_out[scenarios[-1]])} {run.unit}s in {stem}", said


def ends(run: Run) -> list[str]:
    """Of one scenario of each kind, after how long the caller knows that a job has ended; who tells it only when all has stopped; who starts more."""
    said, late = [], []
    kinds = grouped(run.endings, lambda scenario: run.scenario_of[scenario].partition("-")[0])
    for kind, scenario in [(kind, some[-1]) for kind, some in kinds.items()]:
        cells = [c for c in run.measured(scenario) if c.failure_to_completion_ns is not None]
        found = {c.contender: told_after(run, c)[0] for c in cells}
        stops = {c.contender: told_after(run, c, "failure_to_stop_ns")[0] for c in cells}
        order = sorted(found, key=found.get)
        shown = order if len(order) <= MOST_ORDERED else [*order[:3], order[-1]]
        if shown:
            said.append(f"From the {kind} until the caller knows: {listed([f'{name} {duration(found[name])}' if at else f'**{name} {duration(found[name])}**' for at, name in enumerate(shown)])}{f' (of {len(order)})' * (len(shown) < len(order))}.")
            late.append({name for name in order if stops[name] and stops[name] <= (1 + AT_ONCE) * found[name]})
    waits = [name for name in ranking(run) if late and all(name in some for some in late)]
    started = [f"{name} {plain(count)}" for name, count in late_starts(run).items() if count]
    more = [f"Uploads started afterwards: {listed(started)}." if started else "**Nobody** starts an upload afterwards."] * bool(said and late_starts(run))
    return [*said, *more, *[f"Not like for like: {listed(waits)} {'report' if len(waits) > 1 else 'reports'} once nearly everything has stopped, the others before that."] * (0 < len(waits) < len(found if said else []))]


def examples(run: Run) -> list[tuple]:
    """Of each class of work, or of each scenario of one that is mixed: the class, a scenario, and what a reader has who asks."""
    found = []
    for g in groups(run):
        scenario = next((s for s in (g.example, *g.scenarios) if s in run.fan_out), None)
        if g.key in KINDS and scenario and scenario not in run.undecided and len([c for c in run.measured(scenario) if c.ratio or c.contender == run.reference]) > 1:
            found.append((g, scenario, kind(run, g, scenario)))
    return found


def kind(run: Run, group, scenario: str) -> str:
    """What a reader has who asks, such as 1 000 tiny tasks, 8 at a time."""
    limit = next((cell.in_flight_limit for cell in run.measured(scenario) if cell.in_flight_limit), None)
    return f"{plain(run.fan_out[scenario])} {KINDS[group.key]}" + f", {plain(limit)} at a time" * bool(limit)


def beside_reference(run: Run) -> list:
    """What each takes more than the reference, of each upload of the examples."""
    found = [(scenario, f"of {what}") for _, scenario, what in examples(run)]
    names = [name for name in ranking(run) if name != run.reference and any(compared(run, name, [scenario]) for scenario, _ in found)]
    if not names:
        return []
    accounts = {(a.contender, a.scenario): a for a in beside_the_reference(run)}
    rows = [[name, *(extra(run, name, scenario, accounts) for scenario, _ in found)] for name in names]
    return [Rows(f"Time of an upload above that of {run.reference}, and below it processor time (cpu)", ["", *(head for _, head in found)], rows)]


def extra(run: Run, name: str, scenario: str, accounts: dict) -> tuple | str:
    """How much more it takes of each than the reference: in time the median of the pairs' differences, in processor time what its account has."""
    cells, own = compared(run, name, [scenario]), run.cells.get((run.reference, scenario))
    if not cells or not own or not own.measured:
        return ""
    cell, account = cells[0], accounts.get((name, scenario))
    cpu = account.overhead_cpu_ns_per_upload if account else cell.cpu_ratio and own.cpu_ns_per_upload and (cell.cpu_ratio - 1) * own.cpu_ns_per_upload
    more = f"cpu {duration(cpu, True)}{' ?' * (cell.cpu_verdict == 'unresolved')}" if cpu else ""
    time = (cell.ratio - 1) * own.median_ns / max(own.fan_out, 1) if cell.overhead_ns_per_upload is None else cell.overhead_ns_per_upload
    return f"{duration(time, True)}{sign(cell)}", more
