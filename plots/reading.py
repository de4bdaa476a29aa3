"""Files to rows: an empty cell is unknown and never 0; what is damaged is left out and named with its line."""
from __future__ import annotations

import csv
import io
import json
import os
import re
import stat
from pathlib import Path
from types import SimpleNamespace

from .text import listed, numbers


class Problem(Exception):
    """What stops the drawing, in one line, with its exit code: 1 usage, 6 a file cannot be read or written."""

    def __init__(self, message: str, code: int = 6):
        super().__init__(one_line(message))
        self.code = code


def one_line(message: str) -> str:
    return "".join(c if c.isprintable() else " " for c in message)


class Remarks:
    """What a reader of the drawing must know of its files, a line each: what they lack, and what is wrong with them."""

    def __init__(self):
        self.notes: list[str] = []
        self.faults: list[str] = []
        self.damaged: set[str] = set()  # files of which rows or columns are left out

    def note(self, message: str) -> None:
        self.notes.append(one_line(message))

    def fault(self, message: str) -> None:
        self.faults.append(one_line(message))

    def all(self) -> list[str]:
        return self.faults + self.notes


# What is drawn of each file, which has more columns: texts, then numbers.
COLUMNS = {
    "samples.csv": (
        "contender scenario outcome reason dropped machine",
        "generation round fan_out posts wall_ns failure_to_completion_ns failure_to_stop_ns"),
    "summary.csv": (
        "run contender scenario pattern service outcome reference verdict within_margin cpu_verdict unresolved_reason machine",
        "fan_out samples dropped rank_group peak_threads peak_rss_bytes source_lines median_ns median_ci_low_ns median_ci_high_ns p90_ns "
        "in_flight_limit p99_ns overhead_ns_per_upload ratio ratio_ci_low ratio_ci_high cpu_ratio efficiency cpu_ns_per_upload voluntary_switches_per_upload "
        "allocations_per_upload retains_per_upload failure_to_completion_ns failure_to_stop_ns starts_after_failure "
        "wasted_bytes heartbeat_worst_ns bytes_per_upload"),
    "growth.csv": (
        "contender series verdict machine",
        "exponent_from_fan_out superlinear_from_fan_out stopped_at_fan_out exponent exponent_ci_low exponent_ci_high"),
    "load_summary.csv": (
        "run contender scenario outcome reason verdict slo_percentile",
        "windows windows_disturbed posts offered_per_s achieved_per_s p50_ns p90_ns p99_ns p99_9_ns p99_99_ns max_ns lateness_p50_ns "
        "lateness_p99_ns lateness_max_ns process_cpu_share machine_cpu_share slo_ns"),
    "latencies.csv": ("contender scenario", "posts offered_per_s latency_low_ns latency_high_ns"),
    "limits.csv": ("contender scenario slo_percentile outcome reason monotone", "windows slo_ns held_per_s missed_per_s"),
}
# A file of an earlier version lacks these: then they are unknown.
ADDED_LATER = set(
    "machine verdict within_margin cpu_verdict unresolved_reason failure_to_completion_ns failure_to_stop_ns starts_after_failure wasted_bytes "
    "heartbeat_worst_ns bytes_per_upload cpu_ratio in_flight_limit exponent_from_fan_out".split())
NEVER_EMPTY = {"contender", "scenario", "series", "outcome", "fan_out", "offered_per_s", "latency_low_ns", "latency_high_ns"}
MAY_BE_NEGATIVE = {"overhead_ns_per_upload", "exponent", "exponent_ci_low", "exponent_ci_high"}
ALWAYS_THERE = {"held_per_s", "missed_per_s"}  # where they are empty, no rate is
ABOVE_ZERO = {"offered_per_s", "latency_high_ns"}
WHOLE = {"fan_out", "in_flight_limit", "generation", "round", "source_lines"}
OUTCOMES, VERDICTS = ("measured", "failed", "wrong", "timed_out"), ("faster", "slower", "equivalent", "unresolved")
WORDS = {"outcome": OUTCOMES, "cpu_verdict": VERDICTS, "within_margin": ("true", "false"), "monotone": ("true", "false"), "summary.csv verdict": VERDICTS,
         "growth.csv verdict": ("linear", "superlinear", "sublinear", "unresolved"),
         "load_summary.csv verdict": ("held", "missed", "saturated", "generator_late", "machine_limit")}
