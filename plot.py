#!/usr/bin/env python3
# /// script
# requires-python = ">=3.9"
# dependencies = ["vl-convert-python>=1.7"]
# ///
"""Draws a run directory: one report.html that opens without a network and runs no script, and its pictures as PNG and SVG; of several
directories, how they compare.

Every name, number, order and sentence comes from the runs' own files, sentences from answer.json; an empty cell is unknown and never drawn as 0. What is damaged is
left out, named with its line, and the rest drawn. The folder `plots` beside this file does it:

    reading      files to rows                      answer       the first picture: contenders × classes of work
    model        rows to a run                      page         report.html of a run; page.css
    text         numbers, lists and names           trace        one post, thread by thread
    sources      what was measured, from git        load         charts and page of a load run
    svg          scales, lines, marks and labels    comparison   chart and page of several runs
    html         the page around it, its tables     command      arguments, files, exit codes
"""
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    try:
        from plots.command import run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "plots":
            raise
        sys.exit("plot.py: the folder plots is not beside it: copy both, or run it in its checkout.")
    sys.exit(run(sys.argv[1:]))
