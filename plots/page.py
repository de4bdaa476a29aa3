"""report.html of a run."""
from __future__ import annotations

import shlex
from collections import Counter
from types import SimpleNamespace

from .answer import about, cell, elsewhere, following, heat_picture, heat_table, hero, noise, notes, own, plain_rows, references, step, title_of
from .html import definitions, document, figure, fold, items, table
from .model import LoadRun, Run, grouped, ranking
from .sources import Sources, code_section
from .svg import inline, libraries, line_chart, looks, picture
from .text import binary, counted, duration, ends, escape, listed, multiple, plain, sentence, span, three_digits
from .trace import trace_picture


def growth_picture(run: Run) -> SimpleNamespace | None:
    """Time of one upload against how many start at once."""
    growth = run.answer.get("growth") or {}
    scenarios = [s for s in growth.get("scenario_names") or [] if isinstance(s, str) and run.fan_out.get(s)]
    if len(scenarios) < 2:
        return None
    quiet, shown = libraries(run.environment), own(plain_rows(run.answer))
    style, series = looks([row["contender"] for row in shown], quiet), []
    for row in shown:
        cells = [c for s in scenarios for c in [run.cells.get((row["contender"], s))] if c and c.measured]
        points = [(c.fan_out, *(v and v / c.fan_out for v in (c.median_ns, c.median_ci_low_ns, c.median_ci_high_ns)), False) for c in cells]
        if len(points) > 1:
            title = str(row.get("title") or row["contender"])
            points = [(*point, f"{title}, {counted(point[0], 'upload')}: {duration(point[1])}") for point in points]
            series.append(SimpleNamespace(name=title, contender=row["contender"], value=duration(points[-1][1]), look=style[row["contender"]], points=points))
    if not series:
        return None
    verdicts = {row.contender: row for row in run.growth if row.series and run.scenario_of[scenarios[0]].startswith(row.series.rpartition("N")[0])}
    widths = sorted({point[0] for one in series for point in one.points})
    rows = [[one.name, *((duration(p[1]), span(p[2], p[3]) if p[2] and p[3] else "") if (p := next((p for p in one.points if p[0] == n), None)) else "–" for n in widths),
             f"N^{v.exponent:.2f}, {(v.verdict or 'unresolved').replace('_', ' ')}" if (v := verdicts.get(one.contender)) and v.exponent is not None else "–"] for one in series]
    return picture("cost", str(growth.get("title") or "Time of an upload"), str(growth.get("text") or ""),
                   [("", lambda width: line_chart(width, series, widths, "uploads at once" if width > 500 else "uploads at once, k: thousand", plain if width > 500 else thousands, height=360, y_label="time of one upload"))],
                   table("Time of one upload, and the 95 % interval of the median", ["contender", *(f"{plain(n)} upload{'s' * (n != 1)}" for n in widths), "growth"], rows))


def thousands(count: float) -> str:
    return plain(count) if count < 1000 else f"{count / 1000:g}k"


def pictures(run: Run) -> list:
    """(picture or nothing, what it needs)."""
    answer, tables = run.answer, []
    if answer and len(answer["contenders"]) > 1 and answer["classes"]:
        said, textbook = about(answer), [row for row in answer["contenders"] if row.get("group") == "textbook"]
        tables = [heat_picture(answer, plain_rows(answer), "answer", answer["headline"], f"{answer['line']} {said}", place=f"{elsewhere(answer)} · MIT licence")]
        tables += [heat_picture(answer, textbook, "textbook", "Time and CPU of the shapes that articles teach", said)] if textbook else []
    return [*((table, "what each contender costs: needs answer.json, which compares two contenders in two scenarios") for table in tables or [None]),
            (growth_picture(run), "growth: needs answer.json and one scenario at three fan-outs"),
            (trace_picture(run), "one post of each contender, thread by thread: needs trace.json, which bench trace --run RUN adds")]


