"""report.html of a run."""
from __future__ import annotations

import base64
import functools
import gzip
import json
import re
import shlex
from collections import Counter
from pathlib import Path

from .charts import CSS_COLOURS, SHAPES, THEMES, config, places, themed
from .libraries import alt, scripts
from .model import LoadRun, Run, idioms, path_of, ranking
from .sources import SWIFT, Sources, code
from .text import Rows, binary, counted, duration, escape, listed, numbers, percent, plain, short, sign, span, three_digits, times, titled, unbroken

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<link rel="icon" href="data:,">
<title>Fanout: @title@</title>
<style>
@page.css@</style>
</head>
<body>
@body@
<p id="said" aria-live="polite"></p>
<script type="application/gzip" id="specs">@specs@</script>
<script type="application/gzip" id="vega">@vega@</script>
<script>
@page.js@</script>
</body>
</html>
"""


def table(caption: str, head: list[str], rows: list[list], text: tuple = ()) -> str:
    """Rows whose first cell is a header; a cell is text, or a tuple of text and small notes below it."""
    def cell(column: int, content) -> str:
        main, *notes = content if isinstance(content, tuple) else (content,)
        inner = titled(main) + "".join(f"<small>{escape(note)}</small>" for note in notes if note)
        if column == 0:
            return f'<th scope="row">{inner}</th>'
        return f'<td class="text{" words" * (max(map(len, (main, *notes))) > LONG)}">{inner}</td>' if column in text else f"<td>{inner}</td>"
    heads = "".join(f'<th scope="col"{" class=text" if i in text else ""}>{titled(name)}</th>' for i, name in enumerate(head))
    body = "".join("<tr>" + "".join(cell(i, content) for i, content in enumerate(row)) + "</tr>\n" for row in rows)
    return (f'<p class="caption">{escape(caption)}</p>' * bool(caption) +
            f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption or "table")}"><table>'
            f"<thead><tr>{heads}</tr></thead><tbody>\n{body}</tbody></table></div>")


LONG = 30  # letters of a cell that may break


def cost_tables(run: Run) -> str:
    """Per family a table of contender × fan-out; scenarios that have no such sequence stand in one of their own."""
    groups = {stem: names for stem, names in run.families().items() if len(names) > 1}
    rest = [s for s in run.scenarios if run.measured(s) and not any(s in names for names in groups.values())]
    if rest:
        groups["Other scenarios"] = rest
    tables = []
    for name, scenarios in groups.items():
        rows = []
        for contender in ranking(run):
            row = [contender]
            for scenario in scenarios:
                cell = run.cells.get((contender, scenario))
                if not cell or not cell.measured:
                    row.append(cell.outcome.replace("_", " ") if cell and cell.outcome != "measured" else "–")
                    continue
                row.append((duration(cell.each), f"{interval(cell)}{sign(cell)}".strip(), "undecided" * (scenario in run.undecided)))
            rows.append(row)
        heads = ["contender", *(f"{short(s)}, {run.per(s)}" if scenarios is rest else f"fan-out {plain(run.fan_out[s])}" for s in scenarios)]
        if scenarios is rest:
            heads, *rows = zip(heads, *rows)
            heads = ["scenario", *heads[1:]]
        caption = f"{name}: median time" + ("" if scenarios is rest else f" per {run.unit_of[scenarios[0]]}")
        tables.append(table(f"{caption}; below it the ratio to {run.reference or 'the reference'} with its 95 % interval (=, ?: as in the charts). Ratios pair "
                            "samples of the same round: dividing two medians gives another number", heads, rows))
    return "".join(tables)


def interval(cell) -> str:
    """Such as 1.03 [1.02, 1.05]."""
    if cell.ratio is None:
        return ""
    ends = "" if cell.ratio_ci_low is None else f" [{three_digits(cell.ratio_ci_low)}, {three_digits(cell.ratio_ci_high)}]"
    return f"{three_digits(cell.ratio)}{ends}"


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
    if run.unit == "unit":
        return ""
    names = [f"-{name}-" for name in run.scenario_of.values()]
    rows = [(part.strip("-"), meaning) for part, meaning in MEANINGS if any(name.startswith(f"-{part}") if part[0] != "-" else part in name for name in names)]
    classes = [(str(c.get("title") or c.get("class")), ", ".join(map(str, c["scenario_names"]))) for c in run.answer.get("classes", []) if c.get("scenario_names")]
    return ('<section id="names"><h2>What the scenarios’ names mean</h2><dl class="words">'
            + "".join(f"<div><dt>{escape(part)}</dt><dd>{escape(meaning)}</dd></div>" for part, meaning in rows) + "</dl>"
            + (f'<div class="classes"><h3>The classes of work</h3>{definitions(classes)}</div>' if classes else "") + "</section>") if rows else ""


def detail_table(run: Run) -> str:
    head = ["contender", "scenario", "samples", "dropped", "median", "95 % interval", "p90", "p99", "first call", "overhead each",
            "ratio", "its interval", "efficiency", *(f"{what} each" for what in ("CPU", "thread switches", "allocations", "retains")),
            "peak threads", "peak memory", "lines"]
    known = lambda v: "" if v is None else duration(v)
    rows = [[c.contender, c.scenario, plain(c.samples), plain(c.dropped), known(c.median_ns),
             "" if c.median_ci_low_ns is None else span(c.median_ci_low_ns, c.median_ci_high_ns),
             known(c.p90_ns), known(c.p99_ns), known(run.first_calls.get((c.contender, c.scenario))),
             known(c.overhead_ns_per_upload), times(c.ratio),
             "" if c.ratio_ci_low is None else span(c.ratio_ci_low, c.ratio_ci_high, times),
             "" if c.efficiency is None or c.scenario in run.endings else percent(c.efficiency), known(c.cpu_ns_per_upload), plain(c.voluntary_switches_per_upload),
             plain(c.allocations_per_upload), plain(c.retains_per_upload), plain(c.peak_threads),
             "" if c.peak_rss_bytes is None else f"{c.peak_rss_bytes / 2**20:,.1f} MiB", plain(c.source_lines)]
            for c in run.cells.values() if c.measured]
    if len(rows) > MOST_CELLS:
        return f"<p>Every number of the {len(rows)} cells stands in summary.csv.</p>"
    return (f"<details><summary>Every number of every cell ({len(rows)})</summary>"
            + table(f"summary.csv; each: per {' or '.join(dict.fromkeys(run.unit_of.values()))}{empty(run)}", head, rows, text=(1,)) + "</details>")


MOST_CELLS = 250  # keeps the report below its 1.5 MB


def empty(run: Run) -> str:
    """Which columns have no values, and for which cells."""
    cells, said = [c for c in run.cells.values() if c.measured], []
    for column, what in (("p99_ns", "p99"), ("efficiency", "efficiency"), ("cpu_ns_per_upload", "CPU"), ("allocations_per_upload", "allocations"), ("retains_per_upload", "retains"),
                         ("voluntary_switches_per_upload", "thread switches"), ("peak_threads", "peak threads"), ("source_lines", "lines")):
        without = [c for c in cells if getattr(c, column) is None or column == "efficiency" and c.scenario in run.endings]
        if without:
            scenarios = list(dict.fromkeys(c.scenario for c in without))
            where = f", on {listed(scenarios)}" if len(scenarios) <= MOST_EMPTY else ""
            said.append(f"{what} in {plain(len(without))} of {plain(len(cells))} cells{where}{EMPTY.get(column, '')}")
    return f". Empty: {'; '.join(said)}" * bool(said)


MOST_EMPTY = 8  # scenarios that are named
EMPTY = {"p99_ns": " (too few samples)", "efficiency": " (no ideal to compare with)", "peak_threads": " (over before they were counted)"}


def dropped_section(run: Run) -> str:
    counts = Counter((s.scenario, s.dropped) for s in run.samples if s.dropped)
    reasons = sorted({reason for _, reason in counts})
    if not run.samples:
        return "<p>Unknown: there is no samples.csv.</p>"
    why = Counter(WHY_DROPPED.get(s.dropped, s.dropped) for s in run.samples if s.dropped)
    lead = (f"<p>{plain(counts.total())} of {plain(len(run.samples))} samples were dropped"
            + (f": {listed([f'{plain(count)} ({reason})' for reason, count in why.most_common()])}" if why else "") + f".{with_service(run, counts.total())}</p>")
    totals = Counter(s.scenario for s in run.samples)
    rows = [[s, *(plain(counts[s, reason]) for reason in reasons), plain(totals[s])] for s in run.scenarios if totals[s]]
    return lead + (f"<details><summary>By scenario ({len(rows)})</summary>"
                   + table("Samples dropped, by reason", ["scenario", *(r.replace("_", " ") for r in reasons), "of"], rows) + "</details>" if reasons else "")


def with_service(run: Run, shown: int) -> str:
    """Why the run's own count of what was dropped is another: it has the samples of the service by itself, too."""
    said = run.environment.get("dropped_samples")
    total = sum(numbers([said], *said)) if isinstance(said, dict) else 0
    return (f" These are the contenders'; the run's own count, {plain(total)}, has {plain(total - shown)} more of the service measured by itself."
            if total > shown else "")


