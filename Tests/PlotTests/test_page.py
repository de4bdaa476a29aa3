"""What report.html of a run promises, without a browser: run with `python3 -m unittest discover Tests/PlotTests`."""
import contextlib
import io
import json
import os
import random
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from synthetic_run import CONTENDERS, SCENARIOS, write_trace  # noqa: E402
from test_plot import FEW, HOSTILE, PLOT, SHORT, RunCase, any_name, needs_library, plots, some, texts  # noqa: E402


class Answers(RunCase):
    def test_an_answer_of_another_run_is_left_out_and_said(self):
        path = self.write() / "answer.json"
        whole = path.read_text()
        def written(edit):
            def change():
                answer = json.loads(whole)
                edit(answer)
                path.write_text(json.dumps(answer))
            return change
        mean = lambda ratio: written(lambda answer: answer["contenders"][1]["nothing_waits"]["beside"]["callbacks"]["time"].update(ratio=ratio))
        def others():
            for name in ("summary.csv", "samples.csv"):
                self.edit(name, lambda text: text.replace(",futures,", ",others,"))
        def judged():
            for row in range(12):
                self.set("summary.csv", row, verdict="slower", within_margin="false")
        changes = {
            "futures is no contender": others,
            "another is no contender": written(lambda answer: answer.update(usual="another")),
            "publish-x-1 is no scenario": written(lambda answer: answer["classes"][0].update(scenario_names=["publish-x-1"])),
            "a mean ratio of 7e+03 of futures in nothing_waits is not borne out": lambda: judged() or mean(7_000)(),
            "ratio holds -2": mean(-2),
        }
        for why, change in changes.items():
            with self.subTest(why):
                self.write()
                change()
                run = plots.model.read_run(self.place / "run")
                self.assertEqual([why in fault for fault in run.remarks.faults if "answer.json" in fault], [True], run.remarks.faults)
                self.assertEqual(bool(run.answer), "holds" in why)

    def test_an_answer_of_another_version_is_named_in_one_line_and_the_rest_drawn(self):
        self.write()
        self.edit("answer.json", lambda text: text.replace('"version": 3', '"version": 2'))
        report = texts(self.report())
        self.assertEqual(report.count(f"answer.json is of another version of bench: bench merge {self.place / 'run'} writes"), 1)
        self.assertIn("Time of a whole job", report)

    def test_libraries_of_another_run_are_marked_and_are_none_of_this_run(self):
        path = self.write() / "answer.json"
        answer = json.loads(path.read_text())
        other = {**answer["contenders"][-1], "contender": "rx-swift", "title": "RxSwift", "run": "r-rivals", "group": "libraries that people use"}
        answer.update(contenders=[*answer["contenders"], other], other_runs=[dict(run="r-rivals", place=f"{answer['place']} · 2026-11-29")],
                      groups=[dict(title="libraries that people use", note="another run")])
        path.write_text(json.dumps(answer))
        code, files, said = self.draw("--format", "html,svg")
        self.assertEqual(code, 0, said)
        report = texts(files["report.html"].decode())
        ways = f"{len(answer['contenders']) - 1} ways to write"
        for words in ("Libraries that people use another run", f"{answer['place']} · libraries that people use: run r-rivals, 2026-11-29", ways):
            self.assertIn(words, report)
            self.assertTrue(words == ways or words.split(" · ")[-1] in texts(files["answer.svg"].decode()), words)

    def test_an_answer_that_is_none_is_left_out_and_said(self):
        self.write()
        whole = json.loads((self.place / "run" / "answer.json").read_text())
        changes = (dict(classes=[1]), dict(references=[{}]), dict(line=3), dict(contenders=[{"contender": "callbacks", "title": 1}]))
        for text in ("{", "[]", '{"headline": 1}', *(json.dumps({**whole, **change}) for change in changes)):
            with self.subTest(text[-60:]):
                (self.place / "run" / "answer.json").write_text(text)
                code, files, said = self.draw("--format", "html")
                self.assertEqual(code, 6)
                self.assertIn("answer.json", said)
                self.assertIn("Time of a whole job", texts(files["report.html"].decode()))

    def test_an_answer_with_any_part_missing_or_of_another_kind_has_a_page_or_a_message(self):
        directory = self.write(rounds=4)
        whole = json.loads((directory / "answer.json").read_text())
        run, draw = plots.model.read_run(directory), random.Random(1)

        def parts(node):
            inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
            return [(node, key) for key, _ in inner] + [part for _, child in inner for part in parts(child)]
        for number in range(150):
            answer = json.loads(json.dumps(whole))
            for node, key in draw.sample(parts(answer), draw.choice((1, 1, 4))):
                if key in (node if isinstance(node, dict) else range(len(node))):
                    node[key] = draw.choice((None, "x<y>", 3.5, [], {}))
            (directory / "answer.json").write_text(json.dumps(answer))
            with self.subTest(number=number):
                run.answer, run.why_no_answer = plots.reading.read_answer(directory, plots.reading.Remarks())
                if run.answer and plots.model.foreign(run):
                    run.answer = {}
                drawn = [one for one, _ in plots.page.pictures(run) if one]
                self.assertNotIn("x<y>", plots.page.page(run, drawn, []) + "".join(plots.svg.standalone(one, "") for one in drawn))

    def test_a_run_that_is_not_whole_says_so_first(self):
        self.write()
        head = lambda: re.search("<h1>(.*?)</h1>", self.report())[1]
        self.assertNotIn("Incomplete", head())
        self.edit("summary.csv", lambda text: "".join(line for line in text.splitlines(True) if not line.startswith("synthetic,futures,publish-instant-1000,")))
        self.assertTrue(head().startswith("Incomplete run (1 cell missing). "), head())
        self.assertIn("futures × publish-instant-1000 missing has samples, but no row that counts in summary.csv", texts(self.report()))
        (self.place / "run" / "summary.csv").unlink()
        self.edit("environment.json", lambda text: json.dumps({**json.loads(text), "interrupted": True}))
        (self.place / "run" / "answer.json").unlink()
        self.assertTrue(head().startswith("Incomplete run (it was interrupted, summary.csv has no row). "), head())


