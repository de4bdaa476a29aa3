"""Scripts/mutate on Swift sources, without a build."""
import csv
import importlib.machinery
import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))

import mutants  # noqa: E402

loader = importlib.machinery.SourceFileLoader("mutate", str(ROOT / "Scripts/mutate"))
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
loader.exec_module(mutate)

SOURCE = '''import UploadScenario

struct Places {
  private var free = 3
  let most: Int

  // func notOne() { cancel() }
  init(most: Int) { self.most = most }

  var isFull: Bool { free == 0 }

  mutating func take(at index: Int, count: Int) -> String? {
    guard free > 0, index < most else { return nil }
    free -= 1
    state.withLock { $0.handle.cancel() }
    return "taken < \\(index)"
  }

  func start(then next: @escaping () -> Void = {}) {
    request(at: 0, { service.upload($0) }) { receipt in
      keep(receipt)
      next()
    }
    .run()
  }
}
'''
MASKED = mutants.mask(SOURCE)


def of(name):
    body = next(body for body in mutants.bodies(MASKED) if body.name == name)
    return body, mutants.changes(SOURCE, MASKED, body)


def pairs(name, operator):
    return [(SOURCE[change.start:change.end].strip(), change.replacement.strip())
            for change in of(name)[1] if change.operator == operator]


class Runs(unittest.TestCase):
    def test_a_crash_is_reported_with_its_last_words(self):
        for said, words in [(b"", ""), (b"one\nfatal: the stack overflowed\n\n", ": fatal: the stack overflowed"),
                            (b"x" * 9000 + b"\n\xffend", ": \ufffdend")]:
            with tempfile.TemporaryFile() as file:
                file.write(said)
                self.assertEqual(mutate.last_words(file), words)


class Mutants(unittest.TestCase):
    def test_functions_are_found_with_what_they_return(self):
        self.assertEqual([(body.name, body.returns, body.is_single) for body in mutants.bodies(MASKED)],
                         [("init", False, False), ("isFull", True, True), ("take", True, False), ("start", False, False)])

    def test_comments_and_strings_are_not_mutated(self):
        self.assertEqual(len(MASKED), len(SOURCE))
        self.assertNotIn("notOne", MASKED)
        self.assertEqual(pairs("take", "compare"), [(">", "<"), (">", ">="), ("<", "<="), ("<", ">")])

    def test_statements_are_dropped_with_what_continues_them(self):
        dropped = [text for text, _ in pairs("start", "drop")]
        self.assertTrue(dropped[0].startswith("request") and dropped[0].endswith(".run()"), dropped)
        self.assertEqual(dropped[1:], ["service.upload($0)", "keep(receipt)", "next()"])
        self.assertEqual(pairs("take", "drop-branch"), [("guard free > 0, index < most else { return nil }", "")])
        self.assertEqual(pairs("take", "drop-cancel"), [
            ("state.withLock { $0.handle.cancel() }", ""), ("$0.handle.cancel()", "")])

    def test_conditions_are_negated_one_by_one(self):
        self.assertEqual(pairs("take", "negate"), [("free > 0", "!(free > 0)"), ("index < most", "!(index < most)")])

    def test_locks_links_arguments_numbers_and_references(self):
        self.assertEqual(pairs("take", "drop-lock"), [(".withLock", ".withoutLock")])
        self.assertEqual(pairs("start", "drop-link"), [(".run()", "")])
        self.assertIn(("1", "2"), pairs("take", "off-by-one"))
        self.assertEqual(pairs("start", "keep"), [("", "keepReference(next)")])
        self.assertEqual(pairs("start", "early-return"), [(SOURCE[of("start")[0].start:of("start")[0].end].strip(), "return")])
        self.assertEqual([(name, change.replacement) for name, change in
                          mutants.property_changes(SOURCE, MASKED, mutants.bodies(MASKED))], [("free", "4")])


class Schemata(unittest.TestCase):
    def chosen(self, name, operator):
        body, changes = of(name)
        made = [mutate.Mutant("Folder", "File.swift", SOURCE, body, change, 7) for change in changes
                if change.operator == operator]
        for number, mutant in enumerate(made, 1):
            mutant.number = number
        return made

    def test_each_mutant_has_a_body_of_its_own_and_knows_its_lines(self):
        chosen = self.chosen("take", "negate")
        text, lines = mutate.schemata(SOURCE, chosen)
        for mutant in chosen:
            first, last = lines[mutant]
            own = "\n".join(text.split("\n")[first - 1:last])
            self.assertIn(f"case {mutant.number}:", own)
            self.assertIn(mutant.change.replacement, own)
        self.assertIn("switch activeMutant(in: 7) {", text)
        self.assertEqual(text.count("!("), 2)
        self.assertTrue(text.endswith(SOURCE[SOURCE.index("  func start"):]))

    def test_an_implicit_return_becomes_explicit(self):
        text, _ = mutate.schemata(SOURCE, self.chosen("isFull", "compare"))
        self.assertEqual(text.count("return free != 0"), 1)
        self.assertEqual(text.count("return free == 0"), 1)

    def test_a_key_does_not_depend_on_its_line(self):
        body, changes = of("take")
        moved = "\n\n" + SOURCE
        there = next(body for body in mutants.bodies(mutants.mask(moved)) if body.name == "take")
        keys = {mutate.Mutant("F", "f", SOURCE, body, change, 0).key() for change in changes}
        again = {mutate.Mutant("F", "f", moved, there, change, 0).key()
                 for change in mutants.changes(moved, mutants.mask(moved), there)}
        self.assertEqual(keys, again)


class Contenders(unittest.TestCase):
    def test_there_are_a_thousand_mutants_and_every_operator_makes_some(self):
        found, _, _ = mutate.find_mutants(ROOT, ["Callbacks", "GCDGroups", "SwiftConcurrency"])
        self.assertGreater(len(found), 1_000)
        self.assertGreater(len({mutant.change.operator for mutant in found}), 15)

    def test_every_survivor_is_a_mutant_of_the_sources_as_they_are(self):
        with open(mutate.KNOWN, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        found, _, _ = mutate.find_mutants(ROOT, sorted({row["contender"] for row in rows}))
        keys = {mutant.key() for mutant in found}
        self.assertEqual([row for row in rows if tuple(row[name] for name in mutate.KEY) not in keys], [])


if __name__ == "__main__":
    unittest.main()
