"""Files to rows: an empty cell is unknown and never 0; what is damaged is left out and named with its line."""
from __future__ import annotations

import csv
import json
import math
import os
import re
import stat
from pathlib import Path
from types import SimpleNamespace

from .text import numbers


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


# Of each file what each column holds, as `Column` of Results/Column.swift has it: its type or words, what is refused, and whether it may be empty.
with open(Path(__file__).with_name("columns.csv"), encoding="utf-8", newline="") as file:
    RULES: dict[str, dict] = {}
    for rule in csv.DictReader(file):
        RULES.setdefault(rule["file"], {})[rule["column"]] = SimpleNamespace(**rule)
# What is drawn of each.
DRAWN = {
    "samples.csv": "contender scenario outcome reason dropped machine fan_out posts wall_ns",
    "summary.csv":
        "run contender scenario service outcome reference verdict within_margin cpu_verdict unresolved_reason machine "
        "fan_out samples dropped peak_threads source_lines median_ns median_ci_low_ns median_ci_high_ns "
        "ratio ratio_ci_low ratio_ci_high cpu_ratio cpu_ratio_ci_low cpu_ratio_ci_high cpu_ns_per_upload voluntary_switches_per_upload "
        "allocations_per_upload retains_per_upload failure_to_completion_ns failure_to_stop_ns starts_after_failure heartbeat_worst_ns bytes_per_upload",
    "growth.csv": "contender series verdict machine exponent",
    "load_summary.csv":
        "run contender scenario outcome reason verdict slo_percentile "
        "windows windows_disturbed posts offered_per_s achieved_per_s p50_ns p90_ns p99_ns p99_9_ns p99_99_ns max_ns lateness_p50_ns "
        "lateness_p99_ns lateness_max_ns process_cpu_share machine_cpu_share slo_ns",
    "latencies.csv": "contender scenario posts offered_per_s latency_low_ns latency_high_ns",
    "limits.csv": "contender scenario slo_percentile outcome reason monotone windows slo_ns held_per_s missed_per_s",
}
# What is one row's alone.
KEYS = {"samples.csv": ("run", "generation", "round", "position", "contender", "scenario", "machine"), "summary.csv": ("contender", "scenario", "machine"),
        "growth.csv": ("contender", "series", "machine"), "limits.csv": ("contender", "scenario"),
        "load_summary.csv": ("contender", "scenario", "offered_per_s"), "latencies.csv": ("contender", "scenario", "offered_per_s", "latency_low_ns")}
NEVER_ZERO = {"offered_per_s", "latency_high_ns"}
# No number in a JSON file is larger.
MOST_NUMBER = 2**64
# More than any run has: bench reads a million samples at most, of some 180 bytes, and an environment.json has some 30 kB.
MOST_BYTES, MOST_BYTES_OF_ENVIRONMENT, MOST_ROWS = 2**30, 64 * 2**20, 1_000_000

# What to do, as Results/CSVReader.swift says it.
CORRECT = "Correct or remove the line, or record the run again."
RECORD_AGAIN = "Another version wrote the file, or it was edited: record the run again with this version."
SAVE_AGAIN = "Save it as UTF-8 with commas between fields and points in numbers, or record the run again."


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    try:
        # O_NONBLOCK: opening a pipe must not wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Problem(f"{path}: cannot be read: it is no regular file.")
            size = os.fstat(descriptor).st_size
            if size > most:
                raise Problem(f"{path}: is larger than {most >> 20} MiB, as no run's is. Record the run again.")
            return file.read(size)
    except OSError as error:
        raise Problem(f"{path}: cannot be read: {'it is a link to nothing' if path.is_symlink() and not path.exists() else error.strerror}.")


def is_there(path: Path) -> bool:
    """A link to nothing is there, too."""
    return os.path.lexists(path)


def path_of(directory: Path) -> str:
    """As text, which a path need not be."""
    return os.fsencode(directory).decode(errors="replace")


class Damage(Exception):
    """What is wrong with a line, and what to do."""

    def __init__(self, problem: str, advice: str = CORRECT):
        super().__init__(f"{problem}. {advice}")


