"""Runs Scripts/rivals with a `swift` that only pretends to build."""
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


class RivalsTests(unittest.TestCase):
    def test_it_prints_what_builds_and_says_in_a_line_each_what_does_not(self):
        with tempfile.TemporaryDirectory() as folder:
            swift = Path(folder) / "swift"
            swift.write_text(SWIFT)
            swift.chmod(0o755)
            environment = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}
            run = subprocess.run(
                [ROOT / "Scripts/rivals"], env=environment, capture_output=True, text=True, check=True)
        self.assertEqual(run.stdout, "default,Fine\n")
        self.assertEqual(run.stderr.splitlines(), [
            "Broken is left out: no such module 'Missing'",
            "Mute is left out: its build failed without saying why",
            "Unreachable is left out: Failed to clone repository https://host.example/Unreachable",
        ])


if __name__ == "__main__":
    unittest.main()