def flat(name: str, content) -> list[tuple[str, str]]:
    """The leaves of environment.json, in the file's order; unknown (null, empty) is left out."""
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
    own = {k: v for k, v in environment.items() if k not in ("scenarios", "parts", "shard")}
    shard, parts = environment.get("shard"), environment.get("parts")
    if isinstance(shard, dict):
        own["shard"] = f"{shard.get('number')}/{shard.get('count')}"
    lines = flat("", own)
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, dict):
            words = [str(part[k]) for k in ("cpu_model", "core_count", "operating_system", "kernel", "started_at") if part.get(k)]
            lines.append((f"{part.get('machine') or 'machine'}, {part.get('run')}", ", ".join(words)))
    return lines


HOW_TO_READ = """
<p class="paper">On paper some charts, every sample and the code are left out: the page has them.</p>
<ul>
<li>A time is the median of the samples that count. A bar around a dot is the 95 % interval of this one; verdicts, and
so signs, are the run's, of all its comparisons together. That takes more than one interval does: one that leaves out 1 may have a ?.</li>
<li>Ratios and overheads pair samples of the same round, so that what slows the whole machine down cancels out.</li>
<li>A contender that did not do exactly the work asked has no number here, only a reason.</li>
<li>Threads are those of the whole process, the service's and the harness's included: that part is the same for all.</li>
<li>A chart is entered with the Tab key, and its marks are stepped through with the arrow keys.</li>
</ul>
<h3>What it cannot tell</h3>
<ul>
<li>How fast another machine is. Absolute times on a shared machine drift by tens of percent from run to run: compare contenders within this
page, and builds with <code>bench check --against</code>, which measures both interleaved.</li>
<li>What your uploads cost. The services are made up, so that the cost of coordinating is seen at all; beside a network's milliseconds most
of these differences in time vanish, as the charts of efficiency show; those in processor time do not.</li>
<li>How well a contender copes with work that it was not given. Uploads end in the order that the scenario says; some idioms are slow in
one order alone.</li>
<li>What blocking calls do elsewhere. There a pool's rule for new threads is measured, and it differs from system to system.</li>
<li>How hard an idiom is. Lines say how much there is to write; what a runtime takes, the toolchain's or ours, is in no count.</li>
<li>Which lines of an idiom take its time. Thread switches, allocations and retains are counted; what they leave is not taken apart.</li>
</ul>
"""


