"""A run directory made up from a seed: the columns of the real thing, times drawn around a simple model."""
import csv
import json
import math
import random
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from plots.reading import RULES  # noqa: E402

# name: (ns per post, ns per upload, spread, times slow when cold, lines)
CONTENDERS = {
    "callbacks": (400, 75, 0.04, 1.1, 61), "gcd-groups": (4_000, 900, 0.15, 1.5, 58),
    "closure-tasks": (900, 160, 0.05, 1.2, 34), "operations": (16_000, 4_100, 0.10, 1.6, 72),
    "futures": (700, 190, 0.05, 1.2, 28), "coroutines": (1_500, 118, 0.06, 1.4, 22),
    "reactive-streams": (1_300, 260, 0.05, 1.3, 31), "swift-concurrency": (5_200, 1_150, 0.12, 2.4, 26),
}
# name: (service, fan-out, ideal ns, posts)
SCENARIOS = {
    **{f"publish-instant-{n}": ("instant", n, None, 1) for n in (0, 1, 10, 100, 1_000, 10_000)},
    "publish-latency-100": ("latency", 100, 9_300_000, 1),
    "publish-error-100": ("latency", 100, 1_800_000, 0),
    "publish-cancel-100": ("latency", 100, 2_000_000, 0),
}


def write_growth(directory: Path, contenders, series="publish-instant-N") -> None:
    """Writes growth.csv as the model is: linear, with what each contender's post and upload take."""
    with open(directory / "growth.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, RULES["growth.csv"], restval="", lineterminator="\n")
        writer.writeheader()
        for name in contenders:
            writer.writerow(dict(
                run="synthetic", contender=name, series=series, pattern="publish", service="instant", widths=5, least_fan_out=1,
                most_fan_out=10_000, verdict="linear", exponent=1.01, exponent_ci_low=0.97, exponent_ci_high=1.04))


def write_run(directory: Path, contenders=CONTENDERS, scenarios=SCENARIOS, wrong=("operations", "publish-cancel-100"),
              generations=3, rounds=14, seed=1, rename=lambda name: name) -> Path:
    """Writes samples.csv, summary.csv, environment.json and answer.json; `wrong` is the cell whose ledger differs."""
    draw = random.Random(seed)
    samples, summary = [], []
    for scenario, (service, fan_out, ideal, posts) in scenarios.items():
        walls = {name: {} for name in contenders}
        for generation in range(generations):
            for number in range(rounds):
                disturbed = draw.random() < 0.05
                order = draw.sample(list(contenders), len(contenders))
                for position, name in enumerate(order):
                    fixed, each, spread, cold, _ = contenders[name]
                    worked = (fixed + each * fan_out * (0.02 if posts == 0 else 1)) * math.exp(draw.gauss(0, spread))
                    wall = (ideal or 0) + worked * (cold if number == 0 else 1) * (3 if disturbed else 1)
                    dropped = "warm_up" if number < 3 else "disturbed" if disturbed else ""
                    is_wrong = (name, scenario) == wrong
                    if not dropped:
                        walls[name][generation, number] = wall
                    samples.append(dict(
                        run="synthetic", generation=generation, round=number, position=position, contender=rename(name),
                        scenario=rename(scenario), pattern="publish", service=service, fan_out=fan_out,
                        payload_bytes=65_536 * fan_out, iterations=10, outcome="wrong" if is_wrong else "measured",
                        reason="media 7: cancelled twice, expected once" if is_wrong else "", wall_ns=round(wall),
                        ideal_ns=ideal, posts=posts * 10, dropped=dropped))
        medians = {name: statistics.median(w.values()) for name, w in walls.items()}
        reference = next(iter(contenders))
        for name in contenders:
            values = sorted(walls[name].values())
            is_wrong, units = (name, scenario) == wrong, max(fan_out, 1)
            low, high = (values[int(len(values) * share)] for share in (0.32, 0.68))
            paired = sorted(w / walls[reference][key] for key, w in walls[name].items())
            row = dict(run="synthetic", contender=rename(name), scenario=rename(scenario), pattern="publish", service=service,
                       fan_out=fan_out, payload_bytes=65_536 * fan_out, samples=len(values), dropped=generations * rounds - len(values),
                       outcome="wrong" if is_wrong else "measured")
            if not is_wrong:
                row.update(
                    median_ns=medians[name], median_ci_low_ns=low, median_ci_high_ns=high, p90_ns=values[int(len(values) * 0.9)],
                    ns_per_upload=medians[name] / units, efficiency=ideal / medians[name] if ideal else None,
                    peak_threads=4, allocations_per_upload=3.01, source_lines=contenders[name][4],
                    rank_group=1 + sum(other * 1.1 < medians[name] for other in medians.values()))
                if name != reference:
                    row.update(
                        overhead_ns_per_upload=(medians[name] - medians[reference]) / units, reference=rename(reference),
                        ratio=statistics.median(paired), ratio_ci_low=paired[int(len(paired) * 0.25)],
                        ratio_ci_high=paired[int(len(paired) * 0.75)])
            summary.append(row)
    directory.mkdir(parents=True, exist_ok=True)
    for name, rows in (("samples.csv", samples), ("summary.csv", summary)):
        with open(directory / name, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, RULES[name], restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    environment = surroundings(
        command_line=["bench", "run", "--seed", str(seed)], seed=seed, reference=rename(next(iter(contenders))), toolchain="made up",
        cpu_model="made up", core_count=2, notes={"governor": "made up"})
    (directory / "environment.json").write_text(json.dumps(environment, indent=2) + "\n")
    write_answer(directory, summary)
    return directory


def surroundings(**more) -> dict:
    """The content of an environment.json, as short as it may be."""
    return {**dict(run="synthetic", command_line=["bench"], started_at="2026-01-02T03:04:05Z", seed=1, build_configuration="release",
                   dropped_samples={}, missing_cells=[], warnings=[], notes={}), **more}


def write_answer(directory: Path, summary: list) -> None:
    """Writes answer.json as `bench` does: of runs that compare two contenders in two scenarios."""
    known = [row for row in summary if row["outcome"] == "measured"]
    names, classes = list(dict.fromkeys(row["contender"] for row in known)), {}
    for row in known:
        scenarios = classes.setdefault("nothing_waits" if row["service"] == "instant" else "uploads_wait", [])
        scenarios += [row["scenario"]] * (row["scenario"] not in scenarios)
    (directory / "answer.json").unlink(missing_ok=True)
    if len(names) < 2 or sum(map(len, classes.values())) < 2:
        return
    references = names[:2]

    def ratios(name: str, scenarios: list) -> list:
        return [row.get("ratio") or 1 for row in known if row["contender"] == name and row["scenario"] in scenarios]

    def cost(name: str, scenarios: list) -> dict:
        own = ratios(name, scenarios)
        mean = statistics.geometric_mean(own) if own else None
        def beside(other: str) -> dict:
            ratio = mean / statistics.geometric_mean(ratios(other, scenarios))
            return dict(ratio=ratio, low=ratio * 0.9, high=ratio * 1.1, finding="open" if 0.9 < ratio < 1.1 else "more" if ratio > 1 else "less", undecided=0)
        example = next((row for row in known if row["contender"] == name and row["scenario"] == scenarios[-1]), {})
        return dict(failed=0, measured=len(own), example_ns=example.get("median_ns") or None, example_cpu_ns=None,
                    beside={other: dict(time=beside(other), processor=beside(other)) for other in references if other != name and own and ratios(other, scenarios)})
    growing = list(dict.fromkeys(row["scenario"] for row in known if row["service"] == "instant" and row["fan_out"]))
    (directory / "answer.json").write_text(json.dumps(dict(
        version=3, headline="The headline", line="The line.", place="made up, 2 cores", margin=0.05, usual=references[-1], references=references,
        notes=["A note."],
        groups=[dict(title="made up", note="of a seed")],
        picks=[{"class": "uploads_wait"} | dict(title="A network app", work="uploads wait", take=names[-1], facts=[["1.5×", "the time"]], why="Why: the least time.", wrong="The wrong choice.")],
        jobs=[dict(scenario=scenarios[-1], title=f"{key}: some uploads") for key, scenarios in classes.items()],
        growth=dict(title="The growth", text="One upload takes some time.", scenario_names=growing) if len(growing) > 2 else None,
        classes=[{"class": key, "title": key.replace("_", " "), "meaning": "made up", "scenario_names": scenarios, "scenarios": len(scenarios), "example": scenarios[-1],
                  "example_uploads": 100} for key, scenarios in classes.items()],
        contenders=[dict(contender=name, title=name, group="made up", variant=False, library_lines=1234 if name == "futures" else None, lines=next((row.get("source_lines") for row in known if row["contender"] == name), None) or None,
                         **{key: cost(name, scenarios) for key, scenarios in classes.items()}) for name in names])))


def write_trace(directory: Path, hops: dict[str, int], failed: dict[str, str] = {}) -> None:
    """Writes trace.json as `bench trace` does: of each contender two uploads of 1 and 2 ms, the post of 3 ms, and so many hand-overs of
    20 µs: of the first upload, the second, the post, the completion."""
    events, contenders = [], {name: dict(fault=fault) for name, fault in failed.items()}
    for pid, (name, count) in enumerate(hops.items(), 1):
        def add(ph, what, cat, tid, ts, **more):
            events.append(dict(ph=ph, name=what, cat=cat, pid=pid, tid=tid, ts=ts, **more))
        def call(what, tid, ts, dur, request=None, cat="upload"):
            add("X", what, cat, tid, ts, dur=dur, args={} if request is None else dict(request=request))
        step = [20 if number < count else 2 for number in range(4)]
        lane = [3 if number < count else caller for number, caller in enumerate((1, 1, 2, 2))]
        events.append(dict(ph="M", name="process_name", pid=pid, tid=0, ts=0, args=dict(name=name)))
        for tid, thread in {1: "caller", 2: "service", **({3: "thread 3"} if count else {}), 1000: "critical path"}.items():
            events.append(dict(ph="M", name="thread_name", pid=pid, tid=tid, ts=0, args=dict(name=thread)))
        asks = [step[0], step[0] + 1 + step[1]]
        answers = [asks[0] + 1_000, asks[1] + 2_000]
        post = answers[1] + step[2]
        end = post + 3_000 + step[3]
        call("start", 1, 0, 5, cat="call")
        for number, (at, request) in enumerate(zip([*asks, post], (0, 1, "post"))):
            call("asked", lane[number], at, 1, request)
            call("answered", 2, [*answers, post + 3_000][number], 2, request)
        call("completion", lane[3], end, 0, cat="call")
        for number, (source, at, until) in enumerate(((1, 0, asks[0]), (1, 0, asks[1]), (2, answers[1], post), (2, post + 3_000, end))):
            if number < count:
                add("s", "hand-over", "hand-over", source, at, id=f"{pid}.{number}")
                add("f", "hand-over", "hand-over", lane[number], until, id=f"{pid}.{number}", bp="e")
        own = ["handed over" if number < count else "in the idiom" for number in (1, 2, 3)]
        for what, at, until, request in ((own[0], 0, asks[1], None), ("in flight", asks[1], answers[1], 1), (own[1], answers[1], post, None),
                                         ("in flight", post, post + 3_000, "post"), (own[2], post + 3_000, end, None)):
            call(what, 1000, at, until - at, request, cat="path")
        contenders[name] = dict(us=end, threads=3 if count else 2, hand_overs=count, explained_share=1, recording_cost_share=0.012, pairs=50)
    about = dict(scenario="publish-latency-2", commit="0123", contenders=contenders)
    (directory / "trace.json").write_text(json.dumps(dict(displayTimeUnit="ns", otherData=about, traceEvents=events)))
