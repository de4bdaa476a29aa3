"""A run of `bench load` made up by a simple model: the columns of the real thing."""
import csv
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from plots.reading import RULES  # noqa: E402

from synthetic_run import surroundings  # noqa: E402

# name: what it holds, in posts per second
CONTENDERS = {"callbacks": 20_000, "futures": 9_000, "operations": 1_500}
RATES = (500, 2_000, 8_000)


def write_load(directory: Path, contenders=CONTENDERS, rates=RATES, wrong=None, search=False, rename=lambda name: name) -> Path:
    """Writes all files; `wrong` is the contender that did not do what was asked."""
    summary, latencies, limits = [], [], []
    subject = dict(run="load", scenario="publish-latency-10")
    for rate in rates:
        for name, limit in contenders.items():
            row = dict(subject, contender=rename(name), pattern="publish", service="latency", fan_out=10, payload_bytes=65_536,
                       schedule="poisson", offered_per_s=rate, windows=3, windows_disturbed=0, posts=9 * rate, outcome="measured")
            summary.append(row)
            if name == wrong:
                row.update(outcome="wrong", reason="post: got created 2 times, expected created once")
                continue
            held = rate < limit
            middle = round(6e6 * (1 + rate / limit)) if held else 900_000_000
            row.update(
                achieved_per_s=min(rate, limit), p50_ns=middle, p90_ns=middle * 2, p99_ns=middle * 4, max_ns=middle * 9,
                p99_9_ns=middle * 7 if rate > 1_000 else None, lateness_p50_ns=2_000, lateness_p99_ns=40_000, lateness_max_ns=900_000,
                process_cpu_share=0.2, machine_cpu_share=0.3, slo_percentile="p99", slo_ns=50_000_000,
                verdict="held" if held else "saturated")
            for share, times in ((0.5, 1), (0.4, 2), (0.09, 4), (0.009, 7), (0.001, 9)):
                posts = round(share * 9 * rate)
                if posts:
                    latencies.append(dict(subject, contender=rename(name), offered_per_s=rate, latency_low_ns=middle * times - 1_000,
                                          latency_high_ns=middle * times, posts=posts))
    if search:
        limits = [dict(subject, contender=rename(name), slo_percentile="p99", slo_ns=50_000_000, held_per_s=limit,
                       missed_per_s=limit * 1.09, windows=17, monotone="true", outcome="measured") for name, limit in contenders.items()]
    directory.mkdir(parents=True, exist_ok=True)
    for name, rows in [("load.csv", []), ("load_summary.csv", summary), ("latencies.csv", latencies), *[("limits.csv", limits)] * search]:
        with open(directory / name, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, RULES.get(name, ["run"]), restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    (directory / "environment.json").write_text(json.dumps(surroundings(run="load", cpu_model="made up", warnings=["the fan is loud"])) + "\n")
    return directory