def pickable(node, what: str) -> None:
    """Lets every mark of a contender, or of a run, step back while another is picked."""
    for inner in node.get("layer", []):
        pickable(inner, what)
    encoding, mark = node.get("encoding", {}), node.get("mark")
    if mark and any(isinstance(of, dict) and of.get("field") == what for of in encoding.values()):
        opacity = mark.get("opacity", 1) if isinstance(mark, dict) else 1
        encoding["opacity"] = {"condition": {"test": f"picked === '' || datum.{what} === picked", "value": opacity}, "value": opacity * 0.12}


@functools.lru_cache(maxsize=2)
def packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def document(name: str, body: list[str], panels: list, picks: str = "contender") -> str:
    """The whole page: everything that it needs is in it."""
    specs = themed(panels, CSS_COLOURS)
    for spec in specs:
        spec["$schema"] = alt.SCHEMA_URL
        spec["params"] = [{"name": "picked", "value": ""}]
        pickable(spec, picks)
        spec.pop("description", None)  # the page's element has it
    content = json.dumps({"config": config(CSS_COLOURS), "panels": specs, "swift": SWIFT}, separators=(",", ":"))
    css = {name: " ".join([*(f"--{k}: {theme[k]};" for k in ("paper", "ink", "quiet", "line", "keyword", "string")),
                           *(f"--c{i}: {c};" for i, c in enumerate(theme["palette"]))]) for name, theme in THEMES.items()}
    parts = dict(title=escape(name), body="\n".join(body), specs=packed(content), vega=packed(scripts()), **css)
    template = PAGE
    for asset in ("page.css", "page.js"):
        template = template.replace(f"@{asset}@", Path(__file__).with_name(asset).read_text(encoding="utf-8"))
    return re.sub("@(\\w+)@", lambda match: parts[match[1]], template)


