"""The contenders' code as it was measured, from git, and the section that shows it."""
from __future__ import annotations

import re
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

from .model import Run, ranking
from .text import counted, escape, listed

CHECKOUT = Path(__file__).resolve().parent.parent
CONTENDERS = "Sources/Contenders/"
# What only the file of a contender or a variant has.
SUMMARY = re.compile(r'\b(?:let|var) summary\b|\blet name(?:: String)? = "')
# What `source_lines` counted in runs that do not say what it counts.
FILE_ALONE = "the pattern's file alone"


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

    def folder(self, contender: str) -> tuple[str, str] | None:
        """The folder of the target that a contender is from, and its own file: the one that says its name."""
        # Or quotes it and has a summary: a name may be made where the context is known.
        said = re.compile(rf'\blet name(?:: String)? = "{re.escape(contender)}"')
        for name, text in self.files.items():
            if said.search(text) or f'"{contender}"' in text and SUMMARY.search(text):
                return name[: name.rindex("/Variants/")] if "/Variants/" in name else name.rpartition("/")[0], name
        return None

    def of(self, contender: str, pattern: str) -> str | None:
        """The file in which a contender writes a pattern: one for each, but a variant has one for all."""
        found = self.folder(contender)
        if not found:
            return None
        folder, own = found
        file = f"{folder}/{''.join(part.capitalize() for part in pattern.split('-'))}.swift"
        return own if "/Variants/" in own else file if file in self.files else None

    def beside(self, contender: str, patterns: list[str]) -> list[str]:
        """The other files of its target, which its patterns share."""
        found = self.folder(contender)
        if not found:
            return []
        folder, own = found
        if "/Variants/" in own:
            # A variant is a file that says its name; what says none is theirs in common.
            return [name for name in self.files if name.startswith(f"{folder}/Variants/") and name != own
                    and not name.endswith("/Variants.swift") and not SUMMARY.search(self.files[name])]
        shown = {self.of(contender, pattern) for pattern in patterns}
        return [name for name in self.files if name.rpartition("/")[0] == folder and name not in shown
                and name.rpartition("/")[2] not in self._pattern_files()]

    def _pattern_files(self) -> set[str]:
        """File names that most contenders have: the patterns, those included that the run did not take."""
        names = Counter(name.rpartition("/")[2] for name in self.files if "/Variants/" not in name)
        folders = {name.rpartition("/")[0] for name in self.files if "/Variants/" not in name}
        return {name for name, count in names.items() if count > len(folders) / 2}


# Comments, texts and keywords, which the page colours; as JavaScript writes it.
SWIFT = (
    r'(?<c>//[^\n]*|/\*.*?\*/)|(?<s>"""(?:.*?)"""|"(?:\\.|[^"\\\n])*")|(?<k>(?<![\w.])(?:import|extension|struct|class|enum|protocol|'
    r"actor|func|init|deinit|let|var|return|if|else|guard|for|in|while|repeat|switch|case|default|break|continue|defer|do|try|catch|throw|"
    r"throws|rethrows|async|await|public|private|fileprivate|internal|package|static|final|override|mutating|some|any|where|self|Self|nil|"
    r"true|false|is|as|inout|weak|unowned|nonisolated|isolated|sending|borrowing|consuming|consume|typealias|associatedtype|subscript|get|"
    r"set|lazy|super|convenience|required|indirect|operator)\b)")


def lines_counted(run: Run) -> str:
    """What `source_lines` counts, as the run's notes say it; an earlier version counted less and said nothing."""
    notes = run.environment.get("notes")
    return str(isinstance(notes, dict) and notes.get("source_lines") or FILE_ALONE)


def code(run: Run, sources: Sources) -> str:
    """Each pattern of the run with the file of every contender beside the others, if it is what was measured."""
    lead = '<section id="code"><h2>The code of each contender, pattern by pattern</h2>'
    patterns = list(dict.fromkeys(run.pattern[s] for s in run.scenarios if s in run.pattern))
    files = {p: [(c, sources.of(c, p)) for c in ranking(run) if any((c, s) in run.cells for s in run.scenarios if run.pattern.get(s) == p)]
             for p in patterns}
    if not any(file for found in files.values() for _, file in found):
        why = sources.why_not or ("summary.csv does not say of which pattern a scenario is" if not patterns else "") or f"none of the run's contenders is in {CONTENDERS} at {sources.commit[:12]}, the commit that was measured"
        return f"{lead}<p>Not shown: {escape(why)}.</p></section>"
    line_counts = {(c.contender, c.pattern): c.source_lines for c in run.cells.values() if c.source_lines}
    parts = [lead, f'<p class="quiet">As measured, from commit {escape(sources.commit[:12])}. Lines are those that the run counted: '
             f"{escape(lines_counted(run))}.</p>"]
    if sources.is_dirty is not False:
        parts.append('<p class="alert">' + ("There were changes that were not committed: what was measured may differ from what stands here."
                     if sources.is_dirty else "Whether there were changes that were not committed is unknown.") + "</p>")
    for number, pattern in enumerate(patterns):
        blocks = []
        for contender, file in files[pattern]:
            if not file:
                blocks.append(f"<div><h4>{escape(contender)}</h4><p class=\"quiet\">It has no file for this pattern there.</p></div>")
                continue
            lines = line_counts.get((contender, pattern))
            shown = len(sources.files[file].splitlines())
            note = f"{counted(shown, 'line')} shown" + (f"; {lines} counted with what it shares" if lines else "")
            blocks.append(listing(contender, note, file, sources.files[file]))
        parts.append(f"<details{' open' if not number else ''}><summary>{escape(pattern)} <small>{counted(len(blocks), 'contender')}</small></summary>"
                     f'<div class="code">{"".join(blocks)}</div></details>')
    sharing = defaultdict(list)
    for contender in ranking(run):
        sharing[tuple(sources.beside(contender, patterns))].append(contender)
    for shared, contenders in sharing.items():
        if shared:
            parts.append(f"<details><summary>{escape(listed(contenders))}: what {'they share' if len(contenders) > 1 else 'its patterns share'} "
                         f"<small>{len(shared)} file{'s' if len(shared) > 1 else ''}</small></summary>"
                         f'<div class="code">{"".join(listing(name.rpartition("/")[2], "", name, sources.files[name]) for name in shared)}'
                         "</div></details>")
    return "".join([*parts, "</section>"])


def listing(title: str, note: str, file: str, text: str) -> str:
    label = escape(f"{title}, {file}")
    return (f'<div><h4>{escape(title)} <small title="{escape(file)}">{escape(note)}</small></h4>'
            f'<pre tabindex="0" role="region" aria-label="{label}"><code>{escape(text)}</code></pre></div>')
