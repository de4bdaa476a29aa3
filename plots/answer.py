"""The first picture: contenders × classes of work, time and CPU, as the run's answer.json has them."""
from __future__ import annotations

import math
from itertools import groupby
from types import SimpleNamespace

from .model import grouped
from .svg import LIGHT, picture, text
from .text import clipped, duration, ends, escape, listed, multiple, plain, sentence

# Colours of ratios, by their logarithm to base 2: grey where there is no difference.
RAMPS = {"light": [(-3, "1f5f9e"), (-1.5, "8fbfe3"), (-0.6, "d3e5f3"), (0, "f0f2f3"), (0.5, "fdecc8"), (1.07, "fdd28c"), (2, "f6a54a"), (3, "dd6b1d"), (3.8, "b04410"), (4.6, "7a2a08")],
         "dark": [(-3, "8cc6f4"), (-1.5, "2c6599"), (-0.6, "1f3f5c"), (0, "23282e"), (0.5, "3d321c"), (1.07, "5b4418"), (2, "8a5a15"), (3, "c9781c"), (3.8, "f29b3c"), (4.6, "ffc98a")]}
NONE = "not measured"
STEPS = range(-12, 19)  # quarters of a doubling


def step(ratio: float) -> int:
    return min(max(round(4 * math.log2(ratio)), STEPS[0]), STEPS[-1])


def shade(number: int, theme: str) -> tuple[str, str]:
    """The colour of a step, and black or white, whichever can be read on it."""
    at, ramp = number / 4, RAMPS[theme]
    (low, start), (high, end) = next((pair for pair in zip(ramp, ramp[1:]) if at <= pair[1][0]), (ramp[-2], ramp[-1]))
    share = min(max((at - low) / (high - low), 0), 1)
    mixed = [round(a + (b - a) * share) for a, b in zip(bytes.fromhex(start), bytes.fromhex(end))]
    light = sum(weight * (part / 255) ** 2.2 for weight, part in zip((0.2126, 0.7152, 0.0722), mixed))
    return "#" + bytes(mixed).hex(), "#000" if light > 0.179 else "#fff"


def shades(theme: str) -> str:
    """The style of every step."""
    return "".join(f".h{number}{{background-color:{paper};color:{ink}}}" for number in STEPS for paper, ink in [shade(number, theme)])


def cell(row: dict, kind: str, reference: str, measure: str) -> SimpleNamespace:
    """What stands in a cell: large, small, its colour's step, whether it is open, and the least and the most where jobs point both ways."""
    cost = row.get(kind) if isinstance(row.get(kind), dict) else {}
    mean = ((cost.get("beside") or {}).get(reference) or {}).get(measure)
    failed = f"{cost['failed']} failed" if cost.get("failed") else ""
    if row["contender"] == reference and cost.get("measured"):
        return SimpleNamespace(large="1×", small=failed, step=0, open=False, apart=None)
    if not isinstance(mean, dict) or not mean.get("ratio"):
        return SimpleNamespace(large="failed" if failed else NONE, small="", step=None, open=False, apart=None)
    is_open = mean.get("finding") == "open"
    small = ends(mean["low"], mean["high"]) if mean.get("low") and mean.get("high") else "no interval"
    return SimpleNamespace(large="~" * is_open + multiple(mean["ratio"]) + "×", small=small + f"\n{failed}" * bool(failed), step=step(mean["ratio"]), open=is_open,
                           apart=(mean["least"], mean["most"]) if mean.get("least") and mean.get("most") else None)


def references(answer: dict) -> list[str]:
    """Those that a reader may choose, the usual one first; what has no row is none."""
    named = [row["contender"] for row in answer["contenders"]]
    return [name for name in dict.fromkeys([answer["usual"], *answer["references"]]) if name in named] or [answer["usual"]]


def title_of(answer: dict, name: str) -> str:
    return next((str(row.get("title") or name) for row in answer["contenders"] if row["contender"] == name), name)


def by_group(rows: list[dict]) -> dict[str, list[dict]]:
    return grouped(rows, lambda row: str(row.get("group") or ""))


def notes(answer: dict) -> dict[str, str]:
    """What stands beside the heading of a group."""
    return {str(group.get("title")): str(group.get("note") or "") for group in answer.get("groups") or [] if isinstance(group, dict)}


def subtitle(row: dict) -> str:
    known = str(row.get("is") or "")
    return known if known and known != row.get("title") else row["contender"] if row["contender"] != row.get("title") else ""


def own(rows: list[dict]) -> list[dict]:
    """Those that the run itself measured."""
    return [row for row in rows if not row.get("run")]


