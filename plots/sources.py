"""The contenders' code as it was measured, from git: what two of them write for one job, side by side."""
from __future__ import annotations

import re
import subprocess
from pathlib import Path

from .text import escape

CHECKOUT = Path(__file__).resolve().parent.parent
CONTENDERS = "Sources/Contenders/"
NAME = re.compile(r'\blet name(?:: String)? = "([^"]+)"')
# Types and functions by themselves, and what an extension adds to a type.
DECLARED = re.compile(r"^(?:[@a-z]+ )*(?:class|struct|enum|actor|protocol|func|typealias) (\w+)|^extension (?:.|\n)*?^  (?:[@a-z]+ )*func (\w+)", re.M)


def declared(text: str) -> set[str]:
    return {name for names in DECLARED.findall(text) for name in names if name and name != "publish"}


# Comments, texts and keywords, by the element that stands for each on the page.
SWIFT = re.compile(
    r'(?P<i>//[^\n]*|/\*.*?\*/)|(?P<u>"""(?:.*?)"""|"(?:\\.|[^"\\\n])*")|(?P<b>(?<![\w.])(?:import|extension|struct|class|enum|protocol|'
    r"actor|func|init|deinit|let|var|return|if|else|guard|for|in|while|repeat|switch|case|default|break|continue|defer|do|try|catch|throw|"
    r"throws|rethrows|async|await|public|private|fileprivate|internal|package|static|final|override|mutating|some|any|where|self|Self|nil|"
    r"true|false|is|as|inout|weak|unowned|nonisolated|isolated|sending|borrowing|consuming|consume|typealias|associatedtype|subscript|get|"
    r"set|lazy|super|convenience|required|indirect|operator)\b)", re.S)


def coloured(text: str) -> str:
    """As HTML, in which comments, texts and keywords are elements."""
    parts, end = [], 0
    for match in SWIFT.finditer(text):
        parts += [escape(text[end:match.start()]), f"<{match.lastgroup}>{escape(match[0])}</{match.lastgroup}>"]
        end = match.end()
    return "".join([*parts, escape(text[end:])])


class Sources:
    """The contenders' files as they were measured: those of the run's commit, from the git of the checkout that this file is in.

    A contender is found by the name that it says, so at any commit: its folder was `GCDGroupUploads`, and is `GCDGroups/Uploads` now.
    What the folders `Operations` hold, the operations of the runtimes, is not taken. `why_not` says why there are none.
    """

    def __init__(self, environment: dict, checkout: Path = CHECKOUT):
        self.commit, self.files, self.why_not = environment.get("commit"), {}, ""
        self.is_dirty = environment.get("dirty")
        # The text is handed to git: nothing but an object's name may pass.
        if not isinstance(self.commit, str) or not re.fullmatch(r"[0-9a-f]{7,64}", self.commit):
            self.commit, self.why_not = None, "the run does not say at which commit its contenders were built"
            return
        names = self._git(checkout, "ls-tree", "-r", "-z", "--name-only", self.commit, "--", CONTENDERS)
        if names is None:
            self.why_not = f"{self.commit[:12]}, the commit that was measured, is not in a git checkout around plot.py"
            return
        names = [name for name in names.decode(errors="replace").split("\0")
                 if name.endswith(".swift") and "\n" not in name and not name.rpartition("/")[0].endswith("/Operations")]
        blobs = self._git(checkout, "cat-file", "--batch", ask="".join(f"{self.commit}:{name}\n" for name in names).encode()) or b""
        for name in names:
            head, _, rest = blobs.partition(b"\n")
            size = int(head.rsplit(b" ", 1)[-1]) if head.rsplit(b" ", 1)[-1].isdigit() else -1
            if size >= 0:
                self.files[name], blobs = rest[:size].decode(errors="replace"), rest[size + 1:]
            else:
                blobs = rest
        if not self.files:
            self.why_not = f"{self.commit[:12]}, the commit that was measured, has no contenders in {CONTENDERS}"

    @staticmethod
    def _git(checkout: Path, *command: str, ask: bytes = b"") -> bytes | None:
        try:
            done = subprocess.run(["git", "-C", str(checkout), *command], input=ask, capture_output=True, timeout=30)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout if done.returncode == 0 else None

    def of(self, contender: str) -> list[tuple[str, str]]:
        """The file in which a contender writes `publish`, and of the others of its folder what that reaches; empty if there is none."""
        # Or quotes it and has a summary: a name may be made where the context is known.
        own = next((name for name, text in self.files.items() if contender in NAME.findall(text)
                    or f'"{contender}"' in text and re.search(r"\b(?:let|var) summary\b", text)), None)
        if not own:
            return []
        folder = own.rpartition("/")[0]
        separate = f"{folder}/Publish.swift"
        first = separate if separate in self.files and "/Variants/" not in own else own
        if "func publish(" not in self.files[first]:
            return []
        # What it extends is the contender itself, whose file has its name and what it is.
        pieces, known = {first: [body(self.files[first])]}, set(re.findall(r"\bextension (\w+Uploads)", self.files[first]))
        others = [(name, piece) for name, text in self.files.items() if name.rpartition("/")[0] == folder and name != first and not is_pattern(name, text)
                  for piece in re.split(r"(?<=^}\n)", body(text) + "\n", flags=re.M) if not NAME.search(piece)]
        reached = list(pieces[first])
        for text in reached:
            used = set(re.findall(r"\w+", text)) - known
            for name, piece in others:
                if piece not in reached and used & declared(piece):
                    reached.append(piece)
                    pieces.setdefault(name, []).append(piece)
        return [(name, "\n\n".join(piece.strip("\n") for _, piece in others if piece in found) if name != first else found[0]) for name, found in pieces.items()]

    def textbook(self) -> list[str]:
        """The shapes of articles, which a run need not measure."""
        return sorted({name for text in self.files.values() for name in NAME.findall(text) if name.startswith("textbook/")})

    def breaks(self, contender: str) -> list[str]:
        """What a shape breaks of the contract, as its author says it."""
        for text in self.files.values():
            if found := re.search(rf'^  "{re.escape(contender)}": \[(.*?)^  \]', text, re.S | re.M):
                return list(dict.fromkeys(re.findall(r'because:\s*"([^"]*)"', found[1])))
        return []