def read_table(path: Path, remarks: Remarks, appended: bool = False) -> list[SimpleNamespace]:
    """The rows of one of the files in `RULES`, with None for what is empty.

    What Results/CSVReader.swift refuses is refused with the same words: a row that is damaged is left out and named, as is a file whose header is.
    A file that is appended to while a run goes on may end in half a line, which is left out and noted.
    """
    try:
        content = read_bytes(path)
    except Problem as problem:
        remarks.fault(f"{problem} What is drawn from it is left out.")
        return []
    lines = content.removeprefix(b"\xef\xbb\xbf").decode(errors="surrogateescape").split("\n")
    rest, rules, drawn = lines.pop(), RULES[path.name], set(DRAWN[path.name].split())
    try:
        if not lines:
            raise Damage(CUT_OFF) if content and not appended else Damage(
                "is cut off: the file has no whole line" if content else "the file is empty", "Record the run again.")
        names = header(lines[0], content, rules)
    except Damage as damage:
        remarks.fault(f"{path}:1: {damage} What is drawn from it is left out.")
        return []
    if rest and appended:
        remarks.note(f"{path.name} ends in half a line, left out: the run was stopped while it wrote.")
    elif rest:
        lines.append(rest)
    rows, damaged, first, known = [], [], {}, {name: {} for name in names}
    for number, line in enumerate(lines[1:], 2):
        if not line.strip(",\r"):
            continue
        if len(rows) == MOST_ROWS:
            remarks.fault(f"{path}:{number}: has more than {MOST_ROWS} rows, as no run has. That row and what follows it are left out.")
            remarks.damaged.add(path.name)
            break
        try:
            if rest and not appended and number == len(lines):
                raise Damage(CUT_OFF)
            fields = split(line)
            if len(fields) != len(names):
                raise Damage(f"has {len(fields)} fields where {len(names)} belong", RECORD_AGAIN)
            row = dict.fromkeys(rules)
            for name, text in zip(names, fields):
                if name:
                    if text not in (values := known[name]):
                        if len(values) > 10_000:
                            values.clear()
                        values[text] = value(text, rules[name])
                    row[name] = values[text]
            check(path.name, row)
            key = tuple(row[name] for name in KEYS[path.name])
            other = first.setdefault(hash(key), number)
            if other != number:
                again = "column round repeats line {}: the same generation, round, position, contender and scenario" if path.name == "samples.csv" else (
                    f"{' × '.join(str(part).removesuffix('.0') for part in key if part is not None)} stands twice, first in line {{}}")
                raise Damage(again.format(other), "Remove one of them, or record the run again.")
            rows.append(SimpleNamespace(line=number, **{name: row[name] for name in drawn}))
        except Damage as damage:
            damaged.append(f"{path}:{number}: {damage}")
    if damaged:
        others = f", and {len(damaged) - 1} more" if len(damaged) > 1 else ""
        remarks.fault(f"{damaged[0]} That row{others} of the file {'are' if others else 'is'} left out.")
        remarks.damaged.add(path.name)
    return rows


CUT_OFF = "is cut off: it does not end with a line feed"


