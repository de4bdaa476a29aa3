"""What plot.py promises of two or more runs: run with `python3 -m unittest discover Tests/PlotTests`."""
import contextlib
import csv
import io
import json
import shutil
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from synthetic_load import write_load  # noqa: E402
from synthetic_run import CONTENDERS, SCENARIOS, write_run  # noqa: E402
from test_plot import FEW, HOSTILE, RunCase, any_name, SHORT, plots, some, texts  # noqa: E402


class ComparisonCase(RunCase):
    def setUp(self):
        super().setUp()
        for name in ("one", "two"):
            write_run(self.place / name, FEW, SHORT, wrong=None, rounds=8)

    def edit(self, run: str, name: str, change) -> None:
        path = self.place / run / name
        path.write_text(change(path.read_text()))

    def change(self, run: str, where, **values) -> None:
        """Sets cells of the rows of a run's summary that `where` holds of."""
        path = self.place / run / "summary.csv"
        with open(path, newline="") as file:
            found = list(csv.DictReader(file))
        for row in found:
            if where(row):
                row.update(values)
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, found[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(found)

    def read(self, *names: str):
        return plots.comparison.read_comparison([self.place / name for name in names or ("one", "two")])


class Sameness(ComparisonCase):
    def test_runs_of_one_name_are_told_apart_by_their_folders(self):
        self.assertEqual(list(self.read().runs), ["one", "two"])
        shutil.copytree(self.place / "one", self.place / "deeper" / "one")
        self.assertEqual(list(self.read("one", "deeper/one").runs), ["1 one", "2 one"])

    def test_what_is_not_the_same_thing_is_not_compared(self):
        for run, bytes in (("one", "64"), ("two", "128")):
            self.edit(run, "environment.json", lambda text: json.dumps({
                **json.loads(text), "scenarios": {"publish-instant-1": {"definition": {"payloadBytes": bytes}}}}))
        self.change("two", lambda row: row["scenario"] == "publish-latency-100" and row["reference"], reference="futures")
        found = self.read()
        self.assertEqual(found.scenarios, ["publish-instant-1000", "publish-error-100"])
        self.assertEqual(len(found.remarks.notes), 2)
        self.assertIn("publish-instant-1 is not defined alike in one and two", found.remarks.notes[0])
        self.assertIn("publish-latency-100 is not taken against one reference alike", found.remarks.notes[1])

    def test_a_run_that_cannot_be_compared_is_named_and_the_rest_compared(self):
        write_load(self.place / "load")
        found = self.read("one", "load", "nowhere", "one", "two")
        self.assertEqual(list(found.runs), ["one", "two"])
        for fault, words in zip(found.remarks.faults, ("load: is a run of bench load", "nowhere: is no run directory", "one: is named twice")):
            self.assertIn(words, fault)
        with self.assertRaisesRegex(plots.reading.Problem, "nowhere: is no run directory.* A comparison needs two runs"):
            self.read("one", "nowhere")

    def test_what_leaves_one_run_is_usage_where_its_files_are_whole(self):
        write_load(self.place / "load")
        for names, code in ((("one", "one"), 1), (("one", "load"), 1), (("one", "nowhere"), 6)):
            with self.subTest(names), self.assertRaisesRegex(plots.reading.Problem, "A comparison needs two runs") as raised:
                self.read(*names)
            self.assertEqual(raised.exception.code, code)


class ComparisonPage(ComparisonCase):
    def draw_both(self, *arguments: str, runs=("one", "two")) -> tuple:
        code, files, said = self.draw(*arguments, runs=runs)
        return code, files, said

    def test_it_draws_each_ratio_with_a_mark_for_each_run(self):
        code, files, said = self.draw_both("--format", "svg,html")
        self.assertEqual((code, set(files)), (0, {"ratios.svg", "report.html"}), said)
        report = files["report.html"].decode()
        self.assertEqual(report[report.index('<section id="ratios"'):report.index("</figure>")].count("<circle"), 3 * 2 * (len(FEW) - 1) * len(SHORT))
        self.assertIn("4 scenarios that two or more of them measured. They differ in nothing that they recorded.", texts(report))
        self.assertIn(f"<code>bench compare {self.place / 'one'} {self.place / 'two'}</code>", report)
        self.assertNotRegex(report, r"NaN|\bNone\b")

    def test_what_differs_in_the_surroundings_is_said_first(self):
        self.edit("two", "environment.json", lambda text: text.replace('"toolchain": "made up"', '"toolchain": "another"'))
        report = self.draw_both("--format", "html")[1]["report.html"].decode()
        self.assertIn("They differ in toolchain.", texts(report))
        self.assertIn("toolchain made up, release another, release", texts(report))

    def test_three_runs_of_which_one_is_damaged_exit_6_and_are_drawn(self):
        shutil.copytree(self.place / "one", self.place / "three")
        self.edit("three", "summary.csv", lambda text: text + "x\n")
        code, files, said = self.draw_both("--format", "html", runs=("one", "two", "three"))
        self.assertEqual((code, list(files)), (6, ["report.html"]))
        self.assertIn("three: ", said)
        self.assertIn("has 1 fields where 62 belong", texts(files["report.html"].decode()))

    @any_name
    def test_a_hostile_name_stays_text(self):
        names = {name: CONTENDERS["futures"] for name in HOSTILE}
        for run in ("one", "two"):
            write_run(self.place / run, names, some(SCENARIOS, "publish-instant-1", "publish-instant-10"), wrong=None, rounds=8)
        hostile = "</script><script>alert(2)</script>"
        self.edit("two", "summary.csv", lambda text: text.replace("synthetic,", f"{hostile},"))
        report = self.draw_both("--format", "html")[1]["report.html"].decode()
        self.assertNotIn("<script>alert", report)
        self.assertIn(plots.text.escape(hostile), report)

    def test_without_a_place_to_write_to_it_stands_beside_the_first(self):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = plots.command.main([str(self.place / "one"), str(self.place / "two"), "--format", "html"])
        self.assertEqual(code, 0)
        self.assertTrue((self.place / "comparison" / "report.html").is_file())
        self.assertFalse((self.place / "one" / "report.html").exists())


if __name__ == "__main__":
    unittest.main()
