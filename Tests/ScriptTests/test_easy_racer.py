"""Examples/EasyRacer solves eleven scenarios in at most 45 lines of each library, and its page has the numbers of lines."""
import re
import subprocess
import unittest
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "Examples/EasyRacer"
LIBRARIES = ["SwiftConcurrency", "Coroutines", "Futures", "ClosureTasks", "ReactiveStreams"]


def lines(library: str) -> int:
    """Lines that are neither blank nor comments."""
    text = (EXAMPLE / f"Sources/EasyRacer/{library}.swift").read_text()
    return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))


class EasyRacerTests(unittest.TestCase):
    def test_a_library_needs_at_most_45_lines(self):
        for library in LIBRARIES:
            self.assertIn(lines(library), range(20, 46), library)

    def test_the_page_has_the_numbers_of_lines(self):
        row = next(line for line in (EXAMPLE / "README.md").read_text().splitlines() if line.startswith("| lines of code"))
        self.assertEqual([int(number) for number in re.findall(r"\d+", row)], [lines(library) for library in LIBRARIES])

    def test_an_unknown_option_is_one_line(self):
        ended = subprocess.run([EXAMPLE / "run", "--fast"], capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertEqual(ended.stderr, "Examples/EasyRacer/run takes no option but --short\n")


if __name__ == "__main__":
    unittest.main()