def header(line: str, content: bytes, rules: dict) -> list[str]:
    """The names of a file's columns, in any order; one that is empty, as of a spreadsheet's empty column, is none."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in content[:2]:
        raise Damage("is UTF-16", SAVE_AGAIN)
    for mark, name in ((";", "semicolons"), ("\t", "tabs")):
        if mark in line and "," not in line:
            raise Damage(f"has {name} between its fields, where commas belong", SAVE_AGAIN)
    names = split(line)
    missing = [name for name, rule in rules.items() if rule.need != "or absent" and name not in names]
    extra = [excerpt(name) for name in names if name and name not in rules]
    if missing:
        others = f", as {'is 1' if len(missing) == 2 else f'are {len(missing) - 1}'} more" if len(missing) > 1 else f", where {extra[0]} is not known" if extra else ""
        raise Damage(f"column {missing[0]} is missing from the header{others}", RECORD_AGAIN)
    if extra:
        raise Damage(f"column {extra[0]} is not known here{f', nor are {len(extra) - 1} more' if len(extra) > 1 else ''}", RECORD_AGAIN)
    for name in rules:
        if names.count(name) > 1:
            raise Damage(f"column {name} stands twice in the header", RECORD_AGAIN)
    return names


def split(line: str) -> list[str]:
    """The fields of a line: none holds a line break, so a row is a line and a line is a row."""
    line = line.removesuffix("\r")
    if len(line) > 2**20:
        raise Damage(f"has no line feed within {2**20} bytes", RECORD_AGAIN)
    if '"' in line and not re.fullmatch(f"{FIELD}(?:,{FIELD})*", line):
        raise Damage("has a quote that is not closed, or stands within a field")
    if not line.isprintable():
        if re.search("[\udc80-\udcff]", line):
            raise Damage("has bytes that are not UTF-8", SAVE_AGAIN)
        if CONTROL.search(line):
            raise Damage("has a control character in a field")
    return line.split(",") if '"' not in line else [
        field[1:-1].replace('""', '"') if field[:1] == '"' else field for field in re.findall(f"(?:^|,)({FIELD})", line)]


FIELD = '(?:"(?:[^"]|"")*"|[^",]*)'
# What a name may have besides letters and digits, as Results/ScenarioRecord.swift has it.
NAMES = {"name": "-_.:=+/@", "runName": "-._"}
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def excerpt(text: str) -> str:
    safe = CONTROL.sub(" ", text)
    return safe[:40] + "…" * (len(safe) > 40)


def value(text: str, rule: SimpleNamespace):
    """What a cell stands for, as the types of Results/CSVRecord.swift read it."""
    holds = f'column {rule.column} holds "{excerpt(text)}", which is'
    if not text:
        if rule.need == "always":
            raise Damage(f"column {rule.column} is empty, but this column always has a value")
        return None
    if rule.type == "Int":
        # A tool that keeps unknown values in a column of numbers writes 13.0.
        if not re.fullmatch(r"-?[0-9]{1,99}(\.0)?", text) or not -2**63 <= (number := int(text.removesuffix(".0"))) < 2**63:
            raise Damage(f"{holds} no whole number")
    elif rule.type == "Double":
        try:
            number = float(text) if re.fullmatch(r"[-+.eE0-9]+", text) else math.nan
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise Damage(f"{holds} no finite decimal number")
        if abs(number) > 1e30:
            raise Damage(f"{holds} above the limit of 1e30")
    elif rule.type == "String":
        allowed = NAMES.get(rule.check)
        if allowed and not re.fullmatch(f"[A-Za-z0-9][A-Za-z0-9{re.escape(allowed)}]{{0,99}}", text):
            raise Damage(f'column {rule.column} is "{excerpt(text)}"; a name is a letter or digit followed by at most 99 letters, digits or {" ".join(allowed)}')
        if rule.check == "runName" and text == "latest":
            raise Damage(f'column {rule.column} is "latest", which is the link to the newest run')
        return text
    else:
        words = rule.type.split("|")
        text = text.lower() if "true" in words else text
        if text not in words and len(words) > 1:
            raise Damage(f"{holds} none of: {', '.join(words)}")
        return text
    if rule.check == "any":
        return number
    if number < (rule.check == "positive" and rule.type == "Int"):
        raise Damage(f"column {rule.column} is {number!r}, which is {'less than 1' if rule.check == 'positive' else 'negative'}")
    # Ten days, and what a floating-point number still tells from the next.
    if rule.type == "Int" and number > (864 * 10**12 if rule.check == "time" else 2**53):
        raise Damage(f"column {rule.column} holds {number}, which is more than {'ten days' if rule.check == 'time' else 'can be counted'}")
    if not number and rule.column in NEVER_ZERO:
        raise Damage(f"column {rule.column} is 0, and no rate or latency is")
    return number


def check(name: str, row: dict) -> None:
    """What no single column can see, and what nothing can have measured."""
    wrong = None
    if name == "summary.csv":
        wrong = row["samples"] == 0 and row["median_ns"] is not None and "median_ns has a value, but samples is 0"
    elif name == "samples.csv":
        measured = row["outcome"] == "measured"
        wrong = (not row["wall_ns"] and "wall_ns is empty or 0, but column outcome says that the sample was measured" if measured
                 else row["reason"] is None and f"reason is empty, but column outcome says {row['outcome']}")
    if wrong:
        raise Damage(f"is inconsistent: {wrong}")


# What every record of a run's surroundings has, as Results/EnvironmentRecord.swift asks for it.
ENVIRONMENT = dict(run=str, command_line=list, started_at=str, seed=int, build_configuration=str, dropped_samples=dict, missing_cells=list, warnings=list, notes=dict)


def read_environment(directory: Path, remarks: Remarks) -> dict:
    lack, path = "on what this ran is unknown.", directory / "environment.json"
    if not is_there(path):
        remarks.note(f"environment.json is missing: {lack}")
        return {}
    faults = len(remarks.faults)
    environment = read_object(path, remarks, lack)
    for name, kind in ENVIRONMENT.items():
        if len(remarks.faults) == faults and not isinstance(environment.get(name), kind):
            remarks.fault(f"{path}: {name} {'is missing' if name not in environment else 'holds a value of the wrong type'}. Record the run again with this version.")
    for name in ("core_count", "memory_bytes"):
        if environment.get(name) is not None and not numbers([environment], name):
            remarks.fault(f"{path}: {name} holds {str(environment.pop(name))[:40]!r}, which is no number: unknown here.")
    return environment


# Of what kind the parts of an answer are, wherever they stand.
ANSWER = dict.fromkeys("headline line place usual contender title meaning is group example finding take work why wrong text run note".split(), str) | dict.fromkeys(
    "references notes classes contenders scenario_names picks facts breaks groups jobs other_runs".split(), list) | dict.fromkeys(
    "scenarios example_uploads lines library_lines undecided failed measured peak_threads".split(), int) | dict.fromkeys(
    "ratio low high least most margin example_ns example_cpu_ns hand_overs_per_upload".split(), (int, float)) | dict.fromkeys(
    "growth beside time processor".split(), dict) | {"class": str}


def read_answer(directory: Path, remarks: Remarks) -> tuple[dict, str]:
    """What `bench` says of the run, or in one line why it says nothing."""
    path = directory / "answer.json"
    answer = read_object(path, remarks, "the page has no headline.") if is_there(path) else {}
    if isinstance(answer.get("headline"), str) and answer.get("version") != 3:
        return {}, f"answer.json is of another version of bench: bench merge {path_of(directory)} writes a copy of the run with this one's."
    older = f" Of an older run, bench merge {path_of(directory)} writes it in a copy." if is_there(directory / "samples.csv") else ""
    none = f"There is no answer.json: bench writes it where two contenders are compared in two scenarios.{older}"

    def is_well(node, of_names: bool = False) -> bool:
        if isinstance(node, list):
            return all(map(is_well, node))
        return not isinstance(node, dict) or all(
            found is None or isinstance(found, dict if of_names else ANSWER.get(name, object)) and is_well(found, name == "beside") for name, found in node.items())
    rows = [(key, row) for key, name in (("class", "classes"), ("contender", "contenders")) for row in answer.get(name) or []] if is_well(answer) else []
    wanted = ("headline", "line", "place", "usual", "references", "classes", "contenders")
    if answer and not (rows and None not in map(answer.get, wanted) and all(isinstance(name, str) for name in answer["references"]) and all(isinstance(row, dict) and row.get(key) for key, row in rows)
                       and all(isinstance(row.get(c["class"]) or {}, dict) for c in answer["classes"] for row in answer["contenders"])):
        remarks.fault(f"{path}: is no answer as this version writes it, and is left out. Record the run again with this version.")
        return {}, ""
    return answer, "" if answer else none


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
        content = json.loads(read_bytes(path, MOST_BYTES_OF_ENVIRONMENT))
        # Half a pair of surrogates can be escaped, and not be written.
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