class Parts(RunCase):
    def test_a_run_in_which_all_failed_says_so_first_and_why(self):
        self.write()
        (self.place / "run" / "answer.json").unlink()
        rows = (self.place / "run" / "summary.csv").read_text().count("\n") - 1
        for row in range(rows):
            self.set("summary.csv", row, outcome="timed_out", median_ns="", ratio="", verdict="", rank_group="")
        report = self.report()
        self.assertIn("<h1>Nothing was measured: all failed</h1>", report)
        self.assertIn("<details open><summary>What is not decided, has no number or was dropped", report)
        self.assertIn("callbacks publish-instant-1 timed out", texts(report))

    def test_a_cell_that_is_not_measured_has_a_reason_and_no_number(self):
        self.write(wrong=("futures", "publish-instant-1"))
        self.assertIn("futures publish-instant-1 wrong media 7: cancelled twice, expected once (24 samples)", texts(self.report()))

    def test_an_empty_cell_is_unknown_and_never_0(self):
        self.write()
        self.set("summary.csv", 1, **dict.fromkeys(["median_ns", "efficiency", "source_lines", "ratio_ci_low", "median_ci_low_ns", "peak_threads"], ""))
        self.set("summary.csv", 2, ratio_ci_low="", source_lines="", peak_threads="")
        report = texts(self.report())
        self.assertIn("futures publish-instant-1 no number", report)
        self.assertNotRegex(report, r"\b0\.00 ns|\bNone\b|\bnan\b|\binf\b")

    def test_what_was_dropped_is_counted(self):
        self.write(scenarios=some(SCENARIOS, "publish-instant-1"))
        counts = [sample.dropped for sample in plots.model.read_run(self.place / "run").samples]
        self.assertIn(f"{len(counts) - counts.count(None)} of {len(counts)} samples were dropped", texts(self.report()))

    def test_one_post_of_each_contender_is_drawn_thread_by_thread(self):
        write_trace(self.write(), {"callbacks": 0, "coroutines": 4}, failed={"futures": "it hangs"})
        said = texts(self.report()).replace("\u00a0", " ")
        for part in ("One post of publish-latency-2, thread by thread: coroutines hands work over 4 times and callbacks never",
                     "Spans explain all of each post; recording adds 1.2 % at most. Not traced: futures (it hangs).", "callbacks: 5.01 ms on 2 threads, no hand-over",
                     "coroutines: 5.08 ms on 3 threads, 4 hand-overs: 81.0 µs of it", "starts and asks for 2", "answers, posts and completes"):
            self.assertIn(part, said)
        most, plots.trace.MOST_REQUESTS = plots.trace.MOST_REQUESTS, 1
        self.addCleanup(setattr, plots.trace, "MOST_REQUESTS", most)
        self.assertNotIn("Spans explain", texts(self.report()))

    def test_the_environment_is_shown_and_its_warnings_stand_on_top(self):
        self.write()
        environment = dict(build_configuration="debug", interrupted=True, warnings=["the clock jumped"], core_count=2, commit=None,
                           missing_cells=["nio × publish-instant-1"], notes={"governor": "performance"})
        self.edit("environment.json", lambda text: json.dumps({**json.loads(text), **environment}))
        said = texts(self.report())
        for text in ("the clock jumped", "This is a debug build", "was interrupted", "nio × publish-instant-1", "core count 2", "notes.governor performance"):
            self.assertIn(text, said)

    @any_name
    def test_a_hostile_name_stays_text(self):
        self.write(contenders={name: CONTENDERS["futures"] for name in HOSTILE}, scenarios=some(SCENARIOS, "publish-instant-1", "publish-instant-10", "publish-instant-100"))
        report = self.report()
        self.assertNotIn("<script", report)
        self.assertNotIn("<img", report)
        for name in HOSTILE:
            self.assertIn(plots.text.escape(name), report)

    def test_nothing_of_it_runs_or_is_requested_and_it_stays_small(self):
        recorded = PLOT.parent / "results" / "reference"
        self.write(CONTENDERS, SCENARIOS)
        for runs in ([self.place / "run"], *[[recorded]] * recorded.is_dir()):
            report = self.draw("--format", "html", runs=runs)[1]["report.html"].decode()
            self.assertLess(len(report.encode()), 330_000)
            self.assertIn("default-src 'none'", report)
            self.assertEqual(re.findall(r"<script|<iframe|<img|\bsrc=|\son\w+=|url\(|<link[^>]*href=\"(?!data:,)", report), [])

    def test_every_table_has_a_caption_and_every_head_a_scope(self):
        self.write(CONTENDERS, SCENARIOS)
        report = self.report()
        for found in re.findall("<table.*?</table>", report, re.S):
            self.assertRegex(found, "<caption>.+?</caption>")
            self.assertEqual(re.findall("<th(?![^>]*scope=)[ >]", found), [])
        self.assertEqual(re.findall(r"<h(\d)", report)[:2], ["1", "2"])


