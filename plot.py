#!/usr/bin/env python3
# /// script
# requires-python = ">=3.9"
# dependencies = ["altair>=5.5", "vl-convert-python>=1.7"]
# ///
"""Draws a run directory: every chart as PNG and SVG, and one report.html that opens without a network; of several
directories, how they compare.

Every name, number, order and sentence comes from the runs' own files, sentences from answer.json; an empty cell is unknown and never drawn as 0. What is damaged is
left out, named with its line, and the rest drawn. The folder `plots` beside this file does it:

    reading      files to rows                      figures      the charts of a run
    model        rows to a run                      trace        one of them: a post, thread by thread
    text         numbers, lists and names           page         report.html of a run; page.css, page.js
    sources      what was measured, from git        load         charts and page of a load run
    libraries    Altair and vl-convert              comparison   charts and page of several runs
    charts       what all charts share              command      arguments, files, exit codes
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