# What is one row's alone; of a sample all of it is.
KEYS = {"summary.csv": ("contender", "scenario", "machine"), "growth.csv": ("contender", "series", "machine"), "limits.csv": ("contender", "scenario"),
        "load_summary.csv": ("contender", "scenario", "offered_per_s"), "latencies.csv": ("contender", "scenario", "offered_per_s", "latency_low_ns")}
# What every object of JavaScript has: as the name of a thing it stops the charts.
OF_JAVASCRIPT = set("constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf __proto__ "
                    "__defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__".split())
# No time, count or seed is larger.
MOST_NUMBER = 2**64
# More than any run has: bench reads a million samples at most, of some 180 bytes, and an environment.json has some 30 kB.
MOST_BYTES, MOST_BYTES_OF_ENVIRONMENT, MOST_ROWS = 2**30, 64 * 2**20, 1_000_000


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    try:
        # O_NONBLOCK: opening a pipe must not wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Problem(f"{path}: cannot be read: it is no regular file.")
            size = os.fstat(descriptor).st_size
            if size > most:
                raise Problem(f"{path}: is larger than {most >> 20} MiB, as no run's is. Record the run again.")
            return file.read(size).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise Problem(f"{path}:{line}: is not UTF-8. Save it as UTF-8, or record the run again.")
    except OSError as error:
        raise Problem(f"{path}: cannot be read: {'it is a link to nothing' if path.is_symlink() and not path.exists() else error.strerror}.")


def is_there(path: Path) -> bool:
    """A link to nothing is there, too."""
    return os.path.lexists(path)


def read_table(path: Path, remarks: Remarks, appended: bool = False) -> list[SimpleNamespace]:
    """The rows of one of the files in `COLUMNS`, with None for what is empty.

    A row that is damaged is left out and named. A file that is appended to while a run goes on may end in half a line, which
    is left out and noted.
    """
    try:
        text = read_text(path)
    except Problem as problem:
        remarks.fault(f"{problem} What is drawn from it is left out.")
        return []
    if appended and "\n" in text and not text.endswith("\n"):
        text = text[: text.rindex("\n") + 1]
        remarks.note(f"{path.name} ends in half a line, left out: the run was stopped while it wrote.")
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    kinds = {name: int if name in WHOLE and path.name != "crossovers.csv" else kind for kind, names in zip((str, float), COLUMNS[path.name]) for name in names.split()}
    rows, damaged, first = [], [], {}
    words = {name: WORDS.get(name) or WORDS.get(f"{path.name} {name}") for name in kinds}
    try:
        header = next(lines, [])
        twice = [name for name in kinds if header.count(name) > 1]
        absent = [name for name in kinds if name not in header and name not in ADDED_LATER]
        needed = sorted(name for name in absent if name in NEVER_EMPTY | ALWAYS_THERE)
        if twice or needed:
            fault = f"column {twice[0]} stands twice in" if twice else f"column {needed[0]} is missing from"
            remarks.fault(f"{path}:1: {fault} the header, so nothing of the file is drawn. Record the run again with this version.")
            return []
        if absent:
            remarks.damaged.add(path.name)
            named = f"columns {listed(absent)} are" if len(absent) > 1 else f"column {absent[0]} is"
            remarks.fault(f"{path}:1: {named} missing from the header: unknown here. Record the run again with this version.")
        for fields in lines:
            where = f"{path}:{lines.line_num}"
            if len(rows) == MOST_ROWS:
                remarks.fault(f"{where}: has more than {MOST_ROWS} rows, as no run has. That row and what follows it are left out.")
                remarks.damaged.add(path.name)
                break
            try:
                if len(fields) != len(header):
                    raise Problem(f"{where}: has {len(fields)} fields where {len(header)} belong.")
                row = dict(zip(header, fields))
                found = SimpleNamespace(line=lines.line_num, **{n: value(row.get(n, ""), n, kinds[n], where, words[n]) for n in kinds})
                key = [row[n] for n in KEYS.get(path.name, ()) if row.get(n)]
                if key or path.name == "samples.csv":
                    other = first.setdefault(hash(tuple(key or fields)), found.line)
                    if other != found.line:
                        raise Problem(f"{where}: {' × '.join(key) or 'the sample'} stands twice, first in line {other}.")
                rows.append(found)
            except Problem as problem:
                damaged.append(str(problem))
    except csv.Error as error:
        damaged.append(f"{path}:{lines.line_num}: is not CSV: {error}.")
        remarks.fault(f"{damaged[-1]} What follows in the file is left out.")
    else:
        if damaged:
            others = f", and {len(damaged) - 1} more" if len(damaged) > 1 else ""
            remarks.fault(f"{damaged[0]} That row{others} of the file {'are' if others else 'is'} left out.")
    if damaged:
        remarks.damaged.add(path.name)
    return rows