def cards(answer: dict) -> str:
    """What to take for each kind of work, as bench says it."""
    def card(pick: dict) -> str:
        facts = [fact for fact in pick.get("facts") or [] if isinstance(fact, list) and len(fact) == 2]
        c = next((c for c in answer["classes"] if c["class"] == pick.get("class")), {})
        return (f'<article><h3>{escape(pick.get("title") or "")}{noise(c)}<small>{escape(pick.get("work") or "")}</small></h3><p class="take">{escape(pick.get("take") or "")}</p><ul>'
                + "".join(f"<li><b>{escape(number)}</b> {sentence(what)}</li>" for number, what in facts) + "</ul>" + "".join(f'<p class="wrong">{sentence(pick[key])}</p>' for key in ("why", "wrong") if pick.get(key)) + "</article>")
    picks = [pick for pick in answer.get("picks") or [] if isinstance(pick, dict)]
    return f'<section id="picks"><h2>Pick yours</h2><div class="cards">{"".join(map(card, picks))}</div></section>' if picks else ""


def spellings(answer: dict) -> str:
    """Variants of a contender, and the shapes of articles."""
    rows = [row for row in answer["contenders"] if row.get("variant") and row not in plain_rows(answer)]
    others = [row for row in rows if row.get("group") != "textbook"]
    textbook = [row | {"title": str(row.get("title")).removeprefix("Textbook (").removesuffix(")").capitalize()} for row in rows if row not in others]
    parts = [(textbook, "textbook", "What articles teach: short, with something left out", any(row.get("breaks") for row in textbook)), (others, "others", "Variants", False)]
    return "".join(f'<section id="{key}"><h2>{title}</h2><p class="quiet">{escape(remark)}</p>{heat_table(answer, some, title, breaks)}</section>' for some, key, title, breaks in parts if some for remark in [f"Of {some[0]['run']}: {notes(answer).get(str(some[0].get('group') or ''), '')}." if some[0].get("run") else ""])


def above_code(answer: dict, name: str) -> str:
    """Time and CPU in the first two classes of work, beside the reader's reference."""
    row = next((row for row in answer.get("contenders", []) if row["contender"] == name), None)
    parts = []
    for c in answer["classes"][:2] if row else []:
        for measure, what in (("time", "time"), ("processor", "CPU")):
            shown = "".join(f'<b class="to to-{n}">{escape(cell(row, c["class"], reference, measure).large)}</b>' for n, reference in enumerate(references(answer)))
            parts.append(f"<span>{shown} {what}, {escape(c.get('title') or c['class'])}</span>")
    beside = "".join(f'<span class="to to-{n}">{escape(title_of(answer, reference))}</span>' for n, reference in enumerate(references(answer)))
    return (f"<span>Beside {beside}:</span>" if parts else "") + "".join(parts) + (f"<span><b>{plain(row['lines'])}</b> lines counted</span>" if row and row.get("lines") else "")


def called(run: Run, name: str) -> str:
    """A contender's title, if it has one."""
    return title_of(run.answer, name) if run.answer else name


def choices(run: Run, sources: Sources) -> list[tuple[str, str]]:
    """(contender, title) of those whose code there may be: first what the headline compares."""
    if run.is_suite or run.unit == "unit":
        return []
    names = ranking(run)
    others = [row["contender"] for row in run.answer.get("contenders", []) if row.get("run") and not row.get("variant")]
    first = [name for name in ("swift-concurrency", run.answer.get("usual") or run.reference) if name in names]
    return [(name, called(run, name)) for name in dict.fromkeys([*first, *names, *others])] + [
        (name, f"Textbook ({name.partition('/')[2].replace('-', ' ')})") for name in sources.textbook() if name not in names]