def warnings(environment: dict) -> list[str]:
    """Why not to believe the numbers."""
    alerts = [str(w) for w in environment.get("warnings") or []] if isinstance(environment.get("warnings"), list) else []
    if environment.get("build_configuration") == "debug":
        alerts.append("This is a debug build: its numbers are worth nothing.")
    if environment.get("interrupted"):
        alerts.append("The run was interrupted: it holds what was measured until then.")
    return alerts


def place(figures: list, body: list[str], before: int = 0) -> list:
    """Adds a section for each figure to the body; returns the panels in their order, which `before` others precede."""
    panels = []
    for drawn in figures:
        kind = {1: " wide", 5: " five"}.get(drawn.columns, "")
        places = []
        for i, spec in enumerate(drawn.panels):
            spec.setdefault("description", ": ".join([spec["title"]["text"], *spec["title"].get("subtitle", [])]))
            name = escape(spec["title"]["text"])
            places.append(
                f'<div class="chart" id="{drawn.key}-{i + 1}"><div class="panel" data-panel="{before + len(panels) + i}" style="--room:{spec["height"] + 70}px" tabindex="0" role="group" '
                f'aria-roledescription="chart" aria-label="{escape(spec["description"])}"></div><div class="tools"><a href="#{drawn.key}-{i + 1}" '
                f'aria-label="Link to the chart {name}">Link</a><button type="button" data-get="svg" aria-label="{name} as SVG">SVG</button>'
                f'<button type="button" data-get="csv" aria-label="The numbers of {name} as CSV">Data</button></div></div>')
        panels += drawn.panels
        first, rest = places[:drawn.folded], places[drawn.folded:] if drawn.folded else []
        folded = (f'<details><summary>The same of the others ({len(rest)} charts)</summary><div class="panels{kind}">{"".join(rest)}'
                  "</div></details>") if rest else ""
        body.append(f'<section id="{drawn.key}"><h2>{escape(drawn.title)}</h2><div class="small">{points(drawn.points)}</div><figure><figcaption>{keyed(drawn.shades)}{escape(unbroken(drawn.caption))}</figcaption>'
                    f'<div class="panels{kind}">{"".join(first)}</div>{folded}</figure></section>')
    return panels


def keyed(shades: list[tuple[str, str]]) -> str:
    """A patch of each style, and what it stands for."""
    return "".join(f'<span class="key"><i style="{style}"></i>{escape(what)}</span> ' for style, what in shades) + "<br>" * bool(shades)


NAMES = {"run": "What was run", "answer": "First picture", "words": "In words", "overhead": "By scenario", "cost": "Growth", "names": "Names", "efficiency": "Efficiency",
         "distribution": "Every sample", "endings": "Failure and cancellation", "resources": "Timers, threads, memory",
         "trace": "One post", "account": "Counted", "effort": "Lines against cost", "code": "The code", "numbers": "All numbers", "reading": "How to read it",
         "limits": "How much holds", "latency": "Latency against rate", "tail": "Distribution", "ratios": "Ratios"}


def contents(sections: list[str]) -> str:
    links = "".join(f'<li><a href="#{key}">{NAMES[key]}</a></li>' for key in sections)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'


# As Vega draws them.
OUTLINES = {
    "circle": "M1,6a5,5,0,1,1,10,0a5,5,0,1,1,-10,0", "square": "M2,2h8v8h-8Z", "triangle-up": "M1,11L6,2L11,11Z",
    "diamond": "M6,0.5L10.5,6L6,11.5L1.5,6Z", "cross": "M1,4.4H4.4V1H7.6V4.4H11V7.6H7.6V11H4.4V7.6H1Z", "triangle-down": "M1,2L6,11L11,2Z",
    "triangle-right": "M2,1L11,6L2,11Z",
}


def legend(names: list[str], what: str = "contender", first: str | None = None) -> str:
    """A button for each contender, or each run, that makes it stand out."""
    at = places(names, first) if what == "contender" else {name: number for number, name in enumerate(names)}
    chips = "".join(
        f'<button type="button" aria-pressed="false" data-pick="{escape(name)}"><svg viewBox="0 0 12 12" aria-hidden="true">'
        f'<path d="{OUTLINES[SHAPES[at[name] % len(SHAPES)]]}" style="fill:var(--c{at[name] % len(CSS_COLOURS["palette"])})"/></svg>{titled(name, 28)}</button>'
        for name in names)
    return f'<div id="legend" role="group" aria-label="Make one {what} stand out"><span class="quiet">Highlight:</span>{chips}</div>'


