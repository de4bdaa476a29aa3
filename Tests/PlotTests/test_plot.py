"""What plot.py promises: run with `python3 -m unittest discover Tests/PlotTests`."""
import contextlib
import csv
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

sys.path.insert(0, str(Path(__file__).parent))
from synthetic_run import CONTENDERS, SCENARIOS, write_growth, write_run, write_trace  # noqa: E402

PLOT = Path(__file__).resolve().parents[2] / "plot.py"
sys.path.insert(0, str(PLOT.parent))
import plots.command  # noqa: E402

try:
    import vl_convert  # noqa: F401
    DRAWS = True
except ImportError:
    DRAWS = False
needs_library = unittest.skipUnless(DRAWS, f"needs {plots.command.INSTALL}")


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

    def test_the_rest_of_a_damaged_run_is_drawn_and_exits_6(self):
        self.write()
        self.set("samples.csv", 4, wall_ns="12x")
        self.edit("environment.json", lambda _: "{")
        code, files, said = self.draw("--format", "svg,html")
        self.assertEqual(code, 6)
        self.assertIn("answer.svg", files)
        self.assertIn("samples.csv:6: column wall_ns holds \"12x\", which is no whole number. Correct or remove the line, or record the run again. That row of the file is left out.", said)
        page = texts(files["report.html"].decode())
        for line in said.splitlines()[:2]:
            self.assertIn(plots.text.escape(line[len("plot.py: "):]), page)
        self.assertIn("287 samples", page)

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
                    self.assertRegex(self.faults()[0], rf'{name}:3: column {column} holds "{text}…?", which is (no whole number|above the limit of 1e30)\. Correct or remove the line, or record the run again\. That row of the file is left out')

    def test_a_word_that_no_file_has_is_named_and_its_row_left_out(self):
        for name, column in (("samples.csv", "outcome"), ("summary.csv", "outcome"), ("growth.csv", "verdict")):
            with self.subTest(f"{name} {column}"):
                write_growth(self.write(), FEW)
                self.set(name, 1, **{column: "fine"})
                self.assertEqual(len(self.faults()), 1)
                self.assertIn(f"{name}:3: column {column} holds \"fine\", which is none of: ", self.faults()[0])

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
            "median": (dict(median_ns="1", median_ci_low_ns="1", median_ci_high_ns="1"), "a median_ns of 1, but its samples give"),
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

    def test_samples_that_someone_changed_are_not_believed(self):
        self.write()
        run = plots.model.read_run(self.place / "run")
        cell, reference = (run.cells[contender, "publish-instant-1"] for contender in ("futures", run.reference))
        ratio = str(cell.median_ns / reference.median_ns)
        self.set("summary.csv", 1, ratio=ratio, ratio_ci_low=ratio, ratio_ci_high=ratio)
        self.assertEqual(plots.model.read_run(self.place / "run").remarks.faults, [])
        for number, sample in enumerate(run.samples):
            if (sample.contender, sample.scenario) == ("futures", "publish-instant-1") and sample.wall_ns:
                self.set("samples.csv", number, wall_ns=str(10 * int(sample.wall_ns)))
        faults = plots.model.read_run(self.place / "run").remarks.faults
        self.assertIn("summary.csv:3: futures × publish-instant-1 has a median_ns of", faults[0])

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
        write_growth(directory, some(FEW, "callbacks", "futures"))
        write_trace(directory, {"callbacks": 0, "futures": 1})
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

    def test_without_any_one_column_there_is_a_page_or_one_message(self):
        read = {name: set(found.split()) for name, found in plots.reading.DRAWN.items()}
        self.assertEqual([read[name] - set(found) for name, found in self.everything().items()], [set()] * 3)
        self.assertEqual(self.draw("--format", "html")[0], 0)
        self.leave_out_each_column()

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

    def test_the_file_alone_says_in_one_line_what_it_lacks_and_with_its_folder_goes_anywhere(self):
        alone = shutil.copy(PLOT, self.place)
        ask = lambda: subprocess.run([sys.executable, alone, "nowhere"], capture_output=True, text=True, cwd=self.place)
        self.assertEqual((ask().returncode, ask().stderr), (1, "plot.py: the folder plots is not beside it: copy both, or run it in its checkout.\n"))
        shutil.copytree(PLOT.parent / "plots", self.place / "plots")
        self.assertEqual(ask().returncode, 6)
        self.assertIn("nowhere: is no run directory", ask().stderr)

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

    def test_half_a_pair_of_surrogates_is_shown_as_what_it_is(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1"))
        self.edit("environment.json", lambda text: '{"cpu_model": "\\ud800 AMD \\ud83d\\ude00", "\\udfff": "key", ' + text.replace('"cpu_model"', '"cpu"')[1:])
        said = texts(self.report())
        self.assertIn("\ufffd AMD \U0001f600", said)
        self.assertIn("\ufffd key", said)

    def handed_out(self, *arguments: str, stdout=subprocess.PIPE, close=()) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, str(PLOT), *arguments], stdout=stdout, stderr=subprocess.PIPE, timeout=120,
                              preexec_fn=lambda: [os.close(number) for number in close])

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

    def test_an_output_that_cannot_be_written_exits_6(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1"))
        (self.place / "out").write_text("a file stands here")
        # Before half a minute of drawing.
        with unittest.mock.patch("plots.command.pictures", lambda run: self.fail("it draws")):
            code, _, said = self.draw("--format", "html")
        self.assertEqual(code, 6)
        self.assertIn("cannot be written", said)
        self.assertIn("Name a folder that you may write into: --output DIR", said)
        self.assertEqual((self.place / "out").read_text(), "a file stands here")


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
        self.assertEqual(len(drawn.cells), 2 * len(FEW) * len(SHORT))
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

    def test_every_name_comes_from_the_files(self):
        self.write(rename=lambda name: name[::-1])
        report = self.report()
        for name in (*FEW, *SHORT):
            self.assertNotIn(name, report)
        source = PLOT.read_text()
        for name in (*CONTENDERS, *SCENARIOS):
            if name not in ("callbacks", "futures", "operations"):  # also ordinary words
                self.assertNotIn(name, source)

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
        self.assertEqual([run.unit_of[s] for s in units], ["chunk", "upload"])
        self.edit("environment.json", lambda text: json.dumps({**json.loads(text), "scenarios": [1]}))
        self.assertEqual(set(plots.model.read_run(self.place / "run").unit_of.values()), {"upload"})

    def test_threads_that_were_not_counted_are_unknown(self):
        self.write(rounds=8)
        self.set("summary.csv", 1, peak_threads=0)
        self.assertEqual({cell.peak_threads for cell in plots.model.read_run(self.place / "run").cells.values()}, {None, 4})

    def test_what_repeats_the_run_says_of_which_build(self):
        self.write(rounds=8)
        self.edit("environment.json", lambda text: json.dumps({
            **json.loads(text), "commit": "0123456789ab", "dirty": False, "seed": 7, "command_line": [".build/release/bench", "run", "--name", "a b"]}))
        self.assertIn("git checkout 0123456789ab &amp;&amp; swift build -c release --product bench &amp;&amp; .build/release/bench run --name &#x27;a b&#x27; --seed 7", self.report())

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
                self.assertNotIn("Spans explain", texts(files["report.html"].decode()))


class SmallRuns(RunCase):
    @needs_library
    def test_each_format_writes_its_own_kind_of_file_and_the_same_bytes_again(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1", "publish-instant-10"))
        for kind, start in (("png", b"\x89PNG"), ("svg", b"<svg"), ("html", b"<!doctype html>")):
            with self.subTest(kind):
                shutil.rmtree(self.place / "out", ignore_errors=True)
                _, files, _ = self.draw("--format", kind)
                self.assertTrue(files and all(n.endswith(kind) and c.startswith(start) for n, c in files.items()))
                self.assertEqual(files, self.draw("--format", kind)[1])


HOSTILE = ["=cmd()", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "@body@ \\1 {{x}}", "a'\"&b", "éü"]
any_name = unittest.mock.patch.dict(plots.reading.NAMES, clear=True)  # none of them is one that bench takes


class Page(RunCase):
    def test_a_hostile_record_stays_text(self):
        # Of the machine and of what went wrong: all that is read from a file that may have been edited.
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

    def test_records_of_lists_are_read_as_words(self):
        self.assertEqual(plots.page.flat("", {"hand_overs": [{"generation": 0, "median_ns": 9368.75123}, {"generation": 1}], "pairs": [1, 2]}),
                         [("hand overs", "generation 0; median ns 9368.75 | generation 1"), ("pairs", "1, 2")])


if __name__ == "__main__":
    unittest.main()