def jobs(run: Run) -> str:
    """Time and CPU of every contender in every scenario."""
    names, parts = ranking(run), []

    def shown(c, measure: str):
        value = c and c.measured and (c.median_ns if measure == "" else c.cpu_ns_per_upload and c.cpu_ns_per_upload * max(c.fan_out, 1))
        if not value:
            return c.outcome.replace("_", " ") if c and c.outcome != "measured" else "–"
        ratio, low, high, verdict = (getattr(c, measure + name) for name in ("ratio", "ratio_ci_low", "ratio_ci_high", "verdict"))
        own = span(c.median_ci_low_ns, c.median_ci_high_ns) if not measure and c.median_ci_low_ns and c.median_ci_high_ns else ""
        if not ratio:
            return duration(value), own
        is_open = verdict in (None, "unresolved") and (measure or c.within_margin != "true") and c.contender != c.reference
        note = own if c.contender == c.reference else "~" * is_open + multiple(ratio) + "×" + (f" {ends(low, high)}" if low and high else "")
        return duration(value), note, f"h{step(ratio)}" + " open" * is_open
    for measure, what in (("", "Time"), ("cpu_", "CPU")):
        rows = [[scenario, *(shown(run.cells.get((name, scenario)), measure) for name in names)] for scenario in run.scenarios]
        if any(isinstance(content, tuple) for row in rows for content in row) and len(rows) * len(names) <= 900:
            has_ratio = any("×" in content[1] for row in rows for content in row[1:] if isinstance(content, tuple))
            beside = f"; below it the ratio to {called(run, run.reference)}, whatever tables above compare with, and 95 % intervals; ~, hatched: may be no difference" if has_ratio else "; below it its 95 % interval" * (not measure)
            parts.append(table(f"{what} of {'a call' if run.is_suite else 'a whole job'}, median{beside}", ["scenario", *(called(run, name) for name in names)], rows))
    return "".join(parts) or "<p>Every number stands in summary.csv.</p>"


def single_jobs(run: Run) -> str:
    """What jobs that readers know took, in time and CPU."""
    shown = [row for row in own(plain_rows(run.answer)) if any(c.measured for c in [run.cells.get((row["contender"], s)) for s in run.scenarios] if c)]
    jobs = [(job["scenario"], str(job.get("title"))) for job in run.answer.get("jobs") or [] if isinstance(job, dict) and job.get("scenario") in run.scenarios]
    cells = lambda scenario: [run.cells.get((row["contender"], scenario)) for row in shown]

    def time(c):
        return (duration(c.median_ns), f"CPU {duration(c.cpu_ns_per_upload * max(c.fan_out, 1))}" if c.cpu_ns_per_upload else "") if c and c.measured and c.median_ns else "–"
    rows = [[title, *map(time, cells(scenario))] for scenario, title in jobs]
    most = max((s for s, _ in jobs if any(c and c.bytes_per_upload for c in cells(s))), key=lambda s: run.fan_out[s], default=None)
    if most:
        rows.append([f"memory of an upload in flight, of {plain(run.fan_out[most])}", *(binary(c.bytes_per_upload) if c and c.bytes_per_upload else "–" for c in cells(most))])
    return f'<section id="single"><h2>Single jobs, in milliseconds</h2>{table("Median time; below it the CPU time of all threads", ["job", *(str(row.get("title") or row["contender"]) for row in shown)], rows)}</section>' if rows and len(shown) > 1 else ""


WHY_DROPPED = {"warm_up": "warm-up: the first of each fresh process", "disturbed": "disturbed: something else had the processors in that round"}


def absent(run: Run) -> list[tuple[str, str]]:
    """The cells that have no row in the summary, and why."""
    cells = run.environment.get("missing_cells")
    return ([(str(one), "planned, but has no sample") for one in cells] if isinstance(cells, list) else []) + [
        (f"{contender} × {scenario}", "has samples, but no row that counts in summary.csv") for contender, scenario in run.unsummed]


def undecided(run: Run) -> str:
    """What is not decided, has no number, or was dropped."""
    open_cells = [c for c in run.cells.values() if c.measured and c.ratio and c.contender != c.reference and c.verdict in (None, "unresolved") and c.within_margin != "true"]
    by_scenario = [[s, listed([called(run, c.contender) for c in some]), run.undecided.get(s, "")] for s, some in grouped(open_cells, lambda c: c.scenario).items()]
    parts = [items([str(note) for note in run.answer.get("notes") or []])]
    if by_scenario:
        parts.append(table(f"Whose time is not decided beside {called(run, run.reference)}", ["scenario", "contenders", "noise"], by_scenario, text=(1, 2)))
    missing = [[called(run, name), *row] for name, *row in run.unmeasured()] + [[one, "", "missing", why] for one, why in absent(run)]
    if missing:
        parts.append(table("What has no number, and why", ["contender", "scenario", "outcome", "reason"], missing, text=(1, 2, 3)))
    dropped = Counter(WHY_DROPPED.get(s.dropped, s.dropped) for s in run.samples if s.dropped)
    if run.samples:
        parts.append(f"<p>{plain(dropped.total())} of {plain(len(run.samples))} samples were dropped"
                     + (f": {escape(listed([f'{plain(count)} ({why})' for why, count in dropped.most_common()]))}" if dropped else "") + ".</p>")
    return "".join(parts)


