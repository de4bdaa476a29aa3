"""Examples/Claims gives each claim a verdict by one rule, and each has a source."""
import csv
import importlib.machinery
import importlib.util
import subprocess
import sys
import unittest
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "Examples/Claims"
sys.dont_write_bytecode = True
_loader = importlib.machinery.SourceFileLoader("claims_run", str(EXAMPLE / "run"))
claims = importlib.util.module_from_spec(importlib.util.spec_from_loader("claims_run", _loader))
_loader.exec_module(claims)


class ClaimsTests(unittest.TestCase):
    def test_the_rule_of_each_verdict(self):
        for arguments, expected in [
            ((">", 3, 3.5, 3.1, 4), "holds"),
            ((">", None, 1.2, 1.1, 1.3), "holds"),
            ((">", 3, 1.5, 1.4, 1.6), "holds in direction"),
            ((">", 3, 9, 8, 10), "holds in direction"),
            ((">", 3, 1.1, 0.9, 1.3), "no longer"),
            ((">", 3, 0.95, 0.92, 0.98), "no longer"),
            ((">", 1.3, 1.03, 1.01, 1.05), "no longer"),
            ((">", 1.3, 1.0, 0.9, 1.2), "not testable here"),
            ((">", 3, 0.5, 0.4, 0.6), "the other way"),
            (("<", None, 0.5, 0.4, 0.6), "holds"),
            (("<", None, 2, 1.5, 2.5), "the other way"),
            (("=", 1, 1, 0.95, 1.05), "holds"),
            (("=", 1, 1.1, 0.9, 1.3), "holds in direction"),
            (("=", 1, 1.1, 0.6, 2), "not testable here"),
            ((">", 3, 1.5, 0.5, 4), "not testable here"),
            ((">", None, 1.1, 0.9, 1.4), "not testable here"),
            ((">", 3, 3, 3, 3), "not testable here"),
            (("=", 1, 2, 1.9, 2.1), "no longer"),
        ]:
            self.assertEqual(claims.verdict(*arguments), expected, arguments)

    def test_each_of_24_claims_has_a_source_and_nine_a_command(self):
        with open(EXAMPLE / "claims.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({int(row["claim"]) for row in rows}, set(range(1, 25)))
        self.assertGreaterEqual(len({row["claim"] for row in rows if row["command"]}), 9)
        for row in rows:
            self.assertTrue(row["url"].startswith("http") and row["date"] and row["title"] and row["says"], row)
            self.assertIn(row["side"], {"<", ">", "="})

    def test_the_page_has_the_table_of_the_recorded_run(self):
        with open(claims.RECORD) as file:
            self.assertIn(claims.page(list(csv.DictReader(file))), claims.PAGE.read_text())

    def test_an_unknown_option_is_one_line(self):
        ended = subprocess.run([EXAMPLE / "run", "--fast"], capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertEqual(ended.stderr, "Examples/Claims/run takes no option but --short and --page\n")


if __name__ == "__main__":
    unittest.main()