def header(name: str) -> str:
    return f'<header><h1>{escape(unbroken(name))}</h1><button id="theme" type="button">Dark or light</button></header>'


def machine(environment: dict) -> list[str]:
    """Its processor and how many cores it has, as far as they are known."""
    cores = environment.get("core_count")
    return [str(environment.get("cpu_model") or ""), counted(cores, "core") if cores else ""]


def facts(run: Run | LoadRun) -> list[tuple[str, str]]:
    """What a reader wants to know first of where the numbers come from; what is unknown is left out."""
    e = run.environment
    memory = e.get("memory_bytes")
    lines = [
        ("machine", ", ".join(filter(None, (
            *machine(e), binary(memory) if memory else "", str(e.get("architecture") or ""))))),
        ("system", ", ".join(str(e[k]) for k in ("operating_system", "kernel") if e.get(k))),
        ("toolchain", ", ".join(str(e[k]) for k in ("toolchain", "build_configuration") if e.get(k))),
        ("commit", f"{e['commit']}{', with changes that were not committed' if e.get('dirty') else ''}" if e.get("commit") else ""),
        ("command", " && ".join(repeated(e, bool(getattr(run, "trace", None)))) or (shlex.join(map(str, e["command_line"])) if isinstance(e.get("command_line"), list) else "")),
        ("time", " to ".join(str(e[k]) for k in ("started_at", "finished_at") if e.get(k))),
        ("seed", str(e.get("seed") if e.get("seed") is not None else "")),
        ("reference", str(run.reference or "")),
    ]
    return [(name, text) for name, text in lines if text]


def repeated(e: dict, traced: bool = False) -> list[str]:
    """The commands that do the run again with the build that it was made of, in a clone of the repository."""
    line, commit = e.get("command_line"), e.get("commit")
    if not (isinstance(line, list) and line and commit and str(line[0]).endswith("/bench")):
        return []
    seed = [] if e.get("seed") is None or "--seed" in line else ["--seed", e["seed"]]
    after = lambda option, usual: str(next((word for before, word in zip(line, line[1:]) if before == option), usual))
    folder = f"{after('--output', 'results')}/{after('--name', 'latest')}"
    return [f"git checkout {commit}", "swift build -c release --product bench", shlex.join(map(str, [*line, *seed])),
            *[shlex.join(map(str, [line[0], "trace", "--run", folder]))] * bool(traced), shlex.join(["uv", "run", "plot.py", folder])]