CAUSES = [("allocations_per_upload", "allocations", three_digits), ("retains_per_upload", "retains", three_digits), ("voluntary_switches_per_upload", "thread switches", three_digits),
          ("peak_threads", "threads at most", plain), ("bytes_per_upload", "memory", binary), ("heartbeat_worst_ns", "timer lag at worst", duration),
          ("failure_to_completion_ns", "caller knows, after the failure", duration), ("failure_to_stop_ns", "all has stopped, after the failure", duration), ("starts_after_failure", "started after the failure", plain)]


def causes(run: Run) -> str:
    """What was counted: of the example of each class, or of each scenario where there are no classes."""
    examples = [c.get("example") for c in run.answer.get("classes", [])] or run.scenarios[:6]
    parts = []
    for scenario in dict.fromkeys(s for s in run.scenarios if run.scenario_of[s] in examples or s in run.endings[:2]):
        cells = {c.contender: c for c in run.measured(scenario)}
        columns = [(name, what, show) for name, what, show in CAUSES if any(getattr(c, name) is not None for c in cells.values())]
        rows = [[called(run, name), *("–" if (v := getattr(cells[name], column)) is None else show(v) or "0" for column, _, show in columns)] for name in ranking(run) if name in cells]
        if columns and rows:
            parts.append(table(f"{scenario}; counts and memory are per {run.unit_of[scenario]}", ["contender", *(what for _, what, _ in columns)], rows))
    return "".join(parts)


def warnings(environment: dict) -> list[str]:
    """Why not to believe the numbers."""
    alerts = [str(w) for w in environment.get("warnings") or []] if isinstance(environment.get("warnings"), list) else []
    if environment.get("build_configuration") == "debug":
        alerts.append("This is a debug build: its numbers are worth nothing.")
    if environment.get("interrupted"):
        alerts.append("The run was interrupted: it holds what was measured until then.")
    return alerts


def place_of(run: Run | LoadRun) -> str:
    """Where the numbers come from, in one line: as bench says it, or else from the record."""
    if said := getattr(run, "answer", {}).get("place"):
        return str(said)
    e, cores = run.environment, run.environment.get("core_count")
    toolchain = str(e.get("toolchain") or "").partition(" (")[0].replace("Swift version", "Swift")
    return " · ".join(filter(None, (", ".join(filter(None, (str(e.get("cpu_model") or ""), counted(cores, "core") if cores else "", str(e.get("operating_system") or "")))), toolchain,
                                    str(e.get("started_at") or "")[:10], f"commit {str(e['commit'])[:8]}" if e.get("commit") else "")))


def facts(run: Run | LoadRun) -> list[tuple[str, str]]:
    """What a reader wants to know first of where the numbers come from; what is unknown is left out."""
    e, cores = run.environment, run.environment.get("core_count")
    several = lambda *names: ", ".join(str(e[name]) for name in names if e.get(name))
    machine = (several("cpu_model"), counted(cores, "core") if cores else "", binary(e["memory_bytes"]) if e.get("memory_bytes") else "", several("architecture"))
    command = " && ".join(repeated(e)) or (shlex.join(map(str, e["command_line"])) if isinstance(e.get("command_line"), list) else "")
    lines = [("machine", ", ".join(filter(None, machine))), ("system", several("operating_system", "kernel")), ("toolchain", several("toolchain", "build_configuration")),
             ("commit", several("commit") + ", with changes that were not committed" * bool(e.get("commit") and e.get("dirty"))), ("command", command),
             ("time", several("started_at", "finished_at").replace(", ", " to ")), ("seed", str(e.get("seed", "") if e.get("seed") is not None else "")), ("reference", str(run.reference or ""))]
    return [(name, text) for name, text in lines if text]


def repeated(e: dict) -> list[str]:
    """The commands that do the run again with the build that it was made of, in a clone of the repository."""
    line, commit = e.get("command_line"), e.get("commit")
    if not (isinstance(line, list) and line and commit and str(line[0]).endswith("/bench")):
        return []
    seed = [] if e.get("seed") is None or "--seed" in line else ["--seed", e["seed"]]
    return [f"git checkout {commit}", "swift build -c release --product bench", shlex.join(map(str, [*line, *seed]))]


