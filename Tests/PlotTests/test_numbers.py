"""That every number on the page is one of the run's files: run with `python3 -m unittest discover Tests/PlotTests`."""
import csv
import json
import re
import sys
import unittest
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from synthetic_run import CONTENDERS, SCENARIOS, write_trace  # noqa: E402
from test_plot import PLOT, RunCase, plots  # noqa: E402

UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
BLANKS = str.maketrans({"\u00a0": " ", "\u202f": "", "−": "-"})


class Reader(HTMLParser):
    """Tables as (caption, class of its body, rows of cells), a cell being what is large and what is small; all other text by its section."""

    def __init__(self, page: str):
        super().__init__()
        self.tables, self.rest, self.open, self.section, self.skipped, self.small, self.body, self.span = [], {}, None, "", 0, False, "", 1
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        self.section = known.get("id", self.section) if tag == "section" else self.section
        self.skipped += tag in ("style", "pre", "dl", "title")
        if tag == "table":
            self.tables.append(dict(caption="", bodies={}))
        elif tag == "tbody":
            self.body = f"{known.get('class', '')} {len(self.tables[-1]['bodies'])}"
        elif tag == "tr" and self.tables:
            self.tables[-1]["bodies"].setdefault(self.body, []).append([])
        elif tag in ("td", "th", "caption"):
            self.open, self.span = ["", ""], int(known.get("colspan", 1)) if tag == "td" else 1
        elif tag == "small" and self.open is not None:
            self.small = True
        elif tag == "thead":
            self.body = "head"

    def handle_endtag(self, tag):
        self.skipped -= tag in ("style", "pre", "dl", "title")
        self.section = "" if tag == "section" else self.section
        if tag == "small":
            self.small = False
        elif tag in ("td", "th"):
            self.tables[-1]["bodies"][self.body][-1] += [tuple(part.translate(BLANKS).strip() for part in self.open)] * self.span
            self.open = None
        elif tag == "caption":
            self.tables[-1]["caption"], self.open = self.open[0].translate(BLANKS), None

    def handle_data(self, data):
        if self.open is not None:
            self.open[self.small] += data
        elif not self.skipped:
            self.rest[self.section] = self.rest.get(self.section, "") + data.translate(BLANKS) + " "


def value(shown: str) -> tuple[float, float]:
    """What a text such as `~1.6×` or `6.81 ms` stands for, and half of its last digit."""
    number, scale = re.fullmatch(r"~?(-?[\d.]+) ?(ns|µs|ms|s|KiB|MiB|B)?×?", shown).groups()
    factor = {**UNITS, "B": 1, "KiB": 2**10, "MiB": 2**20, None: 1}[scale]
    return float(number) * factor, 0.5 * 10.0 ** -len(number.partition(".")[2]) * factor


