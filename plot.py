#!/usr/bin/env python3
# /// script
# requires-python = ">=3.9"
# dependencies = ["altair>=5.5", "vl-convert-python>=1.7"]
# ///
"""Draws a run directory: every chart as PNG and SVG, and one report.html that opens without a network; of several
directories, how they compare.

Every name, number and order comes from the runs' own files; an empty cell is unknown and never drawn as 0. What is damaged is
left out, named with its line, and the rest drawn. The folder `plots` beside this file does it:

    reading      files to rows                      charts       what all charts share
    model        rows to a run                      figures      the charts of a run
    text         numbers, lists and names           trace        one of them: a post, thread by thread
    answers      what readers ask first             blocking     what is said of calls that block
    sources      what was measured, from git        page         report.html of a run
    libraries    Altair and vl-convert              load         charts and page of a load run
    command      arguments, files, exit codes       comparison   charts and page of several runs
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