def flat(name: str, content) -> list[tuple[str, str]]:
    """The leaves of environment.json, in the file's order, without what is unknown."""
    if isinstance(content, dict):
        return [leaf for key, inner in content.items() for leaf in flat(f"{name}.{key}" if name else key, inner)]
    if isinstance(content, list):
        told = ["; ".join(f"{key} {value}" for key, value in flat("", item)) if isinstance(item, dict) else str(item) for item in content]
        content = (" " if name == "command_line" else " | " if any(isinstance(item, dict) for item in content) else ", ").join(told)
    if content in (None, ""):
        return []
    return [(name.replace("_", " "), ("yes" if content else "no") if isinstance(content, bool) else f"{content:.6g}" if isinstance(content, float) else str(content))]


def surroundings(environment: dict) -> list[tuple[str, str]]:
    """What is worth reading of environment.json: of a merged run also what each part says of its machine."""
    own = {k: v for k, v in environment.items() if k not in ("scenarios", "parts", "shard", "idioms")}
    shard, parts = environment.get("shard"), environment.get("parts")
    if isinstance(shard, dict):
        own["shard"] = f"{shard.get('number')}/{shard.get('count')}"
    lines = flat("", own)
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, dict):
            words = [str(part[k]) for k in ("cpu_model", "core_count", "operating_system", "kernel", "started_at") if part.get(k)]
            lines.append((f"{part.get('machine') or 'machine'}, {part.get('run')}", ", ".join(words)))
    return lines


def conditions(run: Run | LoadRun, *more: str) -> str:
    return definitions(facts(run)) + items([*run.remarks.notes, *more]) + fold("Everything that the run recorded of its surroundings", definitions(surroundings(run.environment)))


HOW_TO_READ = """
<ul>
<li>A ratio pairs samples of the same round, so what slows the whole machine down cancels out. Dividing two medians gives another number.</li>
<li>An interval covers 95 %. Its colour is that of its ratio; where it may hold no difference, the cell is hatched and has a ~. Not hatched, with 1 in its interval, it is proved the same within a small margin.</li>
<li>Absolute times on a shared machine differ by tens of percent from run to run. To compare two builds: <code>bench check --against</code>.</li>
<li>Beside a network's milliseconds most differences in time vanish; those in CPU do not.</li>
<li>A contender that did not do exactly the work has no number here, only a reason.</li>
<li>Apple's Combine runs on Apple's platforms only; OpenCombine is written after it.</li>
</ul>
"""
# What a part of a scenario's name says; N is a number.
MEANINGS = [
    ("publish-", "all media at once; 100: so many uploads"), ("sequence-", "one upload after another"),
    ("zip-", "three lookups of three types at once"), ("zip-serial-", "three lookups, one after another"),
    ("stream-", "one file in chunks through a bounded buffer"), ("race-", "each upload to two mirrors, the first success wins"),
    ("resilient-", "with deadlines and further attempts"), ("presigned-", "prepare, ask for a URL, then upload there"),
    ("blocking-", "each upload blocks a thread"), ("failure-", "one upload fails: until the caller knows"),
    ("cancel-", "the caller cancels: until it knows"), ("-instant-", "answers come at once: only coordinating takes time"),
    ("-latency-", "answers take milliseconds, as a network's do"), ("-http-", "requests to a server"), ("-file-", "bytes are written to files"),
    ("-limit-", "at most so many uploads in flight"), ("-prepare-", "the processor reads each file so many times before its upload"),
]


def glossary(run: Run) -> str:
    """What the parts of the scenarios' names mean, of those that occur."""
    names = [f"-{name}-" for name in run.scenario_of.values()] * (run.unit != "unit")
    rows = [(part.strip("-"), meaning) for part, meaning in MEANINGS if any(name.startswith(f"-{part}") if part[0] != "-" else part in name for name in names)]
    classes = [(str(c.get("title") or c["class"]), ", ".join(map(str, c["scenario_names"]))) for c in run.answer.get("classes", []) if c.get("scenario_names")]
    return definitions(rows + classes) if rows or classes else ""