class NumbersOfThePage(RunCase):
    def same(self, shown: str, known) -> None:
        stands, half = value(shown)
        self.assertLessEqual(abs(stands - float(known)), half * 1.001 + abs(float(known)) * 0.005 * (half >= 0.5), f"{shown} is not {known}")
        self.seen += 1

    def interval(self, shown: str, low, high) -> None:
        for text, known in zip(shown.split("–") * 2, (low, high)):
            self.same(text, known)

    def heat(self, table: dict, answer: dict) -> None:
        """A table of ratios, of each reference, with those of answer.json."""
        # What stands twice has another line below its name; a shape of an article stands without the word before it.
        rows_of = lambda title, small: [row for row in answer["contenders"] if row["title"] in (title, f"Textbook ({title.lower()})") and (not row.get("run") or row.get("is") in (small, title))]
        names = list(dict.fromkeys([answer["usual"], *answer["references"]]))
        head = [cell[0].lower() for cell in table["bodies"]["head"][0][1:-1]]
        classes = [next(c["class"] for c in answer["classes"] if c["title"].lower() == title) for title in head]
        for body, rows in table["bodies"].items():
            if body == "head":
                continue
            reference = names[int(re.match(r"to to-(\d+)", body)[1])]
            for (title, below), *cells in (row for row in rows if len(row) > 1):
                found = rows_of(title, below)
                row = next((row for row in found if row.get("is") == below), found[0])
                self.assertEqual((cells[-1][0].split()[0], cells[-1][1]), (str(row.get("lines") or "–"), f"+ {row['library_lines']}" if row.get("library_lines") else ""))
                for number, (large, small) in enumerate(cells[:-1]):
                    kind, measure = row.get(classes[number // 2]) or {}, ("time", "processor")[number % 2]
                    mean = (kind.get("beside", {}).get(reference) or {}).get(measure)
                    if row["contender"] == reference and large == "1×":
                        self.assertEqual(small, f"{kind['failed']} failed" if kind.get("failed") else "")
                    elif mean:
                        self.same(large, mean["ratio"])
                        self.assertEqual(large[0] == "~", mean["finding"] == "open")
                        self.interval(small, mean["low"], mean["high"])
                    else:
                        self.assertIn(large, ("not measured", "not in that run", "failed"))

    def jobs(self, table: dict, cells: dict, ids: dict) -> None:
        is_time = table["caption"].startswith("Time")
        (_, *names), rows = table["bodies"]["head"][0], next(rows for body, rows in table["bodies"].items() if body != "head")
        for (scenario, _), *shown in rows:
            for (name, _), (large, small) in zip(names, shown):
                cell = cells.get((ids.get(name, name), scenario))
                if not re.match(r"[\d.]+ ", large):
                    continue
                self.same(large, cell["median_ns"] if is_time else float(cell["cpu_ns_per_upload"]) * max(int(cell["fan_out"]), 1))
                if " to " in small and "×" not in small:
                    for text, end in zip(small.split(" to "), ("low", "high")):
                        self.same(text, cell[f"median_ci_{end}_ns"])
                elif small:
                    ratio, _, ends = small.partition(" ")
                    self.same(ratio, cell["ratio" if is_time else "cpu_ratio"])
                    self.interval(ends, *(cell[f"{'' if is_time else 'cpu_'}ratio_ci_{end}"] for end in ("low", "high"))) if ends else None

    def single(self, table: dict, answer: dict, cells: dict, ids: dict) -> None:
        scenarios = {job["title"]: job["scenario"] for job in answer["jobs"]}
        (_, *names), rows = table["bodies"]["head"][0], next(rows for body, rows in table["bodies"].items() if body != "head")
        for (title, _), *shown in rows:
            for (name, _), (large, small) in zip(names, shown):
                if title not in scenarios or large == "–":
                    continue
                cell = cells[ids[name], scenarios[title]]
                self.same(large, cell["median_ns"])
                if small:
                    self.same(small.removeprefix("CPU "), float(cell["cpu_ns_per_upload"]) * max(int(cell["fan_out"]), 1))

    def growth(self, table: dict, answer: dict, cells: dict) -> None:
        titles = {row["title"]: row["contender"] for row in answer["contenders"]}
        (_, *widths), rows = table["bodies"]["head"][0], next(rows for body, rows in table["bodies"].items() if body != "head")
        for (title, _), *shown in rows:
            for (width, _), (large, small) in zip(widths[:-1], shown):
                count = int(width.split()[0])
                cell = next(c for s in answer["growth"]["scenario_names"] for c in [cells[titles[title], s]] if int(c["fan_out"]) == count)
                self.same(large, float(cell["median_ns"]) / count)
                for text, end in zip(small.split(" to "), ("low", "high")):
                    self.same(text, float(cell[f"median_ci_{end}_ns"]) / count)

    def causes(self, table: dict, cells: dict, ids: dict) -> None:
        columns = {what: name for name, what, _ in plots.page.CAUSES}
        (_, *heads), rows = table["bodies"]["head"][0], next(rows for body, rows in table["bodies"].items() if body != "head")
        for (name, _), *shown in rows:
            for (head, _), (large, _) in zip(heads, shown):
                if large != "–":
                    self.same(large, cells[ids.get(name, name), table["caption"].partition(";")[0]][columns[head]])

    def check(self, directory: Path) -> None:
        self.seen = 0
        code, files, said = self.draw("--format", "html", runs=(directory,))
        self.assertEqual(code, 0, said)
        page = Reader(files["report.html"].decode())
        answer = json.loads((directory / "answer.json").read_text())
        with open(directory / "summary.csv", newline="") as file:
            cells = {(row["contender"], row["scenario"]): row for row in csv.DictReader(file)}
        ids = {row["title"]: row["contender"] for row in answer["contenders"]}
        for table in page.tables:
            caption = table["caption"]
            if "head" in table["bodies"] and "Multiples" in table["bodies"]["head"][0][0][0]:
                self.heat(table, answer)
            elif caption.startswith(("Time of a whole job", "CPU of a whole job")):
                self.jobs(table, cells, ids)
            elif caption.startswith("Median time; below it"):
                self.single(table, answer, cells, ids)
            elif caption.startswith("Time of one upload"):
                self.growth(table, answer, cells)
            elif "; counts and memory" in caption:
                self.causes(table, cells, ids)
        # Of the rest every number stands in the answer's words, or counts what is in its lists.
        words = json.dumps(answer, ensure_ascii=False).translate(BLANKS)
        known = {"1", "95", *re.findall(r"\d+(?:\.\d+)?", words)}
        for section in ("answer", "picks", "cost"):
            rest = [number for number in re.findall(r"\d+(?:\.\d+)?", page.rest.get(section, "").replace("⅛", "").replace("¼", "").replace("½", "")) if number not in known]
            allowed = {"2", "4", "8", "16", str(sum(not row["variant"] and not row.get("run") for row in answer["contenders"]))}
            ticks = {f"{number:g}" for number in (1, 2, 5, 10, 20, 50, 100, 200, 500)}
            labels = [number for number in rest if number not in allowed | ticks]
            if section == "cost":  # the labels of the lines' ends and the tips of the points are those of the table
                shown = {part for table in page.tables if table["caption"].startswith("Time of one upload") for rows in table["bodies"].values() for row in rows for large, _ in row
                         for part in re.findall(r"\d+(?:\.\d+)?", large)}
                labels = [number for number in labels if number not in shown]
            self.assertEqual(labels, [], section)

    def test_of_a_made_up_run_each_is_one_of_the_files(self):
        write_trace(self.write(CONTENDERS, SCENARIOS), {"callbacks": 0})
        self.check(self.place / "run")
        self.assertGreater(self.seen, 400)

    def test_of_a_recorded_run_each_is_one_of_the_files(self):
        for name, least in (("reference", 2_000), ("reference-textbook", 1_000)):
            directory = PLOT.parent / "results" / name
            if not directory.is_dir():
                self.skipTest("there is no recorded run")
            with self.subTest(name):
                self.check(directory)
                self.assertGreater(self.seen, least)


if __name__ == "__main__":
    unittest.main()