class Small(RunCase):
    def test_what_little_there_is_is_drawn(self):
        cases = {"one contender": (some(CONTENDERS, "callbacks"), SHORT), "one scenario": (FEW, some(SCENARIOS, "publish-latency-100")),
                 "an empty post": (FEW, some(SCENARIOS, "publish-instant-0")), "one cell": (some(CONTENDERS, "callbacks"), some(SCENARIOS, "publish-instant-1"))}
        for name, (contenders, scenarios) in cases.items():
            with self.subTest(name):
                self.write(contenders, scenarios)
                report = texts(self.report())
                self.assertIn(f"{plots.text.counted(len(contenders), 'contender')} in {plots.text.counted(len(scenarios), 'scenario')}", report)
                self.assertEqual(report.count("There is no answer.json"), 1)
                self.assertIn("Time of a whole job", report)
        with self.subTest("none measured"):
            self.write(some(CONTENDERS, "callbacks"), some(SCENARIOS, "publish-instant-1"), wrong=("callbacks", "publish-instant-1"))
            self.set("summary.csv", 0, outcome="failed", median_ns="")
            self.assertIn("callbacks publish-instant-1 wrong", texts(self.report()))

    def test_a_missing_file_is_said_and_the_rest_drawn(self):
        for name in ("samples.csv", "summary.csv", "environment.json"):
            with self.subTest(name):
                self.write()
                (self.place / "run" / name).unlink()
                code, files, said = self.draw("--format", "html")
                self.assertEqual(code, 0, said)
                self.assertIn(f"{name} is missing", said)
                self.assertIn(f"{name} is missing", texts(files["report.html"].decode()))