def opening(run: Run) -> str:
    """What was measured, in a line above the headline."""
    what = ("benchmarks of a package’s own" if run.is_suite else "operations of the runtimes" if run.unit == "unit" else
            f"{counted(len(own(plain_rows(run.answer)) if run.answer else run.contenders), 'way')} to write the same concurrent Swift: upload a post’s photos and videos at once, wait for all, create the post")
    return what[:1].upper() + what[1:]


def without_answer(run: Run) -> str:
    """The top of a page of which bench says nothing."""
    machines = f" on {len(run.machines)} machines" if len(run.machines) > 1 else ""
    count = len(set(run.scenario_of.values()))
    said = "Nothing was measured: all failed" if has_failed(run) else counted(count, "benchmark") if run.is_suite else f"{counted(len(run.contenders), 'contender')} in {counted(count, 'scenario')}{machines}"
    return (f'<section id="answer"><header><p class="brand"><b>Fanout</b> {escape(f"{run.name}. {opening(run)}")}</p><h1>{escape(incomplete(run) + said)}</h1>'
            f'<p class="line">{escape(run.why_no_answer * (not run.is_suite and run.unit != "unit" and not has_failed(run)))}</p></header><p class="place">{escape(place_of(run))}</p></section>')


def has_failed(run: Run) -> bool:
    """Whether the summary has cells, and none of them a number."""
    return bool(run.cells) and not any(cell.measured for cell in run.cells.values())


def incomplete(run: Run) -> str:
    """Why the run is not whole, before its headline."""
    why = [*["it was interrupted"] * bool(run.environment.get("interrupted")), *["summary.csv has no row"] * (not run.cells),
           *[f"{counted(len(gone), 'cell')} missing" for gone in (absent(run),) if gone]]
    return f"Incomplete run ({', '.join(why)}). " * bool(why)


AGAIN = """<span class="again"> · run it yourself: <code>swift run -c release bench</code>, then <code>./plot.py</code></span>"""
PICTURE = """ · <a href="answer.svg">this table as a picture</a>, MIT licence"""


def page(run: Run, drawn: list, missing: list[str]) -> str:
    shown = {one.key: one for one in drawn}
    sources, has_hero = Sources(run.environment), "answer" in shown
    alerts = "".join(f'<p class="alert">{escape(text)}</p>' for text in warnings(run.environment) + run.remarks.faults)
    answer = {**run.answer, "headline": incomplete(run) + run.answer["headline"], "place": place_of(run), "again": AGAIN * (not run.is_suite), "picture": PICTURE * getattr(shown["answer"], "is_file", False)} if has_hero else {}
    for row in answer.get("contenders", []):
        row["breaks"] = row.get("breaks") or sources.breaks(row["contender"])
    code, style = code_section(sources, choices(run, sources), lambda name: above_code(answer, name) if answer else "")
    every = f'<section id="jobs"><h2>Every number</h2>{jobs(run)}</section>' * (bool(run.cells) and not has_failed(run))
    growth, trace = figure(shown["cost"]) if "cost" in shown else "", shown.get("trace")
    body = [hero(answer, opening(run)) if has_hero else without_answer(run), alerts, cards(answer) + single_jobs(run) if has_hero else every,
            code, growth, spellings(answer) if has_hero else "", '<section id="details"><h2>Details</h2>',
             fold("Every job: time and CPU with intervals", jobs(run)) if has_hero else "",
             fold("What is not decided, has no number or was dropped", undecided(run), items([f"Not drawn: {m}." for m in missing]), is_open=has_failed(run)),
             fold("Where the cost comes from: allocations, threads, memory, and what happens after a failure", causes(run)),
             fold(trace.title, f'<p class="quiet">{escape(trace.caption)}</p><figure>{inline(trace)}</figure>', fold("The numbers behind it", trace.numbers)) if trace else "",
             fold("Machine and conditions, and how to repeat it", conditions(run, *[f"The code is not shown: {sources.why_not}."] * bool(sources.why_not))),
             fold("How to read it, and what the names mean", HOW_TO_READ, glossary(run)), "</section>"]
    return document(run.name, body, following(answer) + style if has_hero else style)