def code_section(sources: Sources, choices: list, numbers) -> tuple[str, str]:
    """Two contenders side by side, chosen by the reader, and the style that shows them; `choices` are (contender, title), the first two shown at first.

    `numbers(contender)` gives what stands above the code, as HTML.
    """
    found = [(name, title, files) for name, title in choices for files in [sources.of(name)] if files]
    if len(found) < 2:
        return "", ""
    panels, style = [], []
    for number, (name, title, files) in enumerate(found, 1):
        blocks = "".join(f'<p class="file">{escape(file.removeprefix(CONTENDERS))}: {text.count(chr(10)) + 1} of {sources.files[file].count(chr(10))} lines shown</p><pre tabindex="0" role="region" aria-label="{escape(f"{title}, {file}")}"><code>{coloured(text)}</code></pre>' for file, text in files)
        broken = f'<p class="breaks">Breaks the contract: {escape("; ".join(breaks))}.</p>' if (breaks := sources.breaks(name)) else ""
        panels.append(f'<article id="code-{number}"><h3>{escape(title)}</h3><p class="numbers">{numbers(name)}</p>{broken}{blocks}</article>')
        for side, order in (("left", 1), ("right", 2)):
            style.append(f"body:has(#{side} option:nth-child({number}):checked) #code-{number}{{display:block;order:{order}}}")
    options = lambda chosen: "".join(f'<option{" selected" * (number == chosen)}>{escape(title)}</option>' for number, (_, title, _) in enumerate(found))
    changed = ("" if sources.is_dirty is False else '<p class="alert">' + ("There were changes that were not committed: what was measured may differ from what stands here."
               if sources.is_dirty else "Whether there were changes that were not committed is unknown.") + "</p>")
    return (f'<section id="code"><h2>The same job, written two ways</h2><p class="quiet">publish: upload all at once, wait for all, create the post. As measured, at commit {escape(sources.commit[:12])}. '
            'Lines counted: those with code, without comments, of publish and of all of its own that it reaches. '
            f'async/await awaits a service of callbacks, as most SDKs are used, through a checked continuation, whose lines count.</p>{changed}'
            f'<p class="choose"><label>Left <select id="left">{options(0)}</select></label><label>Right <select id="right">{options(1)}</select></label></p>'
            f'<div class="pair">{"".join(panels)}</div></section>', "".join(style))


def is_pattern(name: str, text: str) -> bool:
    """Whether a file is that of another pattern."""
    stem = name.rpartition("/")[2].removesuffix(".swift")
    return f"public func {stem[:1].lower()}{stem[1:]}(" in text


def body(text: str) -> str:
    """A file without its imports."""
    return re.sub(r"\A(?:(?:@preconcurrency )?import [^\n]*\n|\s*\n)*", "", text).rstrip()