def value(text: str, name: str, kind: type, where: str, words: tuple | None = None):
    holds = f"{where}: column {name} holds {text[:40]!r}, which is"
    if not text:
        if name in NEVER_EMPTY:
            raise Problem(f"{where}: column {name} is empty, and a row means nothing without it.")
        return None
    if kind is str:
        if words and text not in words:
            raise Problem(f"{holds} none of {listed(list(words))}.")
        if "\0" in text or text in OF_JAVASCRIPT:
            raise Problem(f"{holds} {'no text: it has a NUL byte' if chr(0) in text else 'a word of JavaScript, so that no chart can show it: give it another name'}.")
        return text
    try:
        if not re.fullmatch(r"[-+.eE0-9]+", text):
            raise ValueError
        number = int(text) if text.isdigit() else float(text)
    except ValueError:
        raise Problem(f"{holds} no number.")
    if kind is int and number % 1:
        raise Problem(f"{holds} no whole number.")
    if abs(number) > MOST_NUMBER or number < 0 and name not in MAY_BE_NEGATIVE or number == 0 and name in ABOVE_ZERO:
        raise Problem(f"{holds} no number that a run can have.")
    return int(number) if kind is int else number


def read_environment(directory: Path, remarks: Remarks) -> dict:
    lack, path = "on what this ran is unknown.", directory / "environment.json"
    if not is_there(path):
        remarks.note(f"environment.json is missing: {lack}")
        return {}
    environment = read_object(path, remarks, lack)
    for name in ("core_count", "memory_bytes"):
        if environment.get(name) is not None and not numbers([environment], name):
            remarks.fault(f"{path}: {name} holds {str(environment.pop(name))[:40]!r}, which is no number: unknown here.")
    return environment


# Of what kind the parts of an answer are, wherever they stand.
ANSWER = dict(headline=str, baseline=str, sentences=list, notes=list, classes=list, contenders=list, contender=str, title=str, meaning=str, example=str, scenarios=int,
              scenario_names=list, undecided_scenarios=list, most_scenario=str, decided=int, undecided=int, failed=int, mean_ratio=(int, float),
              most_ratio=(int, float), hand_overs_per_upload=(int, float)) | {"class": str}


def read_answer(directory: Path, remarks: Remarks) -> dict:
    """What `bench` says of the run; empty where it says nothing, as of one scenario, or is older than the file."""
    path = directory / "answer.json"
    answer = read_object(path, remarks, "the page has no headline.") if is_there(path) else {}
    def is_well(node) -> bool:
        return (all(map(is_well, node)) if isinstance(node, list) else not isinstance(node, dict) or
                all(found is None or isinstance(found, ANSWER.get(name, object)) and is_well(found) for name, found in node.items()))
    rows = [(key, row) for key, name in (("class", "classes"), ("contender", "contenders")) for row in answer.get(name) or []] if is_well(answer) else []
    if answer and not (rows and None not in map(answer.get, ("headline", "baseline")) and all(isinstance(row, dict) and row.get(key) for key, row in rows)):
        remarks.fault(f"{path}: is no answer as this version writes it, and is left out. Record the run again with this version.")
        return {}
    return answer


