"""Runs Scripts/rivals with tools that only pretend to build."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SWIFT = """#!/bin/bash
if [ "$1 $2" = "package dump-package" ]; then
  echo '{"traits": [
    {"name": "Rivals", "enabledTraits": ["Broken", "Fine", "Unreachable", "Mute"]},
    {"name": "Apart", "enabledTraits": []}, {"name": "Broken", "enabledTraits": []},
    {"name": "Fine", "enabledTraits": []}, {"name": "Mute", "enabledTraits": []},
    {"name": "Unreachable", "enabledTraits": []}]}'
  exit
fi
case "$*" in
  *--traits\\ Unreachable*)
    echo "warning: 'fanout': error: is a word in a warning, too"
    echo "Fetching https://host.example/Unreachable"
    echo "error: Failed to clone repository https://host.example/Unreachable:"
    echo "    fatal: could not resolve host"
    exit 1 ;;
  *--traits\\ Broken*)
    echo "/path/Broken.swift:1:1: error: no such module 'Missing'"
    echo "/path/Broken.swift:2:1: error: and so on"
    exit 1 ;;
  *--traits\\ Mute*) exit 1 ;;
esac
"""


SWIFTC = """#!/bin/bash
case "$*" in
  *"-module-name PromiseKitRival"*"-typecheck"*) echo "Publish.swift:1:1: error: no such member" >&2; exit 1 ;;
esac
"""


def rivals(*arguments, **tools):
    """Runs the script with these in place of the toolchain's."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tools.items():
            tool = Path(folder) / name
            tool.write_text(text)
            tool.chmod(0o755)
        environment = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}
        return subprocess.run(
            [ROOT / "Scripts/rivals", *arguments], env=environment, capture_output=True, text=True)


class RivalsTests(unittest.TestCase):
    def test_every_rival_has_signatures(self):
        folders = [{path.name for path in (ROOT / place).iterdir()} for place in ["Sources/Contenders/Rivals", "Tests/Rivals"]]
        self.assertEqual(*folders)

    def test_a_rival_that_does_not_compile_is_named_and_fails_the_script(self):
        run = rivals("compile", swiftc=SWIFTC)
        self.assertEqual(run.returncode, 1)
        self.assertEqual(run.stdout.splitlines()[2:6], [
            "OpenCombine: compiles against Tests/Rivals/OpenCombine",
            "PromiseKit: does not compile against Tests/Rivals/PromiseKit",
            "Publish.swift:1:1: error: no such member",
            "RxSwift: compiles against Tests/Rivals/RxSwift",
        ])

    def test_it_prints_the_traits_that_build_and_a_line_for_each_other_one(self):
        run = rivals(swift=SWIFT)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(run.stdout, "default,Fine\n")
        self.assertEqual(run.stderr.splitlines(), [
            "Broken is left out: no such module 'Missing'",
            "Mute is left out: its build failed without saying why",
            "Unreachable is left out: Failed to clone repository https://host.example/Unreachable",
        ])


if __name__ == "__main__":
    unittest.main()