def choice(answer: dict) -> str:
    """The reader's reference: all tables follow it, without a script."""
    names = references(answer)
    if len(names) < 2:
        return ""
    return ('<fieldset class="against"><legend>Tables compared with</legend>' + "".join(
        f'<label><input type="radio" name="reference" id="to-{number}"{" checked" * (not number)}><span>{escape(title_of(answer, name))}</span></label>'
        for number, name in enumerate(names)) + "</fieldset>")


def following(answer: dict) -> str:
    """The style by which tables follow the choice."""
    return ".to:not(.to-0){display:none}" + "".join(
        f"body:has(#to-{n}:checked) .to:not(.to-{n}){{display:none}}body:has(#to-{n}:checked) tbody.to-{n}{{display:var(--body)}}body:has(#to-{n}:checked) span.to-{n}{{display:inline}}"
        for n in range(len(references(answer))))


def heat_table(answer: dict, rows: list[dict], caption: str, breaks: bool = False) -> str:
    """A table for a choice of rows: for each reference its bodies, of which one is shown."""
    names = references(answer)
    classes = [c for c in answer["classes"] if any(isinstance(row.get(c["class"]), dict) and (row[c["class"]].get("measured") or row[c["class"]].get("failed")) for row in rows)]
    longest = max([row["lines"] for row in rows if row.get("lines")], default=0)
    of = "".join(f'<span class="to to-{n}">{escape(title_of(answer, name))}</span>' for n, name in enumerate(names))
    tail = f'<th scope="col" rowspan="2" class="tail">{"Lines, and what it leaves out" if breaks else "Lines<small>of code</small>"}</th>'
    head = (f'<tr><th scope="col" rowspan="2">Multiples of {of}<small>small: 95 % interval</small></th>'
            + "".join(f'<th scope="colgroup" colspan="2">{escape(heading(c))}{noise(c) * bool(own(rows))}<small>{escape(str(c.get("meaning") or ""))}</small></th>' for c in classes)
            + f'{tail}</tr><tr>{"".join("""<th scope="col">time</th><th scope="col">CPU</th>""" for _ in classes)}</tr>')
    bodies = []
    for number, name in enumerate(names):
        for group, members in by_group(rows).items():
            # Where a page is narrow, what another run measured is folded, and each group has the classes above its columns.
            far = bool(group) and not breaks and all(row.get("run") for row in members)
            show = '<label class="show"><input type="checkbox">show</label>' * far
            above = "".join(f"<span>{escape(heading(c))}{noise(c) * (not far)}</span>" for c in classes)
            lines = [f'<tr class="group"><th scope="rowgroup" colspan="{2 * len(classes) + 2}">{escape(group[:1].upper() + group[1:])}<small>{escape(notes(answer).get(group, ""))}</small>{show}'
                     f'<span class="heads" aria-hidden="true">{above}</span></th></tr>'] if group and not breaks else []
            for row in members:
                cells = "".join(gone(row, len(some)) if is_gone else "".join(td(cell(row, c["class"], name, measure), measure, example(row, c, measure)) for c in some for measure in ("time", "processor"))
                                for is_gone, some in stretches(row, classes, name))
                count, broken = row.get("lines"), row.get("breaks") if breaks else None
                below = f"<small> + {plain(row.get('library_lines'))}</small>" * bool(row.get("library_lines"))
                last = (f'<td class="tail words"><b>{plain(count) or "–"}</b>{below} {escape(", ".join(map(str, broken or [])))}</td>' if breaks else
                        f'<td class="tail{" none" * (not count)}">{plain(count) or "–"}' + (f'<i style="width:{100 * count / longest:.0f}%"></i>' if count else "") + below + "</td>")
                lines.append(f'<tr><th scope="row">{escape(clipped(str(row.get("title") or row["contender"]), 34))}<small>{escape(clipped(subtitle(row), 40))}</small></th>{cells}{last}</tr>')
            bodies.append(f'<tbody class="to to-{number}{" far" * far}">{"".join(lines)}</tbody>')
    return (f'<table class="heat{" grouped" * any("rowgroup" in body for body in bodies)}" style="--n:{len(classes)}"><caption>{escape(caption)}</caption>'
            f'<colgroup><col class="name">{"<col>" * (2 * len(classes))}<col class="tail{" words" * breaks}"></colgroup><thead>{head}</thead>{"".join(bodies)}</table>')


def noise(c: dict) -> str:
    """How many jobs of a class lost many samples."""
    return f' <small class="noisy">{c["noisy"]} of {c["scenarios"]} noisy</small>' if c.get("noisy") and c.get("scenarios") else ""


def heading(c: dict) -> str:
    title = str(c.get("title") or c["class"])
    return title[:1].upper() + title[1:]


