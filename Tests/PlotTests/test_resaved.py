"""That what another program saved again is read by `bench` and plot.py alike, or refused by both with one sentence."""
import csv
import io
import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from test_plot import PLOT, RunCase, plots  # noqa: E402

SAVE = "Save it as UTF-8 with commas between fields and points in numbers, or record the run again."
CORRECT = "Correct or remove the line, or record the run again."
EDITED = "Another version wrote the file, or it was edited: record the run again with this version."
AGAIN = "Record the run again with this version."
BUILT = sorted((path for kind in ("release", "debug") if (path := PLOT.parent / ".build" / kind / "bench").exists()), key=lambda path: path.stat().st_mtime)


def text(change):
    """A change of a file's text."""
    return lambda content: change(content.decode()).encode()


def cells(change, header=True, **how):
    """A change of each cell: `change(column, text)`; `how`: as csv.writer has it."""
    def changed(content: str) -> str:
        names, *rows = csv.reader(io.StringIO(content, newline=""))
        saved = io.StringIO()
        writer = csv.writer(saved, **{"lineterminator": "\n", **how})
        writer.writerows([names, *([change(name, cell) for name, cell in zip(names, row)] for row in rows)])
        return saved.getvalue()
    return text(changed)


def set_in_third(column, cell):
    """A change of one cell in line 3."""
    def changed(content: str) -> str:
        lines = content.split("\n")
        row = lines[2].split(",")
        row[lines[0].split(",").index(column)] = cell
        return "\n".join([*lines[:2], ",".join(row), *lines[3:]])
    return text(changed)


def reversed_columns(content: str) -> str:
    return "".join(",".join(reversed(line.split(","))) + "\n" for line in content.splitlines())