class Pictures(RunCase):
    def test_without_the_library_only_png_is_not_drawn_and_who_wants_it_reads_what_installs_it(self):
        self.write()
        (self.place / "shadow").mkdir()
        (self.place / "shadow" / "vl_convert.py").write_text("raise ImportError('hidden', name='vl_convert')")
        ask = lambda *more: subprocess.run([sys.executable, str(PLOT), str(self.place / "run"), *more], capture_output=True, text=True,
                                           env={**os.environ, "PYTHONPATH": str(self.place / "shadow")})
        done = ask("--format", "png")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1))
        self.assertIn(plots.command.INSTALL, done.stderr)
        self.assertEqual((ask().returncode, (self.place / "run" / "report.html").is_file(), list((self.place / "run").glob("*.png"))), (0, True, []))

    def test_every_picture_has_its_title_and_where_it_was_measured(self):
        write_trace(self.write(CONTENDERS, SCENARIOS), {"callbacks": 0})
        code, files, said = self.draw("--format", "svg")
        self.assertEqual((code, sorted(files)), (0, ["answer.svg", "cost.svg", "trace.svg"]), said)
        for name, title in (("answer", "The headline"), ("cost", "The growth"), ("trace", "One post of publish-latency-2")):
            shown = files[f"{name}.svg"].decode()
            self.assertIn(title, shown)
            self.assertIn("made up, 2 cores", shown)
            self.assertNotRegex(shown, r"NaN|var\(|None")

    def test_the_committed_pictures_are_those_of_the_recorded_runs(self):
        for run, name in (("reference", "answer.svg"), ("reference-textbook", "textbook.svg")):
            directory = PLOT.parent / "results" / run
            if (directory / name).exists():
                drawn = self.draw("--format", "svg", runs=[directory])[1][name]
                self.assertTrue(drawn == (directory / name).read_bytes(), f"python3 plot.py results/{run} --format svg writes another {name}")

    @needs_library
    def test_on_a_terminal_it_says_what_it_draws_and_elsewhere_nothing(self):
        self.write()
        self.assertNotIn("drawing", self.draw("--format", "png")[2])
        terminal = io.StringIO()
        terminal.isatty = lambda: True
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(terminal):
            plots.command.main([str(self.place / "run"), "--format", "png", "--output", str(self.place / "out")])
        self.assertIn("plot.py: drawing answer\n", terminal.getvalue())


class Numbers(unittest.TestCase):
    def test_a_duration_has_three_digits_and_the_unit_that_fits(self):
        for nanoseconds, text in ((0, "0.00 ns"), (0.5, "0.50 ns"), (74.44, "74.4 ns"), (999.6, "1.00 µs"), (1234, "1.23 µs"), (2e6, "2.00 ms"),
                                  (9.999e9, "10.0 s"), (-45, "−45.0 ns"), (None, "unknown")):
            self.assertEqual(plots.text.duration(nanoseconds).replace("\u00a0", " "), text)

    def test_a_ratio_has_two_digits_and_near_1_two_decimals(self):
        self.assertEqual([plots.text.multiple(ratio) for ratio in (0.0784, 0.337, 0.996, 1.59, 9.96, 19.4)], ["0.078", "0.34", "1.00", "1.6", "10", "19"])
        self.assertEqual([plots.text.ends(*pair).replace("\u00a0", " ") for pair in ((1.42, 1.79), (0.97, 1.012), (1.02, 1.024), (0.996, 1.3))],
                         ["1.4–1.8", "0.97–1.01", "1.02", "1.00–1.3"])

    def test_every_colour_can_be_read(self):
        def light(colour: str) -> float:
            parts = [part / 255 for part in bytes.fromhex(colour[1:] if len(colour) > 4 else "".join(2 * c for c in colour[1:]))]
            parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

        def contrast(a: str, b: str) -> float:
            low, high = sorted((light(a), light(b)))
            return (high + 0.05) / (low + 0.05)

        # What the accessibility guidelines ask of text, and of marks.
        for name, theme in (("light", plots.svg.LIGHT), ("dark", plots.svg.DARK)):
            for text in ("ink", "quiet", "keyword", "string", "accent"):
                self.assertGreaterEqual(contrast(theme[text], theme["paper"]), 4.5, (name, text))
            for number in range(8):
                self.assertGreaterEqual(contrast(theme[f"s{number}"], theme["paper"]), 3, (name, number))
            for number in plots.answer.STEPS:
                self.assertGreaterEqual(contrast(*plots.answer.shade(number, name)), 4.5, (name, number))

    def test_labels_of_lines_do_not_cover_each_other_and_keep_their_order(self):
        for places in ([10, 10, 10], [3, 90, 91, 92], [99, 98, 0], [5]):
            found = plots.svg.spread(places, 15, 0, 100)
            ordered = sorted(found)
            self.assertTrue(all(b - a > 14.9 for a, b in zip(ordered, ordered[1:])), found)
            self.assertTrue(0 <= ordered[0] and ordered[-1] <= 100, found)
            self.assertEqual(sorted(range(len(places)), key=places.__getitem__), sorted(range(len(found)), key=found.__getitem__))

    def test_ticks_are_round_and_never_fewer_than_two(self):
        for low, high, ticks in ((90, 12_000, [100, 1_000, 10_000]), (90, 1_100, [100, 200, 500, 1_000]), (9.2, 9.9, [9.2, 9.4, 9.6, 9.8])):
            self.assertEqual(plots.svg.decades(low, high), ticks)
        for low in (1, 3.3, 99, 1.8e6):
            for factor in (1.005, 1.1, 2, 7, 30, 1e6):
                self.assertGreaterEqual(len(plots.svg.decades(low, low * factor)), 2, (low, factor))


if __name__ == "__main__":
    unittest.main()