def example(row: dict, c: dict, measure: str) -> str:
    """What the example of a class itself took."""
    own = (row.get(c["class"]) or {}).get("example_ns" if measure == "time" else "example_cpu_ns")
    return f"one job: {duration(own)}" if own else ""


def stretches(row: dict, classes: list[dict], name: str) -> list[tuple[bool, list[dict]]]:
    """Classes of work in their order: together where a row has none of them."""
    is_gone = lambda c: all(cell(row, c["class"], name, measure).large == NONE for measure in ("time", "processor"))
    return [(is_none, list(some)) for is_none, some in groupby(classes, is_gone)]


def gone(row: dict, count: int) -> str:
    return f'<td class="none gone" colspan="{2 * count}" style="--k:{count}"><b>{absent(row)}</b></td>'


def absent(row: dict) -> str:
    return "not in that run" if row.get("run") else NONE


def td(one: SimpleNamespace, measure: str, own: str) -> str:
    kinds = [measure[0]] + ([f"h{one.step}"] if one.step is not None else ["none"]) + ["open"] * one.open
    edges = '<i class="two"></i>' * bool(one.apart)
    split = f"{multiple(one.apart[0])}× in one job, {multiple(one.apart[1])}× in another" if one.apart else ""
    tips = "; ".join(filter(None, (split, own)))
    return (f'<td class="{" ".join(kinds)}"' + f' title="{tips}"' * bool(tips) + f'>{edges}<b>{escape(one.large)}</b><small>{escape(one.small).replace(chr(10), "<br>")}</small></td>')


KEY = [("⅛", -12), ("¼", -8), ("½", -4), ("1×", 0), ("2", 4), ("4", 8), ("8", 12), ("16", 16)]


def legend(answer: dict) -> str:
    ramp = "".join(f'<span class="h{number}">{label}</span>' for label, number in KEY)
    return (f'<p class="key"><span>less</span><span class="ramp">{ramp}</span><span>more</span><span class="gap"><i class="open h4"></i>hatched, ~: may be no difference</span>'
            '<span><i class="both"></i>less in one job, more in another</span></p>')


def about(answer: dict) -> str:
    """What the numbers are, and what the words mean."""
    jobs = listed([plain(c.get("scenarios")) for c in answer["classes"]])
    same = f"; 1 in it without hatching: the same, within {100 * answer['margin']:g} %" if answer.get("margin") else ""
    measured = {row["contender"] for row in own(answer["contenders"])}
    twice = listed([str(row.get("title") or row["contender"]) for row in plain_rows(answer) if row.get("run") and row["contender"] in measured])
    below = "after a +, its library's" if any(row.get("library_lines") for row in answer["contenders"]) else "without its library"
    bridge = "async/await awaits callbacks by a checked continuation, as with most SDKs. " * ("swift-concurrency" in measured)
    return (f"Large: geometric mean of {jobs} job{'s' * (jobs != '1')}. Small: its 95 % interval{same}. "
            + "Noisy jobs lost many samples. " * any(c.get("noisy") for c in answer["classes"])
            + f"{twice} stands twice: other jobs, another run. " * bool(twice) + bridge
            + f"Time: until the caller knows. CPU: of all threads. Lines: publish and what it reaches; {below}. Other machines and more cores: not known.")


def plain_rows(answer: dict) -> list[dict]:
    """All but other spellings; with those of another run."""
    return [row for row in answer["contenders"] if not row.get("variant")] or answer["contenders"]


def hero(answer: dict, opening: str) -> str:
    many = " class=many" * (len(plain_rows(answer)) > 8)
    return (f'<section id="answer"{many}><header><p class="brand"><b>Fanout</b> {escape(opening)}</p><h1>{escape(answer["headline"])}</h1>'
            f'<p class="line">{sentence(answer["line"])}</p></header>{choice(answer)}'
            f'{heat_table(answer, plain_rows(answer), "Time and CPU of each contender in each class of work")}{legend(answer)}'
            f'<p class="about">{escape(about(answer))}</p><p class="place">{escape(answer["place"])}{escape(elsewhere(answer))}{answer.get("again", "")}{answer.get("picture", "")}</p></section>')


def elsewhere(answer: dict) -> str:
    """Where the rows of other runs come from."""
    # What both have in common is not said twice.
    known, others = str(answer.get("place")).split(" · "), [other for other in answer.get("other_runs") or [] if isinstance(other, dict)]
    groups = {row.get("run"): row.get("group") for row in plain_rows(answer)}
    return "".join(f" · {groups.get(other.get('run'))}: run {other.get('run')}" + "".join(f", {part}" for part in str(other.get("place") or "").split(" · ") if part not in known) for other in others if other.get("run") in groups)