same = lambda _, cell: cell
comma = lambda _, cell: cell.replace(".", ",") if re.fullmatch(r"-?\d+\.\d+", cell) else cell
whole = {name for name, rule in plots.reading.RULES["summary.csv"].items() if rule.type == "Int"}
in_pandas = lambda name, cell: cell.title() if cell in ("true", "false") else f"{cell}.0" if cell and name in whole else cell
# How it was saved: the file, the change, and what is said from the file's name on; nothing where it is read.
RESAVED = {
    "pandas": ("summary.csv", cells(in_pandas), None),
    "pandas, with its index": ("summary.csv", text(lambda t: "".join(f"{i if i >= 0 else ''},{line}\n" for i, line in enumerate(t.splitlines(), -1))), None),
    "pandas, NaN written out": ("summary.csv", set_in_third("p99_ns", "NaN"), f':3: column p99_ns holds "NaN", which is no finite decimal number. {CORRECT}'),
    "Excel, UTF-8": ("samples.csv", lambda content: b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"), None),
    "Excel, an empty column": ("samples.csv", text(lambda t: t.replace("\n", ",\n")), None),
    "Excel, emptied rows": ("samples.csv", text(lambda t: t + "," * 43 + "\r\n" + "\n"), None),
    "Excel, in German": ("summary.csv", lambda content: b"\xef\xbb\xbf" + cells(comma, delimiter=";", lineterminator="\r\n")(content),
                         f":1: has semicolons between its fields, where commas belong. {SAVE}"),
    "Excel, truth in German": ("summary.csv", set_in_third("within_margin", "WAHR"), f':3: column within_margin holds "WAHR", which is none of: true, false. {CORRECT}'),
    "Excel, tabs": ("samples.csv", cells(same, delimiter="\t"), f":1: has tabs between its fields, where commas belong. {SAVE}"),
    "Excel, Unicode text": ("samples.csv", lambda content: content.decode().replace(",", "\t").encode("utf-16"), f":1: is UTF-16. {SAVE}"),
    "UTF-16, big ends first": ("samples.csv", lambda content: content.decode().encode("utf-16-be"), f":1: is UTF-16. {SAVE}"),
    "Excel, long numbers": ("samples.csv", set_in_third("wall_ns", "1.23E+05"), f':3: column wall_ns holds "1.23E+05", which is no whole number. {CORRECT}'),
    "Excel, thousands": ("samples.csv", set_in_third("wall_ns", '"1,234"'), f':3: column wall_ns holds "1,234", which is no whole number. {CORRECT}'),
    "Windows-1252": ("samples.csv", lambda content: set_in_third("reason", "zu spät")(content).decode().encode("cp1252"), f":3: has bytes that are not UTF-8. {SAVE}"),
    "LibreOffice, all quoted": ("samples.csv", cells(same, quoting=csv.QUOTE_ALL), None),
    "LibreOffice, truth": ("summary.csv", set_in_third("within_margin", "TRUE"), None),
    "Numbers, in French": ("summary.csv", cells(comma), ':2: column {} holds "{}", which is no finite decimal number. ' + CORRECT),
    "columns moved": ("samples.csv", text(reversed_columns), None),
    "a column taken out": ("samples.csv", text(lambda t: t.replace(",wall_ns,", ",", 1)), f":1: column wall_ns is missing from the header. {EDITED}"),
    "a column added": ("summary.csv", text(lambda t: t.replace("\n", ",mine\n")), f":1: column mine is not known here. {EDITED}"),
    "a column twice": ("summary.csv", text(lambda t: t.replace("\n", ",run\n")), f":1: column run stands twice in the header. {EDITED}"),
    "half a number": ("samples.csv", set_in_third("fan_out", "1.5"), f':3: column fan_out holds "1.5", which is no whole number. {CORRECT}'),
    "another width": ("samples.csv", set_in_third("fan_out", "0"), f":3: column fan_out is 0, where line 2 has 1 for publish-instant-1. {CORRECT}"),
    "another width, summed up": ("summary.csv", set_in_third("fan_out", "0"), f":3: column fan_out is 0, where line 2 has 1 for publish-instant-1. {CORRECT}"),
    "below zero": ("samples.csv", set_in_third("fan_out", "-1"), f":3: column fan_out is -1, which is negative. {CORRECT}"),
    "an editor, an open quote": ("samples.csv", set_in_third("reason", '"x'), f":3: has a quote that is not closed, or stands within a field. {CORRECT}"),
    "an editor, no last line end": ("summary.csv", lambda content: content[:-1], f":13: is cut off: it does not end with a line feed. {CORRECT}"),
    "an emptied file": ("samples.csv", lambda content: b"\n", f":1: column run is missing from the header, as are 34 more. {EDITED}"),
    "an empty record": ("environment.json", lambda content: b"{}", f": run is missing. {AGAIN}"),
    "a record with a mark": ("environment.json", lambda content: b"\xef\xbb\xbf" + content, None),
    "a record of another kind": ("environment.json", lambda content: json.dumps({**json.loads(content), "warnings": "none"}).encode(),
                                 f": warnings holds a value of the wrong type. {AGAIN}"),
}


class Resaved(RunCase):
    def test_it_is_read_by_both_or_refused_by_both_with_one_sentence(self):
        for how, (name, change, sentence) in RESAVED.items():
            with self.subTest(how):
                path = self.write(rounds=4) / name
                path.write_bytes(change(path.read_bytes()))
                faults = plots.model.read(path.parent).remarks.faults
                if how == "Numbers, in French":
                    sentence = sentence.format(*re.search(r'column (\w+) holds "(.*?)"', faults[0]).groups())
                self.assertEqual([fault[:len(f"{path}{sentence}")] for fault in faults[:1]], [f"{path}{sentence}"] * bool(sentence))
                if BUILT:
                    done = subprocess.run([BUILT[-1], "report", path.parent], capture_output=True, text=True)
                    self.assertEqual((done.returncode, done.stderr), (6, f"bench: {path}{sentence}\n") if sentence else (0, done.stderr), done.stderr)


if __name__ == "__main__":
    unittest.main()
