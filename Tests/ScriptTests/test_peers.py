"""What Scripts/peers leaves out of a file that does not compile, and how it compares outcomes."""
import importlib.machinery
import importlib.util
import unittest
from pathlib import Path

PATH = str(Path(__file__).resolve().parents[2] / "Scripts/peers")
spec = importlib.util.spec_from_loader("peers", importlib.machinery.SourceFileLoader("peers", PATH))
peers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(peers)

TESTS = '''import XCTest

@available(macOS 10.15, *)
final class MapTests: XCTestCase {

    func testMap() throws {
        let text = "} // no end"
        XCTAssertEqual(text, helper())
    }

    @MainActor
    func testEncode() throws
    where Int: Equatable
    {
        publisher.encode { $0 }
    }

    private func helper() -> String {
        old.thing()
    }

    static let all = [
        "testMap"
    ]
}

func alone() {
    gone()
}
'''.split("\n")


def source():
    return peers.Source(Path("MapTests.swift"), list(TESTS))


def line_with(text):
    return next(number for number, line in enumerate(TESTS) if text in line)


class LeavingOutTests(unittest.TestCase):
    def spanned(self, text):
        start, end = peers.declaration_around(TESTS, line_with(text))
        return TESTS[start].strip(), TESTS[end - 1].strip(), end - start

    def test_a_declaration_is_a_member_of_a_type_or_of_the_file(self):
        self.assertEqual(self.spanned("no end"), ("func testMap() throws {", "}", 4))
        self.assertEqual(self.spanned("encode"), ("@MainActor", "}", 6))
        self.assertEqual(self.spanned('"testMap"'), ("static let all = [", "]", 3))
        self.assertEqual(self.spanned("gone()"), ("func alone() {", "}", 3))
        self.assertEqual(self.spanned("final class"), ("@available(macOS 10.15, *)", "}", 23))

    def test_a_case_that_does_not_compile_is_named_with_what_it_misses(self):
        file = source()
        errors = [("f", line_with("encode"), "value of type 'P' has no member 'encode'")]
        self.assertTrue(peers.leave_out({"f": file}, errors, {}))
        self.assertEqual([name for _, name in peers.cases_in(file.lines)], ["MapTests/testMap"])
        self.assertEqual(len(file.lines), len(TESTS))

    def test_who_misses_a_helper_misses_what_that_missed(self):
        file, helpers = source(), {}
        peers.leave_out({"f": file}, [("f", line_with("old.thing"), "cannot find 'old' in scope")], helpers)
        peers.leave_out({"f": file}, [("f", line_with("no end") + 1, "cannot find 'helper' in scope")], helpers)
        self.assertEqual(dict(file.not_ported()), {"MapTests/testMap": "old"})

    def test_of_several_errors_the_one_that_names_an_api_counts(self):
        file, line = source(), line_with("encode")
        errors = [("f", line - 1, "no exact matches in call"), ("f", line, "value of type 'P' has no member 'encode'")]
        peers.leave_out({"f": file}, errors, {})
        self.assertEqual(dict(file.not_ported()), {"MapTests/testEncode": "encode"})

    def test_errors_in_lines_that_were_left_out_are_no_progress(self):
        file = source()
        errors = [("f", line_with("gone()"), "cannot find 'gone' in scope")]
        self.assertTrue(peers.leave_out({"f": file}, errors, {}))
        self.assertFalse(peers.leave_out({"f": file}, errors, {}))

    def test_each_line_of_a_compilers_log_counts_once(self):
        log = "/a/B.swift:3:1: error: first\n   | `- error: first\n/a/B.swift:3:9: error: second\n/a/B.swift:4:1: warning: no\n"
        self.assertEqual(peers.errors_in(log), [("/a/B.swift", 2, "first")])


class TableTests(unittest.TestCase):
    found = {"A/testOne": ("fail", None), "A/testTwo": ("not-ported", "encode"), "A/testNew": ("trap", None)}

    def test_an_update_keeps_the_words_of_outcomes_that_are_the_same(self):
        old = {"A/testOne": ("fail", "demand"), "A/testNew": ("fail", "demand"), "A/testGone": ("fail", "leak")}
        text = peers.written_table(self.found, old, "# head\n")
        self.assertEqual(peers.read_table(text), {
            "A/testOne": ("fail", "demand"), "A/testTwo": ("not-ported", "encode"), "A/testNew": ("trap", "?")})

    def test_every_other_outcome_than_the_expected_one_is_a_difference_and_so_is_one_without_a_word(self):
        expected = {"A/testOne": ("fail", "?"), "A/testTwo": ("fail", "leak"), "A/testGone": ("fail", "leak")}
        self.assertEqual(list(peers.differences(self.found, expected)), [
            "A/testGone: pass, expected fail",
            "A/testNew: trap, expected pass",
            "A/testOne: fail, for a reason that the table does not say",
            "A/testTwo: not-ported, expected fail",
        ])


if __name__ == "__main__":
    unittest.main()
