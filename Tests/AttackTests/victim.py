"""A `bench` under attack: its processes carry a mark in their environment, whichever process started them.

FANOUT_ATTACKS=N multiplies the random attacks by N, and FANOUT_ATTACK_SEED repeats one.
"""
import json
import os
import random
import signal
import subprocess
import tempfile
import time
import unittest
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("FANOUT_ATTACK_SEED", "1"))

# The latest build.
BENCH = max((path for kind in ("release", "debug") if (path := ROOT / ".build" / kind / "bench").exists()),
            key=lambda path: path.stat().st_mtime, default=None)
if BENCH is None:
    raise unittest.SkipTest("there is no .build/release/bench and no .build/debug/bench: build one of them")


def attacks(times: float = 1) -> list[int]:
    """The seeds of a random attack: at least one."""
    return [SEED + index for index in range(max(1, round(times * int(os.environ.get("FANOUT_ATTACKS", 1)))))]


def until(holds, seconds: float = 30) -> bool:
    """Waits until it holds; returns whether it did."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


class Victim:
    """A running command of `bench`."""

    def __init__(self, *arguments, environment=None, limits=None):
        self.mark = uuid.uuid4().hex
        # Files, since a write to a full pipe would block.
        self.out, self.err = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [str(BENCH), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err,
            env={**os.environ, **(environment or {}), "FANOUT_ATTACK": self.mark, "NO_COLOR": "1"}, cwd=ROOT, preexec_fn=limits)

    @classmethod
    def run(cls, output, *arguments, fan_out="10", **options):
        """A small run into a folder: two contenders, some seconds."""
        return cls("run", "--contenders", "callbacks,futures", "--fan-out", fan_out, "--samples", "8", "--generations", "3",
                   "--output", output, "--name", "attacked", "--quiet", "--allow-debug-build", *arguments, **options)

    @property
    def pids(self) -> list[int]:
        """Its remaining processes, its own first."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and f"FANOUT_ATTACK={self.mark}".encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                pass
        return sorted(found, key=lambda pid: (pid != self.process.pid, pid))

    @property
    def workers(self) -> list[int]:
        """Its processes that take samples."""
        def arguments(pid):
            try:
                return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            except OSError:
                return []
        return [pid for pid in self.pids if b"worker" in arguments(pid)[:2]]

    def wait(self, seconds: float = 240) -> int:
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {seconds} s; stderr: {self.errors}") from None

    def end(self):
        for pid in self.pids:
            for number in (signal.SIGKILL, signal.SIGCONT):
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass
        self.process.wait()
        self.out.close(), self.err.close()

    @property
    def output(self) -> str:
        return self._text(self.out)

    @property
    def errors(self) -> str:
        return self._text(self.err)

    @staticmethod
    def _text(file) -> str:
        file.seek(0)
        return file.read()


class ControlGroup:
    """A control group with a limit, inside this process's group."""

    LIMITS = {"memory": ("memory.limit_in_bytes", "memory.max"), "pids": ("pids.max", "pids.max")}

    def __init__(self, controller: str, most: int):
        """Raises OSError if it cannot be made."""
        self.folder = self._own(controller) / f"fanout-attack-{uuid.uuid4().hex}"
        self.folder.mkdir()
        try:
            self.file = next((path for name in self.LIMITS[controller] if (path := self.folder / name).exists()), None)
            if self.file is None:
                raise OSError(f"{self.folder} has no limit of {controller}")
            self.limit(most)
        except OSError:
            self.remove()
            raise

    @staticmethod
    def _own(controller: str) -> Path:
        """The controller's own in version 1, else the unified one."""
        lines = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
        for names, path in [(names, path) for _, names, path in lines if controller in names.split(",")]:
            return Path(f"/sys/fs/cgroup/{names}/{path}")
        for path in [path for _, names, path in lines if not names]:
            return Path(f"/sys/fs/cgroup/{path}")
        raise OSError(f"there is no control group of {controller}")

    @classmethod
    def can_be_made(cls, controller: str) -> bool:
        try:
            cls(controller, 1 << 20).remove()
        except OSError:
            return False
        return True

    def limit(self, most: int):
        self.file.write_text(str(most))

    def enter(self):
        """Moves this process into it; for `preexec_fn`."""
        (self.folder / "cgroup.procs").write_text("0")

    def remove(self):
        """Removes it as soon as it is empty."""
        def is_gone():
            try:
                self.folder.rmdir()
            except OSError:
                return False
            return True
        assert until(is_gone, 10), f"{self.folder} cannot be removed"


class AttackTest(unittest.TestCase):
    """What must hold for every victim after any attack."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fanout-attack-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def started(self, victim: Victim) -> Victim:
        self.addCleanup(victim.end)
        return victim

    def group(self, controller: str, most: int) -> ControlGroup:
        """A group that is removed once its victims have ended."""
        group = ControlGroup(controller, most)
        self.addCleanup(group.remove)
        return group

    def assertOrderly(self, victim: Victim, *codes: int):
        """It has ended by itself with one of the codes and a message for users, and left no process."""
        code = victim.wait()
        context = f"exit code {code}, output: {victim.errors or victim.output[-500:]}"
        self.assertIn(code, codes, context)
        for word in ("Fatal error", "Stack dump", "Traceback", "Crash", "terminating"):
            self.assertNotIn(word, victim.errors, context)
        if code not in (0,):
            self.assertTrue((victim.errors + victim.output).strip(), f"exit code {code} without a message")
        self.assertNoProcessIsLeft(victim)

    def assertNoProcessIsLeft(self, victim: Victim):
        self.assertTrue(until(lambda: not victim.pids, 10), f"left behind: {victim.pids}")

    def assertReadable(self, run: Path):
        """Every complete row is read, and the report is printed."""
        samples = run / "samples.csv"
        if not samples.exists():
            return
        rows = samples.read_bytes().count(b"\n") - 1
        victim = self.started(Victim("report", run, "--format", "json"))
        code = victim.wait()
        if rows < 1:
            self.assertIn(code, (0, 5, 6), victim.errors)
            return
        self.assertEqual(code, 0, victim.errors)
        self.assertEqual(json.loads(victim.output)["samples"], rows)


def chance(seed: int) -> random.Random:
    return random.Random(seed)