def definitions(lines: list[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in lines) + "</dl>"


def what_is_done(run: Run) -> str:
    if run.is_suite:
        return "Each scenario is a benchmark, done again and again in a process of its own."
    return ("Each scenario is an operation of a runtime, alone and many times; the reference does the least that has its effect."
            if run.unit == "unit" else
            "A job publishes a post: it uploads its media (how many is the fan-out), waits for all, then creates it; after a failure there is no "
            "post.")


def lead(run: Run) -> str:
    """What was run on what, in a line below the headline."""
    machines = f" on {len(run.machines)} machines" if len(run.machines) > 1 else ""
    where = ", ".join(filter(None, (*machine(run.environment), str(run.environment.get("toolchain") or "").partition(" (")[0])))
    name = f"{'' if run.is_suite else 'Fanout, run '}“{run.name}”{of_when(run)}"
    return (f'<p class="quiet lead">{escape(name)}: {counted(len(run.contenders), "contender")}, '
            f'{counted(len(set(run.scenario_of.values())), "scenario")}{machines}{escape("; " + where if where else "")}. {what_is_done(run)}</p>')


def code_lines(run: Run) -> tuple:
    """Of the pattern that most contenders write, and its name."""
    lines = {}
    for cell in run.cells.values():
        if cell.source_lines and cell.pattern:
            lines.setdefault(cell.pattern, {})[cell.contender] = cell.source_lines
    pattern = max(lines, key=lambda pattern: len(lines[pattern]), default=None)
    return lines.get(pattern, {}), pattern


def of_when(run: Run) -> str:
    """Such as `, 2026-01-31`."""
    day = str(run.environment.get("started_at") or "")
    return f", {day[:10]}" if day else ""


def shippers(run: Run) -> list:
    """Whose the idioms are, where they complete, and how long their code is, as far as the run says it."""
    known, (lines, pattern) = idioms(run), code_lines(run)
    words = {"toolchain": "Swift", "this package": "this package", "third party": "a third party"}
    of = lambda name, what: str(known.get(name, {}).get(what) or "")
    columns = [("what it is", lambda name: of(name, "name")), ("comes with", lambda name: words.get(of(name, "ships_with"), "")),
               ("completes on", lambda name: {"inline": "the thread that answers", "queue": "a queue", "pool": "a pool"}.get(of(name, "completions"), "")),
               (f"lines for {pattern}", lambda name: plain(lines.get(name)))]
    columns = [(head, cell) for head, cell in columns if any(map(cell, run.contenders))]
    rows = [[name, *(cell(name) for _, cell in columns)] for name in ranking(run)]
    return [Rows("", ["", *(head for head, _ in columns)], rows, tuple(range(1, len(columns) + 1 - bool(lines))))] if columns else []


WHY_DROPPED = {"warm_up": "warm-up: the first of each fresh process", "disturbed": "disturbed: something else had the processors in that round"}


def absent(run: Run) -> list[tuple[str, str]]:
    """The cells that have no row in the summary, and why."""
    cells = run.environment.get("missing_cells")
    return ([(str(cell), "planned, but has no sample") for cell in cells] if isinstance(cells, list) else []) + [
        (f"{contender} × {scenario}", "has samples, but no row that counts in summary.csv") for contender, scenario in run.unsummed]


def incomplete(run: Run) -> str:
    """Why the run is not whole, before its headline."""
    why = [*["it was interrupted"] * bool(run.environment.get("interrupted")), *["summary.csv has no row"] * (not run.cells),
           *[f"{counted(len(gone), 'cell')} missing" for gone in (absent(run),) if gone]]
    return f"Incomplete run ({', '.join(why)}). " * bool(why)


def in_sentences(run: Run) -> str:
    """What `bench` says of the run; without its answer.json, what makes one."""
    said = [s for s in run.answer.get("sentences", []) + run.answer.get("notes", []) if s != run.answer["headline"]]
    if not run.answer:
        said = [f"There is no answer.json, so there are charts and numbers only: bench merge {path_of(run.directory)} writes a copy of the run that has it, "
                "if two contenders are compared in two scenarios."]
    return f'<section id="words"><h2>In words</h2><ul class="said">{"".join(f"<li>{escape(unbroken(str(s)))}</li>" for s in said)}</ul></section>'


def points(tables: list) -> str:
    return "".join(table(*rows) for rows in tables)


def page(run: Run, figures: list, missing: list[str]) -> str:
    environment = run.environment
    body = [header(incomplete(run) + (run.answer.get("headline") or (figures[0].title if figures else run.name))), lead(run)]
    body += [f'<p class="alert">{escape(text)}</p>' for text in warnings(environment) + run.remarks.faults]
    shown, names = [drawn for drawn in figures if drawn.key == "answer"], glossary(run)
    others = [drawn for drawn in figures if drawn not in shown]
    for drawn in others:
        drawn.points = [*(shippers(run) if drawn.key == "effort" else []), *drawn.points]
    sections = [*(drawn.key for drawn in shown), "words", *(["names"] if names else []), *(drawn.key for drawn in others), "code", "numbers", "run", "reading"]
    body += [contents(sections), "<main>"]
    panels = place(shown, body)
    body += [in_sentences(run), names, legend(ranking(run), first=run.reference)]
    panels += place(others, body, len(panels))
    body.append(code(run, Sources(environment)))
    body += ['<section id="numbers"><h2>All numbers</h2>', cost_tables(run), detail_table(run)]
    unmeasured = run.unmeasured()
    if unmeasured or absent(run):
        body.append("<h3>What has no number, and why</h3>")
        body.append(table("Never plotted, never ranked", ["contender", "scenario", "outcome", "reason"],
                          [list(row) for row in unmeasured] + [[cell, "", "missing", why] for cell, why in absent(run)], text=(1, 2, 3)))
    body += ["<h3>What was dropped</h3>", dropped_section(run)]
    if missing:
        body += ["<h3>What could not be drawn</h3>", "<ul>", *(f"<li>{escape(m)}</li>" for m in missing), "</ul>"]
    body += ['</section><section id="run"><h2>What was run, and on what</h2>', definitions(facts(run)),
             *(f"<p>{escape(note)}</p>" for note in run.remarks.notes),
             f"<details><summary>Everything that the run recorded of its surroundings</summary>{definitions(surroundings(environment))}</details></section>",
             '<section id="reading" class="small"><h2>How to read it, and what it cannot tell</h2>', HOW_TO_READ, "</section></main>"]
    return document(run.name, body, panels)