def read_trace(directory: Path, remarks: Remarks) -> list[SimpleNamespace]:
    """A recorded post of each contender, as `bench trace` left it, of those that failed the fault; empty where there is no file."""
    path = directory / "trace.json"
    trace = read_object(path, remarks, "no post is drawn.", checked=False) if is_there(path) else {}
    try:
        posts = {event["pid"]: SimpleNamespace(contender=str(event["args"]["name"]), fault=None, lanes={}, spans=[], starts={}, hand_overs=[])
                 for event in trace.get("traceEvents", []) if event.get("name") == "process_name"}
        for event in trace.get("traceEvents", []):
            post, lane, at = posts[event["pid"]], int(event["tid"]), number(event["ts"])
            if event["name"] == "thread_name":
                post.lanes[lane] = str(event["args"]["name"])
            elif event["ph"] == "X":
                post.spans.append(SimpleNamespace(name=str(event["name"]), kind=event["cat"], lane=lane, at=at, end=at + number(event["dur"]),
                                                  request=(event.get("args") or {}).get("request")))
            elif event["ph"] == "s":
                post.starts[event["id"]] = (lane, at)
            elif event["ph"] == "f":
                post.hand_overs.append((*post.starts[event["id"]], lane, at))
        about = trace.get("otherData", {})
        for post in posts.values():
            known = about["contenders"][post.contender]
            post.scenario, post.us, post.threads = str(about["scenario"]), number(known["us"]), int(number(known["threads"]))
            post.explained, post.cost, post.about = number(known["explained_share"]), number(known["recording_cost_share"], -MOST_NUMBER), about
            post.path = sorted((span for span in post.spans if span.kind == "path"), key=lambda span: span.at)
            if not any(span.end > span.at for span in post.path) or {span.lane for span in post.spans} - set(post.lanes):
                raise ValueError("a post without a path that takes time, or a span without its lane")
        failed = {name: known["fault"] for name, known in about.get("contenders", {}).items() if known.get("fault")}
        return [*posts.values(), *(SimpleNamespace(contender=name, fault=str(fault)) for name, fault in failed.items())]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        remarks.fault(f"{path}: is no trace as this version writes it ({type(error).__name__}: {error}), and is left out. Record it again: bench trace --run {directory}")
        return []


def number(value, least: float = 0) -> float:
    """A moment or a length."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= MOST_NUMBER:
        raise ValueError(f"{str(value)[:40]!r} is no time")
    return float(value)


def known(node, wrong: list[str], name: str = ""):
    """A part of a JSON file, in which what no run can have is unknown; that is added to `wrong`."""
    if isinstance(node, dict):
        return {key: known(inner, wrong, f"{name}.{key}".lstrip(".")) for key, inner in node.items()}
    if isinstance(node, list):
        return [known(inner, wrong, name) for inner in node]
    if isinstance(node, (int, float)) and not (0 <= node <= MOST_NUMBER or name.endswith("_share") and -MOST_NUMBER <= node < 0):
        return wrong.append(f"{name} holds {str(node)[:40]}")
    return node


def read_object(path: Path, remarks: Remarks, lack: str, checked: bool = True) -> dict:
    """The object in a JSON file, in text that can be written; of what is none, the fault is noted, and what is lacking for it.

    `checked`: with numbers that a run can have.
    """
    try:
        content = json.loads(read_text(path, MOST_BYTES_OF_ENVIRONMENT))
        # Half a pair of surrogates can be escaped, and written by nobody.
        content = json.loads(re.sub("[\ud800-\udfff]", "\ufffd", json.dumps(content, ensure_ascii=False)))
        if isinstance(content, dict):
            content = known(content, wrong := []) if checked else content
            if checked and wrong:
                more = f" So are {len(wrong) - 1} more." if len(wrong) > 1 else ""
                remarks.fault(f"{path}: {wrong[0]}, which no run can have: unknown here.{more} Record the run again.")
            return content
        remarks.fault(f"{path}: holds no JSON object: {lack}")
    except (ValueError, RecursionError) as error:
        remarks.fault(f"{path}: is not JSON: {error}: {lack}")
    except Problem as problem:
        remarks.fault(f"{problem} {lack[0].upper()}{lack[1:]}")
    return {}
