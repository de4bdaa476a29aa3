"""What a run says of calls that block."""
from __future__ import annotations

import math
import statistics

from .charts import ALWAYS
from .model import Run, grouped, ranking
from .text import Rows, between, duration, extent, listed, plain, sign

SHARE_A_CLASS = ("gcd-groups", "operations")  # whose timers run on Dispatch's default class, which their calls block, too
HEAP = 0.1  # the logarithm by which times of one heap differ
FEW = 0.02  # of the samples, which make no heap


def blocked(run: Run) -> list:
    """How long each takes where calls block, why, and how long a timer waits meanwhile."""
    posts = []
    for scenario in (s for s in run.scenarios if run.pattern.get(s) == "blocking"):
        cells = [c for c in run.measured(scenario) if c.ratio]
        own, others = [[c for c in cells if (c.contender == run.reference) == is_own] for is_own in (True, False)]
        if own and others:
            posts.append((own[0], others, heaps(run, scenario, others)))
    if not posts:
        return []
    columns = {}
    for own, others, _ in posts:
        limit = f"{f'limit {plain(own.in_flight_limit)}' if own.in_flight_limit else 'no limit'}: "
        columns[limit + "time"] = {c.contender: (f"{duration(c.median_ns)}{sign(c)}", extent([c.median_ci_low_ns, c.median_ci_high_ns]) if c.median_ci_low_ns else "") for c in (own, *others)}
        columns[limit + "processor time"] = {c.contender: duration(c.cpu_ns_per_upload * c.fan_out) + " ?" * (c.cpu_verdict == "unresolved") for c in (own, *others) if c.cpu_ns_per_upload}
    columns = {head: found for head, found in columns.items() if found}
    rows = [[name, *(found.get(name, "") for found in columns.values())] for name in ranking(run) if any(name in found for found in columns.values())]
    calls = " or ".join(dict.fromkeys(plain(own.fan_out) for own, *_ in posts))
    return [Rows(f"Medians of a post of {calls} calls, of time with their 95 % intervals", ["", *columns], rows),
            *(s for s in (advice(run, posts), block_at_once(run, posts), with_limit(run, posts), timers(run, posts)) if s)]


def advice(run: Run, posts: list[tuple]) -> str:
    """What to do where the contender with threads of its own is done first, and at which price."""
    if not knows_sources(run, posts) or any(cell.median_ns <= own.median_ns for own, others, _ in posts for cell in others):
        return ""
    limit = ", and a limit" * any(limited.in_flight_limit and not own.in_flight_limit and limited.median_ns < own.median_ns for own, *_ in posts for limited, *_ in posts)
    cpu = lambda cell: cell.cpu_ns_per_upload and cell.cpu_ns_per_upload * cell.fan_out
    own = [f"{duration(cpu(cell))} with{'' if cell.in_flight_limit else 'out'} a limit" for cell, *_ in posts if cpu(cell)]
    rest = [cpu(cell) for _, others, _ in posts for cell in others if cpu(cell)]
    price = f", and pays for them in processor time: {listed(own)}, the others {extent(rest)}" if own and rest else ""
    return f"For calls that block choose threads of your own{limit}. Only {run.reference} has them here{price}."


def block_at_once(run: Run, posts: list[tuple]) -> str:
    """The cause: whose threads calls block, and how many there are."""
    calls = [call for own, *_ in posts if (call := call_ns(run, own.scenario))]
    if not calls:
        return ""
    rule, cores = "", run.environment.get("core_count")
    if knows_sources(run, posts):
        rule = (f"{run.reference} starts threads of its own for calls that block. The others block those of a global queue of Dispatch: one for each core"
                f"{f' ({plain(cores)} here)' if isinstance(cores, int) else ''}, and now and then one more. ")
    found = posts[0][2]
    near = f" Their posts lie near {listed([duration(at) for at in found])}"
    threads = [round(max(found) * cores / at) for at in found] if found and isinstance(cores, int) else []
    # Of the slowest there are as many as cores.
    fits = threads and all(abs(max(found) * cores / at / count - 1) < 0.1 for at, count in zip(found, threads))
    why = f"{near}, as with {listed([plain(count) for count in threads])} threads: how many there are just then decides, not the idiom." if fits else f"{near}." if found else ""
    return f"Why: {rule}A call blocks for {extent(calls)}, and its thread takes a while to wake.{why}"


def heaps(run: Run, scenario: str, others: list) -> list[float]:
    """The middles of the heaps in which the others' samples lie; empty if there are not two."""
    times = sorted(sample.wall_ns for cell in others for sample in run.kept_by_cell.get((cell.contender, scenario), []))
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


def knows_sources(run: Run, posts: list[tuple]) -> bool:
    """Whether all are contenders of which Documentation/Contenders.md says whose threads they block."""
    return run.reference == ALWAYS[0] and {c.contender for _, others, _ in posts for c in others} <= set(ALWAYS)


def with_limit(run: Run, posts: list[tuple]) -> str:
    """What a limit does to the reference, and to the others."""
    found = [(own, limited, {c.contender: c for c in others}, {c.contender: c for c in more}, unlike, like) for own, others, unlike in posts for limited, more, like in posts
             if not own.in_flight_limit and limited.in_flight_limit and own.fan_out == limited.fan_out]
    if not found:
        return ""
    own, limited, before, after, unlike, like = found[0]
    change = limited.median_ns / own.median_ns - 1
    changes = [after[name].median_ns / c.median_ns - 1 for name, c in before.items() if name in after]
    told = lambda share: f"{100 * share:+.0f}".replace("-", "−")
    threads = f", {plain(own.peak_threads)} in the process against {plain(limited.peak_threads)}" if own.peak_threads and limited.peak_threads else ""
    more = f" (without one it starts a thread for each call{threads})" if run.reference == ALWAYS[0] and change < 0 else ""
    own_change = f"{abs(100 * change):.0f}\u00a0% {'less' if change < 0 else 'more'} time"
    stay = len(like) == len(unlike) > 0 and all(abs(math.log(a / b)) < HEAP for a, b in zip(like, unlike))
    rest = "the others' posts lie where they lie without" if stay else f"the others' time changes by {between(changes, told)} %"
    return f"With the limit {run.reference} takes {own_change}{more}; {rest}." if changes else ""


def timers(run: Run, posts: list[tuple]) -> str:
    """Whose timer waits longest, and why."""
    late = [{c.contender: c.heartbeat_worst_ns for c in (own, *others) if c.heartbeat_worst_ns} for own, others, _ in posts]
    slow = [name for name in SHARE_A_CLASS if any(name in found for found in late)]
    if not slow or not knows_sources(run, posts):
        return ""
    each = [f"{extent([found[name] for name in slow if name in found])}{f' with a limit of {plain(own.in_flight_limit)}' if own.in_flight_limit else ' without a limit'}"
            for (own, *_), found in zip(posts, late) if any(name in found for name in slow)]
    return (f"Timers: those of {listed(slow)} run on the same threads of Dispatch (the default class) that their calls block, so they wait for the calls queued before: "
            f"{listed(each)}. The others' calls block threads of another class (.utility), or their own.")


def call_ns(run: Run, scenario: str) -> float | None:
    """How long a call blocks, where all block equally long."""
    said = run.environment.get("scenarios")
    record = said.get(run.scenario_of[scenario]) if isinstance(said, dict) else None
    text = str((record.get("definition") or {}).get("latency.fixed.nanoseconds") or "") if isinstance(record, dict) and isinstance(record.get("definition"), dict) else ""
    return float(text) if text.isdigit() and int(text) else None
