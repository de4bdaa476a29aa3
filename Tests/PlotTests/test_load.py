"""What plot.py promises of runs of `bench load`: run with `python3 -m unittest discover Tests/PlotTests`."""
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from synthetic_load import write_load  # noqa: E402
from test_plot import HOSTILE, RunCase, any_name, needs_library, plots, texts  # noqa: E402


class LoadCase(RunCase):
    def write(self, **how) -> Path:
        return write_load(self.place / "run", **how)


class BadLoad(LoadCase):
    def test_what_is_damaged_is_named_with_line_and_column(self):
        replace = lambda old, new: lambda text: text.replace(old, new, 1)
        cases = [
            ("latencies.csv", replace(",posts\n", ",post\n"), "latencies.csv:1: column posts is missing from the header, where post is not known."),
            ("load_summary.csv", lambda text: text + text.splitlines()[1] + "\n", ":11: callbacks × publish-latency-10 × 500 stands twice, first in line 2. Remove one of them, or record the run again. That row of the file is left out"),
            ("latencies.csv", replace(",500,", ",,"), "latencies.csv:2: column offered_per_s is empty"),
            ("latencies.csv", replace(",500,", ",-5,"), "latencies.csv:2: column offered_per_s is -5.0, which is negative."),
            ("latencies.csv", lambda text: text + text.splitlines()[1] + "\n", " stands twice, first in line 2."),
            ("load_summary.csv", replace(",poisson,500,", ",poisson,0,"), "load_summary.csv:2: column offered_per_s is 0, and no rate or latency is."),
            ("load_summary.csv", replace(",poisson,500,", ",poisson,1e308,"), 'load_summary.csv:2: column offered_per_s holds "1e308", which is above the limit of 1e30. Correct or remove the line, or record the run again.'),
            ("load_summary.csv", replace(",held\n", ",kept\n"), 'load_summary.csv:2: column verdict holds "kept", which is none of: held, missed, saturated,'),
        ]
        for name, change, message in cases:
            with self.subTest(message):
                self.write()
                self.edit(name, change)
                found = plots.model.read(self.place / "run").remarks.faults
                self.assertEqual(len(found), 1)
                self.assertIn(message, found[0])

    def test_a_limit_that_cannot_be_and_one_that_stands_twice_are_named(self):
        for change, named in ((lambda text: text.replace(",20000,", ",1e308,", 1), 'limits.csv:2: column held_per_s holds "1e308", which is above the limit of 1e30. Correct or remove the line, or record the run again.'),
                              (lambda text: text + text.splitlines()[1] + "\n", "limits.csv:5: callbacks × publish-latency-10 stands twice, first in line 2. Remove one of them, or record the run again.")):
            self.write(search=True)
            self.edit("limits.csv", change)
            self.assertEqual(plots.model.read(self.place / "run").remarks.faults, [f"{self.place / 'run'}/{named} That row of the file is left out."])

    def test_one_of_each_is_told_as_one(self):
        self.write(contenders={"callbacks": 20_000}, rates=(500,))
        self.assertIn("Posts started at 1 rate, of 1 scenario, by 1 contender.", texts(self.report()))

    def test_a_run_without_a_row_is_said_and_nothing_is_written(self):
        self.write()
        self.edit("load_summary.csv", lambda text: text.splitlines()[0] + "\n")
        code, files, said = self.draw()
        self.assertEqual((code, files), (6, {}))
        self.assertIn("no row in load_summary.csv", said)


class LoadCharts(LoadCase):
    @needs_library
    def test_every_figure_of_the_run_is_drawn(self):
        self.write(search=True)
        code, files, said = self.draw("--format", "png,svg,html")
        self.assertEqual((code, said), (0, ""))
        for name in ("latency", "tail", "limits"):
            self.assertTrue(files[f"{name}.png"].startswith(b"\x89PNG"))
            self.assertIn(b"operations", files[f"{name}.svg"])

    def test_without_any_one_column_there_is_a_page_or_one_message(self):
        self.write(search=True)
        self.leave_out_each_column()

    def test_a_percentile_that_is_unknown_is_not_named(self):
        self.write()
        self.edit("load_summary.csv", lambda text: text.replace(",saturated", ",missed"))
        run = plots.model.read(self.place / "run")
        for row in run.rows:
            row.p99_ns = None
        self.assertIn("p50 is", plots.load.rate_picture(run).title)

    def test_the_curve_has_a_point_for_each_rate_and_contender_and_the_time_that_was_required(self):
        self.write()
        tips = re.findall("<title>(.*?)</title></circle>", plots.svg.inline(plots.load.rate_picture(plots.model.read(self.place / "run"))))
        self.assertEqual(len(tips), 3 * 2 * 9)  # p50 and p99, in three widths
        self.assertIn(f"callbacks, 500/s due, 500/s done: {plots.text.duration(4 * round(6e6 * (1 + 500 / 20_000)))}, held", tips)
        self.assertTrue(any(re.match("operations, 2\u202f000/s due, .*, saturated", tip) for tip in tips))
        self.assertIn("stroke-dasharray:4 3", self.report())

    def test_the_tail_ends_where_fewer_than_ten_posts_lie_beyond(self):
        self.write(rates=(500,))
        # Of 4 500 posts the slowest four and the 41 before them: beyond the bucket below these lie 45, beyond theirs four.
        points = plots.load.tail([bucket for bucket in plots.model.read(self.place / "run").latencies if bucket.contender == "callbacks"])
        self.assertAlmostEqual(points[-1][0], 4_500 / 45)
        self.assertIn("callbacks, publish-latency-10, 500/s 99 %", texts(self.report()))

    def test_of_a_search_only_the_highest_rate_that_all_met_is_drawn(self):
        self.write(search=True)
        self.assertEqual([title for title, _ in plots.load.tail_picture(plots.model.read(self.place / "run")).panels], ["publish-latency-10, 8\u202f000/s due"])

    def test_what_was_wrong_is_never_drawn_and_its_reason_is_said(self):
        self.write(wrong="futures")
        report = self.report()
        self.assertNotIn("futures", "".join(re.findall("<svg.*?</svg>", report, re.S)))
        self.assertIn("created 2 times", texts(report))

    def test_a_single_rate_has_no_curve_and_no_search_no_limits(self):
        self.write(rates=(500,))
        code, files, said = self.draw("--format", "svg")
        self.assertEqual(code, 0, said)
        self.assertEqual(set(files), {"tail.svg"})
        self.assertIn("not drawn: latency against rate", said)
        self.assertIn("not drawn: how much holds", said)

    def test_a_missing_file_is_said_and_the_rest_drawn(self):
        self.write()
        (self.place / "run" / "latencies.csv").unlink()
        code, files, said = self.draw("--format", "svg")
        self.assertEqual((code, set(files)), (0, {"latency.svg"}), said)
        self.assertIn("latencies.csv is missing", said)

    @any_name
    def test_a_hostile_name_stays_text(self):
        self.write(contenders={name: 1_000 for name in HOSTILE})
        report = self.report()
        self.assertFalse("<script>alert" in report)
        self.assertFalse("<img src=x" in report)
        for name in HOSTILE:
            self.assertIn(plots.text.escape(name), report)

    def test_numbers_and_warnings_stand_in_the_page(self):
        self.write(search=True)
        said = texts(self.report())
        for text in ("the fan is loud", "p99 ≤ 50.0 ms", "9\u202f000/s", "saturated", "40.0 µs"):
            self.assertIn(text.replace("\u00a0", " ").replace("\u202f", " "), said.replace("\u202f", " "))


if __name__ == "__main__":
    unittest.main()
