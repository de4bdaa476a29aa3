"""The command line: what is read, what is written, what is said."""
from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from .comparison import compared_pictures, comparison_page, read_comparison
from .load import load_page, load_pictures
from .model import LoadRun, read
from .page import page, pictures, place_of
from .reading import Problem, one_line
from .svg import standalone

INSTALL = "python3 -m pip install vl-convert-python"


def say(message: str, only_to_a_terminal: bool = False) -> None:
    """On standard error, if that is open."""
    try:
        if sys.stderr and (sys.stderr.isatty() or not only_to_a_terminal):
            print(f"plot.py: {message}", file=sys.stderr, flush=True)
    except OSError:
        pass


def hand_out(text: str) -> None:
    """On standard output."""
    if sys.stdout is None:
        raise Problem("cannot write to standard output: it is closed. Whatever was drawn is written.")
    try:
        print(text, flush=True)
    except OSError as error:
        # What is left of the text would be tried again when the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # A reader that is gone has seen enough.
        if not isinstance(error, BrokenPipeError):
            raise Problem(f"cannot write to standard output: {error.strerror}. Whatever was drawn is written.")


def images(one, place: str, formats: list[str], to_png):
    """(file name, bytes) of a picture in each format."""
    svg = standalone(one, place)
    if "svg" in formats:
        yield f"{one.key}.svg", svg.encode()
    if "png" in formats:
        say(f"drawing {one.key}", only_to_a_terminal=True)
        yield f"{one.key}.png", to_png(svg, scale=2)


def refused(path: Path, error: OSError) -> Problem:
    return Problem(f"{path}: cannot be written: {error.strerror}. Name a folder that you may write into: --output DIR")


def make(folder: Path) -> None:
    """Before anything is drawn that would have no place."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise refused(folder, error)


def write(path: Path, content: bytes) -> None:
    """All or nothing: a file that stands is replaced only by a whole one."""
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".plot-", delete=False) as file:
            try:
                file.write(content)
                file.flush()
                os.chmod(file.name, 0o644)
                os.replace(file.name, path)
            except OSError:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise refused(path, error)


class Arguments(argparse.ArgumentParser):
    def error(self, message: str):
        raise Problem(f"{message}. Try: plot.py --help", code=1)

    def print_help(self, file=None):
        hand_out(self.format_help().rstrip())


def formats(text: str) -> list[str]:
    names = text.split(",")
    wrong = [name for name in names if name not in ("png", "svg", "html")]
    if wrong:
        raise argparse.ArgumentTypeError(f"{wrong[0]!r} is no format; there are png, svg and html")
    return names


def folder(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("a folder's name is empty")
    return Path(text)


def main(arguments: list[str]) -> int:
    parser = Arguments(prog="plot.py", description="Draws a run directory, or several beside one another: charts as PNG and SVG, and report.html, "
                       "which opens offline.",
                       epilog="Exit codes: 0 fine, 1 usage or a missing library, 6 a file is damaged or cannot be read or written; what can "
                       "be drawn is drawn all the same.")
    parser.add_argument("runs", metavar="RUN_DIR", nargs="*", type=folder, default=[Path("results/latest")],
                        help="default: results/latest; two or more are compared")
    parser.add_argument("--output", metavar="DIR", type=folder,
                        help="where the files go; default: RUN_DIR, of a comparison the folder comparison beside the first")
    parser.add_argument("--format", type=formats, help="which to write; default: svg,html, and png if vl-convert-python is installed")
    options = parser.parse_args(arguments)
    several = len(options.runs) > 1
    run = read_comparison(options.runs) if several else read(options.runs[0])
    draws, document_of = (compared_pictures, comparison_page) if several else (load_pictures, load_page) if isinstance(run, LoadRun) else (pictures, page)
    output = options.output or (options.runs[0].parent / "comparison" if several else options.runs[0])
    try:
        from vl_convert import svg_to_png as to_png
    except ImportError:
        to_png = None
        if "png" in (options.format or []):
            raise Problem(f"vl_convert is not installed, which draws PNG: {INSTALL}", code=1)
    wanted = options.format or ["svg", "html", *["png"] * bool(to_png)]
    make(output)
    found = draws(run)
    drawn, missing = [one for one, _ in found if one], [need for one, need in found if not one]
    place = "; ".join(f"{label}: {place_of(one)}" for label, one in run.runs.items()) if several else place_of(run)
    for one in drawn:
        one.is_file = "svg" in wanted
    files = [file for one in drawn for file in images(one, place, wanted, to_png)]
    if "html" in wanted:
        files.append(("report.html", document_of(run, drawn, missing).encode()))
    for name, content in files:
        write(output / name, content)
    for note in run.remarks.all() + [f"not drawn: {m}" for m in missing]:
        say(note)
    hand_out("\n".join(str(output / name) for name, _ in files))
    return 6 if run.remarks.faults else 0


def run(arguments: list[str]) -> int:
    """The exit code, after what went wrong has been said."""
    if sys.stdout:
        sys.stdout.reconfigure(errors="surrogateescape")  # names of folders are bytes
    try:
        return main(arguments)
    except Problem as problem:
        say(str(problem))
        return problem.code
    except OSError as error:
        say(one_line(f"{error.filename}: {error.strerror}."))
        return 6
    except KeyboardInterrupt:
        return 130
