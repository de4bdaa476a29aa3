"""What plot.py promises: run with `python3 -m unittest discover Tests/PlotTests`."""
import base64
import contextlib
import csv
import gzip
import html
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parent))
from synthetic_run import CONTENDERS, SCENARIOS, write_growth, write_run, write_trace  # noqa: E402

PLOT = Path(__file__).resolve().parents[2] / "plot.py"
sys.path.insert(0, str(PLOT.parent))
import plots.command  # noqa: E402

try:
    plots.libraries.load_libraries()
    DRAWS = True
except plots.reading.Problem:
    DRAWS = False
needs_libraries = unittest.skipUnless(DRAWS, f"needs {plots.libraries.INSTALL}")


def some(names: dict, *wanted: str) -> dict:
    return {name: names[name] for name in wanted}


FEW = some(CONTENDERS, "callbacks", "futures", "coroutines")
SHORT = some(SCENARIOS, "publish-instant-1", "publish-instant-1000", "publish-latency-100", "publish-error-100")


class RunCase(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)

    def write(self, contenders=FEW, scenarios=SHORT, wrong=None, rounds=8, **more) -> Path:
        return write_run(self.place / "run", contenders, scenarios, wrong=wrong, rounds=rounds, **more)

    def edit(self, name: str, change):
        """Rewrites a file of the run through `change(text)`."""
        path = self.place / "run" / name
        path.write_text(change(path.read_text()))

    def set(self, name: str, number: int, **values):
        """Sets cells of the row at `number` (0: the first below the header)."""
        path = self.place / "run" / name
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        rows[number].update(values)
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    def draw(self, *arguments: str, runs=("run",)) -> tuple:
        """Exit code, what it wrote (name: bytes), and what it said on stderr."""
        said, printed = io.StringIO(), io.StringIO()
        output = self.place / "out"
        try:
            with contextlib.redirect_stderr(said), contextlib.redirect_stdout(printed):
                code = plots.command.main([*(str(self.place / run) for run in runs), "--output", str(output), *arguments])
        except plots.reading.Problem as problem:
            said.write(str(problem))
            code = problem.code
        files = {path.name: path.read_bytes() for path in output.iterdir()} if output.is_dir() else {}
        return code, files, said.getvalue()

    def leave_out_each_column(self) -> None:
        """One at a time, of each file that is read: there is a page, or a message that says what to do, and never a traceback."""
        for path in sorted(path for path in (self.place / "run").glob("*.csv") if path.name in plots.reading.DRAWN):
            whole = list(csv.reader(path.read_text().splitlines()))
            for number, column in enumerate(whole[0]):
                # All of them take half a minute: a third, drawn anew each time, unless the check is thorough.
                is_tried = "FANOUT_THOROUGH" in os.environ or random.random() < 1 / 3
                if is_tried and column in plots.reading.DRAWN[path.name].split():
                    with self.subTest(f"{path.name} without {column}"):
                        shutil.rmtree(self.place / "out", ignore_errors=True)
                        with open(path, "w", newline="") as file:
                            csv.writer(file, lineterminator="\n").writerows(cells[:number] + cells[number + 1:] for cells in whole)
                        code, files, said = self.draw("--format", "html")
                        self.assertEqual(code, 0 if plots.reading.RULES[path.name][column].need == "or absent" else 6, said)
                        if code:
                            self.assertRegex(said, rf"{path.name}:1: column {column} is missing from the header\. Another version wrote the file, or it was edited: record the run again with this version\.")
                        for page in files.values():
                            self.assertNotRegex(texts(page.decode()), r"\bNone\b|\bnan\b|\binf\b")
            with open(path, "w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(whole)

    def report(self) -> str:
        code, files, said = self.draw("--format", "html")
        self.assertEqual(code, 0, said)
        return files["report.html"].decode()


def panels(report: str) -> list:
    specs = re.search(r'<script type="application/gzip" id="specs">(.*?)</script>', report, re.S)[1]
    panels = json.loads(gzip.decompress(base64.b64decode(specs)))["panels"]
    for number, label in re.findall(r'data-panel="(\d+)"[^>]*?aria-label="([^"]*)"', report):
        panels[int(number)]["description"] = html.unescape(label)
    return panels


def charted(report: str, title: str) -> dict:
    """The first panel of that title."""
    return next(panel for panel in panels(report) if panel["title"]["text"] == title)


def rows(panel) -> list:
    """The rows of a panel's data."""
    if isinstance(panel, list):
        return sum(map(rows, panel), [])
    if not isinstance(panel, dict):
        return []
    values = panel.get("values")
    if isinstance(values, list) and values and isinstance(values[0], dict):
        return [row for row in values if list(row) != ["one"]]
    return rows(list(panel.values()))


def texts(report: str) -> str:
    """The words of a report, without its scripts and styles."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", re.sub(r"<(script|style)\b.*?</\1>", " ", report, flags=re.S)))


class BadInput(RunCase):
    def faults(self) -> list:
        return plots.model.read_run(self.place / "run").remarks.faults

    def test_what_is_damaged_is_named_with_line_and_column_in_one_line_each(self):
        replace = lambda old, new, count=1: lambda text: text.replace(old, new, count)
        cases = [
            ("summary.csv", replace(",median_ns,", ",middle_ns,"), ":1: column median_ns is missing"),
            ("summary.csv", replace(",p90_ns,p99_ns,", ",p91_ns,p98_ns,"), ":1: column p90_ns is missing from the header, as is 1 more"),
            ("samples.csv", replace(",reason,", ",why,"), ":1: column reason is missing"),
            ("samples.csv", replace(",iterations,", ",iterations,wall_ns,"), ":1: column wall_ns stands twice"),
            ("samples.csv", replace(",outcome,", ",end,"), ":1: column outcome is missing from the header, where end is not known. Another version wrote the file"),
            ("summary.csv", lambda text: text + "a,b\n", ":14: has 2 fields where 62 belong"),
            ("summary.csv", lambda text: text + "a,b\na,b\n", ":14: has 2 fields where 62 belong. Another version wrote the file, or it was edited: record the run again with this version. That row, and 1 more of the file are left out."),
            ("summary.csv", lambda text: text + text.splitlines()[1] + "\n", ":14: callbacks × publish-instant-1 stands twice"),
            ("summary.csv", lambda text: "", ":1: the file is empty. Record the run again."),
            ("samples.csv", lambda text: text + '"\n', ": has a quote that is not closed, or stands within a field"),
            ("environment.json", lambda text: text[:-3], "environment.json: is not JSON"),
            ("environment.json", lambda text: "[]", "environment.json: holds no JSON object"),
        ]
        for name, change, message in cases:
            with self.subTest(message):
                self.write()
                self.edit(name, change)
                found = self.faults()
                self.assertEqual(len(found), 1, found)
                self.assertIn(message, found[0])
                self.assertIn(str(self.place / "run" / name), found[0])
                self.assertNotIn("\n", found[0])

    @needs_libraries
    def test_the_rest_of_a_damaged_run_is_drawn_and_exits_6(self):
        self.write()
        self.set("samples.csv", 4, wall_ns="12x")
        self.edit("environment.json", lambda _: "{")
        code, files, said = self.draw("--format", "svg,html")
        self.assertEqual(code, 6)
        self.assertIn("overhead.svg", files)
        self.assertIn("samples.csv:6: column wall_ns holds \"12x\", which is no whole number. Correct or remove the line, or record the run again. That row of the file is left out.", said)
        page = texts(files["report.html"].decode())
        for line in said.splitlines()[:2]:
            self.assertIn(plots.text.escape(line[len("plot.py: "):]), page)
        self.assertIn("287 samples", page)

    @needs_libraries
    def test_a_run_of_which_nothing_can_be_read_leaves_an_earlier_page_as_it_was(self):
        self.write()
        before = self.draw("--format", "html")[1]
        for name in ("samples.csv", "summary.csv"):
            self.edit(name, lambda text: text.replace("contender", "contestant"))
        code, files, said = self.draw("--format", "html")
        self.assertEqual((code, files), (6, before))
        self.assertIn("column contender is missing", said)

    def test_a_cell_that_holds_no_number_is_named(self):
        for text in ("12x", "nan", "inf", "1e999", "²", "١", "0x10", "1_000", " 7", "--"):
            with self.subTest(text):
                self.write()
                self.set("samples.csv", 4, wall_ns=text)
                self.assertIn("samples.csv:6: column wall_ns holds", self.faults()[0])
                self.assertEqual(len(plots.model.read_run(self.place / "run").samples), 3 * 4 * 3 * 8 - 1)

    def test_a_number_that_no_run_has_is_named_and_its_row_left_out(self):
        for name, column in (("samples.csv", "fan_out"), ("samples.csv", "wall_ns"), ("summary.csv", "median_ci_high_ns"), ("summary.csv", "efficiency"), ("growth.csv", "exponent")):
            for text in ("1e308", "2e30", "9" * 40):
                with self.subTest(f"{name} {column} {text[:5]}"):
                    write_growth(self.write(), FEW)
                    self.set(name, 1, **{column: text})
                    self.assertEqual(len(self.faults()), 1)
                    self.assertRegex(self.faults()[0], rf'{name}:3: column {column} holds "{text}…?", which is (no whole number|more than any run has)\. Correct or remove the line, or record the run again\. That row of the file is left out')

    def test_a_word_that_no_file_has_is_named_and_its_row_left_out(self):
        for name, column in (("samples.csv", "outcome"), ("summary.csv", "outcome"), ("growth.csv", "verdict")):
            with self.subTest(f"{name} {column}"):
                write_growth(self.write(), FEW)
                self.set(name, 1, **{column: "fine"})
                self.assertEqual(len(self.faults()), 1)
                self.assertIn(f"{name}:3: column {column} holds \"fine\", which is none of: ", self.faults()[0])

    @needs_libraries
    def test_a_name_that_the_charts_have_for_themselves_is_drawn_as_any_other(self):
        marks = {}
        for text in ("plain", "paper", "0", "constructor", "toString", "true", "contender"):
            write_growth(self.write(rename=lambda name: text if name in ("futures", "publish-latency-100") else name), {text: None})
            code, files, said = self.draw("--format", "svg")
            self.assertEqual(code, 0, said)
            marks[text] = {name: content.count(b"<path") for name, content in files.items()}
            self.assertEqual(marks[text], marks["plain"], text)

    def test_what_is_no_name_is_named(self):
        for text, why in (("__proto__", "; a name is a letter or digit followed by"), ("colour 99", "; a name is"), ("a\0b", "has a control character in a field")):
            with self.subTest(text):
                self.write(rename=lambda name: text if name == "futures" else name)
                self.assertEqual([why in fault for fault in self.faults() if "answer.json" not in fault], [True, True], self.faults())

    def test_a_row_that_stands_twice_is_named_and_counts_once(self):
        for name, rows in (("samples.csv", 3 * 4 * 3 * 8), ("growth.csv", 3)):
            with self.subTest(name):
                write_growth(self.write(), FEW)
                self.edit(name, lambda text: text + "".join(text.splitlines(True)[1:3]))
                run = plots.model.read_run(self.place / "run")
                self.assertEqual(len(run.remarks.faults), 1)
                self.assertRegex(run.remarks.faults[0], rf"{name}:{rows + 2}: .*(stands twice, first in|column round repeats) line 2.* Remove one of them, or record the run again\. That row, and 1 more of the file are left out")
                self.assertEqual(len(run.samples if name == "samples.csv" else run.growth), rows)

    def test_rows_of_one_scenario_have_one_fan_out(self):
        for name in ("summary.csv", "samples.csv"):
            with self.subTest(name):
                self.write()
                self.set(name, 4, fan_out="0")
                self.assertEqual(len(self.faults()), 1)
                self.assertRegex(self.faults()[0], rf"{name}:6: column fan_out is 0, where (line \d+ has|other rows have) \d+ for publish-\S+\. {plots.reading.CORRECT} That row is left out\.")

    @needs_libraries
    def test_numbers_of_the_record_that_are_none_are_named_and_unknown(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1", "publish-instant-10"))
        self.edit("environment.json", lambda text: json.dumps({**json.loads(text), "work_prices": [{"hand_over_ns": 5}]}))
        whole = json.loads((self.place / "run" / "environment.json").read_text())
        for change, named in (({"core_count": "two"}, "core_count holds 'two', which is no number"), ({"core_count": [2]}, "core_count holds '[2]', which is no number"),
                              ({"memory_bytes": {"a": 1}}, "memory_bytes holds \"{'a': 1}\", which is no number"), ({"core_count": -1}, "core_count holds -1, which no run can have"),
                              ({"memory_bytes": 1e308}, "memory_bytes holds 1e+308, which no run can have"), ({"core_count": float("inf")}, "core_count holds inf, which no run can have"),
                              ({"work_prices": [{"hand_over_ns": -5}]}, "work_prices.hand_over_ns holds -5, which no run can have")):
            with self.subTest(named):
                self.edit("environment.json", lambda _: json.dumps({**whole, **change}))
                code, files, said = self.draw("--format", "html")
                self.assertEqual((code, said.count(named)), (6, 1), said)
                self.assertIn("report.html", files)

    def test_a_link_to_nothing_and_a_folder_without_rights_are_said(self):
        self.write()
        (self.place / "run" / "summary.csv").unlink()
        (self.place / "run" / "summary.csv").symlink_to("nowhere")
        self.assertRegex(self.faults()[0], r"summary\.csv: cannot be read: it is a link to nothing\.")
        access, os.access = os.access, lambda *_: False  # root may read everything
        self.addCleanup(setattr, os, "access", access)
        code, _, said = self.draw("--format", "html")
        self.assertEqual(code, 6)
        self.assertIn(f"{self.place / 'run'}: its files cannot be read. Give yourself the right to (chmod u+rx), or name another.", said)

    def test_a_row_without_its_key_is_named(self):
        for column in ("contender", "scenario", "outcome", "fan_out"):
            with self.subTest(column):
                self.write()
                self.set("summary.csv", 2, **{column: ""})
                self.assertIn(f"summary.csv:4: column {column} is empty", self.faults()[0])

    def test_a_number_that_someone_changed_is_not_believed(self):
        changes = {
            "median": (dict(median_ns="1", median_ci_low_ns="1", median_ci_high_ns="1"), "a median_ns of 1, its samples one of"),
            "interval": (dict(median_ci_low_ns="1e9", median_ci_high_ns="2e9"), "a median_ns outside its interval"),
            "ratio": (dict(ratio="7"), "a ratio outside its interval"),
        }
        for name, (cells, message) in changes.items():
            with self.subTest(name):
                self.write()
                self.set("summary.csv", 1, **cells)
                run = plots.model.read_run(self.place / "run")
                self.assertEqual(len(run.remarks.faults), 1)
                self.assertIn(f"summary.csv:3: futures × publish-instant-1 has {message}", run.remarks.faults[0])
                self.assertEqual(run.unmeasured(), [("futures", "publish-instant-1", "contradicted", "the files do not agree on it")])

    def test_bytes_that_are_no_text_are_named_with_their_line(self):
        self.write()
        path = self.place / "run" / "samples.csv"
        path.write_bytes(path.read_bytes().replace(b"futures", b"fut\xffres", 1))
        self.assertRegex(self.faults()[0], r"samples\.csv:\d+: has bytes that are not UTF-8\. Save it as UTF-8 ")

    def test_half_a_last_line_is_left_out_and_said(self):
        self.write()
        self.edit("samples.csv", lambda text: text[:-20])
        run = plots.model.read_run(self.place / "run")
        self.assertEqual(len(run.samples), 3 * 4 * 3 * 8 - 1)
        self.assertIn("half a line", run.remarks.notes[0])

    def test_a_number_of_uploads_is_whole(self):
        self.write()
        self.edit("summary.csv", lambda text: text.replace(",instant,1,", ",instant,1.5,"))
        self.assertEqual(len(self.faults()), 1)
        self.assertIn("summary.csv:2: column fan_out holds \"1.5\", which is no whole number. Correct or remove the line, or record the run again. That row, and 2 more of the file are left out.", self.faults()[0])

    def everything(self) -> dict:
        """A run with every file and every column that is read; of each file the columns."""
        directory = self.write(some(FEW, "callbacks", "futures"), rounds=4)
        write_growth(directory, FEW)
        write_trace(directory, {"callbacks": 0, "futures": 1})
        mean = dict(mean_ratio=2, decided=2, undecided=0, most_ratio=3, most_scenario="publish-instant-1")
        (directory / "answer.json").write_text(json.dumps(dict(
            headline="Recorded.", baseline="callbacks", sentences=[],
            classes=[{"class": "nothing_waits", "title": "nothing waits", "scenario_names": ["publish-instant-1", "publish-instant-1000"], "scenarios": 2, "example": "publish-instant-1000"}],
            contenders=[{"contender": name, "nothing_waits": dict(time=mean, processor=mean, failed=0)} for name in ("callbacks", "futures")])))
        columns = {}
        for path in directory.glob("*.csv"):
            with open(path, newline="") as file:
                found = list(csv.DictReader(file))
            empty = [name for name in plots.reading.DRAWN[path.name].split() if not any(row[name] for row in found)]
            for row in found:
                other = row.get("contender") != "callbacks"
                for name in empty:
                    row[name] = {"machine": "", "verdict": "slower" * other, "cpu_verdict": "slower" * other, "within_margin": "false" * other, "unresolved_reason": ""}.get(name, "1")
            columns[path.name] = list(found[0])
            with open(path, "w", newline="") as file:
                writer = csv.DictWriter(file, found[0], lineterminator="\n")
                writer.writeheader()
                writer.writerows(found)
        return columns

    @needs_libraries
    def test_without_any_one_column_there_is_a_page_or_one_message(self):
        read = {name: set(found.split()) for name, found in plots.reading.DRAWN.items()}
        self.assertEqual([read[name] - set(found) for name, found in self.everything().items()], [set()] * 3)
        self.assertEqual(self.draw("--format", "html")[0], 0)
        self.leave_out_each_column()

    @needs_libraries
    def test_a_run_that_is_not_whole_says_so_first_and_gives_no_false_reasons(self):
        self.everything()
        head = lambda: re.search("<h1>(.*?)</h1>", self.report())[1]
        self.assertNotIn("Incomplete", head())
        lost = lambda text: "".join(line for line in text.splitlines(True) if not line.startswith("synthetic,futures,publish-instant-1000,"))
        self.edit("summary.csv", lost)
        self.assertTrue(head().startswith("Incomplete run (1 cell missing). "), head())
        self.assertIn("futures × publish-instant-1000 missing has samples, but no row that counts in summary.csv", texts(self.report()))
        (self.place / "run" / "summary.csv").unlink()
        self.edit("environment.json", lambda text: json.dumps({**json.loads(text), "interrupted": True, "commit": "0123456789"}))
        code, _, said = self.draw("--format", "html")
        self.assertTrue(head().startswith("Incomplete run (it was interrupted, summary.csv has no row). "), head())
        self.assertIn("not drawn: cost against fan-out: needs summary.csv, which has no row", said)
        self.assertNotIn("two fan-outs", said)
        self.assertNotIn("none of the run's contenders", html.unescape(texts(self.report())))

    def test_an_answer_of_another_run_is_left_out_and_said(self):
        self.everything()
        path = self.place / "run" / "answer.json"
        whole = path.read_text()
        changes = {
            "futures is no contender": lambda: self.edit("summary.csv", lambda text: text.replace(",futures,", ",others,")) or self.edit("samples.csv", lambda text: text.replace(",futures,", ",others,")),
            "nobody is no contender": lambda: path.write_text(whole.replace('"baseline": "callbacks"', '"baseline": "nobody"')),
            "publish-x-1 is no scenario": lambda: path.write_text(whole.replace('names": ["publish-instant-1"', 'names": ["publish-x-1"')),
            "a mean ratio of 7 of futures in nothing_waits is not borne out": lambda: path.write_text(whole.replace('"mean_ratio": 2', '"mean_ratio": 7')),
            "a mean ratio of 2 of futures in nothing_waits is not borne out": lambda: [self.set("summary.csv", row, verdict="unresolved", within_margin="false") for row in range(4)],
            "mean_ratio holds -2": lambda: path.write_text(whole.replace('"mean_ratio": 2', '"mean_ratio": -2', 1)),
            "most_ratio holds 1e+308": lambda: path.write_text(whole.replace('"most_ratio": 3', '"most_ratio": 1e308', 1)),
        }
        for why, change in changes.items():
            with self.subTest(why):
                self.everything()
                change()
                run = plots.model.read_run(self.place / "run")
                self.assertEqual([why in fault for fault in run.remarks.faults if "answer.json" in fault], [True], run.remarks.faults)
                self.assertEqual(bool(run.answer), "holds" in why)

    def test_no_directory_and_an_empty_one_are_said_in_one_line(self):
        for make in (lambda path: None, lambda path: path.mkdir()):
            path = self.place / "run"
            make(path)
            code, files, said = self.draw()
            self.assertEqual((code, files), (6, {}))
            self.assertEqual(said.count(str(path)), 1)

    def test_wrong_usage_exits_1_with_a_hint(self):
        for arguments, named in ((["--format", "pdf"], "'pdf' is no format"), (["--color"], "--color"), (["--output", ""], "argument --output: a folder's name is empty")):
            with self.subTest(arguments):
                code, _, said = self.draw(*arguments)
                self.assertEqual(code, 1)
                self.assertIn(named, said)
                self.assertIn("--help", said)
        done = self.handed_out("")
        self.assertEqual((done.returncode, done.stderr), (1, b"plot.py: argument RUN_DIR: a folder's name is empty. Try: plot.py --help\n"))

    def test_a_missing_library_exits_1_with_the_command_that_installs_it(self):
        self.write()
        for library in ("altair", "vl_convert"):
            with self.subTest(library):
                shadow = self.place / f"without-{library}"
                shadow.mkdir()
                (shadow / f"{library}.py").write_text(f"raise ImportError('hidden', name={library!r})")
                done = subprocess.run([sys.executable, str(PLOT), str(self.place / "run")], capture_output=True, text=True,
                                      env={**os.environ, "PYTHONPATH": str(shadow)})
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn(plots.libraries.INSTALL, done.stderr)

    def test_the_file_alone_says_in_one_line_what_it_lacks_and_with_its_folder_goes_anywhere(self):
        alone = shutil.copy(PLOT, self.place)
        ask = lambda: subprocess.run([sys.executable, alone, "nowhere"], capture_output=True, text=True, cwd=self.place)
        self.assertEqual((ask().returncode, ask().stderr), (1, "plot.py: the folder plots is not beside it: copy both, or run it in its checkout.\n"))
        shutil.copytree(PLOT.parent / "plots", self.place / "plots")
        self.assertEqual(ask().returncode, 6)
        self.assertIn("nowhere: is no run directory", ask().stderr)

    @needs_libraries
    def test_a_reader_that_stops_reading_costs_no_traceback(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1"))
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([sys.executable, str(PLOT), str(self.place / "run"), "--format", "html"], stdout=writing,
                              stderr=subprocess.PIPE, text=True)
        os.close(writing)
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("Traceback", done.stderr)
        self.assertTrue((self.place / "run" / "report.html").exists())

    def test_what_is_no_regular_file_is_neither_waited_for_nor_read(self):
        kinds = {"a pipe": os.mkfifo, "a device": lambda path: path.symlink_to("/dev/zero"), "a folder": lambda path: path.mkdir()}
        for name in ("samples.csv", "summary.csv", "environment.json"):
            for kind, make in kinds.items():
                with self.subTest(f"{name} is {kind}"):
                    shutil.rmtree(self.place / "run", ignore_errors=True)
                    self.write()
                    path = self.place / "run" / name
                    path.unlink()
                    make(path)
                    found = self.faults()
                    self.assertEqual(len(found), 1, found)
                    self.assertRegex(found[0], f"{name}: cannot be read: (it is no regular file|Is a directory)\\. ")

    def test_a_file_that_no_run_has_is_refused_unread(self):
        for name, size in (("samples.csv", 2**30 + 1), ("environment.json", 64 * 2**20 + 1)):
            with self.subTest(name):
                self.write()
                os.truncate(self.place / "run" / name, size)  # without a block on the disk
                found = self.faults()
                self.assertEqual(len(found), 1, found)
                self.assertIn(f"{name}: is larger than {size >> 20} MiB", found[0])

    def test_more_rows_than_a_run_has_are_left_out(self):
        self.write()
        most, plots.reading.MOST_ROWS = plots.reading.MOST_ROWS, 20
        self.addCleanup(setattr, plots.reading, "MOST_ROWS", most)
        run = plots.model.read_run(self.place / "run")
        self.assertEqual(len(run.samples), 20)
        self.assertIn("samples.csv:22: has more than 20 rows", run.remarks.faults[0])

    @needs_libraries
    def test_half_a_pair_of_surrogates_is_shown_as_what_it_is(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1"))
        self.edit("environment.json", lambda text: '{"cpu_model": "\\ud800 AMD \\ud83d\\ude00", "\\udfff": "key", ' + text.replace('"cpu_model"', '"cpu"')[1:])
        said = texts(self.report())
        self.assertIn("\ufffd AMD \U0001f600", said)
        self.assertIn("\ufffd key", said)

    def handed_out(self, *arguments: str, stdout=subprocess.PIPE, close=()) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, str(PLOT), *arguments], stdout=stdout, stderr=subprocess.PIPE, timeout=120,
                              preexec_fn=lambda: [os.close(number) for number in close])

    @needs_libraries
    def test_a_standard_output_that_takes_nothing_exits_6_in_one_line(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1"))
        run, page = str(self.place / "run"), self.place / "run" / "report.html"
        for arguments in ([run, "--format", "html"], ["--help"]):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                for done in (self.handed_out(*arguments, stdout=full), self.handed_out(*arguments, stdout=None, close=[1])):
                    self.assertEqual(done.returncode, 6, done.stderr)
                    self.assertRegex(done.stderr.decode(), r"(\A|\n)plot\.py: cannot write to standard output: .*\n\Z")
                    self.assertNotIn(b"Traceback", done.stderr)
        self.assertTrue(page.exists())

    @needs_libraries
    def test_a_folder_whose_name_is_no_text_is_drawn_and_named(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1"))
        (self.place / "run" / "summary.csv").unlink()
        folder = os.fsencode(self.place) + b"/\xff"
        try:
            os.rename(self.place / "run", folder)
        except OSError as error:
            self.skipTest(f"no folder can have such a name here: {error.strerror}")
        done = self.handed_out(folder, "--format", "html")
        self.assertEqual((done.returncode, done.stdout), (0, folder + b"/report.html\n"), done.stderr)

    @needs_libraries
    def test_an_output_that_cannot_be_written_exits_6(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1"))
        (self.place / "out").write_text("a file stands here")
        # Before half a minute of drawing.
        with unittest.mock.patch("plots.command.FIGURES", {lambda run: self.fail("it draws"): ""}):
            code, _, said = self.draw("--format", "html")
        self.assertEqual(code, 6)
        self.assertIn("cannot be written", said)
        self.assertIn("Name a folder that you may write into: --output DIR", said)
        self.assertEqual((self.place / "out").read_text(), "a file stands here")


@needs_libraries
class Truth(RunCase):
    def test_columns_of_a_later_version_change_nothing(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1", "publish-instant-10"))
        before = self.report()
        with open(self.place / "run" / "summary.csv", newline="") as file:
            later = list(csv.DictReader(file))
        for row in later:
            row.update(within_margin="false", rounds_to_resolve="120", disturbed_rounds="14", rank_probabilities="0.93;0.07;0.00")
        with open(self.place / "run" / "summary.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, later[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(later)
        self.assertEqual(self.report(), before)

    def test_what_two_machines_measured_is_never_drawn_as_one(self):
        self.write(rounds=8)
        run = self.place / "run"
        for name in ("samples.csv", "summary.csv"):
            found = list(csv.DictReader((run / name).read_text().splitlines()))
            with open(run / name, "w", newline="") as file:
                writer = csv.DictWriter(file, found[0], lineterminator="\n")
                writer.writeheader()
                writer.writerows(dict(row, machine=machine) for machine in ("node-1", "node-2") for row in found)
        report = self.report()
        drawn = plots.model.read_run(run)
        self.assertEqual(drawn.machines, ["node-1", "node-2"])
        self.assertIn("publish-instant-1 @ node-1", drawn.scenarios)
        self.assertEqual({tuple(names) for names in drawn.families().values()}, {
            (f"publish-instant-1 @ {m}", f"publish-instant-1000 @ {m}") for m in drawn.machines})
        self.assertEqual(len(drawn.cells), 2 * len(FEW) * len(SHORT))
        self.assertIn("4 scenarios on 2 machines", texts(report))
        self.assertIn("publish-latency-100 @ node-2", texts(report))

    def test_the_external_baseline_is_no_contender(self):
        self.write(rounds=8)
        for name in ("samples.csv", "summary.csv"):
            self.edit(name, lambda text: text + "".join(
                line.replace(",callbacks,publish", ",cp,publish", 1) + "\n"
                for line in text.splitlines() if ",callbacks,publish" in line))
        self.assertEqual(plots.model.read_run(self.place / "run").contenders, list(FEW))
        self.assertEqual(self.draw("--format", "html")[2].count("cp"), 0)

    def test_the_parts_of_a_merged_run_say_their_machines(self):
        self.write(rounds=8)
        self.edit("environment.json", lambda text: json.dumps({
            **json.loads(text), "scenarios": {"a": {"definition": {"seed": "42"}}},
            "shard": {"number": 2, "count": 4, "scenarios": [["a"]]},
            "parts": [{"machine": "node-1", "run": "r1", "cpu_model": "Example CPU"}]}))
        said = texts(self.report())
        self.assertIn("node-1, r1 Example CPU", said)
        self.assertIn("shard 2/4", said)
        self.assertNotIn("definition", said)

    def test_a_cell_that_is_not_measured_is_listed_with_its_reason_and_drawn_nowhere(self):
        self.write(wrong=("futures", "publish-instant-1"))
        report = self.report()
        self.assertIn("futures publish-instant-1 wrong media 7: cancelled twice, expected once (24 samples)", texts(report))
        for panel in panels(report):
            for row in rows(panel):
                if panel["title"]["text"] == "publish-instant-1" and row["contender"] == "futures":
                    self.assertEqual((row.get("value"), row.get("v"), row["label"]), (None, None, "wrong"))
                self.assertFalse(row.get("x") == 1 and row["contender"] == "futures")

    def test_a_number_beside_another_outcome_is_not_believed(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1", "publish-instant-10"))
        self.set("summary.csv", 1, outcome="timed_out")
        self.set("samples.csv", 4, contender="futures", outcome="timed_out", reason="no answer within 5 s")
        report = self.report()
        self.assertIn("futures publish-instant-1 timed out no answer within 5 s (1 sample)", texts(report))
        drawn = [row for panel in panels(report) if panel["title"]["text"] == "publish-instant-1" for row in rows(panel)]
        self.assertEqual({row["label"] for row in drawn if row["contender"] == "futures"}, {"timed out"})

    def test_an_empty_cell_is_unknown_and_never_0(self):
        self.write()
        blank = dict.fromkeys(["median_ns", "efficiency", "source_lines", "ratio_ci_low", "median_ci_low_ns", "peak_threads"], "")
        self.set("summary.csv", 1, **blank)
        self.set("summary.csv", 2, ratio_ci_low="", source_lines="", peak_threads="")
        report = self.report()
        self.assertIn("futures publish-instant-1 no number", texts(report))
        overhead = rows(charted(report, "publish-instant-1"))
        self.assertEqual({row["low"] for row in overhead if row["contender"] == "coroutines"}, {None})
        self.assertNotIn(0, [row.get(key, "") for panel in panels(report) for row in rows(panel) for key in ("value", "y", "low", "x")])

    def test_a_dropped_sample_is_counted_but_not_drawn(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1"))
        dots = lambda report: next(rows(p) for p in panels(report) if any("v" in row for row in rows(p)))
        before = dots(self.report())
        kept = next(i for i, sample in enumerate(plots.model.read_run(self.place / "run").samples) if not sample.dropped)
        self.set("samples.csv", kept, dropped="disturbed", wall_ns="987654321")
        self.edit("environment.json", lambda text: json.dumps({**json.loads(text), "dropped_samples": dict(warm_up=900, disturbed=100)}))
        report = self.report()
        after = dots(report)
        self.assertEqual(len([r for r in before if "v" in r]) - 1, len([r for r in after if "v" in r]))
        self.assertNotIn(987700000, [row.get("v") for row in after])
        counts = [sample.dropped for sample in plots.model.read_run(self.place / "run").samples]
        self.assertIn(f"{len(counts) - counts.count(None)} of {len(counts)} samples were dropped", texts(report))
        more = 1000 - (len(counts) - counts.count(None))
        self.assertIn(f"the run's own count, 1 000, has {more} more of the service", texts(report))

    def test_every_name_comes_from_the_files(self):
        self.write(rename=lambda name: name[::-1])
        report = self.report()
        for name in (*FEW, *SHORT):
            self.assertNotIn(name, report)
        source = PLOT.read_text()
        for name in (*CONTENDERS, *SCENARIOS):
            if name not in ("callbacks", "futures", "operations"):  # also ordinary words
                self.assertNotIn(name, source)

    def test_the_interval_of_an_overhead_is_that_of_the_ratio_around_the_point(self):
        reference = SimpleNamespace(median_ns=1000)
        cell = SimpleNamespace(units=10, median_ns=2000, overhead_ns_per_upload=99.0, ratio=2.0, ratio_ci_low=1.9, ratio_ci_high=2.2)
        point, low, high = plots.model.overhead(cell, reference)
        self.assertEqual(point, 99)
        self.assertAlmostEqual(low, 89)
        self.assertAlmostEqual(high, 119)

    def test_contenders_faster_than_the_reference_are_drawn_below_one(self):
        self.write(contenders={"callbacks": CONTENDERS["operations"], "futures": CONTENDERS["futures"]})
        panel = charted(self.report(), "publish-instant-1")
        self.assertLess(rows(panel)[0]["value"], 1)
        low, high = panel["layer"][1]["encoding"]["x"]["scale"]["domain"]
        self.assertTrue(low < rows(panel)[0]["value"] and 1 < high)

    def test_scenarios_that_differ_only_in_fan_out_are_one_family(self):
        names = ["a-10-limit-10", "a-100-limit-10", "b-100", "b-1000-x"]
        self.write(scenarios={name: ("instant", int(name.split("-")[1]), None, 1) for name in names})
        self.assertEqual(plots.model.read_run(self.place / "run").families(),
                         {"a-N-limit-10": names[:2], "b-100": ["b-100"], "b-1000-x": ["b-1000-x"]})

    def test_growth_is_drawn_as_the_file_has_it(self):
        directory = self.write(scenarios={n: s for n, s in SCENARIOS.items() if "instant" in n})
        write_growth(directory, FEW)
        self.set("growth.csv", 1, exponent=1.9, exponent_ci_low=1.8, exponent_ci_high=2, verdict="superlinear", superlinear_from_fan_out=100,
                 stopped_at_fan_out=10000, stopped_by="timed out")
        report = self.report()
        self.assertRegex(texts(report), "Growth: an upload of publish-instant-N takes .* at fan-out 1, .* at 10 000")
        panel = next(p for p in panels(report) if p["title"]["text"] == "publish-instant-N")
        self.assertIn("growing as N^1.90 (1.80 to 2.00), superlinear", panel["description"])
        found = rows(panel)
        self.assertIn("futures, stopped at 10\u202f000", [row.get("text") for row in found])
        self.assertEqual({row["x"] for row in found if "power" in row}, {1, 10, 100, 1000, 10000})

    def test_names_of_scenarios_are_explained_where_they_occur(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1", "publish-instant-1000"))
        said = texts(self.report())
        self.assertIn("instant answers come at once", said)
        self.assertNotIn("latency answers", said)

    def test_what_a_post_is_made_of_is_called_what_it_is(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1", "publish-instant-10"))
        units = {"publish-instant-1": {"unit": "chunk"}, "publish-instant-10": {"unit": "<b>"}}
        self.edit("environment.json", lambda text: json.dumps({**json.loads(text), "scenarios": units}))
        run = plots.model.read_run(self.place / "run")
        self.assertEqual([run.per(s) for s in units], ["per chunk", "per upload"])
        self.edit("environment.json", lambda text: json.dumps({**json.loads(text), "scenarios": [1]}))
        self.assertEqual(set(plots.model.read_run(self.place / "run").unit_of.values()), {"upload"})

    def test_a_ratio_has_one_sign_at_most(self):
        of = lambda verdict, near, name="a": plots.text.sign(SimpleNamespace(contender=name, reference="b", verdict=verdict, within_margin=near))
        self.assertEqual([of("unresolved", "false"), of("equivalent", "true"), of("slower", "true"), of("slower", "false"), of(None, None), of(None, None, "b")],
                         [" ?", " =", " =", "", " ?", ""])

    def test_threads_that_nobody_counted_are_unknown(self):
        self.write(rounds=8)
        self.set("summary.csv", 1, peak_threads=0)
        self.assertEqual({cell.peak_threads for cell in plots.model.read_run(self.place / "run").cells.values()}, {None, 4})

    def test_what_is_counted_of_an_upload_stands_beside_what_it_does(self):
        self.write(rounds=8)
        said = texts(self.report())
        self.assertIn("Counted: on publish-instant-1000 an upload allocates 3.01", said)
        self.assertRegex(said, r"time ÷ callbacks allocations callbacks 1 3.01 futures \S+ \?? ?3.01 coroutines")
        self.edit("environment.json", lambda text: json.dumps({**json.loads(text), "idioms": {"futures": {"name": "promises", "per_upload": "makes a promise"}}}))
        self.assertRegex(texts(self.report()), r" what it does time ÷ callbacks allocations callbacks 1 3.01 futures makes a promise \S+ \?? ?3.01 coroutines")

    def test_what_repeats_the_run_says_of_which_build(self):
        self.write(rounds=8)
        self.edit("environment.json", lambda text: json.dumps({
            **json.loads(text), "commit": "0123456789ab", "dirty": False, "seed": 7, "command_line": [".build/release/bench", "run", "--name", "a b"]}))
        self.assertIn("git checkout 0123456789ab &amp;&amp; swift build -c release --product bench &amp;&amp; .build/release/bench run --name &#x27;a b&#x27; --seed 7", self.report())

    def test_the_answer_is_the_headline_and_its_means_are_the_first_picture(self):
        self.write()
        mean = lambda ratio, undecided=0: dict(mean_ratio=ratio, decided=2, undecided=undecided)
        costs = {"callbacks": (mean(1), mean(1)), "futures": (mean(1.74, 1), mean(1.5)), "coroutines": (mean(None, 2), mean(2.25))}
        (self.place / "run" / "answer.json").write_text(json.dumps(dict(
            headline="Callbacks take least.", baseline="callbacks", sentences=["One <b>two</b>."], notes=["Undecided: 3."],
            classes=[{"class": "nothing_waits", "title": "nothing waits", "meaning": "uploads take no time", "scenarios": 3}],
            contenders=[{"contender": name, "nothing_waits": dict(time=time, processor=cpu, failed=0)} for name, (time, cpu) in costs.items()])))
        report = self.report()
        self.assertIn("<h1>Callbacks take least.</h1>", report)
        self.assertIn("<li>One &lt;b&gt;two&lt;/b&gt;.</li><li>Undecided: 3.</li>", report)
        found = {row["contender"]: row for row in rows(panels(report)[0])}
        self.assertEqual({name: row["label"] for name, row in found.items()},
                         {"callbacks": "1.00 · 1.00", "futures": "1.74 ? · 1.50", "coroutines": "? · 2.25"})
        self.assertEqual((found["futures"]["value"], found["futures"]["cpu"], found["coroutines"]["value"]), (1.74, 1.5, None))

    def test_a_run_without_an_answer_says_in_one_line_what_makes_it_and_judges_nothing(self):
        self.write()
        (self.place / "run" / "answer.json").unlink()
        words = re.search('<section id="words">(.*?)</section>', self.report(), re.S)[1]
        self.assertEqual(words.count("<li>"), 1)
        self.assertIn(f"There is no answer.json, so there are charts and numbers only: bench merge {self.place / 'run'} writes", words)

    def test_an_answer_that_is_none_is_left_out_and_said(self):
        self.write()
        for text in ("{", "[]", '{"headline": 1}', '{"headline": "x", "baseline": "b", "sentences": [], "classes": [1], "contenders": []}'):
            with self.subTest(text):
                (self.place / "run" / "answer.json").write_text(text)
                code, files, said = self.draw("--format", "html")
                self.assertEqual(code, 6)
                self.assertIn("answer.json", said)
                self.assertIn("Time beside callbacks", texts(files["report.html"].decode()))

    def traced(self) -> list:
        """The panels of one post of each contender."""
        return [panel for panel in panels(self.report()) if "hand-over" in "".join(panel["title"].get("subtitle", []))]

    def test_one_post_of_each_contender_is_drawn_thread_by_thread(self):
        write_trace(self.write(), {"callbacks": 0, "coroutines": 4}, failed={"futures": "it hangs"})
        said = texts(self.report())
        self.assertIn("One post of publish-latency-2, thread by thread: coroutines hands work over 4 times and callbacks never", said)
        self.assertIn("Spans explain all of each post; recording adds 1.2 % at most. Not traced: futures (it hangs).", said.replace("\u00a0", " "))
        chain, group = self.traced()
        self.assertEqual([panel["title"]["subtitle"] for panel in (chain, group)], [
            ["5.01\u00a0ms on 2 threads, no hand-over"], ["5.08\u00a0ms on 3 threads, 4 hand-overs: 81.0\u00a0µs of it"]])
        for text in ("caller starts and asks for 2", "service answers, posts and completes"):
            self.assertIn(text, chain["description"])
        for text in ("caller starts;", "service answers;", "thread 1 asks for 2, posts and completes"):
            self.assertIn(text, group["description"])
        arrows = [(row["lane"], row["to"]) for row in rows(group) if "to" in row]
        self.assertEqual(arrows[:4], [("caller", "thread 1")] * 2 + [("service", "thread 1")] * 2)

    def test_waiting_is_squeezed_and_all_else_has_one_scale(self):
        write_trace(self.write(), {"callbacks": 0, "coroutines": 4})
        chain, group = self.traced()
        spans = [[row for row in rows(panel) if row.get("lane") == "critical path" and "what" in row] for panel in (chain, group)]
        scales = {round((row["x2"] - row["x"]) / (row["to_us"] - row["from_us"]), 3) for of in spans for row in of if row["what"] != "in flight"}
        widths = {round(row["x2"] - row["x"], 2) for of in spans for row in of if row["what"] == "in flight"}
        self.assertEqual((scales, len(widths)), ({1.0}, 1))
        for of in spans:
            self.assertEqual([row["x"] for row in of][1:], [row["x2"] for row in of][:-1])
        self.assertEqual([row["text"] for row in rows(chain) if isinstance(row.get("text"), list)], [["2.00\u00a0ms", "in flight"], ["3.00\u00a0ms", "in flight"]])

    def test_a_run_without_a_trace_says_which_command_adds_one(self):
        self.write()
        self.assertIn("needs trace.json, which bench trace --run", texts(self.report()))

    def test_a_trace_that_is_none_is_left_out_and_said(self):
        directory = self.write()
        write_trace(directory, {"callbacks": 0, "coroutines": 4})
        whole = (directory / "trace.json").read_text()
        changes = [lambda text: "{", lambda text: "[]", lambda text: text.replace('"ts": 20', '"ts": -1', 1), lambda text: text.replace('"ts"', '"when"', 1),
                   lambda text: text.replace('"ph": "s"', '"ph": "t"'), lambda text: text.replace('"explained_share": 1', '"explained_share": "all"'),
                   lambda text: re.sub('"dur": [0-9]+', '"dur": 0', text), lambda text: re.sub('"dur": [0-9]+', '"dur": 1e300', text, count=1),
                   lambda text: text.replace('"threads": 2', '"threads": Infinity'), lambda text: text.replace("callbacks", "x").replace("coroutines", "y"),
                   lambda text: text.replace('"traceEvents": [', '"traceEvents": [7, '), lambda text: text.replace('"cat": "path"', '"cat": "pass"')]
        for change in changes:
            with self.subTest(change(whole)[:30]):
                (directory / "trace.json").write_text(change(whole))
                code, files, said = self.draw("--format", "html")
                self.assertEqual(code, 6)
                self.assertIn("trace.json", said)
                self.assertEqual(said.count("\n"), len(said.splitlines()))
                self.assertNotIn("thread by thread", texts(files["report.html"].decode()))

    def test_a_post_that_no_page_can_show_is_left_to_viewers(self):
        write_trace(self.write(), {"callbacks": 0})
        most, plots.trace.MOST_REQUESTS = plots.trace.MOST_REQUESTS, 2
        self.addCleanup(setattr, plots.trace, "MOST_REQUESTS", most)
        self.assertEqual(self.traced(), [])

    def test_words_of_a_trace_stand_beside_its_arrows(self):
        # From lane 0 to lane 2 an arrow crosses the words of lane 1 between 17 and 40.
        crossed = plots.trace.crossed([(0, 0, 2, 100)], 1)
        self.assertEqual([tuple(round(end) for end in box) for box in crossed], [(17, 40)])
        self.assertEqual(plots.trace.crossed([(0, 0, 2, 100)], 3), [])
        beside = lambda left, right, width: plots.trace.beside(left, right, width, 100, crossed)["box"]
        self.assertEqual(beside(50, 60, 20), (50, 70))  # nothing is in its way
        self.assertEqual([round(end) for end in beside(30, 35, 20)], [40, 60])  # moved behind the arrow
        self.assertEqual(beside(10, 100, 90), (10, 100))  # nowhere is room: over the arrow
        self.assertEqual(beside(2, 5, 20), (2, 22))  # nor near: behind the arrow they would seem another's

    def test_all_ratios_are_on_one_axis(self):
        self.write()
        found = [panel for panel in panels(self.report()) if "".join(panel["title"].get("subtitle", [])).startswith("1 = ")]
        self.assertEqual(len({json.dumps(panel["layer"][1]["encoding"]["x"]["scale"]) for panel in found}), 1)
        self.assertGreater(len(found), 1)

    def test_a_contender_has_one_colour_in_every_output(self):
        at = plots.charts.places
        self.assertEqual(at(["futures", "callbacks"])["futures"], at(["operations", "futures"], "operations")["futures"])
        self.assertEqual(at(["reference", "mine"], "reference"), {"reference": 0, "mine": 1})
        names = [*plots.charts.ALWAYS, *(f"more {n}" for n in range(20))]
        self.assertEqual(sorted(at(names).values()), list(range(28)))

    def test_a_scenario_that_lost_too_many_rounds_is_no_tie(self):
        self.write()
        self.edit("summary.csv", lambda text: text.replace("source_lines\n", "source_lines,unresolved_reason\n"))
        with open(self.place / "run" / "summary.csv", newline="") as file:
            found = list(csv.DictReader(file))
        for row in found:
            disturbed = row["scenario"] == "publish-instant-1000"
            row.update(unresolved_reason="too disturbed: 5 of 8 rounds dropped" if disturbed else "", rank_group="1" if disturbed else row["rank_group"])
        with open(self.place / "run" / "summary.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, found[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(found)
        report = self.report()
        self.assertIn("undecided", texts(report))
        self.assertIn("undecided; 1 =", json.dumps(panels(report)))

    def test_the_median_of_times_has_its_exact_interval(self):
        # Of six values the least and the most: both lie on one side of the median with 2 · 2^-6.
        self.assertEqual(plots.model.median_interval([5, 1, 4, 2, 3, 6]), (3.5, 1, 6))
        self.assertEqual(plots.model.median_interval([5, 1, 4, 2, 3]), (3, None, None))
        self.assertEqual(plots.model.median_interval(list(range(1, 101))), (50.5, 40, 61))

    def test_failure_is_timed_from_its_moment_and_to_the_last_stop(self):
        self.write(scenarios=some(SCENARIOS, "publish-error-100"))
        for name in ("samples.csv", "summary.csv"):
            with open(self.place / "run" / name, newline="") as file:
                found = list(csv.DictReader(file))
            for number, row in enumerate(found):
                row.update(failure_to_completion_ns=7000 + number % 3, failure_to_stop_ns=50_000, starts_after_failure=2, wasted_bytes=65_536)
            with open(self.place / "run" / name, "w", newline="") as file:
                writer = csv.DictWriter(file, found[0], lineterminator="\n")
                writer.writeheader()
                writer.writerows(found)
        drawn = next(p for p in panels(self.report()) if "from the failure or cancel" in json.dumps(p["title"]))
        row = rows(drawn)[0]
        self.assertEqual((row["stop"], row["late"], row["wasted"]), (50_000, "2", "64.0\u00a0KiB"))
        self.assertIn("Uploads started after the failure or cancel: callbacks 2, futures 2 and coroutines 2.", texts(self.report()))
        self.assertTrue(7000 <= row["low"] <= row["value"] <= row["high"] <= 7002)

    def test_counts_are_drawn_for_each_pattern_and_the_others_fold(self):
        self.write()
        found = [p for p in panels(self.report()) if p["title"]["text"] == "allocations per upload"]
        self.assertEqual([p["title"]["subtitle"] for p in found], [["publish-instant-1000"]])
        self.assertEqual({row["label"] for row in rows(found[0])}, {"3.01"})

    def test_a_run_without_a_series_lacks_no_file(self):
        self.write()
        code, files, said = self.draw("--format", "svg")
        self.assertNotIn("growth.svg", files)
        self.assertNotIn("growth.csv is missing", said)

    def test_the_first_call_is_the_median_of_round_0(self):
        self.write(contenders=some(CONTENDERS, "swift-concurrency", "callbacks"), scenarios=some(SCENARIOS, "publish-instant-10"))
        run = plots.model.read_run(self.place / "run")
        walls = sorted(s.wall_ns for s in run.samples if s.round == 0 and s.contender == "swift-concurrency")
        self.assertEqual(run.first_calls["swift-concurrency", "publish-instant-10"], walls[1])


@needs_libraries
class SmallRuns(RunCase):
    def test_what_little_there_is_is_drawn(self):
        nothing = dict(outcome="failed", median_ns="")
        cases = {
            "one contender": (some(CONTENDERS, "callbacks"), SHORT, "cost against fan-out", False),
            "one scenario": (FEW, some(SCENARIOS, "publish-latency-100"), "overhead:", True),
            "an empty post": (FEW, some(SCENARIOS, "publish-instant-0"), "cost against fan-out:", True),
        }
        for name, (contenders, scenarios, need, lacking) in cases.items():
            with self.subTest(name):
                self.write(contenders, scenarios)
                code, files, said = self.draw("--format", "svg,html")
                self.assertEqual(code, 0, said)
                self.assertIn("report.html", files)
                self.assertEqual(f"not drawn: {need}" in said, lacking, said)
        with self.subTest("one cell"):
            self.write(some(CONTENDERS, "callbacks"), some(SCENARIOS, "publish-instant-1"))
            self.assertIn("callbacks publish-instant-1", texts(self.report()))
        with self.subTest("none measured"):
            self.write(some(CONTENDERS, "callbacks"), some(SCENARIOS, "publish-instant-1"), wrong=("callbacks", "publish-instant-1"))
            self.set("summary.csv", 0, **nothing)
            self.assertIn("callbacks publish-instant-1 wrong", texts(self.report()))
            self.assertEqual(panels(self.report()), [])

    def test_a_missing_file_is_said_and_the_rest_drawn(self):
        for name, lacks in (("samples.csv", "distribution.svg"), ("summary.csv", "overhead.svg"), ("environment.json", None)):
            with self.subTest(name):
                shutil.rmtree(self.place / "out", ignore_errors=True)
                self.write()
                (self.place / "run" / name).unlink()
                code, files, said = self.draw("--format", "svg,html")
                self.assertEqual(code, 0, said)
                self.assertIn(f"{name} is missing", said)
                self.assertIn(f"{name} is missing", texts(files["report.html"].decode()))
                self.assertNotIn(lacks, files)
                self.assertGreater(len(files), 1)

    def test_each_format_writes_its_own_kind_of_file_and_the_same_bytes_again(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1"))
        for kind, start in (("png", b"\x89PNG"), ("svg", b"<svg"), ("html", b"<!doctype html>")):
            with self.subTest(kind):
                shutil.rmtree(self.place / "out", ignore_errors=True)
                _, files, _ = self.draw("--format", kind)
                self.assertTrue(files and all(n.endswith(kind) and c.startswith(start) for n, c in files.items()))
                self.assertEqual(files, self.draw("--format", kind)[1])

    def test_on_a_terminal_it_says_what_it_draws_and_elsewhere_nothing(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1"))
        silent = self.draw("--format", "svg")[2]
        self.assertNotIn("drawing", silent)
        terminal = io.StringIO()
        terminal.isatty = lambda: True
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(terminal):
            plots.command.main([str(self.place / "run"), "--format", "svg", "--output", str(self.place / "out")])
        self.assertIn("plot.py: drawing overhead\n", terminal.getvalue())


HOSTILE = ["=cmd()", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "@body@ \\1 {{x}}", "a'\"&b", "éü"]
any_name = unittest.mock.patch.dict(plots.reading.NAMES, clear=True)  # none of them is one that bench takes


@needs_libraries
class Page(RunCase):
    @any_name
    def test_a_hostile_name_stays_text(self):
        self.write(contenders={name: CONTENDERS["futures"] for name in HOSTILE}, scenarios=some(SCENARIOS, "publish-instant-1", "publish-instant-10"))
        report = self.report()
        self.assertFalse("<script>alert" in report)
        self.assertFalse("<img src=x" in report)
        for name in HOSTILE:
            self.assertIn(plots.text.escape(name), report)
            self.assertIn(name, {row["contender"] for panel in panels(report) for row in rows(panel)})

    def test_a_long_name_is_shortened_and_whole_in_its_title(self):
        long = "-".join(["a-name-that-goes-on"] * 4)
        self.write(rename=lambda name: f"{long}-{name}")
        report = self.report()
        shown = re.sub("<[^>]*>", "", re.sub(r"<(script|style)\b.*?</\1>", "", report[report.index('<div id="legend"'):], flags=re.S))
        cells = re.findall(r"<th scope=\"\w+\"[^>]*>(.*?)</th>", report)
        self.assertTrue(any(f'<span title="{long}-futures">' in cell for cell in cells))
        self.assertEqual([cell for cell in cells if len(re.sub("<[^>]*>", "", cell)) > 60], [])
        for panel in panels(report):
            self.assertLessEqual(max(map(len, [panel["title"]["text"], *panel["title"]["subtitle"]])), 80)
            self.assertEqual([row["text"] for row in rows(panel) if len(row.get("text") or "") > 50], [])
        self.assertIn("futures", shown)

    def test_a_hostile_record_stays_text(self):
        # Of the machine and of what went wrong: whatever is read from a file that anybody may have edited.
        self.write(wrong=("operations", "publish-instant-10"))
        attack = "\x1b[2J\x07\n</script><script>alert(1)</script><img src=x onerror=alert(1)> {{x}}"
        for name in ("samples.csv", "summary.csv"):
            self.edit(name, lambda text: text.replace("media 7: cancelled twice, expected once", attack.replace("\n", " ")))
        environment = dict(build_configuration=attack, toolchain=attack, cpu_model=attack, commit=attack, warnings=[attack],
                           missing_cells=[attack], command_line=["bench", attack], notes={attack: attack}, machine=attack)
        self.edit("environment.json", lambda text: json.dumps({**json.loads(text), **environment}))
        report = self.report()
        self.assertNotIn("<script>alert", report)
        self.assertNotIn("<img src=x", report)
        self.assertIn(plots.text.escape("<script>alert(1)</script>"), report)

    def test_it_says_who_ships_what(self):
        self.write()
        idioms = dict(callbacks=dict(name="by hand", ships_with="toolchain"), futures=dict(name="promises", ships_with="this package"),
                      coroutines=dict(name="coroutines", ships_with="this package", completions="pool"))
        hand_overs = [dict(generation=n, median_ns=ns) for n, ns in enumerate((5_200, 23_300, 20_000))]
        self.edit("environment.json", lambda text: json.dumps({**json.loads(text), "idioms": idioms, "hand_overs": hand_overs}))
        said = texts(self.report()).replace("\u00a0", " ")
        self.assertIn("what it is comes with completes on lines for publish callbacks by hand Swift 61 futures promises this package 28 coroutines coroutines this package a pool 22", said)
        for wrong in ([], {"callbacks": []}, {"callbacks": {"name": 1, "ships_with": {}}}):
            self.edit("environment.json", lambda text: json.dumps({**json.loads(text), "idioms": wrong}))
            self.assertNotIn("comes with", texts(self.report()))

    def test_it_asks_no_network_and_stays_small(self):
        self.write(CONTENDERS, SCENARIOS, generations=8, rounds=40)  # 23 040 samples, more than are drawn
        report = self.report()
        self.assertLess(len(report.encode()), 1_000_000)
        self.assertLess(len(gzip.compress(report.encode())), 500_000)
        self.assertIn("default-src 'none'", report)
        self.assertEqual(re.findall(r"<(?:img|iframe|script)\b[^>]*(?:src|href)|<link[^>]*href=\"(?!data:,)", re.sub(r"<script>.*?</script>", "", report, flags=re.S)), [])

    def test_the_environment_is_shown_and_its_warnings_stand_on_top(self):
        self.write()
        environment = dict(build_configuration="debug", interrupted=True, warnings=["the clock jumped"], core_count=2, commit=None,
                           missing_cells=["nio × publish-instant-1"], notes={"governor": "performance"})
        self.edit("environment.json", lambda text: json.dumps({**json.loads(text), **environment}))
        said = texts(self.report())
        for text in ("the clock jumped", "This is a debug build", "was interrupted", "nio × publish-instant-1", "core count 2",
                     "notes.governor performance"):
            self.assertIn(text, said)
        self.assertNotIn("None", said)

    def test_records_of_lists_are_read_as_words(self):
        self.assertEqual(plots.page.flat("", {"hand_overs": [{"generation": 0, "median_ns": 9368.75123}, {"generation": 1}], "pairs": [1, 2]}),
                         [("hand overs", "generation 0; median ns 9368.75 | generation 1"), ("pairs", "1, 2")])

    def test_samples_are_thinned_before_the_page_grows_too_large(self):
        self.write(rounds=8)
        most, plots.figures.MOST_DOTS = plots.figures.MOST_DOTS, 50
        self.addCleanup(setattr, plots.figures, "MOST_DOTS", most)
        self.assertRegex(texts(self.report()), r"One dot in \d is drawn, and each end; bars and medians are of all")

    def test_every_chart_says_what_it_shows_and_every_section_has_its_link(self):
        self.write()
        report = self.report()
        for panel in panels(report):
            self.assertGreater(len(panel["description"]), 60)
        ratios = next(panel for panel in panels(report) if panel["title"]["text"] == "publish-instant-1000")
        self.assertRegex(ratios["description"], r"samples each: least coroutines \S+ \?; most futures \S+ \?, of 2; not decided for coroutines and futures\.$")
        linked = re.findall(r'<a href="#(\w+)"', report[report.index("<nav"):report.index("</nav>")])
        there = re.findall(r'<(?:section|div) id="(\w+)"', report)
        self.assertEqual(linked, [key for key in re.findall(r'<section id="(\w+)"', report)])
        self.assertEqual(sorted(linked), sorted(key for key in there if key != "legend"))
        self.assertEqual([int(level) for level in re.findall(r"<h(\d)", report)][:2], [1, 2])


class Numbers(unittest.TestCase):
    def test_a_duration_has_three_digits_and_the_unit_that_fits(self):
        for nanoseconds, text in ((0, "0.00 ns"), (0.5, "0.50 ns"), (74.44, "74.4 ns"), (999.6, "1.00 µs"), (1234, "1.23 µs"), (2e6, "2.00 ms"),
                                  (9.999e9, "10.0 s"), (-45, "−45.0 ns"), (None, "unknown")):
            self.assertEqual(plots.text.duration(nanoseconds).replace("\u00a0", " "), text)
        self.assertEqual(plots.text.duration(45, sign=True), "+45.0\u00a0ns")

    def test_every_colour_stands_out_from_its_paper(self):
        def light(colour: str) -> float:
            parts = [part / 255 for part in bytes.fromhex(colour[1:])]
            parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

        def contrast(a: str, b: str) -> float:
            low, high = sorted((light(a), light(b)))
            return (high + 0.05) / (low + 0.05)

        # What the accessibility guidelines ask of text, and of marks.
        for name, theme in plots.charts.THEMES.items():
            for text in ("ink", "quiet", "keyword", "string"):
                self.assertGreaterEqual(contrast(theme[text], theme["paper"]), 4.5, (name, text))
            for colour in theme["palette"]:
                self.assertGreaterEqual(contrast(colour, theme["paper"]), 3, (name, colour))

    def test_ticks_are_round_and_never_fewer_than_two(self):
        for low, high, ticks in ((90, 12_000, [100, 1_000, 10_000]), (90, 1_100, [100, 200, 500, 1_000]), (9.2, 9.9, [9.2, 9.4, 9.6, 9.8])):
            self.assertEqual(plots.charts.decades(low, high), ticks)
        for low in (1, 3.3, 99, 1.8e6):
            for factor in (1.005, 1.1, 2, 7, 30, 1e6):
                self.assertGreaterEqual(len(plots.charts.decades(low, low * factor)), 2, (low, factor))


if __name__ == "__main__":
    unittest.main()