def drawn(one: SimpleNamespace, at: float, y: float, wide: float) -> list[str]:
    """A cell of the picture."""
    paper, ink = shade(one.step, "light") if one.step is not None else (LIGHT["paper"], LIGHT["quiet"])
    rect = lambda x, top, width, height, fill: f'<rect x="{x:.1f}" y="{top}" width="{width:.1f}" height="{height}" fill="{fill}"/>'
    parts = [rect(at, y, wide, 42, paper), *[rect(at, y, wide, 42, "url(#hatch)")] * one.open]
    if one.apart:
        parts += [rect(at, y, wide / 2, 3, LIGHT["s1"]), rect(at + wide / 2, y, wide / 2, 3, LIGHT["s2"])]
    return parts + [text(at + wide / 2, y + 19, one.large, "middle", 15, ink, 700) if one.step is not None else text(at + wide / 2, y + 25, one.large, "middle", 11, ink),
                    text(at + wide / 2, y + 34, one.small.replace("\n", ", "), "middle", min(11, 1.7 * wide / max(len(one.small), 1)), ink)]


def heat_picture(answer: dict, rows: list[dict], key: str, title: str, caption: str, place: str = "") -> SimpleNamespace:
    """A table as a picture, compared with the usual reference."""
    name, classes = answer["usual"], [c for c in answer["classes"] if any((row.get(c["class"]) or {}).get("measured") for row in rows)]

    def draw(width: float) -> tuple[float, str]:
        left, right, y = 168, 58, 44
        column = (width - left - right) / (2 * len(classes))
        parts = ['<pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0,0V7" stroke="#000" stroke-opacity=".2"/></pattern>',
                 text(0, 18, f"Multiples of {clipped(title_of(answer, name), 14)}", size=12, weight=700), text(0, 34, "small: 95 % interval", size=11, colour="var(--quiet)"),
                 text(width - right + 10, 18, "Lines", weight=700), text(width - right + 10, 34, "of code", size=11, colour="var(--quiet)")]
        for number, c in enumerate(classes):
            at = left + column * 2 * number
            parts += [text(at + column, 14, heading(c), "middle", 13, weight=700), *[text(at + column, 24, f"{c.get('noisy')} of {c.get('scenarios')} noisy", "middle", 9, "var(--accent)")] * bool(c.get("noisy") and c.get("scenarios")), text(at + column / 2, 34, "time", "middle", 11, "var(--quiet)"),
                      text(at + 1.5 * column, 34, "CPU", "middle", 11, "var(--quiet)")]
        for group, members in by_group(rows).items():
            if group:
                parts.append(text(0, y + 16, group[:1].upper() + group[1:], size=12, weight=700) + text(7.2 * len(group) + 14, y + 16, notes(answer).get(group, ""), size=11, colour="var(--quiet)"))
                y += 24
            for row in members:
                title = str(row.get("title") or row["contender"])
                parts += [text(0, y + 18, clipped(title, 28), size=14 if len(title) < 21 else 11, weight=600), text(0, y + 34, clipped(subtitle(row), 26), size=11, colour="var(--quiet)"),
                          text(width - right + 10, y + (18 if row.get("library_lines") else 25), plain(row.get("lines")) or "–", size=13, weight=600),
                          *[text(width - right + 10, y + 34, f"+ {plain(row.get('library_lines'))}", size=11, colour="var(--quiet)")] * bool(row.get("library_lines"))]
                number = 0
                for is_gone, some in stretches(row, classes, name):
                    at, number = left + column * 2 * number, number + len(some)
                    if is_gone:
                        parts.append(text(at + column * len(some) - 4, y + 25, absent(row), "middle", 11, "var(--quiet)"))
                        continue
                    for side, (c, measure) in enumerate((c, measure) for c in some for measure in ("time", "processor")):
                        parts += drawn(cell(row, c["class"], name, measure), at + column * side, y, column - (8 if side % 2 else 2))
                y += 44
            y += 6
        for number, (label, of) in enumerate(KEY):
            paper, ink = shade(of, "light")
            parts.append(f'<rect x="{40 * number}" y="{y + 4}" width="40" height="18" fill="{paper}"/>' + text(40 * number + 20, y + 17, label, "middle", 11, ink))
        parts.append(text(40 * len(KEY) + 12, y + 17, "hatched, ~: may be no difference; line above: less in one job, more in another", size=11, colour="var(--quiet)"))
        return y + 26, "".join(parts)
    return picture(key, title, caption, [("", draw)], widths=(1232,), place=place)
